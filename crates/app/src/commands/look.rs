//! `look`: what perception sees on the screen now, as a table and as a picture. No hands are started.

use crate::assemble::{self, desktop::Choice};
use crate::cli::LookArgs;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::{providers, say, settings};
use handsight_agent::look::{Sight, look};
use handsight_agent::marks::Mark;
use handsight_base::port::clock::{Clock as _, RealClock};
use handsight_base::stop::Stop;
use serde_json::{Value, json};
use std::path::Path;

pub(crate) fn run(environment: &Environment, args: &LookArgs) -> anyhow::Result<Exit> {
    let settings = settings::resolve(environment, &args.settings, &args.desktop.flags())?;
    let choice = Choice::read(&args.desktop.desktop, environment)?;
    let stop = Stop::new();
    let clock = RealClock::new();
    let withheld = providers::withheld(environment, &settings.profile);
    let perceivers = assemble::perceivers::of(&settings.profile, &withheld);
    let (sight, took) = crate::runtime()?.block_on(async {
        let mut seat = assemble::eyes(environment, &settings.profile, choice, &stop).await?;
        let began = clock.now();
        let sight = look(&mut seat, &settings.profile, &perceivers, &stop).await?;
        anyhow::Ok((sight, clock.now().saturating_sub(began)))
    })?;
    if let Some(out) = &args.out {
        draw(&sight, out)?;
    }
    let millis = took.as_secs_f64() * 1e3;
    for blind in &sight.percept.blind {
        say::warning(&blind.to_string());
    }
    if args.json {
        say::json(&document(&sight, millis));
        return Ok(Exit::Done);
    }
    sight.marks.iter().for_each(|mark| say::result(&line(mark)));
    let nodes = sight.nodes;
    let more = sight.marks.more().map_or_else(String::new, |more| format!(" ({more})"));
    say::note(&format!(
        "{} things to point at{more} on {}, {nodes} nodes of programs read, {millis:.0} ms",
        sight.marks.iter().count(),
        sight.percept.frame.size(),
    ));
    Ok(Exit::Done)
}

fn draw(sight: &Sight, out: &Path) -> anyhow::Result<()> {
    let png = sight.png().map_err(|why| anyhow::anyhow!("the picture cannot be written: {why}"))?;
    std::fs::write(out, png).map_err(|e| {
        Failure::usage(format!("{} cannot be written: {e}", out.display()), "Name a file with --out.")
    })?;
    Ok(())
}

fn line(Mark { number, what }: &Mark) -> String {
    let place = what.area.to_string();
    format!(
        "{number:>4}  {:<20} {place:<24} {:<8} {:.2}  {}",
        what.kind, what.by, what.confidence, what.label
    )
}

fn document(sight: &Sight, millis: f64) -> Value {
    let size = sight.percept.frame.size();
    let mark = |Mark { number, what }: &Mark| {
        let (origin, size) = (what.area.origin, what.area.size);
        json!({
            "number": number,
            "kind": what.kind,
            "label": what.label,
            "box": [origin.x, origin.y, size.width, size.height],
            "source": what.by,
            "confidence": what.confidence,
        })
    };
    json!({
        "frame": [size.width, size.height],
        "marks": sight.marks.iter().map(mark).collect::<Vec<_>>(),
        "blind": sight.percept.blind.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "more": sight.marks.more(),
        "nodes": sight.nodes,
        "millis": millis,
    })
}
