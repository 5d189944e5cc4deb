//! An order form: fields that are checked, and orders that end up as files.
//!
//! Nothing is sent while a field is wrong; what is wrong stands beside the field.

use super::{App, Cx, Look, Message};
use crate::desk::files::join;
use crate::desk::ui::icons::Icon;
use crate::desk::ui::node::{
    Node, Panel, button, check, choice, column, field, field_with_hint, group, label, picture, radio, row,
    scroll,
};
use crate::desk::ui::{Event, Ui};
use crate::desk::words::Words;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Where orders go; to the top if this folder is missing.
const FOLDER: &str = "/Documents";
const FIRST_NUMBER: u32 = 1001;
/// Width of the labels beside their fields: the longest at the largest letters.
const LABEL: i32 = 144;
const PRODUCTS: &[&str] = &[
    "Green tea",
    "Coffee beans",
    "Notebook",
    "Desk lamp",
    "Water bottle",
    "Wool socks",
    "Chess set",
    "Olive oil",
];
pub(in crate::desk) const DELIVERIES: &[&str] = &["Standard", "Express", "Pick up"];
const FIELDS: [&str; 3] = ["full name", "e-mail", "quantity"];

/// What was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Order {
    number: u32,
    name: String,
    email: String,
    product: String,
    quantity: u32,
    delivery: String,
    gift: bool,
}

impl Order {
    fn as_text(&self) -> String {
        let Self { number, name, email, product, quantity, delivery, gift } = self;
        let gift = if *gift { "yes" } else { "no" };
        format!(
            "Order {number}\nName: {name}\nE-mail: {email}\nProduct: {product}\nQuantity: {quantity}\nDelivery: {delivery}\nGift wrap: {gift}\n"
        )
    }
}

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Form {
    product: usize,
    delivery: usize,
    gift: bool,
    terms: bool,
    /// It was tried to send it as it is: what is wrong is shown.
    tried: bool,
    sent: Vec<Order>,
}

/// The products of this desk; the first stands for none.
pub(in crate::desk) fn products(words: &Words) -> Vec<&'static str> {
    let mut products = PRODUCTS.to_vec();
    words.lot("products").shuffle(&mut products);
    products.truncate(6);
    products.insert(0, "—");
    products
}

fn is_address(text: &str) -> bool {
    let Some((user, host)) = text.split_once('@') else { return false };
    let plain =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "._+-".contains(c));
    let dotted = host.split('.').all(|part| !part.is_empty()) && host.contains('.');
    plain(user) && plain(host) && dotted
}

fn quantity(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|n| (1..=99).contains(n))
}

impl Form {
    /// The widgets that are not right yet, each with what is to be done.
    fn wrong(&self, ui: &Ui) -> Vec<(&'static str, &'static str)> {
        let mut wrong = Vec::new();
        if ui.text("full name").trim().is_empty() {
            wrong.push(("full name", "need name"));
        }
        if !is_address(ui.text("e-mail").trim()) {
            wrong.push(("e-mail", "need e-mail"));
        }
        if quantity(ui.text("quantity")).is_none() {
            wrong.push(("quantity", "need quantity"));
        }
        if self.product == 0 {
            wrong.push(("product", "need product"));
        }
        if !self.terms {
            wrong.push(("terms", "need terms"));
        }
        wrong
    }

    fn submit(&mut self, cx: &mut Cx<'_>) {
        let wrong = self.wrong(cx.ui);
        let order = |id: &str| cx.ui.placed().iter().position(|p| p.id == id);
        if let Some((id, _)) = wrong.iter().min_by_key(|(id, _)| order(id)) {
            self.tried = true;
            cx.ui.set_focus(*id);
            return;
        }
        let folder = if cx.files.is_folder(FOLDER) { FOLDER } else { "/" };
        let path = |n: u32| join(folder, &format!("order-{n}.txt"));
        let number = (FIRST_NUMBER..).find(|n| !cx.files.exists(&path(*n))).unwrap_or(FIRST_NUMBER);
        let order = Order {
            number,
            name: cx.ui.text("full name").trim().to_owned(),
            email: cx.ui.text("e-mail").trim().to_owned(),
            product: products(cx.words).get(self.product).copied().unwrap_or_default().to_owned(),
            quantity: quantity(cx.ui.text("quantity")).unwrap_or(1),
            delivery: DELIVERIES.get(self.delivery).copied().unwrap_or_default().to_owned(),
            gift: self.gift,
        };
        if let Err(why) = cx.files.write(&path(number), order.as_text()) {
            cx.tell(Icon::Error, cx.words.program("form"), &why.to_string());
            return;
        }
        self.sent.push(order);
        self.empty(cx);
        cx.tell(Icon::Info, cx.words.program("form"), &format!("Order {number} {}", cx.words.get("sent")));
    }

