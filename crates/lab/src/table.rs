//! A score as a person reads it in a terminal of 100 columns.

use crate::eval::{Attempt, Broken, Evaluation, Player, Verdict};
use crate::score::Score;
use crate::stats::Rate;
use std::collections::BTreeMap;

/// No line is longer, in characters.
const WIDTH: usize = 100;
/// No name of a case is, so that there is room for what came of it.
const NAME: usize = 40;
/// No list of attempts has more lines: the report shows all.
const LIST: usize = 40;

/// The lines of the table.
pub fn lines(evaluation: &Evaluation) -> Vec<String> {
    let scores: Vec<(Player, Score)> = Player::ALL.iter().map(|p| (*p, Score::of(evaluation, *p))).collect();
    let Some((_, model)) = scores.iter().find(|(player, _)| *player == Player::Model) else {
        return Vec::new();
    };
    let mut lines = head(evaluation);
    lines.push(String::new());
    lines.extend(rates(&scores, model));
    lines.push(String::new());
    lines.extend(figures(evaluation, model));
    lines.extend(list(evaluation, Verdict::Failed, "failed"));
    lines.extend(list(evaluation, Verdict::Void, "void: neither passed nor failed"));
    let broken = evaluation.broken();
    if !broken.is_empty() {
        lines.push(String::new());
        lines.push(format!("BROKEN: the suite {} measures nothing here", evaluation.suite));
        let line = |(b, seeds): &(&Broken, usize)| {
            let more = if *seeds > 1 { format!(" and {} more", seeds - 1) } else { String::new() };
            fit(&format!("  {} seed {}{more}: {}", short(&b.case, NAME), b.seed, b.why))
        };
        lines.extend(Broken::by_case(&broken).iter().map(line));
    }
    lines
}

fn head(evaluation: &Evaluation) -> Vec<String> {
    let Evaluation { suite, profile, model, desktop, seeds, .. } = evaluation;
    let seeds = if *seeds == 1 { "1 seed".to_owned() } else { format!("{seeds} seeds") };
    let mut lines = vec![fit(&format!("{suite} on {desktop}: profile {profile}, model {model}, {seeds}"))];
    let unplayed = evaluation.unplayed();
    if unplayed > 0 {
        lines.push(format!("stopped: {unplayed} of {} runs were not played", evaluation.planned));
    }
    if !evaluation.left_out.is_empty() {
        let mut lacks: BTreeMap<&str, usize> = BTreeMap::new();
        for tool in evaluation.left_out.iter().flat_map(|left| &left.lacks) {
            *lacks.entry(tool).or_default() += 1;
        }
        let lacks: Vec<String> = lacks.into_iter().map(|(tool, n)| format!("{tool} ({n})")).collect();
        let n = evaluation.left_out.len();
        lines.push(fit(&format!("{n} cases left out: {profile} does not offer {}", lacks.join(", "))));
    }
    lines
}

/// A row of rates for each level and tag, and the last for all.
fn rates(scores: &[(Player, Score)], model: &Score) -> Vec<String> {
    let of = |player: Player| scores.iter().find(|(p, _)| *p == player).map(|(_, score)| score);
    let row = |name: &str, rate: &Rate, part: &dyn Fn(&Score) -> Option<Rate>| {
        let percent = |v: f64| format!("{:.1}", v * 100.0);
        let share = rate.rate.map_or_else(|| "-".to_owned(), |rate| percent(rate) + " %");
        let passed = format!("{} of {}", rate.passed, rate.of);
        let interval = format!("{} to {} %", percent(rate.low), percent(rate.high));
        let control = |player| {
            let rate = of(player).and_then(part);
            rate.map_or_else(|| "-".to_owned(), |rate| format!("{}/{}", rate.passed, rate.of))
        };
        let [no_op, random, oracle] = [Player::NoOp, Player::Random, Player::Oracle].map(control);
        fit(&format!(
            "{:<16}  {passed:>12}  {share:>8}  {interval:>16}  {no_op:>8}  {random:>8}  {oracle:>8}",
            short(name, 16)
        ))
    };
    let mut lines = vec![format!(
        "{:<16}  {:>12}  {:>8}  {:>16}  {:>8}  {:>8}  {:>8}",
        "", "passed", "rate", "95 % interval", "no-op", "random", "oracle"
    )];
    for (level, rate) in &model.levels {
        let part = |score: &Score| score.levels.iter().find(|(l, _)| l == level).map(|(_, rate)| *rate);
        lines.push(row(&format!("level {level}"), rate, &part));
    }
    // A tag that all have says nothing.
    for (tag, rate) in model.tags.iter().filter(|(_, rate)| rate.of < model.all.of) {
        let part = |score: &Score| score.tags.iter().find(|(t, _)| t == tag).map(|(_, rate)| *rate);
        lines.push(row(tag, rate, &part));
    }
    lines.push(row("all", &model.all, &|score| Some(score.all)));
    lines
}

