//! Reading generated screens, whose every word is known, with the real engine. All 200 are read with `HANDSIGHT_LONG=1`.

use crate::screens::{SIZE, Screen, screen};
use handsight_base::flow::frame::Pixels;
use handsight_base::stop::Stop;
use handsight_testkit::need::{long, need};
use handsight_vision::text::{Reader, Reading, Settings};
use std::sync::Arc;

fn read(reader: &Reader, pixels: &Pixels) -> Reading {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(reader.read(pixels, &Stop::new())).unwrap()
}

#[derive(Debug, Default)]
struct Score {
    right: usize,
    words: usize,
    /// Words where there are none.
    invented: usize,
    wrong: Vec<String>,
}

impl Score {
    /// A word is right if it was read to the letter where it stands.
    fn add(&mut self, screen: &Screen, reading: &Reading) {
        let read: Vec<_> = reading.lines.iter().flat_map(|line| &line.words).collect();
        for word in &screen.words {
            let there = || read.iter().filter(|r| r.area.intersect(&word.area).is_some());
            self.words += 1;
            if there().any(|r| r.text == word.text && word.area.contains(r.area.center())) {
                self.right += 1;
            } else {
                let texts: Vec<&str> = there().map(|r| r.text.as_str()).collect();
                self.wrong.push(format!("{}: {:?} as {texts:?}", screen.look, word.text));
            }
        }
        let nowhere = |r: &&&_| !screen.words.iter().any(|w| w.area.intersect(&area(r)).is_some());
        self.invented += read.iter().filter(nowhere).count();
    }

    fn share(&self) -> f64 {
        self.right as f64 / self.words as f64
    }
}

fn area(word: &handsight_vision::text::Word) -> handsight_base::space::FrameRect {
    word.area
}

fn score(screens: &[Screen], scale: u32) -> Score {
    let mut score = Score::default();
    for screen in screens {
        // One that remembers nothing of the screens before.
        let reader = Reader::new(Settings { scale, ..Settings::default() });
        score.add(screen, &read(&reader, &screen.pixels));
    }
    score
}

#[test]
fn words_of_small_text_are_read_to_the_letter() {
    if !need("tesseract", "tesseract-ocr tesseract-ocr-eng") {
        return;
    }
    // Every seventh shows each theme, size and font.
    let seeds = if long() { (0..200).collect() } else { (0..6).map(|i| i * 7).collect::<Vec<u64>>() };
    let screens: Vec<Screen> = seeds.into_iter().map(screen).collect();
    let larger = score(&screens, 3);
    println!(
        "{} screens: {} of {} words right, {:.2} %, {} where there are none",
        screens.len(),
        larger.right,
        larger.words,
        larger.share() * 100.0,
        larger.invented
    );
    larger.wrong.iter().for_each(|wrong| println!("  {wrong}"));
    assert!(larger.share() >= 0.98, "{:.4} of {}", larger.share(), larger.words);
    assert!(larger.invented * 100 < larger.words, "{} of {}", larger.invented, larger.words);
    // The control: at the size it has, the same text is read worse, and the score says so.
    let native = score(&screens[..screens.len().min(2)], 1);
    println!("at native size {:.2} %", native.share() * 100.0);
    assert!(native.share() < 0.95, "{:.4}", native.share());
}

#[test]
fn what_was_read_is_known_and_only_what_changed_is_read_again() {
    if !need("tesseract", "tesseract-ocr tesseract-ocr-eng") {
        return;
    }
    let reader = Reader::new(Settings::default());
    let nothing = read(&reader, &Pixels::solid(SIZE, [200, 180, 160]));
    assert_eq!(nothing, Reading::default(), "an empty screen says nothing");
    let screen = screen(4);
    let first = read(&reader, &screen.pixels);
    assert!(first.asked > 40 && first.cached == 0 && first.unread == 0, "{first:?}");
    let again = read(&reader, &screen.pixels);
    assert_eq!((again.asked, again.cached), (0, first.asked));
    assert_eq!(again.lines, first.lines);
    // One word is painted over.
    let word = screen.words.iter().find(|word| word.text.len() > 4).unwrap();
    let view = screen.pixels.view();
    let mut bytes = view.data().to_vec();
    for y in word.area.origin.y..word.area.bottom() as i32 {
        let at = y as usize * view.stride() + word.area.origin.x as usize * 4;
        bytes[at..at + word.area.size.width as usize * 4].fill(0);
    }
    let changed = Pixels::new(Arc::new(bytes), SIZE, view.stride()).unwrap();
    let third = read(&reader, &changed);
    assert!((1..=2).contains(&third.asked) && third.cached + 2 >= first.asked, "{third:?}");
}
