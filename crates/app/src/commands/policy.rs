//! `policy check`: what the policy says of actions that a file proposes, and why.

use crate::cli::PolicyCheckArgs;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::{say, settings};
use handsight_agent::policy::case::{Case, Explained, Verdict};
use serde_json::{Value, json};
use std::io::Read as _;
use std::path::Path;

pub(crate) fn check(environment: &Environment, args: &PolicyCheckArgs) -> anyhow::Result<Exit> {
    let profile = settings::resolve(environment, &args.settings, &[])?.profile;
    let text = read(&args.file)?;
    let mut judged = Vec::new();
    for (n, line) in text.lines().enumerate().map(|(n, line)| (n + 1, line.trim())) {
        if line.is_empty() {
            continue;
        }
        let told = |error: &dyn std::fmt::Display| {
            Failure::usage(
                format!("{}, line {n}: {error}", args.file.display()),
                "A line is like {\"key\": \"ctrl+w\"} or {\"launch\": \"xterm\"}; docs/policy.md has every field.",
            )
        };
        let case = Case::read(line).map_err(|error| told(&error))?;
        judged.push((n, case.expect, case.explain(&profile).map_err(|error| told(&error))?));
    }
    if judged.is_empty() {
        let what = format!("{} proposes no action", args.file.display());
        return Err(Failure::usage(what, "Write one a line, like {\"launch\": \"xterm\"}.").into());
    }
    let differs = |expect: Option<Verdict>, got: &Explained| expect.is_some_and(|e| e != got.verdict);
    let wrong = judged.iter().filter(|(_, expect, got)| differs(*expect, got)).count();
    if args.json {
        let rows: Vec<Value> = judged.iter().map(|(n, expect, got)| document(*n, *expect, got)).collect();
        say::json(&json!({ "profile": profile.name, "actions": rows, "unexpected": wrong }));
    } else {
        for (n, expect, got) in &judged {
            words(*n, got).iter().for_each(|line| say::result(line));
            if let Some(expect) = expect.filter(|_| differs(*expect, got)) {
                say::result(&format!("     the line expects: {}", expect.word()));
            }
        }
    }
    Ok(if wrong == 0 { Exit::Done } else { Exit::NotVerified })
}

fn read(file: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = if file == Path::new("-") {
        std::io::stdin().read_to_string(&mut text)
    } else {
        std::fs::File::open(file).and_then(|mut file| file.read_to_string(&mut text))
    };
    match read {
        Ok(_) => Ok(text),
        Err(error) => {
            let what = format!("{} cannot be read: {error}", file.display());
            Err(Failure::usage(what, "Name a file with one action a line; - is standard input.").into())
        }
    }
}

fn words(n: usize, got: &Explained) -> Vec<String> {
    let mut lines = vec![format!("{n:>4} {:<8} {}", got.verdict.word(), got.action)];
    if got.verdict != Verdict::Allowed {
        let rules =
            if got.rules.is_empty() { String::new() } else { format!(" (rule {})", got.rules.join(", ")) };
        lines.push(format!("     because {}{rules}", got.why));
    }
    if !got.settings.is_empty() {
        lines.push(format!("     changed by {}", got.settings.join(", ")));
    }
    lines
}

fn document(n: usize, expect: Option<Verdict>, got: &Explained) -> Value {
    json!({
        "line": n,
        "action": got.action,
        "verdict": got.verdict,
        "rules": got.rules,
        "why": got.why,
        "settings": got.settings,
        "expected": expect,
    })
}
