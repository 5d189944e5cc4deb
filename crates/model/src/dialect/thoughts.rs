//! What a model says before it acts.
//!
//! A call inside a thought is a thought. So thoughts are taken off first, and what is left is all that a dialect reads. A thought
//! without an end leaves nothing: the reply stopped before it came to act.

use super::reject::{Fits, Misfit};

/// Names of elements that hold thoughts, by how they begin: `think`, `thinkt`, `think_never_used_...`, `gui_think`, `Thought`.
const THOUGHTS: &[&str] = &["think", "gui_think", "Thought"];

/// The thoughts at the beginning of a reply, and the rest of it.
pub(super) fn split(text: &str) -> Fits<(String, &str)> {
    let mut thoughts: Vec<&str> = Vec::new();
    let mut rest = text.trim();
    while let Some(name) = opening(rest) {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        let Some(first) = rest.find(&close) else {
            return Err(Misfit::no_call("its thought has no end, so nothing follows it"));
        };
        // The last end before a further thought: what looks like one within a thought is a part of it.
        let next = rest.get(first..).and_then(|r| r.find(&open)).map_or(rest.len(), |at| first + at);
        let end = rest.get(..next).and_then(|r| r.rfind(&close)).unwrap_or(first);
        thoughts.extend(rest.get(open.len()..end));
        rest = rest.get(end + close.len()..).unwrap_or_default().trim();
    }
    // Some templates open the thought in the prompt, so that the reply has only its end.
    if thoughts.is_empty()
        && let Some((thought, after)) = rest.rsplit_once("</think>")
    {
        thoughts.push(thought);
        rest = after.trim();
    }
    let thoughts: Vec<&str> = thoughts.into_iter().map(str::trim).filter(|t| !t.is_empty()).collect();
    Ok((thoughts.join("\n"), rest))
}

/// What stands before a thought, a reflection, a summary or the sentence that goes with a call.
const LABELS: &[&str] = &[
    "Thought:",
    "Reflection:",
    "Action_Summary:",
    "Action:",
    "Thought：",
    "Reflection：",
    "Action_Summary：",
];

/// The words beside a call, line by line without their labels.
pub(super) fn unlabelled(words: &str) -> String {
    let lines = words.lines().map(|line| {
        let line = line.trim();
        LABELS.iter().find_map(|label| line.strip_prefix(label)).unwrap_or(line)
    });
    joined(lines)
}

/// The name of the thought element that the text begins with.
fn opening(text: &str) -> Option<&str> {
    let name = text.strip_prefix('<')?.split_once('>')?.0;
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (plain && THOUGHTS.iter().any(|t| name.starts_with(t))).then_some(name)
}

/// Words joined by line breaks, leaving out what is empty.
pub(super) fn joined<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let parts: Vec<&str> = parts.into_iter().map(str::trim).filter(|p| !p.is_empty()).collect();
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_thought_is_not_done() {
        for (text, thought, rest) in [
            ("<think>a</think>b", "a", "b"),
            ("  <thinkt> a\nb </thinkt>\n\nc ", "a\nb", "c"),
            (
                "<think_never_used_51bce0c7>a</think_never_used_51bce0c7><gui_think>b</gui_think>c",
                "a\nb",
                "c",
            ),
            ("<Thought>a</Thought>\nAction: b", "a", "Action: b"),
            ("a</think>b", "a", "b"),
            ("<think>x</think>y</think>z", "x</think>y", "z"),
            ("<think>a</think>b<think>a</think>b", "a", "b<think>a</think>b"),
            ("<think></think>b", "", "b"),
            ("no thought", "", "no thought"),
            ("<answer>a</answer>", "", "<answer>a</answer>"),
            ("<think", "", "<think"),
        ] {
            assert_eq!(split(text).unwrap(), (thought.to_owned(), rest), "{text}");
        }
        assert!(split("<think>click(1, 2)").is_err());
    }
}
