//! Cells to pixels: fonts, colours, the text cursor and the mouse pointer.
//!
//! Pure but for the cache of glyphs, so the same screen gives the same bytes. It refuses ligatures, slanted text and colour
//! fonts. The built-in font is proportional: its letters stand in the middle of cells that are wide enough; a monospaced
//! file ([`Look::of_font`]) looks better.

use crate::shapes::shape;
use crate::terminal::{Cells, hold};
use handsight_base::space::{FramePx, FrameRect, ScreenPx, Size};
use handsight_pixel::canvas::{Canvas, Color};
use handsight_pixel::draw::fill;
use handsight_pixel::font::{BadFont, FontStack};
use std::sync::Mutex;

type Rgb = [u8; 3];

const TEXT: Rgb = [222, 222, 222];
const GROUND: Rgb = [24, 26, 30];
/// Red, green, blue of the sixteen colours that have names.
#[rustfmt::skip]
const NAMED: [Rgb; 16] = [
    [0, 0, 0], [205, 49, 49], [13, 188, 121], [229, 229, 16], [36, 114, 200], [188, 63, 188], [17, 168, 205], [204, 204, 204],
    [118, 118, 118], [241, 76, 76], [35, 209, 139], [245, 245, 67], [59, 142, 234], [214, 112, 214], [41, 184, 219], [255, 255, 255],
];

/// The arrow of the mouse: black edge, white inside; its tip is the place it points to.
const ARROW: [&str; 17] = [
    "X",
    "XX",
    "X.X",
    "X..X",
    "X...X",
    "X....X",
    "X.....X",
    "X......X",
    "X.......X",
    "X........X",
    "X.....XXXXX",
    "X..X..X",
    "X.X X..X",
    "XX  X..X",
    "X    X..X",
    "     X..X",
    "      XX",
];

/// How a terminal looks.
pub struct Look {
    /// Pixels of a cell.
    pub(crate) cell: Size,
    /// Pixels of the font's em.
    em: f32,
    fonts: Mutex<Fonts>,
    arrow: Canvas,
}

struct Fonts {
    regular: FontStack,
    bold: FontStack,
}

impl Look {
    /// The built-in font at an em of so many pixels; 16 is legible also on a picture that is made a little smaller.
    pub fn builtin(em: f32) -> Self {
        Self::of(FontStack::builtin(400), FontStack::builtin(700), em)
    }

    /// A font file, preferably a monospaced one, and the built-in font for what it lacks.
    pub fn of_font(file: &[u8], em: f32) -> Result<Self, BadFont> {
        let [mut regular, mut bold] = [400, 700].map(FontStack::builtin);
        regular.prefer(file.to_vec())?;
        bold.prefer(file.to_vec())?;
        Ok(Self::of(regular, bold, em))
    }

    /// The same with cells of another size, whatever the font needs.
    #[must_use]
    pub fn with_cell(self, cell: Size) -> Self {
        Self { cell: Size::new(cell.width.max(1), cell.height.max(1)), ..self }
    }

    fn of(mut regular: FontStack, bold: FontStack, em: f32) -> Self {
        let (above, below) = regular.row(em);
        // Of a monospaced font exactly its width; of another a width that wide letters hardly leave.
        let cell = Size::new(regular.width("mn", em).div_ceil(2).max(1), (above + below).max(1));
        Self { cell, em, fonts: Mutex::new(Fonts { regular, bold }), arrow: arrow() }
    }

    /// Pixels of a cell.
    pub fn cell(&self) -> Size {
        self.cell
    }

    /// Pixels of a screen of so many cells.
    pub fn size(&self, cells: Cells) -> Size {
        let Size { width, height } = self.cell;
        Size::new(width * u32::from(cells.columns.get()), height * u32::from(cells.rows.get()))
    }

