//! Screening: candidates that are clearly worse on a sample of the rows are dropped before the
//! others are scored on all rows.

use ndarray::{Array1, Axis};

use super::search::{Candidate, RidgeSearch, SearchData};
use crate::learn::ridge::{Diagnostics, RidgeData};
use crate::{Compute, Error, Points, Result, Sample};

/// Screening starts at `ROWS` rows and `CANDIDATES` candidates: below, fitting all is cheap.
const ROWS: usize = 1000;
const CANDIDATES: usize = 5;
/// Fraction of the rows used for screening: fitting a third of the rows takes a 27th of the time.
const PART: usize = 3;
/// Standard errors of the mean difference of the squared errors, row by row, by which a candidate
/// has to be worse than the best.
const STANDARD_ERRORS: f64 = 3.0;

/// The result of screening.
#[derive(Clone, Debug, PartialEq)]
pub struct Screening {
    /// The rows that it was run on.
    pub rows: usize,
    /// Candidates that were dropped.
    pub dropped: usize,
}

/// The result of screening, with the errors that decided it.
pub(super) struct Screened {
    /// Who stays.
    pub(super) stays: Vec<bool>,
    /// The squared leave-one-out errors of every candidate at its best λ, row by row.
    errors: Vec<Array1<f64>>,
    rows: usize,
}

impl Screened {
    /// Neighbors of the winner on all rows that were dropped, and are not clearly worse than the
    /// winner: they were compared with another.
    pub(super) fn recalled(&self, candidates: &[Candidate], winner: usize) -> Vec<usize> {
        let near = [winner.checked_sub(1), Some(winner + 1)].into_iter().flatten();
        let same = |&i: &usize| candidates.get(i).is_some_and(|c| c.family == candidates[winner].family);
        near.filter(same).filter(|&i| !self.stays[i] && !is_worse(&self.errors[i], &self.errors[winner])).collect()
    }

    pub(super) fn screening(&self) -> Screening {
        Screening { rows: self.rows, dropped: self.stays.iter().filter(|stays| !**stays).count() }
    }
}

impl RidgeSearch {
    /// Which candidates stay: those that are not worse than the best by three standard errors on a
    /// third of the rows, and the neighbors of the best, which more rows might prefer. `None` where
    /// there is no screening: few rows, few candidates, precomputed values, or a part of the rows
    /// on which nothing can be fitted.
    pub(super) fn screen(
        &self,
        candidates: &[Candidate],
        data: RidgeData<'_>,
        compute: &Compute,
    ) -> Result<Option<Screened>> {
        let precomputed = matches!(data.x, Points::Precomputed(_));
        if !self.screening || precomputed || data.x.len() < ROWS || candidates.len() < CANDIDATES {
            return Ok(None);
        }
        let mut rows = compute.seed().stream("race", 0).permutation(data.x.len());
        rows.truncate(data.x.len() / PART);
        rows.sort_unstable();
        let (x, y) = (Sample::select(data.x, &rows), data.y.select(Axis(0), &rows));
        let weights = data.weights.map(|w| w.select(Axis(0), &rows));
        let part =
            RidgeData { x: x.as_points(), y: y.view(), basis: None, weights: weights.as_ref().map(|w| w.view()) };
        let errors = match self.errors(candidates, part, compute) {
            Err(Error::Canceled) => return Err(Error::Canceled),
            Err(_) => return Ok(None),
            Ok(errors) => errors,
        };
        Ok(survivors(candidates, &errors, self.frugal).map(|stays| Screened { stays, errors, rows: rows.len() }))
    }

    /// The squared leave-one-out errors of every candidate at its best λ, row by row.
    fn errors(&self, candidates: &[Candidate], data: RidgeData<'_>, compute: &Compute) -> Result<Vec<Array1<f64>>> {
        let list = self.shared(data.x, compute)?;
        let of = |candidate: Candidate| {
            let weights = data.weights.as_ref().map(|w| w.view());
            let sample = SearchData { x: data.x.reborrow(), y: data.y.view(), weights, list: list.as_ref() };
            let path = self.path(&candidate, &self.lambdas, sample, compute)?;
            let none = || Error::undefined("the score of every λ", "try larger values of λ");
            let lambda = self.lambdas[path.best(self.criterion).ok_or_else(none)?];
            let fit = self.ridge(&candidate, lambda).fit(data.x, data.y, data.weights, compute)?;
            let Diagnostics { loo_residuals, .. } = fit.diagnostics().ok_or_else(none)?;
            let squares = loo_residuals.mapv(|r| r * r).sum_axis(Axis(1));
            Ok(data.weights.map_or(squares.clone(), |w| squares * w))
        };
        super::search::together(candidates.to_vec(), &of, compute)
    }
}

/// Those that are not clearly worse than the best (of every family only the best of these, where
/// the search is frugal), and its neighbors in the same family; `None` when an error is not a
/// number.
fn survivors(candidates: &[Candidate], errors: &[Array1<f64>], frugal: bool) -> Option<Vec<bool>> {
    let means: Vec<f64> = errors.iter().map(|e| e.mean().unwrap_or(f64::NAN)).collect();
    if means.iter().any(|mean| !mean.is_finite()) {
        return None;
    }
    let best = super::path::smallest(means.iter().copied())?;
    let leads = |i: usize| {
        let of_family = (0..means.len()).filter(|&j| candidates[j].family == candidates[i].family);
        of_family.min_by(|&a, &b| means[a].total_cmp(&means[b])) == Some(i)
    };
    let stays = |i: usize| {
        let near = i.abs_diff(best) <= 1 && candidates[i].family == candidates[best].family;
        near || (!is_worse(&errors[i], &errors[best]) && (!frugal || leads(i)))
    };
    Some((0..errors.len()).map(stays).collect())
}

