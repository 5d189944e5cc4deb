//! Pages, cells and records of an SQLite file, read strictly.
//!
//! A journal is only ever appended to, so its pages have one shape: no free blocks, no fragments, nothing but zeros between
//! the cells, every integer in its shortest form. Whatever differs is damage. This module refuses to be lenient; finding
//! rows in damaged pages is [`crate::salvage`]'s work.

/// Bytes of a page; the journal knows no other size.
pub(crate) const PAGE: usize = 4096;
pub(crate) type Page = [u8; PAGE];

/// Most and fewest payload bytes that stay on the page of a table's leaf; the rest goes to overflow pages.
const MAX_LOCAL: usize = PAGE - 35;
const MIN_LOCAL: usize = (PAGE - 12) * 32 / 255 - 23;
/// Payload bytes of an overflow page.
pub(crate) const OVERFLOW: usize = PAGE - 4;
/// No row is longer; a longer length is damage.
pub(crate) const MAX_PAYLOAD: u64 = 64 << 20;

/// What is wrong, in words.
pub(crate) type Fault = &'static str;

pub(crate) fn be16(page: &[u8], at: usize) -> usize {
    page.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| usize::from(u16::from_be_bytes(*b)))
}

pub(crate) use crate::wal::be32;

/// A variable-length integer and its length: up to nine bytes, seven bits each, the ninth eight.
pub(crate) fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (i, byte) in bytes.iter().take(8).enumerate() {
        value = value << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, i + 1));
        }
    }
    bytes.get(8).map(|last| (value << 8 | u64::from(*last), 9))
}

/// How many bytes a canonical varint takes.
pub(crate) const fn varint_len(value: u64) -> usize {
    match value {
        0..=0x7f => 1,
        0x80..=0x3fff => 2,
        0x4000..=0x1f_ffff => 3,
        0x20_0000..=0xfff_ffff => 4,
        0x1000_0000..=0x7_ffff_ffff => 5,
        0x8_0000_0000..=0x3ff_ffff_ffff => 6,
        0x400_0000_0000..=0x1_ffff_ffff_ffff => 7,
        0x2_0000_0000_0000..=0xff_ffff_ffff_ffff => 8,
        _ => 9,
    }
}

/// A varint in its shortest form.
fn short_varint(bytes: &[u8]) -> Option<(u64, usize)> {
    varint(bytes).filter(|(value, len)| varint_len(*value) == *len)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageKind {
    Leaf,
    Interior,
}

/// The header of a tree page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    pub(crate) kind: PageKind,
    /// 100 on page 1, behind the file's header, else 0.
    at: usize,
    pub(crate) cells: usize,
    content: usize,
    /// An interior page's last child.
    pub(crate) last_child: u32,
    /// Free blocks or fragments: only interior pages that were rebalanced have any.
    worn: bool,
}

impl Head {
    pub(crate) fn read(page: &Page, number: u32) -> Result<Self, Fault> {
        let at = if number == 1 { 100 } else { 0 };
        let kind = match page[at] {
            13 => PageKind::Leaf,
            5 => PageKind::Interior,
            _ => return Err("it is no page of a table"),
        };
        let cells = be16(page, at + 3);
        let content = match be16(page, at + 5) {
            0 => 65_536,
            content => content,
        };
        let head = Self {
            kind,
            at,
            cells,
            content,
            last_child: if kind == PageKind::Interior { be32(page, at + 8) } else { 0 },
            worn: be16(page, at + 1) != 0 || page[at + 7] != 0,
        };
        if head.pointers_end() > PAGE || content > PAGE || head.pointers_end() > content {
            return Err("its header names more cells than it has room for");
        }
        Ok(head)
    }

    fn pointers_end(&self) -> usize {
        let header = if self.kind == PageKind::Interior { 12 } else { 8 };
        self.at + header + 2 * self.cells
    }

    /// Where cell `index` begins.
    pub(crate) fn pointer(&self, page: &Page, index: usize) -> usize {
        be16(page, self.pointers_end() - 2 * (self.cells - index))
    }

