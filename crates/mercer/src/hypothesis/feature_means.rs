//! The squared distance of the means of two samples in a space of explicit features, relabeled:
//! linear in the number of points.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::engine::{Relabeled, Relabeling};
use super::groups::Splits;
use crate::error::MemoryPurpose;
use crate::features::FeatureMap;
use crate::gram::simd::matmul::{Target, matmul};
use crate::{Compute, Result};

/// Rows whose features are held at a time, and rows that one task sums; neither depends on the
/// number of threads. A quarter and four times of either differ by less than the noise of 11 %
/// (100 000 points, 128 features, 199 permutations).
const ROWS: usize = 512;
const STRIP: usize = 16_384;
/// Strips whose sums are held at a time, added up in order; fewer where memory is short. The sums
/// are the same for any number. Any number of at least the threads would do.
const HELD: usize = 16;

/// `‖(1/m) Σ z(xᵢ) − (1/n) Σ z(yᵢ)‖²`. Features are made block by block and never stored.
pub(super) struct FeatureMeans<'a> {
    pub(super) map: &'a dyn FeatureMap,
    /// The pooled sample, `first` points of the first sample before the others.
    pub(super) points: ArrayView2<'a, f64>,
    pub(super) first: usize,
    pub(super) splits: Splits,
}

/// Sums over some points.
struct Sums {
    /// `Σ aᵢz(xᵢ)`, a row per label vector.
    labeled: Array2<f64>,
    /// `Σ z(xᵢ)` and `Σ ‖z(xᵢ)‖²`.
    total: Array1<f64>,
    squares: f64,
}

impl Sums {
    fn new(labels: usize, components: usize) -> Self {
        Self { labeled: Array2::zeros((labels, components)), total: Array1::zeros(components), squares: 0.0 }
    }

    fn add(mut self, other: &Self) -> Self {
        self.labeled += &other.labeled;
        self.total += &other.total;
        self.squares += other.squares;
        self
    }
}

impl FeatureMeans<'_> {
    /// How many strips the memory holds at a time, beside their total.
    fn reserve_strips(&self, labels: usize, strips: usize, compute: &Compute) -> Result<usize> {
        let each = 8 * (labels as u64 + 1).saturating_mul(self.map.components() as u64);
        let affordable = compute.memory().saturating_sub(each) / each.max(1);
        let held = affordable.clamp(1, strips.clamp(1, HELD) as u64);
        let suggestion = "ask for fewer components or give more memory";
        compute.reserve(
            MemoryPurpose::Test,
            "the sums of the relabeled features",
            each.saturating_mul(held + 1),
            suggestion,
        )?;
        Ok(held as usize)
    }

    fn strip(&self, at: usize, labels: &[Vec<i8>], compute: &Compute) -> Result<Sums> {
        let mut sums = Sums::new(labels.len(), self.map.components());
        let end = self.points.nrows().min((at + 1) * STRIP);
        for start in (at * STRIP..end).step_by(ROWS) {
            compute.check_canceled()?;
            let rows = start..end.min(start + ROWS);
            let features = self.map.transform(self.points.slice(s![rows.clone(), ..]), compute)?;
            let chosen =
                Array2::from_shape_fn((labels.len(), rows.len()), |(b, i)| f64::from(labels[b][rows.start + i]));
            matmul(sums.labeled.view_mut(), Target::Add, chosen.view(), features.view(), 1.0);
            sums.total += &features.sum_axis(Axis(0));
            sums.squares += features.iter().map(|v| v * v).sum::<f64>();
        }
        Ok(sums)
    }
}

impl Relabeled for FeatureMeans<'_> {
    type Group = Splits;

    fn group(&self) -> &Splits {
        &self.splits
    }

    fn bytes_each(&self) -> usize {
        // A label, its numbers for a block of rows, its sums.
        self.points.nrows() + 8 * (ROWS + self.map.components() * (HELD + 1))
    }

    fn evaluate(&self, labels: &[Vec<i8>], compute: &Compute) -> Result<Relabeling> {
        let size = self.points.nrows();
        let strips = size.div_ceil(STRIP);
        let held = self.reserve_strips(labels.len(), strips, compute)?;
        let strip = |at: usize| self.strip(at, labels, compute);
        let mut sums = Sums::new(labels.len(), self.map.components());
        for start in (0..strips).step_by(held) {
            let some = start..strips.min(start + held);
            let done = compute.try_map_tasks(some.len(), |at| strip(start + at))?;
            sums = done.iter().fold(sums, Sums::add);
        }
        let (m, n) = (self.first as f64, (size - self.first) as f64);
        let value = |line: ndarray::ArrayView1<'_, f64>| {
            line.iter().zip(&sums.total).map(|(a, all)| (a / m - (all - a) / n).powi(2)).sum::<f64>()
        };
        let values: Array1<f64> = sums.labeled.rows().into_iter().map(value).collect();
        let rounding = 1e-13 * sums.squares / size as f64;
        Ok(Relabeling { values: values.insert_axis(Axis(1)), rounding: vec![rounding] })
    }
}
