//! Whether a run could be kept where the profile says.

use super::finding::{Area, Finding, Findings};
use crate::assemble::room::Room;
use handsight_agent::profile::Profile;
use std::path::Path;

pub(super) fn check(profile: &Profile) -> Vec<Finding> {
    let dump = Path::new(&profile.record.dump_folder);
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
    match Room::look(dump, profile) {
        Some(room) if room.is_enough() => findings.ok("free_space", room.to_string()),
        Some(room) => findings.fail("free_space", room.to_string(), Room::REMEDY),
        None => {}
    }
    findings.list
}

#[cfg(test)]
mod tests {
    use super::super::finding::Status;
    use super::*;
    use crate::environment::Environment;
    use crate::settings::resolve_named;

    #[test]
    fn a_folder_that_is_not_there_yet_is_no_fault_and_nothing_stays_behind() {
        let home = tempfile::tempdir().unwrap();
        let check = |dump: &str, least: u64| {
            let dump = format!("record.dump_folder={}", home.path().join(dump).display());
            let set = [dump, format!("record.min_free_mib={least}")];
            super::check(&resolve_named(&Environment::default(), "stateless", &set, &[]).unwrap().profile)
        };
        let statuses = |found: Vec<Finding>| found.iter().map(|f| (f.check, f.status)).collect::<Vec<_>>();
        let good = [("dump_folder", Status::Ok), ("free_space", Status::Ok)];
        assert_eq!(statuses(check("a/b/dump", 1)), good);
        // No disk has an exbibyte to spare.
        assert_eq!(statuses(check("a/b/dump", 1 << 40)), [good[0], ("free_space", Status::Fail)]);
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
        std::fs::write(home.path().join("file"), "").unwrap();
        assert_eq!(statuses(check("file/dump", 1))[0], ("dump_folder", Status::Fail));
    }
}
