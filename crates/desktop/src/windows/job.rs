//! A job: processes of others and all that they start in turn, which end together.
//!
//! It is for programs that somebody starts for a while, such as those of an evaluation: a program's children have no group on Windows,
//! and killing it would leave them. Closing the job ends them too, so nothing outlives a crash of its owner. This module refuses to
//! let a process out again.

use super::system::why;
use std::io;
use std::os::windows::io::AsRawHandle as _;
use std::process::Child;
use windows::Win32::Foundation::{CloseHandle, HANDLE};
use windows::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};

/// An open job. Dropping it ends whatever is in it.
#[derive(Debug)]
pub struct Job(HANDLE);

// SAFETY: a handle of a job may be used from any thread.
#[expect(unsafe_code, reason = "a raw handle is not Send by itself")]
unsafe impl Send for Job {}

impl Job {
    /// An empty one.
    #[expect(unsafe_code, reason = "calls of the Windows API")]
    pub fn new() -> io::Result<Self> {
        // SAFETY: the structure is as long as is said; the handle is open, and closed when `job` is dropped.
        unsafe {
            let job = Self(CreateJobObjectW(None, None).map_err(failed)?);
            let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
            limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
            let size = size_of_val(&limits) as u32;
            let at = (&raw const limits).cast();
            SetInformationJobObject(job.0, JobObjectExtendedLimitInformation, at, size).map_err(failed)?;
            Ok(job)
        }
    }

    /// Takes in a process that was just started. What it started before that stays outside.
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    pub fn take(&self, child: &mut Child) -> io::Result<()> {
        // SAFETY: both handles are open as long as their owners live.
        let taken = unsafe { AssignProcessToJobObject(self.0, HANDLE(child.as_raw_handle())) };
        match taken {
            // One that has ended already cannot be taken in, and need not be.
            Err(_) if child.try_wait()?.is_some() => Ok(()),
            other => other.map_err(failed),
        }
    }

    /// Ends all of it.
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    pub fn end(&self) -> io::Result<()> {
        // SAFETY: the handle is open.
        unsafe { TerminateJobObject(self.0, 1) }.map_err(failed)
    }
}

impl Drop for Job {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn drop(&mut self) {
        // SAFETY: the handle is open, and nobody uses it after this.
        let _closed = unsafe { CloseHandle(self.0) };
    }
}

fn failed(error: windows::core::Error) -> io::Error {
    io::Error::other(why(&error))
}
