//! A disk that fills up under a real run: a small tmpfs, a real screen, and a witness of what is moved on it (R25, R30).

use crate::handsight::run;
use crate::rig::{PATIENCE, Rig, always, click, done, session};
use handsight_base::flow::receipt::Outcome;
use handsight_store::Reader;
use handsight_testkit::chat::Server;
use handsight_testkit::program::Program;
use handsight_testkit::small_disk::SmallDisk;
use handsight_testkit::wait::{before, until};
use handsight_testkit::witness::{What, Witness};
use rustix::process::Signal;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The request from which on the disk is kept full.
const FULL_FROM: u64 = 4;
/// No run needs so many until a disk of [`DISK_MIB`] is full to the last block.
const MOST: u64 = 150;
const DISK_MIB: u32 = 16;
/// Set when the run begins and taken over by a resume.
const SETTINGS: [&str; 10] = [
    "--set",
    "record.min_free_mib=4",
    "--set",
    "settle.enabled=false",
    "--set",
    "act.delay_after_action_s=0",
    "--set",
    "context.picture_width=320",
    "--set",
    "context.picture_height=180",
];

/// A screen with a window that gets every click, a disk, and a model that clicks a new place a turn.
struct Scene {
    rig: Rig,
    small: Arc<SmallDisk>,
    free: Arc<AtomicBool>,
    server: Server,
    witness: Witness,
}

impl Scene {
    fn new() -> Option<Self> {
        let rig = Rig::new()?;
        let small = Arc::new(SmallDisk::new(DISK_MIB)?);
        let free = Arc::new(AtomicBool::new(false));
        let asked = AtomicU64::new(0);
        let server = {
            let (small, free) = (Arc::clone(&small), Arc::clone(&free));
            always(move |_| {
                let n = asked.fetch_add(1, Ordering::SeqCst) + 1;
                if free.load(Ordering::SeqCst) {
                    return done("there is room");
                }
                assert!(n < MOST, "the disk never fills");
                if n >= FULL_FROM {
                    small.fill();
                }
                click(place(n), 500.0, "the next place")
            })
        };
        let mut witness = rig.witness();
        witness.open(0, 0, 1280, 720);
        Some(Self { rig, small, free, server, witness })
    }

    fn out(&self) -> PathBuf {
        self.small.dir().join("run")
    }

    /// Starts a run that will find the disk full; what it says goes to a file on another disk.
    fn start(&self, more: &[&str]) -> (Program, PathBuf) {
        let out = self.out();
        let mut args = vec!["click along", "--json", "--out", out.to_str().unwrap()];
        args.extend_from_slice(&SETTINGS);
        args.extend_from_slice(more);
        let said = self.rig.handsight.home().join("said");
        let mut command = self.rig.command(&self.server, &args);
        let result = File::create(self.rig.handsight.home().join("result")).unwrap();
        command.stdout(result).stderr(File::create(&said).unwrap()).stdin(Stdio::null());
        (Program::start(&mut command), said)
    }

    fn make_room(&self) {
        self.free.store(true, Ordering::SeqCst);
        self.small.empty();
    }

    /// How often each place was pressed, by the window that was.
    fn pressed(&mut self) -> BTreeMap<i32, u32> {
        let mut pressed = BTreeMap::new();
        for seen in self.witness.events().iter().filter(|e| !e.raw) {
            if seen.what == (What::Button { button: 1, down: true }) {
                *pressed.entry(seen.root.0).or_default() += 1;
            }
        }
        pressed
    }

    /// The journal, read afresh, says of each click what the window saw; `known` outcomes only.
    fn agrees(&mut self) {
        let pressed = self.pressed();
        assert!(pressed.values().all(|times| *times == 1), "pressed twice: {pressed:?}");
        let mut reader = Reader::open(&self.out()).unwrap();
        assert!(reader.report().is_sound(), "{:?}", reader.report());
        let mut done = 0;
        for turn in 1..=reader.last_committed() {
            for row in reader.actions(turn).unwrap() {
                match row.outcome {
                    Some(Outcome::Done { .. }) => done += 1,
                    // Acted on, and the disk took no word of it any more.
                    Some(Outcome::Ambiguous) => done += 1,
                    Some(Outcome::NotExecuted | Outcome::Withheld { .. }) => {}
                    other => panic!("turn {turn}: {other:?}"),
                }
            }
        }
        assert_eq!(pressed.len(), done, "{pressed:?}");
    }
}

