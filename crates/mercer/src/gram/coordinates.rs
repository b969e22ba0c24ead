//! The coordinates of the points of one side of a matrix.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use ndarray::{Array2, ArrayView2};

use super::simd::{reserved, zeroed};
use crate::compute::{Workers, filled};

/// Numbers that one thread copies at a time. Any that fill some pages would do.
const CHUNK: usize = 1 << 15;

/// Points row after row, with what is computed of them once: shared by the metrics on them, and by
/// all bindings to the same points.
#[derive(Debug)]
pub(crate) struct Coordinates {
    /// In standard layout.
    values: Array2<f64>,
    transposed: OnceLock<Array2<f64>>,
    reach: OnceLock<f64>,
}

impl Coordinates {
    pub(crate) fn new(values: Array2<f64>) -> Arc<Self> {
        let values = if values.is_standard_layout() { values } else { values.as_standard_layout().into_owned() };
        Arc::new(Self { values, transposed: OnceLock::new(), reach: OnceLock::new() })
    }

    pub(crate) fn copied(view: ArrayView2<'_, f64>) -> Arc<Self> {
        let mut values = reserved(view.len());
        match view.as_slice() {
            Some(slice) => values.extend_from_slice(slice),
            None => values.extend(&view),
        }
        Self::new(Array2::from_shape_vec(view.dim(), values).unwrap_or_else(|_| view.to_owned()))
    }

    /// As [`Coordinates::copied`], by several threads: fresh pages take longer than the copy.
    pub(crate) fn copied_by(view: ArrayView2<'_, f64>, workers: Workers<'_>) -> Arc<Self> {
        let Some(slice) = view.as_slice() else { return Self::copied(view) };
        let mut values = zeroed(view.len());
        workers.each_chunk(&mut values, CHUNK, |at, chunk| {
            chunk.copy_from_slice(&slice[at * CHUNK..at * CHUNK + chunk.len()]);
        });
        Self::new(Array2::from_shape_vec(view.dim(), values).unwrap_or_else(|_| view.to_owned()))
    }

    /// All coordinates, row after row.
    pub(crate) fn as_slice(&self) -> &[f64] {
        self.values.as_slice().unwrap_or_default()
    }

    /// The coordinates of a point.
    pub(crate) fn point(&self, i: usize) -> &[f64] {
        let dims = self.values.ncols();
        &self.as_slice()[i * dims..(i + 1) * dims]
    }

    /// The points coordinate by coordinate, for passes over the columns.
    pub(crate) fn transposed(&self) -> &Array2<f64> {
        filled(&self.transposed, || self.values.t().as_standard_layout().into_owned())
    }

    /// The largest `|x|` of all coordinates.
    pub(crate) fn reach(&self) -> f64 {
        *filled(&self.reach, || largest_size(self.as_slice()))
    }
}

impl Deref for Coordinates {
    type Target = Array2<f64>;

    fn deref(&self) -> &Array2<f64> {
        &self.values
    }
}

/// The largest `|x|`, NaN aside: in several lanes, so that it becomes SIMD code: one maximum after
/// the other waits for the one before. Not timed.
fn largest_size(values: &[f64]) -> f64 {
    const LANES: usize = 16;
    let larger = |m: f64, v: f64| if v.abs() > m { v.abs() } else { m };
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = larger(*lane, *value);
        }
    }
    lanes.iter().chain(rest).fold(0.0, |m, v| larger(m, *v))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reach_is_the_largest_size_wherever_it_stands() {
        for n in [1, 15, 16, 17, 50] {
            for at in [0, n / 2, n - 1] {
                let values = Array2::from_shape_fn((n, 1), |(i, _)| if i == at { -7.5 } else { (i as f64).sin() });
                assert_eq!(Coordinates::new(values).reach(), 7.5);
            }
        }
        assert_eq!(Coordinates::new(Array2::zeros((0, 3))).reach(), 0.0);
    }
}
