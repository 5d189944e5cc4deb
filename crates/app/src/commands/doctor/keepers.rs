//! Processes that earlier runs left on purpose: hands that keep the clipboard until another program copies something.

use std::fs;
use std::path::{Path, PathBuf};

/// Process ids of our own input supervisors whose engine has ended.
pub(super) fn find(proc: &Path) -> Vec<u32> {
    let mut found: Vec<u32> = fs::read_dir(proc)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| is_hands(proc, *pid) && !engine_lives(proc, *pid))
        .collect();
    found.sort_unstable();
    found
}

fn is_hands(proc: &Path, pid: u32) -> bool {
    let line = fs::read(proc.join(pid.to_string()).join("cmdline")).unwrap_or_default();
    let mut words = line.split(|b| *b == 0);
    let program = words.next().map(|w| PathBuf::from(String::from_utf8_lossy(w).into_owned()));
    let ours = program.as_deref().and_then(Path::file_name).is_some_and(|n| n == "handsight");
    ours && words.next() == Some(crate::cli::HANDS.as_bytes())
}

/// True if its parent is still the engine that started it.
fn engine_lives(proc: &Path, pid: u32) -> bool {
    let status = fs::read_to_string(proc.join(pid.to_string()).join("status")).unwrap_or_default();
    let parent = status.lines().find_map(|l| l.strip_prefix("PPid:")?.trim().parse::<u32>().ok());
    let name = parent.and_then(|p| fs::read_to_string(proc.join(p.to_string()).join("comm")).ok());
    name.is_some_and(|n| n.trim() == "handsight")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hands_without_their_engine_are_keepers() {
        let proc = tempfile::tempdir().unwrap();
        for (pid, line, comm, parent) in [
            (1, "/sbin/init\0", "init", 0),
            (10, "/usr/bin/handsight\0run\0x\0", "handsight", 1),
            (11, "/usr/bin/handsight\0__hands\0", "handsight", 10),
            (12, "/usr/bin/handsight\0__hands\0", "handsight", 1),
            (13, "/usr/bin/vi\0__hands\0", "vi", 1),
        ] {
            let folder = proc.path().join(pid.to_string());
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("cmdline"), line).unwrap();
            fs::write(folder.join("comm"), format!("{comm}\n")).unwrap();
            fs::write(folder.join("status"), format!("Name:\t{comm}\nPPid:\t{parent}\n")).unwrap();
        }
        fs::create_dir(proc.path().join("self")).unwrap();
        assert_eq!(find(proc.path()), [12]);
        assert!(find(Path::new("/nonexistent")).is_empty());
    }
}
