//! Turns to fill a journal with, and numbers that look random and are the same every time.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use handsight_base::flow::action::{Action, ActionHash};
use handsight_base::flow::decision::ToolUse;
use handsight_base::flow::format::PictureFormat;
use handsight_base::flow::frame::FrameHash;
use handsight_base::flow::receipt::{Deed, Outcome};
use handsight_base::flow::settled::Calm;
use handsight_base::flow::step::{StepRecord, Timings};
use handsight_base::flow::verdict::Judgement;
use handsight_base::port::model::{Exchange, Usage};
use handsight_base::space::{FrameGeometry, FrameId, ScreenPx, Size};
use handsight_store::{Ack, Decided, Durability, Journal, Observed, Options, RunMeta, StoreError, step_name};
use std::path::Path;
use std::time::Duration;

/// SplitMix64.
pub(crate) struct Seeded(pub(crate) u64);

impl Seeded {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn flip(&mut self) -> bool {
        self.next() & 1 == 1
    }
}

pub(crate) fn meta() -> RunMeta {
    RunMeta {
        run: "run_20240315_143022".into(),
        profile: "stateless".into(),
        profile_text: "[capture]\ntarget = \"primary\"\n".into(),
        objective: "open the editor and write two lines".into(),
        desktop: "x11:0".into(),
        models: [("agent".to_owned(), "custom/qwen3-vl".to_owned())].into(),
        engine: "0.1.0".into(),
        started_unix_millis: 1_710_513_022_000,
        parent: None,
    }
}

/// No reserve, so that tests see the journal's own writes only.
pub(crate) fn options() -> Options {
    Options { reserve_bytes: 0, ..Options::default() }
}

pub(crate) fn batched() -> Options {
    Options { durability: Durability::Batched { turns: 256, millis: 60_000 }, ..options() }
}

pub(crate) fn geometry(turn: u64) -> FrameGeometry {
    FrameGeometry {
        frame: FrameId(turn),
        size: Size::new(1920, 1080),
        origin: ScreenPx::new(0, 0),
        scale: 1.0,
    }
}

pub(crate) fn action(turn: u64) -> (Action, ActionHash) {
    let action = Action::typed(format!("line {turn}"));
    let hash = action.hash(FrameId(turn));
    (action, hash)
}

/// Bytes that begin like a PNG and differ from turn to turn.
pub(crate) fn picture(turn: u64, len: usize) -> Vec<u8> {
    let mut seeded = Seeded(turn);
    let mut bytes = b"\x89PNG".to_vec();
    bytes.resize_with(len, || seeded.next() as u8);
    bytes
}

pub(crate) fn exchange(turn: u64, picture: &[u8]) -> Exchange {
    let system = "You work a desktop by looking at it. ".repeat(60);
    let data = BASE64_STANDARD.encode(picture);
    Exchange {
        request: format!(
            "{{\"model\":\"m\",\"messages\":[{{\"role\":\"system\",\"content\":\"{system}\"}},{{\"role\":\"user\",\
             \"content\":[{{\"text\":\"turn {turn}\"}},{{\"image_url\":\"data:image/png;base64,{data}\"}}]}}]}}"
        ),
        status: 200,
        response: format!(
            "{{\"choices\":[{{\"text\":\"type line {turn}\"}}],\"usage\":{{\"total_tokens\":1200}}}}"
        ),
        took: Duration::from_millis(1_500),
        retries: 0,
    }
}

pub(crate) fn usage() -> Usage {
    Usage { input_tokens: Some(1_100), output_tokens: Some(100), cost_usd: Some(0.001), ..Usage::default() }
}

pub(crate) fn record(turn: u64, picture: FrameHash, outcome: Outcome) -> StepRecord {
    let (action, hash) = action(turn);
    StepRecord {
        turn,
        at_unix_millis: 1_710_513_022_000 + turn as i64 * 3_000,
        frame: geometry(turn),
        picture,
        choice: "act".into(),
        call: Some(ToolUse {
            tool: "type_text".into(),
            args: serde_json::json!({"text": format!("line {turn}")}),
        }),
        steps: Vec::new(),
        reason: format!("the editor is open, so line {turn} comes next"),
        notes: Vec::new(),
        deeds: vec![Deed { action: action.name().into(), hash, outcome }],
        calm: Calm::Settled,
        judgement: Judgement::Unchecked,
        usage: usage(),
        timings: Timings::default(),
    }
}

/// How a turn of the tests goes.
#[derive(Clone, Copy)]
pub(crate) struct Script {
    /// Bytes of the picture; 0 for none.
    pub(crate) picture: usize,
    pub(crate) exchange: bool,
    pub(crate) view: bool,
}

pub(crate) const FULL: Script = Script { picture: 3_000, exchange: true, view: true };
pub(crate) const BARE: Script = Script { picture: 0, exchange: false, view: false };

/// The part of a turn up to the intent.
pub(crate) fn begin(journal: &mut Journal, turn: u64, script: Script) -> Result<FrameHash, StoreError> {
    let bytes = picture(turn, script.picture.max(8));
    let hash = if script.picture > 0 { journal.keep_frame(turn, &bytes) } else { FrameHash::of(&bytes) };
    let named = (script.picture > 0).then_some(hash);
    journal.observed(turn, &Observed { picture: named, at_unix_millis: 0, frame: geometry(turn) })?;
    let exchanges: &[Exchange] = &if script.exchange { vec![exchange(turn, &bytes)] } else { Vec::new() };
    let decided = Decided {
        choice: "act".into(),
        reason: "because".into(),
        call: None,
        usage: usage(),
        confirmation: None,
    };
    journal.decided(turn, &decided, exchanges)?;
    let (action, action_hash) = action(turn);
    journal.intent(turn, 0, &action, &action_hash)?;
    Ok(hash)
}

/// The rest of it.
pub(crate) fn finish(
    journal: &mut Journal,
    turn: u64,
    hash: FrameHash,
    script: Script,
) -> Result<Ack, StoreError> {
    finish_at(journal, turn, 0, hash, script)
}

/// The rest of a turn whose last action has this index.
pub(crate) fn finish_at(
    journal: &mut Journal,
    turn: u64,
    index: u32,
    hash: FrameHash,
    script: Script,
) -> Result<Ack, StoreError> {
    let done = Outcome::Done { injected: None };
    journal.acted(turn, index, &done)?;
    journal.verified(turn, Calm::Settled, &Judgement::Unchecked)?;
    let ack = journal.commit(&record(turn, hash, done))?;
    if script.view {
        journal.view_frame(turn, &step_name(turn, PictureFormat::Png), &hash);
    }
    Ok(ack)
}

pub(crate) fn whole_turn(journal: &mut Journal, turn: u64, script: Script) -> Result<Ack, StoreError> {
    let hash = begin(journal, turn, script)?;
    finish(journal, turn, hash, script)
}

/// A run of `turns` committed turns in `dir`, left open.
pub(crate) fn run(dir: &Path, turns: u64, options: &Options, script: Script) -> Journal {
    let mut journal = Journal::create(dir, &meta(), options).unwrap();
    for turn in 1..=turns {
        let _ = whole_turn(&mut journal, turn, script).unwrap();
    }
    journal
}

pub(crate) fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A folder in memory where there is one: the tests below write millions of small files.
pub(crate) fn memory_folder() -> tempfile::TempDir {
    let shm = Path::new("/dev/shm");
    if shm.is_dir() { tempfile::tempdir_in(shm).unwrap() } else { tempfile::tempdir().unwrap() }
}
