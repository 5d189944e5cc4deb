//! The binary at real VNC servers: the run every desktop is given, real programs, refusals with their exit codes.

use crate::handsight::{Handsight, Said, run};
use crate::one_run;
use crate::real_input_player::{Player, Step, choose, click, done_when, open_menu, step, type_text};
use crate::real_input_programs::save_as;
use crate::real_input_rig::BRISK;
use handsight_testkit::apps::{self, Terminal};
use handsight_testkit::chat::{Reply, Rules, Server};
use handsight_testkit::need::need;
use handsight_testkit::picture::{Patch, Picture};
use handsight_testkit::vnc_server::{Kind, PASSWORD, VncServer};
use handsight_testkit::wait::PATIENCE;
use handsight_testkit::witness::{What, Witness};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const RUN: Duration = Duration::from_secs(180);

fn at(server: &VncServer) -> String {
    format!("vnc:{}", server.address())
}

/// The binary with the password in its environment, and nothing of the X server behind.
fn handsight() -> Handsight {
    Handsight::new().with("HANDSIGHT_VNC_PASSWORD", PASSWORD)
}

// spec: D-01 FAKE VNC
#[test]
fn plans_over_vnc_give_the_log_of_a_simulated_desktop() {
    let Some(server) = VncServer::start(Kind::ALL[0]).filter(|_| need("xsetroot", "x11-xserver-utils"))
    else {
        return;
    };
    apps::paint_root(&server.x, [40, 60, 80]);
    let mut witness = Witness::connect(server.x.display());
    let window = witness.open(100, 100, 1000, 500);
    witness.focus(window);
    let handsight = handsight();
    let model = one_run::plans();
    let (desktop, url) = (at(&server), model.base_url());
    let args =
        [&["run", "--desktop", &desktop, "--base-url", &url, "--out", "one"][..], &one_run::PLANS].concat();
    run(handsight.command(&args), RUN).ended(0);
    assert_eq!(one_run::log(&handsight.home().join("one")), one_run::plans_simulated());
    witness.wait_until("every key is up", PATIENCE, |w| w.is_quiet());
    let presses = witness.presses();
    let count = |button| presses.iter().filter(|w| **w == What::Button { button, down: true }).count();
    assert_eq!((count(1), count(3)), (1, 2), "{presses:?}");
}

// spec: S-01 FAKE VNC
#[test]
fn a_vnc_server_gives_the_log_of_a_simulated_desktop() {
    for kind in Kind::ALL {
        let Some(server) = VncServer::start(kind).filter(|_| need("xsetroot", "x11-xserver-utils")) else {
            return;
        };
        apps::paint_root(&server.x, [40, 60, 80]);
        let mut witness = Witness::connect(server.x.display());
        let window = witness.open(100, 100, 1000, 500);
        witness.focus(window);
        let handsight = handsight();
        let model = one_run::server();
        let (desktop, url) = (at(&server), model.base_url());
        let args = ["run", "do it all", "--desktop", &desktop, "--base-url", &url, "--out", "one"];
        run(handsight.command(&args), RUN).ended(0);
        assert_eq!(one_run::log(&handsight.home().join("one")), one_run::simulated(), "{kind:?}");
        witness.wait_until("every key is up", PATIENCE, |w| w.is_quiet());
        let presses = witness.presses();
        let clicks = presses.iter().filter(|w| matches!(w, What::Button { button: 1, down: true })).count();
        let ticks = presses.iter().filter(|w| matches!(w, What::Button { button: 5, down: true })).count();
        assert_eq!((clicks, ticks), (2, 2), "{kind:?}: {presses:?}");
        // The password is in no file of the run.
        for entry in std::fs::read_dir(handsight.home().join("one")).unwrap().flatten() {
            if let Ok(bytes) = std::fs::read(entry.path()) {
                let found = bytes.windows(PASSWORD.len()).any(|w| w == PASSWORD.as_bytes());
                assert!(!found, "the password is in {}", entry.path().display());
            }
        }
    }
}

/// Lets the steps drive `handsight run` at the server.
#[track_caller]
fn play(server: &VncServer, name: &str, task: &str, steps: Vec<Step>) -> Said {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vnc").join(name);
    drop(std::fs::remove_dir_all(&out));
    std::fs::create_dir_all(&out).unwrap();
    let shows = Patch::new(0, 0, 1280, 720);
    let player = Arc::new(Mutex::new(Player::new(server.x.display(), shows, steps)));
    let asked = Arc::clone(&player);
    let model = Server::with(Rules::default(), move |request| {
        let picture = Picture::from_png(&request.pictures[0].png);
        let call = asked.lock().unwrap().answer(&picture, request.at);
        Reply::call(call.tool, call.args)
    });
    let (desktop, url) = (at(server), model.base_url());
    let out = out.join("run");
    let common = ["run", "--profile", "stateless", "--model", "custom/test", "--json", "--desktop", &desktop];
    let rest = ["--base-url", &url, "--out", out.to_str().unwrap(), task];
    let said = run(handsight().command(&[&common, BRISK, &rest].concat()), RUN);
    let story = player.lock().unwrap().take_story();
    assert_eq!(story.stuck, None, "a step never became possible:\n{story}\n{}", said.stderr);
    assert_eq!(said.ended(0).json()["outcome"], "done");
    let mut witness = Witness::connect(server.x.display());
    witness.wait_until("every key and button is up", PATIENCE, |w| w.is_quiet());
    said
}

