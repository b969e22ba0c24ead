//! Ranks among the scores of held-out rows.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, concatenate};

use super::fit::IntervalEnds;
use crate::error::AllowedRange;
use crate::{Compute, Error, Result};

/// New points that are ranked by one task.
const CHUNK: usize = 256;
/// Rounding errors of `level·(n + 1)`, below which a rank is a whole number.
const ROUNDING: f64 = 1e-9;

/// The scores of held-out rows, and which fit did not see each of them.
///
/// # Example
/// ```
/// use mercer::{Compute, conformal::FoldScores};
/// use ndarray::{Array2, array};
/// // Nine held-out rows whose errors are 1, …, 9, of one fit that predicts 0 everywhere.
/// let y = Array2::from_shape_fn((9, 1), |(i, _)| (i + 1) as f64);
/// let zero = Array2::zeros((9, 1));
/// let scores = FoldScores::of_values(vec![0; 9], y.view(), zero.view(), zero.view())?;
/// let new = array![[0.0]];
/// let ends = scores.ends(&[(new.clone(), new.clone())], 0.5, &Compute::new())?;
/// // The 5th smallest error: ⌈0.5·10⌉ = 5.
/// assert_eq!((ends.lower[[0, 0]], ends.upper[[0, 0]]), (-5.0, 5.0));
/// assert!(scores.ends(&[(new.clone(), new)], 0.95, &Compute::new()).is_err());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FoldScores {
    fold_of: Vec<usize>,
    scores: Array2<f64>,
}

impl FoldScores {
    /// From the number of the fit that did not see a row, and the scores: a row each, a column for
    /// every target.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a fit for every score, [`Error::TooFew`] without scores,
    /// [`Error::Parameter`] for a score that is NaN.
    pub fn new(fold_of: Vec<usize>, scores: Array2<f64>) -> Result<Self> {
        if fold_of.is_empty() {
            return Err(Error::too_few("conformal prediction", "held-out rows", 1, 0));
        }
        if fold_of.len() != scores.nrows() {
            return Err(Error::shape("scores of held-out rows", fold_of.len(), scores.nrows()));
        }
        if scores.iter().any(|score| score.is_nan()) {
            return Err(Error::undetermined(
                "the score of a held-out row",
                "the other rows do not determine its prediction",
                "use more rows, or a model without intercept",
            ));
        }
        Ok(Self { fold_of, scores })
    }

    /// The scores of numbers: how far a value lies outside of the band `[lower, upper]` that was
    /// predicted without its row (negative inside of it). For a prediction that is one number the
    /// score is the absolute error.
    ///
    /// # Errors
    /// [`Error::Shape`] for arrays of different shapes; as [`FoldScores::new`].
    pub fn of_values(
        fold_of: Vec<usize>,
        y: ArrayView2<f64>,
        lower: ArrayView2<f64>,
        upper: ArrayView2<f64>,
    ) -> Result<Self> {
        for band in [&lower, &upper] {
            if band.dim() != y.dim() {
                return Err(Error::shape(
                    "predictions of held-out rows",
                    format!("{:?}", y.dim()),
                    format!("{:?}", band.dim()),
                ));
            }
        }
        let scores = Array2::from_shape_fn(y.dim(), |at| (lower[at] - y[at]).max(y[at] - upper[at]));
        Self::new(fold_of, scores)
    }

    /// The number of held-out rows.
    pub fn rows(&self) -> usize {
        self.fold_of.len()
    }

    /// The number of the fit that did not see each row.
    pub fn fold_of(&self) -> &[usize] {
        &self.fold_of
    }

