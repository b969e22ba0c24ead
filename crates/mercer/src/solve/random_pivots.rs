//! Partial Cholesky factors with random pivots.

use ndarray::ArrayView1;

use super::pivoted::{PivotedCholesky, partial_cholesky};
use crate::gram::Tiles;
use crate::seed::Stream;
use crate::{Compute, Result};

/// The partial Cholesky factor of rank at most `rank` whose pivots are drawn from the seed, each
/// with a probability in proportion to what is left of the diagonal; it stops early when
/// `tr(K − FFᵀ) ≤ tolerance·tr K`.
///
/// # Theory
/// In expectation the trace that is left is close to that of the best approximation of a slightly
/// smaller rank (Chen, Epperly, Tropp and Webber 2025), whereas the largest pivot first may chase
/// outliers.
///
/// # Cost
/// As [`pivoted_cholesky`](super::pivoted_cholesky).
///
/// # Errors
/// As [`pivoted_cholesky`](super::pivoted_cholesky).
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, gram::Pairs, solve::randomly_pivoted_cholesky};
/// use ndarray::array;
/// let (compute, x) = (Compute::new(), array![[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]]);
/// let k: Kernel = "linear()".parse()?;
/// // Any two pivots exhaust a matrix of rank two.
/// let found = randomly_pivoted_cholesky(&k.bind(Pairs::within(x.view()), &compute)?, 3, 1e-14, &compute)?;
/// assert!(found.pivots.len() == 2 && found.trace_left < 1e-13);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn randomly_pivoted_cholesky(
    tiles: &dyn Tiles,
    rank: usize,
    tolerance: f64,
    compute: &Compute,
) -> Result<PivotedCholesky> {
    let mut stream = compute.seed().stream("random pivots", 0);
    partial_cholesky(tiles, rank, tolerance, &mut |left| draw(left, &mut stream), compute)
}

/// A position with a probability in proportion to its value; never one of value 0 while there are
/// others.
fn draw(values: ArrayView1<f64>, stream: &mut Stream) -> usize {
    Cumulative::of(values).draw(stream)
}

/// Partial sums of values of 0 and more, from which any number of positions are drawn.
pub(super) struct Cumulative {
    sums: Vec<f64>,
    /// The last position with a value above 0.
    last: usize,
}

impl Cumulative {
    pub(super) fn of(values: ArrayView1<f64>) -> Self {
        let sum = |total: &mut f64, value: &f64| {
            *total += value;
            Some(*total)
        };
        let last = values.iter().rposition(|v| *v > 0.0).unwrap_or(0);
        Self { sums: values.iter().scan(0.0, sum).collect(), last }
    }

    /// A position with a probability in proportion to its value; never one of value 0 while there
    /// are others.
    pub(super) fn draw(&self, stream: &mut Stream) -> usize {
        let target = stream.uniform() * self.sums.last().copied().unwrap_or(0.0);
        self.sums.partition_point(|sum| *sum <= target).min(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::draw;
    use crate::Seed;
    use ndarray::array;

    #[test]
    fn positions_are_drawn_in_proportion_to_their_values() {
        let (values, mut stream) = (array![0.0, 1.0, 0.0, 3.0], Seed(1).stream("draw", 0));
        let drawn: Vec<usize> = (0..4000).map(|_| draw(values.view(), &mut stream)).collect();
        assert!(drawn.iter().all(|i| [1, 3].contains(i)));
        // Four standard deviations: a right draw fails this once in 16 000 seeds.
        let share = drawn.iter().filter(|i| **i == 3).count() as f64 / 4000.0;
        assert_close!(share, 0.75, abs = 4.0 * (0.75 * 0.25 / 4000.0_f64).sqrt(), "{share}");
    }
}
