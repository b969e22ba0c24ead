//! The specification of a logistic regression, and its fit.

use ndarray::{Array1, Array2, ArrayView1};

use super::fit::Made;
use super::{LogisticFit, LossPlan, LossSolver};
use crate::error::AllowedRange;
use crate::learn::centers::Centers;
use crate::learn::loss::{Loss, LossTerm};
use crate::learn::machine::bind;
use crate::learn::machine::newton::{Options, Problem, Request};
use crate::learn::observations::{check_options, check_penalty, weights};
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result};

/// Kernel logistic regression for two or more classes.
///
/// # Formula
/// Two classes, `y = −1` for class 0 and `1` for class 1:
/// `min Σ wᵢ log(1 + exp(−yᵢf(xᵢ))) + (λ/2)‖h‖²` over `f = h + b`. More:
/// `min −Σ wᵢ log softmax(f(xᵢ))_{yᵢ} + (λ/2) Σ_c ‖h_c‖²` over one `f_c = h_c + b_c` per class.
/// Sums, without `1/n`; the intercepts are not penalized, those of several classes have sum 0.
///
/// # Theory
/// `λαᵢ = wᵢyᵢ P(−yᵢ | xᵢ)`, for several classes `λA_{ic} = wᵢ(1[yᵢ = c] − P(c | xᵢ))`; with an
/// intercept the mean probability of each class on the data is its share: the fit is calibrated in
/// the large. The dual problem maximizes the entropy of these probabilities less `(λ/2)αᵀKα`. For
/// separable data the minimum exists because `λ > 0`. Two classes by one function `f` are softmax
/// with `f_1 − f_0 = f` and twice the λ.
///
/// # Cost
/// Some eight Newton steps: `n³/3` each up to 3000 rows (1200 over the number of classes, for
/// several), products with `K` beyond; [`LogisticRegression::plan`] reports the cost in advance.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::LogisticRegression};
/// use ndarray::array;
/// let compute = Compute::new();
/// let spec = LogisticRegression::new("linear()".parse()?, 1.0);
/// let fit = spec.fit(array![[-1.0], [1.0]].view(), &[0, 1], None, &compute)?;
/// // f(x) = ax with a = 2σ(−a), b = 0 by symmetry.
/// let a = fit.decision(array![[1.0]].view(), &compute)?[[0, 0]];
/// mercer::assert_close!(a, 2.0 / (1.0 + a.exp()), abs = 1e-12);
/// assert!(fit.evidence().gap < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LogisticRegression {
    /// The kernel.
    pub kernel: Kernel,
    /// `λ > 0`, half of which multiplies the squared norm beside a sum (not a mean) of losses.
    pub lambda: f64,
    /// Whether each function has an unpenalized constant.
    pub intercept: bool,
    /// A factor for the weights of every class, in the order of the classes; all 1 when absent.
    pub class_weights: Option<Vec<f64>>,
    /// How the problem is solved; never [`LossSolver::Dual`].
    pub solver: LossSolver,
    /// The centers of [`LossSolver::Centers`]; if they are set, [`LossSolver::Auto`] uses them.
    /// They have a tolerance and a number of iterations of their own.
    pub centers: Option<Centers>,
    /// Stop when the gap is at most this part of the loss of the zero function. The gap is
    /// `(λ/2)‖h − h⁺‖²` with a feasible `h⁺` and is computed as this square: `1e-20` gives ten
    /// digits of `h`. One more Newton step is made when it is met, which squares the error: `1e-12`
    /// gives some twelve digits.
    pub tolerance: f64,
    /// Newton steps.
    pub max_iterations: u64,
    /// Whether to estimate, from the last Newton step, what each point's decision would be without
    /// it: for two classes and exact steps.
    pub leave_one_out: bool,
}

impl LogisticRegression {
    /// With an intercept, an automatic choice of the solver, ten digits.
    pub fn new(kernel: Kernel, lambda: f64) -> Self {
        Self {
            kernel,
            lambda,
            intercept: true,
            class_weights: None,
            solver: LossSolver::Auto,
            centers: None,
            tolerance: 1e-20,
            max_iterations: 200,
            leave_one_out: false,
        }
    }

