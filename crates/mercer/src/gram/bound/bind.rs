//! Binding of a kernel to data: all checks are made here, so that tiles cannot fail.

mod sparse;

use std::sync::{Arc, OnceLock};

use ndarray::{Array2, ArrayView2, Axis, CowArray, Ix2};

pub(super) use self::sparse::{SparseColumnPoints, bind_sparse_beside, sparse_columns};
use self::sparse::{SparseMetrics, bind_sparse};
use super::fill::Tile;
use super::node::{Kind, Node, Pointwise};
use super::shared::SharedFeatures;
use super::slots::Slots;
use super::{Bound, diagonal, embedding, node_paths, range};
use crate::compute::Workers;
use crate::error::{MemoryPurpose, PrecomputedNeed, Requirement};
use crate::gram::sparse::MetricColumns;
use crate::gram::{MetricKind, Pairs, median};
use crate::kernel::algebra::columns::named_column;
use crate::kernel::check_domain::rows_to_array;
use crate::kernel::closed_forms::Circles;
use crate::kernel::equal_objects::EqualObjects;
use crate::kernel::object::ObjectPairs;
use crate::kernel::process::brownian::Brownian;
use crate::kernel::{Base, ColumnRef, Form, Kernel, Lengthscale, Property, Terms};
use crate::points::{Mixed, PointKind, References};
use crate::{Compute, Error, Points, Result};

impl Kernel {
    /// Binds the kernel to pairs of points: checks the domain, resolves medians, does per-point
    /// work once.
    ///
    /// # Errors
    /// [`Error::Value`] for NaN, infinities and values outside the domain, [`Error::Shape`] for
    /// columns that do not fit, [`Error::Precomputed`] or [`Error::Undetermined`] for points of the
    /// wrong kind, or a series outside its radius of convergence. Entries on which values would
    /// overflow are outside the domain, too.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, Kernel, gram::{self, Pairs}};
    /// use ndarray::array;
    /// let (x, compute) = (array![[0.0], [1.0], [3.0]], Compute::new());
    /// let k: Kernel = "gaussian(lengthscale=median)".parse()?;
    /// let bound = k.bind(Pairs::within(x.view()), &compute)?;
    /// assert_eq!(bound.kernel().to_string(), "gaussian(lengthscale=2)");
    /// let gram = gram::dense(&bound, &compute)?;
    /// mercer::assert_close!(gram[[1, 2]], (-0.5_f64).exp(), abs = 1e-15);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn bind<'a>(&self, pairs: Pairs<'a>, compute: &Compute) -> Result<Bound<'a>> {
        match pairs {
            Pairs::Within(x) => bind_points(self, x, None, compute),
            Pairs::Between(x, y) => bind_points(self, x, Some(y), compute),
        }
    }
}

fn bind_points<'a>(kernel: &Kernel, x: Points<'a>, y: Option<Points<'a>>, compute: &Compute) -> Result<Bound<'a>> {
    x.check_finite(if let Points::Precomputed(_) = x { "precomputed matrix" } else { "first sample" })?;
    y.map_or(Ok(()), |y| y.check_finite("second sample"))?;
    match (x, y) {
        (Points::Vectors(x), None) => bind_vectors(kernel, x, None, compute),
        (Points::Vectors(x), Some(Points::Vectors(y))) => bind_vectors(kernel, x, Some(y), compute),
        (Points::Precomputed(values), None) => bind_matrix(kernel, values.into(), is_symmetric(values)),
        (Points::Precomputed(values), Some(Points::References(to))) => bind_references(kernel, values, to),
        (Points::Mixed(x), None) => bind_mixed(kernel, x, None, compute),
        (Points::Mixed(x), Some(Points::Mixed(y))) => bind_mixed(kernel, x, Some(y), compute),
        (Points::Sparse(x), None) => bind_sparse(kernel, x, None, compute),
        // One of them may be dense.
        (x @ (Points::Sparse(_) | Points::Vectors(_)), Some(y @ (Points::Sparse(_) | Points::Vectors(_)))) => {
            bind_sparse(kernel, x.sparse()?.as_ref(), Some(y.sparse()?.as_ref()), compute)
        }
        (x, Some(y)) if x.kind() != y.kind() => Err(other_kind(kernel, &x, &y)),
        (x, y) => {
            let pairs = ObjectPairs { rows: x.reborrow(), cols: y.as_ref().map(Points::reborrow) };
            bind_objects(kernel, pairs, None, compute)
        }
    }
}

