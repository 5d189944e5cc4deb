//! The VNC injector: key and pointer events over a connection of the hands' own.
//!
//! Keys go by their symbols, and the server finds what to press for them, so nothing is borrowed and no layout is read. A server
//! answers in order: after the answer to a question it has taken every event before. It cannot be asked what is down, and
//! not every server lifts the keys of a viewer that has gone, so the hands go by their own account and lift all that it names.
//! Keys of the server's own keyboard are not seen here either: there is no stop chord on such a desktop.
//!
//! One engine of this person works on a server at a time, by a locked file; other people and machines are not kept out.

use super::connection::{Connection, Role};
use super::spares::Spares;
use super::target::Target;
use super::trouble::Trouble;
use crate::hands::Fault;
use crate::hands::injector::{Attached, Code, Event, Heard, Injector, Purpose, Resolved, Stroke};
use crate::hands::protocol::Hello;
use crate::hands::{Screen, system::Source};
use crate::keysyms;
use handsight_base::flow::action::{Axis, Button};
use handsight_base::key::{Key, Named};
use handsight_base::space::ScreenPx;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;
use xkeysym::key;

/// What is buffered at most until the server gets it.
const BUFFER: usize = 4096;
/// Between two looks at what came, where nothing tells.
const LOOK: Duration = Duration::from_secs(1);
/// What a release falls back to where no place is known.
const CORNER: ScreenPx = ScreenPx::new(0, 0);

pub(crate) struct VncInput {
    target: Target,
    connection: Connection,
    /// Holds the lock of the server; `None` once the engine is gone.
    lock: Option<File>,
    /// Where the pointer was sent, or where the server says it is.
    at: Option<ScreenPx>,
    /// The pointer was sent somewhere.
    moved: bool,
    /// A key was sent.
    keyed: bool,
    /// Buttons that are down, the first as bit 0.
    buttons: u8,
    /// Keysyms that are down.
    down: Vec<u32>,
    /// What the server was asked to find spare keys for.
    spares: Spares,
    out: Vec<u8>,
}

impl VncInput {
    fn fault(&self, trouble: Trouble) -> Fault {
        trouble.fault(&self.target.address)
    }

    fn take_in(&mut self) -> Result<bool, Fault> {
        let drained = self.connection.drain();
        let any = drained.map_err(|t| self.fault(t))?;
        self.follow_pointer();
        Ok(any)
    }

    /// Where the server says the pointer is, if it said something new.
    fn follow_pointer(&mut self) {
        if let Some(at) = self.connection.cursor.at.take() {
            self.at = Some(at);
        }
    }

    fn pointer(&mut self, buttons: u8, at: ScreenPx) -> Result<(), Fault> {
        let axis = |v: i32| (v.clamp(0, u16::MAX.into()) as u16).to_be_bytes();
        let ([x1, x2], [y1, y2]) = (axis(at.x), axis(at.y));
        self.put(&[5, buttons, x1, x2, y1, y2])
    }

    fn put(&mut self, message: &[u8]) -> Result<(), Fault> {
        self.out.extend_from_slice(message);
        if self.out.len() < BUFFER { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), Fault> {
        let sent = self.connection.send(&self.out);
        self.out.clear();
        sent.map_err(|t| self.fault(t))
    }

    fn place(&self) -> Result<ScreenPx, Fault> {
        self.at.ok_or_else(|| Fault::Refused {
            why: format!(
                "the VNC server {} has not said where its pointer is, so a press without a place could hit anything; move \
                 the pointer first",
                self.target.address
            ),
            code: None,
        })
    }
}

impl Attached for VncInput {
    fn attach(hello: &Hello) -> Result<Self, Fault> {
        let Screen::Vnc(target) = &hello.screen else {
            return Err(Fault::Unusable {
                why: format!("{:?} is no VNC server", hello.screen),
                remedy: "Name one with --desktop vnc:HOST[:PORT].".to_owned(),
            });
        };
        let lock = lock(&hello.state_file("lock"), hello.engine.pid)?;
        let opened = Connection::open(target, Role::Hands).and_then(|mut connection| {
            // The server lets us in, and may tell where its pointer is.
            connection.round_trip()?;
            Ok(connection)
        });
        let connection = opened.map_err(|trouble| match trouble {
            // The eyes were let in a moment ago.
            Trouble::Closed => super::single_viewer().fault(&target.address),
            other => other.fault(&target.address),
        })?;
        let mut input = Self {
            target: target.as_ref().clone(),
            connection,
            lock: Some(lock),
            at: None,
            moved: false,
            keyed: false,
            buttons: 0,
            down: Vec::new(),
            spares: Spares::read(hello.state_file("characters")),
            out: Vec::new(),
        };
        input.follow_pointer();
        Ok(input)
    }

    fn pump(&mut self) -> Result<Heard, Fault> {
        Ok(Heard { anything: self.take_in()?, ..Heard::default() })
    }

