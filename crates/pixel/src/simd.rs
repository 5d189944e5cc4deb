//! Vector paths, and the only unsafe code of this crate.
//!
//! Each has a scalar twin that is always compiled and gives the same bytes; the processor is asked at run time. What
//! is unsafe here is only the loads and stores, and each of them is on a slice whose length has just been checked.

/// Which code moves pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    Scalar,
    Avx2,
}

impl Kernel {
    /// The fastest one that this processor has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Self::Avx2;
        }
        Self::Scalar
    }

    /// This one if the processor has it, else the scalar one.
    pub(crate) fn or_scalar(self) -> Self {
        if self == Self::detect() { self } else { Self::Scalar }
    }
}

/// Target pixels made at a time.
const LANES: usize = 8;
/// Source pixels looked at for them.
const SPAN: usize = 2 * LANES;

/// Where the eight source pixels of eight neighbouring target pixels are.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    /// First source column of the sixteen that are loaded.
    first: u32,
    /// Which of the sixteen each target pixel takes.
    pick: [i32; LANES],
}

/// A column map in groups of eight. Only maps where eight targets span at most sixteen sources have one, which is
/// any enlargement and any shrinking to a half or more.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Groups {
    groups: Vec<Group>,
}

impl Groups {
    /// `columns[i]` is the source column of target column `i`, and never falls; `width` is the source's.
    pub(crate) fn of(columns: &[u32], width: u32) -> Option<Self> {
        let last_start = (width as usize).checked_sub(SPAN)? as u32;
        let mut groups = Vec::with_capacity(columns.len() / LANES);
        for eight in columns.chunks_exact(LANES) {
            let first = eight[0].min(last_start);
            if eight.iter().any(|&c| c < first || c - first >= SPAN as u32 || c >= width) {
                return None;
            }
            let mut pick = [0; LANES];
            for (pick, &column) in pick.iter_mut().zip(eight) {
                *pick = (column - first) as i32;
            }
            groups.push(Group { first, pick });
        }
        Some(Self { groups })
    }

    /// How many target pixels [`swizzle_row`] writes; the rest of the row is the caller's.
    pub(crate) fn covered(&self) -> usize {
        self.groups.len() * LANES
    }
}

/// Picks source pixels of a BGRX row and writes them as RGB: the first `groups.covered()` pixels of `out`.
/// Returns how many it wrote: 0 if the processor has no AVX2.
pub(crate) fn swizzle_row(groups: &Groups, source: &[u8], out: &mut [u8]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if Kernel::detect() == Kernel::Avx2 {
        #[expect(unsafe_code, reason = "the processor was just asked whether it has AVX2")]
        unsafe {
            avx2::swizzle_row(groups, source, out);
        }
        return groups.covered();
    }
    let _ = (groups, source, out);
    0
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Groups, LANES, SPAN};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2")]
    pub(super) fn swizzle_row(groups: &Groups, source: &[u8], out: &mut [u8]) {
        const Z: i8 = -1;
        // Within each half: BGRX BGRX BGRX BGRX -> RGB RGB RGB RGB and four bytes of nothing.
        let swizzle = _mm256_setr_epi8(
            2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, Z, Z, Z, Z, //
            2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, Z, Z, Z, Z,
        );
        // The twelve bytes of each half side by side.
        let close_gap = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7);
        let seven = _mm256_set1_epi32(LANES as i32 - 1);
        for (group, out) in groups.groups.iter().zip(out.chunks_exact_mut(LANES * 3)) {
            let start = group.first as usize * 4;
            let source = &source[start..start + SPAN * 4];
            let (low, high) = source.split_at(LANES * 4);
            let pick = load(bytes_of(&group.pick));
            let low = _mm256_permutevar8x32_epi32(load(low), pick);
            let high = _mm256_permutevar8x32_epi32(load(high), pick);
            let picked = _mm256_blendv_epi8(low, high, _mm256_cmpgt_epi32(pick, seven));
            let rgb = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(picked, swizzle), close_gap);
            store24(rgb, out);
        }
    }

    fn bytes_of(pick: &[i32; LANES]) -> &[u8] {
        #[expect(unsafe_code, reason = "32 bytes of integers are 32 bytes")]
        unsafe {
            std::slice::from_raw_parts(pick.as_ptr().cast(), LANES * 4)
        }
    }

    #[target_feature(enable = "avx2")]
    fn load(bytes: &[u8]) -> __m256i {
        assert!(bytes.len() >= 32);
        #[expect(unsafe_code, reason = "32 bytes are there, and the load takes any alignment")]
        unsafe {
            _mm256_loadu_si256(bytes.as_ptr().cast())
        }
    }

    #[target_feature(enable = "avx2")]
    fn store24(value: __m256i, out: &mut [u8]) {
        assert!(out.len() >= 24);
        #[expect(unsafe_code, reason = "24 bytes are there, and the stores take any alignment")]
        unsafe {
            _mm_storeu_si128(out.as_mut_ptr().cast(), _mm256_castsi256_si128(value));
            _mm_storel_epi64(out.as_mut_ptr().add(16).cast(), _mm256_extracti128_si256::<1>(value));
        }
    }
}
