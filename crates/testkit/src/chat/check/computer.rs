//! Whether a request offers and answers a provider's own computer as that provider wants it.
//!
//! Written from the public pages "Computer use tool" and "Tool reference" of Anthropic, the types of openai-python and the page
//! "Computer use" of Gemini, as of autumn 2026. Stricter in two things: a batch that failed must say so in the documented words,
//! and the size that a request tells must be that of a picture in it.

use super::Check;
use serde_json::Value;

/// The tools of Anthropic's toolset.
const MEMBERS: [&str; 17] = [
    "screenshot",
    "zoom",
    "left_click",
    "right_click",
    "middle_click",
    "double_click",
    "triple_click",
    "left_click_drag",
    "mouse_move",
    "left_mouse_down",
    "left_mouse_up",
    "cursor_position",
    "scroll",
    "type",
    "key",
    "hold_key",
    "wait",
];

pub(in crate::chat) const TOOLSET: &str = "computer_toolset_20260801";

const HALTED: &str = "Not executed: an earlier computer action in this turn failed.";

/// The older tools and the header that each needs.
const BETAS: [(&str, &str); 3] = [
    ("computer_20241022", "computer-use-2024-10-22"),
    ("computer_20250124", "computer-use-2025-01-24"),
    ("computer_20251124", "computer-use-2025-11-24"),
];

/// What Gemini's tool declares by itself.
const PREDEFINED: [&str; 34] = [
    "open_web_browser",
    "click_at",
    "hover_at",
    "type_text_at",
    "scroll_document",
    "scroll_at",
    "wait_5_seconds",
    "go_back",
    "go_forward",
    "search",
    "navigate",
    "key_combination",
    "drag_and_drop",
    "click",
    "double_click",
    "triple_click",
    "middle_click",
    "right_click",
    "mouse_down",
    "mouse_up",
    "move",
    "type",
    "wait",
    "press_key",
    "key_down",
    "key_up",
    "hotkey",
    "take_screenshot",
    "scroll",
    "open_app",
    "list_apps",
    "long_press",
    "go_home",
    "system_button",
];

/// Whether a call of that name is one of the toolset.
pub(in crate::chat) fn is_member(name: &str) -> bool {
    MEMBERS.contains(&name)
}

fn tools(request: &Value) -> impl Iterator<Item = &Value> {
    request["tools"].as_array().into_iter().flatten()
}

/// The headers that a request's tools need.
pub(in crate::chat) fn headers(request: &Value, headers: &[(String, String)], wrong: &mut Vec<String>) {
    let betas: Vec<&str> = headers
        .iter()
        .filter(|(name, _)| name == "anthropic-beta")
        .flat_map(|(_, value)| value.split(','))
        .map(str::trim)
        .collect();
    for (i, tool) in tools(request).enumerate() {
        for (kind, beta) in BETAS {
            if tool["type"] == kind && !betas.contains(&beta) {
                wrong.push(format!(
                    "tools.{i}: Input tag '{kind}' found using 'type' does not match any of the expected tags"
                ));
            }
        }
        if tool["type"] == TOOLSET && betas.contains(&"fine-grained-tool-streaming-2025-05-14") {
            wrong.push("fine-grained-tool-streaming-2025-05-14 beside a toolset".into());
        }
    }
}

