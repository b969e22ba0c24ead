//! Two-sample tests by random features, for millions of points.

use super::{PooledPairs, TwoSample};
use crate::error::PrecomputedNeed;
use crate::features::{FeatureMap, RandomFourier};
use crate::hypothesis::TestOutcome;
use crate::hypothesis::engine::{Resampling, resample};
use crate::hypothesis::feature_means::FeatureMeans;
use crate::hypothesis::groups::Splits;
use crate::{Compute, Error, Points, Result};

impl TwoSample {
    /// The squared distance of the mean random Fourier features of the two samples, permuted.
    pub(super) fn features(&self, data: &PooledPairs<'_>, components: usize, compute: &Compute) -> Result<TestOutcome> {
        let points = data.pairs.rows();
        if let Points::Precomputed(_) = points {
            return Err(Error::precomputed("a test with random features", PrecomputedNeed::Points));
        }
        let points = points.vectors()?;
        let map = RandomFourier::new(self.one_kernel(data.pairs)?, components).fit(points, compute)?;
        let splits = Splits::new(data.first, self.strata(data.total)?);
        let statistic = FeatureMeans { map: &map, points, first: data.first, splits };
        let found = resample(&statistic, &Resampling::new(self.permutations), compute)?;
        let text = map.kernel().to_string();
        Ok(TestOutcome::of_resampled("features", &found, self.level, text, compute.seed())
            .with_detail("components", components as f64))
    }
}
