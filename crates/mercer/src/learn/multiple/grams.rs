//! The kernel matrices of several kernels, centered and scaled: stored where they fit, else
//! computed again.

use std::ops::Range;

use ndarray::{Array2, ArrayView2};

use super::spec::Normalization;
use crate::error::{MemoryPurpose, PrecomputedNeed};
use crate::gram::simd::product;
use crate::gram::{KernelFamily, Pairs};
use crate::learn::ridge::bind_fit;
use crate::{Compute, Error, Kernel, Points, Result};

/// Bytes of the values of all kernels that are made at a time. 1 and 16 MiB differ by less than the
/// noise of 10 % (100 kernels, 500 rows).
const STRIP: u64 = 1 << 20;
/// A centered matrix with a trace of this part of the uncentered one is rounding: the kernel is
/// constant on the data.
const CONSTANT: f64 = 1e-12;

/// Where the kernel matrices are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GramStorage {
    /// In memory, in double precision.
    Double,
    /// In memory, in single precision: weights are then exact to about seven digits.
    Single,
    /// Nowhere: every pass computes them again.
    Recomputed,
}

impl GramStorage {
    /// What takes at most half of the memory limit, for so many kernels and points: double precision
    /// where the weights are to be `exact` and there is room, else single precision.
    pub(super) fn choose(kernels: usize, points: usize, exact: bool, compute: &Compute) -> Self {
        let fits = |storage: Self| storage.bytes(kernels, points) <= compute.memory() / 2;
        match () {
            () if exact && fits(Self::Double) => Self::Double,
            () if fits(Self::Single) => Self::Single,
            () => Self::Recomputed,
        }
    }

    /// Bytes of all matrices.
    pub(super) fn bytes(self, kernels: usize, points: usize) -> u64 {
        let values = (points as u64).saturating_mul(points as u64).saturating_mul(kernels as u64);
        match self {
            Self::Double => values.saturating_mul(8),
            Self::Single => values.saturating_mul(4),
            Self::Recomputed => 0,
        }
    }

    /// The word of reports and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::Single => "single",
            Self::Recomputed => "recomputed",
        }
    }
}

/// `c HKHᵀ` for several kernels, `c = V/Σ vᵢ(HKHᵀ)ᵢᵢ` (or 1) and `H = I − 1vᵀ/V` with the weights `v`
/// of the rows and their sum `V`; without centering `H = I`.
pub(super) struct Grams<'a> {
    x: Points<'a>,
    /// `v`.
    rows: Vec<f64>,
    /// The kernels with medians resolved.
    pub(super) kernels: Vec<Kernel>,
    /// `c`; 0 for a kernel that is constant on the data.
    pub(super) scales: Vec<f64>,
    /// The means of the rows of every kernel, and of all values.
    means: Vec<(Vec<f64>, f64)>,
    strip_rows: usize,
    store: Store,
}

/// Strips of rows, each with the tiles of all kernels one after the other.
enum Store {
    Double(Vec<Vec<f64>>),
    Single(Vec<Vec<f32>>),
    Recomputed,
}

/// The weighted sums of the rows and of the diagonal of a strip, kernel after kernel, and its values.
struct Made {
    sums: Vec<Vec<f64>>,
    diagonal: Vec<f64>,
    values: Vec<f64>,
}

/// Some rows of the matrix of a kernel.
#[derive(Clone, Copy)]
enum TileValues<'t> {
    Double(&'t [f64]),
    Single(&'t [f32]),
}

/// The rows of a strip, and its tiles of the kernels that were asked for.
struct Strip<'t> {
    rows: Range<usize>,
    tiles: Vec<TileValues<'t>>,
}

