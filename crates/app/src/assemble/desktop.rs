//! From `--desktop` to a seat at it.

use super::world::WorldChoice;
use super::{native, vnc};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::providers;
use handsight_agent::profile::{Capture, Method, Profile, Target as Aim};
use handsight_agent::seat::{Connect, Deadlines, Seat};
use handsight_agent::target::parse_window_query;
use handsight_base::key::Chord;
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::{Desktop, DesktopError};
use handsight_base::stop::Stop;
use handsight_desktop::BACKENDS;
use handsight_desktop::hands::{HandsConfig, Screen};
use handsight_desktop::replay::{FirstDifference, ReplayDesktop};
use handsight_desktop::vnc::{Target, VncConfig, VncConnector};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Which desktop a run works on.
#[derive(Debug, Clone)]
pub(crate) enum Choice {
    /// An X server by its display name, `:0`.
    X11 { display: String },
    /// The desktop of this Windows session.
    Windows,
    /// A VNC server; how to get in is added by [`Choice::equipped`].
    Vnc(Box<Target>),
    /// The pictures of a run.
    Replay { run: PathBuf },
    /// A simulated desktop.
    World(WorldChoice),
}

impl fmt::Display for Choice {
    /// As `--desktop` takes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::X11 { display } => write!(f, "x11{display}"),
            Self::Windows => f.write_str("windows"),
            Self::Vnc(target) => write!(f, "vnc:{}", target.address),
            Self::Replay { run } => write!(f, "replay:{}", run.display()),
            Self::World(world) => world.fmt(f),
        }
    }
}

const FORMS: &str = "--desktop takes auto, x11, x11:N, windows, vnc:HOST[:PORT], world:NAME or replay:RUN.";

impl Choice {
    pub(crate) fn read(text: &str, environment: &Environment) -> Result<Self, Failure> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        if let Some(backend) = BACKENDS.iter().find(|b| b.name == kind && !b.is_here()) {
            let what = format!("`{kind}` works on {} only", backend.systems.join(" and "));
            return Err(Failure::new(Exit::DesktopLost, what, FORMS));
        }
        match kind {
            "auto" if rest.is_empty() => auto(environment),
            "x11" if rest.is_empty() => x11_of(environment),
            "x11" => Ok(Self::X11 { display: format!(":{}", rest.trim_start_matches(':')) }),
            "replay" if !rest.is_empty() => Ok(Self::Replay { run: rest.into() }),
            "replay" => Err(Failure::usage("`replay` needs the folder of a run", FORMS)),
            "world" if !rest.is_empty() => Ok(Self::World(WorldChoice::read(rest)?)),
            "world" => Err(Failure::usage("`world` needs a name", FORMS)),
            "windows" if rest.is_empty() => Ok(Self::Windows),
            "windows" => Err(Failure::usage("`windows` takes nothing more: there is one desktop", FORMS)),
            "vnc" if !rest.is_empty() => Ok(Self::Vnc(Box::new(vnc::read(rest, FORMS)?))),
            "vnc" => Err(Failure::usage("`vnc` needs a host", FORMS)),
            _ => Err(Failure::usage(format!("there is no desktop {text:?}"), FORMS)),
        }
    }

    /// With what the settings and the environment say of it: how to get into a VNC server.
    pub(crate) fn equipped(mut self, profile: &Profile, environment: &Environment) -> Result<Self, Failure> {
        if let Self::Vnc(target) = &mut self {
            vnc::equip(target, &profile.desktop, environment)?;
        }
        Ok(self)
    }

    /// True if what the person at the screen presses is heard, for a chord that stops a run and for input that pauses it. What a
    /// VNC server's own keyboard does is not seen here.
    pub(crate) const fn hears_the_person(&self) -> bool {
        matches!(self, Self::X11 { .. } | Self::Windows)
    }

    /// True for a screen of the system this program runs on.
    pub(crate) const fn is_native(&self) -> bool {
        matches!(self, Self::X11 { .. } | Self::Windows)
    }

    /// The hands that work on it, as [`HandsConfig`] names their desktop; `None` where nothing can be pressed.
    fn hands_at(&self) -> Option<Screen> {
        match self {
            Self::X11 { display } => Some(Screen::x11(display)),
            Self::Windows => Some(Screen::Windows),
            Self::Vnc(target) => Some(Screen::Vnc(target.clone())),
            Self::Replay { .. } | Self::World(_) => None,
        }
    }

    /// True if a person's screen is moved.
    pub(crate) const fn is_real(&self) -> bool {
        match self {
            Self::X11 { .. } | Self::Windows | Self::Vnc(_) => true,
            Self::Replay { .. } | Self::World(_) => false,
        }
    }
}

/// The system's own desktop: the Windows session, or an X server if there is one; never anything simulated.
fn auto(environment: &Environment) -> Result<Choice, Failure> {
    if cfg!(windows) {
        return Ok(Choice::Windows);
    }
    x11_of(environment)
}

