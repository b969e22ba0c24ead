//! The specification of kernel canonical correlation, and its fit.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::choices::{CcaForm, Criterion, Rank};
use super::factor::{SMALL, ViewFactor, bind_view, largest_rank, whole_bytes};
use super::fit::{CcaEvidence, CcaFit, ViewFunctions};
use super::permute::{self, KappaSearch};
use super::problem::{Directions, Problem};
use crate::error::AllowedRange;
use crate::gram::{self, Bound, Tiles};
use crate::kernel::Property;
use crate::learner::Plan;
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// The error of the correlations that [`Rank::Auto`] may make, by its bound.
const LARGEST_ERROR: f64 = 1e-6;

/// Kernel canonical correlation analysis of two or more views of the same objects.
///
/// # Formula
/// With centered kernel matrices `K_v = HK_vH` and `c = nκ/2`: the generalized eigenproblem
/// `𝒦a = λ𝒟a`, where `𝒦` has the blocks `K_iK_j` for `i ≠ j` and `(K_i + cI)²` for `i = j`, and `𝒟`
/// is its block diagonal. For two views `λ = 1 ± ρ`: `ρ_j` are the singular values of
/// `(K₁ + cI)⁻¹K₁K₂(K₂ + cI)⁻¹`. For more views the correlations are `1 − λ` for the smallest λ. The
/// form of Fukumizu has `K_i² + nκK_i` instead of `(K_i + cI)²`.
///
/// # Theory
/// `ρ` is the largest correlation of `f(x)` and `g(y)` over functions with `‖f‖, ‖g‖` penalized;
/// with universal kernels it is 0 in the limit only for independent views. Without a penalty it is 1
/// for any data with invertible kernel matrices. κ multiplies the number of points: kernels are
/// supposed to have values of about 1 on the diagonal, as normalized kernels have.
///
/// # Cost
/// Ranks `r_v` of the kernel matrices, small for smooth kernels, give `O(nΣr_v²)` for the factors
/// and `O((Σr_v)³)` for the eigenproblem; `14n³/3` for a matrix whose rank is large.
///
/// # Example
/// ```
/// use mercer::{Compute, view::cca::KernelCca};
/// use ndarray::array;
/// let (x, y) = (array![[-1.0], [1.0]], array![[2.0], [0.0]]);
/// let spec = KernelCca::new("linear()".parse()?, 1, 1.0);
/// let fit = spec.fit(&[(&x).into(), (&y).into()], &Compute::new())?;
/// // Both centered matrices have the eigenvalue 2, and c = nκ/2 = 1: ρ = (2/3)².
/// mercer::assert_close!(fit.correlations()[0], 4.0 / 9.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KernelCca {
    /// A kernel for each view, or one for all of them.
    pub kernels: Vec<Kernel>,
    /// The number of correlations.
    pub components: usize,
    /// `κ > 0`, the strength of the regularization.
    pub kappa: f64,
    /// How κ is chosen from the data instead of `kappa`; not by default.
    pub kappa_search: Option<KappaSearch>,
    /// How the problem is regularized.
    pub form: CcaForm,
    /// What is extreme for three or more views.
    pub criterion: Criterion,
    /// How exactly the kernel matrices are represented.
    pub rank: Rank,
    /// Permutations for p-values of the correlations; none by default.
    pub permutations: usize,
}

/// The views of a fit, bound and factored.
pub(super) struct Factored<'a> {
    pub(super) bounds: Vec<Bound<'a>>,
    pub(super) factors: Vec<ViewFactor>,
    pub(super) rows: usize,
}

impl KernelCca {
    /// One kernel for all views, with the form of Bach and Jordan.
    pub fn new(kernel: Kernel, components: usize, kappa: f64) -> Self {
        Self {
            kernels: vec![kernel],
            components,
            kappa,
            kappa_search: None,
            form: CcaForm::BachJordan,
            criterion: Criterion::SmallestEigenvalue,
            rank: Rank::Auto,
            permutations: 0,
        }
    }

