//! The geometric random walk kernel of undirected graphs by eigenvalues.
//!
//! Of the eigenvectors `u` of an adjacency matrix only `(1ᵀu)²` is needed: these are the nodes and
//! weights of a Gauss quadrature, which the method of Lanczos from the vector of ones gives (Golub
//! and Welsch 1969). Nothing else of the library needs it, so that it is here and not with the
//! eigensolvers, which kernels may not use.

use super::walks::multiply;
use crate::points::GraphView;
use crate::{Compute, Result};

/// Iterations per eigenvalue; two or three are enough.
const MAX_ITERATIONS: usize = 100;

/// The eigenvalues `μ` of an adjacency matrix with `(1ᵀu)²`, as far as that is not 0.
#[derive(Debug)]
pub(super) struct Spectrum {
    values: Vec<f64>,
    weights: Vec<f64>,
}

impl Spectrum {
    /// The spectrum of an undirected graph: `O(n m²)` with `m` distinct eigenvalues.
    pub(super) fn new(graph: &GraphView<'_>, compute: &Compute) -> Result<Self> {
        let (diagonal, beside) = tridiagonal(graph, compute)?;
        let (values, first) = eigenvalues(diagonal, beside);
        Ok(Self { values, weights: first.iter().map(|f| graph.vertices() as f64 * f * f).collect() })
    }

    /// The number of eigenvalues.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// `Σ_ij (1ᵀu_i)² (1ᵀu′_j)² / (1 − λ μ_i μ′_j)`; one division per pair of eigenvalues.
    #[inline(always)]
    pub(super) fn geometric(&self, other: &Self, decay: f64) -> f64 {
        let row = |(value, weight): (&f64, &f64)| weight * resolvent(decay * value, &other.values, &other.weights);
        self.values.iter().zip(&self.weights).map(row).sum()
    }
}

/// `Σ_j w_j / (1 − s v_j)`; the compiler turns the four running sums into vector instructions.
#[inline(always)]
fn resolvent(scale: f64, values: &[f64], weights: &[f64]) -> f64 {
    let term = |value: f64, weight: f64| weight / (1.0 - scale * value);
    let (v, w) = (values.chunks_exact(4), weights.chunks_exact(4));
    let rest: f64 = v.remainder().iter().zip(w.remainder()).map(|(v, w)| term(*v, *w)).sum();
    let mut sums = [0.0; 4];
    for (v, w) in v.zip(w) {
        (0..4).for_each(|lane| sums[lane] += term(v[lane], w[lane]));
    }
    sums.iter().sum::<f64>() + rest
}

