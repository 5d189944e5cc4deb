//! Checkers as data: what must be so in the end, seen by a channel that is not the model's.
//!
//! A check is about a file, the clipboard, a window, a program that the case started, or a command that is run to ask. It holds, it
//! does not, or it cannot be made at all; the last is neither a success nor a failure of whoever was judged. A check changes
//! nothing but what a command of the suite's author does.

use crate::stage::{COMMAND, Stage};
use crate::suite::at_home;
use handsight_base::port::desktop::{Desktop, Window};
use std::io::ErrorKind;
use std::path::Path;

/// One thing that must be so.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    pub of: Subject,
    /// All of them. At least one.
    pub claims: Vec<Claim>,
}

/// What a check is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// By its path; one that is not absolute lies in the case's home.
    File(String),
    Clipboard,
    /// By a part of its title.
    Window(String),
    /// One that the case started: its standard output and how it ended.
    Program(String),
    /// A command that is run to its end, without a shell: its standard output and its exit code.
    Run(Vec<String>),
}

impl Subject {
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::File(_) => "file",
            Self::Clipboard => "clipboard",
            Self::Window(_) => "window",
            Self::Program(_) => "program",
            Self::Run(_) => "run",
        }
    }
}

/// What is claimed of it. Texts are compared without blanks and line breaks at their end, and line breaks of any system are alike.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// `false`: it is gone.
    Exists(bool),
    Has(String),
    Equals(String),
    /// It ended by itself with this code.
    Ended(i32),
}

/// What came of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    Yes,
    /// And why not.
    No(String),
}

/// Why a check could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {of} cannot be checked: {why}")]
pub struct Unchecked {
    of: String,
    why: String,
}

/// Holds what is claimed of everything? The first that does not is told.
pub fn all(checks: &[Check], stage: &mut Stage, eyes: &mut dyn Desktop) -> Result<Held, Unchecked> {
    for check in checks {
        if let no @ Held::No(_) = check.held(stage, eyes)? {
            return Ok(no);
        }
    }
    Ok(Held::Yes)
}

impl Check {
    fn held(&self, stage: &mut Stage, eyes: &mut dyn Desktop) -> Result<Held, Unchecked> {
        match &self.of {
            Subject::File(path) => {
                let name = format!("file {path}");
                let path = stage.home().join(at_home(path, stage.home()));
                let (there, text) = match std::fs::read(&path) {
                    Ok(bytes) => (true, Some(bytes)),
                    Err(e) if e.kind() == ErrorKind::NotFound => (false, None),
                    Err(_) if path.is_dir() => (true, None),
                    Err(e) => return Err(Unchecked { of: name, why: e.to_string() }),
                };
                let text = text.map(|bytes| written(&bytes));
                Ok(self.judge(&name, there, text.as_deref(), None, stage.home()))
            }
            Subject::Clipboard => {
                let unchecked = |why: String| Unchecked { of: "clipboard".into(), why };
                let contents = eyes.clipboard().map_err(|e| unchecked(e.to_string()))?;
                let text = clipboard_text(&contents.formats);
                Ok(self.judge("clipboard", text.is_some(), text.as_deref(), None, stage.home()))
            }
            Subject::Window(title) => {
                let name = format!("window {title:?}");
                let found = window(eyes, title);
                let found = found.map_err(|why| Unchecked { of: name.clone(), why })?;
                Ok(self.judge(&name, found.is_some(), None, None, stage.home()))
            }
            Subject::Program(program) => {
                let of = format!("program {program}");
                let unchecked = |why: String| Unchecked { of: of.clone(), why };
                let (code, text) = stage.look_at(program).map_err(unchecked)?;
                Ok(self.judge(&of, true, Some(&text), Some(code), stage.home()))
            }
            Subject::Run(argv) => {
                let argv: Vec<String> = argv.iter().map(|word| at_home(word, stage.home())).collect();
                let of = format!("command {}", argv.join(" "));
                let said = stage.ask(&argv, COMMAND);
                let (code, text) = said.map_err(|why| Unchecked { of: of.clone(), why })?;
                Ok(self.judge(&of, true, Some(&text), Some(Some(code)), stage.home()))
            }
        }
    }

    /// `code`: of what can end, `None` if it goes on.
    fn judge(
        &self,
        of: &str,
        there: bool,
        text: Option<&str>,
        code: Option<Option<i32>>,
        home: &Path,
    ) -> Held {
        let no = |claim: &Claim| match claim {
            Claim::Exists(wanted) if *wanted == there => None,
            Claim::Exists(true) => Some(format!("the {of} is not there")),
            Claim::Exists(false) => Some(format!("the {of} is still there")),
            Claim::Has(_) | Claim::Equals(_) if text.is_none() => {
                Some(if there { format!("the {of} has no text") } else { format!("the {of} is not there") })
            }
            Claim::Has(part) => {
                let (text, part) = (plain(text.unwrap_or_default()), plain(&at_home(part, home)));
                (!text.contains(&part)).then(|| format!("the {of} has no {part:?}: {}", short(&text)))
            }
            Claim::Equals(whole) => {
                let (text, whole) = (plain(text.unwrap_or_default()), plain(&at_home(whole, home)));
                (text != whole).then(|| format!("the {of} is {}, not {}", short(&text), short(&whole)))
            }
            Claim::Ended(wanted) => match code.flatten() {
                Some(code) if code == *wanted => None,
                Some(code) => Some(format!("the {of} ended with {code}, not with {wanted}")),
                None => Some(format!("the {of} has not ended")),
            },
        };
        self.claims.iter().find_map(no).map_or(Held::Yes, Held::No)
    }
}

/// The topmost window whose title has this part, in any case.
pub(crate) fn window(eyes: &mut dyn Desktop, title: &str) -> Result<Option<Window>, String> {
    let windows = eyes.windows().map_err(|e| e.to_string())?;
    let part = title.to_lowercase();
    Ok(windows.into_iter().find(|w| w.title.to_lowercase().contains(&part)))
}

/// The text among what lies on a clipboard.
fn clipboard_text(formats: &[(String, Vec<u8>)]) -> Option<String> {
    const TEXTS: [&str; 6] =
        ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "STRING", "TEXT", "CF_UNICODETEXT"];
    let of = |name: &&str| formats.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
    let (name, bytes) = TEXTS.iter().find_map(of)?;
    if name == "CF_UNICODETEXT" {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
        return Some(String::from_utf16_lossy(&units).trim_end_matches('\0').to_owned());
    }
    Some(String::from_utf8_lossy(bytes).into_owned())
}

/// The text of a file, as programs of any system write it: by the mark at its start, else UTF-8, else Latin-1.
fn written(bytes: &[u8]) -> String {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.as_chunks::<2>().0.iter().map(|pair| unit(*pair)).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        bytes => std::str::from_utf8(bytes)
            .map_or_else(|_| bytes.iter().copied().map(char::from).collect(), str::to_owned),
    }
}

fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").trim_end().to_owned()
}

fn short(text: &str) -> String {
    match text.char_indices().nth(120) {
        Some((cut, _)) => format!("{:?}...", &text[..cut]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests;
