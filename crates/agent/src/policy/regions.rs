//! Which parts of the screen the pointer may be used in. A drag is held to every pixel of its way, wherever on it the
//! hands may stop.

use super::windows::{Touched, touched};
use crate::profile::{Area, Policy};
use handsight_base::flow::action::Action;
use handsight_base::gate::{Objection, Proposal, Rule, Scene};
use handsight_base::space::{ScreenPx, ScreenRect};

pub(super) struct Regions {
    allowed: Vec<ScreenRect>,
    denied: Vec<ScreenRect>,
}

impl Regions {
    pub(super) fn of(policy: &Policy) -> Self {
        Self { allowed: rects(&policy.regions), denied: rects(&policy.regions_denied) }
    }
}

pub(super) fn rects(areas: &[Area]) -> Vec<ScreenRect> {
    areas.iter().filter_map(|area| area.rect()).collect()
}

impl Rule for Regions {
    fn name(&self) -> &'static str {
        "regions"
    }

    fn looks_at_windows(&self) -> bool {
        !self.allowed.is_empty() || !self.denied.is_empty()
    }

    fn check(&self, proposal: Proposal<'_>, scene: &Scene<'_>) -> Result<(), Objection> {
        let Proposal::Action(action) = proposal else { return Ok(()) };
        if !self.looks_at_windows() {
            return Ok(());
        }
        let points = match touched(action, scene) {
            Touched::Points(points) => points,
            Touched::Somewhere => {
                let words = "the pointer may be used in some parts of the screen only, and it is not known where it is: name a place";
                return Err(words.to_owned().into());
            }
            Touched::Nothing | Touched::Focus | Touched::Query(_) => return Ok(()),
        };
        let points = if matches!(action, Action::Drag { .. }) { way(&points) } else { points };
        let outside =
            |at: &&ScreenPx| !self.allowed.is_empty() && !self.allowed.iter().any(|r| r.contains(**at));
        if let Some(at) = points.iter().find(outside) {
            return Err(format!("{at} lies outside of the parts of the screen that may be used").into());
        }
        if let Some(at) = points.iter().find(|at| self.denied.iter().any(|r| r.contains(**at))) {
            return Err(format!("{at} lies in a part of the screen that is not to be used").into());
        }
        Ok(())
    }
}

/// Every pixel of straight lines from point to point, as far as hands can stop there: how long their steps are is not known here.
pub(super) fn way(corners: &[ScreenPx]) -> Vec<ScreenPx> {
    let mut points: Vec<ScreenPx> = corners.first().copied().into_iter().collect();
    for leg in corners.windows(2) {
        let [from, to] = leg else { continue };
        let (dx, dy) = (i64::from(to.x) - i64::from(from.x), i64::from(to.y) - i64::from(from.y));
        let steps = dx.abs().max(dy.abs()).clamp(1, 65_536);
        // Rounded, as the hands go.
        let along = |from: i32, d: i64, halves: i64| {
            (f64::from(from) + d as f64 * halves as f64 / (2 * steps) as f64).round() as i32
        };
        for n in 0..=steps {
            // A stop up to half a pixel before or behind this one counts as this one along the longer side, and may be a row or
            // column off along the other.
            for halves in [2 * n - 1, 2 * n, 2 * n + 1].map(|halves| halves.clamp(0, 2 * steps)) {
                let (x, y) = if dx.abs() >= dy.abs() { (2 * n, halves) } else { (halves, 2 * n) };
                let at = ScreenPx::new(along(from.x, dx, x), along(from.y, dy, y));
                if points.last() != Some(&at) {
                    points.push(at);
                }
            }
        }
    }
    points
}
