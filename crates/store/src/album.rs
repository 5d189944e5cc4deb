//! Pictures and views on the disk.
//!
//! A picture is a file named by the BLAKE3 of its bytes under `frames/`, written before the row that names it and never
//! synced: its loss can be reported and costs no turn. A view is a plain file with a name that a person or another program
//! looks for; a picture's view is a second name of the same file. No error here ends a run: what could not be kept is
//! counted and told.

use crate::book::{Book, FOREVER};
use crate::error::{Result, StoreError, is_full};
use crate::files::{self, TEMP_SUFFIX, on_disk};
use crate::outside::{DiskCall, Outside};
use crate::state::State;
use handsight_base::flow::format::PictureFormat;
use handsight_base::flow::frame::FrameHash;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) const FRAMES: &str = "frames";
/// Endings a picture may have.
const ENDINGS: [&str; 3] =
    [PictureFormat::Png.ending(), PictureFormat::Jpeg.ending(), PictureFormat::Webp.ending()];
/// Room one folder takes.
const FOLDER_BYTES: u64 = 4096;

pub(crate) struct Album {
    dir: PathBuf,
    pub(crate) book: Book,
    /// Folders under `frames/` that exist.
    folders: HashSet<String>,
    /// Pictures whose files this process wrote or compared; others may be what a power cut left.
    known: HashSet<FrameHash>,
    next_file: u64,
    pub(crate) outside: Outside,
    /// Pictures and views that could not be kept.
    pub(crate) dropped: u64,
    pub(crate) last_trouble: Option<String>,
}

/// The name of a picture relative to the run folder.
pub(crate) fn frame_name(hash: &FrameHash, ending: &str) -> PathBuf {
    let hex = hash.to_hex();
    Path::new(FRAMES).join(&hex[..2]).join(format!("{hex}.{ending}"))
}

/// The picture a file under `frames/` is named for.
pub(crate) fn named_hash(name: &Path) -> Option<FrameHash> {
    FrameHash::from_hex(name.file_stem()?.to_str()?)
}

/// The bytes of a picture; `Err` says in words what is wrong with it.
pub(crate) fn read_frame(dir: &Path, hash: &FrameHash) -> std::result::Result<Vec<u8>, String> {
    for ending in ENDINGS {
        let name = frame_name(hash, ending);
        match fs::read(dir.join(&name)) {
            Ok(bytes) if FrameHash::of(&bytes) == *hash => return Ok(bytes),
            Ok(_) => return Err(format!("{} is damaged: its bytes do not have its name", name.display())),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(format!("{} cannot be read: {e}", name.display())),
        }
    }
    Err(format!("the picture {} is no longer kept", hash.to_hex()))
}

impl Album {
    /// Takes stock of what is there. `state` says which turns pictures belong to.
    pub(crate) fn open(dir: &Path, quota: u64, state: &State) -> Result<Self> {
        let mut album = Self {
            dir: dir.to_owned(),
            book: Book::new(quota, state.failed_turns.clone()),
            folders: HashSet::new(),
            known: HashSet::new(),
            next_file: 0,
            outside: Outside::default(),
            dropped: 0,
            last_trouble: None,
        };
        for name in album.list()? {
            let path = dir.join(&name);
            if name.to_string_lossy().ends_with(TEMP_SUFFIX) {
                files::remove(&path)?;
                continue;
            }
            let Ok(meta) = fs::metadata(&path) else { continue };
            let turn = named_hash(&name)
                .and_then(|hash| state.pictures.get(&hash).copied())
                .or_else(|| view_turn(&name))
                .unwrap_or(0);
            let file = album.identity(&meta);
            album.book.add(&name, file, on_disk(meta.len()), turn);
        }
        Ok(album)
    }

    /// Every file that counts: pictures, and views in the run folder itself. Relative names.
    fn list(&mut self) -> Result<Vec<PathBuf>> {
        let mut names = Vec::new();
        let frames = self.dir.join(FRAMES);
        if frames.exists() {
            for folder in entries(&frames)? {
                self.folders.insert(folder.clone());
                self.book.add_overhead(FOLDER_BYTES);
                let inside = Path::new(FRAMES).join(&folder);
                names.extend(entries(&self.dir.join(&inside))?.into_iter().map(|name| inside.join(name)));
            }
        }
        names.extend(entries(&self.dir)?.into_iter().filter(|n| is_view(n)).map(PathBuf::from));
        Ok(names)
    }

