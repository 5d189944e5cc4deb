//! The desktop in memory, and what it does wrongly when asked to.

use super::{Open, Shared, State, Wrong};
use crate::witness_protocol::{CURSOR_HOT, CURSOR_SIDE, Which, pattern};
use handsight_base::flow::action::{Axis, Batch, Primitive, WindowQuery};
use handsight_base::flow::frame::{Frame, PixelMemory, Pixels, Shown};
use handsight_base::gate::{Approved, Focus, Launch, Paste, Place, SetClipboard};
use handsight_base::key::{Key, Named};
use handsight_base::port::desktop::{
    Capabilities, CaptureRequest, ClipboardContents, Damage, DamageMark, Desktop, DesktopError, DesktopInfo,
    Display, Injected, Overlay, Placement, Pulse, Window, WindowId, WindowState,
};
use handsight_base::space::{FrameGeometry, ScreenPx, ScreenRect};
use handsight_base::stop::Stop;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// As in the product.
const SILENCE: Duration = Duration::from_millis(250);
const TEXT: &str = "text/plain;charset=utf-8";

pub(super) struct ModelDesktop {
    state: Shared,
    pulse: Arc<Beats>,
    /// Of the capture before.
    last: Option<Arc<Memory>>,
}

/// The turn lives while somebody holds this.
struct Beats;

impl Pulse for Beats {
    fn beat(&self) {}
}

/// A picture that a wrong desktop writes over.
struct Memory {
    first: Vec<u8>,
    later: OnceLock<Vec<u8>>,
}

impl PixelMemory for Memory {
    fn bytes(&self) -> &[u8] {
        self.later.get().unwrap_or(&self.first)
    }
}

/// What has become of a batch so far.
#[derive(Default)]
struct Run {
    events: u32,
    silent: Duration,
    late: Duration,
    /// Where the text was begun that is typed now, how many characters it got, and whether it has lost the focus.
    addressee: Option<Option<Which>>,
    typed: u32,
    moved: bool,
}

impl Run {
    /// True if the next character may be typed.
    fn is_addressed(&mut self, state: &State) -> bool {
        let begun = *self.addressee.get_or_insert(state.focus);
        self.moved |= begun != state.focus;
        self.typed += u32::from(!self.moved);
        !self.moved || state.is(Wrong::TypesOn) || state.is(Wrong::TypesOnInSecret)
    }
}

impl ModelDesktop {
    pub(super) fn new(state: Shared) -> Self {
        Self { state, pulse: Arc::new(Beats), last: None }
    }

    /// True if the batch goes on.
    fn step(&self, run: &mut Run, primitive: Primitive, stop: &Stop) -> bool {
        let mut state = self.state.lock();
        if let Primitive::Wait(d) = primitive {
            let d = if state.is(Wrong::Hurries) { Duration::ZERO } else { d };
            return self.wait(&mut state, run, d, stop);
        }
        if stopped(&state, run, stop) {
            return false;
        }
        match primitive {
            Primitive::Char(_) if !run.is_addressed(&state) => return false,
            Primitive::Char(_) | Primitive::Wait(_) => {}
            _ => (run.addressee, run.typed) = (None, 0),
        }
        run.events += events_of(primitive);
        match primitive {
            Primitive::Move(to) => state.go(to),
            Primitive::Button { button, down } => state.button(button, down),
            Primitive::Key { key, down } => state.key(key, down),
            Primitive::Char(c) => state.char(c),
            Primitive::Wheel { axis, units } => wheel(&mut state, axis, units),
            Primitive::Wait(_) => {}
        }
        let dies = state.is(Wrong::DiesWithWindow) || state.is(Wrong::DropsAllWithWindow);
        !(state.gone && dies)
    }

    /// In slices, as a stop and a dead turn are noticed while it waits.
    fn wait(&self, state: &mut State, run: &mut Run, d: Duration, stop: &Stop) -> bool {
        const SLICE: Duration = Duration::from_millis(10);
        let mut left = d;
        while !left.is_zero() {
            let slice = left.min(SLICE);
            left -= slice;
            state.now += slice;
            if stop.is_set() {
                run.late += slice;
            }
            if stopped(state, run, stop) {
                return false;
            }
            let lives = Arc::strong_count(&self.pulse) > 1 || state.is(Wrong::TrustsDeadTurns);
            run.silent = if lives { Duration::ZERO } else { run.silent + slice };
            if run.silent > SILENCE && !(state.keys.is_empty() && state.buttons.is_empty()) {
                return false;
            }
        }
        true
    }
}

