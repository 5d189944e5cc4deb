//! A terminal as a screen: a desktop backend for handsight that was written outside of its workspace.
//!
//! A program runs in a pseudo-terminal ([`Terminal`]); its cells are drawn to a picture ([`Look`]); mouse, keys and text reach
//! it as the bytes a terminal sends. [`TerminalDesktop`] is the port of the engine over that. It declares what a terminal can do and
//! refuses the rest by name: it has no windows, starts no programs beside the one it was given, and shows no overlay.
//!
//! ```text
//! Primitive --hands, keys, mouse--> bytes --> pty --> program --> bytes --vt100--> cells --paint--> Frame
//! ```

mod answers;
mod desktop;
mod hands;
mod keys;
mod mouse;
mod paint;
mod shapes;
mod terminal;

pub use desktop::TerminalDesktop;
pub use paint::Look;
pub use terminal::{Cells, Terminal};
