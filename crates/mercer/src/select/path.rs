//! Every λ from one decomposition.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use super::Criterion;
use super::criterion::deal;
use crate::error::MemoryPurpose;
use crate::gram::KernelList;
use crate::learn::Ridge;
use crate::learn::ridge::{
    AtLambda, FeatureSpectrum, HeldOutRows, Problem, RidgeData, RidgeSolver, RidgeSpectrum, along, check_lambda,
};
use crate::solve::{Solved, solve_positive};
use crate::{Compute, Error, Points, Result};

/// The scores of a ridge regression along a list of λ. With several outputs each score is their
/// mean.
#[derive(Clone, Debug, PartialEq)]
pub struct RidgePath {
    /// The λ, as they were given.
    pub lambdas: Vec<f64>,
    /// The (weighted) mean square of the leave-one-out residuals.
    pub leave_one_out: Array1<f64>,
    /// Generalized cross-validation.
    pub gcv: Array1<f64>,
    /// The (weighted) mean square of the residuals of held-out folds, where folds were requested;
    /// NaN at a λ at which the matrix is singular to working precision, or a fold leaves the
    /// unpenalized part undetermined.
    pub folds: Option<Array1<f64>>,
    /// The trace of the hat matrix.
    pub degrees_of_freedom: Array1<f64>,
}

impl RidgePath {
    /// Nothing is known.
    pub(super) fn unknown(lambdas: &[f64]) -> Self {
        let none = Array1::from_elem(lambdas.len(), f64::NAN);
        Self {
            lambdas: lambdas.to_vec(),
            leave_one_out: none.clone(),
            gcv: none.clone(),
            folds: Some(none.clone()),
            degrees_of_freedom: none,
        }
    }

    /// The scores of these λ, then those of others.
    pub(super) fn join(&self, others: &Self) -> Self {
        let both = |a: &Array1<f64>, b: &Array1<f64>| a.iter().chain(b).copied().collect::<Array1<f64>>();
        let unknown = |path: &Self| Array1::from_elem(path.lambdas.len(), f64::NAN);
        let folds = |path: &Self| path.folds.clone().unwrap_or_else(|| unknown(path));
        Self {
            lambdas: [&self.lambdas[..], &others.lambdas[..]].concat(),
            leave_one_out: both(&self.leave_one_out, &others.leave_one_out),
            gcv: both(&self.gcv, &others.gcv),
            folds: Some(both(&folds(self), &folds(others))),
            degrees_of_freedom: both(&self.degrees_of_freedom, &others.degrees_of_freedom),
        }
    }

    /// The scores by a criterion: NaN where there is none.
    pub fn scores(&self, criterion: Criterion) -> Array1<f64> {
        match criterion {
            Criterion::LeaveOneOut => self.leave_one_out.clone(),
            Criterion::Gcv => self.gcv.clone(),
            Criterion::Folds(_) => {
                self.folds.clone().unwrap_or_else(|| Array1::from_elem(self.lambdas.len(), f64::NAN))
            }
        }
    }

    /// The position of the smallest score, the first of equals; `None` when every score is NaN.
    pub fn best(&self, criterion: Criterion) -> Option<usize> {
        smallest(self.scores(criterion).iter().copied())
    }
}

/// Where the smallest number stands; NaN never does.
pub(super) fn smallest(values: impl Iterator<Item = f64>) -> Option<usize> {
    let numbers = values.enumerate().filter(|(_, v)| !v.is_nan());
    numbers.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
}

