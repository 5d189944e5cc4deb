//! Replies that cannot be used, by the thousand, through the real loop: nothing is sent and nothing breaks (R9).

use crate::rig::{Rig, reply};
use handsight_agent::ending::Outcome;
use handsight_base::port::model::{ModelReply, ToolCall};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

struct Lots<'a>(&'a mut dyn FnMut() -> u64);

impl Lots<'_> {
    fn next(&mut self) -> u64 {
        (self.0)()
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[(self.next() % items.len() as u64) as usize]
    }
}

/// A reply that no reading can make usable, from numbers drawn by lot.
pub(crate) fn broken(next: &mut dyn FnMut() -> u64) -> ModelReply {
    let mut random = Lots(next);
    let good = random.of(&[
        ("click", r#"{"x":500,"y":500,"reason":"r"}"#),
        ("type", r#"{"text":"rm -rf /\n","reason":"r"}"#),
        ("scroll", r#"{"dy":120,"reason":"r"}"#),
        ("done", r#"{"reason":"finished"}"#),
    ]);
    let (name, arguments) = match random.next() % 12 {
        // Cut anywhere before its end.
        0 | 1 => (good.0, good.1[..(random.next() as usize) % good.1.len()].to_owned()),
        2 => (
            random.of(&["exec", "Click", "click ", "", "computer", "\u{0}", "klick", "observe2"]),
            good.1.to_owned(),
        ),
        3 => (good.0, random.of(&["null", "[]", "5", "\"x\"", "[{\"x\":1}]", "true", " "]).to_owned()),
        4 => (
            "click",
            format!(
                r#"{{"x":{},"y":5,"reason":"r"}}"#,
                random.of(&["\"5\"", "null", "[5]", "{}", "true", "1e999", "NaN", "-Infinity", "0x10"])
            ),
        ),
        5 => (
            "click",
            random
                .of(&[
                    r#"{"x":5,"reason":"r"}"#,
                    r#"{"y":5,"reason":"r"}"#,
                    r#"{"x":5,"y":5}"#,
                    r#"{"X":5,"Y":5,"reason":"r"}"#,
                ])
                .to_owned(),
        ),
        6 => (
            "type",
            random
                .of(&[
                    r#"{"text":5,"reason":"r"}"#,
                    r#"{"reason":"r"}"#,
                    r#"{"text":"a\u0000b","reason":"r"}"#,
                    r#"{"text":"\ud800","reason":"r"}"#,
                ])
                .to_owned(),
        ),
        7 => (
            "scroll",
            random
                .of(&[
                    r#"{"dy":"120","reason":"r"}"#,
                    r#"{"dy":1e300,"reason":"r"}"#,
                    r#"{"dy":120,"reason":7}"#,
                ])
                .to_owned(),
        ),
        8 => (good.0, format!("{}{}", "[".repeat(10_000), "]".repeat(10_000))),
        9 => (good.0, format!("{} {}", good.1, good.1)),
        10 => ("click", r#"{"x":1,"x":2,"y":3,"reason":"r"}"#.to_owned()),
        _ => (good.0, format!("\u{feff}<tool_call>{}", good.1)),
    };
    let call = ToolCall { id: "c".into(), name: name.into(), arguments };
    match random.next() % 8 {
        0 => ModelReply { text: format!("I will now call {name}({})", good.1), ..reply(Vec::new()) },
        1 => ModelReply {
            finish: Some("length".into()),
            ..reply(vec![ToolCall { arguments: good.1.into(), ..call }])
        },
        2 => {
            let twin = ToolCall { name: good.0.into(), arguments: good.1.into(), ..call.clone() };
            reply(vec![twin.clone(), twin])
        }
        // A usable call after an unusable one was meant for another screen.
        3 => reply(vec![call, ToolCall { id: "d".into(), name: good.0.into(), arguments: good.1.into() }]),
        _ => reply(vec![call]),
    }
}

#[test]
fn ten_thousand_broken_replies_move_nothing() {
    const REPLIES: u64 = 10_000;
    let mut rig = Rig::new(&[
        "decide.max_failures=1000000",
        "limits.max_turns=10000",
        "record.dump_screenshots=false",
        "context.picture_width=64",
        "context.picture_height=36",
    ]);
    let mut random = Random(20_240_315);
    let ending = rig.run(Box::new(move |_, _| Ok(broken(&mut || random.next()))));
    assert_eq!((ending.outcome, ending.turns), (Outcome::TurnLimit, REPLIES), "{}", ending.statement);
    assert_eq!(rig.asked().len() as u64, REPLIES);
    assert_eq!(rig.desktop.injected(), [], "an unusable reply moved the hands");
    assert_eq!(ending.actions, 0);
}

#[test]
fn the_same_loop_acts_on_a_usable_reply() {
    // The control: the generator's good calls do act when nothing is broken about them.
    let mut rig = Rig::new(&["limits.max_turns=3"]);
    rig.run(Box::new(|_, _| {
        crate::rig::call("click", serde_json::json!({"x": 500, "y": 500, "reason": "r"}))
    }));
    assert_eq!(rig.desktop.injected().len(), 9);
}
