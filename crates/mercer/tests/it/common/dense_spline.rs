//! Penalized regression with a null space by dense elimination: the reference for splines.

use ndarray::{Array1, Array2};

/// `Aᵢ⁻¹B` and `log |det A|`, by Gaussian elimination with pivots.
pub fn eliminate(mut a: Array2<f64>, mut b: Array2<f64>) -> (Array2<f64>, f64) {
    let n = a.nrows();
    let mut log_determinant = 0.0;
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[[i, k]].abs().total_cmp(&a[[j, k]].abs())).unwrap();
        for j in 0..n {
            a.swap([k, j], [pivot, j]);
        }
        for j in 0..b.ncols() {
            b.swap([k, j], [pivot, j]);
        }
        log_determinant += a[[k, k]].abs().ln();
        for i in k + 1..n {
            let factor = a[[i, k]] / a[[k, k]];
            for j in k..n {
                a[[i, j]] -= factor * a[[k, j]];
            }
            for j in 0..b.ncols() {
                b[[i, j]] -= factor * b[[k, j]];
            }
        }
    }
    for j in 0..b.ncols() {
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| a[[i, k]] * b[[k, j]]).sum();
            b[[i, j]] = (b[[i, j]] - sum) / a[[i, i]];
        }
    }
    (b, log_determinant)
}

/// `Σ w(y − f)² + λ‖Pf‖²` with kernel `k` and unpenalized functions `null`, solved as one bordered
/// system.
pub struct Dense<'a> {
    pub kernel: &'a dyn Fn(f64, f64) -> f64,
    pub null: &'a dyn Fn(f64) -> Vec<f64>,
    pub x: &'a Array1<f64>,
    pub y: &'a Array1<f64>,
    pub weights: &'a Array1<f64>,
    pub lambda: f64,
}

impl Dense<'_> {
    fn size(&self) -> usize {
        self.x.len() + (self.null)(0.0).len()
    }

    /// `[K + λW⁻¹, T; Tᵀ, 0]`.
    fn bordered(&self) -> Array2<f64> {
        let n = self.x.len();
        Array2::from_shape_fn((self.size(), self.size()), |(i, j)| match (i < n, j < n) {
            (true, true) => {
                let noise = if i == j { self.lambda / self.weights[i] } else { 0.0 };
                (self.kernel)(self.x[i], self.x[j]) + noise
            }
            (true, false) => (self.null)(self.x[i])[j - n],
            (false, true) => (self.null)(self.x[j])[i - n],
            (false, false) => 0.0,
        })
    }

    /// `[k(t, ·), null(t)]` as a column for each place.
    fn sections(&self, t: &Array1<f64>) -> Array2<f64> {
        let n = self.x.len();
        Array2::from_shape_fn((self.size(), t.len()), |(i, j)| {
            if i < n { (self.kernel)(t[j], self.x[i]) } else { (self.null)(t[j])[i - n] }
        })
    }

    /// `S` with `f(t) = S y`, row by row.
    pub fn hat(&self, t: &Array1<f64>) -> Array2<f64> {
        let (solved, _) = eliminate(self.bordered(), self.sections(t));
        Array2::from_shape_fn((t.len(), self.x.len()), |(i, j)| solved[[j, i]])
    }

    pub fn predict(&self, t: &Array1<f64>) -> Array1<f64> {
        self.hat(t).dot(self.y)
    }

    /// The posterior variance of `f(t)` for noise variance 1.
    pub fn variance(&self, t: &Array1<f64>) -> Array1<f64> {
        let u = self.sections(t);
        let (solved, _) = eliminate(self.bordered(), u.clone());
        let explained = |j: usize| u.column(j).dot(&solved.column(j));
        Array1::from_shape_fn(t.len(), |j| ((self.kernel)(t[j], t[j]) - explained(j)) / self.lambda)
    }

    /// Twice the negative restricted log likelihood with σ² at its maximum.
    pub fn reml(&self) -> f64 {
        let (n, q) = (self.x.len(), self.size() - self.x.len());
        let v = Array2::from_shape_fn((n, n), |(i, j)| {
            (self.kernel)(self.x[i], self.x[j]) / self.lambda + if i == j { 1.0 / self.weights[i] } else { 0.0 }
        });
        let t = Array2::from_shape_fn((n, q), |(i, j)| (self.null)(self.x[i])[j]);
        let y = self.y.clone().insert_axis(ndarray::Axis(1));
        let (vt, log_v) = eliminate(v.clone(), t.clone());
        let (vy, _) = eliminate(v, y.clone());
        let (b, log_t) = eliminate(t.t().dot(&vt), t.t().dot(&vy));
        let quadratic = y.t().dot(&(&vy - &vt.dot(&b)))[[0, 0]];
        let freedom = (n - q) as f64;
        freedom * (quadratic / freedom).ln() + log_v + log_t
    }
}
