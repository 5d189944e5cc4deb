//! Context: what the model gets to see, in bounded fragments and one picture.

use crate::ending::Interruption;
use crate::engine::Engine;
use crate::profile::Fit;
use handsight_base::flow::frame::Frame;
use handsight_base::flow::percept::Percept;
use handsight_base::flow::prompt::{Fragment, Picture, Prompt, Provenance, Slot};
use handsight_base::space::{PictureGeometry, Size};
use handsight_pixel::blend::Scaling;
use handsight_pixel::canvas::Canvas;
use handsight_pixel::scale;

/// The shipped prompts are about 600 tokens, and tools about 60 each.
const PROMPT_CAP_TOKENS: u32 = 8_000;

pub(super) async fn context(engine: &mut Engine, percept: Percept) -> Result<Prompt, Interruption> {
    let began = engine.clock.now();
    let frame = percept.frame;
    let picture = picture(engine, &frame)?;
    let task = Fragment::new(
        "task",
        Slot::System,
        Provenance::User,
        &engine.task,
        engine.profile.context.task_cap_tokens,
    );
    let text =
        engine.profile.prompt.replace("{{tools}}", &engine.tools.prompt()).replace("{{task}}", task.text());
    let cap = PROMPT_CAP_TOKENS + engine.profile.context.task_cap_tokens;
    let system = Fragment::new("system", Slot::System, Provenance::User, text, cap);
    let prompt = Prompt {
        fragments: vec![system],
        pictures: vec![picture],
        tools: engine.tools.specs(),
        sampling: engine.profile.decide.sampling(),
        frame: frame.geometry,
        captured_at: frame.at,
    };
    engine.geometry = Some(frame.geometry);
    engine.timings.context = engine.millis_since(began);
    Ok(prompt)
}

/// The frame as the model gets it: scaled, with the HUD on it where the desktop shows none, encoded once.
pub(crate) fn picture(engine: &mut Engine, frame: &Frame) -> Result<Picture, Interruption> {
    let settings = &engine.profile.context;
    let within = Size::new(settings.picture_width, settings.picture_height);
    let fit = match settings.fit {
        Fit::Stretch => scale::Fit::Stretch,
        Fit::KeepAspect => scale::Fit::KeepAspect,
    };
    let size = fit.size(frame.size(), within);
    let capabilities = engine.seat.info().capabilities;
    let on_screen = capabilities.overlay && capabilities.overlay_in_capture;
    let layer = if engine.profile.hud.enabled && !on_screen {
        engine.hud.layer(&engine.carry, frame.size())
    } else {
        None
    };
    let pane = frame.geometry.whole();
    let layers: Vec<&Canvas> = layer.as_deref().into_iter().collect();
    let picture = engine.exporter.export(frame.view(), pane, size, Scaling::Nearest, &layers);
    let bytes =
        picture.map_err(|e| e.to_string()).and_then(|p| engine.png.encode(p).map_err(|e| e.to_string()));
    let bytes = bytes.map_err(Interruption::Picture)?;
    Ok(Picture {
        bytes: bytes.into(),
        media_type: "image/png",
        geometry: PictureGeometry { frame: frame.id(), pane, size },
    })
}
