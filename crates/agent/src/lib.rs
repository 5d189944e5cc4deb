//! The loop: an episode of turns, each of nine stages, and what a profile may choose for them.
//!
//! This crate reaches desktops and models through the ports of `base` only. It refuses to print, to read the environment and
//! to know which backend or vendor it works with.

pub mod confirm;
pub mod ending;
mod engine;
pub mod episode;
mod history;
mod hud;
mod journal;
pub mod look;
pub mod manual;
pub mod marks;
mod mask;
mod park;
pub mod person;
mod plan;
pub mod policy;
pub mod profile;
pub mod progress;
mod room;
pub mod seat;
pub mod target;
pub mod tools;
mod turn;
mod worker;

pub use hud::{FontFile, FontSource, Fonts, NoFonts};
