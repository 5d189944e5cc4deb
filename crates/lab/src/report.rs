//! The report: one HTML file that needs nothing else, with the scores, every case at a glance, and a look at each failure.
//!
//! Every text in it comes from a screen, a model or a suite and is escaped; pictures lie in the file itself; the only links are those
//! to the run folders beside it. Nothing in it runs.

mod page;
pub mod picture;

use crate::eval::{Attempt, Broken, Evaluation, Player, Verdict};
use crate::score::Score;
use crate::stats::Rate;
use page::{STYLE, escape, link};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a failed run looked like: pictures as [`picture::small`] makes them.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// What was wanted, in the words the model got.
    pub objective: Option<String>,
    /// The last frame the model saw.
    pub last: Option<Vec<u8>>,
    /// All of them side by side.
    pub sheet: Option<Vec<u8>>,
}

/// The page. `look` is asked for every failed attempt of the model.
pub fn html(evaluation: &Evaluation, look: impl Fn(&Attempt) -> Look) -> String {
    let mut out = String::new();
    let Evaluation { suite, profile, model, desktop, seeds, .. } = evaluation;
    let title = format!("{suite}: {profile} with {model}");
    let _infallible = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n<style>{STYLE}</style>\n\
         </head>\n<body>\n<h1>{0}</h1>\n<p class=\"sub\">on {1}, {2} of each case</p>\n",
        escape(&title),
        escape(desktop),
        if *seeds == 1 { "one attempt".to_owned() } else { format!("{seeds} attempts") },
    );
    let unplayed = evaluation.unplayed();
    if unplayed > 0 {
        let _infallible = writeln!(
            out,
            "<p class=\"stopped\">It was stopped: {unplayed} of {} runs were not played.</p>",
            evaluation.planned
        );
    }
    broken(&mut out, &evaluation.broken());
    scores(&mut out, evaluation);
    cases(&mut out, evaluation);
    failures(&mut out, evaluation, look);
    out.push_str("</body>\n</html>\n");
    out
}

fn broken(out: &mut String, broken: &[Broken]) {
    if broken.is_empty() {
        return;
    }
    out.push_str("<section class=\"broken\"><h2>The suite measures nothing here</h2><ul>\n");
    for (Broken { case, seed, why, .. }, seeds) in Broken::by_case(broken) {
        let more = if seeds > 1 { format!(" and {} more", seeds - 1) } else { String::new() };
        let _infallible =
            writeln!(out, "<li><b>{}</b>, seed {seed}{more}: {}</li>", escape(case), escape(why));
    }
    out.push_str("</ul></section>\n");
}

fn scores(out: &mut String, evaluation: &Evaluation) {
    let scores: Vec<(Player, Score)> = Player::ALL.iter().map(|p| (*p, Score::of(evaluation, *p))).collect();
    let Some((_, model)) = scores.iter().find(|(player, _)| *player == Player::Model) else { return };
    out.push_str(
        "<h2>Success</h2>\n<div class=\"wide\"><table>\n<tr><th></th><th>passed</th><th>rate and 95 % interval</th><th>no-op</th>\
         <th>random</th><th>oracle</th></tr>\n",
    );
    let of = |player: Player| scores.iter().find(|(p, _)| *p == player).map(|(_, score)| score);
    let mut row = |name: &str, rate: &Rate, part: &dyn Fn(&Score) -> Option<Rate>| {
        let control = |player| {
            let rate = of(player).and_then(part);
            rate.map_or_else(String::new, |r| format!("{} of {}", r.passed, r.of))
        };
        let [no_op, random, oracle] = [Player::NoOp, Player::Random, Player::Oracle].map(control);
        let _infallible = writeln!(
            out,
            "<tr><td>{}</td><td class=\"n\">{} of {}</td><td>{}</td><td class=\"n\">{no_op}</td>\
             <td class=\"n\">{random}</td><td class=\"n\">{oracle}</td></tr>",
            escape(name),
            rate.passed,
            rate.of,
            bar(rate),
        );
    };
    for (level, rate) in &model.levels {
        let part = |score: &Score| score.levels.iter().find(|(l, _)| l == level).map(|(_, rate)| *rate);
        row(&format!("level {level}"), rate, &part);
    }
    for (tag, rate) in model.tags.iter().filter(|(_, rate)| rate.of < model.all.of) {
        let part = |score: &Score| score.tags.iter().find(|(t, _)| t == tag).map(|(_, rate)| *rate);
        row(tag, rate, &part);
    }
    row("all", &model.all, &|score| Some(score.all));
    out.push_str("</table></div>\n");
    figures(out, evaluation, model);
}

