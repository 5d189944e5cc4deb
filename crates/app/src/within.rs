//! A blocking call with a deadline, for commands that ask a desktop once.
//!
//! A run has a seat for this; a single question needs no more than a thread that may be left behind.

use handsight_base::port::desktop::DesktopError;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Runs `f` on a thread of its own, at most so long. Past the deadline the thread is left behind with whatever it holds.
pub(crate) fn within<T: Send + 'static>(
    deadline: Duration,
    call: &'static str,
    f: impl FnOnce() -> Result<T, DesktopError> + Send + 'static,
) -> Result<T, DesktopError> {
    let (answer, result) = sync_channel(1);
    let thread = std::thread::Builder::new().name("desktop".into()).spawn(move || {
        // Nobody waits any more once the deadline has passed.
        let _late = answer.send(f());
    });
    thread.map_err(|e| DesktopError::Unusable {
        why: format!("no thread for it: {e}"),
        remedy: "Free some memory.".into(),
    })?;
    match result.recv_timeout(deadline) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout) => Err(DesktopError::Deadline { call, after: deadline }),
        Err(RecvTimeoutError::Disconnected) => {
            Err(DesktopError::Lost { why: format!("its thread ended during `{call}`") })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_comes_through_and_a_hang_is_left_behind() {
        let d = Duration::from_secs(60);
        assert_eq!(within(d, "x", || Ok(3)), Ok(3));
        assert_eq!(within::<()>(d, "x", || Err(DesktopError::Stopped)), Err(DesktopError::Stopped));
        let (_hold, gate) = sync_channel::<()>(1);
        let stuck = within(Duration::from_millis(20), "look", move || {
            let _until_dropped = gate.recv();
            Ok(())
        });
        assert!(matches!(stuck, Err(DesktopError::Deadline { call: "look", .. })), "{stuck:?}");
        let gone = within::<()>(d, "look", || panic!("on purpose"));
        assert!(matches!(gone, Err(DesktopError::Lost { .. })), "{gone:?}");
    }
}