/// Leave-one-out, GCV and, for `folds`, held-out scores of `ridge` for every λ: its own λ and
/// solver are not used.
///
/// # Formula
/// `G = Q(B + λI)⁻¹Qᵀ` for all λ from one decomposition, with a band matrix `B`. For folds, and
/// where λ is within rounding of 0, `B` is diagonal: the eigenvalues. Leaving out the rows `F`
/// leaves the residuals `(G_FF)⁻¹(GSy)_F`, in scaled coordinates: no model is fitted again.
///
/// # Cost
/// One reduction to a band (`8n³/3` at the speed of matrix products, less for matrices of low rank)
/// and `48n²` per λ; `24n²` bytes. For folds one eigendecomposition (up to `5n³`) and `2n³/folds`
/// per λ; `40n²` bytes. Kernels with `p ≤ n/4` features (`linear`, `polynomial` on few columns,
/// counts of parts of objects): `4np² + 9p³`, and about `23np` per
/// output and λ, for folds `2np²` once and `p³/3` per fold and λ.
///
/// # Errors
/// [`Error::Parameter`] for a λ that is negative or not finite and for fewer than 2 folds; as
/// [`Ridge::fit`].
///
/// # Example
/// ```
/// use mercer::{Compute, learn::Ridge, select::{Criterion, ridge_path}};
/// use ndarray::array;
/// let ridge = Ridge::new("linear()".parse()?, 0.0);
/// let (x, y) = (array![[1.0], [2.0], [1.0]], array![[1.0], [4.0], [3.0]]);
/// let path = ridge_path(&ridge, &[1.0, 2.0], None, x.view(), y.view(), None, &Compute::new())?;
/// // Σx²/(Σx² + λ)
/// assert!((path.degrees_of_freedom[1] - 0.75).abs() < 1e-14);
/// assert_eq!(path.best(Criterion::Gcv), Some(0));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn ridge_path<'x>(
    ridge: &Ridge,
    lambdas: &[f64],
    folds: Option<usize>,
    x: impl Into<Points<'x>>,
    y: ArrayView2<f64>,
    weights: Option<ArrayView1<f64>>,
    compute: &Compute,
) -> Result<RidgePath> {
    let (x, weights) = (x.into(), weights.as_ref().map(|w| w.view()));
    let data = RidgeData { x: x.reborrow(), y: y.view(), basis: None, weights };
    shared_path(ridge, None, lambdas, folds, data, compute)
}

/// The same for a kernel that may share features with others of a list.
pub(super) fn shared_path(
    ridge: &Ridge,
    list: Option<&KernelList>,
    lambdas: &[f64],
    folds: Option<usize>,
    data: RidgeData<'_>,
    compute: &Compute,
) -> Result<RidgePath> {
    let x = ridge.kernel.points(data.x);
    for &lambda in lambdas {
        check_lambda(lambda)?;
    }
    if lambdas.is_empty() {
        return Err(Error::parameter("lambdas", "[]", "a list of at least one number"));
    }
    let spec = Ridge { lambda: lambdas[0], solver: RidgeSolver::Eigen, ..ridge.clone() };
    spec.check(x, compute)?;
    let data = RidgeData { x, ..data };
    let problem = match list.filter(|list| list.takes(&ridge.kernel)) {
        Some(list) => Problem::shared(&ridge.kernel, list, ridge.intercept, data, compute)?,
        None => Problem::new(&ridge.kernel, ridge.intercept, data, compute)?,
    };
    let parts = folds.map(|k| deal(problem.rows(), k, compute)).transpose()?;
    let mut scores = by_features(&problem, x, lambdas, parts.as_deref(), compute)?;
    if scores.is_none() {
        scores = by_band(&problem, lambdas, parts.is_some(), compute)?;
    }
    let scores = match scores {
        Some(scores) => scores,
        None => {
            let what = format!("the scores of every λ for {} rows", x.len());
            let remedy = "use fewer rows (an automatic search takes a sample), one λ with a fit on centers, or a higher memory limit";
            compute.reserve(MemoryPurpose::Fit, &what, matrices(5, x.len()), remedy)?;
            by_spectrum(&problem, lambdas, parts.as_deref(), compute)?
        }
    };
    let collect = |of: fn(&Scores) -> f64| scores.iter().map(of).collect::<Array1<f64>>();
    Ok(RidgePath {
        lambdas: lambdas.to_vec(),
        leave_one_out: collect(|s| s.leave_one_out),
        gcv: collect(|s| s.gcv),
        folds: folds.map(|_| collect(|s| s.folds)),
        degrees_of_freedom: collect(|s| s.degrees_of_freedom),
    })
}

/// Rows up to which a matrix is decomposed for a λ that is too small for features: some seconds.
/// Not tuned.
const FEW_ROWS: usize = 2000;

/// The scores at one λ.
struct Scores {
    leave_one_out: f64,
    gcv: f64,
    folds: f64,
    degrees_of_freedom: f64,
}

