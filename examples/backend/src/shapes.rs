//! Characters that are shapes: blocks and lines that have to meet those of the next cell, whatever the font says of them.
//!
//! Everything else is left to the font. Double and heavy lines are drawn as plain ones: what matters is where they lead.

use handsight_base::space::{FrameRect, Size};

/// Lines from the middle of a cell: left, right, up, down.
const LEFT: u8 = 1;
const RIGHT: u8 = 2;
const UP: u8 = 4;
const DOWN: u8 = 8;

#[rustfmt::skip]
const LINES: &[(&str, u8)] = &[
    ("─━┄┅┈┉╌╍═", LEFT | RIGHT),
    ("│┃┆┇┊┋╎╏║", UP | DOWN),
    ("┌┍┎┏╒╓╔╭", RIGHT | DOWN),
    ("┐┑┒┓╕╖╗╮", LEFT | DOWN),
    ("└┕┖┗╘╙╚╰", RIGHT | UP),
    ("┘┙┚┛╛╜╝╯", LEFT | UP),
    ("├┝┞┟┠┡┢┣╞╟╠", UP | DOWN | RIGHT),
    ("┤┥┦┧┨┩┪┫╡╢╣", UP | DOWN | LEFT),
    ("┬┭┮┯┰┱┲┳╤╥╦", LEFT | RIGHT | DOWN),
    ("┴┵┶┷┸┹┺┻╧╨╩", LEFT | RIGHT | UP),
    ("┼┽┾┿╀╁╂╃╄╅╆╇╈╉╊╋╪╫╬", LEFT | RIGHT | UP | DOWN),
];

/// The quarters of U+2596 to U+259F: top left, top right, bottom left, bottom right.
const QUARTERS: [[bool; 4]; 10] = {
    const O: bool = false;
    const X: bool = true;
    [
        [O, O, X, O],
        [O, O, O, X],
        [X, O, O, O],
        [X, O, X, X],
        [X, O, O, X],
        [X, X, X, O],
        [X, X, O, X],
        [O, X, O, O],
        [O, X, X, O],
        [O, X, X, X],
    ]
};

/// The parts of a cell of this size that a character covers, with how much of the colour (0 to 255); `None` if the font knows better.
pub(crate) fn shape(c: char, cell: Size) -> Option<Vec<(FrameRect, u8)>> {
    let (w, h) = (cell.width, cell.height);
    let part =
        |x: u32, y: u32, width: u32, height: u32| (FrameRect::new(x as i32, y as i32, width, height), 255);
    // Half of a height that is odd: the lower half is the larger, and the two never overlap.
    let eighths = |of: u32, n: u32| of * n / 8;
    Some(match c {
        '\u{2580}' => vec![part(0, 0, w, h / 2)],
        '\u{2581}'..='\u{2588}' => {
            let above = eighths(h, 8 - (c as u32 - 0x2580));
            vec![part(0, above, w, h - above)]
        }
        '\u{2589}'..='\u{258f}' => vec![part(0, 0, eighths(w, 0x2590 - c as u32), h)],
        '\u{2590}' => vec![part(w / 2, 0, w - w / 2, h)],
        '\u{2591}'..='\u{2593}' => {
            vec![(FrameRect::new(0, 0, w, h), (64 * (c as u32 - 0x2590)) as u8)]
        }
        '\u{2594}' => vec![part(0, 0, w, eighths(h, 1).max(1))],
        '\u{2595}' => {
            let wide = eighths(w, 1).max(1);
            vec![part(w - wide, 0, wide, h)]
        }
        '\u{2596}'..='\u{259f}' => {
            let quarters = QUARTERS.get(c as usize - 0x2596)?;
            let (x, y) = (w / 2, h / 2);
            let all =
                [part(0, 0, x, y), part(x, 0, w - x, y), part(0, y, x, h - y), part(x, y, w - x, h - y)];
            all.into_iter().zip(quarters).filter(|(_, on)| **on).map(|(part, _)| part).collect()
        }
        '\u{2500}'..='\u{257f}' => {
            let (_, arms) = LINES.iter().find(|(all, _)| all.contains(c))?;
            let thick = (w / 8).max(1);
            let (x, y) = ((w - thick.min(w)) / 2, (h - thick.min(h)) / 2);
            let has = |arm: u8, part| (arms & arm != 0).then_some(part);
            [
                has(LEFT, part(0, y, x + thick, thick)),
                has(RIGHT, part(x, y, w - x, thick)),
                has(UP, part(x, 0, thick, y + thick)),
                has(DOWN, part(x, y, thick, h - y)),
            ]
            .into_iter()
            .flatten()
            .collect()
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_fill_a_cell_together_and_lines_reach_its_edges() {
        for cell in [Size::new(1, 2), Size::new(9, 19)] {
            let covered = |c| shape(c, cell).unwrap().iter().map(|(r, _)| r.size.area()).sum::<u64>();
            assert_eq!(covered('▀') + covered('▄'), cell.area(), "{cell}");
            assert_eq!(covered('▌') + covered('▐'), cell.area(), "{cell}");
            assert_eq!(covered('▞') + covered('▚'), cell.area(), "{cell}");
            assert_eq!(covered('█'), cell.area());
        }
        let cross = shape('┼', Size::new(10, 20)).unwrap();
        let all = cross.iter().map(|(r, _)| *r).reduce(|a, b| a.union(&b));
        assert_eq!(all, Some(FrameRect::new(0, 0, 10, 20)));
        assert_eq!(shape('x', Size::new(10, 20)), None);
    }
}
