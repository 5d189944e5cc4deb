//! A run at a glance: its pictures side by side, each with what was done in that turn and a mark where.
//!
//! What a model saw is shown as it saw it. Pictures that are gone or damaged are left out and said.

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::{fonts, run_folder, say};
use handsight_base::flow::step::StepRecord;
use handsight_base::space::FramePx;
use handsight_pixel::font::FontStack;
use handsight_pixel::picture;
use handsight_pixel::png::PngEncoder;
use handsight_pixel::sheet::{Marks, Sheet, SheetStyle};
use handsight_store::Reader;
use std::path::Path;

/// More pictures than this are hard to take in.
const MOST: u64 = 60;
/// Largest number of columns.
const COLUMNS: u32 = 4;

/// Writes the sheet of a run to `file` and returns how many pictures are on it. `every` so many turns, else as few as make no
/// more than [`MOST`]; the last turn is always there.
pub(crate) fn write(
    environment: &Environment,
    run: &Path,
    file: &Path,
    every: Option<u64>,
) -> anyhow::Result<usize> {
    let mut reader = Reader::open(run)?;
    let turns = reader.turns();
    let every = every.unwrap_or_else(|| (turns.len() as u64).div_ceil(MOST).max(1));
    let meta = reader.meta().cloned().unwrap_or_default();
    let outcome = reader.end().map_or("no end yet", |end| end.outcome.as_str());
    let title = format!("{}\n{}, {} turns: {outcome}", title(&meta.objective), meta.desktop, turns.len());
    let mut sheet = Sheet::new(title, SheetStyle { columns: COLUMNS, ..SheetStyle::default() });
    let mut pictures = 0;
    for (n, turn) in (0_u64..).zip(&turns) {
        if n % every != 0 && n + 1 != turns.len() as u64 {
            continue;
        }
        let Some(step) = reader.step(*turn)? else { continue };
        let read = reader.frame(&step.picture).and_then(|b| picture::decode(&b).map_err(|e| e.to_string()));
        let picture = match read {
            Ok(picture) => picture,
            Err(why) => {
                say::warning(&format!("turn {turn}: the picture is not there: {why}"));
                continue;
            }
        };
        let spots: Vec<FramePx> =
            reader.actions(*turn)?.iter().flat_map(|row| row.action.spots()).map(|spot| spot.point).collect();
        sheet.add(picture.view(), caption(&step), Marks { frame: step.frame.size, at: &spots })?;
        pictures += 1;
    }
    if sheet.is_empty() {
        let what = format!("{} has no picture to show", run.display());
        return Err(Failure::usage(
            what,
            "A run that was recorded without pictures has only its log: `runs show`.",
        )
        .into());
    }
    let mut stack = FontStack::builtin(400);
    for file in fonts::source(environment).fallbacks() {
        // A font that cannot be read leaves boxes.
        let _unreadable = stack.add(file.bytes);
    }
    let bytes = PngEncoder::new().encode(&sheet.draw(&mut stack)?)?;
    run_folder::write_private(file, &bytes)
        .map_err(|e| Failure::new(Exit::Storage, format!("{} cannot be written: {e}", file.display()), ""))?;
    Ok(pictures)
}

fn title(objective: &str) -> String {
    let line = objective.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(160) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}

fn caption(step: &StepRecord) -> String {
    let did = step.call.as_ref().map_or_else(|| step.choice.clone(), |call| call.tool.clone());
    let text = step.call.as_ref().and_then(|call| call.args.get("text")).and_then(serde_json::Value::as_str);
    let typed = text.map(|text| format!(" {text:?}")).unwrap_or_default();
    let reason = step.reason.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{}  {did}{typed}: {reason}", step.turn)
}
