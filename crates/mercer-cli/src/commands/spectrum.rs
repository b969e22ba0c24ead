//! The picture of a check: the eigenvalues of `K` on the data.

use mercer::gram::{Pairs, dense};
use mercer::solve::eigenvalues;
use mercer::{Compute, Kernel, Result};
use ndarray::{Array2, ArrayView2, Axis};

use crate::plot::{Curve, CurvePlot, Figure, Mark};

/// Rows that enter the picture; of more, evenly spaced ones.
const ROWS: usize = 600;

/// Eigenvalues in descending order, those below `−tolerance` apart.
///
/// # Errors
/// As the kernel's on this data.
pub fn draw(kernel: &Kernel, x: ArrayView2<'_, f64>, compute: &Compute) -> Result<Figure> {
    let step = x.nrows().div_ceil(ROWS).max(1);
    let rows: Vec<usize> = (0..x.nrows()).step_by(step).collect();
    let sample = x.select(Axis(0), &rows);
    let matrix = dense(&kernel.bind(Pairs::within(sample.view()), compute)?, compute)?;
    of_matrix(kernel.to_string(), &matrix, compute)
}

/// The eigenvalues of a matrix that is there already.
pub fn of_matrix(title: String, matrix: &Array2<f64>, compute: &Compute) -> Result<Figure> {
    let tolerance = matrix.nrows() as f64 * f64::EPSILON * matrix.diag().mapv(f64::abs).sum();
    let points: Vec<(f64, f64)> =
        eigenvalues(matrix.view(), compute)?.into_iter().rev().enumerate().map(|(i, v)| ((i + 1) as f64, v)).collect();
    let (negative, other): (Vec<_>, Vec<_>) = points.into_iter().partition(|p| p.1 < -tolerance);
    let mut curves = vec![Curve { label: format!("{} not negative", other.len()), points: other, mark: Mark::Dots }];
    if !negative.is_empty() {
        curves.push(Curve { label: format!("{} negative", negative.len()), points: negative, mark: Mark::Dots });
    }
    let title = format!("Eigenvalues: {title}");
    Ok(Figure::Curves(vec![CurvePlot { title, x: "number".into(), y: "eigenvalue of K".into(), curves }]))
}
