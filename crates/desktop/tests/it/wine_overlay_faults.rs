//! What Windows refuses an overlay, and that nothing is left behind, neither then nor after thousands that went well.

#![expect(unsafe_code, reason = "calls of the Windows API")]

use crate::alone::alone;
use crate::wine_overlay::{CLASS, checkered};
use crate::wine_panes::{pixel, windows_of, windows_of_this_program};
use crate::wine_test_window::eyes;
use handsight_base::port::desktop::{Desktop, DesktopError, DesktopFault};
use windows::Win32::Foundation::{COLORREF, HINSTANCE, HWND, LPARAM, LRESULT, WPARAM};
use windows::Win32::Graphics::Gdi::{CreateSolidBrush, DeleteObject};
use windows::Win32::System::LibraryLoader::GetModuleHandleW;
use windows::Win32::System::Threading::{
    GR_GDIOBJECTS, GetCurrentProcess, GetGuiResources, GetProcessHandleCount,
};
use windows::Win32::UI::WindowsAndMessaging::{
    DefWindowProcW, GWL_EXSTYLE, GetWindowLongPtrW, LWA_ALPHA, RegisterClassExW, SendMessageW,
    SetLayeredWindowAttributes, SetWindowLongPtrW, UnregisterClassW, WM_CLOSE, WM_NCCREATE, WNDCLASSEXW,
    WS_EX_LAYERED,
};
use windows::core::{HSTRING, PCWSTR};

const INVALID_PARAMETER: i64 = 87;

/// What this process has of Windows: objects of GDI, windows, and handles of the kernel (of which Wine tells none).
#[derive(Debug, Clone, Copy)]
struct Belongings {
    gdi: usize,
    windows: usize,
    handles: u32,
}

impl Belongings {
    fn count() -> Self {
        let mut handles = 0;
        // SAFETY: `handles` is ours.
        let _told = unsafe { GetProcessHandleCount(GetCurrentProcess(), &raw mut handles) };
        Self { gdi: gdi_objects(), windows: windows_of_this_program().len(), handles }
    }

    /// True if nothing was left behind in a hundred rounds or more. Windows makes one or two things for itself now and then.
    fn stayed(self, before: Self) -> bool {
        let few = 20;
        self.windows == before.windows
            && self.gdi < before.gdi + few
            && self.handles < before.handles + few as u32
    }
}

/// Wine tells none, but has the table that Windows has, too.
fn gdi_objects() -> usize {
    // SAFETY: asks only.
    let told = unsafe { GetGuiResources(GetCurrentProcess(), GR_GDIOBJECTS) };
    if told > 0 { told as usize } else { gdi_table() }
}

/// Entries in use of the table of GDI handles that the process environment block points to.
fn gdi_table() -> usize {
    const ENTRIES: usize = 0x1_0000;
    const ENTRY: usize = 24;
    const TYPE: usize = 14;
    // SAFETY: on x86-64 the block is where the thread's own says, and the table is mapped as long as the process lives.
    unsafe {
        let block: *const u8;
        std::arch::asm!("mov {}, gs:[0x60]", out(reg) block, options(nostack, pure, readonly));
        let table = block.add(0xf8).cast::<*const u8>().read();
        assert!(!table.is_null(), "GDI was not used yet");
        (0..ENTRIES).filter(|n| table.add(n * ENTRY + TYPE).read_volatile() != 0).count()
    }
}

/// The counting counts.
#[test]
fn objects_of_gdi_are_counted() {
    let _screen = pixel(0, 0);
    let before = gdi_objects();
    // SAFETY: made and deleted here.
    let brushes: Vec<_> = (0..10).map(|n| unsafe { CreateSolidBrush(COLORREF(n)) }).collect();
    assert_eq!(gdi_objects(), before + 10);
    for brush in brushes {
        // SAFETY: see above.
        assert!(unsafe { DeleteObject(brush.into()) }.as_bool());
    }
    assert_eq!(gdi_objects(), before);
}

extern "system" fn refuse(window: HWND, message: u32, w: WPARAM, l: LPARAM) -> LRESULT {
    if message == WM_NCCREATE {
        return LRESULT(0);
    }
    // SAFETY: passed on as it came.
    unsafe { DefWindowProcW(window, message, w, l) }
}

#[track_caller]
fn is_refused(desktop: &mut dyn Desktop, what: &str) -> Option<i64> {
    let refused = desktop.overlay(Some(&checkered(20, 20, 64, 64))).expect_err(what);
    assert_eq!(refused.fault(), DesktopFault::Fatal);
    match refused {
        DesktopError::Overlay { why, code } if why.contains(what) => code,
        other => panic!("{what}: {other}"),
    }
}

