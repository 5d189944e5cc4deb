//! The worlds from outside: what a person does, and what comes of it.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on must say where")]

mod conformance;
mod editor;
mod laws;
mod levels;
mod look;
mod port;
mod programs;
mod rig;
mod shell;
mod tasks;
mod widgets;
mod windows;
