//! What numbers are worth to a model that points badly: the tasks of the desk, worked by one that knows the way and what it wants
//! to press, by points that are off and by the numbers of marks.
//!
//! It shows how much of a pointing error marks take away, and how many of the things that tasks press have a mark. It does not show
//! that a model picks the right number: this one knows the name of what it wants and looks it up in the list it was sent. A thing
//! that is not listed by one name alone it points at, as badly as without marks.

use crate::world_rig::{HD, OnDesk};
use handsight_base::flow::ui::{UiNode, UiRole};
use handsight_base::port::BoxFuture;
use handsight_base::port::model::{Model, ModelError, ModelReply, ModelRequest, Part, ToolCall};
use handsight_base::space::ScreenPx;
use handsight_base::stop::Stop;
use handsight_testkit::need::long;
use handsight_worlds::WORLDS;
use handsight_worlds::desk::{Desk, DeskSetup};
use handsight_worlds::engine::{Shared, World, hold};
use handsight_worlds::random::Random;
use handsight_worlds::task::{Hand, PLAIN_TOOLS, TaskInfo};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// Clicks that were meant, and those of them that a number said.
#[derive(Debug, Default, Clone, Copy)]
struct Clicks {
    all: u32,
    numbered: u32,
}

/// Knows what to do next, and points with an error of so many pixels (a standard deviation on each axis).
struct Pointer {
    world: Shared<Desk>,
    error: i32,
    random: Mutex<Random>,
    clicks: Arc<Mutex<Clicks>>,
}

impl Pointer {
    /// A place of the screen as the profile's 0 to 1000, off by the error and never outside.
    fn point(&self, at: ScreenPx) -> Value {
        let mut random = self.random.lock().unwrap();
        // Three even draws: as wide as the error, and never beyond three times of it.
        let mut off = || (0..3).map(|_| random.range(-self.error, self.error)).sum::<i32>();
        let x = (at.x + off()).clamp(0, HD.width as i32 - 1);
        let y = (at.y + off()).clamp(0, HD.height as i32 - 1);
        let norm = |v: i32, n: u32| f64::from(v) / f64::from(n - 1) * 1000.0;
        json!({"x": norm(x, HD.width), "y": norm(y, HD.height)})
    }

    /// The number of the thing there, if the list that was sent names it and nothing else so.
    fn number(&self, at: ScreenPx, listed: &str) -> Option<u32> {
        let nodes = World::ui(&*hold(&*self.world));
        let there = |node: &&UiNode| node.area.contains(at) && node.role != UiRole::Text;
        let wanted = nodes.iter().filter(there).min_by_key(|node| node.area.size.area())?;
        let label = if wanted.label.is_empty() { String::new() } else { format!(" {:?}", wanted.label) };
        let name = format!(" {}{label}", wanted.role.word());
        let numbers: Vec<u32> = listed.lines().filter_map(|l| l.strip_suffix(&name)?.parse().ok()).collect();
        if let [number] = numbers[..] { Some(number) } else { None }
    }
}

impl Model for Pointer {
    fn name(&self) -> &str {
        "test/pointer"
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        _: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        let texts = request.messages.iter().flat_map(|m| &m.parts).filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        });
        let listed = texts.collect::<Vec<_>>().join("\n");
        let hand = hold(&*self.world).oracle();
        let (tool, mut args) = match hand {
            Hand::Click(at) => {
                let number = self.number(at, &listed);
                let mut clicks = self.clicks.lock().unwrap();
                clicks.all += 1;
                clicks.numbered += u32::from(number.is_some());
                ("click", number.map_or_else(|| self.point(at), |number| json!({"mark": number})))
            }
            Hand::Type(text) => ("type", json!({"text": text})),
            Hand::Scroll(units) => ("scroll", json!({"dy": units})),
            _ => ("done", json!({})),
        };
        args["reason"] = json!("");
        let calls = vec![ToolCall { id: "c".into(), name: tool.into(), arguments: args.to_string() }];
        Box::pin(std::future::ready(Ok(ModelReply { calls, ..ModelReply::default() })))
    }
}

/// Whether the task was done, in how many turns, and the clicks.
fn play(task: &TaskInfo, seed: u64, error: i32, marks: bool) -> (bool, u64, Clicks) {
    let marks = format!("context.annotate.marks={marks}");
    let settings = ["hud.enabled=false", "SETTLE_ENABLED=false", "limits.max_turns=40", &marks];
    let desk = OnDesk::new(&DeskSetup::from(&task.setup(seed, HD)), &settings);
    hold(&desk.world).begin(task.name).unwrap();
    let clicks = Arc::new(Mutex::new(Clicks::default()));
    let random = Mutex::new(Random::of(seed, task.name));
    let model = Pointer { world: desk.world.clone(), error, random, clicks: Arc::clone(&clicks) };
    let ending = desk.run(Arc::new(model));
    let done = hold(&desk.world).verdict().unwrap().verified;
    let clicks = *clicks.lock().unwrap();
    (done, ending.turns, clicks)
}

#[test]
fn a_model_that_points_badly_does_better_by_numbers() {
    let desk = WORLDS.iter().find(|world| world.name == "desk").unwrap();
    let plain = |task: &TaskInfo| task.displays == 1 && task.percent == 100 && task.needs_only(PLAIN_TOOLS);
    let tasks: Vec<TaskInfo> = (desk.tasks)().iter().copied().filter(plain).collect();
    let (tasks, seeds, errors): (Vec<_>, u64, &[i32]) = if long() {
        (tasks, 3, &[0, 4, 8, 12, 16, 24])
    } else {
        (tasks.into_iter().step_by(12).collect(), 1, &[16])
    };
    println!("| error | marks | done | of | turns | clicks | by number |");
    for &error in errors {
        let mut done_by = Vec::new();
        for marks in [false, true] {
            let (mut done, mut turns, mut clicks) = (0u32, 0, Clicks::default());
            for (task, seed) in tasks.iter().flat_map(|task| (1..=seeds).map(move |seed| (task, seed))) {
                let (won, took, of_it) = play(task, seed, error, marks);
                done += u32::from(won);
                turns += took;
                clicks.all += of_it.all;
                clicks.numbered += of_it.numbered;
            }
            let of = tasks.len() as u64 * seeds;
            println!(
                "| {error} | {marks} | {done} | {of} | {turns} | {} | {} |",
                clicks.all, clicks.numbered
            );
            if error == 0 {
                assert_eq!(
                    u64::from(done),
                    of,
                    "who knows the way and points well does them all, marks {marks}"
                );
            }
            assert!(
                !marks || clicks.numbered * 10 >= clicks.all * 7,
                "most of what is pressed has a number: {clicks:?}"
            );
            done_by.push((done, turns));
        }
        let [(done, turns), (done_by_number, turns_by_number)] = done_by[..] else { panic!("twice") };
        assert!(
            done_by_number >= done,
            "{done_by_number} tasks by numbers, {done} by points {error} pixels off"
        );
        // Who misses tries again, as long as there are turns: that is what a miss costs.
        assert!(
            error < 12 || turns_by_number < turns,
            "{turns_by_number} turns by numbers, {turns} by points"
        );
    }
}
