//! Finds the rows of a damaged journal.
//!
//! A row's sum makes it known for certain, so nothing else has to be right: every image of every page, from the file and
//! from the log, sound or not, is searched for rows, first where its pointers say and then, if those do not explain the
//! page, at every byte. This module refuses to guess: a row is whole and verified, or lost.

use crate::page::{Head, LeafCell, PAGE, Page, PageKind};
use crate::pages::Pages;
use crate::row::Row;
use crate::walk::{gather, parse_row};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Overflow pages of which several images exist are tried in all combinations up to this number.
const MOST_TRIES: usize = 64;

pub(crate) struct Salvage {
    /// By sequence number.
    pub(crate) rows: BTreeMap<u64, Row>,
}

/// Every image of every page.
struct Images {
    /// By number, newest first, no two alike.
    by_number: HashMap<u32, Vec<Rc<Page>>>,
    /// Of damaged frames: the page number may be what is damaged, so they may be any page.
    loose: Vec<Rc<Page>>,
}

impl Images {
    /// The image of a page that `choice` stands for, and the choices left over.
    fn choose(&self, number: u32, choice: usize) -> Option<(&Page, usize)> {
        let own = self.by_number.get(&number).map_or(&[][..], Vec::as_slice);
        let count = own.len() + self.loose.len();
        let index = choice.checked_rem(count)?;
        let page = own.get(index).or_else(|| self.loose.get(index - own.len()))?;
        Some((page, choice / count))
    }
}

/// Searches everything there is.
pub(crate) fn salvage(pages: &mut Pages) -> Salvage {
    let images = collect(pages);
    let mut found = Salvage { rows: BTreeMap::new() };
    let mut numbers: Vec<u32> = images.by_number.keys().copied().collect();
    numbers.sort_unstable();
    for number in numbers {
        for image in &images.by_number[&number] {
            found.search(number, image, &images);
        }
    }
    found
}

fn collect(pages: &mut Pages) -> Images {
    let mut images = Images { by_number: HashMap::new(), loose: Vec::new() };
    let mut add = |number: u32, page: &[u8], bad: bool| {
        if let Some(page) = page.first_chunk::<PAGE>() {
            let known = images.by_number.entry(number).or_default();
            if !known.iter().any(|k| **k == *page) {
                let page = Rc::new(*page);
                if bad {
                    images.loose.push(Rc::clone(&page));
                }
                known.push(page);
            }
        }
    };
    let bad = &pages.scan.bad;
    pages.log_images().for_each(|(i, number, page)| add(number, page, bad.iter().any(|b| b.index == i)));
    let mut page = [0; PAGE];
    let whole = u32::try_from(pages.db_len() / PAGE as u64).unwrap_or(u32::MAX);
    for number in 1..=whole {
        if pages.read_file(number, &mut page).is_ok() {
            add(number, &page, false);
        }
    }
    images
}

impl Salvage {
    fn search(&mut self, number: u32, page: &Page, images: &Images) {
        if self.by_pointers(number, page, images) {
            return;
        }
        // All that is looked for is the header of a row's record: `length, NULL, two integers, text, blob, blob, text`.
        // Its row begins before it with two varints of one to nine bytes; all else follows from the sum.
        for at in 5..PAGE - 1 {
            if page[at] == BLOB_16 && page[at + 1] == BLOB_16 && page[at - 4] == NULL {
                let header = at - 5;
                for start in header.saturating_sub(18)..header.saturating_sub(1) {
                    self.take(page, start, images);
                }
            }
        }
    }

    /// True if the page is a leaf whose pointers explain it.
    fn by_pointers(&mut self, number: u32, page: &Page, images: &Images) -> bool {
        let Ok(head) = Head::read(page, number) else { return false };
        if head.kind == PageKind::Interior {
            return false;
        }
        let mut extents = Vec::with_capacity(head.cells);
        for index in 0..head.cells {
            match self.take(page, head.pointer(page, index), images) {
                Some(extent) => extents.push(extent),
                None => return false,
            }
        }
        head.check_gaps(page, &mut extents, false).is_ok()
    }

    /// Takes the row that begins at `start`, if one does; where it lies.
    fn take(&mut self, page: &Page, start: usize, images: &Images) -> Option<(usize, usize)> {
        let cell = LeafCell::read(page, start).ok()?;
        let row = read_row(&cell, images)?;
        // Two rows of one number exist only if a transaction failed and its successor wrote other rows. The one that
        // continues its predecessor is the one that was kept.
        let continues = |row: &Row| {
            row.seq
                .checked_sub(1)
                .and_then(|before| self.rows.get(&before))
                .is_some_and(|before| before.sum == row.prev)
        };
        let better = match self.rows.get(&row.seq) {
            None => true,
            Some(held) => held.sum != row.sum && continues(&row) && !continues(held),
        };
        if better {
            self.rows.insert(row.seq, row);
        }
        Some((cell.start, cell.end))
    }
}

/// The types of a blob of 16 bytes and of NULL.
const BLOB_16: u8 = 12 + 2 * 16;
const NULL: u8 = 0;

fn read_row(cell: &LeafCell<'_>, images: &Images) -> Option<Row> {
    // A number whose digits say which image of each overflow page to take. Nearly always there is one image.
    for attempt in 0..MOST_TRIES {
        let mut digits = attempt;
        let mut spilled = Vec::new();
        let payload = gather(cell, &mut spilled, &mut |number, page| {
            let (image, left) = images.choose(number, digits).ok_or("the page is nowhere")?;
            *page = *image;
            digits = left;
            Ok(())
        });
        if let Ok(row) = payload.and_then(|payload| parse_row(cell.rowid, payload)) {
            return Some(row);
        }
        // All combinations were tried, or there is nothing to combine.
        if digits > 0 || cell.overflow.is_none() {
            return None;
        }
    }
    None
}
