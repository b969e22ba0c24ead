//! The specification of a regularized loss, and its fit.

use ndarray::{ArrayView1, Axis};

use super::newton::{LossPlan, LossSolver, NewtonState, Options, Problem, Request, dual_plan};
use super::{KernelMachineFit, LossEvidence, bind, dual};
use crate::function::Function;
use crate::gram::Bound;
use crate::learn::centers::{CenterMachine, Centers};
use crate::learn::loss::{Loss, LossTerm};
use crate::learn::observations::{check_finite, check_options, check_penalty, weights};
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// A function of an RKHS, and an intercept, that minimize a loss and a norm.
///
/// # Formula
/// `min Σ wᵢℓ(yᵢ, f(xᵢ)) + λ‖h‖²` over `f = h + b`, `h ∈ ℋ`, `b ∈ ℝ` unpenalized: a *sum* of
/// losses, without `1/n`, and λ, not λ/2.
///
/// # Theory
/// By the representer theorem `h = Σ αᵢk(·, xᵢ)`, with `−2λαᵢ` in the subdifferential of
/// `wᵢℓ(yᵢ, ·)` at `f(xᵢ)` and, with an intercept, `Σαᵢ = 0`. The dual problem is
/// `max −Σ wᵢℓ*(−2λαᵢ/wᵢ) − λαᵀKα`; its value at a feasible `α` lies below every objective, and the
/// difference is the duality gap of [`LossEvidence`].
///
/// With the squared loss this is [`Ridge`](crate::learn::Ridge); with the logistic one,
/// [`LogisticRegression`](crate::learn::LogisticRegression) of twice the λ; with the hinge, a
/// support vector machine with `C = 1/(2λ)`.
///
/// # Cost
/// Smooth losses: some ten Newton steps of `n³/3` up to 3000 rows, by conjugate gradients beyond.
/// Losses with kinks: rows of `K` for the variables that move. [`KernelMachine::plan`] reports the
/// cost in advance.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::{KernelMachine, Loss}};
/// use ndarray::array;
/// let (x, y) = (array![[0.0], [1.0], [2.0], [3.0]], array![0.0, 1.0, 2.0, 100.0]);
/// // A function of norm 0 beside an intercept: the median, which the last value does not move.
/// let machine = KernelMachine::new(Loss::Absolute, "gaussian()".parse()?, 1e6);
/// let fit = machine.fit(x.view(), y.view(), None, &Compute::new())?;
/// let middle = fit.predict(array![[0.5]].view(), &Compute::new())?[0];
/// assert!((1.0 - 1e-3..=2.0 + 1e-3).contains(&middle));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KernelMachine {
    /// What a wrong value costs.
    pub loss: Loss,
    /// The kernel.
    pub kernel: Kernel,
    /// `λ > 0`, which multiplies `‖h‖²` beside a sum (not a mean) of losses.
    pub lambda: f64,
    /// Whether to fit an unpenalized intercept.
    pub intercept: bool,
    /// How the problem is solved.
    pub solver: LossSolver,
    /// The centers of [`LossSolver::Centers`]; if they are set, [`LossSolver::Auto`] uses them.
    /// They have a tolerance and a number of iterations of their own.
    pub centers: Option<Centers>,
    /// Stop when the gap is at most this part of the objective (of `Σ wᵢ|ℓ(yᵢ, 0)|`, if that is
    /// larger). For smooth losses the gap is `λ‖h − h⁺‖²` with a feasible `h⁺`, so that `1e-20`
    /// gives ten digits of `h`.
    pub tolerance: f64,
    /// Newton steps, for the smooth losses; steps of pairs of variables, for the others.
    pub max_iterations: u64,
}

impl KernelMachine {
    /// A machine with an intercept, an automatic choice of the solver, and a tolerance that the
    /// loss allows: `1e-20` where it is smooth, `1e-6` otherwise.
    pub fn new(loss: Loss, kernel: Kernel, lambda: f64) -> Self {
        let (tolerance, max_iterations) = if loss.is_smooth() { (1e-20, 200) } else { (1e-6, 100_000_000) };
        Self {
            loss,
            kernel,
            lambda,
            intercept: true,
            solver: LossSolver::Auto,
            centers: None,
            tolerance,
            max_iterations,
        }
    }

