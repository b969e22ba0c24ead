//! Ridge regression in features, in one pass.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::bytes::{Reader, Writer};
use super::mean::{at_least, check_columns, check_size};
use crate::error::{AllowedRange, MemoryPurpose, Requirement};
use crate::features::FeatureMap;
use crate::operator::products::{add_symmetric, mirror};
use crate::solve::{Factored, factor, solve_positive};
use crate::{Compute, Error, Result};

/// The sufficient statistics of a ridge regression in features, with any number of outputs.
///
/// # Formula
/// `Σ vᵢ`, `Σ vᵢzᵢ`, `Σ vᵢyᵢ`, `ZᵀVZ`, `ZᵀVy` and `Σ vᵢyᵢ²`; then `w = (ZᵀVZ + λI)⁻¹ZᵀVy` for every
/// λ, with or without an intercept.
///
/// # Cost
/// `p²` per point and `8p²` bytes for `p` features, whatever the number of points; `p³/3` for an
/// answer.
///
/// # Example
/// ```
/// use mercer::{Compute, features::RidgeStatistics};
/// use ndarray::array;
/// let compute = Compute::new();
/// let (mut first, mut second) = (RidgeStatistics::new(1, 1), RidgeStatistics::new(1, 1));
/// first.update(array![[1.0], [2.0]].view(), array![[1.0], [4.0]].view(), None, &compute)?;
/// second.update(array![[1.0]].view(), array![[3.0]].view(), None, &compute)?;
/// first.merge(&second)?;
/// // w = Σzy/(Σz² + λ) = 12/8.
/// let f = first.solve(2.0, false, &compute)?;
/// mercer::assert_close!(f.weights()[[0, 0]], 1.5, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeStatistics {
    pub(super) count: f64,
    pub(super) feature_sum: Array1<f64>,
    pub(super) target_sum: Array1<f64>,
    /// On and below the diagonal (blocks on the diagonal as a whole).
    pub(super) squares: Array2<f64>,
    pub(super) products: Array2<f64>,
    pub(super) target_squares: Array1<f64>,
}

const NAME: &[u8; 4] = b"ridg";

impl RidgeStatistics {
    /// Of no data yet, for so many features and outputs.
    pub fn new(components: usize, outputs: usize) -> Self {
        Self {
            count: 0.0,
            feature_sum: Array1::zeros(components),
            target_sum: Array1::zeros(outputs),
            squares: Array2::zeros((components, components)),
            products: Array2::zeros((components, outputs)),
            target_squares: Array1::zeros(outputs),
        }
    }

    /// Takes in a chunk: features, targets (one row per point each), and weights where there are
    /// any.
    ///
    /// # Errors
    /// [`Error::Shape`] for wrong sizes, [`Error::Value`] for NaN, infinities and negative weights.
    pub fn update(
        &mut self,
        z: ArrayView2<f64>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<()> {
        check_columns("features", z, self.feature_sum.len())?;
        check_columns("targets", y, self.target_sum.len())?;
        if y.nrows() != z.nrows() {
            return Err(Error::shape("rows of the targets", z.nrows(), y.nrows()));
        }
        let weights = check_weights(weights, z.nrows())?;
        let column = weights.view().insert_axis(Axis(1));
        let (weighted, targets) = (&z * &column, &y * &column);
        self.count += weights.sum();
        self.feature_sum += &weighted.sum_axis(Axis(0));
        self.target_sum += &targets.sum_axis(Axis(0));
        self.products += &z.t().dot(&targets);
        self.target_squares += &(&targets * &y).sum_axis(Axis(0));
        add_symmetric(&mut self.squares, &weighted.reversed_axes(), &z.t().to_owned(), compute)
    }

    /// Takes in all that another statistic has seen.
    ///
    /// # Errors
    /// [`Error::Shape`] for different sizes.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        check_size(self.feature_sum.len(), other.feature_sum.len())?;
        check_size(self.target_sum.len(), other.target_sum.len())?;
        self.count += other.count;
        self.feature_sum += &other.feature_sum;
        self.target_sum += &other.target_sum;
        self.squares += &other.squares;
        self.products += &other.products;
        self.target_squares += &other.target_squares;
        Ok(())
    }

    /// How many outputs there are.
    pub fn outputs(&self) -> usize {
        self.target_sum.len()
    }

