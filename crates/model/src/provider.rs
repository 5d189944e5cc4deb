//! Providers: who serves a model, as data.
//!
//! One TOML file each, compiled in or the user's own (the application reads those and hands in the text). A file that holds an
//! unknown key, an unknown wire or a price below zero is refused by name, line and nearest key: a limit nobody reads is worse than
//! none.

mod terms;

pub use terms::{CallIds, Crowd, KeyHeader, Limits, MaxTokensField, Streaming, Thinking, ToolChoice};

use crate::count::PictureRule;
use crate::dialect::{DIALECTS, trained};
use crate::endpoint::Endpoint;
use crate::usage::Price;
use crate::wire::{WIRES, Wire, WireOptions};
use handsight_base::flow::format::PictureFormat;
use handsight_base::port::model::ModelError;
use reqwest::header::{HeaderName, HeaderValue};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The providers compiled in: file name and text. One line each; the file's stem is the provider's name.
pub const PROVIDERS: &[(&str, &str)] = &[
    ("lmstudio.toml", include_str!("../providers/lmstudio.toml")),
    ("openai.toml", include_str!("../providers/openai.toml")),
    ("anthropic.toml", include_str!("../providers/anthropic.toml")),
    ("gemini.toml", include_str!("../providers/gemini.toml")),
    ("openrouter.toml", include_str!("../providers/openrouter.toml")),
    ("ollama.toml", include_str!("../providers/ollama.toml")),
    ("vllm.toml", include_str!("../providers/vllm.toml")),
    ("llamacpp.toml", include_str!("../providers/llamacpp.toml")),
    ("groq.toml", include_str!("../providers/groq.toml")),
    ("mistral.toml", include_str!("../providers/mistral.toml")),
    ("xai.toml", include_str!("../providers/xai.toml")),
    ("deepseek.toml", include_str!("../providers/deepseek.toml")),
    ("together.toml", include_str!("../providers/together.toml")),
    ("fireworks.toml", include_str!("../providers/fireworks.toml")),
    ("azure-openai.toml", include_str!("../providers/azure-openai.toml")),
    ("custom.toml", include_str!("../providers/custom.toml")),
];

/// The provider that an address without a known name belongs to.
pub const CUSTOM: &str = "custom";

/// What is wrong with the choice of a model or provider. All of it is for the person to mend.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SetupError {
    #[error("{file}, line {line}: {what}{}", did_you_mean(.nearest.as_deref()))]
    BadFile { file: String, line: usize, what: String, nearest: Option<String> },
    #[error("there is no provider {name:?}; there are: {there}{}", did_you_mean(.nearest.as_deref()))]
    UnknownProvider { name: String, there: String, nearest: Option<String> },
    #[error("{text:?} names no model: {why}; write PROVIDER/NAME, such as lmstudio/qwen2-vl-7b-instruct")]
    ModelName { text: String, why: &'static str },
    #[error("the address {text:?} cannot be used: {why}; an example is http://localhost:1234/v1")]
    BaseUrl { text: String, why: String },
    #[error("{provider} has no address of its own; give one with --base-url")]
    NoBaseUrl { provider: String },
    #[error("context.picture_format asks for {format}, and {provider} takes only {taken}")]
    PictureFormat { provider: String, format: PictureFormat, taken: String },
    #[error("the key in {variable} holds a character that no HTTP header may hold; set {variable} anew")]
    BadKey { variable: String },
    #[error(transparent)]
    NoKey(#[from] ModelError),
    #[error("the HTTP client cannot start: {why}")]
    Client { why: String },
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|n| format!(". Did you mean `{n}`?")).unwrap_or_default()
}

