//! `models dialects` and `models dialect NAME FILE`: how models write what they want, and what one reply means.
//!
//! A reply is read by the very code of a run, without a run: nothing is asked, nothing is moved.

use crate::assemble;
use crate::cli::ModelsDialectArgs;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::{providers, say, settings};
use handsight_base::flow::frame::Pixels;
use handsight_base::flow::intent::{Intent, Look};
use handsight_base::port::dialect::{BatchRule, Decoded, PointSpace};
use handsight_base::port::model::ModelReply;
use handsight_base::space::{At, FrameId, FramePx, FrameRect, PictureGeometry, Rounding, Size};
use handsight_model::dialect::point::Order;
use handsight_model::dialect::trained::TRAINED;
use handsight_model::dialect::{self, DialectEntry, compact};
use handsight_model::wire::WIRES;
use handsight_model::{DIALECTS, Providers};
use handsight_pixel::blend::{Exporter, Scaling};
use handsight_pixel::canvas::{Canvas, Color};
use handsight_pixel::draw;
use handsight_pixel::png::{self, PngEncoder};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

/// A reply is a few kilobytes; this is more than any service sends.
const LONGEST: u64 = 16 << 20;

pub(crate) fn list(environment: &Environment, as_json: bool) -> anyhow::Result<Exit> {
    let providers = providers::read(environment)?;
    if as_json {
        let rows: Vec<Value> = DIALECTS
            .iter()
            .map(|d| {
                json!({
                    "name": d.info.name,
                    "about": d.info.about,
                    "points": points(d),
                    "resize": resize(d),
                    "batch": batch(d.info.batch),
                    "results": d.info.results,
                    "wires": d.info.wires,
                    "cannot": d.info.cannot,
                    "models": models(d, &providers),
                })
            })
            .collect();
        say::json(&json!({ "dialects": rows }));
        return Ok(Exit::Done);
    }
    for d in DIALECTS {
        let wires = if d.info.wires.is_empty() { "any wire".to_owned() } else { d.info.wires.join(", ") };
        say::result(&format!("{:<26} {wires:<10} {:<44} {}", d.info.name, points(d), d.info.about));
    }
    Ok(Exit::Done)
}

/// Reads one reply.
pub(crate) fn read(environment: &Environment, args: &ModelsDialectArgs) -> anyhow::Result<Exit> {
    let Some(entry) = dialect::find(&args.name) else {
        return Err(assemble::no_such_dialect("the dialect", &args.name).into());
    };
    let profile = settings::resolve(environment, &args.settings, &[])?.profile;
    let dialect = (entry.build)(&assemble::tools(&profile)?.specs(), &assemble::writing(&profile))?;
    let reply = reply(entry, &text(&args.file)?)?;
    let shown = args.picture.as_deref().map(picture).transpose()?;
    let size = shown.as_ref().map(|p| p.size()).or(args.screen).unwrap_or(Size::new(1280, 720));
    let screen = args.screen.unwrap_or(size);
    let pane = FrameRect::new(0, 0, screen.width, screen.height);
    let geometry = PictureGeometry { frame: FrameId(1), pane, size };
    let decoded = match dialect.decode(&reply, &geometry) {
        Ok(decoded) => decoded,
        Err(refused) => {
            if args.json {
                let (kind, told) = (refused.kind, refused.told());
                say::json(&json!({ "refused": kind, "call": refused.call, "told": told }));
            } else {
                say::result(&format!("refused: {}", refused.told()));
            }
            return Ok(Exit::Model);
        }
    };
    if let (Some(out), Some(shown)) = (&args.out, shown) {
        drawn(&shown, &decoded, &geometry, out)?;
    }
    let plan: Vec<Value> = decoded.plan.iter().map(compact::planned).collect();
    if args.json {
        say::json(&json!({ "plan": plan, "reason": decoded.reason, "notes": decoded.notes }));
        return Ok(Exit::Done);
    }
    plan.iter().for_each(|line| say::result(&line.to_string()));
    if !decoded.reason.is_empty() {
        say::progress(&format!("reason: {}", decoded.reason));
    }
    decoded.notes.iter().for_each(|note| say::progress(&format!("note: {note}")));
    Ok(Exit::Done)
}

