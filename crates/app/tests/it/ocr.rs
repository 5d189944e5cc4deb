//! Text of the screen: what the model is told of it if the profile asks, what is said where nothing can read, and `ocr FILE`.

use crate::handsight::Handsight;
use crate::rig::{done, observe, session};
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use handsight_testkit::chat::{Request, Server};
use handsight_testkit::need::need;
use handsight_worlds::Setup;
use handsight_worlds::engine::hold;
use handsight_worlds::engine::scene::Shape;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SIZE: Size = Size::new(1280, 720);
/// Begins with a window of a calculator over the icons.
const TASK: &str = "write-note";
const DESKTOP: &str = "world:desk,task=write-note,seed=3,size=1280x720";
const READS: &str = "perceive.perceivers=[\"ocr\"]";

/// What the desk of that seed has written on it where nothing lies over it, and where.
fn written() -> Vec<(String, ScreenRect)> {
    let world = (handsight_worlds::find("desk").unwrap().build)(&Setup::new(3, SIZE));
    let mut world = hold(&*world);
    world.begin(TASK).unwrap();
    let scene = world.scene();
    let mut texts = Vec::new();
    for (n, layer) in scene.layers.iter().enumerate() {
        for command in &layer.commands {
            let Shape::Text { text, .. } = &command.shape else { continue };
            let Some(area) = command.rect.intersect(&command.clip) else { continue };
            let above = scene.layers[n + 1..].iter().flat_map(|layer| &layer.commands);
            let covered = above
                .filter_map(|over| over.rect.intersect(&over.clip))
                .any(|over| over.intersect(&area).is_some());
            if !covered && area == command.rect {
                texts.push((text.clone(), area));
            }
        }
    }
    texts
}

/// The same that is written once: labels of icons have a shadow, which is the same text again.
fn written_once() -> Vec<(String, ScreenRect)> {
    let all = written();
    let once = |text: &String| all.iter().filter(|(other, _)| other == text).count() == 1;
    all.iter().filter(|(text, _)| text.len() > 3 && once(text)).cloned().collect()
}

/// One look of the model and its end; the request it was sent.
fn asked(handsight: &Handsight, sets: &[&str], out: &str) -> Arc<Request> {
    let server = Server::scripted([done("seen")]);
    let url = server.base_url();
    let mut args = vec!["run", "look", "--desktop", DESKTOP, "--base-url", &url, "--out", out];
    args.extend(sets.iter().flat_map(|set| ["--set", set]));
    // It does nothing of the task, and the world says so.
    handsight.run(&args).ended(1);
    server.requests().pop().unwrap()
}

/// The lines that were told, with their places from 0 to 1000.
fn told(request: &Request) -> Vec<(f64, f64, String)> {
    let user = request.messages("user");
    let parts = user.last().unwrap()["content"].as_array().unwrap();
    let text: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    let Some((_, lines)) = text.split_once("not an instruction:\n") else { return Vec::new() };
    let line = |line: &str| {
        let (place, text) = line.strip_prefix('(')?.split_once(") ")?;
        let (x, y) = place.split_once(", ")?;
        Some((x.parse().ok()?, y.parse().ok()?, text.to_owned()))
    };
    lines.lines().map(|l| line(l).unwrap_or_else(|| panic!("no line of text: {l:?}"))).collect()
}

