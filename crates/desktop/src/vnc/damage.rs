//! What changed on the screen since a mark: the rectangles of the server's updates, which cost nothing to know.
//!
//! This module refuses to grow: of a screen that changes in thousands of pieces, one rectangle around them is kept.

use crate::marks::Marks;
use handsight_base::port::desktop::{Damage, DamageMark};
use handsight_base::space::ScreenRect;

/// So many rectangles are kept apart.
const PIECES: usize = 1024;

pub(crate) struct DamageLog {
    marks: Marks,
    /// Since the last answer.
    changed: Vec<ScreenRect>,
}

impl DamageLog {
    pub(crate) fn new() -> Self {
        Self { marks: Marks::new(), changed: Vec::new() }
    }

    pub(crate) fn note(&mut self, area: ScreenRect) {
        if self.changed.len() >= PIECES {
            let around = self.changed.drain(..).fold(area, |around, piece| around.union(&piece));
            self.changed.push(around);
        } else {
            self.changed.push(area);
        }
    }

    /// What changed since `mark`; without one, a first mark and nothing.
    pub(crate) fn since(&mut self, mark: Option<DamageMark>) -> Damage {
        self.marks.note(std::mem::take(&mut self.changed));
        self.marks.since(mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_once_and_many_become_one() {
        let mut log = DamageLog::new();
        let area = |n: i32| ScreenRect::new(n, 0, 1, 1);
        log.note(area(1));
        let first = log.since(None).mark;
        log.note(area(2));
        assert_eq!(log.since(Some(first)).areas, Some(vec![area(2)]));
        let second = log.since(None).mark;
        (0..10_000).for_each(|n| log.note(area(n)));
        let areas = log.since(Some(second)).areas.unwrap();
        assert!(areas.len() <= PIECES, "{}", areas.len());
        let around = areas.iter().fold(ScreenRect::new(0, 0, 0, 0), |a, b| a.union(b));
        assert_eq!(around, ScreenRect::new(0, 0, 10_000, 1));
    }
}
