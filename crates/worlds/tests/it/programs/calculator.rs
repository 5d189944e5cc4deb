//! The calculator under mouse and keyboard.

use crate::rig::Rig;
use handsight_worlds::desk::DeskSetup;
use handsight_worlds::engine::{World as _, hold};
use serde_json::{Value, json};

fn opened(seed: u64) -> Rig {
    let mut rig = Rig::of_seed(seed);
    rig.open("calculator", &[]);
    rig
}

fn history(rig: &Rig) -> Vec<String> {
    let model = rig.model("calculator");
    let one =
        |c: &Value| format!("{} = {}", c["expression"].as_str().unwrap(), c["result"].as_str().unwrap());
    model["history"].as_array().unwrap().iter().map(one).collect()
}

#[test]
fn keys_compute_as_on_a_desk_calculator() {
    // What is typed, what the display shows then, and the newest line of the history.
    let cases = [
        ("12*3=", "36", "12 × 3 = 36"),
        ("2+3*4=", "20", "5 × 4 = 20"),
        ("0.1+0.2=", "0.3", "0.1 + 0.2 = 0.3"),
        ("10/4=", "2.5", "10 ÷ 4 = 2.5"),
        ("1/3=", "0.33333333333", "1 ÷ 3 = 0.33333333333"),
        ("5-8=", "-3", "5 − 8 = -3"),
        ("5+==", "15", "10 + 5 = 15"),
        ("5+2==", "9", "7 + 2 = 9"),
        ("200+10%=", "220", "200 + 20 = 220"),
        ("7+-2=", "5", "7 − 2 = 5"),
        ("999999999999*999999999999=", "Too large", ""),
        ("1.5.5+0=", "1.55", "1.55 + 0 = 1.55"),
    ];
    for (typed, shown, computed) in cases {
        let mut rig = opened(1);
        rig.type_text(typed);
        let model = rig.model("calculator");
        let texts = ["Too large", "Out of range"];
        let text = model["shown"].as_str().unwrap();
        assert!(text == shown || (model["error"] == json!(true) && texts.contains(&text)), "{typed}: {text}");
        assert_eq!(history(&rig).last().map_or("", String::as_str), computed, "{typed}");
    }
}

#[test]
fn buttons_do_the_same_in_every_arrangement() {
    let mut arrangements = std::collections::BTreeSet::new();
    for seed in 0..12 {
        let mut rig = opened(seed);
        rig.press("calculator", &["4", "7", "subtract", "5", "point", "5", "sign", "equals"]);
        assert_eq!(history(&rig), ["47 − -5.5 = 52.5"], "seed {seed}");
        rig.press("calculator", &["back", "9", "clear", "8", "8", "back", "add", "1"]);
        rig.keys("Return");
        assert_eq!(rig.model("calculator")["shown"], "9", "seed {seed}");
        let (seven, one, equals) =
            (rig.at("calculator", "7"), rig.at("calculator", "1"), rig.at("calculator", "equals"));
        arrangements.insert((
            seven.y < one.y,
            equals.y > seven.y.max(one.y),
            rig.at("calculator", "clear").x > seven.x + 150,
        ));
    }
    assert!(arrangements.len() >= 3, "{arrangements:?}");
}

#[test]
fn what_is_typed_or_pasted_is_not_computed() {
    let mut rig = opened(3);
    rig.type_text("36");
    hold(&rig.world).set_clipboard(" 42 ".to_owned());
    rig.keys("ctrl+v");
    let model = rig.model("calculator");
    assert_eq!((&model["shown"], &model["history"]), (&json!("42"), &json!([])));
    hold(&rig.world).set_clipboard("words".to_owned());
    rig.keys("ctrl+v");
    assert_eq!(rig.model("calculator")["shown"], "42");
}

#[test]
fn a_result_is_copied_by_chord_by_button_and_by_menu() {
    for way in ["chord", "button", "menu"] {
        let mut rig = opened(4);
        rig.type_text("6*7=");
        match way {
            "chord" => rig.keys("ctrl+c"),
            "button" => rig.press("calculator", &["copy"]),
            _ => {
                let at = rig.at("calculator", "tape");
                rig.right_click(at);
                let item = rig.item("copy");
                rig.click(item);
            }
        }
        assert_eq!(hold(&rig.world).clipboard(), "42", "{way}");
    }
}

#[test]
fn an_error_ends_with_the_next_key_and_clearing_keeps_the_history() {
    let mut rig = opened(5);
    rig.type_text("1+1=5/0=");
    let model = rig.model("calculator");
    assert_eq!((&model["error"], history(&rig).len()), (&json!(true), 1));
    rig.type_text("8");
    assert_eq!((rig.model("calculator")["shown"].as_str(), history(&rig).len()), (Some("8"), 1));
    rig.keys("Escape");
    assert_eq!(rig.model("calculator")["shown"], "0");
    // A line of the history is taken up again by a click.
    rig.press("calculator", &["result 0"]);
    rig.type_text("+3=");
    assert_eq!(history(&rig), ["1 + 1 = 2", "2 + 3 = 5"]);
}

#[test]
fn a_saved_calculator_goes_on_where_it_was() {
    let mut rig = opened(6);
    rig.type_text("9*");
    let state = hold(&rig.world).save();
    let mut other = Rig::new(&DeskSetup::new(6));
    hold(&other.world).load(&state).unwrap();
    other.type_text("9=");
    assert_eq!(history(&other), ["9 × 9 = 81"]);
    rig.type_text("9=");
    assert_eq!(rig.model("calculator"), other.model("calculator"));
}
