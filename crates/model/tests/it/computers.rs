//! The computers that providers defined themselves, over their wires against strict servers: a click, a batch, a batch that fails in
//! the middle, a zoom, a question for a person, and the end.

use super::wires::{rules, speaker};
use super::*;
use handsight_base::flow::action::{Action, Button};
use handsight_base::flow::intent::{Intent, Look};
use handsight_base::flow::past::{CallResult, Past, Standing};
use handsight_base::flow::prompt::{Fragment, Prompt, Provenance, Slot};
use handsight_base::key::Modifiers;
use handsight_base::port::dialect::{Decoded, Dialect, RejectionKind};
use handsight_base::port::model::SafetyCheck;
use handsight_base::space::{At, FrameGeometry, FramePx, ScreenPx};
use handsight_testkit::chat::{Api, Call, Reply, Rules};
use handsight_testkit::written::writer;

const SCREEN: Size = Size::new(640, 360);

/// Every one of them, with the API that has it.
const COMPUTERS: [(&str, Api); 8] = [
    ("anthropic-computer-20241022", Api::Messages),
    ("anthropic-computer-20250124", Api::Messages),
    ("anthropic-computer-20251124", Api::Messages),
    ("anthropic-toolset-20260801", Api::Messages),
    ("openai-computer-preview", Api::Responses),
    ("openai-computer", Api::Responses),
    ("gemini-computer-2.5", Api::Gemini),
    ("gemini-computer-3.5", Api::Gemini),
];

fn geometry() -> PictureGeometry {
    let pane = FrameRect::new(0, 0, SCREEN.width, SCREEN.height);
    PictureGeometry { frame: FrameId(1), pane, size: SCREEN }
}

fn shot(grey: u8) -> Picture {
    Picture { bytes: png(SCREEN, [grey; 3]), media_type: "image/png", geometry: geometry() }
}

fn click(x: i32, y: i32) -> Intent {
    let at = Some(At { point: FramePx::new(x, y), frame: FrameId(1) });
    Intent::Act(Action::Click { at, button: Button::Left, count: 1, modifiers: Modifiers::NONE })
}

/// A conversation as an engine keeps it.
struct Talk {
    dialect: Box<dyn Dialect>,
    history: Vec<Past>,
    /// Pictures so far, each of another grey.
    seen: u8,
}

impl Talk {
    fn new(dialect: &str) -> Self {
        // `type` is a name that the computers have themselves.
        let dialect = handsight_model::dialect::build(dialect, &five_tools()).unwrap().unwrap();
        Self { dialect, history: Vec::new(), seen: 0 }
    }

    fn prompt(&self) -> Prompt {
        let told = format!("Turn {}.", self.history.len() + 1);
        Prompt {
            fragments: vec![
                Fragment::new("system", Slot::System, Provenance::User, "You control a computer.", 100),
                Fragment::new("turn", Slot::User, Provenance::User, told, 100),
            ],
            pictures: vec![shot(self.seen)],
            tools: five_tools(),
            sampling: Sampling { max_tokens: Some(2000), ..Sampling::default() },
            history: self.history.clone(),
            frame: FrameGeometry { frame: FrameId(1), size: SCREEN, origin: ScreenPx::new(0, 0), scale: 1.0 },
            captured_at: Duration::ZERO,
        }
    }

    fn request(&self) -> ModelRequest {
        self.dialect.encode(&self.prompt())
    }

    /// One turn: what the reply means, kept with what came of each call.
    fn keep(&mut self, reply: &ModelReply, results: Vec<CallResult>) -> Result<Decoded, RejectionKind> {
        let decoded = self.dialect.decode(reply, &geometry()).map_err(|rejection| rejection.kind);
        let told = format!("Turn {}.", self.history.len() + 1);
        self.history.push(Past {
            told,
            seen: Some(shot(self.seen)),
            text: reply.text.clone(),
            calls: reply.calls.clone(),
            raw: reply.raw.clone(),
            results,
        });
        self.seen += 1;
        decoded
    }
}

fn done() -> CallResult {
    CallResult::default()
}

