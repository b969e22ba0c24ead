//! The gradient of a contrast by the values of its components.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

use super::contrast::{Contrast, Measure, between, shares, starts};
use super::negentropy;
use super::source::{Basis, Source};
use crate::solve::{Factored, factor, symmetric_eigen};
use crate::{Compute, Error, Result};

/// `dJ = −Σᵢ tr(PᵢQᵢᵀ dKᵢ)` with factors `P` and `Q` of one component, a row per column of theirs.
type Pull = (Array2<f64>, Array2<f64>);

impl Measure {
    /// The contrast of components, and its gradient by their values.
    ///
    /// # Formula
    /// With `Rᵢ = Kᵢ(Kᵢ + cI)⁻¹`, KGV is `J = −½ log det 𝓡` with the blocks `RᵢRⱼ` of 𝓡 and `I` on its
    /// diagonal, so `dJ = −Σᵢ tr[dRᵢ Σ_{j≠i} Rⱼ(𝓡⁻¹)ⱼᵢ]`, `dRᵢ = c(Kᵢ + cI)⁻¹dKᵢ(Kᵢ + cI)⁻¹` and
    /// `dk(u, v) = −(u − v)(du − dv)k(u, v)/ℓ²`; KCC has `vvᵀ/λ` of its eigenvector instead of
    /// `𝓡⁻¹`, and HSIC has `dJ = Σᵢ tr[dKᵢ Σ_{j≠i} Kⱼ]/n²`. That of negentropy is in its own file.
    ///
    /// # Cost
    /// `O(m²nr²)`, a few times that of the contrast.
    ///
    /// # Errors
    /// [`Error::Canceled`].
    pub(super) fn with_gradient(&self, y: ArrayView2<f64>, compute: &Compute) -> Result<(f64, Array2<f64>)> {
        if self.contrast == Contrast::Negentropy {
            return Ok(negentropy::with_gradient(y, self.lengthscale, compute));
        }
        let sources = self.sources(y, compute)?;
        let (value, pulls) = match self.contrast {
            Contrast::Hsic => (self.of(&sources, compute)?, hsic_pulls(&sources)),
            _ => self.resolvent_pulls(&sources, compute)?,
        };
        let slope = |i: usize| slope(&sources[i], &pulls[i], self.lengthscale);
        let slopes = compute.map_tasks(sources.len(), slope);
        let views: Vec<_> = slopes.iter().map(|slope| slope.view().insert_axis(Axis(1))).collect();
        let gradient = concatenate(Axis(1), &views).map_err(|e| Error::shape("slopes", sources.len(), e))?;
        Ok((value, gradient))
    }

    fn resolvent_pulls(&self, sources: &[Source], compute: &Compute) -> Result<(f64, Vec<Pull>)> {
        let bases = compute.try_map_tasks(sources.len(), |i| sources[i].basis(compute))?;
        let matrix = between(sources, &bases, self.shift);
        let value = self.of_matrix(&matrix, compute)?;
        let starts = starts(&bases);
        // `Uᵢᵀ`, a row per eigenvector, and with the factor D.
        let units = compute.map_tasks(sources.len(), |i| bases[i].map.t().dot(&sources[i].centered));
        let scaled: Vec<Array2<f64>> =
            units.iter().zip(&bases).map(|(u, basis)| u * &shares(basis, self.shift).insert_axis(Axis(1))).collect();
        let weights = self.weights(&matrix, compute)?;
        let pull = |i: usize| {
            let rows = weights.rows_of(starts[i]..starts[i + 1]);
            let mut others = Array2::zeros((rows.nrows(), sources[i].values.len()));
            for (j, scaled) in scaled.iter().enumerate().filter(|(j, _)| *j != i) {
                others = others + rows.slice(s![.., starts[j]..starts[j + 1]]).dot(scaled);
            }
            let inner = weights.own(starts[i]..starts[i + 1]);
            pull_of(others, inner, &units[i], &bases[i], self.shift)
        };
        Ok((value, compute.map_tasks(sources.len(), pull)))
    }

