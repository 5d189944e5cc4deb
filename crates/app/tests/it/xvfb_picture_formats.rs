//! Pictures in each format, from the screen over the wire into the run folder and out of it again.

use crate::rig::{Rig, done, observe, server, session};
use handsight_base::flow::format::PictureFormat;
use serde_json::{Value, json};
use std::path::Path;

const PROVIDER: &str = "about = \"a\"\nwire = \"chat\"\ndialect = \"tools\"\nkey_optional = true\n[limits]\n";

fn notes(run: &Path) -> Vec<Value> {
    session(run).iter().flat_map(|step| step["notes"].as_array().cloned().unwrap_or_default()).collect()
}

#[test]
fn each_format_goes_over_the_wire_as_what_it_is_and_comes_back_from_the_folder() {
    let Some(rig) = Rig::new() else { return };
    for (format, word) in
        [(PictureFormat::Png, "png"), (PictureFormat::Webp, "webp"), (PictureFormat::Jpeg, "jpeg")]
    {
        let server = server([observe("a look"), done("seen")]);
        let set = format!("context.picture_format={word}");
        let out = rig.handsight.home().join(word);
        let folder = out.display().to_string();
        rig.run(&server, &["x", "--set", &set, "--out", &folder]).ended(0);
        for (n, request) in server.requests().iter().enumerate() {
            let [sent] = &request.pictures[..] else { panic!("{} pictures", request.pictures.len()) };
            assert_eq!((sent.width, sent.height), (1536, 864));
            assert_eq!(sent.media_type, format.media_type());
            let kept = std::fs::read(out.join(format!("step{:03}.{}", n + 1, format.ending()))).unwrap();
            assert!(kept == sent.png, "what is kept is what was sent");
        }
        assert_eq!(server.requests().len(), 2);
        assert!(notes(&out).is_empty(), "nothing had to be changed");

        // The sheet reads them, the export names them, and a replay finds no difference.
        let sheet = rig.handsight.run(&["runs", "sheet", &folder]);
        assert!(sheet.ended(0).stdout.ends_with(": 2 pictures\n"), "{sheet:?}");
        let export = format!("{folder}-export");
        rig.handsight.run(&["runs", "export", &folder, &export]).ended(0);
        assert!(Path::new(&export).join(format!("step002.{}", format.ending())).is_file());
        let again = format!("{folder}-again");
        let replayed = rig.handsight.run(&["runs", "replay", &folder, "--out", &again]);
        replayed.ended(0);
        assert!(!replayed.stderr.contains("differs"), "{}", replayed.stderr);
    }
}

#[test]
fn a_format_that_is_left_open_goes_by_the_provider_and_its_limit() {
    let Some(rig) = Rig::new() else { return };
    // An empty desktop is a few kilobytes as PNG or WebP, and a hundred times that in nothing.
    let run = |limits: &str, more: &[&str]| {
        rig.handsight.config("providers/mine.toml", &format!("{PROVIDER}{limits}"));
        let server = server([done("nothing to do")]);
        let args =
            [&["x", "--model", "mine/test-model", "--set", "context.picture_format=auto"], more].concat();
        rig.run(&server, &args).ended(0);
        let sent = server.requests()[0].pictures[0].clone();
        let run = rig.runs().pop().unwrap();
        (sent, notes(&run))
    };
    let (png, told) = run("picture_tokens = 9\n", &[]);
    assert_eq!((png.media_type.as_str(), told.len()), ("image/png", 0));
    let (jpeg, _) = run("picture_formats = [\"jpeg\"]\n", &[]);
    assert_eq!(jpeg.media_type, "image/jpeg");
    // Over the side and over the pixels: smaller before it is encoded, and said.
    for (limit, size, taken) in [
        ("picture_edge = 1000\n", (1000, 562), "1000 pixels a side"),
        ("picture_pixels = 331776\n", (768, 432), "331776 pixels"),
    ] {
        let (sent, told) = run(limit, &[]);
        assert_eq!((sent.width, sent.height), size);
        let words = format!(
            "the picture was made {}x{} instead of 1536x864: the provider takes {taken}",
            size.0, size.1
        );
        assert_eq!(told, [json!(words)]);
    }
}

#[test]
fn a_format_that_the_provider_does_not_take_is_refused_before_anything_is_sent() {
    let Some(rig) = Rig::new() else { return };
    rig.handsight
        .config("providers/mine.toml", &format!("{PROVIDER}picture_formats = [\"png\", \"jpeg\"]\n"));
    let server = server([]);
    let args = ["x", "--model", "mine/test-model", "--set", "context.picture_format=webp"];
    rig.run(&server, &args)
        .ended(2)
        .told("context.picture_format asks for WebP, and mine takes only PNG, JPEG");
    assert!(server.requests().is_empty());
}
