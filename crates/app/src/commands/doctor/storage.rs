//! Whether a run could be kept where the profile says.

use super::finding::{Area, Finding, Findings};
use std::path::Path;

pub(super) fn check(dump: &Path) -> Vec<Finding> {
    let mut findings = Findings::of(Area::Storage);
    // The nearest folder above that exists is the one a run would make its own in.
    let there = std::path::absolute(dump).unwrap_or_else(|_| dump.to_owned());
    let there = there.ancestors().find(|p| p.exists()).unwrap_or(dump);
    let probe = there.join(format!(".handsight-{}", std::process::id()));
    let tried = std::fs::write(&probe, b"x");
    // It may never have been made.
    let _gone = std::fs::remove_file(&probe);
    match tried {
        Ok(()) => findings.ok("dump_folder", format!("{} can be written", dump.display())),
        Err(e) => findings.fail(
            "dump_folder",
            format!("{} cannot be written: {e}", there.display()),
            "Name another folder: --out DIR, or the setting record.dump_folder.",
        ),
    }
    findings.list
}

#[cfg(test)]
mod tests {
    use super::super::finding::Status;
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_yet_is_no_fault_and_nothing_stays_behind() {
        let home = tempfile::tempdir().unwrap();
        let found = check(&home.path().join("a/b/dump"));
        assert_eq!(found[0].status, Status::Ok, "{found:?}");
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
        std::fs::write(home.path().join("file"), "").unwrap();
        assert_eq!(check(&home.path().join("file/dump"))[0].status, Status::Fail);
    }
}
