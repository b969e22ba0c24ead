//! Vectors with few nonzero coordinates, in compressed sparse rows.

use std::fmt;
use std::ops::Range;

use ndarray::{Array2, ArrayView2};

use crate::error::{RecordProblem, Requirement};
use crate::{Error, Result};

/// Vectors of `ℝᵈ` that store their nonzero coordinates only: compressed sparse rows. Kernels,
/// learners and tests use them as they are; no dense copy of the matrix is made.
///
/// Columns ascend strictly within a row, all values are finite, and none is 0 (a stored zero is left
/// out when the matrix is made).
///
/// # Example
/// ```
/// use mercer::points::Csr;
/// use mercer::{Compute, Kernel, gram};
/// // Rows (1, 0, 2), (0, 0, 0) and (0, 3, 1).
/// let x = Csr::new(3, vec![0, 2, 2, 4], vec![0, 2, 1, 2], vec![1.0, 2.0, 3.0, 1.0])?;
/// assert_eq!((x.len(), x.width(), x.stored()), (3, 3, 4));
/// assert_eq!(x.row(2), (&[1, 2][..], &[3.0, 1.0][..]));
/// let (k, compute): (Kernel, _) = ("linear()".parse()?, Compute::new());
/// let gram = gram::dense(&k.bind(gram::Pairs::Within((&x).into()), &compute)?, &compute)?;
/// assert_eq!(gram, ndarray::array![[5.0, 0.0, 2.0], [0.0, 0.0, 0.0], [2.0, 0.0, 10.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Csr {
    /// Where each row begins, and where the last one ends.
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    width: usize,
}

impl Csr {
    /// A matrix of `width` columns: row `i` has `values[starts[i]..starts[i + 1]]` in the columns
    /// `columns[starts[i]..starts[i + 1]]`, which ascend strictly. Values of 0 are left out.
    ///
    /// # Errors
    /// [`Error::Shape`] for lists whose lengths do not fit or starts that descend,
    /// [`Error::Value`] with the row and the column for columns that do not ascend or are beyond the
    /// width, and for NaN and infinities; [`Error::Unsupported`] for more than `2³² − 1` columns.
    pub fn new(width: usize, starts: Vec<usize>, columns: Vec<u32>, values: Vec<f64>) -> Result<Self> {
        check_lists(width, &starts, columns.len(), values.len())?;
        let made = Self { starts, columns, values, width };
        (0..made.len()).try_for_each(|row| made.check_row(row))?;
        Ok(made.without_zeros())
    }

