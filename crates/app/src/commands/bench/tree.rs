//! How long programs take to say what they show, of those that are on the screen now.

use super::Bench;
use super::figure::Figure;
use crate::assemble::desktop::{Buses, Kit, connector};
use handsight_agent::profile::Marks;
use handsight_base::flow::ui::UiRequest;
use handsight_base::space::ScreenRect;
use std::sync::Arc;
use std::time::Duration;

/// What a turn can afford for a program of 2000 nodes.
const BUDGET_MS: f64 = 200.0;

/// One walk of all programs, and how much there was to read. A screen on which nothing speaks has nothing to walk.
pub(super) fn walk(bench: &Bench<'_>) -> anyhow::Result<Vec<Figure>> {
    let (buses, ui_automation) = (Buses::of(bench.environment), true);
    let kit = Kit { buses, ui_automation, ..Kit::eyes(Arc::new(bench.clock.clone())) };
    let mut desktop = connector(&bench.desktop, kit)?()?;
    if !desktop.info().capabilities.ui_tree {
        return Ok(Vec::new());
    }
    let areas = desktop.displays()?.into_iter().map(|display| display.area);
    let area = areas.fold(ScreenRect::new(0, 0, 0, 0), |all, area| all.union(&area));
    // What takes longer than a turn would wait is measured and not cut off.
    let within = Duration::from_millis(1500);
    let mut ask = |request: UiRequest| {
        let (mut read, mut shown) = (Vec::new(), Vec::new());
        let took = bench.samples(|| {
            let tree = desktop.ui_tree(&request)?;
            read.push(tree.read as f64);
            shown.push(tree.nodes.len() as f64);
            anyhow::Ok(())
        })?;
        anyhow::Ok((took, read, shown))
    };
    let (took, read, shown) = ask(UiRequest { within, ..Marks::default().of_programs(area) })?;
    if read.iter().all(|read| *read == 0.0) {
        return Ok(Vec::new());
    }
    let (of_all, _, all) = ask(UiRequest { within, ..UiRequest::of(area) })?;
    Ok(vec![
        Figure::new("UI tree of all programs", took).at_most(BUDGET_MS),
        Figure::new("  nodes that were read", read).unit(""),
        Figure::new("  things told of", shown).unit(""),
        Figure::new("UI tree, every place asked", of_all),
        Figure::new("  things to be seen", all).unit(""),
    ])
}
