//! Checks of the sources that neither rustc nor clippy makes.
//!
//! Text rules only, each with the reason in its message. An exception is a line in a list here with a reason, and
//! an exception nobody needs any more is itself a violation.

use anyhow::Result;

use crate::workspace::{Source, Workspace};

const MAX_LINES: usize = 500;
const TURN: &str = "crates/agent/src/turn.rs";
const TURN_MAX_LINES: usize = 120;
const GATE_HOME: &str = "crates/agent/src/policy";

/// Files that may be longer than [`MAX_LINES`], and why.
const LONG_FILES: &[(&str, &str)] = &[];

/// Every violation in the sources of `crates/`, `xtask/` and `examples/`.
pub(crate) fn check(workspace: &Workspace) -> Result<Vec<String>> {
    let sources = workspace.sources(&["crates", "xtask", "examples"])?;
    Ok(CHECKS.iter().flat_map(|(_, check)| check(&sources)).collect())
}

type Check = fn(&[Source]) -> Vec<String>;

/// By name, so that the test command can count them.
pub(crate) const CHECKS: &[(&str, Check)] = &[
    ("length", |sources| length(sources, LONG_FILES)),
    ("forgotten files", forgotten_files),
    ("one test binary", one_test_binary),
    ("one gate", one_gate),
    ("module headers", module_headers),
    ("no ignored test", no_ignored_test),
    ("turn on one screen", turn_on_one_screen),
];

fn length(sources: &[Source], long: &[(&str, &str)]) -> Vec<String> {
    let mut violations = Vec::new();
    for source in sources {
        let lines = source.text.lines().count();
        if lines > MAX_LINES && !long.iter().any(|(path, _)| *path == source.path) {
            violations.push(format!(
                "{}: {lines} lines; over {MAX_LINES} a file is about two things: split it by what they are",
                source.path
            ));
        }
    }
    for (path, reason) in long {
        let now =
            sources.iter().find(|source| source.path == *path).map(|source| source.text.lines().count());
        if now.is_none_or(|lines| lines <= MAX_LINES) {
            violations
                .push(format!("{path}: is not long any more; take it out of LONG_FILES (\"{reason}\")"));
        }
    }
    violations
}

/// A file no `mod` names is never compiled: its tests pass by not being there.
fn forgotten_files(sources: &[Source]) -> Vec<String> {
    let mut violations = Vec::new();
    for source in sources {
        let Some((dir, file)) = source.path.rsplit_once('/') else { continue };
        let in_module_tree = source.path.contains("/src/") || source.path.contains("/tests/it/");
        if !in_module_tree || matches!(file, "lib.rs" | "main.rs") || dir.ends_with("/bin") {
            continue;
        }
        let (dir, module) = match file {
            "mod.rs" => dir.rsplit_once('/').unwrap_or((dir, "")),
            _ => (dir, file.trim_end_matches(".rs")),
        };
        let parents = ["lib.rs", "main.rs", "mod.rs"].map(|name| format!("{dir}/{name}"));
        let named = sources
            .iter()
            .filter(|parent| parents.contains(&parent.path) || parent.path == format!("{dir}.rs"))
            .any(|parent| names_module(&parent.text, module));
        if !named {
            violations.push(format!(
                "{}: no `mod {module};` names it, so it is never compiled and its tests never run",
                source.path
            ));
        }
    }
    violations
}

fn names_module(text: &str, module: &str) -> bool {
    text.lines().map(str::trim_start).filter(|line| !line.starts_with("//")).any(|line| {
        let by_path = line.starts_with("#[path") && line.contains(&format!("{module}.rs\""));
        let by_name = line.split_once("mod ").is_some_and(|(_, rest)| {
            rest.strip_prefix(module).is_some_and(|rest| rest.starts_with([';', ' ']))
        });
        by_path || by_name
    })
}

fn one_test_binary(sources: &[Source]) -> Vec<String> {
    let top_level = |source: &&Source| match source.path.split('/').collect::<Vec<_>>()[..] {
        ["crates", _, "tests", file] => file.ends_with(".rs"),
        _ => false,
    };
    let message = |source: &Source| {
        format!(
            "{}: one integration binary per crate (linking is slow): make it a module of tests/it/",
            source.path
        )
    };
    sources.iter().filter(top_level).map(message).collect()
}

