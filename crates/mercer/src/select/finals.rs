//! The best candidates of a search once more, by fits on more rows that are scored on others.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::grid::with_lengthscale;
use super::path::smallest;
use super::range::SearchedRange;
use super::search::{Candidate, RidgeChoice, RidgeSearch, Winner};
use crate::learn::Ridge;
use crate::learner::Plan;
use crate::wording::digits;
use crate::{Compute, Error, Points, Precision, Result, Sample};

/// Rows to fit on in every round, and the candidates that move in it.
const ROUNDS: [(usize, usize); 2] = [(1000, 3), (2500, 2)];
/// At most as many rows to score on.
const SCORED: usize = 3000;
/// The best of a kernel takes part if its score is at most this many times the best, by the search
/// and by a round.
const CLOSE: f64 = 1.5;
const CLOSER: f64 = 1.1;
/// A step has to improve the score by this factor: on the plateau of long lengthscales with small λ
/// no end is in sight, and systems become ill-conditioned.
const PLATEAU: f64 = 0.995;
/// Fits of one candidate in one round.
const FITS: usize = 8;
/// Factors of λ and of the lengthscale to neighbors. A longer lengthscale needs a smaller λ, so that
/// both move together.
const LAMBDA_STEP: f64 = 3.162_277_660_168_379_5;
const LENGTH_STEP: f64 = std::f64::consts::SQRT_2;
/// The accuracy of the fits, relative to their residuals.
const ACCURACY: f64 = 1e-2;
/// Bytes per squared row of a fit.
const BYTES: u64 = 24;

/// The comparison of the best candidates of a search on more rows.
///
/// # Theory
/// Leave-one-out needs a decomposition, which takes about ten times as long as a fit: where rows
/// abound, fits on more rows, scored on others, tell more in the same time. The best candidate of
/// every kernel enters; in two rounds with 1000 and 2500 rows the best three, then the best two,
/// descend by factors in λ and in the lengthscale.
///
/// # Example
/// ```
/// use mercer::{Compute, select::{RidgeFinals, RidgeSearch}};
/// use ndarray::{Array2, s};
/// let x = Array2::from_shape_fn((3000, 1), |(i, _)| (i * 7919 % 3000) as f64 / 100.0);
/// let y = x.mapv(|v| v.sin());
/// let mut search = RidgeSearch::new(vec!["gaussian()".parse()?]);
/// search.lengthscales = vec![0.01, 0.1, 1.0];
/// let compute = Compute::new();
/// let few = search.choose(x.slice(s![..200, ..]), y.slice(s![..200, ..]), None, &compute)?;
/// let finals = RidgeFinals::new(&search, &few, x.view(), y.view(), None, &compute)?.unwrap();
/// assert!(finals.winner.score < 1e-6 && finals.winner.lengthscale > Some(0.1));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeFinals {
    /// The best candidate; its score is the mean square of the errors on the scored rows.
    pub winner: Winner,
    /// All candidates of the last round with their λ and scores, in the order of their fits.
    pub tried: Vec<(Candidate, f64, f64)>,
    /// The rows that were fitted in the last round.
    pub fitted: usize,
    /// The rows on which these fits were scored.
    pub scored: usize,
    /// All fits of all rounds.
    pub fits: usize,
    /// The search ranges of λ and of the lengthscale.
    pub ranges: Vec<SearchedRange>,
    /// Whether the comparison ended by itself, and not because it was canceled.
    pub complete: bool,
}

/// A candidate with its λ and its score.
type Scored = (Candidate, f64, f64);

/// The rows of a round, and what was tried on them.
struct Round<'a> {
    search: &'a RidgeSearch,
    train: (Sample, Array2<f64>, Option<Array1<f64>>),
    test: (Sample, Array2<f64>, Option<Array1<f64>>),
    tried: Vec<Scored>,
}

impl RidgeFinals {
    /// The least rows, of which two thirds are fitted and one third is scored.
    pub const ROWS: usize = 3000;

    /// What a comparison with this many rows will run, and what it will take at most; `None` where
    /// there is none.
    pub fn plan(rows: usize, compute: &Compute) -> Option<Plan> {
        let most = Self::most(rows, compute)?;
        let rounds = ROUNDS.map(|(rows, moving)| (moving * FITS, rows.min(most)));
        let operations = |(fits, rows): (usize, usize)| fits as f64 * (rows as f64).powi(3) / 3.0;
        let largest = rounds.iter().map(|round| round.1 as u64).max().unwrap_or(0);
        let flops = rounds.into_iter().map(operations).sum();
        let shown = rounds.map(|(fits, rows)| format!("{fits} fits on {rows} rows")).join(" and ");
        let solver = format!("at most {shown} of the best candidates");
        Some(Plan::new(solver, BYTES * largest * largest, flops, "scored on other rows", compute))
    }