fn stopped(state: &State, run: &Run, stop: &Stop) -> bool {
    let late = if state.is(Wrong::StopsLate) { Duration::from_millis(200) } else { Duration::ZERO };
    stop.is_set() && !state.is(Wrong::IgnoresStop) && run.late >= late
}

/// As Windows counts them: one press and one release for each UTF-16 unit.
const fn events_of(primitive: Primitive) -> u32 {
    match primitive {
        Primitive::Wait(_) => 0,
        Primitive::Char(c) => 2 * c.len_utf16() as u32,
        Primitive::Move(_) | Primitive::Button { .. } | Primitive::Key { .. } | Primitive::Wheel { .. } => 1,
    }
}

fn wheel(state: &mut State, axis: Axis, units: i32) {
    let units = if state.is(Wrong::TurnsTheOtherWay) { -units } else { units };
    let units = if state.is(Wrong::WholeNotchesOnly) { units / 120 * 120 } else { units };
    let axis = if state.is(Wrong::TurnsTheOtherWheel) { Axis::Vertical } else { axis };
    state.tell(state.under(state.pointer), crate::witness_protocol::What::Wheel { axis, units });
    if state.is(Wrong::NudgesPointer) {
        state.go(state.pointer.offset(1, 0));
    }
}

/// The picture of `area`, row by row.
fn picture(state: &State, area: ScreenRect, cursor: bool) -> Vec<u8> {
    let shift = i32::from(state.is(Wrong::ShiftsPicture));
    let mut out = Vec::with_capacity(area.size.area() as usize * 4);
    for y in area.origin.y..area.bottom() as i32 {
        for x in area.origin.x..area.right() as i32 {
            let here = ScreenPx::new(x + shift, y);
            let [b, g, r] = pointer_at(state, here).filter(|_| cursor).unwrap_or_else(|| colour(state, here));
            out.extend(if state.is(Wrong::SwapsColours) { [r, g, b, 0] } else { [b, g, r, 0] });
        }
    }
    out
}

fn colour(state: &State, at: ScreenPx) -> [u8; 3] {
    let Some(Open { client, seed, .. }) = state.under(at) else { return [60, 50, 40] };
    pattern(seed, (at.x - client.origin.x) as u32, (at.y - client.origin.y) as u32)
}

fn pointer_at(state: &State, at: ScreenPx) -> Option<[u8; 3]> {
    let hot = if state.is(Wrong::IgnoresHotSpot) { (0, 0) } else { (CURSOR_HOT.x, CURSOR_HOT.y) };
    let corner = if state.sprite { state.pointer.offset(-hot.0, -hot.1) } else { state.pointer };
    let inside = ScreenRect::new(corner.x, corner.y, CURSOR_SIDE, CURSOR_SIDE).contains(at);
    let white = state.sprite && at == corner.offset(CURSOR_HOT.x, CURSOR_HOT.y);
    inside.then_some(if white { [255, 255, 255] } else { [0, 0, 255] })
}

fn window(state: &State, open: &Open) -> Window {
    let client = if state.is(Wrong::RemembersPlaces) { open.first } else { open.client };
    Window {
        id: WindowId(open.which as u64 + 1),
        title: open.which.title().to_owned(),
        class: vec!["model".to_owned()],
        pid: Some(1),
        program: None,
        client,
        outer: client,
        state: WindowState::Normal,
        focused: state.focus == Some(open.which),
    }
}

fn windows(state: &State) -> Vec<Window> {
    state.windows.iter().rev().map(|open| window(state, open)).collect()
}

fn one(state: &State, id: WindowId) -> Result<Window, DesktopError> {
    let found = windows(state).into_iter().find(|w| w.id == id);
    found.ok_or_else(|| DesktopError::TargetGone { window: id.0.to_string() })
}

