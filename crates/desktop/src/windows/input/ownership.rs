//! One pair of hands per session: whoever owns the mutex `handsight-hands`.
//!
//! Windows gives a mutex up when its owner's thread ends, so a killed pair of hands blocks nobody. A page of shared memory
//! beside it carries the process id of the engine, to be named in the refusal; an event asks the owner to go.

use crate::hands::protocol::{Engine, Fault};
use crate::hands::system::{Event, Source, wait};
use crate::windows::system::why;
use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr::NonNull;
use std::time::Duration;
use windows::Win32::Foundation::{ERROR_ACCESS_DENIED, HANDLE, INVALID_HANDLE_VALUE};
use windows::Win32::System::Memory::{
    CreateFileMappingW, FILE_MAP_READ, FILE_MAP_WRITE, MEMORY_MAPPED_VIEW_ADDRESS, MapViewOfFile,
    PAGE_READWRITE, UnmapViewOfFile,
};
use windows::Win32::System::Threading::{
    CreateEventW, CreateMutexW, OpenProcess, PROCESS_SYNCHRONIZE, ReleaseMutex,
};
use windows::core::w;

/// Hands that are leaving take so long at most.
const LEAVING: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(5);

/// The session's hands are ours.
#[derive(Debug)]
pub(super) struct Ownership {
    mutex: OwnedHandle,
    engine: Page,
    /// Set by hands of the same engine that take over.
    go: Event,
}

impl Ownership {
    /// Takes the session's hands for `engine`, or says whose they are. Hands that are leaving, or whose engine has ended, are
    /// waited for; those of this very engine, which it has given up, are told to go.
    ///
    /// To be dropped on the thread that calls, as mutexes are.
    pub(super) fn take(engine: Engine) -> Result<Self, Fault> {
        let (mutex, go) = named().map_err(|error| unusable(&error))?;
        let page = Page::open().map_err(|error| unusable(&error))?;
        let mut waited = Duration::ZERO;
        // An abandoned mutex counts: hands that were killed.
        while !wait(&[mutex.as_handle()], Some(PAUSE)) {
            let theirs = page.read();
            waited += PAUSE;
            if theirs == Some(engine) {
                go.set();
            } else if theirs.is_some_and(|theirs| lives(theirs.pid)) {
                return Err(Fault::InUse { pid: theirs.map_or(0, |theirs| theirs.pid) });
            }
            if waited >= LEAVING {
                return Err(Fault::InUse { pid: theirs.map_or(0, |theirs| theirs.pid) });
            }
        }
        go.reset();
        page.write(Some(engine));
        Ok(Self { mutex, engine: page, go })
    }

    /// Says that the engine is gone and the hands are about to follow.
    pub(super) fn resign(&self) {
        self.engine.write(None);
    }

    /// Other hands of this engine are waiting for ours.
    pub(super) fn is_superseded(&self) -> bool {
        self.go.is_set()
    }

    pub(super) fn source(&self) -> Source<'_> {
        self.go.source()
    }
}

impl Drop for Ownership {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn drop(&mut self) {
        self.resign();
        // SAFETY: the handle is open. On another thread it fails, and the end of the process does it.
        let _released = unsafe { ReleaseMutex(HANDLE(self.mutex.as_raw_handle())) };
    }
}

/// The mutex and the event of this session.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn named() -> windows::core::Result<(OwnedHandle, Event)> {
    // SAFETY: the names end with a zero; the handles are new, so they are ours alone.
    unsafe {
        let mutex = CreateMutexW(None, false, w!("Local\\handsight-hands"))?;
        let mutex = OwnedHandle::from_raw_handle(mutex.0);
        let go = CreateEventW(None, true, false, w!("Local\\handsight-hands-go"))?;
        Ok((mutex, Event::from(OwnedHandle::from_raw_handle(go.0))))
    }
}

/// Who has the hands: a process id and its engine's mark.
#[derive(Debug)]
struct Page {
    _mapping: OwnedHandle,
    view: NonNull<[u32; 2]>,
}

#[expect(unsafe_code, reason = "memory shared with other processes")]
impl Page {
    fn open() -> windows::core::Result<Self> {
        // SAFETY: the mapping is as large as the view, whose pointer is checked.
        unsafe {
            let size = size_of::<[u32; 2]>();
            let name = w!("Local\\handsight-engine");
            let mapping =
                CreateFileMappingW(INVALID_HANDLE_VALUE, None, PAGE_READWRITE, 0, size as u32, name)?;
            let mapping = OwnedHandle::from_raw_handle(mapping.0);
            let access = FILE_MAP_READ | FILE_MAP_WRITE;
            let view = MapViewOfFile(HANDLE(mapping.as_raw_handle()), access, 0, 0, size);
            let view = NonNull::new(view.Value.cast()).ok_or_else(windows::core::Error::from_thread)?;
            Ok(Self { _mapping: mapping, view })
        }
    }

    fn read(&self) -> Option<Engine> {
        // SAFETY: the view lives as long as `self`; whoever writes it writes whole numbers.
        let [pid, mark] = unsafe { self.view.as_ptr().read_volatile() };
        (pid != 0).then_some(Engine { pid, mark })
    }

    fn write(&self, engine: Option<Engine>) {
        let words = engine.map_or([0; 2], |engine| [engine.pid, engine.mark]);
        // SAFETY: as above, and only the owner of the mutex writes.
        unsafe { self.view.as_ptr().write_volatile(words) };
    }
}

impl Drop for Page {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn drop(&mut self) {
        // SAFETY: the view was mapped by `open` and nobody uses it any more.
        let _unmapped =
            unsafe { UnmapViewOfFile(MEMORY_MAPPED_VIEW_ADDRESS { Value: self.view.as_ptr().cast() }) };
    }
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn lives(pid: u32) -> bool {
    // SAFETY: a plain number; the handle is new, so it is ours alone.
    match unsafe { OpenProcess(PROCESS_SYNCHRONIZE, false, pid) } {
        Ok(handle) => {
            // SAFETY: as above.
            let process = unsafe { OwnedHandle::from_raw_handle(handle.0) };
            !wait(&[process.as_handle()], Some(Duration::ZERO))
        }
        // It lives, and is somebody else's.
        Err(error) => error.code() == ERROR_ACCESS_DENIED.to_hresult(),
    }
}

fn unusable(error: &windows::core::Error) -> Fault {
    Fault::Unusable {
        why: format!("whose hands this session has cannot be told: {}", why(error)),
        remedy: "End the handsight that another user runs in this session".to_owned(),
    }
}
