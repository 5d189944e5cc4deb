//! One viewer's connection to a VNC server: the handshake, what is asked for, and the messages that come.
//!
//! Nobody reads between calls: a server sends one update for each that is asked for, so what waits in the socket is bounded.
//! [`Connection::refresh`] asks for the whole screen as changes and for one pixel in full; the answer with that pixel comes even
//! if nothing changed, and after it the screen is as new as the call. This module refuses to keep waiting: every call has
//! a deadline, and nothing here presses a key.

use super::Target;
use super::address::VncAddress;
use super::clipboard::{Board, MOST};
use super::cursor::Cursor;
use super::damage::DamageLog;
use super::decode::{Decoders, Encoding};
use super::framebuffer::{Canvas, Framebuffer};
use super::trouble::{Trouble, quoted};
use super::wire::Wire;
use super::{displays, security};
use handsight_base::space::{ScreenPx, ScreenRect};
use std::time::Duration;

/// For the network, the handshake and the password together.
const CONNECT: Duration = Duration::from_millis(3500);
/// For one answer. The first may take as long as [`CONNECT`]: x11vnc looks at its whole screen for it.
const ANSWER: Duration = Duration::from_millis(1800);
/// The longest name of a desktop that is read.
const NAME: usize = 1 << 16;
/// The longest cut text that is waited for.
const CUT: usize = 64 << 20;
/// So many pixels take turns in being asked for, so that an older answer is not taken for a newer one.
const PROBES: u32 = 64;

const DESKTOP_SIZE: i32 = -223;
const LAST_RECT: i32 = -224;
const POINTER_POS: i32 = -232;
const CURSOR: i32 = -239;
const EXTENDED_DESKTOP_SIZE: i32 = -308;
const CURSOR_WITH_ALPHA: i32 = -314;
const VMWARE_CURSOR_POS: i32 = 0x574d_5666;
const SERVER_IDENTITY: i32 = 0xfffe_0003_u32 as i32;
const EXTENDED_CLIPBOARD: i32 = 0xc0a1_e5ce_u32 as i32;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Looks: pictures, pointer, clipboard.
    Eyes,
    /// Moves: everything else is left out as far as servers allow.
    Hands,
}

pub(crate) struct Connection {
    wire: Wire,
    address: VncAddress,
    name: String,
    /// What it says it is, if it says so.
    identity: String,
    screen: Framebuffer,
    screens: Vec<ScreenRect>,
    role: Role,
    encodings: Vec<Encoding>,
    /// The extended desktop size is among what was asked for.
    asks_layout: bool,
    /// It was told since the last resize.
    layout_known: bool,
    decoders: Decoders,
    pub(crate) cursor: Cursor,
    pub(crate) damage: DamageLog,
    pub(crate) board: Board,
    /// Counts updates.
    updates: u64,
    /// The last one had pixels in it.
    pictured: bool,
    /// The screen is another since the last question.
    resized: bool,
    probe: u32,
    /// The pixel that is waited for, and whether it came.
    awaited: Option<(ScreenPx, bool)>,
    /// For the next answer.
    patience: Duration,
}

impl Connection {
    pub(crate) fn open(target: &Target, role: Role) -> Result<Self, Trouble> {
        let mut wire = Wire::connect(&target.address, CONNECT)?;
        let version = security::version(&mut wire)?;
        security::enter(&mut wire, version, target)?;
        // Shared: the person's own viewer, and our hands, stay.
        wire.send(&[1])?;
        let (width, height) = (wire.u16()?, wire.u16()?);
        let _their_format = wire.array::<16>()?;
        let length = wire.u32()? as usize;
        if length > NAME {
            return Err(Trouble::broken(format!("a name of {length} bytes")));
        }
        let name = quoted(&wire.text(length, 1024)?);
        let mut connection = Self {
            wire,
            address: target.address.clone(),
            name,
            identity: String::new(),
            screen: Framebuffer::new(width, height)?,
            screens: Vec::new(),
            role,
            encodings: if role == Role::Eyes { target.encodings() } else { vec![Encoding::Raw] },
            asks_layout: role == Role::Eyes,
            layout_known: false,
            decoders: Decoders::default(),
            cursor: Cursor::default(),
            damage: DamageLog::new(),
            board: Board::default(),
            updates: 0,
            pictured: false,
            resized: false,
            probe: 0,
            awaited: None,
            patience: CONNECT,
        };
        connection.say_hello()?;
        Ok(connection)
    }