/// Where the `n`th click goes, of 1000.
fn place(n: u64) -> f64 {
    (n * 6 + 10) as f64
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_run_waits_while_its_disk_is_full_and_then_goes_on() {
    let Some(mut scene) = Scene::new() else { return };
    let (mut program, said) = scene.start(&[]);
    until("it says that the disk is full", PATIENCE, || text(&said).contains("is full:").then_some(()));

    // It lives, asks nobody and moves nothing.
    let (asked, pressed) = (scene.server.requests().len(), scene.pressed());
    scene.witness.forget();
    let moved = before(Duration::from_secs(3), || {
        (!scene.witness.events().is_empty() || scene.server.requests().len() > asked).then_some(())
    });
    assert_eq!(moved, None, "{:?}", scene.witness.events());
    scene.witness.assert_quiet();
    assert!(program.ended().is_none(), "{}", text(&said));
    assert!(pressed.len() as u64 >= FULL_FROM - 1, "{pressed:?}");

    scene.make_room();
    assert_eq!(program.wait(PATIENCE).code(), Some(0), "{}", text(&said));
    let said = text(&said);
    let line = said.lines().find(|l| l.contains("is full:")).unwrap();
    assert!(line.contains("run.db") && line.contains(" free,") && line.contains("KiB needed"), "{line}");
    assert!(line.contains("waits for it 10 min at most"), "{line}");
    assert_eq!((said.matches("is full:").count(), said.matches("room on the disk again").count()), (1, 1));

    // Every turn is there, for a fresh reader, for `runs show` and in the log.
    let mut reader = Reader::open(&scene.out()).unwrap();
    let turns = reader.last_committed();
    assert!(reader.turns().into_iter().eq(1..=turns), "{:?}", reader.turns());
    assert_eq!(session(&scene.out()).len() as u64, turns);
    assert_eq!(turns, scene.server.requests().len() as u64, "a turn a request");
    let out = scene.out();
    let shown = scene.rig.handsight.run(&["runs", "show", out.to_str().unwrap(), "--json"]);
    let shown = shown.ended(0).json();
    assert_eq!((&shown["outcome"], &shown["turns"]), (&json!("done"), &json!(turns)), "{shown}");

    // What was pressed before the wait is pressed once; after it nothing is, or what the journal says.
    assert_eq!(scene.pressed(), BTreeMap::new(), "a place that was decided on before the wait was pressed");
    let done = (1..=turns).flat_map(|turn| reader.actions(turn).unwrap());
    let done = done.filter(|row| matches!(row.outcome, Some(Outcome::Done { .. }))).count();
    assert_eq!((pressed.len(), pressed.values().max()), (done, Some(&1)), "{pressed:?}");
}

/// The control: without the wait the run ends, with 7, and goes on later.
#[test]
fn without_a_wait_the_run_ends_with_7_and_can_be_resumed() {
    let Some(mut scene) = Scene::new() else { return };
    let (mut program, said) = scene.start(&["--set", "record.full_wait_s=0"]);
    assert_eq!(program.wait(PATIENCE).code(), Some(7), "{}", text(&said));
    assert!(text(&said).contains("record.full_wait_s is 0"), "{}", text(&said));
    let json: serde_json::Value =
        serde_json::from_str(text(&scene.rig.handsight.home().join("result")).lines().last().unwrap())
            .unwrap();
    assert_eq!(json["outcome"], "storage");
    scene.witness.assert_quiet();

    // No run is gone on with while the disk is full.
    let out = scene.out();
    let resume = ["--resume", out.to_str().unwrap()];
    scene
        .rig
        .run(&scene.server, &resume)
        .ended(7)
        .told("a run begins with 4 MiB")
        .told("record.min_free_mib");
    scene.make_room();
    let witness = &scene.witness;
    until("the hands went", PATIENCE, || witness.selection_owner("_HANDSIGHT_HANDS").is_none().then_some(()));
    scene.rig.run(&scene.server, &resume).ended(0);
    scene.agrees();
}

#[test]
fn a_stop_ends_the_wait_at_once() {
    let Some(scene) = Scene::new() else { return };
    let (mut program, said) = scene.start(&[]);
    until("it says that the disk is full", PATIENCE, || text(&said).contains("is full:").then_some(()));
    program.signal(Signal::TERM);
    // The wait is of ten minutes; a second is for a busy machine.
    assert_eq!(program.wait(Duration::from_secs(5)).code(), Some(143), "{}", text(&said));
    scene.witness.assert_quiet();
}

#[test]
fn a_nearly_full_disk_is_refused_before_anything_is_made() {
    let Some(scene) = Scene::new() else { return };
    let out = scene.out();
    let args = ["x", "--out", out.to_str().unwrap()];
    let said = scene.rig.run(&scene.server, &args);
    said.ended(7).told("a run begins with 64 MiB").told("--out DIR");
    assert_eq!(std::fs::read_dir(scene.small.dir()).unwrap().count(), 0);
    assert!(scene.server.requests().is_empty());

    // The doctor goes by the same figure.
    let dump = format!("record.dump_folder={}", out.display());
    for (least, status) in [("64", "fail"), ("4", "ok")] {
        let least = format!("record.min_free_mib={least}");
        let url = scene.server.base_url();
        let said = run(
            scene.rig.handsight.command(&[
                "doctor",
                "--json",
                "--base-url",
                &url,
                "--set",
                &dump,
                "--set",
                &least,
            ]),
            PATIENCE,
        );
        let json = said.json();
        let findings = json["findings"].as_array().unwrap();
        let found = findings.iter().find(|f| f["check"] == "free_space").unwrap();
        assert_eq!(found["status"], status, "{found}");
    }
}
