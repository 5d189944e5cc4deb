//! The tools a model may call: specification, prompt text, check and meaning in one place each.
//!
//! A tool turns checked arguments into what the turn should do. It refuses to touch a desktop: it only says what it
//! wants, and the gate decides. To add one, write its file and its line in [`TOOLS`]; a profile offers it by name.

mod args;
mod click;
mod done;
mod observe;
mod scroll;
mod type_text;

use crate::marks::Marks;
use crate::profile::{OutOfRange, Profile};
use handsight_base::flow::action::Action;
use handsight_base::flow::prompt::ToolSpec;
use handsight_base::port::dialect::{Rejection, RejectionKind};
use handsight_base::space::PictureGeometry;
use serde_json::{Map, Value, json};

pub use args::Args;

/// Every tool there is. Help, docs and tests iterate over this.
pub const TOOLS: &[&dyn Tool] =
    &[&observe::Observe, &click::Click, &type_text::TypeText, &scroll::Scroll, &done::Done];

/// What a profile settled about its tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolOptions {
    /// Offer what goes beyond the plain five (S-101, S-102).
    pub extended: bool,
    pub out_of_range: OutOfRange,
    /// Numbers of the picture are taken in place of points.
    pub marks: bool,
}

/// What a tool may know when it is called.
#[derive(Debug, Clone, Copy)]
pub struct ToolScene<'a> {
    pub picture: &'a PictureGeometry,
    /// What has a number on it.
    pub marks: &'a Marks,
    pub options: ToolOptions,
}

/// What a call means.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    Act(Vec<Action>),
    /// Nothing to do but look again later.
    Observe,
    Done,
}

/// A tool a model may call.
pub trait Tool: Sync {
    fn name(&self) -> &'static str;

    /// One paragraph: for the model, in the tool list and in the prompt.
    fn about(&self) -> &'static str;

    /// The JSON schema of its arguments besides `reason`: property name to schema, in order, and which are required.
    fn arguments(&self, options: ToolOptions) -> Vec<Argument>;

    fn call(&self, args: &mut Args<'_>, scene: &ToolScene<'_>) -> Result<Meaning, Rejection>;
}

pub struct Argument {
    pub name: &'static str,
    pub schema: Value,
    pub required: bool,
}

impl Argument {
    fn required(name: &'static str, schema: Value) -> Self {
        Self { name, schema, required: true }
    }

    fn optional(name: &'static str, schema: Value) -> Self {
        Self { name, schema, required: false }
    }
}

/// The tools of one run, in the order they are offered.
#[derive(Clone)]
pub struct ToolSet {
    tools: Vec<&'static dyn Tool>,
    options: ToolOptions,
}

/// A profile names a tool that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("decide.tools names {name:?}, which is no tool; there are: {}", TOOLS.iter().map(|t| t.name()).collect::<Vec<_>>().join(", "))]
pub struct NoSuchTool {
    name: String,
}

/// A call understood: what to do, why, and what deserves a line in the record.
#[derive(Debug, Clone, PartialEq)]
pub struct Understood {
    pub meaning: Meaning,
    pub reason: String,
    /// The arguments as used: clamped numbers in place of those given.
    pub args: Value,
    pub notes: Vec<String>,
}

impl ToolSet {
    /// The tools that a profile names, as it wants them.
    pub fn of(profile: &Profile) -> Result<Self, NoSuchTool> {
        let decide = &profile.decide;
        let marks = profile.context.annotate.marks;
        let options =
            ToolOptions { extended: decide.extended_tools, out_of_range: decide.out_of_range, marks };
        Self::new(&decide.tools, options)
    }

    pub fn new(names: &[String], options: ToolOptions) -> Result<Self, NoSuchTool> {
        let find = |name: &String| {
            TOOLS.iter().copied().find(|t| t.name() == name).ok_or_else(|| NoSuchTool { name: name.clone() })
        };
        let tools = names.iter().map(find).collect::<Result<_, _>>()?;
        Ok(Self { tools, options })
    }

    /// Adds a tool that is not in the list: of a test or of an embedding program.
    #[must_use]
    pub fn with(mut self, tool: &'static dyn Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// As offered to the model.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|tool| spec(*tool, self.options)).collect()
    }

    /// The part of the system prompt that explains the tools.
    pub fn prompt(&self) -> String {
        let mut text = String::new();
        for tool in &self.tools {
            let arguments: Vec<&str> =
                tool.arguments(self.options).iter().map(|a| a.name).chain(["reason"]).collect();
            text.push_str(&format!("- `{}({})`: {}\n", tool.name(), arguments.join(", "), tool.about()));
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Checks a call against its tool and says what it means.
    pub fn call(
        &self,
        name: &str,
        given: &Map<String, Value>,
        picture: &PictureGeometry,
        marks: &Marks,
    ) -> Result<Understood, Rejection> {
        let Some(tool) = self.tools.iter().find(|t| t.name() == name) else {
            let there: Vec<&str> = self.tools.iter().map(|t| t.name()).collect();
            return Err(Rejection::new(
                RejectionKind::UnknownTool,
                format!("there is no tool {name:?}; there are: {}", there.join(", ")),
            ));
        };
        let mut args = Args::new(tool.name(), given, self.options.out_of_range);
        let reason = args.text("reason")?;
        let meaning = tool.call(&mut args, &ToolScene { picture, marks, options: self.options })?;
        let (args, notes) = args.finish();
        Ok(Understood { meaning, reason, args, notes })
    }
}

fn spec(tool: &dyn Tool, options: ToolOptions) -> ToolSpec {
    let mut arguments = tool.arguments(options);
    let why = "why, what is done so far and what you expect to see; shown on the next picture";
    arguments.push(Argument::required("reason", json!({ "type": "string", "description": why })));
    let required: Vec<&str> = arguments.iter().filter(|a| a.required).map(|a| a.name).collect();
    let required = json!(required);
    let properties: Map<String, Value> =
        arguments.into_iter().map(|a| (a.name.to_owned(), a.schema)).collect();
    ToolSpec {
        name: tool.name().to_owned(),
        description: tool.about().to_owned(),
        parameters: json!({ "type": "object", "properties": properties, "required": required }),
    }
}

#[cfg(test)]
mod tests;
