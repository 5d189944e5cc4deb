//! Which screen the hands are for, and what they need to reach it.
//!
//! It travels to the hands' process in their first frame over the pipe, never on a command line or in the environment, where
//! every program of this machine could read a password. It refuses to show one to whoever prints it.

use crate::vnc::Target;
use serde::{Deserialize, Serialize};

/// What a pair of hands moves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Screen {
    /// An X server by its display name, `:99`.
    X11 { display: String },
    /// The Windows desktop of this session.
    Windows,
    /// A VNC server.
    Vnc(Box<Target>),
}

impl Screen {
    pub fn x11(display: impl Into<String>) -> Self {
        Self::X11 { display: display.into() }
    }

    /// A word for it in the names of files: one per screen, whatever the screen is called.
    pub(crate) fn file_word(&self) -> String {
        match self {
            Self::X11 { display } => {
                // ":0" and ":0.0" are the same server.
                let (host, number) = display.rsplit_once(':').unwrap_or(("", display));
                let number = number.split('.').next().unwrap_or(number);
                format!("{}_{}", plain(host), plain(number))
            }
            Self::Windows => "windows".to_owned(),
            Self::Vnc(target) => format!("vnc_{}_{}", plain(&target.address.host), target.address.port),
        }
    }
}

fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_has_one_word_whatever_it_is_called() {
        let word = |display: &str| Screen::x11(display).file_word();
        assert_eq!(word(":0"), "_0");
        assert_eq!(word(":0.0"), word(":0"));
        assert_eq!(word("far.away:10.1"), "far_away_10");
        assert_eq!(word(":0/../../etc"), "_0_");
        let vnc = Screen::Vnc(Box::new(Target::new("[::1]:5900".parse().unwrap())));
        assert_eq!(vnc.file_word(), "vnc___1_5900");
    }
}
