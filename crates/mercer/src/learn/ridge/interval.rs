//! Bayesian standard errors and intervals of ridge regression.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::null_space::design;
use super::{RidgeFit, RidgeMethod};
use crate::error::{PrecomputedNeed, Remedy};
use crate::gram::{self, Pairs};
use crate::learn::conditional::{Conditional, Observed};
use crate::points::PointKind;
use crate::{Compute, Error, Points, Result};

/// Rows that are processed together. 128 to 1024 differ by less than 3 %, 2048 is 17 % slower (1000
/// rows, 4000 predictions).
const STRIP: usize = 512;

/// What an interval is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum IntervalTarget {
    /// The value `f(x) + b` itself.
    #[default]
    Function,
    /// A new observation of weight 1 at `x`, with its noise.
    Observation,
}

impl RidgeFit {
    /// The estimate of the noise variance (of weight 1), for every output.
    ///
    /// # Formula
    /// `σ² = Σ wᵢrᵢ²/(n − df)`, over the rows of positive weight.
    ///
    /// # Cost
    /// None where there are diagnostics, else a factor and `n³/3`.
    ///
    /// # Errors
    /// [`Error::Undetermined`] at `λ = 0`, where every degree of freedom is used; as
    /// [`RidgeFit::standard_errors`].
    pub fn noise_variance(&self, compute: &Compute) -> Result<Array1<f64>> {
        let degrees_of_freedom = match self.diagnostics() {
            Some(diagnostics) => diagnostics.degrees_of_freedom,
            None => self.conditional(compute)?.degrees_of_freedom(compute)?,
        };
        self.variance_with(degrees_of_freedom)
    }

    fn variance_with(&self, degrees_of_freedom: f64) -> Result<Array1<f64>> {
        let counted = self.weights.iter().filter(|w| **w > 0.0).count() as f64;
        let left = counted - degrees_of_freedom;
        if self.lambda == 0.0 || left <= 1e-12 * counted {
            return Err(Error::undetermined(
                "the noise variance",
                format!("λ = {} leaves no degrees of freedom", self.lambda),
                Remedy::larger("lambda"),
            ));
        }
        let squares = &self.residuals * &self.residuals * self.weights.view().insert_axis(Axis(1));
        Ok(squares.sum_axis(Axis(0)) / left)
    }

