//! A conversation in the loop: what each call is told, looks, and going on after a stop.

use crate::confirm::Says;
use crate::rig::{Rig, call, reply, until};
use handsight_agent::ending::Outcome;
use handsight_base::flow::decision::Consent;
use handsight_base::flow::intent::{Intent, Look};
use handsight_base::flow::prompt::Prompt;
use handsight_base::port::BoxFuture;
use handsight_base::port::desktop::DesktopError;
use handsight_base::port::dialect::{
    BatchRule, Decoded, Dialect, DialectInfo, Planned, PointSpace, Rejection, RejectionKind,
};
use handsight_base::port::model::{
    Exchange, Message, Model, ModelError, ModelReply, ModelRequest, Part, Role, SafetyCheck, ToolCall,
};
use handsight_base::space::{FrameRect, PictureGeometry, Size};
use handsight_base::stop::Stop;
use handsight_model::Scripted;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const KEEPS: [&str; 4] =
    ["context.history=conversation", "learn.carry=none", "hud.enabled=false", "settle.enabled=false"];

/// Function calling in batches, with three calls that look.
struct Batches(Box<dyn Dialect>);

impl Dialect for Batches {
    fn info(&self) -> DialectInfo {
        let about = "of this test";
        DialectInfo { batch: BatchRule::InOrder, space: Some(PointSpace::Picture), about, ..self.0.info() }
    }

    fn encode(&self, prompt: &Prompt) -> ModelRequest {
        self.0.encode(prompt)
    }

    fn decode(&self, reply: &ModelReply, picture: &PictureGeometry) -> Result<Decoded, Rejection> {
        let mut plan = Vec::new();
        for (call, one) in reply.calls.iter().enumerate() {
            let look = match one.name.as_str() {
                "screenshot" => Some(Look::Screenshot),
                "pointer" => Some(Look::CursorPosition),
                "zoom" => Some(Look::Zoom { area: FrameRect::new(80, 45, 160, 90) }),
                "nothing" => {
                    return Err(Rejection::new(RejectionKind::UnknownTool, "no such tool").of_call(call));
                }
                _ => None,
            };
            let intent = match look {
                Some(look) => Intent::Look(look),
                None => {
                    let only = ModelReply { calls: vec![one.clone()], ..ModelReply::default() };
                    let decoded = self.0.decode(&only, picture).map_err(|e| e.of_call(call))?;
                    decoded.plan.into_iter().next().unwrap().intent
                }
            };
            plan.push(Planned { call, intent });
        }
        Ok(Decoded { plan, ..Decoded::default() })
    }
}

type Requests = Arc<Mutex<Vec<ModelRequest>>>;

fn calls(list: &[(&str, Value)]) -> ModelReply {
    let call = |(i, (name, args)): (usize, &(&str, Value))| ToolCall {
        id: format!("{name}_{i}"),
        name: (*name).into(),
        arguments: args.to_string(),
    };
    reply(list.iter().enumerate().map(call).collect())
}

fn click(x: i32) -> (&'static str, Value) {
    ("click", json!({"x": x, "y": 500, "reason": "r"}))
}

/// Runs these replies and then `done`; every request that was made.
fn converse(rig: &mut Rig, replies: Vec<ModelReply>) -> Vec<ModelRequest> {
    let requests = Requests::default();
    let seen = Arc::clone(&requests);
    let ending = rig.run(Box::new(move |n, request| {
        seen.lock().unwrap().push(request.clone());
        match replies.get(n as usize - 1) {
            Some(reply) => Ok(reply.clone()),
            None => call("done", json!({"reason": "finished"})),
        }
    }));
    assert_eq!(ending.outcome, Outcome::Done, "{}", ending.statement);
    std::mem::take(&mut requests.lock().unwrap())
}

fn in_batches(rig: &mut Rig) {
    rig.dialect = Some(Box::new(|inner| Box::new(Batches(inner))));
}

/// A result as `name: words`, with `!` for an error and the size of what it shows.
fn results(message: &Message) -> Vec<String> {
    let result = |part: &Part| match part {
        Part::Result { call_id, text, picture, is_error, .. } => {
            let size = picture.as_ref().map_or(String::new(), |p| format!(" [{}]", p.geometry.size));
            Some(format!("{}{call_id}: {text}{size}", if *is_error { "!" } else { "" }))
        }
        _ => None,
    };
    message.parts.iter().filter_map(result).collect()
}

