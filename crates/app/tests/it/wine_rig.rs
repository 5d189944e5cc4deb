//! `handsight.exe` in a Wine prefix, with the steps of the real-input runs as its model.

use crate::handsight::{Handsight, Said, run};
use crate::real_input_player::{At, Look, Player, Step, Story};
use handsight_testkit::chat::{Reply, Request, Rules, Server};
use handsight_testkit::conformance::Witness as _;
use handsight_testkit::picture::{Patch, Picture};
use handsight_testkit::wait::PATIENCE;
use handsight_testkit::wine::Wine;
use handsight_testkit::witness::Witness;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a whole run may take: Wine draws a screen in a tenth of a second, and the machine may be busy.
const RUN: Duration = Duration::from_secs(240);

/// Waits that a test need not sit through.
pub(crate) const BRISK: [&str; 4] =
    ["--set", "act.delay_after_action_s=0.2", "--set", "act.delay_after_observe_s=0.2"];

pub(crate) struct WineRig {
    pub(crate) wine: Arc<Wine>,
    pub(crate) x: Witness,
    pub(crate) dpi: u32,
    /// What the pictures show, in pixels of Windows' screen.
    pub(crate) screen: (u32, u32),
}

/// A window as Windows has it.
#[derive(Debug, Clone)]
pub(crate) struct Spot {
    pub(crate) title: String,
    pub(crate) class: String,
    pub(crate) foreground: bool,
    /// Of the client area: x, y, width, height.
    pub(crate) client: [i32; 4],
}

impl Spot {
    /// So many pixels from the client area's corner.
    pub(crate) fn at(&self, look: &Look<'_>, dx: i32, dy: i32) -> At {
        look.of_root(self.client[0] + dx, self.client[1] + dy)
    }

    /// At this part of the client area's width and height.
    pub(crate) fn part(&self, look: &Look<'_>, x: f64, y: f64) -> At {
        let [dx, dy] =
            [(self.client[2], x), (self.client[3], y)].map(|(v, part)| (f64::from(v) * part) as i32);
        self.at(look, dx, dy)
    }
}

/// The foremost shown window for which `fits` holds.
pub(crate) fn find(wine: &Wine, fits: impl Fn(&Spot) -> bool) -> Option<Spot> {
    let spot = |w: &Value| Spot {
        title: w["title"].as_str().unwrap().to_owned(),
        class: w["class"].as_str().unwrap().to_owned(),
        foreground: w["foreground"] == true,
        client: [0, 1, 2, 3].map(|n| i32::try_from(w["client"][n].as_i64().unwrap()).unwrap()),
    };
    wine.windows().iter().filter(|w| w["visible"] == true).map(spot).find(fits)
}

pub(crate) fn titled(wine: &Wine, title: &str) -> Option<Spot> {
    find(wine, |w| w.title.contains(title))
}

/// The open menu.
pub(crate) fn menu(wine: &Wine) -> Option<Spot> {
    find(wine, |w| w.class == "#32768")
}

impl WineRig {
    pub(crate) fn new(dpi: u32) -> Option<Self> {
        Some(Self::of(Wine::start(dpi)?, dpi, (1280, 720)))
    }

    /// In a virtual desktop of this size: all programs of Windows in one X window.
    pub(crate) fn in_a_virtual_desktop(width: u32, height: u32) -> Option<Self> {
        let wine = Wine::in_a_virtual_desktop(width, height)?;
        Some(Self::of(wine, handsight_testkit::wine::DPI, (width, height)))
    }

    fn of(wine: Wine, dpi: u32, screen: (u32, u32)) -> Self {
        let x = Witness::connect(wine.x.display());
        Self { wine: Arc::new(wine), x, dpi, screen }
    }

    /// Pixels at 96 DPI in those of this scale.
    pub(crate) const fn scaled(&self, pixels: i32) -> i32 {
        pixels * self.dpi as i32 / 96
    }

    /// Lets the steps drive `handsight.exe run` on the whole screen.
    #[track_caller]
    pub(crate) fn play(&self, task: &str, steps: Vec<Step>) -> Played {
        self.play_with(&[], task, steps)
    }

    /// The same with more on the command line.
    #[track_caller]
    pub(crate) fn play_with(&self, more: &[&str], task: &str, steps: Vec<Step>) -> Played {
        let shows = Patch::new(0, 0, self.screen.0, self.screen.1);
        let player = Arc::new(Mutex::new(Player::new(self.wine.x.display(), shows, steps)));
        let model = Arc::clone(&player);
        let server = Server::with(Rules::default(), move |request| {
            let picture = Picture::from_png(&request.pictures[0].png);
            let call = model.lock().unwrap().answer(&picture, request.at);
            Reply::call(call.tool, call.args)
        });
        let url = server.base_url();
        let args =
            ["run", "--profile", "stateless", "--desktop", "windows", "--model", "custom/test", "--json"];
        let rest = ["--base-url", &url, "--out", "C:\\run", task];
        let said = run(self.wine.handsight(&[&args[..], &BRISK, more, &rest].concat()), RUN);
        let requests = server.requests();
        drop(server);
        let story = player.lock().unwrap().take_story();
        Played { said, requests, story, out: self.wine.drive_c().join("run") }
    }
}

/// A run that ended.
pub(crate) struct Played {
    pub(crate) said: Said,
    pub(crate) requests: Vec<Arc<Request>>,
    pub(crate) story: Story,
    /// The run folder, on this side.
    pub(crate) out: PathBuf,
}

impl Played {
    /// The run came to its `done` and left everything as it should be, by everybody's account but its own.
    #[track_caller]
    pub(crate) fn ended_well(&self, rig: &WineRig) -> Value {
        let story = &self.story;
        assert_eq!(story.stuck, None, "a step never became possible:\n{story}\n{}", self.said.stderr);
        let shown = Handsight::new().run(&["runs", "show", self.out.to_str().unwrap(), "--json"]);
        let shown = shown.ended(0).json();
        assert_eq!(shown["outcome"], "done", "{shown}\n{}", self.said.stderr);
        self.said.ended(0);
        for (n, request) in self.requests.iter().enumerate() {
            let file = self.out.join(format!("step{:03}.png", n + 1));
            let saved = std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            assert!(saved == request.pictures[0].png, "{} is not what the model got", file.display());
        }
        assert!(!self.out.join(format!("step{:03}.png", self.requests.len() + 1)).exists());
        let mut witness = rig.wine.win32();
        let up = handsight_testkit::wait::before(PATIENCE, || witness.held().is_nothing().then_some(()));
        assert_eq!(up, Some(()), "{:?}", witness.held());
        shown
    }
}
