//! Context: what the model gets to see, in bounded fragments and one picture, and the conversation where one is kept.

mod fit;
mod look;

use crate::ending::Interruption;
use crate::engine::Engine;
use handsight_base::flow::percept::Percept;
use handsight_base::flow::prompt::{Fragment, Prompt, Provenance, Slot};

/// The shipped prompts are about 600 tokens, and tools about 60 each.
const PROMPT_CAP_TOKENS: u32 = 8_000;

pub(super) async fn context(engine: &mut Engine, percept: Percept) -> Result<Prompt, Interruption> {
    let began = engine.stopwatch.now();
    let frame = percept.frame;
    let picture = super::picture(engine, &frame)?;
    let look::Beside { words, pictures: zoomed } = look::serve(engine, &frame, &picture.geometry)?;
    let task = Fragment::new(
        "task",
        Slot::System,
        Provenance::User,
        &engine.task,
        engine.profile.context.task_cap_tokens,
    );
    // A dialect that is written in words of its own explains itself.
    let how = engine.dialect.words().unwrap_or_else(|| engine.tools.prompt());
    let text = engine.profile.prompt.replace("{{tools}}", &how).replace("{{task}}", task.text());
    let cap = PROMPT_CAP_TOKENS + engine.profile.context.task_cap_tokens;
    let system = Fragment::new("system", Slot::System, Provenance::User, text, cap);
    let prompt = Prompt {
        fragments: vec![system],
        pictures: std::iter::once(picture).chain(zoomed).collect(),
        tools: engine.tools.specs(),
        sampling: engine.profile.decide.sampling(),
        history: Vec::new(),
        frame: frame.geometry,
        captured_at: frame.at,
    };
    let prompt = fit::converse(engine, prompt, words).await;
    engine.geometry = Some(frame.geometry);
    engine.timings.context = engine.millis_since(began);
    Ok(prompt)
}
