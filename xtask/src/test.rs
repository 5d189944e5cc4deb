//! `cargo xtask test`: every check and test, tier by tier, with the seconds of each and one count at the end.
//!
//! A failing tier hides no later one. It installs nothing: a program that is missing is named with its apt line and
//! fails the run when `CI=true`; elsewhere the tests that need it say `SKIPPED` and are counted so. The tests see
//! neither the person's display nor the person's keys.

mod ahead;
mod cargo;
mod count;
mod examples;
mod groups;
mod programs;
mod wine;

use std::time::Instant;

use anyhow::{Result, bail};

use crate::workspace::Workspace;
use crate::{layers, spec, tidy, vendors};
use ahead::Ahead;
use cargo::Cargo;
pub(crate) use count::Count;
use groups::Group;

/// One tier, in the order they run: cheap ones first, those that need the machine for themselves late.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Tier {
    Fmt,
    Clippy,
    Tidy,
    /// Compiles what the later tiers run, so that their seconds are theirs.
    Build,
    /// Tests of one of the groups, or of none.
    Tests(Option<Group>),
    /// Against the packages of the models' vendors.
    Vendors,
    /// Windows programs under Wine.
    Wine,
    /// Crates outside of the workspace.
    Examples,
    Doc,
}

#[rustfmt::skip]
const TIERS: &[(&str, Tier, &str)] = &[
    ("fmt", Tier::Fmt, "cargo fmt --all --check, the examples too"),
    ("clippy", Tier::Clippy, "cargo clippy on everything, warnings are errors"),
    ("tidy", Tier::Tidy, "cargo xtask layers, spec, tidy"),
    ("build", Tier::Build, "compiles the tests (always runs before them)"),
    ("unit", Tier::Tests(None), "unit tests and ordinary integration tests"),
    ("xvfb", Tier::Tests(Some(Group::Xvfb)), "against a real X server"),
    ("fault", Tier::Tests(Some(Group::Fault)), "EIO and ENOSPC at every Nth call, byte flips, cuts"),
    ("malformed", Tier::Tests(Some(Group::Malformed)), "replies no model should send"),
    ("sim", Tier::Tests(Some(Group::Sim)), "the engine itself, simulated from seeds with faults of every kind"),
    ("kill", Tier::Tests(Some(Group::Kill)), "deaths of the engine at any moment"),
    ("power", Tier::Tests(Some(Group::Power)), "power cuts: what was not synced is gone"),
    ("bench", Tier::Tests(Some(Group::Bench)), "budgets, alone on the machine"),
    ("real_input", Tier::Tests(Some(Group::RealInput)), "programs nobody here wrote"),
    ("vnc", Tier::Tests(Some(Group::Vnc)), "against real VNC servers"),
    ("vendors", Tier::Vendors, "the vendors' own types, replies and llama.cpp's server (cargo xtask vendors)"),
    ("wine", Tier::Wine, "the Windows build, its tests and real programs under Wine"),
    ("examples", Tier::Examples, "crates written outside of the workspace, against ours"),
    ("doc", Tier::Doc, "examples in the documentation"),
];

/// Its tests wait for servers and leave the machine to what else has to be compiled.
const VNC: Tier = Tier::Tests(Some(Group::Vnc));

const CLIPPY: &[&str] = &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];

