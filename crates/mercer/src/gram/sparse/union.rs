//! Two sparse vectors on the columns where one of them is not 0.

use crate::kernel::sparse_rows::SparseRows;

/// Goes through the columns of two rows, ascending: the column and both values.
pub(super) fn merge(x: (&[u32], &[f64]), y: (&[u32], &[f64]), mut visit: impl FnMut(f64, f64)) {
    let (mut i, mut j) = (0, 0);
    while i < x.0.len() && j < y.0.len() {
        match x.0[i].cmp(&y.0[j]) {
            std::cmp::Ordering::Less => {
                visit(x.1[i], 0.0);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                visit(0.0, y.1[j]);
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                visit(x.1[i], y.1[j]);
                i += 1;
                j += 1;
            }
        }
    }
    x.1[i..].iter().for_each(|&x| visit(x, 0.0));
    y.1[j..].iter().for_each(|&y| visit(0.0, y));
}

/// Two vectors without the columns in which both are 0.
#[derive(Debug, Default)]
pub(crate) struct Union {
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
}

impl Union {
    /// Row `i` of one matrix and row `j` of another.
    pub(crate) fn set(&mut self, rows: &SparseRows, i: usize, columns: &SparseRows, j: usize) {
        self.x.clear();
        self.y.clear();
        let (x, y) = (&mut self.x, &mut self.y);
        merge(rows.row(i), columns.row(j), |a, b| {
            x.push(a);
            y.push(b);
        });
    }
}
