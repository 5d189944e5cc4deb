//! Windows found, focused and placed, with and without a window manager, seen by an independent client.

use crate::rig::{approved, eyes, work};
use handsight_base::flow::action::{Action, WindowQuery};
use handsight_base::gate::{Focus, Place, Work};
use handsight_base::port::desktop::{
    Desktop, DesktopError, DesktopFault, Placement, Window, WindowId, WindowState,
};
use handsight_base::space::ScreenRect;
use handsight_desktop::x11::X11Desktop;
use handsight_testkit::need::need;
use handsight_testkit::program::Program;
use handsight_testkit::wait::{PATIENCE, until};
use handsight_testkit::witness::Witness;
use handsight_testkit::xvfb::Xvfb;
use x11rb::protocol::xproto::{ConfigureWindowAux, ConnectionExt as _, StackMode};

fn xterm(x: &Xvfb, title: &str, geometry: &str) -> Program {
    x.program("xterm", &["-T", title, "-n", title, "-geometry", geometry, "-e", "sleep", "600"])
}

#[track_caller]
fn appeared(desktop: &mut X11Desktop, title: &str) -> Window {
    let query = WindowQuery::Title(title.to_owned());
    until(&format!("a window {title:?}"), PATIENCE, || {
        let found = desktop.find(&query).ok()?.into_iter().next()?;
        (found.state == WindowState::Normal).then_some(found)
    })
}

fn titles(windows: &[Window]) -> Vec<&str> {
    windows.iter().map(|w| w.title.as_str()).collect()
}

fn ready() -> bool {
    need("openbox", "openbox") && need("xterm", "xterm")
}

#[test]
fn windows_are_found_by_everything_they_are_known_by() {
    let Some(x) = Xvfb::start() else { return };
    if !ready() {
        return;
    }
    let Some(_openbox) = x.openbox() else { return };
    let mut desktop = eyes(x.display());
    let first = xterm(&x, "First Übung", "40x10+20+40");
    appeared(&mut desktop, "First Übung");
    let _second = xterm(&x, "Second", "40x10+500+40");
    appeared(&mut desktop, "Second");

    let mut found = |query: WindowQuery| {
        desktop.find(&query).map(|w| w.iter().map(|w| w.title.clone()).collect::<Vec<_>>())
    };
    let one = |title: &str| Ok(vec![title.to_owned()]);
    assert_eq!(found(WindowQuery::Title("First Übung".into())), one("First Übung"));
    assert_eq!(found(WindowQuery::TitlePart("ÜBUNG".into())), one("First Übung"), "in any case");
    assert_eq!(found(WindowQuery::TitleRegex("^Sec.nd$".into())), one("Second"));
    assert_eq!(found(WindowQuery::Pid(first.pid())), one("First Übung"), "the server knows the process");
    assert_eq!(found(WindowQuery::Class("XTerm".into())).map(|w| w.len()), Ok(2));
    // A program may lie about itself, a title may be empty; what matches nothing names what there is.
    for (query, said) in [
        (WindowQuery::Title("first übung".into()), "title \"first übung\""),
        (WindowQuery::TitleRegex("(".into()), "no regular expression"),
        (WindowQuery::TitleRegex("(a{1000}){1000}".into()), "no regular expression"),
        (WindowQuery::Pid(1), "process 1"),
        (WindowQuery::Id(0xdead), "window 0xdead"),
        (WindowQuery::Id(u64::MAX), "window 0xffffffffffffffff"),
    ] {
        let error = found(query.clone()).unwrap_err();
        assert_eq!(error.fault(), DesktopFault::TellModel, "{error}");
        let text = error.to_string();
        assert!(
            text.contains(said) && text.contains("Second") && text.contains("First Übung"),
            "{query:?}: {text}"
        );
    }

    let all = desktop.windows().unwrap();
    assert_eq!(titles(&all), ["Second", "First Übung"], "the topmost first");
    assert!(all[0].focused && !all[1].focused);
    let witness = Witness::connect(x.display());
    for window in &all {
        let seen = witness.window(window.id.0 as u32).unwrap();
        assert_eq!(window.client, ScreenRect::new(seen.x, seen.y, seen.width, seen.height));
        assert!(window.outer.size.height > window.client.size.height, "openbox decorates");
        assert!(window.outer.origin.y < window.client.origin.y);
    }
    // The frame the decoration is said to have is the one the server has.
    let frame = witness
        .windows()
        .into_iter()
        .find(|w| w.mapped && ScreenRect::new(w.x, w.y, w.width, w.height).contains(all[0].client.origin));
    let frame = frame.unwrap();
    assert_eq!((frame.x, frame.y), (all[0].outer.origin.x, all[0].outer.origin.y));
}

