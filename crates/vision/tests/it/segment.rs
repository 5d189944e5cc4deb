//! Segmentation on screens of text whose every word is known.

use crate::screens::{SIZE, screen};
use handsight_base::flow::frame::Pixels;
use handsight_vision::segment::{Segments, segment};

/// Every word lies in one line: whole, and in no other. Buttons and fields are boxes.
#[test]
fn every_word_of_a_screen_lies_in_one_line() {
    let (mut words, mut missed) = (0, Vec::new());
    for seed in 0..24 {
        let screen = screen(seed);
        let found = segment(screen.pixels.view());
        assert!(found.boxes.len() >= 10, "{} buttons and fields, {}", found.boxes.len(), screen.look);
        for word in &screen.words {
            words += 1;
            let lines: Vec<_> = found.lines.iter().filter(|l| l.intersect(&word.area).is_some()).collect();
            let whole = |line: &&&_| {
                word.area.intersect(line).is_some_and(|part| {
                    // Of a smooth letter the faintest row or column may be missing.
                    part.size.width + 3 >= word.area.size.width
                        && part.size.height + 3 >= word.area.size.height
                })
            };
            if lines.len() != 1 || !lines.iter().any(|l| whole(&l)) {
                missed.push(format!("{:?} at {} of {seed}: {lines:?}", word.text, word.area));
            }
        }
        // Lines of text, not the whole of a paragraph.
        assert!(found.lines.iter().all(|line| line.size.height <= 24), "{:?}, {}", found.lines, screen.look);
    }
    assert!(words > 4000 && missed.len() * 200 < words, "{} of {words}: {missed:#?}", missed.len());
}

#[test]
fn an_empty_screen_has_nothing() {
    assert_eq!(segment(Pixels::solid(SIZE, [40, 90, 20]).view()), Segments::default());
}
