//! The overlay window: a person at the screen sees what the model sees.
//!
//! It lies above everything, lets every click through (empty input shape), never has the focus and stands in no list of
//! windows (override-redirect). With a compositor it is an ARGB window; without one it is cut to its opaque pixels by the
//! Shape extension. The server repaints it from its background, so nobody has to answer expose events.
//!
//! Failing to make it or to fill it is an error and frees what was made; failing to raise it is not (S-85, S-86). This
//! module refuses to take input of any kind.

use super::connection::{Link, XError, XResult, describe, done};
use super::damage::{DamageLog, rectangle};
use super::raiser::{Raiser, raise};
use super::windows::words;
use handsight_base::port::desktop::{DesktopError, Overlay};
use handsight_base::space::{ScreenRect, Size};
use std::sync::Arc;
use std::time::Duration;
use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::protocol::shape::{ConnectionExt as _, SK, SO};
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ClipOrdering, ColormapAlloc, ConfigureWindowAux, ConnectionExt as _,
    CreateGCAux, CreateWindowAux, ImageFormat, PropMode, Rectangle, Window as XWindow, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

/// How long a hidden overlay's area may take to be repainted by what lies below.
const QUIET_BOUND: Duration = Duration::from_millis(50);
/// Without a change for this long the area counts as repainted by the programs below.
const QUIET: Duration = Duration::from_millis(20);
/// The same for a compositor, which may paint the rest with its next beat: two of them.
const QUIET_COMPOSED: Duration = Duration::from_millis(34);
/// How long a compositor may take to show a new overlay, or to notice that one is gone.
const COMPOSED: Duration = Duration::from_millis(1000);
/// The same once one did not show our colours in time: it may change them, and would cost this with every overlay.
const COMPOSED_OTHERWISE: Duration = Duration::from_millis(150);

pub(crate) struct OverlayWindow {
    /// Raises of each rendering, the first at once.
    pulses: u32,
    shown: Option<Shown>,
    raiser: Option<Raiser>,
    /// What was taken away or replaced, and may still be seen until what lies below has painted itself again.
    fading: Option<Fading>,
    /// How long to wait for a compositor.
    patience: Duration,
}

struct Fading {
    overlay: Overlay,
    composited: bool,
}

struct Shown {
    window: XWindow,
    colormap: Option<u32>,
    overlay: Overlay,
    /// A compositor will show it in its own time.
    composited: bool,
    /// It was seen on the screen since it last changed.
    painted: bool,
}

impl OverlayWindow {
    pub(crate) const fn new(pulses: u32) -> Self {
        Self { pulses, shown: None, raiser: None, fading: None, patience: COMPOSED }
    }

    /// Where it is now.
    pub(crate) fn area(&self) -> Option<ScreenRect> {
        self.shown.as_ref().map(|s| s.overlay.area)
    }

    pub(crate) fn window(&self) -> Option<XWindow> {
        self.shown.as_ref().map(|s| s.window)
    }

    /// Shows `overlay`, or takes it away.
    pub(crate) fn show(&mut self, link: &Link, overlay: Option<&Overlay>) -> Result<(), DesktopError> {
        link.drain()?;
        let Some(overlay) = overlay.filter(|o| !o.area.is_empty()) else {
            return Ok(self.remove(link)?);
        };
        let wanted = overlay.area.size.area() * 4;
        if overlay.bgra.len() as u64 != wanted {
            let why = format!("{} bytes for {}, not {wanted}", overlay.bgra.len(), overlay.area.size);
            return Err(DesktopError::Overlay { why, code: None });
        }
        if !link.has.shape {
            let why = "the X server lacks the SHAPE extension 1.1, so clicks would land on the overlay";
            return Err(DesktopError::Overlay { why: why.into(), code: None });
        }
        let compositor = compositor(link)?;
        let composited = compositor.is_some();
        if self.shown.as_ref().is_some_and(|s| s.composited != composited) {
            self.remove(link)?;
        }
        let unchanged = self.shown.as_ref().is_some_and(|s| s.overlay == *overlay);
        if !unchanged {
            let mut shown = match self.shown.take() {
                Some(shown) => shown,
                None => create(link, compositor)?,
            };
            if let Err(error) = fill(link, &shown, overlay) {
                destroy(link, &shown)?;
                return Err(failed("its picture was not taken", error));
            }
            let before = std::mem::replace(&mut shown.overlay, overlay.clone());
            if !composited && !before.area.is_empty() {
                self.fading = Some(Fading { overlay: before, composited });
            }
            shown.painted = !composited;
            self.shown = Some(shown);
        }
        self.raise(link)
    }

