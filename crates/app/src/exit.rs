//! How the process ends: every exit code, what it means, and the one mapping from errors to codes and remedies.
//!
//! Scripts rely on these numbers, so a variant never changes its own. Nothing else in the program decides on a code, and
//! nothing but [`on_panic`] and the second Ctrl-C (`signals.rs`) ends the process before `main` returns.

use crate::say;
use clap::error::ErrorKind;
use handsight_agent::ending::{Interruption, Outcome};
use handsight_agent::profile::ProfileError;
use handsight_agent::tools::NoSuchTool;
use handsight_base::key::KeyError;
use handsight_base::port::desktop::{DesktopError, DesktopFault};
use handsight_base::port::model::ModelError;
use handsight_base::stop::StopReason;
use handsight_lab::kept::KeptError;
use handsight_lab::suite::SuiteError;
use handsight_model::SetupError;
use handsight_model::scripted::ScriptError;
use handsight_store::StoreError;
use std::process::ExitCode;

/// An exit code of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Exit {
    /// Done, and no checker said otherwise.
    Done = 0,
    /// Done, but the checker said no; or a question stayed unanswered.
    NotVerified = 1,
    Usage = 2,
    TargetAbsent = 3,
    TargetLost = 4,
    DesktopLost = 5,
    Model = 6,
    Storage = 7,
    Limit = 8,
    Refused = 9,
    Panic = 70,
    Interrupted = 130,
    Terminated = 143,
}

impl Exit {
    /// Help, docs and tests iterate over this.
    pub(crate) const ALL: [Self; 13] = [
        Self::Done,
        Self::NotVerified,
        Self::Usage,
        Self::TargetAbsent,
        Self::TargetLost,
        Self::DesktopLost,
        Self::Model,
        Self::Storage,
        Self::Limit,
        Self::Refused,
        Self::Panic,
        Self::Interrupted,
        Self::Terminated,
    ];

    pub(crate) const fn code(self) -> u8 {
        self as u8
    }

    pub(crate) const fn about(self) -> &'static str {
        match self {
            Self::Done => "done, and not found false by a checker",
            Self::NotVerified => "done but the checker said no, or a question stayed unanswered",
            Self::Usage => "the command line or a setting is wrong",
            Self::TargetAbsent => "the window or display to work on is not there",
            Self::TargetLost => "the window to work on went away during the run",
            Self::DesktopLost => "no usable desktop, or it was lost",
            Self::Model => "the model could not be reached, or its replies could not be used",
            Self::Storage => "the run could not be kept or read: disk full, read-only, damaged, in use",
            Self::Limit => "a limit ended the run: turns, time, cost, or a loop without effect",
            Self::Refused => "the policy refused, or a person did",
            Self::Panic => "an error in handsight itself; keys are released, the run can be resumed",
            Self::Interrupted => "stopped by Ctrl-C, the stop chord or `quit`",
            Self::Terminated => "stopped by SIGTERM",
        }
    }

    pub(crate) const fn of_stop(reason: StopReason) -> Self {
        match reason {
            StopReason::Interrupt | StopReason::Chord | StopReason::Person => Self::Interrupted,
            StopReason::Terminate => Self::Terminated,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// The codes as the help shows them.
pub(crate) fn table() -> String {
    let rows: Vec<String> = Exit::ALL.iter().map(|e| format!("  {:>3}  {}", e.code(), e.about())).collect();
    format!("Exit codes:\n{}", rows.join("\n"))
}

/// An error that only the command line can cause, with the code it ends in and the remedy.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(crate) struct Failure {
    exit: Exit,
    what: String,
    hint: String,
}

impl Failure {
    pub(crate) fn new(exit: Exit, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { exit, what: what.into(), hint: hint.into() }
    }

    /// The person stopped it before there was a run.
    pub(crate) fn stopped(reason: StopReason) -> Self {
        Self::new(Exit::of_stop(reason), "stopped", "")
    }

    pub(crate) fn hint(&self) -> &str {
        &self.hint
    }

    pub(crate) fn usage(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Exit::Usage, what, hint)
    }
}

/// Says what went wrong, and what to do, on stderr; gives the code to end with.
pub(crate) fn report(error: &anyhow::Error) -> Exit {
    let (exit, hint) = of_error(error);
    if exit != Exit::Interrupted && exit != Exit::Terminated {
        say::error(&chain(error));
        if !hint.is_empty() {
            say::note(&format!("  {hint}"));
        }
    }
    exit
}

/// The causes in one line, each once: a library's message often holds that of its source already.
fn chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

