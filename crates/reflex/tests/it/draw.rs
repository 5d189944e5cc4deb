//! Pictures of text and boxes, drawn the way interfaces are, by code that shares nothing with the reader but the font.

use handsight_base::flow::frame::PixelView;
use handsight_base::space::Size;
use handsight_pixel::font::FontStack;
use handsight_pixel::hud::{self, HudStyle};
use handsight_pixel::png::PngEncoder;
use handsight_pixel::rgb::Rgb24;
use handsight_pixel::scale::NearestScaler;

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    pub(crate) fn of<'a, T: ?Sized>(&mut self, these: &[&'a T]) -> &'a T {
        these[self.below(these.len())]
    }
}

/// How a renderer mixes coverage: as it is, or strengthened against thin grey stems.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Mixing {
    Plain,
    HalfWay,
}

pub(crate) struct Screen {
    pub(crate) size: Size,
    bgrx: Vec<u8>,
    fonts: [FontStack; 2],
    pub(crate) mixing: Mixing,
}

impl Screen {
    pub(crate) fn new(size: Size, color: u32) -> Self {
        let mut screen = Self {
            size,
            bgrx: vec![0; size.area() as usize * 4],
            fonts: [FontStack::builtin(400), FontStack::builtin(700)],
            mixing: Mixing::HalfWay,
        };
        screen.fill(0, 0, size.width as i32, size.height as i32, color);
        screen
    }

    pub(crate) fn fill(&mut self, x: i32, y: i32, width: i32, height: i32, color: u32) {
        for row in y.max(0)..(y + height).min(self.size.height as i32) {
            for column in x.max(0)..(x + width).min(self.size.width as i32) {
                self.blend(column, row, color, 255);
            }
        }
    }

    fn blend(&mut self, x: i32, y: i32, color: u32, coverage: u8) {
        let at = (y as usize * self.size.width as usize + x as usize) * 4;
        let [_, r, g, b] = color.to_be_bytes();
        for (under, over) in self.bgrx[at..at + 3].iter_mut().zip([b, g, r]) {
            let mixed =
                u32::from(over) * u32::from(coverage) + u32::from(*under) * (255 - u32::from(coverage));
            *under = ((mixed + 127) / 255) as u8;
        }
    }

    pub(crate) fn frame(&mut self, x: i32, y: i32, width: i32, height: i32, border: u32, fill: u32) {
        self.fill(x, y, width, height, border);
        self.fill(x + 1, y + 1, width - 2, height - 2, fill);
    }

    /// Text whose pen starts at `x` on baseline `y`; where the pen ends.
    pub(crate) fn text(&mut self, text: &str, x: i32, y: i32, em: u32, bold: bool, color: u32) -> i32 {
        let mut pen = x;
        for c in text.chars() {
            let glyph = self.fonts[usize::from(bold)].glyph(c, em as f32);
            for (at, &coverage) in glyph.coverage.iter().enumerate() {
                let (column, row) = (at % glyph.width, at / glyph.width);
                let (px, py) = (pen + glyph.left + column as i32, y + glyph.top + row as i32);
                let inside =
                    px >= 0 && py >= 0 && px < self.size.width as i32 && py < self.size.height as i32;
                if inside {
                    let dark = 255 - u32::from(coverage);
                    let strong = (255 - dark * dark / 255 + u32::from(coverage)) / 2;
                    let plain = self.mixing == Mixing::Plain;
                    self.blend(px, py, color, if plain { coverage } else { strong as u8 });
                }
            }
            pen += glyph.advance as i32;
        }
        pen
    }

    pub(crate) fn width(&mut self, text: &str, em: u32, bold: bool) -> i32 {
        self.fonts[usize::from(bold)].width(text, em as f32) as i32
    }

    /// Text as the HUD of a run shows it.
    pub(crate) fn hud(&mut self, text: &str) {
        let canvas = hud::draw(text, self.size, &HudStyle::default(), &mut self.fonts[0]).unwrap();
        canvas.blend_onto(&mut self.bgrx, self.size, self.size.width as usize * 4);
    }

    /// As a model gets it.
    pub(crate) fn png(&self, picture: Size) -> Vec<u8> {
        let view = PixelView::new(&self.bgrx, self.size, self.size.width as usize * 4).unwrap();
        let mut rgb = Rgb24::default();
        NearestScaler::new().scale(view, picture, &mut rgb).unwrap();
        PngEncoder::new().encode(&rgb).unwrap()
    }
}
