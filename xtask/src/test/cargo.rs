//! Runs cargo, with nextest when it is there and with libtest alone when it is not: same tests, same count.
//!
//! nextest gives every test its own process and a time limit (`.config/nextest.toml`); libtest has no time limit.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use super::count::{Libtest, junit};
use super::{Count, Group};
use crate::windows::{self, Std};
use crate::workspace::Workspace;

/// Stands in arguments for [`Cargo::whose`].
const WHOSE: &str = "--workspace";

#[derive(Clone)]
pub(super) struct Cargo {
    root: PathBuf,
    pub(super) ci: bool,
    long: bool,
    nextest: bool,
    /// Whose tests: all of the workspace's, or some packages' built for Windows.
    whose: Vec<OsString>,
    windows: Option<Std>,
    /// Set for cargo and the tests, whatever the person has set.
    env: Vec<(OsString, OsString)>,
    built: Option<bool>,
    /// Where what is said goes while another run has the terminal, and the profile with a report of its own.
    said: Option<(PathBuf, &'static str)>,
    /// Takes only the time nobody else wants.
    gives_way: bool,
    /// Names of all integration tests, once they were asked for (libtest only).
    listed: Option<BTreeSet<String>>,
}

impl Cargo {
    pub(super) fn new(workspace: &Workspace, ci: bool, long: bool) -> Self {
        let mut cargo = Self {
            root: workspace.root.clone(),
            ci,
            long,
            nextest: false,
            whose: vec![WHOSE.into()],
            windows: None,
            env: Vec::new(),
            built: None,
            said: None,
            gives_way: false,
            listed: None,
        };
        // HANDSIGHT_XTASK_LIBTEST=1 takes the way without nextest, to try it where nextest is installed.
        let forced = std::env::var("HANDSIGHT_XTASK_LIBTEST").is_ok_and(|value| value == "1");
        cargo.nextest = !forced && cargo.has("nextest");
        cargo
    }

    /// The same for the Windows tests of some packages.
    pub(super) fn for_windows(&self, workspace: &Workspace, std: Std, packages: &[&str]) -> Self {
        let mut whose = windows::target_args(workspace);
        for package in packages {
            whose.extend(["--package".into(), OsString::from(package)]);
        }
        Self { whose, windows: Some(std), built: None, listed: None, ..self.clone() }
    }

    /// The same with more in the environment.
    pub(super) fn with(&self, env: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut cargo = self.clone();
        cargo.env.extend(env);
        cargo
    }

    /// The same with this in the environment, unless it was given another already.
    pub(super) fn with_default(&self, name: &str, value: impl Into<OsString>) -> Self {
        let mut cargo = self.clone();
        cargo.env.insert(0, (name.into(), value.into()));
        cargo
    }

    /// The same beside another run: with the report of a nextest profile of its own, and what is said kept in a file.
    pub(super) fn beside(&self, said: PathBuf, profile: &'static str) -> Self {
        Self { said: Some((said, profile)), ..self.clone() }
    }

    /// The same at the lowest priority, with what is said kept in a file. It runs no tests.
    pub(super) fn giving_way(&self, said: PathBuf) -> Self {
        Self { gives_way: true, ..self.beside(said, "") }
    }

    /// fmt and clippy: components a toolchain may lack.
    pub(super) fn tool(&self, component: &str, args: &[&str]) -> Result<Count> {
        if self.has(args[0]) {
            return Ok(passed_if(self.run(args)?));
        }
        println!("missing: cargo {}   rustup component add {component}", args[0]);
        Ok(if self.ci { Count::FAILED } else { Count::SKIPPED })
    }

    pub(super) fn build(&mut self) -> Result<Count> {
        // In one go with the Windows programs that tests on this side start: by themselves, some packages would have fewer features
        // and most of it would be compiled again.
        let tests: &[&str] = if self.windows.is_some() {
            &["build", WHOSE, "--bins", "--tests"]
        } else {
            &["test", WHOSE, "--no-run"]
        };
        let built = self.run(tests)?;
        self.built = Some(built);
        Ok(passed_if(built))
    }

    pub(super) fn tests(&mut self, group: Option<Group>) -> Result<Count> {
        if self.built == Some(false) {
            bail!("not run: the tests do not compile");
        }
        if self.nextest { self.nextest(group) } else { self.libtest(group) }
    }

    pub(super) fn doc_tests(&self) -> Result<Count> {
        self.counted(&["test", WHOSE, "--doc", "--", "--show-output"])
    }

