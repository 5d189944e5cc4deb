//! The keeper of the clipboard, on a thread of the hands' process.
//!
//! To paste, the engine offers a text: what was on the clipboard until then is read and kept, the text takes its place, and
//! when it was taken by a program the old contents come back, unless a third program has taken the clipboard meanwhile. All
//! of it lives in the hands' process, so that an engine that dies in between leaves the clipboard as it found it. This module
//! refuses to let go of contents as long as nobody else has the clipboard and the display lives.

use super::super::connection::{XError, XResult, describe};
use super::Selection;
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::ClipboardContents;
use serde::{Deserialize, Serialize};
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Clipboard managers read every new clipboard at once; they are not the program that pastes.
const MANAGERS: Duration = Duration::from_millis(30);
/// A program that pastes may ask for several formats, one after the other.
const QUIET: Duration = Duration::from_millis(50);
/// What the engine wants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wish {
    /// Puts contents on the clipboard. If `lent`, what was there is kept, to be given back.
    Offer { formats: Vec<(String, Bytes)>, lent: bool },
    /// Waits until a program has taken what was offered, then gives back what was kept.
    GiveBack { patience: Duration },
}

/// Contents on their way through a pipe of JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Bytes {
    Text(String),
    Raw(Vec<u8>),
}

impl Wish {
    pub(crate) fn offer(contents: ClipboardContents, lent: bool) -> Self {
        let formats = contents.formats.into_iter().map(|(name, bytes)| {
            (name, String::from_utf8(bytes).map_or_else(|e| Bytes::Raw(e.into_bytes()), Bytes::Text))
        });
        Self::Offer { formats: formats.collect(), lent }
    }
}

fn contents(formats: Vec<(String, Bytes)>) -> ClipboardContents {
    let formats = formats.into_iter().map(|(name, bytes)| match bytes {
        Bytes::Text(text) => (name, text.into_bytes()),
        Bytes::Raw(bytes) => (name, bytes),
    });
    ClipboardContents { formats: formats.collect() }
}

/// What came of a wish: whether the offer was taken by a program, or why it could not be made.
pub(crate) type Granted = Result<bool, String>;

/// The keeper's thread.
pub(crate) struct Keeper {
    wishes: Option<SyncSender<(u64, Wish)>>,
    granted: Receiver<(u64, Granted)>,
    /// Wakes the thread when it is written to or dropped, and us when an answer is there.
    bell: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Connects to the display on a thread of its own.
    pub(crate) fn start(display: &str) -> std::io::Result<Self> {
        let (wishes, inbox) = sync_channel(4);
        let (outbox, granted) = sync_channel(4);
        let (bell, theirs) = UnixStream::pair()?;
        for end in [&bell, &theirs] {
            end.set_nonblocking(true)?;
        }
        let display = display.to_owned();
        let thread = std::thread::Builder::new().name("clipboard".into()).spawn(move || {
            let answer = |ticket: u64, granted: Granted| {
                let _engine_gone = outbox.try_send((ticket, granted));
                let _rung_already = (&theirs).write(&[1]);
            };
            match Selection::connect(&display) {
                Ok(selection) => Clipboard::new(selection).run(&inbox, &theirs, answer),
                Err(error) => refuse(&inbox, &error.to_string(), answer),
            }
        })?;
        Ok(Self { wishes: Some(wishes), granted, bell: Some(bell), thread: Some(thread) })
    }

    /// Passes a wish on, whose answer has the same ticket; an answer at once if the thread is overfull.
    pub(crate) fn wish(&self, ticket: u64, wish: Wish) -> Option<Granted> {
        let sent = self.wishes.as_ref().map(|wishes| wishes.try_send((ticket, wish)));
        let _rung_already = self.bell.as_ref().map(|mut bell| bell.write(&[1]));
        match sent {
            Some(Ok(())) => None,
            Some(Err(_)) | None => Some(Err("the clipboard is busy".into())),
        }
    }

    /// The next answer, if there is one.
    pub(crate) fn granted(&self) -> Option<(u64, Granted)> {
        if let Some(bell) = &self.bell {
            hush(bell);
        }
        self.granted.try_recv().ok()
    }

    /// Something to wait on: readable when an answer is there.
    pub(crate) fn bell(&self) -> Option<&UnixStream> {
        self.bell.as_ref()
    }

    /// The engine is gone: gives back what was lent, and returns once nothing has to be kept any more: a manager has it,
    /// another program took the clipboard, or the display ended.
    pub(crate) fn leave(mut self) {
        (self.wishes, self.bell) = (None, None);
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

/// Takes all rings off the line.
fn hush(mut bell: &UnixStream) {
    let mut rung = [0; 16];
    while let Ok(1..) = bell.read(&mut rung) {}
}

fn refuse(inbox: &Receiver<(u64, Wish)>, why: &str, answer: impl Fn(u64, Granted)) {
    while let Ok((ticket, _)) = inbox.recv() {
        answer(ticket, Err(why.to_owned()));
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

    fn run(mut self, inbox: &Receiver<(u64, Wish)>, bell: &UnixStream, answer: impl Fn(u64, Granted)) {
        loop {
            hush(bell);
            match inbox.try_recv() {
                Ok((ticket, wish)) => answer(ticket, self.grant(wish)),
                Err(TryRecvError::Empty) => {
                    // The display is gone, and with it every clipboard.
                    if self.selection.serve_or(bell).is_err() {
                        return refuse(inbox, "the display is gone", answer);
                    }
                }
                Err(TryRecvError::Disconnected) => return self.stay(),
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
            Wish::Offer { formats, lent } => self.offer(&contents(formats), lent),
            Wish::GiveBack { patience } => self.give_back(patience).map_err(in_words),
        }
    }

    fn offer(&mut self, contents: &ClipboardContents, lent: bool) -> Granted {
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
        if !self.selection.is_owner() {
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
