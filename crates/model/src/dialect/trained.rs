//! Which models were trained on a grammar, by the names that they are served under everywhere.
//!
//! A provider's own line about a model goes before this, and so does a profile that names a dialect. A model that is not here speaks
//! its provider's dialect.

/// The beginning of a model's name in small letters, without its maker before it, and its dialect. The first that fits wins.
pub const TRAINED: &[(&str, &str)] = &[
    ("ui-tars-2", "ui-tars-2"),
    ("doubao-1.5-ui-tars", "ui-tars-2"),
    ("doubao-1-5-ui-tars", "ui-tars-2"),
    ("ui-tars-1.5", "ui-tars-1.5"),
    ("ui-tars", "ui-tars-1"),
    ("qwen2.5-vl", "qwen2.5-computer"),
    ("qwen2.5vl", "qwen2.5-computer"),
    ("qwen3-vl", "qwen3-computer"),
    ("qwen3.5", "qwen3.5-computer"),
    ("opencua", "opencua"),
    ("glm-4.5v", "glm-4.5v"),
    ("autoglm", "autoglm"),
    ("holo1.5", "holo-1.5"),
    ("holo1", "holo-1"),
    ("holo2", "holo-2"),
    ("fara", "fara"),
    ("lux-", "lux"),
];

/// The dialect of a model, whoever serves it: `ByteDance-Seed/UI-TARS-1.5-7B`, `qwen3-vl:8b`.
pub fn of(model: &str) -> Option<&'static str> {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    TRAINED.iter().find(|(begin, _)| name.starts_with(begin)).map(|(_, dialect)| *dialect)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::find;

    #[test]
    fn models_are_known_by_the_names_they_are_served_under() {
        for (model, dialect) in [
            ("ByteDance-Seed/UI-TARS-1.5-7B", Some("ui-tars-1.5")),
            ("bytedance/ui-tars-1.5-7b:free", Some("ui-tars-1.5")),
            ("ByteDance-Seed/UI-TARS-72B-DPO", Some("ui-tars-1")),
            ("doubao-1-5-ui-tars-250428", Some("ui-tars-2")),
            ("Qwen/Qwen2.5-VL-7B-Instruct", Some("qwen2.5-computer")),
            ("qwen2.5vl:7b", Some("qwen2.5-computer")),
            ("qwen/qwen3-vl-8b-instruct", Some("qwen3-computer")),
            ("xlangai/OpenCUA-32B", Some("opencua")),
            ("z-ai/glm-4.5v", Some("glm-4.5v")),
            ("zai-org/AutoGLM-Phone-9B", Some("autoglm")),
            ("Hcompany/Holo1.5-7B", Some("holo-1.5")),
            ("Hcompany/Holo2-8B", Some("holo-2")),
            ("microsoft/Fara-7B", Some("fara")),
            ("lux-actor-1", Some("lux")),
            ("qwen/qwen2-vl-7b-instruct", None),
            ("zai-org/GLM-4.5", None),
            ("gpt-5.5", None),
            ("", None),
        ] {
            assert_eq!(of(model), dialect, "{model}");
        }
        for (_, dialect) in TRAINED {
            assert!(find(dialect).is_some(), "{dialect}");
        }
    }
}
