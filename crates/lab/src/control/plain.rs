//! The dialect of the controls: a turn's frame goes out as JSON, a [`Wish`] comes back as the arguments of one call.
//!
//! It is no dialect of the list: no model writes it, and nothing of it depends on the profile's tools. Places are pixels of the frame
//! itself, so nothing is rounded on the way.

use super::Wish;
use handsight_base::flow::action::Action;
use handsight_base::flow::intent::Intent;
use handsight_base::flow::prompt::Prompt;
use handsight_base::port::dialect::{BatchRule, Decoded, Dialect, DialectInfo, Rejection, RejectionKind};
use handsight_base::port::model::{Exchange, Message, ModelReply, ModelRequest, Part, Role, ToolCall, Usage};
use handsight_base::space::{FrameGeometry, PictureGeometry, Rounding};
use serde_json::json;

/// How long a control waits before it looks again.
const WAIT_MILLIS: u64 = 200;

/// The dialect of the controls.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plain;

const INFO: DialectInfo = DialectInfo {
    name: "control",
    about: "the wishes of a control, as JSON",
    space: None,
    rounding: Rounding::RoundToLast,
    batch: BatchRule::First,
    wires: &[],
    results: "none: a control keeps its own account",
    cannot: &["looking", "asking"],
};

impl Dialect for Plain {
    fn info(&self) -> DialectInfo {
        INFO
    }

    fn encode(&self, prompt: &Prompt) -> ModelRequest {
        let frame = json!({ "frame": prompt.frame }).to_string();
        let message = Message { role: Role::User, parts: vec![Part::Text(frame)], raw: None };
        ModelRequest { messages: vec![message], ..ModelRequest::default() }
    }

    fn decode(&self, reply: &ModelReply, _: &PictureGeometry) -> Result<Decoded, Rejection> {
        let call = reply.calls.first();
        let call = call.ok_or_else(|| Rejection::new(RejectionKind::NoCall, "a control makes one call"))?;
        let wish: Wish = serde_json::from_str(&call.arguments)
            .map_err(|why| Rejection::new(RejectionKind::BadJson, why.to_string()))?;
        let (intent, reason) = match wish {
            Wish::Act(action) => (Intent::Act(action), String::new()),
            Wish::Wait { why } => (Intent::Act(Action::Wait { millis: WAIT_MILLIS }), why),
            Wish::Done { why } => (Intent::Done { statement: why.clone() }, why),
        };
        Ok(Decoded { reason, ..Decoded::one(intent) })
    }
}

/// The frame that a request is about.
pub(super) fn frame(request: &ModelRequest) -> Result<FrameGeometry, String> {
    #[derive(serde::Deserialize)]
    struct About {
        frame: FrameGeometry,
    }
    let text = request.messages.last().and_then(|message| match message.parts.as_slice() {
        [Part::Text(text)] => Some(text),
        _ => None,
    });
    let text = text.ok_or("the request is in another dialect")?;
    let About { frame } = serde_json::from_str(text).map_err(|e| e.to_string())?;
    Ok(frame)
}

/// A wish as a reply, with both as evidence.
pub(super) fn reply(wish: &Wish, request: &ModelRequest) -> Result<ModelReply, String> {
    let arguments = serde_json::to_string(wish).map_err(|e| e.to_string())?;
    let asked = frame(request)?;
    let exchange = Exchange {
        request: json!({ "frame": asked }).to_string(),
        status: 200,
        response: arguments.clone(),
        ..Exchange::default()
    };
    let call = ToolCall { id: "call_0".into(), name: "wish".into(), arguments };
    Ok(ModelReply {
        calls: vec![call],
        usage: Usage { cost_usd: Some(0.0), ..Usage::default() },
        finish: Some("tool_calls".into()),
        exchange,
        ..ModelReply::default()
    })
}
