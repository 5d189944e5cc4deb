//! How soon a stop ends a call that is on its way, whatever it waits for.
#![expect(clippy::disallowed_methods, reason = "real programs live in real time")]

use super::*;
use handsight_base::stop::StopReason;
use handsight_model::{Account, Healing, Limiter, Metered, RetryPolicy, Retrying};
use handsight_store::spend::{Caps, Ledger};
use handsight_testkit::chat::{End, Reply};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const STOPS: usize = 100;

/// A picture of a million bytes that nothing makes smaller.
fn noise() -> Arc<[u8]> {
    let mut dice = 5_u32;
    let pixels = std::iter::repeat_with(|| {
        dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (dice >> 24) as u8
    });
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 600, 600);
    encoder.set_color(png::ColorType::Rgb);
    let pixels: Vec<u8> = pixels.take(600 * 600 * 3).collect();
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    bytes.into()
}

/// Stops at moments spread over a call, from another thread as a signal does, with the ledger and the retries of a run around it.
#[test]
fn a_stop_at_any_moment_ends_a_call_at_once() {
    let minute = Duration::from_secs(60);
    let answers = [
        Reply::Nothing(End::Stall),
        Reply::text("x").later(minute),
        Reply::text("x").cut(17, End::Stall),
        Reply::text("x").cut(150, End::Stall),
        Reply::text("x").drip(Duration::from_millis(20)),
        // Between two tries.
        Reply::error(500, "again"),
        Reply::status(429, ("retry-after", "60"), "later"),
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // Large enough that some stops come while it is sent.
    let request = turn(noise());
    let now = Arc::new(AtomicUsize::new(0));
    let server = {
        let now = Arc::clone(&now);
        Server::with(Default::default(), move |_| answers[now.load(Ordering::SeqCst) % answers.len()].clone())
    };
    let folder = tempfile::tempdir().unwrap();
    let ledger = Arc::new(Ledger::open(folder.path()).unwrap().0);
    let mut took = Vec::new();
    let mut dice = 1_u64;
    for n in 0..STOPS {
        now.store(n, Ordering::SeqCst);
        let clock: Arc<RealClock> = Arc::new(RealClock::new());
        let remote = remote(&server);
        let tariff = remote.tariff();
        let account = Account { name: format!("stop-{n}"), caps: Caps::default() };
        let paid = Metered::new(Arc::new(remote), tariff, account, Arc::clone(&ledger), clock.clone());
        let limiter = Limiter::new(&format!("service-{n}"), Some(Arc::clone(&ledger)), clock.clone());
        let model =
            Retrying::new(Arc::new(Healing::new(Arc::new(paid))), RetryPolicy::times(9), clock, Some(7));
        let model = model.limited(limiter);
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let wait = Duration::from_micros((dice >> 33) % 250_000);
        let stop = Stop::new();
        let signal = {
            let stop = stop.clone();
            std::thread::spawn(move || {
                std::thread::sleep(wait);
                let at = Instant::now();
                stop.set(StopReason::Interrupt);
                at
            })
        };
        let error = runtime.block_on(model.ask(&request, &stop)).unwrap_err();
        let ended = Instant::now();
        assert_eq!(error, ModelError::Stopped, "{n}");
        took.push(ended - signal.join().unwrap());
    }
    // Requests that were broken off are no fault here.
    std::thread::sleep(Duration::from_millis(500));
    drop(server.take_complaints());
    took.sort();
    let (median, p99, most) = (took[STOPS / 2], took[STOPS - 2], took[STOPS - 1]);
    println!("{STOPS} stops: {median:?} in the middle, {p99:?} at the 99th percentile, {most:?} at most");
    assert!(p99 <= Duration::from_millis(100) && most <= Duration::from_millis(250), "{took:?}");
}
