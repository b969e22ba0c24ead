//! Rows of a symmetric kernel matrix, kept as far as memory allows.

use std::borrow::Cow;
use std::ops::Range;

use ndarray::Array2;

use super::cache::{Cache, distinct};
use super::features::FeatureRows;
use super::finite_rank::FiniteRank;
use super::lines::{Lines, runs};
use crate::gram::simd::{Element, add_rows};
use crate::gram::{self, SparseRows, Tiles};
use crate::{Compute, Result};

/// Points up to which the whole matrix is stored: 64 MiB in single precision.
/// Rows on demand take 68 % more time at 3500 points.
const WHOLE: usize = 4096;
/// Active points up to which their matrix is stored after shrinking, and all points if their values are
/// quick to compute: 144 MiB in single precision.
const ACTIVE: usize = 6144;
/// Operations per value up to which they are.
const QUICK: usize = 256;
/// Points up to which it is stored in double precision: 32 MiB.
const SMALL: usize = 2048;
/// Points that one task updates. Fixed, so that the bytes do not depend on the number of threads.
/// 512 to 8192 differ by less than 3 % (6000 rows).
const CHUNK: usize = 2048;
/// Contiguous runs up to which a submatrix is read in place instead of being gathered. 1 is 16 %
/// slower, 3 and 12 differ by less than 2 % (1800 rows, 10 classes).
const RUNS: usize = 6;

/// The rows of a symmetric kernel matrix, on demand.
#[derive(Debug)]
pub struct KernelRows<'a> {
    diagonal: Vec<f64>,
    store: Store<'a>,
    /// The points that these are among those of a larger matrix; `None` for all of its points.
    subset: Option<Vec<Range<usize>>>,
    /// From one row of a whole matrix to the next.
    stride: usize,
}

/// The kernel submatrix of a working set, in the precision of the rows.
pub(super) enum Submatrix<'b> {
    Double(Lines<'b, f64>),
    Single(Lines<'b, f32>),
}

/// Room for the kernel among a working set.
#[derive(Debug, Default)]
pub(super) struct Room {
    double: Vec<f64>,
    single: Vec<f32>,
}

enum Store<'a> {
    /// Every row, in double precision.
    Double(Cow<'a, [f64]>),
    /// Every row, in single precision.
    Single(Cow<'a, [f32]>),
    /// Some rows, in single precision; the least recently used gives way.
    Cache(Cache<'a>),
    /// The explicit features of the points, and no row.
    Features(FeatureRows<'a>),
    /// A few features of every point, and no row.
    FiniteRank(FiniteRank),
}

impl std::fmt::Debug for Store<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Double(_) => "whole matrix",
            Self::Single(_) => "whole matrix in single precision",
            Self::Cache(_) => "cached rows",
            Self::Features(_) => "features",
            Self::FiniteRank(_) => "few features",
        })
    }
}

impl<'a> KernelRows<'a> {
    /// Rows of a symmetric matrix given by its tiles; `least` rows have to be in memory together. A
    /// small matrix is made as a whole.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when they do not fit,
    /// [`Error::Canceled`](crate::Error::Canceled).
    pub fn new(tiles: &'a dyn Tiles, least: usize, compute: &Compute) -> Result<Self> {
        let n = tiles.shape().0;
        let quick = n <= ACTIVE && tiles.operations() <= QUICK && tiles.features().is_none();
        if Self::is_made_whole(n, compute) || quick && Self::whole_bytes(n) <= compute.memory() / 2 {
            return Self::whole(tiles, compute);
        }
        if let Some((features, _)) = tiles.features() {
            return Self::of_features(tiles.diagonal()?, features, compute);
        }
        let diagonal = tiles.diagonal()?;
        gram::check_single(diagonal.iter().copied())?;
        let store = Store::Cache(Cache::new(tiles, least, compute)?);
        Ok(Self { diagonal, store, subset: None, stride: n })
    }

    /// The whole matrix, in double precision when it is small, else in single precision.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when it does not fit,
    /// [`Error::Canceled`](crate::Error::Canceled).
    pub fn whole(tiles: &dyn Tiles, compute: &Compute) -> Result<Self> {
        let diagonal = tiles.diagonal()?;
        let store = if Self::are_few(diagonal.len()) {
            Store::Double(gram::dense(tiles, compute)?.into_raw_vec_and_offset().0.into())
        } else {
            Store::Single(gram::dense_single(tiles, compute)?.into_raw_vec_and_offset().0.into())
        };
        let stride = diagonal.len();
        Ok(Self { diagonal, store, subset: None, stride })
    }

