//! The programs of the desk: a state, what a person does, the state after it.

mod calculator;
mod files;
mod form;
mod pictures;
mod reading;
mod settings;

use crate::rig::Rig;
use handsight_worlds::desk::DeskSetup;
use handsight_worlds::engine::hold;
use serde_json::Value;

impl Rig {
    fn of_seed(seed: u64) -> Self {
        Self::new(&DeskSetup::new(seed))
    }

    /// What the topmost window of a program says of itself.
    fn model(&self, app: &str) -> Value {
        let found = self.windows().into_iter().find(|w| w.frame.app == app);
        found.unwrap_or_else(|| panic!("no {app} is open")).model
    }

    fn is_open(&self, app: &str) -> bool {
        self.windows().iter().any(|w| w.frame.app == app)
    }

    /// Clicks widgets of a program one after the other.
    fn press(&mut self, app: &str, ids: &[&str]) {
        for id in ids {
            let at = self.at(app, id);
            self.click(at);
        }
    }

    fn setting(&self, key: &str) -> String {
        hold(&self.world).settings().get(key).to_owned()
    }
}
