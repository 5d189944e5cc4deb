//! Layout by measure, drawing by pixel.

use super::*;

const SCREEN: Size = Size::new(1920, 1080);

fn rows(text: &str, style: &HudStyle) -> Vec<String> {
    layout(text, SCREEN, style, &mut FontStack::builtin(400))
}

/// Blue, green and red of an opaque pixel, counted from the canvas's own corner.
fn opaque(canvas: &Canvas, column: u32, row: u32) -> Option<[u8; 3]> {
    match canvas.pixel(canvas.area().origin.offset(column as i32, row as i32))? {
        [b, g, r, 255] => Some([b, g, r]),
        _ => None,
    }
}

fn drawn(text: &str, style: &HudStyle) -> Canvas {
    draw(text, SCREEN, style, &mut FontStack::builtin(400)).expect("there is text")
}

/// The rectangle of opaque pixels on the screen: left, top, right, bottom, the last two outside.
fn ink(canvas: &Canvas) -> [i32; 4] {
    let mut found = [i32::MAX, i32::MAX, 0, 0];
    for row in 0..canvas.area().size.height {
        for column in 0..canvas.area().size.width {
            if opaque(canvas, column, row).is_some() {
                let (x, y) = (canvas.area().origin.x + column as i32, canvas.area().origin.y + row as i32);
                found = [found[0].min(x), found[1].min(y), found[2].max(x + 1), found[3].max(y + 1)];
            }
        }
    }
    found
}

// spec: S-49 S-51 UNIT
#[test]
fn paragraphs_are_trimmed_numbered_and_never_empty() {
    let style = HudStyle::default();
    assert_eq!(rows(" a \n\n b", &style), ["01| a", "02| b"]);
    assert_eq!(rows("a\r\n\t\r\nb", &style), ["01| a", "02| b"]);
    assert_eq!(rows(" \n \n", &style), [""; 0]);
    assert!(draw("", SCREEN, &style, &mut FontStack::builtin(400)).is_none());
}

// spec: S-50 UNIT
#[test]
fn eight_of_ten_paragraphs_stay() {
    let text: Vec<String> = (1..=10).map(|n| format!("p{n}")).collect();
    let first = rows(&text.join("\n"), &HudStyle::default());
    assert_eq!((first.len(), first[0].as_str(), first[7].as_str()), (8, "01| p1", "08| p8"));
    let last = rows(&text.join("\n"), &HudStyle { keep: Keep::Last, ..HudStyle::default() });
    assert_eq!((last.len(), last[0].as_str(), last[7].as_str()), (8, "01| p3", "08| p10"));
}

// spec: S-52 S-53 UNIT
#[test]
fn rows_wrap_at_words_within_the_width_and_continue_indented() {
    let mut fonts = FontStack::builtin(400);
    let words = "The editor is open and its window has the focus; now the text goes in. ".repeat(6);
    let long = "x".repeat(300);
    for text in [words.as_str(), long.as_str(), "短い文章を何度も書く。".repeat(20).as_str()] {
        let rows = rows(text, &HudStyle::default());
        assert!(rows.len() > 2, "{text}");
        assert!(rows[0].starts_with("01| ") && rows[1..].iter().all(|r| r.starts_with("    ")));
        for row in &rows {
            assert!(fonts.width(row, 18.0) <= 698, "{} px: {row}", fonts.width(row, 18.0));
        }
        assert!(fonts.width(&rows[0], 18.0) > 500, "a row is used as far as words allow");
        let joined: String = rows.concat().replace([' ', '|'], "");
        assert_eq!(joined, format!("01{text}").replace(' ', ""), "nothing is lost");
        let [left, _, right, _] = ink(&drawn(text, &HudStyle::default()));
        assert!(right - left <= 700, "{} px drawn", right - left);
    }
    assert!(
        rows(&words, &HudStyle::default()).iter().all(|r| !r.trim_start().contains("  ")),
        "one space between words"
    );
}

// spec: S-54 UNIT
#[test]
fn rows_are_two_pixels_apart() {
    let (above, below) = FontStack::builtin(400).row(18.0);
    // Glyphs of the height of the em and a little more: DejaVu's rows are 1901 + 483 of 2048 units.
    assert_eq!((above, below), (17, 5));
    let height = |rows: u32, spacing| {
        drawn(&"x\n".repeat(rows as usize), &HudStyle { line_spacing: spacing, ..HudStyle::default() })
            .area()
            .size
            .height
    };
    assert_eq!(height(3, 2) - height(2, 2), above + below + 2);
    assert_eq!(height(3, 9) - height(2, 9), above + below + 9);
}

// spec: S-55 UNIT
#[test]
fn white_glyphs_are_ringed_by_black() {
    let canvas = drawn("Il1", &HudStyle::default());
    let mut white = 0;
    for row in 0..canvas.area().size.height {
        for column in 0..canvas.area().size.width {
            if opaque(&canvas, column, row) != Some([255; 3]) {
                continue;
            }
            white += 1;
            for (dx, dy) in [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)] {
                let beside = opaque(&canvas, (column as i32 + dx) as u32, (row as i32 + dy) as u32);
                assert!(beside.is_some(), "a clear pixel beside a white one at {column}, {row}");
            }
        }
    }
    assert!(white > 20, "{white} white pixels");
    let blacks = (0..canvas.area().size.area()).filter(|n| {
        let (column, row) = (
            (n % u64::from(canvas.area().size.width)) as u32,
            (n / u64::from(canvas.area().size.width)) as u32,
        );
        opaque(&canvas, column, row) == Some([0; 3])
    });
    assert!(blacks.count() > white, "the ring is there");
}

