//! Anthropic's computer: three versions of one tool, and the toolset that follows them.
//!
//! Sources: anthropic-sdk-python 0.121.0 (2026-08-07) `types/beta/beta_tool_computer_use_*_param.py`, its later
//! `beta_computer_*_input.py` and `computer-toolset.md` (September 2026); anthropics/claude-quickstarts `computer-use-demo`
//! (2026-07-15); the public pages "Computer use tool", "Tool reference: client toolsets" and "Vision" as of September 2026.
//!
//! | | 20241022 | 20250124 | 20251124 | toolset 20260801 |
//! |---|---|---|---|---|
//! | beta header | `computer-use-2024-10-22` | `-2025-01-24` | `-2025-11-24` | none |
//! | a call | `computer{action, ...}` | same | same | the action's own name, `toolset_name: "computer"` |
//! | clicks | where the pointer is | `coordinate`, modifiers in `text` or `key` | same | `coordinate`, modifiers in `text` |
//! | times | - | 0 to 100 s | same | 0 to 300 s |
//!
//! Coordinates are whole pixels of the picture as sent. The older tools say its size in the request; the toolset takes none. A
//! picture that the service would shrink is not sent (see [`OLD`] and [`NEW`]): the points would be of another one. Nothing is
//! clamped, as the toolset's page demands. In a batch the calls after a failure get exactly [`HALTED`].
//!
//! Two readings of the sources: the page holds modifiers in `text` where the demo reads `key`, so either is taken; the first
//! version's demo wants `start_coordinate` for a drag where its page has none, so without one the drag begins at the pointer.

use super::DialectEntry;
use super::fields::Fields;
use super::hands::{self, DIRECTIONS, NOTCHES, act};
use super::native::{Grammar, Meaning, Native, Shows, object, typed};
use super::point::{Points, numbers};
use super::reject::{Fits, Misfit, listed, short};
use super::resize::Resize;
use handsight_base::flow::action::{Action, Button, ScrollBy, Spot};
use handsight_base::flow::intent::{Intent, Look};
use handsight_base::flow::prompt::NativeTool;
use handsight_base::key::Modifiers;
use handsight_base::port::dialect::{BatchRule, DialectInfo, PointSpace};
use handsight_base::port::model::{RawTurn, ToolCall};
use handsight_base::space::{PictureGeometry, Rounding, Size};
use serde_json::{Value, json};

pub(super) const COMPUTER_20241022: DialectEntry = DialectEntry {
    info: info(
        "anthropic-computer-20241022",
        "Anthropic's computer_20241022: ten actions, clicks where the pointer is",
        &[
            "clicks at a place of their own",
            "clicks with modifiers",
            "triple clicks",
            "scrolling",
            "holding a key or a button",
            "waiting",
            "zooming",
            "pasting, launching and focusing windows",
        ],
    ),
    points: Some(Points::PIXELS),
    build: |tools, _| Native::boxed(Computer { version: Version::V20241022 }, tools),
};

pub(super) const COMPUTER_20250124: DialectEntry = DialectEntry {
    info: info("anthropic-computer-20250124", "Anthropic's computer_20250124: sixteen actions", SINCE_2025),
    points: Some(Points::PIXELS),
    build: |tools, _| Native::boxed(Computer { version: Version::V20250124 }, tools),
};

pub(super) const COMPUTER_20251124: DialectEntry = DialectEntry {
    info: info("anthropic-computer-20251124", "Anthropic's computer_20251124: the same and zoom", SINCE_2025),
    points: Some(Points::PIXELS),
    build: |tools, _| Native::boxed(Computer { version: Version::V20251124 }, tools),
};

pub(super) const TOOLSET_20260801: DialectEntry = DialectEntry {
    info: info(
        "anthropic-toolset-20260801",
        "Anthropic's computer_toolset_20260801: seventeen tools, batches of them",
        &[
            "the back and forward buttons",
            "holding any button but the left one",
            "drags along more than two points",
            "moves with modifiers",
            "pasting, launching and focusing windows",
        ],
    ),
    points: Some(Points::PIXELS),
    build: |tools, _| Native::boxed(Computer { version: Version::Toolset }, tools),
};

const SINCE_2025: &[&str] = &[
    "the back and forward buttons",
    "holding any button but the left one",
    "drags with modifiers or along more than two points",
    "pressing a key several times in one call",
    "pasting, launching and focusing windows",
];

const fn info(name: &'static str, about: &'static str, cannot: &'static [&'static str]) -> DialectInfo {
    DialectInfo {
        name,
        about,
        space: Some(PointSpace::Picture),
        rounding: Rounding::FloorOfCount,
        batch: BatchRule::InOrder,
        wires: &["messages"],
        results: "each call's own; the screen after the turn in the last that is no error",
        cannot,
    }
}

/// What a call after a failed one is told, to the letter ("Batch actions").
pub(super) const HALTED: &str = "Not executed: an earlier computer action in this turn failed.";

