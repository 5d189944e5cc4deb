//! The Windows injector: `SendInput`, which takes effect at once for whatever has the focus.
//!
//! What a batch wants goes out in as few calls as its waits allow: Windows lets no event of the person's own between those of
//! one call. Only the characters of a text have a call each, because the focus is looked at before each. Keys go by virtual key
//! with their scan code beside it, so that both programs that read messages and games that read the keyboard see the same key,
//! and text goes as UTF-16 units, which no layout and no CapsLock changes. This module presses nothing whose release it cannot
//! name, and refuses for a program that Windows shields from ours.

mod chord;
mod keys;
mod layout;
mod ownership;
mod person;
mod send;
mod shield;

use crate::hands::injector::{
    Attached, Code, Event, Focus, Heard, Injector, NOBODY, Purpose, Resolved, Stroke,
};
use crate::hands::protocol::{Fault, Hello};
use crate::hands::system::Source;
use crate::windows::whereabouts::{handle, id, title};
use chord::ChordWatch;
use handsight_base::flow::action::Button;
use handsight_base::key::{Key, Named};
use layout::Layout;
use ownership::Ownership;
use person::Ours;
use send::Queue;
use std::sync::Arc;
use std::time::Duration;
use windows::Win32::UI::Input::KeyboardAndMouse::{
    GetAsyncKeyState, VK_LBUTTON, VK_MBUTTON, VK_RBUTTON, VK_XBUTTON1, VK_XBUTTON2,
};
use windows::Win32::UI::WindowsAndMessaging::{
    GetForegroundWindow, GetSystemMetrics, IsWindowVisible, SM_SWAPBUTTON,
};

/// After so many characters programs get time to read them: a message queue has an end.
const BREATH: u32 = 32;
const PACE: Duration = Duration::from_millis(15);

/// Buttons by the numbers in [`Code::Button`], which are those of the mouse, whatever the person has made of them.
const LEFT: u8 = 1;
const RIGHT: u8 = 2;
const MIDDLE: u8 = 3;
const BACK: u8 = 4;
const FORWARD: u8 = 5;

pub(crate) struct WindowsInput {
    ownership: Ownership,
    chord: ChordWatch,
    /// What our own input looks like; `None` if whoever else uses the screen is let be.
    ours: Option<Arc<Ours>>,
    /// Whether a text ends when its window loses the focus.
    addressed: bool,
    queue: Queue,
    layout: Layout,
    /// Keys that we pressed and did not release.
    down: Vec<u32>,
    /// Characters since the last breath, and when the next may go out.
    typed: u32,
    not_before: Duration,
}

impl Attached for WindowsInput {
    fn attach(hello: &Hello) -> Result<Self, Fault> {
        crate::windows::declare_dpi_awareness();
        let ownership = Ownership::take(hello.engine)?;
        let ours = hello.person.then(Arc::<Ours>::default);
        let chord = ChordWatch::start(&hello.stop_chord, ours.clone())?;
        Ok(Self {
            ownership,
            chord,
            ours,
            addressed: hello.addressed,
            queue: Queue::default(),
            layout: Layout::of_focus(),
            down: Vec::new(),
            typed: 0,
            not_before: Duration::ZERO,
        })
    }

    fn pump(&mut self) -> Result<Heard, Fault> {
        if self.ownership.is_superseded() {
            return Err(Fault::Superseded);
        }
        let chord = self.chord.take();
        let person = self.chord.take_touch();
        Ok(Heard { anything: chord || person, chord, person })
    }

    fn resign(&mut self) -> Result<(), Fault> {
        self.ownership.resign();
        Ok(())
    }

    fn sources(&self) -> Vec<Source<'_>> {
        let [pressed, touched] = self.chord.sources();
        vec![pressed, touched, self.ownership.source()]
    }
}

impl Injector for WindowsInput {
    fn takes_units(&self) -> bool {
        true
    }

    fn begin(&mut self) -> Result<(), Fault> {
        self.layout = Layout::of_focus();
        shield::check_focus()
    }

