//! Arguments that make no sense, help, and what is generated from the command line's definition.

use crate::handsight::Handsight;
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn bad_usage_ends_with_2_and_says_what_is_wrong() {
    let handsight = Handsight::new();
    for (args, words) in [
        (&["dance"][..], "unrecognized subcommand 'dance'"),
        (&["run", "--max-turns", "many", "x"], "invalid value 'many'"),
        (&["run", "--max-turns", "0", "x"], "invalid value '0'"),
        (&["run", "--colour", "x"], "unexpected argument '--colour'"),
        (&["run", "one", "two"], "unexpected argument 'two'"),
        (&["run", "--resume", "r", "--profile", "stateless"], "cannot be used with"),
        (&["run", "--resume", "r", "--desktop", "x11"], "cannot be used with"),
        (&["-q", "-v", "profiles"], "cannot be used with"),
        (&["profiles", "show", "statless"], "Did you mean \"stateless\"?"),
        (&["profiles", "show", "--set", "act.jiter=1"], "Did you mean `act.jitter`?"),
        (&["profiles", "show", "--set", "act.jitter"], "a setting is given as table.key=value"),
        (&["profiles", "show", "--set", "act.jitter=much"], "--set act.jitter=much"),
    ] {
        let said = handsight.run(args);
        said.ended(2).told(words);
        assert_eq!(said.stdout, "", "{args:?}");
    }
}

#[test]
fn without_a_word_it_shows_its_help() {
    let handsight = Handsight::new();
    let said = handsight.run(&[]);
    said.ended(2).told("Usage: handsight");
    let said = handsight.run(&["--help"]);
    said.ended(0);
    for words in
        ["run", "manual", "runs", "window", "profiles", "models", "doctor", "Exit codes:", "HANDSIGHT_LOG"]
    {
        assert!(said.stdout.contains(words), "{words}: {}", said.stdout);
    }
    assert!(!said.stdout.contains("__hands"), "{}", said.stdout);
    handsight.run(&["--version"]).ended(0);
}

#[test]
fn the_page_of_exit_codes_is_that_of_the_program() {
    let page = include_str!("../../../../docs/exit-codes.md");
    let rows: Vec<(String, String)> = page
        .lines()
        .filter_map(|l| l.strip_prefix("| "))
        .filter_map(|l| {
            let mut cells = l.split(" | ");
            let code = cells.next()?.trim();
            let about = cells.next()?.trim_end_matches(" |").trim();
            code.parse::<u8>().ok()?;
            Some((code.to_owned(), about.to_owned()))
        })
        .collect();
    let help = Handsight::new().run(&["--help"]).stdout;
    let (_, table) = help.split_once("Exit codes:").unwrap();
    let of_help: Vec<(String, String)> = table
        .lines()
        .filter_map(|l| l.trim().split_once("  "))
        .filter(|(code, _)| code.parse::<u8>().is_ok())
        .map(|(code, about)| (code.to_owned(), about.trim().to_owned()))
        .collect();
    assert_eq!(rows.len(), 13, "{rows:?}");
    assert_eq!(rows, of_help);
}

