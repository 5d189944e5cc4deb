//! What an overlay covered until now, and the wait until it is painted again.
//!
//! Without a compositor nothing keeps what lies below a window. When it goes or changes its shape, the server paints the
//! bare root and the backgrounds at once, within the same request; the rest is up to the programs below, which are told
//! by Expose events. So there is something to wait for only where a window lies below whose program asked for them, and
//! only where the new overlay does not cover the old one.
//!
//! It refuses to guess from time alone as long as the server tells what was painted: the wait ends once all of it was, and
//! was left alone for a moment. A program that is not done after [`BOUND`] is not waited for any longer.

use super::connection::{Link, XError, XResult};
use super::damage::{DamageLog, screen_rect};
use handsight_base::port::desktop::{DesktopError, Overlay};
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use std::ops::Range;
use std::time::Duration;
use x11rb::connection::Connection as _;
use x11rb::errors::ReplyError;
use x11rb::protocol::damage::{ConnectionExt as _, ReportLevel};
use x11rb::protocol::shape::ConnectionExt as _;
use x11rb::protocol::xfixes::ConnectionExt as _;
use x11rb::protocol::xproto::{ConnectionExt as _, EventMask, MapState, Window as XWindow, WindowClass};

/// How long the programs below may take in all.
pub(super) const BOUND: Duration = Duration::from_millis(50);
/// All of it was painted, and nothing in it changed for this long: a program that fills a background first draws on it in
/// the same breath.
const DRAWN: Duration = Duration::from_millis(6);
/// Some of it was painted, and nothing in it changed for this long: a program may find that the rest of it needs nothing.
const QUIET: Duration = Duration::from_millis(20);

const LOOK: Duration = Duration::from_millis(4);

/// Pixels of a part of the screen.
#[derive(Clone)]
pub(super) struct Mask {
    area: ScreenRect,
    /// Row by row.
    bits: Vec<bool>,
}

impl Mask {
    /// Where the overlay hides what lies below it, on a screen without a compositor.
    pub(super) fn of(overlay: &Overlay) -> Self {
        let bits = overlay.bgra.chunks_exact(4).map(|p| p[3] >= 128).collect();
        Self { area: overlay.area, bits }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.bits.contains(&true)
    }

    /// The bits that lie in `rect`, row by row.
    fn rows(&mut self, rect: ScreenRect) -> impl Iterator<Item = &mut [bool]> {
        let (rows, columns) = self.span(rect);
        let width = (self.area.size.width as usize).max(1);
        self.bits
            .chunks_exact_mut(width)
            .take(rows.end)
            .skip(rows.start)
            .map(move |r| &mut r[columns.clone()])
    }

    /// Which rows and columns lie in `rect`.
    fn span(&self, rect: ScreenRect) -> (Range<usize>, Range<usize>) {
        let Some(shared) = self.area.intersect(&rect) else {
            return (0..0, 0..0);
        };
        let left = (shared.origin.x - self.area.origin.x) as usize;
        let top = (shared.origin.y - self.area.origin.y) as usize;
        (top..top + shared.size.height as usize, left..left + shared.size.width as usize)
    }

    /// True if any of it lies in `rect`.
    fn touches(&self, rect: ScreenRect) -> bool {
        let (rows, columns) = self.span(rect);
        let width = self.area.size.width as usize;
        rows.into_iter().any(|y| self.bits[y * width..][columns.clone()].contains(&true))
    }

    fn clear(&mut self, rect: ScreenRect) {
        self.rows(rect).for_each(|row| row.fill(false));
    }

    /// What of it lies in `rect`.
    fn within(&self, rect: ScreenRect) -> Self {
        let (rows, columns) = self.span(rect);
        let width = self.area.size.width as usize;
        let bits = rows.into_iter().flat_map(|y| &self.bits[y * width..][columns.clone()]).copied().collect();
        Self { area: self.area.intersect(&rect).unwrap_or(ScreenRect::new(0, 0, 0, 0)), bits }
    }

