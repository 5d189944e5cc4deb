//! Capture: shows the HUD, finds the target afresh and takes the frame.

use crate::ending::Interruption;
use crate::engine::Engine;
use crate::progress::Event;
use crate::target;
use handsight_base::flow::frame::{Frame, Shown};
use handsight_base::lifts::Lifted;
use handsight_base::port::desktop::{CaptureRequest, OverlayInCapture};
use handsight_base::space::FrameId;
use handsight_vision::suspicion;

pub(crate) async fn capture(engine: &mut Engine) -> Result<Frame, Interruption> {
    engine.hold_still().await?;
    tell_of_lifts(engine);
    let began = engine.stopwatch.now();
    let shown = target::locate(engine).await?;
    show_hud(engine).await?;
    let request = CaptureRequest {
        frame: FrameId(engine.next_frame()),
        shown,
        region: None,
        cursor: engine.profile.capture.cursor,
        overlay: if engine.profile.hud.in_picture {
            OverlayInCapture::AsShown
        } else {
            OverlayInCapture::Hidden
        },
    };
    let mut frame = engine.seat.look("capture", move |desktop| desktop.capture(&request)).await?;
    engine.captured_unix_millis = engine.clock.unix_millis();
    find_pointer(engine).await?;
    if frame.suspicion.is_none() {
        frame.suspicion = suspicion::of(frame.view());
    }
    if let Some(suspicion) = frame.suspicion {
        engine.notes.push(format!("the picture is suspect: {suspicion:?}"));
    }
    let took = engine.stopwatch.now().saturating_sub(began);
    engine.timings.capture = took.as_secs_f64() * 1e3;
    engine.tell(Event::Captured { size: frame.size(), suspicion: frame.suspicion, took });
    Ok(frame)
}

/// A model that pressed a button in one turn, to release it in a later one, goes by it that the button is down.
fn tell_of_lifts(engine: &mut Engine) {
    let Some(lifted) = engine.seat.lifts.take() else { return };
    let why = match lifted {
        Lifted::TooLong => format!("nothing is held for longer than {} s", engine.profile.act.max_hold_s),
        Lifted::Silence => "the program that works this screen stood still".to_owned(),
        Lifted::Released => "everything is released after a failure and before a wait".to_owned(),
    };
    engine.tell_beside(&format!("What was held down has been released: {why}. A drag under way is over"));
}

/// Asks where the pointer is, if something is drawn there: a person may have moved it. A desktop that cannot say leaves it where
/// the hands put it.
async fn find_pointer(engine: &mut Engine) -> Result<(), Interruption> {
    if engine.profile.context.annotate.at_pointer() {
        let at = engine.seat.look("pointer", |desktop| desktop.pointer()).await?;
        engine.pointer = at.or(engine.pointer);
    }
    Ok(())
}

/// Puts the carried text on the screen, where the desktop has a place for it (S-60). Elsewhere the context stage blends it
/// into the picture.
async fn show_hud(engine: &mut Engine) -> Result<(), Interruption> {
    if !has_hud(engine) {
        return Ok(());
    }
    let shown = target::locate(engine).await?;
    show_on(engine, &shown).await
}

/// The same in the middle of a wait, when no window is brought back for it.
pub(crate) async fn show_words(engine: &mut Engine) -> Result<(), Interruption> {
    if !has_hud(engine) {
        return Ok(());
    }
    let shown = match engine.target_window {
        Some(window) => Shown::Window(window.0),
        None => target::locate(engine).await?,
    };
    show_on(engine, &shown).await
}

fn has_hud(engine: &Engine) -> bool {
    // A text that is there already is shown again: another window may lie over it by now (S-59), and after a loss the desktop
    // is a new connection that shows nothing.
    let nothing_to_do = engine.hud_text().is_empty() && engine.hud.is_clear();
    engine.profile.hud.enabled && engine.seat.info.capabilities.overlay && !nothing_to_do
}

async fn show_on(engine: &mut Engine, shown: &Shown) -> Result<(), Interruption> {
    let area = target::area(engine, shown).await?;
    let text = engine.hud_text().into_owned();
    let overlay = engine.hud.overlay(&text, area);
    let on_screen = overlay.as_ref().map(|o| o.area);
    engine.seat.look("overlay", move |desktop| desktop.overlay(overlay.as_ref())).await?;
    engine.hud.set_shown(on_screen);
    Ok(())
}
