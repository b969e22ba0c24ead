//! The outcome of a test.

use std::fmt;

use super::Resampled;
use crate::error::AllowedRange;
use crate::real::special::ln_gamma;
use crate::wording::shortened;
use crate::{Error, Result, Seed};

/// The outcome of a test: the decision and all that it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct TestOutcome {
    /// The observed statistic.
    pub statistic: f64,
    /// The p-value, never 0 for a permutation test.
    pub p_value: f64,
    /// The significance level.
    pub level: f64,
    /// Whether `p ≤ level`.
    pub reject: bool,
    /// How the p-value was found.
    pub method: String,
    /// The relabelings that were evaluated beside the observed one; 0 when the null distribution is
    /// an approximation.
    pub permutations: usize,
    /// Whether these were all relabelings.
    pub exact: bool,
    /// Whether drawing stopped early because rejection had become impossible.
    pub stopped_early: bool,
    /// The statistic under the relabelings, or simulated from its null distribution.
    pub null: Option<Vec<f64>>,
    /// Statistics above this are rejected at the level.
    pub threshold: Option<f64>,
    /// The seed of the relabelings.
    pub seed: Seed,
    /// The kernel or kernels, as text, with the parameters that were used.
    pub kernel: String,
    /// An interval that holds the p-value of all relabelings with 99 % confidence, where they were
    /// drawn at random. For the smallest p-value of several kernels the interval is approximate: it
    /// takes the p-values of the single kernels as they were found.
    pub p_interval: Option<(f64, f64)>,
    /// Further numbers by name.
    pub details: Vec<(String, f64)>,
}

impl TestOutcome {
    /// An outcome with a given p-value.
    pub(super) fn new(method: &str, statistic: f64, p_value: f64, level: f64, kernel: String, seed: Seed) -> Self {
        Self {
            statistic,
            p_value,
            level,
            reject: p_value <= level,
            method: method.into(),
            permutations: 0,
            exact: false,
            stopped_early: false,
            null: None,
            threshold: None,
            seed,
            kernel,
            p_interval: None,
            details: Vec::new(),
        }
    }

    /// The outcome of a permutation test on the first statistic of a sample.
    pub(super) fn of_resampled(method: &str, found: &Resampled, level: f64, kernel: String, seed: Seed) -> Self {
        let null = found.null(0);
        let p_value = found.p_value(0);
        let mut outcome = Self::new(method, found.observed(0), p_value, level, kernel, seed);
        outcome.permutations = found.relabelings();
        outcome.exact = found.exact;
        outcome.stopped_early = found.stopped;
        outcome.threshold = Some(found.threshold(0, level));
        if !found.exact {
            outcome.p_interval = Some(binomial_interval(found.at_least(0), found.relabelings(), 0.99));
        }
        if let Some(effect) = effect(found.observed(0), &null) {
            outcome.details.push(("effect".into(), effect));
        }
        outcome.null = Some(null);
        outcome
    }

    /// A further number by its name.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, hypothesis::TwoSample};
    /// use ndarray::array;
    /// let test = TwoSample::permutation("gaussian()".parse()?);
    /// let (x, y) = (array![[0.0], [1.0], [2.0]], array![[5.0], [6.0], [7.0]]);
    /// let outcome = test.test(&x, &y, &Compute::new())?;
    /// // The statistic in units of the spread of its null law.
    /// assert!(outcome.detail("effect").unwrap() > 1.0);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn detail(&self, name: &str) -> Option<f64> {
        self.details.iter().find(|(n, _)| n == name).map(|(_, value)| *value)
    }

    /// Whether every relabeling has the same statistic as the sample, so that the test cannot reject: the
    /// kernel does not distinguish the points of a sample, as a spectrum kernel of length 3 on strings
    /// of one letter, whose values are all 0.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, hypothesis::TwoSample, points::Strings};
    /// let x: Strings = ["a", "b", "a", "b"].into_iter().collect();
    /// let y: Strings = ["b", "b", "b", "b"].into_iter().collect();
    /// let outcome = TwoSample::permutation("spectrum(length=3)".parse()?).test(&x, &y, &Compute::new())?;
    /// assert!(outcome.is_degenerate() && outcome.p_value == 1.0);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn is_degenerate(&self) -> bool {
        let same = |null: &Vec<f64>| null.len() > 1 && null.iter().all(|value| *value == self.statistic);
        self.null.as_ref().is_some_and(same)
    }

    /// What a person should know of the outcome beside its numbers: whether it is degenerate.
    pub fn remark(&self) -> Option<&'static str> {
        self.is_degenerate().then_some(DEGENERATE)
    }

    pub(super) fn with_detail(mut self, name: &str, value: f64) -> Self {
        self.details.push((name.into(), value));
        self
    }
}

