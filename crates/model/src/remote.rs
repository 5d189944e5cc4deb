//! A model behind HTTP: a provider's terms and a wire, joined into the port.

use crate::count::Counter;
use crate::endpoint::Endpoint;
use crate::fitting;
use crate::http::{Call, Deadlines, Http, HttpSetup};
use crate::provider::{Limits, Provider, SetupError, Thinking};
use crate::secret::Secret;
use crate::stream::Reading;
use crate::usage::{Price, Tariff};
use crate::wire::{messages, size_of_body};
use bytes::Bytes;
use handsight_base::flow::format::PictureLimits;
use handsight_base::flow::prompt::Sampling;
use handsight_base::port::BoxFuture;
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::model::{Exchange, Model, ModelError, ModelReply, ModelRequest, Room, Weight};
use handsight_base::stop::Stop;
use reqwest::Method;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::timeout;

/// How long a service may take to count. A request that is not counted by then is taken as it was counted here.
const COUNT_LIMIT: Duration = Duration::from_secs(5);

/// What a [`Remote`] is made of.
pub struct Setup<'a> {
    pub provider: &'a Provider,
    pub model: &'a str,
    /// Instead of the provider's own address.
    pub base_url: Option<&'a str>,
    /// What the provider's `key_variable` holds, if it is set. Sent to the address above, which is the person's choice.
    pub key: Option<&'a str>,
    pub deadlines: Deadlines,
    /// Such as `http://proxy:3128`; never used for this machine.
    pub proxy: Option<&'a str>,
    /// For the date in a `Retry-After`; deadlines are real time always.
    pub clock: Arc<dyn Clock>,
}

/// A model that a provider serves.
pub struct Remote {
    name: String,
    model: String,
    provider: Provider,
    endpoint: Endpoint,
    http: Http,
    clock: Arc<dyn Clock>,
    counter: Counter,
    /// The service has no call that counts after all.
    uncounted: AtomicBool,
}

impl Remote {
    /// No connection is made yet. Fails if the address, the key or a needed key's absence makes every call fail.
    pub fn new(setup: Setup<'_>) -> Result<Self, SetupError> {
        let provider = setup.provider;
        let url = setup.base_url.or(provider.base_url.as_deref());
        let url = url.ok_or_else(|| SetupError::NoBaseUrl { provider: provider.name.clone() })?;
        let endpoint = Endpoint::parse(url)?;
        let variable = provider.key_variable.as_deref();
        let key = variable.and(setup.key).and_then(Secret::new);
        if let (Some(variable), None, false) = (variable, &key, provider.key_optional) {
            let (provider, variable) = (provider.name.clone(), variable.to_owned());
            return Err(ModelError::NoKey { provider, variable }.into());
        }
        let http = Http::new(HttpSetup {
            provider: &provider.name,
            hint: &provider.hint,
            endpoint: &endpoint,
            key,
            key_variable: variable.unwrap_or_default(),
            key_header: provider.key_header,
            deadlines: setup.deadlines,
            proxy: setup.proxy,
        })?;
        Ok(Self {
            name: format!("{}/{}", provider.name, setup.model),
            model: setup.model.to_owned(),
            provider: provider.clone(),
            endpoint,
            http,
            clock: setup.clock,
            counter: Counter::new(provider.picture_rule(setup.model)),
            uncounted: AtomicBool::new(false),
        })
    }

    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// How the model writes what it wants, unless the profile says otherwise.
    pub fn dialect(&self) -> &str {
        self.provider.dialect_of(&self.model)
    }

    pub fn provider(&self) -> &Provider {
        &self.provider
    }

    /// What a picture may weigh and measure; ask this before one is encoded.
    pub fn limits(&self) -> Limits {
        self.provider.limits_of(&self.model)
    }

    /// `None` where nobody said; a cost limit can then not be held.
    pub fn price(&self) -> Option<Price> {
        self.provider.price(&self.model)
    }

    pub fn price_known(&self) -> bool {
        self.price().is_some()
    }

    /// What a call costs, and how pictures are counted.
    pub fn tariff(&self) -> Tariff {
        let thinking_tokens = match self.provider.thinking(&self.model) {
            Some(Thinking::Budget(budget)) => budget,
            Some(Thinking::Kept | Thinking::Adaptive) | None => 0,
        };
        let picture_tokens = self.limits().picture_tokens;
        Tariff { price: self.price(), picture_tokens, thinking_tokens }
    }

    /// The names of the models that the service has.
    pub async fn list_models(&self, stop: &Stop) -> Result<Vec<String>, ModelError> {
        let wire = self.provider.wire;
        let headers = self.headers();
        let call = self.http.call(Call {
            method: Method::GET,
            url: self.endpoint.call(wire.models_path),
            body: None,
            stream: None,
            headers: &headers,
            unix_millis: self.clock.unix_millis(),
        });
        let answer = tokio::select! {
            biased;
            _ = stop.stopped() => return Err(ModelError::Stopped),
            answer = call => answer?,
        };
        let malformed = |why: &str| self.http.malformed(why, &answer.body);
        let list: Value = serde_json::from_slice(&answer.body)
            .map_err(|e| malformed(&format!("it is no list of models ({e})")))?;
        (wire.models)(&list).ok_or_else(|| malformed("it has no array of models"))
    }

    /// Of every call: the wire's, then the provider's own.
    fn headers(&self) -> Vec<(&str, &str)> {
        let own = self.provider.headers.iter().map(|(n, v)| (n.as_str(), v.as_str()));
        self.provider.wire.headers.iter().copied().chain(own).collect()
    }

