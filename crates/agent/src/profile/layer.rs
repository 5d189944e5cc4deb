//! Layers of settings and how they become one profile; every complaint names its layer, line and nearest key.

use super::{PROFILES, Profile};
use std::fmt::Display;
use toml::{Table, Value};

/// A piece of settings with the name of where it came from.
#[derive(Debug, Clone)]
pub struct Layer {
    /// For messages: a file name, `HANDSIGHT_ACT__JITTER`, `--set`.
    from: String,
    text: String,
}

impl Layer {
    /// The text of a TOML file.
    pub fn file(from: impl Into<String>, text: impl Into<String>) -> Self {
        Self { from: from.into(), text: text.into() }
    }
}

/// What is wrong with a profile or a setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    #[error("there is no profile {name:?}; there are: {there}{}", .nearest.as_ref().map(|n| format!(". Did you mean {n:?}?")).unwrap_or_default())]
    UnknownProfile { name: String, there: String, nearest: Option<String> },
    #[error("{from}, line {line}: {what}{}", .nearest.as_ref().map(|n| format!(". Did you mean `{n}`?")).unwrap_or_default())]
    Bad { from: String, line: usize, what: String, nearest: Option<String> },
    #[error("`{key}` is {value}; it must be {allowed}")]
    Value { key: String, value: String, allowed: &'static str },
    #[error("the alias `{alias}` means `{key}`, which is no setting")]
    Alias { alias: String, key: String },
}

impl ProfileError {
    pub(super) fn unknown_profile(name: &str) -> Self {
        let names: Vec<&str> = PROFILES.iter().map(|(n, ..)| *n).collect();
        let nearest = nearest(name, names.iter().copied());
        Self::UnknownProfile { name: name.to_owned(), there: names.join(", "), nearest }
    }

    pub(super) fn value(key: &str, value: impl Display, allowed: &'static str) -> Self {
        Self::Value { key: key.to_owned(), value: value.to_string(), allowed }
    }

    pub(super) fn alias(alias: &str, key: &str) -> Self {
        Self::Alias { alias: alias.to_owned(), key: key.to_owned() }
    }
}

/// A layer from one `key=value`, as `--set` gives it. The key is `table.key` or an alias of the profile; the value is read as
/// TOML where it is TOML, else as a text.
pub fn set_layer(profile: &str, assignment: &str) -> Result<Layer, ProfileError> {
    let bad = |what: String, nearest| ProfileError::Bad {
        from: format!("--set {assignment}"),
        line: 1,
        what,
        nearest,
    };
    let Some((key, value)) = assignment.split_once('=') else {
        return Err(bad("a setting is given as table.key=value".into(), None));
    };
    one_setting(profile, "--set".to_owned() + " " + assignment, key.trim(), value.trim())
        .map_err(|n| bad(format!("there is no setting `{}`", key.trim()), n))
}

/// A layer from one variable of the environment, or `None` if the variable is not ours: `HANDSIGHT_<STAGE>__<KEY>` or an alias
/// of the profile.
pub fn environment_layer(profile: &str, variable: &str, value: &str) -> Option<Result<Layer, ProfileError>> {
    let key = match variable.strip_prefix("HANDSIGHT_") {
        Some(rest) => {
            let (table, key) = rest.split_once("__")?;
            format!("{}.{}", table.to_lowercase(), key.to_lowercase())
        }
        None => alias(profile, variable)?,
    };
    Some(one_setting(profile, variable.to_owned(), &key, value).map_err(|nearest| ProfileError::Bad {
        from: variable.to_owned(),
        line: 1,
        what: format!("there is no setting `{key}`"),
        nearest,
    }))
}

fn alias(profile: &str, name: &str) -> Option<String> {
    let (_, text, _) = PROFILES.iter().find(|(n, ..)| *n == profile)?;
    let table: Table = text.parse().ok()?;
    Some(table.get("alias")?.get(name)?.as_str()?.to_owned())
}

/// `Err` holds the nearest key.
fn one_setting(profile: &str, from: String, key: &str, value: &str) -> Result<Layer, Option<String>> {
    let key = alias(profile, key).unwrap_or_else(|| key.to_owned());
    if !is_key(&key) {
        return Err(nearest(&key, keys().iter().map(String::as_str)));
    }
    let (table, field) = key.split_once('.').unwrap_or(("", &key));
    // What reads as a TOML value is one, as long as the setting is not a text; the rest is a text.
    let text = is_text(table, field);
    let parsed = (!text).then(|| format!("v = {value}").parse::<Table>().ok()).flatten();
    let value = match parsed.and_then(|mut t| t.remove("v")) {
        Some(v) => v,
        None => Value::String(value.trim_matches('"').to_owned()),
    };
    let line = Table::from_iter([(field.to_owned(), value)]).to_string();
    let text = if table.is_empty() { line } else { format!("[{table}]\n{line}") };
    Ok(Layer { from, text })
}

