//! Projections on the span of kernel sections, and interpolation of minimum norm.

use ndarray::{Array1, ArrayView1, Axis};

use super::Expansion;
use super::expansion::first_column;
use crate::error::MemoryPurpose;
use crate::gram::{self, Pairs};
use crate::solve::{Solved, solve_positive};
use crate::{Compute, Error, Kernel, Points, Result};

/// The projection of a function on `span{k(·, zⱼ)}`, with what it leaves out.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// The projection `Pf`.
    pub function: Expansion,
    /// `‖f − Pf‖`.
    pub residual_norm: f64,
    /// How the system `K_ZZ β = f(Z)` was solved.
    pub solved: Solved,
}

impl Expansion {
    /// The function closest to `f` in `span{k(·, zⱼ)}`: `β = K_ZZ⁺ f(Z)`.
    ///
    /// # Theory
    /// `Pf` interpolates `f` at the `zⱼ` and has the least norm of all functions that do;
    /// `‖f‖² = ‖Pf‖² + ‖f − Pf‖²`.
    ///
    /// # Cost
    /// `m²` stored kernel values and `m³/3` for `m` points, plus one evaluation of `f`.
    ///
    /// # Errors
    /// [`Error::Memory`] over the limit, and as [`Kernel::bind`].
    pub fn project<'a>(&self, z: impl Into<Points<'a>>, compute: &Compute) -> Result<Projection> {
        let z = z.into();
        let values = self.evaluate(z, compute)?;
        let (function, solved) = interpolate(self.kernel(), z, values.view(), compute)?;
        let residual_norm = self.distance(&function, compute)?;
        Ok(Projection { function, residual_norm, solved })
    }

    /// The function of least norm with `f(xᵢ) = yᵢ`: `Kα = y`.
    ///
    /// Where `K` is singular (repeated points, finite-dimensional spaces) and no function passes
    /// through the values, this is the least-squares answer of minimum norm; the second part of the
    /// result is the method of the solver.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is one value per point, [`Error::Memory`] over the limit, and
    /// as [`Kernel::bind`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, Expansion, Kernel};
    /// use ndarray::array;
    /// let k: Kernel = "sobolev(order=1)".parse()?;
    /// let (f, _) = Expansion::interpolate(&k, array![[0.0], [1.0]].view(), array![0.0, 1.0].view(), &Compute::new())?;
    /// // The straight line: ‖f‖² = f(0)² + ∫ f′² = 1.
    /// mercer::assert_close!(f.evaluate(array![[0.25]].view(), &Compute::new())?[0], 0.25, abs = 1e-15);
    /// mercer::assert_close!(f.norm(&Compute::new())?, 1.0, abs = 1e-15);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn interpolate<'a>(
        kernel: &Kernel,
        x: impl Into<Points<'a>>,
        y: ArrayView1<f64>,
        compute: &Compute,
    ) -> Result<(Self, Solved)> {
        interpolate(kernel, x.into(), y, compute)
    }
}

fn interpolate(kernel: &Kernel, x: Points<'_>, y: ArrayView1<f64>, compute: &Compute) -> Result<(Expansion, Solved)> {
    if y.len() != x.len() {
        return Err(Error::shape("values", format!("one per point ({})", x.len()), y.len()));
    }
    let n = x.len() as u64;
    // K, its factor, and the eigenvectors of a singular K.
    compute.reserve(
        MemoryPurpose::Factorization,
        "the system of an interpolation",
        3 * 8 * n * n,
        "interpolate at fewer points",
    )?;
    let bound = kernel.bind(Pairs::Within(x), compute)?;
    let matrix = gram::dense(&bound, compute)?;
    let found = solve_positive(matrix.view(), y.insert_axis(Axis(1)))?;
    let coefficients: Array1<f64> = first_column(found.solution);
    Ok((Expansion::new(bound.kernel(), x, coefficients.view(), compute)?, found.solved))
}
