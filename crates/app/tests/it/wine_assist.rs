//! Plans of the `assist` profile under Wine, as another Windows program sees them arrive.
//!
//! With the panel shown, as a person has it.
//! No shell of Wine 8 knows Win+R, so the keys of the run dialog reach the window that has the focus: their order is what is seen here.

use crate::assist_rig::{done, go, plan};
use crate::one_run::PLANS;
use crate::wine_rig::{WineRig, find};
use handsight_base::flow::action::Button;
use handsight_base::key::{Key, Named};
use handsight_base::space::ScreenRect;
use handsight_testkit::chat::Server;
use handsight_testkit::conformance::Witness as _;
use handsight_testkit::wait::{PATIENCE, until};
use handsight_testkit::wine::DPI;
use handsight_testkit::witness_protocol::{Seen, What, Which};
use serde_json::json;

/// The keys that went down, in order; text that is no key is left out.
fn downs(events: &[Seen]) -> Vec<Key> {
    let down = |seen: &Seen| match seen.what {
        What::Key { key: Some(key), down: true, repeat: false } => Some(key),
        _ => None,
    };
    events.iter().filter_map(down).collect()
}

// spec: D-31 D-32 D-35 D-40 D-41 FAKE WINE
#[test]
fn plans_reach_a_program_of_windows_in_their_order() {
    let Some(rig) = WineRig::new(DPI) else { return };
    handsight_testkit::apps::paint_root(&rig.wine.x, [40, 60, 80]);
    let mut witness = rig.wine.win32();
    witness.open(Which::Main, ScreenRect::new(100, 100, 1000, 500), 1, true);
    let _notepad = rig.wine.program("notepad", &[]);
    // It has taken the focus before ours is to take it back.
    until("Notepad is in front", PATIENCE, || {
        find(&rig.wine, |w| w.foreground && w.title.ends_with("- Notepad"))
    });
    let ours = until("the windows are there", PATIENCE, || {
        find(&rig.wine, |w| !w.foreground && w.client[2] == 1000)
    });
    witness.forget();
    let title = ours.title.to_uppercase();
    let part: String = title.chars().skip(1).collect();
    let server = Server::scripted([
        plan(&[
            go("focus_window", json!({"title": part})),
            go("mouse", json!({"x": 700, "y": 300, "action": "move"})),
            go("mouse", json!({"x": 640, "y": 360, "button": "right", "clicks": 2, "interval_ms": 50})),
            go("hotkey", json!({"keys": ["ctrl", "shift", "esc"]})),
        ]),
        plan(&[go("mouse", json!({"x": 1280, "y": 0})), go("press", json!({"key": "end"}))]),
        // The stated sample turn.
        plan(&[
            go("hotkey", json!({"keys": ["win", "r"]})),
            go("write", json!({"text": "notepad"})),
            go("press", json!({"key": "enter"})),
        ]),
        plan(&[go("launch", json!({"command": "winemine"}))]),
        done("That was all."),
    ]);
    let url = server.base_url();
    let settings = ["--set", "act.launch_method=run_dialog", "--set", "settle.enabled=false"];
    let args = ["run", "--desktop", "windows", "--base-url", &url, "--out", "C:\\one", "--json"];
    let args = [&args[..], &PLANS, &settings].concat();
    let said = crate::handsight::run(rig.wine.handsight(&args), crate::rig::PATIENCE);
    // Nothing of the turn with the place outside was done.
    assert_eq!(said.ended(0).json()["actions"], 10, "{}", said.stdout);
    let front = find(&rig.wine, |w| w.foreground).unwrap();
    assert_eq!(front.title, ours.title, "it came to the front by a part of its title in another case");
    let events = witness.events();
    let rights = events.iter().filter(|seen| seen.what == What::Button { button: Button::Right, down: true });
    assert_eq!(rights.count(), 2, "{events:?}");
    assert!(!events.iter().any(|seen| matches!(seen.what, What::Button { button: Button::Left, .. })));
    let [control, shift, escape, win, enter] =
        [Named::Control, Named::Shift, Named::Escape, Named::Super, Named::Enter].map(Key::Named);
    let keys = downs(&events);
    let dialog = [win, Key::Char('r')];
    let wanted = [&[control, shift, escape][..], &dialog, &[enter], &dialog, &[enter]].concat();
    let named: Vec<Key> = keys.iter().copied().filter(|key| wanted.contains(key)).collect();
    assert_eq!(named, wanted, "{events:?}");
    let text = witness.text(Which::Main);
    let (first, second) = (text.find("notepad"), text.find("winemine"));
    assert!(first.is_some() && first < second, "{text:?}");
    assert!(witness.held().is_nothing());
}
