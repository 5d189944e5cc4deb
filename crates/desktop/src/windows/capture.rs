//! Captures: the screen copied by Windows straight into the memory that is the frame.
//!
//! Geometry is asked afresh for every picture, because windows move and displays come and go. A window is captured as it is
//! seen on the screen, with what lies over it. The fourth byte of a pixel is whatever Windows left there: it is given its value
//! on export, like every frame's. This module refuses to pass a picture of a locked screen off as the desktop.

use super::cursor::{self, Blended};
use super::duplication::Duplication;
use super::film::{Pool, Table};
use super::system::{code, why};
use super::{displays, session, whereabouts};
use handsight_base::area;
use handsight_base::flow::frame::{Frame, Pixels, Shown};
use handsight_base::port::desktop::{CaptureRequest, DesktopError, Display, WindowState};
use handsight_base::space::{FrameGeometry, ScreenRect};
use std::sync::Arc;
use std::time::Duration;
use windows::Win32::Graphics::Gdi::{BitBlt, CAPTUREBLT, GetDC, HDC, ROP_CODE, ReleaseDC, SRCCOPY};

/// How pictures are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// `BitBlt`: works everywhere.
    #[default]
    Gdi,
    /// Desktop duplication, which tells what changed too; refused where Windows has none.
    Dxgi,
}

/// Takes pictures for one thread.
pub(super) struct Camera {
    pool: Arc<Pool>,
    table: Table,
    /// In place of `BitBlt`.
    duplication: Option<Duplication>,
    /// A pointer was drawn as an arrow; said once.
    stand_in: bool,
}

impl Camera {
    pub(super) fn new(method: Method) -> Result<Self, DesktopError> {
        let duplication = match method {
            Method::Gdi => None,
            Method::Dxgi => Some(Duplication::start()?),
        };
        Ok(Self { pool: Arc::default(), table: Table::new()?, duplication, stand_in: false })
    }

    pub(super) const fn duplication(&mut self) -> Option<&mut Duplication> {
        self.duplication.as_mut()
    }

    /// A picture as asked for; `at` is its time.
    pub(super) fn capture(&mut self, request: &CaptureRequest, at: Duration) -> Result<Frame, DesktopError> {
        let displays = displays::displays()?;
        let area = area::cut(place(&displays, &request.shown)?, request.region)?;
        let mut lease = self.pool.take(area.size)?;
        let film = lease.film().ok_or_else(no_film)?;
        if let Some(duplication) = &mut self.duplication {
            duplication.copy(area, film.bytes_mut())?;
        }
        let copy = self.duplication.is_none();
        let drawn = self.table.draw(film, |dc| {
            if copy {
                copy_screen(dc, area)?;
            }
            Ok(if request.cursor { cursor::blend(dc, area) } else { Blended::Nothing })
        });
        let blended = drawn.map_err(|error: windows::core::Error| told(&error))?;
        // Asked after the copy: a screen that was locked in between is not taken for the desktop.
        if let Some(why) = session::hidden() {
            return Err(session::lost(why));
        }
        if blended == Blended::StandIn && !self.stand_in {
            self.stand_in = true;
            tracing::info!("the pointer's shape belongs to another process; an arrow stands in for it");
        }
        let geometry =
            FrameGeometry { frame: request.frame, size: area.size, origin: area.origin, scale: 1.0 };
        let pixels =
            Pixels::new(Arc::new(lease), area.size, area.size.width as usize * 4).ok_or_else(no_film)?;
        let cursor = blended != Blended::Nothing;
        Ok(Frame { geometry, shown: request.shown.clone(), at, pixels, cursor, suspicion: None })
    }

    /// What Windows needs for a picture of the whole screen, and nothing else. What a capture costs is measured against it.
    pub(super) fn bare(&mut self) -> Result<(), DesktopError> {
        let area = area::all(&displays::displays()?);
        let mut lease = self.pool.take(area.size)?;
        let film = lease.film().ok_or_else(no_film)?;
        self.table.draw(film, |dc| copy_screen(dc, area)).map_err(|error| told(&error))
    }
}

/// The part of the screen that is shown, and the screen.
fn place(displays: &[Display], shown: &Shown) -> Result<(ScreenRect, ScreenRect), DesktopError> {
    let screen = area::all(displays);
    let area = match shown {
        Shown::Display(name) => area::named(displays, name)?,
        Shown::AllDisplays => screen,
        Shown::Window(id) => {
            let found = whereabouts::of_id(*id)?;
            match found.client.intersect(&screen) {
                Some(seen) if found.state == WindowState::Normal => seen,
                _ => {
                    let window = format!("{:?}", found.title());
                    return Err(DesktopError::TargetHidden { window, waited: Duration::ZERO });
                }
            }
        }
    };
    Ok((area, screen))
}

/// Copies a part of the screen to the corner of `to`, windows with transparency too.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn copy_screen(to: HDC, area: ScreenRect) -> windows::core::Result<()> {
    let copy = ROP_CODE(SRCCOPY.0 | CAPTUREBLT.0);
    let (width, height) = (area.size.width as i32, area.size.height as i32);
    // SAFETY: the screen's own context is given back before the result is used. What lies outside of the screen is not
    // written.
    unsafe {
        let screen = GetDC(None);
        let copied = BitBlt(to, 0, 0, width, height, Some(screen), area.origin.x, area.origin.y, copy);
        ReleaseDC(None, screen);
        copied
    }
}

/// A copy that Windows refused: most often the desktop is not the one that is shown.
fn told(error: &windows::core::Error) -> DesktopError {
    match session::hidden() {
        Some(why) => session::lost(why),
        None => DesktopError::Capture { why: why(error), code: Some(code(error)) },
    }
}

fn no_film() -> DesktopError {
    DesktopError::Capture { why: "the picture came too short".into(), code: None }
}
