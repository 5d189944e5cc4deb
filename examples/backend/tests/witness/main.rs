//! The second channel: a program inside of the terminal that knows nothing of the backend. It paints what it is asked, and
//! writes down every event that its terminal sends.
//!
//! It is asked over the socket that its only argument names, in the words of `handsight_testkit::witness_protocol`. Before each answer it
//! asks the terminal whether it is there (`CSI 5 n`): the terminal's answer comes behind everything that was sent before, and after
//! everything that was painted before, so an answer of the witness never misses something that was on its way. Its windows are panes
//! that it draws itself. It refuses to guess: what it does not understand ends it.

#![expect(clippy::expect_used, reason = "a broken witness should end where it breaks")]

mod input;
mod panes;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handsight_base::flow::action::Button;
use handsight_base::key::Key;
use handsight_base::space::{ScreenPx, Size, WindowPx};
use handsight_testkit::witness_protocol::{Ask, Deed, Held, Said, Seen, VERSION, What, Which};
use input::{Input, Reader};
use panes::Panes;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::termios::{OptionalActions, tcgetattr, tcgetwinsize, tcsetattr};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::time::Instant;

/// Alternate screen without a text cursor; every motion of the mouse, by pixels; pastes marked; every key with press, release and text.
const BEGIN: &str = "\x1b[?1049h\x1b[?25l\x1b[?1003h\x1b[?1006h\x1b[?1016h\x1b[?2004h\x1b[>27u\x1b[2J";

fn main() {
    let socket = std::env::args().nth(1).expect("the path of a socket");
    let stream = UnixStream::connect(socket).expect("the test listens");
    let mut modes = tcgetattr(std::io::stdin()).expect("a terminal");
    modes.make_raw();
    tcsetattr(std::io::stdin(), OptionalActions::Now, &modes).expect("a terminal");
    let mut asked = BufReader::new(stream.try_clone().expect("a socket"));
    let mut witness = Witness::new(stream);
    witness.write(BEGIN.as_bytes());
    loop {
        witness.wait(true);
        let mut line = String::new();
        if asked.read_line(&mut line).expect("a line") == 0 {
            return;
        }
        let ask: Ask = serde_json::from_str(&line).expect("the protocol");
        let said = witness.answer(ask);
        witness.say(&said);
        assert!(asked.buffer().is_empty(), "a test asks one thing at a time");
    }
}

struct Witness {
    socket: UnixStream,
    began: Instant,
    reader: Reader,
    panes: Panes,
    events: Vec<Seen>,
    /// What each window got as text.
    text: [String; 2],
    pointer: ScreenPx,
    keys: Vec<Key>,
    buttons: Vec<Button>,
    countdown: Option<(u32, Deed)>,
    /// What the terminal has answered and nobody has taken.
    there: bool,
    clipboard: Option<String>,
}

const fn index(which: Which) -> usize {
    match which {
        Which::Main => 0,
        Which::Other => 1,
    }
}

impl Witness {
    fn new(socket: UnixStream) -> Self {
        Self {
            socket,
            began: Instant::now(),
            reader: Reader::default(),
            panes: Panes::new(),
            events: Vec::new(),
            text: Default::default(),
            pointer: ScreenPx::new(0, 0),
            keys: Vec::new(),
            buttons: Vec::new(),
            countdown: None,
            there: false,
            clipboard: None,
        }
    }

