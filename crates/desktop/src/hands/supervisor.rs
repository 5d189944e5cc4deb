//! The mind of the hands: what to press when, what is held, and when to let go of everything.
//!
//! A plain state machine: commands, pulses, the chord and the time go in, events and replies come out. It knows no
//! system, no pipe and no clock, so every rule about letting go is tested here with a fake injector and made-up time.
//!
//! It lets go of everything when the engine ends, asks for it, gives no sign of life for [`Limits::silence`] while
//! something is down, when the person presses the stop chord or uses the screen themselves (`supervisor/person.rs`), when a text
//! loses the window it was begun in (`supervisor/addressee.rs`), and when the system refuses an event. A batch counts as
//! holding from its first press to its end, so that a turn that deadlocks does not type on. A batch that was let go of stays
//! let go of: its chunks that are still to come are refused, also if it happened between two of them.

use super::held::Held;
use super::injector::{Code, Event, Injector, Purpose, Resolved, Stroke};
use super::protocol::{Command, Ended, Fault, LedgerEntry, Reply};
use addressee::Addressee;
use handsight_base::flow::action::{Button, Primitive};
use handsight_base::key::Key;
use person::Person;
use std::collections::VecDeque;
use std::time::Duration;

mod addressee;
mod count;
mod person;

pub(crate) use count::{events_of, notches};

/// How long what may last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Without a sign of life from the engine while something is down.
    pub silence: Duration,
    /// A press without its release.
    pub max_hold: Duration,
}

/// Injected events that are remembered; an hour of brisk work.
const LEDGER: usize = 4096;
/// Until cleaning up is tried again.
const AGAIN: Duration = Duration::from_secs(10);
/// So many characters ahead are looked at when a keycode has to be borrowed.
const AHEAD: usize = 64;

/// Something of the engine's that is down: a key or a button by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Finger {
    Key(Key),
    Button(Button),
}

/// The chunk that is being worked off.
#[derive(Debug)]
struct Run {
    chunk: u64,
    events: u32,
    last: bool,
}

/// What became of one primitive.
enum Step {
    /// So many of the events it asked for were sent.
    Sent(u32),
    /// Not before this time.
    Later(Duration),
    /// It ended the batch.
    Over,
}

pub(crate) struct Supervisor<I> {
    pub(crate) input: I,
    held: Held,
    limits: Limits,
    /// What the engine pressed by name, and the codes that took.
    fingers: Vec<(Finger, Vec<Code>)>,
    queue: VecDeque<Primitive>,
    run: Option<Run>,
    /// The batch of the latest chunk, and why it was let go of.
    batch: u64,
    cut: Option<Ended>,
    /// The next primitive is not due before.
    due: Duration,
    /// The next primitive needs a keycode that programs have to let go of first, by this time at the latest.
    catching_up: Option<Duration>,
    /// The last sign of life.
    heard: Duration,
    /// The batch has pressed something and is not over.
    batch_holds: bool,
    /// The injector was told that a batch began.
    begun: bool,
    begun_chunk: bool,
    /// The stop chord came: no more input.
    closed: bool,
    person: Person,
    addressee: Addressee,
    ledger: VecDeque<LedgerEntry>,
    injected: u64,
    replies: Vec<Reply>,
}

impl<I: Injector> Supervisor<I> {
    /// Takes over from an earlier life: of what its file names (`left`), whatever is still down is released.
    pub(crate) fn new(input: I, held: Held, left: &[Code], limits: Limits) -> Result<Self, Fault> {
        let mut supervisor = Self {
            input,
            held,
            limits,
            fingers: Vec::new(),
            queue: VecDeque::new(),
            run: None,
            batch: 0,
            cut: None,
            due: Duration::ZERO,
            catching_up: None,
            heard: Duration::ZERO,
            batch_holds: false,
            begun: false,
            begun_chunk: false,
            closed: false,
            person: Person::default(),
            addressee: Addressee::default(),
            ledger: VecDeque::new(),
            injected: 0,
            replies: Vec::new(),
        };
        let swept = supervisor.input.down(left)?;
        for code in &swept {
            supervisor.send(Event::Release(*code), Duration::ZERO)?;
        }
        supervisor.input.sync()?;
        supervisor.settle()?;
        supervisor.replies.push(Reply::Ready { swept });
        Ok(supervisor)
    }

