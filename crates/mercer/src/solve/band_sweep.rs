//! `diag Q(B + λI)⁻¹Qᵀ` for a band matrix: forward substitution for all rows of `Q` at once.

use ndarray::{ArrayView2, s};
use pulp::{Arch, Simd, WithSimd};

use super::band_reduction::WIDTH;

/// Rows of `Q` that are in work together: their last columns stay in the first-level cache.
pub(super) const ROWS: usize = 32;
/// Rows in registers.
const LANES: usize = 8;
/// Columns that are found together.
const GROUP: usize = 4;
/// Groups that the band reaches back.
const BACK: usize = WIDTH / GROUP;

type Columns = [[f64; ROWS]; GROUP];

/// Some rows of `Q`, four columns at a time, the last group filled with zeros.
pub(super) fn pack(basis: ArrayView2<f64>, first: usize) -> Vec<Columns> {
    let rows = ROWS.min(basis.nrows() - first);
    let mut packed = vec![[[0.0; ROWS]; GROUP]; basis.ncols().div_ceil(GROUP)];
    for j in 0..basis.ncols() {
        let column = basis.slice(s![first..first + rows, j]);
        packed[j / GROUP][j % GROUP].iter_mut().zip(column).for_each(|(p, v)| *p = *v);
    }
    packed
}

/// A factor `B + λI = LDLᵀ`, cut into groups of four columns.
pub(super) struct Groups(Vec<Group>);

struct Group {
    /// `−L` of the four rows in the columns of the groups before.
    before: [[f64; GROUP]; WIDTH],
    /// `−L` of the four rows in their own columns.
    inside: [[f64; GROUP]; GROUP],
    /// `1/D`.
    weights: [f64; GROUP],
}

impl Groups {
    /// From the columns of a factor: `D` first, then `L`.
    pub(super) fn new(factor: &[f64]) -> Self {
        let size = factor.len() / (WIDTH + 1);
        let entry = |i: usize, j: usize| {
            if i < size && i > j && i - j <= WIDTH { -factor[j * (WIDTH + 1) + i - j] } else { 0.0 }
        };
        let rows = |first: usize, j: usize| std::array::from_fn(|t| entry(first + t, j));
        let group = |g: usize| {
            let first = g * GROUP;
            let before = |back: usize| (first + back).checked_sub(WIDTH).map_or([0.0; GROUP], |j| rows(first, j));
            let inside = std::array::from_fn(|c| rows(first, first + c));
            let weight = |t: usize| if first + t < size { 1.0 / factor[(first + t) * (WIDTH + 1)] } else { 0.0 };
            Group { before: std::array::from_fn(before), inside, weights: std::array::from_fn(weight) }
        };
        Self((0..size.div_ceil(GROUP)).map(group).collect())
    }

    /// `‖D^{−½}L⁻¹q‖²` for every packed row `q`.
    pub(super) fn squares(&self, packed: &[Columns]) -> [f64; ROWS] {
        let mut sums = [0.0; ROWS];
        Arch::new().dispatch(Sweep { packed, groups: &self.0, sums: &mut sums });
        sums
    }
}

struct Sweep<'a> {
    packed: &'a [Columns],
    groups: &'a [Group],
    sums: &'a mut [f64; ROWS],
}

impl WithSimd for Sweep<'_> {
    type Output = ();

    /// `yⱼ = qⱼ − Σ Lⱼₖyₖ` and `Σ yⱼ²/Dⱼ`; of `y` only the last columns are kept, in a ring.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let mut ring = [[[0.0; ROWS]; GROUP]; BACK + 1];
        for (g, (columns, group)) in self.packed.iter().zip(self.groups).enumerate() {
            let own = g % (BACK + 1);
            for first in (0..ROWS).step_by(LANES) {
                let mut y: [[f64; LANES]; GROUP] = std::array::from_fn(|t| lanes(&columns[t], first));
                for back in 0..BACK {
                    let known = &ring[(own + 1 + back) % (BACK + 1)];
                    for (c, column) in known.iter().enumerate() {
                        subtract(&mut y, &lanes(column, first), &group.before[back * GROUP + c]);
                    }
                }
                for c in 0..GROUP {
                    let known = y[c];
                    subtract(&mut y, &known, &group.inside[c]);
                }
                let sums = &mut self.sums[first..first + LANES];
                for t in 0..GROUP {
                    sums.iter_mut().zip(y[t]).for_each(|(sum, v)| *sum = (v * v).mul_add(group.weights[t], *sum));
                    ring[own][t][first..first + LANES].copy_from_slice(&y[t]);
                }
            }
        }
    }
}

#[inline(always)]
fn lanes(column: &[f64; ROWS], first: usize) -> [f64; LANES] {
    std::array::from_fn(|lane| column[first + lane])
}

/// `yₜ ← yₜ + wₜ·known`.
#[inline(always)]
fn subtract(y: &mut [[f64; LANES]; GROUP], known: &[f64; LANES], weights: &[f64; GROUP]) {
    for t in 0..GROUP {
        for lane in 0..LANES {
            y[t][lane] = known[lane].mul_add(weights[t], y[t][lane]);
        }
    }
}
