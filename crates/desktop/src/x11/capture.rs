//! Captures: the screen written by the server straight into shared memory, which is the frame.
//!
//! Geometry is asked afresh for every picture, because windows move and monitors come and go. A window is captured as it is
//! seen on the screen, with what lies over it. Without shared memory (another machine, an old server) the picture comes
//! over the socket. This module refuses to keep a picture: whoever holds a frame holds its memory.

use super::connection::{Conn, Link, XError, describe};
use super::damage::rectangle;
use super::segment::{Lease, Pool};
use super::{cursor, displays, whereabouts, windows};
use handsight_base::area;
use handsight_base::flow::frame::{Frame, PixelMemory, Pixels, Shown};
use handsight_base::port::desktop::{CaptureRequest, DesktopError, WindowId, WindowState};
use handsight_base::space::{FrameGeometry, ScreenRect};
use std::sync::Arc;
use std::time::Duration;
use x11rb::cookie::Cookie;
use x11rb::protocol::ErrorKind;
use x11rb::protocol::shm::{self, ConnectionExt as _};
use x11rb::protocol::xfixes::GetCursorImageReply;
use x11rb::protocol::xproto::{self, ConnectionExt as _, ImageFormat, Rectangle};

/// Takes pictures over one connection.
#[derive(Default)]
pub(crate) struct Camera {
    pool: Arc<Pool>,
    /// Shared memory did not work on this connection; said once, not tried again.
    no_shm: bool,
    /// What was asked for last, and where that was.
    last: Option<(Shown, Option<ScreenRect>, ScreenRect)>,
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

impl From<XError> for Miss {
    fn from(error: XError) -> Self {
        let resized = matches!(&error, XError::Refused(e) if e.error_kind == ErrorKind::Match);
        let told =
            error.told(|e| DesktopError::Capture { why: describe(e), code: Some(e.error_code.into()) });
        if resized { Self::Moved(told) } else { Self::Failed(told) }
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
            Err(Miss::Moved(_)) => {
                self.last = None;
                self.shoot(link, request)
            }
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

    /// Asks for the picture where it was last and, in the same breath, where it is to be taken now; it counts if that is
    /// the same. So a capture of what has not moved is one round trip, like a bare one. The picture comes first: a server
    /// that is answered to piece by piece is interrupted before the large one otherwise.
    fn shoot(&mut self, link: &Link, request: &CaptureRequest) -> Result<Shot, Miss> {
        let guess = match &self.last {
            Some((shown, region, area)) if *shown == request.shown && *region == request.region => {
                Some(*area)
            }
            _ => None,
        };
        let early = guess.map(|area| self.expose(link, area, request.cursor)).transpose()?;
        let place = Place::ask(link, &request.shown);
        // Whatever becomes of the rest: the server has to be done with the memory.
        let early = early.map(|exposure| exposure.develop(link));
        let area = area::cut(place?.read(link)?, request.region)?;
        if guess == Some(area)
            && let Some(shot) = early
        {
            return shot;
        }
        self.last = Some((request.shown.clone(), request.region, area));
        self.expose(link, area, request.cursor)?.develop(link)
    }

    /// Asks the server for the pixels of `area`, and for the pointer right after, so that both show one moment.
    fn expose<'a>(
        &mut self,
        link: &'a Link,
        area: ScreenRect,
        with_cursor: bool,
    ) -> Result<Exposure<'a>, DesktopError> {
        let film = self.film(link, area)?;
        let cursor = if with_cursor { cursor::ask(link)? } else { None };
        Ok(Exposure { area, film, cursor })
    }

    fn film<'a>(&mut self, link: &'a Link, area: ScreenRect) -> Result<Film<'a>, DesktopError> {
        let Rectangle { x, y, width, height } = rectangle(area);
        let format = ImageFormat::Z_PIXMAP;
        if link.has.shm && link.local && !self.no_shm {
            match self.pool.take(link, area.size.area() as usize * 4) {
                Ok(lease) => {
                    let (root, seg) = (link.root, lease.seg());
                    let asked =
                        link.conn.shm_get_image(root, x, y, width, height, u32::MAX, format.into(), seg, 0);
                    return Ok(Film::Shared(lease, asked.map_err(XError::from)?));
                }
                Err(why) => {
                    tracing::warn!(
                        "no memory is shared with the X server ({why}); pictures come over its socket"
                    );
                    self.no_shm = true;
                }
            }
        }
        let asked = link.conn.get_image(format, link.root, x, y, width, height, u32::MAX);
        Ok(Film::Plain(asked.map_err(XError::from)?))
    }

    /// The server's part of a capture and nothing else: the root of `size` into a segment. What a capture costs is
    /// measured against it.
    pub(crate) fn bare(&mut self, link: &Link, width: u16, height: u16) -> Result<(), DesktopError> {
        let area = ScreenRect::new(0, 0, width.into(), height.into());
        let exposure = Exposure { area, film: self.film(link, area)?, cursor: None };
        exposure.develop(link).map(drop).map_err(|miss| match miss {
            Miss::Moved(error) | Miss::Failed(error) => error,
        })
    }
}

