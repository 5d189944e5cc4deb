use super::super::fake::Fake;
use super::*;
use handsight_base::NOTCH;
use handsight_base::flow::action::Axis;
use handsight_base::key::Named;
use handsight_base::space::ScreenPx;
use tempfile::TempDir;

const LIMITS: Limits = Limits { silence: Duration::from_millis(250), max_hold: Duration::from_secs(30) };
const LEFT: Code = Code::Button(1);
const SHIFT: Code = Code::Key(50);
const CTRL: Key = Key::Named(Named::Control);

pub(super) fn at(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn key(key: Key, down: bool) -> Primitive {
    Primitive::Key { key, down }
}

pub(super) fn button(down: bool) -> Primitive {
    Primitive::Button { button: Button::Left, down }
}

pub(super) struct Rig {
    pub(super) hands: Supervisor<Fake>,
    folder: TempDir,
    batch: u64,
    chunk: u64,
    pub(super) waited_out: u64,
}

impl Rig {
    pub(super) fn new() -> Self {
        Self::over(Fake::default(), TempDir::new().unwrap())
    }

    pub(super) fn over(fake: Fake, folder: TempDir) -> Self {
        let (held, left) = Held::open(&folder.path().join("pressed")).unwrap();
        let hands = Supervisor::new(fake, held, &left, LIMITS).unwrap();
        Self { hands, folder, batch: 1, chunk: 0, waited_out: 0 }
    }

    /// Hands a chunk in and does what is due. The next is of another batch if this is the `last`.
    pub(super) fn run(&mut self, primitives: &[Primitive], last: bool, now: Duration) -> Vec<Reply> {
        self.chunk += 1;
        let (batch, chunk) = (self.batch, self.chunk);
        let waited_out = self.waited_out;
        let run = Command::Run { batch, chunk, primitives: primitives.to_vec(), last, waited_out };
        self.batch += u64::from(last);
        self.hands.command(run, now).unwrap();
        self.at(now)
    }

    pub(super) fn at(&mut self, now: Duration) -> Vec<Reply> {
        self.hands.step(now).unwrap();
        self.hands.replies()
    }

    pub(super) fn down(&self) -> Vec<Code> {
        self.hands.input.down.iter().copied().collect()
    }

    pub(super) fn on_disk(&self) -> Vec<Code> {
        Held::open(&self.folder.path().join("pressed")).unwrap().1
    }
}

pub(super) fn done(events: u32, ended: Option<Ended>) -> impl Fn(&Reply) -> bool {
    move |r| matches!(r, Reply::Done { events: e, ended: why, .. } if *e == events && *why == ended)
}

// spec: D-03 UNIT
#[test]
fn a_click_is_three_events_in_order_and_acknowledged_after_a_sync() {
    let mut rig = Rig::new();
    rig.hands.replies();
    let syncs = rig.hands.input.syncs;
    let to = ScreenPx::new(4, 5);
    let replies = rig.run(&[Primitive::Move(to), button(true), button(false)], true, at(0));
    assert_eq!(rig.hands.input.sent, [Event::Move(to), Event::Press(LEFT), Event::Release(LEFT)]);
    assert!(rig.hands.input.syncs > syncs);
    assert!(done(3, None)(&replies[0]), "{replies:?}");
    assert_eq!(rig.on_disk(), []);
}

#[test]
fn waits_are_run_and_seen_by_nobody_else() {
    let mut rig = Rig::new();
    rig.hands.replies();
    assert_eq!(rig.run(&[button(true), Primitive::Wait(at(40)), button(false)], true, at(0)), []);
    assert_eq!((rig.down(), rig.on_disk()), (vec![LEFT], vec![LEFT]));
    assert_eq!(rig.hands.step(at(39)).unwrap(), Some(at(40)), "it says when to come back");
    assert_eq!(rig.down(), [LEFT]);
    assert!(done(2, None)(&rig.at(at(40))[0]));
    assert_eq!((rig.down(), rig.on_disk()), (vec![], vec![]));
}

#[test]
fn a_shared_modifier_goes_up_with_the_last_key_that_needs_it() {
    let mut rig = Rig::new();
    rig.run(
        &[key(Key::Char('A'), true), key(Key::Char('B'), true), key(Key::Char('A'), false)],
        false,
        at(0),
    );
    assert_eq!(rig.down(), [SHIFT, Code::Key('b' as u32)]);
    rig.run(&[Primitive::Char('C')], false, at(1));
    assert_eq!(rig.down(), [SHIFT, Code::Key('b' as u32)]);
    rig.run(&[key(Key::Char('B'), false)], true, at(2));
    assert_eq!(rig.down(), []);
    assert_eq!(rig.hands.input.batches, (2, 1), "asked at each chunk with keys pressed, ended once");
}

#[test]
fn pressing_twice_and_releasing_what_is_up_send_nothing() {
    let mut rig = Rig::new();
    let twice = [button(true), button(true), button(false), button(false), key(CTRL, false)];
    rig.hands.replies();
    assert!(done(5, None)(&rig.run(&twice, true, at(0))[0]));
    assert_eq!(rig.hands.input.sent, [Event::Press(LEFT), Event::Release(LEFT)]);
}

#[test]
fn silence_lets_go_and_ends_the_batch() {
    let mut rig = Rig::new();
    rig.run(&[button(true), key(CTRL, true), Primitive::Wait(at(10_000)), key(CTRL, false)], true, at(1000));
    for beat in 1..=10 {
        rig.hands.beat(at(1000 + beat * 100));
        assert_eq!(rig.at(at(1000 + beat * 100)), []);
    }
    assert_eq!(rig.hands.step(at(2249)).unwrap(), Some(at(2250)));
    assert_eq!(rig.down().len(), 2);
    let replies = rig.at(at(2250));
    assert!(done(2, Some(Ended::Silence))(&replies[0]), "{replies:?}");
    assert_eq!((rig.down(), rig.on_disk()), (vec![], vec![]));
    assert_eq!(*rig.hands.input.sent.last().unwrap(), Event::Release(LEFT), "first pressed, last released");
    // The engine came back: it may go on.
    assert!(done(1, None)(&rig.run(&[button(true)], true, at(9000))[0]));
}

#[test]
fn silence_between_two_chunks_ends_the_batch_too() {
    // A button and a text: of the text nothing is down when it is cut.
    for (first, lifted) in [(button(true), 1), (Primitive::Char('a'), 0)] {
        let mut rig = Rig::new();
        rig.run(&[first], false, at(0));
        assert_eq!(rig.at(at(250)).len(), lifted);
        let sent = rig.hands.input.sent.len();
        for late in [251, 600] {
            let replies = rig.run(&[Primitive::Move(ScreenPx::new(1, 1)), button(true)], false, at(late));
            assert!(matches!(&replies[..], [reply] if done(0, Some(Ended::Silence))(reply)), "{replies:?}");
        }
        assert_eq!((rig.hands.input.sent.len(), rig.down()), (sent, vec![]), "the batch ran on");
        // An engine that gave the batch up and lives may begin another.
        rig.batch += 1;
        assert!(done(1, None)(&rig.run(&[button(true)], true, at(900))[0]));
    }
}

#[test]
fn silence_between_batches_lifts_what_an_earlier_one_left_down() {
    let mut rig = Rig::new();
    rig.run(&[button(true)], true, at(0));
    rig.hands.beat(at(100));
    assert_eq!(rig.at(at(349)), []);
    assert_eq!(rig.at(at(350)), [Reply::Lifted { codes: vec![LEFT], ended: Ended::Silence }]);
}

#[test]
fn a_batch_that_types_needs_beats_and_one_that_only_waits_does_not() {
    let mut rig = Rig::new();
    rig.hands.replies();
    rig.run(&[Primitive::Wait(at(1000)), Primitive::Move(ScreenPx::new(1, 1))], true, at(0));
    assert!(done(1, None)(&rig.at(at(1000))[0]));
    rig.run(&[Primitive::Char('a'), Primitive::Wait(at(1000)), Primitive::Char('b')], true, at(2000));
    assert!(done(2, Some(Ended::Silence))(&rig.at(at(2250))[0]), "a deadlocked turn does not type on");
    assert_eq!(rig.at(at(9000)), []);
}

#[test]
fn the_chord_lets_go_and_closes_for_good() {
    let mut rig = Rig::new();
    rig.run(&[button(true), Primitive::Wait(at(10_000))], true, at(0));
    rig.hands.replies();
    rig.hands.chord(at(5)).unwrap();
    let replies = rig.hands.replies();
    assert!(done(1, Some(Ended::Chord))(&replies[0]));
    assert_eq!(replies[1], Reply::Chord);
    let sent = rig.hands.input.sent.len();
    assert!(done(0, Some(Ended::Chord))(&rig.run(&[button(true)], true, at(6))[0]));
    assert_eq!((rig.hands.input.sent.len(), rig.down()), (sent, vec![]));
}

#[test]
fn a_release_forgets_the_queue() {
    let mut rig = Rig::new();
    rig.hands.replies();
    rig.run(&[button(true), Primitive::Wait(at(50)), Primitive::Char('x')], false, at(0));
    rig.hands.command(Command::Release { ticket: 3 }, at(10)).unwrap();
    let replies = rig.hands.replies();
    assert!(done(1, Some(Ended::Asked))(&replies[0]));
    assert_eq!(replies[1], Reply::Released { ticket: 3 });
    assert_eq!(rig.at(at(100)), []);
    assert_eq!(rig.down(), []);
}

#[test]
fn nothing_is_held_longer_than_allowed() {
    let mut rig = Rig::new();
    rig.run(&[key(Key::Char('A'), true)], true, at(0));
    rig.hands.beat(at(28_900));
    rig.run(&[button(true)], true, at(29_000));
    rig.hands.beat(at(29_900));
    let replies = rig.at(at(30_000));
    let codes = vec![SHIFT, Code::Key('a' as u32)];
    assert_eq!(replies, [Reply::Lifted { codes, ended: Ended::HeldTooLong }]);
    assert_eq!(rig.down(), [LEFT]);
    // The key can be pressed anew, and its late release does no harm before that.
    rig.run(&[key(Key::Char('A'), false), key(Key::Char('A'), true)], true, at(30_010));
    assert_eq!(rig.down().len(), 3);
}

// spec: S-83 UNIT
#[test]
fn a_refused_event_releases_everything_and_carries_the_code() {
    for refused in 0..8 {
        let mut rig = Rig::new();
        rig.hands.replies();
        rig.hands.input.refuse = Some(refused);
        let keys = [key(CTRL, true), button(true), Primitive::Char('A'), button(false), key(CTRL, false)];
        let replies = rig.run(&keys, true, at(0));
        let Some(Reply::Failed { chunk: Some(1), fault }) = replies.last() else {
            panic!("event {refused}: {replies:?}");
        };
        assert_eq!(
            fault.clone().into_error().to_string(),
            "the system refused the input: BadAccess (code 10)"
        );
        assert_eq!(rig.down(), [], "event {refused} was refused");
        assert_eq!(rig.on_disk(), []);
    }
}

#[test]
fn a_key_nobody_has_releases_everything_too() {
    let mut rig = Rig::new();
    rig.hands.replies();
    let replies = rig.run(&[key(CTRL, true), Primitive::Char('\u{1}')], true, at(0));
    assert!(matches!(&replies[..], [Reply::Failed { fault: Fault::NoKey { .. }, .. }]), "{replies:?}");
    assert_eq!(rig.down(), []);
}

#[test]
fn a_lost_server_keeps_the_file_for_the_next_life() {
    let mut rig = Rig::new();
    rig.run(&[button(true)], true, at(0));
    rig.hands.input.lost = true;
    assert!(matches!(rig.hands.let_go(Ended::Asked, at(1)), Err(Fault::Lost { .. })));
    assert_eq!(rig.on_disk(), [LEFT]);
}

#[test]
fn the_sweep_releases_what_the_file_names_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let (mut held, _) = Held::open(&folder.path().join("pressed")).unwrap();
    for code in [LEFT, SHIFT, Code::Key(25)] {
        held.press(code, at(0)).unwrap();
    }
    drop(held);
    let person = Code::Key(37);
    // Key 25 came up by itself.
    let fake = Fake { down: [LEFT, SHIFT, person].into(), ..Fake::default() };
    let mut rig = Rig::over(fake, folder);
    assert_eq!(rig.hands.replies(), [Reply::Ready { swept: vec![LEFT, SHIFT] }]);
    assert_eq!(rig.down(), [person]);
    assert_eq!(rig.on_disk(), []);
}

