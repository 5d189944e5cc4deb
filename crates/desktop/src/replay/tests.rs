//! A run recorded here, played back.

use super::*;
use handsight_base::flow::action::{Action, ActionHash, Button, Timing};
use handsight_base::flow::frame::Shown;
use handsight_base::flow::receipt::Deed;
use handsight_base::flow::settled::Calm;
use handsight_base::flow::step::{StepRecord, Timings};
use handsight_base::flow::verdict::Judgement;
use handsight_base::gate::{Gate, Scene as GateScene, Work};
use handsight_base::port::clock::VirtualClock;
use handsight_base::port::desktop::OverlayInCapture;
use handsight_base::port::model::Usage;
use handsight_base::space::{At, FrameId, FramePx, ScreenPx};
use handsight_pixel::png::PngEncoder;
use handsight_pixel::rgb::Rgb24;
use handsight_pixel::scale::NearestScaler;
use handsight_store::{Decided, Journal, Observed, Options};

const NATIVE: Size = Size::new(64, 48);

fn geometry(turn: u64) -> FrameGeometry {
    FrameGeometry { frame: FrameId(turn), size: NATIVE, origin: ScreenPx::new(10, 20), scale: 1.0 }
}

/// The screen of a turn: every pixel another colour.
fn screen_of(turn: u64) -> Pixels {
    let pixel = |i: u32| [(i % 251) as u8, (i / 251) as u8, turn as u8, 7];
    let bytes: Vec<u8> = (0..NATIVE.area() as u32).flat_map(pixel).collect();
    Pixels::new(Arc::new(bytes), NATIVE, NATIVE.width as usize * 4).unwrap()
}

/// What a model is sent: scaled and encoded.
fn picture(pixels: &Pixels, to: Size) -> Vec<u8> {
    let mut rgb = Rgb24::new(to);
    NearestScaler::new().scale(pixels.view(), to, &mut rgb).unwrap();
    PngEncoder::new().encode(&rgb).unwrap()
}

fn click(turn: u64, x: i32) -> Action {
    let at = Some(At { point: FramePx::new(x, 5), frame: FrameId(turn) });
    Action::Click { at, button: Button::Left, count: 1, modifiers: Default::default() }
}

/// Three turns: a click, nothing, a click and a launch.
fn deeds(turn: u64) -> Vec<Action> {
    match turn {
        1 => vec![click(1, 3)],
        2 => vec![],
        _ => vec![click(turn, 9), Action::Launch { argv: vec!["xterm".into()] }],
    }
}

fn record(dir: &Path, to: Size) {
    let events = Injected { events: 3, of: 3, complete: true, took: Duration::from_millis(5) };
    record_with(dir, to, |_, _| Outcome::Done { injected: Some(events) });
}

fn record_with(dir: &Path, to: Size, became: impl Fn(u64, usize) -> Outcome) {
    let mut journal = Journal::create(dir, &Default::default(), &Options::default()).unwrap();
    for turn in 1..=3u64 {
        let picture = journal.keep_frame(turn, &picture(&screen_of(turn), to));
        let frame = geometry(turn);
        journal.observed(turn, &Observed { picture: Some(picture), at_unix_millis: 1, frame }).unwrap();
        journal.decided(turn, &Decided::default(), &[]).unwrap();
        let mut told = Vec::new();
        for (index, action) in deeds(turn).iter().enumerate() {
            let hash = action.hash(FrameId(turn));
            journal.intent(turn, index as u32, action, &hash).unwrap();
            let outcome = became(turn, index);
            journal.acted(turn, index as u32, &outcome).unwrap();
            told.push(Deed { action: action.name().into(), hash, outcome });
        }
        let record = StepRecord {
            turn,
            at_unix_millis: 1,
            frame,
            picture,
            choice: if told.is_empty() { "observe".into() } else { "act".into() },
            call: None,
            steps: Vec::new(),
            reason: String::new(),
            notes: vec![],
            deeds: told,
            calm: Calm::Settled,
            judgement: Judgement::Unchecked,
            usage: Usage::default(),
            timings: Timings::default(),
        };
        journal.verified(turn, Calm::Settled, &Judgement::Unchecked).unwrap();
        journal.commit(&record).unwrap().through();
    }
    journal.close().unwrap();
}

