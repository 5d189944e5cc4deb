//! `session.jsonl`: one line per committed turn, for tools and `tail -f`. A view of the journal, mended from it.
//!
//! A line is written after its turn was acknowledged, never before, so a line that the journal lacks shows a loss. When
//! it grows too large for the quota, a part becomes `session.<n>.jsonl` and may be dropped like an old picture.

use crate::album::Album;
use crate::book::FOREVER;
use crate::error::{Result, StoreError};
use crate::files::{self, on_disk};
use crate::outside::DiskCall;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

pub(crate) const SESSION: &str = "session.jsonl";
/// The part of the quota the growing file may take.
const SHARE: u64 = 4;

#[derive(Debug)]
pub(crate) struct Session {
    path: PathBuf,
    /// Whole lines, in bytes.
    len: u64,
    /// The turn of the last line, 0 if none.
    pub(crate) last_turn: u64,
    most: u64,
}

/// What the file shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// The turn of the last whole line that names one.
    pub(crate) last_turn: u64,
    /// Bytes of whole lines.
    pub(crate) whole: u64,
}

/// Reads the end of `session.jsonl`, or of its last part if it is empty.
pub(crate) fn shown(dir: &Path) -> Result<Shown> {
    let path = dir.join(SESSION);
    let (whole, last_turn) = last_line(&path)?;
    let last_turn = match last_turn {
        Some(turn) => turn,
        None => match newest_part(dir)? {
            Some(part) => last_line(&dir.join(part))?.1.unwrap_or(0),
            None => 0,
        },
    };
    Ok(Shown { last_turn, whole })
}

/// True for `session.jsonl` and its parts.
pub(crate) fn is_session(name: &str) -> bool {
    name.starts_with("session.")
}

fn parts(dir: &Path) -> Result<Vec<u64>> {
    let number = |name: String| name.strip_prefix("session.")?.strip_suffix(".jsonl")?.parse().ok();
    Ok(crate::album::entries(dir)?.into_iter().filter_map(number).collect())
}

fn part_name(n: u64) -> String {
    format!("session.{n}.jsonl")
}

fn newest_part(dir: &Path) -> Result<Option<String>> {
    Ok(parts(dir)?.into_iter().max().map(part_name))
}

/// The length of all whole lines, and the turn the last of them names.
fn last_line(path: &Path) -> Result<(u64, Option<u64>)> {
    let io = |e| StoreError::io("reading", path, e);
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok((0, None)),
        Err(e) => return Err(io(e)),
    };
    let len = file.metadata().map_err(io)?.len();
    let mut window = 16 << 10;
    loop {
        let from = len.saturating_sub(window);
        let mut tail = Vec::new();
        file.seek(SeekFrom::Start(from)).and_then(|_| file.read_to_end(&mut tail)).map_err(io)?;
        let Some(end) = tail.iter().rposition(|b| *b == b'\n') else {
            if from == 0 {
                return Ok((0, None));
            }
            window *= 4;
            continue;
        };
        let start = tail[..end].iter().rposition(|b| *b == b'\n').map(|n| n + 1);
        let Some(start) = start.or((from == 0).then_some(0)) else {
            window *= 4;
            continue;
        };
        #[derive(serde::Deserialize)]
        struct Turn {
            turn: u64,
        }
        let turn = serde_json::from_slice::<Turn>(&tail[start..end]).ok().map(|t| t.turn);
        return Ok((from + end as u64 + 1, turn));
    }
}

impl Session {
    /// Takes up the file where its whole lines end; a torn last line is cut off.
    pub(crate) fn open(dir: &Path, quota: u64, album: &mut Album) -> Result<Self> {
        let Shown { last_turn, whole } = shown(dir)?;
        let path = dir.join(SESSION);
        if fs::metadata(&path).is_ok_and(|meta| meta.len() > whole) {
            let cut = files::private().open(&path).and_then(|f| f.set_len(whole));
            cut.map_err(|e| StoreError::io("cutting a torn line off", &path, e))?;
        }
        let session = Self { path, len: whole, last_turn, most: (quota / SHARE).max(64 << 10) };
        if whole > 0 {
            // Its file is known to the album already, as one that may be dropped.
            if let Some(file) = album.book.file(Path::new(SESSION)) {
                album.book.add(Path::new(SESSION), file, on_disk(whole), FOREVER);
            }
        }
        Ok(session)
    }

