//! The engine on a desk: a script in; out what the hands and eyes were asked for, what the model was shown, and what is true.
//!
//! The desk is held twice: the engine works on it through its desktop, a test asks the world itself. Whenever the model is asked,
//! a second pair of eyes takes the same screen, so that a picture is compared with what was there and not with another picture.

mod replies;

use crate::rig::Asked;
use handsight_agent::NoFonts;
use handsight_agent::ending::Ending;
use handsight_agent::episode::{Episode, Parts};
use handsight_agent::person::Person;
use handsight_agent::profile::{Aliases, Layer, Profile, set_layer};
use handsight_agent::progress::{Event, Progress};
use handsight_agent::seat::Seat;
use handsight_agent::tools::ToolSet;
use handsight_base::flow::action::{Batch, Primitive, WindowQuery};
use handsight_base::flow::format::PictureLimits;
use handsight_base::flow::frame::{Frame, Pixels, Shown};
use handsight_base::flow::ui::{UiRequest, UiTree};
use handsight_base::gate::{Approved, Focus, Launch, Paste};
use handsight_base::port::BoxFuture;
use handsight_base::port::clock::{Clock, VirtualClock};
use handsight_base::port::desktop::{
    CaptureRequest, Desktop, DesktopError, DesktopInfo, Display, Injected, Overlay, OverlayInCapture, Window,
};
use handsight_base::port::model::{Model, ModelError, ModelReply, ModelRequest};
use handsight_base::space::{ScreenPx, ScreenRect, Size};
use handsight_base::stop::Stop;
use handsight_model::Scripted;
use handsight_store::{Durability, Journal, Options, RunMeta};
use handsight_testkit::picture::{Patch, Picture};
use handsight_worlds::Setup;
use handsight_worlds::desk::{Desk, DeskSetup};
use handsight_worlds::engine::desktop::WorldDesktop;
use handsight_worlds::engine::{Shared, World, hold, share};
pub(crate) use replies::{click, done, observe, scroll, type_text};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

/// A desk of one display whose look does not follow the seed.
pub(crate) fn plain(size: Size) -> DeskSetup {
    plainly(&Setup::new(3, size))
}

pub(crate) fn plainly(setup: &Setup) -> DeskSetup {
    DeskSetup::from(setup).with("theme", "light").with("taskbar", "bottom").with("font", "14")
}

pub(crate) const HD: Size = Size::new(1280, 720);

/// What the engine asked of the desktop.
#[derive(Debug, Clone)]
pub(crate) enum Did {
    /// A capture and what came of it; frame 0 is a probe.
    Look(CaptureRequest, Frame),
    Inject(Vec<Primitive>),
    Overlay(Option<ScreenRect>),
    Release,
}

impl Did {
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Look(CaptureRequest { frame: CaptureRequest::PROBE, .. }, _) => "probe",
            Self::Look(..) => "capture",
            Self::Inject(_) => "inject",
            Self::Overlay(Some(_)) => "show",
            Self::Overlay(None) => "hide",
            Self::Release => "release",
        }
    }
}

/// Changes the desk from outside, before each look of the engine: whatever else goes on there.
pub(crate) type Meanwhile = Box<dyn FnMut(&CaptureRequest, Duration, &mut Desk) + Send>;

#[derive(Default)]
struct Tape {
    did: Vec<(Duration, Did)>,
    meanwhile: Option<Meanwhile>,
    refusals: Vec<DesktopError>,
    pointer_asked: u32,
    /// A desktop that shows the HUD itself; else the engine blends it into the picture.
    overlay: Option<Option<Overlay>>,
}

/// The world's desktop with a tape running.
struct Taped {
    inner: WorldDesktop,
    world: Shared<Desk>,
    clock: VirtualClock,
    tape: Arc<Mutex<Tape>>,
}

impl Taped {
    fn note(&self, did: Did) {
        self.tape.lock().unwrap().did.push((self.clock.now(), did));
    }
}

impl Desktop for Taped {
    fn info(&self) -> DesktopInfo {
        let mut info = self.inner.info();
        let overlay = self.tape.lock().unwrap().overlay.is_some();
        (info.capabilities.overlay, info.capabilities.overlay_in_capture) = (overlay, overlay);
        info
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        self.inner.displays()
    }

    fn capture(&mut self, request: &CaptureRequest) -> Result<Frame, DesktopError> {
        if let Some(meanwhile) = &mut self.tape.lock().unwrap().meanwhile {
            let mut desk = hold(&self.world);
            desk.advance(self.clock.now());
            meanwhile(request, self.clock.now(), &mut desk);
        }
        let mut frame = self.inner.capture(request)?;
        if let Some(Some(overlay)) = &self.tape.lock().unwrap().overlay {
            frame.pixels = covered(&frame, overlay);
        }
        self.note(Did::Look(request.clone(), frame.clone()));
        Ok(frame)
    }

