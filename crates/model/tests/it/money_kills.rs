//! Eight processes that share one limit and are killed at any moment: what the server was really used for stays within it.
//!
//! A child is this test binary again, running [`child`] alone. The witness is the server, which knows what every reply cost, also
//! of those whose asker was dead before it came.

#![expect(clippy::disallowed_methods, reason = "a child gets its orders through the environment")]

use super::money::{MOST, caps, priced, question, usd, used};
use super::*;
use handsight_base::port::clock::Clock as _;
use handsight_model::{Account, Metered};
use handsight_store::spend::{Claim, Ledger, Nanos, Reserved, Settled, Tokens};
use handsight_testkit::chat::Rules;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

const ORDERS: &str = "HANDSIGHT_MODEL_CHILD";
const CHILDREN: usize = 8;
const LIMIT: f64 = 60.0;

#[test]
#[ignore = "a process that other tests start: one that may be killed"]
fn child() {
    let Ok(orders) = std::env::var(ORDERS) else { return };
    let mut words = orders.split('\n');
    let [reserve, dir, url] = [(); 3].map(|()| words.next().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(spend(reserve == "reserve", std::path::Path::new(dir), url));
}

/// Asks until the limit is reached.
async fn spend(reserve: bool, dir: &std::path::Path, url: &str) {
    let (clock, ledger) = (Arc::new(RealClock::new()), Arc::new(Ledger::open(dir).unwrap().0));
    let remote = Arc::new(priced(url, Deadlines::default()));
    let (request, stop) = (question(), Stop::new());
    if reserve {
        let account = Account { name: "run".into(), caps: caps(LIMIT) };
        let model = Metered::new(remote.clone(), remote.tariff(), account, ledger, clock);
        loop {
            match model.ask(&request, &stop).await {
                Err(ModelError::CostLimit { .. }) => return,
                Err(ModelError::Unrecorded { why }) => panic!("{why}"),
                Ok(_) | Err(_) => {}
            }
        }
    }
    // The control: the limit is looked at before a call, and the cost is recorded after it.
    while ledger.spent("run").unwrap() < usd(LIMIT) {
        let Ok(reply) = remote.ask(&request, &stop).await else { continue };
        // And what is not told is not charged.
        let cost = reply.usage.output_tokens.map_or(Nanos::default(), |_| usd(reply.usage.cost_usd.unwrap()));
        let claim = Claim { account: "run", model: "m", most: Some(cost), most_tokens: Tokens::default() };
        let now = clock.unix_millis();
        if let Reserved::Granted(id) = ledger.reserve(&claim, Default::default(), now).unwrap() {
            ledger.settle(id, Settled::Told { cost, tokens: Tokens::default() }).unwrap();
        }
    }
}

/// A number that is any, from 0 to 1.
fn chance() -> f64 {
    static DICE: Mutex<u64> = Mutex::new(11);
    let mut dice = DICE.lock().unwrap();
    *dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*dice >> 11) as f64 / (1_u64 << 53) as f64
}

/// What came of it: dollars that the server was used for, dollars in the ledger, kills.
struct Spent {
    actual: f64,
    ledger: Nanos,
    kills: u32,
    calls: usize,
}

fn start(mode: &str, dir: &std::path::Path, server: &Server) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "money_kills::child", "--ignored", "--test-threads=1"])
        .env(ORDERS, format!("{mode}\n{}\n{}", dir.display(), server.base_url()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn run(mode: &str, kills: u32) -> Spent {
    let dir = tempfile::tempdir().unwrap();
    let actual: Arc<Mutex<f64>> = Arc::default();
    let server = {
        let actual = Arc::clone(&actual);
        Server::with(Rules::default(), move |_| {
            // Every fifth reply says nothing of what it used.
            let (tokens, tells) = ((chance() * 1000.0).ceil() as u64, chance() > 0.2);
            *actual.lock().unwrap() += tokens as f64 / 1000.0 * MOST;
            used(tells.then_some(tokens)).later(Duration::from_millis((chance() * 80.0) as u64))
        })
    };
    let mut children: Vec<Child> = (0..CHILDREN).map(|_| start(mode, dir.path(), &server)).collect();
    let clock = RealClock::new();
    let mut killed = 0;
    while !children.is_empty() {
        assert!(clock.now() < Duration::from_secs(300), "{} children go on and on", children.len());
        std::thread::sleep(Duration::from_millis(20 + (chance() * 60.0) as u64));
        children.retain_mut(|child| match child.try_wait().unwrap() {
            None => true,
            Some(status) => {
                assert!(status.success(), "a child broke: {status}");
                false
            }
        });
        if killed < kills && !children.is_empty() && server.requests().len() > CHILDREN {
            let at = (chance() * children.len() as f64) as usize;
            children[at].kill().unwrap();
            children[at].wait().unwrap();
            children[at] = start(mode, dir.path(), &server);
            killed += 1;
        }
    }
    // One more, as after a restart: it must not find the limit open again.
    let calls = server.requests().len();
    let status = start(mode, dir.path(), &server).wait().unwrap();
    assert!(status.success());
    assert_eq!(server.requests().len(), calls, "a restart opens nothing");
    let ledger = Ledger::open(dir.path()).unwrap().0.spent("run").unwrap();
    let actual = *actual.lock().unwrap();
    Spent { actual, ledger, kills: killed, calls }
}

#[test]
fn eight_processes_and_kills_never_pass_the_limit_by_more_than_a_call() {
    let Spent { actual, ledger, kills, calls } = run("reserve", 24);
    let told = format!("{actual:.2} USD used, {:.2} charged, {kills} kills, {calls} calls", ledger.usd());
    eprintln!("{told}");
    assert!(actual <= LIMIT + MOST, "{told}");
    assert!(ledger <= usd(LIMIT) && ledger.usd() >= actual - 1e-6, "everything used is charged: {told}");
    assert!(ledger.usd() > LIMIT - MOST, "the limit is used up: {told}");
    assert!(kills >= 8, "{told}");
}

#[test]
fn without_reservation_the_same_passes_the_limit() {
    let Spent { actual, ledger, kills, calls } = run("look", 24);
    eprintln!("{actual:.2} USD used, {:.2} charged, {kills} kills, {calls} calls", ledger.usd());
    assert!(actual > LIMIT + MOST, "{actual}");
}
