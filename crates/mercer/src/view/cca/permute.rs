//! Permutations of the rows of views: p-values of the correlations, and the choice of κ.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::problem::{Problem, correlations_of, pairs};
use super::spec::{Factored, KernelCca, check_kappa, views_of};
use crate::error::Remedy;
use crate::gram::Bound;
use crate::{Compute, Error, Points, Result};

/// Differences of correlations up to this are rounding: such values count as equal.
const ROUNDING: f64 = 1e-12;

/// Correlations with the values that they have for unrelated views.
#[derive(Clone, Debug, PartialEq)]
pub struct CcaTest {
    /// The correlations, descending.
    pub correlations: Vec<f64>,
    /// `(1 + #{permutations with at least this correlation})/(1 + permutations)` for each of them.
    pub p_values: Vec<f64>,
    /// The correlations of every permutation, a row each.
    pub null: Array2<f64>,
}

/// How κ is chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct KappaSearch {
    /// The values to choose from; half powers of ten from `1e-4` to 1, times the size of the kernel
    /// values, where there are none.
    pub candidates: Option<Vec<f64>>,
    /// Permutations for every candidate, the same for all of them.
    pub permutations: usize,
}

impl Default for KappaSearch {
    fn default() -> Self {
        Self { candidates: None, permutations: 50 }
    }
}

/// The κ that was chosen, with what each candidate had.
#[derive(Clone, Debug, PartialEq)]
pub struct KappaChoice {
    /// The chosen value.
    pub kappa: f64,
    /// The candidates, ascending.
    pub candidates: Vec<f64>,
    /// The first correlation at every candidate.
    pub correlations: Vec<f64>,
    /// The mean of the first correlation over the permutations.
    pub null_means: Vec<f64>,
    /// How many standard deviations of the permutations the correlation lies above their mean.
    pub gains: Vec<f64>,
}

impl KernelCca {
    /// The correlations of the views beside those of views whose rows are permuted.
    ///
    /// # Theory
    /// The rows of every view but the first are permuted at random, each by itself: if the views are
    /// independent, the p-value of the first correlation is valid at every level. A further
    /// correlation is compared with the one of the same rank without any dependence; it is a
    /// guide, as the components before it may be real. The factors of the views are made once.
    ///
    /// # Cost
    /// The factors of a fit, and `O(nr² + r³)` per permutation.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no permutations; as [`KernelCca::fit`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, view::cca::KernelCca};
    /// let x = ndarray::Array2::from_shape_fn((12, 1), |(i, _)| i as f64);
    /// let spec = KernelCca::new("gaussian(lengthscale=3)".parse()?, 1, 0.1);
    /// let found = spec.permutation_test(&[(&x).into(), (&x).into()], 99, &Compute::new())?;
    /// // A view and itself: no permutation reaches the correlation.
    /// assert_eq!(found.p_values, [0.01]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn permutation_test(&self, views: &[Points<'_>], permutations: usize, compute: &Compute) -> Result<CcaTest> {
        self.check()?;
        let views = self.take_views(views)?;
        let factored = self.factor(self.bind(&views, compute)?, self.kappa, compute)?;
        test(&factored.scaled(self.form, self.kappa), self, permutations, compute)
    }

    /// The p-values of [`KernelCca::permutation_test`] alone.
    ///
    /// # Errors
    /// As [`KernelCca::permutation_test`].
    pub fn p_values(&self, views: &[Points<'_>], permutations: usize, compute: &Compute) -> Result<Vec<f64>> {
        Ok(self.permutation_test(views, permutations, compute)?.p_values)
    }

    /// The κ at which the first correlation exceeds those of permuted views most, in standard
    /// deviations of the permuted ones; the largest of equals. A small κ makes all correlations
    /// large, a large κ makes all of them small: only the difference means something.
    ///
    /// # Cost
    /// The factors of one fit; all candidates share the product of a permutation.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a candidate that is not positive, or fewer than two permutations;
    /// [`Error::Undetermined`] when no permutation changes the correlation, as for a constant view;
    /// as [`KernelCca::fit`].
    pub fn choose_kappa(&self, views: &[Points<'_>], search: &KappaSearch, compute: &Compute) -> Result<KappaChoice> {
        let views = self.take_views(views)?;
        Ok(self.choose(self.bind(&views, compute)?, search, compute)?.0)
    }

    /// The choice, with the factors that it was made with.
    pub(super) fn choose<'a>(
        &self,
        bounds: Vec<Bound<'a>>,
        search: &KappaSearch,
        compute: &Compute,
    ) -> Result<(KappaChoice, Factored<'a>)> {
        Self { kappa: 1.0, ..self.clone() }.check()?;
        if search.permutations < 2 {
            return Err(Error::parameter("permutations", search.permutations, 2..));
        }
        let candidates = match &search.candidates {
            Some(candidates) => sorted(candidates)?,
            None => usual_candidates(&bounds)?,
        };
        let factored = self.factor(bounds, candidates[0], compute)?;
        let values = self.first_correlations(&factored, &candidates, search.permutations, compute)?;
        let choice = best(candidates, values.view())?;
        Ok((choice, factored))
    }

    /// The first correlation at every candidate (a column each), of the views in the first row and
    /// of every permutation in a further one.
    fn first_correlations(
        &self,
        factored: &Factored<'_>,
        candidates: &[f64],
        permutations: usize,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        let vectors: Vec<ArrayView2<f64>> = factored.factors.iter().map(|f| f.vectors.view()).collect();
        let scales = |kappa: f64| -> Vec<Array1<f64>> {
            let shift = self.form.shift(kappa, factored.rows);
            factored.factors.iter().map(|f| f.values.mapv(|value| self.form.scale(value, shift))).collect()
        };
        let scales: Vec<Vec<Array1<f64>>> = candidates.iter().map(|&kappa| scales(kappa)).collect();
        let one = |b: usize| {
            compute.check_canceled()?;
            let moved = permuted(&vectors, b, compute);
            let blocks: Vec<_> = pairs(moved.len()).into_iter().map(|(i, j)| moved[i].t().dot(&moved[j])).collect();
            let first = |scales: &Vec<Array1<f64>>| {
                let scaled = pairs(vectors.len()).into_iter().zip(&blocks).map(|((i, j), block)| {
                    let rows = scales[i].view().insert_axis(Axis(1));
                    block * &rows * &scales[j]
                });
                let ranks = vectors.iter().map(|u| u.ncols()).collect();
                Problem::of_blocks(ranks, scaled.collect(), self.criterion).correlations(1, compute)
            };
            Ok(scales.iter().map(first).collect::<Result<Vec<_>>>()?.concat())
        };
        let rows = compute.try_map_tasks(permutations + 1, one)?;
        Array2::from_shape_vec((permutations + 1, candidates.len()), rows.concat())
            .map_err(|e| Error::shape("correlations of the candidates", candidates.len(), e))
    }
}

