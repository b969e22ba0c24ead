//! `mercer fit gp --centers M`: a Gaussian process through inducing points.

use mercer::Result;
use mercer::learn::gaussian_process::sparse::Approximation;
use mercer::learn::{GaussianProcess, SparseGaussianProcess, SparseGaussianProcessFit};
use mercer::model::Model;
use mercer::points::Affine;
use ndarray::ArrayView1;
use serde_json::{Map, Value, json};

use super::{Outcome, Quality, Training};
use crate::arguments::GpArguments;
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, short};
use crate::session::Session;

/// The process of the largest likelihood (or bound) among those with these settings, on all rows.
pub fn fit(
    processes: Vec<GaussianProcess>,
    centers: usize,
    words: &GpArguments,
    training: Training,
    map: Affine,
    session: &Session,
) -> Result<Outcome, Failure> {
    let y = training.y.column(0);
    let mut best: Option<SparseGaussianProcessFit> = None;
    session.anytime(|compute| {
        for process in processes {
            let spec = sparse(process, centers, words);
            match spec.fit(training.points().vectors()?, y, compute) {
                Ok(fit)
                    if best.as_ref().is_none_or(|b| fit.log_marginal_likelihood() > b.log_marginal_likelihood()) =>
                {
                    best = Some(fit);
                }
                Ok(_) => {}
                // The time limit: the best of those that were tried.
                Err(mercer::Error::Canceled) if best.is_some() => break,
                Err(other) => return Err(other),
            }
        }
        Ok(())
    })?;
    let best = best.ok_or_else(|| Failure::request("--kernel: no kernel to compare"))?;
    let mean = best.predict(training.points().vectors()?, &session.compute)?.mean;
    let residuals = (&y - &mean) * map.scale;
    let observed = y.mapv(|v| map.shift + map.scale * v);
    outcome(best, training, map, observed.view(), residuals.view())
}

/// A process through inducing points with the settings of another one.
pub fn sparse(process: GaussianProcess, centers: usize, words: &GpArguments) -> SparseGaussianProcess {
    let GaussianProcess { kernel, noise, optimize, fixed, free, restarts, .. } = process;
    let base = SparseGaussianProcess::new(kernel, noise, words.inducing.select(centers));
    let (approximation, move_inducing) = (words.approximation.into(), words.move_inducing);
    SparseGaussianProcess { approximation, optimize, move_inducing, fixed, free, restarts, ..base }
}

fn outcome(
    fit: SparseGaussianProcessFit,
    training: Training,
    map: Affine,
    observed: ArrayView1<f64>,
    residuals: ArrayView1<f64>,
) -> Result<Outcome, Failure> {
    let quality = vec![Quality::new(&training.targets[0], observed, residuals, None)];
    let mut remarks = Vec::from_iter(
        (!fit.dropped().is_empty())
            .then(|| format!("{} centers were dropped: they depend linearly on the others.", fit.dropped().len())),
    );
    if fit.optimization().is_some_and(|found| found.interrupted) {
        remarks.push("--budget-time ended the optimization: the best parameters so far are used.".into());
    }
    let (facts, json) = (facts(&fit, map), json_of(&fit, map));
    let model = Model::new(fit, training.inputs.clone())?.with_note("command", "mercer fit gp");
    let figures = Vec::new();
    Ok(Outcome {
        learner: "gp",
        training,
        model,
        quality,
        class_quality: None,
        tables: Vec::new(),
        facts,
        json,
        choice: None,
        figures,
        remarks,
    })
}

fn facts(fit: &SparseGaussianProcessFit, map: Affine) -> Vec<(&'static str, String)> {
    let bound = if fit.approximation() == Approximation::Variational {
        "bound of the log likelihood"
    } else {
        "log likelihood"
    };
    let mut facts = vec![
        ("kernel", fit.kernel().short()),
        ("noise variance", short(fit.noise())),
        ("centers", format!("{}, {}", grouped(fit.inducing().nrows() as u64), name(fit.approximation()))),
        (bound, short(fit.log_marginal_likelihood())),
        ("residual variance", short(fit.trace_left())),
    ];
    if map != Affine::IDENTITY {
        facts.push(("target", format!("fitted as (y − {})/{}", short(map.shift), short(map.scale))));
    }
    facts
}

fn name(approximation: Approximation) -> &'static str {
    match approximation {
        Approximation::Sor => "subset of regressors",
        Approximation::Dtc => "deterministic training conditional",
        Approximation::Fitc => "fully independent training conditional",
        Approximation::Variational => "variational",
    }
}

fn json_of(fit: &SparseGaussianProcessFit, map: Affine) -> Map<String, Value> {
    let pairs = [
        ("kernel", json!(fit.kernel().to_string())),
        ("noise", number(fit.noise())),
        ("centers", json!(fit.inducing().nrows())),
        ("approximation", json!(name(fit.approximation()))),
        ("target_shift", number(map.shift)),
        ("target_scale", number(map.scale)),
        ("log_marginal_likelihood", number(fit.log_marginal_likelihood())),
        ("trace_left", number(fit.trace_left())),
        ("converged", fit.optimization().map_or(Value::Null, |o| o.converged.into())),
        ("parameter_names", json!(fit.parameter_names())),
    ];
    pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
}
