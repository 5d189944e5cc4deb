//! `bench` on a real X server: every part measured, with figures that no machine should miss by far.
//!
//! Budgets are not asserted here: a busy machine would fail them. The reference figures of the spec are, being generous.

use crate::handsight::{Handsight, run};
use crate::rig::{PATIENCE, Rig};
use handsight_testkit::witness::What;
use handsight_testkit::xvfb::Xvfb;
use serde_json::Value;

/// The figure of this name.
#[track_caller]
fn figure<'a>(said: &'a Value, part: &str, name: &str) -> &'a Value {
    let figures = said["parts"][part].as_array().unwrap_or_else(|| panic!("no part {part}: {said:#}"));
    figures.iter().find(|f| f["name"] == name).unwrap_or_else(|| panic!("no {name} in {part}: {said:#}"))
}

#[track_caller]
fn median(said: &Value, part: &str, name: &str) -> f64 {
    figure(said, part, name)["median"].as_f64().unwrap()
}

/// A screen of the size the figures are about. `None` if Xvfb is missing.
fn full_hd() -> Option<Rig> {
    let x = Xvfb::with(1920, 1080, &[])?;
    let handsight = Handsight::new().with("DISPLAY", x.display());
    Some(Rig { x, handsight })
}

#[track_caller]
fn bench(rig: &Rig, args: &[&str]) -> Value {
    let said = run(rig.handsight.command(&[&["bench", "--quiet"], args].concat()), PATIENCE);
    said.ended(0);
    said.json()
}

// spec: S-87 S-91 XVFB
#[test]
fn every_part_is_measured_and_the_screen_feels_it() {
    let Some(rig) = full_hd() else { return };
    let mut witness = rig.witness();
    // Below the pointer, which an X server puts in the middle.
    witness.open(860, 440, 200, 200);
    let said = bench(&rig, &["--runs", "3", "--json"]);
    let size = (said["screen"]["width"].as_u64().unwrap(), said["screen"]["height"].as_u64().unwrap());
    assert_eq!(size, (1920, 1080), "the rows are about this size");
    let parts = said["parts"].as_object().unwrap();
    let names: Vec<&str> = parts.keys().map(String::as_str).collect();
    let all = "capture scale png formats annotate hud tree ocr input path journal turn start memory binary";
    assert_eq!(names.join(" "), all);
    for figure in parts.values().flat_map(|figures| figures.as_array().unwrap()) {
        let number = |key: &str| figure[key].as_f64().unwrap_or_else(|| panic!("{key}: {figure:#}"));
        let (least, median, most) = (number("min"), number("median"), number("p95"));
        assert!(0.0 < least && least <= median && median <= most, "{figure:#}");
    }
    assert!(median(&said, "capture", "capture with cursor") < 50.0);
    assert!(
        median(&said, "capture", "capture / bare") > 0.5,
        "less than the server's own part is no capture"
    );
    let direct = median(&said, "input", "parse + gate + inject");
    let waited = median(&said, "input", "input with its delay");
    assert!(waited >= 100.0 && waited < 100.0 + direct + 100.0, "{waited} ms with a delay of 100 ms");
    // What was timed as a click was one, as an independent client saw it: those of `input` twice, of `path`, `turn`, `start` and
    // `memory`, and some that were not counted.
    let presses = witness.presses();
    let downs = presses.iter().filter(|p| matches!(p, What::Button { button: 1, down: true })).count();
    assert!(downs >= 3 + 3 + 3 + 3 + 3 + 3, "{downs} clicks");
    assert_eq!(presses.len(), downs * 2, "every press has its release");
    let left: Vec<_> =
        std::fs::read_dir(rig.handsight.home()).unwrap().flatten().map(|e| e.file_name()).collect();
    assert!(!left.iter().any(|n| n.to_string_lossy().starts_with(".handsight-bench")), "{left:?}");
}

#[test]
fn one_part_alone_and_a_table_for_people() {
    let Some(rig) = Rig::new() else { return };
    let said = run(
        rig.handsight.command(&["bench", "--only", "scale", "--only", "binary", "--runs", "2"]),
        PATIENCE,
    );
    said.ended(0).told("clicks fall where the pointer is");
    let lines: Vec<&str> = said.stdout.lines().collect();
    let starts = ["", "scale to 1536x864", "scale, bilinear", "scale, Lanczos", "binary", "2 runs"];
    assert_eq!(lines.len(), starts.len(), "{said:#?}");
    for (line, start) in lines.iter().zip(starts) {
        assert!(line.trim_start().starts_with(start), "{line:?}");
    }
    rig.handsight.run(&["bench", "--only", "everything"]).ended(2).told("[possible values: capture, scale");
    rig.handsight.run(&["bench", "--runs", "0"]).ended(2).told("from 1 to 10000");
    rig.handsight.run(&["bench", "--desktop", "replay:x"]).ended(2).told("only a real screen");
}