    /// Of a call: also what switches its tools on. A header that several want is one, with all their values.
    fn headers_for(&self, request: &ModelRequest) -> Vec<(String, String)> {
        let mut headers: Vec<(String, String)> = Vec::new();
        let tools = request.native.iter().filter(|tool| tool.wire == self.provider.wire.name);
        let tools = tools.flat_map(|tool| tool.headers.iter().copied());
        for (name, value) in self.headers().into_iter().chain(tools) {
            match headers.iter_mut().find(|(there, _)| there.eq_ignore_ascii_case(name)) {
                Some((_, values)) if !values.split(',').any(|v| v.trim() == value) => {
                    values.push_str(&format!(",{value}"));
                }
                Some(_) => {}
                None => headers.push((name.to_owned(), value.to_owned())),
            }
        }
        headers
    }

    async fn exchange(&self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        let wire = self.provider.wire;
        let watch = RealClock::new();
        let options = self.provider.wire_options(&self.model);
        self.check_tokens(request)?;
        let body = Bytes::from(fitting::body(wire, request, &options, &self.limits())?);
        let headers = self.headers_for(request);
        let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let call = Call {
            method: Method::POST,
            url: self.endpoint.call(&(wire.path)(&self.model, options.stream)),
            body: Some(body.clone()),
            stream: options.stream.then(|| Reading::new(wire)),
            headers: &headers,
            unix_millis: self.clock.unix_millis(),
        };
        let answer = self.http.call(call).await?;
        let mut reply = self.read(&answer.body).map_err(|why| self.http.malformed(&why, &answer.body))?;
        if let Some(tokens) = reply.usage.input_tokens {
            self.counter.learn(request, tokens);
        }
        let took = watch.now();
        let response = String::from_utf8_lossy(&answer.body);
        reply.exchange = Exchange {
            // The client has let go of its handle by now, so the body moves back without a copy.
            request: String::from_utf8(body.into()).unwrap_or_default(),
            status: answer.status,
            response: self.http.clean(&response).into_owned(),
            took,
            retries: 0,
        };
        let tariff = self.tariff();
        reply.usage.cost_usd = tariff.cost(&reply.usage, tariff.at_most(request));
        Ok(reply)
    }

    /// Asks the service what it finds in a request. Whatever goes wrong is no reason to stop a run.
    async fn counted(&self, request: &ModelRequest) -> Option<u64> {
        let count = self.provider.wire.count.filter(|_| self.provider.counts)?;
        if self.uncounted.load(Ordering::Relaxed) {
            return None;
        }
        let options = self.provider.wire_options(&self.model);
        let body = self.provider.wire.count_body(request, &options)?;
        if self.limits().request_bytes.is_some_and(|most| body.len() as u64 > most) {
            return None;
        }
        let headers = self.headers_for(request);
        let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let call = self.http.call(Call {
            method: Method::POST,
            url: self.endpoint.call(&(count.path)(&self.model)),
            body: Some(Bytes::from(body)),
            stream: None,
            headers: &headers,
            unix_millis: self.clock.unix_millis(),
        });
        match timeout(COUNT_LIMIT, call).await.ok()? {
            Ok(answer) => (count.tokens)(&serde_json::from_slice(&answer.body).ok()?),
            Err(ModelError::Http { status: 400 | 404 | 405 | 501, .. }) => {
                self.uncounted.store(true, Ordering::Relaxed);
                None
            }
            Err(_) => None,
        }
    }

    fn read(&self, body: &[u8]) -> Result<ModelReply, String> {
        let mut reply = (self.provider.wire.decode)(body)?;
        if let Some(raw) = &mut reply.raw {
            raw.provider.clone_from(&self.provider.name);
        }
        Ok(reply)
    }

    /// What is over the context for certain is not sent.
    fn check_tokens(&self, request: &ModelRequest) -> Result<(), ModelError> {
        let Some(limit) = self.provider.context_tokens(&self.model) else { return Ok(()) };
        let tokens = self.counter.at_least(request);
        if tokens > limit {
            let provider = self.provider.name.clone();
            return Err(ModelError::ContextTooLarge { provider, tokens, limit });
        }
        Ok(())
    }
}

impl Model for Remote {
    fn name(&self) -> &str {
        &self.name
    }

    fn picture_limits(&self) -> PictureLimits {
        let limits = self.limits();
        PictureLimits {
            bytes: limits.picture_bytes,
            edge: limits.picture_edge,
            pixels: limits.picture_pixels,
            formats: limits.picture_formats,
            own_pixels: false,
        }
    }

    fn room(&self, sampling: &Sampling) -> Room {
        let answer = u64::from(sampling.max_tokens.unwrap_or(messages::MAX_TOKENS))
            + u64::from(self.tariff().thinking_tokens);
        let limits = self.limits();
        Room {
            tokens: self.provider.context_tokens(&self.model).map(|all| all.saturating_sub(answer)),
            bytes: limits.request_bytes,
            pictures: limits.picture_count,
        }
    }

    fn weigh(&self, request: &ModelRequest) -> Weight {
        Weight { tokens: self.counter.count(request), bytes: size_of_body(request) as u64 }
    }

    fn count<'a>(&'a self, request: &'a ModelRequest, stop: &'a Stop) -> BoxFuture<'a, Option<u64>> {
        Box::pin(async move {
            tokio::select! {
                biased;
                _ = stop.stopped() => None,
                tokens = self.counted(request) => tokens,
            }
        })
    }

    fn recall(&self, exchange: &Exchange) -> Option<ModelReply> {
        self.read(exchange.response.as_bytes()).ok()
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            // Dropping the call closes its connection, which is how the other side learns of the stop.
            tokio::select! {
                biased;
                _ = stop.stopped() => Err(ModelError::Stopped),
                reply = self.exchange(request) => reply,
            }
        })
    }
}
