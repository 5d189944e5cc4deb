//! Perception from outside: what is on a picture, and what was read off it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must say where")]

mod ocr;
mod screens;
mod segment;
