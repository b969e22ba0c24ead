//! Pictures of a fit: data, function and interval over a line; predicted against observed.

use mercer::learn::smoother::LocalFit;
use mercer::learn::{GaussianProcessFit, RidgeFit};
use mercer::model::Model;
use mercer::{Compute, Result};
use ndarray::{Array2, ArrayView1, Axis};

use super::summary::headline;
use super::{Outcome, Training};
use super::{diagnosis, regions};
use crate::numbers::short;
use crate::plot::{Curve, CurvePlot, Figure, Mark};

/// Points at which a function is drawn.
const GRID_POINTS: usize = 500;
/// Rows at which a model without leave-one-out predictions is evaluated for a picture; of more,
/// evenly spaced ones.
const DOTS: usize = 4000;
/// The probability of the band.
const LEVEL: f64 = 0.95;

/// The pictures of an outcome, the most telling first.
pub fn draw(outcome: &Outcome, compute: &Compute) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    if outcome.model.decision_values(outcome.training.points(), compute).is_ok() {
        figures.extend(regions::draw(outcome, compute)?);
    } else if let Some(plot) = over_line(outcome, compute)? {
        figures.push(Figure::Curves(vec![plot]));
    } else {
        figures.push(Figure::Curves(vec![against(outcome, compute)?]));
    }
    figures.extend(outcome.choice.as_ref().and_then(|choice| choice.figure()));
    figures.extend(diagnosis::draw(outcome, compute)?);
    Ok(figures)
}

/// A grid over the only column: its values, and the same as coordinates.
fn grid(training: &Training) -> Option<(Vec<f64>, Array2<f64>)> {
    let map = training.line()?;
    let raw = |x: f64| map.shift + map.scale * x;
    let x = training.vectors()?.index_axis_move(Axis(1), 0);
    let low = x.iter().copied().fold(f64::INFINITY, f64::min);
    let high = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let at = |i: usize| low + (high - low) * i as f64 / (GRID_POINTS - 1) as f64;
    let coordinates = Array2::from_shape_fn((GRID_POINTS, 1), |(i, _)| at(i));
    Some(((0..GRID_POINTS).map(|i| raw(at(i))).collect(), coordinates))
}

/// The observations as dots, in the units of the data.
fn dots(training: &Training, target: usize, observed: ArrayView1<f64>) -> Option<Curve> {
    let map = training.line()?;
    let x = training.vectors()?;
    let points = (0..training.rows()).map(|i| (map.shift + map.scale * x[[i, 0]], observed[i])).collect();
    Some(Curve { label: training.targets[target].clone(), points, mark: Mark::Dots })
}

/// The targets in their own units.
fn observed(training: &Training) -> Array2<f64> {
    let mut y = training.y.clone();
    for (mut column, target) in y.columns_mut().into_iter().zip(&training.inputs.targets) {
        column.mapv_inplace(|v| target.map.shift + target.map.scale * v);
    }
    y
}

/// Data, function and interval of a model on one column.
fn over_line(outcome: &Outcome, compute: &Compute) -> Result<Option<CurvePlot>> {
    let training = &outcome.training;
    let Some((positions, coordinates)) = grid(training) else { return Ok(None) };
    let y = observed(training);
    let mut curves = Vec::new();
    // Models without intervals are drawn without a band.
    if let Ok(interval) = outcome.model.predict_interval(coordinates.view(), LEVEL, compute) {
        for j in 0..interval.mean.ncols() {
            let ends = (0..GRID_POINTS).map(|i| (positions[i], interval.lower[[i, j]], interval.upper[[i, j]]));
            curves.push(Curve::band(format!("{} % of new observations", short(100.0 * LEVEL)), ends));
        }
    }
    let values = outcome.model.predict(coordinates.view(), compute)?;
    for (j, column) in values.columns().into_iter().enumerate() {
        curves.extend(dots(training, j, y.column(j)));
        let points = positions.iter().copied().zip(column.iter().copied()).collect();
        curves.push(Curve { label: "f".into(), points, mark: Mark::Line });
    }
    Ok(Some(CurvePlot {
        title: title(outcome),
        x: training.coordinates[0].clone(),
        y: training.targets.join(", "),
        curves,
    }))
}

