//! Asking again within a turn, where a reply cannot be used and the profile allows it (D-29).
//!
//! The same question goes out with the complaint beside it and a smaller budget, so that a model that rambles is brief: unless the
//! reply was cut off at its end, for which a smaller budget is no cure. Every reply is kept in the journal, and what it cost counts.

use crate::ending::Interruption;
use crate::engine::Engine;
use handsight_base::flow::prompt::{Fragment, Prompt, Provenance, Slot};
use handsight_base::port::model::{Exchange, ModelError, ModelReply, Usage};
use handsight_base::space::PictureGeometry;

/// Rejections are told in at most 800 characters.
const COMPLAINT_CAP_TOKENS: u32 = 400;

/// The first reply that can be used, or the last one. Those before it go to `exchanges`, and what they cost to `spoilt`.
pub(super) async fn ask(
    engine: &mut Engine,
    mut prompt: Prompt,
    picture: &PictureGeometry,
    exchanges: &mut Vec<Exchange>,
    spoilt: &mut Usage,
) -> Result<Result<ModelReply, ModelError>, Interruption> {
    let reasks = engine.profile.decide.reasks as usize;
    let asked = prompt.fragments.len();
    for again in 0.. {
        let request = engine.dialect.encode(&prompt);
        let reply = match super::ask(engine, &request).await? {
            Ok(reply) if again < reasks => reply,
            answer => return Ok(answer),
        };
        // What a provider wants a person to agree to is no fault of the reply.
        let rejection = match engine.dialect.decode(&reply, picture) {
            Err(rejection) if reply.checks.is_empty() && reply.refusal.is_none() => rejection,
            Ok(_) | Err(_) => return Ok(Ok(reply)),
        };
        engine.notes.push(format!("malformed ({}), asked again: {}", rejection.code, rejection.told()));
        let complaint = format!("Your last reply was not used ({}). {}", rejection.code, rejection.told());
        prompt.fragments.truncate(asked);
        prompt.fragments.push(Fragment::new(
            "complaint",
            Slot::User,
            Provenance::Tool,
            complaint,
            COMPLAINT_CAP_TOKENS,
        ));
        let was_cut = reply.finish.as_deref() == Some("length");
        if let Some(less) = engine.profile.decide.reask_tokens.get(again).filter(|_| !was_cut) {
            prompt.sampling.max_tokens = Some(*less);
        }
        *spoilt = spoilt.and(&reply.usage);
        exchanges.push(reply.exchange);
    }
    unreachable!("the loop above ends with its last reply")
}