    /// What is to be told to the engine, in order.
    pub(crate) fn replies(&mut self) -> Vec<Reply> {
        std::mem::take(&mut self.replies)
    }

    pub(crate) fn command(&mut self, command: Command, now: Duration) -> Result<(), Fault> {
        match command {
            Command::Run { chunk, .. } if self.closed => {
                self.replies.push(Reply::Done { chunk, events: 0, ended: Some(Ended::Chord) });
            }
            Command::Run { batch, chunk, primitives, last, waited_out } => {
                if self.run.is_some() {
                    // The engine gave up waiting for the chunk before.
                    self.let_go(Ended::Asked, now)?;
                }
                if self.batch != batch {
                    (self.batch, self.cut) = (batch, None);
                    self.person.batch_begins();
                    self.addressee = Addressee::default();
                }
                if self.person.keeps(waited_out) {
                    self.cut = Some(Ended::Person);
                }
                if self.cut.is_some() {
                    self.replies.push(Reply::Done { chunk, events: 0, ended: self.cut });
                    return Ok(());
                }
                self.run = Some(Run { chunk, events: 0, last });
                self.queue = primitives.into();
                self.begun_chunk = false;
                self.due = now;
            }
            Command::Release { ticket } => {
                self.let_go(Ended::Asked, now)?;
                self.replies.push(Reply::Released { ticket });
            }
            Command::Ledger { from } => {
                let entries = self.ledger.iter().filter(|e| e.number >= from).copied().collect();
                self.replies.push(Reply::Ledger(entries));
            }
            // Not input: the process passes it on to the keeper.
            Command::Clipboard { .. } => {}
        }
        Ok(())
    }

    /// A sign of life of the engine's turn.
    pub(crate) fn beat(&mut self, now: Duration) {
        self.heard = now;
    }

    /// The person pressed the stop chord.
    pub(crate) fn chord(&mut self, now: Duration) -> Result<(), Fault> {
        self.closed = true;
        let let_go = self.let_go(Ended::Chord, now);
        self.replies.push(Reply::Chord);
        let_go
    }

    /// Does what is due and returns when there is more to do, if nothing comes in before.
    pub(crate) fn step(&mut self, now: Duration) -> Result<Option<Duration>, Fault> {
        self.tell_of_person(now)?;
        if self.holds() && now.saturating_sub(self.heard) >= self.limits.silence {
            self.let_go(Ended::Silence, now)?;
        }
        self.lift_old(now)?;
        let held_before = self.holds();
        let worked = self.work(now);
        if self.holds() && !held_before {
            self.heard = self.heard.max(now);
        }
        match worked {
            Ok(()) => {}
            Err(lost @ (Fault::Lost { .. } | Fault::Superseded)) => return Err(lost),
            Err(fault) => {
                let chunk = self.run.take().map(|run| run.chunk);
                self.held.suspect(now);
                self.let_go(Ended::Failed, now)?;
                self.replies.push(Reply::Failed { chunk, fault });
            }
        }
        let tidy = if self.run.is_none() { self.tidy(now)? } else { None };
        Ok([
            self.run.is_some().then(|| self.catching_up.unwrap_or(self.due)),
            self.holds().then_some(self.heard + self.limits.silence),
            self.held.oldest().map(|since| since + self.limits.max_hold),
            self.person.due(),
            tidy,
        ]
        .into_iter()
        .flatten()
        .min())
    }

    /// Lets the injector clean up; what it cannot give back now, it can later.
    fn tidy(&mut self, now: Duration) -> Result<Option<Duration>, Fault> {
        match self.input.tidy(now, false) {
            Err(Fault::Refused { .. } | Fault::NoKey { .. }) => Ok(Some(now + AGAIN)),
            other => other,
        }
    }

    /// True while the engine has to show that it lives.
    fn holds(&self) -> bool {
        !self.held.is_empty() || self.batch_holds
    }

