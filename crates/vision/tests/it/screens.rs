//! Screens of text whose every word is known: windows of the kind that programs show, drawn from a seed.
//!
//! Letters are 10 to 14 pixels high, smooth, in the fonts of the machine; colours are those of light, dark and coloured
//! interfaces. A word is what stands between two spaces.

use handsight_base::flow::frame::Pixels;
use handsight_base::space::{FrameRect, Size};
use handsight_pixel::font::FontStack;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) const SIZE: Size = Size::new(800, 600);

/// A word and where its letters are.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) area: FrameRect,
}

pub(crate) struct Screen {
    pub(crate) pixels: Pixels,
    pub(crate) words: Vec<Word>,
    /// Font and em.
    pub(crate) look: String,
}

type Rgb = [u8; 3];

struct Theme {
    ground: Rgb,
    text: Rgb,
    faint: Rgb,
    field: Rgb,
    title: (Rgb, Rgb),
    button: (Rgb, Rgb),
    accent: (Rgb, Rgb),
    selected: (Rgb, Rgb),
}

#[rustfmt::skip]
const THEMES: &[Theme] = &[
    Theme { ground: [240, 240, 240], text: [20, 20, 20], faint: [150, 150, 150], field: [255, 255, 255], title: ([32, 78, 138], [255, 255, 255]), button: ([225, 225, 225], [0, 0, 0]), accent: ([0, 120, 215], [255, 255, 255]), selected: ([51, 153, 255], [255, 255, 255]) },
    Theme { ground: [43, 43, 43], text: [225, 225, 225], faint: [125, 125, 125], field: [30, 30, 30], title: ([20, 20, 20], [200, 200, 200]), button: ([70, 73, 76], [230, 230, 230]), accent: ([75, 110, 175], [255, 255, 255]), selected: ([33, 66, 131], [220, 220, 220]) },
    Theme { ground: [246, 245, 244], text: [46, 52, 54], faint: [146, 149, 149], field: [255, 255, 255], title: ([225, 222, 219], [46, 52, 54]), button: ([237, 235, 233], [46, 52, 54]), accent: ([46, 194, 126], [255, 255, 255]), selected: ([53, 132, 228], [255, 255, 255]) },
    Theme { ground: [0, 43, 54], text: [147, 161, 161], faint: [88, 110, 117], field: [7, 54, 66], title: ([7, 54, 66], [238, 232, 213]), button: ([38, 139, 210], [253, 246, 227]), accent: ([220, 50, 47], [255, 255, 255]), selected: ([181, 137, 0], [0, 43, 54]) },
    Theme { ground: [255, 255, 255], text: [0, 0, 0], faint: [128, 128, 128], field: [255, 255, 255], title: ([0, 0, 128], [255, 255, 255]), button: ([192, 192, 192], [0, 0, 0]), accent: ([255, 214, 10], [0, 0, 0]), selected: ([0, 0, 128], [255, 255, 255]) },
    Theme { ground: [253, 246, 227], text: [88, 72, 50], faint: [160, 148, 120], field: [255, 252, 240], title: ([133, 94, 66], [255, 248, 230]), button: ([238, 226, 196], [88, 72, 50]), accent: ([203, 75, 22], [255, 255, 255]), selected: ([238, 200, 120], [60, 40, 20]) },
];

const FONTS: &[&str] = &[
    "",
    "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf",
    "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
];

