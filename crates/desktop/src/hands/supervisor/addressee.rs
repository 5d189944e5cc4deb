//! A text goes to the window it was begun in, or it ends.
//!
//! The window that has the focus at the first character of a text is its addressee. Before each further one the focus has to be
//! there still, or the rest would go to whatever has it now: the window may have closed, and what lies below it, a dialog with
//! "delete" under Enter, gets its keys. The key that follows a text (Enter, Tab) is meant for the same window and ends the text:
//! keys like it may move the focus, so what is typed after them begins anew with whatever has the focus then. So does what is
//! typed after a move, a click or a turn of the wheel.
//!
//! It refuses to guess: where nobody says what has the focus, a text goes where it goes.

use super::{Code, Ended, Fault, Reply, Step, Supervisor, unwritten};
use crate::hands::injector::{Focus, Injector, NOBODY};
use handsight_base::flow::action::Primitive;
use handsight_base::key::Key;
use std::time::Duration;

/// The focus may be elsewhere for so long: a menu opens, a window manager hands it over.
const PATIENCE: Duration = Duration::from_millis(100);
/// The system may take so long to say where it is: another program holds the server, or the machine is busy.
const SILENCE: Duration = Duration::from_secs(2);
/// Between two looks at it.
const LOOK: Duration = Duration::from_millis(5);

/// Whom the characters are meant for.
#[derive(Debug, Default)]
pub(super) struct Addressee {
    window: Option<u64>,
    /// What it is called.
    name: String,
    /// Characters it got.
    typed: u32,
    /// Since when it has not had the focus, or nobody has said.
    away: Option<Duration>,
}

impl<I: Injector> Supervisor<I> {
    /// What else the hands do may move the focus: a text that follows is another one.
    pub(super) fn end_text_before(&mut self, primitive: Primitive) {
        match primitive {
            Primitive::Char(_) | Primitive::Key { .. } | Primitive::Wait(_) => {}
            Primitive::Move(_) | Primitive::Button { .. } | Primitive::Wheel { .. } => {
                self.addressee = Addressee::default();
            }
        }
    }

    /// Types one character: `send` presses `codes` and lets go of them.
    pub(super) fn character(
        &mut self,
        codes: &[Code],
        now: Duration,
        send: impl FnOnce(&mut Self) -> Result<(), Fault>,
    ) -> Result<Step, Fault> {
        let sent = self.addressed(codes, now, send)?;
        if let Step::Sent(_) = sent {
            self.addressee.typed += 1;
            return Ok(Step::Sent(2));
        }
        Ok(sent)
    }

    /// Presses a key of a chord: `send` presses `codes`. Only one that follows a text has an addressee.
    pub(super) fn chord_key(
        &mut self,
        key: Key,
        codes: &[Code],
        now: Duration,
        send: impl FnOnce(&mut Self) -> Result<(), Fault>,
    ) -> Result<Step, Fault> {
        if self.addressee.window.is_none() {
            send(self)?;
            return Ok(Step::Sent(1));
        }
        let sent = self.addressed(codes, now, send)?;
        // Shift moves nothing by itself; the key it is held for does.
        let modifier = matches!(key, Key::Named(named) if named.is_modifier());
        if let (Step::Sent(_), false) = (&sent, modifier) {
            self.addressee = Addressee::default();
        }
        Ok(sent)
    }

    /// Sends while the focus is held on the addressee; later, or never, if it is not there.
    fn addressed(
        &mut self,
        codes: &[Code],
        now: Duration,
        send: impl FnOnce(&mut Self) -> Result<(), Fault>,
    ) -> Result<Step, Fault> {
        // Nobody should have to wait for a disk while the focus is held.
        self.held.announce(codes).map_err(|why| unwritten(&why))?;
        let meant = self.addressee.window;
        let focus = self.input.pin_focus(meant)?;
        let away = self.addressee.away.map_or(Duration::ZERO, |since| now.saturating_sub(since));
        let there = match (focus, meant) {
            (Focus::Untold, _) => true,
            (Focus::Silent, _) => false,
            (Focus::On(window), Some(meant)) => window == meant,
            // Nobody hears it; that is no reason to keep it from nobody, once it is sure.
            (Focus::On(NOBODY), None) => away >= PATIENCE,
            (Focus::On(_), None) => true,
        };
        if !there {
            self.input.unpin_focus()?;
            return self.wait_for_addressee(focus, away, now);
        }
        self.addressee.away = None;
        let sent = self.begin_text(focus).and_then(|()| send(self));
        // The focus is let go of whatever became of it.
        let unpinned = self.input.unpin_focus();
        sent.and(unpinned).map(|()| Step::Sent(1))
    }

    /// Takes note of the window of a text that has none, while it is sure to be there.
    fn begin_text(&mut self, focus: Focus) -> Result<(), Fault> {
        if let (Focus::On(window), None) = (focus, self.addressee.window) {
            self.addressee.name = self.input.name_of(window)?;
            self.addressee.window = Some(window);
        }
        Ok(())
    }

