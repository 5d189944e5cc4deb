//! Windows: which there are, what they are called, where they lie, and which one a query means.
//!
//! With a window manager its lists are read (EWMH); without one, the children of the root. Everything is asked afresh
//! each time, in one round trip for all windows together. A window that closes while it is asked about is left out of a list
//! and is [`DesktopError::TargetGone`] when it was meant. This module refuses to change anything; see `arrange.rs`.

use super::connection::{Conn, Link, XError, XResult};
use super::whereabouts;
use crate::query;
use handsight_base::flow::action::WindowQuery;
use handsight_base::port::desktop::{DesktopError, Window, WindowId, WindowState};
use handsight_base::space::ScreenRect;
use x11rb::cookie::Cookie;
use x11rb::protocol::res::{ClientIdMask, ClientIdSpec, ConnectionExt as _, QueryClientIdsReply};
use x11rb::protocol::xproto::{Atom, AtomEnum, ConnectionExt as _, GetPropertyReply, Window as XWindow};

/// Properties longer than this many 32-bit words are cut; a title is never that long.
const LONGEST: u32 = 4096;

/// What holds for the whole screen while windows are described.
pub(crate) struct Scene {
    /// The window that keys go to and all it lies in, by the server's word. A window manager's own word
    /// (`_NET_ACTIVE_WINDOW`) lags behind, and counts only where no window has the focus.
    focus: Vec<XWindow>,
    current_desktop: Option<u32>,
}

impl Scene {
    pub(crate) fn now(link: &Link) -> XResult<Self> {
        let active = words(link, link.root, link.atoms._NET_ACTIVE_WINDOW)?;
        let desktop = words(link, link.root, link.atoms._NET_CURRENT_DESKTOP)?;
        let focus = link.conn.get_input_focus()?;
        let active = first(&active.reply()?).filter(|id| *id != x11rb::NONE);
        let current_desktop = first(&desktop.reply()?);
        let mut focus = lineage(link, focus.reply()?.focus)?;
        if focus.is_empty() {
            focus.extend(active);
        }
        Ok(Self { focus, current_desktop })
    }

    /// The window that keys go to.
    pub(crate) fn focus(&self) -> Option<XWindow> {
        self.focus.first().copied()
    }
}

/// All windows a person would call one, the topmost first.
pub(crate) fn list(link: &Link) -> XResult<Vec<Window>> {
    link.drain()?;
    let scene = Scene::now(link)?;
    let managed = managed(link)?;
    let ids = if managed { client_list(link)? } else { children(link)? };
    let asked = ids.iter().map(|id| Asked::send(link, *id)).collect::<XResult<Vec<_>>>()?;
    let mut windows = Vec::with_capacity(asked.len());
    for asked in asked {
        match asked.read(link, &scene) {
            // Without a window manager only what is seen is a window: programs keep unmapped helpers.
            Ok(seen) if managed || (seen.mapped && !seen.override_redirect) => windows.push(seen.window),
            Ok(_) | Err(XError::Refused(_)) => {}
            Err(lost) => return Err(lost),
        }
    }
    // What is not on the screen lies below everything that is, wherever its manager keeps it in the stack.
    windows.sort_by_key(|w| w.state != WindowState::Normal);
    Ok(windows)
}

/// The windows and whatever else is mapped above, below and between them, the topmost first. `ours` is left out.
pub(crate) fn layers(link: &Link, ours: Option<XWindow>) -> XResult<Vec<Window>> {
    let mut windows = Vec::new();
    for window in list(link)? {
        // A window that closes meanwhile lies in nothing.
        let top = match u32::try_from(window.id.0).map(|id| lineage(link, id)) {
            Ok(line) => line?.last().copied(),
            Err(_) => None,
        };
        windows.push((top, window));
    }
    let scene = Scene::now(link)?;
    let mut layers = Vec::new();
    for child in children(link)?.into_iter().filter(|child| Some(*child) != ours) {
        if let Some(at) = windows.iter().position(|(top, _)| *top == Some(child)) {
            layers.push(windows.remove(at).1);
            continue;
        }
        match Asked::send(link, child)?.read(link, &scene) {
            Ok(seen) if seen.mapped && seen.override_redirect => layers.push(seen.window),
            Ok(_) | Err(XError::Refused(_)) => {}
            Err(lost) => return Err(lost),
        }
    }
    Ok(layers)
}

