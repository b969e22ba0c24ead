//! Whether objects are equal: the delta kernel on points that are not vectors.

use std::ops::Range;

use super::object::{ObjectPairs, ObjectTiles};
use crate::{Result, Sample};

/// Objects by the number of the first that is equal to each.
#[derive(Debug)]
pub(crate) struct EqualObjects {
    rows: Vec<usize>,
    cols: Option<Vec<usize>>,
    ones: (Vec<f64>, Option<Vec<f64>>),
}

impl EqualObjects {
    pub(crate) fn new(pairs: ObjectPairs<'_>) -> Result<Self> {
        let n = pairs.rows.len();
        let (rows, cols) = match pairs.cols {
            None => (pairs.rows.first_equal(), None),
            Some(cols) => {
                let mut firsts = Sample::pooled(pairs.rows, cols)?.as_points().first_equal();
                let cols = firsts.split_off(n);
                (firsts, Some(cols))
            }
        };
        let ones = (vec![1.0; n], cols.as_ref().map(|cols| vec![1.0; cols.len()]));
        Ok(Self { rows, cols, ones })
    }
}

impl ObjectTiles for EqualObjects {
    fn fill(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        let columns = &self.cols.as_ref().unwrap_or(&self.rows)[cols.clone()];
        for (&row, line) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
            for (value, column) in line.iter_mut().zip(columns) {
                *value = f64::from(u8::from(self.rows[row] == *column));
            }
        }
    }

    fn diagonals(&self) -> (&[f64], Option<&[f64]>) {
        (&self.ones.0, self.ones.1.as_deref())
    }

    fn operations(&self) -> usize {
        2
    }
}
