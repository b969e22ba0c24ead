//! Least squares along a chain of states, by orthogonal transformations alone.
//!
//! States `z₀, …, z_{u−1} ∈ ℝᴹ` with `z_{i+1} = A(hᵢ)zᵢ + L(hᵢ)εᵢ` and observations `yᵢ` of the
//! first coordinate minimize `Σ wᵢ(yᵢ − zᵢ₀)² + λ Σ ‖εᵢ‖²`. This is the square-root information
//! smoother (Dyer–McReynolds forward, back substitution backward): `O(u M³)`, no normal equations,
//! so the condition number is not squared; no division by a gap, so close points do no harm; and
//! covariances are sums of squares, so nothing cancels. A closed chain (`z_u = z_{u−1}` around a
//! circle) carries the last state `p` along as `M` more unknowns: `D = M` for an open chain,
//! `D = 2M` for a closed one.
//!
//! Why this beside [`state_space`](super::state_space), which filters the same processes: there
//! the start has a prior covariance, and `K` is the matrix of a kernel; a spline has none. Its
//! polynomials below the order are free, and its chain may be closed to a circle: information
//! (inverse covariances) holds both, covariances hold neither. What the two share, the steps of
//! integrated Brownian motion, is in `gap.rs`.

// Small matrices of fixed size: loops over indices follow the formulas.
#![allow(clippy::needless_range_loop)]

mod backward;
mod forward;
mod gap;
mod triangle;

pub(crate) use gap::{UnitRoot, derivative_gap, inverse_factorial};
pub(crate) use triangle::LogProduct;

/// One node of the chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Node {
    /// Place, ascending.
    pub t: f64,
    /// The observation.
    pub y: f64,
    /// Its weight, positive.
    pub weight: f64,
}

/// The result of one pass for a value of λ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pass {
    /// `Σ wᵢ(yᵢ − fᵢ)²`.
    pub residual: f64,
    /// `Σ wᵢ(yᵢ − fᵢ)² + λ Σ ‖εᵢ‖²` at the minimum.
    pub objective: f64,
    /// The trace of the map from observations to values; infinite when a leverage above 1 shows
    /// that the digits ran out.
    pub trace: f64,
    /// `½ log det` of the information matrix divided by λ, up to a constant.
    pub log_root: f64,
}

/// The states and their covariances (in units of `σ²/λ`), node by node; matrices are row-major
/// `M × M`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct States {
    /// `zᵢ`, `M` numbers per node.
    pub mean: Vec<f64>,
    /// `Cov zᵢ`.
    pub covariance: Vec<f64>,
    /// `Cov(zᵢ, z_{i+1})`, for the gap after node `i` (around the circle for the last one).
    pub cross: Vec<f64>,
    /// `L(hᵢ)εᵢ = z_{i+1} − A(hᵢ)zᵢ`, for the gap after node `i`.
    pub step: Vec<f64>,
}

/// A chain of either kind and any order.
pub(crate) trait Smoother: Send {
    /// Minimizes for this λ.
    fn pass(&mut self, lambda: f64) -> Pass;
    /// Minimizes for this λ and keeps the states.
    fn states(&mut self, lambda: f64) -> (Pass, States);
}

/// The chain of `M − 1` times integrated Brownian motion: the smoothing spline of order `M`.
///
/// `period` closes the chain; the nodes must then be rotated so that the gap around the end is the
/// largest one.
pub(crate) fn smoother(order: usize, nodes: Vec<Node>, period: Option<f64>) -> Box<dyn Smoother> {
    match (order, period) {
        (1, None) => Box::new(Chain::<1, 1, 3>::new(nodes, None)),
        (2, None) => Box::new(Chain::<2, 2, 5>::new(nodes, None)),
        (_, None) => Box::new(Chain::<3, 3, 7>::new(nodes, None)),
        (1, Some(_)) => Box::new(Chain::<1, 2, 4>::new(nodes, period)),
        (2, Some(_)) => Box::new(Chain::<2, 4, 7>::new(nodes, period)),
        (_, Some(_)) => Box::new(Chain::<3, 6, 10>::new(nodes, period)),
    }
}

/// `R = M + D + 1` is the number of rows and columns of the array that one step makes triangular.
struct Chain<const M: usize, const D: usize, const R: usize> {
    nodes: Vec<Node>,
    period: Option<f64>,
    /// How `εᵢ` follows from the node after the gap: link `i` belongs to the gap before node `i`.
    links: Vec<Link<M, D>>,
}

/// `ε = c − K(z, p) + Nη` with `η` of unit covariance.
#[derive(Clone, Copy)]
struct Link<const M: usize, const D: usize> {
    gain: [[f64; D]; M],
    offset: [f64; M],
    noise: [[f64; M]; M],
}

impl<const M: usize, const D: usize> Link<M, D> {
    const EMPTY: Self = Self { gain: [[0.0; D]; M], offset: [0.0; M], noise: [[0.0; M]; M] };
}

impl<const M: usize, const D: usize, const R: usize> Chain<M, D, R> {
    fn new(nodes: Vec<Node>, period: Option<f64>) -> Self {
        let links = vec![Link::EMPTY; nodes.len()];
        Self { nodes, period, links }
    }

    /// The gap around the circle, from the last node to the first.
    fn closing_gap(&self) -> Option<f64> {
        let (first, last) = (self.nodes.first()?, self.nodes.last()?);
        self.period.map(|period| period - (last.t - first.t))
    }
}

impl<const M: usize, const D: usize, const R: usize> Smoother for Chain<M, D, R> {
    fn pass(&mut self, lambda: f64) -> Pass {
        let end = self.forward(lambda);
        self.backward(&end, lambda, None)
    }

    fn states(&mut self, lambda: f64) -> (Pass, States) {
        let end = self.forward(lambda);
        let mut states = States::default();
        let pass = self.backward(&end, lambda, Some(&mut states));
        (pass, states)
    }
}
