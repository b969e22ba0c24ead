//! Permutation tests with one kernel.

use super::{PooledPairs, TwoSample};
use crate::gram::KernelFamily;
use crate::hypothesis::TestOutcome;
use crate::hypothesis::engine::{Enumeration, Resampling, resample};
use crate::hypothesis::groups::Splits;
use crate::hypothesis::labels::{Matrices, SignForms, SplitMmd, SplitStatistic};
use crate::measure::{Estimator, TwoSampleSums};
use crate::{Compute, Error, Result};

impl TwoSample {
    /// Relabels the pooled sample.
    pub(super) fn permute(
        &self,
        data: &PooledPairs<'_>,
        method: &str,
        enumeration: Enumeration,
        stop_at: Option<f64>,
        compute: &Compute,
    ) -> Result<TestOutcome> {
        let statistic = match self.estimator {
            Estimator::Biased => SplitStatistic::Biased,
            Estimator::Unbiased => SplitStatistic::Unbiased,
            _ => {
                return Err(Error::unsupported(
                    "permutations",
                    "this estimator",
                    "",
                    "use the biased or the unbiased estimator",
                ));
            }
        };
        let kernel = self.one_kernel(data.pairs)?;
        let family = KernelFamily::new(std::slice::from_ref(&kernel), data.pairs, compute)?;
        let splits = Splits::new(data.first, self.strata(data.total)?);
        let statistic = SplitMmd { matrices: Matrices::Pooled(&family), splits, statistic };
        let how = Resampling { permutations: self.permutations, enumeration, stop_at };
        let found = resample(&statistic, &how, compute)?;
        let text = family.kernels()[0].to_string();
        let outcome = TestOutcome::of_resampled(method, &found, self.level, text, compute.seed());
        // The statistic itself is reported in double precision, whatever the relabelings were
        // compared in.
        let sums = TwoSampleSums::new(&family.kernels()[0].bind(data.pairs, compute)?, data.first, compute)?;
        let observed = if self.estimator == Estimator::Biased { sums.biased() } else { sums.unbiased() };
        Ok(TestOutcome { statistic: observed, ..outcome }.with_detail("share_of_variance", sums.share_of_variance()))
    }

    /// Exchanges within pairs.
    pub(super) fn exchange(&self, data: &PooledPairs<'_>, compute: &Compute) -> Result<TestOutcome> {
        let pairs = data.equal_sizes()?;
        let kernel = self.one_kernel(data.pairs)?;
        let family = KernelFamily::new(std::slice::from_ref(&kernel), data.pairs, compute)?;
        let n = pairs as f64;
        let hollow = self.estimator != Estimator::Biased;
        let divisor = if hollow { n * (n - 1.0) } else { n * n };
        let statistic = SignForms::new(Matrices::Pairs(&family, pairs), hollow, divisor);
        let found = resample(&statistic, &Resampling::new(self.permutations), compute)?;
        let text = family.kernels()[0].to_string();
        let sums = TwoSampleSums::new(&family.kernels()[0].bind(data.pairs, compute)?, data.first, compute)?;
        Ok(TestOutcome::of_resampled("paired", &found, self.level, text, compute.seed())
            .with_detail("share_of_variance", sums.share_of_variance()))
    }
}
