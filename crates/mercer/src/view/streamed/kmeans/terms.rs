//! One of Lloyd's steps as sums over rows.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::super::features::{ROWS, block_rows, missed};
use super::StreamedKMeansFit;
use crate::features::{BlockTerms, DrawnFeatures, FeatureMap, columns_of};
use crate::gram::simd::matmul::{Target, matmul};
use crate::settings::Settings;
use crate::solve::exact_sums::ExactSums;
use crate::view::kmeans::vectors::squared_distance;
use crate::{Compute, Error, Result};

/// Groups of sums: the objective, what landmarks miss; then the weight and the sum of every cluster.
const OBJECTIVE: usize = 0;
const MISSED: usize = 1;
const CLUSTERS: usize = 2;

/// When passes end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::view::streamed) struct Controls {
    pub(super) tolerance: f64,
    pub(super) max_passes: usize,
}

/// What a block adds to the sums of a pass. Features and means are relative to a point near the
/// mean of all, so that little cancels.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::view::streamed) struct KMeansTerms {
    pub(in crate::view::streamed) features: DrawnFeatures,
    pub(super) shift: Array1<f64>,
    /// A row per cluster.
    pub(super) centers: Array2<f64>,
    pub(super) controls: Controls,
    /// Passes that were made before this one.
    pub(in crate::view::streamed) passes: usize,
    /// The objective of the means before these.
    pub(super) previous: Option<f64>,
    pub(super) settings: Settings,
}

/// What a pass leads to.
pub(in crate::view::streamed) enum Step {
    Again(KMeansTerms),
    Done(StreamedKMeansFit),
}

impl BlockTerms for KMeansTerms {
    fn width(&self) -> usize {
        self.features.columns() + 1
    }

    fn block(&self) -> u64 {
        block_rows(self.features.columns())
    }

    fn groups(&self) -> Vec<usize> {
        let (k, p) = self.centers.dim();
        [1, 1].into_iter().chain((0..k).flat_map(|_| [1, p])).collect()
    }

    fn add(&self, _first: u64, rows: ArrayView2<f64>, sums: &mut ExactSums, compute: &Compute) -> Result<()> {
        let (k, columns) = (self.centers.nrows(), self.features.columns());
        let (mut objective, mut lost) = (0.0, 0.0);
        let (mut masses, mut totals) = (vec![0.0; k], Array2::<f64>::zeros(self.centers.dim()));
        for part in rows.axis_chunks_iter(Axis(0), ROWS) {
            let x = columns_of(part, 0, columns);
            let weights = part.column(columns);
            let mut z = self.features.transform(x.view(), compute)?;
            lost += missed(&self.features, (x.view(), z.view()), Some(weights), compute)?;
            z -= &self.shift;
            for ((row, weight), cluster) in z.rows().into_iter().zip(weights).zip(nearest(z.view(), &self.centers)) {
                // A row of weight 0 adds nothing.
                if *weight > 0.0 {
                    masses[cluster] += weight;
                    totals.row_mut(cluster).scaled_add(*weight, &row);
                    objective += weight * squared_distance(row, self.centers.row(cluster));
                }
            }
        }
        sums.begin()?;
        sums.add(OBJECTIVE, &[objective])?;
        sums.add(MISSED, &[lost])?;
        for (cluster, mass) in masses.into_iter().enumerate() {
            sums.add(CLUSTERS + 2 * cluster, &[mass])?;
            sums.add(CLUSTERS + 2 * cluster + 1, &totals.row(cluster).to_vec())?;
        }
        Ok(())
    }
}

impl KMeansTerms {
    /// Lloyd's step of all rows.
    pub(in crate::view::streamed) fn finish(self, sums: &ExactSums, rows: u64) -> Result<Step> {
        let one = |group: usize| sums.values(group).next().unwrap_or(0.0);
        let masses: Array1<f64> = (0..self.centers.nrows()).map(|c| one(CLUSTERS + 2 * c)).collect();
        if masses.sum() <= 0.0 {
            return Err(Error::too_few("clustering", "points with a positive weight", 1, 0));
        }
        let mut centers = self.centers.clone();
        for (c, mut center) in centers.rows_mut().into_iter().enumerate().filter(|(c, _)| masses[*c] > 0.0) {
            center.iter_mut().zip(sums.values(CLUSTERS + 2 * c + 1)).for_each(|(to, sum)| *to = sum / masses[c]);
        }
        let (objective, passes) = (one(OBJECTIVE), self.passes + 1);
        let small = |before: f64| before - objective <= self.controls.tolerance * before;
        let converged = centers == self.centers || self.previous.is_some_and(small);
        if !converged && passes < self.controls.max_passes {
            return Ok(Step::Again(Self { centers, passes, previous: Some(objective), ..self }));
        }
        // Of the same clusters about their own means.
        let moved = centers.rows().into_iter().zip(self.centers.rows()).zip(&masses);
        let gained: f64 = moved.map(|((to, from), mass)| mass * squared_distance(to, from)).sum();
        Ok(Step::Done(StreamedKMeansFit {
            features: self.features,
            shift: self.shift,
            centers,
            masses,
            objective: (objective - gained).max(0.0) + one(MISSED),
            missed: one(MISSED),
            passes,
            converged,
            rows,
            settings: self.settings,
        }))
    }
}

/// The nearest center of every row; the first of equals.
pub(super) fn nearest(z: ArrayView2<f64>, centers: &Array2<f64>) -> Vec<usize> {
    let norms: Vec<f64> = centers.rows().into_iter().map(|center| center.dot(&center)).collect();
    let mut products = Array2::zeros((z.nrows(), centers.nrows()));
    matmul(products.view_mut(), Target::Replace, z, centers.t(), 1.0);
    let best = |row: ArrayView1<f64>| {
        let distance = |c: usize| norms[c] - 2.0 * row[c];
        (1..norms.len()).fold(0, |best, c| if distance(c) < distance(best) { c } else { best })
    };
    products.rows().into_iter().map(best).collect()
}
