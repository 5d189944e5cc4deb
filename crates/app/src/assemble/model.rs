//! From `--model` and the profile to something that can be asked.

use super::exchanges::Exchanges;
use super::money;
use crate::cli::ModelArgs;
use crate::environment::Environment;
use crate::exit::Failure;
use crate::notice::Service;
use crate::{providers, settings};
use anyhow::Context as _;
use handsight_agent::profile::Profile;
use handsight_base::port::clock::Clock;
use handsight_base::port::model::Model;
use handsight_model::{
    Deadlines, Endpoint, ModelRef, ModelRole, OFFLINE, Providers, Recorded, Remote, Scripted, Setup, Tariff,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The model of a run.
pub(crate) struct Chosen {
    pub(crate) answering: Answering,
    /// How it writes what it wants; the profile's word, else its provider's.
    pub(crate) dialect: String,
    /// Where it is; `None` if nothing is sent anywhere.
    pub(crate) service: Option<Service>,
    /// The recording, to ask afterwards where the run left it.
    pub(crate) recorded: Option<Arc<Recorded>>,
    /// Role to `provider/name`, for the journal.
    pub(crate) names: BTreeMap<String, String>,
}

/// Who answers.
pub(crate) enum Answering {
    /// A service on the network, which may cost something.
    Served { remote: Arc<Remote>, tariff: Tariff },
    /// The program itself: a recording, a script, the offline model.
    Here(Arc<dyn Model>),
}

impl Answering {
    pub(crate) const fn price_known(&self) -> bool {
        match self {
            Self::Served { tariff, .. } => tariff.price.is_some(),
            Self::Here(_) => true,
        }
    }
}

/// Which model a run asks, before anything is made of it.
#[derive(Debug)]
pub(crate) struct Choice {
    providers: Providers,
    agent: ModelRef,
    /// The text of a script that no file holds.
    script: Option<String>,
    names: BTreeMap<String, String>,
    base_url: Option<String>,
}

impl Choice {
    /// Reads the arguments; what they leave open the profile says.
    pub(crate) fn read(
        environment: &Environment,
        profile: &Profile,
        args: &ModelArgs,
    ) -> anyhow::Result<Self> {
        let providers = providers::read(environment)?;
        let given = args.base_url.is_some();
        let default = &profile.decide.provider;
        let mut roles: BTreeMap<ModelRole, ModelRef> = BTreeMap::new();
        for text in &args.model {
            let (role, reference) = ModelRef::parse(text, &providers, default, given)?;
            if roles.insert(role, reference).is_some() {
                let what = format!("--model names two models for the role {}", role.name());
                return Err(Failure::usage(what, "Give each role once: agent, vision, judge, embed.").into());
            }
        }
        let agent = match roles.get(&ModelRole::Agent) {
            Some(agent) => agent.clone(),
            None => {
                ModelRef::parse(&profile.decide.model, &providers, default, given)
                    .context("the profile's decide.model")?
                    .1
            }
        };
        roles.insert(ModelRole::Agent, agent.clone());
        let names = roles.iter().map(|(role, reference)| (role.name().to_owned(), text(reference))).collect();
        let own = &profile.decide.api_url;
        let base_url = args.base_url.clone().or_else(|| (!own.is_empty()).then(|| own.clone()));
        Ok(Self { providers, agent, script: None, names, base_url })
    }

    /// The model that is part of the program: no key, no network.
    pub(crate) fn offline(environment: &Environment) -> anyhow::Result<Self> {
        let name = handsight_reflex::NAME.rsplit('/').next().unwrap_or_default().to_owned();
        Self::played(environment, ModelRef::Offline { name }, None)
    }

    /// The recorded calls of a run.
    pub(crate) fn recorded(environment: &Environment, run: &Path) -> anyhow::Result<Self> {
        Self::played(environment, ModelRef::Recorded { run: run.display().to_string() }, None)
    }

    /// Calls in the form of a script; `file` is where they come from.
    pub(crate) fn scripted(environment: &Environment, file: &Path, script: String) -> anyhow::Result<Self> {
        Self::played(environment, ModelRef::Scripted { file: file.display().to_string() }, Some(script))
    }

    fn played(environment: &Environment, agent: ModelRef, script: Option<String>) -> anyhow::Result<Self> {
        let names = BTreeMap::from([(ModelRole::Agent.name().to_owned(), text(&agent))]);
        Ok(Self { providers: providers::read(environment)?, agent, script, names, base_url: None })
    }

    /// `provider/name`, for people and for the journal.
    pub(crate) fn name(&self) -> String {
        text(&self.agent)
    }

    /// The recorded run whose calls are played, if it is one.
    pub(crate) fn recording(&self) -> Option<&Path> {
        match &self.agent {
            ModelRef::Recorded { run } => Some(Path::new(run)),
            ModelRef::Served { .. } | ModelRef::Scripted { .. } | ModelRef::Offline { .. } => None,
        }
    }

    /// True if the model runs on this machine, as far as its address tells.
    pub(crate) fn is_here(&self) -> bool {
        self.endpoint().is_some_and(|e| e.is_loopback())
    }

    fn endpoint(&self) -> Option<Endpoint> {
        let ModelRef::Served { provider, .. } = &self.agent else { return None };
        let url = self.base_url.as_deref().or(self.providers.find(provider)?.base_url.as_deref())?;
        Endpoint::parse(url).ok()
    }

    /// A service behind HTTP, without connecting to it; `None` for a recording or a script.
    pub(crate) fn remote(
        &self,
        environment: &Environment,
        profile: &Profile,
        clock: &Arc<dyn Clock>,
    ) -> anyhow::Result<Option<Remote>> {
        let ModelRef::Served { provider, model } = &self.agent else { return Ok(None) };
        let provider = self.providers.get(provider)?;
        if let Some(format) = profile.context.picture_format.fixed() {
            provider.check_picture_format(model, format)?;
        }
        let url = self.base_url.as_deref().or(provider.base_url.as_deref());
        let remote = Remote::new(Setup {
            provider,
            model,
            base_url: self.base_url.as_deref(),
            key: self.key(environment, profile, provider),
            deadlines: deadlines(profile),
            proxy: url.and_then(|url| environment.proxy(url)),
            clock: Arc::clone(clock),
        })?;
        Ok(Some(remote))
    }

    /// The key of the settings, which is the profile's provider's and goes nowhere else; without one, the environment's (D-59).
    fn key<'a>(
        &self,
        environment: &'a Environment,
        profile: &'a Profile,
        provider: &handsight_model::Provider,
    ) -> Option<&'a str> {
        let own = profile.decide.api_key.reveal().filter(|_| provider.name == profile.decide.provider);
        own.or_else(|| provider.key_variable.as_deref().and_then(|variable| environment.key(variable)))
    }

    /// The model itself.
    /// A service on the network goes by the person's time; a script by the desktop's.
    pub(crate) fn make(
        self,
        environment: &Environment,
        profile: &Profile,
        clock: &Arc<dyn Clock>,
        stopwatch: &Arc<dyn Clock>,
    ) -> anyhow::Result<Chosen> {
        let dialect = |of_model: Option<&str>| match (profile.decide.dialect.as_str(), of_model) {
            ("", Some(of_model)) => of_model.to_owned(),
            (own, _) => own.to_owned(),
        };
        if let Some(remote) = self.remote(environment, profile, stopwatch)? {
            let endpoint = remote.endpoint();
            let service = Service {
                host: endpoint.host(),
                loopback: endpoint.is_loopback(),
                encrypted: endpoint.is_encrypted(),
                of_profile: profile_host(environment, &self.providers, &profile.name)
                    == Some(endpoint.host()),
            };
            let dialect = dialect(Some(remote.dialect()));
            let tariff = money::tariff(&remote, profile);
            let answering = Answering::Served { remote: Arc::new(remote), tariff };
            let names = self.names;
            return Ok(Chosen { answering, dialect, service: Some(service), recorded: None, names });
        }
        let (model, recorded): (Arc<dyn Model>, _) = match &self.agent {
            ModelRef::Offline { name } => (offline(name)?, None),
            ModelRef::Scripted { file } => {
                let text = match self.script {
                    Some(script) => script,
                    None => std::fs::read_to_string(file)
                        .map_err(|e| Failure::usage(format!("the script {file}: {e}"), ""))?,
                };
                (Arc::new(Scripted::read(file, &text, Arc::clone(clock))?), None)
            }
            ModelRef::Recorded { run } | ModelRef::Served { model: run, .. } => {
                let recorded = Arc::new(Recorded::new(run, Box::new(Exchanges::open(Path::new(run))?)));
                (Arc::clone(&recorded) as _, Some(recorded))
            }
        };
        let answering = Answering::Here(model);
        Ok(Chosen { answering, dialect: dialect(None), service: None, recorded, names: self.names })
    }
}