    /// Says which pixels and which encodings are understood.
    fn say_hello(&mut self) -> Result<(), Trouble> {
        // 32 bits a pixel, 24 of colour, little endian: blue, green, red and one to spare, as frames have them.
        self.wire.send(&[0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0])?;
        self.ask_for_encodings()
    }

    fn ask_for_encodings(&mut self) -> Result<(), Trouble> {
        let mut numbers: Vec<i32> = self.encodings.iter().map(|e| e.number()).collect();
        // Without the size a server closes the connection when its screen is resized.
        // Where the pointer is some tell only to who draws it.
        numbers.extend([DESKTOP_SIZE, LAST_RECT, POINTER_POS, VMWARE_CURSOR_POS, CURSOR]);
        numbers.extend(match self.role {
            Role::Eyes => [CURSOR_WITH_ALPHA, EXTENDED_CLIPBOARD].as_slice(),
            Role::Hands => &[SERVER_IDENTITY],
        });
        if self.asks_layout {
            numbers.push(EXTENDED_DESKTOP_SIZE);
        }
        let mut message = vec![2, 0];
        message.extend((numbers.len() as u16).to_be_bytes());
        numbers.iter().for_each(|number| message.extend(number.to_be_bytes()));
        self.wire.send(&message)
    }

    /// Where the screens lie is asked for once for each size: TigerVNC answers every question in full with it, and with
    /// nothing else, which would cost each picture another round trip.
    fn follow_layout(&mut self) -> Result<(), Trouble> {
        let wanted = self.role == Role::Eyes && !self.layout_known;
        if self.asks_layout == wanted {
            return Ok(());
        }
        self.asks_layout = wanted;
        self.ask_for_encodings()
    }

    pub(crate) const fn address(&self) -> &VncAddress {
        &self.address
    }

    #[cfg(unix)]
    pub(crate) fn fd(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        self.wire.fd()
    }

    /// What the server calls its desktop.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// True of a server made with LibVNCServer, as x11vnc is. It forgets the buttons of a viewer that has gone and leaves them
    /// down.
    pub(crate) fn is_libvnc(&self) -> bool {
        self.identity.contains("LibVNCServer")
    }

    pub(crate) const fn screen(&self) -> &Framebuffer {
        &self.screen
    }

    pub(crate) fn displays(&self) -> Vec<handsight_base::port::desktop::Display> {
        displays::displays(&self.screens, self.screen.whole())
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        self.wire.send(bytes)
    }

    /// Takes in what has come, without waiting for more. True if there was anything.
    pub(crate) fn drain(&mut self) -> Result<bool, Trouble> {
        self.wire.allow(self.patience);
        let mut any = false;
        while self.wire.has_input(Duration::ZERO)? {
            self.message()?;
            any = true;
        }
        Ok(any)
    }

    /// Returns once the server has worked off everything sent before: it answers in order.
    pub(crate) fn round_trip(&mut self) -> Result<(), Trouble> {
        self.wire.allow(self.patience);
        self.ask(false)
    }

    /// Brings the screen up to date with what the server knows of it now.
    pub(crate) fn refresh(&mut self) -> Result<(), Trouble> {
        self.wire.allow(self.patience);
        while self.wire.has_input(Duration::ZERO)? {
            self.message()?;
        }
        self.ask(true)
    }