/// Who serves models, and on what terms.
#[derive(Debug, Clone)]
pub struct Provider {
    pub name: String,
    pub about: String,
    /// Ends before `/chat/completions`; `None` if the person must give it.
    pub base_url: Option<String>,
    /// The variable of the environment that holds the key; `None` if no key is ever sent.
    pub key_variable: Option<String>,
    /// True if calls may go without a key.
    pub key_optional: bool,
    pub wire: &'static Wire,
    /// The dialect of its models unless the profile says otherwise.
    pub dialect: String,
    pub key_header: KeyHeader,
    /// More headers of every call.
    pub headers: BTreeMap<String, String>,
    pub max_tokens_field: MaxTokensField,
    pub tool_choice: Option<ToolChoice>,
    pub streaming: Streaming,
    /// Whether it has a cache that input may be read from.
    pub caching: bool,
    /// Whether it counts the tokens of a request free of charge, by the wire's own call for that.
    pub counts: bool,
    /// Whether a result may hold a picture; the wire's own answer if not said.
    pub pictures_in_results: Option<bool>,
    /// Keys of a turn's own JSON that it wants back beside the usual ones.
    pub replay: Vec<String>,
    pub call_ids: CallIds,
    /// Whether it can hold a reply to a JSON schema.
    pub forms: bool,
    /// What to do when it does not answer.
    pub hint: String,
    pub limits: Limits,
    /// How its models count a picture, unless one says otherwise.
    picture_rule: Option<PictureRule>,
    /// When and where its prices were read.
    pub prices_from: Option<String>,
    models: Vec<ModelEntry>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelEntry {
    /// A name, or its beginning and a `*`.
    names: Vec<String>,
    price: Option<Price>,
    /// The model takes no temperature and no top_p.
    #[serde(default)]
    fixed_sampling: bool,
    thinking: Option<Thinking>,
    pictures_in_results: Option<bool>,
    /// Where they differ from the provider's.
    #[serde(default)]
    limits: Limits,
    picture_rule: Option<PictureRule>,
    /// Instead of the provider's.
    dialect: Option<String>,
}

impl ModelEntry {
    fn is_of(&self, model: &str) -> bool {
        self.names.iter().any(|n| match n.strip_suffix('*') {
            Some(begin) => model.starts_with(begin),
            None => model == n,
        })
    }
}

impl Provider {
    /// The first entry whose names match wins.
    fn entry(&self, model: &str) -> Option<&ModelEntry> {
        self.models.iter().find(|m| m.is_of(model))
    }

    /// What a model costs, or `None` where nobody said.
    pub fn price(&self, model: &str) -> Option<Price> {
        self.entry(model)?.price
    }

    /// What a model takes at most: its own limits, and its provider's where it has none.
    pub fn limits_of(&self, model: &str) -> Limits {
        self.entry(model).map_or_else(|| self.limits.clone(), |m| m.limits.over(&self.limits))
    }

