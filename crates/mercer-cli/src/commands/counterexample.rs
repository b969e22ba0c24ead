//! The pictures of a counterexample: the weights at their points, and the kernel values among them.

use mercer::definiteness::Check;
use mercer::gram::{Pairs, dense};
use mercer::kernel::Counterexample;
use mercer::{Compute, Kernel, Result};

use crate::numbers::{digits, short};
use crate::plot::{Curve, CurvePlot, Figure, HeatMap, Mark};

/// Points whose weights are written beside them.
const NAMED: usize = 12;

/// The weights, and the matrix where the points are vectors; nothing if the kernel is not refuted.
///
/// # Errors
/// As the kernel's on these points.
pub fn draw(kernel: &Kernel, found: &Check, names: &[String], compute: &Compute) -> Result<Vec<Figure>> {
    let Some(example) = found.counterexample().filter(|example| !example.weights.is_empty()) else {
        return Ok(Vec::new());
    };
    let mut figures = vec![Figure::Curves(vec![weights(kernel, example, names)])];
    if example.points.nrows() == example.weights.len() {
        let matrix = dense(&kernel.bind(Pairs::within(example.points.view()), compute)?, compute)?;
        let title = format!("{} at the points of the counterexample", kernel.short());
        let (shape, bar, labels) = (matrix.dim(), "k(xᵢ, xⱼ)".into(), None);
        figures.push(Figure::Heat(HeatMap { title, cells: matrix, shape, bar, labels, groups: Vec::new() }));
    }
    Ok(figures)
}

/// In a plane the points with their weights; along a line, or by number, the weights as heights.
fn weights(kernel: &Kernel, example: &Counterexample, names: &[String]) -> CurvePlot {
    let count = example.weights.len();
    let coordinate = |row: usize, column: usize| example.points[[row, column]];
    let width = if example.points.nrows() == count { example.points.ncols() } else { 0 };
    let at = |i: usize| match width {
        1 => (coordinate(i, 0), example.weights[i]),
        2 => (coordinate(i, 0), coordinate(i, 1)),
        _ => ((i + 1) as f64, example.weights[i]),
    };
    let mut curves = Vec::new();
    for (label, positive) in [("positive weight", true), ("negative weight", false)] {
        let rows: Vec<usize> = (0..count).filter(|&i| (example.weights[i] > 0.0) == positive).collect();
        if rows.is_empty() {
            continue;
        }
        let points = rows.iter().map(|&i| at(i)).collect();
        curves.push(Curve { label: label.into(), points, mark: Mark::Dots });
        if width != 2 {
            let stems = rows.iter().flat_map(|&i| [(at(i).0, 0.0), at(i)]).collect();
            curves.push(Curve { label: String::new(), points: stems, mark: Mark::Segments });
        }
    }
    if count <= NAMED {
        curves.extend((0..count).map(|i| {
            let label = digits(example.weights[i], 3).replace('-', "−");
            Curve { label, points: vec![at(i)], mark: Mark::Text }
        }));
    }
    let name = |j: usize| names.get(j).cloned().unwrap_or_else(|| format!("x{j}"));
    let (x, y) = match width {
        1 => (name(0), "weight c".to_owned()),
        2 => (name(0), name(1)),
        _ => ("point".to_owned(), "weight c".to_owned()),
    };
    let value = short(example.value).replace('-', "−");
    CurvePlot { title: format!("Not positive semi-definite: c'Kc = {value} for {}", kernel.short()), x, y, curves }
}
