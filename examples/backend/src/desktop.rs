//! The engine's port over a terminal: one display, input, pictures, a clipboard, and nothing else.
//!
//! Several desktops may be made of one terminal, one after the other: what the engine has given up leaves the program running and the hands
//! as they were. Nothing here approves anything, and nothing waits without hearing a stop.

use crate::hands::{Modes, Sent};
use crate::keys::KeyModes;
use crate::mouse::MouseModes;
use crate::terminal::{Inner, Screen, Terminal, hold};
use handsight_base::area;
use handsight_base::flow::action::{Batch, Primitive};
use handsight_base::flow::frame::{Frame, Pixels, Shown};
use handsight_base::gate::{Approved, Paste, SetClipboard};
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::{
    Capabilities, CaptureRequest, ClipboardContents, Damage, DamageMark, Desktop, DesktopError, DesktopInfo,
    Display, Injected, Pulse,
};
use handsight_base::space::{FrameGeometry, ScreenPx, ScreenRect, Size};
use handsight_base::stop::Stop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

/// What it is called on a command line and in messages.
const BACKEND: &str = "terminal";
/// The only display.
const DISPLAY: &str = "terminal";
/// The name under which text lies on a clipboard.
const PLAIN_TEXT: &str = "text/plain;charset=utf-8";
/// A wait is cut into these, so that a stop and a dead turn are seen in it.
const SLICE: Duration = Duration::from_millis(10);
/// A turn that has not said for so long that it lives is dead, and what it holds down is let go.
const SILENT: Duration = Duration::from_millis(250);

/// Eyes and hands on a terminal.
pub struct TerminalDesktop {
    terminal: Arc<Inner>,
    clock: Arc<dyn Clock>,
    heart: Arc<Heart>,
    /// The newest picture, for as long as the screen stays as it is.
    newest: Option<(u64, Pixels)>,
}

impl Terminal {
    /// Eyes and hands on it, with the clock of the run.
    pub fn desktop(&self, clock: Arc<dyn Clock>) -> TerminalDesktop {
        let heart = Arc::new(Heart { clock: Arc::clone(&clock), beat: AtomicU64::new(0) });
        heart.beat();
        TerminalDesktop { terminal: Arc::clone(&self.0), clock, heart, newest: None }
    }
}

/// When the turn last said that it lives.
struct Heart {
    clock: Arc<dyn Clock>,
    /// On the clock, in microseconds.
    beat: AtomicU64,
}

impl Heart {
    fn is_silent(&self) -> bool {
        let last = Duration::from_micros(self.beat.load(Ordering::Acquire));
        self.clock.now().saturating_sub(last) > SILENT
    }
}

impl Pulse for Heart {
    fn beat(&self) {
        let now = u64::try_from(self.clock.now().as_micros()).unwrap_or(u64::MAX);
        self.beat.store(now, Ordering::Release);
    }
}

impl std::fmt::Debug for TerminalDesktop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TerminalDesktop({})", self.terminal.program)
    }
}

