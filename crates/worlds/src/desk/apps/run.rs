//! The run dialog.

use super::{App, Cx, Look};
use crate::desk::ui::Event;
use crate::desk::ui::icons::Icon;
use crate::desk::ui::node::{Node, Panel, button, column, field, label, picture, row, space};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Run {}

impl App for Run {
    fn title(&self, look: &Look<'_>) -> String {
        look.words.get("run").to_owned()
    }

    fn view(&self, look: &Look<'_>) -> Node {
        let words = look.words;
        let typed = !look.ui.text("command").trim().is_empty();
        let prompt = row(vec![picture(Icon::Run, 32), label(words.get("run prompt")).wrap().wide()]).gap(12);
        let buttons = row(vec![
            space(),
            button("ok", words.get("ok")).primary().enabled(typed),
            button("cancel", words.get("cancel")).cancel(),
        ]);
        column(vec![
            column(vec![prompt, field("command")]).pad(16).gap(12),
            buttons.panel(Panel::Bar).pad(12),
        ])
        .gap(0)
    }

    fn on(&mut self, event: &Event, cx: &mut Cx<'_>) {
        match event {
            Event::Press(id) if id == "ok" => {
                let command = cx.ui.text("command").trim().to_owned();
                cx.run(&command);
                cx.close();
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
