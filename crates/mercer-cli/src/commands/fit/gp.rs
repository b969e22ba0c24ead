//! `mercer fit gp`.

use mercer::learn::gaussian_process::Optimization;
use mercer::learn::{GaussianProcess, GaussianProcessFit};
use mercer::model::Model;
use mercer::points::{Affine, Scaling};
use mercer::{Compute, Kernel, Points, Result};
use ndarray::{Array1, ArrayView1, Axis};
use serde_json::{Map, Value, json};

use super::{Outcome, Quality, Training, sparse};
use crate::arguments::{GpArguments, TargetScale};
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, short};
use crate::session::Session;

/// The kernels of `--kernel auto`.
const AUTO: [&str; 3] =
    ["1*gaussian(lengthscale=median)", "1*matern(nu=5/2, lengthscale=median)", "1*matern(nu=3/2, lengthscale=median)"];

/// Runs the command.
pub fn fit(words: &GpArguments, session: &Session) -> Result<Outcome, Failure> {
    let mut training = read(words, session)?;
    let y = training.only_target("gp")?;
    let map = target_map(words.target_scale(), y.view());
    if map != Affine::IDENTITY {
        training.scale_target(map);
    }
    let y = training.y.column(0).to_owned();
    let processes = processes(words, &training)?;
    if let Some(centers) = words.centers {
        return sparse::fit(processes, centers, words.approximation, training, map, session);
    }
    let chosen = session.anytime(|compute| choose(&processes, words, &training, y.view(), session, compute))?;
    let chosen = on_all_rows(chosen, &training, y.view(), &session.compute)?;
    outcome(words, chosen, training, y, map, &session.compute)
}

/// The data, scaled where the kernel is chosen.
pub fn read(words: &GpArguments, session: &Session) -> Result<Training, Failure> {
    let default = if words.explicit_kernel().is_some() { Scaling::None } else { Scaling::Standardize };
    Training::read(&words.training, None, words.explicit_kernel(), default, session)
}

fn target_map(rule: TargetScale, y: ArrayView1<f64>) -> Affine {
    let mean = y.sum() / y.len() as f64;
    let sd = (y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / y.len() as f64).sqrt();
    match rule {
        TargetScale::None => Affine::IDENTITY,
        TargetScale::Center => Affine { shift: mean, scale: 1.0 },
        TargetScale::Standard => Affine { shift: mean, scale: if sd > 0.0 { sd } else { 1.0 } },
    }
}

/// The processes to try.
fn processes(words: &GpArguments, training: &Training) -> Result<Vec<GaussianProcess>> {
    let kernels = match words.explicit_kernel() {
        Some(text) => vec![training.kernel(text)?],
        None if training.has_objects() => {
            training.object_kernels()?.into_iter().map(|kernel| kernel.scaled(1.0)).collect::<Result<_>>()?
        }
        None => AUTO.iter().map(|text| text.parse()).collect::<Result<_>>()?,
    };
    let process = |kernel: Kernel| {
        let mut process = GaussianProcess::new(kernel, words.noise);
        process.optimize = !words.no_optimize;
        process.restarts = words.restarts;
        let names = |list: &[String]| list.iter().map(|name| name.trim().to_owned()).collect();
        (process.fixed, process.free) = (names(&words.fixed), names(&words.free));
        process
    };
    Ok(kernels.into_iter().map(process).collect())
}

/// The noise variances that are tried for targets of variance 1 where the matrix of all rows is
/// singular: above the first there are digits left, beyond the second it is no longer rounding.
const LEAST_NOISE: f64 = 1e-14;
const MOST_NOISE: f64 = 1e-3;

/// The process of the largest likelihood, and how many rows and tries it took.
struct Chosen {
    fit: GaussianProcessFit,
    rows: usize,
    tried: Vec<(String, f64)>,
    /// Kernels that the time limit left untried.
    untried: usize,
    /// How the parameters were chosen.
    search: Option<Optimization>,
    /// The noise variance of the search, where all rows need more.
    raised: Option<f64>,
}

fn choose(
    processes: &[GaussianProcess],
    words: &GpArguments,
    training: &Training,
    y: ArrayView1<f64>,
    session: &Session,
    compute: &Compute,
) -> Result<Chosen> {
    let requested = processes.len() > 1 || processes.iter().any(|p| p.optimize);
    let rows = if requested { training.sample(words.sample, session) } else { (0..training.rows()).collect() };
    let (x, some) = (training.x.taken(&rows), y.select(Axis(0), &rows));
    let mut fits = Vec::new();
    for process in processes {
        match process.fit(&x, some.view(), compute) {
            Ok(fit) => fits.push(fit),
            // The time limit: the best of those that were tried.
            Err(mercer::Error::Canceled) if !fits.is_empty() => break,
            Err(other) => return Err(other),
        }
    }
    let untried = processes.len() - fits.len();
    let tried = fits.iter().map(|f| (f.kernel().to_string(), f.log_marginal_likelihood())).collect();
    let best =
        fits.into_iter().reduce(|a, b| if b.log_marginal_likelihood() > a.log_marginal_likelihood() { b } else { a });
    let best = best.ok_or_else(|| mercer::Error::too_few("a search", "kernels", 1, 0))?;
    let search = best.optimization().cloned();
    Ok(Chosen { fit: best, rows: rows.len(), tried, untried, search, raised: None })
}

/// The choice made on some rows, fitted to all of them.
fn on_all_rows(chosen: Chosen, training: &Training, y: ArrayView1<f64>, compute: &Compute) -> Result<Chosen> {
    if chosen.rows == training.rows() {
        return Ok(chosen);
    }
    let fit = again(&chosen.fit, training.points(), y, compute)?;
    let raised = Some(chosen.fit.noise()).filter(|noise| *noise < fit.noise());
    Ok(Chosen { fit, raised, ..chosen })
}

