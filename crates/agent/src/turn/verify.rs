//! Verify: what a check found. In `stateless` nobody checks but the model, on its next picture (S-47).

use crate::engine::Engine;
use crate::profile::Judge;
use handsight_base::flow::settled::Settled;
use handsight_base::flow::verdict::{Judgement, Verdict};

pub(super) fn verify(engine: &Engine, settled: Settled) -> Verdict {
    let judgement = match engine.profile.verify.judge {
        Judge::Off => Judgement::Unchecked,
    };
    Verdict { settled, judgement }
}
