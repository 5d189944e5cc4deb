//! Words that mean the same, and how alike two readings of a text are.
//!
//! Interfaces word a few things differently (`Save`, `Store`, `Keep`). What a task quotes is looked for as it is quoted; only
//! what a task leaves unsaid is looked for by meaning, in the lists here.

pub(crate) const START: &[&str] = &["Start", "Menu", "Apps", "Applications", "Programs"];
pub(crate) const RUN: &[&str] = &["Run", "Execute", "Start Program", "Run…", "Run Command"];
pub(crate) const FILE: &[&str] = &["File", "Document"];
pub(crate) const EDIT: &[&str] = &["Edit", "Change"];
pub(crate) const SAVE: &[&str] = &["Save", "Store", "Keep"];
pub(crate) const SAVE_AS: &[&str] = &["Save As…", "Store As…", "Keep As…", "Save As", "Store As", "Keep As"];
pub(crate) const SELECT_ALL: &[&str] = &["Select All", "Mark All"];
pub(crate) const COPY: &[&str] = &["Copy"];
pub(crate) const PASTE: &[&str] = &["Paste", "Insert"];
pub(crate) const DELETE: &[&str] = &["Delete", "Remove", "Erase"];
pub(crate) const RENAME: &[&str] = &["Rename", "Change Name"];
pub(crate) const NEW_FOLDER: &[&str] = &["New Folder", "Create Folder"];
pub(crate) const APPLY: &[&str] = &["Apply", "Use now", "Set"];
pub(crate) const YES: &[&str] = &["Yes", "Yes, do it", "Replace", "Overwrite"];
pub(crate) const OK: &[&str] = &["OK", "Accept", "Confirm"];

/// What could not be read.
pub(crate) const UNREAD: char = '\u{FFFD}';
/// What this much is alike counts as the same text.
pub(crate) const SAME: f32 = 0.86;

/// How alike two texts are, 0 to 1, case, blanks at the ends and the dots of a menu aside. What could not be read, and letters that look alike,
/// count little.
pub(crate) fn alike(seen: &str, wanted: &str) -> f32 {
    let [a, b]: [Vec<char>; 2] =
        [seen, wanted].map(|text| text.trim().trim_end_matches('…').to_lowercase().chars().collect());
    if a.is_empty() || b.is_empty() {
        return if a.len() == b.len() { 1.0 } else { 0.0 };
    }
    let mut row: Vec<f32> = (0..=b.len()).map(|n| n as f32).collect();
    for (i, x) in a.iter().enumerate() {
        let mut before = std::mem::replace(&mut row[0], (i + 1) as f32);
        for (j, y) in b.iter().enumerate() {
            let changed = before + change(*x, *y);
            before = row[j + 1];
            row[j + 1] = changed.min(before + 1.0).min(row[j] + 1.0);
        }
    }
    let alike = 1.0 - row[b.len()] / a.len().max(b.len()) as f32;
    // Numbers that differ are other numbers, however long the rest.
    let digits = |text: &[char]| text.iter().filter(|c| c.is_ascii_digit()).collect::<String>();
    let read = !a.iter().any(|c| matches!(c, '\u{FFFD}'));
    if read && a.len() == b.len() && digits(&a) != digits(&b) && digits(&a).len() == digits(&b).len() {
        return alike.min(SAME - 0.02);
    }
    alike
}

fn change(seen: char, wanted: char) -> f32 {
    let class = |c: char| match c {
        'l' | 'i' | '1' | '|' | '!' => 'l',
        'o' | '0' => 'o',
        '–' | '—' | '−' => '-',
        '’' | '‘' => '\'',
        c => c,
    };
    match seen {
        seen if seen == wanted => 0.0,
        '\u{FFFD}' => 0.25,
        ' ' if class(wanted) == 'l' => 0.3,
        seen if class(seen) == class(wanted) => 0.15,
        _ => 1.0,
    }
}

pub(crate) fn is(seen: &str, wanted: &str) -> bool {
    alike(seen, wanted) >= SAME
}

/// Whether a text is this one, or the beginning of it that the pointer leaves in sight.
pub(crate) fn is_or_begins(seen: &str, wanted: &str) -> bool {
    let begins = |covered: usize| {
        let length = seen.chars().count().saturating_sub(covered);
        let [seen, start] = [seen, wanted].map(|text| text.chars().take(length).collect::<String>());
        length >= 3 && length * 2 >= wanted.chars().count() && alike(&seen, &start) > 0.95
    };
    is(seen, wanted) || begins(0) || begins(1)
}

/// How alike a text that may have been cut (`Text Ed…`) is to the whole one.
pub(crate) fn alike_cut(seen: &str, wanted: &str) -> f32 {
    let kept = seen.trim_end_matches(['…', '.', ' ', '\u{FFFD}']);
    let length = kept.chars().count();
    // The pointer may cover the dots.
    let covered = kept.len() == seen.len() && (length < 5 || length * 2 > wanted.chars().count());
    if covered || length < 3 {
        return alike(seen, wanted);
    }
    let start: String = wanted.chars().take(length).collect();
    alike(kept, &start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_misread_is_the_same_and_another_word_is_not() {
        for (seen, wanted) in [
            ("Calcu\u{FFFD}ator", "Calculator"),
            ("lmprint", "Imprint"),
            ("save as", "Save As"),
            ("Vo ume", "Volume"),
        ] {
            assert!(is(seen, wanted), "{seen} {wanted} {}", alike(seen, wanted));
        }
        for (seen, wanted) in [
            ("Save As", "Save"),
            ("Don't Save", "Save"),
            ("", "x"),
            ("OK", "No"),
            ("Order 4711", "Order 4721"),
        ] {
            assert!(!is(seen, wanted), "{seen} {wanted} {}", alike(seen, wanted));
        }
        assert!(
            alike_cut("*Untitled -…", "*Untitled - Text Editor") == 1.0 && alike_cut("No…", "Notes") < SAME
        );
    }
}