    /// Raises it now and, beside the caller, again a little later: a rival that raises itself in between ends below.
    fn raise(&mut self, link: &Link) -> Result<(), DesktopError> {
        let Some(window) = self.window() else {
            return Ok(());
        };
        if self.pulses > 0 {
            raise(&link.conn, window);
            link.sync()?;
        }
        if self.pulses > 1 {
            let raiser = match self.raiser.take() {
                Some(raiser) => raiser,
                None => Raiser::start(&link.conn)?,
            };
            raiser.raise_later(window, self.pulses - 1);
            self.raiser = Some(raiser);
        }
        Ok(())
    }

    fn remove(&mut self, link: &Link) -> XResult<()> {
        let Some(shown) = self.shown.take() else {
            return Ok(());
        };
        destroy(link, &shown)?;
        self.fading = Some(Fading { composited: shown.composited, overlay: shown.overlay });
        Ok(())
    }

    /// Before a picture that shows the overlay: waits until a compositor has caught up with its last change, or until the
    /// windows below have painted what an earlier text covered.
    pub(crate) fn await_painted(
        &mut self,
        link: &Link,
        damage: &mut Option<DamageLog>,
    ) -> Result<(), DesktopError> {
        if let Some(Fading { overlay, composited }) = self.fading.take() {
            cleared(link, damage, &overlay, composited)?;
        }
        let patience = self.patience;
        let Some(shown) = self.shown.as_mut().filter(|s| !s.painted) else {
            return Ok(());
        };
        let seen = link.wait_for(patience, || Ok(on_screen(link, &shown.overlay)?.then_some(())))?;
        if seen.is_none() {
            tracing::debug!("the compositor shows the overlay late, covered, or in other colours");
            self.patience = COMPOSED_OTHERWISE;
        }
        shown.painted = true;
        Ok(())
    }

    /// Takes the overlay off the screen for one picture and waits until its area is repainted. True if there was one.
    pub(crate) fn hide(&mut self, link: &Link, damage: &mut Option<DamageLog>) -> Result<bool, DesktopError> {
        let Some(shown) = &self.shown else {
            return Ok(false);
        };
        link.conn.unmap_window(shown.window).map_err(XError::from)?;
        link.sync()?;
        cleared(link, damage, &shown.overlay, shown.composited)?;
        Ok(true)
    }

    /// Shows it again after [`OverlayWindow::hide`].
    pub(crate) fn unhide(&mut self, link: &Link) -> Result<(), DesktopError> {
        if let Some(shown) = &mut self.shown {
            shown.painted = !shown.composited;
            link.conn.map_window(shown.window).map_err(XError::from)?;
            link.sync()?;
        }
        self.raise(link)
    }
}

/// The window of the compositing manager that owns the screen.
fn compositor(link: &Link) -> XResult<Option<XWindow>> {
    let selection = link.atom(&format!("_NET_WM_CM_S{}", link.screen))?;
    let owner = link.conn.get_selection_owner(selection)?.reply()?.owner;
    Ok((owner != x11rb::NONE).then_some(owner))
}

