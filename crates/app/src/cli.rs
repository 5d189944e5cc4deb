//! The command line: every word of it, once. Help, the man page and the completions are generated from these types.
//!
//! Only shapes live here. A flag's meaning is carried out by the command of the same name in `commands/`; nothing here reads
//! anything but the arguments.

mod eval;
mod look;
mod models;
mod ocr;
mod runs;

use crate::commands::bench;
use crate::settings::Flag;
use crate::{environment, exit};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

pub(crate) use eval::EvalArgs;
pub(crate) use look::LookArgs;
pub(crate) use models::{ModelsCommand, ModelsDialectArgs, ModelsTestArgs};
pub(crate) use ocr::OcrArgs;
pub(crate) use runs::{ReplayArgs, RunsCommand};

/// Gives a model eyes, hands and a memory on a real screen.
///
/// Results go to stdout, everything else to stderr. With --json the last line of stdout is one JSON object.
#[derive(Debug, Parser)]
#[command(name = "handsight", version, propagate_version = true, after_long_help = after_help())]
#[command(arg_required_else_help = true, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Say more on stderr; -vv for everything
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    verbose: u8,
    /// Say only results and errors
    #[arg(short, long, global = true)]
    quiet: bool,
}

/// The hidden subcommand that is the input supervisor.
pub(crate) const HANDS: &str = "__hands";

fn after_help() -> String {
    format!("{}\n\n{}", exit::table(), environment::table())
}

/// How much goes to stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbosity {
    Quiet,
    Normal,
    Verbose,
    Everything,
}

impl Cli {
    pub(crate) const fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, 0) => Verbosity::Normal,
            (false, 1) => Verbosity::Verbose,
            (false, _) => Verbosity::Everything,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Watch the whole engine at work on a simulated desktop: no display, key or network is needed
    Demo(DemoArgs),
    /// Let a model work on the screen until the task is done
    Run(RunArgs),
    /// Work by hand through the same input, settle, HUD and capture code, without a model
    ///
    /// Commands, one a line: observe [reason], click <x> <y> [reason], type <text>, scroll <dy> [reason], done [reason], quit.
    /// Coordinates run from 0 to 1000 whatever the size of the screen. What goes wrong here is not the model's fault.
    Manual(ManualArgs),
    /// Look at the screen once: what can be pointed at, by what programs say, letters and shapes. Nothing is moved
    Look(LookArgs),
    /// Look at what earlier runs left, or pause one that goes on
    Runs {
        #[command(subcommand)]
        command: RunsCommand,
    },
    /// What models wrote that could not be used
    Report {
        #[command(subcommand)]
        command: ReportCommand,
    },
    /// Look for a window, or bring it to the front
    Window {
        #[command(subcommand)]
        command: WindowCommand,
    },
    /// See what the policy says of an action before a run
    Policy {
        #[command(subcommand)]
        command: PolicyCommand,
    },
    /// List the simulated desktops with their tasks, or open one in a window
    Worlds {
        #[command(subcommand)]
        command: Option<WorldsCommand>,
    },
    /// List the profiles, or show one
    Profiles {
        #[command(subcommand)]
        command: Option<ProfilesCommand>,
    },
    /// List the model providers
    Models {
        #[command(subcommand)]
        command: Option<ModelsCommand>,
    },
    /// Judge a profile and a model by a suite of cases, beside controls that do nothing, anything and everything right
    Eval(EvalArgs),
    /// Show what models have cost: over all runs, by day, model or run
    Cost(CostArgs),
    /// Read the text of a picture, as a run would read its screen
    Ocr(OcrArgs),
    /// Check this machine, the desktop and the model service, and name the remedy for what is missing
    Doctor(DoctorArgs),
    /// Measure what the engine costs on this machine and a real screen, beside its budgets
    ///
    /// The pointer moves and clicks where it is. Runs are kept in the current folder for as long as it takes.
    Bench(BenchArgs),
    /// `config dump` is `profiles show NAME --resolved`
    #[command(hide = true)]
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// `replay LOG` is `runs replay LOG`
    #[command(hide = true)]
    Replay(ReplayArgs),
    /// Write the man pages or the shell completions into a folder
    #[command(hide = true)]
    Generate(GenerateArgs),
    /// The input supervisor; started by the engine, never by a person
    #[command(name = HANDS, hide = true)]
    Hands,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Which world
    #[arg(long, value_name = "W", default_value = "desk")]
    pub(crate) world: String,
    /// Only this task; may be given several times. By default every task that the profile's tools can do
    #[arg(long, value_name = "T")]
    pub(crate) task: Vec<String>,
    /// What names, words, layout and contents are drawn from
    #[arg(long, value_name = "N", default_value_t = crate::assemble::world::SEED)]
    pub(crate) seed: u64,
    /// How large the display is
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = crate::assemble::world::size)]
    pub(crate) size: handsight_base::space::Size,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    /// Another model than the built-in reflex/offline
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// End a task after this many turns
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_turns: u64,
    #[command(flatten)]
    pub(crate) out: OutArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorldsCommand {
    /// Every world, what it is about, and its tasks
    List {
        #[arg(long)]
        json: bool,
    },
    /// Show a world in a window of its own, in real time; on the way out it says whether its task is done
    Open(WorldOpenArgs),
}

