//! What a fit holds of its own data, for the pictures of [`super::super::diagnosis`].

use mercer::learn::smoother::LocalFit;
use mercer::learn::spline::SplineFit;
use mercer::learn::{GaussianProcessFit, RidgeFit};
use mercer::learner::diagnostics::{cook_distances, standardized_residuals};
use mercer::{Compute, Error, Result};
use ndarray::{Array1, Axis};

use super::super::diagnosis;
use super::Outcome;
use crate::plot::Figure;

/// Targets whose residuals are drawn.
const TARGETS: usize = 3;
/// Rows at which a model without leave-one-out residuals is evaluated.
const ROWS: usize = 4000;

/// A target of a linear smoother: all arrays have an entry per row, in the units of the data.
struct Evidence {
    left_out: Array1<f64>,
    residuals: Option<Array1<f64>>,
    leverages: Option<Array1<f64>>,
    degrees_of_freedom: f64,
    noise: Option<f64>,
    /// Left-out residuals in units of their standard deviations, where the model states them.
    scores: Option<Array1<f64>>,
}

/// The pictures, target by target, or of the classes.
pub fn draw(outcome: &Outcome, compute: &Compute) -> Result<Vec<Figure>> {
    if let Some(classes) = &outcome.training.classes {
        if !outcome.model.has_probabilities() {
            return Ok(Vec::new());
        }
        let p = outcome.model.probabilities(outcome.training.points(), compute)?;
        let title = "on the data of the fit";
        return Ok(diagnosis::calibration(title, classes.names(), classes.of(), p.view())?.into_iter().collect());
    }
    let mut figures = Vec::new();
    for j in 0..outcome.training.targets.len().min(TARGETS) {
        match evidence(outcome, j, compute)? {
            Some(found) => figures.extend(of_smoother(outcome, j, &found)?),
            None => figures.extend(of_fit(outcome, j, compute)?),
        }
    }
    Ok(figures)
}

/// A variance of the noise; none where the data does not determine it.
fn determined(noise: Result<f64>) -> Result<Option<f64>> {
    match noise {
        Ok(noise) => Ok((noise > 0.0).then_some(noise)),
        Err(Error::Undetermined { .. } | Error::Unsupported { .. } | Error::Singular { .. } | Error::Memory { .. }) => {
            Ok(None)
        }
        Err(other) => Err(other),
    }
}

fn evidence(outcome: &Outcome, j: usize, compute: &Compute) -> Result<Option<Evidence>> {
    let model = &outcome.model;
    if let Some(fit) = model.fit::<RidgeFit>() {
        let Some(found) = fit.diagnostics() else { return Ok(None) };
        return Ok(Some(Evidence {
            left_out: found.loo_residuals.column(j).to_owned(),
            residuals: Some(fit.residuals().column(j).to_owned()),
            leverages: Some(found.hat_diagonal.clone()),
            degrees_of_freedom: found.degrees_of_freedom,
            noise: determined(fit.noise_variance(compute).map(|noise| noise[j]))?,
            scores: None,
        }));
    }
    if let Some(fit) = model.fit::<LocalFit>() {
        return Ok(Some(Evidence {
            left_out: fit.loo_residuals().to_owned(),
            residuals: Some(fit.residuals()),
            leverages: Some(fit.leverages().to_owned()),
            degrees_of_freedom: fit.degrees_of_freedom(),
            noise: determined(fit.variance(compute).map(|noise| noise.unwrap_or(0.0)))?,
            scores: None,
        }));
    }
    if let Some(fit) = model.fit::<SplineFit>() {
        return Ok(Some(Evidence {
            left_out: fit.loo_residuals(),
            residuals: Some(fit.residuals().to_owned()),
            leverages: Some(fit.leverages().to_owned()),
            degrees_of_freedom: fit.degrees_of_freedom(),
            noise: determined(Ok(fit.variance().unwrap_or(0.0)))?,
            scores: None,
        }));
    }
    let Some(fit) = model.fit::<GaussianProcessFit>() else { return Ok(None) };
    let scale = outcome.training.inputs.targets[0].map.scale;
    let density = fit.leave_one_out(compute)?;
    let left = &fit.targets() - &density.mean;
    Ok(Some(Evidence {
        scores: Some(&left / &density.variance.mapv(f64::sqrt)),
        left_out: left * scale,
        residuals: None,
        leverages: None,
        degrees_of_freedom: 0.0,
        noise: None,
    }))
}

/// Leave-one-out residuals, influence and coverage.
fn of_smoother(outcome: &Outcome, j: usize, found: &Evidence) -> Result<Vec<Figure>> {
    let training = &outcome.training;
    let target = &training.targets[j];
    let observed = observed(outcome, j);
    let pairs = observed.iter().zip(&found.left_out).map(|(y, left)| (y - left, *left)).collect();
    let mut figures = vec![diagnosis::residuals(target, "leave-one-out residual", pairs, training.rows())];
    // With weights the rows differ in their noise.
    let weighted = training.weights.is_some();
    let noise = found.noise.filter(|_| !weighted);
    let scores = match (&found.scores, &found.leverages, noise) {
        (Some(scores), ..) => Some(scores.clone()),
        (None, Some(h), Some(noise)) => Some(standardized_residuals(found.left_out.view(), h.view(), noise)?),
        _ => None,
    };
    if let (Some(scores), Some(h), Some(residuals), Some(noise)) = (&scores, &found.leverages, &found.residuals, noise)
    {
        let cook = cook_distances(residuals.view(), h.view(), found.degrees_of_freedom, noise)?;
        figures.extend(diagnosis::influence(target, h, scores, &cook));
    }
    if let Some(scores) = scores {
        figures.extend(diagnosis::levels(&format!("{target}, leave-one-out"), &scores.to_vec())?);
    }
    Ok(figures)
}

/// Plain residuals of a model that has no leave-one-out ones.
fn of_fit(outcome: &Outcome, j: usize, compute: &Compute) -> Result<Option<Figure>> {
    let training = &outcome.training;
    let rows: Vec<usize> = (0..training.rows()).step_by(training.rows().div_ceil(ROWS).max(1)).collect();
    let values = outcome.model.predict(&training.x.taken(&rows), compute)?;
    if values.ncols() != training.targets.len() {
        return Ok(None);
    }
    let y = observed(outcome, j).select(Axis(0), &rows);
    let pairs = values.column(j).iter().zip(&y).map(|(f, y)| (*f, y - f)).collect();
    Ok(Some(diagnosis::residuals(&training.targets[j], "residual", pairs, training.rows())))
}

/// A target in its own units.
fn observed(outcome: &Outcome, j: usize) -> Array1<f64> {
    let map = outcome.training.inputs.targets[j].map;
    outcome.training.y.column(j).mapv(|v| map.shift + map.scale * v)
}
