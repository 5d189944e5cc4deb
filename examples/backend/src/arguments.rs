//! The command line.
//!
//! ```text
//! terminal-backend --model scripted/FILE|PROVIDER/NAME [--out DIR] [--font FILE] [--set KEY=VALUE]...
//!                  TASK [-- PROGRAM [ARGUMENT]...]
//! ```
//!
//! It refuses what it does not know and what would be guessed.

use crate::Failure;
use std::path::PathBuf;

#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) model: String,
    pub(crate) out: Option<PathBuf>,
    pub(crate) font: Option<PathBuf>,
    pub(crate) settings: Vec<String>,
    pub(crate) task: String,
    pub(crate) program: Vec<String>,
}

impl Arguments {
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut arguments = Self::default();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--model" => arguments.model = value()?,
                "--out" => arguments.out = Some(value()?.into()),
                "--font" => arguments.font = Some(value()?.into()),
                "--set" => arguments.settings.push(value()?),
                "--" => arguments.program.extend(words.by_ref()),
                _ if arguments.task.is_empty() => arguments.task = word,
                _ => return Err(format!("what is {word:?}? The task is one word: put it in quotes").into()),
            }
        }
        if arguments.model.is_empty() || arguments.task.is_empty() {
            return Err("give --model scripted/FILE or PROVIDER/NAME, and a task".into());
        }
        if arguments.program.is_empty() {
            arguments.program = vec!["sh".into()];
        }
        Ok(arguments)
    }
}
