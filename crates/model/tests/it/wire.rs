//! What goes over the wire, as the other side sees it.

use super::*;
use handsight_base::flow::intent::Intent;
use handsight_base::port::dialect::Planned;
use handsight_base::port::model::Model;
use handsight_model::{Endpoint, RetryPolicy, Retrying};
use handsight_testkit::chat::{Call, Reply, Rules};

fn strict() -> Rules {
    Rules { picture_size: Some((PICTURE.width, PICTURE.height)), ..Rules::default() }
}

fn click() -> Reply {
    Reply::call("click", json!({"x": 500, "y": 300, "reason": "press OK"}))
}

// spec: S-12 S-14 S-19 S-20 S-22 S-97 FAKE
#[tokio::test]
async fn a_turn_arrives_whole_and_nothing_else_does() {
    let server = Server::scripted_with(strict(), (0..10).map(|_| click()));
    let model = remote_with(&server.base_url(), With { provider: "lmstudio", ..With::default() });
    let picture = png(PICTURE, [200, 100, 50]);
    for _ in 0..10 {
        let reply = ask(&model, &turn(picture.clone())).await.unwrap();
        assert_eq!(reply.calls[0].name, "click");
    }
    for request in server.wait_for(10) {
        assert_eq!(request.path, "/v1/chat/completions");
        let roles: Vec<&str> = request.json["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["role"].as_str().unwrap())
            .collect();
        assert_eq!(roles, ["system", "user"], "no earlier turn travels along");
        assert_eq!(request.pictures.len(), 1);
        assert_eq!(request.pictures[0].png, &*picture, "the picture is the encoded one, byte for byte");
        assert_eq!((request.pictures[0].width, request.pictures[0].height), (1536, 864));
        assert_eq!(request.tools(), ["observe", "click", "type", "scroll", "done"]);
        assert_eq!(request.json["temperature"], 0.7);
        assert_eq!(request.json["top_p"], 0.9);
        assert_eq!(request.json["max_tokens"], 2000);
        assert_eq!(request.header("authorization"), None);
    }
}

// spec: S-17 FAKE
#[tokio::test]
async fn the_same_screen_gives_the_same_bytes_whatever_came_before() {
    let server = Server::with(strict(), |r| if r.n % 2 == 0 { Reply::text("so?") } else { click() });
    let same = turn(png(PICTURE, [1, 2, 3]));
    let long_running = remote(&server);
    for shade in 0..5 {
        ask(&long_running, &turn(png(PICTURE, [shade, 0, 0]))).await.unwrap();
    }
    ask(&long_running, &same).await.unwrap();
    ask(&remote(&server), &same).await.unwrap();
    let requests = server.wait_for(7);
    assert!(requests[5].body == requests[6].body, "a fresh model sends other bytes than an old one");
    assert!(requests[4].body != requests[5].body, "the control: another picture gives other bytes");
}

// spec: S-23 FAKE
#[tokio::test]
async fn the_named_models_are_asked_for_by_name() {
    let server = Server::with(strict(), |_| click());
    let providers = Providers::builtin().unwrap();
    for model in ["qwen2-vl-7b-instruct", "qwen3-vl-2b-instruct"] {
        let remote = Remote::new(Setup {
            provider: providers.get("lmstudio").unwrap(),
            model,
            base_url: Some(&server.base_url()),
            key: None,
            deadlines: Deadlines::default(),
            proxy: None,
            clock: Arc::new(RealClock::new()),
        })
        .unwrap();
        let reply = ask(&remote, &turn(png(PICTURE, [0; 3]))).await.unwrap();
        assert_eq!(reply.model.as_deref(), Some(model), "the server says whom it was asked for");
        assert_eq!(remote.name(), format!("lmstudio/{model}"));
    }
}

// spec: S-24 S-25 S-99 FAKE
#[tokio::test]
async fn only_a_proper_first_call_becomes_an_intent() {
    let calls = |list: &[(&str, &str)]| {
        let call = |(i, (name, arguments)): (usize, &(&str, &str))| Call {
            id: format!("c{i}"),
            name: (*name).into(),
            arguments: (*arguments).into(),
        };
        Reply::Calls(list.iter().enumerate().map(call).collect())
    };
    let proper = ("click", r#"{"x":1,"y":2,"reason":"r"}"#);
    let table = [
        (click(), Ok("click")),
        (Reply::call("observe", json!({"reason": "look"})), Ok("observe")),
        (Reply::call("type", json!({"text": "Añ€😀", "reason": ""})), Ok("type")),
        (Reply::call("scroll", json!({"dy": -120, "reason": "r"})), Ok("scroll")),
        (Reply::call("done", json!({"reason": "finished"})), Ok("done")),
        (Reply::call("click", json!({"x": 1500, "y": -2, "reason": "the tool clamps"})), Ok("click")),
        (calls(&[proper, ("type", "{")]), Ok("click")),
        (calls(&[("type", "{"), proper]), Err("BadJson")),
        (Reply::text("I click the button now."), Err("NoCall")),
        (Reply::text(r#"{"name":"click","arguments":{"x":1,"y":2,"reason":"r"}}"#), Err("NoCall")),
        (Reply::call("exec", json!({"cmd": "ls", "reason": "r"})), Err("UnknownTool")),
        (calls(&[("click", r#"{"x":1,"y":2"#)]), Err("BadJson")),
        (Reply::call("click", json!({"x": 1, "reason": "r"})), Err("MissingField")),
        (Reply::call("click", json!({"x": 1, "y": 2})), Err("MissingField")),
        (Reply::call("click", json!({"x": "1", "y": 2, "reason": "r"})), Err("WrongType")),
        (Reply::call("click", json!({"x": null, "y": 2, "reason": "r"})), Err("WrongType")),
    ];
    let server = Server::scripted(table.iter().map(|(reply, _)| reply.clone()));
    let model = remote(&server);
    for (reply, want) in table {
        let got = outcome(ask(&model, &small()).await);
        assert_eq!(got.as_deref().map_err(String::as_str), want, "{reply:?}");
    }
}

#[tokio::test]
async fn the_arguments_arrive_as_the_model_wrote_them() {
    let server = Server::scripted([Reply::call("type", json!({"text": "Añ€😀\n\"\\", "reason": "r"}))]);
    let reply = ask(&remote(&server), &small()).await.unwrap();
    let decoded = dialect().decode(&reply, &geometry()).unwrap();
    let [Planned { intent: Intent::Call { tool, args }, .. }] = decoded.plan.as_slice() else {
        panic!("{decoded:?}")
    };
    assert_eq!((tool.as_str(), &args["text"]), ("type", &json!("Añ€😀\n\"\\")));
}

#[tokio::test]
async fn the_exchange_is_the_evidence() {
    let server = Server::scripted([click()]);
    let model = remote(&server);
    let reply = ask(&model, &small()).await.unwrap();
    let request = &server.wait_for(1)[0];
    assert_eq!(reply.exchange.request.as_bytes(), request.body, "what was kept is what was sent");
    assert_eq!(reply.exchange.status, 200);
    assert!(reply.exchange.response.contains("chatcmpl-1"));
    assert!(reply.exchange.took > Duration::ZERO);
    assert_eq!(reply.usage.input_tokens, Some(request.body.len() as u64 / 4));
    assert_eq!(reply.usage.output_tokens, Some(17));
    assert_eq!(reply.finish.as_deref(), Some("tool_calls"));
    assert_eq!(reply.usage.cost_usd, None, "nobody said what a custom server charges");
    assert!(!model.price_known());
}

#[tokio::test]
async fn a_conversation_with_results_and_pictures_is_valid() {
    use handsight_base::port::model::{RawTurn, ToolCall};
    let server = Server::scripted([click()]);
    let mut request = small();
    let call =
        |id: &str| Part::Call(ToolCall { id: id.into(), name: "click".into(), arguments: "{}".into() });
    let picture = |p: &Part| if let Part::Picture(p) = p { Some(p.clone()) } else { None };
    let shot = picture(&request.messages[0].parts[0]);
    let result = |id: &str, picture, is_error| Part::Result {
        call_id: id.into(),
        text: "ok".into(),
        picture,
        is_error,
        acknowledged: Vec::new(),
    };
    request.messages.push(Message { role: Role::Assistant, parts: vec![call("a"), call("b")], raw: None });
    request.messages.push(Message {
        role: Role::User,
        parts: vec![result("a", shot, false), result("b", None, true)],
        raw: None,
    });
    let raw = json!({"role": "assistant", "content": "as it came"});
    let turn = RawTurn { provider: "custom".into(), wire: "chat".into(), json: raw.clone() };
    request.messages.push(Message {
        role: Role::Assistant,
        parts: vec![Part::Text("as it came".into())],
        raw: Some(turn),
    });
    request.messages.push(Message { role: Role::User, parts: vec![Part::Text("go on".into())], raw: None });
    ask(&remote(&server), &request).await.unwrap();
    let sent = &server.wait_for(1)[0];
    assert_eq!(sent.pictures.len(), 2);
    assert_eq!(sent.messages("tool").len(), 2);
    assert_eq!(sent.messages("assistant")[1], &raw);
}

#[tokio::test]
async fn a_packed_reply_is_unpacked() {
    let body = json!({"choices": [{"message": {"content": "packed"}}]}).to_string();
    let server = Server::scripted([Reply::Gzip(body.into_bytes())]);
    assert_eq!(ask(&remote(&server), &small()).await.unwrap().text, "packed");
    assert!(server.requests()[0].header("accept-encoding").is_some_and(|v| v.contains("gzip")));
}

#[tokio::test]
async fn a_key_goes_into_the_header_and_nowhere_else() {
    let key = "sk-canary-0123456789";
    let rules = Rules { key: Some(key.into()), ..Rules::default() };
    let server = Server::scripted_with(rules, [click()]);
    let model = remote_with(&server.base_url(), With { provider: "groq", key: Some(key), ..With::default() });
    let reply = ask(&model, &small()).await.unwrap();
    let request = &server.requests()[0];
    assert_eq!(request.header("authorization"), Some("Bearer sk-canary-0123456789"));
    assert_eq!(request.json["max_completion_tokens"], 2000, "as this provider's file wants it");
    assert!(!reply.exchange.request.contains(key));
}

#[test]
fn what_cannot_work_is_refused_before_the_first_call() {
    let providers = Providers::builtin().unwrap();
    let make = |provider: &str, base_url, key| {
        let provider = providers.get(provider).unwrap();
        let (deadlines, clock) = (Deadlines::default(), Arc::new(RealClock::new()));
        Remote::new(Setup { provider, model: "m", base_url, key, deadlines, proxy: None, clock })
            .map(|_| ())
            .map_err(|e| e.to_string())
    };
    assert!(make("openai", None, None).unwrap_err().contains("set OPENAI_API_KEY"));
    assert!(make("openai", None, Some(" \n")).unwrap_err().contains("set OPENAI_API_KEY"));
    let told = make("openai", None, Some("sk-a\u{7}b")).unwrap_err();
    assert!(told.contains("OPENAI_API_KEY") && !told.contains("sk-a"), "{told}");
    assert!(make("custom", None, None).unwrap_err().contains("--base-url"));
    assert!(make("lmstudio", Some("nonsense"), None).unwrap_err().contains("http://localhost:1234/v1"));
    assert_eq!(make("lmstudio", None, Some("ignored: this provider takes no key")), Ok(()));
    assert_eq!(
        make("openai", None, Some("sk-good\n")),
        Ok(()),
        "an end of line from a file is no part of a key"
    );
}

/// The environment's proxy would see every picture. Run in a child, since a test must not change its own environment.
#[test]
fn a_proxy_of_the_environment_is_not_used() {
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "wire::the_exchange_is_the_evidence"])
        .envs(["http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"].map(|v| (v, "http://127.0.0.1:9")))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
async fn a_proxy_that_was_given_is_used_for_others_but_never_for_this_machine() {
    let server = Server::scripted([click()]);
    let providers = Providers::builtin().unwrap();
    let through = |base_url: &str, proxy: &str| {
        Remote::new(Setup {
            provider: providers.get("custom").unwrap(),
            model: "test-model",
            base_url: Some(base_url),
            key: None,
            deadlines: Deadlines::default(),
            proxy: Some(proxy),
            clock: Arc::new(RealClock::new()),
        })
        .unwrap()
    };
    let direct = through(&server.base_url(), "http://127.0.0.1:9");
    ask(&direct, &small()).await.unwrap();
    // The proxy is our server, which does not know what a proxy is asked, and says so.
    let proxy = Server::scripted([]);
    let proxied = through("http://models.example/v1", &format!("http://{}", proxy.address()));
    assert!(ask(&proxied, &small()).await.is_err());
    assert!(proxy.take_complaints().iter().any(|c| c.contains("http://models.example/v1/chat/completions")));
    assert_eq!(Endpoint::parse("http://models.example/v1").unwrap().host(), "models.example");
}

#[tokio::test]
async fn a_picture_over_the_limit_is_not_sent() {
    let mut providers = Providers::builtin().unwrap();
    let text = "about = \"a\"\nwire = \"chat\"\ndialect = \"tools\"\n[limits]\npicture_bytes = 1000\n";
    providers.add("small.toml", text).unwrap();
    let server = Server::scripted([click()]);
    let model = Remote::new(Setup {
        provider: providers.get("small").unwrap(),
        model: "test-model",
        base_url: Some(&server.base_url()),
        key: None,
        deadlines: Deadlines::default(),
        proxy: None,
        clock: Arc::new(RealClock::new()),
    })
    .unwrap();
    assert_eq!(model.limits().picture_bytes, Some(1000));
    let model = Arc::new(model);
    let before: Arc<dyn Model> = Arc::<Remote>::clone(&model);
    let before = Retrying::new(before, RetryPolicy::times(0), Arc::new(RealClock::new()), None);
    assert_eq!(before.picture_limits().bytes, Some(1000), "whoever stands in front of it says the same");
    let noise: Vec<u8> = (0..751_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    // 751 bytes are 1004 after base64, 750 are 1000.
    let e = ask(&model, &turn(noise.as_slice().into())).await.unwrap_err();
    assert_eq!(e, ModelError::PictureTooLarge { provider: "small".into(), bytes: 1004, limit: 1000 });
    assert!(server.requests().is_empty());
    ask(&model, &small()).await.unwrap();
}

#[tokio::test]
async fn prices_and_missing_usage_make_a_cost() {
    let mut providers = Providers::builtin().unwrap();
    let text = "about = \"a\"\nwire = \"chat\"\ndialect = \"tools\"\n[limits]\npicture_tokens = 1000\n\
                [[model]]\nnames = [\"test-*\"]\nprice = { input = 2.0, output = 8.0 }\n";
    providers.add("priced.toml", text).unwrap();
    for (tells_usage, least, most) in [(true, 0.0001, 0.01), (false, 0.018, 0.03)] {
        let server = Server::scripted_with(Rules { tells_usage, ..Rules::default() }, [click()]);
        let model = Remote::new(Setup {
            provider: providers.get("priced").unwrap(),
            model: "test-model",
            base_url: Some(&server.base_url()),
            key: None,
            deadlines: Deadlines::default(),
            proxy: None,
            clock: Arc::new(RealClock::new()),
        })
        .unwrap();
        assert!(model.price_known());
        let usage = ask(&model, &small()).await.unwrap().usage;
        let cost = usage.cost_usd.unwrap();
        assert!(cost > least && cost < most, "{cost}");
        if tells_usage {
            let (input, output) = (usage.input_tokens.unwrap() as f64, usage.output_tokens.unwrap() as f64);
            assert_eq!(cost, (input * 2.0 + output * 8.0) / 1e6);
        } else {
            // 2000 tokens of output at 8 dollars a million, 1000 of picture at 2, and the text.
            assert_eq!(usage.input_tokens, None, "what nobody said is not made up");
            assert!(cost >= (2000.0 * 8.0 + 1000.0 * 2.0) / 1e6);
        }
    }
}