    /// The same with columns in any order; values of one place are added. Columns are of any whole
    /// type, as they come from other programs.
    ///
    /// # Errors
    /// As [`Csr::new`]; a column that is negative or beyond the width is an [`Error::Value`] too.
    ///
    /// # Example
    /// ```
    /// use mercer::points::Csr;
    /// let x = Csr::summed(3, vec![0, 3], &[2, 0, 2], &[1.0, 5.0, 2.5])?;
    /// assert_eq!(x.row(0), (&[0, 2][..], &[5.0, 3.5][..]));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn summed<C: Copy + Into<i64>>(
        width: usize,
        starts: Vec<usize>,
        columns: &[C],
        values: &[f64],
    ) -> Result<Self> {
        check_lists(width, &starts, columns.len(), values.len())?;
        let mut made = Self { starts: vec![0], columns: Vec::with_capacity(columns.len()), values: Vec::new(), width };
        made.values.reserve(values.len());
        let mut entries: Vec<(u32, f64)> = Vec::new();
        for (row, ends) in starts.windows(2).enumerate() {
            entries.clear();
            for (&column, &value) in columns[ends[0]..ends[1]].iter().zip(&values[ends[0]..ends[1]]) {
                entries.push((made.column(row, column.into())?, made.finite(row, column.into(), value)?));
            }
            if !entries.is_sorted_by(|a, b| a.0 < b.0) {
                entries.sort_by_key(|entry| entry.0);
            }
            made.push_summed(row, &entries)?;
        }
        Ok(made)
    }

    /// The rows of a dense matrix.
    ///
    /// # Errors
    /// [`Error::Value`] for NaN and infinities.
    pub fn from_dense(x: ArrayView2<'_, f64>) -> Result<Self> {
        super::check_finite(x, "x")?;
        check_width(x.ncols())?;
        let mut made = Self { starts: vec![0], columns: Vec::new(), values: Vec::new(), width: x.ncols() };
        for row in x.rows() {
            let nonzero = row.iter().zip(0..).filter(|(value, _)| **value != 0.0);
            nonzero.for_each(|(value, column)| made.push(column, *value));
            made.end_row();
        }
        Ok(made)
    }

    /// All numbers, with the zeros.
    pub fn to_dense(&self) -> Array2<f64> {
        let mut out = Array2::zeros((self.len(), self.width));
        for i in 0..self.len() {
            let (columns, values) = self.row(i);
            columns.iter().zip(values).for_each(|(&column, &value)| out[[i, column as usize]] = value);
        }
        out
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of values that are stored.
    pub fn stored(&self) -> usize {
        self.values.len()
    }

    /// The columns and the values of a row.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.range(row);
        (&self.columns[range.clone()], &self.values[range])
    }

    fn range(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// Where each row begins and the last one ends; the columns; the values.
    pub fn parts(&self) -> (&[usize], &[u32], &[f64]) {
        (&self.starts, &self.columns, &self.values)
    }

    /// The mean and the variance of all numbers, those that are 0 with the others.
    ///
    /// # Example
    /// ```
    /// use mercer::points::Csr;
    /// let x = Csr::new(2, vec![0, 1, 1], vec![1], vec![4.0])?;
    /// assert_eq!(x.moments(), (1.0, 3.0));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn moments(&self) -> (f64, f64) {
        let count = (self.len() * self.width) as f64;
        if count == 0.0 {
            return (0.0, 0.0);
        }
        let mean = self.values.iter().sum::<f64>() / count;
        let stored: f64 = self.values.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, (stored + (count - self.values.len() as f64) * mean * mean) / count)
    }

    /// Some of the columns, in this order.
    pub(crate) fn select_columns(&self, chosen: &[usize]) -> Self {
        let mut targets = vec![Vec::new(); self.width];
        chosen.iter().zip(0..).for_each(|(&column, target)| targets[column].push(target));
        let mut made = Self { starts: vec![0], columns: Vec::new(), values: Vec::new(), width: chosen.len() };
        let mut entries: Vec<(u32, f64)> = Vec::new();
        for i in 0..self.len() {
            let (columns, values) = self.row(i);
            entries.clear();
            for (&column, &value) in columns.iter().zip(values) {
                entries.extend(targets[column as usize].iter().map(|&target: &u32| (target, value)));
            }
            entries.sort_unstable_by_key(|entry| entry.0);
            entries.iter().for_each(|&(column, value)| made.push(column, value));
            made.end_row();
        }
        made
    }

    /// Some of the rows, in this order.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let size = rows.iter().map(|&row| self.range(row).len()).sum();
        let mut made = Self {
            starts: Vec::with_capacity(rows.len() + 1),
            columns: Vec::with_capacity(size),
            values: Vec::with_capacity(size),
            width: self.width,
        };
        made.starts.push(0);
        for &row in rows {
            let (columns, values) = self.row(row);
            made.columns.extend_from_slice(columns);
            made.values.extend_from_slice(values);
            made.end_row();
        }
        made
    }

    /// The rows of both.
    pub(crate) fn pooled(&self, other: &Self) -> Result<Self> {
        if self.width != other.width {
            return Err(Error::shape("columns of the second sample", self.width, other.width));
        }
        let mut made = self.clone();
        made.columns.extend_from_slice(&other.columns);
        made.values.extend_from_slice(&other.values);
        made.starts.extend(other.starts[1..].iter().map(|start| self.stored() + start));
        Ok(made)
    }

    /// The same rows with another number of columns.
    ///
    /// # Errors
    /// [`Error::Value`] with the row and the column of the first value beyond the width,
    /// [`Error::Unsupported`] for more than `2³² − 1` columns.
    ///
    /// # Example
    /// ```
    /// use mercer::points::Csr;
    /// let x = Csr::new(3, vec![0, 1], vec![1], vec![0.5])?;
    /// assert_eq!(x.with_width(2)?.with_width(3)?, x);
    /// assert!(x.with_width(1).is_err());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn with_width(&self, width: usize) -> Result<Self> {
        check_width(width)?;
        let made = Self { width, ..self.clone() };
        match self.first_beyond(width) {
            Some((row, column, _)) => made.column(row, i64::from(column)).map(|_| made),
            None => Ok(made),
        }
    }

    /// The row, the column and the value of the first entry that is not below a width.
    pub(crate) fn first_beyond(&self, width: usize) -> Option<(usize, u32, f64)> {
        let beyond = |row: usize| {
            let (columns, values) = self.row(row);
            let at = columns.partition_point(|&column| (column as usize) < width);
            columns.get(at).map(|&column| (row, column, values[at]))
        };
        if width < self.width { (0..self.len()).find_map(beyond) } else { None }
    }

    /// Whether a dense copy takes at most eight times the memory.
    pub(crate) fn is_compact(&self) -> bool {
        (self.len() * self.width) as u64 <= self.bytes()
    }

    /// Whether there are numbers, and a dense copy takes no more memory.
    pub(crate) fn is_full(&self) -> bool {
        let numbers = (self.len() * self.width) as u64;
        numbers > 0 && 8 * numbers <= self.bytes()
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        (8 * self.starts.len() + 12 * self.stored()) as u64
    }

    /// A row as something to compare.
    pub(crate) fn row_key(&self, row: usize) -> (&[u32], Vec<u64>) {
        let (columns, values) = self.row(row);
        (columns, values.iter().map(|value| value.to_bits()).collect())
    }

    /// A matrix from a file.
    pub(crate) fn from_parts(width: usize, starts: Vec<usize>, columns: Vec<usize>, values: Vec<f64>) -> Result<Self> {
        let damaged = |reason: &str| Error::record("sparse rows", RecordProblem::Damaged(reason.into()));
        let columns = columns.into_iter().map(u32::try_from).collect::<std::result::Result<_, _>>();
        let columns = columns.map_err(|_| damaged("a column is beyond 2³² − 1"))?;
        Self::new(width, starts, columns, values).map_err(|error| damaged(&format!("the lists do not fit ({error})")))
    }

    fn push(&mut self, column: u32, value: f64) {
        self.columns.push(column);
        self.values.push(value);
    }

    fn end_row(&mut self) {
        self.starts.push(self.columns.len());
    }

    /// A row of sorted entries; those of one column are added.
    fn push_summed(&mut self, row: usize, entries: &[(u32, f64)]) -> Result<()> {
        for same in entries.chunk_by(|a, b| a.0 == b.0) {
            let (column, sum) = (same[0].0, same.iter().map(|entry| entry.1).sum::<f64>());
            let sum = self.finite(row, i64::from(column), sum)?;
            if sum != 0.0 {
                self.push(column, sum);
            }
        }
        self.end_row();
        Ok(())
    }

    fn check_row(&self, row: usize) -> Result<()> {
        let (columns, values) = self.row(row);
        if let Some(at) = columns.windows(2).position(|pair| pair[0] >= pair[1]) {
            let needed = "the columns of a row must ascend, each of them once";
            return Err(Error::value("sparse rows", (row, columns[at + 1]), values[at + 1], needed));
        }
        if let Some(&last) = columns.last() {
            self.column(row, i64::from(last))?;
        }
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(at) => self.finite(row, i64::from(columns[at]), values[at]).map(drop),
        }
    }

    /// A column, if there is such a column.
    fn column(&self, row: usize, column: i64) -> Result<u32> {
        let inside = u32::try_from(column).ok().filter(|&at| (at as usize) < self.width);
        inside.ok_or_else(|| {
            let needed = Requirement::from(format!("columns are from 0 and below {}", self.width));
            Error::value("sparse rows", (row, column), "a value", needed)
        })
    }

    fn finite(&self, row: usize, column: i64, value: f64) -> Result<f64> {
        if value.is_finite() { Ok(value) } else { Err(Error::value("x", (row, column), value, Requirement::Finite)) }
    }

    fn without_zeros(self) -> Self {
        if self.values.iter().all(|value| *value != 0.0) {
            return self;
        }
        let mut made = Self { starts: vec![0], columns: Vec::new(), values: Vec::new(), width: self.width };
        for i in 0..self.len() {
            let (columns, values) = self.row(i);
            let nonzero = columns.iter().zip(values).filter(|(_, value)| **value != 0.0);
            nonzero.for_each(|(&column, &value)| made.push(column, value));
            made.end_row();
        }
        made
    }
}

