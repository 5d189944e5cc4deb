//! Which key an X event means, by the layout in force when it is taken in.
//!
//! Layouts change while we listen: hands put characters that the layout lacks on spare keycodes. A change comes as an event
//! before the keys it is about, and the table is read afresh with the next key.

use super::super::connection::{Link, XResult};
use super::super::input::keymap::{Layout, State};
use crate::keysyms;
use handsight_base::key::{Key, NAMED_KEYS, Named};
use std::collections::{BTreeMap, HashMap};
use x11rb::protocol::xkb::{
    BoolCtrl, ConnectionExt as _, EventType, ID, MapPart, PerClientFlag, SelectEventsAux,
};
use x11rb::protocol::xproto::KeyButMask;
use xkeysym::{Keysym, key};

/// Symbols of named keys beside those that we press ourselves.
const OTHERS: [(u32, Named); 17] = [
    (key::ISO_Left_Tab, Named::Tab),
    (key::Linefeed, Named::Enter),
    (key::ISO_Enter, Named::Enter),
    (key::Sys_Req, Named::PrintScreen),
    (key::Break, Named::Pause),
    (key::Hyper_L, Named::Super),
    (key::Hyper_R, Named::SuperRight),
    (key::Meta_R, Named::AltRight),
    (key::KP_Home, Named::Home),
    (key::KP_End, Named::End),
    (key::KP_Page_Up, Named::PageUp),
    (key::KP_Page_Down, Named::PageDown),
    (key::KP_Left, Named::Left),
    (key::KP_Right, Named::Right),
    (key::KP_Up, Named::Up),
    (key::KP_Down, Named::Down),
    (key::KP_Insert, Named::Insert),
];

pub(super) struct Keyboard {
    layout: Layout,
    stale: bool,
    named: HashMap<u32, Named>,
    /// What each keycode that is down was when it was pressed.
    down: BTreeMap<u8, Key>,
}

pub(super) struct Pressed {
    pub key: Key,
    /// It was down already.
    pub repeat: bool,
}

impl Keyboard {
    /// Follows the display's keyboard from now on.
    pub(super) fn follow(link: &Link) -> XResult<Self> {
        let (conn, core) = (&link.conn, ID::USE_CORE_KBD.into());
        conn.xkb_use_extension(1, 0)?.reply()?;
        let all = MapPart::from(0xffu16);
        let events = EventType::NEW_KEYBOARD_NOTIFY | EventType::MAP_NOTIFY;
        let none = EventType::from(0u16);
        conn.xkb_select_events(core, none, events, all, all, &SelectEventsAux::new())?;
        // A key that is held repeats its press alone, not with releases in between.
        let (held, no) = (PerClientFlag::DETECTABLE_AUTO_REPEAT, BoolCtrl::from(0u32));
        conn.xkb_per_client_flags(core, held, held, no, no, no)?.reply()?;
        let named = NAMED_KEYS.iter().flat_map(|(named, _)| keysyms::of(*named).iter().map(|s| (*s, *named)));
        // The first that claims a symbol has it.
        let mut table: HashMap<u32, Named> = OTHERS.into();
        for (symbol, named) in named {
            table.entry(symbol).or_insert(named);
        }
        table.insert(key::KP_Delete, Named::Delete);
        Ok(Self { layout: Layout::default(), stale: true, named: table, down: BTreeMap::new() })
    }

    /// The layout is not what it was.
    pub(super) fn changed(&mut self) {
        self.stale = true;
    }

    /// A keycode went down; `None` if it means nothing to us.
    pub(super) fn press(&mut self, link: &Link, code: u8, state: KeyButMask) -> XResult<Option<Pressed>> {
        if std::mem::take(&mut self.stale) {
            let parts = MapPart::KEY_TYPES | MapPart::KEY_SYMS | MapPart::MODIFIER_MAP;
            let (core, none) = (ID::USE_CORE_KBD.into(), MapPart::from(0u16));
            let asked = link.conn.xkb_get_map(
                core,
                parts,
                none,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0u16.into(),
                0,
                0,
                0,
                0,
                0,
                0,
            )?;
            self.layout = Layout::new(&asked.reply()?, &[]);
        }
        let state = u16::from(state);
        let state = State { mods: state as u8, locked: 0, group: (state >> 13 & 3) as u8 };
        // Shifted into nothing that we know (Ctrl+Alt+F1 switches consoles), a key is what it is without.
        let bare = State { group: state.group, ..State::default() };
        let mut symbols = [state, bare].into_iter().filter_map(|state| self.layout.symbol(code, state));
        let Some(key) = symbols.find_map(|symbol| self.key(symbol)) else {
            return Ok(None);
        };
        // What it was when it went down is what it repeats.
        let repeat = self.down.contains_key(&code);
        Ok(Some(Pressed { key: *self.down.entry(code).or_insert(key), repeat }))
    }

    fn key(&self, symbol: u32) -> Option<Key> {
        if let Some(named) = self.named.get(&symbol) {
            return Some(Key::Named(*named));
        }
        Keysym::new(symbol).key_char().filter(|c| !c.is_control()).map(Key::Char)
    }

    /// A keycode went up: what it was.
    pub(super) fn release(&mut self, code: u8) -> Option<Key> {
        self.down.remove(&code)
    }

    /// Whatever is down counts as up from now on.
    pub(super) fn release_all(&mut self) -> impl Iterator<Item = Key> + use<> {
        std::mem::take(&mut self.down).into_values()
    }
}
