//! Keys and text: what goes down comes up in its order, and every character arrives as itself.

use super::stage::{Stage, Wanted, exactly};
use super::witness::{Seen, What, Which};
use super::{Finding, ensure};
use crate::wait::before;
use handsight_base::flow::action::{Action, Timing};
use handsight_base::key::Key;
use handsight_base::stop::Stop;

/// How many random strings are typed.
const STRINGS: usize = 500;

fn key(key: Key, down: bool) -> Wanted {
    Wanted { what: What::Key { key: Some(key), down, repeat: false }, at: None }
}

/// Presses of keys that the system added while one was held count for nothing.
fn without_repeats(events: Vec<Seen>) -> Vec<Seen> {
    events.into_iter().filter(|e| !matches!(e.what, What::Key { repeat: true, .. })).collect()
}

/// A window in the middle with the focus, the pointer over it.
fn ready(stage: &mut Stage<'_>) -> Result<(), String> {
    let window = stage.part(20, 20, 60, 60);
    stage.open(window);
    let to = stage.spot(window.center())?;
    stage.act(Action::Move { to })?;
    stage.forget();
    Ok(())
}

/// Presses a chord and compares: down in order, up in the other, as often as asked.
fn press(stage: &mut Stage<'_>, chord: &str, repeat: u16) -> Result<(), String> {
    let parsed: handsight_base::key::Chord = chord.parse().map_err(|why| format!("{chord}: {why}"))?;
    stage.act(Action::Key { chord: parsed.clone(), repeat })?;
    let down = parsed.0.iter().map(|k| key(*k, true));
    let up = parsed.0.iter().rev().map(|k| key(*k, false));
    let once: Vec<Wanted> = down.chain(up).collect();
    let at = exactly(stage.witness.pointer());
    stage
        .expect(&once.repeat(usize::from(repeat)), &[at])
        .map(drop)
        .map_err(|why| format!("{chord}, {repeat} times: {why}"))
}

/// Says by name that it cannot press the chord, and leaves nothing of it down.
fn refused(stage: &mut Stage<'_>, chord: &str) -> Result<(), String> {
    let parsed: handsight_base::key::Chord = chord.parse().map_err(|why| format!("{chord}: {why}"))?;
    let last = format!("{:?}", parsed.0.last().copied().unwrap_or(Key::Char(' ')));
    let named = |why: &str| last.contains(why.split('"').nth(1).unwrap_or("?"));
    match stage.attempt(Action::Key { chord: parsed, repeat: 1 }, &Timing::default(), &Stop::new())? {
        Err(error) if named(&error.to_string()) => {}
        other => return Err(format!("{chord} is not refused by name: {other:?}")),
    }
    stage.quiet()?;
    stage.witness.forget();
    Ok(())
}

pub(super) fn chords(stage: &mut Stage<'_>) -> Finding {
    const CHORDS: &[&str] = &[
        "ctrl+s",
        "ctrl+shift+s",
        "ctrl+a",
        "shift+tab",
        "alt+x",
        "ctrl+alt+k",
        "shift+f5",
        "ctrl+home",
        "ctrl+shift+end",
        "ctrl+7",
        "shift+left",
    ];
    ready(stage)?;
    let refuses = stage.terms.refuses;
    for chord in CHORDS {
        if refuses.contains(chord) {
            refused(stage, chord)?;
        } else {
            press(stage, chord, 1)?;
        }
    }
    Ok(format!("{} chords, {} of them refused by name", CHORDS.len(), refuses.len()))
}

pub(super) fn named_keys(stage: &mut Stage<'_>) -> Finding {
    const KEYS: &[&str] = &[
        "enter",
        "tab",
        "escape",
        "backspace",
        "delete",
        "insert",
        "space",
        "home",
        "end",
        "pageup",
        "pagedown",
        "left",
        "right",
        "up",
        "down",
        "f1",
        "f2",
        "f3",
        "f4",
        "f5",
        "f6",
        "f7",
        "f8",
        "f9",
        "f11",
        "f12",
        "shift",
        "ctrl",
    ];
    ready(stage)?;
    for name in KEYS {
        press(stage, name, 1)?;
    }
    Ok(format!("{} keys", KEYS.len()))
}