/// A profile in which every optional value is present, so that its keys are all keys there are.
fn full() -> Table {
    let text = "name = \"\"\n[decide]\ntemperature = 0.0\ntop_p = 0.0\nmax_tokens = 1\n\
                [limits]\nmax_turns = 1\nmax_time_s = 1.0\nmax_cost_usd = 1.0\n";
    toml::from_str::<Profile>(text).ok().and_then(|p| Table::try_from(&p).ok()).unwrap_or_default()
}

fn keys() -> Vec<String> {
    let mut keys = Vec::new();
    for (name, value) in full() {
        match value {
            Value::Table(t) if name != "alias" => keys.extend(t.keys().map(|k| format!("{name}.{k}"))),
            _ => {}
        }
    }
    keys
}

pub(super) fn is_key(key: &str) -> bool {
    keys().iter().any(|k| k == key)
}

fn is_text(table: &str, field: &str) -> bool {
    matches!(full().get(table).and_then(|t| t.get(field)), Some(Value::String(_)))
}

pub(super) fn resolve(base: &Layer, layers: &[Layer]) -> Result<Profile, ProfileError> {
    let mut merged = read(base, None)?;
    let name = merged.get("name").cloned().unwrap_or_else(|| Value::String(String::new()));
    for layer in layers {
        merge(&mut merged, read(layer, Some(&name))?);
    }
    merged.try_into().map_err(|e: toml::de::Error| ProfileError::Bad {
        from: base.from.clone(),
        line: 1,
        what: e.message().to_owned(),
        nearest: None,
    })
}

/// Reads one layer and checks it alone, while its line numbers are known.
fn read(layer: &Layer, name: Option<&Value>) -> Result<Table, ProfileError> {
    let at = |e: &toml::de::Error| {
        let offset = e.span().map_or(0, |s| s.start.min(layer.text.len()));
        layer.text[..offset].matches('\n').count() + 1
    };
    let bad = |e: toml::de::Error| {
        let what = e.message().lines().next().unwrap_or_default().to_owned();
        ProfileError::Bad {
            from: layer.from.clone(),
            line: at(&e),
            nearest: nearest_expected(&what),
            what: plain(&what),
        }
    };
    let table: Table = toml::from_str(&layer.text).map_err(bad)?;
    if table.contains_key("name") {
        toml::from_str::<Profile>(&layer.text).map_err(bad)?;
    } else {
        // A layer need not repeat the name. The text is checked with the name in front, on the same line as what follows, so
        // that lines keep their numbers.
        let name = name.cloned().unwrap_or_else(|| Value::String(String::new()));
        let head = format!("name = {name}\n");
        toml::from_str::<Profile>(&(head.clone() + &layer.text)).map_err(|e| {
            let offset = e.span().map_or(0, |s| s.start.saturating_sub(head.len()).min(layer.text.len()));
            let what = e.message().lines().next().unwrap_or_default().to_owned();
            ProfileError::Bad {
                from: layer.from.clone(),
                line: layer.text[..offset].matches('\n').count() + 1,
                nearest: nearest_expected(&what),
                what: plain(&what),
            }
        })?;
    }
    Ok(table)
}

fn merge(into: &mut Table, from: Table) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

/// "unknown field `x`, expected one of ..." without the list, which is long; the nearest key follows instead.
fn plain(message: &str) -> String {
    match message.split_once(", expected") {
        Some((head, _)) if head.starts_with("unknown field") => head.replace("unknown field", "unknown key"),
        _ => message.to_owned(),
    }
}

fn nearest_expected(message: &str) -> Option<String> {
    let (head, expected) = message.split_once(", expected")?;
    let unknown = head.split('`').nth(1)?;
    nearest(unknown, expected.split('`').skip(1).step_by(2))
}

/// The candidate fewest edits away, if that is few.
fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    candidates
        .map(|c| (edits(word, c), c))
        .min()
        .filter(|(distance, c)| *distance <= 1 + c.len().max(word.len()) / 3)
        .map(|(_, c)| c.to_owned())
}

/// Levenshtein distance in bytes.
fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, cb) in b.bytes().enumerate() {
            let substitute = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
