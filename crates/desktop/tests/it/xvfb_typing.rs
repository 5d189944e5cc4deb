//! Text into real programs: what they wrote down is compared byte by byte with what was to be typed.

use crate::hands_rig::{chord, config, hands, inject, text};
use handsight_base::flow::action::Action;
use handsight_desktop::hands::Hands;
use handsight_testkit::need::need;
use handsight_testkit::program::Program;
use handsight_testkit::wait::{PATIENCE, until};
use handsight_testkit::witness::Witness;
use handsight_testkit::xvfb::Xvfb;
use std::io::Read;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Letters with accents, symbols behind AltGr, dead keys' own characters, other scripts and emoji.
const MIXED: &str =
    "Añ€😀 zażółć gęślą jaźń; ÄÖÜß ê ë ç ø å ^ ~ ` ´ ¨ @#$%&*()[]{}<>|\\/ «» Жя ёЁ Ωλ 日本 👍🏽 \u{301}e";

/// A terminal whose program writes every line it gets to a file.
struct Sink {
    terminal: Program,
    out: PathBuf,
}

fn sink(x: &Xvfb, witness: &mut Witness, name: &str) -> Option<Sink> {
    if !need("xterm", "xterm") {
        return None;
    }
    let (ready, out) = (x.home().join(format!("{name}.ready")), x.home().join(name));
    let script = format!("stty -echo; touch {name}.ready; exec cat > {name}");
    let args = ["-u8", "-T", name, "-geometry", "80x20+0+0", "-e", "sh", "-c", &script];
    let terminal = x.program("xterm", &args);
    until("the terminal's program runs", PATIENCE, || ready.exists().then_some(()));
    let window = until("the terminal is shown", PATIENCE, || witness.find(name).filter(|w| w.mapped));
    witness.focus(window.id);
    witness.go_to(40, 40);
    Some(Sink { terminal, out })
}

impl Sink {
    /// Ends the program and returns what it got.
    fn text(mut self, hands: &mut Hands) -> String {
        inject(hands, chord("enter"));
        inject(hands, chord("ctrl+d"));
        self.terminal.wait(PATIENCE);
        let bytes = std::fs::read(&self.out).unwrap();
        String::from_utf8(bytes).unwrap().trim_end_matches('\n').to_owned()
    }
}

/// A dialog that prints what was typed into it.
fn ask(x: &Xvfb, witness: &mut Witness) -> Option<Program> {
    if !need("zenity", "zenity") {
        return None;
    }
    let mut command = x.command("zenity");
    let dialog =
        Program::start(command.args(["--entry", "--title", "Ask", "--text", "x"]).stdout(Stdio::piped()));
    let window = until("the dialog is shown", PATIENCE, || witness.find("Ask").filter(|w| w.mapped));
    witness.focus(window.id);
    Some(dialog)
}

fn answer(mut dialog: Program, hands: &mut Hands) -> String {
    inject(hands, chord("enter"));
    let mut said = String::new();
    dialog.child().stdout.take().unwrap().read_to_string(&mut said).unwrap();
    said.trim_end_matches('\n').to_owned()
}

/// Keycodes that carry no symbol.
fn free_keycodes(witness: &Witness) -> usize {
    (8..=255).filter(|code| witness.symbols(*code).iter().all(|s| *s == 0)).count()
}

// spec: S-29 S-35 XVFB
#[test]
fn unicode_arrives_in_an_entry() {
    let Some(x) = Xvfb::start() else { return };
    let mut witness = Witness::connect(x.display());
    let mut hands = hands(&x);
    let Some(dialog) = ask(&x, &mut witness) else { return };
    let injected = inject(&mut hands, text("Añ€😀"));
    assert_eq!(injected.events, 8, "one down and one up for each character");
    assert_eq!(answer(dialog, &mut hands), "Añ€😀");
    witness.assert_quiet();
}

// spec: S-29 S-35 XVFB
#[test]
fn any_text_arrives_on_any_layout() {
    let Some(x) = Xvfb::start() else { return };
    if !need("setxkbmap", "x11-xkb-utils") {
        return;
    }
    let mut witness = Witness::connect(x.display());
    let mut hands = hands(&x);
    let free = free_keycodes(&witness);
    for (n, layout) in
        ["us", "de", "fr", "ru", "gr", "us -variant intl", "fr -variant bepo"].iter().enumerate()
    {
        x.run("setxkbmap", &format!("-layout {layout}").split(' ').collect::<Vec<_>>());
        let Some(sink) = sink(&x, &mut witness, &format!("layout{n}")) else { return };
        inject(&mut hands, text(MIXED));
        assert_eq!(sink.text(&mut hands), MIXED, "on the layout {layout}");
        witness.assert_quiet();
    }
    // The second of two layouts is in force: Ж is on a key, s is not.
    x.run("setxkbmap", &["-layout", "us,ru"]);
    lock_group(&witness, 1);
    let Some(terminal) = sink(&x, &mut witness, "group") else { return };
    inject(&mut hands, text(MIXED));
    assert_eq!(terminal.text(&mut hands), MIXED, "in the second group");
    lock_group(&witness, 0);
    x.run("setxkbmap", &["-layout", "us"]);
    drop(hands);
    assert_eq!(free_keycodes(&witness), free, "borrowed keycodes are given back");
}

