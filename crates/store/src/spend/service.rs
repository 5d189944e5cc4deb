//! How long a model service wants to be left alone, shared by all processes that ask it (R33).
//!
//! Times are wall time, the only one that processes share; it may jump. A pause is never believed for longer than it was given,
//! so a clock that is set back holds nobody up.

use super::Ledger;
use crate::error::Result;
use rusqlite::{OptionalExtension as _, params};
use std::time::Duration;

/// What is known of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Service {
    /// Left of the pause.
    pub pause: Duration,
    /// Refusals in a row, over all processes.
    pub failures: u32,
}

impl Ledger {
    pub fn service(&self, name: &str, unix_millis: i64) -> Result<Service> {
        let row: Option<(i64, i64, u32)> = self.read(|db| {
            let mut query =
                db.prepare_cached("SELECT since, until, failures FROM service WHERE name = ?1")?;
            query.query_row([name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()
        })?;
        let Some((since, until, failures)) = row else { return Ok(Service::default()) };
        // Before it began: the clock was set back, and nobody knows how long ago it was.
        let left = if unix_millis < since { 0 } else { until.saturating_sub(unix_millis) };
        Ok(Service { pause: Duration::from_millis(u64::try_from(left).unwrap_or(0)), failures })
    }

    /// One more refusal; nobody asks it again before `pause` is over. A longer pause that runs stays.
    pub fn service_failed(&self, name: &str, pause: Duration, unix_millis: i64) -> Result<()> {
        let until = unix_millis.saturating_add(i64::try_from(pause.as_millis()).unwrap_or(i64::MAX));
        self.write("noting a pause", |t| {
            t.execute(
                "INSERT INTO service (name, since, until, failures) VALUES (?1, ?2, ?3, 1)
                 ON CONFLICT (name) DO UPDATE SET failures = failures + 1, since = excluded.since,
                     until = iif(since <= excluded.since, max(until, excluded.until), excluded.until)",
                params![name, unix_millis, until],
            )
        })
        .map(|_rows| ())
    }

    /// It answered. Writes nothing if that is no news.
    pub fn service_answered(&self, name: &str) -> Result<()> {
        let known = self.read(|db| {
            let mut query = db.prepare_cached("SELECT 1 FROM service WHERE name = ?1")?;
            query.exists([name])
        })?;
        if known {
            self.write("noting an answer", |t| t.execute("DELETE FROM service WHERE name = ?1", [name]))?;
        }
        Ok(())
    }
}
