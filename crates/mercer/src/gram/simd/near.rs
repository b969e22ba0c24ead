//! Finds the values of a tile that are too small for their rounding error.

use pulp::{Arch, Simd, WithSimd};

use super::element::Element;

/// For each row of the tile: how many values are not at least `row limit + column limit` (NaN
/// counts).
pub(crate) fn count_near<T: Element>(tile: &[T], row_limits: &[T], column_limits: &[T]) -> Vec<u32> {
    Arch::new().dispatch(CountNear { tile, row_limits, column_limits })
}

struct CountNear<'a, T> {
    tile: &'a [T],
    row_limits: &'a [T],
    column_limits: &'a [T],
}

impl<T: Element> WithSimd for CountNear<'_, T> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<u32> {
        let rows = self.tile.chunks_exact(self.column_limits.len().max(1)).zip(self.row_limits);
        rows.map(|(row, &limit)| count_row(row, limit, self.column_limits)).collect()
    }
}

#[inline(always)]
fn count_row<T: Element>(row: &[T], limit: T, column_limits: &[T]) -> u32 {
    let far: u32 = row.iter().zip(column_limits).map(|(&value, &column)| u32::from(value >= limit + column)).sum();
    row.len() as u32 - far
}
