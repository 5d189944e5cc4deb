//! Windows of the tests' own, on threads of their own, and what an outsider sees of the screen: nothing here uses the product.

#![expect(unsafe_code, reason = "calls of the Windows API")]

use handsight_base::space::{ScreenRect, Size};
use handsight_testkit::wait::{PATIENCE, until};
use std::cell::RefCell;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use windows::Win32::Foundation::{COLORREF, HINSTANCE, HWND, LPARAM, LRESULT, POINT, RECT, WPARAM};
use windows::Win32::Graphics::Gdi::{
    BI_RGB, BITMAPINFO, BITMAPINFOHEADER, BeginPaint, BitBlt, CAPTUREBLT, CreateCompatibleBitmap,
    CreateCompatibleDC, CreateSolidBrush, DIB_RGB_COLORS, DeleteDC, DeleteObject, EndPaint, FillRect, GetDC,
    GetDIBits, PAINTSTRUCT, ReleaseDC, SRCCOPY, SelectObject,
};
use windows::Win32::System::LibraryLoader::GetModuleHandleW;
use windows::Win32::UI::Input::KeyboardAndMouse::{
    INPUT, INPUT_0, INPUT_MOUSE, MOUSE_EVENT_FLAGS, MOUSEEVENTF_ABSOLUTE, MOUSEEVENTF_LEFTDOWN,
    MOUSEEVENTF_LEFTUP, MOUSEEVENTF_MOVE, MOUSEINPUT, SendInput,
};
use windows::Win32::UI::WindowsAndMessaging::{
    CreateWindowExW, DefWindowProcW, DestroyWindow, DispatchMessageW, EnumWindows, GWL_EXSTYLE, GWL_STYLE,
    GetClassNameW, GetForegroundWindow, GetMessageW, GetSystemMetrics, GetWindowLongPtrW, GetWindowRect,
    GetWindowThreadProcessId, IsWindowVisible, MSG, PostMessageW, PostQuitMessage, RegisterClassExW,
    SET_WINDOW_POS_FLAGS, SM_CXSCREEN, SM_CYSCREEN, SW_SHOW, SW_SHOWNOACTIVATE, SWP_NOACTIVATE, SWP_NOMOVE,
    SWP_NOSIZE, SetCursorPos, SetForegroundWindow, SetWindowPos, ShowWindow, WINDOW_EX_STYLE,
    WINDOW_LONG_PTR_INDEX, WM_CLOSE, WM_DESTROY, WM_ERASEBKGND, WM_LBUTTONDOWN, WM_LBUTTONUP, WM_PAINT,
    WNDCLASSEXW, WS_EX_NOACTIVATE, WS_EX_TOOLWINDOW, WS_EX_TOPMOST, WS_POPUP, WindowFromPoint,
};
use windows::core::{BOOL, w};

/// A press or a release of the left button, and where in the window.
pub(crate) type Click = (bool, i32, i32);

struct State {
    colour: [u8; 3],
    clicks: Arc<Mutex<Vec<Click>>>,
}

thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

/// A window without a frame in one colour (blue, green, red), which tells who clicked it. It closes when dropped.
pub(crate) struct Pane {
    window: isize,
    clicks: Arc<Mutex<Vec<Click>>>,
    thread: Option<JoinHandle<()>>,
}

impl Pane {
    pub(crate) fn open(area: ScreenRect, colour: [u8; 3]) -> Self {
        Self::with(area, colour, WINDOW_EX_STYLE(0))
    }

    /// One that is always on top and never active, as an overlay is. Under Wine an active window belongs to the window
    /// manager, which keeps it below those that do not.
    pub(crate) fn topmost(area: ScreenRect, colour: [u8; 3]) -> Self {
        Self::with(area, colour, WS_EX_TOPMOST | WS_EX_NOACTIVATE | WS_EX_TOOLWINDOW)
    }

    fn with(area: ScreenRect, colour: [u8; 3], style: WINDOW_EX_STYLE) -> Self {
        let clicks: Arc<Mutex<Vec<Click>>> = Arc::default();
        let state = State { colour, clicks: Arc::clone(&clicks) };
        let (made, window) = sync_channel(1);
        let thread = std::thread::Builder::new()
            .name("pane".into())
            .spawn(move || {
                STATE.set(Some(state));
                made.send(create(area, style).0 as isize).unwrap();
                let mut message = MSG::default();
                // SAFETY: `message` is ours; dispatched as it came.
                unsafe {
                    while GetMessageW(&raw mut message, None, 0, 0).0 > 0 {
                        DispatchMessageW(&raw const message);
                    }
                }
            })
            .unwrap();
        let pane = Self { window: window.recv().unwrap(), clicks, thread: Some(thread) };
        let (size, middle) =
            (area.size, area.origin.offset(area.size.width as i32 / 2, area.size.height as i32 / 2));
        assert!(!size.is_empty());
        until("the pane is seen", PATIENCE, || (pixel(middle.x, middle.y) == colour).then_some(()));
        pane
    }

