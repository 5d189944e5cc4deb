//! The clipboard over VNC: cut text in Latin-1, and the extended clipboard in UTF-8 where the server has it.
//!
//! Only text travels, and only so much of it. With the extended clipboard a server asks for our text when a program wants it,
//! which is how it is known that it was taken. This module refuses to send what Latin-1 cannot say to a server that knows
//! nothing else.

use super::decode;
use super::trouble::Trouble;
use flate2::{Compression, write::ZlibEncoder};
use std::io::Write as _;

/// The most text that is kept or sent, in bytes.
pub(crate) const MOST: usize = 1 << 20;

const TEXT: u32 = 1;
const CAPS: u32 = 1 << 24;
const REQUEST: u32 = 1 << 25;
const PEEK: u32 = 1 << 26;
const NOTIFY: u32 = 1 << 27;
const PROVIDE: u32 = 1 << 28;

/// What both sides have said of the clipboard.
#[derive(Default)]
pub(crate) struct Board {
    /// What the server's side has on it.
    theirs: Option<String>,
    /// What we put there.
    ours: Option<String>,
    /// What the server can do, if it has the extended clipboard.
    extended: Option<u32>,
    /// How often it has taken our text.
    taken: u64,
    /// It was asked for what a program has put there.
    waits: bool,
    /// Our text stays, whatever a program has put there meanwhile.
    pasting: bool,
}

impl Board {
    pub(crate) fn text(&self) -> Option<&str> {
        self.ours.as_deref().or(self.theirs.as_deref())
    }

    pub(crate) const fn taken(&self) -> u64 {
        self.taken
    }

    /// True while the text of a program that has just copied something is on its way.
    pub(crate) const fn waits(&self) -> bool {
        self.waits
    }

    /// Our text is to be pasted: the server gets it also if word of an earlier copy comes in only now. Afterwards the
    /// newest text that is not ours counts.
    pub(crate) fn paste(&mut self, pasting: bool) {
        self.pasting = pasting;
    }

    /// What a program has put there last.
    pub(crate) fn theirs(&self) -> Option<&str> {
        self.theirs.as_deref()
    }

    fn theirs_now(&mut self, text: Option<String>) {
        self.theirs = text;
        self.waits = false;
        if !self.pasting {
            self.ours = None;
        }
    }

    /// True if the server says when it takes our text.
    pub(crate) fn tells(&self) -> bool {
        self.extended.is_some_and(|can| can & NOTIFY != 0)
    }

    /// Cut text came: Latin-1, by the protocol; UTF-8 from those who do not care.
    pub(crate) fn cut(&mut self, text: &[u8]) {
        let text = String::from_utf8(text.to_vec())
            .unwrap_or_else(|latin| latin.as_bytes().iter().map(|b| char::from(*b)).collect());
        self.theirs_now(Some(text));
    }

    /// An extended message came; what is to be sent in answer.
    pub(crate) fn message(&mut self, message: &[u8]) -> Result<Option<Vec<u8>>, Trouble> {
        let (flags, rest) =
            message.split_first_chunk::<4>().ok_or_else(|| Trouble::broken("a clipboard without flags"))?;
        let flags = u32::from_be_bytes(*flags);
        if flags & CAPS != 0 {
            self.extended = Some(flags);
            let most = (MOST as u32).to_be_bytes();
            return Ok(Some(frame(CAPS | REQUEST | PEEK | NOTIFY | PROVIDE | TEXT, &most)));
        }
        if flags & PROVIDE != 0 && flags & TEXT != 0 {
            let data = decode::inflate_whole(rest, MOST + 8)?;
            let text = data
                .split_first_chunk::<4>()
                .and_then(|(n, text)| text.get(..u32::from_be_bytes(*n) as usize));
            let text = text.ok_or_else(|| Trouble::broken("a clipboard that is too short"))?;
            let text =
                String::from_utf8_lossy(text.strip_suffix(b"\0").unwrap_or(text)).replace("\r\n", "\n");
            self.theirs_now(Some(text));
            return Ok(None);
        }
        if flags & NOTIFY != 0 {
            if flags & TEXT == 0 {
                self.theirs = None;
                self.waits = false;
                return Ok(None);
            }
            if !self.pasting {
                self.ours = None;
            }
            self.waits = true;
            return Ok(Some(frame(REQUEST | TEXT, &[])));
        }
        if flags & REQUEST != 0 && flags & TEXT != 0 {
            self.taken += 1;
            return Ok(self.ours.as_deref().map(provide));
        }
        if flags & PEEK != 0 {
            return Ok(Some(self.announcement()));
        }
        Ok(None)
    }

