//! Turns on a desk: replies that cannot be used, refused input, the log and its replay, and a person in the model's place.

use crate::rig::session;
use crate::world_rig::{Did, HD, OnDesk, block_on, click, done, observe, picture, plain, scroll, type_text};
use handsight_agent::ending::Outcome;
use handsight_agent::manual::{Answer, Manual};
use handsight_agent::progress::Event;
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::DesktopError;
use handsight_model::{Deadlines, Providers, Remote, Scripted, Setup};
use handsight_testkit::chat::{Call, Reply, Rules, Server};
use handsight_testkit::picture::Picture;
use handsight_worlds::desk::DeskSetup;
use handsight_worlds::engine::hold;
use serde_json::{Value, json};
use std::sync::Arc;

/// The model behind a server of ours, over the true wire.
fn served(server: &Server) -> Arc<Remote> {
    let providers = Providers::builtin().unwrap();
    let url = server.base_url();
    let setup = Setup {
        provider: providers.get("custom").unwrap(),
        model: "test-model",
        base_url: Some(&url),
        key: None,
        deadlines: Deadlines::default(),
        proxy: None,
        clock: Arc::new(RealClock::new()),
    };
    Arc::new(Remote::new(setup).unwrap())
}

fn raw(name: &str, arguments: &str) -> Reply {
    Reply::Calls(vec![Call { id: "call_1".into(), name: name.into(), arguments: arguments.into() }])
}

