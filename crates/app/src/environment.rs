//! The environment of the process, read once, here and nowhere else.
//!
//! Whatever is read stands in [`VARIABLES`] (or is a setting or a provider's key), which the man page and the tests iterate over;
//! a name that is not documented cannot be asked for. Values go on as values: no library looks here.

use crate::exit::{Exit, Failure};
use std::collections::BTreeMap;
#[cfg(unix)]
use std::path::Path;
use std::path::PathBuf;

/// A variable that has a meaning, and which.
pub(crate) struct Variable {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
}

const fn variable(name: &'static str, about: &'static str) -> Variable {
    Variable { name, about }
}

/// Every variable besides the settings and the providers' keys.
pub(crate) const VARIABLES: &[Variable] = &[
    variable(
        "HANDSIGHT_LOG",
        "what goes to stderr, as tracing directives (`debug`, `handsight_desktop=trace`)",
    ),
    variable("DISPLAY", "the X server of `--desktop auto` and `x11`"),
    variable("XAUTHORITY", "its cookie file, read by the X client library"),
    variable("WAYLAND_DISPLAY", "tells a Wayland session, which is refused with the remedy"),
    variable("XDG_SESSION_TYPE", "the same"),
    variable("AT_SPI_BUS_ADDRESS", "the bus on which programs say what they show, for `look` and marks"),
    variable(
        "DBUS_SESSION_BUS_ADDRESS",
        "the session that knows where it is, if neither that nor the X server does",
    ),
    variable("XDG_RUNTIME_DIR", "where the hands keep the list of what they pressed"),
    variable(
        "XDG_STATE_HOME",
        "stands in for it, and the record of what models cost is in its folder `handsight`; else ~/.local/state",
    ),
    variable("XDG_CONFIG_HOME", "your settings and profiles are in its folder `handsight`; else ~/.config"),
    variable("XDG_DATA_HOME", "fonts of yours are in its folder `fonts`; else ~/.local/share"),
    variable("HOME", "stands in for the three above"),
    variable("APPDATA", "your settings and profiles on Windows, in its folder `handsight`"),
    variable(
        "LOCALAPPDATA",
        "on Windows, fonts of yours, the list of what the hands pressed, what models cost",
    ),
    variable("SystemRoot", "on Windows, the fonts of all users are in its folder `Fonts`"),
    variable(
        "HANDSIGHT_VNC_PASSWORD",
        "the password of `--desktop vnc:...`, unless desktop.vnc_password_env or _file name another place",
    ),
    variable("HTTPS_PROXY", "a proxy to model services over https, as in http://proxy:3128"),
    variable("HTTP_PROXY", "a proxy to model services over http that are not on this machine"),
    variable("NO_PROXY", "hosts that are asked without a proxy, separated by commas; * for all"),
];

/// The variables as the help shows them.
pub(crate) fn table() -> String {
    let mut rows = vec![
        "  HANDSIGHT_<TABLE>__<KEY>  a setting of the profile, such as HANDSIGHT_ACT__JITTER=0.2".to_owned(),
        "  the profile's aliases     `handsight profiles show` lists them".to_owned(),
        "  the providers' keys       `handsight models` lists them".to_owned(),
    ];
    rows.extend(VARIABLES.iter().map(|v| format!("  {:<24}  {}", v.name, v.about)));
    format!("Environment:\n{}", rows.join("\n"))
}

/// What the process was started with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    values: BTreeMap<String, String>,
}

impl Environment {
    /// Names and values that are not UTF-8 are as good as absent.
    pub(crate) fn read() -> Self {
        let values = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Self { values }
    }

    #[cfg(test)]
    pub(crate) fn of(pairs: &[(&str, &str)]) -> Self {
        Self { values: pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect() }
    }

