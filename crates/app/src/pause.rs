//! A pause from another terminal: `runs pause RUN` and `runs unpause RUN`, by way of one file in the run folder.
//!
//! The file says `wanted` when it is made and `kept` once the run holds still: from then on no picture is taken, and the command
//! that asked for it returns. It is gone when the pause is over. A pause ends with its run: a file that was left is no wish.
//! A run that holds still by itself, because a person uses its screen, makes the file and says `person`; taking it away is the
//! person's word that it may go on.

use crate::exit::{Exit, Failure};
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::privacy::Privacy;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often the run looks for it.
const LOOK: Duration = Duration::from_millis(50);
/// How long the run may take to hold still: it ends what its hands are doing and gives up the call to its model.
const PATIENCE: Duration = Duration::from_secs(10);

const WANTED: &str = "wanted";
const KEPT: &str = "kept";
const PERSON: &str = "person";

fn file(run: &Path) -> PathBuf {
    run.join("pause")
}

/// Does what the file says for as long as it is kept.
pub(crate) struct Watch {
    file: PathBuf,
    looking: tokio::task::JoinHandle<()>,
}

impl Watch {
    /// Called from within a runtime.
    pub(crate) fn start(run: &Path, privacy: Privacy) -> Self {
        let file = file(run);
        let _of_an_earlier_life = fs::remove_file(&file);
        let looked_at = file.clone();
        let looking = tokio::spawn(async move {
            let clock = RealClock::new();
            let mut here = false;
            loop {
                clock.sleep(LOOK).await;
                here = step(&looked_at, &privacy, here);
            }
        });
        Self { file, looking }
    }
}

/// One look; whether the file is there.
fn step(file: &Path, privacy: &Privacy, was_here: bool) -> bool {
    let Ok(said) = fs::read_to_string(file) else {
        if was_here {
            privacy.end();
            return false;
        }
        return privacy.is_held() && fs::write(file, PERSON).is_ok();
    };
    if said.trim() == PERSON && !privacy.is_on() {
        if !privacy.is_held() {
            let _already = fs::remove_file(file);
        }
        return privacy.is_held();
    }
    // Anew, or over what the run said of itself.
    if !was_here || privacy.is_held() {
        privacy.begin();
    }
    if !privacy.is_on() {
        // It was ended in another way.
        let _already = fs::remove_file(file);
        return false;
    }
    if privacy.is_kept() && said.trim() != KEPT {
        // Only into the file that is there: one that was taken away meanwhile stays away.
        let written = fs::OpenOptions::new().write(true).truncate(true).open(file);
        let _whoever_waits_gives_up = written.and_then(|mut f| io::Write::write_all(&mut f, KEPT.as_bytes()));
    }
    true
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.looking.abort();
        let _there_is_none = fs::remove_file(&self.file);
    }
}

/// Wants a pause and waits until it is kept.
pub(crate) async fn begin(run: &Path) -> anyhow::Result<()> {
    let file = file(run);
    let made = fs::OpenOptions::new().write(true).create_new(true).open(&file);
    match made.and_then(|mut f| io::Write::write_all(&mut f, WANTED.as_bytes())) {
        Ok(()) => {}
        // It may say that a person uses the screen; this says more.
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {
            let said = fs::read_to_string(&file).unwrap_or_default();
            if said.trim() == PERSON {
                fs::write(&file, WANTED).map_err(|e| unusable(&file, &e))?;
            }
        }
        Err(e) => return Err(unusable(&file, &e).into()),
    }
    let clock = RealClock::new();
    while clock.now() < PATIENCE {
        match fs::read_to_string(&file) {
            Ok(said) if said.trim() == KEPT => return Ok(()),
            Ok(_) => clock.sleep(LOOK).await,
            Err(_) => return Err(Failure::new(Exit::Storage, "the pause was ended at once", "").into()),
        }
    }
    let what = format!("{} does not say that it holds still", run.display());
    Err(Failure::new(Exit::Storage, what, "It is wanted all the same, until `handsight runs unpause`.")
        .into())
}

/// Ends a pause; false if there is none.
pub(crate) fn end(run: &Path) -> anyhow::Result<bool> {
    let file = file(run);
    match fs::remove_file(&file) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        Err(e) => Err(unusable(&file, &e).into()),
    }
}

fn unusable(file: &Path, error: &io::Error) -> Failure {
    Failure::new(Exit::Storage, format!("{}: {error}", file.display()), "Are you the one who began the run?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_the_wish_and_says_when_it_is_kept() {
        let run = tempfile::tempdir().unwrap();
        let (file, privacy) = (file(run.path()), Privacy::new());
        assert!(!step(&file, &privacy, false) && !privacy.is_on());
        fs::write(&file, WANTED).unwrap();
        assert!(step(&file, &privacy, false) && privacy.is_on());
        assert_eq!(fs::read_to_string(&file).unwrap(), WANTED, "nobody holds still yet");
        privacy.keep();
        assert!(step(&file, &privacy, true));
        assert_eq!(fs::read_to_string(&file).unwrap(), KEPT);
        assert!(end(run.path()).unwrap() && !end(run.path()).unwrap());
        assert!(!step(&file, &privacy, true) && !privacy.is_on());
        // Begun in another way, it is not ended by a file that is not there; ended in another way, the file goes.
        privacy.begin();
        assert!(!step(&file, &privacy, false) && privacy.is_on());
        fs::write(&file, WANTED).unwrap();
        assert!(step(&file, &privacy, false));
        privacy.end();
        assert!(!step(&file, &privacy, true) && !file.exists());
    }

    #[test]
    fn a_run_that_holds_still_by_itself_says_so_and_hears_the_word() {
        let run = tempfile::tempdir().unwrap();
        let (file, privacy) = (file(run.path()), Privacy::new());
        let word = privacy.hold();
        assert!(step(&file, &privacy, false));
        assert_eq!(fs::read_to_string(&file).unwrap(), PERSON);
        assert!(step(&file, &privacy, true) && end(run.path()).unwrap());
        assert!(!step(&file, &privacy, true) && word.is_set() && !privacy.is_on());
        // It goes on without a word.
        let word = privacy.hold();
        assert!(step(&file, &privacy, false));
        privacy.go_on();
        assert!(!step(&file, &privacy, true) && !file.exists() && !word.is_set());
        // A wish for privacy comes on top.
        privacy.hold();
        assert!(step(&file, &privacy, false));
        fs::write(&file, WANTED).unwrap();
        assert!(step(&file, &privacy, true) && privacy.is_on());
    }
}
