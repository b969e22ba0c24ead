//! Pictures that question a model: residuals, influence of rows, calibration of probabilities,
//! coverage of intervals. The numbers are those of `mercer::learner::diagnostics`.

use mercer::Result;
use mercer::learner::diagnostics::{CalibrationBin, calibration_bins, coverage, normal_quantiles};
use ndarray::{Array1, ArrayView2};

use crate::numbers::{digits, grouped, short};
use crate::plot::{Curve, CurvePlot, Figure, Mark};

/// Bins of probabilities and of predicted values, with equal numbers of rows.
const BINS: usize = 10;
/// Rows from which on bins are drawn.
const FEWEST: usize = 20;
/// The level of the intervals of shares.
const LEVEL: f64 = 0.95;
/// Nominal levels of intervals.
const LEVELS: usize = 40;
/// Rows that are named where influence is drawn.
const NAMED: usize = 5;
/// Classes whose probabilities are drawn.
const CLASSES: usize = 6;

fn line(label: impl Into<String>, points: Vec<(f64, f64)>, mark: Mark) -> Curve {
    Curve { label: label.into(), points, mark }
}

/// The ends of a range of numbers; none if there is no range.
fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|v| v.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    (low < high).then_some((low, high))
}

/// Residuals by predicted value, and their normal quantiles; `pairs` are predictions with residuals,
/// of so many rows.
pub fn residuals(title: &str, word: &str, pairs: Vec<(f64, f64)>, rows: usize) -> Figure {
    let left: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
    let quantiles = normal_quantiles(&left);
    // The normal distribution of the same quartiles.
    let at = |share: f64| quantiles.get((share * quantiles.len() as f64) as usize).copied();
    let reference = at(0.25).zip(at(0.75)).zip(quantiles.first().copied().zip(quantiles.last().copied()));
    let normal = reference.and_then(|((low, high), (first, last))| {
        let slope = (high.1 - low.1) / (high.0 - low.0);
        let on = |x: f64| (x, low.1 + slope * (x - low.0));
        slope.is_finite().then(|| line("", vec![on(first.0), on(last.0)], Mark::Reference))
    });
    let fitted = CurvePlot {
        title: format!("Residuals: {title}"),
        x: "predicted".into(),
        y: word.into(),
        curves: vec![line("", pairs, Mark::DotsOf(rows))],
    };
    let normal_plot = CurvePlot {
        title: "Normal quantiles (line: a normal distribution)".into(),
        x: "normal quantile".into(),
        y: word.into(),
        curves: normal.into_iter().chain([line("", quantiles, Mark::DotsOf(rows))]).collect(),
    };
    Figure::Curves(vec![fitted, normal_plot])
}

/// Leverage by standardized residual; the rows of the largest Cook's distances are named.
pub fn influence(title: &str, leverages: &Array1<f64>, scores: &Array1<f64>, cook: &Array1<f64>) -> Option<Figure> {
    let (low, high) = ends(leverages.iter().copied())?;
    let mut order: Vec<usize> = (0..cook.len()).filter(|&i| cook[i].is_finite() && scores[i].is_finite()).collect();
    order.sort_by(|&a, &b| cook[b].total_cmp(&cook[a]));
    let at = |i: usize| (leverages[i], scores[i]);
    let (top, rest) = order.split_at(NAMED.min(order.len()));
    let mut curves: Vec<Curve> =
        [-2.0, 2.0].into_iter().map(|y| line("", vec![(low, y), (high, y)], Mark::Reference)).collect();
    curves.push(line("", rest.iter().map(|&i| at(i)).collect(), Mark::Dots));
    let named: Vec<String> = top.iter().map(|&i| format!("{i} ({})", digits(cook[i], 2))).collect();
    let label = format!("largest Cook's distances: rows {}", named.join(", "));
    curves.push(line(label, top.iter().map(|&i| at(i)).collect(), Mark::Dots));
    Some(Figure::Curves(vec![CurvePlot {
        title: format!("Influence of single rows: {title}"),
        x: "leverage".into(),
        y: "standardized leave-one-out residual".into(),
        curves,
    }]))
}