impl TerminalDesktop {
    fn screen(&self) -> MutexGuard<'_, Screen> {
        hold(&self.terminal.screen)
    }

    fn modes(&self) -> Modes {
        let screen = self.screen();
        let (answers, screen) = (screen.parser.callbacks(), screen.parser.screen());
        let keys =
            KeyModes { kitty: answers.keyboard(screen), application_cursor: screen.application_cursor() };
        let mouse = MouseModes {
            mode: screen.mouse_protocol_mode(),
            encoding: screen.mouse_protocol_encoding(),
            pixels: answers.pixels,
            cell: self.terminal.look.cell,
        };
        Modes { keys, mouse, alternate_screen: screen.alternate_screen() }
    }

    fn display(&self) -> Display {
        let Size { width, height } = self.terminal.look.size(self.screen().cells());
        Display {
            name: DISPLAY.into(),
            area: ScreenRect::new(0, 0, width, height),
            primary: true,
            scale: 1.0,
        }
    }

    /// The whole screen, painted anew if something has come since.
    fn picture(&mut self) -> Result<Pixels, DesktopError> {
        let screen = hold(&self.terminal.screen);
        if let Some((_, pixels)) = self.newest.as_ref().filter(|(changes, _)| *changes == screen.changes) {
            return Ok(pixels.clone());
        }
        let look = &self.terminal.look;
        let pixels = pixels(look.paint(screen.parser.screen()), look.size(screen.cells()))?;
        self.newest = Some((screen.changes, pixels.clone()));
        Ok(pixels)
    }

    /// A program that has ended takes no input; its last screen can still be looked at.
    fn takes_input(&self) -> Result<(), DesktopError> {
        if self.screen().ended {
            return Err(DesktopError::TargetGone { window: format!("of {:?}", self.terminal.program) });
        }
        Ok(())
    }

    fn write(&self, bytes: &[u8]) -> Result<(), DesktopError> {
        let why = |error: std::io::Error| DesktopError::Input {
            why: format!("{:?}: {error}", self.terminal.program),
            code: error.raw_os_error().map(i64::from),
        };
        if bytes.is_empty() { Ok(()) } else { self.terminal.write(bytes).map_err(why) }
    }

    fn refused(&self, what: String) -> DesktopError {
        DesktopError::Unsupported { what: what.into(), backend: BACKEND.into() }
    }

    fn send(&self, primitive: Primitive) -> Result<(), DesktopError> {
        let modes = self.modes();
        let sent = hold(&self.terminal.hands).act(primitive, modes).map_err(|why| self.refused(why.0))?;
        match sent {
            Sent::Bytes(bytes) => {
                if matches!(primitive, Primitive::Char(_) | Primitive::Key { .. }) {
                    self.scroll(None);
                }
                self.write(&bytes)
            }
            Sent::Scrolled(rows) => {
                self.scroll(Some(rows));
                Ok(())
            }
        }
    }

    /// So many rows back into what has left the screen, or to the newest row again.
    fn scroll(&self, rows: Option<i32>) {
        let mut screen = self.screen();
        let now = screen.parser.screen().scrollback();
        let to = rows.map_or(0, |rows| now.saturating_add_signed(rows as isize));
        if to != now {
            screen.parser.screen_mut().set_scrollback(to);
            screen.changes += 1;
        }
    }

    /// Waits, until a stop or the end of the turn at most.
    fn wait(&self, d: Duration, stop: &Stop) {
        let began = self.clock.now();
        loop {
            let left = d.saturating_sub(self.clock.now().saturating_sub(began));
            if left.is_zero() || stop.is_set() || self.is_orphan() {
                return;
            }
            std::thread::park_timeout(left.min(SLICE));
        }
    }

    /// Something is down, and the turn that pressed it is dead.
    fn is_orphan(&self) -> bool {
        self.heart.is_silent() && !hold(&self.terminal.hands).hold_nothing()
    }
}

fn pixels(bgrx: Vec<u8>, size: Size) -> Result<Pixels, DesktopError> {
    let stride = size.width as usize * 4;
    let short = || DesktopError::Capture { why: format!("{size} pixels do not fit into memory"), code: None };
    Pixels::new(Arc::new(bgrx), size, stride).ok_or_else(short)
}

impl Desktop for TerminalDesktop {
    fn info(&self) -> DesktopInfo {
        let cells = self.screen().cells();
        DesktopInfo {
            backend: BACKEND.into(),
            detail: format!("{} in {}x{} cells", self.terminal.program, cells.columns, cells.rows),
            simulated: false,
            capabilities: Capabilities {
                input: true,
                clipboard: true,
                damage: true,
                pointer: true,
                ..Capabilities::default()
            },
        }
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        Ok(vec![self.display()])
    }

    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError> {
        let picture = self.picture()?;
        let displays = [Display {
            area: ScreenRect { origin: ScreenPx::new(0, 0), size: picture.size() },
            ..self.display()
        }];
        let screen = area::all(&displays);
        let shown = match &request.shown {
            Shown::AllDisplays => screen,
            Shown::Display(name) => area::named(&displays, name)?,
            Shown::Window(_) => return Err(self.unsupported("windows")),
        };
        let part = area::cut((shown, screen), request.region)?;
        let pixels = if part == screen && !request.cursor {
            picture
        } else {
            let crop = picture.view().crop(part.origin.x as u32, part.origin.y as u32, part.size);
            let view = crop.ok_or_else(|| DesktopError::Capture { why: format!("no {part}"), code: None })?;
            let mut copy: Vec<u8> = (0..part.size.height).flat_map(|row| view.row(row)).copied().collect();
            if request.cursor {
                let pointer = hold(&self.terminal.hands).pointer;
                self.terminal.look.point(&mut copy, part.size, part.origin, pointer);
            }
            pixels(copy, part.size)?
        };
        let geometry =
            FrameGeometry { frame: request.frame, size: part.size, origin: part.origin, scale: 1.0 };
        let (shown, at) = (request.shown.clone(), self.clock.now());
        Ok(Frame { geometry, shown, at, pixels, cursor: request.cursor, suspicion: None })
    }

