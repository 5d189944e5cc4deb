//! What a check of the suite asks of a desktop, kept as a run; and the same check over the replay of that run.

use crate::replay_witness::{Heard, Listening, Retelling};
use handsight_base::flow::action::{Action, ActionHash, Batch, WindowQuery};
use handsight_base::flow::frame::{Frame, FrameHash, Shown};
use handsight_base::flow::receipt::{Deed, Outcome};
use handsight_base::flow::settled::Calm;
use handsight_base::flow::step::{StepRecord, Timings};
use handsight_base::flow::verdict::Judgement;
use handsight_base::gate::{Approved, Focus, Launch, Paste, Place, SetClipboard};
use handsight_base::port::clock::VirtualClock;
use handsight_base::port::desktop::{
    CaptureRequest, ClipboardContents, Damage, DamageMark, Desktop, DesktopError, DesktopFault, DesktopInfo,
    Display, Injected, Overlay, OverlayInCapture, Pulse, Window, WindowId,
};
use handsight_base::port::model::Usage;
use handsight_base::space::{FrameGeometry, FrameId, ScreenPx};
use handsight_base::stop::Stop;
use handsight_desktop::replay::ReplayDesktop;
use handsight_pixel::png::PngEncoder;
use handsight_pixel::rgb::Rgb24;
use handsight_pixel::scale::NearestScaler;
use handsight_store::{Decided, Durability, Journal, Observed, Options};
use handsight_testkit::conformance::{Finding, Rig, Terms, check, model};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// Something done and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) what: What,
    asked: String,
    answer: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Look,
    Deed,
}

/// A recording with one thing in it that is not as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// One pixel of the picture of a look.
    Picture(usize),
    /// The place, key or text of a deed, and so its hash.
    Deed(usize),
    /// What became of a deed.
    Result(usize),
}

/// A check as it went on a desktop that conforms.
pub(crate) struct Recording {
    folder: TempDir,
    pub(crate) lines: Vec<Line>,
    heard: Heard,
    terms: Terms,
}

/// Runs a check on the suite's own desktop and keeps it. `Err` if the check does not even hold there.
pub(crate) fn record(name: &str, terms: Terms, wrong: Option<Wrong>) -> Result<Recording, String> {
    let folder = tempfile::tempdir().unwrap();
    let account = Account { lines: Vec::new(), writer: Some(Writer::new(&folder, wrong)) };
    let account = Shared(Arc::new(Mutex::new(account)));
    let heard = Heard::default();
    let host = model::rig(None);
    let terms = Terms { patience: host.terms.patience, astray: host.terms.astray, ..terms };
    let mut rig = Rig {
        desktop: Box::new(Watched { desktop: host.desktop, account: account.clone() }),
        witness: Box::new(Listening { witness: host.witness, heard: heard.clone() }),
        terms: terms.clone(),
        keep: host.keep,
    };
    check(name).run(&mut rig)?;
    last_look(&mut *rig.desktop);
    let mut account = account.lock();
    if let Some(writer) = account.writer.take() {
        writer.close();
    }
    Ok(Recording { folder, lines: account.lines.clone(), heard, terms })
}

