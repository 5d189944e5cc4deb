//! The person's input, told from ours.
//!
//! The server reports every event of every device, ours too, and in the order it takes them. What a keyboard, mouse or touch
//! screen sent is the person's. What came by XTEST is ours if it is the next of what we sent, and else another program's in
//! the person's name: a remote desktop, an on-screen keyboard. Two programs that send the same key at the same moment cannot be
//! told apart by one event, but the one too many can.
//!
//! Three things are nobody's: repeats of a held key and moves of the pointer by a program (`XWarpPointer`) are not reported at all,
//! and a release begins nothing, since it ends what was begun before (the Enter that started the run).

use super::fault::{atom, broken, lost};
use crate::hands::injector::{Code, Event};
use crate::hands::protocol::Fault;
use handsight_base::flow::action::Axis;
use std::collections::VecDeque;
use std::time::Duration;
use x11rb::protocol::Event as XEvent;
use x11rb::protocol::xinput::{ConnectionExt as _, Device, DeviceType};
use x11rb::protocol::xproto::{ConnectionExt as _, Window};
use x11rb::rust_connection::RustConnection;

/// What we sent is expected back for so long. The server answers in the same moment, unless a program holds the device frozen.
const EXPECTED: Duration = Duration::from_secs(1);

/// One event as the server reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Raw {
    Key {
        code: u32,
        down: bool,
    },
    Button {
        number: u32,
        down: bool,
    },
    /// To this place, if it is a place.
    Motion(Option<(i32, i32)>),
    Touch,
}

impl Raw {
    const fn begins_something(self) -> bool {
        !matches!(self, Self::Key { down: false, .. } | Self::Button { down: false, .. })
    }
}

/// What we sent and have not heard of.
#[derive(Debug, Default)]
struct Ours {
    sent: VecDeque<(Raw, Duration)>,
    now: Duration,
}

impl Ours {
    fn sent(&mut self, raw: Raw) {
        self.sent.push_back((raw, self.now));
    }

    fn at(&mut self, now: Duration) {
        self.now = now;
        while self.sent.front().is_some_and(|(_, sent)| now.saturating_sub(*sent) > EXPECTED) {
            self.sent.pop_front();
        }
    }

    /// True if it is ours. What we sent before it did not come to anything (a key that was up already) and never will.
    fn claims(&mut self, raw: Raw) -> bool {
        let found = self.sent.iter().position(|(sent, _)| *sent == raw);
        found.is_some_and(|index| self.sent.drain(..=index).next().is_some())
    }
}

#[derive(Debug)]
pub(super) struct PersonWatch {
    /// The devices that XTEST speaks through.
    xtest: Vec<u16>,
    ours: Ours,
    remembered: bool,
}

impl PersonWatch {
    /// The raw events have to be selected already.
    pub(super) fn new(conn: &RustConnection) -> Result<Self, Fault> {
        let mark = atom(conn, "XTEST Device")?;
        let devices = conn.xinput_xi_query_device(Device::ALL).map_err(lost)?.reply().map_err(broken)?;
        let mut xtest = Vec::new();
        for device in devices.infos {
            if !matches!(device.type_, DeviceType::SLAVE_KEYBOARD | DeviceType::SLAVE_POINTER) {
                continue;
            }
            let asked = conn.xinput_xi_get_property(device.deviceid, false, mark, 0, 0, 1).map_err(lost)?;
            // One that is unplugged meanwhile is none.
            if asked.reply().is_ok_and(|property| property.num_items > 0) {
                xtest.push(device.deviceid);
            }
        }
        Ok(Self { xtest, ours: Ours::default(), remembered: false })
    }

    /// Notes what is about to be sent.
    pub(super) fn sends(&mut self, event: Event, now: Duration) {
        self.ours.at(now);
        match event {
            Event::Move(to) => self.ours.sent(Raw::Motion(Some((to.x, to.y)))),
            Event::Press(code) => self.ours.sent(raw(code, true)),
            Event::Release(code) => self.ours.sent(raw(code, false)),
            Event::Notch { axis, positive } => {
                let number = wheel(axis, positive).into();
                self.ours.sent(Raw::Button { number, down: true });
                self.ours.sent(Raw::Button { number, down: false });
            }
            // Never sent here.
            Event::Wheel { .. } | Event::Character(_) => {}
        }
    }

    /// Time passes.
    pub(super) fn forgets(&mut self, now: Duration) {
        self.ours.at(now);
    }

