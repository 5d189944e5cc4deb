//! The reader beside engines that are missing, crash, hang or answer with anything: each is a program of the test's own.
#![cfg(unix)]

use super::*;
use handsight_base::flow::frame::{Pixels, Shown};
use handsight_base::port::clock::{Clock as _, RealClock};
use handsight_base::space::{FrameGeometry, FrameId, ScreenPx, Size};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use tempfile::TempDir;

/// A program that a shell runs.
struct Fake {
    folder: TempDir,
}

impl Fake {
    fn new(script: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let program = folder.path().join("tesseract");
        // Written beside it and renamed: what is open for writing cannot be started.
        let draft = folder.path().join("draft");
        std::fs::write(&draft, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&draft, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::rename(&draft, &program).unwrap();
        Self { folder }
    }

    fn settings(&self) -> Settings {
        Settings {
            program: self.folder.path().join("tesseract"),
            limit: Duration::from_secs(30),
            processes: 1,
            ..Settings::default()
        }
    }

    /// How often it was started, if it says so.
    fn starts(&self) -> usize {
        std::fs::read_to_string(self.folder.path().join("starts")).unwrap_or_default().lines().count()
    }
}

/// Two lines, of 60x12 and 30x12 pixels, each a row of stems.
fn pixels() -> Pixels {
    let size = Size::new(200, 100);
    let mut bgrx = vec![255u8; size.area() as usize * 4];
    for (top, length) in [(20, 60), (60, 30)] {
        for (x, y) in (20..20 + length).step_by(4).flat_map(|x| (top..top + 12).map(move |y| (x, y))) {
            bgrx[(y * 200 + x) * 4..][..3].fill(0);
        }
    }
    Pixels::new(Arc::new(bgrx), size, 800).unwrap()
}

fn frame() -> Frame {
    let geometry = FrameGeometry {
        frame: FrameId(1),
        size: Size::new(200, 100),
        origin: ScreenPx::new(0, 0),
        scale: 1.0,
    };
    let shown = Shown::AllDisplays;
    Frame { geometry, shown, at: Duration::ZERO, pixels: pixels(), cursor: false, suspicion: None }
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn read(settings: Settings) -> Result<Reading, OcrError> {
    run(Reader::new(settings).read(&pixels(), &Stop::new()))
}

/// An answer for these two lines at scale 3: their pages are as large as they are, thrice, and a margin.
fn answer(words: [&str; 2]) -> String {
    let sizes: Vec<Size> = crate::segment::segment(pixels().view()).lines.iter().map(|l| l.size).collect();
    let mut rows = vec![
        "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
            .to_owned(),
    ];
    for (n, (size, word)) in sizes.iter().zip(words).enumerate() {
        let (n, w, h) = (n + 1, size.width * 3 + 20, size.height * 3 + 20);
        rows.push(format!("1\t{n}\t0\t0\t0\t0\t0\t0\t{w}\t{h}\t-1\t"));
        rows.push(format!("5\t{n}\t1\t1\t1\t1\t10\t10\t{}\t{}\t90\t{word}", w - 20, h - 20));
    }
    rows.join("\n") + "\n"
}

/// A program that reads its stdin and prints this.
fn printing(text: &str) -> Fake {
    let fake = Fake::new(
        "echo x >> \"$(dirname \"$0\")/starts\"\ncat > /dev/null\ncat \"$(dirname \"$0\")/answer\"",
    );
    std::fs::write(fake.folder.path().join("answer"), text).unwrap();
    fake
}

#[test]
fn regions_are_read_or_refused() {
    assert_eq!(region("10,20,300x40"), Some(FrameRect::new(10, 20, 300, 40)));
    assert_eq!(region("0, 0, 1x1"), Some(FrameRect::new(0, 0, 1, 1)));
    for bad in [
        "",
        "1,2,3,4",
        "1,2,3",
        "-1,2,3x4",
        "1,2,0x4",
        "1,2,3x4x5",
        "+1,2,3x4",
        "1,2,99999999999x4",
        "a,b,cxd",
    ] {
        assert_eq!(region(bad), None, "{bad}");
    }
}

#[test]
fn words_are_placed_on_the_frame() {
    let fake = printing(&answer(["first", "second"]));
    let reading = read(fake.settings()).unwrap();
    assert_eq!((reading.asked, reading.cached, reading.unread), (2, 0, 0));
    let lines: Vec<(String, FrameRect)> = reading.lines.iter().map(|l| (l.text(), l.words[0].area)).collect();
    let near =
        |a: FrameRect, b: FrameRect| a.intersect(&b).is_some_and(|c| c.size.area() * 10 >= b.size.area() * 8);
    assert_eq!((lines[0].0.as_str(), lines[1].0.as_str()), ("first", "second"));
    assert!(near(lines[0].1, FrameRect::new(20, 20, 57, 12)), "{lines:?}");
    assert!(near(lines[1].1, FrameRect::new(20, 60, 29, 12)), "{lines:?}");
}

#[test]
fn a_region_is_all_that_is_read_and_its_places_are_the_frames() {
    let whole = answer(["first", "second"]);
    let fake = printing(&whole);
    let region = vec![FrameRect::new(10, 50, 500, 40)];
    // It answers for two pages where one was sent: that is found out.
    let wrong = read(Settings { regions: region.clone(), ..fake.settings() });
    assert!(matches!(wrong, Err(OcrError::Malformed { .. })), "{wrong:?}");
    let rows: Vec<&str> = whole.lines().collect();
    let second = format!(
        "{}\n{}\n{}\n",
        rows[0],
        rows[3].replacen("\t2\t", "\t1\t", 1),
        rows[4].replacen("\t2\t", "\t1\t", 1)
    );
    let reading = read(Settings { regions: region, ..printing(&second).settings() }).unwrap();
    assert_eq!(reading.lines.len(), 1);
    assert!(reading.lines[0].words[0].area.origin.y >= 58, "{reading:?}");
    let outside = vec![FrameRect::new(500, 500, 10, 10)];
    assert_eq!(read(Settings { regions: outside, ..fake.settings() }), Ok(Reading::default()));
}

#[test]
fn what_is_no_answer_is_told_by_its_kind() {
    let whole = answer(["a", "b"]);
    let half = &whole[..whole.len() - 4];
    let cases = [
        (printing(half), "something else than words"),
        (printing("Segmentation fault\n"), "something else than words"),
        (printing(""), "something else than words"),
        (Fake::new("cat > /dev/null; printf '\\377\\376'"), "not UTF-8"),
        (Fake::new("cat > /dev/null; echo 'out of memory' >&2; exit 3"), "out of memory"),
        (Fake::new("kill -SEGV $$"), "signal"),
        (Fake::new("echo 'Failed loading language xyz' >&2; exit 1"), "tesseract-ocr-eng"),
        (Fake::new("exec head -c 40000000 /dev/zero"), "something else than words"),
    ];
    for (fake, told) in cases {
        let error = read(fake.settings()).unwrap_err();
        assert!(error.to_string().contains(told), "{error}; wanted {told}");
    }
    let missing = read(Settings { program: "/nowhere/tesseract".into(), ..Settings::default() }).unwrap_err();
    assert!(missing.to_string().contains("apt-get install tesseract-ocr tesseract-ocr-eng"), "{missing}");
    let elsewhere = read(Settings { engine: Some(Engine::Windows), ..Settings::default() }).unwrap_err();
    assert!(elsewhere.to_string().contains("windows is not installed"), "{elsewhere}");
}

/// Whether a process is there that was started with this program.
fn is_running(fake: &Fake) -> bool {
    let name = fake.folder.path().join("tesseract");
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|p| std::fs::read(p.path().join("cmdline")).ok())
        .any(|line| String::from_utf8_lossy(&line).contains(&*name.to_string_lossy()))
}

#[test]
fn one_that_hangs_is_ended_at_the_limit_and_by_a_stop() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let fake = Fake::new("while :; do sleep 0.1; done");
    let clock = RealClock::new();
    let error = read(Settings { limit: Duration::from_millis(600), ..fake.settings() }).unwrap_err();
    assert_eq!(error, OcrError::Deadline { engine: "tesseract", seconds: 0.6 });
    let stop = Stop::new();
    let reader = Reader::new(fake.settings());
    let pixels = pixels();
    let stopped = run(async {
        let (reading, ()) = tokio::join!(reader.read(&pixels, &stop), async {
            // Only once it is really there.
            while !is_running(&fake) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            stop.set(handsight_base::stop::StopReason::Person);
        });
        reading
    });
    assert_eq!(stopped, Err(OcrError::Stopped));
    assert!(clock.now() < Duration::from_secs(20), "{:?}", clock.now());
    handsight_testkit::wait::until("the engine is gone", Duration::from_secs(10), || {
        (!is_running(&fake)).then_some(())
    });
}