    /// Standard errors at every row of `x`, one column per output: the prediction ± 1.96 of them is
    /// an interval of 95 %.
    ///
    /// # Formula
    /// `s² = σ²(k(x, x) − kᵀA⁻¹k + dᵀ(PᵀA⁻¹P)⁻¹d)/λ` with `A = K + λW⁻¹`, `d = p(x) − PᵀA⁻¹k` for
    /// the unpenalized functions `p`, and `σ²` by [`RidgeFit::noise_variance`]; `σ²` more for an
    /// observation.
    ///
    /// # Theory
    /// The posterior of the Gaussian process with kernel `(σ²/λ)k` and noise `σ²` (vague on the
    /// unpenalized coefficients), of which the ridge regression is the mean. Such intervals cover
    /// `f` with about their nominal probability on average over the data (Wahba 1983, Nychka 1988),
    /// though not at every position.
    ///
    /// # Cost
    /// A new factor of `n³/3` and `8n²` bytes; `n²` per row.
    ///
    /// # Errors
    /// [`Error::Undetermined`], [`Error::Precomputed`] or [`Error::Unsupported`] at `λ = 0`, on
    /// precomputed kernel values, and when the model has unpenalized functions beyond the
    /// intercept; [`Error::Memory`], [`Error::Singular`] for a singular matrix; as
    /// [`Kernel::bind`](crate::Kernel::bind).
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, learn::{Ridge, ridge::IntervalTarget}};
    /// use ndarray::array;
    /// let compute = Compute::new();
    /// let ridge = Ridge::new("linear()".parse()?, 2.0);
    /// let fit = ridge.fit(array![[1.0], [2.0], [1.0]].view(), array![[1.0], [4.0], [3.0]].view(), None, &compute)?;
    /// // f(x) = 1.5x: residuals −½, 1, 1½ and df = ¾; the slope has the variance σ²/(Σx² + λ).
    /// let noise = 3.5 / 2.25;
    /// mercer::assert_close!(fit.noise_variance(&compute)?[0], noise, abs = 1e-14);
    /// let error = fit.standard_errors(array![[2.0]].view(), IntervalTarget::Function, &compute)?;
    /// mercer::assert_close!(error[[0, 0]], 2.0 * f64::sqrt(noise / 8.0), abs = 1e-14);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn standard_errors<'a>(
        &self,
        x: impl Into<Points<'a>>,
        target: IntervalTarget,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        self.standard_errors_of(self.kernel.points(x), None, target, compute)
    }

    /// Standard errors of a semi-parametric model, with the unpenalized functions at the rows of
    /// `x` in `basis`.
    ///
    /// # Errors
    /// As [`RidgeFit::standard_errors`], and [`Error::Shape`] when the basis has not the size it
    /// had in the fit.
    pub fn standard_errors_with_null_space<'a>(
        &self,
        x: impl Into<Points<'a>>,
        basis: ArrayView2<f64>,
        target: IntervalTarget,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        self.standard_errors_of(self.kernel.points(x), Some(basis), target, compute)
    }

    fn standard_errors_of(
        &self,
        x: Points<'_>,
        basis: Option<ArrayView2<f64>>,
        target: IntervalTarget,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        self.check_basis(x.len(), basis)?;
        let conditional = self.conditional(compute)?;
        let noise = self.noise_with(&conditional, compute)?;
        let relative = self.relative_variance(&conditional, x, basis, compute)? / self.lambda;
        let own = if target == IntervalTarget::Observation { 1.0 } else { 0.0 };
        let variance = (relative + own).insert_axis(Axis(1)) * noise.insert_axis(Axis(0));
        Ok(variance.mapv(f64::sqrt))
    }

    /// The noise variance from a factor that exists.
    pub(super) fn noise_with(&self, conditional: &Conditional, compute: &Compute) -> Result<Array1<f64>> {
        match self.diagnostics() {
            Some(diagnostics) => self.variance_with(diagnostics.degrees_of_freedom),
            None => self.variance_with(conditional.degrees_of_freedom(compute)?),
        }
    }

    /// The posterior variance where the noise has variance λ, in strips.
    fn relative_variance(
        &self,
        conditional: &Conditional,
        x: Points<'_>,
        basis: Option<ArrayView2<f64>>,
        compute: &Compute,
    ) -> Result<Array1<f64>> {
        let before = self.kernel.bind(Pairs::Within(x), compute)?.diagonal()?;
        let functions = design(x.len(), self.intercept, basis);
        let mut variance = Array1::zeros(x.len());
        for start in (0..x.len()).step_by(STRIP) {
            compute.check_canceled()?;
            let rows = start..x.len().min(start + STRIP);
            let part = x.part(rows.clone());
            let bound = self.kernel.bind(Pairs::Between(self.points(), part.as_points()), compute)?;
            let cross = gram::dense(&bound, compute)?;
            let (before, functions) = (before.slice(s![rows.clone()]), functions.slice(s![rows.clone(), ..]));
            variance.slice_mut(s![rows]).assign(&conditional.variance(before, cross, functions, compute)?);
        }
        Ok(variance)
    }

    /// The factor again, for the posterior.
    pub(super) fn conditional(&self, compute: &Compute) -> Result<Conditional> {
        if self.points().kind() == PointKind::Precomputed {
            return Err(Error::precomputed("a standard error", PrecomputedNeed::Diagonal));
        }
        if matches!(self.method, RidgeMethod::Centers { .. }) {
            return Err(Error::unsupported(
                "standard errors and degrees of freedom",
                "a fit on centers",
                "",
                "use a sparse Gaussian process, or another solver",
            ));
        }
        if self.lambda == 0.0 {
            return Err(Error::undetermined(
                "the noise variance",
                "at λ = 0 every degree of freedom is used",
                Remedy::larger("lambda"),
            ));
        }
        Conditional::new(self.observed(), compute)
    }

    /// What the fit is conditioned on.
    pub(super) fn observed(&self) -> Observed<'_> {
        Observed {
            kernel: &self.kernel,
            points: self.points(),
            roots: self.weights.mapv(f64::sqrt),
            design: self.design.view(),
            lambda: self.lambda,
        }
    }
}