/// A rate as a bar with its interval on it.
fn bar(rate: &Rate) -> String {
    let Some(share) = rate.rate else { return "nothing was judged".to_owned() };
    let (share, low, high) = (share * 100.0, rate.low * 100.0, rate.high * 100.0);
    format!(
        "<span class=\"bar\"><i style=\"width:{share:.1}%\"></i><u style=\"left:{low:.1}%;width:{:.1}%\"></u></span>\
         <span class=\"share\">{share:.1} % <small>({low:.1} to {high:.1})</small></span>",
        high - low
    )
}

fn figures(out: &mut String, evaluation: &Evaluation, score: &Score) {
    let runs = score.all.of.max(1) as f64;
    let mut rows: Vec<(&str, String)> = Vec::new();
    if evaluation.seeds > 1 {
        let at = score.pass_at.iter().map(|(k, chance)| format!("pass@{k} {:.1} %", chance * 100.0));
        rows.push(("several tries", at.collect::<Vec<_>>().join(", ")));
    }
    let mean = |total: u64| format!("{:.1}", total as f64 / runs);
    rows.push(("turns a run", mean(score.turns)));
    rows.push(("actions a run", mean(score.actions)));
    rows.push(("tokens", format!("{} in, {} out", score.input_tokens, score.output_tokens)));
    rows.push(("cost", score.cost_usd.map_or_else(|| "unknown".to_owned(), |usd| format!("{usd:.4} USD"))));
    rows.push(("time", format!("{:.1} s in all, {:.1} s a run", score.wall_s, score.wall_s / runs)));
    let overhead = score.overhead_ms_p50;
    rows.push((
        "the engine's own",
        overhead.map_or_else(|| "-".to_owned(), |ms| format!("{ms:.1} ms a turn")),
    ));
    rows.push(("malformed replies", score.malformed.to_string()));
    rows.push(("done without saying so", score.unsaid.to_string()));
    rows.push(("void", score.voids.to_string()));
    let left: Vec<String> =
        evaluation.left_out.iter().map(|left| format!("{} ({})", left.case, left.lacks.join(", "))).collect();
    if !left.is_empty() {
        rows.push(("left out, for want of tools", left.join(", ")));
    }
    out.push_str("<table class=\"figures\">\n");
    for (name, value) in rows {
        let _infallible = writeln!(out, "<tr><th>{name}</th><td>{}</td></tr>", escape(&value));
    }
    out.push_str("</table>\n");
}

