//! `SKS + λI` on the observed cells of a grid, solved.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::kronecker::Kronecker;
use super::line::LineInverse;
use super::points::{Grid, Structure};
use super::toeplitz::Toeplitz;
use crate::error::AllowedRange;
use crate::operator::{ByProduct, Identity, Operator, Shifted, Weighted, check_rows};
use crate::solve::{ConjugateGradientOptions, ConjugateGradientSolution, conjugate_gradients};
use crate::{Compute, Error, Kernel, Result};

/// Steps of conjugate gradients in total.
const MAX_ITERATIONS: usize = 2000;
/// The accuracy of a solve for the missing cells, which is a preconditioner. With the exact inverse
/// on all cells two of them reach the rounding error; with one that is near it more are needed in
/// any case (15 to 30 of 10⁻⁵ as of 10⁻⁹, up to 100 of 10⁻³ on planes of 64 × 64).
const INNER: f64 = 1e-9;
const NEAR_INNER: f64 = 1e-5;
/// Steps that the ways of solving with missing cells are tried with, in turn.
const TRIALS: [usize; 3] = [60, 250, MAX_ITERATIONS];

/// `A = SKS + λI` on the observed cells of a grid.
#[derive(Clone, Debug)]
pub(crate) struct GridSystem {
    pub(super) grid: Arc<Grid>,
    pub(super) kind: Kind,
    pub(super) lambda: f64,
    /// `S`; absent where it is the identity.
    pub(super) roots: Option<Array1<f64>>,
    /// λ over the (geometric) mean weight: what the preconditioner has instead of `λS⁻²`.
    pub(super) shift: f64,
    /// The cells without a row, or with one of weight 0.
    pub(super) missing: Vec<usize>,
    /// The inverse along one axis with equal steps; made when it is first needed.
    line: OnceLock<LineInverse>,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Kronecker(Kronecker),
    Toeplitz(Box<Toeplitz>),
}

/// A solution and the evidence for it.
pub(crate) struct GridSolution {
    pub(crate) solution: Array2<f64>,
    /// Steps of conjugate gradients, those for the missing cells included.
    pub(crate) iterations: usize,
    /// The largest relative residual over the columns.
    pub(crate) residual: f64,
}

impl GridSystem {
    /// # Errors
    /// [`Error::Parameter`] unless λ is positive; as [`Kernel::bind`].
    pub(crate) fn new(
        kernel: &Kernel,
        grid: Arc<Grid>,
        roots: Option<ArrayView1<f64>>,
        lambda: f64,
        compute: &Compute,
    ) -> Result<Self> {
        if lambda.is_nan() || lambda <= 0.0 {
            return Err(Error::parameter("lambda", lambda, AllowedRange::POSITIVE));
        }
        let roots = roots.filter(|s| s.iter().any(|s| *s != 1.0)).map(|s| s.to_owned());
        let logs = roots.iter().flatten().filter(|s| **s > 0.0).map(|s| s.ln());
        let (count, sum) = logs.fold((0.0, 0.0), |(count, sum), log| (count + 1.0, sum + log));
        let shift = lambda * if count > 0.0 { (-2.0_f64 * sum / count).exp() } else { 1.0 };
        let kind = match grid.structure() {
            Structure::Kronecker => Kind::Kronecker(Kronecker::new(kernel, &grid, compute)?),
            Structure::Toeplitz => Kind::Toeplitz(Box::new(Toeplitz::new(kernel, &grid, shift, compute)?)),
        };
        let mut missing = vec![true; grid.cells()];
        for (i, &cell) in grid.cell.iter().enumerate() {
            missing[cell] = roots.as_ref().is_some_and(|s| s[i] == 0.0);
        }
        let missing = missing.iter().enumerate().filter(|(_, m)| **m).map(|(cell, _)| cell).collect();
        Ok(Self { grid, kind, lambda, roots, shift, missing, line: OnceLock::new() })
    }

    /// The grid.
    pub(crate) fn grid(&self) -> &Grid {
        &self.grid
    }