#[test]
fn one_batch_that_is_late_costs_only_its_own_lines() {
    // The first start answers for its page, the second hangs.
    let whole = answer(["first", "second"]);
    let rows: Vec<&str> = whole.lines().collect();
    let fake = Fake::new(
        "n=$(dirname \"$0\")\nif mkdir \"$n/once\"; then cat > /dev/null; cat \"$n/answer\"; else exec sleep 60; fi",
    );
    std::fs::write(fake.folder.path().join("answer"), format!("{}\n{}\n{}\n", rows[0], rows[1], rows[2]))
        .unwrap();
    let settings = Settings { processes: 2, limit: Duration::from_secs(4), ..fake.settings() };
    let reading = read(settings);
    // Which of the two lines the first start got is chance; only its own size fits the answer.
    match reading {
        Ok(reading) => assert_eq!((reading.lines.len(), reading.unread), (1, 1), "{reading:?}"),
        Err(error) => assert!(matches!(error, OcrError::Malformed { .. }), "{error}"),
    }
}

#[test]
fn what_was_read_before_starts_nothing() {
    let fake = printing(&answer(["first", "second"]));
    let reader = Reader::new(fake.settings());
    let first = run(reader.read(&pixels(), &Stop::new())).unwrap();
    let again = run(reader.read(&pixels(), &Stop::new())).unwrap();
    assert_eq!((again.cached, again.asked, fake.starts()), (2, 0, 1));
    assert_eq!(first.lines, again.lines);
}

