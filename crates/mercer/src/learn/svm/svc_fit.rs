//! A fitted classifier.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::classes::Classes;
use super::decide::{DecisionShape, argmax, confidences, pairs, votes};
use super::evidence::{BinarySvm, SvmEvidence};
use super::probability::{Calibrator, couple};
use super::schedule::{Schedule, Scheme};
use super::support::{InFeatures, Support};
use super::svc::{Penalty, Svc};
use super::task::Task;
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result};

/// Rows per block of votes: bounds the memory of the pairwise decision values.
/// Any few thousand would do.
const ROWS: usize = 4096;

/// A fitted [`Svc`].
#[derive(Clone, Debug)]
pub struct SvcFit {
    pub(super) scheme: Scheme,
    pub(super) break_ties: bool,
    pub(super) names: Vec<String>,
    pub(super) support: Support,
    /// Where the support vectors of each class begin; the last entry is where they end.
    pub(super) starts: Vec<usize>,
    /// One row per support vector. For pairs: one column per other class, in their order. Against
    /// the rest: one column per class.
    pub(super) coefficients: Array2<f64>,
    pub(super) binary: Vec<BinarySummary>,
    pub(super) in_features: InFeatures,
    pub(crate) settings: Settings,
}

/// One binary SVM of a classifier.
#[derive(Clone, Debug, PartialEq)]
pub struct BinarySummary {
    /// The class on the positive side.
    pub first: usize,
    /// The class on the negative side; `None` for all others.
    pub second: Option<usize>,
    /// `b`: LIBSVM's `−ρ`.
    pub offset: f64,
    /// Support vectors of this SVM.
    pub support: usize,
    /// Support vectors at their bound.
    pub bounded: usize,
    /// The probability of the first class, if requested.
    pub calibrator: Option<Calibrator>,
    /// How good the solution is.
    pub evidence: SvmEvidence,
}

impl SvcFit {
    pub(super) fn new(
        svc: &Svc,
        x: Points<'_>,
        classes: &Classes,
        schedule: &Schedule,
        binary: Vec<(BinarySvm, Option<Calibrator>)>,
    ) -> Self {
        let (order, tasks) = (&schedule.tasks.order, &schedule.tasks.list);
        let k = classes.count();
        let paired = tasks.iter().all(|task| task.second.is_some());
        let mut table = Array2::zeros((order.len(), if paired { k - 1 } else { k }));
        for (task, (svm, _)) in tasks.iter().zip(&binary) {
            for (&at, &c) in task.rows.iter().zip(&svm.coefficients) {
                table[[at, column(task, classes.of()[order[at]])]] = c;
            }
        }
        let carrying: Vec<usize> = (0..order.len()).filter(|&at| table.row(at).iter().any(|c| *c != 0.0)).collect();
        let indices: Vec<usize> = carrying.iter().map(|&at| order[at]).collect();
        let starts = (0..=k).map(|c| indices.partition_point(|&row| classes.of()[row] < c)).collect();
        let summary = |(task, (svm, calibrator)): (&Task, (BinarySvm, Option<Calibrator>))| {
            BinarySummary::new(svc, task, &svm, calibrator)
        };
        Self {
            scheme: if paired { Scheme::OneVersusOne } else { Scheme::OneVersusRest },
            break_ties: svc.break_ties,
            names: classes.names().to_vec(),
            support: Support::new(&schedule.kernel, x, indices),
            starts,
            coefficients: table.select(Axis(0), &carrying),
            binary: tasks.iter().zip(binary).map(summary).collect(),
            in_features: InFeatures::default(),
            settings: Settings::new(),
        }
    }

