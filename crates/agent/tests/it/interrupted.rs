//! A run dies in the middle of an action, and another goes on: whatever way its model writes, it is told that the action may or may
//! not have happened, at its own call where there is one, and that what went before it was done.

use crate::rig::{Rig, reply};
use handsight_agent::ending::Outcome;
use handsight_base::flow::action::{Action, Button};
use handsight_base::flow::intent::Intent;
use handsight_base::key::Modifiers;
use handsight_base::port::BoxFuture;
use handsight_base::port::model::{
    Exchange, Model, ModelError, ModelReply, ModelRequest, Part, Role, ToolCall,
};
use handsight_base::space::{At, FramePx, PictureGeometry};
use handsight_base::stop::Stop;
use handsight_model::DIALECTS;
use handsight_model::wire::{WIRES, WireOptions};
use handsight_store::Durability;
use handsight_testkit::chat::{Api, complaints};
use handsight_testkit::fake::Call;
use handsight_testkit::written::{Writer, writer};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

const UNKNOWN: &str = "it may or may not have happened";
const LAST: &str = "It is done.";

/// Clicks at places of the screen, one a turn, then says that it is done; a reply is recalled by its number.
struct Writes {
    writer: &'static Writer,
    clicks: Vec<(i32, i32)>,
    /// Of the first reply in this life.
    next: Mutex<usize>,
    seen: Arc<Mutex<Vec<ModelRequest>>>,
}

fn shown(request: &ModelRequest) -> PictureGeometry {
    let parts = request.messages.iter().flat_map(|m| &m.parts);
    let mut pictures = parts.filter_map(|part| match part {
        Part::Picture(picture) => Some(picture.geometry),
        Part::Result { picture, .. } => picture.as_ref().map(|p| p.geometry),
        Part::Text(_) | Part::Call(_) => None,
    });
    pictures.next_back().unwrap()
}

impl Writes {
    fn reply(&self, n: usize, picture: &PictureGeometry) -> ModelReply {
        let intent = match self.clicks.get(n) {
            Some((x, y)) => Intent::Act(Action::Click {
                at: Some(At { point: FramePx::new(*x, *y), frame: picture.frame }),
                button: Button::Left,
                count: 1,
                modifiers: Modifiers::NONE,
            }),
            None => Intent::Done { statement: LAST.into() },
        };
        let written = (self.writer.write)(&intent, picture)
            .unwrap_or_else(|| panic!("{} has no words for {intent:?}", self.writer.dialect));
        let call = |(i, (name, arguments)): (usize, &(String, serde_json::Value))| ToolCall {
            id: format!("call_{n}_{i}"),
            name: name.clone(),
            arguments: arguments.to_string(),
        };
        let calls = written.calls.iter().enumerate().map(call).collect();
        ModelReply { text: written.text, ..reply(calls) }
    }
}

impl Model for Writes {
    fn name(&self) -> &'static str {
        "test/writes"
    }

    fn recall(&self, exchange: &Exchange) -> Option<ModelReply> {
        let (n, picture) = exchange.response.split_once(' ')?;
        Some(self.reply(n.parse().ok()?, &serde_json::from_str(picture).ok()?))
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        _: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        let mut next = self.next.lock().unwrap();
        self.seen.lock().unwrap().push(request.clone());
        let picture = shown(request);
        let mut reply = self.reply(*next, &picture);
        reply.exchange.response = format!("{next} {}", serde_json::to_string(&picture).unwrap());
        *next += 1;
        Box::pin(std::future::ready(Ok(reply)))
    }
}