#[test]
fn focus_restores_raises_and_waits() {
    let Some(x) = Xvfb::start() else { return };
    if !ready() {
        return;
    }
    let Some(_openbox) = x.openbox() else { return };
    let mut desktop = eyes(x.display());
    let _first = xterm(&x, "First", "40x10+20+40");
    let first = appeared(&mut desktop, "First");
    let _second = xterm(&x, "Second", "40x10+60+60");
    appeared(&mut desktop, "Second");
    until("openbox gave the newest the focus", PATIENCE, || {
        (titles(&desktop.find(&WindowQuery::Active).ok()?) == ["Second"]).then_some(())
    });
    let covered = desktop.covered(first.id).unwrap();
    assert!(covered.iter().any(|c| c.size.area() > 1000), "{covered:?}");

    let focus = |desktop: &mut X11Desktop, query: &str| {
        desktop.focus(approved(Focus(WindowQuery::Title(query.to_owned()))))
    };
    let now = focus(&mut desktop, "First").unwrap();
    assert_eq!((now.id, now.focused, now.state), (first.id, true, WindowState::Normal));
    let witness = Witness::connect(x.display());
    assert_eq!(u64::from(witness.focused()), first.id.0, "the server says so");
    assert_eq!(desktop.covered(first.id).unwrap(), [], "it is on top");

    // Minimised by the window manager, as a person does it.
    x.run("xdotool", &["windowminimize", "--sync", &first.id.0.to_string()]);
    until("it is minimised", PATIENCE, || {
        (desktop.window(first.id).ok()?.state == WindowState::Minimised).then_some(())
    });
    assert_eq!(titles(&desktop.windows().unwrap()), ["Second", "First"], "it still is a window");
    let now = focus(&mut desktop, "First").unwrap();
    assert_eq!((now.focused, now.state), (true, WindowState::Normal));

    // On another workspace.
    x.run("xdotool", &["set_desktop_for_window", &first.id.0.to_string(), "1"]);
    until("it is elsewhere", PATIENCE, || {
        (desktop.window(first.id).ok()?.state == WindowState::Hidden).then_some(())
    });
    let now = focus(&mut desktop, "First").unwrap();
    assert_eq!((now.focused, now.state), (true, WindowState::Normal));

    // Closed: named, and nothing aborts.
    x.run("xdotool", &["windowkill", &first.id.0.to_string()]);
    until("it is closed", PATIENCE, || match desktop.window(first.id) {
        Err(DesktopError::TargetGone { .. }) => Some(()),
        _ => None,
    });
    let error = focus(&mut desktop, "First").unwrap_err();
    assert!(
        matches!(&error, DesktopError::NoSuchWindow { candidates, .. } if candidates == &["Second"]),
        "{error}"
    );
    let place = Place { window: first.id, to: Placement::Client(ScreenRect::new(0, 0, 10, 10)) };
    let error = desktop.place(approved(place)).unwrap_err();
    assert!(matches!(error, DesktopError::TargetGone { .. }), "{error}");
}

#[test]
fn a_window_is_placed_by_its_client_or_its_frame() {
    let Some(x) = Xvfb::start() else { return };
    if !ready() || !need("zenity", "zenity") {
        return;
    }
    let Some(_openbox) = x.openbox() else { return };
    let mut desktop = eyes(x.display());
    let _dialog =
        x.program("zenity", &["--text-info", "--title", "Placed", "--width", "300", "--height", "200"]);
    let window = appeared(&mut desktop, "Placed");
    let witness = Witness::connect(x.display());
    let place = |desktop: &mut X11Desktop, to| desktop.place(approved(Place { window: window.id, to }));
    for (left, top, width, height) in [(100, 120, 400, 300), (0, 50, 640, 480), (700, 300, 333, 251)] {
        let wanted = ScreenRect::new(left, top, width, height);
        let now = place(&mut desktop, Placement::Client(wanted)).unwrap();
        assert_eq!(now.client, wanted);
        let seen = witness.window(window.id.0 as u32).unwrap();
        assert_eq!(
            (seen.x, seen.y, seen.width, seen.height),
            (left, top, width, height),
            "the server says so"
        );
        let now = place(&mut desktop, Placement::Outer(wanted)).unwrap();
        assert_eq!(now.outer, wanted);
    }
    // A maximised window is brought back first.
    x.run("xdotool", &["windowsize", "--usehints", &window.id.0.to_string(), "100%", "100%"]);
    let wanted = ScreenRect::new(50, 60, 500, 400);
    if need("wmctrl", "wmctrl") {
        x.run(
            "wmctrl",
            &["-i", "-r", &format!("{:#x}", window.id.0), "-b", "add,maximized_vert,maximized_horz"],
        );
        until("it is maximised", PATIENCE, || {
            (desktop.window(window.id).ok()?.client.size.width == 1280).then_some(())
        });
        assert_eq!(place(&mut desktop, Placement::Client(wanted)).unwrap().client, wanted);
    }
    // A program that keeps a size of its own (xterm: whole characters) is reported as it is.
    let _term = xterm(&x, "Stubborn", "40x10+20+40");
    let term = appeared(&mut desktop, "Stubborn");
    let to = Placement::Client(ScreenRect::new(30, 80, 401, 203));
    let now = desktop.place(approved(Place { window: term.id, to })).unwrap();
    let seen = witness.window(term.id.0 as u32).unwrap();
    assert_eq!(now.client, ScreenRect::new(seen.x, seen.y, seen.width, seen.height));
    assert_eq!((now.client.origin.x, now.client.origin.y), (30, 80));
}

