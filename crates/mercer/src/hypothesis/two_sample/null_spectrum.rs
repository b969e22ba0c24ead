//! The limit `Σ λⱼzⱼ²` of the null distribution, drawn from the eigenvalues of the kernel matrix.

use ndarray::{Array2, Axis};

use crate::error::MemoryPurpose;
use crate::gram::{self, Bound, Tiles};
use crate::hypothesis::orders::centered;
use crate::measure::{Centering, row_sums};
use crate::operator::ByProduct;
use crate::operator::products::multiply;
use crate::solve::{eigenvalues, leading_bytes, leading_estimates, leading_width};
use crate::{Compute, Result, Stream};

/// Points from which the leading eigenvalues are computed only. Not tuned.
const LEADING_FROM: usize = 1024;
/// How many of them. More of them take longer and leave less to the gamma distribution. Not tuned.
const LEADING: usize = 36;
/// Residuals of the eigenvalues, relative to the largest. Their errors are of the size of its square.
const TOLERANCE: f64 = 1e-3;
/// Products with the matrix, at most: a flat spectrum converges late, and its eigenvalues matter
/// little one by one.
const ROUNDS: usize = 8;

/// The null distribution of the spectral method.
///
/// # Theory
/// From [`LEADING_FROM`] points on, only the leading eigenvalues of a positive semi-definite matrix
/// are computed. The mean `τ₁ = Σ λⱼ` and the variance `2τ₂ = 2Σ λⱼ²` of the others are known from the
/// trace and the norm of the matrix, so that the gamma distribution with these moments takes the
/// place of their sum: mean and variance of the whole are exact. The third cumulant of the others
/// is `8Σ λⱼ³`, that of the gamma distribution `8τ₂²/τ₁`. The first is not smaller (Cauchy, Schwarz),
/// and at most `8τ₂λ` for the largest `λ` of the others, which is at most the last of the leading
/// ones: this bounds the error of the skewness.
pub(super) struct NullSpectrum {
    /// The eigenvalues of `HKH/N`, ascending, negative rounding left out.
    pub(super) values: Vec<f64>,
    /// The sum of the other eigenvalues, each times the square of a normal variable.
    pub(super) rest: Option<Rest>,
    /// The mean of the sum of all.
    mean: f64,
    /// `(Σ_{i≠j} K̃ᵢⱼ²/Σ K̃ᵢⱼ²)^½`.
    spread: f64,
}

/// The gamma distribution that replaces the smaller eigenvalues.
pub(super) struct Rest {
    shape: f64,
    scale: f64,
    /// The share of the variance of the whole.
    pub(super) share: f64,
    /// By how much the skewness of the whole may be too small.
    pub(super) skewness_error: f64,
}

/// The sums that are known without eigenvalues: `tr K̃`, `Σ K̃ᵢⱼ²`, `Σ K̃ᵢᵢ²`.
struct Moments {
    trace: f64,
    squares: f64,
    own: f64,
}

/// The bytes and operations of the eigenvalues of this many points, for a kernel that is proven to
/// be positive semi-definite.
pub(in crate::hypothesis) fn spectrum_cost(total: usize) -> (u64, f64) {
    let (n, square) = (total as f64, (total as u64).saturating_mul(total as u64));
    if total < LEADING_FROM {
        return (24 * square, 9.0 * n.powi(3));
    }
    let products = (ROUNDS * leading_width(total, LEADING)) as f64;
    (8 * square + leading_bytes(total, LEADING), 2.0 * n * n * products)
}

impl NullSpectrum {
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when the matrix does not fit; as the eigenvalues.
    pub(super) fn new(pooled: &Bound<'_>, compute: &Compute) -> Result<Self> {
        let many = pooled.shape().0 >= LEADING_FROM && pooled.is_proven_psd();
        if many { Self::leading(pooled, LEADING, compute) } else { Self::whole(pooled, compute) }
    }