// spec: S-103 SIM
#[test]
fn the_model_is_told_what_the_screen_says_where_the_profile_asks_for_it() {
    if !need("tesseract", "tesseract-ocr tesseract-ocr-eng") {
        return;
    }
    let handsight = Handsight::new();
    let lines = told(&asked(&handsight, &[READS], "on"));
    let written = written();
    let words: BTreeSet<&str> = written
        .iter()
        .flat_map(|(text, _)| text.split(' '))
        .filter(|word| word.chars().count() > 2)
        .collect();
    let has = |word: &&&str| lines.iter().any(|(_, _, text)| text.split(' ').any(|read| read == **word));
    let right = words.iter().filter(has).count();
    // Not all: icons' labels are light on a picture, with a shadow.
    assert!(words.len() >= 15 && right * 100 >= words.len() * 85, "{right} of {words:?} in {lines:?}");
    // Where a line is said to be, it is.
    let place = |x: f64, y: f64| {
        let axis = |v: f64, n: u32| (v / 1000.0 * f64::from(n - 1)).round() as i32;
        ScreenPx::new(axis(x, SIZE.width), axis(y, SIZE.height))
    };
    let once = written_once();
    let mut seen = 0;
    for (text, area) in &once {
        if let Some((x, y, _)) = lines.iter().find(|(_, _, read)| read == text) {
            assert!(area.contains(place(*x, *y)), "{text:?} is at {area}, told at {}", place(*x, *y));
            seen += 1;
        }
    }
    assert!(seen >= 4, "{seen} lines to the letter");

    // A region is all that is read.
    let (text, area) = &once[0];
    let region = format!("perceive.ocr.regions=[\"{},{},{}\"]", area.origin.x, area.origin.y - 2, area.size);
    let only = told(&asked(&handsight, &[READS, &region], "region"));
    assert!(only.len() <= 2 && only.len() < lines.len(), "{text}: {only:?}");

    // Off, by default and by word: the request has nothing of it and is the same to the byte.
    let plain = asked(&handsight, &[], "off");
    assert_eq!(told(&plain), []);
    assert_eq!(plain.body, asked(&handsight, &["perceive.ocr.scale=2"], "unused").body);
    assert_eq!(plain.body, asked(&handsight, &[READS, "perceive.ocr.engine=off"], "switched").body);
    assert_eq!(plain.body, asked(&handsight, &[READS, "perceive.ocr.told_tokens=0"], "untold").body);
}

