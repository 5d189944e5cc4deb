//! Perceive: runs the profile's perceivers. It never fails a turn: it knows less, and says so.

use crate::engine::Engine;
use handsight_base::flow::frame::Frame;
use handsight_base::flow::percept::Percept;

pub(super) async fn perceive(engine: &mut Engine, frame: Frame) -> Percept {
    let began = engine.stopwatch.now();
    let mut percept = Percept { frame, findings: Vec::new(), blind: Vec::new() };
    for perceiver in &engine.perceivers {
        match perceiver.perceive(&percept.frame, &engine.stop).await {
            Ok(found) => percept.findings.extend(found),
            Err(blind) => percept.blind.push(blind),
        }
    }
    for blind in &percept.blind {
        engine.notes.push(blind.to_string());
    }
    engine.timings.perceive = engine.millis_since(began);
    percept
}
