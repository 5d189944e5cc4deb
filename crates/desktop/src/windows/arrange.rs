//! Changing windows: focus, restore, move and resize, and what lies over one.
//!
//! Windows is asked without waiting for the program, which may hang; each change is waited for until Windows says that it
//! holds, for a bounded time. Windows lets a program take the foreground only if it had the last input or belongs to who had, so
//! a refusal is answered in two known ways, neither of which presses a key. This module refuses to report a wish as a fact: it
//! returns the window as it is.

use super::system::why;
use super::whereabouts::{self, Whereabouts, handle, of_id};
use super::windows::{describe, foreground, handles, one};
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::{DesktopError, Placement, Window, WindowId, WindowState};
use handsight_base::space::{ScreenPx, ScreenRect};
use std::time::Duration;
use windows::Win32::Foundation::HWND;
use windows::Win32::System::Threading::{AttachThreadInput, GetCurrentThreadId};
use windows::Win32::UI::Input::KeyboardAndMouse::{INPUT, INPUT_MOUSE, SendInput};
use windows::Win32::UI::WindowsAndMessaging::{
    BringWindowToTop, GA_ROOT, GA_ROOTOWNER, GW_OWNER, GWL_EXSTYLE, GetAncestor, GetWindow,
    GetWindowLongPtrW, GetWindowThreadProcessId, HWND_TOP, IsZoomed, SW_RESTORE, SWP_ASYNCWINDOWPOS,
    SWP_NOACTIVATE, SWP_NOMOVE, SWP_NOOWNERZORDER, SWP_NOSIZE, SWP_NOZORDER, SetForegroundWindow,
    SetWindowPos, ShowWindowAsync, WS_EX_TOPMOST,
};

/// How long a window may take to come to the front, or to its place.
const BOUND: Duration = Duration::from_secs(2);
/// A window that has not moved for this long will not: its program keeps a size of its own.
const SETTLED: Duration = Duration::from_millis(150);
/// Between two looks at a window that is waited for.
const LOOK: Duration = Duration::from_millis(4);

/// Restores a window, brings it to the front, gives it the focus, and waits until it has it.
pub(super) fn focus(id: WindowId) -> Result<Window, DesktopError> {
    let found = of_id(id.0)?;
    let window = found.handle;
    restore_if(window, found.state == WindowState::Minimised);
    let there = || {
        let now = of_id(id.0)?;
        let held = now.state == WindowState::Normal && has_focus(window);
        Ok(held.then(|| describe(now)))
    };
    let ways: [(fn(HWND), Duration); 3] = [(ask, SETTLED), (ask_as_last_input, SETTLED), (ask_beside, BOUND)];
    for (way, bound) in ways {
        // A window that is still being restored takes no focus.
        wait_for(BOUND, || Ok((of_id(id.0)?.state != WindowState::Minimised).then_some(())))?;
        way(window);
        // Some Windows raise what they give the focus. Where one does not, it is raised without being activated once more: an
        // activation the program gets to late would take the focus from whatever has it by then.
        if !is_raised(&of_id(id.0)?) {
            raise(window);
        }
        if let Some(window) = wait_for(bound, there)? {
            wait_for(SETTLED, || Ok(is_raised(&of_id(id.0)?).then_some(())))?;
            return Ok(window);
        }
    }
    Err(DesktopError::TargetHidden { window: format!("{:?}", found.title()), waited: BOUND + SETTLED * 2 })
}

/// True if the window has the focus, or a dialog of its own that holds it in its place.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn has_focus(window: HWND) -> bool {
    let front = foreground();
    // SAFETY: handles that are none have no owner.
    let owner = unsafe { GetWindow(front, GW_OWNER) }.unwrap_or_default();
    // SAFETY: as above.
    front == window || (!owner.is_invalid() && unsafe { GetAncestor(front, GA_ROOTOWNER) } == window)
}

/// Brings a window above all others of its kind, and leaves the focus where it is.
#[expect(unsafe_code, reason = "a call of the Windows API")]
fn raise(window: HWND) {
    let flags = SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE | SWP_ASYNCWINDOWPOS;
    // SAFETY: a handle that is none is refused. Whether it came true is looked at.
    let _asked = unsafe { SetWindowPos(window, Some(HWND_TOP), 0, 0, 0, 0, flags) };
}

