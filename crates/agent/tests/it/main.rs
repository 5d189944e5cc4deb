//! The engine against a desktop in memory or a simulated desk, in virtual time: what is sent, in which order, and when it ends.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

mod assist;
#[cfg(target_os = "linux")]
mod compromised;
mod confirm;
mod conversation;
mod conversation_long;
mod endings;
#[cfg(target_os = "linux")]
mod fault_disk;
mod interrupted;
mod malformed;
mod park;
mod pause;
mod person;
mod policy;
mod rig;
mod sim;
mod timing;
mod turns;
mod world_annotations;
mod world_computers;
mod world_marks;
mod world_plans;
mod world_pointing;
mod world_rig;
mod world_screen;
mod world_time;
mod world_turns;
