use super::*;

const SHIFT: u8 = 1;
const LOCK: u8 = 2;
const CONTROL: u8 = 4;
const NUM: u8 = 16;
const LEVEL3: u8 = 128;

const ONE: usize = 0;
const TWO: usize = 1;
const LETTER: usize = 2;
const FOUR: usize = 3;
const KEYPAD: usize = 4;

/// Types as xkeyboard-config has them.
fn types_of_a_pc() -> Vec<Type> {
    let kind = |mask, levels: &[(u8, u8)]| Type { mask, levels: levels.to_vec() };
    vec![
        kind(0, &[]),
        kind(SHIFT, &[(SHIFT, 1)]),
        kind(SHIFT | LOCK, &[(SHIFT, 1), (LOCK, 1)]),
        kind(SHIFT | LEVEL3, &[(SHIFT, 1), (LEVEL3, 2), (SHIFT | LEVEL3, 3)]),
        kind(SHIFT | NUM, &[(SHIFT, 1), (NUM, 1)]),
    ]
}

/// A German keyboard with Russian as its second group, as far as the tests need it.
fn layout() -> Layout {
    let mut layout = Layout { types: types_of_a_pc(), ..Layout::default() };
    let one = |kind: usize, symbols: &[u32]| Keys { groups: vec![(kind, symbols.to_vec())], group_info: 1 };
    let two = |first: (usize, &[u32]), second: (usize, &[u32])| Keys {
        groups: vec![(first.0, first.1.to_vec()), (second.0, second.1.to_vec())],
        group_info: 2,
    };
    let latin = |c: char| u32::from(c);
    layout.add(8, one(ONE, &[0]), 0, &[]);
    layout.add(9, Keys::default(), 0, &[]);
    layout.add(11, one(FOUR, &[latin('2'), latin('"'), 0xb2, key::oneeighth]), 0, &[]);
    layout.add(24, two((FOUR, &[latin('q'), latin('Q'), latin('@')]), (LETTER, &[0x6ca, 0x6ea])), 0, &[]);
    layout.add(39, two((LETTER, &[latin('s'), latin('S')]), (LETTER, &[0x6d9, 0x6f9])), 0, &[]);
    layout.add(49, one(TWO, &[key::dead_circumflex, latin('°')]), 0, &[]);
    layout.add(23, one(TWO, &[key::Tab, key::ISO_Left_Tab]), 0, &[]);
    layout.add(36, one(ONE, &[key::Return]), 0, &[]);
    layout.add(37, one(ONE, &[key::Control_L]), CONTROL, &[]);
    layout.add(50, one(ONE, &[key::Shift_L]), SHIFT, &[]);
    layout.add(84, one(KEYPAD, &[key::KP_Begin, key::KP_5]), 0, &[]);
    layout.add(92, one(ONE, &[key::ISO_Level3_Shift]), LEVEL3, &[]);
    layout.add(108, one(ONE, &[key::ISO_Level3_Shift]), 0, &[]);
    layout.add(200, one(TWO, &[0x0101_f600, 0x0101_f600]), 0, &[200]);
    layout
}

fn held(mods: u8) -> State {
    State { mods, locked: 0, group: 0 }
}

fn stroke(around: &[u32], key: u32) -> Option<Stroke> {
    Some(Stroke { around: around.to_vec(), key })
}

#[test]
fn text_takes_the_fewest_modifiers_that_give_exactly_the_character() {
    let second = State { group: 1, ..State::default() };
    for (c, state, expected) in [
        ('q', held(0), stroke(&[], 24)),
        ('Q', held(0), stroke(&[50], 24)),
        ('@', held(0), stroke(&[92], 24)),
        ('⅛', held(0), stroke(&[50, 92], 11)),
        ('²', held(0), stroke(&[92], 11)),
        // Shift is held already: what needs it goes without, what must not have it goes elsewhere.
        ('Q', held(SHIFT), stroke(&[], 24)),
        ('q', held(SHIFT), None),
        ('⅛', held(SHIFT), stroke(&[92], 11)),
        // Control chooses no level.
        ('s', held(CONTROL), stroke(&[], 39)),
        // With CapsLock a letter key gives capitals, and Shift takes that back only where the type says so.
        ('S', held(LOCK), stroke(&[], 39)),
        ('2', held(LOCK), stroke(&[], 11)),
        // The dead key types no circumflex.
        ('^', held(0), None),
        ('°', held(0), stroke(&[50], 49)),
        // The keypad is no place for text.
        ('5', held(NUM), None),
        ('\t', held(0), None),
        // The second group, by symbols older than Unicode; keys with one group serve both.
        ('й', second, stroke(&[], 24)),
        ('Ы', State { mods: SHIFT, ..second }, stroke(&[], 39)),
        ('s', second, None),
        ('2', second, stroke(&[], 11)),
        ('й', held(0), None),
        // Borrowed keycodes are no part of the layout.
        ('😀', held(0), None),
    ] {
        assert_eq!(layout().text(c, state), expected, "{c:?} with {state:?}");
    }
}

