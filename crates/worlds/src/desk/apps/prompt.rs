//! A dialog that asks for one line of text.

use super::{App, Cx, Look, Request};
use crate::desk::ui::Event;
use crate::desk::ui::node::{Node, Panel, button, column, field, label, row, space};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Prompt {
    title: String,
    text: String,
    /// What stands in the field at first.
    proposed: String,
}

impl Cx<'_> {
    /// Asks for a line of text. The answer is the text without spaces around it, never empty; nothing comes of a cancel.
    pub fn prompt(&mut self, tag: &str, title: &str, text: &str, proposed: &str) {
        let app = Box::new(Prompt {
            title: title.to_owned(),
            text: text.to_owned(),
            proposed: proposed.to_owned(),
        });
        self.requests.push(Request::Dialog { key: "prompt", tag: tag.to_owned(), app, size: None });
    }
}

impl App for Prompt {
    fn title(&self, _: &Look<'_>) -> String {
        self.title.clone()
    }

    fn view(&self, look: &Look<'_>) -> Node {
        let words = look.words;
        let typed = !look.ui.text("text").trim().is_empty();
        let buttons = row(vec![
            space(),
            button("ok", words.get("ok")).primary().enabled(typed),
            button("cancel", words.get("cancel")).cancel(),
        ]);
        let ask = column(vec![label(&self.text), field("text").width(300)]).pad(16);
        column(vec![ask, buttons.panel(Panel::Bar).pad(12)]).gap(0)
    }

    fn on(&mut self, event: &Event, cx: &mut Cx<'_>) {
        match event {
            Event::Opened => {
                cx.ui.set_text("text", self.proposed.clone());
                // The part before the ending is what people change.
                let stem = self.proposed.rfind('.').filter(|at| *at > 0).unwrap_or(self.proposed.len());
                cx.ui.edit("text").select(0..stem);
                cx.ui.set_focus("text");
            }
            Event::Press(id) if id == "ok" => {
                let text = cx.ui.text("text").trim().to_owned();
                cx.answer(&text);
            }
            Event::Press(id) if id == "cancel" => cx.close(),
            Event::Close => cx.close(),
            _ => {}
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
