//! The picture of a kernel: its sections `k(·, y)` for a few points `y` of a line.

use mercer::gram::{Pairs, dense};
use mercer::kernel::Domain;
use mercer::{Compute, Kernel, Result};
use ndarray::Array2;

use crate::numbers::short;
use crate::plot::{Curve, CurvePlot, Figure, Mark};

const POINTS: usize = 401;

/// Draws the sections.
///
/// # Errors
/// When the kernel cannot be evaluated on one column.
pub fn draw(kernel: &Kernel, compute: &Compute) -> Result<Figure> {
    let (low, high) = interval(kernel);
    let at = |part: f64| low + (high - low) * part;
    let grid = Array2::from_shape_fn((POINTS, 1), |(i, _)| at(i as f64 / (POINTS - 1) as f64));
    let centers = Array2::from_shape_fn((3, 1), |(i, _)| at([0.2, 0.5, 0.8][i]));
    let bound = kernel.bind(Pairs::between(grid.view(), centers.view()), compute)?;
    let values = dense(&bound, compute)?;
    let curve = |j: usize| Curve {
        label: format!("y = {}", short(centers[[j, 0]])).replace('-', "−"),
        points: (0..POINTS).map(|i| (grid[[i, 0]], values[[i, j]])).collect(),
        mark: Mark::Line,
    };
    let curves = (0..3).map(curve).collect();
    Ok(Figure::Curves(vec![CurvePlot { title: kernel.to_string(), x: "x".into(), y: "k(x, y)".into(), curves }]))
}

/// An interval inside the domain of every base kernel.
fn interval(kernel: &Kernel) -> (f64, f64) {
    let own = match kernel {
        Kernel::Base(base) => match base.domain() {
            Domain::UnitInterval | Domain::OpenUnitInterval => (0.001, 0.999),
            Domain::HalfLine | Domain::NonNegativeVectors => (0.0, 3.0),
            _ => (-3.0, 3.0),
        },
        _ => (-3.0, 3.0),
    };
    let meet = |a: (f64, f64), b: (f64, f64)| (a.0.max(b.0), a.1.min(b.1));
    kernel.children().into_iter().map(interval).fold(own, meet)
}
