//! Servers that answer badly or not at all: what is said, and that nothing usable comes of it.

use super::*;
use handsight_testkit::chat::{End, Reply};

// spec: S-79 FAKE
#[tokio::test]
async fn an_http_error_keeps_the_status_and_the_start_of_its_body() {
    let long: String = (0..10_240_u32).map(|i| char::from(b'a' + (i % 26) as u8)).collect();
    let reply = Reply::Status { code: 500, headers: vec![], body: long.clone().into_bytes() };
    let server = Server::scripted([reply]);
    let e = ask(&remote(&server), &small()).await.unwrap_err();
    let ModelError::Http { provider, status, body, retry_after } = &e else { panic!("{e:?}") };
    assert_eq!((provider.as_str(), *status, *retry_after), ("custom", 500, None));
    assert_eq!(*body, long[..4096], "the first 4096 bytes, no more");
    assert!(e.to_string().starts_with("custom answered 500: abcdef"), "{e}");
}

#[tokio::test]
async fn an_error_is_cut_between_characters() {
    let body = format!("{}é", "a".repeat(4095));
    let server = Server::scripted([Reply::Status { code: 503, headers: vec![], body: body.into_bytes() }]);
    let e = ask(&remote(&server), &small()).await.unwrap_err();
    let ModelError::Http { body, .. } = e else { panic!("{e:?}") };
    assert_eq!(body.len(), 4095);
}

