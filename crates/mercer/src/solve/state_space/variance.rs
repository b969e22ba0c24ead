//! The posterior variance at any place.

use ndarray::ArrayView1;
use rayon::prelude::*;

use super::filter::{System, moved};
use super::small::{Matrix, dot, times, transposed_times};
use crate::compute::{filled, in_pool};

/// `hᵀ(P − PAᵀN A P)h` with `P` the covariance given what lies on the left, `N` what lies on the right says. At least 0.
pub(super) fn variances<const M: usize>(system: &System<M>, places: ArrayView1<f64>) -> Vec<f64> {
    let spreads = filled(&system.spreads, || {
        let mut spreads = vec![[[0.0; M]; M]; system.places.len()];
        system.each_spread(|i, _, root| spreads[i] = *root);
        spreads
    });
    in_pool(|| places.to_vec().into_par_iter().map(|t| variance(system, spreads, t)).collect())
}

fn variance<const M: usize>(system: &System<M>, spreads: &[Matrix<M>], t: f64) -> f64 {
    let before = system.places.before(t);
    let root = match before {
        Some(j) => moved(&system.law, &system.known[j].root, system.places.t[j], t),
        None => system.law.prior(t),
    };
    let seen = transposed_times(&root, &system.law.observe(t));
    let after = before.map_or(0, |j| j + 1);
    let Some(spread) = spreads.get(after) else { return dot(&seen, &seen) };
    let ahead = times(&system.law.transition(t, system.places.t[after]), &times(&root, &seen));
    let explained = transposed_times(spread, &ahead);
    (dot(&seen, &seen) - dot(&explained, &explained)).max(0.0)
}
