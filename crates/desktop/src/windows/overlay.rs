//! The overlay window: a person at the screen sees what the model sees.
//!
//! A layered popup with an alpha of its own for every pixel; it lies above everything, lets every click through, never has the
//! focus and stands in no taskbar. Its thread is [`Raiser`], its window [`super::layered`]. Without a compositor, which Windows
//! has had since 8 and Wine has not, a pixel is either clear or opaque.
//!
//! Failing to make it or to fill it is an error and frees what was made; failing to raise it is not (S-85, S-86). This
//! module refuses to take input of any kind.

use super::raiser::{Order, Raiser, Standing};
use super::repaint::{Watcher, uncovered};
use handsight_base::port::desktop::{DesktopError, Overlay};
use handsight_base::space::ScreenRect;

/// Changes without a capture in between that are still waited for; older ones have long been painted over.
const REMEMBERED: usize = 4;

pub(crate) struct OverlayWindow {
    /// Raises of each rendering, the first at once.
    pulses: u32,
    /// Started with the first overlay.
    raiser: Option<Raiser>,
    shown: Option<Shown>,
    /// What was taken away or replaced, and may still be seen until what lies below has painted itself again.
    fading: Vec<Overlay>,
    watcher: Watcher,
    /// False once Windows has refused to leave it out of captures.
    can_exclude: bool,
}

struct Shown {
    window: Option<u64>,
    overlay: Overlay,
    /// Captures leave it out.
    excluded: bool,
    /// It was seen on the screen since it last changed.
    painted: bool,
}

impl OverlayWindow {
    pub(crate) fn new(pulses: u32) -> Self {
        Self {
            pulses,
            raiser: None,
            shown: None,
            fading: Vec::new(),
            watcher: Watcher::new(),
            can_exclude: true,
        }
    }

    /// Where it is now.
    pub(crate) fn area(&self) -> Option<ScreenRect> {
        self.shown.as_ref().map(|s| s.overlay.area)
    }

    /// The number of its window, while it is shown.
    pub(crate) fn window(&self) -> Option<u64> {
        self.shown.as_ref().and_then(|s| s.window)
    }

    /// Shows `overlay`, or takes it away.
    pub(crate) fn show(&mut self, overlay: Option<&Overlay>) -> Result<(), DesktopError> {
        let Some(overlay) = overlay.filter(|o| !o.area.is_empty()) else {
            return self.remove();
        };
        let wanted = overlay.area.size.area() * 4;
        if overlay.bgra.len() as u64 != wanted {
            let why = format!("{} bytes for {}, not {wanted}", overlay.bgra.len(), overlay.area.size);
            return Err(DesktopError::Overlay { why, code: None });
        }
        let before = self.shown.take();
        let unchanged = before.as_ref().is_some_and(|s| s.overlay == *overlay);
        let painted = unchanged && before.as_ref().is_some_and(|s| s.painted);
        if let Some(before) = before.filter(|b| !unchanged && !b.excluded) {
            self.fades(before.overlay);
        }
        let Standing { window, excluded } = self.order(Order::Show(overlay.clone()))?;
        self.shown = Some(Shown { window, overlay: overlay.clone(), excluded, painted });
        Ok(())
    }

    fn remove(&mut self) -> Result<(), DesktopError> {
        if let Some(before) = self.shown.take() {
            if !before.excluded {
                self.fades(before.overlay);
            }
            self.order(Order::Remove)?;
        }
        Ok(())
    }

    fn fades(&mut self, overlay: Overlay) {
        if self.fading.len() == REMEMBERED {
            self.fading.remove(0);
        }
        self.fading.push(overlay);
    }

    /// Has the window's thread do it. After a failure there is no window, and the next order begins afresh.
    fn order(&mut self, order: Order) -> Result<Standing, DesktopError> {
        let raiser = match self.raiser.take() {
            Some(raiser) => raiser,
            None => Raiser::start(self.pulses)?,
        };
        let standing = raiser.order(order);
        match &standing {
            Ok(_) => self.raiser = Some(raiser),
            Err(_) => self.shown = None,
        }
        standing
    }

    /// Waits until what was taken away or replaced is not seen any more.
    fn await_faded(&mut self) {
        let now = self.shown.as_ref().filter(|s| !s.excluded).map(|s| &s.overlay);
        for gone in self.fading.drain(..) {
            self.watcher.await_cleared(&uncovered(&gone, now));
        }
    }

    /// Before a picture that shows the overlay: waits until it is on the screen, and what an earlier text covered is too.
    pub(crate) fn await_painted(&mut self) -> Result<(), DesktopError> {
        if self.shown.as_ref().is_some_and(|s| s.excluded) {
            self.exclude(false)?;
        }
        self.await_faded();
        if let Some(shown) = self.shown.as_mut().filter(|s| !s.painted) {
            self.watcher.await_shown(&shown.overlay);
            shown.painted = true;
        }
        Ok(())
    }

    /// Leaves the overlay out of the next picture and waits until what lies below it is seen. True if it is off the screen
    /// now and has to be shown again by [`OverlayWindow::unhide`]; a Windows that can leave it out of pictures keeps it
    /// before a person's eyes all the while.
    pub(crate) fn hide(&mut self) -> Result<bool, DesktopError> {
        let Some(shown) = &self.shown else {
            self.await_faded();
            return Ok(false);
        };
        let (overlay, excluded) = (shown.overlay.clone(), shown.excluded);
        if excluded || (self.can_exclude && self.exclude(true)?) {
            if !excluded {
                self.fades(overlay);
            }
            self.await_faded();
            return Ok(false);
        }
        self.can_exclude = false;
        self.order(Order::Hide)?;
        self.fades(overlay.clone());
        for gone in self.fading.drain(..) {
            self.watcher.await_cleared(&gone);
        }
        Ok(true)
    }

    /// Takes it off the screen without waiting for what lies below. True if it was there and has to be shown again by
    /// [`OverlayWindow::unhide`].
    pub(crate) fn step_aside(&mut self) -> Result<bool, DesktopError> {
        if self.shown.is_some() {
            self.order(Order::Hide)?;
        }
        Ok(self.shown.is_some())
    }

    /// Shows it again after [`OverlayWindow::hide`] or [`OverlayWindow::step_aside`] took it off the screen.
    pub(crate) fn unhide(&mut self) -> Result<(), DesktopError> {
        self.order(Order::Unhide)?;
        if let Some(shown) = &mut self.shown {
            shown.painted = false;
        }
        Ok(())
    }

    /// Leaves it out of captures, or takes it in again. True if it is left out.
    fn exclude(&mut self, out: bool) -> Result<bool, DesktopError> {
        let excluded = self.order(Order::Exclude(out))?.excluded;
        if let Some(shown) = &mut self.shown {
            shown.excluded = excluded;
            shown.painted = false;
        }
        Ok(excluded)
    }
}
