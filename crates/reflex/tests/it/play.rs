//! The offline model at work on a simulated desktop, and what becomes of it without its eyes.
//!
//! Every failure is printed with its seed; one is played again by `HANDSIGHT_SEED=7 HANDSIGHT_TASK=order`; `HANDSIGHT_SEEDS=10` plays
//! so many.

use crate::play_rig::{Eyes, Game, Played, play, tasks};
use handsight_base::flow::format::PictureLimits;
use handsight_base::port::BoxFuture;
use handsight_base::port::model::{Model, ModelError, ModelReply, ModelRequest};
use handsight_base::space::Size;
use handsight_base::stop::Stop;
use handsight_reflex::Reflex;
use handsight_testkit::need::long;
use handsight_worlds::task::{PLAIN_TOOLS, TaskInfo};
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

const PROFILE: &str = "stateless";

/// The tasks of a level that are to be played.
fn chosen(profile: &str, level: u8) -> Vec<TaskInfo> {
    let only = env("HANDSIGHT_TASK");
    let fits = |task: &TaskInfo| task.level == level && only.as_ref().is_none_or(|only| only == task.name);
    tasks(profile).into_iter().filter(fits).collect()
}

/// Plays tasks of a level with these eyes; prints what failed, or what did not.
fn played(
    (profile, level, landing): (&str, u8, u64),
    of: impl Fn(&TaskInfo) -> bool,
    eyes: impl Fn(u64) -> Eyes,
    wanted: bool,
) -> Vec<(TaskInfo, Played)> {
    let sizes = if long() { &SIZES[..] } else { &SIZES[..1] };
    let mut all = Vec::new();
    for &size in sizes {
        for task in chosen(profile, level).into_iter().filter(|task| of(task)) {
            for seed in seeds(landing) {
                let game = Game { profile, task: &task, seed, size };
                let played = play(game, eyes(seed), Arc::new(Reflex::new()));
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
    (1..=3).flat_map(|level| played((PROFILE, level, 1), |task| task.demo || long(), eyes, false)).collect()
}

fn share(all: &[(TaskInfo, Played)]) -> f64 {
    all.iter().filter(|(_, played)| played.verified).count() as f64 / all.len().max(1) as f64
}

/// Plays a level with open eyes on so many seeds; its share must be as good.
fn does(profile: &str, level: u8, landing: u64, least: f64) {
    // What takes no more than the plain tools is played by the other profile in any case.
    let of = |task: &TaskInfo| level == 1 || profile == PROFILE || long() || !task.needs_only(PLAIN_TOOLS);
    let all = played((profile, level, landing), of, |_| Eyes::Open, true);
    let turns: u64 = all.iter().map(|(_, p)| p.turns).sum();
    let passed = all.iter().filter(|(_, p)| p.verified).count();
    println!(
        "{profile} level {level}: {passed} of {} verified, {:.1} %, {turns} turns",
        all.len(),
        share(&all) * 100.0
    );
    let asked = env("HANDSIGHT_TASK").is_some();
    assert!(asked || share(&all) >= least, "{:.3}", share(&all));
}

#[test]
fn it_does_the_tasks_of_level_1_by_pictures_alone() {
    assert!(chosen(PROFILE, 1).len() >= 14 || env("HANDSIGHT_TASK").is_some());
    does(PROFILE, 1, 2, 0.95);
}

#[test]
fn it_does_the_tasks_of_level_2_by_pictures_alone() {
    does(PROFILE, 2, 1, 0.85);
}

#[test]
fn it_does_the_tasks_of_level_3_by_pictures_alone() {
    does(PROFILE, 3, 1, 0.85);
}

#[test]
fn it_does_the_tasks_of_level_1_by_plans() {
    assert!(chosen("assist", 1).len() >= 28 || env("HANDSIGHT_TASK").is_some());
    does("assist", 1, 2, 0.90);
}

#[test]
fn it_does_the_tasks_of_levels_2_and_3_by_plans() {
    does("assist", 2, 1, 0.80);
    does("assist", 3, 1, 0.80);
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

    fn picture_limits(&self) -> PictureLimits {
        self.0.picture_limits()
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
    let all = (1..=3).flat_map(|level| chosen(PROFILE, level));
    for task in all.filter(|task| task.demo || long()) {
        let game = Game { profile: PROFILE, task: &task, seed: 4, size: SIZES[0] };
        let played = play(game, Eyes::Open, Arc::new(Doubted(Reflex::new())));
        assert!(played.turns > 1, "{}: {played:?}", task.name);
    }
}
