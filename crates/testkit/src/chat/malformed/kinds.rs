//! The kinds of broken reply, one entry each.

use super::Expect::{Either, Unusable, Usable};
use super::{Kind, good, nested, one_call, raw_calls, raw_message, text, two};
use serde_json::{Value, json};

pub(super) static KINDS: &[Kind] = &[
    ("arguments cut off", Unusable, |d| {
        let (tool, args) = d.call();
        let whole = text(args);
        let cut: String = whole.chars().take(d.below(whole.chars().count())).collect();
        one_call(tool, &cut)
    }),
    ("arguments that are no object", Unusable, |d| {
        let (tool, args) = d.call();
        let list = Value::Array(args.values().cloned().collect()).to_string();
        let forms = ["null", "true", "7", "\"click\"", "[]", "", " ", "undefined", list.as_str()];
        one_call(tool, d.pick(&forms))
    }),
    ("arguments encoded twice", Unusable, |d| {
        let (tool, args) = d.call();
        one_call(tool, &Value::String(text(args)).to_string())
    }),
    ("an unknown tool", Unusable, |d| {
        let (_, args) = d.call();
        let names = [
            "exec",
            "run",
            "Click",
            " click",
            "click\n",
            "click\u{0}",
            "",
            "observe_",
            "功能",
            "functions.click",
        ];
        one_call(d.pick(&names), &text(args))
    }),
    ("a missing field", Unusable, |d| {
        let (tool, mut args) = d.call();
        let field = d.field(&args);
        args.remove(&field);
        one_call(tool, &text(args))
    }),
    ("a field with another case", Unusable, |d| {
        let (tool, mut args) = d.call();
        let field = d.field(&args);
        let value = args.remove(&field).unwrap_or_default();
        args.insert(field.to_uppercase(), value);
        one_call(tool, &text(args))
    }),
    ("fields inside another object", Unusable, |d| {
        let (tool, args) = d.call();
        one_call(tool, &json!({ d.pick(&["arguments", "parameters", "input", "args"]): args }).to_string())
    }),
    ("a number for a text or a text for a number", Unusable, |d| {
        let (tool, mut args) = d.call();
        let field = d.field(&args);
        let wrong = match &args[&field] {
            Value::Number(n) => Value::String(n.to_string()),
            _ => d.number(),
        };
        args.insert(field, wrong);
        one_call(tool, &text(args))
    }),
    ("a value of no use", Unusable, |d| {
        let raw = d.pick(&["null", "true", "[500, 300]", "{\"value\": 5}", "[]", "{}"]);
        d.with_raw(raw)
    }),
    ("a number that is none", Unusable, |d| {
        let forms = [
            "NaN",
            "Infinity",
            "-Infinity",
            "1e999",
            "-1e999",
            "0x1F4",
            "+5",
            "05",
            ".5",
            "5.",
            "1_000",
            "1e",
            "--5",
        ];
        let raw = d.pick(&forms);
        d.with_raw(raw)
    }),
    ("JSON of another language", Unusable, |d| {
        let (tool, args) = d.call();
        let whole = text(args);
        let body = match d.below(6) {
            0 => whole.replace('"', "'"),
            1 => whole.replace('}', ",}"),
            2 => format!("// click\n{whole}"),
            3 => format!("```json\n{whole}\n```"),
            4 => format!("\u{feff}{whole}"),
            _ => whole.replace(':', "="),
        };
        one_call(tool, &body)
    }),
    ("something after the arguments", Unusable, |d| {
        let (tool, args) = d.call();
        let more = d.pick(&["}", "]", " and then", "{}", "\u{0}", "<|im_end|>"]);
        one_call(tool, &format!("{}{more}", text(args)))
    }),
    ("one key twice", Unusable, |d| {
        let (tool, args) = d.call();
        let field = d.field(&args);
        let again = json!({ field.as_str(): args[&field] }).to_string();
        let whole = text(args);
        one_call(tool, &format!("{},{}", &whole[..whole.len() - 1], &again[1..]))
    }),
    ("the NUL character", Unusable, |d| {
        let raw = d.pick(&[r#""a\u0000b""#, r#""\u0000""#]);
        d.with_raw(raw)
    }),
    ("half a surrogate pair in the arguments", Unusable, |d| {
        let raw = d.pick(&[r#""\ud800""#, r#""\udc00""#, r#""a\ud83d b""#, r#""\ude00\ud83d""#]);
        d.with_raw(raw)
    }),
    ("half a surrogate pair around the arguments", Unusable, |d| {
        let (tool, args) = d.call();
        let body = String::from_utf8(one_call(tool, &text(args))).unwrap_or_default();
        let (from, to) = match d.below(2) {
            0 => (r#""content":null"#.to_owned(), r#""content":"\ud800""#),
            _ => (format!(r#""name":"{tool}""#), r#""name":"\udfff""#),
        };
        body.replace(&from, to).into_bytes()
    }),
    ("nested without end", Unusable, |d| {
        let raw = nested(d);
        d.with_raw(&raw)
    }),
    ("nested without end in a field too many", Unusable, |d| {
        let (tool, args) = d.call();
        let whole = text(args);
        one_call(tool, &format!("{},\"extra\":{}}}", &whole[..whole.len() - 1], nested(d)))
    }),
    ("a text without end", Unusable, |d| {
        let (tool, mut args) = d.call();
        let field = d.field(&args);
        let piece = d.pick(&["a", "é", "😀 ", "\"\\"]);
        args.insert(field, piece.repeat(66_000 / piece.len() + 1 + d.below(5_000)).into());
        one_call(tool, &text(args))
    }),
    ("two calls with one id", Unusable, |d| {
        let ((a, a_args), (b, b_args)) = (d.call(), d.call());
        two(["call_1", "call_1"], (a, &text(a_args)), (b, &text(b_args)))
    }),
    ("a bad call before a good one", Unusable, |d| {
        let ((a, mut a_args), (b, b_args)) = (d.call(), d.call());
        a_args.remove("reason");
        two(["call_1", "call_2"], (a, &text(a_args)), (b, &text(b_args)))
    }),
    ("a call told as prose", Unusable, |d| {
        let (tool, args) = d.call();
        let args = text(args);
        let said = match d.below(6) {
            0 => format!(r#"{{"name":"{tool}","arguments":{args}}}"#),
            1 => format!("<tool_call>\n{{\"name\":\"{tool}\",\"arguments\":{args}}}\n</tool_call>"),
            2 => format!("```tool_code\n{tool}({args})\n```"),
            3 => format!("Action: {tool}(start_box='(500,300)')"),
            4 => format!("[TOOL_CALLS] [{{\"name\": \"{tool}\", \"arguments\": {args}}}]"),
            _ => format!("I called {tool} with {args} and it worked."),
        };
        raw_message(&json!({"role": "assistant", "content": said}).to_string(), "stop")
    }),
    ("nothing said", Unusable, |d| {
        let message = d.pick(&[
            r#"{"role":"assistant","content":null}"#,
            r#"{"role":"assistant","content":""}"#,
            r#"{"role":"assistant","content":" \n"}"#,
            r#"{"role":"assistant"}"#,
            r#"{"role":"assistant","content":[],"tool_calls":[]}"#,
            r#"{"role":"assistant","content":"","tool_calls":null}"#,
        ]);
        raw_message(message, "stop")
    }),
    ("a refusal", Unusable, |d| {
        let message = d.pick(&[
            r#"{"role":"assistant","content":null,"refusal":"I can't help with that."}"#,
            r#"{"role":"assistant","content":"I'm sorry, but I cannot control a computer."}"#,
        ]);
        raw_message(message, "stop")
    }),
    ("a call in the old form", Unusable, |d| {
        let (tool, args) = d.call();
        let call = json!({"name": tool, "arguments": text(args)});
        raw_message(
            &json!({"role": "assistant", "content": null, "function_call": call}).to_string(),
            "function_call",
        )
    }),
    ("a reply cut by its limit", Unusable, |d| {
        let finish = d.pick(&["length", "content_filter"]);
        let body = String::from_utf8(good(d)).unwrap_or_default();
        body.replace(r#""finish_reason":"tool_calls""#, &format!(r#""finish_reason":"{finish}""#))
            .into_bytes()
    }),
    ("half a reply", Unusable, |d| {
        let mut body = good(d);
        body.truncate(d.below(body.len()));
        body
    }),
    ("no reply at all", Unusable, |d| {
        let forms: [&[u8]; 9] = [
            b"",
            b" \n\t",
            b"null",
            b"OK",
            b"<html><body><h1>502 Bad Gateway</h1></body></html>",
            b"upstream connect error or disconnect/reset before headers",
            b"data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n",
            b"\xff\xfe\x00\x01",
            b"{\"detail\":\"Not Found\"}",
        ];
        d.pick(&forms).to_vec()
    }),
    ("an error with status 200", Unusable, |d| {
        let forms: [&[u8]; 3] = [
            br#"{"error":{"message":"model crashed","type":"server_error"},"choices":[]}"#,
            br#"{"error":"Unexpected endpoint or method."}"#,
            br#"{"object":"error","message":"out of memory","code":500}"#,
        ];
        d.pick(&forms).to_vec()
    }),
    ("choices of another shape", Unusable, |d| {
        let (tool, args) = d.call();
        let message = json!({"tool_calls": [{"id": "1", "type": "function", "function": {"name": tool, "arguments": text(args)}}]});
        let choices = match d.below(7) {
            0 => json!([]),
            1 => json!(null),
            2 => json!({"message": message}),
            3 => json!([[message]]),
            4 => json!([{"delta": message}]),
            5 => json!([{"message": [null, null, message["tool_calls"]]}]),
            _ => json!([{"message": message.to_string()}]),
        };
        json!({ "choices": choices }).to_string().into_bytes()
    }),
    ("calls of another shape", Unusable, |d| {
        let (tool, args) = d.call();
        let function = json!({"name": tool, "arguments": text(args)});
        let calls = match d.below(8) {
            0 => json!({"id": "1", "function": function}),
            1 => json!([[function]]),
            2 => json!([function]),
            3 => json!([null]),
            4 => json!([{"id": "1", "function": [tool, function["arguments"]]}]),
            5 => json!([{"id": 1, "function": {"name": tool}}]),
            6 => json!([{"function": {"arguments": function["arguments"]}}]),
            _ => json!(function.to_string()),
        };
        raw_calls(&calls.to_string())
    }),
    ("a field of the reply twice", Unusable, |d| {
        let (tool, args) = d.call();
        let args = Value::String(text(args)).to_string();
        raw_calls(&match d.below(3) {
            0 => format!(
                r#"[{{"id":"1","function":{{"name":"{tool}","arguments":{args},"arguments":{args}}}}}]"#
            ),
            1 => {
                format!(r#"[{{"id":"1","function":{{"name":"{tool}","name":"click","arguments":{args}}}}}]"#)
            }
            _ => {
                let one = format!(r#"[{{"id":"1","function":{{"name":"{tool}","arguments":{args}}}}}]"#);
                format!(r#"{one},"tool_calls":{one}"#)
            }
        })
    }),
    ("bytes that are no text", Unusable, |d| {
        let mut body = good(d);
        let at = body.windows(9).position(|w| w == b"\"content\"").unwrap_or_default();
        body.splice(at + 10..at + 14, *b"\"\xc3\x28\"");
        body
    }),
    ("a reply nested without end", Unusable, |d| {
        format!(r#"{{"choices":[{{"message":{}}}]}}"#, nested(d)).into_bytes()
    }),
    ("a field too many", Usable, |d| {
        let (tool, mut args) = d.call();
        let name = d.pick(&["thought", "button", "cmd", "X ", "", "id"]);
        args.insert(name.into(), json!({"anything": [1, "rm -rf /"]}));
        one_call(tool, &text(args))
    }),
    ("a good call before others", Usable, |d| {
        let ((a, a_args), (_, b_args)) = (d.call(), d.call());
        two(["call_1", "call_2"], (a, &text(a_args)), (d.pick(&["exec", "click", ""]), &text(b_args)[1..]))
    }),
    ("arguments as an object", Usable, |d| {
        let (tool, args) = d.call();
        raw_calls(
            &json!([{"id": "1", "type": "function", "function": {"name": tool, "arguments": args}}])
                .to_string(),
        )
    }),
    ("words beside a call", Usable, |d| {
        let (tool, args) = d.call();
        let call =
            json!([{"id": "1", "type": "function", "function": {"name": tool, "arguments": text(args)}}]);
        let message = json!({"role": "assistant", "content": d.words(), "reasoning_content": d.words(), "tool_calls": call});
        raw_message(&message.to_string(), "stop")
    }),
    ("little around a call", Usable, |d| {
        let (tool, args) = d.call();
        let call = json!([{"function": {"name": tool, "arguments": format!("\n {} \t", text(args))}}]);
        let usage =
            d.pick(&["null", "{}", "[]", "\"none\"", r#"{"prompt_tokens":-1,"completion_tokens":"x"}"#]);
        format!(r#"{{"usage":{usage},"choices":[{{"message":{{"tool_calls":{call}}}}}]}}"#).into_bytes()
    }),
    ("keys and numbers written otherwise", Usable, |d| {
        let forms = [
            r#"{"\u0078":5e2,"y":3.0E+2,"reason":"\u0041\ud83d\ude00"}"#,
            r#"{"reason":"","y":-0,"x":1e300}"#,
            r#"{ "x" : 123456789012345678901234567890 , "y" : 0.1e-7, "reason" : "\/" }"#,
        ];
        one_call("click", d.pick(&forms))
    }),
    ("a good reply", Usable, good),
    ("a good reply with one byte changed", Either, |d| {
        let mut body = good(d);
        let at = d.below(body.len());
        body[at] = d.next() as u8;
        body
    }),
    ("a good reply with bytes gone or doubled", Either, |d| {
        let mut body = good(d);
        let from = d.below(body.len());
        let to = (from + 1 + d.below(12)).min(body.len());
        if d.below(2) == 0 {
            body.drain(from..to);
        } else {
            let again = body[from..to].to_vec();
            body.splice(from..from, again);
        }
        body
    }),
    ("a good reply with marks exchanged", Either, |d| {
        let mut body = good(d);
        for _ in 0..=d.below(3) {
            let at = d.below(body.len());
            let marks = b"{}[]\",:\\0";
            body[at] = marks[d.below(marks.len())];
        }
        body
    }),
    ("two good replies mixed", Either, |d| {
        let (mut a, b) = (good(d), good(d));
        a.truncate(d.below(a.len()));
        a.extend_from_slice(&b[d.below(b.len())..]);
        a
    }),
];
