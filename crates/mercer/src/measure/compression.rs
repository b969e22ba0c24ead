//! Compression of a sample to a few points: kernel herding.

use ndarray::{Array1, Array2, Axis};

use super::MeanEmbedding;
use crate::gram::{self, Pairs, Tiles};
use crate::solve::solve_positive;
use crate::{Compute, Error, Result};

/// A few weighted points that represent a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Compression {
    /// The embedding of the chosen points.
    pub embedding: MeanEmbedding,
    /// Their numbers in the sample, in the order in which they were chosen. Herding may choose a
    /// point again.
    pub rows: Vec<usize>,
    /// `‖μ − μ̂‖`: the MMD between the sample and the points.
    pub distance: f64,
}

impl MeanEmbedding {
    /// `count` points of equal weight, chosen greedily.
    ///
    /// # Formula
    /// `x_{t+1}` maximizes `μ(x)/W − (1/(t+1)) Σ_{s≤t} k(x, x_s)` over the sample, `W = Σwᵢ`; each
    /// has the weight `W/count`.
    ///
    /// # Theory
    /// Kernel herding [Chen, Welling, Smola 2010]: a Frank–Wolfe step toward `μ`, with
    /// `‖μ − μ̂‖ = O(1/count)` in finite dimensions and never slower than `O(1/√count)`.
    ///
    /// # Cost
    /// All pairs once for `μ`, and `n` kernel values for each point chosen.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no points, or weights that sum to 0; as
    /// [`Kernel::bind`](crate::Kernel::bind).
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, measure::MeanEmbedding};
    /// use ndarray::array;
    /// let compute = Compute::new();
    /// let x = array![[0.0], [0.1], [5.0], [5.1]];
    /// let mu = MeanEmbedding::new(&"gaussian(lengthscale=1)".parse()?, &x, None, &compute)?;
    /// let small = mu.herd(2, &compute)?;
    /// // One point of each cluster.
    /// assert_ne!(small.rows[0] / 2, small.rows[1] / 2);
    /// assert!(small.distance < 0.06);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn herd(&self, count: usize, compute: &Compute) -> Result<Compression> {
        let total = self.weights().sum();
        if count == 0 {
            return Err(Error::parameter("count", count, 1..));
        }
        if total == 0.0 {
            return Err(Error::parameter("weights", "a list that sums to 0", "a list with another sum"));
        }
        let rows = self.greedy(count, total, compute)?;
        let weights = Array1::from_elem(count, total / count as f64);
        self.compressed(rows, weights, compute)
    }

    /// As [`MeanEmbedding::herd`], with the weights of the chosen points set to the best ones: the
    /// projection of `μ` on their span.
    ///
    /// # Formula
    /// `w = K_ZZ⁺ μ(Z)`; repeated points are merged first.
    ///
    /// # Errors
    /// As [`MeanEmbedding::herd`], and [`Error::Memory`] when `K_ZZ` does not fit the limit.
    pub fn compress(&self, count: usize, compute: &Compute) -> Result<Compression> {
        let mut rows = self.herd(count, compute)?.rows;
        let mut seen = std::collections::HashSet::new();
        rows.retain(|row| seen.insert(*row));
        let chosen = self.on_points(&rows, Array1::zeros(rows.len()));
        let values: Array2<f64> = self.evaluate(chosen.points(), compute)?.insert_axis(Axis(1));
        let gram = gram::dense(&self.kernel().bind(Pairs::Within(chosen.points()), compute)?, compute)?;
        let weights = solve_positive(gram.view(), values.view())?.solution.index_axis_move(Axis(1), 0);
        self.compressed(rows, weights, compute)
    }

    fn compressed(&self, rows: Vec<usize>, weights: Array1<f64>, compute: &Compute) -> Result<Compression> {
        let embedding = self.on_points(&rows, weights);
        let distance = self.distance(&embedding, compute)?;
        Ok(Compression { embedding, rows, distance })
    }

    fn greedy(&self, count: usize, total: f64, compute: &Compute) -> Result<Vec<usize>> {
        let target = self.at_points(compute)? / total;
        let bound = self.kernel().bind(Pairs::Within(self.points()), compute)?;
        let n = target.len();
        let (mut covered, mut line) = (Array1::<f64>::zeros(n), vec![0.0; n]);
        let mut rows = Vec::with_capacity(count);
        for t in 0..count {
            compute.check_canceled()?;
            let score = |i: usize| target[i] - covered[i] / (t as f64 + 1.0);
            // The first of equal scores, so that the choice does not depend on the search.
            let best = (1..n).fold(0, |best, i| if score(i) > score(best) { i } else { best });
            bound.fill(best..best + 1, 0..n, &mut line);
            covered.iter_mut().zip(&line).for_each(|(c, k)| *c += k);
            rows.push(best);
        }
        Ok(rows)
    }
}
