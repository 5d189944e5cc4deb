//! The desktop of the system this program was built for, in its own type. Everything else sees it through the port; only a
//! measurement needs more of it than the port has.

use super::desktop::{Choice, Kit};
use handsight_base::port::desktop::DesktopError;
use handsight_desktop::floor::Floor;

#[cfg(windows)]
use handsight_agent::profile;
#[cfg(windows)]
use handsight_desktop::windows::{Method, WindowsConfig, WindowsConnector};
#[cfg(target_os = "linux")]
use handsight_desktop::x11::{Buses, X11Config, X11Connector};

#[cfg(windows)]
pub(crate) use handsight_desktop::windows::WindowsDesktop as NativeDesktop;
#[cfg(target_os = "linux")]
pub(crate) use handsight_desktop::x11::X11Desktop as NativeDesktop;

#[cfg(windows)]
type NativeConnector = WindowsConnector;
#[cfg(target_os = "linux")]
type NativeConnector = X11Connector;

/// What connects to `choice`; refused where that is a desktop of another system, or none at all.
#[cfg(target_os = "linux")]
pub(super) fn connector(choice: &Choice, kit: Kit) -> Result<NativeConnector, DesktopError> {
    let Choice::X11 { display } = choice else { return Err(elsewhere(choice)) };
    let Kit { hands, clock, overlay_pulses, withheld, method: _, buses, ui_automation: _ } = kit;
    let buses = Buses { accessibility: buses.accessibility, session: buses.session };
    let display = Some(display.clone());
    Ok(X11Connector::new(X11Config { display, hands, clock, overlay_pulses, withheld, buses }))
}

/// What connects to `choice`; refused where that is a desktop of another system, or none at all.
#[cfg(windows)]
pub(super) fn connector(choice: &Choice, kit: Kit) -> Result<NativeConnector, DesktopError> {
    let Choice::Windows = choice else { return Err(elsewhere(choice)) };
    let Kit { hands, clock, overlay_pulses, withheld, method, buses: _, ui_automation } = kit;
    let method = match method {
        profile::Method::Gdi => Method::Gdi,
        profile::Method::Dxgi => Method::Dxgi,
    };
    Ok(WindowsConnector::new(WindowsConfig { hands, clock, overlay_pulses, withheld, method, ui_automation }))
}

/// What the system lacks of what this is made for, if it is one that has a floor (S-02).
pub(crate) fn floor() -> Option<Floor> {
    #[cfg(windows)]
    return Some(Floor::here());
    #[cfg(not(windows))]
    None
}

fn elsewhere(choice: &Choice) -> DesktopError {
    DesktopError::Unusable {
        why: format!("{choice} is no screen of this system"),
        remedy: format!("Name one with --desktop {}.", if cfg!(windows) { "windows" } else { "x11:N" }),
    }
}

/// Connects to `choice` once.
pub(crate) fn connect(choice: &Choice, kit: Kit) -> Result<NativeDesktop, DesktopError> {
    connector(choice, kit)?.connect()
}
