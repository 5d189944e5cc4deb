//! `actions`: a JSON list of actions, for any model that writes JSON and knows no grammar of its own.
//!
//! `[{"do": "click", "at": [500, 250]}, {"do": "type", "text": "hello"}]`. Every movement of the hands can be said, the tools of the
//! profile can be called, places run from 0 to 1000. A fence around the list is accepted and noted; prose beside it is not.

use super::fields::Fields;
use super::hands::{self, BUTTONS, DIRECTIONS, LONGEST_S, NOTCHES};
use super::point::{Points, numbers};
use super::reject::{Fits, Misfit, kind_of, listed, short};
use super::schema::{Object, SchemaError};
use super::{DialectEntry, conversation, finish, json};
use handsight_base::flow::action::{Action, Button, ScrollBy, Spot, WindowQuery};
use handsight_base::flow::intent::{Intent, Look};
use handsight_base::flow::prompt::{Prompt, ToolSpec};
use handsight_base::key::Modifiers;
use handsight_base::port::dialect::{
    BatchRule, Decoded, Dialect, DialectInfo, Planned, PointSpace, Rejection,
};
use handsight_base::port::model::{ModelReply, ModelRequest};
use handsight_base::space::{PictureGeometry, Rounding};
use serde_json::Value;

pub(super) const ENTRY: DialectEntry = DialectEntry {
    info: INFO,
    points: Some(POINTS),
    build: |tools, _| Ok(Box::new(ActionsDialect::new(tools)?)),
};

const INFO: DialectInfo = DialectInfo {
    name: "actions",
    about: "a JSON list of actions, for models without a grammar of their own",
    space: Some(PointSpace::Norm1000),
    rounding: Rounding::RoundToLast,
    batch: BatchRule::InOrder,
    wires: &[],
    results: "words of the next turn",
    cannot: &[],
};

const POINTS: Points = Points::NORM1000;

/// Actions of one reply.
const MOST: usize = 16;
/// Places of a drag.
const PATH: usize = 64;

const HOW: &str = "Answer with a JSON list of actions and nothing else: [{\"do\": \"click\", \"at\": [500, 250]}, {\"do\": \"type\", \"text\": \"hello\"}]";

/// Each action and its fields, as the model is told.
const VERBS: &[(&str, &str)] = &[
    (
        "click",
        "\"at\"?: [x, y], \"button\"?: \"left\"|\"right\"|\"middle\", \"count\"?: 1 to 4, \"with\"?: \"ctrl+shift\"",
    ),
    ("move", "\"to\": [x, y]"),
    ("down", "\"at\"?: [x, y], \"button\"?"),
    ("up", "\"at\"?: [x, y], \"button\"?"),
    ("drag", "\"path\": [[x, y], [x, y]], \"button\"?, \"with\"?"),
    (
        "scroll",
        "\"direction\": \"up\"|\"down\"|\"left\"|\"right\", \"notches\"?: 1 to 100, \"at\"?: [x, y], \"with\"?",
    ),
    ("type", "\"text\""),
    ("paste", "\"text\": by way of the clipboard"),
    ("key", "\"keys\": \"ctrl+s\", \"repeat\"?: 1 to 100"),
    ("hold", "\"keys\", \"seconds\""),
    ("wait", "\"seconds\""),
    ("launch", "\"command\": [program, arguments]"),
    ("focus", "\"title\": part of a window's title"),
    ("look", "\"area\"?: [x, y, x, y] to see it larger"),
    ("cursor", "where the pointer is"),
    ("ask", "\"question\" for the person"),
    ("done", "\"statement\": why the task is finished; the last action"),
];

struct ActionsDialect {
    tools: Vec<(String, Object)>,
}

impl ActionsDialect {
    fn new(tools: &[ToolSpec]) -> Result<Self, SchemaError> {
        let compile = |t: &ToolSpec| Ok((t.name.clone(), Object::compile(&t.name, &t.parameters)?));
        Ok(Self { tools: tools.iter().map(compile).collect::<Result<_, SchemaError>>()? })
    }

