use super::*;
use crate::stage::tests::stage;
use handsight_base::flow::action::Batch;
use handsight_base::flow::frame::Frame;
use handsight_base::gate::Approved;
use handsight_base::port::clock::VirtualClock;
use handsight_base::port::desktop::Injected;
use handsight_base::port::desktop::{CaptureRequest, DesktopError, DesktopInfo, Display};
use handsight_base::stop::Stop;
use handsight_worlds::desk::{Desk, DeskSetup};
use handsight_worlds::engine::desktop::WorldDesktop;
use handsight_worlds::engine::{Shared, World as _, hold, share};

/// A desk with the calculator open, and eyes on it.
fn desk() -> (Shared<Desk>, WorldDesktop) {
    let world = share(Desk::new(&DeskSetup::new(3)));
    hold(&world).open_program("calculator", &[]).unwrap();
    let eyes = WorldDesktop::new(world.clone(), VirtualClock::new(0));
    (world, eyes)
}

fn check(of: Subject, claims: &[Claim]) -> Check {
    Check { of, claims: claims.to_vec() }
}

fn file(path: &str, claim: Claim) -> Check {
    check(Subject::File(path.into()), &[claim])
}

/// What is told of a check that does not hold; empty if it does.
fn no(check: &Check, stage: &mut Stage, eyes: &mut dyn Desktop) -> String {
    match check.held(stage, eyes).unwrap() {
        Held::Yes => String::new(),
        Held::No(why) => why,
    }
}

#[test]
fn files_are_read_as_a_person_would() {
    let folder = tempfile::tempdir().unwrap();
    let files = [("note.txt", "one\r\ntwo\n\n"), ("at.txt", "{home}/x")];
    let mut stage = stage(folder.path(), &files, &[]);
    std::fs::create_dir(stage.home().join("made")).unwrap();
    let (_, mut eyes) = desk();
    let mut told = |check: Check| no(&check, &mut stage, &mut eyes);
    for (path, claim) in [
        ("note.txt", Claim::Equals("one\ntwo".into())),
        ("{home}/note.txt", Claim::Has("e\nt".into())),
        ("note.txt", Claim::Exists(true)),
        ("at.txt", Claim::Equals("{home}/x".into())),
        ("made", Claim::Exists(true)),
        ("other", Claim::Exists(false)),
    ] {
        assert_eq!(told(file(path, claim.clone())), "", "{path} {claim:?}");
    }
    for (path, claim, why) in [
        ("note.txt", Claim::Equals("one".into()), "is \"one\\ntwo\", not \"one\""),
        ("note.txt", Claim::Has("three".into()), "has no \"three\""),
        ("note.txt", Claim::Exists(false), "is still there"),
        ("other", Claim::Exists(true), "is not there"),
        ("other", Claim::Has("x".into()), "is not there"),
        ("made", Claim::Equals(String::new()), "has no text"),
    ] {
        let said = told(file(path, claim.clone()));
        assert!(said.contains(why), "{path} {claim:?}: {said}");
    }
}

#[test]
fn a_file_is_read_whatever_its_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = stage(folder.path(), &[], &[]);
    let (_, mut eyes) = desk();
    let units = |mark: u16, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        [mark].into_iter().chain("né 😀".encode_utf16()).flat_map(order).collect()
    };
    for (name, bytes, text) in [
        ("utf-8", "né 😀".as_bytes().to_vec(), "né 😀"),
        ("marked", "\u{feff}né 😀".as_bytes().to_vec(), "né 😀"),
        ("utf-16le", units(0xfeff, u16::to_le_bytes), "né 😀"),
        ("utf-16be", units(0xfeff, u16::to_be_bytes), "né 😀"),
        ("latin-1", b"n\xe9 \xbd".to_vec(), "né ½"),
    ] {
        std::fs::write(stage.home().join(name), bytes).unwrap();
        assert_eq!(no(&file(name, Claim::Equals(text.into())), &mut stage, &mut eyes), "", "{name}");
        let other = no(&file(name, Claim::Has("nè".into())), &mut stage, &mut eyes);
        assert!(other.contains("has no"), "{name}: {other}");
    }
}