    /// Asks for one pixel in full and, if `all`, for everything that changed, and waits until both have come.
    fn ask(&mut self, all: bool) -> Result<(), Trouble> {
        self.follow_layout()?;
        self.question(all)?;
        loop {
            let came = matches!(self.awaited, Some((_, true)));
            if came && (!all || self.screen.is_complete()) {
                self.awaited = None;
                self.patience = ANSWER;
                return Ok(());
            }
            let updates = self.updates;
            self.message()?;
            if self.updates == updates {
                continue;
            }
            if self.resized {
                // The question was about another screen.
                self.question(all)?;
            } else if !self.pictured {
                // TigerVNC takes an update without pixels (a size) for the answer. The pixels are still to come, as changes.
                self.request(true, self.screen.whole())?;
            }
        }
    }

    fn question(&mut self, all: bool) -> Result<(), Trouble> {
        self.resized = false;
        if all {
            self.request(self.screen.is_complete(), self.screen.whole())?;
        }
        self.probe = (self.probe + 1) % PROBES;
        // Far from one another, for servers that round up to tiles.
        let x = self.probe * self.screen.size().width / PROBES;
        let pixel = ScreenPx::new(x as i32, 0);
        self.awaited = Some((pixel, false));
        self.request(false, ScreenRect::new(pixel.x, pixel.y, 1, 1))
    }

    /// Follows changes until none came for `quiet`, `longest` at most.
    pub(crate) fn follow(&mut self, quiet: Duration, longest: Duration) -> Result<(), Trouble> {
        self.wire.allow(ANSWER + longest);
        let until = self.wire.now() + longest;
        loop {
            self.request(true, self.screen.whole())?;
            let updates = self.updates;
            while self.updates == updates {
                let left = until.saturating_sub(self.wire.now()).min(quiet);
                if left.is_zero() || !self.wire.has_input(left)? {
                    return Ok(());
                }
                self.message()?;
            }
            if !self.screen.is_complete() {
                return self.refresh();
            }
        }
    }

    /// Reads messages until `until` says so. False if it did not within `patience`.
    pub(crate) fn listen(
        &mut self,
        patience: Duration,
        mut until: impl FnMut(&Self) -> bool,
    ) -> Result<bool, Trouble> {
        self.wire.allow(ANSWER + patience);
        let end = self.wire.now() + patience;
        while !until(self) {
            let left = end.saturating_sub(self.wire.now());
            if left.is_zero() {
                return Ok(false);
            }
            if self.wire.has_input(left)? {
                self.message()?;
            }
        }
        Ok(true)
    }

    fn request(&mut self, changes_only: bool, area: ScreenRect) -> Result<(), Trouble> {
        let mut request = vec![3, u8::from(changes_only)];
        let numbers =
            [area.origin.x as u32, area.origin.y as u32, area.size.width, area.size.height].map(|v| v as u16);
        numbers.iter().for_each(|v| request.extend(v.to_be_bytes()));
        self.wire.send(&request)
    }

    /// Reads one message whole.
    fn message(&mut self) -> Result<(), Trouble> {
        match self.wire.u8()? {
            0 => self.update(),
            // A colour map, which true colour has none of.
            1 => {
                self.wire.skip(3)?;
                let colours = self.wire.u16()?;
                self.wire.skip(usize::from(colours) * 6)
            }
            // The bell.
            2 => Ok(()),
            3 => self.cut_text(),
            other => Err(Trouble::broken(format!("a message of type {other}, which was not asked for"))),
        }
    }

    fn update(&mut self) -> Result<(), Trouble> {
        self.wire.skip(1)?;
        let count = self.wire.u16()?;
        self.pictured = false;
        // 65535 means as many as come before the last.
        for _ in 0..count {
            // A server may send forever; a call does not last so long.
            self.wire.left()?;
            let [x, y, width, height] =
                [self.wire.u16()?, self.wire.u16()?, self.wire.u16()?, self.wire.u16()?];
            let encoding = self.wire.i32()?;
            if encoding == LAST_RECT {
                break;
            }
            match Encoding::of(encoding) {
                Some(encoding) => self.rectangle(encoding, x, y, width, height)?,
                None => self.aside(encoding, (x, y), (width, height))?,
            }
        }
        self.updates += 1;
        Ok(())
    }