/// True for xcompmgr, which knows neither notifications nor the wish for no shadow: of all kinds of windows it spares the
/// desktop alone.
fn casts_shadows(link: &Link, owner: XWindow) -> XResult<bool> {
    match words(link, owner, AtomEnum::WM_NAME.into())?.reply().map_err(XError::from) {
        Ok(name) => Ok(name.value == b"xcompmgr"),
        Err(XError::Refused(_)) => Ok(false),
        Err(lost) => Err(lost),
    }
}

fn failed(what: &str, error: XError) -> DesktopError {
    error.told(|e| DesktopError::Overlay {
        why: format!("{what} ({})", describe(e)),
        code: Some(e.error_code.into()),
    })
}

/// An unmapped window without a picture.
fn create(link: &Link, compositor: Option<XWindow>) -> Result<Shown, DesktopError> {
    let made = || -> XResult<Shown> {
        let conn = &link.conn;
        let composited = compositor.is_some();
        let plain = compositor.map_or(Ok(false), |owner| casts_shadows(link, owner))?;
        let argb = link.argb_visual().filter(|_| composited);
        let (depth, visual) = argb.map_or((0, 0), |v| (32, v.visual_id));
        let aux = CreateWindowAux::new().override_redirect(1).border_pixel(0);
        let (window, colormap) = match argb {
            None => (conn.generate_id()?, None),
            Some(visual) => {
                let (window, colormap) = (conn.generate_id()?, conn.generate_id()?);
                done(conn.create_colormap(ColormapAlloc::NONE, colormap, link.root, visual.visual_id)?)?;
                (window, Some(colormap))
            }
        };
        let aux = aux.colormap(colormap);
        let class = WindowClass::INPUT_OUTPUT;
        let shown = Shown {
            window,
            colormap,
            overlay: Overlay { area: ScreenRect::new(0, 0, 0, 0), bgra: Arc::from([]) },
            composited,
            painted: false,
        };
        let dressed = || -> XResult<()> {
            let (atoms, replace) = (&link.atoms, PropMode::REPLACE);
            let kind = if plain {
                atoms._NET_WM_WINDOW_TYPE_DESKTOP
            } else {
                atoms._NET_WM_WINDOW_TYPE_NOTIFICATION
            };
            // All sent before the first answer is waited for: a compositor reads the kind as soon as the window is there.
            let window_made =
                conn.create_window(depth, window, link.root, 0, 0, 1, 1, 0, class, visual, &aux)?;
            let kind_told =
                conn.change_property32(replace, window, atoms._NET_WM_WINDOW_TYPE, AtomEnum::ATOM, &[kind])?;
            // A shadow would darken what lies beside the text.
            conn.change_property32(replace, window, atoms._COMPTON_SHADOW, AtomEnum::CARDINAL, &[0])?;
            let name = b"handsight";
            conn.change_property8(replace, window, atoms._NET_WM_NAME, atoms.UTF8_STRING, name)?;
            let untouchable =
                conn.shape_rectangles(SO::SET, SK::INPUT, ClipOrdering::UNSORTED, window, 0, 0, &[])?;
            done(window_made)?;
            done(kind_told)?;
            done(untouchable)
        };
        match dressed() {
            Ok(()) => Ok(shown),
            Err(error) => {
                destroy(link, &shown)?;
                Err(error)
            }
        }
    };
    made().map_err(|e| failed("its window was not made", e))
}

/// Frees a window and what belongs to it. That the window was never made is no error here.
fn destroy(link: &Link, shown: &Shown) -> XResult<()> {
    link.conn.destroy_window(shown.window)?;
    if let Some(colormap) = shown.colormap {
        link.conn.free_colormap(colormap)?;
    }
    link.sync()
}

