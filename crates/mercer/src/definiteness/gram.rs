//! Gram matrices of small point sets by the reference evaluation.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use crate::Kernel;
use crate::kernel::{ColumnRef, Series};

/// A kernel with its numbers at hand.
pub(super) struct Evaluator<'k> {
    pub kernel: &'k Kernel,
    parameters: Vec<f64>,
    has_radius: bool,
}

impl<'k> Evaluator<'k> {
    pub(super) fn new(kernel: &'k Kernel) -> Self {
        Self { kernel, parameters: kernel.parameter_values(), has_radius: has_radius(kernel) }
    }

    /// The Gram matrix; `None` if the points are outside the domain, or a value is not finite.
    pub(super) fn gram(&self, points: ArrayView2<f64>) -> Option<Array2<f64>> {
        self.kernel.check_vectors(points).ok()?;
        self.gram_of_checked(points)
    }

    fn gram_of_checked(&self, points: ArrayView2<f64>) -> Option<Array2<f64>> {
        let rows: Vec<Vec<f64>> = points.rows().into_iter().map(|r| r.to_vec()).collect();
        let lower: Vec<Vec<f64>> = (0..rows.len()).into_par_iter().map(|i| self.row(&rows, i)).collect();
        let gram = Array2::from_shape_fn((rows.len(), rows.len()), |(i, j)| lower[i.max(j)][i.min(j)]);
        gram.iter().all(|v| v.is_finite()).then_some(gram)
    }

    /// Row `i` up to the diagonal; NaN outside the radius of a series.
    fn row(&self, rows: &[Vec<f64>], i: usize) -> Vec<f64> {
        let value = |j: usize| {
            if self.has_radius && outside_radius(self.kernel, &rows[i], &rows[j]) {
                f64::NAN
            } else {
                self.kernel.value(&self.parameters, &rows[i], &rows[j])
            }
        };
        (0..=i).map(value).collect()
    }
}

fn has_radius(kernel: &Kernel) -> bool {
    let here = matches!(kernel, Kernel::Series(series, _) if series.radius().is_finite());
    here || kernel.children().into_iter().any(has_radius)
}

/// Whether some power series of the expression is evaluated outside its radius at this pair.
fn outside_radius(kernel: &Kernel, x: &[f64], y: &[f64]) -> bool {
    match kernel {
        Kernel::Series(series, k) if !inside(series, k, x, y) => true,
        Kernel::On(columns, k) => outside_radius(k, &choose(columns, x), &choose(columns, y)),
        Kernel::Transformed(map, k) => outside_radius(k, &map.apply(x), &map.apply(y)),
        Kernel::Based(at, k) => {
            let at = at.coordinates();
            [(x, at), (y, at), (x, y), (at, at)].into_iter().any(|(a, b)| outside_radius(k, a, b))
        }
        Kernel::Induced(points, k) => points.rows().iter().any(|z| outside_radius(k, x, z) || outside_radius(k, y, z)),
        Kernel::Normalized(k) => [(x, x), (y, y), (x, y)].into_iter().any(|(a, b)| outside_radius(k, a, b)),
        _ => kernel.children().into_iter().any(|k| outside_radius(k, x, y)),
    }
}

fn inside(series: &Series, k: &Kernel, x: &[f64], y: &[f64]) -> bool {
    series.radius().is_infinite() || k.value(&k.parameter_values::<f64>(), x, y).abs() < series.radius()
}

fn choose(columns: &[ColumnRef], x: &[f64]) -> Vec<f64> {
    columns.iter().filter_map(|c| if let ColumnRef::Index(j) = c { x.get(*j).copied() } else { None }).collect()
}
