//! Windows found, focused, placed and covered, and programs started, against windows of the test's own.

use crate::wine_test_window::{
    CLASS, Look, TestWindow, all, approved, bgr, capture, config, eyes, pattern, window, work,
};
use handsight_base::flow::action::{Action, WindowQuery};
use handsight_base::gate::{Focus, Place, Work};
use handsight_base::port::desktop::{Desktop, DesktopError, DesktopFault, Placement, Window, WindowState};
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use handsight_desktop::windows::{WindowsConfig, WindowsDesktop};
use handsight_testkit::wait::{PATIENCE, until};
use std::io::Read as _;
use std::os::windows::io::FromRawHandle as _;
use std::path::Path;
use windows::Win32::Foundation::HANDLE;
use windows::Win32::Security::SECURITY_ATTRIBUTES;
use windows::Win32::System::Pipes::CreatePipe;
use windows::Win32::UI::WindowsAndMessaging::{
    GetForegroundWindow, IsIconic, IsZoomed, SW_HIDE, SW_MAXIMIZE, SW_MINIMIZE, SetWindowTextW, ShowWindow,
};
use windows::core::HSTRING;

fn framed(title: &str, x: i32, y: i32, width: u32, height: u32) -> TestWindow {
    TestWindow::open(Look { framed: true, ..Look::new(title, ScreenRect::new(x, y, width, height)) })
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn show(shown: &TestWindow, how: windows::Win32::UI::WindowsAndMessaging::SHOW_WINDOW_CMD) {
    // SAFETY: a window of the test's own.
    let _before = unsafe { ShowWindow(shown.handle(), how) };
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn in_front(shown: &TestWindow) -> bool {
    // SAFETY: takes nothing.
    unsafe { GetForegroundWindow() == shown.handle() }
}

fn focus(desktop: &mut WindowsDesktop, query: WindowQuery) -> Result<Window, DesktopError> {
    desktop.focus(approved(Focus(query)))
}

fn place(desktop: &mut WindowsDesktop, shown: &TestWindow, to: Placement) -> Window {
    desktop.place(approved(Place { window: shown.id(), to })).expect("it can be moved")
}

/// Those of this test: another program of the session may have windows too.
fn ours(desktop: &mut WindowsDesktop) -> Vec<String> {
    let all = desktop.windows().expect("a list");
    all.into_iter().filter(|w| w.class == [CLASS]).map(|w| w.title).collect()
}

#[test]
fn windows_are_found_by_everything_they_are_known_by() {
    let mut desktop = eyes();
    let first = framed("First Übung 𝒳", 60, 80, 300, 200);
    let second = framed("Second", 500, 80, 300, 200);
    let hint =
        TestWindow::open(Look { tool: true, ..Look::new("A hint", ScreenRect::new(900, 500, 90, 40)) });
    assert_eq!(ours(&mut desktop), ["Second", "First Übung 𝒳"], "the topmost first, and no hint");

    let mut found = |query: WindowQuery| {
        desktop.find(&query).map(|w| w.iter().map(|w| w.title.clone()).collect::<Vec<_>>())
    };
    let one = |title: &str| Ok(vec![title.to_owned()]);
    assert_eq!(found(WindowQuery::Title("First Übung 𝒳".into())), one("First Übung 𝒳"));
    assert_eq!(found(WindowQuery::TitlePart("ÜBUNG".into())), one("First Übung 𝒳"), "in any case");
    assert_eq!(found(WindowQuery::TitleRegex("^Sec.nd$".into())), one("Second"));
    assert_eq!(found(WindowQuery::Class(CLASS.to_lowercase())).map(|w| w.len()), Ok(2));
    assert_eq!(found(WindowQuery::Pid(std::process::id())).map(|w| w.len()), Ok(2));
    assert_eq!(found(WindowQuery::Id(first.id().0)), one("First Übung 𝒳"));
    assert_eq!(found(WindowQuery::Id(hint.id().0)), one("A hint"), "an id names what no list has");
    assert_eq!(found(WindowQuery::Active), one("Second"));
    for (query, said) in [
        (WindowQuery::Title("first übung".into()), "title \"first übung\""),
        (WindowQuery::TitleRegex("(a{1000}){1000}".into()), "no regular expression"),
        (WindowQuery::Id(u64::MAX), "window 0xffffffffffffffff"),
    ] {
        let error = found(query.clone()).unwrap_err();
        assert_eq!(error.fault(), DesktopFault::TellModel, "{error}");
        let text = error.to_string();
        assert!(text.contains(said) && text.contains("Second"), "{query:?}: {text}");
    }

    // A title is what it is now.
    rename(&second, "Third — 漢字 🎉");
    let now = desktop.window(second.id()).unwrap();
    assert_eq!((now.title.as_str(), now.pid), ("Third — 漢字 🎉", Some(std::process::id())));
    assert_eq!(now.class, [CLASS]);
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn rename(shown: &TestWindow, title: &str) {
    // SAFETY: a window of the test's own.
    unsafe { SetWindowTextW(shown.handle(), &HSTRING::from(title)) }.expect("a title");
}

#[test]
fn geometry_is_asked_afresh_and_states_are_told_apart() {
    let mut desktop = eyes();
    let mut shown = framed("Geometry", 120, 140, 400, 300);
    let now = desktop.window(shown.id()).unwrap();
    assert_eq!(now.client, shown.client(), "the client area is where it says itself");
    assert_eq!(now.client.size, Size::new(400, 300));
    let ScreenRect { origin, size } = now.outer;
    assert!(origin.y < now.client.origin.y && size.height > 300, "{now:?} has a title bar");
    assert_eq!((now.state, now.focused), (WindowState::Normal, true));

    // Moved by somebody else between two questions.
    let moved = ScreenRect::new(33, 222, 333, 111);
    place(&mut eyes(), &shown, Placement::Client(moved));
    assert_eq!(desktop.window(shown.id()).unwrap().client, moved);
    assert_eq!(shown.client(), moved);
    let frame = until("it has painted itself again", PATIENCE, || {
        let frame = capture(&mut desktop, &window(shown.id()));
        (bgr(&frame) == pattern(1, 0, 0, 333, 111)).then_some(frame)
    });
    assert_eq!(frame.geometry.origin, moved.origin);

    show(&shown, SW_MINIMIZE);
    let now = desktop.window(shown.id()).unwrap();
    assert_eq!((now.state, now.focused), (WindowState::Minimised, false));
    let hidden = desktop.capture(&window(shown.id())).unwrap_err();
    assert!(matches!(hidden, DesktopError::TargetHidden { .. }), "{hidden}");
    assert_eq!(ours(&mut desktop), ["Geometry"], "a minimised window is still one");
    show(&shown, SW_HIDE);
    assert_eq!(ours(&mut desktop), [""; 0], "a hidden one is none");
    assert_eq!(desktop.window(shown.id()).unwrap().state, WindowState::Hidden);
    shown.close();
    let gone = desktop.window(shown.id()).unwrap_err();
    assert!(matches!(gone, DesktopError::TargetGone { .. }), "{gone}");
    let gone =
        desktop.place(approved(Place { window: shown.id(), to: Placement::Client(moved) })).unwrap_err();
    assert_eq!(gone.fault(), DesktopFault::Target, "{gone}");
}

#[test]
fn focus_restores_first_and_waits_until_windows_says_so() {
    let mut desktop = eyes();
    let below = framed("Below", 100, 120, 300, 200);
    let above = framed("Above", 150, 170, 300, 200);
    assert!(in_front(&above) && !in_front(&below));
    let now = focus(&mut desktop, WindowQuery::Title("Below".into())).unwrap();
    assert!(now.focused && now.state == WindowState::Normal && in_front(&below), "{now:?}");
    assert_eq!(ours(&mut desktop), ["Below", "Above"], "it came to the front");

    show(&below, SW_MINIMIZE);
    until("it is minimised", PATIENCE, || is_iconic(&below).then_some(()));
    let now = focus(&mut desktop, WindowQuery::Title("Below".into())).unwrap();
    assert_eq!((now.state, now.focused, now.client), (WindowState::Normal, true, below.client()));
    assert!(!is_iconic(&below) && in_front(&below));
    // Again, though it has it already.
    assert!(focus(&mut desktop, WindowQuery::Active).unwrap().focused);

    // A dialog holds the focus in its owner's place.
    let dialog = TestWindow::open(Look {
        owner: Some(below.id()),
        framed: true,
        ..Look::new("Dialog", ScreenRect::new(500, 400, 200, 90))
    });
    assert!(in_front(&dialog));
    let mut none = framed("Soon none", 600, 100, 200, 100);
    let id = none.id();
    none.close();
    let gone = focus(&mut desktop, WindowQuery::Id(id.0)).unwrap_err();
    assert_eq!(gone.fault(), DesktopFault::TellModel, "{gone}");
}

#[expect(unsafe_code, reason = "calls of the Windows API")]
fn is_iconic(shown: &TestWindow) -> bool {
    // SAFETY: a window of the test's own.
    unsafe { IsIconic(shown.handle()).as_bool() }
}

#[test]
fn a_window_is_placed_by_its_outer_or_its_client_rectangle() {
    let mut desktop = eyes();
    let shown = framed("Placed", 200, 200, 300, 200);
    let client = ScreenRect::new(40, 66, 417, 213);
    let now = place(&mut desktop, &shown, Placement::Client(client));
    assert_eq!((now.client, shown.client()), (client, client));
    let outer = ScreenRect::new(10, 12, 500, 320);
    let now = place(&mut desktop, &shown, Placement::Outer(outer));
    assert_eq!(now.outer, outer);
    assert_eq!(now.client, shown.client());
    // Maximised, it would not move.
    show(&shown, SW_MAXIMIZE);
    until("it is maximised", PATIENCE, || is_zoomed(&shown).then_some(()));
    let now = place(&mut desktop, &shown, Placement::Client(client));
    assert_eq!(now.client, client);
    assert!(!is_zoomed(&shown));
    show(&shown, SW_MINIMIZE);
    until("it is minimised", PATIENCE, || is_iconic(&shown).then_some(()));
    // The window manager of the X server below may still be about to minimise it, and does so afterwards.
    until("it is restored and placed", PATIENCE, || {
        let now = place(&mut desktop, &shown, Placement::Client(client));
        (now.client == client && now.state == WindowState::Normal).then_some(())
    });

    // A program that keeps a size of its own: it is told as it is.
    let only = Size::new(260, 140);
    let stubborn = TestWindow::open(Look {
        framed: true,
        only: Some(only),
        ..Look::new("Stubborn", ScreenRect::new(300, 300, 200, 90))
    });
    let now = place(&mut desktop, &stubborn, Placement::Outer(ScreenRect::new(50, 60, 700, 500)));
    assert_eq!((now.outer.origin, now.outer.size), (ScreenPx::new(50, 60), only));
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn is_zoomed(shown: &TestWindow) -> bool {
    // SAFETY: a window of the test's own.
    unsafe { IsZoomed(shown.handle()).as_bool() }
}

#[test]
fn what_lies_over_a_window_is_told() {
    let mut desktop = eyes();
    let below = framed("Covered", 100, 120, 400, 300);
    assert_eq!(desktop.covered(below.id()), Ok(vec![]));
    let over = TestWindow::plain("Over", ScreenRect::new(450, 350, 200, 200));
    let part = ScreenRect::new(450, 350, 50, 70);
    assert_eq!(desktop.covered(below.id()), Ok(vec![part]));
    assert_eq!(desktop.covered(over.id()), Ok(vec![]), "it lies on top");
    let hint = TestWindow::open(Look {
        tool: true,
        topmost: true,
        ..Look::new("Hint", ScreenRect::new(110, 130, 30, 20))
    });
    assert_eq!(desktop.covered(below.id()), Ok(vec![hint.look.client, part]), "hints and menus too");
    show(&over, SW_HIDE);
    assert_eq!(desktop.covered(below.id()), Ok(vec![hint.look.client]));
    let seen = capture(&mut desktop, &window(below.id()));
    assert_eq!(seen.size(), Size::new(400, 300), "a covered window is shown as it is seen");
    assert_ne!(bgr(&seen), pattern(1, 0, 0, 400, 300));
}

const MARKER: &str = "handsight-test-arguments";

/// Not a test by itself: [`a_program_gets_its_arguments_as_they_are`] starts this program again with it.
#[test]
fn says_its_arguments() {
    let all: Vec<String> = std::env::args().collect();
    let Some(at) = all.iter().position(|a| a == MARKER) else { return };
    let folder = Path::new(&all[at + 1]);
    let secret = std::env::var("HANDSIGHT_TEST_SECRET").unwrap_or_else(|_| "none".into());
    let said = serde_json::to_vec(&(&all[at + 2..], secret)).unwrap();
    std::fs::write(folder.join("part"), said).unwrap();
    std::fs::rename(folder.join("part"), folder.join("said")).unwrap();
    until("the test has read it", PATIENCE, || folder.join("read").exists().then_some(()));
}

#[expect(unsafe_code, reason = "an environment variable and a pipe of this test program")]
#[test]
fn a_program_gets_its_arguments_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    // SAFETY: Windows tests run one after the other, and nothing else of this program reads the environment meanwhile.
    unsafe { std::env::set_var("HANDSIGHT_TEST_SECRET", "key") };
    let odd = [
        "",
        "plain",
        "a b",
        "tab\there",
        "say \"hi\"",
        r"C:\dir\",
        r"C:\a b\",
        r#"\\"#,
        r#"a\\"b"#,
        "\"",
        "%PATH% & ^| > < ;",
        "*.txt",
        "-x",
        "/y",
        "line\nbreak",
        "Übung 漢字 🎉",
    ];
    let me = std::env::current_exe().unwrap();
    let mut argv = vec![me.to_str().unwrap().to_owned()];
    argv.extend(
        ["--exact", "--nocapture", "--", "wine_windows::says_its_arguments", MARKER].map(str::to_owned),
    );
    argv.push(folder.path().to_str().unwrap().to_owned());
    argv.extend(odd.map(str::to_owned));

    // A pipe that children could inherit: if the program got its end, our reading would wait for the program's end.
    let (mut read, mut write) = (HANDLE::default(), HANDLE::default());
    let inherited = SECURITY_ATTRIBUTES {
        nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
        bInheritHandle: true.into(),
        ..SECURITY_ATTRIBUTES::default()
    };
    // SAFETY: both handles are ours from here on, and each belongs to one file.
    let (mut read, write) = unsafe {
        CreatePipe(&raw mut read, &raw mut write, Some(&raw const inherited), 0).unwrap();
        (std::fs::File::from_raw_handle(read.0), std::fs::File::from_raw_handle(write.0))
    };

    let mut desktop =
        WindowsDesktop::connect(WindowsConfig { withheld: vec!["handsight_TEST_secret".into()], ..config() })
            .unwrap();
    let Work::Launch(launch) = work(Action::Launch { argv }) else { panic!("a launch") };
    let pid = desktop.launch(launch).unwrap();
    assert!(pid > 0 && pid != std::process::id());
    let said =
        until("the program wrote its file", PATIENCE, || std::fs::read(folder.path().join("said")).ok());
    let (arguments, secret): (Vec<String>, String) = serde_json::from_slice(&said).unwrap();
    assert_eq!(arguments, odd);
    assert_eq!(secret, "none", "it is withheld in any case of its name");
    drop(write);
    let mut rest = Vec::new();
    // The program lives until we have written `read`, and it holds nothing of ours.
    assert_eq!(read.read_to_end(&mut rest).unwrap(), 0);
    std::fs::write(folder.path().join("read"), b"").unwrap();

    for (argv, said) in [
        (["no-such-program", ""], "there is no such program"),
        ([r"C:\no such\folder\x.exe", ""], "there is no such program"),
        (["C:\\windows\\win.bat", "& calc"], "no such program"),
    ] {
        let argv = argv.map(str::to_owned).to_vec();
        let Work::Launch(launch) = work(Action::Launch { argv }) else { panic!("a launch") };
        let error = desktop.launch(launch).unwrap_err();
        assert_eq!(error.fault(), DesktopFault::TellModel);
        assert!(error.to_string().contains(said), "{error}");
    }
    let batch = folder.path().join("a.bat");
    std::fs::write(&batch, "exit").unwrap();
    let argv = vec![batch.to_str().unwrap().to_owned()];
    let Work::Launch(launch) = work(Action::Launch { argv }) else { panic!("a launch") };
    let error = desktop.launch(launch).unwrap_err().to_string();
    assert!(error.contains("cmd.exe"), "{error}");
}

#[test]
fn a_started_program_shows_its_window() {
    let mut desktop = eyes();
    let Work::Launch(launch) = work(Action::Launch { argv: vec!["notepad".into()] }) else {
        panic!("a launch")
    };
    let pid = desktop.launch(launch).unwrap();
    let query = WindowQuery::Pid(pid);
    let shown = until("notepad's window", PATIENCE, || desktop.find(&query).ok()?.into_iter().next());
    assert_eq!(
        (shown.title.as_str(), shown.class.as_slice()),
        ("Untitled - Notepad", &["Notepad".to_owned()][..])
    );
    let before = TestWindow::plain("Before", ScreenRect::new(300, 200, 200, 200));
    assert!(in_front(&before));
    let now = focus(&mut desktop, WindowQuery::Class("Notepad".into())).unwrap();
    assert!(now.focused && !in_front(&before), "a window of another process takes the focus");
    let frame = capture(&mut desktop, &window(now.id));
    assert_eq!((frame.size(), frame.geometry.origin), (now.client.size, now.client.origin));
    // An empty editor is white.
    let middle = (frame.size().width / 2, frame.size().height / 2);
    until("the editor is painted", PATIENCE, || {
        (capture(&mut desktop, &window(now.id)).view().bgr(middle.0, middle.1)? == [255; 3]).then_some(())
    });
    // Its pointer cannot be looked at from here under Wine: an arrow stands in, and the picture has one either way.
    crate::wine_test_window::point_at(now.client.center().x, now.client.center().y);
    let pointed = handsight_base::port::desktop::CaptureRequest { cursor: true, ..window(now.id) };
    until("the pointer is in the picture", PATIENCE, || {
        let frame = capture(&mut desktop, &pointed);
        let plain = capture(&mut desktop, &window(now.id));
        (frame.cursor && bgr(&frame) != bgr(&plain)).then_some(())
    });
    let _whole = capture(&mut desktop, &all());
    end(pid);
    until("its window is gone", PATIENCE, || {
        matches!(desktop.window(now.id), Err(DesktopError::TargetGone { .. })).then_some(())
    });
}

/// Ends a process that this test started.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn end(pid: u32) {
    use windows::Win32::Foundation::CloseHandle;
    use windows::Win32::System::Threading::{OpenProcess, PROCESS_TERMINATE, TerminateProcess};
    // SAFETY: a handle of our own, closed once.
    unsafe {
        let process = OpenProcess(PROCESS_TERMINATE, false, pid).expect("it runs");
        TerminateProcess(process, 0).expect("it can be ended");
        let _closed = CloseHandle(process);
    }
}
