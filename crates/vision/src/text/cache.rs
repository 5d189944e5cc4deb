//! What was read before, by the pixels it was read off.

use super::Word;
use handsight_base::flow::frame::{FrameHash, PixelView};
use std::collections::HashMap;

/// Lines that are kept: those of some ten full screens.
const MOST: usize = 4096;

/// The name of a line: the hash of its size and of its pixels, without their undefined fourth bytes.
pub(super) fn key(view: PixelView<'_>) -> FrameHash {
    let size = view.size();
    let mut bytes = Vec::with_capacity(size.area() as usize * 3 + 8);
    bytes.extend(size.width.to_le_bytes());
    bytes.extend(size.height.to_le_bytes());
    for y in 0..size.height {
        let pixels = view.row(y).as_chunks::<4>().0;
        bytes.extend(pixels.iter().flat_map(|[blue, green, red, _]| [*blue, *green, *red]));
    }
    FrameHash::of(&bytes)
}

/// Words of lines, placed as if each line began at 0, 0. The half that was not seen for longest goes when it is full.
#[derive(Debug, Default)]
pub(super) struct Cache {
    lines: HashMap<FrameHash, (Vec<Word>, u64)>,
    looks: u64,
}

impl Cache {
    pub(super) fn get(&mut self, key: &FrameHash) -> Option<Vec<Word>> {
        self.looks += 1;
        let (words, seen) = self.lines.get_mut(key)?;
        *seen = self.looks;
        Some(words.clone())
    }

    pub(super) fn put(&mut self, key: FrameHash, words: Vec<Word>) {
        if self.lines.len() >= MOST {
            let mut seen: Vec<u64> = self.lines.values().map(|(_, seen)| *seen).collect();
            seen.sort_unstable();
            let middle = seen.get(seen.len() / 2).copied().unwrap_or(u64::MAX);
            self.lines.retain(|_, (_, seen)| *seen > middle);
        }
        self.looks += 1;
        self.lines.insert(key, (words, self.looks));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::space::Size;

    #[test]
    fn a_line_is_known_by_its_colours_and_shape_alone() {
        let of = |bytes: &[u8], w, h| key(PixelView::new(bytes, Size::new(w, h), w as usize * 4).unwrap());
        let one = [1, 2, 3, 9, 4, 5, 6, 9];
        assert_eq!(of(&one, 2, 1), of(&[1, 2, 3, 0, 4, 5, 6, 255], 2, 1));
        assert_ne!(of(&one, 2, 1), of(&one, 1, 2));
        assert_ne!(of(&one, 2, 1), of(&[1, 2, 3, 9, 4, 5, 7, 9], 2, 1));
    }

    #[test]
    fn it_never_grows_beyond_its_bound_and_keeps_what_is_in_use() {
        let mut cache = Cache::default();
        let name = |n: usize| FrameHash::of(&n.to_le_bytes());
        for n in 0..3 * MOST {
            cache.put(name(n), Vec::new());
            assert!(cache.get(&name(0)).is_some(), "seen all the time, gone at {n}");
            assert!(cache.lines.len() <= MOST);
        }
        assert_eq!((cache.get(&name(1)), cache.get(&name(3 * MOST - 1))), (None, Some(Vec::new())));
    }
}
