use super::prune::{Limits, Pruned};
use super::*;
use handsight_base::flow::action::ActionHash;
use handsight_base::flow::frame::PixelView;
use handsight_base::flow::prompt::{Prompt, Provenance, Sampling, Slot, ToolSpec};
use handsight_base::port::dialect::Dialect;
use handsight_base::port::model::{ModelRequest, RawTurn, ToolCall, Weight};
use handsight_base::space::{FrameGeometry, FrameId, FrameRect, PictureGeometry, ScreenPx, Size};
use handsight_model::dialect::tools::ToolsDialect;
use handsight_model::wire::{WIRES, WireOptions};
use handsight_pixel::blend::{Exporter, Scaling};
use handsight_pixel::png::PngEncoder;
use handsight_testkit::chat::{Api, complaints};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

fn geometry() -> PictureGeometry {
    PictureGeometry { frame: FrameId(1), pane: FrameRect::new(0, 0, 2, 2), size: Size::new(2, 2) }
}

static PNG: LazyLock<Arc<[u8]>> = LazyLock::new(|| {
    let view = PixelView::new(&[0; 16], Size::new(2, 2), 8).unwrap();
    let mut exporter = Exporter::new();
    let pane = FrameRect::new(0, 0, 2, 2);
    let picture = exporter.export(view, pane, Size::new(2, 2), Scaling::Nearest, &[]).unwrap();
    PngEncoder::new().encode(picture).unwrap().into()
});

fn picture() -> Picture {
    Picture { bytes: Arc::clone(&PNG), media_type: "image/png", geometry: geometry() }
}

fn call(id: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "click".into(), arguments: json!({"x": 1, "reason": id}).to_string() }
}

fn reply(ids: &[&str]) -> ModelReply {
    ModelReply { text: "so".into(), calls: ids.iter().map(|id| call(id)).collect(), ..ModelReply::default() }
}

fn deed(outcome: Outcome) -> Deed {
    Deed { action: "click".into(), hash: ActionHash(String::new()), outcome }
}

fn done() -> Outcome {
    Outcome::Done { injected: None }
}

fn plan(wants: &[(usize, Want)]) -> Taken {
    Taken::Plan(wants.iter().map(|(call, want)| Wanted { call: *call, want: want.clone() }).collect())
}

/// One turn, and what its calls were told.
fn turn(ids: &[&str], taken: Taken, outcomes: Vec<Outcome>) -> (History, Vec<(Standing, String)>) {
    let mut history = History::new(profile::History::Conversation);
    history.open("told".into(), Some(picture()));
    history.taken_as(&reply(ids), taken, None);
    history.close(&outcomes.into_iter().map(deed).collect::<Vec<_>>());
    let results = history.past[0].results.iter().map(|r| (r.standing, r.text.clone())).collect();
    (history, results)
}

fn filled(turns: usize) -> History {
    let mut history = History::new(profile::History::Conversation);
    for n in 0..turns {
        history.open(String::new(), Some(picture()));
        history.taken_as(&reply(&[&format!("call_{n}")]), plan(&[(0, Want::Act)]), None);
        history.close(&[deed(done())]);
    }
    history
}

#[test]
fn each_outcome_is_told_to_the_call_that_caused_it() {
    let act = |call| (call, Want::Act);
    let failed = || Outcome::Failed { why: "the window is gone".into(), injected: None };
    let (_, results) = turn(
        &["a", "b", "c"],
        plan(&[act(0), act(1), act(1), act(2)]),
        vec![done(), failed(), Outcome::NotExecuted, Outcome::NotExecuted],
    );
    let told = |standing, text: &str| (standing, text.to_owned());
    assert_eq!(
        results,
        [
            told(Standing::Done, ""),
            told(Standing::Failed, "not done: the window is gone"),
            told(Standing::NotExecuted, ""),
        ]
    );
    let (_, results) =
        turn(&["a", "b"], plan(&[act(0), act(1)]), vec![Outcome::Ambiguous, Outcome::NotExecuted]);
    assert_eq!(results, [told(Standing::Unknown, ""), told(Standing::NotExecuted, "")]);
    let (_, results) = turn(&["a"], plan(&[act(0)]), vec![Outcome::NotExecuted]);
    assert_eq!(results, [told(Standing::NotExecuted, PAUSED)], "nothing before it failed");
    let why = "a window covers it".to_owned();
    let (_, results) = turn(&["a"], plan(&[act(0)]), vec![Outcome::Withheld { why }]);
    assert_eq!(results, [told(Standing::NotExecuted, "not done: a window covers it; look again")]);
    let (_, results) = turn(&["a", "b"], plan(&[act(0)]), vec![done()]);
    assert_eq!(results, [told(Standing::Done, ""), told(Standing::NotExecuted, NOT_IN_PLAN)]);
}

