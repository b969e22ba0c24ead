//! One search over learners, kernels, lengthscales and λ or C: `auto`.

use ndarray::{ArrayView1, ArrayView2, Axis};

use super::choices::Choices;
use super::criterion::Criterion;
use super::defaults::{default_cs, default_lambdas, selection_rows};
use super::finals::RidgeFinals;
use super::fold_search::{FoldSearch, Tried};
use super::held_out::{ClassLoss, HeldOut, HeldOutLogistic, HeldOutSvc, HeldOutSvr};
use super::process::{ProcessChoice, ProcessSearch};
use super::report::{Measure, SearchReport, SearchResult};
use super::search::{RidgeChoice, RidgeSearch, Winner};
use crate::learn::spline::SmoothingSpline;
use crate::learn::svm::{Classes, Penalty, Svc, Svr};
use crate::learn::{LogisticRegression, Ridge, gaussian_process, logistic, ridge, spline, svm};
use crate::learner::{FitInput, Fitted, LearnerEntry, Targets};
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// Kernels with a lengthscale.
const SMOOTH: [&str; 4] = ["gaussian()", "matern(nu=1/2)", "matern(nu=3/2)", "matern(nu=5/2)"];
/// An additive kernel is tried for at most this many coordinates.
const FEW: usize = 10;
/// Rows of a search whose best candidates are compared again on more rows.
const FIRST_ROWS: usize = 400;
/// Sample size of the selection: with shared kernel values, and without. More rows give less noisy
/// scores at cubic cost.
const MANY_ROWS: usize = 4000;
const FEW_ROWS: usize = 1000;
/// Limit of the planned operations of a selection of logistic regressions: about half a minute of a
/// core, by pessimistic plans.
const OPERATIONS: f64 = 2e12;
/// Rows up to which the leave-one-out residuals of the winner are computed without being requested:
/// beyond, they take most of the time.
const DIAGNOSED: usize = 4000;
/// The accuracy of the winner on many rows: the fitted values differ from those of an exact solution
/// by a thousandth of the residuals, in root mean square.
const ENOUGH: f64 = 1e-3;

/// The learners that can be chosen: those that every search tries, and others by name.
const NUMBERS: [&str; 4] = ["ridge", "spline", "svr", "gaussian_process"];
const CLASSES: [&str; 2] = ["svc", "logistic"];

/// A search over learners of the catalogue, kernels, lengthscales and λ or C.
///
/// Numbers: `ridge` by leave-one-out in closed form for every kernel, lengthscale and λ (from one
/// decomposition per kernel and lengthscale; where there are many rows the best are compared again
/// by fits on more of them), `spline` for one column; by name also `svr` (by folds) and `gaussian_process`
/// (parameters by the likelihood, compared by leave-one-out). Classes: `svc` and `logistic` by the
/// errors of folds. The scores of all are means of the same loss, and the smallest wins; of equals
/// the simpler one.
///
/// # Cost
/// Of a selection on at most 1000 rows (4000 for classes, 400 with a comparison on 3500). It stops
/// when the computation is canceled and gives the best so far: a deadline is a
/// [`Cancel`](crate::Cancel) that is raised then, and bounds the whole search.
///
/// # Example
/// ```
/// use mercer::learner::{FitInput, Targets};
/// use mercer::{Compute, select::Search};
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((60, 2), |(i, j)| ((i * (7 + 4 * j)) % 60) as f64 / 20.0);
/// let y = Array2::from_shape_fn((60, 1), |(i, _)| x[[i, 0]].sin() * x[[i, 1]]);
/// let input = FitInput::points(x.view()).with_targets(Targets::Values(y.view()));
/// let compute = Compute::new();
/// let found = Search::default().choose(&input, &compute)?;
/// assert_eq!(found.entry.name, "ridge");
/// let report = found.report.as_ref().unwrap();
/// assert!(report.ranked()[0].score <= found.score && report.results.len() > 10);
/// let fit = found.fit(&input, &compute)?;
/// assert_eq!(fit.predict(x.view().into(), &compute)?.dim(), (60, 1));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The learners by their names in the catalogue; empty for `ridge` and `spline`, or `svc` and
    /// `logistic`.
    pub learners: Vec<String>,
    /// The kernels; empty for linear, Gaussian and Matérn ones and an additive kernel for few
    /// columns, for objects the kernels of their kind.
    pub kernels: Vec<Kernel>,
    /// The lengthscales; empty for a grid around the median distance, if there are no kernels.
    pub lengthscales: Vec<f64>,
    /// The λ or C to try; empty for a grid that is extended where the best is at its end.
    pub path: Vec<f64>,
    /// The criterion for numbers.
    pub criterion: Criterion,
    /// Folds of what is selected by folds.
    pub folds: usize,
    /// Whether candidates that are clearly worse on a part of the rows are dropped.
    pub screening: bool,
    /// Rows of the selection; without it a number that depends on the learner.
    pub rows: Option<usize>,
    /// Whether the winner has leave-one-out residuals; without it up to 4000 rows.
    pub diagnostics: Option<bool>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            learners: Vec::new(),
            kernels: Vec::new(),
            lengthscales: Vec::new(),
            path: Vec::new(),
            criterion: Criterion::LeaveOneOut,
            folds: 5,
            screening: true,
            rows: None,
            diagnostics: None,
        }
    }
}

