//! Eyes on a screen behind a VNC server; the hands are a process of their own with a connection of their own.
//!
//! The client is ours: RFB 3.3, 3.7 and 3.8, raw, CopyRect, Hextile, ZRLE and Tight, pointer and desktop-size pseudo-encodings,
//! passwords and TLS with certificates. It works without threads, between calls it reads nothing, and every call has a
//! deadline. A server has no windows, starts no programs and shows no overlay for us, so those are refused by name, and the engine
//! blends the HUD into the picture. Down keys cannot be asked for either: the hands go by their own account.
//!
//! This module never reads the environment, and no password leaves it but to the server and the hands.

mod address;
mod capture;
mod clipboard;
mod connection;
mod cursor;
mod damage;
mod decode;
mod displays;
mod framebuffer;
pub(crate) mod input;
mod security;
mod spares;
mod target;
mod trouble;
mod wire;

pub use address::{AddressError, VncAddress};
pub use decode::Encoding;
pub use security::TlsMode;
pub use target::Target;

use crate::hands::HandsConfig;
use crate::hands::share::{KeptHands, SharedHands, locked};
use connection::{Connection, Role};
use handsight_base::flow::action::{Batch, Primitive};
use handsight_base::flow::frame::Frame;
use handsight_base::gate::{Approved, Paste, SetClipboard};
use handsight_base::key::{Key, Named};
use handsight_base::lifts::Lifts;
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::{
    Capabilities, CaptureRequest, ClipboardContents, Damage, DamageMark, Desktop, DesktopError, DesktopInfo,
    Display, Injected, Pulse,
};
use handsight_base::space::ScreenPx;
use handsight_base::stop::Stop;
use std::sync::Arc;
use std::time::Duration;
use trouble::Trouble;

/// After input: this long without a change means that what it changes has come. Servers that poll their screen do so every
/// 20 to 30 ms.
const QUIET: Duration = Duration::from_millis(40);
/// A screen that never rests is not waited for longer; judging calm is for who looks again.
const RESTLESS: Duration = Duration::from_millis(200);
/// For the text that a program has just copied.
const COPIED: Duration = Duration::from_millis(300);
/// TigerVNC gives nothing to a program that asks within the millisecond in which the clipboard changed hands.
const OFFERED: Duration = Duration::from_millis(10);
/// Without another question for the text, it was taken.
const ASKED: Duration = Duration::from_millis(150);
const QUESTIONS: usize = 8;
/// For a program to take what was pasted.
const TAKEN: Duration = Duration::from_secs(1);

/// How to work on a VNC server's screen.
#[derive(Clone)]
pub struct VncConfig {
    pub target: Target,
    /// `None` for a dry run and for whoever only looks: input is then refused by name.
    pub hands: Option<HandsConfig>,
    /// Times the frames, since the run began.
    pub clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for VncConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hands = if self.hands.is_some() { "with hands" } else { "eyes only" };
        write!(f, "VncConfig({:?}, {hands})", self.target)
    }
}

/// Connects to one server, the first time and after a loss. The hands outlive a connection of the eyes.
#[derive(Debug)]
pub struct VncConnector {
    config: VncConfig,
    hands: KeptHands,
}

impl VncConnector {
    pub fn new(config: VncConfig) -> Self {
        Self { config, hands: KeptHands::default() }
    }

    /// A fresh connection, within 5 s with that of the hands.
    pub fn connect(&self) -> Result<VncDesktop, DesktopError> {
        let target = &self.config.target;
        let told = |trouble: Trouble| trouble.at(&target.address);
        let mut connection = Connection::open(target, Role::Eyes).map_err(told)?;
        // The first picture: a server that lets us in and shows nothing is not one to begin with.
        connection.refresh().map_err(told)?;
        let hands = match &self.config.hands {
            None => None,
            Some(config) => {
                let hands = self.hands.get(config)?;
                // One that takes a single viewer throws the eyes out when the hands come.
                match connection.round_trip() {
                    Ok(()) => {}
                    Err(Trouble::Closed) => return Err(told(single_viewer())),
                    Err(other) => return Err(told(other)),
                }
                Some(hands)
            }
        };
        Ok(VncDesktop { clock: Arc::clone(&self.config.clock), connection, hands, acted: false })
    }
}