    /// The most rows that are fitted; `None` if there are too few rows, or too little memory.
    fn most(rows: usize, compute: &Compute) -> Option<usize> {
        let affordable = ((compute.memory() / BYTES) as f64).sqrt() as usize;
        (rows >= Self::ROWS && affordable >= ROUNDS[0].0).then(|| affordable.min(2 * rows / 3))
    }

    /// Compares the best candidates of a choice, which was made on some of these rows; `None` for
    /// fewer than 3000 rows (or as many as fit into the memory limit), for precomputed values, and
    /// where nothing could be fitted.
    ///
    /// # Errors
    /// [`Error::Canceled`] before the first round ended; afterwards the best so far is returned.
    pub fn new<'x>(
        search: &RidgeSearch,
        choice: &RidgeChoice,
        x: impl Into<Points<'x>>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<Option<Self>> {
        let x = x.into();
        let precomputed =
            matches!(x, Points::Precomputed(_)) || search.kernels.iter().any(crate::Kernel::is_precomputed);
        let Some(most) = Self::most(x.len(), compute).filter(|_| !precomputed) else { return Ok(None) };
        let order = compute.seed().stream("rows of a comparison", 0).permutation(x.len());
        let part = |rows: &[usize]| {
            let weights = weights.map(|w| w.select(Axis(0), rows));
            (Sample::select(x, rows), y.select(Axis(0), rows), weights)
        };
        // The same rows are scored in every round.
        let last = ROUNDS[ROUNDS.len() - 1].0.min(most);
        let test = &order[last..x.len().min(last + SCORED)];
        let mut entrants = leaders(choice);
        let (mut found, mut fits): (Option<Self>, usize) = (None, 0);
        let compute = &compute.optional();
        for (rows, moving) in ROUNDS {
            let rows = rows.min(most);
            let mut round = Round { search, train: part(&order[..rows]), test: part(test), tried: Vec::new() };
            let ended = round.run(&entrants, moving, compute);
            fits += round.tried.len();
            match ended {
                Err(Error::Canceled) => {
                    // The best so far is an answer.
                    return found.map(|found| Some(Self { complete: false, fits, ..found })).ok_or(Error::Canceled);
                }
                Err(other) => return Err(other),
                Ok(()) => {}
            }
            let Some(best) = round.best() else { return Ok(found) };
            found = Some(Self::of(search, choice, best, (&round, rows, test.len(), fits)));
            entrants = round.leaders(entrants.len());
        }
        Ok(found)
    }

    fn of(
        search: &RidgeSearch,
        choice: &RidgeChoice,
        (candidate, lambda, score): Scored,
        (round, fitted, scored, fits): (&Round<'_>, usize, usize, usize),
    ) -> Self {
        let perfect = score == 0.0;
        let of_family = || round.tried.iter().filter(|(c, ..)| c.family == candidate.family);
        let lambdas: Vec<f64> =
            of_family().map(|(_, lambda, _)| *lambda).chain(choice.lambdas.iter().copied()).collect();
        let mut ranges = vec![SearchedRange::new("lambda", &search.lambdas, &lambdas, lambda, perfect)];
        if let Some(length) = candidate.lengthscale {
            let first = choice.candidates.iter().filter(|c| c.family == candidate.family).filter_map(|c| c.lengthscale);
            let all: Vec<f64> = of_family().filter_map(|(c, ..)| c.lengthscale).chain(first).collect();
            ranges.push(SearchedRange::new("lengthscale", &search.lengthscales, &all, length, perfect));
        }
        let ranges = ranges.into_iter().filter(|range| range.last.0 < range.last.1).collect();
        let winner = Winner { kernel: candidate.kernel, lengthscale: candidate.lengthscale, lambda, score };
        Self { winner, tried: round.tried.clone(), fitted, scored, fits, ranges, complete: true }
    }
}

