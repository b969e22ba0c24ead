//! `mercer fit ridge`.

use mercer::learn::centers::Centers;
use mercer::learn::ridge::{RidgeMethod, RidgePlan};
use mercer::learn::{Ridge, RidgeFit};
use mercer::model::Model;
use mercer::points::Scaling;
use mercer::select::RidgeSearch;
use mercer::{Compute, Kernel, Result};
use serde_json::{Map, Value, json};

use super::choice::{self, Choice};
use super::{Outcome, Quality, Training};
use crate::arguments::{RidgeArguments, SolverWord};
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, short};
use crate::session::Session;

/// The kernels of `--kernel auto`.
const AUTO: [&str; 2] = ["gaussian()", "matern(nu=3/2)"];

/// Runs the command.
pub fn fit(words: &RidgeArguments, session: &Session) -> Result<Outcome, Failure> {
    let training = read(words, session)?;
    let spec = specification(words, &training)?;
    let (fit, choice) = match spec {
        Specification::Fixed(ridge) => (on_all_rows(&ridge, &training, &session.compute)?, None),
        Specification::Search(search) => {
            let rows = choice::rows(&training, words.sample, session);
            let search = with_lengthscales(search, words, &training, &rows, &session.compute)?;
            let (winner, choice) = choice::search(&search, &training, &rows, session)?;
            let base = regression(words, winner.kernel.clone(), winner.lambda);
            (on_all_rows(&base, &training, &session.compute_rest())?, Some(choice))
        }
    };
    outcome("ridge", fit, training, choice)
}

/// The data, scaled where the kernel is chosen.
pub fn read(words: &RidgeArguments, session: &Session) -> Result<Training, Failure> {
    let default = if words.explicit_kernel().is_some() { Scaling::None } else { Scaling::Standardize };
    Training::read(&words.training, words.weights.as_deref(), words.explicit_kernel(), default, session)
}

/// A ridge regression that is given whole, or one that is to be chosen.
pub enum Specification {
    /// The kernel and λ are given.
    Fixed(Ridge),
    /// Something is to be chosen.
    Search(RidgeSearch),
}

/// The specification from the arguments.
pub fn specification(words: &RidgeArguments, training: &Training) -> Result<Specification, Failure> {
    let kernels = match words.explicit_kernel() {
        Some(text) => vec![training.kernel(text)?],
        None if training.has_objects() => training.object_kernels()?,
        None => AUTO.iter().map(|text| text.parse()).collect::<Result<Vec<Kernel>>>()?,
    };
    if let (Some(lambda), Some(_), true) = (words.lambda, words.explicit_kernel(), words.lengthscales.is_empty()) {
        return Ok(Specification::Fixed(regression(words, kernels[0].clone(), lambda)));
    }
    let mut search = RidgeSearch {
        criterion: words.cv,
        intercept: words.with_intercept(),
        screening: !words.no_screening,
        indefinite: words.indefinite,
        ..RidgeSearch::new(kernels)
    };
    if let Some(lambda) = words.lambda {
        search.lambdas = vec![lambda];
    } else if !words.lambdas.is_empty() {
        search.lambdas = words.lambdas.clone();
    }
    Ok(Specification::Search(search))
}

/// The regression from the arguments, with this kernel and λ.
pub fn regression(words: &RidgeArguments, kernel: Kernel, lambda: f64) -> Ridge {
    let plain = Ridge::new(kernel, lambda);
    Ridge {
        intercept: words.with_intercept(),
        solver: words.solver.into(),
        centers: centers(words),
        diagnostics: !words.no_diagnostics,
        indefinite: words.indefinite,
        tolerance: words.tol.unwrap_or(plain.tolerance),
        ..plain
    }
}

/// The centers from the arguments.
pub fn centers(words: &RidgeArguments) -> Option<Centers> {
    words.centers.centers(words.solver == SolverWord::Centers)
}

/// The lengthscales requested, or those around the median distance.
pub fn with_lengthscales(
    search: RidgeSearch,
    words: &RidgeArguments,
    training: &Training,
    rows: &[usize],
    compute: &Compute,
) -> Result<RidgeSearch> {
    if !words.lengthscales.is_empty() {
        return Ok(RidgeSearch { lengthscales: words.lengthscales.clone(), ..search });
    }
    if words.explicit_kernel().is_some() || training.has_objects() {
        return Ok(search);
    }
    let search = search.around_median(&training.x.taken(rows), compute)?;
    // A list of λ is a list to choose from.
    Ok(if words.lambdas.is_empty() { search } else { RidgeSearch { refinements: 0, ..search } })
}

/// A regression on all rows.
pub fn on_all_rows(ridge: &Ridge, training: &Training, compute: &Compute) -> Result<RidgeFit> {
    ridge.fit(training.points(), training.y.view(), training.weights.as_ref().map(|w| w.view()), compute)
}

