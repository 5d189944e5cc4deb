//! The HUD of a run: one text, drawn once, shown on the desktop's overlay or blended into the picture.
//!
//! It refuses to draw anything else, and an empty text draws nothing at all (S-16). What was told in confidence is not drawn.

use crate::profile::{Hud, Keep, Shows};
use handsight_base::port::desktop::Overlay;
use handsight_base::redact::Redactor;
use handsight_base::space::{FrameGeometry, FrameRect, ScreenRect, Size};
use handsight_pixel::canvas::Canvas;
use handsight_pixel::font::FontStack;
use handsight_pixel::hud::{HudStyle, Keep as KeepParagraphs, draw};
use std::rc::Rc;
use std::sync::Arc;

/// Fonts of the machine, beside the built-in one. Each question is asked at most once a run, and only when something is drawn.
pub trait Fonts: Send {
    /// The face of this family that is nearest to the weight (400 is regular, 700 bold).
    fn named(&self, family: &str, weight: u32) -> Option<FontFile>;

    /// For characters that the built-in font and the named one lack, in the order to ask them.
    fn fallbacks(&self) -> Vec<FontFile>;
}

/// A font as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FontFile {
    /// For messages.
    pub from: String,
    pub bytes: Vec<u8>,
    /// Which face of a collection; else 0.
    pub index: u32,
}

/// A machine without fonts.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFonts;

impl Fonts for NoFonts {
    fn named(&self, _: &str, _: u32) -> Option<FontFile> {
        None
    }

    fn fallbacks(&self) -> Vec<FontFile> {
        Vec::new()
    }
}

pub type FontSource = Box<dyn Fonts>;

