//! What the Windows tests of this crate share: windows of their own, made with nothing but the system's calls.

use handsight_base::flow::action::{Action, Timing};
use handsight_base::flow::frame::{Frame, Shown};
use handsight_base::gate::{Approved, Effect, Gate, Scene, Work};
use handsight_base::port::clock::RealClock;
use handsight_base::port::desktop::{CaptureRequest, Desktop, OverlayInCapture, WindowId};
use handsight_base::space::{FrameGeometry, FrameId, ScreenPx, ScreenRect, Size, WindowPx};
use handsight_desktop::windows::{WindowsConfig, WindowsDesktop, declare_dpi_awareness};
use handsight_testkit::wait::{PATIENCE, until};
use handsight_testkit::witness_protocol::pattern as painted;
use std::ffi::c_void;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use windows::Win32::Foundation::{HWND, LPARAM, LRESULT, POINT, RECT, WPARAM};
use windows::Win32::Graphics::Gdi::{
    BI_RGB, BITMAPINFO, BITMAPINFOHEADER, BeginPaint, ClientToScreen, CreateBitmap, DIB_RGB_COLORS,
    DeleteObject, EndPaint, GetDC, GetPixel, HGDIOBJ, PAINTSTRUCT, ReleaseDC, SetDIBitsToDevice,
};
use windows::Win32::System::LibraryLoader::GetModuleHandleW;
use windows::Win32::UI::WindowsAndMessaging::{
    AdjustWindowRectEx, CREATESTRUCTW, CreateIconIndirect, CreateWindowExW, DefWindowProcW, DispatchMessageW,
    GWLP_USERDATA, GetClientRect, GetMessageW, GetWindowLongPtrW, HCURSOR, HWND_TOPMOST, ICONINFO,
    MINMAXINFO, MSG, PostMessageW, PostQuitMessage, RegisterClassExW, SW_SHOWNA, SW_SHOWNORMAL,
    SWP_NOACTIVATE, SWP_NOMOVE, SWP_NOSIZE, SetCursor, SetCursorPos, SetWindowLongPtrW, SetWindowPos,
    ShowWindow, WINDOW_EX_STYLE, WINDOW_STYLE, WM_CLOSE, WM_DESTROY, WM_GETMINMAXINFO, WM_LBUTTONDOWN,
    WM_NCCREATE, WM_PAINT, WM_SETCURSOR, WNDCLASSEXW, WS_EX_NOACTIVATE, WS_EX_TOOLWINDOW,
    WS_OVERLAPPEDWINDOW, WS_POPUP,
};
use windows::core::{HSTRING, PCWSTR, w};

/// The class of all test windows.
pub(crate) const CLASS: &str = "HandsightTest";
const CLASS_W: PCWSTR = w!("HandsightTest");

/// Eyes on this desktop, without hands.
#[track_caller]
pub(crate) fn eyes() -> WindowsDesktop {
    WindowsDesktop::connect(config()).expect("the desktop opens")
}

pub(crate) fn config() -> WindowsConfig {
    WindowsConfig::eyes(Arc::new(RealClock::new()))
}

/// The whole of a 4K screen as frame 1.
const SCENE: FrameGeometry =
    FrameGeometry { frame: FrameId(1), size: Size::new(3840, 2160), origin: ScreenPx::new(0, 0), scale: 1.0 };

/// An approval by a gate without rules.
pub(crate) fn approved<T: Effect>(effect: T) -> Approved<T> {
    let scene = Scene::new(&SCENE, 1);
    Gate::new(Vec::new()).approve(effect, &scene).expect("there is no rule to refuse")
}

/// An action, approved and expanded.
pub(crate) fn work(action: Action) -> Work {
    approved(action).expand(&SCENE, &Timing::default()).expect("it can be expanded")
}

/// A picture of everything, without the pointer.
pub(crate) fn all() -> CaptureRequest {
    CaptureRequest {
        frame: FrameId(1),
        shown: Shown::AllDisplays,
        region: None,
        cursor: false,
        overlay: OverlayInCapture::AsShown,
    }
}

pub(crate) fn region(area: ScreenRect) -> CaptureRequest {
    CaptureRequest { region: Some(area), ..all() }
}

pub(crate) fn window(id: WindowId) -> CaptureRequest {
    CaptureRequest { shown: Shown::Window(id.0), ..all() }
}

