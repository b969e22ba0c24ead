//! Grids drawn from the distribution of the pitch, and the cells of points on them.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, ShapeBuilder};
use rayon::prelude::*;

use super::pitch::Pitch;
use super::separate::{Separable, summands};
use super::sparse::CellMatrix;
use crate::error::MemoryPurpose;
use crate::features::fourier::{allocate_by_mass, check};
use crate::features::sampling::{Sampling, Source};
use crate::record::Record;
use crate::{Compute, Error, Kernel, Points, Result};

/// Points that one task works on. 256 to 4096 differ by less than the noise of 13 % (20 000 points,
/// 100 grids).
const ROWS: usize = 1024;
/// Approximate number of cells between two checks of the cancel flag.
const CELLS: usize = 1 << 16;

/// Random binning features (Rahimi and Recht 2007).
///
/// # Formula
/// `z(x)ᵀz(y) = (c/P) #{grids in which x and y share a cell}`. A grid has for each column a pitch
/// `t` of density `t κ″(t)` and a shift uniform on `[0, t)`, so that two points share a cell with
/// probability `Π κⱼ(|xⱼ − yⱼ|) = k(x, y)/c`.
///
/// # Theory
/// For products over the columns whose profiles are convex: `laplacian(norm=l1)` (its pitch is
/// Gamma(2, ℓ)), Matérn kernels with `ν ≤ ½` on a column, products and sums of them. The variance
/// is `k(c − k)/P`; [`binning_bound`](crate::features::binning_bound) is Hoeffding's. Cells are
/// numbered by a hash into `buckets` columns per grid, and two different cells meet with
/// probability `1/buckets`, which adds as much of `c − k` to the expectation.
///
/// # Cost
/// `O(dP)` per point; one entry per grid.
///
/// # Example
/// ```
/// use mercer::{Compute, features::RandomBinning};
/// use ndarray::array;
/// let compute = Compute::new();
/// let grids = RandomBinning::new("laplacian(norm=l1)".parse()?, 4000).draw(1, &compute)?;
/// let z = grids.transform(array![[0.0], [1.0]].view(), &compute)?;
/// // Within five standard deviations of e⁻¹.
/// mercer::assert_close!(z.inner(&z)?[[0, 1]], (-1.0_f64).exp(), abs = 0.04);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RandomBinning {
    /// The kernel: a product over the columns with convex profiles, or a sum of such products.
    pub kernel: Kernel,
    /// `P`: how many grids there are.
    pub grids: usize,
    /// Columns of the features for each grid.
    pub buckets: usize,
}

impl RandomBinning {
    /// This many grids with 4096 columns each.
    pub fn new(kernel: Kernel, grids: usize) -> Self {
        Self { kernel, grids, buckets: 4096 }
    }

    /// Draws the grids for points of this many columns, from the seed of the computation.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with the reason when the kernel has no such grids;
    /// [`Error::Parameter`] for fewer grids than terms, no bucket, or more than 2³² columns.
    pub fn draw(&self, columns: usize, compute: &Compute) -> Result<BinningFeatures> {
        let total = self.grids.checked_mul(self.buckets).filter(|c| *c > 0 && *c <= u32::MAX as usize);
        if total.is_none() {
            return Err(Error::parameter("buckets", self.buckets, "such that grids × buckets is from 1 to 2³² − 1"));
        }
        let all: Vec<usize> = (0..columns).collect();
        let terms = summands(&self.kernel, &all)?.iter().map(Term::new).collect::<Result<Vec<_>>>()?;
        self.kernel.check_vectors(Array2::zeros((1, columns)).view())?;
        let masses: Vec<(f64, bool)> = terms.iter().map(|t| (t.mass, t.pitches.is_empty())).collect();
        let shares = allocate_by_mass(&masses, self.grids)?;
        let mut features = BinningFeatures {
            kernel: self.kernel.clone(),
            buckets: self.buckets,
            pitches: Array2::from_elem((self.grids, columns), f64::INFINITY),
            shifts: Array2::zeros((self.grids, columns)),
            values: Array1::zeros(self.grids),
        };
        let mut grid = 0;
        for (index, (term, share)) in terms.iter().zip(shares).enumerate() {
            let mut source = Source::new(compute.seed().stream("random grids", index as u64), Sampling::Iid);
            for _ in 0..share {
                features.values[grid] = (term.mass / share as f64).sqrt();
                term.draw(&mut features, grid, &mut source);
                grid += 1;
            }
        }
        Ok(features)
    }

