//! Tokens of a request, counted before it is sent: rather too many than too few.
//!
//! Vendors do not publish their tokenizers, so text is counted by what kinds of characters stand beside each other. The weights
//! were set against four tokenizers (o200k, cl100k, that of Claude 2, that of Mistral with 32 768 words) over the texts of
//! `tests/it/count.rs`: of what a run sends, words in a dozen languages, calls and schemas, none is counted below the dearest of
//! the four; English comes to about 1.6 times. Pictures are counted by their vendor's published rule where a provider's file
//! names it. What a service then says of its own count is learned: the dearest that its words ever were, and a seventh more, is
//! what words are counted at from then on.

use handsight_base::flow::prompt::Picture;
use handsight_base::port::model::{Message, ModelRequest, Part, Role};
use handsight_base::space::Size;
use serde::Deserialize;
use std::sync::{Mutex, PoisonError};

/// How a vendor counts a picture.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PictureRule {
    /// A token for so many pixels, at most so many tokens.
    Area { pixels: u32, most: u32 },
    /// `times` tokens for each square patch of this edge; larger pictures are reduced to `most` patches.
    Patches {
        edge: u32,
        most: u32,
        #[serde(default = "once")]
        times: f64,
    },
    /// `base` and `each` tokens for every square of 512 pixels, once the picture fits into 2048 and its shorter side is 768.
    Tiles { base: u32, each: u32 },
    /// So many tokens for every crop: squares of two thirds of the shorter side, from 256 to 768 pixels.
    Crops { each: u32 },
    /// The same for any picture.
    Fixed { tokens: u32 },
}

const fn once() -> f64 {
    1.0
}

impl PictureRule {
    /// Tokens of a picture of this size.
    pub fn tokens(self, size: Size) -> u64 {
        let (w, h) = (u64::from(size.width.max(1)), u64::from(size.height.max(1)));
        match self {
            Self::Area { pixels, most } => size.area().div_ceil(u64::from(pixels.max(1))).min(most.into()),
            Self::Patches { edge, most, times } => {
                let edge = u64::from(edge.max(1));
                let patches = (w.div_ceil(edge) * h.div_ceil(edge)).min(most.into());
                (patches as f64 * times).ceil() as u64
            }
            Self::Tiles { base, each } => {
                // Not every model enlarges a small picture; counted as if it did.
                let fit = (768.0 / w.min(h) as f64).min(2048.0 / w.max(h) as f64);
                let side = |v: u64| (v as f64 * fit / 512.0).ceil().max(1.0) as u64;
                u64::from(base) + u64::from(each) * side(w) * side(h)
            }
            Self::Crops { each } => {
                if w <= 384 && h <= 384 {
                    return each.into();
                }
                let unit = (w.min(h) * 2 / 3).clamp(256, 768);
                u64::from(each) * w.div_ceil(unit) * h.div_ceil(unit)
            }
            Self::Fixed { tokens } => tokens.into(),
        }
    }
}

/// Pixels of a token where nobody says how pictures are counted, until a reply tells more.
const PIXELS: u64 = 512;
/// Around a request, around the words that come with tools, around each message and each tool.
const AROUND: [u64; 4] = [32, 400, 8, 16];

/// What words are counted above the dearest they were.
const MORE: f64 = 1.15;
/// And what they are counted at in any case.
const LEAST: f64 = 0.5;

/// What was learned of a service's own counting.
#[derive(Debug, Clone, Copy)]
struct Learned {
    /// Tokens that the service found for one of ours, of words alone; the most there ever were. 0 before the first reply.
    words: f64,
    /// Tokens of a picture where no rule is known.
    picture: Option<u64>,
}

/// Counts for one model.
#[derive(Debug)]
pub struct Counter {
    rule: Option<PictureRule>,
    learned: Mutex<Learned>,
}

/// A request's parts, before anything learned.
struct Sums {
    text: u64,
    /// Of pictures by the rule, or roughly.
    pictures: u64,
    count: u64,
}

impl Counter {
    pub const fn new(rule: Option<PictureRule>) -> Self {
        Self { rule, learned: Mutex::new(Learned { words: 0.0, picture: None }) }
    }

    /// Rather too many than too few.
    pub fn count(&self, request: &ModelRequest) -> u64 {
        let sums = self.sums(request);
        let learned = *self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        Self::total(&sums, learned)
    }

    /// So few that a service can only count more: what is over a limit by this is refused by the service for certain.
    pub fn at_least(&self, request: &ModelRequest) -> u64 {
        let sums = self.sums(request);
        // Half of a rule's count, as some services reduce large pictures first.
        sums.text / 4 + if self.rule.is_some() { sums.pictures / 2 } else { 0 }
    }

