//! One connection to an X server: what the server has, how its errors are told, and waiting for it.
//!
//! Nothing here aborts: a `BadWindow` is an answer, a broken socket is [`DesktopError::Lost`]. This module refuses to
//! read the environment: whoever calls names the display.

use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::DesktopError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::HashMap;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use x11rb::connection::{Connection, RequestConnection};
use x11rb::cookie::VoidCookie;
use x11rb::errors::{ConnectError, ConnectionError, ReplyError, ReplyOrIdError};
use x11rb::protocol::xproto::{Atom, ConnectionExt as _, ImageOrder, Visualtype, Window};
use x11rb::protocol::{damage, randr, res, shape, shm, xfixes, xtest};
use x11rb::rust_connection::RustConnection;
use x11rb::x11_utils::X11Error;

x11rb::atom_manager! {
    /// Every atom this backend speaks of, asked for in one round trip.
    pub(crate) Atoms:
    AtomsCookie {
        AT_SPI_BUS,
        UTF8_STRING,
        WM_CHANGE_STATE,
        WM_DELETE_WINDOW,
        WM_PROTOCOLS,
        WM_STATE,
        WM_TRANSIENT_FOR,
        _COMPTON_SHADOW,
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST,
        _NET_CLIENT_LIST_STACKING,
        _NET_CURRENT_DESKTOP,
        _NET_FRAME_EXTENTS,
        _NET_MOVERESIZE_WINDOW,
        _NET_SUPPORTED,
        _NET_SUPPORTING_WM_CHECK,
        _NET_WM_DESKTOP,
        _NET_WM_NAME,
        _NET_WM_PID,
        _NET_WM_PING,
        _NET_WM_STATE,
        _NET_WM_STATE_FULLSCREEN,
        _NET_WM_STATE_HIDDEN,
        _NET_WM_STATE_MAXIMIZED_HORZ,
        _NET_WM_STATE_MAXIMIZED_VERT,
        _NET_WM_WINDOW_TYPE,
        _NET_WM_WINDOW_TYPE_DESKTOP,
        _NET_WM_WINDOW_TYPE_NOTIFICATION,
    }
}

/// Which extensions the server offers, in the versions we speak.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Extensions {
    pub shm: bool,
    /// MIT-SHM 1.2: a segment can be handed over as a file descriptor.
    pub shm_fd: bool,
    /// RandR 1.5: monitors.
    pub monitors: bool,
    pub xfixes: bool,
    pub damage: bool,
    /// Shape 1.1: input shapes.
    pub shape: bool,
    pub xtest: bool,
    /// X-Resource 1.2: the process behind a window.
    pub res: bool,
}

/// Shared with the thread that raises the overlay.
pub(crate) type Conn = Arc<RustConnection>;

/// A connection with what we asked once at its start.
pub(crate) struct Link {
    pub conn: Conn,
    /// The display as it was named: `:99`.
    pub display: String,
    pub screen: usize,
    pub root: Window,
    pub atoms: Atoms,
    pub has: Extensions,
    /// The server shares this machine (a Unix socket), so memory can be shared with it.
    pub local: bool,
    clock: RealClock,
    /// Atoms keep their names while the server lives.
    names: Mutex<HashMap<Atom, String>>,
}

/// What became of a request, before it is told in the words of the desktop.
#[derive(Debug)]
pub(crate) enum XError {
    /// The connection is of no use any more.
    Lost(String),
    /// The server refused one request; the connection lives.
    Refused(X11Error),
}

pub(crate) type XResult<T> = Result<T, XError>;

impl XError {
    /// The error in the words of the desktop; `refused` says what a refusal means here.
    pub(crate) fn told(self, refused: impl FnOnce(&X11Error) -> DesktopError) -> DesktopError {
        match self {
            Self::Lost(why) => DesktopError::Lost { why },
            Self::Refused(error) => refused(&error),
        }
    }

    /// For requests about a window: a refusal means that it is closed.
    pub(crate) fn gone(self, window: impl Into<String>) -> DesktopError {
        self.told(|_| DesktopError::TargetGone { window: window.into() })
    }
}

/// A refusal that should not happen: the server answers what it should understand with an error.
impl From<XError> for DesktopError {
    fn from(error: XError) -> Self {
        error.told(|e| Self::Lost { why: format!("the X server refused {}", describe(e)) })
    }
}

