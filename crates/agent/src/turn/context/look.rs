//! Looks that the last turn asked for, served from this turn's frame.
//!
//! The screen itself is the turn's picture. A zoom is the region in the screen's own pixels, enlarged or reduced to the size of a
//! picture; the pointer's place is told in the space that the dialect speaks.

use crate::ending::Interruption;
use crate::engine::Engine;
use crate::history::Asked;
use crate::turn::picture::picture_of;
use handsight_base::flow::frame::Frame;
use handsight_base::flow::intent::Look;
use handsight_base::flow::prompt::{Fragment, Picture, Provenance, Slot};
use handsight_base::space::{FrameRect, PictureGeometry};
use handsight_pixel::scale;

/// What is told besides takes few words.
const WORDS_CAP_TOKENS: u32 = 100;

/// What is shown beside the turn's own picture, where no conversation has a call to show it in.
pub(super) struct Beside {
    pub(super) words: Vec<Fragment>,
    pub(super) pictures: Vec<Picture>,
}

pub(super) fn serve(
    engine: &mut Engine,
    frame: &Frame,
    screen: &PictureGeometry,
) -> Result<Beside, Interruption> {
    let told = engine.history.asides().iter().cloned().map(fragment).collect();
    let mut beside = Beside { words: told, pictures: Vec::new() };
    for Asked { call, look } in engine.history.take_looks() {
        let (words, shown) = match look {
            Look::Screenshot => (String::new(), None),
            Look::CursorPosition => (pointer(engine, frame, screen), None),
            Look::Zoom { area } => zoom(engine, frame, screen, area)?,
        };
        if engine.history.serve(call, &words, shown.as_ref()) {
            continue;
        }
        if shown.is_some() {
            let words = format!(
                "(Picture {} is the region that you asked to see larger.)",
                beside.pictures.len() + 2
            );
            beside.words.push(fragment(words));
        }
        if !words.is_empty() {
            beside.words.push(fragment(words));
        }
        beside.pictures.extend(shown);
    }
    Ok(beside)
}

fn fragment(words: String) -> Fragment {
    Fragment::new("look", Slot::User, Provenance::Tool, words, WORDS_CAP_TOKENS)
}

/// Where the hands last put the pointer. What a person did to it since shows on the picture only.
fn pointer(engine: &Engine, frame: &Frame, screen: &PictureGeometry) -> String {
    let Some(at) = engine.pointer.and_then(|p| frame.geometry.frame_from_screen(p).ok()) else {
        return "the pointer has not been moved yet; it is where the picture shows it".into();
    };
    match super::place(engine, screen, at) {
        Some((x, y)) => format!("X={x}, Y={y}"),
        None => "the pointer is outside of the picture".into(),
    }
}

fn zoom(
    engine: &mut Engine,
    frame: &Frame,
    screen: &PictureGeometry,
    area: FrameRect,
) -> Result<(String, Option<Picture>), Interruption> {
    let Some(pane) = area.intersect(&frame.geometry.whole()).filter(|p| !p.size.is_empty()) else {
        return Ok(("the region is outside of the screen".into(), None));
    };
    let size = scale::Fit::KeepAspect.size(pane.size, screen.size);
    Ok((String::new(), Some(picture_of(engine, frame, pane, size)?)))
}
