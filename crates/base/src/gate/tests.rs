//! Approvals: bound, consumed, refused.

use super::*;
use crate::flow::action::{Button, Primitive, Spot};
use crate::key::Modifiers;
use crate::space::{At, FramePx, ScreenPx, ScreenRect, Size};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

fn geometry(frame: u64) -> FrameGeometry {
    FrameGeometry {
        frame: FrameId(frame),
        size: Size::new(200, 100),
        origin: ScreenPx::new(5, 6),
        scale: 1.0,
    }
}

fn spot(frame: u64, x: i32, y: i32) -> Spot {
    At { point: FramePx::new(x, y), frame: FrameId(frame) }
}

fn click(at: Spot) -> Action {
    Action::Click { at: Some(at), button: Button::Left, count: 1, modifiers: Modifiers::NONE }
}

/// Writes down what it is asked, and refuses what it is told to.
struct Witness {
    name: &'static str,
    refuses: bool,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Rule for Witness {
    fn name(&self) -> &'static str {
        self.name
    }

    fn check(&self, proposal: Proposal<'_>, scene: &Scene<'_>) -> Result<(), Objection> {
        let what = match proposal {
            Proposal::Action(action) => action.name(),
            Proposal::Focus(_) => "focus",
            Proposal::Place(..) => "place",
            Proposal::Clipboard(_) => "clipboard",
        };
        self.asked.lock().unwrap().push(format!("{} about {what} in turn {}", self.name, scene.turn));
        if self.refuses { Err("not in this house".to_owned().into()) } else { Ok(()) }
    }
}

