//! Mean embeddings in features.

use ndarray::{Array1, ArrayView1, ArrayView2, Axis};

use super::bytes::{Reader, Writer};
use crate::solve::exact_sums::ExactSums;
use crate::{Error, Points, Result};

/// The mean of features, `μ = E z(X)`, and what the unbiased estimate of `‖μ‖²` needs.
///
/// # Formula
/// `n`, `Σ z(xᵢ)` and `Σ‖z(xᵢ)‖²`; `MMD² = ‖μ_P − μ_Q‖²`.
///
/// # Theory
/// The sums are exact: their bits depend on the points alone, not on their order, nor on how they
/// are cut into chunks or spread over machines. At most 2³⁰ points.
///
/// # Example
/// ```
/// use mercer::features::MeanStatistics;
/// use ndarray::array;
/// let (mut p, mut q) = (MeanStatistics::new(1), MeanStatistics::new(1));
/// p.update(array![[1.0], [3.0]].view())?;
/// q.update(array![[0.0], [2.0]].view())?;
/// assert_eq!(p.squared_mmd(&q)?, 1.0);
/// // Within: 1·3 and 0·2; between: 2·1.
/// assert_eq!(p.unbiased_squared_mmd(&q)?, 3.0 + 0.0 - 2.0 * 2.0);
/// assert_eq!(MeanStatistics::from_bytes(&p.to_bytes())?, p);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MeanStatistics {
    components: usize,
    count: f64,
    /// The features, and the squared norm.
    sums: ExactSums,
}

/// With exact sums, which `mean` did not have.
const NAME: &[u8; 4] = b"mea2";
const SUM: usize = 0;
const SQUARES: usize = 1;

impl MeanStatistics {
    /// Of no data yet, for so many features.
    pub fn new(components: usize) -> Self {
        Self { components, count: 0.0, sums: ExactSums::new([components, 1]) }
    }

    /// Takes in the features of a chunk, one row per point.
    ///
    /// # Errors
    /// [`Error::Shape`] for a wrong number of features, [`Error::Value`] for NaN and infinities;
    /// [`Error::Overflow`] after 2³⁰ points.
    pub fn update(&mut self, z: ArrayView2<f64>) -> Result<()> {
        check_columns("features", z, self.components)?;
        for row in z.rows() {
            self.sums.begin()?;
            self.sums.add(SUM, &row.to_vec())?;
            self.sums.add(SQUARES, &[row.dot(&row)])?;
        }
        self.count += z.nrows() as f64;
        Ok(())
    }

    /// Takes in all that another statistic has seen.
    ///
    /// # Errors
    /// [`Error::Shape`] for a different number of features, [`Error::Overflow`] for more than 2³⁰
    /// points.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        check_size(self.components, other.components)?;
        self.sums.merge(&other.sums)?;
        self.count += other.count;
        Ok(())
    }

    fn sum(&self) -> Array1<f64> {
        self.sums.values(SUM).collect()
    }

    /// How many points were seen.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// `μ`.
    ///
    /// # Errors
    /// [`Error::TooFew`] before the first point.
    pub fn mean(&self) -> Result<Array1<f64>> {
        at_least(self.count, 1.0)?;
        Ok(self.sum() / self.count)
    }

    /// `f(x) = ⟨μ, z(x)⟩` for every row of features.
    ///
    /// # Errors
    /// As [`MeanStatistics::mean`]; [`Error::Shape`] for a wrong number of features.
    pub fn evaluate(&self, z: ArrayView2<f64>) -> Result<Array1<f64>> {
        check_columns("features", z, self.components)?;
        Ok(z.dot(&self.mean()?))
    }

    /// `‖μ_P − μ_Q‖²`, with the biased estimate's pairs of a point with itself.
    ///
    /// # Errors
    /// As [`MeanStatistics::mean`]; [`Error::Shape`] for a different number of features.
    pub fn squared_mmd(&self, other: &Self) -> Result<f64> {
        check_size(self.components, other.components)?;
        let difference = self.mean()? - other.mean()?;
        Ok(difference.dot(&difference))
    }

    /// The same without pairs of a point with itself: unbiased, and below 0 at times.
    ///
    /// # Errors
    /// [`Error::TooFew`] before there are two points on each side; [`Error::Shape`] for a different
    /// number of features.
    pub fn unbiased_squared_mmd(&self, other: &Self) -> Result<f64> {
        check_size(self.components, other.components)?;
        Ok(self.within()? + other.within()? - 2.0 * self.mean()?.dot(&other.mean()?))
    }

    fn within(&self) -> Result<f64> {
        at_least(self.count, 2.0)?;
        let (sum, squares) = (self.sum(), self.sums.values(SQUARES).sum::<f64>());
        Ok((sum.dot(&sum) - squares) / (self.count * (self.count - 1.0)))
    }

    /// The statistic as bytes, the same on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let writer = Writer::new(NAME).size(self.components).numbers([self.count].iter());
        writer.integers(&self.sums.to_integers()).finish()
    }

    /// The statistic again.
    ///
    /// # Errors
    /// [`Error::Record`] for bytes of something else, cut short or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes, NAME, "record of the statistics of a mean")?;
        let components = reader.size()?;
        let count = reader.number()?;
        let integers = reader.integers()?;
        // Three words for a sum: checked before anything is allocated.
        if components.checked_mul(3).is_none_or(|words| words > integers.len()) {
            return Err(Error::shape("sums of the record", 3 * integers.len(), components));
        }
        let sums = ExactSums::new([components, 1]).restored(&integers)?;
        Ok(Self { components, count, sums })
    }
}

/// A chunk with the right number of columns, all finite.
pub(super) fn check_columns(what: &str, chunk: ArrayView2<f64>, columns: usize) -> Result<()> {
    if chunk.ncols() != columns {
        return Err(Error::shape(&format!("columns of the {what}"), columns, chunk.ncols()));
    }
    Points::Vectors(chunk).check_finite(what)
}

/// Statistics of the same size.
pub(super) fn check_size(own: usize, other: usize) -> Result<()> {
    if own == other { Ok(()) } else { Err(Error::shape("features of the other statistic", own, other)) }
}

pub(super) fn at_least(count: f64, least: f64) -> Result<()> {
    if count >= least {
        return Ok(());
    }
    Err(Error::too_few("the statistic", "points", least.ceil() as usize, count as usize))
}

/// `a bᵀ`.
pub(super) fn outer(a: ArrayView1<f64>, b: ArrayView1<f64>) -> ndarray::Array2<f64> {
    a.insert_axis(Axis(1)).dot(&b.insert_axis(Axis(0)))
}
