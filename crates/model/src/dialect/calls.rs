//! A small grammar for calls written as text: `name(1, "two", key=[3, 4], flag=True)`.
//!
//! Texts with Python's escapes (also in three quotes, also raw), numbers, lists and tuples, `True`, `False`, `None` and their JSON
//! spellings. Nothing is evaluated: an operator, a name, an f-string or a call inside a call is an error with its place. What is
//! read is JSON, so that one reader of arguments ([`super::fields`]) serves every dialect.

use super::reject::{Fits, Misfit, short};
use serde_json::{Map, Number, Value};

/// Longest text that is read, in bytes; the same as of arguments in JSON.
pub(super) use super::json::LONGEST;

/// Deepest list in a list.
const DEPTH: usize = 8;
/// Most arguments of a call, and most calls of a text.
const MOST: usize = 64;
/// Most items of a list.
const ITEMS: usize = 1024;

/// A call as it was written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    /// With its dots: `pyautogui.click`.
    pub(super) name: String,
    /// Arguments without a name, in their order.
    pub(super) positional: Vec<Value>,
    pub(super) named: Map<String, Value>,
}

impl Call {
    /// The arguments by name; those without one get the names of `order`, as Python gives them.
    pub(super) fn bind(self, order: &[&str]) -> Fits<Map<String, Value>> {
        if self.positional.len() > order.len() {
            let words = format!(
                "`{}` takes {} arguments without a name, not {}",
                short(&self.name),
                order.len(),
                self.positional.len()
            );
            return Err(Misfit::malformed(words));
        }
        let mut bound = self.named;
        for (name, value) in order.iter().zip(self.positional) {
            if bound.insert((*name).to_owned(), value).is_some() {
                return Err(Misfit::malformed(format!("`{}` gets `{name}` twice", short(&self.name))));
            }
        }
        Ok(bound)
    }
}

/// The whole text as one call.
pub(super) fn one(text: &str) -> Fits<Call> {
    let (call, rest) = first(text)?;
    if rest.trim().is_empty() {
        return Ok(call);
    }
    Err(Misfit::malformed(format!(
        "there is more after the call of `{}`: {:?}",
        short(&call.name),
        short(rest.trim())
    )))
}

/// The call that the text begins with, and what comes after it. Blanks before it do not count.
pub(super) fn first(text: &str) -> Fits<(Call, &str)> {
    if text.len() > LONGEST {
        return Err(Misfit::out_of_range(format!(
            "the text is {} bytes long, at most {LONGEST} are read",
            text.len()
        )));
    }
    let mut reader = Reader { text, at: 0 };
    reader.blanks();
    let call = reader.call()?;
    Ok((call, text.get(reader.at..).unwrap_or_default()))
}

/// All calls of a text, with blanks, line breaks and `;` between them, and `#` comments to the end of a line.
pub(super) fn all(text: &str) -> Fits<Vec<Call>> {
    let mut calls = Vec::new();
    let mut rest = between(text);
    while !rest.is_empty() {
        let (call, after) = first(rest).map_err(|m| m.of_call(calls.len()))?;
        calls.push(call);
        if calls.len() > MOST {
            return Err(Misfit::out_of_range(format!("there are more than {MOST} calls")));
        }
        let next = between(after);
        // Two calls on one line need something between them.
        if !next.is_empty()
            && !after.get(..after.len() - next.len()).is_some_and(|gap| gap.contains(['\n', ';']))
        {
            return Err(Misfit::malformed(format!("{:?} stands right after a call", short(next)))
                .of_call(calls.len()));
        }
        rest = next;
    }
    Ok(calls)
}

fn between(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
        match text.strip_prefix('#') {
            Some(comment) => text = comment.find('\n').and_then(|end| comment.get(end..)).unwrap_or_default(),
            None => return text,
        }
    }
}

