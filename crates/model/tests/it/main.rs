//! The model crate against a real HTTP server on this machine, which checks every request by its own reading of the API.

#![expect(clippy::unwrap_used, reason = "helpers of tests end the test where they break")]

mod bench_dialects;
mod bench_stop;
mod cases;
mod cassettes;
mod computers;
mod count;
mod deadlines;
mod documented;
mod faults;
mod histories;
mod limiter;
mod malformed;
mod malformed_dialects;
mod money;
#[cfg(target_os = "linux")]
mod money_kills;
mod probe;
mod retry;
mod round_trips;
mod secrets;
#[cfg(target_os = "linux")]
mod vendors_count;
#[cfg(target_os = "linux")]
mod vendors_replies;
#[cfg(target_os = "linux")]
mod vendors_requests;
mod wire;
mod wires;

use handsight_base::flow::prompt::{Picture, Sampling, ToolSpec};
use handsight_base::port::clock::RealClock;
use handsight_base::port::dialect::{Dialect as _, Planned};
use handsight_base::port::model::{Message, Model as _, ModelError, ModelReply, ModelRequest, Part, Role};
use handsight_base::space::{FrameId, FrameRect, PictureGeometry, Size};
use handsight_base::stop::Stop;
use handsight_model::dialect::tools::ToolsDialect;
use handsight_model::{Deadlines, Providers, Remote, Setup};
use handsight_testkit::chat::Server;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const PICTURE: Size = Size::new(1536, 864);

fn spec(name: &str, properties: Value) -> ToolSpec {
    let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
    let parameters = json!({"type": "object", "properties": properties, "required": required});
    ToolSpec { name: name.into(), description: format!("{name} on the screen"), parameters }
}

/// The five tools of `stateless` in their order.
fn five_tools() -> Vec<ToolSpec> {
    let (number, string) = (json!({"type": "number"}), json!({"type": "string"}));
    vec![
        spec("observe", json!({"reason": string})),
        spec("click", json!({"x": number, "y": number, "reason": string})),
        spec("type", json!({"text": string, "reason": string})),
        spec("scroll", json!({"dy": number, "reason": string})),
        spec("done", json!({"reason": string})),
    ]
}

fn dialect() -> ToolsDialect {
    ToolsDialect::new(&five_tools()).unwrap()
}

fn geometry() -> PictureGeometry {
    PictureGeometry { frame: FrameId(1), pane: FrameRect::new(0, 0, 1920, 1080), size: PICTURE }
}

/// A PNG of one colour.
fn png(size: Size, colour: [u8; 3]) -> Arc<[u8]> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size.width, size.height);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&colour.repeat(size.area() as usize)).unwrap();
    writer.finish().unwrap();
    bytes.into()
}

/// What `stateless` asks: one system message, one user message with one picture, five tools.
fn turn(picture: Arc<[u8]>) -> ModelRequest {
    let picture = Picture { bytes: picture, media_type: "image/png", geometry: geometry() };
    ModelRequest {
        system: "You control a computer. Task: write a letter.".into(),
        messages: vec![Message { role: Role::User, parts: vec![Part::Picture(picture)], raw: None }],
        tools: five_tools(),
        native: Vec::new(),
        sampling: Sampling { temperature: Some(0.7), top_p: Some(0.9), max_tokens: Some(2000) },
        form: None,
    }
}

/// A small request, where the picture does not matter.
fn small() -> ModelRequest {
    turn(png(Size::new(8, 8), [10, 20, 30]))
}

struct With<'a> {
    provider: &'a str,
    key: Option<&'a str>,
    deadlines: Deadlines,
}

impl Default for With<'_> {
    fn default() -> Self {
        Self { provider: "custom", key: None, deadlines: Deadlines::default() }
    }
}

fn remote_with(base_url: &str, with: With<'_>) -> Remote {
    let providers = Providers::builtin().unwrap();
    Remote::new(Setup {
        provider: providers.get(with.provider).unwrap(),
        model: "test-model",
        base_url: Some(base_url),
        key: with.key,
        deadlines: with.deadlines,
        proxy: None,
        clock: Arc::new(RealClock::new()),
    })
    .unwrap()
}

fn remote(server: &Server) -> Remote {
    remote_with(&server.base_url(), With::default())
}

fn total(after: Duration) -> Deadlines {
    Deadlines { total: after, ..Deadlines::default() }
}

async fn ask(model: &Remote, request: &ModelRequest) -> Result<ModelReply, ModelError> {
    model.ask(request, &Stop::new()).await
}

/// The kind of what a reply came to, for tables: the tool that would run, or why nothing does.
fn outcome(reply: Result<ModelReply, ModelError>) -> Result<String, String> {
    let reply = reply.map_err(|e| format!("{e:?}"))?;
    match dialect().decode(&reply, &geometry()) {
        Ok(decoded) => match decoded.plan.as_slice() {
            [Planned { intent: handsight_base::flow::intent::Intent::Call { tool, .. }, .. }] => {
                Ok(tool.clone())
            }
            other => panic!("{other:?}"),
        },
        Err(rejection) => Err(format!("{:?}", rejection.kind)),
    }
}
