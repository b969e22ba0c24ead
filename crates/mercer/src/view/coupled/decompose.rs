//! A mode in the coordinates of the eigenvectors of its kernel matrix.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::error::{MemoryPurpose, PrecomputedNeed};
use crate::features::Nystrom;
use crate::gram::{self, Bound};
use crate::operator::products::multiply;
use crate::solve::symmetric_eigen;
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// The eigenvalue below which a kernel matrix is refused as indefinite, relative to the largest.
/// Rounding gives some `n·10⁻¹⁶`; kernel values read from files are often rounded to ten digits.
const NEGATIVE: f64 = 1e-8;

/// `K = V diag(λ) Vᵀ` of one mode, without the directions in which `K` is nearly 0.
pub(super) struct Mode {
    pub(super) kernel: Kernel,
    /// The points of the functions: all points, or landmarks.
    pub(super) points: Sample,
    /// `V`: orthonormal columns.
    pub(super) vectors: Array2<f64>,
    /// `λ > 0`.
    pub(super) values: Array1<f64>,
    /// `T`: the function with the coordinates `c` has the weights `Tc` at its points. `V` with all
    /// points.
    weights: Option<Array2<f64>>,
    /// Directions that were left out.
    pub(super) null: usize,
}

impl Mode {
    /// The mode on all of its points.
    pub(super) fn whole(bound: &Bound<'_>, x: Points<'_>, cutoff: f64, compute: &Compute) -> Result<Self> {
        let n = x.len() as u64;
        let remedy = "use fewer points, landmarks, or a higher memory limit";
        compute.reserve(MemoryPurpose::Factorization, "the eigenvectors of a kernel matrix", 24 * n * n, remedy)?;
        let eigen = symmetric_eigen(gram::dense(bound, compute)?.view(), compute)?;
        let (smallest, largest) = (eigen.values[0], eigen.values[eigen.values.len() - 1]);
        if smallest < -NEGATIVE * largest {
            let reason = format!("the kernel matrix of this data has the eigenvalue {smallest:e}");
            return Err(Error::NotPositiveDefinite { kernel: bound.kernel().short(), reason, counterexample: None });
        }
        let (vectors, values) = range(&eigen.vectors, &eigen.values, cutoff);
        let null = x.len() - values.len();
        Ok(Self { kernel: bound.kernel().clone(), points: Sample::kept(x), vectors, values, weights: None, null })
    }

    /// The mode with functions on landmarks: `K` replaced by `FFᵀ` with the Nyström features `F`.
    pub(super) fn on_landmarks(
        kernel: &Kernel,
        x: Points<'_>,
        count: usize,
        cutoff: f64,
        compute: &Compute,
    ) -> Result<Self> {
        if matches!(x, Points::Precomputed(_)) {
            return Err(Error::precomputed("an embedding on landmarks", PrecomputedNeed::Points));
        }
        let bytes = 8 * x.len() as u64 * 2 * count as u64;
        let remedy = "use fewer landmarks, or a higher memory limit";
        compute.reserve(MemoryPurpose::Features, "the features of landmarks", bytes, remedy)?;
        let map = Nystrom::new(kernel.clone(), count).fit(x, compute)?;
        let features = map.transform(x, compute)?;
        let eigen = symmetric_eigen(multiply(features.t(), features.view(), compute)?.view(), compute)?;
        let (rotation, values) = range(&eigen.vectors, &eigen.values, cutoff);
        let roots = values.mapv(f64::sqrt);
        let vectors = multiply(features.view(), (&rotation / &roots).view(), compute)?;
        let weights = multiply(map.map(), (&rotation * &roots).view(), compute)?;
        let null = features.ncols() - values.len();
        let kernel = kernel.resolve(x, compute)?;
        Ok(Self { kernel, points: map.landmarks().into(), vectors, values, weights: Some(weights), null })
    }

    /// How many directions there are.
    pub(super) fn rank(&self) -> usize {
        self.values.len()
    }

    /// The weights of functions at the points of the mode, from their coordinates.
    pub(super) fn coefficients(&self, coordinates: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        multiply(self.weights.as_ref().unwrap_or(&self.vectors).view(), coordinates, compute)
    }
}

/// The eigenpairs above a part of the largest, and above rounding.
fn range(vectors: &Array2<f64>, values: &[f64], cutoff: f64) -> (Array2<f64>, Array1<f64>) {
    let part = cutoff.max(values.len() as f64 * f64::EPSILON);
    let threshold = part * values.last().copied().unwrap_or(0.0);
    let kept: Vec<usize> = (0..values.len()).filter(|&j| values[j] > threshold.max(0.0)).collect();
    (vectors.select(Axis(1), &kept), kept.iter().map(|&j| values[j]).collect())
}
