//! The suite can fail here: a backend that points a cell, or three pixels, beside what it was asked does not conform.

use crate::conformance::cells;
use crate::rig::{input, spot};
use handsight_base::flow::action::{Action, Batch, Primitive};
use handsight_base::flow::frame::Frame;
use handsight_base::gate::Approved;
use handsight_base::port::desktop::{CaptureRequest, Desktop, DesktopError, DesktopInfo, Display, Injected};
use handsight_base::stop::Stop;
use handsight_testkit::conformance::{Rig, Terms, check};
use std::time::Duration;

/// Moves the pointer so far to the right of where it was sent.
struct Beside {
    inner: Box<dyn Desktop>,
    by: i32,
}

impl Beside {
    /// One primitive as an action of its own, approved anew: a batch that is not what was approved cannot be made.
    fn again(&self, primitive: Primitive) -> Approved<Batch> {
        input(match primitive {
            Primitive::Move(to) => Action::Move { to: spot(to.offset(self.by, 0)) },
            Primitive::Button { button, down: true } => Action::Down { at: None, button },
            Primitive::Button { button, down: false } => Action::Up { at: None, button },
            other => panic!("a click has no {other:?}"),
        })
    }
}

impl Desktop for Beside {
    fn info(&self) -> DesktopInfo {
        self.inner.info()
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        self.inner.displays()
    }

    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError> {
        self.inner.capture(request)
    }

    fn inject(&mut self, batch: Approved<Batch>, stop: &Stop) -> Result<Injected, DesktopError> {
        let primitives = batch.into_inner().primitives;
        let of = primitives.len() as u32;
        let mut took = Duration::ZERO;
        for primitive in primitives {
            let again = self.again(primitive);
            took += self.inner.inject(again, stop)?.took;
        }
        Ok(Injected { events: of, of, complete: true, took })
    }
}

/// What `clicks` says of a backend that is so far off.
fn clicks(by: i32) -> Result<String, String> {
    let Rig { desktop: inner, witness, terms, keep } = cells().unwrap();
    // What went beside the edge of the screen is not worth waiting for.
    let terms = Terms { patience: Duration::from_millis(500), ..terms };
    let mut rig = Rig { desktop: Box::new(Beside { inner, by }), witness, terms, keep };
    check("clicks").run(&mut rig)
}

#[test]
fn a_cell_beside_is_found_and_so_are_three_pixels() {
    for by in [10, 3] {
        let found = clicks(by).expect_err("it clicks beside");
        assert!(found.contains("where nobody sent it"), "{by}: {found}");
    }
    // The detour through a gate of its own is not what fails.
    clicks(0).unwrap();
}
