use super::*;

/// A TrueType font that has one character, a filled square of 600 by 600 in an em of 1000 units.
fn font_of_one(c: char) -> Vec<u8> {
    let words = |words: &[i16]| words.iter().flat_map(|w| w.to_be_bytes()).collect::<Vec<u8>>();
    let longs = |longs: &[u32]| longs.iter().flat_map(|l| l.to_be_bytes()).collect::<Vec<u8>>();
    let c = u32::from(c);
    let glyf =
        [words(&[1, 100, 0, 700, 600, 3, 0]), vec![1; 4], words(&[100, 600, 0, -600, 0, 0, 600, 0])].concat();
    let end = glyf.len() as i16 / 2;
    let tables: [(&[u8; 4], Vec<u8>); 7] = [
        (
            b"cmap",
            [words(&[0, 1, 3, 10]), longs(&[12]), words(&[12, 0]), longs(&[28, 0, 1, c, c, 1])].concat(),
        ),
        (b"glyf", glyf),
        (
            b"head",
            [
                longs(&[0x1_0000, 0, 0, 0x5F0F_3CF5]),
                words(&[0, 1000]),
                vec![0; 16],
                words(&[100, 0, 700, 600, 0, 8, 2, 0, 0]),
            ]
            .concat(),
        ),
        (b"hhea", [longs(&[0x1_0000]), words(&[880, -120, 0, 1000]), vec![0; 22], words(&[2])].concat()),
        (b"hmtx", words(&[500, 0, 1000, 100])),
        (b"loca", words(&[0, 0, end])),
        (b"maxp", [longs(&[0x5000]), words(&[2])].concat()),
    ];
    let mut font = [longs(&[0x1_0000]), words(&[tables.len() as i16, 64, 2, 48])].concat();
    let mut at = 12 + 16 * tables.len() as u32;
    for (name, table) in &tables {
        font.extend_from_slice(*name);
        font.extend(longs(&[0, at, table.len() as u32]));
        at += table.len().next_multiple_of(4) as u32;
    }
    for (_, mut table) in tables {
        table.resize(table.len().next_multiple_of(4), 0);
        font.extend(table);
    }
    font
}

fn height(glyph: &Glyph) -> usize {
    glyph.coverage.len() / glyph.width
}

#[test]
fn both_faces_are_there_and_differ() {
    let (mut regular, mut bold) = (FontStack::builtin(400), FontStack::builtin(700));
    assert!(regular.covers("Añ€ßЖλ→✓") && bold.covers("Añ€"));
    assert!(bold.width("word", 18.0) > regular.width("word", 18.0));
}

// spec: S-54 UNIT
#[test]
fn a_size_is_the_height_of_the_em() {
    let mut fonts = FontStack::builtin(400);
    // From the top of the tallest letters to the foot of the deepest, a bar is one em: 18 pixels at size -18.
    let bar = fonts.glyph('|', 18.0);
    assert_eq!((height(&bar), bar.top), (18 + 1, -14), "18 px, not on whole rows at both ends");
    let covered: u32 = bar.coverage.chunks(bar.width).map(|row| u32::from(row[0])).sum();
    assert_eq!((covered + 127) / 255, 18);
}

#[test]
fn stems_start_on_a_pixel() {
    let mut fonts = FontStack::builtin(400);
    for c in "IlLEhkbpnmr|".chars() {
        let glyph = fonts.glyph(c, 18.0);
        let middle = &glyph.coverage[height(&glyph) / 2 * glyph.width..];
        assert!(middle[0] >= 250, "{c}: the first column is covered by {} of 255", middle[0]);
    }
}

#[test]
fn what_no_font_has_is_a_box() {
    let mut fonts = FontStack::builtin(400);
    assert_eq!(fonts.lacks("a 漢\u{200D}字\n").collect::<String>(), "漢字");
    let boxed = fonts.glyph('漢', 18.0);
    assert_eq!((boxed.coverage[0], boxed.coverage[boxed.width + 1]), (255, 0), "a hollow box");
    assert_eq!(fonts.add(b"no font".to_vec()), Err(BadFont));
}

#[test]
fn silent_characters_take_no_room() {
    let mut fonts = FontStack::builtin(400);
    assert!(fonts.covers("a\u{200D}\u{FE0F}\u{7}"));
    assert_eq!(fonts.width("a\u{200D}\u{FE0F}\u{7}\u{AD}", 18.0), fonts.width("a", 18.0));
}

#[test]
fn an_added_font_is_asked_last_and_a_preferred_one_first() {
    let regular = FontStack::builtin(400).width("words", 18.0);
    let bold = FontStack::builtin(700).width("words", 18.0);
    let mut fonts = FontStack::builtin(400);
    fonts.add(BOLD.to_vec()).expect("a font");
    assert_eq!(fonts.width("words", 18.0), regular);
    fonts.prefer(BOLD.to_vec()).expect("a font");
    assert_eq!(fonts.width("words", 18.0), bold, "and the glyphs made before are forgotten");
    assert_eq!(fonts.insert(0, BOLD.to_vec(), 7), Err(BadFont), "no eighth face in this file");
}

#[test]
fn the_cache_stays_small() {
    let mut fonts = FontStack::builtin(400);
    for size in 1..60 {
        (' '..'\u{250}').for_each(|c| _ = fonts.glyph(c, size as f32));
    }
    assert!(fonts.glyphs.len() <= MOST_CACHED);
}

#[test]
fn a_character_that_only_an_added_font_has_is_drawn_from_it() {
    let mut fonts = FontStack::builtin(400);
    let (boxed, letter) = (fonts.glyph('漢', 18.0), fonts.glyph('a', 18.0));
    fonts.add(font_of_one('漢')).expect("a font of one character");
    assert!(fonts.covers("a漢") && !fonts.covers("字"));
    let drawn = fonts.glyph('漢', 18.0);
    assert_ne!(drawn, boxed);
    assert_eq!((drawn.advance, drawn.left, drawn.width, drawn.top), (18, 2, 11, -11), "0.6 em is 10.8 px");
    assert_eq!(drawn.coverage[drawn.width * 5 + 5], 255, "filled");
    assert_eq!(fonts.glyph('a', 18.0), letter, "the first font is still asked first");
    assert_eq!(fonts.glyph('字', 18.0), boxed, "and a box is left for what neither has");
}
