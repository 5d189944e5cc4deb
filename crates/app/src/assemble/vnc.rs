//! A VNC server with what the profile and the environment say of it: the password above all.
//!
//! The password comes from a variable or a file, never from the command line or a profile, where others could read it. This module
//! refuses to say it: errors name the variable or the file.

use crate::environment::Environment;
use crate::exit::Failure;
use handsight_agent::profile::{Desktop, VncTls};
use handsight_desktop::vnc::{Target, TlsMode, VncAddress};
use std::path::Path;

/// The longest file a password is read from, in bytes.
const LONGEST: usize = 4096;

/// From what follows `vnc:`. What it takes to get in is filled in by [`equip`].
pub(super) fn read(address: &str, forms: &str) -> Result<Target, Failure> {
    let address: VncAddress =
        address.parse().map_err(|e| Failure::usage(format!("{e}"), forms.to_owned()))?;
    Ok(Target::new(address))
}

/// Password, user and trust, as the settings say.
pub(super) fn equip(
    target: &mut Target,
    settings: &Desktop,
    environment: &Environment,
) -> Result<(), Failure> {
    target.user = settings.vnc_user.clone().filter(|user| !user.is_empty());
    target.ca = settings.vnc_ca.clone().filter(|ca| !ca.is_empty());
    target.tls = match settings.vnc_tls {
        VncTls::Auto => TlsMode::Auto,
        VncTls::Off => TlsMode::Off,
        VncTls::Required => TlsMode::Required,
    };
    target.password = match settings.vnc_password_file.as_deref().filter(|file| !file.is_empty()) {
        Some(file) => Some(password_in(Path::new(file))?),
        None => environment.key(&settings.vnc_password_env).map(str::to_owned),
    };
    Ok(())
}

/// The first line of a file.
fn password_in(file: &Path) -> Result<String, Failure> {
    let unread = |why: String| {
        let what = format!("desktop.vnc_password_file {}: {why}", file.display());
        Failure::usage(what, "Name a text file with the password as its only line.")
    };
    let bytes = std::fs::read(file).map_err(|why| unread(why.to_string()))?;
    if bytes.len() > LONGEST {
        return Err(unread(format!("{} bytes are no password", bytes.len())));
    }
    // What `vncpasswd` writes is eight scrambled bytes, which are no text.
    let text = String::from_utf8(bytes)
        .map_err(|_| unread("it is no text (a file of vncpasswd is not one)".into()))?;
    let line = text.lines().next().unwrap_or_default();
    if line.is_empty() {
        return Err(unread("its first line is empty".into()));
    }
    Ok(line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_comes_from_the_variable_or_the_file_and_is_in_no_message() {
        let environment = Environment::of(&[("HANDSIGHT_VNC_PASSWORD", "hunter2"), ("OTHER", "hunter3")]);
        let equipped = |settings: &Desktop| {
            let mut target = read("vm:1", "").unwrap();
            equip(&mut target, settings, &environment).map(|()| target)
        };
        let mut settings = Desktop::default();
        let target = equipped(&settings).unwrap();
        assert_eq!(target.password.as_deref(), Some("hunter2"));
        assert!(!format!("{target:?}").contains("hunter2"));
        settings.vnc_password_env = "OTHER".into();
        assert_eq!(equipped(&settings).unwrap().password.as_deref(), Some("hunter3"));
        settings.vnc_password_env = "MISSING".into();
        assert_eq!(equipped(&settings).unwrap().password, None);

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        settings.vnc_password_file = Some(file.display().to_string());
        assert!(equipped(&settings).unwrap_err().to_string().contains("password"), "the file is named");
        std::fs::write(&file, "hunter4\n").unwrap();
        assert_eq!(equipped(&settings).unwrap().password.as_deref(), Some("hunter4"));
        for bad in [&b"\n"[..], &[0xff; 8]] {
            std::fs::write(&file, bad).unwrap();
            assert!(equipped(&settings).is_err());
        }
    }
}
