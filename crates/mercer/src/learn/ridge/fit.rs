//! A fitted ridge regression: the functions, and the evidence.

use std::sync::{Arc, OnceLock};

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::finite_rank::FeatureFunction;
use super::problem::{Problem, RidgeData};
use super::solution::{Influence, RidgeMethod, Solution};
use super::{Ridge, RidgePlan};
use crate::compute::filled;
use crate::gram::{self, KeptCenters};
use crate::settings::Settings;
use crate::solve::grid::GridFunction;
use crate::solve::state_space::{LineFunction, ProcessSum, line_function};
use crate::{Compute, Error, Expansion, Kernel, Points, Result, Sample};

/// A fitted [`Ridge`].
#[derive(Clone, Debug)]
pub struct RidgeFit {
    pub(super) kernel: Kernel,
    pub(super) lambda: f64,
    pub(super) intercept: bool,
    pub(super) points: Sample,
    pub(super) dual: Array2<f64>,
    pub(super) null: Array2<f64>,
    pub(super) fitted: Array2<f64>,
    pub(super) residuals: Array2<f64>,
    pub(super) norms: Array1<f64>,
    pub(super) diagnostics: Option<Diagnostics>,
    pub(super) condition: Option<f64>,
    pub(super) method: RidgeMethod,
    pub(super) plan: RidgePlan,
    /// The weights of the data, all ones where there were none.
    pub(super) weights: Array1<f64>,
    /// The unpenalized functions at the data, the intercept first.
    pub(super) design: Array2<f64>,
    /// The functions along the line, for kernels of Markov processes; made when it is first needed.
    pub(super) line: OnceLock<Arc<dyn LineFunction>>,
    /// The weights of the features of a kernel with finitely many: the coefficients of the points give
    /// them with fewer digits.
    pub(super) feature_weights: Option<Array2<f64>>,
    /// The functions in the features, for kernels with finitely many; made when it is first needed.
    pub(super) in_features: OnceLock<Arc<FeatureFunction>>,
    /// The functions at the cells of a grid, where the points are one; made when it is first needed.
    pub(super) on_grid: OnceLock<Arc<GridFunction>>,
    /// The points, bound for prediction.
    pub(super) kept: KeptCenters,
    pub(crate) settings: Settings,
}

/// The influence of each observation on its own fitted value, and diagnostics derived from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostics {
    /// `hᵢ = ∂fitted(xᵢ)/∂yᵢ`: the diagonal of the hat matrix.
    pub hat_diagonal: Array1<f64>,
    /// `tr H = Σhᵢ`, with the unpenalized functions counted.
    pub degrees_of_freedom: f64,
    /// `yᵢ − f₋ᵢ(xᵢ)`, where `f₋ᵢ` was fitted without observation `i`: exact, in closed form. NaN
    /// where the others do not determine the unpenalized part. One column per output.
    pub loo_residuals: Array2<f64>,
    /// Generalized cross-validation `(RSS/n)/(1 − df/n)²` for every output (weighted RSS; rows of
    /// weight 0 do not count), at `λ = 0` its limit.
    pub gcv: Array1<f64>,
}

impl Diagnostics {
    /// The mean square of the leave-one-out residuals, for every output.
    pub fn loo_mean_square(&self) -> Array1<f64> {
        self.loo_residuals.columns().into_iter().map(|c| c.dot(&c) / c.len() as f64).collect()
    }
}

impl RidgeFit {
    pub(super) fn new(
        ridge: &Ridge,
        data: RidgeData<'_>,
        problem: &Problem<'_>,
        solution: Solution,
        plan: RidgePlan,
        compute: &Compute,
    ) -> Result<Self> {
        let roots = problem.roots.view().insert_axis(Axis(1));
        // cᵀSPβ = 0, but only to rounding: what the unpenalized part explains is taken away first.
        let explained = &problem.targets - &(&problem.design.dot(&solution.null) * &roots) - &solution.residual;
        let norms = (&solution.dual * &explained).sum_axis(Axis(0)).mapv(|v| v.max(0.0).sqrt());
        let mut fit = Self {
            kernel: problem.bound.kernel().clone(),
            lambda: ridge.lambda,
            intercept: ridge.intercept,
            points: Sample::kept(data.x),
            dual: &solution.dual * &roots,
            null: solution.null,
            fitted: Array2::zeros((0, 0)),
            residuals: &solution.residual / &roots,
            norms,
            diagnostics: None,
            condition: solution.condition,
            method: solution.method,
            settings: ridge.recorded(plan.solver, compute),
            plan,
            weights: data.weights.map_or_else(|| Array1::ones(data.x.len()), |w| w.to_owned()),
            design: problem.design.clone(),
            line: OnceLock::new(),
            feature_weights: solution.feature_weights,
            in_features: OnceLock::new(),
            on_grid: OnceLock::new(),
            kept: KeptCenters::default(),
        };
        fit.residuals_without_weight(data, problem, compute)?;
        fit.fitted = &data.y - &fit.residuals;
        fit.diagnostics = solution.influence.map(|i| fit.diagnose(i, problem));
        Ok(fit)
    }

