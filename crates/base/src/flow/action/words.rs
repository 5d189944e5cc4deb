//! An action in a line, for a person who has to say yes or no to it: everything that matters, and nothing of how it is stored.

use super::{Action, Button, ScrollBy, Spot};
use crate::key::{Chord, Modifiers};

impl Action {
    /// `click left twice with ctrl at (512, 40)`, `key ctrl+w`, `launch ["xterm"]`. `place` tells a place in the space that the reader
    /// knows.
    pub fn words(&self, place: impl Fn(&Spot) -> String) -> String {
        let at =
            |at: &Option<Spot>| at.as_ref().map_or_else(String::new, |spot| format!(" at {}", place(spot)));
        match self {
            Self::Click { at: spot, button, count, modifiers } => {
                let times = times(u32::from(*count));
                format!("click {}{times}{}{}", button.word(), with(*modifiers), at(spot))
            }
            Self::Move { to } => format!("move to {}", place(to)),
            Self::Down { at: spot, button } => format!("press {}{}", button.word(), at(spot)),
            Self::Up { at: spot, button } => format!("release {}{}", button.word(), at(spot)),
            Self::Drag { path, button, modifiers } => {
                let path = path.iter().map(&place).collect::<Vec<_>>().join(" to ");
                format!("drag {}{} from {path}", button.word(), with(*modifiers))
            }
            Self::Scroll { at: spot, by, modifiers } => {
                format!("scroll {}{}{}", by.words(), with(*modifiers), at(spot))
            }
            Self::Type { text, .. } => format!("type {text:?}"),
            Self::Paste { text } => format!("paste {text:?}"),
            Self::Key { chord, repeat } => format!("key {chord}{}", times(u32::from(*repeat))),
            Self::HoldKey { chord, millis } => format!("hold {chord} for {millis} ms"),
            Self::Wait { millis } => format!("wait {millis} ms"),
            Self::Launch { argv } => format!("launch {argv:?}"),
            Self::FocusWindow { query } => format!("focus {}", query.describe()),
        }
    }
}

impl Button {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Middle => "middle",
            Self::Right => "right",
            Self::Back => "back",
            Self::Forward => "forward",
        }
    }
}

impl ScrollBy {
    /// `2 notches down`, `30 pixels left and 5 up`.
    fn words(self) -> String {
        let (dx, dy, unit, units) = match self {
            Self::Notches { dx, dy } => (dx, dy, "notch", "notches"),
            Self::Units { dx, dy } => (dx, dy, "120th of a notch", "120ths of a notch"),
            Self::Pixels { dx, dy } => (dx, dy, "pixel", "pixels"),
        };
        let way = |by: i32, less: &'static str, more| {
            (by != 0).then_some((by.unsigned_abs(), if by < 0 { less } else { more }))
        };
        match (way(dx, "left", "right"), way(dy, "down", "up")) {
            (Some((x, aside)), Some((y, along))) => format!("{x} {units} {aside} and {y} {along}"),
            (Some((by, to)), None) | (None, Some((by, to))) => {
                format!("{by} {} {to}", if by == 1 { unit } else { units })
            }
            (None, None) => format!("0 {units}"),
        }
    }
}

fn times(times: u32) -> String {
    match times {
        1 => String::new(),
        2 => " twice".to_owned(),
        n => format!(" {n} times"),
    }
}

fn with(modifiers: Modifiers) -> String {
    let held = Chord(modifiers.keys().collect());
    if held.0.is_empty() { String::new() } else { format!(" with {held}") }
}

#[cfg(test)]
mod tests {
    use super::super::WindowQuery;
    use super::*;
    use crate::space::{At, FrameId, FramePx};

    #[test]
    fn every_action_is_a_line_that_says_all_of_it() {
        let spot = |x, y| At { point: FramePx::new(x, y), frame: FrameId(1) };
        let held = Modifiers { control: true, shift: true, ..Modifiers::NONE };
        let chord = |keys: &str| keys.parse().unwrap();
        let scroll = |by| Action::Scroll { at: None, by, modifiers: Modifiers::NONE };
        let click = |at, count, modifiers| Action::Click { at, button: Button::Left, count, modifiers };
        for (action, words) in [
            (click(Some(spot(5, 6)), 1, Modifiers::NONE), "click left at (5, 6)"),
            (click(None, 2, held), "click left twice with ctrl+shift"),
            (Action::Move { to: spot(1, 2) }, "move to (1, 2)"),
            (Action::Down { at: None, button: Button::Right }, "press right"),
            (Action::Up { at: Some(spot(3, 4)), button: Button::Middle }, "release middle at (3, 4)"),
            (
                Action::Drag { path: vec![spot(1, 1), spot(2, 2)], button: Button::Left, modifiers: held },
                "drag left with ctrl+shift from (1, 1) to (2, 2)",
            ),
            (scroll(ScrollBy::Notches { dx: 0, dy: -1 }), "scroll 1 notch down"),
            (scroll(ScrollBy::Pixels { dx: -30, dy: 5 }), "scroll 30 pixels left and 5 up"),
            (Action::typed("a \"b\"\n"), r#"type "a \"b\"\n""#),
            (Action::Paste { text: "x".into() }, "paste \"x\""),
            (Action::Key { chord: chord("ctrl+w"), repeat: 1 }, "key ctrl+w"),
            (Action::Key { chord: chord("down"), repeat: 3 }, "key down 3 times"),
            (Action::HoldKey { chord: chord("w"), millis: 500 }, "hold w for 500 ms"),
            (Action::Wait { millis: 20 }, "wait 20 ms"),
            (Action::Launch { argv: vec!["xterm".into(), "-e".into()] }, "launch [\"xterm\", \"-e\"]"),
        ] {
            assert_eq!(action.words(|spot| spot.point.to_string()), words);
        }
        let focus = Action::FocusWindow { query: WindowQuery::TitlePart("Note".into()) };
        assert!(focus.words(|_| String::new()).contains("Note"));
    }
}
