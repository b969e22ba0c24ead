//! Leave-one-out estimates of a classifier from a single fit.

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::classes::Classes;
use super::decide::pairs;
use super::schedule::Scheme;
use super::support::rebind;
use super::svc::{Penalty, Svc};
use super::svc_fit::SvcFit;
use crate::error::MemoryPurpose;
use crate::gram::{self, Tiles};
use crate::solve::inverse;
use crate::{Compute, Error, Points, Result, Sample};

/// A variable this near to a bound, as a share of it, is at the bound.
const AT_BOUND: f64 = 1e-9;

/// Leave-one-out errors of one binary SVM, as shares of its rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SvmLeaveOneOut {
    /// Joachims' ξα bound: at most this share is wrong.
    pub xi_alpha: f64,
    /// The span estimate: about this share is wrong, exactly so where the other support vectors
    /// keep their kinds.
    pub span: f64,
}

/// One binary SVM: its rows that carry weight, and how they are decided.
struct Pair {
    /// Rows of the data in all.
    rows: usize,
    /// Of each support vector: its row, `sα`, `C`, `s(f + b)`.
    support: Vec<(usize, f64, f64, f64)>,
    /// Rows without weight on the wrong side of the margin by one and more.
    lost: usize,
}

impl Svc {
    /// Leave-one-out errors of every SVM of a fit on its own data, without another fit.
    ///
    /// # Formula
    /// ξα (Joachims 2000): row `i` counts when `2αᵢR² + ξᵢ ≥ 1`, where `R²` is the range of the
    /// kernel values and `ξᵢ = max(0, 1 − sᵢ(f(xᵢ) + b))`. Span (Vapnik and Chapelle 2000): row `i`
    /// counts when `αᵢSᵢ² ≥ sᵢ(f(xᵢ) + b)`, where `Sᵢ²` is the squared distance of `xᵢ` in feature
    /// space from the (affine, with an offset) span of the other support vectors between their
    /// bounds.
    ///
    /// # Theory
    /// A row without weight can be left out without changing the SVM. ξα is a bound for any SVM;
    /// the span is exact if no support vector becomes another kind of row (none, between the
    /// bounds, at the bound) when one is left out.
    ///
    /// # Cost
    /// One pass over all pairs of rows, the kernel matrix of the support vectors of a binary SVM,
    /// and the inverse of that between their bounds.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a ν-classifier and for classes against the rest,
    /// [`Error::Memory`] when the support vectors are too many, and as [`Svc::fit`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, learn::svm::{Classes, Svc}};
    /// use ndarray::array;
    /// let (x, classes) = (array![[-2.0], [-1.0], [1.0], [3.0]], Classes::from_texts(["left", "left", "right", "right"]));
    /// let svc = Svc::new("linear()".parse()?, 10.0);
    /// let fit = svc.fit(x.view(), &classes, None, &Compute::new())?;
    /// let found = svc.leave_one_out(&fit, x.view(), &classes, None, &Compute::new())?[0];
    /// // α = ½ at −1 and at 1, S² = 4 is the squared distance between them, and ½·4 ≥ 1: both count, two rows of four.
    /// assert_eq!((found.xi_alpha, found.span), (0.5, 0.5));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn leave_one_out<'x>(
        &self,
        fit: &SvcFit,
        x: impl Into<Points<'x>>,
        classes: &Classes,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<Vec<SvmLeaveOneOut>> {
        let x = self.kernel.points(x);
        let Penalty::C(c) = self.penalty else {
            return Err(Error::unsupported("leave-one-out estimates", "a ν-classifier", "", "use a C-classifier"));
        };
        if fit.scheme != Scheme::OneVersusOne {
            return Err(Error::unsupported(
                "leave-one-out estimates",
                "more than two classes",
                "",
                "use cross-validation",
            ));
        }
        let bounds: Vec<f64> = self.row_weights(x.len(), classes, weights)?.iter().map(|w| c * w).collect();
        let values = fit.values(x, compute)?;
        let range = range(&rebind(fit.kernel(), x, compute)?, compute)?;
        let one = |(at, (first, second)): (usize, (usize, usize))| {
            let pair = Pair::new(fit, classes, (first, second), &bounds, values.column(at));
            pair.estimate(self, fit, x, range, compute)
        };
        pairs(classes.count()).enumerate().map(one).collect()
    }
}

