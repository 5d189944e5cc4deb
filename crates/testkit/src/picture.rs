//! A picture a test looks at with its own eyes: decoded by the `png` crate, searched by colour and by lines of text.
//!
//! It knows nothing of the product's pixels, scaling or encoding, and is slow on purpose.

use std::collections::HashMap;

/// An upright rectangle of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patch {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

impl Patch {
    pub const fn new(x: u32, y: u32, width: u32, height: u32) -> Self {
        Self { x, y, width, height }
    }

    /// The pixel in its middle.
    pub const fn middle(&self) -> (u32, u32) {
        (self.x + self.width / 2, self.y + self.height / 2)
    }

    /// The column right of it and the row below it.
    pub const fn end(&self) -> (u32, u32) {
        (self.x + self.width, self.y + self.height)
    }
}

/// Red, green and blue of every pixel, rows without gaps.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    rgb: Vec<u8>,
}

impl Picture {
    /// Decodes a PNG of 24 or 32 bits; alpha is dropped.
    ///
    /// # Panics
    /// When it is none.
    #[track_caller]
    pub fn from_png(bytes: &[u8]) -> Self {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a picture that fits into memory")];
        let info = reader.next_frame(&mut pixels).expect("a whole PNG");
        pixels.truncate(info.buffer_size());
        let rgb = match info.color_type {
            png::ColorType::Rgb => pixels,
            png::ColorType::Rgba => pixels.chunks(4).flat_map(|p| [p[0], p[1], p[2]]).collect(),
            png::ColorType::Grayscale => pixels.iter().flat_map(|v| [*v; 3]).collect(),
            png::ColorType::GrayscaleAlpha => pixels.chunks(2).flat_map(|p| [p[0]; 3]).collect(),
            png::ColorType::Indexed => panic!("the decoder was told to expand palettes"),
        };
        Self { width: info.width, height: info.height, rgb }
    }

    /// Blue, green, red and a byte without meaning for each pixel, as `GetImage` gives them.
    pub fn from_bgrx(width: u32, height: u32, bgrx: &[u8]) -> Self {
        let rgb = bgrx.chunks(4).flat_map(|p| [p[2], p[1], p[0]]).collect();
        Self { width, height, rgb }
    }

    /// Red, green, blue.
    pub fn at(&self, x: u32, y: u32) -> [u8; 3] {
        let i = (y as usize * self.width as usize + x as usize) * 3;
        [self.rgb[i], self.rgb[i + 1], self.rgb[i + 2]]
    }

    pub const fn whole(&self) -> Patch {
        Patch::new(0, 0, self.width, self.height)
    }

    /// The smallest rectangle around every pixel of exactly this colour.
    pub fn patch(&self, colour: [u8; 3]) -> Option<Patch> {
        self.around(|x, y| self.at(x, y) == colour)
    }

    /// The smallest rectangle around every pixel where the two are not equal.
    ///
    /// # Panics
    /// When they are not of one size.
    #[track_caller]
    pub fn difference(&self, other: &Self) -> Option<Patch> {
        assert_eq!((self.width, self.height), (other.width, other.height), "pictures of two sizes");
        self.around(|x, y| self.at(x, y) != other.at(x, y))
    }

    fn around(&self, wanted: impl Fn(u32, u32) -> bool) -> Option<Patch> {
        let (mut left, mut top, mut right, mut bottom) = (u32::MAX, u32::MAX, 0, 0);
        for y in 0..self.height {
            for x in 0..self.width {
                if wanted(x, y) {
                    (left, right) = (left.min(x), right.max(x + 1));
                    (top, bottom) = (top.min(y), bottom.max(y + 1));
                }
            }
        }
        (right > 0).then(|| Patch::new(left, top, right - left, bottom - top))
    }

    /// A part of it.
    pub fn part(&self, area: Patch) -> Self {
        let mut rgb = Vec::new();
        for y in area.y..area.y + area.height {
            for x in area.x..area.x + area.width {
                rgb.extend(self.at(x, y));
            }
        }
        Self { width: area.width, height: area.height, rgb }
    }