fn x11_of(environment: &Environment) -> Result<Choice, Failure> {
    if let Some(display) = environment.get("DISPLAY") {
        return Ok(Choice::X11 { display: display.to_owned() });
    }
    let wayland = environment.get("WAYLAND_DISPLAY").is_some()
        || environment.get("XDG_SESSION_TYPE").is_some_and(|t| t == "wayland");
    Err(if wayland {
        Failure::new(
            Exit::DesktopLost,
            "this is a Wayland session, which lets no program see or move the others",
            "Log in to an X11 (Xorg) session, or work on a virtual one: `Xvfb :99 -noreset &` and --desktop x11:99.",
        )
    } else {
        Failure::new(
            Exit::DesktopLost,
            "there is no desktop: DISPLAY is not set",
            "Name an X server with --desktop x11:N, or start a virtual one: `Xvfb :99 -noreset &` and --desktop x11:99.",
        )
    })
}

/// How the hands of a run are started and what the person presses to stop them; `None` for a desktop without any.
pub(crate) fn hands(
    environment: &Environment,
    profile: &Profile,
    choice: &Choice,
) -> anyhow::Result<Option<HandsConfig>> {
    let Some(at) = choice.hands_at() else { return Ok(None) };
    let stop_chord: Chord =
        profile.desktop.stop_chord.parse().map_err(|e| {
            Failure::usage(format!("desktop.stop_chord: {e}"), "An example is ctrl+alt+pause.")
        })?;
    let program = std::env::current_exe().map_err(|e| {
        Failure::new(Exit::DesktopLost, format!("where this program lies cannot be told: {e}"), "")
    })?;
    let command = vec![program.into_os_string(), OsString::from(crate::cli::HANDS)];
    Ok(Some(HandsConfig {
        stop_chord,
        max_hold: Duration::from_secs_f64(profile.act.max_hold_s),
        person: profile.person.pause && choice.hears_the_person(),
        // What they need of it they get over their pipe.
        withheld: providers::withheld(environment, profile),
        ..HandsConfig::new(command, at, environment.state_dir()?)
    }))
}

/// What a real desktop is worked on with.
#[derive(Clone)]
pub(crate) struct Kit {
    /// `None` for who only looks.
    pub(crate) hands: Option<HandsConfig>,
    pub(crate) clock: Arc<dyn Clock>,
    /// How often a rendering of the overlay raises it.
    pub(crate) overlay_pulses: u32,
    /// Environment variables that a launched program does not get.
    pub(crate) withheld: Vec<String>,
    pub(crate) method: Method,
    /// Where programs tell what they show.
    #[cfg_attr(windows, expect(dead_code, reason = "Windows has no such buses"))]
    pub(crate) buses: Buses,
    /// Whether they are asked on Windows.
    #[cfg_attr(not(windows), expect(dead_code, reason = "the other desktops need no leave"))]
    pub(crate) ui_automation: bool,
}

/// Addresses of D-Bus, of the session that the desktop is of.
#[derive(Debug, Clone, Default)]
#[cfg_attr(windows, expect(dead_code, reason = "Windows has no such buses"))]
pub(crate) struct Buses {
    pub(crate) accessibility: Option<String>,
    pub(crate) session: Option<String>,
}

impl Buses {
    pub(crate) fn of(environment: &Environment) -> Self {
        let read = |name| environment.get(name).map(str::to_owned);
        Self { accessibility: read("AT_SPI_BUS_ADDRESS"), session: read("DBUS_SESSION_BUS_ADDRESS") }
    }
}

impl Kit {
    /// Nothing to work with, only eyes.
    pub(crate) fn eyes(clock: Arc<dyn Clock>) -> Self {
        let buses = Buses::default();
        Self {
            hands: None,
            clock,
            overlay_pulses: 2,
            withheld: Vec::new(),
            method: Method::Gdi,
            buses,
            ui_automation: false,
        }
    }
}

/// What connects to a real desktop, again and again if need be.
pub(crate) fn connector(choice: &Choice, kit: Kit) -> Result<Connect, DesktopError> {
    if kit.method == Method::Dxgi && !matches!(choice, Choice::Windows) {
        return Err(DesktopError::Unusable {
            why: format!("{choice} has no desktop duplication"),
            remedy: "Set capture.method to gdi.".into(),
        });
    }
    if let Choice::Vnc(target) = choice {
        let Kit { hands, clock, .. } = kit;
        let connector = VncConnector::new(VncConfig { target: target.as_ref().clone(), hands, clock });
        return Ok(Arc::new(move || Ok(Box::new(connector.connect()?) as Box<dyn Desktop>)));
    }
    let connector = native::connector(choice, kit)?;
    Ok(Arc::new(move || Ok(Box::new(connector.connect()?) as Box<dyn Desktop>)))
}

