//! Which profile a command works with: defaults, profile, user file, environment, `--set` and flags, the later ones winning.
//!
//! The person's own files lie in the config folder (`~/.config/handsight` or `%APPDATA%\handsight`): `<profile>.toml` changes a
//! profile's settings, `profiles/<name>/{profile.toml,prompt.md}` is a profile of its own or replaces a shipped one. Nothing else
//! is read. What a setting means is none of this module's business.

use crate::cli::SettingArgs;
use crate::environment::Environment;
use crate::exit::Failure;
use crate::secrets;
use anyhow::Context as _;
use handsight_agent::profile::{
    Aliases, Layer, PROFILES, Profile, ProfileError, environment_layer, set_layer,
};
use std::fs;
use std::path::{Path, PathBuf};

/// A flag that is a short name for a setting.
#[derive(Debug, Clone)]
pub(crate) struct Flag {
    pub(crate) flag: &'static str,
    /// `table.key`
    pub(crate) key: &'static str,
    pub(crate) value: toml::Value,
}

impl Flag {
    pub(crate) fn new(flag: &'static str, key: &'static str, value: impl Into<toml::Value>) -> Self {
        Self { flag, key, value: value.into() }
    }

    fn layer(&self) -> Layer {
        let (table, key) = self.key.split_once('.').unwrap_or(("", self.key));
        Layer::file(self.flag, format!("[{table}]\n{key} = {}\n", self.value))
    }
}

/// A profile and what changed it, for the person.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) profile: Profile,
    /// Files and variables that had a say.
    pub(crate) sources: Vec<String>,
}

pub(crate) fn resolve(
    environment: &Environment,
    args: &SettingArgs,
    flags: &[Flag],
) -> anyhow::Result<Settings> {
    resolve_named(environment, &args.profile, &args.set, flags)
}

/// Puts the layers of `name` together.
pub(crate) fn resolve_named(
    environment: &Environment,
    name: &str,
    set: &[String],
    flags: &[Flag],
) -> anyhow::Result<Settings> {
    let mut layers = Vec::new();
    let mut sources = Vec::new();
    let own_profile = own_profile(environment, name)?;
    let mut files: Vec<Layer> = own_profile.iter().map(OwnProfile::layer).collect();
    if let Some((path, text)) = user_file(environment, name)? {
        layers.push(Layer::file(path.display().to_string(), text));
        sources.push(path.display().to_string());
    }
    files.extend_from_slice(&layers);
    let aliases = Aliases::of(name, &files)?;
    // Our own names win over aliases, which other programs may use too.
    let (ours, others): (Vec<_>, Vec<_>) = environment.all().partition(|(n, _)| n.starts_with("HANDSIGHT_"));
    set.iter().for_each(|assignment| secrets::learn_settings(assignment));
    for (variable, value) in others.into_iter().chain(ours) {
        if let Some(layer) = environment_layer(&aliases, variable, value) {
            layers.push(layer?);
            sources.push(variable.to_owned());
        }
    }
    for assignment in set {
        layers.push(set_layer(&aliases, assignment)?);
    }
    layers.extend(flags.iter().map(Flag::layer));
    let profile = match own_profile {
        Some(own) => {
            sources.insert(0, own.path.display().to_string());
            Profile::from_parts(own.layer(), &own.prompt, &layers)?
        }
        None => Profile::resolve(name, &layers).map_err(|e| with_own_names(environment, e))?,
    };
    Ok(Settings { profile, sources })
}

/// The settings an earlier run was begun with, changed by nothing but `flags`.
pub(crate) fn recorded(
    environment: &Environment,
    name: &str,
    text: &str,
    flags: &[Flag],
) -> anyhow::Result<Settings> {
    let (_, prompt) = source(environment, name)?;
    let layers: Vec<Layer> = flags.iter().map(Flag::layer).collect();
    let mut profile = Profile::from_parts(Layer::file("the run's own settings", text), &prompt, &layers)?;
    // The one thing that a run does not keep.
    if let Ok(written) = resolve_written(environment, name) {
        profile.decide.api_key = written.decide.api_key;
    }
    Ok(Settings { profile, sources: Vec::new() })
}

/// The profile as files say it: without the environment, `--set` and flags.
pub(crate) fn resolve_written(environment: &Environment, name: &str) -> anyhow::Result<Profile> {
    let layers: Vec<Layer> = user_file(environment, name)?
        .map(|(path, text)| Layer::file(path.display().to_string(), text))
        .into_iter()
        .collect();
    Ok(match own_profile(environment, name)? {
        Some(own) => Profile::from_parts(own.layer(), &own.prompt, &layers)?,
        None => Profile::resolve(name, &layers)?,
    })
}

