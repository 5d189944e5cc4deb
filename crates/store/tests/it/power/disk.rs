//! A disk that remembers what was synced, fed from a log of system calls.

use crate::common::Seeded;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A call that changes files or names, with its paths and bytes.
#[derive(Debug)]
pub(super) enum Call {
    Open {
        path: PathBuf,
        fd: i32,
        truncate: bool,
        append: bool,
        create: bool,
    },
    Close {
        fd: i32,
    },
    /// At the file's position if no offset is given.
    Write {
        fd: i32,
        at: Option<usize>,
        bytes: Vec<u8>,
    },
    Seek {
        fd: i32,
        to: usize,
    },
    Sync {
        fd: i32,
    },
    Truncate {
        fd: i32,
        len: usize,
    },
    Unlink {
        path: PathBuf,
    },
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Link {
        from: PathBuf,
        to: PathBuf,
    },
}

/// One line of strace's output; `None` for failed calls and those that change nothing.
pub(super) fn parse(line: &str) -> Option<Call> {
    assert!(!line.contains("<unfinished"), "two threads at once: {line}");
    let (_, rest) = line.split_once(char::is_whitespace)?;
    let (call, result) = rest.trim_start().rsplit_once(" = ")?;
    let result: i64 = result.split_whitespace().next()?.parse().ok()?;
    if result < 0 {
        return None;
    }
    let (name, args) = call.trim_end().strip_suffix(')')?.split_once('(')?;
    let strings: Vec<Vec<u8>> = args.split('"').skip(1).step_by(2).map(unhex).collect();
    let path = |i: usize| Some(PathBuf::from(String::from_utf8(strings.get(i)?.clone()).ok()?));
    let number = |text: &str| text.trim().parse::<i64>().ok();
    let fd = number(args.split(',').next()?).map(|n| n as i32);
    let last = number(args.rsplit(',').next()?);
    Some(match name {
        "openat" => Call::Open {
            path: path(0)?,
            fd: result as i32,
            truncate: args.contains("O_TRUNC"),
            append: args.contains("O_APPEND"),
            create: args.contains("O_CREAT"),
        },
        "close" => Call::Close { fd: fd? },
        "write" | "pwrite64" => {
            assert!(!args.contains("\"..."), "cut bytes in the log");
            let mut bytes = strings.into_iter().next()?;
            bytes.truncate(result as usize);
            Call::Write { fd: fd?, at: if name == "write" { None } else { Some(last? as usize) }, bytes }
        }
        "lseek" => Call::Seek { fd: fd?, to: result as usize },
        "fsync" | "fdatasync" => Call::Sync { fd: fd? },
        "ftruncate" => Call::Truncate { fd: fd?, len: last? as usize },
        "unlink" => Call::Unlink { path: path(0)? },
        "rename" => Call::Rename { from: path(0)?, to: path(1)? },
        "linkat" => Call::Link { from: path(0)?, to: path(1)? },
        _ => return None,
    })
}

fn unhex(text: &str) -> Vec<u8> {
    text.split("\\x").filter(|h| !h.is_empty()).map(|h| u8::from_str_radix(h, 16).unwrap()).collect()
}

#[derive(Debug, Clone)]
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Truncate { len: usize },
}

#[derive(Debug, Default)]
struct Inode {
    synced: Vec<u8>,
    unsynced: Vec<Change>,
    len: usize,
}

#[derive(Debug, Clone)]
enum NameChange {
    Set(PathBuf, usize),
    Gone(PathBuf),
}

/// The disk. Names and contents become durable apart: a file's by its sync, a name's by that of its folder.
pub(super) struct Disk {
    root: PathBuf,
    promises: PathBuf,
    inodes: Vec<Inode>,
    names: HashMap<PathBuf, usize>,
    durable: HashMap<PathBuf, usize>,
    /// In order: a file system keeps the order of such changes.
    renamed: Vec<NameChange>,
    /// Open files: path, inode, position, whether it appends.
    open: HashMap<i32, (PathBuf, Option<usize>, usize, bool)>,
}

impl Disk {
    pub(super) fn new(root: &Path, promises: &Path) -> Self {
        Self {
            root: root.to_owned(),
            promises: promises.to_owned(),
            inodes: Vec::new(),
            names: HashMap::new(),
            durable: HashMap::new(),
            renamed: Vec::new(),
            open: HashMap::new(),
        }
    }

