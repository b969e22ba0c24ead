//! The first centers of a start.

use ndarray::{Array2, Axis};

use super::start::{Problem, squared_distance};
use crate::features::seeding::{plus_plus, weighted};
use crate::view::kmeans::options::KMeansInit;
use crate::{Result, Stream};

/// Rows among which the first means are chosen: more give better means at linear cost. Not tuned.
const CANDIDATES: usize = 10_000;

/// Squared distances below this part of the squared norms are those of equal rows: a few units in
/// the last digit of every coordinate.
const EQUAL: f64 = 1e-28;

impl Problem<'_> {
    /// Rows far from each other, or at random.
    pub(super) fn first_centers(&self, start: usize) -> Result<Array2<f64>> {
        let stream = &mut self.compute.seed().stream("k-means", start as u64);
        let n = self.x.nrows();
        let mut rows: Vec<usize> = (0..n).filter(|&i| self.weights[i] > 0.0).collect();
        if rows.len() > CANDIDATES {
            let order = stream.permutation(rows.len());
            rows = order[..CANDIDATES].iter().map(|&at| rows[at]).collect();
            rows.sort_unstable();
        }
        let mut seeds = self.far_apart(&rows, stream)?;
        if seeds.len() < self.search.clusters && rows.len() < n {
            rows = (0..n).filter(|&i| self.weights[i] > 0.0).collect();
            seeds = self.far_apart(&rows, stream)?;
        }
        if seeds.len() < self.search.clusters {
            return Err(self.search.too_few(seeds.len()));
        }
        if self.search.init == KMeansInit::Random {
            let mut chances: Vec<f64> = rows.iter().map(|&i| self.weights[i]).collect();
            for seed in &mut seeds {
                *seed = weighted(&chances, stream);
                chances[*seed] = 0.0;
            }
        }
        let seeds: Vec<usize> = seeds.into_iter().map(|at| rows[at]).collect();
        Ok(self.x.select(Axis(0), &seeds))
    }

    fn far_apart(&self, rows: &[usize], stream: &mut Stream) -> Result<Vec<usize>> {
        let weights: Vec<f64> = rows.iter().map(|&i| self.weights[i]).collect();
        let distances = |row: usize, out: &mut [f64]| {
            let (own, norm) = (self.x.row(rows[row]), self.squared_norms[rows[row]]);
            for (out, &other) in out.iter_mut().zip(rows) {
                let squared = squared_distance(own, self.x.row(other));
                *out = if squared <= EQUAL * norm.max(self.squared_norms[other]) { 0.0 } else { squared };
            }
            Ok(())
        };
        plus_plus(&weights, self.search.clusters, self.search.trials(), &distances, stream, self.compute)
    }
}
