//! Displays as RandR 1.5 monitors, the primary first, asked afresh every time.
//!
//! On X11 a screen unit is a root pixel: coordinates begin at the root's corner and are never negative, and the scale is 1.
//! This module refuses to remember: a monitor that is gone is gone.

use super::connection::{Conn, Link, XResult};
use handsight_base::port::desktop::Display;
use handsight_base::space::ScreenRect;
use x11rb::cookie::Cookie;
use x11rb::protocol::randr::{ConnectionExt as _, GetMonitorsReply};
use x11rb::protocol::xproto::{ConnectionExt as _, GetGeometryReply};

/// Every display and the root they lie on, asked for but not answered yet.
pub(crate) struct Asked<'a> {
    root: Cookie<'a, Conn, GetGeometryReply>,
    monitors: Option<Cookie<'a, Conn, GetMonitorsReply>>,
}

impl<'a> Asked<'a> {
    pub(crate) fn send(link: &'a Link) -> XResult<Self> {
        let root = link.conn.get_geometry(link.root)?;
        let monitors =
            link.has.monitors.then(|| link.conn.randr_get_monitors(link.root, true)).transpose()?;
        Ok(Self { root, monitors })
    }

    /// A server without monitors is one display called `screen`.
    pub(crate) fn read(self, link: &Link) -> XResult<(Vec<Display>, ScreenRect)> {
        let root = self.root.reply()?;
        let root = ScreenRect::new(0, 0, root.width.into(), root.height.into());
        let mut monitors = match self.monitors {
            Some(cookie) => cookie.reply()?.monitors,
            None => Vec::new(),
        };
        // Stable, so that the rest keep the order of the server.
        monitors.sort_by_key(|m| !m.primary);
        let mut displays = Vec::with_capacity(monitors.len().max(1));
        for monitor in &monitors {
            displays.push(Display {
                name: link.atom_name(monitor.name)?,
                area: ScreenRect::new(
                    monitor.x.into(),
                    monitor.y.into(),
                    monitor.width.into(),
                    monitor.height.into(),
                ),
                primary: monitor.primary,
                scale: 1.0,
            });
        }
        displays.retain(|d| !d.area.is_empty());
        match displays.first_mut() {
            // Somebody has to be the primary.
            Some(first) => first.primary = true,
            None => {
                displays.push(Display { name: "screen".into(), area: root, primary: true, scale: 1.0 });
            }
        }
        Ok((displays, root))
    }
}

/// Every display.
pub(crate) fn displays(link: &Link) -> XResult<Vec<Display>> {
    Ok(Asked::send(link)?.read(link)?.0)
}