/// Whether errors are larger than others by three standard errors of the mean difference.
fn is_worse(errors: &Array1<f64>, others: &Array1<f64>) -> bool {
    let difference = errors - others;
    let (n, mean) = (difference.len() as f64, difference.mean().unwrap_or(0.0));
    let variance = difference.mapv(|d| (d - mean).powi(2)).sum() / (n - 1.0);
    mean > STANDARD_ERRORS * (variance / n).sqrt()
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::Seed;

    /// Rows of a sine with noise.
    fn wave(n: usize) -> (Array2<f64>, Array2<f64>) {
        let mut random = Seed(5).stream("wave", 0);
        let x = Array2::from_shape_fn((n, 2), |_| 6.0 * random.uniform());
        let y =
            Array2::from_shape_fn((n, 1), |(i, _)| x[[i, 0]].sin() + (2.0 * x[[i, 1]]).cos() + 0.1 * random.normal());
        (x, y)
    }

    fn search() -> RidgeSearch {
        let lengthscales = (0..8).map(|i| 0.02 * 3.0_f64.powi(i)).collect();
        RidgeSearch { lengthscales, ..RidgeSearch::new(vec!["gaussian()".parse().unwrap()]) }
    }

    #[test]
    fn screening_drops_the_hopeless_and_finds_the_same_winner() {
        let ((x, y), compute) = (wave(1000), Compute::new());
        let screened = search().fit(x.view(), y.view(), None, &compute).unwrap();
        let all = RidgeSearch { screening: false, ..search() }.fit(x.view(), y.view(), None, &compute).unwrap();
        assert_eq!((screened.best, screened.best_score), (all.best, all.best_score));
        assert_eq!(all.screening, None);
        let screening = screened.screening.unwrap();
        assert!(screening.rows == 333 && (3..=5).contains(&screening.dropped), "{screening:?}");
        // What was scored on all rows has the score that it has without screening, what was dropped
        // has none.
        let rows = screened.scores.rows().into_iter().zip(all.scores.rows());
        let (unknown, known): (Vec<_>, Vec<_>) = rows.partition(|(screened, _)| screened[0].is_nan());
        assert_eq!(unknown.len(), screening.dropped);
        assert!(known.iter().all(|(screened, all)| screened == all));
    }

    #[test]
    fn frugal_screening_drops_more_and_finds_about_as_good_a_winner() {
        let ((x, y), compute) = (wave(1000), Compute::new());
        let kernels = ["gaussian()", "matern(nu=5/2)", "matern(nu=3/2)"].map(|text| text.parse().unwrap()).to_vec();
        // So close to each other that several of a family are about as good as its best.
        let lengthscales = (0..8).map(|i| 0.8 * 1.25_f64.powi(i)).collect();
        let search = RidgeSearch { kernels, lengthscales, ..search() };
        let screened = search.choose(x.view(), y.view(), None, &compute).unwrap();
        let frugal = RidgeSearch { frugal: true, ..search }.choose(x.view(), y.view(), None, &compute).unwrap();
        assert!(frugal.screening.unwrap().dropped > screened.screening.unwrap().dropped);
        assert!(frugal.best_score <= 1.02 * screened.best_score, "{} {}", frugal.best_score, screened.best_score);
    }

    #[test]
    fn few_rows_are_not_screened() {
        let (x, y) = wave(200);
        assert_eq!(search().fit(x.view(), y.view(), None, &Compute::new()).unwrap().screening, None);
    }

    #[test]
    fn neighbors_of_the_best_and_equals_stay() {
        let lengths = [1.0, 2.0, 4.0, 8.0, 16.0];
        let candidates: Vec<Candidate> = lengths
            .iter()
            .map(|&l| Candidate { kernel: "gaussian()".parse().unwrap(), family: 0, lengthscale: Some(l) })
            .collect();
        let noise = |i: usize| if i.is_multiple_of(2) { 0.5 } else { -0.5 };
        let errors = |shift: f64, spread: f64| Array1::from_shape_fn(100, |i| 1.0 + shift + spread * noise(i));
        // Against the second: the first and third are its neighbors; the fourth differs by less
        // than three standard errors (0.05 each).
        let all = [errors(5.0, 0.0), errors(0.0, 0.0), errors(5.0, 0.0), errors(0.14, 1.0), errors(0.16, -1.0)];
        assert_eq!(survivors(&candidates, &all, false), Some(vec![true, true, true, true, false]));
        assert_eq!(survivors(&candidates[..1], &[errors(f64::NAN, 0.0)], false), None);
        // A frugal search keeps one of every family beside the neighbors of the best.
        assert_eq!(survivors(&candidates, &all, true), Some(vec![true, true, true, false, false]));
        let other = |c: &Candidate| Candidate { family: usize::from(c.lengthscale > Some(4.0)), ..c.clone() };
        let two: Vec<Candidate> = candidates.iter().map(other).collect();
        assert_eq!(survivors(&two, &all, true), Some(vec![true, true, true, true, false]));
        // The fourth wins on all rows: the fifth is no worse than that one.
        let screened = Screened { stays: vec![true, true, true, true, false], errors: all.to_vec(), rows: 100 };
        assert_eq!((screened.recalled(&candidates, 3), screened.recalled(&candidates, 1)), (vec![4], vec![]));
        assert_eq!(screened.screening(), Screening { rows: 100, dropped: 1 });
    }
}
