//! A server's own count of tokens, and the cache of prefixes that it keeps from one request to the next.
//!
//! Written from the vendors' documentation (prompt caching, read in 2026), not from the product. A request is a row of blocks: its
//! tools, its instructions, then each part of each message. Two requests share what they share from the first block on, and a
//! block that differs in one byte ends it. OpenAI looks for the longest such beginning by itself, from 1024 tokens on in steps of
//! 128. Anthropic writes an entry at each block that is marked, and looks from each mark back over at most 20 blocks for an entry
//! of an earlier request, from 1024 tokens on. What these servers count is dearer than most: a token for three bytes of text.

use super::Api;
use serde_json::Value;
use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};

/// What a request came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Metered {
    pub input: u64,
    /// Of it, read from the cache.
    pub cached: u64,
}

/// Counts the requests of one model.
#[derive(Debug)]
pub struct Meter {
    api: Api,
    /// Input and output together.
    pub limit: u64,
    /// Of each picture, whatever its size.
    pub picture: u64,
    entries: HashSet<u64>,
    pub taken: Vec<Metered>,
}

const LEAST: u64 = 1024;
const STEP: u64 = 128;
const REACH: usize = 20;

struct Block {
    /// Of all up to and with this block.
    hash: u64,
    tokens: u64,
    marked: bool,
}

impl Meter {
    pub fn new(api: Api, limit: u64, picture: u64) -> Self {
        assert!(matches!(api, Api::Chat | Api::Messages), "no meter for {api:?}");
        Self { api, limit, picture, entries: HashSet::new(), taken: Vec::new() }
    }

    /// Counts a request; `Err` is what a service says that refuses it.
    pub fn take(&mut self, json: &Value) -> Result<Metered, String> {
        let blocks = self.blocks(json);
        let input = blocks.last().map_or(0, |b| b.tokens);
        let output = json["max_tokens"].as_u64().or(json["max_completion_tokens"].as_u64()).unwrap_or(0);
        if input + output > self.limit {
            return Err(format!(
                "prompt is too long: {input} tokens of input and {output} of output, at most {}",
                self.limit
            ));
        }
        let cached = match self.api {
            Api::Messages => self.marked(&blocks),
            Api::Chat | Api::Responses | Api::Gemini => self.longest(&blocks),
        };
        let metered = Metered { input, cached };
        self.taken.push(metered);
        Ok(metered)
    }

    /// Of all input so far, the share that came from the cache.
    pub fn cached_share(&self) -> f64 {
        let sum = |f: fn(&Metered) -> u64| self.taken.iter().map(f).sum::<u64>() as f64;
        sum(|m| m.cached) / sum(|m| m.input).max(1.0)
    }

    fn longest(&mut self, blocks: &[Block]) -> u64 {
        let found = blocks.iter().rev().find(|b| self.entries.contains(&b.hash)).map_or(0, |b| b.tokens);
        self.entries.extend(blocks.iter().map(|b| b.hash));
        if found < LEAST { 0 } else { found / STEP * STEP }
    }

    fn marked(&mut self, blocks: &[Block]) -> u64 {
        let marks: Vec<usize> = (0..blocks.len()).filter(|i| blocks[*i].marked).collect();
        let reached = marks.iter().flat_map(|mark| mark.saturating_sub(REACH)..=*mark);
        let found = reached.filter(|i| self.entries.contains(&blocks[*i].hash));
        let cached = found.map(|i| blocks[i].tokens).filter(|t| *t >= LEAST).max().unwrap_or(0);
        self.entries.extend(marks.into_iter().map(|i| blocks[i].hash));
        cached
    }

