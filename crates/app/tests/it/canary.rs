//! Keys in every place that may hold one, a service that throws them back in every way, and a search of every byte that was
//! written afterwards (R38).

use crate::handsight::{Handsight, Said};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};
use handsight_testkit::chat::{End, Reply, Rules, Server};
use serde_json::json;
use std::path::{Path, PathBuf};

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

/// A home with every kind of secret in it, and its own files.
struct Home {
    handsight: Handsight,
    own: [PathBuf; 2],
    said: Vec<(String, Said)>,
}

impl Home {
    fn new() -> Self {
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
        Self { handsight, own, said: Vec::new() }
    }

    /// A run against a service that answers with this first, and then throws everything back in its last words.
    fn run(&mut self, name: &str, key: &str, n: usize, answer: Reply) {
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
        let args = ["run", &task, "-vv", "--json", "--desktop", desk, "--base-url", &url];
        let ran = self.handsight.run(&[&args[..], &["--model", &model, "--out", &out]].concat());
        // Whatever became of it, there was a run.
        assert_ne!(ran.code, 2, "{ran:?}");
        self.said.push((format!("run {out}"), ran));
        drop(server.take_complaints());
    }

    fn command(&mut self, args: &[&str]) {
        let said = self.handsight.run(args);
        self.said.push((args.join(" "), said));
    }

    /// Every text that was written, by its place. Pictures are of a screen, and hold no text; a short key is there by chance.
    fn texts(&self) -> Vec<(String, Vec<u8>)> {
        let mut written: Vec<(String, Vec<u8>)> = Vec::new();
        bytes_below(self.handsight.home(), &mut written);
        written.retain(|(name, _)| !self.own.iter().any(|o| o.display().to_string() == *name));
        for (what, said) in &self.said {
            written.push((format!("stdout of {what}"), said.stdout.clone().into_bytes()));
            written.push((format!("stderr of {what}"), said.stderr.clone().into_bytes()));
        }
        written.retain(|(name, _)| !name.ends_with(".png"));
        written
    }
}

/// Where a key is.
fn hits(texts: &[(String, Vec<u8>)], key: &str) -> Vec<String> {
    let in_one = |(name, bytes): &(String, Vec<u8>)| {
        forms(key).into_iter().find(|f| holds(bytes, f)).map(|form| format!("{name}: {form}"))
    };
    texts.iter().filter_map(in_one).collect()
}

const SINKS: [&str; 5] = ["run.db", "session.jsonl", "stdout of run", "stderr of run", "exported"];

#[test]
fn no_key_is_in_any_byte_that_was_written() {
    let mut home = Home::new();
    for (name, key) in [("long", LONG), ("short", SHORT)] {
        for (n, answer) in answers().into_iter().enumerate() {
            home.run(name, key, n, answer);
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
        home.command(args);
    }
    let texts = home.texts();
    for key in [LONG, SHORT, OTHER, PROXY] {
        let found = hits(&texts, key);
        assert_eq!(found, Vec::<String>::new(), "{} of {} files and outputs", found.len(), texts.len());
    }
    // The control: what the program could not know is found by the same search, in journals, views and outputs.
    let found = hits(&texts, UNKNOWN);
    for place in SINKS {
        assert!(found.iter().any(|hit| hit.contains(place)), "nothing in {place}: {found:#?}");
    }
    let bytes: usize = texts.iter().map(|(_, b)| b.len()).sum();
    println!("{} files and outputs, {bytes} bytes; the control is in {}", texts.len(), found.len());
}

/// The other control: with the redactor off, each secret is found in every place that it is kept out of.
#[test]
fn without_redaction_every_secret_is_found() {
    if !cfg!(debug_assertions) {
        println!("SKIPPED no other build than one for tests writes secrets");
        return;
    }
    let mut home = Home::new();
    home.handsight = home.handsight.with("HANDSIGHT_TEST_WRITES_SECRETS", "1");
    for n in [7, 8, 10] {
        home.run("long", LONG, n, answers()[n].clone());
    }
    home.command(&["runs", "export", "long-8", "exported"]);
    let texts = home.texts();
    for key in [LONG, SHORT, OTHER, PROXY] {
        let found = hits(&texts, key);
        for place in SINKS {
            assert!(found.iter().any(|hit| hit.contains(place)), "{key} is not in {place}: {found:#?}");
        }
    }
}

/// What holds texts and pictures is its owner's alone, whatever the person's mask says.
#[test]
fn nobody_else_may_read_what_was_written() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut home = Home::new();
    home.run("long", LONG, 7, answers()[7].clone());
    home.command(&["runs", "export", "long-7", "exported"]);
    home.command(&["runs", "sheet", "long-7"]);
    let root = home.handsight.home().to_owned();
    let (mut files, mut folders, mut queue) = (0, 0, vec![root.join("long-7"), root.join("exported")]);
    queue.push(root.join(".local/state/handsight"));
    while let Some(path) = queue.pop() {
        let meta = std::fs::metadata(&path).unwrap();
        assert_eq!(meta.permissions().mode() & 0o077, 0, "{} may be read by others", path.display());
        if meta.is_dir() {
            folders += 1;
            queue.extend(std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()));
        } else {
            files += 1;
        }
    }
    assert!(files >= 6 && folders >= 4, "{files} files in {folders} folders");
}
