//! Where the calls stand in a reply of UI-TARS, and what is said beside them.

use crate::dialect::grammar::is_text;
use crate::dialect::reject::{Fits, Misfit, short};
use crate::dialect::{calls, nous, thoughts};
use serde_json::{Map, Value};

pub(super) struct Called {
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
}

pub(super) struct Said {
    pub(super) reason: String,
    pub(super) calls: Vec<Called>,
    pub(super) note: Option<String>,
}

pub(super) fn read(text: &str) -> Fits<Said> {
    let (thought, rest) = thoughts::split(text)?;
    let rest = stripped(rest);
    if let Some((before, element)) = rest.split_once("<seed:tool_call>") {
        return functions(&thought, before, element);
    }
    if let Some(inside) = element(rest, "computer_env")? {
        let actions = inside.strip_prefix("Action:").unwrap_or(inside);
        return Ok(Said { reason: thought, calls: actions_of(actions)?, note: None });
    }
    if let Some(answer) = element(rest, "answer")? {
        let arguments = Map::from_iter([("content".to_owned(), Value::String(answer.to_owned()))]);
        let calls = vec![Called { name: "finished".into(), arguments }];
        return Ok(Said { reason: thought, calls, note: None });
    }
    if rest.starts_with('{') {
        return Ok(Said { reason: thought, calls: vec![json(rest)?], note: None });
    }
    let mut marks = marks(rest);
    let Some((before, actions)) = marks.next() else {
        // Only a reply that is nothing else may leave the word out.
        let calls = actions_of(rest).map_err(|_| {
            Misfit::no_call(
                "there is no line that begins with `Action:`, and the reply as a whole is no call",
            )
        })?;
        return Ok(Said { reason: thought, calls, note: Some("the word Action was left out".into()) });
    };
    if marks.next().is_some() {
        return Err(Misfit::malformed("there are several `Action:` lines: write one, and stop after it"));
    }
    if actions.trim().is_empty() {
        return Err(Misfit::no_call("nothing stands after `Action:`"));
    }
    Ok(Said {
        reason: thoughts::joined([thought.as_str(), &thoughts::unlabelled(before)]),
        calls: actions_of(actions)?,
        note: None,
    })
}

/// Without what ends a reply, and without a fence around all of it.
fn stripped(text: &str) -> &str {
    let mut text = text.trim();
    for end in ["[EOS]", "<|im_end|>", "</Output>"] {
        text = text.strip_suffix(end).unwrap_or(text).trim_end();
    }
    let text = text.strip_prefix("<Output>").unwrap_or(text).trim_start();
    match text.strip_prefix("```").and_then(|t| t.strip_suffix("```")) {
        Some(inside) if !inside.contains("```") => inside.trim(),
        _ => text,
    }
}

/// What an element holds that the text begins with; an error if it has no end or is not all.
fn element<'t>(text: &'t str, name: &str) -> Fits<Option<&'t str>> {
    let Some(inside) =
        text.strip_prefix('<').and_then(|t| t.strip_prefix(name)).and_then(|t| t.strip_prefix('>'))
    else {
        return Ok(None);
    };
    match inside.trim_end().strip_suffix(&format!("</{name}>")) {
        Some(inside) if !inside.contains(&format!("<{name}>")) => Ok(Some(inside.trim())),
        _ => Err(Misfit::malformed(format!("the element <{name}> has no end, or something stands after it"))),
    }
}

/// What stands before and after each `Action:` that begins a line, also with the wide colon.
fn marks(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let begins = move |at: usize| {
        text.get(..at).is_some_and(|before| {
            before.trim_end_matches([' ', '\t']).ends_with('\n') || before.trim().is_empty()
        })
    };
    let of = move |(at, word): (usize, &str)| Some((text.get(..at)?, text.get(at + word.len()..)?));
    let mut all: Vec<(usize, &str)> =
        text.match_indices("Action:").chain(text.match_indices("Action：")).collect();
    all.sort_unstable();
    all.into_iter().filter(move |(at, _)| begins(*at)).filter_map(of)
}

