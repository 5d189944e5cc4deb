//! Memory shared with the X server, which writes pictures straight into it: a segment is the frame.
//!
//! Two segments in steady state, a third while a frame is still held. A segment returns to the pool only after the
//! server answered for it; one whose capture was abandoned is let go and never used again, because the server may
//! still write. This module refuses to hand a segment to two frames.

use super::connection::{Link, XResult, done};
use handsight_base::flow::frame::PixelMemory;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use std::sync::{Arc, Mutex, PoisonError};
use x11rb::connection::Connection as _;
use x11rb::protocol::shm::{ConnectionExt as _, Seg};

/// Segments kept in steady state: the frame of this turn and the one being captured.
const STEADY: usize = 2;

/// One mapping that the server has attached too.
pub(crate) struct Segment {
    seg: Seg,
    base: NonNull<u8>,
    len: usize,
    /// From `shmget`, to be let go with `shmdt`.
    sysv: bool,
}

// SAFETY: a segment is the only owner of its mapping; nothing in it belongs to a thread.
#[expect(unsafe_code, reason = "a pointer to a mapping that this value alone owns")]
unsafe impl Send for Segment {}
// SAFETY: through a shared reference the mapping is only read; writing takes `&mut`.
#[expect(unsafe_code, reason = "shared references only read the mapping")]
unsafe impl Sync for Segment {}

impl Segment {
    /// A segment of `len` bytes known to the server, or why there is none.
    pub(crate) fn new(link: &Link, len: usize) -> Result<Self, String> {
        if link.has.shm_fd {
            match Self::by_descriptor(link, len) {
                Ok(segment) => return Ok(segment),
                Err(why) => tracing::debug!("no segment by file descriptor ({why}); trying shmget"),
            }
        }
        Self::by_key(link, len)
    }

    /// Anonymous memory whose file descriptor goes over the socket: it has no name that could outlive us.
    fn by_descriptor(link: &Link, len: usize) -> Result<Self, String> {
        let fd = memfd_create("handsight-frame", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)
            .map_err(|e| format!("memfd_create: {e}"))?;
        ftruncate(&fd, len as u64).map_err(|e| format!("{len} bytes: {e}"))?;
        // Nobody may shrink it under a reader.
        fcntl_add_seals(&fd, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)
            .map_err(|e| format!("sealing: {e}"))?;
        // SAFETY: a fresh mapping at an address of the kernel's choice, of a file of exactly this length that cannot
        // shrink; the value that owns it unmaps it once.
        #[expect(unsafe_code, reason = "mapping shared memory")]
        let base =
            unsafe { mmap(null_mut(), len, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, &fd, 0) }
                .map_err(|e| format!("mmap: {e}"))?;
        let mut segment = Self { seg: 0, base: pointer(base)?, len, sysv: false };
        segment.seg = link.conn.generate_id().map_err(|e| e.to_string())?;
        let attached = link.conn.shm_attach_fd(segment.seg, fd, false).map_err(|e| e.to_string())?;
        attached.check().map_err(|e| e.to_string())?;
        Ok(segment)
    }

    /// System V memory, for servers before MIT-SHM 1.2. It is marked for removal as soon as the server has it.
    #[expect(unsafe_code, reason = "System V shared memory has no safe interface")]
    fn by_key(link: &Link, len: usize) -> Result<Self, String> {
        let error = || std::io::Error::last_os_error().to_string();
        // SAFETY: no pointers are passed.
        let id = unsafe { libc::shmget(libc::IPC_PRIVATE, len, libc::IPC_CREAT | 0o600) };
        if id < 0 {
            return Err(format!("shmget of {len} bytes: {}", error()));
        }
        // SAFETY: the kernel chooses the address of a mapping of the segment just made.
        let base = unsafe { libc::shmat(id, null_mut(), 0) };
        let attached = if base as isize == -1 {
            Err(format!("shmat: {}", error()))
        } else {
            pointer(base).and_then(|base| {
                let mut segment = Self { seg: 0, base, len, sysv: true };
                segment.seg = link.conn.generate_id().map_err(|e| e.to_string())?;
                let cookie =
                    link.conn.shm_attach(segment.seg, id as u32, false).map_err(|e| e.to_string())?;
                cookie.check().map_err(|e| e.to_string())?;
                Ok(segment)
            })
        };
        // SAFETY: removal by id; the memory lives on while anyone has it attached.
        unsafe { libc::shmctl(id, libc::IPC_RMID, null_mut()) };
        attached
    }