#[test]
fn a_perceiver_gives_up_on_what_goes_on_failing() {
    let perceive = |ocr: &Ocr| run(ocr.perceive(&frame(), &Stop::new()));
    let failing = Fake::new("echo x >> \"$(dirname \"$0\")/starts\"; cat > /dev/null; exit 3");
    let ocr = Ocr::new(failing.settings());
    let told: Vec<String> = (0..5).map(|_| perceive(&ocr).unwrap_err().to_string()).collect();
    assert_eq!(failing.starts(), 3, "{told:?}");
    assert!(told[0].starts_with("ocr sees nothing: tesseract failed") && told[0] == told[1], "{told:?}");
    assert!(told[4].contains("not asked again after 3 failures"), "{told:?}");
    // One that is missing is looked for once.
    let ocr = Ocr::new(Settings { program: "/nowhere/tesseract".into(), ..Settings::default() });
    assert_eq!(perceive(&ocr), perceive(&ocr));
    // The control: one that answers is believed, and a finding is what it said.
    let ocr = Ocr::new(printing(&answer(["first", "second"])).settings());
    let found = perceive(&ocr);
    assert!(found.is_err(), "its program is gone with its folder");
    let fake = printing(&answer(["first", "second"]));
    let found = perceive(&Ocr::new(fake.settings())).unwrap();
    let seen: Vec<(&str, &str, &str)> =
        found.iter().map(|f| (f.by.as_str(), f.kind.as_str(), f.label.as_str())).collect();
    assert_eq!(seen, [("ocr", "line", "first"), ("ocr", "line", "second")]);
    assert!(found.iter().all(|f| (f.confidence - 0.9).abs() < 1e-6));
}
