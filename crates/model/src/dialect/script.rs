//! `script`: programs in place of actions. Declared, and refused with words: they wait for the skill worker, a process of its own
//! that may do nothing but call tools. Nothing a model writes is ever evaluated in this one.

use super::reject::Misfit;
use super::{DialectEntry, conversation, finish};
use handsight_base::flow::prompt::Prompt;
use handsight_base::port::dialect::{BatchRule, Decoded, Dialect, DialectInfo, Rejection};
use handsight_base::port::model::{ModelReply, ModelRequest};
use handsight_base::space::{PictureGeometry, Rounding};

pub(super) const ENTRY: DialectEntry =
    DialectEntry { info: INFO, points: None, build: |_, _| Ok(Box::new(ScriptDialect)) };

const INFO: DialectInfo = DialectInfo {
    name: "script",
    about: "a program that calls tools; refused as long as nothing runs it apart from this process",
    space: None,
    rounding: Rounding::RoundToLast,
    batch: BatchRule::First,
    wires: &[],
    results: "words of the next turn",
    cannot: &["anything yet: every reply is refused"],
};

const HOW: &str = "Choose another dialect: `handsight models dialects` lists them.";

struct ScriptDialect;

impl Dialect for ScriptDialect {
    fn info(&self) -> DialectInfo {
        INFO
    }

    fn words(&self) -> Option<String> {
        Some("Programs cannot be run here. Say so in one sentence.".to_owned())
    }

    fn encode(&self, prompt: &Prompt) -> ModelRequest {
        let messages = conversation::messages(prompt, conversation::Manner::PLAIN);
        ModelRequest { tools: Vec::new(), ..conversation::request(prompt, messages) }
    }

    fn decode(&self, reply: &ModelReply, _picture: &PictureGeometry) -> Result<Decoded, Rejection> {
        let misfit = match finish::text(reply) {
            Ok(_) => Misfit::unknown("no program can be run here"),
            Err(misfit) => misfit,
        };
        Err(misfit.told(HOW))
    }
}