    /// Checks that nothing but cells and zeros is on the page. `extents` holds where each cell begins and ends.
    ///
    /// An interior page that was split keeps old bytes between its cells, which nothing reads: with `lenient`, only
    /// overlaps are faults.
    pub(crate) fn check_gaps(
        &self,
        page: &Page,
        extents: &mut [(usize, usize)],
        lenient: bool,
    ) -> Result<(), Fault> {
        // Rows are appended, so cells lie from the end of the page downwards and this is nearly sorted already.
        extents.sort_unstable_by(|a, b| b.cmp(a));
        let mut above = PAGE;
        for (start, end) in extents.iter() {
            if *end > above {
                return Err("two of its cells overlap");
            }
            if !lenient && !is_zero(&page[*end..above]) {
                return Err("a byte between its cells is not zero");
            }
            above = *start;
        }
        if self.pointers_end() > above {
            return Err("a cell lies on its header");
        }
        if lenient {
            return Ok(());
        }
        if self.worn {
            return Err("it claims freed space, but nothing is ever freed");
        }
        if self.content != above {
            return Err("its content does not begin where its header says");
        }
        if !is_zero(&page[self.pointers_end()..above]) {
            return Err("a byte of its unused part is not zero");
        }
        Ok(())
    }
}

/// True if all of at most a page of bytes are zero. Compares with a constant: fast without optimisation too.
pub(crate) fn is_zero(bytes: &[u8]) -> bool {
    const ZEROS: Page = [0; PAGE];
    bytes == &ZEROS[..bytes.len()]
}

/// A cell of a leaf.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeafCell<'a> {
    pub(crate) rowid: u64,
    /// Bytes of the whole payload.
    pub(crate) len: usize,
    /// What of it is on this page.
    pub(crate) local: &'a [u8],
    /// The first overflow page, if the payload goes on there.
    pub(crate) overflow: Option<u32>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl<'a> LeafCell<'a> {
    pub(crate) fn read(page: &'a [u8], start: usize) -> Result<Self, Fault> {
        const SHORT: Fault = "a cell runs over the end of the page";
        let rest = page.get(start..).ok_or(SHORT)?;
        let (len, a) = short_varint(rest).ok_or(SHORT)?;
        let (rowid, b) = short_varint(&rest[a..]).ok_or(SHORT)?;
        if len > MAX_PAYLOAD || rowid > i64::MAX as u64 {
            return Err("a cell has an impossible length");
        }
        let len = len as usize;
        let local = local_len(len);
        let body = a + b;
        let payload = rest.get(body..body + local).ok_or(SHORT)?;
        let spills = local < len;
        let end = body + local + if spills { 4 } else { 0 };
        if rest.len() < end {
            return Err(SHORT);
        }
        let overflow = spills.then(|| be32(rest, body + local));
        Ok(Self { rowid, len, local: payload, overflow, start, end: start + end })
    }
}

const fn local_len(len: usize) -> usize {
    if len <= MAX_LOCAL {
        return len;
    }
    let some = MIN_LOCAL + (len - MIN_LOCAL) % OVERFLOW;
    if some <= MAX_LOCAL { some } else { MIN_LOCAL }
}

