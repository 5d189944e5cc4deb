//! Calls in `<tool_call>` elements, as the Hermes (Nous) chat template has them and Qwen's models write them.
//!
//! Two bodies are read: JSON `{"name": ..., "arguments": {...}}`, and since Qwen3.5 `<function=NAME><parameter=KEY>VALUE</parameter>`.
//! The vendor reads the JSON with a JSON5 reader and Fara's with Python's literals as a second try, so texts in single quotes,
//! trailing commas, bare keys, comments and `True`/`None` are read here too; and it takes a block without its closing tag
//! (Qwen-Agent `qwen_agent/llm/fncall_prompts/nous_fncall_prompt.py`, 2026-03; fara `src/fara/fara_agent.py`, 2025-12; XML: OSWorld's
//! `mm_agents/qwen35vl_agent.py`, 2026-06, and vLLM `vllm/parser/qwen3.py`). Unlike the vendor's last resort, broken JSON is never
//! cut to fit, and one broken block leaves the others undone.

use super::json;
use super::loose;
use super::reject::{Fits, Misfit, kind_of, short};
use super::thoughts;
use handsight_base::port::model::ToolCall;
use serde_json::{Map, Value};

const OPEN: &str = "<tool_call>";
const CLOSE: &str = "</tool_call>";
/// Most calls of a reply.
const MOST: usize = 64;

/// A call, its arguments not yet looked at.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
    /// Its values are texts, whatever they should be: it was written as XML.
    pub(super) untyped: bool,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct Said {
    pub(super) reason: String,
    pub(super) blocks: Vec<Block>,
    pub(super) notes: Vec<String>,
}

/// All blocks of a reply. None is an error.
pub(super) fn read(text: &str) -> Fits<Said> {
    let (thought, rest) = thoughts::split(text)?;
    let Some((before, mut rest)) = rest.split_once(OPEN) else {
        return Err(Misfit::no_call(format!(
            "there is no {OPEN} in it; a call written in any other way does nothing"
        )));
    };
    whole(before)?;
    let mut said = Said {
        reason: thoughts::joined([thought.as_str(), &thoughts::unlabelled(before)]),
        ..Said::default()
    };
    loop {
        let call = said.blocks.len();
        if call >= MOST {
            return Err(Misfit::out_of_range(format!("there are more than {MOST} calls")));
        }
        // A block without an end goes on to the next one.
        let (body, after) = match (rest.find(CLOSE), rest.find(OPEN)) {
            (Some(close), next) if next.is_none_or(|open| close < open) => {
                (rest.get(..close), rest.get(close + CLOSE.len()..).unwrap_or_default())
            }
            (_, Some(open)) => (rest.get(..open), rest.get(open..).unwrap_or_default()),
            (_, None) => (Some(rest), ""),
        };
        let body = body.unwrap_or_default().trim();
        said.blocks.push(block(body).map_err(|m| m.of_call(call))?);
        let (between, next) = match after.split_once(OPEN) {
            Some((between, next)) => (between, Some(next)),
            None => (after, None),
        };
        if !between.trim().is_empty() {
            if next.is_some() && between.contains("<tool_response") {
                let words = "it goes on after a result that nobody gave: stop after your call";
                return Err(Misfit::malformed(words).of_call(call + 1));
            }
            whole(between).map_err(|m| m.of_call(call + 1))?;
            said.notes.push("words after a call were passed over".into());
        }
        match next {
            Some(next) => rest = next,
            None => return Ok(said),
        }
    }
}

/// Words with half a mark of a call in them are a call that nobody could read.
pub(super) fn whole(words: &str) -> Fits<()> {
    if words.contains("tool_call>") || words.contains("<tool_call") {
        return Err(Misfit::malformed("the mark of a call is broken"));
    }
    Ok(())
}

/// The same from the calls that a service has taken out of the text already.
pub(super) fn native(calls: &[ToolCall]) -> Fits<Vec<Block>> {
    if calls.len() > MOST {
        return Err(Misfit::out_of_range(format!("there are more than {MOST} calls")));
    }
    let read = |(n, call): (usize, &ToolCall)| {
        let arguments = arguments(&call.name, Value::String(call.arguments.clone()));
        let arguments = arguments.map_err(|m| m.of_call(n))?;
        Ok(Block { name: call.name.clone(), arguments, untyped: false })
    };
    calls.iter().enumerate().map(read).collect()
}

