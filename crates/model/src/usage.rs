//! What a call costs.

use handsight_base::port::model::Usage;
use serde::Deserialize;

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    /// Of input that the provider had in its cache; the price of other input if not given.
    pub cached: Option<f64>,
    pub output: f64,
}

/// The most a call can have used, for a provider that says nothing of it (R31).
#[derive(Debug, Clone, Copy)]
pub(crate) struct AtMost {
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
}

impl Price {
    pub(crate) fn is_sane(&self) -> bool {
        [self.input, self.output, self.cached.unwrap_or(0.0)].iter().all(|p| p.is_finite() && *p >= 0.0)
    }

    /// What the counted tokens cost; a count that the provider left out is taken as the most it can be.
    pub(crate) fn cost(&self, usage: &Usage, most: AtMost) -> f64 {
        let input = usage.input_tokens.unwrap_or(most.input_tokens);
        let output = usage.output_tokens.unwrap_or(most.output_tokens);
        let cached = usage.cached_tokens.unwrap_or(0).min(input);
        let fresh = (input - cached) as f64 * self.input;
        (fresh + cached as f64 * self.cached.unwrap_or(self.input) + output as f64 * self.output) / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price { input: 2.0, cached: Some(0.5), output: 8.0 };
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
    }

    #[test]
    fn what_the_provider_does_not_say_is_charged_at_the_most() {
        assert_eq!(cost(PRICE, None, None, None), (10_000.0 * 2.0 + 2_000.0 * 8.0) / 1e6);
        assert_eq!(cost(PRICE, Some(1), None, None), (2.0 + 2_000.0 * 8.0) / 1e6);
    }
}