    /// What is in it and not in `other`.
    pub(super) fn without(mut self, other: &Self) -> Self {
        let (rows, columns) = other.span(self.area);
        let width = other.area.size.width as usize;
        for (y, row) in rows.zip(self.rows(other.area)) {
            row.iter_mut()
                .zip(&other.bits[y * width..][columns.clone()])
                .for_each(|(bit, covered)| *bit &= !covered);
        }
        self
    }

    /// What is in one of them.
    fn and(&self, other: &Self) -> Self {
        let area = self.area.union(&other.area);
        let mut all = Self { area, bits: vec![false; area.size.area() as usize] };
        for part in [self, other] {
            let width = (part.area.size.width as usize).max(1);
            for (row, bits) in all.rows(part.area).zip(part.bits.chunks_exact(width)) {
                row.iter_mut().zip(bits).for_each(|(bit, more)| *bit |= more);
            }
        }
        all
    }
}

/// What was uncovered and may not be painted yet.
pub(super) struct Repaint {
    uncovered: Mask,
    watch: Option<Watch>,
    since: Duration,
}

impl Repaint {
    /// `watch` has seen everything since the change.
    pub(super) fn of(link: &Link, uncovered: Mask, watch: Option<Watch>) -> Self {
        Self { uncovered, watch, since: link.now() }
    }

    /// Together with what a later change uncovered. What the later watch did not see painted is waited for again, unless
    /// the overlay covers it by now.
    pub(super) fn and(self, link: &Link, later: Self, covered: Option<&Mask>) -> XResult<Self> {
        let mut before = match covered {
            Some(covered) => self.uncovered.without(covered),
            None => self.uncovered,
        };
        if let Some(watch) = self.watch {
            for area in watch.fetch(link)? {
                before.clear(area);
            }
            watch.end(link)?;
        }
        Ok(Self { uncovered: before.and(&later.uncovered), ..later })
    }

    /// Waits until it is painted; `overlay` is our own window, which may lie over it or be gone. What was painted meanwhile
    /// in its place and in `ours` is left out of `log`.
    pub(super) fn wait(
        self,
        link: &Link,
        overlay: Option<XWindow>,
        ours: Option<ScreenRect>,
        log: &mut Option<DamageLog>,
    ) -> Result<(), DesktopError> {
        let area = self.uncovered.area;
        let waited = self.painted(link, overlay);
        if let Some(watch) = self.watch {
            watch.end(link)?;
        }
        if let Some(log) = log {
            let ours: Vec<ScreenRect> = ours.into_iter().chain([area]).collect();
            let changed = log.fetch(link, &ours)?;
            log.note(changed);
        }
        waited
    }

    fn painted(&self, link: &Link, overlay: Option<XWindow>) -> Result<(), DesktopError> {
        let awaited = by_programs(link, &self.uncovered, overlay)?;
        let mut missing = awaited.clone();
        let mut touched = None;
        while !awaited.is_empty() {
            let areas = self.watch.as_ref().map_or(Ok(Vec::new()), |watch| watch.fetch(link))?;
            if areas.iter().any(|area| awaited.touches(*area)) {
                touched = Some(link.now());
            }
            areas.iter().for_each(|area| missing.clear(*area));
            let silence = if missing.is_empty() { DRAWN } else { QUIET };
            let bound = self.since + BOUND;
            let end = touched.map_or(bound, |at| bound.min(at + silence));
            let Some(left) = end.checked_sub(link.now()).filter(|left| !left.is_zero()) else {
                break;
            };
            // An event tells what is painted next; one that came just now is not seen, so that we look again anyway.
            link.nap(left.min(LOOK))?;
        }
        Ok(())
    }
}

/// What is painted on the screen, by a damage object of its own.
#[derive(Clone, Copy)]
pub(super) struct Watch {
    damage: u32,
    region: u32,
}