    /// Works off the queue as far as it is due.
    fn work(&mut self, now: Duration) -> Result<(), Fault> {
        let Some(run) = &self.run else { return Ok(()) };
        let (chunk, last) = (run.chunk, run.last);
        self.catching_up = self.until_person_lets_go(now)?;
        if self.catching_up.is_some() {
            self.replies.push(Reply::Waiting { chunk });
        }
        if self.catching_up.is_some() || self.run.is_none() {
            return Ok(());
        }
        while let Some(next) = self.queue.front().copied() {
            if now < self.due {
                // What was sent so far should be seen while we wait.
                return self.input.sync();
            }
            match self.primitive(next, now)? {
                Step::Later(due) => {
                    self.catching_up = Some(due);
                    self.replies.push(Reply::Waiting { chunk });
                    return self.input.sync();
                }
                Step::Over => return Ok(()),
                Step::Sent(events) => {
                    self.queue.pop_front();
                    if let Some(run) = &mut self.run {
                        run.events += events;
                    }
                }
            }
        }
        if now < self.due {
            return self.input.sync();
        }
        if last {
            self.end_batch()?;
        }
        self.input.sync()?;
        self.settle()?;
        if let Some(run) = self.run.take() {
            self.replies.push(Reply::Done { chunk: run.chunk, events: run.events, ended: None });
        }
        Ok(())
    }

    fn primitive(&mut self, primitive: Primitive, now: Duration) -> Result<Step, Fault> {
        self.end_text_before(primitive);
        Ok(match primitive {
            Primitive::Move(to) => {
                self.send(Event::Move(to), now)?;
                Step::Sent(1)
            }
            Primitive::Button { button, down } => {
                let finger = Finger::Button(button);
                if !down {
                    self.up(finger, now)?;
                } else if !self.is_down(finger) {
                    let code = self.input.button(button)?;
                    self.down(finger, vec![code], now)?;
                }
                Step::Sent(1)
            }
            Primitive::Key { key, down } => {
                let finger = Finger::Key(key);
                if !down {
                    self.up(finger, now)?;
                } else if !self.is_down(finger) {
                    match self.resolve(key, Purpose::Chord, now)? {
                        Resolved::NotBefore(due) => return Ok(Step::Later(due)),
                        Resolved::Now(stroke) => {
                            let codes = codes(&stroke);
                            let press = |hands: &mut Self| hands.down(finger, codes.clone(), now);
                            return self.chord_key(key, &codes, now, press);
                        }
                        Resolved::Character => return Err(Fault::NoKey { key: key.to_string() }),
                    }
                }
                Step::Sent(1)
            }
            Primitive::Char(c) => match self.resolve(Key::Char(c), Purpose::Text, now)? {
                Resolved::NotBefore(due) => Step::Later(due),
                Resolved::Now(stroke) => {
                    let codes = codes(&stroke);
                    self.character(&codes, now, |hands| {
                        hands.press(&codes, now)?;
                        hands.release(&codes, now)
                    })?
                }
                Resolved::Character => {
                    self.batch_holds = true;
                    self.character(&[], now, |hands| hands.send(Event::Character(c), now))?
                }
            },
            Primitive::Wheel { axis, units } => {
                let notches = notches(units);
                if !self.input.takes_units() {
                    for _ in 0..notches {
                        self.send(Event::Notch { axis, positive: units > 0 }, now)?;
                    }
                } else if units != 0 {
                    self.send(Event::Wheel { axis, units }, now)?;
                }
                Step::Sent(notches)
            }
            Primitive::Wait(d) => {
                self.due = now + d;
                Step::Sent(0)
            }
        })
    }

    fn resolve(&mut self, key: Key, purpose: Purpose, now: Duration) -> Result<Resolved, Fault> {
        if !self.begun_chunk {
            self.input.begin()?;
            (self.begun, self.begun_chunk) = (true, true);
        }
        let ahead = self.queue.iter().skip(1).take(AHEAD).filter_map(|p| match p {
            Primitive::Char(c) => Some(*c),
            Primitive::Move(_)
            | Primitive::Button { .. }
            | Primitive::Key { .. }
            | Primitive::Wheel { .. }
            | Primitive::Wait(_) => None,
        });
        let ahead: Vec<char> = ahead.collect();
        self.input.resolve(key, purpose, &ahead, now)
    }

    fn is_down(&self, finger: Finger) -> bool {
        self.fingers.iter().any(|(f, _)| *f == finger)
    }

