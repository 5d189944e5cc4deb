use crate::dialect::{DIALECTS, DialectEntry, build};
use handsight_base::flow::past::{CallResult, Past, Standing};
use handsight_base::flow::prompt::{Fragment, Picture, Prompt, Provenance, Sampling, Slot};
use handsight_base::port::model::{Message, Part, Role};
use handsight_base::space::{FrameGeometry, FrameId, FrameRect, PictureGeometry, ScreenPx, Size};
use std::time::Duration;

/// The grammars among the dialects: those that cannot call the profile's tools.
fn grammars() -> impl Iterator<Item = &'static DialectEntry> {
    DIALECTS.iter().filter(|d| d.info.cannot.contains(&super::NO_TOOLS))
}

fn picture(size: Size) -> Picture {
    let pane = FrameRect::new(0, 0, 1920, 1080);
    Picture {
        bytes: b"png"[..].into(),
        media_type: "image/png",
        geometry: PictureGeometry { frame: FrameId(2), pane, size },
    }
}

fn prompt(history: Vec<Past>, size: Size) -> Prompt {
    Prompt {
        fragments: vec![
            Fragment::new("role", Slot::System, Provenance::User, "You work this computer.", 100),
            Fragment::new("screen", Slot::User, Provenance::Screen, "A screen.", 100),
        ],
        pictures: vec![picture(size)],
        tools: Vec::new(),
        sampling: Sampling::default(),
        history,
        frame: FrameGeometry {
            frame: FrameId(2),
            size: Size::new(1920, 1080),
            origin: ScreenPx::new(0, 0),
            scale: 1.0,
        },
        captured_at: Duration::ZERO,
    }
}

fn text_of(message: &Message) -> String {
    let of = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Picture(_) => "PICTURE".into(),
        Part::Call(_) | Part::Result { .. } => "CALL".into(),
    };
    message.parts.iter().map(of).collect::<Vec<_>>().join("|")
}

#[test]
fn each_is_told_in_the_words_it_was_trained_on() {
    let tokens = [
        ("ui-tars-1", "left_double(start_box='<|box_start|>(x1,y1)<|box_end|>')"),
        ("ui-tars-1.5", "drag(start_box='(x1,y1)', end_box='(x2,y2)')"),
        ("ui-tars-2", "<seed:tool_call><function=example_function>"),
        ("qwen2.5-computer", "\"triple_click\""),
        ("qwen3-computer", "The screen's resolution is 1000x1000."),
        ("qwen3.5-computer", "<function=function_name>"),
        ("qwen2.5-mobile", "\"coordinate2\""),
        ("qwen3-mobile", "\"name\":\"mobile_use\""),
        ("fara", "\"pause_and_memorize_fact\""),
        ("opencua", "computer.terminate(status=\"success\")"),
        ("glm-4.5v", "<|begin_of_box|>"),
        ("autoglm", "do(action=\"Double Tap\", element=[x,y])"),
        ("holo-1", "\"write_element_abs\""),
        ("holo-1.5", "\"click_element\""),
        ("holo-2", "from 0 to 1000"),
        ("lux", "<|action_start|>"),
        ("osworld", "HOTKEY"),
    ];
    assert_eq!(grammars().map(|d| d.info.name).collect::<Vec<_>>(), tokens.map(|(name, _)| name));
    for (name, token) in tokens {
        let words = build(name, &[]).unwrap().unwrap().words().unwrap();
        assert!(words.contains(token), "{name}: {words}");
        assert!(words.len() < 8_000, "{name}: {} bytes", words.len());
    }
}

/// A picture in the size that is asked for is left alone by the processor, on every screen.
#[test]
fn pictures_are_made_as_the_processor_wants_them() {
    for entry in grammars() {
        let dialect = build(entry.info.name, &[]).unwrap().unwrap();
        for screen in
            [Size::new(1920, 1080), Size::new(1366, 768), Size::new(1080, 2400), Size::new(640, 480)]
        {
            let size = dialect.picture_size(screen, Size::new(1536, 864));
            if let (Some(resize), Some(size)) = (entry.points.unwrap().resize, size) {
                assert_eq!(resize.of(size), Some(size), "{}", entry.info.name);
            }
        }
    }
    let uitars = build("ui-tars-1.5", &[]).unwrap().unwrap();
    let full = Size::new(1920, 1080);
    assert_eq!(uitars.picture_size(full, full), Some(Size::new(1932, 1092)));
    assert_eq!(build("lux", &[]).unwrap().unwrap().picture_size(full, full), None);
}

#[test]
fn a_model_that_counts_pixels_is_told_how_many_there_are() {
    for (name, size, told) in [
        ("qwen2.5-computer", Size::new(1288, 728), Some("1288x728")),
        // One that the processor resizes.
        ("qwen2.5-computer", Size::new(1280, 720), Some("1288x728")),
        ("osworld", Size::new(1280, 720), Some("1280x720")),
        ("lux", Size::new(1280, 720), None),
    ] {
        let request = build(name, &[]).unwrap().unwrap().encode(&prompt(Vec::new(), size));
        let said = told.map(|t| format!("\n\nThe screen's resolution is {t}.")).unwrap_or_default();
        assert_eq!(request.system, format!("You work this computer.{said}"), "{name}");
        assert!(request.tools.is_empty());
    }
}

#[test]
fn a_conversation_is_written_as_the_model_saw_them() {
    let past = |text: &str, result| Past {
        told: "Begin.".into(),
        seen: Some(picture(Size::new(1280, 720))),
        text: text.into(),
        results: vec![result],
        ..Past::default()
    };
    let failed =
        CallResult { standing: Standing::Failed, text: "no such key".into(), ..CallResult::default() };
    let history = || vec![past("one", CallResult::default()), past("two", failed.clone())];
    let messages = |name: &str| {
        let request = build(name, &[]).unwrap().unwrap().encode(&prompt(history(), Size::new(1280, 720)));
        let roles = [Role::User, Role::Assistant, Role::User, Role::Assistant, Role::User];
        assert_eq!(request.messages.iter().map(|m| m.role).collect::<Vec<_>>(), roles);
        request.messages.iter().map(text_of).collect::<Vec<_>>()
    };
    assert_eq!(
        messages("lux"),
        ["Begin.|PICTURE", "one", "Begin.|PICTURE", "two", "no such key|A screen.|PICTURE"]
    );
    assert_eq!(
        messages("qwen3-computer"),
        [
            "Begin.|PICTURE",
            "one",
            "<tool_response>|Begin.|PICTURE|</tool_response>",
            "two",
            "<tool_response>|no such key|A screen.|PICTURE|</tool_response>",
        ]
    );
}
