//! Virtual time with many waits in it: it moves to the nearest one once nobody can go on.
//!
//! Unlike a clock whose every wait is over at once, two waits end in their order, and a stall meets the limit that was set
//! against it. Threads beside the driven future (a journal's) cost real time only: virtual time never moves for them.

use super::Death;
use handsight_base::port::BoxFuture;
use handsight_base::port::clock::{Clock, VirtualClock};
use std::collections::BTreeMap;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// How long a thread beside the driven one may take, in real time.
const PATIENCE: Duration = Duration::from_secs(20);

type Event = Box<dyn FnOnce() + Send>;
type Watcher = Arc<dyn Fn() + Send + Sync>;

#[derive(Default)]
struct Queue {
    next: u64,
    waits: BTreeMap<(Duration, u64), Waker>,
    events: BTreeMap<(Duration, u64), Event>,
    wall_shift_millis: i64,
    watcher: Option<Watcher>,
}

/// A clock for one simulated run. Clones are the same clock.
#[derive(Clone)]
pub struct SimClock {
    time: VirtualClock,
    queue: Arc<Mutex<Queue>>,
}

impl SimClock {
    pub fn new(unix_millis_at_start: i64) -> Self {
        Self { time: VirtualClock::new(unix_millis_at_start), queue: Arc::default() }
    }

    /// The same time, for whoever moves it by doing something that takes time.
    pub fn time(&self) -> VirtualClock {
        self.time.clone()
    }

    /// Something happens then, or as soon after it as somebody waits.
    pub fn at(&self, when: Duration, event: impl FnOnce() + Send + 'static) {
        let mut queue = self.queue();
        queue.next += 1;
        let key = (when, queue.next);
        queue.events.insert(key, Box::new(event));
    }

    /// Takes back all events that did not happen yet.
    pub fn clear_events(&self) {
        let events = std::mem::take(&mut self.queue().events);
        drop(events);
    }

    /// Wall time jumps; monotonic time does not.
    pub fn shift_wall(&self, millis: i64) {
        self.queue().wall_shift_millis += millis;
    }

    /// Called whenever somebody begins to wait.
    pub fn watch_waits(&self, watcher: impl Fn() + Send + Sync + 'static) {
        self.queue().watcher = Some(Arc::new(watcher));
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves to the nearest wait, with what happens on the way. False if nobody waits for time to pass.
    fn move_on(&self) -> bool {
        let Some(until) = self.queue().waits.keys().next().map(|(at, _)| *at) else { return false };
        let event = {
            let mut queue = self.queue();
            let due = queue.events.keys().next().copied().filter(|(at, _)| *at <= until);
            due.and_then(|key| Some((key.0, queue.events.remove(&key)?)))
        };
        let at = event.as_ref().map_or(until, |(at, _)| *at);
        self.time.advance(at.saturating_sub(self.now()));
        if let Some((_, event)) = event {
            event();
        }
        let now = self.now();
        let mut queue = self.queue();
        let later = queue.waits.split_off(&(now, u64::MAX));
        let due = std::mem::replace(&mut queue.waits, later);
        drop(queue);
        due.into_values().for_each(Waker::wake);
        true
    }
}

impl Clock for SimClock {
    fn now(&self) -> Duration {
        self.time.now()
    }

    fn unix_millis(&self) -> i64 {
        self.time.unix_millis().saturating_add(self.queue().wall_shift_millis)
    }

    fn sleep(&self, d: Duration) -> BoxFuture<'static, ()> {
        let watcher = self.queue().watcher.clone();
        if let Some(watcher) = watcher {
            watcher();
        }
        Box::pin(Sleep { clock: self.clone(), until: self.now().saturating_add(d), key: None })
    }
}

struct Sleep {
    clock: SimClock,
    until: Duration,
    key: Option<(Duration, u64)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.clock.now() >= self.until {
            return Poll::Ready(());
        }
        let (clock, until) = (self.clock.clone(), self.until);
        let mut queue = clock.queue();
        let key = *self.key.get_or_insert_with(|| {
            queue.next += 1;
            (until, queue.next)
        });
        queue.waits.insert(key, cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            let _given_up = self.clock.queue().waits.remove(&key);
        }
    }
}

/// How a driven future ended.
#[derive(Debug)]
pub enum Driven<T> {
    Done(T),
    /// [`super::die`] was called on the way.
    Died,
    /// It panicked, with these words.
    Panicked(String),
    /// It would never have ended, for this reason.
    Hung(String),
}

