//! `mercer fit smooth`.

use mercer::learn::smoother::{Bandwidth, LocalFit, LocalLinear, LocalWeight, NadarayaWatson};
use mercer::learner::Learner;
use mercer::model::Model;
use mercer::points::Scaling;
use mercer::select::RidgeSearch;
use mercer::{Compute, Result};
use ndarray::{ArrayView1, ArrayView2};
use serde_json::{Map, Value, json};

use super::{Outcome, Quality, Reading, Training, choice, pictures, ridge};
use crate::arguments::{SmoothArguments, SmoothMethod};
use crate::failure::Failure;
use crate::numbers::{json as number, short};
use crate::plot::Figure;
use crate::session::Session;

/// Rows that enter the choice of the ridge regression of a comparison.
const COMPARED_ROWS: usize = 1000;

const AT_LIMIT: &str = "The bandwidth is at the border of the search range (a quarter of the mean spacing to twice the diameter): the data ask for \
     interpolation, or for a constant or a line (--bandwidth gives another).";

/// Runs the command.
pub fn fit(words: &SmoothArguments, session: &Session) -> Result<Outcome, Failure> {
    let training = read(words, session)?;
    let method = method(words, &training)?;
    let (bandwidth, weights) = (bandwidth(words), words.window.into());
    let y = training.y.column(0);
    let fit = smoother(method, bandwidth, weights, training.points().vectors()?, y, &session.compute)?;
    let at_limit = words.bandwidth.is_none() && fit.at_limit();
    let mut outcome = outcome(fit, &session.compute, training)?;
    outcome.json.insert("at_limit".into(), at_limit.into());
    if at_limit {
        outcome.remarks.push(AT_LIMIT.into());
    }
    if words.compare {
        compare(&mut outcome, weights, session)?;
    }
    Ok(outcome)
}

/// The smoother of the arguments.
pub fn specification(words: &SmoothArguments, training: &Training) -> Result<Box<dyn Learner>, Failure> {
    let (bandwidth, weights) = (bandwidth(words), words.window.into());
    Ok(match method(words, training)? {
        SmoothMethod::NadarayaWatson => Box::new(NadarayaWatson { bandwidth, weights }),
        SmoothMethod::LocalLinear => Box::new(LocalLinear { bandwidth, weights }),
    })
}

fn bandwidth(words: &SmoothArguments) -> Bandwidth {
    words.bandwidth.map_or(Bandwidth::LeaveOneOut, Bandwidth::Fixed)
}

/// The data as it is.
pub fn read(words: &SmoothArguments, session: &Session) -> Result<Training, Failure> {
    let training = Training::read(&words.training, None, None, Reading::dense(Scaling::None), session)?;
    training.only_target("smooth")?;
    if words.compare {
        training.only_column("smooth --compare")?;
    }
    Ok(training)
}

fn method(words: &SmoothArguments, training: &Training) -> Result<SmoothMethod, Failure> {
    let one = training.columns() == 1;
    match words.method {
        Some(SmoothMethod::LocalLinear) if !one => Err(Failure::request(format!(
            "--method local-linear takes one column, not {}: choose one with --columns, or use nadaraya-watson",
            training.columns()
        ))),
        Some(method) => Ok(method),
        None => Ok(if one { SmoothMethod::LocalLinear } else { SmoothMethod::NadarayaWatson }),
    }
}

fn smoother(
    method: SmoothMethod,
    bandwidth: Bandwidth,
    weights: LocalWeight,
    x: ArrayView2<f64>,
    y: ArrayView1<f64>,
    compute: &Compute,
) -> Result<LocalFit> {
    match method {
        SmoothMethod::NadarayaWatson => NadarayaWatson { bandwidth, weights }.fit(x, y, compute),
        SmoothMethod::LocalLinear => LocalLinear { bandwidth, weights }.fit(x, y, compute),
    }
}

fn outcome(fit: LocalFit, compute: &Compute, training: Training) -> Result<Outcome, Failure> {
    let (residuals, loo) = (fit.residuals(), fit.loo_residuals());
    let quality = Quality::new(&training.targets[0], training.y.column(0), residuals.view(), Some(loo));
    let variance = fit.variance(compute)?;
    let method = name(&fit);
    let window = format!("{:?}", fit.weights()).to_lowercase();
    let mut facts = vec![
        ("method", format!("{method}, {window} weights")),
        ("bandwidth", short(fit.bandwidth())),
        ("degrees of freedom", short(fit.degrees_of_freedom())),
    ];
    facts.extend(variance.map(|v| ("noise variance", short(v))));
    let pairs = [
        ("method", json!(method)),
        ("window", json!(window)),
        ("bandwidth", number(fit.bandwidth())),
        ("degrees_of_freedom", number(fit.degrees_of_freedom())),
        ("noise", variance.map_or(Value::Null, number)),
    ];
    let json: Map<String, Value> = pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
    let model = Model::new(fit, training.inputs.clone())?.with_note("command", "mercer fit smooth");
    Ok(Outcome {
        class_quality: None,
        tables: Vec::new(),
        learner: "smooth",
        training,
        model,
        quality: vec![quality],
        facts,
        json,
        choice: None,
        figures: Vec::new(),
        remarks: Vec::new(),
    })
}

fn name(fit: &LocalFit) -> &'static str {
    if fit.is_linear() { "local linear" } else { "Nadaraya–Watson" }
}

/// The two smoothers and kernel ridge regression on the same data, in numbers and in a picture.
fn compare(outcome: &mut Outcome, weights: LocalWeight, session: &Session) -> Result<(), Failure> {
    let (training, compute) = (&outcome.training, &session.compute);
    let (x, y) = (training.points().vectors()?, training.y.column(0));
    let mut models = Vec::new();
    for method in [SmoothMethod::NadarayaWatson, SmoothMethod::LocalLinear] {
        let fit = smoother(method, Bandwidth::LeaveOneOut, weights, x, y, compute)?;
        let label = format!("{}, h = {}", name(&fit), short(fit.bandwidth()));
        models.push((label, fit.loo_score(), Model::new(fit, training.inputs.clone())?));
    }
    let rows = choice::rows(training, COMPARED_ROWS, session);
    let search = RidgeSearch { intercept: true, ..RidgeSearch::new(vec!["gaussian()".parse()?]) };
    let search = search.around_median(x, compute)?;
    let (winner, _) = choice::search(&search, training, &rows, session)?;
    let (label, score) = (format!("ridge, {}", winner.kernel), winner.score);
    let spec =
        mercer::learn::Ridge { intercept: true, ..mercer::learn::Ridge::new(winner.kernel.clone(), winner.lambda) };
    let fit = ridge::on_all_rows(&spec, training, compute)?;
    models.push((label, score, Model::new(fit, training.inputs.clone())?));
    let line = |(label, score, _): &(String, f64, Model)| json!({ "model": label, "loo_rmse": number(score.sqrt()) });
    outcome.json.insert("comparison".into(), models.iter().map(line).collect());
    for (label, score, _) in &models {
        outcome.remarks.push(format!("{label}: leave-one-out RMSE {}.", short(score.sqrt())));
    }
    let curves: Vec<(String, &Model)> = models.iter().map(|(label, _, model)| (label.clone(), model)).collect();
    let figure = pictures::compared(training, &curves, compute)?;
    outcome.figures.extend(figure.map(|plot| Figure::Curves(vec![plot])));
    Ok(())
}