/// The first cause that knows its code decides.
pub(crate) fn of_error(error: &anyhow::Error) -> (Exit, String) {
    for cause in error.chain() {
        if let Some(failure) = cause.downcast_ref::<Failure>() {
            return (failure.exit, failure.hint.clone());
        }
        if let Some(desktop) = cause.downcast_ref::<DesktopError>() {
            return of_desktop(desktop);
        }
        if let Some(model) = cause.downcast_ref::<ModelError>() {
            return of_model(model);
        }
        if let Some(profile) = cause.downcast_ref::<ProfileError>() {
            return of_profile(profile);
        }
        if let Some(SetupError::NoKey(model)) = cause.downcast_ref::<SetupError>() {
            return of_model(model);
        }
        if cause.is::<SetupError>() || cause.is::<ScriptError>() {
            return (Exit::Usage, "`handsight models` lists the providers.".to_owned());
        }
        if cause.is::<SuiteError>() {
            return (Exit::Usage, "docs/eval.md says what a suite is made of.".to_owned());
        }
        if let Some(kept) = cause.downcast_ref::<KeptError>() {
            return of_kept(kept);
        }
        if cause.is::<NoSuchTool>() || cause.is::<KeyError>() {
            return (Exit::Usage, "`handsight profiles show` shows the settings.".to_owned());
        }
        // Their own texts name the remedy.
        if cause.is::<StoreError>() {
            return (Exit::Storage, String::new());
        }
        if let Some(interruption) = cause.downcast_ref::<Interruption>() {
            return (of_outcome(interruption.outcome(), None), String::new());
        }
    }
    (Exit::Storage, String::new())
}

/// How a run ended.
pub(crate) const fn of_outcome(outcome: Outcome, verified: Option<bool>) -> Exit {
    match (outcome, verified) {
        (Outcome::Done, Some(false)) => Exit::NotVerified,
        (Outcome::Done, Some(true) | None) => Exit::Done,
        (Outcome::TurnLimit | Outcome::TimeLimit | Outcome::CostLimit | Outcome::Loop, _) => Exit::Limit,
        (Outcome::ModelFailed | Outcome::Malformed, _) => Exit::Model,
        (Outcome::Refused, _) => Exit::Refused,
        (Outcome::TargetLost, _) => Exit::TargetLost,
        (Outcome::DesktopLost, _) => Exit::DesktopLost,
        (Outcome::Storage, _) => Exit::Storage,
        (Outcome::Stopped(reason), _) => Exit::of_stop(reason),
    }
}

/// A desktop error before the first turn; during a run the episode's outcome decides.
fn of_desktop(error: &DesktopError) -> (Exit, String) {
    let exit = match error {
        DesktopError::NoSuchWindow { .. } | DesktopError::NoSuchDisplay { .. } => Exit::TargetAbsent,
        DesktopError::Unsupported { .. } => Exit::Usage,
        DesktopError::Stopped => Exit::Interrupted,
        _ if error.fault() == DesktopFault::Target => Exit::TargetAbsent,
        _ => Exit::DesktopLost,
    };
    let hint = match error {
        DesktopError::NoSuchWindow { .. } => "`handsight window status` lists the windows there are.",
        DesktopError::NoSuchDisplay { .. } => "`--display all` takes every display.",
        DesktopError::Deadline { .. } | DesktopError::Lost { .. } if cfg!(windows) => {
            "Is somebody logged in and the screen unlocked? `handsight doctor` looks."
        }
        DesktopError::Deadline { .. } | DesktopError::Lost { .. } => {
            "Is the X or VNC server alive, and does another program hold it? `handsight doctor` looks."
        }
        _ => "",
    };
    (exit, hint.to_owned())
}

fn of_model(error: &ModelError) -> (Exit, String) {
    let (exit, hint) = match error {
        ModelError::NoKey { .. } => (Exit::Usage, "`handsight models` shows which key each provider wants."),
        ModelError::CostLimit { .. } => (Exit::Limit, "A higher --max-cost goes on with --resume."),
        ModelError::Unrecorded { .. } => (Exit::Storage, ""),
        ModelError::Stopped => (Exit::Interrupted, ""),
        ModelError::Http { .. }
        | ModelError::Network { .. }
        | ModelError::Deadline { .. }
        | ModelError::Malformed { .. }
        | ModelError::TooLong { .. }
        | ModelError::PictureTooLarge { .. }
        | ModelError::PictureUnfit { .. }
        | ModelError::RequestTooLarge { .. }
        | ModelError::ContextTooLarge { .. }
        | ModelError::RecordingEnds { .. } => (Exit::Model, "`handsight doctor` checks the model service."),
    };
    (exit, hint.to_owned())
}

