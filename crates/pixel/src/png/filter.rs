//! The row filters of PNG (section 9 of its specification), for three bytes a pixel.

use crate::rgb::Rgb24;

const PIXEL: usize = 3;

/// What each byte of a row is replaced by: its difference from a guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filter {
    Sub = 1,
    Up = 2,
    Average = 3,
    Paeth = 4,
}

impl Filter {
    pub(super) const GUESSING: [Self; 4] = [Self::Sub, Self::Up, Self::Average, Self::Paeth];

    /// Appends the rows `from..to`, each led by the filter's number.
    pub(super) fn apply(self, picture: &Rgb24, from: u32, to: u32, out: &mut Vec<u8>) {
        let stride = picture.stride();
        let start = out.len();
        out.resize(start + stride * (to - from) as usize, 0);
        let black = vec![0; if from == 0 { stride - 1 } else { 0 }];
        for (row, out) in (from..to).zip(out[start..].chunks_exact_mut(stride)) {
            out[0] = self as u8;
            let above = if row == 0 { &black } else { picture.row(row - 1) };
            self.row(picture.row(row), above, &mut out[1..]);
        }
    }

    /// All three are equally long, a whole number of pixels.
    fn row(self, row: &[u8], above: &[u8], out: &mut [u8]) {
        if row.len() < PIXEL {
            return;
        }
        // Left of the first pixel everything counts as zero.
        let (first, rest) = out.split_at_mut(PIXEL);
        for (i, out) in first.iter_mut().enumerate() {
            *out = row[i].wrapping_sub(self.guess(0, above[i], 0));
        }
        let (left, upper_left) = (&row[..row.len() - PIXEL], &above[..above.len() - PIXEL]);
        let around = left.iter().zip(&above[PIXEL..]).zip(upper_left);
        for ((out, &byte), ((&left, &above), &upper_left)) in rest.iter_mut().zip(&row[PIXEL..]).zip(around) {
            *out = byte.wrapping_sub(self.guess(left, above, upper_left));
        }
    }

    #[inline(always)]
    fn guess(self, left: u8, above: u8, upper_left: u8) -> u8 {
        match self {
            Self::Sub => left,
            Self::Up => above,
            Self::Average => (left & above) + ((left ^ above) >> 1),
            Self::Paeth => {
                let (a, b, c) = (i16::from(left), i16::from(above), i16::from(upper_left));
                let (from_a, from_b, from_c) = ((b - c).abs(), (a - c).abs(), (a + b - 2 * c).abs());
                if from_a <= from_b && from_a <= from_c {
                    left
                } else if from_b <= from_c {
                    above
                } else {
                    upper_left
                }
            }
        }
    }
}

/// How far filtered bytes are from zero, added up: the smaller, the better the guesses were.
pub(super) fn distance(filtered: &[u8]) -> u64 {
    filtered.iter().map(|&byte| u64::from(byte.min(byte.wrapping_neg()))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::space::Size;

    #[test]
    fn guesses_are_those_of_the_specification() {
        assert_eq!(Filter::Average.guess(255, 254, 0), 254, "floor, without overflow");
        assert_eq!(Filter::Paeth.guess(10, 20, 20), 10);
        assert_eq!(Filter::Paeth.guess(10, 20, 10), 20);
        assert_eq!(Filter::Paeth.guess(10, 30, 20), 20, "the middle is nearest: upper left");
        assert_eq!(Filter::Paeth.guess(7, 7, 7), 7);
    }

    #[test]
    fn rows_lead_with_their_filter_and_the_edges_count_as_zero() {
        let picture =
            Rgb24::from_packed(Size::new(2, 2), &[9, 8, 7, 10, 10, 10, 1, 2, 3, 4, 5, 6]).expect("12 bytes");
        let filtered = |filter: Filter| {
            let mut out = Vec::new();
            filter.apply(&picture, 0, 2, &mut out);
            out
        };
        assert_eq!(filtered(Filter::Sub), [1, 9, 8, 7, 1, 2, 3, 1, 1, 2, 3, 3, 3, 3]);
        assert_eq!(filtered(Filter::Up), [2, 9, 8, 7, 10, 10, 10, 2, 248, 250, 252, 250, 251, 252]);
        assert_eq!(distance(&[0, 1, 255, 128]), 130);
    }
}
