//! The witness as the other person at the screen, or as a rude neighbour: its own XTEST input, and server grabs.

use super::Witness;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ConnectionExt, KEY_PRESS_EVENT, KEY_RELEASE_EVENT,
    MOTION_NOTIFY_EVENT,
};
use x11rb::protocol::xtest::ConnectionExt as _;

impl Witness {
    /// Presses or releases a key by its keycode.
    pub fn key(&self, code: u8, down: bool) {
        self.fake(if down { KEY_PRESS_EVENT } else { KEY_RELEASE_EVENT }, code, 0, 0);
    }

    /// Presses or releases a button.
    pub fn button(&self, button: u8, down: bool) {
        self.fake(if down { BUTTON_PRESS_EVENT } else { BUTTON_RELEASE_EVENT }, button, 0, 0);
    }

    /// Moves the pointer to a place on the root.
    pub fn go_to(&self, x: i16, y: i16) {
        self.fake(MOTION_NOTIFY_EVENT, 0, x, y);
    }

    fn fake(&self, kind: u8, detail: u8, x: i16, y: i16) {
        self.conn.xtest_fake_input(kind, detail, x11rb::CURRENT_TIME, self.root, x, y, 0).expect("sent");
        self.sync();
    }

    /// The first keycode that carries `keysym` on its first level (`0xffe3` is the left Control key).
    ///
    /// # Panics
    /// When no key does.
    #[track_caller]
    pub fn keycode(&self, keysym: u32) -> u8 {
        let (low, high) = (self.conn.setup().min_keycode, self.conn.setup().max_keycode);
        let map =
            self.conn.get_keyboard_mapping(low, high - low + 1).expect("asked").reply().expect("answered");
        let width = usize::from(map.keysyms_per_keycode);
        let found = map.keysyms.chunks(width).position(|symbols| symbols.first() == Some(&keysym));
        match found {
            Some(index) => low + index as u8,
            None => panic!("no key carries the keysym {keysym:#x}"),
        }
    }

    /// All symbols a keycode carries, in the columns of the core protocol.
    pub fn symbols(&self, code: u8) -> Vec<u32> {
        self.conn.get_keyboard_mapping(code, 1).expect("asked").reply().expect("answered").keysyms
    }

    /// From now on the server listens to the witness alone, until [`Witness::ungrab_server`].
    pub fn grab_server(&self) {
        self.conn.grab_server().expect("sent");
        self.sync();
    }

    pub fn ungrab_server(&self) {
        self.conn.ungrab_server().expect("sent");
        self.sync();
    }
}
