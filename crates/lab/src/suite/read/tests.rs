use super::*;
use crate::suite::{SUITES, TOOLS};
use std::collections::BTreeSet;

const CASE: &str = r#"
about = "one case"

[[case]]
id = "ask"
level = 1
tags = ["dialog"]
objective = "Answer with \"Ada\"."
file = [{ path = "note.txt", text = "x" }]
program = [{ name = "ask", run = ["zenity", "--entry"], window = "Ask" }]
check = [
  { program = "ask", ended = 0, equals = "Ada" },
  { file = "note.txt", exists = true },
]
solution = [
  { type = "Ada", window = "Ask" },
  { click = [-50, -20], window = "Ask" },
  { gone = "Ask" },
]
"#;

fn complaint(text: &str) -> String {
    read("mine", "mine.toml", text).unwrap_err().to_string()
}

#[test]
fn every_shipped_suite_reads() {
    for (name, text) in SUITES {
        let suite = read(name, name, text).unwrap_or_else(|e| panic!("{e}"));
        assert!(!suite.about.is_empty(), "{name}");
        for case in &suite.cases {
            assert!(
                case.tools.iter().all(|tool| TOOLS.contains(&tool.as_str())),
                "{}: {:?}",
                case.id,
                case.tools
            );
            assert!((1..=3).contains(&case.level), "{}", case.id);
        }
    }
}

#[test]
fn the_desk_suite_is_the_worlds_own_list() {
    let suite = Suite::shipped("desk").unwrap().unwrap();
    let desk = handsight_worlds::find("desk").unwrap();
    let tasks: Vec<(&str, u8)> = (desk.tasks)().iter().map(|task| (task.name, task.level)).collect();
    let cases: Vec<(&str, u8)> = suite.cases.iter().map(|case| (case.id.as_str(), case.level)).collect();
    assert_eq!(cases[..tasks.len()], tasks);
    for level in 1..=3 {
        assert!(tasks.iter().filter(|(_, of)| *of == level).count() >= 14, "level {level}");
    }
    let worlds: Vec<&WorldStart> = suite
        .cases
        .iter()
        .map(|case| match &case.start {
            Start::World(start) => start,
            Start::Programs(_) => panic!("{} is on no world", case.id),
        })
        .collect();
    let of = |fits: fn(&WorldStart) -> bool| worlds.iter().filter(|w| fits(w)).count();
    assert!(of(|w| w.scale == 1.5) >= 9 && of(|w| w.scale == 2.0) >= 6 && of(|w| w.displays == 2) >= 9);
    let beside = worlds.iter().find(|w| w.displays == 2 && w.task == "close-windows").unwrap();
    assert_eq!(beside.desktop(7), "world:desk,task=close-windows,seed=7,size=1280x720,scale=1,displays=2");
    assert_eq!(beside.display(), "all");
    let tags = |id: &str| suite.cases.iter().find(|case| case.id == id).map(|case| case.tags.join(" "));
    for (id, tagged) in [
        ("compute", "plain"),
        ("compute-sharp", "sharp"),
        ("sharp-note", "sharp"),
        ("drag-volume", "double"),
        ("second-display", "beside"),
        ("close-windows-beside", "beside"),
    ] {
        assert_eq!(tags(id).as_deref(), Some(tagged), "{id}");
    }
    // What a task has anyway is not given to it again.
    let more =
        |key: &str| read("mine", "m", &format!("[[world]]\nworld = \"desk\"\n{key}\n")).unwrap().cases.len();
    assert_eq!((more("displays = 2"), more("scale = 2.0")), (tasks.len() - 2, tasks.len() - 2));
    assert!(!suite.needs_desktop());
}

#[test]
fn a_real_program_is_of_the_level_that_its_solution_earns() {
    for (name, least, tools) in [
        ("linux-apps", 12, handsight_worlds::task::PLAIN_TOOLS),
        ("wine-apps", 5, handsight_worlds::task::PLAIN_TOOLS),
    ] {
        let suite = Suite::shipped(name).unwrap().unwrap();
        assert!(suite.cases.len() >= least && suite.needs_desktop(), "{} cases", suite.cases.len());
        let levels: BTreeSet<u8> = suite.cases.iter().map(|case| case.level).collect();
        assert_eq!(levels.into_iter().collect::<Vec<_>>(), [1, 2, 3]);
        for case in &suite.cases {
            assert!(case.lacks(tools).is_empty(), "{}: {:?}", case.id, case.tools);
            let Start::Programs(start) = &case.start else { panic!("{} is on a world", case.id) };
            let actions = start.solution.iter().filter(|step| step.tool().is_some()).count();
            let level = handsight_worlds::task::level(actions, start.programs.len());
            assert_eq!(case.level, level, "{name}: {} takes {actions} actions", case.id);
        }
    }
    assert!(Suite::shipped("moon").is_none());
}

