//! One suite that every desktop backend must pass.
//!
//! A check asks the desktop for something and looks through a [`Witness`] whether exactly that happened: an event nobody
//! asked for fails it, and so does a key that stays down. Approvals come from a gate, as in the product. What a backend or
//! its witness cannot do is declared by name in [`Terms::lacks`] and printed, never skipped in silence. Whether the suite can
//! fail is shown on a desktop in memory that does everything wrong in turn ([`model::Wrong`]).
//!
//! A backend joins with a function that makes a [`Rig`] and one [`conformance!`](crate::conformance) with a line for each
//! check; a list that is not complete fails.

mod clipboard;
mod keyboard;
pub mod model;
mod pictures;
mod pointer;
pub mod remote;
mod stage;
mod strays;
mod strings;
mod upsets;
mod windows;
pub mod witness;
#[cfg(target_os = "linux")]
pub mod x11;

pub use stage::Stage;
pub use strings::Alphabet;
pub use witness::Witness;

use handsight_base::port::desktop::Desktop;
use std::any::Any;
use std::time::Duration;

/// A desktop with its witness, on a screen that both have for themselves.
pub struct Rig {
    pub desktop: Box<dyn Desktop>,
    pub witness: Box<dyn Witness>,
    pub terms: Terms,
    /// Servers and programs that end after the two.
    pub keep: Box<dyn Any>,
}

/// On which terms a backend takes part.
#[derive(Debug, Clone)]
pub struct Terms {
    /// Of the backend and what is special here: `windows at 144 DPI`.
    pub name: &'static str,
    /// Checks that are not run, each with the reason.
    pub lacks: &'static [(&'static str, &'static str)],
    /// Chords that are refused by name, because they would not arrive as they are.
    pub refuses: &'static [&'static str],
    /// What can be typed.
    pub alphabet: Alphabet,
    /// Windows can have a frame of the system's around them.
    pub framed: bool,
    /// One in so many of the 2000 points, 40 places and 500 strings, where all of them take minutes.
    pub one_in: usize,
    /// How many clicks are made before the witness is asked whether they came.
    pub round: usize,
    /// The screen may move the pointer back to where it was a moment ago, and forth again.
    pub echoes: bool,
    /// How many keys of a text may come to another window when its own closes; `None` where there is no focus to know, and a text goes
    /// where it goes.
    pub astray: Option<u32>,
    /// How long after a call its events may still come, and a picture may still be the one before.
    pub late: Duration,
    /// How long to wait for what should have come at once; on a busy machine it takes longer.
    pub patience: Duration,
}

/// What a check found: figures, or what is wrong.
pub type Finding = Result<String, String>;

/// One thing every backend must do.
#[derive(Debug)]
pub struct Check {
    pub name: &'static str,
    /// What it shows, in one line.
    pub shows: &'static str,
    run: fn(&mut Stage<'_>) -> Finding,
}

macro_rules! checks {
    ($($module:ident::$name:ident: $shows:literal;)*) => {
        &[$(Check { name: stringify!($name), shows: $shows, run: $module::$name }),*]
    };
}

/// Every check, in the order of the table.
pub const CHECKS: &[Check] = checks! {
    pointer::clicks: "2000 clicks all over a display: move, press, release, each on its pixel";
    pointer::clicks_in_moved_windows: "2000 clicks by the picture of a window that is somewhere else each time";
    pointer::clicks_on_the_second_display: "2000 clicks by the picture of the second display";
    pointer::buttons: "left, middle and right, one to four times";
    pointer::side_buttons: "back and forward";
    pointer::clicks_with_modifiers: "modifiers go down around a click and up after it";
    pointer::drags: "the button goes down at the first place, along the path, up at the last";
    pointer::wheel: "whole notches up and down where the pointer is, which does not move";
    pointer::wheel_sideways: "the same to the left and to the right";
    pointer::wheel_in_units: "parts of a notch arrive as such";
    keyboard::chords: "keys go down in order and up in the other";
    keyboard::named_keys: "keys that have a name arrive as themselves";
    keyboard::repeats: "a chord as often as asked";
    keyboard::holds: "a key is down for its time";
    keyboard::text: "500 random strings arrive equal";
    keyboard::text_by_units: "one press and release for each UTF-16 unit";
    clipboard::pastes: "text arrives by way of the clipboard, which is given back";
    clipboard::clipboard: "what a program put there is read, and can be put back";
    upsets::nothing_unasked: "looking moves nothing";
    upsets::focus_loss: "a text ends when another window takes the focus, or goes on there where nobody can know: nothing is lost or doubled";
    upsets::close_mid_action: "the window closes in a drag and in a text: nothing stays down, the next click lands";
    strays::strays: "the window closes in a text and another has the focus: no key of the text goes there";
    upsets::stops: "after a stop the last event comes within 100 ms, and nothing stays down";
    upsets::a_dead_turn: "a turn that dies in a drag leaves nothing down";
    upsets::releases: "release_all lets go of what was pressed";
    upsets::resolution: "the screen changes its size: seen, captured, clicked to its new corner";
    pictures::pictures: "what was painted is captured, in its colours and in its place";
    pictures::regions: "any part of the screen; what hangs over is cut, what lies outside refused";
    pictures::every_display: "each display, and all of them as one";
    pictures::fresh_pictures: "each capture shows the newest picture";
    pictures::held_pictures: "a frame that is held stays what it was";
    pictures::pointer_at_its_hot_spot: "the pointer's own picture, pixel by pixel, with its hot spot in its place";
    pictures::pointer_where_it_is: "a pointer is in the picture where it is, and nowhere without being asked for";
    windows::finds: "windows by title, part, class and process, and where they are";
    windows::focuses: "a window is brought to the front and gets the keys";
    windows::places: "a window is placed by its client area";
    windows::refuses_by_name: "what the backend says it cannot do it refuses by that name";
};

/// Runs one check: prints its figures, or that and why it is lacking.
///
/// `rig` is `None` if a program is missing, which was said then (see [`crate::need`]).
///
/// # Panics
/// When the check finds something wrong.
#[expect(clippy::print_stderr, reason = "figures and gaps are what a person wants from a conformance run")]
#[expect(clippy::disallowed_methods, reason = "the seconds a check took on this machine")]
#[track_caller]
pub fn run(name: &str, rig: impl FnOnce() -> Option<Rig>) {
    let check = check(name);
    let Some(mut rig) = rig() else { return };
    if let Some(why) = rig.terms.lacks(name) {
        eprintln!("LACKS {} {name}: {why}", rig.terms.name);
        return;
    }
    let began = std::time::Instant::now();
    match check.run(&mut rig) {
        Ok(figures) => {
            eprintln!("CONFORMS {} {name}: {figures} ({:.1?})", rig.terms.name, began.elapsed());
        }
        Err(why) => panic!("{} does not conform in `{name}` ({}): {why}", rig.terms.name, check.shows),
    }
}

/// The check of this name.
///
/// # Panics
/// When there is none.
#[track_caller]
pub fn check(name: &str) -> &'static Check {
    CHECKS.iter().find(|check| check.name == name).unwrap_or_else(|| panic!("there is no check `{name}`"))
}

