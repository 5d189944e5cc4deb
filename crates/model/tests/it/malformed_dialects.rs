//! Broken replies in every dialect: no panic, nothing done that was not said, and short words about it (R9).
//!
//! A reply is taken from a dialect's table and broken in one known way, so that what must become of it is known from how it was
//! made: refused, or no more than the sound reply meant. `HANDSIGHT_LONG=1` makes a million of them.

use super::cases::{Case, Kind, built, table};
use super::*;
use handsight_base::flow::action::Action;
use handsight_base::flow::intent::Intent;
use handsight_base::port::dialect::{Decoded, Dialect, Rejection};
use handsight_base::port::model::{Refusal, SafetyCheck};
use handsight_model::DIALECTS;
use handsight_model::dialect::compact;
use handsight_testkit::need;
use std::collections::BTreeMap;

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    fn word(&mut self, from: &[&'static str]) -> &'static str {
        self.pick::<&'static str>(from)
    }

    /// A place between two characters.
    fn place(&mut self, text: &str) -> usize {
        text.floor_char_boundary(self.below(text.len() + 1))
    }
}

/// What may become of a broken reply.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Expect {
    Refused,
    /// Refused, or the beginning of what the sound reply meant, texts apart.
    Beginning,
    /// Refused, or no place that the sound reply did not name.
    SamePlaces,
    /// Refused, or nothing that moves the hands.
    NoAction,
    /// Whatever it is, it must be within bounds.
    Sane,
}
use Expect::{Beginning, NoAction, Refused, SamePlaces, Sane};

/// Breaks a reply; `None` where there is nothing of the kind to break.
type Break = fn(&mut Dice, &mut ModelReply) -> Option<()>;

#[rustfmt::skip]
const KINDS: &[(&str, Expect, Break)] = &[
    ("cut off, as the service says", Refused, |d, r| { r.finish = Some((*d.pick(&["length", "content_filter"])).into()); Some(()) }),
    ("refused by the provider", Refused, |_, r| { r.refusal = Some(Refusal { reason: "refusal".into(), words: "no".repeat(900) }); Some(()) }),
    ("a person has to agree", Refused, |_, r| { r.checks.push(SafetyCheck { call_id: "c".into(), id: String::new(), code: "x".into(), message: "y".repeat(900) }); Some(()) }),
    ("two calls with one id", Refused, |_, r| { let mut c = r.calls.first()?.clone(); c.id = "same".into(); r.calls[0].id = "same".into(); r.calls.insert(1, c); Some(()) }),
    ("the beginning of a call's arguments", Refused, |d, r| { let args = &mut r.calls.first_mut()?.arguments; let at = d.place(args.trim_end()); (at < args.trim_end().len()).then(|| args.truncate(at)) }),
    ("another name of the call", Refused, |d, r| { r.calls.first_mut()?.name.push_str(d.word(&["x", " ", "\u{200b}", "()"])); Some(()) }),
    ("the NUL character", Refused, |d, r| edit(r, |t| { let at = d.place(t); t.insert(at, '\0'); Some(()) })),
    ("the beginning of it", Beginning, |d, r| edit(r, |t| { let at = d.place(t); (at < t.trim_end().len()).then(|| t.truncate(at)) })),
    ("without one mark", Beginning, |d, r| edit(r, |t| { let at = mark(d, t)?; t.remove(at); Some(()) })),
    ("one number that is none", SamePlaces, |d, r| edit(r, |t| { let (from, to) = number(d, t)?; t.replace_range(from..to, d.word(NO_NUMBERS)); Some(()) })),
    ("said twice", SamePlaces, |d, r| edit(r, |t| { let twice = format!("{t}{}{t}", d.pick(&["", "\n", "\n\n", " & ", ","])); *t = twice; Some(()) })),
    ("words without grammar", NoAction, |d, r| { r.calls.clear(); r.text = words(d); Some(()) }),
    ("a piece of it twice", Sane, |d, r| edit(r, |t| { let (a, b) = (d.place(t), d.place(t)); let piece = t[a.min(b)..a.max(b)].to_owned(); t.insert_str(a, &piece); Some(()) })),
    ("two characters swapped", Sane, |d, r| edit(r, |t| { let mut c: Vec<char> = t.chars().collect(); let i = d.below(c.len().checked_sub(1)?); c.swap(i, i + 1); *t = c.into_iter().collect(); Some(()) })),
    ("a character too many", Sane, |d, r| edit(r, |t| { let at = d.place(t); t.insert(at, *d.pick(STRANGERS)); Some(()) })),
    ("grammar without sense", Sane, |d, r| { let mut soup = String::new(); let n = d.below(60); for _ in 0..n { let at = d.place(&r.text); let end = r.text.floor_char_boundary((at + d.below(12)).min(r.text.len())); soup.push_str(&r.text[at..end.max(at)]); soup.push(*d.pick(STRANGERS)); } r.calls.clear(); r.text = soup; Some(()) }),
];

