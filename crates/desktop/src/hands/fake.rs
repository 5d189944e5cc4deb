//! An injector without a system: it writes down what it is told, and refuses or delays what a test wants it to.

use super::injector::{Code, Event, Focus, Injector, Purpose, Resolved, Stroke};
use super::protocol::Fault;
use handsight_base::flow::action::Button;
use handsight_base::key::{Key, Named};
use std::collections::BTreeSet;
use std::time::Duration;

#[derive(Debug, Default)]
pub(crate) struct Fake {
    pub sent: Vec<Event>,
    /// What a server would have down.
    pub down: BTreeSet<Code>,
    pub syncs: usize,
    /// Begun and ended batches.
    pub batches: (u32, u32),
    /// The number of the event that is refused, counted from 0.
    pub refuse: Option<usize>,
    /// Characters cannot be typed before this time.
    pub not_before: Duration,
    pub lost: bool,
    /// The wheel takes 120ths of a notch, and text goes as characters: Windows.
    pub units: bool,
    /// The person holds something.
    pub others: bool,
    pub focus: Focus,
    /// The focus is held, and how often it was.
    pub pinned: bool,
    pub pins: u32,
}

impl Injector for Fake {
    fn takes_units(&self) -> bool {
        self.units
    }

    fn begin(&mut self) -> Result<(), Fault> {
        self.batches.0 += 1;
        Ok(())
    }

    fn end(&mut self) -> Result<(), Fault> {
        self.batches.1 += 1;
        Ok(())
    }

    /// Keycode = character code; capital letters take Shift (50) around, and so does nothing else.
    fn resolve(
        &mut self,
        key: Key,
        purpose: Purpose,
        _upcoming: &[char],
        now: Duration,
    ) -> Result<Resolved, Fault> {
        Ok(match key {
            Key::Char(_) if self.units && purpose == Purpose::Text => Resolved::Character,
            Key::Char(_) if now < self.not_before => Resolved::NotBefore(self.not_before),
            Key::Char('\u{1}') => return Err(Fault::NoKey { key: "U+0001".to_owned() }),
            Key::Char(c) if c.is_ascii_uppercase() => {
                Resolved::Now(Stroke { around: vec![50], key: c.to_ascii_lowercase().into() })
            }
            Key::Char(c) => Resolved::Now(Stroke { around: Vec::new(), key: c.into() }),
            Key::Named(Named::Shift) => Resolved::Now(Stroke { around: Vec::new(), key: 50 }),
            Key::Named(n) => Resolved::Now(Stroke { around: Vec::new(), key: 1000 + n as u32 }),
        })
    }

    fn button(&mut self, button: Button) -> Result<Code, Fault> {
        Ok(Code::Button(button as u8 + 1))
    }

    fn pin_focus(&mut self, _meant: Option<u64>) -> Result<Focus, Fault> {
        assert!(!self.pinned, "held twice");
        self.pinned = matches!(self.focus, Focus::On(_));
        self.pins += u32::from(self.pinned);
        Ok(self.focus)
    }

    fn unpin_focus(&mut self) -> Result<(), Fault> {
        self.pinned = false;
        Ok(())
    }

    fn name_of(&mut self, window: u64) -> Result<String, Fault> {
        assert!(self.pinned, "it may be gone");
        Ok(format!("window {window}"))
    }

    fn send(&mut self, event: Event, _now: Duration) -> Result<(), Fault> {
        if self.lost {
            return Err(Fault::Lost { why: "the server is gone".to_owned() });
        }
        if self.refuse == Some(self.sent.len()) {
            self.refuse = None;
            return Err(Fault::Refused { why: "BadAccess".to_owned(), code: Some(10) });
        }
        match event {
            Event::Press(code) => assert!(self.down.insert(code), "{code} was pressed twice"),
            Event::Release(code) => drop(self.down.remove(&code)),
            Event::Move(_) | Event::Notch { .. } | Event::Wheel { .. } | Event::Character(_) => {}
        }
        self.sent.push(event);
        Ok(())
    }

    fn sync(&mut self) -> Result<(), Fault> {
        assert!(!self.pinned, "the focus is held over a wait");
        self.syncs += 1;
        Ok(())
    }

    fn down(&mut self, codes: &[Code]) -> Result<Vec<Code>, Fault> {
        Ok(codes.iter().filter(|c| self.down.contains(c)).copied().collect())
    }

    fn others_hold(&mut self, own: &[Code]) -> Result<bool, Fault> {
        assert!(own.iter().all(|code| self.down.contains(code)));
        Ok(self.others)
    }

    fn tidy(&mut self, _now: Duration, _leaving: bool) -> Result<Option<Duration>, Fault> {
        Ok(None)
    }
}
