//! VNC servers for one test: TigerVNC, which is an X server itself, and x11vnc, which shows another one.
//!
//! Both listen on the loopback address only, on a port nobody else has, with a password unless told otherwise. The X server
//! behind is there for witnesses and programs, so that what a viewer sees and does is judged by an X client.

use crate::need::need;
use crate::program::Program;
use crate::wait::{PATIENCE, until};
use crate::xvfb::Xvfb;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// What every server here takes.
pub const PASSWORD: &str = "secret12";

/// Which program serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Tiger,
    X11vnc,
}

impl Kind {
    pub const ALL: [Self; 2] = [Self::Tiger, Self::X11vnc];
}

/// A running VNC server with the X server behind it.
#[derive(Debug)]
pub struct VncServer {
    // Goes before the X server it shows.
    x11vnc: Option<Program>,
    pub x: Xvfb,
    kind: Kind,
    port: u16,
    size: (u32, u32),
    options: Vec<String>,
    folder: TempDir,
}

impl VncServer {
    /// A screen of 1280x720 with [`PASSWORD`]; any number of viewers.
    pub fn start(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Tiger => Self::with(kind, 1280, 720, &["-SecurityTypes", "VncAuth", "-AlwaysShared"]),
            Kind::X11vnc => Self::with(kind, 1280, 720, &["-forever", "-shared"]),
        }
    }

    /// With options of the program's own in place of [`VncServer::start`]'s. The word `PASSWORD-FILE` in one stands for the file
    /// with the password.
    pub fn with(kind: Kind, width: u32, height: u32, options: &[&str]) -> Option<Self> {
        let port = free_port();
        let folder = TempDir::new().expect("a folder for the password");
        if !need("tigervncpasswd", "tigervnc-tools") {
            return None;
        }
        write_password(&folder.path().join("password"));
        let options: Vec<String> = options.iter().map(|o| (*o).to_owned()).collect();
        let x = serve_x(kind, port, (width, height), &options, folder.path())?;
        let mut server = Self { x11vnc: None, x, kind, port, size: (width, height), options, folder };
        if kind == Kind::X11vnc {
            if !need("x11vnc", "x11vnc") {
                return None;
            }
            server.start_x11vnc();
        }
        server.await_port();
        Some(server)
    }

    /// Where it listens, as `HOST:PORT`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub const fn port(&self) -> u16 {
        self.port
    }

    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Kills the server as a crash would. What TigerVNC shows goes with it, what x11vnc shows stays.
    pub fn kill(&mut self) {
        match &mut self.x11vnc {
            Some(program) => program.kill(),
            None => self.x.kill(),
        }
    }

    /// Starts a killed server again, at the same port.
    ///
    /// # Panics
    /// When it does not come up.
    pub fn restart(&mut self) {
        match self.kind {
            Kind::X11vnc => self.start_x11vnc(),
            Kind::Tiger => {
                let x = serve_x(self.kind, self.port, self.size, &self.options, self.folder.path());
                self.x = x.expect("it was there before");
            }
        }
        self.await_port();
    }

    /// The program that speaks VNC, to be stopped and continued.
    pub fn pid(&self) -> u32 {
        self.x11vnc.as_ref().map_or_else(|| self.x.pid(), Program::pid)
    }

    fn start_x11vnc(&mut self) {
        let password = self.folder.path().join("password");
        let mut command = self.x.command("x11vnc");
        command
            .args(["-display", self.x.display(), "-rfbport", &self.port.to_string()])
            // Without shared memory: one that is killed leaves some 40 segments behind, and a system has 4096.
            .args(["-localhost", "-noipv6", "-noshm", "-quiet", "-rfbauth"])
            .arg(password)
            .args(&self.options);
        self.x11vnc = Some(Program::start(&mut command));
    }

    /// Seen in the kernel's list: a connection would count as a viewer that did not know the password.
    fn await_port(&self) {
        let wanted = format!(":{:04X}", self.port);
        until("the VNC server listens", PATIENCE, || {
            let sockets = std::fs::read_to_string("/proc/net/tcp").ok()?;
            sockets.lines().map(str::split_whitespace).find_map(|mut words| {
                let (local, state) = (words.nth(1)?, words.nth(1)?);
                (local.ends_with(&wanted) && state == "0A").then_some(())
            })
        });
    }
}

fn serve_x(
    kind: Kind,
    port: u16,
    (width, height): (u32, u32),
    options: &[String],
    folder: &Path,
) -> Option<Xvfb> {
    if kind == Kind::X11vnc {
        return Xvfb::with(width, height, &[]);
    }
    let (size, port) = (format!("{width}x{height}"), port.to_string());
    let password = folder.join("password").display().to_string();
    let mut all =
        vec!["-geometry", &size, "-depth", "24", "-rfbport", &port, "-localhost", "-nolisten", "tcp"];
    all.extend(["-PasswordFile", &password]);
    all.extend(options.iter().map(String::as_str));
    Xvfb::serve("Xtigervnc", "tigervnc-standalone-server", &all)
}

/// A port that was free a moment ago, of those that no outgoing connection is given: one of these would take it meanwhile.
pub fn free_port() -> u16 {
    const FIRST: u16 = 12_000;
    const COUNT: u32 = 18_000;
    let start = std::process::id().wrapping_mul(13);
    let ports = (0..COUNT).map(|n| FIRST + (start.wrapping_add(n) % COUNT) as u16);
    let mut free = ports.filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    free.next().expect("a free port")
}

fn write_password(file: &Path) {
    let mut tool = Command::new("tigervncpasswd")
        .arg("-f")
        .stdin(Stdio::piped())
        .stdout(std::fs::File::create(file).expect("a file for the password"))
        .spawn()
        .expect("tigervncpasswd starts");
    let mut stdin = tool.stdin.take().expect("a pipe");
    writeln!(stdin, "{PASSWORD}").expect("it listens");
    drop(stdin);
    assert!(tool.wait().expect("it ends").success(), "tigervncpasswd failed");
}

/// A key and a certificate for `127.0.0.1`, signed by itself, as files in `folder`. `None` if openssl is not installed.
pub fn certificate(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    if !need("openssl", "openssl") {
        return None;
    }
    let (key, certificate) = (folder.join("key.pem"), folder.join("certificate.pem"));
    let status = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"])
        .args(["-addext", "subjectAltName=IP:127.0.0.1", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("openssl starts");
    assert!(status.success(), "openssl failed");
    Some((key, certificate))
}