/// A name, and everything between its brackets as it stands there, for grammars without quotes: `type(hello (world))`. The text
/// must end with the bracket that closes the first one.
pub(super) fn bare(text: &str) -> Fits<(&str, &str)> {
    let text = text.trim();
    let broken = || Misfit::malformed(format!("{:?} is no call: write name(...)", short(text)));
    if text.len() > LONGEST {
        return Err(Misfit::out_of_range(format!(
            "the text is {} bytes long, at most {LONGEST} are read",
            text.len()
        )));
    }
    let (name, rest) = text.split_once('(').ok_or_else(broken)?;
    let inside = rest.strip_suffix(')').ok_or_else(broken)?;
    let name = name.trim();
    if !is_name(name) || inside.contains('\0') {
        return Err(broken());
    }
    Ok((name, inside))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
        && !text.ends_with('.')
        && !text.contains("..")
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, token: &str) -> bool {
        let there = self.rest().starts_with(token);
        if there {
            self.at += token.len();
        }
        there
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// What was expected, and what stands there.
    fn fault(&self, expected: &str) -> Misfit {
        let rest: String = self.rest().chars().take(20).collect();
        if rest.is_empty() {
            return Misfit::malformed(format!("it ends where {expected} belongs"));
        }
        Misfit::malformed(format!("{:?} stands where {expected} belongs", short(&rest)))
    }

    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    fn call(&mut self) -> Fits<Call> {
        let begin = self.at;
        let name = self.word();
        if !is_name(name) {
            self.at = begin;
            return Err(self.fault("a call like name(...)"));
        }
        self.blanks();
        if !self.eat("(") {
            return Err(self.fault("`(`"));
        }
        let mut call = Call { name: name.to_owned(), positional: Vec::new(), named: Map::new() };
        loop {
            self.blanks();
            if self.eat(")") {
                return Ok(call);
            }
            if call.positional.len() + call.named.len() >= MOST {
                return Err(Misfit::out_of_range(format!(
                    "`{}` has more than {MOST} arguments",
                    short(name)
                )));
            }
            self.argument(&mut call).map_err(|m| m.within(name))?;
            self.blanks();
            if !self.eat(",") && self.peek() != Some(')') {
                return Err(self.fault("`,` or `)`").within(name));
            }
        }
    }

    fn argument(&mut self, call: &mut Call) -> Fits<()> {
        let begin = self.at;
        let word = self.word();
        self.blanks();
        let named = is_name(word) && !word.contains('.') && !self.rest().starts_with("==") && self.eat("=");
        if !named {
            self.at = begin;
            if !call.named.is_empty() {
                return Err(self.fault("an argument with a name"));
            }
            call.positional.push(self.value(DEPTH)?);
            return Ok(());
        }
        self.blanks();
        let value = self.value(DEPTH)?;
        if call.named.insert(word.to_owned(), value).is_some() {
            return Err(Misfit::malformed(format!("`{}` stands twice", short(word))));
        }
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Fits<Value> {
        match self.peek() {
            Some('\'' | '"') => self.text(false).map(Value::String),
            Some('[') => self.list(']', depth).map(Value::Array),
            Some('(') => self.list(')', depth).map(Value::Array),
            Some(c) if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => self.number(),
            Some('r' | 'R') if self.rest().get(1..).is_some_and(|r| r.starts_with(['\'', '"'])) => {
                self.at += 1;
                self.text(true).map(Value::String)
            }
            _ => {
                let begin = self.at;
                let value = match self.word() {
                    "True" | "true" => Value::Bool(true),
                    "False" | "false" => Value::Bool(false),
                    "None" | "null" => Value::Null,
                    _ => {
                        self.at = begin;
                        return Err(self.fault("a value (a text in quotes, a number or a list)"));
                    }
                };
                Ok(value)
            }
        }
    }

    fn list(&mut self, close: char, depth: usize) -> Fits<Vec<Value>> {
        let Some(inside) = depth.checked_sub(1) else {
            return Err(Misfit::malformed(format!("lists are nested deeper than {DEPTH}")));
        };
        self.next();
        let mut items = Vec::new();
        loop {
            self.blanks();
            if self.peek() == Some(close) {
                self.next();
                return Ok(items);
            }
            if items.len() >= ITEMS {
                return Err(Misfit::out_of_range(format!("a list has more than {ITEMS} items")));
            }
            items.push(self.value(inside)?);
            self.blanks();
            if !self.eat(",") && self.peek() != Some(close) {
                return Err(self.fault("`,` or the end of the list"));
            }
        }
    }

    fn number(&mut self) -> Fits<Value> {
        let begin = self.at;
        let rest = self.rest();
        let end = rest
            .char_indices()
            .find(|(i, c)| {
                let sign = matches!(c, '-' | '+')
                    && (*i == 0 || rest.get(..*i).is_some_and(|r| r.ends_with(['e', 'E'])));
                !(c.is_ascii_alphanumeric() || *c == '.' || sign)
            })
            .map_or(rest.len(), |(i, _)| i);
        let written = rest.get(..end).unwrap_or_default();
        self.at += end;
        let plain = written.strip_prefix('+').unwrap_or(written);
        let digits = plain.strip_prefix('-').unwrap_or(plain);
        let decimal = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-' | '+'));
        let value = if let (true, Ok(whole)) = (decimal, plain.parse::<i64>()) {
            Some(Number::from(whole))
        } else {
            plain.parse::<f64>().ok().filter(|_| decimal).and_then(Number::from_f64)
        };
        match value {
            Some(number) => Ok(Value::Number(number)),
            None => {
                self.at = begin;
                Err(self.fault("a number"))
            }
        }
    }

    fn text(&mut self, raw: bool) -> Fits<String> {
        let quote = match self.peek() {
            Some('"') => "\"",
            _ => "'",
        };
        let triple = quote.repeat(3);
        let long = self.rest().starts_with(&triple);
        let end = if long { triple.as_str() } else { quote };
        self.at += end.len();
        let mut text = String::new();
        loop {
            if self.eat(end) {
                break;
            }
            let Some(c) = self.next() else {
                return Err(Misfit::malformed("a text in quotes has no end"));
            };
            match c {
                '\\' if raw => {
                    text.push('\\');
                    text.extend(self.next());
                }
                '\\' => self.escape(&mut text)?,
                '\0' => return Err(Misfit::malformed("a text holds the NUL character")),
                c => text.push(c),
            }
        }
        self.blanks();
        // Python would join them; a model that writes it has lost a comma or a quote.
        if matches!(self.peek(), Some('\'' | '"')) {
            return Err(self.fault("`,` or `)`"));
        }
        Ok(text)
    }

    /// What stands after a backslash. An unknown escape keeps its backslash, as in Python: Windows paths are written so.
    fn escape(&mut self, text: &mut String) -> Fits<()> {
        let broken = |what: &str| Misfit::malformed(format!("\\{} is no escape", short(what)));
        let c = self.next().ok_or_else(|| broken(""))?;
        match c {
            '\n' => {}
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            '\\' | '\'' | '"' => text.push(c),
            'x' | 'u' | 'U' => {
                let digits = match c {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let mut code = self.hex(digits).ok_or_else(|| broken(&c.to_string()))?;
                // Two halves, as JSON writes what is beyond the first plane.
                if c == 'u' && (0xD800..0xDC00).contains(&code) && self.eat("\\u") {
                    let low = self.hex(4).filter(|l| (0xDC00..0xE000).contains(l));
                    let low = low.ok_or_else(|| broken("u"))?;
                    code = 0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                }
                match char::from_u32(code) {
                    Some(c) if c != '\0' => text.push(c),
                    _ => return Err(broken(&format!("{c}{code:x}"))),
                }
            }
            '0'..='7' | 'a' | 'b' | 'f' | 'v' | 'N' => return Err(broken(&c.to_string())),
            c => text.extend(['\\', c]),
        }
        Ok(())
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let written = self.rest().get(..digits)?;
        let code = written
            .bytes()
            .all(|b| b.is_ascii_hexdigit())
            .then(|| u32::from_str_radix(written, 16).ok())??;
        self.at += digits;
        Some(code)
    }
}

#[cfg(test)]
mod tests;
