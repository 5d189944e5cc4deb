//! Captures: the screen written by the server straight into shared memory, which is the frame.
//!
//! Geometry is asked afresh for every picture, because windows move and monitors come and go. A window is captured as it is
//! seen on the screen, with what lies over it. Without shared memory (another machine, an old server) the picture comes
//! over the socket. This module refuses to keep a picture: whoever holds a frame holds its memory.

use super::connection::{Link, XError, XResult, describe};
use super::segment::{Lease, Pool};
use super::{cursor, displays, windows};
use handsight_base::flow::frame::{Frame, PixelMemory, Pixels, Shown};
use handsight_base::port::desktop::{CaptureRequest, DesktopError, WindowId, WindowState};
use handsight_base::space::{FrameGeometry, ScreenRect};
use std::sync::Arc;
use std::time::Duration;
use x11rb::protocol::ErrorKind;
use x11rb::protocol::shm::ConnectionExt as _;
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat};

/// Takes pictures over one connection.
#[derive(Default)]
pub(crate) struct Camera {
    pool: Arc<Pool>,
    /// Shared memory did not work on this connection; said once, not tried again.
    no_shm: bool,
}

/// Pixels with the area they show.
struct Shot {
    area: ScreenRect,
    memory: Arc<dyn PixelMemory>,
    cursor: bool,
}

/// How one attempt at a picture can fail.
enum Miss {
    /// The screen was resized between asking where and asking what.
    Moved(DesktopError),
    Failed(DesktopError),
}

impl From<DesktopError> for Miss {
    fn from(error: DesktopError) -> Self {
        Self::Failed(error)
    }
}

impl Camera {
    /// A picture as asked for; `at` is its time.
    pub(crate) fn capture(
        &mut self,
        link: &Link,
        request: &CaptureRequest,
        at: Duration,
    ) -> Result<Frame, DesktopError> {
        link.drain()?;
        let shot = match self.shoot(link, request) {
            Err(Miss::Moved(_)) => self.shoot(link, request),
            other => other,
        };
        let shot = shot.map_err(|miss| match miss {
            Miss::Moved(error) | Miss::Failed(error) => error,
        })?;
        let size = shot.area.size;
        let geometry = FrameGeometry { frame: request.frame, size, origin: shot.area.origin, scale: 1.0 };
        let pixels = Pixels::new(shot.memory, size, size.width as usize * 4)
            .ok_or_else(|| DesktopError::Capture { why: "the picture came too short".into(), code: None })?;
        let shown = request.shown.clone();
        Ok(Frame { geometry, shown, at, pixels, cursor: shot.cursor, suspicion: None })
    }

    fn shoot(&mut self, link: &Link, request: &CaptureRequest) -> Result<Shot, Miss> {
        let area = locate(link, request)?;
        if link.has.shm && link.local && !self.no_shm {
            let len = area.size.area() as usize * 4;
            match self.pool.take(link, len) {
                Ok(lease) => return shared(link, lease, area, request.cursor),
                Err(why) => {
                    tracing::warn!(
                        "no memory is shared with the X server ({why}); pictures come over its socket"
                    );
                    self.no_shm = true;
                }
            }
        }
        plain(link, area, request.cursor)
    }

    /// The server's part of a capture and nothing else: the root of `size` into a segment. What a capture costs is
    /// measured against it.
    pub(crate) fn bare(&self, link: &Link, width: u16, height: u16) -> Result<(), DesktopError> {
        let failed = |why: String| DesktopError::Capture { why, code: None };
        let lease = self.pool.take(link, usize::from(width) * usize::from(height) * 4).map_err(failed)?;
        let format = ImageFormat::Z_PIXMAP.into();
        let asked = link.conn.shm_get_image(link.root, 0, 0, width, height, u32::MAX, format, lease.seg(), 0);
        let reply = asked.map_err(XError::from)?.reply().map_err(XError::from);
        reply.map(drop).map_err(|e| e.told(|e| failed(describe(e))))
    }
}

