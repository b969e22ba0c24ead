//! `(A + λI)⁻¹Z` and `diag (A + λI)⁻¹` for many λ from one reduction to a band.

use ndarray::{Array1, Array2, ArrayView2};

use super::band_reduction::{BandReduction, WIDTH};
use super::band_sweep::{Groups, ROWS, pack};
use super::reflectors::product;
use crate::{Compute, Result};

/// How far λ must be above the rounding errors of the reduction.
const MARGIN: f64 = 10.0;

/// The resolvent of a symmetric matrix at one λ, as far as it is needed.
pub(crate) struct Resolvent {
    /// `(A + λI)⁻¹Z`.
    pub(crate) solution: Array2<f64>,
    /// `diag (A + λI)⁻¹`.
    pub(crate) diagonal: Array1<f64>,
}

/// The resolvents of a symmetric matrix (its lower triangle is read) at every λ; `None` where a λ
/// does not make it positive definite by far more than rounding.
///
/// # Formula
/// With `A = Q diag(B, θI) Qᵀ` and `B + λI = LDLᵀ`:
/// `(A + λI)⁻¹ᵢᵢ = ‖D^{−½}L⁻¹qᵢ‖² + (1 − ‖qᵢ‖²)/(θ + λ)`, where `qᵢ` holds row `i` of the first
/// columns of `Q`.
///
/// # Cost
/// `8n³/3` for the reduction and its basis, `48n²` per λ; no eigenvalue is computed. `16n²` bytes.
pub(crate) fn resolvents(
    matrix: Array2<f64>,
    z: ArrayView2<f64>,
    lambdas: &[f64],
    compute: &Compute,
) -> Result<Option<Vec<Resolvent>>> {
    let n = matrix.nrows();
    let norm = matrix.iter().map(|v| v * v).sum::<f64>().sqrt();
    let floor = |lambda: f64| MARGIN * n as f64 * f64::EPSILON * (norm + lambda);
    let smallest = lambdas.iter().copied().fold(f64::INFINITY, f64::min);
    if lambdas.iter().any(|&lambda| lambda < floor(lambda)) {
        return Ok(None);
    }
    let reduction = BandReduction::new(matrix, smallest, compute)?;
    let factor = |at: usize| factor(&reduction.band, lambdas[at], floor(lambdas[at]));
    let factors: Option<Vec<Vec<f64>>> = compute.map_tasks(lambdas.len(), factor).into_iter().collect();
    let Some(factors) = factors.filter(|_| reduction.rank() == n || reduction.rest + smallest > floor(smallest)) else {
        return Ok(None);
    };
    let basis = reduction.basis(compute)?;
    let outside: Vec<f64> = lambdas.iter().map(|lambda| 1.0 / (reduction.rest + lambda)).collect();
    let road = Road { basis: basis.view(), factors, outside };
    drop(reduction);
    let diagonals = road.diagonals(compute)?;
    let solutions = road.solutions(z, compute);
    let pairs = solutions.into_iter().zip(diagonals);
    Ok(Some(pairs.map(|(solution, diagonal)| Resolvent { solution, diagonal }).collect()))
}

/// What the resolvents are made from, after the reduction.
struct Road<'a> {
    basis: ArrayView2<'a, f64>,
    /// `LDLᵀ` for every λ.
    factors: Vec<Vec<f64>>,
    /// `1/(θ + λ)`.
    outside: Vec<f64>,
}

impl Road<'_> {
    fn diagonals(&self, compute: &Compute) -> Result<Vec<Array1<f64>>> {
        let n = self.basis.nrows();
        let groups: Vec<Groups> = self.factors.iter().map(|f| Groups::new(f)).collect();
        let strip = |k: usize| {
            compute.check_canceled()?;
            let packed = pack(self.basis, k * ROWS);
            Ok(groups.iter().map(|g| g.squares(&packed)).collect::<Vec<_>>())
        };
        let strips: Vec<Vec<[f64; ROWS]>> = compute.try_map_tasks(n.div_ceil(ROWS), strip)?;
        let missing = self.missing();
        let value = |l: usize, i: usize| strips[i / ROWS][l][i % ROWS] + missing[i] * self.outside[l];
        Ok((0..self.outside.len()).map(|l| Array1::from_shape_fn(n, |i| value(l, i))).collect())
    }

    /// `1 − ‖qᵢ‖²`: the part of every unit vector that the basis does not span.
    fn missing(&self) -> Vec<f64> {
        let mut missing = vec![1.0; self.basis.nrows()];
        if self.basis.ncols() == missing.len() {
            return vec![0.0; missing.len()];
        }
        for column in self.basis.columns() {
            missing.iter_mut().zip(column).for_each(|(m, q)| *m -= q * q);
        }
        missing.iter_mut().for_each(|m| *m = m.max(0.0));
        missing
    }

    /// `Q(B + λI)⁻¹Qᵀz + (z − QQᵀz)/(θ + λ)`.
    fn solutions(&self, z: ArrayView2<f64>, compute: &Compute) -> Vec<Array2<f64>> {
        let coordinates = product(self.basis.t(), z);
        let complete = self.basis.ncols() == z.nrows();
        let solve = |at: usize| {
            let (factor, outside) = (&self.factors[at], self.outside[at]);
            let mut x = coordinates.clone();
            for mut column in x.columns_mut() {
                let solved = substitute(factor, column.to_vec());
                let outer = if complete { 0.0 } else { outside };
                column.iter_mut().zip(solved).for_each(|(x, s)| *x = s - *x * outer);
            }
            let inside = product(self.basis, x.view());
            let outer = if complete { 0.0 } else { outside };
            Array2::from_shape_fn(z.dim(), |(i, j)| inside[[i, j]] + outer * z[[i, j]])
        };
        compute.map_tasks(self.factors.len(), solve)
    }
}

