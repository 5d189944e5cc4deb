//! The table `[policy]`: what a model may do, whatever it says and whatever it reads. `docs/policy.md` has each key with an example.
//!
//! These are a person's words, from files and flags. Nothing that a run sees or is told gets here.

use super::ProfileError;
use handsight_base::key::Chord;
use handsight_base::space::ScreenRect;
use serde::{Deserialize, Serialize};

/// What a run may do. The defaults let every program and window be used and keep from a model what would take the machine from its
/// person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Programs that may be started, by name or path, or whole commands; `*` is every program.
    pub launch: Vec<String>,
    /// Hosts of addresses that a started program may be given; `*` is every host, `*.example.org` every one below it.
    pub hosts: Vec<String>,
    /// Chords that are never pressed, nor any that hold them.
    pub chords_denied: Vec<String>,
    /// Windows that input may go to; empty is every window.
    pub windows: Vec<WindowMatch>,
    pub windows_denied: Vec<WindowMatch>,
    /// Parts of the screen, in its own units, that the pointer may be used in; empty is everywhere.
    pub regions: Vec<Area>,
    pub regions_denied: Vec<Area>,
    /// For `on.guarded`.
    pub guarded_windows: Vec<WindowMatch>,
    pub guarded_regions: Vec<Area>,
    /// Classes of windows that run the lines typed into them, for `on.terminal`.
    pub terminals: Vec<String>,
    pub on: On,
    /// Of this run and those it resumes.
    pub max_actions: Option<u64>,
    pub max_actions_per_minute: Option<u64>,
    pub max_launches: Option<u64>,
    /// Turns in a row whose actions were refused that end the run; 0 never does.
    pub max_refusals: u32,
}

impl Default for Policy {
    fn default() -> Self {
        let words = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
        Self {
            launch: words(&["*"]),
            hosts: words(&["*"]),
            chords_denied: words(CHORDS_DENIED),
            windows: Vec::new(),
            windows_denied: Vec::new(),
            regions: Vec::new(),
            regions_denied: Vec::new(),
            guarded_windows: Vec::new(),
            guarded_regions: Vec::new(),
            terminals: words(TERMINALS),
            on: On::default(),
            max_actions: None,
            max_actions_per_minute: None,
            max_launches: None,
            max_refusals: 5,
        }
    }
}

/// Security attention, the end of the session, other consoles, the kernel's own keys, the lock.
const CHORDS_DENIED: &[&str] = &[
    "ctrl+alt+delete",
    "ctrl+alt+backspace",
    "ctrl+alt+f1",
    "ctrl+alt+f2",
    "ctrl+alt+f3",
    "ctrl+alt+f4",
    "ctrl+alt+f5",
    "ctrl+alt+f6",
    "ctrl+alt+f7",
    "ctrl+alt+f8",
    "ctrl+alt+f9",
    "ctrl+alt+f10",
    "ctrl+alt+f11",
    "ctrl+alt+f12",
    "alt+printscreen",
    "super+l",
];

const TERMINALS: &[&str] = &[
    "xterm",
    "uxterm",
    "urxvt",
    "st",
    "st-256color",
    "gnome-terminal-server",
    "org.gnome.terminal",
    "kgx",
    "konsole",
    "xfce4-terminal",
    "mate-terminal",
    "lxterminal",
    "qterminal",
    "terminator",
    "tilix",
    "alacritty",
    "kitty",
    "foot",
    "org.wezfurlong.wezterm",
    "com.mitchellh.ghostty",
    "consolewindowclass",
    "cascadia_hosting_window_class",
];

/// What becomes of an action whose consequences outlast it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decree {
    Allow,
    /// A person is asked about this very action; nobody there and no answer in time are a no.
    Ask,
    Deny,
}

/// The kinds of actions that a person may want to be asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct On {
    /// A program is started.
    pub launch: Decree,
    /// A text goes over the clipboard, or what lies there is pasted.
    pub paste: Decree,
    /// A chord that closes, quits or deletes for good.
    pub close: Decree,
    /// A line is sent to a terminal.
    pub terminal: Decree,
    /// Input goes to one of `guarded_windows` or `guarded_regions`.
    pub guarded: Decree,
}

impl Default for On {
    fn default() -> Self {
        let allow = Decree::Allow;
        Self { launch: allow, paste: allow, close: allow, terminal: allow, guarded: Decree::Ask }
    }
}

/// Which windows are meant: all that is given has to fit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WindowMatch {
    /// A part of the title, in any case. Whoever makes a document writes its title, so it can only narrow what is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The whole class or instance, in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The file of the program: its whole path, or its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

/// A rectangle on the screen: `[x, y, width, height]` in screen units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Area(pub [i64; 4]);

impl Area {
    /// `None` if it is no rectangle of a screen.
    pub fn rect(self) -> Option<ScreenRect> {
        let [x, y, width, height] = self.0;
        let size = |n: i64| u32::try_from(n).ok().filter(|n| *n > 0);
        Some(ScreenRect::new(i32::try_from(x).ok()?, i32::try_from(y).ok()?, size(width)?, size(height)?))
    }
}

impl Policy {
    /// Values that are well-formed but make no sense.
    pub(super) fn check(&self) -> Result<(), ProfileError> {
        for chord in &self.chords_denied {
            if let Err(error) = chord.parse::<Chord>() {
                let value = format!("{chord:?} ({error})");
                return Err(ProfileError::value(
                    "policy.chords_denied",
                    value,
                    "chords like ctrl+alt+delete",
                ));
            }
        }
        let areas = [
            ("policy.regions", &self.regions),
            ("policy.regions_denied", &self.regions_denied),
            ("policy.guarded_regions", &self.guarded_regions),
        ];
        for (key, area) in areas.iter().flat_map(|(key, areas)| areas.iter().map(move |a| (key, a))) {
            if area.rect().is_none() {
                let value = format!("{:?}", area.0);
                return Err(ProfileError::value(key, value, "[x, y, width, height] of one pixel or more"));
            }
        }
        for window in &self.windows {
            if window.class.is_none() && window.program.is_none() {
                let value = format!("{window:?}");
                let allowed = "by `class` or `program`: a title is written by whoever makes the document";
                return Err(ProfileError::value("policy.windows", value, allowed));
            }
        }
        let named = self.windows_denied.iter().map(|w| ("policy.windows_denied", w));
        for (key, window) in named.chain(self.guarded_windows.iter().map(|w| ("policy.guarded_windows", w))) {
            if *window == WindowMatch::default() {
                return Err(ProfileError::value(key, "{}", "a `title`, a `class` or a `program`"));
            }
        }
        for (key, entries) in [("policy.launch", &self.launch), ("policy.hosts", &self.hosts)] {
            if entries.iter().any(|entry| entry.trim().is_empty()) {
                return Err(ProfileError::value(key, "\"\"", "without empty entries; [] allows none"));
            }
        }
        if let Some(host) = self.hosts.iter().find(|h| !crate::policy::is_host(h)) {
            return Err(ProfileError::value("policy.hosts", format!("{host:?}"), "hosts like example.org"));
        }
        Ok(())
    }
}