/// What is said where a second viewer ends the first, or is not let in.
pub(crate) fn single_viewer() -> Trouble {
    Trouble::unusable(
        "closed one of our two connections (eyes and hands) when the other came: it serves one viewer at a time",
        "Let it share: start x11vnc with -shared -forever, TigerVNC with -AlwaysShared or without -NeverShared.",
    )
}

/// Eyes on one server's screen, and a share of the run's hands.
pub struct VncDesktop {
    clock: Arc<dyn Clock>,
    connection: Connection,
    hands: Option<SharedHands>,
    /// Something was done since the last picture, whose effect the server may not have noticed yet.
    acted: bool,
}

impl VncDesktop {
    /// Connects once; see [`VncConnector`] for a desktop that can be found again after a loss.
    pub fn connect(config: VncConfig) -> Result<Self, DesktopError> {
        VncConnector::new(config).connect()
    }

    fn hands(&self, what: &'static str) -> Result<&SharedHands, DesktopError> {
        self.hands.as_ref().ok_or_else(|| self.unsupported(what))
    }

    fn told<T>(&self, result: Result<T, Trouble>) -> Result<T, DesktopError> {
        result.map_err(|trouble| trouble.at(self.connection.address()))
    }

    /// What a program has copied a moment ago is known after this.
    fn hear_of_copies(&mut self) -> Result<(), DesktopError> {
        let heard = self.connection.round_trip();
        let heard = heard.and_then(|()| self.connection.listen(COPIED, |c| !c.board.waits()));
        self.told(heard).map(drop)
    }

    fn refresh(&mut self) -> Result<(), DesktopError> {
        let mut done = self.connection.refresh();
        if done.is_ok() && std::mem::take(&mut self.acted) {
            done = self.connection.follow(QUIET, RESTLESS);
        }
        self.told(done)
    }
}

impl Desktop for VncDesktop {
    fn info(&self) -> DesktopInfo {
        let input = self.hands.is_some();
        DesktopInfo {
            backend: "vnc".into(),
            detail: format!("{} ({:?})", self.connection.address(), self.connection.name()),
            simulated: false,
            capabilities: Capabilities {
                input,
                clipboard: input,
                damage: true,
                pointer: true,
                ..Capabilities::default()
            },
        }
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        let drained = self.connection.drain();
        self.told(drained)?;
        Ok(self.connection.displays())
    }

    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError> {
        self.refresh()?;
        capture::capture(&self.connection, request, self.clock.now())
    }

    fn inject(&mut self, batch: Approved<Batch>, stop: &Stop) -> Result<Injected, DesktopError> {
        let hands = Arc::clone(self.hands("input")?);
        let last = batch.value().primitives.iter().rev().find_map(|p| match p {
            Primitive::Move(to) => Some(*to),
            _ => None,
        });
        self.acted = true;
        let injected = locked(&hands).inject(batch, stop)?;
        if injected.complete && last.is_some() {
            // The server may say otherwise, and is believed.
            self.connection.cursor.at = last;
        }
        Ok(injected)
    }

    fn release_all(&mut self) -> Result<(), DesktopError> {
        self.hands.as_ref().map_or(Ok(()), |hands| locked(hands).release_all())
    }

    fn pointer(&mut self) -> Result<Option<ScreenPx>, DesktopError> {
        let drained = self.connection.drain();
        self.told(drained)?;
        Ok(self.connection.cursor.at)
    }

    fn damage_since(&mut self, mark: Option<DamageMark>) -> Result<Damage, DesktopError> {
        self.refresh()?;
        Ok(self.connection.damage.since(mark))
    }

