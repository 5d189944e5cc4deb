//! What the tests of the Windows hands share: the independent Win32 program they look through.

use handsight_base::space::{ScreenPx, ScreenRect};
use handsight_desktop::hands::Hands;
use handsight_testkit::wait::{PATIENCE, before, until};
use handsight_testkit::witness_protocol::{Ask, Held, Said, Seen, What, Which};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The client area of the witness's window.
pub(crate) const CLIENT: ScreenRect = ScreenRect::new(200, 150, 700, 400);

/// `win32-witness.exe`, which lies beside the folder of this test program.
fn program() -> PathBuf {
    let me = std::env::current_exe().unwrap();
    let program = me.parent().unwrap().parent().unwrap().join("win32-witness.exe");
    assert!(program.is_file(), "{} is missing: cargo xtask test wine builds it", program.display());
    program
}

/// Another program of this session, with a window of its own and no part in the hands.
pub(crate) struct Witness {
    child: Child,
    said: BufReader<ChildStdout>,
}

impl Witness {
    /// Started, with its window open and in front.
    pub(crate) fn open() -> Self {
        let mut witness = Self::start();
        let done = witness.ask(&Ask::Open { window: Which::Main, client: CLIENT, seed: 1, framed: false });
        assert_eq!(done, Said::Done);
        witness
    }

    /// Started, without a window.
    pub(crate) fn start() -> Self {
        let mut command = Command::new(program());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        let mut witness = Self { child, said };
        assert!(matches!(witness.ask(&Ask::Hello), Said::Ready { .. }));
        witness
    }

    #[track_caller]
    pub(crate) fn ask(&mut self, ask: &Ask) -> Said {
        let line = serde_json::to_string(ask).unwrap() + "\n";
        self.child.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
        loop {
            let mut answer = String::new();
            self.said.read_line(&mut answer).unwrap();
            match serde_json::from_str(&answer).unwrap_or_else(|why| panic!("{why}: {answer:?}")) {
                Said::Failed { why } => panic!("the witness cannot do {ask:?}: {why}"),
                // A deed was done meanwhile.
                Said::Told { .. } => {}
                said => return said,
            }
        }
    }

    pub(crate) fn forget(&mut self) {
        assert_eq!(self.ask(&Ask::Forget), Said::Done);
    }

    pub(crate) fn events(&mut self) -> Vec<Seen> {
        match self.ask(&Ask::Events) {
            Said::Events { events } => events,
            other => panic!("{other:?}"),
        }
    }

    /// What its window got, without where the pointer passed, once there are so many events.
    #[track_caller]
    pub(crate) fn presses(&mut self, count: usize) -> Vec<What> {
        let mut got = Vec::new();
        let enough = before(PATIENCE, || {
            got = self.events().iter().map(|e| e.what).filter(|what| *what != What::Move).collect();
            (got.len() >= count).then_some(())
        });
        assert!(enough.is_some(), "{count} events were to come, these came: {got:?}");
        got
    }

    /// Waits until nothing more comes in. Wine hears of its own pointer again from the X server, some milliseconds later, and
    /// a move that follows faster is undone by that echo.
    pub(crate) fn settle(&mut self) {
        let (mut count, mut since) = (usize::MAX, Instant::now());
        until("no event comes any more", PATIENCE, || {
            let now = self.events().len();
            if now != count {
                (count, since) = (now, Instant::now());
            }
            (since.elapsed() > Duration::from_millis(40)).then_some(())
        });
    }

    /// The text its window got, once it is what it should be.
    pub(crate) fn text(&mut self, wanted: &str) -> String {
        let mut got = String::new();
        before(PATIENCE, || {
            got = match self.ask(&Ask::Text { window: Which::Main }) {
                Said::Text { text } => text,
                other => panic!("{other:?}"),
            };
            (got == wanted).then_some(())
        });
        got
    }

    pub(crate) fn held(&mut self) -> Held {
        match self.ask(&Ask::Held) {
            Said::Held { held } => held,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn pointer(&mut self) -> ScreenPx {
        match self.ask(&Ask::Pointer) {
            Said::Place { at } => at,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn clipboard(&mut self) -> String {
        match self.ask(&Ask::Clipboard) {
            Said::Text { text } => text,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn set_clipboard(&mut self, text: &str) {
        assert_eq!(self.ask(&Ask::SetClipboard { text: text.to_owned() }), Said::Done);
    }

    /// Nothing is down in this session.
    #[track_caller]
    pub(crate) fn assert_quiet(&mut self) {
        let held = self.held();
        assert!(held.is_nothing(), "still down: {held:?}");
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ended = self.child.wait();
    }
}

/// Hands on this session, with their state in a folder of their own.
pub(crate) struct Rig {
    pub hands: Hands,
    pub witness: Witness,
    pub state: TempDir,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let (witness, state) = (Witness::open(), TempDir::new().unwrap());
        let hands = Hands::spawn(crate::hands_rig::config(state.path())).expect("the hands start");
        Self { hands, witness, state }
    }
}