// spec: S-56 UNIT
#[test]
fn nothing_is_drawn_in_the_margin_of_any_screen() {
    let text = "Words and more words. ".repeat(200);
    for screen in [Size::new(1920, 1080), Size::new(320, 200), Size::new(100, 60), Size::new(3840, 2160)] {
        let Some(canvas) = draw(&text, screen, &HudStyle::default(), &mut FontStack::builtin(400)) else {
            assert!(screen.height < 80, "{screen}");
            continue;
        };
        let [left, top, right, bottom] = ink(&canvas);
        assert!(left >= 10 && top >= 10, "{screen}: {left}, {top}");
        assert!(
            right <= screen.width as i32 - 10 && bottom <= screen.height as i32 - 10,
            "{screen}: {right}, {bottom}"
        );
    }
}

// spec: S-94 UNIT
#[test]
fn a_hud_holds_its_box_and_never_more_than_the_screen() {
    let bytes = |text: &str| drawn(text, &HudStyle::default()).bgra().len();
    assert!(bytes("One short reason.") < 20_000, "{} bytes", bytes("One short reason."));
    let full = "Words and more words. ".repeat(1000);
    assert!(bytes(&full) <= 1920 * 1080 * 4, "{} bytes", bytes(&full));
}

// spec: S-57 UNIT
#[test]
fn every_pixel_is_opaque_or_clear() {
    let canvas = drawn("Smooth letters: a e g s 8 &", &HudStyle::default());
    let mut counts = [0usize; 256];
    for pixel in canvas.bgra().chunks_exact(4) {
        counts[usize::from(pixel[3])] += 1;
    }
    assert_eq!(counts[0] + counts[255], canvas.area().size.area() as usize);
    assert!(counts[0] > 0 && counts[255] > 0);
}

#[test]
fn a_panel_is_opaque_and_as_wide_as_it_may_be_with_the_text_inside() {
    let style =
        HudStyle { panel_color: Some(0x0020_2830), outline_color: 0x0020_2830, ..HudStyle::default() };
    let [short, long] = ["a", "b\nc\nd\ne"].map(|text| drawn(text, &style));
    assert_eq!([short.area().size.width, long.area().size.width], [720; 2], "700 and 10 on both sides");
    assert!(short.area().size.height < long.area().size.height);
    assert_eq!(short.area().origin, FramePx::new(10, 10));
    for canvas in [&short, &long] {
        assert!(canvas.bgra().chunks_exact(4).all(|p| p[3] == 255), "nothing shines through");
        let size = canvas.area().size;
        let letters = |column, row| opaque(canvas, column, row).is_some_and(|p| p != [0x30, 0x28, 0x20]);
        let edge = (0..size.width).any(|column| letters(column, 9) || letters(column, size.height - 10));
        assert!(!edge && !(0..size.height).any(|row| letters(9, row)), "a letter lies in the edge");
        assert!((0..size.height).any(|row| (0..size.width).any(|column| letters(column, row))));
    }
    // On a narrow screen it ends before its edge.
    let narrow = draw("a", Size::new(300, 200), &style, &mut FontStack::builtin(400)).unwrap();
    assert_eq!(narrow.area().size.width, 280);
}

// spec: S-106 UNIT
#[test]
fn each_value_alters_the_picture() {
    let text = format!("{}\nb\nc\nd\ne\nf\ng\nh\ni", "long words to wrap ".repeat(12));
    let base = HudStyle::default();
    let usual = drawn(&text, &base);
    let changes = [
        HudStyle { max_width: 400, ..base.clone() },
        HudStyle { font_size: -24, ..base.clone() },
        HudStyle { font_size: 18, ..base.clone() },
        HudStyle { line_spacing: 6, ..base.clone() },
        HudStyle { text_color: 0x00FF_FF00, ..base.clone() },
        HudStyle { outline_color: 0x0000_0080, ..base.clone() },
        HudStyle { outline_px: 2, ..base.clone() },
        HudStyle { margin: 30, ..base.clone() },
        HudStyle { max_lines: 3, ..base.clone() },
        HudStyle { keep: Keep::Last, ..base.clone() },
        HudStyle { scale: 2.0, ..base.clone() },
        HudStyle { panel_color: Some(0x0020_2830), ..base.clone() },
    ];
    for style in changes {
        assert_ne!(drawn(&text, &style), usual, "{style:?}");
    }
    let bold = draw(&text, SCREEN, &base, &mut FontStack::builtin(700)).unwrap();
    assert_ne!(bold, usual, "weight");
    let mut named = FontStack::builtin(400);
    named.prefer(include_bytes!("../../fonts/DejaVuSans-Bold.ttf").to_vec()).expect("a font");
    assert_ne!(draw(&text, SCREEN, &base, &mut named), Some(usual), "font name");
    let yellow = drawn("I", &HudStyle { text_color: 0x00FF_FF00, ..base });
    let colours: Vec<[u8; 3]> = (0..yellow.area().size.height)
        .filter_map(|row| opaque(&yellow, yellow.area().size.width / 2, row))
        .collect();
    assert!(!colours.is_empty());
    let any = yellow.bgra().chunks_exact(4).any(|p| p == [0, 255, 255, 255]);
    assert!(any, "0x00RRGGBB: yellow is no blue, full green, full red");
}

#[test]
fn a_large_screen_enlarges_when_asked_to() {
    let screen = Size::new(3840, 2160);
    let style = HudStyle { scale: 0.0, ..HudStyle::default() };
    let large = draw("text", screen, &style, &mut FontStack::builtin(400)).unwrap();
    let usual = draw("text", screen, &HudStyle::default(), &mut FontStack::builtin(400)).unwrap();
    assert!(large.area().size.height >= 2 * usual.area().size.height - 4);
    assert_eq!(large.area().origin, FramePx::new(20, 20));
}
