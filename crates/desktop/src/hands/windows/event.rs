//! Events, and waiting for several things at once.

use super::Source;
use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::time::Duration;
use windows::Win32::Foundation::{HANDLE, WAIT_FAILED, WAIT_TIMEOUT};
use windows::Win32::System::Threading::{
    CreateEventW, INFINITE, ResetEvent, SetEvent, WaitForMultipleObjects,
};

/// An event that stays set until it is reset.
#[derive(Debug)]
pub(crate) struct Event(OwnedHandle);

#[expect(unsafe_code, reason = "calls of the Windows API")]
impl Event {
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: no name and no attributes; the handle is new, so it is ours alone.
        unsafe {
            let handle = CreateEventW(None, true, false, None)?;
            Ok(Self(OwnedHandle::from_raw_handle(handle.0)))
        }
    }

    pub(crate) fn set(&self) {
        // SAFETY: the handle is open as long as `self`. Of an event it cannot fail.
        let _set = unsafe { SetEvent(HANDLE(self.0.as_raw_handle())) };
    }

    pub(crate) fn reset(&self) {
        // SAFETY: as above.
        let _reset = unsafe { ResetEvent(HANDLE(self.0.as_raw_handle())) };
    }
}

impl Event {
    pub(crate) fn is_set(&self) -> bool {
        wait(&[self.source()], Some(Duration::ZERO))
    }

    /// True if it was set, and takes that back. What cannot be reset is no event of ours and never counts as set.
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    pub(crate) fn take(&self) -> bool {
        // SAFETY: the handle is open as long as `self`.
        self.is_set() && unsafe { ResetEvent(HANDLE(self.0.as_raw_handle())) }.is_ok()
    }

    pub(crate) fn source(&self) -> Source<'_> {
        self.0.as_handle()
    }

    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }
}

impl AsHandle for Event {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        self.0.as_handle()
    }
}

impl From<OwnedHandle> for Event {
    fn from(handle: OwnedHandle) -> Self {
        Self(handle)
    }
}

/// Waits until one of the sources is signalled (true), or the time is over. Of no source and no time it returns at once.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub(crate) fn wait(sources: &[Source<'_>], timeout: Option<Duration>) -> bool {
    let handles: Vec<HANDLE> = sources.iter().map(|s| HANDLE(s.as_raw_handle())).collect();
    let millis = timeout.map_or(INFINITE, |t| {
        // Rounded up: a wait that ends too early is asked for again at once, over and over.
        u32::try_from(t.as_nanos().div_ceil(1_000_000)).unwrap_or(INFINITE - 1).min(INFINITE - 1)
    });
    // SAFETY: the handles are open as long as `sources`.
    let woken = unsafe { WaitForMultipleObjects(&handles, false, millis) };
    woken != WAIT_TIMEOUT && woken != WAIT_FAILED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_stays_set_until_it_is_reset() {
        let (one, other) = (Event::new().unwrap(), Event::new().unwrap());
        let both = || wait(&[one.source(), other.source()], Some(Duration::ZERO));
        assert!(!both());
        other.try_clone().unwrap().set();
        assert!(both() && both() && other.is_set() && !one.is_set());
        other.reset();
        assert!(!both());
        one.set();
        assert!(one.take() && !one.take());
    }

    #[test]
    fn what_is_no_event_is_never_taken() {
        let thread = std::thread::Builder::new().name("at-once".into()).spawn(|| ()).unwrap();
        let thread = Event::from(OwnedHandle::from(thread));
        assert!(wait(&[thread.source()], None), "it ends, and stays signalled");
        assert!(thread.is_set() && !thread.take());
    }
}
