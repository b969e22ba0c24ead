//! Newton steps by conjugate gradients, on products with `K` and a low-rank preconditioner.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

use super::direction::{constants, flat, sums, unflat};
use super::root::Root;
use super::state::{NewtonState, Setting};
use crate::gram::Tiles;
use crate::operator::Operator;
use crate::solve::{
    CholeskyFactor, ConjugateGradientOptions, ConjugateGradients, Factored, NullSpace, factor, pivoted_cholesky,
};
use crate::{Compute, Error, Result};

/// Products with `K` that one step may take.
/// A safety limit: any value between 300 and 10 000 would do.
const MAX_PRODUCTS: usize = 1000;

/// `K ≈ FFᵀ`, from which every step makes its preconditioner.
#[derive(Debug)]
pub(super) struct Preconditioner {
    factor: Array2<f64>,
}

impl Preconditioner {
    /// At most `rank` columns; fewer when what is left of `K` is small beside `bend`, the penalty
    /// over the largest curvature.
    pub(super) fn new(tiles: &dyn Tiles, rank: usize, bend: f64, compute: &Compute) -> Result<Self> {
        let trace: f64 = tiles.diagonal()?.iter().sum();
        let enough = if trace > 0.0 { (0.1 * bend / trace).clamp(f64::EPSILON, 1.0) } else { 1.0 };
        Ok(Self { factor: pivoted_cholesky(tiles, rank, enough, compute)?.factor })
    }

    /// `c` and `δb`.
    pub(super) fn solve(
        &self,
        root: &Root,
        right: &Array2<f64>,
        state: &NewtonState,
        at: Setting<'_>,
        compute: &Compute,
    ) -> Result<(Array2<f64>, Array1<f64>)> {
        let (shape, right) = (right.dim(), flat(right.view()));
        let curved = Curved { root, shape, at };
        let low_rank = LowRank::new(&self.factor, root, shape, at.mu, compute)?;
        let tolerance = accuracy(state, at);
        let options = ConjugateGradientOptions { tolerance, max_iterations: MAX_PRODUCTS, ..Default::default() };
        let basis = if at.intercept { constants(root, shape) } else { Array2::zeros((right.nrows(), 0)) };
        let null_space = NullSpace::of_constants(basis.view(), &low_rank)?;
        let iteration = ConjugateGradients::new(&curved, &low_rank, options).within(null_space.as_ref());
        let Some(null_space) = &null_space else {
            let found = iteration.solve(right.view())?;
            return Ok((unflat(found.solution.view(), shape), Array1::zeros(shape.1)));
        };
        // From a vector with `Nᵀc = Σρ`, on those with `Nᵀc = 0`; then `δb` from what is left.
        let start = null_space.shortest(&sums(&state.missing));
        let all = right - curved.apply(start.view())?;
        let target = null_space.remove(all.clone());
        let found = iteration.solve(target.view())?;
        let left = all - target + found.left;
        let shift = -null_space.coefficients(&left).index_axis_move(Axis(1), 0);
        Ok((unflat((start + found.solution).view(), shape), shift))
    }
}

/// Few digits while the solution is far, all of them at the end: the steps then converge faster
/// than linearly.
fn accuracy(state: &NewtonState, at: Setting<'_>) -> f64 {
    let relative = (state.gap / at.model.scale().max(state.objective.abs())).max(0.0).sqrt();
    (1e-2 * relative).clamp(1e-13, 1e-3)
}

/// `BᵀKB + μI`.
struct Curved<'s> {
    root: &'s Root,
    shape: (usize, usize),
    at: Setting<'s>,
}

impl Operator for Curved<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.shape.0 * self.shape.1, self.shape.0 * self.shape.1)
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let image = self.at.matrix.apply(self.root.apply(unflat(v, self.shape).view()).view())?;
        Ok(flat(self.root.transposed(image.view()).view()) + &v * self.at.mu)
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.apply(v)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        let (n, c) = self.shape;
        let kernel = self.at.matrix.diagonal()?;
        Ok((0..n * c).map(|at| kernel[at / c] * self.root.square(at / c, at % c) + self.at.mu).collect())
    }
}

