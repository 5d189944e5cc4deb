//! What `--model` says: `[ROLE=]PROVIDER/NAME`.
//!
//! Names contain slashes (`qwen/qwen3-vl-8b`) and may contain `=`, so only what is known counts: four words as a role, and a
//! provider's name as the first segment. Everything else is part of the model's name; nothing is guessed from its shape.

use crate::provider::{CUSTOM, Providers, SetupError};

/// Which of a run's models is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ModelRole {
    Agent,
    Vision,
    Judge,
    Embed,
}

impl ModelRole {
    pub const ALL: [Self; 4] = [Self::Agent, Self::Vision, Self::Judge, Self::Embed];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Vision => "vision",
            Self::Judge => "judge",
            Self::Embed => "embed",
        }
    }
}

/// A model, named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelRef {
    /// A model that a provider serves.
    Served { provider: String, model: String },
    /// The recorded calls of a run.
    Recorded { run: String },
    /// A script of replies.
    Scripted { file: String },
    /// The model that is part of the program: no key, no network.
    Offline { name: String },
}

/// First segments that no provider may be called.
pub(crate) const RESERVED: [&str; 3] = ["recorded", "scripted", OFFLINE];

/// The first segment of the offline model's name.
pub const OFFLINE: &str = "reflex";

impl ModelRef {
    /// Reads an argument. `default` is the profile's provider; with a `--base-url` and no known first segment it is `custom`.
    pub fn parse(
        text: &str,
        providers: &Providers,
        default: &str,
        base_url_given: bool,
    ) -> Result<(ModelRole, Self), SetupError> {
        let (role, rest) = match text.split_once('=') {
            Some((word, rest)) => match ModelRole::ALL.into_iter().find(|r| r.name() == word) {
                Some(role) => (role, rest),
                None => (ModelRole::Agent, text),
            },
            None => (ModelRole::Agent, text),
        };
        let named = |why: &'static str, name: &str| {
            if name.trim().is_empty() {
                Err(SetupError::ModelName { text: text.to_owned(), why })
            } else {
                Ok(())
            }
        };
        named("it is empty", rest)?;
        if let Some((first, name)) = rest.split_once('/') {
            if first == "recorded" {
                named("the run is missing", name)?;
                return Ok((role, Self::Recorded { run: name.to_owned() }));
            }
            if first == "scripted" {
                named("the file is missing", name)?;
                return Ok((role, Self::Scripted { file: name.to_owned() }));
            }
            if first == OFFLINE {
                named("the name after reflex/ is missing; there is reflex/offline", name)?;
                return Ok((role, Self::Offline { name: name.to_owned() }));
            }
            if providers.find(first).is_some() {
                named("the name after the provider is missing", name)?;
                return Ok((role, Self::Served { provider: first.to_owned(), model: name.to_owned() }));
            }
        }
        let provider = if base_url_given { CUSTOM } else { default };
        providers.get(provider)?;
        Ok((role, Self::Served { provider: provider.to_owned(), model: rest.to_owned() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, base_url: bool) -> Result<(ModelRole, ModelRef), SetupError> {
        ModelRef::parse(text, &Providers::builtin().unwrap(), "lmstudio", base_url)
    }

    fn served(provider: &str, model: &str) -> ModelRef {
        ModelRef::Served { provider: provider.into(), model: model.into() }
    }

    #[test]
    fn what_is_known_counts_and_the_rest_is_a_name() {
        use ModelRole::{Agent, Embed, Judge, Vision};
        for (text, base_url, role, want) in [
            ("qwen2-vl-7b-instruct", false, Agent, served("lmstudio", "qwen2-vl-7b-instruct")),
            ("qwen/qwen3-vl-8b", false, Agent, served("lmstudio", "qwen/qwen3-vl-8b")),
            ("qwen/qwen3-vl-8b", true, Agent, served("custom", "qwen/qwen3-vl-8b")),
            ("openai/gpt-5.4", false, Agent, served("openai", "gpt-5.4")),
            ("openai/gpt-5.4", true, Agent, served("openai", "gpt-5.4")),
            ("lmstudio/qwen/qwen3-vl-8b", false, Agent, served("lmstudio", "qwen/qwen3-vl-8b")),
            ("judge=openai/gpt-5.4", false, Judge, served("openai", "gpt-5.4")),
            ("vision=m", false, Vision, served("lmstudio", "m")),
            ("embed=m", true, Embed, served("custom", "m")),
            ("agent=m", false, Agent, served("lmstudio", "m")),
            ("expert=m", false, Agent, served("lmstudio", "expert=m")),
            ("agent=a=b", false, Agent, served("lmstudio", "a=b")),
            ("openai", false, Agent, served("lmstudio", "openai")),
            (
                "recorded/examples/first-run",
                false,
                Agent,
                ModelRef::Recorded { run: "examples/first-run".into() },
            ),
            ("scripted//tmp/s.jsonl", true, Agent, ModelRef::Scripted { file: "/tmp/s.jsonl".into() }),
            ("reflex/offline", true, Agent, ModelRef::Offline { name: "offline".into() }),
            ("recorded", false, Agent, served("lmstudio", "recorded")),
            ("ollama/recorded/x", false, Agent, served("ollama", "recorded/x")),
        ] {
            assert_eq!(parse(text, base_url).unwrap(), (role, want), "{text}");
        }
    }

    #[test]
    fn a_name_that_is_missing_is_said_to_be() {
        for text in ["", " ", "agent=", "openai/", "judge=lmstudio/", "recorded/", "scripted/ "] {
            assert!(matches!(parse(text, false), Err(SetupError::ModelName { .. })), "{text}");
        }
    }

    #[test]
    fn a_profile_may_name_a_provider_that_does_not_exist() {
        let all = Providers::builtin().unwrap();
        let e = ModelRef::parse("m", &all, "openia", false).unwrap_err();
        assert!(e.to_string().contains("Did you mean `openai`?"), "{e}");
    }
}