    /// The settings of the fit; empty for a fit from a file that does not store them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Points of weight 0 take no part in the fit; their residuals are those of a prediction.
    fn residuals_without_weight(
        &mut self,
        data: RidgeData<'_>,
        problem: &Problem<'_>,
        compute: &Compute,
    ) -> Result<()> {
        let rows: Vec<usize> = (0..problem.rows()).filter(|&i| problem.roots[i] == 0.0).collect();
        if rows.is_empty() {
            return Ok(());
        }
        let all: Vec<usize> = (0..problem.rows()).collect();
        let points = Sample::select_new(data.x, &rows, &all);
        let values =
            self.kernel_part(points.as_points(), compute)? + problem.design.select(Axis(0), &rows).dot(&self.null);
        for (value, &i) in values.rows().into_iter().zip(&rows) {
            self.residuals.row_mut(i).assign(&(&data.y.row(i) - &value));
        }
        Ok(())
    }

    fn diagnose(&self, influence: Influence, problem: &Problem<'_>) -> Diagnostics {
        let mut loo_residuals = influence.leave_one_out / problem.roots.view().insert_axis(Axis(1));
        for i in (0..problem.rows()).filter(|&i| problem.roots[i] == 0.0) {
            loo_residuals.row_mut(i).assign(&self.residuals.row(i));
        }
        let degrees_of_freedom = influence.hat.sum();
        Diagnostics { hat_diagonal: influence.hat, degrees_of_freedom, loo_residuals, gcv: influence.gcv }
    }

