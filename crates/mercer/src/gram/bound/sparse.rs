//! Rectangles of base kernels on sparse vectors.

use std::ops::Range;
use std::sync::Arc;

use super::formula::{self, FormulaVisitor};
use super::gradient::profile::{by_metric, by_shape, degree};
use crate::gram::MetricKind;
use crate::gram::simd::{self, Formula};
use crate::gram::sparse::{SparseMetric, Union};
use crate::kernel::object::ObjectTiles;
use crate::kernel::sparse_rows::{RunningSums, SparseRows};
use crate::kernel::{Base, Kernel, Lengthscale};

/// Numbers for the row points and, where there are others, for the column points.
type Sides = (Vec<f64>, Option<Vec<f64>>);

/// `profile(scale · metric)`.
#[derive(Debug)]
pub(super) struct SparseProfile {
    base: Base,
    kind: MetricKind,
    metric: Arc<SparseMetric>,
    scale: f64,
    diagonals: Sides,
    largest: f64,
}

impl SparseProfile {
    pub(super) fn new(base: &Base, kind: MetricKind, metric: Arc<SparseMetric>, scale: f64) -> Self {
        let value = |s: f64| base.profile_value(s * scale).map_or(f64::INFINITY, f64::abs);
        let ends = [0.0, metric.largest(kind), if kind == MetricKind::Dot { -metric.largest(kind) } else { 0.0 }];
        let largest = ends.map(value).into_iter().fold(0.0, |m, v| if v.is_nan() { f64::INFINITY } else { v.max(m) });
        let mut made = Self { base: base.clone(), kind, metric, scale, diagonals: (Vec::new(), None), largest };
        let (rows, cols) = made.own_metric();
        made.diagonals = (made.mapped(rows), cols.map(|cols| made.mapped(cols)));
        made
    }

    /// The metric of the points with themselves.
    fn own_metric(&self) -> Sides {
        let (rows, cols) = self.metric.squares();
        let of = |squares: &[f64]| match self.kind {
            MetricKind::Dot => squares.to_vec(),
            _ => vec![0.0; squares.len()],
        };
        (of(rows), cols.map(of))
    }

    fn mapped(&self, mut values: Vec<f64>) -> Vec<f64> {
        formula::visit(&self.base, self.scale, InPlace(&mut values));
        values
    }

    /// `∂k/∂θ` of values of the metric; a lengthscale of one column is without its own factor.
    fn slopes(&self, own: usize, metric: &[f64]) -> Vec<f64> {
        match self.base.lengthscale() {
            Some(Lengthscale::Shared(l)) if own == 0 => {
                let chain = -degree(self.kind) / l.get();
                by_metric(&self.base, self.scale, true, metric).1.into_iter().map(|slope| chain * slope).collect()
            }
            Some(Lengthscale::PerColumn(l)) if own < l.len() => by_metric(&self.base, self.scale, false, metric).1,
            lengthscale => by_shape(&self.base, self.scale, own - lengthscale.map_or(0, Lengthscale::count), metric),
        }
    }

    /// The lengthscale of a column, if the parameter is one.
    fn own_column(&self, own: usize) -> Option<f64> {
        match self.base.lengthscale() {
            Some(Lengthscale::PerColumn(l)) => l.get(own).map(|l| l.get()),
            _ => None,
        }
    }
}

impl ObjectTiles for SparseProfile {
    fn fill(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        self.metric.fill(self.kind, rows, cols, None, out);
        formula::visit(&self.base, self.scale, InPlace(out));
    }

    fn fill_running(&self, rows: &[usize], cols: Range<usize>, sums: &mut RunningSums, out: &mut [f64]) {
        self.metric.fill(self.kind, rows, cols, Some(sums), out);
        formula::visit(&self.base, self.scale, InPlace(out));
    }

    fn diagonals(&self) -> (&[f64], Option<&[f64]>) {
        (&self.diagonals.0, self.diagonals.1.as_deref())
    }

    fn largest(&self) -> f64 {
        self.largest
    }

    fn is_non_negative(&self) -> bool {
        self.base.is_non_negative()
    }

    fn has_quick_slopes(&self) -> bool {
        true
    }

    fn operations(&self) -> usize {
        // An exponential.
        self.metric.operations() + 10
    }

