//! The specification of a fit on grids, its plan and its fit.

use std::fmt;

use ndarray::{Array1, ArrayView1, ArrayView2, Axis, concatenate};

use super::BinnedFit;
use super::run::{solve, spread};
use crate::compute::{human_bytes, human_seconds};
use crate::error::MemoryPurpose;
use crate::features::RandomBinning;
use crate::learn::loss::{Loss, LossTerm};
use crate::learn::observations::{check_penalty, weights};
use crate::settings::Settings;
use crate::solve::newton::{DataTerm, PrimalSolution};
use crate::{Compute, Error, Points, Result};

/// Products with the features that a plan counts with.
const PRODUCTS: f64 = 50.0;

/// Regularized learning with random binning features: ridge regression with several outputs, and
/// every smooth loss, such as the squared hinge of a support vector machine or the logistic one.
///
/// # Formula
/// `min Σ vᵢℓ(yᵢ, f(xᵢ)) + λ‖w‖²` over `f(x) = z(x)ᵀw + b`, with `z(x)ᵀz(y) ≈ k(x, y)`: a *sum* of
/// losses, without `1/n`.
///
/// # Theory
/// For `P → ∞` grids and enough buckets the solution is that of
/// [`KernelMachine`](crate::learn::KernelMachine) with the same λ. A function of cells is a sum of
/// steps: where the target jumps from point to point it needs far fewer features than sine and
/// cosine features do (Rahimi and Recht 2007).
///
/// # Cost
/// `O(nP)` for a product with the features, which have one entry of four bytes per point and grid.
/// Newton's steps (one, for the squared loss) are solved by conjugate gradients with the diagonal
/// of the system as preconditioner.
///
/// # Example
/// ```
/// use mercer::{Compute, features::RandomBinning, learn::BinnedMachine};
/// use ndarray::Array2;
/// let compute = Compute::new();
/// let x = Array2::from_shape_fn((400, 1), |(i, _)| i as f64 / 100.0);
/// let y = x.mapv(|v| if v < 2.0 { 0.0 } else { 1.0 });
/// let grids = RandomBinning::new("laplacian(norm=l1)".parse()?, 200);
/// let fit = BinnedMachine::new(grids, 1e-3).fit(x.view(), y.view(), None, &compute)?;
/// let near = fit.predict(ndarray::array![[1.0], [3.0]].view(), &compute)?;
/// mercer::assert_close!(near[[0, 0]], 0.0, abs = 0.1);
/// mercer::assert_close!(near[[1, 0]], 1.0, abs = 0.1);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BinnedMachine {
    /// The kernel and its grids.
    pub grids: RandomBinning,
    /// The loss: squared, or any other smooth one.
    pub loss: Loss,
    /// `λ > 0`, which multiplies `‖w‖²` beside a sum (not a mean) of losses.
    pub lambda: f64,
    /// Whether to fit an unpenalized intercept.
    pub intercept: bool,
    /// Stop when the residual is at most this part of the right-hand side (squared loss), or a
    /// Newton step improves the objective by less than this part.
    pub tolerance: f64,
    /// Iterations of conjugate gradients, over all Newton steps.
    pub max_iterations: usize,
}

/// The plan of a fit on grids: what it will take.
#[derive(Clone, Debug, PartialEq)]
pub struct BinnedPlan {
    /// The most bytes that will be allocated at a time.
    pub bytes: u64,
    /// Floating-point operations, about: those of 50 products with the features and their
    /// transpose.
    pub flops: f64,
    /// The expected time, where the speed of the machine is known ([`Compute::with_speed`]).
    pub seconds: Option<f64>,
    /// The largest error of a kernel value, `√(log(2/δ)/2P)` of the diagonal, that a pair of points
    /// exceeds with the probability `δ = 0.05` at most.
    pub error: f64,
}

impl fmt::Display for BinnedPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "conjugate gradients on grids: {}, about {:.1e} operations", human_bytes(self.bytes), self.flops)?;
        self.seconds.map_or(Ok(()), |seconds| write!(f, ", {}", human_seconds(seconds)))?;
        write!(
            f,
            "; an approximation: a kernel value is within {:.2} of the diagonal with probability 0.95",
            self.error
        )
    }
}

impl BinnedMachine {
    /// Ridge regression on these grids, with an intercept.
    pub fn new(grids: RandomBinning, lambda: f64) -> Self {
        Self { grids, loss: Loss::Squared, lambda, intercept: true, tolerance: 1e-5, max_iterations: 500 }
    }

    /// The plan for `rows` points and `outputs` targets: what [`BinnedMachine::fit`] will take.
    ///
    /// # Errors
    /// [`Error::Memory`] when it does not fit into the memory limit.
    pub fn plan(&self, rows: usize, outputs: usize, compute: &Compute) -> Result<BinnedPlan> {
        let (n, grids) = (rows as u64, self.grids.grids as u64);
        let columns = grids.saturating_mul(self.grids.buckets as u64).saturating_add(1);
        // Three vectors of the features for each output: measured are 3.2 for squared errors and 2.8 for a
        // softmax.
        let bytes = 4 * n * grids + 8 * outputs as u64 * (3 * columns + 6 * n);
        let advice = "use fewer grids or buckets, fewer rows, or a higher memory limit";
        compute.reserve(MemoryPurpose::Fit, &format!("a fit of {rows} rows on {grids} grids"), bytes, advice)?;
        let flops = PRODUCTS * 4.0 * outputs as f64 * (n * grids) as f64;
        let error = ((2.0_f64 / 0.05).ln() / (2.0 * self.grids.grids.max(1) as f64)).sqrt();
        Ok(BinnedPlan { bytes, flops, seconds: compute.seconds(flops), error })
    }

