//! Text on the clipboard.

#![expect(unsafe_code, reason = "Win32")]

use std::time::Duration;
use windows::Win32::Foundation::{GlobalFree, HANDLE, HGLOBAL, HWND};
use windows::Win32::System::DataExchange::{
    CloseClipboard, EmptyClipboard, GetClipboardData, OpenClipboard, SetClipboardData,
};
use windows::Win32::System::Memory::{GMEM_MOVEABLE, GlobalAlloc, GlobalLock, GlobalSize, GlobalUnlock};
use windows::Win32::System::Ole::CF_UNICODETEXT;

/// The clipboard while it is open.
struct Open;

impl Open {
    fn now(owner: Option<HWND>) -> Result<Self, String> {
        // Another program may have it open for a moment.
        handsight_testkit::wait::before(Duration::from_secs(3), || {
            // SAFETY: `owner` is a window of ours or none.
            unsafe { OpenClipboard(owner) }.ok()
        })
        .map(|()| Self)
        .ok_or_else(|| "another program keeps the clipboard open".to_owned())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: it is open, or there would be no guard.
        let _closed = unsafe { CloseClipboard() };
    }
}

/// Empty where there is no text.
pub(crate) fn text() -> Result<String, String> {
    let _open = Open::now(None)?;
    // SAFETY: the clipboard is open until the guard goes.
    let Ok(handle) = (unsafe { GetClipboardData(u32::from(CF_UNICODETEXT.0)) }) else {
        return Ok(String::new());
    };
    let memory = HGLOBAL(handle.0);
    // SAFETY: a handle the clipboard gave; it stays valid while the clipboard is open.
    let (start, bytes) = unsafe { (GlobalLock(memory).cast::<u16>(), GlobalSize(memory)) };
    if start.is_null() {
        return Err("the clipboard's memory cannot be locked".into());
    }
    // SAFETY: locked, and as long as the system says.
    let units = unsafe { std::slice::from_raw_parts(start, bytes / 2) };
    let text: Vec<u16> = units.iter().copied().take_while(|unit| *unit != 0).collect();
    // SAFETY: it was locked above; an error here says that it is unlocked now.
    let _unlocked = unsafe { GlobalUnlock(memory) };
    Ok(String::from_utf16_lossy(&text))
}

/// Puts `text` there in the name of `owner`.
pub(crate) fn set(owner: HWND, text: &str) -> Result<(), String> {
    let units: Vec<u16> = text.encode_utf16().chain([0]).collect();
    let _open = Open::now(Some(owner))?;
    // SAFETY: open and owned; the memory is as long as what is copied and belongs to the clipboard once it took it.
    unsafe {
        EmptyClipboard().map_err(|e| e.to_string())?;
        let memory = GlobalAlloc(GMEM_MOVEABLE, units.len() * 2).map_err(|e| e.to_string())?;
        let start = GlobalLock(memory).cast::<u16>();
        if start.is_null() {
            let _freed = GlobalFree(Some(memory));
            return Err("no memory".into());
        }
        start.copy_from_nonoverlapping(units.as_ptr(), units.len());
        let _unlocked = GlobalUnlock(memory);
        if let Err(error) = SetClipboardData(u32::from(CF_UNICODETEXT.0), Some(HANDLE(memory.0))) {
            let _freed = GlobalFree(Some(memory));
            return Err(error.to_string());
        }
    }
    Ok(())
}