#[test]
fn a_reply_that_cannot_be_used_is_told_which_call_is_meant() {
    let refused = Taken::Refused { call: 1, told: "x is missing".into() };
    let (_, results) = turn(&["a", "b"], refused, vec![]);
    assert_eq!(
        results,
        [(Standing::NotExecuted, OTHER_CALL.to_owned()), (Standing::Failed, "x is missing".to_owned())]
    );
    let refused = Taken::Refused { call: 0, told: "call a tool".into() };
    let (_, results) = turn(&[], refused, vec![]);
    assert_eq!(results, [(Standing::Failed, "call a tool".to_owned())], "a reply of prose has one result");
}

#[test]
fn a_look_waits_for_the_next_picture_and_not_after_a_failure() {
    let zoom = || Want::Look(Look::Screenshot);
    let (mut history, results) = turn(&["a", "b"], plan(&[(0, Want::Act), (1, zoom())]), vec![done()]);
    assert_eq!(results[1].0, Standing::Done);
    assert_eq!(history.take_looks(), [Asked { call: 1, look: Look::Screenshot }]);
    assert!(history.take_looks().is_empty());
    assert!(history.serve(1, "X=1, Y=2", Some(&picture())) && !history.serve(2, "", None));
    assert_eq!(history.past[0].results[1].text, "X=1, Y=2");
    assert!(history.past[0].results[1].shown.is_some());
    let refused = Outcome::Refused { why: "no".into() };
    let (mut history, results) = turn(&["a", "b"], plan(&[(0, Want::Act), (1, zoom())]), vec![refused]);
    assert_eq!(results[1].0, Standing::NotExecuted);
    assert!(history.take_looks().is_empty());
}

#[test]
fn without_a_conversation_nothing_is_kept_but_the_looks() {
    let mut history = History::new(profile::History::None);
    history.open(String::new(), Some(picture()));
    history.taken_as(&reply(&["a"]), plan(&[(0, Want::Look(Look::CursorPosition))]), None);
    history.close(&[]);
    assert!(history.turns().is_empty() && !history.serve(0, "x", None));
    assert_eq!(history.take_looks().len(), 1);
    // The model was not reached: nothing was said.
    let mut history = filled(1);
    history.open(String::new(), None);
    history.close(&[]);
    assert_eq!(history.turns().len(), 1);
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// 1000 tokens a picture, 100 a turn.
fn weigh(history: &History) -> Weight {
    let turns = history.turns();
    let tokens = history.pictures() as u64 * 1000 + turns.len() as u64 * 100;
    Weight { tokens, bytes: tokens * 10 }
}

fn limits(tokens: u64, pictures: usize) -> Limits {
    Limits { tokens, bytes: u64::MAX, pictures }
}

/// As most services.
async fn uncounted(_: &History) -> Option<u64> {
    None
}

#[test]
fn nothing_goes_while_the_service_itself_finds_room() {
    let pruned = |tokens: Option<u64>, limits: Limits| {
        let mut history = filled(9);
        let pruned = block_on(history.fit(limits, weigh, async |_: &History| tokens));
        (pruned != Pruned::default(), history.pictures())
    };
    let small = limits(9_000, 20);
    assert_eq!(pruned(Some(9_000), small), (false, 9));
    for found in [Some(9_001), None] {
        assert_eq!(pruned(found, small), (true, 5), "{found:?}");
    }
    // It counts neither bytes nor pictures.
    assert!(pruned(Some(1), Limits { bytes: 80_000, ..small }).0);
    assert!(pruned(Some(1), limits(9_000, 8)).0);
    // And is not asked while there is room.
    let mut history = filled(9);
    let unasked = async |_: &History| unreachable!("there is room");
    assert_eq!(block_on(history.fit(limits(10_000, 20), weigh, unasked)), Pruned::default());
}

#[test]
fn pictures_go_first_and_many_at_once() {
    let mut history = filled(8);
    assert_eq!(block_on(history.fit(limits(10_000, 8), weigh, uncounted)), Pruned::default());
    let mut history = filled(9);
    let pruned = block_on(history.fit(limits(100_000, 8), weigh, uncounted));
    assert_eq!((pruned.pictures, pruned.turns, history.pictures()), (7, 0, 2));
    assert!(history.past[6].seen.is_none() && history.past[7].seen.is_some(), "the newest stay");
    // By weight, though fewer than may stay.
    let mut history = filled(9);
    let pruned = block_on(history.fit(limits(9_000, 20), weigh, uncounted));
    assert_eq!((pruned.pictures, pruned.turns, history.pictures()), (4, 0, 5));
}

#[test]
fn turns_go_down_to_half_of_the_budget_and_leave_a_summary() {
    let mut history = filled(100);
    let pruned = block_on(history.fit(limits(8_000, 4), weigh, uncounted));
    assert!(pruned.told && history.past.len() <= 30 && history.past.len() >= 18, "{pruned:?}");
    let first = history.turns()[0].told.clone();
    assert!(first.contains("- click {\"x\":1,\"reason\":\"call_6") && first.len() < 2500, "{first}");
    assert_eq!(history.summary(), None, "the oldest turn carries it");
    let summary = history.summary.clone().unwrap();
    assert_eq!((summary.provenance(), summary.slot()), (Provenance::OwnWords, Slot::User));
    // Soon again: these go without words, and what was known stays.
    for n in 0..3 {
        history.open(String::new(), Some(picture()));
        history.taken_as(&reply(&[&format!("late_{n}")]), plan(&[(0, Want::Act)]), None);
        history.close(&[deed(done())]);
    }
    let pruned = block_on(history.fit(limits(1_000, 4), weigh, uncounted));
    assert!(!pruned.told && pruned.turns > 0);
    assert_eq!(history.summary, Some(summary));
}

struct Useless(Option<&'static str>);

impl Compact for Useless {
    fn compact<'a>(
        &'a mut self,
        _: &'a str,
        _: &'a [Past],
    ) -> handsight_base::port::BoxFuture<'a, Option<String>> {
        let text = self.0.map(|word| word.repeat(5000));
        Box::pin(std::future::ready(text))
    }
}