fn gate(rules: &[(&'static str, bool)]) -> (Gate, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::default();
    let rules = rules.iter().map(|(name, refuses)| -> Box<dyn Rule> {
        Box::new(Witness { name, refuses: *refuses, asked: Arc::clone(&asked) })
    });
    (Gate::new(rules.collect()), asked)
}

fn open() -> Gate {
    Gate::new(Vec::new())
}

#[test]
fn rules_are_asked_in_order_until_one_refuses() {
    let (gate, asked) = gate(&[("first", false), ("second", true), ("third", false)]);
    assert_eq!(gate.rules().collect::<Vec<_>>(), ["first", "second", "third"]);
    assert_eq!(format!("{gate:?}"), r#"["first", "second", "third"]"#);
    let geometry_now = geometry(1);
    let scene = Scene::new(&geometry_now, 9);
    let refusal = gate.approve(click(spot(1, 0, 0)), &scene).unwrap_err();
    assert_eq!(refusal, Refusal::Rule { rule: "second", why: "not in this house".into() });
    assert_eq!(refusal.to_string(), "refused by the rule `second`: not in this house");
    assert_eq!(*asked.lock().unwrap(), ["first about click in turn 9", "second about click in turn 9"]);
}

#[test]
fn the_engines_own_wishes_pass_the_same_rules() {
    let (gate, asked) = gate(&[("only", true)]);
    let geometry_now = geometry(1);
    let scene = Scene::new(&geometry_now, 2);
    let place = Place { window: WindowId(7), to: Placement::Outer(ScreenRect::new(0, 0, 10, 10)) };
    assert!(gate.approve(Focus(WindowQuery::Active), &scene).is_err());
    assert!(gate.approve(place, &scene).is_err());
    assert!(gate.approve(SetClipboard(ClipboardContents::default()), &scene).is_err());
    let expected = ["focus", "place", "clipboard"].map(|what| format!("only about {what} in turn 2"));
    assert_eq!(*asked.lock().unwrap(), expected);
}

#[test]
fn a_place_that_is_none_is_refused_before_any_rule() {
    let (gate, asked) = gate(&[("never asked", false)]);
    let geometry_now = geometry(4);
    let scene = Scene::new(&geometry_now, 1);
    let drag = |last| Action::Drag {
        path: vec![spot(4, 0, 0), spot(4, 1, 1), last],
        button: Button::Left,
        modifiers: Modifiers::NONE,
    };
    let stale = SpaceError::StaleFrame { given: FrameId(3), current: FrameId(4) };
    for action in [click(spot(3, 0, 0)), drag(spot(3, 2, 2))] {
        assert_eq!(gate.approve(action, &scene).unwrap_err(), Refusal::Space(stale.clone()));
    }
    for action in [click(spot(4, 200, 0)), drag(spot(4, 0, -1))] {
        let refusal = gate.approve(action, &scene).unwrap_err();
        assert!(matches!(refusal, Refusal::Space(SpaceError::OutOfRange { .. })), "{refusal}");
    }
    let probe = geometry(0);
    let refusal = gate.approve(click(spot(0, 1, 1)), &Scene::new(&probe, 1)).unwrap_err();
    assert_eq!(refusal, Refusal::Space(SpaceError::Probe));
    assert_eq!(*asked.lock().unwrap(), [""; 0]);
    // The control: a good place is asked about, and let through.
    assert!(gate.approve(click(spot(4, 199, 99)), &scene).is_ok());
    assert_eq!(asked.lock().unwrap().len(), 1);
}

fn approved(action: Action, frame: u64) -> Approved<Action> {
    open().approve(action, &Scene::new(&geometry(frame), 1)).unwrap()
}

#[test]
fn an_approval_knows_its_frame_and_its_action() {
    let action = click(spot(1, 20, 30));
    let approval = approved(action.clone(), 1);
    assert_eq!(approval.value(), &action);
    assert_eq!(approval.frame(), FrameId(1));
    assert_eq!(approval.hash(), &action.hash(FrameId(1)));
    let Work::Input(batch) = approval.expand(&geometry(1), &Timing::default()).unwrap() else {
        panic!("a click is input");
    };
    assert_eq!(batch.frame(), FrameId(1));
    assert_eq!(batch.hash(), &action.hash(FrameId(1)), "the batch is named after its action");
    assert_eq!(batch.into_inner().primitives[0], Primitive::Move(ScreenPx::new(25, 36)));
}

#[test]
fn an_approval_opens_nothing_on_another_geometry() {
    let timing = Timing::default();
    for action in [
        click(spot(1, 0, 0)),
        Action::typed("a"),
        Action::Paste { text: "a".into() },
        Action::Launch { argv: vec!["true".into()] },
        Action::FocusWindow { query: WindowQuery::Active },
    ] {
        let stale = approved(action.clone(), 1).expand(&geometry(2), &timing).unwrap_err();
        let current = FrameId(2);
        assert_eq!(stale, SpaceError::StaleFrame { given: FrameId(1), current }.into(), "{action:?}");
        let here = geometry(1);
        for elsewhere in [
            FrameGeometry { origin: ScreenPx::new(5, 7), ..here },
            FrameGeometry { size: Size::new(200, 101), ..here },
            FrameGeometry { scale: 2.0, ..here },
        ] {
            let moved = approved(action.clone(), 1).expand(&elsewhere, &timing).unwrap_err();
            assert_eq!(moved, SpaceError::Moved { frame: FrameId(1) }.into(), "{action:?} on {elsewhere:?}");
            assert!(moved.to_string().contains("picture #1") && moved.to_string().contains("look again"));
        }
        assert!(approved(action, 1).expand(&here, &timing).is_ok());
    }
}

#[test]
fn every_action_becomes_the_work_it_is() {
    let timing = Timing::default();
    let work = |action| approved(action, 1).expand(&geometry(1), &timing).unwrap();
    let Work::Paste(paste) = work(Action::Paste { text: "é\n".into() }) else { panic!("no paste") };
    assert_eq!(paste.into_inner(), Paste("é\n".into()));
    let argv = vec!["xterm".to_owned(), "-e".to_owned()];
    let Work::Launch(launch) = work(Action::Launch { argv: argv.clone() }) else { panic!("no launch") };
    assert_eq!(launch.into_inner(), Launch(argv));
    let query = WindowQuery::Title("a".into());
    let Work::Focus(focus) = work(Action::FocusWindow { query: query.clone() }) else { panic!("no focus") };
    assert_eq!((focus.frame(), focus.into_inner()), (FrameId(1), Focus(query)));
    let Work::Input(batch) = work(Action::Wait { millis: 1 }) else { panic!("no input") };
    assert_eq!(batch.into_inner().primitives.len(), 1);
    let bad = Action::Click { at: None, button: Button::Left, count: 9, modifiers: Modifiers::NONE };
    let refused = approved(bad, 1).expand(&geometry(1), &timing).unwrap_err();
    assert!(matches!(refused, ExpandError::Count { given: 9, .. }), "{refused}");
}

/// Asks a person about everything, for a reason that follows the pointer; refuses what is pasted.
struct Asks;

impl Rule for Asks {
    fn name(&self) -> &'static str {
        "asks"
    }

    fn check(&self, proposal: Proposal<'_>, scene: &Scene<'_>) -> Result<(), Objection> {
        match proposal {
            Proposal::Action(Action::Paste { .. }) => Err("no pasting".to_owned().into()),
            _ => Err(Objection::Ask(format!("the pointer is at {:?}", scene.pointer))),
        }
    }
}

/// spec R13: an approval is bound to the exact action, its frame and what was asked; it counts once, and only a yes opens anything.
#[test]
fn an_answer_opens_what_was_asked_and_nothing_else() {
    let gate = Gate::new(vec![Box::new(Asks)]);
    let (here, next) = (geometry(1), geometry(2));
    let scene = Scene::new(&here, 1);
    let asked = |action: Action| match gate.approve(action, &scene) {
        Err(Refusal::Ask(asked)) => asked,
        other => panic!("{other:?}"),
    };
    let typed = || Action::typed("a");
    assert_eq!(asked(typed()).points(), [("asks", "the pointer is at None".to_owned())]);
    // The control: the yes that was asked for.
    let yes = asked(typed()).answered(Consent::Given);
    let approval = gate.approve_answered(typed(), &scene, yes).unwrap();
    assert_eq!(approval.hash(), &typed().hash(FrameId(1)));
    for no in [Consent::Refused, Consent::NoAnswer, Consent::Nobody] {
        let answer = asked(typed()).answered(no);
        assert_eq!(gate.approve_answered(typed(), &scene, answer).unwrap_err(), Refusal::NotAgreed(no));
    }
    // Another action, another frame, another reason.
    let answer = || asked(typed()).answered(Consent::Given);
    let another = |refusal: Refusal| assert_eq!(refusal, Refusal::AnotherThing);
    another(gate.approve_answered(Action::typed("b"), &scene, answer()).unwrap_err());
    another(gate.approve_answered(typed(), &Scene::new(&next, 1), answer()).unwrap_err());
    let moved = Scene { pointer: Some(ScreenPx::new(1, 2)), ..scene };
    another(gate.approve_answered(typed(), &moved, answer()).unwrap_err());
    // A refusal comes before any question, and no answer goes round it.
    let paste = || Action::Paste { text: "a".into() };
    assert!(matches!(gate.approve(paste(), &scene), Err(Refusal::Rule { .. })));
    assert!(matches!(gate.approve_answered(paste(), &scene, answer()), Err(Refusal::Rule { .. })));
    // Asked again, a yes of before opens nothing: it was used up, which the compiler holds (`Answer` is not `Clone`).
    assert!(matches!(gate.approve(typed(), &scene), Err(Refusal::Ask(_))));
}

/// Compiles only while no approval can be copied: were one `Clone`, both implementations would fit and `probe` would
/// be ambiguous.
#[test]
fn an_approval_cannot_be_copied() {
    trait Copyable<Which> {
        fn probe() -> bool {
            true
        }
    }
    impl<T> Copyable<()> for T {}
    struct ByClone;
    impl<T: Clone> Copyable<ByClone> for T {}

    assert!(<Approved<Action> as Copyable<_>>::probe());
    assert!(<Approved<Batch> as Copyable<_>>::probe());
    assert!(<Approved<Focus> as Copyable<_>>::probe());
    assert!(<Answer as Copyable<_>>::probe());
    assert!(<Asked as Copyable<_>>::probe());
}

const GOLDEN: [&str; 5] = [
    "c9433b4f325565c63aca8ff9d4d20724",
    "9449933a2d2492e1215af85f0e613ac0",
    "95ce05ab765c16ffd8680734644a5bad",
    "91a956b641af3506b3234b48688b5052",
    "3a253f2035d16854f40e51522ec04875",
];

/// Journals name actions by these, so a change breaks what was written before.
#[test]
fn hashes_are_the_same_in_every_run() {
    let png = ClipboardContents { formats: vec![("image/png".into(), vec![1, 2, 3])] };
    let area = ScreenRect::new(-5, 0, 640, 480);
    let hashes = [
        click(spot(1, 20, 30)).hash(FrameId(1)),
        Action::typed("Añ€😀").hash(FrameId(2)),
        Focus(WindowQuery::TitlePart("pad".into())).hash(FrameId(1)),
        Place { window: WindowId(7), to: Placement::Outer(area) }.hash(FrameId(1)),
        SetClipboard(png).hash(FrameId(1)),
    ];
    assert_eq!(hashes.map(|h| h.0), GOLDEN);
    // What goes in: the frame in eight bytes, then the action as the journal writes it.
    let typed = b"\x02\0\0\0\0\0\0\0{\"do\":\"type\",\"text\":\"A\xc3\xb1\xe2\x82\xac\xf0\x9f\x98\x80\"}";
    assert_eq!(blake3::hash(typed).to_hex()[..32], *GOLDEN[1]);
}

#[test]
fn a_hash_differs_by_what_and_by_frame() {
    let formats = |pairs: &[(&str, &[u8])]| {
        let formats = pairs.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec()));
        SetClipboard(ClipboardContents { formats: formats.collect() })
    };
    let area = ScreenRect::new(0, 0, 10, 10);
    let place = |window, to| Place { window: WindowId(window), to };
    let mut all = Vec::new();
    for frame in [FrameId(1), FrameId(2)] {
        all.extend([
            click(spot(1, 20, 30)).hash(frame),
            click(spot(1, 20, 31)).hash(frame),
            click(spot(2, 20, 30)).hash(frame),
            Action::typed("a").hash(frame),
            Action::Paste { text: "a".into() }.hash(frame),
            Action::FocusWindow { query: WindowQuery::Active }.hash(frame),
            Focus(WindowQuery::Active).hash(frame),
            Focus(WindowQuery::Title("a".into())).hash(frame),
            Focus(WindowQuery::TitlePart("a".into())).hash(frame),
            place(1, Placement::Outer(area)).hash(frame),
            place(1, Placement::Client(area)).hash(frame),
            place(2, Placement::Outer(area)).hash(frame),
            formats(&[]).hash(frame),
            // The same bytes in a row, divided otherwise.
            formats(&[("ab", b"c")]).hash(frame),
            formats(&[("a", b"bc")]).hash(frame),
            formats(&[("a", b"b"), ("c", b"")]).hash(frame),
        ]);
    }
    let different: HashSet<_> = all.iter().map(|hash| &hash.0).collect();
    assert_eq!(different.len(), all.len());
    assert!(different.iter().all(|h| h.len() == 32 && h.bytes().all(|b| b.is_ascii_hexdigit())));
}