/// The part of the screen a request means, afresh.
fn locate(link: &Link, request: &CaptureRequest) -> Result<ScreenRect, DesktopError> {
    let (displays, root) = displays::displays(link)?;
    let shown = match &request.shown {
        Shown::Display(name) => displays::named(&displays, name)?,
        Shown::AllDisplays => displays::all(&displays),
        Shown::Window(id) => {
            let window = windows::one(link, WindowId(*id))?;
            if window.state != WindowState::Normal {
                return Err(hidden(&window.title));
            }
            window.client.intersect(&root).ok_or_else(|| hidden(&window.title))?
        }
    };
    let outside = |what: ScreenRect| DesktopError::Capture {
        why: format!("{what} lies outside of what is shown, {shown} on a screen of {}", root.size),
        code: None,
    };
    let shown_here = shown.intersect(&root).ok_or_else(|| outside(shown))?;
    match request.region {
        None => Ok(shown_here),
        Some(region) => region.intersect(&shown_here).ok_or_else(|| outside(region)),
    }
}

fn hidden(title: &str) -> DesktopError {
    DesktopError::TargetHidden { window: format!("{title:?}"), waited: Duration::ZERO }
}

/// The server writes into our segment; the pointer, asked for in the same breath, is blended in.
fn shared(link: &Link, mut lease: Lease, area: ScreenRect, with_cursor: bool) -> Result<Shot, Miss> {
    let (x, y, width, height) = wire(area);
    let asked = || -> XResult<_> {
        let format = ImageFormat::Z_PIXMAP.into();
        let image =
            link.conn.shm_get_image(link.root, x, y, width, height, u32::MAX, format, lease.seg(), 0)?;
        let cursor = if with_cursor { cursor::ask(link)? } else { None };
        let image = image.reply()?;
        // A refused cursor is a picture without one.
        Ok((image, cursor.and_then(|c| c.reply().ok())))
    };
    let (image, pointer) = match asked() {
        Ok(answers) => answers,
        Err(error @ XError::Refused(_)) => return Err(refused(error)),
        Err(lost) => {
            lease.abandon();
            return Err(Miss::Failed(lost.into()));
        }
    };
    let len = area.size.area() as usize * 4;
    if image.size as usize != len {
        let why = format!("{} bytes came for {}", image.size, area.size);
        return Err(Miss::Failed(DesktopError::Capture { why, code: None }));
    }
    let cursor = pointer.is_some_and(|p| cursor::blend(&mut lease.bytes_mut()[..len], area, &p));
    Ok(Shot { area, memory: Arc::new(lease), cursor })
}

/// The same over the socket.
fn plain(link: &Link, area: ScreenRect, with_cursor: bool) -> Result<Shot, Miss> {
    let (x, y, width, height) = wire(area);
    let asked = || -> XResult<_> {
        let format = ImageFormat::Z_PIXMAP;
        let image = link.conn.get_image(format, link.root, x, y, width, height, u32::MAX)?;
        let cursor = if with_cursor { cursor::ask(link)? } else { None };
        Ok((image.reply()?, cursor.and_then(|c| c.reply().ok())))
    };
    let (image, pointer) = asked().map_err(refused)?;
    let mut pixels = image.data;
    let cursor = pointer.is_some_and(|p| cursor::blend(&mut pixels, area, &p));
    Ok(Shot { area, memory: Arc::new(pixels), cursor })
}

fn refused(error: XError) -> Miss {
    let resized = matches!(&error, XError::Refused(e) if e.error_kind == ErrorKind::Match);
    let told = error.told(|e| DesktopError::Capture { why: describe(e), code: Some(e.error_code.into()) });
    if resized { Miss::Moved(told) } else { Miss::Failed(told) }
}

/// A rectangle inside the root, whose coordinates fit the wire by definition.
fn wire(area: ScreenRect) -> (i16, i16, u16, u16) {
    let r = super::damage::rectangle(area);
    (r.x, r.y, r.width, r.height)
}
