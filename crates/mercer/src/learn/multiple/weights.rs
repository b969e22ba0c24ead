//! The weights that were found, and the kernel that they make.

use std::fmt;

use ndarray::ArrayView2;

use super::grams::{GramStorage, Grams};
use super::passes::forms_of;
use super::search::{WeightEvidence, norm_of};
use crate::{Compute, Kernel, Points, Result};

/// The weights of several kernels, and their weighted sum.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelWeights {
    pub(super) kernels: Vec<Kernel>,
    pub(super) weights: Vec<f64>,
    pub(super) beta: Vec<f64>,
    pub(super) scale: f64,
    pub(super) kernel: Kernel,
    pub(super) evidence: Option<WeightEvidence>,
    pub(super) alignment: Option<f64>,
    pub(super) storage: Option<GramStorage>,
    pub(super) notes: Vec<WeightNote>,
}

/// What there is to know of the weights beside their values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WeightNote {
    /// This kernel is constant on the data: it has weight 0.
    Constant(usize),
}

impl fmt::Display for WeightNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(at) => write!(f, "kernel {at} is constant on the data and has weight 0"),
        }
    }
}

impl KernelWeights {
    /// The weights of the kernels as they are given, from those of the normalized ones.
    pub(super) fn new(
        grams: &Grams<'_>,
        beta: Vec<f64>,
        p: f64,
        evidence: Option<WeightEvidence>,
        alignment: Option<f64>,
    ) -> Result<Self> {
        let length = norm_of(&beta, p);
        let beta: Vec<f64> = beta.iter().map(|b| b / length).collect();
        let raw: Vec<f64> = beta.iter().zip(&grams.scales).map(|(b, c)| b * c).collect();
        let scale = norm_of(&raw, p);
        let weights: Vec<f64> = raw.iter().map(|w| w / scale).collect();
        Ok(Self {
            kernel: weighted(&grams.kernels, &weights, scale)?,
            kernels: grams.kernels.clone(),
            notes: (0..beta.len()).filter(|&m| grams.scales[m] == 0.0).map(WeightNote::Constant).collect(),
            storage: Some(grams.storage()),
            weights,
            beta,
            scale,
            evidence,
            alignment,
        })
    }

    /// `w` of the kernels as they are given, in their order: `Σ wᵖ = 1`.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// `β`: the weights of the normalized kernels, `Σ βᵖ = 1`.
    pub fn normalized_weights(&self) -> &[f64] {
        &self.beta
    }

    /// `s`, where `Σ βₘcₘkₘ = s Σ wₘkₘ`: [`KernelWeights::kernel`] is so many times the sum of the
    /// kernels with these weights.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// `Σ βₘcₘkₘ = s Σ wₘkₘ`, without the terms of weight 0: the kernel of the learner.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The kernels as they were given, with medians resolved.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The kernels with weight.
    pub fn active(&self) -> Vec<usize> {
        (0..self.weights.len()).filter(|&m| self.weights[m] > 0.0).collect()
    }

    /// Objective, duality gap and iterations, for [`WeightMethod::Simple`](super::WeightMethod::Simple).
    pub fn evidence(&self) -> Option<WeightEvidence> {
        self.evidence
    }

    /// The alignment of the weighted kernel with the targets, centered, from 0 to 1, for
    /// [`WeightMethod::Alignment`](super::WeightMethod::Alignment).
    pub fn alignment(&self) -> Option<f64> {
        self.alignment
    }

    /// Where the kernel matrices were; unknown for a fit from a file.
    pub fn storage(&self) -> Option<GramStorage> {
        self.storage
    }

    /// What there is to know beside.
    pub fn notes(&self) -> &[WeightNote] {
        &self.notes
    }

    /// Each kernel's share of `‖f‖²` for functions `f = Σ αᵢk(·, xᵢ)`, a column of `α` for each:
    /// `wₘαᵀKₘα`, summed over the functions, in parts of the total.
    pub(super) fn shares(&self, x: Points<'_>, alpha: ArrayView2<f64>, compute: &Compute) -> Result<Vec<f64>> {
        let mut shares = vec![0.0; self.weights.len()];
        if alpha.is_empty() {
            return Ok(shares);
        }
        let active = self.active();
        let kernels: Vec<Kernel> = active.iter().map(|&m| self.kernels[m].clone()).collect();
        for (m, form) in active.into_iter().zip(forms_of(&kernels, x, alpha, compute)?) {
            shares[m] = self.weights[m] * form;
        }
        let total: f64 = shares.iter().sum();
        if total > 0.0 {
            shares.iter_mut().for_each(|share| *share /= total);
        }
        Ok(shares)
    }
}

/// `s Σ wₘkₘ` without the terms of weight 0; a kernel with the factor 1 as it is.
pub(super) fn weighted(kernels: &[Kernel], weights: &[f64], scale: f64) -> Result<Kernel> {
    let weighted = kernels.iter().zip(weights).map(|(kernel, w)| (kernel, scale * w)).filter(|(_, w)| *w > 0.0);
    let term = |(kernel, w): (&Kernel, f64)| if w == 1.0 { Ok(kernel.clone()) } else { kernel.clone().scaled(w) };
    let terms = weighted.map(term).collect::<Result<Vec<_>>>()?;
    let sum = terms.into_iter().reduce(|sum, term| sum + term);
    sum.map_or_else(|| Kernel::constant(0.0), Ok)
}
