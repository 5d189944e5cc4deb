//! The store from outside: what its promises are worth when power, disk, bits or other programs fail.
//!
//! The tiers that cut the power and inject faults run a child of this very binary under strace and need Linux.

#![expect(clippy::unwrap_used, reason = "a test ends where its ground gives way")]
#![cfg_attr(
    target_os = "linux",
    expect(
        clippy::print_stderr,
        reason = "a tier says how much it tried, and a skipped test that it was skipped"
    )
)]

mod common;
mod fault_flip;
mod journal;
mod migrate;
mod quota;
mod share;

#[cfg(target_os = "linux")]
mod budget;
#[cfg(target_os = "linux")]
mod child;
#[cfg(target_os = "linux")]
mod fault;
#[cfg(target_os = "linux")]
mod full_disk;
#[cfg(target_os = "linux")]
mod power;
