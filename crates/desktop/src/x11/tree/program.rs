//! One program's tree, in as few steps as its toolkit allows.
//!
//! A toolkit that keeps a cache (GTK 3, Chromium) tells its whole tree in one answer, without places; others are walked level by
//! level, each level in one go; for the places see [`extents`]. What is not shown is not gone into. A program that keeps silent
//! for its whole time is left alone for a while, or it would cost every turn as much.

use super::bus::{ACCESSIBLE, Asker, Bus, Call, OnBus, Reference, read};
use super::extents;
use super::place::Scene;
use super::role::state;
use handsight_base::flow::ui::label;
use handsight_base::space::ScreenRect;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use zbus::message::Message;
use zbus::zvariant::OwnedValue;

const APPLICATION: &str = "org.a11y.atspi.Application";
const CACHE: &str = "org.a11y.atspi.Cache";
const CACHE_PATH: &str = "/org/a11y/atspi/cache";

/// Trees are not deeper; one that is goes round in a circle.
const DEPTH: usize = 64;
/// Children of one thing that are looked at. Of a longer list the screen shows no more at a time.
const CHILDREN: usize = 400;

/// What one program said.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) pid: Option<u32>,
    /// Its places count from the corner of its window and not of the screen (GTK 4).
    pub(super) of_window: bool,
    /// Parents before their children; the first is the program itself.
    pub(super) nodes: Vec<Raw>,
    /// Things beyond what was wanted, whose places were not asked.
    pub(super) untold: usize,
    pub(super) missed: Option<String>,
    /// It said nothing at all in its time.
    pub(super) silent: bool,
}

/// A thing as a program tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Raw {
    pub(super) role: u32,
    pub(super) states: u64,
    pub(super) label: String,
    pub(super) parent: Option<usize>,
    pub(super) area: Option<ScreenRect>,
}

/// As `Cache.GetItems` tells a thing: itself, its program, its parent, its place among its siblings, how many children it has, its
/// interfaces, name, role, description and states.
type Item = (Reference, Reference, Reference, i32, i32, Vec<String>, String, u32, String, Vec<u32>);

/// Asks all programs at the same time.
pub(super) async fn read_all(
    bus: &mut Bus,
    programs: Vec<OnBus>,
    until: Instant,
    (most, told): (usize, usize),
    scene: &Arc<Scene>,
) -> Vec<Program> {
    let mut reading = JoinSet::new();
    let mut left_alone: Vec<(usize, Program)> = Vec::new();
    for (n, program) in programs.into_iter().enumerate() {
        if bus.is_left_alone(&program) {
            let who = program.pid.map_or_else(|| "a program".to_owned(), |pid| format!("process {pid}"));
            let missed = Some(format!("{who} does not answer and is left alone for a while"));
            left_alone.push((n, Program { pid: program.pid, missed, ..Program::default() }));
            continue;
        }
        let Some(way) = bus.way(&program) else { continue };
        let scene = Arc::clone(scene);
        reading.spawn(async move {
            let (asker, found) = way.asker(&program, until).await;
            let name = program.name.clone();
            (n, name, read_one(asker, program, (most, told), &scene).await, found)
        });
    }
    let mut done = left_alone;
    while let Some(program) = reading.join_next().await {
        let Ok((n, name, program, found)) = program else { continue };
        if program.silent {
            bus.leave_alone(name.clone());
        }
        done.push((n, program));
        if let Some(direct) = found {
            bus.keep(name, direct);
        }
    }
    done.sort_by_key(|(n, _)| *n);
    done.into_iter().map(|(_, program)| program).collect()
}

