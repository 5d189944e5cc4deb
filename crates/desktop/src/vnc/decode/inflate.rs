//! One zlib stream of a connection, read a rectangle at a time.
//!
//! Decompresses into a small buffer as bytes are wanted, never ahead of the rectangle's own bytes. A stream that holds more
//! than its rectangle needs is an error, so nothing can be inflated without end.

use super::super::trouble::Trouble;
use super::super::wire::Wire;
use super::too_much;
use flate2::{Decompress, FlushDecompress, Status};

const BUFFER: usize = 32 << 10;
/// Compressed bytes that are handed over at a time.
const INPUT: usize = 16 << 10;

pub(crate) struct Inflate {
    stream: Decompress,
    input: Vec<u8>,
    /// What of `input` the stream has not taken.
    input_from: usize,
    out: Vec<u8>,
    from: usize,
}

impl Default for Inflate {
    fn default() -> Self {
        Self {
            stream: Decompress::new(true),
            input: Vec::new(),
            input_from: 0,
            out: Vec::with_capacity(BUFFER),
            from: 0,
        }
    }
}

impl Inflate {
    /// The server begins the stream anew.
    pub(crate) fn reset(&mut self) {
        self.stream.reset(true);
        self.input.clear();
        self.out.clear();
        (self.input_from, self.from) = (0, 0);
    }

    /// The next `length` compressed bytes of the connection.
    pub(crate) fn begin<'a>(&'a mut self, wire: &'a mut Wire, length: usize) -> Inflated<'a> {
        Inflated { inflate: self, wire, left: length }
    }
}

/// The uncompressed bytes of one rectangle.
pub(crate) struct Inflated<'a> {
    inflate: &'a mut Inflate,
    wire: &'a mut Wire,
    /// Compressed bytes of this rectangle that were not read from the connection yet.
    left: usize,
}

impl Inflated<'_> {
    /// Decompresses more. False if there is no more input for it.
    fn more(&mut self) -> Result<bool, Trouble> {
        let Inflate { stream, input, input_from, out, from } = &mut *self.inflate;
        out.clear();
        *from = 0;
        loop {
            if *input_from == input.len() {
                if self.left == 0 {
                    // What the stream has swallowed already may still come out.
                    let status = step(stream, &[], out)?.1;
                    return Ok(status != Status::StreamEnd && !out.is_empty());
                }
                input.clear();
                *input_from = 0;
                let bytes = self.wire.some(self.left.min(INPUT))?;
                input.extend_from_slice(bytes);
                self.left -= bytes.len();
            }
            let (taken, status) = step(stream, &input[*input_from..], out)?;
            *input_from += taken;
            if !out.is_empty() {
                return Ok(true);
            }
            if status == Status::StreamEnd || (taken == 0 && status == Status::BufError) {
                return Err(Trouble::broken("a compressed stream that ended"));
            }
        }
    }

    pub(crate) fn read(&mut self, into: &mut [u8]) -> Result<(), Trouble> {
        let mut done = 0;
        while done < into.len() {
            let there = &self.inflate.out[self.inflate.from..];
            if there.is_empty() {
                if !self.more()? {
                    return Err(Trouble::broken("a compressed rectangle that is too short"));
                }
                continue;
            }
            let n = there.len().min(into.len() - done);
            into[done..done + n].copy_from_slice(&there[..n]);
            self.inflate.from += n;
            done += n;
        }
        Ok(())
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Trouble> {
        if let Some(byte) = self.inflate.out.get(self.inflate.from) {
            self.inflate.from += 1;
            return Ok(*byte);
        }
        let mut byte = [0];
        self.read(&mut byte)?;
        Ok(byte[0])
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Trouble> {
        let mut bytes = [0; N];
        self.read(&mut bytes)?;
        Ok(bytes)
    }

    /// The rectangle has all its pixels: what is left of the input has to be the stream's own business.
    pub(crate) fn finish(mut self) -> Result<(), Trouble> {
        if self.inflate.from < self.inflate.out.len() {
            return Err(too_much("compressed pixels"));
        }
        while self.left > 0 || self.inflate.input_from < self.inflate.input.len() {
            if self.more()? {
                return Err(too_much("compressed pixels"));
            }
        }
        Ok(())
    }
}

fn step(stream: &mut Decompress, input: &[u8], out: &mut Vec<u8>) -> Result<(usize, Status), Trouble> {
    let before = stream.total_in();
    let status = stream
        .decompress_vec(input, out, FlushDecompress::Sync)
        .map_err(|why| Trouble::broken(format!("a compressed stream that is none ({why})")))?;
    Ok(((stream.total_in() - before) as usize, status))
}

/// Inflates a message of its own, at most `most` bytes.
pub(crate) fn whole(compressed: &[u8], most: usize) -> Result<Vec<u8>, Trouble> {
    let mut stream = Decompress::new(true);
    let mut out = Vec::new();
    let mut from = 0;
    loop {
        out.reserve(BUFFER);
        let (taken, status) = step(&mut stream, &compressed[from..], &mut out)?;
        from += taken;
        if out.len() > most {
            return Err(Trouble::broken(format!("a compressed text of more than {most} bytes")));
        }
        let full = out.len() == out.capacity();
        if status == Status::StreamEnd || (taken == 0 && !full) {
            return Ok(out);
        }
    }
}
