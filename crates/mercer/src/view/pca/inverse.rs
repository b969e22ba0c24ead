//! The map from scores to points by ridge regression.

use ndarray::{Array2, ArrayView2};

use super::KernelPcaFit;
use super::spec::check_alpha;
use crate::error::{MemoryPurpose, Remedy};
use crate::gram::{self, Pairs};
use crate::solve::{Factored, factor};
use crate::{Compute, Error, Kernel, Result};

/// A map from scores to points: a kernel ridge regression of the points of the data (or the
/// landmarks) on their scores.
///
/// # Formula
/// `x̂(s) = Σᵢ k(s, sᵢ)cᵢ` with `(K_SS + αI)C = X`: the kernel of the components, applied to scores
/// (Bakır, Weston and Schölkopf 2004; `inverse_transform` of scikit-learn).
#[derive(Clone, Debug, PartialEq)]
pub struct InverseMap {
    pub(super) kernel: Kernel,
    pub(super) alpha: f64,
    pub(super) scores: Array2<f64>,
    pub(super) coefficients: Array2<f64>,
}

impl InverseMap {
    /// The points that belong to scores, a row for each.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of columns than components; as [`Kernel::bind`].
    pub fn transform(&self, scores: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let bound = self.kernel.bind(Pairs::between(scores, self.scores.view()), compute)?;
        gram::multiply(&bound, self.coefficients.view(), compute)
    }

    /// `α`.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// `S`: the scores of the points of the data.
    pub fn scores(&self) -> ArrayView2<'_, f64> {
        self.scores.view()
    }

    /// `C`, a row per point and a column per coordinate.
    pub fn dual_coefficients(&self) -> ArrayView2<'_, f64> {
        self.coefficients.view()
    }
}

impl KernelPcaFit {
    /// Fits the map from scores to points with the penalty `α`.
    ///
    /// # Cost
    /// `n³/3` and a matrix of `n²` values.
    ///
    /// # Errors
    /// [`Error::WrongPoints`] or [`Error::Precomputed`] unless the points are vectors,
    /// [`Error::Parameter`] for a negative `α`, [`Error::Unsupported`] for a kernel that does not
    /// take the scores, [`Error::Singular`] for an `α` that is too small, [`Error::Memory`],
    /// [`Error::Canceled`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, view::pca::KernelPca};
    /// use ndarray::array;
    /// let compute = Compute::new();
    /// let x = array![[-1.0], [0.0], [1.0]];
    /// let fit = KernelPca::new("linear()".parse()?, Some(1)).fit(x.view(), &compute)?;
    /// // x̂ = s·Σsx/(Σs² + α) with s = ±x.
    /// let inverse = fit.inverse_map(2.0, &compute)?;
    /// let found = inverse.transform(fit.scores().view(), &compute)?;
    /// mercer::assert_close!(found, [-0.5, 0.0, 0.5], each = 1e-14);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn inverse_map(&self, alpha: f64, compute: &Compute) -> Result<InverseMap> {
        check_alpha(alpha)?;
        let x = self.points().vectors()?;
        let scores = if self.evidence().landmarks > 0 { self.transform(x, compute)? } else { self.scores() };
        let n = scores.nrows() as u64;
        let what = format!("the map from scores to points of {n} rows");
        compute.reserve(
            MemoryPurpose::Fit,
            &what,
            16 * n * n,
            "use landmarks, fewer rows, or a higher memory limit",
        )?;
        let kernel = self.kernel().clone();
        let mut matrix = gram::dense(&self.on_scores(&scores, compute)?, compute)?;
        matrix.diag_mut().mapv_inplace(|v| v + alpha);
        let Factored::Definite(factor) = factor(matrix, compute)? else {
            return Err(Error::singular("the matrix of the scores", Remedy::larger("alpha")));
        };
        let coefficients = factor.solve(x, compute)?;
        Ok(InverseMap { kernel, alpha, scores, coefficients })
    }

    /// The kernel on scores, if it takes vectors of so many columns.
    fn on_scores<'s>(&self, scores: &'s Array2<f64>, compute: &Compute) -> Result<gram::Bound<'s>> {
        let refused = |error: Error| match error {
            Error::Canceled | Error::Memory { .. } => error,
            other => Error::unsupported(
                "map from scores to points",
                self.kernel(),
                format!("the kernel is applied to the scores, and does not take them ({other})"),
                "use the fixed point, or a kernel without columns of its own",
            ),
        };
        if scores.ncols() == 0 {
            return Err(Error::too_few("a map from scores to points", "components", 1, 0));
        }
        self.kernel().bind(Pairs::within(scores.view()), compute).map_err(refused)
    }
}
