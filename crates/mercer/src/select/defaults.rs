//! What searches start from where nothing is given: rows, kernels, lengthscales, λ and C.

use super::choices::Choices;
use super::fold_search::FoldSearch;
use super::folds::sample_rows;
use super::grid::median_lengthscales;
use super::search::RidgeSearch;
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// Lengthscales around the median, of folds and of ridge regression.
const FOLD_LENGTHSCALES: usize = 5;
const RIDGE_LENGTHSCALES: usize = 7;
/// How often the gaps beside the best lengthscale are halved.
const REFINEMENTS: usize = 2;
/// Lengthscales beyond each end of those, and C or λ, where the best is at that end.
const LENGTHSCALES_MORE: usize = 6;
const MORE: usize = 4;
/// The C of a choice, and the λ.
const CS: [f64; 4] = [0.1, 1.0, 10.0, 100.0];
const LAMBDAS: [f64; 4] = [10.0, 1.0, 0.1, 0.01];
/// Minimum number of rows of a class in a sample, if it has as many.
const LEAST_OF_A_CLASS: usize = 10;
/// Bytes of a decomposition per squared row.
const BYTES: u64 = 48;

/// The rows that enter a selection: at most so many, drawn from the seed, no more than the memory
/// limit allows for a decomposition, and of every class enough for the folds; `labels` is empty for
/// numbers.
///
/// # Example
/// ```
/// use mercer::{Compute, select::selection_rows};
/// assert_eq!(selection_rows(100, &[], 20, &Compute::new()).len(), 20);
/// assert_eq!(selection_rows(10, &[], 20, &Compute::new()), (0..10).collect::<Vec<_>>());
/// ```
pub fn selection_rows(rows: usize, labels: &[usize], most: usize, compute: &Compute) -> Vec<usize> {
    let affordable = ((compute.memory() / BYTES) as f64).sqrt() as usize;
    let most = most.min(affordable.max(2));
    match labels {
        [] => sample_rows(&vec![0; rows], most, 0, compute),
        labels => sample_rows(labels, most, LEAST_OF_A_CLASS, compute),
    }
}

/// The C to choose from, the smoothest model first: these, or powers of ten that are extended where
/// the best is at an end.
pub fn default_cs(given: &[f64]) -> Choices {
    if given.is_empty() { Choices::open(CS.to_vec(), MORE) } else { Choices::fixed(sorted(given, false)) }
}

/// The λ to choose from, the smoothest model first: these, or powers of ten that are extended where
/// the best is at an end.
pub fn default_lambdas(given: &[f64]) -> Choices {
    if given.is_empty() { Choices::open(LAMBDAS.to_vec(), MORE) } else { Choices::fixed(sorted(given, true)) }
}

fn sorted(values: &[f64], descending: bool) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| if descending { b.total_cmp(a) } else { a.total_cmp(b) });
    sorted
}

impl RidgeSearch {
    /// The same over lengthscales around the median distance of these points, extended where the
    /// best is at an end, and refined.
    ///
    /// # Errors
    /// As [`median_lengthscales`].
    pub fn around_median<'x>(self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Self> {
        let lengthscales = median_lengthscales(x, RIDGE_LENGTHSCALES, compute)?;
        Ok(Self { lengthscales, refinements: REFINEMENTS, extend_lengthscales: true, ..self })
    }
}

impl FoldSearch {
    /// What a search by folds chooses from: these kernels, with each of these lengthscales if there
    /// are some; without kernels the linear and the Gaussian one with lengthscales around the median
    /// distance of these rows of the points, and for objects the kernels of their kind. Lists that
    /// are not given go on where the best is at their end.
    ///
    /// # Errors
    /// As [`median_lengthscales`] and [`Kernel::family_of`].
    pub fn with_defaults(
        kernels: &[Kernel],
        lengthscales: &[f64],
        (parameters, parameter): (Choices, &'static str),
        (x, rows): (Points<'_>, &[usize]),
        compute: &Compute,
    ) -> Result<Self> {
        let vectors = x.is_vectors();
        let list = match kernels {
            [] if vectors => vec!["gaussian()".parse()?],
            [] => Kernel::family_of(x)?,
            given => given.to_vec(),
        };
        let mut search = Self { parameter, ..Self::new(list, parameters) };
        if !lengthscales.is_empty() {
            search.lengthscales = Choices::fixed(sorted(lengthscales, true));
        } else if kernels.is_empty() && vectors {
            match median_lengthscales(&Sample::kept_some(x, rows), FOLD_LENGTHSCALES, compute) {
                Ok(mut found) => {
                    found.reverse();
                    search.lengthscales = Choices::open(found, LENGTHSCALES_MORE);
                }
                // Fewer than two distinct points: there is no distance to measure by, and the linear
                // kernel has to do.
                Err(Error::AllEqual { .. } | Error::Overflow { .. }) => search.kernels.clear(),
                Err(other) => return Err(other),
            }
        }
        if kernels.is_empty() && vectors {
            search.fixed.push("linear()".parse()?);
        }
        Ok(search)
    }
}