impl<'a> Grams<'a> {
    /// The matrices of kernels on the points of a fit, stored if some storage is requested.
    pub(super) fn new(
        kernels: &[Kernel],
        x: Points<'a>,
        rows: Vec<f64>,
        (centered, normalize): (bool, Normalization),
        storage: GramStorage,
        compute: &Compute,
    ) -> Result<Self> {
        if kernels.iter().any(Kernel::is_precomputed) {
            if let Some(other) = kernels.iter().find(|kernel| !kernel.is_precomputed()) {
                return Err(Error::precomputed(other, PrecomputedNeed::Points));
            }
            bind_fit(&kernels[0], x, compute)?;
        }
        let n = x.len();
        let row = 8 * (kernels.len() as u64).saturating_mul(n as u64);
        let remedy = "use fewer kernels or rows, or a higher memory limit";
        compute.reserve(MemoryPurpose::KernelMatrix, "a row of every kernel matrix", row.saturating_mul(4), remedy)?;
        let strip_rows = (STRIP.min(compute.memory() / 64) / row.max(1)).clamp(1, 64) as usize;
        let family = KernelFamily::new(kernels, Pairs::Within(x), compute)?;
        let mut grams = Self {
            x,
            rows,
            kernels: family.kernels().to_vec(),
            scales: vec![1.0; kernels.len()],
            means: vec![(vec![0.0; n], 0.0); kernels.len()],
            strip_rows,
            store: Store::Recomputed,
        };
        let keep = storage == GramStorage::Double;
        let made = grams.make(&family, keep, compute)?;
        grams.set_scales(&made, centered, normalize)?;
        grams.store = match storage {
            GramStorage::Double => Store::Double(made.into_iter().map(|strip| strip.values).collect()),
            GramStorage::Single => Store::Single(grams.narrow(&family, compute)?),
            GramStorage::Recomputed => Store::Recomputed,
        };
        grams.center_store(compute);
        Ok(grams)
    }

    pub(super) fn len(&self) -> usize {
        self.x.len()
    }

    pub(super) fn storage(&self) -> GramStorage {
        match self.store {
            Store::Double(_) => GramStorage::Double,
            Store::Single(_) => GramStorage::Single,
            Store::Recomputed => GramStorage::Recomputed,
        }
    }

    /// The kernels that are not constant on the data.
    pub(super) fn varying(&self) -> Vec<usize> {
        (0..self.scales.len()).filter(|&m| self.scales[m] > 0.0).collect()
    }

    fn strips(&self) -> usize {
        self.len().div_ceil(self.strip_rows)
    }

    fn range(&self, strip: usize) -> Range<usize> {
        strip * self.strip_rows..self.len().min((strip + 1) * self.strip_rows)
    }

    /// The sums of all kernels, strip by strip, with the values if they are kept.
    fn make(&self, family: &KernelFamily<'_>, keep: bool, compute: &Compute) -> Result<Vec<Made>> {
        let n = self.len();
        compute.try_map_tasks(self.strips(), |strip| {
            compute.check_canceled()?;
            let rows = self.range(strip);
            let mut values = vec![0.0; self.kernels.len() * rows.len() * n];
            family.fill(rows.clone(), 0..n, &mut values);
            let tiles = || values.chunks_exact(rows.len() * n);
            let sum = |tile: &[f64]| {
                let mut sums = vec![0.0; rows.len()];
                product::multiply(tile, &self.rows, &mut sums, 1);
                sums
            };
            let sums = tiles().map(sum).collect();
            let entries =
                |tile: &[f64]| rows.clone().zip(tile.chunks_exact(n)).map(|(i, row)| self.rows[i] * row[i]).sum();
            let diagonal = tiles().map(entries).collect();
            Ok(Made { sums, diagonal, values: if keep { values } else { Vec::new() } })
        })
    }