    /// Fits the views, which describe the same objects in the same order. A view with a kernel over
    /// `precomputed()` is the matrix of kernel values.
    ///
    /// Where the views have fewer correlated directions than components were requested, the other
    /// components have the correlation 0 and the coefficients 0.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `κ > 0` and there is a component; [`Error::TooFew`] for fewer
    /// than two views or rows; [`Error::Shape`] for views of different lengths or another number of
    /// kernels; [`Error::NotPositiveDefinite`], [`Error::Memory`], [`Error::Canceled`]; and as
    /// [`Kernel::bind`].
    pub fn fit(&self, views: &[Points<'_>], compute: &Compute) -> Result<CcaFit> {
        self.check()?;
        let views = self.take_views(views)?;
        let bounds = self.bind(&views, compute)?;
        match &self.kappa_search {
            None => self.fit_factored(&views, &self.factor(bounds, self.kappa, compute)?, compute),
            Some(search) => {
                let (choice, factored) = self.choose(bounds, search, compute)?;
                let fit = Self { kappa: choice.kappa, ..self.clone() }.fit_factored(&views, &factored, compute)?;
                Ok(CcaFit { kappa_choice: Some(choice), settings: self.settings_of_fit(compute), ..fit })
            }
        }
    }

    /// The plan for views of so many rows: what [`KernelCca::fit`] will run at most. Ranks are known
    /// only from the data; where they exceed the largest for factors, whole matrices follow.
    ///
    /// # Errors
    /// [`Error::Memory`] when nothing fits into the memory limit.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, view::cca::KernelCca};
    /// let spec = KernelCca::new("gaussian()".parse()?, 2, 0.02);
    /// assert_eq!(spec.plan(100, 2, &Compute::new())?.solver, "eigenvectors of whole kernel matrices");
    /// assert!(spec.plan(5000, 2, &Compute::new())?.approximation.is_some());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn plan(&self, rows: usize, views: usize, compute: &Compute) -> Result<Plan> {
        let (n, m) = (rows as f64, views as f64);
        if self.decomposes(rows) {
            let bytes =
                (whole_bytes(rows, compute)? + 8 * (views * rows * rows) as u64).max(problem_bytes(n, m, n) as u64);
            let flops = m * 14.0 / 3.0 * n.powi(3) + m * (m - 1.0) * n.powi(3);
            let solver = "eigenvectors of whole kernel matrices";
            return Ok(Plan::new(solver, bytes, flops, format!("{rows} rows"), compute));
        }
        let rank = largest_rank(rows, self.rank, compute) as f64;
        let (bytes, flops) = (problem_bytes(n, m, rank), 4.0 * m * n * rank * rank);
        let reason = "the rank of smooth kernels is far below the number of rows";
        let plan = Plan::new("pivoted Cholesky factors", bytes as u64, flops, reason, compute);
        let approximation = match self.rank {
            Rank::Tolerance(tolerance) => format!("the factors leave out {tolerance:e} of the traces"),
            _ => format!("no correlation changes by more than {LARGEST_ERROR:e}"),
        };
        Ok(Plan { approximation: Some(approximation), ..plan })
    }

    /// Whether whole matrices are decomposed in any case.
    fn decomposes(&self, rows: usize) -> bool {
        let unproven = |kernel: &Kernel| !kernel.property(Property::PositiveSemidefinite).is_proven();
        self.rank == Rank::Exact || (self.rank == Rank::Auto && rows <= SMALL) || self.kernels.iter().any(unproven)
    }

    /// The settings with the seed, where it matters.
    fn settings_of_fit(&self, compute: &Compute) -> Settings {
        let random = self.permutations > 0 || self.kappa_search.is_some();
        self.settings().with_some("seed", random.then(|| compute.seed()))
    }

