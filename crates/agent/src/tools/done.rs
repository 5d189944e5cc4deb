//! `done`: the model says that the task is finished.

use super::{Args, Argument, Meaning, Tool, ToolOptions, ToolScene};
use handsight_base::port::dialect::Rejection;

pub(super) struct Done;

impl Tool for Done {
    fn name(&self) -> &'static str {
        "done"
    }

    fn about(&self) -> &'static str {
        "End the run. Call it only when the picture shows that the task is finished; `reason` is the closing statement."
    }

    fn arguments(&self, _: ToolOptions) -> Vec<Argument> {
        Vec::new()
    }

    fn call(&self, _: &mut Args<'_>, _: &ToolScene<'_>) -> Result<Meaning, Rejection> {
        Ok(Meaning::Done)
    }
}