#[test]
fn chords_leave_what_is_held_alone() {
    let layout = layout();
    for (symbol, state, expected) in [
        (key::Return, held(CONTROL | SHIFT), stroke(&[], 36)),
        (key::Tab, held(SHIFT), stroke(&[], 23)),
        (key::ISO_Left_Tab, held(0), stroke(&[50], 23)),
        (key::KP_5, held(0), stroke(&[50], 84)),
        (key::KP_5, State { mods: NUM, locked: NUM, group: 0 }, stroke(&[], 84)),
        // Shift together with NumLock is in no entry of the type, which makes it the first level again.
        (key::KP_Begin, State { mods: NUM, locked: NUM, group: 0 }, stroke(&[50], 84)),
        (key::F1, held(0), None),
    ] {
        assert_eq!(layout.chord(&[symbol], state), expected, "{symbol:#x} with {state:?}");
    }
    assert_eq!(layout.chord(&[key::Alt_R, key::ISO_Level3_Shift], held(0)), stroke(&[], 92));
    assert_eq!(layout.chord_char('s', held(CONTROL | SHIFT)), stroke(&[], 39));
    assert_eq!(layout.chord_char('S', held(CONTROL)), stroke(&[50], 39));
    assert_eq!(layout.chord_char('S', held(SHIFT)), stroke(&[], 39), "Shift is not pressed twice");
}

#[test]
fn keys_with_fewer_groups_wrap_clamp_or_redirect() {
    let keys = |info: u8| Keys { groups: vec![(ONE, vec![1]); 2], group_info: info };
    for (info, group, expected) in [
        (0x02, 1, Some(1)),
        (0x02, 2, Some(0)),
        (0x02, 3, Some(1)),
        (0x42, 3, Some(1)),
        (0x92, 3, Some(1)),
        (0x82, 3, Some(0)),
        (0xb2, 3, Some(0)),
    ] {
        assert_eq!(keys(info).group(group), expected, "{info:#x} in group {group}");
    }
    assert_eq!(Keys::default().group(0), None);
}

#[test]
fn only_keycodes_without_symbol_and_modifier_are_free() {
    let mut layout = layout();
    assert_eq!(layout.empty(), [8, 9]);
    layout.add(10, Keys::default(), CONTROL, &[]);
    assert_eq!(layout.empty(), [8, 9]);
    assert_eq!(layout.carriers(&[key::ISO_Level3_Shift]), [92, 108]);
    assert_eq!(layout.symbols(200), [0x0101_f600, 0x0101_f600]);
}

#[test]
fn only_keys_that_hold_one_modifier_need_no_question() {
    let mut layout = layout();
    layout.add(66, Keys { groups: vec![(ONE, vec![key::Caps_Lock])], group_info: 1 }, LOCK, &[]);
    layout.add(67, Keys { groups: vec![(ONE, vec![key::ISO_Next_Group])], group_info: 1 }, 0, &[]);
    for (code, effect) in [
        (24, Effect::None),
        (200, Effect::None),
        (50, Effect::Holds(SHIFT)),
        (92, Effect::Holds(LEVEL3)),
        (108, Effect::Unknown),
        (37, Effect::Unknown),
        (66, Effect::Unknown),
        (67, Effect::Unknown),
    ] {
        assert_eq!(layout.effect(code), effect, "keycode {code}");
    }
}