    /// Takes the files of a folder as durable.
    pub(super) fn take_in(&mut self, dir: &Path) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.take_in(&path);
            } else {
                let synced = std::fs::read(&path).unwrap();
                self.inodes.push(Inode { len: synced.len(), synced, unsynced: Vec::new() });
                self.names.insert(path.clone(), self.inodes.len() - 1);
                self.durable.insert(path, self.inodes.len() - 1);
            }
        }
    }

    fn is_inside(&self, path: &Path) -> bool {
        path.starts_with(&self.root)
    }

    /// True if the call changes something in the run folder.
    pub(super) fn is_ours(&self, call: &Call) -> bool {
        match call {
            Call::Write { fd, .. } | Call::Sync { fd } | Call::Truncate { fd, .. } => {
                self.open.get(fd).is_some_and(|(path, ..)| self.is_inside(path) && !is_index(path))
            }
            Call::Unlink { path } | Call::Rename { to: path, .. } | Call::Link { to: path, .. } => {
                self.is_inside(path)
            }
            Call::Open { .. } | Call::Close { .. } | Call::Seek { .. } => false,
        }
    }

    /// True if bytes of this file are not durable.
    pub(super) fn has_unsynced(&self, name: &str) -> bool {
        self.names.get(&self.root.join(name)).is_some_and(|inode| !self.inodes[*inode].unsynced.is_empty())
    }

    /// Carries out a call. The text, if it wrote a promise.
    pub(super) fn apply(&mut self, call: Call) -> Option<String> {
        match call {
            Call::Open { path, fd, truncate, append, create } => {
                self.open_file(path, fd, truncate, append, create)
            }
            Call::Close { fd } => drop(self.open.remove(&fd)),
            Call::Seek { fd, to } => {
                if let Some((_, _, position, _)) = self.open.get_mut(&fd) {
                    *position = to;
                }
            }
            Call::Write { fd, at, bytes } => {
                let (path, inode, position, append) = self.open.get_mut(&fd)?;
                if *path == self.promises {
                    return String::from_utf8(bytes).ok();
                }
                let inode = &mut self.inodes[(*inode)?];
                let start = at.unwrap_or(if *append { inode.len } else { *position });
                if at.is_none() {
                    *position = start + bytes.len();
                }
                inode.len = inode.len.max(start + bytes.len());
                inode.unsynced.push(Change::Write { at: start, bytes });
            }
            Call::Truncate { fd, len } => {
                let inode = self.open.get(&fd)?.1?;
                self.inodes[inode].len = len;
                self.inodes[inode].unsynced.push(Change::Truncate { len });
            }
            Call::Sync { fd } => self.sync(fd),
            Call::Unlink { path } => self.set_name(NameChange::Gone(path)),
            Call::Rename { from, to } => {
                let inode = *self.names.get(&from)?;
                self.set_name(NameChange::Gone(from));
                self.set_name(NameChange::Set(to, inode));
            }
            Call::Link { from, to } => {
                let inode = *self.names.get(&from)?;
                self.set_name(NameChange::Set(to, inode));
            }
        }
        None
    }

    fn open_file(&mut self, path: PathBuf, fd: i32, truncate: bool, append: bool, create: bool) {
        let mut inode = self.names.get(&path).copied();
        if inode.is_none() && create && self.is_inside(&path) {
            self.inodes.push(Inode::default());
            inode = Some(self.inodes.len() - 1);
            self.set_name(NameChange::Set(path.clone(), self.inodes.len() - 1));
        } else if let Some(inode) = inode.filter(|_| truncate) {
            self.inodes[inode].len = 0;
            self.inodes[inode].unsynced.push(Change::Truncate { len: 0 });
        }
        self.open.insert(fd, (path, inode, 0, append));
    }

    fn sync(&mut self, fd: i32) {
        let Some((path, inode, ..)) = self.open.get(&fd) else { return };
        if let Some(inode) = *inode {
            let Inode { synced, unsynced, .. } = &mut self.inodes[inode];
            unsynced.drain(..).for_each(|change| apply_whole(synced, &change));
            return;
        }
        // A folder: its own names become durable.
        let folder = path.clone();
        let (own, others) = std::mem::take(&mut self.renamed).into_iter().partition(|change| {
            let (NameChange::Set(path, _) | NameChange::Gone(path)) = change;
            path.parent() == Some(folder.as_path())
        });
        self.renamed = others;
        Vec::into_iter(own).for_each(|change| rename(&mut self.durable, change));
    }

    fn set_name(&mut self, change: NameChange) {
        let (NameChange::Set(path, _) | NameChange::Gone(path)) = &change;
        if self.is_inside(path) {
            rename(&mut self.names, change.clone());
            self.renamed.push(change);
        }
    }

    /// Writes the folder as a power cut may leave it now.
    pub(super) fn image(&self, to: &Path, seeded: &mut Seeded) {
        let mut names = self.durable.clone();
        let kept = seeded.below(self.renamed.len() as u64 + 1) as usize;
        self.renamed[..kept].iter().for_each(|change| rename(&mut names, change.clone()));
        std::fs::create_dir_all(to).unwrap();
        for (path, inode) in names {
            if is_index(&path) {
                continue;
            }
            let Inode { synced, unsynced, .. } = &self.inodes[inode];
            let mut bytes = synced.clone();
            unsynced.iter().for_each(|change| apply_torn(&mut bytes, change, seeded));
            let path = to.join(path.strip_prefix(&self.root).unwrap());
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
    }
}

/// SQLite's index of the log is shared memory, which no power cut leaves.
fn is_index(path: &Path) -> bool {
    path.to_str().is_some_and(|p| p.ends_with("-shm"))
}

fn rename(names: &mut HashMap<PathBuf, usize>, change: NameChange) {
    match change {
        NameChange::Set(path, inode) => drop(names.insert(path, inode)),
        NameChange::Gone(path) => drop(names.remove(&path)),
    }
}

fn apply_whole(bytes: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Truncate { len } => bytes.resize(*len, 0),
        Change::Write { at, bytes: new } => {
            bytes.resize(bytes.len().max(at + new.len()), 0);
            bytes[*at..at + new.len()].copy_from_slice(new);
        }
    }
}

/// Each 512-byte sector of a write arrives or does not; the file may have grown without its bytes.
fn apply_torn(bytes: &mut Vec<u8>, change: &Change, seeded: &mut Seeded) {
    match change {
        Change::Truncate { .. } if seeded.flip() => apply_whole(bytes, change),
        Change::Truncate { .. } => {}
        Change::Write { at, bytes: new } => {
            let mut from = 0;
            while from < new.len() {
                let sector_end = (at + from) / 512 * 512 + 512;
                let to = (sector_end - at).min(new.len());
                if seeded.flip() {
                    apply_whole(bytes, &Change::Write { at: at + from, bytes: new[from..to].to_vec() });
                }
                from = to;
            }
        }
    }
}