const WORDS: &[&str] = &[
    "about",
    "account",
    "after",
    "all",
    "already",
    "and",
    "archive",
    "are",
    "automatic",
    "background",
    "before",
    "between",
    "bookmark",
    "button",
    "calendar",
    "cannot",
    "changed",
    "channel",
    "clipboard",
    "colour",
    "column",
    "computer",
    "connection",
    "contents",
    "contrast",
    "correct",
    "could",
    "current",
    "default",
    "delivery",
    "desktop",
    "device",
    "dictionary",
    "display",
    "document",
    "download",
    "drive",
    "editor",
    "enable",
    "encryption",
    "every",
    "failed",
    "file",
    "folder",
    "found",
    "from",
    "graphics",
    "have",
    "hidden",
    "history",
    "image",
    "incoming",
    "install",
    "keyboard",
    "language",
    "large",
    "later",
    "layout",
    "length",
    "library",
    "line",
    "list",
    "location",
    "machine",
    "manager",
    "memory",
    "message",
    "missing",
    "monitor",
    "mouse",
    "must",
    "network",
    "never",
    "next",
    "notification",
    "number",
    "office",
    "only",
    "opened",
    "other",
    "package",
    "page",
    "password",
    "picture",
    "please",
    "pointer",
    "preview",
    "printer",
    "private",
    "problem",
    "process",
    "program",
    "project",
    "quality",
    "question",
    "quick",
    "reading",
    "recent",
    "record",
    "remove",
    "report",
    "request",
    "restart",
    "running",
    "saved",
    "screen",
    "search",
    "second",
    "security",
    "selection",
    "server",
    "service",
    "session",
    "shared",
    "should",
    "size",
    "sound",
    "space",
    "standard",
    "storage",
    "summary",
    "support",
    "system",
    "table",
    "temporary",
    "terminal",
    "text",
    "this",
    "time",
    "toolbar",
    "update",
    "user",
    "version",
    "video",
    "volume",
    "waiting",
    "want",
    "warning",
    "window",
    "with",
    "without",
    "work",
    "workspace",
    "wrong",
    "year",
    "your",
    "zoom",
];
const MENU: &[&str] = &[
    "File", "Edit", "View", "Search", "Tools", "Window", "Help", "Format", "Insert", "Options", "Go",
    "Project",
];
const BUTTONS: &[&str] = &[
    "Cancel",
    "Apply",
    "Save As...",
    "Open",
    "Delete",
    "Browse...",
    "Print",
    "Next >",
    "Yes",
    "No",
    "Retry",
    "Log in",
    "Sign out",
    "Add Item",
    "Close",
    "Preview",
    "Help",
    "OK",
];

struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn word(&mut self) -> &'static str {
        self.of(WORDS)
    }

    fn capital(&mut self) -> String {
        let word = self.word();
        word[..1].to_uppercase() + &word[1..]
    }

    fn sentence(&mut self, length: usize) -> String {
        let mut words = vec![self.capital()];
        words.extend(
            (1..length).map(|_| {
                if self.below(9) == 0 { format!("{},", self.word()) } else { self.word().to_owned() }
            }),
        );
        let end = self.of(&[".", ".", ".", "?", "!", ":"]);
        words.join(" ") + end
    }

    fn path(&mut self) -> String {
        match self.below(4) {
            0 => format!("/home/{}/{}/{}.txt", self.word(), self.word(), self.word()),
            1 => format!("C:\\Users\\{}\\{}", self.capital(), self.capital()),
            2 => format!("/usr/share/{}/{}.conf", self.word(), self.word()),
            _ => format!("https://www.{}.org/{}", self.word(), self.word()),
        }
    }

    fn value(&mut self) -> String {
        let n = self.next();
        match self.below(8) {
            0 => format!("{}", n % 100_000),
            1 => format!("{}.{:02}", n % 1000, n % 89 + 10),
            2 => format!("20{:02}-{:02}-{:02}", n % 27, n % 12 + 1, n % 28 + 1),
            3 => format!("{:02}:{:02}", n % 24, n % 60),
            4 => format!("{} KB", n % 900 + 20),
            5 => format!("{}%", n % 101),
            6 => format!("{},{:03}", n % 90 + 1, n / 7 % 1000),
            _ => format!("v{}.{}.{}", n % 9 + 1, n % 20, n % 7),
        }
    }
}

struct Painter {
    bgrx: Vec<u8>,
    words: Vec<Word>,
    fonts: FontStack,
    em: f32,
    /// Letters stand on this part of a pixel.
    fine: i32,
}

impl Painter {
    fn fill(&mut self, x: i32, y: i32, w: u32, h: u32, [red, green, blue]: Rgb) {
        let area = FrameRect::new(x, y, w, h).intersect(&FrameRect::new(0, 0, SIZE.width, SIZE.height));
        let Some(area) = area else { return };
        for row in area.origin.y..area.bottom() as i32 {
            let at = (row as usize * SIZE.width as usize + area.origin.x as usize) * 4;
            for pixel in self.bgrx[at..at + area.size.width as usize * 4].chunks_exact_mut(4) {
                pixel.copy_from_slice(&[blue, green, red, 255]);
            }
        }
    }