pub(crate) struct HudPainter {
    style: HudStyle,
    fonts: FontStack,
    machine: FontSource,
    redactor: Arc<Redactor>,
    /// Family and weight to look for, until that is done.
    wanted: Option<(String, u32)>,
    fell_back: bool,
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
    pub(crate) fn new(hud: &Hud, machine: FontSource, redactor: Arc<Redactor>) -> Self {
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
            numbered: hud.shows == Shows::Reason,
            panel_color: hud.panel_color,
        };
        let fonts = FontStack::builtin(hud.font_weight);
        let wanted =
            Some((hud.font_name.clone(), hud.font_weight)).filter(|(name, _)| !name.trim().is_empty());
        Self { style, fonts, machine, redactor, wanted, fell_back: false, drawn: None, shown: None }
    }

    /// Makes the stack of fonts what this text needs.
    fn find_fonts(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if let Some((family, weight)) = self.wanted.take() {
            match self.machine.named(&family, weight) {
                Some(font) => self.add(0, font),
                None => {
                    tracing::info!("the font {family:?} is not on this machine; the built-in one stands in")
                }
            }
        }
        if !self.fell_back && !self.fonts.covers(text) {
            self.fell_back = true;
            self.machine.fallbacks().into_iter().for_each(|font| self.add(usize::MAX, font));
        }
    }

    fn add(&mut self, at: usize, font: FontFile) {
        let FontFile { from, bytes, index } = font;
        match self.fonts.insert(at, bytes, index) {
            Ok(()) => tracing::info!("the HUD is drawn with {from}"),
            Err(error) => tracing::warn!("{from} is left out: {error}"),
        }
    }

    /// The text as an image for a screen of this size; `None` if there is nothing to draw.
    pub(crate) fn layer(&mut self, text: &str, screen: Size) -> Option<Rc<Canvas>> {
        if let Some(drawn) = self.drawn.as_ref().filter(|d| d.text == text && d.screen == screen) {
            return drawn.canvas.clone();
        }
        // What is on the screen is in every picture after it.
        let clean = self.redactor.redact(text);
        self.find_fonts(&clean);
        let canvas = draw(&clean, screen, &self.style, &mut self.fonts).map(Rc::new);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    const SCREEN: Size = Size { width: 1280, height: 720 };

    /// A machine with both faces of DejaVu Sans that notes what it is asked.
    #[derive(Clone, Default)]
    struct Dejavu(Arc<Mutex<Vec<String>>>);

    impl Fonts for Dejavu {
        fn named(&self, family: &str, weight: u32) -> Option<FontFile> {
            self.0.lock().unwrap().push(format!("{family} {weight}"));
            let bold = weight >= 700;
            let path = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"][usize::from(bold)];
            let path = format!("{}/../pixel/fonts/{path}", env!("CARGO_MANIFEST_DIR"));
            (family == "DejaVu Sans").then(|| FontFile {
                bytes: std::fs::read(&path).unwrap(),
                from: path,
                index: 0,
            })
        }

        fn fallbacks(&self) -> Vec<FontFile> {
            self.0.lock().unwrap().push("fallbacks".into());
            Vec::new()
        }
    }

    fn painter(hud: &Hud, fonts: FontSource) -> HudPainter {
        HudPainter::new(hud, fonts, Arc::new(Redactor::off()))
    }

    #[test]
    fn a_key_is_not_drawn() {
        let text = |text: &str, redactor: Redactor| {
            let mut painter = HudPainter::new(&Hud::default(), Box::new(NoFonts), Arc::new(redactor));
            painter.layer(text, SCREEN).unwrap().bgra().to_vec()
        };
        let key = "canary-9f17ab";
        let knows = || Redactor::new([key]);
        let clean = text("logged in with [key] just now", knows());
        assert!(text(&format!("logged in with {key} just now"), knows()) == clean);
        assert!(text(&format!("logged in with {key} just now"), Redactor::off()) != clean, "the control");
    }

    fn drawn(name: &str, weight: u32, fonts: FontSource) -> Vec<u8> {
        let hud = Hud { font_name: name.into(), font_weight: weight, ..Hud::default() };
        painter(&hud, fonts).layer("Because of this", SCREEN).unwrap().bgra().to_vec()
    }

    // spec: S-54 S-106 UNIT
    #[test]
    fn the_named_font_is_drawn_with_and_bold_from_700() {
        // The named files are those that are built in, so each must give the pixels of its built-in weight.
        let [regular, bold] = [400, 700].map(|weight| drawn("", weight, Box::new(NoFonts)));
        assert!(regular != bold);
        assert!(drawn("DejaVu Sans", 400, Box::new(Dejavu::default())) == regular);
        assert!(drawn("DejaVu Sans", 700, Box::new(Dejavu::default())) == bold);
    }

    // spec: S-54 S-70 UNIT
    #[test]
    fn where_the_name_is_missing_nothing_changes() {
        for weight in [400, 700] {
            let bare = drawn("", weight, Box::new(NoFonts));
            assert!(drawn("Segoe UI", weight, Box::new(Dejavu::default())) == bare, "{weight}");
            assert!(drawn("Segoe UI", weight, Box::new(NoFonts)) == bare, "{weight}");
        }
    }

    #[test]
    fn a_damaged_font_is_left_out() {
        struct Damaged;
        impl Fonts for Damaged {
            fn named(&self, _: &str, _: u32) -> Option<FontFile> {
                Some(FontFile { from: "damaged.ttf".into(), bytes: vec![0, 1, 0, 0, 9], index: 0 })
            }
            fn fallbacks(&self) -> Vec<FontFile> {
                Vec::new()
            }
        }
        assert!(drawn("X", 400, Box::new(Damaged)) == drawn("", 400, Box::new(NoFonts)));
    }

    #[test]
    fn the_machine_is_asked_once_and_only_when_there_is_something_to_draw() {
        let machine = Dejavu::default();
        let mut painter = painter(&Hud::default(), Box::new(machine.clone()));
        let mut draw = |text: &str| painter.layer(text, SCREEN).is_some();
        assert!(!draw("") && !draw(" \n"));
        assert_eq!(*machine.0.lock().unwrap(), [""; 0]);
        assert!(draw("one") && draw("two") && draw("漢") && draw("漢字"));
        assert_eq!(*machine.0.lock().unwrap(), ["Segoe UI 400", "fallbacks"]);
    }
}
