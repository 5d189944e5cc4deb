//! What is left of turns that give way: a bounded text in the model's own words.
//!
//! The port is [`Compact`]; a model may write it as well as [`Digest`], which needs none. However it is made, it is made at most
//! once in [`SELDOM`] turns and only if it is shorter than what it stands for: otherwise the turns go without it, so that no run
//! spends its turns on compacting.

use handsight_base::flow::past::{CallResult, Past, Standing};
use handsight_base::flow::prompt::{Fragment, Provenance, Slot};
use handsight_base::port::BoxFuture;

/// Turns between two compactions, at least.
pub(crate) const SELDOM: u32 = 8;

/// Most tokens of a summary.
pub(crate) const CAP_TOKENS: u32 = 600;

/// Makes a summary of turns that go, given that of those before them.
pub(crate) trait Compact: Send {
    /// `None` if it cannot; then the turns go without.
    fn compact<'a>(&'a mut self, before: &'a str, turns: &'a [Past]) -> BoxFuture<'a, Option<String>>;
}

/// The same for the same turns: a line for each, what it did and what came of it. The oldest lines go first.
#[derive(Debug)]
pub(crate) struct Digest;

const HEAD: &str = "Earlier turns, oldest first, in your own words (their pictures are gone):";
/// Bytes of a call's own words in a line.
const WORDS: usize = 120;

impl Compact for Digest {
    fn compact<'a>(&'a mut self, before: &'a str, turns: &'a [Past]) -> BoxFuture<'a, Option<String>> {
        Box::pin(std::future::ready(Some(digest(before, turns))))
    }
}

pub(crate) fn digest(before: &str, turns: &[Past]) -> String {
    let earlier = before.lines().filter(|l| l.starts_with("- ")).map(str::to_owned);
    let lines: Vec<String> = earlier.chain(turns.iter().map(line)).collect();
    let cap = CAP_TOKENS as usize * 4 - HEAD.len() - 1;
    let mut room = cap;
    let fits = |l: &&String| {
        let left = room.checked_sub(l.len() + 1);
        room = left.unwrap_or(0);
        left.is_some()
    };
    let kept = lines.iter().rev().take_while(fits).count();
    let kept = lines.get(lines.len() - kept..).unwrap_or_default();
    format!("{HEAD}\n{}", kept.join("\n"))
}

/// The summary as it is sent: never an instruction.
pub(crate) fn fragment(text: String) -> Fragment {
    Fragment::new("earlier", Slot::User, Provenance::OwnWords, text, CAP_TOKENS)
}

/// `- click {"x":1}; type {"text":"a"}: failed: the window is gone`.
fn line(past: &Past) -> String {
    let calls: Vec<String> =
        past.calls.iter().map(|c| format!("{} {}", c.name, short(&c.arguments))).collect();
    let said = if calls.is_empty() { short(&past.text) } else { calls.join("; ") };
    let wrong = past.results.iter().find(|r| r.standing.is_error());
    format!("- {}: {}", short_to(&said, WORDS * 2), wrong.map_or_else(|| "done".to_owned(), outcome))
}

fn outcome(result: &CallResult) -> String {
    let word = match result.standing {
        Standing::Done => "done",
        Standing::Failed => "failed",
        Standing::NotExecuted => "not executed",
        Standing::Unknown => "it may or may not have happened",
    };
    if result.text.is_empty() { word.to_owned() } else { format!("{word}: {}", short(&result.text)) }
}

fn short(text: &str) -> String {
    short_to(text, WORDS)
}

/// One line of at most about `most` bytes.
fn short_to(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= most {
        return line;
    }
    let cut = line.floor_char_boundary(most);
    format!("{}...", line.get(..cut).unwrap_or_default())
}
