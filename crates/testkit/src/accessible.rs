//! A session in which programs say what they show, and another reader of what they say.
//!
//! Each session has a D-Bus daemon and an accessibility bus of its own. [`Session::truth`] asks through the accessibility library
//! itself (libatspi, from Python), so that what a test compares with shares no line with the product.

use crate::need::need;
use crate::program::Program;
use crate::wait::{PATIENCE, until};
use crate::xvfb::Xvfb;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const LAUNCHER: &str = "/usr/libexec/at-spi-bus-launcher";
const READER: &str = include_str!("accessible.py");

/// A D-Bus session with an accessibility bus, on one display.
#[derive(Debug)]
pub struct Session {
    address: String,
    // Before the daemon: it ends by itself when that goes, and says so.
    _launcher: Program,
    _daemon: Program,
}

/// A thing that a program shows, as the accessibility library tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    pub program: String,
    /// As AT-SPI calls it: `push button`.
    pub role: String,
    pub name: String,
    /// Left, top, width and height on the screen.
    pub area: [i64; 4],
    /// It can be used now.
    pub sensitive: bool,
    pub editable: bool,
}

impl Told {
    pub const fn contains(&self, x: i64, y: i64) -> bool {
        let [left, top, width, height] = self.area;
        x >= left && y >= top && x < left + width && y < top + height
    }

    /// A button, a field or an item of a menu: what a person would press or write into.
    pub fn is_pressed(&self) -> bool {
        match self.role.as_str() {
            "push button" | "toggle button" | "check box" | "radio button" | "combo box" | "menu"
            | "menu item" | "check menu item" | "radio menu item" | "password text" | "entry"
            | "spin button" => true,
            "text" => self.editable,
            _ => false,
        }
    }
}

impl Session {
    /// `None` if something of it is not installed.
    ///
    /// # Panics
    /// When a bus does not come up.
    pub fn start(x: &Xvfb) -> Option<Self> {
        if !(need("dbus-daemon", "dbus") && need("dbus-send", "dbus") && need(LAUNCHER, "at-spi2-core")) {
            return None;
        }
        let mut daemon = Program::start(
            x.command("dbus-daemon")
                .args(["--session", "--nofork", "--print-address=1"])
                .stdout(Stdio::piped()),
        );
        let mut address = String::new();
        let stdout = daemon.child().stdout.take().expect("stdout is a pipe");
        BufReader::new(stdout).read_line(&mut address).expect("the daemon names its address");
        let address = address.trim().to_owned();
        let mut launch = x.command(LAUNCHER);
        let launcher =
            Program::start(launch.arg("--launch-immediately").env("DBUS_SESSION_BUS_ADDRESS", &address));
        let session = Self { address, _launcher: launcher, _daemon: daemon };
        until("the accessibility bus", PATIENCE, || {
            let asked = [
                "--session",
                "--print-reply",
                "--dest=org.a11y.Bus",
                "/org/a11y/bus",
                "org.a11y.Bus.GetAddress",
            ];
            session.command(x, "dbus-send").args(asked).status().ok()?.success().then_some(())
        });
        Some(session)
    }

    /// `DBUS_SESSION_BUS_ADDRESS` of whoever takes part.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// A command of this session that says what it shows.
    pub fn command(&self, x: &Xvfb, program: &str) -> Command {
        let mut command = x.command(program);
        command
            .env_remove("NO_AT_BRIDGE")
            .env("DBUS_SESSION_BUS_ADDRESS", &self.address)
            .env("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1");
        command
    }

    /// Everything that is shown now, by the accessibility library. `None` if its Python binding is not installed.
    ///
    /// # Panics
    /// When the reader fails.
    pub fn truth(&self, x: &Xvfb) -> Option<Vec<Told>> {
        if !need("/usr/lib/python3/dist-packages/gi/__init__.py", "python3-gi")
            || !need("/usr/lib/x86_64-linux-gnu/girepository-1.0/Atspi-2.0.typelib", "gir1.2-atspi-2.0")
        {
            return None;
        }
        let mut reader = self.command(x, "/usr/bin/python3");
        let output = reader.args(["-c", READER]).stdout(Stdio::piped()).stderr(Stdio::piped()).output();
        let output = output.expect("python starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "the accessibility library fails: {said}");
        let lines = String::from_utf8(output.stdout).expect("it writes text");
        Some(lines.lines().map(told).collect())
    }
}

fn told(line: &str) -> Told {
    let value: Value = serde_json::from_str(line).expect("a line is one object");
    let text = |key: &str| value[key].as_str().expect("a text").to_owned();
    let number = |n: usize| value["box"][n].as_i64().expect("a number");
    Told {
        program: text("program"),
        role: text("role"),
        name: text("name"),
        area: [number(0), number(1), number(2), number(3)],
        sensitive: value["sensitive"] == true,
        editable: value["editable"] == true,
    }
}
