//! JSON as people write it: JSON5 and Python's literals, for models whose vendors read their calls so.
//!
//! Texts in single quotes, bare keys, trailing commas, comments, `+1`, `.5`, `True`, `False`, `None`; no hexadecimal. As strict as
//! [`super::json`] about what two readers could read differently: two equal keys, deep nesting, the NUL character, NaN and infinity
//! are refused. Nothing is evaluated.

use serde_json::{Map, Number, Value};

/// Deepest nesting.
const DEPTH: usize = 32;

/// `None` if it is none of it.
pub(super) fn parse(text: &str) -> Option<Value> {
    if text.len() > super::json::LONGEST {
        return None;
    }
    let mut reader = Reader { rest: text };
    let value = reader.value(DEPTH)?;
    reader.blanks()?;
    reader.rest.is_empty().then_some(value)
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn take(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        Some(c)
    }

    /// Blanks and comments; a comment without an end is an error.
    fn blanks(&mut self) -> Option<()> {
        loop {
            self.rest = self.rest.trim_start();
            if self.eat("//") || self.eat("#") {
                self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
            } else if self.eat("/*") {
                self.rest = self.rest.split_once("*/")?.1;
            } else {
                return Some(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        let inside = depth.checked_sub(1)?;
        self.blanks()?;
        match self.rest.chars().next()? {
            '{' => self.object(inside),
            '[' => self.list(']', inside),
            '(' => self.list(')', inside),
            '"' | '\'' => self.text().map(Value::String),
            c if c.is_ascii_digit() || matches!(c, '+' | '-' | '.') => self.number(),
            _ => match self.word() {
                "true" | "True" => Some(Value::Bool(true)),
                "false" | "False" => Some(Value::Bool(false)),
                "null" | "None" => Some(Value::Null),
                _ => None,
            },
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.take()?;
        let mut object = Map::new();
        loop {
            self.blanks()?;
            if self.eat("}") {
                return Some(Value::Object(object));
            }
            let key = match self.rest.chars().next()? {
                '"' | '\'' => self.text()?,
                _ => Some(self.word()).filter(|w| !w.is_empty())?.to_owned(),
            };
            self.blanks()?;
            if !self.eat(":") || object.insert(key, self.value(depth)?).is_some() {
                return None;
            }
            self.comma('}')?;
        }
    }

    fn list(&mut self, close: char, depth: usize) -> Option<Value> {
        self.take()?;
        let mut items = Vec::new();
        loop {
            self.blanks()?;
            if self.rest.starts_with(close) {
                self.take()?;
                return Some(Value::Array(items));
            }
            items.push(self.value(depth)?);
            self.comma(close)?;
        }
    }

    /// A comma, or what closes.
    fn comma(&mut self, close: char) -> Option<()> {
        self.blanks()?;
        (self.eat(",") || self.rest.starts_with(close)).then_some(())
    }

    fn word(&mut self) -> &'t str {
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$')));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    fn number(&mut self) -> Option<Value> {
        let of = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-' | '_');
        let end = self.rest.find(|c| !of(c)).unwrap_or(self.rest.len());
        let (written, rest) = self.rest.split_at(end);
        self.rest = rest;
        let plain = written.strip_prefix('+').unwrap_or(written);
        let digits = plain.strip_prefix('-').unwrap_or(plain);
        let negative = plain.len() > digits.len();
        let decimal = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
        // A zero before a digit means eight to some readers.
        let octal = digits.strip_prefix('0').is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
        if !decimal || octal {
            return None;
        }
        let whole =
            plain.parse::<i64>().map(Number::from).or_else(|_| plain.parse::<u64>().map(Number::from));
        match whole {
            Ok(whole) if !(negative && whole.as_i64() == Some(0)) => Some(Value::Number(whole)),
            _ => Number::from_f64(plain.parse().ok()?).map(Value::Number),
        }
    }

    fn text(&mut self) -> Option<String> {
        let quote = self.take()?;
        let mut text = String::new();
        loop {
            match self.take()? {
                c if c == quote => return Some(text),
                '\0' => return None,
                '\\' => self.escape(&mut text)?,
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Option<()> {
        match self.take()? {
            '\n' => {}
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'x' => text.push(char::from_u32(self.hex(2)?)?),
            'u' => {
                let mut code = self.hex(4)?;
                if (0xD800..0xDC00).contains(&code) {
                    let low =
                        self.eat("\\u").then(|| self.hex(4))?.filter(|l| (0xDC00..0xE000).contains(l))?;
                    code = 0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                }
                text.push(char::from_u32(code)?);
            }
            c if c.is_ascii_digit() => return None,
            c => text.push(c),
        }
        (!text.ends_with('\0')).then_some(())
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let written = self.rest.get(..digits).filter(|w| w.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.rest = self.rest.get(digits..)?;
        u32::from_str_radix(written, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_the_vendors_readers_take() {
        for (text, value) in [
            (
                "{'name': 'a', 'on': True, 'n': None, 'l': (1, 2)}",
                json!({"name": "a", "on": true, "n": null, "l": [1, 2]}),
            ),
            ("{name: \"a\", x: +1, y: .5, w: -3,}", json!({"name": "a", "x": 1, "y": 0.5, "w": -3})),
            ("{\"a\": [1, 2,], // two\n /* b */ 'b': 'it\\'s'}", json!({"a": [1, 2], "b": "it's"})),
            (r#"{"a": "\u00e9\ud83d\ude00\n"}"#, json!({"a": "é😀\n"})),
        ] {
            assert_eq!(parse(text), Some(value), "{text}");
        }
    }

    #[test]
    fn what_could_be_read_twice_is_refused() {
        let deep = format!("{}1{}", "[".repeat(33), "]".repeat(33));
        for text in [
            "",
            "{",
            "{a:1",
            "{a 1}",
            "{a:1 b:2}",
            "{a:1,a:2}",
            "{a:NaN}",
            "{a:Infinity}",
            "{a:1e999}",
            "{a:01x}",
            "{a:--1}",
            "{a:1} {b:2}",
            "{a:x}",
            "{a:'b}",
            "{a:'\\0'}",
            "{'a\0':1}",
            "/*",
            "{a:1 + 1}",
            "{a:__import__('os')}",
            "{a:0x10}",
            "{a:012}",
            "{a:'\\ud800'}",
            &deep,
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        /// Whatever the strict reader takes, this one takes as the same.
        #[test]
        fn it_agrees_with_the_strict_reader(text in r#"[\[\]{}":,0-9a-c \\ue.-]{0,40}"#) {
            if let Ok(strict) = super::super::json::parse(&text) {
                prop_assert_eq!(Some(strict), parse(&text));
            }
        }
    }
}
