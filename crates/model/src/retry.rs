//! Asking again, without a storm.
//!
//! Only failures that may pass are tried again (R33): no answer, 408, 425, 429, 5xx. A key that is refused or a request that is
//! wrong is not. Waits grow twofold with full jitter; a `Retry-After` is honoured up to a bound. What takes longer is no matter of
//! one call: with a [`Limiter`] it fails at once, and [`Model::pause`] says how long to wait before the next look.

use crate::limiter::Limiter;
use handsight_base::flow::format::PictureLimits;
use handsight_base::flow::prompt::Sampling;
use handsight_base::port::BoxFuture;
use handsight_base::port::clock::Clock;
use handsight_base::port::model::{Exchange, Model, ModelError, ModelReply, ModelRequest, Room, Weight};
use handsight_base::stop::Stop;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub struct RetryPolicy {
    /// Tries after the first one; 0 in `stateless`, whose turns are the retries (S-81).
    pub retries: u32,
    /// The longest first wait.
    pub base: Duration,
    /// The longest wait of any try.
    pub cap: Duration,
    /// The longest wait that a server may ask for.
    pub longest_asked: Duration,
}

impl RetryPolicy {
    pub fn times(retries: u32) -> Self {
        Self {
            retries,
            base: Duration::from_millis(500),
            cap: Duration::from_secs(30),
            longest_asked: Duration::from_secs(120),
        }
    }

    /// How long to wait before try `tried + 1`. `chance` is from 0 to 1.
    fn wait(&self, tried: u32, asked: Option<Duration>, chance: f64) -> Duration {
        let doubled = self.base.saturating_mul(2_u32.saturating_pow(tried)).min(self.cap);
        match asked {
            // A little more than asked, or all who were sent away come back together.
            Some(asked) => asked.min(self.longest_asked) + self.base.mul_f64(chance),
            None => doubled.mul_f64(chance),
        }
    }
}

/// A model asked again when it fails for a while.
pub struct Retrying {
    inner: Arc<dyn Model>,
    policy: RetryPolicy,
    clock: Arc<dyn Clock>,
    limiter: Option<Limiter>,
    dice: AtomicU64,
}

impl Retrying {
    /// `seed` is for tests that must come out the same; without it the jitter is the machine's.
    pub fn new(inner: Arc<dyn Model>, policy: RetryPolicy, clock: Arc<dyn Clock>, seed: Option<u64>) -> Self {
        // Jitter needs no secrecy: where the machine gives no number, any will do.
        let seed = seed.unwrap_or_else(|| getrandom::u64().unwrap_or(0x9e37_79b9));
        Self { inner, policy, clock, limiter: None, dice: AtomicU64::new(seed) }
    }

    /// The same, leaving the service alone for as long as anybody here was told to.
    #[must_use]
    pub fn limited(self, limiter: Limiter) -> Self {
        Self { limiter: Some(limiter), ..self }
    }

    /// Waits out a short pause of the service. A long one is for the caller, who would ask with an old picture.
    async fn turn_to_ask(&self, stop: &Stop) -> Result<(), ModelError> {
        let left = match &self.limiter {
            Some(limiter) => limiter.refused().await,
            None => Duration::ZERO,
        };
        if left.is_zero() {
            return Ok(());
        }
        if left > self.policy.longest_asked {
            return Err(ModelError::Http {
                provider: self.inner.name().split('/').next().unwrap_or_default().to_owned(),
                status: 429,
                body: format!("not asked: it wants to be left alone for {} s more", left.as_secs()),
                retry_after: Some(left),
            });
        }
        self.wait(left + self.policy.base.mul_f64(self.chance()), stop).await
    }

    async fn wait(&self, wait: Duration, stop: &Stop) -> Result<(), ModelError> {
        tokio::select! {
            biased;
            _ = stop.stopped() => Err(ModelError::Stopped),
            () = self.clock.sleep(wait) => Ok(()),
        }
    }

    /// From 0 to 1 (SplitMix64).
    fn chance(&self) -> f64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut z = self.dice.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl Model for Retrying {
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
        let pause = self.limiter.as_ref()?.pause();
        (!pause.is_zero()).then_some(pause)
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            let mut tried = 0;
            loop {
                self.turn_to_ask(stop).await?;
                let error = match self.inner.ask(request, stop).await {
                    Ok(mut reply) => {
                        reply.exchange.retries = tried;
                        if let Some(limiter) = &self.limiter {
                            limiter.answered().await;
                        }
                        return Ok(reply);
                    }
                    Err(e) if !e.is_passing() => return Err(e),
                    Err(e) => e,
                };
                if let Some(limiter) = &self.limiter {
                    limiter.failed(&error, self.chance()).await;
                }
                if tried >= self.policy.retries {
                    return Err(error);
                }
                let asked = if let ModelError::Http { retry_after, .. } = error { retry_after } else { None };
                if self.limiter.is_some() && asked.is_some_and(|asked| asked > self.policy.longest_asked) {
                    return Err(error);
                }
                let wait = self.policy.wait(tried, asked, self.chance());
                self.wait(wait, stop).await?;
                tried += 1;
            }
        })
    }
}

