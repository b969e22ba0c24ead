//! A search over kernels, lengthscales and λ together.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use super::grid::{log_grid, with_lengthscale};
use super::path::{matrices, shared_path, smallest};
use super::range::SearchedRange;
use super::refine::refine_lambda;
use super::screening::Screening;
use super::{Criterion, RidgePath};
use crate::gram::KernelList;
use crate::learn::ridge::RidgeData;
use crate::learn::{Ridge, RidgeFit};
use crate::wording::digits;
use crate::{Compute, Error, Kernel, Points, Result};

/// A search for the kernel, the lengthscale and the λ of a ridge regression.
///
/// # Theory
/// One decomposition per kernel and lengthscale scores every λ, so a grid of 10 lengthscales and 20
/// λ costs 10 decompositions, whatever the criterion: only the best model is fitted again.
///
/// With at least 1000 rows and five candidates, candidates are screened: on a third of the rows,
/// drawn from the seed, candidates whose squared leave-one-out errors are worse than those of the
/// best by three standard errors of the mean difference are dropped; the neighbors of the best
/// always stay. The others are scored on all rows, and so are the neighbors of the winner unless
/// they are as clearly worse than the winner.
///
/// Where the best λ lies at an end of the default list, the list is extended by two decades, at
/// most twice, for the candidates that are best there; an explicit list is not. Lengthscales are
/// extended if [`RidgeSearch::extend_lengthscales`] is set. [`RidgeSearchFit::ranges`] lists what
/// was tried.
///
/// # Cost
/// One [`ridge_path`](super::ridge_path) per kernel and lengthscale that is not dropped, two per refinement, and a
/// fit; screening takes a 27th of a path, and a fit of a third of the rows, for every candidate.
///
/// # Example
/// ```
/// use mercer::{Compute, select::RidgeSearch};
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((40, 1), |(i, _)| i as f64 / 10.0);
/// let y = x.mapv(|v| (2.0 * v).sin());
/// let mut search = RidgeSearch::new(vec!["gaussian()".parse()?]);
/// search.lengthscales = vec![0.01, 0.5, 100.0];
/// let found = search.fit(x.view(), y.view(), None, &Compute::new())?;
/// assert_eq!(found.candidates[found.best.0].lengthscale, Some(0.5));
/// // Without noise the smallest λ is the best: the list of 19 went on beyond 1e-6.
/// assert!(found.scores.nrows() == 3 && found.scores.ncols() > 19 && found.best_score < 1e-6);
/// assert!(found.ranges.iter().any(|range| range.parameter == "lambda" && range.is_extended()));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeSearch {
    /// The candidate kernels.
    pub kernels: Vec<Kernel>,
    /// The lengthscales to try for every kernel; empty to use the kernels unchanged.
    pub lengthscales: Vec<f64>,
    /// The λ to try.
    pub lambdas: Vec<f64>,
    /// The selection criterion.
    pub criterion: Criterion,
    /// Whether to fit an unpenalized intercept.
    pub intercept: bool,
    /// After the grid: how often the gaps beside the best lengthscale are halved (in the
    /// logarithm), each time adding up to two rows to the surface; then λ is refined as often, each
    /// time to an eighth of the gap (see [`RidgeSearchFit::winner`]).
    pub refinements: usize,
    /// Whether to accept kernels that are not positive semi-definite.
    pub indefinite: bool,
    /// Whether candidates that are clearly worse on a part of the rows are dropped; otherwise the
    /// whole surface is scored.
    pub screening: bool,
    /// Whether screening leaves only the best of every kernel, and the neighbors of the best of
    /// all: fewer candidates are scored on all rows, and one that the fewer rows rank a little
    /// lower is missed.
    pub frugal: bool,
    /// Whether longer and shorter lengthscales are tried where the best one lies at an end of the
    /// list, by the ratio of the last two.
    pub extend_lengthscales: bool,
}

/// A candidate kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The kernel.
    pub kernel: Kernel,
    /// Its index in the list of the search.
    pub family: usize,
    /// The lengthscale if lengthscales were searched.
    pub lengthscale: Option<f64>,
}

