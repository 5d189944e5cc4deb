//! One helper: a script of replies in, the desktop's calls and the model's requests out.

use handsight_agent::NoFonts;
use handsight_agent::ending::Ending;
use handsight_agent::episode::{Episode, Parts};
use handsight_agent::person::Person;
use handsight_agent::profile::{Aliases, Layer, Profile, set_layer};
use handsight_agent::progress::{Event, Progress};
use handsight_agent::seat::Seat;
use handsight_agent::tools::ToolSet;
use handsight_base::flow::frame::FrameHash;
use handsight_base::port::BoxFuture;
use handsight_base::port::clock::{Clock, VirtualClock};
use handsight_base::port::dialect::Dialect;
use handsight_base::port::model::{Model, ModelError, ModelReply, ModelRequest, Part, ToolCall, Usage};
use handsight_base::space::Size;
use handsight_base::stop::Stop;
use handsight_store::{Durability, Journal, Options, RunMeta};
use handsight_testkit::fake::{FakeDesktop, Handle};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

/// What the model answers to its `n`th request, from 1.
pub(crate) type Answers = Box<dyn FnMut(u64, &ModelRequest) -> Result<ModelReply, ModelError> + Send>;

/// A picture that shows its hash in a failed comparison.
#[derive(Clone, PartialEq)]
pub(crate) struct Png(pub(crate) Vec<u8>);

impl std::fmt::Debug for Png {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        FrameHash::of(&self.0).fmt(f)
    }
}

/// A request as the model got it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) system: String,
    pub(crate) messages: usize,
    pub(crate) picture: Png,
    pub(crate) tools: Vec<String>,
    pub(crate) at: Duration,
}

impl Asked {
    pub(crate) fn of(request: &ModelRequest, at: Duration) -> Self {
        let picture = request.messages.iter().flat_map(|m| &m.parts).find_map(|part| match part {
            Part::Picture(picture) => Some(picture.bytes.to_vec()),
            _ => None,
        });
        Self {
            system: request.system.clone(),
            messages: request.messages.len(),
            picture: Png(picture.unwrap_or_default()),
            tools: request.tools.iter().map(|t| t.name.clone()).collect(),
            at,
        }
    }
}

pub(crate) struct FnModel {
    answers: Mutex<(u64, Answers)>,
    asked: Arc<Mutex<Vec<Asked>>>,
    clock: VirtualClock,
    think: Duration,
}

impl Model for FnModel {
    fn name(&self) -> &str {
        "test/closure"
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        _: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        self.asked.lock().unwrap().push(Asked::of(request, self.clock.now()));
        self.clock.advance(self.think);
        let mut answers = self.answers.lock().unwrap();
        answers.0 += 1;
        let n = answers.0;
        let answer = (answers.1)(n, request);
        Box::pin(std::future::ready(answer))
    }
}

/// A reply with one tool call.
pub(crate) fn call(name: &str, args: Value) -> Result<ModelReply, ModelError> {
    Ok(reply(vec![ToolCall { id: "c1".into(), name: name.into(), arguments: args.to_string() }]))
}

pub(crate) fn reply(calls: Vec<ToolCall>) -> ModelReply {
    let usage = Usage { input_tokens: Some(1000), output_tokens: Some(50), ..Usage::default() };
    ModelReply { calls, usage, ..ModelReply::default() }
}

/// `done` from the `n`th request on, and before it what `f` says.
pub(crate) fn until(
    n: u64,
    mut f: impl FnMut(u64) -> Result<ModelReply, ModelError> + Send + 'static,
) -> Answers {
    Box::new(move |i, _| if i >= n { call("done", json!({"reason": "finished"})) } else { f(i) })
}

pub(crate) fn network_error() -> Result<ModelReply, ModelError> {
    Err(ModelError::Network {
        provider: "test".into(),
        url: "http://127.0.0.1:1/".into(),
        why: "refused".into(),
        sent: false,
    })
}

/// A run that is about to begin.
pub(crate) struct Rig {
    profile: &'static str,
    pub(crate) folder: TempDir,
    pub(crate) desktop: Handle,
    pub(crate) clock: VirtualClock,
    pub(crate) stop: Stop,
    pub(crate) events: Arc<Mutex<Vec<Event>>>,
    pub(crate) asked: Arc<Mutex<Vec<Asked>>>,
    fake: Option<FakeDesktop>,
    settings: Vec<Layer>,
    pub(crate) think: Duration,
    pub(crate) durability: Durability,
    /// Hears every event as it happens.
    pub(crate) hear: Option<Hear>,
    /// Put around the model, which goes by this clock.
    pub(crate) around: Option<Around>,
    pub(crate) person: Person,
    pub(crate) dialect_name: &'static str,
    /// Put around the dialect.
    pub(crate) dialect: Option<AroundDialect>,
}

