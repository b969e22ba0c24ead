//! The specification of Nyström features.

use super::{Landmarks, NystromFeatures};
use crate::definiteness::require_psd_for;
use crate::error::AllowedRange;
use crate::{Compute, Error, Kernel, Points, Result};

/// Nyström features.
///
/// # Formula
/// `z(x) = Λ^{−1/2}Uᵀk(Z, x)` with `K_ZZ = UΛUᵀ`, so that `z(x)ᵀz(y) = k(x, Z)K_ZZ⁺k(Z, y)`.
///
/// # Theory
/// `z(x)` is the projection of `k(·, x)` on the span of the landmarks: the kernel that results is
/// never above `k` as a quadratic form, exact at the landmarks, and the trace that it misses bounds
/// every eigenvalue of the difference.
///
/// # Cost
/// `m³` once, and `m` kernel values and `m²` per point.
///
/// # Example
/// ```
/// use mercer::{Compute, features::{FeatureMap, Nystrom}};
/// use ndarray::Array2;
/// let compute = Compute::new();
/// let x = Array2::from_shape_fn((200, 2), |(i, j)| ((i * 2 + j) as f64).sin());
/// let map = Nystrom::new("gaussian()".parse()?, 40).fit(x.view(), &compute)?;
/// assert!(map.components() <= 40 && map.trace_error() < 1e-3 * map.trace());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Nystrom {
    /// The kernel, positive semi-definite.
    pub kernel: Kernel,
    /// The maximum number of landmarks.
    pub components: usize,
    /// The selection of the landmarks.
    pub landmarks: Landmarks,
    /// Pivoting stops when the residual is at most this fraction of the trace (of the candidates).
    pub tolerance: f64,
    /// Keep this many eigenvectors of `K_ZZ` only.
    pub rank: Option<usize>,
}

impl Nystrom {
    /// At most this many landmarks, by random pivots.
    pub fn new(kernel: Kernel, components: usize) -> Self {
        Self { kernel, components, landmarks: Landmarks::RandomPivots, tolerance: 0.0, rank: None }
    }

    /// Chooses the landmarks in a sample and measures the trace that they miss.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`], [`Error::Parameter`] for no component or rows that do not
    /// exist, [`Error::TooFew`] or [`Error::AllZero`] for an empty sample or a kernel that is 0 on
    /// it, [`Error::Memory`], [`Error::Canceled`]; as [`Kernel::bind`].
    pub fn fit<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<NystromFeatures> {
        let x = x.into();
        self.unmeasured(x, compute)?.measured_on(x, compute)
    }

    /// The features without the trace that they miss, for callers that measure it in a pass of
    /// their own over the points.
    ///
    /// # Errors
    /// As [`Nystrom::fit`].
    pub(crate) fn unmeasured(&self, x: Points<'_>, compute: &Compute) -> Result<NystromFeatures> {
        x.check_finite("sample")?;
        if self.components == 0 || self.rank == Some(0) {
            return Err(Error::parameter("components", 0, 1..));
        }
        if !(0.0..1.0).contains(&self.tolerance) {
            return Err(Error::parameter("tolerance", self.tolerance, AllowedRange::at_least(0.0).below(1.0)));
        }
        if x.is_empty() {
            return Err(Error::too_few("a Nyström map", "points", 1, 0));
        }
        require_psd_for(&self.kernel, x, compute)?;
        let kernel = self.kernel.resolve(x, compute)?;
        let (points, rows) = self.landmarks.choose_rows(&kernel, x, self.components, self.tolerance, compute)?;
        Ok(NystromFeatures::of_points(kernel, points, self.rank, compute)?.with_rows(rows))
    }
}
