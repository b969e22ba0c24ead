//! Random walk kernels on graphs.

mod components;
mod product;
mod radius;
mod shares;
mod spectral;
mod walks;

use std::ops::Range;

use super::features::pool;
use super::node_paths::dot;
use crate::Compute;
use crate::kernel::object::{ObjectKernel, ObjectPairs, ObjectTiles};
use crate::kernel::prelude::*;
use crate::points::Graphs;
use product::{LabeledArcs, Product};
use radius::spectral_radius;
use shares::WalkShares;
use spectral::Spectrum;
use walks::{Walks, needed_terms, too_slow, walks};

/// Above this many terms the eigenvalues of undirected graphs are quicker than walk counts.
const MANY_TERMS: usize = 512;
/// `exp` of more than this is beyond floating-point numbers, less a factor for the vertices.
const MAX_EXPONENT: f64 = 600.0;
/// Iterations with a product graph, about.
const PRODUCT_ITERATIONS: usize = 20;

/// How walks of length `k` are weighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkSeries {
    /// `λ^k`.
    Geometric,
    /// `λ^k / k!`.
    Exponential,
}

impl WalkSeries {
    /// The weight of length `k` over that of length `k − 1`, for `λ = decay`.
    fn ratio(self, decay: f64, k: usize) -> f64 {
        match self {
            Self::Geometric => decay,
            Self::Exponential => decay / k as f64,
        }
    }

    /// The name in the text.
    fn name(self) -> &'static str {
        match self {
            Self::Geometric => "geometric",
            Self::Exponential => "exponential",
        }
    }
}

/// Random walk kernel on graphs.
///
/// # Formula
/// `k(g, h) = 1ᵀ(I − λA×)⁻¹1` (geometric) or `1ᵀexp(λA×)1` (exponential), with the adjacency matrix
/// `A× = A ⊗ A′` of the direct product graph (Gärtner et al. 2003; Vishwanathan et al. 2010): the
/// weighted number of pairs of walks of equal length. Edge weights are factors. With edge labels
/// `A× = Σ_l A_l ⊗ A′_l`: walks must have equal edge labels. Vertex labels are ignored. Self-loops
/// count as edges.
///
/// # Theory
/// An inner product of counts of walks: positive semi-definite. The geometric series converges for
/// `λ < 1/ρ²` with the largest spectral radius `ρ` of the adjacency matrices; a larger decay is
/// refused with the largest that is allowed on the graphs at hand (for graphs with edge labels one
/// that is safe). A decay so small that walks of two steps hardly count is remarked on, as the
/// kernel then compares the numbers of vertices and edges.
///
/// # Cost
/// Without edge labels `O(K)` per pair for `K` terms of the series, 58 if `λρ² = 1/2`. Geometric
/// kernels of undirected graphs close to divergence (above 512 terms) take `O(n n′)` per pair after
/// an eigendecomposition per graph. With edge labels every pair takes conjugate gradients or the
/// series, with `O(n · edges′ + n′ · edges)` per iteration.
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, gram, points::{Graph, Graphs}};
/// let edge = Graph::new(2, vec![(0, 1)]);
/// let triangle = Graph::new(3, vec![(0, 1), (1, 2), (2, 0)]);
/// let graphs = Graphs::from_graphs(vec![edge, triangle], false)?;
/// let (k, compute): (Kernel, _) = ("random_walk(decay=0.125)".parse()?, Compute::new());
/// let gram = gram::dense(&k.bind(gram::Pairs::Within((&graphs).into()), &compute)?, &compute)?;
/// // 2 · 1 · 3 · 2^m pairs of walks of length m: 6 Σ (2/8)^m.
/// mercer::assert_close!(gram[[0, 1]], 8.0, abs = 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomWalk {
    decay: Positive,
    series: WalkSeries,
}

impl RandomWalk {
    /// # Errors
    /// [`Error::Parameter`] unless the decay is finite and positive.
    pub fn new(decay: f64, series: WalkSeries) -> Result<Self> {
        Ok(Self { decay: Positive::new("decay", decay)?, series })
    }
}

impl Leaf for RandomWalk {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        let series = (self.series != WalkSeries::Geometric).then(|| ("series", self.series.name().into()));
        std::iter::once(("decay", number_text(self.decay.get()))).chain(series).collect()
    }

    fn facts(&self) -> Facts {
        Facts::counts("an inner product of weighted counts of walks")
    }

    fn is_non_negative(&self) -> bool {
        true
    }
}

