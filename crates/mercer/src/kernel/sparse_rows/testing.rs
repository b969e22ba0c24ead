//! Sparse rows in tests.

use super::SparseRows;

/// All values, with the zeros.
pub(crate) fn dense(rows: &SparseRows) -> Vec<Vec<f64>> {
    let row = |i: usize| {
        let mut values = vec![0.0; rows.width];
        let (columns, nonzero) = rows.row(i);
        columns.iter().zip(nonzero).for_each(|(&column, value)| values[column as usize] = *value);
        values
    };
    (0..rows.len()).map(row).collect()
}

/// The inner products of all rows of `f` with all rows of `g`.
pub(crate) fn product(f: &SparseRows, g: &SparseRows) -> Vec<Vec<f64>> {
    let (f, g) = (dense(f), dense(g));
    let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum();
    f.iter().map(|a| g.iter().map(|b| inner(a, b)).collect()).collect()
}
