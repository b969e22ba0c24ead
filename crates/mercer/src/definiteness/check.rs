//! The check of a kernel: a proof by rule, otherwise a search for counterexamples.

use ndarray::{Array2, Axis};

use super::objects;
use super::region::DomainBox;
use super::search::{Attack, Attempt, Found};
use super::side::Claim;
use super::simplify::refutation_by_rows;
use crate::error::MemoryPurpose;
use crate::kernel::{Counterexample, Proof, Property, Verdict};
use crate::points::PointKind;
use crate::{Compute, Error, Kernel, Points, Result};

/// Options of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckOptions {
    /// The most rows of the data that are used; of more, a subsample is drawn with the seed of the
    /// computation.
    pub max_rows: usize,
}

impl Default for CheckOptions {
    /// At most 1000 rows.
    fn default() -> Self {
        Self { max_rows: 1000 }
    }
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq)]
pub enum CheckVerdict {
    /// The rules prove the property.
    Proven(Proof),
    /// Points and weights show that it fails; re-checked with 31 digits.
    Refuted(Counterexample),
    /// Not proven, and no counterexample among the points that were tried.
    NotRefuted,
}

/// The result, and how far the search went.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The outcome.
    pub verdict: CheckVerdict,
    /// The result of the rules alone.
    pub rules: Verdict,
    /// The smallest eigenvalue of the Gram matrix `K` of `points` (of `−JKJ` on the negative side);
    /// of a precomputed matrix its own. NaN if nothing was evaluated.
    pub min_eigenvalue: f64,
    /// `n·ε·trace` for that matrix: an eigenvalue above `−tolerance` is rounding, not a refutation.
    pub tolerance: f64,
    /// The points of that matrix: the rows of the data that were looked at, unless points that were
    /// searched for refute the kernel where the data does not; without data the points of the
    /// counterexample, or else the worst set that was tried (relative to the size of the matrix).
    /// No rows for a precomputed matrix.
    pub points: Array2<f64>,
    /// The weights `c` of the refutation, one per point (0 at rows of the data that take no part),
    /// or one per row of the counterexample to a precomputed matrix. Empty unless refuted.
    pub weights: Vec<f64>,
    /// Rows of the data that were looked at.
    pub rows_used: usize,
    /// Rows of the data that were given.
    pub rows_total: usize,
    /// Point sets that were tried besides the data.
    pub sets_tried: usize,
    /// Points in them, with the rows of the data.
    pub points_tried: usize,
}

impl Check {
    /// `Some(true)` if proven, `Some(false)` if refuted by a counterexample or by a rule, `None` if open.
    pub fn as_option(&self) -> Option<bool> {
        match self.verdict {
            CheckVerdict::Proven(_) => Some(true),
            CheckVerdict::Refuted(_) => Some(false),
            CheckVerdict::NotRefuted => self.rules.as_option(),
        }
    }

    /// The counterexample, where there is one.
    pub fn counterexample(&self) -> Option<&Counterexample> {
        if let CheckVerdict::Refuted(counterexample) = &self.verdict { Some(counterexample) } else { None }
    }
}

/// Proves that a kernel is positive semi-definite, or tries to refute it on the data and on points
/// that it searches for.
///
/// # Theory
/// A kernel is PSD if every Gram matrix is. One negative eigenvalue refutes it, if it is more than
/// rounding: candidates have `λ < −n·ε·trace`, and only those whose `cᵀKc` is certainly negative in
/// double-double arithmetic, error bound included, are returned. A kernel that the rules prove is
/// never attacked.
///
/// # Cost
/// `O(m²)` kernel values and `O(m³)` for the eigenvalues of `m` rows of data (at most `max_rows`,
/// and what the memory limit allows); the search looks at about a thousand sets of 5 to 80 points.
///
/// # Errors
/// [`Error::Value`], [`Error::Shape`] and [`Error::Unresolved`], [`Error::Precomputed`] or
/// [`Error::Overflow`] if the data does not fit the kernel (or, without data, if the kernel cannot
/// be evaluated: an unresolved median, a column by name, a precomputed matrix),
/// [`Error::Canceled`].
///
/// # Example
/// ```
/// use mercer::definiteness::{CheckOptions, check};
/// use mercer::{Compute, Kernel};
/// let k: Kernel = "ball(radius=2)".parse()?;
/// let found = check(&k, None, &CheckOptions::default(), &Compute::new())?;
/// let counterexample = found.counterexample().unwrap();
/// assert!(counterexample.value < 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn check(kernel: &Kernel, data: Option<Points>, options: &CheckOptions, compute: &Compute) -> Result<Check> {
    run(kernel, Claim::Positive, data, options, compute)
}

