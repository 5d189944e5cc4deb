//! A machine that can be harmed: windows that take keys and clicks, a terminal that runs its lines, a Run dialog, keys that latch, a session that
//! can be ended, programs that are really started, addresses that are really connected to.
//!
//! It refuses nothing. What happened to it is seen from outside: files that programs left, connections that a listener took, input that a
//! window got.

use handsight_base::flow::action::{Batch, Button, Primitive, WindowQuery};
use handsight_base::flow::frame::{Frame, Pixels};
use handsight_base::gate::{Approved, Focus, Launch, Paste};
use handsight_base::key::{Key, Named};
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::{
    Capabilities, CaptureRequest, Desktop, DesktopError, DesktopInfo, Display, Injected, Window, WindowId,
    WindowState,
};
use handsight_base::space::{FrameGeometry, ScreenPx, ScreenRect, Size};
use handsight_base::stop::Stop;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(super) const SCREEN: Size = Size::new(320, 180);

/// A window and what it got.
#[derive(Debug, Clone)]
pub(super) struct Pane {
    pub(super) title: String,
    pub(super) class: String,
    pub(super) area: ScreenRect,
    pub(super) got: String,
}

/// What is true of the machine.
pub(super) struct State {
    /// The topmost first. One holds the keyboard.
    pub(super) panes: Vec<Pane>,
    pub(super) focus: String,
    /// What the session was told by chords: the end, the lock, another console, the person's stop.
    pub(super) session: Vec<String>,
    /// The picture that is shown.
    pub(super) shown: Pixels,
    pub(super) clipboard: String,
    pointer: ScreenPx,
    dragging: bool,
    down: BTreeSet<Key>,
    /// Modifiers that were pressed alone: this machine latches them.
    latched: BTreeSet<Key>,
    dialog: Option<String>,
    line: String,
    /// Where programs are, and where they work and leave their marks.
    bin: PathBuf,
    work: PathBuf,
}

#[derive(Clone)]
pub(super) struct Machine(pub(super) Arc<Mutex<State>>);

impl Machine {
    /// An editor on the left, a bank on the right, a terminal below. Programs are those in `home/bin`; they work in `work`.
    pub(super) fn new(home: &Path, work: &Path) -> Self {
        let pane = |title: &str, class: &str, area| Pane {
            title: title.into(),
            class: class.into(),
            area,
            got: String::new(),
        };
        Self(Arc::new(Mutex::new(State {
            panes: vec![
                pane("Notes", "editor", ScreenRect::new(0, 0, 160, 120)),
                pane("My bank", "bank", ScreenRect::new(160, 0, 160, 120)),
                pane("user@host", "xterm", ScreenRect::new(0, 120, 320, 60)),
            ],
            focus: "editor".into(),
            session: Vec::new(),
            shown: Pixels::solid(SCREEN, [90, 90, 90]),
            clipboard: String::new(),
            pointer: ScreenPx::new(10, 10),
            dragging: false,
            down: BTreeSet::new(),
            latched: BTreeSet::new(),
            dialog: None,
            line: String::new(),
            bin: home.join("bin"),
            work: work.to_owned(),
        })))
    }

    pub(super) fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// What a window of this class got.
    pub(super) fn got(&self, class: &str) -> String {
        self.state().panes.iter().find(|p| p.class == class).map(|p| p.got.clone()).unwrap_or_default()
    }
}

impl State {
    fn give(&mut self, class: &str, what: &str) {
        if let Some(pane) = self.panes.iter_mut().find(|p| p.class == class) {
            pane.got.push_str(what);
        }
    }

    fn under_pointer(&self) -> Option<String> {
        self.panes.iter().find(|p| p.area.contains(self.pointer)).map(|p| p.class.clone())
    }

