//! A real window for pictures that somebody else draws: it shows them, and tells what a person or another program does in it.
//!
//! The picture lies in a pixmap that is the window's background. So the server itself paints whatever is uncovered, and
//! nobody has to answer Expose events, whatever else this program is busy with. Pings of the window manager, and of hands
//! that wait until their keys were read, are answered in the order of events.
//!
//! It knows nothing of worlds, keeps no clock but the one it is given, and refuses to be resized: a picture has one size.
//! Characters that take several keys (dead keys, input methods) are not composed.

mod keyboard;

use super::connection::{Link, XError, XResult, describe, done, rest};
use super::damage::rectangle;
use super::segment::Segment;
use handsight_base::flow::action::{Axis, Button};
use handsight_base::key::Key;
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::{DesktopError, WindowId};
use handsight_base::space::{ScreenRect, Size, WindowPx, WindowRect};
use keyboard::{Keyboard, Pressed};
use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;
use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::properties::{WmHints, WmHintsState, WmSizeHints};
use x11rb::protocol::Event;
use x11rb::protocol::shm::ConnectionExt as _;
use x11rb::protocol::xproto::{
    AtomEnum, ButtonPressEvent, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt as _,
    CreateGCAux, CreateWindowAux, EventMask, ImageFormat, NotifyDetail, PropMode, Rectangle,
    Window as XWindow, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

/// A notch of a wheel, in the units of [`HostEvent::Wheel`].
const NOTCH: i32 = 120;

/// Which window to open.
#[derive(Clone)]
pub struct HostConfig {
    /// `:99`; `None` if neither the command line nor `DISPLAY` names one.
    pub display: Option<String>,
    pub title: String,
    /// `WM_CLASS`, both of its parts.
    pub class: String,
    /// Of the picture, which is the inside of the window.
    pub size: Size,
    /// Times the events.
    pub clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for HostConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HostConfig({:?}, {:?}, {})", self.display, self.title, self.size)
    }
}

/// What happened in the window. Places count from its top-left corner, inside of whatever a window manager adds; while a
/// button is down they may lie outside of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostEvent {
    Motion {
        at: WindowPx,
    },
    Button {
        button: Button,
        down: bool,
        at: WindowPx,
    },
    /// In 120ths of a notch. Positive is up (vertical) or right (horizontal).
    Wheel {
        axis: Axis,
        units: i32,
        at: WindowPx,
    },
    /// `Key::Char` is the character that the key types with Shift, CapsLock and the like as they are; Control and Alt
    /// change nothing about it. A release names what the press named. `repeat`: it is held, and was down already.
    Key {
        key: Key,
        down: bool,
        repeat: bool,
    },
    /// Before the focus goes, every key that is down is told as released.
    Focus {
        gained: bool,
    },
    /// Somebody wants the window closed; it stays until this host is dropped.
    CloseRequested,
}

/// A [`HostEvent`] and when it was taken in, by the host's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heard {
    pub at: Duration,
    pub what: HostEvent,
}

/// Why the window could not be opened, filled or listened to.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error(transparent)]
    Desktop(#[from] DesktopError),
    #[error("a picture of {bytes} bytes with {stride} a row does not fill the window {title:?} of {size}")]
    Picture { title: String, size: Size, bytes: usize, stride: usize },
}

impl From<XError> for HostError {
    fn from(error: XError) -> Self {
        Self::Desktop(error.into())
    }
}

/// An open window. It closes when dropped.
pub struct WindowHost {
    config: HostConfig,
    link: Link,
    window: XWindow,
    pixmap: u32,
    gc: u32,
    /// Shared with the server; `None` where that does not work.
    segment: Option<Segment>,
    keyboard: Keyboard,
    queue: VecDeque<HostEvent>,
}

