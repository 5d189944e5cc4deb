//! The two statistics of a score: how far a rate can be trusted, and what several tries are worth.
//!
//! Only closed forms over counts; nothing here knows what was counted.

/// The 97.5 % quantile of the normal distribution: both ends of a 95 % interval.
const Z_95: f64 = 1.959_963_984_540_054;

/// A share of `of`, with the ends of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Rate {
    pub passed: u64,
    pub of: u64,
    /// 0 to 1; `None` of nothing.
    pub rate: Option<f64>,
    /// The lower end of the 95 % Wilson score interval, 0 to 1.
    pub low: f64,
    pub high: f64,
}

impl Rate {
    /// `passed` of `of`. The Wilson score interval without continuity correction; of nothing it is everything from 0 to 1.
    pub fn new(passed: u64, of: u64) -> Self {
        if of == 0 {
            return Self { passed, of, rate: None, low: 0.0, high: 1.0 };
        }
        let (n, p) = (of as f64, passed as f64 / of as f64);
        let z2 = Z_95 * Z_95;
        let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z_95 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        // At the ends the formula gives 0 and 1 but for rounding.
        let low = if passed == 0 { 0.0 } else { (middle - half).max(0.0) };
        let high = if passed == of { 1.0 } else { (middle + half).min(1.0) };
        Self { passed, of, rate: Some(p), low, high }
    }
}

/// The chance that at least one of `k` tries passes, drawn without putting back from `n` tries of which `passed` did
/// (the unbiased estimator `1 - C(n - passed, k) / C(n, k)`). `None` where there are fewer than `k` tries.
pub fn pass_at(k: u64, passed: u64, n: u64) -> Option<f64> {
    if k == 0 || k > n || passed > n {
        return None;
    }
    let failed = n - passed;
    if failed < k {
        return Some(1.0);
    }
    // C(failed, k) / C(n, k), factor by factor, so that nothing overflows.
    let all_fail: f64 = (0..k).map(|i| (failed - i) as f64 / (n - i) as f64).product();
    Some(1.0 - all_fail)
}

/// The middle of some values, the upper one of two; `None` of none.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I,
    /// method 3; the last three are the formula worked out apart from this program.
    #[test]
    fn the_interval_is_wilsons() {
        for (passed, of, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
            (29, 29, 0.8830, 1.0),
            (5, 10, 0.2366, 0.7634),
            (1, 1, 0.2065, 1.0),
        ] {
            let rate = Rate::new(passed, of);
            assert!(
                (rate.low - low).abs() < 5.1e-5 && (rate.high - high).abs() < 5.1e-5,
                "{passed} of {of}: {rate:?}, not {low} to {high}"
            );
            assert_eq!(rate.rate, Some(passed as f64 / of as f64));
        }
        let nothing = Rate::new(0, 0);
        assert_eq!((nothing.rate, nothing.low, nothing.high), (None, 0.0, 1.0));
    }

    #[test]
    fn more_of_the_same_is_surer() {
        let width = |of: u64| Rate::new(of / 2, of).high - Rate::new(of / 2, of).low;
        assert!(width(10) > width(40) && width(40) > width(160));
    }

    /// Against every way of drawing k of n.
    #[test]
    fn several_tries_are_worth_what_all_draws_say() {
        for n in 1..=9_u64 {
            for passed in 0..=n {
                for k in 1..=n {
                    let (mut draws, mut lucky) = (0_u64, 0_u64);
                    for set in 0..(1_u64 << n) {
                        if u64::from(set.count_ones()) == k {
                            draws += 1;
                            // The first `passed` tries are those that passed.
                            lucky += u64::from(set & ((1 << passed) - 1) != 0);
                        }
                    }
                    let want = lucky as f64 / draws as f64;
                    let got = pass_at(k, passed, n).unwrap();
                    assert!((got - want).abs() < 1e-12, "n {n}, passed {passed}, k {k}: {got}, not {want}");
                }
            }
        }
        assert_eq!(pass_at(3, 1, 2), None, "there are no three tries");
        assert_eq!(pass_at(0, 1, 2), None);
        assert!((pass_at(1, 7, 1_000).unwrap() - 0.007).abs() < 1e-12, "one try is the rate");
    }

    #[test]
    fn the_middle_is_one_of_them() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0]), Some(4.0));
        assert_eq!(median([]), None);
    }
}
