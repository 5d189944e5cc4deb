//! One look without a run: what perception sees on a screen now, for a person who wants to see it too.
//!
//! It captures once and perceives as a turn does ([`see`] is what both do). It sends no input and keeps nothing; whoever calls it
//! gives it a seat without hands.

use crate::marks::{self, Marks, Numbers, SEGMENTS, TREE};
use crate::profile::{self, Capture, Profile, Target};
use crate::seat::Seat;
use crate::target::{one_of, parse_window_query};
use handsight_base::flow::format::PictureFormat;
use handsight_base::flow::frame::{Frame, Shown};
use handsight_base::flow::percept::{Finding, Percept};
use handsight_base::flow::ui::UiTree;
use handsight_base::port::desktop::{CaptureRequest, Desktop, DesktopError, OverlayInCapture};
use handsight_base::port::perceiver::{Blind, Perceiver};
use handsight_base::space::{FrameId, PictureGeometry};
use handsight_base::stop::Stop;
use handsight_pixel::annotate::{Annotations, Annotator};
use handsight_pixel::blend::{Exporter, Scaling};
use handsight_pixel::picture::{PictureEncoder, Written};

/// What was seen.
#[derive(Debug)]
pub struct Sight {
    pub percept: Percept,
    pub marks: Marks,
    /// Nodes of programs' own trees that were looked at.
    pub nodes: usize,
}

/// Captures what the profile looks at, and perceives it with everything that `perceive.marks.sources` names.
pub async fn look(
    seat: &mut Seat,
    profile: &Profile,
    perceivers: &[Box<dyn Perceiver>],
    stop: &Stop,
) -> Result<Sight, DesktopError> {
    let capture = profile.capture.clone();
    let taken = move |desktop: &mut dyn Desktop| {
        let request = CaptureRequest {
            frame: FrameId(1),
            shown: shown(desktop, &capture)?,
            region: None,
            cursor: capture.cursor,
            overlay: OverlayInCapture::Hidden,
        };
        desktop.capture(&request)
    };
    let frame = seat.look("capture", taken).await?;
    let mut percept = read_off(perceivers, frame, stop).await;
    let (marks, nodes) = see(seat, &profile.perceive.marks, &mut percept, &mut Numbers::default()).await;
    Ok(Sight { percept, marks, nodes })
}

/// What each perceiver reads off a frame; one that sees nothing says so.
pub(crate) async fn read_off(perceivers: &[Box<dyn Perceiver>], frame: Frame, stop: &Stop) -> Percept {
    let mut percept = Percept { frame, findings: Vec::new(), blind: Vec::new() };
    for perceiver in perceivers {
        match perceiver.perceive(&percept.frame, stop).await {
            Ok(found) => percept.findings.extend(found),
            Err(blind) => percept.blind.push(blind),
        }
    }
    percept
}

/// Adds what programs say of themselves to a percept, and numbers what can be pointed at; also how many nodes were looked at.
pub(crate) async fn see(
    seat: &mut Seat,
    settings: &profile::Marks,
    percept: &mut Percept,
    numbers: &mut Numbers,
) -> (Marks, usize) {
    let (mut nodes, mut untold) = (0, 0);
    if settings.has(TREE) {
        let (tree, blind) = tree(seat, &percept.frame, settings).await;
        percept.findings.extend(marks::findings(&tree, &percept.frame.geometry));
        percept.blind.extend(blind);
        (nodes, untold) = (tree.read, tree.untold);
    }
    if settings.has(SEGMENTS) {
        percept.findings.extend(marks::shapes(&percept.frame));
    }
    let of_sources: Vec<Finding> =
        percept.findings.iter().filter(|found| settings.has(&found.by)).cloned().collect();
    let marks = Marks::of(&percept.frame.geometry, &of_sources, settings.max as usize, numbers);
    (marks.besides(untold), nodes)
}

/// Right after the capture: a program that is busy is not waited for.
async fn tree(seat: &mut Seat, frame: &Frame, settings: &profile::Marks) -> (UiTree, Vec<Blind>) {
    let blind = |why: String| Blind { perceiver: TREE.into(), why };
    if !seat.info().capabilities.ui_tree {
        let why = format!("the `{}` desktop cannot do `ui_tree`", seat.info().backend);
        return (UiTree::default(), vec![blind(why)]);
    }
    let request = settings.of_programs(frame.geometry.screen_rect(frame.geometry.whole()));
    match seat.glance("ui_tree", move |desktop| desktop.ui_tree(&request)).await {
        Ok(tree) => {
            let missed = tree.missed.iter().map(|missed| blind(missed.clone())).collect();
            (tree, missed)
        }
        Err(error) => (UiTree::default(), vec![blind(error.to_string())]),
    }
}

/// What the profile looks at. A window is not brought back for a look.
fn shown(desktop: &mut dyn Desktop, capture: &Capture) -> Result<Shown, DesktopError> {
    if capture.target == Target::Window {
        let query = parse_window_query(&capture.window).map_err(|why| DesktopError::Unusable {
            why: format!("capture.window: {why}"),
            remedy: "Correct the setting.".into(),
        })?;
        let window = desktop.find(&query)?.into_iter().next();
        let none = || DesktopError::NoSuchWindow { query: query.describe(), candidates: Vec::new() };
        return Ok(Shown::Window(window.ok_or_else(none)?.id.0));
    }
    if capture.display == "all" {
        return Ok(Shown::AllDisplays);
    }
    one_of(&desktop.displays()?, &capture.display)
}

impl Sight {
    /// The screen's own pixels with every mark drawn on them, as a PNG; `Err` says why there is none.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        let frame = &self.percept.frame;
        let (pane, size) = (frame.geometry.whole(), frame.size());
        let picture = PictureGeometry { frame: frame.id(), pane, size };
        let mut exporter = Exporter::new();
        let drawn =
            exporter.export(frame.view(), pane, size, Scaling::Nearest, &[]).map_err(|e| e.to_string())?;
        let marks = self.marks.drawn(&picture, true);
        Annotator::new().draw(drawn, &Annotations { marks: &marks, ..Annotations::default() });
        let written = Written { format: PictureFormat::Png, quality: 100 };
        PictureEncoder::new().encode(drawn, written).map_err(|e| e.to_string())
    }
}
