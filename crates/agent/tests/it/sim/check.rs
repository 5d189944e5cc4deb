//! The rules that hold for every seed, checked after every leg by what a fresh reader finds in the journal and what the model,
//! the desktop and the world put on record. The engine is not asked.

use super::leg::Orders;
use super::state::{Ask, Failing, Hud, Shared, Sim, Told};
use handsight_agent::ending::Ending;
use handsight_agent::profile::{Carry, Keep};
use handsight_base::flow::frame::FrameHash;
use handsight_base::flow::receipt::Outcome;
use handsight_base::flow::step::StepRecord;
use handsight_base::port::clock::Clock;
use handsight_pixel::font::FontStack;
use handsight_pixel::hud::{self, HudStyle};
use handsight_store::{ActionRow, Reader, Resume, Totals};
use handsight_testkit::simulated::time::Driven;
use std::path::Path;
use std::time::Duration;

/// What lay on the disk before a leg.
#[derive(Debug, Default)]
pub(crate) struct Before {
    exists: bool,
    /// What the model said last that was usable.
    said: String,
    /// Actions of turns after the newest committed one whose outcome nobody knows.
    unknown: Vec<ActionRow>,
    totals: Totals,
}

impl Before {
    pub(crate) fn look(dir: &Path) -> Self {
        let Ok(mut reader) = Reader::open(dir) else { return Self::default() };
        let steps: Vec<StepRecord> = steps(&mut reader);
        let said = steps.iter().rev().find(|s| s.choice != "refused").map(|s| s.reason.clone());
        let committed = reader.last_committed();
        let unknown = (committed + 1..committed + 60)
            .flat_map(|turn| reader.actions(turn).unwrap())
            .filter(|row| matches!(row.outcome, None | Some(Outcome::Ambiguous)))
            .collect();
        let totals = reader.totals().unwrap();
        Self { exists: true, said: said.unwrap_or_default(), unknown, totals }
    }
}

fn steps(reader: &mut Reader) -> Vec<StepRecord> {
    reader.turns().into_iter().map(|turn| reader.step(turn).unwrap().unwrap()).collect()
}

/// What the journal says of where the run goes on, against what lay there.
pub(crate) fn resumes(shared: &Shared, before: &Before, resume: &Resume) {
    let mut sim = shared.sim();
    let found: Vec<_> = resume.ambiguous.iter().map(|a| (a.turn, a.index)).collect();
    let there: Vec<_> = before.unknown.iter().map(|a| (a.turn, a.index)).collect();
    if before.exists && found != there {
        sim.wrong(format!("unknown outcomes {there:?} are resumed as {found:?}"));
    }
}

pub(crate) fn leg(
    shared: &Shared,
    dir: &Path,
    mut reader: Reader,
    before: &Before,
    orders: &Orders,
    ended: &Driven<Ending>,
    began: Duration,
) {
    let mut sim = shared.sim();
    if !reader.report().is_sound() {
        let report = format!("{:?}", reader.report());
        sim.wrong(format!("the journal is not sound: {report}"));
    }
    turns(&mut sim, &reader);
    actions(&mut sim, &mut reader);
    let steps = steps(&mut reader);
    replies(&mut sim, &steps);
    huds(&mut sim, &steps, before, orders);
    warnings(&mut sim, before);
    lines(&mut sim, &mut reader, dir);
    let totals = reader.totals().unwrap();
    sums(&mut sim, &steps, &totals);
    if let Driven::Done(ending) = ended {
        ending_fits(&mut sim, &steps, &totals, ending, orders, before);
        figures(&mut sim, ending, &totals, before, began, orders);
        let end = reader.end().map(|e| e.outcome.clone());
        let stored = end.as_deref() == Some(ending.outcome.name());
        if !stored && ending.outcome.name() != "storage" && !sim.disk.is_troubled() {
            sim.wrong(format!("the run ended as {} and the journal says {end:?}", ending.outcome.name()));
        }
    }
}

