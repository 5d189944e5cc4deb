//! The clipboard comes back (R41): every format, after every paste, and after the engine's death in the middle of one.

use crate::hands_rig;
use crate::rig::{approved, config, work};
use handsight_base::flow::action::Action;
use handsight_base::gate::{SetClipboard, Work};
use handsight_base::port::desktop::{ClipboardContents, Desktop, DesktopError, DesktopFault, Injected};
use handsight_base::stop::Stop;
use handsight_desktop::x11::X11Desktop;
use handsight_testkit::need::{long, need};
use handsight_testkit::program::{Program, signal_pid};
use handsight_testkit::wait::{PATIENCE, before, until};
use handsight_testkit::witness::Witness;
use handsight_testkit::xvfb::Xvfb;
use rustix::process::Signal;
use std::io::{BufRead as _, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

fn ready() -> bool {
    need("xclip", "xclip") && need("zenity", "zenity")
}

fn desktop(x: &Xvfb) -> X11Desktop {
    let mut config = config(x.display());
    config.hands = Some(hands_rig::config(x.display(), &x.home().join("state")));
    X11Desktop::connect(config).expect("the desktop connects")
}

fn paste(desktop: &mut X11Desktop, text: &str) -> Result<Injected, DesktopError> {
    let Work::Paste(paste) = work(Action::Paste { text: text.to_owned() }) else {
        panic!("a paste stays one")
    };
    let _turn = hands_rig::turn(desktop.pulse().expect("there are hands"));
    desktop.paste(paste, &Stop::new())
}

/// Somebody copies something; xclip holds it until another copies.
#[track_caller]
fn copy(x: &Xvfb, target: &str, bytes: &[u8]) -> Program {
    let mut xclip = x.command("xclip");
    xclip.args(["-quiet", "-selection", "clipboard", "-t", target]).stdin(Stdio::piped());
    let mut xclip = Program::start(&mut xclip);
    xclip.child().stdin.take().expect("a pipe").write_all(bytes).expect("xclip reads");
    until("it is on the clipboard", PATIENCE, || (look(x, target).as_deref() == Some(bytes)).then_some(()));
    xclip
}

/// What an outside program finds on the clipboard; `None` if there is no such thing.
fn look(x: &Xvfb, target: &str) -> Option<Vec<u8>> {
    // It waits for ever for an owner that ends before it answers.
    let mut xclip = x.command("timeout");
    xclip.args(["2", "xclip", "-o", "-selection", "clipboard", "-t", target]).stdout(Stdio::piped());
    let output = xclip.output().expect("xclip starts");
    output.status.success().then_some(output.stdout)
}

/// A dialog with one line of text, which it prints when Enter is pressed.
fn entry(x: &Xvfb) -> Program {
    let mut zenity = x.command("zenity");
    let zenity =
        Program::start(zenity.args(["--entry", "--title", "Entry", "--text", "x"]).stdout(Stdio::piped()));
    let mut witness = Witness::connect(x.display());
    witness.wait_until("the dialog is there", PATIENCE, |w| w.find("Entry").is_some_and(|s| s.mapped));
    let id = witness.find("Entry").expect("it is there").id;
    // It draws and takes keys a little after it is mapped; without a window manager it needs the focus from us.
    witness.focus(id);
    zenity
}

fn entered(desktop: &mut X11Desktop, mut zenity: Program) -> String {
    let Work::Input(enter) = work(hands_rig::chord("Return")) else { panic!("a key stays one") };
    let _turn = hands_rig::turn(desktop.pulse().expect("there are hands"));
    desktop.inject(enter, &Stop::new()).expect("the key is taken");
    zenity.wait(PATIENCE);
    let mut line = String::new();
    let stdout = zenity.child().stdout.take().expect("a pipe");
    std::io::BufReader::new(stdout).read_line(&mut line).expect("it is text");
    line.trim_end_matches('\n').to_owned()
}

#[test]
fn text_is_pasted_and_the_clipboard_is_as_before() {
    let Some(x) = Xvfb::start() else { return };
    if !ready() {
        return;
    }
    let mut desktop = desktop(&x);
    let _owner = copy(&x, "UTF8_STRING", "what a person had: Übung €".as_bytes());
    let zenity = entry(&x);
    let times = if long() { 200 } else { 20 };
    let text = "Añ€😀, ";
    for n in 0..times {
        // The dialog may still be about to take keys when the first comes.
        let pasted = until("the first is pasted", PATIENCE, || match paste(&mut desktop, text) {
            Err(DesktopError::Clipboard { .. }) if n == 0 => None,
            other => Some(other),
        });
        let injected = pasted.expect("it is pasted");
        assert!(injected.complete && injected.events == 4, "{injected:?}");
        let there = look(&x, "UTF8_STRING").expect("there is text");
        assert_eq!(String::from_utf8_lossy(&there), "what a person had: Übung €", "after {n}");
    }
    assert_eq!(entered(&mut desktop, zenity), text.repeat(times));
}

#[test]
fn every_format_comes_back_however_large() {
    let Some(x) = Xvfb::start() else { return };
    if !ready() {
        return;
    }
    let mut desktop = desktop(&x);
    // Longer than a request may be: it goes piece by piece, in and out.
    let picture: Vec<u8> = (0..3_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let _owner = copy(&x, "image/png", &picture);
    let before = desktop.clipboard().unwrap();
    assert_eq!(before.formats, [("image/png".to_owned(), picture.clone())]);
    // Nobody has the focus: nobody takes the text, the model is told, and the picture is back all the same.
    let refused = paste(&mut desktop, "into nothing").unwrap_err();
    assert_eq!(refused.fault(), DesktopFault::TellModel);
    assert!(refused.to_string().contains("no program took the text"), "{refused}");
    assert!(look(&x, "image/png").as_deref() == Some(&picture[..]), "the picture differs");
    assert_eq!(look(&x, "UTF8_STRING"), None, "and nothing else");
    assert_eq!(desktop.clipboard().unwrap(), before);
    // An empty clipboard is empty again.
    let Some(y) = Xvfb::start() else { return };
    let mut other = self::desktop(&y);
    paste(&mut other, "into nothing").unwrap_err();
    assert_eq!(look(&y, "UTF8_STRING"), None);
    assert_eq!(other.clipboard().unwrap(), ClipboardContents::default());
}

#[test]
fn what_a_person_copies_meanwhile_stays() {
    let Some(x) = Xvfb::start() else { return };
    if !ready() {
        return;
    }
    let mut desktop = desktop(&x);
    let _old = copy(&x, "UTF8_STRING", b"old");
    let witness = Witness::connect(x.display());
    let xclip = witness.selection_owner("CLIPBOARD");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // As soon as the text to paste is there.
            until("the text is offered", PATIENCE, || {
                (witness.selection_owner("CLIPBOARD") != xclip).then_some(())
            });
            assert!(copy_and_keep(&x, b"new").success());
        });
        paste(&mut desktop, "pasted").unwrap_err();
    });
    until("the new copy is there", PATIENCE, || (look(&x, "UTF8_STRING")? == b"new").then_some(()));
    let changed = before(Duration::from_millis(300), || (look(&x, "UTF8_STRING")? != b"new").then_some(()));
    assert_eq!(changed, None, "the old contents came back over a newer copy");
}

