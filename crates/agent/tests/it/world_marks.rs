//! Marks on a desk: boxes and numbers where the world knows its widgets, clicks by number, and nothing of it by default.

use crate::rig::{Answers, call, session};
use crate::world_rig::{HD, OnDesk, difference, done, observe, plain};
use handsight_base::port::BoxFuture;
use handsight_base::port::model::{Model, ModelError, ModelReply, ModelRequest, Part};
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use handsight_base::stop::Stop;
use handsight_testkit::picture::Patch;
use handsight_worlds::desk::ui::node::Kind;
use handsight_worlds::engine::{World, hold};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const NATIVE: [&str; 3] = ["hud.enabled=false", "context.picture_width=0", "context.picture_height=0"];
const MARKS: &str = "context.annotate.marks=true";

/// A model that reads what it is sent.
struct Reader {
    answers: Mutex<(u64, Answers)>,
    sent: Arc<Mutex<Vec<Sent>>>,
}

/// A request without its picture's bytes.
#[derive(Debug, Clone, PartialEq)]
struct Sent {
    text: String,
    tools: Value,
}

impl Sent {
    /// The numbers of the things that are listed with this kind and label.
    fn numbers(&self, what: &str) -> Vec<u32> {
        let line = |line: &str| line.strip_suffix(what)?.strip_suffix(' ')?.parse().ok();
        self.text.lines().filter_map(line).collect()
    }

    fn number(&self, what: &str) -> u32 {
        let numbers = self.numbers(what);
        assert_eq!(numbers.len(), 1, "{what}: {}", self.text);
        numbers[0]
    }
}

impl Reader {
    fn new(
        answer: impl FnMut(u64, &ModelRequest) -> Result<ModelReply, ModelError> + Send + 'static,
    ) -> Self {
        Self { answers: Mutex::new((0, Box::new(answer))), sent: Arc::default() }
    }
}

fn sent(request: &ModelRequest) -> Sent {
    let texts = request.messages.iter().flat_map(|m| &m.parts).filter_map(|part| match part {
        Part::Text(text) => Some(text.clone()),
        _ => None,
    });
    let tools = request.tools.iter().map(|tool| json!({"name": tool.name, "parameters": tool.parameters}));
    Sent { text: texts.collect::<Vec<_>>().join("\n"), tools: tools.collect() }
}

impl Model for Reader {
    fn name(&self) -> &str {
        "test/reader"
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        _: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        self.sent.lock().unwrap().push(sent(request));
        let mut answers = self.answers.lock().unwrap();
        answers.0 += 1;
        let n = answers.0;
        let answer = (answers.1)(n, request);
        Box::pin(std::future::ready(answer))
    }
}

/// Plays what `answer` says, and returns what the model was sent.
fn play(
    desk: &OnDesk,
    answer: impl FnMut(u64, &ModelRequest) -> Result<ModelReply, ModelError> + Send + 'static,
) -> Vec<Sent> {
    let model = Reader::new(answer);
    let requests = Arc::clone(&model.sent);
    desk.run(Arc::new(model));
    std::mem::take(&mut *requests.lock().unwrap())
}

fn finish() -> Result<ModelReply, ModelError> {
    call("done", json!({"reason": "finished"}))
}

/// A desk of settings besides the plain ones, with a calculator in front of an editor.
fn desk(size: Size, more: &[&str]) -> OnDesk {
    let desk = OnDesk::new(&plain(size), &[&NATIVE[..], more].concat());
    desk.open("editor", &[]);
    desk.open("calculator", &[]);
    desk
}

/// The buttons of the calculator by the world's own word: what stands on each and where it lies.
fn buttons(desk: &OnDesk) -> Vec<(String, ScreenRect)> {
    let world = hold(&desk.world);
    let window = world.windows().into_iter().find(|w| w.class.contains(&"calculator".to_owned())).unwrap();
    let button = |placed: &handsight_worlds::desk::ui::Placed| match &placed.kind {
        Kind::Button { text, .. } => Some((text.clone(), placed.rect.intersect(&placed.clip)?)),
        _ => None,
    };
    world.ui(window.id.0).unwrap().placed().iter().filter_map(button).collect()
}

#[test]
fn a_click_by_number_is_a_click_on_that_thing_wherever_it_is() {
    let desk = desk(HD, &[MARKS]);
    let truth = buttons(&desk);
    let (seven, at) = truth.iter().find(|(text, _)| text == "7").unwrap().clone();
    let requests = play(&desk, move |n, request| match n {
        1 => {
            let number = sent(request).number(&format!("button {seven:?}"));
            call("click", json!({"mark": number, "reason": "seven"}))
        }
        _ => finish(),
    });
    let press = |at: ScreenPx| format!("left press at ({}, {})", at.x, at.y);
    assert!(desk.seen().contains(&press(at.center())), "{:?}", desk.seen());
    // Each of its buttons is listed once, the numbers stay, and those of two turns are the same.
    for (text, _) in &truth {
        let numbers = [&requests[0], &requests[1]].map(|sent| sent.number(&format!("button {text:?}")));
        assert_eq!(numbers[0], numbers[1], "{text}");
    }
    assert_eq!(session(&desk.out())[0]["call"]["args"]["reason"], "seven");
    // A point is taken as before.
    assert_eq!(requests[0].tools[1]["parameters"]["required"], json!(["reason"]));
    let properties: Vec<&String> =
        requests[0].tools[1]["parameters"]["properties"].as_object().unwrap().keys().collect();
    assert_eq!(properties, ["mark", "x", "y", "reason"]);
}

