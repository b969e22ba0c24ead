//! The specification of a fit with centres, and the fit.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::basis::Basis;
use super::fit::{CentreEvidence, CentreFit};
use super::newton::{Problem, Solution, Stop};
use super::plan::CentrePlan;
use super::precondition::Part;
use super::sweep::Matrix;
use crate::definiteness::require_psd;
use crate::features::Landmarks;
use crate::gram::{Pairs, resolve_medians};
use crate::learn::Loss;
use crate::learn::loss::{check_lambda, weights};
use crate::{Compute, Error, Kernel, Points, Result};

/// Rows that are kept apart to tell when to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldOut {
    /// The share of the rows, drawn from the seed.
    pub share: f64,
    /// Stop after so many iterations without a better score, and go back to the best.
    pub patience: usize,
}

/// Regularised learning on a few centres, for samples of any length: ridge regression with several outputs, and every smooth loss.
///
/// # Formula
/// `min Σ vᵢℓ(yᵢ, f(xᵢ)) + λ‖h‖²` over `f = h + b`, `h = Σ αⱼk(·, zⱼ)` with `m` centres: a *sum* of losses, without `1/n`. For the squared loss
/// `(K_mnK_nm + λK_mm)α = K_mn y`.
///
/// # Theory
/// With `m ~ √n` centres and the right λ the error is of the order of that with all points (Rudi, Camoriano and Rosasco 2015). Newton's steps (one, for the
/// squared loss) are solved by conjugate gradients (Rudi, Carratino and Rosasco 2017) with the same system on `2m` rows of the sample as preconditioner, so that the number of iterations
/// does not grow with `n`.
///
/// # Cost
/// `O(nm)` kernel values per iteration (or `8nm` bytes, where that fits), `O(m³)` once. [`CentreMachine::plan`] tells before anything is done.
/// With [`Precision::SingleTiles`](crate::Precision::SingleTiles) the kernel values are in `f32` and the sums in `f64`.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::CentreMachine};
/// use ndarray::Array2;
/// let compute = Compute::new();
/// let x = Array2::from_shape_fn((500, 1), |(i, _)| i as f64 / 50.0);
/// let y = x.mapv(f64::sin);
/// let fit = CentreMachine::new("gaussian()".parse()?, 1e-6, 30).fit(x.view(), y.view(), None, &compute)?;
/// let found = fit.predict(x.view(), &compute)?;
/// assert!((&found - &y).iter().all(|e| e.abs() < 1e-3));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CentreMachine {
    /// The kernel, positive semi-definite.
    pub kernel: Kernel,
    /// The loss: squared, or any other smooth one.
    pub loss: Loss,
    /// `λ > 0`, which multiplies `‖h‖²` beside a sum (not a mean) of losses.
    pub lambda: f64,
    /// `m`: the centres, at most.
    pub centres: usize,
    /// How the centres are chosen.
    pub landmarks: Landmarks,
    /// Whether a constant is fitted too, unpenalised.
    pub intercept: bool,
    /// Stop when the residual is at most this part of the right-hand side (squared loss), or a Newton step improves the objective by less than this part.
    pub tolerance: f64,
    /// Iterations of conjugate gradients, over all Newton steps.
    pub max_iterations: usize,
    /// Rows kept apart to tell when to stop.
    pub held_out: Option<HeldOut>,
}

impl CentreMachine {
    /// Ridge regression on uniformly drawn centres, without intercept.
    pub fn new(kernel: Kernel, lambda: f64, centres: usize) -> Self {
        Self {
            kernel,
            loss: Loss::Squared,
            lambda,
            centres,
            landmarks: Landmarks::Uniform,
            intercept: false,
            tolerance: 1e-7,
            max_iterations: 200,
            held_out: None,
        }
    }

