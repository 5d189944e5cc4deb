//! Patterns over the ids of cases: `*` stands for any characters, `?` for one; everything else for itself.

/// A pattern that a whole id must fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob(String);

impl Glob {
    pub fn new(pattern: &str) -> Self {
        Self(pattern.to_owned())
    }

    pub fn fits(&self, id: &str) -> bool {
        fits(self.0.as_bytes(), id.as_bytes())
    }
}

/// Linear but for the last star, which takes one more byte each time what follows it does not fit.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == b'?' || text.get(t) == Some(c) => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                p = at + 1;
                t = taken + 1;
            }
        }
    }
    pattern.get(p..).is_some_and(|rest| rest.iter().all(|c| *c == b'*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_fits_whole_ids() {
        for (pattern, id, fit) in [
            ("write-note", "write-note", true),
            ("write-note", "write-note-sharp", false),
            ("write-*", "write-note-sharp", true),
            ("*-sharp", "write-note-sharp", true),
            ("*note*", "interrupted-note", true),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("?-b", "a-b", true),
            ("?-b", "-b", false),
            ("*a*b", "aabab", true),
            ("*a*b", "aabaa", false),
        ] {
            assert_eq!(Glob::new(pattern).fits(id), fit, "{pattern:?} on {id:?}");
        }
    }
}
