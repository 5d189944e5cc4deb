//! What the witness's windows got, and what it was told to do about it.
//!
//! The state is the thread's own, and never borrowed while Windows may call back.

use crate::keys::Sides;
use handsight_base::space::{ScreenPx, WindowPx};
use handsight_testkit::witness_protocol::{Deed, Seen, What, Which};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;
use windows::Win32::Foundation::HWND;
use windows::Win32::UI::WindowsAndMessaging::HCURSOR;

/// An open window.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    pub(crate) which: Which,
    pub(crate) handle: HWND,
    pub(crate) seed: u32,
    /// What it shows, for a client area of this width and height.
    pub(crate) picture: Rc<(u32, u32, Vec<u8>)>,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) shown: Vec<Shown>,
    pub(crate) events: Vec<Seen>,
    /// UTF-16 as it came, of the main and of the other window.
    pub(crate) text: [Vec<u16>; 2],
    pub(crate) sides: Sides,
    /// Where the pointer was last known: Windows reports moves that moved nothing.
    pub(crate) pointer: Option<ScreenPx>,
    pub(crate) at: Option<(u32, Deed)>,
    pub(crate) cursor: Option<HCURSOR>,
    began: Instant,
}

thread_local! {
    #[expect(clippy::disallowed_methods, reason = "a witness has a clock of its own")]
    static STATE: RefCell<State> = RefCell::new(State {
        shown: Vec::new(),
        events: Vec::new(),
        text: [Vec::new(), Vec::new()],
        sides: Sides::default(),
        pointer: None,
        at: None,
        cursor: None,
        began: Instant::now(),
    });
}

/// Looks at the state or changes it; calls nothing of Windows in between.
pub(crate) fn with<T>(f: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(f)
}

pub(crate) fn now_ms() -> u64 {
    with(|state| state.began.elapsed().as_millis() as u64)
}

pub(crate) fn shown(which: Which) -> Option<Shown> {
    with(|state| state.shown.iter().find(|shown| shown.which == which).cloned())
}

pub(crate) fn of(handle: HWND) -> Option<Shown> {
    with(|state| state.shown.iter().find(|shown| shown.handle == handle).cloned())
}

const fn index(which: Which) -> usize {
    match which {
        Which::Main => 0,
        Which::Other => 1,
    }
}

/// Notes an event; the deed that is due with it, if it is the last one that was waited for.
pub(crate) fn note(which: Which, what: What, screen: ScreenPx, client: WindowPx) -> Option<Deed> {
    let at_ms = now_ms();
    with(|state| {
        if what == What::Move && state.pointer == Some(screen) {
            return None;
        }
        state.pointer = Some(screen);
        state.events.push(Seen { window: which, what, screen, client, at_ms });
        let (left, deed) = state.at.take()?;
        if left > 1 {
            state.at = Some((left - 1, deed));
            return None;
        }
        Some(deed)
    })
}

/// A unit of text as the system delivered it. Control characters of chords are no text.
pub(crate) fn note_unit(which: Which, unit: u16) {
    const ENTER: u16 = 13;
    const TAB: u16 = 9;
    let unit = match unit {
        ENTER => 10,
        TAB => TAB,
        0..32 | 127 => return,
        unit => unit,
    };
    with(|state| state.text[index(which)].push(unit));
}

pub(crate) fn insert(which: Which, text: &str) {
    with(|state| state.text[index(which)].extend(text.replace("\r\n", "\n").encode_utf16()));
}

pub(crate) fn text(which: Which) -> String {
    with(|state| String::from_utf16_lossy(&state.text[index(which)]))
}

pub(crate) fn forget(pointer: ScreenPx) {
    with(|state| {
        state.events.clear();
        state.text = [Vec::new(), Vec::new()];
        state.at = None;
        state.pointer = Some(pointer);
    });
}