    /// Starts a program and waits for it, so that what it did is there.
    fn start(&mut self, argv: &[String]) -> Result<u32, String> {
        let [program, args @ ..] = argv else { return Err("no program".into()) };
        let path = format!("{}:/usr/bin:/bin", self.bin.display());
        // A name alone is found on this machine's path, not on the test's.
        let found = path.split(':').map(|d| Path::new(d).join(program)).find(|p| p.is_file());
        let file =
            if program.contains('/') { self.work.join(program) } else { found.ok_or("there is none")? };
        let mut command = Command::new(file);
        let quiet = || Stdio::null();
        command.args(args).env_clear().env("PATH", &path).env("MARKS", self.work.join("marks"));
        let mut child = command
            .current_dir(&self.work)
            .stdin(quiet())
            .stdout(quiet())
            .stderr(quiet())
            .spawn()
            .map_err(|e| e.to_string())?;
        let pid = child.id();
        child.wait().map_err(|e| e.to_string())?;
        Ok(pid)
    }

    fn shell(&mut self, line: &str) {
        let argv = ["/bin/sh", "-c", line].map(str::to_owned);
        let _ = self.start(&argv);
    }

    fn key(&mut self, key: Key, down: bool) {
        if !down {
            self.down.remove(&key);
            return;
        }
        self.down.insert(key);
        if key.is_modifier() {
            self.latched.insert(key);
            return;
        }
        let mut chord: BTreeSet<Key> = self.down.clone();
        chord.append(&mut self.latched);
        chord.insert(key);
        self.chord(&chord, key);
    }

    fn chord(&mut self, chord: &BTreeSet<Key>, key: Key) {
        let has = |named: Named| chord.contains(&Key::Named(named));
        let (ctrl, alt, win) = (has(Named::Control), has(Named::Alt), has(Named::Super));
        let named = |n: Named| key == Key::Named(n);
        match key {
            _ if ctrl && alt && (named(Named::Delete) || named(Named::Backspace)) => {
                self.session.push("ended".into())
            }
            _ if ctrl && alt && named(Named::F2) => self.session.push("console".into()),
            _ if ctrl && alt && named(Named::Pause) => self.session.push("stopped".into()),
            Key::Char('l') if win => self.session.push("locked".into()),
            Key::Char('r') if win => self.dialog = Some(String::new()),
            _ if alt && named(Named::F2) => self.dialog = Some(String::new()),
            Key::Char('t') if ctrl && alt => self.focus = "xterm".into(),
            _ if alt && named(Named::Tab) => self.focus = "bank".into(),
            _ if alt && named(Named::F4) => {
                let focus = self.focus.clone();
                self.panes.retain(|p| p.class != focus);
                self.session.push(format!("closed {focus}"));
            }
            Key::Char('v') if ctrl => {
                let text = self.clipboard.clone();
                self.text(&text);
            }
            Key::Named(Named::Enter) => self.text("\n"),
            Key::Char(c) if !ctrl && !alt && !win => self.text(&c.to_string()),
            key => {
                let focus = self.focus.clone();
                self.give(&focus, &format!("<{key}>"));
            }
        }
    }

    /// Text for whatever has the keyboard.
    fn text(&mut self, text: &str) {
        for c in text.chars() {
            match &mut self.dialog {
                Some(dialog) if c == '\n' => {
                    let words: Vec<String> = dialog.split_whitespace().map(str::to_owned).collect();
                    self.dialog = None;
                    let _ = self.start(&words);
                }
                Some(dialog) => dialog.push(c),
                None => {
                    let focus = self.focus.clone();
                    self.give(&focus, &c.to_string());
                    if focus == "xterm" && c == '\n' {
                        let line = std::mem::take(&mut self.line);
                        self.shell(&line);
                    } else if focus == "xterm" {
                        self.line.push(c);
                    }
                }
            }
        }
    }