    /// Draws the grids for a sample, on which medians are resolved.
    ///
    /// # Errors
    /// As [`RandomBinning::draw`]; [`Error::Value`] for NaN and infinities.
    pub fn fit(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<BinningFeatures> {
        Points::Vectors(x).check_finite("sample")?;
        let kernel = self.kernel.resolve(x, compute)?;
        Self { kernel, ..self.clone() }.draw(x.ncols(), compute)
    }
}

/// A summand with the distributions of its pitches.
struct Term {
    mass: f64,
    pitches: Vec<(usize, Pitch)>,
}

impl Term {
    fn new(part: &Separable) -> Result<Self> {
        let pitch = |(column, kernel): &(usize, Kernel)| Ok((*column, Pitch::new(kernel.clone())?));
        let pitches = part.factors.iter().map(pitch).collect::<Result<Vec<_>>>()?;
        let mass = part.mass * pitches.iter().map(|(_, p)| p.diagonal()).product::<f64>();
        Ok(Self { mass, pitches })
    }

    fn draw(&self, features: &mut BinningFeatures, grid: usize, source: &mut Source) {
        for (column, pitch) in self.pitches.iter().filter(|_| self.mass > 0.0) {
            let (t, share) = (pitch.draw(source), source.uniform());
            features.pitches[[grid, *column]] = t;
            features.shifts[[grid, *column]] = if t.is_finite() { share * t } else { 0.0 };
        }
    }
}

/// Random binning features with their grids drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct BinningFeatures {
    kernel: Kernel,
    buckets: usize,
    /// One row per grid; infinite where a column does not enter.
    pitches: Array2<f64>,
    shifts: Array2<f64>,
    values: Array1<f64>,
}

impl BinningFeatures {
    /// The kernel that the features approximate, medians resolved.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The columns of the data.
    pub fn columns(&self) -> usize {
        self.pitches.ncols()
    }

    /// The columns of the features.
    pub fn components(&self) -> usize {
        self.pitches.nrows() * self.buckets
    }

