//! The stop chord, seen from the root window whatever has the keyboard.
//!
//! Raw events count every key of every device, the hands' own among them: a chord made half by the person and half by what
//! the engine holds stops too, which errs on the safe side.

use super::keymap::Layout;
use super::{broken, lost};
use crate::hands::protocol::Fault;
use crate::keysyms;
use handsight_base::key::{Chord, Key, Named};
use std::collections::HashSet;
use x11rb::protocol::xinput::{ConnectionExt as _, Device, EventMask, XIEventMask};
use x11rb::protocol::xproto::{ConnectionExt as _, Window};
use x11rb::rust_connection::RustConnection;
use xkeysym::key;

#[derive(Debug)]
pub(crate) struct ChordWatch {
    keys: Vec<Key>,
    /// For each key of the chord, the keycodes that count as it.
    codes: Vec<Vec<u8>>,
    down: HashSet<u8>,
    remembered: bool,
}

impl ChordWatch {
    /// With `all` every raw event of keyboards, pointers and touch screens comes in, not the keys only.
    pub(crate) fn new(conn: &RustConnection, root: Window, chord: &Chord, all: bool) -> Result<Self, Fault> {
        let no_xi2 = || Fault::Unusable {
            why: "the X server does not speak XInput 2, so the stop chord could not be heard".to_owned(),
            remedy: "Start the server without `-extension XInputExtension`".to_owned(),
        };
        conn.xinput_xi_query_version(2, 2).map_err(|_| no_xi2())?.reply().map_err(|_| no_xi2())?;
        let mut mask = XIEventMask::RAW_KEY_PRESS | XIEventMask::RAW_KEY_RELEASE;
        if all {
            mask |= XIEventMask::RAW_BUTTON_PRESS | XIEventMask::RAW_BUTTON_RELEASE | XIEventMask::RAW_MOTION;
            mask |= XIEventMask::RAW_TOUCH_BEGIN | XIEventMask::RAW_TOUCH_UPDATE | XIEventMask::RAW_TOUCH_END;
        }
        let masks = [EventMask { deviceid: Device::ALL_MASTER.into(), mask: vec![mask] }];
        conn.xinput_xi_select_events(root, &masks).map_err(lost)?.check().map_err(broken)?;
        let keys = conn.query_keymap().map_err(lost)?.reply().map_err(broken)?.keys;
        let down = (0..=255u8).filter(|c| keys[usize::from(c / 8)] >> (c % 8) & 1 == 1).collect();
        Ok(Self { keys: chord.0.clone(), codes: Vec::new(), down, remembered: false })
    }

    /// Looks the chord's keys up in a new layout.
    pub(crate) fn follow(&mut self, layout: &Layout) {
        self.codes = self.keys.iter().map(|key| carriers(layout, *key)).collect();
    }

    /// True if this press completes the chord.
    pub(crate) fn press(&mut self, code: u8) -> bool {
        self.down.insert(code);
        let any_down = |codes: &Vec<u8>| codes.iter().any(|c| self.down.contains(c));
        self.codes.iter().flatten().any(|c| *c == code)
            && !self.codes.is_empty()
            && self.codes.iter().all(any_down)
    }

    pub(crate) fn release(&mut self, code: u8) {
        self.down.remove(&code);
    }

    /// The chord was pressed at a moment when nobody could act on it.
    pub(crate) fn remember(&mut self) {
        self.remembered = true;
    }

    pub(crate) fn take_remembered(&mut self) -> bool {
        std::mem::take(&mut self.remembered)
    }
}

/// Either side of a modifier is the modifier, and Ctrl+Pause is Break.
fn carriers(layout: &Layout, key: Key) -> Vec<u8> {
    match key {
        Key::Char(c) => layout.carriers_of_char(c),
        Key::Named(Named::Control) => layout.carriers(&[key::Control_L, key::Control_R]),
        Key::Named(Named::Shift) => layout.carriers(&[key::Shift_L, key::Shift_R]),
        Key::Named(Named::Alt) => layout.carriers(&[key::Alt_L, key::Alt_R, key::Meta_L, key::Meta_R]),
        Key::Named(Named::Super) => layout.carriers(&[key::Super_L, key::Super_R]),
        Key::Named(Named::Pause) => layout.carriers(&[key::Pause, key::Break]),
        Key::Named(named) => layout.carriers(keysyms::of(named)),
    }
}
