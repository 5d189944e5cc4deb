//! The engine's [`Desktop`] over a world: batches become events, waits become virtual time.
//!
//! The engine gets this; whoever judges keeps the [`Shared`](super::Shared) world. Nothing here shows truth: what it returns
//! are pictures and what a window system tells any program.

use super::screen::{Screen, Shot};
use super::{Input, World, hold};
use handsight_base::flow::action::{Batch, Primitive, WindowQuery};
use handsight_base::flow::frame::{Frame, Shown};
use handsight_base::flow::ui::{UiRequest, UiTree};
use handsight_base::gate::{Approved, Focus, Launch, Paste, Place, SetClipboard};
use handsight_base::key::{Key, Named};
use handsight_base::port::clock::{Clock, VirtualClock};
use handsight_base::port::desktop::{
    Capabilities, CaptureRequest, ClipboardContents, Damage, DamageMark, Desktop, DesktopError, DesktopInfo,
    Display, Injected, Placement, Window, WindowId, WindowState,
};
use handsight_base::space::{FrameGeometry, FrameId, ScreenPx, ScreenRect};
use handsight_base::stop::Stop;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// A long wait is cut into these, so that what is due within it happens in its time and a stop is heard.
const SLICE: Duration = Duration::from_millis(50);
/// The names under which text lies on a clipboard.
const TEXT: [&str; 2] = ["text/plain;charset=utf-8", "UTF8_STRING"];

/// Eyes and hands on a simulated desktop.
pub struct WorldDesktop {
    world: Arc<Mutex<dyn World>>,
    clock: VirtualClock,
    screen: Screen,
    /// A picture went out to the model and nothing was done since: the next input comes after the think time.
    thinking: bool,
}

impl WorldDesktop {
    /// The world and the run must have the same clock: waits of the engine are the world's time.
    pub fn new(world: Arc<Mutex<dyn World>>, clock: VirtualClock) -> Self {
        Self { world, clock, screen: Screen::new(), thinking: false }
    }

    /// The world as it is now.
    fn now(&self) -> MutexGuard<'_, dyn World + 'static> {
        let mut world = hold(&*self.world);
        world.advance(self.clock.now());
        world
    }

    /// The same, after the model has thought.
    fn after_thought(&mut self) -> MutexGuard<'_, dyn World + 'static> {
        if std::mem::take(&mut self.thinking) {
            let thought = hold(&*self.world).think_time();
            self.clock.advance(thought);
        }
        self.now()
    }

    fn shoot(&mut self, request: &CaptureRequest) -> Result<Shot, DesktopError> {
        let mut world = hold(&*self.world);
        world.advance(self.clock.now());
        let displays = world.displays();
        let (shown, part) = match &request.shown {
            Shown::Window(id) => {
                let window = one(&*world, WindowId(*id))?;
                if window.state != WindowState::Normal {
                    return Err(hidden(&window));
                }
                // Of the display that shows most of it; a window across two is cut as if it hung over the edge.
                let seen = |d: &Display| d.area.intersect(&window.client).map_or(0, |part| part.size.area());
                let display = displays.iter().max_by_key(|d| seen(d)).ok_or_else(no_display)?;
                let part = window.client.intersect(&display.area).ok_or_else(|| hidden(&window))?;
                (Shown::Display(display.name.clone()), Some(part))
            }
            Shown::Display(name) if !displays.iter().any(|d| &d.name == name) => {
                let there = displays.iter().map(|d| d.name.clone()).collect();
                return Err(DesktopError::NoSuchDisplay { name: name.clone(), there });
            }
            shown => (shown.clone(), None),
        };
        let part = match (part, request.region) {
            (Some(part), Some(region)) => Some(part.intersect(&region).ok_or_else(|| outside(region))?),
            (part, region) => part.or(region),
        };
        let shot = self.screen.shoot(&*world, &shown, part, request.cursor);
        shot.ok_or_else(|| part.map_or_else(no_display, outside))
    }
}

impl std::fmt::Debug for WorldDesktop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WorldDesktop({})", self.info().detail)
    }
}

fn no_display() -> DesktopError {
    DesktopError::Capture { why: "the world has no display".into(), code: None }
}

fn outside(region: ScreenRect) -> DesktopError {
    DesktopError::Capture { why: format!("{region} lies outside of what is shown"), code: None }
}

fn hidden(window: &Window) -> DesktopError {
    DesktopError::TargetHidden { window: format!("{:?}", window.title), waited: Duration::ZERO }
}