impl Watch {
    /// Begins with the next request. `None` where the server does not tell.
    pub(super) fn start(link: &Link) -> XResult<Option<Self>> {
        if !link.has.damage {
            return Ok(None);
        }
        let (damage, region) = (link.conn.generate_id()?, link.conn.generate_id()?);
        link.conn.damage_create(damage, link.root, ReportLevel::NON_EMPTY)?;
        link.conn.xfixes_create_region(region, &[])?;
        Ok(Some(Self { damage, region }))
    }

    /// Forgets what was painted until now. Sent in one piece with a change, it forgets what the server painted by itself.
    pub(super) fn forget(&self, link: &Link) -> XResult<()> {
        link.conn.damage_subtract(self.damage, x11rb::NONE, x11rb::NONE)?;
        Ok(())
    }

    /// What was painted since the last time.
    fn fetch(&self, link: &Link) -> XResult<Vec<ScreenRect>> {
        link.conn.damage_subtract(self.damage, x11rb::NONE, self.region)?;
        let reply = link.conn.xfixes_fetch_region(self.region)?.reply()?;
        Ok(reply.rectangles.iter().map(screen_rect).collect())
    }

    pub(super) fn end(self, link: &Link) -> XResult<()> {
        link.conn.damage_destroy(self.damage)?;
        link.conn.xfixes_destroy_region(self.region)?;
        link.conn.flush()?;
        Ok(())
    }
}

/// The part of `uncovered` that programs have to paint: where the topmost window, ours aside, is told of exposure.
fn by_programs(link: &Link, uncovered: &Mask, overlay: Option<XWindow>) -> XResult<Mask> {
    if uncovered.is_empty() {
        return Ok(uncovered.clone());
    }
    let (size, attributes) =
        (link.conn.get_geometry(link.root)?, link.conn.get_window_attributes(link.root)?);
    let (size, attributes) = (size.reply()?, attributes.reply()?);
    let root = Seen {
        id: link.root,
        origin: ScreenPx::new(0, 0),
        at: ScreenRect::new(0, 0, size.width.into(), size.height.into()),
        told: attributes.all_event_masks.contains(EventMask::EXPOSURE),
        shaped: false,
    };
    // What lies outside of the screen nobody paints.
    let mut left = uncovered.within(root.at);
    let mut awaited = Mask { bits: vec![false; left.bits.len()], ..left };
    sift(link, &root, overlay, &mut left, &mut awaited)?;
    Ok(awaited)
}

/// A window that can be seen, and where.
struct Seen {
    id: XWindow,
    /// Where the windows in it count from.
    origin: ScreenPx,
    /// Its part of the screen, as far as its parents show it.
    at: ScreenRect,
    /// Its program is told when it is exposed.
    told: bool,
    /// Something may be seen through it.
    shaped: bool,
}

/// Takes what `window` and the windows in it show out of `left`; what their programs have to paint goes to `awaited`.
fn sift(
    link: &Link,
    window: &Seen,
    overlay: Option<XWindow>,
    left: &mut Mask,
    awaited: &mut Mask,
) -> XResult<()> {
    for child in children(link, window, overlay, left.area)? {
        if left.touches(child.at) {
            sift(link, &child, overlay, left, awaited)?;
        }
    }
    if window.told {
        *awaited = awaited.and(&left.within(window.at));
    }
    if !window.shaped {
        left.clear(window.at);
    }
    Ok(())
}

