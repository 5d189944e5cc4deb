//! The attempts of an evaluation as they come, a line each: what an interruption keeps and a later call goes on from.
//!
//! The first line says what is evaluated; whoever goes on must mean the same. An attempt without its whole line was not made.

use crate::eval::Attempt;
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

/// The file's name in the folder of the evaluation.
pub const NAME: &str = "attempts.jsonl";

/// Why attempts cannot be kept or gone on from.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    #[error("{}: {why}", path.display())]
    File { path: PathBuf, why: std::io::Error },
    #[error("{} holds no evaluation that can be gone on with", path.display())]
    NoHeader { path: PathBuf },
    #[error("{} is another evaluation: {is}, not {wanted}", path.display())]
    Another { path: PathBuf, is: String, wanted: String },
}

/// An open file of attempts.
#[derive(Debug)]
pub struct Kept {
    path: PathBuf,
    file: File,
}

impl Kept {
    /// A new one in this folder. `about` is what is evaluated.
    pub fn create(folder: &Path, about: &Value) -> Result<Self, KeptError> {
        let path = folder.join(NAME);
        let failed = |why| KeptError::File { path: path.clone(), why };
        let mut file = File::create_new(&path).map_err(failed)?;
        writeln!(file, "{about}").map_err(failed)?;
        Ok(Self { path, file })
    }

    /// That of an earlier evaluation of the same, and the attempts it holds.
    pub fn open(folder: &Path, about: &Value) -> Result<(Self, Vec<Attempt>), KeptError> {
        let path = folder.join(NAME);
        let failed = |why| KeptError::File { path: path.clone(), why };
        let file = OpenOptions::new().read(true).append(true).open(&path).map_err(failed)?;
        let mut lines = BufReader::new(&file).lines();
        let header = lines.next().transpose().map_err(failed)?;
        let header: Option<Value> = header.and_then(|line| serde_json::from_str(&line).ok());
        let header = header.ok_or_else(|| KeptError::NoHeader { path: path.clone() })?;
        if header != *about {
            return Err(KeptError::Another { path, is: header.to_string(), wanted: about.to_string() });
        }
        let mut attempts = Vec::new();
        for line in lines {
            // The last may have been cut off by what ended the evaluation.
            attempts.extend(serde_json::from_str::<Attempt>(&line.map_err(failed)?).ok());
        }
        let mut kept = Self { path, file };
        // What is added begins on a line of its own.
        kept.write("\n")?;
        Ok((kept, attempts))
    }

    pub fn add(&mut self, attempt: &Attempt) -> Result<(), KeptError> {
        let line = serde_json::to_string(attempt).unwrap_or_default() + "\n";
        self.write(&line)
    }

    fn write(&mut self, text: &str) -> Result<(), KeptError> {
        let failed = |why| KeptError::File { path: self.path.clone(), why };
        self.file.write_all(text.as_bytes()).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Verdict;
    use crate::score::tests::evaluation;
    use serde_json::json;

    #[test]
    fn what_was_kept_is_gone_on_from_and_a_cut_line_was_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let about = json!({ "suite": "mine", "seeds": 1 });
        let attempts = evaluation(1, |_| Verdict::Failed).attempts;
        let mut kept = Kept::create(folder.path(), &about).unwrap();
        kept.add(&attempts[0]).unwrap();
        kept.add(&attempts[1]).unwrap();
        drop(kept);
        assert!(Kept::create(folder.path(), &about).is_err(), "nothing is written over");
        let path = folder.path().join(NAME);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 20]).unwrap();
        let (mut kept, found) = Kept::open(folder.path(), &about).unwrap();
        assert_eq!(found, attempts[..1]);
        kept.add(&attempts[1]).unwrap();
        let (_, found) = Kept::open(folder.path(), &about).unwrap();
        assert_eq!(found, attempts[..2]);
        let other = json!({ "suite": "other", "seeds": 1 });
        let error = Kept::open(folder.path(), &other).unwrap_err().to_string();
        assert!(error.contains("is another evaluation"), "{error}");
        std::fs::write(&path, "").unwrap();
        assert!(matches!(Kept::open(folder.path(), &about), Err(KeptError::NoHeader { .. })));
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(Kept::open(folder.path(), &about), Err(KeptError::File { .. })));
    }
}
