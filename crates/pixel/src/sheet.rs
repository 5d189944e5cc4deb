//! A contact sheet: many pictures in one, small, in rows, each with a line below it. For people who look back at a run.
//!
//! It keeps nothing of a picture but its small version, so a run of a thousand turns needs no thousand pictures in memory. It
//! refuses to choose: which pictures, in which order and with which words is the caller's.

use crate::blend::{ExportError, Exporter, Scaling};
use crate::canvas::{Canvas, Color};
use crate::draw;
use crate::font::FontStack;
use crate::rgb::Rgb24;
use crate::scale::{Fit, ScaleError, Smooth, SmoothScaler};
use crate::text::{Row, TextStyle, draw_outlined, wrap};
use handsight_base::flow::frame::PixelView;
use handsight_base::space::{FramePx, FrameRect, Size};

/// The shape and the colours of a sheet. Lengths in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SheetStyle {
    pub columns: u32,
    /// Pictures are fitted into this, with their sides kept in proportion.
    pub tile: Size,
    pub gap: u32,
    pub em: f32,
    /// Rows of text below a picture; longer captions are cut.
    pub caption_rows: u32,
    pub background: Color,
    pub text: Color,
}

impl Default for SheetStyle {
    fn default() -> Self {
        Self {
            columns: 4,
            tile: Size::new(384, 216),
            gap: 16,
            em: 13.0,
            caption_rows: 2,
            background: Color::from_rgb(0x0020_2328),
            text: Color::from_rgb(0x00E6_E8EB),
        }
    }
}

/// A picture at its small size.
#[derive(Debug)]
struct Tile {
    picture: Rgb24,
    caption: String,
    /// In pixels of the small picture.
    marks: Vec<FramePx>,
}

/// Places to mark in a picture, in pixels of a frame of this size.
#[derive(Debug, Clone, Copy)]
pub struct Marks<'a> {
    pub frame: Size,
    pub at: &'a [FramePx],
}

/// Half the side of a mark.
const MARK: i32 = 6;
const MARK_COLOUR: Color = Color::opaque(255, 64, 48);
const MARK_EDGE: Color = Color::opaque(255, 255, 255);

/// A sheet in the making.
#[derive(Debug)]
pub struct Sheet {
    style: SheetStyle,
    title: String,
    tiles: Vec<Tile>,
    scaler: SmoothScaler,
}

