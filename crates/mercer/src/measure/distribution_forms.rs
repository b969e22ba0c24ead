//! The formulas behind [`LawEmbedding`](super::LawEmbedding).

use std::f64::consts::PI;

use ndarray::{Array1, Array2, ArrayView1};

use super::Distribution;
use crate::error::AllowedRange;
use crate::kernel::closed_forms::{Frequencies, LineForm, Mixing, PowerSeries};
use crate::kernel::{Base, Lengthscale};
use crate::real::special::erf;
use crate::solve::symmetric_eigen;
use crate::{Compute, Error, Kernel, Points, Result};

/// A pair of a kernel and a distribution, checked.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    /// `gaussian` and `N(m, S)`, in coordinates divided by the lengthscales.
    Normal { lengths: Vec<f64>, mean: Array1<f64>, covariance: Array2<f64> },
    /// `gaussian` and the uniform distribution.
    Interval { length: f64, low: f64, high: f64 },
    /// `polynomial`: the weight `C(m, k) c^{m−k} sᵏ` and the moment of each power.
    Powers { weights: Vec<f64>, moments: Vec<f64> },
    /// `exponential` and a normal distribution on the line.
    Exponential { scale: f64, mean: f64, variance: f64 },
    /// `laplacian` and the Laplace distribution.
    Laplace { length: f64, scale: f64 },
    /// `wiener` and the uniform distribution on `[0, 1]`.
    Brownian,
}

impl Form {
    pub(super) fn new(kernel: &Kernel, distribution: &Distribution) -> Result<Self> {
        let Kernel::Base(base) = kernel else { return Err(unknown(kernel)) };
        match distribution {
            Distribution::Gaussian { mean, covariance } => under_normal(base, kernel, mean, covariance),
            Distribution::Moments(moments) => {
                powers(base.power_series().ok_or_else(|| unknown(kernel))?, kernel, moments)
            }
            Distribution::Uniform { .. } | Distribution::Laplace { .. } => {
                on_line(base.line_form().ok_or_else(|| unknown(kernel))?, kernel, distribution)
            }
        }
    }

    /// The dimension of the distribution.
    pub(super) fn columns(&self) -> usize {
        match self {
            Self::Normal { mean, .. } => mean.len(),
            _ => 1,
        }
    }

    /// `μ(t)`.
    pub(super) fn value(&self, t: ArrayView1<'_, f64>) -> f64 {
        match self {
            Self::Normal { lengths, mean, covariance } => {
                let scaled = Array1::from_iter(t.iter().zip(lengths).map(|(t, l)| t / l));
                convolved(&(scaled - mean), covariance)
            }
            Self::Interval { length, low, high } => {
                let edge = |e: f64| erf((e - t[0]) / (length * 2.0_f64.sqrt()));
                length * (PI / 2.0).sqrt() / (high - low) * (edge(*high) - edge(*low))
            }
            Self::Powers { weights, moments } => {
                weights.iter().zip(moments).rev().fold(0.0, |sum, (w, m)| sum * t[0] + w * m)
            }
            Self::Exponential { scale, mean, variance } => {
                let t = t[0] / scale;
                (mean * t + 0.5 * variance * t * t).exp()
            }
            Self::Laplace { length, scale } => {
                let part = |l: f64| l * (-t[0].abs() / l).exp();
                length * (part(*length) - part(*scale)) / (length * length - scale * scale)
            }
            // Brownian motion starts at 0 and the distribution ends at 1: outside of [0, 1] the
            // kernel is not defined below, constant above.
            Self::Brownian => {
                let t = t[0].clamp(0.0, 1.0);
                t - 0.5 * t * t
            }
        }
    }

    /// `E k(X, Y)` for two distributions under one kernel, where it is known.
    pub(super) fn inner(&self, other: &Self) -> Option<f64> {
        match (self, other) {
            (Self::Normal { mean: a, covariance: s, .. }, Self::Normal { mean: b, covariance: t, .. })
                if a.len() == b.len() =>
            {
                Some(convolved(&(a - b), &(s + t)))
            }
            (Self::Interval { length, low, high }, Self::Interval { low: a, high: b, .. }) if low == a && high == b => {
                Some(interval_norm(*length, high - low))
            }
            (Self::Powers { weights, moments }, Self::Powers { moments: others, .. }) => {
                Some(weights.iter().zip(moments).zip(others).map(|((w, m), o)| w * m * o).sum())
            }
            (Self::Brownian, Self::Brownian) => Some(1.0 / 3.0),
            _ => None,
        }
    }
}

/// `det(I + S)^{−1/2} exp(−½ vᵀ(I + S)⁻¹v)`, through the eigenvalues of the checked covariance `S`.
fn convolved(v: &Array1<f64>, covariance: &Array2<f64>) -> f64 {
    let Ok(eigen) = symmetric_eigen(covariance.view(), &Compute::unlimited()) else { return f64::NAN };
    let coordinates = eigen.vectors.t().dot(v);
    let (mut root, mut exponent) = (1.0, 0.0);
    for (value, coordinate) in eigen.values.iter().zip(&coordinates) {
        let spread = 1.0 + value.max(0.0);
        root *= spread.sqrt();
        exponent += coordinate * coordinate / spread;
    }
    (-0.5 * exponent).exp() / root
}

