//! What a call costs, and what it can cost at most before it is made.

use handsight_base::flow::prompt::Picture;
use handsight_base::port::model::{ModelRequest, Part, Usage};
use serde::Deserialize;

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    /// Of input that the provider had in its cache; the price of other input if not given.
    pub cached: Option<f64>,
    /// Of input that the provider wrote to its cache; the price of other input if not given.
    pub cache_write: Option<f64>,
    pub output: f64,
    /// Of requests with more input than that; the same for all if not given.
    pub long: Option<LongPrice>,
}

/// The price of all tokens of a request that has more input tokens than `over`.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPrice {
    pub over: u64,
    pub input: f64,
    pub cached: Option<f64>,
    pub cache_write: Option<f64>,
    pub output: f64,
}

/// The most a call can have used, for a provider that says nothing of it (R31).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtMost {
    pub input_tokens: u64,
    pub output_tokens: u64,
}

/// What a model charges, and what its provider counts a picture as.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tariff {
    /// `None` where nobody said.
    pub price: Option<Price>,
    /// Most tokens one picture is ever counted as; `None` where nobody said.
    pub picture_tokens: Option<u32>,
    /// Tokens a model may think beyond the words it is asked for at most.
    pub thinking_tokens: u32,
}

/// Tokens charged for the words of a reply that had no limit and no usage.
const OUTPUT_AT_MOST: u64 = 32_768;
/// Of a picture of which nobody says how it is counted.
const PICTURE_AT_MOST: u32 = 16_384;
/// What a provider's own words around a request, a message and a tool come to; generous.
const AROUND: [u64; 3] = [1024, 16, 64];

impl Tariff {
    /// No tokenizer makes more tokens than there are bytes.
    pub fn at_most(&self, request: &ModelRequest) -> AtMost {
        let text = |p: &Part| match p {
            Part::Text(text) | Part::Result { text, .. } => text.len(),
            Part::Call(call) => call.arguments.len() + call.name.len(),
            Part::Picture(_) => 0,
        };
        let messages: usize = request.messages.iter().flat_map(|m| &m.parts).map(text).sum();
        let raw: usize =
            request.messages.iter().filter_map(|m| m.raw.as_ref()).map(|r| r.json.to_string().len()).sum();
        let tools: usize = request
            .tools
            .iter()
            .map(|t| t.name.len() + t.description.len() + t.parameters.to_string().len())
            .sum();
        let of_picture = u64::from(self.picture_tokens.unwrap_or(PICTURE_AT_MOST));
        let [request_around, message_around, tool_around] = AROUND;
        AtMost {
            input_tokens: (request.system.len() + messages + raw + tools) as u64
                + of_picture * pictures(request).count() as u64
                + request_around
                + message_around * request.messages.len() as u64
                + tool_around * request.tools.len() as u64,
            output_tokens: request.sampling.max_tokens.map_or(OUTPUT_AT_MOST, u64::from)
                + u64::from(self.thinking_tokens),
        }
    }

    /// US dollars that no call of this size costs more than: all of its input at the dearest price of input.
    pub(crate) fn most_usd(&self, most: AtMost) -> Option<f64> {
        let price = self.price?.of(most.input_tokens);
        let dearest = [price.input, price.cached.unwrap_or(0.0), price.cache_write.unwrap_or(0.0)];
        let input = dearest.into_iter().fold(0.0, f64::max);
        Some((most.input_tokens as f64 * input + most.output_tokens as f64 * price.output) / 1e6)
    }

    /// US dollars; `None` without a price.
    pub(crate) fn cost(&self, usage: &Usage, most: AtMost) -> Option<f64> {
        self.price.map(|price| price.cost(usage, most))
    }
}

/// Every picture of a request, in order.
pub(crate) fn pictures(request: &ModelRequest) -> impl Iterator<Item = &Picture> {
    request.messages.iter().flat_map(|m| &m.parts).filter_map(|p| match p {
        Part::Picture(picture) | Part::Result { picture: Some(picture), .. } => Some(picture),
        Part::Text(_) | Part::Call(_) | Part::Result { picture: None, .. } => None,
    })
}

impl Price {
    pub(crate) fn is_sane(&self) -> bool {
        let long = self.long.map_or([0.0; 4], |long| long.price().each());
        self.each().iter().chain(&long).all(|p| p.is_finite() && *p >= 0.0)
    }

    fn each(&self) -> [f64; 4] {
        [self.input, self.output, self.cached.unwrap_or(0.0), self.cache_write.unwrap_or(0.0)]
    }

    /// What it is for a request with so much input.
    fn of(self, input_tokens: u64) -> Self {
        self.long.filter(|long| input_tokens > long.over).map_or(self, |long| long.price())
    }

