//! The picture as it was before it was scaled: one pixel for each pixel of the screen that came through.
//!
//! Nearest-neighbour scaling repeats or drops whole columns and rows and changes none. Repeated ones are recognised and
//! taken out, so an enlarged picture becomes exactly the screen; of a reduced one every column and row keeps the number
//! it had on the screen, and what was dropped is known to be missing. This module refuses pictures that lost something
//! when they were written.

use super::glyphs::Unit;
use handsight_base::flow::format::PictureFormat;
use handsight_base::space::Size;
use handsight_pixel::picture;
use handsight_pixel::scale::nearest_map;
use std::io::Cursor;

/// Sizes that screens have, smallest first.
const SCREENS: &[(u32, u32)] = &[
    (640, 480),
    (800, 600),
    (1024, 600),
    (1024, 768),
    (1152, 864),
    (1280, 720),
    (1280, 768),
    (1280, 800),
    (1360, 768),
    (1366, 768),
    (1280, 960),
    (1440, 900),
    (1280, 1024),
    (1536, 864),
    (1600, 900),
    (1400, 1050),
    (1680, 1050),
    (1600, 1200),
    (1920, 1080),
    (1920, 1200),
    (2048, 1152),
    (2560, 1080),
    (2560, 1440),
    (2560, 1600),
    (2880, 1800),
    (3440, 1440),
    (3840, 2160),
];
/// The size that most screens have.
const COMMONEST: (u32, u32) = (1920, 1080);
/// Largest picture that is read, in pixels.
const LARGEST: u64 = 1 << 26;

/// Why a picture could not be looked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("the picture cannot be read: {0}")]
    File(String),
    #[error("a JPEG has lost what the offline model reads; context.picture_format must be png, webp or auto")]
    Lossy,
    #[error("a picture of {0} cannot be looked at")]
    Shape(Size),
}

/// A decoded picture, 0x00RRGGBB, and which of its columns and rows repeat the one before.
pub(crate) struct Sheet {
    size: Size,
    pixels: Vec<u32>,
    column_repeats: Vec<bool>,
    row_repeats: Vec<bool>,
}

/// A sheet that grows row by row from the top.
struct Rows {
    size: Size,
    pixels: Vec<u32>,
    row_repeats: Vec<bool>,
    /// The row above, as it came.
    before: Vec<u8>,
    /// Where a column ever differs from the one to its left.
    changes: Vec<u32>,
}

impl Rows {
    fn of(size: Size) -> Self {
        Self {
            size,
            pixels: Vec::with_capacity(size.area() as usize),
            row_repeats: Vec::with_capacity(size.height as usize),
            before: Vec::new(),
            changes: vec![0; size.width as usize],
        }
    }

    /// `unpack` makes pixels of the bytes, unless they are those of the row above.
    fn add(&mut self, row: &[u8], unpack: impl FnOnce(&[u8], &mut Vec<u32>)) {
        let repeats = row == self.before.as_slice();
        self.row_repeats.push(repeats);
        let start = self.pixels.len();
        if repeats {
            self.pixels.extend_from_within(start - self.size.width as usize..);
            return;
        }
        self.before.clear();
        self.before.extend_from_slice(row);
        unpack(row, &mut self.pixels);
        let new = &self.pixels[start..];
        for ((change, left), right) in self.changes[1..].iter_mut().zip(new).zip(&new[1..]) {
            *change |= left ^ right;
        }
    }

    fn into_sheet(self) -> Result<Sheet, Unreadable> {
        let Self { size, pixels, row_repeats, changes, before: _ } = self;
        if pixels.len() as u64 != size.area() {
            return Err(Unreadable::Shape(size));
        }
        let column_repeats = changes.iter().enumerate().map(|(x, &c)| x > 0 && c == 0).collect();
        Ok(Sheet { size, pixels, column_repeats, row_repeats })
    }
}

impl Sheet {
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Unreadable> {
        match PictureFormat::of(bytes) {
            Some(PictureFormat::Jpeg) => return Err(Unreadable::Lossy),
            Some(PictureFormat::Webp) => return Self::of_pixels(bytes),
            Some(PictureFormat::Png) | None => {}
        }
        let failed = |e: png::DecodingError| Unreadable::File(e.to_string());
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        // What is looked at was written by this machine a moment ago.
        decoder.ignore_checksums(true);
        let mut reader = decoder.read_info().map_err(failed)?;
        let size = Size::new(reader.info().width, reader.info().height);
        if size.is_empty() || size.area() > LARGEST || reader.info().interlaced {
            return Err(Unreadable::Shape(size));
        }
        let channels = reader.output_color_type().0.samples();
        let mut rows = Rows::of(size);
        while let Some(row) = reader.next_row().map_err(failed)? {
            let row = row.data();
            match channels {
                3 => rows
                    .add(row, |row, to| to.extend(row.as_chunks().0.iter().map(|&[r, g, b]| pack(r, g, b)))),
                4 => rows.add(row, |row, to| {
                    to.extend(row.as_chunks().0.iter().map(|&[r, g, b, _]| pack(r, g, b)));
                }),
                _ => rows.add(row, |row, to| {
                    to.extend(row.chunks_exact(channels).map(|p| pack(p[0], p[0], p[0])));
                }),
            }
        }
        rows.into_sheet()
    }

