//! Wine for one test: a display with a window manager, and a prefix whose `C:` can be read from this side.
//!
//! The prefix is a copy of a template that `cargo xtask test wine` (or `cargo xtask wine COMMAND`) names in the
//! environment, along with the `handsight.exe` to start; without them the test is skipped. Files of Windows are hard
//! links, the registry and the users' folders a copy, and nothing in it leads to the person's home. What runs in it ends
//! with the guard, and nothing else does.

#![expect(clippy::disallowed_methods, reason = "the tier hands over what it built in the environment")]
#![expect(clippy::print_stderr, reason = "a skipped test must say so where the person looks")]

use crate::conformance::remote::RemoteWitness;
use crate::need::need;
use crate::program::Program;
use crate::wait::{PATIENCE, until};
use crate::xvfb::Xvfb;
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use tempfile::TempDir;

/// The variable that names `handsight.exe`.
pub const EXE: &str = "HANDSIGHT_WINDOWS_EXE";
/// The variable that names the prefix to copy.
pub const PREFIX: &str = "HANDSIGHT_WINE_PREFIX";
/// No Mono, no HTML engine, no menu entries.
const OVERRIDES: &str = "mscoree=;mshtml=;winemenubuilder.exe=d";

/// Windows' own scale; 144 is 150 %.
pub const DPI: u32 = 96;

/// A display, a window manager and a prefix.
#[derive(Debug)]
pub struct Wine {
    pub x: Arc<Xvfb>,
    manager: Program,
    exe: PathBuf,
    prefix: TempDir,
}

impl Wine {
    /// A screen of 1280x720 at this scale. `None` if Wine or what the tier builds is not there.
    pub fn start(dpi: u32) -> Option<Self> {
        Self::with(dpi, None)
    }

    /// All programs in a virtual desktop of this size: one X window with all windows of Windows in it.
    pub fn in_a_virtual_desktop(width: u32, height: u32) -> Option<Self> {
        Self::with(DPI, Some((width, height)))
    }

    fn with(dpi: u32, desktop: Option<(u32, u32)>) -> Option<Self> {
        if !(need("wine", "wine wine64") && need("cp", "coreutils")) {
            return None;
        }
        let (Some(exe), Some(template)) = (std::env::var_os(EXE), std::env::var_os(PREFIX)) else {
            let thread = std::thread::current();
            eprintln!(
                "SKIPPED {}: needs handsight.exe and a prefix (cargo xtask test wine)",
                thread.name().unwrap_or("a test")
            );
            return None;
        };
        let x = Xvfb::start()?;
        let manager = x.openbox()?;
        let template = PathBuf::from(template);
        // On the template's file system, else there are no hard links.
        let beside = template.parent().expect("it lies in a folder");
        let prefix =
            tempfile::Builder::new().prefix("test-").tempdir_in(beside).expect("a folder for the prefix");
        clone(&template, prefix.path(), dpi);
        if let Some((width, height)) = desktop {
            let mut registry = std::fs::OpenOptions::new()
                .append(true)
                .open(prefix.path().join("user.reg"))
                .expect("a registry");
            write!(
                registry,
                "\n[Software\\\\Wine\\\\Explorer]\n\"Desktop\"=\"agent\"\n\n\
                 [Software\\\\Wine\\\\Explorer\\\\Desktops]\n\"agent\"=\"{width}x{height}\"\n"
            )
            .expect("the registry is written");
        }
        let wine = Self { x: Arc::new(x), manager, exe: exe.into(), prefix };
        // It stays a while after its last program, not for ever: a test that was killed leaves nothing.
        let mut server = wine.bare("wineserver");
        let started = server.arg("-p60").status().expect("wineserver starts");
        assert!(started.success(), "wineserver: {started}");
        Some(wine)
    }

    /// `C:\` as a folder of this side.
    pub fn drive_c(&self) -> PathBuf {
        self.prefix.path().join("drive_c")
    }

    /// The prefix itself, which programs in it have as `WINEPREFIX`.
    pub fn prefix(&self) -> &Path {
        self.prefix.path()
    }