/// Every acknowledged turn is in the journal once and in order, and only the last of a leg may be missing.
fn turns(sim: &mut Sim, reader: &Reader) {
    let there = reader.turns();
    if !there.is_sorted_by(|a, b| a < b) {
        sim.wrong(format!("the turns are not in order: {there:?}"));
    }
    let told = sim.told.clone();
    for (n, turn) in told.iter().enumerate() {
        let last = told.get(n + 1).is_none_or(|next| next.leg != turn.leg);
        let kept = there.contains(&turn.turn);
        if turn.committed && !kept {
            sim.wrong(format!("turn {} was acknowledged and is lost", turn.turn));
        }
        if !turn.committed && !last {
            sim.wrong(format!("turn {} was never acknowledged, and others came after it", turn.turn));
        }
    }
    if let Some(stray) = there.iter().find(|t| !told.iter().any(|k| k.turn == **t)) {
        sim.wrong(format!("the journal has turn {stray}, which nobody began"));
    }
}

/// Every batch belongs to an intent, and what the journal says of an intent is what the world saw.
fn actions(sim: &mut Sim, reader: &mut Reader) {
    let last = sim.told.iter().map(|t| t.turn).max().unwrap_or(0);
    let rows: Vec<ActionRow> = (1..=last).flat_map(|turn| reader.actions(turn).unwrap()).collect();
    for inject in sim.injects.clone() {
        let row = rows.iter().filter(|r| r.hash == inject.hash).count();
        if row != 1 {
            sim.wrong(format!(
                "a batch of turn {} with {} events has {row} intents",
                inject.turn, inject.seen
            ));
        }
    }
    for row in &rows {
        let inject = sim.injects.iter().find(|i| i.hash == row.hash).cloned();
        let fits = match (&row.outcome, &inject) {
            (None, _) => !sim.told.iter().any(|t| t.turn == row.turn && t.committed),
            (Some(Outcome::Done { .. }), Some(i)) => i.seen == i.of && i.told == Some(Ok(true)),
            (Some(Outcome::Refused { .. } | Outcome::NotExecuted | Outcome::Withheld { .. }), inject) => {
                inject.is_none()
            }
            (Some(Outcome::Failed { injected: Some(told), .. }), Some(i)) => {
                told.events == i.seen && i.told == Some(Ok(false))
            }
            (Some(Outcome::Failed { injected: None, .. }), Some(i)) => matches!(i.told, Some(Err(_))),
            (Some(Outcome::Done { .. } | Outcome::Failed { .. }), None) => false,
            (Some(Outcome::Ambiguous), Some(i)) => {
                // Nobody heard the answer, or died before it was written down.
                matches!(i.told, Some(Err(_)) | None) || i.leg < sim.leg_no
            }
            (Some(Outcome::Ambiguous), None) => {
                sim.told.iter().any(|t| t.turn == row.turn && t.leg < sim.leg_no)
            }
        };
        if !fits {
            sim.wrong(format!(
                "turn {}: the journal says {:?}, the desktop {inject:?}",
                row.turn, row.outcome
            ));
        }
    }
}

fn ask_of(sim: &Sim, turn: u64) -> Option<Ask> {
    sim.asks.iter().rev().find(|a| a.turn == turn).cloned()
}

/// What a turn became is what its reply allows.
fn replies(sim: &mut Sim, steps: &[StepRecord]) {
    for step in steps {
        let turn = step.turn;
        let Some(ask) = ask_of(sim, turn) else {
            sim.wrong(format!("turn {turn} was committed without a reply"));
            continue;
        };
        let refused = step.choice == "refused";
        let fits = match ask.failing {
            Failing::No => !refused,
            Failing::Reply | Failing::Call | Failing::Either => refused,
            Failing::Perhaps => true,
        };
        if !fits || (step.choice == "done" && !ask.done) {
            sim.wrong(format!("turn {turn}: a reply `{}` became {}", ask.kind, step.choice));
        }
        if ask.reason.as_ref().is_some_and(|r| *r != step.reason) && !refused {
            sim.wrong(format!("turn {turn}: {:?} was said, {:?} is kept", ask.reason, step.reason));
        }
        if step.usage != ask.usage {
            sim.wrong(format!("turn {turn}: the usage is {:?}, not {:?}", step.usage, ask.usage));
        }
    }
}