fn one(world: &dyn World, id: WindowId) -> Result<Window, DesktopError> {
    let found = world.windows().into_iter().find(|w| w.id == id);
    found.ok_or_else(|| DesktopError::TargetGone { window: format!("{:#x}", id.0) })
}

/// The windows a query means, the topmost first.
fn matching(world: &dyn World, query: &WindowQuery) -> Result<Vec<Window>, DesktopError> {
    let windows = world.windows();
    let regex = match query {
        WindowQuery::TitleRegex(text) => {
            Some(regex::Regex::new(text).map_err(|why| DesktopError::NoSuchWindow {
                query: format!("the regular expression {text:?}: {why}"),
                candidates: Vec::new(),
            })?)
        }
        _ => None,
    };
    let fits = |w: &Window| match query {
        WindowQuery::Title(title) => w.title == *title,
        WindowQuery::TitlePart(part) => w.title.to_lowercase().contains(&part.to_lowercase()),
        WindowQuery::TitleRegex(_) => regex.as_ref().is_some_and(|r| r.is_match(&w.title)),
        WindowQuery::Class(class) => w.class.contains(class),
        WindowQuery::Pid(pid) => w.pid == Some(*pid),
        WindowQuery::Id(id) => w.id.0 == *id,
        WindowQuery::Active => w.focused,
    };
    let found: Vec<Window> = windows.iter().filter(|w| fits(w)).cloned().collect();
    if found.is_empty() {
        let candidates = windows.into_iter().map(|w| w.title).collect();
        return Err(DesktopError::NoSuchWindow { query: query.describe(), candidates });
    }
    Ok(found)
}

impl Desktop for WorldDesktop {
    fn info(&self) -> DesktopInfo {
        let world = hold(&*self.world);
        let displays = world.displays();
        let size = displays.first().map_or_else(String::new, |d| format!(" {}", d.area.size));
        let more =
            if displays.len() > 1 { format!(" and {} more", displays.len() - 1) } else { String::new() };
        DesktopInfo {
            backend: "world".into(),
            detail: format!("{} seed {}{size}{more}", world.name(), world.seed()),
            simulated: true,
            capabilities: Capabilities {
                input: true,
                windows: true,
                place: true,
                launch: true,
                clipboard: true,
                overlay: false,
                overlay_in_capture: false,
                annotated_in_capture: false,
                damage: true,
                pointer: true,
                ui_tree: true,
                person: false,
            },
        }
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        Ok(self.now().displays().to_vec())
    }

    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError> {
        let shot = self.shoot(request)?;
        self.thinking |= request.frame != FrameId::PROBE;
        let geometry = FrameGeometry {
            frame: request.frame,
            size: shot.pixels.size(),
            origin: shot.area.origin,
            scale: shot.scale,
        };
        let (shown, at) = (request.shown.clone(), self.clock.now());
        Ok(Frame { geometry, shown, at, pixels: shot.pixels, cursor: shot.cursor, suspicion: None })
    }

    fn inject(&mut self, batch: Approved<Batch>, stop: &Stop) -> Result<Injected, DesktopError> {
        drop(self.after_thought());
        let primitives = batch.into_inner().primitives;
        let began = self.clock.now();
        let of = primitives.iter().filter(|p| !matches!(p, Primitive::Wait(_))).count() as u32;
        let mut events = 0;
        for primitive in primitives {
            if let Primitive::Wait(d) = primitive {
                self.wait(d, stop);
            }
            if stop.is_set() {
                self.release_all()?;
                let took = self.clock.now().saturating_sub(began);
                return Ok(Injected { events, of, complete: false, took });
            }
            if let Some(input) = Input::of(primitive) {
                self.now().input(input);
                events += 1;
            }
        }
        let took = self.clock.now().saturating_sub(began);
        Ok(Injected { events, of, complete: true, took })
    }

    fn release_all(&mut self) -> Result<(), DesktopError> {
        self.now().release_all();
        Ok(())
    }

    fn windows(&mut self) -> Result<Vec<Window>, DesktopError> {
        Ok(self.now().windows())
    }

    fn window(&mut self, id: WindowId) -> Result<Window, DesktopError> {
        one(&*self.now(), id)
    }

    fn find(&mut self, query: &WindowQuery) -> Result<Vec<Window>, DesktopError> {
        matching(&*self.now(), query)
    }

