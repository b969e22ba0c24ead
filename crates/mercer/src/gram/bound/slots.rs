//! Shared data of the nodes of an expression: the points after column choices and maps, and the
//! metrics on them.

use std::sync::Arc;

use ndarray::{Array2, ArrayView2};

use super::node::Band;
use crate::compute::Workers;
use crate::gram::coordinates::Coordinates;
use crate::gram::simd::sines_cosines;
use crate::gram::{Metric, MetricKind};
use crate::kernel::check_domain::{choose_columns, transform};
use crate::kernel::{ColumnRef, PointMap};
use crate::{Error, Result};

/// The longest phase `a(x − c)` whose sine is used for that of a difference. The error of
/// `sin(a(x − y))/(a(x − y))` is then about `10⁻¹⁵` times the phase, where a sine of every pair has one
/// in proportion to the difference; beyond, every pair takes its own sine, which is three times slower.
const LONGEST_PHASE: f64 = 32.0;

/// Row points and column points as some node sees them; no column points in a symmetric binding.
#[derive(Debug)]
pub(crate) struct Slot {
    pub rows: Arc<Coordinates>,
    pub cols: Option<Arc<Coordinates>>,
    origin: Origin,
}

#[derive(Clone, Debug, PartialEq)]
enum Origin {
    Data,
    Columns(usize, Vec<ColumnRef>),
    Mapped(usize, PointMap),
    Circles(usize, f64),
    Waves(usize, f64),
    Features,
}

impl Slot {
    /// The column points.
    pub(crate) fn columns(&self) -> &Coordinates {
        self.cols.as_ref().unwrap_or(&self.rows)
    }

    /// The column points coordinate by coordinate.
    pub(crate) fn transposed(&self) -> &Array2<f64> {
        self.columns().transposed()
    }

    /// Whether all `a(x − c)` of a point are short, where `c` is the first column point.
    pub(crate) fn has_short_phases(&self, a: f64, point: &[f64]) -> bool {
        let origin = self.columns().point(0);
        point.iter().zip(origin).all(|(x, c)| a * (x - c).abs() <= LONGEST_PHASE)
    }

    /// The largest `|x|` of both sides.
    pub(crate) fn reach(&self) -> f64 {
        self.rows.reach().max(self.columns().reach())
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
    /// The columns of sparse vectors, which have no slot of coordinates.
    pub dimension: Option<usize>,
    /// Values at the column points, in the order in which the nodes asked for them.
    values: Vec<Arc<[f64]>>,
    /// What was made before of the same column points for the same kernel: it is asked for in the
    /// same order.
    known: Option<Arc<Slots>>,
}

impl Slots {
    /// The data as it came.
    pub(crate) fn of_data(rows: ArrayView2<f64>, cols: Option<ArrayView2<f64>>) -> Self {
        let mut slots = Self::default();
        slots.push(Coordinates::copied(rows), cols.map(Coordinates::copied), Origin::Data);
        slots
    }

    /// As [`Slots::of_data`], copied by several threads.
    pub(crate) fn of_data_by(rows: ArrayView2<f64>, cols: Option<ArrayView2<f64>>, workers: Workers<'_>) -> Self {
        let mut slots = Self::default();
        let copied = |points: ArrayView2<f64>| Coordinates::copied_by(points, workers);
        slots.push(copied(rows), cols.map(copied), Origin::Data);
        slots
    }

