//! Keys in every place that may hold one, a service that throws them back in every way, and a search of every byte that was
//! written afterwards (R38).

use crate::handsight::{Handsight, Said};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};
use handsight_testkit::chat::{End, Reply, Rules, Server};
use serde_json::json;
use std::path::Path;

const LONG: &str = "canary-Long/9f+Q2==x7Zt";
const SHORT: &str = "qZ7v";
const OTHER: &str = "canary-token-5d81c0";
const PROXY: &str = "canary-proxy-77aa";
/// Nobody told the program of it: the control, which the search must find.
const UNKNOWN: &str = "canary-nobody-31ff";

fn percent(key: &str) -> String {
    let one = |b: u8| match b {
        b'-' | b'_' | b'.' | b'~' => char::from(b).to_string(),
        b if b.is_ascii_alphanumeric() => char::from(b).to_string(),
        b => format!("%{b:02X}"),
    };
    key.bytes().map(one).collect()
}

/// What a search looks for: the key raw, percent-encoded, and inside base64 wherever it begins.
fn forms(key: &str) -> Vec<String> {
    let mut all = vec![key.to_owned(), percent(key)];
    for skipped in 0..3_usize {
        let bytes = [&b"\0\0"[..skipped], key.as_bytes()].concat();
        let whole = STANDARD_NO_PAD.encode(&bytes);
        let inner = &whole[(skipped * 8).div_ceil(6)..bytes.len() * 8 / 6];
        // Of a short key too little is left to be told from chance.
        if inner.len() >= 8 {
            all.push(inner.to_owned());
        }
    }
    all
}

/// A text as a careless service may write it.
fn echo() -> String {
    let one = |key: &str| {
        format!(
            "key {key} url ?k={} basic {} alone {} json {}; ",
            percent(key),
            STANDARD.encode(format!("user:{key}")),
            URL_SAFE.encode(key),
            json!({ "key": key })
        )
    };
    // Inside base64 beside other letters, a key of four letters is three of them: nobody can tell those.
    let short = format!("key {SHORT} url ?k={SHORT} alone {} ", STANDARD.encode(SHORT));
    [LONG, OTHER, PROXY, UNKNOWN].map(one).concat() + &short
}

fn answers() -> Vec<Reply> {
    let said = echo();
    let edge = format!("{}{LONG} {UNKNOWN}", "y".repeat(4096 - LONG.len() / 2));
    vec![
        Reply::status(401, ("content-type", "text/plain"), &said),
        Reply::status(500, ("content-type", "text/plain"), &edge),
        Reply::status(307, ("location", &format!("http://127.0.0.1:9/?key={}", percent(LONG))), &said),
        Reply::Body(said.clone().into_bytes()),
        Reply::Json(json!({"error": {"message": said}})),
        Reply::text(&said),
        Reply::Nothing(End::Close),
        Reply::call("observe", json!({ "reason": said })),
        Reply::call("type", json!({ "text": said, "reason": format!("{}{LONG}", "z ".repeat(75)) })),
        Reply::call("fly", json!({ "to": said })),
        Reply::call("done", json!({ "reason": said })),
    ]
}

/// Every byte below a folder, file by file.
fn bytes_below(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            bytes_below(&path, found);
        } else {
            found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
}

fn holds(bytes: &[u8], form: &str) -> bool {
    bytes.windows(form.len()).any(|w| w == form.as_bytes())
}

#[test]
fn no_key_is_in_any_byte_that_was_written() {
    let handsight = Handsight::new()
        .with("MINE", LONG)
        .with("SHORTY", SHORT)
        .with("SOME_TOKEN", OTHER)
        .with("HTTPS_PROXY", &format!("http://me:{PROXY}@127.0.0.1:9"))
        .with("HTTP_PROXY", &format!("http://me:{PROXY}@127.0.0.1:9"));
    let provider = |variable| {
        format!("about = \"a\"\nkey_variable = \"{variable}\"\nwire = \"chat\"\ndialect = \"tools\"\n")
    };
    let own = [
        handsight.config("providers/long.toml", &provider("MINE")),
        handsight.config("providers/short.toml", &provider("SHORTY")),
    ];
    let mut said: Vec<(String, Said)> = Vec::new();
    for (name, key) in [("long", LONG), ("short", SHORT)] {
        for (n, answer) in answers().into_iter().enumerate() {
            let rules = Rules { key: Some(key.into()), ..Rules::default() };
            let last = Reply::call("done", json!({ "reason": echo() }));
            let first = std::sync::atomic::AtomicBool::new(true);
            let server = Server::with(rules, move |_| {
                let is_first = first.swap(false, std::sync::atomic::Ordering::SeqCst);
                if is_first { answer.clone() } else { last.clone() }
            });
            let (url, model) = (server.base_url(), format!("{name}/test-model"));
            let task = format!("log in with {}", echo());
            let out = format!("{name}-{n}");
            let desk = "world:desk,seed=1,size=640x400";
            let args = [
                "run",
                &task,
                "-vv",
                "--json",
                "--desktop",
                desk,
                "--base-url",
                &url,
                "--model",
                &model,
                "--out",
                &out,
            ];
            let ran = handsight.run(&args);
            // Whatever became of it, there was a run.
            assert_ne!(ran.code, 2, "{ran:?}");
            said.push((format!("run {out}"), ran));
            drop(server.take_complaints());
        }
    }
    for args in [
        &["runs", "list", "."][..],
        &["runs", "show", "long-7"],
        &["runs", "show", "short-10", "--json"],
        &["runs", "export", "long-8", "exported"],
        &["models", "list", "--json"],
        &["profiles", "show", "--resolved"],
        &["cost", "--by", "run"],
        &["run", "x", "--model", &format!("long/{LONG}"), "--base-url", "nonsense"],
        &["run", "x", "--set", &format!("decide.tools=[\"{LONG}\"]"), "--desktop", "world:desk"],
        &["run", "x", "--desktop", &format!("world:{OTHER}")],
    ] {
        said.push((args.join(" "), handsight.run(args)));
    }

    let mut written: Vec<(String, Vec<u8>)> = Vec::new();
    bytes_below(handsight.home(), &mut written);
    written.retain(|(name, _)| !own.iter().any(|o| o.display().to_string() == *name));
    for (what, said) in said {
        written.push((format!("stdout of {what}"), said.stdout.into_bytes()));
        written.push((format!("stderr of {what}"), said.stderr.into_bytes()));
    }
    // Pictures are of a screen, and hold no text; a short key is there by chance.
    let texts: Vec<_> = written.iter().filter(|(name, _)| !name.ends_with(".png")).collect();
    let hits = |key: &str| -> Vec<String> {
        let in_one = |(name, bytes): &&(String, Vec<u8>)| {
            forms(key).into_iter().find(|f| holds(bytes, f)).map(|form| format!("{name}: {form}"))
        };
        texts.iter().copied().filter_map(|t| in_one(&t)).collect()
    };
    for key in [LONG, SHORT, OTHER, PROXY] {
        let found = hits(key);
        assert_eq!(found, Vec::<String>::new(), "{} of {} files and outputs", found.len(), texts.len());
    }
    // The control: what the program could not know is found by the same search, in journals, views and outputs.
    let found = hits(UNKNOWN);
    for place in ["run.db", "session.jsonl", "stdout of run", "stderr of run", "exported"] {
        assert!(found.iter().any(|hit| hit.contains(place)), "nothing in {place}: {found:#?}");
    }
    let bytes: usize = texts.iter().map(|(_, b)| b.len()).sum();
    println!("{} files and outputs, {bytes} bytes; the control is in {}", texts.len(), found.len());
}
