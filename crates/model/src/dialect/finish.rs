//! What every dialect checks before it reads a reply: whether anything of it may be used at all.
//!
//! A refused reply, one whose provider wants a person asked, and one that was cut off do nothing, however much in them looks like
//! a call: some servers mend cut JSON before they send it.

use super::json::LONGEST;
use super::reject::{Fits, Misfit, short};
use handsight_base::port::model::ModelReply;

/// Refused by the provider, or to be agreed to by a person first.
pub(super) fn allowed(reply: &ModelReply) -> Fits<()> {
    if let Some(refusal) = &reply.refusal {
        let words = format!("the provider refused this ({}) {}", refusal.reason, refusal.words);
        return Err(Misfit::no_call(words.trim_end()));
    }
    if let Some(check) = reply.checks.first() {
        // A person is asked by whoever shows the question to one; until then nothing of the reply is run.
        let words = format!("the provider wants a person to agree first ({}) {}", check.code, check.message);
        return Err(Misfit::no_call(words.trim_end()));
    }
    Ok(())
}

/// Whether it came to its end.
pub(super) fn whole(reply: &ModelReply) -> Fits<()> {
    if matches!(reply.finish.as_deref(), Some("length" | "content_filter")) {
        return Err(Misfit::malformed("it was cut off before its end; answer in fewer words"));
    }
    Ok(())
}

/// Whether each call can be told from the others.
pub(super) fn distinct(reply: &ModelReply) -> Fits<()> {
    let mut ids: Vec<&str> = reply.calls.iter().map(|c| c.id.as_str()).filter(|id| !id.is_empty()).collect();
    ids.sort_unstable();
    if let Some([twice, _]) = ids.windows(2).find(|w| w.first() == w.last()) {
        return Err(Misfit::malformed(format!("two calls carry the same id {:?}", short(twice))));
    }
    Ok(())
}

/// All of it, for dialects of calls. There may be no call in it still.
pub(super) fn usable(reply: &ModelReply) -> Fits<()> {
    allowed(reply)?;
    whole(reply)?;
    distinct(reply)
}

/// The text of a reply, for dialects of text: all checks, and not empty, not endless, without the NUL character.
pub(super) fn text(reply: &ModelReply) -> Fits<&str> {
    usable(reply)?;
    let text = reply.text.trim();
    if text.is_empty() {
        return Err(Misfit::no_call("it is empty"));
    }
    if text.len() > LONGEST {
        return Err(Misfit::out_of_range(format!(
            "it is {} bytes long, at most {LONGEST} are read",
            text.len()
        )));
    }
    if text.contains('\0') {
        return Err(Misfit::malformed("it holds the NUL character"));
    }
    Ok(text)
}

/// For dialects of text: nobody offered a function, so a call of one is a slip.
pub(super) fn no_calls(reply: &ModelReply) -> Fits<()> {
    match reply.calls.first() {
        None => Ok(()),
        Some(call) => Err(Misfit::unknown(format!(
            "it calls a function {:?}, but functions are not offered",
            short(&call.name)
        ))),
    }
}
