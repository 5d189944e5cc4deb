//! The engine's end of the clipboard: text entered by way of it, and contents put there.
//!
//! What has to outlive the engine lives with the supervisor ([`keeper`](super::keeper)); this only asks. It
//! refuses to leave a person's clipboard with the text that was pasted: whatever happens to the keys, it is given back.

use super::client::{Hands, Heard};
use super::protocol::{Command, MAX_FRAME, Reply, frame};
use super::wish::Wish;
#[cfg(windows)]
use crate::windows::clipboard::text_contents;
#[cfg(target_os = "linux")]
use crate::x11::clipboard::text_contents;
use handsight_base::flow::action::Primitive;
use handsight_base::gate::{Approved, Paste, SetClipboard};
use handsight_base::key::{Key, Named};
use handsight_base::port::desktop::{DesktopError, Injected};
use handsight_base::stop::Stop;
use std::time::Duration;

/// For reading everything that is on the clipboard and taking it.
const OFFER: Duration = Duration::from_secs(5);
/// For a program to take what was pasted.
const TAKEN: Duration = Duration::from_secs(1);

impl Hands {
    /// Puts the text on the clipboard, presses Ctrl+V, waits until a program has taken it, and gives back what was on the
    /// clipboard before, in all its formats. [`DesktopError::Clipboard`] if no program took it.
    pub fn paste(&mut self, paste: Approved<Paste>, stop: &Stop) -> Result<Injected, DesktopError> {
        if self.is_stopped(stop) {
            return Err(DesktopError::Stopped);
        }
        let Paste(text) = paste.into_inner();
        self.offer(Wish::offer(text_contents(&text), true))?;
        let [control, v] = [Key::Named(Named::Control), Key::Char('v')];
        let keys = [(control, true), (v, true), (v, false), (control, false)];
        let keys = keys.map(|(key, down)| Primitive::Key { key, down });
        let struck = self.strike(keys.to_vec(), stop);
        let patience = if struck.as_ref().is_ok_and(|i| i.complete) { TAKEN } else { Duration::ZERO };
        let taken = self.wish(Wish::GiveBack { patience });
        let injected = struck?;
        if taken? || !injected.complete {
            return Ok(injected);
        }
        Err(DesktopError::Clipboard {
            why: format!(
                "no program took the text within {TAKEN:?}; what has the focus may not paste with Ctrl+V"
            ),
        })
    }

    /// Puts contents on the clipboard, where they stay after the engine's end.
    pub fn set_clipboard(&mut self, contents: Approved<SetClipboard>) -> Result<(), DesktopError> {
        let SetClipboard(contents) = contents.into_inner();
        self.offer(Wish::offer(contents, false))
    }

    fn offer(&mut self, wish: Wish) -> Result<(), DesktopError> {
        if self.wish(wish)? {
            return Ok(());
        }
        Err(DesktopError::Clipboard { why: "another program took it in the same moment".into() })
    }

    fn wish(&mut self, wish: Wish) -> Result<bool, DesktopError> {
        let ticket = self.number();
        let command = Command::Clipboard { ticket, wish };
        let size = frame(&command).map_or(usize::MAX, |bytes| bytes.len());
        if size > MAX_FRAME {
            return Err(DesktopError::Clipboard {
                why: format!("{size} bytes are too many; {MAX_FRAME} at most"),
            });
        }
        self.send(&command)?;
        let granted = self.answer("clipboard", OFFER, None, |reply| match reply {
            Reply::Clipboard { ticket: t, granted } if t == ticket => Heard::Answer(granted),
            other => Heard::Other(other),
        });
        let done = granted?.map_err(|why| DesktopError::Clipboard { why })?;
        if !done.lost.is_empty() {
            tracing::warn!(formats = ?done.lost, "what was on the clipboard cannot be given back in these formats");
        }
        Ok(done.yes)
    }
}
