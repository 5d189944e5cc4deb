//! The person wins: their own keys and mouse end what the hands are doing, and keep them off until the engine has waited.
//!
//! The rule is the supervisor's and not the engine's, so that it holds while the engine hangs. What tells the person's input from
//! ours is the injector's business; here is only what follows from it. Releases are ours to send for what we pressed; what the
//! person presses is never lifted.

use super::{Reply, Supervisor};
use crate::hands::injector::Injector;
use crate::hands::protocol::{Ended, Fault};
use std::time::Duration;

/// Between two reports of a person who goes on.
const REPORTS: Duration = Duration::from_millis(100);
/// Between two looks at what they hold.
const LOOK: Duration = Duration::from_millis(20);
/// A batch waits so long for the keys a person holds to come up; then the screen is theirs.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is known of the person.
#[derive(Debug, Default)]
pub(super) struct Person {
    /// Reports made.
    reports: u64,
    reported: Option<Duration>,
    /// There was more since then.
    more: bool,
    batch: Batch,
}

/// Whether a batch may press its keys among the person's.
#[derive(Debug, Default, Clone, Copy)]
enum Batch {
    /// It begins, and nobody has looked what is held.
    Begins,
    /// They hold something, seen first at this time.
    Waits(Duration),
    #[default]
    Runs,
}

impl Person {
    pub(super) const fn batch_begins(&mut self) {
        self.batch = Batch::Begins;
    }

    /// True while there are reports that the engine has not waited out.
    pub(super) const fn keeps(&self, waited_out: u64) -> bool {
        self.reports > waited_out
    }

    /// When the next report is to be made.
    pub(super) fn due(&self) -> Option<Duration> {
        self.reported.filter(|_| self.more).map(|reported| reported + REPORTS)
    }
}

impl<I: Injector> Supervisor<I> {
    /// The person did something on this screen. Whatever runs or is held ends now; the engine hears of it at once, and then
    /// every [`REPORTS`] while they go on.
    pub(crate) fn person(&mut self, now: Duration) -> Result<(), Fault> {
        if self.closed {
            return Ok(());
        }
        self.person.more = true;
        let busy = self.run.is_some() || self.holds();
        if busy || self.person.due().is_none_or(|due| now >= due) { self.report(now) } else { Ok(()) }
    }

    pub(super) fn tell_of_person(&mut self, now: Duration) -> Result<(), Fault> {
        if self.person.due().is_some_and(|due| now >= due) { self.report(now) } else { Ok(()) }
    }

    fn report(&mut self, now: Duration) -> Result<(), Fault> {
        self.person.reports += 1;
        (self.person.reported, self.person.more) = (Some(now), false);
        // Before the answer to the batch, so that whoever reads that knows why.
        self.replies.push(Reply::Person { report: self.person.reports });
        self.let_go(Ended::Person, now)
    }

    /// Keys and buttons of the person's would mix with those of a batch that begins (their Shift with our letters): it is
    /// looked again at this time. `None` if the batch may run, or is over because they held on.
    pub(super) fn until_person_lets_go(&mut self, now: Duration) -> Result<Option<Duration>, Fault> {
        let since = match self.person.batch {
            Batch::Runs => return Ok(None),
            Batch::Begins => now,
            Batch::Waits(since) => since,
        };
        if !self.input.others_hold(&self.held.codes())? {
            self.person.batch = Batch::Runs;
            return Ok(None);
        }
        if now.saturating_sub(since) >= PATIENCE {
            self.report(now)?;
            return Ok(None);
        }
        self.person.batch = Batch::Waits(since);
        Ok(Some(now + LOOK))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Rig, at, button, done};
    use super::*;
    use crate::hands::injector::{Code, Event};
    use handsight_base::flow::action::Primitive;
    use handsight_base::space::ScreenPx;

    const LEFT: Code = Code::Button(1);

