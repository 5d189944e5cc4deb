//! Gemini's computer: the functions of the 2.5 preview (3-flash and 3.1-pro speak them too), and those of 3.5 and later.
//!
//! Sources: google-gemini/computer-use-preview (2026-06-24) `agent.py`; the public page "Computer use" for `generateContent` as of
//! autumn 2026. Points are whole numbers from 0 to 999, `pixel = int(v / 1000 * side)`, x and y by name. A scroll's `magnitude` is
//! in the same thousandths of the side, `magnitude_in_pixels` in pixels, and `magnitude_in_wheel_clicks`, which the desktop
//! environment was seen to send although no page names it, in notches.
//!
//! Where the sources differ: `press_enter` of `type_text_at` is true unless said otherwise (the page; the sample says false); the
//! newer `drag_and_drop` has `start_x..end_y` (the page) or `x..destination_y` (the sample), and either is taken.
//!
//! Only the older tool is a browser's. What a desktop cannot do is left out of the offer and refused if it is called all the same:
//! opening a browser, going to an address, searching. Back and forward are the keys that browsers have for them, a whole page's
//! scroll is Page Up or Page Down. A key that stays down has no action here and is refused with what to use instead.
//!
//! A call with a `safety_decision` is the wire's business: a person answers it, or nothing runs.

use super::DialectEntry;
use super::fields::Fields;
use super::hands::{self, DIRECTIONS, NOTCHES, PIXELS, act};
use super::native::{Grammar, Meaning, Native, Shows, object, typed};
use super::point::Points;
use super::reject::{Fits, Misfit, listed, short};
use handsight_base::flow::action::{Action, Button, ScrollBy, Spot};
use handsight_base::flow::intent::{Intent, Look};
use handsight_base::flow::prompt::NativeTool;
use handsight_base::key::{Chord, Key, Modifiers, Named};
use handsight_base::port::dialect::{BatchRule, DialectInfo, PointSpace};
use handsight_base::port::model::ToolCall;
use handsight_base::space::{PictureGeometry, Rounding, Size};
use serde_json::json;

pub(super) const COMPUTER_25: DialectEntry = DialectEntry {
    info: info(
        "gemini-computer-2.5",
        "Gemini's computer use of 2.5: a browser's functions",
        &[
            "double, triple, right and middle clicks",
            "clicks and scrolls with modifiers or where the pointer is",
            "typing without clicking first",
            "holding a button or a key",
            "waits of another length than five seconds",
            "zooming, asking for a screenshot or where the pointer is",
            "opening a browser, going to an address, searching",
            "pasting, launching and focusing windows",
        ],
    ),
    points: Some(POINTS),
    build: |tools, _| Native::boxed(Computer { browser: true }, tools),
};

pub(super) const COMPUTER_35: DialectEntry = DialectEntry {
    info: info(
        "gemini-computer-3.5",
        "Gemini's computer use of 3.5 and later: a desktop's functions",
        &[
            "clicks and scrolls with modifiers or where the pointer is",
            "the back and forward buttons",
            "drags along more than two points",
            "keys that stay down",
            "zooming and asking where the pointer is",
            "pasting, launching and focusing windows",
        ],
    ),
    points: Some(POINTS),
    build: |tools, _| Native::boxed(Computer { browser: false }, tools),
};

const fn info(name: &'static str, about: &'static str, cannot: &'static [&'static str]) -> DialectInfo {
    DialectInfo {
        name,
        about,
        space: Some(PointSpace::Norm1000),
        rounding: Rounding::FloorOfCount,
        batch: BatchRule::InOrder,
        wires: &["gemini"],
        results: "each call's own, with the screen after the turn",
        cannot,
    }
}

/// Whole numbers from 0 to 999.
const POINTS: Points =
    Points { rounding: Rounding::FloorOfCount, top: 999.0, fractions: false, ..Points::NORM1000 };

const FIVE_SECONDS: u64 = 5000;

/// Most seconds of a `wait`; the page names none.
const LONGEST_S: i64 = 300;

/// What a `scroll` is that says no magnitude, in pixels.
const SCROLL: i32 = 300;

/// What a `scroll_at` is that says no magnitude, in thousandths.
const SCROLL_AT: i64 = 800;

/// A browser's functions, as the older models know them.
const BROWSER: [&str; 10] = [
    "click_at",
    "hover_at",
    "type_text_at",
    "scroll_document",
    "scroll_at",
    "wait_5_seconds",
    "go_back",
    "go_forward",
    "key_combination",
    "drag_and_drop",
];

const DESKTOP: [&str; 15] = [
    "click",
    "double_click",
    "triple_click",
    "middle_click",
    "right_click",
    "mouse_down",
    "mouse_up",
    "move",
    "type",
    "drag_and_drop",
    "wait",
    "press_key",
    "hotkey",
    "take_screenshot",
    "scroll",
];