    fn paste(&mut self, paste: Approved<Paste>, stop: &Stop) -> Result<Injected, DesktopError> {
        let hands = Arc::clone(self.hands("clipboard")?);
        let Paste(text) = paste.into_inner();
        self.acted = true;
        self.hear_of_copies()?;
        let before = self.connection.board.text().map(str::to_owned);
        let copied = self.connection.board.theirs().map(str::to_owned);
        let taken = self.connection.board.taken();
        // A server that does not ask for the text may not take it either (x11vnc does not for its first 15 s), and Ctrl+V would
        // enter something else.
        let tells = self.connection.board.tells();
        let offer = if tells { self.connection.board.offer(&text) } else { None };
        let Some(offer) = offer else {
            return locked(&hands).strike(typed(&text), stop);
        };
        self.connection.board.paste(true);
        let put = self.connection.send(&offer).and_then(|()| self.connection.round_trip());
        let put = put.and_then(|()| self.connection.listen(OFFERED, |_| false));
        self.told(put)?;
        let [control, v] = [Key::Named(Named::Control), Key::Char('v')];
        let keys = [(control, true), (v, true), (v, false), (control, false)];
        let keys = keys.map(|(key, down)| Primitive::Key { key, down });
        let struck = locked(&hands).strike(keys.to_vec(), stop);
        let patience =
            if struck.as_ref().is_ok_and(|injected| injected.complete) { TAKEN } else { Duration::ZERO };
        let mut heard = self.connection.listen(patience, |c| c.board.taken() > taken);
        // A program may ask several times, and the last of them counts; one that never ends asking is not waited for.
        for _ in 0..QUESTIONS {
            let taken = self.connection.board.taken();
            match heard {
                Ok(true) => match self.connection.listen(ASKED, |c| c.board.taken() > taken) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(trouble) => heard = Err(trouble),
                },
                Ok(false) | Err(_) => break,
            }
        }
        self.connection.board.paste(false);
        // Somebody has copied something since.
        let newest =
            self.connection.board.theirs().filter(|t| Some(*t) != copied.as_deref()).map(str::to_owned);
        let before = newest.or(before);
        // Whatever became of the keys, the clipboard is given back.
        if let Some(message) = before.and_then(|text| self.connection.board.give(&text)) {
            let back = self.connection.round_trip().and_then(|()| self.connection.send(&message));
            self.told(back)?;
        }
        let (injected, heard) = (struck?, self.told(heard)?);
        if !heard && injected.complete {
            let why = format!(
                "no program asked for the text within {TAKEN:?}; what has the focus may not paste with Ctrl+V"
            );
            return Err(DesktopError::Clipboard { why });
        }
        Ok(injected)
    }

    fn clipboard(&mut self) -> Result<ClipboardContents, DesktopError> {
        let listened = self.connection.round_trip();
        self.told(listened)?;
        let text = self.connection.board.text().map(|text| (TEXT.to_owned(), text.as_bytes().to_vec()));
        Ok(ClipboardContents { formats: text.into_iter().collect() })
    }

    fn set_clipboard(&mut self, contents: Approved<SetClipboard>) -> Result<(), DesktopError> {
        self.hands("clipboard")?;
        let SetClipboard(contents) = contents.into_inner();
        let refused = |why: &str| DesktopError::Clipboard { why: why.to_owned() };
        let text = contents.formats.iter().find(|(name, _)| is_text(name)).map(|(_, bytes)| bytes);
        let text = text.ok_or_else(|| refused("only text goes over VNC, as text/plain;charset=utf-8"))?;
        let text = std::str::from_utf8(text).map_err(|_| refused("the text is no UTF-8"))?;
        let offer = self.connection.board.give(text);
        let offer =
            offer.ok_or_else(|| refused("this server's clipboard takes Latin-1 only, and 1 MiB at most"))?;
        let put = self.connection.send(&offer).and_then(|()| self.connection.round_trip());
        self.told(put)
    }

    fn pulse(&self) -> Option<Arc<dyn Pulse>> {
        self.hands.as_ref().map(|hands| locked(hands).pulse())
    }

    fn lifts(&self) -> Option<Lifts> {
        self.hands.as_ref().map(|hands| locked(hands).lifts())
    }
}

/// The name of the one format that VNC carries.
const TEXT: &str = "text/plain;charset=utf-8";

fn is_text(format: &str) -> bool {
    format == TEXT || matches!(format, "UTF8_STRING" | "text/plain")
}

/// A text as keys; a line break is Enter once.
fn typed(text: &str) -> Vec<Primitive> {
    text.replace("\r\n", "\n").chars().map(Primitive::Char).collect()
}

impl std::fmt::Debug for VncDesktop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VncDesktop({})", self.connection.address())
    }
}
