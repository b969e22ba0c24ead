//! `mercer fit gp`.

use mercer::learn::gaussian_process::Optimization;
use mercer::learn::{GaussianProcess, GaussianProcessFit};
use mercer::model::Model;
use mercer::points::{Affine, Scaling};
use mercer::select::{ProcessChoice, ProcessSearch};
use mercer::{Compute, Kernel, Result};
use ndarray::{Array1, ArrayView1};
use serde_json::{Map, Value, json};

use super::{Outcome, Quality, Reading, Training, sparse};
use crate::arguments::{GpArguments, TargetScale};
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, short};
use crate::session::Session;

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
        return sparse::fit(processes, centers, words, training, map, session);
    }
    let requested = processes.len() > 1 || processes.iter().any(|p| p.optimize);
    let rows = if requested { training.sample(words.sample, session) } else { (0..training.rows()).collect() };
    let search = ProcessSearch { processes };
    let chosen = session.anytime(|compute| search.choose(training.points(), y.view(), &rows, compute))?;
    let chosen = chosen.on_all_rows(training.points(), y.view(), &session.compute)?;
    outcome(words, chosen, training, y, map, &session.compute)
}

/// The data, scaled where the kernel is chosen.
pub fn read(words: &GpArguments, session: &Session) -> Result<Training, Failure> {
    let default = if words.explicit_kernel().is_some() { Scaling::None } else { Scaling::Standardize };
    // Inducing points are chosen by their coordinates.
    let how = Reading { scaling: default, sparse: words.centers.is_none() };
    Training::read(&words.training, None, words.explicit_kernel(), how, session)
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
pub fn processes(words: &GpArguments, training: &Training) -> Result<Vec<GaussianProcess>> {
    let given = words.explicit_kernel().map(|text| training.kernel(text)).transpose()?;
    let given: Vec<Kernel> = given.into_iter().collect();
    let found = ProcessSearch::automatic(&given, training.points())?;
    let kernels = found.processes.into_iter().map(|process| process.kernel);
    let process = |kernel: Kernel| {
        let mut process = GaussianProcess::new(kernel, words.noise);
        process.optimize = !words.no_optimize;
        process.restarts = words.restarts;
        let names = |list: &[String]| list.iter().map(|name| name.trim().to_owned()).collect();
        (process.fixed, process.free) = (names(&words.fixed), names(&words.free));
        process
    };
    Ok(kernels.map(process).collect())
}

fn outcome(
    words: &GpArguments,
    chosen: ProcessChoice,
    training: Training,
    y: Array1<f64>,
    map: Affine,
    compute: &Compute,
) -> Result<Outcome, Failure> {
    let ProcessChoice { fit, rows, tried, untried, search, raised } = chosen;
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
    let mut facts = vec![("kernel", fit.kernel().short()), ("noise variance", short(fit.noise()))];
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