/// `E k(X, X′)` of the uniform distribution on an interval of this width.
fn interval_norm(length: f64, width: f64) -> f64 {
    let ratio = width / length;
    let area = ratio * (PI / 2.0).sqrt() * erf(ratio / 2.0_f64.sqrt());
    2.0 * (area + (-0.5 * ratio * ratio).exp_m1()) / (ratio * ratio)
}

fn under_normal(base: &Base, kernel: &Kernel, mean: &Array1<f64>, covariance: &Array2<f64>) -> Result<Form> {
    let gaussian = base.spectral_law().is_some_and(|law| law.frequencies == Frequencies::Normal(Mixing::Fixed));
    match base.power_series() {
        _ if gaussian => normal(base, kernel, mean, covariance),
        Some(PowerSeries::Exponential { scale }) => {
            check_normal(mean, covariance)?;
            if mean.len() != 1 {
                return Err(Error::shape("dimension of the law", 1, mean.len()));
            }
            Ok(Form::Exponential { scale, mean: mean[0], variance: covariance[[0, 0]] })
        }
        _ => Err(unknown(kernel)),
    }
}

/// Kernels and distributions on one column.
fn on_line(form: LineForm<'_>, kernel: &Kernel, distribution: &Distribution) -> Result<Form> {
    match (form, distribution) {
        (LineForm::Gaussian { length }, Distribution::Uniform { low, high }) => {
            check_interval(*low, *high)?;
            Ok(Form::Interval { length, low: *low, high: *high })
        }
        (LineForm::Exponential { length }, Distribution::Laplace { scale }) => {
            if !(scale.is_finite() && *scale > 0.0 && *scale != length) {
                return Err(Error::parameter("scale", scale, "finite, positive, and not the lengthscale"));
            }
            Ok(Form::Laplace { length, scale: *scale })
        }
        (LineForm::Minimum { constant: 0.0 }, Distribution::Uniform { low: 0.0, high: 1.0 }) => Ok(Form::Brownian),
        _ => Err(unknown(kernel)),
    }
}

fn normal(base: &Base, kernel: &Kernel, mean: &Array1<f64>, covariance: &Array2<f64>) -> Result<Form> {
    check_normal(mean, covariance)?;
    let d = mean.len();
    let lengths = match base.lengthscale() {
        Some(Lengthscale::Shared(l)) => vec![l.get(); d],
        Some(Lengthscale::PerColumn(l)) if l.len() == d => l.iter().map(|l| l.get()).collect(),
        _ => return Err(unknown(kernel)),
    };
    let mean = Array1::from_shape_fn(d, |i| mean[i] / lengths[i]);
    let covariance = Array2::from_shape_fn((d, d), |(i, j)| covariance[[i, j]] / (lengths[i] * lengths[j]));
    Ok(Form::Normal { lengths, mean, covariance })
}

fn powers(series: PowerSeries, kernel: &Kernel, moments: &[f64]) -> Result<Form> {
    let PowerSeries::Power { degree, .. } = series else { return Err(unknown(kernel)) };
    let degree = degree as usize;
    if moments.len() < degree {
        return Err(Error::shape("moments", format!("one per power up to the degree ({degree})"), moments.len()));
    }
    if let Some(moment) = moments.iter().find(|m| !m.is_finite()) {
        return Err(Error::parameter("moments", moment, AllowedRange::LINE));
    }
    let moments = std::iter::once(1.0).chain(moments.iter().copied()).take(degree + 1).collect();
    Ok(Form::Powers { weights: (0..=degree).map(|n| series.coefficient(n)).collect(), moments })
}

fn check_interval(low: f64, high: f64) -> Result<()> {
    if low.is_finite() && high.is_finite() && low < high {
        return Ok(());
    }
    Err(Error::parameter("high", high, format!("finite and above low = {low}")))
}

fn check_normal(mean: &Array1<f64>, covariance: &Array2<f64>) -> Result<()> {
    let d = mean.len();
    if covariance.dim() != (d, d) {
        return Err(Error::shape("covariance", format!("{d} × {d}"), format!("{:?}", covariance.dim())));
    }
    Points::Vectors(mean.view().insert_axis(ndarray::Axis(1))).check_finite("mean")?;
    Points::from(covariance).check_finite("covariance")?;
    if covariance != covariance.t() {
        return Err(Error::unsupported(
            "normal law",
            "a covariance matrix that is not symmetric",
            "",
            "give a symmetric one",
        ));
    }
    let values = symmetric_eigen(covariance.view(), &Compute::unlimited())?.values;
    let largest = values.last().copied().unwrap_or(0.0);
    match values.first() {
        Some(smallest) if *smallest < -1e-12 * largest.abs().max(f64::MIN_POSITIVE) => {
            Err(Error::parameter("smallest eigenvalue of the covariance", smallest, AllowedRange::NON_NEGATIVE))
        }
        _ => Ok(()),
    }
}

fn unknown(kernel: &Kernel) -> Error {
    Error::unsupported("closed form of this law's embedding", kernel, "none is known", "use a sample of the law")
}
