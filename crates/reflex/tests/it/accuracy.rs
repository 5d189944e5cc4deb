//! How well text is read: random strings on random flat colours, at the sizes interfaces use, as drawn and after scaling.

use crate::draw::{Mixing, Random, Screen};
use handsight_base::space::Size;
use handsight_reflex::eye;

const WORDS: &[&str] = &[
    "Save",
    "Open",
    "Cancel",
    "Settings",
    "Night light",
    "Document",
    "budget.txt",
    "notes_2024.md",
    "Illness",
    "Wi-Fi",
    "Volume:",
    "File",
    "Edit",
    "View",
    "Help",
    "Calculator",
    "0123456789",
    "12*34=408",
    "3.14159",
    "(optional)",
    "[x]",
    "e-mail@host.org",
    "50 %",
    "Don't save",
    "\"quoted\"",
    "C:/Users/me",
    "fjord",
    "Quartz",
    "jumping",
    "rn mm nm",
    "I l 1 | !",
    "O0 oO",
    "Trash",
    "Imprint",
    "Yes",
    "No",
    "OK",
    "Apply",
    "Delete?",
    "Are you sure?",
    "Untitled",
    "#42",
    "a+b",
    "x = y;",
    "{json: 1}",
    "Über",
    "naïve",
    "5 €",
    "…",
    "100,00",
];

struct Drawn {
    text: String,
    x: i32,
    y: i32,
    width: i32,
}

/// A screen full of strings on patches of colour, and where they are.
fn sheet(seed: u64, size: Size, mixing: Mixing) -> (Screen, Vec<Drawn>) {
    let random = &mut Random(seed);
    let mut screen = Screen::new(size, 0x0040_6080);
    screen.mixing = mixing;
    let mut drawn = Vec::new();
    let mut y = 30;
    while y + 40 < size.height as i32 {
        let mut x = 8;
        while x + 300 < size.width as i32 {
            let em = 12 + random.below(9) as u32;
            let bold = random.below(3) == 0;
            let text: Vec<&str> = (0..=random.below(3)).map(|_| random.of(WORDS)).collect();
            let text = text.join(" ");
            let (ground, ink) = loop {
                let (a, b) = (random.below(1 << 24) as u32, random.below(1 << 24) as u32);
                let luma = |c: u32| {
                    let [_, r, g, b] = c.to_be_bytes().map(i32::from);
                    (r * 3 + g * 6 + b) / 10
                };
                if (luma(a) - luma(b)).abs() > 60 {
                    break (a, b);
                }
            };
            let width = screen.width(&text, em, bold);
            if x + width + 24 < size.width as i32 {
                screen.fill(x, y - 24, width + 20, 34, ground);
                screen.text(&text, x + 10, y, em, bold, ink);
                drawn.push(Drawn { text, x: x + 10, y, width });
            }
            x += width + 32;
        }
        y += 42;
    }
    (screen, drawn)
}

/// Edits that turn one text into the other.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], i + 1);
        for (j, cb) in b.iter().enumerate() {
            let change = before + usize::from(ca != *cb);
            before = row[j + 1];
            row[j + 1] = change.min(before + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[derive(Default, Debug)]
struct Figures {
    characters: usize,
    wrong: usize,
    words: usize,
    wrong_words: usize,
}

impl Figures {
    fn characters_right(&self) -> f64 {
        1.0 - self.wrong as f64 / self.characters as f64
    }

    fn words_right(&self) -> f64 {
        1.0 - self.wrong_words as f64 / self.words as f64
    }
}

fn measure(native: Size, picture: Size, mixing: Mixing, seeds: u64) -> Figures {
    let mut figures = Figures::default();
    for seed in 0..seeds {
        let (screen, drawn) = sheet(seed, native, mixing);
        let scene = eye::look(&screen.png(picture)).unwrap();
        assert_eq!(scene.screen, native, "seed {seed}");
        for string in &drawn {
            let near = |line: &&eye::Line| {
                let middle = line.area.center();
                (string.y - 24..string.y + 10).contains(&middle.y)
                    && (string.x - 4..string.x + string.width + 4).contains(&middle.x)
            };
            let mut lines: Vec<&eye::Line> = scene.lines.iter().filter(near).collect();
            lines.sort_by_key(|line| line.area.origin.x);
            let read: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
            let read = read.join(" ");
            figures.characters += string.text.chars().count();
            let wrong = edits(&string.text, &read);
            figures.wrong += wrong;
            let words: Vec<&str> = read.split(' ').collect();
            for word in string.text.split(' ') {
                figures.words += 1;
                figures.wrong_words += usize::from(!words.contains(&word));
            }
        }
    }
    println!(
        "{native} as {picture}: {:.2} % of {} characters, {:.2} % of {} words",
        figures.characters_right() * 100.0,
        figures.characters,
        figures.words_right() * 100.0,
        figures.words
    );
    figures
}

const PICTURE: Size = Size::new(1536, 864);

#[test]
fn text_as_drawn_is_read() {
    // Where light is mixed as it is, a capital I is mostly taken for a small L.
    for (mixing, least) in [(Mixing::HalfWay, 0.998), (Mixing::Plain, 0.99)] {
        let figures = measure(PICTURE, PICTURE, mixing, 4);
        assert!(figures.characters_right() >= least, "{figures:?}");
    }
}

#[test]
fn enlarged_text_is_read() {
    for native in [Size::new(1280, 720), Size::new(1366, 768), Size::new(800, 600)] {
        let figures = measure(native, PICTURE, Mixing::HalfWay, 3);
        assert!(figures.characters_right() >= 0.995, "{figures:?}");
        assert!(figures.words_right() >= 0.97, "{figures:?}");
    }
}

#[test]
fn reduced_text_is_read() {
    let figures = measure(Size::new(1920, 1080), PICTURE, Mixing::HalfWay, 4);
    assert!(figures.words_right() >= 0.97, "{figures:?}");
}
