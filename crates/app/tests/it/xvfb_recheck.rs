//! Between the picture a model decides on and the first event lie seconds. What comes into that gap on a real X server (R7): a
//! notification over the target, another window in its place, a thief of the focus, a target that moved or went. Which window
//! got what is told by the windows themselves.
#![expect(clippy::disallowed_methods, reason = "real programs live in real time")]

use crate::handsight::run;
use crate::rig::{PATIENCE, Rig, always, click, done, observe};
use handsight_testkit::chat::Reply;
use handsight_testkit::need::long;
use handsight_testkit::wait;
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeGCAux, ChangeWindowAttributesAux, ConfigureWindowAux, ConnectionExt as _, CreateGCAux,
    CreateWindowAux, EventMask, InputFocus, MapState, PropMode, Rectangle, StackMode, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// Where the target stands and what is clicked of it, in pixels of the screen.
const TARGET: [i16; 4] = [340, 260, 600, 300];
const MIDDLE: (f64, f64) = (640.0, 410.0);
/// Of the target too, and half of what is compared around it is [`Game`].
const BESIDE_GAME: (f64, f64) = (926.0, 410.0);

/// Windows that count what they get, on a connection of their own.
struct Stage {
    conn: RustConnection,
    target: Window,
    /// Beside the target, and never what the model meant.
    decoy: Window,
    /// A notification: no window manager knows of it.
    popup: Window,
    /// Presses of buttons and keys.
    at_target: usize,
    at_others: usize,
}

impl Stage {
    fn open(display: &str) -> Self {
        let (conn, screen) = RustConnection::connect(Some(display)).unwrap();
        let root = conn.setup().roots[screen].root;
        let window = |name: &str, [x, y, width, height]: [i16; 4], color: u32, bare: bool| {
            let id = conn.generate_id().unwrap();
            let aux = CreateWindowAux::new()
                .background_pixel(color)
                .override_redirect(u32::from(bare))
                .event_mask(EventMask::BUTTON_PRESS | EventMask::KEY_PRESS);
            let (width, height) = (width as u16, height as u16);
            conn.create_window(0, id, root, x, y, width, height, 0, WindowClass::INPUT_OUTPUT, 0, &aux)
                .unwrap();
            conn.change_property8(
                PropMode::REPLACE,
                id,
                AtomEnum::WM_NAME,
                AtomEnum::STRING,
                name.as_bytes(),
            )
            .unwrap();
            id
        };
        let target = window("the target", TARGET, 0x0030_6090, false);
        let decoy = window("the decoy", [60, 60, 240, 160], 0x0090_3030, false);
        let popup = window("the popup", [560, 380, 220, 90], 0x00e0_e0c0, true);
        conn.map_window(target).unwrap();
        conn.map_window(decoy).unwrap();
        let mut stage = Self { conn, target, decoy, popup, at_target: 0, at_others: 0 };
        stage.restore();
        stage
    }

    fn place(&self, window: Window, [x, y, width, height]: [i16; 4]) {
        let aux = ConfigureWindowAux::new()
            .x(i32::from(x))
            .y(i32::from(y))
            .width(width as u32)
            .height(height as u32)
            .stack_mode(StackMode::ABOVE);
        self.conn.configure_window(window, &aux).unwrap();
    }

    fn paint(&self, color: u32) {
        self.conn
            .change_window_attributes(self.target, &ChangeWindowAttributesAux::new().background_pixel(color))
            .unwrap();
        self.conn.clear_area(false, self.target, 0, 0, 0, 0).unwrap();
    }

    fn focus(&self, window: Window) {
        self.conn.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME).unwrap();
    }

    /// As the model saw it.
    fn restore(&mut self) {
        self.conn.unmap_window(self.popup).unwrap();
        self.conn.map_window(self.target).unwrap();
        self.place(self.decoy, [60, 60, 240, 160]);
        self.place(self.target, TARGET);
        self.paint(0x0030_6090);
        self.conn.sync().unwrap();
        wait::until("the target is there", wait::PATIENCE, || {
            let state = self.conn.get_window_attributes(self.target).unwrap().reply().unwrap().map_state;
            (state == MapState::VIEWABLE).then_some(())
        });
        self.focus(self.target);
        self.conn.sync().unwrap();
    }

    /// One of the things that come into the gap.
    fn attack(&self, kind: usize) {
        match kind {
            0 => {
                self.place(self.popup, [560, 380, 220, 90]);
                self.conn.map_window(self.popup).unwrap();
            }
            1 => self.place(self.decoy, TARGET),
            2 => self.place(self.decoy, [600, 380, 90, 70]),
            3 => self.place(self.target, [TARGET[0], TARGET[1] + 170, TARGET[2], TARGET[3]]),
            4 => self.paint(0x0000_0000),
            5 => drop(self.conn.unmap_window(self.target).unwrap()),
            // What keys would go to.
            _ => self.focus(self.decoy),
        }
        self.conn.sync().unwrap();
    }

    /// What has arrived by now, at the target and elsewhere.
    fn got(&mut self) -> (usize, usize) {
        self.conn.sync().unwrap();
        while let Some(event) = self.conn.poll_for_event().unwrap() {
            let window = match event {
                Event::ButtonPress(e) => e.event,
                Event::KeyPress(e) => e.event,
                _ => continue,
            };
            if window == self.target { self.at_target += 1 } else { self.at_others += 1 }
        }
        (self.at_target, self.at_others)
    }
}