    fn blocks(&self, json: &Value) -> Vec<Block> {
        let mut row: Vec<(&str, &Value)> = Vec::new();
        let list = |key: &str| json[key].as_array().map_or(&[][..], Vec::as_slice);
        row.extend(list("tools").iter().map(|t| ("tool", t)));
        row.extend(list("system").iter().map(|b| ("system", b)));
        for message in list("messages") {
            let role = message["role"].as_str().unwrap_or_default();
            match message["content"].as_array() {
                Some(parts) => row.extend(parts.iter().map(|p| (role, p))),
                None => row.push((role, message)),
            }
        }
        let mut hasher = DefaultHasher::new();
        let mut tokens = 0;
        let block = |(role, value): (&str, &Value)| {
            let (text, marked) = unmarked(value);
            (role, &text).hash(&mut hasher);
            tokens += self.tokens(value);
            Block { hash: hasher.finish(), tokens, marked }
        };
        row.into_iter().map(block).collect()
    }

    fn tokens(&self, value: &Value) -> u64 {
        match value {
            Value::String(text) if text.starts_with("data:image/") => self.picture,
            Value::String(text) => text.len().div_ceil(3) as u64,
            Value::Array(list) => list.iter().map(|v| self.tokens(v)).sum(),
            Value::Object(map) if map.get("type").is_some_and(|t| t == "base64") => self.picture,
            Value::Object(map) => {
                let inside = map.iter().filter(|(key, _)| *key != "cache_control" && *key != "type");
                1 + inside.map(|(key, v)| key.len().div_ceil(4) as u64 + self.tokens(v)).sum::<u64>()
            }
            Value::Number(_) | Value::Bool(_) | Value::Null => 1,
        }
    }
}

/// A block without its mark, and whether it had one.
fn unmarked(value: &Value) -> (String, bool) {
    let mut value = value.clone();
    let mark = value.as_object_mut().and_then(|map| map.remove("cache_control"));
    (value.to_string(), mark.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn chat(words: &[&str]) -> Value {
        let said = words.iter().map(|w| json!({"role": "user", "content": w.repeat(1500)}));
        json!({"messages": said.collect::<Vec<_>>()})
    }

    #[test]
    fn what_begins_alike_is_cached_up_to_the_first_difference() {
        let mut meter = Meter::new(Api::Chat, 10_000, 800);
        assert_eq!(meter.take(&chat(&["aa", "bb"])).unwrap().cached, 0);
        let longer = meter.take(&chat(&["aa", "bb", "cc"])).unwrap();
        assert!(longer.cached > longer.input / 2 && longer.cached < longer.input * 7 / 10, "{longer:?}");
        let other = meter.take(&chat(&["aa", "xx", "cc"])).unwrap();
        assert!(other.cached < other.input / 2 && other.cached.is_multiple_of(128), "{other:?}");
        assert_eq!(meter.take(&chat(&["yy", "bb", "cc"])).unwrap().cached, 0);
        assert!(meter.take(&chat(&["aa"; 12])).unwrap_err().contains("too long"));
    }

    #[test]
    fn an_entry_is_found_only_from_a_mark_within_reach() {
        let block = |n: usize, marked: bool| {
            let mut block = json!({"type": "text", "text": format!("{n}").repeat(2000)});
            if marked {
                block["cache_control"] = json!({"type": "ephemeral"});
            }
            block
        };
        let request = |n: usize, marks: &[usize]| {
            let content: Vec<Value> = (0..n).map(|i| block(i, marks.contains(&i))).collect();
            json!({"messages": [{"role": "user", "content": content}]})
        };
        let mut meter = Meter::new(Api::Messages, 1_000_000, 800);
        assert_eq!(meter.take(&request(5, &[4])).unwrap().cached, 0);
        assert!(meter.take(&request(8, &[7])).unwrap().cached > 0, "three blocks back");
        assert_eq!(meter.take(&request(30, &[29])).unwrap().cached, 0, "22 blocks back");
        assert!(meter.take(&request(31, &[15, 30])).unwrap().cached > 0);
        let refused = Meter::new(Api::Messages, 9, 1).take(&request(9, &[])).unwrap_err();
        assert!(refused.ends_with("at most 9"), "{refused}");
    }
}
