//! `models list`: who serves models, where, and on what terms. Asks nobody; `models test` and `doctor` do.

use crate::environment::Environment;
use crate::exit::Exit;
use crate::{providers, say};
use handsight_model::provider::{Provider, Streaming};
use handsight_model::{PROVIDERS, Providers};
use serde_json::json;
use std::fmt::Write as _;

pub(crate) fn list(environment: &Environment, as_json: bool) -> anyhow::Result<Exit> {
    let providers = providers::read(environment)?;
    if as_json {
        let rows: Vec<_> = providers
            .iter()
            .map(|p| {
                json!({
                    "name": p.name,
                    "about": p.about,
                    "base_url": p.base_url,
                    "wire": p.wire.name,
                    "pictures_in_results": p.pictures_in_results(""),
                    "streaming": p.streaming != Streaming::Unsupported,
                    "caching": p.caching,
                    "counts": p.counts,
                    "limits": {
                        "picture_bytes": p.limits.picture_bytes,
                        "picture_edge": p.limits.picture_edge,
                        "picture_pixels": p.limits.picture_pixels,
                        "picture_formats": p.limits.picture_formats,
                        "pictures": p.limits.picture_count,
                        "request_bytes": p.limits.request_bytes,
                        "context_tokens": p.limits.context_tokens,
                    },
                    "dialect": p.dialect,
                    "key_variable": p.key_variable,
                    "key_set": p.key_variable.as_deref().map(|v| environment.key(v).is_some()),
                })
            })
            .collect();
        say::json(&json!({ "providers": rows }));
        return Ok(Exit::Done);
    }
    for p in providers.iter() {
        let key = match p.key_variable.as_deref() {
            None => "needs no key".to_owned(),
            Some(v) if environment.key(v).is_some() => format!("{v} is set"),
            Some(v) if p.key_optional => format!("{v} if it wants a key"),
            Some(v) => format!("needs {v}"),
        };
        let place = p.base_url.as_deref().unwrap_or("--base-url");
        say::result(&format!("{:<12} {place:<34} {key:<34} {}", p.name, p.about));
    }
    Ok(Exit::Done)
}

/// The page of the providers compiled in, for `docs/`.
pub(super) fn page() -> std::io::Result<String> {
    let providers = Providers::builtin().map_err(std::io::Error::other)?;
    let mut page = format!(
        "# Models\n\nGenerated from `crates/model/providers/` by `cargo xtask docs`; a test compares.\n\n\
         {} providers are compiled in. A file `NAME.toml` of your own in the configuration's `providers/` folder adds one, or \
         replaces the one of the same name. `handsight models test PROVIDER/NAME` asks a model for real and says what works.\n\n\
         | provider | wire | formats | pictures in results | thinking kept | caching | counts tokens | streaming | cost known | limits |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
        PROVIDERS.len()
    );
    for p in providers.iter() {
        let _infallible = writeln!(page, "{}", row(p));
    }
    page.push_str(
        "\nFormats and limits hold before anything is sent: what is over a limit is scaled, written otherwise or left out, and the \
         turn's notes say so. Where no format is known, PNG and JPEG are taken to be. Each file says where its facts are from, and \
         which could not be confirmed; a model's own limits, where they differ, are in the file too.\n\n\
         Tokens are counted here before a request is sent, rather too many than too few. Where the provider counts too, free of \
         charge, it is asked before a conversation loses anything for want of room.\n\n\
         ## Prices\n\nUS dollars per million tokens. What is not listed has no known price. A second line is the price of a whole \
         request with more input than it says.\n\n",
    );
    page.push_str(
        "| provider | model | input | cached | cache write | output |\n|---|---|---|---|---|---|\n",
    );
    for p in providers.iter() {
        for (names, price, _) in p.patterns() {
            let Some(price) = price else { continue };
            let or = |v: Option<f64>| v.map_or("as input".to_owned(), |v| v.to_string());
            let mut row = |models: &str, input: f64, cached, written, output: f64| {
                let (cached, written) = (or(cached), or(written));
                let _infallible =
                    writeln!(page, "| {} | {models} | {input} | {cached} | {written} | {output} |", p.name);
            };
            row(
                &format!("`{}`", names.join("`, `")),
                price.input,
                price.cached,
                price.cache_write,
                price.output,
            );
            if let Some(long) = price.long {
                let over = format!("the same, over {} tokens", long.over);
                row(&over, long.input, long.cached, long.cache_write, long.output);
            }
        }
    }
    page.push('\n');
    for p in providers.iter() {
        if let Some(from) = &p.prices_from {
            let _infallible = writeln!(page, "Prices of {} as of {from}.", p.name);
        }
    }
    Ok(page)
}

fn row(p: &Provider) -> String {
    let yes = |is: bool| if is { "yes" } else { "no" };
    let thinking = match p.wire.name {
        "chat" if p.replay.is_empty() => "no".to_owned(),
        "chat" => format!("`{}`", p.replay.join("`, `")),
        _ => "with its signatures".to_owned(),
    };
    let in_results = if p.pictures_in_results("") { "yes" } else { "no, they follow" };
    let streaming = match p.streaming {
        Streaming::On => "yes",
        Streaming::Off => "if asked for",
        Streaming::Unsupported => "no",
    };
    let priced = p.patterns().filter(|(_, price, _)| price.is_some()).count();
    let free = p.patterns().all(|(_, price, _)| price.is_some_and(|p| p.input == 0.0 && p.output == 0.0));
    let cost = match priced {
        0 => "no".to_owned(),
        _ if free => "free".to_owned(),
        n => format!("{n} patterns"),
    };
    let limits = &p.limits;
    let mut known = Vec::new();
    known.extend(limits.picture_bytes.map(|n| format!("picture {n} bytes")));
    known.extend(limits.picture_edge.map(|n| format!("{n} pixels a side")));
    known.extend(limits.picture_pixels.map(|n| format!("{n} pixels")));
    known.extend(limits.picture_count.map(|n| format!("{n} pictures")));
    known.extend(limits.crowd.map(|c| format!("{} a side from {} pictures on", c.edge, c.from)));
    known.extend(limits.request_bytes.map(|n| format!("request {n} bytes")));
    known.extend(limits.context_tokens.map(|n| format!("{n} tokens")));
    let known = if known.is_empty() { "none known".to_owned() } else { known.join(", ") };
    let (name, wire) = (&p.name, p.wire.name);
    let (caching, counts) = (yes(p.caching), yes(p.counts));
    let formats = limits.picture_formats.as_ref().map_or("not known".to_owned(), |formats| {
        formats.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    });
    format!(
        "| {name} | {wire} | {formats} | {in_results} | {thinking} | {caching} | {counts} | {streaming} | {cost} | {known} |"
    )
}