#[track_caller]
pub(crate) fn capture(desktop: &mut WindowsDesktop, request: &CaptureRequest) -> Frame {
    desktop.capture(request).expect("a picture")
}

/// Blue, green, red of each pixel, row by row, without the undefined byte.
pub(crate) fn bgr(frame: &Frame) -> Vec<u8> {
    let view = frame.view();
    (0..view.size().height)
        .flat_map(|row| view.row(row).chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect::<Vec<u8>>())
        .collect()
}

/// What a test window paints on a part of its client area, as [`bgr`] has it.
pub(crate) fn pattern(seed: u32, left: u32, top: u32, width: u32, height: u32) -> Vec<u8> {
    let rows = (top..top + height).flat_map(|y| (left..left + width).map(move |x| (x, y)));
    rows.flat_map(|(x, y)| painted(seed, x, y)).collect()
}

/// What stands on the screen at one place, by a call that the product does not use.
#[expect(unsafe_code, reason = "calls of the Windows API")]
pub(crate) fn pixel(x: i32, y: i32) -> [u8; 3] {
    // SAFETY: the screen's own context, given back before the value is used.
    let colour = unsafe {
        let screen = GetDC(None);
        let colour = GetPixel(screen, x, y);
        ReleaseDC(None, screen);
        colour.0
    };
    [(colour >> 16) as u8, (colour >> 8) as u8, colour as u8]
}

/// Puts the pointer somewhere.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub(crate) fn point_at(x: i32, y: i32) {
    // SAFETY: takes numbers.
    unsafe { SetCursorPos(x, y) }.expect("the pointer moves");
}

/// How a test window is to be.
#[derive(Clone)]
pub(crate) struct Look {
    pub title: String,
    pub client: ScreenRect,
    pub framed: bool,
    pub topmost: bool,
    /// A hint or palette: no title bar, not on the taskbar.
    pub tool: bool,
    pub seed: u32,
    /// The smallest and largest size of the window, which its program insists on.
    pub only: Option<Size>,
    /// The pointer over it is a red square of 8 pixels with a white one at its hot spot, (2, 5).
    pub sprite: bool,
    pub owner: Option<WindowId>,
    pub active: bool,
}

impl Look {
    pub(crate) fn new(title: &str, client: ScreenRect) -> Self {
        Self {
            title: title.to_owned(),
            client,
            framed: false,
            topmost: false,
            tool: false,
            seed: 1,
            only: None,
            sprite: false,
            owner: None,
            active: true,
        }
    }
}

/// A window with a thread of its own. Dropping it closes it.
pub(crate) struct TestWindow {
    handle: usize,
    thread: Option<JoinHandle<()>>,
    clicks: Clicks,
    pub look: Look,
}

/// Where the left button went down, in the client area as Windows reported it.
type Clicks = Arc<Mutex<Vec<WindowPx>>>;

impl TestWindow {
    /// Opens it and waits until it is painted.
    #[track_caller]
    pub(crate) fn open(look: Look) -> Self {
        // Before the first window.
        declare_dpi_awareness();
        let (opened, handle) = sync_channel(1);
        let told = look.clone();
        let clicks = Clicks::default();
        let heard = Arc::clone(&clicks);
        let thread = std::thread::spawn(move || {
            run(told, heard, |handle| opened.send(handle).expect("the test waits"))
        });
        let handle = handle.recv_timeout(PATIENCE).expect("the window opens");
        let window = Self { handle, thread: Some(thread), clicks, look };
        let at = window.look.client;
        // A place that is on the screen, wherever the window begins.
        let (x, y) = (at.origin.x.max(0) + 3, at.origin.y.max(0) + 3);
        let want = painted(window.look.seed, (x - at.origin.x) as u32, (y - at.origin.y) as u32);
        until("the window is painted", PATIENCE, || (pixel(x, y) == want).then_some(()));
        window
    }

    /// A popup just there.
    #[track_caller]
    pub(crate) fn plain(title: &str, client: ScreenRect) -> Self {
        Self::open(Look::new(title, client))
    }

    pub(crate) fn clicks(&self) -> Vec<WindowPx> {
        self.clicks.lock().expect("its thread lives").clone()
    }

