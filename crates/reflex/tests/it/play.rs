//! The offline model at work on a simulated desktop, and what becomes of it without its eyes.
//!
//! Every failure is printed with its seed; one is played again by `HANDSIGHT_SEED=7 HANDSIGHT_TASK=order`.

use crate::play_rig::{Eyes, Played, play, tasks};
use handsight_base::port::BoxFuture;
use handsight_base::port::model::{Model, ModelError, ModelReply, ModelRequest};
use handsight_base::space::Size;
use handsight_base::stop::Stop;
use handsight_reflex::Reflex;
use handsight_testkit::need::long;
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
    1..=if long() { 20 } else { landing }
}

fn chosen() -> Vec<&'static str> {
    let only = env("HANDSIGHT_TASK");
    tasks().into_iter().filter(|task| only.as_ref().is_none_or(|only| only == task)).collect()
}

/// Plays everything with these eyes; prints what failed, or what did not.
fn played(eyes: impl Fn(u64) -> Eyes, wanted: bool) -> Vec<(String, Played)> {
    // Who sees nothing of use goes on to the last turn, which takes its time.
    let (sizes, landing) = if wanted || long() { (&SIZES[..], 2) } else { (&SIZES[..1], 1) };
    let mut all = Vec::new();
    for &size in sizes {
        for task in chosen() {
            for seed in seeds(landing) {
                let played = play(task, seed, size, eyes(seed), Arc::new(Reflex::new()));
                let name = format!("{task} seed {seed} at {size}");
                if played.verified != wanted {
                    println!("{name}: {:?} after {} turns: {}", played.outcome, played.turns, played.why);
                }
                all.push((name, played));
            }
        }
    }
    assert!(!all.is_empty(), "nothing was played");
    all
}

fn share(all: &[(String, Played)]) -> f64 {
    all.iter().filter(|(_, played)| played.verified).count() as f64 / all.len() as f64
}

#[test]
fn it_does_what_it_is_asked_by_pictures_alone() {
    let all = played(|_| Eyes::Open, true);
    let turns: u64 = all.iter().map(|(_, p)| p.turns).sum();
    println!("{:.1} % of {} verified, {turns} turns", share(&all) * 100.0, all.len());
    assert!(tasks().len() >= 10, "{:?}", tasks());
    assert!(share(&all) >= 0.95, "{:.3}", share(&all));
}

#[test]
fn it_can_do_nothing_on_a_grey_picture() {
    let all = played(|_| Eyes::Grey, false);
    assert!(share(&all) == 0.0, "{:.3}", share(&all));
}

#[test]
fn the_picture_of_another_seed_is_of_no_use() {
    let all = played(|seed| Eyes::OfSeed(seed + 1_000), false);
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
    for task in chosen() {
        let played = play(task, 4, SIZES[0], Eyes::Open, Arc::new(Doubted(Reflex::new())));
        assert!(played.turns > 1, "{task}: {played:?}");
    }
}