impl Desktop for ModelDesktop {
    fn info(&self) -> DesktopInfo {
        DesktopInfo {
            backend: "model".into(),
            detail: "in memory".into(),
            simulated: true,
            capabilities: Capabilities {
                input: true,
                windows: true,
                place: true,
                clipboard: true,
                damage: true,
                pointer: true,
                overlay: self.state.lock().is(Wrong::Boasts),
                ..Capabilities::default()
            },
        }
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        let mut displays = self.state.lock().displays.clone();
        if self.state.lock().is(Wrong::KnowsOldSize) {
            displays[0].area = ScreenRect::new(0, 0, 640, 400);
        }
        Ok(displays)
    }

    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError> {
        let mut state = self.state.lock();
        let displays = &state.displays;
        let whole = match &request.shown {
            Shown::AllDisplays => displays.iter().map(|d| d.area).fold(displays[0].area, |a, b| a.union(&b)),
            Shown::Display(_) if state.is(Wrong::KnowsOneDisplay) => displays[0].area,
            Shown::Display(name) => match displays.iter().find(|d| &d.name == name) {
                Some(display) => display.area,
                None => {
                    let there = displays.iter().map(|d| d.name.clone()).collect();
                    return Err(DesktopError::NoSuchDisplay { name: name.clone(), there });
                }
            },
            Shown::Window(id) => one(&state, WindowId(*id))?.client,
        };
        let area = match request.region {
            None => whole,
            Some(region) => {
                let part = region.intersect(&whole);
                let part = part.filter(|_| !state.is(Wrong::ForgetsEdge)).or(part.map(|_| region));
                let why = format!("{region} lies outside of what is shown");
                part.ok_or(DesktopError::Capture { why, code: None })?
            }
        };
        let drawn =
            request.cursor && !state.is(Wrong::LeavesOutPointer) || state.is(Wrong::AlwaysDrawsPointer);
        let bytes = picture(&state, area, drawn);
        let memory = Arc::new(Memory { first: bytes.clone(), later: OnceLock::new() });
        let same = self.last.take().filter(|last| last.first.len() == bytes.len());
        let shown = match same {
            Some(last) if state.is(Wrong::ShowsLast) => last,
            Some(last) if state.is(Wrong::Overwrites) => {
                let _first_wins = last.later.set(bytes);
                Arc::clone(&memory)
            }
            _ => Arc::clone(&memory),
        };
        self.last = Some(memory);
        if state.is(Wrong::MovesByLooking) {
            let to = state.pointer.offset(1, 0);
            state.go(to);
        }
        let geometry =
            FrameGeometry { frame: request.frame, size: area.size, origin: area.origin, scale: 1.0 };
        let pixels = Pixels::new(shown, area.size, area.size.width as usize * 4);
        Ok(Frame {
            geometry,
            shown: request.shown.clone(),
            at: state.now,
            pixels: pixels.expect("as long as the area is large"),
            cursor: request.cursor,
            suspicion: None,
        })
    }

    fn inject(&mut self, batch: Approved<Batch>, stop: &Stop) -> Result<Injected, DesktopError> {
        let mut primitives = batch.into_inner().primitives;
        if self.state.lock().is(Wrong::Jumps) {
            // All moves but the first two and the last: where it starts, and where it ends.
            let moves = primitives.iter().filter(|p| matches!(p, Primitive::Move(_))).count();
            let mut n = 0;
            primitives.retain(|p| {
                n += usize::from(matches!(p, Primitive::Move(_)));
                !matches!(p, Primitive::Move(_)) || n <= 1 || n == moves
            });
        }
        let of = primitives.iter().map(|p| events_of(*p)).sum();
        let mut run = Run::default();
        let complete = primitives.into_iter().all(|primitive| self.step(&mut run, primitive, stop));
        let mut state = self.state.lock();
        let keeps = state.is(Wrong::StopsWithKeysDown) || state.is(Wrong::DropsAllWithWindow);
        if !complete && !keeps {
            state.release_all();
        }
        state.gone = false;
        if run.moved && !state.is(Wrong::TypesOn) {
            let events = run.events.min(of - 1);
            return Err(DesktopError::FocusMoved {
                window: format!("{:?}", Which::Main.title()),
                typed: run.typed,
                injected: Injected { events, of, complete: false, took: Duration::ZERO },
            });
        }
        let complete = complete || state.is(Wrong::DropsAllWithWindow);
        Ok(Injected { events: run.events, of, complete, took: Duration::ZERO })
    }

    fn release_all(&mut self) -> Result<(), DesktopError> {
        let mut state = self.state.lock();
        if !state.is(Wrong::NeverReleases) {
            state.release_all();
        }
        Ok(())
    }

    fn windows(&mut self) -> Result<Vec<Window>, DesktopError> {
        Ok(windows(&self.state.lock()))
    }

    fn window(&mut self, id: WindowId) -> Result<Window, DesktopError> {
        one(&self.state.lock(), id)
    }

