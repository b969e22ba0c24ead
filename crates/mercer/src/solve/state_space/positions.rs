//! Positions in ascending order.

use ndarray::ArrayView1;

/// Positions in ascending order, with the row that each came from. Equal positions stay in the
/// order of the data.
#[derive(Clone, Debug)]
pub(super) struct Positions {
    pub t: Vec<f64>,
    pub row: Vec<usize>,
}

impl Positions {
    pub fn new(positions: ArrayView1<f64>) -> Self {
        let mut sorted: Vec<(f64, usize)> = positions.iter().copied().zip(0..).collect();
        if !sorted.is_sorted_by(|a, b| a.0 <= b.0) {
            sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
        let (t, row) = sorted.into_iter().unzip();
        Self { t, row }
    }

    pub fn len(&self) -> usize {
        self.t.len()
    }

    /// The index of the last position that is not beyond `t`; none where all are.
    pub fn before(&self, t: f64) -> Option<usize> {
        self.t.partition_point(|position| *position <= t).checked_sub(1)
    }
}
