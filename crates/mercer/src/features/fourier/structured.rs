//! Frequencies that are never stored: products of random signs and Hadamard matrices.

use ndarray::{Array2, ArrayView2, s};

use crate::error::MemoryPurpose;
use crate::features::FeatureMap;
use crate::features::sampling::{Sampling, Source};
use crate::features::spectral::{FrequencyDistribution, SpectralMeasure};
use crate::gram::simd;
use crate::real::special::gamma_quantile;
use crate::{Compute, Error, Kernel, Result};

use super::transform::{check, rows_in_parallel};

/// Points that one task works on. 16 to 256 differ by less than 4 % (5000 points, 100 columns, 1024
/// features).
const ROWS: usize = 64;
/// Rounds of signs and Hadamard matrices.
/// Three, as in the structured orthogonal features of Yu et al. 2016.
const ROUNDS: usize = 3;

/// Random Fourier features with structured frequencies, for radial kernels on many columns.
///
/// # Formula
/// Blocks of `p` frequencies `ω = R·(HD₃HD₂HD₁/p^{3/2})`, `p` the power of two from `d` on, `H` the
/// Hadamard matrix, `Dᵢ` random signs, and `R` the lengths that the kernel's spectral measure has
/// in `p` dimensions. Points are padded with zeros.
///
/// # Theory
/// The rows of a block are exactly orthogonal (Yu et al. 2016). Their directions are uniform up to
/// `O(1/p)`, so the features are not exactly unbiased: for fewer than some 50 columns use
/// [`RandomFourier`](super::RandomFourier) with orthogonal frames.
///
/// # Cost
/// `O(D log d)` per point instead of `O(Dd)`, and `4D` numbers instead of `Dd`.
///
/// # Example
/// ```
/// use mercer::{Compute, features::{FeatureMap, StructuredFourier}};
/// use ndarray::Array2;
/// let compute = Compute::new();
/// let map = StructuredFourier::new("gaussian(lengthscale=8)".parse()?, 4096).draw(100, &compute)?;
/// let x = Array2::from_shape_fn((2, 100), |(i, j)| ((i * 100 + j) as f64).sin());
/// let z = map.transform(x.view(), &compute)?;
/// let exact = map.kernel().evaluate(&x.row(0).to_vec(), &x.row(1).to_vec())?;
/// mercer::assert_close!(z.row(0).dot(&z.row(1)), exact, abs = 0.05);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StructuredFourier {
    /// The kernel: radial, with a scale at most.
    pub kernel: Kernel,
    /// The columns that come out: even, a cosine and a sine per frequency.
    pub components: usize,
}

impl StructuredFourier {
    /// This many components.
    pub fn new(kernel: Kernel, components: usize) -> Self {
        Self { kernel, components }
    }

    /// Draws signs and lengths for points of this many columns, from the seed of the computation.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a kernel that is not radial, [`Error::Parameter`] for an odd
    /// number of components or none.
    pub fn draw(&self, columns: usize, compute: &Compute) -> Result<StructuredFeatures> {
        let measure = SpectralMeasure::of(&self.kernel, columns)?;
        let [term] = measure.terms() else { return Err(self.refusal()) };
        let FrequencyDistribution::Radial { mixing, scales, .. } = &term.distribution else {
            return Err(self.refusal());
        };
        if self.components == 0 || self.components % 2 == 1 {
            return Err(Error::parameter("components", self.components, "even and at least 2"));
        }
        let (count, width) = (self.components / 2, columns.max(1).next_power_of_two());
        let mut source = Source::new(compute.seed().stream("structured frequencies", 0), Sampling::Iid);
        let size = count.div_ceil(width) * ROUNDS * width;
        let signs = (0..size).map(|_| if source.uniform() < 0.5 { -1.0 } else { 1.0 }).collect();
        let norm = (width as f64).powf(-0.5 * ROUNDS as f64);
        let length = |_| {
            let chi = (2.0 * gamma_quantile(0.5 * width as f64, source.uniform())).sqrt();
            norm * chi * mixing.draw(&mut source)
        };
        let lengths = (0..count).map(length).collect();
        let amplitudes = vec![(term.mass / count as f64).sqrt(); count];
        let (kernel, scales) = (self.kernel.clone(), scales.clone());
        Ok(StructuredFeatures { kernel, scales, width, signs, lengths, amplitudes })
    }