    /// The sum of the weights: the number of points where there are none.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// The function for one λ, which multiplies `‖w‖²` beside a sum of squares; the intercept is
    /// not penalized.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a negative λ, [`Error::TooFew`] before the first point; as
    /// [`solve_positive`].
    pub fn solve(&self, lambda: f64, intercept: bool, compute: &Compute) -> Result<FeatureFunction> {
        if !(lambda.is_finite() && lambda >= 0.0) {
            return Err(Error::parameter("lambda", lambda, AllowedRange::NON_NEGATIVE));
        }
        at_least(self.count, f64::MIN_POSITIVE)?;
        let p = self.feature_sum.len() as u64;
        compute.reserve(
            MemoryPurpose::Factorization,
            "the system of a ridge regression",
            16 * p * p,
            "use fewer features",
        )?;
        let (mut matrix, mut right) = (self.squares.clone(), self.products.clone());
        mirror(&mut matrix);
        if intercept {
            for (i, &sum) in self.feature_sum.iter().enumerate() {
                matrix.row_mut(i).scaled_add(-sum / self.count, &self.feature_sum);
                right.row_mut(i).scaled_add(-sum / self.count, &self.target_sum);
            }
        }
        matrix.diag_mut().mapv_inplace(|d| d + lambda);
        let weights = match factor(matrix, compute)? {
            Factored::Definite(factor) => factor.solve(right.view(), compute)?,
            Factored::Singular(matrix) => solve_positive(matrix.view(), right.view())?.solution,
        };
        let constant = if intercept {
            (&self.target_sum - &weights.t().dot(&self.feature_sum)) / self.count
        } else {
            Array1::zeros(self.target_sum.len())
        };
        let residual_squares = self.squared_error(weights.view(), constant.view());
        Ok(FeatureFunction { weights, intercept: constant, residual_squares })
    }

    /// `Σ v(y − wᵀz − b)²` for every output: the error of a function on the points that were seen,
    /// from the statistics alone.
    ///
    /// # Errors
    /// [`Error::Shape`] for a function of another number of features or outputs.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, features::RidgeStatistics};
    /// use ndarray::array;
    /// let compute = Compute::new();
    /// let (mut fit, mut test) = (RidgeStatistics::new(1, 1), RidgeStatistics::new(1, 1));
    /// fit.update(array![[1.0]].view(), array![[2.0]].view(), None, &compute)?;
    /// test.update(array![[3.0]].view(), array![[5.0]].view(), None, &compute)?;
    /// // f(z) = 2z.
    /// let f = fit.solve(0.0, false, &compute)?;
    /// mercer::assert_close!(test.error_of(&f)?[0], 1.0, abs = 1e-14);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn error_of(&self, f: &FeatureFunction) -> Result<Array1<f64>> {
        check_size(self.feature_sum.len(), f.weights.nrows())?;
        check_size(self.target_sum.len(), f.weights.ncols())?;
        Ok(self.squared_error(f.weights(), f.intercept()))
    }

    fn squared_error(&self, w: ArrayView2<f64>, b: ArrayView1<f64>) -> Array1<f64> {
        let mut quadratic = Array1::<f64>::zeros(w.ncols());
        for (i, row) in self.squares.rows().into_iter().enumerate() {
            // Below the diagonal everything counts twice.
            let below = row.slice(s![..i]).dot(&w.slice(s![..i, ..])) * 2.0 + &w.row(i) * row[i];
            quadratic += &(&w.row(i) * &below);
        }
        let fitted = quadratic - (&w * &self.products).sum_axis(Axis(0)) * 2.0;
        let cross = w.t().dot(&self.feature_sum) - &self.target_sum;
        let constant = &b * &b * self.count + &b * &cross * 2.0;
        (&self.target_squares + &fitted + &constant).mapv(|v| v.max(0.0))
    }

    /// `[ZᵀVZ, ZᵀV1; 1ᵀVZ, 1ᵀV1]` and `[ZᵀVy; 1ᵀVy]`.
    pub(crate) fn bordered(&self) -> (Array2<f64>, Array2<f64>) {
        let p = self.feature_sum.len();
        let mut squares = Array2::zeros((p + 1, p + 1));
        squares.slice_mut(s![..p, ..p]).assign(&self.squares);
        squares.slice_mut(s![p, ..p]).assign(&self.feature_sum);
        squares[[p, p]] = self.count;
        mirror(&mut squares);
        let mut products = Array2::zeros((p + 1, self.outputs()));
        products.slice_mut(s![..p, ..]).assign(&self.products);
        products.row_mut(p).assign(&self.target_sum);
        (squares, products)
    }

    /// `Σ v(y − ȳ)²` for every output: the error of the mean.
    pub fn total_squares(&self) -> Array1<f64> {
        let about_zero = &self.target_sum * &self.target_sum / self.count.max(f64::MIN_POSITIVE);
        (&self.target_squares - &about_zero).mapv(|v| v.max(0.0))
    }

    /// Takes out what another statistic has seen, which this one has taken in before.
    ///
    /// # Errors
    /// [`Error::Shape`] for different sizes.
    pub(crate) fn remove(&mut self, other: &Self) -> Result<()> {
        check_size(self.feature_sum.len(), other.feature_sum.len())?;
        check_size(self.target_sum.len(), other.target_sum.len())?;
        self.count -= other.count;
        self.feature_sum -= &other.feature_sum;
        self.target_sum -= &other.target_sum;
        self.squares -= &other.squares;
        self.products -= &other.products;
        self.target_squares -= &other.target_squares;
        Ok(())
    }

    /// Forgets all points.
    pub(crate) fn clear(&mut self) {
        self.count = 0.0;
        self.feature_sum.fill(0.0);
        self.target_sum.fill(0.0);
        self.squares.fill(0.0);
        self.products.fill(0.0);
        self.target_squares.fill(0.0);
    }

    /// The statistic as bytes, the same on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let writer = Writer::new(NAME).size(self.feature_sum.len()).size(self.target_sum.len()).numbers([&self.count]);
        let writer = writer.numbers(&self.feature_sum).numbers(&self.target_sum).numbers(&self.target_squares);
        writer.numbers(&self.squares).numbers(&self.products).finish()
    }

    /// The statistic again.
    ///
    /// # Errors
    /// [`Error::Record`] for bytes of something else, cut short or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes, NAME, "record of the statistics of a ridge regression")?;
        let (p, outputs, count) = (reader.size()?, reader.size()?, reader.number()?);
        let (feature_sum, target_sum) = (reader.vector(p)?, reader.vector(outputs)?);
        let target_squares = reader.vector(outputs)?;
        let (squares, products) = (reader.matrix(p, p)?, reader.matrix(p, outputs)?);
        reader.end()?;
        Ok(Self { count, feature_sum, target_sum, squares, products, target_squares })
    }
}

