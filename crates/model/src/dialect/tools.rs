//! Function calling: the tools are offered as functions and one call comes back.
//!
//! The first call of a reply counts, later ones are noted. If that first call cannot be used, nothing of the reply is: a
//! later call was meant for the screen after the first. What the model writes as prose never acts, however much it looks like a
//! call, and a reply that was cut off acts neither, since some servers mend cut JSON before they send it.

use super::DialectEntry;
use super::conversation::{self, Screen};
use super::json::{LONGEST, parse};
use super::schema::{Object, SchemaError, short};
use handsight_base::flow::intent::Intent;
use handsight_base::flow::prompt::{Prompt, Slot, ToolSpec};
use handsight_base::port::dialect::{BatchRule, Decoded, Dialect, DialectInfo, Rejection, RejectionKind};
use handsight_base::port::model::{ModelReply, ModelRequest, ToolCall};
use handsight_base::space::{PictureGeometry, Rounding};
use serde_json::Value;

pub(super) const ENTRY: DialectEntry =
    DialectEntry { info: INFO, build: |tools| Ok(Box::new(ToolsDialect::new(tools)?)) };

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

/// Characters of a complaint, so that the tool's signature after it still fits into a rejection.
const COMPLAINT: usize = 300;

pub struct ToolsDialect {
    tools: Vec<(String, Object)>,
}

impl ToolsDialect {
    pub fn new(tools: &[ToolSpec]) -> Result<Self, SchemaError> {
        let compile = |t: &ToolSpec| Ok((t.name.clone(), Object::compile(&t.name, &t.parameters)?));
        Ok(Self { tools: tools.iter().map(compile).collect::<Result<_, SchemaError>>()? })
    }

    fn call(&self, call: &ToolCall, notes: &mut Vec<String>) -> Result<Intent, Rejection> {
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
        ModelRequest {
            system: prompt.text_of(Slot::System),
            messages: conversation::messages(prompt, Screen::Beside),
            tools: prompt.tools.clone(),
            native: Vec::new(),
            sampling: prompt.sampling.clone(),
        }
    }

    fn decode(&self, reply: &ModelReply, _picture: &PictureGeometry) -> Result<Decoded, Rejection> {
        if let Some(refusal) = &reply.refusal {
            let complaint = format!("The provider refused this ({}). {}", refusal.reason, refusal.words);
            return Err(self.reject(RejectionKind::NoCall, &complaint, None));
        }
        if let Some(check) = reply.checks.first() {
            // A person is asked by whoever shows the question to one; until then nothing of the reply is run.
            let complaint = format!(
                "This call was not run: the provider wants a person to agree first ({}). {}",
                check.code, check.message
            );
            return Err(self.reject(RejectionKind::NoCall, &complaint, None));
        }
        let Some((first, later)) = reply.calls.split_first() else {
            let complaint = if reply.text.trim().is_empty() {
                "The reply was empty."
            } else {
                "The reply called no tool. A call written as text does nothing."
            };
            return Err(self.reject(RejectionKind::NoCall, complaint, None));
        };
        if matches!(reply.finish.as_deref(), Some("length" | "content_filter")) {
            let complaint =
                "The reply was cut off before its end, so its call was not run. Answer in fewer words.";
            return Err(self.reject(RejectionKind::BadJson, complaint, Some(&first.name)));
        }
        let mut ids: Vec<&str> =
            reply.calls.iter().map(|c| c.id.as_str()).filter(|id| !id.is_empty()).collect();
        ids.sort_unstable();
        if let Some([twice, _]) = ids.windows(2).find(|w| w.first() == w.last()) {
            let complaint = format!("Two calls carry the same id {:?}, so neither was run.", short(twice));
            return Err(self.reject(RejectionKind::BadJson, &complaint, Some(&first.name)));
        }
        let mut notes = Vec::new();
        let intent = self.call(first, &mut notes)?;
        notes.extend(later.iter().map(|c| format!("a further call of {:?} was not run", short(&c.name))));
        notes.truncate(20);
        Ok(Decoded { notes, ..Decoded::one(intent) })
    }
}

#[cfg(test)]
mod tests;
