//! `models list`: who serves models, where, and on what terms. Asks nobody; `doctor` does.

use crate::environment::Environment;
use crate::exit::Exit;
use crate::{providers, say};
use serde_json::json;

pub(crate) fn list(environment: &Environment, as_json: bool) -> anyhow::Result<Exit> {
    let providers = providers::read(environment)?;
    if as_json {
        let rows: Vec<_> = providers
            .iter()
            .map(|p| {
                json!({
                    "name": p.name,
                    "about": p.about,
                    "base_url": p.base_url,
                    "wire": p.wire.name,
                    "dialect": p.dialect,
                    "key_variable": p.key_variable,
                    "key_set": p.key_variable.as_deref().map(|v| environment.key(v).is_some()),
                })
            })
            .collect();
        say::json(&json!({ "providers": rows }));
        return Ok(Exit::Done);
    }
    for p in providers.iter() {
        let key = match p.key_variable.as_deref() {
            None => "needs no key".to_owned(),
            Some(v) if environment.key(v).is_some() => format!("{v} is set"),
            Some(v) if p.key_optional => format!("{v} if it wants a key"),
            Some(v) => format!("needs {v}"),
        };
        let place = p.base_url.as_deref().unwrap_or("--base-url");
        say::result(&format!("{:<12} {place:<34} {key:<34} {}", p.name, p.about));
    }
    Ok(Exit::Done)
}
