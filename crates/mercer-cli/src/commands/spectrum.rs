//! The picture of a check: the eigenvalues of `K` on the data.

use mercer::gram::{Pairs, dense};
use mercer::solve::eigenvalues;
use mercer::{Compute, Kernel, Result, Sample};
use ndarray::Array2;

use crate::numbers::grouped;
use crate::plot::{Curve, CurvePlot, Figure, Mark};

/// Rows that enter the picture; of more, evenly spaced ones.
const ROWS: usize = 600;

/// Eigenvalues in descending order, those below `−tolerance` apart.
///
/// # Errors
/// As the kernel's on this data.
pub fn draw(kernel: &Kernel, x: &Sample, compute: &Compute) -> Result<Figure> {
    let step = x.len().div_ceil(ROWS).max(1);
    let rows: Vec<usize> = (0..x.len()).step_by(step).collect();
    let sample = x.taken(&rows);
    let matrix = dense(&kernel.bind(Pairs::Within(sample.as_points()), compute)?, compute)?;
    let of = if rows.len() < x.len() {
        format!(", {} of {} rows", grouped(rows.len() as u64), grouped(x.len() as u64))
    } else {
        String::new()
    };
    of_matrix(format!("{}{of}", kernel.short()), &matrix, compute)
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
