//! The first partition of a start.

use super::options::{KMeansInit, Search};
use super::rows::KernelRows;
use super::starts::Problem;
use crate::features::seeding::{plus_plus, squared_distances, weighted};
use crate::gram::Tiles;
use crate::seed::Stream;
use crate::{Error, Result};

/// Squared distances this far below 0, relative to `k(x, x) + k(y, y)`, prove that a kernel is not
/// positive semi-definite: rounding is some thousand times smaller.
const NEGATIVE: f64 = 1e-9;

impl Problem<'_> {
    /// The clusters of the points nearest to the first means of a start.
    ///
    /// # Errors
    /// [`Error::TooFew`] when there are fewer distinct points than clusters,
    /// [`Error::NotPositiveDefinite`] when a squared distance is negative.
    pub(super) fn first_labels(&self, start: usize) -> Result<Vec<usize>> {
        let stream = &mut self.compute.seed().stream("kernel k-means", start as u64);
        let (clusters, trials) = (self.search.clusters, self.search.trials());
        let distances = |row: usize, out: &mut [f64]| self.squared_distances(row, out);
        let mut seeds = plus_plus(self.weights, clusters, trials, &distances, stream, self.compute)?;
        if seeds.len() < clusters {
            if !self.indefinite {
                return Err(self.search.too_few(seeds.len()));
            }
            // No point is left at a positive distance, which of an indefinite kernel does not mean
            // that there is no other point.
            drawn(self.weights, &mut seeds, &self.search, stream);
        } else if self.search.init == KMeansInit::Random {
            seeds.clear();
            drawn(self.weights, &mut seeds, &self.search, stream);
        }
        self.nearest(&seeds)
    }

    /// `‖φ(x) − φ(xⱼ)‖²` for all `j`.
    fn squared_distances(&self, row: usize, out: &mut [f64]) -> Result<()> {
        match &self.rows {
            KernelRows::Double(matrix) => out.iter_mut().zip(matrix.row(row)).for_each(|(out, value)| *out = *value),
            _ => self.bound.fill(row..row + 1, 0..out.len(), out),
        }
        squared_distances(row, self.exact_diagonal, out);
        let size = |j: usize| self.exact_diagonal[row].abs() + self.exact_diagonal[j].abs();
        let negative = (0..out.len()).find(|&j| out[j] < -NEGATIVE * size(j)).filter(|_| !self.indefinite);
        negative.map_or(Ok(()), |other| Err(self.negative_distance(row, other, out[other])))
    }

    fn negative_distance(&self, row: usize, other: usize, squared: f64) -> Error {
        let reason =
            format!("the squared distance k(x, x) + k(y, y) − 2k(x, y) of the points {row} and {other} is {squared}");
        Error::NotPositiveDefinite { kernel: self.bound.kernel().short(), reason, counterexample: None }
    }

    /// The nearest of these points for every point, the first of equals.
    fn nearest(&self, seeds: &[usize]) -> Result<Vec<usize>> {
        let n = self.weights.len();
        let (mut labels, mut smallest, mut line) = (vec![0; n], vec![f64::INFINITY; n], vec![0.0; n]);
        for (cluster, &seed) in seeds.iter().enumerate() {
            self.squared_distances(seed, &mut line)?;
            for ((label, smallest), &squared) in labels.iter_mut().zip(&mut smallest).zip(&line) {
                if squared < *smallest {
                    (*label, *smallest) = (cluster, squared);
                }
            }
        }
        // A seed keeps its cluster also where distances are not those of an ℋ.
        seeds.iter().enumerate().for_each(|(cluster, &seed)| labels[seed] = cluster);
        Ok(labels)
    }
}

/// More points until there is one per cluster, in proportion to their weights.
fn drawn(weights: &[f64], seeds: &mut Vec<usize>, search: &Search, stream: &mut Stream) {
    let mut chances = weights.to_vec();
    seeds.iter().for_each(|&seed| chances[seed] = 0.0);
    while seeds.len() < search.clusters && chances.iter().any(|chance| *chance > 0.0) {
        let next = weighted(&chances, stream);
        chances[next] = 0.0;
        seeds.push(next);
    }
}
