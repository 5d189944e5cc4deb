//! What a terminal sends, read anew: SGR mouse reports by pixels, the kitty keyboard protocol, pastes, and answers to what was asked.
//!
//! Written from the descriptions of these protocols and not from the backend. Whatever else comes ends the witness.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handsight_base::flow::action::{Axis, Button};
use handsight_base::key::{Key, Named};
use handsight_base::space::ScreenPx;
use handsight_testkit::witness_protocol::What;

#[derive(Debug)]
pub(crate) enum Input {
    Mouse {
        what: What,
        at: ScreenPx,
    },
    Key {
        key: Key,
        down: bool,
        repeat: bool,
        text: Option<String>,
    },
    /// Text that no key made.
    Text(String),
    Paste(String),
    /// The terminal is there.
    There,
    Clipboard(String),
}

#[derive(Default)]
pub(crate) struct Reader {
    /// Not yet a whole sequence.
    bytes: Vec<u8>,
}

impl Reader {
    /// Everything that is whole by now.
    pub(crate) fn read(&mut self, more: &[u8]) -> Vec<Input> {
        self.bytes.extend_from_slice(more);
        let mut all = Vec::new();
        while let Some((input, length)) = first(&self.bytes) {
            self.bytes.drain(..length);
            all.push(input);
        }
        all
    }
}

/// The first input and how many bytes it is; `None` if it has not come whole.
fn first(bytes: &[u8]) -> Option<(Input, usize)> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let until = |end: &[u8]| bytes.windows(end.len()).position(|w| w == end);
    if bytes.starts_with(b"\x1b[200~") {
        let end = until(b"\x1b[201~")?;
        return Some((Input::Paste(text(&bytes[6..end])), end + 6));
    }
    if bytes.starts_with(b"\x1b]52;c;") {
        let end = until(b"\x1b\\")?;
        let copied = STANDARD.decode(&bytes[7..end]).expect("base64");
        return Some((Input::Clipboard(text(&copied)), end + 2));
    }
    if !bytes.starts_with(b"\x1b[") {
        assert!(bytes.len() < 2, "neither a report nor a key: {bytes:?}");
        return None;
    }
    let end = bytes.iter().skip(2).position(|b| (0x40..=0x7e).contains(b))? + 2;
    let (params, last) = (text(&bytes[2..end]), bytes[end]);
    let input = match (params.as_str(), last) {
        ("0", b'n') => Input::There,
        (mouse, b'M' | b'm') => mouse_of(mouse.strip_prefix('<').expect("an SGR report"), last == b'M'),
        (key, last) => key_of(key, last),
    };
    Some((input, end + 1))
}

fn number(text: &str) -> u32 {
    text.parse().unwrap_or_else(|_| panic!("{text:?} is no number"))
}

fn mouse_of(report: &str, down: bool) -> Input {
    let all: Vec<u32> = report.split(';').map(number).collect();
    let [code, column, row] = all[..] else { panic!("a report has three numbers: {report}") };
    // Modifiers are told by the keyboard too.
    let kind = code & !(4 | 8 | 16);
    let button = |button| What::Button { button, down };
    let wheel = |axis, units| What::Wheel { axis, units };
    let what = match kind {
        0 => button(Button::Left),
        1 => button(Button::Middle),
        2 => button(Button::Right),
        128 => button(Button::Back),
        129 => button(Button::Forward),
        64 => wheel(Axis::Vertical, 120),
        65 => wheel(Axis::Vertical, -120),
        66 => wheel(Axis::Horizontal, -120),
        67 => wheel(Axis::Horizontal, 120),
        motion if motion & 32 != 0 => What::Move,
        other => panic!("no button has the code {other}"),
    };
    Input::Mouse { what, at: ScreenPx::new(column as i32 - 1, row as i32 - 1) }
}

/// `number[:shifted] ; modifiers[:event] ; text`, then a letter that says of which kind.
fn key_of(params: &str, last: u8) -> Input {
    let mut parts = params.split(';');
    let code = parts.next().unwrap_or_default().split(':').next().unwrap_or_default();
    let code = if code.is_empty() { 1 } else { number(code) };
    let event = parts.next().and_then(|p| p.split(':').nth(1)).map_or(1, number);
    let text = parts.next().filter(|text| !text.is_empty()).map(|text| {
        text.split(':').map(|c| char::from_u32(number(c)).expect("a character")).collect::<String>()
    });
    if (code, last) == (0, b'u') {
        return Input::Text(text.expect("text without a key"));
    }
    let key = named(code, last).map_or_else(
        || {
            Key::Char(
                char::from_u32(code)
                    .filter(|_| last == b'u')
                    .unwrap_or_else(|| panic!("no key: {params} {last}")),
            )
        },
        Key::Named,
    );
    let text = text.or(match key {
        Key::Named(Named::Enter) => Some("\n".to_owned()),
        Key::Named(Named::Tab) => Some("\t".to_owned()),
        _ => None,
    });
    Input::Key { key, down: event != 3, repeat: event == 2, text }
}

fn named(code: u32, last: u8) -> Option<Named> {
    Some(match (last, code) {
        (b'A', _) => Named::Up,
        (b'B', _) => Named::Down,
        (b'C', _) => Named::Right,
        (b'D', _) => Named::Left,
        (b'F', _) => Named::End,
        (b'H', _) => Named::Home,
        (b'P', _) => Named::F1,
        (b'Q', _) => Named::F2,
        (b'S', _) => Named::F4,
        (b'~', 2) => Named::Insert,
        (b'~', 3) => Named::Delete,
        (b'~', 5) => Named::PageUp,
        (b'~', 6) => Named::PageDown,
        (b'~', 13) => Named::F3,
        (b'~', 15) => Named::F5,
        (b'~', 17) => Named::F6,
        (b'~', 18) => Named::F7,
        (b'~', 19) => Named::F8,
        (b'~', 20) => Named::F9,
        (b'~', 21) => Named::F10,
        (b'~', 23) => Named::F11,
        (b'~', 24) => Named::F12,
        (b'u', 9) => Named::Tab,
        (b'u', 13) => Named::Enter,
        (b'u', 27) => Named::Escape,
        (b'u', 32) => Named::Space,
        (b'u', 127) => Named::Backspace,
        (b'u', 57441) => Named::Shift,
        (b'u', 57442) => Named::Control,
        (b'u', 57443) => Named::Alt,
        (b'u', 57444) => Named::Super,
        _ => return None,
    })
}
