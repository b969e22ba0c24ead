//! A ridge fit as named texts and arrays.

use std::sync::OnceLock;

use ndarray::Array1;

use super::null_space::design;
use super::{Diagnostics, RidgeFit, RidgeMethod, RidgePlan, RidgeSolver, check_lambda};
use crate::error::AllowedRange;
use crate::learn::FROM_FILE;
use crate::record::{Record, take_points_or_references};
use crate::settings::Settings;
use crate::{Error, Result};

impl RidgeFit {
    /// The complete record of the fit. A fit on precomputed kernel values needs none of them for
    /// predictions, and leaves them out.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_text("kernel", &self.kernel);
        record.put_text("intercept", self.intercept);
        record.put_number("lambda", self.lambda);
        record.put_points("points", self.points());
        record.put_matrix("dual_coefficients", self.dual.view());
        record.put_matrix("null_coefficients", self.null.view());
        record.put_matrix("fitted", self.fitted.view());
        record.put_matrix("residuals", self.residuals.view());
        record.put_vector("norms", self.norms.view());
        record.put_optional_number("condition", self.condition);
        if self.weights.iter().any(|w| *w != 1.0) {
            record.put_vector("weights", self.weights.view());
        }
        if self.null.nrows() > usize::from(self.intercept) {
            record.put_matrix("unpenalized_functions", self.design.view());
        }
        if let Some(diagnostics) = &self.diagnostics {
            diagnostics.put_into(&mut record);
        }
        if let Some(weights) = &self.feature_weights {
            record.put_matrix("feature_weights", weights.view());
        }
        put_method(self.method, &mut record);
        put_plan(&self.plan, &mut record);
        record
    }

    /// The fit that [`RidgeFit::to_record`] wrote.
    pub(crate) fn from_record(record: &mut Record) -> Result<Self> {
        let kernel = record.kernel()?;
        let lambda = record.number("lambda")?;
        check_lambda(lambda)?;
        let dual = record.take_leading_matrix("dual_coefficients")?;
        let (count, outputs) = dual.dim();
        if count == 0 || outputs == 0 {
            return Err(Error::shape(
                "array `dual_coefficients`",
                "at least one row and one column",
                format!("{:?}", dual.dim()),
            ));
        }
        let points = take_points_or_references(record, "points", kernel.is_precomputed(), count)?;
        let method = take_method(record)?;
        // On centers there are fewer points in the model than rows in the data.
        let fitted = match method {
            RidgeMethod::Centers { .. } => record.take_leading_matrix("fitted")?,
            _ => record.take_matrix("fitted", (count, outputs))?,
        };
        if fitted.ncols() != outputs {
            return Err(Error::shape("columns of the array `fitted`", outputs, fitted.ncols()));
        }
        let n = fitted.nrows();
        let intercept = record.flag("intercept")?;
        let null = record.take_leading_matrix("null_coefficients")?;
        if null.ncols() != outputs || null.nrows() < usize::from(intercept) {
            return Err(Error::shape("shape of the array `null_coefficients`", outputs, format!("{:?}", null.dim())));
        }
        let weights = if record.has("weights") { take_weights(record, n)? } else { Array1::ones(n) };
        let design = if null.nrows() > usize::from(intercept) {
            record.take_finite_matrix("unpenalized_functions", (n, null.nrows()))?
        } else {
            design(n, intercept, None)
        };
        Ok(Self {
            kept: Default::default(),
            lambda,
            intercept,
            points,
            null,
            weights,
            design,
            line: OnceLock::new(),
            feature_weights: match record.has("feature_weights") {
                true => Some(record.take_leading_matrix("feature_weights")?),
                false => None,
            },
            in_features: OnceLock::new(),
            on_grid: OnceLock::new(),
            settings: Settings::new(),
            fitted,
            residuals: record.take_matrix("residuals", (n, outputs))?,
            norms: record.take_vector("norms", outputs)?,
            diagnostics: Diagnostics::take_from(record, n, outputs)?,
            condition: record.optional_number("condition")?,
            method,
            plan: take_plan(record)?,
            kernel,
            dual,
        })
    }
}

fn take_weights(record: &mut Record, n: usize) -> Result<Array1<f64>> {
    let weights = record.take_finite_vector("weights", n)?;
    match weights.iter().find(|w| **w < 0.0) {
        Some(weight) => Err(Error::parameter("weights", weight, AllowedRange::NON_NEGATIVE)),
        None => Ok(weights),
    }
}

impl Diagnostics {
    fn put_into(&self, record: &mut Record) {
        record.put_vector("hat_diagonal", self.hat_diagonal.view());
        record.put_number("degrees_of_freedom", self.degrees_of_freedom);
        record.put_matrix("loo_residuals", self.loo_residuals.view());
        record.put_vector("gcv", self.gcv.view());
    }

    fn take_from(record: &mut Record, n: usize, outputs: usize) -> Result<Option<Self>> {
        if !record.has("hat_diagonal") {
            return Ok(None);
        }
        Ok(Some(Self {
            hat_diagonal: record.take_vector("hat_diagonal", n)?,
            degrees_of_freedom: record.number("degrees_of_freedom")?,
            loo_residuals: record.take_matrix("loo_residuals", (n, outputs))?,
            gcv: record.take_vector("gcv", outputs)?,
        }))
    }
}

