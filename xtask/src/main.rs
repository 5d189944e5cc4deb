//! `cargo xtask <chore>`: the chores of this repository, run by people and by `.ci/run` alike.
//!
//! Checks read the tree and say what is wrong with it. Nothing here installs a program, changes a source file
//! or reaches the network (`windows` alone asks rustup for the target's std, `vendors` pip for packages below target/), and no crate of the product may depend on it.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a command-line tool of the repository: it prints, reads the environment and takes wall time"
)]

mod dist;
mod docs;
mod layers;
mod spec;
mod test;
mod tidy;
mod vendors;
mod windows;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};

use workspace::Workspace;

const HELP: &str = "\
cargo xtask test [--long] [TIER...]   every test, tier by tier; the last line is the count
cargo xtask layers                    which crate may see which
cargo xtask spec [--all]              rows of docs/spec against the tests that show them
cargo xtask tidy                      file lengths, forgotten test files, module headers, the one gate
cargo xtask docs                      regenerate what is generated from the program's own lists
cargo xtask vendors                   the models' vendors' own packages below target/, for the tests against them
cargo xtask windows [--profile NAME]  handsight.exe, built here (--std: only see to Windows' std)
cargo xtask wine [--scaled] COMMAND   a command with a Wine prefix (--scaled: at 144 DPI), a display and a runner
cargo xtask dist [--linux P] [--windows P] [--check]   packs what these profiles built, with checksums; --check starts both";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// True when the chore found nothing wrong.
fn run(args: &[String]) -> Result<bool> {
    let Some((chore, rest)) = args.split_first() else {
        println!("{HELP}");
        return Ok(true);
    };
    let workspace = Workspace::find()?;
    match (chore.as_str(), rest) {
        ("test", rest) => test::run(&workspace, rest),
        ("layers", []) => Ok(verdict("layers", &layers::check(&workspace)?)),
        ("tidy", []) => Ok(verdict("tidy", &tidy::check(&workspace)?)),
        ("spec", []) => Ok(verdict("spec", &spec::run(&workspace, spec::Detail::Short)?)),
        ("spec", [flag]) if flag == "--all" => {
            Ok(verdict("spec", &spec::run(&workspace, spec::Detail::All)?))
        }
        ("docs", []) => docs::run(&workspace),
        ("dist", rest) => dist::run(&workspace, rest),
        ("vendors", []) => vendors::install(&workspace),
        ("windows", rest) => windows::run(&workspace, rest),
        ("wine", rest) => windows::wine(&workspace, rest),
        ("help" | "--help" | "-h", _) => {
            println!("{HELP}");
            Ok(true)
        }
        _ => bail!("unknown chore `{}`\n{HELP}", args.join(" ")),
    }
}

/// Prints each violation and one closing line; true when there is none.
fn verdict(chore: &str, violations: &[String]) -> bool {
    for violation in violations {
        println!("{violation}");
    }
    match violations.len() {
        0 => println!("{chore}: ok"),
        n => println!("{chore}: {n} to mend"),
    }
    violations.is_empty()
}