    /// The whole screen as BGRX, row by row without gaps.
    pub(crate) fn paint(&self, screen: &vt100::Screen) -> Vec<u8> {
        let (rows, columns) = screen.size();
        let size = self.size(Cells { columns, rows });
        let mut picture = Picture { bgrx: vec![255; size.area() as usize * 4], size };
        let cursor = (!screen.hide_cursor() && screen.scrollback() == 0).then(|| screen.cursor_position());
        let mut inks = Vec::new();
        // Grounds first, so that a letter that hangs over its cell is not cut.
        for row in 0..rows.get() {
            for column in 0..columns.get() {
                let Some(cell) = screen.cell(row, column) else { continue };
                let (mut ink, mut ground) = (colour(cell.fgcolor(), TEXT), colour(cell.bgcolor(), GROUND));
                if cell.dim() {
                    ink = std::array::from_fn(|n| mix(ink[n], 160, ground[n]));
                }
                if cell.inverse() != (cursor == Some((row, column))) {
                    (ink, ground) = (ground, ink);
                }
                let at = FramePx::new(
                    i32::from(column) * self.cell.width as i32,
                    i32::from(row) * self.cell.height as i32,
                );
                picture.fill(FrameRect { origin: at, size: self.cell }, ground, 255);
                if cell.has_contents() && cell.contents() != " " || cell.underline() {
                    inks.push((at, cell, ink));
                }
            }
        }
        let mut fonts = hold(&self.fonts);
        for (at, cell, ink) in inks {
            self.ink(&mut picture, at, cell, ink, &mut fonts);
        }
        picture.bgrx
    }

    fn ink(&self, picture: &mut Picture, at: FramePx, cell: &vt100::Cell, ink: Rgb, fonts: &mut Fonts) {
        let fonts = if cell.bold() { &mut fonts.bold } else { &mut fonts.regular };
        let (above, below) = fonts.row(self.em);
        let base = at.offset(0, above as i32 + (self.cell.height as i32 - (above + below) as i32) / 2);
        let wide = self.cell.width * if cell.is_wide() { 2 } else { 1 };
        for c in cell.contents().chars() {
            if let Some(parts) = shape(c, self.cell) {
                for (part, alpha) in parts {
                    picture.fill(
                        FrameRect { origin: at.offset(part.origin.x, part.origin.y), ..part },
                        ink,
                        alpha,
                    );
                }
                continue;
            }
            let glyph = fonts.glyph(c, self.em);
            let indent = (wide as i32 - glyph.advance as i32) / 2;
            let corner = base.offset(indent + glyph.left, glyph.top);
            for (n, row) in glyph.coverage.chunks(glyph.width.max(1)).enumerate() {
                for (column, alpha) in row.iter().enumerate().filter(|(_, alpha)| **alpha > 0) {
                    picture.dot(corner.offset(column as i32, n as i32), ink, *alpha);
                }
            }
        }
        if cell.underline() {
            let line =
                FrameRect { origin: FramePx::new(at.x, base.y + 1), size: Size::new(self.cell.width, 1) };
            picture.fill(line, ink, 255);
        }
    }

    /// Draws the mouse pointer on a picture whose corner is at `origin`.
    pub(crate) fn point(&self, bgrx: &mut [u8], size: Size, origin: ScreenPx, pointer: ScreenPx) {
        let at = FramePx::new(pointer.x - origin.x, pointer.y - origin.y);
        self.arrow.clone().moved_to(at).blend_onto(bgrx, size, size.width as usize * 4);
    }
}

fn arrow() -> Canvas {
    let width = ARROW.iter().map(|row| row.len()).max().unwrap_or(0);
    let mut canvas = Canvas::new(FrameRect::new(0, 0, width as u32, ARROW.len() as u32));
    for (y, row) in ARROW.iter().enumerate() {
        for (x, mark) in row.chars().enumerate() {
            let color = match mark {
                'X' => Color::opaque(0, 0, 0),
                '.' => Color::opaque(255, 255, 255),
                _ => continue,
            };
            fill(&mut canvas, FrameRect::new(x as i32, y as i32, 1, 1), color);
        }
    }
    canvas
}

