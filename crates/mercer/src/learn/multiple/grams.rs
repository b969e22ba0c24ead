//! The kernel matrices of several kernels, centered and scaled: stored where they fit, else
//! computed again.

use ndarray::ArrayView2;

use super::blocks::{BlockList, Shift};
use super::made::{Made, Products, Scratch, shifts};
use super::passes::by_columns;
use super::spec::Normalization;
use crate::error::{MemoryPurpose, PrecomputedNeed, Remedy};
use crate::gram::{KernelFamily, Pairs};
use crate::learn::observations::bind_fit;
use crate::{Compute, Error, Kernel, Points, Result};

/// Bytes of the values of all kernels that are made at a time. With 2 MiB alignment takes 6 % longer (100
/// kernels, 500 rows).
const BLOCK: u64 = 4 << 20;
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

    /// Bytes of the halves of all matrices.
    pub(super) fn bytes(self, kernels: usize, points: usize) -> u64 {
        let values = (points as u64).saturating_mul(points as u64).saturating_mul(kernels as u64);
        match self {
            Self::Double => values.saturating_mul(4),
            Self::Single => values.saturating_mul(2),
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
///
/// # Formula
/// Stored, or computed again, are the upper halves of `S = u(K − a1ᵀ − 1aᵀ)` with means `a` of a few
/// columns: `HSHᵀ = uHKHᵀ`, and nothing is lost when `S` is rounded. With the means `r` of the rows of
/// `S` and `g` of all of it, `HSHᵀ = S − r1ᵀ − 1rᵀ + g11ᵀ`.
pub(super) struct Grams<'a> {
    pub(super) x: Points<'a>,
    /// `v`.
    pub(super) rows: Vec<f64>,
    /// The kernels with medians resolved.
    pub(super) kernels: Vec<Kernel>,
    /// `c`; 0 for a kernel that is constant on the data.
    pub(super) scales: Vec<f64>,
    pub(super) shifts: Vec<Shift>,
    /// `r` and `g`; zeros without centering.
    pub(super) means: Vec<(Vec<f64>, f64)>,
    pub(super) blocks: BlockList,
    pub(super) store: Store,
    pub(super) products: Option<Products>,
}

/// Blocks with the values of all kernels.
pub(super) enum Store {
    Double(Vec<Vec<f64>>),
    Single(Vec<Vec<f32>>),
    Recomputed,
}

/// What [`Grams::new`] is to make of the kernels.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'t> {
    pub(super) centered: bool,
    pub(super) normalize: Normalization,
    pub(super) storage: GramStorage,
    /// Inner products of all pairs of kernels, and the forms with these columns of sum 0.
    pub(super) products: Option<ArrayView2<'t, f64>>,
}

