//! What holds for every task of every world: it cannot be won by doing nothing or anything, its oracle wins it through the real
//! port with the tools it names, and what is won is lost again by harm done elsewhere.

use crate::look::{different_colours, dump};
use handsight_base::flow::action::{Action, Button, Timing};
use handsight_base::flow::frame::{Frame, Shown};
use handsight_base::gate::{Gate, Scene, Work};
use handsight_base::port::clock::VirtualClock;
use handsight_base::port::desktop::{CaptureRequest, Desktop as _, OverlayInCapture};
use handsight_base::space::{FrameGeometry, FrameId, ScreenPx, ScreenRect, Size};
use handsight_base::stop::Stop;
use handsight_testkit::need::long;
use handsight_worlds::desk::{Desk, DeskSetup};
use handsight_worlds::engine::desktop::WorldDesktop;
use handsight_worlds::engine::screen::Screen;
use handsight_worlds::engine::{Input, World, hold, share};
use handsight_worlds::random::Random;
use handsight_worlds::task::{Hand, MOST_ACTIONS, PLAIN_TOOLS, TOOLS, TaskError, TaskInfo};
use handsight_worlds::{Setup, WORLDS, WorldKind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// No oracle needs more.
const MOST_STEPS: usize = 120;
/// What a turn of `stateless` takes after an action.
const TURN: Duration = Duration::from_millis(950);

pub(crate) const HD: Size = Size::new(1280, 720);
const FULL_HD: Size = Size::new(1920, 1080);

/// One attempt at a task, by hands that go through gate and port.
pub(crate) struct Attempt {
    world: Arc<Mutex<dyn World>>,
    desktop: WorldDesktop,
    clock: VirtualClock,
    /// Points are rounded to whole thousandths of the screen, as the plain tools name them.
    coarse: bool,
    /// A picture is taken before each step, as a turn does.
    looks: bool,
}

impl Attempt {
    fn new(kind: &WorldKind, setup: &Setup, task: &TaskInfo) -> Self {
        Self::on((kind.build)(setup), task)
    }

    pub(crate) fn on(world: Arc<Mutex<dyn World>>, task: &TaskInfo) -> Self {
        let clock = VirtualClock::new(0);
        hold(&world).begin(task.name).unwrap();
        let desktop = WorldDesktop::new(world.clone(), clock.clone());
        // Only a picture knows the scale of a sharp display.
        Self { world, desktop, clock, coarse: task.needs_only(PLAIN_TOOLS), looks: task.percent != 100 }
    }

    fn frame(&mut self) -> Frame {
        let all = hold(&self.world).displays().len() > 1;
        let shown = if all { Shown::AllDisplays } else { Shown::Display("world-0".into()) };
        let overlay = OverlayInCapture::AsShown;
        let request = CaptureRequest { frame: FrameId(1), shown, region: None, cursor: true, overlay };
        self.desktop.capture(&request).unwrap()
    }

    fn geometry(&mut self) -> FrameGeometry {
        let displays = self.desktop.displays().unwrap();
        if !self.looks {
            // As a picture would have it.
            let area = displays.iter().map(|d| d.area).reduce(|a, b| a.union(&b)).unwrap();
            assert!(displays.iter().all(|d| d.scale == 1.0), "only a picture knows its scale");
            return FrameGeometry { frame: FrameId(1), size: area.size, origin: area.origin, scale: 1.0 };
        }
        self.frame().geometry
    }

    pub(crate) fn act(&mut self, hand: &Hand) {
        let geometry = self.geometry();
        if let Some(action) = hand.action(&geometry).unwrap() {
            let action = if self.coarse { rounded(action, &geometry) } else { action };
            let approved = Gate::new(Vec::new()).approve(action, &Scene::new(&geometry, 1)).unwrap();
            let Work::Input(batch) = approved.expand(&geometry, &Timing::default()).unwrap() else {
                panic!("{hand:?} is no input")
            };
            assert!(self.desktop.inject(batch, &Stop::new()).unwrap().complete);
        }
        self.clock.advance(TURN);
    }

    fn verified(&self) -> bool {
        hold(&self.world).verdict().unwrap().verified
    }

    /// Follows the oracle to its end; what it did.
    fn play(&mut self, task: &TaskInfo) -> Result<Vec<Hand>, String> {
        let mut hands = Vec::new();
        loop {
            let hand = hold(&self.world).oracle();
            if hand == Hand::Done {
                break;
            }
            // Everything before the last step is not enough.
            assert!(!self.verified(), "{}: verified before its end", task.name);
            if hands.len() == MOST_STEPS {
                let last = &hands[MOST_STEPS - 4..];
                let why = hold(&self.world).verdict().unwrap().why;
                return Err(format!("no end after {MOST_STEPS} steps, the last {last:?}: {why}"));
            }
            if !task.tools.contains(&hand.tool()) {
                return Err(format!(
                    "step {} takes {} ({hand:?}), which it does not name",
                    hands.len(),
                    hand.tool()
                ));
            }
            self.act(&hand);
            hands.push(hand);
        }
        if self.verified() { Ok(hands) } else { Err("done, but not verified".to_owned()) }
    }
}

/// The same click, as far as whole thousandths can say it.
fn rounded(action: Action, geometry: &FrameGeometry) -> Action {
    let Action::Click { at: Some(mut at), button, count, modifiers } = action else { return action };
    let axis = |v: i32, n: u32| {
        let last = f64::from(n - 1);
        ((f64::from(v) / last * 1000.0).round() / 1000.0 * last).round() as i32
    };
    at.point.x = axis(at.point.x, geometry.size.width);
    at.point.y = axis(at.point.y, geometry.size.height);
    Action::Click { at: Some(at), button, count, modifiers }
}

/// So many seeds per landing; 20 in the long form.
fn seeds(landing: u64) -> u64 {
    if long() { 20 } else { landing }
}

fn each() -> impl Iterator<Item = (&'static WorldKind, TaskInfo)> {
    WORLDS.iter().flat_map(|kind| (kind.tasks)().into_iter().map(move |task| (kind, task)))
}

/// Plays all tasks on these; panics with every failing seed.
#[expect(clippy::print_stdout, reason = "the figures of a test")]
fn oracle_wins(looks: bool, setups: impl Fn(&TaskInfo) -> Vec<Setup>) {
    let mut failed = Vec::new();
    let (mut played, mut steps, mut longest) = (0, 0, 0);
    for (kind, task) in each() {
        for setup in setups(&task) {
            let mut attempt = Attempt::new(kind, &setup, &task);
            attempt.looks |= looks;
            match attempt.play(&task) {
                Ok(hands) => {
                    played += 1;
                    steps += hands.len();
                    longest = longest.max(hands.len());
                }
                Err(why) => {
                    let area = setup.displays[0].area;
                    failed.push(format!("{} {} seed {} on {area}: {why}", kind.name, task.name, setup.seed));
                }
            }
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {} failed:\n{}",
        failed.len(),
        failed.len() + played,
        failed.join("\n")
    );
    println!("{played} plays, {} steps each, {longest} at most", steps / played.max(1));
}

#[test]
fn oracles_win_at_1280x720() {
    oracle_wins(false, |task| (0..seeds(8)).map(|seed| task.setup(seed, HD)).collect());
}

#[test]
fn oracles_win_at_1920x1080() {
    oracle_wins(false, |task| (100..100 + seeds(6)).map(|seed| task.setup(seed, FULL_HD)).collect());
}

#[test]
fn oracles_win_on_small_large_sharp_and_several_displays() {
    oracle_wins(true, |task| {
        let sized = |seed, w, h| task.setup(seed, Size::new(w, h));
        let left = |seed| Setup::new(seed, HD).with_display(ScreenRect::new(-1024, 60, 1024, 768), 1.0);
        let mut setups = vec![sized(200, 800, 600), sized(221, 1600, 900).scaled(1.5), left(230)];
        if long() {
            setups.extend((201..204).map(|seed| sized(seed, 800, 600)));
            setups.extend([sized(210, 3840, 2160), sized(211, 1366, 768), sized(212, 2560, 1440)]);
            setups.extend([sized(220, 1280, 720).scaled(2.0), left(231)]);
        }
        setups
    });
}

#[test]
fn every_world_lists_tasks_that_say_what_they_take() {
    for kind in WORLDS {
        let tasks = (kind.tasks)();
        let plain = tasks.iter().filter(|t| t.needs_only(PLAIN_TOOLS)).count();
        assert!(
            tasks.len() >= 14 && plain >= 12,
            "{}: {} tasks, {plain} with plain tools",
            kind.name,
            tasks.len()
        );
        for (i, task) in tasks.iter().enumerate() {
            assert!(task.needs_only(TOOLS), "{}: {:?}", task.name, task.tools);
            assert!(tasks[..i].iter().all(|other| other.name != task.name), "{} is there twice", task.name);
        }
        let world = (kind.build)(&Setup::new(1, HD));
        let mut world = hold(&world);
        assert_eq!(world.verdict(), None);
        assert_eq!(world.oracle(), Hand::Done);
        let error = world.begin("fly").unwrap_err();
        assert!(
            matches!(&error, TaskError::NoSuchTask { there, .. } if there.contains(tasks[0].name)),
            "{error}"
        );
        assert!(tasks.iter().any(|t| t.percent == 150) && tasks.iter().any(|t| t.percent == 200));
        if let Some(task) = tasks.iter().find(|t| t.displays > 1) {
            let left = (0..2).map(|seed| task.setup(seed, HD).displays[1].area.origin.x);
            assert_eq!(left.collect::<Vec<_>>(), [1280, -1280], "also at negative coordinates");
            assert!(matches!(world.begin(task.name), Err(TaskError::Displays { has: 1, .. })));
        }
    }
}

#[test]
fn objectives_are_sentences_that_differ_by_seed() {
    for (kind, task) in each() {
        let mut seen = Vec::new();
        for seed in 0..12 {
            let world = (kind.build)(&task.setup(seed, HD));
            let objective = hold(&world).begin(task.name).unwrap();
            assert_eq!(hold(&world).objective(), Some(objective.as_str()));
            let quotes = objective.matches('"').count();
            let first = objective.chars().next().unwrap();
            assert!(objective.ends_with('.') && first.is_uppercase() && quotes % 2 == 0, "{objective}");
            assert!(
                !objective.contains("\"\"") && objective.is_ascii() || objective.contains(['×', '−']),
                "{objective}"
            );
            assert!(
                !hold(&world).verdict().unwrap().verified,
                "{} seed {seed} is won at its start",
                task.name
            );
            if !seen.contains(&objective) {
                seen.push(objective);
            }
        }
        // One has only the words of a menu to vary; its windows differ.
        let least = if task.name == "hide-windows" { 2 } else { 6 };
        assert!(seen.len() >= least, "{}: {seen:?}", task.name);
    }
}

#[test]
fn doing_nothing_and_doing_anything_win_nothing() {
    let (mut played, mut won) = (0, Vec::new());
    for (kind, task) in each() {
        // What takes one click of the right button will be hit some time: then it is four times as many as it takes.
        let steps = if task.level == 1 { 4 * MOST_ACTIONS[0] } else { 60 };
        for seed in 300..300 + seeds(4) {
            let mut attempt = Attempt::new(kind, &task.setup(seed, HD), &task);
            attempt.act(&Hand::Scroll(0));
            assert!(!attempt.verified(), "{} seed {seed}: won by nothing", task.name);
            let mut random = Random::of(seed, task.name);
            played += 1;
            for step in 0..steps {
                let hand = anything(&mut random, HD);
                attempt.act(&hand);
                if attempt.verified() {
                    won.push(format!("{} {} seed {seed} after {step} steps", kind.name, task.name));
                    break;
                }
            }
        }
    }
    println!("{} of {played} won by chance:\n{}", won.len(), won.join("\n"));
    assert!(won.len() * 100 <= played, "{} of {played}", won.len());
}

/// A call of one of the plain tools, without sense.
fn anything(random: &mut Random, size: Size) -> Hand {
    match random.below(10) {
        0..=6 => Hand::Click(ScreenPx::new(
            random.below(size.width as usize) as i32,
            random.below(size.height as usize) as i32,
        )),
        7 => Hand::Scroll(random.range(-8, 8) * 120),
        _ => {
            let words =
                ["yes\n", "report", "\t", "42", "/Documents", "list.txt\n", "\t\n", "delete", "47*86="];
            Hand::Type((*random.pick(&words).unwrap()).to_owned())
        }
    }
}

/// Steps of one seed at the places of another: whoever does not look does not win.
#[test]
fn places_of_another_seed_win_nothing() {
    let (mut tried, mut won) = (0, Vec::new());
    for (kind, task) in each().filter(|(_, task)| task.needs_only(PLAIN_TOOLS)) {
        let seeds = if long() { 0..8 } else { 0..4 };
        let plays: Vec<Vec<Hand>> =
            seeds.map(|seed| Attempt::new(kind, &task.setup(seed, HD), &task).play(&task).unwrap()).collect();
        for (seed, hands) in plays.iter().enumerate() {
            for (other, places) in plays.iter().enumerate().filter(|(other, _)| *other != seed) {
                let places: Vec<ScreenPx> = places.iter().filter_map(place).collect();
                // What is typed alone has no place.
                if places.is_empty() || !hands.iter().any(|hand| place(hand).is_some()) {
                    continue;
                }
                let mut places = places.iter().cycle();
                let mut attempt = Attempt::new(kind, &task.setup(seed as u64, HD), &task);
                for hand in hands {
                    let there = |_: &ScreenPx| Hand::Click(*places.next().unwrap());
                    attempt.act(&place(hand).as_ref().map_or_else(|| hand.clone(), there));
                }
                tried += 1;
                if attempt.verified() {
                    won.push(format!("{} seed {seed} with the places of {other}", task.name));
                }
            }
        }
    }
    // At most one in a hundred: two desks may be alike by chance.
    assert!(won.len() * 100 <= tried, "{} of {tried}:\n{}", won.len(), won.join("\n"));
    println!("{} of {tried} won blindly", won.len());
}

fn place(hand: &Hand) -> Option<ScreenPx> {
    if let Hand::Click(at) = hand { Some(*at) } else { None }
}

fn picture(world: &Mutex<dyn World>) -> Vec<u8> {
    Screen::new().shoot(&*hold(world), &Shown::AllDisplays, None, true).unwrap().pixels.view().data().to_vec()
}

#[test]
fn a_task_saved_in_its_middle_goes_on_and_the_same_steps_give_the_same_pictures() {
    for (kind, task) in each() {
        for seed in 400..if long() { 403 } else { 401 } {
            let setup = task.setup(seed, HD);
            let hands = Attempt::new(kind, &setup, &task).play(&task).unwrap();
            let (mut a, mut b) = (Attempt::new(kind, &setup, &task), Attempt::new(kind, &setup, &task));
            for hand in &hands[..hands.len() / 2] {
                a.act(hand);
                b.act(hand);
                assert!(
                    picture(&a.world) == picture(&b.world),
                    "{} seed {seed}: two pictures of one thing",
                    task.name
                );
            }
            // The rest on a world that was another one before, under another task.
            let saved = hold(&a.world).save();
            let first = (kind.tasks)()[0];
            let mut c = Attempt::new(kind, &Setup::new(seed + 1, Size::new(800, 600)), &first);
            (c.coarse, c.looks) = (a.coarse, a.looks);
            c.clock.advance(Duration::from_secs(3_600));
            hold(&c.world).load(&saved).unwrap();
            assert_eq!(hold(&c.world).save(), saved, "{} seed {seed}", task.name);
            assert_eq!(hold(&c.world).objective(), hold(&a.world).objective());
            for hand in &hands[hands.len() / 2..] {
                assert_eq!(hold(&c.world).oracle(), *hand, "{} seed {seed}", task.name);
                a.act(hand);
                c.act(hand);
            }
            assert!(
                a.verified() && c.verified(),
                "{} seed {seed}: {:?}",
                task.name,
                hold(&c.world).verdict()
            );
        }
    }
}

type Harm = (&'static str, fn(&mut Desk));

/// What a task must not touch: a checker that looked only at what it wants would miss it.
#[test]
fn harm_done_elsewhere_takes_the_win_away() {
    let harms: &[Harm] = &[
        ("a file more", |desk| desk.change_files(|files| files.write("/Documents/more.txt", "x").unwrap())),
        ("a file changed", |desk| {
            desk.change_files(|files| files.write("/Documents/Letters/landlord.txt", "x").unwrap())
        }),
        ("a file gone", |desk| {
            desk.change_files(|files| files.remove("/Documents/Letters/landlord.txt").unwrap())
        }),
        ("a setting changed", |desk| desk.change_settings(|settings| settings.set("doorbell", "off"))),
        ("a key left down", |desk| desk.input(Input::Key { key: "shift".parse().unwrap(), down: true })),
        ("a button left down", |desk| desk.input(Input::Button { button: Button::Right, down: true })),
        ("an unsaved text", |desk| {
            desk.open_program("editor", &[]).unwrap();
            desk.input(Input::Char('x'));
        }),
    ];
    for task in (WORLDS[0].tasks)() {
        for seed in 500..if long() { 502 } else { 501 } {
            let setup = DeskSetup::from(&task.setup(seed, HD));
            let world = share(Desk::new(&setup));
            let mut attempt = Attempt::on(world.clone(), &task);
            attempt.play(&task).unwrap();
            let won = hold(&world).save();
            for (harm, do_harm) in harms {
                let mut desk = Desk::new(&setup);
                desk.load(&won).unwrap();
                assert!(desk.verdict().unwrap().verified);
                do_harm(&mut desk);
                let verdict = desk.verdict().unwrap();
                assert!(
                    !verdict.verified && !verdict.why.is_empty(),
                    "{} seed {seed}: {harm} is overlooked",
                    task.name
                );
            }
        }
    }
}

/// Pictures for people, beside those of the desk.
#[test]
fn tasks_are_drawn_at_their_start_and_end() {
    for (kind, task) in each() {
        for (seed, size) in
            [(600, HD), (601, Size::new(800, 600))].into_iter().take(if long() { 2 } else { 1 })
        {
            let mut attempt = Attempt::new(kind, &task.setup(seed, size), &task);
            println!("{} seed {seed}: {}", task.name, hold(&attempt.world).objective().unwrap());
            dump(&attempt.frame(), &format!("task-{}-{seed}-start", task.name));
            attempt.play(&task).unwrap();
            let end = attempt.frame();
            dump(&end, &format!("task-{}-{seed}-end", task.name));
            assert!(different_colours(&end) > 40, "{} looks empty", task.name);
        }
    }
}
