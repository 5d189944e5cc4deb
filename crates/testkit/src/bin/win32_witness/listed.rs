//! Every top-level window, as one JSON line.

#![expect(unsafe_code, reason = "Win32")]
#![expect(clippy::print_stdout, reason = "a program's answer")]

use serde_json::{Value, json};
use windows::Win32::Foundation::{HWND, LPARAM, POINT, RECT};
use windows::Win32::Graphics::Gdi::ClientToScreen;
use windows::Win32::UI::WindowsAndMessaging::{
    EnumWindows, GWL_EXSTYLE, GWL_STYLE, GetClassNameW, GetClientRect, GetForegroundWindow,
    GetWindowLongPtrW, GetWindowRect, GetWindowTextW, GetWindowThreadProcessId, IsIconic, IsWindowVisible,
};
use windows::core::BOOL;

pub(crate) fn print() {
    let mut windows: Vec<HWND> = Vec::new();
    // SAFETY: the callback gets this list back, and runs only during the call.
    let _all_seen = unsafe { EnumWindows(Some(collect), LPARAM((&raw mut windows) as isize)) };
    let windows: Vec<Value> = windows.into_iter().map(describe).collect();
    println!("{}", Value::from(windows));
}

unsafe extern "system" fn collect(window: HWND, list: LPARAM) -> BOOL {
    // SAFETY: `print` passes its own list, and waits for the end of the enumeration.
    unsafe { &mut *(list.0 as *mut Vec<HWND>) }.push(window);
    true.into()
}

/// In front first; places are physical pixels of the screen.
fn describe(window: HWND) -> Value {
    let (mut outer, mut client, mut origin, mut pid) =
        (RECT::default(), RECT::default(), POINT::default(), 0);
    let (mut title, mut class) = ([0_u16; 512], [0_u16; 256]);
    // SAFETY: a handle of the enumeration; of a window that is gone since, all stays empty.
    unsafe {
        let _gone = GetWindowRect(window, &raw mut outer);
        let _gone = GetClientRect(window, &raw mut client);
        let _gone = ClientToScreen(window, &raw mut origin);
        GetWindowThreadProcessId(window, Some(&raw mut pid));
        let long = GetWindowTextW(window, &mut title).max(0) as usize;
        let title = &title[..long];
        let long = GetClassNameW(window, &mut class).max(0) as usize;
        let class = &class[..long];
        json!({
            "title": String::from_utf16_lossy(title),
            "class": String::from_utf16_lossy(class),
            "pid": pid,
            "visible": IsWindowVisible(window).as_bool(),
            "minimised": IsIconic(window).as_bool(),
            "foreground": GetForegroundWindow() == window,
            "style": GetWindowLongPtrW(window, GWL_STYLE) as u32,
            "ex_style": GetWindowLongPtrW(window, GWL_EXSTYLE) as u32,
            "outer": [outer.left, outer.top, outer.right - outer.left, outer.bottom - outer.top],
            "client": [origin.x, origin.y, client.right, client.bottom],
        })
    }
}