    fn identity(&mut self, meta: &fs::Metadata) -> u64 {
        #[cfg(unix)]
        {
            let _ = &self.next_file;
            std::os::unix::fs::MetadataExt::ino(meta)
        }
        #[cfg(not(unix))]
        {
            // Without a number from the file system each name counts for itself: too much, never too little.
            let _ = meta;
            self.next_file += 1;
            self.next_file
        }
    }

    /// Keeps a picture for `turn`; false if there was no room or no way.
    pub(crate) fn keep(&mut self, turn: u64, hash: &FrameHash, bytes: &[u8], ending: &str) -> bool {
        let name = frame_name(hash, ending);
        if self.book.has(&name) && self.is_whole(&name, hash, bytes) {
            self.book.touch(&name, turn);
            return true;
        }
        let folder = hash.to_hex()[..2].to_owned();
        let path = self.dir.join(&name);
        if !self.folders.contains(&folder) {
            if let Err(error) = files::make_dir(&self.dir.join(FRAMES).join(&folder)) {
                self.trouble(error);
                return false;
            }
            self.folders.insert(folder);
            self.book.add_overhead(FOLDER_BYTES);
        }
        let kept = self.write(DiskCall::Picture, &name, turn, None, &|| files::write_whole(&path, bytes));
        if kept {
            self.known.insert(*hash);
        }
        kept
    }

    fn is_whole(&mut self, name: &Path, hash: &FrameHash, bytes: &[u8]) -> bool {
        let whole =
            self.known.contains(hash) || fs::read(self.dir.join(name)).is_ok_and(|held| held == bytes);
        if whole {
            self.known.insert(*hash);
        }
        whole
    }

    /// Gives a kept picture a second name in the run folder.
    pub(crate) fn view(&mut self, turn: u64, name: &str, hash: &FrameHash) -> bool {
        let Some(frame) = ENDINGS.iter().map(|e| frame_name(hash, e)).find(|n| self.book.has(n)) else {
            self.trouble(format!("{name}: its picture is not kept"));
            return false;
        };
        let (from, to) = (self.dir.join(&frame), self.dir.join(name));
        // Where the file system tells no numbers, this is how both names are known for one file.
        let same = if cfg!(unix) { None } else { self.book.file(&frame) };
        self.write(DiskCall::View, Path::new(name), turn, same, &|| match files::link(&from, &to) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                fs::remove_file(&to).and_then(|()| files::link(&from, &to))
            }
            other => other,
        })
    }

    /// Writes a view that is text.
    pub(crate) fn view_text(&mut self, turn: u64, name: &str, text: &str) -> bool {
        let path = self.dir.join(name);
        self.write(DiskCall::View, Path::new(name), turn, None, &|| {
            files::write_whole(&path, text.as_bytes())
        })
    }

    /// Runs `write`, which makes the file `name`, another name of `same`; on a full disk the oldest pictures make room.
    fn write(
        &mut self,
        call: DiskCall,
        name: &Path,
        turn: u64,
        same: Option<u64>,
        write: &dyn Fn() -> io::Result<()>,
    ) -> bool {
        let outside = self.outside.clone();
        let write = || outside.before(call).and_then(|()| write()).map(|()| outside.after(call));
        let mut written = write();
        while written.as_ref().is_err_and(is_full) && self.drop_oldest().is_some() {
            written = write();
        }
        let path = self.dir.join(name);
        match written.and_then(|()| fs::metadata(&path)) {
            Ok(meta) => {
                let file = same.unwrap_or_else(|| self.identity(&meta));
                self.book.add(name, file, on_disk(meta.len()), turn);
                self.enforce();
                true
            }
            Err(error) => {
                self.trouble(format!("{}: {error}", name.display()));
                false
            }
        }
    }

    /// Drops the oldest until the quota holds.
    pub(crate) fn enforce(&mut self) {
        while self.book.is_over() && self.drop_oldest().is_some() {}
    }

    /// Drops the oldest until `bytes` are free; false if not even one could be.
    pub(crate) fn make_room(&mut self, bytes: u64) -> bool {
        let before = self.book.used();
        while before - self.book.used() < bytes && self.drop_oldest().is_some() {}
        self.book.used() < before
    }

    fn drop_oldest(&mut self) -> Option<()> {
        let name = self.book.oldest()?;
        if let Err(error) = files::remove(&self.dir.join(&name)) {
            // It stays on the disk and is no longer counted; counting it would keep all others from being dropped.
            self.trouble(error);
        }
        self.book.remove(&name);
        if let Some(hash) = named_hash(&name) {
            self.known.remove(&hash);
        }
        Some(())
    }

    /// Counts a file that is never dropped.
    pub(crate) fn add_forever(&mut self, name: &str) {
        if let Ok(meta) = fs::metadata(self.dir.join(name)) {
            let file = self.identity(&meta);
            self.book.add(Path::new(name), file, on_disk(meta.len()), FOREVER);
        }
    }

    /// A file got another name, and may be dropped from now on.
    pub(crate) fn rename(&mut self, from: &str, to: &str, turn: u64) {
        let (from, to) = (Path::new(from), Path::new(to));
        if let (Some(file), Ok(meta)) = (self.book.file(from), fs::metadata(self.dir.join(to))) {
            self.book.add(to, file, on_disk(meta.len()), turn);
            self.book.remove(from);
        }
    }

    fn trouble(&mut self, what: impl std::fmt::Display) {
        self.dropped += 1;
        let what = what.to_string();
        tracing::warn!(%what, "a picture or a view was not kept");
        self.last_trouble = Some(what);
    }
}

