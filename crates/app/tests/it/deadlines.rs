//! A service that stalls, drips or has no end: each setting of time ends the wait in its own words (R34).
#![expect(clippy::disallowed_methods, reason = "real programs live in real time")]

use crate::handsight::{Handsight, Said};
use handsight_testkit::chat::{End, Reply, Server};
use std::net::TcpListener;
use std::time::{Duration, Instant};

/// One call, given up.
#[track_caller]
fn given_up(url: &str, settings: &[&str], words: &str) -> Said {
    let handsight = Handsight::new();
    let desk = "world:desk,seed=1,size=640x400";
    let mut args = vec!["run", "x", "--json", "--desktop", desk, "--base-url", url];
    args.extend(["--set", "decide.max_failures=1"]);
    args.extend(settings.iter().flat_map(|s| ["--set", s]));
    let began = Instant::now();
    let said = handsight.run(&args);
    said.ended(6).told(words);
    assert_eq!(said.json()["actions"], 0, "nothing of half a reply is done: {said:?}");
    assert!(began.elapsed() < Duration::from_secs(30), "{words}: {:?}", began.elapsed());
    said
}

#[test]
fn each_setting_of_time_ends_its_own_wait() {
    let call = || Reply::call("click", serde_json::json!({"x": 500, "y": 500, "reason": "r"}));
    for (answer, setting, words) in [
        (Reply::Nothing(End::Stall), "decide.first_byte_timeout_s=0.4", "no first byte within 400ms"),
        (call().later(Duration::from_secs(60)), "decide.first_byte_timeout_s=0.4", "no first byte"),
        (call().cut(150, End::Stall), "decide.next_byte_timeout_s=0.4", "no next byte within 400ms"),
        (
            call().drip(Duration::from_millis(100)),
            "decide.request_timeout_s=0.7",
            "no whole reply within 700ms",
        ),
        (Reply::Nothing(End::Stall), "decide.request_timeout_s=0.7", "no whole reply"),
    ] {
        let server = Server::with(Default::default(), move |_| answer.clone());
        given_up(&server.base_url(), &[setting], words);
    }
    // It accepts and says nothing, so that the handshake of https never ends.
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("https://{}/v1", silent.local_addr().unwrap());
    given_up(&url, &["decide.connect_timeout_s=0.4"], "no connection within 400ms");
}

#[test]
fn what_has_no_end_is_cut_by_its_size_within_its_time() {
    for answer in [Reply::Endless, Reply::GzipBomb { bytes: 1 << 30 }] {
        let server = Server::with(Default::default(), move |_| answer.clone());
        given_up(&server.base_url(), &[], "8388608");
    }
}

/// The control: a slow reply that keeps its times is a reply.
#[test]
fn a_reply_in_time_is_taken() {
    let done = Reply::call("done", serde_json::json!({"reason": "in time"}));
    let server = Server::scripted([done.later(Duration::from_millis(300))]);
    let (handsight, url) = (Handsight::new(), server.base_url());
    let desk = "world:desk,seed=1,size=640x400";
    let times = ["--set", "decide.first_byte_timeout_s=20", "--set", "decide.next_byte_timeout_s=20"];
    let args = ["run", "x", "--desktop", desk, "--base-url", &url];
    assert_eq!(handsight.run(&[&args[..], &times].concat()).ended(0).stdout.lines().next(), Some("in time"));
}
