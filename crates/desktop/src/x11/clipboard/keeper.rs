//! What the keeper of the clipboard does on X11.
//!
//! To paste, the engine offers a text: what was on the clipboard until then is read and kept, the text takes its place, and
//! when it was taken by a program the old contents come back, unless a third program has taken the clipboard meanwhile. All
//! of it lives in the hands' process, so that an engine that dies in between leaves the clipboard as it found it. This module
//! refuses to let go of contents as long as nobody else has the clipboard and the display lives.

use super::super::connection::{XError, XResult, describe};
use super::Selection;
use crate::hands::keeper::{Counter, Next};
use crate::hands::wish::{Done, Granted, Wish, contents};
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::ClipboardContents;
use std::time::Duration;

/// Clipboard managers read every new clipboard at once; they are not the program that pastes.
const MANAGERS: Duration = Duration::from_millis(30);
/// A program that pastes may ask for several formats, one after the other.
const QUIET: Duration = Duration::from_millis(50);

/// Keeps the clipboard of a display, on the thread that calls, until the hands have gone and nothing is left to keep.
pub(crate) fn keep(display: &str, counter: &Counter) {
    match Selection::connect(display) {
        Ok(selection) => Clipboard::new(selection).run(counter),
        Err(error) => counter.refuse(&error.to_string()),
    }
}

fn in_words(error: XError) -> String {
    match error {
        XError::Lost(why) => why,
        XError::Refused(error) => describe(&error),
    }
}

/// The state behind the thread.
struct Clipboard {
    selection: Selection,
    clock: RealClock,
    /// What was there before the offer; `None` if nothing is lent.
    kept: Option<ClipboardContents>,
    /// Deliveries before the offer was complete.
    before: u64,
}

impl Clipboard {
    fn new(selection: Selection) -> Self {
        Self { selection, clock: RealClock::new(), kept: None, before: 0 }
    }

    fn run(mut self, counter: &Counter) {
        loop {
            match counter.next() {
                Next::Wish(ticket, wish) => {
                    let granted = self.grant(wish);
                    counter.answer(ticket, granted);
                }
                Next::Nothing => {
                    // The display is gone, and with it every clipboard.
                    if self.selection.serve_or(counter.source()).is_err() {
                        return counter.refuse("the display is gone");
                    }
                }
                Next::End => return self.stay(),
            }
        }
    }

    /// After the engine: what is ours and worth keeping is kept.
    fn stay(mut self) {
        let stayed = self.restore().and_then(|()| {
            if self.selection.is_owner() && self.selection.hand_to_manager()? {
                return Ok(());
            }
            while self.selection.is_owner() || self.selection.is_handing_over() {
                self.selection.serve(Duration::from_secs(1))?;
            }
            Ok(())
        });
        // The display ended, or somebody else has the clipboard now.
        let _ended = stayed.and_then(|()| self.selection.part());
    }

    fn grant(&mut self, wish: Wish) -> Granted {
        match wish {
            Wish::Offer { formats, lent } => self.offer(&contents(formats), lent).map(Done::from),
            Wish::GiveBack { patience } => self.give_back(patience).map(Done::from).map_err(in_words),
        }
    }

    fn offer(&mut self, contents: &ClipboardContents, lent: bool) -> Result<bool, String> {
        // A second offer before the first was given back: what is kept stays what a person had.
        if lent && self.kept.is_none() {
            let there = self.selection.read_all().map_err(in_words)?;
            self.kept = Some(
                there.ok_or("the program that owns it does not answer, and its contents would be lost")?,
            );
        } else if !lent {
            self.kept = None;
        }
        let ours = self.selection.own(contents).map_err(in_words)?;
        self.serve_for(MANAGERS).map_err(in_words)?;
        self.before = self.selection.served();
        Ok(ours)
    }

    fn give_back(&mut self, patience: Duration) -> XResult<bool> {
        let until = self.clock.now() + patience;
        while self.selection.served() == self.before && self.selection.is_owner() && self.clock.now() < until
        {
            self.selection.serve(until.saturating_sub(self.clock.now()))?;
        }
        let taken = self.selection.served() > self.before;
        if taken {
            self.serve_for(QUIET)?;
        }
        self.restore()?;
        Ok(taken)
    }

    /// Puts back what was lent, unless another program has the clipboard now.
    fn restore(&mut self) -> XResult<()> {
        let Some(kept) = self.kept.take() else { return Ok(()) };
        if !self.selection.owns()? {
            return Ok(());
        }
        if kept.formats.is_empty() {
            return self.selection.disown();
        }
        self.selection.own(&kept)?;
        Ok(())
    }

    /// Serves until nothing has been delivered for `quiet`.
    fn serve_for(&mut self, quiet: Duration) -> XResult<()> {
        let mut served = self.selection.served();
        let mut until = self.clock.now() + quiet;
        while let Some(left) = until.checked_sub(self.clock.now()).filter(|left| !left.is_zero()) {
            self.selection.serve(left)?;
            if self.selection.served() != served {
                served = self.selection.served();
                until = self.clock.now() + quiet;
            }
        }
        Ok(())
    }
}
