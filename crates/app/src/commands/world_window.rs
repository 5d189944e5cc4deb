//! `worlds open`: a simulated desktop in a real window, in real time, for people and for whatever works real windows.
//!
//! What the window is told becomes the world's input, what the world looks like becomes the window's picture. On the way out
//! the world says whether its task is done. Only its first display is shown, and the pointer is the screen's own.

use crate::assemble::world::{Judge, SharedWorld, WorldChoice};
use crate::cli::WorldOpenArgs;
use crate::environment::Environment;
use crate::exit::{self, Exit, Failure};
use crate::{assemble, say, signals};
use handsight_agent::ending::Outcome;
use handsight_base::flow::frame::Shown;
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::DamageMark;
use handsight_base::space::{ScreenPx, ScreenRect, WindowPx, WindowRect};
use handsight_base::stop::Stop;
use handsight_desktop::x11::host::{HostConfig, HostEvent, WindowHost};
use handsight_worlds::engine::screen::{Screen, frame_size};
use handsight_worlds::engine::{Input, hold};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// The longest the window goes without a look at the world: sixty pictures a second, if there is something new.
const BEAT: Duration = Duration::from_millis(16);

pub(crate) fn open(environment: &Environment, args: &WorldOpenArgs) -> anyhow::Result<Exit> {
    let mut choice = WorldChoice::read(&args.world)?;
    choice.displays = 1;
    let (world, wanted) = choice.build()?;
    let assemble::desktop::Choice::X11 { display } =
        assemble::desktop::Choice::read(&args.desktop, environment)?
    else {
        let what = format!("a world cannot be shown on {}", args.desktop);
        return Err(Failure::usage(what, "Name an X server: --desktop x11:N.").into());
    };
    let stop = Stop::new();
    signals::listen(stop.clone())?;
    let clock: Arc<dyn Clock> = Arc::new(RealClock::new());
    let mut window = Window::open(&world, display, &choice, Arc::clone(&clock))?;
    say::progress(&format!("{choice} is open; close its window to end"));
    if let Some(wanted) = &wanted {
        say::progress(&format!("what is wanted: {wanted}"));
    }
    let judge = Judge::new(world);
    let mut verified = false;
    while !stop.is_set() {
        match window.turn()? {
            Beat::Closing => break,
            Beat::Idle => continue,
            Beat::Changed => {}
        }
        let now = judge.verified() == Some(true);
        if now && !verified {
            say::progress("done: what is wanted is so");
        }
        verified = now;
    }
    let verdict = judge.verdict();
    if args.json {
        let (verified, why) = verdict.clone().map_or((None, None), |(v, why)| (Some(v), Some(why)));
        say::json(
            &json!({ "world": choice.to_string(), "wanted": wanted, "verified": verified, "why": why }),
        );
    } else if let Some((verified, why)) = &verdict {
        say::result(&format!("{}: {why}", if *verified { "verified" } else { "not verified" }));
    }
    Ok(match stop.reason() {
        Some(reason) => exit::of_outcome(Outcome::Stopped(reason), None),
        None if verdict.is_some_and(|(verified, _)| !verified) => Exit::NotVerified,
        None => Exit::Done,
    })
}

/// What a look at window and world brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beat {
    /// Nothing was put in and nothing looks different: no verdict can have changed.
    Idle,
    Changed,
    /// The window is to be closed.
    Closing,
}

/// A world and the window that shows it.
struct Window {
    world: SharedWorld,
    host: WindowHost,
    screen: Screen,
    mark: Option<DamageMark>,
    shown: Shown,
    area: ScreenRect,
    scale: f64,
    clock: Arc<dyn Clock>,
}

impl Window {
    fn open(
        world: &SharedWorld,
        display: String,
        choice: &WorldChoice,
        clock: Arc<dyn Clock>,
    ) -> anyhow::Result<Self> {
        let first = hold(&**world).displays()[0].clone();
        let host = WindowHost::open(HostConfig {
            display: Some(display),
            title: format!("handsight {}", choice.kind.name),
            class: "handsight-world".into(),
            size: frame_size(first.area, first.scale),
            clock: Arc::clone(&clock),
        })?;
        Ok(Self {
            world: Arc::clone(world),
            host,
            screen: Screen::new(),
            mark: None,
            shown: Shown::Display(first.name.clone()),
            area: first.area,
            scale: first.scale,
            clock,
        })
    }

    /// Takes in what happened and shows what came of it.
    fn turn(&mut self) -> anyhow::Result<Beat> {
        let mut next = self.host.wait(BEAT)?;
        let heard_any = next.is_some();
        while let Some(heard) = next {
            if heard.what == HostEvent::CloseRequested {
                return Ok(Beat::Closing);
            }
            let mut world = hold(&*self.world);
            world.advance(heard.at);
            for input in self.inputs(heard.what).into_iter().flatten() {
                world.input(input);
            }
            if heard.what == (HostEvent::Focus { gained: false }) {
                world.release_all();
            }
            drop(world);
            next = self.host.poll()?;
        }
        let shown = self.show()?;
        Ok(if heard_any || shown { Beat::Changed } else { Beat::Idle })
    }

    /// What an event of the window is in the world.
    fn inputs(&self, event: HostEvent) -> [Option<Input>; 2] {
        match event {
            HostEvent::Motion { at } => [Some(Input::Move(self.place(at))), None],
            HostEvent::Button { button, down, at } => {
                [Some(Input::Move(self.place(at))), Some(Input::Button { button, down })]
            }
            HostEvent::Wheel { axis, units, at } => {
                [Some(Input::Move(self.place(at))), Some(Input::Wheel { axis, units })]
            }
            // A world repeats keys by itself.
            HostEvent::Key { repeat: true, .. } => [None, None],
            HostEvent::Key { key, down, .. } => [Some(Input::Key { key, down }), None],
            HostEvent::Focus { .. } | HostEvent::CloseRequested => [None, None],
        }
    }

    fn place(&self, at: WindowPx) -> ScreenPx {
        let unit = |v: i32| (f64::from(v) / self.scale).floor() as i32;
        self.area.origin.offset(unit(at.x), unit(at.y))
    }

    /// False if there was nothing new to show.
    fn show(&mut self) -> anyhow::Result<bool> {
        let mut world = hold(&*self.world);
        world.advance(self.clock.now());
        let damage = self.screen.damage(&*world, self.mark);
        let areas = match (self.mark, damage.areas) {
            (Some(_), Some(areas)) if areas.is_empty() => return Ok(false),
            (Some(_), Some(areas)) => areas.into_iter().map(|area| self.part(area)).collect(),
            // The first picture, or too many changes to tell.
            _ => vec![WindowRect::new(0, 0, self.host.size().width, self.host.size().height)],
        };
        self.mark = Some(damage.mark);
        let shot = self.screen.shoot(&*world, &self.shown, None, false);
        drop(world);
        if let Some(shot) = shot {
            let view = shot.pixels.view();
            self.host.present(view.data(), view.stride(), &areas)?;
        }
        Ok(true)
    }

    /// An area of the world in pixels of the window, with a pixel more on each side for what scaling rounds.
    fn part(&self, area: ScreenRect) -> WindowRect {
        let near = |v: i32, origin: i32| (f64::from(v - origin) * self.scale).floor() as i32 - 1;
        let long = |units: u32| (f64::from(units) * self.scale).ceil() as u32 + 3;
        let (left, top) = (near(area.origin.x, self.area.origin.x), near(area.origin.y, self.area.origin.y));
        WindowRect::new(left, top, long(area.size.width), long(area.size.height))
    }
}
