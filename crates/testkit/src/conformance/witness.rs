//! The second channel: what a test looks through to see whether a desktop did what it was asked.

pub use crate::witness_protocol::{Deed, Held, Seen, What, Which, pattern};
use handsight_base::space::{ScreenPx, ScreenRect, Size};

/// Someone at the same screen who has nothing to do with the desktop under test: windows of its own that report every event
/// they get. What each call means is said at [`crate::witness_protocol::Ask`].
///
/// A broken witness panics: it ends the test where it breaks. What a witness cannot do is declared in
/// `Terms::lacks`, and such a call is never made.
pub trait Witness {
    fn open(&mut self, window: Which, client: ScreenRect, seed: u32, framed: bool);
    fn place(&mut self, window: Which, client: ScreenRect);
    fn paint(&mut self, window: Which, seed: u32);
    fn close(&mut self, window: Which);
    fn focus(&mut self, window: Which);

    /// Everything since the last `forget`, in the order it came.
    fn events(&mut self) -> Vec<Seen>;
    fn forget(&mut self);
    fn text(&mut self, window: Which) -> String;

    fn held(&mut self) -> Held;
    fn pointer(&mut self) -> ScreenPx;

    /// After so many more events: `deed`, and then `told` (from any thread).
    fn at(&mut self, events: u32, deed: Deed, told: Box<dyn FnOnce() + Send>);

    fn cursor(&mut self) {
        unreachable!("declared as lacking")
    }

    fn clipboard(&mut self) -> String {
        unreachable!("declared as lacking")
    }

    fn set_clipboard(&mut self, text: &str) {
        let _ = text;
        unreachable!("declared as lacking")
    }

    /// Gives the screen another size.
    fn resize_screen(&mut self, to: Size) {
        let _ = to;
        unreachable!("declared as lacking")
    }
}
