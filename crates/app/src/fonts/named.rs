//! Which font file of this machine is the family that a setting names: read off the files' own name tables.
//!
//! Of each file only its directory and two small tables are read, so that a thousand fonts cost milliseconds. What cannot be
//! read is no font; nothing is kept, and no cache of another program is asked.

use std::fs::File;
use std::io::{Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use ttf_parser::{PlatformId, Tag, name, name_id, os2};

/// Faces of a collection that are looked at, and tables of a face; real fonts have fewer.
const MOST: usize = 64;
/// No name table is larger.
const MOST_BYTES: u32 = 1 << 20;
/// Of `OS/2`, normal.
const NORMAL_WIDTH: u16 = 5;

/// A face in a font file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    /// Its number in a collection, else 0.
    pub(crate) index: u32,
    pub(crate) weight: u16,
}

/// The face of `family` that is upright, of normal width and nearest to `weight`, in that order; of equals the first.
pub(super) fn find<'a>(files: impl Iterator<Item = &'a Path>, family: &str, weight: u32) -> Option<Found> {
    let wanted = family.trim().to_lowercase();
    let mut best: Option<((bool, u16, u32), Found)> = None;
    for path in files {
        for face in faces(path).into_iter().filter(|f| f.families.contains(&wanted)) {
            let rank =
                (face.slanted, face.width.abs_diff(NORMAL_WIDTH), u32::from(face.weight).abs_diff(weight));
            if best.as_ref().is_none_or(|(least, _)| rank < *least) {
                best = Some((rank, Found { path: path.to_owned(), index: face.index, weight: face.weight }));
            }
        }
    }
    best.map(|(_, found)| found)
}

struct Face {
    index: u32,
    /// In lower case.
    families: Vec<String>,
    weight: u16,
    width: u16,
    slanted: bool,
}

/// The faces of a file; none if it is no font.
fn faces(path: &Path) -> Vec<Face> {
    let Ok(mut file) = File::open(path) else { return Vec::new() };
    let starts = starts(&mut file).unwrap_or_default();
    (0..).zip(starts).filter_map(|(index, start)| face(&mut file, index, start)).collect()
}

/// Where each face begins.
fn starts(file: &mut File) -> Option<Vec<u32>> {
    let head = read(file, 0, 12)?;
    if !head.starts_with(b"ttcf") {
        return Some(vec![0]);
    }
    let count = (word(&head, 8)? as usize).min(MOST);
    let list = read(file, 12, count as u32 * 4)?;
    (0..count).map(|n| word(&list, n * 4)).collect()
}

fn face(file: &mut File, index: u32, start: u32) -> Option<Face> {
    let head = read(file, start, 12)?;
    let count = usize::from(u16::from_be_bytes([head[4], head[5]])).min(MOST);
    let directory = read(file, start.checked_add(12)?, count as u32 * 16)?;
    let mut table = |tag: &[u8; 4]| {
        let entry = directory.chunks_exact(16).find(|e| Tag::from_bytes_lossy(e) == Tag::from_bytes(tag))?;
        read(file, word(entry, 8)?, word(entry, 12)?.min(MOST_BYTES))
    };
    let names = table(b"name")?;
    let families = name::Table::parse(&names)?
        .names
        .into_iter()
        .filter(|n| matches!(n.name_id, name_id::FAMILY | name_id::TYPOGRAPHIC_FAMILY | name_id::FULL_NAME))
        .filter_map(|n| text(&n))
        .collect();
    let os2 = table(b"OS/2");
    let os2 = os2.as_deref().and_then(os2::Table::parse);
    Some(Face {
        index,
        families,
        weight: os2.map_or(400, |t| t.weight().to_number()),
        width: os2.map_or(NORMAL_WIDTH, |t| t.width().to_number()),
        slanted: os2.is_some_and(|t| t.style() != ttf_parser::Style::Normal),
    })
}

/// A name in lower case; of the old Macintosh encoding only what is ASCII.
fn text(name: &name::Name<'_>) -> Option<String> {
    if name.platform_id == PlatformId::Macintosh {
        return std::str::from_utf8(name.name).ok().filter(|t| t.is_ascii()).map(str::to_lowercase);
    }
    name.to_string().map(|t| t.to_lowercase())
}