fn figures(evaluation: &Evaluation, score: &Score) -> Vec<String> {
    let runs = score.all.of.max(1) as f64;
    let mut lines = Vec::new();
    if evaluation.seeds > 1 {
        let at: Vec<String> =
            score.pass_at.iter().map(|(k, chance)| format!("pass@{k} {:.1} %", chance * 100.0)).collect();
        lines.push(fit(&at.join(", ")));
    }
    lines.push(format!(
        "a run: {:.1} turns, {:.1} actions, {:.1} s, {:.0} + {:.0} tokens; {} malformed replies in all",
        score.turns as f64 / runs,
        score.actions as f64 / runs,
        score.wall_s / runs,
        score.input_tokens as f64 / runs,
        score.output_tokens as f64 / runs,
        score.malformed,
    ));
    let overhead = score.overhead_ms_p50.map_or_else(|| "-".to_owned(), |ms| format!("{ms:.1}"));
    let cost = score.cost_usd.map_or_else(|| "cost unknown".to_owned(), |usd| format!("{usd:.4} USD"));
    let mut last = format!("in all: {:.1} s, {cost}; {overhead} ms a turn of the engine's own", score.wall_s);
    if score.unsaid > 0 {
        last.push_str(&format!("; {} done without saying so", score.unsaid));
    }
    lines.push(fit(&last));
    lines
}

/// The model's attempts of a verdict, one a line.
fn list(evaluation: &Evaluation, verdict: Verdict, title: &str) -> Vec<String> {
    let attempts: Vec<&Attempt> = evaluation.of(Player::Model).filter(|a| a.verdict == verdict).collect();
    if attempts.is_empty() {
        return Vec::new();
    }
    let longest = attempts.iter().map(|a| a.case.len()).max().unwrap_or(0).min(NAME);
    let line = |a: &&Attempt| {
        let outcome = a.outcome.as_deref().unwrap_or("no run");
        let why = if a.unsaid { "done, but it did not say so" } else { a.why.as_str() };
        let name = short(&a.case, NAME);
        fit(&format!("  {name:<longest$}  seed {}  {outcome} after {} turns: {why}", a.seed, a.turns))
    };
    let more = attempts.len().saturating_sub(LIST);
    let more = (more > 0).then(|| format!("  and {more} more; the report shows all"));
    let head = [String::new(), format!("{title}:")];
    head.into_iter().chain(attempts.iter().take(LIST).map(line)).chain(more).collect()
}

/// One line of at most [`WIDTH`] characters.
fn fit(line: &str) -> String {
    short(&line.replace(['\n', '\r'], " "), WIDTH)
}

/// At most so many characters; what is cut off shows as dots.
fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => {
            let cut = text.char_indices().nth(most.saturating_sub(3)).map_or(0, |(at, _)| at);
            format!("{}...", &text[..cut])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::LeftOut;
    use crate::score::tests::evaluation;

    #[test]
    fn the_table_fits_a_terminal_and_says_what_counts() {
        let mut evaluation = evaluation(2, |job| match (job.player, job.seed) {
            (Player::NoOp | Player::Random, _) => Verdict::Failed,
            (Player::Oracle, _) | (Player::Model, 1) => Verdict::Passed,
            (Player::Model, _) if job.case.id == "compute" => Verdict::Void,
            (Player::Model, _) => Verdict::Failed,
        });
        evaluation.left_out = vec![LeftOut { case: "drag-file".into(), lacks: vec!["drag".into()] }];
        evaluation.attempts.iter_mut().for_each(|a| a.why = a.why.repeat(9));
        let lines = lines(&evaluation);
        let text = lines.join("\n");
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH), "{text}");
        for part in [
            "mine on world:desk: profile stateless, model vendor/model, 2 seeds",
            "1 cases left out: stateless does not offer drag (1)",
            "level 2                 2 of 3    66.7 %    20.8 to 93.9 %       0/4       0/4       4/4",
            "pass@1 75.0 %, pass@2 100.0 %",
            "a run: 4.0 turns, 3.0 actions, 2.0 s, 100 + 10 tokens; 3 malformed replies in all",
            "failed:\n  write-note  seed 2  done after 4 turns: the file",
            "void: neither passed nor failed:\n  compute  seed 2",
        ] {
            assert!(text.contains(part), "{part:?} is missing in:\n{text}");
        }
        assert!(!text.contains("BROKEN"), "{text}");
    }

    #[test]
    fn long_names_and_long_lists_leave_room_for_what_happened() {
        let mut evaluation = evaluation(30, |_| Verdict::Failed);
        for attempt in &mut evaluation.attempts {
            attempt.case = format!("{}-{}", attempt.case, "long".repeat(30));
            attempt.tags = vec!["tagged".repeat(9)];
            attempt.level = u8::from(attempt.case.starts_with('w')) + 1;
        }
        evaluation.attempts.iter_mut().filter(|a| a.level == 1).for_each(|a| a.tags.clear());
        let text = lines(&evaluation).join("\n");
        assert_eq!(text.matches("  done after 4 turns: the file <b>").count(), 40, "{text}");
        for part in [
            "\ntaggedtaggedt...       0 of 30",
            "  and 20 more; the report shows all",
            "... seed 1 and 29 more: the oracle does not win it",
        ] {
            assert!(text.contains(part), "{part:?} is missing in:\n{text}");
        }
    }

    #[test]
    fn a_broken_suite_and_a_stop_are_told() {
        let mut evaluation = evaluation(1, |job| match job.player {
            Player::NoOp => Verdict::Passed,
            _ => Verdict::Failed,
        });
        evaluation.planned += 3;
        let text = lines(&evaluation).join("\n");
        for part in [
            "stopped: 3 of 11 runs were not played",
            "BROKEN: the suite mine measures nothing here",
            "  write-note seed 1: who does nothing wins it",
            "  compute seed 1: the oracle does not win it: the file",
        ] {
            assert!(text.contains(part), "{part:?} is missing in:\n{text}");
        }
    }
}
