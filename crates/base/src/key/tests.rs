//! One meaning for every spelling.

use super::*;
use crate::random::Random;

fn chord(text: &str) -> String {
    text.parse::<Chord>().map_or_else(|e| format!("{e}"), |c| c.to_string())
}

#[test]
fn every_vocabulary_means_the_same_keys() {
    for (text, keys) in [
        // xdotool
        ("ctrl+s", "ctrl+s"),
        ("Return", "enter"),
        ("Page_Down", "pagedown"),
        ("KP_Enter", "kpenter"),
        ("Control_L", "ctrl"),
        ("Super_R", "superright"),
        ("ISO_Level3_Shift", "altright"),
        ("ctrl+braceleft", "ctrl+{"),
        // OpenAI
        ("CTRL", "ctrl"),
        ("ARROWLEFT", "left"),
        ("META", "super"),
        // pyautogui
        ("winleft", "super"),
        ("ctrlleft", "ctrl"),
        ("pgdn", "pagedown"),
        // Playwright, Gemini
        ("Control+A", "ctrl+a"),
        ("ArrowLeft", "left"),
        ("Control+KeyC", "ctrl+c"),
        ("Alt+Digit7", "alt+7"),
        ("ControlOrMeta", "there is no key \"ControlOrMeta\""),
        // UI-TARS
        ("ctrl c", "ctrl+c"),
        ("ctrl shift esc", "ctrl+shift+escape"),
        ("page down", "pagedown"),
        // macOS
        ("cmd+option+esc", "super+alt+escape"),
        // pynput
        ("ctrl_l", "ctrl"),
        ("cmd_r", "superright"),
        ("alt_gr", "altright"),
        // one key in words
        ("Page Down", "pagedown"),
        ("Alt Gr", "altright"),
        ("left shift", "shift"),
        ("Print Screen", "printscreen"),
        ("é", "é"),
        ("F12", "f12"),
        (" ", "space"),
        ("\t", "tab"),
        ("shift + Tab", "shift+tab"),
    ] {
        let got = chord(text);
        assert!(
            got == keys || keys.contains(' ') && got.starts_with(keys),
            "{text:?} means {got}, not {keys}"
        );
    }
}

#[test]
fn a_separator_can_be_the_key() {
    for (text, keys) in [
        ("+", "+"),
        ("ctrl++", "ctrl++"),
        ("ctrl + +", "ctrl++"),
        ("ctrl+ +", "ctrl++"),
        ("ctrl +", "ctrl++"),
        ("ctrl+shift++", "ctrl+shift++"),
        ("ctrl shift +", "ctrl+shift++"),
        ("ctrl+plus", "ctrl++"),
        ("-", "-"),
        ("alt+-", "alt+-"),
        ("alt + -", "alt+-"),
        ("ctrl -", "ctrl+-"),
        ("ctrl--", "ctrl+-"),
        ("ctrl+minus", "ctrl+-"),
        ("_", "_"),
        ("ctrl+_", "ctrl+_"),
        ("plus+a", "plus+a"),
    ] {
        assert_eq!(chord(text), keys, "{text:?}");
    }
}

#[test]
fn a_modifier_before_a_blank_or_a_dash_is_held() {
    for (text, keys) in [
        // Each of these is also the name of a modifier when written together.
        ("alt left", "alt+left"),
        ("ctrl-left", "ctrl+left"),
        ("shift right", "shift+right"),
        ("win left", "super+left"),
        ("control l", "ctrl+l"),
        ("super l", "super+l"),
        ("cmd-r", "super+r"),
        ("alt-r", "alt+r"),
        ("ctrl-c", "ctrl+c"),
        ("Ctrl-Shift-T", "ctrl+shift+t"),
        ("alt-F4", "alt+f4"),
        ("ctrl-page-down", "ctrl+pagedown"),
        ("ctrl page down", "there is no key \"page\""),
    ] {
        assert!(chord(text).starts_with(keys), "{text:?} means {}", chord(text));
    }
    // The single-key reader does not take a chord for one of its keys either.
    for text in ["alt left", "ctrl-l", "ctrl-ctrl-ctrl", "alt-", "-alt", "ctrl -"] {
        assert!(text.parse::<Key>().is_err(), "{text:?} was taken for one key");
    }
}

#[test]
fn a_letter_in_a_chord_names_its_key() {
    for (text, keys) in [
        ("A", "A"),
        ("É", "É"),
        ("Control+A", "ctrl+a"),
        ("ctrl+É", "ctrl+é"),
        ("CTRL+SHIFT+T", "ctrl+shift+t"),
        ("shift+A", "shift+a"),
        // No single small letter stands for it.
        ("ctrl+İ", "ctrl+İ"),
    ] {
        assert_eq!(chord(text), keys, "{text:?}");
    }
    assert_eq!("ctrl+shift+T".parse::<Chord>(), "Control+Shift+t".parse(), "one chord, one value");
}

