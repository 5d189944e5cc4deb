//! `plan`: a short plan as strict JSON, `{"steps": [{tool, args, human_readable_justification}], "done": null}`.
//!
//! The contract of the `assist` profile (its spec, rows D-18 to D-48): one object and nothing else, exactly two keys, steps of
//! exactly three, no fences, no tool of the model's own making. At most four steps run, the rest are noted. A plan with anything
//! wrong in it is not begun. Places are whole pixels of the sent picture, bounds checked, nothing moved.

use super::fields::Fields;
use super::hands::{self, BUTTONS};
use super::point::Points;
use super::reject::{Fits, Misfit, listed, short};
use super::{DialectEntry, conversation, finish, json};
use handsight_base::flow::action::{Action, Button, WindowQuery};
use handsight_base::flow::intent::Intent;
use handsight_base::flow::prompt::Prompt;
use handsight_base::key::Modifiers;
use handsight_base::port::dialect::{
    BatchRule, Decoded, Dialect, DialectInfo, Planned, PointSpace, Rejection,
};
use handsight_base::port::model::{ModelReply, ModelRequest};
use handsight_base::space::{PictureGeometry, Rounding};
use serde_json::{Map, Value};

pub(super) const ENTRY: DialectEntry =
    DialectEntry { info: INFO, points: Some(POINTS), build: |_| Ok(Box::new(PlanDialect)) };

const INFO: DialectInfo = DialectInfo {
    name: "plan",
    about: "a plan of up to four steps as one JSON object",
    space: Some(PointSpace::Picture),
    rounding: Rounding::FloorOfCount,
    batch: BatchRule::InOrder,
    wires: &[],
    results: "words of the next turn",
    cannot: &[
        "drag",
        "scroll",
        "hold a key or button",
        "zoom",
        "ask a question",
        "a pace of typing of its own",
    ],
};

const POINTS: Points = Points::PIXELS;

/// Steps of one reply that are run (D-23).
const STEPS: usize = 4;

const HOW: &str = "Answer with one JSON object and nothing else: {\"steps\": [{\"tool\": \"mouse\", \"args\": {\"x\": 10, \"y\": 20}, \
    \"human_readable_justification\": \"Click OK\"}], \"done\": null}";

/// What each tool takes, as the model is told.
const TOOLS: &[(&str, &str)] = &[
    (
        "mouse",
        "{\"x\", \"y\": whole pixels of the picture; \"button\"?: \"left\"|\"right\"|\"middle\"; \"clicks\"?: 1 to 4; \"interval_ms\"?: 10 to 1000; \"action\"?: \"move\" to move only}",
    ),
    ("press", "{\"key\": one key} or {\"keys\": [keys tapped one after the other]}"),
    ("hotkey", "{\"keys\": [keys held together]}"),
    ("write", "{\"text\"}; \"type\" is the same"),
    ("type", "{\"text\"}"),
    ("paste", "{\"text\"}: by way of the clipboard"),
    ("sleep", "{\"secs\": 0 to 5}"),
    ("launch", "{\"command\"}"),
    ("focus_window", "{\"title\": part of a title}"),
];

struct PlanDialect;

impl Dialect for PlanDialect {
    fn info(&self) -> DialectInfo {
        INFO
    }

    fn words(&self) -> Option<String> {
        let mut words = format!(
            "{HOW}\n`steps` holds 0 to {STEPS} steps; `done` is null, or a short summary beside no steps once the task is finished. Tools:\n"
        );
        for (tool, args) in TOOLS {
            words.push_str(&format!("- `{tool}` {args}\n"));
        }
        words.truncate(words.trim_end().len());
        Some(words)
    }

    fn encode(&self, prompt: &Prompt) -> ModelRequest {
        let messages = conversation::messages(prompt, conversation::Manner::PLAIN);
        ModelRequest { tools: Vec::new(), ..conversation::request(prompt, messages) }
    }

    fn decode(&self, reply: &ModelReply, picture: &PictureGeometry) -> Result<Decoded, Rejection> {
        read(reply, picture).map_err(|m| m.told(HOW))
    }
}

