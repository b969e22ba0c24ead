//! What a search tried: the table of candidates with their scores.

use std::collections::HashSet;

use ndarray::{Array2, Axis};

use super::criterion::Criterion;
use super::finals::RidgeFinals;
use super::fold_search::{FoldChoice, FoldSearch, Tried};
use super::range::SearchedRange;
use super::screening::Screening;
use super::search::{Candidate, RidgeChoice, RidgeSearch};
use crate::Kernel;

/// What is measured of a candidate; smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The mean square of the errors.
    SquaredError,
    /// The share of the rows whose class is wrong.
    WrongClasses,
    /// The mean of `−log P` of the class.
    LogLoss,
}

impl Measure {
    /// The word for it: `squared_error`, `wrong_classes`, `log_loss`.
    pub fn name(self) -> &'static str {
        match self {
            Self::SquaredError => "squared_error",
            Self::WrongClasses => "wrong_classes",
            Self::LogLoss => "log_loss",
        }
    }
}

/// A candidate of a search, with the best λ or C for it.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The learner, as the catalogue names it.
    pub learner: &'static str,
    /// The kernel, or another name.
    pub name: String,
    /// What it is one of: its kernel before a lengthscale was put in.
    pub family: String,
    /// λ or C, where there is one.
    pub parameter: Option<f64>,
    /// The mean loss by the criterion.
    pub score: f64,
}

/// The scores over lengthscales and λ of one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreSurface {
    /// The kernel before a lengthscale was put in.
    pub kernel: String,
    /// The lengthscales, one per row.
    pub lengthscales: Vec<f64>,
    /// The λ, one per column.
    pub lambdas: Vec<f64>,
    /// The scores; NaN where nothing was tried.
    pub scores: Array2<f64>,
    /// The row and the column of the best.
    pub best: (usize, usize),
}

/// What a search tried, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchReport {
    /// How candidates were scored.
    pub criterion: Criterion,
    /// What the scores are.
    pub measure: Measure,
    /// The name of the parameter beside the kernel.
    pub parameter: &'static str,
    /// Rows that the scores were computed on.
    pub rows: usize,
    /// All rows.
    pub of: usize,
    /// The screening, where candidates were dropped.
    pub screening: Option<Screening>,
    /// The candidates.
    pub results: Vec<SearchResult>,
    /// The surface of the kernel that won, where lengthscales were searched.
    pub surface: Option<ScoreSurface>,
    /// The ranges of the numbers that were chosen.
    pub ranges: Vec<SearchedRange>,
    /// The rows of a first grid and its candidates, where it had fewer rows.
    pub screened: Option<(usize, Vec<SearchResult>)>,
    /// Models that were fitted, where they were.
    pub fits: Option<usize>,
    /// Whether the search ended by itself, and not because it was stopped.
    pub complete: bool,
    /// Whether screening left only the best of every kernel.
    pub frugal: bool,
    /// Rows that were fitted and rows on which these fits were scored, after a first search.
    pub held_out: Option<(usize, usize)>,
}

impl SearchReport {
    /// Of a search for a ridge regression on `rows` of the rows `of` the data.
    pub fn of_ridge(search: &RidgeSearch, found: &RidgeChoice, rows: usize, of: usize) -> Self {
        let line = |(i, candidate): (usize, &Candidate)| {
            let scores = found.scores.row(i);
            let tried = (0..scores.len()).filter(|&j| !scores[j].is_nan());
            let best = tried.min_by(|&a, &b| scores[a].total_cmp(&scores[b]))?;
            Some(ridge_result(search, candidate, found.lambdas[best], scores[best]))
        };
        let mut results: Vec<SearchResult> = found.candidates.iter().enumerate().filter_map(line).collect();
        let winner = &found.winner;
        // λ may have been refined beyond the grid.
        if !found.lambdas.contains(&winner.lambda) {
            let (family, name) = (found.candidates[found.best.0].family, winner.kernel.to_string());
            let family = search.kernels[family].to_string();
            results.push(SearchResult {
                learner: "ridge",
                name,
                family,
                parameter: Some(winner.lambda),
                score: winner.score,
            });
        }
        Self {
            criterion: search.criterion,
            measure: Measure::SquaredError,
            parameter: "λ",
            rows,
            of,
            screening: found.screening.clone().filter(|screening| screening.dropped > 0),
            results,
            surface: ScoreSurface::new(search, found),
            ranges: found.ranges.clone(),
            screened: None,
            fits: None,
            complete: found.complete,
            frugal: search.frugal,
            held_out: None,
        }
    }

    /// With a comparison on more rows after the search.
    pub(super) fn then(self, search: &RidgeSearch, finals: RidgeFinals) -> Self {
        let tried = finals.tried.iter().filter(|(.., score)| score.is_finite());
        let line =
            |(candidate, lambda, score): &(Candidate, f64, f64)| ridge_result(search, candidate, *lambda, *score);
        Self {
            rows: finals.fitted + finals.scored,
            screening: None,
            screened: Some((self.rows, self.results)),
            results: tried.map(line).collect(),
            ranges: finals.ranges,
            fits: Some(finals.fits),
            complete: self.complete && finals.complete,
            held_out: Some((finals.fitted, finals.scored)),
            ..self
        }
    }