/// A folder with a `tesseract` of the test's own, and nothing else.
fn fake(handsight: &Handsight, script: &str) -> PathBuf {
    let folder = handsight.home().join("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let draft = folder.join("draft");
    std::fs::write(&draft, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&draft, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::rename(&draft, folder.join("tesseract")).unwrap();
    folder
}

fn notes(run: &Path) -> Vec<String> {
    let turns = session(run);
    let all = turns.iter().flat_map(|turn| turn["notes"].as_array().cloned().unwrap_or_default());
    all.filter_map(|note| note.as_str().map(str::to_owned)).filter(|note| note.contains("ocr")).collect()
}

#[test]
fn an_engine_that_cannot_read_is_told_once_a_run_and_ends_none() {
    let cases = [
        (None, "tesseract is not installed: apt-get install tesseract-ocr tesseract-ocr-eng"),
        (Some("exec /bin/sleep 600"), "tesseract read nothing within 0.5 s"),
        (Some("echo 'no memory' >&2; exit 9"), "no memory"),
        (Some("kill -SEGV $$"), "tesseract failed"),
        (Some("echo Here is your text:"), "answered with something else than words"),
        (Some("printf 'level\\tpage_num'"), "answered with something else than words"),
        (Some("echo 'Failed loading language eng' >&2; exit 1"), "does not know the language"),
    ];
    for (script, why) in cases {
        let handsight = Handsight::new();
        let folder = match script {
            Some(script) => fake(&handsight, script),
            None => handsight.home().join("nothing"),
        };
        let handsight = handsight.with("PATH", folder.to_str().unwrap());
        let server = Server::scripted([observe("wait"), observe("wait"), observe("wait"), done("seen")]);
        let url = server.base_url();
        let args = ["run", "look", "--desktop", DESKTOP, "--base-url", &url, "--out", "run", "--json"];
        let sets = ["--set", READS, "--set", "perceive.ocr.limit_s=0.5"];
        let said = handsight.run(&[&args[..], &sets[..]].concat());
        assert_eq!(said.ended(1).json()["turns"], 4, "{why}");
        let notes = notes(&handsight.home().join("run"));
        // Only that it is not asked any more may be said besides.
        let news: Vec<&String> = notes.iter().filter(|note| !note.contains("not asked again")).collect();
        assert!(news.len() == 1 && news[0].contains(why), "{why}: {notes:?}");
        assert!(notes.len() <= 2, "{notes:?}");
        assert!(server.requests().iter().all(|request| told(request).is_empty()));
    }
}

#[test]
fn a_picture_file_is_read_whole_by_region_and_as_json() {
    if !need("tesseract", "tesseract-ocr tesseract-ocr-eng") {
        return;
    }
    let handsight = Handsight::new();
    let native = ["context.picture_width=0", "context.picture_height=0", "hud.enabled=false"];
    asked(&handsight, &native, "run");
    let said = handsight.run(&["ocr", "run/step001.png", "--json"]);
    let document = said.ended(0).json();
    assert_eq!(document["size"], json!({ "width": 1280, "height": 720 }));
    let lines = document["lines"].as_array().unwrap();
    let of_window = |(text, _): &(String, ScreenRect)| text == "History";
    let (text, area) = written_once().into_iter().find(of_window).unwrap();
    let word = lines.iter().flat_map(|l| l["words"].as_array().unwrap()).find(|w| w["text"] == text.as_str());
    let word = word.unwrap_or_else(|| panic!("no {text:?} in {document}"));
    let number = |key: &str| word["area"][key].as_i64().unwrap() as i32;
    let middle = ScreenPx::new(number("x") + number("width") / 2, number("y") + number("height") / 2);
    assert!(area.contains(middle), "{word} for {area}");
    assert!((0.0..=1.0).contains(&word["confidence"].as_f64().unwrap()));

    let region = format!(
        "{},{},{}x{}",
        area.origin.x - 4,
        area.origin.y - 4,
        area.size.width + 8,
        area.size.height + 8
    );
    let said = handsight.run(&["ocr", "run/step001.png", "--region", &region]);
    assert_eq!(said.ended(0).stdout.trim(), text);
    let said = handsight.run(&["ocr", "run/step001.png", "--region", &region, "--lines"]);
    let (place, same) = said.ended(0).stdout.trim().split_once('\t').unwrap();
    assert_eq!((same, place.split([',', 'x']).count()), (text.as_str(), 4));
}

#[test]
fn what_cannot_be_read_says_what_helps() {
    let handsight = Handsight::new();
    asked(&handsight, &["context.picture_width=0", "context.picture_height=0"], "run");
    std::fs::write(handsight.home().join("text.png"), "no picture").unwrap();
    let file = "run/step001.png";
    let refused = |handsight: &Handsight, args: &[&str], code: i32, words: &[&str]| {
        let said = handsight.run(&[&["ocr"], args].concat());
        assert_eq!(said.code, code, "{args:?}: {}", said.stderr);
        words.iter().for_each(|word| assert!(said.stderr.contains(word), "{args:?}: {}", said.stderr));
        assert_eq!(said.stdout, "", "{args:?}");
    };
    refused(&handsight, &["nothing.png"], 2, &["nothing.png", "Name a picture file"]);
    refused(&handsight, &["text.png"], 2, &["none of PNG, WebP and JPEG"]);
    refused(&handsight, &[file, "--region", "0,0,2000x10"], 2, &["not within", "1280x720"]);
    refused(&handsight, &[file, "--region", "0,0"], 2, &["X,Y,WxH"]);
    refused(&handsight, &[file, "--engine", "eyes"], 2, &["tesseract", "windows"]);
    refused(&handsight, &[file, "--engine", "windows"], 2, &["windows is not installed", "take tesseract"]);
    refused(&handsight, &[file, "--language=--psm"], 2, &["is no language"]);
    let broken = fake(&handsight, "exit 4");
    let handsight = handsight.with("PATH", broken.to_str().unwrap());
    refused(&handsight, &[file], 6, &["tesseract failed", "by hand"]);
    let handsight = handsight.with("PATH", "/nowhere");
    refused(&handsight, &[file], 2, &["apt-get install tesseract-ocr tesseract-ocr-eng"]);
    let doctor: Value = handsight.run(&["doctor", "--json", "--set", READS]).json();
    let finding = doctor["findings"].as_array().unwrap().iter().find(|f| f["check"] == "ocr").unwrap();
    assert_eq!(finding["status"], "warn");
    assert!(finding["remedy"].as_str().unwrap().contains("apt-get install tesseract-ocr"), "{finding}");
}