fn read(reply: &ModelReply, picture: &PictureGeometry) -> Fits<Decoded> {
    finish::no_calls(reply)?;
    let text = finish::text(reply)?;
    if !text.starts_with('{') {
        return Err(Misfit::malformed("it does not begin with `{` (not_json)"));
    }
    let value =
        json::parse(text).map_err(|e| Misfit::malformed(format!("it is no usable JSON (not_json: {e})")))?;
    let mut plan = exactly(value, "the plan", &["steps", "done"])?;
    let Some(Value::Array(steps)) = plan.shift_remove("steps") else {
        return Err(Misfit::wrong_type("`steps` is no list (bad_type)"));
    };
    let done = match plan.shift_remove("done") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(done)) => done.trim().to_owned(),
        Some(_) => return Err(Misfit::wrong_type("`done` is neither null nor a text (bad_type)")),
    };
    let mut notes = Vec::new();
    if steps.is_empty() {
        if done.is_empty() {
            return Err(Misfit::no_call("it has no steps and is not done"));
        }
        return Ok(Decoded { reason: done.clone(), ..Decoded::one(Intent::Done { statement: done }) });
    }
    if !done.is_empty() {
        notes.push("`done` beside steps was passed over: say it on the picture after them".to_owned());
    }
    if steps.len() > STEPS {
        notes.push(format!("{} steps too many were dropped: {STEPS} are run at most", steps.len() - STEPS));
    }
    let mut reasons = Vec::new();
    let mut actions = Vec::new();
    for (n, step) in steps.into_iter().take(STEPS).enumerate() {
        let place = format!("step {}", n + 1);
        actions.extend(self::step(step, picture, &mut reasons, &mut notes).map_err(|m| m.within(&place))?);
    }
    let plan = actions.into_iter().map(|action| Planned { call: 0, intent: Intent::Act(action) }).collect();
    Ok(Decoded { plan, reason: reasons.join("; "), notes })
}

/// An object with these keys and no other (D-19, D-20).
fn exactly(value: Value, what: &str, keys: &[&str]) -> Fits<Map<String, Value>> {
    let Value::Object(map) = value else {
        return Err(Misfit::wrong_type(format!("{what} is no object (bad_type)")));
    };
    if let Some(key) = keys.iter().find(|key| !map.contains_key(**key)) {
        return Err(Misfit::missing(format!("{what} has no `{key}` (missing_key)")));
    }
    if let Some(stranger) = map.keys().find(|key| !keys.contains(&key.as_str())) {
        return Err(Misfit::wrong_type(format!(
            "{what} has a key `{}` too many (extra_key)",
            short(stranger)
        )));
    }
    Ok(map)
}

fn step(
    step: Value,
    picture: &PictureGeometry,
    reasons: &mut Vec<String>,
    notes: &mut Vec<String>,
) -> Fits<Vec<Action>> {
    let mut step = exactly(step, "it", &["tool", "args", "human_readable_justification"])?;
    let mut take = |key: &str| step.shift_remove(key).unwrap_or_default();
    let (tool, args, why) = (take("tool"), take("args"), take("human_readable_justification"));
    let Value::String(tool) = tool else { return Err(Misfit::wrong_type("`tool` is no text (bad_type)")) };
    match why {
        Value::String(why) if !why.trim().is_empty() => reasons.push(why),
        _ => {
            return Err(Misfit::wrong_type("`human_readable_justification` is no text, or empty (bad_type)"));
        }
    }
    if tool.is_empty() {
        return Err(Misfit::unknown("`tool` is empty (empty_tool)"));
    }
    let mut args = Fields::of_value(tool.clone(), args)?;
    let actions = call(&tool, &mut args, picture, notes)?;
    args.end()?;
    Ok(actions)
}

fn call(
    tool: &str,
    args: &mut Fields,
    picture: &PictureGeometry,
    notes: &mut Vec<String>,
) -> Fits<Vec<Action>> {
    let fits = |what: Fits<Action>, args: &Fields| what.map(|a| vec![a]).map_err(|m| args.fault(m));
    match tool {
        "mouse" => mouse(args, picture, notes),
        "press" => press(args, notes),
        "hotkey" => {
            let names = args.texts("keys")?;
            let chord = hands::chord_of(names.iter().map(String::as_str));
            fits(chord.map(hands::key), args)
        }
        "write" | "type" => {
            let text = args.text("text")?;
            if args.opt_whole("interval_ms", 0, i64::MAX)?.is_some_and(|ms| ms > 0) {
                notes.push(
                    "`interval_ms` of a text was passed over: the profile says how fast it is typed".into(),
                );
            }
            fits(hands::typed(text), args)
        }
        "paste" => Ok(vec![Action::Paste { text: args.text("text")? }]),
        "sleep" => {
            let secs = args.whole("secs", i64::MIN, i64::MAX)?;
            let used = clamp("secs", secs, 0, 5, notes);
            Ok(vec![Action::Wait { millis: used as u64 * 1000 }])
        }
        "launch" => {
            let argv = words_of(&args.text("command")?).map_err(|m| args.fault(m))?;
            Ok(vec![Action::Launch { argv }])
        }
        "focus_window" => {
            let title = args.text("title")?;
            if title.trim().is_empty() {
                return Err(args.fault(Misfit::missing("`title` is empty")));
            }
            Ok(vec![Action::FocusWindow { query: WindowQuery::TitlePart(title) }])
        }
        other => {
            let there = listed(TOOLS.iter().map(|(name, _)| *name));
            Err(Misfit::unknown(format!("there is no tool {:?}, only {there}", short(other))))
        }
    }
}

