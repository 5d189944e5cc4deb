//! A zlib stream, written in one pass and tuned for screens: each block gets its own prefix code, and repeats are
//! looked for in one of two ways that the caller chooses by what the block holds.
//!
//! General compressors search longer than a turn has time, and the fastest ones use one fixed code for everything.
//! This one has no levels, keeps nothing between calls but its memory, and gives the same bytes for the same input.

use super::huffman::{self, Code, LONGEST};

/// How a block is searched for repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    /// Any earlier two pixels of the block that occur again: flat colours, text, tiles.
    Repeats,
    /// One byte over and over: what a filter leaves of smooth content. Searching more finds only chance repeats.
    Runs,
}

/// Literals, end of block and lengths.
const SYMBOLS: usize = 286;
const DISTANCES: usize = 30;
const END_OF_BLOCK: usize = 256;
const LONGEST_MATCH: u32 = 258;
const WINDOW: usize = 1 << 15;
const HASH_BITS: u32 = 14;
/// Shortest repeat worth its bits: two pixels.
const SHORTEST_REPEAT: usize = 6;
/// Order in which the lengths of the code of code lengths are written.
const HEADER_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// `literals` bytes as they are, then `length` bytes as they were `distance` bytes before. The length may exceed what
/// deflate can say at once.
#[derive(Debug, Clone, Copy)]
struct Step {
    literals: u32,
    length: u32,
    distance: u32,
}

/// Working memory, kept from picture to picture.
#[derive(Debug)]
pub(super) struct Searcher {
    /// For each hash, where in the block it was last seen, counted from `base`. Older entries are before the block.
    seen: Vec<u32>,
    base: u32,
    steps: Vec<Step>,
}

impl Searcher {
    pub(super) fn new() -> Self {
        Self { seen: vec![0; 1 << HASH_BITS], base: 1, steps: Vec::new() }
    }

    /// Fills `steps`; returns the number of literals after the last one.
    fn search(&mut self, data: &[u8], search: Search) -> usize {
        self.steps.clear();
        match search {
            Search::Repeats => self.repeats(data),
            Search::Runs => self.runs(data),
        }
    }

    fn repeats(&mut self, data: &[u8]) -> usize {
        if self.base > u32::MAX / 2 {
            self.seen.fill(0);
            self.base = 1;
        }
        let base = self.base;
        self.base += data.len() as u32;
        let (mut at, mut done) = (0, 0);
        while let Some(next) = six_bytes(data, at) {
            let slot = &mut self.seen[hash(next)];
            let before = slot.checked_sub(base).map(|before| before as usize);
            *slot = base + at as u32;
            let before = before.filter(|&b| b < at && at - b <= WINDOW && six_bytes(data, b) == Some(next));
            let Some(before) = before else {
                // The longer nothing was found, the coarser the search. What it steps over is found backwards.
                at += 1 + ((at - done) >> 6);
                continue;
            };
            at = self.take(data, done, at, before, SHORTEST_REPEAT);
            done = at;
            if let Some(end) = six_bytes(data, at - 3) {
                self.seen[hash(end)] = base + at as u32 - 3;
            }
        }
        data.len() - done
    }

    fn runs(&mut self, data: &[u8]) -> usize {
        let (mut at, mut done) = (1, 0);
        while let Some(next) = eight_bytes(data, at) {
            if eight_bytes(data, at - 1) == Some(next) {
                at = self.take(data, done, at, at - 1, 8);
                done = at;
            }
            at += 8;
        }
        data.len() - done
    }

    /// Notes the repeat at `at` of what is at `before`, of which `known` bytes are known to be equal, made as long as
    /// it goes in both directions. Returns where it ends.
    fn take(&mut self, data: &[u8], done: usize, at: usize, before: usize, known: usize) -> usize {
        let end = at + known + equal_prefix(&data[at + known..], &data[before + known..]);
        let back =
            data[done..at].iter().rev().zip(data[..before].iter().rev()).take_while(|(a, b)| a == b).count();
        let start = at - back;
        self.steps.push(Step {
            literals: (start - done) as u32,
            length: (end - start) as u32,
            distance: (at - before) as u32,
        });
        end
    }

    /// How many bits `data` would take as one block, roughly and without its header. Writes nothing.
    pub(super) fn estimate(&mut self, data: &[u8], search: Search) -> u64 {
        let tail = self.search(data, search);
        let counts = Counts::of(data, &self.steps, tail);
        counts.extra_bits + entropy(&counts.symbols) + entropy(&counts.distances)
    }
}

