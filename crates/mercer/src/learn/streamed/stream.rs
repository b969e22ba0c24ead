//! The running statistics of a streamed fit.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::spec::{BLOCK, StreamedRidge};
use crate::features::{DrawnFeatures, FeatureMap, RidgeStatistics};
use crate::settings::Settings;
use crate::{Compute, Error, Points, Result};

/// A streamed ridge regression while the rows come: a value that chunks and other streams are added
/// to.
///
/// Rows are taken in blocks of a fixed size, so that the bytes of the solution depend neither on
/// the number of threads nor on how the rows are cut into chunks. Rows that do not fill a block
/// wait for the next chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeStream {
    pub(super) features: DrawnFeatures,
    pub(super) folds: Vec<RidgeStatistics>,
    pub(super) lambdas: Vec<f64>,
    pub(super) intercept: bool,
    /// Rows that are in the statistics.
    pub(super) taken: u64,
    pub(super) waiting: Waiting,
    pub(super) settings: Settings,
}

/// Rows that wait until a block is full.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Waiting {
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) weights: Vec<f64>,
}

/// A block of rows.
pub(super) struct Block {
    pub(super) x: Array2<f64>,
    pub(super) y: Array2<f64>,
    pub(super) weights: Array1<f64>,
}

impl Waiting {
    pub(super) fn push(&mut self, x: ArrayView1<f64>, y: ArrayView1<f64>, weight: f64) {
        self.x.extend(x);
        self.y.extend(y);
        self.weights.push(weight);
    }

    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    /// The rows, of which none is left.
    pub(super) fn take(&mut self, columns: usize, outputs: usize) -> Result<Block> {
        let Self { x, y, weights } = std::mem::take(self);
        let rows = weights.len();
        let shaped = |values: Vec<f64>, columns: usize| {
            Array2::from_shape_vec((rows, columns), values).map_err(|e| Error::shape("rows that wait", rows, e))
        };
        Ok(Block { x: shaped(x, columns)?, y: shaped(y, outputs)?, weights: weights.into() })
    }
}

/// A chunk of the right sizes, all finite, with weights that make sense.
pub(super) fn check_chunk(
    (columns, outputs): (usize, usize),
    x: ArrayView2<f64>,
    y: ArrayView2<f64>,
    weights: Option<ArrayView1<f64>>,
) -> Result<()> {
    if x.ncols() != columns {
        return Err(Error::shape("columns of the points", columns, x.ncols()));
    }
    if y.dim() != (x.nrows(), outputs) {
        let expected = format!("{} × {outputs}", x.nrows());
        return Err(Error::shape("targets", expected, format!("{} × {}", y.nrows(), y.ncols())));
    }
    Points::Vectors(x).check_finite("points")?;
    Points::Vectors(y).check_finite("targets")?;
    weights.map_or(Ok(()), |weights| crate::learn::loss::weights(Some(weights), x.nrows()).map(|_| ()))
}

impl RidgeStream {
    pub(super) fn new(spec: &StreamedRidge, features: DrawnFeatures, outputs: usize) -> Self {
        let fold = RidgeStatistics::new(features.components(), outputs);
        Self {
            features,
            folds: vec![fold; spec.kept_folds()],
            lambdas: spec.lambdas.clone(),
            intercept: spec.intercept,
            taken: 0,
            waiting: Waiting::default(),
            settings: Settings::new(),
        }
    }

    /// Takes in a chunk: points, targets and, where there are any, weights, one row each.
    ///
    /// # Errors
    /// [`Error::Shape`] for wrong sizes, [`Error::Value`] for NaN, infinities and negative weights,
    /// with the row of the chunk; the stream is then as it was. [`Error::Canceled`] and
    /// [`Error::Memory`] leave a stream that must not be used any more.
    pub fn update(
        &mut self,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<()> {
        check_chunk((self.features.columns(), self.outputs()), x, y, weights)?;
        for row in 0..x.nrows() {
            self.waiting.push(x.row(row), y.row(row), weights.map_or(1.0, |w| w[row]));
            if self.waiting.len() == BLOCK {
                self.settle(compute)?;
            }
        }
        Ok(())
    }

    /// Puts the rows that wait into the statistics.
    pub(super) fn settle(&mut self, compute: &Compute) -> Result<()> {
        let rows = self.waiting.len();
        if rows == 0 {
            return Ok(());
        }
        let Block { x, y, weights } = self.waiting.take(self.features.columns(), self.outputs())?;
        let z = self.features.transform(x.view(), compute)?;
        let count = self.folds.len();
        for (fold, statistics) in self.folds.iter_mut().enumerate() {
            if count == 1 {
                statistics.update(z.view(), y.view(), Some(weights.view()), compute)?;
                continue;
            }
            let own: Vec<usize> =
                (0..rows).filter(|i| (self.taken + *i as u64) % count as u64 == fold as u64).collect();
            let (z, y, v) = (z.select(Axis(0), &own), y.select(Axis(0), &own), weights.select(Axis(0), &own));
            statistics.update(z.view(), y.view(), Some(v.view()), compute)?;
        }
        self.taken += rows as u64;
        Ok(())
    }

    /// A stream of the same features, folds and λ that has seen no rows yet: what another machine
    /// begins with.
    pub fn without_rows(&self) -> Self {
        let fold = RidgeStatistics::new(self.features.components(), self.outputs());
        Self {
            features: self.features.clone(),
            folds: vec![fold; self.folds.len()],
            lambdas: self.lambdas.clone(),
            intercept: self.intercept,
            taken: 0,
            waiting: Waiting::default(),
            settings: self.settings.clone(),
        }
    }

    /// Takes in all that another stream of the same features has seen, as if its rows had come
    /// after those of this one.
    ///
    /// The folds are those of one stream over all rows, however the rows were cut: row `i` of
    /// `other` is row `n + i` of the whole, with `n` the rows of this stream, so that what `other`
    /// kept in fold `f` belongs to fold `(n + f) mod K`. Merge the parts in the order of their
    /// rows.
    ///
    /// # Errors
    /// [`Error::Mismatch`] unless features, folds, λ and outputs are the same: start both from one
    /// specification, sample and seed.
    pub fn merge(&mut self, other: &Self, compute: &Compute) -> Result<()> {
        let alike = self.features == other.features
            && self.folds.len() == other.folds.len()
            && self.outputs() == other.outputs()
            && self.lambdas == other.lambdas
            && self.intercept == other.intercept;
        if !alike {
            return Err(Error::mismatch(
                "the streams differ in their features, folds, λ or outputs",
                "this one",
                "the other",
                "start both from one specification, sample and seed",
            ));
        }
        if other.taken > 0 {
            // The rows that wait come before those of the other stream.
            self.settle(compute)?;
            let count = self.folds.len();
            let turn = (self.taken % count as u64) as usize;
            for (fold, statistics) in other.folds.iter().enumerate() {
                self.folds[(fold + turn) % count].merge(statistics)?;
            }
            self.taken += other.taken;
        }
        let Block { x, y, weights } = other.waiting.clone().take(self.features.columns(), self.outputs())?;
        self.update(x.view(), y.view(), Some(weights.view()), compute)
    }

    /// The rows that came.
    pub fn rows(&self) -> u64 {
        self.taken + self.waiting.len() as u64
    }

    /// The features.
    pub fn features(&self) -> &DrawnFeatures {
        &self.features
    }

    /// How many targets there are.
    pub fn outputs(&self) -> usize {
        self.folds[0].outputs()
    }
}
