//! The keeper of the clipboard: a thread of the hands' process, because a clipboard takes its time and hands must not.
//!
//! What the thread does is the system's business (`x11/clipboard/keeper.rs`, `windows/clipboard.rs`); here are the two ends
//! of its counter. All of it lives in the hands' process, so that an engine that dies in between leaves the clipboard as it
//! found it.

use super::screen::Screen;
use super::system::{Bell, Source};
use super::wish::{Granted, Wish};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::JoinHandle;

/// The hands' end.
pub(crate) struct Keeper {
    wishes: Option<SyncSender<(u64, Wish)>>,
    granted: Receiver<(u64, Granted)>,
    /// Wakes the thread when it is rung or dropped, and us when an answer is there.
    bell: Option<Bell>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Starts the keeper for a screen's clipboard.
    pub(crate) fn start(screen: &Screen) -> std::io::Result<Self> {
        let (wishes, inbox) = sync_channel(4);
        let (outbox, granted) = sync_channel(4);
        let (bell, theirs) = Bell::pair()?;
        let counter = Counter { inbox, outbox, bell: theirs };
        let screen = screen.clone();
        let thread = std::thread::Builder::new().name("clipboard".into()).spawn(move || match screen {
            #[cfg(target_os = "linux")]
            Screen::X11 { display } => crate::x11::clipboard::keeper::keep(&display, &counter),
            #[cfg(windows)]
            Screen::Windows => crate::windows::clipboard::keeper::keep(&counter),
            _ => counter.refuse("the hands keep no clipboard of this kind of desktop"),
        })?;
        Ok(Self { wishes: Some(wishes), granted, bell: Some(bell), thread: Some(thread) })
    }

    /// Passes a wish on, whose answer has the same ticket; an answer at once if the thread is overfull.
    pub(crate) fn wish(&self, ticket: u64, wish: Wish) -> Option<Granted> {
        let sent = self.wishes.as_ref().map(|wishes| wishes.try_send((ticket, wish)));
        if let Some(bell) = &self.bell {
            bell.ring();
        }
        match sent {
            Some(Ok(())) => None,
            Some(Err(_)) | None => Some(Err("the clipboard is busy".into())),
        }
    }

    /// The next answer, if there is one.
    pub(crate) fn granted(&self) -> Option<(u64, Granted)> {
        if let Some(bell) = &self.bell {
            bell.hush();
        }
        self.granted.try_recv().ok()
    }

    /// Something to wait on: ready when an answer is there.
    pub(crate) fn source(&self) -> Option<Source<'_>> {
        self.bell.as_ref().map(Bell::source)
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

/// The thread's end.
pub(crate) struct Counter {
    inbox: Receiver<(u64, Wish)>,
    outbox: SyncSender<(u64, Granted)>,
    bell: Bell,
}

/// What the thread finds at its counter.
pub(crate) enum Next {
    Wish(u64, Wish),
    Nothing,
    /// The hands have gone.
    End,
}

impl Counter {
    pub(crate) fn next(&self) -> Next {
        self.bell.hush();
        match self.inbox.try_recv() {
            Ok((ticket, wish)) => Next::Wish(ticket, wish),
            Err(TryRecvError::Empty) => Next::Nothing,
            Err(TryRecvError::Disconnected) => Next::End,
        }
    }

    pub(crate) fn answer(&self, ticket: u64, granted: Granted) {
        let _hands_gone = self.outbox.try_send((ticket, granted));
        self.bell.ring();
    }

    /// Rings when there is a wish, or nobody left to have one.
    pub(crate) fn source(&self) -> Source<'_> {
        self.bell.source()
    }

    /// Answers every wish with the same refusal, to the end.
    pub(crate) fn refuse(&self, why: &str) {
        while let Ok((ticket, _)) = self.inbox.recv() {
            self.answer(ticket, Err(why.to_owned()));
        }
    }
}