/// Proves that a kernel is negative semi-definite (`Σ cᵢ = 0 ⇒ cᵀKc ≤ 0`), or tries to refute it.
///
/// The counterexample has whole weights that sum to 0 exactly, and `cᵀKc > 0`.
///
/// # Errors
/// As [`check`].
///
/// # Example
/// ```
/// use mercer::definiteness::{CheckOptions, check_negative};
/// use mercer::{Compute, Kernel};
/// let k: Kernel = "distance(power=3)".parse()?;
/// let found = check_negative(&k, None, &CheckOptions::default(), &Compute::new())?;
/// let counterexample = found.counterexample().unwrap();
/// assert!(counterexample.value > 0.0 && counterexample.weights.iter().sum::<f64>() == 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn check_negative(
    kernel: &Kernel,
    data: Option<Points>,
    options: &CheckOptions,
    compute: &Compute,
) -> Result<Check> {
    run(kernel, Claim::Negative, data, options, compute)
}

fn run(kernel: &Kernel, side: Claim, data: Option<Points>, options: &CheckOptions, compute: &Compute) -> Result<Check> {
    compute.check_canceled()?;
    let property = match side {
        Claim::Positive => Property::PositiveSemidefinite,
        Claim::Negative => Property::NegativeSemidefinite,
    };
    let kind = data.as_ref().map(Points::kind).or_else(|| kernel.point_kind());
    // The search and its certificates take 31 digits, which kernels of a program do not have.
    if kind.is_some_and(PointKind::is_object) || kernel.first_custom().is_some() {
        return objects::check(kernel, side, kernel.property(property), data, options, compute);
    }
    // Sparse vectors may have too many columns for points that are searched for.
    if let Some(Points::Sparse(rows)) = data {
        return objects::check(kernel, side, kernel.property_on(property, rows.width()), data, options, compute);
    }
    let columns = data.map(|points| points.vectors().map(|x| x.ncols())).transpose()?;
    let rules = columns.map_or_else(|| kernel.property(property), |d| kernel.property_on(property, d));
    let mut check = Check::start(rules);
    let attack = Attack::new(kernel, side);
    let on_data = data.map(|points| check.look_at_data(&attack, points, options, compute)).transpose()?.flatten();
    if let Verdict::Proven(proof) = &check.rules {
        check.verdict = CheckVerdict::Proven(proof.clone());
        return Ok(check);
    }
    let negative = on_data.as_ref().filter(|(_, attempt)| attempt.is_negative());
    match negative.and_then(|(rows, attempt)| Some((rows, refutation_by_rows(&attack, attempt, rows)?))) {
        Some((rows, counterexample)) => check.refute_by_rows(rows, counterexample),
        None => {
            let found = attack.search(&regions(kernel, data)?, compute)?;
            check.take_in(found, &attack, on_data.is_some());
        }
    }
    Ok(check)
}

/// The regions to search: the columns of the data, or the first few numbers of columns that the
/// kernel takes.
fn regions(kernel: &Kernel, data: Option<Points>) -> Result<Vec<DomainBox>> {
    if let Some(points) = data {
        return Ok(vec![DomainBox::with_columns(kernel, points.vectors()?.ncols())]);
    }
    let regions = DomainBox::of(kernel, 3);
    if regions.is_empty() {
        kernel.check_vectors(Array2::zeros((0, 1)).view())?;
        return Err(Error::unsupported(
            "check without data",
            kernel,
            "no number of columns up to 64 fits it",
            "give data",
        ));
    }
    Ok(regions)
}

