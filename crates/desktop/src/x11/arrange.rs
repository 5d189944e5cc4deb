//! Changing windows: focus, restore, move and resize, and what lies over one.
//!
//! A window manager is asked, not overruled; without one the server is told. Each change is waited for until the server
//! says that it holds, for a bounded time. This module refuses to report a wish as a fact: it returns the window as it is.

use super::connection::{Link, XError, XResult};
use super::whereabouts::EVERYWHERE;
use super::windows::{Scene, first, lineage, managed, one, supports, words};
use handsight_base::port::desktop::{DesktopError, Placement, Window, WindowId, WindowState};
use handsight_base::space::ScreenRect;
use std::time::Duration;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    Atom, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, EventMask, InputFocus, MapState,
    StackMode, Window as XWindow, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

/// How long a window may take to come to the front, or to its place.
const BOUND: Duration = Duration::from_secs(2);
/// A window that has not moved for this long will not: its program keeps a size of its own.
const SETTLED: Duration = Duration::from_millis(150);
/// No border is wider; a window further off than this was put there by somebody who meant it.
const BORDER: i32 = 8;
/// `_NET_ACTIVE_WINDOW` and its like: the message comes from a person's tool, not from the program itself.
const FROM_A_PERSON: u32 = 2;
const STATE_REMOVE: u32 = 0;
/// X11's StaticGravity: the coordinates are those of the client area itself.
const STATIC_GRAVITY: u32 = 10;

/// Restores a window, brings it to the front, gives it the focus, and waits until it has it.
pub(crate) fn focus(link: &Link, id: WindowId) -> Result<Window, DesktopError> {
    let window = one(link, id)?;
    let xid = id.0 as XWindow;
    let ask = || -> XResult<()> {
        if supports(link, link.atoms._NET_ACTIVE_WINDOW)? {
            follow_to_workspace(link, xid)?;
            message(link, xid, link.atoms._NET_ACTIVE_WINDOW, [FROM_A_PERSON, 0, 0, 0, 0])
        } else {
            take_focus(link, xid)
        }
    };
    ask().map_err(|e| e.gone(format!("{:?}", window.title)))?;
    let there = || {
        let now = one(link, id)?;
        let held = now.focused || dialog_has_focus(link, xid)?;
        Ok((now.state == WindowState::Normal && held).then_some(now))
    };
    if let Some(window) = link.wait_for(BOUND, there)? {
        return Ok(window);
    }
    // A window manager may refuse to hand over the focus; the server does not.
    if one(link, id)?.state == WindowState::Normal {
        take_focus(link, xid)?;
        if let Some(window) = link.wait_for(SETTLED, there)? {
            return Ok(window);
        }
    }
    Err(DesktopError::TargetHidden { window: format!("{:?}", window.title), waited: BOUND })
}

/// Some managers only flash a window of another workspace; a person's pager goes there first.
fn follow_to_workspace(link: &Link, window: XWindow) -> XResult<()> {
    let there = first(&words(link, window, link.atoms._NET_WM_DESKTOP)?.reply()?);
    let here = first(&words(link, link.root, link.atoms._NET_CURRENT_DESKTOP)?.reply()?);
    match (there, here) {
        (Some(there), Some(here)) if there != here && there != EVERYWHERE => {
            message(link, link.root, link.atoms._NET_CURRENT_DESKTOP, [there, 0, 0, 0, 0])
        }
        _ => Ok(()),
    }
}

fn take_focus(link: &Link, window: XWindow) -> XResult<()> {
    link.conn.map_window(window)?;
    link.conn.configure_window(window, &ConfigureWindowAux::new().stack_mode(StackMode::ABOVE))?;
    // The server takes it only once the window is viewable; too early is an error we may ignore, since we wait and ask.
    link.sync()?;
    link.conn.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME)?;
    link.conn.flush()?;
    Ok(())
}

/// A modal dialog takes the focus in place of the window it belongs to.
fn dialog_has_focus(link: &Link, window: XWindow) -> Result<bool, DesktopError> {
    let Some(focus) = Scene::now(link)?.focus() else {
        return Ok(false);
    };
    let owner = words(link, focus, link.atoms.WM_TRANSIENT_FOR)?.reply().map_err(XError::from);
    match owner {
        Ok(reply) => Ok(first(&reply) == Some(window)),
        Err(XError::Refused(_)) => Ok(false),
        Err(lost) => Err(lost.into()),
    }
}

/// Moves and resizes a window, waits until it lies still, and returns it as it then is.
pub(crate) fn place(link: &Link, id: WindowId, to: Placement) -> Result<Window, DesktopError> {
    let window = one(link, id)?;
    let client = client_rect(&window, to);
    let now = settle_at(link, &window, client)?;
    let (dx, dy) = (client.origin.x - now.client.origin.x, client.origin.y - now.client.origin.y);
    if (dx, dy) == (0, 0) || (dx.abs().max(dy.abs()) > BORDER) {
        return Ok(now);
    }
    // Window managers count the border that a window had before it was decorated, each in its own way.
    settle_at(link, &now, ScreenRect { origin: client.origin.offset(dx, dy), size: client.size })
}

