//! Recorded traffic is kept and played again.

use super::*;
use handsight_base::port::model::Model;
use handsight_model::cassette::{Cassette, Taping};
use handsight_model::{Recorded, Scripted};
use handsight_testkit::chat::Reply;

#[tokio::test]
async fn what_was_taped_plays_again_without_a_server() {
    let asked: Vec<ModelRequest> = (0..3).map(|i| turn(png(Size::new(4, 4), [i; 3]))).collect();
    let taped = {
        let server = Server::scripted([
            Reply::call("observe", json!({"reason": "look"})),
            Reply::text("hm"),
            Reply::call("done", json!({"reason": "so"})),
        ]);
        let taping = Taping::new(Arc::new(remote(&server)));
        for request in &asked {
            taping.ask(request, &Stop::new()).await.unwrap();
        }
        taping.cassette().write()
    };
    assert!(!taped.contains("base64,"), "a cassette shows nobody's screen");
    let played = Recorded::new("tape", Box::new(Cassette::read(&taped).unwrap()));
    let mut tools = Vec::new();
    for request in &asked {
        tools.push(outcome(played.ask(request, &Stop::new()).await));
    }
    assert_eq!(tools, [Ok("observe".to_owned()), Err("NoCall".to_owned()), Ok("done".to_owned())]);
    assert_eq!(played.first_difference(), None);
    assert!(Cassette::read("{\"request\": 1}").unwrap_err().contains("line 1"));
}

#[tokio::test]
async fn a_scripted_run_can_be_played_from_its_exchanges() {
    let script =
        "{\"call\": \"click\", \"args\": {\"x\": 1, \"y\": 2, \"reason\": \"r\"}}\n{\"text\": \"no\"}";
    let scripted = Scripted::read("s", script, Arc::new(RealClock::new())).unwrap();
    let request = small();
    let mut kept = Vec::new();
    for _ in 0..2 {
        kept.push(scripted.ask(&request, &Stop::new()).await.unwrap().exchange);
    }
    let played = Recorded::new("r", Box::new(kept));
    assert_eq!(outcome(played.ask(&request, &Stop::new()).await), Ok("click".into()));
    assert_eq!(outcome(played.ask(&request, &Stop::new()).await), Err("NoCall".into()));
    assert_eq!(played.first_difference(), None);
}