/// The error for two samples of different kinds: with the kernel, if it takes one of them.
fn other_kind(kernel: &Kernel, x: &Points<'_>, y: &Points<'_>) -> Error {
    let takes = kernel.point_kind();
    let wrong = [x.kind(), y.kind()].into_iter().find(|kind| takes.is_some_and(|takes| takes != *kind));
    match (takes, wrong) {
        (Some(takes), Some(found)) => Error::wrong_points(kernel, takes, found),
        _ => x.differs_from(y),
    }
}

/// Binds a kernel to objects, with the features that it shares with other kernels.
pub(super) fn bind_objects<'a, 'o>(
    kernel: &Kernel,
    objects: ObjectPairs<'o>,
    shared: Option<&'o SharedFeatures>,
    compute: &'o Compute,
) -> Result<Bound<'a>> {
    kernel.check_objects(objects.rows.kind())?;
    reserve(kernel, objects, compute)?;
    let kernel = &median::resolve_objects(kernel, objects, compute)?;
    let (n, m) = (objects.rows.len(), objects.cols.map(|cols| cols.len()));
    let (rows, cols) = (Array2::zeros((n, 0)), m.map(|m| Array2::zeros((m, 0))));
    let slots = Slots::of_data(rows.view(), cols.as_ref().map(|cols| cols.view()));
    let objects = Some((objects, compute));
    let mut binder = Binder { objects, shared, ..Binder::new(slots, Some(compute)) };
    let root = binder.bind(kernel, 0)?;
    checked((kernel.clone(), root), (n, m), binder.slots)
}

/// Asks for the memory of what every kernel on objects makes of them.
fn reserve(kernel: &Kernel, objects: ObjectPairs<'_>, compute: &Compute) -> Result<()> {
    let bytes = objects.rows.size().bound + objects.cols.map_or(0, |cols| cols.size().bound);
    let what = format!("{} with this kernel", objects.rows.kind());
    let advice = "use fewer or smaller points, or a higher memory limit";
    compute.reserve(MemoryPurpose::Features, &what, object_leaves(kernel) * bytes, advice)
}

/// The kernels in an expression that bring their own features of objects.
fn object_leaves(kernel: &Kernel) -> u64 {
    match kernel {
        Kernel::Base(base) => u64::from(base.domain().objects().is_some()),
        Kernel::Embedded(..) | Kernel::NodePaths(..) => 1,
        other => other.children().into_iter().map(object_leaves).sum(),
    }
}

pub(super) fn bind_vectors<'a>(
    kernel: &Kernel,
    rows: ArrayView2<'_, f64>,
    cols: Option<ArrayView2<'_, f64>>,
    compute: &Compute,
) -> Result<Bound<'a>> {
    if let Some(cols) = cols
        && cols.ncols() != rows.ncols()
    {
        return Err(Error::shape("columns of the second sample", rows.ncols(), cols.ncols()));
    }
    let kernel = median::resolve(kernel, rows, cols, compute)?;
    kernel.check_vectors(rows)?;
    cols.map_or(Ok(()), |cols| kernel.check_vectors(cols))?;
    let slots = Slots::of_data_by(rows, cols, Workers::All(compute));
    let mut binder = Binder::new(slots, Some(compute));
    let root = binder.bind(&kernel, 0)?;
    checked((kernel, root), (rows.nrows(), cols.map(|cols| cols.nrows())), binder.slots)
}

/// Binds a kernel to row points beside column points that were all points of a symmetric binding of
/// it.
pub(super) fn bind_beside<'a>(
    kernel: &Kernel,
    rows: ArrayView2<'_, f64>,
    columns: &Arc<Slots>,
    compute: &Compute,
) -> Result<Bound<'a>> {
    let known = &columns.points[0].rows;
    if known.ncols() != rows.ncols() {
        return Err(Error::shape("columns of the second sample", rows.ncols(), known.ncols()));
    }
    kernel.check_vectors(rows)?;
    let mut binder = Binder::new(Slots::beside(rows, columns.clone(), Workers::All(compute)), Some(compute));
    let root = binder.bind(kernel, 0)?;
    checked((kernel.clone(), root), (rows.nrows(), Some(known.nrows())), binder.slots)
}