    fn whole(pooled: &Bound<'_>, compute: &Compute) -> Result<Self> {
        let centering = Centering::double(&row_sums(pooled, compute)?);
        let total = pooled.shape().0;
        reserve(24 * (total * total) as u64, compute)?;
        let mut matrix = gram::dense(pooled, compute)?;
        matrix.indexed_iter_mut().for_each(|((i, j), v)| *v = centering.value(i, j, *v) / total as f64);
        let squares: f64 = matrix.iter().map(|v| v * v).sum();
        let own: f64 = matrix.diag().iter().map(|v| v * v).sum();
        let values: Vec<f64> = eigenvalues(matrix.view(), compute)?.into_iter().filter(|v| *v > 0.0).collect();
        let mean = values.iter().sum();
        Ok(Self { values, rest: None, mean, spread: Moments { trace: mean, squares, own }.spread() })
    }

    fn leading(pooled: &Bound<'_>, count: usize, compute: &Compute) -> Result<Self> {
        let total = pooled.shape().0;
        reserve(8 * (total * total) as u64 + leading_bytes(total, count), compute)?;
        let centering = Centering::double(&row_sums(pooled, compute)?);
        let matrix = centered(pooled, &centering, compute)?;
        let moments = Moments::new(&matrix, compute);
        let product = ByProduct::new(total, |v: ndarray::ArrayView2<f64>| {
            let mut image = multiply(matrix.view(), v, compute)?;
            // Rounding would grow along the constant vector, whose eigenvalue is 0.
            let means = image.sum_axis(Axis(0)) / total as f64;
            image -= &means;
            Ok(image / total as f64)
        });
        let found = leading_estimates(&product, count, TOLERANCE, ROUNDS, compute)?;
        let mut values: Vec<f64> = found.values.into_iter().filter(|v| *v > 0.0).collect();
        values.reverse();
        let rest = Rest::new(&values, found.residual, &moments);
        Ok(Self { values, rest: Some(rest), mean: moments.trace, spread: moments.spread() })
    }

    /// One value of the limit, with the spread of the statistic around its mean.
    pub(super) fn draw(&self, random: &mut Stream) -> f64 {
        let leading = self.values.iter().rev().map(|v| v * random.normal().powi(2)).sum::<f64>();
        let rest = self.rest.as_ref().map_or(0.0, |rest| rest.draw(random));
        self.mean + self.spread * (leading + rest - self.mean)
    }
}

fn reserve(bytes: u64, compute: &Compute) -> Result<()> {
    compute.reserve(MemoryPurpose::Test, "the eigenvalues of the kernel matrix", bytes, "use method permutation")
}

impl Moments {
    /// Of `K̃/N`, from `K̃`.
    fn new(matrix: &Array2<f64>, compute: &Compute) -> Self {
        let n = matrix.nrows() as f64;
        let row = |i: usize| matrix.row(i).iter().map(|v| v * v).sum::<f64>();
        let squares: f64 = compute.map_tasks(matrix.nrows(), row).iter().sum();
        let own: f64 = matrix.diag().iter().map(|v| v * v).sum();
        Self { trace: matrix.diag().sum() / n, squares: squares / (n * n), own: own / (n * n) }
    }

    fn spread(&self) -> f64 {
        if self.squares > 0.0 { (1.0 - self.own / self.squares).max(0.0).sqrt() } else { 1.0 }
    }
}

impl Rest {
    /// What the leading values, ascending and accurate to a residual, leave of the moments.
    fn new(values: &[f64], residual: f64, moments: &Moments) -> Self {
        let mean = (moments.trace - values.iter().sum::<f64>()).max(0.0);
        let squares = (moments.squares - values.iter().map(|v| v * v).sum::<f64>()).max(0.0);
        if mean <= 0.0 || squares <= 0.0 {
            return Self { shape: 0.0, scale: 0.0, share: 0.0, skewness_error: 0.0 };
        }
        let largest = values.first().map_or(f64::INFINITY, |v| v + residual).min(squares.sqrt());
        let third = 8.0 * squares * (largest - squares / mean).max(0.0);
        Self {
            shape: mean * mean / (2.0 * squares),
            scale: 2.0 * squares / mean,
            share: squares / moments.squares,
            skewness_error: third / (2.0 * moments.squares).powf(1.5),
        }
    }

    fn draw(&self, random: &mut Stream) -> f64 {
        if self.shape > 0.0 { self.scale * gamma(self.shape, random) } else { 0.0 }
    }
}

