//! `click`: one click at a point from 0 to 1000.

use super::{Args, Argument, Meaning, Tool, ToolOptions, ToolScene};
use handsight_base::flow::action::{Action, Button};
use handsight_base::key::{Key, Modifiers, Named};
use handsight_base::port::dialect::Rejection;
use serde_json::json;

pub(super) struct Click;

const BUTTONS: &[(&str, Button)] =
    &[("left", Button::Left), ("right", Button::Right), ("middle", Button::Middle)];
const MODIFIERS: &[(&str, Named)] = &[("ctrl", Named::Control), ("alt", Named::Alt), ("shift", Named::Shift)];

impl Tool for Click {
    fn name(&self) -> &'static str {
        "click"
    }

    fn about(&self) -> &'static str {
        "Click once with the left mouse button at x, y (0 to 1000 from the left and from the top)."
    }

    fn arguments(&self, options: ToolOptions) -> Vec<Argument> {
        let axis =
            |from: &str| json!({ "type": "number", "minimum": 0, "maximum": 1000, "description": from });
        // Where a number says the place, neither number of a point is needed.
        let place = if options.marks { Argument::optional } else { Argument::required };
        let mut arguments = vec![
            place("x", axis("from the left edge, 0 to 1000")),
            place("y", axis("from the top edge, 0 to 1000")),
        ];
        if options.marks {
            let about = "the number of a mark on the newest picture, in place of x and y";
            let mark = json!({ "type": "integer", "minimum": 1, "description": about });
            arguments.insert(0, Argument::optional("mark", mark));
        }
        if options.extended {
            let words = |words: Vec<&str>| json!({ "type": "string", "enum": words });
            arguments.push(Argument::optional("button", words(BUTTONS.iter().map(|b| b.0).collect())));
            let items = words(MODIFIERS.iter().map(|m| m.0).collect());
            arguments.push(Argument::optional("modifiers", json!({ "type": "array", "items": items })));
        }
        arguments
    }

    fn call(&self, args: &mut Args<'_>, scene: &ToolScene<'_>) -> Result<Meaning, Rejection> {
        let at = args.place(scene)?;
        let (mut button, mut modifiers) = (Button::Left, Modifiers::NONE);
        if scene.options.extended {
            button = args.word("button", BUTTONS)?.unwrap_or_default();
            for held in args.words("modifiers", MODIFIERS)? {
                modifiers.add(Key::Named(held));
            }
        }
        Ok(Meaning::Act(vec![Action::Click { at: Some(at), button, count: 1, modifiers }]))
    }
}
