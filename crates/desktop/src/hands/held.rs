//! What the hands hold down, and the file that says so to the next life.
//!
//! The file is written before a press and after a release, so it names at least what is down and at most what this
//! process has pressed. After a crash of the supervisor itself, the sweep releases what the file names and nothing
//! else: a key the person holds is theirs.

use super::injector::Code;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

/// Every text is padded to this length, which holds all codes there are: one write replaces the text before, needs no
/// truncation, and a kill leaves the old or the new one.
const PADDED: usize = 2560;

/// The set of codes that are down, with how often each is needed and since when.
#[derive(Debug)]
pub(crate) struct Held {
    down: Vec<Down>,
    file: File,
    /// What the file says now.
    written: Vec<Code>,
}

#[derive(Debug, Clone, Copy)]
struct Down {
    code: Code,
    /// A modifier may be needed by several keys at a time.
    needs: u32,
    since: Duration,
}

impl Held {
    /// Opens the file and returns what it names: codes an earlier life may have left down.
    pub(crate) fn open(path: &Path) -> io::Result<(Self, Vec<Code>)> {
        let left = match fs::read_to_string(path) {
            Ok(text) => parse(&text),
            Err(why) if why.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(why) => return Err(why),
        };
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        let mut held = Self { down: Vec::new(), file, written: left.clone() };
        // Takes the room on the disk now, when failing is harmless.
        held.write()?;
        Ok((held, left))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.down.is_empty()
    }

    /// Codes in the order they are to be released: the last pressed first.
    pub(crate) fn codes(&self) -> Vec<Code> {
        self.down.iter().rev().map(|d| d.code).collect()
    }

    /// Notes one more need of `code`. True if it has to be pressed now; the file names it by then.
    pub(crate) fn press(&mut self, code: Code, now: Duration) -> io::Result<bool> {
        if let Some(down) = self.down.iter_mut().find(|d| d.code == code) {
            down.needs += 1;
            return Ok(false);
        }
        if !self.written.contains(&code) {
            self.written.push(code);
            self.write()?;
        }
        self.down.push(Down { code, needs: 1, since: now });
        Ok(true)
    }

    /// Has the file name these, so that pressing them soon needs no write any more.
    pub(crate) fn announce(&mut self, codes: &[Code]) -> io::Result<()> {
        let before = self.written.len();
        for code in codes {
            if !self.written.contains(code) {
                self.written.push(*code);
            }
        }
        if self.written.len() > before { self.write() } else { Ok(()) }
    }

    /// Notes one need less. True if it has to be released now.
    pub(crate) fn release(&mut self, code: Code) -> bool {
        let Some(index) = self.down.iter().position(|d| d.code == code) else { return false };
        self.down[index].needs -= 1;
        let last = self.down[index].needs == 0;
        if last {
            self.down.remove(index);
        }
        last
    }

    /// Forgets a code, however often it is needed. True if it was down.
    pub(crate) fn lift(&mut self, code: Code) -> bool {
        let before = self.down.len();
        self.down.retain(|d| d.code != code);
        self.down.len() < before
    }

    /// Counts everything the file names as down: something was refused, and nobody knows what.
    pub(crate) fn suspect(&mut self, now: Duration) {
        for code in &self.written {
            if !self.down.iter().any(|d| d.code == *code) {
                self.down.push(Down { code: *code, needs: 1, since: now });
            }
        }
    }

    /// Codes that are down for `limit` or longer.
    pub(crate) fn older_than(&self, limit: Duration, now: Duration) -> Vec<Code> {
        self.down.iter().filter(|d| now.saturating_sub(d.since) >= limit).map(|d| d.code).collect()
    }

    /// Since when the oldest is down.
    pub(crate) fn oldest(&self) -> Option<Duration> {
        self.down.iter().map(|d| d.since).min()
    }

    /// Takes out of the file what is up again. To be called once the system has taken the releases.
    pub(crate) fn settle(&mut self) -> io::Result<()> {
        if self.written.len() == self.down.len() {
            return Ok(());
        }
        self.written = self.down.iter().map(|d| d.code).collect();
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        let mut text = String::from("handsight holds:\n");
        for code in &self.written {
            text.push_str(&format!("{code}\n"));
        }
        let padding = PADDED.saturating_sub(text.len() + 1);
        text.extend(std::iter::repeat_n(' ', padding));
        text.push('\n');
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(text.as_bytes())
    }
}

fn parse(text: &str) -> Vec<Code> {
    let code = |line: &str| {
        let (kind, number) = line.split_once(' ')?;
        match kind {
            "key" => number.parse().ok().map(Code::Key),
            "button" => number.parse().ok().map(Code::Button),
            _ => None,
        }
    };
    text.lines().filter_map(code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const W: Code = Code::Key(25);
    const SHIFT: Code = Code::Key(50);
    const LEFT: Code = Code::Button(1);
    const NOW: Duration = Duration::from_secs(1);

    #[test]
    fn the_file_names_a_press_before_it_happens_and_a_release_after() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pressed");
        let on_disk = || parse(&fs::read_to_string(&path).unwrap());
        let (mut held, left) = Held::open(&path).unwrap();
        assert_eq!(left, []);
        assert!(held.press(W, NOW).unwrap());
        assert_eq!(on_disk(), [W]);
        assert!(held.press(LEFT, NOW).unwrap());
        assert!(held.release(W));
        assert_eq!(on_disk(), [W, LEFT], "the release may not have happened yet");
        held.settle().unwrap();
        assert_eq!(on_disk(), [LEFT]);
        drop(held);
        let (_held, left) = Held::open(&path).unwrap();
        assert_eq!(left, [LEFT]);
    }

    #[test]
    fn a_modifier_stays_while_anybody_needs_it() {
        let dir = tempfile::tempdir().unwrap();
        let (mut held, _) = Held::open(&dir.path().join("pressed")).unwrap();
        assert!(held.press(SHIFT, NOW).unwrap());
        assert!(!held.press(SHIFT, NOW).unwrap());
        assert!(!held.release(SHIFT));
        assert!(held.release(SHIFT));
        assert!(!held.release(SHIFT), "it is up already");
        assert!(held.is_empty());
    }

    #[test]
    fn the_last_pressed_is_released_first_and_age_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let (mut held, _) = Held::open(&dir.path().join("pressed")).unwrap();
        held.press(SHIFT, NOW).unwrap();
        held.press(LEFT, NOW * 3).unwrap();
        assert_eq!(held.codes(), [LEFT, SHIFT]);
        assert_eq!(held.older_than(NOW, NOW * 2), [SHIFT]);
        assert_eq!(held.oldest(), Some(NOW));
        assert!(held.lift(SHIFT) && !held.lift(SHIFT));
    }

    #[test]
    fn a_file_of_any_age_and_shape_opens() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pressed");
        for (text, codes) in [
            ("", vec![]),
            ("key", vec![]),
            ("key 37\nkey x\nbutton 1\nfoot 3\n   ", vec![Code::Key(37), LEFT]),
        ] {
            fs::write(&path, text).unwrap();
            assert_eq!(Held::open(&path).unwrap().1, codes);
        }
    }
}
