//! The Gram matrix of the mismatch kernel, through its features or through sums over neighbors.

use std::ops::Range;

use super::mismatch::{Prepared, Substrings, prepare};
use crate::kernel::object::ObjectTiles;
use crate::kernel::sparse_rows::{Part, RowsAndColumns, SparseProducts, SparseRows, concat, list_work};
use crate::points::Strings;
use crate::{Compute, Result};

/// Strings per parallel task.
const TASK: usize = 16;

/// The mismatch kernel on two lists of strings.
///
/// # Formula
/// With counts `C` of the distinct substrings and their neighbors `N`, the features are `F = C N`
/// and the kernel is `F Fᵀ = C (F Nᵀ)ᵀ`: the second form has as few terms per value as a string has
/// substrings. All numbers are integers, so both are exact below `2⁵³` and symmetric.
///
/// # Cost
/// The form with less work is chosen. On 3 190 strings of 60 DNA letters with `length = 5` and one
/// mismatch, the second takes less than a third of the time of the first, preparation included.
#[derive(Debug)]
pub(crate) struct MismatchTiles {
    products: SparseProducts,
    /// The features, if the products are those of other rows.
    features: Option<RowsAndColumns>,
    diagonals: (Vec<f64>, Option<Vec<f64>>),
}

impl MismatchTiles {
    /// Prepares pairs of rows and columns, or of rows and rows if `cols` is `None`.
    ///
    /// # Errors
    /// As for [`prepare`].
    pub(crate) fn new(
        rows: &Strings,
        cols: Option<&Strings>,
        substrings: Substrings<'_>,
        compute: &Compute,
    ) -> Result<Self> {
        let prepared = prepare(rows, cols, substrings, compute)?;
        let (f, g) = prepared.features(compute)?.into_rows_and_columns(rows.len(), cols.is_some());
        let diagonals = (f.squared_norms(), g.as_ref().map(SparseRows::squared_norms));
        let columns = g.as_ref().unwrap_or(&f);
        if !sums_are_quicker(&prepared, &f, columns) {
            return Ok(Self { products: SparseProducts::new(f, g), features: None, diagonals });
        }
        let sums = neighbor_sums(&prepared, columns, compute)?;
        let products = SparseProducts::new(prepared.counts.split(rows.len()).0, Some(sums));
        Ok(Self { products, features: Some((f, g)), diagonals })
    }
}

impl ObjectTiles for MismatchTiles {
    fn fill(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        self.products.fill(rows, cols, out);
    }

    fn diagonals(&self) -> (&[f64], Option<&[f64]>) {
        (&self.diagonals.0, self.diagonals.1.as_deref())
    }

    fn operations(&self) -> usize {
        self.products.operations()
    }

    fn features(&self) -> Option<(&SparseRows, &SparseRows)> {
        Some(match &self.features {
            Some((rows, columns)) => (rows, columns.as_ref().unwrap_or(rows)),
            None => (self.products.rows(), self.products.columns()),
        })
    }
}

/// Compares the additions of [`neighbor_sums`] with the multiply-adds of `F Gᵀ`: each takes about
/// 1 ns, and the product that follows the sums is small beside both.
fn sums_are_quicker(prepared: &Prepared, f: &SparseRows, g: &SparseRows) -> bool {
    let columns = g.len() as f64;
    let sums = prepared.counts.width as f64 * prepared.lists.size as f64 * columns;
    sums < list_work(f, g)
}

/// `G Nᵀ`: for each column and each distinct substring the sum of the features that are its
/// neighbors.
fn neighbor_sums(prepared: &Prepared, g: &SparseRows, compute: &Compute) -> Result<SparseRows> {
    let (count, keys, lists) = (g.len(), prepared.counts.width, &prepared.lists);
    let parts = compute.try_map_tasks(count.div_ceil(TASK), |task| {
        let (mut part, mut dense) = (Part::default(), vec![0.0; g.width]);
        for j in task * TASK..count.min((task + 1) * TASK) {
            compute.check_canceled()?;
            let (features, values) = g.row(j);
            features.iter().zip(values).for_each(|(&feature, &value)| dense[feature as usize] = value);
            for key in 0..keys {
                let sum = lists.get(key).iter().fold(0.0, |sum, &feature| sum + dense[feature as usize]);
                if sum != 0.0 {
                    part.push(key as u32, sum);
                }
            }
            part.end_row();
            features.iter().for_each(|&feature| dense[feature as usize] = 0.0);
        }
        Ok(part)
    })?;
    Ok(concat(parts, keys))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::sparse_rows::testing::product;
    use crate::kernel::strings::testing::random_strings;

    fn matrix(tiles: &MismatchTiles, n: usize, m: usize) -> Vec<f64> {
        let mut out = vec![f64::NAN; n * m];
        tiles.fill(&(0..n).collect::<Vec<_>>(), 0..m, &mut out);
        out
    }

    #[test]
    fn both_forms_are_the_product_of_the_features() {
        let compute = Compute::new();
        let mut forms = [0, 0];
        for (alphabet, count, longest) in
            [("ACGT", 70, 60), ("ab", 20, 9), ("ABCDEFGHIJKLMNOP", 9, 40), ("é🙂", 30, 30)]
        {
            let (rows, cols) = (random_strings(1, count, longest, alphabet), random_strings(2, 7, longest, alphabet));
            let substrings = Substrings { length: 4, mismatches: 1, alphabet: None, others: false };
            for cols in [Some(&cols), None] {
                let prepared = prepare(&rows, cols, substrings, &compute).unwrap();
                let (f, g) = prepared.features(&compute).unwrap().into_rows_and_columns(rows.len(), cols.is_some());
                let g = g.unwrap_or_else(|| f.clone());
                let tiles = MismatchTiles::new(&rows, cols, substrings, &compute).unwrap();
                forms[usize::from(tiles.features.is_some())] += 1;
                assert_eq!(matrix(&tiles, f.len(), g.len()), product(&f, &g).concat());
                assert_eq!(tiles.features(), Some((&f, &g)));
                assert_eq!(tiles.diagonals().0, f.squared_norms());
                assert_eq!(tiles.diagonals().1.map(<[f64]>::to_vec), cols.map(|_| g.squared_norms()));
                let sums = neighbor_sums(&prepared, &g, &compute).unwrap();
                assert_eq!(product(&prepared.counts.split(rows.len()).0, &sums), product(&f, &g));
            }
        }
        assert!(forms[0] > 0 && forms[1] > 0, "{forms:?}");
    }
}