    /// `A⁻¹B`.
    ///
    /// # Errors
    /// [`Error::NotConverged`] with the residual that was reached.
    pub(crate) fn solve(&self, right: ArrayView2<f64>, compute: &Compute) -> Result<GridSolution> {
        let inner = AtomicUsize::new(0);
        let n = self.grid.cell.len();
        let system = ByProduct::new(n, |v| self.multiply(v, compute));
        let restricted = ByProduct::new(n, |v| self.unscaled(v, &|v| self.restricted_inverse(v, compute)));
        let by_missing =
            |v: ArrayView2<f64>, steps: usize| self.unscaled(v, &|v| self.through_missing(v, steps, &inner, compute));
        let run = |preconditioner: &dyn Operator, max_iterations: usize| {
            let options = ConjugateGradientOptions { max_iterations, ..Default::default() };
            compute.check_canceled()?;
            conjugate_gradients(&system, preconditioner, right, &options)
        };
        let finished = |found: ConjugateGradientSolution, before: usize| GridSolution {
            solution: found.solution,
            iterations: before + found.iterations + inner.load(Ordering::Relaxed),
            residual: found.residual,
        };
        if self.missing.is_empty() {
            return Ok(finished(run(&restricted, MAX_ITERATIONS)?, 0));
        }
        let mut before = 0;
        for steps in TRIALS {
            match run(&ByProduct::new(n, |v| by_missing(v, steps)), TRIALS[0]) {
                Ok(found) => return Ok(finished(found, before)),
                Err(Error::NotConverged { .. }) => {}
                Err(other) => return Err(other),
            }
            match run(&restricted, steps) {
                Ok(found) => return Ok(finished(found, before)),
                Err(Error::NotConverged { .. }) if steps < MAX_ITERATIONS => before += steps,
                Err(other) => return Err(other),
            }
        }
        // The last trial returns its own error.
        Err(Error::NotConverged {
            solver: "conjugate gradients on a grid",
            iterations: before,
            residual: f64::NAN,
            tolerance: ConjugateGradientOptions::default().tolerance,
        })
    }

    /// `AV`.
    pub(super) fn multiply(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let kernel = GridKernel { system: self, compute };
        match &self.roots {
            None => Shifted::new(&kernel, self.lambda).apply(v),
            Some(roots) => Shifted::new(&Weighted::new(&kernel, roots.view()), self.lambda).apply(v),
        }
    }

    /// `KV` among the rows.
    fn kernel_product(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        compute.check_canceled()?;
        columns(v, self.grid.cell.len(), |column| Ok(self.gather(&self.on_cells(column, compute)?)))
    }

    /// `KV` at all cells, a row per cell.
    pub(super) fn cell_values(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        columns(v, self.grid.cells(), |column| Ok(self.on_cells(column, compute)?.into()))
    }

    fn on_cells(&self, v: ArrayView1<f64>, compute: &Compute) -> Result<Vec<f64>> {
        let cells = self.scatter(v);
        match &self.kind {
            Kind::Kronecker(k) => k.apply(cells, &|d| d, compute),
            Kind::Toeplitz(t) => t.multiplied(&cells, compute),
        }
    }

    /// `S⁻¹ inverse(S⁻¹V)`; rows of weight 0 have nothing but λ.
    fn unscaled(
        &self,
        v: ArrayView2<f64>,
        inverse: &dyn Fn(ArrayView2<f64>) -> Result<Array2<f64>>,
    ) -> Result<Array2<f64>> {
        let Some(roots) = &self.roots else { return inverse(v) };
        let inverted = roots.mapv(|s| if s > 0.0 { 1.0 / s } else { 0.0 }).insert_axis(Axis(1));
        let mut found = inverse((&v * &inverted).view())? * &inverted;
        for (i, _) in roots.iter().enumerate().filter(|(_, s)| **s == 0.0) {
            found.row_mut(i).assign(&(&v.row(i) / self.lambda));
        }
        Ok(found)
    }

    /// `B_oo V`, with the inverse on all cells, or on the torus.
    fn restricted_inverse(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        columns(v, self.grid.cell.len(), |column| {
            let cells = self.scatter(column);
            let found = match &self.kind {
                Kind::Toeplitz(t) if t.near.is_none() => t.near_inverse(&cells, compute)?,
                _ => self.inverse(cells, compute)?,
            };
            Ok(self.gather(&found))
        })
    }

    /// `B_oo V − B_om (B_mm)⁻¹ B_mo V`.
    fn through_missing(
        &self,
        v: ArrayView2<f64>,
        steps: usize,
        done: &AtomicUsize,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        let right =
            columns(
                v,
                self.missing.len(),
                |column| Ok(self.at_missing(&self.inverse(self.scatter(column), compute)?)),
            )?;
        let tolerance = match &self.kind {
            Kind::Toeplitz(t) if t.near.is_some() => NEAR_INNER,
            _ => INNER,
        };
        let options = ConjugateGradientOptions { tolerance, max_iterations: steps, ..Default::default() };
        let size = self.missing.len();
        let block = ByProduct::new(size, |z| self.missing_inverse(z, compute));
        let found = conjugate_gradients(&block, &Identity(size), right.view(), &options)?;
        done.fetch_add(found.iterations, Ordering::Relaxed);
        let mut out = Array2::zeros(v.dim());
        for ((mut out, v), z) in out.columns_mut().into_iter().zip(v.columns()).zip(found.solution.columns()) {
            let mut all = self.scatter(v);
            self.missing.iter().zip(z).for_each(|(&cell, z)| all[cell] = -z);
            out.assign(&self.gather(&self.inverse(all, compute)?));
        }
        Ok(out)
    }