#[test]
fn a_case_says_what_it_takes() {
    let suite = read("mine", "mine.toml", CASE).unwrap();
    let case = &suite.cases[0];
    assert_eq!(case.tools, ["type", "click"], "those of its solution, each once");
    assert_eq!(case.lacks(&["click"]), ["type"]);
    let told = CASE.replace("level = 1", "level = 1\ntools = [\"click\"]");
    assert_eq!(read("mine", "m", &told).unwrap().cases[0].tools, ["click"], "whatever the solution uses");
    assert_eq!(case.limits, Limits::default());
    let Start::Programs(start) = &case.start else { panic!() };
    assert_eq!(start.solution[1].deed, Deed::Click(Place { dx: -50, dy: -20 }));
    assert_eq!(start.checks[0].claims, [Claim::Equals("Ada".into()), Claim::Ended(0)]);
    assert_eq!(start.files, [("note.txt".to_owned(), "x".to_owned())]);
    let limited = CASE.replace("level = 1", "level = 1\nlimits = { turns = 9 }");
    assert_eq!(read("mine", "m", &limited).unwrap().cases[0].limits.turns, 9);
}

#[test]
fn a_mistake_is_named_with_file_line_key_and_what_was_meant() {
    for (right, wrong, want) in [
        ("level = 1", "levle = 1", "mine.toml, line 6: unknown key `levle`. Did you mean `level`?"),
        ("ended = 0", "endet = 0", "mine.toml, line 12: unknown key `endet`. Did you mean `ended`?"),
        ("click = [", "clik = [", "mine.toml, line 17: unknown key `clik`. Did you mean `click`?"),
        ("level = 1", "level = 4", "mine.toml, line 6: a level is 1, 2 or 3"),
        ("\"ask\"\nlevel", "\"Ask it\"\nlevel", "mine.toml, line 5: an id is made of lower-case letters"),
        (
            "program = \"ask\"",
            "program = \"asc\"",
            "line 12: the case starts no program \"asc\". Did you mean `ask`?",
        ),
        ("exists = true", "ended = 0", "line 13: a check of a file takes exists, has and equals"),
        (", ended = 0, equals = \"Ada\"", "", "line 12: a check of a program takes ended, has and equals"),
        ("{ file = \"note.txt\", exists", "{ exists", "line 13: a check is about one of file, clipboard"),
        ("click = [-50, -20], window = \"Ask\"", "click = [1, 2]", "line 17: a place is one in a window"),
        ("type = \"Ada\"", "type = \"Ada\", scroll = 1", "line 16: a step is one of click"),
        ("type = \"Ada\"", "key = \"hyper+x\"", "line 16: "),
        ("run = [\"zenity\", \"--entry\"]", "run = []", "line 10: the program \"ask\" has nothing to run"),
        ("\"Answer with \\\"Ada\\\".\"", "\" \"", "line 8: the objective is empty"),
        (
            "level = 1",
            "level = 1\ntools = [\"clik\"]",
            "line 7: there is no tool \"clik\"; there are: click, type",
        ),
        ("level = 1", "level = 1\nbefore = [[]]", "line 7: there is nothing to run"),
        ("about = \"one case\"", "about = 3", "line 2: invalid type"),
    ] {
        assert!(CASE.contains(right), "{right}");
        let said = complaint(&CASE.replace(right, wrong));
        assert!(said.contains(want), "{wrong}: {said}");
    }
    let twice = format!("{CASE}{}", CASE.replace("about = \"one case\"", ""));
    assert!(complaint(&twice).contains("line 24: there are two cases \"ask\""), "{}", complaint(&twice));
    let cut = |from: &str, to: &str| {
        let (a, b) = (CASE.find(from).unwrap(), CASE.find(to).unwrap());
        complaint(&format!("{}{}", &CASE[..a], &CASE[b..]))
    };
    assert!(cut("check = [", "solution").contains("line 5: \"ask\" has no [[case.check]]"));
    assert!(complaint(&CASE[..CASE.find("solution").unwrap()]).contains("line 5: \"ask\" has no solution"));
    assert!(complaint("about = \"x\"").contains("line 1: the suite has no case"));
    assert!(complaint("about = ").contains("mine.toml, line 1: "));
}

#[test]
fn a_world_that_there_is_not_is_named_with_the_one_that_was_meant() {
    let of = |rest: &str| complaint(&format!("[[world]]\n{rest}"));
    assert_eq!(
        of("world = \"desc\""),
        "mine.toml, line 2: there is no world \"desc\"; there are: desk. Did you mean `desk`?"
    );
    assert_eq!(
        of("world = \"desk\"\ntasks = [\"write-nte\"]"),
        "mine.toml, line 3: the world desk has no task \"write-nte\". Did you mean `write-note`?"
    );
    assert!(of("world = \"desk\"\nscale = 9.0").contains("line 3: a scale is a number from 1 to 3"));
    assert!(of("world = \"desk\"\ndisplays = 3").contains("line 3: there can be 1 or 2 displays"));
    assert!(of("world = \"desk\"\nsuffix = \"a b\"").contains("line 3: a suffix is made of"));
    let twice = "[[world]]\nworld = \"desk\"\n[[world]]\nworld = \"desk\"\n";
    assert!(
        complaint(twice).contains("line 3: there are two cases \"start-program\""),
        "{}",
        complaint(twice)
    );
}
