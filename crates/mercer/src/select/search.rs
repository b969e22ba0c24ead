//! A search over kernels, lengthscales and λ together.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use super::grid::{log_grid, with_lengthscale};
use super::path::{matrices, smallest};
use super::race::Race;
use super::refine::refine_lambda;
use super::{Criterion, RidgePath, ridge_path};
use crate::learn::ridge::Data;
use crate::learn::{Ridge, RidgeFit};
use crate::{Compute, Error, Kernel, Result};

/// A search for the kernel, the lengthscale and the λ of a ridge regression.
///
/// # Theory
/// One decomposition per kernel and lengthscale scores every λ, so a grid of 10 lengthscales and 20 λ costs 10 decompositions, whatever the
/// criterion: no model is fitted twice but the winner.
///
/// From 1000 rows and five candidates on they race: on a third of the rows, drawn from the seed, candidates whose squared leave-one-out errors are worse
/// than those of the best by three standard errors of the mean difference are dropped; the neighbours of the best always stay. The others
/// are scored on all rows, and so are the neighbours of the winner unless they are as clearly worse than the winner.
///
/// # Cost
/// One [`ridge_path`] per kernel and lengthscale that is not dropped, two per refinement, and a fit; the race takes a 27th of a path, and a fit
/// of a third of the rows, for every candidate.
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
/// assert_eq!(found.scores.dim(), (3, 19));
/// assert!(found.best_score < 1e-6);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeSearch {
    /// The kernels to choose from.
    pub kernels: Vec<Kernel>,
    /// The lengthscales to try for every kernel; empty to take the kernels as they are.
    pub lengthscales: Vec<f64>,
    /// The λ to try.
    pub lambdas: Vec<f64>,
    /// What makes a model better.
    pub criterion: Criterion,
    /// Whether a constant is fitted too, unpenalised.
    pub intercept: bool,
    /// After the grid: how often the gaps beside the best lengthscale are halved (in the logarithm), each time adding up to two rows to the
    /// surface; then λ is refined as often, each time to an eighth of the gap (see [`RidgeSearchFit::winner`]).
    pub refinements: usize,
    /// Whether kernels that are not positive semi-definite are meant.
    pub indefinite: bool,
    /// Whether candidates that are clearly worse on a part of the rows are dropped; otherwise the whole surface is scored.
    pub race: bool,
}

/// A kernel that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The kernel.
    pub kernel: Kernel,
    /// Its place in the list of the search.
    pub family: usize,
    /// The lengthscale that was put in, where lengthscales were searched.
    pub lengthscale: Option<f64>,
}

/// The best kernel and λ, between the places of the surface where the search was refined.
#[derive(Clone, Debug, PartialEq)]
pub struct Winner {
    /// The kernel.
    pub kernel: Kernel,
    /// The lengthscale that was put in, where lengthscales were searched.
    pub lengthscale: Option<f64>,
    /// λ.
    pub lambda: f64,
    /// Its score, at most that of the best place of the surface.
    pub score: f64,
}

/// The winner of a search, fitted on all of the data, and the surface of scores.
#[derive(Clone, Debug)]
pub struct RidgeSearchFit {
    /// The winner, fitted again.
    pub fit: RidgeFit,
    /// The kernels that were tried, one per row of the surface: ordered by their place in the list, then by lengthscale.
    pub candidates: Vec<Candidate>,
    /// The λ, one per column of the surface.
    pub lambdas: Vec<f64>,
    /// The score of every candidate (row) with every λ (column); smaller is better. NaN in the rows of candidates that were dropped.
    pub scores: Array2<f64>,
    /// The row and the column of the best place of the surface.
    pub best: (usize, usize),
    /// The score there.
    pub best_score: f64,
    /// What was fitted: the best place of the surface, or a λ beside it.
    pub winner: Winner,
    /// The race, where there was one.
    pub race: Option<Race>,
}

impl RidgeSearch {
    /// A search by leave-one-out over 19 λ from 10⁻⁶ to 10³, with the kernels as they are, without intercept.
    pub fn new(kernels: Vec<Kernel>) -> Self {
        let lambdas = log_grid(1e-6, 1e3, 19).expect("both ends are positive");
        let (criterion, lengthscales) = (Criterion::default(), Vec::new());
        let (intercept, refinements, indefinite, race) = (false, 0, false, true);
        Self { kernels, lengthscales, lambdas, criterion, intercept, refinements, indefinite, race }
    }

