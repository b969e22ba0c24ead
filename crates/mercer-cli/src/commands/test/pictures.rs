//! Pictures of a test: the null distribution with the statistic, the witness, p-values by group.

use mercer::hypothesis::TestOutcome;
use mercer::measure::witness as witness_of;
use mercer::{Compute, Expansion, Kernel, Points, Sample};
use ndarray::Array2;

use super::question::Question;
use super::read::{Case, Cases};
use super::summary::split;
use crate::failure::Failure;
use crate::numbers::{digits, short};
use crate::plot::{Curve, CurvePlot, Figure, HeatLabels, HeatMap, Mark};

/// Bars of a histogram.
const BARS: usize = 50;
/// Points along a line, and along each side of a map.
const GRID_POINTS: usize = 400;
const SIDE: usize = 80;
/// Dots of a sample.
const DOTS: usize = 500;

/// The null sample as a histogram, with the statistic and the threshold.
pub fn null(outcome: &TestOutcome, title: &str) -> Option<Figure> {
    let null = outcome.null.as_ref().filter(|null| null.len() > 1)?;
    let values = || null.iter().copied().chain([outcome.statistic]);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    if high <= low {
        return None;
    }
    let width = (high - low) / BARS as f64;
    let mut counts = [0_usize; BARS];
    null.iter().for_each(|v| counts[(((v - low) / width) as usize).min(BARS - 1)] += 1);
    let top = counts.iter().copied().max().unwrap_or(1) as f64;
    let bars = counts.iter().enumerate().flat_map(|(i, &count)| {
        let at = |edge: usize| (low + width * (i + edge) as f64, 0.0, count as f64);
        [at(0), at(1)]
    });
    let upright = |label: String, x: f64| Curve { label, points: vec![(x, 0.0), (x, top)], mark: Mark::Line };
    let mut curves = vec![
        Curve::band(format!("{} relabelings", null.len()), bars),
        upright(format!("statistic, p = {}", digits(outcome.p_value, 4)), outcome.statistic),
    ];
    let inside = outcome.threshold.filter(|t| (low..=high).contains(t));
    curves.extend(inside.map(|t| upright(format!("threshold at level {}", short(outcome.level)), t)));
    let many = outcome.method.contains("aggregated");
    let x =
        if many { "smallest weighted p-value (small values are evidence against the hypothesis)" } else { "statistic" };
    let decision = if outcome.reject { "rejected" } else { "not rejected" };
    Some(Figure::Curves(vec![CurvePlot {
        title: format!("{title}: {decision}"),
        x: x.into(),
        y: "count".into(),
        curves,
    }]))
}

/// The kernel of the witness: that of the test, or the one of several that decided.
pub fn witness_kernel(outcome: &TestOutcome, points: Points<'_>) -> mercer::Result<Kernel> {
    let kernels = split(&outcome.kernel);
    let best = outcome.detail("best_kernel").map_or(1, |k| k as usize);
    match kernels.get(best.saturating_sub(1)).map(|text| text.parse()) {
        Some(Ok(kernel)) => Ok(kernel),
        _ => Kernel::default_of(points),
    }
}

/// The witness of two samples of one or two columns.
pub fn witness(
    question: &Question,
    cases: &Cases,
    case: &Case,
    outcome: &TestOutcome,
    compute: &Compute,
) -> Result<Option<Figure>, Failure> {
    let drawable = case.samples[0].as_points().vectors().is_ok_and(|x| x.ncols() <= 2);
    if !matches!(question, Question::TwoSample(_)) || !drawable {
        return Ok(None);
    }
    let f = witness_of(
        &case.samples[0],
        &case.samples[1],
        &witness_kernel(outcome, case.samples[0].as_points())?,
        compute,
    )?;
    let figure = match cases.names[0].as_slice() {
        [name] => over_line(&f, name, case, compute)?,
        [first, second] => over_plane(&f, (first, second), case, compute)?,
        _ => return Ok(None),
    };
    Ok(Some(figure))
}

