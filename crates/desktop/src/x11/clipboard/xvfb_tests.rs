//! Who owns the clipboard, where two want it at once.

use super::*;
use handsight_testkit::xvfb::Xvfb;
use std::sync::mpsc::sync_channel;

fn text(selection: &mut Selection) -> String {
    let contents = selection.read_all().unwrap().expect("its owner answers");
    let text = contents.formats.iter().find(|(name, _)| name == "UTF8_STRING");
    String::from_utf8(text.map(|(_, bytes)| bytes.clone()).unwrap_or_default()).unwrap()
}

/// The event that says so has not been looked at yet: it may come in the same moment as a wish to paste.
#[test]
fn what_somebody_has_just_copied_is_read_and_not_what_was_ours() {
    let Some(x) = Xvfb::start() else { return };
    let mut ours = Selection::connect(x.display()).unwrap();
    assert!(ours.own(&text_contents("ours")).unwrap());
    assert_eq!(text(&mut ours), "ours");
    let (tell, told) = sync_channel(1);
    let (done, over) = sync_channel(1);
    let display = x.display().to_owned();
    let other = std::thread::Builder::new().name("other".into()).spawn(move || {
        let mut theirs = Selection::connect(&display).unwrap();
        assert!(theirs.own(&text_contents("just copied")).unwrap());
        tell.send(()).unwrap();
        while over.try_recv().is_err() {
            theirs.serve(Duration::from_millis(5)).unwrap();
        }
    });
    told.recv().unwrap();
    assert!(ours.is_owner(), "it was not told yet");
    assert_eq!(text(&mut ours), "just copied");
    assert!(!ours.owns().unwrap());
    done.send(()).unwrap();
    other.unwrap().join().unwrap();
}