const NO_NUMBERS: &[&str] = &[
    "NaN",
    "nan",
    "Infinity",
    "-Infinity",
    "inf",
    "1e999",
    "-1e999",
    "99999999999999999999",
    "-99999",
    "0x1F",
    "null",
    "None",
    "true",
    "\u{ff11}\u{ff12}",
    "\u{0661}\u{0662}",
    "1/2",
    "--5",
    "1_0",
    "1,,2",
    "",
    "[]",
    "{}",
    "one",
    "5e",
    "5.5.5",
    "\"",
    "'",
];
const MARKS: &[char] = &['(', ')', '[', ']', '{', '}', '<', '>', '\'', '"', '|', ',', ':', '='];
const STRANGERS: &[char] = &[
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '<',
    '>',
    '\'',
    '"',
    '|',
    ',',
    ':',
    '=',
    '\\',
    '/',
    '&',
    ';',
    '#',
    '`',
    '%',
    '\n',
    '\t',
    '\r',
    '\u{7}',
    '\u{200b}',
    '\u{202e}',
    '\u{feff}',
    'é',
    '（',
    '：',
    '＝',
    '\u{1f600}',
    '0',
    '9',
    '-',
    '.',
    'e',
];

/// Changes what carries the meaning: the arguments of a call, else the text.
fn edit(reply: &mut ModelReply, change: impl FnOnce(&mut String) -> Option<()>) -> Option<()> {
    match reply.calls.first_mut() {
        Some(call) => change(&mut call.arguments),
        None => change(&mut reply.text),
    }
}

fn mark(dice: &mut Dice, text: &str) -> Option<usize> {
    let marks: Vec<usize> = text.char_indices().filter(|(_, c)| MARKS.contains(c)).map(|(i, _)| i).collect();
    (!marks.is_empty()).then(|| *dice.pick(&marks))
}

/// Where a number stands.
fn number(dice: &mut Dice, text: &str) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let part = |i: usize| bytes.get(i).is_some_and(|b| b.is_ascii_digit() || *b == b'.');
    let begins = |i: usize| {
        bytes[i].is_ascii_digit()
            && (i == 0
                || !(part(i - 1) || bytes[i - 1].is_ascii_alphabetic() || b"_-+".contains(&bytes[i - 1])))
    };
    let begins: Vec<usize> = (0..bytes.len()).filter(|i| begins(*i)).collect();
    if begins.is_empty() {
        return None;
    }
    let from = *dice.pick(&begins);
    let mut to = from;
    while part(to) {
        to += 1;
    }
    Some((from, to))
}

fn words(dice: &mut Dice) -> String {
    const WORDS: &[&str] = &[
        "click",
        "the",
        "OK",
        "button",
        "at",
        "500",
        "300",
        "now",
        "scroll",
        "down",
        "Añ€",
        "\u{1f600}",
        "type hello",
        "I will",
        "done",
    ];
    let n = dice.below(30);
    (0..n).map(|_| *dice.pick(WORDS)).collect::<Vec<_>>().join(" ")
}

