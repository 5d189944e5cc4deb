//! What a person must know before anything moves: where pictures go, what the program can do, what is kept, how to stop it.
//!
//! If pictures leave the machine for a host the profile does not name, that is the first line on stderr.

use std::path::Path;

/// Where a model is, as far as a warning needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Service {
    /// Host and port.
    pub(crate) host: String,
    pub(crate) loopback: bool,
    pub(crate) encrypted: bool,
    /// The profile's own settings name it.
    pub(crate) of_profile: bool,
}

/// Where pictures go: nothing if they stay on this machine.
pub(crate) fn service(service: &Service) -> Vec<String> {
    let mut lines = Vec::new();
    if service.loopback {
        return lines;
    }
    if !service.of_profile {
        lines.push(format!("pictures of this screen go to {}", service.host));
    }
    if !service.encrypted {
        lines.push(format!(
            "warning: {} is asked over plain HTTP: anyone on the way can read the pictures and change the replies. Use \
             this machine, https, or a VPN tunnel.",
            service.host
        ));
    }
    lines
}

/// What can happen, how to stop it, and what is kept. `real` if a screen is moved; `stop_chord` is `None` where none is heard;
/// `pauses` if the person's own input pauses it.
pub(crate) fn start(
    real: bool,
    stop_chord: Option<&str>,
    pauses: bool,
    run: &Path,
    pictures: bool,
) -> Vec<String> {
    let mut lines = Vec::new();
    if real {
        lines.push(
            "A model can control this whole desktop: every program and file that you can reach. handsight is a \
             research prototype: use it at your own risk, in controlled environments only, best in an isolated \
             virtual machine."
                .to_owned(),
        );
        let chord = stop_chord.map_or_else(String::new, |chord| format!("{chord}, or "));
        let pauses = if pauses { " Your own mouse and keyboard pause it." } else { "" };
        lines.push(format!("To stop it at once: {chord}Ctrl-C here.{pauses}"));
    }
    let what = if pictures { "Pictures of the screen are" } else { "What was done is" };
    lines.push(format!(
        "{what} kept unencrypted in {}, readable by you only; they may show private matter.",
        run.display()
    ));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(loopback: bool, encrypted: bool, of_profile: bool) -> Vec<String> {
        service(&Service { host: "box:1234".into(), loopback, encrypted, of_profile })
    }

    // spec: S-97 UNIT
    #[test]
    fn where_pictures_go_is_said_and_plain_http_warned_of() {
        let lines = to(false, false, false);
        assert_eq!(lines[0], "pictures of this screen go to box:1234");
        assert!(
            lines[1].starts_with("warning: box:1234 is asked over plain HTTP") && lines[1].contains("VPN")
        );
        assert_eq!(to(false, true, false), ["pictures of this screen go to box:1234"]);
        assert_eq!(to(false, false, true).len(), 1, "plain HTTP warns whoever named it");
        assert!(to(false, true, true).is_empty() && to(true, false, false).is_empty());
    }

    // spec: S-96 S-98 UNIT
    #[test]
    fn the_start_says_what_can_happen_and_what_is_kept() {
        let lines = start(true, Some("ctrl+alt+pause"), true, Path::new("dump/run_1"), true);
        for words in [
            "whole desktop",
            "isolated virtual machine",
            "research prototype",
            "own risk",
            "controlled environments only",
        ] {
            assert!(lines[0].contains(words), "{words}: {}", lines[0]);
        }
        assert!(lines[1].contains("ctrl+alt+pause") && lines[1].contains("pause it"), "{}", lines[1]);
        assert!(lines[2].contains("unencrypted") && lines[2].contains("private"), "{}", lines[2]);
        let unheard = start(true, None, false, Path::new("dump/run_1"), true);
        assert!(unheard.len() == 3 && unheard[1] == "To stop it at once: Ctrl-C here.", "{unheard:?}");
        assert_eq!(start(false, None, false, Path::new("x"), true).len(), 1, "a replay moves nothing");
    }
}
