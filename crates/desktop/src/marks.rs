//! What changed since a mark: a short memory of answers, the same for every way of hearing about changes.
//!
//! This module refuses to guess: a mark it does not know means that everything may have changed.

use handsight_base::port::desktop::{Damage, DamageMark};
use handsight_base::space::ScreenRect;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many answers are remembered for older marks.
const REMEMBERED: usize = 64;

/// Marks of one connection mean nothing to the next: they start elsewhere.
static CONNECTIONS: AtomicU64 = AtomicU64::new(1);

pub(crate) struct Marks {
    /// Of the first mark; what was before it is not known.
    oldest: u64,
    newest: u64,
    /// What changed between `mark - 1` and `mark`.
    changes: VecDeque<(u64, Vec<ScreenRect>)>,
}

impl Marks {
    /// Of a connection of its own.
    pub(crate) fn new() -> Self {
        let start = CONNECTIONS.fetch_add(1, Ordering::Relaxed) << 32;
        Self { oldest: start, newest: start, changes: VecDeque::new() }
    }

    /// Remembers what changed since the last call, for the marks given out before.
    pub(crate) fn note(&mut self, changed: Vec<ScreenRect>) {
        self.newest += 1;
        self.changes.push_back((self.newest, changed));
        if self.changes.len() > REMEMBERED {
            self.changes.pop_front();
            self.oldest += 1;
        }
    }

    /// What changed since `mark`; without one, a first mark and nothing.
    pub(crate) fn since(&self, mark: Option<DamageMark>) -> Damage {
        let areas = match mark {
            None => Some(Vec::new()),
            Some(DamageMark(mark)) if (self.oldest..=self.newest).contains(&mark) => {
                let newer = self.changes.iter().filter(|(at, _)| *at > mark);
                Some(newer.flat_map(|(_, areas)| areas.iter().copied()).collect())
            }
            Some(_) => None,
        };
        Damage { mark: DamageMark(self.newest), areas }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_remembers_what_came_after_it_and_no_more() {
        let mut marks = Marks::new();
        let area = |n: i32| ScreenRect::new(n, 0, 1, 1);
        marks.note(vec![area(1)]);
        let first = marks.since(None);
        assert_eq!(first.areas, Some(vec![]), "a first mark begins with nothing");
        marks.note(vec![area(2)]);
        marks.note(vec![]);
        marks.note(vec![area(3), area(4)]);
        assert_eq!(marks.since(Some(first.mark)).areas, Some(vec![area(2), area(3), area(4)]));
        let now = marks.since(Some(first.mark)).mark;
        assert_eq!(marks.since(Some(now)).areas, Some(vec![]));
        let other = Marks::new().since(None).mark;
        assert_eq!(marks.since(Some(other)).areas, None, "a mark of another connection");
        for _ in 0..REMEMBERED {
            marks.note(vec![]);
        }
        assert_eq!(marks.since(Some(first.mark)).areas, None, "too long ago");
        assert_eq!(marks.since(Some(now)).areas, Some(vec![]), "just remembered");
    }
}
