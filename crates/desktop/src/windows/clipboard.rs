//! The clipboard.
pub(crate) mod keeper;
use handsight_base::port::desktop::ClipboardContents;
pub(crate) fn text_contents(_text: &str) -> ClipboardContents {
    ClipboardContents::default()
}