/// A row for each case, a mark for each attempt.
fn cases(out: &mut String, evaluation: &Evaluation) {
    let mut rows: BTreeMap<usize, (&Attempt, Vec<&Attempt>)> = BTreeMap::new();
    let mut order: BTreeMap<&str, usize> = BTreeMap::new();
    for attempt in &evaluation.attempts {
        let next = order.len();
        let at = *order.entry(&attempt.case).or_insert(next);
        rows.entry(at).or_insert_with(|| (attempt, Vec::new())).1.push(attempt);
    }
    out.push_str(
        "<h2>Cases</h2>\n<div class=\"wide\"><table>\n<tr><th>case</th><th>level</th><th>model</th><th>turns</th><th>no-op</th><th>random</th>\
         <th>oracle</th></tr>\n",
    );
    for (first, attempts) in rows.into_values() {
        let marks = |player: Player| -> String {
            attempts.iter().filter(|a| a.player == player).map(|a| mark(a)).collect()
        };
        // The name leads to the first failure's pictures.
        let failed = attempts.iter().find(|a| a.player == Player::Model && !a.passed());
        let name = failed.map_or_else(
            || escape(&first.case),
            |a| format!("<a href=\"#{}\">{}</a>", anchor(a), escape(&first.case)),
        );
        let turns = || attempts.iter().filter(|a| a.player == Player::Model).map(|a| a.turns);
        let turns = match (turns().min(), turns().max()) {
            (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
            (least, _) => least.map_or_else(String::new, |turns| turns.to_string()),
        };
        let _infallible = writeln!(
            out,
            "<tr><td>{}</td><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            name,
            first.level,
            marks(Player::Model),
            turns,
            marks(Player::NoOp),
            marks(Player::Random),
            marks(Player::Oracle),
        );
    }
    out.push_str("</table></div>\n");
}

fn mark(attempt: &Attempt) -> String {
    let (class, sign) = match attempt.verdict {
        Verdict::Passed => ("passed", "✓"),
        Verdict::Failed => ("failed", "✗"),
        Verdict::Void => ("void", "?"),
    };
    let about = format!("seed {}: {}", attempt.seed, attempt.why);
    // What a control does as it must is no news.
    let expected = match attempt.player {
        Player::NoOp | Player::Random => attempt.verdict == Verdict::Failed,
        Player::Oracle => attempt.passed(),
        Player::Model => false,
    };
    let class = if expected { "expected" } else { class };
    format!("<a class=\"{class}\" href=\"{}\" title=\"{}\">{sign}</a>", link(&attempt.run), escape(&about))
}

/// Where an attempt's failure stands on the page.
fn anchor(attempt: &Attempt) -> String {
    format!("{}-{}", attempt.case, attempt.seed)
}

fn failures(out: &mut String, evaluation: &Evaluation, look: impl Fn(&Attempt) -> Look) {
    let failed: Vec<&Attempt> =
        evaluation.of(Player::Model).filter(|a| a.verdict != Verdict::Passed).collect();
    if failed.is_empty() {
        return;
    }
    out.push_str("<h2>What did not pass</h2>\n");
    for attempt in failed {
        let Look { objective, last, sheet } = look(attempt);
        let kind = if attempt.verdict == Verdict::Void { "void" } else { "failed" };
        let outcome = attempt.outcome.as_deref().unwrap_or("no run");
        let _infallible = write!(
            out,
            "<section id=\"{}\"><h3><a href=\"{}\">{}</a> <small>level {}, seed {}, {kind}</small></h3>\n\
             {}<p><b class=\"{kind}\">{}</b></p>\n<p class=\"sub\">{outcome} after {} turns: {}</p>\n",
            anchor(attempt),
            link(&attempt.run),
            escape(&attempt.case),
            attempt.level,
            attempt.seed,
            objective.map_or_else(String::new, |wanted| format!("<p>{}</p>\n", escape(&wanted))),
            escape(&attempt.why),
            attempt.turns,
            escape(&attempt.statement),
        );
        for (name, bytes) in [("the last frame", last), ("the whole run", sheet)] {
            let Some(bytes) = bytes else { continue };
            let _infallible = writeln!(
                out,
                "<details{}><summary>{name}</summary><img alt=\"{name} of {}, seed {}\" src=\"{}\"></details>",
                if name == "the last frame" { " open" } else { "" },
                escape(&attempt.case),
                attempt.seed,
                picture::data_url(&bytes),
            );
        }
        out.push_str("</section>\n");
    }
}

#[cfg(test)]
mod tests;
