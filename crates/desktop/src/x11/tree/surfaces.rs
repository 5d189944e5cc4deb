//! The windows of the screen as the server stacks them, menus and other windows without a manager too.

use super::place::Surface;
use crate::x11::connection::{Link, XError, XResult};
use crate::x11::whereabouts;
use crate::x11::windows::{self, words};
use handsight_base::port::desktop::{DesktopError, WindowState};
use handsight_base::space::ScreenRect;
use std::collections::HashMap;
use x11rb::protocol::xproto::{ConnectionExt as _, Window as XWindow};

/// A child of the root: itself, its area while it is mapped, and what lies in it.
type Top = (XWindow, Option<ScreenRect>, Vec<XWindow>);

/// What is mapped, the topmost first; `ours` is left out.
pub(super) fn stacked(link: &Link, ours: Option<XWindow>) -> Result<Vec<Surface>, DesktopError> {
    let managed = windows::list(link)?;
    let tops = || -> XResult<Vec<Top>> {
        let children = link.conn.query_tree(link.root)?.reply()?.children;
        let mut asked = Vec::new();
        for id in children.into_iter().rev().filter(|id| Some(*id) != ours) {
            asked.push((id, whereabouts::Asked::send(link, id)?, link.conn.query_tree(id)?));
        }
        let mut tops = Vec::new();
        for (id, place, tree) in asked {
            let place = match place.read(link, None) {
                Ok(place) => place,
                Err(XError::Refused(_)) => continue,
                Err(lost) => return Err(lost),
            };
            let inside = tree.reply().map(|tree| tree.children).unwrap_or_default();
            tops.push((id, place.mapped.then_some(place.client), inside));
        }
        Ok(tops)
    };
    let mut by_id: HashMap<u64, &handsight_base::port::desktop::Window> =
        managed.iter().map(|window| (window.id.0, window)).collect();
    let mut surfaces = Vec::new();
    for (id, area, inside) in tops()? {
        let Some(area) = area else { continue };
        let window = std::iter::once(id).chain(inside).find_map(|id| by_id.remove(&u64::from(id)));
        surfaces.push(match window {
            Some(window) if window.state == WindowState::Normal => Surface {
                client: window.client,
                outer: window.outer.union(&area),
                pid: window.pid,
                title: window.title.clone(),
                popup: false,
            },
            _ => Surface {
                client: area,
                outer: area,
                pid: pid_of(link, id)?,
                title: String::new(),
                popup: true,
            },
        });
    }
    Ok(surfaces)
}

/// The process of a window that no manager knows.
fn pid_of(link: &Link, id: XWindow) -> Result<Option<u32>, DesktopError> {
    match windows::one(link, handsight_base::port::desktop::WindowId(id.into())) {
        Ok(window) => Ok(window.pid),
        Err(DesktopError::TargetGone { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Where the accessibility bus of this display is, if somebody wrote it on the root window.
pub(super) fn bus_of_display(link: &Link) -> Result<Option<String>, DesktopError> {
    let read = || -> XResult<Option<String>> {
        let reply = words(link, link.root, link.atoms.AT_SPI_BUS)?.reply()?;
        Ok(Some(String::from_utf8_lossy(&reply.value).into_owned()).filter(|text| !text.is_empty()))
    };
    Ok(read()?)
}
