//! The word that ends a run, shared by everyone who might have to hear it.
//!
//! Setting it is one atomic store plus waking whoever waits, so it works from a signal task, a stop chord or a page. It
//! refuses to be taken back: a run that was stopped stays stopped.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

/// Who asked for the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Ctrl-C.
    Interrupt,
    /// SIGTERM, console close, logoff.
    Terminate,
    /// The stop chord on the desktop.
    Chord,
    /// `quit` typed by the person, or a command of the page.
    Person,
}

impl StopReason {
    const fn code(self) -> u8 {
        match self {
            Self::Interrupt => 1,
            Self::Terminate => 2,
            Self::Chord => 3,
            Self::Person => 4,
        }
    }

    const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            1 => Self::Interrupt,
            2 => Self::Terminate,
            3 => Self::Chord,
            4 => Self::Person,
            _ => return None,
        })
    }
}

/// A shared stop word. Clones are the same word.
#[derive(Clone, Default)]
pub struct Stop {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    code: AtomicU8,
    waiting: Mutex<Waiting>,
}

/// Who waits, each under its own number, so that a wait that was given up leaves nothing behind.
#[derive(Default)]
struct Waiting {
    next: u64,
    wakers: BTreeMap<u64, Waker>,
    /// Words that are set with this one.
    followers: Vec<Weak<Inner>>,
}

impl Stop {
    pub fn new() -> Self {
        Self::default()
    }

    /// A word that is set with any of these, and that can be set without them.
    pub fn after(words: &[&Self]) -> Self {
        let follower = Self::new();
        for word in words {
            let mut waiting = word.inner.waiting();
            // Looked at under the lock, so that a `set` in between cannot miss the follower.
            match word.reason() {
                Some(reason) => follower.set(reason),
                None => {
                    waiting.followers.retain(|f| f.strong_count() > 0);
                    waiting.followers.push(Arc::downgrade(&follower.inner));
                }
            }
        }
        follower
    }

    /// Asks for the end; the first reason stays.
    pub fn set(&self, reason: StopReason) {
        self.inner.set(reason);
    }

    pub fn reason(&self) -> Option<StopReason> {
        StopReason::from_code(self.inner.code.load(Ordering::Acquire))
    }

    pub fn is_set(&self) -> bool {
        self.reason().is_some()
    }

    /// Resolves when the stop is set.
    pub fn stopped(&self) -> Stopped {
        Stopped { stop: self.clone(), number: None }
    }
}

impl std::fmt::Debug for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stop({:?})", self.reason())
    }
}

impl Inner {
    fn set(&self, reason: StopReason) {
        let _first = self.code.compare_exchange(0, reason.code(), Ordering::AcqRel, Ordering::Acquire);
        let (wakers, followers) = {
            let mut waiting = self.waiting();
            (std::mem::take(&mut waiting.wakers), std::mem::take(&mut waiting.followers))
        };
        followers.iter().filter_map(Weak::upgrade).for_each(|follower| follower.set(reason));
        wakers.into_values().for_each(Waker::wake);
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The future of [`Stop::stopped`].
#[derive(Debug)]
pub struct Stopped {
    stop: Stop,
    /// Under which number it waits, once it was polled.
    number: Option<u64>,
}

impl Future for Stopped {
    type Output = StopReason;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<StopReason> {
        let stop = self.stop.clone();
        let mut waiting = stop.inner.waiting();
        // Looked at under the lock, so that a `set` in between cannot miss the waker.
        if let Some(reason) = stop.reason() {
            return Poll::Ready(reason);
        }
        let number = *self.number.get_or_insert_with(|| {
            waiting.next += 1;
            waiting.next
        });
        match waiting.wakers.get_mut(&number) {
            Some(waker) => waker.clone_from(cx.waker()),
            None => {
                waiting.wakers.insert(number, cx.waker().clone());
            }
        }
        Poll::Pending
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            // The waker goes after the lock: dropping it may run code of ours.
            let _waker = self.stop.inner.waiting().wakers.remove(&number);
        }
    }
}

#[cfg(test)]
mod tests;