/// A seat at a real desktop, on a thread of its own.
pub(crate) async fn real(
    choice: &Choice,
    kit: Kit,
    profile: &Profile,
    stop: &Stop,
) -> Result<Seat, DesktopError> {
    let clock = Arc::clone(&kit.clock);
    let connector = connector(choice, kit)?;
    let capture = profile.capture.clone();
    let first = AtomicBool::new(true);
    let connect: Connect = Arc::new(move || {
        let mut desktop = connector()?;
        // At the start an absent target is a mistake of the command line (3); later it is a loss, which the turn waits out.
        if first.swap(false, Ordering::AcqRel) {
            target_is_there(&mut *desktop, &capture)?;
        }
        Ok(desktop)
    });
    let lost = Duration::from_secs_f64(profile.desktop.lost_s);
    Seat::connect(connect, Deadlines { lost, ..Deadlines::default() }, clock, stop.clone()).await
}

/// A seat at the pictures of a run, and where what is done leaves the recording.
pub(crate) fn replay(
    run: &Path,
    clock: &Arc<dyn Clock>,
    stop: &Stop,
) -> Result<(Seat, FirstDifference), DesktopError> {
    let desktop = ReplayDesktop::open(run, Arc::clone(clock))?;
    let first = desktop.first_difference();
    Ok((Seat::inline(Box::new(desktop), Arc::clone(clock), stop.clone()), first))
}

/// Refuses a display or window that is not there.
pub(crate) fn target_is_there(desktop: &mut dyn Desktop, capture: &Capture) -> Result<(), DesktopError> {
    match capture.target {
        Aim::Window => {
            let query = parse_window_query(&capture.window).map_err(|why| DesktopError::Unusable {
                why: format!("capture.window: {why}"),
                remedy: "Correct the setting.".into(),
            })?;
            desktop.find(&query).map(drop)
        }
        Aim::Display if capture.display == "all" || capture.display == "primary" => Ok(()),
        Aim::Display => {
            let displays = desktop.displays()?;
            let by_number = capture.display.parse::<usize>().is_ok_and(|n| n < displays.len());
            if by_number || displays.iter().any(|d| d.name == capture.display) {
                return Ok(());
            }
            let there = displays.iter().enumerate().map(|(n, d)| format!("{n} ({})", d.name)).collect();
            Err(DesktopError::NoSuchDisplay { name: capture.display.clone(), there })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, pairs: &[(&str, &str)]) -> Result<String, (Exit, String)> {
        let choice = Choice::read(text, &Environment::of(pairs));
        choice.map(|c| c.to_string()).map_err(|f| {
            let (exit, hint) = crate::exit::of_error(&f.into());
            (exit, hint)
        })
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn auto_is_an_x_server_or_a_refusal_never_a_replay() {
        assert_eq!(read("auto", &[("DISPLAY", ":7")]).unwrap(), "x11:7");
        assert_eq!(read("x11", &[("DISPLAY", ":7.0")]).unwrap(), "x11:7.0");
        assert_eq!(read("x11:99", &[]).unwrap(), "x11:99");
        assert_eq!(read("x11::99", &[]).unwrap(), "x11:99");
        assert_eq!(read("replay:a/b", &[]).unwrap(), "replay:a/b");
        let (exit, hint) = read("auto", &[]).unwrap_err();
        assert!(exit == Exit::DesktopLost && hint.contains("Xvfb"), "{hint}");
        let (exit, hint) = read("auto", &[("WAYLAND_DISPLAY", "wayland-0")]).unwrap_err();
        assert!(exit == Exit::DesktopLost && hint.contains("Xorg"), "{hint}");
        assert_eq!(read("vnc:host", &[]).unwrap(), "vnc:host:5900");
        assert_eq!(read("vnc:host:1", &[]).unwrap(), "vnc:host:5901");
        assert_eq!(read("vnc:[::1]:5999", &[]).unwrap(), "vnc:[::1]:5999");
        assert_eq!(read("vnc", &[]).unwrap_err().0, Exit::Usage);
        assert_eq!(read("vnc:host:port", &[]).unwrap_err().0, Exit::Usage);
        assert_eq!(read("moon", &[]).unwrap_err().0, Exit::Usage);
        assert_eq!(read("replay", &[]).unwrap_err().0, Exit::Usage);
    }

    #[test]
    fn a_desktop_of_another_system_is_refused_by_name() {
        let (other, text) = if cfg!(windows) { ("linux", "x11:0") } else { ("windows", "windows") };
        let failure = Choice::read(text, &Environment::of(&[])).unwrap_err();
        assert!(failure.to_string().ends_with(&format!("works on {other} only")), "{failure}");
        assert_eq!(crate::exit::of_error(&failure.into()).0, Exit::DesktopLost);
    }

    #[cfg(windows)]
    #[test]
    fn auto_is_the_session_whatever_the_environment_says() {
        assert_eq!(read("auto", &[("DISPLAY", ":7")]).unwrap(), "windows");
        assert_eq!(read("windows", &[]).unwrap(), "windows");
        assert_eq!(read("windows:1", &[]).unwrap_err().0, Exit::Usage);
    }
}
