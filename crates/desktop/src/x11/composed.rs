//! The overlay with a compositor: it shows in its own time what we change, and keeps what lies below.
//!
//! Whether it has caught up is read off the screen, never assumed. This module refuses to wait without a bound.

use super::connection::{Link, XError, XResult};
use super::damage::{DamageLog, rectangle};
use super::repaint::BOUND;
use super::windows::words;
use handsight_base::port::desktop::{DesktopError, Overlay};
use handsight_base::space::ScreenRect;
use std::time::Duration;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, ImageFormat, Window as XWindow};

/// Without a change for this long an area counts as composed: a compositor may paint the rest with its next beat, and this
/// is two of them.
const QUIET_COMPOSED: Duration = Duration::from_millis(34);
/// How long a compositor may take to show a new overlay, or to notice that one is gone.
pub(super) const COMPOSED: Duration = Duration::from_millis(1000);
/// The same once one did not show our colours in time: it may change them, and would cost this with every overlay.
pub(super) const COMPOSED_OTHERWISE: Duration = Duration::from_millis(150);

/// The window of the compositing manager that owns the screen.
pub(super) fn compositor(link: &Link) -> XResult<Option<XWindow>> {
    let selection = link.atom(&format!("_NET_WM_CM_S{}", link.screen))?;
    let owner = link.conn.get_selection_owner(selection)?.reply()?.owner;
    Ok((owner != x11rb::NONE).then_some(owner))
}

/// True for xcompmgr, which knows neither notifications nor the wish for no shadow: of all kinds of windows it spares the
/// desktop alone.
pub(super) fn casts_shadows(link: &Link, owner: XWindow) -> XResult<bool> {
    match words(link, owner, AtomEnum::WM_NAME.into())?.reply().map_err(XError::from) {
        Ok(name) => Ok(name.value == b"xcompmgr"),
        Err(XError::Refused(_)) => Ok(false),
        Err(lost) => Err(lost),
    }
}

/// True if every opaque pixel of the overlay is on the screen as it should be.
pub(super) fn on_screen(link: &Link, overlay: &Overlay) -> XResult<bool> {
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

/// Waits until what lay below an overlay is seen again: until the compositor has noticed, and then until its area is quiet,
/// 50 ms at most. Silence alone is no answer: under load the compositor may not even have begun.
pub(super) fn cleared(
    link: &Link,
    damage: &mut Option<DamageLog>,
    overlay: &Overlay,
) -> Result<(), DesktopError> {
    link.wait_for(COMPOSED, || Ok((!on_screen(link, overlay)?).then_some(())))?;
    let area = overlay.area;
    let mut changed = None;
    link.wait_for(BOUND, || {
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
        Ok(changed.filter(|at| link.now().saturating_sub(*at) >= QUIET_COMPOSED).map(|_| ()))
    })?;
    Ok(())
}