fn text(file: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = if file.as_os_str() == "-" {
        std::io::stdin().lock().take(LONGEST).read_to_string(&mut text)
    } else {
        std::fs::File::open(file).and_then(|f| f.take(LONGEST).read_to_string(&mut text))
    };
    read.map_err(|e| Failure::usage(format!("{} cannot be read: {e}", file.display()), ""))?;
    Ok(text)
}

/// A response body of a wire, told by the key that only it has, or the text itself.
fn reply(entry: &DialectEntry, text: &str) -> anyhow::Result<ModelReply> {
    const KEYS: [(&str, &str); 4] =
        [("chat", "choices"), ("messages", "content"), ("responses", "output"), ("gemini", "candidates")];
    let plain = || ModelReply { text: text.to_owned(), ..ModelReply::default() };
    let Ok(Value::Object(body)) = serde_json::from_str(text) else { return Ok(plain()) };
    let of = |wire: &str| KEYS.iter().any(|(name, key)| *name == wire && body.contains_key(*key));
    let Some(wire) = WIRES.iter().find(|wire| of(wire.name)) else { return Ok(plain()) };
    if !entry.speaks(wire.name) {
        let what = format!(
            "this is a response of the wire {}, which {} does not go over",
            wire.name, entry.info.name
        );
        return Err(Failure::usage(what, format!("It goes over {}.", entry.info.wires.join(", "))).into());
    }
    (wire.decode)(text.as_bytes()).map_err(|e| {
        Failure::new(Exit::Model, format!("no response of the wire {}: {e}", wire.name), "").into()
    })
}

fn picture(path: &Path) -> anyhow::Result<Pixels> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string());
    let pixels = bytes.and_then(|bytes| png::decode(&bytes).map_err(|e| e.to_string()));
    pixels.map_err(|e| Failure::usage(format!("{}: {e}", path.display()), "A picture is a PNG.").into())
}

const MARK: Color = Color::opaque(255, 0, 80);
const HALO: Color = Color::opaque(255, 255, 255);
/// Half the length of a cross, in pixels of the picture.
const ARM: i32 = 12;

/// The picture with a cross at each place, a line along each drag and a frame around each zoom.
fn drawn(shown: &Pixels, decoded: &Decoded, geometry: &PictureGeometry, out: &Path) -> anyhow::Result<()> {
    let size = geometry.size;
    let whole = FrameRect::new(0, 0, size.width, size.height);
    let mut canvas = Canvas::new(whole);
    let on = |point: FramePx| -> anyhow::Result<FramePx> {
        let p = geometry.picture_from_frame(At { point, frame: geometry.frame })?;
        Ok(FramePx::new(p.x as i32, p.y as i32))
    };
    for planned in &decoded.plan {
        match &planned.intent {
            Intent::Act(action) => {
                let spots: Vec<FramePx> =
                    action.spots().iter().map(|s| on(s.point)).collect::<Result<_, _>>()?;
                for (width, color) in [(5, HALO), (3, MARK)] {
                    for leg in spots.windows(2) {
                        draw::line(&mut canvas, leg[0], leg[1], width, color);
                    }
                    for p in &spots {
                        draw::line(&mut canvas, p.offset(-ARM, 0), p.offset(ARM, 0), width, color);
                        draw::line(&mut canvas, p.offset(0, -ARM), p.offset(0, ARM), width, color);
                    }
                }
            }
            Intent::Look(Look::Zoom { area }) => {
                let last = area.origin.offset(area.size.width as i32 - 1, area.size.height as i32 - 1);
                let (from, to) = (on(area.origin)?, on(last)?);
                let framed =
                    FrameRect::new(from.x, from.y, (to.x - from.x + 1) as u32, (to.y - from.y + 1) as u32);
                draw::frame(&mut canvas, framed, 3, MARK);
            }
            Intent::Look(_) | Intent::Call { .. } | Intent::Ask { .. } | Intent::Done { .. } => {}
        }
    }
    let mut exporter = Exporter::new();
    let picture = exporter.export(shown.view(), whole, size, Scaling::Nearest, &[&canvas])?;
    let bytes = PngEncoder::new().encode(picture)?;
    std::fs::write(out, bytes)
        .map_err(|e| Failure::new(Exit::Storage, format!("{} cannot be written: {e}", out.display()), ""))?;
    Ok(())
}

