//! Points in the layout of the inner loops.

use std::ops::Range;

use super::columns::Columns;
use super::{Metric, MetricKind};
use crate::compute::Workers;
use crate::gram::Rows;
use crate::gram::coordinates::Coordinates;
use crate::gram::simd::Element;
use crate::gram::simd::pairs::Panels;
use crate::gram::simd::zeroed;

/// Row points and the sizes below which a distance is computed again.
#[derive(Debug)]
pub struct PackedRows<T> {
    /// `None` when they are the original points.
    pub(super) points: Option<Vec<T>>,
    /// Empty when every value is good as it is.
    pub(super) limits: Vec<T>,
}

/// Packed column points and the sizes below which a distance is computed again.
#[derive(Debug)]
pub struct PackedColumns<T> {
    pub(super) panels: Panels<T>,
    /// Empty when every value is good as it is.
    pub(super) limits: Vec<T>,
}

/// Where a metric keeps the points packed in this precision. Only `f64` and `f32` are kept.
pub trait Stored: Sized {
    /// The packed points, made at the first use.
    fn packed(metric: &Metric) -> (&PackedRows<Self>, &PackedColumns<Self>);
    /// Writes a tile by inner products, if that is the better way for it; `false` when it is not.
    fn fill_expanded(metric: &Metric, rows: &Rows<'_>, columns: &Range<usize>, out: &mut [Self]) -> bool;
    /// A slice of `f64` as it is, if that is the precision.
    fn same(values: &[f64]) -> Option<&[Self]>;
    /// The other way round.
    fn as_double(values: &[Self]) -> Option<&[f64]>;
}

impl Stored for f64 {
    fn packed(metric: &Metric) -> (&PackedRows<f64>, &PackedColumns<f64>) {
        let columns = metric.columns.double.get_or_init(|| PackedColumns::new(&metric.columns, Workers::One));
        (metric.double.get_or_init(|| PackedRows::new(&metric.rows, &metric.columns, Workers::One)), columns)
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
    fn packed(metric: &Metric) -> (&PackedRows<f32>, &PackedColumns<f32>) {
        let columns = metric.columns.single.get_or_init(|| PackedColumns::new(&metric.columns, Workers::One));
        (metric.single.get_or_init(|| PackedRows::new(&metric.rows, &metric.columns, Workers::One)), columns)
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

/// Points that are changed by one thread at a time. Any few dozen would do.
pub(super) const CHUNK: usize = 64;

/// How points are changed before they are packed: `(x − shift)·weight`.
pub(super) struct Change<'a> {
    pub(super) shift: Option<&'a [f64]>,
    pub(super) weights: Option<&'a [f64]>,
}

impl Change<'_> {
    /// Writes a point, changed.
    pub(super) fn write<T: Element>(&self, point: &[f64], to: &mut [T]) {
        to.iter_mut().zip(self.row::<T>(point)).for_each(|(to, value)| *to = value);
    }

    /// One point, changed.
    pub(super) fn row<T: Element>(&self, point: &[f64]) -> impl Iterator<Item = T> {
        point.iter().enumerate().map(|(k, &x)| {
            let moved = self.shift.map_or(x, |shift| x - shift[k]);
            T::from_f64(self.weights.map_or(moved, |w| moved * w[k]))
        })
    }
}

/// The original points, where they are used as they are.
fn unchanged<'a, T: Element>(points: &'a Coordinates, columns: &Columns) -> Option<&'a [T]> {
    T::same(points.as_slice()).filter(|_| columns.weights.is_none())
}

impl<T: Element> PackedRows<T> {
    pub(super) fn new(points: &Coordinates, columns: &Columns, workers: Workers<'_>) -> Self {
        if unchanged::<T>(points, columns).is_some() {
            return Self { points: None, limits: Vec::new() };
        }
        let (dims, change) = (points.ncols(), columns.change());
        let mut changed = zeroed::<T>(points.len());
        workers.each_chunk(&mut changed, CHUNK * dims, |at, chunk| {
            for (i, row) in chunk.chunks_exact_mut(dims.max(1)).enumerate() {
                change.write(points.point(at * CHUNK + i), row);
            }
        });
        let sizes = limits(columns.kind, points.nrows(), workers, |i| &changed[i * dims..(i + 1) * dims]);
        Self { points: Some(changed), limits: sizes }
    }
}

impl<T: Element> PackedColumns<T> {
    pub(super) fn new(columns: &Columns, workers: Workers<'_>) -> Self {
        let points = &columns.points;
        let (n, dims) = points.dim();
        if let Some(points) = unchanged(points, columns) {
            return Self { panels: Panels::new(points, n, dims, workers), limits: Vec::new() };
        }
        let change = columns.change();
        let panels = Panels::written(n, dims, workers, |j, packed: &mut [T]| change.write(points.point(j), packed));
        let changed = |j: usize| change.row::<T>(points.point(j)).collect::<Vec<T>>();
        Self { panels, limits: limits(columns.kind, n, workers, changed) }
    }
}

/// A distance below the sum of its two points' limits is computed again: `ρ²‖x‖²` or `ρ‖x‖₁`.
fn limits<T: Element, P: AsRef<[T]>>(
    kind: MetricKind,
    n: usize,
    workers: Workers<'_>,
    point: impl Fn(usize) -> P + Sync,
) -> Vec<T> {
    let ratio = near_ratio::<T>();
    let size = |point: &[T]| match kind {
        MetricKind::SquaredEuclidean => ratio * ratio * point.iter().map(|x| x.to_f64() * x.to_f64()).sum::<f64>(),
        MetricKind::Manhattan => ratio * point.iter().map(|x| x.to_f64().abs()).sum::<f64>(),
        MetricKind::Dot => 0.0,
    };
    if kind == MetricKind::Dot {
        return Vec::new();
    }
    let mut sizes = vec![T::default(); n];
    workers.each_chunk(&mut sizes, CHUNK, |at, chunk| {
        for (i, to) in chunk.iter_mut().enumerate() {
            *to = T::from_f64(size(point(at * CHUNK + i).as_ref()));
        }
    });
    sizes
}

/// `ρ`: points nearer to each other than `ρ` times their distance from the mean are compared again
/// from the original data. The rounding of the packed points costs a relative error of about `1/ρ`
/// units.
pub(super) fn near_ratio<T: Element>() -> f64 {
    if T::UNIT_ROUNDOFF < 1e-12 { 1.0 / 32.0 } else { 1.0 / 8.0 }
}