/// A gamma variable of scale 1 (Marsaglia, Tsang 2000): the cube of a normal variable that is
/// accepted nearly always; a shape below 1 is that of one more times a power of a uniform variable.
pub(in crate::hypothesis) fn gamma(shape: f64, random: &mut Stream) -> f64 {
    if shape < 1.0 {
        return gamma(shape + 1.0, random) * (1.0 - random.uniform()).powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = random.normal();
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && (1.0 - random.uniform()).ln() < 0.5 * x * x + d * (1.0 - v + v.ln()) {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::Pairs;
    use crate::{Kernel, Seed};

    fn bound_of(text: &str, n: usize, d: usize, check: impl Fn(&Bound<'_>)) {
        let (kernel, mut random): (Kernel, _) = (text.parse().unwrap(), Seed(3).stream("points", d as u64));
        let x = Array2::from_shape_fn((n, d), |_| random.normal());
        check(&kernel.bind(Pairs::within(x.view()), &Compute::new()).unwrap());
    }

    /// Moments of a gamma variable within five standard errors of 20 000 draws.
    #[test]
    fn gamma_variables_have_their_moments() {
        for shape in [0.3_f64, 1.0, 2.5, 40.0] {
            let draws: Vec<f64> = (0..20_000).map(|b| gamma(shape, &mut Seed(1).stream("gamma", b))).collect();
            let mean = draws.iter().sum::<f64>() / 2e4;
            let variance = draws.iter().map(|v| (v - shape).powi(2)).sum::<f64>() / 2e4;
            assert_close!(mean, shape, abs = 5.0 * (shape / 2e4).sqrt());
            // The fourth central moment is 3k² + 6k.
            let error = ((2.0 * shape * shape + 6.0 * shape) / 2e4).sqrt();
            assert_close!(variance, shape, abs = 5.0 * error);
        }
    }

    /// Shares of draws above the 90, 95 and 99 % quantiles of the whole spectrum, beside few leading
    /// eigenvalues: within five standard deviations of counts and what the skewness allows.
    #[test]
    fn leading_eigenvalues_and_a_gamma_distribution_keep_the_tail() {
        let compute = Compute::new();
        let sorted = |spectrum: &NullSpectrum, seed: u64| {
            let mut all: Vec<f64> = (0..20_000).map(|b| spectrum.draw(&mut Seed(seed).stream("null", b))).collect();
            all.sort_by(f64::total_cmp);
            all
        };
        for (text, d, count) in [
            ("gaussian(lengthscale=median)", 1, 4),
            ("gaussian(lengthscale=median)", 10, 12),
            ("laplacian(lengthscale=0.3)", 2, 12),
            ("gaussian(lengthscale=median)", 60, 12),
        ] {
            bound_of(text, 300, d, |bound| {
                let whole = NullSpectrum::whole(bound, &compute).unwrap();
                let leading = NullSpectrum::leading(bound, count, &compute).unwrap();
                let rest = leading.rest.as_ref().unwrap();
                assert_eq!(leading.values.len(), count);
                assert_close!(leading.mean, whole.mean, 1e-9);
                assert_close!(leading.spread, whole.spread, 1e-9);
                let third = |values: &[f64]| 8.0 * values.iter().map(|v| v.powi(3)).sum::<f64>();
                let gap = third(&whole.values) - third(&leading.values) - 2.0 * rest.shape * rest.scale.powi(3);
                let variance: f64 = 2.0 * whole.values.iter().map(|v| v * v).sum::<f64>();
                let skewness = gap / variance.powf(1.5);
                assert!(skewness > -1e-4 && skewness <= rest.skewness_error + 1e-4, "{text}: {skewness}");
                let (exact, found) = (sorted(&whole, 1), sorted(&leading, 2));
                for level in [0.1, 0.05, 0.01] {
                    let bar = exact[((1.0 - level) * 2e4) as usize];
                    let above = found.iter().filter(|v| **v > bar).count() as f64 / 2e4;
                    let noise = 5.0 * (2.0 * level * (1.0 - level) / 2e4_f64).sqrt();
                    assert_close!(above, level, abs = noise + 0.07 * rest.skewness_error, "{text}, {d}: {level}");
                }
            });
        }
    }
}
