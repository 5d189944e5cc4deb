//! What a run folder shows beyond its journal.
//!
//! A cut at a border between transactions leaves a sound journal that is merely shorter. The other files of the folder were
//! written apart from it: a line of a turn that the journal lacks, a view with a later number, a picture that no row names.

use crate::album::{FRAMES, entries, is_view, named_hash, view_turn};
use crate::error::Result;
use crate::files::TEMP_SUFFIX;
use crate::report::Beyond;
use crate::session::{self, SESSION};
use crate::state::State;
use std::path::{Path, PathBuf};

/// More pictures are counted and not named.
const MOST_NAMED: usize = 20;

pub(crate) fn look(dir: &Path, state: &State) -> Result<Vec<Beyond>> {
    let mut found = Vec::new();
    let shown = session::shown(dir)?.last_turn;
    if shown > state.last_committed {
        let what = format!("ends with turn {shown}; the journal ends with turn {}", state.last_committed);
        found.push(Beyond { file: SESSION.into(), turn: Some(shown), proves_loss: true, what });
    }
    for name in entries(dir)? {
        let Some(turn) = view_turn(Path::new(&name)).filter(|t| is_view(&name) && *t > state.last_turn)
        else {
            continue;
        };
        let what = format!("is of turn {turn}; the journal ends with turn {}", state.last_turn);
        found.push(Beyond { file: name.into(), turn: Some(turn), proves_loss: false, what });
    }
    let strays = stray_pictures(dir, state)?;
    let more = strays.len().saturating_sub(MOST_NAMED);
    found.extend(strays.into_iter().take(MOST_NAMED).map(|file| Beyond {
        file,
        turn: None,
        proves_loss: false,
        what: "is a picture that no row names: its turn was not kept".to_owned(),
    }));
    if more > 0 {
        let what = format!("has {more} more pictures that no row names");
        found.push(Beyond { file: FRAMES.into(), turn: None, proves_loss: false, what });
    }
    Ok(found)
}

fn stray_pictures(dir: &Path, state: &State) -> Result<Vec<PathBuf>> {
    let mut strays = Vec::new();
    if !dir.join(FRAMES).is_dir() {
        return Ok(strays);
    }
    for folder in entries(&dir.join(FRAMES))? {
        let folder = Path::new(FRAMES).join(folder);
        for name in entries(&dir.join(&folder))? {
            let named = named_hash(Path::new(&name)).is_some_and(|hash| state.pictures.contains_key(&hash));
            if !named && !name.ends_with(TEMP_SUFFIX) {
                strays.push(folder.join(name));
            }
        }
    }
    strays.sort_unstable();
    Ok(strays)
}