/// Like [`copy`], but nobody holds the guard: xclip ends when another copies.
fn copy_and_keep(x: &Xvfb, bytes: &[u8]) -> std::process::ExitStatus {
    let mut xclip = x.command("xclip");
    let mut xclip =
        xclip.args(["-selection", "clipboard"]).stdin(Stdio::piped()).spawn().expect("xclip starts");
    xclip.stdin.take().expect("a pipe").write_all(bytes).expect("xclip reads");
    // It goes on in the background by itself.
    xclip.wait().expect("xclip forks")
}

#[test]
#[ignore = "a process that other tests start: an engine that dies while it pastes"]
fn pasting_engine() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).expect("a pipe");
    let Some((display, state)) = line.trim().split_once(' ') else { return };
    let mut config = config(display);
    config.hands = Some(hands_rig::config(display, state.as_ref()));
    let mut desktop = X11Desktop::connect(config).expect("the desktop connects");
    // Nothing has the focus, so the text stays on the clipboard for a while.
    drop(paste(&mut desktop, "of the engine that dies"));
}

#[test]
fn an_engine_that_dies_while_it_pastes_leaves_the_clipboard_as_it_was() {
    let Some(x) = Xvfb::start() else { return };
    if !ready() {
        return;
    }
    let witness = Witness::connect(x.display());
    let mut eyes = crate::rig::eyes(x.display());
    let _owner = copy(&x, "image/png", b"no png, but what a person had");
    for _ in 0..if long() { 50 } else { 5 } {
        let command = hands_rig::child("xvfb_clipboard::pasting_engine");
        let mut engine = Command::new(&command[0]);
        engine.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut engine = Program::start(&mut engine);
        let stdin = engine.child().stdin.as_mut().expect("a pipe");
        writeln!(stdin, "{} {}", x.display(), x.home().join("state").display()).expect("the engine listens");
        until("the text is offered", PATIENCE, || {
            (look(&x, "UTF8_STRING")? == b"of the engine that dies").then_some(())
        });
        engine.signal(Signal::KILL);
        engine.wait(PATIENCE);
        until("the clipboard is as before", PATIENCE, || {
            (look(&x, "image/png")? == b"no png, but what a person had").then_some(())
        });
        assert_eq!(look(&x, "UTF8_STRING"), None);
        witness.assert_quiet();
    }
    // The hands that stay for it are no hands any more: a new engine has the display at once.
    let pid = eyes.clipboard_keeper().unwrap().expect("a process keeps it");
    drop(desktop(&x));
    assert_eq!(eyes.clipboard_keeper().unwrap(), Some(pid), "it still keeps it");
    // They end when another program takes the clipboard.
    let _newer = copy(&x, "UTF8_STRING", b"newer");
    until("they end", PATIENCE, || (!alive(pid)).then_some(()));
}