    /// Whether a model takes pictures of this format; asked before a run, since a profile may insist on one.
    pub fn check_picture_format(&self, model: &str, format: PictureFormat) -> Result<(), SetupError> {
        match self.limits_of(model).picture_formats {
            Some(taken) if !taken.contains(&format) => {
                let taken: Vec<String> = taken.iter().map(ToString::to_string).collect();
                let (provider, taken) = (self.name.clone(), taken.join(", "));
                Err(SetupError::PictureFormat { provider, format, taken })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// How a model writes what it wants, unless the profile says otherwise: as its provider says, or as it was trained.
    pub fn dialect_of(&self, model: &str) -> &str {
        let said = self.entry(model).and_then(|m| m.dialect.as_deref());
        said.or_else(|| trained::of(model)).unwrap_or(&self.dialect)
    }

    /// Tokens of input and output together, where anybody said.
    pub fn context_tokens(&self, model: &str) -> Option<u64> {
        self.limits_of(model).context_tokens
    }

    /// How a picture is counted, where anybody said.
    pub fn picture_rule(&self, model: &str) -> Option<PictureRule> {
        self.entry(model).and_then(|m| m.picture_rule).or(self.picture_rule)
    }

    pub fn thinking(&self, model: &str) -> Option<Thinking> {
        self.entry(model)?.thinking
    }

    /// Whether a picture goes inside the result it belongs to.
    pub fn pictures_in_results(&self, model: &str) -> bool {
        let of_model = self.entry(model).and_then(|m| m.pictures_in_results);
        of_model.or(self.pictures_in_results).unwrap_or(self.wire.pictures_in_results)
    }

    /// The patterns of its models with what is known of each, in the order they are looked at.
    pub fn patterns(&self) -> impl Iterator<Item = (&[String], Option<Price>, Option<Thinking>)> {
        self.models.iter().map(|m| (m.names.as_slice(), m.price, m.thinking))
    }

    /// Who of its models writes how: patterns of names, with `*` for all others.
    pub fn dialects(&self) -> impl Iterator<Item = (&[String], &str)> {
        static OTHERS: std::sync::LazyLock<[String; 1]> = std::sync::LazyLock::new(|| ["*".to_owned()]);
        let own = self.models.iter().filter_map(|m| Some((m.names.as_slice(), m.dialect.as_deref()?)));
        own.chain(std::iter::once((OTHERS.as_slice(), self.dialect.as_str())))
    }

    /// What its wire is told for a model.
    pub(crate) fn wire_options<'a>(&'a self, model: &'a str) -> WireOptions<'a> {
        WireOptions {
            provider: &self.name,
            model,
            stream: self.streaming == Streaming::On,
            max_tokens_field: self.max_tokens_field,
            tool_choice: self.tool_choice,
            fixed_sampling: self.entry(model).is_some_and(|m| m.fixed_sampling),
            thinking: self.thinking(model),
            caching: self.caching,
            pictures_in_results: self.pictures_in_results(model),
            picture_count: None,
            replay: &self.replay,
            call_ids: self.call_ids,
            forms: self.forms,
        }
    }
}

/// All providers known to a run.
#[derive(Debug, Clone)]
pub struct Providers {
    list: Vec<Provider>,
}

impl Providers {
    /// Those compiled in.
    pub fn builtin() -> Result<Self, SetupError> {
        let mut all = Self { list: Vec::new() };
        for (file, text) in PROVIDERS {
            all.add(file, text)?;
        }
        Ok(all)
    }

    /// Adds the user's own file, or replaces the one of the same name. `file` is a path or name for messages; its stem names
    /// the provider.
    pub fn add(&mut self, file: &str, text: &str) -> Result<(), SetupError> {
        let provider = read(file, text)?;
        match self.list.iter_mut().find(|p| p.name == provider.name) {
            Some(old) => *old = provider,
            None => self.list.push(provider),
        }
        Ok(())
    }

    pub fn iter(&self) -> impl Iterator<Item = &Provider> {
        self.list.iter()
    }

    pub fn find(&self, name: &str) -> Option<&Provider> {
        self.list.iter().find(|p| p.name == name)
    }

    pub fn get(&self, name: &str) -> Result<&Provider, SetupError> {
        self.find(name).ok_or_else(|| {
            let names: Vec<&str> = self.list.iter().map(|p| p.name.as_str()).collect();
            SetupError::UnknownProvider {
                name: name.to_owned(),
                there: names.join(", "),
                nearest: nearest(name, names.iter().copied()),
            }
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    about: String,
    base_url: Option<String>,
    key_variable: Option<String>,
    #[serde(default)]
    key_optional: bool,
    wire: String,
    dialect: String,
    #[serde(default)]
    key_header: KeyHeader,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    max_tokens_field: MaxTokensField,
    tool_choice: Option<ToolChoice>,
    #[serde(default)]
    streaming: Streaming,
    #[serde(default)]
    caching: bool,
    #[serde(default)]
    counts: bool,
    pictures_in_results: Option<bool>,
    #[serde(default)]
    replay: Vec<String>,
    #[serde(default)]
    call_ids: CallIds,
    #[serde(default)]
    forms: bool,
    #[serde(default)]
    hint: String,
    #[serde(default)]
    limits: Limits,
    picture_rule: Option<PictureRule>,
    prices_from: Option<String>,
    #[serde(default)]
    model: Vec<ModelEntry>,
}

fn read(path: &str, text: &str) -> Result<Provider, SetupError> {
    let file: File = toml::from_str(text).map_err(|e| {
        let line = e.span().map_or(1, |s| line_of(text, s.start));
        let what = e.message().lines().next().unwrap_or_default().to_owned();
        SetupError::BadFile { file: path.to_owned(), line, nearest: nearest_key(&what), what }
    })?;
    // Complaints about values name the line on which the value stands.
    let bad = |value: &str, what: String, nearest: Option<String>| {
        let line = text.lines().position(|l| !l.trim_start().starts_with('#') && l.contains(value));
        SetupError::BadFile { file: path.to_owned(), line: line.map_or(1, |l| l + 1), what, nearest }
    };
    let stem = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let name = stem.strip_suffix(".toml").unwrap_or(stem);
    let usable = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    if !usable || crate::reference::RESERVED.contains(&name) {
        return Err(bad("", format!("{name:?} cannot be the name of a provider; rename the file"), None));
    }
    let Some(wire) = WIRES.iter().find(|w| w.name == file.wire) else {
        let names = || WIRES.iter().map(|w| w.name);
        let there = names().collect::<Vec<_>>().join(", ");
        let what = format!("there is no wire {:?}; there are: {there}", file.wire);
        return Err(bad("wire", what, nearest(&file.wire, names())));
    };
    if file.counts && wire.count.is_none() {
        return Err(bad("counts", format!("the wire {:?} has no call that counts tokens", wire.name), None));
    }
    let of_models = file.model.iter().filter_map(|m| m.dialect.as_ref());
    for dialect in std::iter::once(&file.dialect).chain(of_models) {
        if !DIALECTS.iter().any(|d| d.info.name == *dialect) {
            let names = || DIALECTS.iter().map(|d| d.info.name);
            let there = names().collect::<Vec<_>>().join(", ");
            let what = format!("there is no dialect {dialect:?}; there are: {there}");
            return Err(bad("dialect", what, nearest(dialect, names())));
        }
    }
    for (name, value) in &file.headers {
        let sound = HeaderName::from_bytes(name.as_bytes()).is_ok() && HeaderValue::from_str(value).is_ok();
        if !sound || is_key_header(name) {
            return Err(bad(name, format!("{name:?} cannot be a header of every call"), None));
        }
    }
    if let Some(url) = &file.base_url {
        Endpoint::parse(url).map_err(|e| bad("base_url", e.to_string(), None))?;
    }
    if let Some(what) = file.limits.nonsense() {
        return Err(bad("[limits]", what.into(), None));
    }
    if file.key_variable.as_deref() == Some("") {
        return Err(bad("key_variable", "the name of the variable is empty; leave it out".into(), None));
    }
    for entry in &file.model {
        let at = entry.names.first().map_or("names", String::as_str);
        if entry.names.iter().any(String::is_empty) || entry.names.is_empty() {
            return Err(bad("names", "a model has no name".into(), None));
        }
        if let Some(what) = entry.limits.nonsense() {
            return Err(bad(&format!("{at:?}"), format!("{at}: {what}"), None));
        }
        if entry.price.is_some_and(|p| !p.is_sane()) {
            return Err(bad(
                &format!("{at:?}"),
                format!("the price of {at} is no finite number from 0 on"),
                None,
            ));
        }
    }
    Ok(Provider {
        name: name.to_owned(),
        about: file.about,
        base_url: file.base_url,
        key_variable: file.key_variable,
        key_optional: file.key_optional,
        wire,
        dialect: file.dialect,
        key_header: file.key_header,
        headers: file.headers,
        max_tokens_field: file.max_tokens_field,
        tool_choice: file.tool_choice,
        streaming: file.streaming,
        caching: file.caching,
        counts: file.counts,
        pictures_in_results: file.pictures_in_results,
        replay: file.replay,
        call_ids: file.call_ids,
        forms: file.forms,
        hint: file.hint,
        limits: file.limits,
        picture_rule: file.picture_rule,
        prices_from: file.prices_from,
        models: file.model,
    })
}

/// A key belongs in the environment, never in a file of this kind.
fn is_key_header(name: &str) -> bool {
    let all = [KeyHeader::Authorization, KeyHeader::ApiKey, KeyHeader::XApiKey, KeyHeader::XGoogApiKey];
    all.iter().any(|k| k.name().eq_ignore_ascii_case(name)) || name.eq_ignore_ascii_case("cookie")
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|b| *b == b'\n').count() + 1
}

/// The key that was probably meant, from serde's "unknown field `x`, expected one of `a`, `b`".
fn nearest_key(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let given = message.starts_with("unknown ").then(|| quoted.next())??;
    nearest(given, quoted)
}

/// The candidate with the fewest edits, if at most a third of the word differs.
pub(crate) fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let allowed = (given.chars().count() / 3).max(1);
    let (edits, best) = candidates.into_iter().map(|c| (edits(given, c), c)).min()?;
    (edits <= allowed).then(|| best.to_owned())
}

fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (slot, cb) in row.iter_mut().skip(1).zip(&b) {
            let cost = (diagonal + usize::from(ca != *cb)).min(*slot + 1).min(left + 1);
            diagonal = std::mem::replace(slot, cost);
            left = cost;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
