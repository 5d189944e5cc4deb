//! The files of the desk, in memory: a tree of folders and texts. Paths begin with `/` and have no trailing one.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A file or folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    Folder,
    Text(String),
}

impl std::fmt::Display for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder => f.write_str("a folder"),
            Self::Text(text) => write!(f, "the text {text:?}"),
        }
    }
}

/// Why a change to the files was refused, in words a message box shows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    #[error("There is no {0}.")]
    Missing(String),
    #[error("{0} exists already.")]
    Exists(String),
    #[error("{0} is a folder.")]
    IsFolder(String),
    #[error("\"{0}\" cannot be a name: it is empty or holds a slash.")]
    BadName(String),
}

/// A line of a folder's contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub name: String,
    pub path: String,
    pub folder: bool,
    /// In bytes; of a folder the number of things in it.
    pub size: usize,
}

/// All files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Files {
    entries: BTreeMap<String, Entry>,
    #[serde(default)]
    revision: u64,
}

/// The folder a path lies in; of the top the top.
pub fn parent(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(at) => &path[..at],
    }
}

/// The last part of a path.
pub fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `folder` and `name` as a path.
pub fn join(folder: &str, name: &str) -> String {
    if folder == "/" { format!("/{name}") } else { format!("{folder}/{name}") }
}

impl Files {
    /// Counts up with every change.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    pub fn all(&self) -> &BTreeMap<String, Entry> {
        &self.entries
    }

    pub fn exists(&self, path: &str) -> bool {
        path == "/" || self.entries.contains_key(path)
    }

    pub fn is_folder(&self, path: &str) -> bool {
        path == "/" || self.entries.get(path) == Some(&Entry::Folder)
    }

    pub fn read(&self, path: &str) -> Option<&str> {
        match self.entries.get(path)? {
            Entry::Text(text) => Some(text),
            Entry::Folder => None,
        }
    }

    /// Writes a text; its folder must be there.
    pub fn write(&mut self, path: &str, text: impl Into<String>) -> Result<(), FileError> {
        if !self.is_folder(parent(path)) {
            return Err(FileError::Missing(parent(path).to_owned()));
        }
        if name(path).is_empty() {
            return Err(FileError::BadName(name(path).to_owned()));
        }
        if self.is_folder(path) {
            return Err(FileError::IsFolder(path.to_owned()));
        }
        self.entries.insert(path.to_owned(), Entry::Text(text.into()));
        self.revision += 1;
        Ok(())
    }

    pub fn make_folder(&mut self, path: &str) -> Result<(), FileError> {
        if self.exists(path) {
            return Err(FileError::Exists(path.to_owned()));
        }
        if !self.is_folder(parent(path)) {
            return Err(FileError::Missing(parent(path).to_owned()));
        }
        self.entries.insert(path.to_owned(), Entry::Folder);
        self.revision += 1;
        Ok(())
    }

    /// Removes a file, or a folder with all in it.
    pub fn remove(&mut self, path: &str) -> Result<(), FileError> {
        if !self.entries.contains_key(path) {
            return Err(FileError::Missing(path.to_owned()));
        }
        let within = format!("{path}/");
        self.entries.retain(|p, _| p != path && !p.starts_with(&within));
        self.revision += 1;
        Ok(())
    }

    /// Gives a file or folder another path, with all in it.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), FileError> {
        if from == to {
            return Ok(());
        }
        if !self.entries.contains_key(from) {
            return Err(FileError::Missing(from.to_owned()));
        }
        if self.exists(to) {
            return Err(FileError::Exists(to.to_owned()));
        }
        let within = format!("{from}/");
        if !self.is_folder(parent(to)) || to.starts_with(&within) {
            return Err(FileError::Missing(parent(to).to_owned()));
        }
        let moved: Vec<String> =
            self.entries.keys().filter(|p| *p == from || p.starts_with(&within)).cloned().collect();
        for path in moved {
            if let Some(entry) = self.entries.remove(&path) {
                self.entries.insert(format!("{to}{}", &path[from.len()..]), entry);
            }
        }
        self.revision += 1;
        Ok(())
    }

    /// What is in a folder: folders first, each by name.
    pub fn list(&self, folder: &str) -> Vec<Listed> {
        let mut listed: Vec<Listed> = self
            .entries
            .iter()
            .filter(|(path, _)| parent(path) == folder)
            .map(|(path, entry)| {
                let (folder, size) = match entry {
                    Entry::Folder => (true, self.entries.keys().filter(|p| parent(p) == path).count()),
                    Entry::Text(text) => (false, text.len()),
                };
                Listed { name: name(path).to_owned(), path: path.clone(), folder, size }
            })
            .collect();
        listed.sort_by_key(|l| (!l.folder, l.name.to_lowercase()));
        listed
    }
}
