//! `observe`: look again later.

use super::{Args, Argument, Meaning, Tool, ToolOptions, ToolScene};
use handsight_base::port::dialect::Rejection;

pub(super) struct Observe;

impl Tool for Observe {
    fn name(&self) -> &'static str {
        "observe"
    }

    fn about(&self) -> &'static str {
        "Do nothing and look again after a moment. Use it when something is still loading or moving."
    }

    fn arguments(&self, _: ToolOptions) -> Vec<Argument> {
        Vec::new()
    }

    fn call(&self, _: &mut Args<'_>, _: &ToolScene<'_>) -> Result<Meaning, Rejection> {
        Ok(Meaning::Observe)
    }
}