    /// The rows of all points for several problems on parts of them: the whole matrix, or explicit
    /// features where there are such and the matrix is large or does not fit.
    ///
    /// # Errors
    /// As [`KernelRows::whole`].
    pub(crate) fn shared(tiles: &'a dyn Tiles, compute: &Compute) -> Result<Self> {
        match tiles.features() {
            Some((features, _)) if !Self::is_made_whole(features.len(), compute) => {
                Self::of_features(tiles.diagonal()?, features, compute)
            }
            _ => Self::whole(tiles, compute),
        }
    }

    /// Whether the whole matrix of this many points is made even if there are explicit features.
    pub(crate) fn is_made_whole(n: usize, compute: &Compute) -> bool {
        n <= WHOLE && Self::whole_bytes(n) <= compute.memory() / 2
    }

    /// Inner products of sparse features, none of them stored beyond a working set.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when no working set fits.
    pub(crate) fn of_features(diagonal: Vec<f64>, features: &'a SparseRows, compute: &Compute) -> Result<Self> {
        let (store, stride) = (Store::Features(FeatureRows::new(features, compute)?), diagonal.len());
        Ok(Self { diagonal, store, subset: None, stride })
    }

    /// The rows of `ZZᵀ` for a few features `Z` of every point (one row each). Problems on them are
    /// solved by an interior-point method first.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when the features do not fit.
    pub fn of_finite_rank(features: Array2<f64>, compute: &Compute) -> Result<Self> {
        let store = FiniteRank::new(features, compute)?;
        let diagonal = store.diagonal();
        let stride = diagonal.len();
        Ok(Self { diagonal, store: Store::FiniteRank(store), subset: None, stride })
    }

    /// The bytes that a few features of the points take.
    pub(crate) fn finite_rank_bytes(points: usize, rank: usize) -> u64 {
        FiniteRank::bytes(points, rank)
    }

    /// The few features of the points, if the rows are made of such.
    pub(super) fn finite_rank(&self) -> Option<&FiniteRank> {
        match &self.store {
            Store::FiniteRank(features) => Some(features),
            _ => None,
        }
    }

    /// The bytes that a working set of points with explicit features takes beside these.
    pub(crate) fn feature_bytes(set: usize, points: usize, width: usize) -> u64 {
        FeatureRows::bytes(set.min(points), points, width)
    }

    /// Whether this many points are few: their matrix is in double precision.
    pub(crate) fn are_few(n: usize) -> bool {
        n <= SMALL
    }

    /// The bytes of a whole matrix of `n` points.
    pub(crate) fn whole_bytes(n: usize) -> u64 {
        if Self::are_few(n) { 8 * (n as u64).pow(2) } else { 4 * (n as u64).pow(2) }
    }

    /// A matrix in double precision, row after row.
    ///
    /// # Panics
    /// Unless it is square.
    pub fn of(matrix: &'a [f64], n: usize) -> Self {
        assert_eq!(matrix.len(), n * n, "a square matrix");
        let diagonal = (0..n).map(|i| matrix[i * n + i]).collect();
        Self { diagonal, store: Store::Double(matrix.into()), subset: None, stride: n }
    }

    /// A matrix with this diagonal in single precision, row after row.
    pub(super) fn of_single(diagonal: Vec<f64>, matrix: &'a [f32]) -> Self {
        let stride = diagonal.len();
        Self { diagonal, store: Store::Single(matrix.into()), subset: None, stride }
    }

