//! What a run may spend, and where it is written down.

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::say;
use handsight_agent::profile::{Limits, Profile};
use handsight_base::port::clock::Clock;
use handsight_base::port::model::Model;
use handsight_model::{Account, Metered, Price, Remote, Tariff};
use handsight_store::spend::{Caps, Ledger, Nanos};
use handsight_store::{Journal, RunMeta};
use std::sync::Arc;

/// What the model costs: its provider's word, else the person's.
pub(super) fn tariff(remote: &Remote, profile: &Profile) -> Tariff {
    let own = || {
        let (input, output) = (profile.decide.price_input_usd?, profile.decide.price_output_usd?);
        Some(Price { input, cached: None, cache_write: None, output, long: None })
    };
    let told = remote.tariff();
    Tariff { price: told.price.or_else(own), ..told }
}

/// Refuses a limit that cannot be held, and says how to give the price.
pub(super) fn check(limits: &Limits, name: &str, price_known: bool) -> Result<(), Failure> {
    let limit = match limits {
        Limits { max_cost_usd: Some(_), .. } => "--max-cost",
        Limits { max_cost_usd_per_day: Some(_), .. } => "limits.max_cost_usd_per_day",
        _ => return Ok(()),
    };
    if price_known {
        return Ok(());
    }
    let what = format!("what {name} costs is not known, so {limit} cannot be held");
    let hint = "Give the price in US dollars per million tokens, for example --set decide.price_input_usd=2.5 --set \
                decide.price_output_usd=10, or for good in a provider file of your own (`handsight models`). A model that \
                costs nothing has the price 0. Or leave the limit out.";
    Err(Failure::usage(what, hint))
}

/// The record of spending. `None` where there is no home to keep it in and no limit needs it.
pub(super) fn ledger(environment: &Environment, limits: &Limits) -> anyhow::Result<Option<Arc<Ledger>>> {
    let needed = caps(limits) != Caps::default();
    let Some(dir) = environment.ledger_dir() else {
        if needed {
            let what = "there is no folder to keep what models cost in, so no limit of cost can be held";
            return Err(Failure::new(Exit::Storage, what, "Set HOME or XDG_STATE_HOME.").into());
        }
        return Ok(None);
    };
    match Ledger::open(&dir) {
        Ok((ledger, dead)) => {
            if dead > 0 {
                say::note(&format!(
                    "{dead} model call(s) of a run that died stay charged at the most they can have cost"
                ));
            }
            Ok(Some(Arc::new(ledger)))
        }
        Err(error) if needed => Err(error.into()),
        Err(error) => {
            say::warning(&format!("{error}. What this run costs is not recorded"));
            Ok(None)
        }
    }
}

/// The model, paid for from the ledger.
pub(super) fn paid(
    remote: Arc<Remote>,
    tariff: Tariff,
    ledger: Option<Arc<Ledger>>,
    (journal, limits): (&Journal, &Limits),
    stopwatch: &Arc<dyn Clock>,
) -> anyhow::Result<Arc<dyn Model>> {
    let Some(ledger) = ledger else { return Ok(remote) };
    let name = journal.meta().map_or_else(|| journal.dir().display().to_string(), account);
    // A journal that was made elsewhere knows what the ledger of this machine does not.
    let before = journal.resume().totals.cost_usd;
    if before > 0.0 {
        ledger.carry(&name, remote.name(), Nanos::from_usd(before), stopwatch.unix_millis())?;
    }
    let account = Account { name, caps: caps(limits) };
    Ok(Arc::new(Metered::new(remote, tariff, account, ledger, Arc::clone(stopwatch))))
}

/// Stays the same when the folder is moved, copied or resumed.
fn account(meta: &RunMeta) -> String {
    format!("{}@{}", meta.run, meta.started_unix_millis)
}

/// The run's name in an account.
pub(crate) fn run_of(account: &str) -> &str {
    account.rsplit_once('@').map_or(account, |(run, _)| run)
}

fn caps(limits: &Limits) -> Caps {
    Caps {
        run: limits.max_cost_usd.map(Nanos::from_usd),
        day: limits.max_cost_usd_per_day.map(Nanos::from_usd),
    }
}
