//! Context: what the model gets to see, in bounded fragments and one picture, and the conversation where one is kept.

mod fit;
mod look;
mod screen_text;

use crate::ending::Interruption;
use crate::engine::Engine;
use handsight_base::flow::percept::Percept;
use handsight_base::flow::prompt::{Fragment, Prompt, Provenance, Slot};
use handsight_base::port::dialect::PointSpace;
use handsight_base::space::{At, FramePx, PictureGeometry};

/// The shipped prompts are about 600 tokens, and tools about 60 each.
const PROMPT_CAP_TOKENS: u32 = 8_000;

/// The newest steps, a line each.
const STEPS_CAP_TOKENS: u32 = 2_000;

/// What stands beside the picture in every turn, as far as the profile asks for it: the objective where its prompt does not hold it,
/// the number of the turn and the newest steps.
fn beside(engine: &Engine, task: &Fragment) -> Vec<Fragment> {
    let words = |name, from, text: String| Fragment::new(name, Slot::User, from, text, STEPS_CAP_TOKENS);
    let mut beside = Vec::new();
    if !engine.profile.prompt.contains("{{task}}") {
        let cap = engine.profile.context.task_cap_tokens + 8;
        let text = format!("Objective: {}", task.text());
        beside.push(Fragment::new("objective", Slot::User, Provenance::User, text, cap));
    }
    if engine.recent.is_listed() {
        let limit = engine.profile.limits.max_turns.map(|most| format!(" of {most}")).unwrap_or_default();
        beside.push(words("turn", Provenance::Tool, format!("Turn {}{limit}.", engine.turn)));
        beside.extend(engine.recent.text().map(|steps| words("steps", Provenance::OwnWords, steps)));
    }
    beside
}

/// A place on the picture as the dialect writes it; `None` if the picture does not show it.
fn place(engine: &Engine, screen: &PictureGeometry, at: At<FramePx>) -> Option<(String, String)> {
    let rounding = engine.dialect.info().rounding;
    let (x, y, digits) = match engine.dialect.info().space {
        Some(PointSpace::Picture) => screen.picture_from_frame(at).map(|p| (p.x, p.y, 0)),
        Some(PointSpace::Norm1) => screen.norm1_from_frame(at, rounding).map(|p| (p.x, p.y, 3)),
        Some(PointSpace::Norm1000) | None => screen.norm1000_from_frame(at, rounding).map(|p| (p.x, p.y, 0)),
    }
    .ok()?;
    Some((format!("{x:.digits$}"), format!("{y:.digits$}")))
}

/// What has a number on the picture, for tools and dialects that point by it.
fn marks(engine: &Engine, picture: &PictureGeometry) -> Option<Fragment> {
    let settings = &engine.profile.perceive.marks;
    if !engine.profile.context.annotate.marks {
        return None;
    }
    // Where the dialect has points of its own, each number comes with the one to give.
    let place = |at| place(engine, picture, at).map(|(x, y)| format!(" at ({x}, {y})"));
    let spoken = engine.dialect.info().space.is_some();
    let text = engine.marks.list(|at| spoken.then(|| place(at)).flatten())?;
    Some(Fragment::new("marks", Slot::User, Provenance::Screen, text, settings.cap_tokens))
}

pub(super) async fn context(engine: &mut Engine, percept: Percept) -> Result<Prompt, Interruption> {
    let began = engine.stopwatch.now();
    let Percept { frame, findings, .. } = percept;
    let picture = super::picture(engine, &frame)?;
    let read = screen_text::told(engine, &picture.geometry, &findings);
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
    let mut beside = beside(engine, &task);
    beside.extend(marks(engine, &picture.geometry));
    beside.extend(words);
    beside.extend(read);
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
    let prompt = fit::converse(engine, prompt, beside).await;
    engine.geometry = Some(frame.geometry);
    engine.timings.context = engine.millis_since(began);
    Ok(prompt)
}
