//! The specification of kernel independent component analysis, and its fit.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::contrast::{Contrast, Measure};
use super::fit::{IcaEvidence, IcaFit};
use super::fixed_point::{fixed_point, random_rotation};
use super::jacobi::{Swept, sweep};
use super::polish::polish;
use super::whiten::whitening;
use crate::learner::Plan;
use crate::{Compute, Error, Points, Result};

/// Rows from which on Bach and Jordan take the smaller lengthscale and κ.
const MANY: usize = 1000;
/// The share of κ (of 1 for HSIC) that the factors of the search leave out of the trace: a coarser
/// one is faster and makes steps in the contrast. Bach and Jordan take 1e-2. Not tuned.
const SEARCH: f64 = 1e-3;
/// The same for the gradient steps, whose contrast is reported: some six digits of it. Not tuned.
const POLISH: f64 = 1e-7;
/// Sweeps from one start.
const SWEEPS: usize = 10;

/// Kernel independent component analysis of vectors.
///
/// # Formula
/// `y = W(x − μ)` with `W = RW₀`: `W₀` whitens, and the rotation `R` minimizes a contrast of the
/// components: [`negentropy_contrast`](super::negentropy_contrast) by default,
/// [`kgv_contrast`](super::kgv_contrast), [`kcc_contrast`](super::kcc_contrast) or
/// [`hsic_contrast`](super::hsic_contrast).
///
/// # Theory
/// If `x = As` with independent sources `s`, of which at most one is Gaussian, then `WA` is a
/// permutation of a diagonal matrix in the limit. The contrasts see every kind of dependence, where
/// those of FastICA see one function each. Negentropy has the smallest errors on the densities of Bach
/// and Jordan (2002), and is the fastest; the others measure dependence without that the data need be
/// white. All have local minima: pairs of axes are rotated by a
/// search over all angles (Jacobi sweeps), from several rotations to begin with, then gradient steps
/// of all axes together follow from the best of them. For two components the search is over all rotations.
/// The components have variance 1. The lengthscale of negentropy is 0.4, from 1000 rows on
/// `0.4(n/1000)^{−1/5}`. For the others it is 1 and κ is 0.02 for fewer than 1000 rows, ½ and 0.002 from
/// there, as Bach and Jordan choose them.
///
/// # Cost
/// `O(n)` for the negentropy of two components, `O(nr²)` for the other contrasts, with ranks `r` of some
/// tens; some 30 contrasts for each pair of axes and sweep, and `O(mn)` or `O(m²nr²)` for each gradient
/// step.
///
/// # Example
/// ```
/// use mercer::{Compute, view::ica::{KernelIca, amari_distance}};
/// use ndarray::{Array2, array};
/// // Two sources: the corners and edges of a square, row by row.
/// let s = Array2::from_shape_fn((64, 2), |(i, j)| if j == 0 { (i % 8) as f64 } else { (i / 8) as f64 });
/// let mixing = array![[1.0, 0.5], [-0.3, 1.0]];
/// let fit = KernelIca::default().fit(&s.dot(&mixing.t()), &Compute::new())?;
/// assert!(amari_distance(fit.components(), mixing.view())? < 1e-3);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KernelIca {
    /// The number of components; all columns when absent. Fewer are the leading principal
    /// components, rotated.
    pub components: Option<usize>,
    /// What is minimized.
    pub contrast: Contrast,
    /// The lengthscale of the Gaussian kernel on components of variance 1; by the number of rows
    /// when absent.
    pub lengthscale: Option<f64>,
    /// `κ > 0` of the contrasts KGV and KCC; by the number of rows when absent.
    pub kappa: Option<f64>,
    /// Rotations to begin with, for three or more components: the first is that of FastICA, the
    /// others are random.
    pub starts: usize,
    /// Gradient steps end when the gradient is this small beside the contrast at their start.
    pub tolerance: f64,
}

impl Default for KernelIca {
    fn default() -> Self {
        Self {
            components: None,
            contrast: Contrast::default(),
            lengthscale: None,
            kappa: None,
            starts: 3,
            tolerance: 1e-6,
        }
    }
}

impl KernelIca {
    /// Fits the rows of `x`.
    ///
    /// The components have variance 1; they are ordered by how much of the variance of `x` each
    /// explains, and the largest coefficient of each row of `W` is positive.
    ///
    /// # Errors
    /// [`Error::Parameter`] for parameters out of range, [`Error::TooFew`] for fewer than two rows,
    /// [`Error::Value`] for NaN and infinities, [`Error::AllEqual`] for a constant column,
    /// [`Error::Singular`] for more components than the rank of the covariance matrix,
    /// [`Error::WrongPoints`] for points that are not vectors, [`Error::Canceled`].
    pub fn fit<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<IcaFit> {
        let x = x.into().vectors()?;
        let (lengthscale, kappa) = self.parameters(x.nrows())?;
        let whitening = whitening(x, self.components, compute)?;
        let z = whitening.apply(x);
        let measure = Measure::new(self.contrast, lengthscale, kappa, x.nrows())?;
        let (rotation, contrast, evidence) = self.rotate(z.view(), &measure, compute)?;
        let (components, mixing) = ordered(rotation.dot(&whitening.matrix), whitening.inverse.dot(&rotation.t()));
        Ok(IcaFit {
            mean: whitening.mean,
            components,
            mixing,
            contrast,
            lengthscale,
            kappa,
            evidence,
            settings: self.settings().with("seed", compute.seed()),
        })
    }

