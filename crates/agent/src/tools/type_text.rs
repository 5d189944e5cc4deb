//! `type`: text where the focus is.

use super::{Args, Argument, Meaning, Tool, ToolOptions, ToolScene};
use handsight_base::flow::action::Action;
use handsight_base::port::dialect::{Rejection, RejectionKind};
use serde_json::json;

pub(super) struct TypeText;

/// Longer texts are a mistake of the model, and would keep the hands busy for minutes.
const MAX_CHARS: usize = 20_000;

impl Tool for TypeText {
    fn name(&self) -> &'static str {
        "type"
    }

    fn about(&self) -> &'static str {
        "Type text where the keyboard focus is; click there first. A line break presses Enter, a tab presses Tab."
    }

    fn arguments(&self, _: ToolOptions) -> Vec<Argument> {
        vec![Argument::required(
            "text",
            json!({ "type": "string", "description": "what to type, any characters" }),
        )]
    }

    fn call(&self, args: &mut Args<'_>, _: &ToolScene<'_>) -> Result<Meaning, Rejection> {
        let text = args.text("text")?;
        if let Some(c) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
            let what = format!(
                "`type`: the text holds the control character U+{:04X}, which no key types",
                c as u32
            );
            return Err(Rejection::new(RejectionKind::OutOfRange, what));
        }
        let count = text.chars().count();
        if count > MAX_CHARS {
            let what = format!("`type`: {count} characters; {MAX_CHARS} at most");
            return Err(Rejection::new(RejectionKind::OutOfRange, what));
        }
        if text.is_empty() {
            args.note("`type` with an empty text: nothing was typed");
            return Ok(Meaning::Act(Vec::new()));
        }
        Ok(Meaning::Act(vec![Action::typed(text)]))
    }
}
