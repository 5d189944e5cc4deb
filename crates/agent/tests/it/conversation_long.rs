//! Five hundred turns of one conversation in a model's 32 000 tokens, over the true wires, against a server that counts and keeps a
//! cache of its own (R36): nothing is refused for its length, and nine tenths of what is sent is read from the cache.

use crate::world_rig::{block_on, plain};
use handsight_agent::NoFonts;
use handsight_agent::ending::{Ending, Outcome};
use handsight_agent::episode::{Episode, Parts};
use handsight_agent::person::Person;
use handsight_agent::profile::{Aliases, Profile, set_layer};
use handsight_agent::progress::{Event, Progress};
use handsight_agent::seat::Seat;
use handsight_agent::tools::ToolSet;
use handsight_base::flow::prompt::Sampling;
use handsight_base::port::BoxFuture;
use handsight_base::port::clock::{Clock, RealClock, VirtualClock};
use handsight_base::port::model::{Model, ModelError, ModelReply, ModelRequest, Room, Weight};
use handsight_base::space::Size;
use handsight_base::stop::Stop;
use handsight_model::{Deadlines, Providers, Remote, Setup};
use handsight_store::{Durability, Journal, Options, RunMeta};
use handsight_testkit::chat::{Api, Meter, Reply, Request, Rules, Server};
use handsight_worlds::desk::Desk;
use handsight_worlds::engine::desktop::WorldDesktop;
use handsight_worlds::engine::share;
use serde_json::json;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

const TURNS: usize = 500;
/// Of the control, which shows what it shows long before.
const CONTROL: usize = 120;
/// What a picture of 1024x576 is counted as by the vendors; those here are smaller, so that the tests are quick.
const PICTURE: u64 = 790;
const CONTEXT: u64 = 32_000;

/// What the model does: a little of everything, with a reason of ordinary length.
fn answer(request: &Request) -> Reply {
    let n = request.n;
    if n >= TURNS {
        return Reply::call("done", json!({"reason": "all of it is done"}));
    }
    let reason = format!(
        "Step {n}: the last one did what I expected, the list is {} rows long now, and next I look whether the \
         entry that I added stands at its end.",
        n % 23
    );
    match n % 5 {
        0 => Reply::call("observe", json!({"reason": reason})),
        1 => Reply::call(
            "scroll",
            json!({"dy": if n.is_multiple_of(2) { 120 } else { -120 }, "reason": reason}),
        ),
        2 => Reply::call("type", json!({"text": format!("line {n}"), "reason": reason})),
        _ => Reply::call("click", json!({"x": n * 37 % 1000, "y": n * 53 % 1000, "reason": reason})),
    }
}

/// The model with what it weighed and was told for each request.
struct Weighed {
    inner: Remote,
    /// Leaves the pictures to the wire, which lets the oldest go in every turn.
    blind: bool,
    counts: Arc<Mutex<Vec<(u64, u64)>>>,
}

impl Model for Weighed {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn room(&self, sampling: &Sampling) -> Room {
        let room = self.inner.room(sampling);
        if self.blind { Room { pictures: None, ..room } } else { room }
    }

    fn weigh(&self, request: &ModelRequest) -> Weight {
        self.inner.weigh(request)
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            let counted = self.inner.weigh(request).tokens;
            let reply = self.inner.ask(request, stop).await?;
            self.counts.lock().unwrap().push((counted, reply.usage.input_tokens.unwrap_or_default()));
            Ok(reply)
        })
    }
}

struct Silent;

impl Progress for Silent {
    fn event(&mut self, _: &Event) {}
}

/// What a run came to.
struct Told {
    ending: Ending,
    requests: usize,
    share: f64,
    /// Of each request, as it was counted here and there.
    counts: Vec<(u64, u64)>,
}

fn provider(api: Api) -> String {
    format!(
        "about = \"a service that counts\"\nwire = \"{}\"\ndialect = \"tools\"\ncaching = true\n\
         picture_rule = {{ fixed = {{ tokens = {PICTURE} }} }}\n\
         [limits]\ncontext_tokens = {CONTEXT}\npicture_count = 11\n",
        api.wire()
    )
}

