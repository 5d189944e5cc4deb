//! What can be read from pixels alone.
//!
//! Everything here is a pure function or a state machine over pictures that others took at times that others chose: the
//! crate refuses to capture, to wait and to ask a model.

pub mod change;
pub mod recheck;
pub mod segment;
pub mod settle;
pub mod suspicion;
pub mod text;