    fn find(&mut self, query: &WindowQuery) -> Result<Vec<Window>, DesktopError> {
        let state = self.state.lock();
        let mut all = windows(&state);
        let candidates = all.iter().map(|w| w.title.clone()).collect();
        all.retain(|w| match query {
            _ if state.is(Wrong::FindsAnything) => true,
            WindowQuery::Title(title) => w.title == *title,
            WindowQuery::TitlePart(part) => w.title.to_lowercase().contains(&part.to_lowercase()),
            WindowQuery::TitleRegex(text) => format!("^{}$", w.title) == *text,
            WindowQuery::Class(class) => w.class.contains(class),
            WindowQuery::Pid(pid) => w.pid == Some(*pid),
            WindowQuery::Id(id) => w.id.0 == *id,
            WindowQuery::Active => w.focused,
        });
        if all.is_empty() {
            return Err(DesktopError::NoSuchWindow { query: query.describe(), candidates });
        }
        Ok(all)
    }

    fn focus(&mut self, focus: Approved<Focus>) -> Result<Window, DesktopError> {
        let Focus(query) = focus.into_inner();
        let found = self.find(&query)?.swap_remove(0);
        let mut state = self.state.lock();
        if !state.is(Wrong::OnlySaysItFocused) {
            let at = state.windows.iter().position(|w| w.which as u64 + 1 == found.id.0);
            if let Some(at) = at {
                let open = state.windows.remove(at);
                state.windows.push(open);
                state.focus = Some(open.which);
            }
        }
        Ok(Window { focused: true, ..found })
    }

    fn place(&mut self, place: Approved<Place>) -> Result<Window, DesktopError> {
        let Place { window: id, to } = place.into_inner();
        let mut state = self.state.lock();
        let now = one(&state, id)?;
        let (Placement::Client(to) | Placement::Outer(to)) = to;
        let by = if state.is(Wrong::PlacesByFrame) { 20 } else { 0 };
        let real = ScreenRect { origin: to.origin.offset(0, by), ..to };
        state.windows.iter_mut().filter(|w| w.which as u64 + 1 == id.0).for_each(|w| w.client = real);
        Ok(Window { client: to, outer: to, ..now })
    }

    fn launch(&mut self, launch: Approved<Launch>) -> Result<u32, DesktopError> {
        let _ = launch;
        Err(self.unsupported("launch"))
    }

    fn paste(&mut self, paste: Approved<Paste>, _stop: &Stop) -> Result<Injected, DesktopError> {
        let Paste(text) = paste.into_inner();
        let mut state = self.state.lock();
        let kept = std::mem::replace(&mut state.clipboard, text);
        let (control, v) = (Key::Named(Named::Control), Key::Char('v'));
        for (key, down) in [(control, true), (v, true), (v, false), (control, false)] {
            state.key(key, down);
        }
        if !state.is(Wrong::KeepsClipboard) {
            state.clipboard = kept;
        }
        Ok(Injected { events: 4, of: 4, complete: true, took: Duration::ZERO })
    }

    fn clipboard(&mut self) -> Result<ClipboardContents, DesktopError> {
        let state = self.state.lock();
        let text = if state.is(Wrong::SeesNoClipboard) { "" } else { &state.clipboard };
        Ok(ClipboardContents { formats: vec![(TEXT.to_owned(), text.as_bytes().to_vec())] })
    }

    fn set_clipboard(&mut self, contents: Approved<SetClipboard>) -> Result<(), DesktopError> {
        let SetClipboard(contents) = contents.into_inner();
        let text = contents.formats.into_iter().next().map(|(_, bytes)| bytes).unwrap_or_default();
        self.state.lock().clipboard = String::from_utf8_lossy(&text).into_owned();
        Ok(())
    }

    fn pointer(&mut self) -> Result<Option<ScreenPx>, DesktopError> {
        Ok(Some(self.state.lock().pointer))
    }

    fn damage_since(&mut self, mark: Option<DamageMark>) -> Result<Damage, DesktopError> {
        Ok(Damage { mark: mark.unwrap_or_default(), areas: None })
    }

    fn overlay(&mut self, overlay: Option<&Overlay>) -> Result<(), DesktopError> {
        let _ = overlay;
        if self.state.lock().is(Wrong::Pretends) { Ok(()) } else { Err(self.unsupported("overlay")) }
    }

    fn pulse(&self) -> Option<Arc<dyn Pulse>> {
        Some(Arc::clone(&self.pulse) as Arc<dyn Pulse>)
    }
}
