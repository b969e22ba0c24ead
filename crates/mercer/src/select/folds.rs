//! Cross-validation folds.

use crate::{Compute, Error, Result};

/// The rows of every fold, ascending: a random order from the seed, sorted by class and dealt out
/// in turn, so that the folds hold the classes in their shares. Without classes, give every row the
/// same.
///
/// # Errors
/// [`Error::Parameter`] unless `2 ≤ folds ≤ rows`.
///
/// # Example
/// ```
/// use mercer::{Compute, select::stratified_folds};
/// let folds = stratified_folds(&[0, 0, 0, 0, 1, 1], 2, &Compute::new())?;
/// assert!(folds.iter().all(|fold| fold.iter().filter(|&&row| row >= 4).count() == 1));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn stratified_folds(labels: &[usize], folds: usize, compute: &Compute) -> Result<Vec<Vec<usize>>> {
    let rows = labels.len();
    if folds < 2 || folds > rows {
        return Err(Error::parameter("folds", folds, format!("at least 2 and at most the number of rows ({rows})")));
    }
    let mut order = compute.seed().stream("folds", 0).permutation(rows);
    order.sort_by_key(|&row| labels[row]);
    let fold = |f: usize| {
        let mut fold: Vec<usize> = order.iter().copied().skip(f).step_by(folds).collect();
        fold.sort_unstable();
        fold
    };
    Ok((0..folds).map(fold).collect())
}

/// At most this many rows, ascending, drawn from the seed; of every class at least `least`, as far
/// as it has them.
///
/// # Example
/// ```
/// use mercer::{Compute, select::sample_rows};
/// let labels: Vec<usize> = (0..100).map(|i| usize::from(i >= 97)).collect();
/// let rows = sample_rows(&labels, 20, 3, &Compute::new());
/// assert!(rows.len() == 20 && rows.ends_with(&[97, 98, 99]));
/// ```
pub fn sample_rows(labels: &[usize], most: usize, least: usize, compute: &Compute) -> Vec<usize> {
    if labels.len() <= most {
        return (0..labels.len()).collect();
    }
    let order = compute.seed().stream("rows of a choice", 0).permutation(labels.len());
    let mut counts = vec![0; labels.iter().max().map_or(0, |m| m + 1)];
    let (mut chosen, mut others) = (Vec::new(), Vec::new());
    for row in order {
        counts[labels[row]] += 1;
        if counts[labels[row]] <= least { chosen.push(row) } else { others.push(row) }
    }
    // More classes than there is room for: what is over falls away.
    chosen.extend(others);
    chosen.truncate(most);
    chosen.sort_unstable();
    chosen
}
