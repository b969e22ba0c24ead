//! Which pairs of points a kernel is evaluated on.

use ndarray::ArrayView2;

use crate::{Kernel, Points, Result};

/// The pairs `(xᵢ, yⱼ)` of a Gram matrix.
#[derive(Clone, Copy, Debug)]
pub enum Pairs<'a> {
    /// All pairs within one sample: a symmetric matrix, computed once per pair.
    Within(Points<'a>),
    /// Every point of the first sample (rows) with every point of the second (columns).
    Between(Points<'a>, Points<'a>),
}

impl<'a> Pairs<'a> {
    /// All pairs within one sample of vectors.
    pub fn within(x: ArrayView2<'a, f64>) -> Self {
        Self::Within(Points::Vectors(x))
    }

    /// The points of the rows.
    pub(crate) fn rows(&self) -> Points<'a> {
        match self {
            Self::Within(x) | Self::Between(x, _) => *x,
        }
    }

    /// The kernel for these points where none is named.
    pub(crate) fn default_kernel(&self) -> Result<Kernel> {
        Kernel::default_of(self.rows())
    }

    /// The pairs whose values a matrix holds, for `precomputed()`: within one sample where it is
    /// symmetric.
    pub fn precomputed(values: ArrayView2<'a, f64>) -> Self {
        Self::Within(Points::Precomputed(values))
    }

    /// All pairs between two samples of vectors.
    pub fn between(x: ArrayView2<'a, f64>, y: ArrayView2<'a, f64>) -> Self {
        Self::Between(Points::Vectors(x), Points::Vectors(y))
    }
}