/// True if nothing lies over the window but its own dialogs and what always lies above.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn is_raised(window: &Whereabouts) -> bool {
    let covers = |other: HWND| {
        // SAFETY: a handle that is none has no styles and no owner.
        let (topmost, owner) = unsafe {
            let extended = GetWindowLongPtrW(other, GWL_EXSTYLE) as u32;
            (extended & WS_EX_TOPMOST.0 != 0, GetAncestor(other, GA_ROOTOWNER))
        };
        let at = || whereabouts::of(other).filter(|at| at.state == WindowState::Normal);
        !topmost
            && owner != window.handle
            && at().is_some_and(|at| at.outer.intersect(&window.outer).is_some())
    };
    !handles().into_iter().take_while(|other| *other != window.handle).any(covers)
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn ask(window: HWND) {
    // SAFETY: a handle that is none is refused. Whether it came true is looked at.
    let _allowed = unsafe { SetForegroundWindow(window) };
}

/// Windows lets who had the last input take the foreground, and an empty movement of the mouse is input that does nothing.
#[expect(unsafe_code, reason = "a call of the Windows API")]
fn ask_as_last_input(window: HWND) {
    let nothing = INPUT { r#type: INPUT_MOUSE, ..INPUT::default() };
    // SAFETY: one event of the size it says.
    unsafe { SendInput(&[nothing], size_of::<INPUT>() as i32) };
    ask(window);
}

/// Windows lets who shares the input of the foreground's thread take it.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn ask_beside(window: HWND) {
    // SAFETY: threads by number; what was joined is parted before the end, whatever came of it.
    unsafe {
        let (ours, theirs) = (GetCurrentThreadId(), GetWindowThreadProcessId(foreground(), None));
        let joined = theirs != 0 && theirs != ours && AttachThreadInput(ours, theirs, true).as_bool();
        let _raised = BringWindowToTop(window);
        let _allowed = SetForegroundWindow(window);
        if joined {
            let _parted = AttachThreadInput(ours, theirs, false);
        }
    }
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn restore_if(window: HWND, so: bool) {
    if so {
        // SAFETY: a handle that is none is refused.
        let _asked = unsafe { ShowWindowAsync(window, SW_RESTORE) };
    }
}

/// Moves and resizes a window, waits until it lies still, and returns it as it then is.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub(super) fn place(id: WindowId, to: Placement) -> Result<Window, DesktopError> {
    let found = of_id(id.0)?;
    // SAFETY: a handle that is none is not zoomed. A minimised or maximised window does not move.
    let held = found.state == WindowState::Minimised || unsafe { IsZoomed(found.handle) }.as_bool();
    restore_if(found.handle, held);
    if held {
        let free = |now: &Whereabouts| {
            // SAFETY: as above.
            now.state != WindowState::Minimised && !unsafe { IsZoomed(now.handle) }.as_bool()
        };
        wait_for(BOUND, || Ok(Some(of_id(id.0)?).filter(free)))?;
    }
    let now = settle_at(id, to)?;
    if matches(&now, to) {
        return Ok(describe(now));
    }
    // On a display with another scale the borders change, and a menu may need two rows.
    settle_at(id, to).map(describe)
}

fn matches(now: &Whereabouts, to: Placement) -> bool {
    match to {
        Placement::Outer(outer) => now.outer == outer,
        Placement::Client(client) => now.client == client,
    }
}

