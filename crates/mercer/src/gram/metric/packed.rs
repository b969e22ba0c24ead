//! Points in the layout of the inner loops.

use std::ops::Range;

use super::{Metric, MetricKind};
use crate::gram::Rows;
use crate::gram::simd::Element;
use crate::gram::simd::pairs::Panels;

/// Row points, packed column points, and the sizes below which a distance is computed again.
#[derive(Debug)]
pub struct Packed<T> {
    /// Row points; `None` when they are the original points.
    pub(super) rows: Option<Vec<T>>,
    pub(super) panels: Panels<T>,
    /// Empty when every value is good as it is.
    pub(super) row_limits: Vec<T>,
    pub(super) column_limits: Vec<T>,
}

/// Where a metric keeps the points packed in this precision. Only `f64` and `f32` are kept.
pub trait Stored: Sized {
    /// The packed points, made at the first use.
    fn packed(metric: &Metric) -> &Packed<Self>;
    /// Writes a tile by inner products, if that is the better way for it; `false` when it is not.
    fn fill_expanded(metric: &Metric, rows: &Rows<'_>, columns: &Range<usize>, out: &mut [Self]) -> bool;
    /// A slice of `f64` as it is, if that is the precision.
    fn same(values: &[f64]) -> Option<&[Self]>;
    /// The other way round.
    fn as_double(values: &[Self]) -> Option<&[f64]>;
}

impl Stored for f64 {
    fn packed(metric: &Metric) -> &Packed<f64> {
        metric.double.get_or_init(|| metric.pack())
    }
    fn fill_expanded(metric: &Metric, rows: &Rows<'_>, columns: &Range<usize>, out: &mut [f64]) -> bool {
        metric.fill_expanded(rows, columns, out)
    }
    fn same(values: &[f64]) -> Option<&[f64]> {
        Some(values)
    }
    fn as_double(values: &[f64]) -> Option<&[f64]> {
        Some(values)
    }
}

impl Stored for f32 {
    fn packed(metric: &Metric) -> &Packed<f32> {
        metric.single.get_or_init(|| metric.pack())
    }
    /// For sparse points whose products are exact. Else never: it would save a tenth of the time
    /// and cost a digit of seven.
    fn fill_expanded(metric: &Metric, rows: &Rows<'_>, columns: &Range<usize>, out: &mut [f32]) -> bool {
        metric.fill_sparse(rows, columns, out)
    }
    fn same(_: &[f64]) -> Option<&[f32]> {
        None
    }
    fn as_double(_: &[f32]) -> Option<&[f64]> {
        None
    }
}

/// The original points: `n × d` row after row.
#[derive(Debug)]
pub(super) struct PointRows {
    pub(super) n: usize,
    pub(super) values: Vec<f64>,
}

impl PointRows {
    pub(super) fn row(&self, i: usize, dims: usize) -> &[f64] {
        &self.values[i * dims..(i + 1) * dims]
    }
}

/// How points are changed before they are packed: `(x − shift)·weight`.
pub(super) struct Change<'a> {
    pub(super) shift: Option<Vec<f64>>,
    pub(super) weights: Option<&'a [f64]>,
}

impl Change<'_> {
    pub(super) fn apply<T: Element>(&self, points: &PointRows, dims: usize) -> Vec<T> {
        let mut packed = Vec::with_capacity(points.values.len());
        for i in 0..points.n {
            packed.extend(self.row::<T>(points.row(i, dims)));
        }
        packed
    }

    /// One point, changed.
    pub(super) fn row<T: Element>(&self, point: &[f64]) -> impl Iterator<Item = T> {
        point.iter().enumerate().map(|(k, &x)| {
            let moved = self.shift.as_ref().map_or(x, |shift| x - shift[k]);
            T::from_f64(self.weights.map_or(moved, |w| moved * w[k]))
        })
    }
}

impl<T: Element> Packed<T> {
    /// The points as they are.
    pub(super) fn unchanged(columns: &PointRows, dims: usize) -> Option<Self> {
        let panels = Panels::new(T::same(&columns.values)?, columns.n, dims);
        Some(Self { rows: None, panels, row_limits: Vec::new(), column_limits: Vec::new() })
    }

    /// The points after a change, which rounds them. `ratio` is the smallest `distance/size` that
    /// survives it.
    pub(super) fn changed(
        kind: MetricKind,
        rows: &PointRows,
        columns: Option<&PointRows>,
        dims: usize,
        change: &Change<'_>,
    ) -> Self {
        let packed_rows = change.apply::<T>(rows, dims);
        let packed_columns = columns.map(|c| change.apply::<T>(c, dims));
        let panels = Panels::new(packed_columns.as_deref().unwrap_or(&packed_rows), columns.unwrap_or(rows).n, dims);
        let row_limits = limits(kind, &packed_rows, dims);
        let column_limits = packed_columns.map_or_else(|| row_limits.clone(), |c| limits(kind, &c, dims));
        Self { rows: Some(packed_rows), panels, row_limits, column_limits }
    }
}

/// A distance below the sum of its two points' limits is computed again: `ρ²‖x‖²` or `ρ‖x‖₁`.
fn limits<T: Element>(kind: MetricKind, points: &[T], dims: usize) -> Vec<T> {
    let ratio = near_ratio::<T>();
    let size = |point: &[T]| match kind {
        MetricKind::SquaredEuclidean => ratio * ratio * point.iter().map(|x| x.to_f64() * x.to_f64()).sum::<f64>(),
        MetricKind::Manhattan => ratio * point.iter().map(|x| x.to_f64().abs()).sum::<f64>(),
        MetricKind::Dot => 0.0,
    };
    match kind {
        MetricKind::Dot => Vec::new(),
        _ if dims == 0 => Vec::new(),
        _ => points.chunks_exact(dims).map(|point| T::from_f64(size(point))).collect(),
    }
}

/// `ρ`: points nearer to each other than `ρ` times their distance from the mean are compared again
/// from the original data. The rounding of the packed points costs a relative error of about `1/ρ`
/// units.
pub(super) fn near_ratio<T: Element>() -> f64 {
    if T::UNIT_ROUNDOFF < 1e-12 { 1.0 / 32.0 } else { 1.0 / 8.0 }
}