async fn read_one(mut asker: Asker, on_bus: OnBus, (most, told): (usize, usize), scene: &Scene) -> Program {
    let about = [
        Call::property(&on_bus.root, ACCESSIBLE, "Name"),
        Call::property(&on_bus.root, APPLICATION, "ToolkitName"),
        Call::property(&on_bus.root, APPLICATION, "Version"),
        Call::new(CACHE_PATH, CACHE, "GetItems"),
    ];
    let answers = asker.ask(&about).await;
    let said = |n: usize| text(answers.get(n).and_then(Option::as_ref));
    let name = said(0);
    // GTK 3 names itself in small letters. GTK 4 tells no more than a frame to be shown and counts from its window.
    let fourth = said(1) == "GTK" && said(2).starts_with('4');
    let items = read::<Vec<Item>>(answers.get(3).and_then(Option::as_ref)).unwrap_or_default();
    let mut walk =
        Walk { asker, most, showing: if fourth { state::VISIBLE } else { state::SHOWING }, cut: false };
    let mut things = if fourth { Vec::new() } else { from_cache(items, &on_bus.root) };
    if things.len() > 1 {
        shown(&mut things, walk.showing, most);
        walk.below_managers(&mut things).await;
    } else {
        things = walk.whole(&on_bus.root).await;
    }
    let who = match (name.is_empty(), on_bus.pid) {
        (false, _) => format!("{:?}", label(&name)),
        (true, Some(pid)) => format!("process {pid}"),
        (true, None) => "a program".to_owned(),
    };
    let Walk { mut asker, cut, .. } = walk;
    let (paths, nodes): (Vec<String>, Vec<Raw>) =
        things.into_iter().map(|thing| (thing.path, thing.raw)).unzip();
    let mut program = Program { pid: on_bus.pid, of_window: fourth, nodes, ..Program::default() };
    extents::ask(&mut asker, &paths, &mut program, scene, told).await;
    program.silent = asker.ended && program.nodes.len() <= 1;
    program.missed = match (asker.ended, program.nodes.len()) {
        (true, 0 | 1) => Some(format!("{who} did not answer in time")),
        (true, _) => Some(format!("{who} did not answer wholly in time")),
        (false, _) if cut => Some(format!("{who} shows more than was read")),
        (false, _) => None,
    };
    program
}

/// A thing with its path, while the tree is put together.
#[derive(Debug, Clone, Default)]
struct Thing {
    path: String,
    children: i32,
    raw: Raw,
}

/// The cache's things, parents before their children.
fn from_cache(items: Vec<Item>, root: &str) -> Vec<Thing> {
    let mut below: HashMap<String, Vec<(i32, Thing)>> = HashMap::new();
    let mut things = Vec::new();
    for ((_, path), _, (_, parent), index, children, _, name, role, description, states) in items {
        let words = if name.is_empty() { description } else { name };
        let raw = Raw { role, states: bits(&states), label: label(&words), ..Raw::default() };
        let thing = Thing { path: path.as_str().to_owned(), children, raw };
        if thing.path == root {
            things.push(thing);
        } else {
            below.entry(parent.as_str().to_owned()).or_default().push((index, thing));
        }
    }
    if things.is_empty() && !below.is_empty() {
        things.push(Thing { path: root.to_owned(), ..Thing::default() });
    }
    things.truncate(1);
    let mut at = 0;
    // What is nobody's child within the program is left behind, so that a circle ends by itself.
    while let Some(thing) = things.get(at) {
        let mut children = below.remove(&thing.path).unwrap_or_default();
        children.sort_by_key(|(index, _)| *index);
        for (_, mut child) in children {
            child.raw.parent = Some(at);
            things.push(child);
        }
        at += 1;
    }
    things
}

/// Drops what is not shown, with all below it, and what is beyond `most`.
fn shown(things: &mut Vec<Thing>, showing: u64, most: usize) {
    let mut kept: Vec<Thing> = Vec::with_capacity(things.len());
    let mut now: Vec<Option<usize>> = Vec::with_capacity(things.len());
    for mut thing in things.drain(..) {
        let parent = thing.raw.parent.and_then(|parent| now.get(parent).copied().flatten());
        let shown = thing.raw.parent.is_none()
            || (parent.is_some() && thing.raw.states & showing != 0 && kept.len() < most);
        now.push(shown.then_some(kept.len()));
        if shown {
            thing.raw.parent = parent;
            kept.push(thing);
        }
    }
    *things = kept;
}

struct Walk {
    asker: Asker,
    most: usize,
    /// The state that everything to be seen has.
    showing: u64,
    cut: bool,
}

impl Walk {
    /// Lists and tables keep their rows out of the cache.
    async fn below_managers(&mut self, things: &mut Vec<Thing>) {
        let held: Vec<usize> = things.iter().filter_map(|thing| thing.raw.parent).collect();
        let manages = |(n, thing): &(usize, &Thing)| {
            thing.raw.states & state::MANAGES_DESCENDANTS != 0 && thing.children > 0 && !held.contains(n)
        };
        let managers: Vec<usize> = things.iter().enumerate().filter(manages).map(|(n, _)| n).collect();
        if !managers.is_empty() {
            self.levels(things, managers).await;
        }
    }

    /// The whole tree of a program that keeps no cache.
    async fn whole(&mut self, root: &str) -> Vec<Thing> {
        let mut things = vec![Thing { path: root.to_owned(), ..Thing::default() }];
        self.levels(&mut things, vec![0]).await;
        things
    }

