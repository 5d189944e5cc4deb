//! Settle: waits until the screen is calm. Damage events only save captures that would be equal; the verdict is that of the
//! samples, and our own HUD does not count.

use crate::ending::Interruption;
use crate::engine::Engine;
use crate::progress::Event;
use crate::target;
use crate::turn::recheck;
use handsight_base::flow::decision::Choice;
use handsight_base::flow::receipt::Receipt;
use handsight_base::flow::settled::{Calm, Settled};
use handsight_base::port::desktop::{CaptureRequest, OverlayInCapture};
use handsight_vision::settle::{Detector, Step};
use std::time::Duration;

pub(super) async fn settle(engine: &mut Engine, receipt: Receipt) -> Result<Settled, Interruption> {
    let (began, started) = (engine.clock.now(), engine.stopwatch.now());
    let acted = match receipt.decision.choice {
        Choice::Act(_) | Choice::Observe => true,
        Choice::Ask { .. } | Choice::Done { .. } | Choice::Refused(_) => false,
    };
    let (calm, samples) = if acted { settle_down(engine).await? } else { (Calm::Skipped, 0) };
    let waited = engine.clock.now().saturating_sub(began);
    engine.timings.settle = engine.millis_since(started);
    Ok(Settled { receipt, calm, samples, waited })
}

/// Samples the screen until it is calm or the limit passes; the number of samples with it.
pub(crate) async fn settle_down(engine: &mut Engine) -> Result<(Calm, u32), Interruption> {
    if !engine.profile.settle.enabled {
        return Ok((Calm::Skipped, 0));
    }
    let began = engine.clock.now();
    let shown = target::locate(engine).await?;
    let mut detector = Detector::new(engine.settle_settings());
    let interval = Duration::from_secs_f64(engine.profile.settle.check_interval_s);
    let mut samples = 0;
    let calm = loop {
        let request = CaptureRequest {
            frame: CaptureRequest::PROBE,
            shown: shown.clone(),
            region: None,
            cursor: false,
            overlay: OverlayInCapture::AsShown,
        };
        engine.hold_still().await?;
        let taken = engine.clock.now();
        let frame = engine.seat.look("settle", move |desktop| desktop.capture(&request)).await?;
        if recheck::is_on(engine) {
            // What changed up to the first look was done by the turn; from look to look the screen moves by itself.
            if samples == 0 {
                engine.restless.begin_row(frame.view())
            } else {
                engine.restless.look(frame.view())
            }
        }
        samples += 1;
        let mask = engine.hud.shown_area(&frame.geometry);
        let waited = engine.clock.now().saturating_sub(began);
        match detector.sample(frame.view(), mask.as_slice(), waited) {
            Step::Settled => break Calm::Settled,
            Step::TimedOut => break Calm::TimedOut,
            Step::Continue => {}
        }
        // A fixed interval from sample to sample, however long the capture took.
        let spent = engine.clock.now().saturating_sub(taken);
        engine.pause(interval.saturating_sub(spent)).await?;
    };
    engine.tell(Event::Settled { calm, waited: engine.clock.now().saturating_sub(began) });
    Ok((calm, samples))
}
