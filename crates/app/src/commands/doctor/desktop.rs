//! The screen: can it be seen, does the HUD stay on top, do the hands start, what does the system lack (S-02, S-05, S-78).
//!
//! Nothing is pressed and nothing is moved. The one visible thing is a small square in the HUD's corner, for a moment.

use super::finding::{Area, Finding, Findings};
use super::keepers;
use crate::assemble::desktop::{Choice, Kit, connector, target_is_there};
use crate::assemble::native;
use crate::settings::Settings;
use crate::within::within;
use handsight_base::flow::frame::{Frame, Shown};
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::{CaptureRequest, Desktop, DesktopError, Overlay, OverlayInCapture};
use handsight_base::space::ScreenRect;
use handsight_desktop::hands::{Hands, HandsConfig};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const DEADLINE: Duration = Duration::from_secs(8);
const SQUARE: u32 = 8;
/// Blue, green, red: a colour that no theme uses.
const COLOUR: [u8; 3] = [0xC7, 0x15, 0x9D];

pub(super) fn check(
    choice: Result<Choice, crate::exit::Failure>,
    hands: Option<HandsConfig>,
    settings: &Settings,
) -> Vec<Finding> {
    let mut findings = Findings::of(Area::Desktop);
    let choice = match choice {
        Ok(choice @ (Choice::X11 { .. } | Choice::Windows | Choice::Vnc(_))) => choice,
        Ok(Choice::Replay { run }) => {
            findings.ok("server", format!("the pictures of {}: no screen is looked at", run.display()));
            return findings.list;
        }
        Ok(Choice::World(world)) => {
            findings.ok("server", format!("{world}: simulated, no screen is looked at"));
            return findings.list;
        }
        Err(failure) => {
            findings.fail("server", failure.to_string(), failure.hint());
            return findings.list;
        }
    };
    if let Some(floor) = native::floor() {
        let lacking = floor.shortfalls();
        let remedy = "Nothing is refused, and most things work; Windows 11 is what it was made for.";
        let found = if lacking.is_empty() { floor.to_string() } else { lacking.join("; ") };
        findings.expect("windows_build", lacking.is_empty(), found, remedy);
    }
    let hears = choice.hears_the_person();
    #[cfg(windows)]
    super::windows::check(&mut findings, &handsight_desktop::windows::Health::here());
    let capture = settings.profile.capture.clone();
    let margin = settings.profile.hud.margin;
    let pulses = settings.profile.hud.reassert_pulses;
    let seen = within(DEADLINE, "look", move || {
        let mut found = Findings::of(Area::Desktop);
        let clock: Arc<dyn Clock> = Arc::new(RealClock::new());
        let kit = Kit { overlay_pulses: pulses, method: capture.method, ..Kit::eyes(clock) };
        let mut desktop = connector(&choice, kit)?()?;
        look(&mut *desktop, &mut found, margin)?;
        match target_is_there(&mut *desktop, &capture) {
            Ok(()) => found.ok("target", "what the profile looks at is there"),
            Err(e) => found.fail("target", e.to_string(), "`handsight window status` lists the windows."),
        }
        Ok(found.list)
    });
    match seen {
        Ok(found) => findings.list.extend(found),
        Err(error) => {
            let (_, hint) = crate::exit::of_error(&error.clone().into());
            findings.fail("server", error.to_string(), hint);
            return findings.list;
        }
    }
    for pid in keepers::find(Path::new("/proc")) {
        let what =
            format!("process {pid} keeps the clipboard of an ended run, until something else is copied");
        findings.ok("clipboard_keeper", what);
    }
    if let Some(config) = hands {
        let stops = match (hears, config.person) {
            (true, true) => {
                format!("{} stops them; the person's own mouse and keyboard pause a run", config.stop_chord)
            }
            (true, false) => format!(
                "{} stops them; the person's own mouse and keyboard pause nothing (person.pause)",
                config.stop_chord
            ),
            (false, _) => {
                "only Ctrl-C here stops them; a person's own input cannot be told from a run's there".into()
            }
        };
        match within(DEADLINE, "hands", move || Hands::spawn(config).map(drop)) {
            Ok(()) => findings.ok("hands", format!("they start, and {stops}")),
            Err(error) => findings.fail("hands", error.to_string(), ""),
        }
    }
    findings.list
}

