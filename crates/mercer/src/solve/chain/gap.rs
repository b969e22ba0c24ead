//! The distribution of one gap: integrated Brownian motion over a distance `h`.

/// `A(h)⁻¹` and the lower triangular root `L(h)` of the covariance of what is added over the gap.
pub(crate) struct Gap<const M: usize> {
    /// `A(−h)`.
    pub back: [[f64; M]; M],
    /// `L(h)`.
    pub root: [[f64; M]; M],
}

/// The root of the covariance over a gap of length 1.
pub(crate) struct UnitRoot<const M: usize>([[f64; M]; M]);

impl<const M: usize> UnitRoot<M> {
    /// The Cholesky factor of `Qᵢⱼ = 1/((2M−1−i−j)(M−1−i)!(M−1−j)!)`.
    pub fn new() -> Self {
        let mut root = [[0.0; M]; M];
        for i in 0..M {
            for j in 0..=i {
                let factorials = inverse_factorial(M - 1 - i) * inverse_factorial(M - 1 - j);
                let entry = factorials / (2 * M - 1 - i - j) as f64;
                let rest = entry - (0..j).map(|k| root[i][k] * root[j][k]).sum::<f64>();
                root[i][j] = if i == j { rest.sqrt() } else { rest / root[j][j] };
            }
        }
        Self(root)
    }

    /// The distribution of a gap of length `h`: `L(h) = diag(h^{M−½−i}) L(1)`.
    #[inline(always)]
    pub fn gap(&self, h: f64) -> Gap<M> {
        let mut root = self.0;
        let mut scale = h.sqrt();
        for row in root.iter_mut().rev() {
            row.iter_mut().for_each(|v| *v *= scale);
            scale *= h;
        }
        Gap { back: derivative_gap(-h), root }
    }
}

/// `A(h)`: the Taylor step `A(h)ᵢⱼ = h^{j−i}/(j−i)!` that carries derivatives over a distance `h`.
#[inline(always)]
pub(crate) fn derivative_gap<const M: usize>(h: f64) -> [[f64; M]; M] {
    let mut a = [[0.0; M]; M];
    let mut power = 1.0;
    for offset in 0..M {
        for i in 0..M - offset {
            a[i][i + offset] = power;
        }
        power *= h / (offset + 1) as f64;
    }
    a
}

/// `1/k!`.
pub(crate) fn inverse_factorial(k: usize) -> f64 {
    (1..=k).fold(1.0, |f, i| f / i as f64)
}
