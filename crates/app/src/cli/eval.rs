//! The words of `eval`.

use super::{ModelArgs, SettingArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// Which suite: desk, linux-apps, wine-apps, or a file of your own
    #[arg(long, value_name = "NAME|FILE", default_value = "desk")]
    pub(crate) suite: String,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Where cases with real programs are played: auto, x11[:N], windows
    #[arg(long, value_name = "DESKTOP", default_value = "auto")]
    pub(crate) desktop: String,
    /// How often each case is played; a simulated desktop is another one each time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) seeds: u64,
    /// Only cases whose name fits; * stands for any characters
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub(crate) tasks: Vec<String>,
    /// Only cases of these levels
    #[arg(long, value_name = "1,2,3", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..=3))]
    pub(crate) levels: Vec<u8>,
    /// How many runs at a time; on a real desktop there is one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    pub(crate) jobs: u64,
    /// The folder of the runs, the report and eval.json; by default a new one in the profile's dump folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Go on with an evaluation that was interrupted: its folder
    ///
    /// Everything else on the command line is to be as it was. Void attempts are made again.
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub(crate) resume: Option<PathBuf>,
    /// Print one JSON object as the last line of stdout
    #[arg(long)]
    pub(crate) json: bool,
}
