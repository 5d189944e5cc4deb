//! `doctor`: what works here, what does not, and what helps. It changes nothing.

mod desktop;
mod finding;
mod keepers;
mod machine;
mod model;
mod ocr;
mod settings;
mod storage;
#[cfg(windows)]
mod windows;

use crate::assemble;
use crate::cli::{DoctorArgs, ModelArgs, ModelsTestArgs};
use crate::environment::Environment;
use crate::exit::Exit;
use crate::providers;
use crate::settings as profile_settings;
use finding::report;
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::stop::Stop;
use std::sync::Arc;

pub(crate) fn run(environment: &Environment, args: &DoctorArgs) -> anyhow::Result<Exit> {
    let flags = args.desktop.flags();
    let settings = profile_settings::resolve(environment, &args.settings, &flags)?;
    let profile = &settings.profile;
    let model = assemble::model::Choice::read(environment, profile, &args.model)?;
    let choice = assemble::desktop::Choice::read(&args.desktop.desktop, environment)
        .and_then(|choice| choice.equipped(profile, environment));
    let hands = match &choice {
        Ok(choice) => assemble::desktop::hands(environment, profile, choice)?,
        Err(_) => None,
    };
    let clock: Arc<dyn Clock> = Arc::new(RealClock::new());
    let mut findings = machine::check(environment, model.is_here(), &profile.hud);
    findings.extend(settings::check(&settings));
    findings.extend(storage::check(profile));
    findings.extend(desktop::check(choice, hands, &settings));
    let stop = Stop::new();
    crate::signals::listen(stop.clone())?;
    let runtime = crate::runtime()?;
    findings.extend(runtime.block_on(ocr::check(profile, providers::withheld(environment, profile))));
    let remote = model.remote(environment, profile, &clock);
    let deadlines = assemble::model::deadlines(profile);
    findings.extend(runtime.block_on(model::check(remote, deadlines, &stop)));
    Ok(report(&findings, args.json))
}

/// `models test`: what `doctor` says of a model, of any one and of nothing else.
pub(crate) fn test_model(environment: &Environment, args: ModelsTestArgs) -> anyhow::Result<Exit> {
    let profile = profile_settings::resolve(environment, &args.settings, &[])?.profile;
    let model = ModelArgs { model: vec![args.name], base_url: args.base_url };
    let choice = assemble::model::Choice::read(environment, &profile, &model)?;
    let clock: Arc<dyn Clock> = Arc::new(RealClock::new());
    let stop = Stop::new();
    crate::signals::listen(stop.clone())?;
    let remote = choice.remote(environment, &profile, &clock);
    let deadlines = assemble::model::deadlines(&profile);
    let findings = crate::runtime()?.block_on(model::check(remote, deadlines, &stop));
    Ok(report(&findings, args.json))
}
