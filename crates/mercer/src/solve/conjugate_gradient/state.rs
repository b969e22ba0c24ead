//! Where an iteration stands: all that it needs to go on.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::{ConjugateGradientOptions, NullSpace, ResidualRule};

/// An iteration of conjugate gradients between two steps. It may be kept and continued later.
#[derive(Clone, Debug, PartialEq)]
pub struct ConjugateGradientState {
    x: Array2<f64>,
    /// `b − Ax`, by recurrence.
    left: Array2<f64>,
    /// `left` on the complement of the null space, by its own recurrence, because `left` may be long
    /// within it; none where there is no null space.
    projected: Option<Array2<f64>>,
    direction: Array2<f64>,
    /// `rᵀM⁻¹r` of the last direction.
    rho: Array1<f64>,
    /// The same of the present residual, once it is known.
    next: Option<Array1<f64>>,
    /// The same of the first residual.
    first: Option<Array1<f64>>,
    /// `‖b‖` for every column.
    sizes: Array1<f64>,
    /// The largest `‖Ap‖/‖p‖` so far: at most `‖A‖`.
    scale: f64,
    iterations: usize,
}

impl ConjugateGradientState {
    pub(super) fn new(b: ArrayView2<f64>, null_space: Option<&NullSpace<'_>>) -> Self {
        let left = b.to_owned();
        let projected = null_space.map(|null| null.remove(left.clone()));
        let sizes = norms(b);
        Self {
            x: Array2::zeros(b.dim()),
            projected,
            left,
            direction: Array2::zeros(b.dim()),
            rho: Array1::zeros(b.ncols()),
            next: None,
            first: None,
            sizes,
            scale: 0.0,
            iterations: 0,
        }
    }

    /// `x`.
    pub fn solution(&self) -> ArrayView2<'_, f64> {
        self.x.view()
    }

    /// Products with `A` so far.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// The largest `‖r‖/‖b‖` in the norm of the preconditioner, where that was measured.
    pub fn preconditioned_residual(&self) -> f64 {
        match (&self.next, &self.first) {
            (Some(now), Some(first)) => ratio(now, first).into_iter().fold(0.0, |m, r| m.max(r.max(0.0).sqrt())),
            _ => f64::INFINITY,
        }
    }

    /// The residual on the complement of the null space.
    pub(super) fn residual(&self) -> ArrayView2<'_, f64> {
        self.projected.as_ref().unwrap_or(&self.left).view()
    }

    pub(super) fn direction(&self) -> ArrayView2<'_, f64> {
        self.direction.view()
    }

    /// `x` and `b − Ax`.
    pub(crate) fn into_parts(self) -> (Array2<f64>, Array2<f64>) {
        (self.x, self.left)
    }

    pub(super) fn count_product(&mut self) {
        self.iterations += 1;
    }

    /// Replaces the residual of the recurrence by the true one. The next direction is that of
    /// steepest descent.
    pub(super) fn refresh(&mut self, left: Array2<f64>, null_space: Option<&NullSpace<'_>>) {
        self.left = left;
        self.project(null_space);
        self.direction.fill(0.0);
        self.rho.fill(0.0);
        self.next = None;
    }

    /// The same with steps counted anew.
    pub(crate) fn restart(&mut self, left: Array2<f64>, null_space: Option<&NullSpace<'_>>) {
        self.refresh(left, null_space);
        self.iterations = 0;
    }

    fn project(&mut self, null_space: Option<&NullSpace<'_>>) {
        self.projected = null_space.map(|null| null.remove(self.left.clone()));
    }

    /// The inner products of the residual with its preconditioned image.
    pub(super) fn measure(&mut self, z: &Array2<f64>, joint: bool) {
        let now = inner(self.residual(), z.view(), joint);
        self.first.get_or_insert_with(|| now.clone());
        self.next = Some(now);
    }

    /// The next direction.
    pub(super) fn turn(&mut self, z: Array2<f64>) {
        let Some(next) = self.next.take() else { return };
        // In place: vectors may be as long as memory allows.
        self.direction *= &ratio(&next, &self.rho);
        self.direction += &z;
        self.rho = next;
    }

    /// A step along the direction with this image.
    pub(super) fn step(
        &mut self,
        image: Array2<f64>,
        options: &ConjugateGradientOptions,
        null_space: Option<&NullSpace<'_>>,
    ) {
        self.iterations += 1;
        if options.rule == ResidualRule::Backward {
            let lengths = norms(self.direction.view());
            self.scale = self.scale.max(worst(&norms(image.view()), &lengths));
        }
        let step = ratio(&self.rho, &inner(self.direction.view(), image.view(), options.joint));
        add_columns(&mut self.x, &step, &self.direction);
        add_columns(&mut self.left, &-&step, &image);
        if let (Some(projected), Some(null)) = (&mut self.projected, null_space) {
            add_columns(projected, &-step, &null.remove(image));
        }
    }

    pub(super) fn is_within(&self, rule: ResidualRule, tolerance: f64) -> bool {
        let residuals = || norms(self.residual());
        let lengths = || norms(self.x.view());
        match rule {
            ResidualRule::Backward => {
                let mut terms = residuals().into_iter().zip(lengths()).zip(&self.sizes);
                terms.all(|((r, x), b)| r <= tolerance * (self.scale * x + b))
            }
            ResidualRule::Relative => self.preconditioned_residual() <= tolerance,
            ResidualRule::Penalty { lambda } => {
                residuals().into_iter().zip(lengths()).all(|(r, x)| r <= tolerance * lambda * x)
            }
        }
    }

    /// The largest `‖r‖/‖b‖` over the columns.
    pub(crate) fn relative_residual(&self) -> f64 {
        worst(&norms(self.residual()), &self.sizes)
    }

    /// The largest `‖r‖/(λ‖x‖)` over the columns.
    pub(super) fn penalty_residual(&self, lambda: f64) -> f64 {
        worst(&norms(self.residual()), &norms(self.x.view())) / lambda
    }
}

fn norms(x: ArrayView2<f64>) -> Array1<f64> {
    inner(x, x, false).mapv(f64::sqrt)
}

/// The inner products of corresponding columns, or their sum for each.
fn inner(x: ArrayView2<f64>, y: ArrayView2<f64>, joint: bool) -> Array1<f64> {
    let products: Array1<f64> = x.axis_iter(Axis(1)).zip(y.axis_iter(Axis(1))).map(|(x, y)| x.dot(&y)).collect();
    if joint { Array1::from_elem(products.len(), products.sum()) } else { products }
}

/// Adds a multiple of every column.
fn add_columns(sums: &mut Array2<f64>, factors: &Array1<f64>, columns: &Array2<f64>) {
    for ((mut sum, factor), column) in sums.columns_mut().into_iter().zip(factors).zip(columns.columns()) {
        sum.scaled_add(*factor, &column);
    }
}

/// `a/b`, and 0 for columns that are finished.
fn ratio(a: &Array1<f64>, b: &Array1<f64>) -> Array1<f64> {
    a.iter().zip(b).map(|(a, b)| if *b > 0.0 { a / b } else { 0.0 }).collect()
}

fn worst(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    ratio(a, b).into_iter().fold(0.0, f64::max)
}
