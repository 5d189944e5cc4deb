//! The Windows clipboard: used, and given back in all its formats.

use crate::hands_rig::{self, config, turn};
use crate::wine_rig::Witness;
use handsight_base::port::clock::RealClock;
use handsight_base::port::desktop::{ClipboardContents, Desktop as _, DesktopError};
use handsight_base::stop::Stop;
use handsight_desktop::windows::{WindowsConfig, WindowsDesktop};
use handsight_testkit::wait::{PATIENCE, until};
use handsight_testkit::witness_protocol::{Ask, Said, Which};
use std::sync::Arc;
use tempfile::TempDir;

/// A desktop with hands, and another program of the session with its window in front.
fn desktop() -> (WindowsDesktop, Witness, TempDir) {
    let (witness, state) = (Witness::open(), TempDir::new().unwrap());
    let mut eyes = WindowsConfig::eyes(Arc::new(RealClock::new()));
    eyes.hands = Some(config(state.path()));
    (WindowsDesktop::connect(eyes).unwrap(), witness, state)
}

fn paste(desktop: &mut WindowsDesktop, text: &str) -> Result<(), DesktopError> {
    let _turn = turn(desktop.pulse().unwrap());
    desktop.paste(hands_rig::paste(text), &Stop::new()).map(|injected| assert!(injected.complete))
}

fn set(desktop: &mut WindowsDesktop, formats: &[(&str, &[u8])]) {
    let formats = formats.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
    desktop.set_clipboard(hands_rig::contents(ClipboardContents { formats })).unwrap();
}

/// What is there, by name.
fn read(desktop: &mut WindowsDesktop) -> Vec<(String, Vec<u8>)> {
    let mut formats = desktop.clipboard().unwrap().formats;
    formats.sort();
    formats
}

// spec: D-38 WINE
#[test]
fn text_is_pasted_and_the_clipboard_is_as_before() {
    let (mut desktop, mut witness, _state) = desktop();
    witness.set_clipboard("the person's own, ü");
    let before_paste = read(&mut desktop);
    for text in ["plain", "Añ€😀 日本"] {
        witness.forget();
        paste(&mut desktop, text).unwrap();
        assert_eq!(witness.text(text), text);
        assert_eq!(witness.clipboard(), "the person's own, ü");
        assert_eq!(read(&mut desktop), before_paste);
    }
    witness.assert_quiet();
}

#[test]
fn every_format_is_given_back_large_ones_too() {
    let (mut desktop, mut witness, _state) = desktop();
    // A bitmap of 1x1, markup, and something only its program knows.
    let mut dib = vec![0u8; 44];
    (dib[0], dib[4], dib[8], dib[12], dib[14]) = (40, 1, 1, 1, 32);
    let large: Vec<u8> = (0..3_000_000u32).map(|n| (n % 251) as u8).collect();
    let (html, own) = ("HTML Format", "HandsightTestFormat");
    set(&mut desktop, &[("CF_DIB", &dib), (html, b"<b>x</b>\0"), (own, &large[..700_000])]);
    let had = read(&mut desktop);
    let has = |formats: &[(String, Vec<u8>)], name: &str| formats.iter().any(|(n, _)| n == name);
    assert!(["CF_DIB", html, own].iter().all(|name| has(&had, name)), "{:?}", names(&had));
    paste(&mut desktop, "pasted").unwrap();
    assert_eq!(witness.text("pasted"), "pasted");
    let has = read(&mut desktop);
    assert_eq!(names(&has), names(&had));
    assert!(has == had, "the bytes differ");
}

fn names(formats: &[(String, Vec<u8>)]) -> Vec<(&str, usize)> {
    formats.iter().map(|(name, bytes)| (name.as_str(), bytes.len())).collect()
}

#[test]
fn an_empty_clipboard_is_empty_again() {
    let (mut desktop, mut witness, _state) = desktop();
    set(&mut desktop, &[]);
    paste(&mut desktop, "pasted").unwrap();
    assert_eq!(witness.text("pasted"), "pasted");
    assert_eq!(read(&mut desktop), []);
}

#[test]
fn a_paste_that_nobody_takes_is_told_and_the_clipboard_comes_back() {
    let (mut desktop, mut witness, _state) = desktop();
    witness.set_clipboard("mine");
    assert_eq!(witness.ask(&Ask::Close { window: Which::Main }), Said::Done);
    match paste(&mut desktop, "pasted") {
        Err(DesktopError::Clipboard { why }) => assert!(why.contains("no program took the text"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(witness.clipboard(), "mine");
}

#[test]
fn what_is_put_there_stays_after_the_hands_have_gone() {
    let (mut desktop, mut witness, _state) = desktop();
    set(&mut desktop, &[("text/plain;charset=utf-8", "stays ü".as_bytes())]);
    drop(desktop);
    assert_eq!(witness.clipboard(), "stays ü");
}

#[test]
fn an_engine_that_dies_in_a_paste_leaves_the_clipboard_as_it_found_it() {
    let (mut person, mut witness, state) = (Witness::start(), Witness::start(), TempDir::new().unwrap());
    for _ in 0..5 {
        person.set_clipboard("the person's own");
        let mut engine = crate::wine_kill_hands::engine(state.path(), "paste");
        // Offered, and taken by nobody who has the focus: the engine waits.
        until("the paste begins", PATIENCE, || (witness.clipboard() != "the person's own").then_some(()));
        engine.end();
        until("what was there is back", PATIENCE, || {
            (witness.clipboard() == "the person's own").then_some(())
        });
    }
    crate::wine_kill_hands::await_no_hands();
}
