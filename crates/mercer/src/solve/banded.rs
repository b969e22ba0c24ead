//! Symmetric positive definite matrices with a narrow band: factor, solve, and the band of the
//! inverse in linear time.

use crate::{Error, Result};

/// A symmetric matrix whose entries vanish for `|i − j| > width`.
///
/// # Example
/// ```
/// use mercer::solve::SymmetricBanded;
/// // The second differences of three points: 2 on the diagonal, −1 beside it.
/// let mut a = SymmetricBanded::zeros(3, 1);
/// for i in 0..3 {
///     a.add(i, i, 2.0)?;
/// }
/// a.add(1, 0, -1.0)?;
/// a.add(1, 2, -1.0)?;
/// let factor = a.factor()?;
/// assert!((factor.log_determinant() - 4.0_f64.ln()).abs() < 1e-15);
/// // The inverse is [3 2 1; 2 4 2; 1 2 3]/4.
/// assert!((factor.inverse_band().get(1, 1) - 1.0).abs() < 1e-15);
/// assert!((factor.solve(&[1.0, 0.0, 0.0])?[2] - 0.25).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SymmetricBanded {
    size: usize,
    width: usize,
    /// Row `i` holds the entries `(i, i − width) … (i, i)`.
    lower: Vec<f64>,
}

impl SymmetricBanded {
    /// The zero matrix with this many rows and this many diagonals below the main one.
    pub fn zeros(size: usize, width: usize) -> Self {
        Self { size, width, lower: vec![0.0; size * (width + 1)] }
    }

    /// The number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The number of diagonals below the main one.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The entry `(i, j)`; 0 outside the band and outside the matrix.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.position(i, j).map_or(0.0, |p| self.lower[p])
    }

    /// Adds to the entries `(i, j)` and `(j, i)`.
    ///
    /// # Errors
    /// [`Error::Shape`] outside the band.
    pub fn add(&mut self, i: usize, j: usize, value: f64) -> Result<()> {
        let position = self.position(i, j).ok_or_else(|| {
            let expected = format!("inside {0} × {0} with |i − j| ≤ {1}", self.size, self.width);
            Error::shape("an entry of a banded matrix", expected, format!("({i}, {j})"))
        })?;
        self.lower[position] += value;
        Ok(())
    }

    fn position(&self, i: usize, j: usize) -> Option<usize> {
        let (row, column) = (i.max(j), i.min(j));
        let inside = row < self.size && row - column <= self.width;
        inside.then(|| row * (self.width + 1) + self.width - (row - column))
    }

    /// `A = L D Lᵀ` with a unit lower triangular `L` of the same band.
    ///
    /// # Cost
    /// `O(n w²)` time, `O(n w)` memory.
    ///
    /// # Errors
    /// [`Error::Singular`] when a pivot shows that the matrix is not positive definite to working
    /// precision.
    pub fn factor(&self) -> Result<BandedFactor> {
        let mut factor = self.clone();
        for i in 0..self.size {
            factor.eliminate_row(i);
            let pivot = factor.get(i, i);
            let singular = pivot.is_nan() || pivot <= f64::EPSILON * self.get(i, i);
            if singular {
                return Err(Error::singular(
                    format!("a banded matrix of {} rows, whose pivot {i} is {pivot:.3e},", self.size),
                    "use a larger penalty",
                ));
            }
        }
        Ok(BandedFactor { factor })
    }

    /// Row `i` of `L` below the diagonal, and the pivot `Dᵢ` on it, from the rows above.
    fn eliminate_row(&mut self, i: usize) {
        let first = i.saturating_sub(self.width);
        // Row i of LD first: each entry needs the ones to its left.
        for j in first..i {
            let from = first.max(j.saturating_sub(self.width));
            let sum: f64 = (from..j).map(|k| self.get(i, k) * self.get(j, k)).sum();
            self.set(i, j, self.get(i, j) - sum);
        }
        for j in first..i {
            let product = self.get(i, j);
            let entry = product / self.get(j, j);
            self.set(i, j, entry);
            self.set(i, i, self.get(i, i) - entry * product);
        }
    }

    /// For positions known to be inside the band.
    fn set(&mut self, i: usize, j: usize, value: f64) {
        if let Some(position) = self.position(i, j) {
            self.lower[position] = value;
        }
    }
}