fn alive(pid: u32) -> bool {
    // A zombie has ended.
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn what_the_engine_copies_outlives_it_and_a_person_may_end_its_keeper() {
    let Some(x) = Xvfb::start() else { return };
    if !ready() {
        return;
    }
    let mut eyes = crate::rig::eyes(x.display());
    let contents = ClipboardContents {
        formats: vec![("UTF8_STRING".into(), "Übung".into()), ("text/html".into(), b"<b>\xff</b>".to_vec())],
    };
    let mut desktop = desktop(&x);
    desktop.set_clipboard(approved(SetClipboard(contents.clone()))).unwrap();
    drop(desktop);
    assert_eq!(eyes.clipboard().unwrap(), contents);
    assert_eq!(look(&x, "text/html").unwrap(), b"<b>\xff</b>");
    let pid = eyes.clipboard_keeper().unwrap().expect("a process keeps it");
    signal_pid(pid, Signal::TERM);
    until("it ends", PATIENCE, || (!alive(pid)).then_some(()));
    // More than fits the pipe is refused by name, and nothing is lost.
    let _owner = copy(&x, "UTF8_STRING", b"a person's");
    let mut desktop = self::desktop(&x);
    let huge = ClipboardContents { formats: vec![("UTF8_STRING".into(), vec![b'x'; 5 << 20])] };
    let refused = desktop.set_clipboard(approved(SetClipboard(huge))).unwrap_err();
    assert!(refused.to_string().contains("at most"), "{refused}");
    assert_eq!(look(&x, "UTF8_STRING").unwrap(), b"a person's");
}

/// An owner that hangs: its contents cannot be kept, so they are not overwritten.
#[test]
fn a_clipboard_whose_owner_hangs_is_left_alone() {
    let Some(x) = Xvfb::start() else { return };
    if !ready() {
        return;
    }
    let owner = copy(&x, "UTF8_STRING", b"of a program that hangs");
    owner.signal(Signal::STOP);
    let mut desktop = desktop(&x);
    let refused = paste(&mut desktop, "pasted").unwrap_err();
    assert!(refused.to_string().contains("does not answer"), "{refused}");
    let refused = desktop.clipboard().unwrap_err();
    assert!(refused.to_string().contains("does not answer"), "{refused}");
    owner.signal(Signal::CONT);
    assert_eq!(look(&x, "UTF8_STRING").unwrap(), b"of a program that hangs");
}

/// A clipboard manager: keeps the text of whoever asks it to, and owns it once they have gone. Returns what it kept.
fn manager(display: &str) -> std::thread::JoinHandle<Vec<u8>> {
    use x11rb::connection::Connection as _;
    use x11rb::protocol::Event;
    use x11rb::protocol::xproto::{
        ConnectionExt as _, EventMask, SELECTION_NOTIFY_EVENT, SelectionNotifyEvent,
    };
    use x11rb::wrapper::ConnectionExt as _;
    let witness = Witness::connect(display);
    let mut me = Witness::connect(display);
    let window = me.open(0, 0, 1, 1);
    let [manager, clipboard, text] =
        ["CLIPBOARD_MANAGER", "CLIPBOARD", "UTF8_STRING"].map(|name| me.atom(name));
    me.conn().set_selection_owner(window, manager, x11rb::CURRENT_TIME).unwrap();
    me.sync();
    assert_eq!(witness.selection_owner("CLIPBOARD_MANAGER"), Some(window));
    std::thread::spawn(move || {
        let mut asked = None;
        loop {
            match me.conn().wait_for_event().unwrap() {
                Event::SelectionRequest(request) if asked.is_none() => {
                    asked = Some(request);
                    me.conn().convert_selection(window, clipboard, text, text, x11rb::CURRENT_TIME).unwrap();
                }
                Event::SelectionNotify(_) => {
                    let kept = me.property(window, "UTF8_STRING");
                    me.conn().set_selection_owner(window, clipboard, x11rb::CURRENT_TIME).unwrap();
                    let request = asked.take().expect("it was asked first");
                    let done = SelectionNotifyEvent {
                        response_type: SELECTION_NOTIFY_EVENT,
                        sequence: 0,
                        time: request.time,
                        requestor: request.requestor,
                        selection: request.selection,
                        target: request.target,
                        property: request.property,
                    };
                    me.conn().send_event(false, request.requestor, EventMask::NO_EVENT, done).unwrap();
                    me.conn().sync().unwrap();
                    return kept;
                }
                _ => {}
            }
            me.conn().flush().unwrap();
        }
    })
}

#[test]
fn a_clipboard_manager_takes_over_and_the_hands_end() {
    let Some(x) = Xvfb::start() else { return };
    if !ready() {
        return;
    }
    let mut eyes = crate::rig::eyes(x.display());
    let _owner = copy(&x, "UTF8_STRING", b"what a person had");
    assert_eq!(eyes.clipboard_keeper().unwrap(), None, "it is another program's");
    let mut desktop = desktop(&x);
    paste(&mut desktop, "into nothing").unwrap_err();
    let pid = eyes.clipboard_keeper().unwrap().expect("a process keeps it");
    let manager = manager(x.display());
    drop(desktop);
    assert_eq!(manager.join().unwrap(), b"what a person had");
    until("the hands end", PATIENCE, || (!alive(pid)).then_some(()));
}