    pub(crate) fn handle(&self) -> HWND {
        HWND(self.window as *mut _)
    }

    pub(crate) fn clicks(&self) -> Vec<Click> {
        self.clicks.lock().unwrap().clone()
    }

    pub(crate) fn forget(&self) {
        self.clicks.lock().unwrap().clear();
    }

    /// Gives it the focus.
    pub(crate) fn focus(&self) {
        // SAFETY: a window of this process.
        let _asked = unsafe { SetForegroundWindow(self.handle()) };
        until("the pane has the focus", PATIENCE, || (foreground() == self.handle()).then_some(()));
    }

    /// Raises it above every window of its kind, topmost or not.
    pub(crate) fn raise(&self, after: HWND) {
        let order = SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE;
        place(self.handle(), after, order);
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        // SAFETY: a window of this process; its thread ends with it.
        unsafe { PostMessageW(Some(self.handle()), WM_CLOSE, WPARAM(0), LPARAM(0)) }.unwrap();
        self.thread.take().unwrap().join().unwrap();
    }
}

fn place(window: HWND, after: HWND, order: SET_WINDOW_POS_FLAGS) {
    // SAFETY: a window of this process.
    unsafe { SetWindowPos(window, Some(after), 0, 0, 0, 0, order) }.unwrap();
}

fn create(area: ScreenRect, style: WINDOW_EX_STYLE) -> HWND {
    let name = w!("handsight test pane");
    // SAFETY: names are constants, and the procedure lives for ever.
    unsafe {
        let module: HINSTANCE = GetModuleHandleW(None).unwrap().into();
        let class = WNDCLASSEXW {
            cbSize: size_of::<WNDCLASSEXW>() as u32,
            lpfnWndProc: Some(answer),
            hInstance: module,
            lpszClassName: name,
            ..WNDCLASSEXW::default()
        };
        // The second pane finds it registered.
        RegisterClassExW(&raw const class);
        let (x, y) = (area.origin.x, area.origin.y);
        let (width, height) = (area.size.width as i32, area.size.height as i32);
        let title = w!("pane");
        let window = CreateWindowExW(
            style,
            name,
            title,
            WS_POPUP,
            x,
            y,
            width,
            height,
            None,
            None,
            Some(module),
            None,
        )
        .unwrap();
        let active = !style.contains(WS_EX_NOACTIVATE);
        let _was_hidden = ShowWindow(window, if active { SW_SHOW } else { SW_SHOWNOACTIVATE });
        window
    }
}

extern "system" fn answer(window: HWND, message: u32, w: WPARAM, l: LPARAM) -> LRESULT {
    let at = || (i32::from(l.0 as i16), i32::from((l.0 >> 16) as i16));
    match message {
        WM_PAINT => STATE.with_borrow(|state| {
            let [b, g, r] = state.as_ref().map_or([0; 3], |s| s.colour).map(u32::from);
            let mut paint = PAINTSTRUCT::default();
            // SAFETY: between the two calls the context is ours.
            unsafe {
                let dc = BeginPaint(window, &raw mut paint);
                let brush = CreateSolidBrush(COLORREF(b << 16 | g << 8 | r));
                FillRect(dc, &raw const paint.rcPaint, brush);
                let _deleted = DeleteObject(brush.into());
                let _ended = EndPaint(window, &raw const paint);
            }
        }),
        WM_ERASEBKGND => return LRESULT(1),
        WM_LBUTTONDOWN | WM_LBUTTONUP => STATE.with_borrow(|state| {
            let (x, y) = at();
            state.as_ref().unwrap().clicks.lock().unwrap().push((message == WM_LBUTTONDOWN, x, y));
        }),
        // SAFETY: its own window; the thread's loop ends after it.
        WM_CLOSE => unsafe { DestroyWindow(window) }.unwrap(),
        // SAFETY: takes a number.
        WM_DESTROY => unsafe { PostQuitMessage(0) },
        // SAFETY: passed on as it came.
        _ => return unsafe { DefWindowProcW(window, message, w, l) },
    }
    LRESULT(0)
}

/// A window as an outsider finds it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) window: HWND,
    pub(crate) style: u32,
    pub(crate) extended: u32,
    pub(crate) shown: bool,
    pub(crate) area: ScreenRect,
}

/// Every top-level window of this process with this class, the topmost first.
pub(crate) fn windows_of(class: &str) -> Vec<Found> {
    windows_of_this_program().into_iter().filter(|w| class_of(*w) == class).map(found).collect()
}

/// Every top-level window of this process, shown or not.
pub(crate) fn windows_of_this_program() -> Vec<HWND> {
    let mut all: Vec<isize> = Vec::new();
    // SAFETY: the callback gets the list back that is lent for the call.
    unsafe { EnumWindows(Some(collect), LPARAM(&raw mut all as isize)) }.unwrap();
    all.into_iter().map(|w| HWND(w as *mut _)).filter(|w| is_ours(*w)).collect()
}