/// Every profile there is with what it is for: shipped ones, then the person's own.
pub(crate) fn profiles(environment: &Environment) -> Vec<(String, Result<Profile, ProfileError>)> {
    let own = own_names(environment);
    let shipped = PROFILES.iter().map(|(n, ..)| (*n).to_owned()).filter(|n| !own.contains(n));
    let names: Vec<String> = shipped.chain(own.iter().cloned()).collect();
    names
        .into_iter()
        .map(|name| {
            let profile = match own_profile(environment, &name) {
                Ok(Some(own)) => Profile::from_parts(own.layer(), &own.prompt, &[]),
                _ => Profile::resolve(&name, &[]),
            };
            (name, profile)
        })
        .collect()
}

/// The text of a profile as it was written, shipped or the person's own: TOML and prompt.
pub(crate) fn source(environment: &Environment, name: &str) -> anyhow::Result<(String, String)> {
    if let Some(own) = own_profile(environment, name)? {
        return Ok((own.toml, own.prompt));
    }
    match PROFILES.iter().find(|(n, ..)| *n == name) {
        Some((_, toml, prompt)) => Ok(((*toml).to_owned(), (*prompt).to_owned())),
        None => {
            let unknown = Profile::resolve(name, &[]).map(drop);
            Err(unknown.map_or_else(|e| with_own_names(environment, e), |()| anyhow::anyhow!("no text")))
        }
    }
}

struct OwnProfile {
    path: PathBuf,
    toml: String,
    prompt: String,
}

impl OwnProfile {
    fn layer(&self) -> Layer {
        Layer::file(self.path.display().to_string(), self.toml.clone())
    }
}

fn own_profile(environment: &Environment, name: &str) -> anyhow::Result<Option<OwnProfile>> {
    // A name that could leave the folder is no name.
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let Some(config) = environment.config_dir().filter(|_| plain) else {
        return Ok(None);
    };
    let folder = config.join("profiles").join(name);
    let path = folder.join("profile.toml");
    let Some(toml) = read_if_there(&path)? else {
        return Ok(None);
    };
    let shipped = PROFILES.iter().find(|(n, ..)| *n == name).map(|(_, _, prompt)| (*prompt).to_owned());
    let prompt = folder.join("prompt.md");
    let Some(prompt) = read_if_there(&prompt)?.or(shipped) else {
        let what = format!("the profile {name} has no prompt: {} is missing", prompt.display());
        return Err(Failure::usage(what, "Write it; {{task}} and {{tools}} stand for what they say.").into());
    };
    Ok(Some(OwnProfile { path, toml, prompt }))
}