    /// True if this is the person's; `held` are the keycodes we hold.
    pub(super) fn heard(&mut self, event: &XEvent, held: &[u32]) -> bool {
        let Some((device, raw)) = reported(event) else { return false };
        let by_xtest = self.xtest.contains(&device);
        if by_xtest && self.ours.claims(raw) {
            return false;
        }
        // A key of ours that another program lifts is not in our hands any more.
        let lifted = matches!(raw, Raw::Key { code, down: false } if by_xtest && held.contains(&code));
        raw.begins_something() || lifted
    }

    pub(super) fn remember(&mut self) {
        self.remembered = true;
    }

    pub(super) fn take_remembered(&mut self) -> bool {
        std::mem::take(&mut self.remembered)
    }
}

/// The button of a wheel's click.
pub(super) const fn wheel(axis: Axis, positive: bool) -> u8 {
    match (axis, positive) {
        (Axis::Vertical, true) => 4,
        (Axis::Vertical, false) => 5,
        (Axis::Horizontal, false) => 6,
        (Axis::Horizontal, true) => 7,
    }
}

fn raw(code: Code, down: bool) -> Raw {
    match code {
        Code::Key(code) => Raw::Key { code, down },
        Code::Button(number) => Raw::Button { number: number.into(), down },
    }
}

/// The device an event came from, and the event.
fn reported(event: &XEvent) -> Option<(u16, Raw)> {
    Some(match event {
        XEvent::XinputRawKeyPress(e) => (e.sourceid, Raw::Key { code: e.detail, down: true }),
        XEvent::XinputRawKeyRelease(e) => (e.sourceid, Raw::Key { code: e.detail, down: false }),
        XEvent::XinputRawButtonPress(e) => (e.sourceid, Raw::Button { number: e.detail, down: true }),
        XEvent::XinputRawButtonRelease(e) => (e.sourceid, Raw::Button { number: e.detail, down: false }),
        XEvent::XinputRawMotion(e) => {
            let place = match (e.valuator_mask.first().map(|mask| mask & 3), &e.axisvalues_raw[..]) {
                (Some(3), [x, y, ..]) => Some((x.integral, y.integral)),
                _ => None,
            };
            (e.sourceid, Raw::Motion(place))
        }
        XEvent::XinputRawTouchBegin(e) | XEvent::XinputRawTouchUpdate(e) | XEvent::XinputRawTouchEnd(e) => {
            (e.sourceid, Raw::Touch)
        }
        _ => return None,
    })
}