    /// The settings of the fit; empty for a fit from a file that does not store them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The class of every row of `x`.
    ///
    /// Without probabilities: for pairs, the class with most votes (equal votes go to the class
    /// that comes first, or with [`Svc::break_ties`] to the larger sum of decision values); against
    /// the rest, the largest decision value. With probabilities the predicted class is the most
    /// probable one, always: [`SvcFit::vote`] still returns the votes.
    ///
    /// # Cost
    /// One kernel value per pair of a row and a support vector, none of them stored. In the features of
    /// the kernel where they are fewer than the support vectors.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn predict<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Vec<usize>> {
        let x = x.into();
        if self.is_calibrated() {
            let probabilities = self.probabilities(x, compute)?;
            return Ok(probabilities.rows().into_iter().map(|row| argmax(row.iter().copied())).collect());
        }
        self.vote(x, compute)
    }

    /// The class by votes or by the largest decision value, whether there are probabilities or not.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn vote<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Vec<usize>> {
        let x = x.into();
        let (values, k) = (self.values(x, compute)?, self.names.len());
        let rows = |of: Array2<f64>| of.rows().into_iter().map(|row| argmax(row.iter().copied())).collect();
        Ok(match self.scheme {
            Scheme::OneVersusRest => rows(values),
            Scheme::OneVersusOne if self.break_ties && k > 2 => rows(confidences(values.view(), k)),
            Scheme::OneVersusOne => values.rows().into_iter().map(|row| argmax(votes(row, k))).collect(),
        })
    }

    /// The decision values of every SVM, in the order of [`SvcFit::binary`]: positive for the first
    /// class of the SVM.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn values<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let x = x.into();
        let in_features = || self.coefficients_by_machine();
        let mut values = Array2::zeros((x.len(), self.binary.len()));
        if let Some(found) = self.in_features.values(&self.support, in_features, x.reborrow(), compute)? {
            values = found;
        } else if self.binary.len() == 1 || self.scheme == Scheme::OneVersusRest {
            values += &self.support.apply(x, self.coefficients.view(), compute)?;
        } else {
            self.add_classes(x, &mut values, compute)?;
        }
        for (mut column, svm) in values.columns_mut().into_iter().zip(&self.binary) {
            column += svm.offset;
        }
        Ok(values)
    }

    /// The support vectors of a class have coefficients only in the binary SVMs of that class.
    fn add_classes(&self, x: Points<'_>, values: &mut Array2<f64>, compute: &Compute) -> Result<()> {
        let k = self.names.len();
        let parts: Vec<Range<usize>> = (0..k).map(|class| self.of_class(class)).collect();
        let positions: Vec<(usize, usize)> = pairs(k).map(|(a, b)| (a * (k - 1) + b - 1, b * (k - 1) + a)).collect();
        for (at, mut values) in values.axis_chunks_iter_mut(Axis(0), ROWS).enumerate() {
            let part = x.part(at * ROWS..at * ROWS + values.nrows());
            let shares = self.support.apply_parts(part.as_points(), &parts, self.coefficients.view(), compute)?;
            for (mut row, shares) in values.rows_mut().into_iter().zip(shares.rows()) {
                row.iter_mut().zip(&positions).for_each(|(value, &(a, b))| *value += shares[a] + shares[b]);
            }
        }
        Ok(())
    }

    /// The decision function. Two classes: one column, positive for the second class, as
    /// scikit-learn has it. More: one column per class, or one per pair where the binary SVMs are
    /// pairs and that shape is requested.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn decision_function<'x>(
        &self,
        x: impl Into<Points<'x>>,
        shape: DecisionShape,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        let x = x.into();
        let values = self.values(x, compute)?;
        Ok(match (self.names.len(), shape, self.scheme) {
            (2, ..) => -values,
            (k, DecisionShape::OneVersusRest, Scheme::OneVersusOne) => confidences(values.view(), k),
            _ => values,
        })
    }

    /// The probability of every class, one column each; their sum is 1. Pairs are coupled (Wu, Lin
    /// and Weng 2004); classes against the rest are normalized.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a model without calibration; as [`Kernel::bind`].
    pub fn probabilities<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let x = x.into();
        let values = self.values(x, compute)?;
        let k = self.names.len();
        let mut probabilities = Array2::zeros((x.len(), k));
        for (row, mut out) in values.rows().into_iter().zip(probabilities.rows_mut()) {
            let firsts: Option<Vec<f64>> =
                self.binary.iter().zip(row).map(|(m, &f)| Some(m.calibrator.as_ref()?.probability(f))).collect();
            let firsts = firsts.ok_or_else(|| {
                Error::unsupported(
                    "probabilities",
                    "this model",
                    "it was fitted without them",
                    "fit with probabilities",
                )
            })?;
            out.iter_mut().zip(self.of_classes(&firsts)).for_each(|(o, p)| *o = p);
        }
        Ok(probabilities)
    }

    /// Probabilities of classes from those of binary SVMs.
    fn of_classes(&self, firsts: &[f64]) -> Vec<f64> {
        let k = self.names.len();
        match (k, self.scheme) {
            (2, _) => vec![firsts[0], 1.0 - firsts[0]],
            (_, Scheme::OneVersusOne) => couple(k, |a, b| firsts[a * k - a * (a + 1) / 2 + b - a - 1]),
            (_, Scheme::OneVersusRest) => {
                let total: f64 = firsts.iter().sum();
                firsts.iter().map(|p| if total > 0.0 { p / total } else { 1.0 / k as f64 }).collect()
            }
        }
    }

    /// How binary SVMs are combined to a classifier of many classes.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Columns that new points must have.
    pub fn columns(&self) -> usize {
        self.support.columns()
    }

    /// Whether there are probabilities.
    pub fn is_calibrated(&self) -> bool {
        self.binary.iter().all(|svm| svm.calibrator.is_some())
    }

    /// The names of the classes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        &self.support.kernel
    }

    /// The binary SVMs: for pairs in the order `(0, 1), (0, 2), …, (1, 2), …`, against the rest in
    /// the order of the classes.
    pub fn binary(&self) -> &[BinarySummary] {
        &self.binary
    }

    /// The rows of the data that carry weight in some SVM, class by class.
    pub fn support(&self) -> &[usize] {
        &self.support.indices
    }

    /// Those points; without columns for a kernel over precomputed values.
    pub fn support_vectors(&self) -> Points<'_> {
        self.support.vectors.as_points()
    }

    /// How many support vectors each class has.
    pub fn support_sizes(&self) -> Vec<usize> {
        (0..self.names.len()).map(|class| self.of_class(class).len()).collect()
    }

    /// `sᵢαᵢ`, one row per support vector. For pairs there is one column per other class, as in
    /// LIBSVM's model files: a support vector of class `a` has its coefficient in the SVM of `a`
    /// and `b` in column `b` if `b < a`, else `b − 1`. Against the rest there is one column per
    /// class.
    pub fn dual_coefficients(&self) -> ArrayView2<'_, f64> {
        self.coefficients.view()
    }

    /// Sums of the binary SVMs' objectives, gaps and steps, their largest violation, and why they
    /// stopped.
    pub fn evidence(&self) -> SvmEvidence {
        SvmEvidence::of_all(self.binary.iter().map(|svm| svm.evidence))
    }

    /// The coefficients of the support vectors in every binary SVM, a column for each.
    pub(in crate::learn) fn coefficients_by_machine(&self) -> Array2<f64> {
        let mut table = Array2::zeros((self.coefficients.nrows(), self.binary.len()));
        for (at, svm) in self.binary.iter().enumerate() {
            let mut put = |class: usize, column: usize| {
                self.of_class(class).for_each(|row| table[[row, at]] = self.coefficients[[row, column]]);
            };
            match svm.second {
                None => (0..self.names.len()).for_each(|class| put(class, svm.first)),
                Some(second) => {
                    put(svm.first, second - 1);
                    put(second, svm.first);
                }
            }
        }
        table
    }

    /// The weights of the support vectors in the sum of the decision values for a class.
    pub(in crate::learn) fn class_weights(&self, class: usize) -> Option<Array1<f64>> {
        if class >= self.names.len() {
            return None;
        }
        let table = self.coefficients_by_machine();
        let mut weights = Array1::zeros(table.nrows());
        for (column, svm) in table.columns().into_iter().zip(&self.binary) {
            match svm.second {
                _ if svm.first == class => weights += &column,
                Some(second) if second == class => weights -= &column,
                _ => {}
            }
        }
        Some(weights)
    }

    fn of_class(&self, class: usize) -> Range<usize> {
        self.starts[class]..self.starts[class + 1]
    }
}

