//! Mouse reports: what a program gets of the pointer, in the way it has asked for.
//!
//! Nothing is reported that was not asked for, and a place that a way of reporting cannot express is not reported at all.

use handsight_base::flow::action::{Axis, Button};
use handsight_base::key::Modifiers;
use handsight_base::space::{ScreenPx, Size};
use vt100::{MouseProtocolEncoding, MouseProtocolMode};

/// How the program wants to hear of the mouse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MouseModes {
    pub(crate) mode: MouseProtocolMode,
    pub(crate) encoding: MouseProtocolEncoding,
    /// Pixels instead of cells (mode 1016).
    pub(crate) pixels: bool,
    pub(crate) cell: Size,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Event {
    Button {
        button: Button,
        down: bool,
    },
    /// With the first of the buttons that are down.
    Moved {
        from: ScreenPx,
        held: Option<Button>,
    },
    /// One notch.
    Wheel {
        axis: Axis,
        positive: bool,
    },
}

impl MouseModes {
    /// Whether clicks reach the program at all.
    pub(crate) fn heard(&self) -> bool {
        self.mode != MouseProtocolMode::None
    }

    /// The bytes for an event, none if the program has not asked for it.
    pub(crate) fn report(&self, event: Event, at: ScreenPx, modifiers: Modifiers) -> Option<Vec<u8>> {
        let (code, down) = match event {
            Event::Button { button, down } => (code_of(button), down),
            Event::Wheel { axis, positive } => (code_of_wheel(axis, positive), true),
            Event::Moved { from, held } => {
                if self.place(from) == self.place(at) {
                    return None;
                }
                // 32 says that it is a motion; 3 that no button is down.
                (32 + held.map_or(3, code_of), true)
            }
        };
        let wanted = match self.mode {
            MouseProtocolMode::None => false,
            MouseProtocolMode::Press => down && !matches!(event, Event::Moved { .. }),
            MouseProtocolMode::PressRelease => !matches!(event, Event::Moved { .. }),
            MouseProtocolMode::ButtonMotion => !matches!(event, Event::Moved { held: None, .. }),
            MouseProtocolMode::AnyMotion => true,
        };
        let held =
            u32::from(modifiers.shift) * 4 + u32::from(modifiers.alt) * 8 + u32::from(modifiers.control) * 16;
        wanted.then(|| self.encode(code + held, down, self.place(at)))?
    }

    /// Column and row, from 1.
    fn place(&self, at: ScreenPx) -> (u32, u32) {
        let (x, y) = (at.x.max(0) as u32, at.y.max(0) as u32);
        if self.pixels {
            return (x + 1, y + 1);
        }
        (x / self.cell.width.max(1) + 1, y / self.cell.height.max(1) + 1)
    }

    fn encode(&self, code: u32, down: bool, (column, row): (u32, u32)) -> Option<Vec<u8>> {
        // The older ways do not say which button came up.
        let old = if down { code } else { (code & !0b1100_0011) | 3 };
        let old = [old, column, row].map(|n| n + 32);
        match self.encoding {
            _ if self.pixels => {}
            MouseProtocolEncoding::Sgr => {}
            MouseProtocolEncoding::Utf8 => {
                let all: Option<String> = old.iter().map(|n| char::from_u32(*n)).collect();
                return all.map(|all| format!("\x1b[M{all}").into_bytes());
            }
            MouseProtocolEncoding::Default => {
                let all: Option<Vec<u8>> = old.iter().map(|n| u8::try_from(*n).ok()).collect();
                return all.map(|all| [b"\x1b[M".as_slice(), &all].concat());
            }
        }
        let end = if down { 'M' } else { 'm' };
        Some(format!("\x1b[<{code};{column};{row}{end}").into_bytes())
    }
}

fn code_of(button: Button) -> u32 {
    match button {
        Button::Left => 0,
        Button::Middle => 1,
        Button::Right => 2,
        Button::Back => 128,
        Button::Forward => 129,
    }
}

fn code_of_wheel(axis: Axis, positive: bool) -> u32 {
    match (axis, positive) {
        (Axis::Vertical, true) => 64,
        (Axis::Vertical, false) => 65,
        (Axis::Horizontal, false) => 66,
        (Axis::Horizontal, true) => 67,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_of_reporting_has_its_bytes() {
        let sgr = MouseModes {
            mode: MouseProtocolMode::AnyMotion,
            encoding: MouseProtocolEncoding::Sgr,
            pixels: false,
            cell: Size::new(10, 20),
        };
        let pixels = MouseModes { pixels: true, ..sgr };
        let old = MouseModes { encoding: MouseProtocolEncoding::Default, ..sgr };
        let at = ScreenPx::new(29, 40);
        let press = Event::Button { button: Button::Right, down: true };
        let release = Event::Button { button: Button::Right, down: false };
        let control = Modifiers { control: true, ..Modifiers::NONE };
        let said = |modes: &MouseModes, event, modifiers| {
            modes.report(event, at, modifiers).map(|b| String::from_utf8_lossy(&b).replace('\x1b', "^"))
        };
        let none = Modifiers::NONE;
        assert_eq!(said(&sgr, press, none).as_deref(), Some("^[<2;3;3M"));
        assert_eq!(said(&sgr, release, control).as_deref(), Some("^[<18;3;3m"));
        assert_eq!(said(&pixels, press, none).as_deref(), Some("^[<2;30;41M"));
        assert_eq!(said(&old, press, none).as_deref(), Some("^[M\"##"));
        assert_eq!(said(&old, release, none).as_deref(), Some("^[M###"));
        let down = Event::Wheel { axis: Axis::Vertical, positive: false };
        assert_eq!(said(&sgr, down, none).as_deref(), Some("^[<65;3;3M"));
        let near = Event::Moved { from: ScreenPx::new(28, 41), held: None };
        assert_eq!(said(&sgr, near, none), None, "it is in the same cell");
        assert_eq!(said(&pixels, near, none).as_deref(), Some("^[<35;30;41M"));
        let clicks_only = MouseModes { mode: MouseProtocolMode::PressRelease, ..pixels };
        assert_eq!(said(&clicks_only, near, none), None);
        let far = old.report(press, ScreenPx::new(2400, 0), none);
        assert_eq!(far, None, "a byte holds no column beyond 223");
    }
}
