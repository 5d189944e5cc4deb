//! Prefix codes for deflate: from how often each symbol occurs to the bits that stand for it.

/// Longest code this encoder uses for literals and distances. Deflate allows 15; with 14, four literals fit into the
/// 57 bits that are free in the bit buffer.
pub(super) const LONGEST: usize = 14;

/// The bits of one symbol, lowest first, and how many there are (0 = the symbol does not occur).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Code {
    pub(super) bits: u16,
    pub(super) len: u8,
}

/// Code lengths for the given counts, none above `longest`. Symbols that do not occur get 0. One symbol alone gets 1.
///
/// `2^longest` must not be below the number of symbols.
pub(super) fn lengths<const N: usize>(counts: &[u32; N], longest: usize) -> [u8; N] {
    let mut lengths = [0; N];
    let mut order = [(0u32, 0u16); N];
    let mut used = 0;
    for (symbol, &count) in (0..).zip(counts) {
        if count > 0 {
            order[used] = (count, symbol);
            used += 1;
        }
    }
    let order = &mut order[..used];
    order.sort_unstable();
    let mut per_length = depths(order);
    limit(&mut per_length, longest);
    // The rarest symbols get the longest codes.
    let mut next = order.iter();
    for length in (1..=longest).rev() {
        for &(_, symbol) in next.by_ref().take(per_length[length] as usize) {
            lengths[usize::from(symbol)] = length as u8;
        }
    }
    lengths
}

/// How many leaves each depth of the Huffman tree has, by the two queues of sorted leaves and of inner nodes.
/// A tree over counts that fit into 32 bits is less than 48 deep.
fn depths(order: &[(u32, u16)]) -> [u32; 48] {
    let mut per_depth = [0; 48];
    let n = order.len();
    if n < 2 {
        per_depth[1] = n as u32;
        return per_depth;
    }
    const MAX: usize = 288;
    let mut weight = [0u64; MAX];
    let mut parent = [0u16; MAX];
    let (mut leaf, mut inner) = (0, 0);
    let mut leaf_parent = [0u16; MAX];
    for made in 0..n - 1 {
        for _ in 0..2 {
            let leaf_is_less = leaf < n && (inner >= made || u64::from(order[leaf].0) <= weight[inner]);
            if leaf_is_less {
                weight[made] += u64::from(order[leaf].0);
                leaf_parent[leaf] = made as u16;
                leaf += 1;
            } else {
                weight[made] += weight[inner];
                parent[inner] = made as u16;
                inner += 1;
            }
        }
    }
    let root = n - 2;
    let mut depth = [0u8; MAX];
    for node in (0..root).rev() {
        depth[node] = depth[usize::from(parent[node])] + 1;
    }
    for &parent in &leaf_parent[..n] {
        per_depth[usize::from(depth[usize::from(parent)]) + 1] += 1;
    }
    per_depth
}

/// Moves leaves that lie too deep up to `longest`, and pays for it with the deepest leaves above, until the code is
/// complete again.
fn limit(per_length: &mut [u32; 48], longest: usize) {
    let too_deep: u32 = per_length[longest + 1..].iter().sum();
    if too_deep == 0 {
        return;
    }
    per_length[longest + 1..].fill(0);
    per_length[longest] += too_deep;
    let mut room: u32 = (1..=longest).map(|l| per_length[l] << (longest - l)).sum();
    while room > 1 << longest {
        per_length[longest] -= 1;
        if let Some(l) = (1..longest).rev().find(|&l| per_length[l] > 0) {
            per_length[l] -= 1;
            per_length[l + 1] += 2;
        }
        room -= 1;
    }
}

/// The canonical codes of RFC 1951, section 3.2.2, with their bits in the order they are written.
pub(super) fn codes<const N: usize>(lengths: &[u8; N]) -> [Code; N] {
    let mut next = [0u16; 17];
    for &len in lengths.iter().filter(|&&len| len > 0) {
        next[usize::from(len) + 1] += 1;
    }
    for len in 1..17 {
        next[len] = (next[len] + next[len - 1]) << 1;
    }
    // `next[len]` is now the first code of that length: the codes one shorter, all counted, times two.
    lengths.map(|len| {
        if len == 0 {
            return Code::default();
        }
        let code = next[usize::from(len)];
        next[usize::from(len)] += 1;
        Code { bits: code.reverse_bits() >> (16 - len), len }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// 2^longest for a code that leaves no bit pattern unused, more for one that cannot be decoded.
    fn kraft(lengths: &[u8], longest: usize) -> u64 {
        lengths.iter().filter(|&&l| l > 0).map(|&l| 1u64 << (longest - usize::from(l))).sum()
    }

    #[test]
    fn common_symbols_get_short_codes() {
        assert_eq!(lengths(&[8, 1, 4, 0, 2], LONGEST), [1, 3, 2, 0, 3]);
        assert_eq!(lengths(&[0, 0, 7], LONGEST), [0, 0, 1]);
        assert_eq!(lengths(&[0; 5], LONGEST), [0; 5]);
        assert_eq!(lengths(&[1; 4], LONGEST), [2; 4]);
    }

    #[test]
    fn codes_are_canonical() {
        // The example of RFC 1951, section 3.2.2.
        let codes = codes(&[3, 3, 3, 3, 3, 2, 4, 4]);
        let written: Vec<String> = codes
            .iter()
            .map(|c| {
                format!("{:0width$b}", c.bits.reverse_bits() >> (16 - c.len), width = usize::from(c.len))
            })
            .collect();
        assert_eq!(written, ["010", "011", "100", "101", "110", "00", "1110", "1111"]);
    }

    #[test]
    fn a_skewed_tree_is_cut_to_the_limit() {
        let mut counts = [0u32; 40];
        let (mut a, mut b) = (1u32, 1u32);
        for count in &mut counts {
            *count = a;
            (a, b) = (b, a + b);
        }
        let fibonacci = lengths(&counts, LONGEST);
        assert_eq!(fibonacci.iter().max(), Some(&(LONGEST as u8)));
        assert_eq!(kraft(&fibonacci, LONGEST), 1 << LONGEST);
        let seven = lengths(&counts, 7);
        assert_eq!((seven.iter().max(), kraft(&seven, 7)), (Some(&7), 1 << 7));
    }

    #[test]
    fn every_code_is_complete() {
        let mut random = Random::new(1952);
        for case in 0..2000u32 {
            let mut counts = [0u32; 32];
            for count in &mut counts {
                *count = random.size(0, 1 << (case % 17)) >> random.size(0, 8);
            }
            counts[3] = 1 << (case % 28);
            let lengths = lengths(&counts, 9);
            assert!(counts.iter().zip(lengths).all(|(&count, length)| (count > 0) == (length > 0)));
            let used = counts.iter().filter(|&&c| c > 0).count();
            assert_eq!(kraft(&lengths, 9), if used > 1 { 512 } else { 256 }, "{counts:?}");
        }
    }
}