/// Where what is shown lies, asked for but not answered yet.
struct Place<'a> {
    displays: displays::Asked<'a>,
    shown: Asked<'a>,
}

enum Asked<'a> {
    Display(&'a str),
    AllDisplays,
    Window { id: u64, place: Option<whereabouts::Asked<'a>>, here: windows::Property<'a> },
}

impl<'a> Place<'a> {
    fn ask(link: &'a Link, shown: &'a Shown) -> Result<Self, DesktopError> {
        let asked = match shown {
            Shown::Display(name) => Asked::Display(name),
            Shown::AllDisplays => Asked::AllDisplays,
            Shown::Window(id) => Asked::Window {
                id: *id,
                // No number of an X window is larger.
                place: u32::try_from(*id).ok().map(|x| whereabouts::Asked::send(link, x)).transpose()?,
                here: windows::words(link, link.root, link.atoms._NET_CURRENT_DESKTOP)?,
            },
        };
        Ok(Self { shown: asked, displays: displays::Asked::send(link)? })
    }

    /// The part of the screen, and the screen.
    fn read(self, link: &Link) -> Result<(ScreenRect, ScreenRect), DesktopError> {
        let (displays, root) = self.displays.read(link)?;
        let area = match self.shown {
            Asked::Display(name) => area::named(&displays, name)?,
            Asked::AllDisplays => area::all(&displays),
            Asked::Window { id, place, here } => {
                let here = here.reply().map_err(XError::from)?;
                let gone = || DesktopError::TargetGone { window: format!("{id:#x}") };
                let read = place.ok_or_else(gone)?.read(link, windows::first(&here));
                let place = read.map_err(|e| e.gone(format!("{id:#x}")))?;
                match place.client.intersect(&root) {
                    Some(seen) if place.state == WindowState::Normal => seen,
                    _ => return Err(hidden(link, id)),
                }
            }
        };
        Ok((area, root))
    }
}

fn hidden(link: &Link, id: u64) -> DesktopError {
    match windows::one(link, WindowId(id)) {
        Ok(window) => {
            DesktopError::TargetHidden { window: format!("{:?}", window.title), waited: Duration::ZERO }
        }
        Err(gone) => gone,
    }
}

/// A picture that the server is asked for.
struct Exposure<'a> {
    area: ScreenRect,
    film: Film<'a>,
    cursor: Option<Cookie<'a, Conn, GetCursorImageReply>>,
}

enum Film<'a> {
    /// The server writes into our segment.
    Shared(Lease, Cookie<'a, Conn, shm::GetImageReply>),
    /// The pixels come over the socket.
    Plain(Cookie<'a, Conn, xproto::GetImageReply>),
}

impl Exposure<'_> {
    /// Waits for the picture and blends the pointer in.
    fn develop(self, link: &Link) -> Result<Shot, Miss> {
        let area = self.area;
        let len = area.size.area() as usize * 4;
        let mut pixels = match self.film {
            Film::Plain(image) => Picture::Own(image.reply().map_err(XError::from)?.data),
            Film::Shared(lease, image) => match image.reply().map_err(XError::from) {
                Ok(image) if image.size as usize == len => Picture::Leased(lease),
                Ok(image) => {
                    let why = format!("{} bytes came for {}", image.size, area.size);
                    return Err(Miss::Failed(DesktopError::Capture { why, code: None }));
                }
                // Refused: nothing was written, and the segment goes back.
                Err(refused @ XError::Refused(_)) => return Err(refused.into()),
                Err(lost) => {
                    tracing::debug!("{} leaves a capture behind", link.display);
                    lease.abandon();
                    return Err(lost.into());
                }
            },
        };
        // A refused pointer is a picture without one.
        let pointer = self.cursor.and_then(|c| c.reply().ok());
        let cursor = pointer.is_some_and(|p| cursor::blend(pixels.bytes_mut(len), area, &p));
        let memory: Arc<dyn PixelMemory> = match pixels {
            Picture::Own(pixels) => Arc::new(pixels),
            Picture::Leased(lease) => Arc::new(lease),
        };
        Ok(Shot { area, memory, cursor })
    }
}

enum Picture {
    Own(Vec<u8>),
    Leased(Lease),
}

impl Picture {
    fn bytes_mut(&mut self, len: usize) -> &mut [u8] {
        let bytes = match self {
            Self::Own(pixels) => pixels.as_mut_slice(),
            Self::Leased(lease) => lease.bytes_mut(),
        };
        let len = len.min(bytes.len());
        &mut bytes[..len]
    }
}
