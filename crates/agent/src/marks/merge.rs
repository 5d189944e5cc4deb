//! One list of what several sources saw: each thing once, in reading order.
//!
//! Where two tell of the same thing the UI tree wins, since it knows what a thing does; a shape wins over letters, which then name
//! it. Words that the tree calls mere words get no mark, whoever else saw them. Refused here: any guess at what a field holds. Its
//! letters never become its label.

use super::{OCR, SEGMENTS, TREE};
use handsight_base::flow::percept::Finding;
use handsight_base::flow::ui::{UiRole, label};
use handsight_base::space::FrameRect;
use std::cmp::Ordering;

/// Two boxes of the tree that cover each other so far are one thing.
const SAME: f64 = 0.8;
/// A shape that covers a thing so far is that thing.
const ALIKE: f64 = 0.5;
/// What lies within another by so much belongs to it.
const WITHIN: f64 = 0.6;
/// Longer lines are prose, and nobody presses prose.
const LONGEST_LINE: usize = 40;
/// A line of a person's interface is not higher; of taller things the upper part says where they are read.
const LINE_PX: u32 = 40;

/// What is left once everything was merged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Merged {
    /// In reading order.
    pub things: Vec<Finding>,
    /// How many were dropped to keep within the limit.
    pub left_out: usize,
}

/// Each thing on a frame once, at most `most`; what the tree knows is dropped last.
pub fn merge(findings: &[Finding], frame: FrameRect, most: usize) -> Merged {
    let by = |source: &'static str| {
        findings.iter().filter(move |f| f.by == source).filter_map(move |f| seen(f, frame))
    };
    let mut things: Vec<Finding> = Vec::new();
    let mut words: Vec<FrameRect> = Vec::new();
    for thing in by(TREE) {
        if thing.kind == UiRole::Text.word() {
            words.push(thing.area);
            continue;
        }
        // Toolkits wrap a thing into another of the same size; the inner one comes later and says what it is.
        match things.iter_mut().find(|other| overlap(&other.area, &thing.area) >= SAME) {
            Some(other) if other.label.is_empty() || !thing.label.is_empty() => *other = thing,
            Some(_) => {}
            None => things.push(thing),
        }
    }
    let of_tree = things.len();
    for shape in by(SEGMENTS) {
        let known = |area: &FrameRect| {
            overlap(area, &shape.area) >= ALIKE
                || share(&shape.area, area) >= WITHIN
                || share(area, &shape.area) >= WITHIN
        };
        if !things.iter().any(|other| known(&other.area)) && !words.iter().any(known) {
            things.push(shape);
        }
    }
    for line in by(OCR) {
        let holds = |area: &FrameRect| share(&line.area, area) >= WITHIN;
        // The smallest that holds it: a row within a list, not the list.
        let holder =
            things.iter_mut().filter(|other| holds(&other.area)).min_by_key(|other| other.area.size.area());
        match holder {
            Some(holder) if holder.label.is_empty() && !holder.kind.ends_with(UiRole::Field.word()) => {
                holder.label = label(&line.label);
            }
            Some(_) => {}
            None if words.iter().any(holds) || line.label.chars().count() > LONGEST_LINE => {}
            None => things.push(Finding { kind: UiRole::Text.word().into(), ..line }),
        }
    }
    let left_out = things.len().saturating_sub(most);
    if left_out > 0 {
        // The tree's own first, then what is surest.
        let (known, guessed) = things.split_at_mut(of_tree);
        known.sort_by_key(|thing| thing.kind.starts_with(super::DISABLED));
        guessed.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        things.truncate(most);
    }
    Merged { things: in_reading_order(things), left_out }
}

/// The part of a finding that is on the frame.
fn seen(finding: &Finding, frame: FrameRect) -> Option<Finding> {
    let area = finding.area.intersect(&frame)?;
    Some(Finding { area, label: label(&finding.label), ..finding.clone() })
}

/// What both cover, of what either covers.
fn overlap(a: &FrameRect, b: &FrameRect) -> f64 {
    let both = a.intersect(b).map_or(0, |r| r.size.area());
    both as f64 / (a.size.area() + b.size.area() - both).max(1) as f64
}

/// How much of `inner` lies in `outer`.
fn share(inner: &FrameRect, outer: &FrameRect) -> f64 {
    inner.intersect(outer).map_or(0, |r| r.size.area()) as f64 / inner.size.area().max(1) as f64
}

/// From the top to the bottom by rows, and each row from the left to the right.
fn in_reading_order(mut things: Vec<Finding>) -> Vec<Finding> {
    let height = |thing: &Finding| thing.area.size.height.min(LINE_PX);
    // Twice the middle, so that halves stay whole.
    let middle = |thing: &Finding| i64::from(thing.area.origin.y) * 2 + i64::from(height(thing));
    let place = |a: &Finding, b: &Finding| -> Ordering {
        middle(a).cmp(&middle(b)).then(a.area.origin.x.cmp(&b.area.origin.x))
    };
    things.sort_by(place);
    let mut rows: Vec<Vec<Finding>> = Vec::new();
    for thing in things {
        let first = rows.last().and_then(|row| row.first());
        let reach = first.map_or(0, |first| i64::from(height(first).min(height(&thing))));
        match rows.last_mut() {
            Some(row) if first_middle(row, &middle).is_some_and(|first| middle(&thing) - first < reach) => {
                row.push(thing);
            }
            _ => rows.push(vec![thing]),
        }
    }
    for row in &mut rows {
        row.sort_by_key(|thing| thing.area.origin.x);
    }
    rows.into_iter().flatten().collect()
}

fn first_middle(row: &[Finding], middle: &impl Fn(&Finding) -> i64) -> Option<i64> {
    row.first().map(middle)
}