fn unknown_text(action: &str) -> String {
    format!("[the last {action} may or may not have happened: look before you repeat it]")
}

fn add(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

/// The HUD of each turn is what the step before it says, drawn afresh; of the first one of a leg, what the journal says.
fn huds(sim: &mut Sim, steps: &[StepRecord], before: &Before, orders: &Orders) {
    let leg = sim.leg_no;
    let told: Vec<Told> = sim.told.iter().copied().filter(|t| t.leg == leg).collect();
    let keeps = sim.control == super::state::Control::Forgets || orders.profile.learn.carry == Carry::Reason;
    let mut text = if keeps { before.said.clone() } else { String::new() };
    before.unknown.iter().for_each(|row| add(&mut text, &unknown_text(row.action.name())));
    for turn in told {
        let shown: Vec<Hud> =
            sim.huds.iter().filter(|h| h.leg == leg && h.turn == turn.turn).cloned().collect();
        if turn.captured {
            let right = match shown.first() {
                Some(hud) => hud.shown == draw(&text, hud.screen, orders),
                None => text.is_empty(),
            };
            if !right {
                let size = shown.first().map(|h| (h.screen, h.shown.as_ref().map(|s| s.0)));
                sim.wrong(format!("turn {}: the HUD {size:?} is not {text:?}", turn.turn));
            }
        }
        let Some(step) = steps.iter().find(|s| s.turn == turn.turn) else { continue };
        if step.choice != "refused" {
            text.clone_from(&step.reason);
        }
        for deed in &step.deeds {
            match &deed.outcome {
                Outcome::Refused { why } | Outcome::Failed { why, .. } => {
                    add(&mut text, &format!("[{} was not done: {why}]", deed.action));
                }
                Outcome::Withheld { why } => {
                    add(&mut text, &format!("[{} was not done: {why}; look again]", deed.action));
                }
                Outcome::NotExecuted => {}
                Outcome::Ambiguous => add(&mut text, &unknown_text(&deed.action)),
                Outcome::Done { .. } => {}
            }
        }
    }
}

fn draw(text: &str, screen: handsight_base::space::Size, orders: &Orders) -> super::state::Shown {
    let h = &orders.profile.hud;
    let style = HudStyle {
        max_width: h.max_width,
        font_size: h.font_size,
        line_spacing: h.line_spacing,
        text_color: h.text_color,
        outline_color: h.outline_color,
        outline_px: h.outline_px,
        margin: h.margin,
        max_lines: h.max_lines,
        keep: if h.keep == Keep::First { hud::Keep::First } else { hud::Keep::Last },
        scale: h.scale,
        numbered: true,
        panel_color: h.panel_color,
    };
    let canvas = hud::draw(text, screen, &style, &mut FontStack::builtin(h.font_weight))?;
    Some((canvas.area().size, canvas.bgra().into()))
}

/// A person is told of every action whose outcome nobody knows.
fn warnings(sim: &mut Sim, before: &Before) {
    for row in &before.unknown {
        let line = unknown_text(row.action.name());
        let told = sim.leg.warnings.iter().any(|w| w.contains(&line) && w.contains(&row.turn.to_string()));
        if !told {
            sim.wrong(format!(
                "turn {}: nobody was told that its {} is unknown",
                row.turn,
                row.action.name()
            ));
        }
    }
}

/// `session.jsonl` has lines of the journal only, each once and in order; all of them unless the disk refused some.
fn lines(sim: &mut Sim, reader: &mut Reader, dir: &Path) {
    let text = std::fs::read_to_string(dir.join("session.jsonl")).unwrap_or_default();
    let mut turns = Vec::new();
    for line in text.lines() {
        let turn = serde_json::from_str::<StepRecord>(line).map(|s| s.turn);
        let Ok(turn) = turn else {
            sim.wrong(format!("session.jsonl has a line that is none: {line:?}"));
            continue;
        };
        if reader.session_line(turn).unwrap().as_deref() != Some(line) {
            sim.wrong(format!("session.jsonl says something else of turn {turn}"));
        }
        turns.push(turn);
    }
    let whole = turns == reader.turns();
    if !turns.is_sorted_by(|a, b| a < b)
        || (!whole && sim.habits.pictures == 0 && !sim.disk.died() && !died(sim))
    {
        let there = reader.turns();
        sim.wrong(format!("session.jsonl has turns {turns:?} of {there:?}"));
    }
}

fn died(sim: &Sim) -> bool {
    sim.log.last().is_some_and(|line| line.ends_with("died"))
}

/// Totals add up to the rows, and tokens to what the model gave out.
fn sums(sim: &mut Sim, steps: &[StepRecord], totals: &Totals) {
    let tokens = |of: &[Ask]| of.iter().filter_map(|a| a.usage.input_tokens).sum::<u64>();
    let given = tokens(&sim.asks);
    let kept: u64 = steps.iter().filter_map(|s| s.usage.input_tokens).sum();
    let all_kept = sim.told.iter().all(|t| t.committed);
    if totals.turns != steps.len() as u64
        || !(kept..=given).contains(&totals.input_tokens)
        || (all_kept && totals.input_tokens != given)
    {
        let turns = steps.len();
        sim.wrong(format!("{totals:?} of {turns} turns, {kept} tokens kept of {given} given"));
    }
}

/// The outcome has its cause, and a cause has its outcome.
fn ending_fits(
    sim: &mut Sim,
    steps: &[StepRecord],
    totals: &Totals,
    ending: &Ending,
    orders: &Orders,
    before: &Before,
) {
    let name = ending.outcome.name();
    let leg = sim.leg_no;
    let mine: Vec<&StepRecord> =
        steps.iter().filter(|s| sim.told.iter().any(|t| t.leg == leg && t.turn == s.turn)).collect();
    let failed = mine.iter().rev().take_while(|s| s.choice == "refused").count() as u32;
    let limit = orders.profile.decide.max_failures;
    let last = sim.told.last().filter(|t| t.leg == leg).copied();
    let last_ask = sim.asks.last().filter(|a| a.leg == leg).cloned();
    let committed = last.is_none_or(|t| t.committed);
    let turn = last.map_or(0, |t| t.turn);
    let kind = last_ask.map(|a| a.failing);
    let explained = match name {
        "done" => committed && mine.last().is_some_and(|s| s.choice == "done") && !sim.disk.is_broken(),
        "turn_limit" => committed && steps.last().map_or(0, |s| s.turn).max(turn) >= orders.max_turns,
        "malformed" => failed == limit && !matches!(kind, Some(Failing::Call | Failing::No) | None),
        "model_failed" => failed == limit && !matches!(kind, Some(Failing::Reply | Failing::No) | None),
        "time_limit" => orders.profile.limits.max_time_s.is_some_and(|most| ending.wall_s >= most - 1e-6),
        "cost_limit" => orders.profile.limits.max_cost_usd.is_some_and(|most| totals.cost_usd >= most - 1e-9),
        "stopped" => sim.stop.is_set(),
        "storage" => sim.disk.is_troubled(),
        other => sim.leg.may.contains(other),
    };
    if !explained || (ending.statement == "stopped" && name != "stopped") {
        sim.wrong(format!("nothing explains {name}: {}", ending.statement));
    }
    let over = committed && matches!(name, "done" | "malformed" | "model_failed" | "cost_limit");
    // Two that come in the same instant, as after a sleep of the machine: either may be heard first.
    let at_once = name == "time_limit" && explained;
    // Over already, and stopped while it waited for room to say so.
    let at_once = at_once || (name == "turn_limit" && explained && sim.disk.is_troubled());
    let outlived = sim.leg.must && !sim.leg.may.contains(name) && name != "storage" && !over && !at_once;
    if outlived {
        let may = format!("{:?}", sim.leg.may);
        sim.wrong(format!("{may} had to come, and {name} did"));
    }
    if mine.windows(limit as usize + 1).any(|w| w.iter().all(|s| s.choice == "refused")) {
        sim.wrong(format!("more than {limit} failures in a row"));
    }
    // The call that reaches the limit is the last one.
    let spent = (before.totals.cost_usd, totals.cost_usd);
    let within = |most: f64| {
        spent.1 < most + orders.price.unwrap_or(0.0) + 1e-9 && (spent.0 < most || spent.1 == spent.0)
    };
    if orders.profile.limits.max_cost_usd.is_some_and(|most| !within(most)) {
        sim.wrong(format!("{spent:?} USD spent of {:?}", orders.profile.limits.max_cost_usd));
    }
    if turn > orders.max_turns {
        sim.wrong(format!("turn {turn} of {}", orders.max_turns));
    }
}

/// Pictures take no more room than they were given; a picture and its view are one file.
pub(crate) fn quota(shared: &Shared, dir: &Path, quota: u64) {
    let frames = super::disk::files(&dir.join("frames"));
    let taken: u64 = frames.iter().filter_map(|file| Some(file.metadata().ok()?.len())).sum();
    if taken > quota {
        shared.sim().wrong(format!("{taken} bytes of pictures in {} files, of {quota}", frames.len()));
    }
}

/// What the run says of itself at its end.
fn figures(
    sim: &mut Sim,
    ending: &Ending,
    totals: &Totals,
    before: &Before,
    began: Duration,
    orders: &Orders,
) {
    if ending.outcome.name() != "storage" && !sim.disk.is_troubled() {
        let said = (ending.turns, ending.actions, ending.input_tokens, ending.output_tokens);
        let there = (totals.turns, totals.actions, totals.input_tokens, totals.output_tokens);
        if said != there || ending.cost_usd != totals.known_cost_usd() {
            sim.wrong(format!("the run says {ending:?}, its journal {totals:?}"));
        }
    }
    let took = sim.clock.now().saturating_sub(began).as_secs_f64();
    if (ending.wall_s - before.totals.elapsed_s - took).abs() > 1e-3 {
        sim.wrong(format!("{} s after {} and {took}", ending.wall_s, before.totals.elapsed_s));
    }
    // A turn may be under way when the time is over: the waits it holds, one lost desktop and one lost window.
    let slack = 60.0 + sim.leg.suspended.as_secs_f64();
    if orders
        .profile
        .limits
        .max_time_s
        .is_some_and(|most| ending.wall_s > most.max(before.totals.elapsed_s) + slack)
    {
        sim.wrong(format!("{} s of {:?}", ending.wall_s, orders.profile.limits.max_time_s));
    }
}

/// A hash over everything a run left.
pub(crate) fn all(dir: &Path) -> String {
    let mut text = String::new();
    if let Ok(mut reader) = Reader::open(dir) {
        let last = reader.last_committed() + 60;
        for turn in 0..last {
            let line = reader.session_line(turn).unwrap();
            let actions = reader.actions(turn).unwrap();
            text.push_str(&format!("{line:?} {actions:?} {:?}\n", reader.exchanges(turn).unwrap()));
        }
    }
    let mut bytes = text.into_bytes();
    // A log of SQLite's is salted by chance; a file that has taken it in is not.
    if !dir.join("run.db-wal").exists() {
        bytes.extend(std::fs::read(dir.join("run.db")).unwrap_or_default());
    }
    FrameHash::of(&bytes).to_hex()
}
