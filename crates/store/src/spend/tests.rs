use super::*;
use tempfile::TempDir;

const NOON: i64 = 20_000 * 86_400_000 + 43_200_000;

fn usd(usd: f64) -> Nanos {
    Nanos::from_usd(usd)
}

fn claim(account: &str, most: f64) -> Claim<'_> {
    let most_tokens = Tokens { input: 1000, output: 100, cached: 0 };
    Claim { account, model: "test/model", most: Some(usd(most)), most_tokens }
}

fn caps(run: f64) -> Caps {
    Caps { run: Some(usd(run)), day: None }
}

fn open() -> (TempDir, Ledger) {
    let dir = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(dir.path()).unwrap().0;
    (dir, ledger)
}

fn granted(ledger: &Ledger, claim: &Claim<'_>, caps: Caps) -> CallId {
    match ledger.reserve(claim, caps, NOON).unwrap() {
        Reserved::Granted(id) => id,
        other => panic!("{other:?}"),
    }
}

fn told(cost: f64) -> Settled {
    Settled::Told { cost: usd(cost), tokens: Tokens { input: 10, output: 2, cached: 4 } }
}

#[test]
fn amounts_are_whole_billionths_and_never_a_gift() {
    assert_eq!(usd(0.1), Nanos(100_000_000));
    assert_eq!(usd(1e-10), Nanos(1), "rounded up");
    assert_eq!([f64::NAN, f64::INFINITY, -1.0, 1e300].map(usd), [Nanos(Nanos::MOST); 4]);
    let ten: i64 = (0..10).map(|_| usd(0.1).0).sum();
    assert_eq!(ten, usd(1.0).0, "ten dimes are a dollar");
}

#[test]
fn an_open_call_counts_at_its_most_until_it_is_settled() {
    let (_dir, ledger) = open();
    let a = granted(&ledger, &claim("run", 0.6), caps(1.0));
    assert_eq!(ledger.spent("run").unwrap(), usd(0.6));
    assert_eq!(ledger.reserve(&claim("run", 0.5), caps(1.0), NOON).unwrap(), Reserved::Busy);
    ledger.settle(a, told(0.1)).unwrap();
    let b = granted(&ledger, &claim("run", 0.5), caps(1.0));
    ledger.settle(b, Settled::Assumed).unwrap();
    assert_eq!(ledger.spent("run").unwrap(), usd(0.6));
    let over = Reserved::Over { cap: Cap::Run, limit: usd(1.0), spent: usd(0.6) };
    assert_eq!(ledger.reserve(&claim("run", 0.5), caps(1.0), NOON).unwrap(), over);
    let c = granted(&ledger, &claim("run", 0.4), caps(1.0));
    ledger.settle(c, Settled::Free).unwrap();
    assert_eq!(ledger.spent("run").unwrap(), usd(0.6), "what was refused costs nothing");
    // Settled once: a second word changes nothing.
    ledger.settle(c, told(5.0)).unwrap();
    assert_eq!(ledger.spent("run").unwrap(), usd(0.6));
    granted(&ledger, &claim("another", 1.0), caps(1.0));
}

#[test]
fn a_day_is_shared_by_all_runs_and_begins_anew() {
    let (_dir, ledger) = open();
    let limit = Caps { run: Some(usd(9.0)), day: Some(usd(1.0)) };
    let a = granted(&ledger, &claim("a", 0.7), limit);
    ledger.settle(a, told(0.7)).unwrap();
    let over = Reserved::Over { cap: Cap::Day, limit: usd(1.0), spent: usd(0.7) };
    assert_eq!(ledger.reserve(&claim("b", 0.4), limit, NOON).unwrap(), over);
    let tomorrow = NOON + 86_400_000;
    assert!(matches!(ledger.reserve(&claim("b", 0.4), limit, tomorrow).unwrap(), Reserved::Granted(_)));
    // What was brought along from elsewhere is of no day of this machine.
    ledger.carry("c", "test/model", usd(5.0), NOON).unwrap();
    assert_eq!(ledger.spent("c").unwrap(), usd(5.0));
    assert_eq!(ledger.reserve(&claim("b", 0.3), limit, NOON).unwrap(), Reserved::Granted(CallId(4)));
}

#[test]
fn what_was_spent_is_there_after_a_restart_and_a_carry_adds_only_what_is_missing() {
    let (dir, ledger) = open();
    let id = granted(&ledger, &claim("run", 0.5), caps(1.0));
    ledger.settle(id, told(0.4)).unwrap();
    drop(ledger);
    let (ledger, dead) = Ledger::open(dir.path()).unwrap();
    assert_eq!((dead, ledger.spent("run").unwrap()), (0, usd(0.4)));
    for at_least in [0.3, 0.4, 0.9, 0.9] {
        ledger.carry("run", "m", usd(at_least), NOON).unwrap();
    }
    assert_eq!(ledger.spent("run").unwrap(), usd(0.9));
}

