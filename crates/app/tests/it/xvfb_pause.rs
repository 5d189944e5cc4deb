//! A private pause on a real X server: what the person shows meanwhile is in no request to the server, no request to the model
//! and no byte that was written.
#![expect(clippy::disallowed_methods, reason = "real programs live in real time")]

use crate::handsight::run;
use crate::rig::{PATIENCE, Rig, always, click};
use handsight_testkit::picture::Picture;
use handsight_testkit::program::Program;
use handsight_testkit::wait;
use rustix::process::Signal;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::protocol::record::{self, ConnectionExt as _};
use x11rb::protocol::shm;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, WindowClass};
use x11rb::rust_connection::RustConnection;

const CORE_GET_IMAGE: u8 = 73;
const SHM_GET_IMAGE: u16 = 4;

/// Counts the requests for pictures that any program makes of an X server.
struct Looks(Arc<AtomicUsize>);

impl Looks {
    fn of(display: &str) -> Self {
        let (control, _) = RustConnection::connect(Some(display)).unwrap();
        let shm = control.extension_information(shm::X11_EXTENSION_NAME).unwrap().unwrap();
        let core = record::Range8 { first: CORE_GET_IMAGE, last: CORE_GET_IMAGE };
        let extension = record::ExtRange {
            major: record::Range8 { first: shm.major_opcode, last: shm.major_opcode },
            minor: record::Range16 { first: SHM_GET_IMAGE, last: SHM_GET_IMAGE },
        };
        let range = |core_requests, ext_requests| record::Range {
            core_requests,
            ext_requests,
            ..record::Range::default()
        };
        let ranges = [range(core, record::ExtRange::default()), range(record::Range8::default(), extension)];
        let context = control.generate_id().unwrap();
        let all = [u32::from(record::CS::ALL_CLIENTS), u32::from(record::CS::FUTURE_CLIENTS)];
        control.record_create_context(context, 0, &all[..1], &ranges).unwrap().check().unwrap();
        let (data, _) = RustConnection::connect(Some(display)).unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let (counted, begun) = (Arc::clone(&count), Arc::new(AtomicUsize::new(0)));
        let ready = Arc::clone(&begun);
        std::thread::spawn(move || {
            let _owner = control;
            let Ok(told) = data.record_enable_context(context) else { return };
            for reply in told.flatten() {
                // 1 is what a program sent, 4 the beginning.
                match reply.category {
                    1 => drop(counted.fetch_add(1, Ordering::SeqCst)),
                    4 => ready.store(1, Ordering::SeqCst),
                    _ => {}
                }
            }
        });
        wait::until("the server records", wait::PATIENCE, || {
            (begun.load(Ordering::SeqCst) == 1).then_some(())
        });
        Self(count)
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// No program and no theme has this red, green and blue.
const CANARY: [u8; 3] = [0x5D, 0x81, 0xC3];

/// A window that only the person should see, over the middle of the screen.
struct Secret {
    conn: RustConnection,
    window: u32,
}

impl Secret {
    fn show(display: &str) -> Self {
        let (conn, screen) = RustConnection::connect(Some(display)).unwrap();
        let root = conn.setup().roots[screen].root;
        let window = conn.generate_id().unwrap();
        let [r, g, b] = CANARY.map(u32::from);
        let aux = CreateWindowAux::new().background_pixel(r << 16 | g << 8 | b).override_redirect(1);
        let class = WindowClass::INPUT_OUTPUT;
        conn.create_window(0, window, root, 340, 260, 600, 300, 0, class, 0, &aux).unwrap();
        conn.map_window(window).unwrap().check().unwrap();
        Self { conn, window }
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.conn.destroy_window(self.window).unwrap().check().unwrap();
    }
}

fn holds_canary(picture: &Picture) -> bool {
    (0..picture.height).step_by(8).any(|y| (0..picture.width).step_by(8).any(|x| picture.at(x, y) == CANARY))
}

/// Every picture below a folder.
fn pictures_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pictures_below(&path, found);
        } else if path.extension().is_some_and(|e| e == "png") {
            found.push(path);
        }
    }
}

