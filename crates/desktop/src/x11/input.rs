//! The X11 injector: XTEST events over a connection of the hands' own.
//!
//! The connection is impervious to other clients' server grabs, or a release would wait behind them. It owns the selection
//! that says whose hands are on this display, and it hears the stop chord and the person as raw events of the root window, which
//! arrive even while a program has grabbed the keyboard; a key grab would not.

mod chord;
mod drain;
mod fault;
pub(super) mod keymap;
mod ownership;
mod person;
mod pin;
mod spare;

use crate::hands::Screen;
use crate::hands::injector::{Attached, Code, Event, Focus, Heard, Injector, Purpose, Resolved, Stroke};
use crate::hands::protocol::{Fault, Hello};
use crate::hands::system::Source;
use crate::keysyms;
use chord::ChordWatch;
use drain::Drain;
use fault::{atom, broken, lost, no_key, refusal, unwritten};
use handsight_base::flow::action::Button;
use handsight_base::key::{Key, Named};
use keymap::{Effect, Layout, State, bits};
use ownership::Ownership;
use person::PersonWatch;
use pin::Pin;
use spare::{Plan, Spares};
use std::collections::HashSet;
use std::os::fd::AsFd;
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::protocol::Event as XEvent;
use x11rb::protocol::xkb::{ConnectionExt as _, EventType, Group, MapPart, SelectEventsAux};
use x11rb::protocol::xproto::{self, ConnectionExt as _, ModMask, Window};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// Borrowed keycodes that nobody used for this long are given back.
const IDLE: Duration = Duration::from_secs(5);

/// The core keyboard, in the words of XKB.
const CORE: u16 = 0x100;
/// CapsLock's modifier bit.
const CAPS: u8 = 2;

pub(crate) struct X11Input {
    conn: RustConnection,
    root: Window,
    ownership: Ownership,
    layout: Layout,
    /// The layout changed since it was read.
    layout_stale: bool,
    state: State,
    /// Keys of our own may have changed the state.
    state_stale: bool,
    spares: Spares,
    drain: Drain,
    chord: ChordWatch,
    /// `None` if whoever else uses the screen is let be.
    person: Option<PersonWatch>,
    /// `None` if a text goes on wherever the focus goes.
    pin: Option<Pin>,
    /// The server may not have taken all that was sent without a question.
    unsettled: bool,
    /// Keycodes that we pressed and did not release.
    down: Vec<u32>,
    /// CapsLock is to be given back.
    caps: bool,
    /// The batch presses CapsLock itself: hands off it.
    caps_meant: bool,
    refused: Option<Fault>,
}

impl Attached for X11Input {
    /// Borrowed keycodes of an earlier life are given back.
    fn attach(hello: &Hello) -> Result<Self, Fault> {
        let Screen::X11 { display } = &hello.screen else {
            let why = format!("{:?} is no X server", hello.screen);
            return Err(Fault::Unusable { why, remedy: String::new() });
        };
        let (conn, screen) = RustConnection::connect(Some(display)).map_err(|why| Fault::Unusable {
            why: format!("no X server answers on {display:?} ({why})"),
            remedy: "Start one, or name another display with --desktop x11:N".to_owned(),
        })?;
        let root = conn.setup().roots[screen].root;
        if conn.xtest_get_version(2, 2).is_err() {
            return Err(Fault::Unusable {
                why: format!(
                    "the X server on {display:?} has no XTEST extension, so nothing can be typed or clicked"
                ),
                remedy: "Start the server without `-extension XTEST`".to_owned(),
            });
        }
        conn.xtest_grab_control(true).map_err(lost)?;
        let ownership = ownership::take(&conn, root, hello.engine)?;
        conn.xkb_use_extension(1, 0).map_err(lost)?.reply().map_err(broken)?;
        let all = MapPart::from(0xffu16);
        let events = EventType::NEW_KEYBOARD_NOTIFY | EventType::MAP_NOTIFY;
        let none = EventType::from(0u16);
        conn.xkb_select_events(CORE, none, events, all, all, &SelectEventsAux::new()).map_err(lost)?;
        let chord = ChordWatch::new(&conn, root, &hello.stop_chord, hello.person)?;
        let person = hello.person.then(|| PersonWatch::new(&conn)).transpose()?;
        let pin = hello.addressed.then(|| Pin::connect(display, root)).transpose()?;
        let drain = Drain::new(&conn, root)?;
        let (spares, left) = Spares::open(hello.state_file("borrowed"));
        let mut input = Self {
            conn,
            root,
            ownership,
            layout: Layout::default(),
            layout_stale: true,
            state: State::default(),
            state_stale: true,
            spares,
            drain,
            chord,
            person,
            pin,
            unsettled: true,
            down: Vec::new(),
            caps: false,
            caps_meant: false,
            refused: None,
        };
        input.follow_layout()?;
        for (code, symbol) in left {
            input.give_back(code, symbol)?;
        }
        input.spares.retain(|_| false).map_err(|why| unwritten(&why))?;
        input.conn.flush().map_err(lost)?;
        Ok(input)
    }