/// Asks for a place and waits until the window lies still, there or where its program or manager wants it.
fn settle_at(link: &Link, window: &Window, client: ScreenRect) -> Result<Window, DesktopError> {
    let (id, xid) = (window.id, window.id.0 as XWindow);
    ask_place(link, xid, client).map_err(|e| e.gone(format!("{:?}", window.title)))?;
    let mut last = window.client;
    let mut since = link.now();
    let still = link.wait_for(BOUND, || {
        let now = one(link, id)?;
        if now.client != last {
            (last, since) = (now.client, link.now());
        }
        let settled = now.client == client || link.now().saturating_sub(since) >= SETTLED;
        Ok(settled.then_some(now))
    })?;
    still.map_or_else(|| one(link, id), Ok)
}

fn ask_place(link: &Link, window: XWindow, client: ScreenRect) -> XResult<()> {
    let atoms = &link.atoms;
    if managed(link)? {
        // A maximised window does not move.
        let maximised = [atoms._NET_WM_STATE_MAXIMIZED_HORZ, atoms._NET_WM_STATE_MAXIMIZED_VERT];
        for [first, second] in [maximised, [atoms._NET_WM_STATE_FULLSCREEN, 0]] {
            message(link, window, atoms._NET_WM_STATE, [STATE_REMOVE, first, second, FROM_A_PERSON, 0])?;
        }
    }
    if supports(link, atoms._NET_MOVERESIZE_WINDOW)? {
        // Bits 8 to 11: x, y, width and height are given; 12 to 15: by whom.
        let flags = STATIC_GRAVITY | 0xf00 | FROM_A_PERSON << 12;
        let at = [client.origin.x as u32, client.origin.y as u32, client.size.width, client.size.height];
        return message(link, window, atoms._NET_MOVERESIZE_WINDOW, [flags, at[0], at[1], at[2], at[3]]);
    }
    let aux = ConfigureWindowAux::new()
        .x(client.origin.x)
        .y(client.origin.y)
        .width(client.size.width)
        .height(client.size.height);
    Ok(link.conn.configure_window(window, &aux)?.check()?)
}

/// The client area that a placement means, with the decoration the window has now.
fn client_rect(window: &Window, to: Placement) -> ScreenRect {
    match to {
        Placement::Client(client) => client,
        Placement::Outer(outer) => {
            let left = window.client.origin.x - window.outer.origin.x;
            let top = window.client.origin.y - window.outer.origin.y;
            let across = window.outer.size.width - window.client.size.width;
            let down = window.outer.size.height - window.client.size.height;
            ScreenRect::new(
                outer.origin.x.saturating_add(left),
                outer.origin.y.saturating_add(top),
                outer.size.width.saturating_sub(across).max(1),
                outer.size.height.saturating_sub(down).max(1),
            )
        }
    }
}

/// What lies over the client area of a window: the parts of it that other windows cover, menus and notifications too.
/// `ours` is left out: our own overlay.
pub(crate) fn covered(
    link: &Link,
    id: WindowId,
    ours: Option<XWindow>,
) -> Result<Vec<ScreenRect>, DesktopError> {
    let window = one(link, id)?;
    let above = || -> XResult<Vec<ScreenRect>> {
        let top = lineage(link, id.0 as XWindow)?.pop();
        let children = link.conn.query_tree(link.root)?.reply()?.children;
        // From the bottom to the top; what comes after our own is above it.
        let above = children.iter().skip_while(|c| Some(**c) != top).skip(1).filter(|c| Some(**c) != ours);
        let mut asked = Vec::new();
        for child in above {
            asked.push((link.conn.get_window_attributes(*child)?, link.conn.get_geometry(*child)?));
        }
        let mut areas = Vec::new();
        for (attributes, geometry) in asked {
            let (Ok(attributes), Ok(at)) = (attributes.reply(), geometry.reply()) else {
                continue;
            };
            if attributes.map_state == MapState::VIEWABLE && attributes.class == WindowClass::INPUT_OUTPUT {
                let border = u32::from(at.border_width) * 2;
                let (width, height) = (u32::from(at.width) + border, u32::from(at.height) + border);
                areas.push(ScreenRect::new(at.x.into(), at.y.into(), width, height));
            }
        }
        Ok(areas)
    };
    Ok(above()?.iter().filter_map(|area| area.intersect(&window.client)).collect())
}

fn message(link: &Link, window: XWindow, kind: Atom, data: [u32; 5]) -> XResult<()> {
    let event = ClientMessageEvent::new(32, window, kind, data);
    let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
    link.conn.send_event(false, link.root, mask, event)?;
    link.conn.sync()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outer_rectangle_leaves_room_for_the_decoration() {
        let window = Window {
            id: WindowId(1),
            title: String::new(),
            class: Vec::new(),
            pid: None,
            program: None,
            client: ScreenRect::new(11, 30, 200, 100),
            outer: ScreenRect::new(10, 8, 202, 123),
            state: WindowState::Normal,
            focused: false,
        };
        let outer = ScreenRect::new(0, 0, 402, 323);
        assert_eq!(client_rect(&window, Placement::Outer(outer)), ScreenRect::new(1, 22, 400, 300));
        let client = ScreenRect::new(-5, 7, 10, 10);
        assert_eq!(client_rect(&window, Placement::Client(client)), client);
        let tiny = client_rect(&window, Placement::Outer(ScreenRect::new(0, 0, 1, 1)));
        assert_eq!(tiny.size.width, 1, "never empty");
    }
}