/// The report of a ridge fit.
pub fn outcome(
    learner: &'static str,
    fit: RidgeFit,
    training: Training,
    choice: Option<Choice>,
) -> Result<Outcome, Failure> {
    let quality = training
        .targets
        .iter()
        .enumerate()
        .map(|(j, name)| {
            let loo = fit.diagnostics().map(|d| d.loo_residuals.column(j));
            Quality::new(name, training.y.column(j), fit.residuals().column(j), loo)
        })
        .collect();
    let mut remarks = Vec::new();
    if let RidgeMethod::MinimumNorm { rank, threshold } = fit.method() {
        let condition = fit.condition().map_or(String::new(), |c| format!(" (condition about {})", short(c)));
        remarks.push(format!(
            "K + λI is singular to working precision{condition}: eigenvalues below {} count as 0, {rank} of {} directions \
             remain, and the least-squares function of least norm was taken. A larger λ avoids this.",
            short(threshold),
            training.rows()
        ));
    }
    if let RidgeMethod::Centers { converged: false, residual, .. } = fit.method() {
        remarks.push(format!(
            "The iteration stopped at the relative residual {}: raise --center-iter for more.",
            short(residual)
        ));
    }
    let (facts, json) = (facts(&fit), json_of(&fit));
    let model = Model::new(fit, training.inputs.clone())?.with_note("command", format!("mercer fit {learner}"));
    let figures = Vec::new();
    Ok(Outcome {
        learner,
        training,
        model,
        quality,
        class_quality: None,
        tables: Vec::new(),
        facts,
        json,
        choice,
        figures,
        remarks,
    })
}

fn facts(fit: &RidgeFit) -> Vec<(&'static str, String)> {
    let list = |values: ndarray::ArrayView1<f64>| values.iter().map(|&v| short(v)).collect::<Vec<_>>().join(", ");
    let mut facts = vec![("kernel", fit.kernel().short()), ("λ", short(fit.lambda()))];
    facts.extend(fit.intercept().map(|b| ("intercept", list(b))));
    facts.extend(fit.diagnostics().map(|d| ("degrees of freedom", short(d.degrees_of_freedom))));
    facts.push(("norm of f", list(fit.norms())));
    facts.extend(fit.condition().map(|c| ("condition of K + λI", format!("about {}", short(c)))));
    facts.push(("solved by", method(fit.method())));
    facts.push(("plan", ran(fit.plan().solver, &fit.plan().reason, fit.plan().approximation())));
    facts
}

fn method(method: RidgeMethod) -> String {
    match method {
        RidgeMethod::Cholesky => "Cholesky".into(),
        RidgeMethod::Eigen => "eigendecomposition".into(),
        RidgeMethod::StateSpace { states } => format!("a state space of {states} dimensions, in linear time"),
        RidgeMethod::FiniteRank { features } => format!("finitely many features ({features})"),
        RidgeMethod::DistinctPoints { points } => format!("Cholesky on {} distinct points", grouped(points as u64)),
        RidgeMethod::Grid { cells, iterations, residual } => format!(
            "a grid of {} cells, {iterations} conjugate gradients (residual {})",
            grouped(cells as u64),
            short(residual)
        ),
        RidgeMethod::MinimumNorm { rank, .. } => format!("the minimum-norm solution, rank {rank}"),
        RidgeMethod::Mixed { iterations, residual, rank } => {
            let residual = short(residual);
            format!("a factor of rank {rank} in single precision and {iterations} refinements (residual {residual})")
        }
        RidgeMethod::ConjugateGradients { iterations, residual, rank } => {
            format!("{iterations} conjugate gradients (residual {}, preconditioner of rank {rank})", short(residual))
        }
        RidgeMethod::Centers { centers, iterations, residual, missed, .. } => format!(
            "{iterations} conjugate gradients on {} centers (residual {}); the centers miss {} % of the kernel's trace",
            grouped(centers as u64),
            short(residual),
            short(100.0 * missed)
        ),
        RidgeMethod::Features { iterations, residual, features, rank } => format!(
            "{iterations} conjugate gradients on {} explicit features (residual {}, preconditioner of {} features)",
            grouped(features as u64),
            short(residual),
            grouped(rank as u64)
        ),
        other => format!("{other:?}"),
    }
}

fn json_of(fit: &RidgeFit) -> Map<String, Value> {
    let list = |values: ndarray::ArrayView1<f64>| values.iter().map(|&v| number(v)).collect::<Value>();
    let pairs = [
        ("kernel", json!(fit.kernel().to_string())),
        ("lambda", number(fit.lambda())),
        ("intercept", fit.intercept().map_or(Value::Null, list)),
        ("degrees_of_freedom", fit.diagnostics().map_or(Value::Null, |d| number(d.degrees_of_freedom))),
        ("gcv", fit.diagnostics().map_or(Value::Null, |d| list(d.gcv.view()))),
        ("norm", list(fit.norms())),
        ("condition", fit.condition().map_or(Value::Null, number)),
        ("method", json!(method(fit.method()))),
        ("plan", without_run(plan_json(fit.plan()))),
    ];
    pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
}

/// What was run and why: without bytes and seconds, which differ with the number of threads and the
/// machine (`mercer explain` prints them).
pub fn ran(solver: impl std::fmt::Display, reason: &str, approximation: Option<String>) -> String {
    let more = approximation.map_or_else(String::new, |text| format!("; an approximation: {text}"));
    format!("{solver}; {reason}{more}")
}

/// The plan of a fit that is done, without what it took.
fn without_run(mut plan: Value) -> Value {
    for name in ["bytes", "seconds"] {
        plan.as_object_mut().map(|plan| plan.shift_remove(name));
    }
    plan
}

/// A plan for programs.
pub fn plan_json(plan: &RidgePlan) -> Value {
    json!({
        "solver": plan.solver.to_string(),
        "bytes": plan.bytes,
        "flops": number(plan.flops),
        "rank": plan.rank,
        "centers": plan.centers,
        "seconds": plan.seconds.map_or(Value::Null, number),
        "approximation": plan.approximation(),
        "reason": plan.reason,
    })
}