    fn announcement(&self) -> Vec<u8> {
        frame(NOTIFY | if self.ours.is_some() { TEXT } else { 0 }, &[])
    }

    /// The messages that give `text` to the server to keep, so that programs have it while nobody listens here. `None` if it
    /// has no way to take it.
    pub(crate) fn give(&mut self, text: &str) -> Option<Vec<u8>> {
        let mut message = self.offer(text)?;
        if self.tells() {
            message.extend(provide(text));
        }
        Some(message)
    }

    /// The message that offers `text` to the server, which asks for it when a program does. `None` if it has no way to take it.
    pub(crate) fn offer(&mut self, text: &str) -> Option<Vec<u8>> {
        if text.len() > MOST {
            return None;
        }
        let message = if self.tells() {
            self.ours = Some(text.to_owned());
            self.announcement()
        } else {
            let latin: Vec<u8> =
                text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect::<Option<_>>()?;
            let mut message = vec![6, 0, 0, 0];
            message.extend((latin.len() as u32).to_be_bytes());
            message.extend(latin);
            self.ours = Some(text.to_owned());
            message
        };
        Some(message)
    }
}

/// An extended message: cut text of a negative length.
fn frame(flags: u32, rest: &[u8]) -> Vec<u8> {
    let length = -(4 + rest.len() as i64) as i32;
    let mut message = vec![6, 0, 0, 0];
    message.extend(length.to_be_bytes());
    message.extend(flags.to_be_bytes());
    message.extend(rest);
    message
}

fn provide(text: &str) -> Vec<u8> {
    let text = text.replace("\r\n", "\n").replace('\n', "\r\n");
    let mut data = (text.len() as u32 + 1).to_be_bytes().to_vec();
    data.extend(text.as_bytes());
    data.push(0);
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory does not fail.
    let _written = packed.write_all(&data);
    frame(PROVIDE | TEXT, &packed.finish().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_both_ways_in_utf8_where_the_server_can() {
        let mut board = Board::default();
        let caps = [(CAPS | REQUEST | NOTIFY | PROVIDE | TEXT).to_be_bytes(), [0; 4]].concat();
        assert!(board.message(&caps).unwrap().is_some());
        let offer = board.offer("Zürich\n你好 😀").unwrap();
        assert_eq!(offer[8..], (NOTIFY | TEXT).to_be_bytes());
        let provided = board.message(&(REQUEST | TEXT).to_be_bytes()).unwrap().unwrap();
        assert_eq!(board.taken(), 1);
        let mut other = Board::default();
        assert_eq!(other.message(&provided[8..]).unwrap(), None);
        assert_eq!(other.text(), Some("Zürich\n你好 😀"));
    }

    #[test]
    fn word_of_an_earlier_copy_does_not_take_the_text_out_of_a_paste() {
        let caps = [(CAPS | REQUEST | NOTIFY | PROVIDE | TEXT).to_be_bytes(), [0; 4]].concat();
        for pasting in [false, true] {
            let mut board = Board::default();
            board.message(&caps).unwrap();
            board.offer("pasted").unwrap();
            board.paste(pasting);
            // A copy of just before is told of.
            assert!(board.message(&(NOTIFY | TEXT).to_be_bytes()).unwrap().is_some() && board.waits());
            let given = board.message(&(REQUEST | TEXT).to_be_bytes()).unwrap();
            assert_eq!(given.is_some(), pasting, "without it the paste would be empty");
            let mut other = Board::default();
            other.message(&caps).unwrap();
            board.message(&provide("copied")[8..]).unwrap();
            assert!(!board.waits() && board.theirs() == Some("copied"));
        }
    }

    #[test]
    fn latin_1_is_all_that_an_old_server_takes() {
        let mut board = Board::default();
        assert_eq!(board.offer("é").unwrap(), [6, 0, 0, 0, 0, 0, 0, 1, 0xe9]);
        assert_eq!(board.offer("€"), None);
        board.cut(&[0xe9, b'!']);
        assert_eq!(board.text(), Some("é!"));
    }

    #[test]
    fn a_bomb_is_refused() {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
        for _ in 0..64 {
            packed.write_all(&[0; 1 << 20]).unwrap();
        }
        let bomb = frame(PROVIDE | TEXT, &packed.finish().unwrap());
        assert!(Board::default().message(&bomb[8..]).is_err());
        assert!(Board::default().message(&[0, 0]).is_err());
    }
}
