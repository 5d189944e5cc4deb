//! Pasted texts kept out of the record, where a profile asks for it (`record.mask_pasted`).
//!
//! What is pasted may be what nobody is to read afterwards. It is known once a reply is understood, and nothing of that reply is written
//! before: so the model's own words, the deed and the evidence of the call are cleaned of it, in that turn and in all that follow. The
//! model is told of the step without its text too. This module refuses to guess what else is private: pictures show the screen as it
//! is, and what is typed is kept.

use handsight_base::flow::action::Action;
use handsight_base::flow::decision::{Choice, Worded};
use handsight_base::port::model::Exchange;
use handsight_base::redact::{MARK, Redactor};
use std::borrow::Cow;

/// Cleans nothing unless it is on.
pub(crate) struct Mask {
    on: bool,
    texts: Vec<String>,
    redactor: Redactor,
}

impl Mask {
    pub(crate) const fn new(on: bool) -> Self {
        Self { on, texts: Vec::new(), redactor: Redactor::off() }
    }

    /// Learns what is to be pasted, and cleans the steps that say it and all other words of the reply.
    pub(crate) fn decision(
        &mut self,
        choice: &mut Choice,
        steps: &mut [Worded],
        reason: &mut String,
        notes: &mut [String],
    ) {
        if !self.on {
            return;
        }
        if let Choice::Act(actions) = choice {
            let mut left = actions.as_slice();
            for step in steps.iter_mut() {
                let (own, rest) = left.split_at(step.actions.min(left.len()));
                left = rest;
                if own.iter().any(|action| matches!(action, Action::Paste { .. })) {
                    // The list of steps cuts a long text short, and a part of it would not be found.
                    let tool = step.what.split(' ').next().unwrap_or_default();
                    step.what = format!("{tool} {MARK}");
                }
            }
            for action in actions {
                if let Action::Paste { text } = action {
                    self.texts.push(text.clone());
                    self.texts.extend(written(text));
                }
            }
            self.redactor = Redactor::new(self.texts.iter().map(String::as_str));
        }
        if let Choice::Done { statement } = choice {
            self.text(statement);
        }
        self.text(reason);
        steps.iter_mut().for_each(|step| self.text(&mut step.why));
        notes.iter_mut().for_each(|note| self.text(note));
    }

    fn text(&self, text: &mut String) {
        if let Cow::Owned(clean) = self.redactor.redact(text) {
            *text = clean;
        }
    }

    /// Cleans what went over the wire.
    pub(crate) fn exchange(&self, exchange: &mut Exchange) {
        if self.texts.is_empty() {
            return;
        }
        for body in [&mut exchange.request, &mut exchange.response] {
            if let Cow::Owned(clean) = self.redactor.redact_json(body) {
                *body = clean;
            }
        }
    }

    /// The action as it is recorded. Its hash is that of what was done.
    pub(crate) fn action<'a>(&self, action: &'a Action) -> Cow<'a, Action> {
        match action {
            Action::Paste { .. } if self.on => Cow::Owned(Action::Paste { text: MARK.to_owned() }),
            action => Cow::Borrowed(action),
        }
    }
}

/// The text as a plan holds it, and the same in ASCII only, as some services write it.
fn written(text: &str) -> [String; 2] {
    let json = serde_json::Value::from(text).to_string();
    let inner = json.get(1..json.len().saturating_sub(1)).unwrap_or_default();
    let mut ascii = String::with_capacity(json.len());
    for unit in inner.encode_utf16() {
        match char::from_u32(u32::from(unit)).filter(char::is_ascii) {
            Some(c) => ascii.push(c),
            None => ascii.push_str(&format!("\\u{unit:04x}")),
        }
    }
    [inner.to_owned(), ascii]
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "hunter2 \"é\" 😀";

    fn learned(on: bool) -> (Mask, Vec<Worded>, String) {
        let mut mask = Mask::new(on);
        let mut choice = Choice::Act(vec![
            Action::Wait { millis: 1 },
            Action::Paste { text: TEXT.into() },
            Action::typed("typed words"),
        ]);
        let step = |what: &str, why: &str| Worded { what: what.into(), why: why.into(), actions: 1 };
        let mut steps = vec![
            step("sleep {\"secs\":1}", "Wait"),
            step("paste {\"text\":\"hunt", &format!("Paste {TEXT}")),
            step("write {\"text\":\"typed words\"}", "Type"),
        ];
        let mut reason = format!("I paste {TEXT}.");
        mask.decision(&mut choice, &mut steps, &mut reason, &mut []);
        (mask, steps, reason)
    }

    // spec: D-72 UNIT
    #[test]
    fn a_pasted_text_is_found_in_every_form_and_nothing_else_is_touched() {
        let (mask, steps, reason) = learned(true);
        assert_eq!(reason, "I paste [key].");
        let whats: Vec<&str> = steps.iter().map(|s| s.what.as_str()).collect();
        assert_eq!(whats, ["sleep {\"secs\":1}", "paste [key]", "write {\"text\":\"typed words\"}"]);
        assert_eq!(steps[1].why, "Paste [key]");
        let plan = serde_json::json!({"steps": [{"tool": "paste", "args": {"text": TEXT}}]});
        let escaped = plan.to_string().replace('é', "\\u00e9").replace('😀', "\\ud83d\\ude00");
        for plan in [plan.to_string(), escaped] {
            let body = serde_json::json!({"content": plan}).to_string();
            let mut exchange = Exchange { response: body.clone(), request: body, ..Exchange::default() };
            mask.exchange(&mut exchange);
            for body in [&exchange.request, &exchange.response] {
                assert!(!body.contains("hunter2") && body.contains("[key]"), "{body}");
            }
        }
        let recorded = |action: &Action| mask.action(action).into_owned();
        assert_eq!(recorded(&Action::Paste { text: TEXT.into() }), Action::Paste { text: MARK.into() });
        assert_eq!(recorded(&Action::typed("typed words")), Action::typed("typed words"));
    }

    #[test]
    fn nothing_is_masked_unless_the_profile_says_so() {
        let (mask, steps, reason) = learned(false);
        assert!(reason.contains("hunter2") && steps[1].what.contains("hunt"));
        let mut exchange = Exchange { response: format!("{{\"a\":{:?}}}", "hunter2"), ..Exchange::default() };
        mask.exchange(&mut exchange);
        assert!(exchange.response.contains("hunter2"));
        let paste = Action::Paste { text: TEXT.into() };
        assert_eq!(*mask.action(&paste), paste);
    }
}
