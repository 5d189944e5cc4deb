//! `profiles list|show`: which profiles there are, and every value that is in force.

use crate::cli::ProfileShowArgs;
use crate::environment::Environment;
use crate::exit::Exit;
use crate::{providers, say, settings};
use handsight_agent::profile::Profile;
use serde_json::json;

pub(crate) fn list(environment: &Environment, as_json: bool) -> anyhow::Result<Exit> {
    let profiles = settings::profiles(environment);
    if as_json {
        let rows: Vec<_> = profiles
            .iter()
            .map(|(name, profile)| match profile {
                Ok(p) => json!({ "name": name, "version": p.version, "about": p.about }),
                Err(e) => json!({ "name": name, "error": e.to_string() }),
            })
            .collect();
        say::json(&json!({ "profiles": rows }));
        return Ok(Exit::Done);
    }
    for (name, profile) in profiles {
        match profile {
            Ok(p) => say::result(&format!("{name:<12} {:<8} {}", p.version, p.about)),
            Err(e) => say::result(&format!("{name:<12} cannot be used: {e}")),
        }
    }
    Ok(Exit::Done)
}

pub(crate) fn show(environment: &Environment, args: &ProfileShowArgs) -> anyhow::Result<Exit> {
    if args.resolved || !args.set.is_empty() {
        return resolved(environment, &args.name, &args.set);
    }
    let (toml, prompt) = settings::source(environment, &args.name)?;
    say::text(if args.prompt { &prompt } else { &toml });
    Ok(Exit::Done)
}

/// Every value in force, as TOML that a profile could be made of; where they came from stands in comments.
pub(crate) fn resolved(environment: &Environment, name: &str, set: &[String]) -> anyhow::Result<Exit> {
    let settings = settings::resolve_named(environment, name, set, &[])?;
    for source in &settings.sources {
        say::text(&format!("# with {source}\n"));
    }
    say::text(&effective(environment, settings.profile)?.to_toml());
    Ok(Exit::Done)
}

/// The profile with the address that an empty `api_url` stands for.
fn effective(environment: &Environment, mut profile: Profile) -> anyhow::Result<Profile> {
    if profile.decide.api_url.is_empty() {
        let providers = providers::read(environment)?;
        if let Some(base) = providers.get(&profile.decide.provider)?.base_url.as_deref() {
            profile.decide.api_url = format!("{base}/chat/completions");
        }
    }
    Ok(profile)
}