impl Sheet {
    /// Each line of the title has a row of its own; what does not fit is cut.
    pub fn new(title: impl Into<String>, style: SheetStyle) -> Self {
        Self { style, title: title.into(), tiles: Vec::new(), scaler: SmoothScaler::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.tiles.is_empty()
    }

    /// The next picture, from left to right and top to bottom. Marks are where the hands went.
    pub fn add(
        &mut self,
        picture: PixelView<'_>,
        caption: impl Into<String>,
        marks: Marks<'_>,
    ) -> Result<(), ScaleError> {
        let mut small = Rgb24::default();
        let to = Fit::KeepAspect.size(picture.size(), self.style.tile);
        self.scaler.scale(picture, to, Smooth::Bilinear, &mut small)?;
        let scaled =
            |at: i32, to: u32, from: u32| (f64::from(at) * f64::from(to) / f64::from(from.max(1))) as i32;
        let place = |at: &FramePx| {
            FramePx::new(
                scaled(at.x, to.width, marks.frame.width),
                scaled(at.y, to.height, marks.frame.height),
            )
        };
        let marks = marks.at.iter().map(place).collect();
        self.tiles.push(Tile { picture: small, caption: caption.into(), marks });
        Ok(())
    }

    /// The sheet as one picture.
    pub fn draw(&self, fonts: &mut FontStack) -> Result<Rgb24, ExportError> {
        let SheetStyle { columns, tile, gap, em, caption_rows, background, text } = self.style;
        let (ascent, descent) = fonts.row(em);
        let row_height = ascent + descent;
        let (title_em, caption_height) = (em * 1.4, caption_rows * row_height);
        let (title_ascent, title_descent) = fonts.row(title_em);
        let title_row = title_ascent + title_descent;
        let title_height = self.title.lines().count() as u32 * title_row;
        let used = columns.min(self.tiles.len() as u32).max(1);
        let rows = (self.tiles.len() as u32).div_ceil(columns.max(1));
        let cell_height = tile.height + gap / 4 + caption_height + gap;
        let size = Size::new(gap + used * (tile.width + gap), 2 * gap + title_height + rows * cell_height);

        let stride = size.width as usize * 4;
        let mut bgrx = background.bgra().repeat(size.area() as usize);
        let mut lettering = Canvas::new(FrameRect { origin: FramePx::new(0, 0), size });
        let style = TextStyle { em, color: text, outline: background, outline_px: 1 };
        let width = size.width - 2 * gap;
        for (n, line) in (0..).zip(self.title.lines()) {
            let text = wrap(line, ["", ""], (width, 1), title_em, fonts);
            let pen = FramePx::new(gap as i32, (gap + n * title_row + title_ascent) as i32);
            let row = text.first().map(|text| Row { text, pen });
            draw_outlined(&mut lettering, row.as_slice(), &TextStyle { em: title_em, ..style }, fonts);
        }

        for (n, Tile { picture, caption, marks }) in self.tiles.iter().enumerate() {
            let (column, line) = (n as u32 % columns.max(1), n as u32 / columns.max(1));
            let left = gap + column * (tile.width + gap);
            let top = 2 * gap + title_height + line * cell_height;
            for y in 0..picture.size().height {
                let at = (top + y) as usize * stride + left as usize * 4;
                for (to, rgb) in bgrx[at..].chunks_exact_mut(4).zip(picture.row(y).chunks_exact(3)) {
                    to[..3].copy_from_slice(&[rgb[2], rgb[1], rgb[0]]);
                }
            }
            for mark in marks {
                let corner = mark.offset(left as i32 - MARK, top as i32 - MARK);
                let side = 2 * MARK as u32 + 1;
                draw::frame(&mut lettering, FrameRect::new(corner.x, corner.y, side, side), 3, MARK_EDGE);
                draw::frame(
                    &mut lettering,
                    FrameRect::new(corner.x + 1, corner.y + 1, side - 2, side - 2),
                    1,
                    MARK_COLOUR,
                );
            }
            let lines = wrap(caption, ["", ""], (tile.width, caption_rows as usize), em, fonts);
            let below = top + picture.size().height + gap / 4 + ascent;
            let rows: Vec<Row<'_>> = (0..)
                .zip(&lines)
                .map(|(n, text)| Row {
                    text,
                    pen: FramePx::new(left as i32, (below + n * row_height) as i32),
                })
                .collect();
            draw_outlined(&mut lettering, &rows, &style, fonts);
        }
        lettering.blend_onto(&mut bgrx, size, stride);
        let mut exporter = Exporter::new();
        let area = FrameRect { origin: FramePx::new(0, 0), size };
        let view =
            PixelView::new(&bgrx, size, stride).ok_or(ExportError::Pane { pane: area, frame: size })?;
        exporter.export(view, area, size, Scaling::Nearest, &[]).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::flow::frame::Pixels;

    fn sheet_of(colours: &[[u8; 3]]) -> (Rgb24, SheetStyle) {
        let style = SheetStyle { columns: 2, tile: Size::new(40, 30), gap: 10, ..SheetStyle::default() };
        let mut sheet = Sheet::new("three turns", style);
        assert!(sheet.is_empty());
        for (n, bgr) in colours.iter().enumerate() {
            let picture = Pixels::solid(Size::new(160, 90), *bgr);
            let marks = Marks { frame: Size::new(320, 180), at: &[] };
            sheet.add(picture.view(), format!("{n} click"), marks).unwrap();
        }
        (sheet.draw(&mut FontStack::builtin(400)).unwrap(), style)
    }

    #[test]
    fn each_picture_stands_in_its_place_in_proportion() {
        let (picture, style) = sheet_of(&[[255, 0, 0], [0, 255, 0], [0, 0, 255]]);
        let background = [style.background.red, style.background.green, style.background.blue];
        assert_eq!(picture.size().width, 10 + 2 * 50);
        // Fitted into 40x30, 160x90 is 40x22 or 40x23.
        let at = |rgb: [u8; 3]| {
            let places = (0..picture.size().height)
                .flat_map(|y| (0..picture.size().width).map(move |x| (x, y)))
                .filter(|&(x, y)| picture.rgb(x, y) == Some(rgb));
            places.fold(None, |first, (x, y)| {
                let (left, top, n) = first.unwrap_or((x, y, 0));
                Some((left.min(x), top.min(y), n + 1))
            })
        };
        let (left, top, n) = at([0, 0, 255]).unwrap();
        assert!(left == 10 && (40 * 22..=40 * 23).contains(&n), "{left} {n}");
        let (second, same_top, _) = at([0, 255, 0]).unwrap();
        assert_eq!((second, same_top), (60, top), "beside it");
        let (third, below, _) = at([255, 0, 0]).unwrap();
        assert!(third == 10 && below > top + 30, "in the next row");
        let (_, _, empty) = at(background).unwrap();
        assert!(empty > picture.size().area() as u32 / 4);
    }

    #[test]
    fn a_mark_stands_where_the_hands_went() {
        let mut sheet =
            Sheet::new("", SheetStyle { gap: 0, tile: Size::new(40, 40), ..SheetStyle::default() });
        let picture = Pixels::solid(Size::new(80, 80), [0, 0, 0]);
        let marks = Marks { frame: Size::new(800, 800), at: &[FramePx::new(400, 200)] };
        sheet.add(picture.view(), "", marks).unwrap();
        let drawn = sheet.draw(&mut FontStack::builtin(400)).unwrap();
        let top = (0..).find(|&y| drawn.rgb(39, y) == Some([0, 0, 0])).unwrap();
        assert_eq!(drawn.rgb(20 - 5, top + 10 - 5), Some([255, 64, 48]));
        assert_eq!(drawn.rgb(20, top + 10), Some([0, 0, 0]), "what was clicked stays to be seen");
    }

    #[test]
    fn an_empty_sheet_is_its_title() {
        let (picture, style) = sheet_of(&[]);
        let text = [style.text.red, style.text.green, style.text.blue];
        let lettered = (0..picture.size().height)
            .any(|y| (0..picture.size().width).any(|x| picture.rgb(x, y) == Some(text)));
        assert!(lettered, "{}", picture.size());
    }
}
