//! `generate man|completions DIR`: what is made from the definition of the command line, for packages.

use crate::cli::{Cli, GenerateArgs, Generated};
use crate::exit::{Exit, Failure};
use clap::{CommandFactory as _, ValueEnum as _};
use clap_complete::Shell;

pub(crate) fn run(args: &GenerateArgs) -> anyhow::Result<Exit> {
    let made = std::fs::create_dir_all(&args.dir).and_then(|()| write(args));
    made.map_err(|e| Failure::new(Exit::Storage, format!("{}: {e}", args.dir.display()), ""))?;
    Ok(Exit::Done)
}

fn write(args: &GenerateArgs) -> std::io::Result<()> {
    let command = Cli::command();
    match args.what {
        Generated::Man => clap_mangen::generate_to(command, &args.dir),
        Generated::Completions => {
            for shell in Shell::value_variants() {
                clap_complete::generate_to(*shell, &mut command.clone(), "handsight", &args.dir)?;
            }
            Ok(())
        }
    }
}
