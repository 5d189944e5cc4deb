//! Where a window is and whether it can be seen: what a capture needs to know of it, in one round trip.

use super::connection::{Conn, Link, XResult};
use super::windows::{Property, first, words};
use handsight_base::port::desktop::WindowState;
use handsight_base::space::ScreenRect;
use x11rb::cookie::Cookie;
use x11rb::protocol::xproto::{
    ConnectionExt as _, GetGeometryReply, GetWindowAttributesReply, MapState, TranslateCoordinatesReply,
    Window as XWindow, WindowClass,
};

/// `WM_STATE` of a minimised window.
const ICONIC: u32 = 3;
/// `_NET_WM_DESKTOP` of a window that is on every workspace.
pub(crate) const EVERYWHERE: u32 = u32::MAX;

/// The answers.
pub(crate) struct Whereabouts {
    /// Client area on the screen.
    pub client: ScreenRect,
    /// Width of the border around it.
    pub border: i32,
    pub state: WindowState,
    pub mapped: bool,
    pub override_redirect: bool,
}

/// The questions, sent and not answered yet.
pub(crate) struct Asked<'a> {
    attributes: Cookie<'a, Conn, GetWindowAttributesReply>,
    geometry: Cookie<'a, Conn, GetGeometryReply>,
    origin: Cookie<'a, Conn, TranslateCoordinatesReply>,
    net_state: Property<'a>,
    state: Property<'a>,
    desktop: Property<'a>,
}

impl<'a> Asked<'a> {
    pub(crate) fn send(link: &'a Link, id: XWindow) -> XResult<Self> {
        Ok(Self {
            attributes: link.conn.get_window_attributes(id)?,
            geometry: link.conn.get_geometry(id)?,
            origin: link.conn.translate_coordinates(id, link.root, 0, 0)?,
            net_state: words(link, id, link.atoms._NET_WM_STATE)?,
            state: words(link, id, link.atoms.WM_STATE)?,
            desktop: words(link, id, link.atoms._NET_WM_DESKTOP)?,
        })
    }

    /// `here` is the workspace that is shown. Refused if the window is closed.
    pub(crate) fn read(self, link: &Link, here: Option<u32>) -> XResult<Whereabouts> {
        let attributes = self.attributes.reply()?;
        let geometry = self.geometry.reply()?;
        let origin = self.origin.reply()?;
        let net_state = self.net_state.reply()?;
        let hidden = net_state.value32().is_some_and(|mut v| v.any(|a| a == link.atoms._NET_WM_STATE_HIDDEN));
        let iconic = first(&self.state.reply()?) == Some(ICONIC);
        let there = first(&self.desktop.reply()?);
        let mapped =
            attributes.map_state == MapState::VIEWABLE && attributes.class == WindowClass::INPUT_OUTPUT;
        let elsewhere = matches!((there, here),
            (Some(there), Some(here)) if there != EVERYWHERE && there != here);
        let (x, y) = (i32::from(origin.dst_x), i32::from(origin.dst_y));
        Ok(Whereabouts {
            client: ScreenRect::new(x, y, geometry.width.into(), geometry.height.into()),
            border: geometry.border_width.into(),
            // Managers call a window of another workspace iconic too.
            state: if hidden || (iconic && !elsewhere) {
                WindowState::Minimised
            } else if !mapped || elsewhere {
                WindowState::Hidden
            } else {
                WindowState::Normal
            },
            mapped,
            override_redirect: attributes.override_redirect,
        })
    }
}