    /// The fit of views that are factored, with the κ of this specification.
    fn fit_factored(&self, views: &[Points<'_>], factored: &Factored<'_>, compute: &Compute) -> Result<CcaFit> {
        let scaled = factored.scaled(self.form, self.kappa);
        let problem = Problem::new(&views_of(&scaled), self.criterion, compute)?;
        let directions = problem.solve(self.components, compute)?;
        let coefficients = self.coefficients(factored, &scaled, &directions, compute)?;
        let mut functions = Vec::new();
        for ((bound, points), alpha) in factored.bounds.iter().zip(views).zip(coefficients) {
            let offset = gram::multiply(bound, alpha.view(), compute)?.mean_axis(Axis(0));
            functions.push(ViewFunctions {
                kept: Default::default(),
                kernel: bound.kernel().clone(),
                points: Sample::kept(*points),
                offset: offset.unwrap_or_else(|| Array1::zeros(alpha.ncols())),
                alpha,
            });
        }
        let mut correlations = directions.correlations;
        let determined = correlations.len();
        correlations.resize(self.components, 0.0);
        let p_values = match self.permutations {
            0 => None,
            count => Some(permute::test(&scaled, self, count, compute)?.p_values),
        };
        Ok(CcaFit {
            correlations,
            functions,
            p_values,
            kappa: self.kappa,
            kappa_choice: None,
            evidence: self.evidence(factored, determined),
            settings: self.settings_of_fit(compute),
        })
    }

    /// The dual coefficients of every view, with zeros for components that are not determined.
    fn coefficients(
        &self,
        factored: &Factored<'_>,
        scaled: &[Array2<f64>],
        directions: &Directions,
        compute: &Compute,
    ) -> Result<Vec<Array2<f64>>> {
        let (n, count) = (factored.rows, directions.correlations.len());
        let shift = self.form.shift(self.kappa, n);
        let mut parts = directions.parts.clone();
        normalize(&mut parts);
        let product = |(z, p): (&Array2<f64>, &Array2<f64>)| z.dot(p);
        let variates: Vec<Array2<f64>> = scaled.iter().zip(&parts).map(product).collect();
        let sum = variates.iter().fold(Array2::zeros((n, count)), |sum, z| sum + z);
        let signs = orientation(&variates);
        let mut all = Vec::new();
        for (v, factor) in factored.factors.iter().enumerate() {
            compute.check_canceled()?;
            // Fukumizu's coefficients are divided by √λ, which the eigenvector equation avoids.
            let coordinates = match self.form {
                CcaForm::BachJordan => parts[v].clone(),
                CcaForm::Fukumizu => {
                    let others = &sum - &variates[v];
                    factor.vectors.t().dot(&others) / &Array1::from(directions.eigenvalues.clone())
                }
            };
            let weights = factor.values.mapv(|value| 1.0 / (value + shift)).insert_axis(Axis(1));
            let mut alpha = Array2::zeros((n, self.components));
            let found = factor.vectors.dot(&(coordinates * &weights)) * &signs[v];
            alpha.slice_mut(ndarray::s![.., ..count]).assign(&found);
            all.push(alpha);
        }
        largest_is_positive(&mut all);
        Ok(all)
    }

    /// The views bound to their kernels.
    pub(super) fn bind<'a>(&self, views: &[Points<'a>], compute: &Compute) -> Result<Vec<Bound<'a>>> {
        let bind = |(v, points): (usize, &Points<'a>)| bind_view(self.kernel(v), *points, compute);
        views.iter().enumerate().map(bind).collect()
    }

    /// The factors of the views, for correlations with any κ from this one up.
    pub(super) fn factor<'a>(&self, bounds: Vec<Bound<'a>>, kappa: f64, compute: &Compute) -> Result<Factored<'a>> {
        let rows = bounds.first().map_or(0, |bound| bound.shape().0);
        let allowed = LARGEST_ERROR * self.form.shift(kappa, rows) / (2.0 * (bounds.len() as f64 - 1.0));
        let factor = |bound: &Bound<'a>| ViewFactor::new(bound, self.rank, allowed, compute);
        let factors = bounds.iter().map(factor).collect::<Result<_>>()?;
        Ok(Factored { bounds, factors, rows })
    }

    fn kernel(&self, view: usize) -> &Kernel {
        self.kernels.get(view).unwrap_or(&self.kernels[0])
    }

    /// The views as their kernels take them, checked.
    pub(super) fn take_views<'a>(&self, views: &[Points<'a>]) -> Result<Vec<Points<'a>>> {
        if views.len() < 2 {
            return Err(Error::too_few("canonical correlations", "views", 2, views.len()));
        }
        if self.kernels.len() != 1 && self.kernels.len() != views.len() {
            let expected = format!("one, or one per view ({})", views.len());
            return Err(Error::shape("kernels", expected, self.kernels.len()));
        }
        let rows = views[0].len();
        if let Some(v) = views.iter().position(|points| points.len() != rows) {
            let expected = format!("as many as view 0 has ({rows})");
            return Err(Error::shape(&format!("rows of view {v}"), expected, views[v].len()));
        }
        if rows < 2 {
            return Err(Error::too_few("canonical correlations", "rows of the views", 2, rows));
        }
        Ok(views.iter().enumerate().map(|(v, points)| self.kernel(v).points(*points)).collect())
    }

    pub(super) fn check(&self) -> Result<()> {
        check_kappa(self.kappa)?;
        if self.components == 0 {
            return Err(Error::parameter("components", 0, 1..));
        }
        if self.kernels.is_empty() {
            return Err(Error::too_few("canonical correlations", "kernels", 1, 0));
        }
        match self.rank {
            Rank::Tolerance(tolerance) if !(tolerance > 0.0 && tolerance < 1.0) => {
                Err(Error::parameter("rank", tolerance, AllowedRange::OPEN_UNIT))
            }
            _ => Ok(()),
        }
    }

    fn evidence(&self, factored: &Factored<'_>, determined: usize) -> CcaEvidence {
        let shift = self.form.shift(self.kappa, factored.rows);
        let missed = |f: &ViewFactor| if f.trace > 0.0 { f.trace_left / f.trace } else { 0.0 };
        let largest = factored.factors.iter().map(|f| f.trace_left).fold(0.0, f64::max);
        CcaEvidence {
            ranks: factored.factors.iter().map(ViewFactor::rank).collect(),
            trace_missed: factored.factors.iter().map(missed).collect(),
            exact: factored.factors.iter().map(|f| f.exact).collect(),
            error_bound: 2.0 * (factored.factors.len() as f64 - 1.0) * largest / shift,
            determined,
        }
    }
}