fn read(file: &mut File, from: u32, length: u32) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length as usize];
    file.seek(SeekFrom::Start(u64::from(from))).ok()?;
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A face as far as it is looked at: family, weight, and whether it is slanted.
    fn face_at(start: u32, family: &str, weight: u16, slanted: bool) -> Vec<u8> {
        let utf16: Vec<u8> = family.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let words = |words: &[u16]| words.iter().flat_map(|w| w.to_be_bytes()).collect::<Vec<u8>>();
        // One record: Windows, Unicode, American English, family.
        let record = [0, 1, 18, 3, 1, 0x409, 1, utf16.len() as u16, 0];
        let names = [words(&record), utf16].concat();
        let mut os2 = vec![0; 96];
        os2[..2].copy_from_slice(&4_u16.to_be_bytes());
        os2[4..6].copy_from_slice(&weight.to_be_bytes());
        os2[6..8].copy_from_slice(&NORMAL_WIDTH.to_be_bytes());
        os2[62..64].copy_from_slice(&u16::from(slanted).to_be_bytes());
        let first = start + 12 + 2 * 16;
        let entry = |tag: &[u8; 4], from: u32, length: usize| {
            [&tag[..], &[0; 4], &from.to_be_bytes(), &(length as u32).to_be_bytes()].concat()
        };
        let directory =
            [entry(b"OS/2", first, os2.len()), entry(b"name", first + os2.len() as u32, names.len())]
                .concat();
        [vec![0, 1, 0, 0], words(&[2, 0, 0, 0]), directory, os2, names].concat()
    }

    fn found(files: &[(&str, Vec<u8>)], family: &str, weight: u32) -> Option<(String, u32)> {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = files
            .iter()
            .map(|(name, bytes)| {
                let path = folder.path().join(name);
                fs::write(&path, bytes).unwrap();
                path
            })
            .collect();
        let found = find(paths.iter().map(PathBuf::as_path), family, weight)?;
        Some((found.path.file_name().unwrap().to_string_lossy().into_owned(), found.index))
    }

    // spec: S-54 UNIT
    #[test]
    fn a_family_is_found_by_the_name_in_the_file_and_bold_from_700() {
        let files = [
            ("a.ttf", face_at(0, "Segoe UI", 700, true)),
            ("b.ttf", face_at(0, "Segoe UI", 700, false)),
            ("c.ttf", face_at(0, "Segoe UI", 400, false)),
            ("segoeui.ttf", face_at(0, "Something Else", 400, false)),
        ];
        for (weight, file) in [(300, "c.ttf"), (400, "c.ttf"), (700, "b.ttf"), (900, "b.ttf")] {
            assert_eq!(found(&files, "Segoe UI", weight), Some((file.to_owned(), 0)), "{weight}");
        }
        assert_eq!(found(&files, " segoe ui", 400).unwrap().0, "c.ttf");
        assert_eq!(found(&files, "Segoe", 400), None);
        // Without a bold face the regular one of that family is nearer to the setting than another family's bold.
        assert_eq!(found(&files[2..], "Segoe UI", 700).unwrap().0, "c.ttf");
    }

    #[test]
    fn a_face_of_a_collection_is_found_with_its_number() {
        let first = face_at(20, "One", 400, false);
        let second = face_at(20 + first.len() as u32, "Zwei Ä", 400, false);
        let starts = [20, 20 + first.len() as u32].map(u32::to_be_bytes).concat();
        let head = [b"ttcf".to_vec(), vec![0, 1, 0, 0, 0, 0, 0, 2], starts].concat();
        let files = [("x.ttc", [head, first, second].concat())];
        assert_eq!(found(&files, "zwei ä", 400), Some(("x.ttc".to_owned(), 1)));
        assert_eq!(found(&files, "One", 400), Some(("x.ttc".to_owned(), 0)));
    }

    #[test]
    fn damaged_files_are_no_fonts() {
        let whole = face_at(0, "Whole", 400, false);
        for cut in 0..whole.len() {
            // Not a panic, whatever is missing; without its last letters it is not that family.
            assert_eq!(found(&[("cut.ttf", whole[..cut].to_vec())], "Whole", 400), None, "{cut}");
        }
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] = !flipped[at];
            let _any = found(&[("flipped.ttf", flipped)], "Whole", 400);
        }
        assert_eq!(found(&[("huge.ttf", [b"ttcf".to_vec(), vec![0xFF; 400]].concat())], "Whole", 400), None);
    }
}
