//! Independence tests by random features, for millions of pairs.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::Independence;
use crate::error::{MemoryPurpose, PrecomputedNeed};
use crate::features::{FeatureMap, RandomFourier};
use crate::gram::Pairs;
use crate::hypothesis::TestOutcome;
use crate::hypothesis::engine::{Resampling, resample};
use crate::hypothesis::factors::FactorProducts;
use crate::hypothesis::groups::Orders;
use crate::measure::check_same_rows;
use crate::{Compute, Error, Kernel, Result, Seed};

/// Rows whose features are made at a time. Any few thousand would do.
const ROWS: usize = 4096;

impl Independence {
    /// `‖(1/n) Σ z̃(xᵢ)z̃(yᵢ)ᵀ‖²` with centered random Fourier features of both variables,
    /// permuted.
    pub(super) fn features(
        &self,
        x: Pairs<'_>,
        y: Pairs<'_>,
        components: usize,
        compute: &Compute,
    ) -> Result<TestOutcome> {
        let (Pairs::Within(x), Pairs::Within(y)) = (x, y) else {
            return Err(Error::precomputed("a test with random features", PrecomputedNeed::Points));
        };
        let (x, y) = (x.vectors()?, y.vectors()?);
        check_same_rows(&[("x", x.nrows()), ("y", y.nrows())])?;
        let bytes = 8 * (x.nrows() as u64).saturating_mul(components as u64);
        compute.reserve(
            MemoryPurpose::Test,
            "the features of both variables",
            bytes,
            "ask for fewer components or give more memory",
        )?;
        // The frequencies of the two variables are independent of each other.
        let other = compute.clone().with_seed(Seed(compute.seed().stream("features of y", 0).bits()));
        let (fixed, kernel_x) = centered(&self.kernel_x, x, components, compute)?;
        let (moved, kernel_y) = centered(&self.kernel_y, y, components, &other)?;
        let statistic = FactorProducts::of_features(fixed, moved, Orders(self.strata(x.nrows())?));
        let found = resample(&statistic, &Resampling::new(self.permutations), compute)?;
        let text = format!("{kernel_x}, {kernel_y}");
        let share = statistic.share(found.observed(0), compute)?;
        Ok(TestOutcome::of_resampled("features", &found, self.level, text, compute.seed())
            .with_detail("components", components as f64)
            .with_detail("normalized_hsic", share))
    }
}

/// The features of a sample less their means, in single precision; and the kernel with medians
/// resolved.
fn centered(
    kernel: &Option<Kernel>,
    x: ArrayView2<'_, f64>,
    components: usize,
    compute: &Compute,
) -> Result<(Array2<f32>, Kernel)> {
    let kernel = kernel.clone().map_or_else(|| "gaussian(lengthscale=median)".parse(), Ok)?;
    let map = RandomFourier::new(kernel, components).fit(x, compute)?;
    let mut features = Array2::<f32>::zeros((x.nrows(), components));
    let mut sums = Array1::<f64>::zeros(components);
    for start in (0..x.nrows()).step_by(ROWS) {
        let rows = start..x.nrows().min(start + ROWS);
        let block = map.transform(x.slice(s![rows.clone(), ..]), compute)?;
        sums += &block.sum_axis(Axis(0));
        features.slice_mut(s![rows, ..]).zip_mut_with(&block, |out, value| *out = *value as f32);
    }
    let means = (sums / x.nrows() as f64).mapv(|v| v as f32);
    features -= &means;
    Ok((features, map.kernel().clone()))
}
