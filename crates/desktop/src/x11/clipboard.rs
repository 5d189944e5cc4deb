//! The clipboard: reading every format of it, owning it, and giving it back.
//!
//! On X11 the clipboard is a promise: whoever owns it is asked for its contents when somebody pastes. So text that is pasted
//! needs an owner that lives long enough, and contents that were there before need a new owner once theirs has gone
//! (`keeper.rs`, in the hands' process). This module works on a connection of its own and refuses to wait without bound for
//! a program that does not answer.

pub(crate) mod keeper;
mod transfer;

use super::connection::{Conn, Link, XError, XResult};
use super::windows::words;
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::ClipboardContents;
use std::collections::VecDeque;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;
use transfer::Transfer;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, GetPropertyReply, PropMode, Property,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Timestamp, Window as XWindow,
    WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

x11rb::atom_manager! {
    Atoms:
    AtomsCookie {
        ATOM_PAIR,
        CLIPBOARD,
        CLIPBOARD_MANAGER,
        COMPOUND_TEXT,
        INCR,
        MULTIPLE,
        SAVE_TARGETS,
        TARGETS,
        TEXT,
        TIMESTAMP,
        UTF8_STRING,
        _HANDSIGHT_CLIPBOARD,
    }
}

/// How long a program may take for one answer, and for all formats together.
const ANSWER: Duration = Duration::from_secs(1);
const ALL_ANSWERS: Duration = Duration::from_secs(3);
/// More is not kept: it would be our memory.
const MOST_BYTES: usize = 64 << 20;
/// Targets that are questions rather than contents.
const QUESTIONS: [&str; 7] =
    ["TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION", "INSERT_PROPERTY"];
/// The names text is asked for by.
const TEXT_TARGETS: [&str; 4] = ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT"];

/// By its title a person knows whose window owns the clipboard.
const NAME: &str = "handsight clipboard";

/// The window of ours, of whichever run, that owns the clipboard.
pub(crate) fn owner_of_ours(link: &Link) -> XResult<Option<XWindow>> {
    let clipboard = link.atom("CLIPBOARD")?;
    let owner = link.conn.get_selection_owner(clipboard)?.reply()?.owner;
    if owner == x11rb::NONE {
        return Ok(None);
    }
    match words(link, owner, link.atoms._NET_WM_NAME)?.reply().map_err(XError::from) {
        Ok(name) => Ok((name.value == NAME.as_bytes()).then_some(owner)),
        Err(XError::Refused(_)) => Ok(None),
        Err(lost) => Err(lost),
    }
}

