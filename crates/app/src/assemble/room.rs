//! How much room a run finds on its disk, and how much it asks for before it begins (R30).
//!
//! `run`, `manual` and `doctor` go by the same figure. This module makes nothing: it looks and refuses.

use crate::exit::{Exit, Failure};
use handsight_agent::profile::Profile;
use std::path::{Path, PathBuf};

/// Free and asked for, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Room {
    dir: PathBuf,
    free: u64,
    least: u64,
}

impl Room {
    /// Looks at the disk that holds `dir`, or would. `None` where that cannot be told.
    pub(crate) fn look(dir: &Path, profile: &Profile) -> Option<Self> {
        let free = handsight_store::free_bytes(dir).ok()?;
        Some(Self { dir: dir.to_owned(), free, least: profile.record.min_free_mib.saturating_mul(1 << 20) })
    }

    pub(crate) const fn is_enough(&self) -> bool {
        self.free >= self.least
    }

    pub(crate) const REMEDY: &str = "Free some, or name a folder on another disk: --out DIR. The figure is the setting record.min_free_mib.";

    /// Refuses a disk that is nearly full.
    pub(crate) fn check(dir: &Path, profile: &Profile) -> Result<(), Failure> {
        match Self::look(dir, profile) {
            Some(room) if !room.is_enough() => {
                Err(Failure::new(Exit::Storage, room.to_string(), Self::REMEDY))
            }
            _ => Ok(()),
        }
    }
}

impl std::fmt::Display for Room {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { dir, free, least } = self;
        write!(f, "{} free for {}; a run begins with {}", bytes(*free), dir.display(), bytes(*least))
    }
}

/// Bytes as a person reads them, never more than there are.
pub(crate) fn bytes(n: u64) -> String {
    match n {
        0..0x400 => format!("{n} bytes"),
        0x400..0x10_0000 => format!("{} KiB", n >> 10),
        0x10_0000..0x4000_0000 => format!("{} MiB", n >> 20),
        _ => format!("{}.{} GiB", n >> 30, (n >> 20) % 1024 * 10 / 1024),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_never_said_too_large() {
        for (n, said) in [
            (0, "0 bytes"),
            (1_023, "1023 bytes"),
            (1_024, "1 KiB"),
            ((1 << 20) - 1, "1023 KiB"),
            (64 << 20, "64 MiB"),
            ((2 << 30) - 1, "1.9 GiB"),
            (5 << 30, "5.0 GiB"),
        ] {
            assert_eq!(bytes(n), said, "{n}");
        }
    }
}