    /// The rows and columns of some points of a whole matrix: where they are if they lie in few
    /// runs, else copied. Of explicit features those of the points.
    pub(crate) fn subset(&self, points: &[usize]) -> KernelRows<'_> {
        let (n, runs) = (self.stride, runs(points));
        let few = runs.len() <= RUNS;
        let store = match &self.store {
            Store::Double(matrix) if few => Store::Double(Cow::Borrowed(matrix.as_ref())),
            Store::Single(matrix) if few => Store::Single(Cow::Borrowed(matrix.as_ref())),
            Store::Double(matrix) => Store::Double(subset(matrix, n, points).into()),
            Store::Single(matrix) => Store::Single(subset(matrix, n, points).into()),
            Store::Features(features) => Store::Features(features.subset(points)),
            Store::FiniteRank(features) => Store::FiniteRank(features.subset(points)),
            Store::Cache(_) => unreachable!("parts are taken only of matrices that were made whole"),
        };
        let diagonal = points.iter().map(|&p| self.diagonal[p]).collect();
        if few && !matches!(store, Store::Features(_) | Store::FiniteRank(_)) {
            KernelRows { diagonal, store, subset: Some(runs), stride: n }
        } else {
            KernelRows { diagonal, store, subset: None, stride: points.len() }
        }
    }

    /// `Σ factor · K[point, column]` for some columns of shared rows that are no part of others.
    pub(crate) fn combine(&self, terms: &[(usize, f64)], columns: &[usize]) -> Vec<f64> {
        match &self.store {
            Store::Double(matrix) => combine(matrix, self.stride, terms, columns),
            Store::Single(matrix) => combine(matrix, self.stride, terms, columns),
            Store::Features(features) => features.combine(terms, columns),
            Store::FiniteRank(features) => features.combine(terms, columns),
            Store::Cache(_) => unreachable!("only matrices that were made whole are combined"),
        }
    }

    /// The number of points.
    pub fn points(&self) -> usize {
        self.diagonal.len()
    }

    /// The rows and columns of some points alone, and these rows left empty until they are
    /// requested again; `None` where nothing is gained.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled) when the work is dropped.
    pub(super) fn restricted(&mut self, points: &[usize], compute: &Compute) -> Result<Option<KernelRows<'a>>> {
        let (stride, runs) = (self.stride, self.runs());
        let affordable = |size: usize| (size * points.len().pow(2)) as u64 <= compute.memory() / 8;
        let (mut single, mut double) = (Vec::new(), Vec::new());
        let (store, stride) = match &mut self.store {
            // Few enough that their matrix is made once instead of a part of it for every working set.
            Store::Cache(cache) if points.len() <= ACTIVE && affordable(4) => {
                let stride = cache.block(points, &mut single, compute)?.stride;
                (Store::Single(single.into()), stride)
            }
            Store::Cache(cache) => match cache.restricted(points) {
                Some(cache) => (Store::Cache(cache), points.len()),
                None => return Ok(None),
            },
            Store::Features(features) if points.len() <= WHOLE && affordable(8) => {
                let stride = features.submatrix(points, &mut double, compute).stride;
                (Store::Double(double.into()), stride)
            }
            Store::Features(features) => (Store::Features(features.subset(points)), points.len()),
            Store::FiniteRank(features) if points.len() <= WHOLE && affordable(8) => {
                let stride = features.submatrix(points, &mut double, compute).stride;
                (Store::Double(double.into()), stride)
            }
            Store::FiniteRank(features) => (Store::FiniteRank(features.subset(points)), points.len()),
            Store::Double(matrix) if affordable(8) => {
                let stride = Lines { matrix: &matrix[..], stride, runs }.gather(points, &mut double, compute).stride;
                (Store::Double(double.into()), stride)
            }
            Store::Single(matrix) if affordable(4) => {
                let stride = Lines { matrix: &matrix[..], stride, runs }.gather(points, &mut single, compute).stride;
                (Store::Single(single.into()), stride)
            }
            _ => return Ok(None),
        };
        let diagonal = points.iter().map(|&p| self.diagonal[p]).collect();
        Ok(Some(KernelRows { diagonal, store, subset: None, stride }))
    }

    /// Rows that can be at hand together.
    pub(super) fn capacity(&self) -> usize {
        match &self.store {
            Store::Cache(cache) => cache.capacity,
            Store::Features(features) => features.capacity.min(self.points()),
            Store::FiniteRank(features) => features.capacity.min(self.points()),
            _ => self.points(),
        }
    }

    /// The kernel among some points: where it is, or gathered, or computed.
    pub(super) fn submatrix<'b>(
        &'b mut self,
        points: &[usize],
        room: &'b mut Room,
        compute: &Compute,
    ) -> Result<Submatrix<'b>> {
        let all = points.iter().copied().eq(0..self.points());
        let (stride, runs) = (self.stride, self.runs());
        Ok(match &mut self.store {
            Store::Double(matrix) => {
                let lines = Lines { matrix: &matrix[..], stride, runs };
                Submatrix::Double(if all { lines } else { lines.gather(points, &mut room.double, compute) })
            }
            Store::Single(matrix) => {
                let lines = Lines { matrix: &matrix[..], stride, runs };
                Submatrix::Single(if all { lines } else { lines.gather(points, &mut room.single, compute) })
            }
            Store::Cache(cache) => Submatrix::Single(cache.block(points, &mut room.single, compute)?),
            Store::Features(features) => Submatrix::Double(features.submatrix(points, &mut room.double, compute)),
            Store::FiniteRank(features) => Submatrix::Double(features.submatrix(points, &mut room.double, compute)),
        })
    }

    /// The kernel with itself.
    pub(super) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Whether every row is in memory.
    pub(super) fn is_whole(&self) -> bool {
        !matches!(self.store, Store::Cache(_) | Store::Features(_) | Store::FiniteRank(_))
    }

    /// Where the rows and columns lie in a whole matrix.
    fn runs(&self) -> Vec<Range<usize>> {
        self.subset.clone().unwrap_or_else(|| std::iter::once(0..self.points()).collect())
    }

    /// `out += Σ factor · row`.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled) when the work is dropped.
    pub(super) fn spread(&mut self, changes: &[(usize, f64)], out: &mut [f64], compute: &Compute) -> Result<()> {
        let (stride, runs) = (self.stride, self.runs());
        match &mut self.store {
            Store::Double(matrix) => spread_lines(changes, &Lines { matrix, stride, runs }, out, compute),
            Store::Single(matrix) => spread_lines(changes, &Lines { matrix, stride, runs }, out, compute),
            Store::Cache(cache) => {
                cache.fetch(&distinct(&changes.iter().map(|change| change.0).collect::<Vec<_>>()), compute)?;
                spread(changes, |p| cache.row(p), out, compute);
            }
            Store::Features(features) => features.spread(changes, out, compute),
            Store::FiniteRank(features) => features.spread(changes, out, compute),
        }
        Ok(())
    }

    /// The same for rows not requested again.
    pub(super) fn spread_once(&mut self, changes: &[(usize, f64)], out: &mut [f64], compute: &Compute) -> Result<()> {
        match &self.store {
            Store::Cache(cache) => cache.add_fleeting(changes, out, compute),
            _ => self.spread(changes, out, compute),
        }
    }
}

