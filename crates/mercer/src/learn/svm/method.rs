//! How the dual problems of support vector machines are solved.

use std::fmt;

use crate::error::MemoryPurpose;
use crate::features::{ExplicitFeatures, FeatureMap};
use crate::gram::Bound;
use crate::solve::{DualOptions, KernelRows};
use crate::{Compute, Kernel, Points, Result};

/// Rows for every feature from which the features take the place of the kernel values.
const ROWS_PER_FEATURE: usize = 4;

/// How the dual problems of a support vector machine are solved. The stopping rule and the evidence
/// are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SvmMethod {
    /// Sequential minimal optimization in working sets, on kernel values.
    WorkingSets,
    /// In the features of a kernel with few of them (`linear`, `polynomial` on few columns,
    /// `finite_rank`, their sums and products): an interior-point method, in time and memory linear
    /// in the rows; then the other for what it leaves. Chosen for vectors with at least four rows per
    /// feature; for sparse ones if a dense copy takes at most eight times their memory.
    InteriorPoint {
        /// Features of every point.
        features: usize,
    },
}

impl SvmMethod {
    /// The method for problems of this many rows each.
    pub(super) fn choose(kernel: &Kernel, rows: usize, columns: usize) -> Self {
        let map = ExplicitFeatures::new(kernel.clone(), columns).ok();
        match map.map(|map| map.components()).filter(|&d| d.saturating_mul(ROWS_PER_FEATURE) <= rows) {
            Some(features) => Self::InteriorPoint { features },
            None => Self::WorkingSets,
        }
    }

    /// The same for the points of a fit.
    pub(super) fn of(kernel: &Kernel, x: Points<'_>, rows: usize) -> Self {
        match x {
            Points::Vectors(x) => Self::choose(kernel, rows, x.ncols()),
            Points::Sparse(x) if x.is_compact() => Self::choose(kernel, rows, x.width()),
            _ => Self::WorkingSets,
        }
    }

    /// The rows of the matrix of a kernel with few features.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when the features do not fit.
    pub(super) fn features(kernel: &Kernel, x: Points<'_>, compute: &Compute) -> Result<KernelRows<'static>> {
        let dense;
        let x = match x {
            Points::Sparse(x) => {
                let (bytes, advice) = (8 * (x.len() * x.width()) as u64, "use fewer rows or a higher memory limit");
                compute.reserve(MemoryPurpose::Features, "a dense copy of the rows", bytes, advice)?;
                dense = x.to_dense();
                dense.view()
            }
            x => x.vectors()?,
        };
        let map = ExplicitFeatures::new(kernel.clone(), x.ncols())?;
        KernelRows::of_finite_rank(map.transform(x, compute)?, compute)
    }

    /// The rows of the matrix of a bound kernel for one problem on all points.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when they do not fit,
    /// [`Error::Canceled`](crate::Error::Canceled).
    pub(super) fn rows<'t>(
        bound: &'t Bound<'_>,
        x: Points<'_>,
        options: &DualOptions,
        compute: &Compute,
    ) -> Result<KernelRows<'t>> {
        match Self::of(bound.kernel(), x, x.len()) {
            Self::InteriorPoint { .. } => Self::features(bound.kernel(), x, compute),
            Self::WorkingSets => KernelRows::new(bound, options.working_set, compute),
        }
    }
}

impl fmt::Display for SvmMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WorkingSets => f.write_str("working sets"),
            Self::InteriorPoint { features } => write!(f, "interior point in {features} features"),
        }
    }
}
