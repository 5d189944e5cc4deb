//! The tree the chores look at: where it is, and its Rust sources as text.
//!
//! Reads only. A source is named by its path from the root with `/`, so messages are the same everywhere.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
}

/// One file of Rust.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// From the root, with `/`: `crates/base/src/space.rs`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    #[cfg(test)]
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }
}

impl Workspace {
    /// The nearest folder at or above the current one that holds `xtask/Cargo.toml`.
    pub(crate) fn find() -> Result<Self> {
        let here = std::env::current_dir().context("the current folder cannot be read")?;
        match here.ancestors().find(|dir| dir.join("xtask/Cargo.toml").is_file()) {
            Some(root) => Ok(Self { root: root.to_owned() }),
            None => bail!("{} is not inside the workspace: no xtask/Cargo.toml above it", here.display()),
        }
    }

    /// Where cargo builds.
    pub(crate) fn target_dir(&self) -> PathBuf {
        self.root.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
    }

    pub(crate) fn read(&self, path: &str) -> Result<String> {
        fs::read_to_string(self.root.join(path)).with_context(|| format!("{path} cannot be read"))
    }

    /// Folder names under `crates/` that hold a `Cargo.toml`, sorted.
    pub(crate) fn crates(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.root.join("crates")).context("crates/ cannot be read")? {
            let entry = entry?;
            if entry.path().join("Cargo.toml").is_file() {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// Every `.rs` file under the given folders, sorted by path. A folder that is not there holds none.
    pub(crate) fn sources(&self, folders: &[&str]) -> Result<Vec<Source>> {
        let mut paths = Vec::new();
        for folder in folders {
            walk(&self.root.join(folder), &mut paths)?;
        }
        paths.sort();
        let mut sources = Vec::with_capacity(paths.len());
        for path in paths {
            let text =
                fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
            sources.push(Source { path: self.relative(&path), text });
        }
        Ok(sources)
    }

    fn relative(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.root).unwrap_or(path);
        inside.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    }
}

fn walk(dir: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    if !dir.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(dir).with_context(|| format!("{} cannot be read", dir.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            walk(&path, found)?;
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
    Ok(())
}
