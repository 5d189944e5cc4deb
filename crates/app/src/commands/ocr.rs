//! `ocr`: the text of a picture file, by the same parts that read the screen of a run.

use crate::cli::OcrArgs;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::{providers, say, signals};
use handsight_agent::profile::Profile;
use handsight_base::flow::frame::Pixels;
use handsight_base::space::{FrameRect, Size};
use handsight_base::stop::{Stop, StopReason};
use handsight_pixel::picture;
use handsight_vision::text::{Line, OcrError, Reader, Reading, Settings, Word};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// A page of a book takes seconds; nobody watches a screen meanwhile.
const LIMIT: Duration = Duration::from_secs(300);

pub(crate) fn run(environment: &Environment, args: &OcrArgs) -> anyhow::Result<Exit> {
    let pixels = open(&args.file)?;
    check(args, pixels.size())?;
    let settings = Settings {
        engine: args.engine.wanted(),
        language: args.language.clone(),
        scale: args.scale,
        regions: args.region.clone(),
        limit: LIMIT,
        withheld: providers::withheld(environment, &Profile::resolve("stateless", &[])?),
        ..Settings::default()
    };
    let stop = Stop::new();
    signals::listen(stop.clone())?;
    let reading = crate::runtime()?.block_on(Reader::new(settings).read(&pixels, &stop));
    let reading = reading.map_err(|error| failure(&error, &stop))?;
    if reading.unread > 0 {
        say::warning(&format!("there was no time for {} lines; name a --region", reading.unread));
    }
    tell(args, pixels.size(), &reading);
    Ok(Exit::Done)
}

fn open(file: &Path) -> Result<Pixels, Failure> {
    let bytes = std::fs::read(file).map_err(|e| {
        Failure::usage(format!("{} cannot be read: {e}", file.display()), "Name a picture file.")
    })?;
    picture::decode(&bytes)
        .map_err(|e| Failure::usage(format!("{}: {e}", file.display()), "Name a PNG, WebP or JPEG."))
}

fn check(args: &OcrArgs, size: Size) -> Result<(), Failure> {
    let whole = FrameRect::new(0, 0, size.width, size.height);
    let outside = args.region.iter().find(|region| region.intersect(&whole) != Some(**region));
    if let Some(region) = outside {
        let what = format!("the region {region} is not within the picture");
        return Err(Failure::usage(what, format!("The picture has {size} pixels.")));
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || "+_-/".contains(c);
    if args.language.is_empty() || args.language.starts_with('-') || !args.language.chars().all(is_name) {
        let what = format!("{:?} is no language", args.language);
        return Err(Failure::usage(what, "`handsight doctor` lists the languages there are."));
    }
    Ok(())
}

fn failure(error: &OcrError, stop: &Stop) -> Failure {
    let told = error.to_string();
    match error {
        OcrError::Missing { .. } | OcrError::Language { .. } => {
            Failure::usage(told, "`handsight doctor` says which engine and languages there are.")
        }
        OcrError::Stopped => Failure::stopped(stop.reason().unwrap_or(StopReason::Interrupt)),
        OcrError::Failed { .. } | OcrError::Malformed { .. } | OcrError::Deadline { .. } => {
            Failure::new(Exit::Model, told, "Run the engine by hand on the same picture.")
        }
    }
}

fn tell(args: &OcrArgs, size: Size, reading: &Reading) {
    if args.json {
        let lines: Vec<Value> = reading.lines.iter().map(line).collect();
        let size = json!({ "width": size.width, "height": size.height });
        say::json(&json!({ "file": args.file, "size": size, "lines": lines, "unread": reading.unread }));
        return;
    }
    for line in &reading.lines {
        let FrameRect { origin, size } = line.area;
        let place = if args.lines { format!("{},{},{size}\t", origin.x, origin.y) } else { String::new() };
        say::result(&format!("{place}{}", line.text()));
    }
}

fn line(line: &Line) -> Value {
    let words: Vec<Value> = line.words.iter().map(word).collect();
    json!({ "text": line.text(), "area": area(line.area), "confidence": sure(line.confidence()), "words": words })
}

fn word(word: &Word) -> Value {
    json!({ "text": word.text, "area": area(word.area), "confidence": sure(word.confidence) })
}

fn area(area: FrameRect) -> Value {
    let FrameRect { origin, size } = area;
    json!({ "x": origin.x, "y": origin.y, "width": size.width, "height": size.height })
}

/// To a thousandth.
fn sure(confidence: f32) -> f64 {
    (f64::from(confidence) * 1e3).round() / 1e3
}
