//! A request that waits for a decision: a text, a box to check, and buttons that count once it is checked.

use super::{App, Cx, Look};
use crate::desk::ui::Event;
use crate::desk::ui::node::{Node, Panel, button, check, column, label, row, space};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Card {
    title: String,
    text: String,
    /// What stands on its buttons, and what they are called by.
    buttons: Vec<String>,
    checked: bool,
    pressed: Option<String>,
}

impl Card {
    /// `args`: the title, the text, and the buttons.
    pub(super) fn new(args: &[String]) -> Self {
        let mut args = args.iter().cloned();
        let (title, text) = (args.next().unwrap_or_default(), args.next().unwrap_or_default());
        Self { title, text, buttons: args.collect(), checked: false, pressed: None }
    }
}

impl App for Card {
    fn title(&self, _: &Look<'_>) -> String {
        self.title.clone()
    }

    fn view(&self, look: &Look<'_>) -> Node {
        let words = look.words;
        let open = self.pressed.is_none();
        let mut order = self.buttons.clone();
        words.lot(&self.title).shuffle(&mut order);
        let act = |text: &String| button(text, text).enabled(open && self.checked);
        let mut buttons = vec![space()];
        buttons.extend(order.iter().map(act));
        let said = self.pressed.as_ref().map_or_else(String::new, |pressed| format!("✓ {pressed}"));
        let text = column(vec![
            label(&self.title).bold().larger(3),
            label(&self.text).wrap(),
            check("checked", words.get("checked"), self.checked).enabled(open),
            label(said).dim(),
        ]);
        column(vec![text.pad(16).gap(10).tall(), row(buttons).panel(Panel::Bar).pad(10)]).gap(0)
    }

    fn on(&mut self, event: &Event, cx: &mut Cx<'_>) {
        match event {
            Event::Toggle(id, on) if id == "checked" => self.checked = *on,
            Event::Press(id) if self.checked && self.pressed.is_none() => self.pressed = Some(id.clone()),
            Event::Close => cx.close(),
            _ => {}
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