#[test]
fn while_it_is_paused_nobody_looks_at_the_screen_and_nothing_of_it_is_kept() {
    let Some(rig) = Rig::new() else { return };
    let server = always(|_| click(500.0, 900.0, "go on").later(Duration::from_millis(100)));
    let out = rig.handsight.home().join("out");
    let mut command = rig.command(&server, &["x", "--out", "out"]);
    let told = rig.handsight.home().join("told");
    command.stdout(Stdio::null()).stderr(File::create(&told).unwrap());
    let mut program = Program::start(&mut command);
    server.wait_for(3);
    let looks = Looks::of(rig.x.display());
    let hud = |rig: &Rig| rig.witness().pixels(10, 10, 700, 60);
    let on = |words: &[&str]| run(rig.handsight.command(words), PATIENCE);

    // By the command, then by the signal.
    for by_signal in [false, true] {
        let asked = server.requests().len();
        server.wait_for(asked + 2);
        let before = hud(&rig);
        if by_signal {
            program.signal(Signal::USR1);
            let said = || std::fs::read_to_string(&told).unwrap().matches("  paused").count();
            wait::until("the second pause", wait::PATIENCE, || (said() == 2).then_some(()));
        } else {
            on(&["runs", "pause", "out"]).ended(0);
        }
        // The words of the pause are there though nobody looked for where to put them.
        assert!(hud(&rig) != before, "the screen says nothing of the pause");
        // What was asked of the server until now is told by now.
        std::thread::sleep(Duration::from_millis(200));
        let (looked, asked) = (looks.count(), server.requests().len());
        {
            let _secret = Secret::show(rig.x.display());
            std::thread::sleep(Duration::from_millis(1500));
        }
        assert_eq!((looks.count() - looked, server.requests().len() - asked), (0, 0), "{by_signal}");
        rig.witness().assert_quiet();
        if by_signal {
            program.signal(Signal::USR2);
        } else {
            on(&["runs", "unpause", "out"]).ended(0);
        }
        server.wait_for(asked + 2);
        assert!(looks.count() >= looked + 2, "the count counts");
    }
    let until_here = server.requests().len();
    let mut before_control = Vec::new();
    pictures_below(&out, &mut before_control);
    assert!(before_control.len() > 4, "{before_control:?}");
    // The control: what is shown while it works is in the pictures.
    let asked = {
        let _secret = Secret::show(rig.x.display());
        server.wait_for(until_here + 3).len()
    };
    program.signal(Signal::INT);
    assert_eq!(program.wait(PATIENCE).code(), Some(130));
    assert!(!out.join("pause").exists());

    let sent = |from: usize, to: usize| -> usize {
        let requests = server.requests();
        let pictures = requests[from..to].iter().flat_map(|r| &r.pictures);
        pictures.filter(|p| holds_canary(&Picture::from_png(&p.png))).count()
    };
    assert_eq!(sent(0, until_here), 0, "the model was sent what was private");
    assert!(sent(until_here, asked) > 0, "the search finds nothing");
    let found = |path: &&PathBuf| holds_canary(&Picture::from_png(&std::fs::read(path).unwrap()));
    assert_eq!(before_control.iter().find(found), None, "a picture that was kept shows what was private");
    let mut kept = Vec::new();
    pictures_below(&out, &mut kept);
    let with: Vec<&PathBuf> = kept.iter().filter(found).collect();
    assert!(!with.is_empty(), "the control is in no picture that was kept");
    println!("{} pictures kept, {} of the control", kept.len(), with.len());
}

#[test]
fn only_a_run_that_goes_on_can_be_paused() {
    let Some(rig) = Rig::new() else { return };
    let server = crate::rig::server([crate::rig::done("over")]);
    rig.run(&server, &["x", "--out", "out"]).ended(0);
    rig.handsight.run(&["runs", "pause", "out"]).ended(2).told("is not going on");
    rig.handsight.run(&["runs", "unpause", "out"]).ended(0).told("is not paused");
}
