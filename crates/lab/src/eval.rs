//! An evaluation: every case, seed and player once, and what came of each attempt.
//!
//! `app` plays; this module says what is to be played ([`plan`]), in how many threads ([`run`]), and what an ending counts as
//! ([`Attempt::of`]). It never plays anything twice, and never turns what could not be judged into a number.
//!
//! An attempt has **passed** if its run ended by itself with `done` and the checker says that what was wanted is so. If the run ended
//! otherwise, or the checker says no, it has failed, whatever the model claims. It is **void** where nothing was measured: the stage
//! could not be set, the checker could not be run, or the model's service, the desktop or the disk was lost.

use crate::suite::{Case, Suite};
use handsight_agent::ending::{Ending, Outcome};
use handsight_base::stop::Stop;
use handsight_store::{Reader, StoreError};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Who plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Player {
    NoOp,
    Random,
    Oracle,
    /// The one under test.
    Model,
}

impl Player {
    /// In the order in which they play a case.
    pub const ALL: [Self; 4] = [Self::NoOp, Self::Random, Self::Oracle, Self::Model];

    /// The word for it in tables and folder names.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoOp => "no-op",
            Self::Random => "random",
            Self::Oracle => "oracle",
            Self::Model => "model",
        }
    }
}

/// One run that is to be played.
#[derive(Debug, Clone)]
pub struct Job<'a> {
    pub case: &'a Case,
    pub seed: u64,
    pub player: Player,
    /// Of its run, below the folder of the evaluation.
    pub folder: String,
}

/// The runs of some cases: seeds from 1, each case by all players before the next.
pub fn plan<'a>(cases: &[&'a Case], seeds: u64) -> Vec<Job<'a>> {
    let mut jobs = Vec::new();
    for case in cases {
        for seed in 1..=seeds.max(1) {
            for player in Player::ALL {
                let folder = format!("{}/{}-{seed}", player.word(), case.id);
                jobs.push(Job { case, seed, player, folder });
            }
        }
    }
    jobs
}

/// Plays the jobs in at most `threads` threads, and hands each attempt over as it comes. Ends early, with the attempts there are, on a
/// stop and on the first error of `play`, which comes with them. `play` says `None` of a run that was cut short by the stop.
pub fn run<'a, E: Send>(
    jobs: &'a [Job<'a>],
    threads: usize,
    stop: &Stop,
    play: impl Fn(&Job<'a>) -> Result<Option<Attempt>, E> + Sync,
    mut told: impl FnMut(&Attempt),
) -> (Vec<Attempt>, Option<E>) {
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<E>> = Mutex::new(None);
    let (sender, attempts) = std::sync::mpsc::sync_channel::<(usize, Attempt)>(jobs.len().max(1));
    let mut done: Vec<(usize, Attempt)> = Vec::new();
    let work = |sender: std::sync::mpsc::SyncSender<(usize, Attempt)>| {
        loop {
            let given_up = failed.lock().unwrap_or_else(PoisonError::into_inner).is_some();
            if stop.is_set() || given_up {
                return;
            }
            let n = next.fetch_add(1, Ordering::AcqRel);
            let Some(job) = jobs.get(n) else { return };
            match play(job) {
                Ok(Some(attempt)) => {
                    // There is room for all of them, and who listens stays until all threads are gone.
                    let _heard = sender.send((n, attempt));
                }
                Ok(None) => {}
                Err(error) => {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    return;
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let work = &work;
        for n in 0..threads.clamp(1, jobs.len().max(1)) {
            let own = sender.clone();
            let named = std::thread::Builder::new().name(format!("eval-{n}"));
            if named.spawn_scoped(scope, move || work(own)).is_err() && n == 0 {
                // Without any thread of its own it is done here.
                work(sender.clone());
            }
        }
        drop(sender);
        for (n, attempt) in attempts {
            told(&attempt);
            done.push((n, attempt));
        }
    });
    done.sort_by_key(|(n, _)| *n);
    let attempts = done.into_iter().map(|(_, attempt)| attempt).collect();
    (attempts, failed.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// What an attempt counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Passed,
    Failed,
    /// Neither: nothing was measured.
    Void,
}

/// One run, judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    pub case: String,
    pub level: u8,
    pub tags: Vec<String>,
    pub seed: u64,
    pub player: Player,
    pub verdict: Verdict,
    /// What was wanted is so, though the run did not end with `done`.
    pub unsaid: bool,
    /// How the run ended; `None` if there was none.
    pub outcome: Option<String>,
    /// What the checker found, or why there is no verdict.
    pub why: String,
    /// The model's closing words, or what went wrong.
    pub statement: String,
    pub turns: u64,
    pub actions: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// `None` when a price is unknown.
    pub cost_usd: Option<f64>,
    pub wall_s: f64,
    pub overhead_ms_p50: f64,
    /// Replies that could not be used.
    pub malformed: u64,
    /// Of its run, below the folder of the evaluation.
    pub run: String,
}

/// What a checker says after a run: `Ok` with its verdict and the reason, or why it could not say.
pub type Checked = Result<(bool, String), String>;

impl Attempt {
    /// A run that ended.
    pub fn of(job: &Job<'_>, ending: &Ending, checked: Checked, malformed: u64) -> Self {
        // Then the run ended for a reason that is none of the model's.
        let lost = matches!(ending.outcome, Outcome::ModelFailed | Outcome::DesktopLost | Outcome::Storage);
        let done = ending.outcome == Outcome::Done;
        let (verdict, unsaid, why) = match checked {
            Ok((_, why)) if lost => (Verdict::Void, false, format!("{}: {why}", ending.statement)),
            Ok((true, why)) if done => (Verdict::Passed, false, why),
            Ok((true, why)) => (Verdict::Failed, true, why),
            Ok((false, why)) => (Verdict::Failed, false, why),
            Err(why) => (Verdict::Void, false, why),
        };
        Self {
            unsaid,
            outcome: Some(ending.outcome.name().to_owned()),
            statement: ending.statement.clone(),
            turns: ending.turns,
            actions: ending.actions,
            input_tokens: ending.input_tokens,
            output_tokens: ending.output_tokens,
            cost_usd: ending.cost_usd,
            wall_s: ending.wall_s,
            overhead_ms_p50: ending.overhead_ms_p50,
            malformed,
            ..Self::bare(job, verdict, why)
        }
    }

    /// There was no run: its stage could not be set.
    pub fn void(job: &Job<'_>, why: impl Into<String>) -> Self {
        Self::bare(job, Verdict::Void, why.into())
    }

    fn bare(job: &Job<'_>, verdict: Verdict, why: String) -> Self {
        Self {
            case: job.case.id.clone(),
            level: job.case.level,
            tags: job.case.tags.clone(),
            seed: job.seed,
            player: job.player,
            verdict,
            unsaid: false,
            outcome: None,
            why,
            statement: String::new(),
            turns: 0,
            actions: 0,
            input_tokens: 0,
            output_tokens: 0,
            cost_usd: Some(0.0),
            wall_s: 0.0,
            overhead_ms_p50: 0.0,
            malformed: 0,
            run: job.folder.clone(),
        }
    }

    pub const fn passed(&self) -> bool {
        matches!(self.verdict, Verdict::Passed)
    }
}

/// A case that was not played, as the profile has no tool for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    pub case: String,
    /// The tools it takes and the profile does not offer.
    pub lacks: Vec<String>,
}

/// The cases of a suite that a profile with these tools can be asked to do, and the others.
pub fn within_reach<'a>(suite: &'a Suite, offered: &[&str]) -> (Vec<&'a Case>, Vec<LeftOut>) {
    let (can, cannot): (Vec<&Case>, Vec<&Case>) =
        suite.cases.iter().partition(|case| case.lacks(offered).is_empty());
    let left_out = |case: &&Case| LeftOut {
        case: case.id.clone(),
        lacks: case.lacks(offered).into_iter().map(str::to_owned).collect(),
    };
    (can, cannot.iter().map(left_out).collect())
}