/// Predefined too, but left out of the offer: of the older tool, of the newer one, and what to do instead.
const WITHHELD: [(&str, bool, bool, &str); 9] = [
    ("open_web_browser", true, false, "open a browser by its icon or the start menu"),
    ("search", true, false, "click the address bar of a browser and type there"),
    ("navigate", true, false, "click the address bar of a browser and type there"),
    ("key_down", false, true, "press the whole combination with `hotkey`"),
    ("key_up", false, true, "press the whole combination with `hotkey`"),
    ("go_back", false, false, "press alt+left with `hotkey`"),
    ("go_forward", false, false, "press alt+right with `hotkey`"),
    ("open_app", false, false, "open it by its icon or the start menu"),
    ("long_press", false, false, "use `mouse_down`, `wait` and `mouse_up`"),
];

struct Computer {
    browser: bool,
}

impl Computer {
    fn functions(&self) -> &'static [&'static str] {
        if self.browser { &BROWSER } else { &DESKTOP }
    }

    fn withheld(&self) -> Vec<&'static str> {
        let of = |(name, old, new, _): &(&'static str, bool, bool, &str)| {
            (if self.browser { *old } else { *new }).then_some(*name)
        };
        WITHHELD.iter().filter_map(of).collect()
    }
}

impl Grammar for Computer {
    fn info(&self) -> DialectInfo {
        if self.browser { COMPUTER_25.info } else { COMPUTER_35.info }
    }

    fn tool(&self, _: Size) -> NativeTool {
        let environment = if self.browser { "ENVIRONMENT_BROWSER" } else { "ENVIRONMENT_DESKTOP" };
        let json = json!({"computerUse": {
            "environment": environment,
            "excludedPredefinedFunctions": self.withheld(),
        }});
        NativeTool { wire: "gemini", json, headers: &[] }
    }

    fn takes(&self, name: &str) -> bool {
        // Those of the other tool too: which of them a model knows is the model's business.
        let offered = BROWSER.contains(&name) || DESKTOP.contains(&name);
        offered || WITHHELD.iter().any(|(withheld, ..)| *withheld == name)
    }

    fn read(&self, call: &ToolCall, picture: &PictureGeometry) -> Fits<Meaning> {
        let name = call.name.as_str();
        if !self.functions().contains(&name) {
            let instead = WITHHELD.iter().find(|(n, ..)| *n == name).map_or("", |(.., instead)| instead);
            return Err(Misfit::unknown(format!("there is no `{}` here: {instead}", short(name))));
        }
        let mut f = Fields::new(name, object(call)?);
        let reason = if self.browser { None } else { f.opt_text("intent")? };
        let mut reading = Reading { f, picture };
        let actions = if self.browser { reading.browser(name)? } else { reading.desktop(name)? };
        reading.f.end()?;
        let mut intents: Vec<Intent> = actions.into_iter().map(act).collect();
        if name == "take_screenshot" {
            intents.push(Intent::Look(Look::Screenshot));
        }
        Ok(Meaning { intents, reason: reason.unwrap_or_default() })
    }

    fn how(&self) -> String {
        format!(
            "The computer has the functions {}, as they are defined.",
            listed(self.functions().iter().copied())
        )
    }

    fn shows(&self) -> Shows {
        Shows::Each
    }
}

/// One call as it is read.
struct Reading<'a> {
    f: Fields,
    picture: &'a PictureGeometry,
}

