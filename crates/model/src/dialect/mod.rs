//! Dialects: how a model writes what it wants, one file each.
//!
//! A dialect is built for the tools of a run and checks every argument against their schemas before anything else sees it.

pub mod conversation;
mod json;
pub mod schema;
pub mod tools;

use handsight_base::flow::prompt::ToolSpec;
use handsight_base::port::dialect::{Dialect, DialectInfo};
use schema::SchemaError;

/// The dialects there are. One line each.
pub static DIALECTS: &[DialectEntry] = &[tools::ENTRY];

pub struct DialectEntry {
    pub info: DialectInfo,
    pub build: Build,
}

/// Makes a dialect for the tools of a run. Fails if a tool's schema uses what the checker does not know.
pub type Build = fn(&[ToolSpec]) -> Result<Box<dyn Dialect>, SchemaError>;

/// The dialect of a name, for the tools of a run; `None` if there is no such dialect.
pub fn build(name: &str, tools: &[ToolSpec]) -> Option<Result<Box<dyn Dialect>, SchemaError>> {
    let entry = DIALECTS.iter().find(|d| d.info.name == name)?;
    Some((entry.build)(tools))
}