/// One life of a run; what it was asked, and whether it came to its end.
fn live(rig: &mut Rig, name: &'static str, clicks: &[(i32, i32)], from: usize) -> (bool, Vec<ModelRequest>) {
    let seen = Arc::default();
    let model = Writes {
        writer: writer(name).unwrap(),
        clicks: clicks.to_vec(),
        next: Mutex::new(from),
        seen: Arc::clone(&seen),
    };
    rig.around = Some(Box::new(move |_, _| Arc::new(model)));
    rig.dialect_name = name;
    let ended = catch_unwind(AssertUnwindSafe(|| rig.run(Box::new(|_, _| unreachable!()))));
    let ended = ended.is_ok_and(|ending| ending.outcome == Outcome::Done);
    (ended, std::mem::take(&mut *seen.lock().unwrap()))
}

/// How many batches of input a click is.
fn batches(rig: &Rig) -> usize {
    rig.desktop.calls().iter().filter(|(_, call)| matches!(call, Call::Inject(_))).count()
}

/// What the last turn is told of those before it: the words of results, and the other words.
fn told(request: &ModelRequest) -> (Vec<(String, String, bool)>, String) {
    let last = request.messages.last().unwrap();
    assert_eq!(last.role, Role::User);
    let (mut results, mut words) = (Vec::new(), String::new());
    for part in &last.parts {
        match part {
            Part::Result { call_id, text, is_error, .. } => {
                results.push((call_id.clone(), text.clone(), *is_error));
            }
            Part::Text(text) => words.push_str(text),
            Part::Picture(_) | Part::Call(_) => {}
        }
    }
    (results, words)
}

#[test]
fn what_a_death_left_unknown_is_told_in_every_dialect() {
    const KEEPS: [&str; 4] =
        ["context.history=conversation", "learn.carry=none", "hud.enabled=false", "settle.enabled=false"];
    // Far from the corner, where pictures are larger than any that could be guessed.
    let clicks = [(310, 170), (300, 160)];
    let mut alone = 0;
    for entry in DIALECTS {
        let name = entry.info.name;
        // It is declared and waits for its language.
        if name == "script" {
            continue;
        }
        // What a life costs before the click that it dies in.
        let mut whole = Rig::new(&KEEPS);
        live(&mut whole, name, &clicks[..1], 0);
        let each = batches(&whole);
        assert!(each > 0, "{name} does not click");
        // The first turn of a run, and the second.
        for dies_in in [0, 1] {
            let mut rig = Rig::new(&KEEPS);
            // As on a real desktop: an intent is on disk before it is carried out.
            rig.durability = Durability::Always;
            rig.desktop.die_at_injection(each * (dies_in + 1));
            let (ended, before) = live(&mut rig, name, &clicks, 0);
            assert!(!ended && before.len() == dies_in + 1, "{name} lives");
            let (ended, after) = live(&mut rig, name, &clicks, 2);
            assert!(ended && after.len() == 1, "{name}: {} requests", after.len());
            assert_eq!(batches(&rig), 0, "{name}: done again");
            let (results, words) = told(&after[0]);
            let unknown = |text: &str| text.matches(UNKNOWN).count();
            let said = results.iter().map(|r| unknown(&r.1)).sum::<usize>() + unknown(&words);
            assert_eq!(said, 1, "{name}, turn {dies_in}: {results:?} {words:?}");
            if let Some((last, done)) = results.split_last() {
                let id = format!("call_{dies_in}_{}", done.len());
                assert!(last.0 == id && last.2 && unknown(&last.1) == 1, "{name}: {results:?}");
                assert!(done.iter().all(|r| !r.2), "{name}: {results:?}");
            } else {
                alone += 1;
            }
            for wire in WIRES.iter().filter(|wire| entry.speaks(wire.name)) {
                let options = WireOptions { fixed_sampling: true, ..WireOptions::new("gemini-3") };
                let body = wire.body(&after[0], &options);
                let api = Api::ALL.into_iter().find(|api| api.wire() == wire.name).unwrap();
                assert_eq!(complaints(api, "gemini-3", &body), [""; 0], "{name} over {}", wire.name);
                assert_eq!(unknown(&String::from_utf8(body).unwrap()), 1, "{name} over {}", wire.name);
            }
        }
    }
    assert!(alone > 10, "dialects that are written in words: {alone}");
}
