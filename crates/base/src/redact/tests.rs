use super::*;

const LONG_KEY: &str = "hs-canary-Zq83/x+Lm==0vTr";
const SHORT_KEY: &str = "zK7q";

fn percent(text: &str) -> String {
    text.bytes().map(|b| format!("%{b:02X}")).collect()
}

/// The ways a careless program may write a key.
fn careless(key: &str) -> Vec<String> {
    let url: String = key
        .bytes()
        .map(|b| {
            if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) {
                char::from(b).to_string()
            } else {
                percent(&char::from(b).to_string())
            }
        })
        .collect();
    let mut all = vec![
        format!("Incorrect API key provided: {key}."),
        format!("?key={url}&x=1"),
        format!("{key:?}"),
        serde_json::json!({ "a": key }).to_string(),
        key.bytes().map(|b| format!("{b:02x}")).collect(),
        STANDARD.encode(key),
        URL_SAFE_NO_PAD.encode(key),
        format!("Authorization: Bearer {key}\n"),
    ];
    if key.len() >= LONG {
        all.extend(["", "u", "us", "use", "user:"].map(|b| STANDARD.encode(format!("{b}{key}: tail"))));
    }
    all
}

/// What is left of a key in a text, in the forms a search would look for.
fn found(text: &str, key: &str) -> bool {
    let core = |skipped: usize| {
        let bytes = [&b"\0\0"[..skipped], key.as_bytes()].concat();
        let whole = STANDARD_NO_PAD.encode(&bytes);
        whole[(skipped * 8).div_ceil(6)..bytes.len() * 8 / 6].to_owned()
    };
    text.contains(key) || (key.len() >= LONG && (0..3).any(|n| text.contains(&core(n))))
}

#[test]
fn every_form_of_a_key_goes_whatever_stands_around_it() {
    let redactor = Redactor::new([LONG_KEY, SHORT_KEY, " ", ""]);
    for key in [LONG_KEY, SHORT_KEY] {
        for text in careless(key) {
            let clean = redactor.redact(&text);
            assert!(clean.contains(MARK) && !found(&clean, key), "{text} -> {clean}");
            assert_eq!(Redactor::off().redact(&text), text, "the control finds nothing");
        }
    }
    assert_eq!(redactor.redact("zK7q is not in zK7qa nor in azK7q"), "[key] is not in zK7qa nor in azK7q");
}

#[test]
fn keys_nobody_named_go_by_their_shape() {
    let redactor = Redactor::new([]);
    for text in [
        "sk-proj-abcdefghij0123456789ABCDEF",
        "sk-ant-api03-abcdefghij0123456789",
        "AIzaSyA0123456789abcdefghijklmnopqrstuv",
        "xai-abcdefghij0123456789",
        "AKIA0123456789ABCDEF",
    ] {
        assert_eq!(redactor.redact(&format!("key {text}, done")), "key [key], done", "{text}");
    }
    assert_eq!(redactor.redact("Authorization: Bearer abcdef12"), "Authorization: Bearer [key]");
    for text in ["a risk-free, task-oriented-and-well-known-approach", "sk-learn", "Bearer of news", "mask-1"]
    {
        assert_eq!(redactor.redact(text), text);
    }
}

#[test]
fn json_keeps_its_names_and_its_structure() {
    let redactor = Redactor::new(["turn", "quo\"te\\d-long"]);
    let json = r#"{"turn":3,"said":"my turn now","list":["turn",1.5,null],"q":"a quo\"te\\d-long b"}"#;
    let clean = redactor.redact_json(json);
    assert_eq!(clean, r#"{"turn":3,"said":"my [key] now","list":["[key]",1.5,null],"q":"a [key] b"}"#);
    assert!(matches!(redactor.redact_json(r#"{"a":1}"#), Cow::Borrowed(_)));
    assert_eq!(redactor.redact_json("turn, no JSON"), "[key], no JSON");
}

#[test]
fn pictures_are_left_alone_and_what_is_beside_them_is_not() {
    let picture = format!("iVBORw0KGgo{}zK7q{}", "A".repeat(600), "/".repeat(300));
    let text = format!("{{\"url\":\"data:image/png;base64,{picture}\",\"k\":\"{LONG_KEY}\"}}");
    let clean = Redactor::new([LONG_KEY, SHORT_KEY]).redact(&text).into_owned();
    assert!(clean.contains(&picture) && !clean.contains(LONG_KEY));
    let short = format!("iVBORw0KGgo {SHORT_KEY}");
    assert_eq!(Redactor::new([SHORT_KEY]).redact(&short), "iVBORw0KGgo [key]");
}

/// Ordinary text of all kinds that this project has: code, prose, tables, lock files full of hashes.
#[test]
fn ordinary_logs_stay_as_they_are() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut text = String::new();
    let mut folders = vec![root.join("docs"), root.join("crates"), root.join("xtask")];
    text.push_str(&std::fs::read_to_string(root.join("Cargo.lock")).unwrap());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && path.file_name().is_some_and(|n| n != "target") {
                folders.push(path);
            } else if let Ok(more) = std::fs::read_to_string(&path) {
                let names_keys = path.components().any(|c| {
                    let name = c.as_os_str().to_string_lossy();
                    name.contains("redact") || name.contains("secret")
                });
                if !names_keys {
                    text.push_str(&more);
                }
            }
        }
    }
    let once = text.len();
    while text.len() < 5_000_000 {
        text.push_str(&text[..once.min(5_000_000 - text.len()).max(1)].chars().collect::<String>());
    }
    let clean = Redactor::new([LONG_KEY, SHORT_KEY]).redact(&text).into_owned();
    let marks = clean.matches(MARK).count() - text.matches(MARK).count();
    let lost = text.len() + marks * MARK.len() - clean.len();
    println!("{lost} of {} bytes went, in {marks} places", text.len());
    assert!((lost as f64) < text.len() as f64 * 0.001, "{lost} of {} bytes went", text.len());
}
