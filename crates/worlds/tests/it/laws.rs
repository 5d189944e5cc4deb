//! What holds for every world and every seed.

use handsight_base::flow::action::{Axis, Button};
use handsight_base::flow::frame::Shown;
use handsight_base::key::{Key, Named};
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use handsight_worlds::engine::screen::Screen;
use handsight_worlds::engine::{Input, World, hold};
use handsight_worlds::random::Random;
use handsight_worlds::{Setup, WORLDS};
use std::time::Duration;

/// Anything a hand can do, mostly where something is.
fn random_input(random: &mut Random, area: ScreenRect) -> Vec<Input> {
    let x = area.origin.x + random.below(area.size.width as usize) as i32;
    let y = area.origin.y + random.below(area.size.height as usize) as i32;
    let to = Input::Move(ScreenPx::new(x, y));
    let press = |button, down| Input::Button { button, down };
    let key = |key, down| Input::Key { key, down };
    match random.below(12) {
        0 | 1 => vec![to],
        2..=4 => vec![to, press(Button::Left, true), press(Button::Left, false)],
        5 => {
            let click = [press(Button::Left, true), press(Button::Left, false)];
            [&[to][..], &click, &click].concat()
        }
        6 => vec![to, press(Button::Right, true), press(Button::Right, false)],
        7 => vec![press(Button::Left, true), to, press(Button::Left, false)],
        8 => vec![Input::Wheel { axis: Axis::Vertical, units: random.range(-3, 3) * 120 }],
        9 => {
            let named = [
                Named::Enter,
                Named::Escape,
                Named::Tab,
                Named::Down,
                Named::Up,
                Named::Delete,
                Named::F10,
                Named::Super,
            ];
            let named = Key::Named(*random.pick(&named).unwrap());
            vec![key(named, true), key(named, false)]
        }
        10 => {
            let (hold, hit) = *random
                .pick(&[
                    (Named::Control, Key::Char('a')),
                    (Named::Control, Key::Char('v')),
                    (Named::Control, Key::Char('x')),
                    (Named::Super, Key::Char('r')),
                    (Named::Super, Key::Named(Named::Up)),
                    (Named::Alt, Key::Named(Named::Tab)),
                    (Named::Alt, Key::Named(Named::F4)),
                    (Named::Shift, Key::Named(Named::Left)),
                ])
                .unwrap();
            let hold = Key::Named(hold);
            vec![key(hold, true), key(hit, true), key(hit, false), key(hold, false)]
        }
        _ => "hello, world ".chars().take(random.below(12) + 1).map(Input::Char).collect(),
    }
}

fn picture(screen: &mut Screen, world: &dyn World) -> Vec<u8> {
    let shot = screen.shoot(world, &Shown::AllDisplays, None, true).unwrap();
    shot.pixels.view().data().to_vec()
}

fn fresh(world: &dyn World) -> Vec<u8> {
    picture(&mut Screen::new(), world)
}

#[test]
fn the_same_seed_and_inputs_give_the_same_pictures_and_truth() {
    for kind in WORLDS {
        for seed in 0..6 {
            let setup = Setup::new(seed, Size::new(800, 600));
            let (a, b) = ((kind.build)(&setup), (kind.build)(&setup));
            let area = ScreenRect::new(0, 0, 800, 600);
            let mut random = Random::new(seed);
            for step in 0..120_u64 {
                let now = Duration::from_millis(step * 137);
                let inputs = random_input(&mut random, area);
                for world in [&a, &b] {
                    let mut world = hold(world);
                    world.advance(now);
                    inputs.iter().for_each(|input| world.input(*input));
                }
                if step % 20 == 19 {
                    assert!(fresh(&*hold(&a)) == fresh(&*hold(&b)), "{} seed {seed} step {step}", kind.name);
                    assert_eq!(hold(&a).truth(), hold(&b).truth(), "{} seed {seed} step {step}", kind.name);
                }
            }
        }
    }
}

fn assert_same(kept: &[u8], anew: &[u8], width: usize, what: &str) {
    if let Some(at) = (0..anew.len()).find(|i| i % 4 != 3 && kept[*i] != anew[*i]) {
        panic!("{what} differs at ({}, {})", at / 4 % width, at / 4 / width);
    }
}

