use super::*;
use handsight_base::space::FrameRect;

fn fonts() -> FontStack {
    FontStack::builtin(400)
}

fn broken(text: &str, width: u32) -> Vec<String> {
    wrap(text, ["> ", ".."], (width, 99), 18.0, &mut fonts())
}

#[test]
fn rows_break_at_spaces_and_fit() {
    let rows = broken("one  two three\tfour five", 100);
    assert_eq!(rows, ["> one two", "..three four", "..five"]);
    assert!(rows.iter().all(|row| fonts().width(row, 18.0) <= 100));
    assert_eq!(broken("", 100), ["> "]);
}

#[test]
fn a_word_longer_than_a_row_is_cut_and_nothing_is_lost() {
    let rows = broken("a wwwwwwwwwwwwwwwwwwww b", 100);
    assert_eq!(rows[0], "> a");
    assert!(rows.len() > 3 && rows.iter().all(|row| fonts().width(row, 18.0) <= 100), "{rows:?}");
    assert_eq!(rows.concat().replace(['>', '.', ' '], ""), "awwwwwwwwwwwwwwwwwwwwb");
    // Narrower than its own beginning: one character a row, and an end.
    assert_eq!(broken("abc", 1), ["> a", "..b", "..c"]);
}

#[test]
fn a_mark_stays_with_the_letter_it_stands_on() {
    let rows = broken(&"e\u{301}".repeat(20), 60);
    assert!(rows.len() > 2);
    for row in rows {
        let letters = row.trim_start_matches(['>', '.', ' ']);
        assert!(letters.starts_with('e') && letters.ends_with('\u{301}'), "{row:?}");
    }
}

#[test]
fn scripts_without_spaces_break_between_characters_but_not_at_brackets() {
    let text = "打开（文件）菜单，然后选择「另存为」。";
    for width in 60..200 {
        let rows = broken(text, width);
        assert_eq!(rows.concat().replace(['>', '.', ' '], ""), text);
        for row in &rows {
            let row = row.trim_start_matches(['>', '.', ' ']);
            assert!(
                !row.starts_with(['）', '，', '」', '。']) && !row.ends_with(['（', '「']),
                "{width}: {row}"
            );
        }
    }
    assert!(broken("abc漢字def", 60).len() > 1);
}

#[test]
fn wrapping_stops_where_it_is_told_to() {
    let rows = wrap(&"word ".repeat(100_000), ["", ""], (200, 3), 18.0, &mut fonts());
    assert_eq!(rows.len(), 3);
}

fn drawn(text: &str, outline_px: u32) -> Canvas {
    let mut canvas = Canvas::new(FrameRect::new(100, 50, 60, 30));
    let style = TextStyle {
        em: 18.0,
        color: Color::opaque(255, 255, 255),
        outline: Color::opaque(0, 0, 0),
        outline_px,
    };
    draw_outlined(&mut canvas, &[Row { text, pen: FramePx::new(105, 70) }], &style, &mut fonts());
    canvas
}

const WHITE: [u8; 4] = [255; 4];
const BLACK: [u8; 4] = [0, 0, 0, 255];
const CLEAR: [u8; 4] = [0; 4];

/// The pixels whose neighbourhood of `by` columns and rows holds `what`, and what they are.
fn around(canvas: &Canvas, by: i32, what: [u8; 4]) -> Vec<[u8; 4]> {
    let area = canvas.area();
    let all = (0..area.size.area() as i32)
        .map(|i| area.origin.offset(i % area.size.width as i32, i / area.size.width as i32));
    all.filter(|at| (-by..=by).any(|dy| (-by..=by).any(|dx| canvas.pixel(at.offset(dx, dy)) == Some(what))))
        .filter_map(|at| canvas.pixel(at))
        .collect()
}

// spec: S-55 UNIT
#[test]
fn white_letters_are_ringed_by_black_in_all_eight_directions() {
    for by in [1, 2, 3] {
        let canvas = drawn("Il1o", by);
        let white = around(&canvas, 0, WHITE).len();
        assert!(white > 40, "{white} white pixels");
        let near = around(&canvas, by as i32, WHITE);
        assert!(near.iter().all(|pixel| pixel[3] == 255), "a clear pixel within {by} of a white one");
        let edge: Vec<[u8; 4]> =
            around(&canvas, 1, CLEAR).into_iter().filter(|&pixel| pixel != CLEAR).collect();
        assert!(
            edge.len() > 40 && edge.iter().all(|&pixel| pixel == BLACK),
            "the outermost pixels are outline"
        );
    }
}

// spec: S-57 UNIT
#[test]
fn every_pixel_is_opaque_or_clear_with_and_without_an_outline() {
    for outline in [0, 1, 4] {
        let canvas = drawn("Smoothly", outline);
        let mut histogram = [0; 256];
        canvas.bgra().iter().skip(3).step_by(4).for_each(|&alpha| histogram[usize::from(alpha)] += 1);
        assert_eq!(histogram[0] + histogram[255], 60 * 30);
        assert!(histogram[0] > 0 && histogram[255] > 0);
        let greys =
            canvas.bgra().as_chunks::<4>().0.iter().filter(|p| ![WHITE, BLACK, CLEAR].contains(p)).count();
        assert_eq!(greys > 0, outline > 0, "smooth against the outline, and only against it");
    }
}

#[test]
fn what_lies_outside_is_left_out() {
    let style =
        TextStyle { em: 18.0, color: Color::opaque(1, 2, 3), outline: Color::opaque(9, 9, 9), outline_px: 2 };
    for (x, y) in [(-50, 0), (0, -50), (15, 5), (9, 22), (i32::MAX, 5), (i32::MIN, i32::MIN), (5, i32::MAX)] {
        let mut canvas = Canvas::new(FrameRect::new(0, 0, 20, 20));
        let row = Row { text: "Words |", pen: FramePx::new(x, y) };
        draw_outlined(&mut canvas, &[row], &style, &mut fonts());
    }
    draw_outlined(&mut Canvas::new(FrameRect::new(0, 0, 0, 0)), &[], &style, &mut fonts());
}