    /// Of a search by folds for this learner.
    pub fn of_folds(
        learner: &'static str,
        search: &FoldSearch,
        (measure, parameter): (Measure, &'static str),
        found: &FoldChoice,
        of: usize,
    ) -> Self {
        let families: Vec<String> = search.fixed.iter().chain(&search.kernels).map(Kernel::to_string).collect();
        let one = |tried: &Tried| SearchResult {
            learner,
            name: tried.kernel.to_string(),
            family: families[tried.family].clone(),
            parameter: Some(tried.parameter),
            score: tried.score,
        };
        let results = |tried: &[Tried]| tried.iter().map(one).collect::<Vec<_>>();
        Self {
            criterion: Criterion::Folds(search.folds),
            measure,
            parameter,
            rows: found.rows,
            of,
            screening: None,
            results: results(&found.tried),
            surface: None,
            ranges: found.ranges.clone(),
            screened: found.screened.first().map(|tried| (tried.rows, results(&found.screened))),
            fits: Some(found.fits),
            complete: found.complete,
            frugal: false,
            held_out: None,
        }
    }

    /// Whether the candidates were compared on more rows after the first search.
    pub fn is_compared(&self) -> bool {
        self.held_out.is_some()
    }

    /// The candidates, best first.
    pub fn ranked(&self) -> Vec<&SearchResult> {
        let mut ranked: Vec<&SearchResult> = self.results.iter().collect();
        ranked.sort_by(|a, b| a.score.total_cmp(&b.score));
        ranked
    }

    /// The best of every family, or of a single family at most this many.
    pub fn leading(&self, most: usize) -> Vec<&SearchResult> {
        let mut seen = HashSet::new();
        let ranked = self.ranked();
        let best: Vec<&SearchResult> = ranked.iter().copied().filter(|c| seen.insert(c.family.as_str())).collect();
        if best.len() > 1 { best } else { ranked.into_iter().take(most).collect() }
    }

    /// The same with a word before the name of every candidate.
    pub(super) fn renamed(mut self, word: &str) -> Self {
        let screened = self.screened.iter_mut().flat_map(|(_, results)| results);
        for result in self.results.iter_mut().chain(screened) {
            result.name = format!("{word} {}", result.name);
            result.family = format!("{word} {}", result.family);
        }
        self
    }

    /// Takes the candidates of another search; its surface too if it won.
    ///
    /// Scores on other rows cannot be compared: the candidates that were scored on fewer rows stand
    /// beside those of the first grid.
    pub(super) fn join(mut self, mut other: Self, other_won: bool) -> Self {
        if other.rows > self.rows {
            std::mem::swap(&mut self.results, &mut other.results);
            std::mem::swap(&mut self.rows, &mut other.rows);
        }
        let rows = other.rows;
        let mut fewer = other.screened;
        if rows == self.rows {
            self.results.extend(other.results);
        } else {
            fewer.get_or_insert((rows, Vec::new())).1.extend(other.results);
        }
        match (&mut self.screened, fewer) {
            (Some((_, results)), Some((_, more))) => results.extend(more),
            (screened, more) => *screened = screened.take().or(more),
        }
        self.complete &= other.complete;
        self.fits = self.fits.map(|fits| fits + other.fits.unwrap_or(0));
        if other_won {
            (self.surface, self.ranges) = (other.surface, other.ranges);
        }
        self
    }
}

fn ridge_result(search: &RidgeSearch, candidate: &Candidate, lambda: f64, score: f64) -> SearchResult {
    SearchResult {
        learner: "ridge",
        name: candidate.kernel.to_string(),
        family: search.kernels[candidate.family].to_string(),
        parameter: Some(lambda),
        score,
    }
}

impl ScoreSurface {
    /// The rows of the kernel that won, where lengthscales were searched.
    fn new(search: &RidgeSearch, found: &RidgeChoice) -> Option<Self> {
        let family = found.candidates[found.best.0].family;
        let scored = |i: usize| found.scores.row(i).iter().any(|score| !score.is_nan());
        let of_family = |&i: &usize| found.candidates[i].family == family && scored(i);
        let rows: Vec<usize> = (0..found.candidates.len()).filter(of_family).collect();
        let lengthscales: Vec<f64> = rows.iter().filter_map(|&i| found.candidates[i].lengthscale).collect();
        if lengthscales.len() < 2 || found.lambdas.len() < 2 {
            return None;
        }
        let position = rows.iter().position(|&i| i == found.best.0)?;
        Some(Self {
            kernel: search.kernels[family].to_string(),
            lengthscales,
            lambdas: found.lambdas.clone(),
            scores: found.scores.select(Axis(0), &rows),
            best: (position, found.best.1),
        })
    }
}
