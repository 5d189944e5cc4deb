//! Tesseract's TSV, read strictly: what is not exactly that is no answer.

use handsight_base::space::Size;

const HEADER: &str =
    "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext";

/// A word on a page, in its pixels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) left: u32,
    pub(super) top: u32,
    pub(super) width: u32,
    pub(super) height: u32,
    /// 0 to 1.
    pub(super) confidence: f32,
    pub(super) text: String,
}

/// The words of each page. Every page must be there, in its size, with nothing behind the last.
pub(super) fn read(text: &str, pages: &[Size]) -> Result<Vec<Vec<Found>>, String> {
    let text = text.replace("\r\n", "\n");
    let Some(text) = text.strip_suffix('\n') else {
        return Err("it ends in the middle of a line".into());
    };
    let mut lines = text.split('\n');
    if lines.next() != Some(HEADER) {
        return Err("it does not begin with the names of the columns".into());
    }
    let mut found: Vec<Vec<Found>> = Vec::new();
    for (line, n) in lines.zip(2..) {
        let bad = |what: &str| format!("line {n}: {what}");
        let cells: Vec<&str> = line.split('\t').collect();
        let [level, page, _, _, _, _, left, top, width, height, confidence, text] = cells[..] else {
            return Err(bad("not 12 columns"));
        };
        let number = |cell: &str| cell.parse::<u32>().map_err(|_| bad("a number is missing"));
        let (level, page) = (number(level)?, number(page)? as usize);
        let (left, top, width, height) = (number(left)?, number(top)?, number(width)?, number(height)?);
        if level == 1 {
            found.push(Vec::new());
            if page != found.len() || pages.get(page - 1) != Some(&Size::new(width, height)) {
                return Err(bad("a page that was not asked for"));
            }
        }
        let (Some(size), Some(words)) = (page.checked_sub(1).and_then(|p| pages.get(p)), found.last_mut())
        else {
            return Err(bad("no such page"));
        };
        if level != 5 {
            continue;
        }
        let confidence: f32 = confidence.parse().map_err(|_| bad("no confidence"))?;
        let inside =
            |from: u32, length: u32, most: u32| from.checked_add(length).is_some_and(|end| end <= most);
        if !inside(left, width, size.width) || !inside(top, height, size.height) {
            return Err(bad("a word outside of its page"));
        }
        if !(0.0..=100.0).contains(&confidence) {
            return Err(bad("a confidence that is none"));
        }
        // Where there is nothing to read it reports a space.
        if !text.trim().is_empty() && width > 0 && height > 0 {
            let confidence = confidence / 100.0;
            words.push(Found { left, top, width, height, confidence, text: text.trim().to_owned() });
        }
    }
    if found.len() == pages.len() {
        Ok(found)
    } else {
        Err(format!("{} of {} pages", found.len(), pages.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: [Size; 2] = [Size::new(100, 40), Size::new(60, 40)];

    fn answer() -> String {
        let rows = [
            "1\t1\t0\t0\t0\t0\t0\t0\t100\t40\t-1\t",
            "2\t1\t1\t0\t0\t0\t10\t10\t80\t20\t-1\t",
            "5\t1\t1\t1\t1\t1\t10\t10\t30\t20\t96.063751\tSave",
            "5\t1\t1\t1\t1\t2\t50\t10\t40\t20\t87\tAs...",
            "1\t2\t0\t0\t0\t0\t0\t0\t60\t40\t-1\t",
            "5\t2\t1\t1\t1\t1\t0\t0\t60\t40\t95.000000\t ",
        ];
        format!("{HEADER}\n{}\n", rows.join("\n"))
    }

    #[test]
    fn words_come_by_page() {
        let found = read(&answer(), &PAGES).unwrap();
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [2, 0]);
        assert_eq!((found[0][0].text.as_str(), found[0][0].left, found[0][0].width), ("Save", 10, 30));
        assert!((found[0][0].confidence - 0.960_637_5).abs() < 1e-6);
        assert_eq!(read(&answer().replace('\n', "\r\n"), &PAGES).unwrap(), found, "as Windows writes it");
        assert_eq!(read(&format!("{HEADER}\n"), &[]), Ok(vec![]));
    }

    #[test]
    fn anything_else_is_refused() {
        let whole = answer();
        for (what, text) in [
            ("nothing", String::new()),
            ("other words", "Segmentation fault\n".into()),
            ("a line too short", whole.replace("\tSave", "")),
            ("a word off the page", whole.replace("\t50\t10\t40\t", "\t50\t10\t51\t")),
            ("a number that wraps", whole.replace("\t50\t10\t40\t", "\t50\t10\t4294967295\t")),
            ("a negative place", whole.replace("\t50\t10\t40\t", "\t-5\t10\t40\t")),
            ("a confidence that is none", whole.replace("\t87\t", "\tNaN\t")),
            ("too sure", whole.replace("\t87\t", "\t101\t")),
            ("another size", whole.replace("\t60\t40\t-1", "\t61\t40\t-1")),
            ("a page too many", format!("{whole}1\t3\t0\t0\t0\t0\t0\t0\t60\t40\t-1\t\n")),
            ("page 0", whole.replace("5\t2\t1", "5\t0\t1")),
        ] {
            assert!(read(&text, &PAGES).is_err(), "{what}");
        }
        // Wherever it is cut off, it is no answer, unless each page has begun; the exit code tells that one.
        let begun = whole.rfind("1\t2\t0").unwrap();
        for end in 0..whole.len() {
            let cut = &whole[..end];
            assert!(read(cut, &PAGES).is_err() || (end > begun && cut.ends_with('\n')), "cut at {end}");
        }
    }
}