    fn reports(replies: &[Reply]) -> Vec<u64> {
        let report = |r: &Reply| match r {
            Reply::Person { report } => Some(*report),
            _ => None,
        };
        replies.iter().filter_map(report).collect()
    }

    #[test]
    fn a_drag_ends_at_the_persons_first_touch_and_nothing_goes_out_until_they_are_waited_out() {
        let mut rig = Rig::new();
        rig.hands.replies();
        let wait = Primitive::Wait(at(30));
        rig.run(&[button(true), wait, Primitive::Move(ScreenPx::new(9, 9)), button(false)], false, at(0));
        assert_eq!(rig.down(), [LEFT]);
        rig.hands.person(at(10)).unwrap();
        let replies = rig.hands.replies();
        assert!(done(1, Some(Ended::Person))(&replies[1]), "the report goes first: {replies:?}");
        assert_eq!((reports(&replies), rig.down(), rig.on_disk()), (vec![1], Vec::new(), Vec::new()));
        let sent = rig.hands.input.sent.len();
        // The rest of the batch, and a new one of an engine that has not heard yet.
        for _ in 0..2 {
            let replies = rig.run(&[Primitive::Move(ScreenPx::new(1, 1))], true, at(20));
            assert!(done(0, Some(Ended::Person))(&replies[0]), "{replies:?}");
        }
        assert_eq!(rig.hands.input.sent.len(), sent);
        rig.waited_out = 1;
        let replies = rig.run(&[Primitive::Move(ScreenPx::new(1, 1))], true, at(3000));
        assert!(done(1, None)(&replies[0]), "{replies:?}");
    }

    #[test]
    fn a_person_who_goes_on_is_reported_ten_times_a_second_and_to_the_last() {
        let mut rig = Rig::new();
        rig.hands.replies();
        let mut all = Vec::new();
        for millis in (0..1005).step_by(5) {
            rig.hands.person(at(millis)).unwrap();
            all.extend(reports(&rig.at(at(millis))));
        }
        assert_eq!(all, (1..=11).collect::<Vec<_>>());
        rig.hands.person(at(1003)).unwrap();
        assert_eq!(rig.hands.step(at(1004)).unwrap(), Some(at(1100)));
        assert_eq!(reports(&rig.at(at(1100))), [12]);
        assert_eq!(rig.hands.step(at(1101)).unwrap(), None);
    }

    #[test]
    fn a_touch_between_two_batches_lifts_what_is_held() {
        let mut rig = Rig::new();
        rig.run(&[button(true)], true, at(0));
        assert_eq!(rig.down(), [LEFT]);
        rig.hands.person(at(5)).unwrap();
        assert_eq!(rig.down(), []);
        assert_eq!(rig.hands.input.sent.last(), Some(&Event::Release(LEFT)));
    }

    #[test]
    fn a_batch_waits_for_what_the_person_holds_and_is_given_up_if_they_hold_on() {
        for lets_go in [true, false] {
            let mut rig = Rig::new();
            rig.hands.replies();
            rig.hands.input.others = true;
            let replies = rig.run(&[button(true), button(false)], true, at(0));
            assert!(matches!(replies[..], [Reply::Waiting { .. }]), "{replies:?}");
            assert_eq!((rig.hands.step(at(1)).unwrap(), rig.hands.input.sent.len()), (Some(at(21)), 0));
            rig.hands.replies();
            rig.hands.input.others = !lets_go;
            let replies = rig.at(at(1000));
            let (events, ended) = if lets_go { (2, None) } else { (0, Some(Ended::Person)) };
            assert!(done(events, ended)(replies.last().unwrap()), "{replies:?}");
            assert_eq!(reports(&replies).len(), usize::from(!lets_go));
        }
    }

    #[test]
    fn after_the_stop_chord_there_is_nothing_to_tell() {
        let mut rig = Rig::new();
        rig.hands.chord(at(0)).unwrap();
        rig.hands.replies();
        rig.hands.person(at(1)).unwrap();
        assert_eq!(reports(&rig.at(at(200))), [0; 0]);
    }
}
