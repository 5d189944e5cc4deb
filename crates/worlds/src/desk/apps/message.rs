//! Message boxes: a picture, a text, and buttons.

use super::{App, Cx, Look};
use crate::desk::ui::Event;
use crate::desk::ui::icons::Icon;
use crate::desk::ui::node::{Align, Node, Panel, button, column, label, picture, row, space};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A message box. The first button is the primary one, the last is what Escape and the close button mean.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Message {
    icon: Option<Icon>,
    title: String,
    text: String,
    buttons: Vec<(String, String)>,
}

impl Message {
    pub fn new(icon: Icon, title: &str, text: &str) -> Self {
        Self { icon: Some(icon), title: title.to_owned(), text: text.to_owned(), buttons: Vec::new() }
    }

    /// One more button: what it answers, and what stands on it.
    #[must_use]
    pub fn button(mut self, id: &str, text: &str) -> Self {
        self.buttons.push((id.to_owned(), text.to_owned()));
        self
    }
}

impl App for Message {
    fn title(&self, _: &Look<'_>) -> String {
        self.title.clone()
    }

    fn view(&self, _: &Look<'_>) -> Node {
        let last = self.buttons.len().saturating_sub(1);
        let mut buttons = vec![space()];
        for (i, (id, text)) in self.buttons.iter().enumerate() {
            let node = button(id, text);
            buttons.push(match i {
                0 => node.primary(),
                i if i == last => node.cancel(),
                _ => node,
            });
        }
        let text = label(&self.text).wrap().width(300);
        let message = row(vec![picture(self.icon.unwrap_or(Icon::Info), 40), text])
            .gap(16)
            .pad(20)
            .align(Align::Center);
        column(vec![message, row(buttons).panel(Panel::Bar).pad(12)]).gap(0)
    }

    fn on(&mut self, event: &Event, cx: &mut Cx<'_>) {
        match event {
            Event::Press(id) => cx.answer(id),
            Event::Close => cx.answer(self.buttons.last().map_or("", |(id, _)| id)),
            _ => {}
        }
        if let Event::Key(key, _) = event
            && *key == handsight_base::key::Key::Named(handsight_base::key::Named::Escape)
        {
            cx.answer(self.buttons.last().map_or("", |(id, _)| id));
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