fn places(decoded: &Decoded) -> Vec<(i32, i32)> {
    let acts =
        decoded.plan.iter().filter_map(|p| if let Intent::Act(a) = &p.intent { Some(a) } else { None });
    acts.flat_map(Action::spots).map(|at| (at.point.x, at.point.y)).collect()
}

/// Intents with the texts left out.
fn masked(decoded: &Decoded) -> Vec<Value> {
    fn blank(value: &mut Value) {
        match value {
            Value::String(text) => *text = "*".into(),
            Value::Array(list) => list.iter_mut().for_each(blank),
            Value::Object(map) => map.values_mut().for_each(blank),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut plan: Vec<Value> = decoded.plan.iter().map(compact::planned).collect();
    for line in plan.iter_mut().filter_map(Value::as_object_mut) {
        for key in ["type", "paste", "done", "ask", "args", "focus"] {
            line.get_mut(key).into_iter().for_each(blank);
        }
        // How many words a command has is the text's matter too.
        line.get_mut("launch").into_iter().for_each(|words| *words = json!("*"));
    }
    plan
}

/// What is wrong with what became of a reply; `None` if nothing is.
fn judge(case: &Case, sound: &Decoded, expect: Expect, read: &Result<Decoded, Rejection>) -> Option<String> {
    let decoded = match read {
        Err(rejection) => {
            let told = rejection.told();
            let fine = !told.is_empty() && told.chars().count() <= 800 && !told.contains(['\0', '\u{7}']);
            return (!fine).then(|| format!("told {told:?}"));
        }
        Ok(decoded) => decoded,
    };
    let what = || {
        Some(format!(
            "{expect:?}, but it means {:?}",
            decoded.plan.iter().map(compact::planned).collect::<Vec<_>>()
        ))
    };
    if !is_sane(decoded, &case.geometry()) {
        return what();
    }
    let fine = match expect {
        Refused => false,
        Beginning => masked(sound).starts_with(&masked(decoded)),
        SamePlaces => {
            let known = places(sound);
            places(decoded).iter().all(|p| known.contains(p))
        }
        NoAction => !decoded.plan.iter().any(|p| matches!(p.intent, Intent::Act(_))),
        Sane => true,
    };
    if fine { None } else { what() }
}

/// Bounds that hold for whatever any dialect reads.
fn is_sane(decoded: &Decoded, picture: &PictureGeometry) -> bool {
    let inside = |action: &Action| {
        action.spots().iter().all(|at| picture.pane.contains(at.point) && at.frame == picture.frame)
    };
    let sane = |action: &Action| match action {
        Action::Click { count, .. } => (1..=4).contains(count),
        Action::Drag { path, .. } => path.len() >= 2,
        Action::Wait { millis } | Action::HoldKey { millis, .. } => *millis <= 300_000,
        Action::Key { chord, repeat } => (1..=10).contains(&chord.0.len()) && (1..=100).contains(repeat),
        Action::Type { text, .. } => {
            !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
        }
        Action::Launch { argv } => argv.first().is_some_and(|program| !program.is_empty()),
        Action::Move { .. }
        | Action::Down { .. }
        | Action::Up { .. }
        | Action::Scroll { .. }
        | Action::Paste { .. }
        | Action::FocusWindow { .. } => true,
    };
    // Nothing at all is a plan only where it is said why.
    let told = decoded.broken.is_some() || !decoded.notes.is_empty();
    (usize::from(!told)..=64).contains(&decoded.plan.len())
        && decoded.notes.len() <= 20
        && decoded.plan.iter().all(|p| match &p.intent {
            Intent::Act(action) => inside(action) && sane(action),
            Intent::Look(_) | Intent::Call { .. } | Intent::Ask { .. } | Intent::Done { .. } => true,
        })
}

struct Speaker {
    name: &'static str,
    dialect: Box<dyn Dialect>,
    /// Sound replies with what they mean.
    sound: Vec<(Case, Decoded)>,
}

fn speakers() -> Vec<Speaker> {
    let of = |entry: &handsight_model::dialect::DialectEntry| {
        let name = entry.info.name;
        let dialect = built(name);
        let sound: Vec<(Case, Decoded)> = table(name)
            .into_iter()
            .filter(|case| case.kind != Kind::Hostile && case.want.is_some())
            .map(|case| {
                let decoded = dialect.decode(&case.model_reply(), &case.geometry()).unwrap();
                (case, decoded)
            })
            .collect();
        (!sound.is_empty()).then_some(Speaker { name, dialect, sound })
    };
    DIALECTS.iter().filter_map(of).collect()
}

#[derive(Default)]
struct Count {
    made: u64,
    refused: u64,
}

#[test]
fn nothing_is_done_that_no_sound_reply_said() {
    let replies: u64 = if need::long() { 1_000_000 } else { 50_000 };
    let speakers = speakers();
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut wrong: BTreeMap<(&str, &str), String> = BTreeMap::new();
    let (mut made, mut seed) = (0, 0u64);
    while made < replies {
        seed += 1;
        let mut dice = Dice(seed);
        let speaker = &speakers[seed as usize % speakers.len()];
        let (kind, expect, spoil) = *dice.pick(KINDS);
        let (case, sound) = dice.pick(&speaker.sound);
        let mut reply = case.model_reply();
        if spoil(&mut dice, &mut reply).is_none() {
            continue;
        }
        made += 1;
        let read = speaker.dialect.decode(&reply, &case.geometry());
        let count = counts.entry(kind).or_default();
        count.made += 1;
        count.refused += u64::from(read.is_err());
        if let Some(what) = judge(case, sound, expect, &read) {
            let of =
                format!("seed {seed}, {:?}: {what}\n    {:.300} {:?}", case.name, reply.text, reply.calls);
            wrong.entry((speaker.name, kind)).or_insert(of);
        }
    }
    for (kind, count) in &counts {
        println!("{:>7} made {:>7} refused  {kind}", count.made, count.refused);
    }
    let lines: Vec<String> =
        wrong.iter().map(|((name, kind), what)| format!("{name}, {kind}: {what}")).collect();
    assert!(lines.is_empty(), "of {made}:\n{}", lines.join("\n"));
    assert_eq!(counts.len(), KINDS.len(), "every kind was made");
    // The control: what leaves a reply readable is read, so a dialect that refuses everything would fail here.
    let kept: u64 = counts.values().map(|c| c.made - c.refused).sum();
    assert!(kept > made / 50, "{kept} of {made} were understood");
}

/// The controls of the judge: each thing it is there for is seen.
#[test]
fn a_judge_that_sees_nothing_would_be_seen() {
    let speakers = speakers();
    let speaker = speakers.iter().find(|s| s.name == "actions").unwrap();
    let (case, sound) = &speaker.sound.iter().find(|(case, _)| case.name == "a click").unwrap();
    let read = |text: &str| {
        let reply = ModelReply { text: text.into(), ..ModelReply::default() };
        speaker.dialect.decode(&reply, &case.geometry())
    };
    let same = read(r#"[{"do":"click","at":[500,250]}]"#);
    let other = read(r#"[{"do":"click","at":[501,250]}]"#);
    let more = read(r#"[{"do":"click","at":[500,250]},{"do":"wait","seconds":1}]"#);
    assert_eq!(judge(case, sound, Beginning, &same), None);
    assert_eq!(judge(case, sound, SamePlaces, &same), None);
    for (expect, read) in
        [(Refused, &same), (Beginning, &other), (Beginning, &more), (SamePlaces, &other), (NoAction, &same)]
    {
        assert!(judge(case, sound, expect, read).is_some(), "{expect:?}");
    }
}