    /// Fits `y`: one row per point, one column per output (one column for losses other than the squared one).
    ///
    /// A fit that ran out of iterations is still a model: [`CentreEvidence::converged`] tells.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless λ > 0 and there is a centre, [`Error::Request`] for a loss with kinks or several outputs of another loss than the
    /// squared one, [`Error::Shape`] and [`Error::Value`] for data that does not fit, [`Error::NotPositiveDefinite`], [`Error::Memory`],
    /// [`Error::Cancelled`]; and as [`Kernel::bind`].
    pub fn fit(
        &self,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        given: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<CentreFit> {
        let weights = self.check(x, y, given)?;
        require_psd(&self.kernel, compute)?;
        let plan = self.plan(x.nrows(), x.ncols(), y.ncols(), compute)?;
        let Some(held_out) = self.held_out else {
            return self.fit_on(Data { x, y, weights: &weights }, None, plan, compute);
        };
        let (kept, apart) = held_out.split(x.nrows(), compute)?;
        let (train, test) = (rows(x, y, &weights, &kept), rows(x, y, &weights, &apart));
        self.fit_on(train.data(), Some((held_out.patience, test.data())), plan, compute)
    }

    fn fit_on(
        &self,
        data: Data<'_>,
        held_out: Option<(usize, Data<'_>)>,
        plan: CentrePlan,
        compute: &Compute,
    ) -> Result<CentreFit> {
        let kernel = resolve_medians(&self.kernel, data.x, compute)?;
        let points = self.landmarks.choose(&kernel, data.x, plan.centres, 0.0, compute)?;
        let basis = Basis::new(&kernel, points, compute)?;
        let part = Part::new(&kernel, &basis, data.x, plan.preconditioner_rows, compute)?;
        let bound = kernel.bind(Pairs::between(data.x, basis.points.view()), compute)?;
        let problem = Problem {
            loss: self.loss,
            lambda: self.lambda,
            intercept: self.intercept,
            matrix: Matrix::new(bound, plan.stored, compute)?,
            basis: &basis,
            part: &part,
            targets: data.y,
            weights: data.weights,
            compute,
        };
        let newton_steps = if self.loss == Loss::Squared { 1 } else { 100 };
        let stop = Stop { tolerance: self.tolerance, max_iterations: self.max_iterations, newton_steps };
        let judge = |(patience, data)| Judge::new(self.loss, patience, data, &kernel, &basis, compute);
        let mut judge = held_out.map(judge);
        let mut solution =
            problem.solve(stop, &mut |w, b| judge.as_mut().map_or(Ok(false), |judge| judge.see(w, b)))?;
        let scores = judge.map_or_else(Vec::new, |judge| judge.into_best(&mut solution));
        self.made(kernel.clone(), &basis, solution, scores, plan, compute)
    }

    fn made(
        &self,
        kernel: Kernel,
        basis: &Basis,
        solution: Solution,
        held_out_scores: Vec<f64>,
        plan: CentrePlan,
        compute: &Compute,
    ) -> Result<CentreFit> {
        let state = solution.state;
        let evidence = CentreEvidence {
            objective: state.objective,
            iterations: solution.iterations,
            newton_steps: solution.newton_steps,
            residual: solution.residual,
            converged: solution.converged,
            jitter: basis.jitter,
            held_out_scores,
        };
        let alpha = basis.coefficients(state.w.view(), compute)?;
        let (loss, lambda, centres) = (self.loss, self.lambda, basis.points.clone());
        Ok(CentreFit { kernel, loss, lambda, centres, alpha, intercept: state.b, evidence, plan })
    }

    fn check(&self, x: ArrayView2<f64>, y: ArrayView2<f64>, given: Option<ArrayView1<f64>>) -> Result<Array1<f64>> {
        check_lambda(self.lambda)?;
        if self.centres == 0 {
            return Err(Error::parameter("centres", 0, "at least 1"));
        }
        if x.nrows() == 0 || y.nrows() != x.nrows() || y.ncols() == 0 {
            return Err(Error::shape(
                "targets",
                format!("at least one column of {} rows", x.nrows().max(1)),
                format!("{:?}", y.dim()),
            ));
        }
        if !self.loss.is_smooth() {
            return Err(Error::request(format!(
                "the loss {} has kinks, where Newton's method has no second derivative",
                self.loss
            )));
        }
        if self.loss != Loss::Squared && y.ncols() > 1 {
            return Err(Error::request(format!(
                "the loss {} is for one output: fit the outputs one by one",
                self.loss
            )));
        }
        Points::Vectors(x).check_finite("points")?;
        Points::Vectors(y).check_finite("targets")?;
        let weights = weights(given, x.nrows())?;
        self.loss.check()?;
        self.loss.check_targets(&y.column(0).to_vec(), &weights.to_vec())?;
        Ok(weights)
    }
}

/// Points, targets and weights.
#[derive(Clone, Copy)]
struct Data<'d> {
    x: ArrayView2<'d, f64>,
    y: ArrayView2<'d, f64>,
    weights: &'d Array1<f64>,
}

/// Some rows of the data, owned.
struct Owned {
    x: Array2<f64>,
    y: Array2<f64>,
    weights: Array1<f64>,
}

impl Owned {
    fn data(&self) -> Data<'_> {
        Data { x: self.x.view(), y: self.y.view(), weights: &self.weights }
    }
}