/// What a search found: a learner with its settings, and what was tried.
#[derive(Clone, Debug)]
pub struct SearchChoice {
    /// The learner.
    pub entry: &'static LearnerEntry,
    /// Its settings.
    pub settings: Settings,
    /// Its score; NaN where nothing had to be compared.
    pub score: f64,
    /// What was tried; absent where nothing had to be compared.
    pub report: Option<SearchReport>,
    /// Remarks on the selection.
    pub remarks: Vec<String>,
}

impl SearchChoice {
    /// The learner on all rows.
    ///
    /// # Errors
    /// As the fit of the learner.
    pub fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        self.entry.build(&self.settings)?.fit(input, compute)
    }

    fn new(entry: &'static LearnerEntry, settings: Settings, score: f64, report: SearchReport) -> Self {
        Self { entry, settings, score, report: Some(report), remarks: Vec::new() }
    }
}

/// The data of a search.
#[derive(Clone, Copy)]
struct Data<'a> {
    x: Points<'a>,
    weights: Option<ArrayView1<'a, f64>>,
}

impl Data<'_> {
    fn points(&self, rows: &[usize]) -> Sample {
        Sample::select(self.x, rows)
    }

    fn weights(&self, rows: &[usize]) -> Option<ndarray::Array1<f64>> {
        self.weights.map(|weights| weights.select(Axis(0), rows))
    }
}

impl Search {
    /// The best learner with its settings.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a learner that cannot be searched for such targets;
    /// [`Error::Canceled`] when it was stopped before anything was scored; as the searches.
    pub fn choose(&self, input: &FitInput<'_>, compute: &Compute) -> Result<SearchChoice> {
        let data = Data { x: input.only()?, weights: input.weights };
        data.x.check_square()?;
        if data.x.is_empty() {
            return Err(Error::too_few("a search", "rows of the data", 1, 0));
        }
        match input.targets {
            Targets::Values(y) => {
                self.check(&NUMBERS)?;
                self.numbers(data, y, compute)
            }
            Targets::Classes(of, names) => {
                self.check(&CLASSES)?;
                self.classes(data, (of, names), compute)
            }
            Targets::None => Err(Error::shape("targets of a search", "numbers or classes", "none")),
        }
    }