#[test]
fn a_summary_that_fails_or_is_no_shorter_is_none() {
    for useless in [Useless(None), Useless(Some("words "))] {
        let mut history = filled(40);
        history.compact = Box::new(useless);
        let pruned = block_on(history.fit(limits(2_000, 4), weigh, uncounted));
        assert!(!pruned.told && pruned.turns > 0 && history.summary.is_none());
    }
}

#[test]
fn what_cannot_fit_at_all_leaves_nothing() {
    let mut history = filled(5);
    let pruned = block_on(history.fit(limits(0, 4), |_| Weight { tokens: 9, bytes: 9 }, uncounted));
    assert_eq!((pruned.turns, history.past.len(), pruned.told), (5, 0, false));
    assert_eq!(history.summary(), None);
}

fn prompt(history: &History) -> Prompt {
    let system = Fragment::new("system", Slot::System, Provenance::User, "You see a screen", 100);
    let frame =
        FrameGeometry { frame: FrameId(1), size: Size::new(2, 2), origin: ScreenPx::new(0, 0), scale: 1.0 };
    let mut fragments = vec![system];
    fragments.extend(history.summary());
    Prompt {
        fragments,
        pictures: vec![picture()],
        tools: specs(),
        sampling: Sampling::default(),
        history: history.turns(),
        frame,
        captured_at: Duration::ZERO,
    }
}

fn specs() -> Vec<ToolSpec> {
    let parameters = json!({"type": "object", "properties": {"x": {"type": "integer"}}, "required": []});
    vec![ToolSpec { name: "click".into(), description: "Clicks.".into(), parameters }]
}

#[derive(Debug, Clone)]
struct Said {
    text: String,
    ids: Vec<String>,
    /// By which wire the turn came, and whether for the provider that is asked now.
    raw: Option<(usize, bool)>,
    refused: Option<usize>,
    looks: bool,
    outcomes: Vec<u8>,
    /// The run dies before the turn is closed.
    dies: bool,
}

fn said() -> impl Strategy<Value = Said> {
    let id =
        prop_oneof!["call_[0-9]{2}", Just(String::new()), Just("same".to_owned()), "functions\\.a:[0-9]"];
    (
        prop_oneof![Just(String::new()), "[a-z ]{1,20}".prop_map(String::from)],
        prop::collection::vec(id, 0..4),
        prop::option::of((0..4_usize, any::<bool>())),
        prop::option::weighted(0.2, 0..4_usize),
        any::<bool>(),
        prop::collection::vec(0..5_u8, 4),
        prop::bool::weighted(0.1),
    )
        .prop_map(|(text, ids, raw, refused, looks, outcomes, dies)| Said {
            text,
            ids,
            raw,
            refused,
            looks,
            outcomes,
            dies,
        })
}

