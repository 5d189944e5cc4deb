//! What each way a call can end is charged as, by what the ledger holds afterwards (R31).

use super::*;
use handsight_base::stop::StopReason;
use handsight_model::{Account, Metered, RetryPolicy, Retrying};
use handsight_store::spend::{Caps, Grouping, Ledger, Nanos, Sum};
use handsight_testkit::chat::{End, Reply, Rules};
use tempfile::TempDir;

/// A provider whose output costs a tenth of a cent a token and whose input is free.
pub(super) const PRICED: &str = "about = \"a\"\nwire = \"chat\"\ndialect = \"tools\"\n\
    [[model]]\nnames = [\"*\"]\nprice = { input = 0.0, output = 1000.0 }\n";

/// What a call costs at most: its thousand tokens.
pub(super) const MOST: f64 = 1.0;

pub(super) fn priced(base_url: &str, deadlines: Deadlines) -> Remote {
    let mut providers = Providers::builtin().unwrap();
    providers.add("priced.toml", PRICED).unwrap();
    let provider = providers.get("priced").unwrap();
    let clock = Arc::new(RealClock::new());
    let base_url = Some(base_url);
    Remote::new(Setup { provider, model: "m", base_url, key: None, deadlines, proxy: None, clock }).unwrap()
}

/// A request that may use a thousand tokens of output.
pub(super) fn question() -> ModelRequest {
    ModelRequest {
        system: "Answer.".into(),
        messages: vec![Message { role: Role::User, parts: vec![Part::Text("Well?".into())], raw: None }],
        tools: Vec::new(),
        native: Vec::new(),
        sampling: Sampling { max_tokens: Some(1000), ..Sampling::default() },
        form: None,
    }
}

