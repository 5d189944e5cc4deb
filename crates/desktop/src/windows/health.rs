//! What a person should know of this Windows before a run: for `doctor`.
//!
//! This module refuses to judge: it tells how things are, and changes nothing.

use super::dpi::{self, Awareness};
use super::{displays, session, windows as list};
use ::windows::Win32::Foundation::{CloseHandle, HANDLE};
use ::windows::Win32::Security::{GetTokenInformation, TOKEN_ELEVATION, TOKEN_QUERY, TokenElevation};
use ::windows::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use ::windows::Win32::System::Threading::{
    GetCurrentProcess, OpenProcess, OpenProcessToken, PROCESS_QUERY_LIMITED_INFORMATION,
};
use ::windows::Win32::UI::WindowsAndMessaging::{GetSystemMetrics, SM_REMOTESESSION};

/// How things are.
#[derive(Debug, Clone, PartialEq)]
pub struct Health {
    pub awareness: Awareness,
    /// How large things are drawn on each display, the primary first: 1.5 at 144 dots per inch.
    pub scales: Vec<f64>,
    /// Why the desktop cannot be seen; `None` if it can.
    pub hidden: Option<&'static str>,
    /// Over a remote desktop.
    pub remote: bool,
    /// We have the rights of an Administrator.
    pub elevated: bool,
    /// Titles of windows that take no input from us, because their programs have more rights.
    pub out_of_reach: Vec<String>,
}

impl Health {
    pub fn here() -> Self {
        let awareness = dpi::declare_dpi_awareness();
        let elevated = is_elevated(this_process()).unwrap_or(false);
        Self {
            awareness,
            scales: displays::monitors().iter().map(|m| dpi::scale(dpi::of_display(m.handle))).collect(),
            hidden: session::hidden(),
            remote: is_remote(),
            elevated,
            out_of_reach: if elevated { Vec::new() } else { out_of_reach() },
        }
    }
}

/// Bytes of memory that this machine has; `None` if Windows does not tell.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub fn total_memory() -> Option<u64> {
    let mut status =
        MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..MEMORYSTATUSEX::default() };
    // SAFETY: `status` says how large it is.
    unsafe { GlobalMemoryStatusEx(&raw mut status) }.ok()?;
    Some(status.ullTotalPhys)
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn is_remote() -> bool {
    // SAFETY: takes a number.
    unsafe { GetSystemMetrics(SM_REMOTESESSION) != 0 }
}

fn out_of_reach() -> Vec<String> {
    let above = |pid: u32| {
        let process = process(pid);
        // One that we may not even look at has more rights than we have.
        process.is_none_or(|process| is_elevated(process.0).unwrap_or(true))
    };
    let windows = list::list(None).into_iter();
    windows.filter(|w| w.pid.is_some_and(above)).map(|w| w.title).collect()
}

/// A process that may be asked about.
struct Opened(HANDLE);

impl Drop for Opened {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn drop(&mut self) {
        // SAFETY: ours, and used by nobody now.
        let _closed = unsafe { CloseHandle(self.0) };
    }
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn process(pid: u32) -> Option<Opened> {
    // SAFETY: takes numbers.
    unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, false, pid) }.ok().map(Opened)
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn this_process() -> HANDLE {
    // SAFETY: not a handle to be closed.
    unsafe { GetCurrentProcess() }
}

/// `None` if Windows does not tell us.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn is_elevated(process: HANDLE) -> Option<bool> {
    let mut token = HANDLE::default();
    // SAFETY: `token` is ours.
    unsafe { OpenProcessToken(process, TOKEN_QUERY, &raw mut token) }.ok()?;
    let token = Opened(token);
    let (mut elevation, mut length) = (TOKEN_ELEVATION::default(), 0);
    let size = size_of::<TOKEN_ELEVATION>() as u32;
    // SAFETY: the buffer is what this question is answered with, and is as large as is said.
    let told = unsafe {
        let buffer = Some((&raw mut elevation).cast());
        GetTokenInformation(token.0, TokenElevation, buffer, size, &raw mut length)
    };
    told.ok()?;
    Some(elevation.TokenIsElevated != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_plausible() {
        let health = Health::here();
        assert_eq!(health.hidden, None);
        assert!(
            !health.scales.is_empty() && health.scales.iter().all(|s| (0.5..=5.0).contains(s)),
            "{health:?}"
        );
        assert!(total_memory().is_some_and(|bytes| bytes > 1 << 28));
        assert!(is_elevated(this_process()).is_some(), "we may look at ourselves");
        assert!(process(0).is_none() && process(3).is_none(), "there is no such process");
    }
}
