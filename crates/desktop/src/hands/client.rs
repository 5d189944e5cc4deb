//! The engine's end of the hands.
//!
//! A batch goes out in chunks of at most 50 ms, each answered after the system has taken its events, and a stop is looked
//! for between and within them. The
//! pulse is handed out, not beaten here: a helper thread that beats would hide a turn that hangs.

use super::HandsConfig;
use super::ears::Ears;
use super::injector::Code;
use super::protocol::{Command, Ended, Engine, Fault, Hello, LedgerEntry, Reply, frame};
use super::supervisor::{events_of, notches};
use super::system::{Link, private_folder};
use handsight_base::NOTCH;
use handsight_base::flow::action::{Batch, Primitive};
use handsight_base::gate::Approved;
use handsight_base::lifts::Lifts;
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::{DesktopError, Injected, Pulse};
use handsight_base::presence::Presence;
use handsight_base::stop::Stop;
use std::cell::RefCell;
use std::fmt::Debug;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// The longest wait inside a chunk.
const CHUNK: Duration = Duration::from_millis(50);
/// The most events inside a chunk.
const CHUNK_EVENTS: u32 = 64;
/// How often a waiting call looks for a stop.
const LOOK: Duration = Duration::from_millis(10);
/// For an answer beyond the waits of a chunk; the X server may be busy.
const ANSWER: Duration = Duration::from_secs(2);
/// For the new process to connect and take the display.
const START: Duration = Duration::from_secs(10);
/// For the process to give keycodes back and end.
const LEAVE: Duration = Duration::from_secs(3);

/// The hands of a run. Dropping it releases everything and ends the process.
#[derive(Debug)]
pub struct Hands {
    link: Link,
    pulse: Arc<dyn Beat>,
    replies: Receiver<Reply>,
    chord: Stop,
    /// `None` if the person is not watched for.
    presence: Option<Presence>,
    lifts: Lifts,
    ended: Arc<AtomicBool>,
    clock: RealClock,
    /// Numbers batches, chunks and tickets.
    asked: u64,
    swept: Vec<Code>,
    last_ended: Option<Ended>,
}

trait Beat: Pulse + Debug {}
impl<T: Pulse + Debug> Beat for T {}

impl Hands {
    /// Starts the supervisor and waits until it has the display. [`DesktopError::InUse`] names the engine that has it
    /// already; what an earlier life left pressed is released.
    pub fn spawn(config: HandsConfig) -> Result<Self, DesktopError> {
        let unusable = |why: &io::Error| DesktopError::Unusable {
            why: format!("the input supervisor {:?} could not be started: {why}", config.command),
            remedy: "Check the program, and that the state folder can be written".to_owned(),
        };
        let state_dir = private_folder(&config.state_dir).map_err(|why| unusable(&why))?;
        let mut link = Link::start(&config.command, &config.withheld).map_err(|why| unusable(&why))?;
        let hello = Hello {
            screen: config.screen.clone(),
            state_dir,
            stop_chord: config.stop_chord.clone(),
            max_hold: config.max_hold,
            silence: config.silence,
            person: config.person,
            addressed: config.addressed,
            engine: Engine::this(),
            line: link.address(),
        };
        let chord = Stop::new();
        let pulse = link.pulse().map_err(|why| unusable(&why))?;
        let ended = Arc::new(AtomicBool::new(false));
        let presence = config.person.then(Presence::new);
        let lifts = Lifts::default();
        let ears = Ears { chord: chord.clone(), presence: presence.clone(), lifts: lifts.clone() };
        let replies = link.replies().and_then(|line| ears.listen(line, Arc::clone(&ended)));
        let replies = replies.map_err(|why| unusable(&why))?;
        let clock = RealClock::new();
        let mut hands = Self {
            link,
            pulse: Arc::new(pulse),
            replies,
            chord,
            presence,
            lifts,
            ended,
            clock,
            asked: 0,
            swept: Vec::new(),
            last_ended: None,
        };
        hands.send(&hello)?;
        match hands.replies.recv_timeout(START) {
            Ok(Reply::Ready { swept }) => hands.swept = swept,
            Ok(Reply::Failed { fault, .. }) => return Err(fault.into_error()),
            Ok(other) => {
                return Err(DesktopError::Lost { why: format!("the input supervisor began with {other:?}") });
            }
            Err(RecvTimeoutError::Timeout) => {
                return Err(DesktopError::Deadline { call: "start of the input supervisor", after: START });
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(unusable(&io::Error::other("it ended at once")));
            }
        }
        if !hands.swept.is_empty() {
            tracing::warn!(swept = ?hands.swept, "released what an earlier run had left pressed");
        }
        Ok(hands)
    }

