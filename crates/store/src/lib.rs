//! All SQLite and all frame files of handsight: the journal of a run, and the record of what models cost ([`spend`]).
//!
//! A run folder holds `run.db`, an append-only log whose rows are chained by checksums; `frames/`, the pictures by the hash
//! of their bytes; and views, plain files for people and other programs. [`Journal`] writes it and [`Reader`] reads it.
//!
//! What this crate promises, and its tests show: an acknowledged turn survives a power cut; an intent is durable before its
//! first event; a damaged file is set aside, named, and read as far as it goes; a full disk costs pictures first and never an
//! unrecorded action; after a failed sync nothing is acknowledged.
//!
//! What it refuses: to start afresh over a journal it cannot read, to open what a newer engine wrote, to let SQLite see a file
//! that [`check`] has not read, to retry a failed sync, and any thread of its own.

mod album;
mod beyond;
mod book;
mod check;
mod error;
mod exchange;
mod files;
mod held;
mod journal;
mod lock;
mod migrate;
mod outside;
mod page;
mod pages;
mod reader;
mod rebuild;
mod record;
mod report;
mod reserve;
mod row;
mod salvage;
mod session;
pub mod spend;
mod state;
mod wal;
mod walk;

pub use album::{step_name, test_name, turn_name};
pub use error::{Remedy, StoreError};
pub use files::free_bytes;
pub use journal::{Ack, Durability, Health, Journal, Options, Resume};
#[doc(hidden)]
pub use migrate::Synchronous;
pub use outside::{Disk, DiskCall, Outside};
pub use reader::Reader;
pub use record::{ActionRow, Decided, Observed, RecordedExchange, RunEnd, RunMeta, Totals};
pub use report::{Ambiguous, Beyond, Damage, LostRows, OpenReport};
