//! Where a run leaves its things: a folder of its own that nobody but its owner may read (S-98).
//!
//! Names are in UTC, so that runs sort in the order they began. This module makes folders and finds them; what is in them
//! belongs to the store.

use crate::exit::{Exit, Failure};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// What kind of run the folder is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `run_YYYYMMDD_HHMMSS`.
    Run,
    /// `test_YYYYMMDD_HHMMSS`, of `manual`.
    Test,
    /// `demo_YYYYMMDD_HHMMSS`: a folder of runs.
    Demo,
    /// `eval_YYYYMMDD_HHMMSS`: the same, with a report.
    Eval,
}

impl Kind {
    const fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Test => "test",
            Self::Demo => "demo",
            Self::Eval => "eval",
        }
    }
}

/// Makes the folder of a new run: `out` if it is given, else a new one under `dump`.
pub(crate) fn create(
    out: Option<&Path>,
    dump: &Path,
    kind: Kind,
    unix_millis: i64,
) -> Result<PathBuf, Failure> {
    match out {
        Some(dir) => given(dir),
        None => fresh(dump, kind, unix_millis),
    }
}

/// Refuses a folder that already holds something. Asked before anything is started, and again when the folder is made.
pub(crate) fn check(out: &Path) -> Result<(), Failure> {
    let mut entries = match fs::read_dir(out) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(unusable(out, &e)),
    };
    if entries.next().is_none() {
        return Ok(());
    }
    let what = format!("{} is not empty", out.display());
    Err(if out.join(DATABASE).exists() {
        Failure::usage(what + ": it holds a run", format!("Go on with it: --resume {}", out.display()))
    } else {
        Failure::usage(what, "Give --out an empty folder, or one that is not there yet.")
    })
}

/// A folder the person named: made if it is not there, else it must be empty.
fn given(dir: &Path) -> Result<PathBuf, Failure> {
    match private(dir) {
        Ok(()) => return Ok(dir.to_owned()),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(e) => return Err(unusable(dir, &e)),
    }
    check(dir)?;
    close(dir).map_err(|e| unusable(dir, &e))?;
    Ok(dir.to_owned())
}

/// A folder that did not exist before: two runs of one second get `_2`, `_3`.
fn fresh(dump: &Path, kind: Kind, unix_millis: i64) -> Result<PathBuf, Failure> {
    match private(dump) {
        Ok(()) => {}
        // Whoever made the dump folder decided who may look into it; the runs are closed each for itself.
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(e) => return Err(unusable(dump, &e)),
    }
    let name = format!("{}_{}", kind.word(), stamp(unix_millis));
    for n in 1..10_000 {
        let dir = dump.join(if n == 1 { name.clone() } else { format!("{name}_{n}") });
        match private_leaf(&dir) {
            Ok(()) => return Ok(dir),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(unusable(&dir, &e)),
        }
    }
    Err(Failure::new(Exit::Storage, format!("{}: no free name for a run", dump.display()), ""))
}

/// The last part of a run folder's path, by which people know the run.
pub(crate) fn name(dir: &Path) -> String {
    dir.file_name().unwrap_or(dir.as_os_str()).to_string_lossy().into_owned()
}

/// The file that makes a folder a run.
pub(crate) const DATABASE: &str = "run.db";

/// The runs in a folder, oldest first.
pub(crate) fn list(dump: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = match fs::read_dir(dump) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Failure::new(Exit::Storage, format!("{}: {e}", dump.display()), "")),
    };
    let mut runs: Vec<PathBuf> =
        entries.filter_map(Result::ok).map(|e| e.path()).filter(|p| p.join(DATABASE).is_file()).collect();
    // By time, not by kind: the name begins with run_ or test_.
    runs.sort_by_key(|p| {
        let name = p.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name.split_once('_').map(|(_, rest)| rest.to_owned()).unwrap_or_default(), name)
    });
    Ok(runs)
}