    /// What the counted tokens cost; a count that the provider left out is taken as the most it can be.
    pub(crate) fn cost(&self, usage: &Usage, most: AtMost) -> f64 {
        let input = usage.input_tokens.unwrap_or(most.input_tokens);
        let price = self.of(input);
        price.for_all(usage, most, input)
    }

    fn for_all(&self, usage: &Usage, most: AtMost, input: u64) -> f64 {
        let output = usage.output_tokens.unwrap_or(most.output_tokens);
        let cached = usage.cached_tokens.unwrap_or(0).min(input);
        let dearest = self.cache_write.unwrap_or(self.input).max(self.input);
        // Without a word on the input, all of it may have been written to the cache.
        let written = match usage.input_tokens {
            Some(_) => usage.cache_write_tokens.unwrap_or(0).min(input - cached),
            None => input - cached,
        };
        let fresh = (input - cached - written) as f64 * self.input + written as f64 * dearest;
        (fresh + cached as f64 * self.cached.unwrap_or(self.input) + output as f64 * self.output) / 1e6
    }
}

impl LongPrice {
    const fn price(self) -> Price {
        let Self { over: _, input, cached, cache_write, output } = self;
        Price { input, cached, cache_write, output, long: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price { input: 2.0, cached: Some(0.5), cache_write: None, output: 8.0, long: None };
    const MOST: AtMost = AtMost { input_tokens: 10_000, output_tokens: 2_000 };

    fn cost(price: Price, input: Option<u64>, output: Option<u64>, cached: Option<u64>) -> f64 {
        let usage =
            Usage { input_tokens: input, output_tokens: output, cached_tokens: cached, ..Usage::default() };
        price.cost(&usage, MOST)
    }

    #[test]
    fn cached_input_has_its_own_price() {
        assert_eq!(cost(PRICE, Some(1_000_000), Some(0), None), 2.0);
        assert_eq!(cost(PRICE, Some(1_000_000), Some(500_000), Some(400_000)), 1.2 + 0.2 + 4.0);
        let plain = Price { cached: None, ..PRICE };
        assert_eq!(cost(plain, Some(1_000_000), Some(0), Some(1_000_000)), 2.0);
        assert_eq!(cost(PRICE, Some(10), Some(0), Some(99)), 10.0 * 0.5 / 1e6, "never more cached than sent");
        let usage = Usage {
            input_tokens: Some(1_000_000),
            output_tokens: Some(0),
            cached_tokens: Some(300_000),
            cache_write_tokens: Some(200_000),
            ..Usage::default()
        };
        let writes = Price { cache_write: Some(2.5), ..PRICE };
        assert_eq!(writes.cost(&usage, MOST), 0.5 * 2.0 + 0.2 * 2.5 + 0.3 * 0.5);
    }

    #[test]
    fn a_long_request_has_its_own_price_for_all_of_it() {
        let long =
            LongPrice { over: 272_000, input: 4.0, cached: Some(0.2), cache_write: Some(5.0), output: 15.0 };
        let price = Price { long: Some(long), ..PRICE };
        assert_eq!(cost(price, Some(272_000), Some(0), None), 0.544);
        assert_eq!(cost(price, Some(272_001), Some(0), None), 272_001.0 * 4.0 / 1e6);
        assert_eq!(cost(price, Some(500_000), Some(100_000), Some(400_000)), 0.4 + 0.08 + 1.5);
        // What is reserved goes by the most there may be, and a reply that says nothing by the same.
        let tariff = Tariff { price: Some(price), picture_tokens: None, thinking_tokens: 0 };
        let most = AtMost { input_tokens: 300_000, output_tokens: 1_000 };
        assert_eq!(tariff.most_usd(most), Some((300_000.0 * 5.0 + 1_000.0 * 15.0) / 1e6));
        assert!(price.cost(&Usage::default(), most) <= tariff.most_usd(most).unwrap());
        assert!(!Price { long: Some(LongPrice { output: -1.0, ..long }), ..PRICE }.is_sane());
    }

    #[test]
    fn what_is_reserved_is_never_less_than_what_a_cache_makes_of_it() {
        let price =
            Price { input: 10.0, cached: Some(1.0), cache_write: Some(12.5), output: 50.0, long: None };
        let most = AtMost { input_tokens: 1_000_000, output_tokens: 0 };
        let tariff = Tariff { price: Some(price), picture_tokens: None, thinking_tokens: 0 };
        assert_eq!(tariff.most_usd(most), Some(12.5));
        assert_eq!(Tariff { price: None, ..tariff }.most_usd(most), None);
    }

    #[test]
    fn what_the_provider_does_not_say_is_charged_at_the_most() {
        assert_eq!(cost(PRICE, None, None, None), (10_000.0 * 2.0 + 2_000.0 * 8.0) / 1e6);
        assert_eq!(cost(PRICE, Some(1), None, None), (2.0 + 2_000.0 * 8.0) / 1e6);
    }
}
