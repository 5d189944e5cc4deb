//! Which addresses a started program may be given. An address is parsed as browsers parse it, and its host has to be equal to one that is
//! named; what readers understand in two ways is refused.
//!
//! It holds for what a launch names. What is typed into a browser's own field is not seen here: say with `policy.windows` whether one may be
//! used at all.

use super::programs::{Program, is_path, runs_when_opened};
use crate::profile::Policy;
use handsight_base::flow::action::Action;
use handsight_base::gate::{Objection, Proposal, Rule, Scene};
use url::{Host, Url};

pub(super) struct Hosts {
    any: bool,
    allowed: Vec<Allowed>,
    /// Whole commands that the policy names: their words are the person's.
    commands: Vec<Vec<String>>,
}

/// A host that is named: all below it if `below`, on this port only if it has one.
struct Allowed {
    host: String,
    below: bool,
    port: Option<u16>,
}

/// Whether an entry of `policy.hosts` can be read.
pub(crate) fn is_host(entry: &str) -> bool {
    entry == "*" || read(entry).is_some()
}

fn read(entry: &str) -> Option<Allowed> {
    let (below, host) = entry.strip_prefix("*.").map_or((false, entry), |rest| (true, rest));
    if host.contains(['/', '@', '\\', '?', '#', '*']) || host.contains(char::is_whitespace) {
        return None;
    }
    let url = Url::parse(&format!("https://{host}/")).ok()?;
    Some(Allowed { host: plain(&url)?, below, port: url.port() })
}

/// The host as it is compared: lower case, in the letters of the name system, without the dot of its root.
fn plain(url: &Url) -> Option<String> {
    match url.host()? {
        Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            (!name.is_empty()).then(|| name.to_owned())
        }
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(address) => Some(format!("[{address}]")),
    }
}

impl Hosts {
    pub(super) fn of(policy: &Policy) -> Self {
        Self {
            any: policy.hosts.iter().any(|h| h == "*"),
            allowed: policy.hosts.iter().filter_map(|h| read(h)).collect(),
            commands: super::launch::commands(policy),
        }
    }

    /// An address, in words why not.
    fn address(&self, word: &str) -> Result<(), String> {
        let odd = |c: char| c == '\\' || c.is_whitespace() || c.is_control();
        if word.contains(odd) {
            return Err("it holds a backslash, a blank or a control character, which readers take for different things".into());
        }
        let url = Url::parse(word).map_err(|e| format!("it cannot be read: {e}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("only http and https addresses are opened, and it is `{}:`", url.scheme()));
        }
        if !url.username().is_empty() || url.password().is_some() || authority(word).contains('@') {
            return Err("it holds a name before the host".into());
        }
        let host = plain(&url).ok_or("it has no host")?;
        let fits = |a: &Allowed| {
            let below = a.below && host.strip_suffix(&a.host).is_some_and(|rest| rest.ends_with('.'));
            (host == a.host || below) && url.port() == a.port
        };
        if self.allowed.iter().any(fits) {
            return Ok(());
        }
        let port = url.port().map(|p| format!(":{p}")).unwrap_or_default();
        Err(format!("its host {host}{port} is not among those allowed"))
    }

    /// An argument of a program, in words why not.
    fn argument(&self, word: &str, opens: bool) -> Result<(), String> {
        let trimmed = word.trim_start_matches(|c: char| c.is_whitespace() || c.is_control());
        if has_scheme(trimmed) || word.contains("://") {
            let at = trimmed.find("://").map_or(0, |colon| {
                // `--app=https://...`: the address begins after what is before its scheme.
                let before = trimmed.get(..colon).unwrap_or_default();
                before
                    .rfind(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '.' | '-'))
                    .map_or(0, |i| i + 1)
            });
            let address =
                if opens && !trimmed.starts_with('-') { word } else { trimmed.get(at..).unwrap_or(word) };
            return self.address(address);
        }
        if !opens {
            let port = names_a_port(trimmed);
            return if port { self.address(&format!("http://{word}")) } else { Ok(()) };
        }
        if trimmed.starts_with('-') {
            return Err("options of what opens addresses are not passed on".into());
        }
        if trimmed.starts_with("//") || trimmed.starts_with("\\\\") {
            return Err("it names another machine".into());
        }
        if is_path(trimmed) {
            return runs_when_opened(trimmed).map_or(Ok(()), Err);
        }
        // `evil.com` is an address to a browser.
        self.address(&format!("https://{word}"))
    }
}

/// `host:8080` and what may follow: no file is called that.
fn names_a_port(word: &str) -> bool {
    let Some((host, rest)) = word.split_once(':') else { return false };
    let port = rest.split('/').next().unwrap_or(rest);
    host.len() > 1 && !is_path(host) && !port.is_empty() && port.chars().all(|c| c.is_ascii_digit())
}

/// What stands between the slashes after the scheme and the next one.
fn authority(word: &str) -> &str {
    let rest = word.split_once(':').map_or(word, |(_, rest)| rest).trim_start_matches('/');
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

/// `name:` at the start, longer than the letter of a drive.
fn has_scheme(word: &str) -> bool {
    let Some((scheme, rest)) = word.split_once(':') else { return false };
    let letters = scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'));
    // `host:8080` and `localhost:80/x` have a port there, no scheme.
    let port = rest.chars().next().is_some_and(|c| c.is_ascii_digit());
    scheme.len() > 1 && scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && letters && !port
}

impl Rule for Hosts {
    fn name(&self) -> &'static str {
        "hosts"
    }

    fn check(&self, proposal: Proposal<'_>, _: &Scene<'_>) -> Result<(), Objection> {
        let Proposal::Action(Action::Launch { argv }) = proposal else { return Ok(()) };
        if self.any || self.commands.iter().any(|command| command == argv) {
            return Ok(());
        }
        let Some((program, arguments)) = argv.split_first() else { return Ok(()) };
        let opens = Program::read(program).is_ok_and(|p| p.opens());
        for word in arguments {
            // `gio open`
            if opens && matches!(word.as_str(), "open" | "--") {
                continue;
            }
            if let Err(why) = self.argument(word, opens) {
                let word: String = word.chars().take(120).collect();
                return Err(format!("{word:?} is not to be opened: {why}").into());
            }
        }
        Ok(())
    }
}
