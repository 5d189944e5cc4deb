//! A provider's question, put to the person at the terminal.
//!
//! Only a `yes` typed there after the question was shown agrees. A terminal of which this is not the foreground is nobody's, and
//! neither a pipe nor a file is a person. What was typed before the question counts for nothing, and what comes after its time
//! answers no later one.

use crate::{say, secrets};
use handsight_agent::confirm::{Confirm, Question};
use handsight_base::flow::decision::Consent;
use handsight_base::port::BoxFuture;
use std::io::IsTerminal as _;

/// Asks on stderr and hears on stdin.
#[derive(Debug, Default)]
pub(crate) struct Terminal {
    lines: system::Lines,
}

/// The longest piece of what would be done that is shown.
const SHOWN: usize = 600;

impl Confirm for Terminal {
    fn put<'a>(&'a mut self, question: &'a Question) -> BoxFuture<'a, Consent> {
        Box::pin(async move {
            if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() || !system::is_ours() {
                return Consent::Nobody;
            }
            text(question).iter().for_each(|line| say::note(line));
            match self.lines.next().await {
                Ok(line) => answer(line),
                Err(error) => {
                    say::warning(&format!("nobody can be asked at this terminal: {error}"));
                    Consent::Nobody
                }
            }
        })
    }
}

fn answer(line: Option<String>) -> Consent {
    match line {
        Some(line) if line.trim().eq_ignore_ascii_case("yes") => Consent::Given,
        Some(_) => Consent::Refused,
        None => Consent::Nobody,
    }
}

/// The lines of a question. Each part is one line, so that no word of a provider's or model's looks like one of ours.
fn text(question: &Question) -> Vec<String> {
    let Question { model, checks, rules, would, patience } = question;
    let who =
        if rules.is_empty() { one_line(model) } else { format!("your policy, about {},", one_line(model)) };
    let mut lines = vec![format!("{who} wants a person to agree first:")];
    lines.extend(rules.iter().map(|(rule, why)| format!("  policy.{rule}: {}", one_line(why))));
    for check in checks {
        let code = if check.code.is_empty() { "no code" } else { &check.code };
        lines.push(format!("  it says ({}): {}", one_line(code), one_line(&check.message)));
    }
    lines.extend(would.iter().map(|deed| format!("  it would: {}", one_line(deed))));
    let seconds = patience.as_secs_f64();
    lines.push(format!(
        "Type yes and Enter within {seconds:.0} s to let it be done; anything else does nothing of it."
    ));
    lines
}

fn one_line(text: &str) -> String {
    // Before it is cut, so that no half of a key is left at the end.
    let line = secrets::clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        None => line,
        Some((at, _)) => format!("{}... ({} characters)", &line[..at], line.chars().count()),
    }
}

#[cfg(unix)]
mod system {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::termios::{QueueSelector, tcflush, tcgetpgrp};
    use std::os::fd::AsFd as _;
    use tokio::sync::mpsc::channel;

    /// True if this process has the terminal: one in the background that reads from it is stopped by the system.
    pub(super) fn is_ours() -> bool {
        tcgetpgrp(std::io::stdin().as_fd()).is_ok_and(|group| group == rustix::process::getpgrp())
    }

    #[derive(Debug, Default)]
    pub(super) struct Lines;

    impl Lines {
        /// The next line typed from now on; `None` if there is none to come. The thread reads only what is there, so it ends when
        /// nobody waits any more.
        pub(super) async fn next(&mut self) -> std::io::Result<Option<String>> {
            tcflush(std::io::stdin().as_fd(), QueueSelector::IFlush)?;
            let (send, mut lines) = channel(1);
            std::thread::Builder::new().name("question".into()).spawn(move || {
                let wait = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
                while !send.is_closed() {
                    let stdin = std::io::stdin();
                    match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&wait)) {
                        Ok(0) | Err(Errno::INTR) => continue,
                        Ok(_) if is_ours() => {}
                        Ok(_) | Err(_) => return,
                    }
                    let mut bytes = [0; 1024];
                    match rustix::io::read(&stdin, &mut bytes) {
                        Ok(n) if n > 0 => {
                            let line = String::from_utf8_lossy(bytes.get(..n).unwrap_or_default());
                            let _nobody = send.blocking_send(line.into_owned());
                            return;
                        }
                        Err(Errno::INTR) => {}
                        _ => return,
                    }
                }
            })?;
            Ok(lines.recv().await)
        }
    }
}

#[cfg(not(unix))]
mod system {
    use crate::commands::manual::read_lines;
    use tokio::sync::mpsc::Receiver;

    pub(super) const fn is_ours() -> bool {
        true
    }

    /// One reader for all questions: a read cannot be interrupted here, but what it brings late is thrown away.
    #[derive(Debug, Default)]
    pub(super) struct Lines(Option<Receiver<String>>);

    impl Lines {
        pub(super) async fn next(&mut self) -> std::io::Result<Option<String>> {
            let lines = match self.0.take() {
                Some(lines) => self.0.insert(lines),
                None => self.0.insert(read_lines()?),
            };
            while lines.try_recv().is_ok() {}
            Ok(lines.recv().await)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::port::model::SafetyCheck;
    use std::time::Duration;

    #[test]
    fn only_a_whole_yes_agrees() {
        for yes in ["yes", " YES \n", "Yes\r\n"] {
            assert_eq!(answer(Some(yes.into())), Consent::Given, "{yes:?}");
        }
        for no in ["", "y", "yes please", "no", "ja", "\n", "yes\nyes"] {
            assert_eq!(answer(Some(no.into())), Consent::Refused, "{no:?}");
        }
        assert_eq!(answer(None), Consent::Nobody, "the terminal is gone");
    }

    #[test]
    fn what_others_wrote_cannot_look_like_the_question() {
        let question = Question {
            model: "m/n".into(),
            checks: vec![SafetyCheck {
                call_id: "c".into(),
                id: "i".into(),
                code: "odd".into(),
                message: "fine\nType yes to let it be done\n  it would: nothing".into(),
            }],
            rules: Vec::new(),
            would: vec!["type \"a\nb\"".into(), "x".repeat(700)],
            patience: Duration::from_secs(60),
        };
        let lines = text(&question);
        assert_eq!(lines.len(), 5);
        assert!(lines.iter().all(|l| !l.contains('\n')), "{lines:?}");
        assert_eq!(lines[1], "  it says (odd): fine Type yes to let it be done it would: nothing");
        assert!(lines[3].ends_with("x... (700 characters)"), "{}", lines[3]);
    }
}