    fn border(&mut self, x: i32, y: i32, w: u32, h: u32, color: Rgb) {
        self.fill(x, y, w, 1, color);
        self.fill(x, y + h as i32 - 1, w, 1, color);
        self.fill(x, y, 1, h, color);
        self.fill(x + w as i32 - 1, y, 1, h, color);
    }

    fn width(&mut self, text: &str) -> u32 {
        self.fonts.width(text, self.em * self.fine as f32).div_ceil(self.fine as u32)
    }

    /// Draws a text on its baseline; where the pen is afterwards.
    fn text(&mut self, x: i32, y: i32, text: &str, [red, green, blue]: Rgb) -> i32 {
        let (fine, em) = (self.fine, self.em * self.fine as f32);
        let space = self.fonts.width(" ", em) as i32;
        let (mut pen, fine_y) = (x * fine, y * fine);
        for word in text.split(' ') {
            // How much of each pixel is covered, in parts of a whole.
            let mut covered: BTreeMap<(i32, i32), u32> = BTreeMap::new();
            for c in word.chars() {
                let glyph = self.fonts.glyph(c, em);
                for (row, coverage) in
                    (fine_y + glyph.top..).zip(glyph.coverage.chunks_exact(glyph.width.max(1)))
                {
                    for (column, &amount) in
                        (pen + glyph.left..).zip(coverage).filter(|(_, amount)| **amount > 0)
                    {
                        *covered.entry((column.div_euclid(fine), row.div_euclid(fine))).or_default() +=
                            u32::from(amount);
                    }
                }
                pen += glyph.advance as i32;
            }
            let mut area = FrameRect::new(0, 0, 0, 0);
            for ((column, row), amount) in covered {
                let inside =
                    (0..SIZE.width as i32).contains(&column) && (0..SIZE.height as i32).contains(&row);
                assert!(inside, "{text} leaves the screen");
                let amount = (amount / (fine * fine) as u32).min(255);
                let at = (row as usize * SIZE.width as usize + column as usize) * 4;
                for (under, over) in self.bgrx[at..at + 3].iter_mut().zip([blue, green, red]) {
                    *under =
                        ((u32::from(over) * amount + u32::from(*under) * (255 - amount) + 127) / 255) as u8;
                }
                area = area.union(&FrameRect::new(column, row, 1, 1));
            }
            if !word.is_empty() {
                self.words.push(Word { text: word.to_owned(), area });
            }
            pen += space;
        }
        (pen - space).div_euclid(fine) + 1
    }
}