/// True if a key or button is down that is none of ours. A button of our own says nothing of theirs: the server tells buttons by
/// what the person has made of them.
pub(super) fn others_hold(conn: &RustConnection, root: Window, own: &[Code]) -> Result<bool, Fault> {
    let keys = conn.query_keymap().map_err(lost)?;
    let pointer = conn.query_pointer(root).map_err(lost)?;
    let keys = keys.reply().map_err(broken)?.keys;
    let mut down = (0..256u32).filter(|code| keys[(code / 8) as usize] >> (code % 8) & 1 == 1);
    if down.any(|code| !own.contains(&Code::Key(code))) {
        return Ok(true);
    }
    /// Buttons 1 to 5.
    const BUTTONS: u16 = 0x1f00;
    let pressed = u16::from(pointer.reply().map_err(broken)?.mask) & BUTTONS != 0;
    Ok(pressed && !own.iter().any(|code| matches!(code, Code::Button(_))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use x11rb::protocol::xinput::{Fp3232, RawButtonPressEvent, RawKeyPressEvent};

    const XTEST: u16 = 4;
    const MOUSE: u16 = 9;

    fn watch() -> PersonWatch {
        PersonWatch { xtest: vec![XTEST, XTEST + 1], ours: Ours::default(), remembered: false }
    }

    /// Numbers that look like chance and are the same each time.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % n
        }

        /// Something that hands send: keys (borrowed ones too), buttons, clicks of the wheel, drags.
        fn events(&mut self) -> Vec<Event> {
            match self.below(5) {
                0 => {
                    let code = Code::Key(8 + self.below(248) as u32);
                    vec![Event::Press(code), Event::Release(code)]
                }
                1 => vec![Event::Notch { axis: Axis::Vertical, positive: self.below(2) == 0 }],
                2 => vec![Event::Press(Code::Button(1)), Event::Release(Code::Button(1))],
                _ => {
                    let mut path = vec![Event::Press(Code::Button(1))];
                    let place = |n: u64| handsight_base::space::ScreenPx::new(n as i32, 7);
                    path.extend((0..self.below(9)).map(|n| Event::Move(place(n / 2))));
                    path.push(Event::Release(Code::Button(1)));
                    path
                }
            }
        }
    }

    /// As the server reports it.
    fn heard(event: Event, source: u16) -> Vec<XEvent> {
        let key = |code, down| {
            let e = RawKeyPressEvent { detail: code, sourceid: source, ..RawKeyPressEvent::default() };
            if down { XEvent::XinputRawKeyPress(e) } else { XEvent::XinputRawKeyRelease(e) }
        };
        let button = |number: u8, down| {
            let detail = number.into();
            let e = RawButtonPressEvent { detail, sourceid: source, ..RawButtonPressEvent::default() };
            if down { XEvent::XinputRawButtonPress(e) } else { XEvent::XinputRawButtonRelease(e) }
        };
        match event {
            Event::Press(Code::Key(code)) => vec![key(code, true)],
            Event::Release(Code::Key(code)) => vec![key(code, false)],
            Event::Press(Code::Button(number)) => vec![button(number, true)],
            Event::Release(Code::Button(number)) => vec![button(number, false)],
            Event::Notch { axis, positive } => [true, false].map(|d| button(wheel(axis, positive), d)).into(),
            Event::Move(to) => {
                let at = |integral| Fp3232 { integral, frac: 0 };
                vec![XEvent::XinputRawMotion(RawButtonPressEvent {
                    sourceid: source,
                    valuator_mask: vec![3],
                    axisvalues_raw: vec![at(to.x), at(to.y)],
                    ..RawButtonPressEvent::default()
                })]
            }
            Event::Wheel { .. } | Event::Character(_) => Vec::new(),
        }
    }

    /// A round of our own events: what is sent, and what comes back. If `lossy`, some moves never do.
    fn round(dice: &mut Dice, watch: &mut PersonWatch, lossy: bool, now: Duration) -> Vec<XEvent> {
        let mut back = Vec::new();
        for event in (0..1 + dice.below(20)).flat_map(|_| dice.events()).collect::<Vec<_>>() {
            watch.sends(event, now);
            if !lossy || !matches!(event, Event::Move(_)) || dice.below(10) > 0 {
                back.extend(heard(event, XTEST));
            }
        }
        back
    }

    #[test]
    fn of_ten_thousand_own_events_none_is_the_persons() {
        let (mut dice, mut watch, mut events) = (Dice(1), watch(), 0);
        for n in 0.. {
            let back = round(&mut dice, &mut watch, true, Duration::from_millis(n * 3));
            events += back.len();
            assert!(!back.iter().any(|event| watch.heard(event, &[])), "round {n}");
            if events > 10_000 {
                break;
            }
        }
    }

    #[test]
    fn one_event_too_many_is_found_wherever_it_comes_and_whatever_it_is() {
        let mut dice = Dice(2);
        for n in 0..2000 {
            let mut watch = watch();
            let mut back = round(&mut dice, &mut watch, false, Duration::ZERO);
            // Often the very event that is ours too.
            let own = back[dice.below(back.len() as u64) as usize].clone();
            let other = match reported(&own) {
                Some((_, raw)) if raw.begins_something() && dice.below(2) == 0 => own,
                _ => heard(Event::Press(Code::Key(300)), XTEST).remove(0),
            };
            back.insert(dice.below(back.len() as u64 + 1) as usize, other);
            assert!(back.iter().any(|event| watch.heard(event, &[])), "{n}: none of {back:?}");
        }
    }

    #[test]
    fn a_device_is_the_persons_at_once_and_a_release_begins_nothing() {
        let mut watch = watch();
        let code = Code::Key(38);
        watch.sends(Event::Press(code), Duration::ZERO);
        let key = |down, source| {
            heard(if down { Event::Press(code) } else { Event::Release(code) }, source).remove(0)
        };
        assert!(watch.heard(&key(true, MOUSE), &[38]), "the same key, but not by XTEST");
        assert!(!watch.heard(&key(true, XTEST), &[38]));
        assert!(!watch.heard(&key(false, MOUSE), &[38]) && !watch.heard(&key(false, XTEST), &[]));
        assert!(watch.heard(&key(false, XTEST), &[38]), "another program lifted our key");
        assert!(!watch.heard(&XEvent::Unknown(Vec::new()), &[]));
    }

    #[test]
    fn what_never_comes_back_is_not_expected_for_long() {
        let mut watch = watch();
        watch.sends(Event::Press(Code::Key(38)), Duration::ZERO);
        watch.forgets(EXPECTED);
        let key = heard(Event::Press(Code::Key(38)), XTEST).remove(0);
        assert!(!watch.heard(&key, &[]));
        watch.sends(Event::Press(Code::Key(38)), EXPECTED);
        watch.forgets(EXPECTED * 3);
        assert!(watch.heard(&key, &[]));
    }
}