fn functions(thought: &str, before: &str, element: &str) -> Fits<Said> {
    const CLOSE: &str = "</seed:tool_call>";
    let mut calls = Vec::new();
    let mut note = None;
    let mut rest = element;
    nous::whole(before)?;
    loop {
        let (inside, after) =
            rest.split_once(CLOSE).ok_or_else(|| Misfit::malformed(format!("{CLOSE} is missing")))?;
        let blocks = nous::functions(inside)?;
        if blocks.is_empty() {
            return Err(Misfit::no_call("there is no function in <seed:tool_call>"));
        }
        calls.extend(blocks.into_iter().map(|b| Called { name: b.name, arguments: b.arguments }));
        match after.split_once("<seed:tool_call>") {
            Some((between, next)) if between.trim().is_empty() => rest = next,
            Some(_) => {
                return Err(Misfit::malformed("words stand between two tool calls: stop after your call"));
            }
            None => {
                if !after.trim().is_empty() {
                    nous::whole(after)?;
                    note = Some("words after the tool call were passed over".into());
                }
                break;
            }
        }
    }
    Ok(Said { reason: thoughts::joined([thought, &thoughts::unlabelled(before)]), calls, note })
}

/// `{"name": ..., "arguments": "<the text of an object>"}`, or the object itself.
fn json(text: &str) -> Fits<Called> {
    let Value::Object(mut call) = nous::object(text)? else {
        return Err(Misfit::wrong_type("it is no object with `name` and `arguments`"));
    };
    let Some(Value::String(name)) = call.remove("name") else {
        return Err(Misfit::missing("the object has no `name`"));
    };
    let given = call.remove("arguments").unwrap_or_else(|| Value::String(String::new()));
    if let Some(stranger) = call.keys().next() {
        return Err(Misfit::malformed(format!("beside `name` and `arguments` stands `{}`", short(stranger))));
    }
    Ok(Called { arguments: nous::arguments(&name, given)?, name })
}

/// Calls with an empty line between them. A text to type may hold quotes that nothing escapes, as the vendor's reader allows.
fn actions_of(text: &str) -> Fits<Vec<Called>> {
    let called = |call: calls::Call| Ok(Called { name: call.name.clone(), arguments: call.bind(&[])? });
    let strict = match calls::all(text) {
        Ok(calls) if !calls.is_empty() => return calls.into_iter().map(called).collect(),
        Ok(_) => return Err(Misfit::no_call("there is no call in it")),
        Err(misfit) => misfit,
    };
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (one, after) = match rest.find(")\n\n") {
            Some(end) => (rest.get(..=end), rest.get(end + 1..)),
            None => (Some(rest), None),
        };
        let one = one.unwrap_or_default().trim();
        let call = match written(one) {
            Some(call) => call,
            None => called(calls::one(one).map_err(|_| strict.clone())?)?,
        };
        found.push(call);
        rest = after.unwrap_or_default().trim();
    }
    Ok(found)
}

/// `type(content='it's here')`: everything between the first quote and the last is the text.
fn written(call: &str) -> Option<Called> {
    let (name, rest) = call.split_once('(')?;
    let (key, rest) = rest.split_once('=')?;
    if !matches!(name.trim(), "type" | "finished" | "call_user") || !matches!(key.trim(), "content" | "text")
    {
        return None;
    }
    let inside = rest.trim_start().strip_suffix(')')?.trim_end();
    let quote = inside.chars().next().filter(|q| matches!(q, '\'' | '"'))?;
    let inside = inside.strip_prefix(quote)?.strip_suffix(quote)?;
    if !is_text(inside, quote) {
        return None;
    }
    let mut text = String::new();
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(c @ ('\'' | '"' | '\\')) => text.push(c),
                Some(c) => text.extend(['\\', c]),
                None => text.push('\\'),
            },
            (c, false) => text.push(c),
        }
    }
    let arguments = Map::from_iter([("content".to_owned(), Value::String(text))]);
    Some(Called { name: name.trim().to_owned(), arguments })
}
