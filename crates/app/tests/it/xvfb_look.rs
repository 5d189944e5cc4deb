//! `look` and clicks by number on real programs, GTK and Qt, held to what the accessibility library itself says of them.

use crate::handsight::Said;
use crate::rig::{PATIENCE, Rig, always, done, session};
use handsight_testkit::accessible::{Session, Told};
use handsight_testkit::chat::Reply;
use handsight_testkit::need::need;
use handsight_testkit::program::Program;
use handsight_testkit::wait::until;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs::File;
use std::process::Stdio;

/// A program, the title that its window has, and where its window is put: none lies over another.
type Place = (&'static str, &'static str, &'static str);

const PLACES: [Place; 5] = [
    ("galculator", "galculator", "0,0,0,-1,-1"),
    ("zenity", "Ask", "0,380,0,-1,-1"),
    ("gnome-mines", "Mines", "0,700,0,720,420"),
    ("mousepad", "Mousepad", "0,0,440,640,480"),
    ("featherpad", "Untitled", "0,680,480,700,460"),
];

struct Desk {
    rig: Rig,
    session: Session,
    _openbox: Program,
    programs: Vec<(&'static str, Program)>,
}

impl Desk {
    /// These of the programs, each where it belongs. `None` if something is not installed.
    fn with(wanted: &[&str]) -> Option<Self> {
        let mut rig = Rig::sized(1440, 960)?;
        if !(need("galculator", "galculator")
            && need("zenity", "zenity")
            && need("/usr/games/gnome-mines", "gnome-mines")
            && need("mousepad", "mousepad")
            && need("featherpad", "featherpad")
            && need("wmctrl", "wmctrl")
            && need("xdotool", "xdotool"))
        {
            return None;
        }
        let openbox = rig.x.openbox()?;
        let session = Session::start(&rig.x)?;
        rig.handsight = rig.handsight.with("DBUS_SESSION_BUS_ADDRESS", session.address());
        let note = rig.x.home().join("note.txt");
        std::fs::write(&note, "A page.\n").unwrap();
        let answer = File::create(rig.x.home().join("answer")).unwrap();
        let mut programs = Vec::new();
        for (name, _, _) in PLACES.iter().filter(|(name, _, _)| wanted.contains(name)) {
            let mut command = session.command(&rig.x, name);
            match *name {
                "mousepad" => command.arg(&note),
                "zenity" => {
                    let asked = ["--entry", "--title", "Ask", "--text", "Your name:"];
                    command.args(asked).stdout(answer.try_clone().unwrap())
                }
                _ => &mut command,
            };
            programs.push((*name, Program::start(&mut command)));
        }
        let desk = Self { rig, session, _openbox: openbox, programs };
        for (_, title, place) in PLACES.iter().filter(|(name, _, _)| wanted.contains(name)) {
            until(title, PATIENCE, || {
                desk.rig
                    .x
                    .command("wmctrl")
                    .args(["-r", title, "-e", place])
                    .status()
                    .ok()?
                    .success()
                    .then_some(())
            });
        }
        Some(desk)
    }

    fn program(&self, name: &str) -> &Program {
        &self.programs.iter().find(|(named, _)| *named == name).unwrap().1
    }

    /// What the accessibility library says, once two readings agree: programs take their time.
    fn truth(&self) -> Option<Vec<Told>> {
        let mut last = self.session.truth(&self.rig.x)?;
        Some(until("the programs stand still", PATIENCE, || {
            let now = self.session.truth(&self.rig.x)?;
            let still =
                now == last && self.programs.iter().all(|(name, _)| now.iter().any(|told| is_of(told, name)));
            last.clone_from(&now);
            still.then_some(now)
        }))
    }

    fn look(&self, more: &[&str]) -> Vec<Mark> {
        marks(self.rig.handsight.run(&[&["look", "--json"], more].concat()).ended(0))
    }

    fn xdotool(&self, args: &[&str]) {
        self.rig.x.run("xdotool", args);
    }
}

fn is_of(told: &Told, program: &str) -> bool {
    told.program.to_lowercase() == program && told.is_pressed()
}

#[derive(Debug)]
struct Mark {
    label: String,
    area: [i64; 4],
    kind: String,
}

impl Mark {
    const fn point(&self) -> (i64, i64) {
        let [left, top, width, height] = self.area;
        (left + width / 2, top + height / 2)
    }
}

fn marks(said: &Said) -> Vec<Mark> {
    let mark = |mark: &Value| Mark {
        label: mark["label"].as_str().unwrap().to_owned(),
        kind: mark["kind"].as_str().unwrap().to_owned(),
        area: [0, 1, 2, 3].map(|n| mark["box"][n].as_i64().unwrap()),
    };
    said.json()["marks"].as_array().unwrap().iter().map(mark).collect()
}

/// How many of the things that a person would press have a mark in their box: of those of a program, or of all.
fn found<'a>(truth: &'a [Told], marks: &[Mark], moved: (i64, i64)) -> (usize, Vec<&'a Told>) {
    let pressed: Vec<&Told> = truth.iter().filter(|told| told.is_pressed()).collect();
    let has_one = |told: &Told| {
        marks.iter().any(|mark| {
            let (x, y) = mark.point();
            // A label is on one line.
            let name = told.name.split_whitespace().collect::<Vec<_>>().join(" ");
            let named = name.is_empty() || mark.label == name;
            named && told.contains(x + moved.0, y + moved.1)
        })
    };
    let (hit, missed): (Vec<&Told>, Vec<&Told>) = pressed.into_iter().partition(|told| has_one(told));
    (hit.len(), missed)
}

fn share((hit, missed): &(usize, Vec<&Told>)) -> f64 {
    *hit as f64 / (hit + missed.len()).max(1) as f64
}

#[test]
fn what_five_programs_show_has_a_mark_within_its_box() {
    let Some(desk) = Desk::with(&PLACES.map(|(name, _, _)| name)) else { return };
    let Some(truth) = desk.truth() else { return };
    let drawn = desk.rig.x.home().join("look.png");
    let marks = desk.look(&["--out", drawn.to_str().unwrap()]);
    for (name, _, _) in PLACES {
        let own: Vec<Told> = truth.iter().filter(|told| is_of(told, name)).cloned().collect();
        let of_program = found(&own, &marks, (0, 0));
        println!("{name}: {} of {} buttons, fields and items", of_program.0, own.len());
        assert!(own.len() >= 3, "{name} shows {}", own.len());
    }
    let all = found(&truth, &marks, (0, 0));
    assert!(all.0 >= 60, "only {} things", all.0);
    assert!(share(&all) >= 0.95, "{} found, missed: {:#?}", all.0, all.1);
    // The same marks beside their places are red, and so is a look that does not ask the programs.
    assert!(share(&found(&truth, &marks, (37, 23))) < 0.5, "the control");
    assert_eq!(
        found(&truth, &desk.look(&["--set", "perceive.marks.sources=[\"ocr\"]"]), (0, 0)).0,
        0,
        "the control"
    );
    // Only the marks are drawn on the picture, and the screen below is that which was looked at.
    let picture = handsight_testkit::picture::Picture::from_png(&std::fs::read(drawn).unwrap());
    let screen = handsight_testkit::apps::screenshot(&desk.rig.x);
    assert_eq!((picture.width, picture.height), (1440, 960));
    assert!(picture.difference(&screen).is_some());

    // An open menu: its items lie in a window of their own.
    desk.xdotool(&["mousemove", "20", "472", "click", "1"]);
    let is_item = |told: &&Told| is_of(told, "mousepad") && told.role.contains("menu item");
    let items: Vec<Told> = until("the menu File is open", PATIENCE, || {
        let now = desk.session.truth(&desk.rig.x)?;
        let items: Vec<Told> = now.iter().filter(is_item).cloned().collect();
        (items.len() >= 8).then_some(items)
    });
    let of_menu = found(&items, &desk.look(&[]), (0, 0));
    println!("an open menu: {} of {} items", of_menu.0, items.len());
    assert!(share(&of_menu) >= 0.95, "{:#?}", of_menu.1);
    desk.xdotool(&["key", "Escape"]);

    // What the question covers of the calculator has no mark any more.
    desk.rig.x.run("wmctrl", &["-r", "Ask", "-e", "0,60,120,-1,-1"]);
    desk.rig.x.run("wmctrl", &["-a", "Ask"]);
    let (covered, seen) = until("the question lies over the calculator", PATIENCE, || {
        let now = desk.session.truth(&desk.rig.x)?;
        let ask = now.iter().find(|told| told.name == "Ask" && told.area[0] < 100)?.clone();
        let below = |told: &&Told| {
            let [left, top, width, height] = told.area;
            is_of(told, "galculator")
                && ask.contains(left, top)
                && ask.contains(left + width - 1, top + height - 1)
        };
        let covered: Vec<Told> = now.iter().filter(below).cloned().collect();
        (!covered.is_empty()).then_some((covered, now))
    });
    let marks = desk.look(&[]);
    for told in &covered {
        let of_it = marks
            .iter()
            .find(|mark| mark.label == told.name && told.contains(mark.point().0, mark.point().1));
        assert!(of_it.is_none(), "{told:?} is covered: {of_it:?}");
    }
    let of_question: Vec<Told> = seen.into_iter().filter(|told| is_of(told, "zenity")).collect();
    assert_eq!(share(&found(&of_question, &marks, (0, 0))), 1.0, "what covers is seen");
}

/// Whichever of two programs has its window in front, with more things than may be told.
#[test]
fn of_too_many_things_those_in_front_are_told() {
    let Some(desk) = Desk::with(&["galculator", "mousepad"]) else { return };
    let Some(truth) = desk.truth() else { return };
    let few = ["--set", "perceive.marks.max=3", "--set", "perceive.marks.sources=[\"tree\"]"];
    for front in ["galculator", "Mousepad"] {
        desk.rig.x.run("wmctrl", &["-a", front]);
        let own: Vec<Told> = truth.iter().filter(|t| is_of(t, &front.to_lowercase())).cloned().collect();
        assert!(own.len() > 6, "more than are asked for: {own:?}");
        let marks = until("the window in front is told of", PATIENCE, || {
            let marks = desk.look(&few);
            (found(&own, &marks, (0, 0)).0 == marks.len()).then_some(marks)
        });
        assert_eq!(marks.len(), 3, "{marks:?}");
    }
    // The list says that there are more.
    desk.rig.handsight.run(&[&["look"], &few[..]].concat()).ended(0).told("(up to ");
}

#[test]
fn a_program_that_hangs_is_named_and_holds_up_nobody() {
    let Some(desk) = Desk::with(&["galculator", "mousepad"]) else { return };
    let Some(truth) = desk.truth() else { return };
    let own = |name: &str| truth.iter().filter(|told| is_of(told, name)).cloned().collect::<Vec<_>>();
    desk.program("galculator").signal(Signal::STOP);
    let said = desk.rig.handsight.run(&["look", "--json", "--set", "perceive.marks.tree_ms=300"]);
    desk.program("galculator").signal(Signal::CONT);
    said.ended(0).told(&format!("process {} did not answer in time", desk.program("galculator").pid()));
    let marks = marks(&said);
    assert_eq!(found(&own("galculator"), &marks, (0, 0)).0, 0);
    assert!(share(&found(&own("mousepad"), &marks, (0, 0))) >= 0.95, "the other one is read all the same");
    let took = said.json()["millis"].as_f64().unwrap();
    assert!(took < 1500.0, "{took} ms");
}

#[test]
fn what_a_password_field_holds_is_never_read() {
    let Some(desk) = Desk::with(&[]) else { return };
    let mut ask = desk.session.command(&desk.rig.x, "zenity");
    let _ask = Program::start(ask.args(["--password", "--title", "Secret"]).stdout(Stdio::null()));
    until("the question", PATIENCE, || {
        let truth = desk.session.truth(&desk.rig.x)?;
        truth.iter().any(|told| told.role == "password text").then_some(())
    });
    desk.xdotool(&["type", "hunter2"]);
    let said = desk.rig.handsight.run(&["look", "--json"]);
    let fields = marks(said.ended(0)).into_iter().filter(|mark| mark.kind == "field").count();
    assert_eq!(fields, 1, "{said:?}");
    assert!(!said.stdout.contains("hunter2") && !said.stdout.contains("●"), "{said:?}");
}

/// Everything that a request says in words.
fn words(request: &Value) -> String {
    let said = |content: &Value| match content {
        Value::String(text) => text.clone(),
        parts => parts
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|part| part["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n"),
    };
    request["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| said(&message["content"]))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The number of the one thing that is listed so.
fn number(text: &str, what: &str) -> Option<u32> {
    let mut numbers =
        text.lines().filter_map(|line| line.strip_suffix(what)?.strip_suffix(' ')?.parse().ok());
    numbers.next()
}

#[test]
fn a_dialog_is_answered_by_numbers_alone() {
    let Some(desk) = Desk::with(&["zenity"]) else { return };
    if desk.truth().is_none() {
        return;
    }
    let model = always(move |request| {
        let text = words(&request.json);
        let press = |what: &str| match number(&text, what) {
            Some(number) => {
                Reply::call("click", json!({"mark": number, "reason": format!("I press {what}.")}))
            }
            None => done(&format!("there is no {what}")),
        };
        match request.n {
            1 => press("field"),
            2 => Reply::call("type", json!({"text": "by number", "reason": "The name."})),
            3 => press("button \"OK\""),
            _ => done("answered"),
        }
    });
    let said = desk
        .rig
        .run(&model, &["Answer the question", "--set", "context.annotate.marks=true", "--max-turns", "6"]);
    said.ended(0);
    let answer = std::fs::read_to_string(desk.rig.x.home().join("answer")).unwrap();
    let log = session(&desk.rig.runs()[0]);
    assert_eq!(answer, "by number\n", "{log:#?}");
    assert!(log[0]["call"]["args"]["mark"].is_u64(), "{}", log[0]);
    assert_eq!(model.take_complaints(), Vec::<String>::new());
}

#[test]
fn a_world_is_looked_at_without_a_screen() {
    let handsight = crate::handsight::Handsight::new();
    let said = handsight.run(&["look", "--desktop", "world:desk,task=write-note,seed=7"]);
    let table = &said.ended(0).stdout;
    assert!(table.lines().count() >= 5 && table.contains("button") && table.contains("tree"), "{table}");
    handsight
        .run(&["look", "--desktop", "world:desk", "--out", "/no/such/folder/x.png"])
        .ended(2)
        .told("cannot be written");
    handsight.run(&["look", "--desktop", "moon"]).ended(2);
    handsight.run(&["look"]).ended(5).told("DISPLAY is not set");
    assert!(
        std::fs::read_dir(handsight.home()).unwrap().all(|e| !e.unwrap().path().ends_with("dump")),
        "no run is kept"
    );
}