/// The best candidate of every kernel with its λ, the best first, those that are close to it.
fn leaders(choice: &RidgeChoice) -> Vec<Scored> {
    let best = |(candidate, scores): (&Candidate, ArrayView1<f64>)| {
        let least = scores[smallest(scores.iter().copied())?];
        // Where λ makes no difference the largest is the best conditioned.
        let at = (0..scores.len()).rev().find(|&at| PLATEAU * scores[at] <= least)?;
        Some((candidate.clone(), choice.lambdas[at], least))
    };
    best_of_families(choice.candidates.iter().zip(choice.scores.rows()).filter_map(best).collect(), CLOSE)
}

/// The best of every family that is close to the best of all, which is the first.
fn best_of_families(mut tried: Vec<Scored>, close: f64) -> Vec<Scored> {
    tried.retain(|(.., score)| score.is_finite());
    tried.sort_by(|a, b| a.2.total_cmp(&b.2));
    let mut leaders: Vec<Scored> = Vec::new();
    for scored in tried {
        let known = leaders.iter().any(|(c, ..)| c.family == scored.0.family);
        if !known && leaders.first().is_none_or(|(.., best)| scored.2 <= close * best) {
            leaders.push(scored);
        }
    }
    leaders
}

impl Round<'_> {
    /// Scores all, then lets the best few descend.
    fn run(&mut self, entrants: &[Scored], moving: usize, compute: &Compute) -> Result<()> {
        for (candidate, lambda, _) in entrants {
            self.score(candidate.clone(), *lambda, compute)?;
        }
        for start in self.leaders(moving) {
            self.descend(start, compute)?;
        }
        Ok(())
    }

    fn best(&self) -> Option<Scored> {
        self.leaders(1).into_iter().next()
    }

    fn leaders(&self, most: usize) -> Vec<Scored> {
        let mut leaders = best_of_families(self.tried.clone(), CLOSER);
        leaders.truncate(most);
        leaders
    }

    /// Steps to better neighbors, in turn in λ and in the lengthscale (with λ).
    fn descend(&mut self, start: Scored, compute: &Compute) -> Result<()> {
        let (mut at, mut left, mut idle, mut axis) = (start, FITS, 0, 0);
        while left > 0 && idle < 2 {
            let mut moved = false;
            for up in [true, false] {
                // A direction that was left is no improvement.
                while left > 0
                    && let Some((candidate, lambda)) = self.neighbor(&at, axis, up)?
                {
                    left -= 1;
                    let score = self.score(candidate.clone(), lambda, compute)?;
                    if score.is_nan() || score >= PLATEAU * at.2 {
                        break;
                    }
                    (at, moved) = ((candidate, lambda, score), true);
                }
                if moved {
                    break;
                }
            }
            idle = if moved { 0 } else { idle + 1 };
            axis = 1 - axis;
        }
        Ok(())
    }

    /// The neighbor by one parameter, unless it was tried.
    fn neighbor(&self, at: &Scored, axis: usize, up: bool) -> Result<Option<(Candidate, f64)>> {
        let factor = |step: f64| if up { step } else { 1.0 / step };
        let (candidate, lambda) = match (axis, at.0.lengthscale) {
            (0, _) => (at.0.clone(), at.1 * factor(LAMBDA_STEP)),
            (_, None) => return Ok(None),
            (_, Some(length)) => {
                let length = length * factor(LENGTH_STEP);
                let kernel = with_lengthscale(&at.0.kernel, length)?;
                (Candidate { kernel, family: at.0.family, lengthscale: Some(length) }, at.1 / factor(LAMBDA_STEP))
            }
        };
        let near = |a: f64, b: f64| (a / b).ln().abs() < 1e-9;
        let same = |(c, l, _): &Scored| {
            let lengths = c.lengthscale.zip(candidate.lengthscale).is_none_or(|(a, b)| near(a, b));
            c.family == candidate.family && lengths && near(*l, lambda)
        };
        Ok((!self.tried.iter().any(same)).then_some((candidate, lambda)))
    }

    /// The mean square of the errors on the scored rows, NaN where there is no fit.
    fn score(&mut self, candidate: Candidate, lambda: f64, compute: &Compute) -> Result<f64> {
        compute.check_canceled()?;
        compute.remark(|| format!("{}, λ = {} on {} rows", candidate.kernel, digits(lambda, 2), self.train.0.len()));
        let silent = compute.silent();
        let single = silent.clone().with_precision(Precision::SingleTiles);
        let ridge = self.search.ridge(&candidate, lambda);
        let ridge = Ridge { diagnostics: false, tolerance: ACCURACY, ..ridge };
        let ((x, y, w), (x_test, y_test, w_test)) = (&self.train, &self.test);
        let fit = ridge.fit(x, y.view(), w.as_ref().map(|w| w.view()), &silent);
        let score = match fit.and_then(|fit| fit.predict(x_test, &single)) {
            Ok(found) => mean_square(&(found - y_test), w_test.as_ref()),
            Err(Error::Canceled) => return Err(Error::Canceled),
            Err(_) => f64::NAN,
        };
        self.tried.push((candidate, lambda, score));
        Ok(score)
    }
}