/// The model that is part of the program.
fn offline(name: &str) -> anyhow::Result<Arc<dyn Model>> {
    if format!("{OFFLINE}/{name}") == handsight_reflex::NAME {
        return Ok(Arc::new(handsight_reflex::Reflex::new()));
    }
    Err(Failure::usage(format!("there is no offline model {name:?}"), "There is reflex/offline.").into())
}

fn text(reference: &ModelRef) -> String {
    match reference {
        ModelRef::Offline { name } => format!("{OFFLINE}/{name}"),
        ModelRef::Served { provider, model } => format!("{provider}/{model}"),
        ModelRef::Recorded { run } => format!("recorded/{run}"),
        ModelRef::Scripted { file } => format!("scripted/{file}"),
    }
}

pub(crate) fn deadlines(profile: &Profile) -> Deadlines {
    let given = |seconds: f64| (seconds > 0.0).then(|| Duration::from_secs_f64(seconds));
    Deadlines {
        connect: Duration::from_secs_f64(profile.decide.connect_timeout_s),
        first_byte: given(profile.decide.first_byte_timeout_s),
        next_byte: given(profile.decide.next_byte_timeout_s),
        total: Duration::from_secs_f64(profile.decide.request_timeout_s),
    }
}

/// The host that the profile's own files name: what flags and the environment redirect is told to the person.
fn profile_host(environment: &Environment, providers: &Providers, profile: &str) -> Option<String> {
    let written = settings::resolve_written(environment, profile).ok()?;
    let own = Some(written.decide.api_url).filter(|url| !url.is_empty());
    let url = own.or_else(|| providers.find(&written.decide.provider)?.base_url.clone())?;
    Endpoint::parse(&url).ok().map(|e| e.host())
}