fn outcome(kind: u8) -> Option<Outcome> {
    Some(match kind {
        0 => done(),
        1 => Outcome::Refused { why: "it is the stop chord".into() },
        2 => Outcome::NotExecuted,
        3 => Outcome::Ambiguous,
        _ => return None,
    })
}

fn add(history: &mut History, said: &Said) {
    for asked in history.take_looks() {
        history.serve(asked.call, "", Some(&picture()));
    }
    history.open(String::new(), Some(picture()));
    let calls: Vec<ToolCall> = said.ids.iter().map(|id| call(id)).collect();
    let raw = said.raw.map(|(wire, own)| RawTurn {
        provider: if own { "asked" } else { "other" }.into(),
        wire: WIRES[wire].name.into(),
        json: json!({"role": "assistant", "content": said.text}),
    });
    let reply = ModelReply { text: said.text.clone(), calls, raw, ..ModelReply::default() };
    let taken = match said.refused {
        Some(call) => Taken::Refused { call, told: "no".into() },
        None => {
            let want = |i: usize| if said.looks && i == 1 { Want::Look(Look::Screenshot) } else { Want::Act };
            Taken::Plan((0..said.ids.len().max(1)).map(|call| Wanted { call, want: want(call) }).collect())
        }
    };
    history.taken_as(&reply, taken, None);
    let outcomes: Vec<Option<Outcome>> = said.outcomes.iter().map(|o| outcome(*o)).collect();
    if said.dies {
        // As the resume finds it: some outcomes are known, the others are not there.
        let known: Vec<Option<&Outcome>> = outcomes.iter().take(1).map(Option::as_ref).collect();
        history.close_as(&known);
    } else {
        let known: Vec<Option<&Outcome>> = outcomes.iter().map(Option::as_ref).collect();
        history.close_as(&known);
    }
}

/// Whatever is said, pruned and cut off: what is sent is a request that every service takes, and it fits.
#[test]
fn of_2000_random_conversations_no_request_is_invalid() {
    let strategy = (
        prop::collection::vec((said(), prop::option::weighted(0.3, (0..6_usize, 200..6000_u64))), 1..12),
        0..1000_usize,
    );
    let mut runner = TestRunner::new(Config { cases: 2000, failure_persistence: None, ..Config::default() });
    let (asked, pruned) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let dialect = ToolsDialect::new(&specs()).unwrap();
    let outcome = runner.run(&strategy, |(turns, seed)| {
        let mut history = History::new(profile::History::Conversation);
        for (said, room) in &turns {
            add(&mut history, said);
            let Some((pictures, tokens)) = room else { continue };
            let gone = block_on(history.fit(limits(*tokens, *pictures), weigh, uncounted));
            pruned.set(pruned.get() + usize::from(gone != Pruned::default()));
            prop_assert!(history.pictures() <= *pictures && weigh(&history).tokens <= *tokens);
        }
        for past in &history.past {
            prop_assert_eq!(past.results.len(), past.calls.len().max(1));
        }
        let request = dialect.encode(&prompt(&history));
        for wire in WIRES {
            let wrong = check(wire, &request, seed);
            prop_assert!(wrong.is_empty(), "{}: {:?}", wire.name, wrong);
            asked.set(asked.get() + 1);
        }
        Ok(())
    });
    outcome.unwrap();
    assert!(asked.get() >= 8000 && pruned.get() > 1000, "{} asked, {} pruned", asked.get(), pruned.get());
}

fn check(wire: &handsight_model::wire::Wire, request: &ModelRequest, seed: usize) -> Vec<String> {
    let options = WireOptions {
        provider: "asked",
        pictures_in_results: wire.name != "chat" && !seed.is_multiple_of(3),
        picture_count: seed.is_multiple_of(5).then_some(2),
        call_ids: if wire.name == "messages" {
            handsight_model::provider::CallIds::Plain
        } else {
            handsight_model::provider::CallIds::Any
        },
        ..WireOptions::new("gemini-3-pro")
    };
    let api = Api::ALL.into_iter().find(|a| a.wire() == wire.name).unwrap();
    complaints(api, options.model, &wire.body(request, &options))
}
