//! The domain of an expression: numbers of columns, and the interval of each column.

use ndarray::{Array2, ArrayViewMut1};

use crate::Kernel;

/// The most columns that are tried when no data determines their number.
/// A safety limit: any value between 10 and 1000 would do.
const MAX_COLUMNS: usize = 64;

/// The values that a column may take, as far as the search needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnInterval {
    Line,
    HalfLine,
    Unit,
    OpenUnit,
}

/// The domain of an expression with a given number of columns.
#[derive(Clone, Debug)]
pub(super) struct DomainBox(Vec<ColumnInterval>);

/// A value that lies in the domain of every kernel.
const SAFE: f64 = 0.5;

impl DomainBox {
    /// Up to `count` numbers of columns that the expression takes, the smallest first.
    pub(super) fn of(kernel: &Kernel, count: usize) -> Vec<Self> {
        let fits = |d: &usize| kernel.check_vectors(Array2::zeros((0, *d)).view()).is_ok();
        (1..=MAX_COLUMNS).filter(fits).take(count).map(|d| Self::with_columns(kernel, d)).collect()
    }

    /// The region for this many columns.
    pub(super) fn with_columns(kernel: &Kernel, columns: usize) -> Self {
        Self((0..columns).map(|j| interval(kernel, columns, j)).collect())
    }

    /// The number of columns.
    pub(super) fn columns(&self) -> usize {
        self.0.len()
    }

    /// Moves and shrinks points into the region, column by column, keeping their pattern.
    pub(super) fn fit(&self, mut points: Array2<f64>) -> Array2<f64> {
        for (interval, column) in self.0.iter().zip(points.columns_mut()) {
            interval.fit(column);
        }
        points
    }
}

impl ColumnInterval {
    fn fit(self, mut column: ArrayViewMut1<f64>) {
        if self == Self::Line {
            return;
        }
        let low = column.iter().copied().fold(0.0, f64::min);
        column.mapv_inplace(|v| v - low);
        let high = column.iter().copied().fold(1.0, f64::max);
        match self {
            Self::Unit => column.mapv_inplace(|v| v / high),
            Self::OpenUnit => column.mapv_inplace(|v| 0.001 + 0.998 * v / high),
            Self::Line | Self::HalfLine => {}
        }
    }
}

fn interval(kernel: &Kernel, columns: usize, j: usize) -> ColumnInterval {
    let allows = |value: f64| {
        let mut point = Array2::from_elem((1, columns), SAFE);
        point[[0, j]] = value;
        kernel.check_vectors(point.view()).is_ok()
    };
    match (allows(-1.5), allows(2.5), allows(0.0)) {
        (true, _, _) => ColumnInterval::Line,
        (_, true, _) => ColumnInterval::HalfLine,
        (_, _, true) => ColumnInterval::Unit,
        _ => ColumnInterval::OpenUnit,
    }
}
