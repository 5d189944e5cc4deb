//! Making room: seldom, and much at a time.
//!
//! A provider keeps what it read of a request and finds it again as long as the next one begins with the same bytes. Whatever goes
//! from the past ends that at its place, so a picture less in every turn would cost the whole conversation in every turn. Here
//! nothing goes until a limit is passed; then old pictures go in one go, down to a quarter of those that may stay, and only if
//! that is not enough whole turns go, the oldest first, down to half of the budget.
//!
//! The instructions, the task and the newest picture are no part of the past and always stay.

use super::{History, compact};
use handsight_base::flow::past::Past;
use handsight_base::port::model::Weight;

/// What a request may come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) tokens: u64,
    pub(crate) bytes: u64,
    /// Pictures of the past.
    pub(crate) pictures: usize,
}

impl Limits {
    const fn holds(&self, weight: Weight) -> bool {
        weight.tokens <= self.tokens && weight.bytes <= self.bytes
    }

    /// What is left once room was made.
    const fn low(&self) -> Self {
        Self { tokens: self.tokens / 2, bytes: self.bytes / 2, pictures: self.pictures / 4 }
    }
}

/// What was done to make room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Pruned {
    pub(crate) pictures: usize,
    pub(crate) turns: usize,
    /// Whether the turns that went left words.
    pub(crate) told: bool,
}

impl History {
    /// Makes the past fit. `weigh` says what the whole request comes to with such a past, rather too much; `count` is the tokens
    /// that the service itself finds in it, if it says so.
    pub(crate) async fn fit(
        &mut self,
        limits: Limits,
        weigh: impl Fn(&Self) -> Weight,
        count: impl AsyncFn(&Self) -> Option<u64>,
    ) -> Pruned {
        let mut pruned = Pruned::default();
        let low = limits.low();
        let mut weight = weigh(self);
        let mut pictures = self.pictures();
        if pictures > limits.pictures {
            pruned.pictures += self.show_only(low.pictures);
            (weight, pictures) = (weigh(self), self.pictures());
        }
        if limits.holds(weight) {
            return pruned;
        }
        if weight.bytes <= limits.bytes && count(self).await.is_some_and(|tokens| tokens <= limits.tokens) {
            return pruned;
        }
        // Pictures first, though not the last two: without them the model cannot see what its calls did.
        if pictures > low.pictures.max(2) {
            pruned.pictures += self.show_only(low.pictures.max(2));
            weight = weigh(self);
            if limits.low_enough(weight) {
                return pruned;
            }
        }
        let mut gone = Vec::new();
        while !self.past.is_empty() && !low.holds(weight) {
            // A sixteenth at a time: close enough to the aim, and few weighings.
            let share = (self.past.len() / 16).max(1);
            gone.extend(self.past.drain(..share));
            weight = weigh(self);
        }
        pruned.turns = gone.len();
        pruned.told = self.compact(&gone).await;
        if !limits.holds(weigh(self)) {
            // The summary is the last of the past that can go.
            self.summary = None;
            pruned.told = false;
        }
        pruned
    }

    /// Pictures of the past, those that looks show included.
    pub(crate) fn pictures(&self) -> usize {
        self.past.iter().map(shown).sum()
    }

    /// Leaves the newest `most` pictures; how many went.
    fn show_only(&mut self, most: usize) -> usize {
        let (mut left, mut gone) = (most, 0);
        for past in self.past.iter_mut().rev() {
            let here = shown(past);
            // A turn keeps all of its pictures or none.
            if here <= left {
                left -= here;
                continue;
            }
            left = 0;
            gone += here;
            past.seen = None;
            for result in &mut past.results {
                if result.shown.take().is_some() {
                    result.text = super::joined(&result.text, "(The picture here was left out.)");
                }
            }
        }
        gone
    }

    async fn compact(&mut self, gone: &[Past]) -> bool {
        if gone.is_empty() {
            return false;
        }
        let before = self.summary.take().map(|s| s.text().to_owned()).unwrap_or_default();
        if self.since_compaction < compact::SELDOM {
            // What was known stays known; these turns go without a word.
            self.summary = (!before.is_empty()).then(|| compact::fragment(before));
            return false;
        }
        self.since_compaction = 0;
        let made = self.compact.compact(&before, gone).await;
        let stood_for = before.len() + gone.iter().map(words).sum::<usize>();
        let gains = made.filter(|text| text.len() < stood_for.max(1));
        let told = gains.is_some();
        self.summary = gains.or(Some(before).filter(|b| !b.is_empty())).map(compact::fragment);
        told
    }
}

impl Limits {
    /// Without its pictures a past is small: far enough below the limit for many turns.
    const fn low_enough(&self, weight: Weight) -> bool {
        weight.tokens <= self.tokens / 4 * 3 && weight.bytes <= self.bytes / 4 * 3
    }
}

fn shown(past: &Past) -> usize {
    usize::from(past.seen.is_some()) + past.results.iter().filter(|r| r.shown.is_some()).count()
}

/// Bytes of a turn's words and calls.
fn words(past: &Past) -> usize {
    let calls: usize = past.calls.iter().map(|c| c.name.len() + c.arguments.len()).sum();
    let results: usize = past.results.iter().map(|r| r.text.len() + 16).sum();
    past.told.len() + past.text.len() + calls + results + 64
}
