//! Distribution-free bounds.

use super::{PooledPairs, TwoSample};
use crate::hypothesis::TestOutcome;
use crate::kernel::Property;
use crate::measure::{Estimator, TwoSampleSums};
use crate::{Compute, Error, Kernel, Result};

impl TwoSample {
    /// The bounds of Gretton et al. (2012) for `0 ≤ k ≤ K`. Biased, McDiarmid: reject when
    /// `MMD_b > √(K(1/m + 1/n))(1 + √(2 log 1/α))`. Unbiased, Hoeffding: reject when
    /// `MMD²_u > (4K/√q)√(log 1/α)`, `q` the largest even number up to `min(m, n)`. The p-value is
    /// the level at which the bound is met.
    pub(super) fn bound(&self, data: &PooledPairs<'_>, estimator: Estimator, compute: &Compute) -> Result<TestOutcome> {
        let bound = self.one_kernel(data.pairs)?.bind(data.pairs, compute)?;
        let largest = upper_bound(bound.kernel(), bound.is_proven_psd())?;
        let sums = TwoSampleSums::new(&bound, data.first, compute)?;
        let sizes = (data.first, data.total - data.first);
        let unit = unit(estimator, sizes, largest, is_non_negative(bound.kernel()));
        let log = (1.0 / self.level).ln();
        let (method, statistic, exponent, threshold) = match estimator {
            Estimator::Biased => {
                let root = sums.biased().max(0.0).sqrt();
                let excess = (root / unit - 1.0).max(0.0);
                ("biased bound", sums.biased(), 0.5 * excess * excess, (unit * (1.0 + (2.0 * log).sqrt())).powi(2))
            }
            _ => {
                let ratio = (sums.unbiased() / unit).max(0.0);
                ("unbiased bound", sums.unbiased(), ratio * ratio, unit * log.sqrt())
            }
        };
        let text = bound.kernel().to_string();
        let mut outcome = TestOutcome::new(method, statistic, (-exponent).exp(), self.level, text, compute.seed());
        outcome.threshold = Some(threshold);
        Ok(outcome.with_detail("kernel_bound", largest).with_detail("share_of_variance", sums.share_of_variance()))
    }
}

/// `√(K(1/m + 1/n))`, or `4K/√q`. A kernel that may be negative has twice the range in Hoeffding's
/// bound.
fn unit(estimator: Estimator, (m, n): (usize, usize), largest: f64, non_negative: bool) -> f64 {
    match estimator {
        Estimator::Biased => (largest * (1.0 / m as f64 + 1.0 / n as f64)).sqrt(),
        _ => {
            let even = 2 * (m.min(n) / 2);
            let range = if non_negative { 4.0 } else { 8.0 };
            range * largest / (even as f64).sqrt()
        }
    }
}

/// `sup k(x, x)`, where the rules know it without the data.
fn upper_bound(kernel: &Kernel, psd: bool) -> Result<f64> {
    let sharp = kernel.property(Property::ShiftInvariant).is_proven() || matches!(kernel, Kernel::Normalized(_));
    match kernel.bound() {
        Some(bound) if sharp && psd && bound.is_finite() => Ok(bound),
        _ => Err(Error::unsupported(
            "distribution-free bound",
            kernel,
            "its largest value is not known",
            "use a shift-invariant or a normalized kernel",
        )),
    }
}

/// Whether no value of the kernel is negative: what its parts say of themselves.
fn is_non_negative(kernel: &Kernel) -> bool {
    match kernel {
        Kernel::Base(base) => base.is_non_negative(),
        Kernel::Exp(_) | Kernel::Schoenberg(..) => true,
        Kernel::Scale(..)
        | Kernel::Sum(_)
        | Kernel::Product(_)
        | Kernel::Power(..)
        | Kernel::Normalized(_)
        | Kernel::On(..) => kernel.children().into_iter().all(is_non_negative),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gretton et al. (2012), for K = 1, α = 0.05: .690 and .979 at m = 50, .308 and .438 at 250,
    /// .154 and .219 at 1000.
    #[test]
    fn published_thresholds() {
        let log = 20.0_f64.ln();
        for (m, biased, unbiased) in [(50, 0.690, 0.979), (250, 0.308, 0.438), (1000, 0.154, 0.219)] {
            let b = unit(Estimator::Biased, (m, m), 1.0, true) * (1.0 + (2.0 * log).sqrt());
            let u = unit(Estimator::Unbiased, (m, m), 1.0, true) * log.sqrt();
            assert_close!(b, biased, abs = 6e-4, "{m}: {b} {u}");
            assert_close!(u, unbiased, abs = 6e-4, "{m}: {b} {u}");
        }
    }
}