/// What is drawn bit by bit equals what is drawn at once: no change goes without its damage.
#[test]
fn pictures_kept_up_to_date_equal_pictures_drawn_anew() {
    for kind in WORLDS {
        for (seed, scale) in [(11, 1.0), (12, 1.25), (13, 1.5), (14, 2.0)] {
            let world = (kind.build)(&Setup::new(seed, Size::new(640, 480)).scaled(scale));
            let mut screen = Screen::new();
            let mut random = Random::new(seed);
            for step in 0..150_u64 {
                let mut world = hold(&world);
                world.advance(Duration::from_millis(step * 90));
                for input in random_input(&mut random, ScreenRect::new(0, 0, 640, 480)) {
                    world.input(input);
                }
                let kept = picture(&mut screen, &*world);
                let what = format!("{} seed {seed} at scale {scale}, step {step}", kind.name);
                assert_same(&kept, &fresh(&*world), (640.0 * scale) as usize, &what);
            }
        }
    }
}

#[test]
fn the_same_holds_over_two_displays_with_a_gap_between_them() {
    for kind in WORLDS {
        let left = ScreenRect::new(-420, 90, 400, 300);
        let world = (kind.build)(&Setup::new(41, Size::new(500, 400)).with_display(left, 1.5));
        let mut screen = Screen::new();
        let mut random = Random::new(41);
        for step in 0..150_u64 {
            let mut world = hold(&world);
            world.advance(Duration::from_millis(step * 90));
            for input in random_input(&mut random, ScreenRect::new(-420, 0, 920, 400)) {
                world.input(input);
            }
            let kept = picture(&mut screen, &*world);
            assert_same(&kept, &fresh(&*world), 1380, &format!("{} step {step}", kind.name));
        }
    }
}

#[test]
fn a_saved_world_goes_on_where_it_was() {
    for kind in WORLDS {
        for seed in 20..26 {
            let area = ScreenRect::new(0, 0, 800, 600);
            let setup = Setup::new(seed, Size::new(800, 600));
            let a = (kind.build)(&setup);
            // Loaded into a world that was something else.
            let b = (kind.build)(&Setup::new(seed + 1_000, Size::new(1024, 768)));
            let mut random = Random::new(seed);
            for step in 0..60_u64 {
                let mut world = hold(&a);
                world.advance(Duration::from_millis(step * 211));
                random_input(&mut random, area).iter().for_each(|input| world.input(*input));
            }
            let saved = hold(&a).save();
            hold(&b).load(&saved).unwrap();
            assert_eq!(hold(&b).save(), saved, "{} seed {seed}", kind.name);
            for step in 60..120_u64 {
                let inputs = random_input(&mut random, area);
                for world in [&a, &b] {
                    let mut world = hold(world);
                    world.advance(Duration::from_millis(step * 211));
                    inputs.iter().for_each(|input| world.input(*input));
                }
            }
            assert!(fresh(&*hold(&a)) == fresh(&*hold(&b)), "{} seed {seed}", kind.name);
            assert_eq!(hold(&a).truth(), hold(&b).truth(), "{} seed {seed}", kind.name);
            assert!(hold(&b).load(b"{}").is_err());
            assert!(fresh(&*hold(&a)) == fresh(&*hold(&b)), "a load that failed changes nothing");
        }
    }
}

#[test]
fn different_seeds_look_different() {
    for kind in WORLDS {
        let pictures: Vec<Vec<u8>> = (0..20)
            .map(|seed| fresh(&*hold(&(kind.build)(&Setup::new(seed, Size::new(640, 480))))))
            .collect();
        for (i, a) in pictures.iter().enumerate() {
            for b in &pictures[..i] {
                let differ = a.iter().zip(b).filter(|(a, b)| a.abs_diff(**b) > 8).count();
                assert!(differ > 3_000, "{}: two of the first seeds differ in {differ} bytes", kind.name);
            }
        }
    }
}

#[test]
fn nothing_stays_down_after_a_release() {
    for kind in WORLDS {
        let world = (kind.build)(&Setup::new(31, Size::new(800, 600)));
        let mut world = hold(&world);
        let mut random = Random::new(31);
        for _ in 0..40 {
            random_input(&mut random, ScreenRect::new(0, 0, 800, 600))
                .iter()
                .for_each(|input| world.input(*input));
        }
        for key in ["ctrl", "a", "super"] {
            world.input(Input::Key { key: key.parse().unwrap(), down: true });
        }
        world.input(Input::Button { button: Button::Left, down: true });
        world.release_all();
        let truth = world.truth();
        assert_eq!(
            (&truth["keys_down"], &truth["buttons_down"]),
            (&serde_json::json!([]), &serde_json::json!([]))
        );
    }
}