/// The best kernel and λ, between the grid points of the surface where the search was refined.
#[derive(Clone, Debug, PartialEq)]
pub struct Winner {
    /// The kernel.
    pub kernel: Kernel,
    /// The lengthscale if lengthscales were searched.
    pub lengthscale: Option<f64>,
    /// λ.
    pub lambda: f64,
    /// Its score, at most that of the best point of the surface.
    pub score: f64,
}

/// The best candidate of a search, fitted on all of the data, and the surface of scores.
#[derive(Clone, Debug)]
pub struct RidgeSearchFit {
    /// The final fit.
    pub fit: RidgeFit,
    /// The candidate kernels, one per row of the surface: ordered by their index in the list, then
    /// by lengthscale.
    pub candidates: Vec<Candidate>,
    /// The λ, one per column of the surface.
    pub lambdas: Vec<f64>,
    /// The score of every candidate (row) with every λ (column); smaller is better. NaN in the rows
    /// of candidates that were dropped.
    pub scores: Array2<f64>,
    /// The row and the column of the best point of the surface.
    pub best: (usize, usize),
    /// The score there.
    pub best_score: f64,
    /// What was fitted: the best point of the surface, or a λ beside it.
    pub winner: Winner,
    /// The screening, if there was one.
    pub screening: Option<Screening>,
    /// The search ranges of λ and of the lengthscale.
    pub ranges: Vec<SearchedRange>,
}

/// The selection of a search, before the final fit.
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeChoice {
    /// The candidate kernels, as in [`RidgeSearchFit::candidates`].
    pub candidates: Vec<Candidate>,
    /// The λ, one per column of the surface.
    pub lambdas: Vec<f64>,
    /// The scores, as in [`RidgeSearchFit::scores`]; also NaN at λ that were tried only with other
    /// candidates, and where the search was stopped.
    pub scores: Array2<f64>,
    /// The row and the column of the best point of the surface.
    pub best: (usize, usize),
    /// The score there.
    pub best_score: f64,
    /// The best place of the surface, or a λ beside it.
    pub winner: Winner,
    /// The screening, if there was one.
    pub screening: Option<Screening>,
    /// The search ranges of λ and of the lengthscale.
    pub ranges: Vec<SearchedRange>,
    /// Whether the search ended by itself, and not because it was canceled.
    pub complete: bool,
}

/// The ends of the default λ.
const LAMBDAS: (f64, f64) = (1e-6, 1e3);
/// The number of the default λ, two per decade.
const COUNT: usize = 19;
/// Number of λ by which a list is extended at a time, and maximum number of extensions at each end.
const MORE: usize = 4;
const TIMES: usize = 2;
/// The extension of lengthscales ends when the score improves by less than this factor.
const PLATEAU: f64 = 0.995;
/// Lengthscales that may be tried beyond each end of the list.
const REACH: usize = 6;

fn default_lambdas() -> Vec<f64> {
    log_grid(LAMBDAS.0, LAMBDAS.1, COUNT).expect("both ends are positive")
}

/// The data of a search.
#[derive(Clone, Copy)]
pub(super) struct SearchData<'d> {
    pub(super) x: Points<'d>,
    pub(super) y: ArrayView2<'d, f64>,
    pub(super) weights: Option<ArrayView1<'d, f64>>,
    /// The features that the kernels share on these points.
    pub(super) list: Option<&'d KernelList>,
}

/// The surface while it grows.
struct Surface {
    tried: Vec<(Candidate, RidgePath)>,
    lambdas: Vec<f64>,
    screening: Option<Screening>,
    complete: bool,
}

impl Surface {
    /// In the order of families and lengthscales.
    fn sort(&mut self) {
        self.tried.sort_by(|(a, _), (b, _)| {
            let length = |c: &Candidate| c.lengthscale.unwrap_or(0.0);
            a.family.cmp(&b.family).then(length(a).total_cmp(&length(b)))
        });
    }
}

