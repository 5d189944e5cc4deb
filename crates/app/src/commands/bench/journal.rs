//! What a turn's durability costs beside the least that any journal pays: one append and one fdatasync on the same disk.

use super::Bench;
use super::figure::Figure;
use anyhow::Context as _;
use handsight_base::flow::action::Action;
use handsight_base::flow::frame::FrameHash;
use handsight_base::flow::receipt::Outcome;
use handsight_base::flow::settled::Calm;
use handsight_base::flow::step::{StepRecord, Timings};
use handsight_base::flow::verdict::Judgement;
use handsight_base::port::clock::Clock as _;
use handsight_base::port::model::Usage;
use handsight_base::space::{FrameGeometry, FrameId, ScreenPx};
use handsight_store::{Decided, Journal, Observed, Options, RunMeta};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;

pub(super) fn sync(bench: &Bench<'_>) -> anyhow::Result<Vec<Figure>> {
    let dir = bench.folder.path().join("journal");
    let mut journal = Journal::create(&dir, &meta(bench), &Options::default())?;
    let path = bench.folder.path().join("bare");
    let mut bare =
        OpenOptions::new().create_new(true).append(true).open(&path).context("a file to append to")?;
    let page = [0x5A; 4096];
    let (mut bares, mut intents, mut commits) = (Vec::new(), Vec::new(), Vec::new());
    // The first turns lay the file out.
    for turn in 1..=bench.runs as u64 + 2 {
        let record = record(turn, bench);
        let observed = Observed { picture: None, at_unix_millis: record.at_unix_millis, frame: record.frame };
        journal.observed(turn, &observed)?;
        let decided = Decided {
            choice: record.choice.clone(),
            reason: record.reason.clone(),
            call: None,
            usage: record.usage,
            confirmation: None,
        };
        journal.decided(turn, &decided, &[])?;
        let action = Action::Wait { millis: 1 };
        let hash = action.hash(record.frame.frame);
        let appended = bench.time(|| bare.write_all(&page).and_then(|()| bare.sync_data()))?;
        let intent = bench.time(|| journal.intent(turn, 0, &action, &hash))?;
        journal.acted(turn, 0, &Outcome::Done { injected: None })?;
        let commit = bench.time(|| journal.commit(&record).map(drop))?;
        // Tidying up happens while the model thinks.
        journal.idle()?;
        if turn > 2 {
            bares.push(appended);
            intents.push(intent);
            commits.push(commit);
        }
    }
    journal.close()?;
    let ratios = [
        Figure::ratio("journal: intent / bare", &intents, &bares).at_most(1.5),
        Figure::ratio("journal: commit / bare", &commits, &bares).at_most(1.5),
    ];
    let times = [
        Figure::new("bare append + fdatasync", bares),
        Figure::new("journal: sync of an intent", intents),
        Figure::new("journal: commit of a turn", commits),
    ];
    Ok(times.into_iter().chain(ratios).collect())
}

fn meta(bench: &Bench<'_>) -> RunMeta {
    RunMeta {
        run: "bench".into(),
        profile: bench.settings.profile.name.clone(),
        profile_text: bench.settings.profile.to_toml(),
        objective: String::new(),
        desktop: bench.desktop.to_string(),
        models: BTreeMap::new(),
        engine: env!("CARGO_PKG_VERSION").into(),
        started_unix_millis: bench.clock.unix_millis(),
        parent: None,
    }
}

fn record(turn: u64, bench: &Bench<'_>) -> StepRecord {
    let origin = ScreenPx::new(0, 0);
    StepRecord {
        turn,
        at_unix_millis: bench.clock.unix_millis(),
        frame: FrameGeometry { frame: FrameId(turn), size: bench.screen, origin, scale: 1.0 },
        picture: FrameHash([0; 32]),
        choice: "act".into(),
        call: None,
        steps: Vec::new(),
        reason: "the button is there; pressing it should open the dialog".into(),
        notes: Vec::new(),
        deeds: Vec::new(),
        calm: Calm::Settled,
        judgement: Judgement::Unchecked,
        usage: Usage::default(),
        timings: Timings::default(),
    }
}
