//! Small text as a reader of letters wants it: black on white, at full contrast, and larger.
//!
//! What colour a line has does not matter here. Each column has its own ground, the colour that most pixels around it have,
//! so that a selected word in a line is as legible as the rest; a pixel is as dark as it differs from its ground.
//!
//! This module refuses to say where text is, and to read it.

use handsight_base::flow::frame::PixelView;
use handsight_base::space::Size;

/// One byte a pixel, 0 is black; rows without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gray8 {
    size: Size,
    data: Vec<u8>,
}

impl Gray8 {
    pub fn white(size: Size) -> Self {
        Self { size, data: vec![255; size.area() as usize] }
    }

    pub const fn size(&self) -> Size {
        self.size
    }

    /// `width * height` bytes from the top-left.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Copies `other` with its top-left at `column, row`. What does not fit is left out.
    pub fn put(&mut self, other: &Self, column: u32, row: u32) {
        let width = other.size.width.min(self.size.width.saturating_sub(column)) as usize;
        if width == 0 {
            return;
        }
        let (to, from) = (self.size.width as usize, other.size.width as usize);
        let rows = self.data.chunks_exact_mut(to).skip(row as usize);
        for (to, from) in rows.zip(other.data.chunks_exact(from)) {
            to[column as usize..][..width].copy_from_slice(&from[..width]);
        }
    }
}

/// Strokes thinner than a pixel are this much darker than their light is (an exponent): at 1 underscores and points of small
/// letters go unread, below it letters that touch run together. Measured at 0.6 to 1.3.
const FAINT: f32 = 0.7;
/// Differences below this are the ground's own noise, of 255.
const NOISE: u8 = 12;

/// A line of text in black on white, every pixel of it `scale` pixels wide and high (1 to 8). Empty for an empty view.
pub fn legible(view: PixelView<'_>, scale: u32) -> Gray8 {
    enlarged(&contrast(view), scale.clamp(1, 8))
}

/// Black on white at the size it has.
fn contrast(view: PixelView<'_>) -> Gray8 {
    let size = view.size();
    let mut gray = Gray8::white(size);
    if size.is_empty() {
        return gray;
    }
    let width = size.width as usize;
    let grounds = grounds(view);
    for (y, row) in (0..size.height).zip(gray.data.chunks_exact_mut(width)) {
        let pixels = view.row(y).as_chunks::<4>().0;
        for ((to, pixel), ground) in row.iter_mut().zip(pixels).zip(&grounds) {
            *to = difference(pixel, ground);
        }
    }
    // Columns on one ground share one scale, so that grey letters are as black as any.
    let mut from = 0;
    for span in grounds.chunk_by(|a, b| a == b) {
        let columns = from..from + span.len();
        from = columns.end;
        let most = gray.data.chunks_exact(width).flat_map(|row| &row[columns.clone()]).copied().max();
        let shades = shades(most.unwrap_or_default().max(2 * NOISE));
        for row in gray.data.chunks_exact_mut(width) {
            row[columns.clone()].iter_mut().for_each(|pixel| *pixel = shades[usize::from(*pixel)]);
        }
    }
    gray
}

/// How dark each difference from the ground is: white up to the noise, black at `most`.
fn shades(most: u8) -> [u8; 256] {
    let range = f32::from(most.saturating_sub(NOISE).max(1));
    std::array::from_fn(|difference| {
        let ink = (difference as f32 - f32::from(NOISE)).clamp(0.0, range) / range;
        (255.0 - 255.0 * ink.powf(FAINT)).round() as u8
    })
}

/// How much two colours differ: by the channel that differs most.
fn difference(a: &[u8; 4], b: &[u8; 3]) -> u8 {
    a[0].abs_diff(b[0]).max(a[1].abs_diff(b[1])).max(a[2].abs_diff(b[2]))
}

/// The ground of each column: what most columns around it have most of.
fn grounds(view: PixelView<'_>) -> Vec<[u8; 3]> {
    let Size { width, height } = view.size();
    let mut colours = Vec::with_capacity(height as usize);
    let column = |x: u32| {
        colours.clear();
        colours.extend((0..height).filter_map(|y| view.bgr(x, y)));
        mode(&mut colours)
    };
    let own: Vec<[u8; 3]> = (0..width).map(column).collect();
    // As far as two letters reach.
    let reach = (height as usize).max(4);
    let mut near = Vec::with_capacity(2 * reach + 1);
    let of = |(x, own_colour): (usize, &[u8; 3])| {
        near.clear();
        near.extend_from_slice(&own[x.saturating_sub(reach)..own.len().min(x + reach + 1)]);
        // Where two grounds meet each column keeps its own; that of a stem is seldom.
        let alike = near.iter().filter(|colour| *colour == own_colour).count();
        if alike * 3 >= near.len() { *own_colour } else { mode(&mut near) }
    };
    own.iter().enumerate().map(of).collect()
}