fn check_weights(weights: Option<ArrayView1<f64>>, rows: usize) -> Result<Array1<f64>> {
    let Some(weights) = weights else { return Ok(Array1::ones(rows)) };
    if weights.len() != rows {
        return Err(Error::shape("weights", format!("one per row ({rows})"), weights.len()));
    }
    match weights.iter().enumerate().find(|(_, w)| !w.is_finite() || **w < 0.0) {
        None => Ok(weights.to_owned()),
        Some((row, value)) => {
            Err(Error::value("weights", (row, 0), value, Requirement::Range(AllowedRange::NON_NEGATIVE)))
        }
    }
}

/// A function in features, `f(x) = wᵀz(x) + b`, one column per output.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureFunction {
    weights: Array2<f64>,
    intercept: Array1<f64>,
    residual_squares: Array1<f64>,
}

impl FeatureFunction {
    /// `w`, one row per feature.
    pub fn weights(&self) -> ArrayView2<'_, f64> {
        self.weights.view()
    }

    /// `b`; 0 where none was fitted.
    pub fn intercept(&self) -> ArrayView1<'_, f64> {
        self.intercept.view()
    }

    /// `Σ v(y − f)²` on the data, for every output.
    pub fn residual_squares(&self) -> ArrayView1<'_, f64> {
        self.residual_squares.view()
    }

    /// From its parts, as they were saved.
    pub(crate) fn from_parts(weights: Array2<f64>, intercept: Array1<f64>, residual_squares: Array1<f64>) -> Self {
        Self { weights, intercept, residual_squares }
    }

    /// `f(x)` for every row of `x`, through the map of the features.
    ///
    /// # Errors
    /// [`Error::Shape`] for a map with another number of features; as [`FeatureMap::transform`].
    pub fn predict(&self, map: &dyn FeatureMap, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        if map.components() != self.weights.nrows() {
            return Err(Error::shape("features of the map", self.weights.nrows(), map.components()));
        }
        Ok(map.transform(x, compute)?.dot(&self.weights) + &self.intercept)
    }
}
