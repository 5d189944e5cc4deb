use super::*;

fn add(text: &str) -> Result<Providers, SetupError> {
    let mut all = Providers::builtin()?;
    all.add("home/providers/mine.toml", text)?;
    Ok(all)
}

const GOOD: &str =
    "about = \"mine\"\nbase_url = \"http://box:8000/v1\"\nwire = \"chat\"\ndialect = \"tools\"\n";

#[test]
fn the_builtin_files_read_and_say_who_they_are() {
    let all = Providers::builtin().unwrap();
    let names: Vec<&str> = all.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "lmstudio",
            "openai",
            "anthropic",
            "gemini",
            "openrouter",
            "ollama",
            "vllm",
            "llamacpp",
            "groq",
            "mistral",
            "xai",
            "deepseek",
            "together",
            "fireworks",
            "azure-openai",
            "custom"
        ]
    );
    for p in all.iter() {
        assert!(!p.about.is_empty() && !p.hint.is_empty(), "{}", p.name);
        // A file with an address must work as it is; one without must be the one that needs --base-url.
        assert_eq!(p.base_url.is_none(), [CUSTOM, "azure-openai"].contains(&p.name.as_str()), "{}", p.name);
        if p.base_url.as_deref().is_some_and(|u| !Endpoint::parse(u).unwrap().is_loopback()) {
            assert!(Endpoint::parse(p.base_url.as_deref().unwrap()).unwrap().is_encrypted(), "{}", p.name);
        }
    }
}

// spec: S-67 UNIT
#[test]
fn the_default_address_is_the_local_service_of_the_spec_and_needs_no_key() {
    let all = Providers::builtin().unwrap();
    let p = all.get("lmstudio").unwrap();
    assert_eq!(p.key_variable, None);
    let url = Endpoint::parse(p.base_url.as_deref().unwrap()).unwrap().call(&(p.wire.path)("m", false));
    assert_eq!(url.as_str(), "http://localhost:1234/v1/chat/completions");
    assert_eq!(crate::Deadlines::default().total, std::time::Duration::from_secs(120));
}

#[test]
fn prices_are_found_by_name_and_unknown_ones_stay_unknown() {
    let all = Providers::builtin().unwrap();
    let openai = all.get("openai").unwrap();
    let input = |m: &str| openai.price(m).map(|p| p.input);
    assert_eq!(input("gpt-4.1"), Some(2.0));
    assert_eq!(input("gpt-4.1-2025-04-14"), Some(2.0));
    assert_eq!(input("gpt-4.1-mini"), Some(0.4), "a longer name is not the shorter one's snapshot");
    assert_eq!(input("gpt-9"), None);
    assert_eq!(input("gpt-4.10"), None);
    assert!(
        openai.wire_options("gpt-5-mini").fixed_sampling && !openai.wire_options("gpt-4.1").fixed_sampling
    );
    let free = all.get("lmstudio").unwrap().price("qwen/qwen3-vl-8b").unwrap();
    assert_eq!((free.input, free.output), (0.0, 0.0));
    assert_eq!(all.get("custom").unwrap().price("any"), None);
}

#[test]
fn the_persons_own_file_adds_or_replaces() {
    let all = add(GOOD).unwrap();
    assert_eq!(all.get("mine").unwrap().about, "mine");
    let mut all = all;
    all.add("lmstudio.toml", GOOD).unwrap();
    assert_eq!(all.get("lmstudio").unwrap().about, "mine");
    assert_eq!(all.iter().count(), PROVIDERS.len() + 1);
}

#[test]
fn a_bad_file_is_named_with_line_and_nearest_key() {
    for (text, line, what, nearest) in [
        ("about = \"x\"\nbase_ulr = \"http://x/v1\"\n".to_owned(), 2, "base_ulr", Some("base_url")),
        (format!("{GOOD}[limits]\npicture_byte = 1\n"), 6, "picture_byte", Some("picture_bytes")),
        (
            format!("{GOOD}[[model]]\nnames = [\"a\"]\nprice = {{ input = 1.0, ouput = 1.0 }}\n"),
            7,
            "ouput",
            Some("output"),
        ),
        (
            format!("{GOOD}[[model]]\nnames = [\"a\"]\nprice = {{ input = -1.0, output = 1.0 }}\n"),
            6,
            "price of a",
            None,
        ),
        (
            format!("{GOOD}[[model]]\nnames = [\"a\"]\nprice = {{ input = nan, output = 1.0 }}\n"),
            6,
            "price of a",
            None,
        ),
        (format!("{GOOD}[[model]]\nnames = []\n"), 6, "no name", None),
        (
            format!("{GOOD}[limits]\npicture_formats = [\"png\", \"jpg\"]\n"),
            6,
            "unknown variant `jpg`",
            Some("jpeg"),
        ),
        (format!("{GOOD}[limits]\npicture_formats = []\n"), 5, "no format", None),
        (format!("{GOOD}[limits]\npicture_edge = 0\n"), 5, "no pixels", None),
        (format!("{GOOD}[limits]\ncrowd = {{ fron = 3, edge = 9 }}\n"), 6, "fron", Some("from")),
        (
            format!("{GOOD}[[model]]\nnames = [\"a\"]\nlimits = {{ picture_pixels = 0 }}\n"),
            6,
            "a: a picture of no pixels",
            None,
        ),
        (GOOD.replace("chat", "chart"), 3, "no wire \"chart\"", Some("chat")),
        (GOOD.replace("tools", "tool"), 4, "no dialect \"tool\"", Some("tools")),
        (GOOD.replace("http://box:8000/v1", "box"), 2, "address", None),
        ("about = \"x\"\n".to_owned(), 1, "missing field", None),
        ("about = \n".to_owned(), 1, "", None),
    ] {
        let Err(SetupError::BadFile { file, line: l, what: w, nearest: n }) = add(&text) else {
            panic!("taken: {text}")
        };
        assert_eq!(file, "home/providers/mine.toml");
        assert_eq!(l, line, "{w}: {text}");
        assert!(w.contains(what), "{w}");
        assert_eq!(n.as_deref(), nearest, "{w}");
    }
}

