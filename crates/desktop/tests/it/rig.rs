//! What the tests of this crate share.

pub(crate) use crate::alone::alone;
use handsight_base::flow::action::{Action, Timing};
use handsight_base::flow::frame::{Frame, Shown};
use handsight_base::gate::{Approved, Effect, Gate, Scene, Work};
use handsight_base::port::clock::RealClock;
use handsight_base::port::desktop::{CaptureRequest, Desktop, OverlayInCapture};
use handsight_base::space::{FrameGeometry, FrameId, ScreenPx, ScreenRect, Size};
use handsight_desktop::x11::{X11Config, X11Desktop};
use std::sync::Arc;

/// Eyes on a display, without hands.
#[track_caller]
pub(crate) fn eyes(display: &str) -> X11Desktop {
    X11Desktop::connect(config(display)).expect("the desktop connects")
}

pub(crate) fn config(display: &str) -> X11Config {
    X11Config::eyes(Some(display.to_owned()), Arc::new(RealClock::new()))
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

pub(crate) fn region(x: i32, y: i32, width: u32, height: u32) -> CaptureRequest {
    CaptureRequest { region: Some(ScreenRect::new(x, y, width, height)), ..all() }
}

pub(crate) fn window(id: u64) -> CaptureRequest {
    CaptureRequest { shown: Shown::Window(id), ..all() }
}

#[track_caller]
pub(crate) fn capture(desktop: &mut X11Desktop, request: &CaptureRequest) -> Frame {
    desktop.capture(request).expect("a picture")
}

/// Blue, green, red of each pixel, row by row, without the undefined byte.
pub(crate) fn bgr(frame: &Frame) -> Vec<u8> {
    let view = frame.view();
    (0..view.size().height).flat_map(|row| colours(view.row(row))).collect()
}

/// The same of BGRX bytes as a server sends them.
pub(crate) fn colours(bgrx: &[u8]) -> Vec<u8> {
    bgrx.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect()
}

/// How many file descriptors this process has open, and how many shared mappings.
pub(crate) fn handles() -> (usize, usize) {
    let open = std::fs::read_dir("/proc/self/fd").expect("procfs").count();
    let maps = std::fs::read_to_string("/proc/self/maps").expect("procfs");
    let shared = maps.lines().filter(|l| l.contains("handsight-frame") || l.contains("/SYSV")).count();
    (open, shared)
}