/// A reply that used this many tokens of output; `None` says nothing of them.
pub(super) fn used(output: Option<u64>) -> Reply {
    let message = json!({"role": "assistant", "content": "well"});
    let mut body = json!({"id": "x", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
    if let Some(output) = output {
        body["usage"] = json!({"prompt_tokens": 7, "completion_tokens": output, "total_tokens": output + 7});
    }
    Reply::Json(body)
}

pub(super) fn usd(usd: f64) -> Nanos {
    Nanos::from_usd(usd)
}

pub(super) fn caps(run: f64) -> Caps {
    Caps { run: Some(usd(run)), day: None }
}

struct Purse {
    _dir: TempDir,
    ledger: Arc<Ledger>,
}

impl Purse {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let ledger = Arc::new(Ledger::open(dir.path()).unwrap().0);
        Self { _dir: dir, ledger }
    }

    fn metered(&self, remote: Remote, caps: Caps) -> Metered {
        let (tariff, account) = (remote.tariff(), Account { name: "run".into(), caps });
        Metered::new(Arc::new(remote), tariff, account, Arc::clone(&self.ledger), Arc::new(RealClock::new()))
    }

    fn sum(&self) -> Sum {
        self.ledger.sums(Grouping::Run, 0).unwrap().remove(0)
    }
}

#[tokio::test]
async fn each_end_of_a_call_is_charged_as_what_it_can_have_cost() {
    let nobody = "http://127.0.0.1:9/v1".to_owned();
    // What comes, what it costs, and how much of that is assumed.
    let table: Vec<(&str, Option<Reply>, f64, f64)> = vec![
        ("told", Some(used(Some(120))), 0.12, 0.0),
        ("nothing told", Some(used(None)), MOST, MOST),
        ("more than was asked for", Some(used(Some(3000))), 3.0, 0.0),
        ("refused", Some(Reply::error(400, "no")), 0.0, 0.0),
        ("too many", Some(Reply::status(429, ("retry-after", "1"), "")), 0.0, 0.0),
        ("broken", Some(Reply::error(500, "oh")), 0.0, 0.0),
        ("closed without a word", Some(Reply::Nothing(End::Close)), MOST, MOST),
        ("half a reply", Some(used(Some(5)).cut(200, End::Close)), MOST, MOST),
        ("no JSON", Some(Reply::Html), MOST, MOST),
        ("no end", Some(Reply::Nothing(End::Stall)), MOST, MOST),
        ("nobody there", None, 0.0, 0.0),
    ];
    for (what, reply, cost, assumed) in table {
        let purse = Purse::new();
        let server = Server::scripted(reply.clone());
        let url = if reply.is_some() { server.base_url() } else { nobody.clone() };
        let model = purse.metered(priced(&url, total(Duration::from_secs(1))), caps(100.0));
        let _answer = model.ask(&question(), &Stop::new()).await;
        let sum = purse.sum();
        assert_eq!((sum.cost, sum.assumed, sum.open), (usd(cost), usd(assumed), usd(0.0)), "{what}");
        assert_eq!((sum.calls, sum.key.as_str()), (1, "run"), "{what}");
    }
}

#[tokio::test]
async fn a_call_that_is_stopped_stays_charged_and_one_never_sent_does_not() {
    let purse = Purse::new();
    let server = Server::with(Rules::default(), |_| Reply::Nothing(End::Stall));
    let model = purse.metered(priced(&server.base_url(), Deadlines::default()), caps(100.0));
    let stop = Stop::new();
    let (request, asked) = (question(), async {
        while server.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.set(StopReason::Interrupt);
    });
    let (answer, ()) = tokio::join!(model.ask(&request, &stop), asked);
    assert_eq!(answer.unwrap_err(), ModelError::Stopped);
    assert_eq!(purse.sum().assumed, usd(MOST));
    // Dropped in the middle, as by a limit of time.
    let dropped = tokio::time::timeout(Duration::from_millis(300), async {
        let never = Stop::new();
        let _answer = model.ask(&request, &never).await;
    });
    dropped.await.unwrap_err();
    let settled = async {
        while purse.sum().open > usd(0.0) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(handsight_testkit::wait::PATIENCE, settled).await.unwrap();
    assert_eq!(purse.sum().assumed, usd(2.0 * MOST));
}

#[tokio::test]
async fn what_could_pass_the_limit_is_not_sent_and_the_limit_is_named() {
    let purse = Purse::new();
    let server = Server::scripted([used(Some(400)), used(Some(400))]);
    let model = purse.metered(priced(&server.base_url(), Deadlines::default()), caps(1.5));
    model.ask(&question(), &Stop::new()).await.unwrap();
    model.ask(&question(), &Stop::new()).await.unwrap();
    let error = model.ask(&question(), &Stop::new()).await.unwrap_err();
    let told =
        "this call may cost up to 1.0000 USD, and of the limit of 1.5 USD for this run 0.8000 USD are spent";
    assert_eq!(error.to_string(), told);
    assert!(!error.is_passing(), "asking again changes nothing");
    assert_eq!(server.requests().len(), 2);
    // Another run has a limit of its own, but the day is the same.
    let day = Caps { run: Some(usd(9.0)), day: Some(usd(1.5)) };
    let other = purse.metered(priced(&server.base_url(), Deadlines::default()), day);
    let error = other.ask(&question(), &Stop::new()).await.unwrap_err();
    assert!(error.to_string().contains("for a day 0.8000 USD are spent"), "{error}");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn every_try_is_paid_for() {
    let purse = Purse::new();
    let server = Server::scripted([Reply::Nothing(End::Close), Reply::error(503, ""), used(Some(100))]);
    let model = purse.metered(priced(&server.base_url(), Deadlines::default()), caps(9.0));
    let clock = Arc::new(handsight_base::port::clock::VirtualClock::new(0));
    let model = Retrying::new(Arc::new(model), RetryPolicy::times(3), clock, Some(1));
    assert_eq!(model.ask(&question(), &Stop::new()).await.unwrap().exchange.retries, 2);
    let sum = purse.sum();
    assert_eq!((sum.calls, sum.cost), (3, usd(MOST + 0.1)));
}

/// Eight at once on one ledger: whoever must wait for what the others hold gets it, and nobody passes the limit.
#[tokio::test]
async fn calls_that_run_at_once_wait_for_each_other_and_use_the_limit_up() {
    let purse = Purse::new();
    let server = Server::with(Rules::default(), |_| used(Some(100)).later(Duration::from_millis(10)));
    let model = purse.metered(priced(&server.base_url(), Deadlines::default()), caps(3.0));
    let request = question();
    let worker = async || {
        let mut made = 0;
        loop {
            match model.ask(&request, &Stop::new()).await {
                Ok(_) => made += 1,
                Err(ModelError::CostLimit { .. }) => return made,
                Err(other) => panic!("{other}"),
            }
        }
    };
    let (a, b, c, d, e, f, g, h) =
        tokio::join!(worker(), worker(), worker(), worker(), worker(), worker(), worker(), worker());
    // A call may cost a dollar, so the last one begins with two dollars spent.
    assert_eq!(a + b + c + d + e + f + g + h, 21);
    assert_eq!((purse.sum().cost, server.requests().len()), (usd(2.1), 21));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn without_a_record_nothing_is_asked_that_has_a_limit() {
    use handsight_testkit::small_disk::SmallDisk;
    let server = Server::scripted([used(Some(1))]);
    for (limits, asked) in [(caps(9.0), false), (Caps::default(), true)] {
        let Some(disk) = SmallDisk::new(1) else { return };
        let ledger = Arc::new(Ledger::open(disk.dir()).unwrap().0);
        disk.fill();
        let remote = priced(&server.base_url(), Deadlines::default());
        let (tariff, account) = (remote.tariff(), Account { name: "run".into(), caps: limits });
        let model = Metered::new(Arc::new(remote), tariff, account, ledger, Arc::new(RealClock::new()));
        let answer = model.ask(&question(), &Stop::new()).await;
        assert_eq!(answer.is_ok(), asked, "{answer:?}");
        if let Err(error) = answer {
            assert!(error.to_string().contains("no space left"), "{error}");
        }
    }
    assert_eq!(server.requests().len(), 1);
}