    /// A documented variable; an empty one is an absent one.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        debug_assert!(VARIABLES.iter().any(|v| v.name == name), "{name} is not in VARIABLES");
        self.value(name)
    }

    /// A provider's key, by the name its file gives.
    pub(crate) fn key(&self, variable: &str) -> Option<&str> {
        self.value(variable)
    }

    /// The proxy for an address, if there is one for its scheme and host.
    pub(crate) fn proxy(&self, url: &str) -> Option<&str> {
        let (scheme, rest) = url.split_once("://")?;
        let variable = if scheme == "https" { "HTTPS_PROXY" } else { "HTTP_PROXY" };
        let host = rest.split(['/', '?']).next()?.rsplit_once('@').map_or(rest, |(_, host)| host);
        let host = host.split(['/', ':']).next()?;
        let spared = |entry: &str| {
            let entry = entry.trim().trim_start_matches('.');
            entry == "*" || (!entry.is_empty() && (host == entry || host.ends_with(&format!(".{entry}"))))
        };
        if self.get("NO_PROXY").is_some_and(|list| list.split(',').any(spared)) {
            return None;
        }
        self.get(variable)
    }

    /// Everything, for those that pick settings out of it.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(n, v)| (n.as_str(), v.as_str()))
    }

    fn value(&self, name: &str) -> Option<&str> {
        let value = if cfg!(windows) {
            // Whoever sets `systemroot` there has set `SystemRoot`.
            self.values.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value)
        } else {
            self.values.get(name)
        };
        value.map(String::as_str).filter(|v| !v.is_empty())
    }

    /// The person's own settings and profiles.
    pub(crate) fn config_dir(&self) -> Option<PathBuf> {
        let base = if cfg!(windows) {
            PathBuf::from(self.get("APPDATA")?)
        } else {
            self.base("XDG_CONFIG_HOME", ".config")?
        };
        Some(base.join("handsight"))
    }

    /// The person's own fonts.
    pub(crate) fn font_dir(&self) -> Option<PathBuf> {
        if cfg!(windows) {
            return Some(PathBuf::from(self.get("LOCALAPPDATA")?).join(r"Microsoft\Windows\Fonts"));
        }
        Some(self.base("XDG_DATA_HOME", ".local/share")?.join("fonts"))
    }

    /// Where the hands keep the list of what they pressed: the same folder for all runs of this person on this machine.
    pub(crate) fn state_dir(&self) -> Result<PathBuf, Failure> {
        let absolute = |v: &str| self.get(v).map(PathBuf::from).filter(|p| p.is_absolute());
        if cfg!(windows) {
            return absolute("LOCALAPPDATA").map_or_else(temporary, |base| Ok(base.join("handsight")));
        }
        if let Some(base) =
            absolute("XDG_RUNTIME_DIR").or_else(|| self.base("XDG_STATE_HOME", ".local/state"))
        {
            return Ok(base.join("handsight"));
        }
        temporary()
    }

    /// Where the record of what models cost is, which must outlive a logout: the same for all runs of this person.
    pub(crate) fn ledger_dir(&self) -> Option<PathBuf> {
        if cfg!(windows) {
            let base = self.get("LOCALAPPDATA").map(PathBuf::from).filter(|p| p.is_absolute())?;
            return Some(base.join("handsight"));
        }
        Some(self.base("XDG_STATE_HOME", ".local/state")?.join("handsight"))
    }

    /// A folder of the XDG base directory rules: relative values are void there.
    fn base(&self, variable: &str, under_home: &str) -> Option<PathBuf> {
        let given = self.get(variable).map(PathBuf::from).filter(|p| p.is_absolute());
        given.or_else(|| Some(PathBuf::from(self.get("HOME")?).join(under_home)))
    }
}

/// Without any home: a folder in the common temporary one, if it is ours alone.
#[cfg(unix)]
fn temporary() -> Result<PathBuf, Failure> {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
    let unusable = |dir: &Path, why: &str| {
        let what = format!("{} cannot hold the state of the hands: {why}", dir.display());
        Failure::new(Exit::DesktopLost, what, "Set HOME or XDG_RUNTIME_DIR.")
    };
    let me =
        std::fs::metadata("/proc/self").map_err(|e| unusable(Path::new("/proc/self"), &e.to_string()))?.uid();
    let dir = PathBuf::from(format!("/tmp/handsight-{me}"));
    // That it exists already is what the check below is for.
    let _there = std::fs::DirBuilder::new().mode(0o700).create(&dir);
    let found = std::fs::symlink_metadata(&dir).map_err(|e| unusable(&dir, &e.to_string()))?;
    if !found.is_dir() || found.uid() != me || found.mode() & 0o077 != 0 {
        return Err(unusable(&dir, "it is not a folder of this user alone"));
    }
    Ok(dir)
}

#[cfg(not(unix))]
fn temporary() -> Result<PathBuf, Failure> {
    Err(Failure::new(Exit::DesktopLost, "there is no folder for the state of the hands", "Set LOCALAPPDATA."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn folders_follow_the_rules_and_do_without_a_home() {
        let none = Environment::default();
        assert_eq!((none.config_dir(), none.font_dir()), (None, None));
        let home = Environment::of(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "relative")]);
        assert_eq!(home.config_dir(), Some("/h/.config/handsight".into()));
        let own = Environment::of(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/c"), ("XDG_DATA_HOME", "/d")]);
        assert_eq!(own.config_dir(), Some("/c/handsight".into()));
        assert_eq!(own.font_dir(), Some("/d/fonts".into()));
        assert_eq!(Environment::of(&[("DISPLAY", "")]).get("DISPLAY"), None);
    }

    #[test]
    fn a_proxy_is_for_its_scheme_and_spares_whom_it_should() {
        let some = Environment::of(&[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "box.example, .own")]);
        assert_eq!(some.proxy("https://api.openai.com/v1"), Some("http://p:1"));
        assert_eq!(some.proxy("http://api.openai.com/v1"), None);
        assert_eq!(some.proxy("https://box.example:8443/v1"), None);
        assert_eq!(some.proxy("https://a.own/v1"), None);
        assert_eq!(some.proxy("https://disown/v1"), Some("http://p:1"));
        let none = Environment::of(&[("HTTP_PROXY", "http://p:1"), ("NO_PROXY", "*")]);
        assert_eq!(none.proxy("http://x/v1"), None);
    }
}