    /// Scores the grid, refines it, and fits the winner. The first of equals wins.
    ///
    /// # Errors
    /// [`Error::Parameter`] for empty lists, as [`ridge_path`], and [`Error::Numerical`] when no candidate has a score.
    pub fn fit(
        &self,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<RidgeSearchFit> {
        let score = |candidate: Candidate| self.path(&candidate, x, y, weights, compute);
        let grid = self.grid()?;
        let mut raced = self.run_race(&grid, Data { x, y, basis: None, weights }, compute)?;
        let mut paths: Vec<RidgePath> = vec![RidgePath::unknown(&self.lambdas); grid.len()];
        let mut next: Vec<usize> =
            (0..grid.len()).filter(|&i| raced.as_ref().is_none_or(|raced| raced.stays[i])).collect();
        let mut done = 0;
        while !next.is_empty() {
            let total = (done + next.len()) as u64;
            for some in next.chunks(Self::at_a_time(x.nrows(), compute)) {
                let candidates = some.iter().map(|&i| grid[i].clone()).collect();
                let found = together(candidates, &score, compute)?;
                some.iter().zip(found).for_each(|(&i, path)| paths[i] = path);
                done += some.len();
                compute.report("search", done as u64, total);
            }
            let best = smallest(paths.iter().map(|path| self.least(path)));
            next = raced.as_ref().zip(best).map_or(Vec::new(), |(raced, best)| raced.recalled(&grid, best));
            raced.iter_mut().for_each(|raced| next.iter().for_each(|&i| raced.stays[i] = true));
        }
        let mut tried: Vec<(Candidate, RidgePath)> = grid.into_iter().zip(paths).collect();
        for _ in 0..self.refinements {
            let between = self.between(&tried)?;
            for some in between.chunks(Self::at_a_time(x.nrows(), compute)) {
                tried.extend(some.iter().cloned().zip(together(some.to_vec(), &score, compute)?));
            }
            tried.sort_by(|(a, _), (b, _)| {
                let length = |c: &Candidate| c.lengthscale.unwrap_or(0.0);
                a.family.cmp(&b.family).then(length(a).total_cmp(&length(b)))
            });
        }
        let race = raced.map(|raced| raced.race());
        Ok(RidgeSearchFit { race, ..self.finish(tried, x, y, weights, compute)? })
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
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<RidgePath> {
        ridge_path(&self.ridge(candidate, 0.0), &self.lambdas, self.criterion.folds(), x, y, weights, compute)
    }

    pub(super) fn ridge(&self, candidate: &Candidate, lambda: f64) -> Ridge {
        let (intercept, indefinite) = (self.intercept, self.indefinite);
        Ridge { intercept, indefinite, ..Ridge::new(candidate.kernel.clone(), lambda) }
    }

    /// The geometric means of the best lengthscale and its neighbours.
    fn between(&self, tried: &[(Candidate, RidgePath)]) -> Result<Vec<Candidate>> {
        let Some(best) = smallest(tried.iter().map(|(_, path)| self.least(path))) else { return Ok(Vec::new()) };
        let Candidate { family, lengthscale: Some(length), .. } = tried[best].0 else { return Ok(Vec::new()) };
        let neighbours = [best.checked_sub(1), Some(best + 1)].into_iter().flatten().filter_map(|i| tried.get(i));
        let lengths = neighbours.filter(|(c, _)| c.family == family).filter_map(|(c, _)| c.lengthscale);
        lengths.map(|other| self.at(family, (length * other).sqrt())).collect()
    }

    fn least(&self, path: &RidgePath) -> f64 {
        path.best(self.criterion).map_or(f64::NAN, |i| path.scores(self.criterion)[i])
    }

    fn finish(
        &self,
        tried: Vec<(Candidate, RidgePath)>,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<RidgeSearchFit> {
        let rows: Vec<Array1<f64>> = tried.iter().map(|(_, path)| path.scores(self.criterion)).collect();
        let views: Vec<_> = rows.iter().map(|r| r.view()).collect();
        let scores = ndarray::stack(Axis(0), &views).expect("one score per λ in every row");
        let Some(place) = smallest(scores.iter().copied()) else {
            return Err(Error::Numerical("no candidate of the search has a score: try larger λ or fewer folds".into()));
        };
        let best = (place / scores.ncols(), place % scores.ncols());
        let candidates: Vec<Candidate> = tried.into_iter().map(|(candidate, _)| candidate).collect();
        let winner = self.refine(&candidates[best.0], (self.lambdas[best.1], scores[best]), x, y, weights, compute)?;
        let fit = self.ridge(&candidates[best.0], winner.lambda).fit(x, y, weights, compute)?;
        let (lambdas, best_score) = (self.lambdas.clone(), scores[best]);
        Ok(RidgeSearchFit { fit, candidates, lambdas, scores, best, best_score, winner, race: None })
    }

    /// The best λ beside the best one of the grid.
    fn refine(
        &self,
        candidate: &Candidate,
        best: (f64, f64),
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<Winner> {
        let mut scores = |lambdas: &[f64]| {
            let ridge = self.ridge(candidate, 0.0);
            let path = ridge_path(&ridge, lambdas, self.criterion.folds(), x, y, weights, compute)?;
            Ok(path.scores(self.criterion).to_vec())
        };
        let (lambda, score) = refine_lambda(&self.lambdas, best, self.refinements, &mut scores)?;
        Ok(Winner { kernel: candidate.kernel.clone(), lengthscale: candidate.lengthscale, lambda, score })
    }
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