fn colour(colour: vt100::Color, default: Rgb) -> Rgb {
    match colour {
        vt100::Color::Default => default,
        vt100::Color::Rgb(red, green, blue) => [red, green, blue],
        vt100::Color::Idx(n) => match n {
            0..=15 => NAMED[usize::from(n)],
            16..=231 => {
                let n = n - 16;
                [n / 36, n / 6 % 6, n % 6].map(|level| if level == 0 { 0 } else { 55 + 40 * level })
            }
            232.. => [8 + 10 * (n - 232); 3],
        },
    }
}

/// One channel of `over` at `alpha` on `under`, rounded to the nearest.
fn mix(over: u8, alpha: u8, under: u8) -> u8 {
    let (over, alpha, under) = (u32::from(over), u32::from(alpha), u32::from(under));
    ((over * alpha + under * (255 - alpha) + 127) / 255) as u8
}

/// BGRX without gaps.
struct Picture {
    bgrx: Vec<u8>,
    size: Size,
}

impl Picture {
    fn dot(&mut self, at: FramePx, [red, green, blue]: Rgb, alpha: u8) {
        if !FrameRect::new(0, 0, self.size.width, self.size.height).contains(at) {
            return;
        }
        let at = (at.y as usize * self.size.width as usize + at.x as usize) * 4;
        if let Some([b, g, r]) = self.bgrx.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
            (*b, *g, *r) = (mix(blue, alpha, *b), mix(green, alpha, *g), mix(red, alpha, *r));
        }
    }

    fn fill(&mut self, area: FrameRect, colour: Rgb, alpha: u8) {
        let Some(area) = area.intersect(&FrameRect::new(0, 0, self.size.width, self.size.height)) else {
            return;
        };
        let [red, green, blue] = colour;
        for y in area.origin.y as usize..area.bottom() as usize {
            let from = (y * self.size.width as usize + area.origin.x as usize) * 4;
            let row = self.bgrx.get_mut(from..from + area.size.width as usize * 4).unwrap_or_default();
            for [b, g, r, _] in row.as_chunks_mut::<4>().0 {
                (*b, *g, *r) = (mix(blue, alpha, *b), mix(green, alpha, *g), mix(red, alpha, *r));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(look: &Look, text: &str) -> (Vec<u8>, usize) {
        let cells = Cells::new(4, 2);
        let mut parser = vt100::Parser::new(cells.rows, cells.columns, 0);
        parser.process(format!("\x1b[?25l{text}").as_bytes());
        (look.paint(parser.screen()), look.size(cells).width as usize * 4)
    }

    fn pixel((bgrx, stride): &(Vec<u8>, usize), x: usize, y: usize) -> Rgb {
        let at = y * stride + x * 4;
        [bgrx[at + 2], bgrx[at + 1], bgrx[at]]
    }

    #[test]
    fn a_half_block_is_two_pixels_of_a_cell_of_two() {
        let look = Look::builtin(2.0).with_cell(Size::new(1, 2));
        let picture = painted(&look, "\x1b[38;2;1;2;3;48;2;4;5;6m▀\x1b[m ");
        assert_eq!([pixel(&picture, 0, 0), pixel(&picture, 0, 1)], [[1, 2, 3], [4, 5, 6]]);
        assert_eq!(pixel(&picture, 1, 0), GROUND);
    }

    #[test]
    fn letters_have_ink_in_their_colour_and_stay_near_their_cell() {
        let look = Look::builtin(16.0);
        let picture = painted(&look, " \x1b[91mH");
        let Size { width, height } = look.cell();
        let ink = |column: usize| {
            let all = (0..height as usize).flat_map(|y| (0..width as usize).map(move |x| (x, y)));
            all.filter(|(x, y)| pixel(&picture, column * width as usize + x, *y) == NAMED[9]).count()
        };
        assert!(ink(1) > 8 && ink(0) == 0 && ink(2) == 0, "{} {} {}", ink(0), ink(1), ink(2));
    }

    #[test]
    fn colours_of_the_palette() {
        for (n, rgb) in [
            (0, [0, 0, 0]),
            (16, [0, 0, 0]),
            (231, [255; 3]),
            (196, [255, 0, 0]),
            (232, [8; 3]),
            (255, [238; 3]),
        ] {
            assert_eq!(colour(vt100::Color::Idx(n), TEXT), rgb, "{n}");
        }
    }
}