    /// Appends lines of `(turn, JSON)`. False if the disk had no room: the lines are made up for later.
    pub(crate) fn append(&mut self, lines: &[(u64, String)], album: &mut Album) -> bool {
        let Some((last, _)) = lines.last() else { return true };
        let mut text = String::new();
        for (_, line) in lines {
            text.push_str(line);
            text.push('\n');
        }
        let fresh = self.len == 0;
        let outside = &album.outside;
        let opened =
            outside.before(DiskCall::Lines).and_then(|()| files::private().append(true).open(&self.path));
        let written = opened.and_then(|mut file| {
            file.write_all(text.as_bytes()).inspect_err(|_| {
                // A part of a line would join the next one. If this fails too, the next opening cuts it.
                let _ = file.set_len(self.len);
            })
        });
        if let Err(error) = written {
            tracing::warn!(%error, "session.jsonl could not be written; it is made up for later");
            return false;
        }
        album.outside.after(DiskCall::Lines);
        self.len += text.len() as u64;
        self.last_turn = *last;
        if fresh {
            album.add_forever(SESSION);
        }
        album.book.resize(Path::new(SESSION), on_disk(self.len));
        if self.len > self.most {
            self.turn_over(album);
        }
        album.enforce();
        true
    }

    /// Begins a new file; the old one may be dropped from now on.
    fn turn_over(&mut self, album: &mut Album) {
        let Some(dir) = self.path.parent() else { return };
        let next = parts(dir).map(|parts| parts.into_iter().max().unwrap_or(0) + 1);
        let part = part_name(next.unwrap_or(1));
        match fs::rename(&self.path, dir.join(&part)) {
            Ok(()) => {
                album.rename(SESSION, &part, self.last_turn);
                self.len = 0;
            }
            Err(error) => tracing::warn!(%error, "session.jsonl could not be divided"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::State;

    fn lines(turns: std::ops::RangeInclusive<u64>) -> Vec<(u64, String)> {
        turns.map(|turn| (turn, format!("{{\"turn\":{turn},\"pad\":\"{}\"}}", "x".repeat(500)))).collect()
    }

    #[test]
    fn a_torn_line_is_cut_and_the_last_whole_one_counts() {
        let dir = tempfile::tempdir().unwrap();
        let mut album = Album::open(dir.path(), 1 << 30, &State::default()).unwrap();
        let mut session = Session::open(dir.path(), 1 << 30, &mut album).unwrap();
        assert!(session.append(&lines(1..=40), &mut album));
        let path = dir.path().join(SESSION);
        let whole = fs::read(&path).unwrap();
        for cut in (whole.len() - 1_100..whole.len()).step_by(97) {
            fs::write(&path, &whole[..cut]).unwrap();
            let mut album = Album::open(dir.path(), 1 << 30, &State::default()).unwrap();
            let mut session = Session::open(dir.path(), 1 << 30, &mut album).unwrap();
            let lost = 40 - session.last_turn;
            assert!((1..=3).contains(&lost), "{lost} at {cut}");
            assert!(session.append(&lines(session.last_turn + 1..=40), &mut album));
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn a_large_file_is_divided_and_its_parts_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let quota = 400 << 10;
        let mut album = Album::open(dir.path(), quota, &State::default()).unwrap();
        let mut session = Session::open(dir.path(), quota, &mut album).unwrap();
        for turn in 1..=2_000 {
            assert!(session.append(&lines(turn..=turn), &mut album));
            assert!(album.book.used() <= quota + 4096);
        }
        let parts = parts(dir.path()).unwrap();
        assert!(parts.len() < 6 && parts.iter().max().unwrap() > &6, "{parts:?}");
        assert_eq!(shown(dir.path()).unwrap().last_turn, 2_000);
    }
}
