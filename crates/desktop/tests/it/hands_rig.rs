//! What the tests of the hands share, and the processes they start from this very binary.

use handsight_base::flow::action::{Action, Batch, Button, ScrollBy, Spot, Timing};
use handsight_base::gate::{Approved, Gate, Scene, Work};
#[cfg(windows)]
use handsight_base::gate::{Paste, SetClipboard};
use handsight_base::key::Modifiers;
#[cfg(windows)]
use handsight_base::port::desktop::ClipboardContents;
use handsight_base::port::desktop::{Injected, Pulse};
use handsight_base::space::{At, FrameGeometry, FrameId, FramePx, ScreenPx, Size};
use handsight_base::stop::Stop;
use handsight_desktop::hands::{Hands, HandsConfig, Screen, supervise};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// A command that runs the ignored test `name` of this binary.
pub(crate) fn child(name: &str) -> Vec<OsString> {
    let me = std::env::current_exe().expect("the test binary").into_os_string();
    let args = ["--ignored", "--exact", name, "--nocapture", "--test-threads", "1"];
    std::iter::once(me).chain(args.map(OsString::from)).collect()
}

#[test]
#[ignore = "a process that other tests start: the input supervisor"]
fn supervisor() {
    match supervise(&[]) {
        // Run by hand: there is no engine.
        2 => {}
        #[expect(clippy::exit, reason = "the pipes of the harness are those of the engine")]
        code => std::process::exit(code),
    }
}

#[cfg(target_os = "linux")]
pub(crate) fn config(display: &str, state_dir: &Path) -> HandsConfig {
    HandsConfig::new(child("hands_rig::supervisor"), Screen::x11(display), state_dir)
}

#[cfg(windows)]
pub(crate) fn config(state_dir: &Path) -> HandsConfig {
    HandsConfig::new(child("hands_rig::supervisor"), Screen::Windows, state_dir)
}

/// Hands on a display, with their state in its home.
#[cfg(target_os = "linux")]
#[track_caller]
pub(crate) fn hands(x: &handsight_testkit::xvfb::Xvfb) -> Hands {
    Hands::spawn(config(x.display(), &x.home().join("state"))).expect("the hands start")
}

/// The turn that lives: beats until dropped.
pub(crate) struct Turn {
    end: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

pub(crate) fn turn(pulse: Arc<dyn Pulse>) -> Turn {
    let (end, ended) = sync_channel(0);
    let thread = std::thread::Builder::new().name("turn".to_owned()).spawn(move || {
        while ended.recv_timeout(Duration::from_millis(50)) == Err(RecvTimeoutError::Timeout) {
            pulse.beat();
        }
    });
    Turn { end: Some(end), thread: Some(thread.expect("a thread")) }
}

impl Drop for Turn {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the turn ends");
        }
    }
}

/// A place on a screen of 1280x720.
pub(crate) fn spot(x: i32, y: i32) -> Spot {
    At { point: FramePx::new(x, y), frame: FrameId(1) }
}

fn geometry() -> FrameGeometry {
    FrameGeometry { frame: FrameId(1), size: Size::new(1280, 720), origin: ScreenPx::new(0, 0), scale: 1.0 }
}

/// An approved batch, as fast as the desktop takes it.
pub(crate) fn batch(action: Action) -> Approved<Batch> {
    batch_with(action, &Timing::default())
}

#[track_caller]
pub(crate) fn batch_with(action: Action, timing: &Timing) -> Approved<Batch> {
    match expanded(action, timing) {
        Work::Input(batch) => batch,
        other => panic!("no input: {other:?}"),
    }
}

#[track_caller]
fn expanded(action: Action, timing: &Timing) -> Work {
    let geometry = geometry();
    let scene = Scene::new(&geometry, 1);
    let approved = Gate::new(Vec::new()).approve(action, &scene).expect("there is no rule to refuse");
    approved.expand(&geometry, timing).expect("it expands")
}

/// Text to be pasted.
#[cfg(windows)]
#[track_caller]
pub(crate) fn paste(text: &str) -> Approved<Paste> {
    match expanded(Action::Paste { text: text.to_owned() }, &Timing::default()) {
        Work::Paste(paste) => paste,
        other => panic!("no paste: {other:?}"),
    }
}

/// Contents that may be put on the clipboard.
#[cfg(windows)]
pub(crate) fn contents(contents: ClipboardContents) -> Approved<SetClipboard> {
    let geometry = geometry();
    let scene = Scene::new(&geometry, 1);
    Gate::new(Vec::new()).approve(SetClipboard(contents), &scene).expect("there is no rule to refuse")
}

/// Injects with a turn that lives.
#[track_caller]
pub(crate) fn inject(hands: &mut Hands, action: Action) -> Injected {
    let _turn = turn(hands.pulse());
    let injected = hands.inject(batch(action), &Stop::new()).expect("the input is taken");
    assert!(injected.complete, "{injected:?}: {:?}", hands.last_ended());
    assert_eq!(injected.events, injected.of);
    injected
}

pub(crate) fn click(x: i32, y: i32) -> Action {
    click_with(x, y, Button::Left, Modifiers::NONE)
}

pub(crate) fn click_with(x: i32, y: i32, button: Button, modifiers: Modifiers) -> Action {
    Action::Click { at: Some(spot(x, y)), button, count: 1, modifiers }
}

pub(crate) fn text(text: &str) -> Action {
    Action::typed(text)
}

pub(crate) fn chord(keys: &str) -> Action {
    Action::Key { chord: keys.parse().expect("a chord"), repeat: 1 }
}

pub(crate) fn hold(keys: &str, millis: u64) -> Action {
    Action::HoldKey { chord: keys.parse().expect("a chord"), millis }
}

pub(crate) fn scroll(dx: i32, dy: i32) -> Action {
    Action::Scroll { at: None, by: ScrollBy::Units { dx, dy }, modifiers: Modifiers::NONE }
}