/// The names in a folder that are UTF-8; others are not ours.
pub(crate) fn entries(dir: &Path) -> Result<Vec<String>> {
    let fail = |e| StoreError::io("listing", dir, e);
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(fail)? {
        names.extend(entry.map_err(fail)?.file_name().into_string().ok());
    }
    Ok(names)
}

/// True for a file of the run folder that is a view: everything but the journal's own.
pub(crate) fn is_view(name: &str) -> bool {
    let own = ["run.", "making.db", "replacement.db", "reserve"];
    name.contains('.') && !name.starts_with('.') && !own.iter().any(|prefix| name.starts_with(prefix))
}

/// The turn in a view's name: `step001.png`, `test001.png`, `turn_000123-tabs.png`, `turn_000123.json`.
pub(crate) fn view_turn(name: &Path) -> Option<u64> {
    let name = name.to_str()?;
    let rest = ["step", "test", "turn_"].iter().find_map(|prefix| name.strip_prefix(prefix))?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// The view of an agent run's picture (S-63), counted from 1.
pub fn step_name(turn: u64, format: PictureFormat) -> String {
    format!("step{turn:03}.{}", format.ending())
}

/// The view of a test run's picture (S-64), counted from 0.
pub fn test_name(number: u64, format: PictureFormat) -> String {
    format!("test{number:03}.{}", format.ending())
}

/// The view of a turn's record.
pub fn turn_name(turn: u64) -> String {
    format!("turn_{turn:06}.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_named_as_the_profiles_say() {
        assert_eq!(
            (step_name(1, PictureFormat::Png), test_name(0, PictureFormat::Jpeg), turn_name(123)),
            ("step001.png".into(), "test000.jpg".into(), "turn_000123.json".into())
        );
        assert_eq!(step_name(1000, PictureFormat::Webp), "step1000.webp");
        for (name, turn) in
            [("step014.png", Some(14)), ("turn_000123-tabs.png", Some(123)), ("session.jsonl", None)]
        {
            assert_eq!(view_turn(Path::new(name)), turn, "{name}");
        }
        assert!(is_view("step001.png") && is_view("session.jsonl"));
        assert!(!is_view("run.db-wal") && !is_view("reserve") && !is_view("frames"));
    }

    #[test]
    fn a_picture_is_kept_once_viewed_under_other_names_and_mended() {
        let dir = tempfile::tempdir().unwrap();
        let mut album = Album::open(dir.path(), 1 << 20, &State::default()).unwrap();
        let hash = FrameHash::of(b"picture");
        assert!(album.keep(1, &hash, b"picture", "png") && album.view(1, "step001.png", &hash));
        let used = album.book.used();
        assert!(album.keep(2, &hash, b"picture", "png") && album.view(2, "step002.png", &hash));
        assert_eq!(album.book.used(), used, "the same file under another name takes no room");
        assert_eq!(fs::read(dir.path().join("step002.png")).unwrap(), b"picture");

        // A power cut may leave an empty file under the right name.
        fs::write(dir.path().join(frame_name(&hash, "png")), b"").unwrap();
        assert!(read_frame(dir.path(), &hash).unwrap_err().contains("damaged"));
        let mut album = Album::open(dir.path(), 1 << 20, &State::default()).unwrap();
        assert!(album.keep(3, &hash, b"picture", "png"));
        assert_eq!(read_frame(dir.path(), &hash).unwrap(), b"picture");
        assert_eq!(album.dropped, 0);
    }
}
