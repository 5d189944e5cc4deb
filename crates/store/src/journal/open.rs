//! Beginning a journal, and taking one up again: check, set aside, rebuild, mark what nobody knows, mend the views.

use super::{Journal, Options, Resume, json, turn::Turn};
use crate::album::Album;
use crate::beyond;
use crate::check::{self, Examined, Keep, Rows};
use crate::error::{Result, StoreError};
use crate::exchange::Packer;
use crate::files;
use crate::files::make_dir;
use crate::held::Written;
use crate::lock::RunLock;
use crate::migrate::{self, SCHEMA};
use crate::pages::{DB, WAL};
use crate::rebuild::{self, REPLACEMENT};
use crate::record::{DamageBody, OpenedBody, RunBody, RunMeta, Totals};
use crate::report::{Ambiguous, OpenReport};
use crate::reserve::Reserve;
use crate::row::{Kind, Row, Sum, WHOLE};
use crate::session::Session;
use crate::state::State;
use handsight_base::flow::receipt::Outcome;
use std::borrow::Cow;
use std::path::Path;

/// The engine that opened a journal, as its rows name it.
const ENGINE: &str = env!("CARGO_PKG_VERSION");

impl Journal {
    /// Makes the folder, if need be, and begins a journal in it. Durable when it returns.
    pub fn create(dir: &Path, meta: &RunMeta, options: &Options) -> Result<Self> {
        migrate::assert_sqlite()?;
        make_dir(dir)?;
        let lock = RunLock::take(dir)?;
        if dir.join(DB).exists() || dir.join(REPLACEMENT).exists() {
            return Err(StoreError::RunExists { dir: dir.to_owned() });
        }
        // What the person wrote goes like any other text; the settings must still be read at a resume, so short values stay in them.
        let objective = options.redactor.redact(&meta.objective).into_owned();
        let meta = RunMeta { objective, ..meta.clone() };
        let body = RunBody { meta: Cow::Owned(meta), schema: SCHEMA, sqlite: rusqlite::version_number() };
        let body = json(0, &body)?;
        let body = options.redactor.long_only().redact_json(&body).into_owned();
        let first = Row::new(1, 0, WHOLE, Kind::Run, Sum::default(), body);
        rebuild::create(dir, &first)?;
        if let Some(parent) = dir.parent().filter(|p| !p.as_os_str().is_empty()) {
            crate::files::sync_dir(parent)?;
        }
        let mut state = State::default();
        state.add(first);
        Self::start(dir, options, lock, &state, Resume { next_turn: 1, ..Resume::default() })
    }

    /// Takes a run up again. What is damaged is set aside and told; what can be read is there. Actions without an
    /// outcome are marked [`Outcome::Ambiguous`] before this returns.
    pub fn open(dir: &Path, options: &Options) -> Result<(Self, OpenReport)> {
        migrate::assert_sqlite()?;
        if !dir.join(DB).exists() && !dir.join(REPLACEMENT).exists() {
            return Err(StoreError::NoRun { dir: dir.to_owned() });
        }
        let lock = RunLock::take(dir)?;
        rebuild::sweep(dir)?;
        rebuild::finish_replacing(dir)?;
        let examined = check::examine(dir, Keep::Nothing)?;
        let mut report = OpenReport {
            unfinished_bytes: examined.unfinished_bytes,
            torn_end: examined.torn_end,
            migrated_from: (examined.schema < SCHEMA).then_some(examined.schema),
            beyond: beyond::look(dir, &examined.state)?,
            ..OpenReport::default()
        };
        let state = repair(dir, examined, &mut report)?;
        move_views_aside(dir, &mut report)?;
        let (totals, resume) = resume(&state).map_err(|why| StoreError::Failed {
            path: dir.join(DB),
            doing: "reading where the run stands",
            why,
        })?;
        let interrupted: Vec<_> = unanswered(&state);
        report.ambiguous =
            resume.ambiguous.iter().filter(|a| interrupted.contains(&(a.turn, a.index))).cloned().collect();

        let mut journal = Self::start(dir, options, lock, &state, resume)?;
        journal.agree(&state)?;
        // The end of the log that belongs to no transaction must be gone before anything is appended.
        journal.checkpoint()?;
        for ambiguous in &report.ambiguous {
            let Ambiguous { turn, index, .. } = *ambiguous;
            tracing::warn!(turn, index, "an action was begun and nobody knows whether it happened");
            journal.append(turn, index.into(), Kind::Acted, json(turn, &Outcome::Ambiguous)?);
        }
        journal.totals = totals;
        let opened = OpenedBody {
            engine: ENGINE.to_owned(),
            at_unix_millis: journal.options.outside.clock.unix_millis(),
            schema: SCHEMA,
            sqlite: rusqlite::version_number(),
            totals,
        };
        journal.append(0, WHOLE, Kind::Opened, json(0, &opened)?);
        journal.sync()?;
        journal.session_behind = true;
        journal.make_up_session()?;
        Ok((journal, report))
    }

