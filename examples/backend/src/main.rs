//! An episode of the engine in a terminal: what an outsider puts together, part by part.
//!
//! Only this file prints, reads the environment and ends the process. It leaves out what a product needs beside it: resuming, prices and
//! limits of money, and a person who is asked; `crates/app/src/assemble/` has them.

mod arguments;

use arguments::Arguments;
use handsight_agent::NoFonts;
use handsight_agent::ending::Outcome;
use handsight_agent::episode::{Episode, Parts};
use handsight_agent::person::Person;
use handsight_agent::profile::{Aliases, Profile, set_layer};
use handsight_agent::progress::{Event, Progress};
use handsight_agent::seat::{Connect, Deadlines, Seat};
use handsight_agent::tools::ToolSet;
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::Desktop;
use handsight_base::port::model::Model;
use handsight_base::stop::{Stop, StopReason};
use handsight_model::{
    Healing, ModelRef, Providers, Remote, RetryPolicy, Retrying, Scripted, Setup, dialect,
};
use handsight_store::{Durability, Journal, Options, RunMeta};
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use terminal_backend::{Cells, Look, Terminal};

/// The way of working: one picture, one tool call, no conversation.
const PROFILE: &str = "stateless";
const CELLS: (u16, u16) = (80, 30);
/// Pixels of the font's em.
const EM: f32 = 16.0;

/// Whatever is wrong is said and ends the process with 2.
type Failure = Box<dyn Error>;

/// What happens, a line each.
struct Lines;

impl Progress for Lines {
    fn event(&mut self, event: &Event) {
        eprintln!("{event:?}");
    }
}

fn main() -> ExitCode {
    let run = || -> Result<ExitCode, Failure> {
        let arguments = Arguments::read(std::env::args().skip(1))?;
        // One thread drives the turn; the terminal has one of its own, and the journal too.
        tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(episode(arguments))
    };
    run().unwrap_or_else(|why| {
        eprintln!("{why}");
        ExitCode::from(2)
    })
}

async fn episode(arguments: Arguments) -> Result<ExitCode, Failure> {
    let Arguments { model, out, font, settings, task, program } = arguments;
    // The profile says how each stage of a turn works; settings change it.
    let aliases = Aliases::of(PROFILE, &[])?;
    let layers =
        settings.iter().map(|setting| set_layer(&aliases, setting)).collect::<Result<Vec<_>, _>>()?;
    let profile = Profile::resolve(PROFILE, &layers)?;
    let tools = ToolSet::of(&profile)?;
    // On a real desktop the time of waits and the person's are the same.
    let wall = RealClock::new();
    let clock: Arc<dyn Clock> = Arc::new(wall.clone());
    let stop = Stop::new();
    let (asked, dialect_name) = model_of(&model, &profile, &clock)?;
    let dialect = dialect::build(&dialect_name, &tools.specs())
        .ok_or_else(|| format!("no dialect {dialect_name}"))??;

    // The desktop: made on a thread of its own, and made again of the same terminal if a call hangs.
    let look = match font {
        Some(file) => Look::of_font(&std::fs::read(file)?, EM)?,
        None => Look::builtin(EM),
    };
    let mut words = program.iter();
    let mut command = Command::new(words.next().ok_or("no program")?);
    command.args(words);
    let terminal = Terminal::start(command, look, Cells::new(CELLS.0, CELLS.1))?;
    let its = Arc::clone(&clock);
    let connect: Connect =
        Arc::new(move || Ok(Box::new(terminal.desktop(Arc::clone(&its))) as Box<dyn Desktop>));
    let seat = Seat::connect(connect, Deadlines::default(), Arc::clone(&clock), stop.clone()).await?;

    // The journal: durable before each effect, as the effects are real.
    let started_unix_millis = wall.unix_millis();
    let run = format!("run_{started_unix_millis}");
    let dir = out.unwrap_or_else(|| Path::new(&profile.record.dump_folder).join(&run));
    let meta = RunMeta {
        run,
        profile: profile.name.clone(),
        profile_text: profile.to_toml(),
        objective: task.clone(),
        desktop: format!("terminal:{}", program.join(" ")),
        models: [("agent".to_owned(), asked.name().to_owned())].into(),
        engine: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix_millis,
        parent: None,
    };
    let options = Options { durability: Durability::Always, ..Options::default() };
    let journal = Journal::create(&dir, &meta, &options)?;

    let parts = Parts {
        perceivers: Vec::new(),
        profile: Arc::new(profile),
        task,
        seat,
        model: asked,
        dialect,
        tools,
        clock: Arc::clone(&clock),
        stopwatch: Arc::clone(&clock),
        journal,
        stop: stop.clone(),
        progress: Box::new(Lines),
        person: Person::default(),
        fonts: Box::new(NoFonts),
    };
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.set(StopReason::Interrupt);
        }
    });
    let ending = Episode::new(parts)?.run().await;
    println!("{}: {} ({} turns, {})", ending.outcome.name(), ending.statement, ending.turns, dir.display());
    Ok(if ending.outcome == Outcome::Done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The model of a name and how it writes what it wants.
fn model_of(
    name: &str,
    profile: &Profile,
    clock: &Arc<dyn Clock>,
) -> Result<(Arc<dyn Model>, String), Failure> {
    let providers = Providers::builtin()?;
    let own = &profile.decide.dialect;
    match ModelRef::parse(name, &providers, &profile.decide.provider, false)?.1 {
        ModelRef::Scripted { file } => {
            let script = std::fs::read_to_string(&file).map_err(|why| format!("{file}: {why}"))?;
            Ok((Arc::new(Scripted::read(&file, &script, Arc::clone(clock))?), own.clone()))
        }
        ModelRef::Served { provider, model } => {
            let provider = providers.get(&provider)?;
            let key = provider.key_variable.as_deref().and_then(|variable| std::env::var(variable).ok());
            let remote = Remote::new(Setup {
                provider,
                model: &model,
                base_url: None,
                key: key.as_deref(),
                deadlines: handsight_model::Deadlines::default(),
                proxy: None,
                clock: Arc::clone(clock),
            })?;
            let dialect = if own.is_empty() { remote.dialect().to_owned() } else { own.clone() };
            let policy = RetryPolicy::times(profile.decide.retries);
            let healing = Arc::new(Healing::new(Arc::new(remote)));
            Ok((Arc::new(Retrying::new(healing, policy, Arc::clone(clock), None)), dialect))
        }
        ModelRef::Recorded { .. } | ModelRef::Offline { .. } => {
            Err(format!("{name} is not made here").into())
        }
    }
}
