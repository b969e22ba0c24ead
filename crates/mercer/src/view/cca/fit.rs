//! Fitted canonical correlations: the functions of each view, and the evidence.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::permute::KappaChoice;
use super::problem::pairs;
use crate::gram::{self, KeptCenters};
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// The functions of one view: `f_j(x) = Σᵢ α_ij k(x, xᵢ) − b_j`. The coefficients have sum 0, so
/// that this is the same as with centered kernel values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ViewFunctions {
    pub(super) kernel: Kernel,
    pub(super) points: Sample,
    pub(super) alpha: Array2<f64>,
    pub(super) offset: Array1<f64>,
    pub(super) kept: KeptCenters,
}

/// What the fit rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct CcaEvidence {
    /// The rank of each view's centered kernel matrix, as far as it was represented.
    pub ranks: Vec<usize>,
    /// The share of each view's trace that its low-rank factor leaves out; 0 for a whole matrix.
    pub trace_missed: Vec<f64>,
    /// Whether each view's whole matrix was decomposed.
    pub exact: Vec<bool>,
    /// No correlation (for the form of Fukumizu and two views: no squared correlation) differs by
    /// more than this from that of the whole matrices, but for rounding: `2(m − 1) max_v tr(K_v − F_vF_vᵀ)/c`.
    pub error_bound: f64,
    /// Components with a correlation above rounding; the others have the coefficients 0.
    pub determined: usize,
}

/// A fitted [`KernelCca`](super::KernelCca).
#[derive(Clone, Debug, PartialEq)]
pub struct CcaFit {
    pub(super) correlations: Vec<f64>,
    pub(super) functions: Vec<ViewFunctions>,
    pub(super) p_values: Option<Vec<f64>>,
    pub(super) kappa: f64,
    pub(super) kappa_choice: Option<KappaChoice>,
    pub(super) evidence: CcaEvidence,
    pub(super) settings: Settings,
}

impl CcaFit {
    /// The canonical correlations, descending; 0 for components that the views do not determine.
    pub fn correlations(&self) -> &[f64] {
        &self.correlations
    }

    /// The number of views.
    pub fn views(&self) -> usize {
        self.functions.len()
    }

    /// The number of components.
    pub fn components(&self) -> usize {
        self.correlations.len()
    }

    /// The dual coefficients of a view, a row per point and a column per component, with
    /// `aᵀ(K + cI)²a = 1` (for the form of Fukumizu `aᵀ(K² + nκK)a = 1`); for three or more views
    /// the sum of these over the views is their number. The largest coefficient of the first view is
    /// positive, and the functions of each further view correlate positively with the sum of those
    /// before it.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such view.
    pub fn dual_coefficients(&self, view: usize) -> Result<ArrayView2<'_, f64>> {
        Ok(self.view(view)?.alpha.view())
    }

    /// The kernel of a view, with medians resolved.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such view.
    pub fn kernel(&self, view: usize) -> Result<&Kernel> {
        Ok(&self.view(view)?.kernel)
    }

    /// The points of a view.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such view.
    pub fn points(&self, view: usize) -> Result<Points<'_>> {
        Ok(self.view(view)?.points.as_points())
    }

    fn view(&self, view: usize) -> Result<&ViewFunctions> {
        self.functions.get(view).ok_or_else(|| Error::parameter("view", view, ..self.functions.len()))
    }

    /// The canonical variates of points of one view, a column per component: `f_j(x)` with kernel
    /// values centered as those of the fit, whose variates have the mean 0. With precomputed kernel
    /// values, row `i` holds those of the new point `i` with every point of the fit.
    ///
    /// # Cost
    /// One kernel value per pair of a point and a point of the fit, none of them stored.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such view; as [`Kernel::bind`].
    pub fn transform<'x>(&self, view: usize, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let functions = self.view(view)?;
        let x = functions.kernel.points(x);
        let bound = functions.kept.bind(&functions.kernel, x.reborrow(), &functions.points, compute)?;
        Ok(gram::multiply(&bound, functions.alpha.view(), compute)? - &functions.offset)
    }

    /// The correlations of the variates of new views, for each component the mean over the pairs of
    /// views; 0 where a variate is constant.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of views, or views of different lengths;
    /// [`Error::TooFew`] for fewer than two rows; as [`CcaFit::transform`].
    pub fn correlations_of(&self, views: &[Points<'_>], compute: &Compute) -> Result<Vec<f64>> {
        if views.len() != self.views() {
            return Err(Error::shape("views", self.views(), views.len()));
        }
        let transform = |(v, x): (usize, &Points<'_>)| self.transform(v, *x, compute);
        let variates: Vec<Array2<f64>> = views.iter().enumerate().map(transform).collect::<Result<_>>()?;
        let rows = variates[0].nrows();
        if let Some(v) = variates.iter().position(|z| z.nrows() != rows) {
            let expected = format!("as many as view 0 has ({rows})");
            return Err(Error::shape(&format!("rows of view {v}"), expected, variates[v].nrows()));
        }
        if rows < 2 {
            return Err(Error::too_few("a correlation", "rows of the views", 2, rows));
        }
        let pairs = pairs(views.len());
        let mean = |component: usize| {
            let column = |v: usize| variates[v].column(component);
            pairs.iter().map(|&(i, j)| correlation(column(i), column(j))).sum::<f64>() / pairs.len() as f64
        };
        Ok((0..self.components()).map(mean).collect())
    }

    /// The mean of [`CcaFit::correlations_of`] over the components: how far the correlations hold on
    /// other data.
    ///
    /// # Errors
    /// As [`CcaFit::correlations_of`].
    pub fn score(&self, views: &[Points<'_>], compute: &Compute) -> Result<f64> {
        Ok(self.correlations_of(views, compute)?.iter().sum::<f64>() / self.components() as f64)
    }

    /// A permutation p-value for each correlation, if the specification has permutations.
    pub fn p_values(&self) -> Option<&[f64]> {
        self.p_values.as_deref()
    }

    /// κ, as it was given or chosen.
    pub fn kappa(&self) -> f64 {
        self.kappa
    }

    /// How κ was chosen, if it was.
    pub fn kappa_choice(&self) -> Option<&KappaChoice> {
        self.kappa_choice.as_ref()
    }

    /// Ranks and what they leave out.
    pub fn evidence(&self) -> &CcaEvidence {
        &self.evidence
    }

    /// The settings of the fit.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

/// Pearson's correlation; 0 for a constant.
fn correlation(x: ArrayView1<f64>, y: ArrayView1<f64>) -> f64 {
    let n = x.len().max(1) as f64;
    let centered = |v: ArrayView1<f64>| &v - v.sum() / n;
    let (x, y) = (centered(x), centered(y));
    let product = x.dot(&x).sqrt() * y.dot(&y).sqrt();
    if product > 0.0 { (x.dot(&y) / product).clamp(-1.0, 1.0) } else { 0.0 }
}
