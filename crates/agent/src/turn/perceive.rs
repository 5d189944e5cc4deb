//! Perceive: runs the profile's perceivers and numbers what can be pointed at. It never fails a turn: it knows less, and says so.

use crate::engine::Engine;
use crate::look;
use handsight_base::flow::frame::Frame;
use handsight_base::flow::percept::Percept;
use handsight_base::port::perceiver::{Blind, Perceiver};
use std::collections::BTreeSet;

/// Words of blindness that are remembered; who keeps finding new ones is not listened to for ever.
const MOST_SAID: usize = 64;

/// The perceivers of a run, and what was said of those that see nothing.
pub(crate) struct Perceivers {
    list: Vec<Box<dyn Perceiver>>,
    said: BTreeSet<String>,
}

impl Perceivers {
    pub(crate) fn new(list: Vec<Box<dyn Perceiver>>) -> Self {
        Self { list, said: BTreeSet::new() }
    }

    /// What is to be said of blindness: each thing once a run, not once a turn.
    fn news(&mut self, blind: &[Blind]) -> Vec<String> {
        let words = blind.iter().map(ToString::to_string);
        words.filter(|words| self.said.len() < MOST_SAID && self.said.insert(words.clone())).collect()
    }
}

pub(super) async fn perceive(engine: &mut Engine, frame: Frame) -> Percept {
    let began = engine.stopwatch.now();
    let mut percept = look::read_off(&engine.perceivers.list, frame, &engine.stop).await;
    // What nobody draws is not looked for.
    if engine.profile.context.annotate.finds_marks() {
        let settings = &engine.profile.perceive.marks;
        let (marks, _) = look::see(&mut engine.seat, settings, &mut percept, &mut engine.numbers).await;
        engine.marks = marks;
    }
    let news = engine.perceivers.news(&percept.blind);
    engine.notes.extend(news);
    engine.timings.perceive = engine.millis_since(began);
    percept
}
