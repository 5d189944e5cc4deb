//! What an earlier overlay covered is painted again before the next picture, and nobody waits for nothing.

use crate::rig::{all, bgr, capture, eyes};
use crate::xvfb_overlay::{SIZE, at_rest, compositors, over, screenshot};
use handsight_base::port::desktop::{CaptureRequest, Desktop, Overlay, OverlayInCapture};
use handsight_base::space::ScreenRect;
use handsight_desktop::x11::X11Desktop;
use handsight_testkit::wait::{PATIENCE, before, until};
use handsight_testkit::witness::Witness;
use handsight_testkit::xvfb::Xvfb;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    ChangeGCAux, ChangeWindowAttributesAux, ConnectionExt as _, CreateGCAux, CreateWindowAux, EventMask,
    Rectangle, WindowClass,
};
use x11rb::rust_connection::RustConnection;

/// How late the slow program paints.
const LATE: Duration = Duration::from_millis(30);
/// A picture is taken by then whatever the programs do, so that a program later than this has nothing to say.
const IN_TIME: Duration = Duration::from_millis(40);

/// Something like a text: blots whose places depend on `n`, and whose box grows and shrinks with it.
fn text(n: u32) -> Overlay {
    let (width, height) = (240 + n * 37 % 80, 60 + n * 13 % 40);
    let blot = |x: u32, y: u32| (x / 5 + 31 * (y / 3) + 7 * n).wrapping_mul(2_654_435_761) >> 30 == 0;
    let pixel = |i: u32| if blot(i % width, i / width) { [255, 255, 255, 255] } else { [0; 4] };
    let bgra: Vec<u8> = (0..width * height).flat_map(pixel).collect();
    Overlay { area: ScreenRect::new(10, 10, width, height), bgra: Arc::from(bgra) }
}

/// A program that paints its window some time after it was told to.
struct Painter {
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    /// Milliseconds from the first Expose event to the painting.
    delay: AtomicU64,
    held: AtomicBool,
    end: AtomicBool,
    paintings: AtomicU32,
    painted: Mutex<Option<Instant>>,
}

impl Painter {
    /// Over the whole screen, painted; `background` is the server's part, if any.
    fn start(x: &Xvfb, background: Option<u32>) -> Self {
        let state = Arc::new(State::default());
        let (conn, _) = RustConnection::connect(Some(x.display())).unwrap();
        let theirs = Arc::clone(&state);
        let thread = std::thread::Builder::new().name("painter".into());
        let thread = thread.spawn(move || paint(&conn, background, &theirs)).unwrap();
        let painter = Self { state, thread: Some(thread) };
        until("the program has painted", PATIENCE, || (painter.paintings() > 0).then_some(()));
        painter
    }

    fn paintings(&self) -> u32 {
        self.state.paintings.load(Ordering::SeqCst)
    }

    fn late(&self, by: Duration) {
        self.state.delay.store(by.as_millis() as u64, Ordering::SeqCst);
    }

    fn hold(&self, held: bool) {
        self.state.held.store(held, Ordering::SeqCst);
    }

    /// When it last was done.
    fn painted(&self) -> Option<Instant> {
        *self.state.painted.lock().unwrap()
    }
}

impl Drop for Painter {
    fn drop(&mut self) {
        self.state.end.store(true, Ordering::SeqCst);
        let _ended = self.thread.take().map(JoinHandle::join);
    }
}

