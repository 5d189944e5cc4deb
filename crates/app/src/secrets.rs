//! What this process was told in confidence, and that none of it is written anywhere.
//!
//! Known are the providers' keys, whatever the environment calls a key, token, secret or password, passwords in addresses, and what
//! stands as `api_key` in the person's settings: those are learned as they are read, before anything can be said of them.
//! Every line for a person (`say.rs`) and every row of a journal goes through the same redactor. A dump of the memory would hold
//! the keys as they are, so none is made.

use crate::environment::Environment;
use crate::providers;
use handsight_base::redact::Redactor;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// What was learned so far.
#[derive(Default)]
struct Known {
    values: Vec<String>,
    redactor: Arc<Redactor>,
    /// Nothing is a secret, so that a test sees what would be written.
    off: bool,
}

/// How a variable is called that holds a secret.
const NAMES: [&str; 7] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIALS"];
/// The setting that holds one.
const API_KEY: &str = "api_key";
/// A value that is no provider's key may be a switch or a number: no secret is as short.
const SHORTEST: usize = 6;

/// Learns the secrets; before anything is said.
pub(crate) fn learn(environment: &Environment) {
    no_memory_dumps();
    // A file that cannot be read is told when it is needed.
    let keys: Vec<String> = providers::read(environment)
        .map(|all| all.iter().filter_map(|p| p.key_variable.clone()).collect())
        .unwrap_or_default();
    if is_off(environment) {
        *locked() = Some(Known { off: true, ..Known::default() });
        return;
    }
    also(of(environment, &keys).into_iter().map(str::to_owned));
}

fn locked() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Learns more of them.
fn also(values: impl Iterator<Item = String>) {
    let mut known = locked();
    let known = known.get_or_insert_default();
    if !known.off {
        known.values.extend(values);
        known.redactor = Arc::new(Redactor::new(known.values.iter().map(String::as_str)));
    }
}

/// Learns the keys in a text of settings, whether it can be read as settings or not: a complaint may repeat a part of it.
pub(crate) fn learn_settings(text: &str) {
    let keys = keys_in(text);
    if !keys.is_empty() {
        also(keys.into_iter());
    }
}

/// Whatever stands behind `api_key =`, without the quotes and a comment after them.
fn keys_in(text: &str) -> Vec<String> {
    let value = |(at, name): (usize, &str)| {
        let line = text.get(at + name.len()..)?.lines().next()?;
        let value = line.trim_start_matches(['"', '\'']).trim_start().strip_prefix('=')?.trim();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let inner = match quote {
            Some(quote) => value.trim_start_matches(quote).split(quote).next()?,
            None => value.split(['#', ',', '}']).next()?,
        };
        let inner = inner.trim();
        (!inner.is_empty()).then(|| inner.to_owned())
    };
    text.match_indices(API_KEY).filter_map(value).collect()
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
    locked().as_ref().map_or_else(|| Arc::new(Redactor::new([])), |known| Arc::clone(&known.redactor))
}

/// The text without what was told in confidence.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    // Outside of the lock: whoever panics while he cleans must still be able to say so.
    let known = locked().as_ref().map(|k| Arc::clone(&k.redactor));
    match known {
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

    // spec: D-59 UNIT
    #[test]
    fn a_key_in_settings_is_known_however_it_is_written() {
        for text in [
            "[decide]\napi_key = \"sk-mine\"\n",
            "[decide]\napi_key='sk-mine' # of the firm\n",
            "decide.api_key=sk-mine",
            "decide = { api_key = \"sk-mine\", model = \"m\" }",
            "[decide\napi_key = \"sk-mine\"",
            "\"api_key\" = \"sk-mine\"",
        ] {
            assert_eq!(keys_in(text), ["sk-mine"], "{text}");
        }
        for text in ["api_key = \"\"", "api_url = \"http://x\"", "# an api_key", "api_key", ""] {
            assert_eq!(keys_in(text), Vec::<String>::new(), "{text}");
        }
    }

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
