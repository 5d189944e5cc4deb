//! What `doctor` finds out about a model service.

use super::*;
use handsight_base::stop::StopReason;
use handsight_model::probe::{Check, Finding, State, probe};
use handsight_testkit::chat::{End, Reply, Rules};

async fn findings(server: &Server, deadlines: Deadlines) -> Vec<Finding> {
    let model = remote_with(&server.base_url(), With { deadlines, ..With::default() });
    probe(&model, deadlines, &Stop::new()).await.unwrap()
}

fn states(found: &[Finding]) -> Vec<(Check, State)> {
    found.iter().map(|f| (f.check, f.state)).collect()
}

fn calls(r: &handsight_testkit::chat::Request) -> Reply {
    match r.tools().first() {
        Some(tool) => Reply::call(tool, json!({"colour": "red"})),
        None => Reply::text("red"),
    }
}

// spec: S-77 FAKE
#[tokio::test]
async fn each_ability_that_lacks_is_named() {
    use Check::{Answers, CallsTools, HasModel, TakesPictures};
    use State::{Bad, Doubtful, Good, Untried};
    let rules = Rules::default();
    let no_models = Rules { models: None, ..rules.clone() };
    let other_model = Rules { models: Some(vec!["another".into()]), ..rules.clone() };
    let blind = Rules { takes_pictures: false, ..rules.clone() };
    let handless = Rules { takes_tools: false, ..rules.clone() };
    let neither = Rules { takes_pictures: false, takes_tools: false, ..rules.clone() };
    for (rules, want, requests) in [
        (rules, [Good, Good, Good, Good], 1),
        (no_models, [Doubtful, Untried, Good, Good], 1),
        (other_model, [Good, Doubtful, Good, Good], 1),
        (blind, [Good, Good, Bad, Good], 1),
        (handless, [Good, Good, Good, Bad], 1),
        (neither, [Good, Good, Bad, Bad], 0),
    ] {
        let server = Server::with(rules.clone(), calls);
        let found = findings(&server, Deadlines::default()).await;
        let checks = [Answers, HasModel, TakesPictures, CallsTools];
        let mut expected: Vec<(Check, State)> = checks.into_iter().zip(want).collect();
        expected.push((Check::Deadline, Good));
        assert_eq!(states(&found), expected, "{rules:?}: {found:?}");
        assert_eq!(server.requests().len(), requests, "{rules:?}");
        for f in &found {
            assert!(!f.words.is_empty());
            assert!(f.state != Bad || !f.remedy.is_empty(), "{f:?}");
        }
    }
}

#[tokio::test]
async fn the_picture_and_the_tool_go_together_as_in_a_turn() {
    let server = Server::with(Rules { picture_size: Some((64, 64)), ..Rules::default() }, calls);
    findings(&server, Deadlines::default()).await;
    let request = &server.requests()[0];
    assert_eq!((request.pictures.len(), request.tools().len()), (1, 1));
}

#[tokio::test]
async fn a_model_that_only_talks_is_doubtful() {
    let server = Server::with(Rules::default(), |_| Reply::text("It is red."));
    let found = findings(&server, Deadlines::default()).await;
    assert_eq!(states(&found)[3], (Check::CallsTools, State::Doubtful));
    assert!(found[3].words.contains("instead of calling"), "{found:?}");
}

#[tokio::test]
async fn tools_refused_only_beside_a_picture_are_found() {
    let server = Server::with(Rules::default(), |r| match (r.pictures.len(), r.tools().len()) {
        (1, 1) => Reply::error(400, "tools and images cannot be combined"),
        _ => calls(r),
    });
    let found = findings(&server, Deadlines::default()).await;
    assert_eq!(states(&found)[2..4], [(Check::TakesPictures, State::Good), (Check::CallsTools, State::Bad)]);
    assert!(found[3].words.contains("beside a picture"), "{found:?}");
}

// spec: S-77 FAKE
#[tokio::test]
async fn a_short_deadline_is_warned_of() {
    let server = Server::with(Rules::default(), calls);
    let found = findings(&server, total(Duration::from_secs(29))).await;
    let last = found.last().unwrap();
    assert_eq!((last.check, last.state), (Check::Deadline, State::Doubtful));
    assert!(last.words.contains("29s") && last.remedy.contains("REQUEST_TIMEOUT_S"), "{last:?}");
}

// spec: S-77 FAKE
#[tokio::test]
async fn a_service_that_is_not_there_is_said_to_be() {
    let server = Server::scripted([]);
    let url = server.base_url();
    drop(server);
    let model = remote_with(&url, With { provider: "lmstudio", ..With::default() });
    let found = probe(&model, Deadlines::default(), &Stop::new()).await.unwrap();
    let want = [State::Bad, State::Untried, State::Untried, State::Untried, State::Good];
    assert_eq!(found.iter().map(|f| f.state).collect::<Vec<_>>(), want, "{found:?}");
    assert!(found[0].words.contains("refused") && found[0].remedy.contains("LM Studio"), "{found:?}");
}

#[tokio::test]
async fn a_stop_ends_the_probe() {
    let stop = Stop::new();
    stop.set(StopReason::Interrupt);
    let server = Server::scripted([Reply::Nothing(End::Close)]);
    let e = probe(&remote(&server), Deadlines::default(), &stop).await.unwrap_err();
    assert_eq!(e, ModelError::Stopped);
}