    fn resign(&mut self) -> Result<(), Fault> {
        self.ownership.resign(&self.conn)
    }

    fn pump(&mut self) -> Result<Heard, Fault> {
        let chord = self.chord.take_remembered();
        let person = self.person.as_mut().is_some_and(PersonWatch::take_remembered);
        let mut heard = Heard { anything: chord || person, chord, person };
        let mut superseded = false;
        while let Some(event) = self.conn.poll_for_event().map_err(lost)? {
            heard.anything = true;
            heard.person |= self.person.as_mut().is_some_and(|person| person.heard(&event, &self.down));
            match event {
                XEvent::XinputRawKeyPress(e) => heard.chord |= self.chord.press(e.detail as u8),
                XEvent::XinputRawKeyRelease(e) => self.chord.release(e.detail as u8),
                XEvent::XkbNewKeyboardNotify(_) => self.layout_stale = true,
                XEvent::XkbMapNotify(e) => {
                    // Our own borrowing changes the symbols of borrowed keycodes and nothing else.
                    let mine = self.spares.codes();
                    let changed = e.first_key_sym..e.first_key_sym.saturating_add(e.n_key_syms);
                    let own = !changed.is_empty() && changed.into_iter().all(|code| mine.contains(&code));
                    self.layout_stale |= !own;
                }
                XEvent::ClientMessage(e) => self.drain.heard(&e),
                XEvent::SelectionClear(e) if e.selection == self.ownership.selection => {
                    superseded = true;
                }
                XEvent::Error(e) => self.refused = refusal(&e).or(self.refused.take()),
                // Windows come and go while we ask about them.
                _ => {}
            }
        }
        if superseded { Err(Fault::Superseded) } else { Ok(heard) }
    }

    fn sources(&self) -> Vec<Source<'_>> {
        vec![self.conn.stream().as_fd()]
    }
}

impl X11Input {
    /// Reads the layout if it changed.
    fn follow_layout(&mut self) -> Result<(), Fault> {
        if !std::mem::take(&mut self.layout_stale) {
            return Ok(());
        }
        let full = MapPart::KEY_TYPES | MapPart::KEY_SYMS | MapPart::MODIFIER_MAP;
        let none = MapPart::from(0u16);
        let vmods = 0u16.into();
        let map = self
            .conn
            .xkb_get_map(CORE, full, none, 0, 0, 0, 0, 0, 0, 0, 0, vmods, 0, 0, 0, 0, 0, 0)
            .map_err(lost)?
            .reply()
            .map_err(broken)?;
        self.layout = Layout::new(&map, &self.spares.codes());
        // A new layout (setxkbmap) wipes what we borrowed.
        let layout = &self.layout;
        let ours = |b: &spare::Borrowed| layout.carries_only(b.code, b.symbol);
        if self.spares.borrowed().iter().any(|b| !ours(b)) {
            self.spares.retain(ours).map_err(|why| unwritten(&why))?;
            self.layout = Layout::new(&map, &self.spares.codes());
        }
        self.chord.follow(&self.layout);
        self.state_stale = true;
        Ok(())
    }

