//! A recorded run as a desktop: its pictures are seen again, and what is done is compared with what was done.
//!
//! Each capture that a model may see shows the next recorded turn; probes repeat the one that is there. The picture that
//! was sent is stretched back to the size of the screen by nearest neighbour, which scales to exactly the same picture
//! again, so that a replay sends byte-equal requests; a picture that was scaled smoothly or written as JPEG comes near, and the
//! comparison says that it is not the same. The overlay and annotations are part of the recorded pictures; the overlay is accepted
//! without being drawn. What is done comes to what it came to then, a failure in its own words, so that a model is told the same. This
//! module refuses to go on after the last recorded turn, and it moves nothing.

mod difference;

pub use difference::{Difference, FirstDifference};

use difference::Expected;
use handsight_base::flow::action::{Batch, WindowQuery};
use handsight_base::flow::frame::{Frame, Pixels};
use handsight_base::flow::receipt::Outcome;
use handsight_base::gate::{Approved, Focus, Launch, Paste};
use handsight_base::port::clock::Clock;
use handsight_base::port::desktop::{
    Capabilities, CaptureRequest, Desktop, DesktopError, DesktopInfo, Display, Injected, Overlay, Window,
    WindowId, WindowState,
};
use handsight_base::space::{FrameGeometry, FrameRect, Rect, ScreenRect, Size};
use handsight_base::stop::Stop;
use handsight_store::{Reader, StoreError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A recorded run, played back.
pub struct ReplayDesktop {
    reader: Reader,
    name: String,
    clock: Arc<dyn Clock>,
    /// Turns that are still to come, the next one last.
    ahead: Vec<u64>,
    /// The turn on the screen; before the first capture the first one, which probes may already see.
    now: Scene,
    begun: bool,
    first: FirstDifference,
}

/// One recorded turn.
struct Scene {
    turn: u64,
    pixels: Pixels,
    /// As it was recorded.
    geometry: FrameGeometry,
    /// What was done and is still to be done again, the next last.
    expected: Vec<Expected>,
}

impl ReplayDesktop {
    /// Opens a run folder; refuses one without a single whole turn.
    pub fn open(dir: &Path, clock: Arc<dyn Clock>) -> Result<Self, DesktopError> {
        let name = dir.file_name().unwrap_or(dir.as_os_str()).to_string_lossy().into_owned();
        let mut reader = Reader::open(dir).map_err(|e| unusable(&name, &e.to_string()))?;
        let mut ahead = reader.turns();
        ahead.reverse();
        let first = ahead.last().copied().ok_or_else(|| unusable(&name, "it has no finished turn"))?;
        let now = scene(&mut reader, first)?;
        Ok(Self { reader, name, clock, ahead, now, begun: false, first: FirstDifference::default() })
    }

    /// Where what is done first differs from what was recorded; the handle stays good when the desktop is given away.
    pub fn first_difference(&self) -> FirstDifference {
        self.first.clone()
    }

    /// The turn that the next picture is of; `None` if it is on the screen already.
    fn coming(&mut self) -> Result<Option<Scene>, DesktopError> {
        if !self.begun {
            return Ok(None);
        }
        match self.ahead.last() {
            Some(turn) => scene(&mut self.reader, *turn).map(Some),
            None => {
                self.note_missed();
                let why = format!(
                    "the recording {:?} ends after turn {}, and another picture was asked for",
                    self.name, self.now.turn
                );
                Err(DesktopError::Capture { why, code: None })
            }
        }
    }

    /// The picture was seen: its turn begins.
    fn begin(&mut self, coming: Option<Scene>) {
        if self.begun {
            self.note_missed();
        }
        self.begun = true;
        self.ahead.pop();
        if let Some(scene) = coming {
            self.now = scene;
        }
    }

    fn note_missed(&mut self) {
        if let Some(missed) = self.now.expected.pop() {
            self.first.note(self.now.turn, Some(missed), None);
        }
    }

    /// Compares a deed with the recorded one and says what came of that: what the desktop took, if it said so, or why it did not. Of
    /// another deed nothing is known.
    fn compare<T>(&mut self, what: &str, approved: &Approved<T>) -> Result<Option<Injected>, DesktopError> {
        let expected = self.now.expected.pop();
        let equal = expected.as_ref().is_some_and(|e| e.hash == *approved.hash());
        if !equal {
            self.first.note(self.now.turn, expected, Some(format!("{what} {}", approved.hash().0)));
            return Ok(None);
        }
        match expected.and_then(|e| e.outcome) {
            // What ended early is told by what was sent, as any desktop tells it.
            Some(Outcome::Done { injected } | Outcome::Failed { injected: injected @ Some(_), .. }) => {
                Ok(injected)
            }
            // Held up before its first event; a journal of today has `withheld` there.
            Some(Outcome::NotExecuted) => Err(DesktopError::Stopped),
            Some(outcome @ (Outcome::Failed { .. } | Outcome::Withheld { .. } | Outcome::Ambiguous)) => {
                Err(DesktopError::Recorded(outcome))
            }
            // What the gate refused was never sent; today's gate decides for itself.
            Some(Outcome::Refused { .. }) | None => Ok(None),
        }
    }

    fn window_of_record(&self) -> Window {
        let area = screen(&self.now.geometry);
        Window {
            id: WindowId(0),
            title: self.name.clone(),
            class: Vec::new(),
            pid: None,
            program: None,
            client: area,
            outer: area,
            state: WindowState::Normal,
            focused: true,
        }
    }
}

fn unusable(name: &str, why: &str) -> DesktopError {
    DesktopError::Unusable {
        why: format!("the run {name:?} cannot be replayed: {why}"),
        remedy: "`handsight runs list` names the runs there are.".into(),
    }
}

/// A recorded turn with its picture at the size of the screen it was taken from.
fn scene(reader: &mut Reader, turn: u64) -> Result<Scene, DesktopError> {
    let gone = |why: String| DesktopError::Capture {
        why: format!("turn {turn} of the recording: {why}"),
        code: None,
    };
    let store = |e: StoreError| gone(e.to_string());
    let record = reader.step(turn).map_err(store)?.ok_or_else(|| gone("it is not there".into()))?;
    let bytes = reader.frame(&record.picture).map_err(|why| gone(format!("its picture: {why}")))?;
    let picture = handsight_pixel::picture::decode(&bytes).map_err(|e| gone(format!("its picture: {e}")))?;
    let expected = reader.actions(turn).map_err(store)?.into_iter().rev();
    Ok(Scene {
        turn,
        pixels: stretched(&picture, record.frame.size).ok_or_else(|| gone("its picture is empty".into()))?,
        geometry: record.frame,
        expected: expected.map(Expected::from).collect(),
    })
}

/// The picture at another size by nearest neighbour. Scaled back to its own size the same way, it is the same picture if it
/// once came from that size, and whenever that size is the larger one.
fn stretched(picture: &Pixels, to: Size) -> Option<Pixels> {
    let from = picture.size();
    if from.is_empty() || to.is_empty() {
        return None;
    }
    if from == to {
        return Some(picture.clone());
    }
    let index = |i: u32, from: u32, to: u32| {
        // floor((i + 0.5) * from / to), in whole numbers.
        ((2 * u64::from(i) + 1) * u64::from(from) / (2 * u64::from(to))) as usize
    };
    let columns: Vec<usize> = (0..to.width).map(|x| index(x, from.width, to.width) * 4).collect();
    let mut out = Vec::with_capacity(to.area() as usize * 4);
    for y in 0..to.height {
        let row = picture.view().row(index(y, from.height, to.height) as u32);
        out.extend(columns.iter().flat_map(|at| [row[*at], row[at + 1], row[at + 2], 255]));
    }
    Pixels::new(Arc::new(out), to, to.width as usize * 4)
}

fn screen(geometry: &FrameGeometry) -> ScreenRect {
    geometry.screen_rect(geometry.whole())
}

impl Desktop for ReplayDesktop {
    fn info(&self) -> DesktopInfo {
        DesktopInfo {
            backend: "replay".into(),
            detail: self.name.clone(),
            simulated: true,
            capabilities: Capabilities {
                input: true,
                windows: true,
                launch: true,
                // They are in the recorded pictures.
                overlay: true,
                overlay_in_capture: true,
                annotated_in_capture: true,
                ..Capabilities::default()
            },
        }
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        let geometry = &self.now.geometry;
        Ok(vec![Display {
            name: "replay".into(),
            area: screen(geometry),
            primary: true,
            scale: geometry.scale,
        }])
    }

    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError> {
        let goes_on = request.frame != CaptureRequest::PROBE;
        let coming = if goes_on { self.coming()? } else { None };
        let seen = coming.as_ref().unwrap_or(&self.now);
        let mut geometry = FrameGeometry { frame: request.frame, ..seen.geometry };
        let mut pixels = seen.pixels.clone();
        if let Some(region) = request.region {
            let outside = || DesktopError::Capture {
                why: format!("{region} lies outside of the recording"),
                code: None,
            };
            let part = region.intersect(&screen(&geometry)).ok_or_else(outside)?;
            let place = frame_rect(&geometry, part).ok_or_else(outside)?;
            pixels = cut(&pixels, place).ok_or_else(outside)?;
            geometry = FrameGeometry { size: place.size, origin: part.origin, ..geometry };
        }
        // Only now: a look that is refused shows no turn.
        if goes_on {
            self.begin(coming);
        }
        let shown = request.shown.clone();
        Ok(Frame { geometry, shown, at: self.clock.now(), pixels, cursor: request.cursor, suspicion: None })
    }

    fn inject(&mut self, batch: Approved<Batch>, _stop: &Stop) -> Result<Injected, DesktopError> {
        let then = self.compare("input", &batch)?;
        Ok(injected(then, batch.into_inner().primitives.len() as u32))
    }

    fn paste(&mut self, paste: Approved<Paste>, _stop: &Stop) -> Result<Injected, DesktopError> {
        Ok(injected(self.compare("paste", &paste)?, 4))
    }

    fn launch(&mut self, launch: Approved<Launch>) -> Result<u32, DesktopError> {
        self.compare("launch", &launch)?;
        Ok(0)
    }

    fn focus(&mut self, focus: Approved<Focus>) -> Result<Window, DesktopError> {
        self.compare("focus", &focus)?;
        Ok(self.window_of_record())
    }

    /// The recorded target is there and is the only window.
    fn windows(&mut self) -> Result<Vec<Window>, DesktopError> {
        Ok(vec![self.window_of_record()])
    }

    fn window(&mut self, _id: WindowId) -> Result<Window, DesktopError> {
        Ok(self.window_of_record())
    }

    fn find(&mut self, _query: &WindowQuery) -> Result<Vec<Window>, DesktopError> {
        self.windows()
    }

    fn overlay(&mut self, _overlay: Option<&Overlay>) -> Result<(), DesktopError> {
        Ok(())
    }
}

/// What the desktop said then; if it did not, that it took everything.
fn injected(then: Option<Injected>, sent: u32) -> Injected {
    let all = Injected { events: sent, of: sent, complete: true, took: Duration::ZERO };
    then.map_or(all, |then| Injected { took: Duration::ZERO, ..then })
}

/// Where a part of the screen lies in a frame.
fn frame_rect(geometry: &FrameGeometry, part: ScreenRect) -> Option<FrameRect> {
    let first = geometry.frame_from_screen(part.origin).ok()?.point;
    let last = part.origin.offset(part.size.width as i32 - 1, part.size.height as i32 - 1);
    let last = geometry.frame_from_screen(last).ok()?.point;
    let size = Size::new((last.x - first.x) as u32 + 1, (last.y - first.y) as u32 + 1);
    Some(Rect { origin: first, size })
}

fn cut(pixels: &Pixels, part: FrameRect) -> Option<Pixels> {
    let view = pixels.view().crop(part.origin.x as u32, part.origin.y as u32, part.size)?;
    let rows: Vec<u8> = (0..part.size.height).flat_map(|row| view.row(row).iter().copied()).collect();
    Pixels::new(Arc::new(rows), part.size, part.size.width as usize * 4)
}

#[cfg(test)]
mod tests;
