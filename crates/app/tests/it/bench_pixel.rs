//! The figures of the spec for what happens between capture and model, without a screen. Medians, so that a busy machine
//! does not matter; `handsight bench` measures the same on a real one and is stricter.

use handsight_base::flow::frame::Pixels;
use handsight_base::port::clock::{Clock as _, RealClock};
use handsight_base::space::{FrameRect, Size};
use handsight_pixel::blend::{Exporter, Scaling};
use handsight_pixel::font::FontStack;
use handsight_pixel::hud::{HudStyle, draw};
use std::sync::Arc;

const SCREEN: Size = Size::new(1920, 1080);

/// Milliseconds, the median of 21, after one that does not count.
fn median(mut f: impl FnMut()) -> f64 {
    let clock = RealClock::new();
    f();
    let mut samples: Vec<f64> = (0..21)
        .map(|_| {
            let began = clock.now();
            f();
            (clock.now() - began).as_secs_f64() * 1e3
        })
        .collect();
    samples.sort_by(f64::total_cmp);
    samples[10]
}

// spec: S-88 UNIT
#[test]
fn scaling_to_1536x864_stays_under_20_ms() {
    let bytes: Vec<u8> = (0..SCREEN.area() as usize * 4).map(|i| ((i * 31) >> 3) as u8).collect();
    let frame = Pixels::new(Arc::new(bytes), SCREEN, SCREEN.width as usize * 4).unwrap();
    let (pane, to) = (FrameRect::new(0, 0, 1920, 1080), Size::new(1536, 864));
    let mut exporter = Exporter::new();
    let took = median(|| {
        let picture = exporter.export(frame.view(), pane, to, Scaling::Nearest, &[]).unwrap();
        assert_eq!(picture.size(), to);
    });
    assert!(took < 20.0, "{took:.1} ms");
}

// spec: S-90 UNIT
#[test]
fn measuring_and_drawing_a_full_hud_stays_under_10_ms() {
    let mut fonts = FontStack::builtin(400);
    let paragraph =
        "The name is typed; next I press Save, and expect the dialog to close and the title to show it.";
    let mut n = 0;
    let took = median(|| {
        n += 1;
        // Another text each time, as each turn has its own reason: a drawing that is kept would measure nothing.
        let text = format!("{n}. {}", [paragraph; 8].join("\n"));
        assert!(draw(&text, SCREEN, &HudStyle::default(), &mut fonts).is_some());
    });
    assert!(took < 10.0, "{took:.1} ms");
}