impl From<ConnectionError> for XError {
    fn from(error: ConnectionError) -> Self {
        Self::Lost(format!("the connection to the X server broke: {error}"))
    }
}

impl From<ReplyError> for XError {
    fn from(error: ReplyError) -> Self {
        match error {
            ReplyError::ConnectionError(e) => e.into(),
            ReplyError::X11Error(e) => Self::Refused(e),
        }
    }
}

impl From<ReplyOrIdError> for XError {
    fn from(error: ReplyOrIdError) -> Self {
        match error {
            ReplyOrIdError::IdsExhausted => Self::Lost("the X server has no resource ids left".into()),
            ReplyOrIdError::ConnectionError(e) => e.into(),
            ReplyOrIdError::X11Error(e) => Self::Refused(e),
        }
    }
}

/// `GetGeometry: Drawable 0x1400003`.
pub(crate) fn describe(error: &X11Error) -> String {
    let request = error.request_name.unwrap_or("a request");
    format!("{request}: {:?} {:#x}", error.error_kind, error.bad_value)
}

/// Checks that a request without a reply was carried out.
pub(crate) fn done(cookie: VoidCookie<'_, Conn>) -> XResult<()> {
    Ok(cookie.check()?)
}

impl Link {
    /// Connects to `display` (such as `:99`), and refuses with a remedy what cannot be worked on.
    pub(crate) fn connect(display: Option<&str>) -> Result<Self, DesktopError> {
        let link = Self::with_xwayland(display)?;
        link.refuse_xwayland()?;
        Ok(link)
    }

    /// The same for who only shows something of its own, for which Xwayland is good enough.
    pub(crate) fn with_xwayland(display: Option<&str>) -> Result<Self, DesktopError> {
        let Some(display) = display.filter(|d| !d.is_empty()) else {
            return Err(DesktopError::Unusable {
                why: "no X display was named and DISPLAY is not set".into(),
                remedy: "Start an X server (for example `Xvfb :99 -screen 0 1280x720x24`) and name it with \
                         --desktop x11:99 or DISPLAY=:99."
                    .into(),
            });
        };
        if !is_display_name(display) {
            return Err(no_display_name(display));
        }
        let (conn, screen) =
            RustConnection::connect(Some(display)).map_err(|e| cannot_connect(display, &e))?;
        let root = conn.setup().roots[screen].root;
        let local = rustix::net::getsockname(conn.stream())
            .is_ok_and(|a| a.address_family() == rustix::net::AddressFamily::UNIX);
        let atoms = Atoms::new(&conn).map(AtomsCookie::reply);
        let atoms = atoms.map_err(XError::from)?.map_err(XError::from)?;
        let has = extensions(&conn)?;
        let link = Self {
            conn: Arc::new(conn),
            display: display.to_owned(),
            screen,
            root,
            atoms,
            has,
            local,
            clock: RealClock::new(),
            names: Mutex::default(),
        };
        link.refuse_odd_pixels()?;
        Ok(link)
    }

    pub(crate) fn screen(&self) -> &x11rb::protocol::xproto::Screen {
        &self.conn.setup().roots[self.screen]
    }

    /// Monotonic time since the connection was made; for bounds on waiting, not for records.
    pub(crate) fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Takes in what the server sent without being asked. Everything we need we ask for, so events only must not pile
    /// up; errors of requests whose failure we ignore end here too.
    pub(crate) fn drain(&self) -> XResult<()> {
        while let Some(event) = self.conn.poll_for_event()? {
            if let x11rb::protocol::Event::Error(error) = event {
                tracing::debug!("the X server refused {}", describe(&error));
            }
        }
        Ok(())
    }

    /// Returns once the server has worked off everything sent before.
    pub(crate) fn sync(&self) -> XResult<()> {
        self.conn.get_input_focus()?.reply()?;
        Ok(())
    }

    /// Asks `ready` every few milliseconds until it gives something; `None` once `bound` has passed.
    pub(crate) fn wait_for<T>(
        &self,
        bound: Duration,
        mut ready: impl FnMut() -> Result<Option<T>, DesktopError>,
    ) -> Result<Option<T>, DesktopError> {
        let began = self.now();
        loop {
            if let Some(value) = ready()? {
                return Ok(Some(value));
            }
            let Some(left) = bound.checked_sub(self.now().saturating_sub(began)) else {
                return Ok(None);
            };
            self.nap(left.min(Duration::from_millis(4)))?;
        }
    }

