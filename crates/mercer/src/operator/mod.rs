//! `K` (or a matrix of features `Z`) as a linear map that is known by its products.
//!
//! Solvers see an [`Operator`] and never how its values come about: stored, computed tile by tile
//! ([`Tiled`]), sparse, on the cells of a grid. Operators are built from others: [`Shifted`] is
//! `A + λI`, [`Weighted`] is `SAS`, [`Centered`] is `HAH`, [`Projected`] is `PAP`, [`Outer`] is
//! `ZZᵀ`. Each of them holds the [`Compute`](crate::Compute) it works with, so that the precision of
//! tiles is decided where the operator is made.
//!
//! # Example
//! ```
//! use mercer::operator::{Dense, Operator, Shifted, Weighted};
//! use mercer::Compute;
//! use ndarray::array;
//! let k = array![[2.0, 1.0], [1.0, 3.0]];
//! let matrix = Dense::new(k.view(), &Compute::new());
//! let roots = array![1.0, 2.0];
//! let weighted = Weighted::new(&matrix, roots.view());
//! let system = Shifted::new(&weighted, 0.5);
//! // [[2, 2], [2, 12]] + I/2.
//! assert_eq!(system.apply(array![[1.0], [1.0]].view())?, array![[4.5], [14.5]]);
//! assert_eq!(system.diagonal()?, array![2.5, 12.5]);
//! # Ok::<(), mercer::Error>(())
//! ```

mod by_product;
mod centered;
mod dense;
mod half;
mod outer;
pub(crate) mod products;
mod projected;
mod shifted;
mod sparse;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod tiled;
mod weighted;

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2};

pub use by_product::{ByProduct, Identity};
pub use centered::Centered;
pub(crate) use centered::without_means;
pub use dense::Dense;
pub(crate) use half::HalfMatrix;
pub use outer::Outer;
pub use projected::Projected;
pub use shifted::Shifted;
pub(crate) use sparse::Sparse;
pub use tiled::Tiled;
pub use weighted::Weighted;

use crate::{Error, Result};

/// A map of some rows between the two products of [`Operator::double`]: `map(rows, values, out)`,
/// where `values` are the rows of `AV`, one after the other, and `out` has as many places.
pub type RowMap<'a> = dyn Fn(Range<usize>, &[f64], &mut [f64]) + Sync + 'a;

/// `AV`, and `Aᵀ` times what a map made of its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubled {
    /// `AV`.
    pub forward: Array2<f64>,
    /// `Aᵀ map(AV)`.
    pub backward: Array2<f64>,
}

/// A linear map, known by its products with several vectors at a time, one per column.
///
/// The bytes of a product do not depend on the number of threads.
pub trait Operator: Sync {
    /// Rows and columns.
    fn shape(&self) -> (usize, usize);

    /// `AV`.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `V` has a row per column of `A`, [`Error::Canceled`],
    /// [`Error::Memory`].
    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>>;

    /// `AᵀV`.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `V` has a row per row of `A`; as [`Operator::apply`].
    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>>;

    /// `AV` and `Aᵀ map(AV)`: a pass over values that are computed only once, where they are not
    /// stored.
    ///
    /// # Errors
    /// As [`Operator::apply`].
    fn double(&self, v: ArrayView2<f64>, map: &RowMap<'_>) -> Result<Doubled> {
        let forward = self.apply(v)?;
        let mapped = mapped(&forward, map);
        Ok(Doubled { backward: self.apply_transposed(mapped.view())?, forward })
    }

    /// The diagonal.
    ///
    /// # Errors
    /// [`Error::Shape`] for an operator that is not square, [`Error::Unsupported`] for one that is
    /// known by its products alone.
    fn diagonal(&self) -> Result<Array1<f64>>;
}

/// What a map makes of all rows.
pub(crate) fn mapped(values: &Array2<f64>, map: &RowMap<'_>) -> Array2<f64> {
    let (mut out, values) = (Array2::zeros(values.dim()), values.as_standard_layout());
    let rows = 0..values.nrows();
    map(rows, values.as_slice().unwrap_or_default(), out.as_slice_mut().unwrap_or_default());
    out
}

/// That a factor has this many rows.
pub(crate) fn check_rows(v: ArrayView2<f64>, expected: usize) -> Result<()> {
    if v.nrows() == expected { Ok(()) } else { Err(Error::shape("rows of the factor", expected, v.nrows())) }
}

/// That an operator is square.
pub(crate) fn check_square((rows, columns): (usize, usize)) -> Result<()> {
    if rows == columns { Ok(()) } else { Err(Error::shape("columns of a square operator", rows, columns)) }
}