pub(super) fn repeats(stage: &mut Stage<'_>) -> Finding {
    ready(stage)?;
    press(stage, "right", 25)?;
    press(stage, "ctrl+z", 10)?;
    press(stage, "x", 100)?;
    Ok("25, 10 and 100 times".to_owned())
}

pub(super) fn holds(stage: &mut Stage<'_>) -> Finding {
    /// On a busy machine the release waits for a processor; a hold that is always longer than asked is wrong.
    const ATTEMPTS: usize = 3;
    ready(stage)?;
    let mut longest = 0;
    for (name, millis) in [("w", 120), ("up", 300), ("shift", 450)] {
        let chord: handsight_base::key::Chord = name.parse().map_err(|why| format!("{name}: {why}"))?;
        let mut took = 0;
        for _ in 0..ATTEMPTS {
            took = held(stage, &chord, millis)?;
            // Clocks of events tick up to 16 ms apart.
            ensure!(took >= millis.saturating_sub(16), "{name} for {millis} ms: {took} ms");
            if took < millis + 250 {
                break;
            }
        }
        ensure!(took < millis + 250, "{name} for {millis} ms: {took} ms, {ATTEMPTS} times over");
        longest = longest.max(took.abs_diff(millis));
    }
    Ok(format!("3 holds, at most {longest} ms off"))
}

/// Holds a key once; for how many milliseconds it was down.
fn held(stage: &mut Stage<'_>, chord: &handsight_base::key::Chord, millis: u64) -> Result<u64, String> {
    let key = chord.0[0];
    stage.act(Action::HoldKey { chord: chord.clone(), millis })?;
    let events = without_repeats(stage.seen(2));
    stage.witness.forget();
    let what: Vec<What> = events.iter().map(|e| e.what).collect();
    let wanted = [true, false].map(|down| What::Key { key: Some(key), down, repeat: false });
    ensure!(what == wanted, "holding {chord}: {events:?}");
    Ok(events[1].at_ms.saturating_sub(events[0].at_ms))
}

/// Types and waits until as much arrived.
fn typed(stage: &mut Stage<'_>, text: &str) -> Result<Vec<Seen>, String> {
    stage.act(Action::typed(text))?;
    let mut came = String::new();
    before(stage.terms.patience, || {
        came = stage.witness.text(Which::Main);
        (came.chars().count() >= text.chars().count()).then_some(())
    });
    ensure!(came == text, "typed {text:?}, arrived {came:?}");
    let events = stage.witness.events();
    let odd = events.iter().find(|e| !matches!(e.what, What::Key { .. }));
    ensure!(odd.is_none(), "typing {text:?} brought about {odd:?}");
    let downs = |events: &[Seen], wanted: bool| {
        events
            .iter()
            .filter(|e| matches!(e.what, What::Key { down, repeat: false, .. } if down == wanted))
            .count()
    };
    let (down, up) = (downs(&events, true), downs(&events, false));
    ensure!(down == up, "typing {text:?} pressed {down} keys and released {up}");
    Ok(events)
}

pub(super) fn text(stage: &mut Stage<'_>) -> Finding {
    ready(stage)?;
    let (mut characters, mut astral) = (0, 0);
    let strings = STRINGS / stage.terms.one_in;
    for n in 0..strings {
        let text = stage.terms.alphabet.string(stage);
        characters += text.chars().count();
        astral += text.chars().filter(|c| *c as u32 > 0xffff).count();
        typed(stage, &text).map_err(|why| format!("string {n}: {why}"))?;
        stage.witness.forget();
    }
    let alphabet = stage.terms.alphabet;
    Ok(format!("{strings} strings of {alphabet:?}, {characters} characters, {astral} beyond the first plane"))
}

pub(super) fn text_by_units(stage: &mut Stage<'_>) -> Finding {
    ready(stage)?;
    let text = "Añ€😀";
    stage.act(Action::typed(text))?;
    let units = text.encode_utf16().count();
    let packet = |down| What::Key { key: None, down, repeat: false };
    let wanted: Vec<Wanted> =
        [packet(true), packet(false)].map(|what| Wanted { what, at: None }).repeat(units);
    let at = exactly(stage.witness.pointer());
    stage.expect(&wanted, &[at])?;
    Ok(format!("{units} pairs for {text}"))
}
