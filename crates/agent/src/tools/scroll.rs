//! `scroll`: the vertical wheel, where the pointer is.

use super::{Args, Argument, Meaning, Tool, ToolOptions, ToolScene};
use handsight_base::flow::action::{Action, ScrollBy};
use handsight_base::key::Modifiers;
use handsight_base::port::dialect::{Rejection, RejectionKind};
use serde_json::json;

pub(super) struct Scroll;

/// A hundred notches; more is a mistake of the model.
const MAX_UNITS: f64 = 12_000.0;

impl Tool for Scroll {
    fn name(&self) -> &'static str {
        "scroll"
    }

    fn about(&self) -> &'static str {
        "Turn the mouse wheel where the pointer is. `dy` is in multiples of 120: 240 is two ticks up, -120 one tick down."
    }

    fn arguments(&self, _: ToolOptions) -> Vec<Argument> {
        let about = "wheel units: 120 is one tick up, -120 one tick down";
        vec![Argument::required("dy", json!({ "type": "number", "description": about }))]
    }

    fn call(&self, args: &mut Args<'_>, _: &ToolScene<'_>) -> Result<Meaning, Rejection> {
        let dy = args.number("dy")?;
        if dy.abs() > MAX_UNITS {
            let what = format!("`scroll`: `dy` is {dy}; -{MAX_UNITS} to {MAX_UNITS} is possible");
            return Err(Rejection::new(RejectionKind::OutOfRange, what));
        }
        let dy = dy.round() as i32;
        if dy == 0 {
            args.note("`scroll` by 0: nothing was turned");
            return Ok(Meaning::Act(Vec::new()));
        }
        let by = ScrollBy::Units { dx: 0, dy };
        Ok(Meaning::Act(vec![Action::Scroll { at: None, by, modifiers: Modifiers::NONE }]))
    }
}
