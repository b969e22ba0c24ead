//! The choice among Gaussian processes by the likelihood, on some of the rows.

use ndarray::{ArrayView1, Axis};

use crate::learn::gaussian_process::Optimization;
use crate::learn::{GaussianProcess, GaussianProcessFit};
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// The kernels that are tried where none is given.
const KERNELS: [&str; 3] =
    ["1*gaussian(lengthscale=median)", "1*matern(nu=5/2, lengthscale=median)", "1*matern(nu=3/2, lengthscale=median)"];
/// The noise variances that are tried for targets of variance 1 where the matrix of all rows is
/// singular: above the first there are digits left, beyond the second it is no longer rounding.
const LEAST_NOISE: f64 = 1e-14;
const MOST_NOISE: f64 = 1e-3;

/// Gaussian processes to choose from by their likelihood.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::GaussianProcess, select::ProcessSearch};
/// use ndarray::{Array1, Array2};
/// let x = Array2::from_shape_fn((50, 1), |(i, _)| i as f64 / 10.0);
/// let y = Array1::from_shape_fn(50, |i| x[[i, 0]].sin());
/// let search = ProcessSearch::automatic(&[], x.view().into())?;
/// let rows: Vec<usize> = (0..50).step_by(2).collect();
/// let found = search.choose(x.view().into(), y.view(), &rows, &Compute::new())?;
/// assert_eq!((found.tried.len(), found.rows), (3, 25));
/// let fit = found.on_all_rows(x.view().into(), y.view(), &Compute::new())?.fit;
/// assert_eq!(fit.targets().len(), 50);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessSearch {
    /// The processes, with their own settings of the optimization.
    pub processes: Vec<GaussianProcess>,
}

/// The process of the largest likelihood, and how many rows and tries it took.
#[derive(Clone, Debug)]
pub struct ProcessChoice {
    /// The best process on the rows of the choice.
    pub fit: GaussianProcessFit,
    /// The rows of the choice.
    pub rows: usize,
    /// The kernels with their log marginal likelihoods.
    pub tried: Vec<(String, f64)>,
    /// Processes that were left untried because the computation was canceled.
    pub untried: usize,
    /// How the parameters were chosen.
    pub search: Option<Optimization>,
    /// The noise variance of the choice, where the matrix of all rows needs more.
    pub raised: Option<f64>,
}

impl ProcessSearch {
    /// Processes of these kernels; without any the Gaussian kernel and two Matérn kernels, each with
    /// a scale, and for objects the kernels of their kind.
    ///
    /// # Errors
    /// As [`Kernel::family_of`].
    pub fn automatic(kernels: &[Kernel], x: Points<'_>) -> Result<Self> {
        let kernels = match kernels {
            [] if x.kind().is_object() => {
                Kernel::family_of(x)?.into_iter().map(|kernel| kernel.scaled(1.0)).collect::<Result<_>>()?
            }
            [] => KERNELS.iter().map(|text| text.parse()).collect::<Result<Vec<Kernel>>>()?,
            given => given.to_vec(),
        };
        Ok(Self { processes: kernels.into_iter().map(|kernel| GaussianProcess::new(kernel, 0.1)).collect() })
    }

    /// The process of the largest likelihood on these rows. When the computation is canceled, the
    /// best of those that were tried.
    ///
    /// # Errors
    /// [`Error::Canceled`] before anything was tried; as [`GaussianProcess::fit`].
    pub fn choose(
        &self,
        x: Points<'_>,
        y: ArrayView1<f64>,
        rows: &[usize],
        compute: &Compute,
    ) -> Result<ProcessChoice> {
        x.check_square()?;
        let (x, some) = (Sample::select(x, rows), y.select(Axis(0), rows));
        let mut fits: Vec<GaussianProcessFit> = Vec::new();
        for (index, process) in self.processes.iter().enumerate() {
            let compute = if fits.is_empty() { compute.clone() } else { compute.optional() };
            match process.fit(&x, some.view(), &compute.part("marginal likelihood", index, self.processes.len())) {
                Ok(fit) => fits.push(fit),
                Err(Error::Canceled) if !fits.is_empty() => break,
                Err(other) => return Err(other),
            }
        }
        let untried = self.processes.len() - fits.len();
        let tried = fits.iter().map(|f| (f.kernel().to_string(), f.log_marginal_likelihood())).collect();
        let best = fits
            .into_iter()
            .reduce(|a, b| if b.log_marginal_likelihood() > a.log_marginal_likelihood() { b } else { a });
        let fit = best.ok_or_else(|| Error::too_few("a search", "kernels", 1, 0))?;
        let search = fit.optimization().cloned();
        Ok(ProcessChoice { fit, rows: rows.len(), tried, untried, search, raised: None })
    }
}

impl ProcessChoice {
    /// The process with the parameters that were found, without a search.
    pub fn again(&self) -> GaussianProcess {
        GaussianProcess { optimize: false, ..GaussianProcess::new(self.fit.kernel().clone(), self.fit.noise()) }
    }

    /// The choice made on some rows, fitted to all of them; with ten times the noise as often as the
    /// matrix of all rows is singular, where that of the sample was not.
    ///
    /// # Errors
    /// As [`GaussianProcess::fit`].
    pub fn on_all_rows(self, x: Points<'_>, y: ArrayView1<f64>, compute: &Compute) -> Result<Self> {
        if self.rows == x.len() {
            return Ok(self);
        }
        let mut process = self.again();
        let fit = loop {
            match process.fit(x, y, compute) {
                Err(Error::Singular { .. }) if process.noise < MOST_NOISE => {
                    process.noise = (10.0 * process.noise).max(LEAST_NOISE);
                }
                fitted => break fitted?,
            }
        };
        let raised = Some(self.fit.noise()).filter(|noise| *noise < fit.noise());
        Ok(Self { fit, raised, ..self })
    }
}
