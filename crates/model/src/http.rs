//! One request, one answer, within bounds of time and size.
//!
//! Every wait has a deadline in real time, whatever clock the run has. The answer is read up to a cap, after decompression, so
//! a small reply cannot grow in memory. Redirects are not followed (they could carry pictures and keys elsewhere), cookies are
//! not kept, proxies of the environment are not used, nothing is sent twice: retries belong to [`crate::Retrying`].

use crate::endpoint::Endpoint;
use crate::provider::{KeyHeader, SetupError};
use crate::retry;
use crate::secret::Secret;
use crate::stream::Reading;
use crate::wire::StreamFault;
use bytes::Bytes;
use handsight_base::port::model::ModelError;
use reqwest::header::{self, HeaderMap, HeaderValue};
use reqwest::{Method, Response, Url};
use std::borrow::Cow;
use std::error::Error as _;
use std::io::ErrorKind;
use std::time::Duration;
use tokio::time::timeout;

/// How long the parts of a call may take.
#[derive(Debug, Clone, Copy)]
pub struct Deadlines {
    /// Until the connection stands, TLS included.
    pub connect: Duration,
    /// Until the answer begins; `None` leaves it to `total`, as a local model answers only when it is done thinking.
    pub first_byte: Option<Duration>,
    /// Between two pieces of the answer; `None` leaves it to `total`.
    pub next_byte: Option<Duration>,
    /// The whole call.
    pub total: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: None,
            next_byte: None,
            total: Duration::from_secs(120),
        }
    }
}

/// Most bytes of an answer, after decompression.
pub(crate) const BODY_CAP: u64 = 8 * 1024 * 1024;

/// How long the last bytes after a whole streamed reply are waited for.
const AFTER_THE_END: Duration = Duration::from_millis(100);

/// Bytes of a body that go into a message (S-79).
const SHOWN: usize = 4096;

/// Bytes of an error's body that are read at all.
const ERROR_CAP: usize = 64 * 1024;

pub(crate) struct Http {
    client: reqwest::Client,
    provider: String,
    hint: String,
    key: Option<Secret>,
    deadlines: Deadlines,
}

/// One call, before it is sent.
pub(crate) struct Call<'a> {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) body: Option<Bytes>,
    /// Puts a stream together, if one is asked for.
    pub(crate) stream: Option<Reading>,
    pub(crate) headers: &'a [(&'a str, &'a str)],
    /// The time that a `Retry-After` with a date is measured against.
    pub(crate) unix_millis: i64,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

pub(crate) struct HttpSetup<'a> {
    pub(crate) provider: &'a str,
    pub(crate) hint: &'a str,
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) key: Option<Secret>,
    pub(crate) key_variable: &'a str,
    pub(crate) key_header: KeyHeader,
    pub(crate) deadlines: Deadlines,
    /// An address such as `http://proxy:3128`; never used for this machine.
    pub(crate) proxy: Option<&'a str>,
}