fn result(standing: Standing, text: &str) -> CallResult {
    CallResult { standing, text: text.into(), ..CallResult::default() }
}

/// What a model of that dialect sends for these intents; one that needs several calls for a click sends the last only.
fn sends(dialect: &str, intents: &[Intent]) -> Reply {
    let write = writer(dialect).unwrap().write;
    let written = intents.iter().map(|intent| write(intent, &geometry()).unwrap().calls.pop().unwrap());
    let call = |(n, (name, arguments)): (usize, (String, Value))| Call {
        id: format!("call_{}_{n}", intents.len()),
        name,
        arguments: arguments.to_string(),
    };
    Reply::Calls(written.enumerate().map(call).collect())
}

fn key(names: &str) -> Intent {
    Intent::Act(Action::Key { chord: names.parse().unwrap(), repeat: 1 })
}

/// What the server has got in its last request, as text.
fn last(server: &Server) -> String {
    String::from_utf8(server.requests().last().unwrap().body.clone()).unwrap()
}

#[tokio::test]
async fn every_computer_is_offered_called_and_answered_as_its_provider_wants_it() {
    for (dialect, api) in COMPUTERS {
        for stream in [false, true] {
            let script = [
                sends(dialect, &[click(10, 20)]),
                sends(dialect, &[key("ctrl+a"), click(30, 40)]),
                sends(dialect, &[key("a"), key("b"), key("c")]),
                Reply::text("It is done."),
            ];
            let rules = Rules { picture_size: Some((SCREEN.width, SCREEN.height)), ..rules(api) };
            let server = Server::scripted_with(rules, script);
            let remote = speaker(&server, api, stream, "gemini-3", Deadlines::default());
            let mut talk = Talk::new(dialect);
            let outcomes = [
                vec![done()],
                vec![done(), done()],
                vec![
                    done(),
                    result(Standing::Failed, "the key b is refused"),
                    result(Standing::NotExecuted, ""),
                ],
                vec![],
            ];
            let mut plans = Vec::new();
            for results in outcomes {
                let reply = ask(&remote, &talk.request()).await.unwrap_or_else(|e| panic!("{dialect}: {e}"));
                plans.push(talk.keep(&reply, results).unwrap().plan.len());
            }
            assert_eq!(plans, [1, 2, 3, 1], "{dialect}");
            assert_eq!(server.take_complaints(), [""; 0], "{dialect}");
            let body = last(&server);
            let says = |what: &str| assert!(body.contains(what), "{dialect}: no {what} in {body:.3000}");
            match dialect {
                "anthropic-toolset-20260801" => {
                    says(r#""toolset_name":"computer""#);
                    says("Not executed: an earlier computer action in this turn failed.");
                    says(r#"{"type":"text","text":"OK"}"#);
                }
                "openai-computer" => says(r#""detail":"original""#),
                "openai-computer-preview" => says(r#""truncation":"auto""#),
                "gemini-computer-2.5" => says("ENVIRONMENT_BROWSER"),
                "gemini-computer-3.5" => says("ENVIRONMENT_DESKTOP"),
                _ => says(r#""display_width_px":640"#),
            }
            // The screen after the last turn, which failed, is there too.
            assert_eq!(server.requests()[3].pictures.len(), pictures(dialect), "{dialect}");
        }
    }
}

/// How many pictures four turns show: one each, and each call's own where every call wants one.
fn pictures(dialect: &str) -> usize {
    if dialect.starts_with("anthropic") { 4 } else { 1 + 1 + 2 + 3 }
}

#[tokio::test]
async fn a_zoom_is_shown_in_its_own_result() {
    for dialect in ["anthropic-computer-20251124", "anthropic-toolset-20260801"] {
        let zoom = Intent::Look(Look::Zoom { area: FrameRect::new(0, 0, 64, 36) });
        let script = [sends(dialect, std::slice::from_ref(&zoom)), Reply::text("I see.")];
        let server = Server::scripted_with(rules(Api::Messages), script);
        let remote = speaker(&server, Api::Messages, false, "m", Deadlines::default());
        let mut talk = Talk::new(dialect);
        let reply = ask(&remote, &talk.request()).await.unwrap();
        let closer = Picture { bytes: png(Size::new(128, 72), [200; 3]), ..shot(0) };
        let shown = CallResult { shown: Some(closer), ..CallResult::default() };
        assert_eq!(talk.keep(&reply, vec![shown]).unwrap().plan[0].intent, zoom);
        ask(&remote, &talk.request()).await.unwrap();
        let sizes: Vec<u32> = server.requests()[1].pictures.iter().map(|p| p.width).collect();
        assert_eq!(
            sizes,
            [640, 128, 640],
            "{dialect}: the turn's, the zoom in its result, the screen beside it"
        );
    }
}

/// A question of the provider runs nothing; once a person agreed, that goes back with the result.
#[tokio::test]
async fn a_question_for_a_person_stops_the_turn_and_is_acknowledged_only_by_one() {
    let check = json!([{"id": "cu_sc_1", "code": "malicious_instructions", "message": "On the screen."}]);
    for (dialect, api) in [("openai-computer", Api::Responses), ("gemini-computer-3.5", Api::Gemini)] {
        let call = match api {
            Api::Responses => json!({"actions": [{"type": "wait"}], "pending_safety_checks": check}),
            _ => {
                json!({"x": 1, "y": 1, "safety_decision": {"decision": "require_confirmation", "explanation": "?"}})
            }
        };
        let name = if api == Api::Responses { "computer" } else { "click" };
        for agreed in [false, true] {
            let script = [Reply::call(name, call.clone()), Reply::text("Yes.")];
            let server = Server::scripted_with(rules(api), script);
            let remote = speaker(&server, api, false, "gemini-3", Deadlines::default());
            let mut talk = Talk::new(dialect);
            let reply = ask(&remote, &talk.request()).await.unwrap();
            let acknowledged: Vec<SafetyCheck> = if agreed { reply.checks.clone() } else { Vec::new() };
            assert_eq!(reply.checks.len(), 1, "{dialect}");
            let standing = if agreed { Standing::Done } else { Standing::NotExecuted };
            let kept =
                talk.keep(&reply, vec![CallResult { standing, acknowledged, ..CallResult::default() }]);
            assert_eq!(kept.unwrap_err(), RejectionKind::NoCall, "{dialect}: nobody was asked");
            ask(&remote, &talk.request()).await.unwrap();
            assert_eq!(server.take_complaints(), [""; 0], "{dialect} {agreed}");
            let body = last(&server);
            let says = body.contains("acknowledged_safety_checks") || body.contains("safety_acknowledgement");
            assert_eq!(says, agreed, "{dialect}: {body:.3000}");
        }
    }
}

/// The header that switches an older tool on goes with the call and joins one that is there already.
#[tokio::test]
async fn a_tools_header_joins_the_providers_own() {
    let text = "about = \"a\"\nwire = \"messages\"\ndialect = \"tools\"\nheaders = { anthropic-beta = \"other-2026\" }\n";
    let mut providers = Providers::builtin().unwrap();
    providers.add("mine.toml", text).unwrap();
    let server = Server::scripted_with(
        Rules { api: Api::Messages, ..Rules::default() },
        [Reply::text("a"), Reply::text("b")],
    );
    let url = server.base_url();
    let setup = Setup {
        provider: providers.get("mine").unwrap(),
        model: "m",
        base_url: Some(&url),
        key: None,
        deadlines: Deadlines::default(),
        proxy: None,
        clock: Arc::new(RealClock::new()),
    };
    let remote = Remote::new(setup).unwrap();
    ask(&remote, &Talk::new("anthropic-computer-20250124").request()).await.unwrap();
    ask(&remote, &Talk::new("anthropic-toolset-20260801").request()).await.unwrap();
    let requests = server.requests();
    assert_eq!(requests[0].header("anthropic-beta"), Some("other-2026,computer-use-2025-01-24"));
    assert_eq!(requests[1].header("anthropic-beta"), Some("other-2026"));
}
