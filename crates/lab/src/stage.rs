//! The stage of a case on a real desktop: its files, its programs started fresh, and their certain end.
//!
//! Each attempt has a home folder of its own, so that no program remembers an earlier one. Whatever the programs started in turn is
//! ended with them ([`kin`]): what one attempt leaves on the clipboard or the screen must not help the next.
//! Nothing here moves the hands, and no program is started that the case does not name.

mod kin;

use crate::check::{self, window};
use crate::suite::{ProgramsStart, at_home};
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::{Desktop, Window, WindowId};
use handsight_base::stop::Stop;
use kin::Kin;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How long a program may take to show its window.
const WINDOW: Duration = Duration::from_secs(30);
/// How long it may take once the program has ended: one that puts itself into the background does.
const WINDOW_AFTER_END: Duration = Duration::from_secs(5);
/// How long the windows of ended programs may take to go.
const CLEARED: Duration = Duration::from_secs(5);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(50);
/// How long a command may take that is run to its end.
pub(crate) const COMMAND: Duration = Duration::from_secs(15);

/// Where programs are started.
#[derive(Debug, Clone, Default)]
pub struct Ground {
    /// A folder for this attempt; made, and removed in the end.
    pub place: PathBuf,
    /// Variables that programs get besides those of this process: the display.
    pub variables: Vec<(String, String)>,
    /// Variables that they do not get.
    pub withheld: Vec<String>,
}

/// Why a stage could not be set. Nobody was judged then.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    #[error("{} cannot be laid out: {why}", path.display())]
    File { path: PathBuf, why: std::io::Error },
    #[error("the command {} cannot be run before the start: {why}", argv.join(" "))]
    Before { argv: Vec<String>, why: String },
    #[error("the program {program} does not start: {why}")]
    Start { program: String, why: std::io::Error },
    #[error("the program {program} showed no window {title:?} within {} s{}", waited.as_secs(), .ended.map(|code| format!("; it ended with {code}")).unwrap_or_default())]
    NoWindow { program: String, title: String, waited: Duration, ended: Option<i32> },
    #[error("the windows cannot be seen: {why}")]
    Blind { why: String },
    #[error("stopped")]
    Stopped,
}

/// The programs of an attempt. Dropping it ends them.
#[derive(Debug)]
pub struct Stage {
    ground: Ground,
    home: PathBuf,
    programs: Vec<Started>,
    kin: Kin,
    /// What was on the screen before.
    before: Vec<WindowId>,
}

#[derive(Debug)]
struct Started {
    name: String,
    child: Child,
    stdout: PathBuf,
}

impl Stage {
    /// Lays out the files, starts the programs one after the other, and waits for the window of each.
    pub async fn set(
        start: &ProgramsStart,
        ground: Ground,
        eyes: &mut dyn Desktop,
        clock: &dyn Clock,
        stop: &Stop,
    ) -> Result<Self, StageError> {
        let blind = |e: handsight_base::port::desktop::DesktopError| StageError::Blind { why: e.to_string() };
        let before = eyes.windows().map_err(blind)?.into_iter().map(|w| w.id).collect();
        let mut stage = Self::empty(ground, before);
        stage.lay_out(&start.files)?;
        for argv in &start.before {
            let argv: Vec<String> = argv.iter().map(|word| stage.text(word)).collect();
            let done = stage.ask(&argv, COMMAND);
            done.map_err(|why| StageError::Before { argv, why })?;
        }
        for program in &start.programs {
            stage.start(&program.name, &program.run)?;
            let began = clock.now();
            loop {
                if stop.is_set() {
                    return Err(StageError::Stopped);
                }
                if let Some(shown) = window(eyes, &program.window).map_err(|why| StageError::Blind { why })?
                    && !stage.before.contains(&shown.id)
                {
                    break;
                }
                let waited = clock.now().saturating_sub(began);
                let ended = stage.look_at(&program.name).ok().and_then(|(code, _)| code);
                let most = if ended.is_some() { WINDOW_AFTER_END } else { WINDOW };
                if waited > most {
                    let (program, title) = (program.name.clone(), program.window.clone());
                    return Err(StageError::NoWindow { program, title, waited, ended });
                }
                clock.sleep(LOOK).await;
            }
        }
        Ok(stage)
    }