#[derive(Debug, Args)]
pub(crate) struct WorldOpenArgs {
    /// desk, or with settings: desk,task=write-note,seed=7,size=1280x720,scale=1.5
    #[arg(value_name = "WORLD", default_value = "desk")]
    pub(crate) world: String,
    /// Where to show it: auto, x11[:N]
    #[arg(long, value_name = "DESKTOP", default_value = "auto")]
    pub(crate) desktop: String,
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// What to do, in your own words
    #[arg(value_name = "TASK")]
    pub(crate) task: Option<String>,
    /// The same as TASK
    #[arg(long = "task", value_name = "TEXT", hide = true, conflicts_with = "task")]
    pub(crate) task_flag: Option<String>,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    #[command(flatten)]
    pub(crate) desktop: DesktopArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// End after this many turns
    #[arg(long, value_name = "N", visible_alias = "max-steps", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_turns: Option<u64>,
    /// End after this many seconds
    #[arg(long, value_name = "S")]
    pub(crate) max_time: Option<f64>,
    /// End before the model has cost more than this many US dollars
    #[arg(long, value_name = "USD")]
    pub(crate) max_cost: Option<f64>,
    /// Show what is being done on the screen (the profile says whether, if neither is given)
    #[arg(long, overrides_with = "no_overlay")]
    pub(crate) overlay: bool,
    /// Show nothing on the screen
    #[arg(long)]
    pub(crate) no_overlay: bool,
    /// Look once, ask the model once, print what it wants, do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Go on with an earlier run: its folder
    ///
    /// Turns and money already spent count. Only the model, the limits and --out can be changed.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["task", "task_flag", "profile", "set", "desktop", "display", "dry_run"])]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) out: OutArgs,
    /// The same as `handsight manual`
    #[arg(long, hide = true)]
    pub(crate) test: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ManualArgs {
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    #[command(flatten)]
    pub(crate) desktop: DesktopArgs,
    #[command(flatten)]
    pub(crate) out: OutArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SettingArgs {
    /// Which profile; `handsight profiles` lists them
    #[arg(long, value_name = "P", default_value = "stateless")]
    pub(crate) profile: String,
    /// Change a setting of the profile; may be given several times
    #[arg(long, value_name = "TABLE.KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DesktopArgs {
    /// Which desktop: auto, x11[:N], windows, world:NAME[,key=value...], replay:RUN
    #[arg(long, value_name = "DESKTOP", default_value = "auto")]
    pub(crate) desktop: String,
    /// Which display of it: primary, a number from 0, a name, or all
    #[arg(long, value_name = "D")]
    pub(crate) display: Option<String>,
}

impl DesktopArgs {
    /// The settings these arguments are short for.
    pub(crate) fn flags(&self) -> Vec<Flag> {
        self.display.iter().map(|d| Flag::new("--display", "capture.display", d.clone())).collect()
    }
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ModelArgs {
    /// Which model: PROVIDER/NAME, NAME of the profile's provider, or recorded/RUN
    ///
    /// With several roles: agent=..., vision=..., judge=..., embed=...; what is not named falls back to agent.
    #[arg(long, value_name = "[ROLE=]PROVIDER/NAME")]
    pub(crate) model: Vec<String>,
    /// Where the service is; ends before /chat/completions
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct OutArgs {
    /// The run folder; by default a new one in the profile's dump folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Print one JSON object as the last line of stdout
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReportCommand {
    /// Replies that could not be used and tools that there are not, counted by model
    Parse(ReportParseArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ReportParseArgs {
    /// Run folders; by default all in the profile's dump folder
    pub(crate) runs: Vec<PathBuf>,
    /// Write the counts with the replies themselves to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WindowCommand {
    /// Where the windows are that match, or all of them
    Status(WindowArgs),
    /// Restore a window and give it the focus
    Focus(WindowArgs),
}

#[derive(Debug, Args)]
pub(crate) struct WindowArgs {
    /// A title, or part:TEXT, regex:RE, class:NAME, pid:N, id:N
    pub(crate) window: Option<String>,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    #[command(flatten)]
    pub(crate) desktop: DesktopArgs,
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Say of each action in a file whether it is allowed, asked about or refused, by which rule, and what setting changes it
    ///
    /// The file has a JSON object a line, `-` is standard input: {"launch": "xterm -e top"}, {"key": "ctrl+alt+delete"}, {"click": [10, 20],
    /// "scene": {"windows": [{"title": "Notes", "class": "mousepad"}]}}. docs/policy.md has every field. A line that says what it expects
    /// ("expect": "refused") and gets something else ends with 1.
    Check(PolicyCheckArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PolicyCheckArgs {
    /// Actions, one a line
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProfilesCommand {
    /// Name and purpose of each
    List {
        #[arg(long)]
        json: bool,
    },
    /// One profile as TOML
    Show(ProfileShowArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ProfileShowArgs {
    #[arg(default_value = "stateless")]
    pub(crate) name: String,
    /// Every value that is in force here: the profile, your file, the environment, --set
    #[arg(long)]
    pub(crate) resolved: bool,
    /// Change a setting before it is shown
    #[arg(long, value_name = "TABLE.KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Show the prompt instead
    #[arg(long, conflicts_with = "resolved")]
    pub(crate) prompt: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    Dump {
        #[arg(default_value = "stateless")]
        name: String,
        #[arg(long, value_name = "TABLE.KEY=VALUE")]
        set: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CostArgs {
    /// What to add up by; days are UTC
    #[arg(long, value_name = "WHAT", default_value = "day")]
    pub(crate) by: By,
    /// Only calls from then on: a day (2026-11-21), or a time back from now (24h, 7d)
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    Day,
    Model,
    Run,
}

impl By {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Model => "model",
            Self::Run => "run",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    #[command(flatten)]
    pub(crate) desktop: DesktopArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Which screen: auto, x11[:N]
    #[arg(long, value_name = "DESKTOP", default_value = "auto")]
    pub(crate) desktop: String,
    /// Walk the frame path of other programs too: mss + Pillow + pyautogui, scrot + convert + xdotool
    #[arg(long)]
    pub(crate) peers: bool,
    /// Samples of each part
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = samples)]
    pub(crate) runs: usize,
    /// Only this part; may be given several times
    #[arg(long, value_name = "PART", value_parser = clap::builder::PossibleValuesParser::new(bench::PARTS.iter().map(|p| p.name)))]
    pub(crate) only: Vec<String>,
    /// One JSON object in place of the table
    #[arg(long)]
    pub(crate) json: bool,
}

fn samples(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|n| (1..=10_000).contains(n))
        .ok_or_else(|| "give a number from 1 to 10000".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    pub(crate) what: Generated,
    pub(crate) dir: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Generated {
    Man,
    Completions,
    Reference,
    Models,
    Dialects,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_holds_together() {
        Cli::command().debug_assert();
    }
}