impl Recording {
    /// Runs a check over the replay. It holds if the check does, if nothing was done otherwise than then, and if each look and each
    /// deed came to what it came to then.
    pub(crate) fn play(&self, name: &str) -> Finding {
        let clock = Arc::new(VirtualClock::new(0));
        let replay =
            ReplayDesktop::open(&self.folder.path().join("run"), clock).map_err(|e| e.to_string())?;
        let difference = replay.first_difference();
        let account = Shared(Arc::new(Mutex::new(Account { lines: Vec::new(), writer: None })));
        let retelling = Retelling::of(&self.heard);
        let asking = retelling.asking();
        let mut rig = Rig {
            desktop: Box::new(Watched { desktop: Box::new(replay), account: account.clone() }),
            witness: Box::new(retelling),
            terms: self.terms.clone(),
            keep: Box::new(()),
        };
        let found = check(name).run(&mut rig);
        let differs = || difference.get().map(|difference| format!("it was played otherwise: {difference}"));
        // The first difference is the cause of whatever the check found; what a check that failed did not come to is none.
        differs().map_or(Ok(()), Err)?;
        let figures = found?;
        last_look(&mut *rig.desktop);
        differs().map_or(Ok(()), Err)?;
        let lines = account.lock().lines.clone();
        let first = self.lines.iter().zip(&lines).find(|(then, now)| then != now);
        if let Some((then, now)) = first {
            return Err(format!("then it was {then:?}, now {now:?}"));
        }
        if lines.len() != self.lines.len() {
            return Err(format!("{} looks and deeds then, {} now", self.lines.len(), lines.len()));
        }
        asking.difference().map_or(Ok(figures), Err)
    }

    /// How many looks, or deeds, it has.
    pub(crate) fn count(&self, what: What) -> usize {
        self.lines.iter().filter(|line| line.what == what).count()
    }
}

/// One look more than the check takes: what was not done in its last turn is missed by then.
fn last_look(desktop: &mut dyn Desktop) {
    let request = CaptureRequest {
        frame: FrameId(1_000_000),
        shown: Shown::AllDisplays,
        region: None,
        cursor: false,
        overlay: OverlayInCapture::AsShown,
    };
    // What comes of it stands in the account.
    drop(desktop.capture(&request));
}

/// What was asked and answered, and the run it goes to where one is recorded.
struct Account {
    lines: Vec<Line>,
    writer: Option<Writer>,
}