fn eight_bytes(data: &[u8], at: usize) -> Option<u64> {
    data.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// The next two pixels; `None` if less than eight bytes are left.
fn six_bytes(data: &[u8], at: usize) -> Option<u64> {
    eight_bytes(data, at).map(|bytes| bytes << 16)
}

fn hash(six_bytes: u64) -> usize {
    (six_bytes.wrapping_mul(0x9E37_79B1_85EB_CA87) >> (64 - HASH_BITS)) as usize
}

fn equal_prefix(a: &[u8], b: &[u8]) -> usize {
    let mut equal = 0;
    for (a, b) in a.as_chunks().0.iter().zip(b.as_chunks().0) {
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differ != 0 {
            return equal + differ.trailing_zeros() as usize / 8;
        }
        equal += 8;
    }
    equal + a[equal..].iter().zip(&b[equal..]).take_while(|(a, b)| a == b).count()
}

/// Bits that the symbols take at least, each one a whole bit: an integer estimate, equal on every machine.
fn entropy(counts: &[u32]) -> u64 {
    /// log2 in 1/256 bits, straight between the powers of two.
    fn log2(value: u32) -> u64 {
        let whole = value.ilog2();
        u64::from(whole) * 256 + (((u64::from(value) << 8) >> whole) & 255)
    }
    let total: u32 = counts.iter().sum();
    let bits: u64 = counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| u64::from(count) * (log2(total).saturating_sub(log2(count))).max(256))
        .sum();
    bits / 256
}

/// How often each symbol of a block occurs.
struct Counts {
    symbols: [u32; SYMBOLS],
    distances: [u32; DISTANCES],
    extra_bits: u64,
}

impl Counts {
    fn of(data: &[u8], steps: &[Step], tail: usize) -> Self {
        let mut counts = Self { symbols: [0; SYMBOLS], distances: [0; DISTANCES], extra_bits: 0 };
        // Four tables, so that equal neighbours do not wait for each other.
        let mut literals = [[0u32; 256]; 4];
        let mut count = |bytes: &[u8]| {
            let (fours, rest) = bytes.as_chunks::<4>();
            for four in fours {
                for (table, &byte) in literals.iter_mut().zip(four) {
                    table[usize::from(byte)] += 1;
                }
            }
            for &byte in rest {
                literals[0][usize::from(byte)] += 1;
            }
        };
        let mut at = 0;
        for step in steps {
            count(&data[at..at + step.literals as usize]);
            at += (step.literals + step.length) as usize;
            let distance = distance_symbol(step.distance);
            for piece in pieces(step.length) {
                let length = length_symbol(piece);
                counts.symbols[length.symbol] += 1;
                counts.distances[distance.symbol] += 1;
                counts.extra_bits += u64::from(length.extra_len + distance.extra_len);
            }
        }
        count(&data[at..at + tail]);
        for (byte, symbol) in counts.symbols[..256].iter_mut().enumerate() {
            *symbol = literals.iter().map(|table| table[byte]).sum();
        }
        counts.symbols[END_OF_BLOCK] = 1;
        counts
    }
}

/// A length or a distance as deflate says it: a symbol, and the low bits after it.
struct Spoken {
    symbol: usize,
    extra: u32,
    extra_len: u32,
}

/// `length` is 3 to 258.
#[inline(always)]
fn length_symbol(length: u32) -> Spoken {
    if length == LONGEST_MATCH {
        return Spoken { symbol: 285, extra: 0, extra_len: 0 };
    }
    let value = length - 3;
    let extra_len = (value | 7).ilog2() - 2;
    let symbol = (257 + 4 * extra_len + (value >> extra_len)) as usize;
    Spoken { symbol, extra: value & ((1 << extra_len) - 1), extra_len }
}

/// `distance` is 1 to 32768.
#[inline(always)]
fn distance_symbol(distance: u32) -> Spoken {
    let value = distance - 1;
    let extra_len = (value | 3).ilog2() - 1;
    let symbol = (2 * extra_len + (value >> extra_len)) as usize;
    Spoken { symbol, extra: value & ((1 << extra_len) - 1), extra_len }
}

/// A length in pieces that deflate can say: 3 to 258 each.
#[inline(always)]
fn pieces(length: u32) -> impl Iterator<Item = u32> {
    let mut left = length;
    std::iter::from_fn(move || {
        let piece = match left {
            0 => return None,
            1..=LONGEST_MATCH => left,
            // Not so much that less than three bytes remain.
            259 | 260 => 255,
            _ => LONGEST_MATCH,
        };
        left -= piece;
        Some(piece)
    })
}

/// Writes bits, lowest first, to the end of a vector.
pub(super) struct BitWriter {
    out: Vec<u8>,
    at: usize,
    buffer: u64,
    filled: u32,
}

impl BitWriter {
    pub(super) fn at_end_of(out: Vec<u8>) -> Self {
        Self { at: out.len(), out, buffer: 0, filled: 0 }
    }

    /// Makes room for so many bits more.
    fn reserve(&mut self, bits: u64) {
        self.out.resize(self.at + bits as usize / 8 + 16, 0);
    }

