//! Newton steps by conjugate gradients, on products with `K` and a low-rank preconditioner.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

use super::direction::{constants, flat, pinned_inverse, sums, unflat};
use super::root::Root;
use super::state::{NewtonState, Setting};
use crate::gram::Tiles;
use crate::solve::{CholeskyFactor, ConjugateGradientOptions, Factored, conjugate_gradients, factor, pivoted_cholesky};
use crate::{Compute, Result};

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
        let system = System::new(&self.factor, root, right.dim(), at, compute)?;
        let options = ConjugateGradientOptions { tolerance: accuracy(state, at), max_iterations: MAX_PRODUCTS };
        let right = flat(right.view());
        let (c, shift) = match &system.null {
            Some(null) => null.solve(&system, &right, &sums(&state.missing), &options)?,
            None => {
                let precondition = |v: ArrayView2<f64>| system.precondition(v);
                let found = conjugate_gradients(&|v| system.apply(v), &precondition, right.view(), &options)?;
                (found.solution, Array1::zeros(system.shape.1))
            }
        };
        Ok((unflat(c.view(), system.shape), shift))
    }
}

/// Few digits while the solution is far, all of them at the end: the steps then converge faster
/// than linearly.
fn accuracy(state: &NewtonState, at: Setting<'_>) -> f64 {
    let relative = (state.gap / at.model.scale().max(state.objective.abs())).max(0.0).sqrt();
    (1e-2 * relative).clamp(1e-13, 1e-3)
}

/// `BᵀKB + μI` by its products, and `(BᵀFFᵀB + μI)⁻¹`.
struct System<'s> {
    root: &'s Root,
    shape: (usize, usize),
    at: Setting<'s>,
    factor: ArrayView2<'s, f64>,
    /// Of `μI + (I⊗F)ᵀBBᵀ(I⊗F)`, the functions of a column of `F` in blocks.
    inner: CholeskyFactor,
    null: Option<NullSpace>,
    compute: &'s Compute,
}

impl<'s> System<'s> {
    fn new(
        whole: &'s Array2<f64>,
        root: &'s Root,
        shape: (usize, usize),
        at: Setting<'s>,
        compute: &'s Compute,
    ) -> Result<Self> {
        let (factor, inner) = inner_factor(whole, root, shape.1, at.mu, compute)?;
        let mut system = Self { root, shape, at, factor, inner, null: None, compute };
        if at.intercept {
            system.null = Some(NullSpace::new(&system)?);
        }
        Ok(system)
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let image = self.at.matrix.multiply(&self.root.apply(unflat(v, self.shape).view()))?;
        Ok(flat(self.root.transposed(image.view()).view()) + &v * self.at.mu)
    }

    /// `(v − BᵀF G⁻¹ FᵀB v)/μ` for every column of `v`.
    fn precondition(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut out = Array2::zeros(v.dim());
        for (j, column) in v.columns().into_iter().enumerate() {
            let column = column.insert_axis(Axis(1));
            let inside = self.factor.t().dot(&self.root.apply(unflat(column, self.shape).view()));
            let solved = self.inner.solve(flat(inside.t()).view(), self.compute)?;
            let blocks = Array2::from_shape_fn(inside.dim(), |(r, c)| solved[[c * inside.nrows() + r, 0]]);
            let back = self.root.transposed(self.factor.dot(&blocks).view());
            out.column_mut(j).assign(&((&column - &flat(back.view())) / self.at.mu).column(0));
        }
        Ok(out)
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

/// The constraint `Nᵀc = Σρ` of the intercepts, kept by every vector of the iteration.
struct NullSpace {
    /// `N`, one column per function.
    n: Array2<f64>,
    /// `(NᵀN)⁻¹`, pinned.
    small: Array2<f64>,
    /// `P⁻¹N` and `(NᵀP⁻¹N)⁻¹`, pinned.
    response: Array2<f64>,
    weight: Array2<f64>,
}

impl NullSpace {
    fn new(system: &System<'_>) -> Result<Self> {
        let n = constants(system.root, system.shape);
        let response = system.precondition(n.view())?;
        let (small, weight) = (pinned_inverse(&n.t().dot(&n))?, pinned_inverse(&n.t().dot(&response))?);
        Ok(Self { n, small, response, weight })
    }

    /// `v − N(NᵀN)⁻¹Nᵀv`.
    fn project(&self, v: &Array2<f64>) -> Array2<f64> {
        v - &self.n.dot(&self.small.dot(&self.n.t().dot(v)))
    }

    /// Conjugate gradients on the vectors with `Nᵀc = 0`, from one with `Nᵀc = sums`; then `δb`
    /// from what is left.
    fn solve(
        &self,
        system: &System<'_>,
        right: &Array2<f64>,
        sums: &Array2<f64>,
        options: &ConjugateGradientOptions,
    ) -> Result<(Array2<f64>, Array1<f64>)> {
        let start = self.n.dot(&self.small.dot(sums));
        let target = self.project(&(right - &system.apply(start.view())?));
        let apply = |v: ArrayView2<f64>| Ok(self.project(&system.apply(v)?));
        let precondition = |v: ArrayView2<f64>| {
            let z = system.precondition(v)?;
            Ok(z - self.response.dot(&self.weight.dot(&self.response.t().dot(&v))))
        };
        let found = conjugate_gradients(&apply, &precondition, target.view(), options)?;
        let c = start + found.solution;
        let left = system.apply(c.view())? - right;
        Ok((c, self.small.dot(&self.n.t().dot(&left)).index_axis_move(Axis(1), 0)))
    }
}