    fn down(&mut self, finger: Finger, codes: Vec<Code>, now: Duration) -> Result<(), Fault> {
        self.press(&codes, now)?;
        self.fingers.push((finger, codes));
        Ok(())
    }

    /// Lifts a finger. One that is not down any more was lifted for the engine, which was told.
    fn up(&mut self, finger: Finger, now: Duration) -> Result<(), Fault> {
        if let Some(index) = self.fingers.iter().position(|(f, _)| *f == finger) {
            let (_, codes) = self.fingers.remove(index);
            self.release(&codes, now)?;
        }
        Ok(())
    }

    fn press(&mut self, codes: &[Code], now: Duration) -> Result<(), Fault> {
        self.batch_holds = true;
        for code in codes {
            if self.held.press(*code, now).map_err(|why| unwritten(&why))? {
                self.send(Event::Press(*code), now)?;
            }
        }
        Ok(())
    }

    fn release(&mut self, codes: &[Code], now: Duration) -> Result<(), Fault> {
        for code in codes.iter().rev() {
            if self.held.release(*code) {
                self.send(Event::Release(*code), now)?;
            }
        }
        Ok(())
    }

    fn send(&mut self, event: Event, now: Duration) -> Result<(), Fault> {
        self.input.send(event, now)?;
        if self.ledger.len() == LEDGER {
            self.ledger.pop_front();
        }
        self.ledger.push_back(LedgerEntry { number: self.injected, at: now, event });
        self.injected += 1;
        Ok(())
    }

    fn settle(&mut self) -> Result<(), Fault> {
        self.held.settle().map_err(|why| unwritten(&why))
    }

    fn end_batch(&mut self) -> Result<(), Fault> {
        self.batch_holds = false;
        if std::mem::take(&mut self.begun) { self.input.end() } else { Ok(()) }
    }

    /// Forgets what is queued and releases everything, the last pressed first.
    pub(crate) fn let_go(&mut self, ended: Ended, now: Duration) -> Result<(), Fault> {
        self.cut = Some(ended);
        self.queue.clear();
        self.fingers.clear();
        let codes = self.held.codes();
        let mut refused = None;
        for code in &codes {
            match self.send(Event::Release(*code), now) {
                Ok(()) => {}
                // The file keeps naming what could not be released.
                Err(lost @ Fault::Lost { .. }) => return Err(lost),
                // One that is refused must not keep the others down.
                Err(fault) => refused = Some(fault),
            }
        }
        for code in &codes {
            self.held.lift(*code);
        }
        let ended_batch = self.end_batch();
        self.input.sync()?;
        self.settle()?;
        if let Some(run) = self.run.take() {
            self.replies.push(Reply::Done { chunk: run.chunk, events: run.events, ended: Some(ended) });
        } else if !codes.is_empty() && ended != Ended::Failed {
            self.replies.push(Reply::Lifted { codes, ended });
        }
        match refused {
            Some(fault) => Err(fault),
            None => ended_batch,
        }
    }

    /// Releases what is down for too long; the rest of a batch goes on.
    fn lift_old(&mut self, now: Duration) -> Result<(), Fault> {
        let old = self.held.older_than(self.limits.max_hold, now);
        if old.is_empty() {
            return Ok(());
        }
        let (gone, kept) = std::mem::take(&mut self.fingers)
            .into_iter()
            .partition(|(_, codes)| codes.iter().any(|c| old.contains(c)));
        self.fingers = kept;
        let gone: Vec<(Finger, Vec<Code>)> = gone;
        for (_, codes) in gone {
            self.release(&codes, now)?;
        }
        for code in &old {
            if self.held.lift(*code) {
                self.send(Event::Release(*code), now)?;
            }
        }
        self.input.sync()?;
        self.settle()?;
        self.replies.push(Reply::Lifted { codes: old, ended: Ended::HeldTooLong });
        Ok(())
    }
}

fn codes(stroke: &Stroke) -> Vec<Code> {
    stroke.around.iter().chain([&stroke.key]).map(|code| Code::Key(*code)).collect()
}

fn unwritten(why: &std::io::Error) -> Fault {
    Fault::Refused {
        why: format!(
            "the file that lists pressed keys cannot be written ({why}), so nothing may be pressed; make room in the state folder"
        ),
        code: why.raw_os_error().map(i64::from),
    }
}

#[cfg(test)]
mod tests;