    /// Adds what lies below these, level by level.
    async fn levels(&mut self, things: &mut Vec<Thing>, mut parents: Vec<usize>) {
        for _ in 0..DEPTH {
            let path = |n: &usize| things.get(*n).map_or("", |thing| thing.path.as_str());
            let calls: Vec<Call> =
                parents.iter().map(|n| Call::new(path(n), ACCESSIBLE, "GetChildren")).collect();
            let answers = self.asker.ask(&calls).await;
            let mut level: Vec<(usize, String)> = Vec::new();
            for (parent, answer) in parents.iter().zip(&answers) {
                let children = read::<Vec<Reference>>(answer.as_ref()).unwrap_or_default();
                self.cut |= children.len() > CHILDREN;
                level.extend(
                    children.iter().take(CHILDREN).map(|(_, path)| (*parent, path.as_str().to_owned())),
                );
            }
            let room = self.most.saturating_sub(things.len());
            self.cut |= level.len() > room;
            level.truncate(room);
            if level.is_empty() {
                return;
            }
            parents = self.describe(things, level).await;
        }
        self.cut = true;
    }

    /// Asks what these are, adds those that are shown, and returns their numbers.
    async fn describe(&mut self, things: &mut Vec<Thing>, level: Vec<(usize, String)>) -> Vec<usize> {
        let of = |(_, path): &(usize, String)| {
            [
                Call::new(path, ACCESSIBLE, "GetState"),
                Call::new(path, ACCESSIBLE, "GetRole"),
                Call::property(path, ACCESSIBLE, "Name"),
            ]
        };
        let calls: Vec<Call> = level.iter().flat_map(of).collect();
        let answers = self.asker.ask(&calls).await;
        let mut added = Vec::new();
        for ((parent, path), answers) in level.into_iter().zip(answers.chunks(3)) {
            let [states, role, name] = answers else { continue };
            let Some(states) = read::<Vec<u32>>(states.as_ref()).map(|words| bits(&words)) else { continue };
            // A program's windows are shown if the screen shows them, whatever it says.
            if states & self.showing == 0 && parent != 0 {
                continue;
            }
            let role = read::<u32>(role.as_ref()).unwrap_or_default();
            let raw =
                Raw { role, states, label: label(&text(name.as_ref())), parent: Some(parent), area: None };
            added.push(things.len());
            things.push(Thing { path, children: 0, raw });
        }
        added
    }
}

/// Two words of states as one.
fn bits(words: &[u32]) -> u64 {
    let word = |n: usize| u64::from(words.get(n).copied().unwrap_or_default());
    word(0) | word(1) << 32
}

/// A property that is a text; empty if it is none.
fn text(answer: Option<&Message>) -> String {
    let value = read::<OwnedValue>(answer);
    value.and_then(|value| String::try_from(value).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use zbus::zvariant::OwnedObjectPath;

    fn item(path: &str, parent: &str, index: i32, states: u64) -> Item {
        let of = |path: &str| (":1.7".to_owned(), OwnedObjectPath::try_from(path).unwrap());
        let words = vec![states as u32, (states >> 32) as u32];
        (of(path), of("/root"), of(parent), index, 0, vec![], format!("n{path}"), 43, "d".into(), words)
    }

    #[test]
    fn a_cache_in_any_order_is_a_tree_and_what_goes_in_circles_is_left_out() {
        let shown = state::SHOWING;
        let items = vec![
            item("/b/2", "/b", 1, shown),
            item("/b", "/root", 0, shown),
            item("/b/1", "/b", 0, 0),
            item("/b/1/x", "/b/1", 0, shown),
            item("/root", "/", 0, 0),
            item("/circle/1", "/circle/2", 0, shown),
            item("/circle/2", "/circle/1", 0, shown),
            item("/b/2", "/b", 1, shown),
        ];
        let mut things = from_cache(items, "/root");
        let paths = |things: &[Thing]| things.iter().map(|t| t.path.clone()).collect::<Vec<_>>();
        assert_eq!(paths(&things), ["/root", "/b", "/b/1", "/b/2", "/b/2", "/b/1/x"]);
        let parents: Vec<Option<usize>> = things.iter().map(|thing| thing.raw.parent).collect();
        assert_eq!(parents, [None, Some(0), Some(1), Some(1), Some(1), Some(2)]);
        assert_eq!(things[1].raw.label, "n/b");
        // What is not shown goes with all below it.
        keep(&mut things, 100);
        assert_eq!(paths(&things), ["/root", "/b", "/b/2", "/b/2"]);
        assert_eq!(things[2].raw.parent, Some(1));
        keep(&mut things, 2);
        assert_eq!(paths(&things), ["/root", "/b"], "and never more than is wanted");
        assert!(from_cache(Vec::new(), "/root").is_empty());
        assert_eq!(bits(&[1 << 30, 1]), 1 << 30 | 1 << 32);
    }

    fn keep(things: &mut Vec<Thing>, most: usize) {
        shown(things, state::SHOWING, most);
    }
}
