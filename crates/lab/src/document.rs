//! An evaluation as scripts read it. The fields are a contract.

use crate::eval::{Evaluation, Player};
use crate::score::Score;
use crate::stats::Rate;
use serde_json::{Map, Value, json};

/// The object of `eval --json`: scores and the model's attempts.
pub fn summary(evaluation: &Evaluation) -> Map<String, Value> {
    let model = Score::of(evaluation, Player::Model);
    let control = |player| {
        let score = Score::of(evaluation, player);
        json!({ "passed": score.all.passed, "of": score.all.of, "void": score.voids })
    };
    let tasks: Vec<Value> = evaluation
        .of(Player::Model)
        .map(|a| {
            json!({
                "name": a.case, "level": a.level, "seed": a.seed, "verdict": a.verdict, "outcome": a.outcome,
                "turns": a.turns, "why": a.why, "run": a.run,
            })
        })
        .collect();
    let fields = [
        ("suite", json!(evaluation.suite)),
        ("profile", json!(evaluation.profile)),
        ("model", json!(evaluation.model)),
        ("desktop", json!(evaluation.desktop)),
        ("seeds", json!(evaluation.seeds)),
        ("planned", json!(evaluation.planned)),
        ("played", json!(evaluation.attempts.len())),
        ("success", rate(&model.all)),
        ("levels", model.levels.iter().map(|(level, of)| (level.to_string(), rate(of))).collect()),
        ("tags", model.tags.iter().map(|(tag, of)| (tag.clone(), rate(of))).collect()),
        ("pass_at", model.pass_at.iter().map(|(k, chance)| (k.to_string(), json!(chance))).collect()),
        ("void", json!(model.voids)),
        ("unsaid", json!(model.unsaid)),
        ("turns", json!(model.turns)),
        ("actions", json!(model.actions)),
        ("tokens", json!({ "input": model.input_tokens, "output": model.output_tokens })),
        ("cost_usd", json!(model.cost_usd)),
        ("wall_s", json!(model.wall_s)),
        ("overhead_ms_p50", json!(model.overhead_ms_p50)),
        ("malformed", json!(model.malformed)),
        (
            "controls",
            json!({
                "no-op": control(Player::NoOp), "random": control(Player::Random),
                "oracle": control(Player::Oracle),
            }),
        ),
        ("broken", json!(evaluation.broken())),
        ("left_out", json!(evaluation.left_out)),
        ("tasks", Value::Array(tasks)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The object of `eval.json`: the same, and every attempt of every player.
pub fn whole(evaluation: &Evaluation) -> Value {
    let mut fields = summary(evaluation);
    fields.insert("attempts".into(), json!(evaluation.attempts));
    Value::Object(fields)
}

fn rate(of: &Rate) -> Value {
    json!({ "passed": of.passed, "of": of.of, "rate": of.rate, "low": of.low, "high": of.high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Verdict;
    use crate::score::tests::evaluation;

    #[test]
    fn the_document_has_the_fields_of_the_contract_in_their_order() {
        let evaluation = evaluation(1, |job| match job.player {
            Player::Oracle => Verdict::Passed,
            Player::Model if job.case.id == "compute" => Verdict::Passed,
            _ => Verdict::Failed,
        });
        let summary = summary(&evaluation);
        let names: Vec<&str> = summary.keys().map(String::as_str).collect();
        assert_eq!(
            names.join(" "),
            "suite profile model desktop seeds planned played success levels tags pass_at void unsaid turns actions \
             tokens cost_usd wall_s overhead_ms_p50 malformed controls broken left_out tasks"
        );
        assert_eq!(summary["success"]["rate"], 0.5);
        assert_eq!(summary["levels"]["2"]["of"], 2);
        assert_eq!(summary["pass_at"]["1"], 0.5);
        assert_eq!(summary["controls"]["oracle"], json!({ "passed": 2, "of": 2, "void": 0 }));
        assert_eq!(summary["tasks"][0]["verdict"], "failed");
        assert_eq!(whole(&evaluation)["attempts"].as_array().map(Vec::len), Some(8));
    }
}