/// The gate is safe because one place builds it; a second one would be a second policy.
fn one_gate(sources: &[Source]) -> Vec<String> {
    let builders: Vec<&Source> = sources.iter().filter(|source| builds_gate(&product_code(source))).collect();
    let mut violations = Vec::new();
    for source in &builders {
        if !source.path.starts_with(GATE_HOME) {
            violations
                .push(format!("{}: builds a Gate; only {GATE_HOME} may, others are given one", source.path));
        }
    }
    if builders.len() > 1 {
        let paths: Vec<&str> = builders.iter().map(|source| source.path.as_str()).collect();
        violations.push(format!(
            "one product file may build a Gate, but {} do: {}",
            paths.len(),
            paths.join(", ")
        ));
    }
    if builders.is_empty() && sources.iter().any(|source| source.path == TURN) {
        violations
            .push(format!("{GATE_HOME}: nobody builds a Gate with `Gate::...(`, yet there is a {TURN}"));
    }
    violations
}

/// An associated call on `Gate` itself: `Gate::new(`, `Gate::with_rules(`; not `ApprovalGate::new(`.
fn builds_gate(code: &str) -> bool {
    code.match_indices("Gate::").any(|(at, found)| {
        let whole_word = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let call = code[at + found.len()..].trim_start_matches(|c: char| c.is_lowercase() || c == '_');
        whole_word && call.starts_with('(') && !code[at + found.len()..].starts_with('(')
    })
}

/// The text without comments and tests; empty for a file that is all test.
fn product_code(source: &Source) -> String {
    let path = &source.path;
    let product =
        path.starts_with("crates/") && path.contains("/src/") && !path.starts_with("crates/testkit/");
    if !product || path.ends_with("/tests.rs") || path.contains("/tests/") {
        return String::new();
    }
    let mut code = String::new();
    let mut lines = source.text.lines().peekable();
    while let Some(line) = lines.next() {
        // rustfmt puts the closing brace of a top-level module at the line's start.
        if line == "#[cfg(test)]"
            && lines.peek().is_some_and(|next| next.contains("mod ") && next.ends_with('{'))
        {
            lines.by_ref().find(|line| *line == "}");
        } else if !line.trim_start().starts_with("//") {
            code.push_str(line);
            code.push('\n');
        }
    }
    code
}

fn module_headers(sources: &[Source]) -> Vec<String> {
    // The tests of a module stand under its header, also where they are a file of their own.
    let headless = |source: &&Source| {
        !source.text.trim_start().starts_with("//!") && !source.path.ends_with("/tests.rs")
    };
    let message = |source: &Source| {
        format!("{}: a module opens with `//!`: what it is for and what it refuses to do", source.path)
    };
    sources.iter().filter(headless).map(message).collect()
}

/// How the reason begins where an ignored function is no test at all: the entry point of a child process, a recorder.
const NO_TESTS: &[&str] = &["a process that other tests start", "records anew"];

fn no_ignored_test(sources: &[Source]) -> Vec<String> {
    let mut violations = Vec::new();
    for source in sources {
        for (at, line) in source.text.lines().enumerate() {
            let line = line.trim_start();
            let reason = line.strip_prefix("#[ignore = \"");
            let allowed = reason.is_some_and(|r| NO_TESTS.iter().any(|start| r.starts_with(start)));
            if (line.starts_with("#[ignore]") || reason.is_some()) && !allowed {
                violations.push(format!(
                    "{}:{}: an ignored test is a test that cannot fail; make it run (a long one behind \
                     HANDSIGHT_LONG) or delete it",
                    source.path,
                    at + 1
                ));
            }
        }
    }
    violations
}