/// The screen of a seed. Fonts that the machine lacks leave their place to the built-in one.
pub(crate) fn screen(seed: u64) -> Screen {
    let mut dice = Dice(seed);
    let theme = &THEMES[seed as usize % THEMES.len()];
    let em = 10.0 + (seed / 2 % 5) as f32;
    let file = FONTS[dice.below(FONTS.len())];
    let mut fonts = FontStack::builtin(400);
    if let Ok(bytes) = std::fs::read(file) {
        fonts.prefer(bytes).unwrap();
    }
    // Half of the screens as our own text is set, on whole pixels, half as browsers set theirs.
    let fine = if file.is_empty() || file.contains("Mono") { 1 } else { 4 };
    let name = file.rsplit('/').next().unwrap_or_default();
    let look = format!("{em} px {}", if name.is_empty() { "built-in" } else { name });
    let mut p = Painter { bgrx: vec![255; SIZE.area() as usize * 4], words: Vec::new(), fonts, em, fine };
    let line = (em * 1.5) as i32;
    let (w, h) = (SIZE.width, SIZE.height as i32);
    p.fill(0, 0, w, SIZE.height, theme.ground);
    let bar = line + 8;
    let base = |top: i32, height: i32| top + (height + (em * 0.72) as i32) / 2;

    // Title and menu.
    p.fill(0, 0, w, bar as u32, theme.title.0);
    let title = format!("{} - {} {}", dice.path(), dice.capital(), dice.capital());
    p.text(10, base(0, bar), &title, theme.title.1);
    let mut x = 12;
    let first = dice.below(4);
    for word in &MENU[first..first + 7] {
        x = p.text(x, base(bar, bar), word, theme.text) + (em * 1.6) as i32;
    }
    // Buttons: plain, coloured, disabled.
    let mut y = 2 * bar + 4;
    x = 12;
    let first = dice.below(BUTTONS.len());
    for i in 0..7 {
        let word = BUTTONS[(first + i) % BUTTONS.len()];
        let width = p.width(word) + 24;
        if x + width as i32 > w as i32 - 10 {
            break;
        }
        let (ground, text) = match i % 3 {
            1 => theme.accent,
            _ => theme.button,
        };
        p.fill(x, y, width, bar as u32, ground);
        p.border(x, y, width, bar as u32, theme.faint);
        let text = if i == 5 { theme.faint } else { text };
        p.text(x + 12, base(y, bar), word, text);
        x += width as i32 + 10;
    }
    y += bar + 10;
    // A table on the left half, one of its rows selected.
    let (left, half) = (12, 400);
    let top = y;
    p.fill(left, y, half, (line * 13) as u32, theme.field);
    p.border(left, y, half, (line * 13) as u32, theme.faint);
    p.fill(left + 1, y + 1, half - 2, line as u32, theme.button.0);
    for (column, word) in [(6, "Name"), (180, "Size"), (290, "Modified")] {
        p.text(left + column, base(y, line), word, theme.button.1);
    }
    let selected = dice.below(11);
    for row in 0..12 {
        y += line;
        let mut color = theme.text;
        if row == selected {
            p.fill(left + 1, y + 1, half - 2, line as u32 - 1, theme.selected.0);
            color = theme.selected.1;
        }
        let name =
            format!("{}_{}.{}", dice.word(), dice.word(), dice.of(&["txt", "png", "rs", "pdf", "html"]));
        let name = if dice.below(2) == 0 { name } else { format!("{} {}", dice.capital(), dice.word()) };
        // The column ends where the next one begins.
        let name = if p.width(&name) < 160 { name } else { dice.word().to_owned() };
        p.text(left + 6, base(y, line), &name, color);
        let (size, when) = (dice.value(), dice.value());
        p.text(left + 180, base(y, line), &size, color);
        p.text(left + 290, base(y, line), &when, color);
    }
    // A form on the right.
    let mut fy = top;
    let right = 430;
    for i in 0..6 {
        let label = format!("{} {}:", dice.capital(), dice.word());
        let color = if i == 4 { theme.faint } else { theme.text };
        let at = p.text(right, base(fy, bar), &label, color).max(right + 130) + 10;
        let text =
            if dice.below(2) == 0 { dice.value() } else { format!("{} {}", dice.capital(), dice.word()) };
        p.fill(at, fy + 2, (w as i32 - at - 12) as u32, bar as u32 - 4, theme.field);
        p.border(at, fy + 2, (w as i32 - at - 12) as u32, bar as u32 - 4, theme.faint);
        p.text(at + 6, base(fy, bar), &text, color);
        fy += bar + 2;
    }
    y = y.max(fy) + line + 12;
    // Sentences over the whole width, and paths.
    while y + 2 * line + bar < h {
        let text = if dice.below(4) == 0 {
            format!("{}: {}", dice.capital(), dice.path())
        } else {
            let (one, two) = (5 + dice.below(5), 3 + dice.below(4));
            format!("{} {}", dice.sentence(one), dice.sentence(two))
        };
        let mut fitting = String::new();
        for word in text.split(' ') {
            let longer = if fitting.is_empty() { word.to_owned() } else { format!("{fitting} {word}") };
            if p.width(&longer) + 24 > w {
                break;
            }
            fitting = longer;
        }
        p.text(12, base(y, line), &fitting, if dice.below(6) == 0 { theme.faint } else { theme.text });
        y += line - (dice.below(2) as i32);
    }
    // The status bar.
    p.fill(0, h - bar, w, bar as u32, theme.button.0);
    let status = format!("{} {}", dice.sentence(3), dice.value());
    let at = p.text(10, base(h - bar, bar), &status, theme.button.1);
    let rest = format!("Ln {}, Col {}", dice.below(900), dice.below(80));
    p.text(at + 60, base(h - bar, bar), &rest, theme.button.1);

    let pixels = Pixels::new(Arc::new(p.bgrx), SIZE, SIZE.width as usize * 4).unwrap();
    Screen { pixels, words: p.words, look }
}