    fn focus(&mut self, focus: Approved<Focus>) -> Result<Window, DesktopError> {
        let Focus(query) = focus.into_inner();
        let mut world = self.after_thought();
        let window = matching(&*world, &query)?.remove(0);
        world.focus(window.id);
        one(&*world, window.id)
    }

    fn place(&mut self, place: Approved<Place>) -> Result<Window, DesktopError> {
        let Place { window, to } = place.into_inner();
        let mut world = self.after_thought();
        let now = one(&*world, window)?;
        let outer = match to {
            Placement::Outer(outer) => outer,
            Placement::Client(client) => {
                let (left, top) =
                    (now.client.origin.x - now.outer.origin.x, now.client.origin.y - now.outer.origin.y);
                let origin = client.origin.offset(-left, -top);
                let width = client.size.width + now.outer.size.width.saturating_sub(now.client.size.width);
                let height =
                    client.size.height + now.outer.size.height.saturating_sub(now.client.size.height);
                ScreenRect::new(origin.x, origin.y, width, height)
            }
        };
        world.place(window, outer);
        one(&*world, window)
    }

    fn launch(&mut self, launch: Approved<Launch>) -> Result<u32, DesktopError> {
        let Launch(argv) = launch.into_inner();
        let program = argv.first().cloned().unwrap_or_default();
        self.after_thought().launch(&argv).map_err(|why| DesktopError::Launch { program, why })
    }

    fn paste(&mut self, paste: Approved<Paste>, stop: &Stop) -> Result<Injected, DesktopError> {
        let Paste(text) = paste.into_inner();
        drop(self.after_thought());
        if stop.is_set() {
            return Ok(Injected { events: 0, of: 4, complete: false, took: Duration::ZERO });
        }
        let mut world = self.now();
        let kept = world.clipboard();
        world.set_clipboard(text);
        for (key, down) in [
            (Key::Named(Named::Control), true),
            (Key::Char('v'), true),
            (Key::Char('v'), false),
            (Key::Named(Named::Control), false),
        ] {
            world.input(Input::Key { key, down });
        }
        world.set_clipboard(kept);
        Ok(Injected { events: 4, of: 4, complete: true, took: Duration::ZERO })
    }

    fn clipboard(&mut self) -> Result<ClipboardContents, DesktopError> {
        let text = self.now().clipboard();
        if text.is_empty() {
            return Ok(ClipboardContents::default());
        }
        let formats = TEXT.iter().map(|name| ((*name).to_owned(), text.clone().into_bytes())).collect();
        Ok(ClipboardContents { formats })
    }

    fn set_clipboard(&mut self, contents: Approved<SetClipboard>) -> Result<(), DesktopError> {
        let SetClipboard(contents) = contents.into_inner();
        let text = contents.formats.iter().find(|(name, _)| TEXT.contains(&name.as_str()));
        let text = match (text, contents.formats.is_empty()) {
            (Some((_, bytes)), _) => String::from_utf8_lossy(bytes).into_owned(),
            (None, true) => String::new(),
            (None, false) => {
                return Err(DesktopError::Clipboard { why: "a simulated desktop keeps text only".into() });
            }
        };
        self.now().set_clipboard(text);
        Ok(())
    }

    fn pointer(&mut self) -> Result<Option<ScreenPx>, DesktopError> {
        Ok(Some(self.now().pointer()))
    }

    fn damage_since(&mut self, mark: Option<DamageMark>) -> Result<Damage, DesktopError> {
        let mut world = hold(&*self.world);
        world.advance(self.clock.now());
        Ok(self.screen.damage(&*world, mark))
    }

    fn ui_tree(&mut self, request: &UiRequest) -> Result<UiTree, DesktopError> {
        let mut nodes = self.now().ui();
        let read = nodes.len();
        nodes.retain_mut(|node| match node.area.intersect(&request.area) {
            Some(seen) => {
                node.area = seen;
                !seen.is_empty()
            }
            None => false,
        });
        Ok(UiTree { nodes, read, ..UiTree::default() })
    }
}

impl WorldDesktop {
    /// Lets virtual time pass, until a stop at most.
    fn wait(&mut self, d: Duration, stop: &Stop) {
        let mut left = d;
        while !left.is_zero() && !stop.is_set() {
            let slice = left.min(SLICE);
            self.clock.advance(slice);
            left -= slice;
            drop(self.now());
        }
    }
}
