//! The store from outside: what its promises are worth when power, disk, bits or other programs fail.

#![expect(clippy::unwrap_used, reason = "a test ends where its ground gives way")]

mod child;
mod common;
mod disk;
mod fault;
mod flip;
mod journal;
mod migrate;
mod power;
mod quota;
mod share;
#[cfg(target_os = "linux")]
mod budget;