    /// What stands between the components in the gradient.
    fn weights(&self, matrix: &Array2<f64>, compute: &Compute) -> Result<Weights> {
        if self.contrast == Contrast::Kgv {
            if let Factored::Definite(l) = factor(matrix.clone(), compute)? {
                return Ok(Weights::Inverse(l.solve(Array2::eye(matrix.nrows()).view(), compute)?));
            }
            let eigen = symmetric_eigen(matrix.view(), compute)?;
            return Ok(Weights::Inverse(eigen.map(|v| 1.0 / v.max(f64::EPSILON))));
        }
        let eigen = symmetric_eigen(matrix.view(), compute)?;
        let smallest = eigen.values.first().copied().unwrap_or(1.0).max(f64::EPSILON);
        Ok(Weights::Vector(eigen.vectors.slice(s![.., ..1]).to_owned(), smallest))
    }
}

/// `𝓡⁻¹`, or `vvᵀ/λ` of the smallest eigenvalue.
enum Weights {
    Inverse(Array2<f64>),
    Vector(Array2<f64>, f64),
}

impl Weights {
    /// The left factor of the rows of a component: the rows of the inverse, or `vᵀ/λ`.
    fn rows_of(&self, rows: std::ops::Range<usize>) -> Array2<f64> {
        match self {
            Self::Inverse(inverse) => inverse.slice(s![rows, ..]).to_owned(),
            Self::Vector(v, smallest) => v.t().mapv(|x| x / smallest),
        }
    }

    /// The right factor of a component: nothing, or its part of `v`.
    fn own(&self, rows: std::ops::Range<usize>) -> Option<Array2<f64>> {
        match self {
            Self::Inverse(_) => None,
            Self::Vector(v, _) => Some(v.slice(s![rows, ..]).to_owned()),
        }
    }
}

/// `P = c(K + cI)⁻¹A` and `Q = (K + cI)⁻¹UB` for `Aᵀ` and `B`, `I` where there is none.
fn pull_of(a: Array2<f64>, inner: Option<Array2<f64>>, units: &Array2<f64>, basis: &Basis, shift: f64) -> Pull {
    let inside = a.dot(&units.t()) * &shares(basis, shift);
    let left = a - inside.dot(units);
    let inverse = basis.eigenvalues.mapv(|value| 1.0 / (value + shift)).insert_axis(Axis(1));
    let right = units * &inverse;
    (left, inner.map_or(right.clone(), |inner| inner.t().dot(&right)))
}

fn hsic_pulls(sources: &[Source]) -> Vec<Pull> {
    let n = sources.first().map_or(1, |source| source.values.len()) as f64;
    let pull = |i: usize| {
        let others: Vec<ArrayView2<f64>> =
            sources.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, source)| source.centered.view()).collect();
        let stacked = concatenate(Axis(0), &others).unwrap_or_else(|_| Array2::zeros((0, n as usize)));
        (&stacked * (-1.0 / (n * n)), stacked)
    };
    (0..sources.len()).map(pull).collect()
}

/// `(1/ℓ²) Σ_b (P_a·Q_b + Q_a·P_b)(y_a − y_b)(G_a·G_b)` for every row `a`, with `K = GGᵀ`.
fn slope(source: &Source, (p, q): &Pull, lengthscale: f64) -> Array1<f64> {
    let (raw, y) = (&source.raw, &source.values);
    let weighted = raw * y;
    let half = |p: &Array2<f64>, q: &Array2<f64>| {
        // Σ_b (P_a·Q_b)(G_a·G_b), and the same with y_b.
        let plain = q.dot(&raw.t()).dot(raw);
        let moved = q.dot(&weighted.t()).dot(raw);
        (p * &plain).sum_axis(Axis(0)) * y - (p * &moved).sum_axis(Axis(0))
    };
    (half(p, q) + half(q, p)) / (lengthscale * lengthscale)
}