    /// The scores: a row for every held-out row, a column for every target.
    pub fn scores(&self) -> ArrayView2<'_, f64> {
        self.scores.view()
    }

    /// `⌈level·(n + 1)⌉`: the rank of the score that bounds an interval of this level.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a level outside `(0, 1)`; [`Error::TooFew`] where the rank is above
    /// the number of rows, so that only an infinite interval has the level: there must be at least
    /// `level/(1 − level)` rows.
    pub fn rank(&self, level: f64) -> Result<usize> {
        rank(level, self.rows())
    }

    /// The ends of the intervals of new points, from the bands that every fit predicts for them
    /// (twice the same array for predictions that are one number): one row per point, one column
    /// per target.
    ///
    /// # Formula
    /// With `k = ⌈level·(n + 1)⌉`: from the `n + 1 − k`-th smallest of `lowerᵢ(x) − sᵢ` to the
    /// `k`-th smallest of `upperᵢ(x) + sᵢ`, where the band of row `i` is that of the fit that did
    /// not see it.
    ///
    /// # Cost
    /// `O(n)` per point; `O(1)` for one fit.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of fits or targets; as [`FoldScores::rank`].
    pub fn ends(&self, bands: &[(Array2<f64>, Array2<f64>)], level: f64, compute: &Compute) -> Result<IntervalEnds> {
        let shape = bands.first().map_or((0, 0), |(lower, _)| lower.dim());
        self.check_fits(bands.iter().flat_map(|(lower, upper)| [lower.dim(), upper.dim()]), bands.len(), shape)?;
        let of = |end: End, fold: usize, at: (usize, usize)| match end {
            End::Lower => bands[fold].0[at],
            End::Upper => bands[fold].1[at],
        };
        if bands.len() == 1 {
            return self.of_one_fit(&bands[0], level);
        }
        self.ends_by(shape.0, level, compute, |end, row, at| of(end, self.fold_of[row], at))
    }

    /// The same from a prediction for every pair of a held-out row and a new point.
    pub(super) fn ends_by(
        &self,
        points: usize,
        level: f64,
        compute: &Compute,
        value: impl Fn(End, usize, (usize, usize)) -> f64 + Sync,
    ) -> Result<IntervalEnds> {
        let (n, targets, upper) = (self.rows(), self.scores.ncols(), self.rank(level)?);
        let one = |end: End, at: (usize, usize), buffer: &mut Vec<f64>| {
            let (rank, sign) = match end {
                End::Lower => (n + 1 - upper, -1.0),
                End::Upper => (upper, 1.0),
            };
            buffer.clear();
            buffer.extend((0..n).map(|row| value(end, row, at) + sign * self.scores[[row, at.1]]));
            *buffer.select_nth_unstable_by(rank - 1, f64::total_cmp).1
        };
        let chunk = |c: usize| {
            compute.check_canceled()?;
            let (start, mut buffer) = (c * CHUNK, Vec::with_capacity(n));
            let rows = start..points.min(start + CHUNK);
            let mut ends = IntervalEnds::zeros((rows.len(), targets));
            for (i, row) in rows.enumerate() {
                for target in 0..targets {
                    ends.lower[[i, target]] = one(End::Lower, (row, target), &mut buffer);
                    ends.upper[[i, target]] = one(End::Upper, (row, target), &mut buffer);
                }
            }
            Ok(ends.ordered())
        };
        let parts = compute.try_map_tasks(points.div_ceil(CHUNK), chunk)?;
        Ok(IntervalEnds::joined(&parts, targets))
    }

    /// One fit: the same width everywhere.
    fn of_one_fit(&self, (lower, upper): &(Array2<f64>, Array2<f64>), level: f64) -> Result<IntervalEnds> {
        let rank = self.rank(level)?;
        let width = |scores: ArrayView1<f64>| *scores.to_vec().select_nth_unstable_by(rank - 1, f64::total_cmp).1;
        let widths: ndarray::Array1<f64> = self.scores.columns().into_iter().map(width).collect();
        Ok(IntervalEnds { lower: lower - &widths, upper: upper + &widths }.ordered())
    }

    /// Whether every class belongs to the set of a new point, from the scores that every fit gives
    /// the classes: one row per point, one column per class.
    ///
    /// # Formula
    /// Class `c` belongs to the set of `x` where fewer than `level·(n + 1)` held-out rows have a
    /// score below that of `(x, c)` by the fit that did not see them.
    ///
    /// # Errors
    /// As [`FoldScores::ends`].
    pub fn sets(&self, scores: &[Array2<f64>], level: f64, compute: &Compute) -> Result<Array2<bool>> {
        let shape = scores.first().map_or((0, 0), Array2::dim);
        if self.scores.ncols() != 1 {
            return Err(Error::shape("targets of a classification", 1, self.scores.ncols()));
        }
        let folds = self.fold_of.iter().max().map_or(0, |m| m + 1);
        if scores.len() < folds || scores.iter().any(|found| found.dim() != shape) {
            return Err(Error::shape("scores of the fits", format!("{folds} arrays of one shape"), scores.len()));
        }
        let rank = self.rank(level)?;
        let mut sorted = vec![Vec::new(); scores.len()];
        self.fold_of.iter().zip(self.scores.column(0)).for_each(|(&fold, &score)| sorted[fold].push(score));
        sorted.iter_mut().for_each(|scores| scores.sort_unstable_by(f64::total_cmp));
        compute.check_canceled()?;
        let below = |fold: usize, score: f64| sorted[fold].partition_point(|&own| own < score);
        let count = |at| (0..scores.len()).map(|fold| below(fold, scores[fold][at])).sum::<usize>();
        Ok(Array2::from_shape_fn(shape, |at| count(at) < rank))
    }

    fn check_fits(
        &self,
        shapes: impl Iterator<Item = (usize, usize)>,
        fits: usize,
        shape: (usize, usize),
    ) -> Result<()> {
        let folds = self.fold_of.iter().max().map_or(0, |m| m + 1);
        if fits < folds {
            return Err(Error::shape("predictions of the fits", folds, fits));
        }
        let expected = (shape.0, self.scores.ncols());
        match shapes.into_iter().find(|found| *found != expected) {
            Some(found) => Err(Error::shape("predictions of a fit", format!("{expected:?}"), format!("{found:?}"))),
            None => Ok(()),
        }
    }
}

