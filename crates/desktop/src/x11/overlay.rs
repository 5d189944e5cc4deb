//! The overlay window: a person at the screen sees what the model sees.
//!
//! It lies above everything, lets every click through (empty input shape), never has the focus and stands in no list of
//! windows (override-redirect). With a compositor it is an ARGB window; without one it is cut to its opaque pixels by the
//! Shape extension. The server repaints it from its background, so nobody has to answer expose events.
//!
//! Failing to make it or to fill it is an error and frees what was made; failing to raise it is not (S-85, S-86). This
//! module refuses to take input of any kind.

use super::composed::{COMPOSED, COMPOSED_OTHERWISE, casts_shadows, cleared, compositor, on_screen};
use super::connection::{Link, XError, XResult, describe, done};
use super::damage::{DamageLog, rectangle};
use super::raiser::{Raiser, raise};
use super::repaint::{Mask, Repaint, Watch};
use handsight_base::port::desktop::{DesktopError, Overlay};
use handsight_base::space::{ScreenRect, Size};
use std::sync::Arc;
use std::time::Duration;
use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::protocol::shape::{ConnectionExt as _, SK, SO};
use x11rb::protocol::xproto::{
    AtomEnum, ChangeGCAux, ChangeWindowAttributesAux, ClipOrdering, ColormapAlloc, ConfigureWindowAux,
    ConnectionExt as _, CreateGCAux, CreateWindowAux, ImageFormat, PropMode, Rectangle, Window as XWindow,
    WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

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

enum Fading {
    /// A compositor takes it away in its own time.
    Composed(Overlay),
    /// The programs below paint what it covered.
    Bare(Repaint),
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
            let watch = if composited { None } else { Watch::start(link)? };
            if let Err(error) = fill(link, &shown, overlay, watch) {
                destroy(link, &shown, watch)?;
                watch.map_or(Ok(()), |watch| watch.end(link))?;
                return Err(failed("its picture was not taken", error));
            }
            let before = std::mem::replace(&mut shown.overlay, overlay.clone());
            if !composited {
                let covered = Mask::of(overlay);
                self.uncovered(link, Mask::of(&before).without(&covered), watch, Some(&covered))?;
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
        if shown.composited {
            destroy(link, &shown, None)?;
            self.fading = Some(Fading::Composed(shown.overlay));
            return Ok(());
        }
        let watch = Watch::start(link)?;
        destroy(link, &shown, watch)?;
        self.uncovered(link, Mask::of(&shown.overlay), watch, None)
    }

    /// Remembers what has to be painted before the next picture; `covered` is what the overlay hides now.
    fn uncovered(
        &mut self,
        link: &Link,
        uncovered: Mask,
        watch: Option<Watch>,
        covered: Option<&Mask>,
    ) -> XResult<()> {
        if uncovered.is_empty() {
            return watch.map_or(Ok(()), |watch| watch.end(link));
        }
        let repaint = Repaint::of(link, uncovered, watch);
        self.fading = Some(Fading::Bare(match self.fading.take() {
            Some(Fading::Bare(before)) => before.and(link, repaint, covered)?,
            Some(Fading::Composed(_)) | None => repaint,
        }));
        Ok(())
    }

    /// Waits until what was taken away or replaced is not seen any more.
    fn await_faded(&mut self, link: &Link, damage: &mut Option<DamageLog>) -> Result<(), DesktopError> {
        match self.fading.take() {
            None => Ok(()),
            Some(Fading::Composed(overlay)) => cleared(link, damage, &overlay),
            Some(Fading::Bare(repaint)) => repaint.wait(link, self.window(), self.area(), damage),
        }
    }

    /// Before a picture that shows the overlay: waits until a compositor has caught up with its last change, or until the
    /// windows below have painted what an earlier text covered.
    pub(crate) fn await_painted(
        &mut self,
        link: &Link,
        damage: &mut Option<DamageLog>,
    ) -> Result<(), DesktopError> {
        self.await_faded(link, damage)?;
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
        let (composited, overlay) = (shown.composited, shown.overlay.clone());
        let watch = if composited { None } else { Watch::start(link)? };
        link.conn.unmap_window(shown.window).map_err(XError::from)?;
        watch.map_or(Ok(()), |watch| watch.forget(link))?;
        link.sync()?;
        if composited {
            self.fading = Some(Fading::Composed(overlay));
        } else {
            self.uncovered(link, Mask::of(&overlay), watch, None)?;
        }
        self.await_faded(link, damage)?;
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
                destroy(link, &shown, None)?;
                Err(error)
            }
        }
    };
    made().map_err(|e| failed("its window was not made", e))
}

/// Frees a window and what belongs to it. That the window was never made is no error here.
fn destroy(link: &Link, shown: &Shown, watch: Option<Watch>) -> XResult<()> {
    link.conn.destroy_window(shown.window)?;
    watch.map_or(Ok(()), |watch| watch.forget(link))?;
    if let Some(colormap) = shown.colormap {
        link.conn.free_colormap(colormap)?;
    }
    link.sync()
}

