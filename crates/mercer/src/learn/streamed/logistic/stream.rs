//! The statistics of a pass.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::super::rows::check_chunk;
use super::super::spec::BLOCK;
use super::super::stream::block_rows;
use super::StreamedLogistic;
use crate::error::Requirement;
use crate::features::{DrawnFeatures, ExactRidge, FeatureMap, RidgeStatistics, RowBlocks, columns_of};
use crate::learn::loss::{sigmoid, softmax};
use crate::settings::Settings;
use crate::solve::exact_sums::ExactSums;
use crate::{Compute, Error, Result};

/// The least weight of a row in a step, beside `p(1 − p)`: it keeps the responses finite.
const LEAST: f64 = 1e-8;

/// Functions linear in the features: a column and a constant for each.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Functions {
    pub(super) weights: Array2<f64>,
    pub(super) constants: Array1<f64>,
}

impl Functions {
    pub(super) fn zero(components: usize, count: usize) -> Self {
        Self { weights: Array2::zeros((components, count)), constants: Array1::zeros(count) }
    }

    pub(super) fn at(&self, z: ArrayView2<f64>) -> Array2<f64> {
        z.dot(&self.weights) + &self.constants
    }
}

/// What the steps before have left behind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Past {
    /// The functions of the pass before, and their objective.
    pub(super) functions: Functions,
    pub(super) objective: f64,
    /// The objective of the zero function.
    pub(super) first: f64,
}

/// A streamed logistic regression in one of its passes: a value that chunks and other streams of
/// the same pass are added to.
///
/// As with [`RidgeStream`](super::super::RidgeStream), rows have their numbers in the whole data,
/// and the bytes of the step do not depend on how they are cut or spread.
#[derive(Clone, Debug, PartialEq)]
pub struct LogisticStream {
    pub(super) features: DrawnFeatures,
    pub(super) spec: Controls,
    pub(super) classes: usize,
    pub(super) functions: Functions,
    pub(super) past: Option<Past>,
    /// Passes that were made before this one.
    pub(super) passes: usize,
    /// For every function, with the gradient as products.
    pub(super) sums: Vec<ExactRidge>,
    /// For every pair of functions, in the order of [`pairs`].
    pub(super) cross: Vec<ExactRidge>,
    pub(super) loss: ExactSums,
    pub(super) rows: RowBlocks,
    pub(super) settings: Settings,
}

/// The numbers of a specification.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Controls {
    pub(super) lambda: f64,
    pub(super) intercept: bool,
    pub(super) tolerance: f64,
    pub(super) max_passes: usize,
}

impl LogisticStream {
    pub(super) fn new(spec: &StreamedLogistic, features: DrawnFeatures, classes: usize, settings: Settings) -> Self {
        let count = if classes > 2 { classes } else { 1 };
        let functions = Functions::zero(features.components(), count);
        let StreamedLogistic { lambda, intercept, tolerance, max_passes, .. } = *spec;
        let spec = Controls { lambda, intercept, tolerance, max_passes };
        Self::of_pass(features, (spec, classes), functions, None, 0, settings)
    }

    /// The beginning of a pass, before the row with the number 0.
    pub(super) fn of_pass(
        features: DrawnFeatures,
        (spec, classes): (Controls, usize),
        functions: Functions,
        past: Option<Past>,
        passes: usize,
        settings: Settings,
    ) -> Self {
        let count = functions.constants.len();
        let sums = vec![ExactRidge::new(features.components(), 1); count];
        let cross = vec![ExactRidge::new(features.components(), 1); pairs(count).count()];
        let rows = RowBlocks::new(features.columns() + 2, block_rows(features.columns(), 1), 0);
        let loss = ExactSums::new([1]);
        Self { features, spec, classes, functions, past, passes, sums, cross, loss, rows, settings }
    }

