//! What changed on the screen since a mark, by XDamage on the root.
//!
//! The server keeps the region; it is fetched and emptied when asked, so nothing floods the connection. Where our own
//! overlay lies is left out while it is shown, as everyone who judges calm masks it too. This module refuses to guess: a mark
//! it does not know means that everything may have changed.

use super::connection::{Link, XResult, done};
use handsight_base::port::desktop::{Damage, DamageMark};
use handsight_base::space::ScreenRect;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use x11rb::connection::Connection as _;
use x11rb::protocol::damage::{ConnectionExt as _, ReportLevel};
use x11rb::protocol::xfixes::ConnectionExt as _;
use x11rb::protocol::xproto::Rectangle;

/// How many answers are remembered for older marks.
const REMEMBERED: usize = 64;

/// Marks of one connection mean nothing to the next: they start elsewhere.
static CONNECTIONS: AtomicU64 = AtomicU64::new(1);

pub(crate) struct DamageLog {
    damage: u32,
    region: u32,
    /// Of the first mark; what was before it is not known.
    oldest: u64,
    newest: u64,
    /// What changed between `mark - 1` and `mark`.
    changes: VecDeque<(u64, Vec<ScreenRect>)>,
}

impl DamageLog {
    /// Starts to watch the root.
    pub(crate) fn watch(link: &Link) -> XResult<Self> {
        let (damage, region) = (link.conn.generate_id()?, link.conn.generate_id()?);
        done(link.conn.xfixes_create_region(region, &[])?)?;
        // One event at the first change, then silence until the region is fetched.
        done(link.conn.damage_create(damage, link.root, ReportLevel::NON_EMPTY)?)?;
        let start = CONNECTIONS.fetch_add(1, Ordering::Relaxed) << 32;
        Ok(Self { damage, region, oldest: start, newest: start, changes: VecDeque::new() })
    }

    /// Fetches what changed until now and forgets it at the server. What lies in `ours` is left out.
    pub(crate) fn fetch(&mut self, link: &Link, ours: &[ScreenRect]) -> XResult<Vec<ScreenRect>> {
        link.conn.damage_subtract(self.damage, x11rb::NONE, self.region)?;
        if !ours.is_empty() {
            let mask = link.conn.generate_id()?;
            let ours: Vec<Rectangle> = ours.iter().map(|a| rectangle(*a)).collect();
            link.conn.xfixes_create_region(mask, &ours)?;
            link.conn.xfixes_subtract_region(self.region, mask, self.region)?;
            link.conn.xfixes_destroy_region(mask)?;
        }
        let reply = link.conn.xfixes_fetch_region(self.region)?.reply()?;
        Ok(reply.rectangles.iter().map(screen_rect).collect())
    }

    /// What changed since `mark`; without one, a first mark and nothing.
    pub(crate) fn since(
        &mut self,
        link: &Link,
        mark: Option<DamageMark>,
        ours: &[ScreenRect],
    ) -> XResult<Damage> {
        link.drain()?;
        let changed = self.fetch(link, ours)?;
        self.note(changed);
        Ok(self.answer(mark))
    }

    /// Remembers what was fetched outside of `since`, for the marks given out before.
    pub(crate) fn note(&mut self, changed: Vec<ScreenRect>) {
        self.newest += 1;
        self.changes.push_back((self.newest, changed));
        if self.changes.len() > REMEMBERED {
            self.changes.pop_front();
            self.oldest += 1;
        }
    }

    fn answer(&self, mark: Option<DamageMark>) -> Damage {
        let areas = match mark {
            None => Some(Vec::new()),
            Some(DamageMark(mark)) if (self.oldest..=self.newest).contains(&mark) => {
                let newer = self.changes.iter().filter(|(at, _)| *at > mark);
                Some(newer.flat_map(|(_, areas)| areas.iter().copied()).collect())
            }
            Some(_) => None,
        };
        Damage { mark: DamageMark(self.newest), areas }
    }
}

pub(crate) fn rectangle(area: ScreenRect) -> Rectangle {
    Rectangle {
        x: area.origin.x.clamp(i16::MIN.into(), i16::MAX.into()) as i16,
        y: area.origin.y.clamp(i16::MIN.into(), i16::MAX.into()) as i16,
        width: area.size.width.min(u16::MAX.into()) as u16,
        height: area.size.height.min(u16::MAX.into()) as u16,
    }
}

pub(crate) fn screen_rect(area: &Rectangle) -> ScreenRect {
    ScreenRect::new(area.x.into(), area.y.into(), area.width.into(), area.height.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_remembers_what_came_after_it_and_no_more() {
        let start = 7 << 32;
        let mut log =
            DamageLog { damage: 0, region: 0, oldest: start, newest: start, changes: VecDeque::new() };
        let area = |n: i32| ScreenRect::new(n, 0, 1, 1);
        log.note(vec![area(1)]);
        let first = log.answer(None);
        assert_eq!(first.areas, Some(vec![]), "a first mark begins with nothing");
        log.note(vec![area(2)]);
        log.note(vec![]);
        log.note(vec![area(3), area(4)]);
        assert_eq!(log.answer(Some(first.mark)).areas, Some(vec![area(2), area(3), area(4)]));
        let now = log.answer(Some(first.mark)).mark;
        assert_eq!(log.answer(Some(now)).areas, Some(vec![]));
        assert_eq!(log.answer(Some(DamageMark(3))).areas, None, "a mark of another connection");
        for _ in 0..REMEMBERED {
            log.note(vec![]);
        }
        assert_eq!(log.answer(Some(first.mark)).areas, None, "too long ago");
        assert_eq!(log.answer(Some(now)).areas, Some(vec![]), "just remembered");
    }
}
