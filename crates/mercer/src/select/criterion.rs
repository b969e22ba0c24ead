//! Selection criteria.

use crate::{Compute, Error, Result};

/// The number that a search makes small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Criterion {
    /// The mean square of the leave-one-out residuals, exact and in closed form.
    #[default]
    LeaveOneOut,
    /// Generalized cross-validation `(RSS/n)/(1 − df/n)²`.
    Gcv,
    /// The mean square of the residuals of rows that were held out, in this many folds drawn from
    /// the seed: exact and in closed form.
    Folds(usize),
}

impl Criterion {
    /// The number of folds, where there are any.
    pub(super) fn folds(self) -> Option<usize> {
        match self {
            Self::Folds(count) => Some(count),
            Self::LeaveOneOut | Self::Gcv => None,
        }
    }
}

/// The rows of every fold: a random order from the seed, dealt out in turn; each fold ascending.
pub(super) fn deal(rows: usize, folds: usize, compute: &Compute) -> Result<Vec<Vec<usize>>> {
    if folds < 2 || folds > rows {
        return Err(Error::parameter("folds", folds, format!("at least 2 and at most the number of rows ({rows})")));
    }
    let order = compute.seed().stream("folds", 0).permutation(rows);
    let fold = |f: usize| {
        let mut fold: Vec<usize> = order.iter().copied().skip(f).step_by(folds).collect();
        fold.sort_unstable();
        fold
    };
    Ok((0..folds).map(fold).collect())
}
