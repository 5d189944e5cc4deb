//! The clipboard: used, and given back.

use super::stage::{Stage, words};
use super::witness::Which;
use super::{Finding, ensure};
use crate::wait::before;
use handsight_base::flow::action::Action;
use handsight_base::gate::SetClipboard;
use handsight_base::port::desktop::ClipboardContents;

/// Waits until a program finds this on the clipboard.
fn found(stage: &mut Stage<'_>, wanted: &str) -> Result<(), String> {
    let mut is = String::new();
    before(stage.terms.patience, || {
        is = stage.witness.clipboard();
        (is == wanted).then_some(())
    });
    ensure!(is == wanted, "on the clipboard should be {wanted:?}, there is {is:?}");
    Ok(())
}

/// Waits until the desktop knows of what a program has copied: over a network that takes a moment.
fn known(stage: &mut Stage<'_>, text: &str) -> Result<ClipboardContents, String> {
    let mut is = Ok(ClipboardContents::default());
    before(stage.terms.patience, || {
        is = stage.desktop.clipboard().map_err(words);
        is.as_ref().is_ok_and(|c| c.formats.iter().any(|(_, bytes)| reads(bytes, text))).then_some(())
    });
    let contents = is?;
    let readable = contents.formats.iter().any(|(_, bytes)| reads(bytes, text));
    ensure!(readable, "{text:?} is on the clipboard, read was {:?}", contents.formats);
    Ok(contents)
}

pub(super) fn pastes(stage: &mut Stage<'_>) -> Finding {
    const TEXTS: &[&str] =
        &["plain", "Añ€😀 zażółć 日本", "two\nlines", "a much longer text than a person would type; "];
    stage.open(stage.part(20, 20, 60, 60));
    for (n, text) in TEXTS.iter().enumerate() {
        let (text, mine) = (text.repeat(1 + n * n), format!("the person's own, ü {n}"));
        stage.witness.set_clipboard(&mine);
        // A backend whose clipboard tells nothing types what is to be pasted, and has nothing to give back.
        if stage.terms.lacks("clipboard").is_none() {
            known(stage, &mine)?;
        }
        stage.witness.forget();
        stage.act(Action::Paste { text: text.clone() })?;
        let mut came = String::new();
        before(stage.terms.patience, || {
            came = stage.witness.text(Which::Main);
            (came == text).then_some(())
        });
        ensure!(came == text, "pasted {text:?}, arrived {came:?}");
        found(stage, &mine)?;
        stage.witness.forget();
    }
    Ok(format!("{} texts, the clipboard given back each time", TEXTS.len()))
}

pub(super) fn clipboard(stage: &mut Stage<'_>) -> Finding {
    for text in ["one", "Añ€😀 日本"] {
        stage.witness.set_clipboard(text);
        let contents = known(stage, text)?;
        stage.witness.set_clipboard("something else");
        let again = stage.approve(SetClipboard(contents))?;
        stage.desktop.set_clipboard(again).map_err(words)?;
        found(stage, text)?;
    }
    Ok("2 texts read and put back".to_owned())
}

/// A system keeps text as UTF-8, or as UTF-16 with a zero behind it.
fn reads(bytes: &[u8], text: &str) -> bool {
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes == text.as_bytes()
        || bytes.strip_prefix(utf16.as_slice()).is_some_and(|rest| rest.iter().all(|b| *b == 0))
}
