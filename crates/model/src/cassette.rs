//! Recorded traffic with a provider as a file: JSON lines of exchanges, the request side too.
//!
//! What a provider really sends is kept as evidence and played again in tests. Pictures are kept by hash, so a cassette is small
//! and shows nobody's screen; keys never reach an exchange.

use crate::recorded::{Recording, pictures_by_hash};
use handsight_base::flow::format::PictureLimits;
use handsight_base::flow::prompt::Sampling;
use handsight_base::port::BoxFuture;
use handsight_base::port::model::{Exchange, Model, ModelError, ModelReply, ModelRequest, Room, Weight};
use handsight_base::stop::Stop;
use std::sync::{Arc, Mutex, PoisonError};

/// Exchanges in their order.
#[derive(Debug, Clone, Default)]
pub struct Cassette {
    pub exchanges: Vec<Exchange>,
}

impl Cassette {
    /// Reads a file's text; the error names the line.
    pub fn read(text: &str) -> Result<Self, String> {
        let lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty());
        let exchange =
            |(i, line): (usize, &str)| serde_json::from_str(line).map_err(|e| format!("line {}: {e}", i + 1));
        Ok(Self { exchanges: lines.map(exchange).collect::<Result<_, _>>()? })
    }

    /// The text of the file.
    pub fn write(&self) -> String {
        let line = |e: &Exchange| serde_json::to_string(e).unwrap_or_default() + "\n";
        self.exchanges.iter().map(line).collect()
    }
}

impl Recording for Cassette {
    fn exchange(&self, n: usize) -> Option<Exchange> {
        self.exchanges.get(n).cloned()
    }
}

/// A model whose exchanges are kept.
pub struct Taping {
    inner: Arc<dyn Model>,
    cassette: Mutex<Cassette>,
}

impl Taping {
    pub fn new(inner: Arc<dyn Model>) -> Self {
        Self { inner, cassette: Mutex::default() }
    }

    /// What was kept so far.
    pub fn cassette(&self) -> Cassette {
        self.cassette.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Model for Taping {
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

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            let reply = self.inner.ask(request, stop).await?;
            let mut kept = reply.exchange.clone();
            kept.request = pictures_by_hash(&kept.request);
            self.cassette.lock().unwrap_or_else(PoisonError::into_inner).exchanges.push(kept);
            Ok(reply)
        })
    }
}
