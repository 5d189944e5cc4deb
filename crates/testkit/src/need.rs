//! Whether a program that a test needs is installed, and what to say if it is not.
//!
//! On the build machine (`CI=true`) a missing program fails the test; elsewhere the test is skipped and named with the
//! line that installs the program. Nothing is ever installed from here.

#![expect(clippy::print_stderr, reason = "a skipped test must say so where the person looks")]
#![expect(clippy::disallowed_methods, reason = "PATH and CI are what this file is about")]

use std::path::PathBuf;

/// True if `program` can be started. Otherwise panics when `CI=true`, or prints a `SKIPPED` line with the `package`
/// to install and returns false, upon which the test returns.
///
/// # Panics
/// When the program is missing and `CI=true`.
pub fn need(program: &str, package: &str) -> bool {
    if which(program).is_some() {
        return true;
    }
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let line = format!("SKIPPED {test}: needs {program} (apt-get install {package})");
    assert!(std::env::var_os("CI").is_none_or(|v| v != "true"), "{line}");
    eprintln!("{line}");
    false
}

/// Where `program` lies: the `PATH`, and Debian's folder for games which is often not in it.
pub fn which(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/games")])
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// True if the long tiers were asked for (`HANDSIGHT_LONG=1`): thousands of repetitions in place of hundreds.
pub fn long() -> bool {
    std::env::var_os("HANDSIGHT_LONG").is_some_and(|v| v == "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_program_that_is_there_is_found() {
        assert!(need("sh", "dash"));
        assert!(which("sh").is_some_and(|p| p.is_absolute()));
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let missing = std::panic::catch_unwind(|| need("no-such-program", "no-such-package"));
        match missing {
            Ok(found) => assert!(!found),
            Err(panic) => {
                let line = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                assert!(line.contains("needs no-such-program (apt-get install no-such-package)"), "{line}");
            }
        }
    }
}
