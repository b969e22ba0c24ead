//! How far two partitions agree.

use std::collections::BTreeMap;

use crate::{Error, Result};

/// The adjusted Rand index of two partitions of the same points: 1 for equal ones, whatever the
/// names of the clusters, and 0 in the mean for independent ones.
///
/// # Formula
/// With `nᵢⱼ` points in cluster `i` of the first and `j` of the second, `C(m) = m(m − 1)/2`,
/// `A = Σ C(nᵢ.)`, `B = Σ C(n.ⱼ)`, `E = AB/C(n)`: `(Σ C(nᵢⱼ) − E) / ((A + B)/2 − E)`
/// [Hubert and Arabie 1985].
///
/// # Errors
/// [`Error::Shape`] for lists of different lengths.
///
/// # Example
/// ```
/// use mercer::view::adjusted_rand_index;
/// assert_eq!(adjusted_rand_index(&[0, 0, 1, 1], &[1, 1, 0, 0])?, 1.0);
/// // C = 1 + 0 + 0 + 0, A = 3 + 0, B = 1 + 1, E = 3·2/6 = 1: nothing beyond chance.
/// assert_eq!(adjusted_rand_index(&[0, 0, 0, 1], &[0, 0, 1, 1])?, 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn adjusted_rand_index(first: &[usize], second: &[usize]) -> Result<f64> {
    if first.len() != second.len() {
        return Err(Error::shape("labels of the second partition", first.len(), second.len()));
    }
    let pairs = |count: usize| 0.5 * count as f64 * (count as f64 - 1.0);
    let total = |counts: &dyn Fn() -> Vec<usize>| counts().into_iter().map(pairs).sum::<f64>();
    let both = total(&|| counted(first.iter().zip(second)));
    let (a, b) = (total(&|| counted(first.iter())), total(&|| counted(second.iter())));
    let all = pairs(first.len());
    let expected = if all > 0.0 { a * b / all } else { 0.0 };
    let most = 0.5 * (a + b);
    // Both partitions have one cluster, or every point is a cluster in both.
    Ok(if most == expected { 1.0 } else { (both - expected) / (most - expected) })
}

fn counted<T: Ord>(labels: impl Iterator<Item = T>) -> Vec<usize> {
    let mut counts = BTreeMap::new();
    labels.for_each(|label| *counts.entry(label).or_insert(0) += 1);
    counts.into_values().collect()
}
