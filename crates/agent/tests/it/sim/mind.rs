//! The model of a simulated run: good calls at places where something happens, and everything that models and servers do wrong.

use super::scene::Watched;
use super::state::{Ask, Control, Failing, Fate, Shared, Sim, Wish};
use crate::malformed::broken;
use handsight_base::port::BoxFuture;
use handsight_base::port::clock::Clock;
use handsight_base::port::model::{Exchange, Model, ModelError, ModelReply, ModelRequest, ToolCall, Usage};
use handsight_base::stop::Stop;
use handsight_model::wire::WIRES;
use handsight_testkit::chat::malformed::{Expect, malformed};
use handsight_worlds::engine::hold;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) struct Mind {
    pub(crate) shared: Shared,
    pub(crate) world: Arc<Mutex<Watched>>,
    /// What a call costs, if its price is known.
    pub(crate) price: Option<f64>,
}

/// As long as a client waits for a server that says nothing.
const DEADLINE: Duration = Duration::from_secs(120);

type Answer = Result<ModelReply, ModelError>;

/// A reply, and what is known of it because of how it was made.
struct Made {
    kind: &'static str,
    wish: Wish,
    failing: Failing,
    done: bool,
    reason: Option<String>,
    answer: Answer,
}

impl Made {
    fn failure(kind: &'static str, failing: Failing, answer: Answer) -> Self {
        Self { kind, wish: Wish::Nothing, failing, done: false, reason: None, answer }
    }
}

impl Model for Mind {
    fn name(&self) -> &str {
        "sim/mind"
    }

    fn ask<'a>(&'a self, request: &'a ModelRequest, _: &'a Stop) -> BoxFuture<'a, Answer> {
        Box::pin(self.think(request.messages.len()))
    }
}

impl Mind {
    async fn think(&self, messages: usize) -> Answer {
        let spot = {
            let mut dice = self.shared.sim().dice.clone();
            hold(&*self.world).somewhere(&mut dice)
        };
        let (mut made, delay, stop, clock) = {
            let mut sim = self.shared.sim();
            // What `somewhere` drew, in this sequence too.
            sim.dice.next();
            let made = make(&mut sim, (spot.x, spot.y));
            let slow = sim.habits.slow_model;
            let delay = if sim.strikes("a model that takes its time", slow) {
                Duration::from_millis(sim.dice.range(1_000, 40_000) as u64)
            } else if sim.strikes("a model that stalls", slow / 4) {
                DEADLINE
            } else {
                Duration::from_millis(sim.dice.range(50, 1_500) as u64)
            };
            if messages != 1 {
                sim.wrong(format!("{messages} messages for a profile without a conversation"));
            }
            sim.leg.asks += 1;
            let stop = match sim.fate {
                Fate::StopAtAsk { n, reason, answered } if n == sim.leg.asks => Some((reason, answered)),
                _ => None,
            };
            (made, delay, stop, sim.clock.clone())
        };
        if delay == DEADLINE {
            let late = ModelError::Deadline { provider: "sim".into(), phase: "first byte", after: DEADLINE };
            made = Made::failure("a stall", Failing::Call, Err(late));
        }
        let began = clock.now();
        let at = self.expect(&made);
        clock.sleep(delay).await;
        if let Some((reason, answered)) = stop {
            self.shared.sim().stop("a stop while the model thinks", reason);
            // An engine that does not hear would wait for ever.
            if !answered && self.shared.sim().control != Control::Deaf {
                std::future::pending::<()>().await;
            }
        }
        let mut sim = self.shared.sim();
        let answer = made.answer.map(|mut reply| {
            let (input, output) = (sim.dice.range(100, 2_000) as u64, sim.dice.range(1, 90) as u64);
            reply.usage = Usage {
                input_tokens: Some(input),
                output_tokens: Some(output),
                cost_usd: self.price,
                ..Usage::default()
            };
            reply.exchange = Exchange {
                request: json!({"messages": messages}).to_string(),
                status: 200,
                response: json!({"kind": made.kind}).to_string(),
                took: clock.now().saturating_sub(began),
                retries: 0,
            };
            reply
        });
        if let Some(ask) = sim.asks.get_mut(at) {
            ask.answered = true;
            ask.usage = answer.as_ref().map(|r| r.usage).unwrap_or_default();
        }
        sim.note(format!("answered {}", made.kind));
        answer
    }

    /// Puts what must become of a reply on record, before it leaves.
    fn expect(&self, made: &Made) -> usize {
        let mut sim = self.shared.sim();
        let (leg, turn) = (sim.leg_no, sim.turn());
        sim.note(format!("asked: {} {:?}", made.kind, made.wish));
        sim.asks.push(Ask {
            leg,
            turn,
            kind: made.kind,
            wish: made.wish.clone(),
            failing: made.failing,
            done: made.done,
            reason: made.reason.clone(),
            usage: Usage::default(),
            answered: false,
        });
        sim.asks.len() - 1
    }
}