fn unusable(dir: &Path, error: &std::io::Error) -> Failure {
    let hint = "Name a folder you may write to: --out DIR, or the setting record.dump_folder.";
    Failure::new(Exit::Storage, format!("{} cannot be used for a run: {error}", dir.display()), hint)
}

/// Makes a folder and those above it; the last one new and readable by its owner only.
fn private(dir: &Path) -> std::io::Result<()> {
    if let Some(above) = dir.parent().filter(|p| !p.as_os_str().is_empty()) {
        fs::create_dir_all(above)?;
    }
    private_leaf(dir)
}

fn private_leaf(dir: &Path) -> std::io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "a folder takes its rights from the one it lies in"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Takes away everybody else's rights.
fn close(dir: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(dir, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    #[cfg(not(unix))]
    let _inherited = dir;
    Ok(())
}

/// Writes a file that nobody but its owner may read.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).and_then(|mut file| file.write_all(bytes))
}

/// `YYYYMMDD_HHMMSS` in UTC.
fn stamp(unix_millis: i64) -> String {
    when(unix_millis).replace(['-', ':'], "").replace(' ', "_")
}

/// `YYYY-MM-DD HH:MM:SS` in UTC.
pub(crate) fn when(unix_millis: i64) -> String {
    let seconds = unix_millis.div_euclid(1000);
    let (year, month, day) = civil(seconds.div_euclid(86_400));
    let of_day = seconds.rem_euclid(86_400);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60)
}

/// The date of a day counted from 1970-01-01 (Hinnant's `civil_from_days`).
const fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + (month <= 2) as i64, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_moment_the_run_began() {
        assert_eq!(stamp(0), "19700101_000000");
        assert_eq!(stamp(1_710_512_222_999), "20240315_141702");
        assert_eq!(stamp(951_827_696_000), "20000229_123456");
        assert_eq!(when(1_710_512_222_999), "2024-03-15 14:17:02");
    }

    // spec: S-98 UNIT
    #[cfg(unix)]
    #[test]
    fn folders_are_their_owners_alone_and_never_shared() {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
        let home = tempfile::tempdir().unwrap();
        let dump = home.path().join("a/dump");
        let first = create(None, &dump, Kind::Run, 1_710_512_222_999).unwrap();
        let second = create(None, &dump, Kind::Run, 1_710_512_222_999).unwrap();
        let test = create(None, &dump, Kind::Test, 1_710_512_222_999).unwrap();
        assert_eq!(first, dump.join("run_20240315_141702"));
        assert_eq!(second, dump.join("run_20240315_141702_2"));
        assert_eq!(test, dump.join("test_20240315_141702"));
        let open = home.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        let given = create(Some(&open), &dump, Kind::Run, 0).unwrap();
        for dir in [&dump, &first, &second, &test, &given] {
            assert_eq!(mode(dir), 0o700, "{}", dir.display());
        }
    }

    #[test]
    fn a_folder_with_something_in_it_is_refused() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("letter.txt"), "x").unwrap();
        let said = given(home.path()).unwrap_err().to_string();
        assert!(said.ends_with("is not empty"), "{said}");
        fs::write(home.path().join(DATABASE), "x").unwrap();
        let said = given(home.path()).unwrap_err().to_string();
        assert!(said.ends_with("it holds a run"), "{said}");
    }

    #[test]
    fn runs_are_listed_by_age() {
        let home = tempfile::tempdir().unwrap();
        for name in ["test_20240101_000000", "run_20240102_000000", "run_20230101_000000", "other"] {
            fs::create_dir(home.path().join(name)).unwrap();
            if name != "other" {
                fs::write(home.path().join(name).join(DATABASE), "").unwrap();
            }
        }
        let names: Vec<String> = list(home.path())
            .unwrap()
            .iter()
            .map(|p| p.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, ["run_20230101_000000", "test_20240101_000000", "run_20240102_000000"]);
        assert!(list(&home.path().join("nothing")).unwrap().is_empty());
    }
}
