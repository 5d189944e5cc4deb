//! Seeded numbers: whatever a world draws by lot comes from here, so that a seed is the whole world.

use serde::{Deserialize, Serialize};

/// SplitMix64. Part of a world's state: saved and loaded with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Random(u64);

impl Random {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Its own sequence for one purpose, so that a purpose that draws more does not change the others.
    pub fn of(seed: u64, purpose: &str) -> Self {
        let hash = purpose.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut random = Self(seed ^ hash);
        random.next();
        random
    }

    /// The next 64 bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// 0 to `n - 1`; 0 for an `n` of 0.
    pub const fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }

    /// Both ends included.
    pub const fn range(&mut self, from: i32, to: i32) -> i32 {
        if to <= from { from } else { from + self.below((to - from + 1) as usize) as i32 }
    }

    pub const fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }

    /// `None` of an empty list.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    /// In any order, each as likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}