impl WindowHost {
    /// Opens the window, black, and asks for it to be shown.
    ///
    /// # Errors
    /// [`DesktopError::Unusable`] where there is no X server or it does not take a window of that size.
    pub fn open(config: HostConfig) -> Result<Self, HostError> {
        let link = Link::with_xwayland(config.display.as_deref())?;
        let Size { width, height } = config.size;
        let fits = |length: u32| (1..=i16::MAX as u32).contains(&length);
        if !fits(width) || !fits(height) {
            return Err(unusable(&link, format!("no window can have {}", config.size)).into());
        }
        let segment = if link.has.shm && link.local {
            Segment::new(&link, config.size.area() as usize * 4)
                .inspect_err(|why| tracing::warn!("pictures go to the X server over its socket ({why})"))
                .ok()
        } else {
            None
        };
        let keyboard = Keyboard::follow(&link)?;
        let conn = &link.conn;
        let (window, pixmap, gc) = (
            conn.generate_id().map_err(XError::from)?,
            conn.generate_id().map_err(XError::from)?,
            conn.generate_id().map_err(XError::from)?,
        );
        let host = Self { config, window, pixmap, gc, segment, keyboard, queue: VecDeque::new(), link };
        host.create().map_err(|e| {
            e.told(|refused| unusable(&host.link, format!("the window was refused ({})", describe(refused))))
        })?;
        Ok(host)
    }

    fn create(&self) -> XResult<()> {
        let (conn, window, atoms) = (&self.link.conn, self.window, &self.link.atoms);
        let (depth, root) = (self.link.screen().root_depth, self.link.root);
        let whole = self.whole();
        let events = EventMask::KEY_PRESS
            | EventMask::KEY_RELEASE
            | EventMask::BUTTON_PRESS
            | EventMask::BUTTON_RELEASE
            | EventMask::POINTER_MOTION
            | EventMask::FOCUS_CHANGE;
        done(conn.create_pixmap(depth, self.pixmap, root, whole.width, whole.height)?)?;
        conn.create_gc(self.gc, self.pixmap, &CreateGCAux::new().foreground(self.link.screen().black_pixel))?;
        conn.poly_fill_rectangle(self.pixmap, self.gc, &[whole])?;
        let aux = CreateWindowAux::new().background_pixmap(self.pixmap).event_mask(events);
        let class = WindowClass::INPUT_OUTPUT;
        done(conn.create_window(0, window, root, 0, 0, whole.width, whole.height, 0, class, 0, &aux)?)?;

        let (replace, string) = (PropMode::REPLACE, AtomEnum::STRING);
        let title = self.config.title.as_bytes();
        conn.change_property8(replace, window, AtomEnum::WM_NAME, string, title)?;
        conn.change_property8(replace, window, atoms._NET_WM_NAME, atoms.UTF8_STRING, title)?;
        let class = format!("{0}\0{0}\0", self.config.class);
        conn.change_property8(replace, window, AtomEnum::WM_CLASS, string, class.as_bytes())?;
        let pid = [std::process::id()];
        conn.change_property32(replace, window, atoms._NET_WM_PID, AtomEnum::CARDINAL, &pid)?;
        let node = rustix::system::uname();
        let node = node.nodename().to_bytes();
        // A process number means nothing without the machine.
        conn.change_property8(replace, window, AtomEnum::WM_CLIENT_MACHINE, string, node)?;
        let protocols = [atoms.WM_DELETE_WINDOW, atoms._NET_WM_PING];
        conn.change_property32(replace, window, atoms.WM_PROTOCOLS, AtomEnum::ATOM, &protocols)?;
        let fixed = Some((i32::from(whole.width), i32::from(whole.height)));
        let size = WmSizeHints { min_size: fixed, max_size: fixed, ..WmSizeHints::new() };
        size.set_normal_hints(conn, window)?;
        let hints =
            WmHints { input: Some(true), initial_state: Some(WmHintsState::Normal), ..WmHints::new() };
        hints.set(conn, window)?;
        done(conn.map_window(window)?)
    }

    pub const fn size(&self) -> Size {
        self.config.size
    }

    /// The window as a desktop on the same display finds it.
    pub fn window(&self) -> WindowId {
        WindowId(self.window.into())
    }

