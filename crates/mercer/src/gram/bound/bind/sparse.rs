//! Binding of a kernel to sparse vectors.

use std::sync::Arc;

use ndarray::Array2;

use super::{Binder, bind_vectors, checked};
use crate::error::{MemoryPurpose, Requirement};
use crate::gram::bound::Bound;
use crate::gram::bound::node::Kind;
use crate::gram::bound::slots::Slots;
use crate::gram::bound::sparse::{SparseColumnwise, SparseInner, SparseProfile};
use crate::gram::sparse::{MetricColumns, SparseMetric};
use crate::gram::{MetricKind, median};
use crate::kernel::check_domain::column_positions;
use crate::kernel::object::{ObjectPairs, ObjectTiles};
use crate::kernel::{Base, ColumnRef, Form, Kernel, Lengthscale};
use crate::points::{Csr, PointKind};
use crate::{Compute, Error, Points, Result};

/// Squared norms below this leave room for sums of them.
const LARGEST: f64 = f64::MAX / 16.0;
/// What helps where sparse vectors are too many.
const ADVICE: &str = "use fewer rows, or a higher memory limit";

/// The metrics on the same sparse vectors that kernels share, by their weights.
pub(super) type SparseMetrics = Vec<(Option<Vec<f64>>, Arc<SparseMetric>)>;

/// The column points of such metrics, kept for other rows, by their weights.
pub(in crate::gram::bound) type SparseColumnPoints = Vec<(Option<Vec<f64>>, Arc<MetricColumns>)>;

/// What binding a kernel makes of sparse column points; `None` where the kernel is not the same on
/// other points, as with `median`, or makes no metric of them.
///
/// # Errors
/// As [`Kernel::bind`].
pub(in crate::gram::bound) fn sparse_columns(
    kernel: &Kernel,
    columns: &Csr,
    compute: &Compute,
) -> Result<Option<SparseColumnPoints>> {
    if median::resolve_sparse(kernel, columns, None, compute)? != *kernel {
        return Ok(None);
    }
    kernel.check_sparse(columns)?;
    let mut binder = sparse_binder((columns, None), &[], compute);
    binder.bind(kernel, 0)?;
    let metrics = binder.sparse_metrics.into_iter();
    let kept: SparseColumnPoints = metrics.map(|(weights, metric)| (weights, metric.columns().clone())).collect();
    Ok((!kept.is_empty()).then_some(kept))
}

/// Binds a kernel to sparse rows and column points that are kept.
///
/// # Errors
/// As [`Kernel::bind`].
pub(in crate::gram::bound) fn bind_sparse_beside<'a>(
    kernel: &Kernel,
    rows: &Csr,
    (cols, kept): (&Csr, &SparseColumnPoints),
    compute: &Compute,
) -> Result<Bound<'a>> {
    if cols.width() != rows.width() {
        return Err(Error::shape("columns of the second sample", rows.width(), cols.width()));
    }
    kernel.check_sparse(rows)?;
    let bytes = Points::Sparse(rows).size().bound;
    compute.reserve(MemoryPurpose::Features, "sparse vectors with this kernel", bytes, ADVICE)?;
    let mut binder = sparse_binder((rows, Some(cols)), kept, compute);
    let root = binder.bind(kernel, 0)?;
    checked((kernel.clone(), root), (rows.len(), Some(cols.len())), binder.slots)
}

/// A binder of sparse vectors, with what is kept of the column points.
fn sparse_binder<'a, 'o>(
    (rows, cols): (&'o Csr, Option<&'o Csr>),
    kept: &'o [(Option<Vec<f64>>, Arc<MetricColumns>)],
    compute: &'o Compute,
) -> Binder<'a, 'o> {
    let none = |count: usize| Array2::zeros((count, 0));
    let of_cols = cols.map(|cols| none(cols.len()));
    let mut slots = Slots::of_data(none(rows.len()).view(), of_cols.as_ref().map(|cols| cols.view()));
    slots.dimension = Some(rows.width());
    let pairs = ObjectPairs { rows: Points::Sparse(rows), cols: cols.map(Points::Sparse) };
    Binder { objects: Some((pairs, compute)), kept_sparse: kept, ..Binder::new(slots, Some(compute)) }
}

