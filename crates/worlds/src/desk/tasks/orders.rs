//! Tasks of filling in a form: all of it, or a part.

use super::reach::{LOST, Reach};
use super::{Task, Wanted, clutter, one};
use crate::desk::Desk;
use crate::desk::apps::form::{DELIVERIES, products};
use crate::desk::words::Words;
use crate::random::Random;
use crate::task::Hand;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The first order of a desk.
const NUMBER: u32 = 1001;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    name: String,
    email: String,
    quantity: u32,
    /// The option of the choice.
    product: usize,
    delivery: usize,
    gift: bool,
}

impl Order {
    pub(super) fn plan(random: &mut Random, words: &Words) -> Box<dyn Task> {
        Box::new(Self::draw(random, words))
    }

    fn draw(random: &mut Random, words: &Words) -> Self {
        let (first, last) = (
            one(random, &["Nora", "Peter", "Amina", "Jonas", "Clara", "Tomas"]),
            one(random, &["Lind", "Hale", "Okafor", "Brandt", "Moreau", "Silva"]),
        );
        let email = format!("{}.{}@example.org", first.to_lowercase(), last.to_lowercase());
        Self {
            name: format!("{first} {last}"),
            email,
            quantity: random.range(2, 48) as u32,
            product: 1 + random.below(products(words).len() - 1),
            delivery: 1 + random.below(DELIVERIES.len() - 1),
            gift: random.chance(50),
        }
    }
}

impl Task for Order {
    fn objective(&self, words: &Words) -> String {
        let quote = |meaning: &str| format!("\"{}\"", words.get(meaning));
        let gift = if self.gift { format!("{} and ", quote("gift wrap")) } else { String::new() };
        format!(
            "Open \"{}\", fill in {} with \"{}\", {} with \"{}\" and {} with \"{}\", choose \"{}\" for {} and \"{}\" for {}, \
             turn on {gift}{}, and press {}.",
            words.program("form"),
            quote("full name"),
            self.name,
            quote("e-mail"),
            self.email,
            quote("quantity"),
            self.quantity,
            products(words)[self.product],
            quote("product"),
            DELIVERIES[self.delivery],
            quote("delivery"),
            quote("terms"),
            quote("submit"),
        )
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 1);
    }

    fn wanted(&self, desk: &Desk) -> Wanted {
        let Self { name, email, quantity, .. } = self;
        let (product, delivery) = (products(desk.words())[self.product], DELIVERIES[self.delivery]);
        let gift = if self.gift { "yes" } else { "no" };
        let text = format!(
            "Order {NUMBER}\nName: {name}\nE-mail: {email}\nProduct: {product}\nQuantity: {quantity}\nDelivery: {delivery}\nGift wrap: {gift}\n"
        );
        Wanted::file(format!("/Documents/order-{NUMBER}.txt"), text)
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let Some(form) = reach.top("form").map(|f| f.id) else { return reach.start("form") };
        let truths = reach.desk.window_truths();
        let model = truths.iter().find(|t| t.frame.id == form).map(|t| t.model.clone()).unwrap_or_default();
        let texts =
            [("full name", &self.name), ("e-mail", &self.email), ("quantity", &self.quantity.to_string())];
        if let Some(hand) = texts.iter().find_map(|(id, text)| reach.fill(form, id, text)) {
            return hand;
        }
        if model["product"] != self.product {
            return reach.choose(form, "product", self.product);
        }
        if model["delivery"] != self.delivery {
            return reach.press(form, &format!("delivery {}", self.delivery));
        }
        if model["gift"] != self.gift {
            return reach.press(form, "gift");
        }
        reach.press(form, if model["terms"] == true { "submit" } else { "terms" })
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

/// A part of the form that is open, and nothing sent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FillPart {
    /// The field for an address is to hold this; else something is chosen.
    email: Option<String>,
    product: usize,
    delivery: usize,
    window: u64,
}

impl FillPart {
    pub(super) fn plan_field(random: &mut Random, words: &Words) -> Box<dyn Task> {
        let order = Order::draw(random, words);
        Box::new(Self { email: Some(order.email), product: 0, delivery: 0, window: 0 })
    }

    pub(super) fn plan_choices(random: &mut Random, words: &Words) -> Box<dyn Task> {
        let Order { product, delivery, .. } = Order::draw(random, words);
        Box::new(Self { email: None, product, delivery, window: 0 })
    }
}

impl Task for FillPart {
    fn objective(&self, words: &Words) -> String {
        let quote = |meaning: &str| format!("\"{}\"", words.get(meaning));
        let what = match &self.email {
            Some(email) => format!("fill in {} with \"{email}\"", quote("e-mail")),
            None => format!(
                "choose \"{}\" for {} and \"{}\" for {}",
                products(words)[self.product],
                quote("product"),
                DELIVERIES[self.delivery],
                quote("delivery")
            ),
        };
        format!("In \"{}\", {what}.", words.program("form"))
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        clutter(desk, random, 1);
        self.window = desk.open_program("form", &[]).unwrap_or_default();
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        let (model, ui) = (desk.model(self.window), desk.ui(self.window).ok_or("the form was closed")?);
        for id in ["full name", "e-mail", "quantity"] {
            let wanted = self.email.as_deref().filter(|_| id == "e-mail").unwrap_or_default();
            if ui.text(id).trim() != wanted {
                return Err(format!("{id} holds {:?} in place of {wanted:?}", ui.text(id)));
            }
        }
        let chosen = model["product"] == self.product && model["delivery"] == self.delivery;
        if chosen && model["gift"] == false && model["terms"] == false {
            return Ok(());
        }
        Err(format!("the form is {model}"))
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let model = reach.desk.model(self.window);
        if let Some(email) = &self.email {
            return reach.fill(self.window, "e-mail", email).unwrap_or(LOST);
        }
        if model["product"] == self.product {
            return reach.press(self.window, &format!("delivery {}", self.delivery));
        }
        reach.choose(self.window, "product", self.product)
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
