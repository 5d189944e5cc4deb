//! The layer rule, read from the manifests: which crate may see which, and which heavy dependency has one home.
//!
//! ```text
//! base <- {pixel, store} <- {desktop, vision, model, worlds} <- agent <- {reflex, lab, detect, serve} <- app
//! ```
//!
//! Siblings never see each other. The agent meets desktop, model and worlds through the ports of base only.
//! It refuses to guess: a crate without a line in [`LAYERS`] is a violation.

use anyhow::{Context as _, Result};
use toml::{Table, Value};

use crate::workspace::Workspace;

/// One crate: what its product code may depend on, what its tests may depend on besides.
struct Layer {
    name: &'static str,
    sees: &'static [&'static str],
    tests_see: &'static [&'static str],
    why: &'static str,
}

const LOWER: &[&str] = &["base", "pixel", "store"];
const ABOVE_AGENT: &[&str] = &["base", "pixel", "store", "desktop", "vision", "model", "worlds", "agent"];
const SIBLINGS: &str =
    "desktop, vision, model and worlds are siblings: they meet in base's ports, and app joins them";
const LEARNERS: &str = "lab, detect and serve are siblings above agent; app joins them";

#[rustfmt::skip]
const LAYERS: &[Layer] = &[
    Layer { name: "base", sees: &[], tests_see: &[], why: "base is the bottom: nouns, ports and the gate" },
    Layer { name: "pixel", sees: &["base"], tests_see: &["testkit"], why: "pixel and store stand on base and never see each other" },
    Layer { name: "store", sees: &["base"], tests_see: &["testkit"], why: "pixel and store stand on base and never see each other" },
    Layer { name: "desktop", sees: LOWER, tests_see: &["testkit"], why: SIBLINGS },
    Layer { name: "vision", sees: LOWER, tests_see: &["testkit"], why: SIBLINGS },
    Layer { name: "model", sees: LOWER, tests_see: &["testkit"], why: SIBLINGS },
    Layer { name: "worlds", sees: LOWER, tests_see: &["testkit"], why: SIBLINGS },
    Layer {
        name: "agent", sees: &["base", "pixel", "store", "vision"], tests_see: &["testkit", "desktop", "model", "worlds"],
        why: "agent reaches desktop, model and worlds through base's ports only; its tests may use them",
    },
    Layer {
        name: "reflex", sees: &["base", "pixel", "vision"], tests_see: &["testkit", "store", "model", "worlds", "agent"],
        why: "reflex gets what any model gets, a picture and a text: no world, no desktop and no journal may reach it; its tests let it play",
    },
    Layer { name: "lab", sees: ABOVE_AGENT, tests_see: &["testkit"], why: LEARNERS },
    Layer { name: "detect", sees: ABOVE_AGENT, tests_see: &["testkit"], why: LEARNERS },
    Layer {
        name: "serve", sees: &["base", "pixel", "store", "vision", "model", "agent"], tests_see: &["testkit"],
        why: "serve reads the store and sends commands; it never touches a desktop itself",
    },
    Layer {
        name: "app",
        sees: &["base", "pixel", "store", "desktop", "vision", "model", "worlds", "agent", "reflex", "lab", "detect", "serve"],
        tests_see: &["testkit"],
        why: "app is the top: it assembles everything, and only its tests may use testkit",
    },
    Layer { name: "testkit", sees: &["base"], tests_see: &[], why: "testkit judges the others from outside: it knows base's ports and nothing else" },
    Layer { name: "xtask", sees: &[], tests_see: &[], why: "xtask looks at the tree, never through the product" },
];

/// Dependencies that have a home. Tests may use them anywhere.
#[rustfmt::skip]
const HOMES: &[(&str, &[&str], &str)] = &[
    ("anyhow", &["app", "xtask"], "a library's errors are typed by who must act (thiserror)"),
    ("clap", &["app"], "only app talks to the person"),
    ("rusqlite", &["store"], "all SQLite lives in store"),
    ("reqwest", &["model"], "only model speaks HTTP to a provider"),
    ("x11rb", &["desktop", "testkit"], "only desktop speaks to X, and testkit as its witness"),
];

#[derive(Clone, Copy, PartialEq)]
enum Use {
    Product,
    Tests,
}

/// Every violation in the manifests of `crates/*` and `xtask`.
pub(crate) fn check(workspace: &Workspace) -> Result<Vec<String>> {
    let mut violations = Vec::new();
    let mut manifests: Vec<String> =
        workspace.crates()?.iter().map(|name| format!("crates/{name}")).collect();
    manifests.push("xtask".to_owned());
    for folder in manifests {
        let path = format!("{folder}/Cargo.toml");
        let manifest = workspace.read(&path)?.parse().with_context(|| format!("{path} is not TOML"))?;
        let name = folder.rsplit('/').next().unwrap_or_default();
        violations.extend(check_manifest(name, &path, &manifest));
    }
    Ok(violations)
}

