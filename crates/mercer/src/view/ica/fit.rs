//! Fitted independent components.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use crate::settings::Settings;
use crate::{Error, Points, Result};

/// What the fit rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct IcaEvidence {
    /// The contrast after the sweeps from every start, with the tolerance of the search.
    pub contrasts: Vec<f64>,
    /// Sweeps from every start.
    pub sweeps: Vec<usize>,
    /// The start from which the gradient steps began.
    pub best: usize,
    /// Gradient steps.
    pub steps: usize,
    /// Whether they reached their tolerance. The contrast KCC has kinks where two eigenvalues meet,
    /// at which the gradient never is small.
    pub converged: bool,
}

/// A fitted [`KernelIca`](super::KernelIca).
#[derive(Clone, Debug, PartialEq)]
pub struct IcaFit {
    pub(super) mean: Array1<f64>,
    pub(super) components: Array2<f64>,
    pub(super) mixing: Array2<f64>,
    pub(super) contrast: f64,
    pub(super) lengthscale: f64,
    pub(super) kappa: f64,
    pub(super) evidence: IcaEvidence,
    pub(super) settings: Settings,
}

impl IcaFit {
    /// `W`: the components of `x` are `W(x − μ)`, a row for each.
    pub fn components(&self) -> ArrayView2<'_, f64> {
        self.components.view()
    }

    /// `A`: `x = Ay + μ`, a column per component; for fewer components than columns the nearest
    /// point of their space.
    pub fn mixing(&self) -> ArrayView2<'_, f64> {
        self.mixing.view()
    }

    /// `μ`.
    pub fn mean(&self) -> ArrayView1<'_, f64> {
        self.mean.view()
    }

    /// The contrast of the components of the data.
    pub fn contrast(&self) -> f64 {
        self.contrast
    }

    /// The lengthscale of the Gaussian kernel.
    pub fn lengthscale(&self) -> f64 {
        self.lengthscale
    }

    /// κ; without a meaning for negentropy and HSIC.
    pub fn kappa(&self) -> f64 {
        self.kappa
    }

    /// Starts, sweeps and steps.
    pub fn evidence(&self) -> &IcaEvidence {
        &self.evidence
    }

    /// The settings of the fit.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The components of the rows of `x`: `(x − μ)Wᵀ`.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of columns, [`Error::Value`] for NaN and infinities,
    /// [`Error::WrongPoints`] for points that are not vectors.
    pub fn transform<'x>(&self, x: impl Into<Points<'x>>) -> Result<Array2<f64>> {
        let x = x.into().vectors()?;
        check(x, self.mean.len(), "columns of the data")?;
        Ok((&x - &self.mean).dot(&self.components.t()))
    }

    /// The vectors with the components in the rows of `y`: `yAᵀ + μ`.
    ///
    /// # Errors
    /// As [`IcaFit::transform`].
    pub fn inverse_transform(&self, y: ArrayView2<f64>) -> Result<Array2<f64>> {
        check(y, self.components.nrows(), "components")?;
        Ok(y.dot(&self.mixing.t()) + &self.mean)
    }
}

fn check(x: ArrayView2<f64>, columns: usize, what: &str) -> Result<()> {
    if x.ncols() != columns {
        return Err(Error::shape(what, columns, x.ncols()));
    }
    Points::Vectors(x).check_finite("data")
}
