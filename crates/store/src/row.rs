//! One row of the journal and the chain of checksums through all of them.
//!
//! The journal is one append-only table. A row's sum covers its content and the sum of the row before it, and both stand in
//! the row: a damaged row is known by itself, and a missing one by its neighbours. A row is never changed or removed.

use std::fmt;

/// BLAKE3, first half.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Sum(pub(crate) [u8; 16]);

impl fmt::Debug for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

/// What a row tells. A new kind is a new schema version, so that an older engine refuses the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// The first row: what run this is.
    Run,
    /// An engine opened the folder again.
    Opened,
    /// Damage was found, set aside and worked around.
    Damage,
    Observed,
    /// Pictures that no other row names.
    Kept,
    /// One request and its reply.
    Exchange,
    Decided,
    Intent,
    Acted,
    Verified,
    Committed,
    /// The run came to its end.
    Ended,
}

impl Kind {
    pub(crate) const ALL: [Self; 12] = [
        Self::Run,
        Self::Opened,
        Self::Damage,
        Self::Observed,
        Self::Kept,
        Self::Exchange,
        Self::Decided,
        Self::Intent,
        Self::Acted,
        Self::Verified,
        Self::Committed,
        Self::Ended,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Opened => "opened",
            Self::Damage => "damage",
            Self::Observed => "observed",
            Self::Kept => "kept",
            Self::Exchange => "exchange",
            Self::Decided => "decided",
            Self::Intent => "intent",
            Self::Acted => "acted",
            Self::Verified => "verified",
            Self::Committed => "committed",
            Self::Ended => "ended",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }
}

/// A page of the database, and what the log takes for one.
const PAGE: u64 = 4096;
const LOG_FRAME: u64 = PAGE + 24;

/// The index of a row that belongs to a whole turn or to the run.
pub(crate) const WHOLE: i64 = -1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// From 1, without gaps but for those a `damage` row names.
    pub(crate) seq: u64,
    /// From 1; 0 for the run itself.
    pub(crate) turn: u64,
    /// The action of an intent or outcome, the round of an exchange, else [`WHOLE`].
    pub(crate) idx: i64,
    pub(crate) kind: Kind,
    pub(crate) prev: Sum,
    pub(crate) sum: Sum,
    /// JSON.
    pub(crate) body: String,
}

impl Row {
    /// The row after the one with the sum `prev`.
    pub(crate) fn new(seq: u64, turn: u64, idx: i64, kind: Kind, prev: Sum, body: String) -> Self {
        let sum = checksum(prev, seq, turn, idx, kind.name(), &body);
        Self { seq, turn, idx, kind, prev, sum, body }
    }

    /// What it adds to the log at most: its pages, and the one above them.
    pub(crate) fn log_bytes(&self) -> u64 {
        (self.body.len() as u64 / PAGE + 2) * LOG_FRAME
    }
}

pub(crate) fn checksum(prev: Sum, seq: u64, turn: u64, idx: i64, kind: &str, body: &str) -> Sum {
    let mut head = [0; 16 + 8 + 8 + 8 + 1];
    head[..16].copy_from_slice(&prev.0);
    head[16..24].copy_from_slice(&seq.to_le_bytes());
    head[24..32].copy_from_slice(&turn.to_le_bytes());
    head[32..40].copy_from_slice(&idx.to_le_bytes());
    // The length keeps kind and body apart.
    head[40] = kind.len() as u8;
    let mut hasher = blake3::Hasher::new();
    hasher.update(&head).update(kind.as_bytes()).update(body.as_bytes());
    let mut sum = Sum::default();
    sum.0.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_row_is_in_its_sum() {
        let row =
            |seq, turn, idx, kind, prev, body: &str| Row::new(seq, turn, idx, kind, prev, body.into()).sum;
        let plain = row(1, 2, 3, Kind::Acted, Sum::default(), "b");
        let others = [
            row(2, 2, 3, Kind::Acted, Sum::default(), "b"),
            row(1, 3, 3, Kind::Acted, Sum::default(), "b"),
            row(1, 2, 4, Kind::Acted, Sum::default(), "b"),
            row(1, 2, 3, Kind::Intent, Sum::default(), "b"),
            row(1, 2, 3, Kind::Acted, Sum([1; 16]), "b"),
            row(1, 2, 3, Kind::Acted, Sum::default(), "c"),
        ];
        assert!(others.iter().all(|s| *s != plain), "{others:?}");
        assert_eq!(plain, row(1, 2, 3, Kind::Acted, Sum::default(), "b"));
    }

    #[test]
    fn kinds_go_by_name_and_back() {
        assert!(Kind::ALL.iter().all(|k| Kind::from_name(k.name()) == Some(*k)));
        assert_eq!(Kind::from_name("Run"), None);
    }
}