    fn read(&self, reply: &ModelReply, picture: &PictureGeometry) -> Fits<Decoded> {
        finish::no_calls(reply)?;
        let mut notes = Vec::new();
        let text = unfenced(finish::text(reply)?, &mut notes);
        if !text.starts_with('[') {
            return Err(Misfit::malformed("it does not begin with `[`"));
        }
        let value =
            json::parse(text).map_err(|e| Misfit::malformed(format!("it is no usable JSON ({e})")))?;
        let Value::Array(list) = value else { return Err(Misfit::wrong_type("it is no list")) };
        if list.is_empty() {
            return Err(Misfit::no_call("the list is empty"));
        }
        if list.len() > MOST {
            return Err(Misfit::out_of_range(format!("the list has {} actions, at most {MOST}", list.len())));
        }
        let last = list.len() - 1;
        let mut plan = Vec::with_capacity(list.len());
        for (n, item) in list.into_iter().enumerate() {
            let place = format!("action {}", n + 1);
            let intent = self.item(item, picture, &mut notes).map_err(|m| m.within(&place))?;
            if matches!(intent, Intent::Done { .. } | Intent::Ask { .. }) && n != last {
                return Err(Misfit::malformed(format!("{place}: nothing may come after it")));
            }
            plan.push(Planned { call: 0, intent });
        }
        notes.truncate(20);
        Ok(Decoded { plan, notes, ..Decoded::default() })
    }

    fn item(&self, item: Value, picture: &PictureGeometry, notes: &mut Vec<String>) -> Fits<Intent> {
        let Value::Object(mut map) = item else {
            return Err(Misfit::wrong_type(format!("it is {}, not an object", kind_of(&item))));
        };
        let verb = match map.shift_remove("do") {
            Some(Value::String(verb)) => verb,
            Some(other) => {
                return Err(Misfit::wrong_type(format!("`do` is {}, not a text", kind_of(&other))));
            }
            None => return Err(Misfit::missing("the field `do` is missing")),
        };
        let mut fields = Fields::new(verb.clone(), map);
        let intent = match verb.as_str() {
            "tool" => return self.tool(fields, notes),
            "look" => {
                let area = fields.opt("area").map(|v| POINTS.area(numbers(&v)?, picture));
                match area.transpose().map_err(|m| fields.fault(m))? {
                    Some(area) => Intent::Look(Look::Zoom { area }),
                    None => Intent::Look(Look::Screenshot),
                }
            }
            "cursor" => Intent::Look(Look::CursorPosition),
            "ask" => Intent::Ask { question: fields.text("question")? },
            "done" => Intent::Done { statement: fields.text("statement")? },
            _ => Intent::Act(self.action(&verb, &mut fields, picture)?),
        };
        fields.end()?;
        Ok(intent)
    }

    fn tool(&self, mut fields: Fields, notes: &mut Vec<String>) -> Fits<Intent> {
        let name = fields.text("name")?;
        let Some((name, schema)) = self.tools.iter().find(|(known, _)| *known == name) else {
            let there = listed(self.tools.iter().map(|(name, _)| name.as_str()));
            return Err(Misfit::unknown(format!("there is no tool {:?}, only {there}", short(&name))));
        };
        let args = match fields.opt("args") {
            None => serde_json::Map::new(),
            Some(Value::Object(args)) => args,
            Some(other) => {
                return Err(
                    fields.fault(Misfit::wrong_type(format!("`args` is {}, not an object", kind_of(&other))))
                );
            }
        };
        fields.end()?;
        let args = schema.check(args, "", notes).map_err(|m| m.within(name))?;
        Ok(Intent::Call { tool: name.clone(), args })
    }