/// Gives the window the overlay's place, shape and picture, and shows it.
fn fill(link: &Link, shown: &Shown, overlay: &Overlay) -> XResult<()> {
    let conn = &link.conn;
    let Size { width, height } = overlay.area.size;
    let size = rectangle(overlay.area);
    let depth = if shown.colormap.is_some() { 32 } else { link.screen().root_depth };
    let (pixmap, gc) = (conn.generate_id()?, conn.generate_id()?);
    let filled = || -> XResult<()> {
        done(conn.create_pixmap(depth, pixmap, shown.window, size.width, size.height)?)?;
        done(conn.create_gc(gc, pixmap, &CreateGCAux::new())?)?;
        let bytes = premultiplied(&overlay.bgra);
        let row = width as usize * 4;
        // The header is 24 bytes, 28 for a big request.
        let rows = (conn.maximum_request_bytes().saturating_sub(28) / row).clamp(1, height as usize);
        for (n, part) in bytes.chunks(row * rows).enumerate() {
            let (top, tall) = ((n * rows) as i16, (part.len() / row) as u16);
            let format = ImageFormat::Z_PIXMAP;
            done(conn.put_image(format, pixmap, gc, size.width, tall, 0, top, 0, depth, part)?)?;
        }
        let aux = ConfigureWindowAux::new()
            .x(overlay.area.origin.x)
            .y(overlay.area.origin.y)
            .width(width)
            .height(height);
        let picture = ChangeWindowAttributesAux::new().background_pixmap(pixmap);
        if shown.colormap.is_none() {
            // Out of sight while it changes, so that no frame shows the new place with the old shape.
            conn.shape_rectangles(SO::SET, SK::BOUNDING, ClipOrdering::UNSORTED, shown.window, 0, 0, &[])?;
        }
        conn.configure_window(shown.window, &aux)?;
        done(conn.change_window_attributes(shown.window, &picture)?)?;
        conn.clear_area(false, shown.window, 0, 0, 0, 0)?;
        if shown.colormap.is_none() {
            cut(link, shown.window, overlay)?;
        }
        done(conn.map_window(shown.window)?)
    };
    let result = filled();
    // The window keeps what it needs; these are our handles.
    conn.free_gc(gc)?;
    conn.free_pixmap(pixmap)?;
    link.sync()?;
    result
}

/// Cuts the window to its opaque pixels.
fn cut(link: &Link, window: XWindow, overlay: &Overlay) -> XResult<()> {
    let opaque = opaque_runs(&overlay.bgra, overlay.area.size);
    // Eight bytes each after a header of sixteen.
    let at_once = ((link.conn.maximum_request_bytes().saturating_sub(32)) / 8).max(1);
    for (n, part) in opaque.chunks(at_once).enumerate() {
        let how = if n == 0 { SO::SET } else { SO::UNION };
        let order = ClipOrdering::YX_BANDED;
        done(link.conn.shape_rectangles(how, SK::BOUNDING, order, window, 0, 0, part)?)?;
    }
    Ok(())
}

/// Runs of opaque pixels, one row high, by row and then by column.
fn opaque_runs(bgra: &[u8], size: Size) -> Vec<Rectangle> {
    let mut runs = Vec::new();
    for (y, row) in bgra.chunks_exact(size.width.max(1) as usize * 4).enumerate() {
        let mut begin = None;
        let opaque = row.chunks_exact(4).map(|p| p[3] >= 128).chain([false]);
        for (x, opaque) in opaque.enumerate() {
            match (opaque, begin) {
                (true, None) => begin = Some(x),
                (false, Some(from)) => {
                    let width = (x - from) as u16;
                    runs.push(Rectangle { x: from as i16, y: y as i16, width, height: 1 });
                    begin = None;
                }
                (true, Some(_)) | (false, None) => {}
            }
        }
    }
    runs
}

/// What an ARGB visual wants: each colour times alpha. Where alpha is 255 nothing changes.
fn premultiplied(bgra: &[u8]) -> Vec<u8> {
    let mut out = bgra.to_vec();
    for pixel in out.chunks_exact_mut(4) {
        let alpha = u32::from(pixel[3]);
        for channel in &mut pixel[..3] {
            *channel = ((u32::from(*channel) * alpha + 127) / 255) as u8;
        }
    }
    out
}

