//! Places through every dialect: written by an independent writer, read by the dialect, the same within its quantum.

use super::cases::built;
use super::*;
use handsight_base::flow::action::{Action, Button};
use handsight_base::flow::intent::Intent;
use handsight_base::key::Modifiers;
use handsight_base::port::dialect::PointSpace;
use handsight_base::port::model::ToolCall;
use handsight_base::space::{At, FramePx, Norm1000, Rounding};
use handsight_model::DIALECTS;
use handsight_model::dialect::DialectEntry;
use handsight_testkit::written::{Written, writer};

/// Of each dialect, over all sizes.
const PLACES: u32 = 10_000;

/// Screens, and about how large their pictures may be.
const SIZES: [(Size, Size); 5] = [
    (Size::new(1920, 1080), Size::new(1536, 864)),
    (Size::new(1280, 720), Size::new(1280, 720)),
    (Size::new(2560, 1440), Size::new(1024, 768)),
    (Size::new(1366, 768), Size::new(1920, 1080)),
    (Size::new(1080, 1920), Size::new(1300, 1300)),
];

pub(super) fn reply(written: Written) -> ModelReply {
    let call = |(n, (name, arguments)): (usize, (String, Value))| ToolCall {
        id: format!("call_{n}"),
        name,
        arguments: arguments.to_string(),
    };
    ModelReply {
        text: written.text,
        calls: written.calls.into_iter().enumerate().map(call).collect(),
        ..ModelReply::default()
    }
}

/// The place that one intent names.
fn place(intent: &Intent, picture: &PictureGeometry) -> Option<FramePx> {
    match intent {
        Intent::Act(action) => action.spots().first().map(|at| at.point),
        Intent::Call { args, .. } => {
            let point = Norm1000::new(args.get("x")?.as_f64()?, args.get("y")?.as_f64()?);
            Some(picture.frame_from_norm1000(point, Rounding::RoundToLast).ok()?.point)
        }
        Intent::Look(_) | Intent::Ask { .. } | Intent::Done { .. } => None,
    }
}

/// By how much a place may be off, in frame pixels: one step of the numbers that it is written in.
fn step(entry: &DialectEntry, picture: &PictureGeometry) -> (f64, f64) {
    let axis = |pane: u32, size: u32| match entry.info.space {
        Some(PointSpace::Picture) => f64::from(pane) / f64::from(size),
        Some(PointSpace::Norm1000 | PointSpace::Norm1) | None => f64::from(pane) / 1000.0,
    };
    let (pane, size) = (picture.pane.size, picture.size);
    (axis(pane.width, size.width).max(1.0), axis(pane.height, size.height).max(1.0))
}

#[test]
fn every_dialect_brings_a_place_through() {
    let mut silent = Vec::new();
    for entry in DIALECTS {
        let name = entry.info.name;
        let dialect = built(name);
        let writer = writer(name).unwrap_or_else(|| panic!("{name} has no writer"));
        let (mut worst, mut read) = ((0, 0), 0u32);
        for (screen, within) in SIZES {
            let size = dialect.picture_size(screen, within).unwrap_or(within);
            let pane = FrameRect::new(0, 0, screen.width, screen.height);
            let picture = PictureGeometry { frame: FrameId(1), pane, size };
            let (allowed_x, allowed_y) = step(entry, &picture);
            for n in 0..PLACES / SIZES.len() as u32 {
                // Low-discrepancy, with the corners first.
                let (w, h) = (screen.width - 1, screen.height - 1);
                let point = match n {
                    0 => FramePx::new(0, 0),
                    1 => FramePx::new(w as i32, h as i32),
                    2 => FramePx::new(w as i32, 0),
                    _ => {
                        FramePx::new((n * 40_503 % screen.width) as i32, (n * 25_717 % screen.height) as i32)
                    }
                };
                let at = At { point, frame: FrameId(1) };
                let click = Action::Click {
                    at: Some(at),
                    button: Button::Left,
                    count: 1,
                    modifiers: Modifiers::NONE,
                };
                let Some(written) = (writer.write)(&Intent::Act(click.clone()), &picture) else { break };
                let reply = reply(written);
                let decoded = dialect
                    .decode(&reply, &picture)
                    .unwrap_or_else(|e| panic!("{name} {point}: {e} {reply:?}"));
                let clicks = decoded
                    .plan
                    .iter()
                    .filter(|p| !matches!(p.intent, Intent::Act(Action::Move { .. })))
                    .count();
                assert_eq!(clicks, 1, "{name}: {:?}", decoded.plan);
                let back =
                    place(&decoded.plan[0].intent, &picture).unwrap_or_else(|| panic!("{name}: {decoded:?}"));
                let off = ((back.x - point.x).abs(), (back.y - point.y).abs());
                assert!(
                    f64::from(off.0) <= allowed_x && f64::from(off.1) <= allowed_y,
                    "{name} at {size} of {screen}: {point} came back as {back}"
                );
                worst = (worst.0.max(off.0), worst.1.max(off.1));
                read += 1;
            }
        }
        println!("{name:<28} {read:>6} places, at most {worst:?} pixels off");
        match read {
            0 => silent.push(name),
            read => assert_eq!(read, PLACES, "{name}"),
        }
    }
    assert_eq!(silent, ["script"], "these wrote no click");
}
