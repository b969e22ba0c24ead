//! Transposes of tiles.

/// Rows and columns of the small squares that are transposed at a time: a cache line of `f64`.
pub(super) const SQUARE: usize = 8;

/// Copies the part above the diagonal of an `n × n` tile to the part below.
pub(crate) fn mirror<T: Copy>(tile: &mut [T], n: usize) {
    for i in 0..n {
        for j in i + 1..n {
            tile[j * n + i] = tile[i * n + j];
        }
    }
}

/// Writes rows of equal length as columns: value `k` of row `i` goes to `to[k·stride + i]`.
#[inline(always)]
pub(super) fn turn<T: Copy>(rows: [&[T]; SQUARE], stride: usize, to: &mut [T]) {
    let (length, mut columns) = (rows[0].len(), to.chunks_mut(stride));
    let whole = length / SQUARE * SQUARE;
    for first in (0..whole).step_by(SQUARE) {
        let square: [&[T; SQUARE]; SQUARE] = rows.map(|row| row[first..].first_chunk().expect("a whole square"));
        let turned: [[T; SQUARE]; SQUARE] = std::array::from_fn(|k| square.map(|row| row[k]));
        // In this order: the columns would lose one at the end of the values.
        for (values, column) in turned.iter().zip(columns.by_ref()) {
            column[..SQUARE].copy_from_slice(values);
        }
    }
    for (k, column) in (whole..length).zip(columns) {
        column[..SQUARE].copy_from_slice(&rows.map(|row| row[k]));
    }
}

/// Writes the transpose of a row-major tile of the given width: its value (i, j) goes to
/// `to + j·stride + i`.
///
/// # Safety
/// All these places lie inside one allocation, and no other thread touches them.
pub(crate) unsafe fn write_transposed<T: Copy>(tile: &[T], width: usize, to: *mut T, stride: usize) {
    let height = tile.len() / width;
    let (whole_rows, whole_cols) = (height / SQUARE * SQUARE, width / SQUARE * SQUARE);
    // SAFETY: i < height and j < width in every call, as the caller guarantees for `to`.
    unsafe {
        for j in (0..whole_cols).step_by(SQUARE) {
            for i in (0..whole_rows).step_by(SQUARE) {
                write_square(&tile[i * width + j..], width, to.add(j * stride + i), stride);
            }
        }
        for i in 0..height {
            let from = if i < whole_rows { whole_cols } else { 0 };
            for j in from..width {
                to.add(j * stride + i).write(tile[i * width + j]);
            }
        }
    }
}

/// One square of [`write_transposed`].
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn write_square<T: Copy>(tile: &[T], width: usize, to: *mut T, stride: usize) {
    let rows: [&[T]; SQUARE] = std::array::from_fn(|i| &tile[i * width..i * width + SQUARE]);
    (0..SQUARE).for_each(|j| {
        let column: [T; SQUARE] = std::array::from_fn(|i| rows[i][j]);
        // SAFETY: row j of the transposed square lies inside the allocation, as the caller
        // guarantees.
        unsafe { to.add(j * stride).cast::<[T; SQUARE]>().write(column) };
    });
}
