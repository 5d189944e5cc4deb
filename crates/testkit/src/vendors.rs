//! The vendors' own packages: types to hold requests against, replies to read, and a server that nobody here wrote.
//!
//! They are Python's, installed by `cargo xtask vendors` below the target folder and never from here. The scripts in
//! `vendors/` say in one line of JSON each what they found; what it means is for the test to say.

#![expect(clippy::print_stderr, reason = "a skipped test must say so where the person looks")]
#![expect(
    clippy::disallowed_methods,
    reason = "CI and the place of the test itself are what this file is about"
)]

use crate::program::Program;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The Python that has the packages. Without it panics when `CI=true`, or prints a `SKIPPED` line and returns `None`.
///
/// # Panics
/// When it is missing and `CI=true`.
pub fn need() -> Option<Vendors> {
    let test = std::env::current_exe().expect("a test has a file");
    let python = test.ancestors().map(|dir| dir.join("vendors/bin/python")).find(|file| file.exists());
    if let Some(python) = python {
        return Some(Vendors { python });
    }
    let thread = std::thread::current();
    let line = format!(
        "SKIPPED {}: needs the vendors' packages (cargo xtask vendors)",
        thread.name().unwrap_or("a test")
    );
    assert!(std::env::var_os("CI").is_none_or(|v| v != "true"), "{line}");
    eprintln!("{line}");
    None
}

pub struct Vendors {
    python: PathBuf,
}

/// A request that is not of its vendor's type.
#[derive(Debug)]
pub struct Refused {
    /// Which of those asked about, from 0.
    pub index: usize,
    pub why: String,
}

/// The server, until this is dropped.
pub struct LlamaServer {
    /// Such as `http://127.0.0.1:41233`.
    pub url: String,
    log: PathBuf,
    _program: Program,
    _folder: tempfile::TempDir,
}

impl Vendors {
    fn command(&self, script: &str) -> Command {
        let mut command = Command::new(&self.python);
        command
            .arg("-W")
            .arg("ignore")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("vendors").join(script));
        // No bytecode beside the sources.
        command.env_clear().env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    /// Those of the bodies that are not of their vendor's type. The first of each pair is the wire, or `messages-beta`.
    ///
    /// # Panics
    /// When the script does not look at each of them.
    pub fn refused(&self, bodies: &[(&str, Vec<u8>)]) -> Vec<Refused> {
        let mut asked = tempfile::tempfile().expect("a file");
        let mut lines = Vec::new();
        for (wire, body) in bodies {
            for part in [wire.as_bytes(), b"\t", body, b"\n"] {
                lines.extend_from_slice(part);
            }
        }
        asked.write_all(&lines).expect("a file can be written");
        std::io::Seek::rewind(&mut asked).expect("a file can be read from its start");
        let mut said = lines_of(self.command("validate.py").stdin(asked));
        let last = said.pop().expect("a last line");
        assert_eq!(last["checked"], bodies.len(), "{last}");
        let text = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
        let index = |line: &Value| usize::try_from(line["line"].as_u64().expect("a number")).expect("small");
        said.iter().map(|line| Refused { index: index(line), why: text(line, "why") }).collect()
    }

    /// Replies made of the vendors' classes, eight of each round: `{"wire", "streamed", "body", "want"}`.
    pub fn replies(&self, rounds: u32) -> Vec<Value> {
        lines_of(self.command("replies.py").arg(rounds.to_string()))
    }

    /// llama.cpp's server with a model of no wit.
    ///
    /// # Panics
    /// When it does not start.
    pub fn llama_server(&self) -> LlamaServer {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("server.log");
        let mut command = self.command("server.py");
        command.arg(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(File::create(&log).expect("a file"));
        let mut program = Program::start(&mut command);
        let mut line = String::new();
        let said = program.child().stdout.take().expect("a pipe");
        BufReader::new(said).read_line(&mut line).expect("a line");
        let said: Value = serde_json::from_str(&line).unwrap_or_default();
        let url = said["url"].as_str().unwrap_or_else(|| panic!("no server: {}", read(&log))).to_owned();
        LlamaServer { url, log, _program: program, _folder: folder }
    }
}

impl LlamaServer {
    /// What it has said of itself so far.
    pub fn log(&self) -> String {
        read(&self.log)
    }
}

fn read(log: &Path) -> String {
    std::fs::read_to_string(log).unwrap_or_default()
}

fn lines_of(command: &mut Command) -> Vec<Value> {
    let output = command.output().expect("python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}
