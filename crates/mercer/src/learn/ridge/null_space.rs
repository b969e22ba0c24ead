//! The unpenalized part: functions whose coefficients are free.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::{Error, Result};

/// `SP = QR` with orthonormal columns `Q`: the unpenalized functions at the data, scaled by the
/// roots of the weights.
#[derive(Clone, Debug)]
pub(crate) struct NullSpace {
    pub(crate) q: Array2<f64>,
    r: Array2<f64>,
}

impl NullSpace {
    /// # Errors
    /// [`Error::Undetermined`] when the functions are linearly dependent on the data.
    pub(super) fn new(scaled: &Array2<f64>) -> Result<Self> {
        let (n, m) = scaled.dim();
        let (mut q, mut r) = (scaled.clone(), Array2::zeros((m, m)));
        for j in 0..m {
            let mut column = scaled.column(j).to_owned();
            let size = column.dot(&column).sqrt();
            // Twice is enough: the second pass removes what rounding left of the first.
            for _ in 0..2 {
                for i in 0..j {
                    let share = q.column(i).dot(&column);
                    column.scaled_add(-share, &q.column(i));
                    r[[i, j]] += share;
                }
            }
            let norm = column.dot(&column).sqrt();
            if norm <= 1e3 * n.max(1) as f64 * f64::EPSILON * size {
                return Err(dependent(j, m, n));
            }
            r[[j, j]] = norm;
            q.column_mut(j).assign(&(column / norm));
        }
        Ok(Self { q, r })
    }

    /// The number of unpenalized functions.
    pub(super) fn count(&self) -> usize {
        self.r.nrows()
    }

    /// `R⁻¹γ`: coefficients of the functions from coefficients of `Q`.
    pub(super) fn coefficients(&self, gamma: &Array2<f64>) -> Array2<f64> {
        let mut beta = gamma.clone();
        for i in (0..self.count()).rev() {
            let known: Array1<f64> =
                ((i + 1)..self.count()).fold(Array1::zeros(beta.ncols()), |sum, j| sum + &beta.row(j) * self.r[[i, j]]);
            let value = (&beta.row(i) - &known) / self.r[[i, i]];
            beta.row_mut(i).assign(&value);
        }
        beta
    }
}

fn dependent(j: usize, m: usize, n: usize) -> Error {
    Error::undetermined(
        format!("the coefficient of unpenalized function {j} of {m} (counted from 0, the intercept first)"),
        format!("it is a combination of those before it on the {n} rows of the data"),
        "leave it out",
    )
}

/// `[1 | basis]`, either part of which may be absent.
pub(super) fn design(n: usize, intercept: bool, basis: Option<ArrayView2<f64>>) -> Array2<f64> {
    let ones = Array2::ones((n, usize::from(intercept)));
    match basis {
        None => ones,
        Some(basis) => ndarray::concatenate(Axis(1), &[ones.view(), basis]).expect("the rows were counted before"),
    }
}