#[test]
fn without_a_window_manager_the_server_is_asked() {
    let Some(x) = Xvfb::start() else { return };
    if !need("xterm", "xterm") {
        return;
    }
    let mut desktop = eyes(x.display());
    assert_eq!(desktop.windows().unwrap(), []);
    let none = desktop.find(&WindowQuery::Active).unwrap_err();
    assert!(none.to_string().contains("there is no window at all"), "{none}");
    let _first = xterm(&x, "First", "40x10+20+40");
    let first = appeared(&mut desktop, "First");
    let _second = xterm(&x, "Second", "40x10+60+60");
    let second = appeared(&mut desktop, "Second");
    assert_eq!(titles(&desktop.windows().unwrap()), ["Second", "First"]);
    for (window, other) in [(&first, &second), (&second, &first)] {
        let now = desktop.focus(approved(Focus(WindowQuery::Id(window.id.0)))).unwrap();
        assert!(now.focused);
        assert_eq!(desktop.windows().unwrap()[0].id, window.id, "on top");
        assert!(!desktop.window(other.id).unwrap().focused);
        let covered: Vec<_> = desktop.covered(other.id).unwrap();
        assert_eq!(covered.len(), 1);
        assert_eq!(Some(covered[0]), window.outer.intersect(&other.client));
    }
    let wanted = ScreenRect::new(300, 200, 280, 140);
    let now = desktop.place(approved(Place { window: first.id, to: Placement::Client(wanted) })).unwrap();
    assert_eq!(now.client.size, wanted.size);
    // Restacked behind our back: asked afresh.
    let witness = Witness::connect(x.display());
    let up = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
    witness.conn().configure_window(first.id.0 as u32, &up).unwrap();
    witness.sync();
    assert_eq!(titles(&desktop.windows().unwrap()), ["First", "Second"]);
    // A menu or a notification is no window of its own, but it covers.
    let mut witness = witness;
    let menu = witness.open(310, 210, 50, 20);
    assert_eq!(desktop.windows().unwrap().len(), 2);
    assert_eq!(desktop.covered(first.id).unwrap(), [ScreenRect::new(310, 210, 50, 20)]);
    assert_eq!(desktop.window(WindowId(menu.into())).unwrap().client, ScreenRect::new(310, 210, 50, 20));
}

/// R11: windows close while they are asked about, and the engine only ever gets an answer.
#[test]
fn windows_that_come_and_go_are_never_more_than_an_error() {
    let Some(x) = Xvfb::start() else { return };
    let display = x.display().to_owned();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut neighbour = Witness::connect(&display);
            for n in 0.. {
                if stop.load(std::sync::atomic::Ordering::Relaxed) {
                    break;
                }
                let id = neighbour.open(10, 10, 200, 100);
                // Some live for a moment only, some a little longer.
                (0..n * 37 % 101).for_each(|_| neighbour.sync());
                neighbour.conn().destroy_window(id).unwrap();
                neighbour.sync();
            }
        });
        let mut desktop = eyes(x.display());
        let witness = Witness::connect(x.display());
        let (mut gone, mut seen) = (0, 0);
        for _ in 0..1000 {
            let Some(id) = witness.windows().first().map(|w| WindowId(w.id.into())) else { continue };
            let outcome = match desktop.window(id) {
                Ok(_) => desktop.capture(&crate::rig::window(id.0)).map(drop),
                Err(e) => Err(e),
            };
            match outcome {
                Ok(()) => seen += 1,
                Err(DesktopError::TargetGone { .. }) => gone += 1,
                Err(DesktopError::TargetHidden { .. }) => {}
                Err(other) => panic!("{other}"),
            }
            desktop.windows().unwrap();
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(gone > 0 && seen > 0, "{gone} closed, {seen} seen: the race was not met");
    });
}

#[test]
fn a_program_is_launched_on_this_display() {
    let Some(x) = Xvfb::start() else { return };
    if !need("xterm", "xterm") {
        return;
    }
    let mut desktop = eyes(x.display());
    let argv = ["xterm", "-T", "Launched; $(false)", "-e", "sleep", "600"].map(str::to_owned).to_vec();
    let Work::Launch(launch) = work(Action::Launch { argv }) else { panic!("a launch stays one") };
    let pid = desktop.launch(launch).unwrap();
    let window = appeared(&mut desktop, "Launched; $(false)");
    assert_eq!(window.pid, Some(pid));
    handsight_testkit::program::signal_pid(pid, rustix::process::Signal::KILL);
    until("its window is gone", PATIENCE, || {
        matches!(desktop.window(window.id), Err(DesktopError::TargetGone { .. })).then_some(())
    });
    until("nobody is left of it", PATIENCE, || {
        (!std::path::Path::new(&format!("/proc/{pid}")).exists()).then_some(())
    });
}