    pub fn manager(&self) -> &Program {
        &self.manager
    }

    /// A Windows program on the display: by its name in Windows, or by its path on this side.
    pub fn command(&self, program: &str) -> Command {
        let mut command = self.bare("wine");
        command.arg(program);
        command
    }

    /// `handsight.exe`.
    pub fn handsight(&self, args: &[&str]) -> Command {
        let mut command = self.bare("wine");
        command.arg(&self.exe).args(args);
        command
    }

    /// The independent Win32 program; it lies beside `handsight.exe`.
    pub fn witness(&self, args: &[&str]) -> Command {
        let mut command = self.bare("wine");
        command.arg(self.exe.with_file_name("win32-witness.exe")).args(args);
        command
    }

    /// The independent Win32 program at work in the prefix, asked from this side.
    ///
    /// # Panics
    /// When it was not built.
    #[track_caller]
    pub fn win32(&self) -> RemoteWitness {
        RemoteWitness::run(self.witness(&[]))
    }

    /// Starts a Windows program.
    pub fn program(&self, program: &str, args: &[&str]) -> Program {
        Program::start(self.command(program).args(args))
    }

    /// Every top-level window as Windows has it: `title`, `class`, `pid`, `visible`, `minimised`, `foreground`, `style`,
    /// `ex_style`, `outer` and `client` as `[x, y, width, height]` in pixels of the screen; in front first.
    ///
    /// # Panics
    /// When the witness was not built.
    pub fn windows(&self) -> Vec<Value> {
        let output = self.witness(&["windows"]).stdout(Stdio::piped()).output().expect("wine starts");
        let line = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(line.trim()).unwrap_or_else(|why| panic!("{why}: {line:?}"))
    }

    /// Waits for a window of Windows whose title holds `title` and which is shown.
    #[track_caller]
    pub fn await_window(&self, title: &str) -> Value {
        until(&format!("a window {title:?}"), PATIENCE, || {
            let shown =
                |w: &Value| w["visible"] == true && w["title"].as_str().is_some_and(|t| t.contains(title));
            self.windows().into_iter().find(shown)
        })
    }

    fn bare(&self, program: &str) -> Command {
        let mut command = self.x.command(program);
        command
            .env("WINEPREFIX", self.prefix.path())
            .env("WINEDEBUG", "-all")
            .env("WINEDLLOVERRIDES", OVERRIDES);
        command
    }
}

impl Drop for Wine {
    fn drop(&mut self) {
        for arg in ["-k", "-w"] {
            let _may_have_ended = self.bare("wineserver").arg(arg).status();
        }
        self.manager.kill();
    }
}

/// A file of this side as Windows programs name it.
pub fn windows_path(path: &Path) -> String {
    format!("Z:{}", path.display()).replace('/', "\\")
}

fn clone(template: &Path, to: &Path, dpi: u32) {
    let copy = |flags: &str, from: &Path, to: &Path| {
        let status = Command::new("cp").arg(flags).arg("--").arg(from).arg(to).status().expect("cp starts");
        assert!(status.success(), "{} cannot be copied", from.display());
    };
    let entries = |dir: &Path| {
        std::fs::read_dir(dir)
            .expect("a folder of the template")
            .map(|e| e.expect("an entry").path())
            .collect::<Vec<_>>()
    };
    std::fs::create_dir(to.join("drive_c")).expect("a fresh folder");
    for path in entries(template).into_iter().filter(|path| !path.ends_with("drive_c")) {
        copy("-a", &path, to);
    }
    for path in entries(&template.join("drive_c")) {
        copy(if path.ends_with("users") { "-a" } else { "-al" }, &path, &to.join("drive_c"));
    }
    if dpi != DPI {
        let file = to.join("user.reg");
        let registry = std::fs::read_to_string(&file).expect("the user's registry");
        let was = format!("\"LogPixels\"=dword:{DPI:08x}");
        assert_eq!(registry.matches(&was).count(), 1, "the template says its scale once");
        let is = format!("\"LogPixels\"=dword:{dpi:08x}");
        std::fs::write(&file, registry.replace(&was, &is)).expect("the registry is written");
    }
}
