//! The thread the overlay lives on: it makes, fills and drops the window, answers its messages, and raises it above its
//! rivals at once and again a little later, beside the engine (S-59).
//!
//! A window's thread must answer messages or Windows calls the program hung, and the engine's thread may think for minutes. So
//! the engine only sends orders, and waits for each answer with a bound. This module refuses to queue orders: there is one at
//! a time.

use super::layered::{Layered, was_displaced};
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::{DesktopError, Overlay};
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::time::Duration;
use windows::Win32::Foundation::{HANDLE, WAIT_FAILED};
use windows::Win32::System::Threading::{CreateEventW, INFINITE, SetEvent};
use windows::Win32::UI::WindowsAndMessaging::{
    DispatchMessageW, MSG, MWMO_INPUTAVAILABLE, MsgWaitForMultipleObjectsEx, PM_REMOVE, PeekMessageW,
    QS_ALLINPUT,
};

/// Between two raises of one rendering.
const APART: Duration = Duration::from_millis(50);
/// How long the window's thread may take for an order before it counts as hung.
const DEADLINE: Duration = Duration::from_secs(5);
/// How long an ending thread is waited for, so that its window is gone when we say so.
const FAREWELL: Duration = Duration::from_secs(1);

/// What the engine wants of the window.
pub(super) enum Order {
    /// Show this, in place of what is shown.
    Show(Overlay),
    /// Drop the window.
    Remove,
    /// Off the screen for a moment.
    Hide,
    Unhide,
    /// Out of every capture, or in again.
    Exclude(bool),
}

/// How the window stands after an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    /// Its number, while there is one.
    pub(super) window: Option<u64>,
    /// It is left out of captures.
    pub(super) excluded: bool,
}

type Answer = Result<Standing, DesktopError>;
type Letter = (Order, SyncSender<Answer>);

/// The engine's end of the thread. It ends, and its window goes, when this is dropped.
pub(super) struct Raiser {
    /// `None` only while it is dropped.
    orders: Option<SyncSender<Letter>>,
    wake: Arc<Event>,
    /// Disconnected once the thread has ended.
    ended: Receiver<()>,
}

impl Raiser {
    /// `pulses`: raises of each rendering, the first at once.
    pub(super) fn start(pulses: u32) -> Result<Self, DesktopError> {
        let why = |what: String| DesktopError::Overlay { why: what, code: None };
        let wake = Arc::new(Event::new().map_err(|e| why(format!("nothing to wake its thread: {e}")))?);
        let (orders, inbox) = sync_channel(1);
        let (ending, ended) = sync_channel(0);
        let woken = Arc::clone(&wake);
        std::thread::Builder::new()
            .name("overlay".into())
            .spawn(move || {
                let _ending = ending;
                run(&inbox, &woken, pulses);
            })
            .map_err(|e| why(format!("no thread for its window: {e}")))?;
        Ok(Self { orders: Some(orders), wake, ended })
    }

    /// Has it done, and says how the window stands.
    ///
    /// # Errors
    /// [`DesktopError::Overlay`] with the system's code: the window is gone then, with all it had.
    /// [`DesktopError::Deadline`]: the thread hangs; drop this.
    pub(super) fn order(&self, order: Order) -> Answer {
        let (answer, answered) = sync_channel(1);
        let sent = self.orders.as_ref().is_some_and(|orders| orders.try_send((order, answer)).is_ok());
        if sent {
            self.wake.set();
        }
        answered.recv_timeout(DEADLINE).unwrap_or_else(|end| {
            Err(match end {
                RecvTimeoutError::Timeout => DesktopError::Deadline { call: "overlay", after: DEADLINE },
                RecvTimeoutError::Disconnected => {
                    let why = "the thread of its window has ended".into();
                    DesktopError::Overlay { why, code: None }
                }
            })
        })
    }
}

impl Drop for Raiser {
    fn drop(&mut self) {
        self.orders = None;
        self.wake.set();
        if self.ended.recv_timeout(FAREWELL) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!("the overlay's thread hangs; its window stays until this program ends");
        }
    }
}

/// Wakes the thread between messages.
struct Event(OwnedHandle);

impl Event {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn new() -> windows::core::Result<Self> {
        // SAFETY: no name, nothing shared; one wait takes it back.
        let event = unsafe { CreateEventW(None, false, false, None) }?;
        // SAFETY: just made, and nobody else's.
        Ok(Self(unsafe { OwnedHandle::from_raw_handle(event.0) }))
    }

    fn handle(&self) -> HANDLE {
        HANDLE(self.0.as_raw_handle())
    }

    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn set(&self) {
        // SAFETY: it lives as long as `self`.
        if let Err(error) = unsafe { SetEvent(self.handle()) } {
            tracing::debug!("the overlay's thread was not woken: {error}");
        }
    }
}

/// The later raises of a rendering. A newer rendering begins anew.
#[derive(Debug, Default, PartialEq, Eq)]
struct Pulses {
    left: u32,
    next: Duration,
}

impl Pulses {
    fn begin(now: Duration, pulses: u32) -> Self {
        Self { left: pulses.saturating_sub(1), next: now + APART }
    }

