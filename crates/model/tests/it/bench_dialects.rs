//! What reading a reply costs: 2 kB of it, in every dialect.

use super::cases::built;
use super::round_trips::reply;
use super::*;
use handsight_base::flow::action::Action;
use handsight_base::flow::intent::Intent;
use handsight_base::port::clock::Clock as _;
use handsight_model::DIALECTS;
use handsight_testkit::written::writer;

const RUNS: usize = 400;

/// Half of them are read in less (docs/performance.md has the figures of a release build). Without optimisation ten times that.
const BUDGET: Duration = Duration::from_micros(if cfg!(debug_assertions) { 500 } else { 50 });

#[test]
fn two_kilobytes_are_read_in_no_time() {
    let text: String =
        "The quick brown fox, \"jumps\" over it's lazy dog.\n".chars().cycle().take(1_900).collect();
    let clock = RealClock::new();
    let mut late = Vec::new();
    for entry in DIALECTS {
        let name = entry.info.name;
        let dialect = built(name);
        let typed = Intent::Act(Action::typed(text.clone()));
        let Some(written) = (writer(name).unwrap().write)(&typed, &geometry()) else {
            println!("{name:<28} types no text");
            continue;
        };
        let reply = reply(written);
        let size = reply.text.len() + reply.calls.iter().map(|c| c.arguments.len()).sum::<usize>();
        assert!(size >= 1_900, "{name}: {size} bytes");
        let mut took: Vec<Duration> = (0..RUNS)
            .map(|_| {
                let began = clock.now();
                let decoded = std::hint::black_box(dialect.decode(&reply, &geometry()));
                let took = clock.now().saturating_sub(began);
                assert!(decoded.is_ok(), "{name}: {decoded:?}");
                took
            })
            .collect();
        took.sort_unstable();
        let (half, least) = (took[RUNS / 2], took[0]);
        println!(
            "{name:<28} {size} bytes: {:.1} us, at least {:.1} us",
            half.as_secs_f64() * 1e6,
            least.as_secs_f64() * 1e6
        );
        if half > BUDGET {
            late.push(format!("{name}: {half:?}"));
        }
    }
    assert!(late.is_empty(), "over {BUDGET:?}: {late:?}");
}
