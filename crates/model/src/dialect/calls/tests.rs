use super::*;
use handsight_base::port::dialect::RejectionKind::{BadJson, OutOfRange};
use proptest::prelude::*;
use serde_json::json;

fn read(text: &str) -> (String, Value, Value) {
    let call = one(text).unwrap_or_else(|m| panic!("{text}: {m:?}"));
    (call.name, Value::Array(call.positional), Value::Object(call.named))
}

#[test]
fn values_are_read_as_python_reads_them() {
    for (text, positional, named) in [
        ("wait()", json!([]), json!({})),
        (" pyautogui.click( x = 0 , y=12.5, ) ", json!([]), json!({"x": 0, "y": 12.5})),
        ("click(1, -2, +3, 1e2, .5)", json!([1, -2, 3, 100.0, 0.5]), json!({})),
        (
            "f(a=True, b=False, c=None, d=true, e=null)",
            json!([]),
            json!({"a": true, "b": false, "c": null, "d": true, "e": null}),
        ),
        ("f([1, [2, 'x']], (3, 4), [], ())", json!([[1, [2, "x"]], [3, 4], [], []]), json!({})),
        (r#"f('it\'s', "say \"hi\"", 'a\nb\tc\\d')"#, json!(["it's", "say \"hi\"", "a\nb\tc\\d"]), json!({})),
        (r"f('C:\Program Files\dir')", json!([r"C:\Program Files\dir"]), json!({})),
        (r"f(r'C:\new\table')", json!([r"C:\new\table"]), json!({})),
        ("f('''one\ntwo''', \"\"\"it's\"\"\")", json!(["one\ntwo", "it's"]), json!({})),
        (r"f('\xe9\u20ac\U0001F600\ud83d\ude00')", json!(["é€😀😀"]), json!({})),
        ("f('a(b, c=1)', \"x)\")", json!(["a(b, c=1)", "x)"]), json!({})),
        ("f('Añ€😀')", json!(["Añ€😀"]), json!({})),
        ("f('')", json!([""]), json!({})),
    ] {
        assert_eq!(read(text), (read(text).0, positional, named), "{text}");
    }
}

#[test]
fn what_is_no_plain_call_is_refused_with_its_place() {
    for (text, why) in [
        ("", "a call"),
        ("click", "`(`"),
        ("click(", "ends where"),
        ("click(1", "`,` or `)`"),
        ("click(1 2)", "`,` or `)`"),
        ("click(,)", "a value"),
        ("click(x=)", "a value"),
        ("click(x=1, x=2)", "stands twice"),
        ("click(x=1, 2)", "an argument with a name"),
        ("click(1) click(2)", "more after"),
        ("click(1);", "more after"),
        ("click(1/2)", "`,` or `)`"),
        ("click(1+1)", "`,` or `)`"),
        ("click(w*2)", "a value"),
        ("click(os.system('x'))", "a value"),
        ("__import__('os').system('x')", "more after"),
        ("click(x==1)", "a value"),
        ("f(f'{x}')", "a value"),
        ("f('a' 'b')", "`,` or `)`"),
        ("f('a)", "no end"),
        ("f('''a')", "no end"),
        (r"f('\u12')", "no escape"),
        (r"f('\ud800')", "no escape"),
        (r"f('\x00')", "no escape"),
        (r"f('\N{BULLET}')", "no escape"),
        (r"f('\7')", "no escape"),
        ("f('a\0b')", "NUL"),
        ("f(1e999)", "a number"),
        ("f(-)", "a number"),
        ("f(0x10)", "a number"),
        ("f(1_000)", "`,` or `)`"),
        ("f(nan)", "a value"),
        ("f(inf)", "a value"),
        ("f(--1)", "a number"),
        ("f([1)", "end of the list"),
        ("f({'a': 1})", "a value"),
        ("f(*[1])", "a value"),
        ("1click()", "a call"),
        ("a..b()", "a call"),
        ("ｃlick()", "a call"),
    ] {
        let misfit = one(text).map(drop).unwrap_err();
        assert!(misfit.words.contains(why), "{text}: {}", misfit.words);
        assert!(misfit.words.len() < 300, "{text}: {}", misfit.words);
    }
}

#[test]
fn length_and_depth_are_bounded() {
    let nested = |n: usize| format!("f({}1{})", "[".repeat(n), "]".repeat(n));
    assert!(one(&nested(DEPTH)).is_ok());
    assert_eq!(one(&nested(DEPTH + 1)).unwrap_err().kind, BadJson);
    assert_eq!(one(&nested(20_000)).unwrap_err().kind, BadJson);
    assert_eq!(one(&format!("f('{}')", "a".repeat(LONGEST))).unwrap_err().kind, OutOfRange);
    assert_eq!(one(&format!("f({})", "1,".repeat(MOST + 1))).unwrap_err().kind, OutOfRange);
    assert_eq!(one(&format!("f([{}])", "1,".repeat(ITEMS + 1))).unwrap_err().kind, OutOfRange);
    assert_eq!(all(&"f()\n".repeat(MOST + 1)).unwrap_err().kind, OutOfRange);
}

#[test]
fn a_text_of_calls_is_read_call_by_call() {
    let names = |text: &str| -> Vec<String> { all(text).unwrap().into_iter().map(|c| c.name).collect() };
    assert_eq!(names(""), [""; 0]);
    assert_eq!(names("# look\na.b(1)\n\n  c()  # then\n; d('#no')"), ["a.b", "c", "d"]);
    assert_eq!(names("a();b()"), ["a", "b"]);
    assert_eq!(all("a()\nb(\nc()").unwrap_err().call, 1);
    assert!(all("a() b()").is_err());
    assert!(all("a()\nimport os").is_err());
}

#[test]
fn arguments_without_a_name_get_theirs_by_order() {
    let bound = one("click(1, 2, button='left')").unwrap().bind(&["x", "y", "clicks"]).unwrap();
    assert_eq!(Value::Object(bound), json!({"button": "left", "x": 1, "y": 2}));
    assert!(one("click(1, 2, 3)").unwrap().bind(&["x", "y"]).is_err());
    assert!(one("click(1, x=2)").unwrap().bind(&["x"]).is_err());
}

#[test]
fn bare_calls_keep_what_stands_between_the_brackets() {
    assert_eq!(bare(" type(hello (world), 'x') ").unwrap(), ("type", "hello (world), 'x'"));
    assert_eq!(bare("finish()").unwrap(), ("finish", ""));
    for text in ["", "type", "type(a", "(a)", "two words(a)", "a(b) c", "a(\0)"] {
        assert!(bare(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn nothing_panics_and_a_complaint_is_short(text in r#"[a-c_. ()\[\],='"\\nux0-9é#;-]{0,60}"#) {
        if let Err(misfit) = all(&text) {
            prop_assert!(misfit.words.chars().count() < 300);
        }
    }

    #[test]
    fn a_text_comes_through_whatever_is_in_it(text in "[^\0]{0,40}") {
        let written: String = text
            .chars()
            .map(|c| match c {
                '\\' | '\'' => format!("\\{c}"),
                '\n' => "\\n".into(),
                c => c.to_string(),
            })
            .collect();
        let call = one(&format!("type(content='{written}')")).unwrap();
        prop_assert_eq!(&call.named["content"], &Value::String(text));
    }
}