    fn set_scales(&mut self, made: &[Made], centered: bool, normalize: Normalization) -> Result<()> {
        let total: f64 = self.rows.iter().sum();
        for m in 0..self.kernels.len() {
            let means: Vec<f64> = made.iter().flat_map(|strip| strip.sums[m].iter().map(|s| s / total)).collect();
            let grand = means.iter().zip(&self.rows).map(|(mean, v)| v * mean).sum::<f64>() / total;
            let whole: f64 = made.iter().map(|strip| strip.diagonal[m]).sum();
            let trace = if centered { whole - total * grand } else { whole };
            if !trace.is_finite() {
                return Err(Error::overflow(format!("the trace of {}", self.kernels[m].short()), "rescale the data"));
            }
            let varies = trace > CONSTANT * whole.abs() && trace > 0.0;
            self.scales[m] = match normalize {
                _ if !varies => 0.0,
                Normalization::Trace => total / trace,
                Normalization::None => 1.0,
            };
            if centered {
                self.means[m] = (means, grand);
            }
        }
        Ok(())
    }

    /// Centers and scales what is stored.
    fn center_store(&mut self, compute: &Compute) {
        let (n, strip_rows) = (self.len(), self.strip_rows);
        let (means, scales) = (&self.means, &self.scales);
        let rows = |strip: usize| strip * strip_rows..n.min((strip + 1) * strip_rows);
        if let Store::Double(strips) = &mut self.store {
            compute.each_chunk(strips, 1, |at, strip| {
                for (m, tile) in strip[0].chunks_exact_mut(rows(at).len() * n).enumerate() {
                    center(tile, rows(at), &means[m], scales[m]);
                }
            });
        }
    }

    /// All values again, centered and scaled before they are rounded: wide kernels lose most of their
    /// digits by centering.
    fn narrow(&self, family: &KernelFamily<'_>, compute: &Compute) -> Result<Vec<Vec<f32>>> {
        let n = self.len();
        compute.try_map_tasks(self.strips(), |strip| {
            compute.check_canceled()?;
            let rows = self.range(strip);
            let mut values = vec![0.0; self.kernels.len() * rows.len() * n];
            family.fill(rows.clone(), 0..n, &mut values);
            for (m, tile) in values.chunks_exact_mut(rows.len() * n).enumerate() {
                center(tile, rows.clone(), &self.means[m], self.scales[m]);
            }
            Ok(values.iter().map(|v| *v as f32).collect())
        })
    }

    /// What `visit` makes of the strips of some kernels, in order.
    fn each_strip<R: Send>(
        &self,
        which: &[usize],
        compute: &Compute,
        visit: impl Fn(&Strip<'_>) -> R + Sync,
    ) -> Result<Vec<R>> {
        let n = self.len();
        let family = match self.store {
            Store::Recomputed => {
                let kernels: Vec<Kernel> = which.iter().map(|&m| self.kernels[m].clone()).collect();
                Some(KernelFamily::new(&kernels, Pairs::Within(self.x), compute)?)
            }
            _ => None,
        };
        compute.try_map_tasks(self.strips(), |at| {
            compute.check_canceled()?;
            let rows = self.range(at);
            let size = rows.len() * n;
            let part = |m: usize| m * size..(m + 1) * size;
            let mut values = Vec::new();
            let tiles = match (&self.store, &family) {
                (Store::Double(strips), _) => which.iter().map(|&m| TileValues::Double(&strips[at][part(m)])).collect(),
                (Store::Single(strips), _) => which.iter().map(|&m| TileValues::Single(&strips[at][part(m)])).collect(),
                (Store::Recomputed, Some(family)) => {
                    values = vec![0.0; which.len() * size];
                    family.fill(rows.clone(), 0..n, &mut values);
                    for (tile, &m) in values.chunks_exact_mut(size).zip(which) {
                        center(tile, rows.clone(), &self.means[m], self.scales[m]);
                    }
                    values.chunks_exact(size).map(TileValues::Double).collect()
                }
                (Store::Recomputed, None) => Vec::new(),
            };
            let result = visit(&Strip { rows, tiles });
            drop(values);
            Ok(result)
        })
    }

    /// `Σ βₘKₘ`.
    pub(super) fn combine(&self, which: &[usize], beta: &[f64], compute: &Compute) -> Result<Array2<f64>> {
        let n = self.len();
        let strips = self.each_strip(which, compute, |strip| {
            let mut sum = vec![0.0; strip.rows.len() * n];
            strip.tiles.iter().zip(beta).for_each(|(tile, &b)| tile.add_to(b, &mut sum));
            sum
        })?;
        Array2::from_shape_vec((n, n), strips.concat()).map_err(|e| Error::shape("kernel matrix", n, e))
    }

    /// `KₘV` for some kernels.
    pub(super) fn images(&self, which: &[usize], v: ArrayView2<f64>, compute: &Compute) -> Result<Vec<Array2<f64>>> {
        let (n, count) = v.dim();
        let x: Vec<f64> = v.iter().copied().collect();
        let strips = self.each_strip(which, compute, |strip| {
            let one = |tile: &TileValues<'_>| {
                let mut out = vec![0.0; strip.rows.len() * count];
                tile.multiply(&x, &mut out, count);
                out
            };
            strip.tiles.iter().map(one).collect::<Vec<_>>()
        })?;
        let joined = |at: usize| {
            let values: Vec<f64> = strips.iter().flat_map(|strip| strip[at].iter().copied()).collect();
            Array2::from_shape_vec((n, count), values).map_err(|e| Error::shape("products with kernels", n, e))
        };
        (0..which.len()).map(joined).collect()
    }