    pub(crate) const fn seg(&self) -> Seg {
        self.seg
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping is `len` bytes for as long as `self` lives. The server writes into it only in answer to a
        // capture, and a segment is not seen by anyone before that answer.
        #[expect(unsafe_code, reason = "a view of the mapping")]
        unsafe {
            std::slice::from_raw_parts(self.base.as_ptr(), self.len)
        }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and `&mut` makes us the only ones to look.
        #[expect(unsafe_code, reason = "a view of the mapping")]
        unsafe {
            std::slice::from_raw_parts_mut(self.base.as_ptr(), self.len)
        }
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: our own mapping, let go once. The server's mapping of the same memory is its own.
        #[expect(unsafe_code, reason = "unmapping shared memory")]
        unsafe {
            if self.sysv {
                libc::shmdt(self.base.as_ptr().cast());
            } else {
                let _cannot_fail = munmap(self.base.as_ptr().cast(), self.len);
            }
        }
    }
}

fn pointer(base: *mut c_void) -> Result<NonNull<u8>, String> {
    NonNull::new(base.cast()).ok_or_else(|| "the mapping lies at address 0".to_owned())
}

/// Segments between captures.
#[derive(Default)]
pub(crate) struct Pool {
    shelf: Mutex<Shelf>,
}

#[derive(Default)]
struct Shelf {
    free: Vec<Segment>,
    /// Unmapped here, to be detached at the server with the next capture.
    retired: Vec<Seg>,
    /// Free or in a frame.
    live: usize,
}

impl Pool {
    /// A segment of at least `len` bytes, old or new.
    pub(crate) fn take(self: &Arc<Self>, link: &Link, len: usize) -> Result<Lease, String> {
        let (found, retired) = {
            let mut shelf = self.shelf();
            let found = shelf.free.iter().position(|s| s.len() >= len).map(|at| shelf.free.swap_remove(at));
            if found.is_none() {
                // All that lie here are too small for what is shown now.
                let small = std::mem::take(&mut shelf.free);
                shelf.live -= small.len();
                shelf.retired.extend(small.iter().map(Segment::seg));
            }
            (found, std::mem::take(&mut shelf.retired))
        };
        detach(link, &retired).map_err(|e| format!("{e:?}"))?;
        let segment = match found {
            Some(segment) => segment,
            None => {
                let segment = Segment::new(link, len)?;
                self.shelf().live += 1;
                segment
            }
        };
        Ok(Lease { segment: Some(segment), pool: Arc::clone(self) })
    }

    fn give_back(&self, segment: Segment) {
        let mut shelf = self.shelf();
        if shelf.live > STEADY {
            shelf.live -= 1;
            shelf.retired.push(segment.seg());
        } else {
            shelf.free.push(segment);
        }
    }

    fn shelf(&self) -> std::sync::MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn detach(link: &Link, retired: &[Seg]) -> XResult<()> {
    for seg in retired {
        done(link.conn.shm_detach(*seg)?)?;
    }
    Ok(())
}

/// A segment in use; back in the pool when dropped.
pub(crate) struct Lease {
    segment: Option<Segment>,
    pool: Arc<Pool>,
}

impl Lease {
    pub(crate) fn seg(&self) -> Seg {
        self.segment.as_ref().map_or(0, Segment::seg)
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        self.segment.as_mut().map_or(&mut [], Segment::bytes_mut)
    }

    /// Lets the segment go for good: the server may still write into it.
    pub(crate) fn abandon(mut self) {
        if let Some(segment) = self.segment.take() {
            self.pool.shelf().live -= 1;
            // Our mapping goes; the memory itself stays the server's until the connection ends.
            drop(segment);
        }
    }
}

impl PixelMemory for Lease {
    fn bytes(&self) -> &[u8] {
        self.segment.as_ref().map_or(&[], Segment::bytes)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(segment) = self.segment.take() {
            self.pool.give_back(segment);
        }
    }
}