/// `B + λI = LDLᵀ`, column by column, `D` first; `None` unless every pivot is above the floor.
fn factor(band: &[f64], lambda: f64, floor: f64) -> Option<Vec<f64>> {
    let mut factor = band.to_vec();
    let size = band.len() / (WIDTH + 1);
    for j in 0..size {
        let (done, rest) = factor.split_at_mut((j + 1) * (WIDTH + 1));
        let column = &mut done[j * (WIDTH + 1)..];
        column[0] += lambda;
        let pivot = column[0];
        if pivot.is_nan() || pivot <= floor {
            return None;
        }
        for (k, target) in (1..=WIDTH).zip(rest.chunks_exact_mut(WIDTH + 1)) {
            let share = column[k] / pivot;
            target.iter_mut().zip(&column[k..]).for_each(|(t, c)| *t -= share * c);
        }
        column[1..].iter_mut().for_each(|c| *c /= pivot);
    }
    Some(factor)
}

/// `(LDLᵀ)⁻¹x`.
fn substitute(factor: &[f64], mut x: Vec<f64>) -> Vec<f64> {
    let columns = || factor.chunks_exact(WIDTH + 1).enumerate();
    for (j, column) in columns() {
        let value = x[j];
        x[j + 1..].iter_mut().zip(&column[1..]).for_each(|(x, l)| *x -= l * value);
    }
    for (j, column) in columns().rev() {
        let known: f64 = x[j + 1..].iter().zip(&column[1..]).map(|(x, l)| l * x).sum();
        x[j] = x[j] / column[0] - known;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::solve::symmetric_eigen;

    fn check(name: &str, matrix: &Array2<f64>, lambdas: &[f64], tolerance: f64) {
        let n = matrix.nrows();
        let mut stream = Seed(8).stream("right-hand sides", n as u64);
        let z = Array2::from_shape_fn((n, 2), |_| stream.normal());
        let found = resolvents(matrix.clone(), z.view(), lambdas, &Compute::new()).unwrap().unwrap();
        let eigen = symmetric_eigen(matrix.view(), &Compute::new()).unwrap();
        for (found, lambda) in found.iter().zip(lambdas) {
            let inverse = eigen.map(|d| 1.0 / (d + lambda));
            let expected = inverse.dot(&z);
            let size = expected.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            assert_close!(&found.solution, &expected, each = tolerance * size, "{name}, n = {n}, λ = {lambda}");
            let close = |(f, e): (&f64, &f64)| (f - e).abs() <= tolerance * e.abs();
            assert!(found.diagonal.iter().zip(inverse.diag()).all(close), "{name}, n = {n}, λ = {lambda}");
        }
    }

    fn gaussian(n: usize, d: usize, length: f64) -> Array2<f64> {
        let mut stream = Seed(2).stream("points", n as u64);
        let x = Array2::from_shape_fn((n, d), |_| stream.normal());
        Array2::from_shape_fn((n, n), |(i, j)| {
            let distance: f64 = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum();
            (-distance / (2.0 * length * length)).exp()
        })
    }

    #[test]
    fn resolvents_equal_those_of_the_eigendecomposition() {
        for n in [1, 2, 23, 24, 25, 48, 49, 127, 200, 301] {
            let mut stream = Seed(1).stream("matrix", n as u64);
            let b = Array2::from_shape_fn((n, n), |_| stream.normal());
            check("Wishart", &b.dot(&b.t()), &[0.3, 10.0], 1e-11);
            check("rough", &gaussian(n, 4, 1.0), &[1e-3, 1.0], 1e-10);
        }
    }

    /// What is left soon is a multiple of the identity: the reduction ends early, and nothing is
    /// lost.
    #[test]
    fn low_rank_and_nearly_diagonal_matrices_end_early() {
        let rank = |matrix: &Array2<f64>| BandReduction::new(matrix.clone(), 1e-3, &Compute::new()).unwrap().rank();
        let (smooth, narrow) = (gaussian(300, 1, 2.0), gaussian(300, 4, 0.02));
        assert!(rank(&smooth) < 100 && rank(&narrow) < 150, "{} {}", rank(&smooth), rank(&narrow));
        check("smooth", &smooth, &[1e-3, 1.0], 1e-8);
        check("narrow", &narrow, &[1e-3, 1.0], 1e-10);
        check("nothing", &Array2::zeros((100, 100)), &[0.5], 1e-14);
        check("identity", &Array2::eye(100), &[0.5], 1e-14);
    }

    #[test]
    fn matrices_that_are_not_definite_are_refused() {
        let mut matrix = Array2::<f64>::eye(60);
        matrix[[50, 50]] = -2.0;
        let z = Array2::ones((60, 1));
        let at = |lambda: f64| resolvents(matrix.clone(), z.view(), &[lambda], &Compute::new()).unwrap();
        assert!(at(1.0).is_none() && at(0.0).is_none() && at(3.0).is_some());
    }

    #[test]
    fn the_same_bytes_for_any_number_of_threads() {
        let (matrix, z) = (gaussian(400, 3, 0.7), Array2::ones((400, 1)));
        let run = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap();
            let found = resolvents(matrix.clone(), z.view(), &[0.01, 1.0], &compute).unwrap().unwrap();
            found.into_iter().map(|r| (r.solution, r.diagonal)).collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(2));
        assert_eq!(run(1), run(3));
    }
}