/// Asks for a place and waits until the window lies still, there or where its program wants it.
#[expect(unsafe_code, reason = "a call of the Windows API")]
fn settle_at(id: WindowId, to: Placement) -> Result<Whereabouts, DesktopError> {
    let clock = RealClock::new();
    let found = of_id(id.0)?;
    let ScreenRect { origin, size } = whole(&found, to);
    let flags = SWP_NOZORDER | SWP_NOOWNERZORDER | SWP_NOACTIVATE | SWP_ASYNCWINDOWPOS;
    // SAFETY: a handle that is none is refused.
    let asked = unsafe {
        SetWindowPos(found.handle, None, origin.x, origin.y, size.width as i32, size.height as i32, flags)
    };
    if let Err(error) = asked {
        // Windows protects the windows of an Administrator's programs.
        tracing::warn!("Windows does not let us move {:?}: {}", found.title(), why(&error));
        return of_id(id.0);
    }
    let (mut last, mut since) = (found.whole, clock.now());
    let still = wait_for(BOUND, || {
        let now = of_id(id.0)?;
        if now.whole != last {
            (last, since) = (now.whole, clock.now());
        }
        let settled = matches(&now, to) || clock.now().saturating_sub(since) >= SETTLED;
        Ok(settled.then_some(now))
    })?;
    still.map_or_else(|| of_id(id.0), Ok)
}

/// What Windows is to be told so that a window lies as asked, with the decoration and the invisible borders it has now.
fn whole(now: &Whereabouts, to: Placement) -> ScreenRect {
    let (seen, wanted) = match to {
        Placement::Outer(wanted) => (now.outer, wanted),
        Placement::Client(wanted) => (now.client, wanted),
    };
    let (left, top) = (seen.origin.x - now.whole.origin.x, seen.origin.y - now.whole.origin.y);
    let more = |whole: u32, seen: u32, wanted: u32| {
        let more = i64::from(whole) - i64::from(seen);
        // Never empty, and no wider than what Windows can count.
        (i64::from(wanted) + more).clamp(1, i32::MAX.into()) as u32
    };
    ScreenRect {
        origin: ScreenPx::new(wanted.origin.x.saturating_sub(left), wanted.origin.y.saturating_sub(top)),
        size: handsight_base::space::Size::new(
            more(now.whole.size.width, seen.size.width, wanted.size.width),
            more(now.whole.size.height, seen.size.height, wanted.size.height),
        ),
    }
}

/// What lies over the client area of a window: the parts of it that other windows cover, menus and hints too. `ours` is left
/// out: our own overlay.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub(super) fn covered(id: WindowId, ours: Option<HWND>) -> Result<Vec<ScreenRect>, DesktopError> {
    let window = one(id)?;
    // SAFETY: a handle that is none has no ancestor.
    let top = unsafe { GetAncestor(handle(id.0), GA_ROOT) };
    let above = handles().into_iter().take_while(|other| *other != top).filter(|other| Some(*other) != ours);
    Ok(above
        .filter_map(whereabouts::of)
        .filter(|other| other.state == WindowState::Normal)
        .filter_map(|other| other.outer.intersect(&window.client))
        .collect())
}

/// Asks `ready` every few milliseconds until it gives something; `None` once `bound` has passed.
fn wait_for<T>(
    bound: Duration,
    mut ready: impl FnMut() -> Result<Option<T>, DesktopError>,
) -> Result<Option<T>, DesktopError> {
    let clock = RealClock::new();
    loop {
        if let Some(value) = ready()? {
            return Ok(Some(value));
        }
        if clock.now() >= bound {
            return Ok(None);
        }
        std::thread::park_timeout(LOOK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(whole: ScreenRect, outer: ScreenRect, client: ScreenRect) -> Whereabouts {
        Whereabouts { handle: HWND::default(), client, outer, whole, state: WindowState::Normal }
    }

    #[test]
    fn what_windows_is_told_counts_the_borders_nobody_sees() {
        // Windows 11: 7 pixels to resize with on three sides, a title of 31.
        let now = at(
            ScreenRect::new(93, 100, 414, 307),
            ScreenRect::new(100, 100, 400, 300),
            ScreenRect::new(101, 131, 398, 268),
        );
        let outer = Placement::Outer(ScreenRect::new(0, 0, 640, 480));
        assert_eq!(whole(&now, outer), ScreenRect::new(-7, 0, 654, 487));
        let client = Placement::Client(ScreenRect::new(-1000, 20, 800, 600));
        assert_eq!(whole(&now, client), ScreenRect::new(-1008, -11, 816, 639));
        let odd = whole(&now, Placement::Client(ScreenRect::new(i32::MIN, 0, u32::MAX, 0)));
        assert_eq!((odd.origin.x, odd.size.width, odd.size.height), (i32::MIN, i32::MAX as u32, 39));
    }
}