/// What a `Retry-After` means: seconds, or a date in the form every server must send. Anything else, and a date that has
/// passed, is as if it were not there.
pub(crate) fn retry_after(value: &str, unix_millis: i64) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) {
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let left = date(value)?.checked_mul(1000)?.checked_sub(unix_millis)?;
    u64::try_from(left).ok().map(Duration::from_millis)
}

/// What a `retry-after-ms` means, which OpenAI's services send beside the other.
pub(crate) fn retry_after_ms(value: &str) -> Option<Duration> {
    let value = value.trim();
    let plain = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| Duration::from_millis(value.parse().unwrap_or(u64::MAX)))
}

/// What the body of a refusal asks for: Google's services send no header but a `google.rpc.RetryInfo` with `"34.07s"`, and put
/// it into a list of one before a stream.
pub(crate) fn retry_info(body: &[u8]) -> Option<Duration> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let refusal = body.get(0).unwrap_or(&body);
    let details = refusal.pointer("/error/details")?.as_array()?;
    let is_retry =
        |d: &&Value| d.get("@type").and_then(Value::as_str).is_some_and(|t| t.ends_with(".RetryInfo"));
    let delay = details.iter().find(is_retry)?.get("retryDelay")?.as_str()?;
    Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
}

/// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`.
fn date(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_weekday, rest) = text.split_once(", ")?;
    let mut words = rest.split(' ');
    let mut number = |max: i64| words.next()?.parse().ok().filter(|n| (0..=max).contains(n));
    let day = number(31)?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|m| *m == month)? as i64;
    let mut number = |max: i64| words.next()?.parse().ok().filter(|n| (0..=max).contains(n));
    let year: i64 = number(9999)?;
    let mut clock = words.next()?.split(':').map(|n| n.parse::<i64>().ok().filter(|n| (0..=60).contains(n)));
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    if words.next() != Some("GMT") || words.next().is_some() || clock.next().is_some() {
        return None;
    }
    // Days from a March-based calendar, where a leap day is the last of its year.
    let from_march = (month + 10) % 12;
    let year = year - i64::from(month < 2);
    let day_of_year = (153 * from_march + 2) / 5 + day - 1;
    let days =
        year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_the_protocol_writes_them() {
        assert_eq!(date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(date("Thu, 29 Feb 2024 12:00:00 GMT"), Some(1_709_208_000));
        assert_eq!(date("Fri, 01 Mar 2024 00:00:00 GMT"), Some(1_709_251_200));
        for bad in
            ["", "soon", "Sun, 06 Nov 1994", "Sun, 6 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET"]
        {
            assert_eq!(date(bad), None, "{bad}");
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date_to_come() {
        let now = 784_111_777_000;
        assert_eq!(retry_after("7", now), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:47 GMT", now), Some(Duration::from_secs(10)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:27 GMT", now), None, "it has passed");
        assert_eq!(retry_after("99999999999999999999999", now), Some(Duration::from_secs(u64::MAX)));
        for bad in ["", "-5", "1.5", "soon", "Sun, 06 Nov 1994"] {
            assert_eq!(retry_after(bad, now), None, "{bad}");
        }
    }

    #[test]
    fn what_a_body_asks_for_is_heard() {
        let of = |delay: &str| {
            format!(
                "{{\"error\":{{\"details\":[{{}},{{\"@type\":\"x/google.rpc.RetryInfo\",\"retryDelay\":{delay}}}]}}}}"
            )
        };
        assert_eq!(retry_info(of("\"34.5s\"").as_bytes()), Some(Duration::from_millis(34_500)));
        assert_eq!(retry_info(format!("[{}]", of("\"7s\"")).as_bytes()), Some(Duration::from_secs(7)));
        for bad in ["\"-1s\"", "\"7\"", "7", "null", "\"NaNs\"", "\"infs\"", "\"1e99s\""] {
            assert_eq!(retry_info(of(bad).as_bytes()), None, "{bad}");
        }
        for bad in ["", "[]", "7", "{\"error\":{\"details\":{}}}"] {
            assert_eq!(retry_info(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(retry_after_ms(" 1500 "), Some(Duration::from_millis(1500)));
        assert_eq!((retry_after_ms(""), retry_after_ms("-1"), retry_after_ms("1.5")), (None, None, None));
    }

    #[test]
    fn waits_grow_and_are_bounded_whatever_is_asked() {
        let policy = RetryPolicy::times(9);
        for tried in 0..=64 {
            assert_eq!(policy.wait(tried, None, 0.0), Duration::ZERO, "full jitter begins at nothing");
            let most = policy.wait(tried, None, 1.0);
            let doubled = Duration::from_millis(500 << tried.min(20));
            assert_eq!(most, doubled.min(policy.cap), "{tried}");
        }
        let asked = |secs| policy.wait(0, Some(Duration::from_secs(secs)), 0.5);
        assert_eq!(asked(7), Duration::from_millis(7_250));
        assert_eq!(asked(u64::MAX), policy.longest_asked + Duration::from_millis(250));
        assert_eq!(asked(0), Duration::from_millis(250));
    }
}
