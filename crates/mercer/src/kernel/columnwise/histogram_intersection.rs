//! The histogram intersection kernel.

use crate::kernel::prelude::*;

/// Histogram intersection kernel on non-negative vectors.
///
/// # Formula
/// `k(x, y) = Σⱼ min(xⱼ, yⱼ)`.
///
/// # Theory
/// `min(s, t) = ∫ 1[u ≤ s] 1[u ≤ t] du` on `[0, ∞)`: positive semi-definite, a sum of Brownian
/// covariances.
///
/// # Cost
/// `O(d)` per pair.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "histogram_intersection()".parse()?;
/// mercer::assert_close!(k.evaluate(&[1.0, 4.0], &[2.0, 3.0])?, 4.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistogramIntersection;

impl Leaf for HistogramIntersection {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn facts(&self) -> Facts {
        let no = Fact::No("every function of its RKHS vanishes at 0");
        Facts {
            strictly_pd: no,
            universal: no,
            bound: Some(f64::INFINITY),
            differentiable: false,
            separates: true,
            ..Facts::psd("min(s,t) = ∫ 1[u ≤ s] 1[u ≤ t] du, summed over the columns")
        }
    }

    /// In every column that a point shares with the center.
    fn has_kink(&self, x: &[f64], y: &[f64]) -> bool {
        x.iter().zip(y).any(|(a, b)| a == b)
    }

    fn is_non_negative(&self) -> bool {
        true
    }
}

impl Columnwise for HistogramIntersection {
    fn start(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn step<N: Real>(&self, _: Shape<N>, _: N, sum: N, x: N, y: N) -> N {
        sum + x.min(y)
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "histogram_intersection",
    family: Family::Columnwise,
    formula: "Σⱼ min(xⱼ, yⱼ)",
    domain: Domain::NonNegativeVectors,
    parameters: &[],
    theory: "Positive semi-definite on non-negative vectors: a sum of Brownian covariances.",
    cost: "O(d)",
    examples: &["histogram_intersection()", "normalized(histogram_intersection())"],
    build: |_| Ok(HistogramIntersection.into()),
};
