//! One helper for all tests: a desk, hands that go through the port, and its truth.

use handsight_base::flow::action::{Action, Batch, Button, Primitive, ScrollBy, Timing};
use handsight_base::flow::frame::{Frame, Shown};
use handsight_base::gate::{Approved, Gate, Scene, Work};
use handsight_base::key::Modifiers;
use handsight_base::port::clock::VirtualClock;
use handsight_base::port::desktop::{CaptureRequest, Desktop, Injected, OverlayInCapture};
use handsight_base::space::{At, FrameGeometry, FrameId, FramePx, ScreenPx, ScreenRect};
use handsight_base::stop::Stop;
use handsight_worlds::desk::{Desk, DeskSetup, WindowTruth};
use handsight_worlds::engine::desktop::WorldDesktop;
use handsight_worlds::engine::{Shared, hold, share};
use std::time::Duration;

pub(crate) struct Rig {
    pub(crate) world: Shared<Desk>,
    pub(crate) desktop: WorldDesktop,
    pub(crate) clock: VirtualClock,
    pub(crate) stop: Stop,
}

impl Rig {
    pub(crate) fn new(setup: &DeskSetup) -> Self {
        let (world, clock) = (share(Desk::new(setup)), VirtualClock::new(0));
        let desktop = WorldDesktop::new(world.clone(), clock.clone());
        Self { world, desktop, clock, stop: Stop::new() }
    }

    /// The plainest desk: light, task bar at the bottom, letters of 14.
    pub(crate) fn plain() -> Self {
        Self::new(&DeskSetup::new(1).with("theme", "light").with("taskbar", "bottom").with("font", "14"))
    }

    pub(crate) fn capture(&mut self, shown: Shown, cursor: bool) -> Frame {
        let request = CaptureRequest {
            frame: FrameId(1),
            shown,
            region: None,
            cursor,
            overlay: OverlayInCapture::AsShown,
        };
        self.desktop.capture(&request).unwrap()
    }

    pub(crate) fn frame(&mut self) -> Frame {
        self.capture(Shown::AllDisplays, false)
    }

    /// Does an action through gate and expansion, as the engine does.
    pub(crate) fn act(&mut self, action: Action) -> Injected {
        let geometry = self.geometry();
        let work = self.approve(action).expand(&geometry, &Timing::default()).unwrap();
        match work {
            Work::Input(batch) => self.desktop.inject(batch, &self.stop).unwrap(),
            Work::Paste(paste) => self.desktop.paste(paste, &self.stop).unwrap(),
            other => panic!("{other:?} is no input"),
        }
    }

    pub(crate) fn approve(&mut self, action: Action) -> Approved<Action> {
        let geometry = self.geometry();
        Gate::new(Vec::new()).approve(action, &Scene::new(&geometry, 1)).unwrap()
    }

    /// Screen units are pixels here, from the top-left of all displays.
    fn geometry(&mut self) -> FrameGeometry {
        let area =
            self.desktop.displays().unwrap().iter().map(|d| d.area).reduce(|a, b| a.union(&b)).unwrap();
        FrameGeometry { frame: FrameId(1), size: area.size, origin: area.origin, scale: 1.0 }
    }

    fn spot(&mut self, at: ScreenPx) -> At<FramePx> {
        let origin = self.geometry().origin;
        At { point: FramePx::new(at.x - origin.x, at.y - origin.y), frame: FrameId(1) }
    }

    pub(crate) fn click_with(&mut self, at: ScreenPx, button: Button, count: u8, modifiers: Modifiers) {
        let at = Some(self.spot(at));
        self.act(Action::Click { at, button, count, modifiers });
    }

    pub(crate) fn click(&mut self, at: ScreenPx) {
        // Two clicks of different tests of one place are no double click.
        self.wait(500);
        self.click_with(at, Button::Left, 1, Modifiers::NONE);
    }

    pub(crate) fn double_click(&mut self, at: ScreenPx) {
        self.wait(500);
        self.click_with(at, Button::Left, 2, Modifiers::NONE);
    }

    pub(crate) fn right_click(&mut self, at: ScreenPx) {
        self.wait(500);
        self.click_with(at, Button::Right, 1, Modifiers::NONE);
    }

    pub(crate) fn point(&mut self, at: ScreenPx) {
        let to = self.spot(at);
        self.act(Action::Move { to });
    }

    pub(crate) fn drag(&mut self, from: ScreenPx, to: ScreenPx) {
        self.wait(500);
        let path = vec![self.spot(from), self.spot(to)];
        self.act(Action::Drag { path, button: Button::Left, modifiers: Modifiers::NONE });
    }

    pub(crate) fn scroll(&mut self, at: ScreenPx, notches: i32) {
        let at = Some(self.spot(at));
        let by = ScrollBy::Notches { dx: 0, dy: notches };
        self.act(Action::Scroll { at, by, modifiers: Modifiers::NONE });
    }

    pub(crate) fn keys(&mut self, chord: &str) {
        self.act(Action::Key { chord: chord.parse().unwrap(), repeat: 1 });
    }

    pub(crate) fn type_text(&mut self, text: &str) {
        self.act(Action::typed(text));
    }

    pub(crate) fn wait(&mut self, millis: u64) {
        self.act(Action::Wait { millis });
    }

    /// Primitives as they are, without an action around them.
    pub(crate) fn raw(&mut self, primitives: &[Primitive]) {
        use handsight_worlds::engine::{Input, World as _};
        let batch = Batch { primitives: primitives.to_vec() };
        for primitive in batch.primitives {
            let mut world = hold(&self.world);
            if let Primitive::Wait(d) = primitive {
                self.clock.advance(d);
                world.advance(handsight_base::port::clock::Clock::now(&self.clock));
            }
            if let Some(input) = Input::of(primitive) {
                world.input(input);
            }
        }
    }

    pub(crate) fn hold_key(&mut self, chord: &str, held: Duration) {
        self.act(Action::HoldKey { chord: chord.parse().unwrap(), millis: held.as_millis() as u64 });
    }

    /// Opens a program from outside; its window.
    pub(crate) fn open(&mut self, key: &str, args: &[&str]) -> u64 {
        let args: Vec<String> = args.iter().map(|a| (*a).to_owned()).collect();
        hold(&self.world).open_program(key, &args).unwrap()
    }

    /// The middle of a widget of the topmost window of a program.
    pub(crate) fn at(&self, app: &str, id: &str) -> ScreenPx {
        self.area(app, id).center()
    }

    pub(crate) fn area(&self, app: &str, id: &str) -> ScreenRect {
        hold(&self.world).locate(app, id).unwrap_or_else(|| panic!("{app} shows no {id}"))
    }

    /// The middle of an item of the open menu.
    pub(crate) fn item(&self, id: &str) -> ScreenPx {
        let world = hold(&self.world);
        let menu = world.menu();
        let found = menu.iter().find(|(item, _)| item.id == id);
        found
            .unwrap_or_else(|| {
                panic!("no {id} in the menu {:?}", menu.iter().map(|m| &m.0.id).collect::<Vec<_>>())
            })
            .1
            .center()
    }

    pub(crate) fn top(&self) -> WindowTruth {
        self.windows().into_iter().next().expect("a window is open")
    }

    pub(crate) fn windows(&self) -> Vec<WindowTruth> {
        hold(&self.world).window_truths()
    }

    pub(crate) fn read(&self, path: &str) -> Option<String> {
        hold(&self.world).files().read(path).map(str::to_owned)
    }
}