fn replay(to: Size) -> (tempfile::TempDir, ReplayDesktop) {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    record(&run, to);
    let desktop = ReplayDesktop::open(&run, Arc::new(VirtualClock::new(0))).unwrap();
    (dir, desktop)
}

fn look(frame: u64) -> CaptureRequest {
    CaptureRequest {
        frame: FrameId(frame),
        shown: Shown::AllDisplays,
        region: None,
        cursor: true,
        overlay: OverlayInCapture::AsShown,
    }
}

/// Approves and carries out, as the engine does.
fn act(desktop: &mut ReplayDesktop, action: Action, turn: u64) -> Result<Injected, DesktopError> {
    let geometry = geometry(turn);
    let gate = Gate::new(Vec::new());
    let approved = gate.approve(action, &GateScene::new(&geometry, turn)).unwrap();
    match approved.expand(&geometry, &Timing::default()).unwrap() {
        Work::Input(batch) => desktop.inject(batch, &Stop::new()),
        Work::Launch(launch) => desktop.launch(launch).map(|_| injected(None, 0)),
        other @ (Work::Paste(_) | Work::Focus(_)) => panic!("{other:?}"),
    }
}

#[test]
fn every_picture_is_sent_again_to_the_byte() {
    // Smaller than the screen, larger, odd, and the same.
    for to in [Size::new(40, 30), Size::new(153, 86), Size::new(64, 31), NATIVE] {
        let (_dir, mut desktop) = replay(to);
        let probe = desktop.capture(&look(0)).unwrap();
        for turn in 1..=3 {
            let frame = desktop.capture(&look(turn)).unwrap();
            assert_eq!(frame.geometry, geometry(turn));
            let sent = picture(&frame.pixels, to);
            assert!(sent == picture(&screen_of(turn), to), "turn {turn} at {to}");
            let again = desktop.capture(&look(0)).unwrap();
            assert_eq!(again.view().data(), frame.view().data(), "a probe repeats what is there");
            if turn == 1 {
                assert_eq!(
                    probe.view().data(),
                    frame.view().data(),
                    "before the first picture it is the first"
                );
            }
            for action in deeds(turn) {
                act(&mut desktop, action, turn).unwrap();
            }
        }
        assert_eq!(desktop.first_difference().get(), None, "at {to}");
        let over = desktop.capture(&look(4)).unwrap_err();
        assert!(over.to_string().contains("ends after turn 3"), "{over}");
    }
}

#[test]
fn a_part_of_a_picture_is_that_part() {
    let (_dir, mut desktop) = replay(NATIVE);
    desktop.capture(&look(1)).unwrap();
    let part = CaptureRequest { region: Some(ScreenRect::new(0, 30, 20, 8)), ..look(0) };
    let frame = desktop.capture(&part).unwrap();
    assert_eq!((frame.geometry.origin, frame.size()), (ScreenPx::new(10, 30), Size::new(10, 8)));
    let whole = screen_of(1);
    assert_eq!(frame.view().bgr(3, 2), whole.view().bgr(3, 12));
    assert!(
        desktop.capture(&CaptureRequest { region: Some(ScreenRect::new(0, 0, 5, 5)), ..look(0) }).is_err()
    );
}

#[test]
fn a_look_that_is_refused_loses_no_turn() {
    let (_dir, mut desktop) = replay(NATIVE);
    desktop.capture(&look(1)).unwrap();
    act(&mut desktop, click(1, 3), 1).unwrap();
    let outside = CaptureRequest { region: Some(ScreenRect::new(0, 0, 5, 5)), ..look(2) };
    desktop.capture(&outside).unwrap_err();
    let second = desktop.capture(&look(3)).unwrap();
    assert_eq!(second.view().bgr(5, 6), screen_of(2).view().bgr(5, 6));
    assert_eq!(second.view().bgr(5, 6).map(|[_, _, red]| red), Some(2), "a picture has its turn for its red");
    assert_eq!(desktop.first_difference().get(), None);
}