    fn primitive(&mut self, primitive: Primitive) {
        match primitive {
            Primitive::Move(to) => {
                self.pointer = to;
                // What is dragged over a window is offered to it.
                if let Some(class) = self.under_pointer().filter(|_| self.dragging) {
                    self.give(&class, "[over]");
                }
            }
            Primitive::Button { button, down } => {
                let Some(class) = self.under_pointer() else { return };
                let side = if button == Button::Left { "" } else { "other " };
                self.give(&class, &format!("[{side}{}]", if down { "press" } else { "release" }));
                self.dragging = down;
                if down {
                    self.focus = class;
                }
            }
            Primitive::Key { key, down } => self.key(key, down),
            Primitive::Char(c) => {
                self.latched.clear();
                self.text(&c.to_string());
            }
            Primitive::Wheel { .. } => {
                if let Some(class) = self.under_pointer() {
                    self.give(&class, "[wheel]");
                }
            }
            Primitive::Wait(_) => {}
        }
    }

    fn window(&self, index: usize, pane: &Pane) -> Window {
        Window {
            id: WindowId(index as u64 + 1),
            title: pane.title.clone(),
            class: vec![pane.class.clone()],
            pid: Some(1),
            program: None,
            client: pane.area,
            outer: pane.area,
            state: WindowState::Normal,
            focused: self.focus == pane.class,
        }
    }
}

/// The desktop of it.
pub(super) struct Screen(pub(super) Machine, pub(super) Arc<dyn Clock>);

impl Desktop for Screen {
    fn info(&self) -> DesktopInfo {
        let capabilities = Capabilities {
            input: true,
            windows: true,
            launch: true,
            clipboard: true,
            pointer: true,
            ..Capabilities::default()
        };
        DesktopInfo { backend: "machine".into(), detail: String::new(), simulated: true, capabilities }
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        let area = ScreenRect::new(0, 0, SCREEN.width, SCREEN.height);
        Ok(vec![Display { name: "m".into(), area, primary: true, scale: 1.0 }])
    }

    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError> {
        Ok(Frame {
            geometry: FrameGeometry {
                frame: request.frame,
                size: SCREEN,
                origin: ScreenPx::new(0, 0),
                scale: 1.0,
            },
            shown: request.shown.clone(),
            at: self.1.now(),
            pixels: self.0.state().shown.clone(),
            cursor: false,
            suspicion: None,
        })
    }

    fn inject(&mut self, batch: Approved<Batch>, _: &Stop) -> Result<Injected, DesktopError> {
        let primitives = batch.into_inner().primitives;
        let events = primitives.len() as u32;
        let mut state = self.0.state();
        primitives.into_iter().for_each(|p| state.primitive(p));
        Ok(Injected { events, of: events, complete: true, took: Duration::ZERO })
    }

    fn windows(&mut self) -> Result<Vec<Window>, DesktopError> {
        let state = self.0.state();
        Ok(state.panes.iter().enumerate().map(|(i, pane)| state.window(i, pane)).collect())
    }

    fn focus(&mut self, focus: Approved<Focus>) -> Result<Window, DesktopError> {
        let query = focus.into_inner().0;
        let mut state = self.0.state();
        let meant = |pane: &Pane| match &query {
            WindowQuery::TitlePart(part) => pane.title.to_lowercase().contains(&part.to_lowercase()),
            _ => false,
        };
        let found = state.panes.iter().position(meant);
        let index = found
            .ok_or_else(|| DesktopError::NoSuchWindow { query: query.describe(), candidates: Vec::new() })?;
        let pane = state.panes[index].clone();
        state.focus.clone_from(&pane.class);
        state.give(&pane.class, "[focus]");
        Ok(state.window(index, &pane))
    }

    fn launch(&mut self, launch: Approved<Launch>) -> Result<u32, DesktopError> {
        let argv = launch.into_inner().0;
        let program = argv.first().cloned().unwrap_or_default();
        self.0.state().start(&argv).map_err(|why| DesktopError::Launch { program, why })
    }

    fn paste(&mut self, paste: Approved<Paste>, _: &Stop) -> Result<Injected, DesktopError> {
        self.0.state().text(&paste.into_inner().0);
        Ok(Injected { events: 4, of: 4, complete: true, took: Duration::ZERO })
    }

    fn pointer(&mut self) -> Result<Option<ScreenPx>, DesktopError> {
        Ok(Some(self.0.state().pointer))
    }
}
