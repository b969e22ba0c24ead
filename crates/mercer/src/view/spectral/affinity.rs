//! The kernel matrix as affinities: none negative, with their sums.

use ndarray::Array2;

use crate::gram::{Bound, Pairs, Tile, Tiles, fold_tiles};
use crate::view::kmeans::KernelRows;
use crate::{Compute, Error, Kernel, Points, Result};

/// Rows of a task that looks for negative values, and of a strip of kernel values. Not tuned.
const ROWS: usize = 256;
/// Values this far below 0, relative to `k(x, x)`, are not rounding.
const NEGATIVE: f64 = 1e-12;
/// Degrees below this part of the largest are 0: the row of an isolated point.
const ISOLATED: f64 = 1e-14;

/// `dᵢ = Σⱼ k(xᵢ, xⱼ)` and its inverse root, 0 for an isolated point.
#[derive(Clone, Debug)]
pub(super) struct Degrees {
    pub(super) degrees: Vec<f64>,
    pub(super) inverse_roots: Vec<f64>,
}

impl Degrees {
    /// # Errors
    /// [`Error::AllZero`] when every point is isolated.
    pub(super) fn new(degrees: Vec<f64>, kernel: &Kernel) -> Result<Self> {
        let largest = degrees.iter().fold(0.0_f64, |m, d| m.max(*d));
        if largest <= 0.0 {
            let what = format!("sum of the values of {} over a row", kernel.short());
            return Err(Error::all_zero(what, "no points hang together; choose another kernel"));
        }
        let root = |d: &f64| if *d > ISOLATED * largest { 1.0 / d.sqrt() } else { 0.0 };
        Ok(Self { inverse_roots: degrees.iter().map(root).collect(), degrees })
    }

    /// The points without affinities.
    pub(super) fn isolated(&self) -> Vec<usize> {
        (0..self.inverse_roots.len()).filter(|&i| self.inverse_roots[i] == 0.0).collect()
    }

    /// `D^{−½}V`.
    pub(super) fn scaled(&self, mut v: Array2<f64>) -> Array2<f64> {
        v.rows_mut().into_iter().zip(&self.inverse_roots).for_each(|(mut row, root)| row *= *root);
        v
    }
}

/// The row sums of the kernel matrix of a fit.
///
/// # Errors
/// [`Error::Value`] with the first pair whose value is negative; as [`Degrees::new`].
pub(super) fn degrees(rows: &KernelRows<'_>, bound: &Bound<'_>, compute: &Compute) -> Result<Degrees> {
    let diagonal = Tiles::diagonal(bound)?;
    if !bound.is_proven_non_negative()
        && let Some(pair) = first_negative(rows, &diagonal, compute)?
    {
        return Err(negative(bound.kernel(), pair));
    }
    let sums = rows.multiply(Array2::ones((diagonal.len(), 1)).view(), compute)?;
    Degrees::new(sums.into_raw_vec_and_offset().0, bound.kernel())
}

/// A pair and its value.
type Pair = (usize, usize, f64);

fn first_negative(rows: &KernelRows<'_>, diagonal: &[f64], compute: &Compute) -> Result<Option<Pair>> {
    let n = diagonal.len();
    let is_negative = |i: usize, j: usize, v: f64| v < -NEGATIVE * diagonal[i].abs().max(diagonal[j].abs());
    let in_rows = |value: &(dyn Fn(usize, usize) -> f64 + Sync)| {
        let strip = |at: usize| {
            compute.check_canceled()?;
            let pairs = (at * ROWS..n.min((at + 1) * ROWS)).flat_map(|i| (0..n).map(move |j| (i, j)));
            Ok(pairs.map(|(i, j)| (i, j, value(i, j))).find(|&(i, j, v)| v < 0.0 && is_negative(i, j, v)))
        };
        Ok(compute.try_map_tasks(n.div_ceil(ROWS), strip)?.into_iter().flatten().next())
    };
    match rows {
        KernelRows::Double(matrix) => in_rows(&|i, j| matrix[[i, j]]),
        KernelRows::Single(matrix) => in_rows(&|i, j| f64::from(matrix[[i, j]])),
        KernelRows::Tiles(bound) => {
            let look = |found: &mut Option<Pair>, tile: &Tile<'_>| {
                let pairs = tile
                    .lines(0)
                    .flat_map(|(i, line)| line.iter().zip(tile.cols.clone()).map(move |(v, j)| (i, j, *v)));
                let first =
                    pairs.filter(|&(i, j, v)| v < 0.0 && is_negative(i, j, v)).min_by_key(|pair| (pair.0, pair.1));
                *found = [*found, first].into_iter().flatten().min_by_key(|pair| (pair.0, pair.1));
            };
            let strips = fold_tiles(&[*bound as &dyn Tiles], compute, || None, look)?;
            Ok(strips.into_iter().flatten().next())
        }
    }
}

fn negative(kernel: &Kernel, (row, column, value): Pair) -> Error {
    let what = format!("values of {} at pairs of points", kernel.short());
    let requirement = "spectral clustering needs affinities that are not negative; use a kernel such as gaussian()";
    Error::value(what, (row, column), value, requirement)
}

/// Refuses negative kernel values of points with landmarks.
pub(super) fn check_landmarks(kernel: &Kernel, x: Points<'_>, landmarks: Points<'_>, compute: &Compute) -> Result<()> {
    let bound = kernel.bind(Pairs::Between(x.reborrow(), landmarks.reborrow()), compute)?;
    if bound.is_proven_non_negative() {
        return Ok(());
    }
    let (diagonal, (n, m)) = (Tiles::diagonal(&bound)?, bound.shape());
    compute
        .try_map_tasks(n.div_ceil(ROWS), |at| {
            compute.check_canceled()?;
            let rows = at * ROWS..n.min((at + 1) * ROWS);
            let mut values = vec![0.0; rows.len() * m];
            bound.fill(rows.clone(), 0..m, &mut values);
            let mut pairs = rows.flat_map(|i| (0..m).map(move |j| (i, j))).zip(values);
            match pairs.find(|((i, _), v)| *v < -NEGATIVE * diagonal[*i].abs()) {
                Some(((i, j), v)) => Err(negative(kernel, (i, j, v))),
                None => Ok(()),
            }
        })
        .map(drop)
}