/// What became of an action then becomes of it again, in the same words; what failed is not told as done.
#[test]
fn a_failure_is_played_as_it_was() {
    let half = Injected { events: 1, of: 3, complete: false, took: Duration::ZERO };
    let failed = |why: &str, injected| Outcome::Failed { why: why.to_owned(), injected };
    let not_there = "\"xterm\" could not be started: it is not there";
    for (outcome, words) in [
        (failed(not_there, None), not_there),
        (Outcome::Withheld { why: "another window lies there".to_owned() }, "another window lies there"),
        (Outcome::Ambiguous, "unknown"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("run");
        let became = |turn, index| match (turn, index) {
            (1, _) => failed("ended before all of it was sent", Some(half)),
            (_, 0) => Outcome::NotExecuted,
            _ => outcome.clone(),
        };
        record_with(&run, NATIVE, became);
        let mut desktop = ReplayDesktop::open(&run, Arc::new(VirtualClock::new(0))).unwrap();
        desktop.capture(&look(1)).unwrap();
        assert_eq!(act(&mut desktop, click(1, 3), 1), Ok(half));
        desktop.capture(&look(2)).unwrap();
        desktop.capture(&look(3)).unwrap();
        let mut told = deeds(3).into_iter().map(|deed| act(&mut desktop, deed, 3).unwrap_err());
        assert_eq!(told.next(), Some(DesktopError::Stopped));
        let last = told.next().unwrap();
        assert_eq!(last.to_string(), words);
        assert_eq!(last, DesktopError::Recorded(outcome));
        assert_eq!(desktop.first_difference().get(), None);
    }
}

#[test]
fn the_first_difference_is_remembered() {
    let other = |hash: ActionHash| format!("input {}", hash.0);
    let told = |action: &Action, turn| format!("{} {}", action.name(), action.hash(FrameId(turn)).0);
    // Another place, then another one: the first counts.
    let (_dir, mut desktop) = replay(NATIVE);
    let first = desktop.first_difference();
    desktop.capture(&look(1)).unwrap();
    act(&mut desktop, click(1, 4), 1).unwrap();
    let difference = first.get().unwrap();
    assert_eq!(difference.turn, 1);
    assert_eq!(difference.recorded, Some(told(&click(1, 3), 1)));
    assert_eq!(difference.came, Some(other(click(1, 4).hash(FrameId(1)))));
    desktop.capture(&look(2)).unwrap();
    act(&mut desktop, click(2, 4), 2).unwrap();
    assert_eq!(first.get(), Some(difference));
    // Something where nothing was done, and nothing where something was.
    for (turn, acts) in [(2, true), (1, false)] {
        let (_dir, mut desktop) = replay(NATIVE);
        let first = desktop.first_difference();
        for turn in 1..=turn {
            desktop.capture(&look(turn)).unwrap();
            if acts {
                act(&mut desktop, click(turn, 3), turn).unwrap();
            }
        }
        if !acts {
            desktop.capture(&look(2)).unwrap();
        }
        let difference = first.get().unwrap();
        assert_eq!(difference.turn, turn);
        assert_eq!((difference.recorded.is_some(), difference.came.is_some()), (!acts, acts), "{difference}");
    }
}

#[test]
fn what_is_no_run_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let clock = || Arc::new(VirtualClock::new(0));
    let error = ReplayDesktop::open(dir.path(), clock()).err().unwrap();
    assert!(matches!(&error, DesktopError::Unusable { .. }), "{error}");
    let empty = dir.path().join("empty");
    Journal::create(&empty, &Default::default(), &Options::default()).unwrap().close().unwrap();
    let error = ReplayDesktop::open(&empty, clock()).err().unwrap().to_string();
    assert!(error.contains("\"empty\"") && error.contains("no finished turn"), "{error}");
}

#[test]
fn a_lost_picture_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    record(&run, NATIVE);
    let mut desktop = ReplayDesktop::open(&run, Arc::new(VirtualClock::new(0))).unwrap();
    std::fs::remove_dir_all(run.join("frames")).unwrap();
    desktop.capture(&look(1)).unwrap();
    let error = desktop.capture(&look(2)).unwrap_err().to_string();
    assert!(error.contains("turn 2 of the recording: its picture"), "{error}");
}