extern "system" fn collect(window: HWND, list: LPARAM) -> BOOL {
    // SAFETY: see above.
    unsafe { (*(list.0 as *mut Vec<isize>)).push(window.0 as isize) };
    BOOL(1)
}

fn is_ours(window: HWND) -> bool {
    let mut pid = 0;
    // SAFETY: `pid` is ours.
    unsafe { GetWindowThreadProcessId(window, Some(&raw mut pid)) };
    pid == std::process::id()
}

fn class_of(window: HWND) -> String {
    let mut name = [0; 256];
    // SAFETY: writes no more than there is room for.
    let length = unsafe { GetClassNameW(window, &mut name) };
    String::from_utf16_lossy(&name[..length as usize])
}

fn found(window: HWND) -> Found {
    let long = |index: WINDOW_LONG_PTR_INDEX| {
        // SAFETY: asks only.
        unsafe { GetWindowLongPtrW(window, index) as u32 }
    };
    let mut rect = RECT::default();
    // SAFETY: `rect` is ours.
    unsafe { GetWindowRect(window, &raw mut rect) }.unwrap();
    let size = Size::new((rect.right - rect.left) as u32, (rect.bottom - rect.top) as u32);
    Found {
        window,
        style: long(GWL_STYLE),
        extended: long(GWL_EXSTYLE),
        // SAFETY: asks only.
        shown: unsafe { IsWindowVisible(window) }.as_bool(),
        area: ScreenRect::new(rect.left, rect.top, size.width, size.height),
    }
}

pub(crate) fn foreground() -> HWND {
    // SAFETY: takes nothing.
    unsafe { GetForegroundWindow() }
}

pub(crate) fn window_at(x: i32, y: i32) -> HWND {
    // SAFETY: asks only.
    unsafe { WindowFromPoint(POINT { x, y }) }
}

/// A click of the left button there, sent as input. Each event says its place: Wine's echo of an earlier one may take the pointer back.
pub(crate) fn click(x: i32, y: i32) {
    // SAFETY: takes a number.
    let [width, height] = [SM_CXSCREEN, SM_CYSCREEN].map(|m| unsafe { GetSystemMetrics(m) });
    let fraction = |v: i32, of: i32| (v * 65_536 + of - 1) / of;
    let (dx, dy) = (fraction(x, width), fraction(y, height));
    let to = MOUSEEVENTF_MOVE | MOUSEEVENTF_ABSOLUTE;
    let button = |flags: MOUSE_EVENT_FLAGS| INPUT {
        r#type: INPUT_MOUSE,
        Anonymous: INPUT_0 { mi: MOUSEINPUT { dx, dy, dwFlags: flags | to, ..MOUSEINPUT::default() } },
    };
    // SAFETY: the events live through the call.
    unsafe {
        SetCursorPos(x, y).unwrap();
        let events = [button(MOUSEEVENTF_LEFTDOWN), button(MOUSEEVENTF_LEFTUP)];
        assert_eq!(SendInput(&events, size_of::<INPUT>() as i32), 2);
    }
}

/// Blue, green, red of a pixel of the screen.
pub(crate) fn pixel(x: i32, y: i32) -> [u8; 3] {
    let all = screenshot(ScreenRect::new(x, y, 1, 1));
    [all[0], all[1], all[2]]
}

/// A part of the screen: blue, green, red, row by row.
pub(crate) fn screenshot(area: ScreenRect) -> Vec<u8> {
    let (width, height) = (area.size.width as i32, area.size.height as i32);
    let mut bgrx = vec![0_u8; area.size.area() as usize * 4];
    let header = BITMAPINFOHEADER {
        biSize: size_of::<BITMAPINFOHEADER>() as u32,
        biWidth: width,
        biHeight: -height,
        biPlanes: 1,
        biBitCount: 32,
        biCompression: BI_RGB.0,
        ..BITMAPINFOHEADER::default()
    };
    let mut info = BITMAPINFO { bmiHeader: header, ..BITMAPINFO::default() };
    // SAFETY: everything got here is given back here, and the buffer holds every row.
    unsafe {
        let screen = GetDC(None);
        let memory = CreateCompatibleDC(Some(screen));
        let bitmap = CreateCompatibleBitmap(screen, width, height);
        let before = SelectObject(memory, bitmap.into());
        BitBlt(memory, 0, 0, width, height, Some(screen), area.origin.x, area.origin.y, SRCCOPY | CAPTUREBLT)
            .unwrap();
        SelectObject(memory, before);
        let into = Some(bgrx.as_mut_ptr().cast());
        let rows = GetDIBits(memory, bitmap, 0, height as u32, into, &raw mut info, DIB_RGB_COLORS);
        assert_eq!(rows, height);
        let _deleted = DeleteObject(bitmap.into());
        let _deleted = DeleteDC(memory);
        ReleaseDC(None, screen);
    }
    bgrx.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect()
}