fn make(sim: &mut Sim, spot: (i32, i32)) -> Made {
    let (garbage, errors) = (sim.habits.garbage, sim.habits.model_errors);
    if sim.strikes("a malformed reply", garbage) {
        let reply = broken(&mut || sim.dice.next());
        return Made::failure("malformed", Failing::Reply, Ok(reply));
    }
    if sim.strikes("a malformed body", garbage) {
        return body(sim.dice.next());
    }
    if sim.strikes("an error of the model", errors) {
        return Made::failure("error", Failing::Call, Err(error(sim)));
    }
    good(sim, spot)
}

/// A broken reply as it comes over the wire, read by the product's own reader.
fn body(seed: u64) -> Made {
    let made = malformed(seed);
    let answer = (WIRES[0].decode)(&made.body).map_err(|why| ModelError::Malformed {
        provider: "sim".into(),
        why,
        start: String::new(),
    });
    match made.expect {
        Expect::Unusable => Made::failure(made.kind, Failing::Either, answer),
        Expect::Usable | Expect::Either => Made {
            kind: made.kind,
            wish: Wish::Anything,
            failing: Failing::Perhaps,
            done: true,
            reason: None,
            answer,
        },
    }
}

fn error(sim: &mut Sim) -> ModelError {
    let provider = "sim".to_owned();
    let http = |status: u16| ModelError::Http {
        provider: "sim".into(),
        status,
        body: "{\"error\":\"simulated\"}".into(),
        retry_after: (status == 429).then_some(Duration::from_secs(3)),
    };
    match sim.dice.below(10) {
        0 => http(401),
        1 => http(429),
        2 => http(500),
        3 => http(529),
        4 => ModelError::Network {
            provider,
            url: "http://127.0.0.1:1/".into(),
            why: "reset".into(),
            sent: true,
        },
        5 => ModelError::Deadline { provider, phase: "next byte", after: Duration::from_secs(30) },
        6 => ModelError::TooLong { provider, limit: 1 << 20 },
        7 => ModelError::Malformed { provider, why: "half a reply".into(), start: "{\"cho".into() },
        8 => ModelError::PictureTooLarge { provider, bytes: 9, limit: 5 },
        _ => ModelError::NoKey { provider, variable: "SIM_KEY".into() },
    }
}

/// Reasons are few, so that one that is shown in the wrong turn meets its own picture.
const REASONS: [&str; 6] = [
    "the menu is open",
    "step 2 of 5 is done",
    "nothing changed: trying again (twice)",
    "a longer text that goes over more than one row on a small screen, to see that rows are kept too",
    "editor, then save",
    "",
];

fn good(sim: &mut Sim, spot: (i32, i32)) -> Made {
    let reason = REASONS[sim.dice.below(REASONS.len())].to_owned();
    let turn = sim.turn();
    let of_screen = |v: i32, length: u32| (f64::from(v) * 1000.0 / f64::from(length)).round();
    let screen = sim.geometry.map_or(super::scene::SCREEN, |g| g.size);
    let (kind, wish, mut args) = match sim.dice.below(40) {
        0..=17 => {
            let (x, y) = (of_screen(spot.0, screen.width), of_screen(spot.1, screen.height));
            ("click", Wish::Click(x, y), json!({"x": x, "y": y}))
        }
        18..=27 => {
            let text = format!("w{turn} Go{}", ["", "\n", " \u{e9}x", "!"][sim.dice.below(4)]);
            ("type", Wish::Type(text.clone()), json!({"text": text}))
        }
        28..=32 => {
            let dy = 120 * sim.dice.range(1, 4) * [1, -1][sim.dice.below(2)];
            ("scroll", Wish::Scroll(dy), json!({"dy": dy}))
        }
        33..=38 => ("observe", Wish::Nothing, json!({})),
        _ => ("done", Wish::Nothing, json!({})),
    };
    args["reason"] = Value::String(reason.clone());
    let call = |id: &str, name: &str, args: &Value| ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: args.to_string(),
    };
    let mut calls = vec![call("c1", kind, &args)];
    if sim.strikes("several calls in a reply", 6) {
        calls.push(call("c2", "click", &json!({"x": 1, "y": 1, "reason": "and then"})));
    }
    let answer = Ok(ModelReply { calls, ..ModelReply::default() });
    Made { kind, wish, failing: Failing::No, done: kind == "done", reason: Some(reason), answer }
}