    fn follow_state(&mut self) -> Result<(), Fault> {
        if !std::mem::take(&mut self.state_stale) {
            return Ok(());
        }
        let state = self.conn.xkb_get_state(CORE).map_err(lost)?.reply().map_err(broken)?;
        self.state =
            State { mods: bits(state.mods), locked: bits(state.locked_mods), group: state.group.into() };
        Ok(())
    }

    /// CapsLock off (or back on), for all programs.
    fn lock_caps(&mut self, on: bool) -> Result<(), Fault> {
        let value = if on { ModMask::LOCK } else { ModMask::from(0u16) };
        let none = ModMask::from(0u16);
        self.conn
            .xkb_latch_lock_state(CORE, ModMask::LOCK, value, false, Group::M1, none, false, 0)
            .map_err(lost)?;
        self.caps = !on;
        self.unsettled = true;
        self.state_stale = true;
        Ok(())
    }

    /// A keycode for a symbol that the layout lacks.
    fn borrow(&mut self, symbol: u32, upcoming: &[char], now: Duration) -> Result<Resolved, Fault> {
        if let Some(code) = self.spares.code_of(symbol) {
            return Ok(Resolved::Now(Stroke { around: Vec::new(), key: code.into() }));
        }
        self.unsettled = true;
        // What is needed soon, in the order of need, as far as there are keycodes: one change for all of them.
        let mut soon = vec![symbol];
        for c in upcoming {
            if self.layout.text(*c, self.state).is_none() {
                soon.extend(keysyms::for_char(*c).filter(|s| !soon.contains(s)));
            }
        }
        soon.truncate(self.layout.empty().len().max(self.spares.borrowed().len()));
        let wanted: Vec<u32> = soon.iter().copied().filter(|s| self.spares.code_of(*s).is_none()).collect();
        let kept: HashSet<u32> = soon.into_iter().collect();
        match self.spares.plan(&wanted, &kept, &self.down, self.layout.empty()) {
            Plan::Map(map) => {
                self.spares.borrow(&map).map_err(|why| unwritten(&why))?;
                for (code, symbol) in &map {
                    self.map_key(*code, &[*symbol; 2])?;
                }
                let found = self.spares.code_of(symbol);
                found
                    .map(|code| Resolved::Now(Stroke { around: Vec::new(), key: code.into() }))
                    .ok_or_else(|| no_key(symbol))
            }
            Plan::Drain => match self.drained(now)? {
                Some(due) => Ok(Resolved::NotBefore(due)),
                None => Ok(Resolved::NotBefore(now)),
            },
            Plan::Full => Err(no_key(symbol)),
        }
    }

    /// `None` if programs have read every borrowed key.
    fn drained(&mut self, now: Duration) -> Result<Option<Duration>, Fault> {
        let Some(last) = self.spares.last_used().filter(|_| !self.spares.is_drained()) else {
            return Ok(None);
        };
        self.unsettled = true;
        let due = self.drain.wait(&self.conn, last, now)?;
        if due.is_none() {
            self.spares.drained(now.max(last + Duration::from_nanos(1)));
        }
        Ok(due)
    }

    fn map_key(&self, code: u8, symbols: &[u32]) -> Result<(), Fault> {
        let per = symbols.len() as u8;
        xproto::change_keyboard_mapping(&self.conn, 1, code, per, symbols).map(drop).map_err(lost)
    }

    /// Empties a borrowed keycode, unless it was given to somebody else since.
    fn give_back(&self, code: u8, symbol: u32) -> Result<(), Fault> {
        if self.layout.carries_only(code, symbol) {
            self.map_key(code, &[xkeysym::key::NoSymbol])?;
        }
        Ok(())
    }
}