    fn end(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn resolve(
        &mut self,
        key: Key,
        purpose: Purpose,
        _upcoming: &[char],
        now: Duration,
    ) -> Result<Resolved, Fault> {
        let stroke = |key| Ok(Resolved::Now(Stroke { around: Vec::new(), key }));
        match (key, purpose) {
            (Key::Named(named), _) => stroke(keys::code(named)),
            (Key::Char('\n' | '\r'), _) => stroke(keys::ENTER),
            (Key::Char('\t'), _) => stroke(keys::TAB),
            (Key::Char(_), Purpose::Text) if now < self.not_before => {
                Ok(Resolved::NotBefore(self.not_before))
            }
            (Key::Char(_), Purpose::Text) => Ok(Resolved::Character),
            (Key::Char(' '), Purpose::Chord) => stroke(keys::code(Named::Space)),
            (Key::Char(c), Purpose::Chord) => {
                let found = self.layout.stroke(c, &self.down);
                found.map(Resolved::Now).ok_or_else(|| Fault::NoKey { key: key.to_string() })
            }
        }
    }

    fn button(&mut self, button: Button) -> Result<Code, Fault> {
        // Injected buttons are those of the mouse; the person may have swapped them.
        Ok(Code::Button(match button {
            Button::Left if is_swapped() => RIGHT,
            Button::Right if is_swapped() => LEFT,
            Button::Left => LEFT,
            Button::Right => RIGHT,
            Button::Middle => MIDDLE,
            Button::Back => BACK,
            Button::Forward => FORWARD,
        }))
    }

    /// Windows holds the focus for nobody: it is looked at, and the character follows in a call of its own. One may still go astray,
    /// if the window closes between the two.
    fn pin_focus(&mut self, _meant: Option<u64>) -> Result<Focus, Fault> {
        if !self.addressed {
            return Ok(Focus::Untold);
        }
        // What goes before may be what moves the focus.
        self.queue.flush()?;
        Ok(Focus::On(foreground()))
    }

    fn unpin_focus(&mut self) -> Result<(), Fault> {
        if self.addressed { self.queue.flush() } else { Ok(()) }
    }

    fn name_of(&mut self, window: u64) -> Result<String, Fault> {
        let title = title(handle(window));
        Ok(if title.is_empty() { format!("{window:#x}") } else { format!("{title:?}") })
    }

    fn send(&mut self, event: Event, now: Duration) -> Result<(), Fault> {
        match event {
            Event::Move(to) => {
                self.ours.iter().for_each(|ours| ours.went((to.x, to.y)));
                self.queue.move_to(to, now)?;
            }
            Event::Press(Code::Button(button)) => self.queue.button(button, true, now),
            Event::Release(Code::Button(button)) => self.queue.button(button, false, now),
            Event::Press(Code::Key(code)) => {
                self.queue.key(code, self.layout.scan(code), true);
                self.down.push(code);
            }
            Event::Release(Code::Key(code)) => {
                self.queue.key(code, self.layout.scan(code), false);
                self.down.retain(|c| *c != code);
            }
            Event::Wheel { axis, units } => self.queue.wheel(axis, units),
            Event::Notch { axis, positive } => {
                let notch = handsight_base::NOTCH;
                self.queue.wheel(axis, if positive { notch } else { -notch });
            }
            Event::Character(c) => {
                self.queue.character(c);
                self.typed += 1;
                if self.typed >= BREATH {
                    (self.typed, self.not_before) = (0, now + PACE);
                }
            }
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), Fault> {
        self.queue.flush()
    }

    fn down(&mut self, codes: &[Code]) -> Result<Vec<Code>, Fault> {
        Ok(codes.iter().copied().filter(|code| is_down(*code)).collect())
    }

    fn others_hold(&mut self, own: &[Code]) -> Result<bool, Fault> {
        Ok(self.ours.is_some() && own.is_empty() && person::holds())
    }

    fn tidy(&mut self, _now: Duration, _leaving: bool) -> Result<Option<Duration>, Fault> {
        Ok(None)
    }
}

/// The window that keys go to, or [`NOBODY`]. One that is being closed is hidden first and keeps the foreground a while longer: what
/// is sent then goes to the window that comes after it.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn foreground() -> u64 {
    // SAFETY: both only answer.
    unsafe {
        let window = GetForegroundWindow();
        if IsWindowVisible(window).as_bool() { id(window) } else { NOBODY }
    }
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn is_swapped() -> bool {
    // SAFETY: a plain number.
    unsafe { GetSystemMetrics(SM_SWAPBUTTON) != 0 }
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn is_down(code: Code) -> bool {
    let key = match code {
        Code::Key(code) => keys::virtual_key(code),
        Code::Button(LEFT) => VK_LBUTTON,
        Code::Button(RIGHT) => VK_RBUTTON,
        Code::Button(MIDDLE) => VK_MBUTTON,
        Code::Button(BACK) => VK_XBUTTON1,
        Code::Button(FORWARD) => VK_XBUTTON2,
        Code::Button(_) => return false,
    };
    // SAFETY: a plain number.
    unsafe { GetAsyncKeyState(key.0.into()) < 0 }
}