    fn wait_for_addressee(&mut self, focus: Focus, away: Duration, now: Duration) -> Result<Step, Fault> {
        self.addressee.away.get_or_insert(now);
        let patience = if focus == Focus::Silent { SILENCE } else { PATIENCE };
        if away < patience {
            return Ok(Step::Later(now + LOOK));
        }
        let Addressee { name, typed, .. } = std::mem::take(&mut self.addressee);
        let chunk = self.run.as_ref().map_or(0, |run| run.chunk);
        // Before the answer to the batch, so that whoever reads that knows why.
        self.replies.push(Reply::FocusMoved { chunk, window: name, typed });
        self.let_go(Ended::FocusMoved, now)?;
        Ok(Step::Over)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Rig, at, done};
    use super::*;
    use crate::hands::injector::Event;
    use handsight_base::flow::action::Button;
    use handsight_base::key::Named;
    use handsight_base::space::ScreenPx;

    const NOTE: u64 = 7;
    const DECOY: u64 = 8;

    fn rig() -> Rig {
        let mut rig = Rig::new();
        rig.hands.replies();
        rig.hands.input.focus = Focus::On(NOTE);
        rig
    }

    fn chars(text: &str) -> Vec<Primitive> {
        text.chars().map(Primitive::Char).collect()
    }

    fn enter(down: bool) -> Primitive {
        Primitive::Key { key: Key::Named(Named::Enter), down }
    }

    fn sent(rig: &Rig) -> usize {
        rig.hands.input.sent.len()
    }

    /// Hands in, with a beat whenever it has something to wait for, and says how it ended.
    fn until_over(rig: &mut Rig, primitives: &[Primitive], from: u64) -> Vec<Reply> {
        let mut replies = rig.run(primitives, true, at(from));
        for millis in from..from + 3000 {
            rig.hands.beat(at(millis));
            replies.extend(rig.at(at(millis)));
        }
        replies.retain(|reply| !matches!(reply, Reply::Waiting { .. }));
        replies
    }

    #[test]
    fn the_rest_of_a_text_is_not_typed_where_the_focus_went() {
        let mut rig = rig();
        rig.run(&chars("abc"), false, at(0));
        rig.hands.input.focus = Focus::On(DECOY);
        let before = sent(&rig);
        let waits = rig.run(&chars("def"), false, at(10));
        assert!(matches!(waits[..], [Reply::Waiting { .. }]), "{waits:?}");
        assert_eq!(rig.hands.step(at(60)).unwrap(), Some(at(65)), "it looks again soon");
        rig.hands.replies();
        let replies = rig.at(at(110));
        let told = Reply::FocusMoved { chunk: 2, window: "window 7".into(), typed: 3 };
        assert_eq!(replies.first(), Some(&told), "{replies:?}");
        assert!(done(0, Some(Ended::FocusMoved))(&replies[1]), "{replies:?}");
        // The rest of the batch stays cut; another text goes to its own window.
        assert!(done(0, Some(Ended::FocusMoved))(&rig.run(&chars("ghi"), true, at(120))[0]));
        assert_eq!((sent(&rig), rig.down(), rig.on_disk()), (before, Vec::new(), Vec::new()));
        assert!(done(2, None)(&rig.run(&chars("x"), true, at(200))[0]));
    }

    #[test]
    fn what_is_held_is_let_go_of_when_the_focus_moves() {
        let mut rig = rig();
        let down = Primitive::Button { button: Button::Left, down: true };
        rig.run(&[down, Primitive::Char('a')], false, at(0));
        rig.hands.input.focus = Focus::On(DECOY);
        let replies = until_over(&mut rig, &chars("b"), 10);
        assert!(done(0, Some(Ended::FocusMoved))(replies.last().unwrap()), "{replies:?}");
        assert_eq!((rig.down(), rig.on_disk()), (Vec::new(), Vec::new()));
    }

    #[test]
    fn a_focus_that_comes_back_in_time_loses_nothing() {
        for away in [Focus::On(DECOY), Focus::On(NOBODY), Focus::Silent] {
            let mut rig = rig();
            rig.run(&chars("ab"), false, at(0));
            rig.hands.input.focus = away;
            rig.run(&chars("cd"), true, at(10));
            rig.at(at(99));
            assert_eq!(sent(&rig), 4);
            rig.hands.input.focus = Focus::On(NOTE);
            assert!(done(4, None)(&rig.at(at(105))[0]));
            assert_eq!(sent(&rig), 8);
        }
    }

    #[test]
    fn one_that_moves_twice_has_its_whole_patience_twice() {
        let mut rig = rig();
        rig.run(&chars("a"), false, at(0));
        for (from, c) in [(10, "b"), (110, "c")] {
            rig.hands.input.focus = Focus::On(DECOY);
            rig.run(&chars(c), false, at(from));
            rig.at(at(from + 90));
            rig.hands.input.focus = Focus::On(NOTE);
            assert!(done(2, None)(&rig.at(at(from + 95))[0]));
        }
    }