/// The windows in `parent` that can be seen in `area`, the topmost first.
fn children(link: &Link, parent: &Seen, overlay: Option<XWindow>, area: ScreenRect) -> XResult<Vec<Seen>> {
    let conn = &link.conn;
    let Some(tree) = there(conn.query_tree(parent.id)?.reply())? else {
        return Ok(Vec::new());
    };
    // All is asked before the first answer is read.
    let mut asked = Vec::new();
    for id in tree.children.into_iter().rev().filter(|id| Some(*id) != overlay) {
        asked.push((id, conn.get_window_attributes(id)?, conn.get_geometry(id)?));
    }
    let mut seen = Vec::new();
    for (id, attributes, geometry) in asked {
        let (Some(attributes), Some(geometry)) = (there(attributes.reply())?, there(geometry.reply())?)
        else {
            continue;
        };
        if attributes.map_state != MapState::VIEWABLE || attributes.class == WindowClass::INPUT_ONLY {
            continue;
        }
        // The border is the server's to paint, and hides what is below as the window does.
        let border = u32::from(geometry.border_width);
        let corner = parent.origin.offset(geometry.x.into(), geometry.y.into());
        let size = Size::new(u32::from(geometry.width) + 2 * border, u32::from(geometry.height) + 2 * border);
        let at = ScreenRect { origin: corner, size }.intersect(&parent.at);
        if let Some(at) = at.filter(|at| at.intersect(&area).is_some()) {
            let origin = corner.offset(border as i32, border as i32);
            let told = attributes.all_event_masks.contains(EventMask::EXPOSURE);
            seen.push((Seen { id, origin, at, told, shaped: parent.shaped }, conn.shape_query_extents(id)?));
        }
    }
    let mut out = Vec::new();
    for (window, shape) in seen {
        if let Some(shape) = there(shape.reply())? {
            out.push(Seen { shaped: window.shaped || shape.bounding_shaped, ..window });
        }
    }
    Ok(out)
}

/// `None` for a window that was closed in between: it shows nothing any more.
fn there<T>(reply: Result<T, ReplyError>) -> XResult<Option<T>> {
    match reply.map_err(XError::from) {
        Ok(reply) => Ok(Some(reply)),
        Err(XError::Refused(_)) => Ok(None),
        Err(lost) => Err(lost),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `#` is set.
    fn mask(x: i32, y: i32, rows: &[&str]) -> Mask {
        let area = ScreenRect::new(x, y, rows[0].len() as u32, rows.len() as u32);
        Mask { area, bits: rows.concat().chars().map(|c| c == '#').collect() }
    }

    fn drawn(mask: &Mask) -> (ScreenRect, Vec<String>) {
        let row = |bits: &[bool]| bits.iter().map(|set| if *set { '#' } else { '.' }).collect();
        (mask.area, mask.bits.chunks(mask.area.size.width as usize).map(row).collect())
    }

    #[test]
    fn what_a_new_shape_does_not_cover_is_uncovered() {
        let old = mask(0, 0, &["####", "#..#", "####"]);
        let new = mask(2, -1, &["###", "##.", ".#.", "###"]);
        let left = old.clone().without(&new);
        assert_eq!(drawn(&left).1, ["##..", "#...", "##.."]);
        assert!(old.clone().without(&old).is_empty());
        assert_eq!(drawn(&old.clone().without(&mask(9, 9, &["#"]))), drawn(&old), "elsewhere");
    }

    #[test]
    fn rectangles_are_taken_out_and_masks_put_together() {
        let mut some = mask(-1, 5, &["###", "###"]);
        assert!(some.touches(ScreenRect::new(1, 6, 9, 9)));
        assert_eq!(
            drawn(&some.within(ScreenRect::new(0, 0, 9, 6))),
            (ScreenRect::new(0, 5, 2, 1), vec!["##".into()])
        );
        some.clear(ScreenRect::new(0, 6, 9, 9));
        assert_eq!(drawn(&some).1, ["###", "#.."]);
        assert!(!some.touches(ScreenRect::new(1, 6, 9, 9)));
        assert!(!some.touches(ScreenRect::new(2, 5, 9, 9)), "beside it");
        assert!(some.within(ScreenRect::new(50, 50, 2, 2)).is_empty());
        let all = some.and(&mask(2, 6, &["#", "."]));
        assert_eq!(
            drawn(&all),
            (ScreenRect::new(-1, 5, 4, 3), vec!["###.".into(), "#..#".into(), "....".into()])
        );
        some.clear(all.area);
        assert!(some.is_empty());
    }
}
