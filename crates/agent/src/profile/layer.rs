//! Layers of settings and how they become one profile; every complaint names its layer, line and nearest key.

use super::{PROFILES, Profile};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::LazyLock;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

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
}

/// Other names for settings, each with the `table.key` it means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aliases(BTreeMap<String, String>);

impl Aliases {
    /// The `[alias]` tables of the shipped profile of this name and of `files`, the later ones winning: a profile that replaces
    /// a shipped one inherits its aliases.
    pub fn of(profile: &str, files: &[Layer]) -> Result<Self, ProfileError> {
        let shipped = PROFILES.iter().find(|(n, ..)| *n == profile);
        let shipped = shipped.map(|(name, text, _)| Layer::file(format!("profile {name}"), *text));
        let mut aliases = BTreeMap::new();
        for layer in shipped.iter().chain(files) {
            let table = spanned(layer)?;
            let Some(DeValue::Table(own)) = table.get_ref().get("alias").map(Spanned::get_ref) else {
                continue;
            };
            for (alias, key) in own {
                // Whatever is no text is told when the layer is read.
                let Some(meant) = key.get_ref().as_str() else { continue };
                if !is_key(meant) {
                    return Err(ProfileError::Bad {
                        from: layer.from.clone(),
                        line: line_at(&layer.text, key.span().start),
                        what: format!("the alias `{}` means `{meant}`, which is no setting", alias.get_ref()),
                        nearest: nearest(meant, keys().iter().map(String::as_str)),
                    });
                }
                aliases.insert(alias.get_ref().to_string(), meant.to_owned());
            }
        }
        Ok(Self(aliases))
    }

    fn key(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// A layer from one `key=value`, as `--set` gives it. The key is `table.key` (or `table.table.key`) or an alias of the profile;
/// the value is read as TOML where it is TOML, else as a text.
pub fn set_layer(aliases: &Aliases, assignment: &str) -> Result<Layer, ProfileError> {
    let bad = |what: String, nearest| ProfileError::Bad {
        from: format!("--set {assignment}"),
        line: 1,
        what,
        nearest,
    };
    let Some((key, value)) = assignment.split_once('=') else {
        return Err(bad("a setting is given as table.key=value".into(), None));
    };
    one_setting(aliases, "--set".to_owned() + " " + assignment, key.trim(), value.trim())
        .map_err(|n| bad(format!("there is no setting `{}`", key.trim()), n))
}

/// A layer from one variable of the environment, or `None` if the variable is not ours: `HANDSIGHT_<STAGE>__<KEY>`, with more
/// `__` for tables within the stage's, or an alias of the profile.
pub fn environment_layer(
    aliases: &Aliases,
    variable: &str,
    value: &str,
) -> Option<Result<Layer, ProfileError>> {
    let own = variable.strip_prefix("HANDSIGHT_").and_then(|rest| rest.split_once("__"));
    let key = match own {
        Some((table, key)) => format!("{table}.{}", key.replace("__", ".")).to_lowercase(),
        None => aliases.key(variable)?.to_owned(),
    };
    Some(one_setting(aliases, variable.to_owned(), &key, value).map_err(|nearest| ProfileError::Bad {
        from: variable.to_owned(),
        line: 1,
        what: format!("there is no setting `{key}`"),
        nearest,
    }))
}

/// `Err` holds the nearest key.
fn one_setting(aliases: &Aliases, from: String, key: &str, value: &str) -> Result<Layer, Option<String>> {
    let key = aliases.key(key).unwrap_or(key);
    if !is_key(key) {
        return Err(nearest(key, keys().iter().map(String::as_str)));
    }
    let (table, field) = key.rsplit_once('.').unwrap_or(("", key));
    // What reads as a TOML value is one, as long as the setting is not a text; the rest is a text.
    let text = is_text(table, field);
    let parsed = (!text).then(|| format!("v = {value}").parse::<Table>().ok()).flatten();
    let value = match parsed.and_then(|mut t| t.remove("v")) {
        Some(v) => v,
        None => Value::String(value.trim_matches('"').to_owned()),
    };
    let setting = Table::from_iter([(field.to_owned(), value)]);
    let tables = table.rsplit('.').filter(|name| !name.is_empty());
    let whole =
        tables.fold(setting, |inner, name| Table::from_iter([(name.to_owned(), Value::Table(inner))]));
    Ok(Layer { from, text: whole.to_string() })
}

/// A profile in which every optional value is present, so that its keys are all keys there are.
static FULL: LazyLock<Table> = LazyLock::new(|| {
    let text = "name = \"\"\n[context]\nbudget_tokens = 1\n[decide]\ntemperature = 0.0\ntop_p = 0.0\nmax_tokens = 1\n\
                price_input_usd = 0.0\nprice_output_usd = 0.0\n\
                [policy]\nmax_actions = 1\nmax_actions_per_minute = 1\nmax_launches = 1\n\
                [limits]\nmax_turns = 1\nmax_time_s = 1.0\nmax_cost_usd = 1.0\nmax_cost_usd_per_day = 1.0\n";
    toml::from_str::<Profile>(text).ok().and_then(|p| Table::try_from(&p).ok()).unwrap_or_default()
});

fn keys() -> Vec<String> {
    fn below(path: &str, table: &Table, keys: &mut Vec<String>) {
        for (name, value) in table {
            let path = format!("{path}.{name}");
            match value {
                Value::Table(table) => below(&path, table, keys),
                _ => keys.push(path),
            }
        }
    }
    let mut keys = Vec::new();
    for (name, value) in &*FULL {
        match value {
            Value::Table(table) if name != "alias" => below(name, table, &mut keys),
            _ => {}
        }
    }
    keys
}

fn is_key(key: &str) -> bool {
    keys().iter().any(|k| k == key)
}

fn is_text(table: &str, field: &str) -> bool {
    matches!(table_at(&FULL, table).and_then(|t| t.get(field)), Some(Value::String(_)))
}

/// The table at a path of names with dots between them.
fn table_at<'a>(table: &'a Table, path: &str) -> Option<&'a Table> {
    path.split('.').try_fold(table, |table, name| table.get(name)?.as_table())
}

