//! The penalty of a logistic regression, by held-out rows.

use ndarray::{Array1, ArrayView1, Axis};

use super::folds::stratified_folds;
use super::path::smallest;
use crate::learn::{LogisticFit, LogisticRegression};
use crate::{Compute, Error, Points, Result, Sample};

/// Held-out scores of a logistic regression along a list of λ.
#[derive(Clone, Debug, PartialEq)]
pub struct LogisticPath {
    /// The λ, as they were given.
    pub lambdas: Vec<f64>,
    /// The (weighted) mean of `−log P(yᵢ | xᵢ)` over held-out rows.
    pub log_loss: Array1<f64>,
    /// The (weighted) share of held-out rows whose class is not the most probable one.
    pub error: Array1<f64>,
}

impl LogisticPath {
    /// The position of the smallest log-loss, the first of equals.
    pub fn best(&self) -> Option<usize> {
        smallest(self.log_loss.iter().copied())
    }
}

/// Scores every λ by folds that hold the classes in their shares, drawn from the seed; the λ of
/// `spec` itself is not used.
///
/// # Formula
/// For every fold a path of fits on the other rows, each begun where the last one ended; the sums
/// of all folds over the sum of the weights.
///
/// # Cost
/// `folds` paths.
///
/// # Errors
/// [`Error::Parameter`] for an empty list and unless `2 ≤ folds ≤ rows`; as
/// [`LogisticRegression::fit`], for instance when a fold takes the only row of a class.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::LogisticRegression, select::logistic_path};
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((20, 1), |(i, _)| i as f64);
/// let labels: Vec<usize> = (0..20).map(|i| i / 10).collect();
/// let spec = LogisticRegression::new("gaussian(lengthscale=5)".parse()?, 1.0);
/// let path = logistic_path(&spec, &[100.0, 0.1], 4, x.view(), &labels, None, &Compute::new())?;
/// assert_eq!(path.best(), Some(1));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn logistic_path<'x>(
    spec: &LogisticRegression,
    lambdas: &[f64],
    folds: usize,
    x: impl Into<Points<'x>>,
    labels: &[usize],
    weights: Option<ArrayView1<f64>>,
    compute: &Compute,
) -> Result<LogisticPath> {
    let x = spec.kernel.points(x);
    x.check_square()?;
    if lambdas.is_empty() {
        return Err(Error::parameter("lambdas", "[]", "a list of at least one number"));
    }
    if labels.len() != x.len() {
        return Err(Error::shape("labels", format!("one per row ({})", x.len()), labels.len()));
    }
    let weights = weights.as_ref().map(|w| w.view());
    let data = LogisticFoldData { spec, lambdas, x: x.reborrow(), labels, weights };
    let (mut log_loss, mut error, mut total) = (Array1::zeros(lambdas.len()), Array1::zeros(lambdas.len()), 0.0);
    for held in stratified_folds(labels, folds, compute)? {
        for (at, fit) in data.fit_others(&held, compute)?.iter().enumerate() {
            let (loss, wrong) = data.score(fit, &held, compute)?;
            log_loss[at] += loss;
            error[at] += wrong;
        }
        total += held.iter().map(|&i| data.weight(i)).sum::<f64>();
    }
    Ok(LogisticPath { lambdas: lambdas.to_vec(), log_loss: log_loss / total, error: error / total })
}

/// What is divided into folds.
struct LogisticFoldData<'d> {
    spec: &'d LogisticRegression,
    lambdas: &'d [f64],
    x: Points<'d>,
    labels: &'d [usize],
    weights: Option<ArrayView1<'d, f64>>,
}

impl LogisticFoldData<'_> {
    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[row])
    }

    fn others(&self, held: &[usize]) -> Vec<usize> {
        (0..self.labels.len()).filter(|i| held.binary_search(i).is_err()).collect()
    }

    /// The rows; of a matrix of kernel values, also the columns of the rows that are fitted.
    fn select(&self, rows: &[usize], fitted: &[usize]) -> Sample {
        Sample::select_new(self.x, rows, fitted)
    }

    fn fit_others(&self, held: &[usize], compute: &Compute) -> Result<Vec<LogisticFit>> {
        let rows = self.others(held);
        let labels: Vec<usize> = rows.iter().map(|&i| self.labels[i]).collect();
        let weights = self.weights.map(|w| w.select(Axis(0), &rows));
        let x = self.select(&rows, &rows);
        self.spec.path(self.lambdas, x.as_points(), &labels, weights.as_ref().map(|w| w.view()), compute)
    }

    /// The sum of the log-losses and of the weights of the wrong rows.
    fn score(&self, fit: &LogisticFit, held: &[usize], compute: &Compute) -> Result<(f64, f64)> {
        let p = fit.probabilities(self.select(held, &self.others(held)).as_points(), compute)?;
        let (mut loss, mut wrong) = (0.0, 0.0);
        for (row, &i) in p.rows().into_iter().zip(held) {
            let own = row.get(self.labels[i]).copied().unwrap_or(0.0);
            loss -= self.weight(i) * own.max(f64::MIN_POSITIVE).ln();
            wrong += if row.iter().any(|other| *other > own) { self.weight(i) } else { 0.0 };
        }
        Ok((loss, wrong))
    }
}
