//! Householder triangularization of one small array.

use std::ops::Range;

/// A column with no larger entry counts as zero: its reciprocal would overflow.
const SMALLEST: f64 = 1e-290;

/// Makes these columns of the first `rows` rows upper triangular by reflections of rows; the
/// columns before them are so already.
///
/// The row with the largest entry is swapped to the pivot first, so that rows of very different
/// size keep their own accuracy.
#[inline(always)]
pub(super) fn triangularize<const R: usize>(a: &mut [[f64; R]; R], columns: Range<usize>, rows: usize) {
    for k in columns.start..columns.end.min(rows) {
        for i in k + 1..rows {
            if a[i][k].abs() > a[k][k].abs() {
                a.swap(k, i);
            }
        }
        if a[k][k].abs() >= SMALLEST {
            reflect(a, rows, k);
        }
    }
}

/// One reflection `I − v vᵀ/v₀` that clears column `k` below the pivot, with `v₀ = 1 + ‖x‖/|x₀|`
/// after scaling.
#[inline(always)]
fn reflect<const R: usize>(a: &mut [[f64; R]; R], rows: usize, k: usize) {
    let pivot = a[k][k];
    let inverse = 1.0 / pivot;
    let mut v = [0.0; R];
    let mut square = 1.0;
    for i in k + 1..rows {
        v[i] = a[i][k] * inverse;
        square += v[i] * v[i];
        a[i][k] = 0.0;
    }
    let norm = f64::sqrt(square);
    let head = 1.0 + norm;
    v[k] = head;
    a[k][k] = -pivot * norm;
    // vᵀv/2 = (head² + square − 1)/2 = norm·head.
    let factor = 1.0 / (norm * head);
    for j in k + 1..R {
        let mut dot = 0.0;
        for i in k..rows {
            dot += v[i] * a[i][j];
        }
        dot *= factor;
        for i in k..rows {
            a[i][j] -= v[i] * dot;
        }
    }
}

/// The inverse of the upper triangular `M × M` corner.
#[inline(always)]
pub(super) fn inverse_upper<const M: usize, const R: usize>(a: &[[f64; R]; R]) -> [[f64; M]; M] {
    let mut inverse = [[0.0; M]; M];
    for j in 0..M {
        inverse[j][j] = 1.0 / a[j][j];
        for i in (0..j).rev() {
            let mut sum = 0.0;
            for k in i + 1..=j {
                sum += a[i][k] * inverse[k][j];
            }
            inverse[i][j] = -sum / a[i][i];
        }
    }
    inverse
}

/// `Π |dᵢ|` as a logarithm, with few calls of `ln`.
pub(crate) struct LogProduct {
    product: f64,
    log: f64,
}

impl LogProduct {
    pub fn new() -> Self {
        Self { product: 1.0, log: 0.0 }
    }

    #[inline(always)]
    pub fn multiply(&mut self, value: f64) {
        self.product *= value.abs();
        if !(1e-100..=1e100).contains(&self.product) {
            self.log += self.product.ln();
            self.product = 1.0;
        }
    }

    pub fn ln(&self) -> f64 {
        self.log + self.product.ln()
    }
}