/// Every kind of reply without a usable tool call.
fn unusable() -> Vec<(&'static str, Reply)> {
    vec![
        ("none", Reply::Text("I would click on the left.".into())),
        ("unknown name", raw("exec", r#"{"cmd":"rm -rf /","reason":"r"}"#)),
        ("bad JSON", raw("click", r#"{"x":500,"y":500,"reason":"#)),
        ("missing field", raw("click", r#"{"x":500,"reason":"r"}"#)),
        ("missing reason", raw("click", r#"{"x":500,"y":500}"#)),
        ("mistyped field", raw("click", r#"{"x":"500","y":500,"reason":"r"}"#)),
        ("null", raw("scroll", r#"{"dy":null,"reason":"r"}"#)),
        ("mistyped text", raw("type", r#"{"text":["a"],"reason":"r"}"#)),
        ("no object", raw("type", "\"a\"")),
    ]
}

// spec: S-25 S-99 FAKE SIM
#[test]
fn a_reply_without_a_usable_call_moves_nothing_and_is_one_failure() {
    for (kind, reply) in unusable() {
        let desk = OnDesk::hd(&[]);
        desk.open("editor", &[]);
        let (truth, seen) = (desk.truth(), desk.seen());
        let rules = Rules { picture_size: Some((1536, 864)), ..Rules::default() };
        let replies = vec![reply; 3];
        let server = Server::scripted_with(rules, replies);
        let ending = desk.run(served(&server));
        assert_eq!((ending.outcome, ending.turns, ending.actions), (Outcome::Malformed, 3, 0), "{kind}");
        assert_eq!(server.requests().len(), 3, "{kind}: each is asked again with a fresh picture");
        assert_eq!((desk.truth(), desk.seen()), (truth, seen), "{kind} moved the desk");
        assert!(desk.times("inject").is_empty(), "{kind}");
        let counted: Vec<u32> = desk
            .events
            .lock()
            .unwrap()
            .iter()
            .filter_map(
                |event| if let Event::Failed { failures, .. } = event { Some(*failures) } else { None },
            )
            .collect();
        assert_eq!(counted, [1, 2, 3], "{kind}");
        assert!(session(&desk.out()).iter().all(|line| line["choice"] == "refused"), "{kind}");
    }
    // The control: the same desk and the same wire with a call that can be used.
    let desk = OnDesk::hd(&[]);
    desk.open("editor", &[]);
    let server = Server::scripted([
        raw("type", r#"{"text":"a","reason":"r"}"#),
        Reply::call("done", json!({"reason": ""})),
    ]);
    assert_eq!(desk.run(served(&server)).outcome, Outcome::Done);
    assert_eq!(desk.text(), "a");
}

// spec: S-83 SIM
#[test]
fn refused_input_ends_the_run_with_the_systems_code() {
    let desk = OnDesk::hd(&[]);
    desk.open("editor", &[]);
    desk.refuse([DesktopError::Input { why: "access is denied".into(), code: Some(5) }]);
    let ending = desk.play(&[type_text("never", "typing"), type_text("never", "again"), done()]);
    assert_eq!((ending.outcome, ending.turns), (Outcome::DesktopLost, 0));
    assert_eq!(ending.statement, "the system refused the input: access is denied (code 5)");
    assert_eq!(
        desk.order(),
        ["capture", "inject", "release"],
        "everything is let go of, and nothing is tried again"
    );
    assert_eq!(desk.text(), "");
    assert!(hold(&desk.world).held().0.is_empty() && hold(&desk.world).held().1.is_empty());
}

fn setup(seed: u64) -> DeskSetup {
    DeskSetup { seed, ..plain(HD) }
}

/// A bit of everything, with values that have to be clamped.
fn everything(desk: &OnDesk) -> Vec<Value> {
    let text = desk.middle("editor", "text");
    vec![
        desk.click(text, "Into the text."),
        type_text("Añ€😀\nsecond", "Writing."),
        click(1500.0, -20.0, "Far outside."),
        desk.click(text, "Back again."),
        type_text("!", "A little more."),
        scroll(-240, "Down."),
        observe("Is it there?"),
        done(),
    ]
}

// spec: S-66 SIM
#[test]
fn the_log_holds_calls_reasons_clamped_values_calm_and_timings() {
    let desk = OnDesk::new(&setup(3), &[]);
    desk.open("editor", &[]);
    desk.play(&everything(&desk));
    let log = session(&desk.out());
    assert_eq!(log.len(), 8, "one line a turn");
    let tools: Vec<&str> = log.iter().map(|line| line["call"]["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["click", "type", "click", "click", "type", "scroll", "observe", "done"]);
    assert_eq!(
        (&log[1]["call"]["args"]["text"], &log[1]["reason"]),
        (&json!("Añ€😀\nsecond"), &json!("Writing."))
    );
    let clamped = &log[2]["call"]["args"];
    assert_eq!((&clamped["x"], &clamped["y"]), (&json!(1000.0), &json!(0.0)), "as they were used");
    let notes = log[2]["notes"].to_string();
    assert!(notes.contains("1500") && notes.contains("-20"), "as they came: {notes}");
    assert!(desk.seen().contains(&"left press at (1279, 0)".to_owned()));
    for line in &log[..7] {
        assert_eq!(line["calm"], "settled");
        assert_eq!(line["timings"]["settle"], json!(200.0));
        let pause = if line["choice"] == "observe" { 1500.0 } else { 950.0 };
        assert_eq!(line["timings"]["pause"], json!(pause));
    }
    assert_eq!((&log[7]["calm"], &log[7]["timings"]["pause"]), (&json!("skipped"), &json!(0.0)));
}

// spec: S-66 S-105 SIM
#[test]
fn a_log_on_a_fresh_desk_leads_to_the_same_state() {
    let first = OnDesk::new(&setup(3), &[]);
    first.open("editor", &[]);
    assert_eq!(first.play(&everything(&first)).outcome, Outcome::Done);
    let truth = first.truth();
    let pictures =
        |desk: &OnDesk| -> Vec<Vec<u8>> { desk.shots().into_iter().map(|s| s.asked.picture.0).collect() };
    let pictures_of_first = pictures(&first);
    // What the log says was called, and nothing else of the run.
    let script: Vec<Value> = session(&first.out())
        .iter()
        .map(|line| json!({"call": line["call"]["tool"], "args": line["call"]["args"]}))
        .collect();
    let again = OnDesk::new(&setup(3), &[]);
    again.open("editor", &[]);
    assert_eq!(again.play(&script).outcome, Outcome::Done);
    assert_eq!(again.truth(), truth);
    assert_eq!(again.seen(), first.seen(), "event by event");
    assert!(pictures(&again) == pictures_of_first, "and picture by picture");
    // The controls: a desk that nobody worked on, and a log with a call less.
    assert_ne!(OnDesk::new(&setup(3), &[]).truth(), truth);
    let less = OnDesk::new(&setup(3), &[]);
    less.open("editor", &[]);
    let script: Vec<Value> =
        script.into_iter().enumerate().filter(|(n, _)| *n != 4).map(|(_, line)| line).collect();
    less.play(&script);
    assert_ne!(less.truth(), truth);
}

// spec: S-74 S-76 SIM
#[test]
fn by_hand_each_command_is_read_acted_settled_drawn_and_seen() {
    let desk = OnDesk::native(HD, &[]);
    desk.open("editor", &[]);
    let (x, y) = desk.norm(desk.middle("editor", "text"));
    let lines = [
        "observe First I look.".to_owned(),
        format!("click {x} {y} Into the text."),
        "type Hello World".to_owned(),
        "dance".to_owned(),
        "scroll -240 Down.".to_owned(),
        "done That is it.".to_owned(),
    ];
    let mut lengths = Vec::new();
    block_on(async {
        // Nobody is asked: the script is empty.
        let model = Scripted::read("nobody", "", Arc::new(desk.clock.clone())).unwrap();
        let mut manual = Manual::new(desk.parts(Arc::new(model))).await.unwrap();
        for line in &lines {
            lengths.push(desk.tape().len());
            let answer = manual.command(line).await.unwrap();
            match line.split(' ').next() {
                Some("dance") => assert!(matches!(answer, Answer::No(_)), "{answer:?}"),
                Some("done") => assert_eq!(answer, Answer::Done("That is it.".into())),
                _ => assert!(matches!(answer, Answer::Did(_)), "{answer:?}"),
            }
        }
        lengths.push(desk.tape().len());
        manual.finish(Outcome::Done, String::new()).await;
    });
    assert_eq!(desk.text(), "Hello World");
    assert!(desk.shots().is_empty(), "no model was asked");

    let order = desk.order();
    assert_eq!(order[..lengths[0]], ["capture"], "the first picture comes before the first command");
    let settled = ["probe", "probe", "probe", "capture"];
    let acted = ["inject", "probe", "probe", "probe", "capture"];
    let of = |n: usize| &order[lengths[n]..lengths[n + 1]];
    assert_eq!(of(0), settled);
    assert_eq!(of(1), acted);
    assert_eq!(of(2), acted);
    assert_eq!(of(3), [""; 0], "what is no command does nothing");
    assert_eq!(of(4), acted);
    assert_eq!(of(5), ["capture"], "`done` draws its reason and takes a last picture");

    // The files: 000 and one a command, each the screen as it was then under the reason of its command.
    let frames: Vec<_> = desk
        .tape()
        .into_iter()
        .filter_map(|(_, did)| match did {
            Did::Look(request, frame) if request.frame.0 > 0 => Some(frame),
            _ => None,
        })
        .collect();
    let hud: Vec<bool> = (0..6)
        .map(|n| {
            let file = std::fs::read(desk.out().join(format!("test{n:03}.png"))).unwrap();
            Picture::from_png(&file).difference(&picture(&frames[n])).is_some()
        })
        .collect();
    assert_eq!(hud, [false, true, true, false, true, true], "nothing at first, and `type` has no reason");
    assert!(!desk.out().join("test006.png").exists());
    let now = desk.clock.now();
    assert_eq!(now.as_millis(), 1500 + 200 + 3 * (1000 + 950 + 200), "the pauses are those of a run");
}