/// A strip on the screen that is painted anew all the time, and that reaches up to where the target is clicked.
struct Game {
    conn: RustConnection,
    root: Window,
    gc: u32,
}

impl Game {
    fn open(display: &str) -> Self {
        let (conn, screen) = RustConnection::connect(Some(display)).unwrap();
        let root = conn.setup().roots[screen].root;
        let gc = conn.generate_id().unwrap();
        conn.create_gc(gc, root, &CreateGCAux::new()).unwrap();
        Self { conn, root, gc }
    }

    fn paint(&self, step: u32) {
        for tile in 0..48_u32 {
            let color = (step.wrapping_mul(2_654_435_761) ^ tile.wrapping_mul(40_503_000)) & 0x00ff_ffff;
            self.conn.change_gc(self.gc, &ChangeGCAux::new().foreground(color)).unwrap();
            let (column, row) = (tile % 6, tile / 6);
            let (x, y) = ((944 + column * 48) as i16, (96 + row * 64) as i16);
            let area = Rectangle { x, y, width: 48, height: 64 };
            self.conn.poly_fill_rectangle(self.root, self.gc, &[area]).unwrap();
        }
        self.conn.sync().unwrap();
    }
}

fn norm(at: f64, of: f64) -> f64 {
    (at / (of - 1.0) * 1000.0).round()
}

fn click_at((x, y): (f64, f64)) -> Reply {
    click(norm(x, 1280.0), norm(y, 720.0), "the middle of the target")
}

const KINDS: usize = 7;

/// What a run came to.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Tally {
    attacked: usize,
    /// Attacked turns of which any event arrived anywhere.
    slipped: usize,
    calm: usize,
    /// Calm turns of which nothing arrived at the target.
    stopped: usize,
}

struct Play {
    stage: Stage,
    turn: usize,
    before: (usize, usize),
    tally: Tally,
}

impl Play {
    /// What became of the turn before this one, of which a calm click or an attacked one was asked.
    fn judge(&mut self) {
        let now = self.stage.got();
        match self.turn % 3 {
            1 => {
                self.tally.calm += 1;
                self.tally.stopped += usize::from(now.0 == self.before.0);
            }
            2 => {
                self.tally.attacked += 1;
                self.tally.slipped += usize::from(now != self.before);
            }
            _ => {}
        }
        self.before = now;
    }

    /// In three turns: a click in peace; one with something that comes while the model thinks, each time at another moment; a
    /// look, while all is put back.
    fn answer(&mut self, attacks: usize) -> Reply {
        self.judge();
        self.turn += 1;
        match self.turn % 3 {
            1 if self.tally.attacked == attacks => done("enough"),
            1 => click_at(MIDDLE),
            2 => {
                let kind = self.turn / 3 % KINDS;
                std::thread::sleep(Duration::from_millis((self.turn as u64 * 7) % 17));
                self.stage.attack(kind);
                let keys = kind == KINDS - 1;
                if keys {
                    Reply::call("type", json!({"text": "x", "reason": "into the target"}))
                } else {
                    click_at(MIDDLE)
                }
            }
            _ => {
                self.stage.restore();
                observe("what is there now")
            }
        }
    }
}

const QUICK: &[&str] = &[
    "x",
    "--max-turns",
    "5000",
    "--set",
    "settle.enabled=false",
    "--set",
    "act.delay_after_observe_s=0",
    "--set",
    "act.delay_after_action_s=0",
    "--set",
    "act.input_delay_s=0",
];

/// A run that hangs is given up after so long. A thousand attacks are three thousand turns.
fn patience() -> Duration {
    if long() { PATIENCE * 4 } else { PATIENCE }
}

fn play(rig: &Rig, attacks: usize, settings: &[&str]) -> Tally {
    let stage = Stage::open(rig.x.display());
    let play = Play { stage, turn: 0, before: (0, 0), tally: Tally::default() };
    let play = Arc::new(Mutex::new(play));
    let theirs = Arc::clone(&play);
    let server = always(move |_| theirs.lock().unwrap().answer(attacks));
    run(rig.command(&server, &[QUICK, settings].concat()), patience()).ended(0);
    play.lock().unwrap().tally
}