    /// Fits `y`: one row per point, one column per output.
    ///
    /// A fit that ran out of iterations returns a valid model: see [`BinnedFit::converged`].
    ///
    /// # Errors
    /// [`Error::Parameter`] unless λ > 0, [`Error::Unsupported`] for a loss with kinks,
    /// [`Error::Shape`] and [`Error::Value`] for data that does not fit, [`Error::Memory`],
    /// [`Error::Canceled`]; and as [`RandomBinning::fit`].
    pub fn fit(
        &self,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        sample_weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<BinnedFit> {
        let weights = self.check(x, y, sample_weights)?;
        // Several outputs of a quadratic loss share their products with the features.
        let parts: Vec<ArrayView2<f64>> = match self.loss {
            Loss::Squared => vec![y],
            _ => y.axis_chunks_iter(Axis(1), 1).collect(),
        };
        let term = |part: &ArrayView2<f64>| LossTerm::of_values(self.loss, part.to_owned(), weights.clone());
        let terms: Vec<LossTerm<'_>> = parts.iter().map(term).collect();
        self.fit_terms(x, &terms, compute)
    }

    /// The fit of data terms, one after the other: their functions are those of one model.
    pub(super) fn fit_terms(&self, x: ArrayView2<f64>, terms: &[LossTerm<'_>], compute: &Compute) -> Result<BinnedFit> {
        let outputs = terms.iter().map(DataTerm::outputs).sum();
        let plan = self.plan(x.nrows(), outputs, compute)?;
        let map = self.grids.fit(x, compute)?;
        let cells = map.transform(x, compute)?;
        // Of few rows most cells are empty, and their coefficients are 0: the others alone are
        // looked for.
        let occupied = (x.nrows() < self.grids.buckets).then(|| cells.occupied());
        let matrix = occupied.as_ref().map_or(&cells, |(matrix, _)| matrix);
        let mut found = terms.iter().map(|term| solve(self, matrix, term, compute)).collect::<Result<Vec<_>>>()?;
        if let Some((_, positions)) = &occupied {
            found.iter_mut().for_each(|part| part.state.w = spread(&part.state.w, positions, cells.shape().1));
        }
        let beside = |of: fn(&PrimalSolution) -> ArrayView2<'_, f64>| {
            let parts: Vec<ArrayView2<f64>> = found.iter().map(of).collect();
            concatenate(Axis(1), &parts).map_err(|e| Error::shape("functions of a fit", outputs, e))
        };
        Ok(BinnedFit {
            loss: self.loss,
            lambda: self.lambda,
            w: beside(|part| part.state.w.view())?,
            b: found.iter().flat_map(|part| part.state.b.iter().copied()).collect(),
            fitted: beside(|part| part.state.fitted.view())?,
            objective: found.iter().map(|part| part.state.objective).sum(),
            iterations: found.iter().map(|part| part.iterations).max().unwrap_or(0),
            converged: found.iter().all(|part| part.converged),
            plan: Some(plan),
            settings: self.settings().with("seed", compute.seed()),
            classes: None,
            map,
        })
    }

    /// The settings by name: `kernel`, `grids`, `buckets`, `loss`, `lambda`, `intercept`,
    /// `tolerance` and `max_iterations`.
    pub fn settings(&self) -> Settings {
        Settings::new()
            .with("kernel", &self.grids.kernel)
            .with("grids", self.grids.grids)
            .with("buckets", self.grids.buckets)
            .with("loss", self.loss.to_string())
            .with("lambda", self.lambda)
            .with("intercept", self.intercept)
            .with("tolerance", self.tolerance)
            .with("max_iterations", self.max_iterations)
    }

    pub(super) fn check(
        &self,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        sample_weights: Option<ArrayView1<f64>>,
    ) -> Result<Array1<f64>> {
        check_penalty(self.lambda)?;
        self.loss.check()?;
        if x.nrows() == 0 || y.nrows() != x.nrows() || y.ncols() == 0 {
            let expected = format!("at least one column of {} rows", x.nrows().max(1));
            return Err(Error::shape("targets", expected, format!("{:?}", y.dim())));
        }
        if !self.loss.is_smooth() {
            let why = "it has kinks, where Newton's method has no second derivative";
            return Err(Error::unsupported(
                "fit on random binning features",
                format!("the loss {}", self.loss),
                why,
                "use a smooth loss",
            ));
        }
        Points::Vectors(x).check_finite("points")?;
        Points::Vectors(y).check_finite("targets")?;
        let weights = weights(sample_weights, x.nrows())?;
        for column in y.columns() {
            self.loss.check_targets(&column.to_vec(), &weights.to_vec())?;
        }
        Ok(weights)
    }
}
