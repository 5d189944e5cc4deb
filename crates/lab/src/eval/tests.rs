use super::*;
use handsight_base::stop::StopReason;
use std::collections::BTreeSet;

pub(crate) fn suite() -> Suite {
    let text = "[[world]]\nworld = \"desk\"\ntasks = [\"write-note\", \"compute\", \"drag-file\"]\n";
    crate::suite::read("mine", "mine.toml", text).unwrap()
}

pub(crate) fn ending(outcome: Outcome, verified: Option<bool>) -> Ending {
    Ending {
        outcome,
        statement: "it is done".into(),
        verified,
        turns: 4,
        actions: 3,
        input_tokens: 100,
        output_tokens: 10,
        cost_usd: Some(0.25),
        wall_s: 2.0,
        overhead_ms_p50: 7.0,
    }
}

fn judged(outcome: Outcome, checked: Checked) -> (Verdict, bool) {
    let suite = suite();
    let cases: Vec<&Case> = suite.cases.iter().collect();
    let jobs = plan(&cases, 1);
    let attempt = Attempt::of(&jobs[0], &ending(outcome, None), checked, 0);
    (attempt.verdict, attempt.unsaid)
}

#[test]
fn success_is_done_and_what_the_checker_says() {
    let says = |is: bool| Ok((is, "why".to_owned()));
    assert_eq!(judged(Outcome::Done, says(true)), (Verdict::Passed, false));
    assert_eq!(judged(Outcome::Done, says(false)), (Verdict::Failed, false), "a claim is no success");
    for outcome in
        [Outcome::TurnLimit, Outcome::TimeLimit, Outcome::CostLimit, Outcome::Malformed, Outcome::Loop]
    {
        assert_eq!(judged(outcome, says(true)), (Verdict::Failed, true), "{outcome:?}: it did not say so");
        assert_eq!(judged(outcome, says(false)), (Verdict::Failed, false), "{outcome:?}");
    }
}

#[test]
fn what_could_not_be_measured_is_void() {
    assert_eq!(judged(Outcome::Done, Err("no such file system".into())), (Verdict::Void, false));
    for outcome in [Outcome::ModelFailed, Outcome::DesktopLost, Outcome::Storage] {
        for is in [true, false] {
            assert_eq!(judged(outcome, Ok((is, "why".into()))), (Verdict::Void, false), "{outcome:?}");
        }
    }
}

#[test]
fn every_player_plays_every_case_from_every_seed_in_a_folder_of_its_own() {
    let suite = suite();
    let cases: Vec<&Case> = suite.cases.iter().collect();
    let jobs = plan(&cases, 3);
    assert_eq!(jobs.len(), cases.len() * 3 * 4);
    let folders: BTreeSet<&str> = jobs.iter().map(|job| job.folder.as_str()).collect();
    assert_eq!(folders.len(), jobs.len());
    assert!(folders.contains("oracle/write-note-3"), "{folders:?}");
}

#[test]
fn a_case_that_the_tools_cannot_do_is_left_out_by_name() {
    let suite = suite();
    let (can, left_out) = within_reach(&suite, &["click", "type", "scroll"]);
    assert_eq!(can.iter().map(|case| case.id.as_str()).collect::<Vec<_>>(), ["write-note", "compute"]);
    assert_eq!(
        left_out,
        [LeftOut { case: "drag-file".into(), lacks: vec!["double_click".into(), "drag".into()] }]
    );
    assert_eq!(within_reach(&suite, crate::suite::TOOLS).1, []);
}

#[test]
fn threads_share_the_jobs_and_the_order_is_the_plans() {
    let suite = suite();
    let cases: Vec<&Case> = suite.cases.iter().collect();
    let jobs = plan(&cases, 5);
    let at_once = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut heard = 0;
    let play = |job: &Job<'_>| {
        let now = at_once.0.fetch_add(1, Ordering::SeqCst) + 1;
        at_once.1.fetch_max(now, Ordering::SeqCst);
        std::thread::yield_now();
        let checked = Ok((job.player == Player::Oracle, String::new()));
        let attempt = Attempt::of(job, &ending(Outcome::Done, None), checked, 0);
        at_once.0.fetch_sub(1, Ordering::SeqCst);
        Ok::<_, ()>(Some(attempt))
    };
    let attempts = run(&jobs, 4, &Stop::new(), play, |_| heard += 1).0;
    let runs: Vec<&str> = attempts.iter().map(|attempt| attempt.run.as_str()).collect();
    assert_eq!(runs, jobs.iter().map(|job| job.folder.as_str()).collect::<Vec<_>>());
    assert_eq!(heard, jobs.len());
    assert!(at_once.1.load(Ordering::SeqCst) <= 4);
}

#[test]
fn a_stop_keeps_what_was_done_and_an_error_is_handed_on() {
    let suite = suite();
    let cases: Vec<&Case> = suite.cases.iter().collect();
    let jobs = plan(&cases, 2);
    let stop = Stop::new();
    let play = |job: &Job<'_>| {
        if job.folder == jobs[3].folder {
            stop.set(StopReason::Interrupt);
            return Ok(None);
        }
        Ok::<_, ()>(Some(Attempt::void(job, "not tried")))
    };
    assert_eq!(run(&jobs, 1, &stop, play, |_| {}).0.len(), 3, "what came before it");
    let fails = |job: &Job<'_>| match job.player {
        Player::Random => Err("no desktop"),
        _ => Ok(Some(Attempt::void(job, "not tried"))),
    };
    let (attempts, error) = run(&jobs, 1, &Stop::new(), fails, |_| {});
    assert_eq!((attempts.len(), error), (1, Some("no desktop")), "what came before it is kept");
}

#[test]
fn a_control_that_breaks_its_promise_is_named() {
    let suite = suite();
    let cases: Vec<&Case> = suite.cases.iter().take(1).collect();
    let jobs = plan(&cases, 1);
    let evaluation = |passed: [Checked; 4]| Evaluation {
        suite: "mine".into(),
        profile: "p".into(),
        model: "m".into(),
        desktop: "d".into(),
        seeds: 1,
        planned: 4,
        left_out: Vec::new(),
        attempts: jobs
            .iter()
            .zip(passed)
            .map(|(job, checked)| Attempt::of(job, &ending(Outcome::Done, None), checked, 0))
            .collect(),
    };
    let says = |is: bool| Ok((is, "the file is not there".to_owned()));
    assert_eq!(
        evaluation([says(false), says(true), says(true), says(false)]).broken(),
        [],
        "chance is no promise"
    );
    let broken = evaluation([says(true), says(false), says(false), says(true)]).broken();
    let words: Vec<(Player, &str)> = broken.iter().map(|b| (b.player, b.why.as_str())).collect();
    assert_eq!(
        words,
        [
            (Player::NoOp, "who does nothing wins it"),
            (Player::Oracle, "the oracle does not win it: the file is not there")
        ]
    );
    let void = evaluation([says(false), says(false), Err("no eyes".into()), says(true)]).broken();
    assert_eq!(void[0].why, "it cannot be judged: no eyes");
}