impl Http {
    pub(crate) fn new(setup: HttpSetup<'_>) -> Result<Self, SetupError> {
        let refused = |e: reqwest::Error| SetupError::Client { why: root(&e) };
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(key) = &setup.key {
            let text = match setup.key_header {
                KeyHeader::Authorization => format!("Bearer {}", key.reveal()),
                KeyHeader::ApiKey | KeyHeader::XApiKey | KeyHeader::XGoogApiKey => key.reveal().to_owned(),
            };
            let mut value = HeaderValue::try_from(text)
                .map_err(|_| SetupError::BadKey { variable: setup.key_variable.to_owned() })?;
            value.set_sensitive(true);
            headers.insert(setup.key_header.name(), value);
        }
        // The first of several is kept, which is why a failure means that there is one already.
        let _there = rustls::crypto::ring::default_provider().install_default();
        // A connection must not be used again just when the other side closes it: local servers do that after 5 s (Node,
        // uvicorn), others after 60 or more. A new one costs nothing here and a handshake there.
        let idle = Duration::from_secs(if setup.endpoint.is_loopback() { 2 } else { 30 });
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("handsight/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(setup.deadlines.connect)
            .pool_idle_timeout(idle)
            .no_proxy();
        if let Some(proxy) = setup.proxy.filter(|_| !setup.endpoint.is_loopback()) {
            builder = builder.proxy(reqwest::Proxy::all(proxy).map_err(refused)?);
        }
        if !setup.endpoint.is_encrypted() {
            // No certificates are read for a plain address, so a bare container without any can still ask its own machine.
            builder = builder.tls_certs_only([]);
        }
        Ok(Self {
            client: builder.build().map_err(refused)?,
            provider: setup.provider.to_owned(),
            hint: setup.hint.to_owned(),
            key: setup.key,
            deadlines: setup.deadlines,
        })
    }

    /// Sends and reads the whole answer, streamed or not. A status outside 200 to 299 is an error.
    pub(crate) async fn call(&self, call: Call<'_>) -> Result<Answer, ModelError> {
        let total = self.deadlines.total;
        match timeout(total, self.exchange(call)).await {
            Ok(answer) => answer,
            Err(_) => Err(self.late("whole reply", total)),
        }
    }

    async fn exchange(&self, call: Call<'_>) -> Result<Answer, ModelError> {
        let Call { method, url, body, stream, headers, unix_millis } = call;
        let mut request = self.client.request(method, url.clone());
        if let Some(body) = body {
            request = request.header(header::CONTENT_TYPE, "application/json").body(body);
        }
        if stream.is_some() {
            request = request.header(header::ACCEPT, Reading::MEDIA_TYPE);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let sent = self.within(self.deadlines.first_byte, "first byte", request.send()).await?;
        let mut response = sent.map_err(|e| self.failed(&url, &e))?;
        let status = response.status();
        if !status.is_success() {
            return Err(self.refused(response, unix_millis).await);
        }
        if response.content_length().is_some_and(|n| n > BODY_CAP) {
            return Err(self.too_long());
        }
        // A server that knows no streams answers whole.
        let media_type = response.headers().get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok());
        let is_stream = media_type.is_some_and(|t| t.starts_with(Reading::MEDIA_TYPE));
        if let Some(reading) = stream.filter(|_| is_stream) {
            let body = self.streamed(&url, response, reading).await?;
            return Ok(Answer { status: status.as_u16(), body });
        }
        let mut body = Vec::with_capacity(response.content_length().unwrap_or(4096) as usize);
        loop {
            let piece = self.within(self.deadlines.next_byte, "next byte", response.chunk()).await?;
            let Some(piece) = piece.map_err(|e| self.failed(&url, &e))? else { break };
            if (body.len() + piece.len()) as u64 > BODY_CAP {
                return Err(self.too_long());
            }
            body.extend_from_slice(&piece);
        }
        Ok(Answer { status: status.as_u16(), body })
    }

    /// Reads a stream to its own end; anything less is no reply.
    async fn streamed(
        &self,
        url: &Url,
        mut response: Response,
        mut reading: Reading,
    ) -> Result<Vec<u8>, ModelError> {
        let mut total = 0;
        // Headers alone are no beginning: many servers send them before the model does anything.
        let (mut limit, mut phase) = (self.deadlines.first_byte, "first byte");
        loop {
            let piece = self.within(limit, phase, response.chunk()).await?;
            (limit, phase) = (self.deadlines.next_byte, "next byte");
            let Some(piece) = piece.map_err(|e| self.failed(url, &e))? else { break };
            total += piece.len() as u64;
            if total > BODY_CAP {
                return Err(self.too_long());
            }
            if reading.push(&piece).map_err(|fault| self.faulty(fault, &piece))? {
                // The end of the answer follows at once; with it read, the connection serves the next call too.
                let _rest = timeout(AFTER_THE_END, response.chunk()).await;
                break;
            }
        }
        reading.finish().map_err(|fault| self.faulty(fault, &[]))
    }

    fn faulty(&self, fault: StreamFault, piece: &[u8]) -> ModelError {
        match fault {
            StreamFault::Malformed(why) => self.malformed(&why, piece),
            StreamFault::Failed { status, words } => ModelError::Http {
                provider: self.provider.clone(),
                status,
                body: cut(&self.clean(&words), SHOWN).to_owned(),
                retry_after: None,
            },
        }
    }

    async fn within<T>(
        &self,
        limit: Option<Duration>,
        phase: &'static str,
        wait: impl Future<Output = T>,
    ) -> Result<T, ModelError> {
        match limit {
            None => Ok(wait.await),
            Some(after) => timeout(after, wait).await.map_err(|_| self.late(phase, after)),
        }
    }

    async fn refused(&self, mut response: Response, unix_millis: i64) -> ModelError {
        let status = response.status();
        let text_of = |name: &str| response.headers().get(name).and_then(|v: &HeaderValue| v.to_str().ok());
        // The finer word first.
        let asked = text_of("retry-after-ms").and_then(retry::retry_after_ms);
        let asked = asked.or_else(|| text_of("retry-after").and_then(|v| retry::retry_after(v, unix_millis)));
        let location = text_of("location").map(str::to_owned);
        let mut body = Vec::new();
        // Whatever arrives of the explanation is shown; the status stands already.
        while body.len() < ERROR_CAP {
            match response.chunk().await {
                Ok(Some(piece)) => body.extend_from_slice(&piece),
                Ok(None) | Err(_) => break,
            }
        }
        body.truncate(ERROR_CAP);
        let retry_after = asked.or_else(|| retry::retry_info(&body));
        let mut text = self.start_of(&body);
        if let (true, Some(to)) = (status.is_redirection(), location) {
            text = format!("redirects are not followed; it points to {}. {text}", self.clean(&to));
        }
        ModelError::Http {
            provider: self.provider.clone(),
            status: status.as_u16(),
            body: cut(&text, SHOWN).to_owned(),
            retry_after,
        }
    }

    /// What was wrong with a body that came whole.
    pub(crate) fn malformed(&self, why: &str, body: &[u8]) -> ModelError {
        ModelError::Malformed {
            provider: self.provider.clone(),
            why: self.clean(why).into_owned(),
            start: self.start_of(body),
        }
    }

    /// A text without the key.
    pub(crate) fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.key.as_ref().map_or(Cow::Borrowed(text), |k| k.redact(text))
    }