fn check_width(width: usize) -> Result<()> {
    if width <= u32::MAX as usize {
        return Ok(());
    }
    let reason = "at most 2³² − 1 columns are supported";
    Err(Error::unsupported("sparse rows", format!("{width} columns"), reason, ""))
}

fn check_lists(width: usize, starts: &[usize], columns: usize, values: usize) -> Result<()> {
    check_width(width)?;
    if columns != values {
        return Err(Error::shape("columns of the values of sparse rows", values, columns));
    }
    if starts.first() != Some(&0) || starts.last() != Some(&values) {
        let found = format!("{:?} to {:?}", starts.first(), starts.last());
        return Err(Error::shape("starts of sparse rows", format!("0 to {values}"), found));
    }
    if !starts.is_sorted() {
        return Err(Error::shape("starts of sparse rows", "ascending numbers", "one that is below the one before"));
    }
    Ok(())
}

impl fmt::Debug for Csr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Csr({} × {}, {} stored)", self.len(), self.width, self.stored())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn example() -> Csr {
        Csr::new(4, vec![0, 2, 2, 4], vec![0, 3, 1, 3], vec![1.0, -2.0, 3.0, 4.0]).unwrap()
    }

    #[test]
    fn dense_and_back() {
        let dense = array![[1.0, 0.0, 0.0, -2.0], [0.0; 4], [0.0, 3.0, 0.0, 4.0]];
        assert_eq!(example().to_dense(), dense);
        assert_eq!(Csr::from_dense(dense.view()).unwrap(), example());
        assert_eq!(example().select(&[2, 0]).to_dense(), array![[0.0, 3.0, 0.0, 4.0], [1.0, 0.0, 0.0, -2.0]]);
        let chosen = example().select_columns(&[3, 3, 0]);
        assert_eq!(chosen.to_dense(), array![[-2.0, -2.0, 1.0], [0.0; 3], [4.0, 4.0, 0.0]]);
        let pooled = example().pooled(&example().select(&[1, 2])).unwrap();
        assert_eq!(pooled, example().select(&[0, 1, 2, 1, 2]));
    }

    #[test]
    fn lists_that_do_not_fit_are_refused() {
        let refused = |starts: &[usize], columns: &[u32], values: &[f64]| {
            Csr::new(2, starts.to_vec(), columns.to_vec(), values.to_vec()).unwrap_err().to_string()
        };
        assert!(refused(&[0, 1], &[0, 1], &[1.0]).contains("columns"));
        assert!(refused(&[], &[], &[]).contains("starts"));
        assert!(refused(&[0, 2, 1, 2], &[0, 1], &[1.0, 1.0]).contains("starts"));
        assert!(refused(&[0, 2], &[1, 0], &[1.0, 1.0]).contains("row 0, column 0"));
        assert!(refused(&[0, 2], &[1, 1], &[1.0, 1.0]).contains("ascend"));
        assert!(refused(&[0, 1], &[2], &[1.0]).contains("row 0, column 2"));
        assert!(refused(&[0, 0, 1], &[1], &[f64::NAN]).contains("row 1, column 1 holds NaN"));
        let negative = Csr::summed(2, vec![0, 1], &[-1], &[1.0]).unwrap_err().to_string();
        assert!(negative.contains("column -1"), "{negative}");
    }

    #[test]
    fn zeros_are_left_out_and_places_are_added() {
        let x = Csr::new(3, vec![0, 2, 3], vec![0, 2, 1], vec![0.0, 1.0, -0.0]).unwrap();
        assert_eq!((x.stored(), x.parts().0), (1, &[0, 1, 1][..]));
        let x = Csr::summed(3, vec![0, 4], &[1, 0, 1, 2], &[2.0, 1.0, -2.0, 4.0]).unwrap();
        assert_eq!(x.row(0), (&[0, 2][..], &[1.0, 4.0][..]));
        let overflow = Csr::summed(1, vec![0, 2], &[0, 0], &[f64::MAX, f64::MAX]).unwrap_err().to_string();
        assert!(overflow.contains("row 0, column 0 holds inf"), "{overflow}");
    }
}
