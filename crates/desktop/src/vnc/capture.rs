//! Captures: the client's picture of the screen, brought up to date and shared with the frame.
//!
//! A picture without our pointer is not copied at all; one with it is copied once, because the pointer is drawn on it. There are
//! no windows to capture, so a window is refused by name.

use super::connection::Connection;
use super::displays;
use handsight_base::area;
use handsight_base::flow::frame::{Frame, PixelMemory, Pixels, Shown};
use handsight_base::port::desktop::{CaptureRequest, DesktopError};
use handsight_base::space::FrameGeometry;
use std::sync::Arc;
use std::time::Duration;

/// The picture that `request` asks for, of a screen that is up to date; `at` is its time.
pub(crate) fn capture(
    connection: &Connection,
    request: &CaptureRequest,
    at: Duration,
) -> Result<Frame, DesktopError> {
    let screen = connection.screen();
    let shown = match &request.shown {
        Shown::AllDisplays => screen.whole(),
        Shown::Display(name) => displays::named(&connection.displays(), name)?,
        Shown::Window(_) => {
            return Err(DesktopError::Unsupported { what: "windows".into(), backend: "vnc".to_owned() });
        }
    };
    let area = area::cut((shown, screen.whole()), request.region)?;
    let blends = request.cursor && connection.cursor.area().is_some_and(|c| c.intersect(&area).is_some());
    let (memory, stride): (Arc<dyn PixelMemory>, usize) = if blends {
        let mut copy = screen.copy_of(area);
        connection.cursor.blend(&mut copy, area);
        (Arc::new(copy), area.size.width as usize * 4)
    } else {
        screen.share(area)
    };
    let pixels = Pixels::new(memory, area.size, stride)
        .ok_or_else(|| DesktopError::Capture { why: "the picture came too short".into(), code: None })?;
    let geometry = FrameGeometry { frame: request.frame, size: area.size, origin: area.origin, scale: 1.0 };
    Ok(Frame { geometry, shown: request.shown.clone(), at, pixels, cursor: blends, suspicion: None })
}