#[test]
fn a_format_that_is_insisted_on_is_refused_before_the_run_if_it_is_known_not_to_be_taken() {
    use PictureFormat::{Jpeg, Png, Webp};
    let all = add(&format!(
        "{GOOD}[limits]\npicture_formats = [\"png\", \"jpeg\"]\n[[model]]\nnames = [\"new\"]\nlimits = {{ picture_formats = [\"webp\"] }}\n"
    ))
    .unwrap();
    let mine = all.get("mine").unwrap();
    assert!(mine.check_picture_format("old", Png).is_ok() && mine.check_picture_format("new", Webp).is_ok());
    for (model, format, told) in [
        ("old", Webp, "context.picture_format asks for WebP, and mine takes only PNG, JPEG"),
        ("new", Jpeg, "context.picture_format asks for JPEG, and mine takes only WebP"),
    ] {
        assert_eq!(mine.check_picture_format(model, format).unwrap_err().to_string(), told);
    }
    let custom = all.get(CUSTOM).unwrap();
    assert!(PictureFormat::ALL.iter().all(|f| custom.check_picture_format("m", *f).is_ok()), "nobody said");
}

#[test]
fn a_models_own_limits_go_before_its_providers() {
    let all = add(&format!(
        "{GOOD}[limits]\npicture_count = 100\npicture_edge = 8000\ncrowd = {{ from = 21, edge = 2000 }}\n\
         [[model]]\nnames = [\"large\"]\nlimits = {{ picture_count = 600, context_tokens = 1_000_000 }}\n"
    ))
    .unwrap();
    let mine = all.get("mine").unwrap();
    let (small, large) = (mine.limits_of("small"), mine.limits_of("large"));
    assert_eq!((small.picture_count, large.picture_count), (Some(100), Some(600)));
    assert_eq!((small.picture_edge, large.picture_edge), (Some(8000), Some(8000)));
    assert_eq!(large.crowd, Some(Crowd { from: 21, edge: 2000 }));
    assert_eq!((mine.context_tokens("small"), mine.context_tokens("large")), (None, Some(1_000_000)));
}

#[test]
fn every_builtin_provider_takes_the_picture_of_the_shipped_profile() {
    for p in Providers::builtin().unwrap().iter() {
        assert!(p.check_picture_format("any", PictureFormat::Png).is_ok(), "{}", p.name);
        let limits = p.limits_of("any");
        assert!(limits.picture_edge.is_none_or(|edge| edge >= 1536), "{}", p.name);
        assert!(limits.picture_pixels.is_none_or(|pixels| pixels >= 1536 * 864), "{}", p.name);
        // A picture at its limit leaves room for the words around it.
        if let (Some(picture), Some(request)) = (limits.picture_bytes, limits.request_bytes) {
            assert!(picture + 100_000 <= request, "{}", p.name);
        }
    }
}

#[test]
fn a_name_that_means_something_else_is_no_provider() {
    let mut all = Providers::builtin().unwrap();
    for file in ["recorded.toml", "scripted.toml", "a b.toml", ".toml", "x/../é.toml"] {
        assert!(all.add(file, GOOD).is_err(), "{file}");
    }
    let Err(SetupError::UnknownProvider { nearest, .. }) = all.get("lmstudoi") else { panic!() };
    assert_eq!(nearest.as_deref(), Some("lmstudio"));
}

#[test]
fn edits_are_counted() {
    for (a, b, n) in
        [("", "", 0), ("a", "", 1), ("", "ab", 2), ("kitten", "sitting", 3), ("base_ulr", "base_url", 2)]
    {
        assert_eq!(edits(a, b), n, "{a} {b}");
    }
    assert_eq!(nearest("zzz", ["alpha", "beta"]), None);
}