    fn refusal(&self) -> Error {
        Error::unsupported(
            "structured frequencies",
            &self.kernel,
            "it is not a radial kernel",
            "use iid or quasi-Monte-Carlo frequencies",
        )
    }
}

/// Structured random Fourier features with their signs drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct StructuredFeatures {
    kernel: Kernel,
    /// `1/ℓⱼ` for every column.
    scales: Vec<f64>,
    /// `p`.
    width: usize,
    /// For every block the signs of its rounds, one after the other.
    signs: Vec<f64>,
    /// `R`, with the norm of the rounds taken out.
    lengths: Vec<f64>,
    amplitudes: Vec<f64>,
}

impl StructuredFeatures {
    /// The frequencies, one row each, as the rounds make them of unit vectors.
    ///
    /// # Errors
    /// [`Error::Memory`] over the limit.
    pub fn frequencies(&self, compute: &Compute) -> Result<Array2<f64>> {
        let columns = self.scales.len();
        compute.reserve(
            MemoryPurpose::Features,
            "the frequencies",
            8 * (self.lengths.len() * columns) as u64,
            "they need not be stored",
        )?;
        let mut frequencies = Array2::zeros((self.lengths.len(), columns));
        let (mut unit, mut scratch) = (vec![0.0; columns], vec![0.0; self.width]);
        for j in 0..columns {
            unit[j] = 1.0;
            let mut phases = vec![0.0; self.lengths.len()];
            self.phases(&unit, &mut scratch, &mut phases);
            frequencies.column_mut(j).assign(&ndarray::ArrayView1::from(&phases));
            unit[j] = 0.0;
        }
        Ok(frequencies)
    }

    /// `⟨ωⱼ, x⟩` for every frequency, block by block.
    fn phases(&self, point: &[f64], scratch: &mut [f64], phases: &mut [f64]) {
        let blocks = self.signs.chunks_exact(ROUNDS * self.width);
        let outs = phases.chunks_mut(self.width).zip(self.lengths.chunks(self.width));
        for (signs, (out, lengths)) in blocks.zip(outs) {
            scratch.fill(0.0);
            scratch.iter_mut().zip(point.iter().zip(&self.scales)).for_each(|(v, (x, s))| *v = x * s);
            for signs in signs.chunks_exact(self.width) {
                scratch.iter_mut().zip(signs).for_each(|(v, s)| *v *= s);
                hadamard(scratch);
            }
            out.iter_mut().zip(lengths.iter().zip(&*scratch)).for_each(|(t, (r, v))| *t = r * v);
        }
    }
}

/// `v ← Hv` in place; the length is a power of two.
fn hadamard(values: &mut [f64]) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (a, b) = pair.split_at_mut(half);
            a.iter_mut().zip(b).for_each(|(a, b)| (*a, *b) = (*a + *b, *a - *b));
        }
        half *= 2;
    }
}

impl FeatureMap for StructuredFeatures {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn columns(&self) -> usize {
        self.scales.len()
    }

    fn components(&self) -> usize {
        2 * self.lengths.len()
    }

    fn transform(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        check(x, self.columns())?;
        let count = self.lengths.len();
        rows_in_parallel((x.nrows(), 2 * count), ROWS, compute, |rows, out| {
            let (mut scratch, mut phases) = (vec![0.0; self.width], vec![0.0; count]);
            let points = x.slice(s![rows, ..]);
            for (point, line) in points.rows().into_iter().zip(out.chunks_exact_mut(2 * count)) {
                self.phases(&point.to_vec(), &mut scratch, &mut phases);
                let (cosines, sines) = line.split_at_mut(count);
                simd::sines_cosines(&phases, &self.amplitudes, cosines, sines);
            }
        })
    }
}