    /// `v`: the weights of the rows.
    pub(super) fn row_weights(&self) -> &[f64] {
        &self.rows
    }

    /// `Σᵢⱼ vᵢvⱼKₘ(i, j)Kₗ(i, j)` for all pairs of some kernels.
    pub(super) fn inner_products(&self, which: &[usize], compute: &Compute) -> Result<Array2<f64>> {
        let count = which.len();
        let roots: Vec<f64> = self.rows.iter().map(|v| v.sqrt()).collect();
        let strips = self.each_strip(which, compute, |strip| {
            let mut wide: Vec<f64> = strip.tiles.iter().flat_map(TileValues::widened).collect();
            let each = strip.rows.clone().cycle().zip(wide.chunks_exact_mut(self.len()));
            each.for_each(|(i, row)| row.iter_mut().zip(&roots).for_each(|(v, root)| *v *= roots[i] * root));
            let size = wide.len() / count.max(1);
            ArrayView2::from_shape((count, size), &wide).map(|rows| rows.dot(&rows.t())).unwrap_or_default()
        })?;
        Ok(strips.into_iter().fold(Array2::zeros((count, count)), |sum, strip| sum + strip))
    }
}

impl TileValues<'_> {
    fn add_to(&self, factor: f64, sum: &mut [f64]) {
        match self {
            Self::Double(tile) => sum.iter_mut().zip(*tile).for_each(|(s, v)| *s += factor * v),
            Self::Single(tile) => sum.iter_mut().zip(*tile).for_each(|(s, v)| *s += factor * f64::from(*v)),
        }
    }

    fn multiply(&self, x: &[f64], out: &mut [f64], count: usize) {
        match self {
            Self::Double(tile) => product::multiply(tile, x, out, count),
            Self::Single(tile) => product::multiply(tile, x, out, count),
        }
    }

    fn widened(&self) -> Vec<f64> {
        match self {
            Self::Double(tile) => tile.to_vec(),
            Self::Single(tile) => tile.iter().map(|v| f64::from(*v)).collect(),
        }
    }
}

/// `c(kᵢⱼ − rᵢ − rⱼ + g)` for some rows.
fn center(tile: &mut [f64], rows: Range<usize>, (means, grand): &(Vec<f64>, f64), scale: f64) {
    for (i, row) in rows.zip(tile.chunks_exact_mut(means.len().max(1))) {
        row.iter_mut().zip(means).for_each(|(v, mean)| *v = scale * (*v - (means[i] + mean) + grand));
    }
}