    /// Takes in a chunk: points, the numbers of their classes and, where there are any, weights, one
    /// row each. Its first row follows the last one before.
    ///
    /// # Errors
    /// [`Error::Shape`] for wrong sizes, [`Error::Value`] for NaN, infinities, negative weights and
    /// numbers that are not of a class, with the row of the chunk, [`Error::Mismatch`] for rows that
    /// came before; the stream is then as it was. [`Error::Canceled`] and [`Error::Overflow`] leave
    /// a stream that must not be used any more.
    pub fn update(
        &mut self,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<()> {
        check_chunk((self.features.columns(), 1), x, y, weights)?;
        let wrong = |value: &f64| value.fract() != 0.0 || *value < 0.0 || *value >= self.classes as f64;
        if let Some(row) = y.iter().position(wrong) {
            return Err(Error::value(
                "classes",
                (row, 0),
                y[[row, 0]],
                Requirement::Words("it must be the number of a class".into()),
            ));
        }
        let write = |i: usize, row: &mut Vec<f64>| {
            row.extend(x.row(i));
            row.push(y[[i, 0]]);
            row.push(weights.map_or(1.0, |w| w[i]));
        };
        let Self { features, functions, sums, cross, loss, rows, .. } = self;
        let mut take =
            |_, block: ArrayView2<f64>| add_block((features, functions), (sums, cross, loss), block, compute);
        rows.push(x.nrows(), &write, &mut take)
    }

    /// Puts the rows that wait into the statistics; none may be missing.
    pub(super) fn settle(&mut self, compute: &Compute) -> Result<()> {
        let Self { features, functions, sums, cross, loss, rows, .. } = self;
        rows.finish(&mut |_, block| add_block((features, functions), (sums, cross, loss), block, compute))
    }

    /// A stream of the same pass that has seen no rows yet, and whose first row will be row
    /// `first_row` of the whole data: what another machine begins with.
    pub fn without_rows(&self, first_row: u64) -> Self {
        let controls = (self.spec, self.classes);
        let (functions, past) = (self.functions.clone(), self.past.clone());
        let fresh = Self::of_pass(self.features.clone(), controls, functions, past, self.passes, self.settings.clone());
        let rows = RowBlocks::new(self.features.columns() + 2, self.rows.block(), first_row);
        Self { rows, ..fresh }
    }

    /// Takes in all that another stream of the same pass has seen.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for a stream of another pass or fit, and for rows that are in both; the
    /// stream is then as it was.
    pub fn merge(&mut self, other: &Self, compute: &Compute) -> Result<()> {
        let alike = self.features == other.features
            && self.spec == other.spec
            && self.classes == other.classes
            && self.functions == other.functions
            && self.passes == other.passes;
        if !alike {
            return Err(Error::mismatch(
                "the streams differ in their features, classes, λ or functions",
                "this one",
                "the other",
                "start every pass of both from the same stream",
            ));
        }
        self.rows.check_merge(&other.rows)?;
        self.sums.iter_mut().zip(&other.sums).try_for_each(|(own, other)| own.merge(other))?;
        self.cross.iter_mut().zip(&other.cross).try_for_each(|(own, other)| own.merge(other))?;
        self.loss.merge(&other.loss)?;
        let Self { features, functions, sums, cross, loss, rows, .. } = self;
        let mut take =
            |_, block: ArrayView2<f64>| add_block((features, functions), (sums, cross, loss), block, compute);
        rows.merge(&other.rows, &mut take)
    }

    /// The rows that came in this pass.
    pub fn rows(&self) -> u64 {
        self.rows.rows()
    }

    /// The passes that were made before this one.
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// The features.
    pub fn features(&self) -> &DrawnFeatures {
        &self.features
    }
}

/// Pairs of functions, the first before the second.
pub(super) fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |first| (first + 1..count).map(move |second| (first, second)))
}

/// Adds the statistics of a block: the gradient and the blocks of the Hessian.
fn add_block(
    (features, functions): (&DrawnFeatures, &Functions),
    (sums, cross, loss): (&mut [ExactRidge], &mut [ExactRidge], &mut ExactSums),
    block: ArrayView2<f64>,
    compute: &Compute,
) -> Result<()> {
    let columns = features.columns();
    let mut parts = Vec::new();
    let mut lost = 0.0;
    for rows in block.axis_chunks_iter(Axis(0), BLOCK) {
        let z = features.transform(columns_of(rows, 0, columns).view(), compute)?;
        let f = functions.at(z.view());
        lost += losses(f.view(), rows.column(columns), rows.column(columns + 1));
        let p = if f.ncols() == 1 { f.mapv(sigmoid) } else { softmax(&f) };
        parts.push((z, p, rows));
    }
    loss.begin()?;
    loss.add(0, &[lost])?;
    let mut statistics = RidgeStatistics::new(features.components(), 1);
    for (c, sums) in sums.iter_mut().enumerate() {
        statistics.clear();
        for (z, p, rows) in &parts {
            let (response, weights) = step_of(p.view(), rows.slice(s![.., columns..]), c);
            statistics.update(z.view(), response.view().insert_axis(Axis(1)), Some(weights.view()), compute)?;
        }
        sums.add(&statistics)?;
    }
    for ((first, second), sums) in pairs(sums.len()).zip(cross) {
        statistics.clear();
        for (z, p, rows) in &parts {
            let weights = &p.column(first) * &p.column(second) * rows.column(columns + 1);
            // Blocks between functions have no part of the gradient.
            let none = Array2::zeros((z.nrows(), 1));
            statistics.update(z.view(), none.view(), Some(weights.view()), compute)?;
        }
        sums.add(&statistics)?;
    }
    Ok(())
}

/// `Σ vℓ(y, f)`.
fn losses(f: ArrayView2<f64>, y: ArrayView1<f64>, v: ArrayView1<f64>) -> f64 {
    let loss = |row: ArrayView1<f64>, class: usize| {
        if row.len() == 1 {
            let t = if class == 1 { row[0] } else { -row[0] };
            return (-t.abs()).exp().ln_1p() + (-t).max(0.0);
        }
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        top + row.iter().map(|value| (value - top).exp()).sum::<f64>().ln() - row[class]
    };
    let rows = f.rows().into_iter().zip(y).zip(v);
    rows.map(|((row, y), v)| if *v > 0.0 { v * loss(row, *y as usize) } else { 0.0 }).sum()
}

/// Weights `vp(1 − p)` of one function, and responses whose products with them are `v(y − p)`.
fn step_of(p: ArrayView2<f64>, targets: ArrayView2<f64>, c: usize) -> (Array1<f64>, Array1<f64>) {
    let class = if p.ncols() == 1 { 1.0 } else { c as f64 };
    let curvature = p.column(c).mapv(|p| (p * (1.0 - p)).max(LEAST));
    let of = |i: usize| if targets[[i, 0]] == class { 1.0 } else { 0.0 };
    let response = Array1::from_shape_fn(p.nrows(), |i| (of(i) - p[[i, c]]) / curvature[i]);
    (response, &curvature * &targets.column(1))
}