#[derive(Clone)]
struct Shared(Arc<Mutex<Account>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Account> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Account {
    fn looked(&mut self, request: &CaptureRequest, seen: &Result<Frame, DesktopError>) {
        let mut picture = seen.as_ref().ok().map(rgb);
        let answer = match seen {
            Ok(frame) => {
                let geometry = &frame.geometry;
                let (origin, scale) = (geometry.origin, geometry.scale);
                let hash = picture.as_ref().map(|picture| FrameHash::of(&picture.to_packed()));
                format!("{} at {origin}, scale {scale}, pointer {}: {hash:?}", geometry.size, frame.cursor)
            }
            // The words are each desktop's own; what kind of refusal it is has to be the same.
            Err(error) => {
                let debug = format!("{error:?}");
                debug.split(' ').next().unwrap_or_default().to_owned()
            }
        };
        let asked =
            format!("frame {}, region {:?}, pointer {}", request.frame.0, request.region, request.cursor);
        self.lines.push(Line { what: What::Look, asked, answer });
        if let (Some(writer), Some(picture), Ok(frame)) = (&mut self.writer, &mut picture, seen) {
            writer.begin(frame.geometry, picture);
        }
    }

    fn intends(&mut self, action: &Action, hash: &ActionHash) {
        if let Some(writer) = &mut self.writer {
            writer.intends(action, hash);
        }
    }

    fn done(&mut self, asked: String, answer: Result<Option<Injected>, &DesktopError>) {
        let words = match answer {
            Ok(None) => "done".to_owned(),
            Ok(Some(i)) => format!("{} of {} events, complete: {}", i.events, i.of, i.complete),
            Err(error) => error.to_string(),
        };
        self.lines.push(Line { what: What::Deed, asked, answer: words });
        if let Some(writer) = &mut self.writer {
            writer.acted(&outcome(answer));
        }
    }
}

/// As the engine writes it down.
fn outcome(answer: Result<Option<Injected>, &DesktopError>) -> Outcome {
    match answer {
        Ok(injected) if injected.is_none_or(|i| i.complete) => Outcome::Done { injected },
        Ok(injected) => Outcome::Failed { why: "ended before all of it was sent".to_owned(), injected },
        Err(DesktopError::Stopped) => Outcome::NotExecuted,
        Err(error) if error.fault() == DesktopFault::Retry => Outcome::Ambiguous,
        Err(error) => {
            let moved =
                if let DesktopError::FocusMoved { injected, .. } = error { Some(*injected) } else { None };
            Outcome::Failed { why: error.to_string(), injected: moved }
        }
    }
}

fn rgb(frame: &Frame) -> Rgb24 {
    let mut rgb = Rgb24::new(frame.size());
    NearestScaler::new().scale(frame.view(), frame.size(), &mut rgb).unwrap();
    rgb
}

/// Writes a run: one turn a look.
struct Writer {
    journal: Journal,
    encoder: PngEncoder,
    turn: u64,
    frame: Option<(FrameGeometry, FrameHash)>,
    deeds: Vec<Deed>,
    wrong: Option<Wrong>,
    /// Deeds of the whole run.
    done: usize,
}

impl Writer {
    fn new(folder: &TempDir, wrong: Option<Wrong>) -> Self {
        let options = Options { durability: Durability::BATCHED, ..Options::default() };
        let journal = Journal::create(&folder.path().join("run"), &Default::default(), &options).unwrap();
        let (encoder, deeds) = (PngEncoder::new(), Vec::new());
        Self { journal, encoder, turn: 0, frame: None, deeds, wrong, done: 0 }
    }

    fn begin(&mut self, frame: FrameGeometry, picture: &mut Rgb24) {
        self.commit();
        self.turn += 1;
        if self.wrong == Some(Wrong::Picture(self.turn as usize - 1)) {
            picture.row_mut(0)[0] ^= 1;
        }
        let png = self.encoder.encode(picture).unwrap();
        let picture = self.journal.keep_frame(self.turn, &png);
        let observed = Observed { picture: Some(picture), at_unix_millis: 1, frame };
        self.journal.observed(self.turn, &observed).unwrap();
        self.journal.decided(self.turn, &Decided::default(), &[]).unwrap();
        self.frame = Some((frame, picture));
    }

    fn intends(&mut self, action: &Action, hash: &ActionHash) {
        let wrong = self.wrong == Some(Wrong::Deed(self.done));
        let hash = if wrong { action.hash(FrameId(u64::MAX)) } else { hash.clone() };
        self.journal.intent(self.turn, self.deeds.len() as u32, action, &hash).unwrap();
        self.deeds.push(Deed { action: action.name().to_owned(), hash, outcome: Outcome::NotExecuted });
    }

    fn acted(&mut self, outcome: &Outcome) {
        let wrong = self.wrong == Some(Wrong::Result(self.done));
        let lost = Outcome::Failed { why: "the recording says so".to_owned(), injected: None };
        let outcome = if wrong { &lost } else { outcome };
        self.journal.acted(self.turn, self.deeds.len() as u32 - 1, outcome).unwrap();
        self.deeds.last_mut().unwrap().outcome = outcome.clone();
        self.done += 1;
    }

    fn commit(&mut self) {
        let Some((frame, picture)) = self.frame.take() else { return };
        let record = StepRecord {
            turn: self.turn,
            at_unix_millis: 1,
            frame,
            picture,
            choice: if self.deeds.is_empty() { "observe" } else { "act" }.to_owned(),
            call: None,
            steps: Vec::new(),
            reason: String::new(),
            notes: Vec::new(),
            deeds: std::mem::take(&mut self.deeds),
            calm: Calm::Settled,
            judgement: Judgement::Unchecked,
            usage: Usage::default(),
            timings: Timings::default(),
        };
        self.journal.verified(self.turn, Calm::Settled, &Judgement::Unchecked).unwrap();
        self.journal.commit(&record).unwrap().through();
    }

    fn close(mut self) {
        self.commit();
        self.journal.close().unwrap();
    }
}

/// A desktop of one display, all of whose looks and deeds go to the account. A run has one picture a turn and no place of the
/// pointer, so neither is asked of the host.
struct Watched {
    desktop: Box<dyn Desktop>,
    account: Shared,
}

impl Watched {
    /// `action` names the deed in the journal; what it is compared by is the hash it was approved with.
    fn deed<T, R>(
        &mut self,
        action: &Action,
        approved: Approved<T>,
        run: impl FnOnce(&mut dyn Desktop, Approved<T>) -> Result<R, DesktopError>,
        injected: impl FnOnce(&R) -> Option<Injected>,
    ) -> Result<R, DesktopError> {
        let hash = approved.hash().clone();
        self.account.lock().intends(action, &hash);
        let answer = run(&mut *self.desktop, approved);
        self.account.lock().done(hash.0, answer.as_ref().map(injected));
        answer
    }
}

impl Desktop for Watched {
    fn info(&self) -> DesktopInfo {
        let mut info = self.desktop.info();
        info.capabilities.pointer = false;
        info
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        let mut displays = self.desktop.displays()?;
        displays.truncate(1);
        Ok(displays)
    }

    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError> {
        let mut request = request.clone();
        if request.shown == Shown::AllDisplays {
            request.shown = Shown::Display(self.displays()?.swap_remove(0).name);
        }
        let seen = self.desktop.capture(&request);
        self.account.lock().looked(&request, &seen);
        seen
    }

    fn inject(&mut self, batch: Approved<Batch>, stop: &Stop) -> Result<Injected, DesktopError> {
        // Behind the gate there are only events left of an action.
        let action = Action::Wait { millis: 0 };
        self.deed(&action, batch, |desktop, batch| desktop.inject(batch, stop), |i| Some(*i))
    }

    fn paste(&mut self, paste: Approved<Paste>, stop: &Stop) -> Result<Injected, DesktopError> {
        let action = Action::Paste { text: paste.value().0.clone() };
        self.deed(&action, paste, |desktop, paste| desktop.paste(paste, stop), |i| Some(*i))
    }

    fn launch(&mut self, launch: Approved<Launch>) -> Result<u32, DesktopError> {
        let action = Action::Launch { argv: launch.value().0.clone() };
        self.deed(&action, launch, |desktop, launch| desktop.launch(launch), |_| None)
    }

    fn focus(&mut self, focus: Approved<Focus>) -> Result<Window, DesktopError> {
        let action = Action::FocusWindow { query: focus.value().0.clone() };
        self.deed(&action, focus, |desktop, focus| desktop.focus(focus), |_| None)
    }

    fn release_all(&mut self) -> Result<(), DesktopError> {
        self.desktop.release_all()
    }

    fn windows(&mut self) -> Result<Vec<Window>, DesktopError> {
        self.desktop.windows()
    }

    fn window(&mut self, id: WindowId) -> Result<Window, DesktopError> {
        self.desktop.window(id)
    }

    fn find(&mut self, query: &WindowQuery) -> Result<Vec<Window>, DesktopError> {
        self.desktop.find(query)
    }

    fn place(&mut self, place: Approved<Place>) -> Result<Window, DesktopError> {
        self.desktop.place(place)
    }

    fn clipboard(&mut self) -> Result<ClipboardContents, DesktopError> {
        self.desktop.clipboard()
    }

    fn set_clipboard(&mut self, contents: Approved<SetClipboard>) -> Result<(), DesktopError> {
        self.desktop.set_clipboard(contents)
    }

    fn pointer(&mut self) -> Result<Option<ScreenPx>, DesktopError> {
        self.desktop.pointer()
    }

    fn damage_since(&mut self, mark: Option<DamageMark>) -> Result<Damage, DesktopError> {
        self.desktop.damage_since(mark)
    }

    fn overlay(&mut self, overlay: Option<&Overlay>) -> Result<(), DesktopError> {
        self.desktop.overlay(overlay)
    }

    fn pulse(&self) -> Option<Arc<dyn Pulse>> {
        self.desktop.pulse()
    }
}