fn check_manifest(name: &str, path: &str, manifest: &Table) -> Vec<String> {
    let Some(layer) = LAYERS.iter().find(|layer| layer.name == name) else {
        return vec![format!(
            "{path}: crate `{name}` has no layer. A crate is earned by a heavy or OS-bound dependency, another \
             build profile, a port for outsiders, or a binary; else it is a module. If it is earned, give it a \
             line in LAYERS (xtask/src/layers.rs)"
        )];
    };
    let mut violations = Vec::new();
    for (section, usage, dependency) in dependencies(manifest) {
        let seen = dependency.strip_prefix("handsight-").unwrap_or(&dependency);
        let ours = seen != dependency || dependency == "xtask";
        if ours {
            let allowed =
                layer.sees.contains(&seen) || (usage == Use::Tests && layer.tests_see.contains(&seen));
            if !allowed {
                violations.push(format!(
                    "{path}: [{section}] {name} -> {seen} is against the layer rule: {}. {name} may see: {}{}",
                    layer.why,
                    listed(layer.sees),
                    if layer.tests_see.is_empty() {
                        String::new()
                    } else {
                        format!("; its tests also: {}", listed(layer.tests_see))
                    },
                ));
            }
        } else if usage == Use::Product
            && let Some((_, homes, why)) = HOMES.iter().find(|(dep, ..)| *dep == dependency)
            && !homes.contains(&name)
        {
            violations.push(format!(
                "{path}: [{section}] {name} -> {dependency}: {why}. Its home is {}",
                listed(homes)
            ));
        }
    }
    violations
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() { "nothing of the workspace".to_owned() } else { names.join(", ") }
}

/// (section, use, package) of every dependency, with those of `[target.'cfg(..)']` and of build scripts.
fn dependencies(manifest: &Table) -> Vec<(String, Use, String)> {
    const SECTIONS: [(&str, Use); 3] = [
        ("dependencies", Use::Product),
        ("build-dependencies", Use::Product),
        ("dev-dependencies", Use::Tests),
    ];
    let mut found = Vec::new();
    let mut collect = |prefix: &str, table: &Table| {
        for (section, usage) in SECTIONS {
            for (key, value) in table.get(section).and_then(Value::as_table).into_iter().flatten() {
                // A renamed dependency is still the package it names.
                let package = value.get("package").and_then(Value::as_str).unwrap_or(key);
                found.push((format!("{prefix}{section}"), usage, package.to_owned()));
            }
        }
    };
    collect("", manifest);
    for (target, table) in manifest.get("target").and_then(Value::as_table).into_iter().flatten() {
        if let Some(table) = table.as_table() {
            collect(&format!("target.'{target}'."), table);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(name: &str, manifest: &str) -> Vec<String> {
        check_manifest(name, &format!("crates/{name}/Cargo.toml"), &manifest.parse().unwrap())
    }

    #[test]
    fn a_crate_may_see_the_layers_below_it() {
        assert_eq!(
            violations(
                "agent",
                "[dependencies]\nhandsight-base.workspace = true\nhandsight-vision.workspace = true\n\
                 [dev-dependencies]\nhandsight-testkit.workspace = true\nhandsight-desktop.workspace = true"
            ),
            Vec::<String>::new()
        );
    }

    #[test]
    fn the_message_names_crate_edge_and_rule() {
        let found = violations("vision", "[dependencies]\nhandsight-model = { path = \"../model\" }");
        assert_eq!(found.len(), 1);
        for part in ["crates/vision/Cargo.toml", "[dependencies]", "vision -> model", "siblings"] {
            assert!(found[0].contains(part), "{part} is missing in: {}", found[0]);
        }
    }

    #[test]
    fn no_edge_hides_in_a_target_a_build_script_or_a_new_name() {
        for manifest in [
            "[target.'cfg(unix)'.dependencies]\nhandsight-desktop.workspace = true",
            "[build-dependencies]\nhandsight-model.workspace = true",
            "[dependencies]\neyes = { package = \"handsight-desktop\", path = \"../desktop\" }",
            "[dependencies]\nhandsight-testkit.workspace = true",
            "[dev-dependencies]\nhandsight-app.workspace = true",
            "[dependencies]\nxtask = { path = \"../../xtask\" }",
        ] {
            assert_eq!(violations("agent", manifest).len(), 1, "{manifest}");
        }
    }

    #[test]
    fn upward_edges_are_refused_for_every_crate_but_the_top() {
        for layer in LAYERS {
            let manifest = "[dependencies]\nhandsight-app.workspace = true";
            assert_eq!(violations(layer.name, manifest).len(), 1, "{} -> app", layer.name);
        }
    }

    #[test]
    fn the_table_itself_has_no_cycle() {
        // Each crate sees only crates above its own line, testkit (below all tests) apart.
        for (at, layer) in LAYERS.iter().enumerate() {
            for seen in layer.sees {
                let below = LAYERS.iter().position(|other| other.name == *seen);
                assert!(below.is_some_and(|below| below < at), "{} -> {seen}", layer.name);
            }
        }
    }

    #[test]
    fn nothing_of_a_world_reaches_the_offline_model() {
        for seen in ["worlds", "agent", "desktop", "store", "model"] {
            let manifest = format!("[dependencies]\nhandsight-{seen}.workspace = true");
            assert_eq!(violations("reflex", &manifest).len(), 1, "{seen}");
        }
    }

    #[test]
    fn a_heavy_dependency_stays_at_home_but_tests_may_use_it() {
        assert_eq!(violations("agent", "[dependencies]\nrusqlite = \"0.40\"").len(), 1);
        assert_eq!(violations("agent", "[dev-dependencies]\nrusqlite = \"0.40\"").len(), 0);
        assert_eq!(violations("store", "[dependencies]\nrusqlite = \"0.40\"").len(), 0);
    }

    #[test]
    fn an_unknown_crate_is_a_violation() {
        assert!(violations("utils", "")[0].contains("has no layer"));
    }
}