#[test]
fn a_ledger_that_is_dropped_leaves_its_open_calls_charged() {
    let (dir, first) = open();
    let (second, _) = Ledger::open(dir.path()).unwrap();
    granted(&first, &claim("run", 0.9), caps(1.0));
    assert_eq!(second.reserve(&claim("run", 0.5), caps(1.0), NOON).unwrap(), Reserved::Busy);
    drop(first);
    let over = Reserved::Over { cap: Cap::Run, limit: usd(1.0), spent: usd(0.9) };
    assert_eq!(second.reserve(&claim("run", 0.5), caps(1.0), NOON).unwrap(), over);
    assert_eq!(std::fs::read_dir(dir.path().join("spend.open")).unwrap().count(), 1, "its lock went with it");
}

#[test]
fn sums_by_model_run_and_day_tell_what_was_assumed() {
    let (_dir, ledger) = open();
    for (account, model, most, settled) in [
        ("a", "p/one", Some(0.2), Some(told(0.1))),
        ("a", "p/two", Some(0.3), Some(Settled::Assumed)),
        ("b", "p/one", None, Some(told(7.0))),
        ("b", "p/one", Some(0.4), None),
    ] {
        let claim = Claim { account, model, most: most.map(usd), most_tokens: Tokens::default() };
        let id = granted(&ledger, &claim, Caps::default());
        if let Some(settled) = settled {
            ledger.settle(id, settled).unwrap();
        }
    }
    let models = ledger.sums(Grouping::Model, 0).unwrap();
    let one = &models[0];
    assert_eq!((one.key.as_str(), one.calls, one.unpriced), ("p/one", 3, 1));
    assert_eq!((one.cost, one.open, one.assumed), (usd(0.5), usd(0.4), Nanos(0)), "the unpriced one is free");
    assert_eq!(one.tokens, Tokens { input: 20, output: 4, cached: 8 });
    assert_eq!((models[1].cost, models[1].assumed), (usd(0.3), usd(0.3)));
    let days = ledger.sums(Grouping::Day, 0).unwrap();
    assert_eq!((days.len(), days[0].key.as_str(), days[0].cost), (1, "2024-10-04", usd(0.8)));
    assert_eq!(ledger.sums(Grouping::Run, 0).unwrap().len(), 2);
    assert_eq!(ledger.sums(Grouping::Run, NOON + 1).unwrap(), []);
}

#[test]
fn a_pause_is_shared_and_never_outlives_a_clock_that_was_set_back() {
    let (dir, first) = open();
    let (second, _) = Ledger::open(dir.path()).unwrap();
    let minute = Duration::from_secs(60);
    first.service_failed("api", minute, NOON).unwrap();
    second.service_failed("api", Duration::from_secs(5), NOON + 1000).unwrap();
    let seen = second.service("api", NOON + 10_000).unwrap();
    assert_eq!((seen.pause, seen.failures), (Duration::from_secs(50), 2), "the longer one stays");
    assert_eq!(second.service("other", NOON).unwrap(), Service::default());
    assert_eq!(first.service("api", NOON - 86_400_000).unwrap().pause, Duration::ZERO);
    assert_eq!(first.service("api", NOON + 86_400_000).unwrap().pause, Duration::ZERO);
    first.service_failed("api", minute, NOON - 86_400_000).unwrap();
    assert_eq!(second.service("api", NOON - 86_400_000).unwrap().pause, minute, "not the day before it");
    first.service_answered("api").unwrap();
    assert_eq!(second.service("api", NOON).unwrap(), Service::default());
}

#[test]
fn a_damaged_or_newer_record_is_refused_with_the_remedy() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(FILE), b"this was never a database, whatever its name says").unwrap();
    let error = Ledger::open(dir.path()).err().unwrap().to_string();
    assert!(error.contains("spend.db") && error.contains("move it away"), "{error}");
    let (dir, ledger) = open();
    drop(ledger);
    Connection::open(dir.path().join(FILE)).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(Ledger::open(dir.path()).err().unwrap(), StoreError::Newer { found: 99, .. }));
}

#[cfg(unix)]
#[test]
fn it_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("state");
    let (ledger, _) = Ledger::open(&folder).unwrap();
    granted(&ledger, &claim("run", 0.1), Caps::default());
    let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder.clone()), 0o700);
    for file in [FILE, "spend.db-wal", "spend.lock"] {
        assert_eq!(mode(folder.join(file)) & 0o077, 0, "{file}");
    }
}