/// The range of a column of both samples.
fn range(case: &Case, column: usize) -> (f64, f64) {
    let of = |s: &Sample| s.as_points().vectors().map_or_else(|_| Vec::new(), |x| x.column(column).to_vec());
    let values = || case.samples.iter().flat_map(of);
    (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
}

fn over_line(f: &Expansion, name: &str, case: &Case, compute: &Compute) -> mercer::Result<Figure> {
    let (low, high) = range(case, 0);
    let at = |i: usize| low + (high - low) * i as f64 / (GRID_POINTS - 1) as f64;
    let grid = Array2::from_shape_fn((GRID_POINTS, 1), |(i, _)| at(i));
    let values = f.evaluate(grid.view(), compute)?;
    let line = (0..GRID_POINTS).map(|i| (at(i), values[i])).collect();
    let mut curves = vec![Curve { label: "witness μ₁ − μ₂".into(), points: line, mark: Mark::Line }];
    for (label, sample) in ["first file", "second file"].into_iter().zip(&case.samples) {
        let step = sample.len().div_ceil(DOTS).max(1);
        let rows: Vec<usize> = (0..sample.len()).step_by(step).collect();
        let some = sample.as_points().vectors()?.select(ndarray::Axis(0), &rows);
        let heights = f.evaluate(some.view(), compute)?;
        let points = some.column(0).iter().copied().zip(heights).collect();
        curves.push(Curve { label: label.into(), points, mark: Mark::DotsOf(sample.len()) });
    }
    let title = "Above 0 the first file has too many points".into();
    Ok(Figure::Curves(vec![CurvePlot { title, x: name.into(), y: "witness".into(), curves }]))
}

fn over_plane(f: &Expansion, names: (&str, &str), case: &Case, compute: &Compute) -> mercer::Result<Figure> {
    let ((left, right), (low, high)) = (range(case, 0), range(case, 1));
    let x = |j: usize| left + (right - left) * (j as f64 + 0.5) / SIDE as f64;
    let y = |i: usize| high - (high - low) * (i as f64 + 0.5) / SIDE as f64;
    let grid = Array2::from_shape_fn((SIDE * SIDE, 2), |(at, c)| if c == 0 { x(at % SIDE) } else { y(at / SIDE) });
    let values = f.evaluate(grid.view(), compute)?;
    let cells = Array2::from_shape_fn((SIDE, SIDE), |(i, j)| values[i * SIDE + j]);
    let best = (0..values.len()).fold(0, |best, i| if values[i].abs() > values[best].abs() { i } else { best });
    let labels = HeatLabels {
        x: names.0.into(),
        y: names.1.into(),
        columns: (0..SIDE).map(|j| digits(x(j), 3)).collect(),
        rows: (0..SIDE).map(|i| digits(y(i), 3)).collect(),
        marked: (best / SIDE, best % SIDE),
    };
    let title = "Large where the first file has too many".into();
    Ok(Figure::Heat(HeatMap {
        title,
        cells,
        shape: (SIDE, SIDE),
        bar: "witness".into(),
        labels: Some(Box::new(labels)),
        groups: Vec::new(),
    }))
}

/// Corrected p-values by group, as powers of ten.
pub fn by_group(by: &str, cases: &[Case], adjusted: &[f64], level: f64) -> Figure {
    let positions: Option<Vec<f64>> =
        cases.iter().map(|c| c.group.as_ref().and_then(super::groups::Key::number)).collect();
    let x = positions.clone().unwrap_or_else(|| (0..cases.len()).map(|i| i as f64).collect());
    let points: Vec<(f64, f64)> = x.iter().zip(adjusted).map(|(x, p)| (*x, -p.log10())).collect();
    let ends = (x.iter().copied().fold(f64::INFINITY, f64::min), x.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    let bar = -level.log10();
    let curves = vec![
        Curve { label: "corrected p".into(), points: points.clone(), mark: Mark::Line },
        Curve { label: String::new(), points, mark: Mark::OwnDots },
        Curve {
            label: format!("level {}", short(level)),
            points: vec![(ends.0, bar), (ends.1, bar)],
            mark: Mark::Line,
        },
    ];
    let axis = if positions.is_some() { by.to_owned() } else { format!("{by}, in the order of the table") };
    let title = "Evidence by group: above the line the hypothesis is rejected".into();
    Figure::Curves(vec![CurvePlot { title, x: axis, y: "−log₁₀ p".into(), curves }])
}
