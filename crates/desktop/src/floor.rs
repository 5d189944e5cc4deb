//! Which Windows this is made for: 11 with desktop composition on (S-02).
//!
//! A lesser one is no reason to refuse: Wine is one, and most things work. A person should know before a run, though, because
//! what goes wrong on it goes wrong in ways nobody has looked at. This module refuses nothing and only reads.

use std::fmt;

/// The first build of Windows 11.
const BUILD: u32 = 22000;

/// What was found of what is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Floor {
    /// The number of the Windows build.
    pub build: u32,
    /// Desktop composition (DWM) is on.
    pub composed: bool,
}

impl Floor {
    /// Of the Windows this runs on.
    #[cfg(windows)]
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    pub fn here() -> Self {
        use windows::Win32::Graphics::Dwm::DwmIsCompositionEnabled;
        // SAFETY: takes nothing.
        let composed = unsafe { DwmIsCompositionEnabled() };
        Self {
            build: crate::windows::version().build,
            // One that cannot be asked has none.
            composed: composed.is_ok_and(windows::core::BOOL::as_bool),
        }
    }

    /// What is less than it should be, a line each; nothing on a Windows that is as it should be.
    pub fn shortfalls(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.build < BUILD {
            let build = self.build;
            lines.push(format!(
                "this is Windows build {build}, and Windows 11 (build {BUILD}) is the oldest supported"
            ));
        }
        if !self.composed {
            lines.push(
                "desktop composition (DWM) is off, so the HUD may flicker and has no half-clear pixels"
                    .into(),
            );
        }
        lines
    }
}

impl fmt::Display for Floor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let composed = if self.composed { "on" } else { "off" };
        write!(f, "Windows build {}, desktop composition {composed}", self.build)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: S-02 UNIT
    #[test]
    fn windows_11_with_composition_is_the_floor_and_less_is_named() {
        let found = |build, composed| Floor { build, composed }.shortfalls();
        assert!(found(22000, true).is_empty());
        assert!(found(26100, true).is_empty());
        let old = found(21999, true);
        assert!(old.len() == 1 && old[0].contains("21999") && old[0].contains("22000"), "{old:?}");
        let bare = found(22000, false);
        assert!(bare.len() == 1 && bare[0].contains("DWM"), "{bare:?}");
        assert_eq!(found(21999, false).len(), 2);
        let said = Floor { build: 21999, composed: false }.to_string();
        assert_eq!(said, "Windows build 21999, desktop composition off");
    }
}