    fn resign(&mut self) -> Result<(), Fault> {
        self.lock = None;
        Ok(())
    }

    fn sources(&self) -> Vec<Source<'_>> {
        #[cfg(unix)]
        return self.connection.fd().into_iter().collect();
        // There a socket is nothing to wait on; [`Injector::tidy`] looks in time.
        #[cfg(not(unix))]
        Vec::new()
    }
}

impl Injector for VncInput {
    fn begin(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn end(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn resolve(
        &mut self,
        key: Key,
        purpose: Purpose,
        upcoming: &[char],
        _now: Duration,
    ) -> Result<Resolved, Fault> {
        let key = match key {
            Key::Char(c) => keysyms::control(c).map_or(key, Key::Named),
            Key::Named(_) => key,
        };
        let shift = self.down.iter().any(|s| matches!(*s, key::Shift_L | key::Shift_R));
        let none = || Fault::NoKey { key: format!("{key:?}") };
        let c = match key {
            // x11vnc lifts Shift for a Tab, because that key gives this symbol under it. Others may not know the symbol.
            Key::Named(Named::Tab) if shift && self.connection.is_libvnc() => {
                return Ok(stroke(Vec::new(), key::ISO_Left_Tab));
            }
            // It lifts Shift for these too, and there is no symbol that would keep it down.
            Key::Named(named)
                if shift && named >= Named::F1 && named <= Named::F24 && self.connection.is_libvnc() =>
            {
                return Err(Fault::Refused {
                    why: format!("x11vnc lifts Shift for the key \"{named:?}\", so that it would come alone"),
                    code: None,
                });
            }
            Key::Named(named) => {
                let symbol = keysyms::of(named).first().ok_or_else(none)?;
                return Ok(stroke(Vec::new(), *symbol));
            }
            Key::Char(c) if shift && purpose == Purpose::Chord => shifted(c),
            Key::Char(c) => c,
        };
        let symbol = keysyms::for_char(c).ok_or_else(none)?;
        if !self.spares.take(c, upcoming) {
            return Err(Fault::NoSpareKey { key: format!("{c:?}") });
        }
        if !c.is_ascii() && !std::mem::replace(&mut self.keyed, true) {
            // With the first key of a viewer TigerVNC forgets the spare keycode it gave out for it, and gives it to the next character;
            // programs that read the layout late see that one twice. A key of the layout takes this upon itself.
            // Both in one piece: nobody keeps account of this press.
            self.put(&[key_event(key::Shift_L, true), key_event(key::Shift_L, false)].concat())?;
        }
        let around = if !shift && under_shift(c) { vec![key::Shift_L] } else { Vec::new() };
        Ok(stroke(around, symbol))
    }

    fn button(&mut self, button: Button) -> Result<Code, Fault> {
        match button {
            Button::Left => Ok(Code::Button(1)),
            Button::Middle => Ok(Code::Button(2)),
            Button::Right => Ok(Code::Button(3)),
            // A pointer event has a bit for an eighth button, but servers ignore it.
            Button::Back | Button::Forward => Err(Fault::NoButton { button: format!("{button:?}") }),
        }
    }

    fn send(&mut self, event: Event, _now: Duration) -> Result<(), Fault> {
        match event {
            Event::Move(to) => {
                if !std::mem::replace(&mut self.moved, true) && to == CORNER && self.connection.is_libvnc() {
                    // It believes the pointer to be there before the first event, and sends none.
                    self.pointer(self.buttons, ScreenPx::new(1, 0))?;
                }
                self.at = Some(to);
                self.pointer(self.buttons, to)
            }
            Event::Press(Code::Button(button)) => {
                let at = self.place()?;
                self.buttons |= bit(button);
                self.pointer(self.buttons, at)
            }
            Event::Release(Code::Button(button)) => {
                let at = self.at.unwrap_or(CORNER);
                if self.buttons & bit(button) == 0 && self.connection.is_libvnc() {
                    // One of an earlier life. This server takes a release only of what this connection has pressed; pressing
                    // what is down does nothing more. Others have lifted it themselves, and would take this for a click.
                    self.pointer(self.buttons | bit(button), at)?;
                }
                self.buttons &= !bit(button);
                self.pointer(self.buttons, at)
            }
            Event::Notch { axis, positive } => {
                let at = self.place()?;
                let button = match (axis, positive) {
                    (Axis::Vertical, true) => 4,
                    (Axis::Vertical, false) => 5,
                    (Axis::Horizontal, false) => 6,
                    (Axis::Horizontal, true) => 7,
                };
                self.pointer(self.buttons | bit(button), at)?;
                self.pointer(self.buttons, at)
            }
            Event::Press(Code::Key(symbol)) => {
                self.down.push(symbol);
                self.keyed = true;
                self.key(symbol, true)
            }
            Event::Release(Code::Key(symbol)) => {
                self.down.retain(|s| *s != symbol);
                self.key(symbol, false)
            }
            Event::Wheel { .. } | Event::Character(_) => {
                Err(Fault::Refused { why: format!("VNC has no event for {event:?}"), code: None })
            }
        }
    }

    fn sync(&mut self) -> Result<(), Fault> {
        self.flush()?;
        let answered = self.connection.round_trip();
        answered.map_err(|t| self.fault(t))?;
        self.follow_pointer();
        Ok(())
    }

    /// All of them: the server cannot be asked, and a release of what is up does no harm.
    fn down(&mut self, codes: &[Code]) -> Result<Vec<Code>, Fault> {
        Ok(codes.to_vec())
    }

    fn tidy(&mut self, now: Duration, leaving: bool) -> Result<Option<Duration>, Fault> {
        Ok((!cfg!(unix) && !leaving).then_some(now + LOOK))
    }
}

impl VncInput {
    fn key(&mut self, symbol: u32, down: bool) -> Result<(), Fault> {
        self.put(&key_event(symbol, down))
    }
}

fn key_event(symbol: u32, down: bool) -> [u8; 8] {
    let mut message = [4, u8::from(down), 0, 0, 0, 0, 0, 0];
    message[4..].copy_from_slice(&symbol.to_be_bytes());
    message
}

const fn stroke(around: Vec<u32>, key: u32) -> Resolved {
    Resolved::Now(Stroke { around, key })
}

const fn bit(button: u8) -> u8 {
    match button {
        1..=8 => 1 << (button - 1),
        _ => 0,
    }
}

/// The signs of a US keyboard, and what they are under Shift.
const PLAIN: &str = "`1234567890-=[]\\;',./";
const SHIFTED: &str = "~!@#$%^&*()_+{}|:\"<>?";

/// Shift goes down around these, as at any viewer's keyboard: TigerVNC takes a capital letter without it for a sign that Caps
/// Lock is on at the viewer, and turns it on; others press the key of the symbol and nothing besides.
fn under_shift(c: char) -> bool {
    c.is_ascii_uppercase() || SHIFTED.contains(c)
}

/// What a key gives while Shift is held, which is the symbol a viewer sends. Of the signs, as on a US keyboard: a server whose
/// layout has them elsewhere finds them nevertheless.
fn shifted(c: char) -> char {
    if let Some((_, sign)) = PLAIN.chars().zip(SHIFTED.chars()).find(|(plain, _)| *plain == c) {
        return sign;
    }
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

/// Takes the server for this engine, or names the one that has it.
fn lock(file: &Path, engine: u32) -> Result<File, Fault> {
    let unusable = |why: std::io::Error| Fault::Unusable {
        why: format!("the lock file {} cannot be used: {why}", file.display()),
        remedy: "Make the state folder writable".to_owned(),
    };
    let names = file.with_extension("pid");
    let mut lock =
        OpenOptions::new().create(true).truncate(false).write(true).open(file).map_err(unusable)?;
    match lock.try_lock() {
        Ok(()) => {
            // Beside it, because a locked file cannot be read everywhere.
            fs::write(&names, engine.to_string()).map_err(unusable)?;
            let _for_people = lock.write_all(b"handsight works on this server while this file is locked\n");
            Ok(lock)
        }
        Err(fs::TryLockError::WouldBlock) => {
            let pid = fs::read_to_string(&names).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
            if pid == engine { Err(Fault::Superseded) } else { Err(Fault::InUse { pid }) }
        }
        Err(fs::TryLockError::Error(why)) => Err(unusable(why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shift_gives_what_a_viewer_would_send() {
        let pairs = [('a', 'A'), ('1', '!'), ('/', '?'), ('é', 'É'), ('ß', 'ß'), (' ', ' '), ('A', 'A')];
        for (plain, with_shift) in pairs {
            assert_eq!(shifted(plain), with_shift);
        }
    }

    #[test]
    fn capitals_and_upper_signs_are_typed_under_shift() {
        let typed: String = (' '..='~').filter(|c| under_shift(*c)).collect();
        assert_eq!(typed, "!\"#$%&()*+:<>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ^_{|}~");
        assert!(!under_shift('É') && !under_shift('é'));
    }

    #[test]
    fn buttons_are_the_bits_of_the_protocol() {
        assert_eq!([1, 2, 3, 4, 8, 0, 9].map(bit), [1, 2, 4, 8, 128, 0, 0]);
    }

    #[test]
    fn the_second_engine_is_told_who_was_first() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lock-vnc_vm_5900");
        let first = lock(&file, 41).unwrap();
        assert_eq!(lock(&file, 42).unwrap_err(), Fault::InUse { pid: 41 });
        assert_eq!(lock(&file, 41).unwrap_err(), Fault::Superseded);
        drop(first);
        assert!(lock(&file, 42).is_ok());
    }
}
