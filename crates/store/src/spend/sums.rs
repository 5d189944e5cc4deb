//! What was spent, added up by model, run or day.

use super::{Ledger, Nanos, Tokens};
use crate::error::Result;

/// What to add up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    Model,
    Run,
    /// UTC.
    Day,
}

/// The calls of one model, run or day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    /// `provider/name`, an account, or `2026-11-21`.
    pub key: String,
    pub calls: u64,
    pub tokens: Tokens,
    pub cost: Nanos,
    /// Of the cost, charged at the most because nobody said what was used.
    pub assumed: Nanos,
    /// Of the cost, set aside for calls that are open now.
    pub open: Nanos,
    /// Calls whose price nobody knows; they cost nothing here.
    pub unpriced: u64,
}

impl Ledger {
    /// The sums of all calls from a time on, ordered by the time of their first call.
    pub fn sums(&self, by: Grouping, since_unix_millis: i64) -> Result<Vec<Sum>> {
        let key = match by {
            Grouping::Model => "model",
            Grouping::Run => "account",
            Grouping::Day => "coalesce(date(day * 86400, 'unixepoch'), 'elsewhere')",
        };
        let sql = format!(
            "SELECT {key}, sum(state <> 'carried'), sum(input), sum(output), sum(cached), sum(nanos),
                 sum(iif(state = 'assumed', nanos, 0)), sum(iif(state = 'open', nanos, 0)), sum(priced = 0)
             FROM call WHERE at >= ?1 GROUP BY 1 ORDER BY min(at), 1"
        );
        self.read(|db| {
            let mut query = db.prepare(&sql)?;
            let count =
                |row: &rusqlite::Row<'_>, i| row.get::<_, i64>(i).map(|n| u64::try_from(n).unwrap_or(0));
            let rows = query.query_map([since_unix_millis], |row| {
                Ok(Sum {
                    key: row.get(0)?,
                    calls: count(row, 1)?,
                    tokens: Tokens { input: count(row, 2)?, output: count(row, 3)?, cached: count(row, 4)? },
                    cost: Nanos(row.get(5)?),
                    assumed: Nanos(row.get(6)?),
                    open: Nanos(row.get(7)?),
                    unpriced: count(row, 8)?,
                })
            })?;
            rows.collect()
        })
    }
}
