//! What this process was told in confidence, and that none of it is written anywhere.
//!
//! Known are the providers' keys, whatever the environment calls a key, token, secret or password, and passwords in addresses.
//! Every line for a person (`say.rs`) and every row of a journal goes through the same redactor. A dump of the memory would hold
//! the keys as they are, so none is made.

use crate::environment::Environment;
use crate::providers;
use handsight_base::redact::Redactor;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

static REDACTOR: OnceLock<Arc<Redactor>> = OnceLock::new();

/// How a variable is called that holds a secret.
const NAMES: [&str; 7] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIALS"];
/// A value that is no provider's key may be a switch or a number: no secret is as short.
const SHORTEST: usize = 6;

/// Learns the secrets; before anything is said.
pub(crate) fn learn(environment: &Environment) {
    no_memory_dumps();
    // A file that cannot be read is told when it is needed.
    let keys: Vec<String> = providers::read(environment)
        .map(|all| all.iter().filter_map(|p| p.key_variable.clone()).collect())
        .unwrap_or_default();
    let redactor = if is_off(environment) { Redactor::off() } else { Redactor::new(of(environment, &keys)) };
    let _first = REDACTOR.set(Arc::new(redactor));
}

/// A build for tests can be made to write secrets, so that a test sees that it would find them. No other build can.
fn is_off(environment: &Environment) -> bool {
    #[cfg(debug_assertions)]
    return environment.key("HANDSIGHT_TEST_WRITES_SECRETS").is_some();
    #[cfg(not(debug_assertions))]
    {
        let _no_word_of_it = environment;
        false
    }
}

/// The values that must not be written.
fn of<'a>(environment: &'a Environment, keys: &'a [String]) -> Vec<&'a str> {
    let mut secrets: Vec<&str> = keys.iter().filter_map(|name| environment.key(name)).collect();
    for (name, value) in environment.all() {
        let upper = name.to_ascii_uppercase();
        if value.len() >= SHORTEST && NAMES.iter().any(|n| upper.ends_with(n)) {
            secrets.push(value);
        }
        secrets.extend(password(value));
    }
    secrets
}

/// The password in an address such as `http://user:password@host`.
fn password(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let (user, _) = rest.split(['/', '?', '#', ' ']).next()?.rsplit_once('@')?;
    user.split_once(':').map(|(_, password)| password).filter(|p| !p.is_empty())
}

/// For whoever writes by himself.
pub(crate) fn redactor() -> Arc<Redactor> {
    REDACTOR.get().map_or_else(|| Arc::new(Redactor::new([])), Arc::clone)
}

/// The text without what was told in confidence.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    match REDACTOR.get() {
        Some(redactor) => redactor.redact(text),
        None => Cow::Borrowed(text),
    }
}

#[cfg(unix)]
fn no_memory_dumps() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Core).maximum;
    // Where it cannot be set, the machine's own rule stays.
    let _as_it_was = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum });
}

#[cfg(not(unix))]
const fn no_memory_dumps() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_what_they_are_called_and_where_they_stand() {
        let environment = Environment::of(&[
            ("MINE", "x1"),
            ("MY_API_KEY", "abcdef"),
            ("GIT_TOKEN", "short"),
            ("HTTPS_PROXY", "http://me:hush@proxy:3128/"),
            ("NO_PROXY", "http://proxy/a:b@c"),
            ("HOME", "/home/me"),
        ]);
        let keys = ["MINE".to_owned()];
        let mut found = of(&environment, &keys);
        found.sort_unstable();
        assert_eq!(found, ["abcdef", "hush", "x1"]);
    }
}
