//! A world that is nothing but windows with a pattern, and whose truth is the list of what they got.

use handsight_base::flow::action::Button;
use handsight_base::key::{Key, Named};
use handsight_base::port::desktop::{Display, Window, WindowId, WindowState};
use handsight_base::space::{ScreenPx, ScreenRect, Size, WindowPx};
use handsight_pixel::canvas::Color;
use handsight_testkit::conformance::Witness;
use handsight_testkit::conformance::witness::{Deed, Held, Seen, What, Which, pattern};
use handsight_worlds::engine::scene::{Layer, Scene, Shape};
use handsight_worlds::engine::{CursorShape, Input, LoadError, Shared, World, hold};
use handsight_worlds::task::{Hand, TaskError, Verdict};
use std::time::Duration;

/// Larger windows have one colour: nobody compares their pictures.
const MOST_PATTERN: u64 = 200 * 150;

struct Open {
    which: Which,
    client: ScreenRect,
    seed: u32,
}

struct Due {
    events: u32,
    deed: Deed,
    told: Box<dyn FnOnce() + Send>,
}

pub(super) struct Pad {
    displays: Vec<Display>,
    revision: u64,
    now: Duration,
    /// The topmost last.
    windows: Vec<Open>,
    focus: Option<Which>,
    pointer: ScreenPx,
    keys: Vec<Key>,
    buttons: Vec<Button>,
    clipboard: String,
    events: Vec<Seen>,
    texts: [String; 2],
    due: Option<Due>,
}

impl Pad {
    pub(super) fn new(scale: f64, first: ScreenRect, second: ScreenRect) -> Self {
        let display = |n: usize, area| Display { name: format!("pad-{n}"), area, primary: n == 0, scale };
        Self {
            displays: vec![display(0, first), display(1, second)],
            revision: 1,
            now: Duration::ZERO,
            windows: Vec::new(),
            focus: None,
            pointer: first.center(),
            keys: Vec::new(),
            buttons: Vec::new(),
            clipboard: String::new(),
            events: Vec::new(),
            texts: Default::default(),
            due: None,
        }
    }

    fn changed(&mut self) {
        self.revision += 1;
    }

    fn under_pointer(&self) -> Option<Which> {
        self.windows.iter().rev().find(|w| w.client.contains(self.pointer)).map(|w| w.which)
    }

    fn seen(&mut self, which: Option<Which>, what: What) {
        let Some(open) = self.windows.iter().find(|w| Some(w.which) == which) else { return };
        let (at, origin) = (self.pointer, open.client.origin);
        let client = WindowPx::new(at.x - origin.x, at.y - origin.y);
        let at_ms = self.now.as_millis() as u64;
        self.events.push(Seen { window: open.which, what, screen: at, client, at_ms });
        let Some(mut due) = self.due.take() else { return };
        due.events = due.events.saturating_sub(1);
        if due.events > 0 {
            self.due = Some(due);
            return;
        }
        match due.deed {
            Deed::Tell => {}
            Deed::Close => self.close(Which::Main),
            Deed::Unfocus => self.focus = Some(Which::Other),
            Deed::Yield => {
                self.close(Which::Main);
                self.focus = Some(Which::Other);
            }
        }
        (due.told)();
    }

    fn close(&mut self, which: Which) {
        self.windows.retain(|w| w.which != which);
        self.focus = self.focus.filter(|focus| *focus != which);
        self.changed();
    }

    fn key(&mut self, key: Key, down: bool) {
        self.keys.retain(|k| *k != key);
        self.keys.extend(down.then_some(key));
        let (focus, control) = (self.focus, self.keys.contains(&Key::Named(Named::Control)));
        if let (Some(which), true) = (focus, down) {
            let text = &mut self.texts[which as usize];
            match key {
                Key::Char('v') if control => text.push_str(&self.clipboard),
                Key::Named(Named::Enter) => text.push('\n'),
                Key::Named(Named::Tab) => text.push('\t'),
                Key::Char(_) | Key::Named(_) => {}
            }
        }
        self.seen(focus, What::Key { key: Some(key), down, repeat: false });
    }
}

