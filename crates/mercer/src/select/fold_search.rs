//! A search by folds over kernels, lengthscales and one more number: a coarse grid on a part of the
//! rows, then a local search on more.

use ndarray::{Array1, ArrayView1};

use super::choices::Choices;
use super::folds::{sample_rows, stratified_folds};
use super::grid::with_lengthscale;
use super::held_out::{HeldOut, HeldRows};
use super::range::SearchedRange;
use crate::wording::digits;
use crate::{Compute, Error, Kernel, Result};

/// Rows of the first, coarse grid: enough to rank candidates at a small part of the cost of all
/// rows.
const SCREENING: usize = 1000;
/// Maximum number of candidates of the first grid that are scored again on all rows.
const FINALISTS: usize = 5;
/// Times that the neighbors of the best are looked at, at most: on few rows, and on all.
const ROUNDS: [usize; 2] = [12, 6];
/// Kernels beside the best that most searches look at, with two parameters each: for the progress.
const NEIGHBORS: u64 = 6;
/// Standard errors of the mean difference of the losses, row by row, by which a candidate of the
/// first grid is not scored again.
const STANDARD_ERRORS: f64 = 2.0;

/// A search by the losses of held-out rows for the kernel, the lengthscale, and one more number
/// such as `C` or λ.
///
/// # Theory
/// The first grid is scored on at most [`screening`](FoldSearch::screening) rows. Then the
/// neighbors of the best place are scored, beyond the ends of the grid where the lists are
/// [open](Choices::open), until the best place has no better neighbor. With more rows the best few
/// are scored on all of them, and the neighbors of the best again, but for those that were clearly
/// worse on the fewer rows: two standard errors of the mean difference, row by row. Where no row is
/// wrong the search ends: nothing is better.
///
/// # Cost
/// Counted in fits ([`FoldChoice::fits`]), never measured: kernels × parameters × folds fits on the
/// few rows, and about ten times as many as there are folds on all.
///
/// # Example
/// ```
/// use mercer::select::{Choices, FoldSearch, HeldOutSvc};
/// use mercer::{Compute, learn::svm::{Classes, Svc}};
/// use ndarray::Array2;
/// // Two classes in turn along a line: the lengthscales of the list are all too long, and it is extended.
/// let x = Array2::from_shape_fn((120, 1), |(i, _)| i as f64);
/// let classes = Classes::from_indices((0..120).map(|i| i / 5 % 2).collect(), vec!["a".into(), "b".into()])?;
/// let mut search = FoldSearch::new(vec!["gaussian()".parse()?], Choices::open(vec![0.1, 1.0], 0));
/// search.lengthscales = Choices::open(vec![8.0, 4.0], 6);
/// let held = HeldOutSvc { spec: Svc::new("gaussian()".parse()?, 1.0), x: x.view().into(), classes: &classes, weights: None };
/// let found = search.fit(&held, classes.of(), None, &Compute::new())?;
/// assert!(found.best().lengthscale < Some(4.0));
/// assert!(found.ranges.iter().any(|range| range.parameter == "lengthscale" && range.is_extended()));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FoldSearch {
    /// Kernels that are taken as they are, such as the linear one, for which an open list goes on
    /// by one step at its rough end; the first of equals wins.
    pub fixed: Vec<Kernel>,
    /// Kernels whose lengthscale is chosen.
    pub kernels: Vec<Kernel>,
    /// The lengthscales to try, the longest first; without any the kernels are taken as they are.
    pub lengthscales: Choices,
    /// The other number to try, that of the smoothest model first.
    pub parameters: Choices,
    /// What the other number is called.
    pub parameter: &'static str,
    /// The number of folds.
    pub folds: usize,
    /// Rows of the first, coarse grid: enough to rank candidates at a small part of the cost of all
    /// rows; all, where there are not half as many again.
    pub screening: usize,
}

/// Something that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// The kernel.
    pub kernel: Kernel,
    /// Its place among the fixed kernels, then those with a lengthscale.
    pub family: usize,
    /// The lengthscale that was put in, where one was.
    pub lengthscale: Option<f64>,
    /// The other number.
    pub parameter: f64,
    /// The (weighted) mean loss of held-out rows.
    pub score: f64,
    /// The rows that it was scored on.
    pub rows: usize,
}