fn subset<T: Element>(matrix: &[T], n: usize, points: &[usize]) -> Vec<T> {
    let mut values = Vec::with_capacity(points.len() * points.len());
    for &p in points {
        let row = &matrix[p * n..(p + 1) * n];
        for run in points.chunk_by(|a, b| a + 1 == *b) {
            values.extend_from_slice(&row[run[0]..run[0] + run.len()]);
        }
    }
    values
}

fn combine<T: Element>(matrix: &[T], stride: usize, terms: &[(usize, f64)], columns: &[usize]) -> Vec<f64> {
    let mut out = vec![0.0; columns.len()];
    let mut rest = &mut out[..];
    for run in runs(columns) {
        let (now, later) = rest.split_at_mut(run.len());
        let piece =
            |&(point, factor): &(usize, f64)| (&matrix[point * stride + run.start..point * stride + run.end], factor);
        add_rows(&terms.iter().map(piece).collect::<Vec<_>>(), now);
        rest = later;
    }
    out
}

fn spread_lines<T: Element>(changes: &[(usize, f64)], lines: &Lines<'_, T>, out: &mut [f64], compute: &Compute) {
    for at in 0..lines.runs.len() {
        let columns = lines.columns(at);
        spread(changes, |p| lines.piece(p, at), &mut out[columns], compute);
    }
}

fn spread<'r, T: Element>(
    changes: &[(usize, f64)],
    row: impl Fn(usize) -> &'r [T],
    out: &mut [f64],
    compute: &Compute,
) {
    let rows: Vec<(&[T], f64)> = changes.iter().map(|&(p, factor)| (row(p), factor)).collect();
    let update = |chunk: usize, out: &mut [f64]| {
        let range = chunk * CHUNK..chunk * CHUNK + out.len();
        let subset: Vec<(&[T], f64)> = rows.iter().map(|(row, factor)| (&row[range.clone()], *factor)).collect();
        add_rows(&subset, out);
    };
    compute.each_chunk(out, CHUNK, update);
}