struct Unpark {
    thread: Thread,
    woken: AtomicBool,
}

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// Runs a future to its end in the clock's time, in at most so many steps.
pub fn drive<T>(clock: &SimClock, steps: u32, future: impl Future<Output = T>) -> Driven<T> {
    let unpark = Arc::new(Unpark { thread: std::thread::current(), woken: AtomicBool::new(true) });
    let waker = Waker::from(Arc::clone(&unpark));
    let mut cx = Context::from_waker(&waker);
    let mut future = Box::pin(future);
    for _ in 0..steps {
        unpark.woken.store(false, Ordering::Release);
        let step = catch_unwind(AssertUnwindSafe(|| {
            if let Poll::Ready(out) = future.as_mut().poll(&mut cx) {
                return Some(out);
            }
            // Whether a thread woke it meanwhile must make no difference: time moves only if somebody waits for time.
            loop {
                if unpark.woken.load(Ordering::Acquire) || !clock.move_on() {
                    return None;
                }
            }
        }));
        match step {
            Ok(Some(out)) => return Driven::Done(out),
            Ok(None) => {}
            Err(thrown) if thrown.is::<Death>() => return Driven::Died,
            Err(thrown) => {
                let text = thrown.downcast_ref::<String>().cloned();
                let text = text.or_else(|| thrown.downcast_ref::<&str>().map(|s| (*s).to_owned()));
                return Driven::Panicked(text.unwrap_or_default());
            }
        }
        if !is_woken(&unpark) {
            return Driven::Hung(format!("nobody woke it for {PATIENCE:?} of real time"));
        }
    }
    Driven::Hung(format!("it took more than {steps} steps"))
}

/// Waits for a thread beside this one; false if its time is over.
#[expect(clippy::disallowed_methods, reason = "other threads live in real time")]
fn is_woken(unpark: &Unpark) -> bool {
    let began = Instant::now();
    while !unpark.woken.load(Ordering::Acquire) {
        let Some(left) = PATIENCE.checked_sub(began.elapsed()) else { return false };
        // May return early: it was unparked by an earlier wake.
        std::thread::park_timeout(left);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn waits_end_in_their_order_and_events_happen_on_the_way() {
        let clock = SimClock::new(0);
        let seen: Arc<Mutex<Vec<u64>>> = Arc::default();
        for at in [7, 3] {
            let (seen, time) = (Arc::clone(&seen), clock.time());
            clock.at(seconds(at), move || seen.lock().unwrap().push(time.now().as_secs()));
        }
        let done = drive(&clock, 100, async {
            let mut long = clock.sleep(seconds(1_000_000));
            let mut short = clock.sleep(seconds(5));
            let first = std::future::poll_fn(|cx| {
                if long.as_mut().poll(cx).is_ready() {
                    return Poll::Ready("long");
                }
                short.as_mut().poll(cx).map(|()| "short")
            });
            let first = first.await;
            drop(long);
            clock.sleep(seconds(5)).await;
            (first, clock.now())
        });
        assert!(matches!(done, Driven::Done(("short", at)) if at == seconds(10)), "{done:?}");
        assert_eq!(*seen.lock().unwrap(), [3, 7]);
    }

    #[test]
    fn a_thread_beside_it_costs_no_virtual_time() {
        let clock = SimClock::new(0);
        let slot: Arc<Mutex<Option<Waker>>> = Arc::default();
        let (other, mut asked) = (Arc::clone(&slot), false);
        let thread = std::thread::Builder::new().spawn(move || {
            loop {
                if let Some(waker) = other.lock().unwrap().take() {
                    return waker.wake();
                }
                std::thread::yield_now();
            }
        });
        let done = drive(
            &clock,
            10,
            std::future::poll_fn(|cx| {
                if std::mem::replace(&mut asked, true) {
                    return Poll::Ready(());
                }
                *slot.lock().unwrap() = Some(cx.waker().clone());
                Poll::Pending
            }),
        );
        thread.unwrap().join().unwrap();
        assert!(matches!(done, Driven::Done(())), "{done:?}");
        assert_eq!(clock.now(), Duration::ZERO);
    }

    #[test]
    fn death_a_panic_and_no_end_are_told_apart() {
        let clock = SimClock::new(0);
        assert!(matches!(drive(&clock, 10, async { super::super::die() }), Driven::<()>::Died));
        let endless = async {
            loop {
                clock.sleep(seconds(1)).await
            }
        };
        assert!(matches!(drive(&clock, 10, endless), Driven::<()>::Hung(_)));
        let thrown = drive(&clock, 10, async { std::panic::resume_unwind(Box::new("words")) });
        assert!(matches!(&thrown, Driven::<()>::Panicked(why) if why == "words"), "{thrown:?}");
    }

    #[test]
    fn wall_time_jumps_by_itself() {
        let clock = SimClock::new(1_000);
        clock.shift_wall(-86_400_000);
        assert_eq!((clock.unix_millis(), clock.now()), (1_000 - 86_400_000, Duration::ZERO));
    }
}
