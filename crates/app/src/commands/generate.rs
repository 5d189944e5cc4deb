//! `generate man|completions|reference|models|dialects DIR`: what is made from the definition of the command line, for packages and for `docs/`.

use crate::cli::{Cli, GenerateArgs, Generated};
use crate::exit::{Exit, Failure};
use clap::{Command, CommandFactory as _, ValueEnum as _};
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
        Generated::Models => std::fs::write(args.dir.join("models.md"), super::models::page()?),
        Generated::Dialects => std::fs::write(args.dir.join("dialects.md"), super::dialects::page()?),
        Generated::Reference => std::fs::write(args.dir.join("cli.md"), reference(command)),
    }
}

/// The help of every command on one page, as the program prints it.
fn reference(command: Command) -> String {
    // A width of its own, so that no terminal has a say.
    let mut command = command.term_width(120);
    command.build();
    let mut page =
        "# The command line\n\nGenerated from its definition by `cargo xtask docs`; a test compares.\n"
            .to_owned();
    add(&mut page, &mut command);
    page
}

fn add(page: &mut String, command: &mut Command) {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned();
    let help = command.render_long_help().to_string();
    let help: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    page.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", help.join("\n")));
    for child in command.get_subcommands_mut().filter(|c| !c.is_hide_set() && c.get_name() != "help") {
        add(page, child);
    }
}