#[test]
fn numbers_that_are_not_on_this_picture_are_told_and_nothing_is_clicked() {
    let desk = desk(HD, &[MARKS, "decide.max_failures=9"]);
    let close = desk.world.clone();
    let mut seven = 0;
    let requests = play(&desk, move |n, request| match n {
        1 => {
            seven = sent(request).number("button \"7\"");
            // The editor covers the calculator before the next picture.
            let mut world = hold(&close);
            let editor = world.windows()[1].id;
            world.place(editor, ScreenRect::new(0, 0, 1280, 700));
            world.focus(editor);
            call("observe", json!({"reason": ""}))
        }
        2 => call("click", json!({"mark": 998, "reason": ""})),
        3 => call("click", json!({"mark": "seven", "reason": ""})),
        4 => call("click", json!({"x": 500, "reason": ""})),
        5 => call("observe", json!({"reason": ""})),
        6 => call("click", json!({"mark": seven, "reason": ""})),
        _ => finish(),
    });
    assert_eq!(requests.len(), 7);
    let presses = desk.seen().into_iter().filter(|s| s.contains("press")).count();
    assert_eq!(presses, 0, "{:?}", desk.seen());
    let log = session(&desk.out());
    let said = |turn: usize| log[turn]["notes"].to_string();
    assert!(said(1).contains("there is no mark 998; there are: "), "{}", said(1));
    assert!(said(2).contains("mark"), "{}", said(2));
    assert!(said(3).contains("`y` is missing"), "{}", said(3));
    assert!(said(5).contains("was on an earlier picture and is not on this one"), "{}", said(5));
}

// spec: S-104 SIM
#[test]
fn boxes_lie_around_what_can_be_pressed_and_only_if_the_profile_says_so() {
    for scale in [1.0, 1.5] {
        let setup = crate::world_rig::plainly(&handsight_worlds::Setup::new(3, HD).scaled(scale));
        let framed = |setting: &str| {
            let desk = OnDesk::new(&setup, &[&NATIVE[..], &[setting]].concat());
            desk.open("calculator", &[]);
            desk.play(&[observe(""), done()]);
            desk
        };
        let off = framed("context.annotate.boxes=false");
        for shot in off.shots() {
            assert_eq!(difference(&shot.picture(), &shot.screen), None, "off by default: the bare screen");
        }
        let on = framed("context.annotate.boxes=true");
        let truth = buttons(&on);
        assert!(truth.len() >= 16);
        let shots = on.shots();
        let (picture, screen) = (shots[0].picture(), crate::world_rig::picture(&shots[0].screen));
        let unlike = |x: u32, y: u32| picture.at(x, y) != screen.at(x, y);
        for (text, at) in &truth {
            let pixel = |v: i64| (v as f64 * scale).floor() as u32;
            let end = |v: i64| (v as f64 * scale).ceil() as u32;
            let (left, top) = (pixel(at.origin.x.into()), pixel(at.origin.y.into()));
            let (right, bottom) = (end(at.right()), end(at.bottom()));
            // Two pixels wide all around, and what is within is as it was.
            let ring = [
                (left, top),
                (right - 1, top),
                (left + 1, bottom - 1),
                (right - 1, bottom - 2),
                (left, (top + bottom) / 2),
            ];
            for (x, y) in ring {
                assert!(unlike(x, y), "{text} at {scale}: no border at {x}, {y}");
            }
            let inside = Patch::new(left + 2, top + 2, right - left - 4, bottom - top - 4);
            assert_eq!(picture.part(inside).difference(&screen.part(inside)), None, "{text} at {scale}");
            assert!(!unlike(left - 1, top + 4), "nor is anything drawn outside");
        }
        // Boxes alone bring no numbers: the tools and the words are what they are without.
        let text = session(&on.out())[0].to_string();
        assert!(!text.contains("mark"), "{text}");
    }
}

#[test]
fn without_marks_a_request_is_what_it_always_was() {
    let requests = |more: &[&str]| {
        play(&desk(HD, more), |n, _| if n > 1 { finish() } else { call("observe", json!({"reason": ""})) })
    };
    let plain = requests(&[]);
    assert_eq!(plain, requests(&["perceive.marks.max=7", "context.annotate.boxes=true"]));
    assert_ne!(plain, requests(&[MARKS]), "the control");
    assert!(!plain[0].text.contains("number on the picture"));
}

#[test]
fn what_has_a_place_of_its_own_dialect_is_listed_with_it() {
    let desk = OnDesk::of("assist", &plain(HD), &[&NATIVE[1..], &["decide.max_failures=1", MARKS]].concat());
    desk.open("calculator", &[]);
    let at = buttons(&desk).into_iter().find(|(text, _)| text == "7").unwrap().1.center();
    let requests = play(&desk, |_, _| Ok(ModelReply::default()));
    let listed = format!("button \"7\" at ({}, {})", at.x, at.y);
    assert!(requests[0].text.contains(&listed), "{listed}: {}", requests[0].text);
}

#[test]
fn only_so_many_things_get_a_number() {
    let requests = play(&desk(HD, &[MARKS, "perceive.marks.max=5"]), |_, _| finish());
    let lines: Vec<&str> =
        requests[0].text.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_digit())).collect();
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert!(requests[0].text.contains(" more have no number)"));
    let short = play(&desk(HD, &[MARKS, "perceive.marks.cap_tokens=20"]), |_, _| finish());
    assert!(short[0].text.contains("[cut]"), "{}", short[0].text);
}
