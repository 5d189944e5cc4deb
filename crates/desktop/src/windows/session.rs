//! Whether a person's desktop can be seen at all: a locked screen and a question for an Administrator have a desktop of their
//! own, which no program of the person may look at or press keys on.
//!
//! This module refuses to wait: it says how things stand, and whoever asked comes back later.

use super::system;
use handsight_base::port::desktop::DesktopError;
use std::sync::OnceLock;
use windows::Win32::Foundation::{E_ACCESSDENIED, HANDLE};
use windows::Win32::System::StationsAndDesktops::{
    CloseDesktop, DESKTOP_ACCESS_FLAGS, DESKTOP_CONTROL_FLAGS, DESKTOP_READOBJECTS, GetThreadDesktop,
    GetUserObjectInformationW, HDESK, OpenInputDesktop, UOI_NAME,
};
use windows::Win32::System::Threading::GetCurrentThreadId;

/// A desktop of the window station that we opened.
struct Opened(HDESK);

impl Drop for Opened {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn drop(&mut self) {
        // SAFETY: ours, and no thread was put on it.
        let _closed = unsafe { CloseDesktop(self.0) };
    }
}

/// Why the person's desktop cannot be seen now; `None` if it can.
#[expect(unsafe_code, reason = "calls of the Windows API")]
pub(super) fn hidden() -> Option<&'static str> {
    const READ: DESKTOP_ACCESS_FLAGS = DESKTOP_READOBJECTS;
    // SAFETY: takes numbers; the handle is closed below.
    match unsafe { OpenInputDesktop(DESKTOP_CONTROL_FLAGS(0), false, READ) } {
        Ok(desktop) => {
            let input = Opened(desktop);
            match (name(input.0), ours()) {
                (Some(shown), Some(own)) if !shown.eq_ignore_ascii_case(own) => {
                    Some("another desktop of this session is shown, such as a screen saver's")
                }
                _ => None,
            }
        }
        Err(error) if error.code() == E_ACCESSDENIED => {
            Some("the screen is locked, or Windows asks for an Administrator's consent")
        }
        // What cannot be told is no reason to give up.
        Err(error) => {
            tracing::debug!("which desktop is shown cannot be told: {}", system::why(&error));
            None
        }
    }
}

/// The desktop that this process was started on; its threads stay there.
#[expect(unsafe_code, reason = "a call of the Windows API")]
fn ours() -> Option<&'static str> {
    static OURS: OnceLock<Option<String>> = OnceLock::new();
    // SAFETY: this thread's desktop is its own and is not closed.
    let ours = || unsafe { GetThreadDesktop(GetCurrentThreadId()) }.ok().and_then(name);
    OURS.get_or_init(ours).as_deref()
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn name(desktop: HDESK) -> Option<String> {
    let mut name = [0u16; 128];
    let bytes = size_of_val(&name) as u32;
    // SAFETY: `name` has that many bytes.
    let told = unsafe {
        GetUserObjectInformationW(HANDLE(desktop.0), UOI_NAME, Some(name.as_mut_ptr().cast()), bytes, None)
    };
    told.ok()?;
    Some(system::text(&name))
}

/// A loss that the engine waits out for a while: a person may come and unlock.
pub(super) fn lost(why: &str) -> DesktopError {
    DesktopError::Lost { why: format!("{why}; unlock it and leave it unlocked while handsight works") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_desktop_that_is_shown_is_not_called_hidden() {
        assert_eq!(hidden(), None);
    }
}
