//! Dev only: what tests stand on. Guards for real servers and programs, independent witnesses, strict model servers
//! and fault fakes.
//!
//! Nothing here is published, and nothing here asks the product what happened: a witness looks for itself.

#![expect(clippy::expect_used, reason = "a broken test rig should end the test where it breaks")]

#[cfg(target_os = "linux")]
pub mod accessible;
#[cfg(target_os = "linux")]
pub mod apps;
pub mod chat;
pub mod conformance;
pub mod fake;
pub mod need;
pub mod picture;
#[cfg(target_os = "linux")]
pub mod program;
pub mod simulated;
#[cfg(target_os = "linux")]
pub mod small_disk;
#[cfg(target_os = "linux")]
pub mod vendors;
#[cfg(target_os = "linux")]
pub mod vnc_server;
pub mod wait;
#[cfg(target_os = "linux")]
pub mod wine;
#[cfg(target_os = "linux")]
pub mod witness;
pub mod witness_protocol;
pub mod written;
#[cfg(target_os = "linux")]
pub mod xvfb;
