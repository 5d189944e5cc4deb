//! The store from outside: what its promises are worth when power, disk, bits or other programs fail.

#![expect(clippy::unwrap_used, reason = "a test ends where its ground gives way")]

mod common;
mod journal;