/// What a search by folds found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldChoice {
    /// What was tried on the rows of the choice, in the order of families, lengthscales and
    /// parameters, the smoothest first.
    pub tried: Vec<Tried>,
    /// What was tried on the fewer rows of the first grid, where there were fewer.
    pub screened: Vec<Tried>,
    /// The place of the best in `tried`.
    best: usize,
    /// The best score on the rows of the first grid.
    pub screened_score: f64,
    /// The rows that the choice was made on.
    pub rows: usize,
    /// The ranges that were searched.
    pub ranges: Vec<SearchedRange>,
    /// Models that were fitted: folds × candidates.
    pub fits: usize,
    /// Whether the search ended by itself, and not because it was stopped.
    pub complete: bool,
}

impl FoldChoice {
    /// The best; the smoothest of equals.
    pub fn best(&self) -> &Tried {
        &self.tried[self.best]
    }
}

/// A place of the lattice: which kernel, and how far along its lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LatticePoint {
    family: usize,
    length: i64,
    parameter: i64,
}

/// The losses at a position, row by row, times the weights.
struct Point {
    position: LatticePoint,
    losses: Array1<f64>,
    score: f64,
}

/// The places that were scored on some rows.
struct Stage {
    rows: Vec<usize>,
    folds: Vec<Vec<usize>>,
    weights: Option<Array1<f64>>,
    points: Vec<Point>,
}

impl Stage {
    /// The smallest score; of equals the first position, which is the smoothest.
    fn best(&self) -> Option<&Point> {
        let known = self.points.iter().filter(|p| !p.score.is_nan());
        known.min_by(|a, b| a.score.total_cmp(&b.score).then(a.position.cmp(&b.position)))
    }

    fn point(&self, position: LatticePoint) -> Option<&Point> {
        self.points.iter().find(|p| p.position == position)
    }

    /// Whether a position is known to be clearly worse than another.
    fn is_worse(&self, position: LatticePoint, than: LatticePoint) -> bool {
        let (Some(a), Some(b)) = (self.point(position), self.point(than)) else { return false };
        let (n, difference) = (a.losses.len() as f64, &a.losses - &b.losses);
        let mean = difference.sum() / n;
        let variance = difference.mapv(|d| (d - mean).powi(2)).sum() / (n - 1.0).max(1.0);
        a.score.is_nan() || mean > STANDARD_ERRORS * (variance / n).sqrt()
    }
}

/// The work of a search.
struct Run<'r> {
    search: &'r FoldSearch,
    held: &'r dyn HeldOut,
    compute: Compute,
    fits: usize,
    /// The work that was done, for the listener.
    done: u64,
    /// What all of it is expected to be.
    expected: u64,
    /// Whether a candidate has a score: what follows only improves it.
    found: bool,
    stopped: bool,
    /// The error of a candidate, reported if no candidate has a score.
    failure: Option<Error>,
}

impl FoldSearch {
    /// Kernels as they are and one more number, by five folds.
    pub fn new(kernels: Vec<Kernel>, parameters: Choices) -> Self {
        let (lengthscales, folds, screening) = (Choices::fixed(Vec::new()), 5, SCREENING);
        Self { fixed: Vec::new(), kernels, lengthscales, parameters, parameter: "C", folds, screening }
    }