/// Its longest side and how many squares cover it: what models before Opus 4.7 take without shrinking it ("Vision").
const OLD: Resize = Resize::Within { edge: 1568, tile: 28, tiles: 1568 };

/// Later models take 2576 on the long edge; but once a request holds more than twenty pictures none may be longer than 2000, and a
/// conversation gets there.
const NEW: Resize = Resize::Within { edge: 2000, tile: 28, tiles: 4784 };

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Version {
    V20241022,
    V20250124,
    V20251124,
    Toolset,
}

use Version::{Toolset, V20241022, V20250124, V20251124};

/// Every action and the version that brought it.
const ACTIONS: [(&str, Version); 17] = [
    ("key", V20241022),
    ("type", V20241022),
    ("mouse_move", V20241022),
    ("left_click", V20241022),
    ("left_click_drag", V20241022),
    ("right_click", V20241022),
    ("middle_click", V20241022),
    ("double_click", V20241022),
    ("screenshot", V20241022),
    ("cursor_position", V20241022),
    ("left_mouse_down", V20250124),
    ("left_mouse_up", V20250124),
    ("scroll", V20250124),
    ("hold_key", V20250124),
    ("wait", V20250124),
    ("triple_click", V20250124),
    ("zoom", V20251124),
];

/// The tool's name, and the toolset's.
const COMPUTER: &str = "computer";

struct Computer {
    version: Version,
}

impl Grammar for Computer {
    fn info(&self) -> DialectInfo {
        match self.version {
            V20241022 => COMPUTER_20241022.info,
            V20250124 => COMPUTER_20250124.info,
            V20251124 => COMPUTER_20251124.info,
            Toolset => TOOLSET_20260801.info,
        }
    }

    fn tool(&self, picture: Size) -> NativeTool {
        let of = |kind: &str| {
            let (width, height) = (picture.width, picture.height);
            json!({"type": kind, "name": COMPUTER, "display_width_px": width, "display_height_px": height})
        };
        let (json, headers): (Value, &'static [(&'static str, &'static str)]) = match self.version {
            V20241022 => (of("computer_20241022"), &[("anthropic-beta", "computer-use-2024-10-22")]),
            V20250124 => (of("computer_20250124"), &[("anthropic-beta", "computer-use-2025-01-24")]),
            V20251124 => {
                let mut json = of("computer_20251124");
                json["enable_zoom"] = true.into();
                (json, &[("anthropic-beta", "computer-use-2025-11-24")])
            }
            Toolset => (json!({"type": "computer_toolset_20260801"}), &[]),
        };
        NativeTool { wire: "messages", json, headers }
    }

    fn takes(&self, name: &str) -> bool {
        let action = self.version == Toolset && ACTIONS.iter().any(|(action, _)| *action == name);
        action || name == COMPUTER
    }

    /// A call of the toolset says so itself; where the turn is not there as it came, its name says it.
    fn owns(&self, call: &ToolCall, turn: Option<&RawTurn>) -> bool {
        let blocks = turn.and_then(|t| t.json.as_array()).filter(|_| self.version == Toolset);
        let block = blocks.and_then(|b| b.iter().find(|b| b["id"] == call.id.as_str()));
        match block {
            Some(block) => block["toolset_name"] == COMPUTER,
            None => self.takes(&call.name),
        }
    }

    fn read(&self, call: &ToolCall, picture: &PictureGeometry) -> Fits<Meaning> {
        let mut given = object(call)?;
        let name = match self.version {
            Toolset => call.name.clone(),
            V20241022 | V20250124 | V20251124 => match given.shift_remove("action") {
                Some(Value::String(action)) => action,
                Some(_) => return Err(Misfit::wrong_type("computer: `action` is no text")),
                None => return Err(Misfit::missing("computer: the field `action` is missing")),
            },
        };
        if !ACTIONS.iter().any(|(action, since)| *action == name && *since <= self.version) {
            return Err(Misfit::unknown(format!("there is no action `{}`", short(&name))));
        }
        let mut reading = Reading { version: self.version, f: Fields::new(name.as_str(), given), picture };
        let intents = reading.intents(&name)?;
        reading.f.end()?;
        Ok(intents.into())
    }

    fn how(&self) -> String {
        let actions = ACTIONS.iter().filter(|(_, since)| *since <= self.version).map(|(name, _)| *name);
        format!("The computer has the actions {}, as its definition says.", listed(actions))
    }

    fn picture_size(&self, screen: Size, within: Size) -> Option<Size> {
        // The last of the older tools serves models of both limits.
        let rule = if self.version == Toolset { NEW } else { OLD };
        rule.picture(screen, within)
    }

    fn shows(&self) -> Shows {
        Shows::Last
    }

    fn halted(&self) -> Option<&'static str> {
        Some(HALTED)
    }
}