    /// `B_mm Z` for the missing cells.
    pub(super) fn missing_inverse(&self, z: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        compute.check_canceled()?;
        columns(z, self.missing.len(), |z| {
            let mut all = vec![0.0; self.grid.cells()];
            self.missing.iter().zip(z).for_each(|(&cell, z)| all[cell] = *z);
            Ok(self.at_missing(&self.inverse(all, compute)?))
        })
    }

    fn at_missing(&self, cells: &[f64]) -> Array1<f64> {
        self.missing.iter().map(|&cell| cells[cell]).collect()
    }

    /// `(K + λI)⁻¹v` on all cells; near it for a kernel that is no product on several axes.
    fn inverse(&self, v: Vec<f64>, compute: &Compute) -> Result<Vec<f64>> {
        match &self.kind {
            Kind::Kronecker(k) => k.apply(v, &|d| 1.0 / (d + self.shift), compute),
            Kind::Toeplitz(t) => match &t.near {
                Some(near) => near.apply(v, &|d| 1.0 / (d + self.shift), compute),
                None if self.grid.axes.len() == 1 => self.line(t, compute)?.apply(t, &v, compute),
                None => t.near_inverse(&v, compute),
            },
        }
    }

    /// The inverse along one axis.
    pub(super) fn line(&self, toeplitz: &Toeplitz, compute: &Compute) -> Result<&LineInverse> {
        if let Some(line) = self.line.get() {
            return Ok(line);
        }
        let made = LineInverse::new(toeplitz, self.grid.cells(), self.shift, compute)?;
        Ok(self.line.get_or_init(|| made))
    }

    /// The values of the rows at their cells, 0 elsewhere.
    pub(super) fn scatter(&self, v: ArrayView1<f64>) -> Vec<f64> {
        let mut cells = vec![0.0; self.grid.cells()];
        self.grid.cell.iter().zip(v).for_each(|(&cell, v)| cells[cell] = *v);
        if let Some(roots) = &self.roots {
            self.grid.cell.iter().zip(roots).filter(|(_, s)| **s == 0.0).for_each(|(&cell, _)| cells[cell] = 0.0);
        }
        cells
    }

    /// The values of the cells at the rows.
    pub(super) fn gather(&self, cells: &[f64]) -> Array1<f64> {
        self.grid.cell.iter().map(|&cell| cells[cell]).collect()
    }
}

/// `K` among the rows of the data, on the cells of a grid: by Fourier transforms or Kronecker
/// products.
pub(super) struct GridKernel<'g> {
    pub(super) system: &'g GridSystem,
    pub(super) compute: &'g Compute,
}

impl Operator for GridKernel<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.system.grid.cell.len(), self.system.grid.cell.len())
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        check_rows(v, self.system.grid.cell.len())?;
        self.system.kernel_product(v, self.compute)
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.apply(v)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Err(Error::unsupported("the diagonal", "an operator known by its products", "", "evaluate the kernel"))
    }
}

/// What `work` makes of every column.
fn columns(
    v: ArrayView2<f64>,
    rows: usize,
    work: impl Fn(ArrayView1<f64>) -> Result<Array1<f64>>,
) -> Result<Array2<f64>> {
    let mut out = Array2::zeros((rows, v.ncols()));
    for (mut out, v) in out.columns_mut().into_iter().zip(v.columns()) {
        out.assign(&work(v)?);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::{self, Pairs};
    use crate::operator::testing::assert_conforms;

    #[test]
    fn kernels_on_grids_are_their_matrices() {
        for (kernel, columns) in [("matern(nu=3/2)", 1), ("gaussian() * on([1], periodic())", 2), ("cauchy()", 2)] {
            let kernel: Kernel = kernel.parse().unwrap();
            // Cells of 8 × 6, without some of them.
            let kept: Vec<usize> = (0..48).filter(|i| columns == 1 || i % 5 != 2).collect();
            let cell = |i: usize, j: usize| if columns == 1 { i } else { [i / 6, i % 6][j] };
            let x = Array2::from_shape_fn((kept.len(), columns), |(i, j)| 0.4 * cell(kept[i], j) as f64);
            let found = [1, 2, 3].map(|threads| {
                let compute = Compute::new().with_threads(threads).unwrap();
                let grid = Arc::new(Grid::of(&kernel, x.view().into()).unwrap());
                let system = GridSystem::new(&kernel, grid, None, 0.5, &compute).unwrap();
                let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
                let dense = gram::dense(&bound, &compute).unwrap();
                assert_conforms("grid", &GridKernel { system: &system, compute: &compute }, &dense, 1e-12)
            });
            assert!(found[1..].iter().all(|other| *other == found[0]), "{kernel}");
        }
    }
}