    fn nextest(&self, group: Option<Group>) -> Result<Count> {
        let profile = match (self.long, &self.said) {
            (false, None) => "default".to_owned(),
            (true, None) => "long".to_owned(),
            (false, Some((_, profile))) => (*profile).to_owned(),
            (true, Some((_, profile))) => format!("{profile}-long"),
        };
        let report = self.root.join("target/nextest").join(&profile).join("junit.xml");
        // A report of an earlier run must not be taken for this one's.
        match fs::remove_file(&report) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("{} cannot be removed", report.display()));
            }
            _ => {}
        }
        let filter = Group::filter(group);
        // One more than cores: most tests wait now and then. What must not have company says so in the configuration.
        let threads = (std::thread::available_parallelism().map_or(2, usize::from) + 1).to_string();
        let args = ["nextest", "run", WHOSE, "--no-tests", "pass", "--profile", &profile];
        let success = self.run(&[&args[..], &["--test-threads", &threads, "-E", &filter]].concat())?;
        // Without a test there is no report.
        let xml = fs::read_to_string(&report).unwrap_or_default();
        let report = junit(&xml, success);
        for skip in &report.skips {
            self.say(skip)?;
        }
        for name in &report.again {
            self.say(&format!("SECOND ATTEMPT {name}: it failed once, see above"))?;
        }
        let slowest: Vec<_> =
            report.slowest.iter().map(|(seconds, name)| format!("{name} {seconds:.0} s")).collect();
        self.say(&format!("   slowest: {}", slowest.join(", ")))?;
        Ok(report.count)
    }

    fn libtest(&mut self, group: Option<Group>) -> Result<Count> {
        let mut count = Count::default();
        if group.is_none() {
            count +=
                self.counted(&["test", WHOSE, "--no-fail-fast", "--lib", "--bins", "--", "--show-output"])?;
        }
        // Every binary gets all names of the group: a name says its group, so none can run in two tiers.
        let names: Vec<String> =
            self.integration_tests()?.iter().filter(|name| Group::of(name) == group).cloned().collect();
        if names.is_empty() {
            return Ok(count);
        }
        let mut args = vec!["test", WHOSE, "--no-fail-fast", "--test", "*", "--", "--exact", "--show-output"];
        if group.is_some_and(Group::is_serial) {
            args.push("--test-threads=1");
        }
        args.extend(names.iter().map(String::as_str));
        count += self.counted(&args)?;
        Ok(count)
    }

    fn integration_tests(&mut self) -> Result<&BTreeSet<String>> {
        if self.listed.is_none() {
            let crates = fs::read_dir(self.root.join("crates"))?.filter_map(Result::ok);
            let mut names = BTreeSet::new();
            if crates.into_iter().any(|entry| entry.path().join("tests").is_dir()) {
                let args = ["test", WHOSE, "--quiet", "--test", "*", "--", "--list", "--format", "terse"];
                let output =
                    self.command(&args).stderr(Stdio::inherit()).output().context("cargo cannot be run")?;
                if !output.status.success() {
                    bail!("the integration tests cannot be listed");
                }
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                names.extend(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned));
            }
            self.listed = Some(names);
        }
        self.listed.as_ref().context("no list")
    }

    /// Runs libtest binaries, shows what a person wants to see and counts.
    pub(super) fn counted(&self, args: &[&str]) -> Result<Count> {
        let mut child = self.command(args).stdout(Stdio::piped()).spawn().context("cargo cannot be run")?;
        let mut libtest = Libtest::default();
        let stdout = child.stdout.take().context("cargo has no stdout")?;
        for line in BufReader::new(stdout).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            if libtest.line(&line) {
                println!("{line}");
            }
        }
        Ok(libtest.finish(child.wait()?.success()))
    }

    fn has(&self, subcommand: &str) -> bool {
        let asked =
            self.command(&[subcommand, "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    }

    /// A line to where all of it goes.
    fn say(&self, line: &str) -> Result<()> {
        match self.log()? {
            Some(mut file) => writeln!(file, "{line}").context("a log cannot be written"),
            None => {
                println!("{line}");
                Ok(())
            }
        }
    }

    /// Where what is said is kept, if the terminal is another's.
    fn log(&self) -> Result<Option<fs::File>> {
        let open = |(said, _): &(PathBuf, &'static str)| {
            let file = fs::File::options().create(true).append(true).open(said);
            file.with_context(|| format!("{} cannot be written", said.display()))
        };
        self.said.as_ref().map(open).transpose()
    }

    pub(super) fn run(&self, args: &[&str]) -> Result<bool> {
        let mut command = self.command(args);
        if let Some(file) = self.log()? {
            command.stdout(file.try_clone()?).stderr(file);
        }
        Ok(command.status().context("cargo cannot be run")?.success())
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.windows.map_or_else(|| Command::new("cargo"), Std::cargo);
        if self.gives_way {
            command = niced(&command);
        }
        command.current_dir(&self.root).stdin(Stdio::null());
        for arg in args {
            if *arg == WHOSE {
                command.args(&self.whose)
            } else {
                command.arg(arg)
            };
        }
        for (name, _) in std::env::vars_os() {
            if must_not_pass(&name.to_string_lossy()) {
                command.env_remove(name);
            }
        }
        command.env("INSTA_UPDATE", "no").envs(self.env.iter().map(|(name, value)| (name, value)));
        if self.long {
            command.env("HANDSIGHT_LONG", "1");
        }
        command
    }
}

/// The same program with the same environment at the lowest priority.
fn niced(command: &Command) -> Command {
    let mut niced = Command::new("nice");
    niced.args(["-n", "19"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => niced.env(name, value),
            None => niced.env_remove(name),
        };
    }
    niced
}

/// What the person's shell has and a test must not see: the display (a test would move the person's mouse), keys,
/// settings. And what `cargo run` told xtask about itself: build scripts that watch it would run again.
fn must_not_pass(name: &str) -> bool {
    matches!(name, "DISPLAY" | "WAYLAND_DISPLAY" | "XAUTHORITY" | "CARGO_BIN_NAME" | "CARGO_CRATE_NAME")
        || ["HANDSIGHT_", "CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|prefix| name.starts_with(prefix))
        || name.ends_with("_API_KEY")
}

fn passed_if(success: bool) -> Count {
    if success { Count::PASSED } else { Count::FAILED }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_see_neither_the_display_nor_keys_nor_settings() {
        for name in
            ["DISPLAY", "WAYLAND_DISPLAY", "OPENAI_API_KEY", "HANDSIGHT_ACT__HOLD_MS", "CARGO_PKG_NAME"]
        {
            assert!(must_not_pass(name), "{name}");
        }
        for name in ["PATH", "HOME", "CI", "CARGO_HOME", "CARGO_TARGET_DIR", "RUSTUP_TOOLCHAIN"] {
            assert!(!must_not_pass(name), "{name}");
        }
    }
}