/// The column of a row of a class in the table of coefficients.
fn column(task: &Task, class: usize) -> usize {
    match task.second {
        None => task.first,
        Some(second) if class == task.first => second - 1,
        Some(_) => task.first,
    }
}

impl BinarySummary {
    fn new(svc: &Svc, task: &Task, svm: &BinarySvm, calibrator: Option<Calibrator>) -> Self {
        // A ν-SVM is divided by its margin: the bound is what its largest coefficients are.
        let carried: Vec<f64> = svm.coefficients.iter().map(|c| c.abs()).collect();
        let ratio = |i: usize| carried[i] / (svc.bound() * task.weights[i]);
        let largest = match svc.penalty {
            Penalty::C(_) => 1.0,
            Penalty::Nu(_) => (0..carried.len()).filter(|&i| carried[i] > 0.0).map(ratio).fold(0.0, f64::max),
        };
        let at_bound = |&i: &usize| carried[i] > 0.0 && ratio(i) >= largest * (1.0 - 1e-12);
        Self {
            first: task.first,
            second: task.second,
            offset: svm.offset,
            support: carried.iter().filter(|c| **c > 0.0).count(),
            bounded: (0..carried.len()).filter(at_bound).count(),
            calibrator,
            evidence: svm.evidence,
        }
    }
}