/// One window afresh; [`DesktopError::TargetGone`] if it is closed.
pub(crate) fn one(link: &Link, id: WindowId) -> Result<Window, DesktopError> {
    link.drain()?;
    let gone = || DesktopError::TargetGone { window: format!("{:#x}", id.0) };
    let xid = u32::try_from(id.0).map_err(|_| gone())?;
    let scene = Scene::now(link)?;
    let seen = Asked::send(link, xid)?.read(link, &scene).map_err(|e| e.gone(format!("{xid:#x}")))?;
    Ok(seen.window)
}

/// The windows a query means, the topmost first; never empty.
pub(crate) fn find(link: &Link, query: &WindowQuery) -> Result<Vec<Window>, DesktopError> {
    query::choose(list(link)?, query, |id| one(link, WindowId(id)))
}

/// True if a window manager lives: it says so in a property and its own window still exists.
pub(crate) fn managed(link: &Link) -> XResult<bool> {
    let Some(check) = first(&words(link, link.root, link.atoms._NET_SUPPORTING_WM_CHECK)?.reply()?) else {
        return Ok(false);
    };
    match words(link, check, link.atoms._NET_SUPPORTING_WM_CHECK)?.reply().map_err(XError::from) {
        Ok(reply) => Ok(first(&reply) == Some(check)),
        Err(XError::Refused(_)) => Ok(false),
        Err(lost) => Err(lost),
    }
}

/// True if the window manager says that it understands `message`.
pub(crate) fn supports(link: &Link, message: Atom) -> XResult<bool> {
    let supported = words(link, link.root, link.atoms._NET_SUPPORTED)?.reply()?;
    Ok(managed(link)? && supported.value32().is_some_and(|mut v| v.any(|a| a == message)))
}

/// The windows a window manager manages, the topmost first.
fn client_list(link: &Link) -> XResult<Vec<XWindow>> {
    // A manager without windows may have neither list.
    for property in [link.atoms._NET_CLIENT_LIST_STACKING, link.atoms._NET_CLIENT_LIST] {
        let reply = words(link, link.root, property)?.reply()?;
        if reply.type_ != x11rb::NONE {
            let mut ids: Vec<u32> = reply.value32().map(Iterator::collect).unwrap_or_default();
            ids.reverse();
            return Ok(ids);
        }
    }
    Ok(Vec::new())
}

/// The children of the root, the topmost first.
fn children(link: &Link) -> XResult<Vec<XWindow>> {
    let mut children = link.conn.query_tree(link.root)?.reply()?.children;
    children.reverse();
    Ok(children)
}

/// A window, its parent and so on, up to the child of the root; empty for the root and for what is no window.
pub(crate) fn lineage(link: &Link, window: XWindow) -> XResult<Vec<XWindow>> {
    let mut line = Vec::new();
    let mut at = window;
    // `None` and `PointerRoot` are 0 and 1. No tree is a hundred deep.
    while at > 1 && at != link.root && line.len() < 100 {
        line.push(at);
        match link.conn.query_tree(at)?.reply().map_err(XError::from) {
            Ok(tree) => at = tree.parent,
            Err(XError::Refused(_)) => break,
            Err(lost) => return Err(lost),
        }
    }
    Ok(line)
}

pub(crate) type Property<'a> = Cookie<'a, Conn, GetPropertyReply>;

pub(crate) fn words(link: &Link, window: XWindow, property: Atom) -> XResult<Property<'_>> {
    Ok(link.conn.get_property(false, window, property, AtomEnum::ANY, 0, LONGEST)?)
}

pub(crate) fn first(property: &GetPropertyReply) -> Option<u32> {
    property.value32()?.next()
}

