//! Waiting for a condition instead of sleeping for a fixed time.

use std::time::{Duration, Instant};

/// How long a test waits for what another process has to do. Generous: on a busy machine a program takes seconds to
/// start, and a condition that comes earlier ends the wait.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Asks `condition` every 2 ms until it gives a value.
///
/// # Panics
/// When `deadline` passes without one; `what` says what was waited for.
#[track_caller]
pub fn until<T>(what: &str, deadline: Duration, condition: impl FnMut() -> Option<T>) -> T {
    match before(deadline, condition) {
        Some(value) => value,
        None => panic!("{what} did not happen within {deadline:?}"),
    }
}

/// Asks `condition` every 2 ms until it gives a value or `deadline` passes.
#[expect(clippy::disallowed_methods, reason = "real programs live in real time")]
pub fn before<T>(deadline: Duration, mut condition: impl FnMut() -> Option<T>) -> Option<T> {
    let began = Instant::now();
    loop {
        if let Some(value) = condition() {
            return Some(value);
        }
        if began.elapsed() >= deadline {
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
