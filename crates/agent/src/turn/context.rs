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
    let began = engine.stopwatch.now();
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
        history: Vec::new(),
        frame: frame.geometry,
        captured_at: frame.at,
    };
    engine.geometry = Some(frame.geometry);
    engine.timings.context = engine.millis_since(began);
    Ok(prompt)
}

/// The frame as the model gets it: scaled, with the HUD on it where the desktop shows none, encoded once. Only what is over the
/// provider's limit is encoded again, smaller.
pub(crate) fn picture(engine: &mut Engine, frame: &Frame) -> Result<Picture, Interruption> {
    let settings = &engine.profile.context;
    let within = Size::new(settings.picture_width, settings.picture_height);
    let fit = match settings.fit {
        Fit::Stretch => scale::Fit::Stretch,
        Fit::KeepAspect => scale::Fit::KeepAspect,
    };
    let full = fit.size(frame.size(), within);
    let capabilities = engine.seat.info().capabilities;
    let on_screen = capabilities.overlay && capabilities.overlay_in_capture;
    let layer = if engine.profile.hud.enabled && !on_screen {
        engine.hud.layer(&engine.carry, frame.size())
    } else {
        None
    };
    let layers: Vec<&Canvas> = layer.as_deref().into_iter().collect();
    let (mut size, mut bytes) = (full, encode(engine, frame, full, &layers)?);
    if let Some(limit) = engine.model.picture_limit()
        && sent(&bytes) > limit
    {
        let whole = sent(&bytes);
        for eighths in (1..=eighths(whole, limit)).rev() {
            size = Size::new((full.width * eighths / 8).max(1), (full.height * eighths / 8).max(1));
            bytes = encode(engine, frame, size, &layers)?;
            if sent(&bytes) <= limit {
                break;
            }
        }
        // Where even the smallest does not fit, the model's refusal says so.
        engine.notes.push(format!(
            "the picture was made {size} instead of {full}, which is {whole} bytes where the provider takes {limit}"
        ));
    }
    Ok(Picture {
        bytes: bytes.into(),
        media_type: "image/png",
        geometry: PictureGeometry { frame: frame.id(), pane: frame.geometry.whole(), size },
    })
}

fn encode(
    engine: &mut Engine,
    frame: &Frame,
    size: Size,
    layers: &[&Canvas],
) -> Result<Vec<u8>, Interruption> {
    let pane = frame.geometry.whole();
    let picture = engine.exporter.export(frame.view(), pane, size, Scaling::Nearest, layers);
    picture
        .map_err(|e| e.to_string())
        .and_then(|p| engine.png.encode(p).map_err(|e| e.to_string()))
        .map_err(Interruption::Picture)
}

/// Bytes of a picture in Base64.
const fn sent(bytes: &[u8]) -> u64 {
    (bytes.len() as u64).div_ceil(3) * 4
}

/// How many eighths of its sides a picture may keep, by the rule that bytes go with the area: 1 to 7.
fn eighths(bytes: u64, limit: u64) -> u32 {
    // What is drawn smaller has more detail in each pixel, so a tenth is kept back.
    let share = limit as f64 / bytes.max(1) as f64 * 0.9;
    ((share.sqrt() * 8.0) as u32).clamp(1, 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_shrink_with_the_root_of_the_bytes_and_by_one_step_at_least() {
        let of = |limit| eighths(1_000_000, limit);
        assert_eq!([of(999_999), of(500_000), of(250_000), of(100_000), of(1)], [7, 5, 3, 2, 1]);
        assert_eq!([sent(&[0; 750]), sent(&[0; 751])], [1000, 1004]);
    }
}