pub(super) fn resolve(base: &Layer, layers: &[Layer]) -> Result<Profile, ProfileError> {
    let named: Table = toml::from_str(&base.text).map_err(|e| bad(base, &base.text, 0, &e))?;
    let name = named.get("name").and_then(Value::as_str).unwrap_or_default();
    let files: Vec<Layer> = std::iter::once(base).chain(layers).cloned().collect();
    let aliases = Aliases::of(name, &files)?;
    let mut merged = read(base, None, &aliases)?;
    for layer in layers {
        merge(&mut merged, read(layer, Some(name), &aliases)?);
    }
    let aliases = aliases.0.into_iter().map(|(alias, key)| (alias, Value::String(key))).collect();
    merged.insert("alias".to_owned(), Value::Table(aliases));
    merged.try_into().map_err(|e: toml::de::Error| ProfileError::Bad {
        from: base.from.clone(),
        line: 1,
        what: e.message().to_owned(),
        nearest: None,
    })
}

/// Reads one layer and checks it alone, while its line numbers are known. Without a `name` to fall back on, the layer must have
/// its own.
fn read(layer: &Layer, name: Option<&str>, aliases: &Aliases) -> Result<Table, ProfileError> {
    let (text, aliased) = take_aliased(layer, aliases)?;
    let mut table: Table = toml::from_str(&text).map_err(|e| bad(layer, &text, 0, &e))?;
    // A layer need not repeat the name. The text is checked with the name in front, so that lines keep their numbers.
    let head = match name {
        Some(name) if !table.contains_key("name") => format!("name = {}\n", Value::String(name.to_owned())),
        _ => String::new(),
    };
    toml::from_str::<Profile>(&(head.clone() + &text)).map_err(|e| bad(layer, &text, head.len(), &e))?;
    for Aliased { alias, key, value, line } in aliased {
        let at = |what: String| ProfileError::Bad { from: layer.from.clone(), line, what, nearest: None };
        let (stage, field) = key.rsplit_once('.').unwrap_or(("", &key));
        if table_at(&table, stage).is_some_and(|t| t.contains_key(field)) {
            return Err(at(format!("`{alias}` is `{key}`, which this file sets too")));
        }
        let one = format!("name = \"\"\n[{stage}]\n{field} = {value}\n");
        toml::from_str::<Profile>(&one).map_err(|e| at(format!("{alias}: {}", first_line(&e))))?;
        let mut one: Table = toml::from_str(&one).map_err(|e| at(first_line(&e)))?;
        one.remove("name");
        merge(&mut table, one);
    }
    Ok(table)
}

/// A setting that a file gives under its other name.
struct Aliased {
    alias: String,
    key: String,
    /// As it is written.
    value: String,
    line: usize,
}

/// The text of a layer with the settings at its top that go by an alias taken out, and these; lines keep their numbers.
fn take_aliased(layer: &Layer, aliases: &Aliases) -> Result<(String, Vec<Aliased>), ProfileError> {
    let mut text = layer.text.clone();
    let mut taken = Vec::new();
    for (name, value) in spanned(layer)?.get_ref() {
        let alias = name.get_ref();
        let Some(key) = aliases.key(alias).filter(|_| !FULL.contains_key(alias.as_ref())) else { continue };
        if value.get_ref().is_table() {
            continue;
        }
        let (from, to) = (name.span().start, value.span().end);
        taken.push(Aliased {
            alias: alias.to_string(),
            key: key.to_owned(),
            value: layer.text[value.span()].to_owned(),
            line: line_at(&layer.text, from),
        });
        // As long as before, so that the places of the others hold.
        let blank =
            layer.text[from..to].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect::<String>();
        text.replace_range(from..to, &blank);
    }
    Ok((text, taken))
}

fn spanned(layer: &Layer) -> Result<Spanned<DeTable<'_>>, ProfileError> {
    DeTable::parse(&layer.text).map_err(|e| bad(layer, &layer.text, 0, &e))
}

/// What is wrong with a layer whose text was read behind `head` more bytes.
fn bad(layer: &Layer, text: &str, head: usize, error: &toml::de::Error) -> ProfileError {
    let Misread { line, what, nearest } = misread(text, head, error);
    ProfileError::Bad { from: layer.from.clone(), line, what, nearest }
}

/// What a TOML file of whatever kind has wrong, in words for the person who wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misread {
    /// From 1.
    pub line: usize,
    pub what: String,
    /// The key that was probably meant.
    pub nearest: Option<String>,
}

/// What the reader of a text complains about; the text was read behind `head` more bytes.
pub fn misread(text: &str, head: usize, error: &toml::de::Error) -> Misread {
    let what = first_line(error);
    Misread {
        line: line_at(text, error.span().map_or(0, |s| s.start.saturating_sub(head))),
        nearest: nearest_expected(&what),
        what: plain(&what),
    }
}

fn first_line(error: &toml::de::Error) -> String {
    error.message().lines().next().unwrap_or_default().to_owned()
}

/// The line of a text, from 1, that holds the byte at `offset`.
pub fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|&&b| b == b'\n').count() + 1
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
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
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