/// True when nothing failed.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<bool> {
    let mut long = false;
    let mut named = Vec::new();
    for arg in args {
        match arg.as_str() {
            "--long" => long = true,
            "--help" | "-h" => {
                println!("{}", help());
                return Ok(true);
            }
            name => match TIERS.iter().find(|(tier, ..)| *tier == name) {
                Some((_, tier, _)) => named.push(*tier),
                None => bail!("there is no tier `{name}`\n{}", help()),
            },
        }
    }
    let chosen = |tier: Tier| {
        let for_tests = tier == Tier::Build
            && named.iter().any(|tier| matches!(tier, Tier::Tests(_) | Tier::Vendors | Tier::Wine));
        named.is_empty() || named.contains(&tier) || for_tests
    };
    let tiers: Vec<_> = TIERS.iter().filter(|(_, tier, _)| chosen(*tier)).collect();

    let ci = std::env::var("CI").is_ok_and(|value| value == "true");
    let mut cargo = Cargo::new(workspace, ci, long);
    let mut total = Count::default();
    if tiers.iter().any(|(_, tier, _)| matches!(tier, Tier::Tests(_) | Tier::Vendors | Tier::Wine)) {
        total += programs::report(ci);
    }
    let mut ahead = (ci && named.is_empty()).then(|| Ahead::begin(workspace, &cargo));
    let mut table = Vec::new();
    for (name, tier, _) in tiers {
        if *tier == Tier::Clippy && ahead.is_some() {
            continue;
        }
        println!("\n== {name}");
        let start = Instant::now();
        let builds =
            (ahead.is_some() && *tier == VNC).then(|| Ahead::beside_a_waiting_tier(workspace, &cargo));
        let count = run_tier(workspace, &mut cargo, *tier).unwrap_or_else(|error| {
            println!("{name}: {error:#}");
            Count::FAILED
        });
        if let Some(builds) = builds {
            let _its_failures_are_told_later = builds.join();
        }
        total += count;
        table.push(row(name, start.elapsed().as_secs_f64(), count));
    }
    if let Some(ahead) = ahead.take() {
        println!("\n== clippy");
        let (count, seconds) = ahead.clippy();
        total += count;
        table.push(row("clippy", seconds, count));
    }
    println!("\n{}", table.join("\n"));
    println!("{total}");
    Ok(total.failed == 0)
}

fn row(name: &str, seconds: f64, count: Count) -> String {
    let again = if count.again == 0 {
        String::new()
    } else {
        format!(", {} of them at the second attempt", count.again)
    };
    format!("{name:<11}{seconds:8.1} s   {count}{again}")
}

fn help() -> String {
    let tiers: String = TIERS.iter().map(|(name, _, what)| format!("\n  {name:<11}{what}")).collect();
    format!(
        "cargo xtask test [--long] [TIER...]\n--long      the long tiers at their full length (HANDSIGHT_LONG=1)\ntiers:{tiers}"
    )
}

fn run_tier(workspace: &Workspace, cargo: &mut Cargo, tier: Tier) -> Result<Count> {
    match tier {
        Tier::Fmt => {
            let mut count = cargo.tool("rustfmt", &["fmt", "--all", "--check"])?;
            count += examples::fmt(workspace, cargo)?;
            Ok(count)
        }
        Tier::Clippy => clippy(workspace, cargo),
        Tier::Tidy => tidy_tier(workspace),
        Tier::Build => cargo.build(),
        Tier::Tests(group) => cargo.tests(group),
        Tier::Vendors => vendors_tier(workspace, cargo),
        Tier::Wine => wine::run(workspace, cargo),
        Tier::Examples => examples::tests(workspace, cargo),
        Tier::Doc => cargo.doc_tests(),
    }
}

fn clippy(workspace: &Workspace, cargo: &Cargo) -> Result<Count> {
    let mut count = cargo.tool("clippy", CLIPPY)?;
    count += examples::clippy(workspace, cargo)?;
    Ok(count)
}

fn vendors_tier(workspace: &Workspace, cargo: &mut Cargo) -> Result<Count> {
    if vendors::is_installed(workspace)? {
        return cargo.tests(Some(Group::Vendors));
    }
    println!("missing: the vendors' packages   cargo xtask vendors");
    Ok(if cargo.ci { Count::FAILED } else { Count::SKIPPED })
}

fn tidy_tier(workspace: &Workspace) -> Result<Count> {
    let sources = workspace.sources(&["crates", "xtask", "examples"])?;
    let mut checks =
        vec![("layers", layers::check(workspace)?), ("spec", spec::run(workspace, spec::Detail::Short)?)];
    checks.extend(tidy::CHECKS.iter().map(|(name, check)| (*name, check(&sources))));
    let mut count = Count::default();
    for (name, violations) in checks {
        for violation in &violations {
            println!("{name}: {violation}");
        }
        count += if violations.is_empty() { Count::PASSED } else { Count::FAILED };
    }
    Ok(count)
}
