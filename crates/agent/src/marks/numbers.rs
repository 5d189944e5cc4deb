//! Numbers that stay: a thing that is still there, or there again, keeps the one it had.
//!
//! A model that remembers "7 is Save" is right on the next picture too. A number that was given is given to nothing else until
//! all 999 are used up, so that one of an older picture is told as such and not taken for another thing.

use super::Mark;
use handsight_base::flow::percept::Finding;
use handsight_base::space::FrameRect;

/// More digits hide more of what they stand on.
const MOST: u32 = 999;
/// A thing that still covers so much of its old place has not moved.
const STAYED: f64 = 0.3;

/// What has which number.
#[derive(Debug, Clone, Default)]
pub struct Numbers {
    known: Vec<Known>,
    pictures: u64,
}

#[derive(Debug, Clone)]
struct Known {
    number: u32,
    kind: String,
    label: String,
    area: FrameRect,
    /// The picture it was last on.
    on: u64,
}

impl Numbers {
    /// The largest number that was given.
    pub(super) fn highest(&self) -> u32 {
        self.known.iter().map(|known| known.number).max().unwrap_or(0)
    }

    /// Numbers the things of the next picture, in their order.
    pub(super) fn give(&mut self, things: Vec<Finding>) -> Vec<Mark> {
        self.pictures += 1;
        let mut given: Vec<Option<u32>> = things.iter().map(|thing| self.in_its_place(thing)).collect();
        // What moved, once it is known what did not.
        for (thing, number) in things.iter().zip(&mut given) {
            if number.is_none() {
                *number = self.elsewhere(thing);
            }
        }
        let mut marks = Vec::with_capacity(things.len());
        for (what, number) in things.into_iter().zip(given) {
            let number = number.or_else(|| self.fresh(&what));
            marks.extend(number.map(|number| Mark { number, what }));
        }
        marks
    }

    fn in_its_place(&mut self, thing: &Finding) -> Option<u32> {
        let now = self.pictures;
        let stayed = |known: &Known| {
            let both = known.area.intersect(&thing.area).map_or(0, |r| r.size.area());
            let either = known.area.size.area() + thing.area.size.area() - both;
            both as f64 >= STAYED * either as f64
        };
        let mut alike = self.known.iter_mut().filter(|known| known.is(thing) && known.on < now);
        alike.find(|known| stayed(known)).map(|known| known.seen(thing, now))
    }

    fn elsewhere(&mut self, thing: &Finding) -> Option<u32> {
        let now = self.pictures;
        // Things without a name are told apart by their place alone.
        let mut alike = self.known.iter_mut().filter(|known| known.is(thing) && known.on < now);
        let last = alike.next().filter(|_| !thing.label.is_empty())?;
        // Several of the same name: whichever moved where cannot be told.
        if alike.next().is_some() {
            return None;
        }
        Some(last.seen(thing, now))
    }

    fn fresh(&mut self, thing: &Finding) -> Option<u32> {
        let now = self.pictures;
        let highest = self.highest();
        let number = if highest < MOST {
            highest + 1
        } else {
            // All are used up: that of the thing that has been away the longest.
            let oldest =
                self.known.iter().enumerate().filter(|(_, k)| k.on < now).min_by_key(|(_, k)| k.on)?.0;
            self.known.swap_remove(oldest).number
        };
        let Finding { kind, label, area, .. } = thing.clone();
        self.known.push(Known { number, kind, label, area, on: now });
        Some(number)
    }
}

impl Known {
    fn is(&self, thing: &Finding) -> bool {
        // What is switched off for a while is the same thing.
        let kind = |kind: &'_ str| kind.trim_start_matches(super::DISABLED).to_owned();
        self.label == thing.label && kind(&self.kind) == kind(&thing.kind)
    }

    const fn seen(&mut self, thing: &Finding, now: u64) -> u32 {
        (self.area, self.on) = (thing.area, now);
        self.number
    }
}
