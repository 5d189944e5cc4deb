//! Sums over attempts: the figures of a player, by level, by tag and in all.
//!
//! Void attempts are counted apart and enter no other figure.

use crate::eval::{Attempt, Evaluation, Player, Verdict};
use crate::stats::{Rate, median, pass_at};
use serde::Serialize;
use std::collections::BTreeMap;

/// The figures of one player.
#[derive(Debug, Clone, Serialize)]
pub struct Score {
    pub all: Rate,
    /// By level, the lowest first.
    pub levels: Vec<(u8, Rate)>,
    /// By tag, in the order of the suite.
    pub tags: Vec<(String, Rate)>,
    pub voids: u64,
    /// Failed, though what was wanted was so: the run did not end with `done`.
    pub unsaid: u64,
    /// For some numbers of tries, the chance that one of them passes: the mean over the cases.
    pub pass_at: Vec<(u64, f64)>,
    pub turns: u64,
    pub actions: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// `None` when a price is unknown.
    pub cost_usd: Option<f64>,
    /// The runs' own times, added up.
    pub wall_s: f64,
    /// The median over the runs of what the engine itself took per turn.
    pub overhead_ms_p50: Option<f64>,
    /// Replies that could not be used.
    pub malformed: u64,
}

impl Score {
    pub fn of(evaluation: &Evaluation, player: Player) -> Self {
        let all: Vec<&Attempt> = evaluation.of(player).collect();
        let judged: Vec<&Attempt> = all.iter().copied().filter(|a| a.verdict != Verdict::Void).collect();
        let rate =
            |of: &[&Attempt]| Rate::new(of.iter().filter(|a| a.passed()).count() as u64, of.len() as u64);
        let mut levels: BTreeMap<u8, Vec<&Attempt>> = BTreeMap::new();
        let mut tags: Vec<(String, Vec<&Attempt>)> = Vec::new();
        for &attempt in &judged {
            levels.entry(attempt.level).or_default().push(attempt);
            for tag in &attempt.tags {
                match tags.iter_mut().find(|(name, _)| name == tag) {
                    Some((_, of)) => of.push(attempt),
                    None => tags.push((tag.clone(), vec![attempt])),
                }
            }
        }
        let sum = |of: fn(&Attempt) -> u64| judged.iter().map(|a| of(a)).sum();
        Self {
            all: rate(&judged),
            levels: levels.into_iter().map(|(level, of)| (level, rate(&of))).collect(),
            tags: tags.into_iter().map(|(tag, of)| (tag, rate(&of))).collect(),
            voids: (all.len() - judged.len()) as u64,
            unsaid: sum(|a| u64::from(a.unsaid)),
            pass_at: tries(evaluation.seeds).into_iter().filter_map(|k| Some((k, at(k, &judged)?))).collect(),
            turns: sum(|a| a.turns),
            actions: sum(|a| a.actions),
            input_tokens: sum(|a| a.input_tokens),
            output_tokens: sum(|a| a.output_tokens),
            // The sum of nothing is -0.0.
            cost_usd: judged.iter().map(|a| a.cost_usd).sum::<Option<f64>>().map(|usd| usd + 0.0),
            wall_s: judged.iter().map(|a| a.wall_s).sum::<f64>() + 0.0,
            overhead_ms_p50: median(judged.iter().map(|a| a.overhead_ms_p50)),
            malformed: sum(|a| a.malformed),
        }
    }
}

/// The numbers of tries that are told: 1, 2, 4, ... and all.
fn tries(seeds: u64) -> Vec<u64> {
    let mut tries: Vec<u64> =
        std::iter::successors(Some(1_u64), |k| k.checked_mul(2)).take_while(|k| *k < seeds).collect();
    tries.push(seeds);
    tries
}