fn of_kept(error: &KeptError) -> (Exit, String) {
    let (exit, hint) = match error {
        KeptError::Another { .. } => (Exit::Usage, "Go on with the same suite, profile, model and seeds."),
        KeptError::NoHeader { .. } => (Exit::Usage, "--resume takes the folder of an evaluation."),
        KeptError::File { why, .. } if why.kind() == std::io::ErrorKind::NotFound => {
            (Exit::Usage, "--resume takes the folder of an evaluation.")
        }
        KeptError::File { .. } => (Exit::Storage, ""),
    };
    (exit, hint.to_owned())
}

fn of_profile(error: &ProfileError) -> (Exit, String) {
    let hint = match error {
        ProfileError::UnknownProfile { .. } => "`handsight profiles` lists them.",
        ProfileError::Bad { .. } | ProfileError::Value { .. } => {
            "`handsight profiles show NAME` shows every setting."
        }
    };
    (Exit::Usage, hint.to_owned())
}

/// What clap has to say: help and version on stdout, everything else on stderr with code 2.
pub(crate) fn of_usage(error: &clap::Error) -> Exit {
    // A closed stdout or stderr is nobody's error.
    let _closed = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Done,
        _ => Exit::Usage,
    }
}

/// A panic of the main thread ends the process at once with 70, before anything unwinds: every pipe closes, the hands see that
/// and release what they hold, and the journal is at its last synced row. A panic of another thread is that thread's answer to
/// whoever waits for it.
#[expect(
    clippy::exit,
    reason = "after a panic nothing of this process is to be trusted, its destructors neither"
)]
pub(crate) fn on_panic() {
    let main = std::thread::current().id();
    std::panic::set_hook(Box::new(move |panic| {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("unnamed");
        let what = panic
            .payload()
            .downcast_ref::<&str>()
            .map(|s| (*s).to_owned())
            .or_else(|| panic.payload().downcast_ref::<String>().cloned())
            .unwrap_or_default();
        let place = panic.location().map(|l| format!(" at {}:{}", l.file(), l.line())).unwrap_or_default();
        say::error(&format!("an error in handsight itself, thread {name}{place}: {what}"));
        if thread.id() == main {
            say::note("  Keys are released. Go on with `handsight run --resume RUN`.");
            std::process::exit(i32::from(Exit::Panic.code()));
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context as _;

    #[test]
    fn the_list_is_whole_and_in_order() {
        let codes: Vec<u8> = Exit::ALL.iter().map(|e| e.code()).collect();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 70, 130, 143]);
    }

    #[test]
    fn the_cause_decides_whatever_was_put_around_it() {
        let of = |error: anyhow::Error| of_error(&error.context("outer")).0;
        let lost = DesktopError::Lost { why: "gone".into() };
        assert_eq!(of(lost.into()), Exit::DesktopLost);
        let window = DesktopError::NoSuchWindow { query: "title".into(), candidates: vec![] };
        assert_eq!(of(window.into()), Exit::TargetAbsent);
        let key = ModelError::NoKey { provider: "openai".into(), variable: "OPENAI_API_KEY".into() };
        assert_eq!(of(key.into()), Exit::Usage);
        let down = ModelError::TooLong { provider: "x".into(), limit: 1 };
        assert_eq!(of(down.into()), Exit::Model);
        assert_eq!(of(Failure::new(Exit::Refused, "no", "").into()), Exit::Refused);
        assert_eq!(of(anyhow::anyhow!("the disk is full")), Exit::Storage);
    }

    /// Runs this test again in a process of its own, where it panics.
    #[test]
    fn a_panic_of_the_main_thread_ends_with_70_and_says_how_to_go_on() {
        const AGAIN: &str = "HANDSIGHT_TEST_PANICS";
        let environment = crate::environment::Environment::read();
        if environment.all().any(|(name, _)| name == AGAIN) {
            on_panic();
            panic!("on purpose");
        }
        let test = "exit::tests::a_panic_of_the_main_thread_ends_with_70_and_says_how_to_go_on";
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args([test, "--exact", "--nocapture"])
            .env(AGAIN, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(70), "{said}");
        assert!(said.contains("on purpose") && said.contains("--resume RUN"), "{said}");
    }

    #[test]
    fn a_cause_is_said_once() {
        let inner = std::io::Error::other("no space");
        let error = Err::<(), _>(inner).context("run.db: no space").context("outer").unwrap_err();
        assert_eq!(chain(&error), "outer: run.db: no space");
    }
}