/// Binds a kernel to sparse vectors.
pub(super) fn bind_sparse<'a>(kernel: &Kernel, rows: &Csr, cols: Option<&Csr>, compute: &Compute) -> Result<Bound<'a>> {
    if let Some(cols) = cols.filter(|cols| cols.width() != rows.width()) {
        return Err(Error::shape("columns of the second sample", rows.width(), cols.width()));
    }
    let kernel = &median::resolve_sparse(kernel, rows, cols, compute)?;
    kernel.check_sparse(rows)?;
    cols.map_or(Ok(()), |cols| kernel.check_sparse(cols))?;
    // Few zeros: dense rows are smaller and faster, and give the values of dense vectors to the bit.
    if rows.is_full() && cols.is_none_or(Csr::is_full) && !kernel.has_features_on(PointKind::Sparse) {
        let of_cols = cols.map(Csr::to_dense);
        return bind_vectors(kernel, rows.to_dense().view(), of_cols.as_ref().map(|cols| cols.view()), compute);
    }
    let bytes = Points::Sparse(rows).size().bound + cols.map_or(0, |cols| Points::Sparse(cols).size().bound);
    compute.reserve(MemoryPurpose::Features, "sparse vectors with this kernel", bytes, ADVICE)?;
    let mut binder = sparse_binder((rows, cols), &[], compute);
    let root = binder.bind(kernel, 0)?;
    checked((kernel.clone(), root), (rows.len(), cols.map(Csr::len)), binder.slots)
}

impl<'a, 'o> Binder<'a, 'o> {
    /// The sparse vectors, if the points are such.
    pub(super) fn sparse_points(&self) -> Option<(&'o Csr, Option<&'o Csr>, &'o Compute)> {
        match self.objects? {
            (ObjectPairs { rows: Points::Sparse(rows), cols: None }, compute) => Some((rows, None, compute)),
            (ObjectPairs { rows: Points::Sparse(rows), cols: Some(Points::Sparse(cols)) }, compute) => {
                Some((rows, Some(cols), compute))
            }
            _ => None,
        }
    }