impl Reading<'_> {
    fn browser(&mut self, name: &str) -> Fits<Vec<Action>> {
        let action = match name {
            "click_at" => hands::click(Some(self.point("x", "y")?), Button::Left, 1),
            "hover_at" => Action::Move { to: self.point("x", "y")? },
            "type_text_at" => return self.type_text_at(),
            "scroll_document" => self.scroll_document()?,
            "scroll_at" => {
                let at = self.point("x", "y")?;
                let (x, y) = self.f.word("direction", DIRECTIONS)?;
                let share = self.f.opt_whole("magnitude", 0, 999)?.unwrap_or(SCROLL_AT);
                self.scroll_by(at, x, y, |side| share_of(share, side))
            }
            "wait_5_seconds" => Action::Wait { millis: FIVE_SECONDS },
            "go_back" => alt(Named::Left),
            "go_forward" => alt(Named::Right),
            "key_combination" => {
                let keys = self.f.text("keys")?;
                hands::key(hands::chord(&keys).map_err(|m| self.f.fault(m))?)
            }
            _ => self.drag()?,
        };
        Ok(vec![action])
    }

    fn desktop(&mut self, name: &str) -> Fits<Vec<Action>> {
        let action = match name {
            "click" => self.click(Button::Left, 1)?,
            "double_click" => self.click(Button::Left, 2)?,
            "triple_click" => self.click(Button::Left, 3)?,
            "middle_click" => self.click(Button::Middle, 1)?,
            "right_click" => self.click(Button::Right, 1)?,
            "mouse_down" => Action::Down { at: Some(self.point("x", "y")?), button: Button::Left },
            "mouse_up" => Action::Up { at: Some(self.point("x", "y")?), button: Button::Left },
            "move" => Action::Move { to: self.point("x", "y")? },
            "type" => {
                let text = self.f.text("text")?;
                let mut actions = vec![typed(text).map_err(|m| self.f.fault(m))?];
                actions.extend(self.f.opt_flag("press_enter")?.unwrap_or(false).then(enter));
                return Ok(actions);
            }
            "wait" => {
                let seconds = self.f.opt_whole("seconds", 0, LONGEST_S)?.unwrap_or(1);
                Action::Wait { millis: seconds.unsigned_abs() * 1000 }
            }
            "press_key" => {
                let key = self.f.text("key")?;
                hands::key(hands::chord(&key).map_err(|m| self.f.fault(m))?)
            }
            "hotkey" => {
                let keys = self.f.texts("keys")?;
                let chord = hands::chord_of(keys.iter().map(String::as_str));
                hands::key(chord.map_err(|m| self.f.fault(m))?)
            }
            "drag_and_drop" => self.drag()?,
            "scroll" => self.scroll()?,
            // A look, not an action.
            _ => return Ok(Vec::new()),
        };
        Ok(vec![action])
    }

    /// Click, clear, type, Enter: the parts in the order of the sample.
    fn type_text_at(&mut self) -> Fits<Vec<Action>> {
        let at = self.point("x", "y")?;
        let text = self.f.text("text")?;
        let enters = self.f.opt_flag("press_enter")?.unwrap_or(true);
        let clears = self.f.opt_flag("clear_before_typing")?.unwrap_or(true);
        let mut actions = vec![hands::click(Some(at), Button::Left, 1)];
        if clears {
            let all = Chord(vec![Key::Named(Named::Control), Key::Char('a')]);
            actions.extend([hands::key(all), hands::named(Named::Delete)]);
        }
        // An empty text clears a field.
        if !(text.is_empty() && clears) {
            actions.push(typed(text).map_err(|m| self.f.fault(m))?);
        }
        actions.extend(enters.then(enter));
        Ok(actions)
    }

    fn scroll_document(&mut self) -> Fits<Action> {
        Ok(match self.f.word("direction", DIRECTIONS)? {
            (0, 1) => hands::named(Named::PageUp),
            (0, _) => hands::named(Named::PageDown),
            // Half a page, as the sample does.
            (x, _) => {
                let half = half_of(self.picture.pane.size.width);
                let by = ScrollBy::Pixels { dx: x * half, dy: 0 };
                Action::Scroll { at: None, by, modifiers: Modifiers::NONE }
            }
        })
    }

    fn scroll(&mut self) -> Fits<Action> {
        let at = self.point("x", "y")?;
        let (x, y) = self.f.word("direction", DIRECTIONS)?;
        let pixels = self.f.opt_whole("magnitude_in_pixels", 0, PIXELS)?;
        let share = self.f.opt_whole("magnitude", 0, 999)?;
        let clicks = self.f.opt_whole("magnitude_in_wheel_clicks", 0, NOTCHES)?;
        match (pixels, share, clicks) {
            (None, None, None) => Ok(self.scroll_by(at, x, y, |_| SCROLL)),
            (Some(pixels), None, None) => Ok(self.scroll_by(at, x, y, |_| pixels as i32)),
            (None, Some(share), None) => Ok(self.scroll_by(at, x, y, |side| share_of(share, side))),
            (None, None, Some(n)) => Ok(hands::notches(Some(at), x * n as i32, y * n as i32)),
            _ => Err(self.f.fault(Misfit::malformed("more than one magnitude: give one"))),
        }
    }

    fn scroll_by(&self, at: Spot, x: i32, y: i32, far: impl Fn(u32) -> i32) -> Action {
        let pane = self.picture.pane.size;
        let by = ScrollBy::Pixels { dx: x * far(pane.width), dy: y * far(pane.height) };
        Action::Scroll { at: Some(at), by, modifiers: Modifiers::NONE }
    }

    fn drag(&mut self) -> Fits<Action> {
        let newer = self.f.has("start_x") || self.f.has("end_x");
        let (from, to) = if newer {
            (self.point("start_x", "start_y")?, self.point("end_x", "end_y")?)
        } else {
            (self.point("x", "y")?, self.point("destination_x", "destination_y")?)
        };
        Ok(hands::drag(from, to))
    }

    fn click(&mut self, button: Button, count: u8) -> Fits<Action> {
        Ok(hands::click(Some(self.point("x", "y")?), button, count))
    }

    fn point(&mut self, x: &'static str, y: &'static str) -> Fits<Spot> {
        let (x, y) = (self.f.number(x)?, self.f.number(y)?);
        POINTS.spot(x, y, self.picture).map_err(|m| self.f.fault(m))
    }
}

fn enter() -> Action {
    hands::named(Named::Enter)
}

fn alt(key: Named) -> Action {
    hands::key(Chord(vec![Key::Named(Named::Alt), Key::Named(key)]))
}

/// `int(v / 1000 * side)`, in the order of the sample's arithmetic.
fn share_of(share: i64, side: u32) -> i32 {
    (share as f64 / 1000.0 * f64::from(side)) as i32
}

fn half_of(side: u32) -> i32 {
    i32::try_from(side / 2).unwrap_or(i32::MAX)
}
