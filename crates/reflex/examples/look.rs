//! What the eye sees: `cargo run --release -p handsight-reflex --example look -- PICTURE.png ...`

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a tool for a person, who wants to know how long it took"
)]

use handsight_reflex::eye;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in std::env::args().skip(1) {
        let bytes = std::fs::read(&file)?;
        let scene = eye::look(&bytes)?;
        let mut times: Vec<f64> = (0..15)
            .map(|_| {
                let began = Instant::now();
                let _ = eye::look(&bytes);
                began.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!(
            "{file}: a screen of {}, {} pixels a unit, {:.2} ms",
            scene.screen,
            scene.unit,
            times[times.len() / 2]
        );
        if let Some(hud) = &scene.hud {
            println!("  hud   {hud:?}");
        }
        for line in &scene.lines {
            println!(
                "  line  {:?} {} px{} {:.2}, {}",
                line.text,
                line.em,
                if line.bold { " bold" } else { "" },
                line.confidence,
                line.area
            );
        }
        for mark in &scene.marks {
            println!(
                "  mark  {} {:?}, {}",
                if mark.on { "on" } else { "off" },
                scene.lines[mark.label].text,
                mark.area
            );
        }
        for pane in &scene.panes {
            println!("  pane  #{:06x} border {:x?}, {}", pane.fill, pane.border, pane.area);
        }
        for sign in &scene.signs {
            println!("  sign  {sign}");
        }
        for caret in &scene.carets {
            println!("  caret {caret}");
        }
    }
    Ok(())
}
