//! The conformance suite over the engine's desktop: at 100 % and at 150 %, with a second display left of and above the first.

mod pad;

use handsight_base::port::clock::VirtualClock;
use handsight_base::space::ScreenRect;
use handsight_testkit::conformance::{Rig, Terms};
use handsight_worlds::engine::desktop::WorldDesktop;
use handsight_worlds::engine::share;
use pad::{Pad, PadWitness};
use std::time::Duration;

const LACKS: &[(&str, &str)] = &[
    ("text_by_units", "a world takes characters, not UTF-16 units"),
    ("a_dead_turn", "a world is called by the turn itself and stands still without it"),
    ("pointer_at_its_hot_spot", "the engine draws pointers of its own shapes; `look` compares them"),
];

fn rig(name: &'static str, scale: f64) -> Option<Rig> {
    let (first, second) = (ScreenRect::new(0, 0, 640, 400), ScreenRect::new(-320, -40, 320, 240));
    let (world, clock) = (share(Pad::new(scale, first, second)), VirtualClock::new(0));
    Some(Rig {
        desktop: Box::new(WorldDesktop::new(world.clone(), clock)),
        witness: Box::new(PadWitness(world)),
        // Everything happens within the call.
        terms: Terms { lacks: LACKS, patience: Duration::ZERO, ..Terms::of(name) },
        keep: Box::new(()),
    })
}

macro_rules! at_scale {
    ($module:ident, $name:literal, $scale:literal) => {
        mod $module {
            fn rig() -> Option<handsight_testkit::conformance::Rig> {
                super::rig($name, $scale)
            }

            handsight_testkit::conformance! { rig; all }
        }
    };
}
at_scale!(whole, "world", 1.0);
at_scale!(half_as_large_again, "world at 150 %", 1.5);
