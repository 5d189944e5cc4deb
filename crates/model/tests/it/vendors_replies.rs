//! Replies made of the vendors' own classes give what the vendors' own clients read in them, and can be sent back (R34, R36).

use super::vendors_requests::as_sent;
use super::*;
use handsight_model::wire::sse::Decoder;
use handsight_model::wire::{WIRES, Wire, WireOptions};
use handsight_testkit::vendors;

const ROUNDS: u32 = 250;

fn wire(name: &Value) -> &'static Wire {
    WIRES.iter().find(|w| name == w.name).unwrap()
}

/// The body that a stream comes to.
fn assembled(wire: &Wire, stream: &str) -> Result<Vec<u8>, String> {
    let mut events = Vec::new();
    Decoder::new(1 << 20).push(stream.as_bytes(), &mut events).map_err(|e| format!("{e:?}"))?;
    let mut assemble = (wire.assemble)();
    for event in &events {
        if assemble.event(event).map_err(|e| format!("{e:?}"))? {
            break;
        }
    }
    assemble.finish().map_err(|e| format!("{e:?}"))
}

fn decoded(line: &Value) -> Result<ModelReply, String> {
    let (wire, body) = (wire(&line["wire"]), line["body"].as_str().unwrap());
    let whole = if line["streamed"] == true { assembled(wire, body)? } else { body.as_bytes().to_vec() };
    (wire.decode)(&whole)
}

/// A reply in the words of `replies.py`.
fn gist(reply: &ModelReply) -> Value {
    let arguments = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_else(|_| text.into());
    let usage = &reply.usage;
    json!({
        "text": reply.text,
        "calls": reply.calls.iter().map(|c| json!([c.id, c.name, arguments(&c.arguments)])).collect::<Vec<_>>(),
        "finish": reply.finish,
        "model": reply.model,
        "usage": [usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.cache_write_tokens],
        "refused": reply.refusal.is_some(),
        "checks": reply.checks.iter().map(|c| json!([c.call_id, c.id, c.code, c.message])).collect::<Vec<_>>(),
    })
}

/// The conversation that a reply and results for its calls become.
fn answered(reply: &ModelReply) -> ModelRequest {
    let mut request = small();
    let text = (!reply.text.is_empty()).then(|| Part::Text(reply.text.clone()));
    let parts = text.into_iter().chain(reply.calls.iter().cloned().map(Part::Call)).collect();
    let mut raw = reply.raw.clone();
    if let Some(raw) = &mut raw {
        raw.provider = "asked".into();
    }
    request.messages.push(Message { role: Role::Assistant, parts, raw });
    let shot =
        Picture { bytes: png(Size::new(2, 2), [1, 2, 3]), media_type: "image/png", geometry: geometry() };
    let result = |call: &handsight_base::port::model::ToolCall| Part::Result {
        call_id: call.id.clone(),
        text: "done".into(),
        picture: Some(shot.clone()),
        is_error: false,
        acknowledged: reply.checks.iter().filter(|c| c.call_id == call.id).cloned().collect(),
    };
    let results = reply.calls.iter().map(result).chain([Part::Text("Go on.".into())]).collect();
    request.messages.push(Message { role: Role::User, parts: results, raw: None });
    request
}

#[test]
fn a_reply_is_read_as_its_vendor_reads_it_and_goes_back() {
    let Some(vendors) = vendors::need() else { return };
    let lines = vendors.replies(ROUNDS);
    assert_eq!(lines.len(), ROUNDS as usize * 8);
    let (mut wrong, mut bodies, mut own) = (Vec::new(), Vec::new(), 0);
    for line in &lines {
        let reply = match decoded(line) {
            Ok(reply) if gist(&reply) == line["want"] => reply,
            Ok(reply) => {
                wrong.push(format!("{} is read as {}", line, gist(&reply)));
                continue;
            }
            Err(why) => {
                wrong.push(format!("{line}: {why}"));
                continue;
            }
        };
        let wire = wire(&line["wire"]);
        let options = as_sent(
            wire,
            WireOptions {
                provider: "asked",
                pictures_in_results: wire.name != "chat",
                ..WireOptions::new("gemini-3-pro")
            },
        );
        let request = answered(&reply);
        // What only its vendor can read is what shows that its own JSON went back.
        let body = wire.body(&request, &options);
        let text = String::from_utf8_lossy(&body);
        own += usize::from(
            ["\"signature\"", "encrypted_content", "thoughtSignature"].iter().any(|k| text.contains(k)),
        );
        bodies.push((wire.name, body));
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        lines.len(),
        wrong[..wrong.len().min(5)].join("\n")
    );
    let refused = vendors.refused(&bodies);
    println!(
        "{} replies read; sent back, {} of them with the vendor's own JSON: {} refused",
        lines.len(),
        own,
        refused.len()
    );
    let told: Vec<String> = refused
        .iter()
        .take(5)
        .map(|r| {
            format!("{}: {}\n    {}", bodies[r.index].0, r.why, String::from_utf8_lossy(&bodies[r.index].1))
        })
        .collect();
    assert!(refused.is_empty(), "{}", told.join("\n"));
    assert!(own > 300, "{own}");
}