fn run(api: Api, blind: bool) -> Told {
    let meter = Arc::new(Mutex::new(Meter::new(api, CONTEXT, PICTURE)));
    let rules = Rules { api, meter: Some(Arc::clone(&meter)), ..Rules::default() };
    let server = Server::with(rules, answer);
    let mut providers = Providers::builtin().unwrap();
    providers.add("counting.toml", &provider(api)).unwrap();
    let url = server.base_url();
    let remote = Remote::new(Setup {
        provider: providers.get("counting").unwrap(),
        model: "test-model",
        base_url: Some(&url),
        key: None,
        deadlines: Deadlines::default(),
        proxy: None,
        clock: Arc::new(RealClock::new()),
    });
    let counts = Arc::default();
    let model = Weighed { inner: remote.unwrap(), blind, counts: Arc::clone(&counts) };
    let folder = TempDir::new().unwrap();
    let ending = block_on(async {
        let parts = parts(&folder, Arc::new(model), blind);
        Episode::new(parts).unwrap().run().await
    });
    let share = meter.lock().unwrap().cached_share();
    let requests = server.requests().len();
    // A complaint of the server, a refusal for length among them, fails the test here.
    drop(server);
    Told { ending, requests, share, counts: std::mem::take(&mut counts.lock().unwrap()) }
}

fn parts(folder: &TempDir, model: Arc<dyn Model>, blind: bool) -> Parts {
    let aliases = Aliases::of("stateless", &[]).unwrap();
    let (kept, turns) = if blind { (1000, CONTROL) } else { (10, TURNS) };
    let (kept, turns) = (format!("context.pictures_kept={kept}"), format!("limits.max_turns={turns}"));
    let settings = [
        "context.history=conversation",
        &kept,
        &turns,
        "learn.carry=none",
        "hud.enabled=false",
        "settle.enabled=false",
        "context.picture_width=128",
        "context.picture_height=72",
        "record.dump_screenshots=false",
    ];
    let settings: Vec<_> = settings.iter().map(|s| set_layer(&aliases, s).unwrap()).collect();
    let profile = Profile::resolve("stateless", &settings).unwrap();
    let tools = ToolSet::of(&profile).unwrap();
    let dialect = handsight_model::dialect::build("tools", &tools.specs()).unwrap().unwrap();
    let virtual_clock = VirtualClock::new(1_710_513_022_000);
    let clock: Arc<dyn Clock> = Arc::new(virtual_clock.clone());
    let mut desk = Desk::new(&plain(Size::new(640, 360)));
    desk.open_program("editor", &[]).unwrap();
    let desktop = WorldDesktop::new(share(desk), virtual_clock);
    let stop = Stop::new();
    let meta = RunMeta { run: "run".into(), ..RunMeta::default() };
    let journal = Options { durability: Durability::BATCHED, ..Options::default() };
    Parts {
        perceivers: Vec::new(),
        profile: Arc::new(profile),
        task: "Keep the list in order until I say that it is enough".into(),
        seat: Seat::inline(Box::new(desktop), Arc::clone(&clock), stop.clone()),
        model,
        dialect,
        tools,
        stopwatch: Arc::clone(&clock),
        clock,
        journal: Journal::create(&folder.path().join("run"), &meta, &journal).unwrap(),
        stop,
        progress: Box::new(Silent),
        fonts: Box::new(NoFonts),
        person: Person::default(),
    }
}

#[expect(clippy::print_stderr, reason = "the figures are for whoever runs the tests")]
fn check(api: Api) {
    let told = run(api, false);
    assert_eq!(told.ending.outcome, Outcome::Done, "{}", told.ending.statement);
    assert_eq!((told.requests, told.ending.turns), (TURNS, TURNS as u64), "none was refused or asked again");
    let (mine, theirs): (Vec<u64>, Vec<u64>) = told.counts.iter().copied().unzip();
    let under = told.counts.iter().filter(|(mine, theirs)| mine < theirs).count();
    let over = mine.iter().sum::<u64>() as f64 / theirs.iter().sum::<u64>() as f64;
    let most = theirs.iter().max().copied().unwrap_or_default();
    eprintln!(
        "{}: {} requests, {:.1} % from the cache; counted {over:.2} times, {under} below; at most {most} tokens",
        api.wire(),
        told.requests,
        told.share * 100.0
    );
    assert!(told.share >= 0.9, "{:.3} came from the cache", told.share);
    assert!(under <= 1 && over < 1.6, "{under} were counted below, {over} times in all");
    assert!(most > CONTEXT / 2, "the room is used: {most}");
    // The control: the same with one picture less in every turn.
    let blind = run(api, true);
    eprintln!("{}: {:.1} % where a picture goes every turn", api.wire(), blind.share * 100.0);
    assert!(blind.share < 0.9, "{:.3} came from the cache", blind.share);
}

#[test]
fn five_hundred_turns_fit_and_are_cached_over_messages() {
    check(Api::Messages);
}

#[test]
fn five_hundred_turns_fit_and_are_cached_over_chat() {
    check(Api::Chat);
}
