//! Cross-covariances of features: HSIC in one pass.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::bytes::{Reader, Writer};
use super::mean::{at_least, check_columns, check_size, outer};
use crate::{Error, Result};

/// The cross-covariance of the features of two variables.
///
/// # Formula
/// `C = (1/n) Σ z(xᵢ)u(yᵢ)ᵀ − z̄ūᵀ`, and `HSIC = ‖C‖²_F`: the biased `(1/n²) tr KHLH` of the
/// kernels of the features.
///
/// # Example
/// ```
/// use mercer::features::CovarianceStatistics;
/// use ndarray::array;
/// let mut both = CovarianceStatistics::new(1, 1);
/// both.update(array![[1.0], [3.0]].view(), array![[0.0], [4.0]].view())?;
/// // The covariance is 2.
/// assert_eq!(both.hsic()?, 4.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CovarianceStatistics {
    count: f64,
    sums: (Array1<f64>, Array1<f64>),
    products: Array2<f64>,
}

const NAME: &[u8; 4] = b"cova";

impl CovarianceStatistics {
    /// Of no data yet, for so many features of each variable.
    pub fn new(first: usize, second: usize) -> Self {
        let sums = (Array1::zeros(first), Array1::zeros(second));
        Self { count: 0.0, sums, products: Array2::zeros((first, second)) }
    }

    /// Takes in the features of a chunk of both variables, row by row.
    ///
    /// # Errors
    /// [`Error::Shape`] for wrong sizes, [`Error::Value`] for NaN and infinities.
    pub fn update(&mut self, z: ArrayView2<f64>, u: ArrayView2<f64>) -> Result<()> {
        check_columns("features of the first variable", z, self.sums.0.len())?;
        check_columns("features of the second variable", u, self.sums.1.len())?;
        if z.nrows() != u.nrows() {
            return Err(Error::shape("rows of the second variable", z.nrows(), u.nrows()));
        }
        self.count += z.nrows() as f64;
        self.sums.0 += &z.sum_axis(Axis(0));
        self.sums.1 += &u.sum_axis(Axis(0));
        self.products += &z.t().dot(&u);
        Ok(())
    }

    /// Takes in all that another statistic has seen.
    ///
    /// # Errors
    /// [`Error::Shape`] for different numbers of features.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        check_size(self.sums.0.len(), other.sums.0.len())?;
        check_size(self.sums.1.len(), other.sums.1.len())?;
        self.count += other.count;
        self.sums.0 += &other.sums.0;
        self.sums.1 += &other.sums.1;
        self.products += &other.products;
        Ok(())
    }

    /// How many points were seen.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// `C`.
    ///
    /// # Errors
    /// [`Error::TooFew`] before the first point.
    pub fn covariance(&self) -> Result<Array2<f64>> {
        at_least(self.count, 1.0)?;
        let means = (&self.sums.0 / self.count, &self.sums.1 / self.count);
        Ok(&self.products / self.count - outer(means.0.view(), means.1.view()))
    }

    /// `‖C‖²_F`.
    ///
    /// # Errors
    /// As [`CovarianceStatistics::covariance`].
    pub fn hsic(&self) -> Result<f64> {
        Ok(self.covariance()?.iter().map(|c| c * c).sum())
    }

    /// The statistic as bytes, the same on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let writer = Writer::new(NAME).size(self.sums.0.len()).size(self.sums.1.len());
        writer.numbers([&self.count]).numbers(&self.sums.0).numbers(&self.sums.1).numbers(&self.products).finish()
    }

    /// The statistic again.
    ///
    /// # Errors
    /// [`Error::Record`] for bytes of something else, cut short or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes, NAME, "record of the statistics of a covariance")?;
        let (first, second) = (reader.size()?, reader.size()?);
        let count = reader.number()?;
        let sums = (reader.vector(first)?, reader.vector(second)?);
        let products = reader.matrix(first, second)?;
        reader.end()?;
        Ok(Self { count, sums, products })
    }
}