/// The commonest colour; of equally common ones the least, so that the answer is always the same.
fn mode(colours: &mut [[u8; 3]]) -> [u8; 3] {
    colours.sort_unstable();
    let runs = colours.chunk_by(|a, b| a == b);
    runs.rev().max_by_key(|run| run.len()).and_then(|run| run.first()).copied().unwrap_or_default()
}

/// Larger by a whole number, by cubic convolution (Catmull-Rom): strokes stay whole and their edges smooth.
fn enlarged(gray: &Gray8, scale: u32) -> Gray8 {
    if scale == 1 || gray.size.is_empty() {
        return gray.clone();
    }
    let times = scale as usize;
    let taps: Vec<[f32; 4]> = (0..times).map(|i| cubic(phase(i, times))).collect();
    let (width, height) = (gray.size.width as usize, gray.size.height as usize);
    let mut wide = Vec::with_capacity(width * times * height);
    for row in gray.data.chunks_exact(width) {
        for i in 0..width * times {
            wide.push(weighed(i, width, &taps, |x| f32::from(row[x])));
        }
    }
    let wide_width = width * times;
    let mut data = Vec::with_capacity(wide.len() * times);
    for i in 0..height * times {
        for x in 0..wide_width {
            let value = weighed(i, height, &taps, |y| wide[y * wide_width + x]);
            data.push(value.round().clamp(0.0, 255.0) as u8);
        }
    }
    Gray8 { size: Size::new(gray.size.width * scale, gray.size.height * scale), data }
}

/// Where target pixel `i` of each `times` lies between two source pixels, from 0 to 1.
fn phase(i: usize, times: usize) -> f32 {
    let at = (i as f32 + 0.5) / times as f32 - 0.5;
    at - at.floor()
}

/// The weights of the four neighbours of a place that is `t` behind the second.
fn cubic(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [
        0.5 * (-t3 + 2.0 * t2 - t),
        0.5 * (3.0 * t3 - 5.0 * t2 + 2.0),
        0.5 * (-3.0 * t3 + 4.0 * t2 + t),
        0.5 * (t3 - t2),
    ]
}

/// Target pixel `i` of an axis of `length` sources; the edge goes on beyond itself.
fn weighed(i: usize, length: usize, taps: &[[f32; 4]], source: impl Fn(usize) -> f32) -> f32 {
    let times = taps.len();
    // The second of the four neighbours; one less than the source under it for its first half.
    let second = (i / times) as isize - isize::from(i % times < times / 2);
    let place = |k: usize| (second + k as isize - 1).clamp(0, length as isize - 1) as usize;
    taps[i % times].iter().enumerate().map(|(k, weight)| weight * source(place(k))).sum()
}