pub(crate) type AroundDialect = Box<dyn FnOnce(Box<dyn Dialect>) -> Box<dyn Dialect>>;

pub(crate) type Around = Box<dyn FnOnce(Arc<dyn Model>, Arc<dyn Clock>) -> Arc<dyn Model>>;

pub(crate) type Hear = Box<dyn FnMut(&Event) + Send>;

struct Listener(Arc<Mutex<Vec<Event>>>, Option<Hear>);

impl Progress for Listener {
    fn event(&mut self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
        if let Some(hear) = &mut self.1 {
            hear(event);
        }
    }
}

impl Rig {
    pub(crate) fn new(settings: &[&str]) -> Self {
        Self::of("stateless", settings)
    }

    /// A run of another profile.
    pub(crate) fn of(profile: &'static str, settings: &[&str]) -> Self {
        let clock = VirtualClock::new(1_710_513_022_000);
        let (fake, desktop) = FakeDesktop::new(Size::new(320, 180), Arc::new(clock.clone()));
        let aliases = Aliases::of(profile, &[]).unwrap();
        Self {
            profile,
            folder: TempDir::new().unwrap(),
            desktop,
            clock,
            stop: Stop::new(),
            events: Arc::default(),
            asked: Arc::default(),
            fake: Some(fake),
            settings: settings.iter().map(|s| set_layer(&aliases, s).unwrap()).collect(),
            think: Duration::ZERO,
            durability: Durability::BATCHED,
            hear: None,
            around: None,
            person: Person::default(),
            dialect_name: if profile == "assist" { "plan" } else { "tools" },
            dialect: None,
        }
    }

    /// Other settings for the next run.
    pub(crate) fn set(&mut self, settings: &[&str]) {
        let aliases = Aliases::of(self.profile, &[]).unwrap();
        self.settings = settings.iter().map(|s| set_layer(&aliases, s).unwrap()).collect();
    }

    pub(crate) fn out(&self) -> std::path::PathBuf {
        self.folder.path().join("run")
    }

    fn journal(&self) -> Journal {
        let options = Options { durability: self.durability, ..Options::default() };
        if self.out().join("run.db").exists() {
            return Journal::open(&self.out(), &options).unwrap().0;
        }
        Journal::create(&self.out(), &RunMeta { run: "run".into(), ..RunMeta::default() }, &options).unwrap()
    }

    pub(crate) fn run(&mut self, answers: Answers) -> Ending {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let profile = Profile::resolve(self.profile, &self.settings).unwrap();
        let tools = ToolSet::of(&profile).unwrap();
        let dialect = handsight_model::dialect::build(self.dialect_name, &tools.specs()).unwrap().unwrap();
        let dialect = match self.dialect.take() {
            Some(around) => around(dialect),
            None => dialect,
        };
        let clock: Arc<dyn Clock> = Arc::new(self.clock.clone());
        let fake = self.fake.take().unwrap_or_else(|| {
            let (fake, desktop) = FakeDesktop::new(Size::new(320, 180), Arc::clone(&clock));
            self.desktop = desktop;
            fake
        });
        let model = FnModel {
            answers: Mutex::new((0, answers)),
            asked: Arc::clone(&self.asked),
            clock: self.clock.clone(),
            think: self.think,
        };
        let model: Arc<dyn Model> = match self.around.take() {
            Some(around) => around(Arc::new(model), Arc::clone(&clock)),
            None => Arc::new(model),
        };
        runtime.block_on(async {
            let parts = Parts {
                perceivers: Vec::new(),
                profile: Arc::new(profile),
                task: "Press the button".into(),
                seat: Seat::inline(Box::new(fake), Arc::clone(&clock), self.stop.clone()),
                model,
                dialect,
                tools,
                stopwatch: Arc::clone(&clock),
                clock,
                journal: self.journal(),
                stop: self.stop.clone(),
                progress: Box::new(Listener(Arc::clone(&self.events), self.hear.take())),
                person: std::mem::take(&mut self.person),
                fonts: Box::new(NoFonts),
            };
            Episode::new(parts).unwrap().run().await
        })
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

/// The lines of `session.jsonl`.
pub(crate) fn session(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("session.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
