//! Broken replies by the thousand: no panic, and nothing done that is not a proper call (R9).

use super::*;
use handsight_base::flow::intent::Intent;
use handsight_base::port::dialect::Planned;
use handsight_model::wire::chat;
use handsight_testkit::chat::malformed::{is_proper_call, kinds, unusable};
use handsight_testkit::chat::{Expect, Malformed, malformed};
use std::collections::BTreeMap;

/// What became of a reply: the call that would run, or why none does.
fn read(made: &Malformed) -> Result<(String, serde_json::Map<String, Value>), String> {
    let reply = (chat::WIRE.decode)(&made.body)?;
    let decoded = dialect().decode(&reply, &geometry()).map_err(|r| {
        assert!(r.told().chars().count() <= 800 && !r.told().is_empty(), "{}", made.kind);
        format!("{:?}", r.kind)
    })?;
    match decoded.plan.as_slice() {
        [Planned { intent: Intent::Call { tool, args }, .. }] => Ok((tool.clone(), args.clone())),
        other => panic!("{}: {other:?}", made.kind),
    }
}

#[derive(Default)]
struct Count {
    made: u32,
    acted: u32,
    improper: u32,
}

#[test]
fn nothing_is_done_for_a_reply_that_cannot_be_used() {
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut wrong = Vec::new();
    const REPLIES: u64 = 13_500;
    for seed in 0..REPLIES {
        let made = malformed(seed);
        let count = counts.entry(made.kind).or_default();
        count.made += 1;
        let acted = read(&made);
        if let Ok((tool, args)) = &acted {
            count.acted += 1;
            count.improper += u32::from(!is_proper_call(tool, args));
        }
        let as_expected = match (made.expect, &acted) {
            (Expect::Unusable, a) => a.is_err(),
            (Expect::Usable, a) => a.is_ok(),
            (Expect::Either, Ok((tool, args))) => is_proper_call(tool, args),
            (Expect::Either, Err(_)) => true,
        };
        if !as_expected {
            wrong.push(format!("seed {seed}, {}: {acted:?}", made.kind));
        }
    }
    for (kind, count) in &counts {
        println!("{:>5} {:>5} acted  {kind}", count.made, count.acted);
    }
    assert!(wrong.is_empty(), "{} of {REPLIES}:\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
    assert_eq!(counts.len(), kinds().len(), "every kind was made");
    assert!(counts.values().all(|c| c.improper == 0));
    // The control: mutations leave some replies whole, so a reader that refuses everything would fail here.
    let acted: u32 = counts.values().map(|c| c.acted).sum();
    assert!(acted > 1_000, "{acted}");
}

#[tokio::test]
async fn the_same_over_the_wire() {
    const REPLIES: u64 = 600;
    let server = Server::with(Default::default(), |r| unusable(r.n as u64).reply());
    let model = remote(&server);
    let request = small();
    for n in 1..=REPLIES {
        let got = outcome(ask(&model, &request).await);
        assert!(got.is_err(), "{}: {got:?}", unusable(n).kind);
    }
    assert_eq!(server.requests().len() as u64, REPLIES);
}
