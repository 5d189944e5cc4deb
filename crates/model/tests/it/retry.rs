//! Asking again: when, how often and how long after (R33).

use super::*;
use handsight_base::port::clock::{Clock as _, VirtualClock};
use handsight_base::port::model::Model;
use handsight_base::stop::StopReason;
use handsight_model::{RetryPolicy, Retrying};
use handsight_testkit::chat::{End, Reply};
use handsight_testkit::wait::PATIENCE;

fn retrying(server: &Server, retries: u32, seed: u64) -> (Retrying, VirtualClock) {
    let clock = VirtualClock::new(0);
    let policy = RetryPolicy::times(retries);
    let model = Retrying::new(Arc::new(remote(server)), policy, Arc::new(clock.clone()), Some(seed));
    (model, clock)
}

fn status(code: u16) -> Reply {
    Reply::status(code, ("content-type", "text/plain"), "no")
}

#[tokio::test]
async fn what_may_pass_is_tried_again_and_what_will_not_is_not() {
    let fine = || Reply::text("fine");
    let table: Vec<(&str, u32, Vec<Reply>, usize, bool)> = vec![
        ("good at once", 3, vec![fine()], 1, true),
        ("none allowed, 500", 0, vec![status(500)], 1, false),
        ("none allowed, closed", 0, vec![Reply::Nothing(End::Close)], 1, false),
        ("429 once", 3, vec![status(429), fine()], 2, true),
        ("408 once", 3, vec![status(408), fine()], 2, true),
        ("425 once", 3, vec![status(425), fine()], 2, true),
        ("500 once", 3, vec![status(500), fine()], 2, true),
        ("502 twice", 3, vec![status(502), status(502), fine()], 3, true),
        ("503 three times", 3, vec![status(503), status(503), status(503), fine()], 4, true),
        ("504 too often", 3, vec![status(504); 4], 4, false),
        ("529 once", 3, vec![status(529), fine()], 2, true),
        ("closed once", 3, vec![Reply::Nothing(End::Close), fine()], 2, true),
        ("reset once", 3, vec![Reply::Nothing(End::Reset), fine()], 2, true),
        ("half a reply", 3, vec![Reply::text("a").cut(200, End::Close), fine()], 2, true),
        ("a mixture", 4, vec![status(429), Reply::Nothing(End::Close), status(500), fine()], 4, true),
        ("one allowed, two needed", 1, vec![status(500), status(500)], 2, false),
        ("400", 3, vec![status(400)], 1, false),
        ("401", 3, vec![status(401)], 1, false),
        ("403", 3, vec![status(403)], 1, false),
        ("404", 3, vec![status(404)], 1, false),
        ("413", 3, vec![status(413)], 1, false),
        ("422", 3, vec![status(422)], 1, false),
        ("302", 3, vec![status(302)], 1, false),
        ("500, then 401", 3, vec![status(500), status(401)], 2, false),
        ("HTML", 3, vec![Reply::Html], 1, false),
        ("empty", 3, vec![Reply::Body(vec![])], 1, false),
        ("half JSON", 3, vec![Reply::Body(b"{\"choices".to_vec())], 1, false),
        ("too long", 3, vec![Reply::Body(vec![b' '; 9_000_000])], 1, false),
        ("Retry-After", 1, vec![Reply::status(429, ("retry-after", "9"), ""), fine()], 2, true),
        (
            "an absurd Retry-After",
            1,
            vec![Reply::status(429, ("retry-after", "9999999999"), ""), fine()],
            2,
            true,
        ),
        ("a broken Retry-After", 1, vec![Reply::status(429, ("retry-after", "soon"), ""), fine()], 2, true),
    ];
    assert!(table.len() >= 30);
    for (what, retries, replies, calls, good) in table {
        let server = Server::scripted(replies);
        let (model, clock) = retrying(&server, retries, 7);
        let reply = model.ask(&small(), &Stop::new()).await;
        assert_eq!(reply.is_ok(), good, "{what}: {reply:?}");
        let asked = server.requests();
        assert_eq!(asked.len(), calls, "{what}");
        assert!(asked.iter().all(|r| r.body == asked[0].body), "{what}: the same request");
        if let Ok(reply) = reply {
            assert_eq!(reply.exchange.retries as usize, calls - 1, "{what}");
        }
        // Nothing is waited for that is not followed by another try.
        assert_eq!(clock.now() > Duration::ZERO, calls > 1, "{what}");
        assert!(clock.now() < Duration::from_secs(125), "{what}: {:?}", clock.now());
    }
}

#[tokio::test]
async fn a_server_that_asks_for_time_gets_it_up_to_a_bound() {
    for (asked, least, most) in [("9", 9.0, 9.5), ("9999999999", 120.0, 120.5), ("0", 0.0, 0.5)] {
        let server = Server::scripted([Reply::status(429, ("retry-after", asked), ""), Reply::text("fine")]);
        let (model, clock) = retrying(&server, 1, 3);
        model.ask(&small(), &Stop::new()).await.unwrap();
        let waited = clock.now().as_secs_f64();
        assert!((least..=most).contains(&waited), "{asked}: {waited}");
    }
}

#[tokio::test]
async fn waits_are_jittered_by_the_seed_and_bounded() {
    let waited = async |seed| {
        let server = Server::with(Default::default(), |_| status(503));
        let (model, clock) = retrying(&server, 8, seed);
        model.ask(&small(), &Stop::new()).await.unwrap_err();
        assert_eq!(server.requests().len(), 9);
        clock.now()
    };
    let (a, b, again) = (waited(1).await, waited(2).await, waited(1).await);
    assert_eq!(a, again, "a seed repeats itself");
    assert_ne!(a, b);
    // 0.5 + 1 + 2 + 4 + 8 + 16 + 30 + 30 seconds at most.
    assert!(a < Duration::from_secs_f64(91.5) && a > Duration::from_secs(1), "{a:?}");
}

#[tokio::test]
async fn a_stop_ends_the_waiting() {
    let server = Server::scripted([Reply::status(429, ("retry-after", "100"), "")]);
    // On the machine's clock: the wait would be real.
    let policy = RetryPolicy::times(5);
    let model = Retrying::new(Arc::new(remote(&server)), policy, Arc::new(RealClock::new()), Some(1));
    let stop = Stop::new();
    let stopper = {
        let stop = stop.clone();
        async move {
            let asked = async {
                while server.requests().is_empty() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            };
            tokio::time::timeout(PATIENCE, asked).await.unwrap();
            stop.set(StopReason::Interrupt);
        }
    };
    let clock = RealClock::new();
    let request = small();
    let (reply, ()) = tokio::join!(model.ask(&request, &stop), stopper);
    assert_eq!(reply.unwrap_err(), ModelError::Stopped);
    assert!(clock.now() < Duration::from_secs(10));
}