#[test]
fn man_pages_and_completions_come_from_the_same_definition() {
    let handsight = Handsight::new();
    handsight.run(&["generate", "man", "man"]).ended(0);
    handsight.run(&["generate", "completions", "completions"]).ended(0);
    let page = std::fs::read_to_string(handsight.home().join("man/handsight-run.1")).unwrap();
    assert!(page.contains("max\\-turns") && page.contains("TASK"), "{page}");
    assert!(std::fs::read_to_string(handsight.home().join("man/handsight.1")).unwrap().contains("143"));
    assert!(!handsight.home().join("man/handsight-__hands.1").exists());
    let names: BTreeSet<String> = std::fs::read_dir(handsight.home().join("completions"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    let want = ["_handsight", "_handsight.ps1", "handsight.bash", "handsight.elv", "handsight.fish"];
    assert_eq!(names, want.map(str::to_owned).into());
    let bash = std::fs::read_to_string(handsight.home().join("completions/handsight.bash")).unwrap();
    assert!(bash.contains("--max-turns"));
}

#[test]
fn the_generated_pages_are_those_of_the_program() {
    let handsight = Handsight::new();
    handsight.run(&["generate", "man", "new/man"]).ended(0);
    handsight.run(&["generate", "reference", "new"]).ended(0);
    let (new, kept) = (handsight.home().join("new"), Path::new(KEPT));
    let stale = "`cargo xtask docs` makes the pages of docs/generated anew";
    assert_eq!(pages(&new), pages(kept), "{stale}");
    for page in pages(kept) {
        let [new, kept] = [&new, kept].map(|dir| std::fs::read_to_string(dir.join(&page)).unwrap());
        assert!(new == kept, "{page} is stale; {stale}");
    }
    // Every command is there with what it prints of itself.
    let reference = std::fs::read_to_string(kept.join("cli.md")).unwrap();
    for name in ["handsight", "handsight run", "handsight runs replay", "handsight window focus"] {
        assert!(reference.contains(&format!("\n## {name}\n")), "{name}");
    }
    assert!(!reference.contains("__hands"));
}

#[test]
fn the_page_of_models_is_that_of_the_providers() {
    let handsight = Handsight::new();
    handsight.run(&["generate", "models", "new"]).ended(0);
    let new = std::fs::read_to_string(handsight.home().join("new/models.md")).unwrap();
    let kept = include_str!("../../../../docs/models.md");
    assert!(new == kept, "docs/models.md is stale; `cargo xtask docs` makes it anew");
}

#[test]
fn the_page_of_dialects_is_that_of_the_list() {
    let handsight = Handsight::new();
    handsight.run(&["generate", "dialects", "new"]).ended(0);
    let new = std::fs::read_to_string(handsight.home().join("new/dialects.md")).unwrap();
    let kept = include_str!("../../../../docs/dialects.md");
    assert!(new == kept, "docs/dialects.md is stale; `cargo xtask docs` makes it anew");
}

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/generated");

/// What is in a folder and in its folders.
fn pages(folder: &Path) -> BTreeSet<String> {
    let below = |dir: &str| -> Vec<String> {
        let entries = std::fs::read_dir(folder.join(dir)).unwrap();
        entries.map(|e| format!("{dir}{}", e.unwrap().file_name().to_str().unwrap())).collect()
    };
    below("").into_iter().filter(|name| name != "man").chain(below("man/")).collect()
}

// spec: S-05 UNIT
#[cfg(target_os = "linux")]
#[test]
fn nothing_has_to_be_installed_beside_the_operating_system() {
    // The C library and its parts, which every Linux program of this kind is linked to.
    const OF_THE_SYSTEM: &[&str] =
        &["linux-vdso", "libc.so", "libm.so", "libgcc_s.so", "libdl.so", "libpthread.so", "ld-linux"];
    if !handsight_testkit::need::need("ldd", "libc-bin") {
        return;
    }
    let output = std::process::Command::new("ldd").arg(env!("CARGO_BIN_EXE_handsight")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let linked: Vec<&str> = text.lines().filter_map(|l| l.split_whitespace().next()).collect();
    assert!(linked.iter().any(|l| l.starts_with("libc.so")), "{text}");
    for library in linked {
        let name = library.rsplit('/').next().unwrap();
        assert!(OF_THE_SYSTEM.iter().any(|s| name.starts_with(s)), "{library}");
    }
    // With no environment, no home and no terminal it starts and knows its defaults.
    let mut bare = Handsight::new().command(&["config", "dump"]);
    bare.env_clear().current_dir("/");
    crate::handsight::run(bare, std::time::Duration::from_secs(60)).ended(0);
}

#[test]
fn a_folder_that_cannot_be_written_is_storage() {
    let handsight = Handsight::new();
    std::fs::write(handsight.home().join("file"), "").unwrap();
    handsight.run(&["generate", "man", "file/man"]).ended(7).told("file/man");
}

#[test]
fn directives_that_make_no_sense_are_named() {
    let handsight = Handsight::new().with("HANDSIGHT_LOG", "a=b=c");
    handsight.run(&["profiles"]).ended(2).told("HANDSIGHT_LOG");
}
