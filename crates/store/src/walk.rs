//! Walks the tables of a journal page by page and checks every byte of them.
//!
//! SQLite's own `integrity_check` looks at the structure and not at unused bytes, page headers or keys that still sort; a
//! journal that is only appended to can be held to more. This module refuses to repair: it names what is wrong and goes on.

use crate::page::{self, Fault, Head, LeafCell, OVERFLOW, Page, PageKind, Value};
use crate::pages::Pages;
use crate::report::Damage;
use crate::row::{Kind, Row, Sum, checksum};

/// Where a sound row is, to read it again later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    page: u32,
    cell: u16,
}

/// Takes a cell: its rowid, its payload, its place.
type Visit<'v> = dyn FnMut(u64, &[u8], Place) -> Result<(), Fault> + 'v;

/// More is not named one by one; the journal is rebuilt from its rows anyway.
const MOST_DAMAGE: usize = 200;

pub(crate) struct Walk<'a> {
    pages: &'a mut Pages,
    /// Which pages belong to a table, to find those that belong to none or to two.
    seen: Vec<bool>,
    pub(crate) damage: Vec<Damage>,
    extents: Vec<(usize, usize)>,
    /// Payloads that go on behind their page.
    spilled: Vec<u8>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(pages: &'a mut Pages) -> Self {
        let count = pages.count() as usize;
        Self {
            pages,
            seen: vec![false; count + 1],
            damage: Vec::new(),
            extents: Vec::new(),
            spilled: Vec::new(),
        }
    }

    fn fault(&mut self, page: u32, what: impl std::fmt::Display) {
        if self.damage.len() < MOST_DAMAGE {
            self.damage.push(self.pages.damage(page, what));
        }
    }

    /// Reads a page that must not have been read before.
    fn enter(&mut self, number: u32, page: &mut Page) -> Result<(), Fault> {
        match self.seen.get_mut(number as usize) {
            _ if number == 0 => return Err("a table goes on at page 0"),
            None => return Err("a table goes on behind the end of the file"),
            Some(true) => return Err("two places of the tables claim this page"),
            Some(seen) => *seen = true,
        }
        self.pages.read(number, page)
    }

    /// Calls `visit` for every cell of the table at `root` in order of rowid.
    pub(crate) fn table(&mut self, root: u32, visit: &mut Visit<'_>) {
        let deep = self.is_deep(root);
        self.subtree(root, deep, 0, visit);
    }

    /// True if the children of `root` are themselves interior.
    fn is_deep(&mut self, root: u32) -> bool {
        let mut page = [0; page::PAGE];
        let mut child_kind = |number| -> Option<(PageKind, u32)> {
            self.pages.read(number, &mut page).ok()?;
            Head::read(&page, number).ok().map(|h| (h.kind, h.last_child))
        };
        child_kind(root).is_some_and(|(kind, child)| {
            kind == PageKind::Interior && matches!(child_kind(child), Some((PageKind::Interior, _)))
        })
    }

    /// The largest rowid below `number`.
    fn subtree(&mut self, number: u32, deep: bool, depth: u32, visit: &mut Visit<'_>) -> Option<u64> {
        let mut page = [0; page::PAGE];
        let head = match self.enter(number, &mut page).and_then(|()| Head::read(&page, number)) {
            Ok(head) => head,
            Err(why) => {
                self.fault(number, why);
                return None;
            }
        };
        if depth > 8 {
            self.fault(number, "the table is deeper than any journal");
            return None;
        }
        match head.kind {
            PageKind::Leaf => self.leaf(number, &page, &head, visit),
            PageKind::Interior => self.interior(number, &page, &head, deep, depth, visit),
        }
    }

    fn interior(
        &mut self,
        number: u32,
        page: &Page,
        head: &Head,
        deep: bool,
        depth: u32,
        visit: &mut Visit<'_>,
    ) -> Option<u64> {
        let mut children = Vec::with_capacity(head.cells + 1);
        self.extents.clear();
        for index in 0..head.cells {
            let start = head.pointer(page, index);
            match page::interior_cell(page, start) {
                Ok((child, key, end)) => {
                    self.extents.push((start, end));
                    children.push((child, Some(key)));
                }
                Err(why) => self.fault(number, why),
            }
        }
        if let Err(why) = head.check_gaps(page, &mut self.extents, deep) {
            self.fault(number, why);
        }
        children.push((head.last_child, None));
        let mut largest = None;
        for (child, key) in children {
            largest = self.subtree(child, deep, depth + 1, visit);
            if key.is_some() && key != largest && largest.is_some() {
                self.fault(number, format_args!("the key of child page {child} is not its last row"));
            }
        }
        largest
    }

    fn leaf(&mut self, number: u32, page: &Page, head: &Head, visit: &mut Visit<'_>) -> Option<u64> {
        let mut extents = std::mem::take(&mut self.extents);
        extents.clear();
        let mut last = None;
        for index in 0..head.cells {
            let cell = match LeafCell::read(page, head.pointer(page, index)) {
                Ok(cell) => cell,
                Err(why) => {
                    self.fault(number, why);
                    continue;
                }
            };
            extents.push((cell.start, cell.end));
            if last.is_some_and(|last| last >= cell.rowid) {
                self.fault(number, "its rows are out of order");
            }
            last = Some(cell.rowid);
            let place = Place { page: number, cell: index as u16 };
            let mut spilled = std::mem::take(&mut self.spilled);
            let read = gather(&cell, &mut spilled, &mut |number, page| self.enter(number, page))
                .and_then(|payload| visit(cell.rowid, payload, place));
            self.spilled = spilled;
            if let Err(why) = read {
                self.fault(number, format_args!("row {}: {why}", cell.rowid));
            }
        }
        if let Err(why) = head.check_gaps(page, &mut extents, false) {
            self.fault(number, why);
        }
        self.extents = extents;
        last
    }

    /// Names the pages that belong to no table. Call after all tables.
    pub(crate) fn finish(mut self) -> Vec<Damage> {
        let strays: Vec<u32> = (1..self.seen.len()).filter(|n| !self.seen[*n]).map(|n| n as u32).collect();
        for stray in strays {
            self.fault(stray, "it belongs to no table");
        }
        self.damage
    }
}

