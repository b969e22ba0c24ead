//! The Gaussian kernel under a normal distribution: Hermite functions.

/// `φⱼ(x) = (C/A)^{1/4} (2ʲj!)^{−1/2} exp(−(C − A)x²) Hⱼ(√(2C) x)`, with `A = 1/(4σ²)`,
/// `B = 1/(2ℓ²)`, `C = √(A² + 2AB)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HermiteFunctions {
    a: f64,
    c: f64,
}

/// `μⱼ = √(2A/(A + B + C)) (B/(A + B + C))ʲ` with the functions.
pub(super) fn gaussian(length: f64, deviation: f64, count: usize) -> (Vec<f64>, HermiteFunctions) {
    let (a, b) = (0.25 * deviation.powi(-2), 0.5 * length.powi(-2));
    let c = (a * a + 2.0 * a * b).sqrt();
    let sum = a + b + c;
    let first = (2.0 * a / sum).sqrt();
    let values = (0..count).map(|j| first * (b / sum).powi(j as i32)).collect();
    (values, HermiteFunctions { a, c })
}

impl HermiteFunctions {
    /// The first `count` functions at a place. The weight is kept with the polynomial, so that
    /// neither leaves the range of numbers.
    pub(super) fn at(&self, x: f64, count: usize) -> Vec<f64> {
        let t = (2.0 * self.c).sqrt() * x;
        let mut current = (self.c / self.a).powf(0.25) * (-(self.c - self.a) * x * x).exp();
        let mut previous = 0.0;
        let mut values = Vec::with_capacity(count);
        for j in 0..count {
            values.push(current);
            let next = (t * 2.0_f64.sqrt() * current - (j as f64).sqrt() * previous) / ((j + 1) as f64).sqrt();
            (previous, current) = (current, next);
        }
        values
    }
}
