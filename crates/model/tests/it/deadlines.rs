//! Time: every wait ends, and a stop ends it at once.

use super::*;
use handsight_base::stop::StopReason;
use handsight_testkit::chat::{End, Reply};
use handsight_testkit::wait;
use std::net::TcpListener;
use tokio::task::JoinSet;

/// Waits on this thread's runtime: it drives the connection that has to close.
async fn wait_for_leave(server: &Server) -> Duration {
    let patience = tokio::time::timeout(wait::PATIENCE, async {
        loop {
            if let Some(left) = server.left() {
                return left;
            }
            tokio::task::yield_now().await;
        }
    });
    patience.await.unwrap()
}

/// How much later than its deadline a call may end on a busy machine.
const LATE: Duration = Duration::from_secs(2);

async fn timed(model: &Remote) -> (ModelError, Duration) {
    let clock = RealClock::new();
    let error = ask(model, &small()).await.unwrap_err();
    (error, handsight_base::port::clock::Clock::now(&clock))
}

fn is_deadline(error: &ModelError, phase: &str) -> bool {
    matches!(error, ModelError::Deadline { phase: p, .. } if *p == phase)
}

// spec: S-21 S-67 S-80 FAKE
#[tokio::test]
async fn a_call_is_given_up_after_its_deadline_however_it_stalls() {
    let second = Duration::from_secs(1);
    for reply in [
        Reply::Nothing(End::Stall),
        Reply::text("x").cut(17, End::Stall),
        Reply::text("x").cut(150, End::Stall),
        Reply::text("x").drip(Duration::from_millis(100)),
        Reply::text("x").later(Duration::from_secs(60)),
    ] {
        let server = Server::scripted([reply.clone()]);
        let model = remote_with(&server.base_url(), With { deadlines: total(second), ..With::default() });
        let (error, took) = timed(&model).await;
        assert!(is_deadline(&error, "whole reply"), "{reply:?}: {error:?}");
        assert!(took >= second && took < second + LATE, "{reply:?}: {took:?}");
        assert_eq!(error.to_string(), "custom gave no whole reply within 1s");
        assert!(error.is_passing());
        wait_for_leave(&server).await;
    }
}

#[tokio::test]
async fn the_first_and_the_next_byte_have_deadlines_of_their_own() {
    let short = Some(Duration::from_millis(300));
    let server = Server::scripted([
        Reply::Nothing(End::Stall),
        Reply::text("x").cut(150, End::Stall),
        Reply::text("in time").later(Duration::from_millis(600)),
    ]);
    let with = |first_byte, next_byte| {
        let deadlines = Deadlines { first_byte, next_byte, ..Deadlines::default() };
        remote_with(&server.base_url(), With { deadlines, ..With::default() })
    };
    let (error, took) = timed(&with(short, None)).await;
    assert!(is_deadline(&error, "first byte") && took < LATE, "{error:?} {took:?}");
    let (error, took) = timed(&with(None, short)).await;
    assert!(is_deadline(&error, "next byte") && took < LATE, "{error:?} {took:?}");
    assert_eq!(ask(&with(None, None), &small()).await.unwrap().text, "in time");
}

#[tokio::test]
async fn a_connection_that_never_stands_has_a_deadline() {
    // It accepts and says nothing, so that the handshake of https never ends.
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("https://{}/v1", silent.local_addr().unwrap());
    let deadlines = Deadlines { connect: Duration::from_millis(300), ..Deadlines::default() };
    let (error, took) = timed(&remote_with(&url, With { deadlines, ..With::default() })).await;
    assert!(is_deadline(&error, "connection") && took < LATE, "{error:?} {took:?}");
}

/// Stalls at many places of the reply at once: each call ends by its deadline, none gives a reply (R34).
#[tokio::test]
async fn a_stall_at_any_byte_ends_by_the_deadline() {
    let whole = Reply::call("click", json!({"x": 1, "y": 2, "reason": "r"}));
    let length = whole.http_len("test-model") - 8;
    let places: Vec<usize> = (0..length).step_by(9).collect();
    let server = Server::scripted(places.iter().map(|at| whole.clone().cut(*at, End::Stall)));
    let deadline = Duration::from_secs(2);
    let with = With { deadlines: total(deadline), ..With::default() };
    let model = Arc::new(remote_with(&server.base_url(), with));
    let mut calls = JoinSet::new();
    for _ in &places {
        let model = Arc::clone(&model);
        calls.spawn(async move { timed(&model).await });
    }
    let mut ended = 0;
    while let Some(call) = calls.join_next().await {
        let (error, took) = call.unwrap();
        assert!(is_deadline(&error, "whole reply"), "{error:?}");
        assert!(took < deadline + LATE, "{took:?}");
        ended += 1;
    }
    assert!(ended == places.len() && ended > 40, "{ended}");
}

#[tokio::test]
async fn a_stop_ends_a_call_at_once_and_the_server_notices() {
    let stop = Stop::new();
    let server = {
        let stop = stop.clone();
        // Set while the call waits for its answer.
        Server::with(Default::default(), move |_| {
            stop.set(StopReason::Chord);
            Reply::text("too late").later(Duration::from_secs(60))
        })
    };
    let model = remote(&server);
    let clock = RealClock::new();
    let error = model.ask(&small(), &stop).await.unwrap_err();
    assert_eq!(error, ModelError::Stopped);
    assert!(handsight_base::port::clock::Clock::now(&clock) < LATE);
    let asked = server.requests()[0].at;
    // The current thread drives the connection's task too: let it see that nobody waits any more.
    let left = wait_for_leave(&server).await;
    assert!(left - asked < LATE, "{:?}", left - asked);
    assert_eq!(model.ask(&small(), &stop).await.unwrap_err(), ModelError::Stopped, "a stop stays");
    assert_eq!(server.requests().len(), 1, "and sends nothing");
}

#[tokio::test]
async fn dropping_a_call_leaves_the_server() {
    let server = Server::scripted([Reply::Nothing(End::Stall)]);
    let model = remote(&server);
    let (request, stop) = (small(), Stop::new());
    let given_up = tokio::time::timeout(Duration::from_millis(200), model.ask(&request, &stop)).await;
    assert!(given_up.is_err());
    wait_for_leave(&server).await;
}
