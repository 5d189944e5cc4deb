//! The conversation in the prompt, within the budget.

use crate::engine::Engine;
use crate::history::History;
use crate::history::prune::{Limits, Pruned};
use handsight_base::flow::prompt::{Fragment, Prompt, Slot};

/// Tokens of input for a model of which nobody says how many it takes: what most that run locally are started with.
const UNSAID_TOKENS: u64 = 28_000;

/// Puts the past and what stands beside the picture into the prompt, and opens the turn. Room is made first where it is needed.
pub(super) async fn converse(engine: &mut Engine, prompt: Prompt, words: Vec<Fragment>) -> Prompt {
    if engine.history.keeps() {
        let limits = limits(engine, &prompt);
        let (model, dialect, stop) = (&engine.model, &engine.dialect, &engine.stop);
        let request = |history: &History| dialect.encode(&with(prompt.clone(), history, &words));
        let weigh = |history: &History| model.weigh(&request(history));
        let count = async |history: &History| model.count(&request(history), stop).await;
        let pruned = engine.history.fit(limits, weigh, count).await;
        if pruned != Pruned::default() {
            let Pruned { pictures, turns, told } = pruned;
            let summed = if told { ", which are summed up" } else { "" };
            engine.notes.push(format!(
                "room was made in the conversation: {pictures} pictures and {turns} turns went{summed}"
            ));
        }
    }
    let told: Vec<&str> = words.iter().filter(|f| f.slot() == Slot::User).map(Fragment::text).collect();
    engine.history.open(told.join("\n\n"), prompt.pictures.first().cloned());
    with(prompt, &engine.history, &words)
}

fn with(mut prompt: Prompt, history: &History, words: &[Fragment]) -> Prompt {
    prompt.history = history.turns();
    prompt.fragments.extend(history.summary());
    prompt.fragments.extend_from_slice(words);
    prompt
}

fn limits(engine: &Engine, prompt: &Prompt) -> Limits {
    let room = engine.model.room(&prompt.sampling);
    let settings = &engine.profile.context;
    // What is counted is not what the service counts, so a twentieth is kept back.
    let margin = |limit: u64| limit / 20 * 19;
    let tokens = match (settings.budget_tokens, room.tokens.map(margin)) {
        (Some(own), Some(room)) => own.min(room),
        (Some(limit), None) | (None, Some(limit)) => limit,
        (None, None) => UNSAID_TOKENS,
    };
    let here = prompt.pictures.len();
    let pictures = room.pictures.map_or(usize::MAX, |most| (most as usize).saturating_sub(here));
    Limits {
        tokens,
        bytes: room.bytes.map_or(u64::MAX, margin),
        pictures: pictures.min(settings.pictures_kept as usize),
    }
}
