//! The hands of a terminal: where the pointer is, what is down, and the bytes that each primitive comes to.
//!
//! They know the program's modes at that moment and nothing of the screen. What cannot be sent is an error before anything is sent.

use crate::keys::{KeyModes, NoBytes};
use crate::mouse::{Event, MouseModes};
use handsight_base::NOTCH;
use handsight_base::flow::action::{Axis, Button, Primitive};
use handsight_base::key::{Key, Modifiers, Named};
use handsight_base::space::{ScreenPx, Size};

/// How many rows a notch of the wheel goes where the program does not want the wheel itself.
const ROWS_A_NOTCH: i32 = 3;

/// How the program wants its input at this moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Modes {
    pub(crate) keys: KeyModes,
    pub(crate) mouse: MouseModes,
    /// A program that draws the whole screen gets arrow keys for a wheel it did not ask for.
    pub(crate) alternate_screen: bool,
}

/// What a primitive comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sent {
    Bytes(Vec<u8>),
    /// So many rows back into what has left the screen, or forth again.
    Scrolled(i32),
}

#[derive(Debug, Default)]
pub(crate) struct Hands {
    pub(crate) pointer: ScreenPx,
    keys: Vec<Key>,
    buttons: Vec<Button>,
    /// What of a notch is left over, along the vertical and the horizontal axis, in 120ths.
    turned: [i32; 2],
}

impl Hands {
    pub(crate) fn hold_nothing(&self) -> bool {
        self.keys.is_empty() && self.buttons.is_empty()
    }

    /// Keeps the pointer on a screen that has become smaller.
    pub(crate) fn keep_within(&mut self, size: Size) {
        let within = |at: i32, size: u32| at.clamp(0, i32::try_from(size).unwrap_or(i32::MAX).max(1) - 1);
        self.pointer = ScreenPx::new(within(self.pointer.x, size.width), within(self.pointer.y, size.height));
    }

    fn modifiers(&self) -> Modifiers {
        let mut held = Modifiers::NONE;
        for key in &self.keys {
            held.add(*key);
        }
        held
    }

    /// Why a batch cannot be sent, before anything of it is: `None` if all of it can.
    pub(crate) fn refuses(&self, primitives: &[Primitive], modes: Modes) -> Option<String> {
        let mut after = Self { keys: self.keys.clone(), ..Self::default() };
        primitives.iter().find_map(|primitive| match *primitive {
            Primitive::Button { down: true, .. } if !modes.mouse.heard() => {
                Some("a click: the program in it does not take the mouse, so use keys".to_owned())
            }
            Primitive::Key { key, down } => {
                let NoBytes(name) = after.key(key, down, modes.keys).err()?;
                Some(format!("{name}: it would arrive as another key"))
            }
            Primitive::Char(c) if c.is_control() => Some(format!("the control character {c:?}")),
            Primitive::Button { .. }
            | Primitive::Char(_)
            | Primitive::Move(_)
            | Primitive::Wheel { .. }
            | Primitive::Wait(_) => None,
        })
    }

    /// What to send for a primitive.
    pub(crate) fn act(&mut self, primitive: Primitive, modes: Modes) -> Result<Sent, NoBytes> {
        let bytes = match primitive {
            Primitive::Move(to) => {
                let from = std::mem::replace(&mut self.pointer, to);
                self.report(Event::Moved { from, held: self.buttons.first().copied() }, modes)
            }
            Primitive::Button { button, down } => {
                self.buttons.retain(|b| *b != button);
                if down {
                    self.buttons.push(button);
                }
                self.report(Event::Button { button, down }, modes)
            }
            Primitive::Key { key, down } => self.key(key, down, modes.keys)?,
            Primitive::Char(c) => modes.keys.text(c)?,
            Primitive::Wheel { axis, units } => return self.wheel(axis, units, modes),
            Primitive::Wait(_) => Vec::new(),
        };
        Ok(Sent::Bytes(bytes))
    }

    /// The bytes that let go of everything, the newest first.
    pub(crate) fn release(&mut self, modes: Modes) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Some(button) = self.buttons.pop() {
            bytes.extend(self.report(Event::Button { button, down: false }, modes));
        }
        while let Some(key) = self.keys.last().copied() {
            bytes.extend(self.key(key, false, modes.keys).unwrap_or_default());
        }
        bytes
    }

    fn report(&self, event: Event, modes: Modes) -> Vec<u8> {
        modes.mouse.report(event, self.pointer, self.modifiers()).unwrap_or_default()
    }

    fn key(&mut self, key: Key, down: bool, modes: KeyModes) -> Result<Vec<u8>, NoBytes> {
        self.keys.retain(|k| *k != key);
        if down {
            self.keys.push(key);
        }
        modes.key(key, down, self.modifiers())
    }

    /// A part of a notch waits for the rest of it.
    fn wheel(&mut self, axis: Axis, units: i32, modes: Modes) -> Result<Sent, NoBytes> {
        let [vertical, horizontal] = &mut self.turned;
        let turned = if axis == Axis::Vertical { vertical } else { horizontal };
        *turned = turned.saturating_add(units);
        let notches = *turned / NOTCH;
        *turned %= NOTCH;
        let positive = notches > 0;
        if modes.mouse.heard() {
            let one = self.report(Event::Wheel { axis, positive }, modes);
            return Ok(Sent::Bytes(one.repeat(notches.unsigned_abs() as usize)));
        }
        let rows = notches.saturating_mul(ROWS_A_NOTCH);
        match axis {
            Axis::Horizontal => Ok(Sent::Bytes(Vec::new())),
            Axis::Vertical if !modes.alternate_screen => Ok(Sent::Scrolled(rows)),
            Axis::Vertical => {
                let arrow = Key::Named(if positive { Named::Up } else { Named::Down });
                let mut one = modes.keys.key(arrow, true, self.modifiers())?;
                one.extend(modes.keys.key(arrow, false, self.modifiers())?);
                Ok(Sent::Bytes(one.repeat(rows.unsigned_abs() as usize)))
            }
        }
    }
}
