//! The perceiver port: one thing that can be read off a frame.
//!
//! Perceiving never fails a turn. A perceiver that cannot see says so ([`Blind`]), and the percept knows less.

use super::BoxFuture;
use crate::flow::frame::Frame;
use crate::flow::percept::Finding;
use crate::stop::Stop;

pub trait Perceiver: Send + Sync {
    /// Its word in profiles and in the journal.
    fn name(&self) -> &'static str;

    fn perceive<'a>(&'a self, frame: &'a Frame, stop: &'a Stop)
    -> BoxFuture<'a, Result<Vec<Finding>, Blind>>;
}

/// What a perceiver could not see, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
#[error("{perceiver} sees nothing: {why}")]
pub struct Blind {
    pub perceiver: String,
    pub why: String,
}
