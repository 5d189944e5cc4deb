//! One command per file. A command gathers what it needs, calls the libraries, says what came back, and gives its exit code.

pub(crate) mod bench;
mod cost;
mod demo;
mod dialects;
mod doctor;
mod eval;
mod generate;
pub(crate) mod hands;
mod look;
pub(crate) mod manual;
mod models;
mod ocr;
mod policy;
mod profiles;
mod report;
pub(crate) mod run;
mod runs;
mod window;
#[cfg(target_os = "linux")]
mod world_window;
mod worlds;

use crate::cli::{
    Command, ConfigCommand, ModelsCommand, PolicyCommand, ProfilesCommand, ReportCommand, WindowCommand,
    WorldsCommand,
};
use crate::environment::Environment;
use crate::exit::Exit;

pub(crate) fn dispatch(command: Command, environment: &Environment) -> anyhow::Result<Exit> {
    match command {
        Command::Demo(args) => demo::run(environment, args),
        Command::Run(args) => run::run(environment, args),
        Command::Look(args) => look::run(environment, &args),
        Command::Manual(args) => manual::run(environment, args),
        Command::Report { command: ReportCommand::Parse(args) } => report::parse(environment, &args),
        Command::Runs { command } => runs::dispatch(environment, command),
        Command::Replay(args) => runs::replay(environment, args),
        Command::Window { command: WindowCommand::Status(args) } => window::status(environment, &args),
        Command::Window { command: WindowCommand::Focus(args) } => window::focus(environment, &args),
        Command::Policy { command: PolicyCommand::Check(args) } => policy::check(environment, &args),
        Command::Worlds { command } => match command {
            None => worlds::list(false),
            Some(WorldsCommand::List { json }) => worlds::list(json),
            #[cfg(target_os = "linux")]
            Some(WorldsCommand::Open(args)) => world_window::open(environment, &args),
            #[cfg(not(target_os = "linux"))]
            Some(WorldsCommand::Open(_)) => Err(crate::exit::Failure::usage(
                "a world can be shown in a window on Linux only",
                "`demo` runs it without one.",
            )
            .into()),
        },
        Command::Profiles { command } => match command {
            None => profiles::list(environment, false),
            Some(ProfilesCommand::List { json }) => profiles::list(environment, json),
            Some(ProfilesCommand::Show(args)) => profiles::show(environment, &args),
        },
        Command::Config { command: ConfigCommand::Dump { name, set } } => {
            profiles::resolved(environment, &name, &set)
        }
        Command::Models { command } => match command {
            None => models::list(environment, false),
            Some(ModelsCommand::List { json }) => models::list(environment, json),
            Some(ModelsCommand::Test(args)) => doctor::test_model(environment, args),
            Some(ModelsCommand::Dialects { json }) => dialects::list(environment, json),
            Some(ModelsCommand::Dialect(args)) => dialects::read(environment, &args),
        },
        Command::Eval(args) => eval::run(environment, &args),
        Command::Cost(args) => cost::run(environment, &args),
        Command::Ocr(args) => ocr::run(environment, &args),
        Command::Doctor(args) => doctor::run(environment, &args),
        Command::Bench(args) => bench::run(environment, &args),
        Command::Generate(args) => generate::run(&args),
        // Reached only behind other words; alone it never gets here.
        Command::Hands => Ok(Exit::Usage),
    }
}