    /// A picture that is read whole.
    fn of_pixels(bytes: &[u8]) -> Result<Self, Unreadable> {
        let picture = picture::decode(bytes).map_err(|e| Unreadable::File(e.to_string()))?;
        let size = picture.size();
        if size.is_empty() || size.area() > LARGEST {
            return Err(Unreadable::Shape(size));
        }
        let mut rows = Rows::of(size);
        for y in 0..size.height {
            rows.add(picture.view().row(y), |row, to| {
                to.extend(row.as_chunks().0.iter().map(|&[b, g, r, _]| pack(r, g, b)));
            });
        }
        rows.into_sheet()
    }

    /// The screen sizes this picture may come from, likeliest first: enlarged ones whose repeats are all there (the
    /// smallest explains the most), its own size, then reduced ones.
    pub(crate) fn guesses(&self) -> Vec<Size> {
        let own = (self.size.width, self.size.height);
        let fits = |&(w, h): &(u32, u32)| {
            repeats_fit(w, own.0, &self.column_repeats) && repeats_fit(h, own.1, &self.row_repeats)
        };
        let enlarged = |&(w, h): &(u32, u32)| w < own.0 || h < own.1;
        let mut sizes: Vec<(u32, u32)> = SCREENS.iter().copied().filter(|s| enlarged(s) && fits(s)).collect();
        if sizes.is_empty() {
            let axis = |to: u32, repeats: &[bool]| {
                let least = to - repeats.iter().filter(|r| **r).count() as u32;
                (least.max(to / 3).max(1)..=to).find(|&from| repeats_fit(from, to, repeats)).unwrap_or(to)
            };
            let odd = (axis(own.0, &self.column_repeats), axis(own.1, &self.row_repeats));
            // A few repeats are chance: an empty column beside another.
            if u64::from(odd.0) * 20 < u64::from(own.0) * 19 && u64::from(odd.1) * 20 < u64::from(own.1) * 19
            {
                sizes.push(odd);
            }
        }
        sizes.push(own);
        let mut reduced: Vec<(u32, u32)> =
            SCREENS.iter().copied().filter(|&(w, h)| w >= own.0 && h >= own.1 && (w, h) != own).collect();
        reduced.sort_by_key(|size| *size != COMMONEST);
        sizes.extend(reduced);
        sizes.into_iter().map(|(w, h)| Size::new(w, h)).collect()
    }

    /// The picture as a screen of `native` size, without what scaling repeated.
    pub(crate) fn raster(&self, native: Size) -> Raster {
        let [across, down] = [(native.width, self.size.width), (native.height, self.size.height)]
            .map(|(from, to)| kept(&nearest_map(from, to)));
        let whole = |kept: &[(u32, u32)], of: u32| kept.len() == of as usize;
        let width = self.size.width as usize;
        let pixels = if whole(&across, self.size.width) && whole(&down, self.size.height) {
            self.pixels.clone()
        } else {
            let mut pixels = Vec::with_capacity(across.len() * down.len());
            for &(row, _) in &down {
                let row = &self.pixels[row as usize * width..][..width];
                pixels.extend(across.iter().map(|&(column, _)| row[column as usize]));
            }
            pixels
        };
        let numbers = |kept: Vec<(u32, u32)>| kept.into_iter().map(|(_, native)| native as i32).collect();
        Raster { native, unit: Unit::One, pixels, columns: numbers(across), rows: numbers(down) }
    }
}

/// The first target of each source: (target, source).
fn kept(map: &[u32]) -> Vec<(u32, u32)> {
    let mut kept: Vec<(u32, u32)> = Vec::with_capacity(map.len());
    for (target, &source) in (0..).zip(map) {
        if kept.last().is_none_or(|&(_, last)| last != source) {
            kept.push((target, source));
        }
    }
    kept
}

fn repeats_fit(from: u32, to: u32, repeats: &[bool]) -> bool {
    if from >= to {
        return true;
    }
    let map = nearest_map(from, to);
    map.windows(2).zip(&repeats[1..]).all(|(pair, &repeats)| pair[0] != pair[1] || repeats)
}

const fn pack(r: u8, g: u8, b: u8) -> u32 {
    u32::from_be_bytes([0, r, g, b])
}

/// Pixels of a screen, 0x00RRGGBB, without gaps. Columns and rows that scaling dropped are absent.
#[derive(Debug, Clone)]
pub(crate) struct Raster {
    /// Of the screen.
    pub(crate) native: Size,
    /// Of it, as far as is known.
    pub(crate) unit: Unit,
    pub(crate) pixels: Vec<u32>,
    /// The number on the screen of each column that is there; rises.
    pub(crate) columns: Vec<i32>,
    /// The same of rows.
    pub(crate) rows: Vec<i32>,
}

impl Raster {
    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn height(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn row(&self, y: usize) -> &[u32] {
        &self.pixels[y * self.width()..][..self.width()]
    }

    pub(crate) fn at(&self, x: usize, y: usize) -> u32 {
        self.pixels[y * self.width() + x]
    }

    /// The rows that are there of the screen's `from..to`.
    pub(crate) fn rows_within(&self, from: i32, to: i32) -> std::ops::Range<usize> {
        within(&self.rows, from, to)
    }
}

fn within(numbers: &[i32], from: i32, to: i32) -> std::ops::Range<usize> {
    let start = numbers.partition_point(|&n| n < from);
    start..numbers.partition_point(|&n| n < to).max(start)
}