    /// Shows the parts of `bgrx` that lie in `damage`: blue, green, red and an unused byte for each pixel, `stride` bytes
    /// from row to row. Returns once they are on the screen, as far as the window is seen.
    ///
    /// # Errors
    /// [`HostError::Picture`] if the picture is too short for the window.
    pub fn present(&mut self, bgrx: &[u8], stride: usize, damage: &[WindowRect]) -> Result<(), HostError> {
        let Size { width, height } = self.config.size;
        let row = width as usize * 4;
        if stride < row || bgrx.len() < stride * (height as usize - 1) + row {
            let (title, size) = (self.config.title.clone(), self.config.size);
            return Err(HostError::Picture { title, size, bytes: bgrx.len(), stride });
        }
        let whole = WindowRect::new(0, 0, width, height);
        let parts: Vec<Rectangle> = damage
            .iter()
            .filter_map(|part| part.intersect(&whole))
            .map(|r| rectangle(ScreenRect::new(r.origin.x, r.origin.y, r.size.width, r.size.height)))
            .collect();
        if !parts.is_empty() {
            for part in &parts {
                self.put(bgrx, stride, *part)?;
            }
            self.show(&parts)?;
        }
        Ok(())
    }

    /// One part of the picture into the pixmap.
    fn put(&mut self, bgrx: &[u8], stride: usize, part: Rectangle) -> XResult<()> {
        let (conn, depth) = (&self.link.conn, self.link.screen().root_depth);
        let (pixmap, gc, format) = (self.pixmap, self.gc, ImageFormat::Z_PIXMAP);
        let Rectangle { x, y, width, height } = part;
        let (left, top, len) = (x as usize * 4, y as usize, usize::from(width) * 4);
        let rows = bgrx.chunks(stride).skip(top).take(height.into()).map(|r| &r[left..left + len]);
        if let Some(segment) = &mut self.segment {
            let Size { width: across, height: down } = self.config.size;
            let mine = segment.bytes_mut().chunks_exact_mut(across as usize * 4).skip(top);
            mine.zip(rows).for_each(|(mine, row)| mine[left..left + len].copy_from_slice(row));
            let (from, format) = ((x as u16, y as u16), format.into());
            let (seg, across, down) = (segment.seg(), across as u16, down as u16);
            conn.shm_put_image(
                pixmap, gc, across, down, from.0, from.1, width, height, x, y, depth, format, false, seg, 0,
            )?;
            return Ok(());
        }
        // The header is 24 bytes, 28 for a big request.
        let at_once = (conn.maximum_request_bytes().saturating_sub(28) / len).max(1);
        let rows: Vec<&[u8]> = rows.collect();
        for (n, rows) in rows.chunks(at_once).enumerate() {
            let (top, tall) = (y + (n * at_once) as i16, rows.len() as u16);
            conn.put_image(format, pixmap, gc, width, tall, x, top, 0, depth, &rows.concat())?;
        }
        Ok(())
    }

    /// The pixmap's parts on the window.
    fn show(&self, parts: &[Rectangle]) -> XResult<()> {
        let conn = &self.link.conn;
        // A server may have made a copy of the background; this one costs nothing where it has not.
        let aux = ChangeWindowAttributesAux::new().background_pixmap(self.pixmap);
        conn.change_window_attributes(self.window, &aux)?;
        for Rectangle { x, y, width, height } in parts {
            conn.clear_area(false, self.window, *x, *y, *width, *height)?;
        }
        // The server has read the segment by then, which may be written again.
        self.link.sync()
    }

    /// The next thing that happened, if any. Never waits.
    pub fn poll(&mut self) -> Result<Option<Heard>, HostError> {
        let what = loop {
            if let Some(what) = self.queue.pop_front() {
                break Some(what);
            }
            match self.link.conn.poll_for_event().map_err(XError::from)? {
                Some(event) => self.take_in(&event)?,
                None => break None,
            }
        };
        Ok(what.map(|what| Heard { at: self.config.clock.now(), what }))
    }

    /// The next thing that happens, or `None` after `at_most`.
    pub fn wait(&mut self, at_most: Duration) -> Result<Option<Heard>, HostError> {
        let began = self.link.now();
        loop {
            if let Some(heard) = self.poll()? {
                return Ok(Some(heard));
            }
            let spent = self.link.now().saturating_sub(began);
            let Some(left) = at_most.checked_sub(spent).filter(|left| !left.is_zero()) else {
                return Ok(None);
            };
            rest(&self.link.conn, Some(left), None)?;
        }
    }

