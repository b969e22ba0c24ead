//! The column points of a metric, in the layouts of the inner loops.

use std::sync::{Arc, OnceLock};

use super::MetricKind;
use super::expanded::ExpandedColumns;
use super::packed::{Change, PackedColumns};
use super::sparse::SparseColumns;
use crate::compute::{Workers, filled};
use crate::gram::coordinates::Coordinates;
use crate::{Compute, Precision};

/// Points by whose mean all are centered, at most. Any few hundred would do.
const CENTERED_BY: usize = 512;

/// The column points and their packed forms, each made at its first use. Nothing here depends on
/// the row points, so that metrics of other row points use it again.
#[derive(Debug)]
pub(crate) struct Columns {
    pub(super) kind: MetricKind,
    pub(super) points: Arc<Coordinates>,
    /// A factor for every coordinate; none where all are 1.
    pub(super) weights: Option<Vec<f64>>,
    means: OnceLock<Vec<f64>>,
    expanded: OnceLock<Option<ExpandedColumns>>,
    sparse: OnceLock<Option<SparseColumns>>,
    pub(super) double: OnceLock<PackedColumns<f64>>,
    pub(super) single: OnceLock<PackedColumns<f32>>,
}

impl Columns {
    pub(super) fn new(kind: MetricKind, points: Arc<Coordinates>, weights: Option<Vec<f64>>) -> Self {
        Self {
            kind,
            points,
            weights: weights.filter(|w| w.iter().any(|&w| w != 1.0)),
            means: OnceLock::new(),
            expanded: OnceLock::new(),
            sparse: OnceLock::new(),
            double: OnceLock::new(),
            single: OnceLock::new(),
        }
    }

    /// Packs the points for this precision ahead of the first tile, by all threads, without locking
    /// a cell meanwhile: a thread that waits may take up other work, and a process may be forked.
    pub(crate) fn prepare(&self, precision: Precision, compute: &Compute) {
        match precision {
            Precision::Double => {
                if filled(&self.expanded, || ExpandedColumns::new(self, Workers::All(compute))).is_none() {
                    filled(&self.double, || PackedColumns::new(self, Workers::All(compute)));
                }
            }
            Precision::SingleTiles => {
                if filled(&self.sparse, || SparseColumns::new(self, Workers::All(compute))).is_none() {
                    filled(&self.single, || PackedColumns::new(self, Workers::All(compute)));
                }
            }
        }
    }

    pub(super) fn expanded(&self) -> Option<&ExpandedColumns> {
        self.expanded.get_or_init(|| ExpandedColumns::new(self, Workers::One)).as_ref()
    }

    pub(super) fn sparse(&self) -> Option<&SparseColumns> {
        self.sparse.get_or_init(|| SparseColumns::new(self, Workers::One)).as_ref()
    }

    /// How points are changed where they are packed: distances are taken from about the mean
    /// of the column points.
    pub(super) fn change(&self) -> Change<'_> {
        let shift = (self.kind != MetricKind::Dot).then(|| self.means());
        Change { shift, weights: self.weights.as_deref() }
    }

    /// About the mean of the points: that of some of them, evenly spaced. The accuracy does not
    /// depend on the shift, and the mean of all points would be a pass over them. Not timed.
    fn means(&self) -> &[f64] {
        let means = || {
            let (n, dims) = self.points.dim();
            let stride = n.div_ceil(CENTERED_BY).max(1);
            let share = 1.0 / n.div_ceil(stride) as f64;
            let mut means = vec![0.0; dims];
            for i in (0..n).step_by(stride) {
                means.iter_mut().zip(self.points.point(i)).for_each(|(m, x)| *m += x * share);
            }
            means
        };
        filled(&self.means, means).as_slice()
    }

    /// The value of two points, from their original coordinates.
    pub(super) fn value(&self, x: &[f64], y: &[f64]) -> f64 {
        let weight = |k: usize| self.weights.as_ref().map_or(1.0, |w| w[k]);
        let coordinates = x.iter().zip(y).enumerate();
        match self.kind {
            MetricKind::SquaredEuclidean => coordinates.map(|(k, (x, y))| ((x - y) * weight(k)).powi(2)).sum(),
            MetricKind::Manhattan => coordinates.map(|(k, (x, y))| ((x - y) * weight(k)).abs()).sum(),
            MetricKind::Dot => coordinates.map(|(k, (x, y))| (x * weight(k)) * (y * weight(k))).sum(),
        }
    }
}
