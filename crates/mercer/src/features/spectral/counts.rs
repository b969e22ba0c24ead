//! How many independent frequencies a power series adds: `Σ aₙkⁿ` draws `n` with probability
//! `aₙcⁿ/Σ aₘcᵐ`, `c = k(x, x)`.

use crate::kernel::Series;

/// Terms after which a series counts as too long to be drawn from.
const MOST_TERMS: usize = 1_000_000;

/// A distribution on 0, 1, 2, …, as a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Counts {
    cumulative: Vec<f64>,
    total: f64,
}

impl Counts {
    /// The terms of a series at `c`; `None` if they have no finite sum that a table can hold.
    pub(crate) fn of_series(series: &Series, c: f64) -> Option<Self> {
        match series {
            Series::Coefficients(a) => {
                Self::of_terms(a.iter().enumerate().map(|(n, a)| a.get() * c.powi(n as i32)), a.len())
            }
            Series::Geometric => Self::of_terms(powers(c, |_| 1.0), MOST_TERMS),
            Series::Logarithm => {
                let term = |(n, p): (usize, f64)| if n == 0 { 0.0 } else { p / n as f64 };
                Self::of_terms(powers(c, |_| 1.0).enumerate().map(term), MOST_TERMS)
            }
            Series::Cosh => Self::of_terms(every_other(c, 0), MOST_TERMS),
            Series::Sinh => Self::of_terms(every_other(c, 1), MOST_TERMS),
        }
    }

    /// The terms of the exponential: a Poisson distribution.
    pub(crate) fn of_exponential(c: f64) -> Option<Self> {
        Self::of_terms(powers(c, |n| n), MOST_TERMS)
    }

    fn of_terms(terms: impl Iterator<Item = f64>, most: usize) -> Option<Self> {
        let (mut cumulative, mut total, mut small) = (Vec::new(), 0.0, 0);
        for term in terms.take(most) {
            total += term;
            cumulative.push(total);
            // Every other term of an even or odd series is 0: two small ones in a row end it.
            small = if term <= 1e-18 * total { small + 1 } else { 0 };
            if small > 2 && total > 0.0 && cumulative.len() > 64 {
                break;
            }
        }
        let fits = total.is_finite() && (cumulative.len() < MOST_TERMS);
        fits.then(|| Self {
            cumulative: cumulative.iter().map(|c| if total > 0.0 { c / total } else { 1.0 }).collect(),
            total,
        })
    }

    /// The sum of the series.
    pub(crate) fn total(&self) -> f64 {
        self.total
    }

    pub(crate) fn draw(&self, u: f64) -> usize {
        self.cumulative.partition_point(|c| *c < u).min(self.cumulative.len().saturating_sub(1))
    }

    /// `E n`.
    pub(crate) fn mean(&self) -> f64 {
        let before = std::iter::once(&0.0).chain(&self.cumulative);
        self.cumulative.iter().zip(before).enumerate().map(|(n, (c, b))| n as f64 * (c - b)).sum()
    }
}

/// `cⁿ/Π divisor(m)`, one after the other.
fn powers(c: f64, divisor: impl Fn(f64) -> f64) -> impl Iterator<Item = f64> {
    let (mut term, mut n) = (1.0, 0.0);
    std::iter::from_fn(move || {
        let here = term;
        n += 1.0;
        term *= c / divisor(n);
        Some(here)
    })
}

/// The terms of the exponential with this parity, 0 in between.
fn every_other(c: f64, parity: usize) -> impl Iterator<Item = f64> {
    powers(c, |n| n).enumerate().map(move |(n, term)| if n % 2 == parity { term } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_the_sums_and_means_those_of_the_distributions() {
        for c in [0.0, 0.3, 1.0, 30.0] {
            let poisson = Counts::of_exponential(c).unwrap();
            assert_close!(poisson.total() / f64::exp(c), 1.0, abs = 1e-13);
            assert_close!(poisson.mean(), c, abs = 1e-12 * c.max(1.0));
            let even = Counts::of_series(&Series::Cosh, c).unwrap();
            assert_close!(even.total() / c.cosh(), 1.0, abs = 1e-13);
        }
        let geometric = Counts::of_series(&Series::Geometric, 0.9).unwrap();
        assert_close!(geometric.total(), 10.0, abs = 1e-10);
        assert_close!(geometric.mean(), 9.0, abs = 1e-9);
        assert!(Counts::of_series(&Series::Geometric, 1.0).is_none() && Counts::of_exponential(800.0).is_none());
    }
}
