//! What changed on the screen since a mark, by XDamage on the root.
//!
//! The server keeps the region; it is fetched and emptied when asked, so nothing floods the connection. Where our own
//! overlay lies is left out while it is shown, as everyone who judges calm masks it too. This module refuses to
//! keep a history of its own; see [`Marks`].

use super::connection::{Link, XResult, done};
use crate::marks::Marks;
use handsight_base::port::desktop::{Damage, DamageMark};
use handsight_base::space::ScreenRect;
use x11rb::connection::Connection as _;
use x11rb::protocol::damage::{ConnectionExt as _, ReportLevel};
use x11rb::protocol::xfixes::ConnectionExt as _;
use x11rb::protocol::xproto::Rectangle;

pub(crate) struct DamageLog {
    damage: u32,
    region: u32,
    marks: Marks,
}

impl DamageLog {
    /// Starts to watch the root.
    pub(crate) fn watch(link: &Link) -> XResult<Self> {
        let (damage, region) = (link.conn.generate_id()?, link.conn.generate_id()?);
        done(link.conn.xfixes_create_region(region, &[])?)?;
        // One event at the first change, then silence until the region is fetched.
        done(link.conn.damage_create(damage, link.root, ReportLevel::NON_EMPTY)?)?;
        Ok(Self { damage, region, marks: Marks::new() })
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
        self.marks.note(changed);
        Ok(self.marks.since(mark))
    }

    /// Remembers what was fetched outside of `since`, for the marks given out before.
    pub(crate) fn note(&mut self, changed: Vec<ScreenRect>) {
        self.marks.note(changed);
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