/// A cell of an interior page: the child, the largest rowid in it, and where the cell ends.
pub(crate) fn interior_cell(page: &Page, start: usize) -> Result<(u32, u64, usize), Fault> {
    const SHORT: Fault = "a cell runs over the end of the page";
    let key = page.get(start + 4..).ok_or(SHORT)?;
    let (rowid, len) = short_varint(key).ok_or(SHORT)?;
    Ok((be32(page, start), rowid, start + 4 + len))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Null,
    Int(i64),
    Text(&'a str),
    Blob(&'a [u8]),
}

/// Reads a record of exactly `N` columns in the one form SQLite writes.
pub(crate) fn record<const N: usize>(payload: &[u8]) -> Result<[Value<'_>; N], Fault> {
    const SHORT: Fault = "a record is shorter than it says";
    let (header, mut at) = short_varint(payload).ok_or(SHORT)?;
    let header = header as usize;
    let mut body = header;
    let mut values = [Value::Null; N];
    for value in &mut values {
        let types = payload.get(at..header).ok_or(SHORT)?;
        let (code, len) = short_varint(types).ok_or("a record has fewer columns than its table")?;
        at += len;
        let size = match code {
            0 | 8 | 9 => 0,
            1..=4 => code as usize,
            5 => 6,
            6 => 8,
            12.. => (code - 12) as usize / 2,
            _ => return Err("a record holds a type that no journal has"),
        };
        let bytes = body.checked_add(size).and_then(|end| payload.get(body..end)).ok_or(SHORT)?;
        body += size;
        *value = match code {
            0 => Value::Null,
            1..=9 => Value::Int(integer(code, bytes).ok_or("an integer is not in its shortest form")?),
            _ if code % 2 == 0 => Value::Blob(bytes),
            _ => Value::Text(std::str::from_utf8(bytes).map_err(|_| "a text is no UTF-8")?),
        };
    }
    if at != header || body != payload.len() {
        return Err("a record is longer than its columns");
    }
    Ok(values)
}

/// `None` unless `code` is the shortest type for the value.
fn integer(code: u64, bytes: &[u8]) -> Option<i64> {
    let value = match code {
        8 => return Some(0),
        9 => return Some(1),
        _ => {
            let sign = if bytes[0] & 0x80 == 0 { 0 } else { 0xff };
            let mut wide = [sign; 8];
            wide[8 - bytes.len()..].copy_from_slice(bytes);
            i64::from_be_bytes(wide)
        }
    };
    let shortest = match value {
        0 => 8,
        1 => 9,
        -0x80..=0x7f => 1,
        -0x8000..=0x7fff => 2,
        -0x80_0000..=0x7f_ffff => 3,
        -0x8000_0000..=0x7fff_ffff => 4,
        -0x8000_0000_0000..=0x7fff_ffff_ffff => 5,
        _ => 6,
    };
    (shortest == code).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn put_varint(value: u64) -> Vec<u8> {
        if value >= 1 << 56 {
            let mut bytes: Vec<u8> = (0..8).map(|i| (value >> (8 + 7 * (7 - i))) as u8 | 0x80).collect();
            bytes.push(value as u8);
            return bytes;
        }
        let len = varint_len(value);
        (0..len)
            .map(|i| (value >> (7 * (len - 1 - i))) as u8 & 0x7f | if i + 1 < len { 0x80 } else { 0 })
            .collect()
    }

    proptest! {
        #[test]
        fn varints_read_back(value: u64, small in 0_u64..100_000) {
            for value in [value, small] {
                let bytes = put_varint(value);
                prop_assert_eq!(short_varint(&bytes), Some((value, bytes.len())));
                prop_assert_eq!(varint(&bytes[..bytes.len() - 1]), None);
            }
        }

        #[test]
        fn nothing_panics_on_noise(noise in proptest::collection::vec(any::<u8>(), PAGE), start in 0..PAGE) {
            let page: &Page = noise.first_chunk().unwrap();
            let _ = LeafCell::read(page, start).map(|cell| record::<7>(cell.local).map(|_| ()));
            let _ = interior_cell(page, start);
            if let Ok(head) = Head::read(page, 2) {
                (0..head.cells).for_each(|i| { head.pointer(page, i); });
            }
        }
    }

    #[test]
    fn payloads_are_split_as_the_format_says() {
        assert_eq!(local_len(4061), 4061);
        // 489 + (4062 - 489) % 4092 would be too much for the page.
        assert_eq!(local_len(4062), MIN_LOCAL);
        assert_eq!(local_len(5000), 489 + (5000 - 489) % 4092);
        assert_eq!(MIN_LOCAL, 489);
        assert!((1..100_000).all(|len| local_len(len) <= MAX_LOCAL));
    }
}