    fn empty(ground: Ground, before: Vec<WindowId>) -> Self {
        let home = ground.place.join("home");
        let kin = Kin::new(ground.place.display().to_string());
        Self { ground, home, programs: Vec::new(), kin, before }
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// What is wanted, with the home in its place.
    pub fn objective(&self, start: &ProgramsStart) -> String {
        at_home(&start.objective, &self.home)
    }

    /// The windows that are shown, the topmost first, and whether each came after the stage was begun: then it is the case's.
    pub fn around(&self, eyes: &mut dyn Desktop) -> Vec<(Window, bool)> {
        let windows = eyes.windows().unwrap_or_default();
        windows.into_iter().map(|w| (!self.before.contains(&w.id), w)).map(|(own, w)| (w, own)).collect()
    }

    /// The same of a text of the solution.
    pub(crate) fn text(&self, text: &str) -> String {
        at_home(text, &self.home)
    }

    fn lay_out(&self, files: &[(String, String)]) -> Result<(), StageError> {
        let make = |path: &Path| {
            fs::create_dir_all(path).map_err(|why| StageError::File { path: path.to_owned(), why })
        };
        make(&self.home)?;
        // A folder for sockets has to be its owner's alone, or programs refuse it.
        let private = self.home.join(".run");
        make(&private)?;
        #[cfg(unix)]
        fs::set_permissions(&private, std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .map_err(|why| StageError::File { path: private, why })?;
        for (path, text) in files {
            let path = self.home.join(at_home(path, &self.home));
            path.parent().map_or(Ok(()), make)?;
            fs::write(&path, at_home(text, &self.home)).map_err(|why| StageError::File { path, why })?;
        }
        Ok(())
    }

    /// A command of this stage, from the home folder, in plain English.
    fn command(&self, argv: &[String]) -> Command {
        let mut command = Command::new(argv.first().map_or("", String::as_str));
        command.args(argv.get(1..).unwrap_or_default()).current_dir(&self.home).stdin(Stdio::null());
        self.ground.withheld.iter().for_each(|name| {
            command.env_remove(name);
        });
        if cfg!(unix) {
            command
                .env("HOME", &self.home)
                .env("XDG_RUNTIME_DIR", self.home.join(".run"))
                .env("LC_ALL", "C.UTF-8")
                .env("NO_AT_BRIDGE", "1")
                .env("SDL_AUDIODRIVER", "dummy");
            // The person's own session and folders are none of theirs.
            for name in [
                "DBUS_SESSION_BUS_ADDRESS",
                "XDG_CONFIG_HOME",
                "XDG_DATA_HOME",
                "XDG_CACHE_HOME",
                "XDG_STATE_HOME",
                "LANGUAGE",
                "WAYLAND_DISPLAY",
            ] {
                command.env_remove(name);
            }
        }
        command.envs(self.ground.variables.iter().map(|(n, v)| (n, v)));
        command
    }

    fn start(&mut self, name: &str, argv: &[String]) -> Result<(), StageError> {
        let argv: Vec<String> = argv.iter().map(|word| self.text(word)).collect();
        let stdout = self.ground.place.join(format!("{name}.stdout"));
        let failed = |why| StageError::Start { program: name.to_owned(), why };
        let file = File::create(&stdout).map_err(|why| StageError::File { path: stdout.clone(), why })?;
        let mut command = self.command(&argv);
        command.stdout(file).stderr(Stdio::null());
        let child = self.kin.spawn(&mut command, true).map_err(failed)?;
        self.programs.push(Started { name: name.to_owned(), child, stdout });
        Ok(())
    }

    /// How a program ended, if it has, and what it wrote so far. `Err` says why that cannot be told.
    pub(crate) fn look_at(&mut self, name: &str) -> Result<(Option<i32>, String), String> {
        let started = self.programs.iter_mut().find(|program| program.name == name);
        let started = started.ok_or_else(|| "it was not started".to_owned())?;
        let status = started.child.try_wait().map_err(|e| e.to_string())?;
        // Without a code it was ended by a signal, which no claim means.
        let code = status.map(|status| status.code().unwrap_or(-1));
        let text = fs::read(&started.stdout).map_err(|e| e.to_string())?;
        Ok((code, String::from_utf8_lossy(&text).into_owned()))
    }

    /// Runs a command to its end: its code and what it wrote.
    pub(crate) fn ask(&mut self, argv: &[String], within: Duration) -> Result<(i32, String), String> {
        let path = self.ground.place.join("asked.stdout");
        let file = File::create(&path).map_err(|e| e.to_string())?;
        let mut command = self.command(argv);
        command.stdout(file).stderr(Stdio::null());
        let mut child = self.kin.spawn(&mut command, false).map_err(|e| e.to_string())?;
        let clock = RealClock::new();
        let status = loop {
            match child.try_wait().map_err(|e| e.to_string())? {
                Some(status) => break status,
                None if clock.now() > within => {
                    let _ended_meanwhile = child.kill().and_then(|()| child.wait());
                    return Err(format!("it did not end within {} s", within.as_secs()));
                }
                None => wait(LOOK),
            }
        };
        let text = fs::read(&path).map_err(|e| e.to_string())?;
        Ok((status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned()))
    }

    /// Looks whether all of this holds, again and again for a while: what the hands did last may still be on its way to the disk.
    pub fn judge(
        &mut self,
        start: &ProgramsStart,
        eyes: &mut dyn Desktop,
        patience: Duration,
    ) -> Result<check::Held, check::Unchecked> {
        let clock = RealClock::new();
        loop {
            let held = check::all(&start.checks, self, eyes)?;
            if held == check::Held::Yes || clock.now() >= patience {
                return Ok(held);
            }
            wait(2 * LOOK);
        }
    }

    /// Ends everything and waits until the screen is as it was before.
    pub async fn clear(mut self, eyes: &mut dyn Desktop, clock: &dyn Clock) {
        self.end();
        let began = clock.now();
        while clock.now().saturating_sub(began) < CLEARED {
            match eyes.windows() {
                Ok(windows) if windows.iter().any(|w| !self.before.contains(&w.id)) => {
                    clock.sleep(LOOK).await;
                }
                // Who cannot see any more will be told so by the next stage.
                _ => return,
            }
        }
    }

    fn end(&mut self) {
        for program in &mut self.programs {
            kin::end(&mut program.child);
        }
        self.programs.clear();
        self.kin.end();
        let _still_written_to = fs::remove_dir_all(&self.ground.place);
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.end();
    }
}

/// A wait on a thread that has nothing else to do.
fn wait(d: Duration) {
    std::thread::park_timeout(d);
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A stage with these files and programs, without looking at any window.
    pub(crate) fn stage(place: &Path, files: &[(&str, &str)], programs: &[(&str, &[&str])]) -> Stage {
        let ground = Ground {
            place: place.join("case"),
            variables: vec![("GIVEN".into(), "yes".into())],
            withheld: vec!["PATH_TO_KEYS".into()],
        };
        let mut stage = Stage::empty(ground, Vec::new());
        let files: Vec<(String, String)> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        stage.lay_out(&files).unwrap();
        for (name, argv) in programs {
            let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
            stage.start(name, &argv).unwrap();
        }
        stage
    }

    /// How a program ended and what it said, once it has.
    #[cfg(target_os = "linux")]
    fn ended(stage: &mut Stage, name: &str) -> (i32, String) {
        let clock = RealClock::new();
        while clock.now() < Duration::from_secs(20) {
            if let (Some(code), text) = stage.look_at(name).unwrap() {
                return (code, text);
            }
            wait(LOOK);
        }
        panic!("{name} does not end");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_has_a_fresh_home_and_what_it_was_given() {
        let folder = tempfile::tempdir().unwrap();
        let script =
            "echo $GIVEN $(cat note.txt); pwd; echo $HOME; echo ${DBUS_SESSION_BUS_ADDRESS:-none}; exit 3";
        let files = [("note.txt", "at {home}"), ("deep/er/x", "y")];
        let mut stage = stage(folder.path(), &files, &[("sh", &["sh", "-c", script])]);
        let home = folder.path().join("case/home");
        let at = home.display().to_string();
        assert_eq!(ended(&mut stage, "sh"), (3, format!("yes at {at}\n{at}\n{at}\nnone\n")));
        assert_eq!(fs::read_to_string(home.join("deep/er/x")).unwrap(), "y");
        assert!(stage.look_at("other").is_err());
        let asked = stage.ask(&["sh".into(), "-c".into(), "echo hi; exit 2".into()], Duration::from_secs(9));
        assert_eq!(asked, Ok((2, "hi\n".to_owned())));
        assert!(stage.ask(&["no-such-program".into()], Duration::from_secs(9)).is_err());
        let late = stage.ask(&["sleep".into(), "60".into()], Duration::from_millis(10)).unwrap_err();
        assert!(late.starts_with("it did not end"), "{late}");
        drop(stage);
        assert!(!home.exists(), "nothing is left");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test(flavor = "current_thread")]
    async fn commands_are_run_first_whatever_they_answer() {
        use handsight_base::port::clock::VirtualClock;
        use handsight_worlds::desk::{Desk, DeskSetup};
        let folder = tempfile::tempdir().unwrap();
        let world = handsight_worlds::engine::share(Desk::new(&DeskSetup::new(3)));
        let clock = VirtualClock::new(0);
        let mut eyes = handsight_worlds::engine::desktop::WorldDesktop::new(world, clock.clone());
        let mut set = async |before: &[&[&str]]| {
            let words = |argv: &&[&str]| argv.iter().map(|word| (*word).to_owned()).collect();
            let start = ProgramsStart {
                objective: String::new(),
                files: vec![("list".into(), "a".into())],
                before: before.iter().map(words).collect(),
                programs: Vec::new(),
                checks: Vec::new(),
                solution: Vec::new(),
            };
            let ground = Ground { place: folder.path().join("case"), ..Ground::default() };
            Stage::set(&start, ground, &mut eyes, &clock, &Stop::new()).await
        };
        let stage = set(&[&["false"], &["cp", "{home}/list", "copy"]]).await.unwrap();
        assert_eq!(fs::read_to_string(stage.home().join("copy")).unwrap(), "a");
        drop(stage);
        let error = set(&[&["no-such-program", "x"]]).await.unwrap_err().to_string();
        assert!(
            error.starts_with("the command no-such-program x cannot be run before the start: "),
            "{error}"
        );
    }

    /// Also what left the process group, as a daemon does that keeps the clipboard.
    #[cfg(target_os = "linux")]
    #[test]
    fn whatever_was_started_in_turn_ends_too() {
        let folder = tempfile::tempdir().unwrap();
        let script = "setsid sleep 600 & echo $!; sleep 600 & echo $!; exec sleep 600";
        let mut stage = stage(folder.path(), &[], &[("sh", &["sh", "-c", script])]);
        let clock = RealClock::new();
        let pids = loop {
            let (code, text) = stage.look_at("sh").unwrap();
            assert!(code.is_none() && clock.now() < Duration::from_secs(20), "{code:?} {text}");
            // The one that left is a child of its own by then.
            let pids: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
            if pids.len() == 2 {
                break pids;
            }
            wait(LOOK);
        };
        let lives = |pid: &u32| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !stat.is_empty() && !stat.contains(") Z ")
        };
        assert!(pids.iter().all(lives), "both run");
        drop(stage);
        let clock = RealClock::new();
        while pids.iter().any(lives) {
            assert!(clock.now() < Duration::from_secs(10), "{pids:?} still run");
            wait(LOOK);
        }
    }
}
