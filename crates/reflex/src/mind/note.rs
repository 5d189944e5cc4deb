//! The note to oneself: what is done, what was just done, and what must not be forgotten.
//!
//! It goes out as the `reason` of a call and comes back from the HUD of the next picture, misread letters and all. It begins
//! with the part that is read back, `2/5 menu x2 [4827]`, and short on purpose: it covers what is below it. Where even that
//! is too much, two letters stand for the word.

use super::words::alike;

/// What can have been done, by words that differ in their first two letters.
const DEEDS: &[&str] = &[
    "answer", "apply", "chosen", "close", "confirm", "down", "drag", "end", "field", "front", "grow", "hide",
    "item", "keys", "list", "look", "menu", "name", "next", "ok", "open", "over", "path", "press", "row",
    "save", "scroll", "spot", "start", "sum", "task", "turn", "twice", "typed", "up", "whole", "yes", "zero",
];
/// Letters that tell one deed from another.
const TOLD: usize = 2;

/// What is known from before.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Note {
    /// Steps that are done.
    pub(crate) done: usize,
    /// What was just done, in one word.
    pub(crate) did: String,
    /// How often in a row.
    pub(crate) tries: usize,
    /// A text read elsewhere that will be needed.
    pub(crate) kept: Option<String>,
}

impl Note {
    /// Reads a HUD; anything else is an empty note.
    pub(crate) fn read(hud: &str) -> Self {
        let head = hud.split(['\n', ';']).next().unwrap_or_default();
        let kept =
            head.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(kept, _)| kept.to_owned());
        let mut words = head.split('[').next().unwrap_or_default().split_whitespace();
        let done = words.next().and_then(|part| part.split('/').next()).and_then(number);
        let Some(done) = done else { return Self::default() };
        let did = deed(words.next().unwrap_or_default());
        let tries = words.next().and_then(|x| number(x.trim_start_matches('x'))).unwrap_or(1);
        Self { done, did, tries, kept }
    }

    /// As it is written: with `words` for a person, or in the fewest letters.
    pub(crate) fn write(&self, of: usize, words: Option<&str>) -> String {
        let did = if words.is_some() { self.did.as_str() } else { self.did.get(..TOLD).unwrap_or(&self.did) };
        let mut text = format!("{}/{of} {did}", self.done);
        if self.tries > 1 {
            text.push_str(&format!(" x{}", self.tries));
        }
        if let Some(kept) = &self.kept {
            text.push_str(&format!(" [{kept}]"));
        }
        if let Some(words) = words.filter(|words| !words.is_empty()) {
            text.push_str("; ");
            text.push_str(words);
        }
        text
    }
}

/// The deed that a word, cut or misread, is most like.
fn deed(word: &str) -> String {
    let exact = DEEDS.iter().find(|deed| **deed == word);
    let short = || DEEDS.iter().find(|deed| word.len() >= TOLD && deed.starts_with(word));
    let near = || {
        DEEDS
            .iter()
            .copied()
            .max_by(|a, b| alike(word, a).total_cmp(&alike(word, b)))
            .filter(|d| alike(word, d) > 0.6)
    };
    exact.or_else(short).copied().or_else(near).unwrap_or(word).to_owned()
}

fn number(text: &str) -> Option<usize> {
    let digits: String = text
        .chars()
        .map(|c| match c {
            'O' | 'o' => '0',
            'l' | 'I' => '1',
            c => c,
        })
        .collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_comes_back_as_it_went() {
        let notes = [
            Note { done: 2, did: "menu".into(), tries: 1, kept: None },
            Note { done: 12, did: "press".into(), tries: 3, kept: Some("48 27; x".into()) },
        ];
        for note in notes {
            let plain = Note { kept: note.kept.clone().map(|k| k.replace(';', ",")), ..note };
            assert_eq!(Note::read(&plain.write(14, Some("then save it"))), plain);
            assert_eq!(Note::read(&plain.write(14, Some(""))), plain);
            assert_eq!(Note::read(&plain.write(14, None)), plain);
        }
    }

    #[test]
    fn two_letters_tell_every_deed() {
        for deed in DEEDS {
            assert_eq!(super::deed(deed), *deed);
            assert_eq!(super::deed(&deed[..TOLD]), *deed);
        }
    }

    #[test]
    fn what_is_no_note_is_nothing_known() {
        for hud in ["", "hello there", "; ", "x/3 menu"] {
            assert_eq!(Note::read(hud), Note::default(), "{hud}");
        }
    }
}