    fn action(&self, verb: &str, fields: &mut Fields, picture: &PictureGeometry) -> Fits<Action> {
        let at = |fields: &mut Fields| -> Fits<Option<Spot>> {
            let value = fields.opt("at");
            value.map(|v| POINTS.of_value(&v, picture)).transpose().map_err(|m| fields.fault(m))
        };
        let with = |fields: &mut Fields| -> Fits<Modifiers> {
            let text = fields.opt_text("with")?;
            let held = text.map(|t| hands::modifiers(&t)).transpose().map_err(|m| fields.fault(m))?;
            Ok(held.unwrap_or_default())
        };
        let button = |fields: &mut Fields| -> Fits<Button> {
            Ok(fields.opt_word("button", BUTTONS)?.unwrap_or_default())
        };
        let keys = |fields: &mut Fields| {
            let keys = fields.text("keys")?;
            hands::chord(&keys).map_err(|m| fields.fault(m))
        };
        let millis = |fields: &mut Fields| {
            let seconds = fields.number("seconds")?;
            hands::millis(seconds, LONGEST_S).map_err(|m| fields.fault(m))
        };
        Ok(match verb {
            "click" => {
                let count = fields.opt_whole("count", 1, 4)?.unwrap_or(1) as u8;
                Action::Click { at: at(fields)?, button: button(fields)?, count, modifiers: with(fields)? }
            }
            "move" => {
                let to = fields.need("to")?;
                Action::Move { to: POINTS.of_value(&to, picture).map_err(|m| fields.fault(m))? }
            }
            "down" => Action::Down { at: at(fields)?, button: button(fields)? },
            "up" => Action::Up { at: at(fields)?, button: button(fields)? },
            "drag" => {
                let Value::Array(path) = fields.need("path")? else {
                    return Err(fields.fault(Misfit::wrong_type("`path` is no list")));
                };
                if !(2..=PATH).contains(&path.len()) {
                    return Err(
                        fields.fault(Misfit::out_of_range(format!("`path` holds 2 to {PATH} places")))
                    );
                }
                let path: Fits<Vec<Spot>> = path.iter().map(|v| POINTS.of_value(v, picture)).collect();
                let path = path.map_err(|m| fields.fault(m))?;
                Action::Drag { path, button: button(fields)?, modifiers: with(fields)? }
            }
            "scroll" => {
                let (dx, dy) = fields.word("direction", DIRECTIONS)?;
                let notches = fields.opt_whole("notches", 1, NOTCHES)?.unwrap_or(3) as i32;
                let by = ScrollBy::Notches { dx: dx * notches, dy: dy * notches };
                Action::Scroll { at: at(fields)?, by, modifiers: with(fields)? }
            }
            "type" => {
                let text = fields.text("text")?;
                hands::typed(text).map_err(|m| fields.fault(m))?
            }
            "paste" => Action::Paste { text: fields.text("text")? },
            "key" => {
                let repeat = fields.opt_whole("repeat", 1, 100)?.unwrap_or(1) as u16;
                Action::Key { chord: keys(fields)?, repeat }
            }
            "hold" => Action::HoldKey { chord: keys(fields)?, millis: millis(fields)? },
            "wait" => Action::Wait { millis: millis(fields)? },
            "launch" => {
                let argv = fields.texts("command")?;
                if argv.first().is_none_or(|program| program.trim().is_empty()) {
                    return Err(fields.fault(Misfit::missing("`command` names no program")));
                }
                Action::Launch { argv }
            }
            "focus" => Action::FocusWindow { query: WindowQuery::TitlePart(fields.text("title")?) },
            other => {
                let there = listed(VERBS.iter().map(|(verb, _)| *verb));
                return Err(Misfit::unknown(format!("there is no action {:?}, only {there}", short(other))));
            }
        })
    }
}

/// What a fence around the whole text holds.
fn unfenced<'t>(text: &'t str, notes: &mut Vec<String>) -> &'t str {
    let inside = text.strip_prefix("```").and_then(|t| t.strip_suffix("```"));
    let inside = inside.and_then(|t| t.strip_prefix("json").unwrap_or(t).strip_prefix('\n'));
    match inside {
        Some(inside) => {
            notes.push("a fence around the list was passed over".to_owned());
            inside.trim()
        }
        None => text,
    }
}

impl Dialect for ActionsDialect {
    fn info(&self) -> DialectInfo {
        INFO
    }

    fn words(&self) -> Option<String> {
        let mut words =
            format!("{HOW}\nPlaces are {}. At most {MOST} actions, run in order. Actions:\n", POINTS.about());
        for (verb, fields) in VERBS {
            words.push_str(&format!("- {{\"do\": \"{verb}\"}} {fields}\n"));
        }
        if !self.tools.is_empty() {
            words.push_str("- {\"do\": \"tool\", \"name\", \"args\": {}} one of: ");
            let tools: Vec<String> =
                self.tools.iter().map(|(name, schema)| format!("{name}({})", schema.signature())).collect();
            words.push_str(&tools.join("; "));
        }
        words.truncate(words.trim_end().len());
        Some(words)
    }

    fn encode(&self, prompt: &Prompt) -> ModelRequest {
        let messages = conversation::messages(prompt, conversation::Manner::PLAIN);
        ModelRequest { tools: Vec::new(), ..conversation::request(prompt, messages) }
    }

    fn decode(&self, reply: &ModelReply, picture: &PictureGeometry) -> Result<Decoded, Rejection> {
        self.read(reply, picture).map_err(|m| m.told(HOW))
    }
}
