//! The task of filling in a form.

use super::reach::Reach;
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
        let (first, last) = (
            one(random, &["Nora", "Peter", "Amina", "Jonas", "Clara", "Tomas"]),
            one(random, &["Lind", "Hale", "Okafor", "Brandt", "Moreau", "Silva"]),
        );
        let email = format!("{}.{}@example.org", first.to_lowercase(), last.to_lowercase());
        Box::new(Self {
            name: format!("{first} {last}"),
            email,
            quantity: random.range(2, 48) as u32,
            product: 1 + random.below(products(words).len() - 1),
            delivery: 1 + random.below(DELIVERIES.len() - 1),
            gift: random.chance(50),
        })
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

    fn check(&self, _: &Desk) -> Result<(), String> {
        Ok(())
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