    fn empty(&mut self, cx: &mut Cx<'_>) {
        *self = Self { sent: std::mem::take(&mut self.sent), ..Self::default() };
        for id in FIELDS {
            cx.ui.set_text(id, "");
        }
        cx.ui.set_focus(FIELDS[0]);
    }

    fn is_touched(&self, ui: &Ui) -> bool {
        let choices = self.product != 0 || self.delivery != 0 || self.gift || self.terms;
        choices || FIELDS.iter().any(|id| !ui.text(id).is_empty())
    }

    fn leave(&self, cx: &mut Cx<'_>) {
        if !self.is_touched(cx.ui) {
            cx.close();
            return;
        }
        let words = cx.words;
        let message = Message::new(Icon::Question, words.program("form"), words.get("ask discard"))
            .button("discard", words.get("discard"))
            .button("cancel", words.get("cancel"));
        cx.ask("leave", message);
    }

    /// A widget with its label above or at its left, and what is wrong with it below.
    fn entry(&self, id: &'static str, widget: Node, look: &Look<'_>) -> Node {
        let words = look.words;
        let title = label(words.get(id));
        let beside = words.lot("form labels").chance(50);
        let mut rows = if beside {
            vec![row(vec![title.width(LABEL), widget.wide()])]
        } else {
            vec![title, row(vec![widget.wide()])]
        };
        rows.extend(self.complaint(id, look, if beside { LABEL } else { 0 }));
        column(rows).gap(3)
    }

    fn complaint(&self, id: &str, look: &Look<'_>, indent: i32) -> Option<Node> {
        let wrong = self.wrong(look.ui);
        let (_, what) = wrong.into_iter().filter(|_| self.tried).find(|(wrong, _)| *wrong == id)?;
        let before = label("").width(indent).height(1);
        let text = vec![picture(Icon::Warning, 16), label(look.words.get(what)).wrap().wide()];
        Some(row(if indent > 0 { [vec![before], text].concat() } else { text }).gap(8))
    }
}

impl App for Form {
    fn title(&self, look: &Look<'_>) -> String {
        look.words.program("form").to_owned()
    }

    fn view(&self, look: &Look<'_>) -> Node {
        let words = look.words;
        let mut entries = vec![
            self.entry("full name", field("full name"), look),
            self.entry("e-mail", field_with_hint("e-mail", "ann@example.org"), look),
            self.entry("quantity", field_with_hint("quantity", "1 - 99"), look),
            self.entry(
                "product",
                choice("product", products(words).into_iter().map(str::to_owned).collect(), self.product),
                look,
            ),
        ];
        // Who orders comes before what, or after it.
        if words.lot("form order").chance(50) {
            entries.rotate_left(2);
        }
        let one = |(i, text): (usize, &&str)| radio(format!("delivery {i}"), *text, i == self.delivery);
        let deliveries = row(DELIVERIES.iter().enumerate().map(one).collect()).gap(20);
        let mut last = vec![
            check("gift", words.get("gift wrap"), self.gift),
            check("terms", words.get("terms"), self.terms),
        ];
        last.extend(self.complaint("terms", look, 0));
        let content = vec![
            group(words.get("order form"), entries).gap(10),
            group(words.get("delivery"), vec![deliveries]),
            column(last).gap(2),
        ];
        // What is wrong may be scrolled away.
        let wrong = if self.tried { self.wrong(look.ui).len() } else { 0 };
        let said = match self.sent.last() {
            _ if wrong > 0 => format!("{} ({wrong})", words.get("check entries")),
            Some(order) => format!("Order {} {}", order.number, words.get("sent")),
            None => String::new(),
        };
        let buttons = row(vec![
            label(said).dim().wide(),
            button("submit", words.get("submit")).primary(),
            button("cancel", words.get("cancel")).cancel(),
        ]);
        column(vec![scroll("form", column(content).pad(14).gap(12)), buttons.panel(Panel::Bar).pad(10)])
            .gap(0)
    }

    fn on(&mut self, event: &Event, cx: &mut Cx<'_>) {
        match event {
            Event::Press(id) if id == "submit" => self.submit(cx),
            Event::Press(id) if id == "cancel" => self.leave(cx),
            Event::Close => self.leave(cx),
            Event::Select(id, at) if id == "product" => self.product = *at,
            Event::Toggle(id, on) => match id.as_str() {
                "gift" => self.gift = *on,
                "terms" => self.terms = *on,
                id => {
                    if let Some(at) = id.strip_prefix("delivery ").and_then(|at| at.parse().ok()) {
                        self.delivery = at;
                    }
                }
            },
            Event::Answer { tag, value } if tag == "leave" && value == "discard" => cx.close(),
            _ => {}
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