/// One end of an interval.
#[derive(Clone, Copy)]
pub(super) enum End {
    Lower,
    Upper,
}

/// As [`FoldScores::rank`].
pub(super) fn rank(level: f64, rows: usize) -> Result<usize> {
    if !(level > 0.0 && level < 1.0) {
        return Err(Error::parameter("level", level, AllowedRange::OPEN_UNIT));
    }
    let rank = (level * (rows + 1) as f64 - ROUNDING).ceil().max(1.0) as usize;
    if rank > rows {
        let needed = (level / (1.0 - level) - ROUNDING).ceil() as usize;
        return Err(Error::too_few(format!("a conformal level of {level}"), "held-out rows", needed, rows));
    }
    Ok(rank)
}

impl IntervalEnds {
    fn zeros(shape: (usize, usize)) -> Self {
        Self { lower: Array2::zeros(shape), upper: Array2::zeros(shape) }
    }

    /// An interval whose lower end is above the upper one, which negative scores can make, is
    /// empty: one point in its middle.
    fn ordered(mut self) -> Self {
        ndarray::Zip::from(&mut self.lower).and(&mut self.upper).for_each(|lower, upper| {
            if *lower > *upper {
                let middle = 0.5 * (*lower + *upper);
                (*lower, *upper) = (middle, middle);
            }
        });
        self
    }

    pub(super) fn joined(parts: &[Self], targets: usize) -> Self {
        let join = |of: fn(&Self) -> ArrayView2<'_, f64>| {
            let all: Vec<ArrayView2<f64>> = parts.iter().map(of).collect();
            concatenate(Axis(0), &all).unwrap_or_else(|_| Array2::zeros((0, targets)))
        };
        Self { lower: join(|ends| ends.lower.view()), upper: join(|ends| ends.upper.view()) }
    }
}