    fn inject(&mut self, batch: Approved<Batch>, stop: &Stop) -> Result<Injected, DesktopError> {
        let primitives = batch.value().primitives.clone();
        self.note(Did::Inject(primitives));
        let refused = {
            let refusals = &mut self.tape.lock().unwrap().refusals;
            (!refusals.is_empty()).then(|| refusals.remove(0))
        };
        refused.map_or_else(|| self.inner.inject(batch, stop), Err)
    }

    fn pointer(&mut self) -> Result<Option<ScreenPx>, DesktopError> {
        self.tape.lock().unwrap().pointer_asked += 1;
        self.inner.pointer()
    }

    fn ui_tree(&mut self, request: &UiRequest) -> Result<UiTree, DesktopError> {
        self.inner.ui_tree(request)
    }

    fn release_all(&mut self) -> Result<(), DesktopError> {
        self.note(Did::Release);
        self.inner.release_all()
    }

    fn find(&mut self, query: &WindowQuery) -> Result<Vec<Window>, DesktopError> {
        self.inner.find(query)
    }

    fn focus(&mut self, focus: Approved<Focus>) -> Result<Window, DesktopError> {
        self.inner.focus(focus)
    }

    fn launch(&mut self, launch: Approved<Launch>) -> Result<u32, DesktopError> {
        self.inner.launch(launch)
    }

    fn paste(&mut self, paste: Approved<Paste>, stop: &Stop) -> Result<Injected, DesktopError> {
        self.inner.paste(paste, stop)
    }

    fn overlay(&mut self, overlay: Option<&Overlay>) -> Result<(), DesktopError> {
        self.note(Did::Overlay(overlay.map(|o| o.area)));
        self.tape.lock().unwrap().overlay = Some(overlay.cloned());
        Ok(())
    }
}

/// A frame under an overlay, as a person would see it.
fn covered(frame: &Frame, overlay: &Overlay) -> Pixels {
    let view = frame.view();
    let mut rows: Vec<u8> = (0..view.size().height).flat_map(|y| view.row(y)).copied().collect();
    let width = overlay.area.size.width as usize;
    for (n, pixel) in overlay.bgra.chunks_exact(4).enumerate().filter(|(_, p)| p[3] == 255) {
        let x = overlay.area.origin.x as usize + n % width;
        let y = overlay.area.origin.y as usize + n / width;
        let at = (y * view.size().width as usize + x) * 4;
        rows[at..at + 3].copy_from_slice(&pixel[..3]);
    }
    let stride = view.size().width as usize * 4;
    Pixels::new(Arc::new(rows), view.size(), stride).unwrap()
}

/// What the model was shown at one call, and what was there.
pub(crate) struct Shot {
    pub(crate) asked: Asked,
    /// The screen by other eyes, with the pointer and without.
    pub(crate) screen: Frame,
    pub(crate) bare: Frame,
    pub(crate) pointer: ScreenPx,
}

impl Shot {
    pub(crate) fn picture(&self) -> Picture {
        Picture::from_png(&self.asked.picture.0)
    }
}

/// All pixels of a frame.
pub(crate) fn picture(frame: &Frame) -> Picture {
    let view = frame.view();
    let rows: Vec<u8> = (0..view.size().height).flat_map(|y| view.row(y)).copied().collect();
    Picture::from_bgrx(view.size().width, view.size().height, &rows)
}

/// The first pixel of a picture that is not the one under its middle on the frame.
pub(crate) fn unlike_nearest(picture: &Picture, frame: &Frame) -> Option<(u32, u32)> {
    let from = |i: u32, source: u32, target: u32| {
        ((f64::from(i) + 0.5) * f64::from(source) / f64::from(target)).floor() as u32
    };
    let (view, size) = (frame.view(), frame.size());
    let columns: Vec<u32> = (0..picture.width).map(|x| from(x, size.width, picture.width)).collect();
    let unlike = |(x, y): &(u32, u32)| {
        let [b, g, r] = view.bgr(columns[*x as usize], from(*y, size.height, picture.height)).unwrap();
        picture.at(*x, *y) != [r, g, b]
    };
    (0..picture.height).flat_map(|y| (0..picture.width).map(move |x| (x, y))).find(unlike)
}

/// The model between the engine and the one that answers.
struct Watched {
    inner: Arc<dyn Model>,
    eyes: Mutex<WorldDesktop>,
    world: Shared<Desk>,
    shown: Shown,
    clock: VirtualClock,
    shots: Arc<Mutex<Vec<Shot>>>,
}

