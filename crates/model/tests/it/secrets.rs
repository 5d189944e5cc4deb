//! A key leaves this crate in one header and in no text (R38).

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handsight_testkit::chat::{End, Reply, Rules};

/// Every way a service may throw the key back: the key must be in no text that comes out, in no form.
#[tokio::test]
async fn a_key_thrown_back_is_in_no_text() {
    for key in ["k7", "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789", "with/slash+plus=and%25"] {
        let packed = STANDARD.encode(format!("user:{key}"));
        let echo = format!(
            "Incorrect API key provided: {key}. Header: Bearer {key}, basic {packed}. {}",
            "x".repeat(4060)
        );
        let edge = format!("{}{key}", "y".repeat(4096 - key.len() / 2));
        let replies = vec![
            Reply::status(401, ("content-type", "text/plain"), &echo),
            Reply::status(400, ("content-type", "text/plain"), &edge),
            Reply::status(307, ("location", &format!("http://127.0.0.1:9/?key={key}")), ""),
            Reply::Body(echo.clone().into_bytes()),
            Reply::Json(json!({"error": {"message": echo}})),
            Reply::Json(json!({"choices": [{"message": {"content": echo}}]})),
            Reply::text("a").cut(100, End::Close),
            Reply::Nothing(End::Stall),
        ];
        let count = replies.len();
        let rules = Rules { key: Some(key.into()), ..Rules::default() };
        let server = Server::scripted_with(rules, replies);
        let with = With { key: Some(key), deadlines: total(Duration::from_secs(2)), ..With::default() };
        let model = remote_with(&server.base_url(), with);
        for n in 0..count {
            let said = match ask(&model, &small()).await {
                Ok(reply) => format!("{:?}", reply.exchange),
                Err(e) => format!("{e} {e:?}"),
            };
            // A key of two letters may stand in a picture's base64 by chance, so the request is looked at apart.
            let said = match said.split_once("response: ") {
                Some((_, response)) => response.to_owned(),
                None => said,
            };
            assert!(!said.contains(key), "reply {n} of {key}: {said:.600}");
            // Inside base64 a key of two letters is a stretch of two or three, which stands in any text.
            if key.len() > 10 {
                assert!(!said.contains(&packed), "reply {n} of {key}");
                assert!(!said.contains(&key[..key.len() / 2]), "reply {n}: half a key is left at the cut");
            }
        }
        assert_eq!(server.requests().len(), count);
        assert!(
            server.requests().iter().all(|r| r.header("authorization") == Some(&format!("Bearer {key}")))
        );
    }
}

#[tokio::test]
async fn a_wrong_key_is_refused_once() {
    let rules = Rules { key: Some("right".into()), ..Rules::default() };
    let server = Server::scripted_with(rules, []);
    let model = remote_with(&server.base_url(), With { key: Some("wrong"), ..With::default() });
    let e = ask(&model, &small()).await.unwrap_err();
    assert!(matches!(e, ModelError::Http { status: 401, .. }) && !e.is_passing(), "{e}");
}