    pub(crate) fn id(&self) -> WindowId {
        WindowId(u64::from(self.handle as u32))
    }

    pub(crate) fn handle(&self) -> HWND {
        HWND(self.handle as *mut c_void)
    }

    /// The client area by calls of the test's own.
    #[expect(unsafe_code, reason = "calls of the Windows API")]
    pub(crate) fn client(&self) -> ScreenRect {
        let (mut rect, mut origin) = (RECT::default(), POINT::default());
        // SAFETY: both are ours.
        unsafe {
            GetClientRect(self.handle(), &raw mut rect).expect("the window is there");
            let _mapped = ClientToScreen(self.handle(), &raw mut origin);
        }
        ScreenRect::new(origin.x, origin.y, rect.right as u32, rect.bottom as u32)
    }

    #[expect(unsafe_code, reason = "a call of the Windows API")]
    pub(crate) fn close(&mut self) {
        // SAFETY: a handle that is none is refused.
        let _asked = unsafe { PostMessageW(Some(self.handle()), WM_CLOSE, WPARAM(0), LPARAM(0)) };
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the window's thread ends well");
        }
    }
}

impl Drop for TestWindow {
    fn drop(&mut self) {
        self.close();
    }
}

/// What the window procedure has to know.
struct State {
    look: Look,
    clicks: Clicks,
    sprite: Option<HCURSOR>,
}

#[expect(unsafe_code, reason = "calls of the Windows API")]
fn run(look: Look, clicks: Clicks, opened: impl FnOnce(usize)) {
    let state = Box::new(State { sprite: look.sprite.then(sprite), look: look.clone(), clicks });
    let mut style = if look.framed { WS_OVERLAPPEDWINDOW } else { WS_POPUP };
    let mut extended = WINDOW_EX_STYLE(0);
    if look.tool {
        style = WS_POPUP;
        extended = WS_EX_TOOLWINDOW | WS_EX_NOACTIVATE;
    }
    let whole = whole(look.client, style, extended);
    let owner = look.owner.map(|id| HWND(id.0 as usize as *mut c_void));
    // SAFETY: the class and its procedure live as long as the process; the state lives until the loop has ended.
    unsafe {
        let module = GetModuleHandleW(None).expect("this program").into();
        let class = WNDCLASSEXW {
            cbSize: size_of::<WNDCLASSEXW>() as u32,
            lpfnWndProc: Some(procedure),
            hInstance: module,
            lpszClassName: CLASS_W,
            ..WNDCLASSEXW::default()
        };
        // The second time it is there already.
        RegisterClassExW(&raw const class);
        let title = HSTRING::from(&look.title);
        let (x, y) = (whole.origin.x, whole.origin.y);
        let (width, height) = (whole.size.width as i32, whole.size.height as i32);
        let given = Some((&raw const *state).cast::<c_void>());
        let window = CreateWindowExW(
            extended,
            CLASS_W,
            &title,
            style,
            x,
            y,
            width,
            height,
            owner,
            None,
            Some(module),
            given,
        )
        .expect("a window");
        if look.topmost {
            let _raised = SetWindowPos(
                window,
                Some(HWND_TOPMOST),
                0,
                0,
                0,
                0,
                SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE,
            );
        }
        let _before = ShowWindow(window, if look.active && !look.tool { SW_SHOWNORMAL } else { SW_SHOWNA });
        opened(window.0 as usize);
        let mut message = MSG::default();
        while GetMessageW(&raw mut message, None, 0, 0).as_bool() {
            DispatchMessageW(&raw const message);
        }
    }
    drop(state);
}

/// The window's rectangle for a client area.
#[expect(unsafe_code, reason = "a call of the Windows API")]
fn whole(client: ScreenRect, style: WINDOW_STYLE, extended: WINDOW_EX_STYLE) -> ScreenRect {
    let (width, height) = (client.size.width as i32, client.size.height as i32);
    let mut rect = RECT { left: 0, top: 0, right: width, bottom: height };
    // SAFETY: `rect` is ours.
    unsafe { AdjustWindowRectEx(&raw mut rect, style, false, extended) }.expect("a rectangle");
    let (width, height) = ((rect.right - rect.left) as u32, (rect.bottom - rect.top) as u32);
    ScreenRect { origin: client.origin.offset(rect.left, rect.top), size: Size::new(width, height) }
}