    fn rectangle(
        &mut self,
        encoding: Encoding,
        x: u16,
        y: u16,
        width: u16,
        height: u16,
    ) -> Result<(), Trouble> {
        let area = self.screen.inside(x, y, width, height)?;
        if area.is_empty() {
            return Ok(());
        }
        let probe = self.awaited.filter(|(pixel, _)| area.contains(*pixel)).map(|(pixel, _)| pixel);
        let changed = if encoding == Encoding::CopyRect {
            let from = self.screen.inside(self.wire.u16()?, self.wire.u16()?, width, height)?;
            self.screen.copy(area, from);
            true
        } else if probe.is_some() && area.size.area() == 1 && self.screen.is_complete() {
            self.answer(encoding, area)?
        } else {
            self.decoders.read(encoding, &mut self.wire, &mut self.screen.canvas(area))?;
            true
        };
        self.screen.came(area)?;
        self.pictured = true;
        if let Some(pixel) = probe {
            self.awaited = Some((pixel, true));
        }
        if changed {
            self.damage.note(area);
        }
        Ok(())
    }

    /// The pixel that was asked for in full: it is no change, and no frame is copied for it, unless it is another colour.
    fn answer(&mut self, encoding: Encoding, area: ScreenRect) -> Result<bool, Trouble> {
        let mut pixel = [0; 4];
        let mut canvas = Canvas { pixels: &mut pixel, stride: 4, width: 1, height: 1 };
        self.decoders.read(encoding, &mut self.wire, &mut canvas)?;
        let before = self.screen.pixel(area.origin.x as u32, area.origin.y as u32);
        let changed = before.is_none_or(|b| b[..3] != pixel[..3]);
        if changed {
            self.screen.canvas(area).fill((0, 0), (1, 1), pixel);
        }
        Ok(changed)
    }

    /// What is no picture of the screen.
    fn aside(&mut self, encoding: i32, at: (u16, u16), size: (u16, u16)) -> Result<(), Trouble> {
        match encoding {
            CURSOR => self.cursor.read_masked(&mut self.wire, at, size),
            CURSOR_WITH_ALPHA => self.cursor.read_alpha(&mut self.wire, at, size),
            POINTER_POS | VMWARE_CURSOR_POS => {
                self.cursor.at = Some(ScreenPx::new(at.0.into(), at.1.into()));
                Ok(())
            }
            SERVER_IDENTITY => {
                self.identity = quoted(&self.wire.text(size.0.into(), NAME)?);
                Ok(())
            }
            DESKTOP_SIZE => self.resize(size),
            EXTENDED_DESKTOP_SIZE => {
                let screens = displays::read(&mut self.wire)?;
                // The answer to a refused wish of another viewer tells the size it has.
                self.resize(size)?;
                (self.screens, self.layout_known) = (screens, true);
                Ok(())
            }
            other => {
                Err(Trouble::broken(format!("a rectangle in encoding {other}, which was not asked for")))
            }
        }
    }

    fn resize(&mut self, (width, height): (u16, u16)) -> Result<(), Trouble> {
        let now = self.screen.size();
        if (now.width, now.height) != (width.into(), height.into()) {
            self.screen = Framebuffer::new(width, height)?;
            (self.resized, self.layout_known) = (true, false);
            self.screens.clear();
            self.damage.note(self.screen.whole());
        }
        Ok(())
    }

    fn cut_text(&mut self) -> Result<(), Trouble> {
        self.wire.skip(3)?;
        let length = self.wire.i32()?;
        let bytes = length.unsigned_abs() as usize;
        if bytes > CUT {
            return Err(Trouble::broken(format!("a clipboard of {bytes} bytes")));
        }
        let text = self.wire.text(bytes, MOST)?;
        if length >= 0 {
            self.board.cut(&text);
        } else if bytes <= MOST
            && let Some(answer) = self.board.message(&text)?
        {
            self.wire.send(&answer)?;
        }
        Ok(())
    }
}
