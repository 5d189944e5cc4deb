//! Blocks of memory that the clipboard hands from one process to another.

use windows::Win32::Foundation::{GlobalFree, HANDLE, HGLOBAL};
use windows::Win32::System::DataExchange::SetClipboardData;
use windows::Win32::System::Memory::{GMEM_MOVEABLE, GlobalAlloc, GlobalLock, GlobalSize, GlobalUnlock};

/// What a block of the open clipboard holds. `None` if it is no block of memory.
#[expect(unsafe_code, reason = "calls of the Windows API")]
pub(super) fn copy(handle: HANDLE) -> Option<Vec<u8>> {
    let block = HGLOBAL(handle.0);
    // SAFETY: the block lives as long as the clipboard is open, and is as large as is said.
    unsafe {
        let size = GlobalSize(block);
        let at = GlobalLock(block);
        if at.is_null() {
            return None;
        }
        let bytes = std::slice::from_raw_parts(at.cast::<u8>(), size).to_vec();
        // It says so when nobody has it locked any more.
        let _unlocked = GlobalUnlock(block);
        Some(bytes)
    }
}

/// Puts a copy of the bytes on the open clipboard.
#[expect(unsafe_code, reason = "calls of the Windows API")]
pub(super) fn give(format: u32, bytes: &[u8]) -> windows::core::Result<()> {
    // SAFETY: the block is as large as what is written into it (an empty one could not be locked), and belongs to the
    // clipboard once that has taken it.
    unsafe {
        let block = GlobalAlloc(GMEM_MOVEABLE, bytes.len().max(1))?;
        let at = GlobalLock(block);
        if at.is_null() {
            let error = windows::core::Error::from_thread();
            let _freed = GlobalFree(Some(block));
            return Err(error);
        }
        at.cast::<u8>().write_bytes(0, bytes.len().max(1));
        at.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        let _unlocked = GlobalUnlock(block);
        SetClipboardData(format, Some(HANDLE(block.0))).map(drop).inspect_err(|_| {
            let _freed = GlobalFree(Some(block));
        })
    }
}
