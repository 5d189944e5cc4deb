//! A key in the settings: it is read, handed to whoever makes the call, and never written again.

use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// Empty where the environment has the key. Shown and serialised as nothing, so that no dump, journal or message holds it.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct ApiKey(String);

impl ApiKey {
    /// For the call, and for those that keep it out of texts. `None` if it is empty.
    pub fn reveal(&self) -> Option<&str> {
        Some(self.0.trim()).filter(|key| !key.is_empty())
    }
}

impl Serialize for ApiKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey")
    }
}