    /// The rotation of whitened data with the smallest contrast that was found.
    fn rotate(
        &self,
        z: ArrayView2<f64>,
        measure: &Measure,
        compute: &Compute,
    ) -> Result<(Array2<f64>, f64, IcaEvidence)> {
        let m = z.ncols();
        let coarse = measure.clone().with_tolerance(SEARCH);
        let starts = if m > 2 { self.starts } else { 1 };
        let one = |start: usize| -> Result<(Swept, f64)> {
            let begin = match start {
                _ if m <= 2 => Array2::eye(m),
                0 => fixed_point(z, compute)?,
                _ => random_rotation(m, &mut compute.seed().stream("rotations", start as u64), compute)?,
            };
            let swept = sweep(z, begin, &coarse, SWEEPS, compute)?;
            let value = coarse.value(z.dot(&swept.rotation.t()).view(), compute)?;
            compute.report("starts", start as u64 + 1, starts as u64);
            Ok((swept, value))
        };
        let found = compute.try_map_tasks(starts, one)?;
        let best = (0..starts).fold(0, |best, k| if found[k].1 < found[best].1 { k } else { best });
        let fine = measure.clone().with_tolerance(POLISH);
        let polished = polish(z, &found[best].0.rotation, &fine, self.tolerance, compute)?;
        let evidence = IcaEvidence {
            contrasts: found.iter().map(|(_, value)| *value).collect(),
            sweeps: found.iter().map(|(swept, _)| swept.sweeps).collect(),
            best,
            steps: polished.steps,
            converged: polished.converged,
        };
        Ok((polished.rotation, polished.contrast, evidence))
    }

    /// The lengthscale and κ, checked.
    fn parameters(&self, rows: usize) -> Result<(f64, f64)> {
        let (lengthscale, kappa) = if rows < MANY { (1.0, 0.02) } else { (0.5, 0.002) };
        let lengthscale = if self.contrast == Contrast::Negentropy { density_lengthscale(rows) } else { lengthscale };
        if self.starts == 0 {
            return Err(Error::parameter("starts", 0, 1..));
        }
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            return Err(Error::parameter("tolerance", self.tolerance, crate::error::AllowedRange::POSITIVE));
        }
        Ok((self.lengthscale.unwrap_or(lengthscale), self.kappa.unwrap_or(kappa)))
    }

    /// The plan for `rows` points of `columns` numbers; for other contrasts than negentropy with ranks
    /// of some tens, which only the data determine.
    ///
    /// # Errors
    /// None at present.
    pub fn plan(&self, rows: usize, columns: usize, compute: &Compute) -> Result<Plan> {
        let (n, m) = (rows as f64, self.components.unwrap_or(columns).min(columns) as f64);
        let starts = if m > 2.0 { self.starts as f64 } else { 1.0 };
        let (pairs, steps) = (starts * 4.0 * 15.0 * m * (m - 1.0), 20.0 * m);
        let (flops, bytes, ranks) = match self.contrast {
            // Logarithms and exponentials count as some tens of operations.
            Contrast::Negentropy => {
                // Centered data and white data; these, components and slopes; pairs of axes in every thread.
                let numbers = (2.0 * columns as f64).max(4.0 * m).max(m + 2.0 + 4.0 * compute.threads() as f64);
                (200.0 * n * (pairs + steps), 8.0 * n * numbers, "")
            }
            _ => {
                let square = n * n.min(40.0).powi(2);
                let bytes = 8.0 * (4.0 * m * n * n.min(40.0) + 2.0 * n * m);
                (square * (6.0 * pairs + 12.0 * m * steps), bytes, ", ranks of some tens")
            }
        };
        let reason = format!("{starts} rotations to begin with{ranks}");
        let solver = "Jacobi sweeps and gradient steps";
        Ok(Plan::new(solver, bytes as u64, flops, reason, compute))
    }
}

/// The lengthscale of density estimates: 0.4 of the standard deviation, from 1000 rows on
/// `0.4(n/1000)^{−1/5}`. Between 0.3 and 0.5 little changes (see the weights of the contrast for the
/// measurement); the decrease is the rate of density estimates, not measured beyond 1000 rows.
fn density_lengthscale(rows: usize) -> f64 {
    0.4 * (MANY as f64 / rows.max(MANY) as f64).powf(0.2)
}

/// Rows of `W` and columns of `A` in the order of the variance that they explain, with a positive
/// largest coefficient in each row.
fn ordered(unmixing: Array2<f64>, mixing: Array2<f64>) -> (Array2<f64>, Array2<f64>) {
    let explained: Vec<f64> = mixing.columns().into_iter().map(|column| column.dot(&column)).collect();
    let mut order: Vec<usize> = (0..explained.len()).collect();
    order.sort_by(|&a, &b| explained[b].total_cmp(&explained[a]));
    let (unmixing, mixing) = (unmixing.select(Axis(0), &order), mixing.select(Axis(1), &order));
    let largest = |row: ndarray::ArrayView1<f64>| {
        row.iter().fold(0.0_f64, |most, &v| if v.abs() > most.abs() { v } else { most })
    };
    let signs: Array1<f64> =
        unmixing.rows().into_iter().map(|row| if largest(row) < 0.0 { -1.0 } else { 1.0 }).collect();
    (unmixing * signs.view().insert_axis(Axis(1)), mixing * &signs)
}