fn put_method(method: RidgeMethod, record: &mut Record) {
    record.put_text(
        "method",
        match method {
            RidgeMethod::Cholesky => "cholesky",
            RidgeMethod::Eigen => "eigen",
            RidgeMethod::MinimumNorm { .. } => "minimum_norm",
            RidgeMethod::Mixed { .. } => "mixed",
            RidgeMethod::ConjugateGradients { .. } => "conjugate_gradients",
            RidgeMethod::StateSpace { .. } => "state_space",
            RidgeMethod::FiniteRank { .. } => "finite_rank",
            RidgeMethod::DistinctPoints { .. } => "distinct_points",
            RidgeMethod::Grid { .. } => "grid",
            RidgeMethod::Features { .. } => "features",
            RidgeMethod::Centers { .. } => "centers",
        },
    );
    match method {
        RidgeMethod::Cholesky | RidgeMethod::Eigen => {}
        RidgeMethod::StateSpace { states } => record.put_count("method_states", states),
        RidgeMethod::FiniteRank { features } => record.put_count("method_features", features),
        RidgeMethod::DistinctPoints { points } => record.put_count("method_points", points),
        RidgeMethod::Grid { cells, iterations, residual } => {
            record.put_count("method_cells", cells);
            record.put_count("method_iterations", iterations);
            record.put_number("method_residual", residual);
        }
        RidgeMethod::MinimumNorm { rank, threshold } => {
            record.put_count("method_rank", rank);
            record.put_number("method_threshold", threshold);
        }
        RidgeMethod::Mixed { iterations, residual, rank }
        | RidgeMethod::ConjugateGradients { iterations, residual, rank } => {
            record.put_count("method_iterations", iterations);
            record.put_number("method_residual", residual);
            record.put_count("method_rank", rank);
        }
        RidgeMethod::Features { iterations, residual, features, rank } => {
            record.put_count("method_iterations", iterations);
            record.put_number("method_residual", residual);
            record.put_count("method_features", features);
            record.put_count("method_rank", rank);
        }
        RidgeMethod::Centers { centers, iterations, residual, converged, missed } => {
            record.put_count("method_centers", centers);
            record.put_count("method_iterations", iterations);
            record.put_number("method_residual", residual);
            record.put_text("method_converged", converged);
            record.put_number("method_missed", missed);
        }
    }
}

fn take_method(record: &Record) -> Result<RidgeMethod> {
    Ok(match record.text("method")? {
        "cholesky" => RidgeMethod::Cholesky,
        "eigen" => RidgeMethod::Eigen,
        "finite_rank" => RidgeMethod::FiniteRank { features: record.count("method_features")? },
        "distinct_points" => RidgeMethod::DistinctPoints { points: record.count("method_points")? },
        "grid" => RidgeMethod::Grid {
            cells: record.count("method_cells")?,
            iterations: record.count("method_iterations")?,
            residual: record.number("method_residual")?,
        },
        "state_space" => RidgeMethod::StateSpace { states: record.count("method_states")? },
        "minimum_norm" => RidgeMethod::MinimumNorm {
            rank: record.count("method_rank")?,
            threshold: record.number("method_threshold")?,
        },
        "mixed" => RidgeMethod::Mixed {
            iterations: record.count("method_iterations")?,
            residual: record.number("method_residual")?,
            rank: record.count("method_rank")?,
        },
        "conjugate_gradients" => RidgeMethod::ConjugateGradients {
            iterations: record.count("method_iterations")?,
            residual: record.number("method_residual")?,
            rank: record.count("method_rank")?,
        },
        "features" => RidgeMethod::Features {
            iterations: record.count("method_iterations")?,
            residual: record.number("method_residual")?,
            features: record.count("method_features")?,
            rank: record.count("method_rank")?,
        },
        "centers" => RidgeMethod::Centers {
            centers: record.count("method_centers")?,
            iterations: record.count("method_iterations")?,
            residual: record.number("method_residual")?,
            converged: record.flag("method_converged")?,
            missed: record.number("method_missed")?,
        },
        other => return Err(Error::parameter("method", other, "a method that this version knows")),
    })
}

/// The solvers by the names that files have for them.
const SOLVERS: [(RidgeSolver, &str); 11] = [
    (RidgeSolver::Auto, "auto"),
    (RidgeSolver::Cholesky, "cholesky"),
    (RidgeSolver::Mixed, "mixed"),
    (RidgeSolver::FiniteRank, "finite_rank"),
    (RidgeSolver::DistinctPoints, "distinct_points"),
    (RidgeSolver::Grid, "grid"),
    (RidgeSolver::Eigen, "eigen"),
    (RidgeSolver::ConjugateGradients, "conjugate_gradients"),
    (RidgeSolver::StateSpace, "state_space"),
    (RidgeSolver::Features, "features"),
    (RidgeSolver::Centers, "centers"),
];

/// What the solution depends on. Bytes, time and the reasons for the choice are those of the run:
/// they differ with the number of threads, the memory and the machine, and no file may.
fn put_plan(plan: &RidgePlan, record: &mut Record) {
    let name = SOLVERS.iter().find(|(solver, _)| *solver == plan.solver).map_or("auto", |(_, name)| name);
    record.put_text("plan_solver", name);
    record.put_count("plan_rank", plan.rank);
    record.put_count("plan_centers", plan.centers);
}

fn take_plan(record: &Record) -> Result<RidgePlan> {
    let name = record.text("plan_solver")?;
    let unknown = || Error::parameter("plan_solver", name, "a solver that this version knows");
    let (solver, _) = SOLVERS.iter().find(|(_, known)| *known == name).ok_or_else(unknown)?;
    Ok(RidgePlan {
        solver: *solver,
        bytes: 0,
        flops: 0.0,
        rank: record.count("plan_rank")?,
        centers: if record.has("plan_centers") { record.count("plan_centers")? } else { 0 },
        seconds: None,
        reason: FROM_FILE.into(),
    })
}
