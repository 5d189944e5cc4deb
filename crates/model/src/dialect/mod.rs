//! Dialects: how a model writes what it wants, one file each.
//!
//! A dialect is built for the tools of a run and checks every argument against their schemas before anything else sees it. What all
//! share lies beside them: whether a reply may be used ([`finish`]), the grammar of calls written as text ([`calls`]), the fields of
//! a call ([`fields`]), places ([`point`]) and the pictures they lie on ([`resize`]), keys and times ([`hands`]), the conversation
//! ([`conversation`]), and the words of a refusal ([`reject`]). `cases/` holds a table of replies for each.

mod actions;
mod anthropic;
mod autoglm;
mod calls;
pub mod compact;
mod conversation;
mod fara;
mod fields;
mod finish;
mod gemini;
mod glm;
mod grammar;
mod hands;
mod holo;
mod json;
mod loose;
mod lux;
mod native;
mod nous;
mod openai;
mod opencua;
mod osworld;
mod plan;
pub mod point;
mod qwen;
mod reject;
pub mod resize;
pub mod schema;
mod script;
mod steps;
mod thoughts;
pub mod tools;
pub mod trained;
mod uitars;

use handsight_base::flow::prompt::ToolSpec;
use handsight_base::port::dialect::{Dialect, DialectInfo};
use point::Points;
use schema::SchemaError;

/// The dialects there are. One line each.
pub static DIALECTS: &[DialectEntry] = &[
    tools::ENTRY,
    plan::ENTRY,
    actions::ENTRY,
    script::ENTRY,
    uitars::V1,
    uitars::V1_5,
    uitars::V2,
    qwen::COMPUTER_2_5,
    qwen::COMPUTER_3,
    qwen::COMPUTER_3_5,
    qwen::MOBILE_2_5,
    qwen::MOBILE_3,
    fara::ENTRY,
    opencua::ENTRY,
    glm::ENTRY,
    autoglm::ENTRY,
    holo::V1,
    holo::V1_5,
    holo::V2,
    lux::ENTRY,
    osworld::ENTRY,
    anthropic::COMPUTER_20241022,
    anthropic::COMPUTER_20250124,
    anthropic::COMPUTER_20251124,
    anthropic::TOOLSET_20260801,
    openai::PREVIEW,
    openai::COMPUTER,
    gemini::COMPUTER_25,
    gemini::COMPUTER_35,
];

pub struct DialectEntry {
    pub info: DialectInfo,
    /// What its places are; `None` where the tools themselves say it, or where the version of the tool does.
    pub points: Option<Points>,
    pub build: Build,
}

/// Makes a dialect for the tools of a run. Fails if a tool's schema uses what the checker does not know.
pub type Build = fn(&[ToolSpec], &Options) -> Result<Box<dyn Dialect>, SchemaError>;

/// What a profile says of how replies are written, for the dialects that leave it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Steps of one reply that are run, of a dialect of plans.
    pub max_steps: usize,
    /// Tools beyond those that every version has.
    pub extended: bool,
    /// A fence around a reply is passed over.
    pub tolerant: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_steps: 4, extended: false, tolerant: false }
    }
}

/// The entry of a name.
pub fn find(name: &str) -> Option<&'static DialectEntry> {
    DIALECTS.iter().find(|d| d.info.name == name)
}

/// The dialect of a name, for the tools of a run; `None` if there is no such dialect.
pub fn build(name: &str, tools: &[ToolSpec]) -> Option<Result<Box<dyn Dialect>, SchemaError>> {
    Some((find(name)?.build)(tools, &Options::default()))
}

impl DialectEntry {
    /// Whether it can be spoken over a wire.
    pub fn speaks(&self, wire: &str) -> bool {
        self.info.wires.is_empty() || self.info.wires.contains(&wire)
    }
}
