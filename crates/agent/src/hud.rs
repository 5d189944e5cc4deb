//! The HUD of a run: one text, drawn once, shown on the desktop's overlay or blended into the picture.
//!
//! It refuses to draw anything else, and an empty text draws nothing at all (S-16).

use crate::profile::{Hud, Keep};
use handsight_base::port::desktop::Overlay;
use handsight_base::space::{FrameGeometry, FrameRect, ScreenRect, Size};
use handsight_pixel::canvas::Canvas;
use handsight_pixel::font::FontStack;
use handsight_pixel::hud::{HudStyle, Keep as KeepParagraphs, draw};
use std::rc::Rc;
use std::sync::Arc;

/// Finds more fonts on the machine, once, when the built-in one lacks a character.
pub type FontSource = Box<dyn Fn() -> Vec<Arc<[u8]>> + Send>;

pub(crate) struct HudPainter {
    style: HudStyle,
    fonts: FontStack,
    more: Option<FontSource>,
    drawn: Option<Drawn>,
    /// Where the desktop's overlay lies now.
    shown: Option<ScreenRect>,
}

/// The newest drawing, kept for as long as the text stays.
struct Drawn {
    text: String,
    screen: Size,
    canvas: Option<Rc<Canvas>>,
}

impl HudPainter {
    pub(crate) fn new(hud: &Hud, more: FontSource) -> Self {
        let style = HudStyle {
            max_width: hud.max_width,
            font_size: hud.font_size,
            line_spacing: hud.line_spacing,
            text_color: hud.text_color,
            outline_color: hud.outline_color,
            outline_px: hud.outline_px,
            margin: hud.margin,
            max_lines: hud.max_lines,
            keep: match hud.keep {
                Keep::First => KeepParagraphs::First,
                Keep::Last => KeepParagraphs::Last,
            },
            scale: hud.scale,
        };
        let fonts = FontStack::builtin(hud.font_weight);
        Self { style, fonts, more: Some(more), drawn: None, shown: None }
    }

    /// The text as an image for a screen of this size; `None` if there is nothing to draw.
    pub(crate) fn layer(&mut self, text: &str, screen: Size) -> Option<Rc<Canvas>> {
        if let Some(drawn) = self.drawn.as_ref().filter(|d| d.text == text && d.screen == screen) {
            return drawn.canvas.clone();
        }
        if !self.fonts.covers(text)
            && let Some(more) = self.more.take()
        {
            for font in more() {
                if let Err(error) = self.fonts.add(font.to_vec()) {
                    tracing::warn!(%error, "a font of this machine is left out");
                }
            }
        }
        let canvas = draw(text, screen, &self.style, &mut self.fonts).map(Rc::new);
        self.drawn = Some(Drawn { text: text.to_owned(), screen, canvas: canvas.clone() });
        canvas
    }

    /// The text as an overlay over `area` of the screen; `None` takes the overlay away.
    pub(crate) fn overlay(&mut self, text: &str, area: ScreenRect) -> Option<Overlay> {
        let canvas = self.layer(text, area.size)?;
        let FrameRect { origin, size } = canvas.area();
        let area = ScreenRect { origin: area.origin.offset(origin.x, origin.y), size };
        Some(Overlay { area, bgra: canvas.bgra().into() })
    }

    /// True if the desktop was not told to show anything.
    pub(crate) fn is_clear(&self) -> bool {
        self.shown.is_none()
    }

    pub(crate) fn set_shown(&mut self, area: Option<ScreenRect>) {
        self.shown = area;
    }

    /// Where the overlay lies on a frame, so that a comparison can leave it out.
    pub(crate) fn shown_area(&self, frame: &FrameGeometry) -> Option<FrameRect> {
        let area = self.shown?;
        // Rounded outwards: half a pixel of HUD too much is half a pixel of screen too little, which is nothing.
        let low = |v: i32, origin: i32| (f64::from(v.saturating_sub(origin)) * frame.scale).floor() as i32;
        let length = |v: u32| (f64::from(v) * frame.scale).ceil() as u32 + 1;
        let rect = FrameRect::new(
            low(area.origin.x, frame.origin.x),
            low(area.origin.y, frame.origin.y),
            length(area.size.width),
            length(area.size.height),
        );
        rect.intersect(&frame.whole())
    }
}
