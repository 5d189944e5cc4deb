//! Going on with an earlier run: from its folder to a request, with what may be changed changed.

use super::room::Room;
use super::{Folder, Request, desktop, model};
use crate::cli::ModelArgs;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::settings::{self, Flag};
use crate::{run_folder, say};
use handsight_store::{OpenReport, Reader};
use std::fs;
use std::path::{Path, PathBuf};

impl Request {
    /// The request that `run` was begun with. Only limits, model and folder can be others.
    pub(crate) fn resumed(
        environment: &Environment,
        run: &Path,
        out: Option<PathBuf>,
        limits: &[Flag],
        args: &ModelArgs,
    ) -> anyhow::Result<Self> {
        let reader = Reader::open(run)?;
        let meta = reader.meta().cloned().ok_or_else(|| {
            let what = format!("{}: the record of what this run is for is damaged", run.display());
            Failure::new(
                Exit::Storage,
                what,
                "Begin a new run; `handsight runs show` tells what this one did.",
            )
        })?;
        if reader.is_live() {
            let what = format!("{} is still going on", run.display());
            return Err(Failure::new(Exit::Storage, what, "Stop it first.").into());
        }
        drop(reader);
        let mut settings = settings::recorded(environment, &meta.profile, &meta.profile_text, limits)?;
        // A day's limit is the person's, not the run's: the one that holds today.
        let today = settings::resolve_named(environment, &meta.profile, &[], &[])?.profile.limits;
        if today.max_cost_usd_per_day.is_some() {
            settings.profile.limits.max_cost_usd_per_day = today.max_cost_usd_per_day;
        }
        let mut args = args.clone();
        if args.model.is_empty() {
            args.model = meta.models.iter().map(|(role, name)| format!("{role}={name}")).collect();
        }
        let model = model::Choice::read(environment, &settings.profile, &args)?;
        let desktop = desktop::Choice::read(&meta.desktop, environment)?;
        if let desktop::Choice::World(world) = &desktop {
            let what = format!("{}: {world} was over when its run was", run.display());
            return Err(
                Failure::usage(what, "Begin a new run on it: the same seed is the same world.").into()
            );
        }
        let dir = match out {
            None => run.to_owned(),
            Some(out) => {
                Room::check(&out, &settings.profile)?;
                copied(run, &out)?
            }
        };
        let folder = Folder::Resumed { dir };
        let task = meta.objective;
        Ok(Self { settings, task, desktop, model: Some(model), folder, hands: true, quiet: false })
    }
}

/// What the opening found, for the person: the journal's own warnings say it in detail.
pub(super) fn tell(report: &OpenReport) {
    if let Some(aside) = &report.set_aside {
        say::warning(&format!("the journal was damaged; the originals are in {}", aside.display()));
    }
    if !report.ambiguous.is_empty() {
        let n = report.ambiguous.len();
        say::warning(&format!(
            "{n} action(s) may or may not have happened; none is done again, and the model is told"
        ));
    }
}

/// The run in a new folder, so that the old one stays as it is.
fn copied(run: &Path, out: &Path) -> Result<PathBuf, Failure> {
    let dir = run_folder::create(Some(out), Path::new(""), run_folder::Kind::Run, 0)?;
    copy(run, &dir).map_err(|e| {
        let what = format!("{} could not be copied to {}: {e}", run.display(), dir.display());
        Failure::new(Exit::Storage, what, "")
    })?;
    Ok(dir)
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir(&target)?;
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}