/// How many replies of a run could not be used, by its journal: the model answered, and nothing came of it.
pub fn malformed(run: &Path) -> Result<u64, StoreError> {
    let mut reader = Reader::open(run)?;
    let mut count = 0;
    for turn in reader.turns() {
        let refused = reader.step(turn)?.is_some_and(|step| step.choice == "refused");
        // A model that could not be reached left no exchange.
        if refused && !reader.exchanges(turn)?.is_empty() {
            count += 1;
        }
    }
    Ok(count)
}

/// Everything of an evaluation.
#[derive(Debug, Clone, Serialize)]
pub struct Evaluation {
    pub suite: String,
    pub profile: String,
    pub model: String,
    pub desktop: String,
    pub seeds: u64,
    /// Runs that were planned.
    pub planned: usize,
    pub left_out: Vec<LeftOut>,
    /// Of all players, in the order of the plan.
    pub attempts: Vec<Attempt>,
}

/// A control that did not do what it must: the suite measures nothing there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Broken {
    pub case: String,
    pub seed: u64,
    pub player: Player,
    pub why: String,
}

impl Broken {
    /// The same of one case and control told once: how it is told the first time, and of how many seeds.
    pub fn by_case(broken: &[Self]) -> Vec<(&Self, usize)> {
        let mut cases: Vec<(&Self, usize)> = Vec::new();
        for one in broken {
            match cases.iter_mut().find(|(first, _)| first.case == one.case && first.player == one.player) {
                Some((_, seeds)) => *seeds += 1,
                None => cases.push((one, 1)),
            }
        }
        cases
    }
}

impl Evaluation {
    /// The attempts of one player.
    pub fn of(&self, player: Player) -> impl Iterator<Item = &Attempt> {
        self.attempts.iter().filter(move |attempt| attempt.player == player)
    }

    /// Runs that a stop left out.
    pub fn unplayed(&self) -> usize {
        self.planned.saturating_sub(self.attempts.len())
    }

    /// Cases that the oracle did not win or who did nothing won.
    pub fn broken(&self) -> Vec<Broken> {
        let why = |attempt: &Attempt| match (attempt.player, attempt.verdict) {
            (Player::NoOp, Verdict::Passed) => Some("who does nothing wins it".to_owned()),
            (Player::Oracle, Verdict::Failed) => Some(format!("the oracle does not win it: {}", attempt.why)),
            (Player::Oracle, Verdict::Void) => Some(format!("it cannot be judged: {}", attempt.why)),
            _ => None,
        };
        let broken = |attempt: &Attempt| {
            let (case, seed, player) = (attempt.case.clone(), attempt.seed, attempt.player);
            why(attempt).map(|why| Broken { case, seed, player, why })
        };
        self.attempts.iter().filter_map(broken).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests;
