//! The clipboard: reading every format of it, owning it, and giving it back.
//!
//! Whoever opens the clipboard has it alone until it is closed, so every opening is tried for a while and is short. Contents
//! that are given back are put there whole, and Windows keeps them: no process of ours has to stay. What a paste offers is
//! promised instead (`keeper.rs`), so that its being taken is seen. Text of ours asks the clipboard's history and its copy in
//! the cloud to leave it out. This module names what it cannot keep: handles that mean nothing outside their owner.

mod formats;
pub(crate) mod keeper;
mod memory;

use formats::Kind;
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::{ClipboardContents, DesktopError};
use std::time::Duration;
use windows::Win32::Foundation::HWND;
use windows::Win32::System::DataExchange::{
    CloseClipboard, EmptyClipboard, EnumClipboardFormats, OpenClipboard,
};
use windows::Win32::UI::WindowsAndMessaging::{
    MSG, MSG_WAIT_FOR_MULTIPLE_OBJECTS_EX_FLAGS, MsgWaitForMultipleObjectsEx, PM_NOREMOVE, PeekMessageW,
    QS_SENDMESSAGE, QUEUE_STATUS_FLAGS,
};

use super::system::why;

/// Another program may have it open.
const OPEN: Duration = Duration::from_secs(1);
const AGAIN: Duration = Duration::from_millis(5);
/// More is not kept: it would be our memory.
const MOST_BYTES: usize = 64 << 20;

/// The text, and three words to those who record what is copied: managers, the history, the cloud.
pub(crate) fn text_contents(text: &str) -> ClipboardContents {
    let no = 0u32.to_le_bytes().to_vec();
    ClipboardContents {
        formats: vec![
            (formats::TEXT.to_owned(), formats::to_utf16(text)),
            ("ExcludeClipboardContentFromMonitorProcessing".to_owned(), no.clone()),
            ("CanIncludeInClipboardHistory".to_owned(), no.clone()),
            ("CanUploadToCloudClipboard".to_owned(), no),
        ],
    }
}

/// Everything on the clipboard that can be kept.
pub(crate) fn read() -> Result<ClipboardContents, DesktopError> {
    let open = Open::new(None).map_err(|why| DesktopError::Clipboard { why })?;
    Ok(open.read_all().kept)
}

/// What was read.
#[derive(Debug, Default)]
struct Read {
    kept: ClipboardContents,
    /// Names of formats that cannot be given back.
    lost: Vec<String>,
}

/// The clipboard, open and ours until this is dropped.
struct Open;

#[expect(unsafe_code, reason = "calls of the Windows API")]
impl Open {
    /// Opens it for a window of ours, or for nobody to read.
    fn new(owner: Option<HWND>) -> Result<Self, String> {
        let clock = RealClock::new();
        let until = clock.now() + OPEN;
        loop {
            // SAFETY: the window, if there is one, belongs to this thread.
            match unsafe { OpenClipboard(owner) } {
                Ok(()) => return Ok(Self),
                Err(error) if clock.now() >= until => {
                    return Err(format!("another program keeps it open: {}", why(&error)));
                }
                Err(_) => pause(owner.is_some()),
            }
        }
    }

    /// All formats. Owners that promised theirs are asked for them, which takes as long as they do.
    fn read_all(&self) -> Read {
        let mut read = Read::default();
        let there = self.formats();
        let mut bytes = 0;
        for format in &there {
            match formats::kind(*format, &there) {
                // Windows makes it of another one again.
                Kind::Made => {}
                Kind::Private => read.lost.push(formats::name(*format)),
                kind => match formats::bytes(*format, kind) {
                    Some(got) if bytes + got.len() <= MOST_BYTES => {
                        bytes += got.len();
                        read.kept.formats.push((formats::name(*format), got));
                    }
                    _ => read.lost.push(formats::name(*format)),
                },
            }
        }
        read
    }

    fn formats(&self) -> Vec<u32> {
        let next = |format: &u32| {
            // SAFETY: a plain number.
            Some(unsafe { EnumClipboardFormats(*format) }).filter(|format| *format != 0)
        };
        std::iter::successors(next(&0), next).collect()
    }

    /// Takes it with nothing on it.
    fn empty(&self) -> Result<(), String> {
        // SAFETY: it is open.
        unsafe { EmptyClipboard() }.map_err(|error| format!("it cannot be emptied: {}", why(&error)))
    }

    /// Takes it with these contents, whole.
    fn put(&self, contents: &ClipboardContents) -> Result<(), String> {
        self.empty()?;
        for (name, bytes) in &contents.formats {
            formats::put(name, bytes)?;
        }
        Ok(())
    }
}

impl Drop for Open {
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn drop(&mut self) {
        // SAFETY: it is open, and this thread opened it.
        let _closed = unsafe { CloseClipboard() };
    }
}

/// A moment, until the clipboard may be free. Whoever has it open may wait for what the owner, a window of this thread, has
/// promised: its messages go on.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn pause(is_owner: bool) {
    // SAFETY: no handle; messages belong to this thread's windows.
    unsafe {
        let kind = if is_owner { QS_SENDMESSAGE } else { QUEUE_STATUS_FLAGS(0) };
        MsgWaitForMultipleObjectsEx(
            None,
            AGAIN.as_millis() as u32,
            kind,
            MSG_WAIT_FOR_MULTIPLE_OBJECTS_EX_FLAGS(0),
        );
        if is_owner {
            // Messages that others wait for are handled by looking for posted ones.
            let _posted = PeekMessageW(&mut MSG::default(), None, 0, 0, PM_NOREMOVE);
        }
    }
}