/// The correlations of scaled eigenvectors with their p-values.
///
/// # Errors
/// [`Error::Parameter`] for no permutations, [`Error::Canceled`].
pub(super) fn test(
    scaled: &[Array2<f64>],
    spec: &KernelCca,
    permutations: usize,
    compute: &Compute,
) -> Result<CcaTest> {
    if permutations == 0 {
        return Err(Error::parameter("permutations", 0, 1..));
    }
    let (views, count) = (views_of(scaled), spec.components);
    let one = |b: usize| {
        compute.check_canceled()?;
        let found = correlations_of(&permuted(&views, b, compute), spec.criterion, count, compute)?;
        compute.report("permutations", b as u64, permutations as u64);
        Ok(found)
    };
    let mut all = compute.try_map_tasks(permutations + 1, one)?;
    let correlations = all.remove(0);
    let reached = |j: usize| all.iter().filter(|null| null[j] >= correlations[j] - ROUNDING).count();
    let p_values = (0..count).map(|j| (1 + reached(j)) as f64 / (1 + permutations) as f64).collect();
    let null = Array2::from_shape_vec((permutations, count), all.concat())
        .map_err(|e| Error::shape("correlations of the permutations", count, e))?;
    Ok(CcaTest { correlations, p_values, null })
}

/// The views with the rows of every view but the first permuted; number 0 is the order of the data.
fn permuted(views: &[ArrayView2<f64>], number: usize, compute: &Compute) -> Vec<Array2<f64>> {
    let mut stream = compute.seed().stream("rows of views", number as u64);
    let mut moved = |(v, z): (usize, &ArrayView2<f64>)| {
        if v == 0 || number == 0 { z.to_owned() } else { z.select(Axis(0), &stream.permutation(z.nrows())) }
    };
    views.iter().enumerate().map(&mut moved).collect()
}

/// Positive candidates, ascending.
fn sorted(candidates: &[f64]) -> Result<Vec<f64>> {
    candidates.iter().try_for_each(|&kappa| check_kappa(kappa))?;
    if candidates.is_empty() {
        return Err(Error::too_few("a choice", "values of kappa", 1, 0));
    }
    let mut sorted = candidates.to_vec();
    sorted.sort_by(f64::total_cmp);
    Ok(sorted)
}

/// Half powers of ten from `1e-4` to 1, times the size of the kernel values on the diagonal rounded
/// to a half power of ten, which is 1 for normalized kernels.
fn usual_candidates(bounds: &[Bound<'_>]) -> Result<Vec<f64>> {
    let mut logs = 0.0;
    for bound in bounds {
        let mean = bound.diagonal()?.mean().unwrap_or(1.0);
        logs += if mean > 0.0 { mean.log10() } else { 0.0 } / bounds.len() as f64;
    }
    let size = (2.0 * logs).round();
    Ok((-8..=0).map(|half| 10_f64.powf(0.5 * (f64::from(half) + size))).collect())
}

/// The candidate with the largest gain, the last of equals.
fn best(candidates: Vec<f64>, values: ArrayView2<f64>) -> Result<KappaChoice> {
    let (observed, null) = values.split_at(Axis(0), 1);
    let (correlations, means) = (observed.row(0).to_vec(), null.sum_axis(Axis(0)) / null.nrows() as f64);
    let variances = null.var_axis(Axis(0), 1.0);
    let gain = |j: usize| match variances[j].sqrt() {
        deviation if deviation > ROUNDING => (correlations[j] - means[j]) / deviation,
        _ => f64::NEG_INFINITY,
    };
    let gains: Vec<f64> = (0..candidates.len()).map(gain).collect();
    let best = (0..gains.len()).fold(0, |best, j| if gains[j] >= gains[best] { j } else { best });
    if gains[best] == f64::NEG_INFINITY {
        let because = "no permutation of the rows changes the correlation";
        return Err(Error::undetermined("kappa", because, Remedy::give("kappa")));
    }
    Ok(KappaChoice { kappa: candidates[best], candidates, correlations, null_means: means.to_vec(), gains })
}