#[expect(unsafe_code, reason = "the procedure of a window")]
unsafe extern "system" fn procedure(window: HWND, message: u32, word: WPARAM, long: LPARAM) -> LRESULT {
    // SAFETY: `run` gave its state with the creation of the window and keeps it until its loop has ended.
    unsafe {
        if message == WM_NCCREATE {
            let given = (*(long.0 as *const CREATESTRUCTW)).lpCreateParams;
            SetWindowLongPtrW(window, GWLP_USERDATA, given as isize);
        }
        let state = (GetWindowLongPtrW(window, GWLP_USERDATA) as *const State).as_ref();
        match (message, state) {
            (WM_PAINT, Some(state)) => {
                paint(window, state.look.seed);
                LRESULT(0)
            }
            (WM_LBUTTONDOWN, Some(state)) => {
                let at = WindowPx::new((long.0 as i16).into(), ((long.0 >> 16) as i16).into());
                state.clicks.lock().expect("nobody died with it").push(at);
                LRESULT(0)
            }
            (WM_SETCURSOR, Some(State { sprite: Some(sprite), .. })) => {
                SetCursor(Some(*sprite));
                LRESULT(1)
            }
            (WM_GETMINMAXINFO, Some(State { look: Look { only: Some(size), .. }, .. })) => {
                let limits = &mut *(long.0 as *mut MINMAXINFO);
                let size = POINT { x: size.width as i32, y: size.height as i32 };
                (limits.ptMinTrackSize, limits.ptMaxTrackSize) = (size, size);
                LRESULT(0)
            }
            (WM_DESTROY, _) => {
                PostQuitMessage(0);
                LRESULT(0)
            }
            _ => DefWindowProcW(window, message, word, long),
        }
    }
}

#[expect(unsafe_code, reason = "calls of the Windows API")]
unsafe fn paint(window: HWND, seed: u32) {
    let mut rect = RECT::default();
    let mut paint = PAINTSTRUCT::default();
    // SAFETY: the window is being painted; all pointers are to what lives here.
    unsafe {
        GetClientRect(window, &raw mut rect).expect("a client area");
        let (width, height) = (rect.right as u32, rect.bottom as u32);
        let dc = BeginPaint(window, &raw mut paint);
        let pixels: Vec<u8> =
            pattern(seed, 0, 0, width, height).chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 0]).collect();
        let info = bitmap_info(width, height);
        let bits = pixels.as_ptr().cast::<c_void>();
        SetDIBitsToDevice(dc, 0, 0, width, height, 0, 0, 0, height, bits, &raw const info, DIB_RGB_COLORS);
        let _ended = EndPaint(window, &raw const paint);
    }
}

fn bitmap_info(width: u32, height: u32) -> BITMAPINFO {
    BITMAPINFO {
        bmiHeader: BITMAPINFOHEADER {
            biSize: size_of::<BITMAPINFOHEADER>() as u32,
            biWidth: width as i32,
            biHeight: -(height as i32),
            biPlanes: 1,
            biBitCount: 32,
            biCompression: BI_RGB.0,
            ..BITMAPINFOHEADER::default()
        },
        ..BITMAPINFO::default()
    }
}

/// 8x8, red, with a white pixel as its hot spot.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn sprite() -> HCURSOR {
    let mut colours = [[0u8, 0, 255, 255]; 64];
    colours[5 * 8 + 2] = [255; 4];
    // One bit a pixel, rows of 16 bits: nothing of what lies below is kept.
    let mask = [0u8; 16];
    // SAFETY: the bitmaps are made of as many bytes as they need, and let go once they are copied.
    unsafe {
        let colour = CreateBitmap(8, 8, 1, 32, Some(colours.as_ptr().cast()));
        let mask = CreateBitmap(8, 8, 1, 1, Some(mask.as_ptr().cast()));
        let info =
            ICONINFO { fIcon: false.into(), xHotspot: 2, yHotspot: 5, hbmMask: mask, hbmColor: colour };
        let cursor = CreateIconIndirect(&raw const info).expect("a cursor");
        let _gone = (DeleteObject(HGDIOBJ(colour.0)), DeleteObject(HGDIOBJ(mask.0)));
        HCURSOR(cursor.0)
    }
}