    /// At most 57 bits between two flushes.
    #[inline(always)]
    fn put(&mut self, bits: u64, len: u32) {
        self.buffer |= bits << self.filled;
        self.filled += len;
    }

    #[inline(always)]
    fn code(&mut self, code: Code) {
        self.put(u64::from(code.bits), u32::from(code.len));
    }

    #[inline(always)]
    fn flush(&mut self) {
        self.out[self.at..self.at + 8].copy_from_slice(&self.buffer.to_le_bytes());
        self.at += (self.filled / 8) as usize;
        self.buffer >>= self.filled & !7;
        self.filled &= 7;
    }

    /// Fills the last byte with zeros and gives the vector back.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.reserve(64);
        self.flush();
        self.out.truncate(self.at + usize::from(self.filled > 0));
        self.out
    }
}

/// Appends `data`, which must not be empty, as one block with a prefix code of its own.
pub(super) fn write_block(
    searcher: &mut Searcher,
    data: &[u8],
    search: Search,
    last: bool,
    to: &mut BitWriter,
) {
    let tail = searcher.search(data, search);
    let counts = Counts::of(data, &searcher.steps, tail);
    let mut distance_lengths = huffman::lengths(&counts.distances, LONGEST);
    if distance_lengths.iter().all(|&len| len == 0) {
        // A block without repeats still has to name one distance code.
        distance_lengths[0] = 1;
    }
    let symbol_lengths = huffman::lengths(&counts.symbols, LONGEST);
    to.reserve(size(&counts, &symbol_lengths, &distance_lengths));
    write_header(&symbol_lengths, &distance_lengths, last, to);

    let symbols = huffman::codes(&symbol_lengths);
    let distances = huffman::codes(&distance_lengths);
    let mut at = 0;
    for step in &searcher.steps {
        write_literals(&data[at..at + step.literals as usize], &symbols, to);
        at += (step.literals + step.length) as usize;
        let distance = distance_symbol(step.distance);
        for piece in pieces(step.length) {
            let length = length_symbol(piece);
            to.code(symbols[length.symbol]);
            to.put(u64::from(length.extra), length.extra_len);
            to.code(distances[distance.symbol]);
            to.put(u64::from(distance.extra), distance.extra_len);
            to.flush();
        }
    }
    write_literals(&data[at..at + tail], &symbols, to);
    to.code(symbols[END_OF_BLOCK]);
    to.flush();
}

/// Bits of a block, its header at most.
fn size(counts: &Counts, symbols: &[u8], distances: &[u8]) -> u64 {
    const HEADER: u64 = 3 + 14 + 19 * 3 + (SYMBOLS + DISTANCES) as u64 * 7;
    let bits = |counts: &[u32], lengths: &[u8]| -> u64 {
        counts.iter().zip(lengths).map(|(&count, &len)| u64::from(count) * u64::from(len)).sum()
    };
    HEADER + counts.extra_bits + bits(&counts.symbols, symbols) + bits(&counts.distances, distances)
}

/// The block's two codes, by the lengths of all their symbols (RFC 1951, section 3.2.7). Runs of equal lengths are
/// not shortened: it would save some sixty bytes a block.
fn write_header(symbols: &[u8; SYMBOLS], distances: &[u8; DISTANCES], last: bool, to: &mut BitWriter) {
    const DYNAMIC: u64 = 2;
    let mut counts = [0; 19];
    for &len in symbols.iter().chain(distances) {
        counts[usize::from(len)] += 1;
    }
    let lengths = huffman::lengths(&counts, 7);
    let codes = huffman::codes(&lengths);
    to.put(u64::from(last), 1);
    to.put(DYNAMIC, 2);
    to.put((SYMBOLS - 257) as u64, 5);
    to.put((DISTANCES - 1) as u64, 5);
    to.put((HEADER_ORDER.len() - 4) as u64, 4);
    for at in HEADER_ORDER {
        to.flush();
        to.put(u64::from(lengths[at]), 3);
    }
    for &len in symbols.iter().chain(distances) {
        to.flush();
        to.code(codes[usize::from(len)]);
    }
    to.flush();
}

#[inline(always)]
fn write_literals(bytes: &[u8], codes: &[Code; SYMBOLS], to: &mut BitWriter) {
    let (fours, rest) = bytes.as_chunks::<4>();
    for four in fours {
        let [a, b, c, d] = four.map(|byte| codes[usize::from(byte)]);
        let pair = |a: Code, b: Code| {
            (u64::from(a.bits) | u64::from(b.bits) << a.len, u32::from(a.len) + u32::from(b.len))
        };
        let ((first, first_len), (second, second_len)) = (pair(a, b), pair(c, d));
        to.put(first | second << first_len, first_len + second_len);
        to.flush();
    }
    for &byte in rest {
        to.code(codes[usize::from(byte)]);
    }
    to.flush();
}

#[cfg(test)]
mod tests;
