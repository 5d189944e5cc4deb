//! `handsight models`: what it takes.

use super::SettingArgs;
use clap::{Args, Subcommand};
use handsight_base::space::Size;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Providers, where they are, and which key they want
    List {
        #[arg(long)]
        json: bool,
    },
    /// Ask one model for real, with a small picture and a tool, and say what works
    Test(ModelsTestArgs),
    /// How models write what they want: every dialect, its places, its wires
    Dialects {
        #[arg(long)]
        json: bool,
    },
    /// Read a reply as a run would, and say what it means or why it is refused
    ///
    /// Places are pixels of the screen. Nothing is asked and nothing is moved. Ends with 6 if the reply is refused.
    Dialect(ModelsDialectArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ModelsTestArgs {
    /// Which model
    #[arg(value_name = "PROVIDER/NAME")]
    pub(crate) name: String,
    /// Where the service is; ends before /chat/completions
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ModelsDialectArgs {
    /// Which dialect; `handsight models dialects` lists them
    pub(crate) name: String,
    /// The reply: its text, or the body of a service's response; - for stdin
    #[arg(value_name = "FILE|-")]
    pub(crate) file: PathBuf,
    /// The picture that it answers, a PNG
    #[arg(long, value_name = "PNG")]
    pub(crate) picture: Option<PathBuf>,
    /// How large the screen was; by default as large as the picture
    #[arg(long, value_name = "WxH", value_parser = any_size)]
    pub(crate) screen: Option<Size>,
    /// Write the picture with every place marked
    #[arg(long, value_name = "PNG", requires = "picture")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    #[arg(long)]
    pub(crate) json: bool,
}

fn any_size(text: &str) -> Result<Size, String> {
    let side = |text: &str| text.parse().ok().filter(|n| (1..=16_384).contains(n));
    let size = text.split_once('x').and_then(|(w, h)| Some((side(w)?, side(h)?)));
    let (width, height) = size.ok_or_else(|| format!("{text:?} is no size from 1x1 to 16384x16384"))?;
    Ok(Size::new(width, height))
}
