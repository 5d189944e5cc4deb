//! Programs that Windows shields from ours.
//!
//! A program that runs as administrator gets no input from one that does not, and `SendInput` reports success all the same:
//! so the integrity of the process that has the focus is looked at before keys are sent. What cannot be told is no refusal.

use crate::hands::protocol::Fault;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use windows::Win32::Foundation::{ERROR_ACCESS_DENIED, HANDLE};
use windows::Win32::Security::{
    GetSidSubAuthority, GetSidSubAuthorityCount, GetTokenInformation, TOKEN_MANDATORY_LABEL, TOKEN_QUERY,
    TokenIntegrityLevel,
};
use windows::Win32::System::Threading::{
    GetCurrentProcess, OpenProcess, OpenProcessToken, PROCESS_QUERY_LIMITED_INFORMATION,
};
use windows::Win32::UI::WindowsAndMessaging::{GetForegroundWindow, GetWindowThreadProcessId};

/// Refuses if the program that has the focus stands above ours.
#[expect(unsafe_code, reason = "calls of the Windows API")]
pub(super) fn check_focus() -> Result<(), Fault> {
    let mut pid = 0;
    // SAFETY: the handles that are opened are new, so they are ours alone; our own process needs none.
    let (theirs, ours) = unsafe {
        GetWindowThreadProcessId(GetForegroundWindow(), Some(&raw mut pid));
        if pid == 0 {
            return Ok(());
        }
        let Ok(process) = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, false, pid) else { return Ok(()) };
        let process = OwnedHandle::from_raw_handle(process.0);
        (integrity(HANDLE(process.as_raw_handle())), integrity(GetCurrentProcess()))
    };
    match (theirs, ours) {
        (Some(theirs), Some(ours)) if theirs > ours => Err(Fault::Refused {
            why: format!(
                "the program that has the focus (process {pid}) runs as administrator and takes no input from one that does not; start handsight as administrator, or that program without"
            ),
            code: Some(ERROR_ACCESS_DENIED.0.into()),
        }),
        _ => Ok(()),
    }
}

/// How high a process stands: the last part of its integrity label.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn integrity(process: HANDLE) -> Option<u32> {
    // A label and its SID of one part.
    let mut room = [0u64; 16];
    let mut size = 0;
    // SAFETY: `room` is aligned for a label and as large as is said; the SID it points to lies in it.
    unsafe {
        let mut token = HANDLE::default();
        OpenProcessToken(process, TOKEN_QUERY, &raw mut token).ok()?;
        let token = OwnedHandle::from_raw_handle(token.0);
        GetTokenInformation(
            HANDLE(token.as_raw_handle()),
            TokenIntegrityLevel,
            Some(room.as_mut_ptr().cast()),
            size_of_val(&room) as u32,
            &raw mut size,
        )
        .ok()?;
        let sid = (*room.as_ptr().cast::<TOKEN_MANDATORY_LABEL>()).Label.Sid;
        let parts = *GetSidSubAuthorityCount(sid);
        Some(*GetSidSubAuthority(sid, u32::from(parts.checked_sub(1)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn our_own_integrity_is_known() {
        // SAFETY: it only answers.
        let ours = integrity(unsafe { GetCurrentProcess() });
        assert!(ours.is_some_and(|level| (0x1000..=0x5000).contains(&level)), "{ours:?}");
    }
}
