//! Whether a body is one that a service counts: Anthropic's `count_tokens`, Gemini's `countTokens`.
//!
//! Written from the types of anthropic-sdk-python and Gemini's API reference, read in 2026. What is counted is the request itself,
//! so that it is held against the same rules, but for what stands around it.

use super::Check;
use crate::chat::Api;
use serde_json::{Value, json};

/// What Anthropic's call takes of a request.
const COUNTED: &[&str] = &["system", "tools", "tool_choice", "thinking", "output_config"];

/// What is wrong with a body that is to be counted. `model` is the one of the path, for an API that has it there.
pub(in crate::chat) fn wrong(api: Api, model: &str, body: &[u8]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut json: Value = match serde_json::from_slice(body) {
        Ok(json) => json,
        Err(e) => return vec![format!("the body is no JSON: {e}")],
    };
    let mut check = Check { wrong: &mut wrong, pictures: Vec::new(), size: None };
    match api {
        Api::Messages => {
            check.keys("the request", &json, &["model", "messages"], COUNTED);
            // Above any budget for thinking.
            json["max_tokens"] = json!(1_000_000);
            check.messages_request(&json);
        }
        Api::Gemini => {
            check.keys("the request", &json, &["generateContentRequest"], &[]);
            let mut inner = json["generateContentRequest"].take();
            let named = inner.as_object_mut().and_then(|map| map.remove("model"));
            let told = format!("models/{model}");
            check.must(named == Some(json!(told)), || format!("model is {named:?}, not {told}"));
            check.gemini_request(&inner, model);
        }
        Api::Chat | Api::Responses => check.wrong.push("nothing is counted here".into()),
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_an_answer_is_not_counted() {
        let asked = json!({"model": "m", "messages": [{"role": "user", "content": "Hello"}]});
        let wrong_of = |body: &Value| wrong(Api::Messages, "", body.to_string().as_bytes());
        assert!(wrong_of(&asked).is_empty(), "{:?}", wrong_of(&asked));
        for key in ["max_tokens", "stream", "temperature", "top_p"] {
            let mut more = asked.clone();
            more[key] = json!(1);
            assert!(wrong_of(&more)[0].contains(key), "{key}");
        }
    }

    #[test]
    fn gemini_counts_a_whole_request_that_names_its_model() {
        let inner =
            json!({"model": "models/m", "contents": [{"role": "user", "parts": [{"text": "Hello"}]}]});
        let wrong_of = |body: Value| wrong(Api::Gemini, "m", body.to_string().as_bytes());
        assert!(wrong_of(json!({"generateContentRequest": inner})).is_empty());
        assert!(!wrong_of(inner.clone()).is_empty(), "bare");
        let mut other = inner;
        other["model"] = json!("m");
        assert!(!wrong_of(json!({"generateContentRequest": other})).is_empty(), "no name of a resource");
    }
}