#[test]
fn a_list_of_names_is_a_chord() {
    for (names, keys) in [
        (&["CTRL", "C"][..], "ctrl+c"),
        (&["ctrl", "+"], "ctrl++"),
        (&["ctrl+shift", "Esc"], "ctrl+shift+escape"),
        (&["Enter"], "enter"),
        (&["A"], "A"),
        (&[" "], "space"),
    ] {
        assert_eq!(Chord::from_names(names.iter().copied()).unwrap().to_string(), keys, "{names:?}");
    }
    assert_eq!(Chord::from_names([]), Err(KeyError::Empty));
    assert_eq!(Chord::from_names(["ctrl", ""]), Err(KeyError::Empty));
    assert_eq!(Chord::from_names(std::iter::repeat_n("a", 1_000_000)), Err(KeyError::TooLong { count: 11 }));
}

#[test]
fn what_is_no_key_is_named() {
    for bad in
        ["", "   ", "ctrl+", "+ctrl", "ctrl++s", "++", "+++", "+ +", "--", "ctrl+nope", "hyperspace", "\u{7}"]
    {
        assert!(bad.parse::<Chord>().is_err(), "{bad:?} was taken for {}", chord(bad));
    }
    assert!(chord("ctrl+nope").contains("\"nope\""), "{}", chord("ctrl+nope"));
    assert_eq!(chord("a+b+c+d+e+f+g+h+i+j+k"), "a chord of 11 keys; 10 at most");
    assert_eq!("ctrl+Control+c".parse::<Chord>(), Err(KeyError::Twice { key: "ctrl".into() }));
    assert_eq!("a+A".parse::<Chord>(), Err(KeyError::Twice { key: "a".into() }));
}

#[test]
fn a_flood_is_refused_in_few_words() {
    for flood in ["+", " ", "-", "a", "ctrl-", "a+", "ctrl ", "😀"] {
        let text = flood.repeat(200_000);
        let error = text.parse::<Chord>().unwrap_err().to_string();
        assert!(error.len() < 300, "{} bytes of error for a flood of {flood:?}", error.len());
        assert!(flood == " " || text.parse::<Key>().is_err());
    }
}

#[test]
fn a_chord_reads_back_as_it_prints() {
    let mut random = Random::new(4);
    for case in 0..20_000 {
        let mut keys: Vec<Key> = Vec::new();
        for _ in 0..random.range(1, MAX_CHORD as i64) {
            let key = match random.below(3) {
                0 => Key::Named(NAMED_KEYS[random.below(NAMED_KEYS.len() as u64) as usize].0),
                1 => Key::Char(char::from(random.range(0x21, 0x7E) as u8)),
                _ => match char::from_u32(random.range(0xA1, 0x2_FFFF) as u32) {
                    Some(c) if !c.is_whitespace() && !c.is_control() => Key::Char(c),
                    Some(_) | None => Key::Named(Named::Enter),
                },
            };
            keys.push(key);
        }
        let Ok(chord) = Chord::of(keys) else { continue };
        assert_eq!(chord.to_string().parse(), Ok(chord.clone()), "case {case}: {chord}");
        assert_eq!(serde_json::from_value::<Chord>(serde_json::to_value(&chord).unwrap()).unwrap(), chord);
    }
}

#[test]
fn modifiers_go_down_in_one_order() {
    let all = Modifiers { control: true, alt: true, shift: true, super_: true };
    let names: Vec<String> = all.keys().map(|k| k.to_string()).collect();
    assert_eq!(names, ["ctrl", "alt", "shift", "super"]);
    let mut gathered = Modifiers::NONE;
    for name in ["ctrl", "ralt", "lshift", "win"] {
        assert!(gathered.add(name.parse().unwrap()), "{name}");
    }
    assert_eq!(gathered, all);
    assert!(!gathered.add(Key::Char('c')) && !gathered.add(Key::Named(Named::Enter)));
}

#[test]
fn no_name_means_two_keys() {
    let mut seen = std::collections::HashMap::new();
    for (key, names) in NAMED_KEYS {
        for name in *names {
            assert_eq!(seen.insert(*name, Key::Named(*key)), None, "{name} stands twice");
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()), "{name}");
            assert_eq!(name.parse(), Ok(Key::Named(*key)), "{name}");
        }
        assert_eq!(key.name(), names[0]);
    }
    for (name, c) in SPELLED {
        assert_eq!(seen.insert(*name, Key::Char(*c)), None, "{name} stands twice");
        assert_eq!(name.parse(), Ok(Key::Char(*c)), "{name}");
    }
}