impl Check<'_> {
    /// A tool that Anthropic defined. True if it is one.
    pub(super) fn anthropic_computer(&mut self, at: &str, tool: &Value) -> bool {
        let kind = tool["type"].as_str().unwrap_or_default();
        if kind == TOOLSET {
            self.toolset(at, tool);
            return true;
        }
        if !BETAS.iter().any(|(name, _)| *name == kind) {
            return false;
        }
        let mut allowed = vec![
            "display_number",
            "cache_control",
            "allowed_callers",
            "defer_loading",
            "input_examples",
            "strict",
        ];
        if kind == "computer_20251124" {
            allowed.push("enable_zoom");
        }
        self.keys(at, tool, &["type", "name", "display_width_px", "display_height_px"], &allowed);
        self.must(tool["name"] == "computer", || format!("{at}.name: Input should be 'computer'"));
        self.told_size(at, &tool["display_width_px"], &tool["display_height_px"]);
        true
    }

    fn toolset(&mut self, at: &str, tool: &Value) {
        for key in ["name", "display_width_px", "display_height_px", "display_number", "enable_zoom"] {
            self.must(tool.get(key).is_none(), || {
                format!("{at}.{TOOLSET}.{key}: Extra inputs are not permitted")
            });
        }
        self.keys(at, tool, &["type"], &["configs", "cache_control", "allowed_callers"]);
        let callers = tool.get("allowed_callers");
        let direct = callers.is_none_or(|c| c == &serde_json::json!(["direct"]));
        self.must(direct, || format!("{at}: allowed_callers"));
        let configs = tool["configs"].as_object();
        for (member, config) in configs.into_iter().flatten() {
            self.must(MEMBERS.contains(&member.as_str()), || format!("{at}: no member {member:?}"));
            self.keys(&format!("{at}.{member}"), config, &[], &["enabled", "defer_loading"]);
        }
        let off = configs.map_or(0, |c| c.values().filter(|c| c["enabled"] == false).count());
        self.must(off < MEMBERS.len(), || format!("{at}: every member is disabled"));
    }

    /// What must hold of a request as a whole once all of it was read.
    pub(super) fn anthropic_computer_at_the_end(&mut self, request: &Value) {
        let with_toolset = tools(request).filter(|t| t["type"] == TOOLSET).count();
        let named = tools(request).filter(|t| t["name"] == "computer").count();
        self.must(with_toolset + named <= 1, || "tools: several of the name 'computer'".into());
        let sizes: Vec<(u32, u32)> = self.pictures.iter().map(|p| (p.width, p.height)).collect();
        for (width, height) in sizes {
            let tiles = width.div_ceil(28) * height.div_ceil(28);
            let fits = width.max(height) <= 2576 && tiles <= 4784;
            self.must(with_toolset == 0 || fits, || {
                format!("a picture of {width}x{height} is over the model's limits")
            });
        }
        for tool in tools(request) {
            self.is_shown("display_width_px", "display_height_px", tool);
        }
    }

    fn told_size(&mut self, at: &str, width: &Value, height: &Value) {
        let good = |v: &Value| v.as_u64().is_some_and(|n| n > 0);
        self.must(good(width) && good(height), || format!("{at}: a display of {width} x {height}"));
    }

    /// A size that is told is that of a picture.
    fn is_shown(&mut self, width: &str, height: &str, tool: &Value) {
        let (Some(w), Some(h)) = (tool[width].as_u64(), tool[height].as_u64()) else { return };
        let same = self.pictures.iter().any(|p| (u64::from(p.width), u64::from(p.height)) == (w, h));
        self.must(same || self.pictures.is_empty(), || format!("no picture is {w}x{h}, as the tool says"));
    }

    /// The results of a turn beside the calls that they answer.
    pub(super) fn toolset_results(&mut self, at: &str, calls: &Value, results: &Value) {
        let calls = calls.as_array().map_or(&[][..], Vec::as_slice);
        let results = results.as_array().map_or(&[][..], Vec::as_slice);
        let mut failed = false;
        for call in calls.iter().filter(|b| b["type"] == "tool_use") {
            let Some(result) = results.iter().find(|r| r["tool_use_id"] == call["id"]) else { continue };
            let (own, echoed) = (call.get("toolset_name"), result.get("toolset_name"));
            self.must(own == echoed, || {
                format!("{at}: toolset_name {echoed:?} on the result of a call of {own:?}")
            });
            if own.is_none() {
                continue;
            }
            let error = result["is_error"] == true;
            let words = words(&result["content"]);
            self.must(!failed || (error && words == HALTED), || {
                format!("{at}: {words:?} after an action of the same turn failed")
            });
            failed |= error && !words.to_ascii_lowercase().starts_with("not executed");
        }
    }

    /// One of OpenAI's two. True if it is one.
    pub(super) fn openai_computer(&mut self, at: &str, tool: &Value) -> bool {
        match tool["type"].as_str() {
            Some("computer") => self.keys(at, tool, &["type"], &[]),
            Some("computer_use_preview") => {
                let needed = ["type", "display_width", "display_height", "environment"];
                self.keys(at, tool, &needed, &[]);
                let known = ["windows", "mac", "linux", "ubuntu", "browser"];
                let environment = &tool["environment"];
                self.must(known.iter().any(|k| environment == k), || {
                    format!("{at}: the environment {environment}")
                });
                self.told_size(at, &tool["display_width"], &tool["display_height"]);
            }
            _ => return false,
        }
        true
    }

    pub(super) fn openai_computer_at_the_end(&mut self, request: &Value) {
        let of = |kind: &str| tools(request).filter(|t| t["type"] == kind).count();
        let (newer, preview) = (of("computer"), of("computer_use_preview"));
        self.must(newer + preview <= 1, || "several computers".into());
        self.must(preview == 0 || request["truncation"] == "auto", || {
            "computer_use_preview needs truncation: auto".into()
        });
        for item in request["input"].as_array().into_iter().flatten() {
            let detail = item["output"].get("detail");
            let good = detail.is_none_or(|d| newer == 1 && (d == "original" || d == "auto"));
            self.must(good, || format!("a screenshot of the detail {detail:?}"));
            if item["type"] == "computer_call" {
                let one = item.get("action").is_some() != item.get("actions").is_some();
                self.must(one, || "a computer_call has an action or actions".into());
            }
        }
        for tool in tools(request) {
            self.is_shown("display_width", "display_height", tool);
        }
    }

    /// Gemini's. True if it is one.
    pub(super) fn gemini_computer(&mut self, at: &str, tool: &Value) -> bool {
        let Some(computer) = tool.get("computerUse") else { return false };
        self.keys(at, tool, &["computerUse"], &[]);
        let allowed =
            ["excludedPredefinedFunctions", "enablePromptInjectionDetection", "disabledSafetyPolicies"];
        self.keys(at, computer, &["environment"], &allowed);
        let known = ["ENVIRONMENT_BROWSER", "ENVIRONMENT_MOBILE", "ENVIRONMENT_DESKTOP"];
        let environment = &computer["environment"];
        self.must(known.iter().any(|k| environment == k), || format!("{at}: the environment {environment}"));
        for name in excluded(computer) {
            self.must(PREDEFINED.contains(&name), || format!("{at}: {name:?} is not predefined"));
        }
        true
    }

    /// Names of ours and of the computer, and what its functions are answered with.
    pub(super) fn gemini_computer_at_the_end(&mut self, request: &Value) {
        let Some(computer) = tools(request).find_map(|t| t.get("computerUse")) else { return };
        let declared: Vec<&str> = tools(request)
            .flat_map(|t| t["functionDeclarations"].as_array().into_iter().flatten())
            .filter_map(|f| f["name"].as_str())
            .collect();
        let out: Vec<&str> = excluded(computer).collect();
        for name in &declared {
            let free = !PREDEFINED.contains(name) || out.contains(name);
            self.must(free, || format!("the function {name:?} is predefined"));
        }
        let contents = request["contents"].as_array().map_or(&[][..], Vec::as_slice);
        for pair in contents.windows(2) {
            let [asked, answer] = pair else { continue };
            let of = |content: &Value, key: &str| -> Vec<Value> {
                let parts = content["parts"].as_array().into_iter().flatten();
                parts.filter_map(|p| p.get(key)).cloned().collect()
            };
            for (call, response) in of(asked, "functionCall").iter().zip(of(answer, "functionResponse")) {
                let name = call["name"].as_str().unwrap_or_default();
                if declared.contains(&name) {
                    continue;
                }
                let body = &response["response"];
                self.must(body["url"].is_string(), || format!("the response to {name} has no url"));
                let shown = response["parts"].as_array().is_some_and(|p| !p.is_empty());
                self.must(shown, || format!("the response to {name} has no picture"));
                let asks = call["args"]["safety_decision"]["decision"] == "require_confirmation";
                let agreed = body["safety_acknowledgement"] == "true";
                self.must(!asks || agreed, || format!("the response to {name} acknowledges nothing"));
            }
        }
    }
}

fn excluded(computer: &Value) -> impl Iterator<Item = &str> {
    computer["excludedPredefinedFunctions"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The text of a result.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|b| b["text"].as_str()).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;
