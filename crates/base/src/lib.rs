//! The nouns, ports and gate of handsight.
//!
//! Everything else in the workspace speaks in these words. This crate refuses all I/O, every runtime, every operating
//! system and HTTP: it can be read, tested and trusted alone, and it changes rarely because everything rebuilds with it.

pub mod area;
mod expand;
pub mod flow;
pub mod gate;
pub mod key;
pub mod lifts;
pub mod port;
pub mod presence;
pub mod privacy;
#[cfg(test)]
mod random;
pub mod redact;
pub mod space;
pub mod stop;

pub use expand::{ExpandError, NOTCH};