/// The process with the parameters that were found, on all rows; with ten times the noise as often as
/// the matrix of all rows is singular, where that of the sample was not.
fn again(
    found: &GaussianProcessFit,
    x: Points<'_>,
    y: ArrayView1<f64>,
    compute: &Compute,
) -> Result<GaussianProcessFit> {
    let mut noise = found.noise();
    loop {
        let process = GaussianProcess { optimize: false, ..GaussianProcess::new(found.kernel().clone(), noise) };
        match process.fit(x, y, compute) {
            Err(mercer::Error::Singular { .. }) if noise < MOST_NOISE => noise = (10.0 * noise).max(LEAST_NOISE),
            fitted => return fitted,
        }
    }
}

fn outcome(
    words: &GpArguments,
    chosen: Chosen,
    training: Training,
    y: Array1<f64>,
    map: Affine,
    compute: &Compute,
) -> Result<Outcome, Failure> {
    let Chosen { fit, rows, tried, untried, search, raised } = chosen;
    let loo = fit.leave_one_out(compute)?;
    // y − f(x) = σ²α.
    let residuals = fit.dual_coefficients().mapv(|a| a * fit.noise() * map.scale);
    let left_out = (&y - &loo.mean) * map.scale;
    let observed = y.mapv(|v| map.shift + map.scale * v);
    let quality = Quality::new(&training.targets[0], observed.view(), residuals.view(), Some(left_out.view()));
    let mut remarks = remarks(words, search.as_ref(), untried, observed.view());
    if rows < training.rows() {
        let (some, all) = (grouped(rows as u64), grouped(training.rows() as u64));
        remarks
            .push(format!("Parameters optimized on a random sample of {some} of the {all} rows; fitted on all rows."));
    }
    if let Some(noise) = raised {
        let (found, used) = (short(noise), short(fit.noise()));
        remarks.push(format!(
            "With the noise variance {found} of the sample the matrix of all rows is singular: {used} is used."
        ));
    }
    let choice = (tried.len() > 1).then(|| likelihoods(&tried, rows, training.rows()));
    let facts = facts(&fit, search.as_ref(), map, loo.log_density);
    let mut json = json_of(&fit, search.as_ref(), map, loo.log_density);
    if let Some(tried) = choice {
        json.insert("tried".into(), tried);
    }
    let model = Model::new(fit, training.inputs.clone())?.with_note("command", "mercer fit gp");
    Ok(Outcome {
        class_quality: None,
        tables: Vec::new(),
        learner: "gp",
        training,
        model,
        quality: vec![quality],
        facts,
        json,
        choice: None,
        figures: Vec::new(),
        remarks,
    })
}

fn likelihoods(tried: &[(String, f64)], rows: usize, of: usize) -> Value {
    let line = |(kernel, value): &(String, f64)| json!({ "kernel": kernel, "log_marginal_likelihood": number(*value) });
    json!({ "rows": rows, "of": of, "kernels": tried.iter().map(line).collect::<Vec<_>>() })
}

fn remarks(words: &GpArguments, search: Option<&Optimization>, untried: usize, y: ArrayView1<f64>) -> Vec<String> {
    let mut remarks = Vec::new();
    match search {
        Some(search) if search.interrupted || untried > 0 => {
            let left = if untried > 0 { format!(", {untried} kernels were not tried") } else { String::new() };
            remarks.push(format!(
                "--budget-time ended the optimization: the best of {} evaluations is used{left}.",
                search.evaluations
            ));
        }
        Some(search) if !search.converged => {
            remarks.push("The optimization stopped before its gradient was small: try --restarts 5.".into());
        }
        _ => {}
    }
    let map = target_map(TargetScale::Standard, y);
    if words.target_scale() == TargetScale::None && map.shift.abs() > 2.0 * map.scale {
        remarks.push(format!(
            "The target has mean {} and standard deviation {}, and the process expects mean 0: --target-scale center \
             helps.",
            short(map.shift),
            short(map.scale)
        ));
    }
    remarks
}

fn facts(
    fit: &GaussianProcessFit,
    search: Option<&Optimization>,
    map: Affine,
    log_density: f64,
) -> Vec<(&'static str, String)> {
    let mut facts = vec![("kernel", fit.kernel().to_string()), ("noise variance", short(fit.noise()))];
    if map != Affine::IDENTITY {
        facts.push(("target", format!("fitted as (y − {})/{}", short(map.shift), short(map.scale))));
    }
    facts.push(("log marginal likelihood", short(fit.log_marginal_likelihood())));
    facts.push(("leave-one-out log density", short(log_density)));
    if let Some(o) = search {
        let runs = o.likelihoods.len();
        facts.push(("optimization", format!("{} steps, {} evaluations, {runs} starts", o.iterations, o.evaluations)));
    }
    facts.push(("parameters", fit.parameter_names().join(", ")));
    facts
}

fn json_of(
    fit: &GaussianProcessFit,
    search: Option<&Optimization>,
    map: Affine,
    log_density: f64,
) -> Map<String, Value> {
    let pairs = [
        ("kernel", json!(fit.kernel().to_string())),
        ("noise", number(fit.noise())),
        ("target_shift", number(map.shift)),
        ("target_scale", number(map.scale)),
        ("log_marginal_likelihood", number(fit.log_marginal_likelihood())),
        ("loo_log_density", number(log_density)),
        ("converged", search.map_or(Value::Null, |o| o.converged.into())),
        ("evaluations", search.map_or(Value::Null, |o| o.evaluations.into())),
        ("interrupted", search.map_or(Value::Null, |o| o.interrupted.into())),
        ("parameter_names", json!(fit.parameter_names())),
    ];
    pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
}