fn rows(x: ArrayView2<f64>, y: ArrayView2<f64>, weights: &Array1<f64>, chosen: &[usize]) -> Owned {
    Owned { x: x.select(Axis(0), chosen), y: y.select(Axis(0), chosen), weights: weights.select(Axis(0), chosen) }
}

impl HeldOut {
    /// Rows to fit and rows to judge by, both ascending.
    fn split(&self, n: usize, compute: &Compute) -> Result<(Vec<usize>, Vec<usize>)> {
        let apart = (self.share * n as f64).round() as usize;
        if !(self.share > 0.0 && self.share < 1.0) || apart == 0 || apart >= n {
            return Err(Error::parameter(
                "held_out",
                self.share,
                "a share between 0 and 1 that leaves rows on both sides",
            ));
        }
        let mut order = compute.seed().stream("held out", 0).permutation(n);
        let mut kept = order.split_off(apart);
        order.sort_unstable();
        kept.sort_unstable();
        Ok((kept, order))
    }
}

/// Scores the iterates on rows that were kept apart, and remembers the best.
struct Judge<'j, 'd> {
    loss: Loss,
    patience: usize,
    data: Data<'d>,
    kernel: &'j Kernel,
    basis: &'j Basis,
    compute: &'j Compute,
    scores: Vec<f64>,
    best: Option<(usize, Array2<f64>, Array1<f64>)>,
}

impl<'j, 'd> Judge<'j, 'd> {
    fn new(
        loss: Loss,
        patience: usize,
        data: Data<'d>,
        kernel: &'j Kernel,
        basis: &'j Basis,
        compute: &'j Compute,
    ) -> Self {
        Self { loss, patience, data, kernel, basis, compute, scores: Vec::new(), best: None }
    }

    /// Whether the scores have stopped to improve.
    fn see(&mut self, w: ArrayView2<f64>, b: &Array1<f64>) -> Result<bool> {
        let alpha = self.basis.coefficients(w, self.compute)?;
        let bound = self.kernel.bind(Pairs::between(self.data.x, self.basis.points.view()), self.compute)?;
        let fitted = crate::gram::multiply(&bound, alpha.view(), self.compute)? + b;
        let losses =
            fitted.indexed_iter().map(|((i, j), f)| self.data.weights[i] * self.loss.value(self.data.y[[i, j]], *f));
        let score = losses.sum::<f64>() / (self.data.weights.sum() * fitted.ncols() as f64);
        let at = self.scores.len();
        self.scores.push(score);
        if self.best.as_ref().is_none_or(|(best, ..)| score < self.scores[*best]) {
            self.best = Some((at, w.to_owned(), b.clone()));
        }
        Ok(self.best.as_ref().is_some_and(|(best, ..)| at - best >= self.patience))
    }

    /// Puts the best iterate in the place of the last one; the mean loss of every iterate on the rows apart.
    fn into_best(self, solution: &mut Solution) -> Vec<f64> {
        if let Some((_, w, b)) = self.best {
            (solution.state.w, solution.state.b) = (w, b);
        }
        self.scores
    }
}