    fn fill_derivative(&self, own: usize, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        self.metric.fill(self.kind, rows, cols.clone(), None, out);
        out.copy_from_slice(&self.slopes(own, out));
        let Some(length) = self.own_column(own) else { return };
        let (of_rows, of_cols) = self.metric.sides();
        for (&i, line) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
            let x = coordinate(of_rows, i, own);
            for (value, j) in line.iter_mut().zip(cols.clone()) {
                // The values are in units of the lengthscale already.
                let z = x - coordinate(of_cols, j, own);
                *value *= if self.kind == MetricKind::SquaredEuclidean { -2.0 * z * z } else { -z.abs() } / length;
            }
        }
    }

    fn diagonal_derivatives(&self, own: usize) -> (Vec<f64>, Vec<f64>) {
        let (rows, cols) = self.own_metric();
        let of = |metric: &[f64]| match self.own_column(own) {
            Some(_) => vec![0.0; metric.len()],
            None => self.slopes(own, metric),
        };
        let of_rows = of(&rows);
        (of_rows.clone(), cols.map_or(of_rows, |cols| of(&cols)))
    }
}

/// A coordinate of a point.
fn coordinate(rows: &SparseRows, i: usize, column: usize) -> f64 {
    let (columns, values) = rows.row(i);
    columns.binary_search(&(column as u32)).map_or(0.0, |at| values[at])
}

struct InPlace<'v>(&'v mut [f64]);

impl FormulaVisitor for InPlace<'_> {
    type Output = ();

    fn visit<F: Formula>(self, formula: &F) {
        simd::map_in_place(formula, 1.0, self.0);
    }
}

/// `⟨x, y⟩`: the matrix is its own explicit features.
#[derive(Debug)]
pub(super) struct SparseInner(pub(super) Arc<SparseMetric>);

impl ObjectTiles for SparseInner {
    fn fill(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        self.0.fill(MetricKind::Dot, rows, cols, None, out);
    }

    fn fill_running(&self, rows: &[usize], cols: Range<usize>, sums: &mut RunningSums, out: &mut [f64]) {
        self.0.fill(MetricKind::Dot, rows, cols, Some(sums), out);
    }

    fn diagonals(&self) -> (&[f64], Option<&[f64]>) {
        self.0.squares()
    }

    fn operations(&self) -> usize {
        self.0.operations()
    }

    fn features(&self) -> Option<(&SparseRows, &SparseRows)> {
        Some(self.0.sides())
    }
}

/// A kernel that is one pass over the columns, in which columns with two zeros change nothing.
#[derive(Debug)]
pub(super) struct SparseColumnwise {
    kernel: Kernel,
    parameters: Vec<f64>,
    metric: Arc<SparseMetric>,
    diagonals: Sides,
}

impl SparseColumnwise {
    pub(super) fn new(kernel: &Kernel, metric: Arc<SparseMetric>) -> Self {
        let parameters = kernel.parameter_values::<f64>();
        let of = |rows: &SparseRows| {
            (0..rows.len()).map(|i| kernel.value(&parameters, rows.row(i).1, rows.row(i).1)).collect()
        };
        let (rows, cols) = metric.sides();
        let diagonals = (of(rows), metric.squares().1.map(|_| of(cols)));
        Self { kernel: kernel.clone(), parameters, metric, diagonals }
    }
}

impl ObjectTiles for SparseColumnwise {
    fn fill(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        let (of_rows, of_cols) = self.metric.sides();
        let mut union = Union::default();
        for (&i, line) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
            for (value, j) in line.iter_mut().zip(cols.clone()) {
                union.set(of_rows, i, of_cols, j);
                *value = self.kernel.value(&self.parameters, &union.x, &union.y);
            }
        }
    }

    fn diagonals(&self) -> (&[f64], Option<&[f64]>) {
        (&self.diagonals.0, self.diagonals.1.as_deref())
    }

    fn operations(&self) -> usize {
        let (rows, _) = self.metric.sides();
        // Both rows of a pair, and a function of every column.
        20 * (1 + 2 * rows.columns.len() / rows.len().max(1))
    }

    fn fill_derivative(&self, own: usize, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        let (of_rows, of_cols) = self.metric.sides();
        let mut union = Union::default();
        for (&i, line) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
            for (value, j) in line.iter_mut().zip(cols.clone()) {
                union.set(of_rows, i, of_cols, j);
                *value = self.slope(own, &union.x, &union.y);
            }
        }
    }

    fn diagonal_derivatives(&self, own: usize) -> (Vec<f64>, Vec<f64>) {
        let of = |rows: &SparseRows| (0..rows.len()).map(|i| self.slope(own, rows.row(i).1, rows.row(i).1)).collect();
        let (rows, cols) = self.metric.sides();
        (of(rows), of(cols))
    }
}

impl SparseColumnwise {
    /// `∂k/∂θ` by the formula in dual numbers.
    fn slope(&self, own: usize, x: &[f64], y: &[f64]) -> f64 {
        use crate::real::{Dual, Real};
        let lift = |v: &[f64]| v.iter().map(|&v| Dual::<f64>::from_f64(v)).collect::<Vec<_>>();
        let mut p = self.kernel.parameter_values::<Dual<f64>>();
        p[own].derivative = 1.0;
        self.kernel.value(&p, &lift(x), &lift(y)).derivative
    }
}