    fn say(&mut self, said: &Said) {
        let line = serde_json::to_string(said).expect("it is JSON");
        writeln!(self.socket, "{line}").expect("the test hears");
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut out = std::io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush()).expect("the terminal takes it");
    }

    /// Reads from the terminal what there is, and waits for more or, if `asked`, for a question of the test.
    fn wait(&mut self, asked: bool) {
        loop {
            let stdin = std::io::stdin();
            let mut both = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(&self.socket, PollFlags::IN)];
            let watched = if asked { &mut both[..] } else { &mut both[..1] };
            poll(watched, None).expect("both are open");
            let (input, question) = (!both[0].revents().is_empty(), asked && !both[1].revents().is_empty());
            if input {
                let mut buffer = [0; 4096];
                let count = rustix::io::read(std::io::stdin(), &mut buffer).expect("the terminal is there");
                if count == 0 {
                    std::process::exit(0);
                }
                for input in self.reader.read(&buffer[..count]) {
                    self.take(input);
                }
                if !asked {
                    return;
                }
            }
            if question {
                return;
            }
        }
    }

    /// Comes back when the terminal has taken everything that was written, and everything that it has sent was read.
    fn sync(&mut self) {
        self.there = false;
        self.write(b"\x1b[5n");
        while !self.there {
            self.wait(false);
        }
    }

    fn answer(&mut self, ask: Ask) -> Said {
        let size = tcgetwinsize(std::io::stdin()).expect("a terminal");
        let cells = (u32::from(size.ws_col), u32::from(size.ws_row));
        let pixels = Size::new(size.ws_xpixel.into(), size.ws_ypixel.into());
        let resized = self.panes.resize(cells, pixels);
        self.write(&resized);
        self.sync();
        let drawn = match ask {
            Ask::Hello => return Said::Ready { version: VERSION, pid: std::process::id() },
            Ask::Open { window, client, seed, framed: _ } => self.panes.open(window, client, seed),
            Ask::Place { window, client } => self.panes.place(window, client),
            Ask::Paint { window, seed } => self.panes.paint(window, seed),
            Ask::Close { window } => self.panes.close(window),
            Ask::Focus { window } => self.panes.focus(window),
            Ask::Events => return Said::Events { events: self.events.clone() },
            Ask::Forget => {
                self.events.clear();
                self.text = Default::default();
                self.countdown = None;
                return Said::Done;
            }
            Ask::Text { window } => return Said::Text { text: self.text[index(window)].clone() },
            Ask::Held => {
                let keys = self.keys.iter().map(Key::to_string).collect();
                let buttons = self.buttons.iter().map(|b| format!("{b:?}")).collect();
                return Said::Held { held: Held { keys, buttons } };
            }
            Ask::Pointer => return Said::Place { at: self.pointer },
            Ask::Now => return Said::Millis { millis: self.now() },
            Ask::At { events, deed } => {
                self.countdown = Some((events, deed));
                return Said::Done;
            }
            Ask::Cursor => {
                return Said::Failed { why: "a terminal's pointer has the terminal's look".into() };
            }
            Ask::Clipboard => {
                self.clipboard = None;
                self.write(b"\x1b]52;c;?\x1b\\");
                while self.clipboard.is_none() {
                    self.wait(false);
                }
                return Said::Text { text: self.clipboard.take().unwrap_or_default() };
            }
            Ask::SetClipboard { text } => format!("\x1b]52;c;{}\x1b\\", STANDARD.encode(text)).into_bytes(),
        };
        self.write(&drawn);
        self.sync();
        Said::Done
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    fn take(&mut self, input: Input) {
        match input {
            Input::There => self.there = true,
            Input::Clipboard(text) => self.clipboard = Some(text),
            Input::Mouse { what, at } => {
                self.pointer = at;
                if let What::Button { button, down } = what {
                    self.buttons.retain(|b| *b != button);
                    self.buttons.extend(down.then_some(button));
                }
                // A window that got a press gets what follows until the release, as everywhere.
                if let Some(window) = self.panes.under(at) {
                    self.event(window, what);
                }
            }
            Input::Key { key, down, repeat, text } => {
                self.keys.retain(|k| *k != key);
                self.keys.extend(down.then_some(key));
                let text = text.filter(|_| down);
                self.keyed(What::Key { key: Some(key), down, repeat }, text);
            }
            Input::Text(text) => {
                self.keyed(What::Key { key: None, down: true, repeat: false }, Some(text));
                self.keyed(What::Key { key: None, down: false, repeat: false }, None);
            }
            Input::Paste(text) => {
                if let Some(window) = self.panes.focused() {
                    self.text[index(window)].push_str(&text.replace('\r', "\n"));
                }
            }
        }
    }

    fn keyed(&mut self, what: What, text: Option<String>) {
        let Some(window) = self.panes.focused() else { return };
        self.text[index(window)].push_str(&text.unwrap_or_default());
        self.event(window, what);
    }

    fn event(&mut self, window: Which, what: What) {
        let corner = self.panes.corner(window);
        let client = WindowPx::new(self.pointer.x - corner.x, self.pointer.y - corner.y);
        self.events.push(Seen { window, what, screen: self.pointer, client, at_ms: self.now() });
        let Some((left, deed)) = &mut self.countdown else { return };
        *left -= 1;
        if *left > 0 {
            return;
        }
        let drawn = match deed {
            Deed::Tell => Vec::new(),
            Deed::Close => self.panes.close(Which::Main),
            Deed::Unfocus => self.panes.focus(Which::Other),
            Deed::Yield => {
                let mut drawn = self.panes.close(Which::Main);
                drawn.extend(self.panes.focus(Which::Other));
                drawn
            }
        };
        self.countdown = None;
        self.write(&drawn);
        let millis = self.now();
        self.say(&Said::Told { millis });
    }
}
