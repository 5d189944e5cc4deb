//! The providers of this machine: those compiled in and the person's own files in the config folder's `providers/`.

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use handsight_agent::profile::Profile;
use handsight_model::Providers;
use std::fs;

pub(crate) fn read(environment: &Environment) -> anyhow::Result<Providers> {
    let mut providers = Providers::builtin()?;
    let Some(folder) = environment.config_dir().map(|c| c.join("providers")) else {
        return Ok(providers);
    };
    let mut files: Vec<_> = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    for file in files {
        let text = fs::read_to_string(&file)
            .map_err(|e| Failure::new(Exit::Usage, format!("{} cannot be read: {e}", file.display()), ""))?;
        providers.add(&file.display().to_string(), &text)?;
    }
    Ok(providers)
}

/// The variables with secrets of ours: no process that a run starts needs to see them.
pub(crate) fn withheld(environment: &Environment, profile: &Profile) -> Vec<String> {
    // A provider's file that cannot be read is told where a model is needed.
    let keys = read(environment).map(|all| all.iter().filter_map(|p| p.key_variable.clone()).collect());
    let mut withheld: Vec<String> = keys.unwrap_or_default();
    withheld.push(profile.desktop.vnc_password_env.clone());
    withheld
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_of_ones_own_is_one_file() {
        let home = tempfile::tempdir().unwrap();
        let config = if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" };
        let environment = Environment::of(&[(config, home.path().to_str().unwrap())]);
        let folder = home.path().join("handsight/providers");
        fs::create_dir_all(&folder).unwrap();
        let text = "about = \"mine\"\nbase_url = \"https://models.example/v1\"\nwire = \"chat\"\ndialect = \"tools\"\n";
        fs::write(folder.join("mine.toml"), text).unwrap();
        let url = read(&environment).unwrap().get("mine").unwrap().base_url.clone();
        assert_eq!(url.as_deref(), Some("https://models.example/v1"));
        fs::write(folder.join("broken.toml"), "abuot = 1\n").unwrap();
        let said = read(&environment).unwrap_err().to_string();
        assert!(said.contains("broken.toml, line 1"), "{said}");
    }
}