/// Gives the window the overlay's place, shape and picture, and shows it. `watch` sees what is painted after that.
fn fill(link: &Link, shown: &Shown, overlay: &Overlay, watch: Option<Watch>) -> XResult<()> {
    let conn = &link.conn;
    let (pixmap, mask) = (conn.generate_id()?, conn.generate_id()?);
    let filled = || -> XResult<()> {
        // What is large goes first, so that the change itself is short and nobody comes in between.
        paint(link, shown, pixmap, overlay)?;
        if shown.colormap.is_none() {
            stencil(link, shown.window, mask, overlay)?;
        }
        change(link, shown, overlay, pixmap, mask, watch)
    };
    let result = filled();
    // The window keeps what it needs; these are our handles, and that one was never made is no error here.
    conn.free_pixmap(pixmap)?;
    conn.free_pixmap(mask)?;
    link.sync()?;
    result
}

/// The overlay's picture as `pixmap`.
fn paint(link: &Link, shown: &Shown, pixmap: u32, overlay: &Overlay) -> XResult<()> {
    let conn = &link.conn;
    let size = rectangle(overlay.area);
    let depth = if shown.colormap.is_some() { 32 } else { link.screen().root_depth };
    let gc = conn.generate_id()?;
    let mut sent = vec![
        conn.create_pixmap(depth, pixmap, shown.window, size.width, size.height)?,
        conn.create_gc(gc, pixmap, &CreateGCAux::new())?,
    ];
    let bytes = premultiplied(&overlay.bgra);
    let row = overlay.area.size.width as usize * 4;
    // The header is 24 bytes, 28 for a big request.
    let rows = (conn.maximum_request_bytes().saturating_sub(28) / row).max(1);
    for (n, part) in bytes.chunks(row * rows).enumerate() {
        let (top, tall) = ((n * rows) as i16, (part.len() / row) as u16);
        let format = ImageFormat::Z_PIXMAP;
        sent.push(conn.put_image(format, pixmap, gc, size.width, tall, 0, top, 0, depth, part)?);
    }
    conn.free_gc(gc)?;
    sent.into_iter().try_for_each(done)
}

/// The overlay's opaque pixels as `mask`, one bit deep.
fn stencil(link: &Link, window: XWindow, mask: u32, overlay: &Overlay) -> XResult<()> {
    let conn = &link.conn;
    let whole = Rectangle { x: 0, y: 0, ..rectangle(overlay.area) };
    let gc = conn.generate_id()?;
    let mut sent = vec![
        conn.create_pixmap(1, mask, window, whole.width, whole.height)?,
        conn.create_gc(gc, mask, &CreateGCAux::new().foreground(0))?,
        conn.poly_fill_rectangle(mask, gc, &[whole])?,
        conn.change_gc(gc, &ChangeGCAux::new().foreground(1))?,
    ];
    let opaque = opaque_runs(&overlay.bgra, overlay.area.size);
    // Eight bytes each after a header of twelve, sixteen for a big request.
    let at_once = ((conn.maximum_request_bytes().saturating_sub(16)) / 8).max(1);
    for part in opaque.chunks(at_once) {
        sent.push(conn.poly_fill_rectangle(mask, gc, part)?);
    }
    conn.free_gc(gc)?;
    sent.into_iter().try_for_each(done)
}

/// The change that can be seen: a handful of short requests in one piece.
fn change(
    link: &Link,
    shown: &Shown,
    overlay: &Overlay,
    pixmap: u32,
    mask: u32,
    watch: Option<Watch>,
) -> XResult<()> {
    let (conn, window) = (&link.conn, shown.window);
    let ScreenRect { origin, size } = overlay.area;
    let picture = ChangeWindowAttributesAux::new().background_pixmap(pixmap);
    let aux = ConfigureWindowAux::new().x(origin.x).y(origin.y).width(size.width).height(size.height);
    let mut sent = vec![conn.change_window_attributes(window, &picture)?];
    if shown.colormap.is_none() {
        if shown.overlay.area.origin != origin {
            // Out of sight while it moves, or its old shape would cover pixels at the new place.
            let order = ClipOrdering::UNSORTED;
            sent.push(conn.shape_rectangles(SO::SET, SK::BOUNDING, order, window, 0, 0, &[])?);
        }
        sent.push(conn.configure_window(window, &aux)?);
        sent.push(conn.shape_mask(SO::SET, SK::BOUNDING, window, 0, 0, mask)?);
    } else {
        sent.push(conn.configure_window(window, &aux)?);
    }
    sent.push(conn.clear_area(false, window, 0, 0, 0, 0)?);
    sent.push(conn.map_window(window)?);
    watch.map_or(Ok(()), |watch| watch.forget(link))?;
    sent.into_iter().try_for_each(done)
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