    /// Other row points beside column points that were all points of a symmetric binding.
    pub(crate) fn beside(rows: ArrayView2<f64>, known: Arc<Slots>, workers: Workers<'_>) -> Self {
        let cols = known.points[0].rows.clone();
        let mut slots = Self { known: Some(known), ..Self::default() };
        slots.push(Coordinates::copied_by(rows, workers), Some(cols), Origin::Data);
        slots
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

    /// A bandlimit with the waves of the points of a slot.
    pub(crate) fn band(&mut self, slot: usize, limit: f64) -> Result<Band> {
        let waves = self.waves(slot, limit)?;
        let points = &self.points[slot];
        let short = (0..points.columns().nrows()).all(|j| points.has_short_phases(limit, points.columns().point(j)));
        Ok(Band { limit, waves, short })
    }

    /// The slot of waves: cosine and sine of `a(xⱼ − cⱼ)` for every coordinate, where `c` is the first
    /// column point. Phases from a point among the others are as short as the data allow.
    fn waves(&mut self, from: usize, bandlimit: f64) -> Result<usize> {
        let source = self.points[from].columns();
        let origin = if source.nrows() == 0 { vec![0.0; source.ncols()] } else { source.point(0).to_vec() };
        let turn = |x: ArrayView2<f64>| {
            let mut phases: Vec<f64> = Vec::with_capacity(x.len());
            x.rows().into_iter().for_each(|x| phases.extend(x.iter().zip(&origin).map(|(x, c)| bandlimit * (x - c))));
            let (ones, mut cosines, mut sines) = (vec![1.0; x.len()], vec![0.0; x.len()], vec![0.0; x.len()]);
            sines_cosines(&phases, &ones, &mut cosines, &mut sines);
            let both = cosines.into_iter().zip(sines).flat_map(|(cosine, sine)| [cosine, sine]).collect();
            Array2::from_shape_vec((x.nrows(), 2 * x.ncols()), both)
                .map_err(|e| Error::shape("waves of the points", x.len(), e))
        };
        self.derive(from, Origin::Waves(from, bandlimit), turn)
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
        let rows = Coordinates::new(f(source.rows.view())?);
        let made = |cols: &Arc<Coordinates>| f(cols.view()).map(Coordinates::new);
        let cols = match self.known_points() {
            Some(known) => Some(known),
            None => source.cols.as_ref().map(made).transpose()?,
        };
        Ok(self.push(rows, cols, origin))
    }

    /// The next column points that were made before.
    fn known_points(&self) -> Option<Arc<Coordinates>> {
        self.known.as_ref().map(|known| known.points[self.points.len()].rows.clone())
    }

    /// A slot of features of the points of another that is not shared.
    pub(crate) fn features(&mut self, from: usize, f: impl Fn(ArrayView2<f64>) -> Array2<f64>) -> usize {
        let source = &self.points[from];
        let rows = Coordinates::new(f(source.rows.view()));
        let made = || source.cols.as_ref().map(|cols| Coordinates::new(f(cols.view())));
        let cols = self.known_points().or_else(made);
        self.push(rows, cols, Origin::Features)
    }

    /// A slot of points without coordinates.
    pub(crate) fn objects(&mut self, rows: usize, cols: Option<usize>) -> usize {
        let none = |count: usize| Coordinates::new(Array2::zeros((count, 0)));
        self.push(none(rows), cols.map(none), Origin::Features)
    }

    fn push(&mut self, rows: Arc<Coordinates>, cols: Option<Arc<Coordinates>>, origin: Origin) -> usize {
        self.points.push(Slot { rows, cols, origin });
        self.points.len() - 1
    }

    /// Numbers for the row points and for the column points of a slot, of one side at a time.
    pub(crate) fn values(&mut self, slot: usize, f: impl Fn(ArrayView2<f64>) -> Vec<f64>) -> (Vec<f64>, Arc<[f64]>) {
        let source = &self.points[slot];
        let rows = f(source.rows.view());
        let cols = match (&self.known, &source.cols) {
            (Some(known), _) => known.values[self.values.len()].clone(),
            (None, Some(cols)) => f(cols.view()).into(),
            (None, None) => rows.as_slice().into(),
        };
        self.values.push(cols.clone());
        (rows, cols)
    }

    /// The metric of this kind on a slot, made once and counted.
    pub(crate) fn metric(&mut self, slot: usize, kind: MetricKind, weights: Option<Vec<f64>>) -> Result<usize> {
        let same = |s: &Shared| s.slot == slot && s.metric.kind() == kind && s.weights == weights;
        if let Some(known) = self.metrics.iter().position(same) {
            self.metrics[known].uses += 1;
            return Ok(known);
        }
        let (rows, cols) = (self.points[slot].rows.clone(), self.points[slot].cols.clone());
        if let Some(weights) = &weights
            && weights.len() != rows.ncols()
        {
            return Err(Error::shape("weights of the coordinates", rows.ncols(), weights.len()));
        }
        let metric = match &self.known {
            Some(known) => Metric::beside(rows, known.metrics[self.metrics.len()].metric.columns().clone()),
            None => Metric::of(kind, rows, cols, weights.clone()),
        };
        self.metrics.push(Shared { metric, uses: 1, slot, weights });
        Ok(self.metrics.len() - 1)
    }

    /// The bytes of a side at most: coordinates row by row and column by column, values, and for every
    /// metric the packed points in both precisions.
    pub(crate) fn column_bytes(&self) -> u64 {
        let points: usize = self.points.iter().map(|slot| 2 * slot.columns().len()).sum();
        let values: usize = self.values.iter().map(|values| values.len()).sum();
        let packed: usize = self.metrics.iter().map(|shared| self.points[shared.slot].columns().len()).sum();
        8 * (points + values) as u64 + 12 * packed as u64
    }

    /// Row `i` of a slot as a vector.
    pub(crate) fn row(&self, slot: usize, i: usize) -> Vec<f64> {
        self.points[slot].rows.point(i).to_vec()
    }

    /// Column point `j` of a slot as a vector.
    pub(crate) fn column(&self, slot: usize, j: usize) -> Vec<f64> {
        self.points[slot].columns().point(j).to_vec()
    }
}
