//! A run on a real screen that is resumed: its limit of cost counts on, whatever became of the record.

use crate::rig::{Rig, always, observe};

#[test]
fn a_resumed_run_goes_on_with_what_it_has_spent() {
    let Some(rig) = Rig::new() else { return };
    let server = always(|_| observe("on"));
    // A call costs 0.017 and can cost two dollars.
    let price = ["--set", "decide.price_input_usd=0", "--set", "decide.price_output_usd=1000"];
    let args = [&["x", "--max-cost", "2.02", "--json", "--out", "out"][..], &price].concat();
    let first = rig.run(&server, &args);
    assert_eq!((first.ended(8).json()["outcome"].as_str(), server.requests().len()), (Some("cost_limit"), 2));

    let resume = |cost: &str, calls: usize| {
        let said = rig.run(&server, &["--resume", "out", "--max-cost", cost, "--json"]);
        assert_eq!(
            (said.ended(8).json()["outcome"].as_str(), server.requests().len()),
            (Some("cost_limit"), calls)
        );
    };
    resume("2.02", 2);
    resume("2.06", 4);
    // Without its record, as on another machine: the journal knows what was spent.
    std::fs::remove_dir_all(rig.handsight.home().join(".local/state/handsight")).unwrap();
    resume("2.06", 4);
    let cost = rig.handsight.run(&["cost", "--by", "run", "--json"]).ended(0).json();
    assert_eq!((&cost["rows"][0]["run"], &cost["rows"][0]["calls"]), (&"out".into(), &0.into()));
    assert!((cost["total"]["cost_usd"].as_f64().unwrap() - 0.068).abs() < 1e-6, "{cost}");
}
