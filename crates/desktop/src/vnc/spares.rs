//! Characters that a server of X11 has to find spare keys for.
//!
//! TigerVNC and x11vnc give a spare keycode to each character that their keyboard does not have, until none is left (an ordinary
//! layout has 18), and drop the rest without a word. They tell of no layout, so every character beyond ASCII counts. This module
//! refuses what might be dropped.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// How many characters find keys for certain.
const MOST: usize = 16;
/// TigerVNC keeps them as long as it runs, x11vnc for minutes; it is not known when either began.
const KEPT: Duration = Duration::from_hours(24);

/// What was given out, by this engine and those before it.
#[derive(Debug)]
pub(crate) struct Spares {
    given: Vec<char>,
    file: PathBuf,
}

impl Spares {
    pub(crate) fn read(file: PathBuf) -> Self {
        let written = fs::metadata(&file).and_then(|about| about.modified());
        let recent = written.is_ok_and(|at| at.elapsed().is_ok_and(|age| age < KEPT));
        let given = if recent { fs::read_to_string(&file).unwrap_or_default() } else { String::new() };
        Self { given: given.chars().take(MOST).collect(), file }
    }

    /// True if this character has a key for certain, and those of the same text that come after it.
    pub(crate) fn take(&mut self, c: char, upcoming: &[char]) -> bool {
        let has = |given: &[char], c: char| c.is_ascii() || c.is_control() || given.contains(&c);
        let mut all = self.given.clone();
        for c in std::iter::once(c).chain(upcoming.iter().copied()) {
            if !has(&all, c) {
                all.push(c);
            }
        }
        if all.len() > MOST.max(self.given.len()) {
            return false;
        }
        if !has(&self.given, c) {
            self.given.push(c);
            // In no order of theirs: nothing of the text is to be read from it.
            self.given.sort_unstable();
            // Without it the next engine may ask for too much; this one does not.
            let _kept = fs::write(&self.file, self.given.iter().collect::<String>());
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_find_no_key_is_refused_and_ascii_never() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("characters");
        let mut spares = Spares::read(file.clone());
        let upcoming: Vec<char> = ('а'..='р').collect();
        assert!(!spares.take('я', &upcoming), "eighteen letters are refused at the first");
        assert!(('а'..='п').all(|c| spares.take(c, &[])), "sixteen are not");
        let mut next = Spares::read(file);
        for spares in [&mut spares, &mut next] {
            assert!(!spares.take('р', &[]));
            assert!(!spares.take('x', &['р']));
            assert!(spares.take('а', &[]) && (' '..='~').all(|c| spares.take(c, &['п', '\n'])));
        }
    }
}
