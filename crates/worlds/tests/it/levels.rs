//! The level of a task is no opinion: it is that of the longest way its oracle takes on twenty desks.

use crate::tasks::{Attempt, HD};
use handsight_worlds::WORLDS;
use handsight_worlds::desk::{Desk, DeskSetup};
use handsight_worlds::engine::{World as _, hold, share};
use handsight_worlds::task::{Hand, TaskInfo, level};
use std::collections::BTreeSet;

const SEEDS: u64 = 20;

/// How many actions an oracle takes on one desk, and in how many windows.
fn way(task: &TaskInfo, seed: u64) -> (usize, usize) {
    let world = share(Desk::new(&DeskSetup::from(&task.setup(seed, HD))));
    let mut attempt = Attempt::on(world.clone(), task);
    let mut windows = BTreeSet::new();
    for actions in 0..200 {
        let hand = hold(&world).oracle();
        if hand == Hand::Done {
            return (actions, windows.len());
        }
        windows.extend(hold(&world).worked_in(&hand));
        attempt.act(&hand);
    }
    panic!("{} seed {seed} has no end", task.name);
}

#[test]
fn the_level_is_that_of_the_longest_way_of_the_oracle() {
    let mut wrong = Vec::new();
    for task in (WORLDS[0].tasks)() {
        let ways: Vec<(usize, usize)> = (0..SEEDS).map(|seed| way(&task, seed)).collect();
        let levels: Vec<u8> = ways.iter().map(|(actions, windows)| level(*actions, *windows)).collect();
        let (actions, windows) =
            (ways.iter().map(|w| w.0).max().unwrap(), ways.iter().map(|w| w.1).max().unwrap());
        println!("level {} {:<20} at most {actions:>2} actions in {windows} windows", task.level, task.name);
        if levels.iter().max() != Some(&task.level) {
            wrong.push(format!("{} is said to be of level {}: {levels:?} {ways:?}", task.name, task.level));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn more_actions_or_windows_are_a_higher_level() {
    for ((actions, windows), expected) in
        [((1, 0), 1), ((3, 1), 1), ((4, 1), 2), ((10, 1), 2), ((11, 1), 3), ((2, 2), 3)]
    {
        assert_eq!(level(actions, windows), expected, "{actions} actions in {windows} windows");
    }
}

#[test]
fn every_level_has_tasks_enough_to_judge_an_agent() {
    let tasks = (WORLDS[0].tasks)();
    for level in 1..=3 {
        let count = tasks.iter().filter(|t| t.level == level).count();
        assert!(count >= 14, "level {level} has {count} tasks");
    }
}
