//! The words of `look`.

use super::{DesktopArgs, SettingArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct LookArgs {
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    #[command(flatten)]
    pub(crate) desktop: DesktopArgs,
    /// Write the screen with every mark drawn on it to this file, as a PNG
    #[arg(long, value_name = "PNG")]
    pub(crate) out: Option<PathBuf>,
    /// Print one JSON object as the last line of stdout, in place of the table
    #[arg(long)]
    pub(crate) json: bool,
}
