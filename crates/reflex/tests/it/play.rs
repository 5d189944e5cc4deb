//! The offline model at work on a simulated desktop, and what becomes of it without its eyes.
//!
//! Every failure is printed with its seed; one is played again by `HANDSIGHT_SEED=7 HANDSIGHT_TASK=order`; `HANDSIGHT_SEEDS=10` plays
//! so many.

use crate::play_rig::{Eyes, Played, play, tasks};
use handsight_base::port::BoxFuture;
use handsight_base::port::model::{Model, ModelError, ModelReply, ModelRequest};
use handsight_base::space::Size;
use handsight_base::stop::Stop;
use handsight_reflex::Reflex;
use handsight_testkit::need::long;
use handsight_worlds::task::TaskInfo;
use std::sync::Arc;

const SIZES: [Size; 2] = [Size::new(1280, 720), Size::new(1920, 1080)];

#[expect(clippy::disallowed_methods, reason = "how a person plays one again")]
fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// So many seeds per landing; 20 in the long form.
fn seeds(landing: u64) -> std::ops::RangeInclusive<u64> {
    if let Some(one) = env("HANDSIGHT_SEED").and_then(|s| s.parse().ok()) {
        return one..=one;
    }
    let asked = env("HANDSIGHT_SEEDS").and_then(|s| s.parse().ok());
    1..=asked.unwrap_or(if long() { 20 } else { landing })
}

/// The tasks of a level that are to be played.
fn chosen(level: u8) -> Vec<TaskInfo> {
    let only = env("HANDSIGHT_TASK");
    let fits = |task: &TaskInfo| task.level == level && only.as_ref().is_none_or(|only| only == task.name);
    tasks().into_iter().filter(fits).collect()
}

/// Plays tasks of a level with these eyes; prints what failed, or what did not.
fn played(
    level: u8,
    of: impl Fn(&TaskInfo) -> bool,
    eyes: impl Fn(u64) -> Eyes,
    wanted: bool,
) -> Vec<(TaskInfo, Played)> {
    let sizes = if long() { &SIZES[..] } else { &SIZES[..1] };
    let mut all = Vec::new();
    for &size in sizes {
        for task in chosen(level).into_iter().filter(|task| of(task)) {
            for seed in seeds(1) {
                let played = play(&task, seed, size, eyes(seed), Arc::new(Reflex::new()));
                if played.verified != wanted {
                    let Played { outcome, turns, why, .. } = &played;
                    println!("{} seed {seed} at {size}: {outcome:?} after {turns} turns: {why}", task.name);
                }
                all.push((task, played));
            }
        }
    }
    all
}

/// Plays without eyes of use, to the last turn, which takes its time: of some tasks only per landing.
fn controlled(eyes: impl Fn(u64) -> Eyes + Copy) -> Vec<(TaskInfo, Played)> {
    (1..=3).flat_map(|level| played(level, |task| task.demo || long(), eyes, false)).collect()
}

fn share(all: &[(TaskInfo, Played)]) -> f64 {
    all.iter().filter(|(_, played)| played.verified).count() as f64 / all.len().max(1) as f64
}

/// Plays a level with open eyes; its share must be as good.
fn does(level: u8, least: f64) {
    let all = played(level, |_| true, |_| Eyes::Open, true);
    let turns: u64 = all.iter().map(|(_, p)| p.turns).sum();
    println!("level {level}: {:.1} % of {} verified, {turns} turns", share(&all) * 100.0, all.len());
    let asked = env("HANDSIGHT_TASK").is_some();
    assert!(asked || share(&all) >= least, "{:.3}", share(&all));
}

#[test]
fn it_does_the_tasks_of_level_1_by_pictures_alone() {
    assert!(tasks().iter().filter(|t| t.level == 1).count() >= 14);
    does(1, 0.95);
}

#[test]
fn it_does_the_tasks_of_level_2_by_pictures_alone() {
    // It cannot read a sharp display whose picture was made smaller, and is honest about it: one of thirteen.
    does(2, 0.80);
}

#[test]
fn it_does_the_tasks_of_level_3_by_pictures_alone() {
    does(3, 0.80);
}

#[test]
fn it_can_do_nothing_on_a_grey_picture() {
    let all = controlled(|_| Eyes::Grey);
    assert!(share(&all) == 0.0, "{:.3}", share(&all));
}

#[test]
fn the_picture_of_another_seed_is_of_no_use() {
    let all = controlled(|seed| Eyes::OfSeed(seed + 1_000));
    println!("{:.1} % of {} verified", share(&all) * 100.0, all.len());
    assert!(share(&all) <= 0.02, "{:.3}", share(&all));
}

/// Asks a fresh model twice, and a used one.
struct Doubted(Reflex);

impl Model for Doubted {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            let said = |reply: &Result<ModelReply, ModelError>| {
                reply.as_ref().map(|r| (r.text.clone(), r.calls.clone())).map_err(ToString::to_string)
            };
            let used = self.0.ask(request, stop).await;
            for _ in 0..2 {
                let fresh = Reflex::new().ask(request, stop).await;
                assert_eq!(said(&fresh), said(&used), "the same request");
            }
            used
        })
    }
}

#[test]
fn it_keeps_no_state() {
    for task in (1..=3).flat_map(chosen).filter(|task| task.demo || long()) {
        let played = play(&task, 4, SIZES[0], Eyes::Open, Arc::new(Doubted(Reflex::new())));
        assert!(played.turns > 1, "{}: {played:?}", task.name);
    }
}
