//! The choice of landmarks.

use ndarray::Array2;

use super::leverage;
use crate::features::seeding::{plus_plus, squared_distances};
use crate::gram::{Bound, Pairs, Tiles};
use crate::seed::Stream;
use crate::solve::{block_randomly_pivoted_cholesky, pivoted_cholesky};
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// Pivots proposed at a time: large blocks make matrix products, small ones fewer rejected
/// proposals. With one thread 16 is a third faster and 256 43 % slower (5000 rows, 300 landmarks).
const BLOCK: usize = 64;
/// Rows among which pivots are selected: at least this many, and ten per landmark. More rows give
/// better pivots at linear cost.
const FEWEST_CANDIDATES: usize = 10_000;

/// How landmarks are chosen.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Landmarks {
    /// Randomly pivoted Cholesky in blocks: each with a probability in proportion to what those
    /// before leave of its diagonal.
    #[default]
    RandomPivots,
    /// Rows of the sample, uniformly without replacement.
    Uniform,
    /// k-means++ in ℋ: each with a probability in proportion to its squared distance from the
    /// nearest one before.
    KMeans,
    /// With probabilities in proportion to ridge leverage scores, estimated from uniform landmarks;
    /// λ is the trace that these leave, divided by their number.
    Leverage,
    /// Pivoted Cholesky: each the row with the largest diagonal left.
    Greedy,
    /// These rows of the sample.
    Rows(Vec<usize>),
    /// These points, which need not be rows of the sample.
    Points(Array2<f64>),
}

impl Landmarks {
    /// The word for them in settings.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::RandomPivots => "rpcholesky",
            Self::Uniform => "uniform",
            Self::KMeans => "kmeans",
            Self::Leverage => "leverage",
            Self::Greedy => "greedy",
            Self::Rows(_) => "rows",
            Self::Points(_) => "points",
        }
    }

    /// Those of a word in settings.
    ///
    /// # Errors
    /// [`Error::Parameter`] for landmarks that were given, which settings do not hold.
    pub(crate) fn named(word: &str) -> Result<Self> {
        let all = [Self::RandomPivots, Self::Uniform, Self::KMeans, Self::Leverage, Self::Greedy];
        let found = all.into_iter().find(|landmarks| landmarks.name() == word);
        found.ok_or_else(|| Error::parameter("landmarks", word, "landmarks that are chosen, not given"))
    }

    /// At most `count` landmarks for a sample.
    pub(crate) fn choose(
        &self,
        kernel: &Kernel,
        x: Points<'_>,
        count: usize,
        tolerance: f64,
        compute: &Compute,
    ) -> Result<Sample> {
        self.choose_rows(kernel, x, count, tolerance, compute).map(|(points, _)| points)
    }

    /// The landmarks, and which rows of the sample they are, unless they are given points.
    pub(super) fn choose_rows(
        &self,
        kernel: &Kernel,
        x: Points<'_>,
        count: usize,
        tolerance: f64,
        compute: &Compute,
    ) -> Result<(Sample, Option<Vec<usize>>)> {
        let rows = match self {
            Self::Points(points) => {
                Points::Vectors(points.view()).check_finite("landmarks")?;
                return Ok((points.clone().into(), None));
            }
            Self::Rows(rows) => check_rows(rows, x.len())?,
            Self::Uniform => uniform(x.len(), count, &mut compute.seed().stream("landmarks", 0)),
            Self::RandomPivots | Self::Greedy => self.pivots(kernel, x, count, tolerance, compute)?,
            Self::KMeans => {
                let bound = kernel.bind(Pairs::Within(x), compute)?;
                far_apart(&bound, count, compute)?
            }
            Self::Leverage => leverage::sample(kernel, x, count, compute)?,
        };
        Ok((Sample::select(x, &rows), Some(rows)))
    }

    /// Pivots among a random part of a large sample, so that their choice costs no more than the
    /// rest.
    fn pivots(
        &self,
        kernel: &Kernel,
        x: Points<'_>,
        count: usize,
        tolerance: f64,
        compute: &Compute,
    ) -> Result<Vec<usize>> {
        let most = FEWEST_CANDIDATES.max(count.saturating_mul(10));
        let candidates = (x.len() > most).then(|| {
            let mut drawn = uniform(x.len(), most, &mut compute.seed().stream("candidates", 0));
            drawn.sort_unstable();
            drawn
        });
        let part = candidates.as_ref().map(|rows| Sample::select(x, rows));
        let bound = kernel.bind(Pairs::Within(part.as_ref().map_or(x.reborrow(), Sample::as_points)), compute)?;
        let tolerance = tolerance.max(f64::EPSILON);
        let found = match self {
            Self::Greedy => pivoted_cholesky(&bound, count, tolerance, compute)?,
            _ => block_randomly_pivoted_cholesky(&bound, count, tolerance, BLOCK, compute)?,
        };
        Ok(match candidates {
            Some(rows) => found.pivots.into_iter().map(|pivot| rows[pivot]).collect(),
            None => found.pivots,
        })
    }
}

fn check_rows(rows: &[usize], n: usize) -> Result<Vec<usize>> {
    match rows.iter().find(|r| **r >= n) {
        Some(row) => Err(Error::parameter("landmarks", row, format!("rows of the sample, below {n}"))),
        None => Ok(rows.to_vec()),
    }
}

pub(super) fn uniform(n: usize, count: usize, stream: &mut Stream) -> Vec<usize> {
    let mut rows = stream.permutation(n);
    rows.truncate(count);
    rows
}

/// k-means++: `‖φ(x) − φ(s)‖² = k(x, x) + k(s, s) − 2k(x, s)`; it ends early when every point is a
/// landmark.
fn far_apart(bound: &Bound<'_>, count: usize, compute: &Compute) -> Result<Vec<usize>> {
    let stream = &mut compute.seed().stream("landmarks", 1);
    let diagonal = Tiles::diagonal(bound)?;
    let distances = |row: usize, out: &mut [f64]| {
        bound.fill(row..row + 1, 0..diagonal.len(), out);
        squared_distances(row, &diagonal, out);
        Ok(())
    };
    plus_plus(&vec![1.0; diagonal.len()], count, 1, &distances, stream, compute)
}
