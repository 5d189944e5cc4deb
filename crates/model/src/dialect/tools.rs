//! Function calling: the tools are offered as functions and one call comes back.
//!
//! The first call of a reply counts, later ones are noted. If that first call cannot be used, nothing of the reply is: a
//! later call was meant for the screen after the first. What the model writes as prose never acts, however much it looks like a
//! call, and a reply that was cut off acts neither, since some servers mend cut JSON before they send it.

use super::json::{LONGEST, parse};
use super::reject::{COMPLAINT, Misfit, short};
use super::schema::{Object, SchemaError};
use super::{DialectEntry, conversation, finish};
use handsight_base::flow::intent::Intent;
use handsight_base::flow::prompt::{Prompt, ToolSpec};
use handsight_base::port::dialect::{BatchRule, Decoded, Dialect, DialectInfo, Rejection, RejectionKind};
use handsight_base::port::model::{ModelReply, ModelRequest, ToolCall};
use handsight_base::space::{PictureGeometry, Rounding};
use serde_json::Value;

pub(super) const ENTRY: DialectEntry =
    DialectEntry { info: INFO, points: None, build: |tools, _| Ok(Box::new(ToolsDialect::new(tools)?)) };

const INFO: DialectInfo = DialectInfo {
    name: "tools",
    about: "function calling: one call of an offered tool per reply",
    space: None,
    rounding: Rounding::RoundToLast,
    batch: BatchRule::First,
    wires: &[],
    results: "each call's own, in the turn after it",
    cannot: &["several actions in one reply"],
};

pub struct ToolsDialect {
    tools: Vec<(String, Object)>,
}

impl ToolsDialect {
    pub fn new(tools: &[ToolSpec]) -> Result<Self, SchemaError> {
        let compile = |t: &ToolSpec| Ok((t.name.clone(), Object::compile(&t.name, &t.parameters)?));
        Ok(Self { tools: tools.iter().map(compile).collect::<Result<_, SchemaError>>()? })
    }

    pub(super) fn call(&self, call: &ToolCall, notes: &mut Vec<String>) -> Result<Intent, Rejection> {
        let Some((name, schema)) = self.tools.iter().find(|(name, _)| *name == call.name) else {
            return Err(self.reject(
                RejectionKind::UnknownTool,
                &format!("There is no tool {:?}.", short(&call.name)),
                None,
            ));
        };
        let reject = |kind, what: &str| {
            self.reject(kind, &format!("The call of {name} was not run: {what}."), Some(name))
        };
        if call.arguments.len() > LONGEST {
            let what =
                format!("its arguments are {} bytes long, at most {LONGEST} are read", call.arguments.len());
            return Err(reject(RejectionKind::OutOfRange, &what));
        }
        let args = parse(&call.arguments).map_err(|e| {
            reject(RejectionKind::BadJson, &format!("its arguments are not usable JSON ({e})"))
        })?;
        let Value::Object(args) = args else {
            return Err(reject(RejectionKind::WrongType, "its arguments are no object"));
        };
        match schema.check(args, "", notes) {
            Ok(args) => Ok(Intent::Call { tool: name.clone(), args }),
            Err(misfit) => Err(reject(misfit.kind, &misfit.words)),
        }
    }

    /// A complaint, and how the tool (or any tool) is called.
    fn reject(&self, kind: RejectionKind, complaint: &str, tool: Option<&str>) -> Rejection {
        let complaint: String = complaint.chars().take(COMPLAINT).collect();
        let known = tool.filter(|t| self.tools.iter().any(|(name, _)| name == t));
        let fits = |(name, _): &&(String, Object)| known.is_none_or(|t| t == name);
        let signature = |(name, schema): &(String, Object)| format!("{name}({})", schema.signature());
        let calls: Vec<String> = self.tools.iter().filter(fits).map(signature).collect();
        Rejection::new(kind, format!("{complaint} Call exactly one tool: {}", calls.join("; ")))
    }
}

impl Dialect for ToolsDialect {
    fn info(&self) -> DialectInfo {
        INFO
    }

    fn encode(&self, prompt: &Prompt) -> ModelRequest {
        conversation::request(prompt, conversation::messages(prompt, conversation::Manner::PLAIN))
    }

    fn decode(&self, reply: &ModelReply, _picture: &PictureGeometry) -> Result<Decoded, Rejection> {
        let unusable = |misfit: Misfit, call: Option<&ToolCall>| {
            let complaint = format!("Nothing of this reply was run: {}.", misfit.words);
            self.reject(misfit.kind, &complaint, call.map(|c| c.name.as_str()))
        };
        finish::allowed(reply).map_err(|m| unusable(m, None))?;
        let Some((first, later)) = reply.calls.split_first() else {
            let complaint = if reply.text.trim().is_empty() {
                "The reply was empty."
            } else {
                "The reply called no tool. A call written as text does nothing."
            };
            return Err(self.reject(RejectionKind::NoCall, complaint, None));
        };
        finish::whole(reply).and_then(|()| finish::distinct(reply)).map_err(|m| unusable(m, Some(first)))?;
        let mut notes = Vec::new();
        let intent = self.call(first, &mut notes)?;
        notes.extend(later.iter().map(|c| format!("a further call of {:?} was not run", short(&c.name))));
        notes.truncate(20);
        Ok(Decoded { notes, ..Decoded::one(intent) })
    }
}

#[cfg(test)]
mod tests;
