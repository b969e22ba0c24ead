//! Random walk kernels as inner products of walk counts.

use super::super::features::BLOCK;
use super::WalkSeries;
use crate::points::{GraphView, Graphs};
use crate::{Compute, Error, Result};

/// What the terms left out may contribute, relative to the value.
const TAIL: f64 = 1e-17;
/// More terms than this would take too much memory: 128 kB per graph.
const MAX_TERMS: usize = 1 << 14;

/// The features of a sample: `terms[g * count + k]` is `√(λ^k) · 1ᵀA^k1` for graph `g`, divided by
/// `√k!` for the exponential series.
///
/// Since `(A ⊗ A′)^k = A^k ⊗ A′^k`, the kernel without edge labels is `Σ_k c_k (1ᵀA^k1)(1ᵀA′^k1)`
/// with `c_k = λ^k` or `λ^k/k!`: an inner product of these features.
#[derive(Debug)]
pub(super) struct Walks {
    pub count: usize,
    pub terms: Vec<f64>,
}

/// The number of terms after which the rest is below [`TAIL`], if `1ᵀA^k1 ≤ n ρ(A)^k` (true for
/// undirected graphs) and `radius = λ ρ(A) ρ(A′)`. The value itself is at least `n n′`.
pub(super) fn needed_terms(series: WalkSeries, radius: f64) -> usize {
    let (mut power, mut count) = (1.0, 1);
    loop {
        let ratio = series.ratio(radius, count);
        power *= ratio;
        if (ratio < 1.0 && power <= TAIL * (1.0 - ratio)) || count >= MAX_TERMS {
            return count;
        }
        count += 1;
    }
}

/// The features of all graphs, if `radius` is `λρ²` with their largest spectral radius.
///
/// Directed graphs may need more terms than their radius implies; the number grows until
/// the last term is negligible.
pub(super) fn walks(graphs: &Graphs, decay: f64, series: WalkSeries, radius: f64, compute: &Compute) -> Result<Walks> {
    let mut count = needed_terms(series, radius);
    let room = 1.0 - series.ratio(radius, count);
    while count <= MAX_TERMS {
        let walks = walk_terms(graphs, decay.sqrt(), series, count + 1, compute)?;
        let last = (0..graphs.len()).map(|g| walks.last(g)).fold(0.0, f64::max);
        if !graphs.is_directed() || last * last <= TAIL * room {
            return Ok(walks);
        }
        count += count / 4 + 1;
    }
    Err(too_slow(decay))
}

/// The error for a series that needs too many terms.
pub(super) fn too_slow(decay: f64) -> Error {
    Error::parameter("decay", decay, "smaller for these graphs, whose series of walks converges too slowly")
}

impl Walks {
    /// The features of graph `g`.
    pub(super) fn of(&self, g: usize) -> &[f64] {
        &self.terms[g * self.count..(g + 1) * self.count]
    }

    /// The last term of graph `g` relative to the first.
    fn last(&self, g: usize) -> f64 {
        let terms = self.of(g);
        if terms[0] > 0.0 { terms[self.count - 1] / terms[0] } else { 0.0 }
    }
}

fn walk_terms(graphs: &Graphs, factor: f64, series: WalkSeries, count: usize, compute: &Compute) -> Result<Walks> {
    let blocks = compute.try_map_tasks(graphs.len().div_ceil(BLOCK), |block| {
        let mut terms = Vec::new();
        for g in block * BLOCK..graphs.len().min((block + 1) * BLOCK) {
            append_terms(&graphs.graph(g), factor, series, count, &mut terms, compute)?;
        }
        Ok(terms)
    })?;
    Ok(Walks { count, terms: blocks.concat() })
}

/// Appends the terms of one graph. The factor is applied in every step, so that no intermediate
/// number exceeds the terms.
fn append_terms(
    graph: &GraphView,
    factor: f64,
    series: WalkSeries,
    count: usize,
    terms: &mut Vec<f64>,
    compute: &Compute,
) -> Result<()> {
    let mut vector = vec![1.0; graph.vertices()];
    let mut image = vector.clone();
    terms.push(graph.vertices() as f64);
    for k in 1..count {
        if k % 64 == 1 {
            compute.check_canceled()?;
        }
        let scale = match series {
            WalkSeries::Geometric => factor,
            WalkSeries::Exponential => factor / (k as f64).sqrt(),
        };
        multiply(graph, scale, &vector, &mut image);
        std::mem::swap(&mut vector, &mut image);
        terms.push(vector.iter().sum());
    }
    Ok(())
}

/// `out = scale · A · input`.
pub(super) fn multiply(graph: &GraphView, scale: f64, input: &[f64], out: &mut [f64]) {
    for (vertex, out) in out.iter_mut().enumerate() {
        let ends = graph.neighbors(vertex).iter().map(|&end| input[end as usize]);
        let sum: f64 = match graph.weights(vertex) {
            None => ends.sum(),
            Some(weights) => ends.zip(weights).map(|(end, weight)| end * weight).sum(),
        };
        *out = scale * sum;
    }
}