impl RidgeSearch {
    /// A search by leave-one-out over 19 λ from 10⁻⁶ to 10³, with the kernels as they are, without
    /// intercept.
    pub fn new(kernels: Vec<Kernel>) -> Self {
        let (lambdas, criterion, lengthscales) = (default_lambdas(), Criterion::default(), Vec::new());
        let (intercept, refinements, indefinite, screening) = (false, 0, false, true);
        let (frugal, extend_lengthscales) = (false, false);
        Self {
            kernels,
            lengthscales,
            lambdas,
            criterion,
            intercept,
            refinements,
            indefinite,
            screening,
            frugal,
            extend_lengthscales,
        }
    }

    /// Scores the grid, extends and refines it, and fits the winner. The first of equals wins.
    ///
    /// # Errors
    /// [`Error::Parameter`] for empty lists, as [`ridge_path`](super::ridge_path), and [`Error::Undefined`] when no
    /// candidate has a score.
    pub fn fit<'x>(
        &self,
        x: impl Into<Points<'x>>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<RidgeSearchFit> {
        let x = self.points(x);
        let RidgeChoice { candidates, lambdas, scores, best, best_score, winner, screening, ranges, .. } =
            self.choose(x, y, weights, compute)?;
        let fit = self.ridge(&candidates[best.0], winner.lambda).fit(x, y, weights, compute)?;
        Ok(RidgeSearchFit { fit, candidates, lambdas, scores, best, best_score, winner, screening, ranges })
    }

    /// Scores the grid, extends and refines it, and fits nothing. A search that is
    /// [canceled](crate::Cancel) returns the best candidate so far, and reports it.
    ///
    /// # Errors
    /// As [`RidgeSearch::fit`]; [`Error::Canceled`] before anything was scored.
    pub fn choose<'x>(
        &self,
        x: impl Into<Points<'x>>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<RidgeChoice> {
        let x = self.points(x);
        let weights = weights.as_ref().map(|w| w.view());
        let list = self.shared(x, compute)?;
        let sample = SearchData { x: x.reborrow(), y: y.view(), weights, list: list.as_ref() };
        let mut surface = self.score_grid(sample, compute)?;
        if let Err(error) = self.improve(&mut surface, sample, &compute.optional()) {
            interrupted(error)?;
            surface.complete = false;
        }
        self.finish(surface, sample, compute)
    }

    /// Points as the kernels take them.
    fn points<'x>(&self, x: impl Into<Points<'x>>) -> Points<'x> {
        let x = x.into();
        self.kernels.first().map_or(x, |kernel| kernel.points(x))
    }

    /// The features that the kernels share on some points, if there are several kernels.
    pub(super) fn shared(&self, x: Points<'_>, compute: &Compute) -> Result<Option<KernelList>> {
        let beside = matrices(5, x.len());
        (self.kernels.len() > 1).then(|| KernelList::new(&self.kernels, x, beside, compute)).transpose()
    }

    /// Scores the candidates of the grid that survive screening.
    fn score_grid(&self, sample: SearchData<'_>, compute: &Compute) -> Result<Surface> {
        let SearchData { x, y, weights, .. } = sample;
        let mut compute = compute.clone();
        let grid = self.grid()?;
        let mut screened = self.screen(&grid, RidgeData { x, y, basis: None, weights }, &compute)?;
        let mut paths: Vec<RidgePath> = vec![RidgePath::unknown(&self.lambdas); grid.len()];
        let mut next: Vec<usize> =
            (0..grid.len()).filter(|&i| screened.as_ref().is_none_or(|screened| screened.stays[i])).collect();
        let (mut done, mut complete) = (0, true);
        while complete && !next.is_empty() {
            let total = (done + next.len()) as u64;
            for some in next.chunks(Self::at_a_time(x.len(), &compute)) {
                compute.remark(|| format!("{} on {} rows", grid[some[0]].kernel, x.len()));
                let score = |candidate: Candidate| self.path(&candidate, &self.lambdas, sample, &compute);
                let candidates = some.iter().map(|&i| grid[i].clone()).collect();
                match together(candidates, &score, &compute) {
                    Ok(found) => some.iter().zip(found).for_each(|(&i, path)| paths[i] = path),
                    // The best so far is an answer.
                    Err(Error::Canceled) if done > 0 => {
                        complete = false;
                        break;
                    }
                    Err(other) => return Err(other),
                }
                done += some.len();
                compute.report("search", done as u64, total);
                compute = compute.optional();
            }
            let best = smallest(paths.iter().map(|path| self.least(path)));
            next = screened.as_ref().zip(best).map_or(Vec::new(), |(screened, best)| screened.recalled(&grid, best));
            screened.iter_mut().for_each(|screened| next.iter().for_each(|&i| screened.stays[i] = true));
        }
        let tried = grid.into_iter().zip(paths).collect();
        Ok(Surface {
            tried,
            lambdas: self.lambdas.clone(),
            screening: screened.map(|screened| screened.screening()),
            complete,
        })
    }

    /// Goes beyond the ends of the grid where the best lies there, then between its places.
    fn improve(&self, surface: &mut Surface, sample: SearchData<'_>, compute: &Compute) -> Result<()> {
        if !surface.complete {
            return Ok(());
        }
        let mut wider = [0; 2];
        let mut farther = [0; 2];
        // Extending one range may extend another: a longer lengthscale needs a smaller λ.
        while self.lengthen(surface, &mut wider, sample, compute)?
            || self.widen(surface, &mut farther, sample, compute)?
        {}
        for _ in 0..self.refinements {
            let between = self.between(&surface.tried)?;
            for some in between.chunks(Self::at_a_time(sample.x.len(), compute)) {
                let score = |candidate: Candidate| self.path(&candidate, &surface.lambdas, sample, compute);
                let found = together(some.to_vec(), &score, compute)?;
                surface.tried.extend(some.iter().cloned().zip(found));
            }
            surface.sort();
        }
        Ok(())
    }

    /// One lengthscale more, where the best one lies at an end; false where it does not.
    fn lengthen(
        &self,
        surface: &mut Surface,
        done: &mut [usize; 2],
        sample: SearchData<'_>,
        compute: &Compute,
    ) -> Result<bool> {
        if !self.extend_lengthscales {
            return Ok(false);
        }
        let Some(best) = smallest(surface.tried.iter().map(|(_, path)| self.least(path))) else { return Ok(false) };
        let Candidate { family, lengthscale: Some(length), .. } = surface.tried[best].0 else { return Ok(false) };
        let of_family = surface.tried.iter().filter(|(c, _)| c.family == family);
        let lengths: Vec<f64> = of_family.filter_map(|(c, _)| c.lengthscale).collect();
        let Some((next, end)) = beyond(&lengths, length) else { return Ok(false) };
        if done[end] >= REACH {
            return Ok(false);
        }
        done[end] += 1;
        let candidate = self.at(family, next)?;
        compute.remark(|| format!("{} beyond the grid", candidate.kernel));
        let before = self.least(&surface.tried[best].1);
        let path = self.path(&candidate, &surface.lambdas, sample, compute)?;
        // On a plateau, such as that of long lengthscales with small λ, no end is in sight.
        let better = self.least(&path) < PLATEAU * before;
        if !better {
            done[end] = REACH;
        }
        surface.tried.push((candidate, path));
        surface.sort();
        Ok(true)
    }

    /// More λ beyond the end at which the best one lies, for the candidates that are best there;
    /// false where it lies between.
    fn widen(
        &self,
        surface: &mut Surface,
        done: &mut [usize; 2],
        sample: SearchData<'_>,
        compute: &Compute,
    ) -> Result<bool> {
        if self.lambdas != default_lambdas() {
            return Ok(false);
        }
        let least: Vec<f64> = surface.tried.iter().map(|(_, path)| self.least(path)).collect();
        let Some(best) = smallest(least.iter().copied()) else { return Ok(false) };
        let at = |path: &RidgePath| path.best(self.criterion);
        let last = surface.lambdas.len() - 1;
        let end = match at(&surface.tried[best].1) {
            Some(0) => 0,
            Some(position) if position == last => 1,
            _ => return Ok(false),
        };
        // No error at all cannot become smaller.
        if done[end] >= TIMES || least[best] == 0.0 {
            return Ok(false);
        }
        done[end] += 1;
        let from = surface.lambdas[if end == 0 { 0 } else { last }];
        let ratio = 10.0_f64.powf(if end == 0 { -0.5 } else { 0.5 });
        let mut more: Vec<f64> = (1..=MORE).map(|i| from * ratio.powi(i as i32)).collect();
        more.sort_by(f64::total_cmp);
        let there = |path: &RidgePath| at(path) == Some(if end == 0 { 0 } else { last });
        let best_there: Vec<usize> = (0..surface.tried.len()).filter(|&i| there(&surface.tried[i].1)).collect();
        let mut found: Vec<Option<RidgePath>> = vec![None; surface.tried.len()];
        for some in best_there.chunks(Self::at_a_time(sample.x.len(), compute)) {
            compute.remark(|| format!("λ beyond {}", digits(from, 2)));
            let candidates = some.iter().map(|&i| surface.tried[i].0.clone()).collect();
            let paths = together(candidates, &|candidate| self.path(&candidate, &more, sample, compute), compute)?;
            some.iter().zip(paths).for_each(|(&i, path)| found[i] = Some(path));
        }
        for ((_, path), more_of_it) in surface.tried.iter_mut().zip(found) {
            let more_of_it = more_of_it.unwrap_or_else(|| RidgePath::unknown(&more));
            *path = if end == 0 { more_of_it.join(path) } else { path.join(&more_of_it) };
        }
        surface.lambdas =
            if end == 0 { [more, surface.lambdas.clone()].concat() } else { [surface.lambdas.clone(), more].concat() };
        Ok(true)
    }

    /// Candidates that are scored at the same time: one per thread, as far as the memory allows.
    fn at_a_time(rows: usize, compute: &Compute) -> usize {
        let paths = compute.memory() / matrices(5, rows).max(1);
        usize::try_from(paths).unwrap_or(usize::MAX).clamp(1, compute.threads())
    }

    fn grid(&self) -> Result<Vec<Candidate>> {
        if self.kernels.is_empty() {
            return Err(Error::parameter("kernels", "[]", "a list of at least one kernel"));
        }
        let mut lengths = self.lengthscales.clone();
        lengths.sort_by(f64::total_cmp);
        let mut candidates = Vec::new();
        for (family, kernel) in self.kernels.iter().enumerate() {
            if lengths.is_empty() {
                candidates.push(Candidate { kernel: kernel.clone(), family, lengthscale: None });
            }
            for &length in &lengths {
                candidates.push(self.at(family, length)?);
            }
        }
        Ok(candidates)
    }

    fn at(&self, family: usize, length: f64) -> Result<Candidate> {
        let kernel = with_lengthscale(&self.kernels[family], length)?;
        Ok(Candidate { kernel, family, lengthscale: Some(length) })
    }

    pub(super) fn path(
        &self,
        candidate: &Candidate,
        lambdas: &[f64],
        sample: SearchData<'_>,
        compute: &Compute,
    ) -> Result<RidgePath> {
        let (ridge, folds) = (self.ridge(candidate, 0.0), self.criterion.folds());
        let SearchData { x, y, weights, list } = sample;
        shared_path(&ridge, list, lambdas, folds, RidgeData { x, y, basis: None, weights }, compute)
    }

    pub(super) fn ridge(&self, candidate: &Candidate, lambda: f64) -> Ridge {
        let (intercept, indefinite) = (self.intercept, self.indefinite);
        Ridge { intercept, indefinite, ..Ridge::new(candidate.kernel.clone(), lambda) }
    }

    /// The geometric means of the best lengthscale and its neighbors.
    fn between(&self, tried: &[(Candidate, RidgePath)]) -> Result<Vec<Candidate>> {
        let Some(best) = smallest(tried.iter().map(|(_, path)| self.least(path))) else { return Ok(Vec::new()) };
        let Candidate { family, lengthscale: Some(length), .. } = tried[best].0 else { return Ok(Vec::new()) };
        let neighbors = [best.checked_sub(1), Some(best + 1)].into_iter().flatten().filter_map(|i| tried.get(i));
        let lengths = neighbors.filter(|(c, _)| c.family == family).filter_map(|(c, _)| c.lengthscale);
        lengths.map(|other| self.at(family, (length * other).sqrt())).collect()
    }

    fn least(&self, path: &RidgePath) -> f64 {
        path.best(self.criterion).map_or(f64::NAN, |i| path.scores(self.criterion)[i])
    }

    fn finish(&self, surface: Surface, sample: SearchData<'_>, compute: &Compute) -> Result<RidgeChoice> {
        let Surface { tried, lambdas, screening, mut complete } = surface;
        let rows: Vec<Array1<f64>> = tried.iter().map(|(_, path)| path.scores(self.criterion)).collect();
        let views: Vec<_> = rows.iter().map(|r| r.view()).collect();
        let scores = ndarray::stack(Axis(0), &views).expect("one score per λ in every row");
        let Some(position) = smallest(scores.iter().copied()) else {
            return Err(Error::undefined("the score of every candidate of the search", "try larger λ or fewer folds"));
        };
        let best = (position / scores.ncols(), position % scores.ncols());
        let candidates: Vec<Candidate> = tried.into_iter().map(|(candidate, _)| candidate).collect();
        let winner = &candidates[best.0];
        let plain = (lambdas[best.1], scores[best]);
        let (lambda, score) = match self.refine(winner, &lambdas, plain, sample, compute) {
            Err(error) => {
                interrupted(error)?;
                complete = false;
                plain
            }
            Ok(refined) => refined,
        };
        let winner = Winner { kernel: winner.kernel.clone(), lengthscale: winner.lengthscale, lambda, score };
        let ranges = self.ranges(&candidates, &lambdas, best.0, &winner);
        let best_score = scores[best];
        Ok(RidgeChoice { candidates, lambdas, scores, best, best_score, winner, screening, ranges, complete })
    }

    /// The search ranges of all parameters with more than one value.
    fn ranges(&self, candidates: &[Candidate], lambdas: &[f64], best: usize, winner: &Winner) -> Vec<SearchedRange> {
        let perfect = winner.score == 0.0;
        let mut ranges = vec![SearchedRange::new("lambda", &self.lambdas, lambdas, winner.lambda, perfect)];
        if let Some(length) = winner.lengthscale {
            let of_family = candidates.iter().filter(|c| c.family == candidates[best].family);
            let all: Vec<f64> = of_family.filter_map(|c| c.lengthscale).collect();
            ranges.push(SearchedRange::new("lengthscale", &self.lengthscales, &all, length, perfect));
        }
        ranges.into_iter().filter(|range| range.last.0 < range.last.1).collect()
    }

    /// The best λ beside the best one of the grid.
    fn refine(
        &self,
        candidate: &Candidate,
        lambdas: &[f64],
        best: (f64, f64),
        sample: SearchData<'_>,
        compute: &Compute,
    ) -> Result<(f64, f64)> {
        let mut scores =
            |lambdas: &[f64]| Ok(self.path(candidate, lambdas, sample, compute)?.scores(self.criterion).to_vec());
        refine_lambda(lambdas, best, self.refinements, &mut scores)
    }
}

/// Nothing for a search that was canceled, which has a best so far; other errors remain.
fn interrupted(error: Error) -> Result<()> {
    match error {
        Error::Canceled => Ok(()),
        other => Err(other),
    }
}

/// The next lengthscale beyond the end at which one lies, and which end; none where it lies
/// between, or is alone.
fn beyond(lengths: &[f64], length: f64) -> Option<(f64, usize)> {
    let (first, last) = (lengths.first()?, lengths.last()?);
    if lengths.len() < 2 {
        return None;
    }
    if length <= *first {
        return Some((first * first / lengths[1], 0));
    }
    (length >= *last).then(|| (last * last / lengths[lengths.len() - 2], 1))
}

/// The scores of some candidates, in parallel, in their order; the first error of that order.
pub(super) fn together<T: Send>(
    candidates: Vec<Candidate>,
    score: &(impl Fn(Candidate) -> Result<T> + Sync),
    compute: &Compute,
) -> Result<Vec<T>> {
    let found: Vec<Result<T>> = compute.install(|| candidates.into_par_iter().map(score).collect());
    found.into_iter().collect()
}