fn pictures(request: &ModelRequest) -> Vec<Size> {
    let parts = request.messages.iter().flat_map(|m| &m.parts);
    parts.filter_map(|p| if let Part::Picture(p) = p { Some(p.geometry.size) } else { None }).collect()
}

/// The picture that the model is asked about.
fn newest(request: &ModelRequest) -> Arc<[u8]> {
    let parts = request.messages.last().unwrap().parts.iter();
    let mut pictures =
        parts.filter_map(|p| if let Part::Picture(p) = p { Some(Arc::clone(&p.bytes)) } else { None });
    pictures.next_back().unwrap()
}

#[test]
fn every_turn_stays_with_its_picture_its_call_and_its_result() {
    let mut rig = Rig::new(&KEEPS);
    let requests = converse(&mut rig, vec![calls(&[click(1)]), calls(&[click(2)]), ModelReply::default()]);
    let roles: Vec<usize> = requests.iter().map(|r| r.messages.len()).collect();
    assert_eq!(roles, [1, 3, 5, 7]);
    let last = &requests[3];
    assert_eq!(pictures(last).len(), 4, "each turn's own");
    assert_eq!(results(&last.messages[2]), ["click_0: done"]);
    // The empty reply was no turn of the model's that a service would take, and what was wrong with it is told.
    assert_eq!(last.messages[5].role, Role::Assistant);
    let Part::Text(told) = &last.messages[6].parts[0] else { panic!("{:?}", last.messages[6]) };
    assert!(told.starts_with("The reply was empty."), "{told}");
    // What was sent stays as it was sent, pictures by the same bytes in the same memory.
    for (short, long) in requests.iter().zip(&requests[1..]) {
        let of = |r: &ModelRequest, n: usize| format!("{:?}", &r.messages[..n]);
        let n = short.messages.len();
        assert_eq!(of(short, n), of(long, n));
    }
    let bytes = |r: &ModelRequest| match &r.messages[0].parts[0] {
        Part::Picture(p) => Arc::as_ptr(&p.bytes).cast::<u8>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(bytes(&requests[0]), bytes(last));
}

#[test]
fn a_batch_stops_at_its_first_failure_and_each_call_is_told_its_own_outcome() {
    let mut rig = Rig::new(&KEEPS);
    in_batches(&mut rig);
    let chord = ("type", json!({"text": "hi", "reason": "r"}));
    let requests = converse(&mut rig, vec![calls(&[click(100), chord.clone(), click(900)])]);
    assert_eq!(
        results(&requests[1].messages[2]),
        ["click_0: done", "type_1: done", "click_2: done"],
        "all of them in their order"
    );
    let all = rig.desktop.injected().len();
    let mut rig = Rig::new(&KEEPS);
    in_batches(&mut rig);
    rig.desktop
        .fail_injections([DesktopError::Unsupported { what: "a click here".into(), backend: "fake".into() }]);
    let requests = converse(&mut rig, vec![calls(&[click(100), chord, click(900)])]);
    let told = results(&requests[1].messages[2]);
    assert!(told[0].starts_with("!click_0: not done: ") && told[0].contains("a click here"), "{told:?}");
    let not = "not executed, because something before it failed";
    assert_eq!(told[1..], [format!("!type_1: {not}"), format!("!click_2: {not}")]);
    assert!(rig.desktop.injected().len() < all, "nothing was sent for the last one");
}

#[test]
fn of_a_batch_with_one_bad_call_nothing_runs() {
    let mut rig = Rig::new(&KEEPS);
    in_batches(&mut rig);
    let requests = converse(&mut rig, vec![calls(&[click(1), ("nothing", json!({})), click(2)])]);
    let told = results(&requests[1].messages[2]);
    let other = "not executed, because another call of the same reply could not be used";
    assert_eq!(
        told,
        [format!("!click_0: {other}"), "!nothing_1: no such tool".into(), format!("!click_2: {other}")]
    );
    assert!(rig.desktop.injected().is_empty());
}

#[test]
fn the_last_word_stands_only_on_a_picture_that_was_seen() {
    let mut rig = Rig::new(&KEEPS);
    in_batches(&mut rig);
    let end = ("done", json!({"reason": "too early"}));
    let requests = converse(&mut rig, vec![calls(&[click(1), end])]);
    assert_eq!(requests.len(), 2, "the run went on");
    let told = results(&requests[1].messages[2]);
    assert!(told[1].starts_with("!done_1: not yet"), "{told:?}");
}

#[test]
fn looks_are_served_by_the_next_picture() {
    let mut rig = Rig::new(&KEEPS);
    in_batches(&mut rig);
    let look = |name: &'static str| (name, json!({}));
    let batch = calls(&[click(500), look("zoom"), look("pointer"), look("screenshot")]);
    let requests = converse(&mut rig, vec![batch, calls(&[click(1)])]);
    let told = results(&requests[1].messages[2]);
    // A fake screen of 320x180, whose middle is at half of the picture's 1536x864.
    assert_eq!(
        told,
        ["click_0: done", "zoom_1:  [1536x864]", "pointer_2: X=770, Y=434", "screenshot_3: done"]
    );
    assert_eq!(told, results(&requests[2].messages[2]), "and stay as they were");
    let zoomed = requests[1].messages[2].parts.iter().find_map(|p| match p {
        Part::Result { picture, .. } => picture.clone(),
        _ => None,
    });
    let zoomed = zoomed.unwrap();
    assert_eq!(zoomed.geometry.pane, FrameRect::new(80, 45, 160, 90));
    let (part, whole) = (
        handsight_testkit::picture::Picture::from_png(&zoomed.bytes),
        handsight_testkit::picture::Picture::from_png(&newest(&requests[1])),
    );
    // The region's corner is the whole picture's quarter point.
    assert_eq!(part.at(0, 0), whole.at(385, 217));
    assert_eq!(part.at(1535, 863), whole.at(1150, 646));
}

#[test]
fn what_is_drawn_on_a_picture_is_not_drawn_on_a_zoom_of_it() {
    let draws = ["context.annotate.grid_px=50", "context.annotate.banner=true"];
    let mut rig = Rig::new(&[&KEEPS[..], &draws].concat());
    in_batches(&mut rig);
    let requests = converse(&mut rig, vec![calls(&[("zoom", json!({}))]), calls(&[click(1)])]);
    // The fake screen is of one grey.
    let colours = |png: &[u8]| handsight_testkit::picture::Picture::from_png(png).colours().len();
    let zoomed = requests[1].messages[2].parts.iter().find_map(|p| match p {
        Part::Result { picture, .. } => picture.clone(),
        _ => None,
    });
    assert_eq!(colours(&zoomed.unwrap().bytes), 1);
    assert!(colours(&newest(&requests[1])) > 3);
}

#[test]
fn without_a_conversation_a_zoom_is_a_second_picture() {
    let mut rig = Rig::new(&["settle.enabled=false"]);
    in_batches(&mut rig);
    let batch = calls(&[("zoom", json!({})), ("pointer", json!({}))]);
    let requests = converse(&mut rig, vec![batch, calls(&[click(1)])]);
    assert_eq!(requests.iter().map(|r| r.messages.len()).collect::<Vec<_>>(), [1, 1, 1]);
    assert_eq!(requests.iter().map(|r| pictures(r).len()).collect::<Vec<_>>(), [1, 2, 1]);
    let Part::Text(told) = &requests[1].messages[0].parts[0] else { panic!() };
    assert_eq!(
        told,
        "(Picture 2 is the region that you asked to see larger.)\n\n\
         the pointer has not been moved yet; it is where the picture shows it"
    );
}

#[test]
fn old_pictures_go_together_and_the_journal_says_so() {
    let mut settings = KEEPS.to_vec();
    settings.push("context.pictures_kept=4");
    let mut rig = Rig::new(&settings);
    let requests = converse(&mut rig, (0..11).map(|n| calls(&[click(n * 10)])).collect());
    let shown: Vec<usize> = requests.iter().map(|r| pictures(r).len()).collect();
    assert_eq!(shown, [1, 2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4]);
    let notes = crate::rig::session(&rig.out())[5]["notes"].to_string();
    assert!(notes.contains("4 pictures and 0 turns went"), "{notes}");
}

/// A script, and every request that it answered.
struct Overheard(Scripted, Requests);

impl Model for Overheard {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn recall(&self, exchange: &Exchange) -> Option<ModelReply> {
        self.0.recall(exchange)
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        self.1.lock().unwrap().push(request.clone());
        self.0.ask(request, stop)
    }
}

/// Plays a script; how the run ended and what it was asked.
fn play(rig: &mut Rig, script: &str) -> (Outcome, Vec<ModelRequest>) {
    let requests = Requests::default();
    let (seen, script) = (Arc::clone(&requests), script.to_owned());
    rig.around = Some(Box::new(move |_, clock| {
        Arc::new(Overheard(Scripted::read("test", &script, clock).unwrap(), seen))
    }));
    let ending = rig.run(until(1, |_| unreachable!()));
    (ending.outcome, std::mem::take(&mut requests.lock().unwrap()))
}

const DONE: &str = "{\"call\": \"done\", \"args\": {\"reason\": \"r\"}}\n";

fn clicks(from: u64, to: u64) -> String {
    let line =
        |n| format!("{{\"call\": \"click\", \"args\": {{\"x\": {n}, \"y\": 1, \"reason\": \"r\"}}}}\n");
    (from..=to).map(line).collect()
}

#[test]
fn a_run_that_is_gone_on_with_remembers_its_conversation() {
    let mut settings = KEEPS.to_vec();
    settings.push("limits.max_turns=3");
    let mut rig = Rig::new(&settings);
    let (outcome, before) = play(&mut rig, &clicks(1, 3));
    assert_eq!(outcome, Outcome::TurnLimit);
    rig.set(&KEEPS);
    let (outcome, after) = play(&mut rig, DONE);
    assert_eq!(outcome, Outcome::Done);
    let first = &after[0];
    assert_eq!(first.messages.len(), 7, "three turns and what is asked now");
    assert_eq!(pictures(first).len(), 4, "with their pictures");
    // As it would have gone on.
    let said = |r: &ModelRequest, n: usize| format!("{:?}", &r.messages[..n]);
    assert_eq!(said(first, 5), said(&before[2], 5));
    let Part::Call(call) = &first.messages[5].parts[0] else { panic!("{:?}", first.messages[5]) };
    assert!(call.arguments.contains("\"x\": 3"), "{call:?}");
    assert_eq!(results(&first.messages[6]).len(), 1);
}

#[test]
fn what_another_model_said_comes_back_as_a_summary() {
    let mut settings = KEEPS.to_vec();
    settings.push("limits.max_turns=3");
    let mut rig = Rig::new(&settings);
    play(&mut rig, &clicks(1, 3));
    rig.set(&KEEPS);
    // A model that cannot read what that one wrote.
    let requests = converse(&mut rig, vec![calls(&[click(9)])]);
    assert_eq!(requests[0].messages.len(), 1);
    let Part::Text(told) = &requests[0].messages[0].parts[0] else { panic!() };
    assert!(told.contains("in your own words") && told.matches("- click ").count() == 3, "{told}");
    let Part::Text(still) = &requests[1].messages[0].parts[0] else { panic!() };
    assert_eq!(told, still, "the oldest turn carries it from then on");
}

/// The same, with a provider that wants a person to agree to each click.
struct Doubted(Overheard);

fn doubt(mut reply: ModelReply) -> ModelReply {
    let clicks = reply.calls.iter().filter(|c| c.name == "click");
    let check = |c: &ToolCall| SafetyCheck {
        call_id: c.id.clone(),
        id: "sc_1".into(),
        code: "odd".into(),
        message: String::new(),
    };
    reply.checks = clicks.map(check).collect();
    reply
}

impl Model for Doubted {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn recall(&self, exchange: &Exchange) -> Option<ModelReply> {
        self.0.recall(exchange).map(doubt)
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move { self.0.ask(request, stop).await.map(doubt) })
    }
}

#[test]
fn what_a_person_agreed_to_comes_back_as_done() {
    let mut settings = KEEPS.to_vec();
    settings.push("limits.max_turns=1");
    let mut rig = Rig::new(&settings);
    let mut lives = [clicks(1, 1), DONE.to_owned()].into_iter().map(|script| {
        let requests = Requests::default();
        let seen = Arc::clone(&requests);
        (rig.person, _) = Says::person(Consent::Given);
        rig.around = Some(Box::new(move |_, clock| {
            Arc::new(Doubted(Overheard(Scripted::read("test", &script, clock).unwrap(), seen)))
        }));
        let ending = rig.run(until(1, |_| unreachable!()));
        rig.set(&KEEPS);
        (ending.actions, std::mem::take(&mut *requests.lock().unwrap()))
    });
    assert_eq!(lives.next().unwrap().0, 1, "it was done");
    let (_, after) = lives.next().unwrap();
    let told = results(&after[0].messages[2]);
    assert!(told.len() == 1 && !told[0].starts_with('!'), "told as not done: {told:?}");
}
