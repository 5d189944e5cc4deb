//! Real programs that nobody here wrote, and the tools that tell what they did.
//!
//! Each is started on one display with a home of its own; what a test may believe is what such a program left behind: a
//! file, its standard output, the clipboard, what another program sees on the screen. A guard is `None` where the
//! program is not installed (see [`need`]).

use crate::need::need;
use crate::picture::Picture;
use crate::program::Program;
use crate::wait::{PATIENCE, until};
use crate::xvfb::Xvfb;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The editor mousepad, on an empty page; its title ends in `- Mousepad`. As root it shows a warning above the page.
pub fn mousepad(x: &Xvfb) -> Option<Program> {
    (need("dbus-run-session", "dbus") && need("mousepad", "mousepad"))
        .then(|| x.program("dbus-run-session", &["mousepad"]))
}

/// The calculator galculator, titled `galculator`.
pub fn galculator(x: &Xvfb) -> Option<Program> {
    (need("dbus-run-session", "dbus") && need("galculator", "galculator"))
        .then(|| x.program("dbus-run-session", &["galculator"]))
}

/// A terminal with a shell in it.
#[derive(Debug, Clone, Copy)]
pub struct Terminal<'a> {
    pub title: &'a str,
    /// The colour of its page as red, green, blue; the text is white.
    pub page: [u8; 3],
    pub columns: u32,
    pub rows: u32,
    /// Where its decoration begins on the root.
    pub at: (u32, u32),
    /// Where its shell is.
    pub folder: &'a Path,
}

/// The terminal xterm with a plain bash.
pub fn xterm(x: &Xvfb, terminal: &Terminal) -> Option<Program> {
    if !need("xterm", "xterm") {
        return None;
    }
    let [r, g, b] = terminal.page;
    let page = format!("rgb:{r:02x}/{g:02x}/{b:02x}");
    let place = format!("{}x{}+{}+{}", terminal.columns, terminal.rows, terminal.at.0, terminal.at.1);
    Some(Program::start(
        x.command("xterm")
            .args(["-T", terminal.title, "-geometry", &place])
            .args(["-bg", &page, "-fg", "white", "-cr", "white", "-fa", "DejaVu Sans Mono", "-fs", "11"])
            // The shell must not rename the window, and shows nothing that depends on the machine.
            .args(["-e", "bash", "--norc", "--noprofile"])
            .env("PS1", "$ ")
            .current_dir(terminal.folder),
    ))
}

/// A dialog of zenity that asks for one line.
#[derive(Debug)]
pub struct Question {
    pub program: Program,
    stdout: PathBuf,
}

impl Question {
    /// Asks `text` in a window titled `title`.
    pub fn ask(x: &Xvfb, title: &str, text: &str) -> Option<Self> {
        if !need("zenity", "zenity") {
            return None;
        }
        let stdout = x.home().join(format!("{title}.stdout"));
        let file = File::create(&stdout).expect("a file in the home");
        let program = Program::start(
            x.command("zenity").args(["--entry", "--title", title, "--text", text]).stdout(file),
        );
        Some(Self { program, stdout })
    }

    /// What it printed, once it ended.
    pub fn answer(&mut self) -> String {
        self.program.wait(PATIENCE);
        std::fs::read_to_string(&self.stdout).expect("its standard output is text")
    }
}

/// What xclip reads from the clipboard, once it holds text.
///
/// # Panics
/// When nobody puts text there, or xclip is missing.
#[track_caller]
pub fn clipboard(x: &Xvfb) -> String {
    until("the clipboard holds text", PATIENCE, || {
        let mut xclip = x.command("xclip");
        xclip.args(["-o", "-selection", "clipboard"]).stdout(Stdio::piped());
        let output = xclip.output().expect("xclip starts");
        (output.status.success() && !output.stdout.is_empty())
            .then(|| String::from_utf8(output.stdout).expect("text"))
    })
}

/// The screen as ImageMagick's `import` sees it, without the pointer.
///
/// # Panics
/// When `import` fails.
#[track_caller]
pub fn screenshot(x: &Xvfb) -> Picture {
    let mut import = x.command("import");
    // -silent: no bell; depth 8 so that no colour is rounded.
    import.args(["-silent", "-window", "root", "-depth", "8", "png:-"]).stdout(Stdio::piped());
    let output = import.output().expect("import starts");
    assert!(output.status.success(), "import failed: {:?}", output.status);
    Picture::from_png(&output.stdout)
}

/// Paints the root window in one colour.
pub fn paint_root(x: &Xvfb, [r, g, b]: [u8; 3]) {
    x.run("xsetroot", &["-solid", &format!("#{r:02x}{g:02x}{b:02x}")]);
}

/// Cuts the one screen of Xvfb into two monitors beside each other: `A` the left half, primary, and `B` the rest.
pub fn two_monitors(x: &Xvfb, width: u32, height: u32) {
    let left = width / 2;
    let place = |w: u32, at: u32| format!("{w}/250x{height}/280+{at}+0");
    x.run("xrandr", &["--setmonitor", "*A", &place(left, 0), "screen"]);
    x.run("xrandr", &["--setmonitor", "B", &place(width - left, left), "none"]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::witness::Witness;

    #[test]
    fn what_is_put_on_the_display_is_read_back() {
        let Some(x) = Xvfb::with(640, 480, &[]) else { return };
        if !(need("xsetroot", "x11-xserver-utils") && need("import", "imagemagick") && need("xclip", "xclip"))
        {
            return;
        }
        paint_root(&x, [16, 130, 240]);
        let seen = screenshot(&x);
        assert_eq!((seen.width, seen.height, seen.colours()[0]), (640, 480, ([16, 130, 240], 640 * 480)));
        let witness = Witness::connect(x.display());
        assert_eq!(Picture::from_bgrx(640, 480, &witness.pixels(0, 0, 640, 480)), seen);

        let mut copy =
            x.command("xclip").args(["-selection", "clipboard"]).stdin(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut copy.stdin.take().unwrap(), "12 × 12".as_bytes()).unwrap();
        copy.wait().unwrap();
        assert_eq!(clipboard(&x), "12 × 12");

        two_monitors(&x, 640, 480);
        let listed = x.run("xrandr", &["--listmonitors"]);
        assert!(listed.contains("+*A 320/250x480") || listed.contains("*A 320/250x480"), "{listed}");
        assert!(listed.contains("B 320/250x480/280+320+0"), "{listed}");
    }
}