/// One call as it is read.
struct Reading<'a> {
    version: Version,
    f: Fields,
    picture: &'a PictureGeometry,
}

impl Reading<'_> {
    fn intents(&mut self, name: &str) -> Fits<Vec<Intent>> {
        let action = match name {
            "key" => self.key()?,
            "hold_key" => {
                let (text, millis) = (self.f.text("text")?, self.duration()?);
                Action::HoldKey { chord: hands::chord(&text).map_err(|m| self.f.fault(m))?, millis }
            }
            "type" => {
                let text = self.f.text("text")?;
                typed(text).map_err(|m| self.f.fault(m))?
            }
            "mouse_move" => Action::Move { to: self.point("coordinate")? },
            "left_mouse_down" => Action::Down { at: None, button: Button::Left },
            "left_mouse_up" => Action::Up { at: None, button: Button::Left },
            "left_click" => self.click(Button::Left, 1)?,
            "right_click" => self.click(Button::Right, 1)?,
            "middle_click" => self.click(Button::Middle, 1)?,
            "double_click" => self.click(Button::Left, 2)?,
            "triple_click" => self.click(Button::Left, 3)?,
            "left_click_drag" => return self.drag(),
            "scroll" => self.scroll()?,
            "wait" => Action::Wait { millis: self.duration()? },
            "cursor_position" => return Ok(vec![Intent::Look(Look::CursorPosition)]),
            "zoom" => {
                let region = self.f.need("region")?;
                let area = numbers(&region).and_then(|corners| Points::PIXELS.area(corners, self.picture));
                let area = area.map_err(|m| self.f.fault(m))?;
                return Ok(vec![Intent::Look(Look::Zoom { area })]);
            }
            // The last of them.
            _ => return Ok(vec![Intent::Look(Look::Screenshot)]),
        };
        Ok(vec![act(action)])
    }

    fn key(&mut self) -> Fits<Action> {
        let text = self.f.text("text")?;
        let chord = hands::chord(&text).map_err(|m| self.f.fault(m))?;
        let repeat = if self.version == Toolset { self.f.opt_whole("repeat", 1, 100)? } else { None };
        Ok(Action::Key { chord, repeat: repeat.map_or(1, |n| n as u16) })
    }

    fn click(&mut self, button: Button, count: u8) -> Fits<Action> {
        if self.version == V20241022 {
            return Ok(hands::click(None, button, count));
        }
        let at = self.opt_point("coordinate")?;
        Ok(Action::Click { at, button, count, modifiers: self.modifiers()? })
    }

    fn drag(&mut self) -> Fits<Vec<Intent>> {
        let to = self.point("coordinate")?;
        let from = match self.version {
            Toolset => Some(self.point("start_coordinate")?),
            V20241022 | V20250124 | V20251124 => self.opt_point("start_coordinate")?,
        };
        let Some(from) = from else {
            let button = Button::Left;
            let parts =
                [Action::Down { at: None, button }, Action::Move { to }, Action::Up { at: None, button }];
            return Ok(parts.into_iter().map(act).collect());
        };
        let modifiers = if self.version == Toolset { self.modifiers()? } else { Modifiers::NONE };
        Ok(vec![act(Action::Drag { path: vec![from, to], button: Button::Left, modifiers })])
    }

    fn scroll(&mut self) -> Fits<Action> {
        let (x, y) = self.f.word("scroll_direction", DIRECTIONS)?;
        let amount = self.f.whole("scroll_amount", 0, NOTCHES)? as i32;
        let at = self.opt_point("coordinate")?;
        let by = ScrollBy::Notches { dx: x * amount, dy: y * amount };
        Ok(Action::Scroll { at, by, modifiers: self.modifiers()? })
    }

    fn modifiers(&mut self) -> Fits<Modifiers> {
        let names: &[&str] = if self.version == Toolset { &["text"] } else { &["text", "key"] };
        match self.f.any(names)? {
            None => Ok(Modifiers::NONE),
            Some(Value::String(text)) => hands::modifiers(&text).map_err(|m| self.f.fault(m)),
            Some(_) => Err(self.f.fault(Misfit::wrong_type("the keys to hold are no text"))),
        }
    }

    fn duration(&mut self) -> Fits<u64> {
        let most = if self.version == Toolset { hands::LONGEST_S } else { 100.0 };
        let seconds = self.f.number("duration")?;
        hands::millis(seconds, most).map_err(|m| self.f.fault(m))
    }

    fn point(&mut self, name: &'static str) -> Fits<Spot> {
        let value = self.f.need(name)?;
        self.spot(&value)
    }

    fn opt_point(&mut self, name: &'static str) -> Fits<Option<Spot>> {
        self.f.opt(name).map(|value| self.spot(&value)).transpose()
    }

    fn spot(&self, value: &Value) -> Fits<Spot> {
        Points::PIXELS.of_value(value, self.picture).map_err(|m| self.f.fault(m))
    }
}
