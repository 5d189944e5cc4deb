//! The one pure function from an action to the primitives the hands run.
//!
//! It refuses points of another frame and points outside it. It knows no backend: what a backend cannot do it
//! refuses itself, by name.

use crate::flow::action::{Action, Axis, Batch, Button, Primitive, ScrollBy, Spot, Timing};
use crate::key::{Chord, Key, MAX_CHORD, Modifiers, Named};
use crate::space::{FrameGeometry, ScreenPx, SpaceError};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Why an approved action cannot become a batch.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExpandError {
    #[error(transparent)]
    Space(#[from] SpaceError),
    #[error("{given} {what}; {allowed} are possible")]
    Count { what: &'static str, given: u64, allowed: &'static str },
    #[error("the text holds the control character {character:?}, which no key types; leave it out")]
    Untypable { character: char },
    #[error("a drag needs two places at least, {given} were given")]
    ShortPath { given: usize },
    #[error("`{action}` is not a movement of mouse and keyboard; the desktop carries it out itself")]
    NotInput { action: &'static str },
}

/// One wheel notch in the units of [`Primitive::Wheel`].
pub const NOTCH: i32 = 120;
/// A longer wait belongs to the profile, not to an action.
const MAX_WAIT_MILLIS: u64 = 300_000;

pub(crate) fn expand(
    action: &Action,
    geometry: &FrameGeometry,
    timing: &Timing,
) -> Result<Batch, ExpandError> {
    let mut out = Out { primitives: Vec::new(), timing, geometry, random: timing.jitter_seed };
    match action {
        Action::Click { at, button, count, modifiers } => {
            count_in("clicks", u64::from(*count), 1..=4, "1 to 4")?;
            out.go_to(*at)?;
            out.around(*modifiers, |out| {
                for n in 0..*count {
                    if n > 0 {
                        out.wait(timing.click_interval);
                    }
                    out.button(*button, true);
                    out.wait(timing.hold);
                    out.button(*button, false);
                }
            });
        }
        Action::Move { to } => out.go_to(Some(*to))?,
        Action::Down { at, button } => {
            out.go_to(*at)?;
            out.button(*button, true);
        }
        Action::Up { at, button } => {
            out.go_to(*at)?;
            out.button(*button, false);
        }
        Action::Drag { path, button, modifiers } => {
            let [first, .., _] = path.as_slice() else {
                return Err(ExpandError::ShortPath { given: path.len() });
            };
            let corners =
                path.iter().map(|p| geometry.screen_from_frame(*p)).collect::<Result<Vec<_>, _>>()?;
            out.go_to(Some(*first))?;
            out.around(*modifiers, |out| {
                out.button(*button, true);
                out.wait(timing.hold);
                for leg in corners.windows(2) {
                    out.line(leg[0], leg[1]);
                }
                out.wait(timing.hold);
                out.button(*button, false);
            });
        }
        Action::Scroll { at, by, modifiers } => {
            out.go_to(*at)?;
            let (dx, dy) = wheel_units(*by, timing);
            // A modifier pressed around nothing is a key press of its own: Super alone opens a menu.
            if (dx, dy) != (0, 0) {
                out.around(*modifiers, |out| {
                    out.wheel(Axis::Vertical, dy);
                    out.wheel(Axis::Horizontal, dx);
                });
            }
        }
        Action::Type { text, interval_millis } => {
            let gaps = text.chars().count().saturating_sub(1) as u64;
            let whole = interval_millis.unwrap_or_default().saturating_mul(gaps);
            count_in("milliseconds to type a text", whole, 0..=MAX_WAIT_MILLIS, "0 to 300000")?;
            out.text(text, interval_millis.map(Duration::from_millis))?;
        }
        Action::Key { chord, repeat } => {
            count_in("key presses", u64::from(*repeat), 1..=100, "1 to 100")?;
            for n in 0..*repeat {
                if n > 0 {
                    out.wait(timing.type_interval);
                }
                out.chord(chord, |out| out.wait(timing.hold))?;
            }
        }
        Action::HoldKey { chord, millis } => {
            let hold = wait_of(*millis)?;
            out.chord(chord, |out| out.exact_wait(hold))?;
        }
        Action::Wait { millis } => out.exact_wait(wait_of(*millis)?),
        Action::Paste { .. } | Action::Launch { .. } | Action::FocusWindow { .. } => {
            return Err(ExpandError::NotInput { action: action.name() });
        }
    }
    Ok(Batch { primitives: out.primitives })
}

/// A program started as a person does it where the desktop has a dialog for that: Super+R, the command, Enter.
pub(crate) fn by_run_dialog(
    argv: &[String],
    wait: Duration,
    geometry: &FrameGeometry,
    timing: &Timing,
) -> Result<Batch, ExpandError> {
    let mut out = Out { primitives: Vec::new(), timing, geometry, random: timing.jitter_seed };
    let pressed = |out: &mut Out<'_>| out.wait(timing.hold);
    out.chord(&Chord(vec![Key::Named(Named::Super), Key::Char('r')]), pressed)?;
    out.exact_wait(wait);
    out.text(&command_line(argv), None)?;
    out.chord(&Chord(vec![Key::Named(Named::Enter)]), pressed)?;
    Ok(Batch { primitives: out.primitives })
}

/// Words as one line that is read as the same words: those with blanks in double quotes.
fn command_line(argv: &[String]) -> String {
    let quoted = |word: &String| {
        let blank = word.is_empty() || word.contains(char::is_whitespace);
        if blank { format!("\"{word}\"") } else { word.clone() }
    };
    argv.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn count_in(
    what: &'static str,
    given: u64,
    range: RangeInclusive<u64>,
    allowed: &'static str,
) -> Result<(), ExpandError> {
    if range.contains(&given) { Ok(()) } else { Err(ExpandError::Count { what, given, allowed }) }
}

fn wait_of(millis: u64) -> Result<Duration, ExpandError> {
    count_in("milliseconds to wait", millis, 0..=MAX_WAIT_MILLIS, "0 to 300000")?;
    Ok(Duration::from_millis(millis))
}

fn wheel_units(by: ScrollBy, timing: &Timing) -> (i32, i32) {
    match by {
        ScrollBy::Units { dx, dy } => (dx, dy),
        ScrollBy::Notches { dx, dy } => (dx.saturating_mul(NOTCH), dy.saturating_mul(NOTCH)),
        ScrollBy::Pixels { dx, dy } => {
            let per_notch = u64::from(timing.pixels_per_notch.max(1));
            // Away from zero: a scroll of one pixel must not come to nothing.
            let units = |px: i32| {
                let units =
                    (u64::from(px.unsigned_abs()) * u64::from(NOTCH.unsigned_abs())).div_ceil(per_notch);
                i32::try_from(units).unwrap_or(i32::MAX) * px.signum()
            };
            (units(dx), units(dy))
        }
    }
}

struct Out<'a> {
    primitives: Vec<Primitive>,
    timing: &'a Timing,
    geometry: &'a FrameGeometry,
    random: u64,
}

impl Out<'_> {
    fn go_to(&mut self, at: Option<Spot>) -> Result<(), ExpandError> {
        if let Some(at) = at {
            let to = self.geometry.screen_from_frame(at)?;
            self.primitives.push(Primitive::Move(to));
        }
        Ok(())
    }

    fn button(&mut self, button: Button, down: bool) {
        self.primitives.push(Primitive::Button { button, down });
    }

    fn key(&mut self, key: Key, down: bool) {
        self.primitives.push(Primitive::Key { key, down });
    }

    fn wheel(&mut self, axis: Axis, units: i32) {
        if units != 0 {
            self.primitives.push(Primitive::Wheel { axis, units });
        }
    }

    fn around(&mut self, modifiers: Modifiers, body: impl FnOnce(&mut Self)) {
        for key in modifiers.keys() {
            self.key(key, true);
        }
        body(self);
        for key in modifiers.keys().rev() {
            self.key(key, false);
        }
    }

    fn chord(&mut self, chord: &Chord, hold: impl FnOnce(&mut Self)) -> Result<(), ExpandError> {
        count_in("keys in a chord", chord.0.len() as u64, 1..=MAX_CHORD as u64, "1 to 10")?;
        for key in &chord.0 {
            self.key(*key, true);
        }
        hold(self);
        for key in chord.0.iter().rev() {
            self.key(*key, false);
        }
        Ok(())
    }

    /// At a pace of its own, or at the profile's.
    fn text(&mut self, text: &str, pace: Option<Duration>) -> Result<(), ExpandError> {
        let mut chars = text.chars().peekable();
        let mut first = true;
        while let Some(c) = chars.next() {
            if !std::mem::take(&mut first) {
                match pace {
                    Some(pace) => self.exact_wait(pace),
                    None => self.wait(self.timing.type_interval),
                }
            }
            let named = match c {
                '\r' => {
                    // A Windows line break is one Enter.
                    if chars.peek() == Some(&'\n') {
                        chars.next();
                    }
                    Named::Enter
                }
                '\n' => Named::Enter,
                '\t' => Named::Tab,
                character if character.is_control() => return Err(ExpandError::Untypable { character }),
                c => {
                    self.primitives.push(Primitive::Char(c));
                    continue;
                }
            };
            self.key(Key::Named(named), true);
            self.wait(self.timing.hold);
            self.key(Key::Named(named), false);
        }
        Ok(())
    }

    /// Points along a straight leg, its end exactly.
    fn line(&mut self, from: ScreenPx, to: ScreenPx) {
        let (dx, dy) = (f64::from(to.x) - f64::from(from.x), f64::from(to.y) - f64::from(from.y));
        let steps = (dx.hypot(dy) / f64::from(self.timing.drag_step.max(1))).ceil().max(1.0) as u32;
        for n in 1..=steps {
            let share = f64::from(n) / f64::from(steps);
            let along = |from: i32, d: f64| (f64::from(from) + d * share).round() as i32;
            self.primitives.push(Primitive::Move(ScreenPx::new(along(from.x, dx), along(from.y, dy))));
            self.wait(self.timing.drag_interval);
        }
    }

    fn wait(&mut self, d: Duration) {
        let share = self.timing.jitter;
        let d = if share > 0.0 { d.mul_f64(1.0 + share.min(1.0) * self.unit()) } else { d };
        self.exact_wait(d);
    }

    fn exact_wait(&mut self, d: Duration) {
        if !d.is_zero() {
            self.primitives.push(Primitive::Wait(d));
        }
    }

    /// SplitMix64 as a number in 0..1: the same seed spreads the same action the same way.
    fn unit(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests;