fn paint(conn: &RustConnection, background: Option<u32>, state: &State) {
    let root = conn.setup().roots[0].root;
    let (window, gc) = (conn.generate_id().unwrap(), conn.generate_id().unwrap());
    let aux = CreateWindowAux::new()
        .override_redirect(1)
        .background_pixel(background)
        .event_mask(EventMask::EXPOSURE);
    let (width, height) = (SIZE.width as u16, SIZE.height as u16);
    conn.create_window(0, window, root, 0, 0, width, height, 0, WindowClass::INPUT_OUTPUT, 0, &aux).unwrap();
    conn.create_gc(gc, window, &CreateGCAux::new()).unwrap();
    conn.map_window(window).unwrap();
    conn.flush().unwrap();
    let mut due = None;
    while !state.end.load(Ordering::SeqCst) {
        while let Some(event) = conn.poll_for_event().unwrap() {
            if matches!(event, Event::Expose(_)) {
                let delay = Duration::from_millis(state.delay.load(Ordering::SeqCst));
                due.get_or_insert(Instant::now() + delay);
            }
        }
        if due.is_some_and(|due| Instant::now() >= due) && !state.held.load(Ordering::SeqCst) {
            due = None;
            // Stripes, background and then figure, as a program without a buffer draws them.
            for (colour, x) in [(0x0030_6090, 0), (0x00d0_c0a0, 7)] {
                let stripes =
                    (0..width / 14 + 1).map(|n| Rectangle { x: (n * 14) as i16 + x, y: 0, width: 7, height });
                conn.change_gc(gc, &ChangeGCAux::new().foreground(colour)).unwrap();
                conn.poly_fill_rectangle(window, gc, &stripes.collect::<Vec<_>>()).unwrap();
            }
            conn.get_input_focus().unwrap().reply().unwrap();
            *state.painted.lock().unwrap() = Some(Instant::now());
            state.paintings.fetch_add(1, Ordering::SeqCst);
        }
        let _rest = before(Duration::from_millis(1), || None::<()>);
    }
}

/// A picture, when its overlay was wished for, when that was answered, and when the picture came.
struct Next {
    seen: Vec<u8>,
    wished: Instant,
    changed: Instant,
    taken: Instant,
}

fn next(desktop: &mut X11Desktop, overlay: Option<&Overlay>) -> Next {
    let wished = Instant::now();
    desktop.overlay(overlay).unwrap();
    let changed = Instant::now();
    let frame = capture(desktop, &all());
    let taken = Instant::now();
    Next { seen: bgr(&frame), wished, changed, taken }
}

/// Changes the text again and again; every picture must show the new text on the bare screen and nothing of the old one.
/// How long the quickest took.
#[track_caller]
fn texts(what: &str, witness: &Witness, desktop: &mut X11Desktop, bare: &[u8]) -> Duration {
    let mut least = Duration::MAX;
    for n in 0..12 {
        let overlay = text(n);
        let next = next(desktop, Some(&overlay));
        let wanted = over(bare, SIZE, &overlay);
        assert!(next.seen == wanted, "{what}: text {n} is not alone in the picture");
        assert!(screenshot(witness, SIZE) == wanted, "{what}: a person sees something else than text {n}");
        least = least.min(next.taken - next.changed);
    }
    let next = next(desktop, None);
    assert!(next.seen == bare, "{what}: something stays");
    least.min(next.taken - next.changed)
}

fn root_of(witness: &Witness, colour: u32) {
    let (conn, root) = (witness.conn(), witness.root());
    conn.change_window_attributes(root, &ChangeWindowAttributesAux::new().background_pixel(colour)).unwrap();
    conn.clear_area(false, root, 0, 0, 0, 0).unwrap();
    witness.sync();
}

// spec: S-61 XVFB
#[test]
fn over_the_bare_root_nothing_is_stale_and_nothing_is_waited_for() {
    let Some(x) = Xvfb::with(SIZE.width, SIZE.height, &[]) else { return };
    let witness = Witness::connect(x.display());
    root_of(&witness, 0x0020_5040);
    let mut desktop = eyes(x.display());
    let bare = at_rest(&witness, &mut desktop);
    let least = texts("root", &witness, &mut desktop, &bare);
    assert!(least < Duration::from_millis(20), "waited {least:?} for nobody");
    // A window whose program asked for no word of it is the server's to paint too, and hides a program that would wait.
    let painter = Painter::start(&x, Some(0));
    painter.hold(true);
    let (conn, id) = (witness.conn(), witness.conn().generate_id().unwrap());
    let aux = CreateWindowAux::new().override_redirect(1).background_pixel(0x0011_2233);
    let (width, height) = (SIZE.width as u16, SIZE.height as u16);
    conn.create_window(0, id, witness.root(), 0, 0, width, height, 0, WindowClass::INPUT_OUTPUT, 0, &aux)
        .unwrap();
    conn.map_window(id).unwrap();
    witness.sync();
    let bare = at_rest(&witness, &mut desktop);
    assert_eq!(&bare[..3], [0x33, 0x22, 0x11], "it lies above");
    let least = texts("a window without a painter", &witness, &mut desktop, &bare);
    assert!(least < Duration::from_millis(20), "waited {least:?} for a program that is not seen");
}

