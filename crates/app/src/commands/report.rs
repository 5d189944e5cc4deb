//! `report parse`: replies that could not be used and tools that models made up, counted by model, for whoever mends a prompt or a parser.
//!
//! What was wrong stands in the notes of the turns, the replies themselves in the exchanges; both are read and nothing is changed. What
//! was told in confidence was left out of a journal before it was written, and no picture is part of the report.

use crate::cli::ReportParseArgs;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::{run_folder, say, settings};
use handsight_store::Reader;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Of a reply, for the report.
const MOST_CHARS: usize = 4_000;

/// Counts by a word.
type Counts = BTreeMap<String, u64>;

#[derive(Default)]
struct Report {
    /// By model: what was wrong.
    malformed: BTreeMap<String, Counts>,
    /// By model: names of tools that there are not.
    tools: BTreeMap<String, Counts>,
    replies: Vec<Value>,
}

pub(crate) fn parse(environment: &Environment, args: &ReportParseArgs) -> anyhow::Result<Exit> {
    let runs: Vec<PathBuf> = if args.runs.is_empty() {
        let dump = settings::resolve(environment, &args.settings, &[])?.profile.record.dump_folder;
        run_folder::list(dump.as_ref())?
    } else {
        args.runs.clone()
    };
    let mut report = Report::default();
    for run in &runs {
        report.add(&mut Reader::open(run)?)?;
    }
    let Report { malformed, tools, replies } = &report;
    if let Some(file) = &args.out {
        let bundle = json!({ "malformed": malformed, "unknown_tools": tools, "replies": replies });
        let text = serde_json::to_string_pretty(&bundle)?;
        std::fs::write(file, text + "\n").map_err(|e| {
            let what = format!("{} cannot be written: {e}", file.display());
            Failure::new(Exit::Storage, what, "Name a file in a folder that can be written to.")
        })?;
    }
    if args.json {
        say::json(&json!({
            "runs": runs.len(), "malformed": malformed, "unknown_tools": tools, "replies": replies.len(),
        }));
        return Ok(Exit::Done);
    }
    for (title, counts) in
        [("replies that could not be used", malformed), ("tools that there are not", tools)]
    {
        say::result(&format!("{title}:"));
        for (model, counts) in counts {
            for (word, count) in counts {
                say::result(&format!("{count:>6}  {word:<24} {model}"));
            }
        }
    }
    Ok(Exit::Done)
}

impl Report {
    fn add(&mut self, reader: &mut Reader) -> anyhow::Result<()> {
        let meta = reader.meta().cloned().unwrap_or_default();
        let model = meta.models.get("agent").or(meta.models.values().next()).cloned().unwrap_or_default();
        for turn in reader.turns() {
            let Some(step) = reader.step(turn)? else { continue };
            let mut found = Vec::new();
            for note in &step.notes {
                if let Some(code) = between(note, "malformed (", ")") {
                    *self.malformed.entry(model.clone()).or_default().entry(code.to_owned()).or_default() +=
                        1;
                    found.push(note.clone());
                }
                if let Some(tool) = between(note, "there is no tool \"", "\"") {
                    *self.tools.entry(model.clone()).or_default().entry(tool.to_owned()).or_default() += 1;
                    found.push(note.clone());
                }
            }
            if found.is_empty() {
                continue;
            }
            // All of the turn's replies, as they came: which of them was meant is seen at once.
            let replies: Vec<String> = reader
                .exchanges(turn)?
                .into_iter()
                .map(|e| e.exchange.response.chars().take(MOST_CHARS).collect())
                .collect();
            self.replies.push(json!({
                "run": meta.run, "turn": turn, "model": model, "notes": found, "replies": replies,
            }));
        }
        Ok(())
    }
}

/// What stands between two texts.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}
