//! The density of frequencies on the line, where it has a closed form.

use std::f64::consts::PI;

use super::column::ColumnDistribution;
use super::distribution::FrequencyDistribution;
use super::{SpectralMeasure, Term};
use crate::kernel::closed_forms::Mixing;
use crate::real::special::{bessel_k_scaled, ln_gamma};

impl SpectralMeasure {
    /// The density `s` of the spectral measure on the line at a frequency: `k(x, y) = ∫ s(ω) cos(ω(x − y)) dω`.
    ///
    /// `None` for more than one column, for measures with atoms (a constant, a periodic kernel), and where no closed form
    /// is known: products of kernels other than Gaussian, Wendland's kernels, powers of a distance other than 1 and 2.
    ///
    /// # Example
    /// ```
    /// use mercer::features::SpectralMeasure;
    /// let measure = SpectralMeasure::of(&"2*laplacian(lengthscale=1)".parse()?, 1)?;
    /// // 2/(π(1 + ω²))
    /// mercer::assert_close!(measure.density(1.0).unwrap(), 1.0 / std::f64::consts::PI, abs = 1e-15);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn density(&self, frequency: f64) -> Option<f64> {
        if self.columns != 1 {
            return None;
        }
        let of = |term: &Term| Some(term.mass * term.distribution.density(frequency)?);
        self.terms.iter().filter(|term| term.mass > 0.0).map(of).sum()
    }
}

impl FrequencyDistribution {
    /// The density on the line.
    fn density(&self, w: f64) -> Option<f64> {
        match self {
            Self::Radial { mixing, scales, .. } => scaled(w, *scales.first()?, |z| mixing.density(z)),
            Self::Columns { distribution, scales } => scaled(w, *scales.first()?, |z| distribution.density(z)),
            Self::On(columns, distribution) if columns.len() == 1 => distribution.density(w),
            Self::Mapped(matrix, distribution) if matrix.dim() == (1, 1) => {
                scaled(w, matrix[[0, 0]].abs(), |z| distribution.density(z))
            }
            Self::Mixture(parts) => parts.iter().map(|(weight, part)| Some(weight * part.density(w)?)).sum(),
            Self::Sum(parts) => {
                // Independent normal frequencies add their variances.
                let variance: f64 = parts.iter().map(Self::normal_variance).sum::<Option<f64>>()?;
                scaled(w, variance.sqrt(), |z| Mixing::Fixed.density(z))
            }
            _ => None,
        }
    }

    fn normal_variance(&self) -> Option<f64> {
        match self {
            Self::Zero => Some(0.0),
            Self::Radial { mixing: Mixing::Fixed, scales, .. } => scales.first().map(|s| s * s),
            Self::On(columns, distribution) if columns.len() == 1 => distribution.normal_variance(),
            Self::Sum(parts) => parts.iter().map(Self::normal_variance).sum(),
            _ => None,
        }
    }
}

/// The density of `scale·z` for one of `z`.
fn scaled(w: f64, scale: f64, density: impl Fn(f64) -> Option<f64>) -> Option<f64> {
    if scale > 0.0 { Some(density(w / scale)? / scale) } else { None }
}

impl Mixing {
    /// The density of `m·g` on the line.
    fn density(self, z: f64) -> Option<f64> {
        match self {
            Self::Fixed => Some((-0.5 * z * z).exp() / (2.0 * PI).sqrt()),
            // Student's t with 2ν degrees of freedom.
            Self::Student(nu) => {
                let log = ln_gamma(nu + 0.5) - ln_gamma(nu) - 0.5 * (2.0 * PI * nu).ln();
                Some((log - (nu + 0.5) * (0.5 * z * z / nu).ln_1p()).exp())
            }
            Self::Gamma(a) => gamma_mixture(a, z.abs()),
            // exp(−r): Cauchy, with the scale 1 as m² = 2S.
            Self::Stable(0.5) => Some(1.0 / (PI * (1.0 + z * z))),
            Self::Stable(_) => None,
        }
    }
}

/// `∫ N(z; 0, g/a) Gamma(g; a) dg = √(a/(2π))/Γ(a) · 2b^{(a−½)/2} K_{a−½}(2√b)` with `b = az²/2`.
fn gamma_mixture(a: f64, z: f64) -> Option<f64> {
    let order = a - 0.5;
    let start = 0.5 * (a / (2.0 * PI)).ln() - ln_gamma(a);
    if z == 0.0 {
        // 2b^{ν/2}K_ν(2√b) → Γ(ν); at ν ≤ 0 the density is infinite.
        return (order > 0.0).then(|| (start + ln_gamma(order)).exp());
    }
    let b = 0.5 * a * z * z;
    let root = 2.0 * b.sqrt();
    let bessel = bessel_k_scaled(order.abs(), root);
    Some((start + 2.0_f64.ln() + 0.5 * order * b.ln() + bessel.ln() - root).exp())
}

impl ColumnDistribution {
    /// The density of one coordinate before its scale; none for atoms.
    fn density(&self, z: f64) -> Option<f64> {
        match self {
            Self::Cauchy => Some(1.0 / (PI * (1.0 + z * z))),
            Self::Laplace => Some(0.5 * (-z.abs()).exp()),
            Self::Uniform => Some(if z.abs() <= 1.0 { 0.5 } else { 0.0 }),
            Self::Circle(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;

    /// `∫ s(ω) cos(ωδ) dω` by the trapezoidal rule must be the kernel.
    #[test]
    fn the_density_transforms_back_into_the_kernel() {
        for text in [
            "gaussian(lengthscale=0.7)",
            "3*matern(nu=5/2, lengthscale=2)",
            "matern(nu=1.7, lengthscale=1.3)",
            "rational_quadratic(lengthscale=1.5, shape=2)",
            "cauchy(lengthscale=0.8)",
            "gaussian(lengthscale=1)*gaussian(lengthscale=2)",
            "gaussian(lengthscale=1) + 0.5*matern(nu=7/2, lengthscale=3)",
        ] {
            let kernel: Kernel = text.parse().unwrap();
            let measure = SpectralMeasure::of(&kernel, 1).unwrap();
            let (step, count) = (2e-3, 200_000);
            for delta in [0.0, 0.4, 1.5] {
                let at = |i: i32| {
                    let w = (f64::from(i) + 0.5) * step;
                    2.0 * step * measure.density(w).unwrap() * (w * delta).cos()
                };
                let found: f64 = (0..count).map(at).sum();
                crate::assert_close!(found, kernel.evaluate(&[0.0], &[delta]).unwrap(), abs = 2e-6);
            }
        }
    }

    #[test]
    fn atoms_products_and_several_columns_have_none() {
        let density =
            |text: &str, columns: usize| SpectralMeasure::of(&text.parse().unwrap(), columns).unwrap().density(0.3);
        assert!(density("periodic(period=2)", 1).is_none());
        assert!(density("gaussian() + 1", 1).is_none());
        assert!(density("matern()*laplacian()", 1).is_none());
        assert!(density("gaussian()", 2).is_none());
    }
}
