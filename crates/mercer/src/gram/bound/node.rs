//! An expression after binding: the same tree, with per-point work done.

use std::ops::Range;
use std::sync::Arc;

use ndarray::{CowArray, Ix2};

use crate::kernel::object::ObjectTiles;
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

impl Node<'_> {
    /// Whether a kernel on objects is among its parts, so that there is no formula for a pair of
    /// vectors.
    pub(crate) fn has_objects(&self) -> bool {
        matches!(&self.kind, Kind::Object(tiles) if !tiles.is_on_vectors())
            || self.children().into_iter().any(Self::has_objects)
    }

    /// Whether a kernel brings its own rectangles.
    pub(crate) fn has_own_tiles(&self) -> bool {
        matches!(self.kind, Kind::Object(_)) || self.children().into_iter().any(Self::has_own_tiles)
    }

    /// About how many operations the kernels on objects take for a value.
    pub(crate) fn object_operations(&self) -> usize {
        match &self.kind {
            Kind::Object(tiles) => tiles.operations(),
            _ => self.children().into_iter().map(Self::object_operations).sum(),
        }
    }

    /// The nodes inside.
    pub(crate) fn children(&self) -> Vec<&Self> {
        match &self.kind {
            Kind::Sum(nodes) | Kind::Product(nodes) => nodes.iter().collect(),
            Kind::Minus(a, b) => vec![a, b],
            Kind::Circles { inner, .. }
            | Kind::Scale(_, inner)
            | Kind::Pointwise(_, inner)
            | Kind::Outer { inner, .. }
            | Kind::Based { inner, .. } => vec![inner],
            _ => Vec::new(),
        }
    }
}

/// A bandlimit, the slot of the cosines and sines of the points, and whether all phases of the column
/// points are short, so that sines of differences follow from them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Band {
    pub limit: f64,
    pub waves: usize,
    pub short: bool,
}

/// What a node computes.
#[derive(Debug)]
pub(crate) enum Kind<'a> {
    /// `profile(scale · metric)`.
    Profile { base: Base, metric: usize, scale: f64 },
    /// A pass over the columns, with a lengthscale for each; by the waves of the points where the
    /// kernel is a product of `sin(aδ)/(aδ)`.
    Columnwise { base: Base, lengths: Vec<f64>, slot: usize, band: Option<Band> },
    /// A Gaussian kernel on circles, one per column with a lengthscale for each; the node inside
    /// sees the points there.
    Circles { base: Base, period: f64, lengths: Vec<f64>, slot: usize, inner: Box<Node<'a>> },
    /// The same number everywhere.
    Constant(f64),
    /// Values precomputed.
    Matrix(CowArray<'a, f64, Ix2>),
    /// Rectangles of a kernel on objects.
    Object(Box<dyn ObjectTiles>),
    /// `½(aᵢ + bⱼ − ‖x − y‖^{2H})`.
    Brownian { metric: usize, hurst: f64, rows: Vec<f64>, cols: Arc<[f64]> },
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
    Outer { rows: Vec<f64>, cols: Arc<[f64]>, unit: bool, inner: Box<Node<'a>> },
    /// `aᵢ + bⱼ − k − c`.
    Based { rows: Vec<f64>, cols: Arc<[f64]>, origin: f64, inner: Box<Node<'a>> },
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
