//! A provider that takes pictures up to so many bytes: what is over is sent smaller, and a click still lands where it should.

use crate::rig::{Rig, click, done, server, session};
use handsight_testkit::witness::What;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ChangeWindowAttributesAux, ConnectionExt as _, CreateGCAux, ImageFormat};
use x11rb::rust_connection::RustConnection;

const PROVIDER: &str = "about = \"a\"\nwire = \"chat\"\ndialect = \"tools\"\nkey_optional = true\n";

/// Covers the screen with noise, of which no PNG is small. The connection holds it there.
fn noise(display: &str) -> RustConnection {
    let (conn, screen) = RustConnection::connect(Some(display)).unwrap();
    let root = &conn.setup().roots[screen];
    let (width, height, depth, root) =
        (root.width_in_pixels, root.height_in_pixels, root.root_depth, root.root);
    let [pixmap, gc] = [(); 2].map(|()| conn.generate_id().unwrap());
    conn.create_pixmap(depth, pixmap, root, width, height).unwrap();
    conn.create_gc(gc, pixmap, &CreateGCAux::new()).unwrap();
    let mut state = 1_u64;
    for y in (0..height).step_by(20) {
        let pixels: Vec<u8> = (0..u32::from(width) * 20)
            .flat_map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ((state >> 40) as u32).to_ne_bytes()
            })
            .collect();
        conn.put_image(ImageFormat::Z_PIXMAP, pixmap, gc, width, 20, 0, y as i16, 0, depth, &pixels).unwrap();
    }
    conn.change_window_attributes(root, &ChangeWindowAttributesAux::new().background_pixmap(pixmap)).unwrap();
    conn.clear_area(false, root, 0, 0, 0, 0).unwrap().check().unwrap();
    conn
}

// spec: S-33 S-65 XVFB
#[test]
fn what_is_over_the_limit_is_sent_smaller_and_clicks_still_land() {
    let Some(rig) = Rig::new() else { return };
    let _held = noise(rig.x.display());
    rig.handsight.config("providers/small.toml", &format!("{PROVIDER}[limits]\npicture_bytes = 1_500_000\n"));
    let mut witness = rig.witness();
    // Where round(0.25 x 1279), round(0.75 x 719) lies.
    witness.open(310, 530, 20, 20);
    let server = server([click(250.0, 750.0, "left and low"), done("pressed")]);
    rig.run(&server, &["x", "--model", "small/test-model"]).ended(0);
    let run = &rig.runs()[0];
    let steps = session(run);
    for (n, request) in server.requests().iter().enumerate() {
        let [sent] = &request.pictures[..] else { panic!("{} pictures", request.pictures.len()) };
        // Noise fills three bytes a pixel: half the sides are a quarter of the bytes, and fit where the whole does not.
        assert_eq!((sent.width, sent.height), (768, 432));
        assert!(
            sent.png.len().div_ceil(3) * 4 <= 1_500_000 && sent.png.len() > 700_000,
            "{}",
            sent.png.len()
        );
        assert_eq!(std::fs::read(run.join(format!("step{:03}.png", n + 1))).unwrap(), sent.png);
        let note = steps[n]["notes"][0].as_str().unwrap_or_default();
        assert!(note.starts_with("the picture was made 768x432 instead of 1536x864"), "{}", steps[n]);
        assert!(note.ends_with("where the provider takes 1500000"), "{note}");
    }
    assert_eq!(server.requests().len(), 2);
    assert_eq!((witness.pointer().x, witness.pointer().y), (320, 539));
    let presses: Vec<What> = [true, false].map(|down| What::Button { button: 1, down }).into();
    assert_eq!(witness.presses(), presses);
    witness.assert_quiet();

    // A replay knows no limit: it makes the pictures whole, and says where it leaves the recording.
    let [desktop, model] = ["replay:", "recorded/"].map(|word| format!("{word}{}", run.display()));
    let again = rig.handsight.run(&["run", "--desktop", &desktop, "--model", &model]);
    again.ended(0).told("call 1 differs from the recording at messages[1].content");
}

#[test]
fn what_fits_is_sent_whole_and_without_a_word() {
    let Some(rig) = Rig::new() else { return };
    rig.handsight.config("providers/small.toml", &format!("{PROVIDER}[limits]\npicture_bytes = 1_500_000\n"));
    let server = server([done("nothing to do")]);
    rig.run(&server, &["x", "--model", "small/test-model"]).ended(0);
    let sent = &server.requests()[0].pictures[0];
    assert_eq!((sent.width, sent.height), (1536, 864));
    assert_eq!(session(&rig.runs()[0])[0]["notes"], serde_json::json!([]));
}

#[test]
fn what_cannot_be_made_small_enough_is_named_and_not_sent() {
    let Some(rig) = Rig::new() else { return };
    let _held = noise(rig.x.display());
    rig.handsight.config("providers/small.toml", &format!("{PROVIDER}[limits]\npicture_bytes = 1_000\n"));
    let server = server([]);
    let said = rig.run(&server, &["x", "--json", "--model", "small/test-model"]);
    said.ended(6).told("over small's limit of 1000").told("failure 3 of 3");
    assert_eq!(said.json()["outcome"], "model_failed");
    assert!(server.requests().is_empty());
    let note = session(&rig.runs()[0])[0]["notes"].to_string();
    assert!(note.contains("made 192x108 instead of 1536x864"), "{note}");
}
