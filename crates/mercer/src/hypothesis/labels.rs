//! Statistics of labels and signs: quadratic forms of tiles, all relabelings at once.

use std::ops::Range;

use ndarray::Array2;

use super::engine::{Group, Relabeled, Relabeling};
use super::groups::{Signs, Splits};
use crate::gram::simd::Element;
use crate::gram::{FORMS_HELD, Forms, KernelFamily, LabelValues, Tiles, quadratic_forms};
use crate::measure::PairTiles;
use crate::{Compute, Precision, Result};

/// Kernel values from which tiles are taken in single precision: the observed value and the
/// relabeled ones share the rounding, and differences below it count as ties. Never a function of
/// how many relabelings are evaluated at once, which depends on the memory.
/// Double precision takes 14 % more time for 500 + 500 points and 500 permutations.
const SINGLE_FROM: f64 = 3e5;

/// The matrices whose forms a statistic is made of.
pub(super) enum Matrices<'f, 'd, 'e> {
    /// Kernels on a pooled sample.
    Pooled(&'f KernelFamily<'d>),
    /// The paired cores `h` of kernels on a pooled sample of this many pairs.
    Pairs(&'f KernelFamily<'d>, usize),
    /// The products of the paired cores of kernels on the first variable and on the second one,
    /// whose first points are paired with as many after them.
    PairProducts(&'f KernelFamily<'d>, &'f KernelFamily<'e>, usize),
    /// One matrix.
    One(&'f dyn Tiles),
}

impl Matrices<'_, '_, '_> {
    /// Rows of a matrix, and how many matrices there are.
    fn size(&self) -> (usize, usize) {
        match self {
            Self::Pooled(family) => (family.size(), family.kernels().len()),
            Self::Pairs(family, pairs) => (*pairs, family.kernels().len()),
            Self::PairProducts(x, y, pairs) => (*pairs, x.kernels().len() * y.kernels().len()),
            Self::One(tiles) => (tiles.shape().0, 1),
        }
    }

    /// Whether values and distances fit into single precision.
    fn fits_single(&self) -> bool {
        match self {
            Self::Pooled(family) | Self::Pairs(family, _) => family.fits_single(),
            Self::PairProducts(x, y, _) => x.fits_single() && y.fits_single(),
            Self::One(_) => true,
        }
    }

    /// The bytes of one relabeling: its label, its bits, its sums.
    fn bytes_each(&self) -> usize {
        let (n, count) = self.size();
        n + n / 8 + 8 * count * (FORMS_HELD + 8)
    }

    fn fill_double(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        match self {
            Self::Pooled(family) => family.fill(rows, cols, out),
            Self::Pairs(family, pairs) => {
                PairTiles::combine(*pairs, &rows, &cols, out, |r, c, o| family.fill(r, c, o));
            }
            Self::PairProducts(x, y, pairs) => fill_products(x, y, *pairs, &rows, &cols, out),
            Self::One(tiles) => tiles.fill(rows, cols, out),
        }
    }

    fn fill_single(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f32]) {
        match self {
            Self::Pooled(family) => family.fill(rows, cols, out),
            Self::Pairs(family, pairs) => {
                PairTiles::combine(*pairs, &rows, &cols, out, |r, c, o| family.fill(r, c, o));
            }
            Self::PairProducts(x, y, pairs) => fill_products(x, y, *pairs, &rows, &cols, out),
            Self::One(tiles) => tiles.fill_single(rows, cols, out),
        }
    }

    /// The forms of some labels, and the relative size of rounding in them.
    fn forms(&self, labels: &[Vec<i8>], values: LabelValues, compute: &Compute) -> Result<(Forms, f64)> {
        let (n, count) = self.size();
        let work = n as f64 * n as f64 * count as f64;
        if self.fits_single() && (compute.precision() == Precision::SingleTiles || work > SINGLE_FROM) {
            let fill = |rows, cols, out: &mut [f32]| self.fill_single(rows, cols, out);
            return Ok((quadratic_forms(fill, (n, count), labels, values, compute)?, 2e-7));
        }
        let fill = |rows, cols, out: &mut [f64]| self.fill_double(rows, cols, out);
        Ok((quadratic_forms(fill, (n, count), labels, values, compute)?, 1e-13))
    }
}

/// A tile of the product of every core of `x` with every core of `y`, those of the first core of
/// `x` first.
fn fill_products<T: Element>(
    x: &KernelFamily<'_>,
    y: &KernelFamily<'_>,
    pairs: usize,
    rows: &Range<usize>,
    cols: &Range<usize>,
    out: &mut [T],
) {
    let size = rows.len() * cols.len();
    let cores = |family: &KernelFamily<'_>| {
        let mut cores = vec![T::default(); size * family.kernels().len()];
        PairTiles::combine(pairs, rows, cols, &mut cores, |r, c, o| family.fill(r, c, o));
        cores
    };
    let (of_x, of_y) = (cores(x), cores(y));
    let couples = of_x.chunks_exact(size).flat_map(|one| of_y.chunks_exact(size).map(move |other| (one, other)));
    for ((one, other), out) in couples.zip(out.chunks_exact_mut(size)) {
        out.iter_mut().zip(one.iter().zip(other)).for_each(|(o, (a, b))| *o = *a * *b);
    }
}