#[test]
fn a_borrowed_key_is_waited_for_and_the_engine_is_told() {
    let mut rig = Rig::new();
    rig.hands.replies();
    rig.hands.input.not_before = at(80);
    assert_eq!(rig.run(&[Primitive::Char('a')], true, at(0)), [Reply::Waiting { chunk: 1 }]);
    assert_eq!(rig.hands.step(at(1)).unwrap(), Some(at(80)));
    rig.hands.replies();
    // An event from the system may end the wait early.
    rig.hands.input.not_before = at(0);
    assert!(done(2, None)(&rig.at(at(20))[0]));
}

#[test]
fn the_ledger_tells_what_was_injected_and_forgets_the_oldest() {
    let mut rig = Rig::new();
    rig.run(&[button(true), button(false)], true, at(7));
    rig.hands.replies();
    rig.hands.command(Command::Ledger { from: 1 }, at(8)).unwrap();
    let entry = LedgerEntry { number: 1, at: at(7), event: Event::Release(LEFT) };
    assert_eq!(rig.hands.replies(), [Reply::Ledger(vec![entry])]);
    let many = Primitive::Wheel { axis: Axis::Vertical, units: 5000 * NOTCH };
    rig.run(&[many], true, at(9));
    rig.hands.replies();
    rig.hands.command(Command::Ledger { from: 0 }, at(8)).unwrap();
    let replies = rig.hands.replies();
    assert!(
        matches!(&replies[..], [Reply::Ledger(e)] if e.len() == LEDGER && e[0].number == 5002 - LEDGER as u64)
    );
}