/// All scores in the features of the kernel, where it has few. A λ at which too few digits are left
/// has none; with few rows the matrix tells then.
fn by_features(
    problem: &Problem<'_>,
    x: Points<'_>,
    lambdas: &[f64],
    folds: Option<&[Vec<usize>]>,
    compute: &Compute,
) -> Result<Option<Vec<Scores>>> {
    let Some(spectrum) = FeatureSpectrum::new(problem, x, compute)? else { return Ok(None) };
    if folds.is_some_and(|folds| spectrum.held_out_bytes(folds.len()) > compute.memory()) {
        return Ok(None);
    }
    let held_out: Option<Vec<HeldOutRows>> = folds.map(|folds| spectrum.held_out(folds, compute)).transpose()?;
    let score = |&lambda: &f64| {
        compute.check_canceled()?;
        let Some(at) = spectrum.at(lambda) else { return Ok(None) };
        let residuals = match &held_out {
            Some(folds) => spectrum.residuals(&at.dual, lambda, folds)?,
            None => f64::NAN,
        };
        Ok(Some(Scores::new(&at, problem, lambda, residuals)))
    };
    let scores: Vec<Option<Scores>> = compute.install(|| lambdas.par_iter().map(score).collect::<Result<_>>())?;
    let enough = if problem.rows() <= FEW_ROWS { scores.len() } else { 1 };
    let known = scores.iter().flatten().count();
    Ok((known >= enough).then(|| scores.into_iter().map(|score| score.unwrap_or(Scores::UNKNOWN)).collect()))
}

/// All scores but those of folds from a reduction to a band, where that is sound and there is room
/// for it.
fn by_band(problem: &Problem<'_>, lambdas: &[f64], folds: bool, compute: &Compute) -> Result<Option<Vec<Scores>>> {
    if folds || matrices(3, problem.rows()) > compute.memory() {
        return Ok(None);
    }
    let Some(path) = along(problem, lambdas, compute)? else { return Ok(None) };
    Ok(Some(path.iter().zip(lambdas).map(|(at, &lambda)| Scores::new(at, problem, lambda, f64::NAN)).collect()))
}

/// The bytes of this many matrices: a path takes three by a reduction to a band, five by an
/// eigendecomposition.
pub(super) fn matrices(count: u64, rows: usize) -> u64 {
    count * 8 * (rows as u64).pow(2)
}

/// All scores from an eigendecomposition.
fn by_spectrum(
    problem: &Problem<'_>,
    lambdas: &[f64],
    folds: Option<&[Vec<usize>]>,
    compute: &Compute,
) -> Result<Vec<Scores>> {
    let spectrum = RidgeSpectrum::new(problem.matrix(compute)?, problem, compute)?;
    let score = |&lambda: &f64| {
        compute.check_canceled()?;
        let at = spectrum.at(lambda);
        let held_out = match folds {
            Some(folds) if at.is_regular() => held_out(&spectrum, &at.dual, lambda, folds)?,
            _ => f64::NAN,
        };
        Ok(Scores::new(&at, problem, lambda, held_out))
    };
    compute.install(|| lambdas.par_iter().map(score).collect())
}

impl Scores {
    const UNKNOWN: Self =
        Self { leave_one_out: f64::NAN, gcv: f64::NAN, folds: f64::NAN, degrees_of_freedom: f64::NAN };

    fn new(at: &AtLambda, problem: &Problem<'_>, lambda: f64, held_out: f64) -> Self {
        let influence = at.influence(lambda, &problem.roots);
        let outputs = problem.targets.ncols() as f64;
        let weight = problem.roots.dot(&problem.roots) * outputs;
        let squares: f64 = influence.leave_one_out.iter().map(|v| v * v).sum();
        Self {
            leave_one_out: squares / weight,
            gcv: influence.gcv.sum() / outputs,
            folds: held_out / weight,
            degrees_of_freedom: influence.hat.sum(),
        }
    }
}

/// The sum of squares of the scaled residuals of all folds, NaN when a fold leaves the unpenalized
/// part undetermined.
fn held_out(spectrum: &RidgeSpectrum, dual: &Array2<f64>, lambda: f64, folds: &[Vec<usize>]) -> Result<f64> {
    let filter = spectrum.filter(lambda);
    let mut sum = 0.0;
    for rows in folds {
        let vectors = spectrum.vectors().select(Axis(0), rows);
        let block = (&vectors * &filter).dot(&vectors.t());
        let found = solve_positive(block.view(), dual.select(Axis(0), rows).view())?;
        if found.solved != Solved::Cholesky {
            return Ok(f64::NAN);
        }
        sum += found.solution.iter().map(|v| v * v).sum::<f64>();
    }
    Ok(sum)
}
