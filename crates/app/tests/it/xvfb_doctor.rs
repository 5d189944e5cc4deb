//! `doctor`: each fault found by its name, with a remedy and the code a run would end with.

use crate::handsight::{Handsight, Said};
use crate::rig::Rig;
use handsight_testkit::chat::{Reply, Rules, Server};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    ConfigureWindowAux, ConnectionExt as _, CreateWindowAux, StackMode, WindowClass,
};
use x11rb::rust_connection::RustConnection;

/// A service that lacks nothing, but for what `rules` takes from it.
pub(crate) fn service(rules: Rules) -> Server {
    let rules = Rules { models: Some(vec!["qwen2-vl-7b-instruct".into()]), ..rules };
    Server::with(rules, |request| match request.tools().first() {
        Some(tool) => Reply::call(tool, json!({ "colour": "red" })),
        None => Reply::text("red"),
    })
}

fn doctor(handsight: &Handsight, server: &Server, more: &[&str]) -> Said {
    handsight.run(&[&["doctor", "--json", "--base-url", &server.base_url()], more].concat())
}

/// Check and status of everything that is not well.
pub(crate) fn faults(said: &Said) -> Vec<(String, String)> {
    let all = said.json()["findings"].as_array().unwrap().clone();
    let text = |f: &Value, key: &str| f[key].as_str().unwrap().to_owned();
    let wrong = all.iter().filter(|f| f["status"] != "ok");
    for fault in wrong.clone().filter(|f| f["check"] != "has_model") {
        assert!(!text(fault, "remedy").is_empty() || text(fault, "status") == "warn", "no remedy: {fault}");
    }
    // What this machine has is not what the test is about.
    let of_machine = |f: &Value| f["area"] == "machine";
    wrong.filter(|f| !of_machine(f)).map(|f| (text(f, "check"), text(f, "status"))).collect()
}

pub(crate) fn pairs(wrong: &[(&str, &str)]) -> Vec<(String, String)> {
    wrong.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

// spec: S-77 FAKE
#[test]
fn a_service_is_asked_for_all_that_a_run_needs() {
    let Some(rig) = Rig::new() else { return };
    let whole = service(Rules::default());
    let said = doctor(&rig.handsight, &whole, &[]);
    assert_eq!(faults(said.ended(0)), []);

    let blind = service(Rules { takes_pictures: false, ..Rules::default() });
    let said = doctor(&rig.handsight, &blind, &[]);
    assert_eq!(faults(said.ended(6)), pairs(&[("image_url", "fail")]));

    let no_tools = service(Rules { takes_tools: false, ..Rules::default() });
    let said = doctor(&rig.handsight, &no_tools, &[]);
    assert_eq!(faults(said.ended(6)), pairs(&[("tools", "fail")]));

    let said = doctor(&rig.handsight, &whole, &["--model", "other"]);
    assert_eq!(faults(said.ended(0)), pairs(&[("has_model", "warn")]));

    let said = doctor(&rig.handsight, &whole, &["--set", "decide.request_timeout_s=10"]);
    assert_eq!(faults(said.ended(0)), pairs(&[("request_timeout", "warn")]));

    let address = whole.address();
    drop(whole);
    let said = rig.handsight.run(&["doctor", "--json", "--base-url", &format!("http://{address}/v1")]);
    let wrong = faults(said.ended(6));
    assert_eq!(wrong[0], ("answers".to_owned(), "fail".to_owned()), "{wrong:?}");
}

// spec: S-78 XVFB
#[test]
fn each_fault_of_the_screen_and_the_input_is_found() {
    let Some(rig) = Rig::new() else { return };
    let server = service(Rules::default());
    for (set, check) in [("hud.reassert_pulses=0", "overlay_pulses"), ("act.input_delay_s=0", "input_delay")]
    {
        let said = doctor(&rig.handsight, &server, &["--set", set]);
        assert_eq!(faults(said.ended(0)), pairs(&[(check, "warn")]), "{set}");
    }
    let said = doctor(&rig.handsight, &server, &["--display", "9"]);
    assert_eq!(faults(said.ended(5)), pairs(&[("target", "fail")]));

    // A rival that comes to the top again and again, where the HUD begins.
    let rival = Rival::start(rig.x.display());
    let said = doctor(&rig.handsight, &server, &[]);
    assert_eq!(faults(said.ended(0)), pairs(&[("overlay", "warn")]));
    drop(rival);

    // The text names the range of coordinates and where to look next.
    let said = rig.handsight.run(&["doctor", "--base-url", &server.base_url()]);
    assert!(
        said.ended(0).stdout.contains("0 to 1000") && said.stdout.contains("handsight manual"),
        "{said:?}"
    );
    rig.witness().assert_quiet();
}

#[test]
fn without_a_screen_the_rest_is_looked_at_all_the_same() {
    let server = service(Rules::default());
    let said = doctor(&Handsight::new(), &server, &[]);
    assert_eq!(faults(said.ended(5)), pairs(&[("server", "fail")]));
    assert!(!server.requests().is_empty());
}

/// A window that raises itself above everything, all the time.
pub(crate) struct Rival {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Rival {
    pub(crate) fn start(display: &str) -> Self {
        let (conn, screen) = RustConnection::connect(Some(display)).unwrap();
        let root = conn.setup().roots[screen].root;
        let window = conn.generate_id().unwrap();
        let look = CreateWindowAux::new().override_redirect(1).background_pixel(0x0020_8020);
        conn.create_window(0, window, root, 0, 0, 300, 300, 0, WindowClass::INPUT_OUTPUT, 0, &look).unwrap();
        conn.map_window(window).unwrap().check().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let raise = move || {
            let above = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
            while !stopped.load(Ordering::Acquire) {
                // Each round trip is a pause of its own.
                conn.configure_window(window, &above).unwrap().check().unwrap();
            }
        };
        let thread = std::thread::Builder::new().name("rival".into()).spawn(raise).unwrap();
        Self { stop, thread: Some(thread) }
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        let _panicked = self.thread.take().map(std::thread::JoinHandle::join);
    }
}