impl Check {
    pub(super) fn start(rules: Verdict) -> Self {
        Self {
            verdict: CheckVerdict::NotRefuted,
            rules,
            min_eigenvalue: f64::NAN,
            tolerance: f64::NAN,
            points: Array2::zeros((0, 0)),
            weights: Vec::new(),
            rows_used: 0,
            rows_total: 0,
            sets_tried: 0,
            points_tried: 0,
        }
    }

    fn look_at_data(
        &mut self,
        attack: &Attack<'_>,
        points: Points,
        options: &CheckOptions,
        compute: &Compute,
    ) -> Result<Option<(Vec<usize>, Attempt)>> {
        let x = points.vectors()?;
        points.check_finite("the data")?;
        attack.evaluator.kernel.check_vectors(x)?;
        let rows = chosen_rows(x.nrows(), options, compute)?;
        (self.rows_total, self.rows_used, self.points_tried) = (x.nrows(), rows.len(), rows.len());
        if rows.is_empty() {
            return Ok(None);
        }
        let sample = x.select(Axis(0), &rows);
        let Some(attempt) = compute.install(|| attack.attempt(sample.view())) else {
            let kernel = attack.evaluator.kernel;
            return Err(Error::overflow(
                format!("{kernel} on the data"),
                "rescale the data, or bring it into the radius of convergence",
            ));
        };
        self.measure(&attempt);
        Ok(Some((rows, attempt)))
    }

    /// The reported eigenvalue is that of these points.
    fn measure(&mut self, attempt: &Attempt) {
        (self.min_eigenvalue, self.tolerance) = (attempt.lowest, attempt.tolerance);
        self.points = attempt.points.clone();
    }

    /// A refutation by rows of the data, with weights for all rows that were looked at.
    fn refute_by_rows(&mut self, rows: &[usize], counterexample: Counterexample) {
        self.weights = vec![0.0; rows.len()];
        for (row, weight) in counterexample.indices.iter().zip(&counterexample.weights) {
            if let Ok(position) = rows.binary_search(row) {
                self.weights[position] = *weight;
            }
        }
        self.verdict = CheckVerdict::Refuted(counterexample);
    }

    fn take_in(&mut self, found: Found, attack: &Attack<'_>, has_data: bool) {
        self.sets_tried = found.sets;
        self.points_tried += found.points;
        match found.counterexample {
            // The points were simplified after their eigenvalue was taken: it is taken again.
            Some(counterexample) => {
                attack.attempt(counterexample.points.view()).iter().for_each(|attempt| self.measure(attempt));
                self.weights.clone_from(&counterexample.weights);
                self.verdict = CheckVerdict::Refuted(counterexample);
            }
            None if !has_data => found.worst.iter().for_each(|worst| self.measure(worst)),
            None => {}
        }
    }
}

/// All rows, or a subsample as large as the options and the memory limit allow, in order.
pub(super) fn chosen_rows(n: usize, options: &CheckOptions, compute: &Compute) -> Result<Vec<usize>> {
    // The Gram matrix, its copy for the solver, the eigenvectors twice, and work space.
    const BYTES_PER_ENTRY: u64 = 48;
    compute.reserve(MemoryPurpose::KernelMatrix, "a check on data", BYTES_PER_ENTRY * 4, "raise the memory limit")?;
    let affordable = ((compute.memory() / BYTES_PER_ENTRY) as f64).sqrt() as usize;
    let limit = options.max_rows.min(affordable);
    if n <= limit {
        return Ok((0..n).collect());
    }
    let mut rows = compute.seed().stream("rows for a check", 0).permutation(n);
    rows.truncate(limit);
    rows.sort_unstable();
    Ok(rows)
}