impl Pair {
    fn new(
        fit: &SvcFit,
        classes: &Classes,
        (first, second): (usize, usize),
        bounds: &[f64],
        values: ArrayView1<f64>,
    ) -> Self {
        let sign = |row: usize| if classes.of()[row] == first { 1.0 } else { -1.0 };
        let mut weight = vec![0.0; bounds.len()];
        for (at, &row) in fit.support().iter().enumerate() {
            match classes.of()[row] {
                class if class == first => weight[row] = fit.coefficients[[at, second - 1]],
                class if class == second => weight[row] = fit.coefficients[[at, first]],
                _ => {}
            }
        }
        let seen = |&row: &usize| [first, second].contains(&classes.of()[row]) && bounds[row] > 0.0;
        let rows: Vec<usize> = (0..bounds.len()).filter(seen).collect();
        let describe = |&row: &usize| (row, weight[row], bounds[row], sign(row) * values[row]);
        let support = rows.iter().filter(|&&row| weight[row] != 0.0).map(describe).collect();
        let lost = rows.iter().filter(|&&row| weight[row] == 0.0 && sign(row) * values[row] <= 0.0).count();
        Self { rows: rows.len(), support, lost }
    }

    fn estimate(
        &self,
        svc: &Svc,
        fit: &SvcFit,
        x: Points<'_>,
        range: f64,
        compute: &Compute,
    ) -> Result<SvmLeaveOneOut> {
        let indices: Vec<usize> = self.support.iter().map(|s| s.0).collect();
        let chosen = Sample::select(x, &indices);
        let kernel = gram::dense(&rebind(fit.kernel(), chosen.as_points(), compute)?, compute)?;
        let beyond =
            |&&(_, c, _, margin): &&(usize, f64, f64, f64)| 2.0 * c.abs() * range + (1.0 - margin).max(0.0) >= 1.0;
        let wrong = self.support.iter().filter(beyond).count() + self.lost;
        let spans = self.spans(kernel.view(), svc.offset, compute)?;
        let leaves = self.support.iter().zip(&spans).filter(|(s, span)| s.1.abs() * **span >= s.3).count() + self.lost;
        let share = |count: usize| count as f64 / self.rows.max(1) as f64;
        Ok(SvmLeaveOneOut { xi_alpha: share(wrong), span: share(leaves) })
    }

    /// `Sᵢ²` of every support vector.
    fn spans(&self, kernel: ArrayView2<f64>, offset: bool, compute: &Compute) -> Result<Vec<f64>> {
        let free: Vec<usize> = (0..self.support.len())
            .filter(|&i| self.support[i].1.abs() < self.support[i].2 * (1.0 - AT_BOUND))
            .collect();
        let q = free.len() + usize::from(offset);
        compute.reserve(
            MemoryPurpose::Factorization,
            "the inverse of a kernel matrix",
            32 * (q as u64).pow(2),
            "use fewer rows",
        )?;
        // The kernel between the bounds, bordered by ones where there is an offset.
        let entry = |i: usize, j: usize| match (free.get(i), free.get(j)) {
            (Some(&a), Some(&b)) => kernel[[a, b]],
            (None, None) => 0.0,
            _ => 1.0,
        };
        let inverse = inverse(Array2::from_shape_fn((q, q), |(i, j)| entry(i, j)));
        let span = |p: usize| match free.binary_search(&p) {
            Ok(at) => 1.0 / inverse[[at, at]],
            Err(_) => {
                let v = |i: usize| free.get(i).map_or(1.0, |&a| kernel[[a, p]]);
                kernel[[p, p]] - form(inverse.view(), &Array2::from_shape_fn((q, 1), |(i, _)| v(i)))
            }
        };
        Ok((0..self.support.len()).map(|p| span(p).max(0.0)).collect())
    }
}

