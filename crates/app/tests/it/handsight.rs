//! Starts the binary the way a test needs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// How long a command may take that talks to nobody. Generous: the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// The binary with a home of its own.
pub(crate) struct Handsight {
    home: TempDir,
    environment: Vec<(String, String)>,
}

/// How a command ended and what it said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Handsight {
    pub(crate) fn new() -> Self {
        let home = TempDir::new().unwrap();
        let environment = vec![("HOME".to_owned(), home.path().display().to_string())];
        Self { home, environment }
    }

    /// Sets a variable for every command that follows.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Its home, which is also where it runs.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Writes a file of the person's own into the config folder.
    pub(crate) fn config(&self, name: &str, text: &str) -> PathBuf {
        let path = self.home().join(".config/handsight").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A command that nobody started yet, with this home and nothing of ours in its environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_handsight"));
        command.args(args).env_clear().current_dir(self.home()).stdin(Stdio::null());
        command.envs(self.environment.iter().map(|(n, v)| (n, v)));
        command
    }

    /// Runs a command to its end.
    #[track_caller]
    pub(crate) fn run(&self, args: &[&str]) -> Said {
        run(self.command(args), PATIENCE)
    }
}

/// Runs a command to its end, at most `deadline`, with its output gathered.
#[track_caller]
pub(crate) fn run(mut command: Command, deadline: Duration) -> Said {
    let folder = TempDir::new().unwrap();
    let file = |name: &str| std::fs::File::create(folder.path().join(name)).unwrap();
    // Files rather than pipes: a supervisor that outlives the engine for a moment may hold a pipe open.
    command.stdout(file("stdout")).stderr(file("stderr"));
    let mut program = handsight_testkit::program::Program::start(&mut command);
    let status = program.wait(deadline);
    let text =
        |name: &str| String::from_utf8_lossy(&std::fs::read(folder.path().join(name)).unwrap()).into_owned();
    let code = status.code().unwrap_or_else(|| panic!("ended by a signal: {status}\n{}", text("stderr")));
    Said { code, stdout: text("stdout"), stderr: text("stderr") }
}

impl Said {
    /// Ended with this code.
    #[track_caller]
    pub(crate) fn ended(&self, code: i32) -> &Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// Said this on stderr.
    #[track_caller]
    pub(crate) fn told(&self, words: &str) -> &Self {
        assert!(self.stderr.contains(words), "{words:?} was not said: {self:#?}");
        self
    }

    /// The last line of stdout as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        let last = self.stdout.lines().last().unwrap_or_default();
        serde_json::from_str(last).unwrap_or_else(|e| panic!("the last line is no JSON ({e}): {self:#?}"))
    }
}