fn own_names(environment: &Environment) -> Vec<String> {
    let Some(config) = environment.config_dir() else {
        return Vec::new();
    };
    let entries = fs::read_dir(config.join("profiles")).into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<String> = entries
        .filter(|e| e.path().join("profile.toml").is_file())
        .filter_map(|e| e.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// The message of an unknown profile names the shipped ones; the person has others.
fn with_own_names(environment: &Environment, error: ProfileError) -> anyhow::Error {
    let own = own_names(environment);
    let error = anyhow::Error::from(error);
    if own.is_empty() { error } else { error.context(format!("your own profiles are {}", own.join(", "))) }
}

fn user_file(environment: &Environment, profile: &str) -> anyhow::Result<Option<(PathBuf, String)>> {
    let Some(config) = environment.config_dir() else {
        return Ok(None);
    };
    let path = config.join(format!("{profile}.toml"));
    Ok(read_if_there(&path)?.map(|text| (path, text)))
}

/// A file that is not there is no settings; one that cannot be read is an error, not silence.
fn read_if_there(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => {
            secrets::learn_settings(&text);
            Ok(Some(text))
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Failure::usage(format!("{} cannot be read: {e}", path.display()), ""))
            .context("your settings"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::{Exit, of_error};

    struct Home(tempfile::TempDir);

    impl Home {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.0.path().join("handsight").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn environment(&self, more: &[(&str, &str)]) -> Environment {
            let config = if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" };
            let mut pairs = vec![(config, self.0.path().to_str().unwrap())];
            pairs.extend_from_slice(more);
            Environment::of(&pairs)
        }
    }

    fn stateless(environment: &Environment, set: &[&str], flags: &[Flag]) -> anyhow::Result<Settings> {
        let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
        resolve_named(environment, "stateless", &set, flags)
    }

    #[test]
    fn each_layer_wins_over_the_one_before() {
        let home = Home::new();
        let key = |s: &Settings| s.profile.act.input_delay_s;
        assert_eq!(key(&stateless(&home.environment(&[]), &[], &[]).unwrap()), 0.10);
        home.write("stateless.toml", "[act]\ninput_delay_s = 1.0\n");
        assert_eq!(key(&stateless(&home.environment(&[]), &[], &[]).unwrap()), 1.0);
        let alias = home.environment(&[("INPUT_DELAY_S", "2")]);
        assert_eq!(key(&stateless(&alias, &[], &[]).unwrap()), 2.0);
        let own = home.environment(&[("HANDSIGHT_ACT__INPUT_DELAY_S", "3"), ("INPUT_DELAY_S", "2")]);
        let settings = stateless(&own, &[], &[]).unwrap();
        assert_eq!(key(&settings), 3.0);
        assert!(settings.sources[0].ends_with("stateless.toml"), "{:?}", settings.sources);
        assert_eq!(settings.sources[1..], ["INPUT_DELAY_S", "HANDSIGHT_ACT__INPUT_DELAY_S"]);
        assert_eq!(key(&stateless(&own, &["act.input_delay_s=4"], &[]).unwrap()), 4.0);
        let flag = Flag::new("--delay", "act.input_delay_s", 5.0);
        assert_eq!(key(&stateless(&own, &["act.input_delay_s=4"], &[flag]).unwrap()), 5.0);
    }

    #[test]
    fn a_mistake_in_a_users_file_names_file_line_and_key() {
        let home = Home::new();
        home.write("stateless.toml", "[settle]\nenabled = true\nmax_secs = 3\n");
        let error = stateless(&home.environment(&[]), &[], &[]).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("stateless.toml, line 3: unknown key `max_secs`. Did you mean `max_s`?"),
            "{text}"
        );
        assert_eq!(of_error(&error).0, Exit::Usage);
        let unknown = stateless(&Environment::of(&[("HANDSIGHT_ACT__JITER", "1")]), &[], &[]).unwrap_err();
        assert!(unknown.to_string().contains("Did you mean `act.jitter`?"), "{unknown}");
    }

    #[test]
    fn a_profile_of_ones_own_needs_no_rust() {
        let home = Home::new();
        home.write(
            "profiles/quick/profile.toml",
            "name = \"quick\"\nabout = \"mine\"\n[settle]\nmax_s = 0.5\n",
        );
        let missing = resolve_named(&home.environment(&[]), "quick", &[], &[]).unwrap_err().to_string();
        assert!(missing.contains("prompt.md is missing"), "{missing}");
        home.write("profiles/quick/prompt.md", "Do {{task}} with {{tools}}");
        let quick = resolve_named(&home.environment(&[]), "quick", &[], &[]).unwrap().profile;
        assert_eq!((quick.name.as_str(), quick.settle.max_s), ("quick", 0.5));
        assert_eq!(quick.prompt, "Do {{task}} with {{tools}}");
        let names: Vec<String> = profiles(&home.environment(&[])).into_iter().map(|(n, _)| n).collect();
        assert_eq!(names, ["stateless", "assist", "quick"]);
        let wrong = resolve_named(&home.environment(&[]), "quik", &[], &[]).unwrap_err();
        assert!(format!("{wrong:#}").contains("your own profiles are quick"), "{wrong:#}");
        assert!(resolve_named(&home.environment(&[]), "../quick", &[], &[]).is_err());
    }

    #[test]
    fn aliases_of_a_profile_of_ones_own_work_in_its_user_file_the_environment_and_set() {
        let home = Home::new();
        let text = "name = \"quick\"\n[alias]\nFAST = \"settle.max_s\"\nEDGE = \"hud.margin\"\n";
        home.write("profiles/quick/profile.toml", text);
        home.write("profiles/quick/prompt.md", "{{task}} {{tools}}");
        home.write("quick.toml", "FAST = 1.0\n");
        let quick = |environment: &[(&str, &str)], set: &[&str]| {
            let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
            resolve_named(&home.environment(environment), "quick", &set, &[])
        };
        assert_eq!(quick(&[], &[]).unwrap().profile.settle.max_s, 1.0);
        let settings = quick(&[("FAST", "2"), ("EDGE", "3"), ("SCREEN_W", "99")], &[]).unwrap();
        assert_eq!((settings.profile.settle.max_s, settings.profile.hud.margin), (2.0, 3));
        assert!(!settings.sources.contains(&"SCREEN_W".to_owned()), "an alias of another profile");
        assert_eq!(quick(&[("FAST", "2")], &["FAST=3"]).unwrap().profile.settle.max_s, 3.0);
        home.write("profiles/quick/profile.toml", &text.replace("max_s", "max_secs"));
        let error = quick(&[], &["FAST=3"]).unwrap_err().to_string();
        assert!(error.contains("profile.toml, line 3: the alias `FAST` means `settle.max_secs`"), "{error}");
    }

    #[test]
    fn a_shipped_profile_can_be_replaced_and_keeps_its_prompt() {
        let home = Home::new();
        home.write("profiles/stateless/profile.toml", "name = \"stateless\"\n[hud]\nmax_lines = 3\n");
        let settings = stateless(&home.environment(&[]), &[], &[]).unwrap();
        assert_eq!(settings.profile.hud.max_lines, 3);
        assert!(settings.profile.prompt.contains("{{task}}"));
    }
}
