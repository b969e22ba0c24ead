//! Pictures of views: points on the first two coordinates, eigenvalues, pairs, signals.

use mercer::learner::{FactValue, Fitted};
use mercer::model::AnyFit;
use mercer::view::pca::KernelPca;
use mercer::{Compute, Points};
use ndarray::{Array2, ArrayView2};

use super::samples::Colors;
use crate::plot::{Curve, CurvePlot, Figure, Mark};

/// Eigenvalues of a picture.
const BARS: usize = 30;
/// Signals of a picture, and their values.
const SIGNALS: usize = 4;
const VALUES: usize = 600;

/// The pictures of coordinates, the most telling first.
pub fn embedding(fitted: &dyn Fitted, views: &[ArrayView2<'_, f64>], colors: Option<&Colors>) -> Vec<Figure> {
    let mut plots = Vec::new();
    match (fitted.kind(), views) {
        ("ica", [sources]) => plots.push(Figure::Curves(vec![signals(*sources)])),
        (_, [first, second, ..]) => plots.push(pairs(*first, *second, fitted, colors)),
        (_, [only]) => plots.push(Figure::Curves(vec![scatter(*only, fitted.entry().title, colors)])),
        _ => {}
    }
    if fitted.kind() == "ica" && views.len() == 1 {
        plots.push(Figure::Curves(vec![scatter(views[0], fitted.entry().title, colors)]));
    }
    plots.extend(scree(fitted));
    plots
}

/// Dots of every class of a column, or of one color.
fn clouds(points: impl Fn(usize) -> (f64, f64), rows: usize, colors: Option<&Colors>) -> Vec<Curve> {
    let Some(colors) = colors else {
        return vec![Curve { label: String::new(), points: (0..rows).map(points).collect(), mark: Mark::Dots }];
    };
    let cloud = |(class, name): (usize, &String)| Curve {
        label: name.clone(),
        points: (0..rows).filter(|&row| colors.of[row] == class).map(&points).collect(),
        mark: Mark::Dots,
    };
    colors.names.iter().enumerate().map(cloud).collect()
}

/// The first two coordinates, or the first one along the rows.
fn scatter(z: ArrayView2<'_, f64>, title: &str, colors: Option<&Colors>) -> CurvePlot {
    let flat = z.ncols() < 2;
    let at = |row: usize| if flat { (row as f64, z[[row, 0]]) } else { (z[[row, 0]], z[[row, 1]]) };
    let curves = if z.ncols() == 0 { Vec::new() } else { clouds(at, z.nrows(), colors) };
    let by = colors.map_or(String::new(), |colors| format!(", colors by {}", colors.name));
    CurvePlot {
        title: format!("{title}{by}"),
        x: if flat { "row".into() } else { "component 1".into() },
        y: if flat { "component 1".into() } else { "component 2".into() },
        curves,
    }
}

/// The first canonical pairs, side by side.
fn pairs(x: ArrayView2<'_, f64>, y: ArrayView2<'_, f64>, fitted: &dyn Fitted, colors: Option<&Colors>) -> Figure {
    let correlations = numbers(fitted, "correlations");
    let pair = |at: usize| CurvePlot {
        title: match correlations.get(at) {
            Some(rho) => format!("Pair {}: correlation {}", at + 1, crate::numbers::digits(*rho, 3)),
            None => format!("Pair {}", at + 1),
        },
        x: "first view".into(),
        y: "second view".into(),
        curves: clouds(|row| (x[[row, at]], y[[row, at]]), x.nrows(), colors),
    };
    Figure::Curves((0..x.ncols().min(y.ncols()).min(2)).map(pair).collect())
}

/// The first sources, one above the other.
fn signals(sources: ArrayView2<'_, f64>) -> CurvePlot {
    let step = sources.nrows().div_ceil(VALUES).max(1);
    let signal = |j: usize| {
        let shift = -6.0 * j as f64;
        let points = (0..sources.nrows()).step_by(step).map(|row| (row as f64, sources[[row, j]] + shift));
        Curve { label: format!("source {}", j + 1), points: points.collect(), mark: Mark::Line }
    };
    CurvePlot {
        title: "Sources that were found, shifted by 6 standard deviations".into(),
        x: "row".into(),
        y: "value".into(),
        curves: (0..sources.ncols().min(SIGNALS)).map(signal).collect(),
    }
}

fn numbers(fitted: &dyn Fitted, name: &str) -> Vec<f64> {
    match fitted.facts().get(name) {
        Some(FactValue::Array(values)) => values.iter().copied().collect(),
        _ => Vec::new(),
    }
}

/// The eigenvalues, correlations or weights as bars; beside weights of kernels their shares.
pub fn scree(fitted: &dyn Fitted) -> Option<Figure> {
    let names = ["eigenvalues", "correlations", "weights"];
    let (name, values) = names.iter().map(|name| (*name, numbers(fitted, name))).find(|(_, v)| !v.is_empty())?;
    let bars = |values: &[f64], title: String, y: &str| {
        let points = values.iter().take(BARS).enumerate().map(|(at, v)| (at as f64 + 1.0, *v)).collect();
        let curves = vec![Curve { label: String::new(), points, mark: Mark::Bars }];
        CurvePlot { title, x: if name == "weights" { "kernel".into() } else { "number".into() }, y: y.into(), curves }
    };
    let shares = numbers(fitted, "shares");
    let of = if values.len() > BARS { format!(", the first {BARS} of {}", values.len()) } else { String::new() };
    if name != "weights" || shares.len() != values.len() {
        return Some(Figure::Curves(vec![bars(&values, format!("{}: {name}{of}", fitted.entry().title), name)]));
    }
    Some(Figure::Curves(vec![
        bars(&values, format!("Weights of the kernels{of}"), "weight"),
        bars(&shares, format!("Shares of the kernels{of}"), "share of ‖f‖²"),
    ]))
}

/// The clusters on the first two principal components of the kernel, and the eigenvalues.
pub fn clusters(fit: &AnyFit, x: Points<'_>, labels: &[usize], compute: &Compute) -> mercer::Result<Vec<Figure>> {
    let count = labels.iter().max().map_or(0, |last| last + 1);
    let names = (0..count).map(|cluster| format!("cluster {cluster}")).collect();
    let colors = Colors { name: "cluster".into(), of: labels.to_vec(), names };
    let z = match fit.kernel() {
        Some(kernel) => KernelPca::new(kernel.clone(), Some(2)).fit(x.reborrow(), compute)?.transform(x, compute)?,
        None => Array2::zeros((labels.len(), 0)),
    };
    let title = format!("{} on the first two principal components", fit.entry().title);
    let mut figures =
        vec![Figure::Curves(vec![CurvePlot { title: title.clone(), ..scatter(z.view(), &title, Some(&colors)) }])];
    figures.extend(scree(&**fit));
    Ok(figures)
}