    fn check(&self, known: &[&str]) -> Result<()> {
        match self.learners.iter().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(Error::parameter("learners", name, format!("one of {}", known.join(", ")))),
            None => Ok(()),
        }
    }

    fn tries(&self, learner: &str, by_default: bool) -> bool {
        if self.learners.is_empty() { by_default } else { self.learners.iter().any(|name| name == learner) }
    }

    /// Whether the best candidates are compared again on more rows: where there are many, and the
    /// search does not say how to select.
    pub fn is_compared(&self, rows: usize) -> bool {
        let open = self.rows.is_none() && self.criterion == Criterion::LeaveOneOut && self.screening;
        rows >= RidgeFinals::ROWS && open && self.kernels.is_empty()
    }

    /// The rows of a selection for numbers, of so many.
    pub fn sample_size(&self, rows: usize) -> usize {
        let most = if self.is_compared(rows) { FIRST_ROWS } else { FEW_ROWS };
        self.rows.unwrap_or(most)
    }

    /// The rows of a selection for classes, at most.
    pub fn class_sample_size(&self) -> usize {
        self.rows.unwrap_or(MANY_ROWS)
    }

    /// Whether a ridge regression of so many rows gets its leave-one-out residuals.
    pub fn has_diagnostics(&self, rows: usize) -> bool {
        self.diagnostics.unwrap_or(rows <= DIAGNOSED)
    }

    /// The best regression.
    fn numbers(&self, data: Data<'_>, y: ArrayView2<f64>, compute: &Compute) -> Result<SearchChoice> {
        let n = data.x.len();
        let rows = selection_rows(n, &[], self.sample_size(n), compute);
        let line = y.ncols() == 1 && data.x.vectors().is_ok_and(|x| x.ncols() == 1) && self.tries("spline", true);
        if line && rows.len() < n && self.kernels.is_empty() {
            return Ok(long_line());
        }
        let mut found: Option<SearchChoice> = None;
        if self.tries("ridge", true) {
            found = Some(self.ridges(data, y, &rows, compute)?);
        }
        let all = rows.len() == n && self.criterion == Criterion::LeaveOneOut;
        if line
            && all
            && let Some(spline) = splines(data, y, compute)?
        {
            found = Some(better(found, spline));
        }
        for (name, run) in [("svr", Self::tubes as Run), ("gaussian_process", Self::processes)] {
            if self.tries(name, false) {
                let part = if found.is_some() { compute.optional() } else { compute.clone() };
                found = match (run(self, data, y, &rows, &part), found) {
                    (Ok(other), found) => Some(better(found, other)),
                    // The time is over: the best so far.
                    (Err(Error::Canceled), Some(found)) => Some(stopped(found)),
                    (Err(error), _) => return Err(error),
                };
            }
        }
        found.ok_or_else(|| Error::too_few("a search", "learners that take these points", 1, 0))
    }

    /// Ridge regressions: all kernels with a lengthscale in one search, the linear one by itself; for
    /// objects the kernels of their kind.
    fn ridges(&self, data: Data<'_>, y: ArrayView2<f64>, rows: &[usize], compute: &Compute) -> Result<SearchChoice> {
        let (winner, report) = self.kernels(data, y, rows, compute)?;
        let spec = Ridge {
            intercept: true,
            diagnostics: self.has_diagnostics(data.x.len()),
            tolerance: ENOUGH,
            ..Ridge::new(winner.kernel, winner.lambda)
        };
        Ok(SearchChoice::new(&ridge::entry::ENTRY, spec.settings(), winner.score, report))
    }

    fn base(&self, kernels: Vec<Kernel>) -> RidgeSearch {
        let search = RidgeSearch {
            criterion: self.criterion,
            screening: self.screening,
            frugal: true,
            intercept: true,
            lengthscales: self.lengthscales.clone(),
            ..RidgeSearch::new(kernels)
        };
        if self.path.is_empty() { search } else { RidgeSearch { lambdas: self.path.clone(), ..search } }
    }

    /// The ridge regressions that are compared on these rows: of the kernels of the search, of those
    /// of objects, or of smooth kernels with lengthscales around the median distance (the linear one
    /// is compared by itself). Where all rows are equal there is no distance, and the linear kernel
    /// is left.
    ///
    /// # Errors
    /// As [`median_lengthscales`](super::median_lengthscales) and [`Kernel::family_of`].
    pub fn ridge_search(&self, x: Points<'_>, rows: &[usize], compute: &Compute) -> Result<RidgeSearch> {
        if !self.kernels.is_empty() {
            return Ok(self.base(self.kernels.clone()));
        }
        if !x.is_vectors() {
            return Ok(self.base(Kernel::family_of(x)?));
        }
        let mut kernels = SMOOTH.iter().map(|text| text.parse()).collect::<Result<Vec<Kernel>>>()?;
        if let Points::Vectors(x) = x {
            kernels.extend(additive(x.ncols())?);
        }
        let smooth = self.base(kernels);
        if !self.lengthscales.is_empty() {
            return Ok(smooth);
        }
        match smooth.around_median(&Sample::kept_some(x, rows), compute) {
            Err(Error::AllEqual { .. } | Error::Overflow { .. }) => self.linear_search(),
            found => found,
        }
    }

    fn linear_search(&self) -> Result<RidgeSearch> {
        Ok(RidgeSearch { lengthscales: Vec::new(), ..self.base(vec!["linear()".parse()?]) })
    }

    fn kernels(
        &self,
        data: Data<'_>,
        y: ArrayView2<f64>,
        rows: &[usize],
        compute: &Compute,
    ) -> Result<(Winner, SearchReport)> {
        let smooth = self.ridge_search(data.x, rows, compute)?;
        if !self.kernels.is_empty() || !data.x.is_vectors() {
            return once(&smooth, data, y, rows, compute);
        }
        let linear = once(&self.linear_search()?, data, y, rows, compute)?;
        if smooth.lengthscales.is_empty() {
            return Ok(linear);
        }
        let compute = &compute.optional();
        let found = if self.is_compared(data.x.len()) {
            twice(&RidgeSearch { refinements: 0, ..smooth }, data, y, rows, linear.0.score, compute)
        } else {
            once(&smooth, data, y, rows, compute)
        };
        let found = match found {
            Ok(found) => found,
            Err(Error::Canceled) => return Ok((linear.0, SearchReport { complete: false, ..linear.1 })),
            Err(other) => return Err(other),
        };
        // Of equals the simpler one wins; what was compared on more rows has won before.
        let linear_won = !found.1.is_compared() && linear.0.score <= found.0.score;
        let report = found.1.join(linear.1, linear_won);
        Ok((if linear_won { linear.0 } else { found.0 }, report))
    }

    /// Support vector regressions of standardized targets, by folds.
    fn tubes(&self, data: Data<'_>, y: ArrayView2<f64>, rows: &[usize], compute: &Compute) -> Result<SearchChoice> {
        let y = only_target("svr", y)?.select(Axis(0), rows);
        let (x, weights) = (data.points(rows), data.weights(rows));
        let mean = y.mean().unwrap_or(0.0);
        let spread = (y.mapv(|v| (v - mean).powi(2)).sum() / y.len() as f64).sqrt();
        // The tube and C of the grid are meant for targets of standard deviation 1.
        let unit = if spread > 0.0 { spread } else { 1.0 };
        let spec = Svr::new("gaussian()".parse()?, 1.0, 0.1 * unit);
        let mut cs = default_cs(&self.path);
        cs.values.iter_mut().for_each(|c| *c *= if self.path.is_empty() { unit } else { 1.0 });
        let all: Vec<usize> = (0..rows.len()).collect();
        let parts = (x.as_points(), &all[..]);
        let search = FoldSearch::with_defaults(&self.kernels, &self.lengthscales, (cs, "C"), parts, compute)?;
        let search = FoldSearch { folds: self.folds, ..search };
        let weights = weights.as_ref().map(|w| w.view());
        let held = HeldOutSvr { spec: spec.clone(), x: x.as_points(), y: y.view(), weights };
        let found = search.fit(&held, &vec![0; rows.len()], weights, compute)?;
        let how = (Measure::SquaredError, "C");
        let report = SearchReport::of_folds("svr", &search, how, &found, data.x.len()).renamed("svr");
        let best = found.best();
        let spec = Svr { kernel: best.kernel.clone(), c: best.parameter, ..spec };
        Ok(SearchChoice::new(&svm::entry::SVR, spec.settings(), best.score, report))
    }

    /// Gaussian processes by the likelihood; their score is that of leave-one-out.
    fn processes(&self, data: Data<'_>, y: ArrayView2<f64>, rows: &[usize], compute: &Compute) -> Result<SearchChoice> {
        let y = only_target("gaussian_process", y)?;
        let search = ProcessSearch::automatic(&self.kernels, data.x)?;
        let found: ProcessChoice = search.choose(data.x, y, rows, compute)?;
        let density = found.fit.leave_one_out(compute)?;
        let score = (&density.mean - &found.fit.targets()).mapv(|e| e * e).mean().unwrap_or(f64::NAN);
        let name = found.fit.kernel().to_string();
        let result = SearchResult {
            learner: "gaussian_process",
            name: format!("gp {name}"),
            family: "gp".into(),
            parameter: Some(found.fit.noise()),
            score,
        };
        let report = SearchReport {
            criterion: Criterion::LeaveOneOut,
            measure: Measure::SquaredError,
            parameter: "noise",
            rows: rows.len(),
            of: data.x.len(),
            screening: None,
            results: vec![result],
            surface: None,
            ranges: Vec::new(),
            screened: None,
            fits: Some(search.processes.len()),
            complete: found.untried == 0,
            frugal: false,
            held_out: None,
        };
        let settings = found.again().settings();
        Ok(SearchChoice::new(&gaussian_process::entry::ENTRY, settings, score, report))
    }

    /// A support vector machine, and logistic regression on the rows on which its first grid was
    /// scored, by the errors of folds.
    fn classes(&self, data: Data<'_>, (of, names): (&[usize], &[String]), compute: &Compute) -> Result<SearchChoice> {
        let rows = selection_rows(data.x.len(), of, self.class_sample_size(), compute);
        let folds = match self.criterion {
            Criterion::Folds(folds) => folds,
            _ => self.folds,
        };
        let machines = |parameters, name| {
            let given = (&self.kernels[..], &self.lengthscales[..]);
            let search = FoldSearch::with_defaults(given.0, given.1, (parameters, name), (data.x, &rows), compute)?;
            Ok::<_, Error>(FoldSearch { folds, ..search })
        };
        if !self.tries("svc", true) {
            let search = machines(default_lambdas(&self.path), "lambda")?;
            let (best, report) = likelihoods(&search, data, of, &rows, compute)?.ok_or_else(too_long)?;
            return likely(&best, report);
        }
        let search = machines(default_cs(&self.path), "C")?;
        let labels: Vec<usize> = rows.iter().map(|&row| of[row]).collect();
        let (x, weights) = (data.points(&rows), data.weights(&rows));
        let weights = weights.as_ref().map(|w| w.view());
        let classes = Classes::from_indices(labels.clone(), names.to_vec())?;
        let svc = Svc::new("gaussian()".parse()?, 1.0);
        let held = HeldOutSvc { spec: svc.clone(), x: x.as_points(), classes: &classes, weights };
        let found = search.fit(&held as &dyn HeldOut, &labels, weights, compute)?;
        let best = found.best().clone();
        let how = (Measure::WrongClasses, "C or λ");
        let tried = SearchReport::of_folds("svc", &search, how, &found, data.x.len()).renamed("svm");
        // Where no row is wrong nothing is better.
        if found.screened_score == 0.0 || best.score == 0.0 || !self.tries("logistic", true) {
            return Ok(self.machine(&svc, &best, tried, true));
        }
        let few: Vec<usize> = search.screening_rows(&labels, compute).into_iter().map(|at| rows[at]).collect();
        let second =
            FoldSearch { lengthscales: search.lengthscales.clone(), ..machines(default_lambdas(&[]), "lambda")? };
        let compute = &compute.optional();
        let (also, report) = match likelihoods(&second, data, of, &few, compute) {
            Err(Error::Canceled) => return Ok(self.machine(&svc, &best, tried, false)),
            Ok(None) => {
                let mut choice = self.machine(&svc, &best, tried, true);
                choice.remarks.push(NOT_TRIED.into());
                return Ok(choice);
            }
            found => found?.ok_or_else(too_long)?,
        };
        if also.score > found.screened_score {
            return Ok(self.machine(&svc, &best, tried.join(report, false), true));
        }
        if few.len() == found.rows {
            // Of equals the one with probabilities by construction.
            return likely(&also, report.join(tried, false));
        }
        // More rows may prefer the other: the best of both are compared on the same rows.
        let again = FoldSearch {
            folds,
            parameter: "lambda",
            ..FoldSearch::new(vec![also.kernel.clone()], Choices::fixed(vec![also.parameter]))
        };
        match likelihoods(&again, data, of, &rows, compute) {
            Err(Error::Canceled) => Ok(self.machine(&svc, &best, tried.join(report, false), false)),
            Ok(None) => {
                let mut choice = likely(&also, report.join(tried, false))?;
                choice.remarks.push(format!("Logistic regression was compared on {} rows only.", few.len()));
                Ok(choice)
            }
            other => {
                let (once_more, full) = other?.ok_or_else(too_long)?;
                if once_more.score > best.score {
                    return Ok(self.machine(&svc, &best, tried.join(full, false).join(report, false), true));
                }
                let ranges = report.ranges.clone();
                likely(&once_more, SearchReport { ranges, ..full.join(tried, false).join(report, false) })
            }
        }
    }

    fn machine(&self, svc: &Svc, best: &Tried, report: SearchReport, complete: bool) -> SearchChoice {
        let spec = Svc { kernel: best.kernel.clone(), penalty: Penalty::C(best.parameter), ..svc.clone() };
        let report = SearchReport { complete: complete && report.complete, ..report };
        SearchChoice::new(&svm::entry::SVC, spec.settings(), best.score, report)
    }
}