impl<'a> Grams<'a> {
    /// The matrices of kernels on the points of a fit, stored if some storage is requested.
    pub(super) fn new(
        kernels: &[Kernel],
        x: Points<'a>,
        rows: Vec<f64>,
        wanted: Wanted<'_>,
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
        compute.reserve(
            MemoryPurpose::KernelMatrix,
            "some rows of every kernel matrix",
            row.saturating_mul(32),
            remedy,
        )?;
        let family = KernelFamily::new(kernels, Pairs::Within(x), compute)?;
        let mut grams = Self {
            x,
            rows,
            kernels: family.kernels().to_vec(),
            scales: vec![1.0; kernels.len()],
            shifts: shifts(&family, wanted.centered, compute)?,
            means: vec![(vec![0.0; n], 0.0); kernels.len()],
            blocks: BlockList::new(n, block_rows(kernels.len(), n, compute)),
            store: Store::Recomputed,
            products: None,
        };
        let mut made = grams.make(&family, wanted, compute)?;
        grams.set_scales(&made, wanted)?;
        grams.products = made.products.take();
        grams.store = match wanted.storage {
            GramStorage::Double => Store::Double(made.double),
            GramStorage::Single => Store::Single(made.single),
            GramStorage::Recomputed => Store::Recomputed,
        };
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

    /// The factor of what is stored of a kernel.
    pub(super) fn factor(&self, m: usize) -> f64 {
        self.scales[m] / self.shifts[m].unit
    }

    /// All values once: their sums, what is stored of them, and the products.
    fn make(&self, family: &KernelFamily<'_>, wanted: Wanted<'_>, compute: &Compute) -> Result<Made> {
        let (n, count) = (self.len(), self.kernels.len());
        let targets = wanted.products.map(by_columns);
        let roots = self.roots();
        let shifts: Vec<&Shift> = self.shifts.iter().collect();
        let tasks = self.blocks.tasks();
        let made = compute.try_map_tasks(tasks.len(), |task| {
            let mut made = Made::new(count, n, targets.is_some());
            let (mut values, mut scratch) = (Vec::new(), Scratch::default());
            for block in tasks[task].clone() {
                compute.check_canceled()?;
                self.blocks.fill(family, block, &mut values);
                self.blocks.shift(block, &mut values, &shifts);
                let (rows, parts) = (self.blocks.range(block), self.blocks.parts(block, &values));
                made.add_sums(&rows, &parts, &self.rows);
                if let (Some(products), Some(targets)) = (&mut made.products, &targets) {
                    products.add(&rows, &parts, roots.as_deref(), targets, &mut scratch);
                }
                match wanted.storage {
                    GramStorage::Double => made.double.push(std::mem::take(&mut values)),
                    GramStorage::Single => made.single.push(values.iter().map(|v| *v as f32).collect()),
                    GramStorage::Recomputed => {}
                }
            }
            Ok(made)
        })?;
        Ok(made.into_iter().reduce(Made::with).unwrap_or_default())
    }

    fn set_scales(&mut self, made: &Made, wanted: Wanted<'_>) -> Result<()> {
        let (n, total) = (self.len(), self.rows.iter().sum::<f64>());
        for m in 0..self.kernels.len() {
            let Shift { by, unit } = &self.shifts[m];
            let means: Vec<f64> = made.sums[m * n..(m + 1) * n].iter().map(|s| s / total).collect();
            let grand = means.iter().zip(&self.rows).map(|(mean, v)| v * mean).sum::<f64>() / total;
            let centered = if wanted.centered { made.diagonals[m] - total * grand } else { made.diagonals[m] };
            let shifted: f64 = by.iter().zip(&self.rows).map(|(by, v)| 2.0 * v * by).sum();
            let (trace, whole) = (centered / unit, made.diagonals[m] / unit + shifted);
            let varies = trace > CONSTANT * whole.abs() && trace > 0.0;
            let scale = match wanted.normalize {
                _ if !varies => 0.0,
                Normalization::Trace => total / trace,
                Normalization::None => 1.0,
            };
            if !trace.is_finite() || !(scale * trace).is_finite() {
                return Err(Error::overflow(format!("the trace of {}", self.kernels[m].short()), Remedy::Rescale));
            }
            self.scales[m] = scale;
            if wanted.centered {
                self.means[m] = (means, grand);
            }
        }
        Ok(())
    }

    /// `v`: the weights of the rows.
    pub(super) fn row_weights(&self) -> &[f64] {
        &self.rows
    }

    /// `√v`; `None` if all weights are 1.
    fn roots(&self) -> Option<Vec<f64>> {
        let weighted = self.rows.iter().any(|v| *v != 1.0);
        weighted.then(|| self.rows.iter().map(|v| v.sqrt()).collect())
    }
}

/// Rows of a block: a multiple of four where there is room.
pub(super) fn block_rows(kernels: usize, n: usize, compute: &Compute) -> usize {
    let row = 8 * (kernels as u64).saturating_mul(n as u64);
    let rows = (BLOCK.min(compute.memory() / 64) / row.max(1)).clamp(1, 64) as usize;
    if rows < 4 { rows } else { rows / 4 * 4 }
}