/// Text under every name that programs ask for it by; under its Latin-1 name too if it can be written that way.
pub(crate) fn text_contents(text: &str) -> ClipboardContents {
    let mut formats: Vec<(String, Vec<u8>)> =
        TEXT_TARGETS.iter().map(|name| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
    let latin: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    formats.extend(latin.map(|bytes| ("STRING".to_owned(), bytes)));
    ClipboardContents { formats }
}

/// A client that can read the clipboard and own it.
pub(crate) struct Selection {
    conn: Conn,
    window: XWindow,
    atoms: Atoms,
    clock: RealClock,
    owned: Option<Owned>,
    /// Contents that are too large for one request, on their way.
    transfers: Vec<Transfer>,
    /// How often contents were delivered in full.
    served: u64,
    /// Answers to our own questions that came in while others were served.
    heard: VecDeque<Event>,
}

struct Owned {
    formats: Vec<Format>,
    since: Timestamp,
}

#[derive(Clone)]
struct Format {
    target: Atom,
    bytes: Arc<[u8]>,
}

impl Selection {
    pub(crate) fn connect(display: &str) -> Result<Self, handsight_base::port::desktop::DesktopError> {
        let link = Link::connect(Some(display))?;
        Ok(Self::on(&link)?)
    }

    fn on(link: &Link) -> XResult<Self> {
        let conn = Arc::clone(&link.conn);
        let atoms = Atoms::new(&*conn)?.reply()?;
        let window = conn.generate_id()?;
        let aux = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        let class = WindowClass::INPUT_ONLY;
        conn.create_window(0, window, link.root, -1, -1, 1, 1, 0, class, 0, &aux)?.check()?;
        let (name, utf8) = (link.atoms._NET_WM_NAME, link.atoms.UTF8_STRING);
        conn.change_property8(PropMode::REPLACE, window, name, utf8, NAME.as_bytes())?;
        Ok(Self {
            conn,
            window,
            atoms,
            clock: RealClock::new(),
            owned: None,
            transfers: Vec::new(),
            served: 0,
            heard: VecDeque::new(),
        })
    }

    /// As far as is known; [`Selection::owns`] asks.
    pub(crate) const fn is_owner(&self) -> bool {
        self.owned.is_some()
    }

    /// Whether the clipboard is ours, by the server's own word: the event that says otherwise may still be on its way, and what
    /// somebody has just copied must not be taken for what we had.
    pub(crate) fn owns(&mut self) -> XResult<bool> {
        let owner = self.conn.get_selection_owner(self.atoms.CLIPBOARD)?.reply()?.owner;
        if owner != self.window {
            self.owned = None;
        }
        Ok(self.is_owner())
    }

    /// How often contents, not the list of them, were delivered.
    pub(crate) const fn served(&self) -> u64 {
        self.served
    }

    /// Every format of the clipboard: none if nobody owns it, `None` if its owner does not answer. A format that does not
    /// come in time, or is no bytes, is left out.
    pub(crate) fn read_all(&mut self) -> XResult<Option<ClipboardContents>> {
        if let (true, Some(owned)) = (self.owns()?, &self.owned) {
            return self.named(&owned.formats).map(Some);
        }
        let mut contents = ClipboardContents::default();
        if self.conn.get_selection_owner(self.atoms.CLIPBOARD)?.reply()?.owner == x11rb::NONE {
            return Ok(Some(contents));
        }
        let until = self.clock.now() + ALL_ANSWERS;
        let targets: Vec<Atom> = match self.convert(self.atoms.CLIPBOARD, self.atoms.TARGETS, until)? {
            Converted::Silence => return Ok(None),
            Converted::Answer(answer) if answer.format == 32 => answer.words(),
            // Old programs know text alone.
            Converted::Answer(_) | Converted::Refused => {
                vec![self.atoms.UTF8_STRING, AtomEnum::STRING.into()]
            }
        };
        let mut bytes = 0;
        for target in targets {
            let Ok(name) = self.conn.get_atom_name(target)?.reply() else { continue };
            let name = String::from_utf8_lossy(&name.name).into_owned();
            let known = contents.formats.iter().any(|(n, _)| *n == name);
            if QUESTIONS.contains(&name.as_str()) || known {
                continue;
            }
            let Converted::Answer(answer) = self.convert(self.atoms.CLIPBOARD, target, until)? else {
                continue;
            };
            bytes += answer.bytes.len();
            if answer.format != 8 || bytes > MOST_BYTES {
                tracing::debug!(name, "a clipboard format is not kept: no bytes, or too many");
                bytes -= answer.bytes.len();
                continue;
            }
            contents.formats.push((name, answer.bytes));
        }
        Ok(Some(contents))
    }

    fn named(&self, formats: &[Format]) -> XResult<ClipboardContents> {
        let mut contents = ClipboardContents::default();
        for format in formats {
            let name = self.conn.get_atom_name(format.target)?.reply()?.name;
            contents.formats.push((String::from_utf8_lossy(&name).into_owned(), format.bytes.to_vec()));
        }
        Ok(contents)
    }

    /// Takes the clipboard with these contents. False if somebody else took it in the same moment.
    pub(crate) fn own(&mut self, contents: &ClipboardContents) -> XResult<bool> {
        let mut formats = Vec::with_capacity(contents.formats.len());
        for (name, bytes) in &contents.formats {
            let target = self.conn.intern_atom(false, name.as_bytes())?.reply()?.atom;
            formats.push(Format { target, bytes: bytes.as_slice().into() });
        }
        let since = self.server_time()?;
        self.conn.set_selection_owner(self.window, self.atoms.CLIPBOARD, since)?;
        let owner = self.conn.get_selection_owner(self.atoms.CLIPBOARD)?.reply()?.owner;
        self.owned = (owner == self.window).then_some(Owned { formats, since });
        Ok(self.is_owner())
    }

    /// Leaves the clipboard to nobody, if it is ours.
    pub(crate) fn disown(&mut self) -> XResult<()> {
        if let Some(owned) = self.owned.take() {
            self.conn.set_selection_owner(x11rb::NONE, self.atoms.CLIPBOARD, owned.since)?;
            self.conn.sync()?;
        }
        Ok(())
    }

    /// Asks a clipboard manager, if one runs, to keep what we own. True once it has it.
    pub(crate) fn hand_to_manager(&mut self) -> XResult<bool> {
        let manager = self.conn.get_selection_owner(self.atoms.CLIPBOARD_MANAGER)?.reply()?.owner;
        let Some(owned) = self.owned.as_ref().filter(|_| manager != x11rb::NONE) else {
            return Ok(false);
        };
        let targets: Vec<Atom> = owned.formats.iter().map(|f| f.target).collect();
        let (window, property) = (self.window, self.atoms._HANDSIGHT_CLIPBOARD);
        self.conn.change_property32(PropMode::REPLACE, window, property, AtomEnum::ATOM, &targets)?;
        let until = self.clock.now() + ALL_ANSWERS;
        let (selection, target) = (self.atoms.CLIPBOARD_MANAGER, self.atoms.SAVE_TARGETS);
        Ok(self.ask(selection, target, until)?.is_some_and(|notify| notify.property != x11rb::NONE))
    }

    /// Serves whoever asks, for at most `wait`; returns early when something happened.
    pub(crate) fn serve(&mut self, wait: Duration) -> XResult<()> {
        if !self.pump()? {
            super::connection::rest(&self.conn, Some(wait), None)?;
            self.pump()?;
        }
        // Nobody asks any more; what is left are answers that came too late.
        self.heard.clear();
        Ok(())
    }

    /// Serves whoever asks until `bell` rings.
    pub(crate) fn serve_or(&mut self, bell: BorrowedFd<'_>) -> XResult<()> {
        self.pump()?;
        self.heard.clear();
        // Requestors that have gone are noticed by the time.
        let at_most = (!self.transfers.is_empty()).then_some(ANSWER);
        super::connection::rest(&self.conn, at_most, Some(bell))
    }

    /// Leaves once the server has taken every answer: a connection that ends before that may take them along.
    pub(crate) fn part(mut self) -> XResult<()> {
        self.pump()?;
        Ok(self.conn.sync()?)
    }

    /// True while somebody still takes pieces of what we own or owned.
    pub(crate) const fn is_handing_over(&self) -> bool {
        !self.transfers.is_empty()
    }

    /// Takes in all events; true if there was any.
    fn pump(&mut self) -> XResult<bool> {
        let mut any = false;
        while let Some(event) = self.conn.poll_for_event()? {
            any = true;
            match event {
                Event::SelectionRequest(request) => self.answer(&request)?,
                Event::SelectionClear(clear) if clear.selection == self.atoms.CLIPBOARD => self.owned = None,
                Event::PropertyNotify(n) if n.window != self.window && n.state == Property::DELETE => {
                    self.go_on(n.window, n.atom)?;
                }
                Event::PropertyNotify(_) | Event::SelectionNotify(_) => self.heard.push_back(event),
                _ => {}
            }
        }
        self.conn.flush()?;
        let now = self.clock.now();
        self.transfers.retain(|t| t.is_wanted(now));
        Ok(any)
    }

    /// Sends what a program asked for, or that there is no such thing.
    fn answer(&mut self, request: &SelectionRequestEvent) -> XResult<()> {
        // Programs of before ICCCM leave the property out.
        let property = if request.property == x11rb::NONE { request.target } else { request.property };
        let given = if request.target == self.atoms.MULTIPLE {
            self.give_several(request.requestor, property)?
        } else {
            self.give(request.requestor, property, request.target)?
        };
        let notify = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property: if given { property } else { x11rb::NONE },
        };
        self.conn.send_event(false, request.requestor, EventMask::NO_EVENT, notify)?;
        Ok(())
    }

    /// Puts one target into a property of the requestor. False if we have no such thing.
    fn give(&mut self, to: XWindow, property: Atom, target: Atom) -> XResult<bool> {
        let Some(owned) = &self.owned else { return Ok(false) };
        let replace = PropMode::REPLACE;
        if target == self.atoms.TARGETS {
            let own = [self.atoms.TARGETS, self.atoms.MULTIPLE, self.atoms.TIMESTAMP];
            let targets: Vec<Atom> = own.into_iter().chain(owned.formats.iter().map(|f| f.target)).collect();
            self.conn.change_property32(replace, to, property, AtomEnum::ATOM, &targets)?;
            return Ok(true);
        }
        if target == self.atoms.TIMESTAMP {
            self.conn.change_property32(replace, to, property, AtomEnum::INTEGER, &[owned.since])?;
            return Ok(true);
        }
        let Some(format) = owned.formats.iter().find(|f| f.target == target) else { return Ok(false) };
        // `TEXT` asks for whatever we like best.
        let kind = if target == self.atoms.TEXT { self.atoms.UTF8_STRING } else { target };
        if format.bytes.len() <= transfer::chunk(&self.conn) {
            self.conn.change_property8(replace, to, property, kind, &format.bytes)?;
            self.served += 1;
        } else {
            let until = self.clock.now();
            let transfer = Transfer::begin(&self.conn, &self.atoms, to, property, kind, format, until)?;
            self.transfers.push(transfer);
        }
        Ok(true)
    }

    /// `MULTIPLE`: pairs of target and property; what we do not have is struck out.
    fn give_several(&mut self, to: XWindow, property: Atom) -> XResult<bool> {
        let pairs = self.conn.get_property(false, to, property, self.atoms.ATOM_PAIR, 0, 1024)?;
        let mut pairs: Vec<u32> = match pairs.reply().map_err(XError::from) {
            Ok(reply) => reply.value32().map(Iterator::collect).unwrap_or_default(),
            Err(XError::Refused(_)) => return Ok(false),
            Err(lost) => return Err(lost),
        };
        for pair in pairs.chunks_exact_mut(2) {
            let [target, into] = [pair[0], pair[1]];
            if target == self.atoms.MULTIPLE || !self.give(to, into, target)? {
                pair[1] = x11rb::NONE;
            }
        }
        self.conn.change_property32(PropMode::REPLACE, to, property, self.atoms.ATOM_PAIR, &pairs)?;
        Ok(true)
    }

    /// The requestor took a piece: sends the next.
    fn go_on(&mut self, to: XWindow, property: Atom) -> XResult<()> {
        let now = self.clock.now();
        if let Some(transfer) = self.transfers.iter_mut().find(|t| t.is(to, property))
            && transfer.next(&self.conn, now)?
        {
            self.served += 1;
        }
        Ok(())
    }

    /// Asks an owner to convert, and waits for its notice. `None` if it does not answer in time.
    fn ask(
        &mut self,
        selection: Atom,
        target: Atom,
        until: Duration,
    ) -> XResult<Option<SelectionNotifyEvent>> {
        let time = self.server_time()?;
        self.heard.clear();
        let property = self.atoms._HANDSIGHT_CLIPBOARD;
        self.conn.convert_selection(self.window, selection, target, property, time)?;
        let until = until.min(self.clock.now() + ANSWER);
        self.hear(until, |event| match event {
            Event::SelectionNotify(n) if n.selection == selection && n.target == target => Some(*n),
            _ => None,
        })
    }

    /// Waits for an event, serving others meanwhile.
    fn hear<T>(&mut self, until: Duration, wanted: impl Fn(&Event) -> Option<T>) -> XResult<Option<T>> {
        loop {
            while let Some(event) = self.heard.pop_front() {
                if let Some(found) = wanted(&event) {
                    return Ok(Some(found));
                }
            }
            if self.pump()? {
                continue;
            }
            let Some(left) = until.checked_sub(self.clock.now()) else { return Ok(None) };
            super::connection::rest(&self.conn, Some(left.min(ANSWER)), None)?;
        }
    }

    fn convert(&mut self, selection: Atom, target: Atom, until: Duration) -> XResult<Converted> {
        self.conn.delete_property(self.window, self.atoms._HANDSIGHT_CLIPBOARD)?;
        match self.ask(selection, target, until)? {
            None => return Ok(Converted::Silence),
            Some(notify) if notify.property == x11rb::NONE => return Ok(Converted::Refused),
            Some(_) => {}
        }
        let first = self.take_property()?;
        if first.type_ != self.atoms.INCR {
            return Ok(Converted::Answer(Answer { format: first.format, bytes: first.value }));
        }
        // Piece by piece: each appears once the one before it was deleted, the last is empty.
        let mut whole = Answer { format: 8, bytes: Vec::new() };
        loop {
            let property = self.atoms._HANDSIGHT_CLIPBOARD;
            let piece = self.hear(self.clock.now() + ANSWER, |event| match event {
                Event::PropertyNotify(n) if n.atom == property && n.state == Property::NEW_VALUE => Some(()),
                _ => None,
            })?;
            if piece.is_none() {
                return Ok(Converted::Silence);
            }
            let piece = self.take_property()?;
            if piece.value.is_empty() {
                return Ok(Converted::Answer(whole));
            }
            whole.format = piece.format;
            whole.bytes.extend(piece.value);
            if whole.bytes.len() > MOST_BYTES {
                return Ok(Converted::Refused);
            }
        }
    }

    /// Reads and deletes the property that answers come in.
    fn take_property(&self) -> XResult<GetPropertyReply> {
        let property = self.atoms._HANDSIGHT_CLIPBOARD;
        Ok(self.conn.get_property(true, self.window, property, AtomEnum::ANY, 0, u32::MAX / 4)?.reply()?)
    }

    /// The server's clock, which owners are told apart by.
    fn server_time(&mut self) -> XResult<Timestamp> {
        // A property of its own: `heard` may hold news of the other one.
        let stamp: Atom = AtomEnum::WM_NAME.into();
        self.conn.change_property8(PropMode::REPLACE, self.window, stamp, AtomEnum::STRING, &[])?;
        let until = self.clock.now() + ANSWER;
        let time = self.hear(until, |event| match event {
            Event::PropertyNotify(n) if n.atom == stamp => Some(n.time),
            _ => None,
        })?;
        Ok(time.unwrap_or(x11rb::CURRENT_TIME))
    }
}

/// What became of a question to an owner.
enum Converted {
    Answer(Answer),
    /// It has no such format.
    Refused,
    /// It did not answer in time.
    Silence,
}

/// What an owner answered.
struct Answer {
    format: u8,
    bytes: Vec<u8>,
}

impl Answer {
    fn words(&self) -> Vec<u32> {
        self.bytes.chunks_exact(4).map(|w| u32::from_ne_bytes([w[0], w[1], w[2], w[3]])).collect()
    }
}

#[cfg(test)]
mod xvfb_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_a_latin_name_only_if_it_is_latin() {
        let names = |text| text_contents(text).formats.into_iter().map(|(n, _)| n).collect::<Vec<_>>();
        assert!(names("Añ").contains(&"STRING".to_owned()));
        assert!(!names("€😀").contains(&"STRING".to_owned()));
        assert_eq!(text_contents("ñ").formats.last().unwrap().1, [0xf1]);
    }
}
