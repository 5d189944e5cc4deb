//! `cargo xtask docs`: writes what is generated from the program's own lists, so that no page repeats them by hand.
//!
//! The program generates (`handsight generate man|completions|reference DIR`, a hidden subcommand); this only says where to. A test
//! of the program holds these pages against it. Completions are large and for packages, which make them themselves.

use std::process::Command;

use anyhow::{Context as _, Result};

use crate::workspace::Workspace;

/// True when everything was written.
pub(crate) fn run(workspace: &Workspace) -> Result<bool> {
    let mut all = true;
    for (what, dir) in [
        ("man", "docs/generated/man"),
        ("reference", "docs/generated"),
        ("models", "docs"),
        ("dialects", "docs"),
    ] {
        std::fs::create_dir_all(workspace.root.join(dir)).with_context(|| format!("{dir} cannot be made"))?;
        let status = Command::new("cargo")
            .current_dir(&workspace.root)
            .args(["run", "--quiet", "--package", "handsight-app", "--", "generate", what, dir])
            .status()
            .context("cargo cannot be run")?;
        if status.success() {
            println!("{dir}: written");
        } else {
            println!("{dir}: `handsight generate {what}` failed");
            all = false;
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const PAGES: [&str; 7] = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "docs/eval.md",
        "docs/performance.md",
        "docs/policy.md",
        "examples/README.md",
    ];
    /// Folders at the root that pages name files in; `crates/` may be left out.
    const ROOTS: [&str; 6] = ["crates", "docs", "examples", "profiles", "xtask", "bench"];

    /// What a page names that is not there. A line that says `(planned)` may name what is to come.
    fn not_there(root: &Path, page: &str, text: &str) -> Vec<String> {
        let beside = Path::new(page).parent().unwrap_or(Path::new(""));
        let mut missing = Vec::new();
        for line in text.lines().filter(|line| !line.contains("(planned)")) {
            let links = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            for link in links.filter(|link| !link.contains("://") && !link.starts_with('#')) {
                if !root.join(beside).join(link).exists() {
                    missing.push(format!("{page}: the link {link}"));
                }
            }
            for path in line.split('`').skip(1).step_by(2) {
                let plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
                let Some((first, _)) = path.split_once('/').filter(|_| plain) else { continue };
                let in_crates = root.join("crates").join(first).is_dir();
                if (ROOTS.contains(&first) || in_crates)
                    && !root.join(path).exists()
                    && !root.join("crates").join(path).exists()
                {
                    missing.push(format!("{page}: `{path}`"));
                }
            }
        }
        missing
    }

    #[test]
    fn pages_name_what_is_there() {
        let root = Workspace::find().unwrap().root;
        for page in PAGES {
            let text = std::fs::read_to_string(root.join(page)).unwrap();
            assert_eq!(not_there(&root, page, &text), [""; 0]);
        }
        let wrong = "`agent/src/gone.rs` [x](docs/gone.md) `crates/gone/` `docs/spec` [y](docs/spec) `a/b`";
        let found = not_there(&root, "README.md", wrong);
        assert_eq!(
            found,
            ["the link docs/gone.md", "`agent/src/gone.rs`", "`crates/gone/`"]
                .map(|w| format!("README.md: {w}"))
        );
        assert_eq!(not_there(&root, "README.md", "(planned) `crates/gone/`"), [""; 0]);
    }
}
