//! Broken replies by the thousand, from a seed.
//!
//! Each kind is a small grammar of one way in which models and servers go wrong, for the five tools of `stateless`; mutations of good
//! replies go beyond what anybody thought of. What must become of each is known from how it was made, never from asking the
//! product.

mod kinds;

use super::Reply;
use kinds::KINDS;
use serde_json::{Map, Value, json};

/// What must become of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Nothing may be done.
    Unusable,
    /// Odd, but its first call must be understood: a check that only ever refuses would pass otherwise.
    Usable,
    /// Nobody knows, but whatever is done must be a proper call of one of the five tools.
    Either,
}

#[derive(Debug, Clone)]
pub struct Malformed {
    pub kind: &'static str,
    pub expect: Expect,
    /// The body of a reply with status 200.
    pub body: Vec<u8>,
}

impl Malformed {
    pub fn reply(&self) -> Reply {
        Reply::Body(self.body.clone())
    }
}

/// A reply of any kind; neighbouring seeds give different kinds.
pub fn malformed(seed: u64) -> Malformed {
    make(KINDS.iter().collect::<Vec<_>>().as_slice(), seed)
}

/// A reply of which nothing may be done.
pub fn unusable(seed: u64) -> Malformed {
    make(&KINDS.iter().filter(|k| k.1 == Expect::Unusable).collect::<Vec<_>>(), seed)
}

/// The names of all kinds.
pub fn kinds() -> Vec<&'static str> {
    KINDS.iter().map(|k| k.0).collect()
}

/// Whether a call is one that `stateless` may run: written out by hand, beside any schema.
pub fn is_proper_call(tool: &str, args: &Map<String, Value>) -> bool {
    let text = |key: &str| args.get(key).and_then(Value::as_str).is_some_and(|t| !t.contains('\0'));
    let number = |key: &str| args.get(key).and_then(Value::as_f64).is_some_and(f64::is_finite);
    let fields = match tool {
        "observe" | "done" => 1,
        "click" if number("x") && number("y") => 3,
        "type" if text("text") => 2,
        "scroll" if number("dy") => 2,
        _ => return false,
    };
    text("reason") && args.len() == fields
}

type Kind = (&'static str, Expect, fn(&mut Dice) -> Vec<u8>);

fn make(kinds: &[&Kind], seed: u64) -> Malformed {
    let (kind, expect, grow) = kinds[(seed % kinds.len() as u64) as usize];
    Malformed { kind, expect: *expect, body: grow(&mut Dice(seed ^ 0x5eed)) }
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    fn words(&mut self) -> String {
        let n = 1 + self.below(6);
        let some =
            ["the", "OK", "button", "is", "ready", "Añ€😀", "\"quoted\"", "line\nbreak", "{brace", "\\"];
        (0..n).map(|_| self.pick(&some)).collect::<Vec<_>>().join(" ")
    }

    fn number(&mut self) -> Value {
        match self.below(4) {
            0 => json!(self.below(1001)),
            1 => json!(self.below(100_000) as f64 / 100.0),
            2 => json!(-(self.below(2000) as i64)),
            _ => json!(120 * self.below(9)),
        }
    }

    /// A proper call.
    fn call(&mut self) -> (&'static str, Map<String, Value>) {
        let tool = self.pick(&["observe", "click", "type", "scroll", "done"]);
        let mut args = Map::new();
        match tool {
            "click" => {
                args.insert("x".into(), self.number());
                args.insert("y".into(), self.number());
            }
            "type" => {
                args.insert("text".into(), self.words().into());
            }
            "scroll" => {
                args.insert("dy".into(), self.number());
            }
            _ => {}
        }
        args.insert("reason".into(), self.words().into());
        (tool, args)
    }

    /// One of the fields of a call.
    fn field(&mut self, args: &Map<String, Value>) -> String {
        let names: Vec<&str> = args.keys().map(String::as_str).collect();
        self.pick(&names).to_owned()
    }

    /// The text of arguments with one value replaced by raw JSON, however wrong.
    fn with_raw(&mut self, raw: &str) -> Vec<u8> {
        let (tool, mut args) = self.call();
        let field = self.field(&args);
        args.insert(field, Value::String("@@".into()));
        one_call(tool, &Value::Object(args).to_string().replace("\"@@\"", raw))
    }
}

fn text(args: Map<String, Value>) -> String {
    Value::Object(args).to_string()
}

/// A reply with one call whose arguments are this text.
fn one_call(tool: &str, arguments: &str) -> Vec<u8> {
    raw_calls(
        &json!([{"id": "call_1", "type": "function", "function": {"name": tool, "arguments": arguments}}])
            .to_string(),
    )
}

/// A reply with this JSON as its calls.
fn raw_calls(calls: &str) -> Vec<u8> {
    raw_message(&format!(r#"{{"role":"assistant","content":null,"tool_calls":{calls}}}"#), "tool_calls")
}

/// A reply with this JSON as its message.
fn raw_message(message: &str, finish: &str) -> Vec<u8> {
    format!(
        r#"{{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"test-model","choices":[{{"index":0,"message":{message},"logprobs":null,"finish_reason":"{finish}"}}],"usage":{{"prompt_tokens":900,"completion_tokens":30,"total_tokens":930}}}}"#
    )
    .into_bytes()
}

fn good(d: &mut Dice) -> Vec<u8> {
    let (tool, args) = d.call();
    one_call(tool, &text(args))
}

/// Two calls, their arguments as they are.
fn two(ids: [&str; 2], a: (&str, &str), b: (&str, &str)) -> Vec<u8> {
    let call = |id: &str, (name, args): (&str, &str)| json!({"id": id, "type": "function", "function": {"name": name, "arguments": args}});
    raw_calls(&json!([call(ids[0], a), call(ids[1], b)]).to_string())
}

fn nested(d: &mut Dice) -> String {
    let n = *d.pick(&[&40, &1_000, &10_000]);
    let (open, close) = if d.below(2) == 0 { ("[", "]") } else { ("{\"a\":", "}") };
    format!("{}1{}", open.repeat(n), close.repeat(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_reply_and_another_seed_another() {
        let mut bodies = std::collections::HashSet::new();
        for seed in 0..2_000 {
            let made = malformed(seed);
            assert_eq!(made.body, malformed(seed).body);
            bodies.insert(made.body);
        }
        assert!(bodies.len() > 1_500, "{} different bodies", bodies.len());
        assert!((0..500).all(|seed| unusable(seed).expect == Expect::Unusable));
    }

    #[test]
    fn a_proper_call_is_told_from_others() {
        let mut dice = Dice(1);
        for _ in 0..500 {
            let (tool, mut args) = dice.call();
            assert!(is_proper_call(tool, &args), "{tool} {args:?}");
            assert!(!is_proper_call("exec", &args));
            args.insert("cmd".into(), "ls".into());
            assert!(!is_proper_call(tool, &args));
            args.remove("cmd");
            args.remove("reason");
            assert!(!is_proper_call(tool, &args));
        }
    }
}
