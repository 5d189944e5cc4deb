//! The order form: what is refused, and where orders go.

use crate::rig::Rig;
use handsight_worlds::desk::ui::node::Kind;
use handsight_worlds::engine::hold;

fn opened(seed: u64) -> Rig {
    let mut rig = Rig::of_seed(seed);
    rig.open("form", &[]);
    rig
}

/// The labels that say something.
fn labels(rig: &Rig) -> Vec<String> {
    let id = rig.windows().iter().find(|w| w.frame.app == "form").unwrap().frame.id;
    let world = hold(&rig.world);
    let text = |kind: &Kind| match kind {
        Kind::Label { text, .. } => Some(text.clone()).filter(|t| !t.is_empty()),
        _ => None,
    };
    world.ui(id).unwrap().placed().iter().filter_map(|p| text(&p.kind)).collect()
}

fn fill(rig: &mut Rig, id: &str, text: &str) {
    rig.press("form", &[id]);
    rig.keys("ctrl+a");
    rig.type_text(text);
}

fn choose_product(rig: &mut Rig, at: usize) -> String {
    rig.press("form", &["product"]);
    let (text, place) = {
        let world = hold(&rig.world);
        let menu = world.menu();
        (menu[at].0.text.clone(), menu[at].1.center())
    };
    rig.click(place);
    text
}

/// Clicks what may be scrolled away.
fn press_scrolled(rig: &mut Rig, id: &str) {
    let area = rig.area("form", "form");
    rig.point(area.center());
    rig.scroll(area.center(), -20);
    rig.press("form", &[id]);
}

#[test]
fn an_order_becomes_a_file_and_the_form_is_empty_again() {
    for seed in 0..8 {
        let mut rig = opened(seed);
        fill(&mut rig, "full name", "Ada Lovelace");
        fill(&mut rig, "e-mail", "ada@example.org");
        fill(&mut rig, "quantity", "3");
        let product = choose_product(&mut rig, 2);
        press_scrolled(&mut rig, "delivery 1");
        press_scrolled(&mut rig, "terms");
        rig.press("form", &["submit"]);
        let text = rig
            .read("/Documents/order-1001.txt")
            .unwrap_or_else(|| panic!("seed {seed}: {:?}", labels(&rig)));
        let expected = format!(
            "Order 1001\nName: Ada Lovelace\nE-mail: ada@example.org\nProduct: {product}\nQuantity: 3\nDelivery: Express\nGift wrap: no\n"
        );
        assert_eq!(text, expected);
        rig.keys("Return");
        let top = rig.top();
        assert_eq!((top.frame.app.as_str(), top.texts["full name"].as_str()), ("form", ""), "seed {seed}");
        assert_eq!(top.model["sent"][0]["number"], 1001);
        assert_eq!(top.model["terms"], false);
    }
}

#[test]
fn nothing_is_sent_while_a_field_is_wrong() {
    // Of each: name, address, number, product, terms.
    let good = ("Ada", "ada@example.org", "3", 1, true);
    let cases = [
        (" ", good.1, good.2, good.3, good.4),
        (good.0, "ada", good.2, good.3, good.4),
        (good.0, "ada@example", good.2, good.3, good.4),
        (good.0, "a b@example.org", good.2, good.3, good.4),
        (good.0, good.1, "0", good.3, good.4),
        (good.0, good.1, "100", good.3, good.4),
        (good.0, good.1, "two", good.3, good.4),
        (good.0, good.1, good.2, 0, good.4),
        (good.0, good.1, good.2, good.3, false),
    ];
    for case @ (name, address, number, product, terms) in cases {
        let mut rig = opened(3);
        fill(&mut rig, "full name", name);
        fill(&mut rig, "e-mail", address);
        fill(&mut rig, "quantity", number);
        if product > 0 {
            choose_product(&mut rig, product);
        }
        if terms {
            press_scrolled(&mut rig, "terms");
        }
        let before = labels(&rig).len();
        rig.press("form", &["submit"]);
        assert_eq!(rig.read("/Documents/order-1001.txt"), None, "{case:?}");
        assert_eq!(labels(&rig).len(), before + 2, "what is wrong, and how much: {case:?}");
        assert!(labels(&rig).iter().any(|l| l.ends_with("(1)")), "{:?}", labels(&rig));
        assert!(rig.top().frame.app == "form");
    }
}

#[test]
fn a_form_with_something_in_it_asks_before_it_closes() {
    let mut rig = opened(5);
    rig.type_text("Ada");
    rig.keys("Escape");
    assert!(rig.is_open("message"));
    rig.keys("Escape");
    assert!(rig.is_open("form") && rig.top().texts.values().any(|t| t == "Ada"));
    rig.press("form", &["cancel"]);
    rig.press("message", &["discard"]);
    assert!(!rig.is_open("form"));
    let mut rig = opened(5);
    rig.press("form", &["cancel"]);
    assert!(!rig.is_open("form"), "an empty one closes at once");
}

#[test]
fn the_focus_goes_to_the_uppermost_wrong_field() {
    for seed in 0..8 {
        let mut rig = opened(seed);
        rig.press("form", &["submit"]);
        let id = rig.top().frame.id;
        let focus = hold(&rig.world).ui(id).unwrap().focus().unwrap().to_owned();
        let top = ["full name", "quantity"].into_iter().min_by_key(|id| rig.at("form", id).y).unwrap();
        assert_eq!(focus, top, "seed {seed}");
    }
}