    /// Every colour in it with its number of pixels, the most frequent first.
    pub fn colours(&self) -> Vec<([u8; 3], usize)> {
        let mut counts: HashMap<[u8; 3], usize> = HashMap::new();
        for pixel in self.rgb.chunks(3) {
            *counts.entry([pixel[0], pixel[1], pixel[2]]).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|(colour, n)| (std::cmp::Reverse(*n), *colour));
        counts
    }

    /// The lines of text in `area`, from top to bottom, as rectangles around their ink. The most frequent colour is the
    /// paper; what is under 5 pixels high is a rule between lines, not text.
    pub fn lines_of_text(&self, area: Patch) -> Vec<Patch> {
        let part = self.part(area);
        let Some((paper, _)) = part.colours().first().copied() else { return Vec::new() };
        let ink = |x: u32, y: u32| part.at(x, y).iter().zip(paper).any(|(a, b)| a.abs_diff(b) > 40);
        let mut lines = Vec::new();
        let mut top = None;
        for y in 0..=part.height {
            let inked = y < part.height && (0..part.width).any(|x| ink(x, y));
            match (top, inked) {
                (None, true) => top = Some(y),
                (Some(from), false) => {
                    top = None;
                    let columns = || (0..part.width).filter(|x| (from..y).any(|y| ink(*x, y)));
                    if let (true, Some(left), Some(right)) =
                        (y - from >= 5, columns().next(), columns().next_back())
                    {
                        lines.push(Patch::new(area.x + left, area.y + from, right + 1 - left, y - from));
                    }
                }
                _ => {}
            }
        }
        lines
    }
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture({}x{})", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: [u8; 3] = [250, 250, 250];
    const INK: [u8; 3] = [20, 20, 20];

    fn drawn(width: u32, height: u32, ink: impl Fn(u32, u32) -> bool) -> Picture {
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let rgb = pixels.flat_map(|(x, y)| if ink(x, y) { INK } else { PAPER }).collect();
        Picture { width, height, rgb }
    }

    #[test]
    fn a_patch_and_a_difference_are_found_to_the_pixel() {
        let a = drawn(40, 30, |_, _| false);
        let b = drawn(40, 30, |x, y| (5..9).contains(&x) && (7..20).contains(&y));
        assert_eq!(a.patch(INK), None);
        assert_eq!(b.patch(INK), Some(Patch::new(5, 7, 4, 13)));
        assert_eq!(b.patch(INK).map(|p| p.middle()), Some((7, 13)));
        assert_eq!(a.difference(&b), b.patch(INK));
        assert_eq!(a.difference(&a), None);
    }

    #[test]
    fn lines_of_text_are_told_from_rules() {
        let page = drawn(60, 50, |x, y| match y {
            5..12 => (10..30).contains(&x) && x % 3 == 0,
            15..17 => true,
            20..30 => (12..20).contains(&x),
            45..50 => x == 59,
            _ => false,
        });
        let lines = page.lines_of_text(page.whole());
        assert_eq!(lines, [Patch::new(12, 5, 16, 7), Patch::new(12, 20, 8, 10), Patch::new(59, 45, 1, 5)]);
        assert_eq!(page.lines_of_text(Patch::new(0, 18, 60, 20)), [Patch::new(12, 20, 8, 10)]);
    }

    #[test]
    fn a_png_comes_back_as_it_was() {
        let page = drawn(7, 3, |x, y| x == y);
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, 7, 3);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(&page.rgb).unwrap();
        assert_eq!(Picture::from_png(&file), page);
        let bgrx: Vec<u8> = page.rgb.chunks(3).flat_map(|p| [p[2], p[1], p[0], 77]).collect();
        assert_eq!(Picture::from_bgrx(7, 3, &bgrx), page);
    }
}