// spec: S-29 S-35 VNC
#[test]
fn a_folder_is_made_in_xterm() {
    for kind in Kind::ALL {
        let Some(server) = VncServer::start(kind) else { return };
        let Some(_manager) = server.x.openbox() else { return };
        let folder = server.x.home().to_owned();
        let page = [32, 56, 88];
        let terminal =
            Terminal { title: "terminal", page, columns: 90, rows: 24, at: (180, 140), folder: &folder };
        let Some(_terminal) = apps::xterm(&server.x, &terminal) else { return };
        let made = folder.join("Übungen/2026 juin");
        let steps = vec![
            step(|l| {
                l.window("terminal").and_then(|w| click(l.inside(&w, 300, 200), "I click into the terminal."))
            }),
            step(|l| {
                let command = "mkdir -p 'Übungen/2026 juin'\n";
                l.active("terminal")
                    .and_then(|_| type_text(command, "I typed the command that makes the folder."))
            }),
            done_when(made.clone(), "The folder is there."),
        ];
        play(&server, &format!("vnc-xterm-{kind:?}"), "Make the folder Übungen/2026 juin", steps);
        assert!(made.exists(), "{kind:?}");
    }
}

// spec: S-28 S-31 VNC
#[test]
fn a_note_is_written_in_mousepad_and_saved() {
    const NOTE: &str = "Zwölf Boxkämpfer jagen Viktor\nüber den Deich, ça va?";
    for kind in Kind::ALL {
        let Some(server) = VncServer::start(kind) else { return };
        let Some(_manager) = server.x.openbox() else { return };
        let Some(_editor) = apps::mousepad(&server.x) else { return };
        let file = server.x.home().join("notes-é.txt");
        let steps = vec![
            step(|l| {
                l.window("- Mousepad")
                    .and_then(|w| click(l.inside(&w, 200, 200), "I click into the empty page."))
            }),
            step(|l| l.active("- Mousepad").and_then(|_| type_text(NOTE, "I wrote the two lines."))),
            // A star in the title: the page was changed.
            open_menu("*", 20, "Both lines are on the page. I opened the menu File.\nNext: Save As."),
            choose("Mousepad", 6, 10, "The menu is open; I chose Save As."),
        ];
        let steps = steps.into_iter().chain(save_as(&file));
        let steps = steps.chain([done_when(file.clone(), "Both lines are saved.")]).collect();
        play(&server, &format!("vnc-mousepad-{kind:?}"), "Write the two lines and save them", steps);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), NOTE, "{kind:?}");
    }
}

#[test]
fn refusals_are_told_with_place_remedy_and_code_5() {
    let Some(server) = VncServer::start(Kind::Tiger) else { return };
    let desktop = at(&server);
    let args = ["run", "x", "--desktop", &desktop, "--base-url", "http://127.0.0.1:9/v1"];
    let none = Handsight::new().run(&args);
    none.ended(5).told("asks for a password").told("HANDSIGHT_VNC_PASSWORD");
    let wrong = Handsight::new().with("HANDSIGHT_VNC_PASSWORD", "hunter2").run(&args);
    wrong.ended(5).told("does not take the password").told(&server.address());
    assert!(!wrong.stderr.contains("hunter2"));
    handsight().run(&["run", "x", "--desktop", "vnc:127.0.0.1:1:2"]).ended(2).told("HOST:PORT");
    handsight().run(&["window", "status", "--desktop", &desktop]).ended(2).told("no windows");
}

#[test]
fn the_second_run_at_a_server_is_told_the_first_ones_pid() {
    let Some(server) = VncServer::start(Kind::Tiger) else { return };
    let handsight = handsight();
    let model =
        Server::with(Rules::default(), |_| Reply::call("observe", serde_json::json!({ "reason": "x" })));
    let (desktop, url) = (at(&server), model.base_url());
    let args = ["run", "x", "--desktop", &desktop, "--base-url", &url];
    let mut first = handsight.command(&args);
    first.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let first = handsight_testkit::program::Program::start(&mut first);
    handsight_testkit::wait::until("the first run looks", PATIENCE, || {
        (!model.requests().is_empty()).then_some(())
    });
    let second = run(handsight.command(&args), RUN);
    second.ended(5).told(&format!("process {}", first.pid()));
}

#[test]
fn doctor_says_what_it_finds_at_a_vnc_server() {
    let Some(server) = VncServer::start(Kind::Tiger) else { return };
    let handsight = handsight();
    let said = handsight.run(&[
        "doctor",
        "--json",
        "--desktop",
        &at(&server),
        "--base-url",
        "http://127.0.0.1:9/v1",
    ]);
    let found = said.json()["findings"].clone();
    let of = |check: &str| {
        let all = found.as_array().unwrap().iter();
        all.filter(|f| f["area"] == "desktop").find(|f| f["check"] == check).map(|f| f["status"].clone())
    };
    for check in ["server", "capture", "displays", "hands"] {
        assert_eq!(of(check), Some("ok".into()), "{check}: {found:#}");
    }
}