/// Which squared MMD is relabeled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SplitStatistic {
    /// The V-statistic.
    Biased,
    /// The U-statistic.
    Unbiased,
    /// The U-statistic over the root mean square of the kernel values.
    Normalized,
}

/// The squared MMDs of a pooled sample, one per kernel, as functions of the labels.
pub(super) struct SplitMmd<'f, 'd> {
    pub(super) matrices: Matrices<'f, 'd, 'd>,
    pub(super) splits: Splits,
    pub(super) statistic: SplitStatistic,
}

impl Relabeled for SplitMmd<'_, '_> {
    type Group = Splits;

    fn group(&self) -> &Splits {
        &self.splits
    }

    fn bytes_each(&self) -> usize {
        self.matrices.bytes_each()
    }

    fn evaluate(&self, labels: &[Vec<i8>], compute: &Compute) -> Result<Relabeling> {
        let (forms, relative) = self.matrices.forms(labels, LabelValues::Membership, compute)?;
        let total = self.matrices.size().0 as f64;
        let ones = self.splits.identity().iter().filter(|l| **l == 1).count() as f64;
        let sizes = (ones, total - ones);
        let scale = |k: usize| match self.statistic {
            SplitStatistic::Normalized => root_mean_square(&forms, k, total),
            _ => 1.0,
        };
        let scales: Vec<f64> = (0..forms.totals.len()).map(scale).collect();
        let value = |(b, k): (usize, usize)| self.value(&forms, b, k, sizes) / scales[k];
        let spread = (total / sizes.0.min(sizes.1)).powi(2);
        let rounding = |k: usize| relative * spread * forms.absolute[k] / (total * total * scales[k]);
        Ok(Relabeling {
            values: Array2::from_shape_fn(forms.squares.dim(), value),
            rounding: (0..scales.len()).map(rounding).collect(),
        })
    }
}

impl SplitMmd<'_, '_> {
    /// The squared MMD from `aᵀKa`, `aᵀK1`, `1ᵀK1` and the diagonal.
    fn value(&self, forms: &Forms, b: usize, k: usize, (m, n): (f64, f64)) -> f64 {
        let (square, line) = (forms.squares[[b, k]], forms.lines[[b, k]]);
        let (mut within_x, mut within_y) = (square, forms.totals[k] - 2.0 * line + square);
        let between = line - square;
        if self.statistic == SplitStatistic::Biased {
            return within_x / (m * m) + within_y / (n * n) - 2.0 * between / (m * n);
        }
        within_x -= forms.diagonals[[b, k]];
        within_y -= forms.traces[k] - forms.diagonals[[b, k]];
        within_x / (m * (m - 1.0)) + within_y / (n * (n - 1.0)) - 2.0 * between / (m * n)
    }
}

/// `√(Σ_{i≠j} K²ᵢⱼ/(N(N−1)))`, or 1 for a matrix of zeros.
fn root_mean_square(forms: &Forms, k: usize, total: f64) -> f64 {
    let square = forms.off_diagonal_squares[k] / (total * (total - 1.0));
    if square > 0.0 { square.sqrt() } else { 1.0 }
}

/// Quadratic forms of signs, `Σ εᵢεⱼAᵢⱼ`, one per matrix: exchanges within pairs and the wild
/// bootstrap.
pub(super) struct SignForms<'f, 'd, 'e> {
    matrices: Matrices<'f, 'd, 'e>,
    signs: Signs,
    hollow: bool,
    divisor: f64,
}

impl<'f, 'd, 'e> SignForms<'f, 'd, 'e> {
    /// The sums over `divisor`; `hollow` leaves out the terms `i = j`, which no sign changes.
    pub(super) fn new(matrices: Matrices<'f, 'd, 'e>, hollow: bool, divisor: f64) -> Self {
        let signs = Signs(matrices.size().0);
        Self { matrices, signs, hollow, divisor }
    }
}

impl Relabeled for SignForms<'_, '_, '_> {
    type Group = Signs;

    fn group(&self) -> &Signs {
        &self.signs
    }

    fn bytes_each(&self) -> usize {
        self.matrices.bytes_each()
    }

    fn evaluate(&self, labels: &[Vec<i8>], compute: &Compute) -> Result<Relabeling> {
        let (forms, relative) = self.matrices.forms(labels, LabelValues::Signs, compute)?;
        let own = |k: usize| if self.hollow { forms.traces[k] } else { 0.0 };
        let value = |(b, k): (usize, usize)| (forms.squares[[b, k]] - own(k)) / self.divisor;
        let rounding = |k: usize| relative * forms.absolute[k] / self.divisor;
        Ok(Relabeling {
            values: Array2::from_shape_fn(forms.squares.dim(), value),
            rounding: (0..forms.totals.len()).map(rounding).collect(),
        })
    }
}
