//! Time: the machine's or a simulated one.
//!
//! Only this file reads the machine's clock (a lint holds that). Waits of a turn go through [`Clock`], so that a world
//! need not sleep; network deadlines are always real, whatever clock a run has.

use super::BoxFuture;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Monotonic time since the clock was made, wall time, and waiting.
pub trait Clock: Send + Sync {
    /// Since this clock began; never goes back.
    fn now(&self) -> Duration;

    /// Milliseconds since 1970, UTC; may jump.
    fn unix_millis(&self) -> i64;

    /// Resolves once `d` has passed.
    fn sleep(&self, d: Duration) -> BoxFuture<'static, ()>;
}

/// The machine's clock. Waits are woken by one named timer thread of the process, so no runtime is needed.
#[derive(Debug, Clone)]
pub struct RealClock {
    began: Instant,
}

impl RealClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
    pub fn new() -> Self {
        Self { began: Instant::now() }
    }
}

impl Default for RealClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for RealClock {
    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
    fn unix_millis(&self) -> i64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64)
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
    fn sleep(&self, d: Duration) -> BoxFuture<'static, ()> {
        let now = Instant::now();
        // A wait beyond what the machine can count is one that does not end.
        let until = now.checked_add(d).unwrap_or(now + Duration::from_secs(1 << 32));
        Box::pin(Sleep { until, slot: None })
    }
}

struct Sleep {
    until: Instant,
    /// Whom the timer will wake, once it was asked.
    slot: Option<Arc<Mutex<Waker>>>,
}

impl Future for Sleep {
    type Output = ();

    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.until {
            return Poll::Ready(());
        }
        // Queued once: a deadline that is polled at every byte of a reply must not fill the queue.
        match &self.slot {
            Some(slot) => {
                slot.lock().unwrap_or_else(PoisonError::into_inner).clone_from(cx.waker());
                // The timer may have woken the one before between the two looks at the clock.
                if Instant::now() >= self.until {
                    return Poll::Ready(());
                }
            }
            None => {
                let slot = Arc::new(Mutex::new(cx.waker().clone()));
                timer().add(self.until, Arc::downgrade(&slot));
                self.slot = Some(slot);
            }
        }
        Poll::Pending
    }
}

struct Timer {
    queue: Mutex<BinaryHeap<Reverse<Due>>>,
    changed: Condvar,
}

struct Due {
    at: Instant,
    /// Gone when the wait was given up.
    slot: Weak<Mutex<Waker>>,
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}
impl Eq for Due {}
impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at.cmp(&other.at)
    }
}

fn timer() -> &'static Timer {
    static TIMER: OnceLock<&'static Timer> = OnceLock::new();
    TIMER.get_or_init(|| {
        let timer: &'static Timer =
            Box::leak(Box::new(Timer { queue: Mutex::new(BinaryHeap::new()), changed: Condvar::new() }));
        #[expect(clippy::expect_used, reason = "a process that cannot start one thread cannot run at all")]
        std::thread::Builder::new()
            .name("timer".into())
            .stack_size(256 * 1024)
            .spawn(move || timer.run())
            .expect("the timer thread starts");
        timer
    })
}

