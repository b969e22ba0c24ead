//! Shared data of the nodes of an expression: the points after column choices and maps, and the
//! metrics on them.

use ndarray::{Array2, ArrayView2, Axis};

use crate::Result;
use crate::gram::{Metric, MetricKind};
use crate::kernel::check_domain::{choose_columns, transform};
use crate::kernel::{ColumnRef, PointMap};

/// Row points and column points as some node sees them; no column points in a symmetric binding.
#[derive(Debug)]
pub(crate) struct Slot {
    pub rows: Array2<f64>,
    pub cols: Option<Array2<f64>>,
    /// The column points coordinate by coordinate, for passes over the columns.
    pub transposed: std::sync::OnceLock<Array2<f64>>,
    origin: Origin,
}

#[derive(Clone, Debug, PartialEq)]
enum Origin {
    Data,
    Columns(usize, Vec<ColumnRef>),
    Mapped(usize, PointMap),
    Circles(usize, f64),
    Features,
}

impl Slot {
    fn new(rows: Array2<f64>, cols: Option<Array2<f64>>, origin: Origin) -> Self {
        Self { rows, cols, transposed: std::sync::OnceLock::new(), origin }
    }

    /// The column points.
    pub(crate) fn columns(&self) -> ArrayView2<'_, f64> {
        self.cols.as_ref().unwrap_or(&self.rows).view()
    }

    /// The column points coordinate by coordinate.
    pub(crate) fn transposed(&self) -> &Array2<f64> {
        self.transposed.get_or_init(|| self.columns().t().as_standard_layout().into_owned())
    }
}

/// A metric, and how many nodes use it.
#[derive(Debug)]
pub(crate) struct Shared {
    pub metric: Metric,
    pub uses: usize,
    slot: usize,
    weights: Option<Vec<f64>>,
}

impl Shared {
    /// The points that it measures.
    pub(crate) fn slot(&self) -> usize {
        self.slot
    }

    /// The factor of a coordinate.
    pub(crate) fn weight(&self, coordinate: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[coordinate])
    }
}

/// Everything shared between the nodes of one bound expression.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    pub points: Vec<Slot>,
    pub metrics: Vec<Shared>,
}

impl Slots {
    /// The data as it came.
    pub(crate) fn of_data(rows: ArrayView2<f64>, cols: Option<ArrayView2<f64>>) -> Self {
        let slot = Slot::new(rows.to_owned(), cols.map(|c| c.to_owned()), Origin::Data);
        Self { points: vec![slot], metrics: Vec::new() }
    }

    /// The slot of a choice of columns.
    pub(crate) fn choose(&mut self, from: usize, columns: &[ColumnRef]) -> Result<usize> {
        let origin = Origin::Columns(from, columns.to_vec());
        self.derive(from, origin, |x| choose_columns(columns, x))
    }

    /// The slot of a space transformation.
    pub(crate) fn map(&mut self, from: usize, map: &PointMap) -> Result<usize> {
        self.derive(from, Origin::Mapped(from, map.clone()), |x| transform(map, x))
    }

    /// The slot of points around circles, one per column: cosine and sine of every coordinate.
    pub(crate) fn around(&mut self, from: usize, period: f64) -> Result<usize> {
        let turn = |x: ArrayView2<f64>| {
            let mut around = Array2::zeros((x.nrows(), 2 * x.ncols()));
            for ((i, j), x) in x.indexed_iter() {
                // The remainder is exact, however many periods there are.
                let (sine, cosine) = (std::f64::consts::TAU * (x % period / period)).sin_cos();
                (around[[i, 2 * j]], around[[i, 2 * j + 1]]) = (cosine, sine);
            }
            Ok(around)
        };
        self.derive(from, Origin::Circles(from, period), turn)
    }

    fn derive(
        &mut self,
        from: usize,
        origin: Origin,
        f: impl Fn(ArrayView2<f64>) -> Result<Array2<f64>>,
    ) -> Result<usize> {
        if let Some(known) = self.points.iter().position(|slot| slot.origin == origin) {
            return Ok(known);
        }
        let source = &self.points[from];
        let rows = f(source.rows.view())?;
        let cols = source.cols.as_ref().map(|c| f(c.view())).transpose()?;
        Ok(self.push(Slot::new(rows, cols, origin)))
    }

    /// A slot of computed features that is not shared.
    pub(crate) fn features(&mut self, rows: Array2<f64>, cols: Option<Array2<f64>>) -> usize {
        self.push(Slot::new(rows, cols, Origin::Features))
    }

    fn push(&mut self, slot: Slot) -> usize {
        self.points.push(slot);
        self.points.len() - 1
    }

    /// The metric of this kind on a slot, made once and counted.
    pub(crate) fn metric(&mut self, slot: usize, kind: MetricKind, weights: Option<Vec<f64>>) -> Result<usize> {
        let same = |s: &Shared| s.slot == slot && s.metric.kind() == kind && s.weights == weights;
        if let Some(known) = self.metrics.iter().position(same) {
            self.metrics[known].uses += 1;
            return Ok(known);
        }
        let points = &self.points[slot];
        let metric = Metric::new(kind, points.rows.view(), points.cols.as_ref().map(|c| c.view()), weights.clone())?;
        self.metrics.push(Shared { metric, uses: 1, slot, weights });
        Ok(self.metrics.len() - 1)
    }

    /// Row `i` of a slot as a vector.
    pub(crate) fn row(&self, slot: usize, i: usize) -> Vec<f64> {
        self.points[slot].rows.index_axis(Axis(0), i).to_vec()
    }

    /// Column point `j` of a slot as a vector.
    pub(crate) fn column(&self, slot: usize, j: usize) -> Vec<f64> {
        self.points[slot].columns().index_axis(Axis(0), j).to_vec()
    }
}
