//! Learn: what a turn leaves for later ones. In `stateless` the newest reason, in place of the last (S-15).

use crate::engine::Engine;
use crate::profile::Carry;
use handsight_base::flow::lesson::Lesson;
use handsight_base::flow::step::Step;

pub(super) fn learn(engine: &mut Engine, step: Step) -> Lesson {
    let carry = match engine.profile.learn.carry {
        Carry::None => None,
        // A turn without a usable reply has no reason; the words on the screen then still say what was done last.
        Carry::Reason if step.record.choice == "refused" => None,
        Carry::Reason => Some(step.record.reason.clone()),
    };
    if let Some(text) = &carry {
        engine.carry.clone_from(text);
    }
    engine.history.close(&step.record.deeds);
    engine.recent.add(&step.record);
    for line in std::mem::take(&mut engine.told) {
        engine.tell_model(&line);
    }
    Lesson { step, carry }
}
