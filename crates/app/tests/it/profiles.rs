//! `profiles` and `models`: what is in force, where it comes from, and what a mistake is told.

use crate::handsight::{Handsight, run};
use std::time::Duration;
use toml::Table;

fn resolved(handsight: &Handsight, args: &[&str]) -> Table {
    let said = handsight.run(args);
    said.ended(0);
    said.stdout.parse().unwrap()
}

/// Every setting of the tables S-67 to S-70 by the name it has there, with its default.
const DEFAULTS: &[(&str, &str)] = &[
    ("API_URL", "\"http://localhost:1234/v1/chat/completions\""),
    ("REQUEST_TIMEOUT_S", "120.0"),
    ("TEMPERATURE", "0.7"),
    ("TOP_P", "0.9"),
    ("MAX_TOKENS", "2000"),
    ("SCREEN_W", "1536"),
    ("SCREEN_H", "864"),
    ("INPUT_DELAY_S", "0.10"),
    ("DELAY_AFTER_ACTION_S", "0.85"),
    ("DELAY_AFTER_OBSERVE_S", "1.5"),
    ("DUMP_FOLDER", "\"dump\""),
    ("DUMP_SCREENSHOTS", "true"),
    ("SETTLE_ENABLED", "true"),
    ("SETTLE_MAX_S", "2.5"),
    ("SETTLE_SAMPLE_W", "256"),
    ("SETTLE_SAMPLE_H", "144"),
    ("SETTLE_CHECK_INTERVAL_S", "0.10"),
    ("SETTLE_REQUIRED_STABLE", "2"),
    ("SETTLE_CHANGE_RATIO_THRESHOLD", "0.006"),
    ("HUD_MAX_WIDTH", "700"),
    ("HUD_FONT_SIZE", "-18"),
    ("HUD_FONT_WEIGHT", "400"),
    ("HUD_FONT_NAME", "\"Segoe UI\""),
    ("HUD_LINE_SPACING", "2"),
    ("HUD_TEXT_COLOR", "0x00FFFFFF"),
    ("HUD_OUTLINE_COLOR", "0x00000000"),
    ("HUD_OUTLINE_PX", "1"),
    ("HUD_MARGIN", "10"),
    ("HUD_MAX_LINES", "8"),
    ("OVERLAY_REASSERT_PULSES", "2"),
];

// spec: S-67 S-68 S-69 S-70 UNIT
#[test]
fn config_dump_equals_the_table() {
    let dump = resolved(&Handsight::new(), &["config", "dump"]);
    assert_eq!(dump, resolved(&Handsight::new(), &["profiles", "show", "stateless", "--resolved"]));
    for (name, default) in DEFAULTS {
        let key = dump["alias"][name].as_str().unwrap_or_else(|| panic!("{name} is no alias"));
        let (table, field) = key.split_once('.').unwrap();
        let want = &format!("v = {default}").parse::<Table>().unwrap()["v"];
        assert_eq!(&dump[table][field], want, "{name} ({key})");
    }
}

// spec: S-71 UNIT
#[test]
fn an_empty_environment_is_enough_and_the_profile_has_a_version() {
    let mut command = Handsight::new().command(&["config", "dump"]);
    command.env_clear().current_dir("/");
    let said = run(command, Duration::from_secs(60));
    let dump: Table = said.ended(0).stdout.parse().unwrap();
    assert_eq!(dump["version"].as_str(), Some("1.0.0"));
    assert_eq!(dump, resolved(&Handsight::new(), &["config", "dump"]));
}

// spec: S-71 UNIT
#[test]
fn settings_change_without_a_rebuild_each_layer_over_the_last() {
    let handsight = Handsight::new();
    let path = handsight.config("stateless.toml", "[settle]\nmax_s = 1.0\nsample_w = 300\n");
    let handsight = handsight.with("SETTLE_MAX_S", "2").with("HANDSIGHT_SETTLE__SAMPLE_H", "100");
    let said = handsight.run(&["config", "dump", "--set", "settle.enabled=false"]);
    let dump: Table = said.ended(0).stdout.parse().unwrap();
    let settle = &dump["settle"];
    assert_eq!(settle["max_s"].as_float(), Some(2.0));
    assert_eq!(settle["sample_w"].as_integer(), Some(300));
    assert_eq!(settle["sample_h"].as_integer(), Some(100));
    assert_eq!(settle["enabled"].as_bool(), Some(false));
    for source in [path.to_str().unwrap(), "SETTLE_MAX_S", "HANDSIGHT_SETTLE__SAMPLE_H"] {
        assert!(said.stdout.contains(&format!("# with {source}\n")), "{source}: {}", said.stdout);
    }
}

#[test]
fn a_mistake_names_file_line_and_nearest_key() {
    let handsight = Handsight::new();
    handsight.config("stateless.toml", "[settle]\n\nmax_secs = 1.0\n");
    let said = handsight.run(&["config", "dump"]);
    said.ended(2).told("stateless.toml, line 3: unknown key `max_secs`. Did you mean `max_s`?");
    let handsight = Handsight::new().with("HANDSIGHT_SETTEL__MAX_S", "1");
    handsight.run(&["config", "dump"]).ended(2).told("HANDSIGHT_SETTEL__MAX_S");
}

#[test]
fn what_is_shown_unresolved_is_the_profile_as_it_was_written() {
    let said = Handsight::new().run(&["profiles", "show"]);
    assert_eq!(said.ended(0).stdout, include_str!("../../../../profiles/stateless/profile.toml"));
    let said = Handsight::new().run(&["profiles", "show", "--prompt"]);
    assert_eq!(said.ended(0).stdout, include_str!("../../../../profiles/stateless/prompt.md"));
}

#[test]
fn the_lists_name_everything_in_text_and_json() {
    let handsight = Handsight::new().with("OPENAI_API_KEY", "sk-do-not-show");
    handsight.config("profiles/mine/profile.toml", "name = \"mine\"\nabout = \"my own\"\n");
    handsight.config("profiles/mine/prompt.md", "{{task}} {{tools}}");
    handsight.config("providers/broken.txt", "not a provider");
    let said = handsight.run(&["profiles"]);
    assert!(said.ended(0).stdout.contains("stateless") && said.stdout.contains("my own"), "{said:?}");
    let json = handsight.run(&["profiles", "list", "--json"]).json();
    let names: Vec<&str> =
        json["profiles"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["stateless", "assist", "mine"]);

    let said = handsight.run(&["models"]);
    assert!(said.ended(0).stdout.contains("OPENAI_API_KEY is set"), "{said:?}");
    assert!(!said.stdout.contains("sk-do-not-show"));
    let said = handsight.run(&["models", "list", "--json"]);
    let rows = said.json()["providers"].as_array().unwrap().clone();
    let names: Vec<&str> = rows.iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 16);
    assert_eq!(names[..4], ["lmstudio", "openai", "anthropic", "gemini"]);
    assert_eq!(rows[1]["key_set"], true);
    assert!(!said.stdout.contains("sk-do-not-show"));
}