    /// The plan for `rows` points of `columns` numbers in `classes` classes: what
    /// [`LogisticRegression::fit`] will run.
    ///
    /// # Errors
    /// [`Error::Memory`] when nothing fits into the memory limit, [`Error::Unsupported`] for
    /// [`LossSolver::Dual`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, learn::{LogisticRegression, logistic::LossSolver}};
    /// let spec = LogisticRegression::new("gaussian()".parse()?, 0.1);
    /// let compute = Compute::new().with_memory(1 << 30);
    /// assert_eq!(spec.plan(1000, 8, 2, &compute)?.solver, LossSolver::Newton);
    /// assert_eq!(spec.plan(50_000, 8, 2, &compute)?.solver, LossSolver::NewtonConjugateGradients);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn plan(&self, rows: usize, columns: usize, classes: usize, compute: &Compute) -> Result<LossPlan> {
        if self.solver == LossSolver::Dual {
            return Err(Error::unsupported("dual problem", "the logistic loss", "it is smooth", "use Newton's method"));
        }
        self.request(rows, columns, classes, self.lambda).plan(compute)
    }

    fn request(&self, rows: usize, columns: usize, classes: usize, lambda: f64) -> Request<'_> {
        let centers = self.centers.clone().unwrap_or_default();
        // The kernel machine penalizes by λ‖h‖², and not half of it.
        let machine = centers.machine(&self.kernel, Loss::Logistic, 0.5 * lambda, self.intercept);
        let machine = (!self.kernel.is_precomputed()).then_some(machine);
        let functions = if classes > 2 { classes } else { 1 };
        Request { rows, columns, functions, solver: self.solver, centers: (self.centers.as_ref(), machine) }
    }

    /// Fits the classes `0, 1, …` of the rows of `x`; every number up to the largest must occur
    /// with a positive weight. With a kernel over `precomputed()`, `x` is the matrix of kernel
    /// values.
    ///
    /// A fit that was canceled, or ran out of steps, returns a valid model with its duality gap:
    /// see [`LossEvidence::stopped`](super::LossEvidence::stopped).
    ///
    /// # Errors
    /// [`Error::Parameter`] unless λ > 0; [`Error::Shape`] and [`Error::Value`] for data that does
    /// not fit; [`Error::OneClass`] or [`Error::EmptyClass`] for a single class or one without
    /// weight; [`Error::NotPositiveDefinite`], [`Error::Memory`], [`Error::Canceled`]; and as
    /// [`Kernel::bind`].
    pub fn fit<'x>(
        &self,
        x: impl Into<Points<'x>>,
        labels: &[usize],
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<LogisticFit> {
        let x = self.kernel.points(x);
        let mut fits = self.path(&[self.lambda], x, labels, weights, compute)?;
        fits.pop().ok_or_else(|| Error::too_few("a path", "values of lambda", 1, 0))
    }

    /// Fits every λ of a list, in its order: each fit begins where the last one ended, and the
    /// kernel matrix is made once.
    ///
    /// # Errors
    /// As [`LogisticRegression::fit`].
    pub fn path<'x>(
        &self,
        lambdas: &[f64],
        x: impl Into<Points<'x>>,
        labels: &[usize],
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<Vec<LogisticFit>> {
        let x = self.kernel.points(x);
        lambdas.iter().try_for_each(|&lambda| check_penalty(lambda))?;
        check_options(self.tolerance, self.max_iterations)?;
        let (model, classes) = self.model(x.len(), labels, weights)?;
        let plan = self.plan(x.len(), x.size().numbers(), classes, compute)?;
        if plan.solver == LossSolver::Centers {
            let one =
                |&lambda: &f64| self.on_centers(lambda, x, (labels, classes), model.weights.view(), &plan, compute);
            return lambdas.iter().map(one).collect();
        }
        let bound = bind(&self.kernel, x, compute)?;
        let smallest = lambdas.iter().copied().fold(f64::INFINITY, f64::min);
        let problem = Problem::new(model, &bound, self.intercept, smallest, &plan, compute)?;
        let options = Options { tolerance: self.tolerance, max_iterations: self.max_iterations as usize };
        let solutions = problem.path(lambdas, &options)?;
        let made = Made {
            spec: self,
            problem: &problem,
            kernel: bound.kernel(),
            x: x.reborrow(),
            classes,
            plan: &plan,
            compute,
        };
        solutions.into_iter().zip(lambdas).map(|(solution, &lambda)| made.fit(solution, lambda)).collect()
    }

    fn on_centers(
        &self,
        lambda: f64,
        x: Points<'_>,
        (labels, classes): (&[usize], usize),
        weights: ArrayView1<f64>,
        plan: &LossPlan,
        compute: &Compute,
    ) -> Result<LogisticFit> {
        let machine = self.request(x.len(), x.size().numbers(), classes, lambda).machine(compute)?;
        let fit = if classes == 2 {
            let sides = Array2::from_shape_fn((labels.len(), 1), |(i, _)| if labels[i] == 1 { 1.0 } else { -1.0 });
            machine.fit(x, sides.view(), Some(weights), compute)?
        } else {
            machine.fit_classes(x, labels, classes, weights, compute)?
        };
        let settings = Self { lambda, ..self.clone() }.settings().with("seed", compute.seed());
        Ok(LogisticFit::of_centers(&fit, settings, lambda, classes, plan.clone()))
    }

    /// The settings by name: `kernel`, `lambda`, `intercept`, `class_weights`, `solver`,
    /// `tolerance`, `max_iterations`, `leave_one_out`, and those of the centers.
    pub fn settings(&self) -> Settings {
        Settings::new()
            .with("kernel", &self.kernel)
            .with("lambda", self.lambda)
            .with("intercept", self.intercept)
            .with_some("class_weights", self.class_weights.as_deref())
            .with("solver", self.solver.name())
            .with("tolerance", self.tolerance)
            .with("max_iterations", self.max_iterations)
            .with("leave_one_out", self.leave_one_out)
            .with_centers(self.centers.as_ref())
    }

    fn model(
        &self,
        rows: usize,
        labels: &[usize],
        sample_weights: Option<ArrayView1<f64>>,
    ) -> Result<(LossTerm<'static>, usize)> {
        if labels.len() != rows {
            return Err(Error::shape("labels", format!("one per row ({rows})"), labels.len()));
        }
        let classes = labels.iter().max().map_or(0, |m| m + 1);
        let weights = self.weights(labels, classes, sample_weights)?;
        check_classes(labels, classes, &weights)?;
        let term = if classes == 2 {
            let signs = Array2::from_shape_fn((rows, 1), |(i, _)| if labels[i] == 1 { 1.0 } else { -1.0 });
            LossTerm::of_values(Loss::Logistic, signs, weights)
        } else {
            LossTerm::of_classes(labels.to_vec(), classes, weights)
        };
        Ok((term, classes))
    }

    /// The weight of every row, times that of its class.
    fn weights(
        &self,
        labels: &[usize],
        classes: usize,
        sample_weights: Option<ArrayView1<f64>>,
    ) -> Result<Array1<f64>> {
        let mut all = weights(sample_weights, labels.len())?;
        let Some(factors) = &self.class_weights else { return Ok(all) };
        if factors.len() != classes {
            return Err(Error::shape("class weights", format!("one per class ({classes})"), factors.len()));
        }
        if let Some(bad) = factors.iter().find(|f| !(f.is_finite() && **f > 0.0)) {
            return Err(Error::parameter("class_weights", bad, AllowedRange::POSITIVE));
        }
        all.iter_mut().zip(labels).for_each(|(w, &c)| *w *= factors[c]);
        Ok(all)
    }
}

/// Two classes at least, each with a point that counts.
fn check_classes(labels: &[usize], classes: usize, weights: &Array1<f64>) -> Result<()> {
    if labels.is_empty() {
        return Err(Error::too_few("a fit", "rows of the data", 1, 0));
    }
    let counted: Vec<usize> = labels.iter().zip(weights).filter(|(_, w)| **w > 0.0).map(|(&c, _)| c).collect();
    if counted.iter().all(|c| Some(c) == counted.first()) {
        return Err(Error::OneClass { class: None });
    }
    let mut sorted = counted;
    sorted.sort_unstable();
    sorted.dedup();
    match (0..classes).zip(sorted.iter().map(Some).chain(std::iter::repeat(None))).find(|(c, seen)| *seen != Some(c)) {
        Some((c, _)) => Err(Error::EmptyClass { class: c.to_string(), outside_fold: None }),
        None => Ok(()),
    }
}