// spec: S-85 WINE
#[test]
fn a_window_that_is_not_made_is_an_error_and_frees_what_it_had() {
    if !alone("wine_overlay_faults::a_window_that_is_not_made_is_an_error_and_frees_what_it_had") {
        return;
    }
    let name = HSTRING::from(CLASS);
    // SAFETY: no name means our own program.
    let module: HINSTANCE = unsafe { GetModuleHandleW(None) }.unwrap().into();
    let class = WNDCLASSEXW {
        cbSize: size_of::<WNDCLASSEXW>() as u32,
        lpfnWndProc: Some(refuse),
        hInstance: module,
        lpszClassName: PCWSTR(name.as_ptr()),
        ..WNDCLASSEXW::default()
    };
    // SAFETY: the description lives through the call.
    assert_ne!(unsafe { RegisterClassExW(&raw const class) }, 0);
    let mut desktop = eyes();
    let _screen = pixel(0, 0);
    is_refused(&mut desktop, "its window was not made");
    let before = Belongings::count();
    for _ in 0..500 {
        let code = is_refused(&mut desktop, "its window was not made");
        assert!(code.is_some());
    }
    let after = Belongings::count();
    assert!(after.stayed(before), "{before:?}, then {after:?}");
    drop(desktop);
    // SAFETY: no window of it is left.
    unsafe { UnregisterClassW(&name, Some(module)) }.unwrap();
    // And it can be shown after all.
    let mut desktop = eyes();
    desktop.overlay(Some(&checkered(20, 20, 64, 64))).unwrap();
    assert_eq!(windows_of(CLASS).len(), 1);
}

fn take_style(window: HWND) {
    // SAFETY: a window of this process.
    unsafe {
        let extended = GetWindowLongPtrW(window, GWL_EXSTYLE);
        SetWindowLongPtrW(window, GWL_EXSTYLE, extended & !(WS_EX_LAYERED.0 as isize));
    }
}

/// A window that has one alpha for all of it takes no picture.
fn give_alpha(window: HWND) {
    // SAFETY: a window of this process.
    unsafe { SetLayeredWindowAttributes(window, COLORREF(0), 200, LWA_ALPHA) }.unwrap();
}

// spec: S-85 WINE
#[test]
fn a_picture_that_is_not_taken_is_an_error_and_frees_the_window() {
    if !alone("wine_overlay_faults::a_picture_that_is_not_taken_is_an_error_and_frees_the_window") {
        return;
    }
    let mut desktop = eyes();
    for (what, fault) in [("no longer layered", take_style as fn(HWND)), ("one alpha for all", give_alpha)] {
        let mut fail = || {
            desktop.overlay(Some(&checkered(0, 0, 32, 32))).unwrap();
            fault(windows_of(CLASS)[0].window);
            let code = is_refused(&mut desktop, "its picture was not taken");
            assert_eq!(code, Some(INVALID_PARAMETER), "{what}");
            assert!(windows_of(CLASS).is_empty(), "{what}: the window stays");
        };
        // The first time Windows keeps some things for itself.
        fail();
        let before = Belongings::count();
        (0..100).for_each(|_| fail());
        let after = Belongings::count();
        assert!(after.stayed(before), "{what}: {before:?}, then {after:?}");
    }
    desktop.overlay(Some(&checkered(20, 20, 64, 64))).unwrap();
    assert_eq!(windows_of(CLASS).len(), 1, "it can be shown after all");
}

#[test]
fn nobody_else_closes_the_overlay() {
    let mut desktop = eyes();
    desktop.overlay(Some(&checkered(0, 0, 32, 32))).unwrap();
    let window = windows_of(CLASS)[0].window;
    // SAFETY: a window of this process, whose thread answers.
    unsafe { SendMessageW(window, WM_CLOSE, None, None) };
    let after = windows_of(CLASS);
    assert!(after.len() == 1 && after[0].window == window && after[0].shown, "{after:?}");
}

#[test]
fn two_thousand_overlays_leave_nothing_behind() {
    if !alone("wine_overlay_faults::two_thousand_overlays_leave_nothing_behind") {
        return;
    }
    let mut desktop = eyes();
    let mut show = |n: i32| {
        desktop.overlay(Some(&checkered(n % 300, n % 200, 64, 64))).unwrap();
        if n % 2 == 0 {
            desktop.overlay(None).unwrap();
        }
    };
    (0..20).for_each(&mut show);
    let before = Belongings::count();
    (0..2000).for_each(&mut show);
    let after = Belongings::count();
    assert!(after.stayed(before), "{before:?}, then {after:?}");
    desktop.overlay(None).unwrap();
    assert!(windows_of(CLASS).is_empty());
    drop(desktop);
    // Desktops come and go with their threads.
    let cycle = || {
        let mut desktop = eyes();
        desktop.overlay(Some(&checkered(1, 1, 8, 8))).unwrap();
    };
    (0..5).for_each(|_| cycle());
    let before = Belongings::count();
    (0..100).for_each(|_| cycle());
    let after = Belongings::count();
    assert!(after.stayed(before), "{before:?}, then {after:?}");
}
