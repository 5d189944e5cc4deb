//! Real eyes and hands: X11 screens, Windows desktops, VNC servers, recorded runs, and the input supervisor.
//!
//! Each backend is a folder and a line in [`BACKENDS`]. Unsafe code lives here and in few places: memory shared with a
//! server, and processes of their own. This crate refuses to decide anything: what it carries out was approved elsewhere.

#[cfg(any(target_os = "linux", windows))]
pub mod floor;
pub mod hands;
mod keysyms;
#[cfg(any(target_os = "linux", windows))]
mod marks;
#[cfg(any(target_os = "linux", windows))]
mod query;
pub mod replay;
pub mod vnc;
#[cfg(windows)]
pub mod windows;
#[cfg(target_os = "linux")]
pub mod x11;

/// One kind of desktop this crate can work on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backend {
    /// The word for it on the command line, before the colon.
    pub name: &'static str,
    /// What follows the word, as help shows it; empty if nothing does.
    pub argument: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// `std::env::consts::OS` of the systems it works on; empty means all.
    pub systems: &'static [&'static str],
}

impl Backend {
    /// True if it works on this system.
    pub fn is_here(&self) -> bool {
        self.systems.is_empty() || self.systems.contains(&std::env::consts::OS)
    }
}

/// Every backend. Help, documents and the conformance suite walk this list.
pub const BACKENDS: &[Backend] = &[
    Backend {
        name: "x11",
        argument: "[:N]",
        about: "the X server that DISPLAY names, or display :N",
        systems: &["linux"],
    },
    Backend {
        name: "windows",
        argument: "",
        about: "the desktop this Windows session shows",
        systems: &["windows"],
    },
    Backend {
        name: "vnc",
        argument: ":HOST[:PORT]",
        about: "the screen of a VNC server; a port below 100 is a display number",
        systems: &[],
    },
    Backend { name: "replay", argument: ":RUN", about: "the pictures of a recorded run", systems: &[] },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_backend_has_a_word_of_its_own() {
        let mut names: Vec<_> = BACKENDS.iter().map(|b| b.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), BACKENDS.len());
        assert!(BACKENDS.iter().all(|b| !b.about.is_empty() && !b.name.contains(':')));
        assert!(BACKENDS.iter().any(|b| b.name == "replay" && b.is_here()));
    }
}
