//! Where words leave the program: results to stdout, everything else to stderr.
//!
//! Every line passes here, and leaves without what was told in confidence (`secrets.rs`). Titles, reasons and replies come from a screen or a model, so control characters are shown, never
//! sent to the terminal. A closed pipe is nobody's error: the run goes on.

use crate::cli::Verbosity;
use crate::{log, secrets};
use std::borrow::Cow;
use std::io::Write;

/// A line of the result, on stdout.
pub(crate) fn result(line: &str) {
    let mut out = std::io::stdout().lock();
    let _closed = writeln!(out, "{}", plain(&secrets::clean(line))).and_then(|()| out.flush());
}

/// Text of ours that is the result, to the letter.
pub(crate) fn text(text: &str) {
    whole(&secrets::clean(text));
}

fn whole(text: &str) {
    let mut out = std::io::stdout().lock();
    let _closed = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A line for the person, on stderr.
pub(crate) fn note(line: &str) {
    let _closed = writeln!(std::io::stderr().lock(), "{}", plain(&secrets::clean(line)));
}

/// A line for the person that `-q` keeps back.
pub(crate) fn progress(line: &str) {
    if log::verbosity() > Verbosity::Quiet {
        note(line);
    }
}

/// Asks for input, without a line break.
pub(crate) fn prompt(text: &str) {
    let mut err = std::io::stderr().lock();
    let _closed = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

pub(crate) fn warning(line: &str) {
    note(&format!("warning: {line}"));
}

pub(crate) fn error(line: &str) {
    note(&format!("error: {line}"));
}

/// One JSON object as a line of stdout.
pub(crate) fn json(value: &serde_json::Value) {
    whole(&format!("{}\n", secrets::redactor().redact_json(&value.to_string())));
}

/// The text with control characters as `\u{..}`; line breaks stay, their continuation indented.
fn plain(line: &str) -> Cow<'_, str> {
    if !line.contains(is_control) {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        if is_control(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// What a terminal would obey or hide rather than show: controls, and marks that turn the direction of writing.
fn is_control(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_no_orders_from_a_screen() {
        assert_eq!(plain("a\u{1b}[2Jb\u{7}"), "a\\u{1b}[2Jb\\u{7}");
        assert_eq!(plain("x\u{202e}y\r"), "x\\u{202e}y\\u{d}");
        assert!(matches!(plain("zwei\nZeilen äöü 😀"), Cow::Borrowed(_)));
    }
}