    fn inject(&mut self, batch: Approved<Batch>, stop: &Stop) -> Result<Injected, DesktopError> {
        self.takes_input()?;
        let primitives = batch.into_inner().primitives;
        let refused = hold(&self.terminal.hands).refuses(&primitives, self.modes());
        if let Some(what) = refused {
            return Err(self.refused(what));
        }
        let began = self.clock.now();
        let of = primitives.iter().filter(|p| !matches!(p, Primitive::Wait(_))).count() as u32;
        let mut events = 0;
        for primitive in primitives {
            if let Primitive::Wait(d) = primitive {
                self.wait(d, stop);
            }
            if stop.is_set() || self.is_orphan() {
                self.release_all()?;
                let took = self.clock.now().saturating_sub(began);
                return Ok(Injected { events, of, complete: false, took });
            }
            if !matches!(primitive, Primitive::Wait(_)) {
                self.send(primitive)?;
                events += 1;
            }
        }
        let took = self.clock.now().saturating_sub(began);
        Ok(Injected { events, of, complete: true, took })
    }

    fn release_all(&mut self) -> Result<(), DesktopError> {
        let modes = self.modes();
        let bytes = hold(&self.terminal.hands).release(modes);
        // Of a program that has ended nothing is held.
        if self.screen().ended { Ok(()) } else { self.write(&bytes) }
    }

    /// A terminal enters text without its clipboard, so there is nothing to give back.
    fn paste(&mut self, paste: Approved<Paste>, stop: &Stop) -> Result<Injected, DesktopError> {
        self.takes_input()?;
        let Paste(text) = paste.into_inner();
        let typed = text.replace("\r\n", "\r").replace('\n', "\r");
        // Escape would end the paste within, and the rest would be keys.
        if let Some(c) = typed.chars().find(|c| c.is_control() && !matches!(c, '\r' | '\t')) {
            return Err(self.refused(format!("the control character {c:?} in a paste")));
        }
        if stop.is_set() {
            return Err(DesktopError::Stopped);
        }
        let began = self.clock.now();
        self.scroll(None);
        let bracketed = self.screen().parser.screen().bracketed_paste();
        let whole = if bracketed { format!("\x1b[200~{typed}\x1b[201~") } else { typed };
        self.write(whole.as_bytes())?;
        let took = self.clock.now().saturating_sub(began);
        Ok(Injected { events: 1, of: 1, complete: true, took })
    }

    fn clipboard(&mut self) -> Result<ClipboardContents, DesktopError> {
        let copied = self.screen().parser.callbacks().clipboard.clone();
        let formats = copied.into_iter().map(|text| (PLAIN_TEXT.to_owned(), text.into_bytes())).collect();
        Ok(ClipboardContents { formats })
    }

    fn set_clipboard(&mut self, contents: Approved<SetClipboard>) -> Result<(), DesktopError> {
        let SetClipboard(contents) = contents.into_inner();
        let text = contents.formats.iter().find(|(name, _)| name == PLAIN_TEXT);
        if text.is_none() && !contents.formats.is_empty() {
            return Err(DesktopError::Clipboard { why: format!("a terminal keeps {PLAIN_TEXT} only") });
        }
        let text = text.map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned());
        self.screen().parser.callbacks_mut().clipboard = text;
        Ok(())
    }

    fn pointer(&mut self) -> Result<Option<ScreenPx>, DesktopError> {
        Ok(Some(hold(&self.terminal.hands).pointer))
    }

    fn damage_since(&mut self, mark: Option<DamageMark>) -> Result<Damage, DesktopError> {
        let whole = self.display().area;
        let mark_now = DamageMark(self.screen().changes);
        // A program may write anywhere with any byte: what is known is whether it wrote.
        let areas = if mark == Some(mark_now) { Vec::new() } else { vec![whole] };
        Ok(Damage { mark: mark_now, areas: Some(areas) })
    }

    fn pulse(&self) -> Option<Arc<dyn Pulse>> {
        Some(Arc::clone(&self.heart) as _)
    }
}