/// The (weighted) mean square over rows and outputs.
fn mean_square(errors: &Array2<f64>, weights: Option<&Array1<f64>>) -> f64 {
    let squares = errors.mapv(|e| e * e).mean_axis(Axis(1)).unwrap_or_default();
    match weights {
        Some(weights) => squares.dot(weights) / weights.sum(),
        None => squares.mean().unwrap_or(f64::NAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    /// A wave with noise of standard deviation 0.3, and a search that starts far from its best.
    fn wave(rows: usize) -> (Array2<f64>, Array2<f64>) {
        let mut stream = Seed(5).stream("wave", 0);
        let x = Array2::from_shape_fn((rows, 2), |_| 3.0 * stream.normal());
        let y = Array2::from_shape_fn((rows, 1), |(i, _)| (2.0 * x[[i, 0]]).sin() + x[[i, 1]] + 0.3 * stream.normal());
        (x, y)
    }

    fn finals(rows: usize, compute: &Compute) -> Result<Option<RidgeFinals>> {
        let (x, y) = wave(rows);
        let kernels = ["gaussian()", "matern(nu=3/2)"].map(|text| text.parse().unwrap()).to_vec();
        let search = RidgeSearch { lengthscales: vec![1.0, 8.0], intercept: true, ..RidgeSearch::new(kernels) };
        let few: Vec<usize> = (0..200).collect();
        let choice =
            search.choose(x.select(Axis(0), &few).view(), y.select(Axis(0), &few).view(), None, &Compute::new())?;
        RidgeFinals::new(&search, &choice, x.view(), y.view(), None, compute)
    }

    /// The least error of exact fits on the same rows.
    fn best_of_a_grid(rows: usize, compute: &Compute) -> f64 {
        let (x, y) = wave(rows);
        let order = compute.seed().stream("rows of a comparison", 0).permutation(rows);
        let (train, test) = order.split_at(2500);
        let part = |rows: &[usize]| (x.select(Axis(0), rows), y.select(Axis(0), rows));
        let ((x, y), (x_test, y_test)) = (part(train), part(test));
        let places = [0.5, 1.0, 2.0, 4.0].into_iter().flat_map(|l| [0.01, 0.1, 1.0].map(|lambda| (l, lambda)));
        let error = |(length, lambda): (f64, f64)| {
            let kernel = format!("gaussian(lengthscale={length})").parse().unwrap();
            let ridge = Ridge { intercept: true, diagnostics: false, ..Ridge::new(kernel, lambda) };
            let fit = ridge.fit(x.view(), y.view(), None, compute).unwrap();
            mean_square(&(fit.predict(x_test.view(), compute).unwrap() - &y_test), None)
        };
        places.map(error).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn the_winner_is_as_good_as_the_best_of_a_grid_on_the_same_rows() {
        let compute = Compute::new();
        let found = finals(4000, &compute).unwrap().unwrap();
        assert!(found.complete);
        assert_eq!((found.fitted, found.scored), (2500, 1500));
        let least = best_of_a_grid(4000, &compute);
        assert!(found.winner.score <= 1.05 * least, "{} beside {least}", found.winner.score);
        assert!(found.tried.iter().all(|(.., score)| *score >= found.winner.score));
        assert!(found.fits <= 2 * (2 + 2 * FITS));
    }

    #[test]
    fn the_comparison_is_the_same_for_any_number_of_threads() {
        let one = finals(3000, &Compute::new().with_threads(1).unwrap()).unwrap();
        assert_eq!(one, finals(3000, &Compute::new().with_threads(3).unwrap()).unwrap());
    }

    #[test]
    fn few_rows_or_little_memory_are_not_compared() {
        assert_eq!(finals(2999, &Compute::new()).unwrap(), None);
        assert_eq!(finals(3000, &Compute::new().with_memory(1 << 20)).unwrap(), None);
    }
}
