//! One display, one window manager, one model server, one run of the binary, and what can be said of it from outside.

use crate::handsight::{Said, run};
use crate::real_input_player::{Player, Step, Story, clients};
use handsight_testkit::chat::{Reply, Request, Rules, Server};
use handsight_testkit::picture::{Patch, Picture};
use handsight_testkit::program::Program;
use handsight_testkit::wait::{PATIENCE, before};
use handsight_testkit::witness::Witness;
use handsight_testkit::xvfb::Xvfb;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a whole run may take.
const RUN: Duration = Duration::from_secs(180);

/// Shorter pauses, for runs that are not about pauses: programs are waited for by looking again.
pub(crate) const BRISK: &[&str] =
    &["--set", "act.delay_after_action_s=0.2", "--set", "act.delay_after_observe_s=0.2"];

/// What an X client sees on a part of the root: everything but the pointer.
pub(crate) fn screen(witness: &Witness, part: Patch) -> Picture {
    let [x, y] = [part.x, part.y].map(|v| i16::try_from(v).unwrap());
    let [w, h] = [part.width, part.height].map(|v| u16::try_from(v).unwrap());
    Picture::from_bgrx(part.width, part.height, &witness.pixels(x, y, w, h))
}

/// Has xdotool move a window, and waits until it is elsewhere.
pub(crate) fn put(x: &Xvfb, witness: &Witness, id: u32, to: (u32, u32)) {
    let was = witness.window(id).unwrap();
    x.run("xdotool", &["windowmove", &id.to_string(), &to.0.to_string(), &to.1.to_string()]);
    let moved = before(PATIENCE, || witness.window(id).filter(|w| (w.x, w.y) != (was.x, was.y)));
    assert!(moved.is_some(), "{was:?} does not move");
}

pub(crate) struct Rig {
    pub(crate) x: Arc<Xvfb>,
    pub(crate) witness: Witness,
    _manager: Program,
    width: u32,
    height: u32,
    /// Where the runs of this test are kept, also after it.
    pub(crate) folder: PathBuf,
}

impl Rig {
    /// A screen of 1280x720 with openbox; `name` names the folder its runs are kept in.
    pub(crate) fn new(name: &str) -> Option<Self> {
        Self::of_size(name, 1280, 720)
    }

    pub(crate) fn of_size(name: &str, width: u32, height: u32) -> Option<Self> {
        let x = Xvfb::with(width, height, &[])?;
        let manager = x.openbox()?;
        let witness = Witness::connect(x.display());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("real-input").join(name);
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(&folder).unwrap();
        Some(Self { x: Arc::new(x), witness, _manager: manager, width, height, folder })
    }

    pub(crate) const fn whole(&self) -> Patch {
        Patch::new(0, 0, self.width, self.height)
    }

    /// A fresh folder for a program of the test.
    pub(crate) fn place(&self, name: &str) -> PathBuf {
        let place = self.x.home().join(name);
        std::fs::create_dir(&place).unwrap();
        place
    }

    /// What an X client sees on the whole root.
    pub(crate) fn screen(&self) -> Picture {
        screen(&self.witness, self.whole())
    }

    /// Waits for a window and puts it there.
    pub(crate) fn put(&mut self, title: &str, to: (u32, u32)) {
        let mut found = None;
        self.witness.wait_until(title, PATIENCE, |w| {
            found = clients(w).into_iter().find(|w| w.mapped && w.title.contains(title));
            found.is_some()
        });
        put(&self.x, &self.witness, found.unwrap().id, to);
    }

    /// The binary on this display, in the home of its programs.
    pub(crate) fn handsight(&self, args: &[&str]) -> Command {
        let mut command = self.x.command(env!("CARGO_BIN_EXE_handsight"));
        command.args(args);
        command
    }

    /// Lets the steps drive `handsight run` on the whole screen; the run folder is `run`.
    #[track_caller]
    pub(crate) fn play(&self, run: &str, args: &[&str], task: &str, steps: Vec<Step>) -> Played {
        self.play_on(self.whole(), run, args, task, steps)
    }

    /// The same where the pictures show only a part of the root.
    #[track_caller]
    pub(crate) fn play_on(
        &self,
        shows: Patch,
        run: &str,
        args: &[&str],
        task: &str,
        steps: Vec<Step>,
    ) -> Played {
        let out = self.folder.join(run);
        let common = ["run", "--profile", "stateless", "--desktop", "x11", "--model", "custom/test"];
        let out_args = ["--json", "--out", out.to_str().unwrap(), task];
        let all = [&common, args, &out_args].concat();
        self.ask(Duration::ZERO, shows, &all, steps).kept_in(out)
    }

    /// Runs the binary with `args` and the steps as its model, which thinks for a while before each answer.
    #[track_caller]
    pub(crate) fn ask(&self, think: Duration, shows: Patch, args: &[&str], steps: Vec<Step>) -> Played {
        let player = Arc::new(Mutex::new(Player::new(self.x.display(), shows, steps)));
        let model = Arc::clone(&player);
        let server = Server::with(Rules::default(), move |request| {
            let picture = Picture::from_png(&request.pictures[0].png);
            let call = model.lock().unwrap().answer(&picture, request.at);
            Reply::call(call.tool, call.args).later(think)
        });
        let mut command = self.handsight(args);
        command.args(["--base-url", &server.base_url()]);
        let said = run(command, RUN);
        let requests = server.requests();
        drop(server);
        let story = player.lock().unwrap().take_story();
        Played { said, requests, story, out: PathBuf::new() }
    }
}

/// A run that ended.
pub(crate) struct Played {
    pub(crate) said: Said,
    /// What the model server was sent.
    pub(crate) requests: Vec<Arc<Request>>,
    pub(crate) story: Story,
    /// The run folder.
    pub(crate) out: PathBuf,
}

impl Played {
    pub(crate) fn kept_in(mut self, out: PathBuf) -> Self {
        self.out = out;
        self
    }

    /// The picture of a request, byte for byte.
    pub(crate) fn png(&self, request: usize) -> &[u8] {
        &self.requests[request].pictures[0].png
    }

    /// The picture of a request, counted from 0.
    pub(crate) fn picture(&self, request: usize) -> Picture {
        Picture::from_png(self.png(request))
    }

    pub(crate) fn last_picture(&self) -> Picture {
        self.picture(self.requests.len() - 1)
    }

    /// The run came to its `done` and left everything as it should be, by everybody's account but its own.
    #[track_caller]
    pub(crate) fn ended_well(&self, rig: &mut Rig) -> Value {
        let story = &self.story;
        assert_eq!(story.stuck, None, "a step never became possible:\n{story}\n{}", self.said.stderr);
        let result = self.said.ended(0).json();
        assert_eq!(result["outcome"], "done", "{result}");
        let asked = self.requests.len();
        assert_eq!(result["turns"], asked, "one model call a turn: {result}");
        // The saved pictures are those that were sent, byte for byte, counted from one.
        for n in 0..asked {
            let file = self.out.join(format!("step{:03}.png", n + 1));
            let saved = std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            assert!(saved == self.png(n), "{} is not what the model got", file.display());
        }
        assert!(!self.out.join(format!("step{:03}.png", asked + 1)).exists());
        rig.witness.wait_until("every key and button is up", PATIENCE, |w| w.is_quiet());
        let shown = run(rig.handsight(&["runs", "show", self.out.to_str().unwrap(), "--json"]), PATIENCE);
        let shown = shown.ended(0).json();
        assert_eq!(shown["outcome"], "done", "{shown}");
        result
    }
}