impl Watched {
    fn look(&self, cursor: bool) -> Frame {
        let request = CaptureRequest {
            frame: CaptureRequest::PROBE,
            shown: self.shown.clone(),
            region: None,
            cursor,
            overlay: OverlayInCapture::AsShown,
        };
        self.eyes.lock().unwrap().capture(&request).unwrap()
    }
}

impl Model for Watched {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn picture_limits(&self) -> PictureLimits {
        self.inner.picture_limits()
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        let asked = Asked::of(request, self.clock.now());
        let (screen, bare) = (self.look(true), self.look(false));
        let pointer = hold(&self.world).pointer();
        self.shots.lock().unwrap().push(Shot { asked, screen, bare, pointer });
        self.inner.ask(request, stop)
    }
}

struct Heard(Arc<Mutex<Vec<Event>>>);

impl Progress for Heard {
    fn event(&mut self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
}

/// A desk with an engine before it.
pub(crate) struct OnDesk {
    pub(crate) world: Shared<Desk>,
    pub(crate) clock: VirtualClock,
    pub(crate) events: Arc<Mutex<Vec<Event>>>,
    /// What the profile's setting of the display means.
    pub(crate) shown: Shown,
    folder: TempDir,
    profile: &'static str,
    settings: Vec<Layer>,
    tape: Arc<Mutex<Tape>>,
    shots: Arc<Mutex<Vec<Shot>>>,
}

impl OnDesk {
    pub(crate) fn new(setup: &DeskSetup, settings: &[&str]) -> Self {
        Self::of("stateless", setup, settings)
    }

    /// A run of another profile.
    pub(crate) fn of(profile: &'static str, setup: &DeskSetup, settings: &[&str]) -> Self {
        let aliases = Aliases::of(profile, &[]).unwrap();
        Self {
            profile,
            world: share(Desk::new(setup)),
            clock: VirtualClock::new(1_710_513_022_000),
            events: Arc::default(),
            shown: Shown::Display("world-0".into()),
            folder: TempDir::new().unwrap(),
            settings: settings.iter().map(|s| set_layer(&aliases, s).unwrap()).collect(),
            tape: Arc::default(),
            shots: Arc::default(),
        }
    }

    /// The plain desk of 1280x720.
    pub(crate) fn hd(settings: &[&str]) -> Self {
        Self::new(&plain(HD), settings)
    }

    /// The same where the model gets every pixel of the screen as it is.
    pub(crate) fn native(size: Size, settings: &[&str]) -> Self {
        let sides = [
            format!("context.picture_width={}", size.width),
            format!("context.picture_height={}", size.height),
        ];
        let all: Vec<&str> = settings.iter().copied().chain(sides.iter().map(String::as_str)).collect();
        Self::new(&plain(size), &all)
    }

    pub(crate) fn meanwhile(
        &self,
        change: impl FnMut(&CaptureRequest, Duration, &mut Desk) + Send + 'static,
    ) {
        self.tape.lock().unwrap().meanwhile = Some(Box::new(change));
    }

    /// The next injections are refused with these.
    pub(crate) fn refuse(&self, errors: impl IntoIterator<Item = DesktopError>) {
        self.tape.lock().unwrap().refusals.extend(errors);
    }

    /// Makes the desktop one that shows the HUD itself.
    pub(crate) fn with_overlay(self) -> Self {
        self.tape.lock().unwrap().overlay = Some(None);
        self
    }

    /// Opens a program from outside; its window.
    pub(crate) fn open(&self, key: &str, args: &[&str]) -> u64 {
        let args: Vec<String> = args.iter().map(|a| (*a).to_owned()).collect();
        hold(&self.world).open_program(key, &args).unwrap()
    }

    /// The middle of a widget of the topmost window of a program.
    pub(crate) fn middle(&self, app: &str, id: &str) -> ScreenPx {
        hold(&self.world).locate(app, id).unwrap().center()
    }

    /// What the text of the topmost editor is.
    pub(crate) fn text(&self) -> String {
        let truths = hold(&self.world).window_truths();
        truths.iter().find(|w| w.frame.app == "editor").unwrap().texts["text"].clone()
    }

    /// What the world itself has seen of mouse and keyboard.
    pub(crate) fn seen(&self) -> Vec<String> {
        hold(&self.world).seen().map(|seen| seen.what.clone()).collect()
    }

    /// When it saw the first that begins like this.
    #[track_caller]
    pub(crate) fn saw(&self, what: &str) -> Duration {
        let found = hold(&self.world).seen().find(|seen| seen.what.starts_with(what)).map(|seen| seen.at);
        found.unwrap_or_else(|| panic!("{what:?} was not seen: {:?}", self.seen()))
    }