/// `(BᵀFFᵀB + μI)⁻¹`.
struct LowRank<'s> {
    root: &'s Root,
    shape: (usize, usize),
    mu: f64,
    factor: ArrayView2<'s, f64>,
    /// Of `μI + (I⊗F)ᵀBBᵀ(I⊗F)`, the functions of a column of `F` in blocks.
    inner: CholeskyFactor,
    compute: &'s Compute,
}

impl<'s> LowRank<'s> {
    fn new(
        whole: &'s Array2<f64>,
        root: &'s Root,
        shape: (usize, usize),
        mu: f64,
        compute: &'s Compute,
    ) -> Result<Self> {
        let (factor, inner) = inner_factor(whole, root, shape.1, mu, compute)?;
        Ok(Self { root, shape, mu, factor, inner, compute })
    }
}

impl Operator for LowRank<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.shape.0 * self.shape.1, self.shape.0 * self.shape.1)
    }

    /// `(v − BᵀF G⁻¹ FᵀB v)/μ` for every column of `v`.
    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut out = Array2::zeros(v.dim());
        for (j, column) in v.columns().into_iter().enumerate() {
            let column = column.insert_axis(Axis(1));
            let inside = self.factor.t().dot(&self.root.apply(unflat(column, self.shape).view()));
            let solved = self.inner.solve(flat(inside.t()).view(), self.compute)?;
            let blocks = Array2::from_shape_fn(inside.dim(), |(r, c)| solved[[c * inside.nrows() + r, 0]]);
            let back = self.root.transposed(self.factor.dot(&blocks).view());
            out.column_mut(j).assign(&((&column - &flat(back.view())) / self.mu).column(0));
        }
        Ok(out)
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.apply(v)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Err(Error::unsupported("the diagonal", "an inverse", "", "solve for unit vectors"))
    }
}

/// The factor of `μI + [FᵀW_cd F]`; with fewer columns of `F` where rounding makes it singular.
fn inner_factor<'f>(
    whole: &'f Array2<f64>,
    root: &Root,
    functions: usize,
    mu: f64,
    compute: &Compute,
) -> Result<(ArrayView2<'f, f64>, CholeskyFactor)> {
    let mut rank = whole.ncols();
    loop {
        let f = whole.slice(s![.., ..rank]);
        let mut matrix = Array2::eye(rank * functions) * mu;
        for c in 0..functions {
            for d in 0..=c {
                let block = weighted_square(f, &root.block(c, d), compute)?;
                let (rows, columns) = (c * rank..(c + 1) * rank, d * rank..(d + 1) * rank);
                let mut low = matrix.slice_mut(s![rows.clone(), columns.clone()]);
                low += &block;
                if c != d {
                    matrix.slice_mut(s![columns, rows]).assign(&block.t());
                }
            }
        }
        match factor(matrix, compute)? {
            Factored::Definite(inner) => return Ok((f, inner)),
            // The last pivots are rounding error: half of the rank suffices.
            Factored::Singular(_) => rank /= 2,
        }
    }
}

/// `Fᵀ diag(w) F`, some columns at a time on every thread.
fn weighted_square(f: ArrayView2<f64>, w: &Array1<f64>, compute: &Compute) -> Result<Array2<f64>> {
    const COLUMNS: usize = 32;
    let strip = |at: usize| {
        compute.check_canceled()?;
        let columns = f.slice(s![.., at * COLUMNS..f.ncols().min((at + 1) * COLUMNS)]);
        Ok(f.t().dot(&(&columns * &w.view().insert_axis(Axis(1)))))
    };
    let strips: Vec<Array2<f64>> = compute.try_map_tasks(f.ncols().div_ceil(COLUMNS), strip)?;
    let views: Vec<_> = strips.iter().map(|s| s.view()).collect();
    Ok(concatenate(Axis(1), &views).unwrap_or_else(|_| Array2::zeros((0, 0))))
}