fn lock_group(witness: &Witness, group: u8) {
    use x11rb::protocol::xkb::{ConnectionExt as _, Group, ID};
    let (core, none) = (ID::USE_CORE_KBD.into(), 0u16.into());
    let conn = witness.conn();
    conn.xkb_use_extension(1, 0).unwrap().reply().unwrap();
    let group = [Group::M1, Group::M2][usize::from(group)];
    conn.xkb_latch_lock_state(core, none, none, true, group, none, false, 0).unwrap().check().unwrap();
}

#[test]
fn ten_thousand_characters_arrive_in_order() {
    let Some(x) = Xvfb::start() else { return };
    let mut witness = Witness::connect(x.display());
    let mut hands = hands(&x);
    let Some(sink) = sink(&x, &mut witness, "long") else { return };
    let mut long = String::new();
    for n in 0.. {
        let line =
            format!("{n:04} The quick brown fox, ÄÖÜ äöü ß é 😀 jumps over {}.", "lazy dogs ".repeat(n % 3));
        if long.chars().count() + line.chars().count() >= 10_000 {
            break;
        }
        long.push_str(line.trim());
        long.push('\n');
    }
    let long = long.trim_end();
    let began = Instant::now();
    inject(&mut hands, text(long));
    let (took, count) = (began.elapsed(), long.chars().count());
    eprintln!("{count} characters in {took:.1?}");
    assert!(count > 9_900);
    assert!(sink.text(&mut hands) == long, "the file differs from the text");
}

/// Many more characters than there are free keycodes.
fn rotating(count: u32) -> String {
    (0..count).filter_map(|n| char::from_u32(0x4e00 + n * 7)).collect()
}

#[test]
fn keycodes_rotate_in_a_program_that_answers_pings() {
    let Some(x) = Xvfb::start() else { return };
    let mut witness = Witness::connect(x.display());
    let mut hands = hands(&x);
    let Some(dialog) = ask(&x, &mut witness) else { return };
    let many = rotating(400);
    let began = Instant::now();
    inject(&mut hands, text(&many));
    eprintln!("400 characters that no key has, with pings: {:.1?}", began.elapsed());
    assert_eq!(answer(dialog, &mut hands), many);
}

#[test]
fn keycodes_rotate_in_a_program_that_answers_nothing() {
    let Some(x) = Xvfb::start() else { return };
    let mut witness = Witness::connect(x.display());
    let mut hands = hands(&x);
    let Some(sink) = sink(&x, &mut witness, "rotate") else { return };
    let many = rotating(120);
    let began = Instant::now();
    inject(&mut hands, text(&many));
    eprintln!("120 characters that no key has, without pings: {:.1?}", began.elapsed());
    assert_eq!(sink.text(&mut hands), many);
}

#[test]
fn caps_lock_changes_nothing_and_is_left_as_it_was() {
    let Some(x) = Xvfb::start() else { return };
    let mut witness = Witness::connect(x.display());
    let mut hands = hands(&x);
    let caps = witness.keycode(0xffe5);
    let Some(sink) = sink(&x, &mut witness, "caps") else { return };
    let press = |witness: &Witness| [true, false].iter().for_each(|down| witness.key(caps, *down));
    press(&witness);
    let locked = |witness: &Witness| witness.pointer().mask & 2 == 2;
    assert!(locked(&witness));
    inject(&mut hands, text("Grüße, AbC é"));
    assert!(locked(&witness), "the person's CapsLock is theirs");
    assert_eq!(sink.text(&mut hands), "Grüße, AbC é");
    // A CapsLock that the engine presses is meant.
    inject(&mut hands, chord("capslock"));
    assert!(!locked(&witness));
}

#[test]
fn every_key_that_has_a_name_arrives() {
    use handsight_base::key::{Chord, Key, NAMED_KEYS, Named};
    let Some(x) = Xvfb::start() else { return };
    let mut witness = Witness::connect(x.display());
    witness.open(0, 0, 300, 200);
    let mut hands = hands(&x);
    for (named, names) in NAMED_KEYS {
        witness.forget();
        inject(&mut hands, Action::Key { chord: Chord(vec![Key::Named(*named)]), repeat: 1 });
        let presses = witness.presses();
        // A keypad digit needs NumLock or Shift around it.
        assert!((2..=4).contains(&presses.len()), "{names:?}: {presses:?}");
        witness.assert_quiet();
        if matches!(named, Named::CapsLock | Named::NumLock) {
            inject(&mut hands, Action::Key { chord: Chord(vec![Key::Named(*named)]), repeat: 1 });
        }
    }
}

#[test]
fn idle_keycodes_are_given_back_and_those_of_a_killed_supervisor_too() {
    let Some(x) = Xvfb::start() else { return };
    let mut witness = Witness::connect(x.display());
    witness.open(0, 0, 300, 200);
    let free = free_keycodes(&witness);
    let mut first = hands(&x);
    inject(&mut first, text("😀日本"));
    assert_eq!(free_keycodes(&witness), free - 3);
    // Idle for 5 s.
    witness.wait_until("they are given back", Duration::from_secs(15), |w| free_keycodes(w) == free);
    inject(&mut first, text("日本"));
    assert_eq!(free_keycodes(&witness), free - 2);
    handsight_testkit::program::signal_pid(first.pid(), rustix::process::Signal::KILL);
    drop(first);
    assert_eq!(free_keycodes(&witness), free - 2, "nobody gave them back");
    let second = Hands::spawn(config(x.display(), &x.home().join("state"))).unwrap();
    assert_eq!(free_keycodes(&witness), free);
    drop(second);
}
