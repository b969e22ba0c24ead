//! Norms of explicit functions, where the space has a closed form for them.

use std::sync::OnceLock;

use crate::compute::filled;
use crate::kernel::closed_forms::LineForm;
use crate::kernel::{Base, Kernel};
use crate::{Error, Result};

/// `‖f‖²` in the Sobolev space of order α on `[0, 1]` (the kernel `sobolev(order=α)`).
///
/// # Formula
/// `Σ_{k<α} f⁽ᵏ⁾(0)² + ∫₀¹ (f⁽ᵅ⁾)²`, with `at_zero = [f(0), f′(0), …]` (α of them) and
/// `top = f⁽ᵅ⁾`.
///
/// # Cost
/// 512 values of `top`: eight panels of 64 Gauss–Legendre nodes, exact to rounding for analytic
/// functions.
///
/// # Example
/// ```
/// // x³ in the cubic-spline space: ∫ (6x)² = 12.
/// let squared = mercer::function::sobolev_norm(&[0.0, 0.0], |x| 6.0 * x);
/// mercer::assert_close!(squared, 12.0, abs = 1e-13);
/// ```
pub fn sobolev_norm(at_zero: &[f64], top: impl Fn(f64) -> f64) -> f64 {
    at_zero.iter().map(|v| v * v).sum::<f64>() + integrate(0.0, 1.0, |x| top(x).powi(2))
}

/// `‖f‖² = ∫₀¹ f′²` in the space of the Brownian bridge (the kernel `bridge()`), for
/// `f(0) = f(1) = 0`.
///
/// # Example
/// ```
/// // x(1 − x): ∫ (1 − 2x)² = 1/3.
/// mercer::assert_close!(mercer::function::bridge_norm(|x| 1.0 - 2.0 * x), 1.0 / 3.0, abs = 1e-15);
/// ```
pub fn bridge_norm(slope: impl Fn(f64) -> f64) -> f64 {
    integrate(0.0, 1.0, |x| slope(x).powi(2))
}

/// `‖f‖²` in the space of `exp(−|x − y|/ℓ)` on the interval `[p, q]`.
///
/// # Formula
/// `½ ∫ₚᑫ (f²/ℓ + ℓf′²) + ½ (f(p)² + f(q)²)`; on a long interval outside of which `f` is negligible
/// this is the norm on the line.
///
/// # Example
/// ```
/// // The constant 1 on [0, 1] with ℓ = ½: 1 + 1.
/// mercer::assert_close!(mercer::function::laplacian_norm(0.5, (0.0, 1.0), |_| 1.0, |_| 0.0), 2.0, abs = 1e-15);
/// ```
pub fn laplacian_norm(lengthscale: f64, (p, q): (f64, f64), f: impl Fn(f64) -> f64, slope: impl Fn(f64) -> f64) -> f64 {
    let energy = integrate(p, q, |x| f(x).powi(2) / lengthscale + lengthscale * slope(x).powi(2));
    0.5 * (energy + f(p).powi(2) + f(q).powi(2))
}

/// `‖f‖²` in the Paley–Wiener space of `sinc(bandlimit=a)` on the line, from the spectrum of `f`.
///
/// # Formula
/// `2a ∫ φ(ω)² dω = (a/π) ∫ f²` for `f(x) = ∫ φ(ω) e^{iωx} dω`, the spectrum φ real and zero
/// outside `band ⊂ [−a, a]`.
///
/// # Example
/// ```
/// // k(·, 0) has the spectrum 1/(2a) on [−a, a], and norm k(0, 0) = 1.
/// mercer::assert_close!(mercer::function::sinc_norm(3.0, (-3.0, 3.0), |_| 1.0 / 6.0), 1.0, abs = 1e-15);
/// ```
pub fn sinc_norm(bandlimit: f64, (low, high): (f64, f64), spectrum: impl Fn(f64) -> f64) -> f64 {
    2.0 * bandlimit * integrate(low, high, |w| spectrum(w).powi(2))
}

/// `⟨f, g⟩` of polynomials on the line in the space of an inner-product kernel `Σ aₙ(xy)ⁿ`.
///
/// # Formula
/// `Σ cₙdₙ/aₙ` for `f = Σ cₙxⁿ`, `g = Σ dₙxⁿ`. For the Gaussian kernel the functions are
/// `f(x) e^{−x²/(2ℓ²)}`, whose inner product is that of `exp(xy/ℓ²)`.
///
/// # Errors
/// [`Error::Unsupported`] for another kernel than `linear`, `polynomial`, `exponential` or
/// `gaussian`, or a power that is not in the space.
///
/// # Example
/// ```
/// let k: mercer::Kernel = "exponential(scale=2)".parse()?;
/// // ‖x³‖² = 3!·2³
/// let squared = mercer::function::power_series_norm(&k, &[0.0, 0.0, 0.0, 1.0], &[0.0, 0.0, 0.0, 1.0])?;
/// mercer::assert_close!(squared, 48.0, abs = 1e-13);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn power_series_norm(kernel: &Kernel, f: &[f64], g: &[f64]) -> Result<f64> {
    let mut sum = 0.0;
    for (n, (c, d)) in f.iter().zip(g).enumerate().filter(|(_, (c, d))| **c != 0.0 && **d != 0.0) {
        let weight = series_coefficient(kernel, n)?;
        if weight == 0.0 {
            return Err(Error::unsupported(
                format!("x^{n} in the space"),
                kernel,
                "its series has no term of this power",
                "",
            ));
        }
        sum += c * d / weight;
    }
    Ok(sum)
}

/// The coefficient of `(xy)ⁿ` in an inner-product kernel on the line.
fn series_coefficient(kernel: &Kernel, n: usize) -> Result<f64> {
    let base = if let Kernel::Base(base) = kernel { Some(base) } else { None };
    if let Some(series) = base.and_then(Base::power_series) {
        return Ok(series.coefficient(n));
    }
    if let Some(LineForm::Gaussian { length }) = base.and_then(Base::line_form) {
        let factorial = (1..=n).map(|k| k as f64).product::<f64>();
        return Ok(1.0 / (factorial * length.powi(2 * n as i32)));
    }
    Err(Error::unsupported("power series in xy", kernel, "", "use linear, polynomial, exponential or gaussian"))
}

/// Gauss–Legendre quadrature on eight panels.
pub(super) fn integrate(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    const PANELS: usize = 8;
    static RULE: OnceLock<Vec<(f64, f64)>> = OnceLock::new();
    let rule = filled(&RULE, || gauss_legendre(64));
    let width = (to - from) / PANELS as f64;
    let panel = |start: f64| {
        let middle = start + 0.5 * width;
        rule.iter().map(|(node, weight)| weight * f(middle + 0.5 * width * node)).sum::<f64>() * 0.5 * width
    };
    (0..PANELS).map(|i| panel(from + i as f64 * width)).sum()
}

/// Nodes and weights on `[−1, 1]`: roots of the Legendre polynomial by Newton's method.
fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    let legendre = |x: f64| {
        let (mut previous, mut current) = (1.0, x);
        for k in 2..=n {
            let k = k as f64;
            (previous, current) = (current, ((2.0 * k - 1.0) * x * current - (k - 1.0) * previous) / k);
        }
        (current, n as f64 * (x * current - previous) / (x * x - 1.0))
    };
    (0..n)
        .map(|i| {
            let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
            for _ in 0..20 {
                let (value, slope) = legendre(x);
                x -= value / slope;
            }
            let slope = legendre(x).1;
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}
