//! The worlds from outside: what a person does, and what comes of it.

mod look;
mod rig;