#[test]
fn windows_and_the_clipboard_are_the_desktops() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = stage(folder.path(), &[], &[]);
    let (world, mut eyes) = desk();
    let title = hold(&world).windows()[0].title.clone();
    let window = |title: &str, is| check(Subject::Window(title.into()), &[Claim::Exists(is)]);
    let board = |claim| check(Subject::Clipboard, &[claim]);
    assert_eq!(no(&window(&title.to_uppercase(), true), &mut stage, &mut eyes), "");
    assert!(no(&window(&title, false), &mut stage, &mut eyes).ends_with("is still there"));
    assert!(no(&window("Atlantis", true), &mut stage, &mut eyes).ends_with("is not there"));
    assert!(no(&board(Claim::Equals("42".into())), &mut stage, &mut eyes).ends_with("is not there"));
    hold(&world).set_clipboard("42".into());
    assert_eq!(no(&board(Claim::Equals("42".into())), &mut stage, &mut eyes), "");
    assert!(no(&board(Claim::Equals("4".into())), &mut stage, &mut eyes).contains("is \"42\", not \"4\""));
    let utf16: Vec<u8> = "né\0".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(clipboard_text(&[("CF_UNICODETEXT".into(), utf16)]), Some("né".into()));
}

#[cfg(unix)]
#[test]
fn programs_are_judged_by_their_end_and_their_words() {
    let folder = tempfile::tempdir().unwrap();
    let programs: [(&str, &[&str]); 2] =
        [("ask", &["sh", "-c", "echo Ada; exit 1"]), ("stays", &["sleep", "600"])];
    let mut stage = stage(folder.path(), &[], &programs);
    let (_, mut eyes) = desk();
    let of = |name: &str, claims: &[Claim]| check(Subject::Program(name.into()), claims);
    let start = crate::suite::ProgramsStart {
        objective: String::new(),
        files: Vec::new(),
        before: Vec::new(),
        programs: Vec::new(),
        checks: vec![of("ask", &[Claim::Ended(1), Claim::Equals("Ada".into())])],
        solution: Vec::new(),
    };
    let held = stage.judge(&start, &mut eyes, std::time::Duration::from_secs(20));
    assert_eq!(held, Ok(Held::Yes));
    let mut told = |check: Check| no(&check, &mut stage, &mut eyes);
    assert!(told(of("ask", &[Claim::Ended(0)])).ends_with("ended with 1, not with 0"));
    assert!(told(of("ask", &[Claim::Equals("Bob".into())])).contains("is \"Ada\", not \"Bob\""));
    assert!(told(of("stays", &[Claim::Ended(0)])).ends_with("has not ended"));
    let run = |argv: &[&str], claims: &[Claim]| {
        check(Subject::Run(argv.iter().map(|word| (*word).to_owned()).collect()), claims)
    };
    assert_eq!(told(run(&["echo", "{home}"], &[Claim::Has("home".into()), Claim::Ended(0)])), "");
    assert!(told(run(&["false"], &[Claim::Ended(0)])).ends_with("ended with 1, not with 0"));
}

/// A desktop that nothing can be asked.
struct Blind;

impl Desktop for Blind {
    fn info(&self) -> DesktopInfo {
        desk().1.info()
    }

    fn displays(&mut self) -> Result<Vec<Display>, DesktopError> {
        Ok(Vec::new())
    }

    fn capture(&mut self, _: &CaptureRequest) -> Result<Frame, DesktopError> {
        Err(DesktopError::Stopped)
    }

    fn inject(&mut self, _: Approved<Batch>, _: &Stop) -> Result<Injected, DesktopError> {
        Err(DesktopError::Stopped)
    }

    fn release_all(&mut self) -> Result<(), DesktopError> {
        Ok(())
    }
}

#[test]
fn what_cannot_be_asked_is_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = stage(folder.path(), &[], &[]);
    for (subject, claim, why) in [
        (Subject::Clipboard, Claim::Has("x".into()), "the clipboard cannot be checked"),
        (Subject::Window("x".into()), Claim::Exists(false), "the window \"x\" cannot be checked"),
        (
            Subject::Program("x".into()),
            Claim::Ended(0),
            "the program x cannot be checked: it was not started",
        ),
        (
            Subject::Run(vec!["no-such-program".into()]),
            Claim::Ended(1),
            "the command no-such-program cannot be checked",
        ),
    ] {
        let error = all(&[check(subject, &[claim])], &mut stage, &mut Blind).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}
