//! `plan`: a short plan as strict JSON, `{"steps": [{tool, args, human_readable_justification}], "done": null}`.
//!
//! The contract of the `assist` profile (its spec, rows D-18 to D-48): one object and nothing else, exactly two keys, steps of
//! exactly three, no fences. A reply that breaks it is refused whole, with a code for what is wrong. Of a plan that keeps it the first
//! four steps are read; one that names no tool of [`tools`] or gives it what it does not take ends the plan there: the steps
//! before it are run, it and those after it are told. Places are whole pixels of the sent picture, bounds checked, nothing moved.

mod tools;

use super::fields::Fields;
use super::point::Points;
use super::reject::{Fits, Misfit, listed, short};
use super::{DialectEntry, Options, conversation, finish, json};
use handsight_base::flow::action::Action;
use handsight_base::flow::decision::Worded;
use handsight_base::flow::intent::Intent;
use handsight_base::flow::prompt::Prompt;
use handsight_base::port::dialect::{
    BatchRule, Decoded, Dialect, DialectInfo, Planned, PointSpace, Rejection,
};
use handsight_base::port::model::{Form, ModelReply, ModelRequest};
use handsight_base::space::{PictureGeometry, Rounding};
use serde_json::{Map, Value, json as value};
use tools::PlanTool;

pub(super) const ENTRY: DialectEntry = DialectEntry {
    info: INFO,
    points: Some(POINTS),
    build: |_, options| Ok(Box::new(PlanDialect { options: *options, tools: tools::TOOLS })),
};

const INFO: DialectInfo = DialectInfo {
    name: "plan",
    about: "a plan of up to four steps as one JSON object",
    space: Some(PointSpace::Picture),
    rounding: Rounding::FloorOfCount,
    batch: BatchRule::InOrder,
    wires: &[],
    results: "words of the next turn",
    cannot: &["hold a key or button", "zoom", "ask a question"],
};

const POINTS: Points = Points::PIXELS;

/// Characters of a step that a list of steps shows.
const SHOWN: usize = 200;

const HOW: &str = "Answer with one JSON object and nothing else: {\"steps\": [{\"tool\": \"mouse\", \"args\": {\"x\": 10, \"y\": 20}, \
    \"human_readable_justification\": \"Click OK\"}], \"done\": null}";

struct PlanDialect {
    options: Options,
    tools: &'static [PlanTool],
}

impl PlanDialect {
    /// The tools that are offered.
    fn offered(&self) -> impl Iterator<Item = &'static PlanTool> {
        let extended = self.options.extended;
        self.tools.iter().filter(move |tool| extended || !tool.extended)
    }

    /// What a step means.
    fn step(
        &self,
        name: &str,
        args: Value,
        picture: &PictureGeometry,
        notes: &mut Vec<String>,
    ) -> Fits<Vec<Action>> {
        let mut args = Fields::of_value(name, args)?;
        let Some(tool) = self.offered().find(|tool| tool.name == name) else {
            let there = listed(self.offered().map(|tool| tool.name));
            return Err(Misfit::unknown(format!("there is no tool {:?}, only {there}", short(name))));
        };
        let actions = (tool.read)(&mut args, picture, notes)?;
        args.end()?;
        Ok(actions)
    }

    fn read(&self, reply: &ModelReply, picture: &PictureGeometry) -> Fits<Decoded> {
        let options = self.options;
        finish::no_calls(reply)?;
        let mut notes = Vec::new();
        let text = unfenced(finish::text(reply)?, options, &mut notes);
        if !text.starts_with('{') {
            return Err(Misfit::malformed("it does not begin with `{`").coded("not_json"));
        }
        let parsed = json::parse(text)
            .map_err(|e| Misfit::malformed(format!("it is no usable JSON: {e}")).coded("not_json"))?;
        let mut plan = exactly(parsed, "the plan", &["steps", "done"])?;
        let Some(Value::Array(steps)) = plan.shift_remove("steps") else {
            return Err(Misfit::wrong_type("`steps` is no list").coded("bad_type"));
        };
        let done = match plan.shift_remove("done") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(done)) => done.trim().to_owned(),
            Some(_) => return Err(Misfit::wrong_type("`done` is neither null nor a text").coded("bad_type")),
        };
        let shaped = |(n, step): (usize, Value)| shape(step).map_err(|m| m.within(&place(n)));
        let steps = steps.into_iter().enumerate().map(shaped).collect::<Fits<Vec<Step>>>()?;
        if steps.is_empty() {
            if done.is_empty() {
                notes.push("the plan had no steps and was not done: the turn came to nothing".to_owned());
                return Ok(Decoded { notes, ..Decoded::default() });
            }
            let end = Decoded::one(Intent::Done { statement: done.clone() });
            return Ok(Decoded { reason: done, notes, ..end });
        }
        if !done.is_empty() {
            notes.push("`done` beside steps was passed over: say it on the picture after them".to_owned());
        }
        let most = options.max_steps;
        if steps.len() > most {
            notes.push(format!("{} steps too many were dropped: {most} are run at most", steps.len() - most));
        }
        let mut decoded = Decoded { notes, ..Decoded::default() };
        for (n, Step { tool, args, why }) in steps.into_iter().take(most).enumerate() {
            let what = format!("{tool} {args}");
            match self.step(&tool, args, picture, &mut decoded.notes) {
                Ok(actions) => {
                    let what = what.chars().take(SHOWN).collect();
                    decoded.steps.push(Worded { what, why, actions: actions.len() });
                    decoded
                        .plan
                        .extend(actions.into_iter().map(|a| Planned { call: 0, intent: Intent::Act(a) }));
                }
                Err(misfit) => {
                    let told = format!("{} was not run, nor what came after it: {}", place(n), misfit.words);
                    decoded.broken = Some(Rejection::new(misfit.kind, told));
                    break;
                }
            }
        }
        let reasons: Vec<&str> = decoded.steps.iter().map(|step| step.why.as_str()).collect();
        decoded.reason = reasons.join("; ");
        Ok(decoded)
    }
}