    /// Runs an approved batch. On a stop it ends within 100 ms, everything is released, and `complete` is false; so too if
    /// the pulse stopped while something was down or a person took over ([`Hands::last_ended`] tells which).
    ///
    /// [`DesktopError::Stopped`] if the stop or the person came before the first event; [`DesktopError::FocusMoved`] if a text lost
    /// the window it was begun in, [`DesktopError::Input`] if the system refused an event, both after releasing everything.
    pub fn inject(&mut self, batch: Approved<Batch>, stop: &Stop) -> Result<Injected, DesktopError> {
        self.strike(batch.into_inner().primitives, stop)
    }

    /// [`Hands::inject`] for input that was approved in another form.
    pub(crate) fn strike(
        &mut self,
        primitives: Vec<Primitive>,
        stop: &Stop,
    ) -> Result<Injected, DesktopError> {
        let began = self.clock.now();
        if self.is_stopped(stop) {
            return Err(DesktopError::Stopped);
        }
        let batch = self.number();
        let of = primitives.iter().map(events_of).fold(0, u32::saturating_add);
        let mut events = 0u32;
        let (mut ended, mut moved) = (None, None);
        let mut chunks = chunks(primitives).into_iter().peekable();
        while let Some(chunk) = chunks.next() {
            let (sent, why, away) = self.run(batch, chunk, chunks.peek().is_none(), stop)?;
            events = events.saturating_add(sent);
            moved = moved.or(away);
            if why.is_none() && stop.is_set() && chunks.peek().is_some() {
                self.release_all()?;
                ended = Some(Ended::Asked);
            }
            ended = ended.or(why);
            if ended.is_some() {
                break;
            }
        }
        if let Some(why) = ended {
            tracing::warn!(?why, events, of, "a batch was cut short; everything is released");
            self.last_ended = Some(why);
        }
        if events == 0 && matches!(ended, Some(Ended::Chord | Ended::Person)) {
            return Err(DesktopError::Stopped);
        }
        let injected = Injected { events, of, complete: ended.is_none(), took: self.clock.now() - began };
        match (ended, moved) {
            (Some(Ended::FocusMoved), Some((window, typed))) => {
                Err(DesktopError::FocusMoved { window, typed, injected })
            }
            _ => Ok(injected),
        }
    }

    /// Releases everything the hands hold.
    pub fn release_all(&mut self) -> Result<(), DesktopError> {
        let ticket = self.number();
        self.ask(&Command::Release { ticket })?;
        self.answer("release_all", ANSWER, None, |reply| match reply {
            Reply::Released { ticket: t } if t == ticket => Heard::Answer(()),
            other => Heard::Other(other),
        })
    }

    /// What the turn's runtime beats every [`HEARTBEAT`](super::HEARTBEAT).
    pub fn pulse(&self) -> Arc<dyn Pulse> {
        self.pulse.clone()
    }

    /// Set when the person presses the stop chord; the hands take no more input then.
    pub fn chord_stop(&self) -> Stop {
        self.chord.clone()
    }

    /// The word that a person uses the screen themselves; `None` if they are not watched for or cannot be told from us.
    pub fn presence(&self) -> Option<Presence> {
        self.presence.clone()
    }

    /// What is told when something was released that no batch released.
    pub fn lifts(&self) -> Lifts {
        self.lifts.clone()
    }

    /// What the start found pressed by an earlier life and released.
    pub fn swept(&self) -> &[Code] {
        &self.swept
    }

    /// Why the last incomplete batch ended.
    pub const fn last_ended(&self) -> Option<Ended> {
        self.last_ended
    }

    /// The supervisor's process.
    pub fn pid(&self) -> u32 {
        self.link.pid()
    }

    /// True once the supervisor has ended: nothing can be injected any more, and nothing is held. Spawn new hands.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// The injected events from number `from` on, as far as they are remembered (4096).
    pub fn ledger(&mut self, from: u64) -> Result<Vec<LedgerEntry>, DesktopError> {
        self.ask(&Command::Ledger { from })?;
        self.answer("ledger", ANSWER, None, |reply| match reply {
            Reply::Ledger(entries) => Heard::Answer(entries),
            other => Heard::Other(other),
        })
    }

