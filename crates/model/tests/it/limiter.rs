//! Many runs and one service that has had enough: how often it is asked, and that all go on afterwards (R33). On tokio's paused
//! clock, so hours take no time.

use super::*;
use handsight_base::port::BoxFuture;
use handsight_base::port::clock::Clock;
use handsight_base::port::model::Model;
use handsight_model::{Limiter, RetryPolicy, Retrying};
use handsight_store::spend::Ledger;
use std::sync::Mutex;
use tokio::time::Instant;

/// Tokio's time; its tests may hold it still.
struct Paused(Instant);

impl Clock for Paused {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn unix_millis(&self) -> i64 {
        1_800_000_000_000 + self.0.elapsed().as_millis() as i64
    }

    fn sleep(&self, d: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(d))
    }
}

/// A service that refuses for a while, and when it was asked.
struct Service {
    began: Instant,
    away: Duration,
    refusal: ModelError,
    asked: Mutex<Vec<Duration>>,
}

impl Model for Service {
    fn name(&self) -> &str {
        "test/service"
    }

    fn ask<'a>(&'a self, _: &'a ModelRequest, _: &'a Stop) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        let at = self.began.elapsed();
        self.asked.lock().unwrap().push(at);
        let answer = if at < self.away { Err(self.refusal.clone()) } else { Ok(ModelReply::default()) };
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(200)).await;
            answer
        })
    }
}

fn refused(status: u16, retry_after: Option<u64>) -> ModelError {
    let retry_after = retry_after.map(Duration::from_secs);
    ModelError::Http { provider: "test".into(), status, body: String::new(), retry_after }
}

/// Eight runs ask until each had its answer. Each is a process of its own: it has its own ledger on the same file.
async fn eight(refusal: ModelError, away: Duration, limited: bool) -> Vec<Duration> {
    let dir = tempfile::tempdir().unwrap();
    let began = Instant::now();
    let service = Arc::new(Service { began, away, refusal, asked: Mutex::default() });
    let one = async |seed: u64| {
        let clock: Arc<dyn Clock> = Arc::new(Paused(began));
        let model =
            Retrying::new(Arc::clone(&service) as _, RetryPolicy::times(3), Arc::clone(&clock), Some(seed));
        let ledger = Arc::new(Ledger::open(dir.path()).unwrap().0);
        let model = if limited { model.limited(Limiter::new("test", Some(ledger), clock)) } else { model };
        let request = question();
        loop {
            if let Some(pause) = model.pause() {
                tokio::time::sleep(pause).await;
            }
            if model.ask(&request, &Stop::new()).await.is_ok() {
                return;
            }
        }
    };
    tokio::join!(one(1), one(2), one(3), one(4), one(5), one(6), one(7), one(8));
    service.asked.lock().unwrap().clone()
}

fn question() -> ModelRequest {
    super::money::question()
}

fn busiest_minute(asked: &[Duration]) -> usize {
    let minute = |from: &Duration| asked.iter().filter(|t| *t >= from && **t < *from + MINUTE).count();
    asked.iter().map(minute).max().unwrap_or(0)
}

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test(start_paused = true)]
async fn eight_runs_do_not_storm_a_service_and_all_go_on_afterwards() {
    for (what, refusal, most) in [
        ("429", refused(429, None), 16),
        ("529", refused(529, None), 16),
        ("429 with a wish", refused(429, Some(60)), 16),
        ("429 with an absurd wish", refused(429, Some(u64::MAX)), 16),
        // Nobody said that it is meant for all: each run has its own ten calls.
        ("500", refused(500, None), 80),
    ] {
        let asked = eight(refusal, 6 * HOUR, true).await;
        let after = asked.iter().find(|t| **t >= 6 * HOUR).unwrap();
        println!(
            "{what}: {} calls in 6 h, {} in the busiest minute, back {:?} later",
            asked.len(),
            busiest_minute(&asked),
            *after - 6 * HOUR
        );
        assert!(busiest_minute(&asked) <= most, "{what}: {} calls a minute", busiest_minute(&asked));
        let last = asked.iter().max().unwrap();
        assert!(*last <= 6 * HOUR + HOUR + MINUTE, "{what}: the last was back at {last:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_the_limiter_the_same_is_a_storm() {
    let asked = eight(refused(429, None), 5 * MINUTE, false).await;
    println!("{} calls in 5 min, {} in the busiest minute", asked.len(), busiest_minute(&asked));
    assert!(busiest_minute(&asked) > 100, "{}", busiest_minute(&asked));
}