/// The mean over the cases that were tried at least `k` times.
fn at(k: u64, judged: &[&Attempt]) -> Option<f64> {
    let mut cases: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for attempt in judged {
        let (passed, of) = cases.entry(&attempt.case).or_default();
        *passed += u64::from(attempt.passed());
        *of += 1;
    }
    let chances: Vec<f64> = cases.values().filter_map(|(passed, of)| pass_at(k, *passed, *of)).collect();
    (!chances.is_empty()).then(|| chances.iter().sum::<f64>() / chances.len() as f64)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::eval::{Job, plan};
    use crate::suite::Case;
    use handsight_agent::ending::Outcome;

    /// Two cases from `seeds` seeds; `verdict` says what came of each.
    pub(crate) fn evaluation(seeds: u64, verdict: impl Fn(&Job<'_>) -> Verdict) -> Evaluation {
        let suite = crate::eval::tests::suite();
        let cases: Vec<&Case> = suite.cases.iter().take(2).collect();
        let jobs = plan(&cases, seeds);
        let attempt = |job: &Job<'_>| {
            let ending = crate::eval::tests::ending(Outcome::Done, None);
            let checked = match verdict(job) {
                Verdict::Passed => Ok((true, "all is as wanted".to_owned())),
                Verdict::Failed => Ok((false, "the file <b>\"note\"</b> is missing".to_owned())),
                Verdict::Void => Err("the clipboard cannot be checked".to_owned()),
            };
            Attempt::of(job, &ending, checked, 1)
        };
        Evaluation {
            suite: "mine".into(),
            profile: "stateless".into(),
            model: "vendor/model".into(),
            desktop: "world:desk".into(),
            seeds,
            planned: jobs.len(),
            left_out: Vec::new(),
            attempts: jobs.iter().map(attempt).collect(),
        }
    }

    #[test]
    fn voids_enter_no_figure_but_their_own() {
        let evaluation = evaluation(4, |job| match (job.case.id.as_str(), job.seed) {
            ("write-note", 1 | 2) => Verdict::Passed,
            ("compute", 1) => Verdict::Passed,
            ("compute", 4) => Verdict::Void,
            _ => Verdict::Failed,
        });
        let score = Score::of(&evaluation, Player::Model);
        assert_eq!((score.all.passed, score.all.of, score.voids), (3, 7, 1));
        assert_eq!(score.levels.len(), 1, "both are of one level");
        assert_eq!(score.tags[0].0, "plain");
        assert_eq!((score.turns, score.actions, score.input_tokens, score.malformed), (28, 21, 700, 7));
        assert_eq!((score.cost_usd, score.wall_s, score.overhead_ms_p50), (Some(1.75), 14.0, Some(7.0)));
        let at: Vec<u64> = score.pass_at.iter().map(|(k, _)| *k).collect();
        assert_eq!(at, [1, 2, 4]);
        // 2 of 4 and 1 of 3; four tries has only the first.
        let want = [(2.0 / 4.0 + 1.0 / 3.0) / 2.0, ((1.0 - 1.0 / 6.0) + (1.0 - 1.0 / 3.0)) / 2.0, 1.0];
        for ((_, got), want) in score.pass_at.iter().zip(want) {
            assert!((got - want).abs() < 1e-12, "{got}, not {want}");
        }
    }

    #[test]
    fn nothing_judged_is_no_rate() {
        let score = Score::of(&evaluation(1, |_| Verdict::Void), Player::Model);
        assert_eq!((score.all.rate, score.voids, score.overhead_ms_p50), (None, 2, None));
        assert!(score.wall_s.is_sign_positive() && score.cost_usd.is_some_and(f64::is_sign_positive));
        assert!(score.pass_at.is_empty());
    }

    #[test]
    fn an_unknown_price_is_no_sum() {
        let mut evaluation = evaluation(1, |_| Verdict::Passed);
        evaluation.attempts.iter_mut().for_each(|attempt| attempt.cost_usd = None);
        assert_eq!(Score::of(&evaluation, Player::Model).cost_usd, None);
    }
}