/// What its places are, in a few words.
fn points(entry: &DialectEntry) -> String {
    let Some(points) = entry.points else {
        return match entry.info.space {
            Some(PointSpace::Picture) => "pixels of the picture".to_owned(),
            Some(PointSpace::Norm1000) => "0 to 1000".to_owned(),
            Some(PointSpace::Norm1) => "0 to 1".to_owned(),
            None => "the tools say it".to_owned(),
        };
    };
    let space = match points.space {
        PointSpace::Picture => "pixels of the picture".to_owned(),
        PointSpace::Norm1000 | PointSpace::Norm1 => format!("0 to {}", points.top),
    };
    let order = if points.order == Order::Xy { "x, y" } else { "y, x" };
    format!("{space}, {order}{}", if points.fractions { ", fractions" } else { "" })
}

fn rounding(entry: &DialectEntry) -> &'static str {
    match (entry.info.space, entry.info.rounding) {
        (None, _) => "",
        (Some(PointSpace::Picture), _) => "the middle of the pixel",
        (_, Rounding::RoundToLast) => "round(v * (n - 1))",
        (_, Rounding::FloorOfCount) => "int(v * n)",
    }
}

fn resize(entry: &DialectEntry) -> String {
    entry.points.and_then(|p| p.resize).map_or_else(String::new, |r| r.about())
}

const fn batch(rule: BatchRule) -> &'static str {
    match rule {
        BatchRule::First => "the first call",
        BatchRule::InOrder => "in order",
    }
}

/// `provider/pattern` of every model that speaks it unless a profile says otherwise; `name*` of those that were trained on it.
fn models(entry: &DialectEntry, providers: &Providers) -> Vec<String> {
    let of = |p: &handsight_model::Provider| -> Vec<String> {
        let patterns = p.dialects().filter(|(_, name)| *name == entry.info.name);
        patterns.flat_map(|(names, _)| names.iter().map(|n| format!("{}/{n}", p.name))).collect()
    };
    let trained = TRAINED.iter().filter(|(_, name)| *name == entry.info.name);
    let known = trained.map(|(begin, _)| format!("{begin}*"));
    known.chain(providers.iter().flat_map(of)).collect()
}

/// The page of the dialects, for `docs/`.
pub(super) fn page() -> std::io::Result<String> {
    let providers = Providers::builtin().map_err(std::io::Error::other)?;
    let mut page = format!(
        "# Dialects\n\nGenerated from the list in `crates/model/src/dialect/mod.rs` by `cargo xtask docs`; a test compares.\n\n\
         A dialect is how a model writes what it wants. There are {}. A model's own is chosen by its name (the provider's file says \
         which), `--set decide.dialect=NAME` chooses another. `handsight models dialect NAME FILE` reads a reply without a run and \
         says what it means or why it is refused; `crates/model/cases/` holds a table of such replies for each.\n\n\
         Whatever a dialect reads, one thing holds: if anything in a reply is malformed, nothing of it is run, and the model is told \
         in words how to write it right. Nothing is ever evaluated, and no dialect moves a point.\n\n\
         | dialect | places | rounding | picture | several calls | wires |\n|---|---|---|---|---|---|\n",
        DIALECTS.len()
    );
    for d in DIALECTS {
        let wires = if d.info.wires.is_empty() { "any".to_owned() } else { d.info.wires.join(", ") };
        let (name, points, rounding, resize, batch) =
            (d.info.name, points(d), rounding(d), resize(d), batch(d.info.batch));
        let rounding = if rounding.contains("(v") { format!("`{rounding}`") } else { rounding.to_owned() };
        // As pages are given anchors where they are shown: without dots.
        let anchor = name.replace('.', "");
        let _infallible =
            writeln!(page, "| [{name}](#{anchor}) | {points} | {rounding} | {resize} | {batch} | {wires} |");
    }
    for d in DIALECTS {
        let cannot = if d.info.cannot.is_empty() { "nothing".to_owned() } else { d.info.cannot.join(", ") };
        let (name, about, results) = (d.info.name, d.info.about, d.info.results);
        let _infallible =
            write!(page, "\n## {name}\n\n{about}.\n\nResults: {results}. Cannot say: {cannot}.\n",);
        let models = models(d, &providers);
        if !models.is_empty() {
            let _infallible = write!(page, "\nDefault of `{}`.\n", models.join("`, `"));
        }
    }
    Ok(page)
}