/// The factor `A = L D Lᵀ` of a [`SymmetricBanded`] matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct BandedFactor {
    /// `L` below the diagonal, `D` on it.
    factor: SymmetricBanded,
}

impl BandedFactor {
    /// The solution of `A x = b`.
    ///
    /// # Cost
    /// `O(n w)`.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `b` has one entry per row.
    pub fn solve(&self, b: &[f64]) -> Result<Vec<f64>> {
        let (l, n, w) = (&self.factor, self.factor.size, self.factor.width);
        if b.len() != n {
            return Err(Error::shape("entries of the right-hand side", n, b.len()));
        }
        let mut x = b.to_vec();
        for i in 0..n {
            let sum: f64 = (i.saturating_sub(w)..i).map(|k| l.get(i, k) * x[k]).sum();
            x[i] -= sum;
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n.min(i + w + 1)).map(|k| l.get(k, i) * x[k]).sum();
            x[i] = x[i] / l.get(i, i) - sum;
        }
        Ok(x)
    }

    /// `log det A`.
    pub fn log_determinant(&self) -> f64 {
        (0..self.factor.size).map(|i| self.factor.get(i, i).ln()).sum()
    }

    /// The entries of `A⁻¹` inside the band, by the recursion of Takahashi (Hutchinson and de Hoog
    /// for splines).
    ///
    /// # Formula
    /// With `Z = A⁻¹`: `Z = D⁻¹L⁻¹ + (I − Lᵀ)Z`, read from the last row to the first, inside the
    /// band.
    ///
    /// # Cost
    /// `O(n w²)` time, `O(n w)` memory.
    pub fn inverse_band(&self) -> SymmetricBanded {
        let (l, n, w) = (&self.factor, self.factor.size, self.factor.width);
        let mut inverse = SymmetricBanded::zeros(n, w);
        for i in (0..n).rev() {
            let last = n.min(i + w + 1);
            for j in (i..last).rev() {
                let sum: f64 = (i + 1..last).map(|k| l.get(k, i) * inverse.get(k, j)).sum();
                let start = if i == j { 1.0 / l.get(i, i) } else { 0.0 };
                inverse.set(i, j, start - sum);
            }
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::solve::solve_positive;
    use ndarray::Array2;

    fn random(n: usize, width: usize) -> SymmetricBanded {
        let mut stream = Seed(5).stream("band", (n + width) as u64);
        let mut a = SymmetricBanded::zeros(n, width);
        for i in 0..n {
            a.add(i, i, 2.0 * width as f64 + 1.0 + stream.uniform()).unwrap();
            for j in i.saturating_sub(width)..i {
                a.add(i, j, 2.0 * stream.uniform() - 1.0).unwrap();
            }
        }
        a
    }

    #[test]
    fn solutions_and_the_band_of_the_inverse_equal_the_dense_ones() {
        for (n, width) in [(0, 2), (1, 0), (1, 3), (2, 1), (7, 2), (30, 5)] {
            let a = random(n, width);
            let dense = Array2::from_shape_fn((n, n), |(i, j)| a.get(i, j));
            let inverse = solve_positive(dense.view(), Array2::eye(n).view()).unwrap().solution;
            let factor = a.factor().unwrap();
            let band = factor.inverse_band();
            for i in 0..n {
                for j in i.saturating_sub(width)..n.min(i + width + 1) {
                    assert_close!(band.get(i, j), inverse[[i, j]], abs = 1e-14, "n = {n}: ({i}, {j})");
                }
            }
            let b: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
            let x = factor.solve(&b).unwrap();
            for (i, expected) in b.iter().enumerate() {
                let found: f64 = (0..n).map(|j| a.get(i, j) * x[j]).sum();
                assert_close!(found, *expected, abs = 1e-14 * n as f64);
            }
        }
    }

    #[test]
    fn wrong_requests_are_errors() {
        let mut a = SymmetricBanded::zeros(3, 1);
        assert!(a.add(0, 2, 1.0).is_err() && a.add(3, 3, 1.0).is_err());
        assert!(matches!(a.factor(), Err(Error::Singular { .. })));
        a.add(0, 0, f64::NAN).unwrap();
        assert!(matches!(a.factor(), Err(Error::Singular { .. })));
        assert!(matches!(random(4, 1).factor().unwrap().solve(&[1.0]), Err(Error::Shape { .. })));
    }
}
