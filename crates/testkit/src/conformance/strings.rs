//! Random text, and what of Unicode a desktop can be asked to type.

use super::stage::Stage;

/// Capitals beside their small letters, letters without another case, signs, and one beyond the first plane.
const SPARE: [char; 16] = ['ä', 'Ä', 'é', 'É', 'ß', 'ù', 'Ù', 'č', 'Č', 'ζ', 'Ω', 'ж', 'Ж', '€', '日', '😀'];

/// Which characters a backend types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// Every character of every plane, assigned or not, save control characters, surrogates and noncharacters.
    AllPlanes,
    /// Letters that a layout or a spare keycode can carry at the far end of a connection: Latin, Greek, Cyrillic.
    Scripts,
    /// ASCII and sixteen characters beyond it, for a far end that finds keys for so many.
    Spare,
    /// U+0020 to U+007E and U+00A0 to U+00FF.
    Latin1,
}

impl Alphabet {
    /// A string of 1 to 24 characters. Every kind of character the alphabet has comes again and again.
    pub fn string(self, stage: &mut Stage<'_>) -> String {
        let count = stage.between(1, 25);
        (0..count).map(|_| self.character(stage)).collect()
    }

    fn character(self, stage: &mut Stage<'_>) -> char {
        let within = |stage: &mut Stage<'_>, from: u32, to: u32| {
            char::from_u32(stage.between(from as i32, to as i32) as u32).unwrap_or('?')
        };
        match (self, stage.random() % 16) {
            (_, 0..=5) => within(stage, 0x20, 0x7f),
            (_, 6) => ['\n', '\t'][(stage.random() % 2) as usize],
            (Self::Spare, _) => SPARE[stage.between(0, SPARE.len() as i32) as usize],
            (_, 7) | (Self::Latin1, 8..) => within(stage, 0xa0, 0x100),
            (_, 8) => within(stage, 0x100, 0x17f),
            (_, 9) => within(stage, 0x3b1, 0x3ca),
            (_, 10) | (Self::Scripts, 11..) => within(stage, 0x410, 0x450),
            (Self::AllPlanes, 11) => within(stage, 0x4e00, 0x9fff),
            (Self::AllPlanes, 12) => within(stage, 0x1f300, 0x1f64f),
            // A mark without its letter: what was typed is compared, not what it looks like.
            (Self::AllPlanes, 13) => within(stage, 0x300, 0x36f),
            (Self::AllPlanes, _) => Self::anything(stage),
        }
    }

    /// Planes 0 to 16, each as often as the others.
    fn anything(stage: &mut Stage<'_>) -> char {
        loop {
            let value = (stage.between(0, 17) << 16) | stage.between(0, 0x1_0000);
            let noncharacter = value & 0xfffe == 0xfffe || (0xfdd0..0xfdf0).contains(&value);
            match char::from_u32(value as u32) {
                Some(c) if !noncharacter && !c.is_control() => return c,
                _ => {}
            }
        }
    }
}