impl ObjectKernel for RandomWalk {
    fn bind(&self, pairs: ObjectPairs<'_>, compute: &Compute) -> Result<Box<dyn ObjectTiles>> {
        let (rows, cols) = pairs.graphs()?;
        Ok(Box::new(WalkTiles::new(rows, cols, self.decay.get(), self.series, compute)?))
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "random_walk",
    family: Family::Graphs,
    formula: "1ᵀ(I − λA×)⁻¹1, or 1ᵀexp(λA×)1",
    domain: Domain::Graphs,
    parameters: &[
        ParameterEntry {
            name: "decay",
            default: Some("0.1"),
            range: "> 0, and below 1/ρ² for the largest spectral radius ρ",
            meaning: "λ: the weight of every further step",
        },
        ParameterEntry {
            name: "series",
            default: Some("geometric"),
            range: "geometric or exponential",
            meaning: "whether walks of m steps have weight λ^m or λ^m/m!",
        },
    ],
    theory: "An inner product of counts of walks: positive semi-definite where the series converges.",
    cost: "the terms of the series; a linear system with edge labels",
    examples: &["random_walk(decay=0.05)", "random_walk(decay=0.1, series=exponential)"],
    build: |arguments| {
        let decay = arguments.number("decay", 0.1)?;
        let series = match arguments.choice("series", &["geometric", "exponential"], "geometric")? {
            "exponential" => WalkSeries::Exponential,
            _ => WalkSeries::Geometric,
        };
        Ok(RandomWalk::new(decay, series)?.into())
    },
};

/// The random walk kernel between two samples.
#[derive(Debug)]
struct WalkTiles {
    decay: f64,
    series: WalkSeries,
    /// `λρ²` with the largest spectral radius of both samples.
    radius: f64,
    /// The place of the first graph of the columns.
    first_column: usize,
    form: Form,
    diagonals: (Vec<f64>, Option<Vec<f64>>),
}

#[derive(Debug)]
enum Form {
    Walks(Walks),
    Spectra(Vec<Spectrum>),
    Labeled(Vec<LabeledArcs>),
}

impl WalkTiles {
    /// The kernel on the pairs of `rows` and `cols`, of `rows` twice without `cols`.
    fn new(rows: &Graphs, cols: Option<&Graphs>, decay: f64, series: WalkSeries, compute: &Compute) -> Result<Self> {
        let graphs = pool(rows, cols)?;
        let squared = spectral_radius(&graphs, compute)?.powi(2);
        check_decay(decay, series, squared)?;
        let radius = decay * squared;
        let form = Form::new(&graphs, decay, series, radius, compute)?;
        let first_column = cols.map_or(0, |_| rows.len());
        let mut tiles = Self { decay, series, radius, first_column, form, diagonals: (Vec::new(), None) };
        let mut diagonal = compute.try_map_tasks(graphs.len(), |g| {
            compute.check_canceled()?;
            let (value, converged) = tiles.value(g, g);
            if converged { Ok(value) } else { Err(too_slow(decay)) }
        })?;
        let columns = cols.map(|_| diagonal.split_off(rows.len()));
        tiles.diagonals = (diagonal, columns);
        Ok(tiles)
    }

    /// The value of two graphs, counted over both samples, and whether its series converged. It
    /// does not depend on their order.
    fn value(&self, i: usize, j: usize) -> (f64, bool) {
        let (i, j) = (i.min(j), i.max(j));
        match &self.form {
            Form::Walks(walks) => (pulp::Arch::new().dispatch(|| dot(walks.of(i), walks.of(j))), true),
            Form::Spectra(spectra) => {
                (pulp::Arch::new().dispatch(|| spectra[i].geometric(&spectra[j], self.decay)), true)
            }
            Form::Labeled(arcs) => Product::new(&arcs[i], &arcs[j]).value(self.series, self.decay, self.radius),
        }
    }
}

impl Form {
    fn new(graphs: &Graphs, decay: f64, series: WalkSeries, radius: f64, compute: &Compute) -> Result<Self> {
        let labeled = graphs.edge_labels().is_some();
        let spectral = series == WalkSeries::Geometric && !graphs.is_directed();
        if !labeled && spectral && needed_terms(series, radius) > MANY_TERMS {
            let spectrum = |g: usize| Spectrum::new(&graphs.graph(g), compute);
            return Ok(Self::Spectra(compute.try_map_tasks(graphs.len(), spectrum)?));
        }
        let walks = walks(graphs, decay, series, radius, compute);
        if let Some(warning) = walks.as_ref().ok().and_then(|walks| WalkShares::new(walks).warning()) {
            compute.remark(|| warning);
        }
        if labeled {
            return Ok(Self::Labeled(compute.map_tasks(graphs.len(), |g| LabeledArcs::new(&graphs.graph(g)))));
        }
        walks.map(Self::Walks)
    }
}

impl ObjectTiles for WalkTiles {
    fn fill(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        for (&i, line) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
            for (j, value) in cols.clone().zip(line) {
                *value = self.value(i, self.first_column + j).0;
            }
        }
    }

    fn diagonals(&self) -> (&[f64], Option<&[f64]>) {
        (&self.diagonals.0, self.diagonals.1.as_deref())
    }

    fn operations(&self) -> usize {
        let mean = |total: usize, count: usize| total / count.max(1) + 1;
        match &self.form {
            Form::Walks(walks) => walks.count,
            Form::Spectra(spectra) => 4 * mean(spectra.iter().map(Spectrum::len).sum(), spectra.len()).pow(2),
            Form::Labeled(arcs) => {
                PRODUCT_ITERATIONS * mean(arcs.iter().map(LabeledArcs::operations).sum(), arcs.len())
            }
        }
    }
}

/// Checks the decay against the squared spectral radius.
fn check_decay(decay: f64, series: WalkSeries, squared: f64) -> Result<()> {
    let (limit, reason) = match series {
        WalkSeries::Geometric => (1.0 / squared, "the geometric series converges"),
        WalkSeries::Exponential => (MAX_EXPONENT / squared, "values stay within the range of the numbers"),
    };
    if decay < limit {
        return Ok(());
    }
    let allowed = format!("at most {} on these graphs, so that {reason}", number_text(rounded_down(limit)));
    Err(Error::parameter("decay", decay, allowed.as_str()))
}

/// The number with six digits, not rounded up.
fn rounded_down(value: f64) -> f64 {
    let unit = 10f64.powf(value.log10().floor() - 5.0);
    let rounded = (value / unit).floor() * unit;
    format!("{:.5e}", if rounded < value { rounded } else { rounded - unit }).parse().unwrap_or(rounded)
}

#[cfg(test)]
mod tests;
