//! Waiting until the screen shows what we changed about our overlay: that it is there, or that what lies below it is seen again.
//!
//! A compositor puts pictures together in its own time, and without one the programs below have to paint what was uncovered.
//! Both are read off the screen, never assumed. This module refuses to wait without a bound.

use super::canvas::Canvas;
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::Overlay;
use handsight_base::space::ScreenRect;
use std::sync::Arc;
use std::time::Duration;
use windows::Win32::Graphics::Dwm::DwmFlush;
use windows::Win32::UI::WindowsAndMessaging::{
    GetSystemMetrics, SM_CXVIRTUALSCREEN, SM_CYVIRTUALSCREEN, SM_XVIRTUALSCREEN, SM_YVIRTUALSCREEN,
};

/// How long what lies below may take, from when it was first seen.
const BOUND: Duration = Duration::from_millis(50);
/// All of it was painted, and nothing in it changed for this long.
const DRAWN: Duration = Duration::from_millis(6);
/// Some of it was painted, and nothing in it changed for this long: the rest may look like the overlay did.
const QUIET: Duration = Duration::from_millis(20);
/// How long a screen may take to show a new overlay, or to notice that one is gone.
const PATIENCE: Duration = Duration::from_millis(1000);
/// The same once a screen did not in that time: something covers it, or changes its colours.
const IMPATIENCE: Duration = Duration::from_millis(150);

const LOOK: Duration = Duration::from_millis(4);

/// Looks at the screen for the overlay.
pub(super) struct Watcher {
    clock: RealClock,
    patience: Duration,
}

impl Watcher {
    pub(super) fn new() -> Self {
        Self { clock: RealClock::new(), patience: PATIENCE }
    }

    /// Waits until `overlay` is on the screen as it should be.
    pub(super) fn await_shown(&mut self, overlay: &Overlay) {
        flush();
        let end = self.clock.now() + self.patience;
        loop {
            match Seen::of(overlay.area) {
                // A screen that cannot be seen has nothing to wait for; the capture will tell why.
                None => return,
                Some(seen) if seen.differing(overlay) == 0 => return,
                Some(_) if self.clock.now() >= end => break,
                Some(_) => std::thread::park_timeout(LOOK),
            }
        }
        tracing::debug!("the screen shows the overlay late, covered, or in other colours");
        self.patience = IMPATIENCE;
    }

    /// Waits until the opaque pixels of `gone`, which nothing of ours covers any more, show what lies below.
    pub(super) fn await_cleared(&mut self, gone: &Overlay) {
        let pixels = opaque(gone);
        if pixels == 0 {
            return;
        }
        flush();
        let began = self.clock.now();
        // What lies below may have the one colour of the overlay, but hardly the pattern of several.
        let patience = if is_plain(gone) { BOUND } else { self.patience };
        let mut found = None;
        let mut last: Option<(Seen, Duration)> = None;
        loop {
            let Some(seen) = Seen::of(gone.area) else { return };
            let (differing, now) = (seen.differing(gone), self.clock.now());
            if differing > 0 && found.is_none() {
                found = Some(now);
            }
            let since = match &last {
                Some((before, since)) if before.bgrx == seen.bgrx => *since,
                _ => now,
            };
            let silence = if differing == pixels { DRAWN } else { QUIET };
            match found {
                Some(at) if now >= at + BOUND || now >= since + silence => return,
                None if now >= began + patience => break,
                _ => {}
            }
            last = Some((seen, since));
            std::thread::park_timeout(LOOK);
        }
        if patience > BOUND {
            tracing::debug!("what lay below the overlay is not painted again");
            self.patience = IMPATIENCE;
        }
    }
}

/// What of `before` nothing of ours covers now: the same with the other pixels clear.
pub(super) fn uncovered(before: &Overlay, now: Option<&Overlay>) -> Overlay {
    let Some((now, shared)) = now.and_then(|now| Some((now, before.area.intersect(&now.area)?))) else {
        return before.clone();
    };
    let mut bgra = before.bgra.to_vec();
    for y in 0..shared.size.height {
        for x in 0..shared.size.width {
            let at = shared.origin.offset(x as i32, y as i32);
            let index = |area: ScreenRect| {
                let (column, row) = (at.x - area.origin.x, at.y - area.origin.y);
                (row as usize * area.size.width as usize + column as usize) * 4
            };
            if now.bgra[index(now.area) + 3] > 0 {
                bgra[index(before.area) + 3] = 0;
            }
        }
    }
    Overlay { area: before.area, bgra: Arc::from(bgra) }
}

fn opaque(overlay: &Overlay) -> usize {
    overlay.bgra.chunks_exact(4).filter(|p| p[3] == 255).count()
}