impl Injector for X11Input {
    fn begin(&mut self) -> Result<(), Fault> {
        self.pump_quietly()?;
        self.pin.as_ref().map_or(Ok(()), Pin::pump)?;
        self.state_stale = true;
        self.follow_state()?;
        if self.state.locked & CAPS != 0 && !self.caps_meant {
            self.lock_caps(false)?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Fault> {
        self.caps_meant = false;
        if self.caps { self.lock_caps(true) } else { Ok(()) }
    }

    fn resolve(
        &mut self,
        key: Key,
        purpose: Purpose,
        upcoming: &[char],
        now: Duration,
    ) -> Result<Resolved, Fault> {
        let key = match key {
            Key::Char(c) => keysyms::control(c).map_or(key, Key::Named),
            Key::Named(_) => key,
        };
        if key == Key::Named(Named::CapsLock) {
            self.caps_meant = true;
            if self.caps {
                self.lock_caps(true)?;
            }
        }
        self.follow_layout()?;
        self.follow_state()?;
        let found = match (key, purpose) {
            (Key::Char(c), Purpose::Text) => self.layout.text(c, self.state),
            (Key::Char(c), Purpose::Chord) => self.layout.chord_char(c, self.state),
            (Key::Named(named), _) => self.layout.chord(keysyms::of(named), self.state),
        };
        if let Some(stroke) = found {
            return Ok(Resolved::Now(stroke));
        }
        let symbol = match key {
            Key::Char(c) => keysyms::for_char(c),
            // A borrowed keycode is in no modifier map: it would hold nothing.
            Key::Named(named) if named.is_modifier() => None,
            Key::Named(named) => keysyms::of(named).first().copied(),
        };
        let symbol = symbol.ok_or_else(|| Fault::NoKey { key: format!("{key:?}") })?;
        self.borrow(symbol, upcoming, now)
    }

    fn button(&mut self, button: Button) -> Result<Code, Fault> {
        let logical = match button {
            Button::Left => 1,
            Button::Middle => 2,
            Button::Right => 3,
            Button::Back => 8,
            Button::Forward => 9,
        };
        // Injected buttons are physical ones; the person may have swapped them.
        let map = self.conn.get_pointer_mapping().map_err(lost)?.reply().map_err(broken)?.map;
        let physical = map.iter().position(|l| *l == logical).map_or(logical, |i| i as u8 + 1);
        Ok(Code::Button(physical))
    }

    fn pin_focus(&mut self, meant: Option<u64>) -> Result<Focus, Fault> {
        let Some(pin) = &mut self.pin else { return Ok(Focus::Untold) };
        if std::mem::take(&mut self.unsettled) {
            // It comes first, and not while the other connection holds the server.
            self.conn.get_input_focus().map_err(lost)?.reply().map_err(broken)?;
        }
        let focus = pin.hold(meant);
        if focus.is_err() {
            pin.release()?;
        }
        focus
    }

    fn unpin_focus(&mut self) -> Result<(), Fault> {
        self.pin.as_mut().map_or(Ok(()), Pin::release)
    }

    fn name_of(&mut self, window: u64) -> Result<String, Fault> {
        self.pin.as_ref().map_or_else(|| Ok(String::new()), |pin| pin.name_of(window))
    }

    fn send(&mut self, event: Event, now: Duration) -> Result<(), Fault> {
        self.person.iter_mut().for_each(|person| person.sends(event, now));
        if let Some(pin) = self.pin.as_ref().filter(|pin| pin.holds()) {
            pin.send(event)?;
            self.sent_key(event, now);
            return Ok(());
        }
        self.unsettled = true;
        let fake = |kind: u8, detail: u8, x: i16, y: i16| {
            let sent = self.conn.xtest_fake_input(kind, detail, x11rb::CURRENT_TIME, self.root, x, y, 0);
            sent.map(drop).map_err(lost)
        };
        match event {
            Event::Move(to) => {
                let axis = |v: i32| v.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
                fake(xproto::MOTION_NOTIFY_EVENT, 0, axis(to.x), axis(to.y))
            }
            Event::Press(Code::Button(b)) => fake(xproto::BUTTON_PRESS_EVENT, b, 0, 0),
            Event::Release(Code::Button(b)) => fake(xproto::BUTTON_RELEASE_EVENT, b, 0, 0),
            Event::Notch { axis, positive } => {
                let button = person::wheel(axis, positive);
                fake(xproto::BUTTON_PRESS_EVENT, button, 0, 0)?;
                fake(xproto::BUTTON_RELEASE_EVENT, button, 0, 0)
            }
            // Never asked for here: the wheel turns by notches, and text is keys.
            Event::Wheel { .. } | Event::Character(_) => Ok(()),
            Event::Press(Code::Key(code)) => {
                fake(xproto::KEY_PRESS_EVENT, code as u8, 0, 0)?;
                self.sent_key(event, now);
                Ok(())
            }
            Event::Release(Code::Key(code)) => {
                fake(xproto::KEY_RELEASE_EVENT, code as u8, 0, 0)?;
                self.sent_key(event, now);
                Ok(())
            }
        }
    }

    fn sync(&mut self) -> Result<(), Fault> {
        self.conn.get_input_focus().map_err(lost)?.reply().map_err(broken)?;
        self.unsettled = false;
        self.pump_quietly()?;
        self.refused.take().map_or(Ok(()), Err)
    }

    fn down(&mut self, codes: &[Code]) -> Result<Vec<Code>, Fault> {
        let keys = self.conn.query_keymap().map_err(lost)?.reply().map_err(broken)?.keys;
        let mask = self.conn.query_pointer(self.root).map_err(lost)?.reply().map_err(broken)?.mask;
        let is_down = |code: &Code| match *code {
            Code::Key(code) => keys.get((code / 8) as usize).is_some_and(|byte| byte >> (code % 8) & 1 == 1),
            // The mask shows buttons 1 to 5 by their logical numbers; for the others a release does no harm.
            Code::Button(b @ 1..=5) => u16::from(mask) >> (7 + b) & 1 == 1,
            Code::Button(_) => true,
        };
        Ok(codes.iter().copied().filter(is_down).collect())
    }

    fn others_hold(&mut self, own: &[Code]) -> Result<bool, Fault> {
        self.person.as_ref().map_or(Ok(false), |_| person::others_hold(&self.conn, self.root, own))
    }

    fn tidy(&mut self, now: Duration, leaving: bool) -> Result<Option<Duration>, Fault> {
        self.person.iter_mut().for_each(|person| person.forgets(now));
        let Some(last) = self.spares.last_used() else { return Ok(None) };
        let idle = last + IDLE;
        if !leaving && now < idle {
            return Ok(Some(idle));
        }
        if let Some(due) = self.drained(now)? {
            return Ok(Some(due));
        }
        self.follow_layout()?;
        self.unsettled = true;
        let borrowed = self.spares.borrowed().to_vec();
        for b in borrowed {
            self.map_key(b.code, &[xkeysym::key::NoSymbol])?;
        }
        self.sync()?;
        self.spares.retain(|_| false).map_err(|why| unwritten(&why))?;
        Ok(None)
    }
}

impl X11Input {
    /// Follows what a key of our own does to the state. Asks the server nothing, which may be held.
    fn sent_key(&mut self, event: Event, now: Duration) {
        let code = match event {
            Event::Press(Code::Key(code)) => {
                self.down.push(code);
                code
            }
            Event::Release(Code::Key(code)) => {
                self.down.retain(|c| *c != code);
                code
            }
            _ => return,
        };
        match self.layout.effect(code) {
            Effect::None => {}
            Effect::Holds(mask) if self.down.contains(&code) => self.state.mods |= mask,
            Effect::Holds(mask) => self.state.mods &= !mask,
            Effect::Unknown => self.state_stale = true,
        }
        if self.spares.used(code, now) {
            self.drain.restart();
        }
    }

    /// Takes events in where nobody can act upon the chord or the person yet; both are remembered.
    fn pump_quietly(&mut self) -> Result<(), Fault> {
        let heard = self.pump()?;
        if heard.chord {
            self.chord.remember();
        }
        self.person.iter_mut().filter(|_| heard.person).for_each(PersonWatch::remember);
        Ok(())
    }
}