    pub(crate) fn truth(&self) -> Value {
        hold(&self.world).truth()
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// Everything the engine asked of the desktop, with the time.
    pub(crate) fn tape(&self) -> Vec<(Duration, Did)> {
        self.tape.lock().unwrap().did.clone()
    }

    /// How often the engine asked where the pointer is.
    pub(crate) fn pointer_asked(&self) -> u32 {
        self.tape.lock().unwrap().pointer_asked
    }

    /// The words of the tape.
    pub(crate) fn order(&self) -> Vec<&'static str> {
        self.tape().iter().map(|(_, did)| did.word()).collect()
    }

    /// Every frame it got.
    pub(crate) fn looks(&self) -> Vec<Frame> {
        let looks = self.tape().into_iter();
        looks.filter_map(|(_, did)| if let Did::Look(_, frame) = did { Some(frame) } else { None }).collect()
    }

    /// When the engine did something of this word.
    pub(crate) fn times(&self, word: &str) -> Vec<Duration> {
        self.tape().into_iter().filter(|(_, did)| did.word() == word).map(|(at, _)| at).collect()
    }

    pub(crate) fn shots(&self) -> Vec<Shot> {
        std::mem::take(&mut self.shots.lock().unwrap())
    }

    /// Where a place of the screen is, from 0 to 1000 of what is shown.
    pub(crate) fn norm(&self, at: ScreenPx) -> (f64, f64) {
        let world = hold(&self.world);
        let (area, scale) = handsight_worlds::engine::screen::place(world.displays(), &self.shown).unwrap();
        let axis = |v: i32, from: i32, size: u32| {
            let pixel = (f64::from(v - from) * scale + scale / 2.0).floor();
            pixel / (f64::from(size) * scale - 1.0) * 1000.0
        };
        (axis(at.x, area.origin.x, area.size.width), axis(at.y, area.origin.y, area.size.height))
    }

    /// A click on that place.
    pub(crate) fn click(&self, at: ScreenPx, reason: &str) -> Value {
        let (x, y) = self.norm(at);
        click(x, y, reason)
    }

    /// Lets a scripted model work to the end.
    pub(crate) fn play(&self, script: &[Value]) -> Ending {
        let text: String = script.iter().map(|line| format!("{line}\n")).collect();
        self.run(Arc::new(Scripted::read("test", &text, Arc::new(self.clock.clone())).unwrap()))
    }

    pub(crate) fn run(&self, model: Arc<dyn Model>) -> Ending {
        block_on(async { Episode::new(self.parts(model)).unwrap().run().await })
    }

    /// The parts of an episode. Called from within a runtime.
    pub(crate) fn parts(&self, model: Arc<dyn Model>) -> Parts {
        let profile = Profile::resolve(self.profile, &self.settings).unwrap();
        let tools = ToolSet::of(&profile).unwrap();
        let dialect =
            handsight_model::dialect::build(&profile.decide.dialect, &tools.specs()).unwrap().unwrap();
        let clock: Arc<dyn Clock> = Arc::new(self.clock.clone());
        let desktop = Taped {
            inner: WorldDesktop::new(self.world.clone(), self.clock.clone()),
            world: self.world.clone(),
            clock: self.clock.clone(),
            tape: Arc::clone(&self.tape),
        };
        let watched = Watched {
            inner: model,
            eyes: Mutex::new(WorldDesktop::new(self.world.clone(), self.clock.clone())),
            world: self.world.clone(),
            shown: self.shown.clone(),
            clock: self.clock.clone(),
            shots: Arc::clone(&self.shots),
        };
        let meta = RunMeta { run: "run".into(), ..RunMeta::default() };
        let options = Options { durability: Durability::BATCHED, ..Options::default() };
        let stop = Stop::new();
        Parts {
            perceivers: Vec::new(),
            profile: Arc::new(profile),
            task: "Press the button".into(),
            seat: Seat::inline(Box::new(desktop), Arc::clone(&clock), stop.clone()),
            model: Arc::new(watched),
            dialect,
            tools,
            stopwatch: Arc::clone(&clock),
            clock,
            journal: Journal::create(&self.out(), &meta, &options).unwrap(),
            stop,
            progress: Box::new(Heard(Arc::clone(&self.events))),
            person: Person::default(),
            fonts: Box::new(NoFonts),
        }
    }
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub(crate) fn millis(d: Duration) -> u64 {
    u64::try_from(d.as_millis()).unwrap()
}

/// Where one picture is unlike another.
pub(crate) fn difference(a: &Picture, b: &Frame) -> Option<Patch> {
    a.difference(&picture(b))
}
