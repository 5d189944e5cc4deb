//! Samples, and what is said of them: median, least, 95th of a hundred, and whether a budget is kept.

use serde_json::{Value, json};

/// What a figure should be; half of the samples have to keep it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Budget {
    AtMost(f64),
    AtLeast(f64),
}

/// One measured thing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    name: &'static str,
    unit: &'static str,
    /// In order; never empty.
    samples: Vec<f64>,
    budget: Option<Budget>,
}

impl Figure {
    /// Milliseconds, unless said otherwise.
    pub(super) fn new(name: &'static str, samples: impl IntoIterator<Item = f64>) -> Self {
        let mut samples: Vec<f64> = samples.into_iter().collect();
        samples.sort_by(f64::total_cmp);
        Self { name, unit: "ms", samples, budget: None }
    }

    /// How often `costly` is as much as `cheap`, pair by pair: what slows the machine slows both.
    pub(super) fn ratio(name: &'static str, costly: &[f64], cheap: &[f64]) -> Self {
        Self::new(name, costly.iter().zip(cheap).map(|(a, b)| a / b)).unit("x")
    }

    pub(super) const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    pub(super) const fn at_most(mut self, limit: f64) -> Self {
        self.budget = Some(Budget::AtMost(limit));
        self
    }

    pub(super) const fn at_least(mut self, limit: f64) -> Self {
        self.budget = Some(Budget::AtLeast(limit));
        self
    }

    pub(super) fn median(&self) -> f64 {
        self.share(0.5)
    }

    /// The sample below which this share of all lies.
    fn share(&self, share: f64) -> f64 {
        let last = self.samples.len().saturating_sub(1);
        self.samples.get((last as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
    }

    /// `None` without a budget.
    fn is_kept(&self) -> Option<bool> {
        Some(match self.budget? {
            Budget::AtMost(limit) => self.median() <= limit,
            Budget::AtLeast(limit) => self.median() >= limit,
        })
    }

    pub(super) fn heading() -> String {
        format!("{:<30} {:>9} {:>9} {:>9}      {:>9}", "", "median", "min", "p95", "budget")
    }

    pub(super) fn line(&self) -> String {
        let number = |v: f64| if v < 10.0 { format!("{v:.2}") } else { format!("{v:.1}") };
        let (median, least, most) =
            (number(self.median()), number(self.share(0.0)), number(self.share(0.95)));
        let budget = match self.budget {
            None => String::new(),
            Some(Budget::AtMost(limit)) => format!("<= {limit}"),
            Some(Budget::AtLeast(limit)) => format!(">= {limit}"),
        };
        let kept = match self.is_kept() {
            None => "",
            Some(true) => "  kept",
            Some(false) => "  MISSED",
        };
        format!("{:<30} {median:>9} {least:>9} {most:>9} {:<4} {budget:>9}{kept}", self.name, self.unit)
            .trim_end()
            .to_owned()
    }

    pub(super) fn document(&self) -> Value {
        let rounded = |v: f64| (v * 1e4).round() / 1e4;
        let (comparison, limit) = match self.budget {
            None => (None, None),
            Some(Budget::AtMost(limit)) => (Some("at_most"), Some(limit)),
            Some(Budget::AtLeast(limit)) => (Some("at_least"), Some(limit)),
        };
        json!({
            "name": self.name,
            "unit": self.unit,
            "median": rounded(self.median()),
            "min": rounded(self.share(0.0)),
            "p95": rounded(self.share(0.95)),
            "samples": self.samples.len(),
            "budget": limit,
            "budget_is": comparison,
            "kept": self.is_kept(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_judged_by_its_median() {
        let figure = Figure::new("f", [9.0, 1.0, 2.0, 3.0, 100.0]).at_most(3.0);
        assert_eq!((figure.median(), figure.share(0.0), figure.share(0.95)), (3.0, 1.0, 100.0));
        assert_eq!(figure.is_kept(), Some(true));
        assert_eq!(figure.clone().at_most(2.9).is_kept(), Some(false));
        assert_eq!(figure.clone().at_least(3.1).is_kept(), Some(false));
        assert_eq!(figure.at_least(3.0).is_kept(), Some(true));
        assert!(Figure::new("f", [5.0]).at_most(4.0).line().ends_with("MISSED"));
        assert_eq!(Figure::new("f", [5.0]).is_kept(), None);
    }

    #[test]
    fn a_ratio_is_that_of_neighbours() {
        // The machine became ten times slower half way: the ratio of each pair stays what it is.
        let figure = Figure::ratio("r", &[2.0, 2.0, 20.0, 20.0, 20.0], &[1.0, 1.0, 10.0, 10.0, 10.0]);
        assert_eq!((figure.median(), figure.share(0.95)), (2.0, 2.0));
    }
}
