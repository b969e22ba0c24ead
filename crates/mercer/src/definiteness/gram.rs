//! Gram matrices of the point sets that the search tries.

use ndarray::{Array2, ArrayView2};

use crate::gram::{self, Pairs};
use crate::{Compute, Kernel};

/// A kernel, and how its small Gram matrices are computed: silently, since the search itself
/// reports progress.
pub(super) struct Evaluator<'k> {
    pub kernel: &'k Kernel,
    compute: Compute,
}

impl<'k> Evaluator<'k> {
    pub(super) fn new(kernel: &'k Kernel) -> Self {
        Self { kernel, compute: Compute::new() }
    }

    /// The Gram matrix; `None` if the points are outside the domain, or a value is not finite.
    pub(super) fn gram(&self, points: ArrayView2<f64>) -> Option<Array2<f64>> {
        let bound = self.kernel.bind(Pairs::within(points), &self.compute).ok()?;
        let gram = gram::dense(&bound, &self.compute).ok()?;
        gram.iter().all(|v| v.is_finite()).then_some(gram)
    }
}