fn turn_on_one_screen(sources: &[Source]) -> Vec<String> {
    let lines =
        sources.iter().find(|source| source.path == TURN).map_or(0, |source| source.text.lines().count());
    if lines > TURN_MAX_LINES {
        vec![format!(
            "{TURN}: {lines} lines; the turn stays on one screen ({TURN_MAX_LINES}): move variety into turn/"
        )]
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> Source {
        Source::new(path, text)
    }

    #[test]
    fn long_files_need_a_reason_and_reasons_need_a_long_file() {
        let long = file("crates/a/src/long.rs", &"x\n".repeat(501));
        let short = file("crates/a/src/short.rs", &"x\n".repeat(500));
        let sources = [long, short];
        assert!(length(&sources, &[])[0].starts_with("crates/a/src/long.rs: 501 lines"));
        assert_eq!(length(&sources, &[("crates/a/src/long.rs", "a table")]).len(), 0);
        assert_eq!(
            length(&sources, &[("crates/a/src/long.rs", "a table"), ("crates/a/src/short.rs", "x")]).len(),
            1
        );
        assert_eq!(length(&sources[1..], &[("crates/gone.rs", "x")]).len(), 1);
    }

    #[test]
    fn a_file_without_a_mod_is_forgotten() {
        let sources = [
            file("crates/a/src/lib.rs", "//! a\npub mod used;\n// mod noted;\nmod folder;\nmod in_line {}"),
            file("crates/a/src/used.rs", ""),
            file("crates/a/src/noted.rs", ""),
            file("crates/a/src/use.rs", ""),
            file("crates/a/src/folder/mod.rs", "mod deep;"),
            file("crates/a/src/folder/deep.rs", ""),
            file("crates/a/src/used/below.rs", ""),
            file("crates/a/tests/it/main.rs", "//! it\npub(crate) mod kill;"),
            file("crates/a/tests/it/kill.rs", "#[path = \"other.rs\"]\nmod x;"),
            file("crates/a/tests/it/kill/other.rs", ""),
            file("crates/a/tests/it/forgotten.rs", ""),
        ];
        let found = forgotten_files(&sources);
        let paths: Vec<&str> = found.iter().map(|line| line.split(':').next().unwrap()).collect();
        assert_eq!(
            paths,
            [
                "crates/a/src/noted.rs",
                "crates/a/src/use.rs",
                "crates/a/src/used/below.rs",
                "crates/a/tests/it/forgotten.rs"
            ]
        );
    }

    #[test]
    fn a_second_test_binary_is_refused() {
        let sources = [
            file("crates/a/tests/it/main.rs", ""),
            file("crates/a/tests/more.rs", ""),
            file("crates/a/src/lib.rs", ""),
        ];
        assert_eq!(one_test_binary(&sources).len(), 1);
    }

    #[test]
    fn a_second_gate_is_refused_wherever_it_hides() {
        let home = file("crates/agent/src/policy/mod.rs", "let gate = Gate::new(rules);");
        assert_eq!(one_gate(std::slice::from_ref(&home)).len(), 0);
        for (path, text) in [
            ("crates/app/src/manual.rs", "let g = handsight_base::gate::Gate::new(all);"),
            ("crates/agent/src/policy/second.rs", "Gate::with_rules(x)"),
            ("crates/agent/src/turn/act.rs", "#[cfg(test)]\nmod tests {\n}\nfn f() { Gate::new(x) }"),
        ] {
            let sources = [home.clone(), file(path, text)];
            assert!(!one_gate(&sources).is_empty(), "{path}");
        }
    }

    #[test]
    fn tests_comments_and_other_gates_are_no_second_gate() {
        for (path, text) in [
            ("crates/base/src/gate.rs", "/// Gate::new(rules)\nimpl Gate {\n    pub fn new() {}\n}"),
            ("crates/base/src/gate.rs", "#[cfg(test)]\nmod tests {\n    fn f() { Gate::new(x) }\n}"),
            ("crates/base/src/gate/tests.rs", "Gate::new(x)"),
            ("crates/desktop/tests/it/main.rs", "Gate::new(x)"),
            ("crates/testkit/src/gate.rs", "Gate::new(x)"),
            ("crates/vision/src/cutscene.rs", "CutsceneGate::new(x)"),
            ("crates/agent/src/turn/act.rs", "fn f(g: &Gate) { g.approve(x); Gate::LIMIT }"),
        ] {
            assert_eq!(one_gate(&[file(path, text)]), Vec::<String>::new(), "{path}: {text}");
        }
    }

    #[test]
    fn a_turn_without_a_gate_is_refused() {
        assert_eq!(one_gate(&[file(TURN, "//! turn")]).len(), 1);
    }

    #[test]
    fn headers_ignored_tests_and_a_long_turn_are_seen() {
        assert_eq!(module_headers(&[file("a.rs", "use x;"), file("b.rs", "//! b")]).len(), 1);
        let ignored = file("a.rs", "#[test]\n#[ignore]\nfn a() {}\n    #[ignore = \"slow\"]\n// #[ignore]");
        assert_eq!(no_ignored_test(&[ignored]).len(), 2);
        let child =
            file("a.rs", "#[test]\n#[ignore = \"a process that other tests start: a child\"]\nfn a() {}");
        assert_eq!(no_ignored_test(&[child]).len(), 0);
        assert_eq!(turn_on_one_screen(&[file(TURN, &"x\n".repeat(121))]).len(), 1);
        assert_eq!(turn_on_one_screen(&[file(TURN, &"x\n".repeat(120))]).len(), 0);
    }
}