    /// The pitch of every grid (rows) along every column; infinite where the column does not enter.
    pub fn pitches(&self) -> ArrayView2<'_, f64> {
        self.pitches.view()
    }

    /// The value of the entries of every grid.
    pub fn values(&self) -> ArrayView1<'_, f64> {
        self.values.view()
    }

    /// The features: one entry per point and grid.
    ///
    /// # Errors
    /// [`Error::Shape`] for a wrong number of columns, [`Error::Value`] for NaN and infinities,
    /// [`Error::Memory`], [`Error::Canceled`].
    pub fn transform(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<CellMatrix> {
        check(x, self.columns())?;
        let grids = self.pitches.nrows();
        let bytes = (x.nrows() as u64).saturating_mul(grids as u64).saturating_mul(4);
        compute.reserve(MemoryPurpose::Features, "the cells of the points", bytes, "transform fewer rows at a time")?;
        let mut cells = Array2::zeros((x.nrows(), grids).f());
        let every = self.rows_per_look();
        let block = |(mut cells, x): (ndarray::ArrayViewMut2<u32>, ArrayView2<f64>)| {
            for (i, (mut line, point)) in cells.rows_mut().into_iter().zip(x.rows()).enumerate() {
                if i % every == 0 {
                    compute.check_canceled()?;
                }
                line.iter_mut().enumerate().for_each(|(grid, cell)| *cell = self.cell(grid, point));
            }
            Ok(())
        };
        compute.install(|| {
            let blocks: Vec<_> =
                cells.axis_chunks_iter_mut(Axis(0), ROWS).zip(x.axis_chunks_iter(Axis(0), ROWS)).collect();
            blocks.into_par_iter().try_for_each(block)
        })?;
        Ok(CellMatrix { cells, values: self.values.clone(), buckets: self.buckets })
    }

    /// The column of every entry, point after point: what a sparse matrix by rows holds. `out` has
    /// a place for every point and grid; nothing else is allocated.
    ///
    /// # Errors
    /// As [`BinningFeatures::transform`]; [`Error::Shape`] unless `out` has that many places.
    pub fn fill_cells(&self, x: ArrayView2<f64>, out: &mut [u32], compute: &Compute) -> Result<()> {
        check(x, self.columns())?;
        let grids = self.pitches.nrows();
        if out.len() != x.nrows() * grids {
            return Err(Error::shape("places for the cells", x.nrows() * grids, out.len()));
        }
        let every = self.rows_per_look();
        let block = |(cells, x): (&mut [u32], ArrayView2<f64>)| {
            for (i, (line, point)) in cells.chunks_exact_mut(grids).zip(x.rows()).enumerate() {
                if i % every == 0 {
                    compute.check_canceled()?;
                }
                line.iter_mut().enumerate().for_each(|(grid, cell)| *cell = self.cell(grid, point));
            }
            Ok(())
        };
        compute.install(|| {
            let blocks: Vec<_> = out.chunks_mut(ROWS * grids).zip(x.axis_chunks_iter(Axis(0), ROWS)).collect();
            blocks.into_par_iter().try_for_each(block)
        })
    }

    pub(crate) fn put_into(&self, record: &mut Record) {
        record.put_text("kernel", &self.kernel);
        record.put_count("buckets", self.buckets);
        // A pitch is above 0: 0 stands for infinity, which files do not hold.
        record.put_matrix("pitches", self.pitches.mapv(|t| if t.is_finite() { t } else { 0.0 }).view());
        record.put_matrix("shifts", self.shifts.view());
        record.put_vector("grid_values", self.values.view());
    }

    pub(crate) fn take_from(record: &mut Record) -> Result<Self> {
        let (kernel, buckets) = (record.kernel()?, record.count("buckets")?);
        let pitches = record.take_leading_matrix("pitches")?;
        let (grids, columns) = pitches.dim();
        if let Some(bad) = pitches.iter().find(|t| **t < 0.0) {
            return Err(Error::parameter("pitches", bad, 0..));
        }
        if !grids.checked_mul(buckets).is_some_and(|c| c > 0 && c <= u32::MAX as usize) {
            return Err(Error::parameter("buckets", buckets, "such that grids × buckets is from 1 to 2³² − 1"));
        }
        Ok(Self {
            kernel,
            buckets,
            pitches: pitches.mapv_into(|t| if t > 0.0 { t } else { f64::INFINITY }),
            shifts: record.take_finite_matrix("shifts", (grids, columns))?,
            values: record.take_finite_vector("grid_values", grids)?,
        })
    }

    /// Columns of the features for each grid.
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// How many points are placed between two looks at the cancel flag.
    fn rows_per_look(&self) -> usize {
        (CELLS / self.pitches.len().max(1)).clamp(1, ROWS)
    }

    /// The column of the features for the cell of a point.
    fn cell(&self, grid: usize, point: ArrayView1<f64>) -> u32 {
        let sides = self.pitches.row(grid).into_iter().zip(self.shifts.row(grid)).zip(point);
        let hash = sides.fold(0x9e37_79b9_7f4a_7c15, |hash, ((pitch, shift), x)| {
            // A quotient by infinity is 0: one cell.
            let position = ((x - shift) / pitch).floor() + 0.0;
            mix(hash ^ position.to_bits())
        });
        // The high half of a product spreads 64 bits over the buckets without a division.
        let bucket = ((u128::from(hash) * self.buckets as u128) >> 64) as usize;
        (grid * self.buckets + bucket) as u32
    }
}

/// The finalizer of SplitMix64: every bit of the input moves half of the output.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