/// True if every opaque pixel of the overlay is on the screen as it should be.
fn on_screen(link: &Link, overlay: &Overlay) -> XResult<bool> {
    let root = link.conn.get_geometry(link.root)?.reply()?;
    let root = ScreenRect::new(0, 0, root.width.into(), root.height.into());
    let Some(seen) = overlay.area.intersect(&root) else {
        return Ok(true);
    };
    let at = rectangle(seen);
    let format = ImageFormat::Z_PIXMAP;
    let image = link.conn.get_image(format, link.root, at.x, at.y, at.width, at.height, u32::MAX)?;
    let image = match image.reply().map_err(XError::from) {
        Ok(image) => image.data,
        // The screen was resized in between: ask again.
        Err(XError::Refused(_)) => return Ok(false),
        Err(lost) => return Err(lost),
    };
    let left = (seen.origin.x - overlay.area.origin.x) as usize;
    let top = (seen.origin.y - overlay.area.origin.y) as usize;
    let (stride, width) = (overlay.area.size.width as usize * 4, seen.size.width as usize * 4);
    let equal = image.chunks_exact(width).enumerate().all(|(row, there)| {
        let from = (top + row) * stride + left * 4;
        let ours = overlay.bgra.get(from..from + width).unwrap_or_default();
        let mut pixels = ours.chunks_exact(4).zip(there.chunks_exact(4));
        pixels.all(|(ours, there)| ours[3] < 255 || ours[..3] == there[..3])
    });
    Ok(equal)
}

/// Waits until what lay below an overlay is seen again: until a compositor has noticed, and then until its area is quiet.
fn cleared(
    link: &Link,
    damage: &mut Option<DamageLog>,
    overlay: &Overlay,
    composited: bool,
) -> Result<(), DesktopError> {
    if composited {
        link.wait_for(COMPOSED, || Ok((!on_screen(link, overlay)?).then_some(())))?;
    }
    quiet(link, damage, overlay.area, if composited { QUIET_COMPOSED } else { QUIET })
}

/// Waits until `area` was painted and nothing has changed in it for a moment, 50 ms at most. A program under load may not
/// even have begun, so that silence alone is no answer.
fn quiet(
    link: &Link,
    damage: &mut Option<DamageLog>,
    area: ScreenRect,
    silence: Duration,
) -> Result<(), DesktopError> {
    let mut changed = None;
    link.wait_for(QUIET_BOUND, || {
        if !link.has.damage {
            return Ok(None);
        }
        let log = match damage {
            Some(log) => log,
            None => damage.insert(DamageLog::watch(link)?),
        };
        let mut areas = log.fetch(link, &[])?;
        if areas.iter().any(|a| a.intersect(&area).is_some()) {
            changed = Some(link.now());
        }
        // What lies outside is somebody else's and stays remembered.
        areas.retain(|a| a.intersect(&area) != Some(*a));
        if !areas.is_empty() {
            log.note(areas);
        }
        Ok(changed.filter(|at| link.now().saturating_sub(*at) >= silence).map(|_| ()))
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_the_opaque_pixels_and_no_other() {
        let size = Size::new(5, 3);
        let alpha = [0, 255, 255, 0, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0];
        let bgra: Vec<u8> = alpha.iter().flat_map(|a| [1, 2, 3, *a]).collect();
        let runs: Vec<_> = opaque_runs(&bgra, size).iter().map(|r| (r.x, r.y, r.width, r.height)).collect();
        assert_eq!(runs, [(1, 0, 2, 1), (4, 0, 1, 1), (0, 1, 5, 1)]);
    }

    #[test]
    fn colours_are_multiplied_by_alpha() {
        let bgra = [10, 20, 30, 255, 10, 20, 30, 0, 200, 100, 50, 128];
        assert_eq!(premultiplied(&bgra), [10, 20, 30, 255, 0, 0, 0, 0, 100, 50, 25, 128]);
    }
}
