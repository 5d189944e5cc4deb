//! Money is set aside before a call and settled after it (R31).
//!
//! The most a call can cost is reserved in the ledger that all runs of a person share; then it is asked; then what the provider
//! says is put in its place. What nobody tells stays at the most: a reply without usage, a call that was stopped, one that broke
//! off. A refusal costs nothing. A call that could pass a limit is not made.

use crate::usage::{AtMost, Tariff};
use handsight_base::flow::format::PictureLimits;
use handsight_base::flow::prompt::Sampling;
use handsight_base::port::BoxFuture;
use handsight_base::port::clock::Clock;
use handsight_base::port::model::{
    Exchange, Model, ModelError, ModelReply, ModelRequest, Room, Usage, Weight,
};
use handsight_base::stop::Stop;
use handsight_store::StoreError;
use handsight_store::spend::{CallId, Cap, Caps, Claim, Ledger, Nanos, Reserved, Settled, Tokens};
use std::sync::Arc;
use std::time::Duration;

/// Whom a call is charged to, within which limits.
#[derive(Debug, Clone)]
pub struct Account {
    /// The same for a run, its children and those that resume it.
    pub name: String,
    pub caps: Caps,
}

/// How often a claim is made again that other open calls stand in the way of.
const AGAIN: Duration = Duration::from_millis(100);

/// A model whose calls are paid for from a ledger.
pub struct Metered {
    inner: Arc<dyn Model>,
    tariff: Tariff,
    account: Arc<Account>,
    ledger: Arc<Ledger>,
    clock: Arc<dyn Clock>,
}

impl Metered {
    /// `clock` is the person's time: days are counted by it.
    pub fn new(
        inner: Arc<dyn Model>,
        tariff: Tariff,
        account: Account,
        ledger: Arc<Ledger>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { inner, tariff, account: Arc::new(account), ledger, clock }
    }

    /// Waits for what other calls hold, and reserves. `None` if nothing can be recorded and no limit needs it.
    async fn reserve(&self, most: AtMost, stop: &Stop) -> Result<Option<Open>, ModelError> {
        let most_usd = self.tariff.most_usd(most).map(Nanos::from_usd);
        loop {
            let (ledger, account) = (Arc::clone(&self.ledger), Arc::clone(&self.account));
            let (model, now) = (self.inner.name().to_owned(), self.clock.unix_millis());
            let made = tokio::task::spawn_blocking(move || {
                let most_tokens = Tokens { input: most.input_tokens, output: most.output_tokens, cached: 0 };
                let claim = Claim { account: &account.name, model: &model, most: most_usd, most_tokens };
                let reserved = ledger.reserve(&claim, account.caps, now)?;
                Ok::<_, StoreError>(match reserved {
                    // Made here, so that a claim whose asker has gone is given back.
                    Reserved::Granted(id) => Ok(Open { ledger, id, asked: false, settled: false }),
                    other => Err(other),
                })
            });
            let made = made.await.unwrap_or_else(|gone| {
                Err(StoreError::Ledger {
                    path: self.ledger.path().to_owned(),
                    doing: "reserving",
                    why: gone.to_string(),
                })
            });
            match made {
                Ok(Ok(open)) => return Ok(Some(open)),
                Ok(Err(Reserved::Over { cap, limit, spent })) => {
                    let of = match cap {
                        Cap::Run => "this run",
                        Cap::Day => "a day",
                    };
                    return Err(ModelError::CostLimit {
                        of,
                        limit_usd: limit.usd(),
                        spent_usd: spent.usd(),
                        most_usd: most_usd.unwrap_or_default().usd(),
                    });
                }
                Ok(Err(Reserved::Busy | Reserved::Granted(_))) => {}
                Err(error) if self.account.caps == Caps::default() => {
                    tracing::warn!("a call is not in the record of what models cost: {error}");
                    return Ok(None);
                }
                Err(error) => return Err(ModelError::Unrecorded { why: error.to_string() }),
            }
            tokio::select! {
                biased;
                _ = stop.stopped() => return Err(ModelError::Stopped),
                () = self.clock.sleep(AGAIN) => {}
            }
        }
    }

    /// What is to be charged for a reply.
    fn charged(&self, usage: &Usage, most: AtMost) -> Settled {
        if usage.input_tokens.is_none() && usage.output_tokens.is_none() {
            return Settled::Assumed;
        }
        let tokens = Tokens {
            input: usage.input_tokens.unwrap_or(most.input_tokens),
            output: usage.output_tokens.unwrap_or(most.output_tokens),
            cached: usage.cached_tokens.unwrap_or(0),
        };
        Settled::Told { cost: usage.cost_usd.map(Nanos::from_usd).unwrap_or_default(), tokens }
    }
}

/// A reservation that is not settled yet.
struct Open {
    ledger: Arc<Ledger>,
    id: CallId,
    asked: bool,
    settled: bool,
}

impl Open {
    async fn settle(mut self, settled: Settled) {
        self.settled = true;
        let (ledger, id) = (Arc::clone(&self.ledger), self.id);
        // A task that is given up still runs to its end.
        let done = tokio::task::spawn_blocking(move || say(&ledger, id, settled));
        let _panicked = done.await;
    }
}

impl Drop for Open {
    /// Given up: by a stop, a limit of time, or before it was asked.
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        let settled = if self.asked { Settled::Assumed } else { Settled::Free };
        let (ledger, id) = (Arc::clone(&self.ledger), self.id);
        // The disk must not hold up a stop. What a runtime that ends no longer does is done when the ledger is closed.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(move || say(&ledger, id, settled))),
            Err(_) => say(&ledger, id, settled),
        }
    }
}

fn say(ledger: &Ledger, id: CallId, settled: Settled) {
    if let Err(error) = ledger.settle(id, settled) {
        tracing::warn!("a call stays charged at the most it could cost: {error}");
    }
}

impl Model for Metered {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn picture_limits(&self) -> PictureLimits {
        self.inner.picture_limits()
    }

    fn room(&self, sampling: &Sampling) -> Room {
        self.inner.room(sampling)
    }

    fn weigh(&self, request: &ModelRequest) -> Weight {
        self.inner.weigh(request)
    }

    fn count<'a>(&'a self, request: &'a ModelRequest, stop: &'a Stop) -> BoxFuture<'a, Option<u64>> {
        self.inner.count(request, stop)
    }

    fn recall(&self, exchange: &Exchange) -> Option<ModelReply> {
        self.inner.recall(exchange)
    }

    fn pause(&self) -> Option<Duration> {
        self.inner.pause()
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            let most = self.tariff.at_most(request);
            let Some(mut open) = self.reserve(most, stop).await? else {
                return self.inner.ask(request, stop).await;
            };
            open.asked = true;
            let mut answer = self.inner.ask(request, stop).await;
            if let Ok(reply) = &mut answer
                && reply.usage.cost_usd.is_none()
            {
                reply.usage.cost_usd = self.tariff.cost(&reply.usage, most);
            }
            let settled = match &answer {
                Ok(reply) => self.charged(&reply.usage, most),
                Err(error) if error.may_be_charged() => Settled::Assumed,
                Err(_) => Settled::Free,
            };
            open.settle(settled).await;
            answer
        })
    }
}