impl Dialect for PlanDialect {
    fn info(&self) -> DialectInfo {
        INFO
    }

    fn words(&self) -> Option<String> {
        let mut words = format!(
            "{HOW}\n`steps` holds 0 to {} steps; `done` is null, or a short summary beside no steps once the task is finished. Tools:\n",
            self.options.max_steps
        );
        for tool in self.offered() {
            words.push_str(&format!("- `{}` {}\n", tool.name, tool.args));
        }
        words.truncate(words.trim_end().len());
        Some(words)
    }

    fn encode(&self, prompt: &Prompt) -> ModelRequest {
        let messages = conversation::messages(prompt, conversation::Manner::PLAIN);
        let form = Some(Form { name: "plan", schema: schema(self.offered()) });
        ModelRequest { tools: Vec::new(), form, ..conversation::request(prompt, messages) }
    }

    fn decode(&self, reply: &ModelReply, picture: &PictureGeometry) -> Result<Decoded, Rejection> {
        self.read(reply, picture).map_err(|m| m.told(HOW))
    }
}

/// The contract as a JSON schema, for services that can be held to one (D-75). The reply is checked all the same.
fn schema(tools: impl Iterator<Item = &'static PlanTool>) -> Value {
    let step = |tool: &PlanTool| {
        let (properties, required) = (tool.schema)();
        let args = value!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        });
        value!({
            "type": "object",
            "properties": {
                "tool": {"type": "string", "enum": [tool.name]},
                "args": args,
                "human_readable_justification": {"type": "string"},
            },
            "required": ["tool", "args", "human_readable_justification"],
            "additionalProperties": false,
        })
    };
    let steps: Vec<Value> = tools.map(step).collect();
    value!({
        "type": "object",
        "properties": {
            "steps": {"type": "array", "items": {"anyOf": steps}},
            "done": {"type": ["string", "null"]},
        },
        "required": ["steps", "done"],
        "additionalProperties": false,
    })
}

/// A step that keeps the contract, not looked into yet.
struct Step {
    tool: String,
    args: Value,
    why: String,
}

fn place(n: usize) -> String {
    format!("step {}", n + 1)
}

/// The plan within one fence of Markdown, for models that cannot leave it out; only where the profile allows it.
fn unfenced<'a>(text: &'a str, options: Options, notes: &mut Vec<String>) -> &'a str {
    let inner = || {
        let rest = text.strip_prefix("```json").or_else(|| text.strip_prefix("```"))?;
        rest.strip_suffix("```").map(str::trim)
    };
    match inner().filter(|_| options.tolerant) {
        Some(inner) => {
            notes.push("a fence around the plan was passed over: leave it out".to_owned());
            inner
        }
        None => text,
    }
}

/// An object with these keys and no other (D-19, D-20).
fn exactly(value: Value, what: &str, keys: &[&str]) -> Fits<Map<String, Value>> {
    let Value::Object(map) = value else {
        return Err(Misfit::wrong_type(format!("{what} is no object")).coded("bad_type"));
    };
    if let Some(key) = keys.iter().find(|key| !map.contains_key(**key)) {
        return Err(Misfit::missing(format!("{what} has no `{key}`")).coded("missing_key"));
    }
    if let Some(stranger) = map.keys().find(|key| !keys.contains(&key.as_str())) {
        let words = format!("{what} has a key `{}` too many", short(stranger));
        return Err(Misfit::wrong_type(words).coded("extra_key"));
    }
    Ok(map)
}

fn shape(step: Value) -> Fits<Step> {
    let mut step = exactly(step, "it", &["tool", "args", "human_readable_justification"])?;
    let mut take = |key: &str| step.shift_remove(key).unwrap_or_default();
    let (tool, args, why) = (take("tool"), take("args"), take("human_readable_justification"));
    let Value::String(tool) = tool else {
        return Err(Misfit::wrong_type("`tool` is no text").coded("bad_type"));
    };
    let Value::String(why) = why else {
        return Err(Misfit::wrong_type("`human_readable_justification` is no text").coded("bad_type"));
    };
    if why.trim().is_empty() {
        return Err(Misfit::wrong_type("`human_readable_justification` is empty").coded("bad_type"));
    }
    if tool.is_empty() {
        return Err(Misfit::unknown("`tool` is empty").coded("empty_tool"));
    }
    if !args.is_object() {
        return Err(Misfit::wrong_type("`args` is no object").coded("bad_type"));
    }
    Ok(Step { tool, args, why })
}

#[cfg(test)]
mod tests;