fn mouse(args: &mut Fields, picture: &PictureGeometry, notes: &mut Vec<String>) -> Fits<Vec<Action>> {
    let at = POINTS.spot(args.number("x")?, args.number("y")?, picture).map_err(|m| args.fault(m))?;
    let button = args.opt_word("button", BUTTONS)?.unwrap_or(Button::Left);
    let clicks = args.opt_whole("clicks", 1, 4)?.unwrap_or(1);
    let interval = args.opt_whole("interval_ms", i64::MIN, i64::MAX)?;
    let interval = interval.map(|ms| clamp("interval_ms", ms, 10, 1000, notes));
    if args.opt_word("action", &[("move", ())])?.is_some() {
        return Ok(vec![Action::Move { to: at }]);
    }
    let Some(interval) = interval.filter(|_| clicks > 1) else {
        let (at, count) = (Some(at), clicks as u8);
        return Ok(vec![Action::Click { at, button, count, modifiers: Modifiers::NONE }]);
    };
    // At a pace of their own (D-33).
    let mut actions = Vec::new();
    for n in 0..clicks {
        if n > 0 {
            actions.push(Action::Wait { millis: interval as u64 });
        }
        actions.push(hands::click(Some(at), button, 1));
    }
    Ok(actions)
}

fn press(args: &mut Fields, notes: &mut Vec<String>) -> Fits<Vec<Action>> {
    let names = match (args.has("key"), args.has("keys")) {
        (true, false) => vec![args.text("key")?],
        (false, true) => args.texts("keys")?,
        (true, true) => return Err(args.fault(Misfit::malformed("give `key` or `keys`, not both"))),
        (false, false) => return Err(args.fault(Misfit::missing("`key` is missing"))),
    };
    if names.is_empty() || names.len() > 64 {
        return Err(args.fault(Misfit::out_of_range("`keys` holds 1 to 64 keys")));
    }
    let mut actions = Vec::new();
    for name in names {
        let key: handsight_base::key::Key = name
            .parse()
            .map_err(|e: handsight_base::key::KeyError| args.fault(Misfit::out_of_range(e.to_string())))?;
        if key.is_modifier() && actions.is_empty() {
            notes.push(format!("`press` taps {key} alone; `hotkey` holds it"));
        }
        actions.push(hands::key(handsight_base::key::Chord(vec![key])));
    }
    Ok(actions)
}

fn clamp(name: &str, given: i64, from: i64, to: i64, notes: &mut Vec<String>) -> i64 {
    let used = given.clamp(from, to);
    if used != given {
        notes.push(format!("`{name}` {given} is outside {from} to {to}: used {used}"));
    }
    used
}

/// A command line as its words: blanks separate them, double quotes keep them together. No shell reads it.
fn words_of(command: &str) -> Fits<Vec<String>> {
    let mut words = Vec::new();
    let (mut word, mut quoted, mut begun) = (String::new(), false, false);
    for c in command.chars() {
        match c {
            '"' => (quoted, begun) = (!quoted, true),
            c if c.is_whitespace() && !quoted => {
                if begun {
                    words.push(std::mem::take(&mut word));
                    begun = false;
                }
            }
            c if c.is_control() => return Err(Misfit::out_of_range("the command holds a control character")),
            c => {
                word.push(c);
                begun = true;
            }
        }
    }
    if quoted {
        return Err(Misfit::malformed("a quote of the command has no end"));
    }
    if begun {
        words.push(word);
    }
    if words.first().is_none_or(String::is_empty) {
        return Err(Misfit::missing("the command is empty"));
    }
    Ok(words)
}