    /// What the service says that a request came to.
    pub fn learn(&self, request: &ModelRequest, input_tokens: u64) {
        let sums = self.sums(request);
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        if self.rule.is_none() && sums.count > 0 {
            // As if the text were as short as it can be, so that a picture is rather too dear.
            let each = input_tokens.saturating_sub(sums.text / 4).div_ceil(sums.count);
            learned.picture = Some(learned.picture.unwrap_or(0).max(each));
        }
        let words = input_tokens.saturating_sub(Self::pictures(&sums, *learned)) as f64 / sums.text as f64;
        learned.words = learned.words.max(words);
        // Where pictures are not known exactly, words are not known to be cheaper.
        if self.rule.is_none() {
            learned.words = learned.words.max(1.0);
        }
    }

    const fn pictures(sums: &Sums, learned: Learned) -> u64 {
        match learned.picture {
            Some(each) => each * sums.count,
            None => sums.pictures,
        }
    }

    fn total(sums: &Sums, learned: Learned) -> u64 {
        let scale = if learned.words > 0.0 { (learned.words * MORE).max(LEAST) } else { 1.0 };
        (sums.text as f64 * scale).ceil() as u64 + Self::pictures(sums, learned)
    }

    fn sums(&self, request: &ModelRequest) -> Sums {
        let [once, with_tools, of_message, of_tool] = AROUND;
        let mut sums = Sums { text: once + text(&request.system), pictures: 0, count: 0 };
        if !request.tools.is_empty() || !request.native.is_empty() {
            sums.text += with_tools;
        }
        for tool in &request.tools {
            let parameters = text(&tool.parameters.to_string());
            sums.text += of_tool + text(&tool.name) + text(&tool.description) + parameters;
        }
        for tool in &request.native {
            // The provider's own words for such a tool are longer than its entry.
            sums.text += of_tool + with_tools * 2 + text(&tool.json.to_string());
        }
        for message in &request.messages {
            sums.text += of_message;
            self.message(message, &mut sums);
        }
        sums
    }

    fn message(&self, message: &Message, sums: &mut Sums) {
        if let (Role::Assistant, Some(raw)) = (message.role, &message.raw) {
            sums.text += text(&raw.json.to_string());
            return;
        }
        for part in &message.parts {
            match part {
                Part::Text(words) => sums.text += text(words),
                Part::Picture(picture) => self.picture(picture, sums),
                Part::Call(call) => {
                    sums.text += 12 + text(&call.id) + text(&call.name) + text(&call.arguments);
                }
                Part::Result { call_id, text: words, picture, .. } => {
                    sums.text += 12 + text(call_id) + text(words);
                    picture.iter().for_each(|p| self.picture(p, sums));
                }
            }
        }
    }

    fn picture(&self, picture: &Picture, sums: &mut Sums) {
        let size = picture.geometry.size;
        sums.count += 1;
        sums.pictures += match self.rule {
            Some(rule) => rule.tokens(size) + 4,
            None => size.area().div_ceil(PIXELS),
        };
    }
}

/// What stands before a character.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Letter,
    Digit,
    Space,
    Other,
}

/// Tokens of a text.
pub fn text(text: &str) -> u64 {
    // In eighths of a token.
    let mut sum: u64 = 0;
    let (mut before, mut letters, mut capital) = (Before::Other, 0_u32, false);
    for c in text.chars() {
        let is_letter = c.is_ascii_alphabetic();
        letters = if is_letter && before == Before::Letter { letters + 1 } else { u32::from(is_letter) };
        let after_capital = capital && letters > 1;
        let (weight, now) = match c {
            'a'..='z' | 'A'..='Z' => {
                let weight = match (letters, before) {
                    (1, Before::Digit) => 8,
                    (1, Before::Other) => 6,
                    (1, Before::Space | Before::Letter) => 3,
                    _ if c.is_ascii_uppercase() && !after_capital => 8,
                    _ if c.is_ascii_uppercase() => 6,
                    // Long words are rare ones, and noise.
                    (11.., _) => 5,
                    _ if after_capital && letters > 2 => 5,
                    _ => 3,
                };
                (weight, Before::Letter)
            }
            '0'..='9' => (if before == Before::Space { 16 } else { 8 }, Before::Digit),
            ' ' => (if before == Before::Space { 8 } else { 1 }, Before::Space),
            _ if c.is_ascii() => (if before == Before::Other { 5 } else { 7 }, Before::Other),
            // Letters of one word with the plain ones around them.
            _ if c.len_utf8() == 2 => (if u32::from(c) < 0x250 { 15 } else { 13 }, Before::Letter),
            _ if c.len_utf8() == 3 => (15, Before::Other),
            _ => (32, Before::Other),
        };
        sum += weight;
        before = now;
        capital = c.is_ascii_uppercase();
    }
    (sum + 16).div_ceil(8)
}
