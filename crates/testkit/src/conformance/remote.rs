//! The witness in a process of its own, spoken to by [`crate::witness_protocol`]: over its pipes, or over whatever it and
//! the test agree on where its pipes are taken (a program in a terminal).

use super::witness::{Deed, Held, Seen, Which, Witness};
use crate::wait::PATIENCE;
use crate::witness_protocol::{Ask, Said, VERSION};
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

type Told = Arc<Mutex<Option<Box<dyn FnOnce() + Send>>>>;

/// A witness that was started for one test and ends with it.
pub struct RemoteWitness {
    /// `None` if somebody else started it, who ends it too.
    child: Option<Child>,
    input: Option<Box<dyn Write>>,
    answers: Receiver<Said>,
    told: Told,
    resize: Option<Box<dyn FnMut(Size)>>,
}

/// The witness program for this system, built beside the tests: `cargo build -p handsight-testkit --bins`.
///
/// # Panics
/// When it is not there.
#[track_caller]
pub fn program() -> PathBuf {
    let me = std::env::current_exe().expect("the test binary");
    let name = format!("win32-witness{}", std::env::consts::EXE_SUFFIX);
    // Tests lie in `deps`, binaries above it; what was carried elsewhere lies side by side.
    let found = me.ancestors().skip(1).take(2).map(|folder| folder.join(&name)).find(|file| file.is_file());
    found.unwrap_or_else(|| {
        panic!(
            "{name} is not beside {}; build it with `cargo build -p handsight-testkit --bins`",
            me.display()
        )
    })
}

impl RemoteWitness {
    /// Starts a witness and waits until it answers.
    ///
    /// # Panics
    /// When it cannot be started or speaks another version.
    #[track_caller]
    pub fn start(program: impl AsRef<OsStr>) -> Self {
        Self::run(Command::new(program))
    }

    /// The same for a command that was made ready.
    ///
    /// # Panics
    /// When it cannot be started or speaks another version.
    #[track_caller]
    pub fn run(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the witness starts");
        let output = child.stdout.take().expect("a pipe");
        let input = child.stdin.take().expect("a pipe");
        let mut witness = Self::over(output, input);
        witness.child = Some(child);
        witness
    }

    /// A witness that somebody else started and will end: what it says comes from `output`, what it is asked goes to `input`.
    ///
    /// # Panics
    /// When it does not answer or speaks another version.
    #[track_caller]
    pub fn over(output: impl Read + Send + 'static, input: impl Write + 'static) -> Self {
        let (send, answers) = sync_channel(1);
        let told = Told::default();
        let heard = Arc::clone(&told);
        let read = move || listen(BufReader::new(output), &send, &heard);
        std::thread::Builder::new().name("witness".to_owned()).spawn(read).expect("a thread");
        let mut witness = Self { child: None, input: Some(Box::new(input)), answers, told, resize: None };
        match witness.ask(&Ask::Hello) {
            Said::Ready { version: VERSION, .. } => witness,
            other => panic!("the witness is not version {VERSION}: {other:?}"),
        }
    }

    /// The same, on a screen that this gives another size.
    #[must_use]
    pub fn resizing(mut self, resize: impl FnMut(Size) + 'static) -> Self {
        self.resize = Some(Box::new(resize));
        self
    }

    #[track_caller]
    fn ask(&mut self, ask: &Ask) -> Said {
        let line = serde_json::to_string(ask).expect("it is JSON");
        let input = self.input.as_mut().expect("open until the end");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("the witness reads");
        match self.answers.recv_timeout(PATIENCE) {
            Ok(Said::Failed { why }) => panic!("the witness could not {ask:?}: {why}"),
            Ok(said) => said,
            Err(RecvTimeoutError::Timeout) => {
                panic!("the witness did not answer {ask:?} within {PATIENCE:?}")
            }
            Err(RecvTimeoutError::Disconnected) => panic!("the witness ended at {ask:?}"),
        }
    }

    #[track_caller]
    fn done(&mut self, ask: &Ask) {
        let said = self.ask(ask);
        assert!(said == Said::Done, "the witness answers {ask:?} with {said:?}");
    }
}

/// Reads lines until the witness ends; what was waited for is done here and at once.
fn listen(lines: impl BufRead, send: &SyncSender<Said>, told: &Told) {
    for line in lines.lines() {
        let Ok(line) = line else { return };
        let said =
            serde_json::from_str(&line).unwrap_or_else(|why| Said::Failed { why: format!("{why}: {line}") });
        if let Said::Told { .. } = said {
            let waiting = told.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(waiting) = waiting {
                waiting();
            }
        } else if send.send(said).is_err() {
            return;
        }
    }
}

impl Witness for RemoteWitness {
    fn open(&mut self, window: Which, client: ScreenRect, seed: u32, framed: bool) {
        self.done(&Ask::Open { window, client, seed, framed });
    }

    fn place(&mut self, window: Which, client: ScreenRect) {
        self.done(&Ask::Place { window, client });
    }

    fn paint(&mut self, window: Which, seed: u32) {
        self.done(&Ask::Paint { window, seed });
    }

    fn close(&mut self, window: Which) {
        self.done(&Ask::Close { window });
    }

    fn focus(&mut self, window: Which) {
        self.done(&Ask::Focus { window });
    }

    fn events(&mut self) -> Vec<Seen> {
        match self.ask(&Ask::Events) {
            Said::Events { events } => events,
            other => panic!("asked for events: {other:?}"),
        }
    }

    fn forget(&mut self) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.done(&Ask::Forget);
    }

    fn text(&mut self, window: Which) -> String {
        match self.ask(&Ask::Text { window }) {
            Said::Text { text } => text,
            other => panic!("asked for text: {other:?}"),
        }
    }

    fn held(&mut self) -> Held {
        match self.ask(&Ask::Held) {
            Said::Held { held } => held,
            other => panic!("asked for what is down: {other:?}"),
        }
    }

    fn pointer(&mut self) -> ScreenPx {
        match self.ask(&Ask::Pointer) {
            Said::Place { at } => at,
            other => panic!("asked for the pointer: {other:?}"),
        }
    }

    fn at(&mut self, events: u32, deed: Deed, told: Box<dyn FnOnce() + Send>) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
        self.done(&Ask::At { events, deed });
    }

    fn cursor(&mut self) {
        self.done(&Ask::Cursor);
    }

    fn clipboard(&mut self) -> String {
        match self.ask(&Ask::Clipboard) {
            Said::Text { text } => text,
            other => panic!("asked for the clipboard: {other:?}"),
        }
    }

    fn set_clipboard(&mut self, text: &str) {
        self.done(&Ask::SetClipboard { text: text.to_owned() });
    }

    fn resize_screen(&mut self, to: Size) {
        self.resize.as_mut().expect("a way to resize the screen")(to);
    }
}

impl Drop for RemoteWitness {
    fn drop(&mut self) {
        // The end of its input ends it.
        drop(self.input.take());
        let Some(child) = &mut self.child else { return };
        let ended = crate::wait::before(PATIENCE, || child.try_wait().ok().flatten());
        if ended.is_none() {
            drop(child.kill());
            drop(child.wait());
        }
    }
}