type Run = fn(&Search, Data<'_>, ArrayView2<f64>, &[usize], &Compute) -> Result<SearchChoice>;

const NOT_TRIED: &str = "Logistic regression was skipped because of the number of classes (use mercer fit logistic).";

fn too_long() -> Error {
    Error::unsupported(
        "a search for a logistic regression",
        "so many rows and classes",
        "it would take longer than the limit of its plan",
        "give fewer rows",
    )
}

/// The best logistic regression by its errors on these rows, and what was tried; none where that
/// takes long.
fn likelihoods(
    search: &FoldSearch,
    data: Data<'_>,
    of: &[usize],
    rows: &[usize],
    compute: &Compute,
) -> Result<Option<(Tried, SearchReport)>> {
    let search = FoldSearch { screening: rows.len(), ..search.clone() };
    let labels: Vec<usize> = rows.iter().map(|&row| of[row]).collect();
    let (x, weights) = (data.points(rows), data.weights(rows));
    let weights = weights.as_ref().map(|w| w.view());
    let spec = LogisticRegression::new("gaussian()".parse()?, 1.0);
    let (labels, loss) = (&labels[..], ClassLoss::Wrong);
    let held = HeldOutLogistic { spec, x: x.as_points(), labels, weights, loss };
    if held.affordable_rows(rows.len(), search.grid_fits(), OPERATIONS, compute)? < rows.len() {
        return Ok(None);
    }
    let found = search.fit(&held, labels, weights, compute)?;
    let how = (Measure::WrongClasses, "C or λ");
    let report = SearchReport::of_folds("logistic", &search, how, &found, data.x.len()).renamed("logistic");
    Ok(Some((found.best().clone(), report)))
}

/// The logistic regression of a candidate.
fn likely(best: &Tried, report: SearchReport) -> Result<SearchChoice> {
    let spec = LogisticRegression::new(best.kernel.clone(), best.parameter);
    Ok(SearchChoice::new(&logistic::entry::ENTRY, spec.settings(), best.score, report))
}

/// A search on these rows.
fn once(
    search: &RidgeSearch,
    data: Data<'_>,
    y: ArrayView2<f64>,
    rows: &[usize],
    compute: &Compute,
) -> Result<(Winner, SearchReport)> {
    let (x, y, weights) = (data.points(rows), y.select(Axis(0), rows), data.weights(rows));
    let found = search.choose(&x, y.view(), weights.as_ref().map(|w| w.view()), compute)?;
    let report = SearchReport::of_ridge(search, &found, rows.len(), data.x.len());
    Ok((found.winner, report))
}

/// A search on these rows and, where the best beats `score`, the best candidates again by fits on
/// more rows.
fn twice(
    search: &RidgeSearch,
    data: Data<'_>,
    y: ArrayView2<f64>,
    rows: &[usize],
    score: f64,
    compute: &Compute,
) -> Result<(Winner, SearchReport)> {
    let (x, some, weights) = (data.points(rows), y.select(Axis(0), rows), data.weights(rows));
    let found = search.choose(&x, some.view(), weights.as_ref().map(|w| w.view()), compute)?;
    let finals = if !found.complete || found.winner.score >= score {
        None
    } else {
        match RidgeFinals::new(search, &found, data.x, y, data.weights, compute) {
            // The best of the first search is an answer.
            Err(Error::Canceled) => {
                let found = RidgeChoice { complete: false, ..found };
                return Ok((found.winner.clone(), SearchReport::of_ridge(search, &found, rows.len(), data.x.len())));
            }
            finals => finals?,
        }
    };
    let report = SearchReport::of_ridge(search, &found, rows.len(), data.x.len());
    Ok(match finals {
        None => (found.winner, report),
        Some(finals) => (finals.winner.clone(), report.then(search, finals)),
    })
}

/// `Σⱼ gaussian` of one coordinate each, for two coordinates and more.
fn additive(columns: usize) -> Result<Option<Kernel>> {
    if !(2..=FEW).contains(&columns) {
        return Ok(None);
    }
    let terms: Vec<String> = (0..columns).map(|j| format!("on([{j}], gaussian())")).collect();
    terms.join(" + ").parse().map(Some)
}

fn only_target<'y>(learner: &str, y: ArrayView2<'y, f64>) -> Result<ArrayView1<'y, f64>> {
    if y.ncols() == 1 {
        return Ok(y.index_axis_move(Axis(1), 0));
    }
    Err(Error::shape(&format!("targets of a search with {learner}"), 1, y.ncols()))
}

