//! Rows scaled, chosen and transposed.

use super::{Part, SparseRows, concat};

impl SparseRows {
    /// Row `i` times `factors[i]`; a row with the factor 0 has no values.
    pub(crate) fn with_row_factors(&self, factors: &[f64]) -> Self {
        let mut part = Part::default();
        for (i, factor) in factors.iter().enumerate() {
            let (columns, values) = self.row(i);
            let scaled = columns.iter().zip(values).map(|(&column, value)| (column, value * factor));
            scaled.filter(|(_, value)| *value != 0.0).for_each(|(column, value)| part.push(column, value));
            part.end_row();
        }
        concat(vec![part], self.width)
    }

    /// The same number in one column of every row.
    pub(crate) fn constant(rows: usize, value: f64) -> Self {
        let count = if value == 0.0 { 0 } else { rows };
        let starts = (0..=rows).map(|i| i.min(count)).collect();
        Self { starts, columns: vec![0; count], values: vec![value; count], width: 1 }
    }

    /// Some of the rows, in this order.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let size = rows.iter().map(|&i| self.starts[i + 1] - self.starts[i]).sum();
        let (mut starts, mut columns, mut values) = (vec![0], Vec::with_capacity(size), Vec::with_capacity(size));
        for &i in rows {
            let row = self.row(i);
            columns.extend_from_slice(row.0);
            values.extend_from_slice(row.1);
            starts.push(columns.len());
        }
        Self { starts, columns, values, width: self.width }
    }

    /// The same without the columns that have no value.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        let mut width = 0;
        let number = |occurs: &u32| {
            width += u32::from(*occurs > 0);
            width.saturating_sub(1)
        };
        let numbers: Vec<u32> = self.occurrences().iter().map(number).collect();
        self.columns.iter_mut().for_each(|column| *column = numbers[*column as usize]);
        Self { width: width as usize, ..self }
    }

    /// The matrix with rows and columns exchanged.
    pub(crate) fn transposed(&self) -> Self {
        let mut starts = vec![0; self.width + 1];
        for (feature, &count) in self.occurrences().iter().enumerate() {
            starts[feature + 1] = starts[feature] + count as usize;
        }
        let mut next = starts.clone();
        let (mut columns, mut values) = (vec![0; self.columns.len()], vec![0.0; self.columns.len()]);
        for i in 0..self.len() {
            let row = self.row(i);
            for (&feature, &value) in row.0.iter().zip(row.1) {
                let place = &mut next[feature as usize];
                (columns[*place], values[*place]) = (i as u32, value);
                *place += 1;
            }
        }
        Self { starts, columns, values, width: self.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::dense;
    use super::*;

    fn example() -> SparseRows {
        SparseRows { starts: vec![0, 2, 2, 4], columns: vec![0, 3, 1, 3], values: vec![1.0, 2.0, 3.0, 4.0], width: 4 }
    }

    #[test]
    fn a_transposed_matrix_has_rows_and_columns_exchanged() {
        let (x, t) = (dense(&example()), dense(&example().transposed()));
        assert!((0..3).all(|i| (0..4).all(|j| x[i][j] == t[j][i])));
        assert_eq!(example().transposed().transposed(), example());
    }

    #[test]
    fn rows_are_chosen_and_scaled() {
        let chosen = example().select(&[2, 0, 2]);
        assert_eq!(dense(&chosen), [[0.0, 3.0, 0.0, 4.0], [1.0, 0.0, 0.0, 2.0], [0.0, 3.0, 0.0, 4.0]]);
        let scaled = chosen.with_row_factors(&[0.5, 0.0, 2.0]);
        assert_eq!(dense(&scaled), [[0.0, 1.5, 0.0, 2.0], [0.0; 4], [0.0, 6.0, 0.0, 8.0]]);
        // No value is 0.
        assert_eq!(scaled.values.len(), 4);
        assert_eq!(dense(&SparseRows::constant(2, 3.0)), [[3.0], [3.0]]);
        assert_eq!(SparseRows::constant(2, 0.0).starts, [0, 0, 0]);
        assert_eq!(dense(&chosen.select(&[0]).without_empty_columns()), [[3.0, 4.0]]);
    }
}