fn look(desktop: &mut dyn Desktop, found: &mut Findings, margin: u32) -> Result<(), DesktopError> {
    let info = desktop.info();
    found.ok("server", info.detail);
    let can = info.capabilities;
    // `BitBlt` never tells; an X server that does not lacks something.
    if info.backend == "x11" {
        found.expect(
            "damage",
            can.damage,
            if can.damage { "DAMAGE tells what changed" } else { "no DAMAGE extension" },
            "Settling samples the whole screen instead; nothing else changes.",
        );
    }
    let displays = desktop.displays()?;
    let names: Vec<String> =
        displays.iter().enumerate().map(|(n, d)| format!("{n} {} {}", d.name, d.area)).collect();
    found.ok("displays", names.join(", "));
    match picture(desktop, Shown::AllDisplays, None) {
        Ok(frame) => match frame.suspicion {
            None => found.ok("capture", format!("{} in one picture", frame.size())),
            Some(what) => found.warn(
                "capture",
                format!("{}, but it may be wrong: {what:?}", frame.size()),
                "Unlock the screen, and see that something is shown on it.",
            ),
        },
        Err(e) => found.fail("capture", e.to_string(), ""),
    }
    if can.windows {
        let windows = desktop.windows()?;
        found.ok("windows", format!("{} windows", windows.len()));
    } else {
        found.ok("windows", "this desktop tells of none: the whole screen is worked on");
    }
    if can.overlay {
        overlay(desktop, found, displays.first().map(|d| d.area), margin)
    } else {
        no_overlay(found, &info.backend);
        Ok(())
    }
}

/// Where there is no place for the HUD on the screen. Only an X server could have one and lacks it.
fn no_overlay(found: &mut Findings, backend: &str) {
    if backend == "x11" {
        found.warn(
            "overlay",
            "the server has no SHAPE extension: the HUD is drawn into the picture only",
            "Start the server with it; the model sees the HUD all the same.",
        );
    } else {
        found.ok("overlay", "the HUD is drawn into the picture only, where the model sees it");
    }
}

/// Shows a square where the HUD begins and looks whether it can be seen.
fn overlay(
    desktop: &mut dyn Desktop,
    found: &mut Findings,
    display: Option<ScreenRect>,
    margin: u32,
) -> Result<(), DesktopError> {
    let Some(display) = display else { return Ok(()) };
    let corner = display.origin.offset(margin as i32, margin as i32);
    let area = ScreenRect::new(corner.x, corner.y, SQUARE, SQUARE);
    let [b, g, r] = COLOUR;
    let bgra = [b, g, r, 255].repeat((SQUARE * SQUARE) as usize);
    desktop.overlay(Some(&Overlay { area, bgra: bgra.into() }))?;
    let on_top = stays_on_top(desktop, area);
    desktop.overlay(None)?;
    let on_top = on_top?;
    found.expect(
        "overlay",
        on_top,
        if on_top { "the HUD stays on top" } else { "another topmost window covers the HUD" },
        "Close or move what lies above everything else (a screen locker, a dock, another overlay).",
    );
    Ok(())
}

/// Looks again and again, longer than the pulses that raise the overlay: a rival comes back after them.
fn stays_on_top(desktop: &mut dyn Desktop, area: ScreenRect) -> Result<bool, DesktopError> {
    let clock = RealClock::new();
    while clock.now() < Duration::from_millis(250) {
        let frame = picture(desktop, Shown::AllDisplays, Some(area))?;
        if frame.view().bgr(SQUARE / 2, SQUARE / 2) != Some(COLOUR) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn picture(
    desktop: &mut dyn Desktop,
    shown: Shown,
    region: Option<ScreenRect>,
) -> Result<Frame, DesktopError> {
    desktop.capture(&CaptureRequest {
        frame: CaptureRequest::PROBE,
        shown,
        region,
        cursor: false,
        overlay: OverlayInCapture::AsShown,
    })
}