    fn start(dir: &Path, options: &Options, lock: RunLock, state: &State, resume: Resume) -> Result<Self> {
        let written = Written::new(dir);
        let (path, db) = super::open_database(dir, options)?;
        let mut album = Album::open(dir, options.quota_bytes, state)?;
        album.outside = options.outside.clone();
        let session = match options.session_log {
            true => Some(Session::open(dir, options.quota_bytes, &mut album)?),
            false => None,
        };
        album.enforce();
        Ok(Self {
            dir: dir.to_owned(),
            path,
            db,
            options: options.clone(),
            meta: state.meta.clone(),
            totals: resume.totals,
            turn: Turn::new(resume.next_turn),
            resume,
            pending: Vec::new(),
            last_seq: state.last_seq,
            last_sum: state.last_sum,
            committed: state.last_committed,
            durable: state.last_committed,
            album,
            unnamed: Vec::new(),
            session,
            lines: Vec::new(),
            session_behind: false,
            packer: Packer::default(),
            reserve: Reserve::new(dir, options.reserve_bytes),
            waiting_since: None,
            waiting_turns: 0,
            shrink_from: 0,
            needed: 0,
            failed: None,
            _written: written,
            _lock: lock,
        })
    }

    /// SQLite must see the same end of the journal as we did; another program's hot journal or index could change that.
    fn agree(&self, state: &State) -> Result<()> {
        let sql = "SELECT seq, sum FROM log ORDER BY seq DESC LIMIT 1";
        let end = self.db.query_row(sql, [], |row| Ok((row.get::<_, i64>(0)? as u64, Sum(row.get(1)?))));
        let (seq, sum) = end.map_err(|e| StoreError::sqlite("reading the end of", &self.path, &e))?;
        if (seq, sum) == (state.last_seq, state.last_sum) {
            return Ok(());
        }
        let why = format!(
            "SQLite ends with row {seq} and the file with row {}; is another program at it?",
            state.last_seq
        );
        Err(StoreError::Failed { path: self.path.clone(), doing: "reading its end", why })
    }
}

/// If anything is damaged, sets the originals aside and puts a file of the readable rows in their place.
fn repair(dir: &Path, examined: Examined, report: &mut OpenReport) -> Result<State> {
    let Examined { rows, mut state, damage, lost, .. } = examined;
    let mut held = match rows {
        Rows::Placed { .. } => return Ok(state),
        Rows::Held(held) => held,
    };
    let aside = rebuild::aside_folder(dir)?;
    rebuild::set_aside(dir, &aside, &[Path::new(DB), Path::new(WAL)])?;
    for damage in &damage {
        tracing::error!(%damage, "the journal is damaged");
    }
    if held.is_empty() {
        let why = damage.first().map_or_else(|| "it has no rows".to_owned(), ToString::to_string);
        return Err(StoreError::Unreadable { path: dir.join(DB), why, set_aside: dir.join(aside) });
    }
    let body = DamageBody {
        lost: lost.clone(),
        set_aside: aside.display().to_string(),
        found: damage.iter().map(ToString::to_string).collect(),
    };
    let note = Row::new(state.last_seq + 1, 0, WHOLE, Kind::Damage, state.last_sum, json(0, &body)?);
    state.add(note.clone());
    held.insert(note.seq, note);
    rebuild::replace(dir, held.values())?;
    tracing::error!(
        rows = held.len(),
        lost = lost.iter().map(|l| l.last - l.first + 1).sum::<u64>(),
        set_aside = %aside.display(),
        "the journal was rebuilt from what can be read"
    );
    report.damage = damage;
    report.lost = lost;
    report.set_aside = Some(aside);
    Ok(state)
}

/// Views of turns that the journal lacks are evidence, and new turns will need their names.
fn move_views_aside(dir: &Path, report: &mut OpenReport) -> Result<()> {
    for beyond in &report.beyond {
        tracing::warn!(%beyond, "the run folder shows more than the journal holds");
    }
    let views: Vec<&Path> =
        report.beyond.iter().filter(|b| b.turn.is_some()).map(|b| b.file.as_path()).collect();
    if views.is_empty() {
        return Ok(());
    }
    let aside = match &report.set_aside {
        Some(aside) => aside.clone(),
        None => rebuild::aside_folder(dir)?,
    };
    rebuild::set_aside(dir, &aside, &views)?;
    views.iter().try_for_each(|view| files::remove(&dir.join(view)))?;
    report.set_aside = Some(aside);
    Ok(())
}

/// The turn and index of each action without an outcome.
fn unanswered(state: &State) -> Vec<(u64, u32)> {
    let actions = state.unfinished_actions().unwrap_or_default();
    actions.into_iter().filter(|a| a.outcome.is_none()).map(|a| (a.turn, a.index)).collect()
}

/// Where the run goes on, and the sums with what the interrupted turn used.
fn resume(state: &State) -> std::result::Result<(Totals, Resume), String> {
    let mut totals = state.totals()?;
    let mut ambiguous = Vec::new();
    for action in state.unfinished_actions()? {
        match action.outcome {
            None => totals.add_outcome(&Outcome::Ambiguous),
            Some(Outcome::Ambiguous) => {}
            Some(_) => continue,
        }
        ambiguous.push(Ambiguous {
            turn: action.turn,
            index: action.index,
            action: action.action,
            hash: action.hash,
        });
    }
    let (last, said) = (state.last_record()?, state.last_said()?);
    let resume = Resume { last, said, next_turn: state.last_turn + 1, ambiguous, totals };
    Ok((totals, resume))
}