impl Timer {
    fn add(&self, at: Instant, slot: Weak<Mutex<Waker>>) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).push(Reverse(Due { at, slot }));
        self.changed.notify_one();
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
    fn run(&self) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let now = Instant::now();
            let mut due = Vec::new();
            while queue.peek().is_some_and(|Reverse(next)| next.at <= now) {
                due.extend(queue.pop());
            }
            if !due.is_empty() {
                // Woken without a lock: whoever runs at once may ask for its next wait at once.
                drop(queue);
                for slot in due.iter().filter_map(|Reverse(due)| due.slot.upgrade()) {
                    let waker = slot.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    waker.wake();
                }
                queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            queue = match queue.peek().map(|Reverse(due)| due.at.saturating_duration_since(now)) {
                None => self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
                Some(left) => {
                    self.changed.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

/// Simulated time: a wait moves it on and returns at once. Wall time begins where it is told to.
#[derive(Debug, Clone)]
pub struct VirtualClock {
    now: Arc<Mutex<Duration>>,
    unix_millis_at_start: i64,
}

impl VirtualClock {
    pub fn new(unix_millis_at_start: i64) -> Self {
        Self { now: Arc::default(), unix_millis_at_start }
    }

    /// Moves time on, as a world does by its declared think time.
    pub fn advance(&self, d: Duration) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        *now = now.saturating_add(d);
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Duration {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unix_millis(&self) -> i64 {
        let passed = i64::try_from(self.now().as_millis()).unwrap_or(i64::MAX);
        self.unix_millis_at_start.saturating_add(passed)
    }

    fn sleep(&self, d: Duration) -> BoxFuture<'static, ()> {
        let clock = self.clone();
        Box::pin(async move { clock.advance(d) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Polls a future to its end on this thread, without a runtime.
    fn block_on<T>(future: impl Future<Output = T>) -> T {
        struct Unpark(std::thread::Thread);
        impl std::task::Wake for Unpark {
            fn wake(self: Arc<Self>) {
                self.0.unpark();
            }
        }
        let waker = Arc::new(Unpark(std::thread::current())).into();
        let mut cx = Context::from_waker(&waker);
        let mut future = std::pin::pin!(future);
        loop {
            if let Poll::Ready(out) = future.as_mut().poll(&mut cx) {
                return out;
            }
            std::thread::park();
        }
    }

    #[test]
    fn a_real_wait_takes_its_time() {
        let clock = RealClock::new();
        let before = clock.now();
        block_on(clock.sleep(Duration::from_millis(30)));
        let waited = clock.now() - before;
        assert!(waited >= Duration::from_millis(30), "{waited:?}");
        assert!(clock.unix_millis() > 1_700_000_000_000);
    }

    #[test]
    fn shorter_waits_overtake_longer_ones() {
        let clock = RealClock::new();
        let mut long = clock.sleep(Duration::from_secs(600));
        let waker = Waker::noop();
        assert!(long.as_mut().poll(&mut Context::from_waker(waker)).is_pending());
        block_on(clock.sleep(Duration::from_millis(5)));
        assert!(clock.now() < Duration::from_secs(60));
    }

    #[test]
    fn a_wait_asked_about_often_is_queued_once() {
        let queued = || timer().queue.lock().unwrap().len();
        let mut wait = RealClock::new().sleep(Duration::from_secs(600));
        let before = queued();
        for _ in 0..10_000 {
            assert!(wait.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        // Other tests wait too.
        assert!(queued() < before + 1_000, "{} waits in the queue", queued());
    }

    #[test]
    fn a_wait_given_up_lets_its_task_go() {
        struct Task;
        impl std::task::Wake for Task {
            fn wake(self: Arc<Self>) {}
        }
        let task = Arc::new(Task);
        let mut wait = RealClock::new().sleep(Duration::from_secs(600));
        assert!(wait.as_mut().poll(&mut Context::from_waker(&Arc::clone(&task).into())).is_pending());
        assert_eq!(Arc::strong_count(&task), 2);
        drop(wait);
        assert_eq!(Arc::strong_count(&task), 1);
    }

    #[test]
    fn who_is_woken_may_wait_again_at_once() {
        /// Asks for its next wait on the timer's own thread, from within the wake.
        struct Again(std::sync::mpsc::SyncSender<()>);
        impl std::task::Wake for Again {
            fn wake(self: Arc<Self>) {
                let mut next = RealClock::new().sleep(Duration::from_secs(600));
                assert!(next.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
                self.0.send(()).unwrap();
            }
        }
        let (sender, woken) = std::sync::mpsc::sync_channel(1);
        let waker = Arc::new(Again(sender)).into();
        let mut wait = RealClock::new().sleep(Duration::from_millis(5));
        assert!(wait.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        woken.recv_timeout(Duration::from_secs(60)).unwrap();
    }

    #[test]
    fn a_wait_without_end_is_no_overflow() {
        let mut real = RealClock::new().sleep(Duration::MAX);
        assert!(real.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let clock = VirtualClock::new(5);
        block_on(clock.sleep(Duration::MAX));
        block_on(clock.sleep(Duration::MAX));
        assert_eq!((clock.now(), clock.unix_millis()), (Duration::MAX, i64::MAX));
    }

    #[test]
    fn a_virtual_wait_takes_none() {
        let clock = VirtualClock::new(1_000);
        block_on(clock.sleep(Duration::from_secs(3_600)));
        assert_eq!(clock.now(), Duration::from_secs(3_600));
        assert_eq!(clock.unix_millis(), 3_601_000);
    }

    #[test]
    fn a_stop_wakes_who_waits() {
        let stop = crate::stop::Stop::new();
        let other = stop.clone();
        let thread = std::thread::Builder::new().spawn(move || block_on(other.stopped())).unwrap();
        stop.set(crate::stop::StopReason::Chord);
        stop.set(crate::stop::StopReason::Interrupt);
        assert_eq!(thread.join().unwrap(), crate::stop::StopReason::Chord, "the first reason stays");
    }
}