#[tokio::test]
async fn every_status_that_is_no_success_is_an_error() {
    for status in
        [300, 301, 302, 304, 307, 308, 400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529, 599]
    {
        let server = Server::scripted([Reply::status(status, ("content-type", "text/plain"), "why not")]);
        let e = ask(&remote(&server), &small()).await.unwrap_err();
        let ModelError::Http { status: got, .. } = e else { panic!("{status}: {e:?}") };
        assert_eq!(got, status);
        assert_eq!(e.is_passing(), matches!(status, 408 | 429 | 500..), "{status}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Server::scripted([]);
    let to = format!("{}/chat/completions", elsewhere.base_url());
    for status in [301, 307, 308] {
        let server = Server::scripted([Reply::status(status, ("location", &to), "")]);
        let e = ask(&remote(&server), &small()).await.unwrap_err();
        assert!(e.to_string().contains(&format!("redirects are not followed; it points to {to}")), "{e}");
    }
    assert!(elsewhere.requests().is_empty(), "no picture went there");
}

#[tokio::test]
async fn what_a_server_asks_to_wait_is_read() {
    let server = Server::scripted([
        Reply::status(429, ("retry-after", "7"), ""),
        Reply::status(503, ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"), ""),
        Reply::status(429, ("retry-after", "-3"), ""),
    ]);
    let model = remote(&server);
    for want in [Some(Duration::from_secs(7)), None, None] {
        let e = ask(&model, &small()).await.unwrap_err();
        let ModelError::Http { retry_after, .. } = e else { panic!("{e:?}") };
        assert_eq!(retry_after, want);
    }
}

// spec: S-80 FAKE
#[tokio::test]
async fn a_network_error_carries_the_systems_own_words() {
    let server = Server::scripted([
        Reply::Nothing(End::Close),
        Reply::Nothing(End::Reset),
        Reply::text("half of it").cut(60, End::Close),
        Reply::text("half of it").cut(200, End::Close),
        Reply::text("half of it").cut(200, End::Reset),
    ]);
    let url = server.base_url();
    let model = remote(&server);
    for _ in 0..5 {
        let e = ask(&model, &small()).await.unwrap_err();
        let ModelError::Network { provider, url: at, why, sent: true } = &e else { panic!("{e:?}") };
        assert_eq!((provider.as_str(), at.as_str()), ("custom", format!("{url}/chat/completions").as_str()));
        assert!(!why.is_empty() && e.is_passing(), "{e}");
    }
    drop(server);
    let e = ask(&model, &small()).await.unwrap_err();
    assert!(e.to_string().contains("Connection refused") && e.to_string().contains("--base-url"), "{e}");
    let nowhere = remote_with("http://no-such-host.invalid/v1", With::default());
    assert!(matches!(ask(&nowhere, &small()).await.unwrap_err(), ModelError::Network { .. }));
}

#[tokio::test]
async fn what_is_no_reply_is_shown_from_its_beginning() {
    let table = [
        (Reply::Html, "no chat completion", "<!DOCTYPE html>"),
        (Reply::Body(Vec::new()), "it is empty", ""),
        (Reply::Body(b"{\"choices\":[{\"mess".to_vec()), "no chat completion", "{\"choices\":[{\"mess"),
        (Reply::Json(json!({"error": {"message": "no model loaded"}})), "no model loaded", "{\"error\""),
        (Reply::Body(vec![b'x'; 100_000]), "no chat completion", "xxx"),
        (Reply::Body(b"\xff\xfe\x00".to_vec()), "no chat completion", "\u{fffd}"),
    ];
    let server = Server::scripted(table.iter().map(|(r, ..)| r.clone()));
    let model = remote(&server);
    for (reply, why, start) in table {
        let e = ask(&model, &small()).await.unwrap_err();
        let ModelError::Malformed { why: w, start: s, .. } = &e else { panic!("{reply:?}: {e:?}") };
        assert!(w.contains(why) && s.starts_with(start) && s.len() <= 4096, "{e}");
        assert!(!e.is_passing(), "asking again would only cost");
    }
}

#[tokio::test]
async fn a_reply_too_long_is_not_read_to_its_end() {
    let big = Reply::Body(vec![b' '; 10_000_000]);
    let server = Server::scripted([big.clone(), Reply::Endless, Reply::GzipBomb { bytes: 1 << 30 }]);
    let model = remote(&server);
    for what in ["10 MB", "endless", "a bomb of 1 GiB"] {
        let e = ask(&model, &small()).await.unwrap_err();
        assert_eq!(e, ModelError::TooLong { provider: "custom".into(), limit: 8 << 20 }, "{what}");
    }
    // 7 MB of white space before the reply are within the limit.
    let mut long = vec![b' '; 7_000_000];
    long.extend_from_slice(br#"{"choices":[{"message":{"content":"after all"}}]}"#);
    let server = Server::scripted([Reply::Body(long)]);
    assert_eq!(ask(&remote(&server), &small()).await.unwrap().text, "after all");
}

/// An unpacked bomb would show in the peak of the process.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_bomb_does_not_grow_in_memory() {
    let peak = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|l| l.starts_with("VmHWM")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let server = Server::scripted([Reply::GzipBomb { bytes: 1 << 30 }]);
    let model = remote(&server);
    let before = peak();
    ask(&model, &small()).await.unwrap_err();
    let grown = peak() - before;
    // The bomb itself, the cap and the tests beside this one; the gigabyte would be 1 048 576.
    assert!(grown < 400_000, "{grown} KiB");
}

#[tokio::test]
async fn a_packed_reply_that_is_broken_is_no_reply() {
    let packed = Reply::Status {
        code: 200,
        headers: vec![("content-encoding".into(), "gzip".into())],
        body: b"this was never packed".to_vec(),
    };
    let server = Server::scripted([packed]);
    let e = ask(&remote(&server), &small()).await.unwrap_err();
    assert!(matches!(&e, ModelError::Malformed { why, .. } if why.contains("unpacked")), "{e:?}");
}

/// A reply that ends early, at every byte it can end at, never counts (R34).
#[tokio::test]
async fn half_a_reply_is_none_wherever_it_breaks() {
    let whole = Reply::call("click", json!({"x": 1, "y": 2, "reason": "r"}));
    let length = whole.http_len("test-model");
    let replies = (0..=length).map(|at| whole.clone().cut(at, End::Close));
    let server = Server::scripted(replies);
    let model = remote(&server);
    let request = small();
    let mut broken = 0;
    for at in 0..=length {
        match ask(&model, &request).await {
            Ok(reply) => {
                // The usage numbers differ in length between calls, so the true end may come a few bytes early.
                assert!(at + 8 >= length, "a reply cut at {at} of {length} was taken");
                assert_eq!(reply.calls.len(), 1);
            }
            Err(e) => {
                assert!(matches!(e, ModelError::Network { .. }), "{at}: {e:?}");
                broken += 1;
            }
        }
    }
    assert!(broken + 8 >= length, "{broken} of {length}");
}

/// A server that closes after each reply without having said so: the next call must find that out by itself.
#[tokio::test]
async fn a_connection_that_was_closed_after_its_reply_is_not_used_again() {
    let server = Server::with(Default::default(), |_| Reply::text("one").cut(usize::MAX, End::Close));
    let model = remote(&server);
    let request = small();
    for _ in 0..50 {
        assert_eq!(ask(&model, &request).await.unwrap().text, "one");
        // As long as any turn takes between two calls.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_connection_is_kept_for_the_next_call() {
    let server = Server::with(Default::default(), |_| Reply::text("one"));
    let model = remote(&server);
    for _ in 0..10 {
        ask(&model, &small()).await.unwrap();
    }
    assert_eq!(server.connections(), 1);
}