    /// `f(x) + b` for every point of `x`, one column per output. For a model on `precomputed()`
    /// values, row `i` of `x` holds the values of the new point `i` with every point of the data.
    ///
    /// # Cost
    /// One kernel value per pair of a row and a point of the data, none of them stored; `O(log n)`
    /// per row along one column for kernels of Markov processes, after `O(n log n)` the first time;
    /// a search per row for cells of the grid of [`RidgeSolver::Grid`](super::RidgeSolver::Grid).
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the model has unpenalized functions beyond the intercept; as
    /// [`Kernel::bind`].
    pub fn predict<'a>(&self, x: impl Into<Points<'a>>, compute: &Compute) -> Result<Array2<f64>> {
        self.predict_with(self.kernel.points(x), None, compute)
    }

    /// `f(x) + b + pᵀβ`, with the unpenalized functions at the rows of `x` in `basis`.
    ///
    /// # Errors
    /// [`Error::Shape`] when the basis has not the size it had in the fit; as [`Kernel::bind`].
    pub fn predict_with_null_space<'a>(
        &self,
        x: impl Into<Points<'a>>,
        basis: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        self.predict_with(self.kernel.points(x), Some(basis), compute)
    }

    fn predict_with(&self, x: Points<'_>, basis: Option<ArrayView2<f64>>, compute: &Compute) -> Result<Array2<f64>> {
        self.check_basis(x.len(), basis)?;
        Ok(self.kernel_part(x, compute)? + super::null_space::design(x.len(), self.intercept, basis).dot(&self.null))
    }

    /// The unpenalized functions beyond the intercept have values at every one of the new points.
    pub(super) fn check_basis(&self, rows: usize, basis: Option<ArrayView2<f64>>) -> Result<()> {
        let functions = self.null.nrows() - usize::from(self.intercept);
        match basis {
            None if functions > 0 => {
                return Err(Error::unsupported(
                    "prediction from points alone",
                    "this model",
                    format!("the model has {functions} unpenalized functions"),
                    "give their values at the new points",
                ));
            }
            Some(basis) if basis.dim() != (rows, functions) => {
                let expected = format!("{rows} × {functions}");
                return Err(Error::shape(
                    "values of the unpenalized functions",
                    expected,
                    format!("{:?}", basis.dim()),
                ));
            }
            _ => {}
        }
        basis.map_or(Ok(()), |basis| Points::Vectors(basis).check_finite("unpenalized functions"))
    }

    fn kernel_part(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        if let (Sample::Vectors(points), Points::Vectors(x)) = (&self.points, x)
            && let Some(process_sum) = ProcessSum::of(&self.kernel, points.ncols())
        {
            return self.along_line(&process_sum, points, x, compute);
        }
        if let (RidgeMethod::FiniteRank { .. }, Sample::Vectors(points), Points::Vectors(x)) =
            (self.method, &self.points, x)
        {
            return self.by_features(points, x, compute);
        }
        if let (RidgeMethod::Grid { .. }, Points::Vectors(x)) = (self.method, x) {
            return self.by_grid(x, compute);
        }
        self.by_pairs(x, compute)
    }

    fn by_pairs(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let bound = self.kept.bind(&self.kernel, x.reborrow(), &self.points, compute)?;
        gram::multiply(&bound, self.dual.view(), compute)
    }

    /// The same sums by Fourier transforms at cells of the grid, and pair by pair elsewhere.
    fn by_grid(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        crate::learn::observations::check_points(&self.kernel, self.points().columns(), x)?;
        let function = match self.on_grid.get() {
            Some(function) => function.clone(),
            None => match GridFunction::new(&self.kernel, self.points(), self.dual.view(), compute)? {
                Some(made) => filled(&self.on_grid, || Arc::new(made)).clone(),
                None => return self.by_pairs(Points::Vectors(x), compute),
            },
        };
        function.values(x, |others| self.by_pairs(others, compute))
    }

    /// The same sums from the features of every point.
    fn by_features(&self, points: &Array2<f64>, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        crate::learn::observations::check_points(&self.kernel, points.ncols(), x)?;
        let function = match self.in_features.get() {
            Some(function) => function.clone(),
            None => {
                let made = match &self.feature_weights {
                    Some(weights) => FeatureFunction::with_weights(&self.kernel, points.ncols(), weights.clone())?,
                    None => {
                        FeatureFunction::new(&self.kernel, points.view(), self.dual.view(), self.intercept, compute)?
                    }
                };
                filled(&self.in_features, || Arc::new(made)).clone()
            }
        };
        function.values(x, compute)
    }

    /// The same sums from the states on both sides of every point, for kernels of Markov processes.
    fn along_line(
        &self,
        process_sum: &ProcessSum,
        points: &Array2<f64>,
        x: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        crate::learn::observations::check_points(&self.kernel, points.ncols(), x)?;
        let make = || line_function(process_sum, points.column(process_sum.column()), self.dual.view());
        let line = filled(&self.line, make);
        Ok(compute.install(|| line.values(x.column(process_sum.column()))))
    }

    /// The part of one output that lies in ℋ, as a function.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such output.
    pub fn function(&self, output: usize, compute: &Compute) -> Result<Expansion> {
        if output >= self.dual.ncols() {
            return Err(Error::parameter("output", output, ..self.dual.ncols()));
        }
        Expansion::new(&self.kernel, self.points(), self.dual.column(output), compute)
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// The points of the data: the centers of the functions.
    pub fn points(&self) -> Points<'_> {
        self.points.as_points()
    }

    /// `α`, one row per point, one column per output.
    pub fn dual_coefficients(&self) -> ArrayView2<'_, f64> {
        self.dual.view()
    }

    /// `β`: the intercept first where there is one, then the unpenalized functions in order; one
    /// column per output.
    pub fn null_coefficients(&self) -> ArrayView2<'_, f64> {
        self.null.view()
    }

    /// The intercept of every output, where one was fitted.
    pub fn intercept(&self) -> Option<ArrayView1<'_, f64>> {
        self.intercept.then(|| self.null.row(0))
    }

    /// The fitted values, one column per output.
    pub fn fitted(&self) -> ArrayView2<'_, f64> {
        self.fitted.view()
    }

    /// `y − fitted`, as `λW⁻¹α` and not by subtraction.
    pub fn residuals(&self) -> ArrayView2<'_, f64> {
        self.residuals.view()
    }

    /// `‖f‖` for every output.
    pub fn norms(&self) -> ArrayView1<'_, f64> {
        self.norms.view()
    }

    /// The hat diagonal, leave-one-out residuals and GCV; absent when not requested, and after
    /// conjugate gradients.
    pub fn diagnostics(&self) -> Option<&Diagnostics> {
        self.diagnostics.as_ref()
    }

    /// An estimate of the condition number of the system; absent after conjugate gradients and
    /// along a line.
    pub fn condition(&self) -> Option<f64> {
        self.condition
    }

    /// How the solution was found.
    pub fn method(&self) -> RidgeMethod {
        self.method
    }

    /// The plan that was made before the work.
    pub fn plan(&self) -> &RidgePlan {
        &self.plan
    }
}