/// Pages as one file, uncompressed TIFF, each page a picture of its own; more than 4 GiB of them are none.
pub fn tiff(pages: &[&Gray8]) -> Option<Vec<u8>> {
    let bytes: usize = pages.iter().map(|page| page.data.len() + 128).sum();
    u32::try_from(bytes).ok()?;
    let mut out = Vec::with_capacity(bytes);
    // Little-endian; where the first page's table is follows.
    out.extend(*b"II\x2A\0\0\0\0\0");
    let mut link = 4;
    for Gray8 { size: Size { width, height }, data } in pages.iter().copied() {
        let at = out.len() as u32;
        out.extend_from_slice(data);
        // A table begins on an even byte.
        out.resize(out.len().next_multiple_of(2), 0);
        let table = (out.len() as u32).to_le_bytes();
        out.get_mut(link..link + 4)?.copy_from_slice(&table);
        // Tag, type (3 is 16 bits, 4 is 32), value: width, height, bits a sample, no compression, 0 is black, where the rows
        // are, one sample a pixel, rows in a strip, bytes in it.
        let entries: [(u16, u16, u32); 9] = [
            (256, 4, *width),
            (257, 4, *height),
            (258, 3, 8),
            (259, 3, 1),
            (262, 3, 1),
            (273, 4, at),
            (277, 3, 1),
            (278, 4, *height),
            (279, 4, data.len() as u32),
        ];
        out.extend((entries.len() as u16).to_le_bytes());
        for (tag, kind, value) in entries {
            out.extend(tag.to_le_bytes());
            out.extend(kind.to_le_bytes());
            out.extend(1u32.to_le_bytes());
            out.extend(value.to_le_bytes());
        }
        link = out.len();
        out.extend([0; 4]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ground with a stroke of another colour in it, two pixels wide.
    fn stroke(ground: [u8; 3], ink: [u8; 3]) -> Vec<u8> {
        let pixel = |x: usize| if (4..6).contains(&x) { ink } else { ground };
        (0..10 * 8)
            .flat_map(|i| if i / 10 > 5 { ground } else { pixel(i % 10) }.into_iter().chain([7]))
            .collect()
    }

    fn of(bgrx: &[u8], scale: u32) -> Gray8 {
        legible(PixelView::new(bgrx, Size::new(10, 8), 40).unwrap(), scale)
    }

    #[test]
    fn every_colour_becomes_black_on_white() {
        let wanted = of(&stroke([255; 3], [0; 3]), 1);
        assert_eq!((wanted.data()[4], wanted.data()[9], wanted.data()[79]), (0, 255, 255));
        for (ground, ink) in [
            ([0; 3], [255; 3]),
            ([240, 240, 240], [150, 150, 150]),
            ([40, 120, 20], [200, 120, 20]),
            ([54, 43, 0], [0, 137, 181]),
        ] {
            assert_eq!(of(&stroke(ground, ink), 1), wanted, "{ink:?} on {ground:?}");
        }
        // What differs by no more than noise is no letter.
        let even = of(&stroke([200; 3], [206; 3]), 1);
        assert!(even.data().iter().all(|&v| v == 255));
    }

    #[test]
    fn a_selected_word_is_as_black_as_the_rest_of_its_line() {
        let row = |x: usize| match x {
            10 | 30 | 31 => [0, 0, 0],
            60 | 61 | 80 => [255, 255, 255],
            0..50 => [255, 255, 255],
            _ => [120, 60, 10],
        };
        let bgrx: Vec<u8> = (0..100 * 10)
            .flat_map(|i| {
                let ground = if i % 100 < 50 { [255; 3] } else { [120, 60, 10] };
                let pixel = if (2..8).contains(&(i / 100)) { row(i % 100) } else { ground };
                pixel.into_iter().chain([0])
            })
            .collect();
        let gray = legible(PixelView::new(&bgrx, Size::new(100, 10), 400).unwrap(), 1);
        let black: Vec<usize> = (0..100).filter(|x| gray.data()[500 + x] == 0).collect();
        assert_eq!(black, [10, 30, 31, 60, 61, 80]);
        assert!((0..100).all(|x| gray.data()[x] == 255), "grounds are white: {:?}", &gray.data()[..100]);
    }

    #[test]
    fn enlarged_strokes_are_where_they_were() {
        let gray = of(&stroke([255; 3], [0; 3]), 3);
        assert_eq!(gray.size(), Size::new(30, 24));
        let row = &gray.data()[9 * 30..10 * 30];
        assert!(row[13..17].iter().all(|&v| v < 30), "{row:?}");
        assert!(row[..10].iter().chain(&row[20..]).all(|&v| v > 235), "{row:?}");
        let turned: Vec<u8> = row.iter().rev().copied().collect();
        assert_eq!(row, turned, "it is in the middle and even");
        assert!(of(&stroke([9; 3], [9; 3]), 8).data().iter().all(|&v| v == 255));
        let nothing = legible(PixelView::new(&[], Size::new(0, 0), 0).unwrap(), 3);
        assert!(nothing.size().is_empty());
    }

    #[test]
    fn pages_are_a_chain_of_tables_with_the_pixels_in_front() {
        let page = |value: u8, width: u32| Gray8 {
            size: Size::new(width, 3),
            data: vec![value; width as usize * 3],
        };
        let file = tiff(&[&page(1, 5), &page(2, 4)]).unwrap();
        let long = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
        let mut table = long(4) as usize;
        let mut seen = Vec::new();
        while table != 0 {
            let value = |entry: usize| long(table + 2 + entry * 12 + 8) as usize;
            let (width, height, at, bytes) = (value(0), value(1), value(5), value(8));
            seen.push((width, height, file[at..at + bytes].to_vec()));
            table = long(table + 2 + 9 * 12) as usize;
        }
        assert_eq!(seen, [(5, 3, vec![1; 15]), (4, 3, vec![2; 12])]);
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let mut sheet = Gray8::white(Size::new(4, 2));
        let black = Gray8 { size: Size::new(3, 3), data: vec![0; 9] };
        sheet.put(&black, 2, 1);
        assert_eq!(sheet.data(), [255, 255, 255, 255, 255, 255, 0, 0]);
        sheet.put(&black, 9, 0);
        sheet.put(&black, 0, 9);
        assert_eq!(sheet.data()[..6], [255; 6]);
    }
}