// spec: S-61 XVFB
#[test]
fn a_slow_program_has_painted_before_the_next_picture() {
    // Without a background of its own the old text stays until the program paints; with one the server makes a hole.
    for background in [None, Some(0x00ff_00ff)] {
        let Some(x) = Xvfb::with(SIZE.width, SIZE.height, &[]) else { return };
        let witness = Witness::connect(x.display());
        root_of(&witness, 0);
        let painter = Painter::start(&x, background);
        let mut desktop = eyes(x.display());
        let bare = at_rest(&witness, &mut desktop);
        // One that paints at once is not waited for longer than it takes.
        let quick = texts("a quick program", &witness, &mut desktop, &bare);
        assert!(quick < Duration::from_millis(25), "waited {quick:?} for a quick program");

        painter.late(LATE);
        let (mut in_time, mut n) = (0, 0);
        let hidden = CaptureRequest { overlay: OverlayInCapture::Hidden, ..all() };
        until("the slow program was in time often enough", 3 * PATIENCE, || {
            n += 1;
            let overlay = text(n);
            let paintings = painter.paintings();
            let next = next(&mut desktop, Some(&overlay));
            let wanted = over(&bare, SIZE, &overlay);
            let done = painter.painted().filter(|_| painter.paintings() > paintings);
            // On a busy machine even this program may be later than anybody waits.
            if n > 1 && done.is_some_and(|done| done - next.wished < IN_TIME) {
                assert!(next.seen == wanted, "{background:?}: text {n} is not alone in the picture");
                assert!(next.taken - next.wished >= LATE, "the picture came before the program was done");
                in_time += 1;
            }
            witness_sees(&witness, &wanted);
            let began = Instant::now();
            let frame = capture(&mut desktop, &hidden);
            if painter.painted().is_some_and(|done| done > began && done - began < IN_TIME) {
                assert!(bgr(&frame) == bare, "{background:?}: text {n} is in the picture it is hidden from");
            }
            witness_sees(&witness, &wanted);
            (in_time >= 8).then_some(())
        });

        // Negative control: without the wait the picture is wrong, so the above would have shown it.
        painter.hold(true);
        let overlay = text(n + 1);
        desktop.overlay(Some(&overlay)).unwrap();
        let wanted = over(&bare, SIZE, &overlay);
        assert!(
            screenshot(&witness, SIZE) != wanted,
            "{background:?}: nothing is stale without a wait either"
        );
        // And who never paints holds nobody up.
        assert!(
            bgr(&capture(&mut desktop, &all())) != wanted,
            "{background:?}: the program has not painted yet"
        );
        painter.hold(false);
        witness_sees(&witness, &wanted);
    }
}

#[track_caller]
fn witness_sees(witness: &Witness, wanted: &[u8]) {
    until("the program has painted at last", PATIENCE, || {
        (screenshot(witness, SIZE) == wanted).then_some(())
    });
}

// spec: S-61 XVFB
#[test]
fn a_compositor_shows_nothing_stale_either() {
    for which in ["picom", "xcompmgr"] {
        let Some(x) = Xvfb::with(SIZE.width, SIZE.height, &[]) else { return };
        let Some(_compositor) = compositors(&x, which) else { continue };
        let witness = Witness::connect(x.display());
        // It need not paint again: the compositor keeps what it has painted.
        let painter = Painter::start(&x, Some(0x00ff_00ff));
        let mut desktop = eyes(x.display());
        until("the program is composed", PATIENCE, || {
            (witness.pixel(3, 3) == [0x30, 0x60, 0x90]).then_some(())
        });
        let bare = at_rest(&witness, &mut desktop);
        painter.hold(true);
        texts(which, &witness, &mut desktop, &bare);
    }
}
