//! A provider's question at a real terminal: what the person reads, which word agrees, and that nothing else does.
#![expect(clippy::disallowed_methods, reason = "real programs live in real time")]

use crate::handsight::Handsight;
use handsight_testkit::chat::{Api, Reply, Rules, Server};
use handsight_testkit::wait;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A program at a terminal of its own.
struct AtTerminal {
    child: Child,
    keys: File,
    screen: Arc<Mutex<String>>,
    stdout: std::path::PathBuf,
}

impl AtTerminal {
    /// Starts the command of a run with this terminal for its stdin, its stderr and its signals.
    fn start(handsight: &Handsight, args: &[&str]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let slave = || {
            let mut options = File::options();
            options.read(true).write(true).custom_flags(libc::O_NOCTTY);
            options.open(name.to_str().unwrap()).unwrap()
        };
        let stdout = handsight.home().join("stdout");
        let plain = handsight.command(args);
        // It makes the terminal that of a new session, as a terminal window does for its shell.
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait"]).arg(plain.get_program()).args(plain.get_args());
        command.env_clear().envs(plain.get_envs().filter_map(|(n, v)| Some((n, v?))));
        command.env("PATH", "/usr/bin:/bin").current_dir(handsight.home());
        command.stdin(slave()).stderr(slave()).stdout(File::create(&stdout).unwrap());
        let child = command.spawn().unwrap();
        let master = File::from(master);
        let (mut reader, screen) = (master.try_clone().unwrap(), Arc::new(Mutex::new(String::new())));
        let shown = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut bytes) {
                shown.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..n]));
            }
        });
        Self { child, keys: master, screen, stdout }
    }

    fn types(&mut self, text: &str) {
        self.keys.write_all(text.as_bytes()).unwrap();
    }

    fn screen(&self) -> String {
        self.screen.lock().unwrap().clone()
    }

    #[track_caller]
    fn shows(&self, words: &str, times: usize) {
        let shown = || (self.screen().matches(words).count() >= times).then_some(());
        if wait::before(wait::PATIENCE * 2, shown).is_none() {
            panic!("{words:?} was not shown {times} times:\n{}", self.screen());
        }
    }

    /// Waits for the end; the document of `--json`.
    #[track_caller]
    fn ended(mut self, code: i32) -> (Value, String) {
        let ended = wait::until("the run ends", wait::PATIENCE * 3, || self.child.try_wait().unwrap());
        let stdout = std::fs::read_to_string(&self.stdout).unwrap();
        assert_eq!(ended.code(), Some(code), "{stdout}\n{}", self.screen());
        (serde_json::from_str(stdout.lines().last().unwrap()).unwrap(), self.screen())
    }
}

impl Drop for AtTerminal {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _status = self.child.wait();
    }
}

const PROMPT: &str = "Type yes and Enter";

/// A click that Gemini wants a person to agree to.
fn doubted() -> Reply {
    let decision =
        json!({"decision": "require_confirmation", "explanation": "A cookie banner.\nIt is safe."});
    let args = json!({"x": 500, "y": 500, "reason": "go on", "safety_decision": decision});
    Reply::call("click", args)
}

fn done() -> Reply {
    Reply::call("done", json!({"reason": "over"}))
}

fn server(replies: impl IntoIterator<Item = Reply>) -> Server {
    Server::scripted_with(Rules { api: Api::Gemini, ..Rules::default() }, replies)
}

/// A home with a provider that speaks Gemini's API.
fn home() -> Handsight {
    let handsight = Handsight::new();
    let text = "about = \"a\"\nwire = \"gemini\"\ndialect = \"tools\"\n[[model]]\nnames = [\"*\"]\n";
    handsight.config("providers/g.toml", text);
    handsight
}

fn args<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let desk = "world:desk,seed=1,size=640x400";
    let args = ["run", "x", "--json", "--desktop", desk, "--model", "g/test-model", "--base-url", url];
    [&args[..], more].concat()
}

#[test]
fn a_yes_at_the_terminal_lets_the_call_run_and_every_other_word_does_not() {
    for (typed, actions, said) in
        [("yes\n", 1, "a person agreed"), ("y\n", 0, "did not agree"), ("\n", 0, "did not agree")]
    {
        let (handsight, server) = (home(), server([doubted(), done()]));
        let url = server.base_url();
        let mut run = AtTerminal::start(&handsight, &args(&url, &[]));
        run.shows(PROMPT, 1);
        run.types(typed);
        let (document, screen) = run.ended(0);
        assert_eq!(document["actions"], actions, "{typed:?}\n{screen}");
        for words in [
            "g/test-model wants a person to agree first",
            "it says (require_confirmation): A cookie banner. It is safe.",
            "it would: click {",
            "it would: click left at (",
            said,
        ] {
            assert!(screen.contains(words), "{words:?} is not in\n{screen}");
        }
    }
}

#[test]
fn what_is_typed_before_or_too_late_answers_nothing() {
    let (handsight, server) = (
        home(),
        server([
            doubted().later(Duration::from_millis(800)),
            doubted().later(Duration::from_millis(1200)),
            done(),
        ]),
    );
    let url = server.base_url();
    let mut run = AtTerminal::start(&handsight, &args(&url, &["--set", "decide.confirm_s=1"]));
    run.types("yes\nyes\nye");
    run.shows(PROMPT, 1);
    run.shows("nobody answered in time", 1);
    run.types("yes\n");
    run.shows("nobody answered in time", 2);
    let (document, screen) = run.ended(0);
    assert_eq!(document["actions"], 0, "{screen}");
}

/// A pipe that says yes all the time is no person, and neither is a file; nobody is waited for.
#[test]
fn without_a_terminal_nothing_of_it_is_done() {
    for piped in [false, true] {
        let (handsight, server) = (home(), server([doubted(), done()]));
        let url = server.base_url();
        let mut command = handsight.command(&args(&url, &[]));
        if piped {
            let file = handsight.home().join("yes");
            std::fs::write(&file, "yes\n".repeat(100)).unwrap();
            command.stdin(Stdio::from(File::open(file).unwrap()));
        }
        let said = crate::handsight::run(command, wait::PATIENCE * 2);
        said.ended(0).told("there was nobody to ask");
        assert_eq!(said.json()["actions"], 0, "{said:?}");
    }
}

/// The control: a call that is in no doubt is asked about nobody.
#[test]
fn a_call_without_a_question_needs_no_terminal() {
    let call = Reply::call("click", json!({"x": 500, "y": 500, "reason": "go on"}));
    let (handsight, server) = (home(), server([call, done()]));
    let url = server.base_url();
    let said = handsight.run(&args(&url, &[]));
    assert_eq!(said.ended(0).json()["actions"], 1, "{said:?}");
}

/// Ctrl-C at the question is a stop as everywhere, and leaves nothing done.
#[test]
fn a_stop_at_the_question_ends_the_run() {
    let (handsight, server) = (home(), server([doubted(), done()]));
    let url = server.base_url();
    let mut run = AtTerminal::start(&handsight, &args(&url, &[]));
    run.shows(PROMPT, 1);
    run.types("\u{3}");
    let (document, _) = run.ended(130);
    assert_eq!((&document["outcome"], &document["actions"]), (&json!("stopped"), &json!(0)));
}
