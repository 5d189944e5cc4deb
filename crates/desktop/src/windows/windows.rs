//! Windows: which there are, what they are called, where they lie, and which one a query means.
//!
//! Everything is asked afresh each time, of the system and never of a program that may hang. A window that closes while it is
//! asked about is left out of a list and is [`DesktopError::TargetGone`] when it was meant. This module refuses to change
//! anything; see `arrange.rs`.

use super::system;
use super::whereabouts::{self, Whereabouts};
use crate::query;
use handsight_base::flow::action::WindowQuery;
use handsight_base::port::desktop::{DesktopError, Window, WindowId, WindowState};
use windows::Win32::Foundation::{CloseHandle, HWND, LPARAM};
use windows::Win32::System::Threading::{
    OpenProcess, PROCESS_NAME_WIN32, PROCESS_QUERY_LIMITED_INFORMATION, QueryFullProcessImageNameW,
};
use windows::Win32::UI::WindowsAndMessaging::{
    EnumWindows, GWL_EXSTYLE, GWL_STYLE, GetClassNameW, GetForegroundWindow, GetWindowLongPtrW,
    GetWindowThreadProcessId, WS_CAPTION, WS_EX_TOOLWINDOW, WS_EX_TRANSPARENT,
};
use windows::core::{BOOL, PWSTR};

/// All windows a person would call one, the topmost first. `ours` is left out: our own overlay.
pub(super) fn list(ours: Option<HWND>) -> Vec<Window> {
    let shown = |at: &Whereabouts| match at.state {
        WindowState::Normal => !at.outer.is_empty(),
        WindowState::Minimised => true,
        WindowState::Hidden => false,
    };
    let mut windows: Vec<Window> = handles()
        .into_iter()
        .filter(|handle| Some(*handle) != ours && is_a_persons(*handle))
        .filter_map(whereabouts::of)
        .filter(shown)
        .map(describe)
        .collect();
    // What is not on the screen lies below everything that is, wherever Windows keeps it in the stack.
    windows.sort_by_key(|w| w.state != WindowState::Normal);
    windows
}

/// The windows and whatever else takes clicks, the topmost first: menus, hints, the taskbar. `ours` is left out.
pub(super) fn layers(ours: Option<HWND>) -> Vec<Window> {
    let shown = |at: &Whereabouts| at.state == WindowState::Normal && !at.outer.is_empty();
    let handles = handles().into_iter().filter(|handle| Some(*handle) != ours && takes_clicks(*handle));
    handles.filter_map(whereabouts::of).filter(shown).map(describe).collect()
}

/// One window afresh; [`DesktopError::TargetGone`] if it is closed.
pub(super) fn one(id: WindowId) -> Result<Window, DesktopError> {
    whereabouts::of_id(id.0).map(describe)
}

/// The windows a query means, the topmost first; never empty.
pub(super) fn find(query: &WindowQuery, ours: Option<HWND>) -> Result<Vec<Window>, DesktopError> {
    query::choose(list(ours), query, |id| one(WindowId(id)))
}

/// Every top-level window, the topmost first.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub(super) fn handles() -> Vec<HWND> {
    let mut handles: Vec<HWND> = Vec::new();
    // SAFETY: `collect` is given the list, which lives until the call has returned.
    let all = unsafe { EnumWindows(Some(collect), LPARAM((&raw mut handles) as isize)) };
    if let Err(error) = all {
        tracing::debug!("windows cannot be listed: {}", system::why(&error));
    }
    handles
}

#[expect(unsafe_code, reason = "a callback of the Windows API")]
unsafe extern "system" fn collect(handle: HWND, list: LPARAM) -> BOOL {
    // SAFETY: `handles` gave its own list, and is not using it meanwhile.
    let handles = unsafe { &mut *(list.0 as *mut Vec<HWND>) };
    handles.push(handle);
    true.into()
}

/// False for what lets the pointer through.
#[expect(unsafe_code, reason = "a call of the Windows API")]
fn takes_clicks(handle: HWND) -> bool {
    // SAFETY: a handle that is none has no styles.
    let extended = unsafe { GetWindowLongPtrW(handle, GWL_EXSTYLE) } as u32;
    extended & WS_EX_TRANSPARENT.0 == 0
}

/// False for menus, hints, the taskbar and the desktop behind everything: they are tool windows without a title bar.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn is_a_persons(handle: HWND) -> bool {
    // SAFETY: a handle that is none has no styles.
    let [style, extended] =
        [GWL_STYLE, GWL_EXSTYLE].map(|which| unsafe { GetWindowLongPtrW(handle, which) } as u32);
    extended & WS_EX_TOOLWINDOW.0 == 0 || style & WS_CAPTION.0 == WS_CAPTION.0
}

/// The window that keys go to, with the window it lies in.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub(super) fn foreground() -> HWND {
    // SAFETY: takes nothing. There may be none for a moment.
    unsafe { GetForegroundWindow() }
}

/// The process that a window belongs to.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub(super) fn process(handle: HWND) -> Option<u32> {
    let mut pid = 0;
    // SAFETY: `pid` is ours; a handle that is none leaves it alone.
    unsafe { GetWindowThreadProcessId(handle, Some(&raw mut pid)) };
    (pid != 0).then_some(pid)
}

/// The file that a process runs, where it may be asked.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn program(pid: u32) -> Option<String> {
    let mut name = [0u16; 1024];
    let mut length = name.len() as u32;
    // SAFETY: the buffer says how long it is; the handle is ours and is closed.
    unsafe {
        let process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, false, pid).ok()?;
        let told = QueryFullProcessImageNameW(
            process,
            PROCESS_NAME_WIN32,
            PWSTR(name.as_mut_ptr()),
            &raw mut length,
        );
        let _closed = CloseHandle(process);
        told.ok()?;
    }
    let length = usize::try_from(length).unwrap_or(0).min(name.len());
    Some(system::text(&name[..length]))
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn class(handle: HWND) -> String {
    // No class has a longer name.
    let mut name = [0u16; 257];
    // SAFETY: the buffer says how long it is.
    let length = unsafe { GetClassNameW(handle, &mut name) };
    system::text(&name[..usize::try_from(length).unwrap_or(0).min(name.len())])
}

pub(super) fn describe(at: Whereabouts) -> Window {
    let (class, pid) = (class(at.handle), process(at.handle));
    Window {
        id: WindowId(whereabouts::id(at.handle)),
        title: at.title(),
        class: if class.is_empty() { Vec::new() } else { vec![class] },
        pid,
        program: pid.and_then(program),
        client: at.client,
        outer: at.outer,
        state: at.state,
        // What is minimised takes no keys, though Windows may still call it the foreground.
        focused: at.state == WindowState::Normal && at.handle == foreground(),
    }
}