/// The tridiagonal matrix of the method of Lanczos from the vector of ones: its diagonal, and the
/// entries beside it. Every vector is made orthogonal to all before it, twice.
fn tridiagonal(graph: &GraphView<'_>, compute: &Compute) -> Result<(Vec<f64>, Vec<f64>)> {
    let n = graph.vertices();
    let mut basis = vec![vec![(n as f64).sqrt().recip(); n]];
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    let mut image = vec![0.0; n];
    while diagonal.len() < n {
        compute.check_canceled()?;
        let last = &basis[basis.len() - 1];
        multiply(graph, 1.0, last, &mut image);
        let scale = norm(&image);
        diagonal.push(dot(last, &image));
        for vector in basis.iter().chain(&basis) {
            let share = dot(vector, &image);
            image.iter_mut().zip(vector).for_each(|(image, v)| *image -= share * v);
        }
        let length = norm(&image);
        // What is left is rounding: the eigenvectors that the ones contain are complete.
        if length <= 1e-13 * scale || diagonal.len() == n {
            break;
        }
        beside.push(length);
        basis.push(image.iter().map(|v| v / length).collect());
    }
    Ok((diagonal, beside))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

/// The eigenvalues of a symmetric tridiagonal matrix and the first entries of its eigenvectors, by
/// the QL algorithm with implicit shifts.
fn eigenvalues(mut diagonal: Vec<f64>, mut beside: Vec<f64>) -> (Vec<f64>, Vec<f64>) {
    let n = diagonal.len();
    let mut first = vec![0.0; n];
    first.iter_mut().take(1).for_each(|f| *f = 1.0);
    beside.resize(n, 0.0);
    let largest = diagonal.iter().chain(&beside).fold(0.0_f64, |m, v| m.max(v.abs()));
    for low in 0..n {
        for _ in 0..MAX_ITERATIONS {
            let negligible = |&at: &usize| beside[at].abs() <= f64::EPSILON * largest;
            let high = (low..n - 1).find(negligible).unwrap_or(n - 1);
            if high == low {
                break;
            }
            chase(&mut diagonal, &mut beside, &mut first, low..high);
        }
    }
    (diagonal, first)
}

/// One sweep of rotations from the lower end of an unreduced part to its upper end.
fn chase(diagonal: &mut [f64], beside: &mut [f64], first: &mut [f64], part: std::ops::Range<usize>) {
    let (low, high) = (part.start, part.end);
    let ratio = (diagonal[low + 1] - diagonal[low]) / (2.0 * beside[low]);
    let mut g = diagonal[high] - diagonal[low] + beside[low] / (ratio + ratio.hypot(1.0).copysign(ratio));
    let (mut s, mut c, mut shift) = (1.0, 1.0, 0.0);
    for i in part.rev() {
        let (f, b) = (s * beside[i], c * beside[i]);
        let r = f.hypot(g);
        beside[i + 1] = r;
        if r == 0.0 {
            diagonal[i + 1] -= shift;
            beside[high] = 0.0;
            return;
        }
        (s, c) = (f / r, g / r);
        g = diagonal[i + 1] - shift;
        let turned = (diagonal[i] - g) * s + 2.0 * c * b;
        shift = s * turned;
        diagonal[i + 1] = g + shift;
        g = c * turned - b;
        (first[i], first[i + 1]) = (c * first[i] - s * first[i + 1], s * first[i] + c * first[i + 1]);
    }
    diagonal[low] -= shift;
    (beside[low], beside[high]) = (g, 0.0);
}

#[cfg(test)]
mod tests {
    use super::super::super::test_support::assert_close;
    use super::*;
    use crate::points::{Graph, Graphs};

    fn spectrum(graph: Graph) -> Spectrum {
        let graphs = Graphs::from_graphs(vec![graph], false).unwrap();
        Spectrum::new(&graphs.graph(0), &Compute::new()).unwrap()
    }

    #[test]
    fn star_has_two_terms() {
        // The star with 3 leaves: eigenvalues ±√3, and 0 twice with weight 0.
        let mut found = spectrum(Graph::new(4, vec![(0, 1), (0, 2), (0, 3)]));
        found.values.sort_by(f64::total_cmp);
        assert_eq!(found.len(), 2);
        assert_close(found.values[1], 3f64.sqrt(), 1e-15);
        assert_close(found.weights.iter().sum::<f64>(), 4.0, 1e-14);
    }

    #[test]
    fn the_path_has_known_eigenvalues() {
        // 2cos(πj/(n + 1)) with eigenvectors sin(πji/(n + 1)); those of even j have sum 0.
        let n = 61;
        let found = spectrum(Graph::new(n, (1..n as u32).map(|v| (v - 1, v)).collect()));
        let angle = |j: usize| std::f64::consts::PI * j as f64 / (n as f64 + 1.0);
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by(|a, b| found.values[*b].total_cmp(&found.values[*a]));
        assert_eq!(found.len(), n.div_ceil(2));
        for (place, j) in order.iter().zip((1..=n).step_by(2)) {
            assert_close(found.values[*place], 2.0 * angle(j).cos(), 1e-14);
            let sum: f64 = (1..=n).map(|i| (angle(j) * i as f64).sin()).sum();
            assert_close(found.weights[*place], sum * sum * 2.0 / (n as f64 + 1.0), 1e-11);
        }
        assert_eq!(spectrum(Graph::default()).len(), 0);
        assert_eq!(spectrum(Graph::new(3, vec![])).weights, [3.0]);
    }
}
