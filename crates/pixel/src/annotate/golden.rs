//! What all of it looks like, kept as pictures beside this file and compared pixel by pixel.
//!
//! After a change of the looks: `cargo test -p handsight-pixel --lib golden::record -- --ignored`, then look at each picture.

use super::*;
use crate::draw;
use crate::png::{self, PngEncoder};
use crate::text::{Row, TextStyle, draw_outlined};
use handsight_base::space::{FramePx, FrameRect};
use std::path::PathBuf;

const SIZE: Size = Size::new(400, 300);

/// Lines of small letters on a ground, as programs show them, and one framed field.
fn content(ground: u32, ink: u32) -> Rgb24 {
    let ground = Color::from_rgb(ground);
    let mut canvas = Canvas::new(FrameRect::new(0, 0, SIZE.width, SIZE.height));
    draw::fill(&mut canvas, FrameRect::new(0, 0, SIZE.width, SIZE.height), ground);
    draw::frame(&mut canvas, FrameRect::new(12, 30, 180, 24), 1, Color::from_rgb(ink));
    let text = "The quick brown fox jumps over the lazy dog, 0123456789";
    let style = TextStyle { em: 11.0, color: Color::from_rgb(ink), outline: ground, outline_px: 0 };
    let rows: Vec<Row<'_>> = (0..17).map(|n| Row { text, pen: FramePx::new(18, 46 + 15 * n) }).collect();
    draw_outlined(&mut canvas, &rows, &style, &mut FontStack::builtin(400));
    let mut picture = Rgb24::new(SIZE);
    brush::lay(&mut picture, &canvas, (0, 0));
    picture
}

/// Each golden picture: its name, and what is drawn on what.
fn pictures() -> [(&'static str, Rgb24); 3] {
    let at = |x, y| PicturePx { x, y };
    let mark = |x, y, width, height, n: u32| Mark {
        area: Rect { origin: at(x, y), size: Size::new(width, height) },
        color: PALETTE[n as usize % PALETTE.len()],
        number: Some(n),
    };
    let marks = [mark(12.0, 30.0, 180, 24, 1), mark(120.0, 66.0, 60, 14, 2), mark(220.0, 200.0, 90, 40, 15)];
    let all = Annotations {
        grid: Grid { fine_px: 50, coarse_px: 200 },
        pointer: Some(at(90.0, 80.0)),
        crosshair: true,
        magnifier: Magnifier { side_px: 96, times: 4 },
        banner: true,
        marks: &[],
    };
    let drawn = |mut picture: Rgb24, what: &Annotations<'_>| {
        Annotator::new().draw(&mut picture, what);
        picture
    };
    [
        ("light", drawn(content(0x00FF_FFFF, 0x0020_2020), &all)),
        // The pointer in the corner where the numbers of the grid would be, so that all is elsewhere.
        (
            "dark",
            drawn(content(0x001E_1E2E, 0x00D0_D0D0), &Annotations { pointer: Some(at(395.0, 290.0)), ..all }),
        ),
        (
            "marks",
            drawn(
                content(0x00F4_F0E8, 0x0030_3030),
                &Annotations { marks: &marks, ..Annotations::default() },
            ),
        ),
    ]
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("src/annotate/golden/{name}.png"))
}

#[test]
fn annotations_look_as_they_did() {
    for (name, drawn) in pictures() {
        let bytes = std::fs::read(file(name)).unwrap();
        assert!(bytes.len() <= 20 * 1024, "{name}: {} bytes", bytes.len());
        let kept = png::decode(&bytes).unwrap();
        assert_eq!(kept.size(), SIZE);
        let kept = |column, row| kept.view().bgr(column, row).map(|[blue, green, red]| [red, green, blue]);
        let places = (0..SIZE.height).flat_map(|row| (0..SIZE.width).map(move |column| (column, row)));
        let differing: Vec<Place> = places.filter(|&(x, y)| kept(x, y) != drawn.rgb(x, y)).collect();
        assert!(
            differing.is_empty(),
            "{name}: {} pixels are others, the first at {:?}",
            differing.len(),
            differing[0]
        );
    }
}

#[test]
#[ignore = "records anew what annotations look like"]
fn record() {
    for (name, drawn) in pictures() {
        std::fs::write(file(name), PngEncoder::new().encode(&drawn).unwrap()).unwrap();
    }
}