/// The observed coverage of normal intervals of every level, from standardized errors.
pub fn levels(title: &str, scores: &[f64]) -> Result<Option<Figure>> {
    let scores: Vec<f64> = scores.iter().copied().filter(|s| s.is_finite()).collect();
    if scores.len() < FEWEST {
        return Ok(None);
    }
    let levels: Vec<f64> = (0..LEVELS).map(|i| 0.05 + 0.94 * i as f64 / (LEVELS - 1) as f64).collect();
    let found = coverage(&scores, &levels)?;
    let band = levels.iter().zip(&found).map(|(&x, &(_, wide))| (x, x - wide, (x + wide).min(1.0)));
    let held = levels.iter().zip(&found).map(|(&x, &(share, _))| (x, share)).collect();
    Ok(Some(Figure::Curves(vec![CurvePlot {
        title: format!("Coverage of intervals: {title}"),
        x: "nominal level".into(),
        y: "observed coverage".into(),
        curves: vec![
            Curve::band(format!("{} % by chance", short(100.0 * LEVEL)), band),
            line("calibrated", vec![(0.0, 0.0), (1.0, 1.0)], Mark::Reference),
            line(format!("{} rows", grouped(scores.len() as u64)), held, Mark::Line),
        ],
    }])))
}

/// The observed coverage of intervals of one level, by the predicted value.
pub fn coverage_by_value(title: &str, predicted: &[f64], held: &[bool], level: f64) -> Result<Option<Figure>> {
    if held.len() < FEWEST {
        return Ok(None);
    }
    let bins = calibration_bins(predicted, held, BINS, LEVEL)?;
    let Some((low, high)) = ends(bins.iter().map(|bin| bin.stated)) else { return Ok(None) };
    let nominal = format!("nominal: {} %", short(100.0 * level));
    let mut curves = vec![line(nominal, vec![(low, level), (high, level)], Mark::Reference)];
    curves.extend(of_bins(format!("{} rows", grouped(held.len() as u64)), &bins));
    Ok(Some(Figure::Curves(vec![CurvePlot {
        title: format!("Coverage of {} % intervals: {title}", short(100.0 * level)),
        x: "predicted (mean of a bin)".into(),
        y: "observed coverage".into(),
        curves,
    }])))
}

/// Stated probabilities against observed frequencies: of two classes the second one, of more all.
pub fn calibration(
    title: &str,
    names: &[String],
    truth: &[usize],
    probabilities: ArrayView2<'_, f64>,
) -> Result<Option<Figure>> {
    if truth.len() < FEWEST {
        return Ok(None);
    }
    let classes = if names.len() == 2 { 1..2 } else { 0..names.len().min(CLASSES) };
    let mut curves = vec![line("calibrated", vec![(0.0, 0.0), (1.0, 1.0)], Mark::Reference)];
    for class in classes {
        let happened: Vec<bool> = truth.iter().map(|&t| t == class).collect();
        let bins = calibration_bins(&probabilities.column(class).to_vec(), &happened, BINS, LEVEL)?;
        curves.extend(of_bins(names[class].clone(), &bins));
    }
    Ok(Some(Figure::Curves(vec![CurvePlot {
        title: format!("Calibration of probabilities: {title}"),
        x: "stated probability (mean of a bin)".into(),
        y: "observed frequency".into(),
        curves,
    }])))
}

/// The shares of bins with their intervals.
fn of_bins(label: String, bins: &[CalibrationBin]) -> [Curve; 2] {
    let dots = bins.iter().map(|bin| (bin.stated, bin.observed)).collect();
    let bars = bins.iter().flat_map(|bin| [(bin.stated, bin.interval.0), (bin.stated, bin.interval.1)]).collect();
    [line(label, dots, Mark::Dots), line("", bars, Mark::Segments)]
}