    /// True if one is due, which it then was.
    fn due(&mut self, now: Duration) -> bool {
        let due = self.left > 0 && now >= self.next;
        if due {
            *self = Self { left: self.left - 1, next: now + APART };
        }
        due
    }

    /// Until the next one.
    fn wait(&self, now: Duration) -> Option<Duration> {
        (self.left > 0).then(|| self.next.saturating_sub(now))
    }
}

/// The window and what is in it.
struct Shown {
    layered: Layered,
    overlay: Overlay,
    /// Taken off the screen by us.
    hidden: bool,
    excluded: bool,
}

fn run(inbox: &Receiver<Letter>, wake: &Event, count: u32) {
    let clock = RealClock::new();
    let mut shown: Option<Shown> = None;
    let mut pulses = Pulses::default();
    loop {
        if !rest(wake, pulses.wait(clock.now())) {
            return;
        }
        answer_messages();
        match inbox.try_recv() {
            Ok((order, answer)) => {
                let raises = matches!(order, Order::Show(_) | Order::Unhide);
                let done = carry_out(&mut shown, order);
                if let Some(shown) = shown.as_ref().filter(|_| raises && count > 0) {
                    shown.layered.raise();
                    pulses = Pulses::begin(clock.now(), count);
                }
                // Who no longer waits has given this thread up.
                let _taken = answer.try_send(done);
            }
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => return,
        }
        let displaced = was_displaced();
        if let Some(shown) = shown.as_ref().filter(|s| !s.hidden) {
            if displaced {
                shown.layered.put(shown.overlay.area.origin);
            }
            if pulses.due(clock.now()) {
                shown.layered.raise();
            }
        }
    }
}

/// Waits for an order, a message, or so long. False if that cannot be waited for.
#[expect(unsafe_code, reason = "a call of the Windows API")]
fn rest(wake: &Event, at_most: Option<Duration>) -> bool {
    // Rounded up: a wait that ends early would be repeated without a pause.
    let millis = at_most.map_or(INFINITE, |d| d.as_micros().div_ceil(1000) as u32);
    let handles = [wake.handle()];
    // SAFETY: the handle lives through the call.
    let woken =
        unsafe { MsgWaitForMultipleObjectsEx(Some(&handles), millis, QS_ALLINPUT, MWMO_INPUTAVAILABLE) };
    woken != WAIT_FAILED
}

#[expect(unsafe_code, reason = "calls of the Windows API")]
fn answer_messages() {
    let mut message = MSG::default();
    // SAFETY: `message` is ours. Messages that other threads send are answered inside of the first call.
    while unsafe { PeekMessageW(&raw mut message, None, 0, 0, PM_REMOVE) }.as_bool() {
        // SAFETY: as it was just filled in.
        unsafe { DispatchMessageW(&raw const message) };
    }
}

/// What fails leaves no window behind.
fn carry_out(shown: &mut Option<Shown>, order: Order) -> Answer {
    let done = match order {
        Order::Show(overlay) => show(shown.take(), overlay).map(|s| *shown = Some(s)),
        Order::Remove => {
            *shown = None;
            Ok(())
        }
        Order::Hide => shown.as_mut().map_or(Ok(()), |s| {
            s.hidden = true;
            s.layered.hide()
        }),
        Order::Unhide => shown.as_mut().map_or(Ok(()), |s| {
            s.hidden = false;
            s.layered.show()
        }),
        Order::Exclude(out) => {
            if let Some(s) = shown {
                s.excluded = s.layered.exclude(out) && out;
            }
            Ok(())
        }
    };
    if done.is_err() {
        *shown = None;
    }
    done.map(|()| Standing {
        window: shown.as_ref().map(|s| s.layered.id()),
        excluded: shown.as_ref().is_some_and(|s| s.excluded),
    })
}

fn show(before: Option<Shown>, overlay: Overlay) -> Result<Shown, DesktopError> {
    // One that somebody else hid or took away is made anew.
    let shown = match before.filter(|s| s.hidden || s.layered.is_shown()) {
        Some(same) if same.overlay == overlay && !same.hidden => return Ok(same),
        Some(before) => before,
        None => {
            Shown { layered: Layered::create()?, overlay: overlay.clone(), hidden: false, excluded: false }
        }
    };
    shown.layered.fill(&overlay)?;
    shown.layered.show()?;
    Ok(Shown { overlay, hidden: false, ..shown })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_raises_come_50_ms_apart_and_a_newer_rendering_begins_anew() {
        let ms = Duration::from_millis;
        let mut pulses = Pulses::begin(ms(1000), 3);
        assert_eq!(pulses.wait(ms(1000)), Some(ms(50)), "the first was at once");
        assert!(!pulses.due(ms(1049)));
        assert!(pulses.due(ms(1050)));
        assert!(!pulses.due(ms(1050)), "once");
        assert_eq!(pulses.wait(ms(1070)), Some(ms(30)));
        assert!(pulses.due(ms(1200)), "late is better than never");
        assert_eq!(pulses.wait(ms(1200)), None);
        assert!(!pulses.due(ms(9999)));
        for none in [0, 1] {
            assert_eq!(Pulses::begin(ms(5), none).wait(ms(5)), None);
        }
    }
}