/// A spline, which takes all rows of a line in linear time.
fn long_line() -> SearchChoice {
    let settings = SmoothingSpline::default().settings();
    let remark = "One column and many rows: a smoothing spline was fitted, exact and in linear time.";
    SearchChoice { entry: &spline::entry::ENTRY, settings, score: f64::NAN, report: None, remarks: vec![remark.into()] }
}

/// The spline as one more candidate; none where the points have too few distinct places.
fn splines(data: Data<'_>, y: ArrayView2<f64>, compute: &Compute) -> Result<Option<SearchChoice>> {
    let x = data.x.vectors()?.index_axis_move(Axis(1), 0);
    let spec = SmoothingSpline::default();
    let Ok(fit) = spec.fit(x, y.index_axis(Axis(1), 0), data.weights, compute) else { return Ok(None) };
    let score = fit.loo_score();
    if !score.is_finite() {
        return Ok(None);
    }
    let name = "cubic smoothing spline (GCV)".to_owned();
    let family = name.clone();
    let result = SearchResult { learner: "spline", name, family, parameter: Some(fit.lambda()), score };
    let report = SearchReport {
        criterion: Criterion::LeaveOneOut,
        measure: Measure::SquaredError,
        parameter: "λ",
        rows: data.x.len(),
        of: data.x.len(),
        screening: None,
        results: vec![result],
        surface: None,
        ranges: Vec::new(),
        screened: None,
        fits: None,
        complete: true,
        frugal: false,
        held_out: None,
    };
    Ok(Some(SearchChoice::new(&spline::entry::ENTRY, spec.settings(), score, report)))
}

/// The better of two, with what both tried; of equals the first.
fn better(first: Option<SearchChoice>, second: SearchChoice) -> SearchChoice {
    let Some(first) = first else { return second };
    let second_wins = second.score < first.score;
    let (SearchChoice { report: a, .. }, SearchChoice { report: b, .. }) = (&first, &second);
    let report = match (a.clone(), b.clone()) {
        (Some(a), Some(b)) => Some(a.join(b, false)),
        (a, b) => a.or(b),
    };
    SearchChoice { report, ..if second_wins { second } else { first } }
}

fn stopped(choice: SearchChoice) -> SearchChoice {
    SearchChoice { report: choice.report.map(|report| SearchReport { complete: false, ..report }), ..choice }
}