    /// The plan for `rows` points of `columns` numbers: what [`KernelMachine::fit`] will run.
    ///
    /// # Errors
    /// [`Error::Memory`] when nothing fits into the memory limit, [`Error::Unsupported`] for a
    /// solver that cannot minimize the loss.
    pub fn plan(&self, rows: usize, columns: usize, compute: &Compute) -> Result<LossPlan> {
        match (self.loss.is_smooth(), self.solver) {
            (true, LossSolver::Dual) => Err(Error::unsupported(
                "dual problem",
                format!("the loss {}", self.loss),
                "it is smooth",
                "use Newton's method",
            )),
            (true, _) => self.request(rows, columns).plan(compute),
            (false, LossSolver::Auto | LossSolver::Dual) => dual_plan(rows, columns, dual::WORKING_SET, compute),
            (false, _) => Err(Error::unsupported(
                "Newton's method",
                format!("the loss {}", self.loss),
                "it has kinks, where there is no second derivative",
                "use the dual problem",
            )),
        }
    }

    fn request(&self, rows: usize, columns: usize) -> Request<'_> {
        let centers = self.centers.clone().unwrap_or_default();
        let machine = centers.machine(&self.kernel, self.loss, self.lambda, self.intercept);
        let machine = (!self.kernel.is_precomputed()).then_some(machine);
        Request { rows, columns, functions: 1, solver: self.solver, centers: (self.centers.as_ref(), machine) }
    }

    /// Fits the targets, one per row of `x`. With a kernel over `precomputed()`, `x` is the matrix
    /// of kernel values.
    ///
    /// A fit that was canceled, or ran out of steps, returns a valid model with its duality gap:
    /// see [`LossEvidence::stopped`].
    ///
    /// # Errors
    /// [`Error::Parameter`] unless λ > 0, and for parameters of the loss outside their range;
    /// [`Error::Shape`] and [`Error::Value`] for data that does not fit (classes other than −1 and
    /// 1, negative counts); [`Error::OneClass`] when there is only one class;
    /// [`Error::NotPositiveDefinite`], [`Error::Memory`], [`Error::Canceled`]; and as
    /// [`Kernel::bind`].
    pub fn fit<'x>(
        &self,
        x: impl Into<Points<'x>>,
        y: ArrayView1<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<KernelMachineFit> {
        let x = self.kernel.points(x);
        let mut fits = self.path(&[self.lambda], x, y, weights, compute)?;
        fits.pop().ok_or_else(|| Error::too_few("a path", "values of lambda", 1, 0))
    }

    /// Fits every λ of a list, in its order; for smooth losses each fit begins where the last one
    /// ended, and the kernel matrix is made once.
    ///
    /// # Errors
    /// As [`KernelMachine::fit`].
    pub fn path<'x>(
        &self,
        lambdas: &[f64],
        x: impl Into<Points<'x>>,
        y: ArrayView1<f64>,
        sample_weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<Vec<KernelMachineFit>> {
        let x = self.kernel.points(x);
        let mut fits = self.solved(lambdas, x, y, sample_weights, compute)?;
        for (fit, &lambda) in fits.iter_mut().zip(lambdas) {
            let random = fit.plan.solver == LossSolver::Centers;
            let settings = Self { lambda, ..self.clone() }.settings();
            fit.settings = settings.with_some("seed", random.then(|| compute.seed()));
        }
        Ok(fits)
    }

    fn solved(
        &self,
        lambdas: &[f64],
        x: Points<'_>,
        y: ArrayView1<f64>,
        sample_weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<Vec<KernelMachineFit>> {
        self.check(lambdas, x, y)?;
        let model = self.model(y, sample_weights)?;
        let plan = self.plan(x.len(), x.size().numbers(), compute)?;
        if plan.solver == LossSolver::Centers {
            return self.on_centers(lambdas, (x, y, model.weights.view()), &plan, compute);
        }
        let bound = bind(&self.kernel, x, compute)?;
        if plan.solver == LossSolver::Dual {
            let one = |&lambda: &f64| self.by_dual(lambda, &model, x, &bound, &plan, compute);
            return lambdas.iter().map(one).collect();
        }
        self.by_newton(lambdas, model, x, &bound, &plan, compute)
    }

    /// The settings by name: `loss`, `kernel`, `lambda`, `intercept`, `solver`, `tolerance`,
    /// `max_iterations`, and those of the centers.
    pub fn settings(&self) -> Settings {
        Settings::new()
            .with("loss", self.loss.to_string())
            .with("kernel", &self.kernel)
            .with("lambda", self.lambda)
            .with("intercept", self.intercept)
            .with("solver", self.solver.name())
            .with("tolerance", self.tolerance)
            .with("max_iterations", self.max_iterations)
            .with_centers(self.centers.as_ref())
    }

    fn check(&self, lambdas: &[f64], x: Points<'_>, y: ArrayView1<f64>) -> Result<()> {
        lambdas.iter().try_for_each(|&lambda| check_penalty(lambda))?;
        self.loss.check()?;
        check_options(self.tolerance, self.max_iterations)?;
        if y.len() != x.len() {
            return Err(Error::shape("targets", format!("one per row ({})", x.len()), y.len()));
        }
        check_finite("targets", y)
    }

    fn model(&self, y: ArrayView1<f64>, sample_weights: Option<ArrayView1<f64>>) -> Result<LossTerm<'static>> {
        let weights = weights(sample_weights, y.len())?;
        self.loss.check_targets(&y.to_vec(), &weights.to_vec())?;
        Ok(LossTerm::of_values(self.loss, y.to_owned().insert_axis(Axis(1)), weights))
    }

    fn on_centers(
        &self,
        lambdas: &[f64],
        (x, y, weights): (Points<'_>, ArrayView1<f64>, ArrayView1<f64>),
        plan: &LossPlan,
        compute: &Compute,
    ) -> Result<Vec<KernelMachineFit>> {
        let machine = self.request(x.len(), x.size().numbers()).machine(compute)?;
        let targets = y.insert_axis(Axis(1));
        let one = |&lambda: &f64| {
            let fit = CenterMachine { lambda, ..machine.clone() }.fit(x, targets, Some(weights), compute)?;
            Ok(KernelMachineFit {
                loss: self.loss,
                lambda,
                functions: fit.functions().clone(),
                fitted: fit.fitted().column(0).to_owned(),
                evidence: LossEvidence::of_centers(&fit),
                plan: plan.clone(),
                settings: Settings::new(),
            })
        };
        lambdas.iter().map(one).collect()
    }

    fn by_newton(
        &self,
        lambdas: &[f64],
        model: LossTerm<'static>,
        x: Points<'_>,
        bound: &Bound<'_>,
        plan: &LossPlan,
        compute: &Compute,
    ) -> Result<Vec<KernelMachineFit>> {
        let smallest = lambdas.iter().copied().fold(f64::INFINITY, f64::min);
        let problem = Problem::new(model, bound, self.intercept, 2.0 * smallest, plan, compute)?;
        let options = Options { tolerance: self.tolerance, max_iterations: self.max_iterations as usize };
        let penalties: Vec<f64> = lambdas.iter().map(|l| 2.0 * l).collect();
        let solutions = problem.path(&penalties, &options)?;
        let fit = |(solution, &lambda): (super::newton::Solution, &f64)| {
            let evidence = LossEvidence::of_newton(&solution.state, solution.iterations, solution.stopped);
            let fitted = solution.state.values().column(0).to_owned();
            let NewtonState { alpha, intercept, .. } = solution.state;
            let functions = Function::new(bound.kernel().clone(), Sample::kept(x), alpha, intercept)?;
            let (loss, plan, settings) = (self.loss, plan.clone(), Settings::new());
            Ok(KernelMachineFit { loss, lambda, functions, fitted, evidence, plan, settings })
        };
        solutions.into_iter().zip(lambdas).map(fit).collect()
    }

    fn by_dual(
        &self,
        lambda: f64,
        model: &LossTerm<'_>,
        x: Points<'_>,
        bound: &Bound<'_>,
        plan: &LossPlan,
        compute: &Compute,
    ) -> Result<KernelMachineFit> {
        let Some((loss, targets)) = model.single() else {
            return Err(Error::unsupported("dual problem", "a loss of several functions", "", "use Newton's method"));
        };
        let (targets, weights, intercept) = (&targets.to_vec(), &model.weights.to_owned(), self.intercept);
        let data = dual::DualData { loss, targets, weights, lambda, intercept };
        let found = dual::solve(&data, bound, self.tolerance, self.max_iterations, compute)?;
        let functions = Function::new(bound.kernel().clone(), Sample::kept(x), found.alpha, found.intercept)?;
        let (loss, plan, settings) = (self.loss, plan.clone(), Settings::new());
        let (fitted, evidence) = (found.fitted, found.evidence);
        Ok(KernelMachineFit { loss, lambda, functions, fitted, evidence, plan, settings })
    }
}
