//! Just enough gzip to pack a reply and to build a bomb, without a library that might share a fault with the product's.

/// `bytes` in a gzip of stored blocks: valid, and not smaller.
pub(super) fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = header();
    let mut blocks = bytes.chunks(0xffff).peekable();
    if blocks.peek().is_none() {
        out.extend_from_slice(&[1, 0, 0, 0xff, 0xff]);
    }
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        out.push(u8::from(blocks.peek().is_none()));
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(block);
    }
    out.extend_from_slice(&crc32(bytes).to_le_bytes());
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out
}

/// A gzip that unpacks to about `bytes` spaces from a 159th of them.
pub(super) fn bomb(bytes: u64) -> Vec<u8> {
    let mut out = header();
    let mut bits = Bits { out: &mut out, byte: 0, used: 0 };
    bits.push(0b011, 3); // the last block, with the fixed codes
    bits.code(0x30 + u32::from(b' '), 8); // one space
    for _ in 0..bytes / 258 {
        bits.code(0b1100_0101, 8); // length 258 ...
        bits.code(0, 5); // ... from one byte back
    }
    bits.code(0, 7);
    bits.end();
    out.extend_from_slice(&[0; 8]);
    out
}

fn header() -> Vec<u8> {
    vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
}

struct Bits<'a> {
    out: &'a mut Vec<u8>,
    byte: u8,
    used: u32,
}

impl Bits<'_> {
    /// Numbers go in from their lowest bit.
    fn push(&mut self, value: u32, count: u32) {
        for i in 0..count {
            self.byte |= (((value >> i) & 1) as u8) << self.used;
            self.used += 1;
            if self.used == 8 {
                self.end();
            }
        }
    }

    /// Codes go in from their highest bit.
    fn code(&mut self, value: u32, count: u32) {
        for i in (0..count).rev() {
            self.push(value >> i, 1);
        }
    }

    fn end(&mut self) {
        if self.used > 0 {
            self.out.push(self.byte);
        }
        (self.byte, self.used) = (0, 0);
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, b| {
        (0..8).fold(crc ^ u32::from(*b), |c, _| if c & 1 == 1 { (c >> 1) ^ 0xedb8_8320 } else { c >> 1 })
    })
}
