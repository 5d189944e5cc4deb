//! Rows out of the Markdown tables of one profile's page.
//!
//! A row is a table line whose first cell is an id. It must stand in a table with a Test column and have as many
//! cells as its header: a stray `|` would otherwise shift the Test column unseen.

use std::collections::BTreeSet;

use super::{Tier, profile_of};

/// Header cells that name the Test column.
const TEST_HEADERS: [&str; 2] = ["Test", "How a test shows it"];

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) profile: &'static str,
    /// Tiers the Test column names; none means any test will do.
    pub(super) tiers: BTreeSet<Tier>,
}

/// The rows of a page, and what is wrong with it.
pub(super) fn parse(path: &str, profile: &str, text: &str) -> (Vec<Row>, Vec<String>) {
    let mut rows: Vec<Row> = Vec::new();
    let mut errors = Vec::new();
    // Cells of the header and the index of its Test column.
    let mut table: Option<(usize, usize)> = None;
    for (at, line) in text.lines().enumerate() {
        let place = format!("{path}:{}", at + 1);
        let Some(cells) = cells(line) else {
            table = None;
            continue;
        };
        if cells[0] == "ID" {
            table = cells
                .iter()
                .position(|cell| TEST_HEADERS.contains(&cell.as_str()))
                .map(|test| (cells.len(), test));
            if table.is_none() {
                errors.push(format!("{place}: a table of rows needs a column `Test`"));
            }
            continue;
        }
        let id = &cells[0];
        let Some(owner) = profile_of(id) else { continue };
        if owner != profile {
            errors.push(format!("{place}: row {id} belongs to {owner}.md"));
        } else if rows.iter().any(|row| row.id == *id) {
            errors.push(format!("{place}: row {id} is there twice"));
        } else if let Some((columns, test)) = table {
            if cells.len() == columns {
                rows.push(Row { id: id.clone(), profile: owner, tiers: tiers(&cells[test]) });
            } else {
                errors.push(format!(
                    "{place}: row {id} has {} cells, its header {columns}; write a bar inside a cell as \\|",
                    cells.len()
                ));
            }
        } else {
            errors.push(format!("{place}: row {id} stands in no table with a column `Test`"));
        }
    }
    if rows.is_empty() {
        errors.push(format!("{path}: no row found"));
    }
    (rows, errors)
}

/// Trimmed cells of a table line; `None` for any other line. An escaped bar stays inside its cell.
fn cells(line: &str) -> Option<Vec<String>> {
    let inside = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in inside.chars() {
        match c {
            '|' if !escaped => cells.push(String::new()),
            _ => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(c);
                }
            }
        }
        escaped = c == '\\' && !escaped;
    }
    Some(cells.iter().map(|cell| cell.trim().to_owned()).collect())
}

fn tiers(cell: &str) -> BTreeSet<Tier> {
    cell.split(|c: char| !c.is_ascii_alphanumeric()).filter_map(Tier::parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# A page
| Tool | Field |
|---|---|
| `click` | `x` |

## 1. Target
| ID | Requirement | Figure | Test |
|---|---|---|---|
| S-01 | One loop. | `x11` | One scripted FAKE run on SIM, XVFB/WINE and VNC |
| S-02 | A bar. | `01\\| ` | `config dump` equals table |
| S-100 | Three digits. | – | XVFBX is no tier; a SIM: yes |
> - **Decision S-01.** UNIT is prose here.
";

    #[test]
    fn rows_carry_the_tiers_of_their_test_column() {
        let (rows, errors) = parse("stateless.md", "stateless", PAGE);
        assert_eq!(errors, Vec::<String>::new());
        let found: Vec<(&str, String)> = rows
            .iter()
            .map(|row| (row.id.as_str(), row.tiers.iter().map(Tier::to_string).collect::<Vec<_>>().join(" ")))
            .collect();
        assert_eq!(
            found,
            [
                ("S-01", "FAKE SIM XVFB WINE VNC".to_owned()),
                ("S-02", String::new()),
                ("S-100", "SIM".to_owned())
            ]
        );
    }

    #[test]
    fn the_long_header_names_the_test_column_too() {
        let page = "| ID | Requirement | How a test shows it |\n|---|---|---|\n| A-01 | x | SIM |\n";
        assert_eq!(parse("arena.md", "arena", page).0.len(), 1);
    }

    #[test]
    fn what_would_shift_or_hide_a_row_is_an_error() {
        let header = "| ID | Requirement | Test |\n|---|---|---|\n";
        for (page, error) in [
            (format!("{header}| S-01 | a | b | UNIT |\n"), "has 4 cells, its header 3"),
            (format!("{header}| S-01 | a | UNIT |\n| S-01 | a | UNIT |\n"), "is there twice"),
            (format!("{header}| M-01 | a | UNIT |\n"), "belongs to musume.md"),
            ("| S-01 | a | UNIT |\n".to_owned(), "stands in no table"),
            ("| ID | Requirement |\n|---|---|\n| S-01 | a |\n".to_owned(), "needs a column `Test`"),
            (format!("{header}\n| S-01 | a | UNIT |\n"), "stands in no table"),
            ("nothing\n".to_owned(), "no row found"),
        ] {
            let (_, errors) = parse("stateless.md", "stateless", &page);
            assert!(errors.iter().any(|found| found.contains(error)), "{error}: {errors:?}");
        }
    }
}