/// What each re-check took, in milliseconds, in order.
fn rechecks(rig: &Rig) -> Vec<f64> {
    let run = rig.runs().pop().unwrap();
    let mut took: Vec<f64> = crate::rig::session(&run)
        .iter()
        .filter_map(|line| line["timings"]["recheck"].as_f64())
        .filter(|millis| *millis > 0.0)
        .collect();
    took.sort_by(f64::total_cmp);
    took
}

#[test]
fn what_comes_while_the_model_thinks_is_not_acted_on() {
    let Some(rig) = Rig::new() else { return };
    let attacks = if long() { 1000 } else { 100 };
    let tally = play(&rig, attacks, &[]);
    println!("{tally:?}");
    assert_eq!(tally, Tally { attacked: attacks, slipped: 0, calm: attacks, stopped: 0 });
    let took = rechecks(&rig);
    assert!(took.len() >= attacks, "{} were timed", took.len());
    println!("a re-check: p50 {:.1} ms, max {:.1} ms", took[took.len() / 2], took[took.len() - 1]);
    rig.witness().assert_quiet();
}

/// What was not sent then is not sent again: a replay tells the model the same, in the words of that time.
#[test]
fn a_replay_withholds_what_was_withheld() {
    let Some(rig) = Rig::new() else { return };
    assert_eq!(play(&rig, KINDS, &[]).slipped, 0);
    let run = rig.runs().remove(0);
    let deeds = |run: &std::path::Path| -> Vec<serde_json::Value> {
        let lines = crate::rig::session(run);
        lines.iter().flat_map(|line| line["deeds"].as_array().cloned().unwrap_or_default()).collect()
    };
    let then = deeds(&run);
    let withheld: Vec<_> = then.iter().filter(|deed| deed["outcome"] == "withheld").collect();
    assert_eq!(withheld.len(), KINDS, "{then:?}");
    assert!(withheld.iter().all(|deed| deed["why"].as_str().is_some_and(|why| !why.is_empty())));

    let said = rig.handsight.run(&["runs", "replay", run.to_str().unwrap(), "--json"]);
    let replayed = rig.handsight.home().join(said.ended(0).json()["run"].as_str().unwrap());
    assert!(!said.stderr.contains("differs"), "{said:?}");
    let outcomes = |deeds: &[serde_json::Value]| -> Vec<serde_json::Value> {
        deeds.iter().map(|deed| json!([deed["action"], deed["outcome"], deed["why"]])).collect()
    };
    assert_eq!(outcomes(&deeds(&replayed)), outcomes(&then));
}

#[test]
fn without_the_recheck_the_same_attacks_arrive() {
    let Some(rig) = Rig::new() else { return };
    let tally = play(&rig, KINDS * 2, &["--set", "act.recheck=false"]);
    assert!(tally.slipped >= KINDS, "{tally:?}");
    assert_eq!(tally.stopped, 0, "{tally:?}");
}

/// A game paints all the time, a clock ticks beside the target and a caret blinks in it: nothing of that stops a click.
#[test]
fn a_screen_that_moves_by_itself_does_not_stop_clicks() {
    let Some(rig) = Rig::new() else { return };
    let turns = if long() { 500 } else { 60 };
    let stage = Arc::new(Mutex::new((Stage::open(rig.x.display()), 0_usize)));
    let painting = Arc::new(AtomicBool::new(true));
    let painter = {
        let (painting, display) = (Arc::clone(&painting), rig.x.display().to_owned());
        std::thread::spawn(move || {
            let game = Game::open(&display);
            let mut step = 0;
            while painting.load(Ordering::SeqCst) {
                game.paint(step);
                step += 1;
                std::thread::sleep(Duration::from_millis(33));
            }
        })
    };
    let theirs = Arc::clone(&stage);
    let server = always(move |_| {
        let mut stage = theirs.lock().unwrap();
        stage.1 += 1;
        std::thread::sleep(Duration::from_millis((stage.1 as u64 * 7) % 40));
        if stage.1 > turns { done("enough") } else { click_at(BESIDE_GAME) }
    });
    // Sampled a few times each turn, as every profile does: that teaches what moves by itself.
    let sampled = [
        "--set",
        "settle.enabled=true",
        "--set",
        "settle.max_s=0.15",
        "--set",
        "settle.check_interval_s=0.05",
    ];
    run(rig.command(&server, &[QUICK, &sampled].concat()), patience()).ended(0);
    painting.store(false, Ordering::SeqCst);
    painter.join().unwrap();
    let (arrived, elsewhere) = stage.lock().unwrap().0.got();
    println!("{arrived} of {turns} clicks arrived");
    assert_eq!(elsewhere, 0);
    assert!((turns - arrived) * 100 <= turns, "{} of {turns} were stopped", turns - arrived);
}