impl Check {
    /// What it finds on this rig, with whatever is left over at its end.
    pub fn run(&self, rig: &mut Rig) -> Finding {
        let mut stage = Stage::new(&mut *rig.desktop, &mut *rig.witness, &rig.terms)?;
        let figures = (self.run)(&mut stage)?;
        stage.end()?;
        Ok(figures)
    }
}

impl Terms {
    /// A backend that lacks nothing, types everything and does everything at once.
    pub const fn of(name: &'static str) -> Self {
        Self {
            name,
            lacks: &[],
            refuses: &[],
            alphabet: Alphabet::AllPlanes,
            framed: false,
            one_in: 1,
            round: 50,
            echoes: false,
            astray: None,
            late: Duration::ZERO,
            patience: crate::wait::PATIENCE,
        }
    }

    /// Why a check is not run here.
    pub fn lacks(&self, check: &str) -> Option<&'static str> {
        let named = self.lacks.iter().find(|(name, _)| *name == check).map(|(_, why)| *why);
        let unknown = check == "strays" && self.astray.is_none();
        named.or(unknown.then_some("there is no focus to know here: a text goes where it goes"))
    }
}

/// Checks that a list of tests is the list of checks.
///
/// # Panics
/// When one is missing or unknown.
#[track_caller]
pub fn assert_complete(tests: &[&str]) {
    let missing: Vec<_> = CHECKS.iter().map(|c| c.name).filter(|name| !tests.contains(name)).collect();
    let unknown: Vec<_> = tests.iter().filter(|test| CHECKS.iter().all(|c| c.name != **test)).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing: {missing:?}; no such check: {unknown:?}");
}

/// One test for each check over the rigs that a function makes: `Fn() -> Option<Rig>`.
///
/// ```text
/// conformance! { rig;
///     // spec: S-28 S-34 XVFB
///     #[test]
///     clicks,
///     ...
/// }
/// conformance! { rig; all }
/// ```
#[macro_export]
macro_rules! conformance {
    ($rig:expr; all) => {
        $crate::conformance! { $rig;
            #[test] clicks,
            #[test] clicks_in_moved_windows,
            #[test] clicks_on_the_second_display,
            #[test] buttons,
            #[test] side_buttons,
            #[test] clicks_with_modifiers,
            #[test] drags,
            #[test] wheel,
            #[test] wheel_sideways,
            #[test] wheel_in_units,
            #[test] chords,
            #[test] named_keys,
            #[test] repeats,
            #[test] holds,
            #[test] text,
            #[test] text_by_units,
            #[test] pastes,
            #[test] clipboard,
            #[test] nothing_unasked,
            #[test] focus_loss,
            #[test] close_mid_action,
            #[test] strays,
            #[test] stops,
            #[test] a_dead_turn,
            #[test] releases,
            #[test] resolution,
            #[test] pictures,
            #[test] regions,
            #[test] every_display,
            #[test] fresh_pictures,
            #[test] held_pictures,
            #[test] pointer_at_its_hot_spot,
            #[test] pointer_where_it_is,
            #[test] finds,
            #[test] focuses,
            #[test] places,
            #[test] refuses_by_name,
        }
    };
    ($rig:expr; $($(#[$attribute:meta])* $check:ident),* $(,)?) => {
        $(
            $(#[$attribute])*
            fn $check() {
                $crate::conformance::run(stringify!($check), $rig);
            }
        )*

        #[test]
        fn every_check_is_here() {
            $crate::conformance::assert_complete(&[$(stringify!($check)),*]);
        }
    };
}

/// Ends a check with words unless the condition holds.
macro_rules! ensure {
    ($holds:expr, $($words:tt)+) => {
        let holds: bool = $holds;
        if !holds {
            return Err(format!($($words)+));
        }
    };
}
use ensure;
