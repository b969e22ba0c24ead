//! Preconditioned conjugate gradients for several right-hand sides at once.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::{Error, Result};

/// What the caller may choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConjugateGradientOptions {
    /// Stop when `‖b − Ax‖ ≤ tolerance·(‖A‖‖x‖ + ‖b‖)`, a backward error.
    pub tolerance: f64,
    /// Give up after this many products with `A`.
    pub max_iterations: usize,
}

impl Default for ConjugateGradientOptions {
    fn default() -> Self {
        Self { tolerance: 1e-14, max_iterations: 2000 }
    }
}

/// The solution and the evidence for it.
#[derive(Clone, Debug, PartialEq)]
pub struct ConjugateGradientSolution {
    /// `X` with `AX = B`.
    pub solution: Array2<f64>,
    /// Products with `A`, each for all columns.
    pub iterations: usize,
    /// The largest `‖b − Ax‖/‖b‖` over the columns: computed from `x` itself, or by the recurrence
    /// where few steps were enough.
    pub residual: f64,
}

/// Products up to which the residual of the recurrence is taken for the true one: they differ by at
/// most `2kε(‖A‖ max‖xⱼ‖ + ‖b‖)` after `k` steps (Greenbaum 1997): less than a fifth of the default
/// tolerance.
const TRUSTED: usize = 8;

/// A product with several vectors, one per column.
pub type Product<'a> = dyn Fn(ArrayView2<f64>) -> Result<Array2<f64>> + Sync + 'a;

/// Solves `AX = B` for a positive definite `A` known by its products, with a preconditioner
/// `M⁻¹ ≈ A⁻¹`.
///
/// # Theory
/// The error in the norm of `A` falls by at least `(√κ − 1)/(√κ + 1)` per step, `κ` the condition
/// number of `M⁻¹A`. When the residual of the recurrence is small after more than eight steps, the
/// true one is computed; if it is not small, the iteration starts again from there.
///
/// # Errors
/// [`Error::NotConverged`] with the residual that was reached; errors of the products.
///
/// # Example
/// ```
/// use mercer::solve::{ConjugateGradientOptions, conjugate_gradients};
/// use ndarray::array;
/// let a = array![[4.0, 1.0], [1.0, 3.0]];
/// let found = conjugate_gradients(&|v| Ok(a.dot(&v)), &|v| Ok(v.to_owned()), array![[1.0], [2.0]].view(), &ConjugateGradientOptions::default())?;
/// mercer::assert_close!(found.solution[[0, 0]], 1.0 / 11.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn conjugate_gradients(
    apply: &Product<'_>,
    precondition: &Product<'_>,
    b: ArrayView2<f64>,
    options: &ConjugateGradientOptions,
) -> Result<ConjugateGradientSolution> {
    let mut state = IterationState {
        x: Array2::zeros(b.dim()),
        residual: b.to_owned(),
        sizes: norms(b),
        scale: 0.0,
        iterations: 0,
        tolerance: options.tolerance,
    };
    loop {
        state.run(apply, precondition, options.max_iterations)?;
        if state.iterations > TRUSTED || !state.is_within(options.tolerance) {
            state.residual = &b - &apply(state.x.view())?;
            state.iterations += 1;
        }
        let residual = worst(&norms(state.residual.view()), &state.sizes);
        // The recurrence may be a little ahead of the truth: what is left is rounding within ten
        // tolerances.
        if state.is_within(10.0 * options.tolerance) {
            return Ok(ConjugateGradientSolution { solution: state.x, iterations: state.iterations, residual });
        }
        if state.iterations >= options.max_iterations {
            let (solver, iterations, tolerance) = ("conjugate gradients", state.iterations, options.tolerance);
            return Err(Error::NotConverged { solver, iterations, residual, tolerance });
        }
    }
}

/// Where the iteration stands.
struct IterationState {
    x: Array2<f64>,
    residual: Array2<f64>,
    /// `‖b‖` for every column.
    sizes: Array1<f64>,
    /// The largest `‖Ap‖/‖p‖` so far: at most `‖A‖`.
    scale: f64,
    iterations: usize,
    tolerance: f64,
}

impl IterationState {
    /// The recurrence, from `x` and its residual, until the residual is small by its own account.
    fn run(&mut self, apply: &Product<'_>, precondition: &Product<'_>, most: usize) -> Result<()> {
        let mut direction = Array2::zeros(self.x.dim());
        let mut rho = Array1::zeros(self.x.ncols());
        while self.iterations < most && !self.is_within(self.tolerance) {
            let z = precondition(self.residual.view())?;
            let next = inner(self.residual.view(), z.view());
            direction = z + &direction * &ratio(&next, &rho);
            rho = next;
            let image = apply(direction.view())?;
            self.iterations += 1;
            self.scale = self.scale.max(worst(&norms(image.view()), &norms(direction.view())));
            let step = ratio(&rho, &inner(direction.view(), image.view()));
            self.x += &(&direction * &step);
            self.residual -= &(&image * &step);
        }
        Ok(())
    }

    /// Whether every column has `‖r‖ ≤ tolerance·(‖A‖‖x‖ + ‖b‖)`.
    fn is_within(&self, tolerance: f64) -> bool {
        let (residuals, lengths) = (norms(self.residual.view()), norms(self.x.view()));
        residuals.iter().zip(&lengths).zip(&self.sizes).all(|((r, x), b)| *r <= tolerance * (self.scale * x + b))
    }
}

fn norms(x: ArrayView2<f64>) -> Array1<f64> {
    inner(x, x).mapv(f64::sqrt)
}

/// The inner products of corresponding columns.
fn inner(x: ArrayView2<f64>, y: ArrayView2<f64>) -> Array1<f64> {
    x.axis_iter(Axis(1)).zip(y.axis_iter(Axis(1))).map(|(x, y)| x.dot(&y)).collect()
}

/// `a/b`, and 0 for columns that are finished.
fn ratio(a: &Array1<f64>, b: &Array1<f64>) -> Array1<f64> {
    a.iter().zip(b).map(|(a, b)| if *b > 0.0 { a / b } else { 0.0 }).collect()
}

fn worst(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    ratio(a, b).into_iter().fold(0.0, f64::max)
}