/// The largest kernel value minus the smallest.
fn range(tiles: &dyn Tiles, compute: &Compute) -> Result<f64> {
    let start = || (f64::INFINITY, f64::NEG_INFINITY);
    let ends = gram::fold_tiles(&[tiles], compute, start, |(low, high), tile| {
        for value in tile.lines(0).flat_map(|(_, line)| line) {
            (*low, *high) = (low.min(*value), high.max(*value));
        }
    })?;
    let (low, high) = ends.into_iter().fold(start(), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    Ok(high - low)
}

/// `vᵀAv`.
fn form(a: ArrayView2<f64>, v: &Array2<f64>) -> f64 {
    let n = v.nrows();
    (0..n).map(|j| v[[j, 0]] * (0..n).map(|i| a[[i, j]] * v[[i, 0]]).sum::<f64>()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::solve::DualOptions;
    use ndarray::Axis;

    #[test]
    fn bounds_hold_and_the_span_is_near_the_truth() {
        let mut stream = Seed(5).stream("clouds", 0);
        let of: Vec<usize> = (0..80).map(|i| i % 2).collect();
        let x =
            Array2::from_shape_fn((80, 2), |(i, j)| stream.normal() + if j == 0 { 1.5 * of[i] as f64 } else { 0.0 });
        let names = || vec!["a".to_string(), "b".to_string()];
        let (classes, compute) = (Classes::from_indices(of.clone(), names()).unwrap(), Compute::new());
        // The larger C is, the more support vectors change their kind when one is left out.
        for (c, tolerance) in [(1.0, 0.05), (100.0, 0.1)] {
            let solver = DualOptions { tolerance: 1e-9, ..Default::default() };
            let svc = Svc { solver, ..Svc::new("gaussian(lengthscale=1.2)".parse().unwrap(), c) };
            let fit = svc.fit(x.view(), &classes, None, &compute).unwrap();
            let found = svc.leave_one_out(&fit, x.view(), &classes, None, &compute).unwrap()[0];
            let errors = (0..80).filter(|&out| {
                let rows: Vec<usize> = (0..80).filter(|&i| i != out).collect();
                let part = Classes::from_indices(rows.iter().map(|&i| of[i]).collect(), names()).unwrap();
                let fit = svc.fit(x.select(Axis(0), &rows).view(), &part, None, &compute).unwrap();
                fit.predict(x.select(Axis(0), &[out]).view(), &compute).unwrap()[0] != of[out]
            });
            let truth = errors.count() as f64 / 80.0;
            assert!(truth <= found.xi_alpha && found.xi_alpha <= 1.0, "{c}: {truth}, {found:?}");
            assert_close!(truth, found.span, abs = tolerance, "{c}: {truth}, {found:?}");
        }
    }

    #[test]
    fn other_svms_are_refused() {
        let x = Array2::from_shape_fn((9, 1), |(i, _)| i as f64);
        let classes =
            Classes::from_indices((0..9).map(|i| i / 3).collect(), ["a", "b", "c"].map(str::to_owned).to_vec());
        let (classes, compute) = (classes.unwrap(), Compute::new());
        let svc = Svc::new("gaussian()".parse().unwrap(), 1.0);
        let estimate = |svc: &Svc| {
            let fit = svc.fit(x.view(), &classes, None, &compute).unwrap();
            svc.leave_one_out(&fit, x.view(), &classes, None, &compute)
        };
        assert_eq!(estimate(&svc).unwrap().len(), 3);
        assert!(estimate(&Svc { scheme: Scheme::OneVersusRest, ..svc.clone() }).is_err());
        assert!(estimate(&Svc { penalty: Penalty::Nu(0.5), ..svc }).is_err());
    }
}
