//! What a run costs, as its user sees it: limits that hold over runs and resumes, a price that is missing, and `handsight cost`.

use crate::handsight::{Handsight, Said};
use crate::rig::{done, observe};
use handsight_testkit::chat::{Reply, Rules, Server};

/// Input is free; the profile's 2000 tokens of output can cost two dollars. The server tells 17 a call.
const PRICE: [&str; 4] = ["--set", "decide.price_input_usd=0", "--set", "decide.price_output_usd=1000"];
const COST: f64 = 0.017;

fn run(handsight: &Handsight, server: &Server, args: &[&str]) -> Said {
    let (url, desk) = (server.base_url(), "world:desk,seed=1,size=1280x720");
    let mut all = vec!["run", "--base-url", &url, "--json"];
    if !args.contains(&"--resume") {
        all.extend_from_slice(&["look around", "--desktop", desk]);
    }
    all.extend_from_slice(args);
    handsight.run(&all)
}

fn always(answer: impl Fn() -> Reply + Send + Sync + 'static) -> Server {
    Server::with(Rules::default(), move |_| answer())
}

fn usd(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn a_limit_without_a_price_is_refused_and_the_price_can_be_given() {
    let handsight = Handsight::new();
    let server = always(|| done("seen"));
    for limit in [&["--max-cost", "5"][..], &["--set", "limits.max_cost_usd_per_day=5"]] {
        let said = run(&handsight, &server, limit);
        said.ended(2).told("is not known").told("decide.price_input_usd=").told("Or leave the limit out");
        let mut priced = limit.to_vec();
        priced.extend_from_slice(&PRICE);
        run(&handsight, &server, &priced).ended(0);
    }
    let half = ["--set", "decide.price_input_usd=1"];
    run(&handsight, &server, &half).ended(2).told("decide.price_output_usd");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_limit_holds_over_resumes_and_a_restart_does_not_open_it_again() {
    let handsight = Handsight::new();
    let server = always(|| observe("on"));
    let limited = ["--max-cost", "2.05", "--out", "out"];
    let said = run(&handsight, &server, &[&PRICE[..], &limited].concat());
    let json = said.ended(8).json();
    // Three calls at 0.017 leave less than the two dollars that a fourth can cost.
    assert_eq!((json["outcome"].as_str(), server.requests().len()), (Some("cost_limit"), 3), "{json}");
    assert!((usd(&json["cost_usd"]) - 3.0 * COST).abs() < 1e-9, "{json}");
    assert!(said.stdout.starts_with("this call may cost up to 2.0000 USD"), "{said:?}");
    assert_eq!(said.stdout.lines().count(), 2, "{said:?}");
    let again = handsight.run(&["run", "--resume", "out", "--base-url", &server.base_url()]);
    again.ended(2).told("was over when its run was");

    let cost = handsight.run(&["cost", "--json", "--by", "run"]);
    let json = cost.ended(0).json();
    assert_eq!((json["rows"][0]["run"].as_str(), &json["rows"][0]["calls"]), (Some("out"), &3.into()));
    assert!((usd(&json["total"]["cost_usd"]) - 3.0 * COST).abs() < 1e-9, "{json}");
}

#[test]
fn a_day_is_shared_by_runs() {
    let handsight = Handsight::new().with("HANDSIGHT_LIMITS__MAX_COST_USD_PER_DAY", "2.03");
    let server = always(|| done("seen"));
    for n in 1..=4 {
        let said = run(&handsight, &server, &PRICE);
        if n <= 2 {
            said.ended(0);
        } else {
            assert!(said.ended(8).stdout.contains("of the limit of 2.03 USD for a day"), "{said:?}");
        }
    }
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn what_was_spent_is_shown_by_day_model_and_run() {
    let handsight = Handsight::new();
    handsight.run(&["cost"]).ended(0).told("no model call has been recorded");
    let server = always(|| done("seen"));
    run(&handsight, &server, &[&PRICE[..], &["--out", "first"]].concat()).ended(0);
    run(&handsight, &server, &["--out", "second"]).ended(0);
    let by = |what: &str| handsight.run(&["cost", "--by", what]);
    let said = by("run");
    let lines: Vec<Vec<&str>> =
        said.ended(0).stdout.lines().map(|l| l.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["run", "calls", "input", "cached", "output", "USD"]);
    assert_eq!((lines[1][0], lines[1][1], lines[1][4], lines[1][5]), ("first", "1", "17", "0.0170"));
    assert_eq!((lines[2][0], lines[2][5], lines[3][0], lines[3][1]), ("second", "unknown", "all", "2"));
    said.told("1 call(s) have no known price");
    assert!(by("model").stdout.contains("custom/"), "{said:?}");
    assert_eq!(by("day").stdout.lines().count(), 2);
    let none = handsight.run(&["cost", "--since", "0m", "--json"]);
    assert_eq!(none.ended(0).json()["rows"], serde_json::json!([]));
    handsight.run(&["cost", "--since", "yesterday"]).ended(2).told("2026-11-21");
}

#[test]
fn a_record_that_cannot_be_read_stops_only_runs_with_a_limit() {
    let handsight = Handsight::new();
    let state = handsight.home().join(".local/state/handsight");
    std::fs::create_dir_all(&state).unwrap();
    std::fs::write(state.join("spend.db"), "this was never a database, whatever it is called").unwrap();
    let server = always(|| done("seen"));
    run(&handsight, &server, &PRICE).ended(0).told("move it away").told("is not recorded");
    let limited = [&PRICE[..], &["--max-cost", "9"]].concat();
    run(&handsight, &server, &limited).ended(7).told("move it away");
    handsight.run(&["cost"]).ended(7).told("spend.db");
}
