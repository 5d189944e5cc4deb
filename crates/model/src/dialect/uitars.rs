//! UI-TARS: `Thought: ...` and `Action: click(start_box='(x,y)')`, several actions with an empty line between them.
//!
//! Three versions over one reader. 1.0 counts 0 to 1000 and marks points with box tokens; 1.5 counts the pixels of the picture that
//! its processor makes; 2 (and Doubao's hosted 1.5) counts 0 to 1000 and writes `<point>x y</point>`, as a call in the text, as
//! `<seed:tool_call>` with functions in it, as JSON, or as a function call of its service. Each version reads all forms, as the
//! vendor's chain of parsers does, in its own space.
//!
//! Sources: bytedance/UI-TARS `codes/ui_tars/{action_parser,prompt}.py` (2025-09); bytedance/UI-TARS-desktop
//! `multimodal/gui-agent/{action-parser,shared}/src`, `agent-sdk/src/{prompts,defaultImpls}.ts`,
//! `operator-nutjs/src/NutJSOperator.ts`, `multimodal/omni-tars/core/src/environments/prompt_t5.ts` (2026-02); trycua/cua
//! `cua_agent/loops/uitars2.py` (2026-08).
//!
//! Stricter than they are: the vendor takes the first thing in a text that looks like a call; here a call acts only in its place
//! (after `Action:` at the beginning of a line, in its element, or as the whole reply). Several `Action:` lines are refused, where
//! the vendor takes the last. Of their name table all names are known.

mod forms;
mod verbs;

use super::grammar::{Grammar, IN_TEXT, NO_TOOLS};
use super::point::{Order, Points};
use super::reject::Fits;
use super::resize::Resize;
use super::steps::Steps;
use super::{DialectEntry, finish, nous, thoughts};
use handsight_base::port::dialect::{BatchRule, DialectInfo, PointSpace};
use handsight_base::port::model::ModelReply;
use handsight_base::space::Rounding;
use std::fmt::Write as _;

pub(super) const V1: DialectEntry = FIRST.entry(|tools, _| FIRST.boxed(tools));
pub(super) const V1_5: DialectEntry = ONE_AND_A_HALF.entry(|tools, _| ONE_AND_A_HALF.boxed(tools));
pub(super) const V2: DialectEntry = SECOND.entry(|tools, _| SECOND.boxed(tools));

/// The vendor maps by `v / 1000 * size`.
const THOUSAND: Points = Points {
    space: PointSpace::Norm1000,
    order: Order::Xy,
    rounding: Rounding::FloorOfCount,
    top: 1000.0,
    fractions: true,
    resize: None,
};

/// `IMAGE_FACTOR`, `MIN_PIXELS`, `MAX_PIXELS` of `action_parser.py`.
const SMART: Resize = Resize::Smart { factor: 28, min_pixels: 100 * 28 * 28, max_pixels: 16_384 * 28 * 28 };

const INFO: DialectInfo = DialectInfo {
    name: "ui-tars-1",
    about: "UI-TARS 1.0: Thought and Action lines, points from 0 to 1000",
    space: Some(PointSpace::Norm1000),
    rounding: Rounding::FloorOfCount,
    batch: BatchRule::InOrder,
    wires: &[],
    results: IN_TEXT,
    cannot: &[
        NO_TOOLS,
        "a triple click",
        "how far to scroll",
        "a key held from one reply to the next",
        "where the pointer is",
    ],
};

static FIRST: Grammar = Grammar {
    info: INFO,
    points: THOUSAND,
    pictures: None,
    around: None,
    how: "Write:\nThought: why\nAction: click(start_box='<|box_start|>(x,y)<|box_end|>')",
    words: |_| {
        words(
            "start_box='<|box_start|>(x1,y1)<|box_end|>'",
            "start_box='<|box_start|>(x1,y1)<|box_end|>', end_box='<|box_start|>(x2,y2)<|box_end|>'",
            "x and y go from 0 to 1000",
        )
    },
    read,
};

static ONE_AND_A_HALF: Grammar = Grammar {
    info: DialectInfo {
        name: "ui-tars-1.5",
        about: "UI-TARS 1.5: Thought and Action lines, points in pixels of the picture",
        space: Some(PointSpace::Picture),
        ..INFO
    },
    points: Points { space: PointSpace::Picture, resize: Some(SMART), ..THOUSAND },
    pictures: Some(SMART),
    around: None,
    how: "Write:\nThought: why\nAction: click(start_box='(x,y)')",
    words: |_| {
        words(
            "start_box='(x1,y1)'",
            "start_box='(x1,y1)', end_box='(x2,y2)'",
            "x and y are pixels of the picture",
        )
    },
    read,
};