    /// Rests until the server sends something, `at_most` so long.
    pub(crate) fn nap(&self, at_most: Duration) -> XResult<()> {
        self.drain()?;
        rest(&self.conn, Some(at_most), None)
    }

    /// Xwayland shows X programs only: a picture of it lacks every native window, and its input reaches none.
    fn refuse_xwayland(&self) -> Result<(), DesktopError> {
        let extension =
            self.conn.query_extension(b"XWAYLAND").map_err(XError::from)?.reply().map_err(XError::from)?;
        let by_output = || -> XResult<bool> {
            use randr::ConnectionExt as _;
            if !self.has.monitors {
                return Ok(false);
            }
            let resources = self.conn.randr_get_screen_resources_current(self.root)?.reply()?;
            for output in resources.outputs {
                let info = self.conn.randr_get_output_info(output, resources.config_timestamp)?.reply()?;
                if info.name.starts_with(b"XWAYLAND") {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        if extension.present || by_output()? {
            return Err(DesktopError::Unusable {
                why: format!("{} is Xwayland, which sees no native Wayland window", self.display),
                remedy: "Log in to an X11 session, or start a display of its own: `Xvfb :99 -screen 0 \
                         1920x1080x24`, programs with DISPLAY=:99, then --desktop x11:99."
                    .into(),
            });
        }
        Ok(())
    }

    /// A frame is BGRX. Anything else would need a conversion that nobody has tested.
    fn refuse_odd_pixels(&self) -> Result<(), DesktopError> {
        let setup = self.conn.setup();
        let depth = self.screen().root_depth;
        let format = setup.pixmap_formats.iter().find(|f| f.depth == depth);
        let bits = format.map_or(0, |f| f.bits_per_pixel);
        let little = setup.image_byte_order == ImageOrder::LSB_FIRST;
        let masks = self.visual(self.screen().root_visual).map(|v| (v.red_mask, v.green_mask, v.blue_mask));
        let bgrx = masks == Some((0xff_0000, 0xff00, 0xff));
        if matches!(depth, 24 | 32) && bits == 32 && little && bgrx {
            return Ok(());
        }
        let order = if little { "little" } else { "big" };
        Err(DesktopError::Unusable {
            why: format!(
                "{} has {depth} bits of colour in {bits} bits a pixel, {order} endian, masks {masks:x?}",
                self.display
            ),
            remedy: "Use a server with 24-bit true colour in 32 bits a pixel (`Xvfb -screen 0 1280x720x24`)."
                .into(),
        })
    }

    fn visual(&self, id: u32) -> Option<Visualtype> {
        self.screen().allowed_depths.iter().flat_map(|d| &d.visuals).find(|v| v.visual_id == id).copied()
    }

    /// A true-colour visual with an alpha channel.
    pub(crate) fn argb_visual(&self) -> Option<Visualtype> {
        let deep = self.screen().allowed_depths.iter().filter(|d| d.depth == 32);
        deep.flat_map(|d| &d.visuals)
            .find(|v| v.red_mask == 0xff_0000 && v.green_mask == 0xff00 && v.blue_mask == 0xff)
            .copied()
    }

    /// The name of an atom, asked once.
    pub(crate) fn atom_name(&self, atom: Atom) -> XResult<String> {
        let known = || self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = known().get(&atom) {
            return Ok(name.clone());
        }
        let name = self.conn.get_atom_name(atom)?.reply()?.name;
        let name = String::from_utf8_lossy(&name).into_owned();
        known().insert(atom, name.clone());
        Ok(name)
    }

    /// An atom by name, made if need be.
    pub(crate) fn atom(&self, name: &str) -> XResult<Atom> {
        Ok(self.conn.intern_atom(false, name.as_bytes())?.reply()?.atom)
    }
}

/// Rests until the server sends something or `also` can be read, `at_most` so long. Events that wait already must be taken
/// in before.
pub(crate) fn rest(conn: &Conn, at_most: Option<Duration>, also: Option<BorrowedFd<'_>>) -> XResult<()> {
    conn.flush()?;
    let timeout = at_most.map(|d| Timespec { tv_sec: d.as_secs() as i64, tv_nsec: d.subsec_nanos().into() });
    let waited = [Some(conn.stream().as_fd()), also].into_iter().flatten();
    let mut waited: Vec<PollFd<'_>> = waited.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
    // Woken early, by a signal too, the caller looks again; a hung-up socket shows in its next request.
    let _woken = poll(&mut waited, timeout.as_ref());
    Ok(())
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Link({}, screen {}, {:?})", self.display, self.screen, self.has)
    }
}

/// Asks for each extension in the version we speak; what is missing is false.
fn extensions(conn: &RustConnection) -> XResult<Extensions> {
    use damage::ConnectionExt as _;
    use randr::ConnectionExt as _;
    use res::ConnectionExt as _;
    use shape::ConnectionExt as _;
    use shm::ConnectionExt as _;
    use xfixes::ConnectionExt as _;
    let names = [
        shm::X11_EXTENSION_NAME,
        randr::X11_EXTENSION_NAME,
        xfixes::X11_EXTENSION_NAME,
        damage::X11_EXTENSION_NAME,
        shape::X11_EXTENSION_NAME,
        xtest::X11_EXTENSION_NAME,
        res::X11_EXTENSION_NAME,
    ];
    for name in names {
        conn.prefetch_extension_information(name)?;
    }
    let there = |name| conn.extension_information(name).map(|e| e.is_some());
    let mut has = Extensions { xtest: there(xtest::X11_EXTENSION_NAME)?, ..Extensions::default() };
    if there(shm::X11_EXTENSION_NAME)? {
        let version = conn.shm_query_version()?.reply()?;
        has.shm = true;
        has.shm_fd = (version.major_version, version.minor_version) >= (1, 2);
    }
    if there(randr::X11_EXTENSION_NAME)? {
        let version = conn.randr_query_version(1, 5)?.reply()?;
        has.monitors = (version.major_version, version.minor_version) >= (1, 5);
    }
    if there(xfixes::X11_EXTENSION_NAME)? {
        has.xfixes = conn.xfixes_query_version(5, 0)?.reply()?.major_version >= 2;
    }
    if there(damage::X11_EXTENSION_NAME)? && has.xfixes {
        has.damage = conn.damage_query_version(1, 1)?.reply()?.major_version >= 1;
    }
    if there(res::X11_EXTENSION_NAME)? {
        let version = conn.res_query_version(1, 2)?.reply()?;
        has.res = (version.server_major, version.server_minor) >= (1, 2);
    }
    if there(shape::X11_EXTENSION_NAME)? {
        let version = conn.shape_query_version()?.reply()?;
        has.shape = (version.major_version, version.minor_version) >= (1, 1);
    }
    Ok(has)
}

/// True for `:N`, `:N.S` and `HOST:N`. The client library would take the path of a socket for display 0, which is somebody
/// else's screen, and it counts TCP ports up from 6000 without looking where they end.
fn is_display_name(display: &str) -> bool {
    let number = display.rsplit_once(':').map(|(_, rest)| rest.split('.').next().unwrap_or(rest));
    let number = number.and_then(|n| n.parse::<u16>().ok());
    !display.contains('/') && number.is_some_and(|n| n <= u16::MAX - 6000)
}

fn no_display_name(display: &str) -> DesktopError {
    DesktopError::Unusable {
        why: format!("{display:?} is no X display name"),
        remedy: "Write it as :N, for example --desktop x11:99.".to_owned(),
    }
}

fn cannot_connect(display: &str, error: &ConnectError) -> DesktopError {
    let (why, remedy) = match error {
        ConnectError::DisplayParsingError(_) => return no_display_name(display),
        ConnectError::InvalidScreen => (
            format!("the X server {display} has no such screen"),
            "Leave the part after the dot away.".to_owned(),
        ),
        ConnectError::SetupFailed(e) => (
            format!("the X server {display} refused us: {}", e.reason.escape_ascii()),
            "Allow this user on it: copy its XAUTHORITY, or `xhost +si:localuser:$USER`.".to_owned(),
        ),
        ConnectError::SetupAuthenticate(e) => (
            format!("the X server {display} wants an authentication: {}", e.reason.escape_ascii()),
            "Allow this user on it: copy its XAUTHORITY, or `xhost +si:localuser:$USER`.".to_owned(),
        ),
        other => (
            format!("no X server answers at {display}: {other}"),
            format!(
                "Start one there (`Xvfb {display} -screen 0 1280x720x24`), or name another with --desktop x11:N."
            ),
        ),
    };
    DesktopError::Unusable { why, remedy }
}