/// Reads a row of the log again. The sum is checked again too: the disk may have changed since.
pub(crate) fn row_at(pages: &mut Pages, place: Place) -> Result<Row, Fault> {
    let mut page = [0; page::PAGE];
    pages.read(place.page, &mut page)?;
    let head = Head::read(&page, place.page)?;
    if usize::from(place.cell) >= head.cells {
        return Err("the row is no longer where it was");
    }
    let cell = LeafCell::read(&page, head.pointer(&page, place.cell.into()))?;
    let mut spilled = Vec::new();
    let payload = gather(&cell, &mut spilled, &mut |number, page| pages.read(number, page))?;
    parse_row(cell.rowid, payload)
}

/// The whole payload of a cell; `spilled` holds it if it goes on behind its page.
pub(crate) fn gather<'a>(
    cell: &LeafCell<'a>,
    spilled: &'a mut Vec<u8>,
    read: &mut dyn FnMut(u32, &mut Page) -> Result<(), Fault>,
) -> Result<&'a [u8], Fault> {
    let Some(mut next) = cell.overflow else { return Ok(cell.local) };
    spilled.clear();
    spilled.extend_from_slice(cell.local);
    let mut page = [0; page::PAGE];
    while spilled.len() < cell.len {
        read(next, &mut page)?;
        let part = (cell.len - spilled.len()).min(OVERFLOW);
        spilled.extend_from_slice(&page[4..4 + part]);
        next = page::be32(&page, 0);
        if !page::is_zero(&page[4 + part..]) {
            return Err("a byte behind the end of its overflow is not zero");
        }
    }
    if next == 0 { Ok(spilled) } else { Err("its overflow goes on behind its end") }
}

/// A row of the log from its record. An error unless every column has its type and the sum is right.
pub(crate) fn parse_row(rowid: u64, payload: &[u8]) -> Result<Row, Fault> {
    let [
        Value::Null,
        Value::Int(turn),
        Value::Int(idx),
        Value::Text(kind),
        Value::Blob(prev),
        Value::Blob(sum),
        Value::Text(body),
    ] = page::record::<7>(payload)?
    else {
        return Err("its columns have the wrong types");
    };
    let (Ok(turn), Ok(prev), Ok(sum)) =
        (u64::try_from(turn), prev.try_into().map(Sum), sum.try_into().map(Sum))
    else {
        return Err("a column is out of range");
    };
    if checksum(prev, rowid, turn, idx, kind, body) != sum {
        return Err("its checksum is wrong");
    }
    let kind = Kind::from_name(kind).ok_or("it is of an unknown kind")?;
    Ok(Row { seq: rowid, turn, idx, kind, prev, sum, body: body.to_owned() })
}