    fn take_in(&mut self, event: &Event) -> XResult<()> {
        match event {
            Event::MotionNotify(e) => {
                self.queue.push_back(HostEvent::Motion { at: place(e.event_x, e.event_y) })
            }
            Event::ButtonPress(e) => self.queue.extend(pressed(e, true)),
            Event::ButtonRelease(e) => self.queue.extend(pressed(e, false)),
            Event::KeyPress(e) => {
                if let Some(Pressed { key, repeat }) = self.keyboard.press(&self.link, e.detail, e.state)? {
                    self.queue.push_back(HostEvent::Key { key, down: true, repeat });
                }
            }
            Event::KeyRelease(e) => {
                let key = self.keyboard.release(e.detail);
                self.queue.extend(key.map(|key| HostEvent::Key { key, down: false, repeat: false }));
            }
            // Where the pointer is says nothing about the focus.
            Event::FocusIn(e) if e.detail != NotifyDetail::POINTER => {
                self.queue.push_back(HostEvent::Focus { gained: true });
            }
            Event::FocusOut(e) if e.detail != NotifyDetail::POINTER => {
                let up = self.keyboard.release_all();
                self.queue.extend(up.map(|key| HostEvent::Key { key, down: false, repeat: false }));
                self.queue.push_back(HostEvent::Focus { gained: false });
            }
            Event::XkbNewKeyboardNotify(_) | Event::XkbMapNotify(_) => self.keyboard.changed(),
            Event::ClientMessage(e) if e.type_ == self.link.atoms.WM_PROTOCOLS && e.format == 32 => {
                let [what, ..] = e.data.as_data32();
                if what == self.link.atoms.WM_DELETE_WINDOW {
                    self.queue.push_back(HostEvent::CloseRequested);
                } else if what == self.link.atoms._NET_WM_PING && e.window == self.window {
                    self.answer(*e)?;
                }
            }
            Event::Error(e) => tracing::debug!("the X server refused {}", describe(e)),
            _ => {}
        }
        Ok(())
    }

    /// Sends a ping back to where it is waited for. What came before it has been taken in.
    fn answer(&self, ping: ClientMessageEvent) -> XResult<()> {
        let root = self.link.root;
        let answer = ClientMessageEvent { window: root, ..ping };
        let to = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_REDIRECT;
        self.link.conn.send_event(false, root, to, answer)?;
        self.link.conn.flush()?;
        Ok(())
    }

    fn whole(&self) -> Rectangle {
        let Size { width, height } = self.config.size;
        rectangle(ScreenRect::new(0, 0, width, height))
    }
}

impl AsFd for WindowHost {
    /// Readable when something may have happened, after [`WindowHost::poll`] gave nothing.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.link.conn.stream().as_fd()
    }
}

impl std::fmt::Debug for WindowHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WindowHost({:?}, {:#x})", self.config, self.window)
    }
}

fn unusable(link: &Link, why: String) -> DesktopError {
    let remedy = "Choose a size that the X server can show, or another display with DISPLAY=:N.";
    DesktopError::Unusable { why: format!("{why} on {}", link.display), remedy: remedy.into() }
}

const fn place(x: i16, y: i16) -> WindowPx {
    WindowPx::new(x as i32, y as i32)
}

/// A wheel is buttons too, whose releases say nothing.
const fn pressed(event: &ButtonPressEvent, down: bool) -> Option<HostEvent> {
    let at = place(event.event_x, event.event_y);
    let button = match event.detail {
        1 => Button::Left,
        2 => Button::Middle,
        3 => Button::Right,
        8 => Button::Back,
        9 => Button::Forward,
        4..=7 if down => {
            let axis = if event.detail < 6 { Axis::Vertical } else { Axis::Horizontal };
            let units = if matches!(event.detail, 4 | 7) { NOTCH } else { -NOTCH };
            return Some(HostEvent::Wheel { axis, units, at });
        }
        _ => return None,
    };
    Some(HostEvent::Button { button, down, at })
}