    /// Sends one chunk and waits for its end: the events sent, what cut it short, and where the focus left.
    fn run(
        &mut self,
        batch: u64,
        primitives: Vec<Primitive>,
        last: bool,
        stop: &Stop,
    ) -> Result<(u32, Option<Ended>, Option<Moved>), DesktopError> {
        let chunk = self.number();
        let patience = ANSWER + waits(&primitives);
        let waited_out = self.presence.as_ref().map_or(0, Presence::waited_out);
        self.ask(&Command::Run { batch, chunk, primitives, last, waited_out })?;
        let moved = RefCell::new(None);
        let (events, ended) = self.answer("inject", patience, Some(stop), |reply| match reply {
            Reply::FocusMoved { chunk: c, window, typed } if c == chunk => {
                moved.replace(Some((window, typed)));
                Heard::Patience
            }
            Reply::Done { chunk: c, events, ended } if c == chunk => Heard::Answer((events, ended)),
            Reply::Waiting { chunk: c } if c == chunk => Heard::Patience,
            Reply::Failed { chunk: Some(c), fault } if c == chunk => Heard::Refusal(fault),
            other => Heard::Other(other),
        })?;
        Ok((events, ended, moved.into_inner()))
    }

    /// Waits for the answer that `hear` is after. A stop meanwhile asks for a release once; the answer still comes.
    pub(super) fn answer<T>(
        &mut self,
        call: &'static str,
        patience: Duration,
        stop: Option<&Stop>,
        hear: impl Fn(Reply) -> Heard<T>,
    ) -> Result<T, DesktopError> {
        let mut until = self.clock.now() + patience;
        let mut stopping = false;
        loop {
            match self.replies.recv_timeout(LOOK) {
                Ok(reply) => match hear(reply) {
                    Heard::Answer(answer) => return Ok(answer),
                    Heard::Patience => until = until.max(self.clock.now() + ANSWER),
                    Heard::Refusal(fault) | Heard::Other(Reply::Failed { chunk: None, fault }) => {
                        return Err(fault.into_error());
                    }
                    // An answer to a call that was given up.
                    Heard::Other(_) => {}
                },
                Err(RecvTimeoutError::Timeout) => {
                    if !stopping && stop.is_some_and(Stop::is_set) {
                        stopping = true;
                        let ticket = self.number();
                        self.send(&Command::Release { ticket })?;
                    }
                    if self.clock.now() >= until {
                        let ticket = self.number();
                        self.send(&Command::Release { ticket })?;
                        return Err(DesktopError::Deadline { call, after: patience });
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Err(ended()),
            }
        }
    }

    pub(super) fn is_stopped(&self, stop: &Stop) -> bool {
        stop.is_set() || self.chord.is_set() || self.presence.as_ref().is_some_and(Presence::is_on)
    }

    pub(super) fn number(&mut self) -> u64 {
        self.asked += 1;
        self.asked
    }

    pub(super) fn send(&mut self, message: &impl serde::Serialize) -> Result<(), DesktopError> {
        let lost =
            |why: io::Error| DesktopError::Lost { why: format!("the input supervisor takes nothing: {why}") };
        let bytes = frame(message).map_err(lost)?;
        self.link.send(&bytes).map_err(|why| match why.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => {
                self.last_words().unwrap_or_else(ended)
            }
            _ => lost(why),
        })
    }

    /// Sends a question. Answers to those that were given up must not keep its own out of the queue.
    fn ask(&mut self, question: &Command) -> Result<(), DesktopError> {
        match self.last_words() {
            Some(error) => Err(error),
            None => self.send(question),
        }
    }

    /// Empties the queue; what the supervisor said about its own end, if it did.
    fn last_words(&self) -> Option<DesktopError> {
        self.replies.try_iter().find_map(|reply| match reply {
            Reply::Failed { chunk: None, fault } => Some(fault.into_error()),
            _ => None,
        })
    }
}

impl Drop for Hands {
    fn drop(&mut self) {
        // The end of the pipe is the end of the engine, as far as the supervisor is concerned.
        self.link.close();
        let until = self.clock.now() + LEAVE;
        while self.clock.now() < until {
            match self.replies.recv_timeout(LOOK) {
                Err(RecvTimeoutError::Disconnected) => {
                    self.link.reap();
                    return;
                }
                Ok(Reply::Stays) => return,
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            }
        }
        tracing::warn!("the input supervisor takes its time to end");
    }
}

/// The window that a text was begun in, and how many characters it got.
type Moved = (String, u32);

pub(super) enum Heard<T> {
    Answer(T),
    /// No answer yet, but work goes on.
    Patience,
    Refusal(Fault),
    Other(Reply),
}

fn ended() -> DesktopError {
    DesktopError::Lost { why: "the input supervisor has ended".to_owned() }
}

fn waits(primitives: &[Primitive]) -> Duration {
    primitives.iter().map(wait_of).sum()
}

fn wait_of(primitive: &Primitive) -> Duration {
    match primitive {
        Primitive::Wait(d) => *d,
        Primitive::Move(_)
        | Primitive::Button { .. }
        | Primitive::Key { .. }
        | Primitive::Char(_)
        | Primitive::Wheel { .. } => Duration::ZERO,
    }
}

/// Splits a batch so that no chunk waits longer than [`CHUNK`] or has more than [`CHUNK_EVENTS`] events.
fn chunks(primitives: Vec<Primitive>) -> Vec<Vec<Primitive>> {
    let mut chunks = Vec::new();
    let mut chunk = Vec::new();
    let (mut wait, mut events) = (Duration::ZERO, 0);
    for primitive in primitives.into_iter().flat_map(pieces) {
        let full = wait + wait_of(&primitive) > CHUNK || events + events_of(&primitive) > CHUNK_EVENTS;
        if full && !chunk.is_empty() {
            chunks.push(std::mem::take(&mut chunk));
            (wait, events) = (Duration::ZERO, 0);
        }
        wait += wait_of(&primitive);
        events += events_of(&primitive);
        chunk.push(primitive);
    }
    if !chunk.is_empty() {
        chunks.push(chunk);
    }
    chunks
}

/// A long wait or turn of the wheel in pieces that fit a chunk.
fn pieces(primitive: Primitive) -> Box<dyn Iterator<Item = Primitive>> {
    match primitive {
        Primitive::Wait(d) if d > CHUNK => {
            let whole = (d.as_nanos() / CHUNK.as_nanos()) as usize;
            let rest = Some(d - CHUNK * whole as u32).filter(|rest| !rest.is_zero());
            Box::new(std::iter::repeat_n(CHUNK, whole).chain(rest).map(Primitive::Wait))
        }
        Primitive::Wheel { axis, mut units } if notches(units) > CHUNK_EVENTS => {
            let full = units.signum() * CHUNK_EVENTS as i32 * NOTCH;
            Box::new(std::iter::from_fn(move || {
                let piece = if notches(units) > CHUNK_EVENTS { full } else { units };
                units -= piece;
                (piece != 0).then_some(Primitive::Wheel { axis, units: piece })
            }))
        }
        other => Box::new(std::iter::once(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::flow::action::Axis;

    #[test]
    fn no_chunk_is_longer_than_it_may_be_and_nothing_is_lost() {
        let long = Duration::from_millis(1234);
        let mut batch =
            vec![Primitive::Wait(long), Primitive::Wheel { axis: Axis::Vertical, units: -200 * NOTCH }];
        // Single units survive the cut, and the rest is no notch of its own.
        batch.push(Primitive::Wheel { axis: Axis::Horizontal, units: 128 * NOTCH + 31 });
        batch.extend(std::iter::repeat_n(Primitive::Char('x'), 100));
        batch.extend([Primitive::Wait(Duration::from_millis(30)); 3]);
        let events: u32 = batch.iter().map(events_of).sum();
        let waited = waits(&batch);
        let chunks = chunks(batch);
        for chunk in &chunks {
            assert!(waits(chunk) <= CHUNK, "{chunk:?}");
            assert!(chunk.iter().map(events_of).sum::<u32>() <= CHUNK_EVENTS, "{chunk:?}");
        }
        let all: Vec<Primitive> = chunks.into_iter().flatten().collect();
        assert_eq!((all.iter().map(events_of).sum::<u32>(), waits(&all)), (events, waited));
        let down = |p: &Primitive| matches!(p, Primitive::Wheel { units, .. } if *units < 0);
        assert_eq!(all.iter().filter(|p| down(p)).map(events_of).sum::<u32>(), 200);
        let across = all.iter().filter_map(|p| match p {
            Primitive::Wheel { axis: Axis::Horizontal, units } => Some(*units),
            _ => None,
        });
        assert_eq!(across.collect::<Vec<_>>(), [64 * NOTCH, 64 * NOTCH + 31]);
    }

    #[test]
    fn an_empty_batch_has_no_chunk() {
        assert!(chunks(Vec::new()).is_empty());
    }
}