/// A bound kernel of this many row points and, where there are others, column points, if no value
/// overflows.
fn checked<'a>((kernel, root): (Kernel, Node<'a>), (n, m): (usize, Option<usize>), slots: Slots) -> Result<Bound<'a>> {
    let fits_single = range::check(&root, &slots)?;
    let (shape, symmetric, composed) = ((n, m.unwrap_or(n)), m.is_none(), OnceLock::new());
    Ok(Bound { kernel, shape, symmetric, slots, root, precomputed: false, fits_single, composed })
}

fn bind_mixed<'a>(kernel: &Kernel, x: &Mixed, y: Option<&Mixed>, compute: &Compute) -> Result<Bound<'a>> {
    y.map_or(Ok(()), |y| x.check_columns(y))?;
    let kernel = kernel.with_mixed_names(x)?;
    let kernel = median::resolve_mixed(&kernel, x, y, compute)?;
    kernel.check_mixed(x)?;
    y.map_or(Ok(()), |y| kernel.check_mixed(y))?;
    let slots = Slots::of_data(x.numbers(), y.map(Mixed::numbers));
    let mut binder = Binder { mixed: Some((x, y, compute)), ..Binder::new(slots, Some(compute)) };
    let root = binder.bind(&kernel, 0)?;
    checked((kernel, root), (x.len(), y.map(Mixed::len)), binder.slots)
}

/// The same kernel on some of the points of a symmetric binding. They were checked when all of them
/// were bound.
pub(super) fn bind_some<'a>(all: &Bound<'_>, points: &[usize]) -> Option<Bound<'a>> {
    let data = all.slots.points[0].rows.select(Axis(0), points);
    let mut binder = Binder::new(Slots::of_data(data.view(), None), None);
    let root = binder.bind(&all.kernel, 0).ok()?;
    let (kernel, shape) = (all.kernel.clone(), (points.len(), points.len()));
    Some(Bound {
        kernel,
        shape,
        symmetric: true,
        slots: binder.slots,
        root,
        precomputed: false,
        fits_single: all.fits_single,
        composed: OnceLock::new(),
    })
}

/// New points by their kernel values with all points of the fit, some of which are still needed.
fn bind_references<'a>(kernel: &Kernel, values: ArrayView2<'a, f64>, to: &References) -> Result<Bound<'a>> {
    if values.ncols() != to.of() {
        return Err(Error::shape(
            "kernel values of a new point",
            format!("one per fitted point ({})", to.of()),
            values.ncols(),
        ));
    }
    let values = to.kept().map_or_else(|| values.into(), |kept| values.select(Axis(1), kept).into());
    // A square matrix of values between two samples may happen to be symmetric: it counts as any other.
    bind_matrix(kernel, values, false)
}

fn is_symmetric(matrix: ArrayView2<'_, f64>) -> bool {
    matrix.is_square() && matrix.indexed_iter().all(|((i, j), v)| *v == matrix[[j, i]])
}

fn bind_matrix<'a>(kernel: &Kernel, matrix: CowArray<'a, f64, Ix2>, symmetric: bool) -> Result<Bound<'a>> {
    let shape = matrix.dim();
    let empty = Array2::zeros((0, 0));
    let slots = Slots::of_data(empty.view(), None);
    let mut binder = Binder { matrix: Some((matrix, symmetric)), ..Binder::new(slots, None) };
    let root = binder.bind(kernel, 0)?;
    let kernel = kernel.clone();
    let (slots, composed) = (binder.slots, OnceLock::new());
    Ok(Bound { kernel, shape, symmetric, slots, root, precomputed: true, fits_single: true, composed })
}