/// The functions of several models over the same line.
pub fn compared(training: &Training, models: &[(String, &Model)], compute: &Compute) -> Result<Option<CurvePlot>> {
    let Some((positions, coordinates)) = grid(training) else { return Ok(None) };
    let mut curves: Vec<Curve> = dots(training, 0, observed(training).column(0)).into_iter().collect();
    for (label, model) in models {
        let values = model.predict(coordinates.view(), compute)?;
        let points = positions.iter().copied().zip(values.column(0).iter().copied()).collect();
        curves.push(Curve { label: label.clone(), points, mark: Mark::Line });
    }
    Ok(Some(CurvePlot {
        title: "Local smoothers and ridge regression".into(),
        x: training.coordinates[0].clone(),
        y: training.targets[0].clone(),
        curves,
    }))
}

/// The kernel, or where there is none the kind of the model and its target.
fn title(outcome: &Outcome) -> String {
    let kind = || format!("{} of {}", headline(outcome), outcome.training.targets.join(", "));
    outcome.model.kernel().map_or_else(kind, |kernel| kernel.short())
}

/// Predicted against observed: leave-one-out if the fit has it.
fn against(outcome: &Outcome, compute: &Compute) -> Result<CurvePlot> {
    let training = &outcome.training;
    let y = observed(training);
    let step = training.rows().div_ceil(DOTS).max(1);
    let rows: Vec<usize> = (0..training.rows()).step_by(step).collect();
    let some = training.x.taken(&rows);
    let (values, how) = match left_out(outcome, &y, &rows, compute)? {
        Some(values) => (values, "predicted without the row itself"),
        None => (outcome.model.predict(&some, compute)?, "fitted"),
    };
    let pairs = training.targets.iter().enumerate().map(|(j, name)| {
        let points = rows.iter().enumerate().map(|(at, &i)| (y[[i, j]], values[[at, j]])).collect();
        (name.clone(), points)
    });
    let mut plot = agreement(title(outcome), how, pairs);
    plot.curves.iter_mut().filter(|c| c.mark == Mark::Dots).for_each(|c| c.mark = Mark::DotsOf(training.rows()));
    Ok(plot)
}

/// Leave-one-out predictions for these rows.
fn left_out(outcome: &Outcome, y: &Array2<f64>, rows: &[usize], compute: &Compute) -> Result<Option<Array2<f64>>> {
    let model = &outcome.model;
    let residuals = if let Some(fit) = model.fit::<RidgeFit>() {
        fit.diagnostics().map(|d| d.loo_residuals.clone())
    } else if let Some(fit) = model.fit::<LocalFit>() {
        Some(fit.loo_residuals().to_owned().insert_axis(Axis(1)))
    } else if let Some(fit) = model.fit::<GaussianProcessFit>() {
        let scale = outcome.training.inputs.targets[0].map.scale;
        let left = (&fit.targets() - &fit.leave_one_out(compute)?.mean) * scale;
        Some(left.insert_axis(Axis(1)))
    } else {
        None
    };
    Ok(residuals.map(|r| (y - &r).select(Axis(0), rows)))
}

/// A cloud of (observed, predicted) per target around the diagonal.
pub fn agreement(title: String, how: &str, clouds: impl IntoIterator<Item = (String, Vec<(f64, f64)>)>) -> CurvePlot {
    let mut curves: Vec<Curve> =
        clouds.into_iter().map(|(label, points)| Curve { label, points, mark: Mark::Dots }).collect();
    let ends = curves.iter().flat_map(|c| c.points.iter().map(|p| p.0)).filter(|v| v.is_finite());
    let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low < high {
        curves.push(Curve { label: "equal".into(), points: vec![(low, low), (high, high)], mark: Mark::Reference });
    }
    CurvePlot { title, x: "observed".into(), y: how.into(), curves }
}
