//! What the tests share: a terminal with the witness in it, and the suite's rig over that.

use handsight_base::flow::action::{Action, Batch, Spot, Timing};
use handsight_base::gate::{Approved, Gate, Scene, Work};
use handsight_base::port::clock::RealClock;
use handsight_base::space::{FrameGeometry, FrameId, ScreenPx, Size};
use handsight_testkit::conformance::remote::RemoteWitness;
use handsight_testkit::conformance::{Rig, Terms};
use handsight_testkit::wait::{PATIENCE, until};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use terminal_backend::{Cells, Look, Terminal};

/// The witness, which cargo builds with the tests as it does every example.
fn witness() -> PathBuf {
    let me = std::env::current_exe().expect("the test binary");
    let built = me.ancestors().nth(2).expect("target/debug").join("examples/witness");
    assert!(built.is_file(), "{} is not built: `cargo build --examples`", built.display());
    built
}

/// A terminal whose program is the witness, and the desktop over it.
pub(crate) fn rig(look: Look, (width, height): (u32, u32), terms: Terms) -> Rig {
    let Size { width: across, height: down } = look.cell();
    let cells = move |size: Size| Cells::new((size.width / across) as u16, (size.height / down) as u16);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("witness");
    let listener = UnixListener::bind(&path).expect("a socket");
    listener.set_nonblocking(true).expect("a socket");
    let mut command = Command::new(witness());
    command.arg(&path);
    let terminal = Terminal::start(command, look, cells(Size::new(width, height))).expect("a terminal");
    let terminal = Arc::new(terminal);
    let (stream, _) = until("the witness comes", PATIENCE, || listener.accept().ok());
    stream.set_nonblocking(false).expect("a socket");
    let resized = Arc::clone(&terminal);
    let witness = RemoteWitness::over(stream.try_clone().expect("a socket"), stream)
        .resizing(move |size| resized.resize(cells(size)).expect("the terminal is there"));
    let desktop = terminal.desktop(Arc::new(RealClock::new()));
    Rig { desktop: Box::new(desktop), witness: Box::new(witness), terms, keep: Box::new((terminal, folder)) }
}

/// Frame 1, larger than any screen here: a pixel of it is one of the screen.
const EVERYWHERE: FrameGeometry = FrameGeometry {
    frame: FrameId(1),
    size: Size::new(10_000, 10_000),
    origin: ScreenPx::new(0, 0),
    scale: 1.0,
};

pub(crate) fn spot(at: ScreenPx) -> Spot {
    EVERYWHERE.frame_from_screen(at).unwrap()
}

/// An action as the hands get it, approved by a gate without rules.
pub(crate) fn input(action: Action) -> Approved<Batch> {
    let approved = Gate::new(Vec::new()).approve(action, &Scene::new(&EVERYWHERE, 1)).unwrap();
    match approved.expand(&EVERYWHERE, &Timing::default()).unwrap() {
        Work::Input(batch) => batch,
        other => panic!("{other:?} is no input"),
    }
}