pub(super) struct Binder<'a, 'o> {
    slots: Slots,
    matrix: Option<(CowArray<'a, f64, Ix2>, bool)>,
    objects: Option<(ObjectPairs<'o>, &'o Compute)>,
    /// The features of these objects that kernels share.
    shared: Option<&'o SharedFeatures>,
    mixed: Option<(&'o Mixed, Option<&'o Mixed>, &'o Compute)>,
    /// For kernels of a program, which are on vectors, too; none where they cannot occur.
    compute: Option<&'o Compute>,
    parameters: usize,
    sparse_metrics: SparseMetrics,
    /// What is kept of sparse column points.
    kept_sparse: &'o [(Option<Vec<f64>>, Arc<MetricColumns>)],
}

impl<'a, 'o> Binder<'a, 'o> {
    fn new(slots: Slots, compute: Option<&'o Compute>) -> Self {
        Self {
            slots,
            matrix: None,
            objects: None,
            shared: None,
            mixed: None,
            compute,
            parameters: 0,
            sparse_metrics: Vec::new(),
            kept_sparse: &[],
        }
    }

    /// A binder of all pairs within a sample that was checked.
    pub(super) fn of_points(x: &'o Points<'a>, shared: &'o SharedFeatures, compute: &'o Compute) -> Self {
        let mut mixed = None;
        let (slots, objects) = match x {
            Points::Vectors(x) => (Slots::of_data(x.view(), None), None),
            Points::Mixed(rows) => {
                mixed = Some((*rows, None, compute));
                (Slots::of_data(rows.numbers(), None), None)
            }
            Points::Precomputed(values) => return Self::of_matrix(*values),
            _ => {
                let rows = x.reborrow();
                let none = Array2::zeros((rows.len(), 0));
                (Slots::of_data(none.view(), None), Some((ObjectPairs { rows, cols: None }, compute)))
            }
        };
        Self { objects, mixed, shared: Some(shared), ..Self::new(slots, Some(compute)) }
    }

    /// A binder of a symmetric matrix of precomputed values.
    fn of_matrix(matrix: ArrayView2<'a, f64>) -> Self {
        let slots = Slots::of_data(Array2::zeros((0, 0)).view(), None);
        Self { matrix: Some((matrix.into(), true)), ..Self::new(slots, None) }
    }

    /// The bound expression of a kernel on the data.
    pub(super) fn root(&mut self, kernel: &Kernel) -> Result<Node<'a>> {
        self.bind(kernel, 0)
    }

    pub(super) fn into_slots(self) -> Slots {
        self.slots
    }

    fn bind(&mut self, kernel: &Kernel, slot: usize) -> Result<Node<'a>> {
        let first = self.parameters;
        self.parameters += kernel.own_parameter_count();
        let kind = self.kind(kernel, slot)?;
        Ok(Node { kind, kernel: kernel.clone(), slot, parameters: first..self.parameters })
    }