impl World for Pad {
    fn name(&self) -> &'static str {
        "pad"
    }

    fn seed(&self) -> u64 {
        0
    }

    fn displays(&self) -> &[Display] {
        &self.displays
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn scene(&self) -> Scene {
        let mut scene = Scene::default();
        let mut desk = Layer::new(0);
        for display in &self.displays {
            desk.clipped(display.area, display.area, Shape::Fill(Color::opaque(20, 60, 90)));
        }
        scene.layers.push(desk);
        for open in &self.windows {
            let ScreenRect { origin, size } = open.client;
            let mut layer = Layer::new(1 + open.which as u64);
            if size.area() > MOST_PATTERN {
                layer.clipped(open.client, open.client, Shape::Fill(Color::opaque(200, 200, 200)));
                scene.layers.push(layer);
                continue;
            }
            for y in 0..size.height {
                for x in 0..size.width {
                    let [b, g, r] = pattern(open.seed, x, y);
                    let pixel = ScreenRect::new(origin.x + x as i32, origin.y + y as i32, 1, 1);
                    layer.clipped(pixel, pixel, Shape::Fill(Color::opaque(r, g, b)));
                }
            }
            scene.layers.push(layer);
        }
        scene
    }

    fn input(&mut self, input: Input) {
        match input {
            Input::Move(to) => {
                self.pointer = to;
                self.seen(self.under_pointer(), What::Move);
            }
            Input::Button { button, down } => {
                self.buttons.retain(|b| *b != button);
                self.buttons.extend(down.then_some(button));
                self.seen(self.under_pointer(), What::Button { button, down });
            }
            Input::Key { key, down } => self.key(key, down),
            Input::Char(c) => {
                let focus = self.focus;
                if let Some(which) = focus {
                    self.texts[which as usize].push(c);
                }
                for down in [true, false] {
                    self.seen(focus, What::Key { key: None, down, repeat: false });
                }
            }
            Input::Wheel { axis, units } => self.seen(self.under_pointer(), What::Wheel { axis, units }),
        }
    }

    fn release_all(&mut self) {
        for button in std::mem::take(&mut self.buttons) {
            self.seen(self.under_pointer(), What::Button { button, down: false });
        }
        for key in self.keys.clone().into_iter().rev() {
            self.key(key, false);
        }
    }

    fn advance(&mut self, now: Duration) {
        self.now = self.now.max(now);
    }

    fn windows(&self) -> Vec<Window> {
        let window = |open: &Open| Window {
            id: WindowId(1 + open.which as u64),
            title: open.which.title().to_owned(),
            class: vec!["pad".to_owned()],
            pid: Some(1),
            program: None,
            client: open.client,
            outer: open.client,
            state: WindowState::Normal,
            focused: self.focus == Some(open.which),
        };
        self.windows.iter().rev().map(window).collect()
    }

    fn focus(&mut self, window: WindowId) -> bool {
        let Some(at) = self.windows.iter().position(|w| 1 + w.which as u64 == window.0) else { return false };
        let open = self.windows.remove(at);
        self.focus = Some(open.which);
        self.windows.push(open);
        self.changed();
        true
    }

    fn place(&mut self, window: WindowId, outer: ScreenRect) -> bool {
        let found = self.windows.iter_mut().find(|w| 1 + w.which as u64 == window.0);
        let placed = found.map(|w| w.client = outer).is_some();
        self.changed();
        placed
    }

    fn launch(&mut self, _argv: &[String]) -> Result<u32, String> {
        Err("a pad has no programs".to_owned())
    }

    fn clipboard(&self) -> String {
        self.clipboard.clone()
    }

    fn set_clipboard(&mut self, text: String) {
        self.clipboard = text;
    }

    fn pointer(&self) -> ScreenPx {
        self.pointer
    }

    fn cursor(&self) -> CursorShape {
        CursorShape::Arrow
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    fn load(&mut self, _state: &[u8]) -> Result<(), LoadError> {
        Err(LoadError::Unreadable { world: "pad", why: "a pad is never saved".to_owned() })
    }

    fn truth(&self) -> serde_json::Value {
        serde_json::json!(self.events)
    }

    fn begin(&mut self, task: &str) -> Result<String, TaskError> {
        Err(TaskError::NoSuchTask { world: "pad", name: task.to_owned(), there: String::new() })
    }

    fn objective(&self) -> Option<&str> {
        None
    }

    fn verdict(&self) -> Option<Verdict> {
        None
    }

    fn oracle(&self) -> Hand {
        Hand::Done
    }
}

/// Looks at the truth of a pad.
pub(super) struct PadWitness(pub(super) Shared<Pad>);

impl Witness for PadWitness {
    fn open(&mut self, window: Which, client: ScreenRect, seed: u32, _framed: bool) {
        let mut pad = hold(&self.0);
        pad.close(window);
        pad.windows.push(Open { which: window, client, seed });
        pad.focus = Some(window);
        pad.changed();
    }

    fn place(&mut self, window: Which, client: ScreenRect) {
        let mut pad = hold(&self.0);
        pad.windows.iter_mut().filter(|w| w.which == window).for_each(|w| w.client = client);
        pad.changed();
    }

    fn paint(&mut self, window: Which, seed: u32) {
        let mut pad = hold(&self.0);
        pad.windows.iter_mut().filter(|w| w.which == window).for_each(|w| w.seed = seed);
        pad.changed();
    }

    fn close(&mut self, window: Which) {
        hold(&self.0).close(window);
    }

    fn focus(&mut self, window: Which) {
        hold(&self.0).focus = Some(window);
    }

    fn events(&mut self) -> Vec<Seen> {
        hold(&self.0).events.clone()
    }

    fn forget(&mut self) {
        let mut pad = hold(&self.0);
        pad.events.clear();
        pad.texts.iter_mut().for_each(String::clear);
        pad.due = None;
    }

    fn text(&mut self, window: Which) -> String {
        hold(&self.0).texts[window as usize].clone()
    }

    fn held(&mut self) -> Held {
        let pad = hold(&self.0);
        Held {
            keys: pad.keys.iter().map(ToString::to_string).collect(),
            buttons: pad.buttons.iter().map(|b| format!("{b:?}")).collect(),
        }
    }

    fn pointer(&mut self) -> ScreenPx {
        hold(&self.0).pointer
    }

    fn at(&mut self, events: u32, deed: Deed, told: Box<dyn FnOnce() + Send>) {
        hold(&self.0).due = Some(Due { events, deed, told });
    }

    fn clipboard(&mut self) -> String {
        hold(&self.0).clipboard.clone()
    }

    fn set_clipboard(&mut self, text: &str) {
        hold(&self.0).clipboard = text.to_owned();
    }

    fn resize_screen(&mut self, to: Size) {
        let mut pad = hold(&self.0);
        pad.displays[0].area.size = to;
        pad.changed();
    }
}
