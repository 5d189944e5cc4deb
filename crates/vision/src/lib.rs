//! Pixels to percepts: what can be told about a screen without asking a model.
//!
//! Everything here is a pure function of the pixels it is given. Time, captures and waiting are the caller's.

pub mod change;
pub mod settle;
pub mod suspicion;