/// Everything asked about one window, before the answers are read.
struct Asked<'a> {
    id: XWindow,
    place: whereabouts::Asked<'a>,
    net_name: Property<'a>,
    name: Property<'a>,
    class: Property<'a>,
    pid: Property<'a>,
    client: Option<Cookie<'a, Conn, QueryClientIdsReply>>,
    frame: Property<'a>,
}

struct Seen {
    window: Window,
    mapped: bool,
    override_redirect: bool,
}

impl<'a> Asked<'a> {
    fn send(link: &'a Link, id: XWindow) -> XResult<Self> {
        let atoms = &link.atoms;
        let spec = ClientIdSpec { client: id, mask: ClientIdMask::LOCAL_CLIENT_PID };
        Ok(Self {
            id,
            place: whereabouts::Asked::send(link, id)?,
            net_name: words(link, id, atoms._NET_WM_NAME)?,
            name: words(link, id, AtomEnum::WM_NAME.into())?,
            class: words(link, id, AtomEnum::WM_CLASS.into())?,
            pid: words(link, id, atoms._NET_WM_PID)?,
            client: link.has.res.then(|| link.conn.res_query_client_ids(&[spec])).transpose()?,
            frame: words(link, id, atoms._NET_FRAME_EXTENTS)?,
        })
    }

    fn read(self, link: &Link, scene: &Scene) -> XResult<Seen> {
        let place = self.place.read(link, scene.current_desktop)?;
        let (net_name, name) = (self.net_name.reply()?, self.name.reply()?);
        let class = self.class.reply()?.value;
        // What a program says of itself may be a number of another machine or container; the server knows better.
        let told = first(&self.pid.reply()?);
        let known = match self.client.map(|c| c.reply().map_err(XError::from)) {
            Some(Ok(ids)) => ids.ids.iter().find_map(|id| id.value.first().copied()),
            Some(Err(XError::Lost(why))) => return Err(XError::Lost(why)),
            Some(Err(XError::Refused(_))) | None => None,
        };
        let frame: Vec<u32> = self.frame.reply()?.value32().map(Iterator::collect).unwrap_or_default();
        let [left, right, top, bottom] = match frame.as_slice() {
            // Properties are text of a stranger: nonsense must not overflow.
            [left, right, top, bottom, ..] => [*left, *right, *top, *bottom].map(|v| v.min(4096) as i32),
            _ => [place.border; 4],
        };
        let ScreenRect { origin, size } = place.client;
        Ok(Seen {
            mapped: place.mapped,
            override_redirect: place.override_redirect,
            window: Window {
                id: WindowId(self.id.into()),
                title: title(link, &net_name, &name),
                class: class
                    .split(|b| *b == 0)
                    .filter(|part| !part.is_empty())
                    .map(|part| String::from_utf8_lossy(part).into_owned())
                    .collect(),
                // What a program says of itself names no file.
                program: known.and_then(program),
                pid: known.or(told).filter(|pid| *pid != 0),
                client: place.client,
                outer: ScreenRect::new(
                    origin.x - left,
                    origin.y - top,
                    size.width + (left + right) as u32,
                    size.height + (top + bottom) as u32,
                ),
                state: place.state,
                focused: scene.focus.contains(&self.id),
            },
        })
    }
}

/// The file that a process of this machine runs, where it may be asked.
fn program(pid: u32) -> Option<String> {
    std::fs::read_link(format!("/proc/{pid}/exe")).ok()?.into_os_string().into_string().ok()
}

/// `_NET_WM_NAME`, else `WM_NAME`, which is Latin-1 unless it says otherwise.
fn title(link: &Link, net_name: &GetPropertyReply, name: &GetPropertyReply) -> String {
    if !net_name.value.is_empty() {
        return String::from_utf8_lossy(&net_name.value).into_owned();
    }
    if name.type_ == u32::from(AtomEnum::STRING) {
        return name.value.iter().map(|b| char::from(*b)).collect();
    }
    if name.type_ == link.atoms.UTF8_STRING {
        return String::from_utf8_lossy(&name.value).into_owned();
    }
    // COMPOUND_TEXT: its ASCII part is readable, the rest a box.
    String::from_utf8_lossy(&name.value).into_owned()
}
