//! An expression after binding: the same tree, with per-point work done.

use std::ops::Range;

use ndarray::ArrayView2;

use crate::kernel::{Base, Kernel, Series};

/// A node of the bound expression.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    pub kind: Kind<'a>,
    /// The kernel of this node, with its parameters.
    pub kernel: Kernel,
    /// The points that it sees.
    pub slot: usize,
    /// Its parameters and those of its children, as numbered in the whole expression.
    pub parameters: Range<usize>,
}

/// What a node computes.
#[derive(Debug)]
pub(crate) enum Kind<'a> {
    /// `profile(scale · metric)`.
    Profile { base: Base, metric: usize, scale: f64 },
    /// A pass over the columns, with a lengthscale for each; where there is a bandlimit, that and the
    /// points of cosines and sines.
    Columnwise { base: Base, lengths: Vec<f64>, slot: usize, band: Option<(f64, usize)> },
    /// A Gaussian kernel on circles, one per column with a lengthscale for each; the node inside
    /// sees the points there.
    Circles { base: Base, period: f64, lengths: Vec<f64>, slot: usize, inner: Box<Node<'a>> },
    /// The same number everywhere.
    Constant(f64),
    /// Values precomputed.
    Matrix(ArrayView2<'a, f64>),
    /// `½(aᵢ + bⱼ − ‖x − y‖^{2H})`.
    Brownian { metric: usize, hurst: f64, rows: Vec<f64>, cols: Vec<f64> },
    /// `⟨Φ(x), Φ(y)⟩` of features.
    Features { metric: usize },
    /// `a·k`.
    Scale(f64, Box<Node<'a>>),
    /// `k₁ + … + kₘ`.
    Sum(Vec<Node<'a>>),
    /// `k₁ · … · kₘ`.
    Product(Vec<Node<'a>>),
    /// `k₁ − k₂`.
    Minus(Box<Node<'a>>, Box<Node<'a>>),
    /// A function of one kernel's value.
    Pointwise(Pointwise, Box<Node<'a>>),
    /// `aᵢ bⱼ k`; the diagonal is 1 (or 0) exactly where `unit` is set.
    Outer { rows: Vec<f64>, cols: Vec<f64>, unit: bool, inner: Box<Node<'a>> },
    /// `aᵢ + bⱼ − k − c`.
    Based { rows: Vec<f64>, cols: Vec<f64>, origin: f64, inner: Box<Node<'a>> },
}

/// A function of one kernel's value.
#[derive(Clone, Debug)]
pub(crate) enum Pointwise {
    Power(u32),
    Exp,
    Series(Series),
    /// `exp(−t·)`.
    Schoenberg(f64),
}
