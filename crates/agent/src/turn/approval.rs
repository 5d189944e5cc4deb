//! Approval: what the gate is told of the moment, and a person where the policy wants one to agree.

use crate::confirm;
use crate::ending::Interruption;
use crate::engine::Engine;
use handsight_base::flow::action::Action;
use handsight_base::gate::{Approved, Refusal, Scene};
use handsight_base::port::desktop::Window;
use handsight_base::space::{FrameGeometry, ScreenPx};

/// The action approved, or in words why not.
pub(super) async fn approve(
    engine: &mut Engine,
    action: &Action,
    geometry: &FrameGeometry,
) -> Result<Result<Approved<Action>, String>, Interruption> {
    let (windows, pointer) = surroundings(engine).await;
    let scene = scene(engine, geometry, windows.as_deref(), pointer);
    let asked = match engine.gate.approve(action.clone(), &scene) {
        Ok(approved) => return Ok(Ok(approved)),
        Err(Refusal::Ask(asked)) => asked,
        Err(refusal) => return Ok(Err(refusal.to_string())),
    };
    let answer = confirm::agreed(engine, action, asked).await?;
    // While the person read, the windows may have changed.
    let (windows, pointer) = surroundings(engine).await;
    let scene = self::scene(engine, geometry, windows.as_deref(), pointer);
    Ok(engine.gate.approve_answered(action.clone(), &scene, answer).map_err(|refusal| refusal.to_string()))
}

fn scene<'a>(
    engine: &'a Engine,
    geometry: &'a FrameGeometry,
    windows: Option<&'a [Window]>,
    pointer: Option<ScreenPx>,
) -> Scene<'a> {
    let done = engine.past.done(engine.stopwatch.now());
    Scene { held: engine.past.held(), windows, pointer, done, ..Scene::new(geometry, engine.turn) }
}

/// Which windows there are and where the pointer is, if a rule goes by that. What cannot be told is `None`, and rules fail closed.
async fn surroundings(engine: &mut Engine) -> (Option<Vec<Window>>, Option<ScreenPx>) {
    if !engine.gate.looks_at_windows() {
        return (None, None);
    }
    let capabilities = engine.seat.info().capabilities;
    let windows = if capabilities.windows {
        engine.seat.look("windows", |desktop| desktop.layers()).await.ok()
    } else {
        None
    };
    let pointer = if capabilities.pointer {
        engine.seat.look("pointer", |desktop| desktop.pointer()).await.ok().flatten()
    } else {
        engine.pointer
    };
    (windows, pointer)
}