/// True if all that is opaque has one colour.
fn is_plain(overlay: &Overlay) -> bool {
    let mut opaque = overlay.bgra.chunks_exact(4).filter(|p| p[3] == 255);
    let first = opaque.next();
    opaque.all(|p| Some(p) == first)
}

/// Waits for the compositor's next beat. Where there is none this returns at once.
#[expect(unsafe_code, reason = "a call of the Windows API")]
fn flush() {
    // SAFETY: takes nothing.
    if let Err(error) = unsafe { DwmFlush() } {
        tracing::trace!("no compositor to wait for: {error}");
    }
}

/// A part of the screen as a capture would have it.
struct Seen {
    /// The part of the asked area that lies on the screen.
    area: ScreenRect,
    bgrx: Vec<u8>,
}

impl Seen {
    /// `None` where nothing of `area` can be seen.
    fn of(area: ScreenRect) -> Option<Self> {
        let area = area.intersect(&screen())?;
        let read = || -> windows::core::Result<Vec<u8>> {
            let mut canvas = Canvas::new(area.size)?;
            canvas.read_screen(area)?;
            Ok(canvas.bytes().to_vec())
        };
        let bgrx = read().inspect_err(|e| tracing::debug!("the overlay's place cannot be seen: {e}")).ok()?;
        Some(Self { area, bgrx })
    }

    /// How many opaque pixels of `overlay` are seen in another colour. What lies outside of the screen is not.
    fn differing(&self, overlay: &Overlay) -> usize {
        let width = self.area.size.width as usize * 4;
        let stride = overlay.area.size.width as usize * 4;
        let left = (self.area.origin.x - overlay.area.origin.x) as usize * 4;
        let top = (self.area.origin.y - overlay.area.origin.y) as usize;
        let rows = overlay.bgra.chunks_exact(stride).skip(top);
        let pairs = rows
            .zip(self.bgrx.chunks_exact(width))
            .flat_map(|(ours, there)| ours[left..left + width].chunks_exact(4).zip(there.chunks_exact(4)));
        pairs.filter(|(ours, there)| ours[3] == 255 && ours[..3] != there[..3]).count()
    }
}

/// All displays together.
#[expect(unsafe_code, reason = "a call of the Windows API")]
fn screen() -> ScreenRect {
    // SAFETY: takes a number that Windows knows.
    let metric = |index| unsafe { GetSystemMetrics(index) };
    let size = |index| u32::try_from(metric(index)).unwrap_or(0);
    ScreenRect::new(
        metric(SM_XVIRTUALSCREEN),
        metric(SM_YVIRTUALSCREEN),
        size(SM_CXVIRTUALSCREEN),
        size(SM_CYVIRTUALSCREEN),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `#` is opaque.
    fn drawn(x: i32, y: i32, rows: &[&str]) -> Overlay {
        let area = ScreenRect::new(x, y, rows[0].len() as u32, rows.len() as u32);
        let bgra: Vec<u8> =
            rows.concat().bytes().flat_map(|c| [7, 8, 9, if c == b'#' { 255 } else { 0 }]).collect();
        Overlay { area, bgra: Arc::from(bgra) }
    }

    fn rows(overlay: &Overlay) -> Vec<String> {
        let row = |p: &[u8]| p.chunks(4).map(|p| if p[3] == 255 { '#' } else { '.' }).collect();
        overlay.bgra.chunks(overlay.area.size.width as usize * 4).map(row).collect()
    }

    #[test]
    fn what_a_new_overlay_does_not_cover_is_uncovered() {
        let old = drawn(0, 0, &["####", "#..#", "####"]);
        let new = drawn(2, -1, &["###", "##.", ".#.", "###"]);
        assert_eq!(rows(&uncovered(&old, Some(&new))), ["##..", "#...", "##.."]);
        assert_eq!(opaque(&uncovered(&old, Some(&old))), 0);
        assert_eq!(uncovered(&old, None), old);
        assert_eq!(uncovered(&old, Some(&drawn(9, 9, &["#"]))), old, "elsewhere");
    }

    #[test]
    fn only_opaque_pixels_on_the_screen_are_compared() {
        let overlay = drawn(-1, -1, &["###", "#.#", "###"]);
        assert!(is_plain(&overlay));
        // The screen begins at 0, 0.
        let area = ScreenRect::new(0, 0, 2, 2);
        let mut bgrx = [7, 8, 9, 0].repeat(4);
        let seen = |bgrx: &[u8]| Seen { area, bgrx: bgrx.to_vec() };
        assert_eq!(seen(&bgrx).differing(&overlay), 0);
        bgrx[0] = 1;
        assert_eq!(seen(&bgrx).differing(&overlay), 0, "a clear pixel");
        bgrx[4] = 1;
        bgrx[14] = 1;
        assert_eq!(seen(&bgrx).differing(&overlay), 2);
    }
}
