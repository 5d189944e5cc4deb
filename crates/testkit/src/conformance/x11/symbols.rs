//! What a keycode means to an ordinary program, by the core protocol's table of symbols.

use handsight_base::key::{Key, Named};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use xkeysym::{Keysym, key};

const SHIFT: u32 = 1;
const LOCK: u32 = 2;
const LEVEL3: u32 = 128;

const NAMES: &[(u32, Named)] = &[
    (key::Return, Named::Enter),
    (key::Tab, Named::Tab),
    (key::Escape, Named::Escape),
    (key::BackSpace, Named::Backspace),
    (key::Delete, Named::Delete),
    (key::Insert, Named::Insert),
    (key::space, Named::Space),
    (key::Home, Named::Home),
    (key::End, Named::End),
    (key::Page_Up, Named::PageUp),
    (key::Page_Down, Named::PageDown),
    (key::Left, Named::Left),
    (key::Right, Named::Right),
    (key::Up, Named::Up),
    (key::Down, Named::Down),
    (key::Control_L, Named::Control),
    (key::Control_R, Named::ControlRight),
    (key::Shift_L, Named::Shift),
    (key::Shift_R, Named::ShiftRight),
    (key::Alt_L, Named::Alt),
    (key::Alt_R, Named::AltRight),
    (key::ISO_Level3_Shift, Named::AltRight),
    (key::Super_L, Named::Super),
    (key::Super_R, Named::SuperRight),
    (key::F1, Named::F1),
    (key::F2, Named::F2),
    (key::F3, Named::F3),
    (key::F4, Named::F4),
    (key::F5, Named::F5),
    (key::F6, Named::F6),
    (key::F7, Named::F7),
    (key::F8, Named::F8),
    (key::F9, Named::F9),
    (key::F10, Named::F10),
    (key::F11, Named::F11),
    (key::F12, Named::F12),
];

/// The symbols of all keycodes, in columns: two levels of group one, two of group two, two more of group one.
pub(super) struct Symbols {
    first: u8,
    width: usize,
    table: Vec<u32>,
}

impl Symbols {
    pub(super) fn read(conn: &RustConnection) -> Self {
        let (low, high) = (conn.setup().min_keycode, conn.setup().max_keycode);
        let asked = conn.get_keyboard_mapping(low, high - low + 1).expect("sent");
        let map = asked.reply().expect("the server answers");
        Self { first: low, width: usize::from(map.keysyms_per_keycode), table: map.keysyms }
    }

    fn symbol(&self, code: u8, column: usize) -> u32 {
        let at = usize::from(code.wrapping_sub(self.first)) * self.width + column;
        if column < self.width { self.table.get(at).copied().unwrap_or(0) } else { 0 }
    }

    /// What the key is called.
    pub(super) fn key(&self, code: u8) -> Option<Key> {
        let symbol = self.symbol(code, 0);
        let named = NAMES.iter().find(|(known, _)| *known == symbol).map(|(_, named)| Key::Named(*named));
        named.or_else(|| Keysym::new(symbol).key_char().map(Key::Char))
    }

    /// What it types with these modifiers: Enter as `\n`, nothing for other control characters.
    pub(super) fn character(&self, code: u8, modifiers: u32) -> Option<char> {
        let level3 = if modifiers & LEVEL3 != 0 { 4 } else { 0 };
        let column = level3 + usize::from(modifiers & SHIFT != 0);
        // A key with one symbol types it on every level.
        let symbol = [column, level3, 0].into_iter().map(|c| self.symbol(code, c)).find(|s| *s != 0)?;
        let c = match symbol {
            key::Return | key::KP_Enter => '\n',
            key::Tab => '\t',
            _ => Keysym::new(symbol).key_char().filter(|c| !c.is_control())?,
        };
        let caps = modifiers & LOCK != 0 && modifiers & SHIFT == 0;
        Some(if caps { c.to_uppercase().next().unwrap_or(c) } else { c })
    }
}