// spec: S-30 UNIT
#[test]
fn wheel_units_become_whole_notches_and_never_nothing() {
    for (units, count) in [
        (0, 0),
        (1, 1),
        (-1, 1),
        (59, 1),
        (120, 1),
        (179, 1),
        (180, 2),
        (240, 2),
        (-120, 1),
        (-300, 3),
        (i32::MIN, 17_895_697),
    ] {
        assert_eq!(notches(units), count, "{units}");
    }
}

#[test]
fn where_the_system_takes_units_and_characters_they_go_out_as_they_are() {
    let fake = Fake { units: true, ..Fake::default() };
    let mut rig = Rig::over(fake, TempDir::new().unwrap());
    let wheel = |units| Primitive::Wheel { axis: Axis::Vertical, units };
    let replies = rig.run(&[wheel(-37), wheel(0), wheel(240), Primitive::Char('😀')], true, at(0));
    let sent = |units| Event::Wheel { axis: Axis::Vertical, units };
    assert_eq!(rig.hands.input.sent, [sent(-37), sent(240), Event::Character('😀')]);
    assert_eq!(replies.last(), Some(&Reply::Done { chunk: 1, events: 1 + 2 + 2, ended: None }));
    assert_eq!(rig.on_disk(), [], "a character is down and up in one");
}
