//! Quantile curves for several levels that do not cross.

use ndarray::{Array2, ArrayView1, Axis};

use super::{KernelMachine, KernelMachineFit, LossSolver};
use crate::learn::Loss;
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result};

/// Kernel quantile regression for a list of levels, without crossings.
///
/// # Formula
/// For every level `τ` the curve `q_τ` is the [`KernelMachine`] with [`Loss::Quantile`]. The curves
/// that are returned are their *monotone rearrangement*: at each `x` the numbers `q_τ(x)`, sorted.
///
/// # Theory
/// Curves fitted one by one can cross. Sorting them at each `x` (Chernozhukov, Fernández-Val and
/// Galichon, 2010) gives curves that cross nowhere, on the data or elsewhere; that are the fitted
/// curves themselves wherever those do not cross; that are never farther from the true quantile
/// function, in any `Lᵖ` norm over the levels; and whose pinball loss, summed over the levels, is
/// at no point larger, because `Σ_τ τq_τ` is largest for sorted `q`. What is given up is that a
/// returned curve need not lie in ℋ where two of them cross.
///
/// # Cost
/// One machine per level.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::QuantileCurves};
/// use ndarray::{Array1, Array2};
/// let x = Array2::from_shape_fn((40, 1), |(i, _)| i as f64 / 40.0);
/// let y = Array1::from_shape_fn(40, |i| (6.0 * x[[i, 0]]).sin() + 0.3 * ((7 * i) % 11) as f64);
/// let spec = QuantileCurves::new(&[0.1, 0.5, 0.9], "gaussian(lengthscale=0.3)".parse()?, 0.01);
/// let curves = spec.fit(x.view(), y.view(), None, &Compute::new())?;
/// let q = curves.predict(x.view(), &Compute::new())?;
/// assert!(q.rows().into_iter().all(|r| r[0] <= r[1] && r[1] <= r[2]));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct QuantileCurves {
    /// The levels, each between 0 and 1, ascending.
    pub levels: Vec<f64>,
    /// The kernel.
    pub kernel: Kernel,
    /// `λ > 0`, which multiplies `‖h‖²` of every curve beside a sum of losses.
    pub lambda: f64,
    /// Whether each curve has an unpenalized intercept.
    pub intercept: bool,
    /// As [`KernelMachine::tolerance`].
    pub tolerance: f64,
    /// As [`KernelMachine::max_iterations`].
    pub max_iterations: u64,
}

/// Fitted [`QuantileCurves`].
#[derive(Clone, Debug)]
pub struct QuantileCurvesFit {
    levels: Vec<f64>,
    fits: Vec<KernelMachineFit>,
    pub(crate) settings: Settings,
}

impl QuantileCurves {
    /// Curves with an intercept.
    pub fn new(levels: &[f64], kernel: Kernel, lambda: f64) -> Self {
        let KernelMachine { intercept, tolerance, max_iterations, kernel, .. } =
            KernelMachine::new(Loss::Absolute, kernel, lambda);
        Self { levels: levels.to_vec(), kernel, lambda, intercept, tolerance, max_iterations }
    }

    /// Fits every level.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the levels ascend strictly between 0 and 1; as
    /// [`KernelMachine::fit`].
    pub fn fit<'x>(
        &self,
        x: impl Into<Points<'x>>,
        y: ArrayView1<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<QuantileCurvesFit> {
        let x = x.into();
        check_levels(&self.levels)?;
        let one = |&level: &f64| self.machine(level).fit(x, y, weights, compute);
        let fits = self.levels.iter().map(one).collect::<Result<_>>()?;
        Ok(QuantileCurvesFit { levels: self.levels.clone(), fits, settings: self.settings() })
    }

    /// The settings by name: `levels`, `kernel`, `lambda`, `intercept`, `tolerance`,
    /// `max_iterations`.
    pub fn settings(&self) -> Settings {
        Settings::new()
            .with("levels", &self.levels[..])
            .with("kernel", &self.kernel)
            .with("lambda", self.lambda)
            .with("intercept", self.intercept)
            .with("tolerance", self.tolerance)
            .with("max_iterations", self.max_iterations)
    }

    pub(super) fn machine(&self, level: f64) -> KernelMachine {
        KernelMachine {
            loss: Loss::Quantile { level },
            kernel: self.kernel.clone(),
            lambda: self.lambda,
            intercept: self.intercept,
            solver: LossSolver::Auto,
            centers: None,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
        }
    }
}

impl QuantileCurvesFit {
    /// Curves that were fitted before.
    pub(super) fn from_parts(levels: Vec<f64>, fits: Vec<KernelMachineFit>) -> Result<Self> {
        check_levels(&levels)?;
        Ok(Self { levels, fits, settings: Settings::new() })
    }

    /// The settings of the fit; empty for a fit from a file that does not store them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The quantiles of every level (columns) at every row of `x`: ascending in each row.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn predict<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let x = x.into();
        self.predict_each(x, compute).map(sorted)
    }

    /// The same before the rearrangement: each curve by itself, an element of ℋ and a constant.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn predict_each<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let x = x.into();
        let mut out = Array2::zeros((x.len(), self.fits.len()));
        for (mut column, fit) in out.columns_mut().into_iter().zip(&self.fits) {
            column.assign(&fit.decision(x, compute)?);
        }
        Ok(out)
    }

    /// The number of points of the data at which the curves crossed before they were sorted.
    pub fn crossings(&self) -> usize {
        let rows = self.fits.first().map_or(0, |fit| fit.fitted().len());
        let crossed = |i: usize| self.fits.windows(2).any(|pair| pair[0].fitted()[i] > pair[1].fitted()[i]);
        (0..rows).filter(|&i| crossed(i)).count()
    }

    /// The levels.
    pub fn levels(&self) -> &[f64] {
        &self.levels
    }

    /// The machine of every level, with its evidence.
    pub fn fits(&self) -> &[KernelMachineFit] {
        &self.fits
    }
}

fn check_levels(levels: &[f64]) -> Result<()> {
    levels.iter().try_for_each(|&level| Loss::Quantile { level }.check())?;
    if levels.is_empty() || levels.windows(2).any(|pair| pair[0] >= pair[1]) {
        let text = crate::wording::list_text(levels);
        return Err(Error::parameter("levels", text, "a list of at least one level, strictly ascending"));
    }
    Ok(())
}

/// Every row in ascending order.
fn sorted(mut values: Array2<f64>) -> Array2<f64> {
    for mut row in values.axis_iter_mut(Axis(0)) {
        let mut list = row.to_vec();
        list.sort_by(f64::total_cmp);
        row.assign(&ArrayView1::from(&list));
    }
    values
}