    fn boxed(&mut self, kernel: &Kernel, slot: usize) -> Result<Box<Node<'a>>> {
        self.bind(kernel, slot).map(Box::new)
    }

    fn kind(&mut self, kernel: &Kernel, slot: usize) -> Result<Kind<'a>> {
        Ok(match kernel {
            Kernel::Base(base) => self.base(kernel, base, slot)?,
            Kernel::Scale(a, k) => Kind::Scale(a.get(), self.boxed(k, slot)?),
            Kernel::Sum(terms) => Kind::Sum(self.all(terms, slot)?),
            Kernel::Product(terms) => Kind::Product(self.all(terms, slot)?),
            Kernel::Power(k, m) => Kind::Pointwise(Pointwise::Power(m.get()), self.boxed(k, slot)?),
            Kernel::Exp(k) => Kind::Pointwise(Pointwise::Exp, self.boxed(k, slot)?),
            Kernel::Series(series, k) => {
                let inner = self.boxed(k, slot)?;
                self.check_radius(kernel, series.radius(), &inner)?;
                Kind::Pointwise(Pointwise::Series(series.clone()), inner)
            }
            Kernel::Schoenberg(t, k) => Kind::Pointwise(Pointwise::Schoenberg(t.get()), self.boxed(k, slot)?),
            Kernel::Minus(a, b) => Kind::Minus(self.boxed(a, slot)?, self.boxed(b, slot)?),
            Kernel::Normalized(k) => self.normalized(k, slot)?,
            // A node that only changes the points is replaced by the node inside it.
            Kernel::On(columns, k) => match self.object_column(columns) {
                Some(name) => self.on_objects(&name, k)?,
                None if self.sparse_points().is_some() => return self.on_sparse(columns, k, slot),
                None => {
                    let chosen = self.need_points(kernel)?.slots.choose(slot, columns)?;
                    self.bind(k, chosen)?.kind
                }
            },
            Kernel::Transformed(map, k) => {
                let mapped = self.need_points(kernel)?.slots.map(slot, map)?;
                self.bind(k, mapped)?.kind
            }
            Kernel::Conformal(factor, k) => {
                let of = |x: ArrayView2<f64>| x.rows().into_iter().map(|r| factor.evaluate(&r.to_vec())).collect();
                let (rows, cols) = self.need_points(kernel)?.slots.values(slot, of);
                Kind::Outer { rows, cols, unit: false, inner: self.boxed(k, slot)? }
            }
            Kernel::Embedded(form, k) => {
                self.parameters += k.parameter_count();
                let Some((objects, compute)) = self.objects else {
                    return Err(Error::wrong_points(kernel, PointKind::Bags, PointKind::Vectors));
                };
                Kind::Object(Box::new(embedding::bind_bags(form, k, objects, compute)?))
            }
            Kernel::NodePaths(labels, k) => {
                self.parameters += k.parameter_count();
                let Some((objects, compute)) = self.objects else {
                    return Err(Error::wrong_points(kernel, PointKind::Graphs, PointKind::Vectors));
                };
                Kind::Object(Box::new(node_paths::bind_graphs(*labels, k, objects, compute)?))
            }
            Kernel::Based(at, k) => self.need_points(kernel)?.based(at.coordinates(), k, slot)?,
            Kernel::Induced(points, k) => self.need_points(kernel)?.induced(points.rows(), k, slot)?,
        })
    }

    /// The column of objects that is chosen, if it is one.
    fn object_column(&self, columns: &[ColumnRef]) -> Option<String> {
        let (name, (rows, ..)) = (named_column(columns)?, self.mixed?);
        rows.object(name).map(|_| name.to_owned())
    }

    /// A kernel on a column of objects.
    fn on_objects(&mut self, name: &str, k: &Kernel) -> Result<Kind<'a>> {
        let unknown = || Error::unresolved_column("on([…], …)", name);
        let Some((rows, cols, compute)) = self.mixed else { return Err(unknown()) };
        let column = |rows: &'o Mixed| rows.object(name).ok_or_else(unknown);
        let pairs = ObjectPairs { rows: column(rows)?, cols: cols.map(column).transpose()? };
        reserve(k, pairs, compute)?;
        let slot = self.slots.objects(pairs.rows.len(), pairs.cols.map(|cols| cols.len()));
        let outside = (self.objects.replace((pairs, compute)), self.shared.take());
        let bound = self.bind(k, slot);
        (self.objects, self.shared) = outside;
        Ok(bound?.kind)
    }

    fn all(&mut self, terms: &Terms, slot: usize) -> Result<Vec<Node<'a>>> {
        terms.iter().map(|k| self.bind(k, slot)).collect()
    }

    fn need_points(&mut self, kernel: &Kernel) -> Result<&mut Self> {
        match &self.matrix {
            None => Ok(self),
            Some(_) => Err(Error::precomputed(kernel, PrecomputedNeed::Points)),
        }
    }

    fn base(&mut self, kernel: &Kernel, base: &Base, slot: usize) -> Result<Kind<'a>> {
        if let (Base::Delta(_), Some((objects, _))) = (base, self.objects) {
            return Ok(Kind::Object(Box::new(EqualObjects::new(objects)?)));
        }
        if let Some(kind) = self.sparse_base(kernel, base)? {
            return Ok(kind);
        }
        match base.form() {
            Form::Constant(value) => Ok(Kind::Constant(value)),
            Form::Matrix => match &self.matrix {
                Some((matrix, _)) => Ok(Kind::Matrix(matrix.clone())),
                None => Err(Error::precomputed("precomputed()", PrecomputedNeed::Values)),
            },
            Form::Profile(metric) => self.need_points(kernel)?.profile(base, metric, slot),
            Form::Columnwise => {
                let columns = self.need_points(kernel)?.slots.points[slot].rows.ncols();
                let lengths = lengths(base, columns);
                match base.circles() {
                    Some(circles) => self.circles(base, &circles, lengths, slot),
                    None => {
                        let band = base.bandlimit().map(|a| self.slots.band(slot, a)).transpose()?;
                        Ok(Kind::Columnwise { base: base.clone(), lengths, slot, band })
                    }
                }
            }
            Form::Brownian => self.need_points(kernel)?.brownian(base, slot),
            Form::Object => self.object(kernel, base, slot),
            Form::Diagram => {
                let (Base::Persistence(persistence), Some((objects, compute))) = (base, self.objects) else {
                    return Err(Error::wrong_points(kernel, PointKind::Diagrams, PointKind::Vectors));
                };
                let scale = persistence.scale().ok_or_else(|| Error::unresolved_median(kernel))?;
                Ok(Kind::Object(Box::new(embedding::bind_diagrams(scale, objects, compute)?)))
            }
        }
    }

    fn object(&mut self, kernel: &Kernel, base: &Base, slot: usize) -> Result<Kind<'a>> {
        let found = self.need_points(kernel)?.objects.map_or(PointKind::Vectors, |(objects, _)| objects.rows.kind());
        let takes = base.domain().objects().unwrap_or(PointKind::Vectors);
        let points = &self.slots.points[slot];
        let pairs = match &self.objects {
            Some((objects, _)) => objects.reborrow(),
            None => ObjectPairs {
                rows: points.rows.view().into(),
                cols: points.cols.as_ref().map(|cols| cols.view().into()),
            },
        };
        match (base.as_object(), self.compute) {
            (Some(object), Some(compute)) if takes == found => {
                match self.shared.and_then(|shared| shared.tiles(object, compute)) {
                    Some(tiles) => tiles.map(Kind::Object),
                    None => object.bind(pairs, compute).map(Kind::Object),
                }
            }
            _ => Err(Error::wrong_points(kernel, takes, found)),
        }
    }

    fn profile(&mut self, base: &Base, metric: MetricKind, slot: usize) -> Result<Kind<'a>> {
        let (weights, scale) = match base.lengthscale() {
            Some(Lengthscale::PerColumn(l)) => (Some(l.iter().map(|l| 1.0 / l.get()).collect()), 1.0),
            Some(Lengthscale::Shared(l)) if metric == MetricKind::SquaredEuclidean => (None, 1.0 / (l.get() * l.get())),
            Some(Lengthscale::Shared(l)) => (None, 1.0 / l.get()),
            _ => (None, 1.0),
        };
        let metric = self.slots.metric(slot, metric, weights)?;
        Ok(Kind::Profile { base: base.clone(), metric, scale })
    }

    fn circles(&mut self, base: &Base, circles: &Circles, lengths: Vec<f64>, slot: usize) -> Result<Kind<'a>> {
        let (around, counted) = (self.slots.around(slot, circles.period)?, self.parameters);
        let mut inner = self.boxed(&circles.gaussian, around)?;
        // The parameters are those of the kernel, not of the Gaussian kernel that stands for it.
        self.parameters = counted;
        inner.parameters = counted..counted;
        Ok(Kind::Circles { base: base.clone(), period: circles.period, lengths, slot, inner })
    }

    fn brownian(&mut self, base: &Base, slot: usize) -> Result<Kind<'a>> {
        let hurst = base.shape_array::<f64>()[0];
        let metric = self.slots.metric(slot, MetricKind::SquaredEuclidean, None)?;
        let powers = |x: ArrayView2<f64>| x.rows().into_iter().map(|r| Brownian::power(hurst, r.dot(&r))).collect();
        let (rows, cols) = self.slots.values(slot, powers);
        Ok(Kind::Brownian { metric, hurst, rows, cols })
    }

    fn normalized(&mut self, k: &Kernel, slot: usize) -> Result<Kind<'a>> {
        let inner = self.boxed(k, slot)?;
        let (rows, cols) = self.diagonals(&inner, "normalized")?;
        let inverse_root = |v: &f64| if *v > 0.0 { 1.0 / v.sqrt() } else { 0.0 };
        let (rows, cols) = (rows.iter().map(inverse_root).collect(), cols.iter().map(inverse_root).collect());
        Ok(Kind::Outer { rows, cols, unit: true, inner })
    }

    /// `k(xᵢ, xᵢ)` and `k(yⱼ, yⱼ)`, finite.
    fn diagonals(&mut self, inner: &Node<'a>, what: &str) -> Result<(Vec<f64>, Arc<[f64]>)> {
        let both = match &self.matrix {
            Some((matrix, true)) => {
                let diagonal = diagonal::of_matrix(inner, matrix.nrows(), &self.slots);
                (diagonal.clone(), diagonal.into())
            }
            Some((_, false)) => {
                return Err(Error::precomputed(format!("{what}(…)"), PrecomputedNeed::Diagonal));
            }
            None if inner.has_objects() => {
                let (rows, cols) = diagonal::of_node(inner, &self.slots);
                (rows, cols.into())
            }
            None => self.slots.values(inner.slot, |x| diagonal::of_sample(&inner.kernel, x)),
        };
        match both.0.iter().chain(both.1.iter()).position(|v| !v.is_finite()) {
            Some(at) => Err(self.overflow(inner, at)),
            None => Ok(both),
        }
    }

    /// The error for `k(x, x)` of a point, counted over both samples: the same that values which
    /// leave the range of the numbers give.
    fn overflow(&self, inner: &Node<'a>, at: usize) -> Error {
        let what = inner.kernel.to_string();
        if let Some((matrix, _)) = &self.matrix {
            let row = at % matrix.nrows();
            return Error::value(what, (row, row), matrix[[row, row]], Requirement::Representable);
        }
        let slot = &self.slots.points[inner.slot];
        let (points, row) = match at.checked_sub(slot.rows.nrows()) {
            None => (slot.rows.view(), at),
            Some(column) => (slot.columns().view(), column),
        };
        let largest = points.row(row).iter().copied().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let (column, value) = largest.unwrap_or_default();
        Error::value(what, (row, column), format!("{value:e}"), Requirement::Representable)
    }

    /// A series of a PSD kernel converges on the data if it does on the diagonal (Cauchy–Schwarz);
    /// of another kernel every value has to be looked at.
    fn check_radius(&mut self, kernel: &Kernel, radius: f64, inner: &Node<'a>) -> Result<()> {
        if radius.is_infinite() {
            return Ok(());
        }
        let columns = self.slots.points[inner.slot].rows.ncols();
        let psd = inner.kernel.property_on(Property::PositiveSemidefinite, columns).is_proven();
        let largest = if psd {
            let (rows, cols) = self.diagonals(inner, "series")?;
            rows.iter().chain(cols.iter()).copied().fold(0.0, f64::max)
        } else {
            self.largest_value(inner)
        };
        if largest < radius {
            return Ok(());
        }
        Err(Error::undetermined(
            format!("{kernel} on this data"),
            format!("its argument reaches {largest}, and its radius of convergence is {radius}"),
            "scale the kernel down",
        ))
    }

    /// `max |k|` over all pairs, row by row.
    fn largest_value(&self, node: &Node<'a>) -> f64 {
        let (rows, cols) = self.shape();
        let mut line = vec![0.0_f64; cols];
        let mut largest = 0.0_f64;
        for i in 0..rows {
            Tile::new(&self.slots, i..i + 1, 0..cols, false).fill(node, &mut line);
            largest = line.iter().fold(largest, |m, v| if v.is_nan() { f64::INFINITY } else { m.max(v.abs()) });
        }
        largest
    }

    /// Row points and column points.
    fn shape(&self) -> (usize, usize) {
        let points = &self.slots.points[0];
        self.matrix.as_ref().map_or((points.rows.nrows(), points.columns().nrows()), |(matrix, _)| matrix.dim())
    }

    fn based(&mut self, at: &[f64], k: &Kernel, slot: usize) -> Result<Kind<'a>> {
        let inner = self.boxed(k, slot)?;
        let p = k.parameter_values::<f64>();
        let of = |x: ArrayView2<f64>| x.rows().into_iter().map(|r| k.value(&p, &r.to_vec(), at)).collect();
        let (rows, cols) = self.slots.values(slot, of);
        Ok(Kind::Based { rows, cols, origin: k.value(&p, at, at), inner })
    }

    fn induced(&mut self, points: &[Vec<f64>], k: &Kernel, slot: usize) -> Result<Kind<'a>> {
        self.parameters += k.parameter_count();
        let anchors = rows_to_array(points);
        let p = k.parameter_values::<f64>();
        let features = |x: ArrayView2<f64>| {
            Array2::from_shape_fn((x.nrows(), anchors.nrows()), |(i, l)| {
                k.value(&p, &x.index_axis(Axis(0), i).to_vec(), &points[l])
            })
        };
        let slot = self.slots.features(slot, features);
        Ok(Kind::Features { metric: self.slots.metric(slot, MetricKind::Dot, None)? })
    }
}

/// One lengthscale per column, 1 where the kernel has none.
fn lengths(base: &Base, columns: usize) -> Vec<f64> {
    match base.lengthscale() {
        Some(Lengthscale::PerColumn(l)) => l.iter().map(|l| l.get()).collect(),
        Some(Lengthscale::Shared(l)) => vec![l.get(); columns],
        _ => vec![1.0; columns],
    }
}
