use super::*;
use handsight_base::flow::prompt::{Fragment, Provenance, Sampling};
use handsight_base::port::model::ToolCall;
use handsight_base::space::{FrameGeometry, FrameId, FrameRect, PictureGeometry, ScreenPx, Size};
use std::time::Duration;

const INSIDE: Manner = Manner { picture_in_result: true, ..Manner::PLAIN };

fn picture(n: u8) -> Picture {
    let (size, frame) = (Size::new(4, 4), FrameId(u64::from(n)));
    let geometry = PictureGeometry { frame, pane: FrameRect::new(0, 0, 4, 4), size };
    Picture { bytes: vec![n].into(), media_type: "image/png", geometry }
}

fn call(id: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "click".into(), arguments: "{}".into() }
}

fn result(standing: Standing, text: &str) -> CallResult {
    CallResult { standing, text: text.into(), ..CallResult::default() }
}

fn prompt(history: Vec<Past>, told: &str, pictures: Vec<Picture>) -> Prompt {
    let fragment = Fragment::new("told", Slot::User, Provenance::Tool, told, 100);
    Prompt {
        fragments: vec![fragment],
        pictures,
        tools: Vec::new(),
        sampling: Sampling::default(),
        history,
        frame: FrameGeometry {
            frame: FrameId(9),
            size: Size::new(4, 4),
            origin: ScreenPx::new(0, 0),
            scale: 1.0,
        },
        captured_at: Duration::ZERO,
    }
}

/// A line a part: `U` or `A`, then what it is.
fn drawn(messages: &[Message]) -> Vec<String> {
    let part = |p: &Part| match p {
        Part::Text(text) => format!("{text:?}"),
        Part::Picture(p) => format!("p{}", p.bytes[0]),
        Part::Call(call) => format!("call {}", call.id),
        Part::Result { call_id, text, picture, is_error, .. } => {
            let picture = picture.as_ref().map_or(String::new(), |p| format!(" p{}", p.bytes[0]));
            format!("{}{call_id}={text:?}{picture}", if *is_error { "!" } else { "" })
        }
    };
    let message = |m: &Message| {
        let role = if m.role == Role::User { "U" } else { "A" };
        format!("{role} {}", m.parts.iter().map(part).collect::<Vec<_>>().join(", "))
    };
    messages.iter().map(message).collect()
}

fn past(n: u8, calls: &[&str], results: Vec<CallResult>) -> Past {
    Past {
        seen: Some(picture(n)),
        text: format!("turn {n}"),
        calls: calls.iter().map(|id| call(id)).collect(),
        results,
        ..Past::default()
    }
}

#[test]
fn each_call_has_its_result_before_the_next_picture() {
    let history = vec![
        past(1, &["a"], vec![result(Standing::Done, "")]),
        past(
            2,
            &["b", "c", "d"],
            vec![
                result(Standing::Done, ""),
                result(Standing::Failed, "the window is gone"),
                result(Standing::NotExecuted, ""),
            ],
        ),
        past(3, &["e"], vec![result(Standing::Unknown, "")]),
    ];
    let drawn = drawn(&messages(&prompt(history, "look", vec![picture(4)]), Manner::PLAIN));
    let expected = [
        "U p1",
        "A \"turn 1\", call a",
        "U a=\"done\", p2",
        "A \"turn 2\", call b, call c, call d",
        "U b=\"done\", !c=\"the window is gone\", !d=\"not executed, because something before it failed\", p3",
        "A \"turn 3\", call e",
        "U !e=\"the run was interrupted here: it may or may not have happened; look before you repeat it\", \"look\", p4",
    ];
    assert_eq!(drawn, expected);
}

#[test]
fn without_a_past_there_is_what_is_told_and_what_is_seen() {
    assert_eq!(drawn(&messages(&prompt(vec![], "", vec![picture(1)]), Manner::PLAIN)), ["U p1"]);
    let both = prompt(vec![], "so", vec![picture(1), picture(2)]);
    assert_eq!(drawn(&messages(&both, INSIDE)), ["U \"so\", p1, p2"]);
}

#[test]
fn a_turn_reads_the_same_when_others_follow_it() {
    for screen in [Manner::PLAIN, INSIDE] {
        let one = past(1, &["a"], vec![result(Standing::Done, "")]);
        let short = messages(&prompt(vec![one.clone()], "look", vec![picture(2)]), screen);
        let two = Past { told: "look".into(), ..past(2, &["b"], vec![result(Standing::Failed, "no")]) };
        let long = messages(&prompt(vec![one, two], "again", vec![picture(3)]), screen);
        assert_eq!(drawn(&long)[..short.len()], drawn(&short)[..]);
    }
}

#[test]
fn the_screen_can_stand_in_the_last_result_that_has_room() {
    let zoomed = CallResult { shown: Some(picture(8)), ..CallResult::default() };
    let history = |last: CallResult| vec![past(1, &["a", "b"], vec![result(Standing::Done, ""), last])];
    let user = |last| drawn(&messages(&prompt(history(last), "", vec![picture(2)]), INSIDE))[2].clone();
    assert_eq!(user(result(Standing::Done, "")), "U a=\"done\", b=\"done\" p2");
    assert_eq!(user(result(Standing::Failed, "no")), "U a=\"done\" p2, !b=\"no\"");
    assert_eq!(user(zoomed), "U a=\"done\" p2, b=\"\" p8");
    let failed = vec![past(1, &["a"], vec![result(Standing::Failed, "no")])];
    assert_eq!(drawn(&messages(&prompt(failed, "", vec![picture(2)]), INSIDE))[2], "U !a=\"no\", p2");
}

#[test]
fn a_picture_that_gave_way_is_said_so_in_the_part_before_it() {
    let gone = |past: Past| Past { seen: None, ..past };
    let history = vec![
        gone(past(1, &["a"], vec![result(Standing::Done, "")])),
        gone(past(2, &["b"], vec![result(Standing::Done, "")])),
        Past { told: "note".into(), ..gone(past(3, &["c"], vec![result(Standing::Done, "")])) },
    ];
    let drawn = drawn(&messages(&prompt(history, "", vec![picture(4)]), Manner::PLAIN));
    let words = "(The picture of the screen here was left out.)";
    assert_eq!(drawn[0], format!("U {words:?}"));
    assert_eq!(drawn[2], format!("U a=\"done {words}\""));
    assert_eq!(drawn[4], format!("U b=\"done\", \"note {words}\""));
    assert_eq!(drawn[6], "U c=\"done\", p4");
}

#[test]
fn a_plan_that_was_text_is_answered_in_text() {
    let text = |result| past(1, &[], vec![result]);
    let user =
        |result| drawn(&messages(&prompt(vec![text(result)], "", vec![picture(2)]), INSIDE))[2].clone();
    assert_eq!(user(result(Standing::Done, "")), "U p2");
    assert_eq!(user(result(Standing::Failed, "the point is outside")), "U \"the point is outside\", p2");
}