fn block(body: &str) -> Fits<Block> {
    if body.is_empty() {
        return Err(Misfit::malformed("a call is empty"));
    }
    if body.starts_with("<function=") {
        let mut functions = functions(body)?;
        return match (functions.pop(), functions.is_empty()) {
            (Some(block), true) => Ok(block),
            _ => Err(Misfit::malformed("a tool_call holds several functions: write one in each")),
        };
    }
    let Value::Object(mut call) = object(body)? else {
        return Err(Misfit::wrong_type("a call is no object with `name` and `arguments`"));
    };
    let name = match call.remove("name") {
        Some(Value::String(name)) => name,
        Some(other) => return Err(Misfit::wrong_type(format!("`name` is {}, not a text", kind_of(&other)))),
        None => return Err(Misfit::missing("a call has no `name`")),
    };
    let given = call.remove("arguments");
    let given = given.ok_or_else(|| Misfit::missing("a call has no `arguments`").within(&name))?;
    if let Some(stranger) = call.keys().next() {
        let words = format!("beside `name` and `arguments` stands `{}`", short(stranger));
        return Err(Misfit::malformed(words).within(&name));
    }
    Ok(Block { arguments: arguments(&name, given)?, name, untyped: false })
}

/// An object, or the text of one as OpenAI's calls have it; an empty text is an empty object.
pub(super) fn arguments(name: &str, given: Value) -> Fits<Map<String, Value>> {
    let given = match given {
        Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
        Value::String(text) => object(&text).map_err(|m| m.within(name))?,
        given => given,
    };
    match given {
        Value::Object(arguments) => Ok(arguments),
        other => {
            let words = format!("its arguments are {}, not an object", kind_of(&other));
            Err(Misfit::wrong_type(words).within(name))
        }
    }
}

/// JSON, or what the vendors' second readers take for it. The complaint is that of the first reader.
pub(super) fn object(text: &str) -> Fits<Value> {
    json::parse(text)
        .or_else(|e| loose::parse(text).ok_or(e))
        .map_err(|e| Misfit::malformed(format!("it is not usable JSON ({e})")))
}

/// `<function=NAME><parameter=KEY>VALUE</parameter>...</function>`, one after the other.
pub(super) fn functions(text: &str) -> Fits<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let call = blocks.len();
        let (block, after) = function(rest).map_err(|m| m.of_call(call))?;
        blocks.push(block);
        if blocks.len() > MOST {
            return Err(Misfit::out_of_range(format!("there are more than {MOST} functions")));
        }
        rest = after.trim_start();
    }
    Ok(blocks)
}

fn function(text: &str) -> Fits<(Block, &str)> {
    let broken = |what: &str| {
        Misfit::malformed(format!("{what}: write <function=NAME><parameter=KEY>VALUE</parameter></function>"))
    };
    let (name, mut rest) = text
        .strip_prefix("<function=")
        .and_then(|t| t.split_once('>'))
        .filter(|(name, _)| is_word(name.trim()))
        .ok_or_else(|| broken(&format!("{:?} begins no function", short(text))))?;
    let name = name.trim();
    let mut arguments = Map::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("</function>") {
            return Ok((Block { name: name.to_owned(), arguments, untyped: true }, after));
        }
        let (key, after) = rest
            .strip_prefix("<parameter=")
            .and_then(|t| t.split_once('>'))
            .filter(|(key, _)| is_word(key.trim()))
            .ok_or_else(|| broken(&format!("{:?} stands in the function {}", short(rest), short(name))))?;
        let (value, after) = after
            .split_once("</parameter>")
            .ok_or_else(|| broken(&format!("the parameter {} has no end", short(key))))?;
        if ["<parameter=", "</parameter", "<function=", "</function"].iter().any(|mark| value.contains(mark))
        {
            return Err(broken(&format!("the parameter {} has the mark of another in it", short(key))));
        }
        // The template puts each value on a line of its own.
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        if arguments.insert(key.trim().to_owned(), Value::String(value.to_owned())).is_some() {
            return Err(broken(&format!("the parameter {} stands twice", short(key))));
        }
        rest = after;
    }
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Gives the values of an untyped block the types that their names ask for. What does not read as one stays a text, for the reader
/// of the fields to refuse.
pub(super) fn typed(block: &mut Block, lists: &[&str], numbers: &[&str]) {
    if !block.untyped {
        return;
    }
    for (key, value) in &mut block.arguments {
        let Value::String(text) = value else { continue };
        let wanted: fn(&Value) -> bool = if lists.contains(&key.as_str()) {
            Value::is_array
        } else if numbers.contains(&key.as_str()) {
            Value::is_number
        } else {
            continue;
        };
        if let Some(read) = json::parse(text.trim()).ok().or_else(|| loose::parse(text.trim())).filter(wanted)
        {
            *value = read;
        }
    }
}

#[cfg(test)]
mod tests;
