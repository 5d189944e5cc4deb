//! Where the hands do not know the system yet: asked for, they are refused by name.

use super::HandsConfig;
use handsight_base::flow::action::Batch;
use handsight_base::gate::{Approved, Paste, SetClipboard};
use handsight_base::port::desktop::{DesktopError, Injected, Pulse};
use handsight_base::stop::Stop;
use std::ffi::OsString;
use std::sync::Arc;

/// There are none.
#[derive(Debug)]
pub enum Hands {}

impl Hands {
    pub fn spawn(_config: HandsConfig) -> Result<Self, DesktopError> {
        Err(DesktopError::Unusable {
            why: "the hands do not know this system".to_owned(),
            remedy: "Look only: `--dry-run`, `window status`.".to_owned(),
        })
    }

    pub fn inject(&mut self, _batch: Approved<Batch>, _stop: &Stop) -> Result<Injected, DesktopError> {
        match *self {}
    }

    pub fn release_all(&mut self) -> Result<(), DesktopError> {
        match *self {}
    }

    pub fn paste(&mut self, _paste: Approved<Paste>, _stop: &Stop) -> Result<Injected, DesktopError> {
        match *self {}
    }

    pub fn set_clipboard(&mut self, _contents: Approved<SetClipboard>) -> Result<(), DesktopError> {
        match *self {}
    }

    pub fn pulse(&self) -> Arc<dyn Pulse> {
        match *self {}
    }

    pub fn chord_stop(&self) -> Stop {
        match *self {}
    }

    pub fn has_ended(&self) -> bool {
        match *self {}
    }
}

/// Ends at once: nobody can have started it.
pub fn supervise(_arguments: &[OsString]) -> i32 {
    70
}