    #[test]
    fn the_key_after_a_text_is_meant_for_its_window_and_what_follows_begins_anew() {
        let line = [chars("ab"), vec![enter(true), enter(false)], chars("cd")].concat();
        let mut rig = rig();
        rig.run(&line[..3], false, at(0));
        rig.hands.input.focus = Focus::On(DECOY);
        assert!(done(5, None)(&rig.run(&line[3..], true, at(1))[0]), "Enter opened a dialog");

        let mut rig = self::rig();
        rig.run(&line[..2], false, at(0));
        rig.hands.input.focus = Focus::On(DECOY);
        let replies = until_over(&mut rig, &line[2..], 1);
        assert!(done(0, Some(Ended::FocusMoved))(replies.last().unwrap()), "{replies:?}");
        assert_eq!(sent(&rig), 4, "no Enter for a dialog that nobody has seen");
    }

    #[test]
    fn a_shift_in_between_moves_nothing_and_a_click_does() {
        let shift = |down| Primitive::Key { key: Key::Named(Named::Shift), down };
        let moves = Primitive::Move(ScreenPx::new(1, 1));
        for (between, goes_on) in [(vec![shift(true), shift(false)], false), (vec![moves], true)] {
            let mut rig = rig();
            rig.run(&[chars("a"), between].concat(), false, at(0));
            rig.hands.input.focus = Focus::On(DECOY);
            let replies = until_over(&mut rig, &chars("b"), 1);
            let ended = (!goes_on).then_some(Ended::FocusMoved);
            assert!(done(u32::from(goes_on) * 2, ended)(replies.last().unwrap()), "{replies:?}");
        }
    }

    #[test]
    fn keys_without_a_text_before_them_go_where_they_go() {
        let mut rig = rig();
        rig.run(&[enter(true)], false, at(0));
        rig.hands.input.focus = Focus::On(DECOY);
        assert!(done(3, None)(&rig.run(&[enter(false), enter(true), enter(false)], true, at(1))[0]));
        assert_eq!(rig.hands.input.pins, 0);
    }

    #[test]
    fn a_text_for_nobody_is_begun_late_and_never_goes_to_who_comes() {
        let mut rig = rig();
        rig.hands.input.focus = Focus::On(NOBODY);
        rig.run(&chars("a"), false, at(0));
        assert_eq!(sent(&rig), 0);
        assert!(done(2, None)(&rig.at(at(100))[0]));
        rig.hands.input.focus = Focus::On(DECOY);
        let replies = until_over(&mut rig, &chars("b"), 110);
        assert!(done(0, Some(Ended::FocusMoved))(replies.last().unwrap()), "{replies:?}");

        let mut rig = self::rig();
        rig.hands.input.focus = Focus::On(NOBODY);
        rig.run(&chars("ab"), true, at(0));
        rig.hands.input.focus = Focus::On(NOTE);
        assert!(done(4, None)(&rig.at(at(50))[0]), "a dialog that was about to have it");
    }

    #[test]
    fn a_system_that_does_not_say_is_given_time_and_then_not_trusted() {
        let mut rig = rig();
        rig.run(&chars("a"), false, at(0));
        rig.hands.input.focus = Focus::Silent;
        rig.run(&chars("b"), true, at(10));
        rig.hands.beat(at(1900));
        assert!(matches!(rig.at(at(1999))[..], [Reply::Waiting { .. }]));
        rig.hands.beat(at(2000));
        assert!(done(0, Some(Ended::FocusMoved))(rig.at(at(2010)).last().unwrap()));
    }

    #[test]
    fn where_there_is_no_focus_to_know_a_text_goes_where_it_goes() {
        let mut rig = Rig::new();
        rig.hands.replies();
        assert_eq!(rig.hands.input.focus, Focus::Untold);
        assert!(done(6, None)(&rig.run(&chars("abc"), true, at(0))[0]));
    }

    #[test]
    fn the_focus_is_let_go_of_whatever_becomes_of_a_character() {
        for refuse in [Some(0), Some(1), None] {
            let mut rig = rig();
            rig.hands.input.refuse = refuse;
            let replies = rig.run(&chars("a"), true, at(0));
            assert_eq!(matches!(replies[..], [Reply::Failed { .. }]), refuse.is_some(), "{replies:?}");
            assert!(!rig.hands.input.pinned);
            assert_eq!((rig.down(), rig.on_disk()), (Vec::new(), Vec::new()));
            let events = &rig.hands.input.sent;
            assert_eq!(
                events.iter().filter(|e| matches!(e, Event::Press(_))).count(),
                usize::from(refuse != Some(0))
            );
        }
    }
}
