//! A desktop in memory with its witness: what the suite asks for, done rightly, or wrongly on purpose.
//!
//! It shows that the suite can pass and that each of its checks can fail ([`Wrong`]). It proves nothing about a screen.

mod desktop;
mod witness;

use super::{Rig, Terms};
use crate::witness_protocol::{Deed, Seen, What, Which};
use desktop::ModelDesktop;
use handsight_base::flow::action::Button;
use handsight_base::key::{Key, Named};
use handsight_base::port::desktop::Display;
use handsight_base::space::{ScreenPx, ScreenRect, WindowPx};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use witness::ModelWitness;

macro_rules! wrongs {
    ($($(#[$doc:meta])* $wrong:ident: $($check:ident)+;)*) => {
        /// Ways to be wrong.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Wrong { $($(#[$doc])* $wrong),* }

        /// Every way to be wrong, with the checks that must see it.
        pub const WRONGS: &[(Wrong, &[&str])] = &[$((Wrong::$wrong, &[$(stringify!($check)),+])),*];
    };
}

wrongs! {
    /// Everything lands two pixels to the right.
    OffByTwo: clicks clicks_in_moved_windows clicks_on_the_second_display drags clicks_with_modifiers;
    /// Every ninth release of a button is forgotten.
    ForgetsRelease: clicks buttons drags;
    /// Shift stays down.
    ForgetsShift: clicks_with_modifiers chords;
    /// A key nobody asked for after every tenth press of a button.
    AddsKey: clicks;
    /// The pointer is nudged by each turn of the wheel.
    NudgesPointer: wheel wheel_sideways;
    /// Taking a picture moves the pointer.
    MovesByLooking: nothing_unasked;
    TurnsTheOtherWay: wheel;
    TurnsTheOtherWheel: wheel_sideways;
    WholeNotchesOnly: wheel_in_units;
    /// Back and forward are the left button.
    FewButtons: side_buttons;
    /// A drag goes from its first place to its last at once.
    Jumps: drags;
    /// Keys of a chord come up in the order they went down.
    UpInOrder: chords;
    /// Home and End are exchanged.
    SwapsKeys: named_keys;
    /// Every eighth press of a key is lost.
    LosesRepeats: repeats;
    /// Nothing is ever waited for.
    Hurries: holds;
    /// The second half of a surrogate pair is lost.
    HalvesPairs: text;
    /// Two characters in a row are typed in the wrong order now and then.
    SwapsCharacters: text;
    /// One press for each character, whatever its units.
    CountsCharacters: text_by_units;
    LosesTextWithFocus: focus_loss;
    /// When the window closes, the rest of the text goes to whatever has the focus.
    TypesOn: strays focus_loss close_mid_action;
    /// The same, and says that the text ended.
    TypesOnInSecret: strays;
    /// When the window closes, the action ends.
    DiesWithWindow: close_mid_action;
    /// When the window closes, the action ends, and nothing is released.
    DropsAllWithWindow: close_mid_action;
    IgnoresStop: stops;
    /// Goes on for 200 ms.
    StopsLate: stops;
    StopsWithKeysDown: stops;
    TrustsDeadTurns: a_dead_turn;
    NeverReleases: releases;
    KeepsClipboard: pastes;
    SeesNoClipboard: clipboard;
    KnowsOldSize: resolution;
    SwapsColours: pictures;
    /// The picture is one pixel too far to the left.
    ShiftsPicture: pictures regions;
    /// What hangs over the edge of the screen is not cut.
    ForgetsEdge: regions;
    /// Every display is the first.
    KnowsOneDisplay: every_display clicks_on_the_second_display;
    /// A capture shows what the one before should have.
    ShowsLast: fresh_pictures;
    /// A new picture overwrites those that are held.
    Overwrites: held_pictures;
    IgnoresHotSpot: pointer_at_its_hot_spot;
    LeavesOutPointer: pointer_where_it_is;
    AlwaysDrawsPointer: pointer_where_it_is;
    /// A query finds every window.
    FindsAnything: finds;
    OnlySaysItFocused: focuses;
    PlacesByFrame: places;
    /// Where a window was first.
    RemembersPlaces: clicks_in_moved_windows;
    /// Says that it can show an overlay, and cannot.
    Boasts: refuses_by_name;
    /// Takes an overlay and shows none.
    Pretends: refuses_by_name;
}

/// A rig on a desktop in memory; a wrong one if asked for.
pub fn rig(wrong: Option<Wrong>) -> Rig {
    let display = |name: &str, area, primary| Display { name: name.into(), area, primary, scale: 1.0 };
    let state = State {
        wrong,
        displays: vec![
            display("first", ScreenRect::new(0, 0, 640, 400), true),
            display("second", ScreenRect::new(-320, -40, 320, 240), false),
        ],
        windows: Vec::new(),
        focus: None,
        pointer: ScreenPx::new(320, 200),
        keys: Vec::new(),
        buttons: Vec::new(),
        events: Vec::new(),
        texts: [String::new(), String::new()],
        clipboard: String::new(),
        sprite: false,
        now: Duration::ZERO,
        due: None,
        count: 0,
        gone: false,
    };
    let state = Shared(Arc::new(Mutex::new(state)));
    Rig {
        desktop: Box::new(ModelDesktop::new(state.clone())),
        witness: Box::new(ModelWitness(state)),
        terms: Terms { patience: Duration::ZERO, astray: Some(0), ..Terms::of("model") },
        keep: Box::new(()),
    }
}

/// A window on the screen.
#[derive(Debug, Clone, Copy)]
struct Open {
    which: Which,
    client: ScreenRect,
    /// Where it was opened.
    first: ScreenRect,
    seed: u32,
}

struct Due {
    events: u32,
    deed: Deed,
    told: Box<dyn FnOnce() + Send>,
}

/// Everything there is.
struct State {
    wrong: Option<Wrong>,
    displays: Vec<Display>,
    /// The topmost last.
    windows: Vec<Open>,
    focus: Option<Which>,
    pointer: ScreenPx,
    keys: Vec<Key>,
    buttons: Vec<Button>,
    events: Vec<Seen>,
    texts: [String; 2],
    clipboard: String,
    sprite: bool,
    now: Duration,
    due: Option<Due>,
    /// Of whatever a wrong desktop does every so many times.
    count: u32,
    /// The main window closed in the middle of an action.
    gone: bool,
}

#[derive(Clone)]
struct Shared(Arc<Mutex<State>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is(&self, wrong: Wrong) -> bool {
        self.wrong == Some(wrong)
    }

    /// True once in so many calls, for a desktop that is wrong in this way.
    fn every(&mut self, times: u32, wrong: Wrong) -> bool {
        self.count += u32::from(self.is(wrong));
        self.is(wrong) && self.count.is_multiple_of(times)
    }

    fn under(&self, at: ScreenPx) -> Option<Open> {
        self.windows.iter().rev().find(|w| w.client.contains(at)).copied()
    }

    fn window(&self, which: Which) -> Option<Open> {
        self.windows.iter().find(|w| w.which == which).copied()
    }

    /// A window gets an event; whoever waits for the number of it acts.
    fn tell(&mut self, window: Option<Open>, what: What) {
        let Some(Open { which, client, .. }) = window else { return };
        let at = self.pointer;
        let inside = WindowPx::new(at.x - client.origin.x, at.y - client.origin.y);
        let at_ms = self.now.as_millis() as u64;
        self.events.push(Seen { window: which, what, screen: at, client: inside, at_ms });
        let Some(mut due) = self.due.take() else { return };
        due.events = due.events.saturating_sub(1);
        if due.events > 0 {
            self.due = Some(due);
            return;
        }
        match due.deed {
            Deed::Tell => {}
            Deed::Close => {
                self.windows.retain(|w| w.which != Which::Main);
                self.focus = None;
                self.gone = true;
            }
            Deed::Unfocus => {
                self.focus = Some(Which::Other);
                self.gone = self.is(Wrong::LosesTextWithFocus);
            }
            Deed::Yield => {
                self.windows.retain(|w| w.which != Which::Main);
                self.focus = Some(Which::Other);
                self.gone = true;
            }
        }
        (due.told)();
    }

    fn focused(&self) -> Option<Open> {
        self.focus.and_then(|which| self.window(which))
    }

    fn go(&mut self, to: ScreenPx) {
        self.pointer = to.offset(if self.is(Wrong::OffByTwo) { 2 } else { 0 }, 0);
        self.tell(self.under(self.pointer), What::Move);
    }

    fn button(&mut self, button: Button, down: bool) {
        let few = self.is(Wrong::FewButtons) && matches!(button, Button::Back | Button::Forward);
        let button = if few { Button::Left } else { button };
        if !down && self.every(9, Wrong::ForgetsRelease) {
            return;
        }
        self.buttons.retain(|b| *b != button);
        self.buttons.extend(down.then_some(button));
        self.tell(self.under(self.pointer), What::Button { button, down });
        if down && self.every(10, Wrong::AddsKey) {
            self.tell(self.focused(), What::Key { key: Some(Key::Char('q')), down, repeat: false });
        }
    }

    fn key(&mut self, key: Key, down: bool) {
        let shift = Key::Named(Named::Shift);
        if !down && key == shift && self.is(Wrong::ForgetsShift) || self.every(8, Wrong::LosesRepeats) {
            return;
        }
        let key = match key {
            Key::Named(Named::Home) if self.is(Wrong::SwapsKeys) => Key::Named(Named::End),
            key => key,
        };
        let key = match (self.is(Wrong::UpInOrder) && !down, self.keys.first()) {
            (true, Some(first)) => *first,
            _ => key,
        };
        self.keys.retain(|k| *k != key);
        self.keys.extend(down.then_some(key));
        self.tell(self.focused(), What::Key { key: Some(key), down, repeat: false });
        let control = self.keys.contains(&Key::Named(Named::Control));
        match key {
            Key::Char('v') if control && down => {
                let text = self.clipboard.clone();
                self.text(&text);
            }
            Key::Char(c) if down && !control => self.text(c.encode_utf8(&mut [0; 4])),
            Key::Named(Named::Enter) if down => self.text("\n"),
            Key::Named(Named::Tab) if down => self.text("\t"),
            Key::Char(_) | Key::Named(_) => {}
        }
    }

    fn char(&mut self, c: char) {
        let units = if self.is(Wrong::CountsCharacters) { 1 } else { c.len_utf16() };
        let before = self.focus;
        for down in [true, false].repeat(units) {
            self.tell(self.focused(), What::Key { key: None, down, repeat: false });
        }
        if std::mem::take(&mut self.gone) && self.is(Wrong::LosesTextWithFocus) {
            return;
        }
        let c = if self.is(Wrong::HalvesPairs) && units == 2 { char::REPLACEMENT_CHARACTER } else { c };
        let swaps = self.every(50, Wrong::SwapsCharacters);
        if let Some(which) = before {
            let text = &mut self.texts[which as usize];
            let last = if swaps { text.pop() } else { None };
            text.push(c);
            text.extend(last);
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(which) = self.focus {
            self.texts[which as usize].push_str(text);
        }
    }

    fn release_all(&mut self) {
        for button in std::mem::take(&mut self.buttons) {
            self.tell(self.under(self.pointer), What::Button { button, down: false });
        }
        for key in std::mem::take(&mut self.keys).into_iter().rev() {
            self.tell(self.focused(), What::Key { key: Some(key), down: false, repeat: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CHECKS, check};
    use super::*;

    #[test]
    fn the_right_one_passes_every_check() {
        for check in CHECKS {
            match check.run(&mut rig(None)) {
                Ok(figures) => assert!(!figures.is_empty(), "{}", check.name),
                Err(why) => panic!("{}: {why}", check.name),
            }
        }
    }

    #[test]
    fn every_wrong_one_is_seen_by_the_checks_that_must_see_it() {
        for (wrong, checks) in WRONGS {
            for name in *checks {
                let found = check(name).run(&mut rig(Some(*wrong)));
                assert!(found.is_err(), "{wrong:?} passes `{name}`: {found:?}");
            }
        }
    }

    #[test]
    fn who_has_no_focus_to_know_may_type_on() {
        for name in ["focus_loss", "close_mid_action"] {
            let mut rig = rig(Some(Wrong::TypesOn));
            rig.terms.astray = None;
            check(name).run(&mut rig).unwrap();
            assert_eq!((rig.terms.lacks(name), rig.terms.lacks("strays").is_some()), (None, true));
        }
    }

    #[test]
    fn every_check_sees_something() {
        for check in CHECKS {
            let seen = WRONGS.iter().any(|(_, checks)| checks.contains(&check.name));
            assert!(seen, "nothing in WRONGS makes `{}` fail", check.name);
        }
    }
}