    /// Searches. `labels` are the classes of the rows, or all 0, which the folds and samples hold
    /// in their shares.
    ///
    /// A search that is [canceled](crate::Cancel) returns the best candidate so far, and reports
    /// it.
    ///
    /// # Errors
    /// [`Error::Parameter`] for empty lists and unless `2 ≤ folds ≤ rows`; [`Error::Canceled`]
    /// before anything was scored; as the fits.
    pub fn fit(
        &self,
        held: &dyn HeldOut,
        labels: &[usize],
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<FoldChoice> {
        if self.families() == 0 || self.parameters.values.is_empty() {
            return Err(Error::parameter("kernels and parameters", "an empty list", "at least one of each"));
        }
        let mut run = Run {
            search: self,
            held,
            compute: compute.clone(),
            fits: 0,
            done: 0,
            expected: self.expected(labels.len()),
            found: false,
            stopped: false,
            failure: None,
        };
        let rows = self.screening_rows(labels, compute);
        let few = rows.len() < labels.len();
        let mut first = self.stage(rows, labels, weights, compute)?;
        run.score(&mut first, &self.grid())?;
        run.descend(&mut first, None)?;
        let Some(best) = first.best() else { return Err(run.failure.unwrap_or_else(no_score)) };
        let screened_score = best.score;
        if !few || run.stopped {
            return self.finish(first, None, screened_score, run);
        }
        let mut second = self.stage((0..labels.len()).collect(), labels, weights, compute)?;
        run.score(&mut second, &self.finalists(&first))?;
        run.descend(&mut second, Some(&first))?;
        if second.best().is_none() {
            return self.finish(first, None, screened_score, run);
        }
        self.finish(second, Some(&first), screened_score, run)
    }

    /// The rows that the first grid is scored on, drawn from the seed.
    pub fn screening_rows(&self, labels: &[usize], compute: &Compute) -> Vec<usize> {
        sample_rows(labels, self.screening_size(labels.len()), self.folds.saturating_mul(2), compute)
    }

    fn screening_size(&self, rows: usize) -> usize {
        if rows > self.screening + self.screening / 2 { self.screening } else { rows }
    }

    /// The fits of the first grid: folds × candidates. The search takes about half as many again.
    pub fn grid_fits(&self) -> usize {
        self.grid().len() * self.folds
    }

    /// The [work] of a search of so many rows, as most searches go: the first grid, and a few
    /// neighbors of the best; with more rows the best few, and their neighbors.
    fn expected(&self, rows: usize) -> u64 {
        let few = self.screening_size(rows);
        let parameters = self.parameters.values.len();
        let grid = self.grid().len() / parameters.max(1);
        let first = grid as u64 * work(few, parameters) + NEIGHBORS * work(few, 2);
        if few == rows { first } else { first + FINALISTS as u64 * work(rows, 1) + NEIGHBORS * work(rows, 2) }
    }

    fn families(&self) -> usize {
        self.fixed.len() + self.kernels.len()
    }

    /// Whether a family has a lengthscale to choose.
    fn has_lengths(&self, family: usize) -> bool {
        family >= self.fixed.len() && !self.lengthscales.values.is_empty()
    }

    fn stage(
        &self,
        rows: Vec<usize>,
        labels: &[usize],
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<Stage> {
        let of: Vec<usize> = rows.iter().map(|&row| labels[row]).collect();
        let folds = stratified_folds(&of, self.folds, compute)?;
        let weights = weights.map(|w| rows.iter().map(|&row| w[row]).collect());
        Ok(Stage { rows, folds, weights, points: Vec::new() })
    }

    /// The places of the first grid.
    fn grid(&self) -> Vec<LatticePoint> {
        let mut positions = Vec::new();
        for family in 0..self.families() {
            let lengths = if self.has_lengths(family) { self.lengthscales.values.len() as i64 } else { 1 };
            for length in 0..lengths {
                let one = |parameter| LatticePoint { family, length, parameter };
                positions.extend((0..self.parameters.values.len() as i64).map(one));
            }
        }
        positions
    }

    /// The lengthscale and the parameter of a position; none beyond the lists.
    fn numbers(&self, position: LatticePoint) -> Option<(Option<f64>, f64)> {
        let length = match self.has_lengths(position.family) {
            true => Some(self.lengthscales.at(position.length)?),
            false if position.length != 0 => return None,
            // A linear kernel bends no more with a larger C: one step beyond the list is enough,
            // and more are slow.
            false if position.family < self.fixed.len() && position.parameter > self.parameters.values.len() as i64 => {
                return None;
            }
            false => None,
        };
        Some((length, self.parameters.at(position.parameter)?))
    }

    fn kernel(&self, family: usize, length: Option<f64>) -> Result<Kernel> {
        let kernel = match family.checked_sub(self.fixed.len()) {
            None => &self.fixed[family],
            Some(position) => &self.kernels[position],
        };
        length.map_or_else(|| Ok(kernel.clone()), |length| with_lengthscale(kernel, length))
    }

    /// The best place of every kernel and lengthscale of the first grid, unless it is clearly worse
    /// than the best; the best few of these.
    fn finalists(&self, first: &Stage) -> Vec<LatticePoint> {
        let Some(best) = first.best() else { return Vec::new() };
        let mut ranked: Vec<&Point> = first.points.iter().filter(|p| !p.score.is_nan()).collect();
        ranked.sort_by(|a, b| a.score.total_cmp(&b.score).then(a.position.cmp(&b.position)));
        ranked.retain(|p| p.score <= best.score || !first.is_worse(p.position, best.position));
        // One of every lengthscale: beside the best on few rows lies a valley of shorter ones with
        // a smoother parameter, and more rows prefer these.
        let mut chosen: Vec<LatticePoint> = Vec::new();
        for point in ranked {
            let same = |p: &LatticePoint| (p.family, p.length) == (point.position.family, point.position.length);
            if chosen.len() < FINALISTS && !chosen.iter().any(same) {
                chosen.push(point.position);
            }
        }
        chosen
    }

    fn tried(&self, stage: &Stage) -> Result<Vec<Tried>> {
        let mut points: Vec<&Point> = stage.points.iter().filter(|p| !p.score.is_nan()).collect();
        points.sort_by_key(|p| p.position);
        let one = |p: &&Point| {
            let (lengthscale, parameter) = self.numbers(p.position).unwrap_or((None, f64::NAN));
            let kernel = self.kernel(p.position.family, lengthscale)?;
            let (family, score, rows) = (p.position.family, p.score, stage.rows.len());
            Ok(Tried { kernel, family, lengthscale, parameter, score, rows })
        };
        points.iter().map(one).collect()
    }

    fn finish(&self, stage: Stage, first: Option<&Stage>, screened_score: f64, run: Run<'_>) -> Result<FoldChoice> {
        let best = stage.best().map(|p| (p.position, p.score)).ok_or_else(no_score)?;
        let tried = self.tried(&stage)?;
        let screened = first.map_or(Ok(Vec::new()), |first| self.tried(first))?;
        let mut points: Vec<LatticePoint> =
            stage.points.iter().filter(|p| !p.score.is_nan()).map(|p| p.position).collect();
        points.sort_unstable();
        let position = points.iter().position(|p| *p == best.0).unwrap_or(0);
        let ranges = self.ranges(&stage, first, best);
        let (rows, fits, complete) = (stage.rows.len(), run.fits, !run.stopped);
        run.compute.report("search", run.done.max(1), run.done.max(1));
        Ok(FoldChoice { tried, screened, best: position, screened_score, rows, ranges, fits, complete })
    }

    /// The search ranges of all parameters with more than one value, by both stages.
    fn ranges(&self, stage: &Stage, first: Option<&Stage>, (best, score): (LatticePoint, f64)) -> Vec<SearchedRange> {
        let Some((length, parameter)) = self.numbers(best) else { return Vec::new() };
        let same = |p: &&Point| p.position.family == best.family;
        let points: Vec<LatticePoint> = stage
            .points
            .iter()
            .chain(first.iter().flat_map(|first| &first.points))
            .filter(same)
            .map(|p| p.position)
            .collect();
        let numbers: Vec<(Option<f64>, f64)> = points.iter().filter_map(|&p| self.numbers(p)).collect();
        let mut ranges = Vec::new();
        if let Some(length) = length {
            let all: Vec<f64> = numbers.iter().filter_map(|n| n.0).chain(self.lengthscales.values.clone()).collect();
            ranges.push(SearchedRange::new("lengthscale", &self.lengthscales.values, &all, length, score == 0.0));
        }
        let all: Vec<f64> = numbers.iter().map(|n| n.1).chain(self.parameters.values.clone()).collect();
        ranges.push(SearchedRange::new(self.parameter, &self.parameters.values, &all, parameter, score == 0.0));
        ranges.into_iter().filter(|range| range.last.0 < range.last.1).collect()
    }
}

/// The work of the fits of a kernel with some parameters: pairs of rows, in units of a hundred.
fn work(rows: usize, parameters: usize) -> u64 {
    (rows as u64).pow(2).saturating_mul(parameters as u64) / 100 + 1
}

fn no_score() -> Error {
    Error::undefined("the score of every candidate of the search", "try other parameters or fewer folds")
}

impl Run<'_> {
    /// Scores places, kernel by kernel. Where the work is canceled, what was scored before stays.
    fn score(&mut self, stage: &mut Stage, positions: &[LatticePoint]) -> Result<()> {
        let mut positions: Vec<LatticePoint> =
            positions.iter().copied().filter(|&p| stage.point(p).is_none()).collect();
        positions.sort_unstable();
        let groups: Vec<&[LatticePoint]> =
            positions.chunk_by(|a, b| (a.family, a.length) == (b.family, b.length)).collect();
        for (at, group) in groups.iter().enumerate() {
            // Nothing is better than no loss at all.
            if self.stopped || stage.best().is_some_and(|best| best.score == 0.0) {
                return Ok(());
            }
            let Some((length, _)) = self.search.numbers(group[0]) else { continue };
            let parameters: Vec<f64> = group.iter().filter_map(|&p| self.search.numbers(p)).map(|n| n.1).collect();
            let kernel = self.search.kernel(group[0].family, length)?;
            let rows = stage.rows.len();
            let left = groups[at..].iter().map(|group| work(rows, group.len())).sum();
            self.report(&kernel, &parameters, rows, left);
            let held = HeldRows { rows: &stage.rows, folds: &stage.folds };
            match self.held.losses(&kernel, &parameters, held, &self.compute.silent()) {
                Ok(losses) => {
                    self.stopped = self.compute.check_canceled().is_err();
                    // What was interrupted is worth something only where there is nothing else.
                    if self.stopped && self.found {
                        return Ok(());
                    }
                    stage.take(group, losses);
                    if !self.found && stage.best().is_some() {
                        self.found = true;
                        self.compute = self.compute.optional();
                        self.stopped = self.compute.check_canceled().is_err();
                    }
                }
                Err(Error::Canceled) if self.found => self.stopped = true,
                // A kernel that cannot be fitted with these numbers is no candidate.
                Err(error) if error.is_numerical() => {
                    stage.take(group, ndarray::Array2::from_elem((stage.rows.len(), group.len()), f64::NAN));
                    self.failure.get_or_insert(error);
                }
                Err(other) => return Err(other),
            }
            self.fits += group.len() * stage.folds.len();
            self.done += work(rows, group.len());
        }
        Ok(())
    }

    /// Says what is tried, and about how much is left: at least what was begun.
    fn report(&self, kernel: &Kernel, parameters: &[f64], rows: usize, left: u64) {
        self.compute.report("search", self.done, self.expected.max(self.done + left));
        self.compute.remark(|| {
            let list: Vec<String> = parameters.iter().map(|&p| digits(p, 3)).collect();
            format!("{} on {rows} rows, {} {}", kernel.short(), self.search.parameter, list.join(", "))
        });
    }

    /// Looks at the neighbors of the best place until none is better; those that were clearly worse
    /// on fewer rows are left out.
    fn descend(&mut self, stage: &mut Stage, fewer: Option<&Stage>) -> Result<()> {
        for _ in 0..ROUNDS[usize::from(fewer.is_some())] {
            let Some(best) = stage.best().map(|p| (p.position, p.score)) else { return Ok(()) };
            if self.stopped || best.1 == 0.0 {
                return Ok(());
            }
            let neighbors = self.neighbors(best.0, fewer.is_none());
            let worse = |position: LatticePoint| fewer.is_some_and(|fewer| fewer.is_worse(position, best.0));
            let open: Vec<LatticePoint> =
                neighbors.into_iter().filter(|&p| stage.point(p).is_none() && !worse(p)).collect();
            if open.is_empty() {
                return Ok(());
            }
            self.score(stage, &open)?;
        }
        Ok(())
    }

    /// The places beside one, within the lists, and those along the valley of shorter lengthscales
    /// with smoother parameters; all around where that is cheap.
    fn neighbors(&self, of: LatticePoint, across: bool) -> Vec<LatticePoint> {
        let steps = (-1..=1).flat_map(|a| (-1..=1).map(move |b| (a, b)));
        steps
            .filter(|&(a, b): &(i64, i64)| (a, b) != (0, 0) && (across || a * b <= 0))
            .map(|(a, b)| LatticePoint { length: of.length + a, parameter: of.parameter + b, ..of })
            .filter(|&position| self.search.numbers(position).is_some())
            .collect()
    }
}

impl Stage {
    /// Keeps the losses of some places, one column each.
    fn take(&mut self, positions: &[LatticePoint], losses: ndarray::Array2<f64>) {
        let total = self.weights.as_ref().map_or(self.rows.len() as f64, |w| w.sum());
        for (&position, column) in positions.iter().zip(losses.columns()) {
            let losses = self.weights.as_ref().map_or_else(|| column.to_owned(), |w| &column * w);
            let score = losses.sum() / total;
            self.points.push(Point { position, losses, score });
        }
    }
}