impl fmt::Display for TestOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decision = if self.reject { "rejected" } else { "not rejected" };
        writeln!(f, "the hypothesis is {decision} at level {}: p = {:.4}", self.level, self.p_value)?;
        writeln!(f, "  statistic {:.6} by {}", self.statistic, self.method)?;
        if self.permutations > 0 {
            let all = if self.exact { "all relabelings" } else { "random relabelings" };
            let early = if self.stopped_early { ", stopped early" } else { "" };
            writeln!(f, "  {} {all} beside the observed one (seed {}){early}", self.permutations, self.seed.0)?;
        }
        write!(f, "  kernel {}", shortened(self.kernel.as_str()))?;
        self.remark().map_or(Ok(()), |remark| write!(f, "\n{remark}"))
    }
}

const DEGENERATE: &str = "Every relabeling has the same statistic: the kernel does not distinguish the points of a \
                              sample, and the test cannot reject. Use another kernel.";

/// The observed statistic in units of the spread of the null values, from their mean.
pub(super) fn effect(observed: f64, null: &[f64]) -> Option<f64> {
    let n = null.len() as f64;
    let mean = null.iter().sum::<f64>() / n;
    let variance = null.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (variance > 0.0).then(|| (observed - mean) / variance.sqrt())
}

/// A level between 0 and 1.
pub(super) fn check_level(level: f64) -> Result<()> {
    if level > 0.0 && level < 1.0 {
        return Ok(());
    }
    Err(Error::parameter("level", level, AllowedRange::OPEN_UNIT))
}

/// The Clopper–Pearson interval of a probability after `k` successes in `n` trials.
pub(super) fn binomial_interval(k: usize, n: usize, confidence: f64) -> (f64, f64) {
    let tail = 0.5 * (1.0 - confidence);
    let solve = |target: &dyn Fn(f64) -> bool| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if target(middle) { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    };
    let lower = if k == 0 { 0.0 } else { solve(&|p| at_least(k, n, p) < tail) };
    let upper = if k == n { 1.0 } else { solve(&|p| 1.0 - at_least(k + 1, n, p) > tail) };
    (lower, upper)
}

/// `P(S ≥ k)` for `S` of the binomial distribution, `0 < p < 1`: the tail beyond `k`, or 1 minus
/// the one before it, from its largest term outwards.
fn at_least(k: usize, n: usize, p: f64) -> f64 {
    let (n, k, odds) = (n as f64, k as f64, p / (1.0 - p));
    let probability = |i: f64| {
        let ln_choose = ln_gamma(n + 1.0) - ln_gamma(i + 1.0) - ln_gamma(n - i + 1.0);
        (ln_choose + i * p.ln() + (n - i) * (-p).ln_1p()).exp()
    };
    let tail = |mut i: f64, step: f64| {
        let (mut term, mut sum) = (probability(i), 0.0);
        while term > 1e-18 * sum && (0.0..=n).contains(&i) {
            sum += term;
            term *= if step > 0.0 { (n - i) / (i + 1.0) * odds } else { i / (n - i + 1.0) / odds };
            i += step;
        }
        sum
    };
    if k > n * p { tail(k, 1.0) } else { 1.0 - tail(k - 1.0, -1.0) }.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_binomial_intervals() {
        // 0 of 10: upper end 1 − 0.005^(1/10); 5 of 10 at 95 %, from tables.
        let (low, high) = binomial_interval(0, 10, 0.99);
        assert!(low == 0.0);
        assert_close!(high, 1.0 - 0.005_f64.powf(0.1), abs = 1e-12);
        let (low, high) = binomial_interval(5, 10, 0.95);
        assert_close!(low, 0.187_086, abs = 1e-6);
        assert_close!(high, 0.812_914, abs = 1e-6);
        assert_eq!(binomial_interval(10, 10, 0.95).1, 1.0);
        // Both tails against plain sums of Pascal's triangle.
        for (k, p) in [(1, 0.3), (3, 0.2), (9, 0.55), (12, 0.9), (20, 0.99)] {
            let choose = (0..=20).scan(1.0, |c, i| Some(std::mem::replace(c, *c * (20 - i) as f64 / (i + 1) as f64)));
            let terms: Vec<f64> = choose
                .enumerate()
                .map(|(i, c)| c * f64::powi(p, i as i32) * f64::powi(1.0 - p, 20 - i as i32))
                .collect();
            let expected: f64 = terms[k..].iter().sum();
            assert_close!(at_least(k, 20, p), expected, abs = 1e-13, "{k} {p}");
        }
    }
}
