//! Server-sent events: lines, split anywhere, into events.
//!
//! Follows the HTML standard's rules for `text/event-stream`: CR, LF or both end a line, a colon begins a comment, an empty line
//! sends the event, an event that is not sent when the stream ends is dropped. Ids and retry times mean nothing here. Nothing is
//! kept without a bound, and what is no UTF-8 is refused instead of mended: mended text could be a call.

/// One event: its name, empty if it has none, and its data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Event {
    pub name: String,
    pub data: String,
}

/// Turns pieces of a stream into events.
#[derive(Debug)]
pub struct Decoder {
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    /// The last byte was a CR: an LF after it belongs to the same end of a line.
    after_cr: bool,
    first_line: bool,
    /// Most bytes of one event.
    cap: usize,
}

impl Decoder {
    pub const fn new(cap: usize) -> Self {
        Self {
            line: Vec::new(),
            event: Event { name: String::new(), data: String::new() },
            has_data: false,
            after_cr: false,
            first_line: true,
            cap,
        }
    }

    /// Takes the next bytes and adds the events that they complete.
    pub fn push(&mut self, piece: &[u8], events: &mut Vec<Event>) -> Result<(), String> {
        for &byte in piece {
            let ends = match byte {
                b'\n' if self.after_cr => {
                    self.after_cr = false;
                    continue;
                }
                b'\r' | b'\n' => true,
                _ => false,
            };
            self.after_cr = byte == b'\r';
            if ends {
                events.extend(self.end_of_line()?);
            } else if self.line.len() + self.event.data.len() >= self.cap {
                return Err(format!("an event of the stream is longer than {} bytes", self.cap));
            } else {
                self.line.push(byte);
            }
        }
        Ok(())
    }

    fn end_of_line(&mut self) -> Result<Option<Event>, String> {
        let bytes = std::mem::take(&mut self.line);
        let line = std::str::from_utf8(&bytes).map_err(|_| "a line of the stream is no UTF-8".to_owned())?;
        let line = if std::mem::take(&mut self.first_line) {
            line.strip_prefix('\u{feff}').unwrap_or(line)
        } else {
            line
        };
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return Ok(std::mem::take(&mut self.has_data).then_some(event));
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event.name),
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.has_data = true;
            }
            // A comment (the empty name), an id, a retry time, or nothing that is known.
            _ => {}
        }
        // The buffer of a line is used again.
        self.line = bytes;
        self.line.clear();
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn events(pieces: &[&[u8]]) -> Result<Vec<Event>, String> {
        let mut decoder = Decoder::new(1000);
        let mut events = Vec::new();
        pieces.iter().try_for_each(|p| decoder.push(p, &mut events))?;
        Ok(events)
    }

    fn event(name: &str, data: &str) -> Event {
        Event { name: name.into(), data: data.into() }
    }

    #[test]
    fn the_forms_of_the_standard_are_read() {
        for (text, want) in [
            ("data: a\n\n", vec![event("", "a")]),
            ("data:a\r\n\r\n", vec![event("", "a")]),
            ("data:  a\r\rdata: b\r\r", vec![event("", " a"), event("", "b")]),
            ("event: x\ndata: a\ndata: b\n\n", vec![event("x", "a\nb")]),
            (": hello\n\nevent: x\n\ndata\n\n", vec![event("", "")]),
            ("id: 7\nretry: 10\nodd: x\ndata: {\"a\": \"b: c\"}\n\n", vec![event("", "{\"a\": \"b: c\"}")]),
            ("\u{feff}data: a\n\n", vec![event("", "a")]),
            ("data: sent\n\ndata: not sent\n", vec![event("", "sent")]),
            ("data: é\u{1f600}\n\n", vec![event("", "é\u{1f600}")]),
        ] {
            assert_eq!(events(&[text.as_bytes()]).unwrap(), want, "{text:?}");
        }
    }

    #[test]
    fn what_has_no_end_or_is_no_text_is_refused() {
        assert!(events(&[&[b'x'; 1001]]).unwrap_err().contains("longer than 1000"));
        let lines = "data: 0123456789\n".repeat(100);
        assert!(events(&[lines.as_bytes()]).is_err(), "many lines of one event are bounded together");
        assert!(events(&[b"data: \xff\n\n"]).unwrap_err().contains("UTF-8"));
        let comments = ": ping\n\n".repeat(10_000);
        assert_eq!(events(&[comments.as_bytes()]).unwrap(), [], "comments are not kept");
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_a_stream_is_split(
            lines in prop::collection::vec("(data: ?|event:|:|)[a-zé:{}\"]{0,6}", 0..12),
            ends in prop::collection::vec(0..3_usize, 12),
            cuts in prop::collection::vec(0..200_usize, 0..6),
        ) {
            let text: String = lines.iter().zip(&ends).map(|(l, e)| format!("{l}{}", ["\n", "\r", "\r\n"][*e])).collect();
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|c| *c <= bytes.len()).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
            prop_assert_eq!(events(&pieces).unwrap(), events(&[bytes]).unwrap());
        }
    }
}
