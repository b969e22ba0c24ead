//! Stein kernels: kernels whose mean under a given density is 0.

use std::ops::Range;

use ndarray::{ArrayView1, ArrayView2};

use crate::error::AllowedRange;
use crate::gram::Tiles;
use crate::kernel::number::Positive;
use crate::{Error, Points, Result};

/// The radial kernel `φ(‖x − y‖²)` under a Stein kernel.
///
/// # Formula
/// With the score `s = ∇ log p`:
/// `u(x, y) = s(x)ᵀs(y)φ − 2φ′(s(x) − s(y))ᵀ(x − y) − 2dφ′ − 4φ″‖x − y‖²`.
///
/// # Theory
/// `E u(X, y) = 0` for `X ~ p` and every `y`, whatever the normalizing constant of `p`. With the
/// inverse multiquadric the discrepancy metrises convergence to `p` for distantly dissipative
/// densities; with the Gaussian kernel it does not from three dimensions on [Gorham, Mackey 2017].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SteinKernel {
    /// `φ(r²) = (c² + r²)^{−β}`, `0 < β < 1`.
    InverseMultiquadric {
        /// `c`.
        offset: Positive,
        /// `β`.
        exponent: Positive,
    },
    /// `φ(r²) = exp(−r²/(2ℓ²))`.
    Gaussian {
        /// `ℓ`.
        lengthscale: Positive,
    },
}

impl SteinKernel {
    /// The inverse multiquadric `(c² + r²)^{−β}`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `c > 0` and `0 < β < 1`.
    ///
    /// # Example
    /// ```
    /// use mercer::measure::SteinKernel;
    /// assert!(SteinKernel::inverse_multiquadric(1.0, 0.5).is_ok());
    /// assert!(SteinKernel::inverse_multiquadric(1.0, 1.5).is_err());
    /// ```
    pub fn inverse_multiquadric(offset: f64, exponent: f64) -> Result<Self> {
        if exponent >= 1.0 {
            return Err(Error::parameter("exponent", exponent, AllowedRange::OPEN_UNIT));
        }
        Ok(Self::InverseMultiquadric {
            offset: Positive::new("offset", offset)?,
            exponent: Positive::new("exponent", exponent)?,
        })
    }

    /// The Gaussian kernel.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the lengthscale is finite and positive.
    pub fn gaussian(lengthscale: f64) -> Result<Self> {
        Ok(Self::Gaussian { lengthscale: Positive::new("lengthscale", lengthscale)? })
    }

    /// `φ`, `φ′` and `φ″` at `r²`.
    fn profile(&self, square: f64) -> [f64; 3] {
        match self {
            Self::InverseMultiquadric { offset, exponent } => {
                let (base, beta) = (offset.get() * offset.get() + square, exponent.get());
                let value = base.powf(-beta);
                [value, -beta * value / base, beta * (beta + 1.0) * value / (base * base)]
            }
            Self::Gaussian { lengthscale } => {
                let rate = 0.5 / (lengthscale.get() * lengthscale.get());
                let value = (-rate * square).exp();
                [value, -rate * value, rate * rate * value]
            }
        }
    }

    /// `u(x, y)`.
    fn value(
        &self,
        x: ArrayView1<'_, f64>,
        sx: ArrayView1<'_, f64>,
        y: ArrayView1<'_, f64>,
        sy: ArrayView1<'_, f64>,
    ) -> f64 {
        let (mut square, mut scores, mut mixed) = (0.0, 0.0, 0.0);
        for j in 0..x.len() {
            let difference = x[j] - y[j];
            square += difference * difference;
            scores += sx[j] * sy[j];
            mixed += (sx[j] - sy[j]) * difference;
        }
        let [value, first, second] = self.profile(square);
        scores * value - 2.0 * first * (mixed + x.len() as f64) - 4.0 * second * square
    }
}

impl Default for SteinKernel {
    /// The inverse multiquadric `(1 + r²)^{−1/2}`.
    fn default() -> Self {
        Self::inverse_multiquadric(1.0, 0.5).expect("1 and ½ are in range")
    }
}

impl std::fmt::Display for SteinKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::InverseMultiquadric { offset, exponent } => {
                write!(f, "stein(inverse_multiquadric(offset={}, exponent={}))", offset.get(), exponent.get())
            }
            Self::Gaussian { lengthscale } => write!(f, "stein(gaussian(lengthscale={}))", lengthscale.get()),
        }
    }
}

/// The matrix `u(xᵢ, xⱼ)` of a sample and its scores.
pub(crate) struct SteinTiles<'a> {
    kernel: SteinKernel,
    points: ArrayView2<'a, f64>,
    scores: ArrayView2<'a, f64>,
}

impl<'a> SteinTiles<'a> {
    /// # Errors
    /// [`Error::Shape`] unless there is a score per point and column, [`Error::Value`] for NaN and
    /// infinities.
    pub(crate) fn new(kernel: SteinKernel, points: ArrayView2<'a, f64>, scores: ArrayView2<'a, f64>) -> Result<Self> {
        if points.dim() != scores.dim() {
            return Err(Error::shape(
                "scores",
                format!("{:?}, one per value of x", points.dim()),
                format!("{:?}", scores.dim()),
            ));
        }
        Points::Vectors(points).check_finite("sample")?;
        Points::Vectors(scores).check_finite("scores")?;
        Ok(Self { kernel, points, scores })
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.kernel.value(self.points.row(i), self.scores.row(i), self.points.row(j), self.scores.row(j))
    }
}

impl Tiles for SteinTiles<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.points.nrows(), self.points.nrows())
    }

    fn symmetric(&self) -> bool {
        true
    }

    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        let mut out = out.iter_mut();
        for i in rows {
            for (j, value) in cols.clone().zip(&mut out) {
                *value = self.entry(i, j);
            }
        }
    }

    fn fill_single(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f32]) {
        let mut out = out.iter_mut();
        for i in rows {
            for (j, value) in cols.clone().zip(&mut out) {
                *value = self.entry(i, j) as f32;
            }
        }
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        Ok((0..self.points.nrows()).map(|i| self.entry(i, i)).collect())
    }
}