    /// A base kernel on sparse vectors; none where the points are something else.
    pub(super) fn sparse_base(&mut self, kernel: &Kernel, base: &Base) -> Result<Option<Kind<'a>>> {
        let Some((rows, cols, compute)) = self.sparse_points() else { return Ok(None) };
        let tiles: Box<dyn ObjectTiles> = match base.form() {
            Form::Profile(kind) => {
                let (weights, scale) = match base.lengthscale() {
                    Some(Lengthscale::PerColumn(l)) => (Some(l.iter().map(|l| 1.0 / l.get()).collect()), 1.0),
                    Some(Lengthscale::Shared(l)) if kind == MetricKind::SquaredEuclidean => {
                        (None, 1.0 / (l.get() * l.get()))
                    }
                    Some(Lengthscale::Shared(l)) => (None, 1.0 / l.get()),
                    _ => (None, 1.0),
                };
                check_scale(base, scale, weights.as_deref())?;
                let metric = self.sparse_metric(rows, cols, weights, compute)?;
                self.profile_tiles(kernel, base, kind, metric, scale)?
            }
            Form::Columnwise => Box::new(SparseColumnwise::new(kernel, self.sparse_metric(rows, cols, None, compute)?)),
            _ => return Ok(None),
        };
        Ok(Some(Kind::Object(tiles)))
    }

    fn profile_tiles(
        &self,
        kernel: &Kernel,
        base: &Base,
        kind: MetricKind,
        metric: Arc<SparseMetric>,
        scale: f64,
    ) -> Result<Box<dyn ObjectTiles>> {
        if base.is_inner_product() {
            self.check_range(kernel, &metric, f64::MAX)?;
            return Ok(Box::new(SparseInner(metric)));
        }
        let tiles = SparseProfile::new(base, kind, metric.clone(), scale);
        self.check_range(kernel, &metric, tiles.largest())?;
        Ok(Box::new(tiles))
    }

    /// Refuses points whose norms, or the values from them, leave the range of the numbers.
    fn check_range(&self, kernel: &Kernel, metric: &SparseMetric, largest: f64) -> Result<()> {
        let (rows, cols) = metric.squares();
        let fits = rows.iter().chain(cols.unwrap_or_default()).all(|norm| *norm <= LARGEST);
        if fits && largest.is_finite() {
            return Ok(());
        }
        let Some((rows, cols, _)) = self.sparse_points() else { return Ok(()) };
        let (row, column, value) = larger(largest_entry(rows), cols.map(largest_entry));
        Err(Error::value(kernel.to_string(), (row, column), format!("{value:e}"), Requirement::Representable))
    }

    /// The metric with these weights, made once.
    fn sparse_metric(
        &mut self,
        rows: &Csr,
        cols: Option<&Csr>,
        weights: Option<Vec<f64>>,
        compute: &Compute,
    ) -> Result<Arc<SparseMetric>> {
        if let Some((_, known)) = self.sparse_metrics.iter().find(|(known, _)| *known == weights) {
            return Ok(known.clone());
        }
        let metric = match self.kept_sparse.iter().find(|(known, _)| *known == weights) {
            Some((_, columns)) => SparseMetric::beside(rows, columns.clone(), weights.as_deref(), compute)?,
            None => SparseMetric::new(rows, cols, weights.as_deref(), compute)?,
        };
        self.sparse_metrics.push((weights, metric.clone()));
        Ok(metric)
    }

    /// A kernel on some columns of sparse vectors.
    pub(super) fn on_sparse(&mut self, columns: &[ColumnRef], k: &Kernel, slot: usize) -> Result<Kind<'a>> {
        let Some((rows, cols, compute)) = self.sparse_points() else {
            return Err(Error::unresolved_column("on([…], …)", "0"));
        };
        let chosen = column_positions(columns, rows.width())?;
        let (rows, cols) = (rows.select_columns(&chosen), cols.map(|cols| cols.select_columns(&chosen)));
        let pairs = ObjectPairs { rows: Points::Sparse(&rows), cols: cols.as_ref().map(Points::Sparse) };
        let slots = std::mem::take(&mut self.slots);
        let mut inner = Binder {
            objects: Some((pairs, compute)),
            parameters: self.parameters,
            ..Binder::new(slots, Some(compute))
        };
        let bound = inner.bind(k, slot);
        (self.slots, self.parameters) = (inner.slots, inner.parameters);
        Ok(bound?.kind)
    }
}

/// The row, the column and the size of an entry.
type Entry = (usize, u32, f64);

fn larger(first: Entry, second: Option<Entry>) -> Entry {
    second.filter(|second| second.2.abs() > first.2.abs()).unwrap_or(first)
}

/// The largest entry.
fn largest_entry(x: &Csr) -> Entry {
    let mut largest = (0, 0, 0.0_f64);
    for i in 0..x.len() {
        let (columns, values) = x.row(i);
        for (&column, &value) in columns.iter().zip(values) {
            largest = larger(largest, Some((i, column, value)));
        }
    }
    largest
}

/// Refuses lengthscales whose squares leave the range of the numbers.
fn check_scale(base: &Base, scale: f64, weights: Option<&[f64]>) -> Result<()> {
    if scale.is_normal() && weights.unwrap_or_default().iter().all(|weight| weight.is_normal()) {
        return Ok(());
    }
    let text = base.lengthscale().map_or_else(String::new, Lengthscale::text);
    let requirement = "such that its square stays within the range of the numbers: rescale the data";
    Err(Error::parameter("lengthscale", text, requirement))
}
