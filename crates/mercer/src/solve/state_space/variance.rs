//! The posterior variance at any point.

use ndarray::ArrayView1;
use rayon::prelude::*;

use super::filter::{System, moved};
use super::small::{Matrix, dot, times, transposed_times};
use crate::compute::{filled, in_pool};

/// `hᵀ(P − PAᵀN A P)h` with `P` the covariance given the observations on the left, `N` the
/// information of those on the right. At least 0.
pub(super) fn variances<const M: usize>(system: &System<M>, positions: ArrayView1<f64>) -> Vec<f64> {
    let spreads = filled(&system.spreads, || {
        let mut spreads = vec![[[0.0; M]; M]; system.positions.len()];
        system.each_spread(|i, _, root| spreads[i] = *root);
        spreads
    });
    in_pool(|| positions.to_vec().into_par_iter().map(|t| variance(system, spreads, t)).collect())
}

fn variance<const M: usize>(system: &System<M>, spreads: &[Matrix<M>], t: f64) -> f64 {
    let before = system.positions.before(t);
    let root = match before {
        Some(j) => moved(&system.process_sum, &system.known[j].root, system.positions.t[j], t),
        None => system.process_sum.prior(t),
    };
    let seen = transposed_times(&root, &system.process_sum.observe(t));
    let after = before.map_or(0, |j| j + 1);
    let Some(spread) = spreads.get(after) else { return dot(&seen, &seen) };
    let ahead = times(&system.process_sum.transition(t, system.positions.t[after]), &times(&root, &seen));
    let explained = transposed_times(spread, &ahead);
    (dot(&seen, &seen) - dot(&explained, &explained)).max(0.0)
}