impl Factored<'_> {
    /// `Z_v`: the eigenvectors of every view, scaled for the matrix between views.
    pub(super) fn scaled(&self, form: CcaForm, kappa: f64) -> Vec<Array2<f64>> {
        let shift = form.shift(kappa, self.rows);
        self.factors.iter().map(|factor| factor.scaled(|value| form.scale(value, shift))).collect()
    }
}

pub(super) fn views_of(matrices: &[Array2<f64>]) -> Vec<ArrayView2<'_, f64>> {
    matrices.iter().map(|matrix| matrix.view()).collect()
}

/// `κ > 0`.
pub(super) fn check_kappa(kappa: f64) -> Result<()> {
    if kappa.is_finite() && kappa > 0.0 {
        return Ok(());
    }
    Err(Error::parameter("kappa", kappa, AllowedRange::POSITIVE))
}

/// Unit vectors of all views together to a squared norm of one per view; of two views each alone,
/// whose parts have equal norms but for rounding.
fn normalize(parts: &mut [Array2<f64>]) {
    let views = parts.len();
    for part in parts {
        for mut column in part.columns_mut() {
            let norm = if views == 2 { column.dot(&column).sqrt() } else { 1.0 / (views as f64).sqrt() };
            column.mapv_inplace(|v| if norm > 0.0 { v / norm } else { 0.0 });
        }
    }
}

/// For every view and component the sign with which its variates correlate with the sum of those of
/// the views before it.
fn orientation(variates: &[Array2<f64>]) -> Vec<Array1<f64>> {
    let mut sum = Array2::<f64>::zeros(variates.first().map_or((0, 0), |z| z.dim()));
    let mut signs = Vec::new();
    for variate in variates {
        let products = (&sum * variate).sum_axis(Axis(0));
        let sign: Array1<f64> = products.mapv(|product| if product < 0.0 { -1.0 } else { 1.0 });
        sum += &(variate * &sign);
        signs.push(sign);
    }
    signs
}

/// The signs of all views such that the largest coefficient of the first view is positive.
fn largest_is_positive(coefficients: &mut [Array2<f64>]) {
    let Some(first) = coefficients.first() else { return };
    let largest = |column: ndarray::ArrayView1<f64>| {
        column.iter().fold(0.0_f64, |most, &v| if v.abs() > most.abs() { v } else { most })
    };
    let signs: Array1<f64> =
        first.columns().into_iter().map(|column| if largest(column) < 0.0 { -1.0 } else { 1.0 }).collect();
    coefficients.iter_mut().for_each(|alpha| *alpha *= &signs);
}

/// The factors of `m` views of rank `r`, as they are and scaled, and the eigenproblem of them all.
fn problem_bytes(n: f64, m: f64, r: f64) -> f64 {
    16.0 * m * n * r + 32.0 * (m * r).powi(2)
}