static SECOND: Grammar = Grammar {
    info: DialectInfo {
        name: "ui-tars-2",
        about: "UI-TARS 2 and Doubao 1.5 UI-TARS: functions in <seed:tool_call>, points from 0 to 1000",
        ..INFO
    },
    points: THOUSAND,
    pictures: None,
    around: None,
    how: "Write: <seed:tool_call><function=click><parameter=point><point>x y</point></parameter></function></seed:tool_call>",
    words: |_| function_words(),
    read,
};

fn read(_: &Grammar, reply: &ModelReply, steps: &mut Steps<'_>) -> Fits<String> {
    if !reply.calls.is_empty() {
        finish::usable(reply)?;
        for (n, block) in nous::native(&reply.calls)?.into_iter().enumerate() {
            steps.of_call(n);
            verbs::take(&block.name, block.arguments, steps).map_err(|m| m.of_call(n))?;
        }
        return Ok(thoughts::split(&reply.text)
            .map_or_else(|_| String::new(), |(thought, rest)| thoughts::joined([thought.as_str(), rest])));
    }
    let forms::Said { reason, calls, note } = forms::read(finish::text(reply)?)?;
    for call in calls {
        verbs::take(&call.name, call.arguments, steps)?;
    }
    if let Some(note) = note {
        steps.note(note);
    }
    Ok(reason)
}

/// The action space as text, in the order the model was trained on.
fn words(point: &str, drag: &str, space: &str) -> String {
    format!(
        "## Output Format\n```\nThought: ...\nAction: ...\n```\n\n## Action Space\n\
         click({point})\n\
         left_double({point})\n\
         right_single({point})\n\
         drag({drag})\n\
         hotkey(key='ctrl c') # lower case, a space between keys, three keys at most\n\
         type(content='xxx') # escape \\', \\\" and \\n; end it with \\n to press Enter\n\
         scroll({point}, direction='down or up or right or left')\n\
         wait() # five seconds\n\
         call_user() # when only the person can go on\n\
         finished(content='xxx') # when the task is done\n\n\
         ## Note\n- In `Thought`, plan in a few words, then say what you do next and on which element.\n\
         - {space}, counted from the top left corner.\n\
         - Several actions that need no new picture may follow each other with an empty line between them."
    )
}

type Parameters = &'static [(&'static str, &'static str)];

/// The functions of version 2: name, what it does, parameters (with `?` where they may be left out).
const FUNCTIONS: &[(&str, &str, Parameters)] = &[
    ("click", "One click of the left button.", &[("point", POINT)]),
    ("left_double", "A double click.", &[("point", POINT)]),
    ("right_single", "A click of the right button.", &[("point", POINT)]),
    ("drag", "Drags with the left button.", &[("start_point", POINT), ("end_point", POINT)]),
    ("scroll", "Turns the wheel.", &[("point?", POINT), ("direction", "up, down, left or right")]),
    ("move_to", "Moves the pointer.", &[("point", POINT)]),
    ("mouse_down", "Presses a button and keeps it down.", &[("point?", POINT), ("button?", "left or right")]),
    ("mouse_up", "Lets the button go.", &[("point?", POINT), ("button?", "left or right")]),
    ("hotkey", "Presses keys together.", &[("key", "lower case, a space between keys")]),
    ("press", "Presses a key down, to be let go in the same reply.", &[("key", "one key")]),
    ("release", "Lets a key go.", &[("key", "one key")]),
    ("type", "Types text.", &[("content", "the text; end it with \\n to press Enter")]),
    ("wait", "Waits.", &[("time?", "seconds")]),
    ("take_screenshot", "Looks again.", &[]),
    ("call_user", "Asks the person.", &[("content?", "the question")]),
    ("finished", "Ends the task.", &[("content?", "the answer or a report")]),
];

const POINT: &str = "<point>x y</point>, x and y from 0 to 1000";

fn function_words() -> String {
    let mut text =
        String::from("## Function Definition\n\n- You have access to the following functions:\n\n");
    for (name, about, parameters) in FUNCTIONS {
        let mut properties = serde_json::Map::new();
        let mut required = Vec::new();
        for (key, about) in *parameters {
            let plain = key.trim_end_matches('?');
            properties.insert(plain.to_owned(), serde_json::json!({"type": "string", "description": about}));
            if plain == *key {
                required.push(plain);
            }
        }
        let function = serde_json::json!({
            "type": "function",
            "name": name,
            "parameters": {"type": "object", "properties": properties, "required": required},
            "description": about,
        });
        let _ = writeln!(text, "{function}");
    }
    text.push_str(
        "\n- To call a function, write nothing after this structure:\n\n\
         <gui_think> your reasoning </gui_think>\n\
         <seed:tool_call><function=example_function><parameter=example_parameter>value</parameter></function></seed:tool_call>\n\n\
         - A function begins with <function= and ends with </function>; give every parameter that is required.\n\
         - Several functions may stand in one tool call, if the later ones need no new picture.",
    );
    text
}