    /// The first 4096 bytes. Cut after redaction, so that half a key cannot stay at the end.
    fn start_of(&self, body: &[u8]) -> String {
        let read = body.get(..ERROR_CAP).unwrap_or(body);
        cut(&self.clean(&String::from_utf8_lossy(read)), SHOWN).to_owned()
    }

    fn late(&self, phase: &'static str, after: Duration) -> ModelError {
        ModelError::Deadline { provider: self.provider.clone(), phase, after }
    }

    fn too_long(&self) -> ModelError {
        ModelError::TooLong { provider: self.provider.clone(), limit: BODY_CAP }
    }

    fn failed(&self, url: &Url, error: &reqwest::Error) -> ModelError {
        if error.is_timeout() && error.is_connect() {
            return self.late("connection", self.deadlines.connect);
        }
        if unpacking_failed(error) {
            return self.malformed(&format!("it cannot be unpacked ({})", root(error)), &[]);
        }
        let mut why = self.clean(&root(error)).into_owned();
        if error.is_connect() && !self.hint.is_empty() {
            why = format!("{why}; {}", self.hint);
        }
        let sent = !error.is_connect();
        ModelError::Network { provider: self.provider.clone(), url: url.to_string(), why, sent }
    }
}

/// Whether the body arrived but was not packed as it said. A body that broke off is told by the transport instead.
fn unpacking_failed(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(e) = cause {
        let kind = e.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        if matches!(kind, Some(ErrorKind::InvalidData | ErrorKind::InvalidInput)) {
            return error.is_decode();
        }
        cause = e.source();
    }
    false
}

/// The deepest cause: what the system said, without the layers above it.
fn root(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(e) = cause {
        text = e.to_string();
        cause = e.source();
    }
    text
}

/// At most `bytes` bytes, on a character border.
fn cut(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_falls_on_a_character_border() {
        assert_eq!(cut("aé", 2), "a");
        assert_eq!(cut("aé", 3), "aé");
        assert_eq!(cut("", 9), "");
    }
}
